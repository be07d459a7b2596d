"""Both schools' results for one pair of models, as one value."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from bayescmp import notebook, sentences
from bayescmp.bayes.posterior import Posterior
from bayescmp.frequentist import TestResult
from bayescmp.rope import Decision, Rope
from bayescmp.text import visible, visible_lines
from bayescmp.values import Value


@dataclass(frozen=True, kw_only=True, eq=False)
class Standard(Value):
    """What a pair is judged by.

    Attributes
    ----------
    threshold, alpha : float
        The probability that decides, and the level of the p-values.
    pairs : int
        The number of pairs that were compared.
    switching_cost : float
        What the better model must gain on average to be worth it.
    corrected_p : float or None
        The p-value with the correction for overlapping training sets, where the test that was run has none.
    least_p, least_adjusted_p : float or None
        The smallest p-values, alone and adjusted, that scores on so many datasets can give.
    """

    threshold: float = 0.95
    alpha: float = 0.05
    pairs: int = 1
    switching_cost: float = 0.0
    corrected_p: float | None = None
    least_p: float | None = None
    least_adjusted_p: float | None = None


@dataclass(frozen=True, eq=False)
class Verdict(Value):
    """The decision of a pair in words, the kind of agreement of both schools, and a sentence about it."""

    decision: str
    kind: str
    agreement: str

    @property
    def differ(self) -> bool:
        """Whether the decisions of the two schools differ."""
        return self.kind not in sentences.SAME


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PairResult(Value):
    """Every result of one pair: the posterior, the test, and what they come to.

    Attributes
    ----------
    posterior : Posterior
    test : TestResult
        With the adjusted p-value, where there are many pairs.
    standard : Standard
        What the pair is judged by.

    See Also
    --------
    Comparison : has one per pair, in `pairs` and by `pair(a, b)`.

    Examples
    --------
    >>> import bayescmp as bc
    >>> pair = bc.compare(bc.load_labour(), rope=0.01).pair("SVM", "DT")
    >>> pair.verdict.decision, round(pair.posterior.p_better, 2), round(pair.test.p_value, 2)
    ('undecided', 0.94, 0.08)
    """

    posterior: Posterior
    test: TestResult
    standard: Standard

    @property
    def a(self) -> str:
        """The first model."""
        return self.posterior.a

    @property
    def b(self) -> str:
        """The second model."""
        return self.posterior.b

    # ---- what is decided

    @property
    def p(self) -> float:
        """The p-value that is compared with alpha: adjusted, where there are many pairs."""
        return self.test.p_value if self.test.p_adjusted is None else self.test.p_adjusted

    @property
    def adjustment(self) -> str | None:
        """How p was adjusted; None where it was not."""
        how = self.test.adjustment
        return None if self.standard.pairs < 2 or how == "none" else how

    @property
    def significant(self) -> bool:
        """Whether the frequentist test rejects."""
        return self.p <= self.standard.alpha

    @cached_property
    def decision(self) -> Decision:
        """The outcome whose posterior probability reaches the threshold."""
        return self.posterior.decision(self.standard.threshold)

    @property
    def decided(self) -> bool:
        """Whether one model is decided to be better."""
        return self.decision in (Decision.A_BETTER, Decision.B_BETTER)

    @property
    def hdi_decision(self) -> Decision | None:
        """Better or worse where the whole 95 % HDI is beyond the rope, equivalent where inside; None without one."""
        if self.posterior.mean is None:
            return None
        return by_hdi(*self.posterior.hdi(), self.posterior.rope)

    def quantities(self) -> dict[str, str | None]:
        """The decision of each rule in words, by the quantity that it is about."""
        mean, loss = self.hdi_decision, self.loss_decision
        of = "mean_by_probability" if self.posterior.expected is None else "outcome_by_probability"
        return {
            of: self.verdict.decision,
            "mean_by_hdi": None if mean is None else mean.words(self.a, self.b),
            "loss": None if loss is None else self._take(loss),
        }

    def _take(self, decision: Decision) -> str:
        names = {Decision.A_BETTER: self.a, Decision.B_BETTER: self.b}
        return f"take {names[decision]}" if decision in names else "keep yours"

    @property
    def loss_decision(self) -> Decision | None:
        """The model whose expected shortfall is smaller by more than the switching cost; undecided: keep yours."""
        if self.posterior.losses is None:
            return None
        gain = self.posterior.losses[1] - self.posterior.losses[0]
        if abs(gain) <= self.standard.switching_cost:
            return Decision.UNDECIDED
        return Decision.A_BETTER if gain > 0 else Decision.B_BETTER

    @cached_property
    def verdict(self) -> Verdict:
        """The decision, and where the two schools differ."""
        return Verdict(sentences.decision_words(self.posterior, self.decision), *sentences.agreement(self))

    # ---- other views

    def swap(self) -> "PairResult":
        """B over A."""
        return replace(self, posterior=self.posterior.swap(), test=self.test.swap())

    def with_posterior(self, posterior: Posterior) -> "PairResult":
        """The same pair by another posterior of it, such as that with another rope."""
        return self._copy(posterior=posterior)

    # ---- for people and programs

    @property
    def three_sentences(self) -> tuple[str, str, str]:
        """The posterior, the test, and where the schools differ (empty where they agree), the leading model first."""
        verdict, shown = self.verdict, self.swap() if sentences.is_behind(self.posterior) else self
        test = shown.test
        differ = "" if not verdict.differ else visible(f"The two schools differ: {verdict.agreement}.", keep="")
        alone = replace(test, p_adjusted=None, adjustment=None) if self.adjustment is None else test
        return shown.posterior.sentence(self.standard.threshold), alone.sentence(self.standard.alpha), differ

    def sentence(self) -> str:
        """The pair in two or three sentences."""
        return " ".join(filter(None, self.three_sentences))

    def row(self) -> dict[str, Any]:
        """The pair as one flat row: the posterior, the test, and where the two differ."""
        posterior, test = self.posterior.row(), self.test.row()
        names = {"n": "n_test", "method": "test_method"}
        shared = ("a", "b", "metric", "dataset")
        return {
            **posterior,
            "decision": self.verdict.decision,
            **{names.get(key, key): value for key, value in test.items() if key not in shared},
            "agreement_kind": self.verdict.kind,
            "agreement": self.verdict.agreement,
        }

    def _repr_html_(self) -> str:
        """What a notebook shows: the decision, then both schools."""
        notes = [f"The two schools differ: {self.verdict.agreement}."] if self.verdict.differ else []
        answer = f"{self.a} vs {self.b}, at {self.standard.threshold:g}: {self.verdict.decision}"
        return notebook.page(
            visible(answer), self.posterior._repr_html_(), self.test._repr_html_(), notes=notes, bold=True
        )

    def __repr__(self) -> str:
        lines = [f"  decision at {self.standard.threshold:g}: {self.verdict.decision}"]
        lines += [f"  the two schools differ: {self.verdict.agreement}"] if self.verdict.differ else []
        return "\n".join([str(self.posterior), str(self.test), visible_lines(lines)])


def by_hdi(low: float, high: float, rope: Rope) -> Decision:
    """The decision by an HDI against the rope."""
    if low > rope.high:
        return Decision.A_BETTER
    if high < rope.low:
        return Decision.B_BETTER
    inside = rope.low <= low and high <= rope.high and not rope.is_zero
    return Decision.EQUIVALENT if inside else Decision.UNDECIDED
