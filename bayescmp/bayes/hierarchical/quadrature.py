"""The hierarchical correlated t-test without sampling: a three-dimensional posterior by quadrature.

Given (delta_0, sigma_0, nu) the datasets are independent, and each contributes the convolution of two Student t: that
of its own mean (sigma_i integrated out) and that of the datasets' means (`convolution`). delta_0, sigma_0 and
log(nu - shift) go by the trapezoidal rule, each in a coordinate along which the posterior dies away fast. The rule is
nested: every second and every fourth point of one direction make coarser rules, their differences are the estimate of
that direction's error, and the direction that needs it gets the points in between.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayescmp.bayes.hierarchical.convolution import (
    log_likelihood,
    log_student,
    log_student_of_square,
    spline_weights,
)
from bayescmp.numerics.student import log_student_factor
from bayescmp.rope import Rope

Floats = NDArray[np.float64]
NODES_SIGMA, NODES_DELTA = 37, 41
NODES_PEAK, MOST_PEAKS, PEAK = 20, 4, 0.5
"""Points of delta_0 more for each peak between the others, the most such peaks, and the weight of their arsinh."""
SHARPEST = 1e-10
"""Widths of peaks, in those of the curve, that rounding still leaves apart."""
LATTICE, MOST_NU = 0.125, 36
"""Steps of log(nu - shift), doubled until at most so many of them cover what is likely."""
FEW_NU = 3
"""Where so few steps hold what is likely, they are halved."""
ROUGH = 17
"""Points of either direction while the box is looked for."""
NEGLIGIBLE_PEAK = 1e-6
"""The share of the mass in a peak between the points that does not count."""
CUT = 18.0
"""Points whose log density is this far below the highest do not count."""


@dataclass(frozen=True)
class Curve:
    """t = arsinh((delta - centre) / width): fine around the centre, and far out in the tails with few points.

    Around the `peaks` (centre, width), of which each adds its own arsinh, it is as fine as they are.
    """

    centre: float
    width: float
    peaks: tuple[tuple[float, float], ...] = ()

    def delta(self, t: Floats) -> Floats:
        """From the grid's own coordinate to delta_0."""
        if not self.peaks:
            return self.centre + self.width * np.sinh(t)
        # by bisection of the first arsinh, which is between 0 and t where all peaks are behind it
        reach = np.abs(t) + 1 + max(abs(float(np.arcsinh((at - self.centre) / self.width))) for at, _ in self.peaks)
        low, high = -reach, reach
        for _ in range(60):
            middle = (low + high) / 2
            below = self.t(self.centre + self.width * np.sinh(middle)) < t
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return self.centre + self.width * np.sinh((low + high) / 2)

    def t(self, delta: Floats | float) -> Floats:
        """The inverse of `delta`."""
        t = np.arcsinh((np.asarray(delta) - self.centre) / self.width)
        for at, width in self.peaks:
            t = t + PEAK * np.arcsinh((np.asarray(delta) - at) / width)
        return t

    def slope(self, delta: Floats) -> Floats:
        """The derivative of t."""
        slope = 1 / np.hypot(delta - self.centre, self.width)
        for at, width in self.peaks:
            slope = slope + PEAK / np.hypot(delta - at, width)
        return slope

    def log_stretch(self, t: Floats) -> Floats:
        """The logarithm of the derivative of delta, less that of `width`."""
        return -np.log(self.width * self.slope(self.delta(t))) if self.peaks else np.log(np.cosh(t))

    def times(self, unit: float) -> "Curve":
        """The same for differences in units of 1 / `unit`."""
        return Curve(self.centre * unit, self.width * unit, tuple((at * unit, w * unit) for at, w in self.peaks))


@dataclass(frozen=True)
class Bend:
    """log sigma_0 = anchor + x - exp(-x): straight above the anchor, and down to nearly no sigma_0 in a few steps."""

    anchor: float

    def log_sigma(self, x: Floats) -> Floats:
        """From the grid's own coordinate to log(sigma_0 / unit)."""
        return self.anchor + x - np.exp(-x)

    def x(self, log_sigma: Floats | float) -> Floats:
        """The inverse of `log_sigma`, by Newton's steps, which come from the left of a concave function."""
        y = np.asarray(log_sigma, dtype=float) - self.anchor
        x = np.where(y > 1, y, -np.log1p(np.maximum(-y, 0.0)))
        for _ in range(8):
            rest = np.exp(-x)
            x = x - (x - rest - y) / (1 + rest)
        return x

    def slope(self, x: Floats) -> Floats:
        """The derivative of log sigma_0."""
        return 1 + np.exp(-x)


