"""Which models differ? Post-hoc tests over datasets: Nemenyi, Bonferroni-Dunn, and Wilcoxon for every pair."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from bayescmp.errors import MissingWarning, ScoresError, name_list, unknown_name
from bayescmp.frequentist.adjust import LOGICAL, adjust_p_values, check_adjustment
from bayescmp.frequentist.inputs import as_scores, check_same_folds
from bayescmp.frequentist.omnibus import ranked
from bayescmp.frequentist.pairwise import PairwiseTests
from bayescmp.frequentist.rank_effects import rank_biserial_core
from bayescmp.frequentist.rank_tests import check_options, wilcoxon_name, wilcoxon_p
from bayescmp.frequentist.ranks import signed_ranks
from bayescmp.frequentist.studentized_range import studentized_range_ppf, studentized_range_sf
from bayescmp.scores.pair import rounding_of
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
Ints = NDArray[np.int_]
PAIRS_AT_A_TIME = 128


def nemenyi_test(scores: Any, *, alpha: float = 0.05, higher_is_better: bool | None = None) -> PairwiseTests:
    """Nemenyi's test of all pairs after Friedman's: mean ranks farther apart than the critical difference differ.

    q = |R_a - R_b| / sqrt(k(k+1)/(6n)) is compared with the studentized range of k means and infinite degrees of
    freedom, over sqrt(2). Which pairs differ depends on which other models are in the table.

    Parameters
    ----------
    scores : Scores, mapping of model to scores, DataFrame (a column a model), or array (datasets x models)
    alpha : float
        The level of the critical difference.

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
    _check_alpha(alpha)
    table, ranks = ranked(scores, "nemenyi_test", higher_is_better)
    n, k = ranks.shape
    i, j = _all_pairs(k)
    unit = math.sqrt(k * (k + 1) / (6 * n))
    gap = ranks.mean(axis=0)[j] - ranks.mean(axis=0)[i]
    p = studentized_range_sf(np.abs(gap) / unit * math.sqrt(2), k)
    critical = studentized_range_ppf(1 - alpha, k) / math.sqrt(2) * unit
    return PairwiseTests(
        **table.about(),
        method="Nemenyi test, studentized range with infinite df",
        pairs=_names(table.models, i, j),
        statistic_name="q",
        statistic=_floats(gap / unit),
        p_value=_floats(p),
        p_adjusted=_floats(p),
        adjustment="Nemenyi",
        estimate=_floats(gap),
        estimate_name="mean rank difference",
        n=(n,) * len(i),
        critical_difference=critical,
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
    control : str
        The model that the others are compared with; "A" of every pair.
    adjust : str
        Dunn's is "bonferroni"; "holm", "hochberg", "finner" and the like are at least as powerful.

    References
    ----------
    Dunn (1961). Multiple comparisons among means. JASA 56. Demsar (2006). JMLR 7.
    """
    _check_alpha(alpha)
    check_adjustment(adjust)
    table, ranks = ranked(scores, "bonferroni_dunn_test", higher_is_better)
    n, k = ranks.shape
    i, j = _pairs_of(table.models, control)
    unit = math.sqrt(k * (k + 1) / (6 * n))
    gap = ranks.mean(axis=0)[j] - ranks.mean(axis=0)[i]
    p = 2 * ndtr(-np.abs(gap) / unit)
    return PairwiseTests(
        **table.about(),
        method="Bonferroni-Dunn test, normal" if adjust == "bonferroni" else "mean ranks against a control, normal",
        pairs=_names(table.models, i, j),
        statistic_name="z",
        statistic=_floats(gap / unit),
        p_value=_floats(p),
        p_adjusted=_floats(adjust_p_values(p, adjust)),
        adjustment=adjust,
        estimate=_floats(gap),
        estimate_name="mean rank difference",
        n=(n,) * len(i),
        control=control,
        critical_difference=float(-ndtri(alpha / (2 * (k - 1))) * unit) if adjust == "bonferroni" else None,
        details={
            "alpha": alpha,
            "mean_ranks": dict(zip(table.models, ranks.mean(axis=0).tolist(), strict=True)),
        },
    )


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
) -> PairwiseTests:
    """The Wilcoxon signed-rank test of every pair of models, all at once, with adjusted p-values.

    Unlike Nemenyi's test, the verdict on a pair does not depend on the other models but for the adjustment (Benavoli
    et al. 2016). Each pair is compared on the datasets where both models were run.

    Parameters
    ----------
    adjust : str
        "none", "bonferroni", "holm", "hochberg", "hommel", "finner", "bh", "by", and for all pairs "shaffer" or
        "bergmann-hommel" (up to 9 models).
    control : str, optional
        Compare this model with every other one, instead of all pairs.
    alternative, zero_method, method, correction
        As in `wilcoxon_test`.

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
    check_options(alternative, zero_method, method)
    check_adjustment(adjust)
    if control is not None and adjust in LOGICAL:
        raise ValueError(f'"{adjust}" is for all pairs of models; with a control use "holm" or "finner".')
    table = as_scores(scores, "datasets", higher_is_better)
    if len(table.models) < 2:
        raise ScoresError(f"Pairs need at least 2 models, got {name_list(table.models)}.")
    i, j = _pairs_of(table.models, control)
    means, sizes = _means(table)
    columns = [
        _wilcoxon_of(table, means, sizes, i[part], j[part], alternative, zero_method, method, correction)
        for part in _parts(len(i))
    ]
    plus, minus, n, p, exact, gap, r, low, high = (np.concatenate(c) for c in zip(*columns, strict=True))
    two_sided = alternative == "two-sided"
    notes: tuple[str, ...] = ()
    if exact.any() and not exact.all():
        notes = (f"exact for {int(exact.sum())} of {len(i)} pairs, asymptotic for those with more datasets",)
    return PairwiseTests(
        method=wilcoxon_name(bool(exact.all()), zero_method, correction),
        models=table.models,
        pairs=_names(table.models, i, j),
        statistic_name="T" if two_sided else "W+",
        statistic=_floats(np.minimum(plus, minus) if two_sided else plus),
        p_value=_floats(p),
        p_adjusted=_floats(adjust_p_values(p, adjust, all_pairs=control is None)),
        adjustment=adjust,
        alternative=alternative,
        estimate=_floats(gap),
        estimate_name="mean difference",
        n=tuple(n.tolist()),
        effect_name="rank-biserial r",
        effect=_floats(r),
        effect_interval=tuple(zip(low.tolist(), high.tolist(), strict=True)),
        control=control,
        notes=notes,
        metric=table.metric,
        higher_is_better=table.higher_is_better,
        scale=table.scale,
        datasets=table.datasets,
    )


