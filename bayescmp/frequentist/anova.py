"""Analysis of variance of many models on the folds of one dataset, and its post-hoc tests: Tukey's and Fisher's."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, fdtri, stdtr, stdtrit

from bayescmp.checks import check_alpha, check_contrast, is_one_of
from bayescmp.errors import DegenerateWarning, ScoresError, warn
from bayescmp.frequentist.intervals import StudentInterval
from bayescmp.frequentist.pairwise import PairwiseTests
from bayescmp.frequentist.result import EffectSize, TestResult
from bayescmp.numerics.studentized_range import studentized_range_ppf, studentized_range_sf
from bayescmp.scores.inputs import Table, complete_table
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]


KINDS = {"repeated": "repeated-measures ANOVA", "one-way": "one-way ANOVA"}
THRESHOLDS = {"small": 0.01, "medium": 0.06, "large": 0.14}


def anova(scores: Any, *, kind: str, dataset: str | None = None, higher_is_better: bool | None = None) -> TestResult:
    """Analysis of variance: do many models have the same mean score on one dataset?

    Parameters
    ----------
    scores : Scores, mapping of model to array, DataFrame (one column per model), or 2-D array (folds x models)
        For "one-way" the arrays of a mapping may have unequal lengths.
    kind : "repeated" or "one-way"
        There is no default, because it changes the answer: "repeated" treats the models' scores on one fold as a block,
        which is right when all were scored on the same folds; "one-way" treats every score as a draw of its own.
    dataset : str, optional
        The dataset to test, where `Scores` have several.
    higher_is_better : bool, optional
        False where lower scores are better, for plain arrays; F does not depend on it.

    Returns
    -------
    TestResult
        With `table()`; `n` counts the folds, or all scores where the models have unequal numbers of them. Effect size:
        eta^2 ("one-way") or partial eta^2 ("repeated"). `details` has the means, the Greenhouse-Geisser epsilon with
        its p-value ("repeated") and the Brown-Forsythe test of equal variances. Neither changes the test: what does
        not hold is in `notes`.

    See Also
    --------
    friedman_test : by ranks.
    tukey_hsd, fisher_lsd : which models differ.

    References
    ----------
    Fisher (1925), Statistical Methods for Research Workers; Greenhouse and Geisser (1959), Psychometrika 24; Brown and
    Forsythe (1974), J. Am. Stat. Assoc. 69.

    Examples
    --------
    >>> from bayescmp.frequentist.anova import anova
    >>> scores = {"rf": [0.9, 0.8, 0.7], "svm": [0.8, 0.8, 0.6], "nb": [0.7, 0.7, 0.5]}
    >>> result = anova(scores, kind="repeated")
    >>> result.df, round(result.statistic, 6)
    ((2.0, 4.0), 19.0)
    """
    blocks, parts = _parts_for("anova", scores, kind, dataset, higher_is_better)
    k = len(blocks.models)
    notes = list(parts.notes)
    details: dict[str, Any] = {
        "table": parts.table(),
        "means": dict(zip(blocks.models, np.nanmean(blocks.values, axis=0).tolist(), strict=True)),
    }
    if not parts.degenerate and kind == "repeated" and k > 2:
        epsilon = greenhouse_geisser(blocks.values)
        p = float(fdtrc(epsilon * (k - 1), epsilon * parts.df_error, parts.f))
        details |= {"greenhouse_geisser_epsilon": epsilon, "greenhouse_geisser_p": p}
        if epsilon < 0.75:
            notes.append(
                f"the differences have unequal variances (no sphericity, Greenhouse-Geisser epsilon "
                f"{epsilon:.3f}): p is too small; corrected it is {p:.3g}"
            )
    f_spread, p_spread = brown_forsythe(blocks)
    details["brown_forsythe"] = {"F": f_spread, "p": p_spread}
    if p_spread < 0.05:
        notes.append(f"the models' variances differ (Brown-Forsythe F = {f_spread:.3g}, p = {p_spread:.3g})")
    explained = parts.ss_models / (parts.ss_models + parts.ss_error) if parts.ss_models else 0.0
    return TestResult(
        **blocks.about(),
        method=KINDS[kind],
        statistic=parts.f,
        statistic_name="F",
        p_value=parts.p,
        df=(float(parts.df_models), float(parts.df_error)),
        n=parts.n,
        effect_size=EffectSize(
            name="partial eta^2" if kind == "repeated" else "eta^2",
            value=explained,
            method="SS_models/(SS_models + SS_error)",
            thresholds=dict(THRESHOLDS),
        ),
        notes=tuple(notes),
        details=details,
    )


def tukey_hsd(
    scores: Any,
    *,
    kind: str,
    alpha: float = 0.05,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
) -> PairwiseTests:
    """Tukey's honestly significant difference: all pairs of models after `anova`, family-wise error kept.

    q = (m_i - m_j)/sqrt(MS_error/n) is compared with the studentized range of all k means; for models with unequal
    numbers of scores 1/n is the mean of 1/n_i and 1/n_j (Tukey and Kramer), and every pair has a critical difference of
    its own, in `details`.

    Parameters
    ----------
    scores, kind, dataset, higher_is_better
        As for `anova`, whose error mean square is used.
    alpha : float
        The level of the critical difference: estimate -+ critical difference are simultaneous intervals at 1 - alpha.

    See Also
    --------
    anova, fisher_lsd
    nemenyi_test : by ranks.

    References
    ----------
    Tukey (1949), Comparing individual means in the analysis of variance, Biometrics 5. Kramer (1956), Biometrics 12.

    Examples
    --------
    >>> from bayescmp.frequentist.anova import tukey_hsd
    >>> scores = {"rf": [0.9, 0.8, 0.7], "svm": [0.8, 0.8, 0.6], "nb": [0.7, 0.7, 0.5]}
    >>> tests = tukey_hsd(scores, kind="repeated")
    >>> tests.result("rf", "nb").p_value < 0.05
    True
    """
    check_alpha(alpha)
    blocks, parts = _parts_for("tukey_hsd", scores, kind, dataset, higher_is_better)
    difference, q, p, scale = tukey_core(parts)
    critical = studentized_range_ppf(1 - alpha, len(blocks.models), parts.df_error) * scale
    method = f"Tukey's HSD after {KINDS[kind]}"
    return _pairwise(blocks, parts, method, "q", difference, q, p, critical, "Tukey", alpha, parts.notes)


def fisher_lsd(
    scores: Any,
    *,
    kind: str,
    alpha: float = 0.05,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
) -> PairwiseTests:
    """Fisher's least significant difference: t-tests of all pairs with ANOVA's error, not adjusted.

    t = (m_i - m_j)/sqrt(MS_error (1/n_i + 1/n_j)), with the degrees of freedom of the error. It keeps the family-wise
    error only for three models, and only where it follows a rejection by `anova`; a note says where that
    did not reject.

    Parameters
    ----------
    scores, kind, dataset, higher_is_better
        As for `anova`, whose error mean square is used.
    alpha : float
        The level of the critical difference, and at which `anova` should have rejected.

    See Also
    --------
    anova, tukey_hsd

    References
    ----------
    Fisher (1935), The Design of Experiments.

    Examples
    --------
    >>> from bayescmp.frequentist.anova import fisher_lsd
    >>> scores = {"rf": [0.9, 0.8, 0.7], "svm": [0.8, 0.8, 0.6], "nb": [0.7, 0.7, 0.5]}
    >>> fisher_lsd(scores, kind="repeated").df
    4.0
    """
    check_alpha(alpha)
    blocks, parts = _parts_for("fisher_lsd", scores, kind, dataset, higher_is_better)
    difference, t, p, scale = lsd_core(parts)
    notes = parts.notes
    if parts.p >= alpha:
        notes = (*notes, f"the ANOVA does not reject at {alpha:g} (p = {parts.p:.3g}): Fisher's LSD should not follow")
    critical = -float(stdtrit(parts.df_error, alpha / 2)) * scale
    method = f"Fisher's LSD after {KINDS[kind]}"
    return _pairwise(blocks, parts, method, "t", difference, t, p, critical, "none", alpha, notes)


def contrast_test(
    scores: Any, weights: Mapping[str, float], *, dataset: str | None = None, higher_is_better: bool | None = None
) -> TestResult:
    """Planned contrast of models after a repeated-measures analysis of variance: does a weighted mean differ from 0?

    t = sum w_i m_i / sqrt(MS_error sum w_i^2 / n), with the degrees of freedom of the error, where m_i are the models'
    means over n datasets, or over the n folds of one.

    Parameters
    ----------
    scores : Scores, mapping of model to array, DataFrame (one column per model), or 2-D array (datasets x models)
        Datasets on which a model was not run are left out with a warning.
    weights : mapping of model to number
        They sum to 0, as in {"rf": 0.5, "gbm": 0.5, "svm": -1}; a model without one has 0, and is part of the error.
    dataset : str, optional
        The dataset whose folds are compared, where there are several; without it the datasets' means are.
    higher_is_better : bool, optional
        The direction of plain tables; the contrast is positive where the models with positive weights are better.

    Returns
    -------
    TestResult
        `estimate` is the contrast, with a confidence interval.

    See Also
    --------
    anova, tukey_hsd
    bayescmp.bayes.MultilevelPosterior : its `contrast` is the posterior of the same contrast.

    Examples
    --------
    >>> import bayescmp as bc
    >>> t = bc.frequentist.contrast_test(bc.load_uci(), {"rf": 0.5, "gbm": 0.5, "svm": -1})
    >>> t.df, round(t.estimate, 4)
    (161.0, 0.0031)
    """
    one = dataset is not None or (isinstance(scores, Scores) and len(scores.datasets) == 1)
    blocks_are = "folds" if one else "datasets"
    blocks = complete_table(
        scores, test="contrast_test", blocks_are=blocks_are, dataset=dataset, higher_is_better=higher_is_better
    )
    numbers = check_contrast(weights, blocks.models)
    parts = split_variance(blocks, "repeated")
    notes = parts.notes if one else tuple(note for note in parts.notes if note not in overlap_notes(blocks, 1, 1))
    if parts.degenerate:
        warn(f"contrast_test: {notes[-1]}", DegenerateWarning)
    estimate = float(numbers @ parts.means)
    scale = math.sqrt(parts.ms_error * float(numbers @ numbers) / parts.n)
    t = float(_ratio(np.array([estimate]), np.array([scale]), parts)[0])
    return TestResult(
        **blocks.about(),
        method="planned contrast after repeated-measures ANOVA",
        statistic=t,
        statistic_name="t",
        df=float(parts.df_error),
        p_value=float(min(1.0, 2 * stdtr(parts.df_error, -abs(t)))),
        n=parts.n,
        estimate=estimate,
        estimate_name="contrast",
        interval=StudentInterval(estimate, scale, float(parts.df_error)),
        notes=(*blocks.notes, *notes),
        details={"weights": dict(zip(blocks.models, numbers.tolist(), strict=True)), "ms_error": parts.ms_error},
    )


# ---- the sums of squares


@dataclass(frozen=True)
class Parts:
    """The sums of squares, their degrees of freedom, and what to note about them.

    Sums of squares below the rounding of the scores are 0, so F is 0 or infinite and not a ratio of two noises.
    """

    ss_models: float
    ss_folds: float | None
    ss_error: float
    df_models: int
    df_folds: int | None
    df_error: int
    means: Floats
    sizes: Floats
    rounding: float
    notes: tuple[str, ...]

    @property
    def balanced(self) -> bool:
        """Whether all models have the same number of scores."""
        return bool(np.ptp(self.sizes) == 0)

    @property
    def n(self) -> int:
        """The scores of each model, or of all together where they have unequal numbers."""
        return int(self.sizes[0] if self.balanced else self.sizes.sum())

    @property
    def degenerate(self) -> bool:
        """Whether nothing varies but the models' means."""
        return self.ss_error == 0

    @property
    def ms_error(self) -> float:
        """The error's mean square."""
        return self.ss_error / self.df_error

    @property
    def f(self) -> float:
        """0 where the means are equal, infinite where nothing else varies."""
        if self.degenerate:
            return math.inf if self.ss_models else 0.0
        return self.ss_models / self.df_models / self.ms_error

    @property
    def p(self) -> float:
        """P(F or more) under equal means."""
        return _f_tail(self.df_models, self.df_error, self.f)

    def table(self) -> list[dict[str, Any]]:
        """Rows source, SS, df, MS, F, p."""
        rows: list[tuple[str, float, int]] = [("models", self.ss_models, self.df_models)]
        if self.ss_folds is not None and self.df_folds is not None:
            rows.append(("folds", self.ss_folds, self.df_folds))
        rows.append(("error", self.ss_error, self.df_error))
        empty = {"F": None, "p": None}
        listed = [{"source": s, "SS": ss, "df": df, "MS": ss / df} | empty for s, ss, df in rows]
        listed[0] |= {"F": self.f, "p": self.p}
        total = {"source": "total", "SS": sum(r[1] for r in rows), "df": sum(r[2] for r in rows), "MS": None}
        return [*listed, total | empty]


