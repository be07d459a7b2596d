"""Every test's model as a `pm.Model`: the reference that the fast engines are checked against, and yours to extend."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayescmp import _compat, catalogue
from bayescmp.bayes import nuts
from bayescmp.bayes.distributions import Draws, Floats
from bayescmp.bayes.hdi import hdi
from bayescmp.bayes.regions import RegionInference, RegionSummary, sampled_summary
from bayescmp.checks import checked_seed, is_one_of
from bayescmp.errors import RopeError, ScoresError, name_list
from bayescmp.numerics.moments import moments
from bayescmp.rope import Rope, RopeLike
from bayescmp.scores.inputs import as_pair, one_dataset
from bayescmp.scores.pair import Pair


def pymc_model(
    name: str, pair: Pair | Any, *, rope: RopeLike | None = None, dataset: str | None = None, **options: Any
) -> Any:
    """The PyMC model of a test, with the pair's data.

    Parameters
    ----------
    name : str
        The name of the test's function: "correlated_ttest", "sign_test", "signed_rank_test", "hierarchical_ttest",
        "bradley_terry", "plackett_luce", "multilevel", or a test of your own whose entry has a `pm.Model`.
    pair : Pair
        Or the `Scores` of all models for "bradley_terry", "plackett_luce" and "multilevel".
    rope : float, (low, high) or Rope
        The rope of "sign_test" and "bradley_terry", whose counts depend on it.
    dataset : str, optional
        Which dataset, for "correlated_ttest".
    **options
        `prior` and the like, as in the test itself.

    Returns
    -------
    pm.Model

    See Also
    --------
    correlated_ttest, hierarchical_ttest : engine="nuts" samples this model.

    Examples
    --------
    >>> import bayescmp as bc
    >>> pair = bc.load_labour().pair("SVM", "DT")
    >>> model = bc.bayes.pymc_model("correlated_ttest", pair)  # doctest: +SKIP
    """
    known = {test.name: test.pymc for test in catalogue.entries("bayes", takes=None) if test.pymc}
    if not is_one_of(name, known):
        raise ValueError(f"`name` must be one of {name_list(known, len(known))}, got {name!r}.")
    given = {"rope": rope, "dataset": dataset}
    return catalogue.imported(known[name])(pair, **{key: x for key, x in given.items() if x is not None}, **options)


def sample_pair(
    name: str, pair: Pair, random_seed: int | None, options: dict[str, Any]
) -> tuple[Draws, dict[str, Any]]:
    """NUTS draws of a test's `difference`, and the fields that a result records about the run."""
    fields = _run(pymc_model(name, pair), random_seed, options)
    chains = _compat.group(fields["inference_data"], "posterior")["difference"].values
    return Draws(chains), fields


def sample_regions(
    model: Any,
    theta: Callable[[dict[str, Any]], Floats],
    rope: Rope,
    random_seed: int | None,
    options: dict[str, Any],
) -> dict[str, Any]:
    """NUTS draws of theta (a function of the draws by name), and the other fields of a result."""
    fields = _run(model, random_seed, options)
    posterior = _compat.group(fields["inference_data"], "posterior")
    draws = theta({name: posterior[name].values for name in posterior.data_vars})
    return fields | {"inference": SampledRegions(draws, (rope.low, rope.high))}


def sample_hierarchical(inference: Any, random_seed: int | None, options: dict[str, Any]) -> dict[str, Any]:
    """NUTS draws of (delta_0, sigma_0, nu), and the other fields of a result."""
    from bayescmp.bayes.hierarchical.inference import SampledHyper

    fields = _run(hierarchical(inference), random_seed, {"target_accept": 0.95} | options)
    posterior = _compat.group(fields["inference_data"], "posterior")
    delta, sigma = posterior["delta_0"].values, posterior["sigma_0"].values
    nu = posterior["nu"].values if "nu" in posterior else np.full(delta.shape, np.inf)
    return fields | {"inference": SampledHyper(delta, sigma, nu, inference)}


