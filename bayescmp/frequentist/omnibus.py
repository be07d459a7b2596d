"""Many models, many datasets: does any model differ (Friedman and relatives), and which ones (Nemenyi, Dunn)?

Ranks are taken on unrounded scores, 1 for the best; scores closer than their rounding error are ties.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc, ndtr, ndtri

from bayescmp.checks import check_alpha, check_switch, is_one_of
from bayescmp.errors import DegenerateWarning, warn
from bayescmp.frequentist.adjust import adjust_p_values, check_adjustment
from bayescmp.frequentist.effect_sizes import kendalls_w_effect
from bayescmp.frequentist.pairwise import Ints, PairwiseTests, all_pairs, floats, pair_names, pairs_of
from bayescmp.frequentist.result import EffectSize, TestResult
from bayescmp.numerics.friedman import friedman_exact_p, orders_of
from bayescmp.numerics.ranks import average_ranks
from bayescmp.numerics.studentized_range import studentized_range_ppf, studentized_range_sf
from bayescmp.scores.inputs import Table, complete_table

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
EXACT_FRIEDMAN = "Friedman test, exact"
FEW_CELLS = 24
"""Models times datasets up to which the level of Iman and Davenport's F at 0.05 may be 0.06 or more."""


def friedman_test(
    scores: Any, *, tie_corrected: bool = True, method: str = "auto", higher_is_better: bool | None = None
) -> TestResult:
    """Friedman's test: do the models have different mean ranks over the datasets?

    Parameters
    ----------
    scores : Scores, mapping of model to scores, DataFrame (one column per model), or array (datasets x models)
        At least 3 models; for two use `wilcoxon_test`.
    tie_corrected : bool
        Divide by the variance of the ranks that are there, as scipy does, rather than by that of ranks without ties.
    method : "exact", "asymptotic" or "auto"
        Exact is the permutation distribution of the rank sums, given the ties that are there. "auto" is exact where
        that takes less than about half a second, else chi-square with k - 1 degrees of freedom. "exact" raises
        where it would take more than about a minute.
    higher_is_better : bool
        The direction, where arrays are given; True by default.

    Returns
    -------
    TestResult
        With mean ranks in `details` and Kendall's W as effect size. The test has no second tail.

    See Also
    --------
    iman_davenport_test, nemenyi_test, pairwise_wilcoxon_test

    References
    ----------
    Friedman (1937). The use of ranks to avoid the assumption of normality implicit in the analysis of variance. JASA
    32. Demsar (2006). Statistical comparisons of classifiers over multiple data sets. JMLR 7.

    Examples
    --------
    >>> import bayescmp as bc
    >>> result = bc.frequentist.friedman_test(bc.load_domains())
    >>> round(result.statistic, 6), round(result.p_value, 6)
    (15.0, 0.00011)
    """
    check_switch("tie_corrected", tie_corrected)
    if not is_one_of(method, ("auto", "exact", "asymptotic")):
        raise ValueError(f'`method` must be "auto", "exact" or "asymptotic", got {method!r}.')
    table, ranks = ranked(scores, "friedman_test", higher_is_better)
    n, k = ranks.shape
    chi2 = friedman_statistic(ranks, tie_corrected)
    p = None if method == "asymptotic" else friedman_exact_p(ranks, limited=method == "auto")
    exact = p is not None
    if p is None:
        p = float(chdtrc(k - 1, chi2))
    notes = _notes(table, ranks)
    if not exact and (n <= 15 or k <= 5):
        notes = (*notes, f"chi-square is rough for {n} datasets and {k} models (more than 15 and 5 are advised)")
    return TestResult(
        **_fields(table, ranks),
        method=f"{EXACT_FRIEDMAN if exact else 'Friedman test, chi-square'}, {_tie_words(tie_corrected)}",
        statistic=chi2,
        statistic_name="chi2",
        df=float(k - 1),
        p_value=p,
        effect_size=kendalls_w_effect(ranks, tie_corrected, 0.95),
        notes=notes,
    )


