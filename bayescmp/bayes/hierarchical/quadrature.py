"""The hierarchical correlated t-test without sampling: a three-dimensional posterior by quadrature.

Given (delta_0, sigma_0, nu) the datasets are independent, and each contributes the convolution of two Student t: that
of its own mean (sigma_i integrated out) and that of the datasets' means (`convolution`). delta_0, log sigma_0 and
log(nu - shift) go by the trapezoidal rule, which is nested: every second point makes a coarser rule, and the difference
is the error estimate.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayescmp.bayes.hierarchical.convolution import log_likelihood, log_student, log_student_of_square
from bayescmp.numerics.student import student_regions
from bayescmp.rope import Rope

Floats = NDArray[np.float64]
NODES_SIGMA, NODES_DELTA = 49, 49
LATTICE, MOST_NU = 0.125, 24
"""Steps of log(nu - shift), doubled until at most so many of them cover what is likely."""
FEW_NU = 3
"""Where so few steps hold what is likely, they are halved."""
CUT = 18.0
"""Points whose log density is this far below the highest do not count."""


@dataclass(frozen=True)
class Curve:
    """delta = centre + width sinh(t): fine around the centre, and far out in the tails with few points."""

    centre: float
    width: float

    def delta(self, t: Floats) -> Floats:
        """From the grid's own coordinate to delta_0."""
        return self.centre + self.width * np.sinh(t)

    def t(self, delta: Floats | float) -> Floats:
        """The inverse of `delta`."""
        return np.arcsinh((np.asarray(delta) - self.centre) / self.width)


@dataclass(frozen=True)
class HyperPosterior:
    """The posterior on a grid of nu x log(sigma_0 / unit) x t, with delta_0 = curve(t).

    `at_bound` marks the ends of the two grids (low, high each) where a uniform prior ends before the density does.
    """

    nu: Floats
    log_sigma: Floats
    t: Floats
    curve: Curve
    density: Floats
    at_bound: tuple[tuple[bool, bool], tuple[bool, bool]]
    unit: float = 1.0

    @cached_property
    def delta(self) -> Floats:
        """delta_0 at the points of the grid."""
        return self.curve.delta(self.t)

    @cached_property
    def mass(self) -> Floats:
        """Masses of the points: the trapezoidal rule, with Gregory's weights where a prior cuts the density off."""
        mass = self.density.copy()
        for axis, (low, high) in enumerate(self.at_bound, start=1):
            points = np.moveaxis(mass, axis, 0)
            for cut, ends in ((low, points[:3]), (high, points[:-4:-1])):
                if cut:
                    ends *= np.array([3 / 8, 7 / 6, 23 / 24])[:, None, None]
        return mass / mass.sum()

    @property
    def cut_off(self) -> float:
        """The largest mass on a side of the grid that no prior has put there: all but 0 where the grid holds it all."""
        sides = [(self.mass.sum(axis=(1, 2)), (False, False))] if self.nu.size > 1 else []
        sides += [(self.mass.sum(axis=(0, 2)), self.at_bound[0]), (self.mass.sum(axis=(0, 1)), self.at_bound[1])]
        return max(float(p) for mass, at in sides for p, bound in zip(mass[[0, -1]], at, strict=True) if not bound)

    @property
    def coarse(self) -> "HyperPosterior":
        """The same by every second point in each direction."""
        by = 2 if self.nu.size > 1 else 1
        return replace(
            self,
            nu=self.nu[::by],
            log_sigma=self.log_sigma[::2],
            t=self.t[::2],
            density=self.density[::by, ::2, ::2],
        )