def split_variance(blocks: Table, kind: str) -> Parts:
    """The sums of squares of the models, of the folds where they are blocks, and of the rest."""
    if not is_one_of(kind, KINDS):
        raise ValueError(
            f'`kind` must be "repeated" (all models on the same folds) or "one-way" (independent scores), got {kind!r}.'
        )
    x, rounding = blocks.values, float(blocks.rounding.max())
    n, k = x.shape
    sizes = (~np.isnan(x)).sum(axis=0).astype(float)
    total = int(sizes.sum())
    spread = float(np.nanmax(np.abs(x - x[0, 0]))) if np.nanmax(np.abs(x)) < 1e150 else math.inf
    if spread and not 1e-150 < spread < 1e150:
        raise ScoresError("Scores must be of a size that can be squared. Change their unit.")
    deviation = x - np.nanmean(x)
    deviation -= np.nanmean(deviation)
    models, folds = np.nanmean(deviation, axis=0), np.nanmean(deviation, axis=1)
    residual = deviation - models
    if kind == "repeated":
        residual = residual - folds[:, None]
    sums = [_squares(models, rounding, sizes), _squares(folds, rounding) * k, _squares(residual, rounding)]
    df_error = (n - 1) * (k - 1) if kind == "repeated" else total - k
    notes = [*overlap_notes(blocks, df_error, k - 1)]
    if kind == "one-way" and (blocks.design is None or blocks.design.scheme not in ("independent", "runs")):
        notes.append('the models share their folds, which one-way ANOVA does not use; kind="repeated" does')
    if not sums[2]:
        equal = "all models have the same mean" if not sums[0] else "the models' means differ"
        notes.append(f"nothing varies but the models' means, and {equal}: the answer rests on no variation at all")
    return Parts(
        ss_models=sums[0],
        ss_folds=sums[1] if kind == "repeated" else None,
        ss_error=sums[2],
        df_models=k - 1,
        df_folds=n - 1 if kind == "repeated" else None,
        df_error=df_error,
        means=np.nanmean(blocks.oriented, axis=0),
        sizes=sizes,
        rounding=rounding,
        notes=tuple(notes),
    )


