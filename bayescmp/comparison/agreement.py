"""Where the two schools tell different stories, and why: one short sentence a pair."""

from dataclasses import dataclass

from bayescmp.rope import Decision, Rope
from bayescmp.text import p_value, probability

PROBABLE = 0.8
"""A model is called probably better from this probability on, also where no decision is reached."""


@dataclass(frozen=True, kw_only=True)
class Verdicts:
    """What both schools say of one pair.

    Attributes
    ----------
    corrected_p : float or None
        The p-value with the correction for overlapping training sets, where the test that was run has none.
    smallest_p : float or None
        The smallest p-value that this number of datasets can give.
    direction : float
        The sign of the frequentist statistic: positive favours A.
    """

    a: str
    b: str
    p_better: float
    p_equivalent: float
    p_worse: float
    mcse: float
    decision: Decision
    estimate: float | None
    p: float
    alpha: float
    rope: Rope | None
    direction: float = 0.0
    corrected_p: float | None = None
    smallest_p: float | None = None
    n: int = 0

    @property
    def significant(self) -> bool:
        return self.p <= self.alpha

    @property
    def leader(self) -> tuple[str, float]:
        """The model that is more probably better, and how probably."""
        return (self.a, self.p_better) if self.p_better >= self.p_worse else (self.b, self.p_worse)

    def show(self, p: float) -> str:
        return f"P = {probability(p, self.mcse)}"


def agreement(v: Verdicts) -> tuple[str, str]:
    """The kind of (dis)agreement, and a sentence about it.

    Kinds: agree, correction missing, too few datasets, opposite directions, significant but equivalent, rope wider
    than the effect, significant but undecided, decided but not significant, probable but not significant.
    """
    leader, p_leader = v.leader
    if v.corrected_p is not None and v.significant and v.corrected_p > v.alpha:
        return "correction missing", (
            f"significant ({p_value(v.p)}) only because overlapping folds are taken for independent: corrected "
            f"{p_value(v.corrected_p)}"
        )
    if v.significant:
        return _significant(v, leader, p_leader)
    decided = v.decision in (Decision.A_BETTER, Decision.B_BETTER)
    if v.smallest_p is not None and v.smallest_p > v.alpha and p_leader >= PROBABLE:
        return "too few datasets", (
            f"with {v.n} datasets p cannot be below {v.smallest_p:.2g}, whatever the scores; {leader} is probably "
            f"better ({v.show(p_leader)})"
        )
    if decided:
        return "decided but not significant", (
            f"not significant ({p_value(v.p)}), yet {leader} is better with {v.show(p_leader)}"
        )
    if p_leader >= PROBABLE:
        return "probable but not significant", (
            f"not significant ({p_value(v.p)}), but {leader} is probably better ({v.show(p_leader)})"
        )
    if v.decision is Decision.EQUIVALENT:
        return "agree", f"practically equivalent ({v.show(v.p_equivalent)}); a large p alone could not say so"
    return "agree", "neither decides"


def _significant(v: Verdicts, leader: str, p_leader: float) -> tuple[str, str]:
    favoured = v.a if v.direction > 0 else v.b
    decided = v.decision in (Decision.A_BETTER, Decision.B_BETTER)
    if v.direction and (decided or p_leader >= PROBABLE) and favoured != leader:
        return "opposite directions", (
            f"significant ({p_value(v.p)}) in favour of {favoured}, yet {leader} is better with {v.show(p_leader)}: "
            "the tests weigh the datasets differently"
        )
    if decided:
        return "agree", f"both: {leader} better"
    if v.decision is Decision.EQUIVALENT:
        return "significant but equivalent", (
            f"significant ({p_value(v.p)}) but practically equivalent ({v.show(v.p_equivalent)}): a real difference, "
            "smaller than the rope"
        )
    inside = v.rope is not None and v.estimate is not None and v.rope.low <= v.estimate <= v.rope.high
    if inside and v.rope is not None and not v.rope.is_zero:
        return "rope wider than the effect", (
            f"significant ({p_value(v.p)}), but the estimated difference {v.estimate:.2g} lies inside the rope: "
            f"P(equivalent) = {probability(v.p_equivalent, v.mcse)}"
        )
    return "significant but undecided", (
        f"significant ({p_value(v.p)}): some difference, but not surely more than the rope ({leader} better: "
        f"{v.show(p_leader)})"
    )
