"""Posterior distributions of a difference: Student t, with or without a prior, of two, of proportions, a point, draws.

All have the same few methods, so that a result can hold any of them. Tails are computed as tails: no
1 - cdf anywhere.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.bayes.hdi import hdi
from bayescmp.lazy import special
from bayescmp.numerics import proportions
from bayescmp.numerics.student import (
    log_student_factor,
    regions_of_one,
    rest_to_the_largest,
    student_ppf,
    student_regions,
)
from bayescmp.rope import Rope
from bayescmp.values import Value

Floats = NDArray[np.float64]
NEGLIGIBLE = 1e-290
"""A scale so small beside the other one's is none: it changes no double."""


class Distribution(Value):
    """What a result needs of a posterior."""

    @property
    def mean(self) -> float:
        """The expectation."""
        raise NotImplementedError

    @property
    def gain(self) -> float:
        """E[max(d, 0)]: what is expected to be gained where the difference is positive."""
        raise NotImplementedError

    def pdf(self, x: ArrayLike) -> Floats:
        """The density at x."""
        raise NotImplementedError

    def cdf(self, x: ArrayLike) -> Floats:
        """P(d <= x)."""
        raise NotImplementedError

    def sf(self, x: ArrayLike) -> Floats:
        """P(d > x)."""
        raise NotImplementedError

    def ppf(self, q: ArrayLike) -> Floats:
        """The quantile at q."""
        raise NotImplementedError

    def hdi(self, mass: float) -> tuple[float, float]:
        """The highest-density interval that holds the mass."""
        raise NotImplementedError

    def regions(self, rope: Rope) -> tuple[float, float, float]:
        """P(above the rope), P(inside), P(below)."""
        raise NotImplementedError

    def sample(self, n: int, rng: "np.random.Generator") -> Floats:
        """`n` independent draws."""
        raise NotImplementedError

    def swap(self) -> "Distribution":
        """The distribution of -d."""
        raise NotImplementedError

    @property
    def numerical_error(self) -> float:
        """An estimate of the error of a probability; 0.0 where it is that of rounding, or Monte Carlo."""
        return 0.0

    def other_priors(self) -> "Iterator[tuple[str, Distribution]]":
        """What the same data give under other priors, by name; none where there is one prior only."""
        return iter(())


@dataclass(frozen=True)
class StudentT(Distribution):
    """Student's t with location and scale."""

    location: float
    scale: float
    df: float

    def __post_init__(self) -> None:
        if not (self.scale > 0 and self.df > 0):
            raise ValueError(f"A Student t needs a scale and a df above 0, got {self.scale!r} and {self.df!r}.")

    @property
    def mean(self) -> float:
        return self.location

    @property
    def gain(self) -> float:
        """location P(d > 0) + scale (df + z^2)/(df - 1) times the density of t at z = location/scale."""
        if self.df <= 1:
            return math.inf
        z = self.location / self.scale
        density = float(StudentT(0.0, 1.0, self.df).pdf(z))
        return float(self.location * self.sf(0.0) + self.scale * (self.df + z * z) / (self.df - 1) * density)

    def _z(self, x: ArrayLike) -> Floats:
        with np.errstate(over="ignore"):  # infinitely far in units of the scale
            return (np.asarray(x, dtype=float) - self.location) / self.scale

    def pdf(self, x: ArrayLike) -> Floats:
        df, z = self.df, self._z(x)
        with np.errstate(over="ignore"):  # so far out the density is 0
            return np.exp(log_student_factor(df) - (df + 1) / 2 * np.log1p(z * z / df)) / self.scale

    def cdf(self, x: ArrayLike) -> Floats:
        return special.stdtr(self.df, self._z(x))

    def sf(self, x: ArrayLike) -> Floats:
        return special.stdtr(self.df, -self._z(x))

    def ppf(self, q: ArrayLike) -> Floats:
        return self.location + self.scale * student_ppf(self.df, q)

    def hdi(self, mass: float) -> tuple[float, float]:
        half = -self.scale * float(student_ppf(self.df, (1 - mass) / 2))
        return self.location - half, self.location + half

    def regions(self, rope: Rope) -> tuple[float, float, float]:
        return regions_of_one(self.location, self.scale, self.df, rope)

    def sample(self, n: int, rng: "np.random.Generator") -> Floats:
        return self.location + self.scale * rng.standard_t(self.df, n)

    def swap(self) -> "StudentT":
        return StudentT(0.0 - self.location, self.scale, self.df)


