"""The noncentral t, precise for any noncentrality: which true effects fit an observed t, and the power of a t-test."""

import math

import numpy as np
from scipy.special import gammaincc, gammainccinv, gammaincinv, gammaln, log_ndtr, ndtr, stdtr

Z_LIMIT = 9.0
NODES, WEIGHTS = np.polynomial.legendre.leggauss(160)


def noncentral_cdf(t: float, df: float, noncentrality: float) -> float:
    """P(T <= t) for T = (Z + noncentrality)/s, Z normal and df s^2 chi-square, by the smoother of two integrals."""
    if noncentrality == 0:
        return float(stdtr(df, t))
    if t < 0:
        return noncentral_sf(-t, df, -noncentrality)
    return _cdf(t, df, noncentrality, upper=False)


def noncentral_sf(t: float, df: float, noncentrality: float) -> float:
    """P(T > t), precise also where it is tiny."""
    if noncentrality == 0:
        return float(stdtr(df, -t))
    if t < 0:
        return noncentral_cdf(-t, df, -noncentrality)
    return _cdf(t, df, noncentrality, upper=True)


def noncentrality_interval(t: float, df: float, level: float) -> tuple[float, float]:
    """The noncentralities that a two-sided test at 1 - level does not reject."""
    tail = (1 - level) / 2
    return _noncentrality(t, df, 1 - tail), _noncentrality(t, df, tail)


def _cdf(t: float, df: float, noncentrality: float, upper: bool) -> float:
    if t * t > 2 * df:
        # T <= t where s >= (Z + noncentrality)/t: integrate over Z; everything below -noncentrality is <= t
        low = max(-Z_LIMIT, -noncentrality)
        sure = float(ndtr(-noncentrality))
        if low >= Z_LIMIT:
            return 0.0 if upper else 1.0
        z, weights = _stretch(low, Z_LIMIT)
        below = gammaincc(df / 2, df * ((z + noncentrality) / t) ** 2 / 2)
        density = weights * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        return _probability((1 - below) @ density if upper else below @ density + sure)
    # Z <= t s - noncentrality: integrate over s
    s, weights = _stretch(
        math.sqrt(2 * gammaincinv(df / 2, 1e-18) / df), math.sqrt(2 * gammainccinv(df / 2, 1e-18) / df)
    )
    log_density = math.log(2) + df / 2 * math.log(df / 2) - gammaln(df / 2) + (df - 1) * np.log(s) - df * s**2 / 2
    sign = -1 if upper else 1
    return _probability(weights @ np.exp(log_density + log_ndtr(sign * (t * s - noncentrality))))


def _probability(p: float) -> float:
    return min(1.0, max(0.0, float(p)))


def _stretch(low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    half = (high - low) / 2
    return half * NODES + (low + high) / 2, half * WEIGHTS


def _noncentrality(t: float, df: float, p: float) -> float:
    """The noncentrality with P(T <= t) = p."""
    from scipy.optimize import brentq

    reach = 6 * math.sqrt(1 + t * t / (2 * df)) + 6
    low, high = t - reach, t + reach
    while noncentral_cdf(t, df, low) < p:
        low -= reach
    while noncentral_cdf(t, df, high) > p:
        high += reach
    return float(brentq(lambda x: noncentral_cdf(t, df, x) - p, low, high, xtol=1e-12, rtol=1e-12))
