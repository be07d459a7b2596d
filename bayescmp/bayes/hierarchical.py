"""The Bayesian hierarchical correlated t-test: two models on many datasets, each with (repeated) cross-validation.

Dataset i's differences ~ MVN(delta_i, sigma_i^2 M), delta_i ~ Student(nu, delta_0, sigma_0) (Corani et al. 2017). Only
their mean and standard deviation matter, sigma_i integrates out, and what is left is a three-dimensional posterior,
which `collapsed` integrates and NUTS samples.
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bayescmp.bayes import shrinkage
from bayescmp.bayes.collapsed import HyperPosterior, hyper_posterior
from bayescmp.bayes.correlated_t import moments
from bayescmp.bayes.distributions import student_regions
from bayescmp.bayes.hdi import hdi
from bayescmp.bayes.hierarchical_prior import PRESETS, HierarchicalPrior
from bayescmp.bayes.many_datasets import about, many_datasets
from bayescmp.bayes.nuts import check_engine
from bayescmp.bayes.regions import ArrayValue, RegionPosterior, RegionSummary, sampled_summary
from bayescmp.errors import ConvergenceWarning, DegenerateWarning, PriorWarning, ScoresError, name_list
from bayescmp.rope import Rope, RopeLike
from bayescmp.scores.pair import Pair
from bayescmp.scores.resampling import Resampling

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
ERROR_TO_REFINE, ERROR_TO_WARN = 2e-3, 5e-3


def hierarchical_ttest(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    rope: RopeLike | Mapping[str, RopeLike],
    prior: str | HierarchicalPrior = "corani2017",
    resampling: Resampling | None = None,
    min_sd: float | None = None,
    higher_is_better: bool | None = None,
    engine: str = "collapsed",
    random_seed: int | None = None,
    **nuts_options: Any,
) -> "HierarchicalPosterior":
    """Posterior of the probabilities that A is better, equivalent or worse on the next dataset, from all folds.

    Parameters
    ----------
    a : Pair, or 2-D array of A's scores, datasets x folds
    b : array of B's scores on the same folds, where `a` is an array
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
        The differences that make no practical difference; 0 for none.
    prior : str or HierarchicalPrior
        "corani2017" (the paper's), "baycomp", "kruschke", "juarez_steel", "gaussian", or your own.
    resampling : Resampling
        How the scores were resampled, where the pair does not know it.
    min_sd : float, optional
        The standard deviation within a dataset whose differences do not vary at all; the smallest of the other
        datasets if not given.
    higher_is_better : bool
        The direction, where arrays are given; True if not said.
    engine : "collapsed" or "nuts"
        Deterministic quadrature, or PyMC as its reference.
    random_seed : int, optional
        Of NUTS; drawn and recorded if not given.
    **nuts_options
        `draws`, `tune`, `chains`, `cores`, `nuts_sampler`, `target_accept`, `progressbar`.

    Returns
    -------
    HierarchicalPosterior
        `p_better` is the probability that "A better" is the most probable outcome, `expected` the posterior mean of
        theta; `mean` and `hdi` are those of delta_0; `datasets_frame()` has every dataset's shrunken difference.

    References
    ----------
    Corani, Benavoli, Demsar, Mangili, Zaffalon (2017). Statistical comparison of classifiers through Bayesian
    hierarchical modelling. Machine Learning 106.

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.hierarchical_ttest(bc.load_uci().pair("rf", "gbm"), rope=0.01)
    >>> p.decision()
    <Decision.EQUIVALENT: 'equivalent'>
    """
    pair, region = many_datasets(a, b, rope, higher_is_better, "hierarchical_ttest")
    check_engine(engine, "collapsed", nuts_options, random_seed)
    pair = pair if resampling is None else pair.with_resampling(resampling)
    inference, notes = prepare(pair, prior, min_sd)
    fields: dict[str, Any] = {"inference": inference}
    if engine == "nuts":
        from bayescmp.bayes.pymc_models import sample_hierarchical

        fields = sample_hierarchical(inference, random_seed, nuts_options)
    else:
        inference.check_error(region)
    return HierarchicalPosterior(
        **about(pair) | {"n": int(pair.counts.sum())},
        rope=region,
        method="hierarchical correlated t-test",
        engine=engine,
        estimand="probabilities that the next dataset's difference is better / equivalent / worse",
        settings={**inference.settings, "new": "a new dataset"},
        notes=notes,
        **fields,
    )


def prepare(pair: Pair, prior: str | HierarchicalPrior, min_sd: float | None) -> "tuple[Any, tuple[str, ...]]":
    """The sufficient statistics of a pair with an absolute prior; and notes about what had to be assumed."""
    rho = pair.known_rho("hierarchical_ttest")
    few = [name for name, n in zip(pair.datasets, pair.counts, strict=True) if n < 3]
    if few:
        raise ScoresError(
            f"`hierarchical_ttest` needs at least 3 scores a dataset, but {name_list(few)} has fewer: its spread "
            "cannot be told from its difference. Score more folds, or use signed_rank_test (one score a dataset)."
        )
    means, sds, counts = moments(pair.differences)
    flat = sds <= pair.rounding
    sds = np.where(flat, 0.0, sds)
    notes: list[str] = []
    floor = 0.0
    if flat.any():
        spread = float(np.std(means, ddof=1))
        floor = min_sd or (float(sds[~flat].min()) if not flat.all() else 1e-3 * spread)
        names = [name for name, is_flat in zip(pair.datasets, flat, strict=True) if is_flat]
        notes.append(
            f"the differences do not vary at all on {name_list(names, 4)}: taken as varying with a standard deviation "
            f"of {floor:.3g} there (min_sd)"
        )
        warnings.warn(f"{pair.a} vs {pair.b}: {notes[-1]}.", DegenerateWarning, stacklevel=3)
    if len(pair.datasets) == 2:
        notes.append("two datasets say little about the next one: the prior dominates")
        warnings.warn(f"{pair.a} vs {pair.b}: {notes[-1]}.", PriorWarning, stacklevel=3)
    filled = np.maximum(sds, floor)
    if not filled.any():
        return PointInference(float(means[0]), float(pair.rounding.max())), tuple(notes)
    largest = float(np.nanmax(np.abs(pair.differences)))
    resolved = HierarchicalPrior.resolve(prior, means, filled, largest)
    inference = HierarchicalInference(pair.datasets, means, sds, counts, rho, floor, resolved)
    if floor and not flat.all():
        halves = [replace(inference, min_sd=f * floor).summaries([Rope.of(0)])[0].probabilities[0] for f in (0.5, 2)]
        notes.append(
            f"with half / twice that min_sd P({pair.a} better) without a rope is {halves[0]:.3f} / {halves[1]:.3f}"
        )
    return inference, tuple(notes)


@dataclass(frozen=True, kw_only=True, repr=False)
class HierarchicalPosterior(RegionPosterior):
    """The result of the hierarchical test: theta for the next dataset, the hyperparameters, and every dataset."""

    kind: ClassVar[str] = "hierarchical"

    @property
    def p_positive(self) -> float:
        """P(delta_0 > 0): the mean difference over all datasets favours A."""
        return float(self.inference.p_positive)  # type: ignore[attr-defined]

    def hyperparameters(self, mass: float = 0.95) -> "pd.DataFrame":
        """Posterior mean, standard deviation and HDI of delta_0, sigma_0 and nu."""
        import pandas as pd

        rows = []
        for name, draws_or_grid in self.inference.hyper_marginals().items():  # type: ignore[attr-defined]
            mean, sd, (low, high) = draws_or_grid(mass)
            rows.append({"parameter": name, "mean": mean, "sd": sd, "hdi_low": low, "hdi_high": high})
        return pd.DataFrame(rows).set_index("parameter")

    def datasets_frame(self, mass: float = 0.95) -> "pd.DataFrame":
        """One row a dataset: its raw mean difference, and its shrunken one with HDI and the three probabilities."""
        return shrinkage.datasets_frame(self.inference, self.rope, mass)

    def predictive_check(self) -> "pd.DataFrame":
        """Dataset means as the model would make them again, against those observed; tails near 0 or 1 are bad."""
        return shrinkage.predictive_check(self.inference)


@dataclass(frozen=True, eq=False)
class HierarchicalInference(ArrayValue):
    """Sufficient statistics and prior; the posterior of (delta_0, sigma_0, nu) is integrated when it is asked for."""

    kind: ClassVar[str] = "collapsed"
    names: tuple[str, ...]
    means: Floats
    sds: Floats
    counts: Floats
    rho: Floats
    min_sd: float
    prior: HierarchicalPrior
    refine: int = 1

    def __post_init__(self) -> None:
        for name in ("means", "sds", "counts", "rho"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))
        object.__setattr__(self, "names", tuple(self.names))
        if isinstance(self.prior, dict):
            object.__setattr__(self, "prior", HierarchicalPrior(**self.prior))

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"prior": self.prior.to_dict()}

    @property
    def settings(self) -> dict[str, Any]:
        """What a result records."""
        return {"prior": self.prior.to_dict(), "min_sd": self.min_sd}

    @cached_property
    def filled_sds(self) -> Floats:
        return np.maximum(self.sds, self.min_sd)

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
        return float(self.filled_sds.mean())

    @cached_property
    def hyper(self) -> HyperPosterior:
        """The posterior on its grid, in the units of the scores."""
        unit, prior = self.unit, self.prior
        found = hyper_posterior(
            self.means / unit,
            self.scales / unit,
            self.dfs,
            log_nu_range=prior.log_nu_range(),
            log_prior_nu=prior.log_density,
            nu_shift=prior.nu_shift,
            delta_bound=prior.delta_0_bound / unit,
            sigma_bound=prior.sigma_0_max / unit,
            refine=self.refine,
        )
        return HyperPosterior(found.nu, found.log_sigma + np.log(unit), found.delta * unit, found.mass)

    def check_error(self, rope: Rope) -> None:
        """Refine the grid where its own error estimate asks for it; warn where that is not enough."""
        if self.error(rope) > ERROR_TO_REFINE:
            object.__setattr__(self, "refine", 2)
            del self.__dict__["hyper"], self.__dict__["_known"]
        if self.error(rope) > ERROR_TO_WARN:
            warnings.warn(
                f"The quadrature's error is about {self.error(rope):.1g}. Check with engine='nuts'.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def error(self, rope: Rope) -> float:
        """A third of the difference to the rule with every second point, which is Richardson's for second order."""
        return self.summaries([rope])[0].numerical_error

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        return [self._known[rope] if rope in self._known else self._summarise(rope) for rope in ropes]

    @cached_property
    def _known(self) -> dict[Rope, RegionSummary]:
        return {}

    def _summarise(self, rope: Rope) -> RegionSummary:
        fine, coarse = winner_probabilities(self.hyper, rope), winner_probabilities(self.hyper.coarse, rope)
        expected = _expected(self.hyper, rope)
        error = float(np.abs(fine - coarse).max()) / 3
        summary = RegionSummary(tuple(fine.tolist()), (0.0, 0.0, 0.0), tuple(expected.tolist()), error)
        self._known[rope] = summary
        return summary

    def hyper_draws(self, n: int, random_seed: int) -> tuple[Floats, Floats, Floats]:
        """Draws of (delta_0, sigma_0, nu): a point of the grid by its mass, then uniformly within its cell."""
        rng = np.random.default_rng(random_seed)
        h = self.hyper
        k, i, j = np.unravel_index(rng.choice(h.mass.size, n, p=h.mass.ravel()), h.mass.shape)
        jitter = rng.uniform(-0.5, 0.5, (3, n))
        delta = h.delta[j] + jitter[0] * (h.delta[1] - h.delta[0])
        sigma = np.exp(h.log_sigma[i] + jitter[1] * (h.log_sigma[1] - h.log_sigma[0]))
        if h.nu.size == 1:
            return delta, sigma, h.nu[k]
        log_nu = np.log(h.nu - self.prior.nu_shift)
        return delta, sigma, self.prior.nu_shift + np.exp(log_nu[k] + jitter[2] * (log_nu[1] - log_nu[0]))

    def thetas(self, n: int, rope: Rope, random_seed: int) -> Floats:
        delta, sigma, nu = self.hyper_draws(n, random_seed)
        return np.stack(student_regions(delta, sigma, _finite(nu), rope), axis=-1)

    def theta_hdi(self, rope: Rope, mass: float) -> list[tuple[float, float]]:
        return [hdi(x, mass) for x in self.thetas(20_000, rope, 0).T]

    @property
    def mean(self) -> float:
        return float(self.hyper.mass.sum(axis=(0, 1)) @ self.hyper.delta)

    @property
    def p_positive(self) -> float:
        return float(winner_probabilities(self.hyper, Rope(0, 0))[0])

    def hdi(self, mass: float) -> tuple[float, float]:
        return _grid_hdi(self.hyper.delta, self.hyper.mass.sum(axis=(0, 1)), mass)

    def hyper_marginals(self) -> dict[str, Any]:
        h = self.hyper
        grids = {
            "delta_0": (h.delta, h.mass.sum(axis=(0, 1))),
            "sigma_0": (np.exp(h.log_sigma), h.mass.sum(axis=(0, 2))),
        }
        if h.nu.size > 1:
            grids["nu"] = (h.nu, h.mass.sum(axis=(1, 2)))
        return {name: _summary_of(*grid) for name, grid in grids.items()}

    def swap(self) -> "HierarchicalInference":
        return replace(self, means=0.0 - self.means)

    def other_priors(self) -> Iterator[tuple[str, "HierarchicalInference"]]:
        largest = self.prior.delta_0_bound
        for name in PRESETS:
            if name != self.prior.name:
                prior = HierarchicalPrior.resolve(name, self.means, self.filled_sds, largest)
                yield name, replace(self, prior=prior)


@dataclass(frozen=True)
class PointInference:
    """All differences of all datasets are the same number: so is the next one."""

    kind: ClassVar[str] = "point"
    settings: ClassVar[dict[str, Any]] = {}
    at: float
    rounding: float

    def check_error(self, rope: Rope) -> None:
        """Exact: there is nothing to check."""

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        zero = (0.0, 0.0, 0.0)
        thetas = (self.thetas(1, rope, 0)[0].tolist() for rope in ropes)
        return [RegionSummary(tuple(theta), zero, tuple(theta)) for theta in thetas]

    def thetas(self, n: int, rope: Rope, random_seed: int) -> Floats:
        return np.tile(np.stack(student_regions(self.at, 0.0, 1.0, rope, self.rounding)), (n, 1))

    def theta_hdi(self, rope: Rope, mass: float) -> list[tuple[float, float]]:
        return [(x, x) for x in self.thetas(1, rope, 0)[0].tolist()]

    @property
    def mean(self) -> float:
        return self.at

    @property
    def p_positive(self) -> float:
        return float(self.thetas(1, Rope(0, 0), 0)[0, 0])

    def hdi(self, mass: float) -> tuple[float, float]:
        return self.at, self.at

    def hyper_marginals(self) -> dict[str, Any]:
        return {"delta_0": lambda mass: (self.at, 0.0, (self.at, self.at))}

    def swap(self) -> "PointInference":
        return replace(self, at=0.0 - self.at)

    def other_priors(self) -> tuple[()]:
        return ()

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "at": self.at, "rounding": self.rounding}


