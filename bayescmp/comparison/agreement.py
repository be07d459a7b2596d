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
    p, raw_p : float
        The p-value that is compared with alpha (adjusted, where there are many pairs), and the one of this pair alone.
    corrected_p : float or None
        `p` with the correction for overlapping training sets, where the test that was run has none.
    smallest_p, smallest_raw_p : float or None
        The smallest p-values, adjusted and not, that scores on so many datasets can give.
    adjustment : str or None
        How p was adjusted and for how many pairs; None where it was not.
    expected : (better, equivalent, worse) or None
        Expected shares of new datasets, where P is about which of them is the largest.
    direction : float
        The sign of the frequentist effect: positive favours A.
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
    raw_p: float
    alpha: float
    threshold: float
    rope: Rope
    direction: float = 0.0
    corrected_p: float | None = None
    smallest_p: float | None = None
    smallest_raw_p: float | None = None
    adjustment: str | None = None
    expected: tuple[float, float, float] | None = None
    n: int = 0

    @property
    def significant(self) -> bool:
        return self.p <= self.alpha

    @property
    def decided(self) -> bool:
        return self.decision in (Decision.A_BETTER, Decision.B_BETTER)

    @property
    def a_leads(self) -> bool:
        return self.p_better >= self.p_worse

    @property
    def leader(self) -> str:
        """The model that is more probably better."""
        return self.a if self.a_leads else self.b

    @property
    def other(self) -> str:
        return self.b if self.a_leads else self.a

    @property
    def p_leader(self) -> float:
        return max(self.p_better, self.p_worse)

    @property
    def claim(self) -> str:
        """What the posterior says of the leader, by what P is a probability of."""
        p = self.show(self.p_leader)
        if self.expected is not None:
            share = self.expected[0 if self.a_leads else 2]
            return f"{self.leader} better is the most probable outcome (P = {p}; expected share {share:.2f})"
        return f"{self.leader} is {'better' if self.decided else 'probably better'} (P = {p})"

    @property
    def p_text(self) -> str:
        text = p_value(self.p, self.alpha)
        return text if self.adjustment is None else f"adjusted {text}"

    def show(self, p: float) -> str:
        """A probability, on its side of the threshold."""
        return probability(p, self.mcse, self.threshold)


def agreement(v: Verdicts) -> tuple[str, str]:
    """The kind of (dis)agreement, and a sentence about it.

    Kinds: agree, correction missing, mean and majority differ, opposite directions, significant but equivalent, rope
    wider than the effect, significant but undecided, too few datasets, lost by the adjustment, decided but not
    significant, probable but not significant.
    """
    if v.corrected_p is not None and v.significant and v.corrected_p > v.alpha:
        return "correction missing", (
            f"significant ({v.p_text}) only because overlapping folds are taken for independent: corrected "
            f"{p_value(v.corrected_p, v.alpha)}"
        )
    if v.estimate and v.p_leader >= PROBABLE and (v.estimate > 0) != v.a_leads:
        return "mean and majority differ", (
            f"{v.claim}, yet {v.other} is ahead by the mean ({abs(v.estimate):.2g}): a few datasets differ much more "
            "than the others"
        )
    return _significant(v) if v.significant else _not_significant(v)


def _not_significant(v: Verdicts) -> tuple[str, str]:
    if v.p_leader >= PROBABLE or v.decided:
        for smallest, over in ((v.smallest_raw_p, ""), (v.smallest_p, f" with {v.adjustment}")):
            if smallest is not None and smallest > v.alpha:
                return "too few datasets", (
                    f"on {v.n} datasets p cannot be below {smallest:.2g}{over}, whatever the scores; {v.claim}"
                )
        if v.raw_p <= v.alpha:
            return "lost by the adjustment", (
                f"{p_value(v.raw_p, v.alpha)} alone, {v.p_text} ({v.adjustment}); {v.claim}"
            )
        kind = "decided but not significant" if v.decided else "probable but not significant"
        return kind, f"not significant ({v.p_text}), {'yet' if v.decided else 'but'} {v.claim}"
    if v.decision is Decision.EQUIVALENT:
        return "agree", f"practically equivalent (P = {v.show(v.p_equivalent)}); a large p cannot say so"
    return "agree", "neither decides"


def _significant(v: Verdicts) -> tuple[str, str]:
    favoured = v.a if v.direction > 0 else v.b
    if v.direction and v.p_leader >= PROBABLE and favoured != v.leader:
        return "opposite directions", (
            f"significant ({v.p_text}) in favour of {favoured}, yet {v.claim}: the tests weigh the datasets differently"
        )
    if v.decided:
        return "agree", f"both: {v.leader} better"
    inside = v.estimate is not None and v.rope.low <= v.estimate <= v.rope.high and not v.rope.is_zero
    equivalent = v.show(v.p_equivalent)
    if v.decision is Decision.EQUIVALENT:
        if inside or (v.estimate is None and (v.expected is None or v.expected[1] > 0.9)):
            return "significant but equivalent", (
                f"significant ({v.p_text}) but practically equivalent (P = {equivalent}): a real difference, smaller "
                "than the rope"
            )
        share = "" if v.expected is None else f", expected share {v.expected[1]:.2f}"
        return "significant but equivalent", (
            f"significant ({v.p_text}), yet equivalence is the most probable outcome (P = {equivalent}{share}): the "
            "other datasets decide the test"
        )
    if inside:
        return "rope wider than the effect", (
            f"significant ({v.p_text}), but the estimated difference {v.estimate:.2g} lies inside the rope: "
            f"P(equivalent) = {equivalent}"
        )
    beyond = "" if v.rope.is_zero else " by more than the rope"
    return "significant but undecided", (
        f"significant ({v.p_text}) in favour of {favoured}, but {v.leader} better{beyond} has only "
        f"P = {v.show(v.p_leader)}"
    )
