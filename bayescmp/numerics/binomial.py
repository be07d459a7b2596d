"""Tails of the binomial distribution: for the sign test, McNemar's test, and tests of a proportion.

By scipy's incomplete beta functions, not its `bdtr`: against exact fractions up to n = 1000 these are within 2e-16 and
`bdtr` within 1e-12 only, and for n = 1e12 `bdtr` returns 1 where the tail is 0.02. They take 3 us instead of 0.7.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincc


def at_most(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Any:
    """P(X <= k) of n trials; k may be -1."""
    return betaincc(k + 1, n - k, p)  # type: ignore[operator]


def at_least(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Any:
    """P(X >= k) of n trials; k may be n + 1."""
    return betainc(k, n - k + 1, p)  # type: ignore[operator]


def fair_coin_p(wins: ArrayLike, n: ArrayLike, alternative: str, mid_p: bool = False) -> NDArray[np.float64]:
    """The exact p-value of so many wins among n tosses of a fair coin; the observed number counts half with mid-p."""
    wins, n = np.asarray(wins, dtype=float), np.asarray(n, dtype=float)
    upper, lower = at_least(wins, n, 0.5), at_most(wins, n, 0.5)
    half = (upper + lower - 1) / 2 if mid_p else 0.0
    tail = {"greater": upper, "less": lower, "two-sided": np.minimum(upper, lower)}[alternative] - half
    return np.where(n > 0, np.minimum(1.0, 2 * tail if alternative == "two-sided" else tail), 1.0)