PRIOR_DF = 4
"""Degrees of freedom of the prior of a mean difference: tails that give way where the data contradict it."""


@dataclass(frozen=True)
class StudentPosterior(Distribution):
    """A Student t likelihood of the difference times a Student t prior around 0, with 4 degrees of freedom.

    Integrated on Gauss-Legendre panels that are fine around both centres and double in width further out. Masses are
    added up from the nearer end, so that tails keep their digits.
    """

    location: float
    scale: float
    df: float
    prior_scale: float

    def __post_init__(self) -> None:
        if not 0 < self.prior_scale < np.inf:
            raise ValueError(f"The scale of a prior must be positive and finite, got {self.prior_scale!r}.")
        StudentT(self.location, self.scale, self.df)

    @property
    def likelihood(self) -> StudentT:
        """The posterior with a flat prior."""
        return StudentT(self.location, self.scale, self.df)

    def _log_density(self, x: Floats) -> Floats:
        """The log of the two densities' product, up to a constant."""
        with np.errstate(over="ignore"):
            own, prior = (x - self.location) / self.scale, x / self.prior_scale
            return -(self.df + 1) / 2 * _log1p_square(own, self.df) - (PRIOR_DF + 1) / 2 * _log1p_square(
                prior, PRIOR_DF
            )

    @cached_property
    def _edges(self) -> Floats:
        steps = np.concatenate([np.arange(0.5, 8, 0.5), 8 * 2.0 ** np.arange(70)])
        steps = np.concatenate([-steps[::-1], [0.0], steps])
        return np.unique(np.concatenate([self.prior_scale * steps, self.location + self.scale * steps]))

    @cached_property
    def _top(self) -> float:
        return float(self._log_density(self._edges).max())

    def _integrals(self, low: Floats, high: Floats, power: int = 0) -> Floats:
        """The integral of x^power times the product over each of some intervals that lie within one panel."""
        half, (nodes, weights) = (high - low) / 2, _rule()
        x = (low + half)[..., None] + half[..., None] * nodes
        return (np.exp(self._log_density(x) - self._top) * x**power) @ weights * half

    @cached_property
    def _sums(self) -> tuple[Floats, Floats, float]:
        """The masses below and above each edge, both added up from their own end, and the whole."""
        masses = self._integrals(self._edges[:-1], self._edges[1:])
        below = np.concatenate([[0.0], np.cumsum(masses)])
        above = np.concatenate([np.cumsum(masses[::-1])[::-1], [0.0]])
        return below, above, float(below[-1])

    def _tail(self, x: ArrayLike, upper: bool) -> Floats:
        x = np.asarray(x, dtype=float)
        edges, (below, above, total) = self._edges, self._sums
        inside = np.clip(x, edges[0], edges[-1])
        panel = np.clip(np.searchsorted(edges, inside, side="right") - 1, 0, edges.size - 2)
        if upper:
            mass = above[panel + 1] + self._integrals(inside, edges[panel + 1])
        else:
            mass = below[panel] + self._integrals(edges[panel], inside)
        return np.where(np.isnan(x), np.nan, np.minimum(mass / total, 1.0))

    @cached_property
    def mean(self) -> float:
        return float(self._integrals(self._edges[:-1], self._edges[1:], 1).sum() / self._sums[2])

    @cached_property
    def gain(self) -> float:
        edges = np.maximum(self._edges, 0.0)  # 0 is an edge: the prior's centre
        return float(self._integrals(edges[:-1], edges[1:], 1).sum() / self._sums[2])

    def pdf(self, x: ArrayLike) -> Floats:
        return np.exp(self._log_density(np.asarray(x, dtype=float)) - self._top) / self._sums[2]

    def cdf(self, x: ArrayLike) -> Floats:
        return self._tail(x, upper=False)

    def sf(self, x: ArrayLike) -> Floats:
        return self._tail(x, upper=True)

    def ppf(self, q: ArrayLike) -> Floats:
        """The panel from the sums, then bisections within it, that Newton's steps shorten."""
        q = np.asarray(q, dtype=float)
        edges, (below, above, total) = self._edges, self._sums
        upper = q > 0.5
        goal = np.where(upper, 1 - q, q) * total
        with np.errstate(invalid="ignore"):
            left = np.searchsorted(below, goal, side="right") - 1
            right = above.size - 1 - np.searchsorted(above[::-1], goal, side="right")
        panel = np.clip(np.where(upper, right, left), 0, edges.size - 2)
        low, high = edges[panel], edges[panel + 1]
        x = low + (high - low) / 2
        for _ in range(80):
            tail = np.where(upper, self.sf(x), self.cdf(x)) * total
            under = np.where(upper, tail > goal, tail < goal)
            low, high = np.where(under, x, low), np.where(under, high, x)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                step = x - (tail - goal) * np.where(upper, -1.0, 1.0) / (self.pdf(x) * total)
            before, x = x, np.where((step > low) & (step < high), step, low + (high - low) / 2)
            if (np.abs(x - before) <= 4e-16 * np.maximum(np.abs(x), self._narrow)).all():
                break
        x = np.where(q == 0, -np.inf, np.where(q == 1, np.inf, x))
        return np.where((q >= 0) & (q <= 1), x, np.nan)

    @property
    def _narrow(self) -> float:
        return min(self.scale, self.prior_scale)

    def hdi(self, mass: float) -> tuple[float, float]:
        return hdi(self, mass)

    def regions(self, rope: Rope) -> tuple[float, float, float]:
        return _three_regions(self, rope, self.mean)

    def sample(self, n: int, rng: "np.random.Generator") -> Floats:
        return self.ppf(rng.random(n))

    def swap(self) -> "StudentPosterior":
        return StudentPosterior(0.0 - self.location, self.scale, self.df, self.prior_scale)