@dataclass(frozen=True)
class HyperPosterior:
    """The posterior on a grid of nu x x x t, with log(sigma_0 / unit) = bend(x) and delta_0 = curve(t).

    `density` is that of (log(nu - shift), x, t), divided by e^`top`. `at_bound` marks the ends of the last two grids
    (low, high each) where a uniform prior ends before the density does. `missed` is the share of the mass in a peak
    between the points. `fills` says whether rows of few points are filled in.
    """

    nu: Floats
    x: Floats
    t: Floats
    bend: Bend
    curve: Curve
    density: Floats
    at_bound: tuple[tuple[bool, bool], tuple[bool, bool]]
    unit: float = 1.0
    top: float = 0.0
    missed: float = 0.0
    fills: bool = True

    @cached_property
    def delta(self) -> Floats:
        """delta_0 at the points of the grid."""
        return self.curve.delta(self.t)

    @cached_property
    def sigma(self) -> Floats:
        """sigma_0 at the points of the grid."""
        return self.unit * np.exp(self.bend.log_sigma(self.x))

    @cached_property
    def mass(self) -> Floats:
        """Masses of the points: the trapezoidal rule, with Gregory's weights where a prior cuts the density off."""
        mass = self.density * self.weights(0)[:, None] * self.weights(1)
        return mass / mass.sum()

    def weights(self, which: int) -> Floats:
        """The rule's weights along x (0) or t (1), in units of its step."""
        weights = np.ones((self.x, self.t)[which].size)
        for cut, ends in zip(self.at_bound[which], (weights[:3], weights[:-4:-1]), strict=True):
            if cut:
                ends *= np.array([3 / 8, 7 / 6, 23 / 24])[: ends.size]
        return weights

    @cached_property
    def delta_density(self) -> Floats:
        """The density along delta_0, times the rule's weights."""
        along = np.tensordot(self.weights(0), self.density.sum(axis=0), 1)
        return along * self.weights(1)

    @property
    def delta_mass(self) -> Floats:
        """The masses of the points of delta_0."""
        return self.delta_density / self.delta_density.sum()

    @property
    def cut_off(self) -> float:
        """The largest mass on a side of the grid that no prior has put there: all but 0 where the grid holds it all."""
        sides = [(self.mass.sum(axis=(1, 2)), (False, False))] if self.nu.size > 1 else []
        sides += [(self.mass.sum(axis=(0, 2)), self.at_bound[0]), (self.delta_mass, self.at_bound[1])]
        return max(float(p) for mass, at in sides for p, bound in zip(mass[[0, -1]], at, strict=True) if not bound)

    def every(self, step: int, axis: int) -> "HyperPosterior":
        """The same by every second (third ...) point in one direction."""
        name = ("nu", "x", "t")[axis]
        places = [slice(None)] * 3
        places[axis] = slice(None, None, step)
        return replace(self, density=self.density[tuple(places)], **{name: getattr(self, name)[::step]})


class LogDensity:
    """The log density of (log(nu - shift), log sigma_0, t) at any points: data and priors in units of their sd.

    `likelihood` takes the place of the datasets' Student posteriors, which then only show where to look.
    """

    def __init__(
        self,
        means: Floats,
        scales: Floats,
        dfs: Floats,
        *,
        log_nu_range: tuple[float, float] | None,
        log_prior_nu: Callable[[Floats], Floats],
        nu_shift: float,
        delta_bound: float,
        sigma_bound: float,
        likelihood: Callable[[Floats, Floats, Floats], Floats] | None = None,
    ) -> None:
        self.means, self.scales, self.dfs, self.likelihood = means, scales, dfs, likelihood
        self.log_nu_range, self.log_prior_nu, self.nu_shift = log_nu_range, log_prior_nu, nu_shift
        centre = float(np.median(means))
        spread = np.hypot(np.median(np.abs(means - centre)), np.median(scales))
        self.curve = Curve(centre, float(spread / np.sqrt(means.size)))
        self.delta_bound, self.log_sigma_bound = delta_bound, float(np.log(sigma_bound))

    def bounds(self, curve: Curve) -> "Box":
        """Where the priors end."""
        low, high = curve.t(np.array([-self.delta_bound, self.delta_bound])).tolist()
        return (-np.inf, self.log_sigma_bound), (low, high)

    def at(self, log_nu: Floats) -> tuple[Floats, Floats]:
        """nu, and the log prior density of log(nu - shift); an infinite log nu stands for normal random effects."""
        if self.log_nu_range is None:
            return np.array([np.inf]), np.zeros(1)
        return self.nu_shift + np.exp(log_nu), self.log_prior_nu(log_nu)

    def __call__(self, log_nu: Floats, log_sigma: Floats, t: Floats, curve: Curve) -> Floats:
        data = self.means, self.scales, self.dfs, curve
        return _log_density(self.likelihood, *data, *self.at(log_nu), log_sigma, t)


