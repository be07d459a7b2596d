"""A test for every pair of models, all at once, with adjusted p-values: Wilcoxon over datasets, t over folds."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.checks import check_alternative, check_switch, is_one_of
from bayescmp.errors import (
    MALFORMED,
    DegenerateWarning,
    MissingWarning,
    ResamplingError,
    ScoresError,
    name_list,
    unknown_name,
    warn,
)
from bayescmp.frequentist.adjust import LOGICAL, adjust_p_values, check_adjustment
from bayescmp.frequentist.effect_sizes import dz_core, rank_biserial_core
from bayescmp.frequentist.rank_tests import check_options, wilcoxon_name, wilcoxon_p
from bayescmp.frequentist.result import EffectSize, TestResult, read_infinity, spell_infinity
from bayescmp.frequentist.t_tests import corrected_name, overlap_notes
from bayescmp.numerics.ranks import signed_ranks
from bayescmp.numerics.student import student_p, student_parameters
from bayescmp.scores.blocks import as_blocks, as_scores, check_same_folds
from bayescmp.scores.pair import rounding_of
from bayescmp.scores.resampling import WAYS_TO_GIVE
from bayescmp.scores.table import Scores
from bayescmp.text import counted, plain, versions

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

Ints = NDArray[np.int_]

PAIRS_AT_A_TIME = 128

MOST_ROWS = 10

SIGNED_STATISTICS = ("z", "t", "q")


def pairwise_wilcoxon_test(
    scores: Any,
    *,
    adjust: str = "holm",
    control: str | None = None,
    alternative: str = "two-sided",
    zero_method: str = "wilcox",
    method: str = "auto",
    correction: bool = False,
    higher_is_better: bool | None = None,
) -> "PairwiseTests":
    """The Wilcoxon signed-rank test of every pair of models, all at once, with adjusted p-values.

    Unlike Nemenyi's test, the verdict on a pair does not depend on the other models but for the adjustment (Benavoli
    et al. 2016). Each pair is compared on the datasets where both models were run.

    Parameters
    ----------
    scores : Scores, mapping of model to scores, DataFrame (a column a model), or array (datasets x models)
    adjust : str
        "none", "bonferroni", "holm", "hochberg", "hommel", "finner", "bh", "by", and for all pairs "shaffer" or
        "bergmann-hommel" (up to 9 models).
    control : str, optional
        Compare this model with every other one, instead of all pairs.
    alternative, zero_method, method, correction
        As in `wilcoxon_test`.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.

    See Also
    --------
    wilcoxon_test : one pair.
    adjust_p_values, nemenyi_test

    References
    ----------
    Benavoli, Corani, Mangili (2016). Should we really use post-hoc tests based on mean-ranks? JMLR 17. Garcia, Herrera
    (2008). JMLR 9.

    Examples
    --------
    >>> import bayescmp as bc
    >>> tests = bc.frequentist.pairwise_wilcoxon_test(bc.load_domains())
    >>> round(tests.result("A", "B").p_adjusted, 4)
    0.0059
    """
    check_switch("correction", correction)
    check_options(alternative, zero_method, method)
    _check_family(adjust, control)
    table = as_scores(scores, "datasets", higher_is_better)
    if len(table.models) < 2:
        raise ScoresError(f"Pairs need at least 2 models, got {name_list(table.models)}.")
    i, j = pairs_of(table.models, control)
    means, sizes = _means(table)
    columns = [
        _wilcoxon_of(table, means, sizes, i[part], j[part], alternative, zero_method, method, correction)
        for part in _parts(len(i))
    ]
    plus, minus, n, p, exact, gap, r, low, high = (np.concatenate(c) for c in zip(*columns, strict=True))
    two_sided = alternative == "two-sided"
    notes: tuple[str, ...] = ()
    names = {is_exact: wilcoxon_name(is_exact, zero_method, correction) for is_exact in (True, False)}
    mixed = bool(exact.any() and not exact.all())
    if mixed:
        notes = (f"exact for {int(exact.sum())} of {len(i)} pairs, asymptotic for those with more datasets",)
    pairs = pair_names(table.models, i, j)
    ran = table.counts > 0
    datasets: tuple[tuple[str, ...], ...] = ()
    if not ran.all():
        notes = (*notes, "not all models ran on every dataset: each pair is compared on the datasets of both")
        both = (ran[i] & ran[j]).tolist()
        datasets = tuple(tuple(compress(table.datasets, on)) for on in both)
    notes = (*notes, *_without_variation(pairs, plus + minus == 0, "all differences are 0"))
    return PairwiseTests(
        method=f"Wilcoxon signed-rank test, exact or asymptotic by pair, zeros: {zero_method}"
        if mixed
        else names[bool(exact.all())],
        methods=tuple(names[is_exact] for is_exact in exact.tolist()) if mixed else (),
        models=table.models,
        pairs=pairs,
        statistic_name="T" if two_sided else "W+",
        statistic=floats(np.minimum(plus, minus) if two_sided else plus),
        statistic_swapped=() if two_sided else floats(minus),
        p_value=floats(p),
        p_adjusted=floats(adjust_p_values(p, adjust, all_pairs=control is None)),
        adjustment=adjust,
        alternative=alternative,
        estimate=floats(gap),
        estimate_name="mean difference",
        n=tuple(n.tolist()),
        effect_name="rank-biserial r",
        effect=floats(r),
        effect_interval=tuple(zip(low.tolist(), high.tolist(), strict=True)),
        control=control,
        notes=notes,
        metric=table.metric,
        higher_is_better=table.higher_is_better,
        scale=table.scale,
        datasets=table.datasets,
        pair_datasets=datasets,
    )


def pairwise_ttest(
    scores: Any,
    *,
    corrected: bool = True,
    adjust: str = "holm",
    control: str | None = None,
    alternative: str = "two-sided",
    dataset: str | None = None,
    higher_is_better: bool | None = None,
) -> "PairwiseTests":
    """The t-test of every pair of models on the folds of one dataset, with adjusted p-values.

    Parameters
    ----------
    scores : Scores, mapping of model to scores, DataFrame (a column a model), or array (folds x models)
    corrected : bool
        Whether to correct for overlapping training sets, as `corrected_ttest` does; the design must be known.
    adjust, control
        As in `pairwise_wilcoxon_test`.
    alternative : "two-sided", "greater" (A better) or "less"
    dataset : str
        Which dataset, where there are more than one.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.

    See Also
    --------
    corrected_ttest : one pair.
    adjust_p_values

    Examples
    --------
    >>> import bayescmp as bc
    >>> tests = bc.frequentist.pairwise_ttest(bc.load_labour())
    >>> round(tests.result("SVM", "DT").p_value, 3), round(tests.result("SVM", "DT").p_adjusted, 3)
    (0.076, 0.229)
    """
    check_switch("corrected", corrected)
    check_alternative(alternative)
    _check_family(adjust, control)
    table = as_blocks(
        scores,
        test="pairwise_ttest",
        blocks_are="folds",
        dataset=dataset,
        higher_is_better=higher_is_better,
        relative=True,
    )
    design = table.resampling if isinstance(scores, Scores) else None
    if corrected and design is None:
        raise ResamplingError(
            "`pairwise_ttest` must know how the scores were resampled, but it was not said. " + WAYS_TO_GIVE
        )
    rho = design.rho if corrected and design is not None else 0.0
    i, j = pairs_of(table.models, control)
    x = table.oriented.T
    rounding = rounding_of(np.maximum(*(np.abs(x[m]).max(axis=1) for m in (i, j))), table.scale)
    gap = x[i] - x[j]
    if table.scale == "relative":
        middle = np.abs(x[i] + x[j]).mean(axis=1) / 2
        gap, rounding = gap / middle[:, None], rounding / middle
    mean, scale, df = student_parameters(gap, rho, rounding)
    t, p = student_p(mean, scale, df, alternative, rounding)
    d, low, high = dz_core(gap, rho, 0.95, rounding)
    n = len(table.blocks)
    pairs = pair_names(table.models, i, j)
    notes = () if corrected else overlap_notes(design, n)
    notes = (*notes, *_without_variation(pairs, scale == 0, "all differences are equal"))
    return PairwiseTests(
        **table.about(),
        method=corrected_name(rho) if corrected else "paired t-test",
        pairs=pairs,
        statistic_name="t",
        statistic=floats(t),
        p_value=floats(p),
        p_adjusted=floats(adjust_p_values(p, adjust, all_pairs=control is None)),
        adjustment=adjust,
        alternative=alternative,
        estimate=floats(mean),
        estimate_name="mean difference",
        n=(n,) * len(i),
        df=float(n - 1),
        effect_name="d_z",
        effect=floats(d),
        effect_interval=tuple(zip(low.tolist(), high.tolist(), strict=True)),
        control=control,
        notes=notes,
        details={"rho": rho},
    )


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


# ---- the steps


def _mirrored(alternative: str) -> str:
    return {"greater": "less", "less": "greater"}.get(alternative, alternative)


def _check_family(adjust: str, control: str | None) -> None:
    check_adjustment(adjust)
    if control is not None and adjust in LOGICAL:
        raise ValueError(f'"{adjust}" is for all pairs of models; with a control use "holm" or "finner".')


def _means(scores: Scores) -> tuple[Floats, Floats]:
    """Mean score and largest absolute score of each model on each dataset; NaN where it was not run."""
    check_same_folds(scores)
    ran = scores.counts > 0
    if not ran.all():
        both = (ran[:, None] & ran[None]).sum(axis=2)
        if (both == 0).any():
            a, b = np.argwhere(both == 0)[0]
            raise ScoresError(
                f'There is no dataset on which both "{scores.models[a]}" and "{scores.models[b]}" were run. Score them '
                "on the same datasets."
            )
        absent = [m for m, on in zip(scores.models, ran, strict=True) if not on.all()]
        warn(
            f"{name_list(absent)} did not run on every dataset: each pair is compared on the datasets of both.",
            MissingWarning,
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the mean of no score is NaN, as wanted
        return np.nanmean(scores.values, axis=2), np.nanmax(np.abs(scores.values), axis=2)


def _parts(m: int) -> list[slice]:
    return [slice(start, start + PAIRS_AT_A_TIME) for start in range(0, m, PAIRS_AT_A_TIME)]


def _wilcoxon_of(
    table: Scores,
    means: Floats,
    sizes: Floats,
    i: Ints,
    j: Ints,
    alternative: str,
    zero_method: str,
    method: str,
    correction: bool,
) -> tuple[Any, ...]:
    """What is to be known of these pairs, from the mean scores (models x datasets)."""
    gap = means[i] - means[j]
    size = np.maximum(sizes[i], sizes[j])
    if table.scale == "relative":
        middle = (means[i] + means[j]) / 2
        gap, size = gap / middle, size / np.abs(middle)
    if not table.higher_is_better:
        gap = -gap
    ranks = signed_ranks(gap, rounding_of(size, table.scale), zero_method)
    p, exact = wilcoxon_p(ranks, alternative, method, correction)
    n = (~np.isnan(gap)).sum(axis=1)
    return (ranks.plus, ranks.minus, ranks.n, p, exact, np.nansum(gap, axis=1) / n, *rank_biserial_core(ranks, 0.95))


def _without_variation(pairs: tuple[tuple[str, str], ...], flat: NDArray[np.bool_], what: str) -> tuple[str, ...]:
    if not flat.any():
        return ()
    names = [f"{a} vs {b}" for (a, b), is_flat in zip(pairs, flat, strict=True) if is_flat]
    note = f"{what}: {', '.join(names[:5])}" + (f" and {len(names) - 5} more pairs" if len(names) > 5 else "")
    warn(f"{note}: the answer rests on no variation.", DegenerateWarning)
    return (note,)


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
