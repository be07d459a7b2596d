"""The posterior of the hierarchical test: statistics and prior with a quadrature, a single point, or draws of NUTS."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayescmp.bayes.hdi import hdi
from bayescmp.bayes.hierarchical.prior import PRESETS, HierarchicalPrior
from bayescmp.bayes.hierarchical.quadrature import (
    HyperPosterior,
    LogDensity,
    answers,
    delta_cdf,
    finite,
    grid_hdi,
    hyper_posterior,
    marginal,
    refined,
)
from bayescmp.bayes.regions import (
    NUMERICAL_ERROR_LIMIT,
    RegionInference,
    RegionSummary,
    sampled_summary,
    three_of,
)
from bayescmp.errors import ConvergenceWarning, warn
from bayescmp.numerics.moments import mean
from bayescmp.numerics.student import student_regions
from bayescmp.numerics.threads import one_blas_thread
from bayescmp.progress import progress_bar
from bayescmp.rope import Rope

Floats = NDArray[np.float64]
ERROR_TO_REFINE = 1e-4
TABLE_ERROR = 1e-5
"""What the interpolated likelihood and the winner's splines add, of which no coarser grid tells."""
MOST_REFINED = 5
"""How often a direction of the grid may be refined."""


@dataclass(frozen=True, eq=False)
class HierarchicalInference(RegionInference):
    """Sufficient statistics and prior; the posterior of (delta_0, sigma_0, nu) is integrated when it is asked for."""

    names: tuple[str, ...]
    means: Floats
    sds: Floats
    counts: Floats
    rho: Floats
    min_sd: float
    prior: HierarchicalPrior
    largest: float

    def __post_init__(self) -> None:
        for name in ("means", "sds", "counts", "rho"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))
        object.__setattr__(self, "names", tuple(self.names))

    @property
    def settings(self) -> dict[str, Any]:
        """What a result records."""
        return {"prior": self.prior, "min_sd": self.min_sd}

    @cached_property
    def filled_sds(self) -> Floats:
        return np.where(self.sds > 0, self.sds, self.min_sd)

    @property
    def dfs(self) -> Floats:
        """Degrees of freedom of each dataset's Student likelihood of delta_i, sigma_i integrated out."""
        return self.counts - 2

    @cached_property
    def scales(self) -> Floats:
        """Its scale: (1/n + rho/(1 - rho)) S^2 (n - 1)/(n - 2), square root."""
        correction = 1 / self.counts + self.rho / (1 - self.rho)
        return np.sqrt(correction * (self.counts - 1) / self.dfs) * self.filled_sds

    @property
    def unit(self) -> float:
        """Differences are scaled by the mean standard deviation within datasets."""
        return float(mean(self.filled_sds))

    @property
    def hyper(self) -> HyperPosterior:
        """The posterior on its first grid, in the units of the scores."""
        first = (0, 0, 0)
        if first not in self._grids:
            self._grids[first] = self._in_scores(hyper_posterior(self._log_density))
        return self._grids[first]

    def _in_scores(self, found: HyperPosterior) -> HyperPosterior:
        return replace(found, unit=self.unit, curve=found.curve.times(self.unit))

    @cached_property
    def _log_density(self) -> LogDensity:
        unit, prior = self.unit, self.prior
        return LogDensity(
            self.means / unit,
            self.scales / unit,
            self.dfs,
            log_nu_range=prior.log_nu_range(),
            log_prior_nu=prior.log_density,
            nu_shift=prior.nu_shift,
            delta_bound=prior.delta_0_bound / unit,
            sigma_bound=prior.sigma_0_max / unit,
            likelihood=self.likelihood,
        )

    likelihood: ClassVar[Callable[..., Floats] | None] = None
    """The sum of the datasets' log likelihoods, where they are not Student t: (nus, log sigma_0, delta_0) -> array."""

    datum: ClassVar[Callable[..., Floats] | None] = None
    """The same for one dataset: (number, differences) -> array."""

    @cached_property
    def _grids(self) -> dict[tuple[int, ...], HyperPosterior]:
        """The grids by how often each direction was refined: an answer does not depend on those asked for before."""
        return {}

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        with one_blas_thread(), progress_bar(len(ropes), 0, "hierarchical correlated t-test, ropes", None) as advance:
            for rope in ropes:
                if rope not in self._known:
                    self._summarise(rope)
                advance()
        return [self._known[rope] for rope in ropes]

    @cached_property
    def _table_errors(self) -> dict[tuple[int, ...], float]:
        """What `table_error` found for the grids: no matter of the rope."""
        return {}

    @cached_property
    def _known(self) -> dict[Rope, RegionSummary]:
        return {}

    @cached_property
    def _refined(self) -> dict[Rope, tuple[int, ...]]:
        """How often each direction was refined for the answer at a rope."""
        return {}

    def _grid_for(self, rope: Rope) -> HyperPosterior:
        """The grid that the answer at this rope was found on."""
        if rope not in self._refined:
            self._summarise(rope)
        return self._grids[self._refined[rope]]

    def _summarise(self, rope: Rope) -> None:
        """The answer, with more points in the direction whose error asks for them."""
        h, times, known, axis = self.hyper, tuple[int, ...]((0, 0, 0)), None, None
        for further in range(MOST_REFINED, -1, -1):
            winner, shares, errors = answers(h, rope, known, axis)
            if sum(errors) <= ERROR_TO_REFINE or not further:
                break
            known, axis = errors, int(np.argmax(errors))
            times = tuple(n + (k == axis) for k, n in enumerate(times))
            if times not in self._grids:
                self._grids[times] = refined(h, self._log_density, axis)
            h = self._grids[times]
        if times not in self._table_errors:
            self._table_errors[times] = self.table_error(h)
        error = sum(errors) + h.cut_off + h.missed + self._table_errors[times]
        if error > NUMERICAL_ERROR_LIMIT:
            warn(f"The quadrature's error is about {error:.1g}. Check with engine='nuts'.", ConvergenceWarning)
        self._refined[rope] = times
        self._known[rope] = RegionSummary(rope, three_of(winner), (0.0, 0.0, 0.0), three_of(shares), error)

    def table_error(self, h: HyperPosterior) -> float:
        """What the tables behind the likelihood may change of a probability."""
        return TABLE_ERROR

    def hyper_draws(self, n: int, random_seed: int | None) -> tuple[Floats, Floats, Floats]:
        """Draws of (delta_0, sigma_0, nu): a point of the grid by its mass, then uniformly within its cell."""
        rng = np.random.default_rng(random_seed or 0)
        h = self.hyper
        k, i, j = np.unravel_index(rng.choice(h.mass.size, n, p=h.mass.ravel()), h.mass.shape)
        jitter = rng.uniform(-0.5, 0.5, (3, n))
        delta = h.curve.delta(h.t[j] + jitter[0] * (h.t[1] - h.t[0]))
        sigma = h.unit * np.exp(h.bend.log_sigma(h.x[i] + jitter[1] * (h.x[1] - h.x[0])))
        if h.nu.size == 1:
            return delta, sigma, h.nu[k]
        log_nu = np.log(h.nu - self.prior.nu_shift)
        return delta, sigma, self.prior.nu_shift + np.exp(log_nu[k] + jitter[2] * (log_nu[1] - log_nu[0]))

    def thetas(self, n: int, rope: Rope, random_seed: int | None) -> Floats:
        delta, sigma, nu = self.hyper_draws(n, random_seed)
        return np.stack(student_regions(delta, sigma, finite(nu), rope), axis=-1)

    def theta_hdi(self, rope: Rope, mass: float) -> list[tuple[float, float]]:
        return [hdi(x, mass) for x in self.thetas(20_000, rope, 0).T]

    @property
    def mean(self) -> float:
        return float(self.hyper.delta_mass @ self.hyper.delta)

    @property
    def p_positive(self) -> float:
        return 1 - delta_cdf(self._grid_for(Rope(0, 0)), [0.0])[0]

    def mean_distribution(self) -> tuple[Floats, Floats]:
        return self.hyper.delta, self.hyper.delta_mass

    def mean_regions(self, rope: Rope) -> tuple[float, float, float]:
        below, above = delta_cdf(self._grid_for(rope), [rope.low, rope.high])
        return 1 - above, above - below, below

    def hdi(self, mass: float) -> tuple[float, float]:
        return grid_hdi(self.hyper.delta, self.hyper.delta_mass, mass)

    def hyper_marginals(self) -> dict[str, Any]:
        h = self.hyper
        grids = {
            "delta_0": (h.delta, h.delta_mass),
            "sigma_0": (h.sigma, h.mass.sum(axis=(0, 2))),
        }
        if h.nu.size > 1:
            grids["nu"] = (h.nu, h.mass.sum(axis=(1, 2)))
        return {name: marginal(*grid) for name, grid in grids.items()}

    def swap(self) -> "HierarchicalInference":
        return replace(self, means=0.0 - self.means)

    def with_min_sd(self, min_sd: float) -> "HierarchicalInference":
        """The same data with another standard deviation where they do not vary; a preset's bounds follow it."""
        other = replace(self, min_sd=min_sd)
        if self.prior.name in PRESETS and self.prior == self._preset(self.prior.name):
            return replace(other, prior=other._preset(self.prior.name))
        return other

    def _preset(self, name: str) -> HierarchicalPrior:
        return HierarchicalPrior.resolve(name, self.means, self.filled_sds, self.largest)

    def other_priors(self) -> Iterator[tuple[str, "HierarchicalInference"]]:
        for name in PRESETS:
            if name != self.prior.name:
                yield name, replace(self, prior=self._preset(name))


