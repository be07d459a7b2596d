"""Student's t for many experiments at once: its parameters from correlated folds, quantiles, regions, p-values.

One set of numbers serves both schools: the posterior of the correlated t-test, and the corrected t-test.
"""

import math
import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.lazy import special
from bayescmp.numerics.moments import moments
from bayescmp.rope import Rope

Floats = NDArray[np.float64]


def student_parameters(
    differences: Floats, rho: float | Floats, rounding: float | Floats = 0.0
) -> tuple[Floats, Floats, Floats]:
    """Mean, standard error and degrees of freedom of many experiments at once (last axis: folds; NaN is left out).

    A spread within the rounding error of the scores counts as none: its standard error is 0.
    """
    mean, deviation, n = moments(np.asarray(differences, dtype=float))
    if isinstance(n, float) and isinstance(rho, float):
        return mean, 0.0 if deviation <= rounding else math.sqrt(1 / n + rho / (1 - rho)) * deviation, n - 1
    r = np.asarray(rho, dtype=float)
    return mean, np.where(deviation <= rounding, 0.0, np.sqrt(1 / n + r / (1 - r)) * deviation), n - 1


def welch_parameters(a: Floats, b: Floats, rounding: float | Floats = 0.0) -> tuple[Floats, Floats, Floats]:
    """Difference of the means, standard error and Welch's degrees of freedom of unpaired runs, of many experiments.

    Runs are on the last axis, NaN where a model has fewer. A spread within the rounding error of the scores counts as
    none; where neither model has one, the standard error is 0.
    """
    (mean_a, sd_a, n_a), (mean_b, sd_b, n_b) = moments(a), moments(b)
    error_a, error_b = (np.where(sd > rounding, sd / np.sqrt(n), 0.0) for sd, n in ((sd_a, n_a), (sd_b, n_b)))
    with np.errstate(over="ignore"):
        mean, error = mean_a - mean_b, np.hypot(error_a, error_b)
    unit = np.where(error > 0, error, 1.0)
    shares = (error_a / unit) ** 4 / (n_a - 1) + (error_b / unit) ** 4 / (n_b - 1)
    df = np.divide(1.0, shares, out=np.asarray(n_a + n_b - 2), where=shares > 0)
    return mean, error, df


def log_student_factor(df: Any) -> Any:
    """The log density of Student t at 0."""
    return special.gammaln((df + 1) / 2) - special.gammaln(df / 2) - 0.5 * np.log(df * np.pi)


def student_p(
    mean: Floats, scale: Floats, df: float | Floats, alternative: str, rounding: float | Floats = 0.0
) -> tuple[Floats, Floats]:
    """t and p of many experiments at once; equal differences give t = 0 where they are 0, else +-inf."""
    sure = np.where(np.abs(mean) <= rounding, 0.0, np.copysign(np.inf, mean))
    t = np.divide(mean, scale, out=sure, where=scale > 0)
    if alternative == "two-sided":
        return t, 2 * special.stdtr(df, -np.abs(t))
    return t, special.stdtr(df, -t if alternative == "greater" else t)


def student_ppf(df: float, q: ArrayLike) -> Floats:
    """Quantiles of the standard Student t, from the nearer tail."""
    q = np.asarray(q, dtype=float)
    # abs, because scipy's stdtrit gives +inf for some tails of 1e-300
    return np.where(q > 0.5, 1.0, -1.0) * np.abs(special.stdtrit(df, np.where(q > 0.5, 1 - q, q)))


