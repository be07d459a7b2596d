"""The difference of two paired proportions: delta = p10 - p01 where (p10, p01, rest) is Dirichlet, by one integral.

delta = s (2u - 1) with independent s = p10 + p01 ~ Beta(a10 + a01, rest) and u = p10/s ~ Beta(a10, a01), so that
P(delta > r) is the integral of the density of s times P(u > (1 + r/s)/2). That factor starts like (s - r)^a01 at s = r.
Where s may be that small, s = r cosh v removes the root and stretches small s, and tanh-sinh nodes meet what is left at
either end. With many items and s above r the integrand is smooth between the extreme quantiles of s: Gauss-Legendre, on
three panels where the factor changes faster than the density.
"""

import itertools
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.lazy import special

Floats = NDArray[np.float64]
TINY = 1e-19
"""The share of s beyond its integral."""
POINTS_AT_A_TIME = 2**19
MANY = 30
"""From so many on, both ends of the density of s are of no account."""
_STEP = 0.025
_T = _STEP * np.arange(-130, 131)
_NEAR, _FAR = (1 / (1 + np.exp(sign * np.pi * np.sinh(_T))) for sign in (-1, 1))
"""Shares of an interval from its left and its right end: precise near both."""
_DE = _STEP * np.pi * np.cosh(_T) * _NEAR * _FAR


def upper_tail(a10: ArrayLike, a01: ArrayLike, rest: ArrayLike, r: ArrayLike) -> Floats:
    """P(delta > r) for r > 0, elementwise over arrays that broadcast."""
    return _elementwise(_tail, a10, a01, rest, r)


def density(a10: ArrayLike, a01: ArrayLike, rest: ArrayLike, x: ArrayLike) -> Floats:
    """The density of delta at x, elementwise; infinite at 0 where a10 + a01 is 1 or less."""
    a10, a01, rest, x = (np.asarray(y, dtype=float) for y in np.broadcast_arrays(a10, a01, rest, x))
    left = x < 0
    found = _elementwise(_pdf, np.where(left, a01, a10), np.where(left, a10, a01), rest, np.abs(x))
    both = a10 + a01
    with np.errstate(divide="ignore", invalid="ignore"):
        log_u = (2 - both) * np.log(2) - special.betaln(a10, a01)
        at_zero = 0.5 * np.exp(log_u) * np.where(both > 1, (both + rest - 1) / (both - 1), np.inf)
    return np.where(x == 0, at_zero, found)


def survival(a10: ArrayLike, a01: ArrayLike, rest: ArrayLike, x: ArrayLike) -> Floats:
    """P(delta > x), elementwise, for any x."""
    x = np.asarray(x, dtype=float)
    above, below = upper_tail(a10, a01, rest, x), upper_tail(a01, a10, rest, -x)
    return np.where(x == 0, special.betainc(a01, a10, 0.5), np.where(x > 0, above, 1 - below))


