"""Which share of a Dirichlet is the largest? Exact probabilities, for any counts from 0 to 10^6.

With independent G_i ~ Gamma(a_i), P(theta_i is the largest) = integral of g(x; a_i) times the product of G(x; a_j), the
density of one and the distribution functions of the others. In t = log(x / a_i) the integrand is log-concave. Where it
is large the density is: the trapezoidal rule, with steps of the integrand's width. In the tails find its mode, walk to
where it has fallen by e^-45 on either side, and integrate the two sides by Gauss-Legendre panels.
Relative errors are below 1e-11 for counts up to 10^5. At 10^6, where scipy's gammainc stops its series, that is so of
probabilities above 0.01; those of 10^-12 have 3e-6.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
FALL = 45.0
_PANELS, _NODES = 4, 16
_SHARED_NODES = 128


def p_largest(alpha: Floats) -> Floats:
    """P(theta_i is the largest) for theta ~ Dirichlet(alpha), each relatively right also where it is tiny.

    A share with alpha 0 is 0. Equal alphas have equal probabilities. Remembered, because counts come back.
    """
    return np.array(_p_largest(tuple(np.asarray(alpha, dtype=float).tolist())))


@lru_cache(maxsize=10_000)
def _p_largest(alpha: tuple[float, ...]) -> list[float]:
    alive, result = [i for i, a in enumerate(alpha) if a > 0], [0.0] * len(alpha)
    if len(alive) == 1:
        result[alive[0]] = 1.0
    elif len(alive) == 2:
        i, j = alive
        result[i], result[j] = two_sides(alpha[i], alpha[j])
    else:
        # the largest alpha has the largest probability, which is safe to get from the others
        top = max(alpha)
        for i in alive:
            if alpha[i] < top:
                result[i] = _integral(alpha[i], np.array(sorted(alpha[:i] + alpha[i + 1 :])))
        rest = (1 - sum(result)) / alpha.count(top)
        result = [rest if a == top else p for a, p in zip(alpha, result, strict=True)]
    return result


def p_largest_of_three(alpha: Floats) -> Floats:
    """`p_largest` of many Dirichlets at once, rows x 3: to 1e-9, for rows whose sum is at least 1.

    The trapezoidal rule in log x, on nodes that the three integrals of a row share.
    """
    a = np.asarray(alpha, dtype=float)
    top, total = a.max(axis=1), a.sum(axis=1)
    high = np.log(top + 10 * np.sqrt(np.maximum(top, 0.5)) + FALL)
    low = np.maximum(np.log(np.maximum(top - 9 * np.sqrt(top), 1e-300)), np.log(top) - 1 - FALL / total)
    step = (high - low) / (_SHARED_NODES - 1)
    t = low[:, None] + step[:, None] * np.arange(_SHARED_NODES)
    x = np.exp(t)
    with np.errstate(divide="ignore", invalid="ignore"):
        density = np.exp(a[:, :, None] * t[:, None] - x[:, None] - special.gammaln(a)[:, :, None])
        below = special.gammainc(a[:, :, None], x[:, None])
    p = np.stack([(density[:, i] * below[:, (i + 1) % 3] * below[:, (i + 2) % 3]).sum(axis=1) for i in range(3)], -1)
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def two_sides(a: float, b: float) -> tuple[float, float]:
    """P(theta > 1/2) and P(theta < 1/2) for theta ~ Beta(a, b): the smaller one as a tail, the other is the rest."""
    if a == b:
        return 0.5, 0.5
    small, large = min(a, b), max(a, b)
    tail = 0.0 if small <= 0 else float(special.betainc(large, small, 0.5))
    return (1 - tail, tail) if a > b else (tail, 1 - tail)


def _integral(a: float, others: Floats) -> float:
    top = float(others.max())
    if a > 5 and a > top - 6 * math.sqrt(a + top):
        # not far out in the tail: where the density is, there is the integrand, and the trapezoidal rule does
        fall, step = FALL / a, 0.7 / math.sqrt(a + others.sum())
        t = np.arange(-fall - min(1.0, math.sqrt(2 * fall)), math.log1p(fall + math.sqrt(2 * fall)), step)
        x, values = a * np.exp(t), np.exp(_log_peak_density(a) - a * (np.expm1(t) - t))
        for b in others.tolist():
            values *= special.gammainc(b, x)
        return step * float(values.sum())
    mode, peak = _mode(a, others)
    if peak < -740:  # below the smallest double, whatever the width
        return 0.0
    left, right = _reach(mode, peak, a, others)
    leftwards = _EDGES if left < 20 else _GRADED
    edges = np.concatenate([mode - left * leftwards[:0:-1], [mode], mode + right * _EDGES[1:]])
    half = np.diff(edges) / 2
    t = (edges[:-1] + half)[:, None] + half[:, None] * _X
    values = np.exp(_log_integrand(t.ravel(), a, others) - peak).reshape(t.shape)
    return float(half @ (values @ _W)) * math.exp(peak)


def _mode(a: float, others: Floats) -> tuple[float, float]:
    """About where the log-concave integrand is largest, and its value there."""
    # a distribution function grows at a rate of at most a_j in log x, so that beyond x = sum of all the integrand falls
    low, high = 0.0, math.log1p(others.sum() / a)
    while True:
        t = np.linspace(low, high, 16)
        log_values = _log_integrand(t, a, others)
        k = int(log_values.argmax())
        if high - low < 1 / math.sqrt(a + 1):  # the width of the density alone
            return float(t[k]), float(log_values[k])
        low, high = t[max(k - 1, 0)], t[min(k + 1, 15)]


def _reach(mode: float, peak: float, a: float, others: Floats) -> tuple[float, float]:
    """The distances to the left and right of the mode at which the log integrand has fallen by FALL."""
    steps = _DOUBLINGS / math.sqrt(a + 1)
    for _ in range(8):  # the slowest fall, at a rate of a in t, is reached long before
        t = np.concatenate([mode - steps, mode + steps])
        fallen = (peak - _log_integrand(t, a, others) > FALL).reshape(2, -1)
        if fallen.any(axis=1).all():
            left, right = steps[fallen.argmax(axis=1)]
            return float(left), float(right)
        steps = np.concatenate([steps, steps[-1] * _DOUBLINGS * 2.0**8])
    raise ValueError(f"The integrand for alpha {a} and {others} does not fall.")


_DOUBLINGS = 2.0 ** np.arange(-4, 6, 0.5)
_X, _W = np.polynomial.legendre.leggauss(_NODES)
_EDGES = np.linspace(0, 1, _PANELS + 1)
_GRADED = np.linspace(0, 1, 3 * _PANELS + 1) ** 3
"""For small alphas: a long tail to the left, but all that is not smooth within about 1 of the mode."""


def _log_integrand(t: Floats, a: float, others: Floats) -> Floats:
    """log of x g(x; a) * product of G(x; a_j) at x = a e^t, without cancellation for large a."""
    with np.errstate(divide="ignore", over="ignore"):  # far out, where the integrand is 0
        x = np.minimum(a * np.exp(t), 1e300)
        result = _log_peak_density(a) - a * (np.expm1(t) - t)
        tiny = x < 1e-12
        some_tiny = tiny.any()
        for b in others.tolist():
            log_cdf = np.log(special.gammainc(b, x))
            if some_tiny:  # there G(x; b) is x^b / Gamma(b + 1), also where x is too small for a double
                log_cdf[tiny] = b * (math.log(a) + t[tiny]) - math.lgamma(b + 1)
            result += log_cdf
    return result


def _log_peak_density(a: float) -> float:
    """log of x g(x; a) at x = a, which is a log a - a - log Gamma(a)."""
    if a < 50:
        return a * math.log(a) - a - math.lgamma(a)
    # Stirling's series, because for large a the three terms above cancel
    return 0.5 * math.log(a / (2 * math.pi)) - (1 / 12 - (1 / 360 - 1 / (1260 * a * a)) / (a * a)) / a
