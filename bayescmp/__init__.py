"""How probable is it that model A is better than model B, by more than you care about?

`bayescmp` compares machine-learning models by posterior probabilities, with the frequentist answer beside them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bayescmp.errors import (
    ConvergenceWarning,
    DegenerateWarning,
    MissingWarning,
    PriorWarning,
    RepeatsWarning,
    ResamplingError,
    RopeError,
    ScaleWarning,
    ScoresError,
)
from bayescmp.rope import Decision, Rope
from bayescmp.scores import (
    Pair,
    Resampling,
    Scores,
    load_domains,
    load_labour,
    load_uci,
    read_scores,
)

if TYPE_CHECKING:
    from bayescmp import bayes, frequentist, plots, reports
    from bayescmp.comparison import Comparison, compare

__all__ = [
    "Comparison",
    "ConvergenceWarning",
    "Decision",
    "DegenerateWarning",
    "MissingWarning",
    "Pair",
    "PriorWarning",
    "RepeatsWarning",
    "Resampling",
    "ResamplingError",
    "Rope",
    "RopeError",
    "ScaleWarning",
    "Scores",
    "ScoresError",
    "bayes",
    "compare",
    "frequentist",
    "load_domains",
    "load_labour",
    "load_uci",
    "plots",
    "read_scores",
    "reports",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("bayescmp")
    if name in ("bayes", "frequentist", "plots", "reports"):
        return import_module(f"bayescmp.{name}")
    if name in ("compare", "Comparison"):
        return getattr(import_module("bayescmp.comparison"), name)
    raise AttributeError(f"module 'bayescmp' has no attribute {name!r}")