def iman_davenport_test(scores: Any, *, tie_corrected: bool = True, higher_is_better: bool | None = None) -> TestResult:
    """Iman and Davenport's F = (n - 1) chi2/(n(k - 1) - chi2) with k - 1 and (k - 1)(n - 1) df: less conservative.

    Where all datasets rank the models alike F is infinite, and p is the exact one, m^(1-n) for the m orders of a
    dataset's ranks. Few datasets make F unreliable long before: with 3 models on 3 datasets its level at 0.05 is 0.19.
    The exact `friedman_test` has no such error, and `compare` reports it alone wherever it is exact.

    Parameters
    ----------
    scores, tie_corrected, higher_is_better
        As in `friedman_test`.

    See Also
    --------
    friedman_test

    References
    ----------
    Iman, Davenport (1980). Approximations of the critical region of the Friedman statistic. Communications in
    Statistics 9.

    Examples
    --------
    >>> import bayescmp as bc
    >>> round(bc.frequentist.iman_davenport_test(bc.load_domains()).statistic, 2)
    27.0
    """
    check_switch("tie_corrected", tie_corrected)
    table, ranks = ranked(scores, "iman_davenport_test", higher_is_better)
    n, k = ranks.shape
    chi2 = friedman_statistic(ranks, tie_corrected)
    left = n * (k - 1) - chi2
    agreed = left <= 1e-9 * n * (k - 1)
    statistic = math.inf if agreed else (n - 1) * chi2 / left
    notes = _notes(table, ranks)
    if agreed:
        p, note = _p_of_agreement(ranks)
        notes = (*notes, note)
    else:
        p = float(fdtrc(k - 1, (k - 1) * (n - 1), statistic))
        if n * k <= FEW_CELLS:
            notes = (
                *notes,
                f"F is rough for {n} datasets and {k} models: use the exact p of friedman_test",
            )
    return TestResult(
        **_fields(table, ranks),
        method=f"Iman-Davenport test, {_tie_words(tie_corrected)}",
        statistic=statistic,
        statistic_name="F",
        df=(float(k - 1), float((k - 1) * (n - 1))),
        p_value=p,
        effect_size=kendalls_w_effect(ranks, tie_corrected, 0.95),
        notes=notes,
    )


def _p_of_agreement(ranks: Floats) -> tuple[float, str]:
    """The exact p where all datasets rank the models alike, and a note that says so."""
    orders = orders_of(ranks[0].tolist())
    return math.exp((1 - len(ranks)) * math.log(orders)), (
        f"all datasets rank the models alike: F is infinite; p is the exact m^(1-n) for the m = {orders} orders of a "
        "dataset's ranks"
    )


def quade_test(scores: Any, *, higher_is_better: bool | None = None) -> TestResult:
    """Quade's test: Friedman with datasets weighted by the rank of their range; F with k - 1 and (k - 1)(n - 1) df.

    The ranges of different datasets are compared, so their scores must be commensurable.

    Parameters
    ----------
    scores, higher_is_better
        As in `friedman_test`.

    See Also
    --------
    friedman_test, friedman_aligned_ranks_test

    References
    ----------
    Quade (1979). Using weighted rankings in the analysis of complete blocks with additive block effects. JASA 74.

    Examples
    --------
    >>> import bayescmp as bc
    >>> round(bc.frequentist.quade_test(bc.load_domains()).statistic, 2)
    13.0
    """
    table, ranks = ranked(scores, "quade_test", higher_is_better, relative=False)
    n, k = ranks.shape
    values, rounding = table.in_units()
    weights = average_ranks(np.ptp(values, axis=1), rounding)
    weighted = weights[:, None] * (ranks - (k + 1) / 2)
    total, between = float((weighted**2).sum()), float((weighted.sum(axis=0) ** 2).sum() / n)
    notes = _notes(table, ranks)
    if total - between <= 1e-12 * max(total, 1e-300):
        statistic, p = 0.0, 1.0
        if total:
            statistic, (p, note) = math.inf, _p_of_agreement(ranks)
            notes = (*notes, note)
    else:
        statistic = (n - 1) * between / (total - between)
        p = float(fdtrc(k - 1, (k - 1) * (n - 1), statistic))
    return TestResult(
        **_fields(table, ranks),
        method="Quade test",
        statistic=statistic,
        statistic_name="F",
        df=(float(k - 1), float((k - 1) * (n - 1))),
        p_value=p,
        notes=notes,
    )