def shortest_intervals(a10: ArrayLike, a01: ArrayLike, rest: ArrayLike, mass: float) -> tuple[Floats, Floats]:
    """The shortest intervals that hold the mass, elementwise; NaN where the search for equal densities does not settle.

    Newton's method for the mass and the log ratio of the densities at both ends, from a start that allows for the
    skewness; the slopes of the log densities are secants from the second step on.
    """
    a10, a01, rest = (x.ravel() for x in np.broadcast_arrays(*(np.asarray(y, dtype=float) for y in (a10, a01, rest))))
    mean, sd, skewness = _three_moments(a10, a01, rest)
    z = special.ndtri((1 + mass) / 2)
    with np.errstate(invalid="ignore"):
        shift = np.clip(skewness * (z * z - 3) / 6, -0.5, 0.5)
    ends = np.clip(np.stack([mean + sd * (shift - z), mean + sd * (shift + z)]), -1 + 1e-9, 1 - 1e-9)
    found, slope = np.full(ends.shape, np.nan), (mean - ends) / sd**2
    log_f, todo = np.full(ends.shape, np.nan), np.arange(mean.size)
    before = ends
    for step in range(30):
        a, b, c, x = a10[todo], a01[todo], rest[todo], ends[:, todo]
        with np.errstate(divide="ignore", invalid="ignore"):
            f = density(a, b, c, x)
            new = np.log(f)
            secant = (new - log_f[:, todo]) / (x - before[:, todo])
            slope[:, todo] = np.where(np.isfinite(secant), secant, slope[:, todo]) if step else slope[:, todo]
            log_f[:, todo] = new
            # mass and log ratio are linear in both ends: two equations with two unknowns
            up, down = slope[:, todo]
            wrong, ratio = mass - survival(a, b, c, x[0]) + survival(a, b, c, x[1]), log_f[0, todo] - log_f[1, todo]
            high = (wrong * up + f[0] * ratio) / (f[1] * up - f[0] * down)
            low = (down * high - ratio) / up
        move = np.clip(np.stack([low, high]), -sd[todo], sd[todo])
        going = np.isfinite(move).all(axis=0) & (up > 0) & (down < 0)
        before, ends = ends, ends.copy()
        ends[:, todo] += np.where(going, move, 0.0)
        x = ends[:, todo]
        going &= (x[0] > -1) & (x[0] < x[1]) & (x[1] < 1)
        done = going & (np.abs(move).max(axis=0) < 1e-9 * sd[todo])
        found[:, todo[done]] = x[:, done]
        todo = todo[going & ~done]
        if not todo.size:
            break
    return found[0], found[1]