@dataclass(frozen=True, eq=False)
class SampledHyper(ArrayValue):
    """Draws of (delta_0, sigma_0, nu) from NUTS, chains x draws, with the statistics they came from."""

    kind: ClassVar[str] = "sampled_hyper"
    delta: Floats
    sigma: Floats
    nu: Floats
    data: HierarchicalInference

    def __post_init__(self) -> None:
        for name in ("delta", "sigma", "nu"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))
        if isinstance(self.data, dict):
            fields = {name: x for name, x in self.data.items() if name != "kind"}
            object.__setattr__(self, "data", HierarchicalInference(**fields))

    def __getattr__(self, name: str) -> Any:
        """Names, means, scales and the like are those of the data."""
        if name in ("names", "means", "scales", "dfs", "counts"):
            return getattr(self.data, name)
        raise AttributeError(name)

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"data": self.data.to_dict()}

    def _theta(self, rope: Rope) -> Floats:
        return np.stack(student_regions(self.delta, self.sigma, _finite(self.nu), rope), axis=-1)

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        return [sampled_summary(self._theta(rope)) for rope in ropes]

    def hyper_draws(self, n: int, random_seed: int) -> tuple[Floats, Floats, Floats]:
        """Draws of (delta_0, sigma_0, nu) out of those of NUTS."""
        picked = np.random.default_rng(random_seed).choice(self.delta.size, n, replace=n > self.delta.size)
        return self.delta.ravel()[picked], self.sigma.ravel()[picked], self.nu.ravel()[picked]

    def thetas(self, n: int, rope: Rope, random_seed: int) -> Floats:
        delta, sigma, nu = self.hyper_draws(n, random_seed)
        return np.stack(student_regions(delta, sigma, _finite(nu), rope), axis=-1)

    def theta_hdi(self, rope: Rope, mass: float) -> list[tuple[float, float]]:
        return [hdi(x, mass) for x in self._theta(rope).reshape(-1, 3).T]

    @property
    def mean(self) -> float:
        return float(self.delta.mean())

    @property
    def p_positive(self) -> float:
        return float((self.delta > 0).mean())

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


