"""A test for every pair of models, all at once, with adjusted p-values: Wilcoxon over datasets, t over folds."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.catalogue import find
from bayescmp.checks import check_alternative, check_count, check_p_values, check_pair, check_switch, is_one_of
from bayescmp.errors import (
    DegenerateWarning,
    MissingWarning,
    ScoresError,
    name_list,
    unknown_name,
    warn,
)
from bayescmp.frequentist.adjust import LOGICAL, adjust_p_values, check_adjustment
from bayescmp.frequentist.contingency import COHENS_G, ENOUGH_DISCORDANT, chi_square, mcnemar_name
from bayescmp.frequentist.effect_sizes import dz_core, dz_of, rank_biserial_core
from bayescmp.frequentist.rank_tests import (
    WIN_SHARE,
    check_options,
    sign_counts,
    sign_name,
    wilcoxon_name,
    wilcoxon_p,
    wilcoxon_result,
)
from bayescmp.frequentist.result import MIRRORED, EffectSize, TestResult
from bayescmp.frequentist.t_tests import corrected_name, overlap_notes, student_test
from bayescmp.numerics.binomial import fair_coin_p
from bayescmp.numerics.moments import mean
from bayescmp.numerics.ranks import signed_ranks
from bayescmp.numerics.student import student_p, student_parameters, student_ppf
from bayescmp.scores.inputs import (
    as_scores,
    check_same_folds,
    check_units,
    complete_table,
    many_pairs,
    right_of_models,
)
from bayescmp.scores.metrics import with_direction
from bayescmp.scores.pair import Pair, check_scale, rounding_of
from bayescmp.scores.resampling import Resampling, unknown_design
from bayescmp.scores.table import Scores
from bayescmp.text import counted, versions, visible, visible_lines
from bayescmp.values import Value

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

Ints = NDArray[np.int_]

PAIRS_AT_A_TIME = 128
"""Pairs whose arrays are small enough that memory is used again."""

MOST_ROWS = 10


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
    mixed_units: bool = False,
) -> "PairwiseTests":
    """The Wilcoxon signed-rank test of every pair of models, all at once, with adjusted p-values.

    Unlike Nemenyi's test, the verdict on a pair does not depend on the other models but for the adjustment (Benavoli
    et al. 2016). Each pair is compared on the datasets where both models were run.

    Parameters
    ----------
    scores : Scores, mapping of model to scores, DataFrame (one column per model), or array (datasets x models)
    adjust : str
        "none", "bonferroni", "holm", "hochberg", "hommel", "finner", "bh", "by", and for all pairs "shaffer" or
        "bergmann-hommel" (up to 9 models).
    control : str, optional
        Compare this model with every other one, instead of all pairs.
    alternative, zero_method, method, correction, mixed_units
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
    notes = check_units(table, "pairwise_wilcoxon_test", mixed_units)
    i, j = pairs_of(table.models, control)
    means, rounding = _means(table)
    data = WilcoxonData(means=means, rounding=rounding, zero_method=zero_method, method=method, correction=correction)
    columns = [_wilcoxon_columns(table, data, i[part], j[part], alternative) for part in _parts(len(i))]
    plus, minus, n, p, exact, gap, r, low, high = (np.concatenate(c) for c in zip(*columns, strict=True))
    two_sided = alternative == "two-sided"
    names = {is_exact: wilcoxon_name(is_exact, zero_method, correction) for is_exact in (True, False)}
    mixed = bool(exact.any() and not exact.all())
    if mixed:
        notes = (
            *notes,
            f"exact for {int(exact.sum())} of {len(i)} pairs, asymptotic for those with more datasets",
        )
    pairs = pair_names(table.models, i, j)
    if np.isnan(means).any():
        notes = (*notes, "not all models ran on every dataset: each pair is compared on the datasets of both")
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
        data=data,
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
    scores : Scores, mapping of model to scores, DataFrame (one column per model), or array (folds x models)
    corrected : bool
        Whether to correct for overlapping training sets, as `corrected_ttest` does; the design must be known.
    adjust, control
        As in `pairwise_wilcoxon_test`.
    alternative : "two-sided", "greater" (A better) or "less"
    dataset : str
        The dataset to test, where there are more than one.
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
    table = complete_table(
        scores,
        test="pairwise_ttest",
        blocks_are="folds",
        dataset=dataset,
        higher_is_better=higher_is_better,
        relative=True,
    )
    design = table.design if isinstance(scores, Scores) else None
    if corrected and design is None:
        raise unknown_design("pairwise_ttest", table.datasets)
    rho = design.rho if corrected and design is not None else 0.0
    i, j = pairs_of(table.models, control)
    x = table.oriented.T
    errors = rounding_of(table.values, table.scale).max(axis=0)
    rounding = np.maximum(errors[i], errors[j])
    gap = x[i] - x[j]
    if table.scale == "relative":
        middle = np.abs(x[i] + x[j]).mean(axis=1) / 2
        gap, rounding = gap / middle[:, None], rounding / middle
    mean, scale, df = student_parameters(gap, rho, rounding)
    t, p = student_p(mean, scale, df, alternative, rounding)
    d, low, high = dz_core(gap, rho, 0.95, rounding)
    bounds = _bounds(mean, scale, df, alternative)
    n = len(table.blocks)
    pairs = pair_names(table.models, i, j)
    notes = (*(() if corrected else overlap_notes(design, n)), *(design.notes if design is not None else ()))
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
        interval=tuple(zip(*(x.tolist() for x in bounds), strict=True)),
        control=control,
        notes=notes,
        details={"rho": rho},
        data=StudentData(scores=table.values.T.copy(), corrected=corrected, design=design),
    )


