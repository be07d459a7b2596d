"""Ranks and the signed-rank statistic of many pairs at once, with its true permutation distribution.

Values closer than their rounding error are ties: 0.86 - 0.85 and 0.76 - 0.75 differ in the last bit only.
"""

from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bayescmp.checks import is_one_of
from bayescmp.lazy import special

Floats = NDArray[np.float64]
Ints = NDArray[np.int_]
ZERO_METHODS = ("wilcox", "pratt", "zsplit")


def average_ranks(x: Floats, rounding: Floats | float = 0.0) -> Floats:
    """Ranks along the last axis, 1 for the smallest, ties averaged; NaN stays NaN. `rounding` as in `tie_groups`."""
    order, first, last = tie_groups(x, rounding)
    ranks = np.empty(x.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return np.where(np.isnan(x), np.nan, ranks)


def tie_groups(x: Floats, rounding: Floats | float = 0.0) -> tuple[Ints, Ints, Ints]:
    """The order along the last axis, from the smallest on, and the first and last place of each one's group of ties.

    `rounding` (broadcast against x) is the absolute error of each value: neighbours closer than that are ties.
    """
    order = np.argsort(x, axis=-1, kind="stable")
    ascending = np.take_along_axis(x, order, axis=-1)
    new = np.ones(x.shape, dtype=bool)
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.diff(ascending, axis=-1)
        if np.ndim(rounding) and np.shape(rounding)[-1] > 1:
            error = np.take_along_axis(np.broadcast_to(rounding, x.shape), order, axis=-1)
            new[..., 1:] = ~(gap <= np.maximum(error[..., 1:], error[..., :-1]))
        else:
            new[..., 1:] = ~(gap <= rounding)
    return order, *_groups(new)


def _groups(new: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """First and last place of the group of ties that each place is in; `new` marks where a group begins."""
    n = new.shape[-1]
    place = np.arange(n)
    if new.all():
        return (np.broadcast_to(place, new.shape),) * 2
    first = np.maximum.accumulate(np.where(new, place, 0), axis=-1)
    ends = np.ones_like(new)
    ends[..., :-1] = new[..., 1:]
    last = np.minimum.accumulate(np.where(ends, place, n)[..., ::-1], axis=-1)[..., ::-1]
    return first, last


def kept_differences(differences: Floats, rounding: Floats, zero_method: str) -> Floats:
    """The differences that an estimate beside the signed-rank test rests on: without zeros for "wilcox"."""
    return differences[np.abs(differences) > rounding] if zero_method == "wilcox" else differences


def check_zero_method(zero_method: str) -> str:
    """One of the ways to treat zero differences, or an error that names them."""
    if not is_one_of(zero_method, ZERO_METHODS):
        raise ValueError(f"`zero_method` must be one of {', '.join(ZERO_METHODS)}, got {zero_method!r}.")
    return zero_method


@dataclass(frozen=True)
class SignedRanks:
    """The signed ranks of many pairs, pairs x datasets, each row by the size of its differences.

    Attributes
    ----------
    signs : array of -1, 0, 1
        0 where a difference does not count: zero, or missing.
    ranks : array
        Ranks of the differences that count; 0 elsewhere.
    first, last : array
        First and last place of each difference's group of ties.
    plus, minus : array
        Rank sums of the positive and the negative differences, with their share of the zeros for "zsplit".
    n : array
        Differences that were ranked.
    zeros, zero_share : array
        Zero differences, and the ranks that "zsplit" gives to each side.
    """

    signs: Floats
    ranks: Floats
    first: Ints
    last: Ints
    plus: Floats
    minus: Floats
    n: NDArray[np.int_]
    zeros: NDArray[np.int_]
    zero_share: Floats

    @property
    def plain(self) -> bool:
        """Whether there are neither ties nor zeros nor missing values: ranks are then 1 to n in every row."""
        return self.ranks.strides[0] == 0

    def rows(self, which: NDArray[np.bool_]) -> "SignedRanks":
        """Some of the pairs."""
        return SignedRanks(**{f.name: getattr(self, f.name)[which] for f in fields(self)})


def signed_ranks(differences: Floats, rounding: Floats, zero_method: str) -> SignedRanks:
    """Signed ranks of each row of differences, each with its rounding error; NaN is not an observation."""
    plain = _plain_ranks(differences, rounding)
    if plain is not None:
        return plain
    size = np.abs(differences)
    absent = np.isnan(size)
    zero = size <= rounding  # False for NaN
    size[zero] = np.nan if zero_method == "wilcox" else 0.0
    order = np.argsort(size, axis=-1)
    size, errors, signs = (np.take_along_axis(x, order, axis=-1) for x in (size, rounding, np.sign(differences)))
    new = np.ones(size.shape, dtype=bool)
    tied = size[..., 1:] - size[..., :-1] <= np.maximum(errors[..., 1:], errors[..., :-1])
    np.logical_not(tied, out=new[..., 1:])
    counts = ~np.isnan(size)
    first, last = _groups(new)
    all_ranks = ((first + last) / 2 + 1) * counts
    signs[~(size > 0)] = 0.0
    ranks = np.abs(signs) * all_ranks
    share = all_ranks.sum(axis=-1) - ranks.sum(axis=-1)
    share = share / 2 if zero_method == "zsplit" else np.zeros_like(share)
    total, excess = ranks.sum(axis=-1), (signs * ranks).sum(axis=-1)
    return SignedRanks(
        signs=signs,
        ranks=ranks,
        first=first,
        last=last,
        plus=(total + excess) / 2 + share,
        minus=(total - excess) / 2 + share,
        n=counts.sum(axis=-1),
        zeros=(zero & ~absent).sum(axis=-1),
        zero_share=share,
    )


def _plain_ranks(differences: Floats, rounding: Floats) -> SignedRanks | None:
    """The same by one sort, without its order; None where there are ties, zeros or missing values.

    A difference's sign goes along in the last bit of its size, which is below the rounding that makes a tie.
    """
    if differences.size == 0:
        return None
    least = np.maximum(rounding.max(axis=-1, keepdims=True), 5e-324)  # -0.0 with its bit is no larger
    signed = differences.view(np.uint64)
    bits = signed & 0x7FFFFFFFFFFFFFFE
    bits |= signed >> 63
    size = bits.view(np.float64)
    size.sort(axis=-1)
    least = np.maximum(least, 1e-15 * size[..., -1:])
    if not (size[..., :1] > least).all() or not (size[..., 1:] - size[..., :-1] > least).all():
        return None
    signs: Floats = np.copysign(1.0, (bits << 63).view(np.float64))
    n = signs.shape[-1]
    ranks = np.arange(1.0, n + 1)
    excess, total = signs @ ranks, n * (n + 1) / 2
    place = np.broadcast_to(np.arange(n), signs.shape)
    none = np.zeros(len(signs))
    return SignedRanks(
        signs=signs,
        ranks=np.broadcast_to(ranks, signs.shape),
        first=place,
        last=place,
        plus=(total + excess) / 2,
        minus=(total - excess) / 2,
        n=np.full(len(signs), n),
        zeros=none.astype(int),
        zero_share=none,
    )


def asymptotic_p(ranked: SignedRanks, alternative: str, correction: bool) -> tuple[Floats, Floats]:
    """z and p from the conditional mean and variance of the rank sum, which hold with ties and zeros as well.

    Only the signs of non-zero differences are random. scipy's "zsplit" treats the signs of zeros as random too, though
    it splits their ranks: its variance is larger, and with many zeros p too large.
    """
    variance = np.square(ranked.ranks[:1] if ranked.plain else ranked.ranks).sum(axis=-1) / 4
    excess = (ranked.plus - ranked.minus) / 2
    if correction:
        excess = excess - 0.5 * (
            np.sign(excess) if alternative == "two-sided" else 1.0 if alternative == "greater" else -1.0
        )
    z = np.divide(excess, np.sqrt(variance), out=np.zeros_like(excess), where=variance > 0)
    if alternative == "two-sided":
        return z, np.minimum(1.0, 2 * special.ndtr(-np.abs(z)))
    return z, special.ndtr(-z) if alternative == "greater" else special.ndtr(z)


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