def _log1p_square(z: Floats, df: float) -> Floats:
    """log(1 + z^2/df), also where z^2 would overflow."""
    large = np.abs(z) > 1e100
    return np.where(
        large, 2 * np.log(np.where(large, np.abs(z), 1.0)) - np.log(df), np.log1p(np.where(large, 0.0, z) ** 2 / df)
    )


def _three_regions(distribution: Distribution, rope: Rope, centre: float) -> tuple[float, float, float]:
    """P(above the rope), P(inside), P(below), from the tails on the rope's side of the centre."""
    worse, below_high = distribution.cdf([rope.low, rope.high])
    above_low, better = distribution.sf([rope.low, rope.high])
    equivalent = max(float(above_low - better if rope.low > centre else below_high - worse), 0.0)
    three = rest_to_the_largest(better, np.asarray(equivalent), worse)
    return float(three[0]), float(three[1]), float(three[2])


@dataclass(frozen=True)
class PointMass(Distribution):
    """All the mass at one value: the limit of a Student t without spread.

    `rounding` is the error that the value may carry; a border of a rope closer than that is met.
    """

    at: float
    rounding: float = 0.0

    @property
    def mean(self) -> float:
        return self.at

    @property
    def gain(self) -> float:
        return max(0.0, self.at)

    def pdf(self, x: ArrayLike) -> Floats:
        return np.where(np.asarray(x, dtype=float) == self.at, np.inf, 0.0)

    def cdf(self, x: ArrayLike) -> Floats:
        return np.where(np.asarray(x, dtype=float) >= self.at, 1.0, 0.0)

    def sf(self, x: ArrayLike) -> Floats:
        return np.where(np.asarray(x, dtype=float) < self.at, 1.0, 0.0)

    def ppf(self, q: ArrayLike) -> Floats:
        return np.full(np.shape(q), self.at)

    def hdi(self, mass: float) -> tuple[float, float]:
        return self.at, self.at

    def regions(self, rope: Rope) -> tuple[float, float, float]:
        better, equivalent, worse = student_regions(self.at, 0.0, 1.0, rope, self.rounding)
        return float(better), float(equivalent), float(worse)

    def sample(self, n: int, rng: "np.random.Generator") -> Floats:
        return np.full(n, self.at)

    def swap(self) -> "PointMass":
        return PointMass(0.0 - self.at, self.rounding)