RegionPosterior.INFERENCES |= {i.kind: i for i in (HierarchicalInference, PointInference, SampledHyper)}


def winner_probabilities(h: HyperPosterior, rope: Rope) -> Floats:
    """P(better), P(equivalent), P(worse) is the largest theta: every row of delta_0 split where the winner changes."""
    nu, log_sigma = (x.ravel() for x in np.meshgrid(h.nu, h.log_sigma, indexing="ij"))
    rows = h.mass.reshape(-1, h.delta.size)
    used = rows.sum(axis=1) > 1e-7
    lower, upper = _winner_borders(_finite(nu[used]), np.exp(log_sigma[used]), rope)
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


def _expected(h: HyperPosterior, rope: Rope) -> Floats:
    used = np.flatnonzero(h.mass.ravel() > 1e-8)
    k, i, j = np.unravel_index(used, h.mass.shape)
    theta = student_regions(h.delta[j], np.exp(h.log_sigma[i]), _finite(h.nu[k]), rope)
    weight = h.mass.ravel()[used]
    return np.array([weight @ x for x in theta]) / weight.sum()


def _finite(nu: Floats) -> Floats:
    """stdtr wants a number for the normal distribution."""
    return np.minimum(nu, 1e10)


def _summary_of(values: Floats, mass: Floats) -> Any:
    mean = float(mass @ values)
    sd = float(np.sqrt(mass @ (values - mean) ** 2))
    return lambda share: (mean, sd, _grid_hdi(values, mass, share))


def _grid_hdi(values: Floats, mass: Floats, share: float) -> tuple[float, float]:
    """The highest-density interval of masses on a grid whose steps may grow: splines along the grid's own numbering."""
    from scipy.interpolate import CubicSpline

    at, fine = np.arange(values.size), np.linspace(0, values.size - 1, 4001)
    curve = CubicSpline(at, values)
    weight = np.exp(np.minimum(CubicSpline(at, np.log(mass + 1e-30))(fine), 0.0))
    density = weight / curve(fine, 1)
    order = np.argsort(-density, kind="stable")
    inside = order[: int(np.searchsorted(np.cumsum(weight[order]), share * weight.sum())) + 1]
    return float(curve(fine[inside.min()])), float(curve(fine[inside.max()]))