def hyper_posterior(log_density: LogDensity) -> HyperPosterior:
    """The posterior of (nu, sigma_0, delta_0), given each dataset's Student posterior (means, scales, dfs)."""
    found = _along(log_density.curve, log_density)
    peak, missed = _hidden_peak(found, log_density)
    while missed > NEGLIGIBLE_PEAK and len(found.curve.peaks) < MOST_PEAKS:  # rarely
        found = _along(replace(found.curve, peaks=(*found.curve.peaks, peak)), log_density)
        peak, missed = _hidden_peak(found, log_density)
    return replace(found, missed=missed)


def _along(curve: Curve, log_density: LogDensity) -> HyperPosterior:
    """The posterior on a grid along this curve."""
    f, bounds = partial(log_density, curve=curve), log_density.bounds(curve)
    data = log_density.means, log_density.scales, log_density.dfs, curve
    at, log_nu_range = log_density.at, log_density.log_nu_range
    if log_nu_range is None:
        log_nu = np.array([np.inf])
        box = _zoom(lambda s, t: f(log_nu, s, t), _box(*data, *at(log_nu), bounds), bounds)
    else:
        finest = LATTICE / 2 ** max(0, int(np.ceil(np.log2(32 * LATTICE / np.ptp(log_nu_range)))))
        wide = _lattice(*log_nu_range, 8 * finest)
        some = np.unique(np.append(wide[::4], wide[-1]))
        box = _zoom(lambda s, t: f(some, s, t), _box(*data, *at(some), bounds), bounds)

        def likely(log_nu: Floats) -> Floats:
            rough = f(log_nu, *_grids(box)).max(axis=(1, 2))
            return log_nu[rough > rough.max() - 2 * CUT / 3]

        used, step, margin = likely(wide), 8 * finest, 8 * finest
        while used.size <= FEW_NU and step > finest:  # many datasets determine nu more closely than these steps
            step, around = step / 2, _lattice(used[0] - step, used[-1] + step, step / 2)
            used, margin = likely(around[(around >= wide[0]) & (around <= wide[-1])]), step
        low, high = (max(used[0] - margin, wide[0]), min(used[-1] + margin, wide[-1]))
        finest = min(finest, step / 4)
        step = finest * 2 ** max(0, int(np.ceil(np.log2((high - low) / (finest * MOST_NU)))))
        log_nu = _lattice(low, high, step)
    n_x = 2 * NODES_SIGMA - 1 if curve.peaks else NODES_SIGMA  # peaks go with small sigma_0 as well
    n_t = NODES_DELTA + NODES_PEAK * len(curve.peaks)
    for _ in range(4):  # nearly always once
        bend = Bend(box[0][1] - 3)
        low, high = bend.x(np.array(box[0])).tolist()
        x, t = np.linspace(low, high, n_x), np.linspace(*box[1], n_t)
        density = f(log_nu, bend.log_sigma(x), t) + np.log(bend.slope(x))[:, None]
        top = float(density.max())
        density = np.exp(density - top)
        wider = _wider(density.max(axis=0), box, bounds)
        if wider == box:
            break
        box = wider
    at_bound = tuple((low == least, high == most) for (low, high), (least, most) in zip(box, bounds, strict=True))
    return HyperPosterior(at(log_nu)[0], x, t, bend, curve, density, (at_bound[0], at_bound[1]), top=top)


def _hidden_peak(h: HyperPosterior, log_density: LogDensity) -> tuple[tuple[float, float], float]:
    """The centre and the width of the peak that the grid misses most of, between its points, and its share of all mass.

    Peaks are where datasets far sharper than the others are, in rows whose sigma_0 is small too.
    """
    if log_density.likelihood is not None:  # that is known by a table for the points of one curve
        return (0.0, 0.0), 0.0
    means, group = np.unique(log_density.means, return_inverse=True)
    with np.errstate(over="ignore"):
        widths = np.bincount(group, log_density.scales**-2.0) ** -0.5
    widths = np.maximum(widths, SHARPEST * h.curve.width)
    step = h.t[1] - h.t[0]
    steps = step / h.curve.slope(means)
    sharpness = np.where((means > h.delta[0]) & (means < h.delta[-1]), steps / widths, 0.0)
    sharpest = np.argsort(-sharpness)[:MOST_PEAKS]
    means, widths, steps = (x[sharpest[sharpness[sharpest] > 1]] for x in (means, widths, steps))
    if not means.size:
        return (0.0, 0.0), 0.0
    beside = h.curve.t(means) + step * np.array([[0], [1], [-1]])
    log_nu = np.log(h.nu - log_density.nu_shift) if h.nu.size > 1 else h.nu
    density = log_density(log_nu, h.bend.log_sigma(h.x), beside.ravel(), h.curve)
    density = np.exp(density + np.log(h.bend.slope(h.x))[:, None] - h.top).reshape(*density.shape[:2], 3, -1)
    top, around = density[:, :, 0], density[:, :, 1:].max(axis=2)
    narrow = np.minimum(np.hypot(widths, np.exp(h.bend.log_sigma(h.x))[:, None]) / steps, 1)
    mass = np.where(top > 2 * around, top * narrow, 0.0).sum(axis=(0, 1)) / h.density.sum()
    worst = int(mass.argmax())
    return (float(means[worst]), float(widths[worst])), float(mass[worst])