@dataclass(frozen=True)
class StudentDifference(Distribution):
    """The difference of two independent Student t: location + scale_1 T_1 - scale_2 T_2 (Behrens-Fisher).

    Integrated over the narrower of the two on Gauss-Legendre panels that are fine around both centres and double in
    width further out, so that light and heavy tails are both met.
    """

    location: float
    scale_1: float
    df_1: float
    scale_2: float
    df_2: float

    @property
    def mean(self) -> float:
        return self.location

    @cached_property
    def gain(self) -> float:
        return float(np.maximum(self.sample(100_000, np.random.default_rng(0)), 0.0).mean())

    @cached_property
    def _wide_and_narrow(self) -> tuple[StudentT, StudentT]:
        """The two around 0, in units of the wider one's scale."""
        (wide, df_wide), (narrow, df_narrow) = sorted(
            [(self.scale_1, self.df_1), (self.scale_2, self.df_2)], reverse=True
        )
        return StudentT(0.0, 1.0, df_wide), StudentT(0.0, narrow / wide, df_narrow)

    @property
    def _unit(self) -> float:
        return max(self.scale_1, self.scale_2)

    def _integrate(self, x: ArrayLike, of_wide: str) -> Floats:
        """The integral of narrow.pdf(t) * wide.<of_wide>(x - t) dt, where x is measured from the location."""
        wide, narrow = self._wide_and_narrow
        points = StudentT(self.location, self._unit, 1.0)._z(x)
        if narrow.scale < NEGLIGIBLE:
            return np.asarray(getattr(wide, of_wide)(points))
        results = np.empty(points.size)
        for i, c in enumerate(points.flat):
            t, weight = _panel_rule(narrow.scale, float(c))
            results[i] = weight @ (narrow.pdf(t) * getattr(wide, of_wide)(c - t))
        return results.reshape(points.shape)

    def pdf(self, x: ArrayLike) -> Floats:
        return self._integrate(x, "pdf") / self._unit

    def cdf(self, x: ArrayLike) -> Floats:
        return np.minimum(self._integrate(x, "cdf"), 1.0)

    def sf(self, x: ArrayLike) -> Floats:
        return np.minimum(self._integrate(x, "sf"), 1.0)

    def ppf(self, q: ArrayLike) -> Floats:
        from scipy.optimize import brentq

        def one(tail: float) -> float:
            if tail in (0.0, 0.5):
                return -np.inf if tail == 0 else 0.0
            reach = -2 * self._unit * sum(t.scale * float(student_ppf(t.df, tail / 4)) for t in self._wide_and_narrow)
            return float(
                brentq(
                    lambda d: float(self.cdf(self.location + d)) - tail,
                    -reach,
                    0.0,
                    xtol=1e-13 * reach,
                    rtol=1e-13,
                )
            )

        q = np.asarray(q, dtype=float)
        distances = [-one(1 - p) if p > 0.5 else one(p) for p in q.flat]
        return self.location + np.reshape(distances, q.shape)

    def hdi(self, mass: float) -> tuple[float, float]:
        half = self.location - float(self.ppf((1 - mass) / 2))
        return self.location - half, self.location + half

    def regions(self, rope: Rope) -> tuple[float, float, float]:
        return _three_regions(self, rope, self.location)

    def sample(self, n: int, rng: "np.random.Generator") -> Floats:
        one, two = rng.standard_t(self.df_1, n), rng.standard_t(self.df_2, n)
        return self.location + self.scale_1 * one - self.scale_2 * two

    def swap(self) -> "StudentDifference":
        return StudentDifference(0.0 - self.location, self.scale_2, self.df_2, self.scale_1, self.df_1)


