"""Posterior distributions of a difference: Student t, with a prior or without, difference of two, a point, draws.

All have the same few methods, so that a result can hold any of them. Tails are computed as tails: no
1 - cdf anywhere.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bayescmp.bayes.hdi import hdi
from bayescmp.numerics.student import rest_to_the_largest, student_ppf, student_regions
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

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """`n` independent draws."""
        raise NotImplementedError

    def swap(self) -> "Distribution":
        """The distribution of -d."""
        raise NotImplementedError


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
        log_c = special.gammaln((df + 1) / 2) - special.gammaln(df / 2) - 0.5 * np.log(df * np.pi)
        with np.errstate(over="ignore"):  # so far out the density is 0
            return np.exp(log_c - (df + 1) / 2 * np.log1p(z * z / df)) / self.scale

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
        better, equivalent, worse = student_regions(self.location, self.scale, self.df, rope)
        return float(better), float(equivalent), float(worse)

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
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
        half = (high - low) / 2
        x = (low + half)[..., None] + half[..., None] * _NODES
        return (np.exp(self._log_density(x) - self._top) * x**power) @ _WEIGHTS * half

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

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
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

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
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

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        one, two = rng.standard_t(self.df_1, n), rng.standard_t(self.df_2, n)
        return self.location + self.scale_1 * one - self.scale_2 * two

    def swap(self) -> "StudentDifference":
        return StudentDifference(0.0 - self.location, self.scale_2, self.df_2, self.scale_1, self.df_1)


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def _panel_rule(narrow: float, centre: float) -> tuple[Floats, Floats]:
    """Nodes and weights for a product of bumps at 0 (width `narrow`) and at `centre` (width 1)."""
    steps = np.concatenate([np.arange(0.5, 40, 0.5), 40 * 2.0 ** np.arange(1, 60)])
    steps = np.concatenate([-steps[::-1], [0.0], steps])
    edges = [narrow * steps]
    if np.isfinite(centre):
        edges += [centre + steps, np.linspace(0, centre, 65)]
    together = np.unique(np.concatenate(edges))
    half = np.diff(together) / 2
    t = (together[:-1] + half)[:, None] + half[:, None] * _NODES
    return t.ravel(), (half[:, None] * _WEIGHTS).ravel()


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

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.choice(self.chains.ravel(), n, replace=n > self.chains.size)

    def swap(self) -> "Draws":
        return Draws(-self.chains)
