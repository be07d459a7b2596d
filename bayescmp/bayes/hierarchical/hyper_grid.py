"""From the hyperparameters' posterior on its grid to what is asked of it: the winner among the thetas, means, HDIs."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayescmp.bayes.hierarchical.collapsed import HyperPosterior
from bayescmp.numerics.student import student_regions
from bayescmp.rope import Rope

Floats = NDArray[np.float64]


def winner_probabilities(h: HyperPosterior, rope: Rope) -> Floats:
    """P(better), P(equivalent), P(worse) is the largest theta: every row of delta_0 split where the winner changes."""
    rows, nu, sigma = _rows(h)
    below, above = (_row_cdf(h, rows, x) for x in _winner_borders(nu, sigma, rope))
    total = rows.sum(axis=1)
    middle = 0.0 if rope.is_zero else np.maximum(above - below, 0.0).sum()
    p = np.array([(total - above).sum(), middle, below.sum()])
    return p / p.sum()


def finer_sigma(h: HyperPosterior, factor: int = 8) -> HyperPosterior:
    """The same posterior with more points of sigma_0, by splines of its log density: no new likelihood is needed.

    "Equivalent" stops being the largest theta of any delta_0 above some sigma_0, and its borders close there like a
    square root, which the grid's own steps may be too coarse for.
    """
    from scipy.interpolate import CubicSpline

    fine = np.linspace(h.log_sigma[0], h.log_sigma[-1], factor * (h.log_sigma.size - 1) + 1)
    log_density = np.log(np.maximum(h.density, 1e-300))
    return replace(h, log_sigma=fine, density=np.exp(CubicSpline(h.log_sigma, log_density, axis=1)(fine)))


def expected_theta(h: HyperPosterior, rope: Rope) -> Floats:
    """The posterior mean of theta."""
    rows, nu, sigma = _rows(h)
    regions = student_regions(h.delta, sigma[:, None], nu[:, None], rope)
    better, middle, worse = ((rows * x).sum(axis=1) for x in regions)
    sums = [better, worse]
    # where sigma_0 is smaller than the steps of delta_0, theta is a step: split the row at the rope's borders
    borders = (rope.high, rope.low)
    steps = [np.interp(x, h.delta, np.gradient(h.delta)) for x in borders]
    for k, (border, step) in enumerate(zip(borders, steps, strict=True)):
        narrow = sigma < step
        if narrow.any():
            below = _row_cdf(h, rows[narrow], np.full(narrow.sum(), border))
            sums[k][narrow] = below if k else rows[narrow].sum(axis=1) - below
            middle[narrow] = np.maximum(rows[narrow].sum(axis=1) - sums[0][narrow] - sums[1][narrow], 0.0)
    p = np.array([better.sum(), 0.0 if rope.is_zero else middle.sum(), worse.sum()])
    return p / p.sum()


def _rows(h: HyperPosterior) -> tuple[Floats, Floats, Floats]:
    """The rows of delta_0 that have any mass, with their nu and sigma_0."""
    nu, log_sigma = (x.ravel() for x in np.meshgrid(h.nu, h.log_sigma, indexing="ij"))
    rows = h.mass.reshape(-1, h.delta.size)
    used = rows.sum(axis=1) > 1e-7
    return rows[used], finite(nu[used]), h.unit * np.exp(log_sigma[used])


def _winner_borders(nu: Floats, sigma: Floats, rope: Rope) -> tuple[Floats, Floats]:
    """The delta_0 below which "worse" and above which "better" is the largest theta."""
    if np.isinf(rope.low) or np.isinf(rope.high):  # half of the rope's mass on either side of its only border
        return np.full(nu.size, rope.low), np.full(nu.size, rope.high)
    centre, half = (rope.low + rope.high) / 2, (rope.high - rope.low) / 2
    low, high = np.zeros(nu.size), np.full(nu.size, half)
    for _ in range(30 if half else 0):
        c = (low + high) / 2
        # theta_equivalent - theta_better with delta_0 = centre + c
        gap = 2 * special.stdtr(nu, (half - c) / sigma) - special.stdtr(nu, (-half - c) / sigma) - 1
        low, high = np.where(gap > 0, c, low), np.where(gap > 0, high, c)
    return centre - low, centre + low


def _row_cdf(h: HyperPosterior, rows: Floats, x: Floats) -> Floats:
    """The mass of each row below its x: cubic interpolation between the points of the grid's coordinate, integrated."""
    f = np.pad(rows, ((0, 0), (2, 2)))
    cells = (-f[:, :-3] + 13 * f[:, 1:-2] + 13 * f[:, 2:-1] - f[:, 3:]) / 24
    cumulative = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(cells, axis=1)], axis=1)
    with np.errstate(invalid="ignore"):
        position = np.clip((h.curve.t(x) - h.t[0]) / (h.t[1] - h.t[0]) + 1, 0, h.t.size + 1 - 1e-9)
    cell = position.astype(int)
    s = (position - cell)[:, None]
    a, b, c, d = np.take_along_axis(f, cell[:, None] + np.arange(4), axis=1).T[..., None]
    part = (
        b * s
        + (-2 * a - 3 * b + 6 * c - d) * s**2 / 12
        + (a - 2 * b + c) * s**3 / 6
        + (-a + 3 * b - 3 * c + d) * s**4 / 24
    )
    total = cumulative[:, -1]
    below = np.take_along_axis(cumulative, cell[:, None], axis=1)[:, 0] + part[:, 0]
    share = np.where(np.isposinf(x), 1.0, np.clip(below, 0.0, total) / np.where(total > 0, total, 1.0))
    return share * rows.sum(axis=1)


def finite(nu: Floats) -> Floats:
    """stdtr wants a number for the normal distribution."""
    return np.minimum(nu, 1e10)


def marginal(values: Floats, mass: Floats) -> Any:
    """A function from the mass of an HDI to (mean, standard deviation, HDI)."""
    mean = float(mass @ values)
    sd = float(np.sqrt(mass @ (values - mean) ** 2))
    return lambda share: (mean, sd, grid_hdi(values, mass, share))


def grid_hdi(values: Floats, mass: Floats, share: float) -> tuple[float, float]:
    """The highest-density interval of masses on a grid whose steps may grow: splines along the grid's own numbering."""
    from scipy.interpolate import CubicSpline

    at, fine = np.arange(values.size), np.linspace(0, values.size - 1, 4001)
    curve = CubicSpline(at, values)
    weight = np.exp(np.minimum(CubicSpline(at, np.log(mass + 1e-30))(fine), 0.0))
    density = weight / curve(fine, 1)
    order = np.argsort(-density, kind="stable")
    inside = order[: int(np.searchsorted(np.cumsum(weight[order]), share * weight.sum())) + 1]
    return float(curve(fine[inside.min()])), float(curve(fine[inside.max()]))
