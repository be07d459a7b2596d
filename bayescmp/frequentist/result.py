"""The result of a frequentist test: a value that records how it was made, prints on one screen and survives JSON."""

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bayescmp import notebook
from bayescmp.checks import check_count, check_level, check_p_values
from bayescmp.frequentist.intervals import IntervalRule
from bayescmp.rope import Rope
from bayescmp.scores.metrics import with_direction
from bayescmp.scores.pair import check_scale
from bayescmp.sentences import in_percent
from bayescmp.text import (
    IN_PERCENT,
    about_row,
    number,
    p_value,
    ratio_percent,
    statistic,
    unit_number,
    versions,
    visible,
    visible_lines,
)
from bayescmp.values import Value

if TYPE_CHECKING:
    import pandas as pd

SIGNED_STATISTICS = ("t", "z", "q")
"""Statistics that change their sign where A and B change places."""
SIDES = {"w_plus": "w_minus", "wins": "losses", "only_a": "only_b", "n_a": "n_b", "p_below": "p_above"}
"""Details of A's side, and the same of B's."""
OTHER_SIDE = SIDES | {b: a for a, b in SIDES.items()}
MIRRORED = {"greater": "less", "less": "greater"}
"""An alternative, and what it is where A and B change places."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EffectSize(Value):
    """How large a difference is, apart from how sure we are of it.

    Attributes
    ----------
    name, value
    interval : (low, high) or None
        None where no interval exists.
    confidence_level : float
        Level of the interval.
    method : str
        Whatever changes the number: ddof, how the interval was made.
    thresholds : dict
        The conventional "small", "medium", "large"; no label is given unless asked for with `label()`.

    See Also
    --------
    cohens_d, rank_biserial, cliffs_delta

    Examples
    --------
    >>> from bayescmp.frequentist import cohens_d
    >>> cohens_d([0.90, 0.85, 0.88, 0.91], [0.85, 0.84, 0.83, 0.86]).label()
    'large'
    """

    name: str
    value: float
    interval: tuple[float, float] | None = None
    confidence_level: float = 0.95
    method: str = ""
    thresholds: dict[str, float] = field(default_factory=dict)

    def label(self) -> str:
        """The conventional word for an effect of this size; conventions are not facts about your problem."""
        if not self.thresholds:
            raise ValueError(f"There is no convention for the {self.name}: judge it against your rope.")
        reached = [name for name, least in self.thresholds.items() if abs(self.value) >= least]
        return reached[-1] if reached else "negligible"

    def __str__(self) -> str:
        width = math.inf if self.interval is None else self.interval[1] - self.interval[0]
        value, *bounds = (
            number(x, width) if self.name == "mean difference" else unit_number(x)
            for x in (self.value, *(self.interval or ()))
        )
        if not bounds:
            return f"{self.name} = {value}"
        return f"{self.name} = {value}, {100 * self.confidence_level:g}% CI [{bounds[0]}, {bounds[1]}]"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TestResult(Value):
    """The outcome of a frequentist test, with everything that changed its numbers.

    Attributes
    ----------
    method : str
        The test with every option that changes its number.
    models : tuple of str
        What was compared; `a` and `b` where it was two.
    statistic, statistic_name, p_value
    statistic_swapped : float or None
        The statistic of B against A, where that is more than the change of sign of a t, z or q.
    df : float, tuple or None
    alternative : "two-sided", "greater" (A better), "less" (B better) or "equivalence"
    n : int
        The number of observations that were used.
    estimate, estimate_name
        The difference A - B, oriented: positive favours A.
    effect_size : EffectSize or None
    notes : tuple of str
        Assumptions that do not hold, small samples, degenerate data.
    p_adjusted, adjustment
        Where the test is one of a family.
    details : dict
        Further numbers: rank sums, mean ranks, counts, the ANOVA table.

    See Also
    --------
    PairwiseTests : a family of tests.
    bayescmp.bayes.Posterior : the Bayesian sibling.

    Examples
    --------
    >>> import bayescmp as bc
    >>> t = bc.frequentist.corrected_ttest(bc.load_labour().pair("SVM", "DT"))
    >>> round(t.p_value, 3), t.df
    (0.076, 99.0)
    """

    __test__ = False  # not a test case, whatever pytest thinks of its name

    method: str
    models: tuple[str, ...]
    statistic: float
    statistic_name: str
    p_value: float
    n: int
    df: float | tuple[float, ...] | None = None
    alternative: str = "two-sided"
    estimate: float | None = None
    estimate_name: str = "mean difference"
    effect_size: EffectSize | None = None
    notes: tuple[str, ...] = ()
    metric: str | None = None
    higher_is_better: bool = True
    scale: str = "score"
    datasets: tuple[str, ...] = ()
    p_adjusted: float | None = None
    adjustment: str | None = None
    interval: IntervalRule | None = None
    statistic_swapped: float | None = None
    confidence_level: float = 0.95
    random_seed: int | None = None
    details: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=versions)

    def __post_init__(self) -> None:
        check_count("n", self.n, 0)
        check_scale(self.scale)
        check_p_values("p_value", (self.p_value,))
        check_p_values("p_adjusted", () if self.p_adjusted is None else (self.p_adjusted,))

    @property
    def a(self) -> str | None:
        """The first of two models; None where more were compared."""
        return self.models[0] if len(self.models) == 2 else None

    @property
    def b(self) -> str | None:
        """The second of two models; None where more were compared."""
        return self.models[1] if len(self.models) == 2 else None

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[float, float]:
        """The interval of the estimate, one-sided for one-sided tests.

        The `confidence_level` is 95 % by default, 90 % for TOST.
        """
        level = self.confidence_level if confidence_level is None else check_level(confidence_level)
        if self.interval is None:
            raise ValueError(
                f"The {self.method} has no confidence interval. Use corrected_ttest or wilcoxon_test for one, or "
                "bootstrap_interval."
            )
        return self.interval.at(level, self.alternative)

    def table(self) -> "pd.DataFrame":
        """The table that belongs to the test (ANOVA)."""
        from bayescmp.needs import pandas as pd

        if "table" not in self.details:
            raise ValueError(f"The {self.method} has no table. `to_frame()` gives its result as one row.")
        return pd.DataFrame(self.details["table"])

    def to_frame(self) -> "pd.DataFrame":
        """One row, with the columns of `row()`."""
        from bayescmp.needs import pandas as pd

        return pd.DataFrame([self.row()])

    def row(self) -> dict[str, Any]:
        """The numbers as one row of a table; None where the test has none."""
        low, high = self.confidence_interval() if self.interval else (None, None)
        effect = self.effect_size
        effect_low, effect_high = effect.interval if effect and effect.interval else (None, None)
        return {
            **about_row(self),
            "statistic_name": self.statistic_name,
            "statistic": self.statistic,
            "df": self.df,
            "p_value": self.p_value,
            "p_adjusted": self.p_adjusted,
            "alternative": self.alternative,
            "estimate": self.estimate,
            "estimate_name": self.estimate_name if self.estimate is not None else None,
            "ci_low": low,
            "ci_high": high,
            "effect_name": effect.name if effect else None,
            "effect_size": effect.value if effect else None,
            "effect_low": effect_low,
            "effect_high": effect_high,
        }

    def swap(self) -> "TestResult":
        """The same test with A and B in each other's place; the notes stay as they are."""
        if len(self.models) != 2 or self.estimate is None:
            raise ValueError(
                f"Only a test of two models with an estimate of A - B can be swapped, not the {self.method} of "
                f"{len(self.models)} models."
            )
        turned = -self.statistic + 0.0 if self.statistic_name in SIGNED_STATISTICS else self.statistic
        details = {OTHER_SIDE.get(name, name): x for name, x in self.details.items()}
        if "odds_ratio" in details:
            details["odds_ratio"] = details["only_a"] / details["only_b"] if details["only_b"] else math.inf
        if "r_of_z" in details:
            details["r_of_z"] = 0.0 - details["r_of_z"]
        method = self.method
        if "rope" in details:
            rope = Rope(*details["rope"])
            method = method.replace(str(rope), str(rope.swap()))
            details["rope"] = [rope.swap().low, rope.swap().high]
        return replace(
            self,
            method=method,
            models=self.models[::-1],
            statistic=turned if self.statistic_swapped is None else self.statistic_swapped,
            statistic_swapped=None if self.statistic_swapped is None else self.statistic,
            alternative=MIRRORED.get(self.alternative, self.alternative),
            estimate=0.0 - self.estimate,
            interval=self.interval.swap() if self.interval else None,
            effect_size=_opposite(self.effect_size) if self.effect_size else None,
            details=details,
        )

    def sentence(self, alpha: float | None = None) -> str:
        """The result as a paper would print it; with `alpha`, p-values keep the digits that show their side of it."""
        parts = [self.method, self._statistic_text()]
        if not self._df_text():
            parts.append(f"n = {self.n}")
        parts.append(p_value(self.p_value, alpha))
        if self._is_adjusted and self.p_adjusted is not None:
            parts.append(f"{self.adjustment}-adjusted {p_value(self.p_adjusted, alpha)}")
        if self._one_sided:
            parts.append("one-sided")
        if self.effect_size is not None:
            parts.append(str(self.effect_size))
        text = ", ".join(parts)
        if self.estimate is not None:
            text += f"; {self._estimate_text()}"
        return visible(f"{self._subject()}: {text}.", keep="")

    def __repr__(self) -> str:
        what = with_direction(self.metric, self.higher_is_better, self.scale)
        first = f"{self._subject()}, {what}, {self.method} (n={self.n})"
        side = f" ({self._alternative_text()})" if self._one_sided else ""
        second = f"  {self._statistic_text()}   p = {_digits(self.p_value)}{side}"
        if self._is_adjusted and self.p_adjusted is not None:
            second += f"   {self.adjustment}-adjusted p = {_digits(self.p_adjusted)}"
        lines = [f"TestResult: {first}", second]
        if self.estimate is not None:
            lines.append(f"  {self._estimate_text()}")
        if self.effect_size is not None:
            lines.append(f"  {self.effect_size}")
        if "mean_ranks" in self.details:
            ranks = sorted(self.details["mean_ranks"].items(), key=lambda item: item[1])
            shown = ", ".join(f"{m} {r:.2f}" for m, r in ranks[:8])
            lines.append(f"  mean ranks: {shown}" + (f" and {len(ranks) - 8} more" if len(ranks) > 8 else ""))
        return visible_lines(lines + [f"  note: {note}" for note in self.notes])

    def _repr_html_(self) -> str:
        """What a notebook shows: the sentence, and the numbers in a table."""
        rows = [(self.statistic_name or "statistic", self._statistic_text()), ("p-value", _digits(self.p_value))]
        if self._is_adjusted and self.p_adjusted is not None:
            rows.append((f"{self.adjustment}-adjusted", _digits(self.p_adjusted)))
        if self.estimate is not None:
            rows.append(("estimate", self._estimate_text()))
        if self.effect_size is not None:
            rows.append(("effect size", str(self.effect_size)))
        return notebook.page(self.sentence(), notebook.table(("", ""), rows, "ll"), notes=self.notes)

    def _subject(self) -> str:
        if len(self.models) == 2:
            return f"{self.a} vs {self.b}"
        return self.models[0] if len(self.models) == 1 else f"{len(self.models)} models"

    @property
    def _is_adjusted(self) -> bool:
        return self.p_adjusted is not None and self.adjustment not in (None, "none")

    @property
    def _one_sided(self) -> bool:
        return self.alternative in ("greater", "less")

    def _alternative_text(self) -> str:
        better = self.a if self.alternative == "greater" else self.b
        return f"one-sided, {better} better" if better else f"one-sided, {self.alternative}"

    def _df_text(self) -> str:
        if self.df is None:
            return ""
        each = self.df if isinstance(self.df, tuple) else (self.df,)
        return f"({', '.join(map(statistic, each))})"

    def _statistic_text(self) -> str:
        return f"{self.statistic_name}{self._df_text()} = {statistic(self.statistic)}"

    def _estimate_text(self) -> str:
        assert self.estimate is not None
        ratios = self.scale in IN_PERCENT and len(self.models) == 2
        if self.interval is None:
            shown = f"{ratio_percent(self.estimate, self.scale, self.higher_is_better):.4g} %" if ratios else None
            return f"{self.estimate_name} {shown or f'{self.estimate:.4g}'}"
        low, high = self.confidence_interval()
        width = high - low
        level = f"{100 * self.confidence_level:g}% CI"
        if ratios:
            return in_percent(self, self.estimate, (low, high), self.estimate_name or "", level)
        bounds = f"[{number(low, width)}, {number(high, width)}]"
        return f"{self.estimate_name} {number(self.estimate, width)}, {level} {bounds}"


def _digits(p: float) -> str:
    return f"{p:.3f}" if p >= 0.0005 else f"{p:.2g}"


def _opposite(effect: EffectSize) -> EffectSize:
    """The effect of B over A; 0.0 - x, so that no -0.0 is shown."""
    bounds = effect.interval and (0.0 - effect.interval[1], 0.0 - effect.interval[0])
    return replace(effect, value=0.0 - effect.value, interval=bounds)