# ---- the steps


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


def _means(scores: Scores) -> tuple[Floats, Floats]:
    """Mean score and largest absolute score of each model on each dataset; NaN where it was not run."""
    check_same_folds(scores)
    ran = scores.counts > 0
    if not ran.all():
        absent = [m for m, on in zip(scores.models, ran, strict=True) if not on.all()]
        warnings.warn(
            f"{name_list(absent)} did not run on every dataset: each pair is compared on the datasets of both.",
            MissingWarning,
            stacklevel=4,
        )
        both = (ran[:, None] & ran[None]).sum(axis=2)
        if (both == 0).any():
            a, b = np.argwhere(both == 0)[0]
            raise ScoresError(
                f'There is no dataset on which both "{scores.models[a]}" and "{scores.models[b]}" were run. Score them '
                "on the same datasets."
            )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the mean of no score is NaN, as wanted
        return np.nanmean(scores.values, axis=2), np.nanmax(np.abs(scores.values), axis=2)


def _parts(m: int) -> list[slice]:
    return [slice(start, start + PAIRS_AT_A_TIME) for start in range(0, m, PAIRS_AT_A_TIME)]


def _pairs_of(models: Sequence[str], control: str | None) -> tuple[Ints, Ints]:
    if control is None:
        return _all_pairs(len(models))
    if control not in models:
        raise unknown_name("model", control, models)
    at = list(models).index(control)
    others = np.array([i for i in range(len(models)) if i != at])
    return np.full(len(others), at), others


def _all_pairs(k: int) -> tuple[Ints, Ints]:
    i, j = np.triu_indices(k, 1)
    return i, j


def _names(models: Sequence[str], i: Ints, j: Ints) -> tuple[tuple[str, str], ...]:
    return tuple((models[a], models[b]) for a, b in zip(i.tolist(), j.tolist(), strict=True))


def _floats(x: Floats) -> tuple[float, ...]:
    return tuple(x.tolist())


def _check_alpha(alpha: float) -> None:
    if not 0 < alpha < 1:
        raise ValueError(f"`alpha` must be between 0 and 1, got {alpha!r}.")