def refined(h: HyperPosterior, log_density: LogDensity, axis: int) -> HyperPosterior:
    """The same posterior with the points in between in one direction."""
    grids = [np.log(h.nu - log_density.nu_shift) if h.nu.size > 1 else h.nu, h.x, h.t]
    coarse = grids[axis]
    grids[axis] = coarse[:-1] + np.diff(coarse) / 2
    between = log_density(grids[0], h.bend.log_sigma(grids[1]), grids[2], h.curve.times(1 / h.unit))
    between += np.log(h.bend.slope(grids[1]))[:, None]
    order = np.argsort(np.concatenate([coarse, grids[axis]]), kind="stable")
    density = np.concatenate([h.density, np.exp(between - h.top)], axis=axis).take(order, axis=axis)
    values = np.concatenate([coarse, grids[axis]])[order]
    if axis == 0:
        values = np.concatenate([h.nu, log_density.at(grids[0])[0]])[order]
    changed: dict[str, Any] = {("nu", "x", "t")[axis]: values}
    return replace(h, density=density, **changed)


def _lattice(low: float, high: float, step: float) -> Floats:
    """Multiples of the step from low to high: the same for all data, so that tables are found again."""
    return step * np.arange(np.floor(low / step), np.ceil(high / step) + 1)


def _grids(box: "Box") -> tuple[Floats, Floats]:
    return np.linspace(*box[0], ROUGH), np.linspace(*box[1], ROUGH)


Box = tuple[tuple[float, float], tuple[float, float]]
"""(low, high) of log sigma_0 and of delta_0's coordinate t."""


def _zoom(log_density: Callable[[Floats, Floats], Floats], box: Box, bounds: Box) -> Box:
    """The box where the density is within CUT of its largest: moved out where it is cut off, and in where it is not."""
    for _ in range(20):
        grids = _grids(box)
        density = log_density(*grids)
        inside = (density > density.max() - CUT).any(axis=0)
        sides, moved = [], False
        for axis, (grid, (least, most)) in enumerate(zip(grids, bounds, strict=True)):
            used = np.flatnonzero(inside.any(axis=1 - axis))
            first, last, reach = used[0], used[-1], (grid[-1] - grid[0]) / 2
            out = (first == 0 and grid[0] > least, last == ROUGH - 1 and grid[-1] < most)
            low = max(grid[0] - reach, least) if out[0] else grid[max(first - 1, 0)]
            high = min(grid[-1] + reach, most) if out[1] else grid[min(last + 1, ROUGH - 1)]
            moved = moved or any(out) or high - low < 0.7 * (grid[-1] - grid[0])
            sides.append((float(low), float(high)))
        box = sides[0], sides[1]
        if not moved:
            break
    return box


def _box(means: Floats, scales: Floats, dfs: Floats, curve: Curve, nus: Floats, log_prior: Floats, bounds: Box) -> Box:
    """Where the mass is, by a crude likelihood: the wider Student t with variances added, and the other's tails."""
    reach = 10 * scales.max()
    low = [float(np.log(scales.min())) - CUT, max(bounds[1][0], float(curve.t(means.min() - reach)) - 3)]
    high = [bounds[0][1], min(bounds[1][1], float(curve.t(means.max() + reach)) + 3)]
    for _ in range(10):
        log_sigma, t = _grids(((low[0], high[0]), (low[1], high[1])))
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
        density, each = np.empty((nus.size, ROUGH, ROUGH)), np.empty((means.size, ROUGH, ROUGH))
        for k, nu in enumerate(nus):
            each[wide] = log_student_of_square(near, nu) - log_width
            each[narrow] = np.logaddexp(own, log_student_of_square(beyond, nu) - own_sigma) - np.log(2)
            density[k] = each.sum(axis=0)
        density += log_sigma[:, None] + curve.log_stretch(t) + log_prior[:, None, None]
        inside = (density > density.max() - CUT).any(axis=0)
        before = np.subtract(high, low)
        for axis, grid in enumerate((log_sigma, t)):
            used = np.flatnonzero(inside.any(axis=1 - axis))
            low[axis], high[axis] = float(grid[max(used[0] - 1, 0)]), float(grid[min(used[-1] + 1, ROUGH - 1)])
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
    total = log_sigma[:, None] + curve.log_stretch(t) + log_prior[:, None, None]
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


