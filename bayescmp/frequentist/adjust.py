"""Adjusted p-values for a family of tests.

bonferroni, holm, hochberg, hommel, finner control the chance of any false rejection; bh and by the share of false
rejections; shaffer and bergmann-hommel use that the tests are all pairs of k models, whose truths depend on each other.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.checks import check_switch, is_one_of

Floats = NDArray[np.float64]
MOST_MODELS_BERGMANN = 9


def adjust_p_values(p_values: ArrayLike, method: str, *, all_pairs: bool = False) -> Floats:
    """Adjusted p-values in the order of the given ones; reject those at or below alpha.

    Parameters
    ----------
    p_values : array
    method : str
        "none", "bonferroni", "holm", "hochberg", "hommel", "finner", "bh" (Benjamini-Hochberg), "by"
        (Benjamini-Yekutieli), "shaffer" (static) or "bergmann-hommel" (up to 9 models).
    all_pairs : bool
        Whether the p-values are those of all k(k-1)/2 pairs of k models in the order of `itertools.combinations`, which
        the last two need.

    See Also
    --------
    pairwise_ttest, pairwise_wilcoxon_test : adjust theirs by it.

    References
    ----------
    Garcia, Herrera (2008). An extension on "Statistical comparisons of classifiers over multiple data sets" for all
    pairwise comparisons. JMLR 9. Bergmann, Hommel (1988). Improvements of general multiple test procedures.

    Examples
    --------
    >>> adjust_p_values([0.01, 0.04, 0.03], "holm")
    array([0.03, 0.06, 0.06])
    """
    check_switch("all_pairs", all_pairs)
    try:
        given = np.asarray(p_values)
    except ValueError:
        raise ValueError("`p_values` must be a list of numbers, got lists of unequal lengths.") from None
    if given.size and given.dtype.kind not in "iuf":
        raise ValueError(f"`p_values` must be numbers, got {given.ravel().tolist()[0]!r}.")
    p = given.astype(float)
    if p.ndim != 1 or p.size == 0:
        raise ValueError(f"`p_values` must be a list of at least one p-value, got shape {p.shape}.")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"`p_values` must be between 0 and 1, got {p[~((p >= 0) & (p <= 1))][0]}.")
    check_adjustment(method)
    if method in LOGICAL:
        k = _models_of(p.size) if all_pairs else 0
        if not k:
            raise ValueError(
                f'"{method}" is for all pairs of k models, got {p.size} p-values that are not. Use "holm", which needs '
                "no logical relations between the tests."
            )
        return LOGICAL[method](p, k)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(ADJUSTMENTS[method](p[order]), 1.0)
    return adjusted


def check_adjustment(method: str) -> str:
    """The name of an adjustment, or an error that names them all."""
    known = [*ADJUSTMENTS, *LOGICAL]
    if not is_one_of(method, known):
        raise ValueError(f"The adjustment (`adjust` or `method`) must be one of {', '.join(known)}, got {method!r}.")
    return method


def _step_down(factors: Floats, p: Floats) -> Floats:
    return np.maximum.accumulate(np.minimum(factors * p, 1.0))


def _step_up(factors: Floats, p: Floats) -> Floats:
    return np.minimum.accumulate((factors * p)[::-1])[::-1]


def _hommel(p: Floats) -> Floats:
    """Closed testing with Simes' test, by Wright's (1992) algorithm."""
    m = p.size
    index = np.arange(1, m + 1)
    adjusted = np.full(m, (m * p / index).min())
    largest = adjusted.copy()
    for size in range(m - 1, 1, -1):
        low = m - size + 1
        simes = (size * p[low:] / np.arange(2, size + 1)).min()
        largest[:low] = np.minimum(size * p[:low], simes)
        largest[low:] = largest[low - 1]
        adjusted = np.maximum(adjusted, largest)
    return np.maximum(adjusted, p)


def _finner(p: Floats) -> Floats:
    m = p.size
    with np.errstate(divide="ignore"):  # log1p(-1) where p is 1
        return np.maximum.accumulate(-np.expm1(m / np.arange(1, m + 1) * np.log1p(-p)))


def _countdown(p: Floats) -> Floats:
    return np.arange(p.size, 0, -1, dtype=float)


def _benjamini(p: Floats) -> Floats:
    return p.size / np.arange(1, p.size + 1)


ADJUSTMENTS: dict[str, Callable[[Floats], Floats]] = {
    "none": lambda p: p,
    "bonferroni": lambda p: p.size * p,
    "holm": lambda p: _step_down(_countdown(p), p),
    "hochberg": lambda p: _step_up(_countdown(p), p),
    "hommel": _hommel,
    "finner": _finner,
    "bh": lambda p: _step_up(_benjamini(p), p),
    "by": lambda p: _step_up(_benjamini(p) * (1 / np.arange(1, p.size + 1)).sum(), p),
}


# ---- all pairs of k models


def _shaffer(p: Floats, k: int) -> Floats:
    """Holm with the largest number of hypotheses that can still be true (Shaffer 1986, static)."""
    possible = np.array(sorted(_numbers_of_true(k)))
    left = _countdown(p)
    factors = possible[np.searchsorted(possible, left, side="right") - 1]
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(p.size)
    adjusted[order] = _step_down(factors.astype(float), p[order])
    return adjusted


@cache
def _numbers_of_true(k: int) -> frozenset[int]:
    """How many of the pairwise equalities of k models can hold at once."""
    if k < 2:
        return frozenset({0})
    return frozenset(math.comb(j, 2) + rest for j in range(1, k + 1) for rest in _numbers_of_true(k - j))


def _bergmann_hommel(p: Floats, k: int) -> Floats:
    """The largest of |I| min p over the exhaustive sets I that hold the hypothesis."""
    if k > MOST_MODELS_BERGMANN:
        raise ValueError(
            f'"bergmann-hommel" goes through all partitions of the models and is limited to {MOST_MODELS_BERGMANN} '
            f'models, got {k}. Use "shaffer".'
        )
    sets = _exhaustive_sets(k)
    bound = np.minimum(1.0, sets.sum(axis=1) * np.where(sets, p, np.inf).min(axis=1))
    return np.where(sets, bound[:, None], 0.0).max(axis=0)


@cache
def _exhaustive_sets(k: int) -> NDArray[np.bool_]:
    """All sets of pairwise equalities that can hold alone: one row per partition of the models, one column per pair."""
    labels = np.array([partition for partition in _partitions(k) if len(set(partition)) < k])
    i, j = np.array(list(combinations(range(k), 2))).T
    return labels[:, i] == labels[:, j]


def _partitions(k: int) -> list[Sequence[int]]:
    """All partitions of k models, as the group number of each."""
    partitions: list[Sequence[int]] = [(0,)]
    for _ in range(k - 1):
        partitions = [(*p, group) for p in partitions for group in range(max(p) + 2)]
    return partitions


LOGICAL: dict[str, Callable[[Floats, int], Floats]] = {"shaffer": _shaffer, "bergmann-hommel": _bergmann_hommel}


def _models_of(pairs: int) -> int:
    """k with k(k-1)/2 = pairs, or 0."""
    k = (1 + math.isqrt(1 + 8 * pairs)) // 2
    return k if k * (k - 1) // 2 == pairs else 0
