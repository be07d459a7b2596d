"""Ranks and the signed-rank statistic of many pairs at once, with its true permutation distribution.

Values closer than their rounding error are ties: 0.86 - 0.85 and 0.76 - 0.75 differ in the last bit only.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float64]
ZERO_METHODS = ("wilcox", "pratt", "zsplit")


def average_ranks(x: Floats, rounding: Floats | float = 0.0) -> Floats:
    """Ranks along the last axis, 1 for the smallest, ties averaged; NaN stays NaN.

    `rounding` (broadcast against x) is the absolute error of each value: neighbours closer than that are ties.
    """
    order = np.argsort(x, axis=-1, kind="stable")
    ascending = np.take_along_axis(x, order, axis=-1)
    n = x.shape[-1]
    new = np.ones(x.shape, dtype=bool)
    with np.errstate(invalid="ignore"):
        gap = np.diff(ascending, axis=-1)
        if np.ndim(rounding):
            error = np.take_along_axis(np.broadcast_to(rounding, x.shape), order, axis=-1)
            new[..., 1:] = ~(gap <= np.maximum(error[..., 1:], error[..., :-1]))
        else:
            new[..., 1:] = ~(gap <= rounding)
    place = np.arange(n)
    first = np.maximum.accumulate(np.where(new, place, 0), axis=-1)
    ends = np.roll(new, -1, axis=-1)
    ends[..., -1] = True
    last = np.flip(np.minimum.accumulate(np.flip(np.where(ends, place, n), axis=-1), axis=-1), axis=-1)
    ranks = np.empty(x.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return np.where(np.isnan(x), np.nan, ranks)


@dataclass(frozen=True)
class SignedRanks:
    """The signed ranks of many pairs: pairs x datasets, 0 where a difference does not count.

    Attributes
    ----------
    signs : array of -1, 0, 1
    ranks : array
        Ranks of the absolute differences that count; 0 elsewhere.
    plus, minus : array
        Rank sums of the positive and the negative differences, with their share of the zeros for "zsplit".
    n : array
        Differences that were ranked.
    zeros, zero_share : array
        Zero differences, and the ranks that "zsplit" gives to each side.
    """

    signs: Floats
    ranks: Floats
    plus: Floats
    minus: Floats
    n: NDArray[np.int_]
    zeros: NDArray[np.int_]
    zero_share: Floats


def signed_ranks(differences: Floats, rounding: Floats, zero_method: str) -> SignedRanks:
    """Signed ranks of each row; NaN is no observation."""
    here = ~np.isnan(differences)
    size = np.abs(differences)
    with np.errstate(invalid="ignore"):
        zero = here & (size <= rounding)
    if zero_method == "wilcox":
        size = np.where(zero, np.nan, size)
    else:
        size = np.where(zero, 0.0, size)
    all_ranks = np.nan_to_num(average_ranks(size, rounding))
    signs = np.where(zero | ~here, 0.0, np.sign(np.nan_to_num(differences)))
    ranks = np.where(signs == 0, 0.0, all_ranks)
    share = all_ranks.sum(axis=-1) - ranks.sum(axis=-1)
    share = share / 2 if zero_method == "zsplit" else np.zeros_like(share)
    return SignedRanks(
        signs=signs,
        ranks=ranks,
        plus=np.where(signs > 0, ranks, 0.0).sum(axis=-1) + share,
        minus=np.where(signs < 0, ranks, 0.0).sum(axis=-1) + share,
        n=(here.sum(axis=-1) if zero_method != "wilcox" else (here & ~zero).sum(axis=-1)),
        zeros=zero.sum(axis=-1),
        zero_share=share,
    )


def asymptotic_p(ranked: SignedRanks, alternative: str, correction: bool) -> tuple[Floats, Floats]:
    """z and p from the conditional mean and variance of the rank sum, which hold with ties and zeros as well."""
    variance = (ranked.ranks**2).sum(axis=-1) / 4
    excess = (ranked.plus - ranked.minus) / 2
    if correction:
        toward = {"two-sided": np.sign(excess), "greater": 1.0, "less": -1.0}[alternative]
        excess = excess - 0.5 * toward
    z = np.divide(excess, np.sqrt(variance), out=np.zeros_like(excess), where=variance > 0)
    if alternative == "two-sided":
        return z, np.minimum(1.0, 2 * ndtr(-np.abs(z)))
    return z, ndtr(-z) if alternative == "greater" else ndtr(z)


def exact_p(ranked: SignedRanks, alternative: str) -> Floats:
    """p by the distribution of the rank sum over all 2^n signs, one row at a time (rows without ties share it)."""
    p = np.empty(len(ranked.plus))
    for i, ranks in enumerate(ranked.ranks):
        doubled = np.sort(np.rint(2 * ranks[ranks > 0]).astype(int))
        unit = int(np.gcd.reduce(doubled)) if doubled.size else 1
        probabilities = _distribution(tuple((doubled // unit).tolist()))
        # doubled rank sums are whole numbers, so >= needs no tolerance
        at = round(2 * float(ranked.plus[i] - ranked.zero_share[i])) // unit
        upper, lower = float(probabilities[at:].sum()), float(probabilities[: at + 1].sum())
        tail = {"greater": upper, "less": lower, "two-sided": 2 * min(upper, lower)}[alternative]
        p[i] = min(1.0, tail)
    return p


def signed_rank_distribution(n: int) -> Floats:
    """P(T = t), t = 0 .. n(n+1)/2, of the rank sum of the positive among n differences without ties."""
    return _distribution(tuple(range(1, n + 1)))


@lru_cache(maxsize=256)
def _distribution(weights: tuple[int, ...]) -> Floats:
    """The distribution of the sum of those whole-number weights that a fair coin picks: one pass for each weight."""
    p = np.zeros(sum(weights) + 1)
    p[0] = 1.0
    reached = 0
    for weight in weights:
        p[weight : reached + weight + 1] += p[: reached + 1].copy()
        p[: reached + weight + 1] *= 0.5
        reached += weight
    p.flags.writeable = False
    return p