# ---- what is asked of the grid: the winner among the thetas, their means, and how far off both are

NODES_WINNER = 48
NARROW, STEP_T, LARGEST_T = 2.0, 0.3, 14.0
"""sigma_0 in steps of delta_0 below which theta counts as a step, and the steps of its deviations, by asinh."""
AROUND, NEXT_TO_NOTHING = 3, 1e-5
"""Points on either side of a border, and the share of a row's highest density that does not count there."""
NEGLIGIBLE_ROW, NEGLIGIBLE_POINTS = 1e-8, 2e-5
"""A row of delta_0 with less of the mass than that does not count, nor do points that all together cannot have more."""
SWING = 0.25
"""How far above the larger of its neighbours the logarithm of a density between them may be."""
CREDIT = 1 / 8, 1 / 4, 1 / 4
"""The least share of an error that the estimate leaves for the next halving of nu, x and t: points of nu cost most."""


Errors = tuple[float, float, float]


def answers(
    h: HyperPosterior, rope: Rope, known: Errors | None = None, axis: int | None = None
) -> tuple[Floats, Floats, Errors]:
    """P(each outcome is the most probable), the expected shares, and the error of both by direction: nu, x and t.

    With the errors `known` before one `axis` was refined, only that one is estimated again.
    """
    nodes, (thetas, near) = _winner_nodes(h, rope), _thetas(h, rope)
    inside, shares = _inside(h, nodes, 1), _shares(h, rope, thetas, near)
    found = _both(h, inside, shares, rope)
    errors = [0.0, 0.0, 0.0] if known is None else list(known)
    for k, size in enumerate(h.density.shape):
        if size == 1 or (known is not None and k != axis):
            continue
        coarser = []
        for grid, step in ((h.every(step, k), step) for step in (2, 4)):
            if k == 0:
                parts = inside[:, ::step], shares[:, ::step]
            elif k == 1:
                parts = _inside(grid, nodes), shares[..., ::step]
            else:
                parts = _inside(grid, nodes, step), _shares(grid, rope, thetas[..., ::step], near)
            coarser.append(_both(grid, *parts, rope))
        once, twice = (float(np.abs(a - b).max()) for a, b in ((found, coarser[0]), (coarser[0], coarser[1])))
        # the next halving takes off as much as the last one did, but no more than CREDIT
        errors[k] = once * min(max(once / twice if twice > 0 else 0.0, CREDIT[k]), 1.0)
    if (known is None or axis == 2) and _sharp_share(h) > NEGLIGIBLE_SHARP:
        # what filling in does is as uncertain as it is large
        plain = replace(h, fills=False)
        without = _both(plain, _inside(plain, nodes, 1), _shares(plain, rope, thetas, near), rope)
        errors[2] = max(errors[2], float(np.abs(found - without).max()))
    winner = np.maximum(found[:3], 0.0)
    errors[1] = max(errors[1], float((winner - found[:3]).max()))  # below 0 it is wrong by as much
    return winner / winner.sum(), found[3:], (errors[0], errors[1], errors[2])


def delta_cdf(h: HyperPosterior, x: Sequence[float]) -> list[float]:
    """P(delta_0 <= x), for some x: the sum over all rows, those of few points filled in."""
    rows = (h.density * h.weights(0)[:, None] * h.weights(1)).reshape(-1, h.t.size)
    sharp, position = _sharp(h, rows), _position(h, np.array([x]))
    below = _cumulated(rows[~sharp].sum(axis=0)[None], position)
    if sharp.any():
        below += _cumulated(_filled(h, rows[sharp]).sum(axis=0)[None], FINER * position)
    return (below[0] / rows.sum()).tolist()


def _both(h: HyperPosterior, inside: Floats, shares: Floats, rope: Rope) -> Floats:
    return np.concatenate([_winner(h, inside, rope), _expected(h, shares, rope)])


def _winner(h: HyperPosterior, inside: Floats, rope: Rope) -> Floats:
    """The winner's probabilities, from delta_0's distribution and what of it lies `inside` the winner's borders."""
    if np.isinf(rope.low) or np.isinf(rope.high):  # half of the rope's mass on either side of its only border
        below, above = delta_cdf(h, [rope.low, rope.high])
        return np.array([1 - above, above - below, below])
    (left,) = delta_cdf(h, [(rope.low + rope.high) / 2])
    right_part, left_part = inside.sum(axis=1) / h.delta_density.sum()
    return np.array([1 - left - right_part, right_part + left_part, left - left_part])