def friedman_aligned_ranks_test(scores: Any, *, higher_is_better: bool | None = None) -> TestResult:
    """Friedman's aligned ranks: all scores minus their dataset's mean are ranked together; chi-square, k - 1 df.

    Parameters
    ----------
    scores, higher_is_better
        As in `friedman_test`.

    See Also
    --------
    friedman_test, quade_test

    References
    ----------
    Hodges, Lehmann (1962). Rank methods for combination of independent experiments in analysis of variance. Annals of
    Mathematical Statistics 33. Garcia et al. (2010). Advanced nonparametric tests for multiple comparisons. Information
    Sciences 180.

    Examples
    --------
    >>> import bayescmp as bc
    >>> round(bc.frequentist.friedman_aligned_ranks_test(bc.load_domains()).p_value, 4)
    0.0008
    """
    table, plain = ranked(scores, "friedman_aligned_ranks_test", higher_is_better, relative=False)
    n, k = plain.shape
    values, rounding = table.in_units()
    aligned = values - values.mean(axis=1, keepdims=True)
    errors = np.broadcast_to(rounding[:, None], aligned.shape)
    ranks = average_ranks(-aligned.ravel(), errors.ravel()).reshape(n, k)
    centred = ranks.sum(axis=0) - n * (n * k + 1) / 2
    within = float(((ranks - ranks.mean(axis=1, keepdims=True)) ** 2).sum())
    chi2 = (k - 1) * float((centred**2).sum()) / within if within > 0 else 0.0
    return TestResult(
        **_fields(table, ranks),
        method="Friedman aligned ranks test, chi-square",
        statistic=chi2,
        statistic_name="chi2",
        df=float(k - 1),
        p_value=float(chdtrc(k - 1, chi2)),
        notes=_notes(table, plain),
    )


def kruskal_wallis_test(scores: Any, *, tie_corrected: bool = True, higher_is_better: bool | None = None) -> TestResult:
    """Kruskal and Wallis' H: all scores ranked together, ignoring which dataset they are from; chi-square, k - 1 df.

    Parameters
    ----------
    scores, tie_corrected, higher_is_better
        As in `friedman_test`.

    See Also
    --------
    friedman_test : for scores on the same datasets.

    References
    ----------
    Kruskal, Wallis (1952). Use of ranks in one-criterion variance analysis. JASA 47.

    Examples
    --------
    >>> import bayescmp as bc
    >>> round(bc.frequentist.kruskal_wallis_test(bc.load_domains()).statistic, 2)
    19.37
    """
    check_switch("tie_corrected", tie_corrected)
    table = complete_table(scores, test="kruskal_wallis_test", higher_is_better=higher_is_better, least_models=2)
    n, k = table.values.shape
    errors = np.broadcast_to(table.rounding[:, None], table.values.shape)
    ranks = average_ranks(-table.oriented.ravel(), errors.ravel()).reshape(n, k)
    m = n * k
    variance = float(((ranks - (m + 1) / 2) ** 2).sum()) / (m - 1) if tie_corrected else m * (m + 1) / 12
    between = n * float(((ranks.mean(axis=0) - (m + 1) / 2) ** 2).sum())
    h = between / variance if variance > 0 else 0.0
    return TestResult(
        **_fields(table, ranks) | {"n": m},
        method=f"Kruskal-Wallis test, chi-square, {_tie_words(tie_corrected)}",
        statistic=h,
        statistic_name="H",
        df=float(k - 1),
        p_value=float(chdtrc(k - 1, h)),
        effect_size=EffectSize(name="epsilon squared", value=h / (m - 1), method="H/(N - 1)"),
        notes=(
            *_notes(table, ranks),
            "ignores that scores of one dataset belong together; friedman_test minds it",
        ),
    )