def pairwise_sign_test(scores: Scores, *, adjust: str, control: str | None) -> "PairwiseTests | None":
    """`sign_test` of every pair; None where they have to be tested one by one."""
    i, j = pairs_of(scores.models, control)
    names = pair_names(scores.models, i, j)
    pairs = many_pairs(scores, names, 0)
    if pairs is None or len(scores.datasets) < 2:
        return None
    means = pairs.means
    *_, won, n = sign_counts(means, pairs.rounding, "split")
    return _one_by_one(
        scores,
        names,
        "sign_test",
        p=fair_coin_p(won, n, "two-sided"),
        adjust=adjust,
        control=control,
        method=sign_name("split"),
        statistic_name="wins",
        statistic=floats(won.astype(float)),
        estimate=floats(np.median(means, axis=1)),
        estimate_name="median difference",
        n=tuple(n.tolist()),
        effect_name=WIN_SHARE,
        effect=floats((2 * won - n) / np.maximum(n, 1)),
        metric=scores.metric,
        higher_is_better=scores.higher_is_better,
        scale=scores.scale,
    )


def pairwise_mcnemar_test(scores: Scores, *, adjust: str, control: str | None) -> "PairwiseTests | None":
    """`mcnemar_test` of every pair; None where they have to be tested one by one."""
    i, j = pairs_of(scores.models, control)
    names = pair_names(scores.models, i, j)
    right = right_of_models(many_pairs(scores, names, 0))
    if right is None:
        return None
    only_row = right @ (1 - right).T
    only_a, only_b, cases = only_row[i, j], only_row[j, i], right.shape[1]
    n = only_a + only_b
    exact = n < ENOUGH_DISCORDANT
    chi2, p = chi_square(only_a, only_b, True, "two-sided")
    p[exact] = fair_coin_p(only_a[exact], n[exact], "two-sided")
    methods = tuple(map(mcnemar_name, exact.tolist()))
    return _one_by_one(
        scores,
        names,
        "mcnemar_test",
        p=p,
        adjust=adjust,
        control=control,
        method=methods[0],
        methods=methods if len(set(methods)) > 1 else (),
        statistic_name="only A right" if exact[0] else "chi2",
        statistic=floats(np.where(exact, only_a, chi2)),
        estimate=floats((only_a - only_b) / cases),
        estimate_name="accuracy difference",
        n=tuple(n.astype(int).tolist()),
        effect_name=COHENS_G if n.all() else None,
        effect=floats(only_a / n - 0.5) if n.all() else (),
        metric="accuracy",
    )


