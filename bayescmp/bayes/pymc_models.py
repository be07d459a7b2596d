"""Every test's model as a `pm.Model`: the reference that the fast engines are checked against, and yours to extend."""

from typing import Any

import numpy as np

from bayescmp import _compat
from bayescmp.bayes import nuts
from bayescmp.bayes.correlated_t import moments
from bayescmp.bayes.distributions import Draws
from bayescmp.errors import ScoresError
from bayescmp.scores.assemble import as_pair
from bayescmp.scores.pair import Pair


def pymc_model(name: str, pair: Pair, *, dataset: str | None = None) -> Any:
    """The PyMC model of a test, with the pair's data.

    Parameters
    ----------
    name : str
        "correlated_t".
    pair : Pair
    dataset : str, optional
        Which dataset, for the tests that answer for one.

    Returns
    -------
    pm.Model

    Examples
    --------
    >>> import bayescmp as bc
    >>> model = bc.bayes.pymc_model("correlated_t", bc.load_labour().pair("SVM", "DT"))  # doctest: +SKIP
    """
    if name not in MODELS:
        raise ValueError(f"`name` must be one of {sorted(MODELS)}, got {name!r}.")
    return MODELS[name](as_pair(pair, arrays_are="folds"), dataset)


def sample_pair(
    name: str, pair: Pair, random_seed: int | None, options: dict[str, Any]
) -> tuple[Draws, dict[str, Any]]:
    """NUTS draws of a test's `difference`, and the fields that a result records about the run."""
    seed = new_seed() if random_seed is None else random_seed
    data, diagnostics = nuts.sample(pymc_model(name, pair), random_seed=seed, **options)
    chains = _compat.group(data, "posterior")["difference"].values
    return Draws(chains), {
        "random_seed": seed,
        "diagnostics": diagnostics,
        "inference_data": data,
    }


def new_seed() -> int:
    """A seed to record, where none was given."""
    return int(np.random.SeedSequence().entropy % 2**32)  # type: ignore[operator]


def correlated_t(pair: Pair, dataset: str | None = None) -> Any:
    """Differences ~ MVN(mu, sigma^2 M), M compound-symmetric with rho, prior 1/sigma, by sufficient statistics.

    Their mean is N(mu, sigma^2 (1 + (n - 1) rho) / n); their sum of squares is sigma^2 (1 - rho) chi2(n - 1),
    independently. Both are sampled in units of the data's standard deviation, where NUTS starts well.
    """
    pm = _compat.import_pymc()
    pair = pair.one_dataset(dataset, "pymc_model")
    rho = float(pair.known_rho("pymc_model")[0])
    mean, deviation, n = (float(x) for x in moments(pair.differences[0])) if pair.counts[0] > 1 else (0.0, 0.0, 1.0)
    if n < 2:
        raise ScoresError(f'The model needs at least 2 paired scores, but "{pair.datasets[0]}" has {n:g}.')
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


MODELS = {"correlated_t": correlated_t}
