"""The Bayesian correlated t-test: two models, one dataset, results of (repeated) cross-validation.

With a flat prior the posterior of the mean difference is a Student t, so every number is exact (Corani and Benavoli
2015). With a Student prior around 0 it is the product of two, by quadrature.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp import _compat, catalogue
from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.bayes.distributions import PRIOR_DF, Distribution, PointMass, StudentPosterior, StudentT
from bayescmp.bayes.nuts import check_engine
from bayescmp.bayes.posterior import Posterior, Posteriors
from bayescmp.bayes.pymc_models import sample_difference
from bayescmp.checks import check_number, is_number, is_one_of
from bayescmp.errors import DegenerateWarning, ScoresError, warn
from bayescmp.numerics.moments import moments
from bayescmp.numerics.student import student_parameters, student_regions
from bayescmp.rope import ROPE, Rope, RopeLike
from bayescmp.scores.inputs import in_ropes, many_pairs, one_dataset
from bayescmp.scores.pair import Pair
from bayescmp.scores.resampling import Resampling
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
ROWS_AT_A_TIME = 1024


def correlated_ttest(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    rope: RopeLike | Mapping[str, RopeLike] = ROPE,
    resampling: Resampling | None = None,
    dataset: str | None = None,
    prior: str | float = "flat",
    higher_is_better: bool | None = None,
    engine: str = "exact",
    random_seed: int | None = None,
    **nuts_options: Any,
) -> DifferencePosterior:
    """Posterior of the mean difference of two models cross-validated on one dataset.

    Parameters
    ----------
    a : Pair, or array of A's scores
    b : array of B's scores on the same folds, where `a` is an array
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
        The differences that make no practical difference; 0 for none.
    resampling : Resampling
        How the scores were resampled; needed where the pair has no resampling.
    dataset : str
        Which dataset, where the pair has more than one.
    prior : "flat" or float
        The prior of the mean difference: flat, or the scale of a Student t around 0 with 4 degrees of freedom, in
        units of the score. With a flat prior, claims about differences that are small beside their standard error
        come true less often than they say.
    higher_is_better : bool
        The direction of the scores, where arrays are given; True if not given.
    engine : "exact" or "nuts"
        The closed form, or NUTS on the same model as a check of it.
    random_seed : int, optional
        Seed of NUTS; drawn and recorded if not given.
    **nuts_options
        `draws`, `tune`, `chains`, `cores`, `nuts_sampler`, `target_accept`, `progressbar`.

    Returns
    -------
    DifferencePosterior
        Student t with n - 1 degrees of freedom, location the mean difference, and
        scale^2 = (1/n + rho/(1 - rho)) s^2; times the prior, where it has a scale. `prior_sensitivity()` shows other
        scales, and the one at which the decision tips over.

    See Also
    --------
    welch_ttest : for runs that cannot be paired.

    References
    ----------
    Corani, Benavoli (2015). A Bayesian approach for comparing cross-validated algorithms on multiple data sets.
    Machine Learning 100. Nadeau, Bengio (2003). Inference for the generalization error. Machine Learning 52.

    Examples
    --------
    >>> import bayescmp as bc
    >>> pair = bc.load_labour().pair("SVM", "DT")
    >>> bc.bayes.correlated_ttest(pair, rope=0.01)  # doctest: +ELLIPSIS
    Posterior: SVM vs DT, error rate (lower is better), correlated t-test, 100 random splits (50 train / 6 test) ...
      P(SVM better) 0.940   P(equivalent) 0.036   P(DT better) 0.024      rope [-0.01, 0.01]
      mean difference 0.082, 95% HDI [-0.009, 0.172]
      note: 6 test cases per fold: below 30, the score of a fold may be far from normal
    """
    check_engine(engine, "exact", nuts_options, random_seed)
    pair = one_dataset(
        a, b, test="correlated_ttest", dataset=dataset, resampling=resampling, higher_is_better=higher_is_better
    )
    scale_of_prior = _checked_prior(prior)
    rho = float(pair.known_rho("correlated_ttest")[0])
    pair, region = in_ropes(pair, rope)
    n = int(pair.counts[0])
    location, scale, df = student_parameters(pair.differences[0], rho, pair.rounding[0])
    design = pair.resampling[0]
    assert design is not None
    notes = design.notes
    distribution: Distribution
    if scale > 0 and scale_of_prior is None:
        distribution = StudentT(float(location), float(scale), float(df))
    elif scale > 0 and scale_of_prior is not None:
        distribution = StudentPosterior(float(location), float(scale), float(df), scale_of_prior)
    else:
        distribution = PointMass(float(location), float(pair.rounding[0]))
        notes = (
            *notes,
            f"all {n} differences are equal: the answer rests on no variation between folds",
        )
        warn(f"{pair.a} vs {pair.b}: {notes[-1]}.", DegenerateWarning)
    fields: dict[str, Any] = {}
    if engine == "nuts":
        distribution, fields = sample_difference(pymc_correlated_ttest(pair, prior=prior), random_seed, nuts_options)
    return DifferencePosterior(
        **pair.about() | {"n": n},
        rope=region,
        **catalogue.find("correlated_ttest", "bayes").words(),
        engine=engine,
        settings={
            "rho": rho,
            "resampling": design,
            "design": f"{design.name} (n={n}, rho={rho:.3f})"
            + ("" if scale_of_prior is None else f", prior Student({PRIOR_DF}, 0, {scale_of_prior:g})"),
            "prior": "flat" if scale_of_prior is None else scale_of_prior,
        },
        notes=notes,
        distribution=distribution,
        **fields,
    )


def correlated_ttests(
    scores: Scores, names: Sequence[tuple[str, str]], rope: RopeLike | Mapping[str, RopeLike], *, prior: Any = "flat"
) -> Posteriors | None:
    """`correlated_ttest` of many pairs at once; None where they have to be tested one by one."""
    pairs = many_pairs(scores, names, rope)
    if pairs is None or len(scores.datasets) > 1 or scores.counts.min() < 2 or not is_one_of(prior, ("flat",)):
        return None
    first = correlated_ttest(scores.pair(*names[0]), rope=rope)
    found = [
        student_parameters(part.minus(scores.values[:, 0]), first.settings["rho"], part.rounding[:, 0])
        for part in pairs.parts()
    ]
    location, scale, df = (np.concatenate(x) for x in zip(*found, strict=True))
    if not (scale > 0).all():  # equal differences have notes and warnings of their own
        return None
    three = np.stack(student_regions(location, scale, df, first.rope), axis=-1)

    def make(i: int) -> Posterior:
        distribution = StudentT(float(location[i]), float(scale[i]), float(df[i]))
        return first._copy(a=names[i][0], b=names[i][1], distribution=distribution)._remember(three[i].tolist())

    return Posteriors(names, make)


def _checked_prior(prior: str | float) -> float | None:
    """The scale of the prior; None for the flat one."""
    if is_one_of(prior, ("flat",)):
        return None
    if not is_number(prior) or not 0 < check_number("prior", prior) < np.inf:
        raise ValueError(
            f'`prior` must be "flat", or the scale of a Student prior in units of the score, above 0; got {prior!r}.'
        )
    return float(prior)


def probabilities(differences: Floats, *, rho: ArrayLike, rope: RopeLike, rounding: ArrayLike = 0.0) -> Floats:
    """P(A better), P(equivalent), P(B better) of many experiments at once, in bounded memory.

    The arguments are those of `student_parameters`; returns experiments x 3.
    """
    region = Rope.of(rope)
    rows = np.reshape(differences, (-1, np.shape(differences)[-1]))
    rhos, roundings = (np.broadcast_to(x, rows.shape[:1]) for x in (rho, rounding))
    result = np.empty((rows.shape[0], 3))
    for start in range(0, len(rows), ROWS_AT_A_TIME):
        part = slice(start, start + ROWS_AT_A_TIME)
        parameters = student_parameters(rows[part], rhos[part], roundings[part])
        result[part] = np.stack(student_regions(*parameters, region, roundings[part]), axis=-1)
    return result.reshape(*np.shape(differences)[:-1], 3)


def pymc_correlated_ttest(pair: Pair, *, dataset: str | None = None, prior: str | float = "flat") -> Any:
    """Differences ~ MVN(mu, sigma^2 M), M compound-symmetric with rho, prior 1/sigma, by sufficient statistics.

    Their mean is N(mu, sigma^2 (1 + (n - 1) rho) / n); their sum of squares is sigma^2 (1 - rho) chi2(n - 1),
    independently. Both are sampled in units of the data's standard deviation, where NUTS starts well.
    """
    scale_of_prior = _checked_prior(prior)
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
        if scale_of_prior is not None:
            student = pm.StudentT.dist(nu=PRIOR_DF, mu=0.0, sigma=scale_of_prior)
            pm.Potential("prior", pm.logp(student, difference))
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