def overlap_notes(blocks: Table, df_error: float, df_effect: float) -> tuple[str, ...]:
    """What correlated folds do to an F test, where the design is known to have them."""
    design = blocks.design
    if design is None:
        return ("the design of the folds is unknown: if their training sets overlap, F is too large",)
    return overlap_note(design.rho, len(blocks.blocks), df_error, df_effect)


def overlap_note(rho: float, n: int, df_error: float, df_effect: float) -> tuple[str, ...]:
    """Under equal correlation rho of n folds, F is 1 + n rho/(1 - rho) times what it should be."""
    if not rho:
        return ()
    critical = fdtri(df_effect, df_error, 0.95) / (1 + n * rho / (1 - rho))
    return (
        f"the training sets overlap (rho = {rho:.3f}), so F is too large: at a nominal level of 0.05 this test rejects "
        f"about {fdtrc(df_effect, df_error, critical):.2f} of true null hypotheses; use corrected_ttest",
    )


def greenhouse_geisser(x: Floats) -> float:
    """How far the covariance of the columns is from sphericity: 1 where it holds, 1/(k - 1) at worst."""
    covariance = np.cov(x / np.abs(x - x.mean()).max(), rowvar=False)
    centred = covariance - covariance.mean(axis=0) - covariance.mean(axis=1)[:, None] + covariance.mean()
    return float(min(1.0, np.trace(centred) ** 2 / ((len(centred) - 1) * (centred**2).sum())))


