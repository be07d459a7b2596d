"""The signed-rank test of many pairs at once: one stream of random weights, in a compiled loop where that pays."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.bayes.hdi import hdi
from bayescmp.bayes.regions import TIE, Estimate, RegionPosterior, wins
from bayescmp.bayes.signed_rank import DRAWS, SignedRankInference, signed_rank_test
from bayescmp.checks import checked_seed, is_list
from bayescmp.rope import RopeLike
from bayescmp.scores.pair import Pair

Floats = NDArray[np.float64]
LEAST_WORK = 1e9
"""Pairs x datasets x draws from which compiling the loop pays."""
DRAWS_AT_A_TIME = 32


def signed_rank_tests(
    pairs: list[Pair],
    *,
    rope: RopeLike | Mapping[str, RopeLike],
    prior: float = 0.5,
    prior_at: float = 0.0,
    draws: int = DRAWS,
    random_seed: int | None = None,
) -> list[RegionPosterior]:
    """The signed-rank test of many pairs at once, with the same weights for all pairs on the same datasets.

    Equal to `signed_rank_test` of each with the same seed, but the random numbers are drawn once.

    Parameters
    ----------
    pairs : list of Pair
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
    prior, prior_at, draws, random_seed
        As in `signed_rank_test`.

    See Also
    --------
    signed_rank_test : of one pair.

    Examples
    --------
    >>> import bayescmp as bc
    >>> pairs = list(bc.load_domains().pairs())
    >>> results = bc.bayes.signed_rank_tests(pairs, rope=1, draws=1000, random_seed=1)
    >>> [(p.a, p.b) for p in results]
    [('A', 'B'), ('A', 'C'), ('B', 'C')]
    """
    seed = checked_seed(random_seed)
    options: dict[str, Any] = {"rope": rope, "prior": prior, "prior_at": prior_at, "draws": draws, "random_seed": seed}
    if not is_list(pairs):
        raise ValueError(f"`pairs` must be a list of pairs, got {pairs!r}.")
    results = [signed_rank_test(pair, **options) for pair in pairs]
    return share_draws(results)


def share_draws(results: list[RegionPosterior], *, pairs: int | None = None) -> list[RegionPosterior]:
    """These results of `signed_rank_test` with their answers, computed together where they share their random numbers.

    `pairs` is the number of all pairs of a comparison, of which these may be a part: it decides which of two loops is
    used, equal up to rounding, so that parts and workers change no digit.
    """
    together: dict[Any, list[int]] = {}
    for i, result in enumerate(results):
        inference = result.inference
        if isinstance(inference, SignedRankInference) and not result.is_answered:
            stream = (inference.n_draws, inference.random_seed, inference.prior, result.rope)
            together.setdefault((tuple(sorted(result.datasets)), *stream), []).append(i)
    answered = list(results)
    for places in together.values():
        group = [results[i] for i in places]
        inferences: list[Any] = [result.inference for result in group]
        work = (pairs or len(group)) * inferences[0].differences.size * inferences[0].n_draws
        counts, means = (_compiled if work >= LEAST_WORK else _plain)(group, inferences)
        for i, result, inference, count, mean in zip(places, group, inferences, counts, means, strict=True):
            estimate = Estimate(inference.mean, *hdi(mean), float(np.maximum(mean, 0.0).mean()))
            answered[i] = result.answered([inference._summary(count, result.rope)], estimate)
    return answered


def _plain(group: list[RegionPosterior], inferences: list[SignedRankInference]) -> tuple[Floats, Floats]:
    """Which region wins how often, and the mean differences, pair by pair in numpy."""
    plans = [inference._plan([result.rope]) for inference, result in zip(inferences, group, strict=True)]
    counts, means = np.zeros((len(group), 3)), np.empty((len(group), inferences[0].n_draws))
    done = 0
    for weights in inferences[0]._weights():
        total, block = weights.sum(axis=0), slice(done, done + weights.shape[1])
        for i, plan in enumerate(plans):
            counts[i] += wins(plan.theta(weights)[0], axis=0).sum(axis=1)
            means[i, block] = inferences[i]._z @ weights / total  # one by one: a matrix product has other last bits
        done += weights.shape[1]
    return counts, means


def _compiled(group: list[RegionPosterior], inferences: list[SignedRankInference]) -> tuple[Floats, Floats]:
    """The same in one compiled loop over all pairs."""
    plans = [inference._plan([result.rope]) for inference, result in zip(inferences, group, strict=True)]
    z = np.stack([inference._z for inference in inferences])
    orders = np.stack([plan.order for plan in plans])
    partners = np.stack([plan.four_partners() for plan in plans])
    counts, means = np.zeros((len(group), 3)), np.empty((len(group), inferences[0].n_draws))
    done = 0
    for weights in inferences[0]._weights():
        block = means[:, done : done + weights.shape[1]]
        kernel()(weights, z, orders, partners, group[0].rope.is_zero, TIE, counts, block)
        done += weights.shape[1]
    return counts, means


@cache
def kernel() -> Any:
    """The compiled loop; from numba's own cache where that can be written."""
    import numba

    try:
        return numba.njit(cache=True, nogil=True)(_count_wins)
    except RuntimeError:  # no folder for the cache
        return numba.njit(nogil=True)(_count_wins)


def _count_wins(  # type: ignore[no-untyped-def]
    weights, z, orders, partners, no_rope, tie, counts, means
):
    """Add up which region wins under each draw's weights, and note the weighted means.

    Parameters
    ----------
    weights : observations x draws
    z, orders : pairs x observations
        The differences, and the places that sort them.
    partners : pairs x 4 x observations
        In sorted order, how many partners are below the rope's upper border, and not above it; likewise the lower.
    no_rope : bool
    tie : float
        Thetas closer than that share the win.
    counts : pairs x 3, added to
    means : pairs x draws, filled in
    """
    n, draws = weights.shape
    size = DRAWS_AT_A_TIME
    w, prefix = np.ones((n, size)), np.zeros((n + 1, size))
    high, low, mean = np.empty(size), np.empty(size), np.empty(size)
    # a few draws at a time stay in the fastest memory, and loops over `size` become vector instructions
    for start in range(0, draws, size):
        width = min(size, draws - start)
        w[:, :width] = weights[:, start : start + width]
        for p in range(z.shape[0]):
            high[:] = 0.0
            low[:] = 0.0
            mean[:] = 0.0
            for i in range(n):
                row, before, after, value = w[orders[p, i]], prefix[i], prefix[i + 1], z[p, orders[p, i]]
                for d in range(size):
                    after[d] = before[d] + row[d]
                    mean[d] += value * row[d]
            for i in range(n):
                row = w[orders[p, i]]
                one, two = prefix[partners[p, 0, i]], prefix[partners[p, 1, i]]
                for d in range(size):
                    high[d] += row[d] * (one[d] + two[d])
                if not no_rope:
                    one, two = prefix[partners[p, 2, i]], prefix[partners[p, 3, i]]
                    for d in range(size):
                        low[d] += row[d] * (one[d] + two[d])
            for d in range(width):
                total = prefix[n, d]
                means[p, start + d] = mean[d] / total
                better = 1.0 - 0.5 * high[d] / total**2
                worse = 1.0 - better if no_rope else 0.5 * low[d] / total**2
                equivalent = 0.0 if no_rope else 1.0 - better - worse
                largest = max(better, equivalent, worse) - tie
                share = 1.0 / ((better >= largest) + (equivalent >= largest) + (worse >= largest))
                counts[p, 0] += share * (better >= largest)
                counts[p, 1] += share * (equivalent >= largest)
                counts[p, 2] += share * (worse >= largest)
