"""The exact permutation distribution of Friedman's statistic, with any ties.

Given no difference between the models, each dataset's ranks are in any order with the same probability. The sums of
ranks are built up dataset by dataset; states that differ only in the order of the models are one state.
"""

from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_WORK = 1_500_000
"""States x orders of one dataset: above, method="auto" gives up."""
MOST_MODELS = 8


def friedman_exact_p(ranks: Floats, *, limited: bool) -> float | None:
    """P(statistic >= the observed one); None where `limited` and the enumeration would take long.

    Parameters
    ----------
    ranks : array, datasets x models
    """
    if limited and ranks.shape[1] > MOST_MODELS:
        return None
    doubled = np.rint(2 * ranks).astype(np.int64)
    rows = tuple(sorted(tuple(sorted(row)) for row in doubled.tolist()))
    distribution = _distribution(rows, MOST_WORK if limited else None)
    if distribution is None:
        return None
    squares, probabilities = distribution
    # both forms of the statistic grow with the sum of squared rank sums, a whole number here
    observed = int((doubled.sum(axis=0) ** 2).sum())
    return min(1.0, float(probabilities[squares >= observed].sum()))


@lru_cache(maxsize=32)
def _distribution(rows: tuple[tuple[int, ...], ...], most_work: int | None) -> tuple[Ints, Floats] | None:
    """Sums of squared (doubled) rank sums and their probabilities, for these rows of sorted doubled ranks."""
    k = len(rows[0])
    base = 2 * k * len(rows) + 1
    if base ** (k - 1) >= 2**62:
        if most_work is not None:
            return None
        raise ValueError(
            f"The exact Friedman distribution of {k} models on {len(rows)} datasets is too large. Use "
            'method="asymptotic".'
        )
    powers = base ** np.arange(k - 1, dtype=np.int64)
    # the first dataset may stay in its order: only the orders relative to it matter
    states, weights = np.array([rows[0]], dtype=np.int64), np.ones(1)
    for row in rows[1:]:
        orders = np.array(sorted(set(permutations(row))), dtype=np.int64)
        if most_work is not None and len(states) * len(orders) > most_work:
            return None
        states, weights = _add(states, weights, orders, powers)
    squares = (states**2).sum(axis=1)
    order = np.argsort(squares)
    return squares[order], weights[order]


def _add(states: Ints, weights: Floats, orders: Ints, powers: Ints) -> tuple[Ints, Floats]:
    """The states after one more dataset, in any of its orders; equal states are put together."""
    keys, masses = [], []
    step = max(1, 2_000_000 // len(orders))
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