class _Nodes(NamedTuple):
    """Where equivalence can win: for each nu some x, and their weights; 0 where next to nothing is.

    For the others, the density along delta_0 (without weights), and the rope's centre with a border on either side.
    """

    x: Floats
    weight: Floats
    rows: Floats
    edges: Floats


def _winner_nodes(h: HyperPosterior, rope: Rope) -> _Nodes | None:
    """The nodes below the sigma_0 at which the winner's borders close like a square root; None where there are none.

    So log sigma_0 goes by the root of its distance from there.
    """
    half, centre = (rope.high - rope.low) / 2, (rope.high + rope.low) / 2
    if not half or not np.isfinite(half):
        return None
    nu = finite(h.nu)
    critical = np.log(half / h.unit / special.stdtrit(nu, 2 / 3))
    ends = h.bend.log_sigma(h.x[[0, -1]])
    far, near = (np.sqrt(np.maximum(critical - end, 0.0)) for end in ends)
    nodes, weights = _gauss(NODES_WINNER * (2 if h.curve.peaks else 1))
    y = near[:, None] + (far - near)[:, None] * (nodes + 1) / 2
    log_sigma = np.maximum(critical[:, None] - y * y, ends[0])
    x = h.bend.x(log_sigma)
    weight = (far - near)[:, None] * weights * y / h.bend.slope(x)
    rows = _between(h, x)
    mass = rows.sum(axis=2) * weight / (h.x[1] - h.x[0])
    used = mass > NEGLIGIBLE_ROW * h.density.sum()
    reach = winner_reach(np.broadcast_to(nu[:, None], x.shape)[used], h.unit * np.exp(log_sigma[used]), half)
    return _Nodes(x, weight * used, rows, np.stack([centre - reach, 0 * reach + centre, centre + reach], axis=1))


@cache
def _gauss(n: int) -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return nodes, weights


def _between(h: HyperPosterior, x: Floats) -> Floats:
    """The density at some x for each nu, by splines of its logs along the grid: no new likelihood is needed.

    Where it falls steeply a spline swings, which must not take it far above the points on either side.
    """
    place, logs = (x - h.x[0]) / (h.x[1] - h.x[0]), np.log(np.maximum(h.density, 1e-300))
    before = np.clip(place.astype(int), 0, h.x.size - 2)[..., None]
    largest = np.maximum(*(np.take_along_axis(logs, before + i, axis=1) for i in (0, 1)))
    return np.exp(np.minimum(spline_weights(place, h.x.size) @ logs, largest + SWING))


def _inside(h: HyperPosterior, nodes: _Nodes | None, step: int | None = None) -> Floats:
    """For each nu the density between the rope's centre and the winner's borders: right of it, and left of it.

    With a `step`, the grid has every so many of the points of delta_0 that the nodes have, and all of the others.
    """
    result = np.zeros((2, h.nu.size))
    if nodes is None or not nodes.edges.size:
        return result
    used = nodes.weight > 0
    rows = (_between(h, nodes.x) if step is None else nodes.rows[..., ::step])[used]
    weight = (nodes.weight[used] / (h.x[1] - h.x[0]))[:, None]
    low, middle, high = _row_cdf(h, rows * weight * h.weights(1), nodes.edges).T
    for side, part in zip(result, (high - middle, middle - low), strict=True):
        np.add.at(side, np.nonzero(used)[0], part)
    return result


def winner_reach(nu: Floats, sigma: Floats, half: float) -> Floats:
    """How far from the rope's centre delta_0 may be while "equivalent" is the largest theta.

    By Newton's steps in the square of the distance, in which the gap to "better" is nearly straight where the borders
    close; a bisection where a step leads outside.
    """
    shape = sigma.shape
    nu, sigma = (np.broadcast_to(x, shape).ravel() for x in (nu, sigma / half))  # in half ropes, of whatever size
    low, high = np.zeros(sigma.size), np.ones(sigma.size)
    z = np.clip(1 - sigma, 0.01, 0.99)
    left = np.arange(sigma.size)
    for _ in range(40):
        c, s, df = np.sqrt(z[left]), sigma[left], nu[left]
        inner, outer = (1 - c) / s, (-1 - c) / s
        gap = 2 * special.stdtr(df, inner) - special.stdtr(df, outer) - 1
        slope = (np.exp(_log_t(outer, df)) - 2 * np.exp(_log_t(inner, df))) / (2 * c * s)
        before = z[left]
        low[left], high[left] = np.where(gap > 0, before, low[left]), np.where(gap > 0, high[left], before)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = before - gap / slope
        inside = (step > low[left]) & (step < high[left])
        z[left] = np.where(inside, step, (low[left] + high[left]) / 2)
        left = left[np.abs(z[left] - before) > 1e-7]
        if not left.size:
            break
    return half * np.sqrt(z).reshape(shape)