@dataclass(frozen=True, eq=False)
class RunsInference(HierarchicalInference):
    """The same for runs that cannot be paired: each dataset's likelihood of delta_i is Welch's Student t.

    `counts` are the runs of both models together, `runs` those of each (2 x datasets). `sds` is the standard deviation
    that would give runs of both models the standard error that their difference has, `welch` its degrees of freedom.
    Nothing is correlated: `rho` is 0.
    """

    runs: Floats = field(kw_only=True)
    welch: Floats = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("runs", "welch"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))

    @property
    def dfs(self) -> Floats:
        """Welch's degrees of freedom, rounded down: a little wider, and datasets share their likelihood's tables."""
        return np.floor(self.welch + 1e-9)

    @cached_property
    def scales(self) -> Floats:
        """The standard error of the difference of the means."""
        return np.sqrt((1 / self.runs).sum(axis=0)) * self.filled_sds


@dataclass(frozen=True, eq=False)
class PointInference(RegionInference):
    """All differences of all datasets are the same number: so is the next one."""

    settings: ClassVar[dict[str, Any]] = {}
    at: float
    rounding: float

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        thetas = [three_of(self.thetas(1, rope, 0)[0]) for rope in ropes]
        return [RegionSummary(rope, p, (0.0, 0.0, 0.0), p) for rope, p in zip(ropes, thetas, strict=True)]

    def thetas(self, n: int, rope: Rope, random_seed: int | None) -> Floats:
        return np.tile(np.stack(student_regions(self.at, 0.0, 1.0, rope, self.rounding)), (n, 1))

    def theta_hdi(self, rope: Rope, mass: float) -> list[tuple[float, float]]:
        return [(x, x) for x in self.thetas(1, rope, 0)[0].tolist()]

    @property
    def mean(self) -> float:
        return self.at

    @property
    def p_positive(self) -> float:
        return float(self.thetas(1, Rope(0, 0), 0)[0, 0])

    def mean_distribution(self) -> tuple[Floats, Floats]:
        return np.array([self.at]), np.ones(1)

    def hdi(self, mass: float) -> tuple[float, float]:
        return self.at, self.at

    def hyper_marginals(self) -> dict[str, Any]:
        return {"delta_0": lambda mass: (self.at, 0.0, (self.at, self.at))}

    def swap(self) -> "PointInference":
        return replace(self, at=0.0 - self.at)


