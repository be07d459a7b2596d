"""The Bayesian hierarchical correlated t-test: two models on many datasets, each with (repeated) cross-validation.

Dataset i's differences ~ MVN(delta_i, sigma_i^2 M), delta_i ~ Student(nu, delta_0, sigma_0) (Corani et al. 2017). Only
their mean and standard deviation matter, sigma_i integrates out, and what is left is a three-dimensional posterior,
which `collapsed` integrates and NUTS samples.

For runs that cannot be paired the likelihood of delta_i is the Student t of Welch's test; the rest is the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp import _compat, catalogue
from bayescmp.bayes.hierarchical import shrinkage
from bayescmp.bayes.hierarchical.inference import (
    HierarchicalInference,
    PointInference,
    RunsInference,
    SampledHyper,
)
from bayescmp.bayes.hierarchical.items import ItemsInference, item_statistics, pymc_items
from bayescmp.bayes.hierarchical.prior import HierarchicalPrior
from bayescmp.bayes.nuts import check_engine
from bayescmp.bayes.pymc_models import sample
from bayescmp.bayes.regions import LARGEST, RegionPosterior
from bayescmp.checks import check_mass
from bayescmp.errors import DegenerateWarning, PriorWarning, ScoresError, name_list, warn
from bayescmp.numerics.moments import moments
from bayescmp.numerics.student import welch_parameters
from bayescmp.rope import ROPE, RopeLike, rope_for
from bayescmp.scores.inputs import as_pair, check_units, in_ropes, many_datasets
from bayescmp.scores.pair import Pair
from bayescmp.scores.resampling import Resampling
from bayescmp.sentences import few_datasets

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
OF_RUNS = "hierarchical t-test of unpaired runs"
FARTHEST, NARROWEST = 1e25, 1e-100
"""Ratios of one dataset's differences to the usual ones: at 1e40 the integral was wrong, at 1e-150 squares overflow."""


