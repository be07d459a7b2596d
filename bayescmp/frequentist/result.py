"""The result of a frequentist test: a value that says how it was computed, prints on one screen, and survives JSON."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from bayescmp.checks import check_level
from bayescmp.errors import MALFORMED
from bayescmp.frequentist.intervals import IntervalRule, interval_rule_from_dict
from bayescmp.scores.pair import SCALES
from bayescmp.text import number, p_value, plain, statistic, unit_number, versions

if TYPE_CHECKING:
    import pandas as pd

INFINITIES = ("inf", "-inf")


@dataclass(frozen=True, kw_only=True)
class EffectSize:
    """How large a difference is, apart from how sure we are of it.

    Attributes
    ----------
    name, value
    interval : (low, high) or None
        None where no interval exists.
    confidence_level : float
        Of the interval.
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


@dataclass(frozen=True, kw_only=True, repr=False)
class TestResult:
    """What a frequentist test says, with everything that changed the number.

    Attributes
    ----------
    method : str
        The test with every option that changes its number.
    models : tuple of str
        What was compared; `a` and `b` where it was two.
    statistic, statistic_name, p_value
    df : float, tuple or None
    alternative : "two-sided", "greater" (A better), "less" (B better) or "equivalence"
    n : int
        The number of observations that were really used.
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
    confidence_level: float = 0.95
    random_seed: int | None = None
    details: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=versions)

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

        The `confidence_level` is 95 % unless said otherwise, 90 % for TOST.
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
        import pandas as pd

        if "table" not in self.details:
            raise ValueError(f"The {self.method} has no table. `to_frame()` gives its result as one row.")
        return pd.DataFrame(self.details["table"])

    def to_frame(self) -> "pd.DataFrame":
        """One row; the columns that `Posterior.to_frame()` has as well come first."""
        import pandas as pd

        return pd.DataFrame([self._row()])

    def _row(self) -> dict[str, Any]:
        low, high = self.confidence_interval() if self.interval else (None, None)
        effect = self.effect_size
        effect_low, effect_high = effect.interval if effect and effect.interval else (None, None)
        return {
            "a": self.a,
            "b": self.b,
            "metric": self.metric,
            "dataset": self.datasets[0] if len(self.datasets) == 1 else None,
            "n": self.n,
            "method": self.method,
            "estimate": self.estimate,
            "interval_low": low,
            "interval_high": high,
            "statistic_name": self.statistic_name,
            "statistic": self.statistic,
            "df": self.df,
            "p_value": self.p_value,
            "p_adjusted": self.p_adjusted,
            "alternative": self.alternative,
            "effect_name": effect.name if effect else None,
            "effect_size": effect.value if effect else None,
            "effect_low": effect_low,
            "effect_high": effect_high,
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; `TestResult.from_dict` reads it back."""
        data = {f.name: getattr(self, f.name) for f in fields(self)}
        data["effect_size"] = asdict(self.effect_size) if self.effect_size else None
        data["interval"] = self.interval.to_dict() if self.interval else None
        return {name: spell_infinity(plain(value)) for name, value in data.items()}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "TestResult":
        """The result whose `to_dict` gave `data`, also after a trip through JSON."""
        try:
            values = {f.name: read_infinity(data[f.name]) for f in fields(TestResult)}
            for name in ("models", "notes", "datasets"):
                values[name] = tuple(values[name])
            if isinstance(values["df"], list):
                values["df"] = tuple(values["df"])
            if values["effect_size"] is not None:
                effect = values["effect_size"]
                effect["interval"] = tuple(effect["interval"]) if effect["interval"] else None
                values["effect_size"] = EffectSize(**effect)
            if values["interval"] is not None:
                values["interval"] = interval_rule_from_dict(values["interval"])
            return TestResult(**values)
        except MALFORMED as error:
            raise ValueError(f"`data` must come from a TestResult's to_dict; wrong or missing: {error!r}.") from None

    def sentence(self) -> str:
        """The result as a paper would print it."""
        parts = [self.method, self._statistic_text()]
        if not self._df_text():
            parts.append(f"n = {self.n}")
        parts.append(p_value(self.p_value))
        if self.p_adjusted is not None and self.adjustment != "none":
            parts.append(f"{self.adjustment}-adjusted {p_value(self.p_adjusted)}")
        if self._one_sided:
            parts.append("one-sided")
        if self.effect_size is not None:
            parts.append(str(self.effect_size))
        text = ", ".join(parts)
        if self.estimate is not None:
            text += f"; {self._estimate_text()}"
        return f"{self._subject()}: {text}."

    def __repr__(self) -> str:
        first = f"{self._subject()}, {self.metric or 'score'}{self._scale_text()}, {self.method} (n={self.n})"
        side = f" ({self._alternative_text()})" if self._one_sided else ""
        second = f"  {self._statistic_text()}   p = {_digits(self.p_value)}{side}"
        if self.p_adjusted is not None and self.adjustment != "none":
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
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])

    def _subject(self) -> str:
        if len(self.models) == 2:
            return f"{self.a} vs {self.b}"
        return self.models[0] if len(self.models) == 1 else f"{len(self.models)} models"

    def _scale_text(self) -> str:
        return "" if self.scale == "score" else f" ({SCALES[self.scale]})"

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
        if self.interval is None:
            return f"{self.estimate_name} {self.estimate:.4g}"
        low, high = self.confidence_interval()
        width = high - low
        level = f"{100 * self.confidence_level:g}% CI"
        bounds = f"[{number(low, width)}, {number(high, width)}]"
        return f"{self.estimate_name} {number(self.estimate, width)}, {level} {bounds}"


def _digits(p: float) -> str:
    return f"{p:.3f}" if p >= 0.0005 else f"{p:.2g}"


def spell_infinity(value: Any) -> Any:
    """Infinity as a string, because JSON has none; a text that reads like one (a model's name) is marked by a \\."""
    if isinstance(value, dict):
        return {key: spell_infinity(x) for key, x in value.items()}
    if isinstance(value, list):
        return [spell_infinity(x) for x in value]
    if isinstance(value, str):
        return f"\\{value}" if value.lstrip("\\") in INFINITIES else value
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def read_infinity(value: Any) -> Any:
    """The inverse of `spell_infinity`."""
    if isinstance(value, dict):
        return {key: read_infinity(x) for key, x in value.items()}
    if isinstance(value, list):
        return [read_infinity(x) for x in value]
    if isinstance(value, str) and value.lstrip("\\") in INFINITIES:
        return value[1:] if value.startswith("\\") else float(value)
    return value