def brown_forsythe(blocks: Table) -> tuple[float, float]:
    """F and p of equal variances: one-way ANOVA of the distances to each model's median."""
    x, rounding = blocks.values, float(blocks.rounding.max())
    sizes, k = (~np.isnan(x)).sum(axis=0), x.shape[1]
    df = int(sizes.sum()) - k
    distance = np.abs(x - np.nanmedian(x, axis=0))
    means = np.nanmean(distance, axis=0)
    between = _squares(means - np.nanmean(distance), rounding, sizes)
    within = _squares(distance - means, rounding)
    if not within:
        return (math.inf, 0.0) if between else (0.0, 1.0)
    f = between / (k - 1) / (within / df)
    return f, _f_tail(k - 1, df, f)


def _squares(part: Floats, rounding: float, times: Floats | float = 1.0) -> float:
    """The sum of squares (NaN is none), each so many times; 0 where all of the part is rounding."""
    return 0.0 if np.nanmax(np.abs(part)) <= rounding else float(np.nansum(part * part * times))


def _f_tail(df1: float, df2: float, f: float) -> float:
    return 0.0 if math.isinf(f) else float(fdtrc(df1, df2, f))


# ---- pairs of models


def tukey_core(parts: Parts) -> tuple[Floats, Floats, Floats, Floats]:
    """Differences of all pairs (i < j), q, p, and the standard errors of a mean: the studentized range of all means."""
    difference, scale = _differences(parts), np.sqrt(parts.ms_error * _inverse_sizes(parts) / 2)
    q = _ratio(difference, scale, parts)
    p = np.where(q == 0, 1.0, studentized_range_sf(np.abs(q), len(parts.means), parts.df_error))
    return difference, q, p, scale


