"""`compare()`: any number of models on any number of datasets, both schools side by side."""

from bayescmp.comparison.comparing import compare
from bayescmp.comparison.result import Comparison, PairComparison

__all__ = ["Comparison", "PairComparison", "compare"]