def _log_t(x: Floats, nu: Floats) -> Floats:
    """The log density of Student t, for arrays of both."""
    found: Floats = log_student_factor(nu) - (nu + 1) / 2 * np.log1p(x * x / nu)
    return found


def _expected(h: HyperPosterior, shares: Floats, rope: Rope) -> Floats:
    better, worse, every = (float((x * h.weights(0)).sum()) for x in shares)
    p = np.array([better, 0.0 if rope.is_zero else max(every - better - worse, 0.0), worse])
    return p / p.sum()


def _thetas(h: HyperPosterior, rope: Rope) -> tuple[Floats, NDArray[np.bool_]]:
    """theta_better and theta_worse at the points of the grid that count, rows of nu and x by t; 0 at the others.

    And for each border the rows that have more than next to nothing around it: theta may count as a step there.
    """
    rows = (h.density * h.weights(1)).reshape(-1, h.t.size)
    nu, sigma = _rows(h)
    result, near = np.zeros((2, *rows.shape)), np.zeros((2, len(rows)), dtype=bool)
    points = rows > NEGLIGIBLE_POINTS * rows.mean()
    for theta, at, (border, sign) in zip(result, near, ((rope.high, 1.0), (rope.low, -1.0)), strict=True):
        if np.isfinite(border):
            place = int(np.searchsorted(h.delta, border))
            around = rows[:, max(place - AROUND, 0) : place + AROUND]
            at[:] = around.max(axis=1, initial=0.0) > NEXT_TO_NOTHING * rows.max(axis=1)
            i, j = np.nonzero(points & ~(at & _narrow(h, sigma, border))[:, None])
            theta[i, j] = special.stdtr(nu[i], sign * (h.delta[j] - border) / sigma[i])
    return result, near


def _rows(h: HyperPosterior) -> tuple[Floats, Floats]:
    """nu and sigma_0 of the rows of delta_0."""
    nu, sigma = (np.broadcast_to(a, h.density.shape[:2]).ravel() for a in (finite(h.nu)[:, None], h.sigma))
    return nu, sigma


def _narrow(h: HyperPosterior, sigma: Floats, border: float) -> NDArray[np.bool_]:
    """Where sigma_0 is as small as the steps of delta_0 at the border, so that theta is nearly a step."""
    narrow: NDArray[np.bool_] = sigma < NARROW * np.interp(border, h.delta, np.gradient(h.delta))
    return narrow


def _shares(h: HyperPosterior, rope: Rope, thetas: Floats, near: NDArray[np.bool_]) -> Floats:
    """For each nu and x the integrals over t of theta_better, theta_worse, and of 1, from `_thetas`.

    Where theta is nearly a step the two are exchanged: the distribution function of delta_0 is smooth, and is
    integrated over the new dataset's own deviation.
    """
    rows = (h.density * h.weights(1)).reshape(-1, h.t.size)
    nu, sigma = _rows(h)
    result = np.zeros((3, len(rows)))
    result[2] = rows.sum(axis=1)
    used = result[2] > NEGLIGIBLE_ROW * result[2].sum()
    for k, (border, sign) in enumerate(((rope.high, 1.0), (rope.low, -1.0))):
        if np.isinf(border):
            continue
        narrow = near[k] & _narrow(h, sigma, border)
        result[k] = np.einsum("ij,ij->i", rows, thetas[k]) * (used & ~narrow)
        narrow &= used
        if narrow.any():
            far = float(np.ptp(h.delta) + np.abs(border - h.delta).max())
            below = _below_the_border(h, rows[narrow], nu[narrow], sigma[narrow], border, far)
            result[k, narrow] = result[2, narrow] - below if sign > 0 else below
    return result.reshape(3, *h.density.shape[:2])


def _below_the_border(h: HyperPosterior, rows: Floats, nu: Floats, sigma: Floats, border: float, far: float) -> Floats:
    """The mass of delta_0 + sigma_0 T below the border, for each row: E[G(border - sigma_0 T)], by sinh steps of T."""
    end = min(float(np.arcsinh(far / sigma.min())) + STEP_T, LARGEST_T)
    y = np.arange(STEP_T / 2, end, STEP_T)
    deviation = np.sinh(y)
    weight = np.exp(_log_t(deviation, nu[:, None])) * np.cosh(y) * STEP_T
    both = np.concatenate([border - sigma[:, None] * deviation, border + sigma[:, None] * deviation], axis=1)
    sums = (_row_cdf(h, rows, both) * np.tile(weight, 2)).sum(axis=1)
    # beyond the last deviation everything is below on one side, and nothing on the other
    return sums + (0.5 - weight.sum(axis=1)) * rows.sum(axis=1)