def lsd_core(parts: Parts) -> tuple[Floats, Floats, Floats, Floats]:
    """Differences of all pairs (i < j), t, p, and their standard errors: no adjustment for many pairs."""
    difference, scale = _differences(parts), np.sqrt(parts.ms_error * _inverse_sizes(parts))
    t = _ratio(difference, scale, parts)
    return difference, t, np.minimum(1.0, 2 * stdtr(parts.df_error, -np.abs(t))), scale


def _differences(parts: Parts) -> Floats:
    i, j = np.triu_indices(len(parts.means), 1)
    return parts.means[i] - parts.means[j]


def _inverse_sizes(parts: Parts) -> Floats:
    """1/n_i + 1/n_j of all pairs."""
    i, j = np.triu_indices(len(parts.sizes), 1)
    return 1 / parts.sizes[i] + 1 / parts.sizes[j]


def _ratio(difference: Floats, scale: Floats, parts: Parts) -> Floats:
    if not parts.ss_models:
        return np.zeros_like(difference)
    if parts.degenerate:
        return np.where(np.abs(difference) <= parts.rounding, 0.0, np.copysign(math.inf, difference))
    return difference / scale


def _parts_for(
    test: str, scores: Any, kind: str, dataset: str | None, higher_is_better: bool | None
) -> tuple[Table, Parts]:
    blocks = complete_table(
        scores,
        test=test,
        blocks_are="folds",
        dataset=dataset,
        higher_is_better=higher_is_better,
        ragged=is_one_of(kind, ("one-way",)),
    )
    parts = split_variance(blocks, kind)
    if parts.degenerate:
        warn(f"{test}: {parts.notes[-1]}", DegenerateWarning)
    return blocks, parts


def _pairwise(
    blocks: Table,
    parts: Parts,
    method: str,
    statistic_name: str,
    difference: Floats,
    statistic: Floats,
    p: Floats,
    critical: Floats,
    adjustment: str,
    alpha: float,
    notes: tuple[str, ...],
) -> PairwiseTests:
    i, j = np.triu_indices(len(blocks.models), 1)
    return PairwiseTests(
        **blocks.about(),
        method=method,
        pairs=tuple((blocks.models[a], blocks.models[b]) for a, b in zip(i.tolist(), j.tolist(), strict=True)),
        statistic_name=statistic_name,
        statistic=tuple(statistic.tolist()),
        p_value=tuple(p.tolist()),
        p_adjusted=tuple(p.tolist()),
        adjustment=adjustment,
        estimate=tuple(difference.tolist()),
        estimate_name="mean difference",
        n=(parts.n,) * len(i) if parts.balanced else tuple((parts.sizes[i] + parts.sizes[j]).astype(int).tolist()),
        df=float(parts.df_error),
        critical_difference=float(critical[0]) if parts.balanced else None,
        notes=notes,
        details={"alpha": alpha, "ms_error": parts.ms_error, "anova_p": parts.p}
        | ({} if parts.balanced else {"critical_differences": critical.tolist()}),
    )
