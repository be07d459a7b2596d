"""How probable is it that model A is better than model B, by more than you care about?

`bayescmp` compares machine-learning models by posterior probabilities, with the frequentist answer beside them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayescmp import bayes, catalogue, frequentist, gates, planning, plots, reports
    from bayescmp.comparison import Comparison, PairResult, compare
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
        load_items,
        load_labour,
        load_uci,
        read_scores,
    )

__all__ = [
    "Comparison",
    "ConvergenceWarning",
    "Decision",
    "DegenerateWarning",
    "MissingWarning",
    "Pair",
    "PairResult",
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
    "catalogue",
    "compare",
    "frequentist",
    "gates",
    "load_domains",
    "load_items",
    "load_labour",
    "load_uci",
    "planning",
    "plots",
    "read_scores",
    "reports",
]

__version__ = "0.2.0"  # as in pyproject.toml; importlib.metadata would take a third of the time of numpy to find it
PACKAGES = ("bayes", "catalogue", "errors", "frequentist", "gates", "planning", "plots", "reports", "rope", "scores")
HOMES = {
    "Comparison": "comparison",
    "PairResult": "comparison",
    "compare": "comparison",
    "Decision": "rope",
    "Rope": "rope",
}


def __getattr__(name: str) -> Any:
    """Everything is imported when it is first asked for: `import bayescmp` costs nothing, and can be interrupted."""
    if name in PACKAGES:
        return import_module(f"bayescmp.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'bayescmp' has no attribute {name!r}")
    module = "errors" if name.endswith(("Error", "Warning")) else HOMES.get(name, "scores")
    found = globals()[name] = getattr(import_module(f"bayescmp.{module}"), name)
    return found


def __dir__() -> list[str]:
    return __all__