def student_regions(
    location: float | Floats,
    scale: float | Floats,
    df: float | Floats,
    rope: Rope,
    rounding: float | Floats = 0.0,
) -> tuple[Floats, Floats, Floats]:
    """P(above the rope), P(inside), P(below) of Student t distributions; any shapes that broadcast.

    A scale of 0 is a point mass, known up to `rounding`: see `PointMass`.
    """
    location, scale = np.asarray(location, dtype=float), np.asarray(scale, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z_low, z_high = (rope.low - location) / scale, (rope.high - location) / scale
    better, worse = special.stdtr(df, -z_high), special.stdtr(df, z_low)
    # a rope beside the centre is a difference of two small tails, so that it keeps its digits far away
    right, left = z_low > 0, z_high < 0
    tail = special.stdtr(df, np.where(right, -z_low, np.where(left, z_high, 0.0)))
    equivalent = np.where(right, tail - better, np.where(left, tail - worse, 1 - better - worse))
    better, equivalent, worse = rest_to_the_largest(better, np.maximum(equivalent, 0.0), worse)
    point = scale == 0
    if np.any(point):
        region = rope.regions(location, rounding)
        share = 0.5 * (region == 0) * rope.is_zero
        better = np.where(point, (region > 0) + share, better)
        worse = np.where(point, (region < 0) + share, worse)
        equivalent = np.where(point, 1 - better - worse, equivalent)
    return better, equivalent, worse


def regions_of_one(location: float, scale: float, df: float, rope: Rope) -> tuple[float, float, float]:
    """`student_regions` of one distribution with a scale above 0, in plain numbers: a tenth of the time."""
    z_low, z_high = (rope.low - location) / scale, (rope.high - location) / scale
    better, worse = _tail_of_one(df, z_high), _tail_of_one(df, -z_low)
    if z_low > 0:
        equivalent = _tail_of_one(df, z_low) - better
    elif z_high < 0:
        equivalent = _tail_of_one(df, -z_high) - worse
    else:
        equivalent = 1 - better - worse
    equivalent = max(equivalent, 0.0)
    if better >= equivalent and better >= worse:
        return 1 - (equivalent + worse), equivalent, worse
    if equivalent >= worse:
        return better, 1 - (better + worse), worse
    return better, equivalent, 1 - (better + equivalent)


MOST_DF = 1e4
"""Degrees of freedom up to which the continued fraction is short."""


def _tail_of_one(df: float, t: float) -> float:
    """P(T > t), by scipy where it is loaded: to load it for one small test takes longer than all the rest."""
    if "scipy.special" in sys.modules or df > MOST_DF:
        return float(special.stdtr(df, -t))
    return upper_tail(df, t)


def upper_tail(df: float, t: float) -> float:
    """P(T > t) of one Student t, to 13 digits, without scipy.

    Half of the incomplete beta function of df/2 and 1/2, by its continued fraction.
    """
    if t < 0:
        return 1 - upper_tail(df, -t)
    if t > 1e100:  # whose square may be too large
        return float(special.stdtr(df, -t))
    a, square = df / 2, t * t / df
    # x^a (1 - x)^(1/2) / B(a, 1/2) at x = 1/(1 + t^2/df)
    factor = math.exp(_log_gamma_ratio(a) - a * math.log1p(square)) * math.sqrt(square / (1 + square) / math.pi)
    x = 1 / (1 + square)
    if x < (a + 1) / (a + 2.5):
        return factor / a * _beta_fraction(a, 0.5, x) / 2
    return 0.5 - factor * _beta_fraction(0.5, a, square / (1 + square))


def _log_gamma_ratio(a: float) -> float:
    """log of Gamma(a + 1/2)/Gamma(a); by its asymptotic series where the two logarithms would cancel."""
    if a < 20:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    y = 1 / (a * a)
    return 0.5 * math.log(a) - (1 / 8 - y * (1 / 192 - y * (1 / 640 - y * (17 / 14336 - y * 31 / 18432)))) / a


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    found, m = d, 1
    while True:
        for part in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            c, d = 1 + part / c, 1 / (1 + part * d)
            found *= c * d
        if abs(c * d - 1) < 2e-16:
            return found
        m += 1


def rest_to_the_largest(*three: Floats) -> tuple[Floats, ...]:
    """Three probabilities that sum to 1: the largest is what the others leave, which it hides best."""
    p = np.stack(np.broadcast_arrays(*three))
    largest = p.argmax(axis=0) == np.arange(3).reshape(3, *[1] * (p.ndim - 1))
    return tuple(np.where(largest, 1 - np.where(largest, 0.0, p).sum(axis=0), p))