def _one_by_one(
    scores: Scores,
    names: tuple[tuple[str, str], ...],
    test: str,
    *,
    p: Floats,
    adjust: str,
    control: str | None,
    **columns: Any,
) -> "PairwiseTests":
    """The family whose whole results are those of the single test."""
    return PairwiseTests(
        models=scores.models,
        pairs=names,
        p_value=floats(p),
        p_adjusted=floats(adjust_p_values(p, adjust, all_pairs=control is None)),
        adjustment=adjust,
        control=control,
        data=ScoresData(scores=scores, test=test),
        **columns,
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PairwiseTests(Value):
    """One test for each pair, with adjusted p-values; columns are tuples in the order of `pairs`.

    Attributes
    ----------
    method, adjustment : str
    models : tuple of str
    pairs : tuple of (A, B)
    statistic, p_value, p_adjusted, estimate, n : tuple
        One for each pair; `estimate` is positive where A is better.
    effect, effect_interval, interval : tuple
        Effect sizes, their intervals and those of the estimates, at 95 %, where the test has them; else empty.
    methods : tuple
        The method of each pair, where not all pairs have the same; else empty.
    critical_difference : float or None
        The least difference of two estimates that is significant at the level in `details`, where the test has one.
    data : WilcoxonData, StudentData, ScoresData or None
        The scores from which `result(a, b)` makes the whole result of a pair.
    results : tuple of TestResult
        The single tests, where the family was put together from them; else empty.

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
    interval: tuple[tuple[float, float], ...] = ()
    effect_name: str | None = None
    effect: tuple[float, ...] = ()
    effect_interval: tuple[tuple[float, float], ...] = ()
    methods: tuple[str, ...] = ()
    control: str | None = None
    critical_difference: float | None = None
    notes: tuple[str, ...] = ()
    metric: str | None = None
    higher_is_better: bool = True
    scale: str = "score"
    datasets: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    data: "WilcoxonData | StudentData | ScoresData | None" = None
    results: tuple[TestResult, ...] = ()
    versions: dict[str, str] = field(default_factory=versions)

    def __post_init__(self) -> None:
        every = ("statistic", "p_value", "p_adjusted", "estimate", "n")
        some = ("effect", "effect_interval", "interval", "methods", "results")
        for name in (*every, *(name for name in some if getattr(self, name))):
            if len(getattr(self, name)) != len(self.pairs):
                raise ValueError(
                    f"`{name}` must have one entry for each of {len(self.pairs)} pairs, got {len(getattr(self, name))}."
                )
        check_count("n", min(self.n, default=0), 0)
        check_scale(self.scale)
        if self.critical_difference is not None and "alpha" not in self.details:
            raise ValueError("A critical difference must have its level in `details`, as alpha.")
        check_p_values("p_value", self.p_value)
        check_p_values("p_adjusted", self.p_adjusted)

    @classmethod
    def of(cls, results: Sequence[TestResult], models: Sequence[str], control: str | None = None) -> "PairwiseTests":
        """The family of single tests of `models`, or of `control` with the others, from their adjusted `results`."""
        first, effects = results[0], [r.effect_size for r in results if r.effect_size]
        whole = len(effects) == len(results)
        bounds = [e.interval for e in effects if e.interval]
        return cls(
            method=first.method,
            methods=() if len({r.method for r in results}) == 1 else tuple(r.method for r in results),
            models=tuple(models),
            pairs=tuple((str(r.a), str(r.b)) for r in results),
            statistic_name=first.statistic_name,
            statistic=tuple(r.statistic for r in results),
            p_value=tuple(r.p_value for r in results),
            p_adjusted=tuple(r.p_value if r.p_adjusted is None else r.p_adjusted for r in results),
            adjustment=first.adjustment or "none",
            alternative=first.alternative,
            estimate=tuple(r.estimate or 0.0 for r in results),
            estimate_name=first.estimate_name,
            n=tuple(r.n for r in results),
            interval=tuple(r.confidence_interval() for r in results) if all(r.interval for r in results) else (),
            effect_name=effects[0].name if whole else None,
            effect=tuple(e.value for e in effects) if whole else (),
            effect_interval=tuple(bounds) if len(bounds) == len(results) else (),
            control=control,
            metric=first.metric,
            higher_is_better=first.higher_is_better,
            scale=first.scale,
            results=tuple(results),
        )

    def __len__(self) -> int:
        return len(self.pairs)

    def result(self, a: str, b: str) -> TestResult:
        """The whole result for `a` and `b`, in either order: that of the single test, with the adjusted p-value."""
        check_pair(a, b, self.models)
        if not {(a, b), (b, a)} & self._places.keys():
            raise ValueError(f"{a} and {b} were not compared: only pairs with the control {self.control} were.")
        i, swapped = self._place(a, b)
        side = self.alternative
        if self.data is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DegenerateWarning)  # given when the family was tested
                found = self.data.result(self, a, b, MIRRORED.get(side, side) if swapped else side)
        else:
            found = self.results[i] if self.results else self._columns(i)
            found = found.swap() if swapped else found
        return found._copy(p_adjusted=self.p_adjusted[i], adjustment=self.adjustment, versions=self.versions)

    @cached_property
    def _places(self) -> dict[tuple[str, str], int]:
        return {pair: i for i, pair in enumerate(self.pairs)}

    def _place(self, a: str, b: str) -> tuple[int, bool]:
        """The row of a pair, and whether it has the models the other way round."""
        swapped = (a, b) not in self._places
        return self._places[(b, a) if swapped else (a, b)], swapped

    def _columns(self, i: int) -> TestResult:
        """Pair i of a family that has no single test, such as Nemenyi's."""
        return TestResult(
            method=self.method,
            models=self.pairs[i],
            statistic=self.statistic[i],
            statistic_name=self.statistic_name,
            p_value=self.p_value[i],
            n=self.n[i],
            df=self.df,
            alternative=self.alternative,
            estimate=self.estimate[i],
            estimate_name=self.estimate_name,
            notes=self.notes,
            metric=self.metric,
            higher_is_better=self.higher_is_better,
            scale=self.scale,
            datasets=self.datasets,
        )

    def to_frame(self) -> "pd.DataFrame":
        """One row per pair, with the columns of `TestResult.row()`."""
        from bayescmp.needs import pandas as pd

        if isinstance(self.data, ScoresData):
            return pd.DataFrame([self.result(*pair).row() for pair in self.pairs])
        none = ((None, None),) * len(self.pairs)
        return pd.DataFrame(
            {
                "a": [a for a, _ in self.pairs],
                "b": [b for _, b in self.pairs],
                "metric": self.metric,
                "dataset": self.datasets[0] if len(self.datasets) == 1 else None,
                "n": self.n,
                "method": self.methods or self.method,
                "statistic_name": self.statistic_name,
                "statistic": self.statistic,
                "df": self.df,
                "p_value": self.p_value,
                "p_adjusted": self.p_adjusted,
                "alternative": self.alternative,
                "estimate": self.estimate,
                "estimate_name": self.estimate_name,
                "ci_low": [low for low, _ in self.interval or none],
                "ci_high": [high for _, high in self.interval or none],
                "effect_name": self.effect_name,
                "effect_size": self.effect or None,
                "effect_low": [low for low, _ in self.effect_interval or none],
                "effect_high": [high for _, high in self.effect_interval or none],
            }
        )

    def matrix(self, adjusted: bool = True) -> "pd.DataFrame":
        """p-values (`adjusted` ones), models x models; 1 on the diagonal, missing where a pair was not compared."""
        from bayescmp.needs import pandas as pd

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

    def __repr__(self) -> str:
        against = f" against {self.control}" if self.control else ""
        lines = [
            f"PairwiseTests: {len(self.models)} models{against}, {counted(len(self.pairs), 'pair')}, "
            f"{with_direction(self.metric, self.higher_is_better, self.scale)}, {self.method}"
            + ("" if self.adjustment == "none" else f", {self.adjustment}-adjusted")
        ]
        order = np.argsort(self.p_adjusted, kind="stable")[:MOST_ROWS]
        names = [visible(f"{self.pairs[i][0]} vs {self.pairs[i][1]}", keep="") for i in order]
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
        return visible_lines(lines + [f"  note: {note}" for note in self.notes])


@dataclass(frozen=True, kw_only=True, eq=False)
class WilcoxonData(Value):
    """What the signed-rank tests of all pairs were computed from.

    `means` and `rounding` are models x datasets, NaN where a model was not run: its mean score, and the largest
    rounding error of its scores.
    """

    means: Floats
    rounding: Floats
    zero_method: str
    method: str
    correction: bool

    def result(self, tests: PairwiseTests, a: str, b: str, alternative: str) -> TestResult:
        """What `wilcoxon_test` returns for this pair."""
        i, j = ([tests.models.index(name)] for name in (a, b))
        gap, rounding = (x[0] for x in self.differences(i, j, tests.higher_is_better, tests.scale))
        both = ~np.isnan(gap)
        about = {
            "models": (a, b),
            "metric": tests.metric,
            "higher_is_better": tests.higher_is_better,
            "scale": tests.scale,
            "datasets": tuple(compress(tests.datasets, both)),
        }
        options = (alternative, self.zero_method, self.method, self.correction)
        return wilcoxon_result(about, gap[both], rounding[both], *options)

    def differences(
        self, i: Ints | list[int], j: Ints | list[int], higher_is_better: bool, scale: str
    ) -> tuple[Floats, Floats]:
        """Oriented differences of the models' mean scores, pairs x datasets, and their rounding errors."""
        gap, rounding = self.means[i] - self.means[j], np.maximum(self.rounding[i], self.rounding[j])
        if scale == "relative":
            middle = (self.means[i] + self.means[j]) / 2
            gap, rounding = gap / middle, rounding / np.abs(middle)
        return gap if higher_is_better else -gap, rounding


@dataclass(frozen=True, kw_only=True, eq=False)
class StudentData(Value):
    """What the t-tests of all pairs were computed from: scores, models x folds, and their design."""

    scores: Floats
    corrected: bool
    design: Resampling | None

    def result(self, tests: PairwiseTests, a: str, b: str, alternative: str) -> TestResult:
        """What `corrected_ttest` or `paired_ttest` returns for this pair."""
        scores = self.scores[[tests.models.index(a), tests.models.index(b)]]
        if tests.scale == "relative":
            scores = scores / scores.mean()
        pair = Pair(
            a=a,
            b=b,
            datasets=tests.datasets,
            scores_a=scores[:1],
            scores_b=scores[1:],
            resampling=(self.design,),
            metric=tests.metric,
            higher_is_better=tests.higher_is_better,
            scale=tests.scale,
        )
        return student_test(pair, self.corrected, alternative, self._d_z(tests, a, b))

    def _d_z(self, tests: PairwiseTests, a: str, b: str) -> EffectSize | None:
        """The effect that was computed for all pairs at once; None where a pair has a rounding error of its own."""
        if not tests.effect_interval or tests.scale == "relative":
            return None
        i, swapped = tests._place(a, b)
        value, (low, high) = tests.effect[i], tests.effect_interval[i]
        if swapped:
            value, low, high = 0.0 - value, -high, -low
        return dz_of(value, low, high, self.design.rho if self.corrected and self.design else 0.0, 0.95)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoresData(Value):
    """The scores of which every pair is tested by itself, by the test of this name."""

    scores: Scores
    test: str

    def __post_init__(self) -> None:
        find(self.test, "frequentist")

    def result(self, tests: PairwiseTests, a: str, b: str, alternative: str) -> TestResult:
        """What the test returns for this pair."""
        found: TestResult = find(self.test, "frequentist").call(self.scores.pair(a, b), alternative=alternative)
        return found


# ---- the steps


def _check_family(adjust: str, control: str | None) -> None:
    check_adjustment(adjust)
    if control is not None and adjust in LOGICAL:
        raise ValueError(f'"{adjust}" is for all pairs of models; with a control use "holm" or "finner".')


def _means(scores: Scores) -> tuple[Floats, Floats]:
    """Mean score and largest rounding error of each model on each dataset; NaN where it was not run."""
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
        return np.nanmean(scores.values, axis=2), np.nanmax(rounding_of(scores.values, scores.scale), axis=2)


def _parts(m: int) -> list[slice]:
    return [slice(start, start + PAIRS_AT_A_TIME) for start in range(0, m, PAIRS_AT_A_TIME)]


def _wilcoxon_columns(table: Scores, data: WilcoxonData, i: Ints, j: Ints, alternative: str) -> tuple[Any, ...]:
    """Rank sums, n, p, whether exact, mean difference, and effect with its interval of these pairs."""
    gap, rounding = data.differences(i, j, table.higher_is_better, table.scale)
    ranks = signed_ranks(gap, rounding, data.zero_method)
    p, exact = wilcoxon_p(ranks, alternative, data.method, data.correction)
    return (ranks.plus, ranks.minus, ranks.n, p, exact, mean(gap), *rank_biserial_core(ranks, 0.95))


def _bounds(mean: Floats, scale: Floats, df: Floats, alternative: str) -> tuple[Floats, Floats]:
    """The 95 % intervals of many means; one-sided where the alternative is."""
    reach = -student_ppf(float(df[0]), 0.025 if alternative == "two-sided" else 0.05) * scale
    low = mean - reach if alternative != "less" else np.full_like(mean, -np.inf)
    return low, mean + reach if alternative != "greater" else np.full_like(mean, np.inf)


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
