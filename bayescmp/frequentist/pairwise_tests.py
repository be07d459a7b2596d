"""A test for every pair of models, all at once, with adjusted p-values: Wilcoxon over datasets, t over folds."""

import warnings
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.checks import check_alternative, check_switch
from bayescmp.errors import DegenerateWarning, MissingWarning, ScoresError, name_list, warn
from bayescmp.frequentist.adjust import LOGICAL, adjust_p_values, check_adjustment
from bayescmp.frequentist.effect_sizes import dz_core
from bayescmp.frequentist.pairwise import PairwiseTests, floats, pair_names, pairs_of
from bayescmp.frequentist.rank_effects import rank_biserial_core
from bayescmp.frequentist.rank_tests import check_options, wilcoxon_name, wilcoxon_p
from bayescmp.frequentist.t_tests import corrected_name, overlap_notes
from bayescmp.numerics.ranks import signed_ranks
from bayescmp.numerics.student import student_p, student_parameters
from bayescmp.scores.inputs import as_scores, check_same_folds, complete_table
from bayescmp.scores.pair import rounding_of
from bayescmp.scores.resampling import unknown_design
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
Ints = NDArray[np.int_]
PAIRS_AT_A_TIME = 128


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
) -> PairwiseTests:
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


# ---- the steps


def _check_family(adjust: str, control: str | None) -> None:
    check_adjustment(adjust)
    if control is not None and adjust in LOGICAL:
        raise ValueError(f'"{adjust}" is for all pairs of models; with a control use "holm" or "finner".')


def _without_variation(pairs: tuple[tuple[str, str], ...], flat: NDArray[np.bool_], what: str) -> tuple[str, ...]:
    if not flat.any():
        return ()
    names = [f"{a} vs {b}" for (a, b), is_flat in zip(pairs, flat, strict=True) if is_flat]
    note = f"{what}: {', '.join(names[:5])}" + (f" and {len(names) - 5} more pairs" if len(names) > 5 else "")
    warn(f"{note}: the answer rests on no variation.", DegenerateWarning)
    return (note,)


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