def hyper_posterior(
    means: Floats,
    scales: Floats,
    dfs: Floats,
    *,
    log_nu_range: tuple[float, float] | None,
    log_prior_nu: Callable[[Floats], Floats],
    nu_shift: float,
    delta_bound: float,
    sigma_bound: float,
    refine: int = 1,
    likelihood: Callable[[Floats, Floats, Floats], Floats] | None = None,
) -> HyperPosterior:
    """The posterior of (nu, sigma_0, delta_0), given each dataset's Student posterior (means, scales, dfs).

    `log_prior_nu` is the log prior density of log(nu - shift) within its range; a range of None means nu = infinity.
    `likelihood` takes the place of the Student posteriors, which then only show where to look.
    """
    centre = float(np.median(means))
    spread = np.hypot(np.median(np.abs(means - centre)), np.median(scales))
    curve = Curve(centre, float(spread / np.sqrt(means.size)))
    ends = curve.t(np.array([-delta_bound, delta_bound]))
    data, bounds = (
        (means, scales, dfs, curve),
        ((-np.inf, float(np.log(sigma_bound))), (float(ends[0]), float(ends[1]))),
    )

    def at(log_nu: Floats) -> tuple[Floats, Floats]:
        return nu_shift + np.exp(log_nu), log_prior_nu(log_nu)

    if log_nu_range is None:
        nus, log_prior = np.array([np.inf]), np.zeros(1)
        box = _zoom(
            lambda s, t: _log_density(likelihood, *data, nus, log_prior, s, t),
            _box(*data, nus, log_prior, bounds),
            bounds,
        )
    else:
        finest = LATTICE / 2 ** max(0, int(np.ceil(np.log2(32 * LATTICE / np.ptp(log_nu_range)))))
        wide = _lattice(*log_nu_range, 8 * finest)
        box = _zoom(
            lambda s, t: _log_density(likelihood, *data, *at(wide), s, t), _box(*data, *at(wide), bounds), bounds
        )

        def likely(log_nu: Floats) -> Floats:
            rough = _log_density(likelihood, *data, *at(log_nu), *_grids(box, 25, 25)).max(axis=(1, 2))
            return log_nu[rough > rough.max() - 2 * CUT / 3]

        used, step, margin = likely(wide), 8 * finest, 2 * finest
        while used.size <= FEW_NU and step > finest:  # many datasets determine nu more closely than these steps
            step, around = step / 2, _lattice(used[0] - step, used[-1] + step, step / 2)
            used, margin = likely(around[(around >= wide[0]) & (around <= wide[-1])]), step
        low, high = (max(used[0] - margin, wide[0]), min(used[-1] + margin, wide[-1]))
        finest = min(finest, step / 4)
        step = finest * 2 ** max(0, int(np.ceil(np.log2((high - low) / (finest * MOST_NU * refine)))))
        nus, log_prior = at(_lattice(low, high, step))
    for _ in range(4):  # nearly always once
        log_sigma, t = _grids(box, *(refine * (n - 1) + 1 for n in (NODES_SIGMA, NODES_DELTA)))
        density = _log_density(likelihood, *data, nus, log_prior, log_sigma, t)
        density = np.exp(density - density.max())
        wider = _wider(density.max(axis=0), box, bounds)
        if wider == box:
            break
        box = wider
    at_bound = tuple((low == least, high == most) for (low, high), (least, most) in zip(box, bounds, strict=True))
    return HyperPosterior(nus, log_sigma, t, curve, density, (at_bound[0], at_bound[1]))


def _lattice(low: float, high: float, step: float) -> Floats:
    """Multiples of the step from low to high: the same for all data, so that tables are found again."""
    return step * np.arange(np.floor(low / step), np.ceil(high / step) + 1)


def _grids(box: "Box", n_sigma: int, n_delta: int) -> tuple[Floats, Floats]:
    return np.linspace(*box[0], n_sigma), np.linspace(*box[1], n_delta)


Box = tuple[tuple[float, float], tuple[float, float]]
"""(low, high) of log sigma_0 and of delta_0's coordinate t."""


def _zoom(log_density: Callable[[Floats, Floats], Floats], box: Box, bounds: Box) -> Box:
    """The box where the density is within CUT of its largest: moved out where it is cut off, and in where it is not."""
    for _ in range(20):
        grids = _grids(box, 25, 25)
        density = log_density(*grids)
        inside = (density > density.max() - CUT).any(axis=0)
        sides, moved = [], False
        for axis, (grid, (least, most)) in enumerate(zip(grids, bounds, strict=True)):
            used = np.flatnonzero(inside.any(axis=1 - axis))
            first, last, reach = used[0], used[-1], (grid[-1] - grid[0]) / 2
            out = (first == 0 and grid[0] > least, last == 24 and grid[-1] < most)
            low = max(grid[0] - reach, least) if out[0] else grid[max(first - 1, 0)]
            high = min(grid[-1] + reach, most) if out[1] else grid[min(last + 1, 24)]
            moved = moved or any(out) or high - low < 0.7 * (grid[-1] - grid[0])
            sides.append((float(low), float(high)))
        box = sides[0], sides[1]
        if not moved:
            break
    return box