@cache
def _rule() -> tuple[Floats, Floats]:
    """The nodes and weights of a panel."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    return nodes, weights


def _panel_rule(narrow: float, centre: float) -> tuple[Floats, Floats]:
    """Nodes and weights for a product of bumps at 0 (width `narrow`) and at `centre` (width 1)."""
    steps = np.concatenate([np.arange(0.5, 40, 0.5), 40 * 2.0 ** np.arange(1, 60)])
    steps = np.concatenate([-steps[::-1], [0.0], steps])
    edges = [narrow * steps]
    if np.isfinite(centre):
        edges += [centre + steps, np.linspace(0, centre, 65)]
    together = np.unique(np.concatenate(edges))
    half, (nodes, weights) = np.diff(together) / 2, _rule()
    t = (together[:-1] + half)[:, None] + half[:, None] * nodes
    return t.ravel(), (half[:, None] * weights).ravel()


Four = tuple[float, float, float, float]
"""Both right, only A, only B, both wrong."""


@dataclass(frozen=True)
class PairedProportions(Distribution):
    """The difference p10 - p01 of two models' accuracies, where the four cells are Dirichlet(counts + prior)."""

    counts: Four
    prior: Four

    def __post_init__(self) -> None:
        alpha = self._alpha
        if min((*self.counts, *self.prior)) < 0 or not min(alpha) > 0:
            raise ValueError(
                "Counts and prior must be 0 or more, with a prior above 0 for only A right, only B right, and both "
                f"alike, got {self.counts} and {self.prior}."
            )

    @property
    def _alpha(self) -> tuple[float, float, float]:
        """Of only A right, only B right, and the rest."""
        (n11, n10, n01, n00), (a11, a10, a01, a00) = self.counts, self.prior
        return n10 + a10, n01 + a01, n11 + n00 + a11 + a00

    @property
    def mean(self) -> float:
        only_a, only_b, rest = self._alpha
        return (only_a - only_b) / (only_a + only_b + rest)

    @property
    def sd(self) -> float:
        """The standard deviation."""
        only_a, only_b, rest = self._alpha
        total = only_a + only_b + rest
        return math.sqrt(((only_a + only_b) / total - self.mean**2) / (total + 1))

    @property
    def gain(self) -> float:
        """E[s] E[max(2u - 1, 0)], because the share of discordant items and A's share of these are independent."""
        only_a, only_b, rest = self._alpha
        both = only_a + only_b
        above = special.betainc(only_b, only_a + 1, 0.5) * 2 * only_a / both - special.betainc(only_b, only_a, 0.5)
        return float(max(above, 0.0) * both / (both + rest))

    def pdf(self, x: ArrayLike) -> Floats:
        return proportions.density(*self._alpha, x)

    def cdf(self, x: ArrayLike) -> Floats:
        return self.swap().sf(0.0 - np.asarray(x, dtype=float))

    def sf(self, x: ArrayLike) -> Floats:
        return proportions.survival(*self._alpha, x)

    def ppf(self, q: ArrayLike) -> Floats:
        from scipy.optimize import brentq

        def one(p: float) -> float:
            if not 0 < p < 1:
                return math.copysign(1.0, p - 0.5) if 0 <= p <= 1 else math.nan
            if p > 0.5:
                return -float(self.swap().ppf(1 - p))
            return float(brentq(lambda x: float(self.cdf(x)) - p, -1.0, 1.0, xtol=1e-14, rtol=1e-14))

        q = np.asarray(q, dtype=float)
        return np.reshape([one(p) for p in q.ravel().tolist()], q.shape)

    def hdi(self, mass: float) -> tuple[float, float]:
        """The interval with equal densities at both ends; by a search for the shortest where that does not settle."""
        low, high = (float(x[0]) for x in proportions.shortest_intervals(*self._alpha, mass))
        return self._shortest(mass) if math.isnan(low) else (low, high)

    def _shortest(self, mass: float) -> tuple[float, float]:
        from scipy.optimize import minimize_scalar

        found = minimize_scalar(
            lambda q: float(self.ppf(min(q + mass, 1.0)) - self.ppf(q)), bounds=(0.0, 1 - mass), method="bounded"
        )
        return float(self.ppf(found.x)), float(self.ppf(min(found.x + mass, 1.0)))

    def regions(self, rope: Rope) -> tuple[float, float, float]:
        worse, below_high = self.cdf([rope.low, rope.high])
        above_low, better = self.sf([rope.low, rope.high])
        equivalent = max(float(above_low - better if rope.low > 0 else below_high - worse), 0.0)
        three = rest_to_the_largest(better, np.asarray(equivalent), worse)
        return float(three[0]), float(three[1]), float(three[2])

    def sample(self, n: int, rng: "np.random.Generator") -> Floats:
        only_a, only_b, rest = self._alpha
        return rng.beta(only_a + only_b, rest, n) * (2 * rng.beta(only_a, only_b, n) - 1)

    def swap(self) -> "PairedProportions":
        (n11, n10, n01, n00), (a11, a10, a01, a00) = self.counts, self.prior
        return PairedProportions((n11, n01, n10, n00), (a11, a01, a10, a00))

    def other_priors(self) -> Iterator[tuple[str, Distribution]]:
        priors: dict[str, Four] = {
            "Dirichlet(1/2)": (0.5, 0.5, 0.5, 0.5),
            "Dirichlet(1)": (1.0, 1.0, 1.0, 1.0),
            "few discordant items (0.1, worth 10 items)": (4.5, 0.5, 0.5, 4.5),
        }
        return ((name, PairedProportions(self.counts, x)) for name, x in priors.items() if x != self.prior)