@dataclass(frozen=True, eq=False)
class SampledHyper(RegionInference):
    """Draws of (delta_0, sigma_0, nu) from NUTS, chains x draws, with the statistics they came from."""

    delta: Floats
    sigma: Floats
    nu: Floats
    data: HierarchicalInference

    def __post_init__(self) -> None:
        for name in ("delta", "sigma", "nu"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))

    def __getattr__(self, name: str) -> Any:
        """Names, means, scales and the like are those of the data."""
        if name in ("names", "means", "scales", "dfs", "counts", "datum"):
            return getattr(self.data, name)
        raise AttributeError(name)

    def _theta(self, rope: Rope) -> Floats:
        return np.stack(student_regions(self.delta, self.sigma, finite(self.nu), rope), axis=-1)

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        return [sampled_summary(self._theta(rope), rope) for rope in ropes]

    def hyper_draws(self, n: int, random_seed: int | None) -> tuple[Floats, Floats, Floats]:
        """Draws of (delta_0, sigma_0, nu) out of those of NUTS."""
        picked = np.random.default_rng(random_seed or 0).choice(self.delta.size, n, replace=n > self.delta.size)
        return self.delta.ravel()[picked], self.sigma.ravel()[picked], self.nu.ravel()[picked]

    def thetas(self, n: int, rope: Rope, random_seed: int | None) -> Floats:
        delta, sigma, nu = self.hyper_draws(n, random_seed)
        return np.stack(student_regions(delta, sigma, finite(nu), rope), axis=-1)

    def theta_hdi(self, rope: Rope, mass: float) -> list[tuple[float, float]]:
        return [hdi(x, mass) for x in self._theta(rope).reshape(-1, 3).T]

    @property
    def mean(self) -> float:
        return float(self.delta.mean())

    @property
    def p_positive(self) -> float:
        return float((self.delta > 0).mean())

    def mean_distribution(self) -> tuple[Floats, Floats]:
        return self.delta.ravel(), np.full(self.delta.size, 1 / self.delta.size)

    def hdi(self, mass: float) -> tuple[float, float]:
        return hdi(self.delta, mass)

    def hyper_marginals(self) -> dict[str, Any]:
        draws = {"delta_0": self.delta, "sigma_0": self.sigma} | ({} if np.isinf(self.nu).all() else {"nu": self.nu})
        return {
            name: (lambda mass, x=x: (float(x.mean()), float(x.std(ddof=1)), hdi(x, mass))) for name, x in draws.items()
        }

    def swap(self) -> "SampledHyper":
        return replace(self, delta=0.0 - self.delta, data=self.data.swap())

    def other_priors(self) -> Iterator[tuple[str, HierarchicalInference]]:
        return self.data.other_priors()
