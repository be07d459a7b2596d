"""From the hyperparameters' posterior on its grid to what is asked of it: the winner among the thetas, means, HDIs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayescmp.bayes.collapsed import HyperPosterior
from bayescmp.bayes.distributions import student_regions
from bayescmp.rope import Rope

Floats = NDArray[np.float64]


def winner_probabilities(h: HyperPosterior, rope: Rope) -> Floats:
    """P(better), P(equivalent), P(worse) is the largest theta: every row of delta_0 split where the winner changes."""
    nu, log_sigma = (x.ravel() for x in np.meshgrid(h.nu, h.log_sigma, indexing="ij"))
    rows = h.mass.reshape(-1, h.delta.size)
    used = rows.sum(axis=1) > 1e-7
    lower, upper = _winner_borders(finite(nu[used]), np.exp(log_sigma[used]), rope)
    below, above = (_row_cdf(rows[used], h.delta, x) for x in (lower, upper))
    better, worse = 1.0 * (rows[used].sum(axis=1) - above).sum(), below.sum()
    total = rows[used].sum()
    p = np.clip(np.array([better, total - better - worse, worse]) / total, 0.0, 1.0)
    return p / p.sum()


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


def _row_cdf(rows: Floats, grid: Floats, x: Floats) -> Floats:
    """The mass of each row below its x: cubic interpolation between the points, integrated."""
    step = grid[1] - grid[0]
    f = np.pad(rows, ((0, 0), (2, 2)))
    cells = (-f[:, :-3] + 13 * f[:, 1:-2] + 13 * f[:, 2:-1] - f[:, 3:]) / 24
    cumulative = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(cells, axis=1)], axis=1)
    position = np.clip((x - grid[0]) / step + 1, 0, grid.size + 1 - 1e-9)
    cell = position.astype(int)
    t = (position - cell)[:, None]
    near = np.take_along_axis(f, cell[:, None] + np.arange(4), axis=1)
    a, b, c, d = near.T[..., None]
    part = (
        b * t
        + (-2 * a - 3 * b + 6 * c - d) * t**2 / 12
        + (a - 2 * b + c) * t**3 / 6
        + (-a + 3 * b - 3 * c + d) * t**4 / 24
    )
    total = cumulative[:, -1]
    below = np.take_along_axis(cumulative, cell[:, None], axis=1)[:, 0] + part[:, 0]
    return np.clip(below, 0.0, total) / np.where(total > 0, total, 1.0) * rows.sum(axis=1)


def expected_theta(h: HyperPosterior, rope: Rope) -> Floats:
    """The posterior mean of theta."""
    used = np.flatnonzero(h.mass.ravel() > 1e-8)
    k, i, j = np.unravel_index(used, h.mass.shape)
    theta = student_regions(h.delta[j], np.exp(h.log_sigma[i]), finite(h.nu[k]), rope)
    weight = h.mass.ravel()[used]
    return np.array([weight @ x for x in theta]) / weight.sum()


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
