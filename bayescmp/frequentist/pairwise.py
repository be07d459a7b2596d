"""The results of a family of tests: all pairs of models, or one control against the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.checks import is_one_of
from bayescmp.errors import MALFORMED, unknown_name
from bayescmp.frequentist.result import EffectSize, TestResult, read_infinity, spell_infinity
from bayescmp.text import counted, plain, versions

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Ints = NDArray[np.int_]
MOST_ROWS = 10
SIGNED_STATISTICS = ("z", "t", "q")


@dataclass(frozen=True, kw_only=True, repr=False)
class PairwiseTests:
    """One test for each pair, with adjusted p-values; columns are tuples in the order of `pairs`.

    Attributes
    ----------
    method, adjustment : str
    models : tuple of str
    pairs : tuple of (A, B)
    statistic, p_value, p_adjusted, estimate, n : tuple
        One for each pair; `estimate` is positive where A is better.
    effect, effect_interval : tuple
        Effect sizes where the test has one, else empty.
    statistic_swapped : tuple
        The statistic of B against A, where it is more than a change of sign; else empty.
    methods, pair_datasets : tuple
        The method and the datasets of each pair, where not all pairs have the same; else empty.
    critical_difference : float or None
        Of the estimates, where the test has one, at the level in `details`.

    See Also
    --------
    nemenyi_test, pairwise_wilcoxon_test : make one.

    Examples
    --------
    >>> import bayescmp as bc
    >>> tests = bc.frequentist.nemenyi_test(bc.load_domains())
    >>> tests.result("A", "C").models
    ('A', 'C')
    """

    method: str
    models: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    statistic_name: str
    statistic: tuple[float, ...]
    p_value: tuple[float, ...]
    p_adjusted: tuple[float, ...]
    adjustment: str
    estimate: tuple[float, ...]
    estimate_name: str
    n: tuple[int, ...]
    df: float | None = None
    alternative: str = "two-sided"
    effect_name: str | None = None
    effect: tuple[float, ...] = ()
    effect_interval: tuple[tuple[float, float], ...] = ()
    statistic_swapped: tuple[float, ...] = ()
    methods: tuple[str, ...] = ()
    pair_datasets: tuple[tuple[str, ...], ...] = ()
    control: str | None = None
    critical_difference: float | None = None
    notes: tuple[str, ...] = ()
    metric: str | None = None
    higher_is_better: bool = True
    scale: str = "score"
    datasets: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=versions)

    def __len__(self) -> int:
        return len(self.pairs)

    def result(self, a: str, b: str) -> TestResult:
        """The test of `a` and `b`, in either order."""
        for name in (a, b):
            if not is_one_of(name, self.models):
                raise unknown_name("model", name, self.models)
        places = {pair: i for i, pair in enumerate(self.pairs)}
        sign = 1
        if (a, b) not in places:
            sign = -1
        i = places.get((a, b) if sign > 0 else (b, a))
        if i is None:
            raise ValueError(f"{a} and {b} were not compared: only pairs with the control {self.control} were.")
        statistic = (sign if self.statistic_name in SIGNED_STATISTICS else 1) * self.statistic[i]
        if sign < 0 and self.statistic_swapped:
            statistic = self.statistic_swapped[i]
        effect = None
        if self.effect_name:
            low, high = self.effect_interval[i] if self.effect_interval else (None, None)
            interval = None if low is None or high is None else (low, high) if sign > 0 else (0.0 - high, 0.0 - low)
            # + 0.0, so that no -0.0 is shown
            effect = EffectSize(name=self.effect_name, value=sign * self.effect[i] + 0.0, interval=interval)
        return TestResult(
            method=self.methods[i] if self.methods else self.method,
            models=(a, b),
            statistic=statistic,
            statistic_name=self.statistic_name,
            p_value=self.p_value[i],
            p_adjusted=self.p_adjusted[i],
            adjustment=self.adjustment,
            n=self.n[i],
            df=self.df,
            alternative=_mirrored(self.alternative) if sign < 0 else self.alternative,
            estimate=sign * self.estimate[i] + 0.0,
            estimate_name=self.estimate_name,
            effect_size=effect,
            notes=self.notes,
            metric=self.metric,
            higher_is_better=self.higher_is_better,
            scale=self.scale,
            datasets=self.pair_datasets[i] if self.pair_datasets else self.datasets,
        )

    def to_frame(self) -> "pd.DataFrame":
        """One row a pair, with the columns of `TestResult.to_frame()`."""
        import pandas as pd

        m = len(self.pairs)
        intervals = self.effect_interval or ((None, None),) * m
        return pd.DataFrame(
            {
                "a": [a for a, _ in self.pairs],
                "b": [b for _, b in self.pairs],
                "metric": self.metric,
                "dataset": self.datasets[0] if len(self.datasets) == 1 else None,
                "n": self.n,
                "method": self.methods or self.method,
                "estimate": self.estimate,
                "interval_low": None,
                "interval_high": None,
                "statistic_name": self.statistic_name,
                "statistic": self.statistic,
                "df": self.df,
                "p_value": self.p_value,
                "p_adjusted": self.p_adjusted,
                "alternative": self.alternative,
                "effect_name": self.effect_name,
                "effect_size": self.effect or None,
                "effect_low": [low for low, _ in intervals],
                "effect_high": [high for _, high in intervals],
            }
        )

    def matrix(self, adjusted: bool = True) -> "pd.DataFrame":
        """p-values (`adjusted` ones), models x models; 1 on the diagonal, missing where a pair was not compared."""
        import pandas as pd

        places = {name: i for i, name in enumerate(self.models)}
        p = np.full((len(self.models), len(self.models)), np.nan)
        np.fill_diagonal(p, 1.0)
        for (a, b), value in zip(self.pairs, self.p_adjusted if adjusted else self.p_value, strict=True):
            p[places[a], places[b]] = p[places[b], places[a]] = value
        return pd.DataFrame(p, index=list(self.models), columns=list(self.models))

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """Draw tests of mean ranks (Nemenyi), and return the Axes.

        The kind is "critical_difference"; options are those of `plots.plot_critical_difference`.
        """
        from bayescmp.plots import plot_result

        return plot_result(self, kind, **options)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; `PairwiseTests.from_dict` reads it back."""
        return {f.name: spell_infinity(plain(getattr(self, f.name))) for f in fields(self)}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "PairwiseTests":
        """The result whose `to_dict` gave `data`, also after a trip through JSON."""
        try:
            values = {f.name: read_infinity(data[f.name]) for f in fields(PairwiseTests)}
        except MALFORMED as error:
            raise ValueError(f"`data` must come from a PairwiseTests' to_dict; missing: {error!r}.") from None
        values = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        for name in ("pairs", "effect_interval", "pair_datasets"):
            values[name] = tuple(map(tuple, values[name]))
        return PairwiseTests(**values)

    def __repr__(self) -> str:
        against = f" against {self.control}" if self.control else ""
        lines = [
            f"PairwiseTests: {len(self.models)} models{against}, {counted(len(self.pairs), 'pair')}, "
            f"{self.metric or 'score'}, {self.method}"
            + ("" if self.adjustment == "none" else f", {self.adjustment}-adjusted")
        ]
        order = np.argsort(self.p_adjusted, kind="stable")[:MOST_ROWS]
        names = [f"{self.pairs[i][0]} vs {self.pairs[i][1]}" for i in order]
        width = max(map(len, names))
        for name, i in zip(names, order, strict=True):
            effect = f"   {self.effect_name} {self.effect[i]:.2f}" if self.effect else ""
            adjusted = "" if self.adjustment == "none" else f"   adjusted {self.p_adjusted[i]:.3g}"
            lines.append(
                f"  {name:<{width}}   {self.estimate_name} {self.estimate[i]: .4g}   p {self.p_value[i]:.3g}"
                f"{adjusted}{effect}"
            )
        if len(self.pairs) > MOST_ROWS:
            lines.append(f"  ... {len(self.pairs) - MOST_ROWS} pairs more, by p: to_frame(), matrix()")
        if self.critical_difference is not None:
            lines.append(f"  critical difference {self.critical_difference:.4g} at {self.details['alpha']:g}")
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])


def _mirrored(alternative: str) -> str:
    return {"greater": "less", "less": "greater"}.get(alternative, alternative)


def pairs_of(models: Sequence[str], control: str | None) -> tuple[Ints, Ints]:
    """The positions of both models of every pair: all pairs, or the control with each other model."""
    if control is None:
        return all_pairs(len(models))
    if not is_one_of(control, models):
        raise unknown_name("model", control, models)
    at = list(models).index(control)
    others = np.array([i for i in range(len(models)) if i != at])
    return np.full(len(others), at), others


def all_pairs(k: int) -> tuple[Ints, Ints]:
    """The positions of both models of all pairs, in the order of `itertools.combinations`."""
    i, j = np.triu_indices(k, 1)
    return i, j


def pair_names(models: Sequence[str], i: Ints, j: Ints) -> tuple[tuple[str, str], ...]:
    """The pairs by name."""
    return tuple((models[a], models[b]) for a, b in zip(i.tolist(), j.tolist(), strict=True))


def floats(x: Floats) -> tuple[float, ...]:
    """A column as plain numbers."""
    return tuple(x.tolist())
