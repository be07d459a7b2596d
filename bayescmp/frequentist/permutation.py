"""Permutation tests: flip the signs of paired differences, or deal the scores of two groups anew.

A rearrangement counts where its statistic is at least as extreme as the observed one, equal ones included: counting
only larger ones, as one finds it in print, gives p = 0 for the most extreme sample.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.checks import check_alternative, check_count, check_switch, checked_seed
from bayescmp.errors import ScoresError
from bayescmp.frequentist.result import TestResult
from bayescmp.frequentist.t_tests import type_one_error
from bayescmp.scores.inputs import as_pair, unpaired
from bayescmp.scores.pair import ROUNDING, Pair
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
EXACT_SIGNS_UP_TO = 40
"""Differences other than 0 for which all sign patterns are counted."""
EXACT_GROUPS_UP_TO = 2**20
"""Ways to deal two groups that are all counted."""
CHUNK = 2_000_000
"""Numbers that a Monte-Carlo test holds at once."""


def permutation_test(
    a: Pair | Scores | ArrayLike,
    b: ArrayLike | None = None,
    *,
    paired: bool = True,
    dataset: str | None = None,
    alternative: str = "two-sided",
    resamples: int = 99_999,
    random_seed: int | None = None,
    higher_is_better: bool | None = None,
) -> TestResult:
    """Permutation test of the mean difference A - B.

    Paired: if A and B are alike, every difference could as well have the other sign. All sign patterns are counted up
    to 40 differences (in two halves, so that 2^40 take 2^20 steps). Not paired: if they are alike, any of the scores
    could be in either group; all ways to deal them are counted up to 2^20. Beyond, by Monte Carlo with
    p = (b + 1) / (B + 1).

    Parameters
    ----------
    a, b : Pair, or two arrays
        Arrays are paired observations (not paired: two samples). A pair on one dataset is compared by its folds, on
        many by the datasets' means.
    paired : bool
    dataset : str, optional
        The dataset to test, of a pair with several; without it all of them are tested, by their means.
    alternative : "two-sided", "greater" (A better) or "less"
        Two-sided counts by the absolute mean difference.
    resamples : int
        B, where not all are counted. The Monte-Carlo standard error is `details["mcse"]`.
    random_seed : int, optional
        Drawn and recorded if not given.
    higher_is_better : bool, optional
        With arrays; True if not given.

    See Also
    --------
    wilcoxon_test, paired_ttest

    Notes
    -----
    The folds of a cross-validation share training data, so their differences' signs are not independent and the test
    rejects too often, which a note points out. Use `corrected_ttest` there.

    References
    ----------
    Phipson, Smyth (2010). Permutation p-values should never be zero. Pagano, Tritchler (1983). On obtaining permutation
    distributions in polynomial time.

    Examples
    --------
    >>> from bayescmp.frequentist import permutation_test
    >>> permutation_test([0.9, 0.8, 0.85, 0.7], [0.8, 0.75, 0.8, 0.72]).p_value
    0.25
    >>> round(permutation_test([2, 5], [6], paired=False).p_value, 4)
    0.6667
    """
    check_alternative(alternative)
    check_switch("paired", paired)
    resamples = check_count("resamples", resamples)
    seed = checked_seed(random_seed)
    if paired:
        return _sign_flip(a, b, dataset, alternative, resamples, seed, higher_is_better)
    return _two_samples(a, b, dataset, alternative, resamples, seed, higher_is_better)


# ---- paired: signs


def _sign_flip(
    a: Any, b: Any, dataset: str | None, alternative: str, resamples: int, seed: int, higher_is_better: bool | None
) -> TestResult:
    pair = as_pair(a, b, arrays_are="folds", higher_is_better=higher_is_better)
    if dataset is not None:
        pair = pair.select(dataset)
    one = len(pair.datasets) == 1
    d = pair.differences[0] if one else pair.means
    rounding = np.broadcast_to(pair.rounding, d.shape)
    if d.size < 2:
        raise ScoresError(
            f"`permutation_test` needs at least 2 paired scores, but `{pair.a}` and `{pair.b}` have {d.size}. Give the "
            "score of every fold or dataset; one score cannot be tested, unless with mcnemar_test on the instances."
        )
    counts = np.abs(d) > rounding
    sizes = np.abs(d[counts])
    _check_sum(sizes)
    total, tolerance = float(d[counts].sum()), float(rounding.sum())
    exact = sizes.size <= EXACT_SIGNS_UP_TO
    if not sizes.size:
        p = 1.0
    elif exact:
        p = _exact_signs(sizes, total, tolerance, alternative)
    else:
        p = _monte_carlo_signs(sizes, total, tolerance, alternative, resamples, np.random.default_rng(seed))
    unit = "paired scores" if not isinstance(a, (Pair, Scores)) else "folds" if one else "means of the datasets"
    return TestResult(
        **pair.about(models=True),
        method=f"sign-flip permutation test of {unit} ({_how(exact, resamples)})",
        statistic=total,
        statistic_name="T",
        statistic_swapped=-total,
        p_value=p,
        n=d.size,
        alternative=alternative,
        estimate=float(d.mean()) if sizes.size else 0.0,
        estimate_name=f"mean {pair.difference_name}",
        notes=_notes(sizes.size, exact, alternative, d.size)
        + (_fold_notes(pair, isinstance(a, Pair | Scores)) if one else ()),
        random_seed=None if exact else seed,
        details=_details(exact, 2**sizes.size, p, resamples) | {"zeros": int(d.size - sizes.size)},
    )


def _exact_signs(sizes: Floats, total: float, tolerance: float, alternative: str) -> float:
    """The share of all sign patterns as extreme as the observed one."""
    if alternative == "two-sided":
        if abs(total) <= tolerance:
            return 1.0
        return 2 * _share_of_sums(sizes, abs(total) - tolerance)
    # the distribution is symmetric, so the lower tail is the upper one of -total
    return _share_of_sums(sizes, (total if alternative == "greater" else -total) - tolerance)


def _share_of_sums(sizes: Floats, least: float) -> float:
    """The share of sums with signs that are at least `least`: all sums of one half against the sorted of the other."""
    half = sizes.size // 2
    left, right = (_signed_sums(part) for part in (sizes[:half], sizes[half:]))
    right.sort()
    left.sort()  # neighbours in one half look up neighbours in the other
    at_least = right.size - np.searchsorted(right, least - left, side="left")
    return int(at_least.sum()) / 2**sizes.size


def _signed_sums(sizes: Floats) -> Floats:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _monte_carlo_signs(
    sizes: Floats, total: float, tolerance: float, alternative: str, resamples: int, rng: np.random.Generator
) -> float:
    extreme = 0
    rows = max(1, CHUNK // sizes.size)
    for start in range(0, resamples, rows):
        chunk = min(rows, resamples - start)
        octets = rng.integers(0, 256, (chunk, -(-sizes.size // 8)), dtype=np.uint8)
        signs = np.unpackbits(octets, axis=1, count=sizes.size)
        extreme += _count_extreme(2 * (signs @ sizes) - sizes.sum(), total, tolerance, alternative)
    return (extreme + 1) / (resamples + 1)


def _count_extreme(sums: Floats, observed: float, tolerance: float, alternative: str) -> int:
    if alternative == "two-sided":
        return int((np.abs(sums) >= abs(observed) - tolerance).sum())
    side = 1 if alternative == "greater" else -1
    return int((side * sums >= side * observed - tolerance).sum())


def _fold_notes(pair: Pair, known_origin: bool) -> tuple[str, ...]:
    """Flipping single signs assumes folds that are independent of each other."""
    design = pair.resampling[0]
    if design is None:
        if not known_origin:
            return ()
        return (
            "how the scores were resampled is not known: if their training sets overlap, the signs of the differences "
            "are not independent and the test rejects too often; corrected_ttest takes that into account",
        )
    if design.rho == 0:
        return ()
    level = type_one_error(int(pair.counts[0]), design.rho)
    return (
        f"the folds' training sets overlap (rho = {design.rho:.3f}), so the signs of their differences are not "
        f"independent: expect a type-I error of about {level:.2f} instead of 0.05 if the folds are equally correlated; "
        "use corrected_ttest",
    )


# ---- not paired: groups


def _two_samples(
    a: Any, b: Any, dataset: str | None, alternative: str, resamples: int, seed: int, higher_is_better: bool | None
) -> TestResult:
    runs = unpaired(a, b, test="permutation_test", dataset=dataset, higher_is_better=higher_is_better, least=1)
    x, y = runs.oriented
    if runs.n < 3:
        raise ScoresError("`permutation_test` needs at least 3 scores in both groups together, got 1 and 1.")
    pooled = np.concatenate([x, y])
    _check_sum(pooled)
    pooled = pooled - pooled.mean()  # around 0 the sums lose the fewest digits
    n_a, n_b = x.size, y.size
    observed = float(pooled[:n_a].mean() - pooled[n_a:].mean())
    # the mean difference is the smaller group's sum, but for a factor, since all scores together sum to 0
    small, sign = min(n_a, n_b), 1.0 if n_a <= n_b else -1.0
    factor = sign * (1 / n_a + 1 / n_b)
    tolerance = ROUNDING * float(np.abs([*x, *y]).max()) * small * abs(factor)
    ways = math.comb(n_a + n_b, small)
    alike = bool(np.ptp(pooled) <= ROUNDING * np.abs([*x, *y]).max())
    exact = alike or ways <= EXACT_GROUPS_UP_TO
    if alike:
        p = 1.0
    elif exact:
        p = _count_extreme(factor * _group_sums(pooled, small), observed, tolerance, alternative) / ways
    else:
        extreme, rng, rows = 0, np.random.default_rng(seed), max(1, CHUNK // pooled.size)
        for start in range(0, resamples, rows):
            dealt = rng.permuted(np.tile(pooled, (min(rows, resamples - start), 1)), axis=1)
            extreme += _count_extreme(factor * dealt[:, :small].sum(axis=1), observed, tolerance, alternative)
        p = (extreme + 1) / (resamples + 1)
    return TestResult(
        method=f"permutation test of two independent samples ({_how(exact, resamples)})",
        models=runs.models,
        **runs.about(),
        statistic=0.0 if alike else observed,
        statistic_name="T",
        statistic_swapped=0.0 if alike else -observed,
        p_value=p,
        n=n_a + n_b,
        alternative=alternative,
        estimate=0.0 if alike else observed,
        notes=("all scores are equal: any dealing is as extreme as the observed one",) if alike else (),
        random_seed=None if exact else seed,
        details=_details(exact, ways, p, resamples) | {"n_a": n_a, "n_b": n_b},
    )


def _group_sums(values: Floats, size: int) -> Floats:
    """The sums of all groups of `size` values, in the order of their last members: shorter lists are prefixes."""
    sums = values
    for k in range(2, size + 1):
        sums = np.concatenate([sums[: math.comb(last, k - 1)] + values[last] for last in range(k - 1, values.size)])
    return sums


# ---- both


def _check_sum(values: Floats) -> None:
    if values.size and np.abs(values).max() > 1e300 / values.size:
        raise ScoresError("Scores must be small enough for their sums to be finite. Change their unit.")


def _how(exact: bool, resamples: int) -> str:
    return "exact" if exact else f"Monte Carlo, {resamples} resamples"


def _details(exact: bool, arrangements: int, p: float, resamples: int) -> dict[str, Any]:
    if exact:
        return {"arrangements": arrangements, "mcse": 0.0}
    return {"resamples": resamples, "mcse": math.sqrt(p * (1 - p) / (resamples + 1))}


def _notes(n: int, exact: bool, alternative: str, given: int) -> tuple[str, ...]:
    if not n:
        return (f"all {given} differences are 0: any signs are as extreme as the observed ones",)
    least = 2.0 ** ((1 if alternative == "two-sided" else 0) - n)
    if exact and least > 0.05:
        return (f"with {n} differences other than 0 no p-value below {least:.4g} is possible",)
    return ()