def nemenyi_test(scores: Any, *, alpha: float = 0.05, higher_is_better: bool | None = None) -> PairwiseTests:
    """Nemenyi's test of all pairs after Friedman's: mean ranks farther apart than the critical difference differ.

    q = abs(R_a - R_b) / sqrt(k(k+1)/(6n)) is compared with the studentized range of k means and infinite degrees of
    freedom, over sqrt(2). Which pairs differ depends on which other models are in the table.

    Parameters
    ----------
    scores : Scores, mapping of model to scores, DataFrame (one column per model), or array (datasets x models)
    alpha : float
        The level of the critical difference.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.

    See Also
    --------
    friedman_test : all models at once.
    bonferroni_dunn_test : one model against the others.
    bayescmp.plots.plot_critical_difference : draws it.

    References
    ----------
    Nemenyi (1963). Distribution-free multiple comparisons. PhD thesis, Princeton. Demsar (2006). JMLR 7.

    Examples
    --------
    >>> import bayescmp as bc
    >>> tests = bc.frequentist.nemenyi_test(bc.load_domains())
    >>> round(tests.critical_difference, 6)
    1.048135
    """
    check_alpha(alpha)
    table, ranks = ranked(scores, "nemenyi_test", higher_is_better)
    k = len(table.models)
    gap, unit, fields = _of_pairs(table, ranks, *all_pairs(k), alpha)
    p = floats(studentized_range_sf(np.abs(gap) / unit * math.sqrt(2), k))
    return PairwiseTests(
        **fields,
        method="Nemenyi test, studentized range with infinite df",
        statistic_name="q",
        p_value=p,
        p_adjusted=p,
        adjustment="Nemenyi",
        critical_difference=studentized_range_ppf(1 - alpha, k) / math.sqrt(2) * unit,
    )


def bonferroni_dunn_test(
    scores: Any,
    *,
    control: str,
    adjust: str = "bonferroni",
    alpha: float = 0.05,
    higher_is_better: bool | None = None,
) -> PairwiseTests:
    """Every model against a control by mean ranks, z = (R_b - R_a)/sqrt(k(k+1)/(6n)), adjusted for k - 1 tests.

    Parameters
    ----------
    scores : Scores, mapping of model to scores, DataFrame (one column per model), or array (datasets x models)
    control : str
        The model that the others are compared with; "A" of every pair.
    adjust : str
        Dunn's is "bonferroni"; "holm", "hochberg", "finner" and the like are at least as powerful.
    alpha : float
        The level of the critical difference.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.

    See Also
    --------
    nemenyi_test : all pairs.
    friedman_test : all models at once.

    References
    ----------
    Dunn (1961). Multiple comparisons among means. JASA 56. Demsar (2006). JMLR 7.

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.frequentist.bonferroni_dunn_test(bc.load_uci(), control="rf").pairs[0]
    ('rf', 'nb')
    """
    check_alpha(alpha)
    check_adjustment(adjust)
    table, ranks = ranked(scores, "bonferroni_dunn_test", higher_is_better)
    gap, unit, fields = _of_pairs(table, ranks, *pairs_of(table.models, control), alpha)
    p = 2 * ndtr(-np.abs(gap) / unit)
    dunn = adjust == "bonferroni"
    return PairwiseTests(
        **fields,
        method="Bonferroni-Dunn test, normal" if dunn else "mean ranks against a control, normal",
        statistic_name="z",
        p_value=floats(p),
        p_adjusted=floats(adjust_p_values(p, adjust)),
        adjustment=adjust,
        control=control,
        critical_difference=float(-ndtri(alpha / (2 * len(gap))) * unit) if dunn else None,
    )


