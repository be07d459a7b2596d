"""One joint hierarchical model of many models on many datasets, instead of one test for each pair of models.

The models' effects are pooled, so that those of near-equal models are pulled together: the answer to comparing many.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp import _compat
from bayescmp.bayes import nuts
from bayescmp.bayes.multilevel.data import Statistics, Twin, prepare
from bayescmp.bayes.multilevel.gibbs import MANY, shrunken_of
from bayescmp.bayes.multilevel.model import MultilevelPrior, pymc_multilevel
from bayescmp.bayes.multilevel.result import JointInference, MultilevelPosterior
from bayescmp.checks import check_count, check_draws, check_switch, checked_seed, is_one_of
from bayescmp.progress import progress_bar
from bayescmp.rope import ROPE, RopeLike, symmetric, warn_if_other_scale
from bayescmp.scores.inputs import check_units
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
CHAINS, FEW_CHAINS = 16, 8
DRAWS, TUNE = 100, 50
"""Of each chain to begin with."""
DOUBLINGS = 2
"""So often a run is made twice as long, if the chains do not agree before."""


def multilevel(
    scores: Scores,
    *,
    rope: RopeLike = ROPE,
    prior: str | MultilevelPrior = "pooled",
    tails: str = "normal",
    mixed_units: bool = False,
    engine: str = "collapsed",
    draws: int | None = None,
    tune: int | None = None,
    chains: int | None = None,
    random_seed: int | None = None,
    progressbar: bool | None = None,
    **nuts_options: Any,
) -> MultilevelPosterior:
    """Joint posterior of the effects of all models, from all folds of all datasets.

    Dataset d's mean scores vary around theta_d as in the correlated t-test, with a covariance of the models' scores
    over folds; theta_d = level of d + the models' effects + N(0, T). Only contrasts between models matter, so that
    levels of datasets and folds drop out. Each model varies between datasets by a variance of its own and each pair by
    a correlation, so that the difference of near-identical models stays small however much the others vary.

    Parameters
    ----------
    scores : Scores
        Two models or more on two datasets or more, or the folds of one. One score per dataset is enough. Runs that
        cannot be paired have the likelihood of Welch's t-test. The model fills in missing results. Where a dataset has
        fewer folds than twice the number of models, the covariance of its folds is completed from that of all datasets.
    rope : float, symmetric (low, high) or Rope
        The differences that make no practical difference; 0 for none.
    prior : "pooled", "flat", "exchangeable" or MultilevelPrior
        "pooled": effects are normal around their mean, with a size that is learnt in units of their variation. "flat":
        not pooled; for two models this is hierarchical_ttest(prior="gaussian"). "exchangeable": pooled, and all models
        have one variance and all pairs one correlation, as they have beyond 30 models.
    tails : "normal" or "student"
        The variation between datasets. "student" lets odd datasets count less; for two models and a flat prior this is
        hierarchical_ttest(prior="juarez_steel"). A MultilevelPrior has its own.
    mixed_units : bool
        Average differences also where the typical sizes of unbounded scores show that datasets have different units.
    engine : "collapsed" or "nuts"
        A Gibbs sampler with most of the model integrated out, or PyMC as its reference.
    draws, tune : int, optional
        Draws of each chain that are kept, and draws before that. By default 100 and 50. Where the chains do not agree
        then about the effects (nested R-hat at most 1.01, effective sample size at least 400), these are dropped and
        twice as many are drawn, and once more.
    chains : int, optional
        At least 2; 16 by default, 8 for 17 models or more, 4 for NUTS. Four each start in the same state.
    random_seed : int, optional
        Drawn and recorded if not given.
    progressbar : bool, optional
        Show a bar; by default where standard error is a terminal and it takes more than a second.
    **nuts_options
        `cores`, `nuts_sampler`, `target_accept`, for engine="nuts".

    Returns
    -------
    MultilevelPosterior
        `ranking()` has who is best, `pair(a, b)` the difference of two effects, `new_dataset(a, b)` the probabilities
        for the next dataset, `contrast(weights)` any contrast, `shrunken_frame()` every mean on every dataset.

    See Also
    --------
    hierarchical_ttest : Two models.
    rank_models : Ranks without a model.

    References
    ----------
    Gelman, Hill, Yajima (2012). Why we (usually) don't have to worry about multiple comparisons. Journal of Research on
    Educational Effectiveness 5. Huang, Wand (2013). Simple marginally noninformative prior distributions for covariance
    matrices. Bayesian Analysis 8. Margossian et al. (2024). Nested R-hat: assessing the convergence of Markov chain
    Monte Carlo when running many short chains. Bayesian Analysis.

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.multilevel(bc.load_domains(), rope=1, random_seed=1)
    >>> p.pair("B", "A").decision()
    <Decision.B_BETTER: 'B better'>
    """
    region = symmetric(rope)
    if not is_one_of(engine, ("collapsed", "nuts")):
        raise ValueError(f'`engine` must be "collapsed" or "nuts", got {engine!r}.')
    if engine == "collapsed" and nuts_options:
        raise ValueError(f'{", ".join(f"`{name}`" for name in nuts_options)}: not an option of engine="collapsed".')
    if progressbar is not None:
        check_switch("progressbar", progressbar)
    data, twins, notes = prepare(scores, prior, tails)
    mixed = check_units(scores, "multilevel", mixed_units)
    if scores.scale == "score":
        warn_if_other_scale(region, scores.values)
    seed = checked_seed(random_seed)
    fields: dict[str, Any] = _table(scores, data, twins)
    if engine == "nuts":
        options = {"draws": draws, "tune": tune, "chains": chains, "progressbar": progressbar} | nuts_options
        given = {name: x for name, x in options.items() if x is not None}
        drawn, diagnostics = nuts.sample(pymc_multilevel(data), random_seed=seed, **given)
        inference = JointInference(**fields, random_seed=seed, **_from_nuts(data, drawn, seed))
    else:
        chains, count, before = _length(data, chains, draws, tune)
        inference = JointInference(**fields, random_seed=seed, chains=chains, draws=0, tune=before)
        for i in range(DOUBLINGS + 1 if draws is None else 1):
            more = count * 2**i
            with progress_bar(more + (0 if i else before), 0, "multilevel model, sweeps", progressbar) as advance:
                inference = inference.longer(more, advance)
            if not inference.diagnose().problems:
                break
        drawn, diagnostics = None, inference.diagnose()
        nuts.warn_of(diagnostics, "Draw more (draws=, tune=).")
    return MultilevelPosterior(
        models=scores.models,
        metric=scores.metric,
        higher_is_better=scores.higher_is_better,
        scale=scores.scale,
        datasets=data.datasets,
        n=int(scores.counts[:, [scores.datasets.index(d) for d in data.datasets]].sum()),
        rope=region,
        engine=engine,
        settings={"prior": data.prior},
        random_seed=seed,
        diagnostics=diagnostics,
        notes=mixed + notes,
        inference=inference,
        inference_data=drawn,
    )


def pymc_multilevel_of(
    scores: Scores, *, prior: str | MultilevelPrior = "pooled", tails: str = "normal", rope: RopeLike | None = None
) -> Any:
    """The model of `multilevel` as a `pm.Model`; it does not depend on the rope."""
    return pymc_multilevel(prepare(scores, prior, tails)[0])


def _length(data: Statistics, chains: int | None, draws: int | None, tune: int | None) -> tuple[int, int, int]:
    """Chains, and draws to keep and to drop in each: as asked for, or those to begin with."""
    chains = check_count("chains", chains, 2) if chains is not None else FEW_CHAINS if data.m >= MANY else CHAINS
    kept = max(DRAWS, -(-1000 // chains)) if draws is None else check_count("draws", draws, 1)
    check_draws(kept, chains)
    return chains, kept, max(TUNE, kept // 2) if tune is None else check_count("tune", tune, 0)


def _table(scores: Scores, data: Statistics, twins: dict[str, Twin]) -> dict[str, Any]:
    """The statistics, how models follow from those fitted, and the means of all, datasets x models."""
    known = [twins.get(name, Twin(name, 0.0)) for name in scores.models]
    columns = [scores.datasets.index(name) for name in data.datasets]
    runs = np.array(scores.values[:, columns])
    counts = np.isfinite(runs).sum(axis=2)
    raw = (np.where(np.isfinite(runs), runs, 0.0).sum(axis=2) / np.where(counts, counts, np.nan)).T
    return {
        "data": data,
        "source": np.array([data.models.index(twin.of) for twin in known]),
        "offsets": np.array([twin.gap for twin in known]),
        "raw": raw if scores.higher_is_better else 0.0 - raw,
    }


def _from_nuts(data: Statistics, drawn: Any, seed: int) -> dict[str, Any]:
    """The draws of NUTS under the names of our own sampler."""
    posterior = _compat.group(drawn, "posterior")
    names = {name: name for name in ("mu", "omega", "df_between", "nu", "kappa")} | {"weight": "lam"}
    names |= {"tau": "tau"} if data.exchangeable else {"T": "t"}
    found = {ours: posterior[theirs].values for theirs, ours in names.items() if theirs in posterior}
    found |= shrunken_of(data, found, np.random.default_rng(seed))
    kept = {name: x for name, x in found.items() if name not in ("lam", "kappa")}
    chains, draws = found["mu"].shape[:2]
    return {"chains": chains, "draws": draws, "tune": 0, "stored": kept}
