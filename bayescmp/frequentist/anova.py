"""Analysis of variance of many models on the folds of one dataset, and its post-hoc tests: Tukey's and Fisher's."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, stdtr, stdtrit

from bayescmp.checks import check_alpha, is_one_of
from bayescmp.errors import DegenerateWarning, warn
from bayescmp.frequentist.anova_parts import KINDS, Parts, brown_forsythe, greenhouse_geisser, split_variance
from bayescmp.frequentist.pairwise import PairwiseTests
from bayescmp.frequentist.result import EffectSize, TestResult
from bayescmp.numerics.studentized_range import studentized_range_ppf, studentized_range_sf
from bayescmp.scores.inputs import Table, complete_table

Floats = NDArray[np.float64]
THRESHOLDS = {"small": 0.01, "medium": 0.06, "large": 0.14}


def anova(scores: Any, *, kind: str, dataset: str | None = None, higher_is_better: bool | None = None) -> TestResult:
    """Analysis of variance: do many models have the same mean score on one dataset?

    Parameters
    ----------
    scores : Scores, mapping of model to array, DataFrame (a column a model), or 2-D array (folds x models)
        For "one-way" the arrays of a mapping may have unequal lengths.
    kind : "repeated" or "one-way"
        There is no default, because it changes the answer: "repeated" takes the models' scores on one fold as a block,
        which is right when all were scored on the same folds; "one-way" takes every score as a draw of its own.
    dataset : str, optional
        Which one, where `Scores` have several.
    higher_is_better : bool, optional
        With plain arrays; F does not depend on it.

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
    error only for three models, and only where it follows a rejection by `anova`; the result says whether that
    rejected.

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
