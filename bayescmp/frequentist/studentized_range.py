"""The distribution of the studentized range: the largest of k means minus the smallest, in standard errors.

Two nested Gauss-Legendre rules, vectorised over q: for Tukey's test (df finite) and Nemenyi's (df infinite).
"""

import math
from functools import cache, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, log_ndtr

Floats = NDArray[np.float64]

# standard normal deviates beyond 9 weigh less than 1e-18
Z_LIMIT, Z_NODES, S_NODES = 9.0, 200, 128


def studentized_range_sf(q: ArrayLike, k: int, df: float = math.inf) -> Floats:
    """P(range of k means >= q standard errors), for any array of q."""
    q = np.asarray(q, dtype=float)
    if math.isinf(df):
        return _normal_range_sf(q, k)
    # s = the estimated over the true standard deviation; df s^2 is chi-square, s close to 1 with sd 1/sqrt(2 df)
    nodes, weights = _gauss(S_NODES)
    low, high = _deviation_limits(df)
    s = (high - low) / 2 * nodes + (high + low) / 2
    log_density = math.log(2) + df / 2 * math.log(df / 2) - gammaln(df / 2) + (df - 1) * np.log(s) - df * s**2 / 2
    mass = (high - low) / 2 * weights * np.exp(log_density)
    return np.clip(_normal_range_sf(q[..., None] * s, k) @ mass, 0.0, 1.0)


@lru_cache(maxsize=256)
def studentized_range_ppf(p: float, k: int, df: float = math.inf) -> float:
    """The q that the studentized range stays below with probability p."""
    from scipy.optimize import brentq

    high = 4.0
    while studentized_range_sf(high, k, df) > 1 - p:
        high *= 2
    return float(brentq(lambda q: float(studentized_range_sf(q, k, df)) - (1 - p), 0.0, high, xtol=1e-13, rtol=1e-13))


def _normal_range_sf(q: Floats, k: int) -> Floats:
    """1 - k integral phi(z) [Phi(z) - Phi(z - q)]^(k-1) dz, as an integral of the complement to keep small tails."""
    nodes, weights = _gauss(Z_NODES)
    z = Z_LIMIT * nodes
    density = Z_LIMIT * weights * k * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    # Phi(z)^(k-1) (1 - (1 - Phi(z-q)/Phi(z))^(k-1)): the part of the density whose smallest is below z - q
    log_cdf = log_ndtr(z)
    flat = np.ravel(np.maximum(q, 0.0))
    tail = np.empty(flat.shape)
    for start in range(0, flat.size, 4096):
        part = slice(start, start + 4096)
        share = np.exp(log_ndtr(z - flat[part, None]) - log_cdf)
        gone = -np.expm1((k - 1) * np.log1p(-np.minimum(share, 1 - 1e-16)))
        tail[part] = (np.exp((k - 1) * log_cdf) * gone) @ density
    return np.where(np.isinf(q), 0.0, np.clip(tail, 0.0, 1.0).reshape(np.shape(q)))


@cache
def _gauss(nodes: int) -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(nodes)


def _deviation_limits(df: float) -> tuple[float, float]:
    """Between which s lies but for a probability of about 1e-18."""
    from scipy.special import gammainccinv, gammaincinv

    return (
        float(math.sqrt(2 * gammaincinv(df / 2, 1e-18) / df)),
        float(math.sqrt(2 * gammainccinv(df / 2, 1e-18) / df)),
    )
