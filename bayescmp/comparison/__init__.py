"""`compare()`: any number of models on any number of datasets, both schools side by side."""

from bayescmp.comparison.pair import PairResult
from bayescmp.comparison.result import Comparison
from bayescmp.comparison.study import compare

__all__ = ["Comparison", "PairResult", "compare"]
