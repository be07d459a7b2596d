"""The exact permutation distribution of Friedman's statistic, with any ties.

Given no difference between the models, each dataset's ranks are in any order with the same probability. The sums of
ranks are built up dataset by dataset; states that differ only in the order of the models are one state.
"""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_WORK = 4_000_000
"""States x orders, added up over the datasets: above (half a second) method="auto" gives up."""
MOST_EXACT_WORK = 300_000_000
"""Above (a minute) method="exact" raises."""
MOST_ORDERS = 400_000
"""Orders of one dataset: those of 9 models without ties."""
ROWS_AT_A_TIME = 500_000


def friedman_exact_p(ranks: Floats, *, limited: bool) -> float | None:
    """P(statistic >= the observed one); None where `limited` and the enumeration would take more than half a second.

    Parameters
    ----------
    ranks : array, datasets x models
    """
    n, k = ranks.shape
    doubled = np.rint(2 * ranks).astype(np.int64)
    distribution = None
    if _base(n, k) ** (k - 1) < 2**62:  # else a state does not fit 64 bits
        rows = tuple(sorted(tuple(sorted(row)) for row in doubled.tolist()))
        distribution = _distribution(rows, MOST_WORK if limited else MOST_EXACT_WORK)
    if distribution is None:
        if limited:
            return None
        raise ValueError(
            f"The exact Friedman distribution of {k} models on {n} datasets would take more than "
            'about a minute. Use method="asymptotic", or "auto", which takes it where the exact one is too large.'
        )
    squares, probabilities = distribution
    # both forms of the statistic grow with the sum of squared rank sums, a whole number here
    observed = int((doubled.sum(axis=0) ** 2).sum())
    return min(1.0, float(probabilities[squares >= observed].sum()))


@lru_cache(maxsize=32)
def _distribution(rows: tuple[tuple[int, ...], ...], most_work: int) -> tuple[Ints, Floats] | None:
    """Sums of squared (doubled) rank sums and their probabilities, for these rows of sorted doubled ranks."""
    k = len(rows[0])
    if _least_work(rows) > most_work:
        return None
    powers = _base(len(rows), k) ** np.arange(k - 1, dtype=np.int64)
    # the first dataset may stay in its order: only the orders relative to it matter
    states, weights = np.array([rows[0]], dtype=np.int64), np.ones(1)
    work = 0
    for row in rows[1:]:
        work += len(states) * orders_of(row)
        if work > most_work or orders_of(row) > MOST_ORDERS:
            return None
        orders = np.array(sorted(set(permutations(row))), dtype=np.int64)
        states, weights = _add(states, weights, orders, powers)
    squares = (states**2).sum(axis=1)
    order = np.argsort(squares)
    return squares[order], weights[order]


def _base(n: int, k: int) -> int:
    """More than any doubled rank sum."""
    return 2 * k * n + 1


def orders_of(row: Sequence[float]) -> int:
    """In how many orders these ranks can be: k! over the product of t! for groups of t ties."""
    return math.factorial(len(row)) // math.prod(map(math.factorial, Counter(row).values()))


def _least_work(rows: tuple[tuple[int, ...], ...]) -> int:
    """States x orders where no ranks tie, at least: after m datasets the rank sums fill m permutohedra, whose volume is
    k^(k-2) m^(k-1), and each state stands for at most k! of its points. With ties it is only known on the way.
    """
    n, k = len(rows), len(rows[0])
    tied = any(len(set(row)) < k for row in rows)
    return 0 if tied else k ** (k - 2) * sum(m ** (k - 1) for m in range(1, n))


def _add(states: Ints, weights: Floats, orders: Ints, powers: Ints) -> tuple[Ints, Floats]:
    """The states after one more dataset, in any of its orders; equal states are put together."""
    keys, masses = [], []
    step = max(1, ROWS_AT_A_TIME // len(orders))
    for start in range(0, len(states), step):
        sums = np.sort((states[start : start + step, None, :] + orders).reshape(-1, states.shape[1]), axis=1)
        key, place = np.unique(sums[:, :-1] @ powers, return_inverse=True)
        mass = np.repeat(weights[start : start + step] / len(orders), len(orders))
        keys.append(key)
        masses.append(np.bincount(place.ravel(), weights=mass, minlength=len(key)))
    key, place = np.unique(np.concatenate(keys), return_inverse=True)
    total = int(states[0].sum() + orders[0].sum())
    digits = key[:, None] // powers % (powers[1] if len(powers) > 1 else total + 1)
    last = total - digits.sum(axis=1)
    mass = np.bincount(place.ravel(), weights=np.concatenate(masses)).astype(float)
    return np.column_stack([digits, last]), mass