def rank_table(scores: Any, *, higher_is_better: bool | None = None) -> "pd.DataFrame":
    """The ranks of the models on each dataset, and their means: the table behind the Friedman test.

    Parameters
    ----------
    scores : Scores, mapping of model to scores, DataFrame (one column per model), or array (datasets x models)
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.

    Returns
    -------
    DataFrame
        Datasets x models, 1 for the best, average ranks for ties; the last row has the mean ranks.

    See Also
    --------
    friedman_test, nemenyi_test : tests of the mean ranks.
    signed_rank_table : the table behind the signed-rank test of two models.

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.frequentist.rank_table(bc.load_domains()).tail(1).round(2)
                 A    B    C
    mean rank  1.5  3.0  1.5
    """
    from bayescmp.needs import pandas as pd

    table = complete_table(scores, test="rank_table", higher_is_better=higher_is_better, relative=True)
    rows = np.vstack([table.ranks, table.ranks.mean(axis=0)])
    return pd.DataFrame(rows, index=[*table.blocks, "mean rank"], columns=list(table.models))


# ---- the steps


def ranked(scores: Any, test: str, higher_is_better: bool | None, *, relative: bool = True) -> tuple[Table, Floats]:
    """The complete table, and the ranks of the models on each dataset, 1 for the best."""
    table = complete_table(scores, test=test, higher_is_better=higher_is_better, least_models=3, relative=relative)
    return table, table.ranks


def friedman_statistic(ranks: Floats, tie_corrected: bool) -> float:
    """chi2_F from ranks, datasets x models; 0 where all models tie everywhere."""
    n, k = ranks.shape
    between = float(((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum())
    if not tie_corrected:
        return 12 * between / (n * k * (k + 1))
    within = float(((ranks - (k + 1) / 2) ** 2).sum())
    return (k - 1) * between / within if within > 0 else 0.0


def _tie_words(tie_corrected: bool) -> str:
    return "tie-corrected" if tie_corrected else "without tie correction"


def _fields(table: Table, ranks: Floats) -> dict[str, Any]:
    """What all tests of ranks report alike."""
    sums, means = (dict(zip(table.models, x.tolist(), strict=True)) for x in (ranks.sum(axis=0), ranks.mean(axis=0)))
    return table.about() | {"n": len(ranks), "details": {"mean_ranks": means, "rank_sums": sums}}


def _of_pairs(table: Table, ranks: Floats, i: Ints, j: Ints, alpha: float) -> tuple[Floats, float, dict[str, Any]]:
    """The pairs' differences of mean ranks, their standard error, and what both post-hoc tests report alike."""
    n, k = ranks.shape
    means = ranks.mean(axis=0)
    gap, unit = means[j] - means[i], math.sqrt(k * (k + 1) / (6 * n))
    fields = table.about() | {
        "pairs": pair_names(table.models, i, j),
        "statistic": floats(gap / unit),
        "estimate": floats(gap),
        "estimate_name": "mean rank difference",
        "n": (n,) * len(i),
        "notes": table.notes,
        "details": {"alpha": alpha, "mean_ranks": dict(zip(table.models, means.tolist(), strict=True))},
    }
    return gap, unit, fields


def _notes(table: Table, ranks: Floats) -> tuple[str, ...]:
    """What was left out, and whether the models differ anywhere."""
    if np.ptp(ranks, axis=1).any():
        return table.notes
    note = "all models are equal on every dataset"
    warn(f"{note}: nothing is left to test.", DegenerateWarning)
    return (*table.notes, note)
