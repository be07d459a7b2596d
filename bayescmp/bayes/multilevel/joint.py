"""One joint hierarchical model of many models on many datasets, instead of one test for each pair of models.

The models' effects are pooled, so that those of near-equal models are pulled together: the answer to comparing many.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp import _compat
from bayescmp.bayes import nuts
from bayescmp.bayes.multilevel.data import Statistics, prepare
from bayescmp.bayes.multilevel.model import MultilevelPrior, draw_between, pymc_multilevel, thetas
from bayescmp.bayes.multilevel.result import MultilevelDraws, MultilevelPosterior
from bayescmp.checks import checked_seed
from bayescmp.rope import ROPE, RopeLike, symmetric, warn_if_other_scale
from bayescmp.scores.inputs import check_units
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
FEW_DF = 5.0
"""Below, the covariance between datasets is far from exchangeable; the prior's least is 2."""


def multilevel(
    scores: Scores,
    *,
    rope: RopeLike = ROPE,
    prior: str | MultilevelPrior = "pooled",
    mixed_units: bool = False,
    random_seed: int | None = None,
    **nuts_options: Any,
) -> MultilevelPosterior:
    """Joint posterior of the effects of all models, from all folds of all datasets, by NUTS.

    Dataset d's mean scores are MVN(theta_d, (1/n_d + rho_d/(1 - rho_d)) Sigma_d), where Sigma_d is the covariance of
    the models' scores over its folds; theta_d = level of d + the models' effects + N(0, T). Only contrasts between
    models matter, so that levels of datasets and folds drop out. Covariances are shrunk to exchangeability of the
    models as far as the data allow, which also serves with fewer folds or datasets than models. The price: where some
    models are near-identical and others are not, differences of the former are overstated; the result then has a note.

    Parameters
    ----------
    scores : Scores
        Two models or more on two datasets or more; one score per dataset is enough. The model fills in missing results.
    rope : float, symmetric (low, high) or Rope
        The differences that make no practical difference; 0 for none.
    prior : "pooled", "flat", "exchangeable" or MultilevelPrior
        "pooled": effects are normal around their mean with a standard deviation that is learnt. "flat": not pooled; for
        two models this is hierarchical_ttest(prior="gaussian"). "exchangeable": pooled, and all models have one
        variance and all pairs one correlation.
    mixed_units : bool
        Average differences also where the typical sizes of unbounded scores show that datasets have different units.
    random_seed : int, optional
        Drawn and recorded if not given.
    **nuts_options
        `draws`, `tune`, `chains`, `cores`, `nuts_sampler`, `target_accept`, `progressbar`.

    Returns
    -------
    MultilevelPosterior
        `pairs_frame()` has every pair's difference of effects and the probabilities for the next dataset, `pair(a, b)`
        one of them, `ranking()` who is best, `shrunken_frame()` every model's shrunken mean on every dataset.

    See Also
    --------
    hierarchical_ttest : Two models, with Student instead of normal variation between datasets.

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.multilevel(bc.load_domains(), rope=1, random_seed=1)  # doctest: +SKIP
    >>> p.pair("A", "B").decision()  # doctest: +SKIP
    <Decision.A_BETTER: 'A better'>
    """
    region = symmetric(rope)
    data, twins = prepare(scores, prior)
    mixed = check_units(scores, "multilevel", mixed_units)
    if scores.scale == "score":
        warn_if_other_scale(region, scores.values)
    seed = checked_seed(random_seed)
    drawn, diagnostics = nuts.sample(pymc_multilevel(data), random_seed=seed, **nuts_options)
    posterior = _compat.group(drawn, "posterior")
    draws = {name: posterior[name].values for name in posterior.data_vars if not name.startswith("raw")}
    return MultilevelPosterior(
        models=scores.models,
        metric=scores.metric,
        higher_is_better=scores.higher_is_better,
        scale=scores.scale,
        datasets=data.datasets,
        n=int(scores.counts[:, [scores.datasets.index(d) for d in data.datasets]].sum()),
        rope=region,
        settings={"prior": data.prior},
        random_seed=seed,
        diagnostics=diagnostics,
        notes=mixed + data.notes + _unlike(draws),
        inference=_inference(scores, data, twins, draws, np.random.default_rng(seed)),
        inference_data=drawn,
    )


def _unlike(draws: dict[str, Floats]) -> tuple[str, ...]:
    """A note where the covariance between datasets is as far from exchangeable as its prior allows."""
    if "df_between" not in draws or (df := float(draws["df_between"].mean())) >= FEW_DF:
        return ()
    return (
        f"the models vary between datasets in very unlike ways (df_between {df:.1f}): shrinking their covariance "
        "overstates how much near-identical models differ; check such pairs with hierarchical_ttest",
    )


def pymc_multilevel_of(scores: Scores, *, prior: str | MultilevelPrior = "pooled", rope: RopeLike | None = None) -> Any:
    """The model of `multilevel` as a `pm.Model`; it does not depend on the rope."""
    return pymc_multilevel(prepare(scores, prior)[0])


def _inference(
    scores: Scores,
    data: Statistics,
    twins: dict[str, tuple[str, float]],
    draws: dict[str, Floats],
    rng: np.random.Generator,
) -> MultilevelDraws:
    """Draws of all models' effects and covariance, and their means on every dataset, those of twins included."""
    fitted = [data.models.index(twins.get(name, (name, 0.0))[0]) for name in scores.models]
    offsets = np.array([twins[name][1] if name in twins else 0.0 for name in scores.models])
    effect = draws["effect"][..., fitted] + offsets
    theta = thetas(data, draws)
    between = draw_between(data, draws, theta, rng)[..., *np.tril_indices(data.m)]
    columns = [scores.datasets.index(name) for name in data.datasets]
    sign = 1.0 if scores.higher_is_better else -1.0
    runs = sign * np.array(scores.values[:, columns])
    counts = np.isfinite(runs).sum(axis=2)
    raw = (np.where(np.isfinite(runs), runs, 0.0).sum(axis=2) / np.where(counts, counts, np.nan)).T
    shrunken, sds = np.empty_like(raw), np.empty_like(raw)
    for d in range(len(data.datasets)):
        deviations = theta[:, :, d] @ data.basis[fitted].T + offsets
        run = np.isfinite(raw[d])
        own = raw[d, run].mean() + deviations - deviations[..., run].mean(axis=-1, keepdims=True)
        shrunken[d], sds[d] = own.mean(axis=(0, 1)), own.std(axis=(0, 1), ddof=1)
    names = [name for name in ("omega", "tau", "df_between", "df_within") if name in draws]
    return MultilevelDraws(
        effect=effect - effect.mean(axis=-1, keepdims=True),
        between=between,
        basis=data.basis[fitted],
        names=tuple(names),
        hyper=np.stack([draws[name] for name in names], axis=-1),
        raw=sign * raw,
        shrunken=sign * shrunken,
        sds=sds,
    )
