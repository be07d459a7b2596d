"""Which models differ? Post-hoc tests of mean ranks: Nemenyi for all pairs, Bonferroni-Dunn against a control."""

import math
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from bayescmp.checks import check_alpha
from bayescmp.frequentist.adjust import adjust_p_values, check_adjustment
from bayescmp.frequentist.omnibus import ranked
from bayescmp.frequentist.pairwise import PairwiseTests, all_pairs, floats, pair_names, pairs_of
from bayescmp.numerics.studentized_range import studentized_range_ppf, studentized_range_sf


def nemenyi_test(scores: Any, *, alpha: float = 0.05, higher_is_better: bool | None = None) -> PairwiseTests:
    """Nemenyi's test of all pairs after Friedman's: mean ranks farther apart than the critical difference differ.

    q = abs(R_a - R_b) / sqrt(k(k+1)/(6n)) is compared with the studentized range of k means and infinite degrees of
    freedom, over sqrt(2). Which pairs differ depends on which other models are in the table.

    Parameters
    ----------
    scores : Scores, mapping of model to scores, DataFrame (a column a model), or array (datasets x models)
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
    n, k = ranks.shape
    i, j = all_pairs(k)
    unit = math.sqrt(k * (k + 1) / (6 * n))
    gap = ranks.mean(axis=0)[j] - ranks.mean(axis=0)[i]
    p = studentized_range_sf(np.abs(gap) / unit * math.sqrt(2), k)
    critical = studentized_range_ppf(1 - alpha, k) / math.sqrt(2) * unit
    return PairwiseTests(
        **table.about(),
        method="Nemenyi test, studentized range with infinite df",
        pairs=pair_names(table.models, i, j),
        statistic_name="q",
        statistic=floats(gap / unit),
        p_value=floats(p),
        p_adjusted=floats(p),
        adjustment="Nemenyi",
        estimate=floats(gap),
        estimate_name="mean rank difference",
        n=(n,) * len(i),
        critical_difference=critical,
        notes=table.notes,
        details={
            "alpha": alpha,
            "mean_ranks": dict(zip(table.models, ranks.mean(axis=0).tolist(), strict=True)),
        },
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
    scores : Scores, mapping of model to scores, DataFrame (a column a model), or array (datasets x models)
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
    n, k = ranks.shape
    i, j = pairs_of(table.models, control)
    unit = math.sqrt(k * (k + 1) / (6 * n))
    gap = ranks.mean(axis=0)[j] - ranks.mean(axis=0)[i]
    p = 2 * ndtr(-np.abs(gap) / unit)
    return PairwiseTests(
        **table.about(),
        method="Bonferroni-Dunn test, normal" if adjust == "bonferroni" else "mean ranks against a control, normal",
        pairs=pair_names(table.models, i, j),
        statistic_name="z",
        statistic=floats(gap / unit),
        p_value=floats(p),
        p_adjusted=floats(adjust_p_values(p, adjust)),
        adjustment=adjust,
        estimate=floats(gap),
        estimate_name="mean rank difference",
        n=(n,) * len(i),
        control=control,
        critical_difference=float(-ndtri(alpha / (2 * (k - 1))) * unit) if adjust == "bonferroni" else None,
        notes=table.notes,
        details={
            "alpha": alpha,
            "mean_ranks": dict(zip(table.models, ranks.mean(axis=0).tolist(), strict=True)),
        },
    )