def hierarchical_ttest(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    rope: RopeLike | Mapping[str, RopeLike] = ROPE,
    prior: str | HierarchicalPrior = "corani2017",
    resampling: Resampling | None = None,
    min_sd: float | None = None,
    higher_is_better: bool | None = None,
    mixed_units: bool = False,
    engine: str = "collapsed",
    random_seed: int | None = None,
    **nuts_options: Any,
) -> "HierarchicalPosterior":
    """Posterior of the probabilities that A is better, equivalent or worse on the next dataset, from all folds.

    Of runs that cannot be paired (`Resampling.runs()`), each dataset's difference has the Student likelihood of Welch's
    test, with the degrees of freedom rounded down.

    Parameters
    ----------
    a : Pair, or 2-D array of A's scores, datasets x folds
    b : array of B's scores on the same folds, where `a` is an array
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
        The differences that make no practical difference; 0 for none.
    prior : str or HierarchicalPrior
        "corani2017" (the paper's), "baycomp", "kruschke", "juarez_steel", "gaussian", or your own.
    resampling : Resampling
        How the scores were resampled, where the pair has no resampling.
    min_sd : float, optional
        The standard deviation within a dataset whose differences (or whose runs of both models) do not vary at all;
        the smallest of the other datasets if not given.
    higher_is_better : bool
        The direction of the scores, where arrays are given; True if not given.
    mixed_units : bool
        Average differences also where the typical sizes of unbounded scores show that datasets have different units.
    engine : "collapsed" or "nuts"
        Deterministic quadrature, or PyMC as its reference.
    random_seed : int, optional
        Seed of NUTS; drawn and recorded if not given.
    **nuts_options
        `draws`, `tune`, `chains`, `cores`, `nuts_sampler`, `target_accept`, `progressbar`.

    Notes
    -----
    Where the resamples are items (`Resampling.items()`), a benchmark of right and wrong has the exact likelihood of its
    items, with the share of discordant items integrated out, and a clustered one the Student t of
    `per_instance_ttest`. `mean` is then that over benchmarks, and `p_better` is about the next benchmark.

    Returns
    -------
    HierarchicalPosterior
        `p_better` is the probability that "A better" is the most probable outcome, `expected` the posterior mean of
        theta; `mean` and `hdi` are those of delta_0; `datasets_frame()` has every dataset's shrunken difference.

    See Also
    --------
    signed_rank_test : one score per dataset.
    multilevel : one model of many models.
    HierarchicalPrior : your own prior.

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
    given = many_datasets(a, b, test="hierarchical_ttest", higher_is_better=higher_is_better)
    pair, region = in_ropes(given, rope)
    mixed = check_units(pair, "hierarchical_ttest", mixed_units)
    check_engine(engine, "collapsed", nuts_options, random_seed)
    pair = pair if resampling is None else pair.with_resampling(resampling)
    items = _of_items(given, pair, rope, prior) if resampling is None else None
    inference, notes = prepare(pair, prior, min_sd) if items is None else items
    fields: dict[str, Any] = {"inference": inference}
    if engine == "nuts":
        fields = sample_hierarchical(inference, random_seed, nuts_options)
    else:
        inference.summaries([region])  # now, so that a warning points to this call
    return HierarchicalPosterior(
        **pair.about() | {"n": int(pair.counts.sum() if pair.paired else pair.runs.sum())},
        rope=region,
        **catalogue.find("hierarchical_ttest", "bayes").words() | ({} if pair.paired else {"method": OF_RUNS}),
        engine=engine,
        settings=inference.settings,
        notes=(*mixed, *notes, *few_datasets("hierarchical_ttest", len(pair.datasets))),
        **fields,
    )


def _of_items(
    given: Pair, pair: Pair, rope: Any, prior: str | HierarchicalPrior
) -> tuple[ItemsInference, tuple[str, ...]] | None:
    """The statistics of benchmarks of items with a likelihood of their own; None where Student t will do.

    `pair` is the `given` one in units of each benchmark's rope, where they have their own.
    """
    if len(given.items) < len(given.datasets):
        return None
    widths = np.ones(len(given.datasets))
    if pair.scale == "ropes":
        widths = np.array([rope_for(rope, name).high for name in given.datasets])
    found = item_statistics(given, widths, prior)
    if found is None:
        return None
    notes: tuple[str, ...] = ()
    if len(pair.datasets) == 2:
        notes = ("two datasets hold little information about the next one: the prior dominates",)
        warn(f"{pair.a} vs {pair.b}: {notes[0]}.", PriorWarning)
    return found, notes


def prepare(pair: Pair, prior: str | HierarchicalPrior, min_sd: float | None) -> "tuple[Any, tuple[str, ...]]":
    """The sufficient statistics of a pair with an absolute prior; and notes about what had to be assumed."""
    rho = pair.known_rho("hierarchical_ttest") if pair.paired else np.zeros(len(pair.datasets))
    if min_sd is not None and not (isinstance(min_sd, (int, float, np.number)) and 0 < min_sd < np.inf):
        raise ValueError(f"`min_sd` must be a standard deviation above 0, got {min_sd!r}.")
    _check_counts(pair)
    notes: list[str] = []
    own: dict[str, Any] = {}
    if pair.paired:
        means, sds, counts = moments(pair.differences)
        largest = float(np.nanmax(np.abs(pair.differences)))
    else:
        means, counts = pair.means, pair.runs.sum(axis=0)
        _, errors, welch = welch_parameters(pair.scores_a, pair.scores_b, pair.rounding)
        own = {"runs": pair.runs, "welch": welch}
        sds = errors / np.sqrt((1 / pair.runs).sum(axis=0))
        largest = _largest_of_runs(pair)
        notes = _constant_models(pair, errors)
    flat = sds <= pair.rounding
    sds = np.where(flat, 0.0, sds)
    spread = float(moments(means)[1])
    if flat.all() and spread <= pair.rounding.max():
        notes = ["every difference on every dataset is the same number: so is the next one"]
        warn(f"{pair.a} vs {pair.b}: {notes[0]}.", DegenerateWarning)
        return PointInference(float(means[0]), float(pair.rounding.max())), tuple(notes)
    floor = 0.0
    if flat.any():
        floor = float(min_sd or (1e-3 * spread if flat.all() else sds[~flat].min()))
        names = [name for name, is_flat in zip(pair.datasets, flat, strict=True) if is_flat]
        what = "differences" if pair.paired else "runs of both models"
        notes.append(
            f"the {what} do not vary at all on {name_list(names, 4)}: a standard deviation of {floor:.3g} is "
            "assumed there (min_sd); min_sd_sensitivity() has the answers for half and twice that"
        )
        warn(f"{pair.a} vs {pair.b}: {notes[-1]}.", DegenerateWarning)
    if len(pair.datasets) == 2:
        notes.append("two datasets hold little information about the next one: the prior dominates")
        warn(f"{pair.a} vs {pair.b}: {notes[-1]}.", PriorWarning)
    scales = np.where(flat, floor, sds)
    _check_sizes(pair.datasets, means, scales, largest)
    resolved = HierarchicalPrior.resolve(prior, means, scales, largest)
    made: Any = HierarchicalInference if pair.paired else RunsInference
    return made(pair.datasets, means, sds, counts, rho, floor, resolved, largest, **own), tuple(notes)


def _check_counts(pair: Pair) -> None:
    """Raise if a dataset has too few scores to show its spread."""
    few = [name for name, n in zip(pair.datasets, pair.counts, strict=True) if n < 3]
    if few and pair.paired:
        raise ScoresError(
            f"`hierarchical_ttest` needs at least 3 scores per dataset, but {name_list(few)} has fewer, so that its "
            "spread cannot be separated from its difference. Score more folds, or use signed_rank_test (one score per "
            "dataset)."
        )
    single = [f"{(pair.a, pair.b)[m]} on {pair.datasets[d]}" for m, d in np.argwhere(pair.runs == 1)]
    if single:
        raise ScoresError(
            f"`hierarchical_ttest` needs at least 2 runs of each model on every dataset, but {name_list(single)} has "
            "1: nothing shows its spread. Run it again with other seeds, or use signed_rank_test (one score per "
            "dataset)."
        )


def _largest_of_runs(pair: Pair) -> float:
    """The largest difference between a run of A and one of B on the same dataset."""
    low, high = ([ends(scores, axis=1) for scores in (pair.scores_a, pair.scores_b)] for ends in (np.nanmin, np.nanmax))
    return max(float((high[i] - low[1 - i]).max()) for i in range(2))


def _constant_models(pair: Pair, errors: Floats) -> list[str]:
    """A note about datasets on which the runs of one model do not vary, though those of the other do."""
    notes = []
    for model, scores in ((pair.a, pair.scores_a), (pair.b, pair.scores_b)):
        constant = (moments(scores)[1] <= pair.rounding) & (errors > 0)
        names = [name for name, is_constant in zip(pair.datasets, constant, strict=True) if is_constant]
        if names:
            notes.append(f"all runs of {model} score the same on {name_list(names, 4)}: its mean is treated as known")
            warn(f"{pair.a} vs {pair.b}: {notes[-1]}.", DegenerateWarning)
    return notes


def _check_sizes(datasets: tuple[str, ...], means: Floats, scales: Floats, largest: float) -> None:
    """Raise if the differences are too large, or those of one dataset too far from the usual, for the integral."""
    if largest > LARGEST:
        raise ScoresError(f"Differences must be at most {LARGEST:g}, got {largest:g}. Change the unit of the scores.")
    sizes = np.maximum(np.abs(means), scales)
    usual = float(np.median(sizes))
    far, narrow = sizes.max() / FARTHEST > usual, scales.min() < usual * NARROWEST
    if far or narrow:
        odd = datasets[int(sizes.argmax() if far else scales.argmin())]
        how = f"are more than {FARTHEST:.0e} times" if far else f"vary by less than {NARROWEST:.0e} of"
        raise ScoresError(
            f'On "{odd}" the differences {how} those on half of the datasets: too far apart for the integral. Did a '
            "run diverge? Drop the dataset with scores.drop(...), or use signed_rank_test."
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class HierarchicalPosterior(RegionPosterior):
    """The result of the hierarchical test: theta for the next dataset, the hyperparameters, and every dataset.

    See Also
    --------
    hierarchical_ttest : makes one.
    bayescmp.plots.plot_forest : draws every dataset's shrunken difference.

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.hierarchical_ttest(bc.load_uci().pair("rf", "svm"), rope=0.01, prior="gaussian")
    >>> list(p.hyperparameters().index)
    ['delta_0', 'sigma_0']
    """

    @property
    def p_positive(self) -> float:
        """P(delta_0 > 0): the mean difference over all datasets favours A."""
        return float(self.inference.p_positive)  # type: ignore[attr-defined]

    def hyperparameters(self, mass: float = 0.95) -> "pd.DataFrame":
        """Posterior mean, standard deviation and HDI (of this `mass`) of delta_0, sigma_0 and nu."""
        from bayescmp.needs import pandas as pd

        check_mass(mass)
        rows = []
        for name, draws_or_grid in self.inference.hyper_marginals().items():  # type: ignore[attr-defined]
            mean, sd, (low, high) = draws_or_grid(mass)
            rows.append({"parameter": name, "mean": mean, "sd": sd, "hdi_low": low, "hdi_high": high})
        return pd.DataFrame(rows).set_index("parameter")

    def datasets_frame(self, mass: float = 0.95) -> "pd.DataFrame":
        """One row per dataset: raw and shrunken mean difference, its HDI of this `mass`, the three probabilities."""
        self._refuse_a_point()
        return shrinkage.datasets_frame(self.inference, self.rope, check_mass(mass))

    def predictive_check(self) -> "pd.DataFrame":
        """Dataset means as the model would make them again, against those observed; tails near 0 or 1 are bad."""
        self._refuse_a_point()
        return shrinkage.predictive_check(self.inference)

    def min_sd_sensitivity(self) -> "pd.DataFrame":
        """The three probabilities and expected shares with half `min_sd`, with `min_sd` itself, and with twice that.

        `min_sd` is the standard deviation that is assumed within datasets whose differences do not vary. Both other
        answers are computed by quadrature, with the rope of this result. Raises if every dataset varies.
        """
        from bayescmp.needs import pandas as pd

        self._refuse_a_point()
        data: Any = getattr(self.inference, "data", self.inference)
        if not data.min_sd:
            raise ValueError("The differences vary on every dataset: no `min_sd` was assumed that could be changed.")
        rows = []
        for factor in (0.5, 1.0, 2.0):
            other = self.inference if factor == 1 else data.with_min_sd(factor * data.min_sd)
            rows.append({"min_sd": factor * data.min_sd, **replace(self, inference=other).numbers()})
        return pd.DataFrame(rows).set_index("min_sd")

    def _refuse_a_point(self) -> None:
        if isinstance(self.inference, PointInference):
            raise ValueError(
                f"Every difference on every dataset is {self.mean:.4g}: there is nothing to shrink or check."
            )


def pymc_hierarchical_ttest(pair: Pair, *, prior: Any = "corani2017", min_sd: float | None = None) -> Any:
    """The `pm.Model`, with the statistics of a pair."""
    pair = as_pair(pair, arrays_are="datasets")
    items = _of_items(pair, pair, None, prior)
    return _model((prepare(pair, prior, min_sd) if items is None else items)[0])


def _model(inference: Any) -> Any:
    """The hierarchical correlated t-test, centred, by each dataset's mean and sum of squares, in units of their sd.

    The numbers are `pm.Data`, so that models of the same shape share their compiled code.
    """
    if isinstance(inference, ItemsInference):
        return pymc_items(inference)
    if not isinstance(inference, HierarchicalInference):
        raise ScoresError("All differences are the same number, so that there is nothing to sample.")
    pm = _compat.import_pymc()
    unit, prior, n, rho = inference.unit, inference.prior, inference.counts, inference.rho
    z, s = inference.means / unit, inference.filled_sds / unit
    limits = np.array([prior.delta_0_bound, prior.sigma_0_max, prior.sigma_max]) / unit
    start = np.clip(z.mean(), -limits[0] / 2, limits[0] / 2), min(max(z.std(), 0.1 * s.mean()), limits[1] / 2)
    with pm.Model(coords={"dataset": list(inference.names)}) as model:
        means = pm.Data("means", z, dims="dataset")
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
        if isinstance(inference, RunsInference):
            pm.StudentT(
                "mean", nu=inference.dfs, mu=delta, sigma=inference.scales / unit, observed=means, dims="dataset"
            )
        else:
            squares = pm.Data("squares", (n - 1) * s**2, dims="dataset")
            sigma = pm.Uniform("sigma_scaled", 0, bounds[2], dims="dataset", initval=np.minimum(s, limits[2] / 2))
            pm.Normal("mean", delta, sigma * np.sqrt((1 + (n - 1) * rho) / n), observed=means, dims="dataset")
            pm.Gamma("sum_of_squares", (n - 1) / 2, 1 / (2 * (1 - rho) * sigma**2), observed=squares, dims="dataset")
        pm.Deterministic("delta_0", unit * centre)
        pm.Deterministic("sigma_0", unit * spread)
        pm.Deterministic("delta", unit * delta, dims="dataset")
    return model


def sample_hierarchical(inference: Any, random_seed: int | None, options: dict[str, Any]) -> dict[str, Any]:
    """NUTS draws of (delta_0, sigma_0, nu), and the other fields of a result."""
    fields = sample(_model(inference), random_seed, {"target_accept": 0.95} | options)
    posterior = _compat.group(fields["inference_data"], "posterior")
    delta, sigma = posterior["delta_0"].values, posterior["sigma_0"].values
    nu = posterior["nu"].values if "nu" in posterior else np.full(delta.shape, np.inf)
    return fields | {"inference": SampledHyper(delta, sigma, nu, inference)}