_STENCIL = np.arange(-2, 4)
_POLYNOMIALS = np.linalg.inv(np.vander(_STENCIL.astype(float), increasing=True))
"""Powers of s (rows) of the six Lagrange polynomials (columns) between the points 0 and 1."""
_CUMULATIVE = _POLYNOMIALS / np.arange(1, 7)[:, None]
"""Of their integrals from 0: powers 1 to 6."""


ALL_BUT = 1e-13
"""Shares of a row below that are none, and above 1 less that are all."""
SHARP, FINER, NEGLIGIBLE_SHARP = 0.2, 4, 1e-6
"""The share of a row at one of its points (a normal distribution's, with a deviation of 2 steps) above which the row
is filled in, how many points take the place of one, and the mass of such rows that does not count."""


def _row_cdf(h: HyperPosterior, rows: Floats, x: Floats) -> Floats:
    """The mass of each row below each of its x."""
    sharp, position = _sharp(h, rows), _position(h, x)
    if not sharp.any():
        return _cumulated(rows, position)
    result = np.empty(x.shape)
    result[~sharp] = _cumulated(rows[~sharp], position[~sharp])
    result[sharp] = _cumulated(_filled(h, rows[sharp]), FINER * position[sharp])
    return result


def _position(h: HyperPosterior, x: Floats) -> Floats:
    """Differences in steps of the grid from its first point."""
    with np.errstate(invalid="ignore", over="ignore"):
        return (h.curve.t(x) - h.t[0]) / (h.t[1] - h.t[0])


def _sharp(h: HyperPosterior, rows: Floats) -> NDArray[np.bool_]:
    """The rows that are peaks of few points."""
    found: NDArray[np.bool_] = h.fills & (rows.max(axis=1) > SHARP * rows.sum(axis=1))
    return found


def _sharp_share(h: HyperPosterior) -> float:
    """The share of the mass in rows that are peaks of few points."""
    rows = (h.density * h.weights(0)[:, None] * h.weights(1)).reshape(-1, h.t.size)
    return float(rows[_sharp(h, rows)].sum() / rows.sum())


def _filled(h: HyperPosterior, rows: Floats) -> Floats:
    """Rows with more points between theirs, of the same mass: a peak is known better by the logs of its densities."""
    between = spline_weights(np.arange(FINER * (h.t.size - 1) + 1) / FINER, h.t.size)
    filled = np.exp(np.log(np.maximum(rows, 1e-300)) @ between.T)
    return filled * (rows.sum(axis=1) / filled.sum(axis=1))[:, None]


def _cumulated(rows: Floats, position: Floats) -> Floats:
    """The mass of each row below each position, in steps of the grid: interpolation by six points, integrated."""
    size = rows.shape[1]
    cumulative = rows @ _cumulation(size) if size <= MOST_AT_ONCE else _cumulative(rows)
    place = np.clip(position + 1, 0, size + 1 - 1e-9)
    cell = place.astype(int)
    row = np.arange(len(rows))[:, None]
    total, below = cumulative[:, -1:], cumulative[row, cell]
    # where all of a row is on one side there is nothing to interpolate
    i, j = np.nonzero((cumulative[row, cell + 1] > ALL_BUT * total) & (below < (1 - ALL_BUT) * total))
    s, first = (place - cell)[i, j], cell[i, j]
    padded = np.zeros((len(rows), size + 6))
    padded[:, 3:-3] = rows
    coefficients = padded[i[:, None], first[:, None] + np.arange(6)] @ _CUMULATIVE.T
    part = s * coefficients[:, 5]
    for power in range(4, -1, -1):
        part = s * (coefficients[:, power] + part)
    below[i, j] += part
    share = np.clip(below, 0.0, total) / np.where(total > 0, total, 1.0)
    return np.where(np.isposinf(position), 1.0, share) * rows.sum(axis=1, keepdims=True)


MOST_AT_ONCE = 400
"""Points of a row up to which its masses are one product of matrices, of which each size has its own."""


@cache
def _cumulation(size: int) -> Floats:
    """From the densities of a row to its mass below each of its points, and two beyond either end."""
    return _cumulative(np.eye(size))


def _cumulative(rows: Floats) -> Floats:
    cells = np.lib.stride_tricks.sliding_window_view(np.pad(rows, ((0, 0), (3, 3))), 6, axis=1)
    return np.pad(np.cumsum(cells @ _CUMULATIVE.sum(axis=0), axis=1), ((0, 0), (1, 0)))


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
