"""The pytest plugin: the fixture `assert_not_worse`. It imports nothing else of bayescmp until the fixture is used."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from bayescmp.gates import GateResult

OUTCOMES = ("fail", "xfail", "skip")
"""What an undecided gate may be."""


def pytest_addoption(parser: Any) -> None:
    """`--bayescmp-undecided`, and the same in the ini-file."""
    text = "What an undecided assert_not_worse is: fail (default), xfail or skip."
    parser.getgroup("bayescmp").addoption("--bayescmp-undecided", choices=OUTCOMES, help=text)
    parser.addini("bayescmp_undecided", text, default="fail")


@pytest.fixture
def assert_not_worse(request: Any) -> Callable[..., "GateResult"]:
    """A function that fails the test where the candidate is worse than the baseline; undecided as it is set."""
    config = request.config
    usual = config.getoption("--bayescmp-undecided") or config.getini("bayescmp_undecided")

    def check(
        candidate: Any,
        baseline: Any,
        *,
        rope: Any = None,
        rule: Any = None,
        resampling: Any = None,
        metric: str | None = None,
        higher_is_better: bool | None = None,
        threshold: float = 0.95,
        undecided: str = usual,
    ) -> "GateResult":
        """The gate's result, where it passes.

        `candidate` and `baseline` are `Scores` of one model each, or arrays of scores of the same folds, items or runs,
        with their `resampling` and their `metric` or `higher_is_better`. The rest is that of `gates.gate`.
        """
        __tracebackhide__ = True
        from bayescmp import Scores
        from bayescmp.gates import Rule, gate, side_by_side

        if undecided not in OUTCOMES:
            raise ValueError(f"`undecided` must be one of {', '.join(OUTCOMES)}, got {undecided!r}.")
        if isinstance(candidate, Scores) or isinstance(baseline, Scores):
            scores, old, new = side_by_side(baseline, candidate)
        else:
            old, new = "baseline", "candidate"
            about = {"resampling": resampling, "metric": metric, "higher_is_better": higher_is_better}
            scores = Scores.from_arrays({old: baseline, new: candidate}, **about)
        if (rope is None) == (rule is None):
            raise ValueError("Give a `rope`, what makes no practical difference, or a `rule`: one of them.")
        if isinstance(rule, str):
            rule = Rule.read(rule)
        own = {"rule": rule} if rule is not None else {"rope": rope, "threshold": threshold}
        result = gate(scores, old, new, **own)
        if not result.passed:
            if result.verdict == "undecided" and undecided == "xfail":
                pytest.xfail(result.sentence())
            if result.verdict == "undecided" and undecided == "skip":
                pytest.skip(result.sentence())
            pytest.fail(result.sentence(), pytrace=False)
        return result

    return check