@dataclass(frozen=True, eq=False)
class ClusteredProportions(Distribution):
    """The difference m10 - m01 where the cells of each cluster are Dirichlet-multinomial around the mean m.

    `cells` is clusters x 3: only A right, only B right, the rest; m ~ Dirichlet(prior), and the correlation of the
    items of a cluster is uniform. Integrated by the trapezoidal rule in the logits of s = m10 + m01, of u = m10/s and
    of the correlation. The rule converges fast, because the density falls off at both ends of each. Its logarithm over
    s and u is then interpolated to a finer grid.
    """

    cells: Floats
    prior: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", np.asarray(self.cells, dtype=float))
        if self.cells.ndim != 2 or self.cells.shape[1] != 3 or not (self.cells >= 0).all() or not self.cells.any():
            raise ValueError(f"`cells` must be clusters x 3 counts, got shape {self.cells.shape}.")
        if not min(self.prior) > 0:
            raise ValueError(f"`prior` must be three numbers above 0, got {self.prior}.")

    @cached_property
    def _grid(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Logits of s, u and the correlation, and the log mass at each point, of which the largest is 0."""
        box = np.array([[-FARTHEST, FARTHEST]] * 3)
        for size in (25, 25, 33, 33):
            axes = [np.linspace(low, high, size) for low, high in box]
            log_mass = self._log_mass(*axes)
            inside = log_mass > log_mass.max() - 32
            for k, axis in enumerate(axes):
                used = np.flatnonzero(inside.any(axis=tuple(j for j in range(3) if j != k)))
                step = axis[1] - axis[0]
                box[k] = max(axis[used[0]] - step, -FARTHEST), min(axis[used[-1]] + step, FARTHEST)
        axes = [np.linspace(low, high, size) for (low, high), size in zip(box, (101, 101, 51), strict=True)]
        log_mass = self._log_mass(*axes)
        return axes[0], axes[1], axes[2], log_mass - log_mass.max()

    @cached_property
    def _plane(self) -> tuple[Floats, Floats, Floats]:
        """Logits of s and u on a fine grid, and the mass at each point."""
        return self._fine(1)

    def _fine(self, every: int) -> tuple[Floats, Floats, Floats]:
        """The fine grid; with `every` = 2, half as many points of it and of the coarse one."""
        from scipy.interpolate import RectBivariateSpline

        s, u, _, log_mass = self._grid
        s, u, coarse = s[::every], u[::every], special.logsumexp(log_mass[::every, ::every, ::every], axis=2)
        fine = [np.linspace(x[0], x[-1], FINE // every) for x in (s, u)]
        mass = np.exp(RectBivariateSpline(s, u, coarse)(*fine))
        return fine[0], fine[1], mass / mass.sum()

    @cached_property
    def numerical_error(self) -> float:
        """The largest change of the distribution function from half as many points."""
        x = np.clip(np.append(self.mean + self.sd * np.arange(-2, 2.1), 0.0), -1.0, 1.0)
        half = self._cdf(x, *self._tails_of(*self._fine(2)), nodes=NODES // 2)
        return float(np.abs(self.cdf(x) - half).max())

    def _log_mass(self, s: Floats, u: Floats, icc: Floats) -> Floats:
        """The log posterior density of the three logits, up to a constant."""
        one, two, rest = self.prior
        log_s, log_not_s, log_u, log_not_u = (special.log_expit(x) for x in (s, -s, u, -u))
        total = ((one + two) * log_s + rest * log_not_s)[:, None, None] + (one * log_u + two * log_not_u)[:, None]
        total = total + special.log_expit(icc) + special.log_expit(-icc)
        log_kappa = -icc  # kappa = 1/icc - 1
        log_m = (log_s[:, None] + log_u, log_s[:, None] + log_not_u, log_not_s[:, None])
        for rising, part in zip(self._products, log_m, strict=True):
            total = total + rising(part[..., None] + log_kappa)
        return total - self._rising(log_kappa, self.cells.sum(axis=1))

    @cached_property
    def _products(self) -> list[Any]:
        """The rising factorials of each cell as splines of log x, over all that the logits can make of it."""
        from scipy.interpolate import CubicSpline

        log_x = np.linspace(-3 * FARTHEST - 1, FARTHEST + 1, 10_001)
        return [CubicSpline(log_x, self._rising(log_x, counts)) for counts in self.cells.T]

    @staticmethod
    def _rising(log_x: Floats, counts: Floats) -> Floats:
        """The sum over clusters of log x (x + 1) ... (x + n - 1): term by term, so that no digits cancel."""
        result = np.zeros(log_x.shape)
        most = int(counts.max())
        if most <= MOST_TERMS:
            longer = np.bincount(counts.astype(int), minlength=most + 1)[::-1].cumsum()[::-1]  # clusters with n >= j
            for j in range(most):
                result += longer[j + 1] * (log_x if j == 0 else np.logaddexp(log_x, math.log(j)))
            return result
        x = np.exp(np.clip(log_x, -700, 700))
        for n, times in zip(*np.unique(counts[counts > 0], return_counts=True), strict=True):
            gamma = special.gammaln(x + n) - special.gammaln(x)
            result += times * np.where(log_x > 25, n * log_x, gamma)
        return result

    @cached_property
    def icc(self) -> float:
        """The posterior mean of the correlation of two items of a cluster."""
        _, _, icc, log_mass = self._grid
        mass = np.exp(log_mass).sum(axis=(0, 1))
        return float(mass @ special.expit(icc) / mass.sum())

    @cached_property
    def _moments(self) -> tuple[float, float]:
        s, u, weight = self._plane
        delta = special.expit(s)[:, None] * np.tanh(u / 2)
        mean = float((weight * delta).sum())
        return mean, float(np.sqrt((weight * np.square(delta - mean)).sum()))

    @property
    def mean(self) -> float:
        return self._moments[0]

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return self._moments[1]

    @property
    def gain(self) -> float:
        s, u, mass = self._plane
        return float((mass * np.maximum(special.expit(s)[:, None] * np.tanh(u / 2), 0.0)).sum())

    @cached_property
    def _tails(self) -> tuple[Any, Any]:
        return self._tails_of(*self._plane)

    @staticmethod
    def _tails_of(s: Floats, u: Floats, mass: Floats) -> tuple[Any, Any]:
        """The mass below and above u's logit at each s, as splines of both."""
        from scipy.interpolate import CubicSpline, RectBivariateSpline

        total = CubicSpline(u, mass, axis=1).antiderivative()(u)
        below, above = total - total[:, :1], total[:, -1:] - total
        scale = (s[1] - s[0]) * below[:, -1].sum()
        return RectBivariateSpline(s, u, below / scale), RectBivariateSpline(s, u, above / scale)

    def cdf(self, x: ArrayLike) -> Floats:
        return self._cdf(np.asarray(x, dtype=float), *self._tails, nodes=NODES)

    @staticmethod
    def _cdf(x: Floats, below: Any, above: Any, *, nodes: int) -> Floats:
        """By Gauss-Legendre from s = |x| on, where the tail begins like a root, which s = |x| + w^2 takes away."""
        (least, most), (low, high) = ((grid[0], grid[-1]) for grid in below.get_knots())
        share, weight = (y / 2 for y in np.polynomial.legendre.leggauss(nodes))
        result = np.empty(x.size)
        for i, point in enumerate(x.ravel().tolist()):
            with np.errstate(divide="ignore"):
                start = max(float(special.logit(min(abs(point), 1.0))), least)
            if start >= most:
                tail = 0.0
            else:
                reach = math.sqrt(most - start)
                w = reach * (share + 0.5)
                s = start + np.square(w)
                u = 2 * np.arctanh(np.clip(point / special.expit(s), -1 + 1e-15, 1 - 1e-15))
                beyond = u < low if point < 0 else u > high
                value = (below if point < 0 else above).ev(s, np.clip(u, low, high))
                tail = float(np.where(beyond, 0.0, value) @ (2 * w * reach * weight))
            result[i] = min(max(tail, 0.0), 1.0) if point < 0 else 1 - min(max(tail, 0.0), 1.0)
        return result.reshape(x.shape)

    def sf(self, x: ArrayLike) -> Floats:
        return 1 - self.cdf(x)

    @cached_property
    def _table(self) -> tuple[Floats, Any]:
        """Points of the difference, and its distribution function between them."""
        from scipy.interpolate import PchipInterpolator

        reach = self.sd * np.sinh(np.linspace(-3.7, 3.7, 801)) / 2.2
        x = np.unique(np.clip(self.mean + reach, -1.0, 1.0))
        return x, PchipInterpolator(x, np.maximum.accumulate(self.cdf(x)))

    def pdf(self, x: ArrayLike) -> Floats:
        points, curve = self._table
        x = np.asarray(x, dtype=float)
        inside = (x >= points[0]) & (x <= points[-1])
        return np.where(inside, curve.derivative()(np.clip(x, points[0], points[-1])), 0.0)

    def ppf(self, q: ArrayLike) -> Floats:
        x, curve = self._table
        p, first = np.unique(curve(x), return_index=True)
        return np.interp(np.asarray(q, dtype=float), p, x[first])

    def hdi(self, mass: float) -> tuple[float, float]:
        tails = np.linspace(0, 1 - mass, 2001)
        low, high = self.ppf(tails), self.ppf(tails + mass)
        best = int(np.argmin(high - low))
        return float(low[best]), float(high[best])

    def regions(self, rope: Rope) -> tuple[float, float, float]:
        worse, below_high = self.cdf([rope.low, rope.high])
        better = 1 - below_high
        three = rest_to_the_largest(better, np.maximum(below_high - worse, 0.0), worse)
        return float(three[0]), float(three[1]), float(three[2])

    def sample(self, n: int, rng: "np.random.Generator") -> Floats:
        return self.ppf(rng.random(n))

    def swap(self) -> "ClusteredProportions":
        one, two, rest = self.prior
        return ClusteredProportions(self.cells[:, [1, 0, 2]], (two, one, rest))

    def other_priors(self) -> Iterator[tuple[str, Distribution]]:
        priors = {
            "Dirichlet(1/2)": (0.5, 0.5, 1.0),
            "Dirichlet(1)": (1.0, 1.0, 2.0),
            "few discordant items (0.1, worth 10 items)": (0.5, 0.5, 9.0),
        }
        return ((name, ClusteredProportions(self.cells, x)) for name, x in priors.items() if x != self.prior)


MOST_TERMS = 64
"""Counts up to which rising factorials are multiplied term by term."""
FARTHEST, FINE, NODES = 25.0, 400, 200
"""How far the logits of `ClusteredProportions` reach, its points along s and u, and those of an integral over s."""


@dataclass(frozen=True, eq=False)
class Draws(Distribution):
    """Monte-Carlo draws, chains x draws."""

    chains: Floats

    @cached_property
    def _sorted(self) -> Floats:
        return np.sort(self.chains, axis=None)

    @property
    def mean(self) -> float:
        return float(self.chains.mean())

    @property
    def gain(self) -> float:
        return float(np.maximum(self.chains, 0.0).mean())

    def pdf(self, x: ArrayLike) -> Floats:
        from scipy.stats import gaussian_kde

        return gaussian_kde(self.chains.ravel())(np.asarray(x, dtype=float))

    def cdf(self, x: ArrayLike) -> Floats:
        return np.searchsorted(self._sorted, x, side="right") / self._sorted.size

    def sf(self, x: ArrayLike) -> Floats:
        return 1 - self.cdf(x)

    def ppf(self, q: ArrayLike) -> Floats:
        return np.quantile(self._sorted, np.asarray(q, dtype=float))

    def hdi(self, mass: float) -> tuple[float, float]:
        return hdi(self._sorted, mass)

    def regions(self, rope: Rope) -> tuple[float, float, float]:
        better, worse = np.mean(self.chains > rope.high), np.mean(self.chains < rope.low)
        return float(better), float(1 - better - worse), float(worse)

    def sample(self, n: int, rng: "np.random.Generator") -> Floats:
        return rng.choice(self.chains.ravel(), n, replace=n > self.chains.size)

    def swap(self) -> "Draws":
        return Draws(-self.chains)