def _three_moments(a10: Floats, a01: Floats, rest: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, standard deviation and skewness of delta = s (2u - 1)."""
    both, total = a10 + a01, a10 + a01 + rest
    s = np.cumprod([(both + k) / (total + k) for k in range(3)], axis=0)
    u = np.cumprod([(a10 + k) / (both + k) for k in range(3)], axis=0)
    mean = s[0] * (2 * u[0] - 1)
    variance = s[1] * (4 * u[1] - 4 * u[0] + 1) - mean**2
    third = s[2] * (8 * u[2] - 12 * u[1] + 6 * u[0] - 1) - 3 * mean * variance - mean**3
    return mean, np.sqrt(variance), third / variance**1.5


def _elementwise(part: object, *arrays: ArrayLike) -> Floats:
    flat = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in arrays))
    shape, columns = flat[0].shape, [x.ravel() for x in flat]
    result = np.zeros(columns[0].size)
    r = columns[3]
    todo = np.flatnonzero((r > 0) & (r < 1))
    size = max(1, POINTS_AT_A_TIME // _T.size)
    for start in range(0, todo.size, size):
        rows = todo[start : start + size]
        result[rows] = part(*(x[rows] for x in columns))  # type: ignore[operator]
    return result.reshape(shape)


def _tail(a10: Floats, a01: Floats, rest: Floats, r: Floats) -> Floats:
    def of_u(a10: Floats, a01: Floats, ratio: Floats) -> Floats:
        return special.betainc(a01, a10, ratio / 2)

    return np.minimum(_integral(of_u, a10, a01, rest, r), 1.0)


def _pdf(a10: Floats, a01: Floats, rest: Floats, r: Floats) -> Floats:
    def of_u(a10: Floats, a01: Floats, ratio: Floats) -> Floats:
        """Without 1/s: the density of u at (1 + r/s)/2, halved; `ratio` is 1 - r/s."""
        x = ratio / 2
        with np.errstate(divide="ignore"):
            log_density = special.xlogy(a01 - 1, x) + special.xlog1py(a10 - 1, -x) - special.betaln(a10, a01)
        return 0.5 * np.exp(log_density)

    return _integral(of_u, a10, a01, rest, r, per_s=True)


def _integral(of_u: object, a10: Floats, a01: Floats, rest: Floats, r: Floats, per_s: bool = False) -> Floats:
    """The integral over s from r to 1 of its density times of_u at r/s (over s, if asked)."""
    both = a10 + a01
    beyond = special.betainc(rest, both, 1 - r)
    low = special.betaincinv(both, rest, TINY)
    gap = np.maximum(special.betaincinv(rest, both, np.maximum(TINY * beyond, 1e-300)), 0.0)  # 1 - the largest s
    result = np.zeros(r.size)
    alive = (beyond > 0) & (1 - gap > r)
    root = ~(low > r * (1 + 1e-9))
    many = ~root & (both >= MANY) & (rest >= MANY)
    u = a10 / both
    with np.errstate(divide="ignore"):
        change = np.abs(r / (2 * u - 1))  # of s, where the factor changes, and how fast
        width = 2 * np.square(change) / r * np.sqrt(u * (1 - u) / both)
    sharp = many & (width < np.sqrt(rest / (both + rest + 1)) * np.sqrt(both) / (both + rest))
    rules = ((many & ~sharp, _smooth), (sharp, _panels), (~many & ~root, _ends), (root, _rooted))
    for chosen, rule in rules:
        rows = np.flatnonzero(alive & chosen)
        if rows.size:
            given = (low, gap, r, change, width)
            s, far, ratio, weight = rule(*(x[rows, None] for x in given))
            one, two, three = a10[rows, None], a01[rows, None], rest[rows, None]
            with np.errstate(divide="ignore"):
                log_density = special.xlogy(one + two - 1, s) + special.xlogy(three - 1, far)
            # divided by its own sum, because the logarithm of a beta function of large counts has too few digits
            density = np.where(weight > 0, weight * np.exp(log_density - log_density.max(axis=1, keepdims=True)), 0.0)
            density *= (beyond[rows] / density.sum(axis=1))[:, None]
            value = of_u(one, two, ratio)  # type: ignore[operator]
            with np.errstate(invalid="ignore"):
                result[rows] = np.where(density > 0, density * (value / s if per_s else value), 0.0).sum(axis=1)
    return result


@cache
def _rule() -> tuple[Floats, Floats]:
    """The nodes and weights between two quantiles."""
    nodes, weights = np.polynomial.legendre.leggauss(48)
    return nodes, weights


def _smooth(low: Floats, gap: Floats, r: Floats, *_: Floats) -> tuple[Floats, ...]:
    """s, 1 - s, 1 - r/s and weights between the extreme quantiles."""
    half, (x, weights) = (1 - gap - low) / 2, _rule()
    s = low + half * (1 + x)
    return s, gap + half * (1 - x), (s - r) / s, half * weights


def _panels(low: Floats, gap: Floats, r: Floats, change: Floats, width: Floats) -> tuple[Floats, ...]:
    """The same with a panel of its own for the change."""
    edges = [low, *(np.clip(change + k * width, low, 1 - gap) for k in (-9, 9)), 1 - gap]
    parts = [_smooth(left, 1 - right, r) for left, right in itertools.pairwise(edges)]
    return tuple(np.concatenate(x, axis=1) for x in zip(*parts, strict=True))


def _ends(low: Floats, gap: Floats, r: Floats, *_: Floats) -> tuple[Floats, ...]:
    """The same with nodes that meet any power of s at one end and of 1 - s at the other."""
    length = 1 - gap - low
    s = low + length * _NEAR
    return s, gap + length * _FAR, (s - r) / s, length * _DE


def _rooted(low: Floats, gap: Floats, r: Floats, *_: Floats) -> tuple[Floats, ...]:
    """The same from s = r on, by s = r cosh v."""
    above = (1 - gap) / r - 1
    end = np.log1p(above + np.sqrt(above * (above + 2)))
    v, back = end * _NEAR, end * _FAR
    s = r * np.cosh(v)
    # the largest s less this one, without a difference of the two
    down = 2 * r * np.sinh((end + v) / 2) * np.sinh(back / 2)
    ratio = 2 * np.square(np.sinh(v / 2)) / np.cosh(v)
    return s, gap + down, ratio, end * _DE * r * np.sinh(v)