def _box(means: Floats, scales: Floats, dfs: Floats, curve: Curve, nus: Floats, log_prior: Floats, bounds: Box) -> Box:
    """Where the mass is, by a crude likelihood: the wider Student t with variances added, and the other's tails."""
    few = slice(None, None, max(1, nus.size // 4))
    reach = 10 * scales.max()
    low = [float(np.log(scales.min())) - CUT, max(bounds[1][0], float(curve.t(means.min() - reach)) - 3)]
    high = [bounds[0][1], min(bounds[1][1], float(curve.t(means.max() + reach)) + 3)]
    for _ in range(10):
        log_sigma, t = _grids(((low[0], high[0]), (low[1], high[1])), 25, 25)
        delta = curve.delta(t)
        sigma, scale = np.exp(log_sigma)[:, None], scales[:, None, None]
        width = np.hypot(sigma, scale)
        distance = means[:, None, None] - delta
        wide = (sigma > scale)[..., 0]
        narrow, log_width = ~wide, np.log(width)
        near = np.square(distance / width)
        beyond = np.square((np.hypot(distance, scale) / sigma)[narrow])
        own = log_student_of_square(near[narrow], float(dfs.max())) - log_width[narrow]
        near, log_width = near[wide], log_width[wide]
        own_sigma = np.broadcast_to(log_sigma, wide.shape)[narrow][:, None]
        density, each = np.empty((nus[few].size, 25, 25)), np.empty((means.size, 25, 25))
        for k, nu in enumerate(nus[few]):
            each[wide] = log_student_of_square(near, nu) - log_width
            each[narrow] = np.logaddexp(own, log_student_of_square(beyond, nu) - own_sigma) - np.log(2)
            density[k] = each.sum(axis=0)
        density += log_sigma[:, None] + np.log(np.cosh(t)) + log_prior[few, None, None]
        inside = (density > density.max() - CUT).any(axis=0)
        before = np.subtract(high, low)
        for axis, grid in enumerate((log_sigma, t)):
            used = np.flatnonzero(inside.any(axis=1 - axis))
            low[axis], high[axis] = float(grid[max(used[0] - 1, 0)]), float(grid[min(used[-1] + 1, 24)])
        if (np.subtract(high, low) > 0.7 * before).all():
            break
    return (low[0], high[0]), (low[1], high[1])


def _wider(density: Floats, box: Box, bounds: Box) -> Box:
    """The box, with every side moved out at which the density has not yet fallen (and the prior has not ended)."""
    result = []
    for axis, ((low, high), (least, most)) in enumerate(zip(box, bounds, strict=True)):
        profile = density.max(axis=1 - axis)
        step = (high - low) / 3
        result.append(
            (
                max(low - step, least) if profile[0] > np.exp(-CUT / 2) and low > least else low,
                min(high + step, most) if profile[-1] > np.exp(-CUT / 2) and high < most else high,
            )
        )
    return result[0], result[1]


def _log_density(
    likelihood: Callable[[Floats, Floats, Floats], Floats] | None,
    means: Floats,
    scales: Floats,
    dfs: Floats,
    curve: Curve,
    nus: Floats,
    log_prior: Floats,
    log_sigma: Floats,
    t: Floats,
) -> Floats:
    """nu x log sigma_0 x t; priors uniform in delta_0 and sigma_0, with the Jacobians of their coordinates."""
    delta = curve.delta(t)
    total = log_sigma[:, None] + np.log(np.cosh(t)) + log_prior[:, None, None]
    if likelihood is not None:
        return total + likelihood(nus, log_sigma, delta)
    # a dataset whose scale is below e^-5 of every sigma_0 on the grid is a point to all digits that matter
    points = log_sigma.min() - np.log(scales) > 5
    for m in means[points]:
        z = (m - delta) / np.exp(log_sigma)[:, None]
        total = total + np.stack([log_student(z, nu) for nu in nus]) - log_sigma[:, None]
    for df in np.unique(dfs[~points]):
        here = (dfs == df) & ~points
        total = total + log_likelihood(means[here], scales[here], float(df), nus, log_sigma, delta)
    return total


# ---- what is asked of the grid: the winner among the thetas, means, HDIs


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
