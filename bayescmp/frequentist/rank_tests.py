"""Two models, many datasets: the sign test and the Wilcoxon signed-rank test, exact also with ties and zeros."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.checks import check_alternative, check_switch, is_one_of
from bayescmp.errors import DegenerateWarning, warn
from bayescmp.frequentist.effect_sizes import rank_biserial_core, rank_biserial_effect
from bayescmp.frequentist.intervals import MedianInterval, WalshInterval, hodges_lehmann
from bayescmp.frequentist.result import EffectSize, TestResult
from bayescmp.numerics.binomial import fair_coin_p
from bayescmp.numerics.moments import mean
from bayescmp.numerics.ranks import (
    SignedRanks,
    asymptotic_p,
    check_zero_method,
    exact_p,
    kept_differences,
    signed_ranks,
)
from bayescmp.scores.inputs import check_units, many_datasets
from bayescmp.scores.pair import Pair

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

EXACT_UP_TO = 50
"""Differences for which method="auto" enumerates; above, the normal approximation is good to three digits."""


def wilcoxon_test(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    alternative: str = "two-sided",
    zero_method: str = "wilcox",
    method: str = "auto",
    correction: bool = False,
    higher_is_better: bool | None = None,
    mixed_units: bool = False,
) -> TestResult:
    """The Wilcoxon signed-rank test of the datasets' mean differences.

    Parameters
    ----------
    a : Pair, or array with one score of A for each dataset
        A 2-D array is datasets x folds, of which the means over folds are compared.
    b : array with B's scores on the same datasets, where `a` is an array
    alternative : "two-sided", "greater" (A better) or "less" (B better)
    zero_method : "wilcox" (zero differences are dropped), "pratt" (ranked, then dropped) or "zsplit" (their ranks are
        split between both sides)
    method : "exact", "asymptotic" or "auto"
        Exact is the permutation distribution over all signs, given the ties and zeros that are there. "auto" is exact
        up to 50 differences. Asymptotic is the normal with the mean and variance of that distribution; zeros have no
        sign and add no variance, also with "zsplit" (scipy's adds some, so its p is larger there).
    correction : bool
        The continuity correction of the normal approximation.
    higher_is_better : bool
        The direction, where arrays are given; True by default.
    mixed_units : bool
        Rank differences also where the typical sizes of unbounded scores show that datasets have different units.

    Returns
    -------
    TestResult
        T, the smaller rank sum (W+ for one-sided tests); the Hodges-Lehmann difference with its signed-rank interval;
        the rank-biserial r.

    See Also
    --------
    sign_test, pairwise_wilcoxon_test, bayescmp.bayes.signed_rank_test

    References
    ----------
    Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1. Pratt (1959). Remarks on zeros
    and ties in the Wilcoxon signed rank procedures. JASA 54. Demsar (2006). Statistical comparisons of classifiers
    over multiple data sets. JMLR 7.

    Examples
    --------
    >>> import bayescmp as bc
    >>> result = bc.frequentist.wilcoxon_test(bc.load_domains().pair("A", "C"))
    >>> result.statistic, result.p_value
    (23.0, 0.6953125)
    """
    check_switch("correction", correction)
    pair = many_datasets(a, b, test="wilcoxon_test", higher_is_better=higher_is_better)
    mixed = check_units(pair, "wilcoxon_test", mixed_units)
    check_options(alternative, zero_method, method)
    result = wilcoxon_result(
        pair.about(models=True), pair.means, pair.rounding, alternative, zero_method, method, correction
    )
    return replace(result, notes=(*mixed, *result.notes))


def sign_test(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    ties: str = "split",
    alternative: str = "two-sided",
    higher_is_better: bool | None = None,
) -> TestResult:
    """The exact sign test: wins of A among the datasets are Binomial(n, 1/2) if no model is better.

    Parameters
    ----------
    ties : "split" or "drop"
        Give half of the equal scores to each model (one is dropped where their number is odd), or leave them out.
    a, b, alternative, higher_is_better
        As in `wilcoxon_test`; 2-D arrays are datasets x folds.

    See Also
    --------
    wilcoxon_test : uses the sizes of the differences as well.
    bayescmp.bayes.sign_test : the Bayesian sibling, with a rope instead of ties.

    Examples
    --------
    >>> sign_test([3, 4, 5, 6, 7], [1, 2, 3, 4, 8], ties="drop").p_value
    0.375
    """
    if not is_one_of(ties, ("drop", "split")):
        raise ValueError(f'`ties` must be "drop" or "split", got {ties!r}.')
    pair = many_datasets(a, b, test="sign_test", higher_is_better=higher_is_better)
    check_alternative(alternative)
    wins, losses, equal, won, n = (int(x) for x in sign_counts(pair.means, pair.rounding, ties))
    half = won - wins
    notes = []
    if wins + losses == 0:
        notes.append(_identical((pair.a, pair.b)))
    elif equal:
        fate = [f"{count} {what}" for count, what in ((2 * half, "split"), (equal - 2 * half, "dropped")) if count]
        notes.append(f"both models are equal on {equal} of {len(pair.datasets)} datasets: {', '.join(fate)}")
    return TestResult(
        **pair.about(models=True),
        method=sign_name(ties),
        statistic=float(won),
        statistic_name="wins",
        statistic_swapped=float(n - won),
        p_value=float(fair_coin_p(won, n, alternative)),
        alternative=alternative,
        n=n,
        estimate=float(np.median(pair.means)),
        estimate_name="median difference",
        effect_size=EffectSize(name=WIN_SHARE, value=(2 * won - n) / n if n else 0.0, method=f"ties {ties}"),
        interval=MedianInterval(tuple(pair.means.tolist())),
        notes=tuple(notes),
        details={"wins": wins, "losses": losses, "ties": equal},
    )


def sign_counts(means: Floats, rounding: Floats, ties: str) -> tuple[Any, ...]:
    """Datasets won, lost and equal along the last axis; then the wins and the n of the test, with the ties split."""
    signs = np.where(np.abs(means) <= rounding, 0, np.sign(means))
    wins, losses, equal = ((signs == s).sum(axis=-1) for s in (1, -1, 0))
    half = equal // 2 if ties == "split" else 0 * equal
    return wins, losses, equal, wins + half, wins + losses + 2 * half


def sign_name(ties: str) -> str:
    """The method with everything that changes its number."""
    return f"sign test, exact, ties {'split' if ties == 'split' else 'dropped'}"


WIN_SHARE = "share of wins minus losses"


def signed_rank_table(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    zero_method: str = "wilcox",
    higher_is_better: bool | None = None,
) -> "pd.DataFrame":
    """The table from which textbooks compute the signed-rank test: one row per dataset with its signed rank.

    Parameters
    ----------
    a, b : a pair, or the scores of the two models on the same datasets
    zero_method : "wilcox", "pratt" or "zsplit"
        As in `wilcoxon_test`: with "wilcox" differences of zero are not ranked.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.

    Returns
    -------
    DataFrame
        The mean scores `a` and `b`, their `difference` (positive favours A), the `rank` of its size, and the
        `signed_rank`; zero differences have a signed rank of 0, and no rank where they are not ranked. The positive
        signed ranks sum to W+.

    See Also
    --------
    wilcoxon_test : the test.
    rank_table : the ranks of many models.

    Examples
    --------
    >>> import bayescmp as bc
    >>> table = bc.frequentist.signed_rank_table(bc.load_domains().pair("A", "C"))
    >>> float(table["signed_rank"].clip(lower=0).sum())
    32.0
    """
    from bayescmp.needs import pandas as pd

    check_zero_method(zero_method)
    pair = many_datasets(a, b, test="signed_rank_table", higher_is_better=higher_is_better)
    size, zero = np.abs(pair.means), np.abs(pair.means) <= pair.rounding
    found = signed_ranks(pair.means[None], pair.rounding[None], zero_method)
    # the ranks come in the order of the sizes, in which zero differences are last ("wilcox") or first
    order = np.argsort(np.where(zero, np.nan if zero_method == "wilcox" else 0.0, size))
    ranks = np.full(len(size), np.nan)
    ranks[order] = (found.first[0] + found.last[0]) / 2 + 1
    if zero_method == "wilcox":
        ranks[zero] = np.nan
    return pd.DataFrame(
        {
            "dataset": list(pair.datasets),
            "a": mean(pair.scores_a),
            "b": mean(pair.scores_b),
            "difference": np.where(zero, 0.0, pair.means),
            "rank": ranks,
            "signed_rank": np.where(zero, 0.0, np.sign(pair.means) * ranks),
        }
    )


def wilcoxon_result(
    about: dict[str, Any],
    differences: Floats,
    rounding: Floats,
    alternative: str,
    zero_method: str,
    method: str,
    correction: bool,
) -> TestResult:
    """The signed-rank test of one difference per dataset; `about` has the models and the other facts of the pair."""
    ranked = signed_ranks(differences[None], rounding[None], zero_method)
    p, exact = wilcoxon_p(ranked, alternative, method, correction)
    used = kept_differences(differences, rounding, zero_method)
    r, low, high = (float(x[0]) for x in rank_biserial_core(ranked, 0.95))
    two_sided = alternative == "two-sided"
    plus, minus = float(ranked.plus[0]), float(ranked.minus[0])
    return TestResult(
        **about,
        method=wilcoxon_name(bool(exact[0]), zero_method, correction),
        statistic=min(plus, minus) if two_sided else plus,
        statistic_name="T" if two_sided else "W+",
        statistic_swapped=None if two_sided else minus,
        p_value=float(p[0]),
        alternative=alternative,
        n=int(ranked.n[0]),
        estimate=hodges_lehmann(used) if used.size else 0.0,
        estimate_name="Hodges-Lehmann difference",
        effect_size=rank_biserial_effect(r, low, high, 0.95, zero_method),
        interval=WalshInterval(tuple(used.tolist())) if used.size else None,
        notes=_notes(about["models"], ranked, len(differences), alternative, bool(exact[0]), zero_method),
        details={
            "w_plus": plus,
            "w_minus": minus,
            "zeros": int(ranked.zeros[0]),
            "r_of_z": r_of_z(ranked),
        },
    )


def r_of_z(ranked: SignedRanks) -> float:
    """r = z/sqrt(n) with the z of the normal approximation without continuity correction; positive favours A.

    It is what many papers report, and is at most about 0.87, unlike the rank-biserial correlation.
    """
    z = asymptotic_p(ranked, "two-sided", False)[0]
    return float(z[0] / np.sqrt(ranked.n[0])) if ranked.n[0] else 0.0


def wilcoxon_p(
    ranked: SignedRanks, alternative: str, method: str, correction: bool
) -> tuple[Floats, NDArray[np.bool_]]:
    """p-values of many pairs at once, and which of them are exact."""
    exact = ranked.n <= EXACT_UP_TO if method == "auto" else np.full(ranked.n.shape, method == "exact")
    p = asymptotic_p(ranked, alternative, correction)[1]
    if exact.any():
        p = np.array(p)
        p[exact] = exact_p(ranked.rows(exact), alternative)
    return p, exact


def wilcoxon_name(exact: bool, zero_method: str, correction: bool) -> str:
    """The method with everything that changes its number."""
    how = "exact" if exact else f"asymptotic, {'with' if correction else 'without'} continuity correction"
    return f"Wilcoxon signed-rank test, {how}, zeros: {zero_method}"


def check_options(alternative: str, zero_method: str, method: str) -> None:
    """Raises for unknown options of the signed-rank test."""
    check_alternative(alternative)
    check_zero_method(zero_method)
    if not is_one_of(method, ("auto", "exact", "asymptotic")):
        raise ValueError(f'`method` must be "auto", "exact" or "asymptotic", got {method!r}.')


def _notes(
    models: tuple[str, str], ranked: SignedRanks, datasets: int, alternative: str, exact: bool, zero_method: str
) -> tuple[str, ...]:
    notes = []
    n, zeros, signs = int(ranked.n[0]), int(ranked.zeros[0]), int((ranked.signs[0] != 0).sum())
    if zeros == datasets:
        return (_identical(models),)
    if zeros:
        how = {"wilcox": "dropped", "pratt": "ranked, then dropped", "zsplit": "their ranks split between both models"}
        notes.append(f"{zeros} of {datasets} differences are 0: {how[zero_method]}")
    smallest = 2.0 ** ((1 if alternative == "two-sided" else 0) - signs)
    if smallest > 0.05:
        notes.append(
            f"with {signs} differences other than 0 p cannot be below {smallest:.3g}: too few datasets to reject at "
            "0.05"
        )
    if not exact and n < 20:
        notes.append(f"the normal approximation is rough for {n} differences: use method='exact'")
    return tuple(notes)


def _identical(models: tuple[str, str]) -> str:
    note = f"{models[0]} and {models[1]} are equal on every dataset"
    warn(f"{note}: nothing is left to test.", DegenerateWarning)
    return note