def _run(model: Any, random_seed: int | None, options: dict[str, Any]) -> dict[str, Any]:
    seed = checked_seed(random_seed)
    data, diagnostics = nuts.sample(model, random_seed=seed, **options)
    return {"random_seed": seed, "diagnostics": diagnostics, "inference_data": data}


@dataclass(frozen=True, eq=False)
class SampledRegions(RegionInference):
    """theta as NUTS drew it, chains x draws x 3, for the rope that the model was made for."""

    chains: Floats
    rope: tuple[float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "chains", np.asarray(self.chains, dtype=float))

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        if any([rope.low, rope.high] != list(self.rope) for rope in ropes):
            raise ValueError(
                f"NUTS drew theta for the rope {list(self.rope)}. For another rope run the test again, or use the fast "
                "engine, which keeps its posterior for any rope."
            )
        return [sampled_summary(self.chains, rope) for rope in ropes]

    def thetas(self, n: int, rope: Rope, random_seed: int) -> Floats:
        flat = self.chains.reshape(-1, 3)
        return np.random.default_rng(random_seed).choice(flat, n, replace=n > len(flat))

    def theta_hdi(self, rope: Rope, mass: float) -> list[tuple[float, float]]:
        return [hdi(x, mass) for x in self.chains.reshape(-1, 3).T]

    @property
    def mean(self) -> None:
        return None

    def hdi(self, mass: float) -> tuple[float, float]:
        raise ValueError("NUTS drew theta only: there is no HDI of the difference. Use the fast engine.")

    def swap(self) -> "SampledRegions":
        low, high = self.rope
        return SampledRegions(self.chains[..., ::-1], (0.0 - high, 0.0 - low))


def correlated_ttest(pair: Pair, *, dataset: str | None = None) -> Any:
    """Differences ~ MVN(mu, sigma^2 M), M compound-symmetric with rho, prior 1/sigma, by sufficient statistics.

    Their mean is N(mu, sigma^2 (1 + (n - 1) rho) / n); their sum of squares is sigma^2 (1 - rho) chi2(n - 1),
    independently. Both are sampled in units of the data's standard deviation, where NUTS starts well.
    """
    pm = _compat.import_pymc()
    pair = one_dataset(pair, test="pymc_model", dataset=dataset)
    rho = float(pair.known_rho("pymc_model")[0])
    mean, deviation, n = (float(x) for x in moments(pair.differences[0]))
    if deviation <= pair.rounding[0]:
        raise ScoresError(
            f'All differences on "{pair.datasets[0]}" are equal, so that the posterior has no density to sample. Use '
            'engine="exact", which answers by the limit.'
        )
    with pm.Model() as model:
        centred = pm.Flat("centred")
        log_sigma = pm.Flat("log_sigma")
        difference = pm.Deterministic("difference", mean + deviation * centred)
        sigma = pm.Deterministic("sigma", deviation * pm.math.exp(log_sigma))
        pm.Normal(
            "mean",
            mu=difference,
            sigma=sigma * np.sqrt((1 + (n - 1) * rho) / n),
            observed=mean,
        )
        pm.Gamma(
            "sum_of_squares",
            alpha=(n - 1) / 2,
            beta=1 / (2 * (1 - rho) * (sigma / deviation) ** 2),
            observed=n - 1,
        )
    return model


def sign_test(pair: Pair, *, rope: RopeLike | None = None, **options: Any) -> Any:
    """The model of `sign`, with the counts of a pair against a rope."""
    from bayescmp.bayes.sign import sign_test as test

    if rope is None:
        raise RopeError(
            'The sign test counts against a rope: give rope=, as in pymc_model("sign_test", pair, rope=0.01).'
        )
    posterior = test(pair, rope=rope, **options)
    inference: Any = posterior.inference
    return sign(inference.counts(posterior.rope), inference.prior_counts)


