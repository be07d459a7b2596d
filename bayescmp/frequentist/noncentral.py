"""The noncentral t, precise for any noncentrality: which true effects fit an observed t, and the power of a t-test."""

import math

import numpy as np
from scipy.special import gammainccinv, gammaincinv, ndtr

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


def rejection(shift: float, df: float, critical: float, two_sided: bool) -> tuple[float, float]:
    """P(T > critical) and its complement for a noncentral t; both sides of T if two-sided.

    T = (Z + shift) / s, s^2 a chi-squared over its df: the normal probability given s, averaged over s by
    Gauss-Legendre on panels of log s, with finer ones around the s where it turns from 1 to 0.
    """
    low, high = (
        0.5 * math.log(f(df / 2, 1e-40) / (df / 2)) if df < 1e8 else sign * 14 / math.sqrt(2 * df)
        for f, sign in ((gammaincinv, -1), (gammainccinv, 1))
    )
    edges = np.linspace(low, high, 65)
    shift = abs(shift) if two_sided else shift
    if shift * critical > 0:
        turn = math.log(shift / critical) + np.linspace(-12, 12, 25) / max(abs(shift), 1.0)
        edges = np.unique(np.concatenate([edges, turn[(turn > low) & (turn < high)]]))
    half = np.diff(edges)[:, None] / 2
    log_s = edges[:-1, None] + half * (1 + _NODES)
    s = np.exp(log_s)
    weights = half * _WEIGHTS * np.exp(df * (log_s - 0.5 * np.expm1(2 * log_s)))
    reject, keep = ndtr(shift - critical * s), ndtr(critical * s - shift)
    if two_sided:
        other = ndtr(-shift - critical * s)
        reject, keep = reject + other, keep - other
    total = weights.sum()
    return min(1.0, float((weights * reject).sum() / total)), min(1.0, float((weights * keep).sum() / total))


def noncentral_cdf(t: float, df: float, noncentrality: float) -> float:
    """P(T <= t)."""
    return rejection(noncentrality, df, t, two_sided=False)[1]


def noncentrality_interval(t: float, df: float, level: float) -> tuple[float, float]:
    """The noncentralities that a two-sided test at 1 - level does not reject."""
    tail = (1 - level) / 2
    return _noncentrality(t, df, 1 - tail), _noncentrality(t, df, tail)


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