def sign(counts: Floats, prior: Floats) -> Any:
    """Counts ~ Multinomial(theta), theta ~ Dirichlet(prior); a region without counts and prior has theta 0."""
    pm = _compat.import_pymc()
    alive = np.flatnonzero(counts + prior > 0)
    if alive.size < 2:
        raise ScoresError("All datasets and the prior are in one region, so that there is nothing to sample.")
    with pm.Model() as model:
        some = pm.Dirichlet("some", a=np.ones(alive.size))
        # a Dirichlet prior with zeros is improper, so its density stands here and not in the line above
        pm.Potential("prior", ((prior[alive] - 1) * pm.math.log(some)).sum())
        pm.Multinomial("counts", n=int(counts.sum()), p=some, observed=counts[alive].astype(int))
        pm.Deterministic("theta", pm.math.dot(some, np.eye(3)[alive]))
    return model


def signed_rank_test(pair: Pair, *, rope: RopeLike = 0, **options: Any) -> Any:
    """The model of `signed_rank`, with the datasets of a pair."""
    from bayescmp.bayes.signed_rank import signed_rank_test as test

    return signed_rank(test(pair, rope=rope, random_seed=0, **options).inference)


def signed_rank(inference: Any) -> Any:
    """The Dirichlet process posterior itself: weights ~ Dirichlet(1, ..., 1, prior), in the order of the names."""
    pm = _compat.import_pymc()
    with pm.Model() as model:
        pm.Dirichlet("weights", a=inference._alpha)
    return model


def hierarchical_ttest(pair: Pair, *, prior: Any = "corani2017", min_sd: float | None = None) -> Any:
    """The model of `hierarchical`, with the statistics of a pair."""
    from bayescmp.bayes.hierarchical.ttest import prepare

    return hierarchical(prepare(as_pair(pair, arrays_are="datasets"), prior, min_sd)[0])


def hierarchical(inference: Any) -> Any:
    """The hierarchical correlated t-test, centred, by each dataset's mean and sum of squares, in units of their sd.

    The numbers are `pm.Data`, so that models of the same shape share their compiled code.
    """
    from bayescmp.bayes.hierarchical.inference import HierarchicalInference

    if not isinstance(inference, HierarchicalInference):
        raise ScoresError("All differences are the same number, so that there is nothing to sample.")
    pm = _compat.import_pymc()
    unit, prior, n, rho = inference.unit, inference.prior, inference.counts, inference.rho
    z, s = inference.means / unit, inference.filled_sds / unit
    limits = np.array([prior.delta_0_bound, prior.sigma_0_max, prior.sigma_max]) / unit
    start = np.clip(z.mean(), -limits[0] / 2, limits[0] / 2), min(max(z.std(), 0.1 * s.mean()), limits[1] / 2)
    with pm.Model(coords={"dataset": list(inference.names)}) as model:
        means, squares = pm.Data("means", z, dims="dataset"), pm.Data("squares", (n - 1) * s**2, dims="dataset")
        bounds = pm.Data("bounds", limits)
        centre = pm.Uniform("centre", -bounds[0], bounds[0], initval=float(start[0]))
        spread = pm.Uniform("spread", 0, bounds[1], initval=float(start[1]))
        if prior.gaussian:
            delta = pm.Normal("delta_scaled", centre, spread, dims="dataset", initval=z)
        else:
            (a_low, a_high), (b_low, b_high) = prior.nu_shape, prior.nu_rate
            a = pm.Uniform("nu_shape", a_low, a_high) if a_high > a_low else a_low
            b = pm.Uniform("nu_rate", b_low, b_high) if b_high > b_low else b_low
            nu = pm.Deterministic("nu", prior.nu_shift + pm.Gamma("nu_minus_shift", a, b))
            delta = pm.StudentT("delta_scaled", nu, mu=centre, sigma=spread, dims="dataset", initval=z)
        sigma = pm.Uniform("sigma_scaled", 0, bounds[2], dims="dataset", initval=np.minimum(s, limits[2] / 2))
        pm.Normal("mean", delta, sigma * np.sqrt((1 + (n - 1) * rho) / n), observed=means, dims="dataset")
        pm.Gamma("sum_of_squares", (n - 1) / 2, 1 / (2 * (1 - rho) * sigma**2), observed=squares, dims="dataset")
        pm.Deterministic("delta_0", unit * centre)
        pm.Deterministic("sigma_0", unit * spread)
        pm.Deterministic("delta", unit * delta, dims="dataset")
    return model
