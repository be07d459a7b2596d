"""The Bayesian per-instance t-test: two models, a grade on every item of one test set, several samples, clusters.

One number per item, the difference of the two models' means over samples. About items like these, its mean is Student
t, with a cluster-robust scale where items come in clusters; or a Bayesian bootstrap of items or clusters. About these
very items, only the samples are uncertain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bayescmp import _compat, catalogue
from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.bayes.distributions import Distribution, Draws, PointMass, StudentT
from bayescmp.bayes.nuts import check_engine
from bayescmp.bayes.pymc_models import sample_difference
from bayescmp.checks import check_draws, check_switch, checked_seed, is_one_of
from bayescmp.errors import DegenerateWarning, ScoresError, warn
from bayescmp.numerics.clusters import clustered_student
from bayescmp.rope import ROPE, RopeLike
from bayescmp.scores.inputs import in_ropes, item_differences
from bayescmp.scores.pair import Pair

Floats = NDArray[np.float64]
TARGETS = ("population", "benchmark")
FEW_DF = 10
DRAWS = 10_000
NUMBERS_AT_A_TIME = 2**22


def per_instance_ttest(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    rope: RopeLike | Mapping[str, RopeLike] = ROPE,
    clusters: Sequence[Any] | bool | None = None,
    target: str = "population",
    deterministic: bool = False,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    engine: str = "exact",
    draws: int | None = None,
    random_seed: int | None = None,
    **nuts_options: Any,
) -> DifferencePosterior:
    """Posterior of the mean difference of two models over items: grades, several samples per item, clusters.

    Parameters
    ----------
    a : Pair, or array of A's scores
        One score per item.
    b : array of B's scores on the same items, where `a` is an array
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
        The differences that make no practical difference; 0 for none.
    clusters : list, bool or None
        The cluster of each item: items of one passage, dialogue or patient are not independent. None takes those of
        the pair, False ignores them.
    target : "population" or "benchmark"
        Whether the answer is about items like these, of which these are a sample, or about these very items, where
        only the models' own randomness is uncertain. The latter needs at least 2 samples per item.
    deterministic : bool
        With target="benchmark" and one sample per item: the models always give the same answer, so that nothing is
        uncertain.
    dataset : str
        Which test set, where the pair has more than one.
    higher_is_better : bool
        The direction of the scores, where arrays are given; True if not given.
    engine : "exact", "bootstrap" or "nuts"
        Student t; the Bayesian bootstrap of items or clusters, for few or lumpy differences; or NUTS on the model of
        the Student t as a check of it.
    draws, random_seed
        Number of draws of the bootstrap and of the rates of a benchmark (10,000), or per chain of NUTS (1,000); a seed
        is drawn and recorded if not given.
    **nuts_options
        `tune`, `chains`, `cores`, `nuts_sampler`, `target_accept`, `progressbar`.

    Returns
    -------
    DifferencePosterior
        About these trained models. `settings` has the standard error, its degrees of freedom, the design effect of
        the clusters, and the parts of the variance: between items, and within the samples of each model.

    See Also
    --------
    mcnemar_test : exact, for right and wrong.
    bayescmp.frequentist.per_instance_ttest : the frequentist test.

    References
    ----------
    Bell, McCaffrey (2002). Bias reduction in standard errors for linear regression with multi-stage samples. Survey
    Methodology 28. Miller (2024). Adding error bars to evals. arXiv:2411.00640. Rubin (1981). The Bayesian bootstrap.
    Annals of Statistics 9.

    Examples
    --------
    >>> from bayescmp.bayes import per_instance_ttest
    >>> a, b = [0.9, 0.7, 0.8, 0.4, 0.6, 0.9], [0.6, 0.7, 0.5, 0.5, 0.2, 0.7]
    >>> per_instance_ttest(a, b, rope=0.05)
    Posterior: A vs B, score (higher is better), per-instance t-test, 6 items
      P(A better) 0.923   P(equivalent) 0.061   P(B better) 0.016      rope [-0.05, 0.05]
      mean difference 0.18, 95% HDI [-0.02, 0.39]
    """
    if not is_one_of(engine, ("exact", "bootstrap", "nuts")):
        raise ValueError(f'`engine` must be "exact", "bootstrap" or "nuts", got {engine!r}.')
    if not is_one_of(target, TARGETS):
        raise ValueError(f'`target` must be "population" or "benchmark", got {target!r}.')
    check_switch("deterministic", deterministic)
    drawn = engine == "bootstrap" or target == "benchmark"
    if draws is not None and not drawn and engine != "nuts":
        raise ValueError('`draws` is for engine="bootstrap" or "nuts" and target="benchmark". Leave it out.')
    n_draws = check_draws(DRAWS if draws is None else draws) if drawn else 0
    check_engine("exact" if engine == "bootstrap" else engine, "exact", nuts_options, None if drawn else random_seed)
    pair, codes = item_differences(
        a, b, clusters, test="per_instance_ttest", dataset=dataset, higher_is_better=higher_is_better
    )
    pair, region = in_ropes(pair, rope)
    found = _Items.of(pair, codes)
    fields: dict[str, Any] = {}
    notes = found.notes(pair)
    distribution: Distribution
    seed = None
    if target == "benchmark":
        if engine != "exact":
            raise ValueError(f'target="benchmark" has one engine, got engine={engine!r}. Leave it out.')
        distribution, seed, notes = _of_benchmark(pair, found, deterministic, n_draws, random_seed)
    elif found.scale == 0:
        distribution = PointMass(found.mean, float(pair.rounding[0]))
        notes = (f"all {found.n} differences are equal: the answer rests on no variation between items",)
        warn(f"{pair.a} vs {pair.b}: {notes[0]}.", DegenerateWarning)
    elif engine == "bootstrap":
        seed = checked_seed(random_seed)
        distribution = Draws(_bootstrap(pair.differences[0], codes, n_draws, seed)[None])
    elif engine == "nuts":
        options = nuts_options if draws is None else {"draws": draws} | nuts_options
        distribution, fields = sample_difference(_model(found), random_seed, options)
    else:
        distribution = StudentT(found.mean, found.scale, found.df)
    kind = "draws" if isinstance(distribution, Draws) and engine == "exact" else engine
    return DifferencePosterior(
        **pair.about() | {"n": found.n},
        rope=region,
        **catalogue.find("per_instance_ttest", "bayes").words() | _estimand(target),
        engine=kind,
        settings=found.settings(target, pair),
        notes=notes,
        distribution=distribution,
        **{"random_seed": seed} | fields,
    )


@dataclass(frozen=True)
class _Items:
    """What the differences of items come to."""

    n: int
    mean: float
    scale: float
    df: float
    total: float
    within: tuple[float, float] | None
    clusters: int | None

    @classmethod
    def of(cls, pair: Pair, codes: NDArray[np.int_] | None) -> "_Items":
        d = pair.differences[0]
        mean, scale, df = clustered_student(d, codes, float(pair.rounding[0]))
        return cls(
            n=d.size,
            mean=mean,
            scale=scale,
            df=df,
            total=float(np.var(d, ddof=1)),
            within=_within(pair),
            clusters=None if codes is None else int(np.unique(codes).size),
        )

    @property
    def design_effect(self) -> float | None:
        """The variance of the mean, in units of that of as many independent items."""
        return None if self.clusters is None or not self.total else self.scale**2 * self.n / self.total

    @property
    def between(self) -> float | None:
        """The variance of an item's difference that is left with infinitely many samples."""
        return None if self.within is None else max(0.0, self.total - sum(self.within))

    def settings(self, target: str, pair: Pair) -> dict[str, Any]:
        items = pair.items.get(pair.datasets[0])
        text = f"{self.n:,} items" + (f", {items.text}" if items is not None and items.samples is not None else "")
        if self.clusters is not None:
            text = text.partition(", in ")[0]
            text += f", in {self.clusters:,} clusters (df {self.df:.2g}, design effect {self.design_effect or 0:.2g})"
        parts: dict[str, Any] = {}
        if self.within is not None:
            parts = {"total": self.total, "between_items": self.between}
            parts |= {"samples_a": self.within[0], "samples_b": self.within[1]}
        return {
            "target": target,
            "design": text,
            "standard_error": self.scale,
            "df": self.df,
            "clusters": self.clusters,
            "design_effect": self.design_effect,
            "variance": parts or None,
            "scope": _SCOPES[target],
        }

    def notes(self, pair: Pair) -> tuple[str, ...]:
        found = []
        if self.clusters is not None and self.df < FEW_DF:
            found.append(
                f"unequal or few clusters leave {self.df:.2g} degrees of freedom: the scale itself is uncertain"
            )
        if self.within is not None and self.total and self.between is not None:
            share = min(1.0, sum(self.within) / self.total)
            left = (1 - share) ** 0.5
            buy = (
                f"more samples per item would shrink the standard error to {left:.2f} of it at most, before items do"
                if share > 0.5
                else f"buy items: more samples per item would shrink the standard error to {left:.2f} of it at most, "
                "twice the items to 0.71"
            )
            found.append(f"{share:.2f} of the variance of an item's difference comes from its samples: {buy}")
        return tuple(found)


_SCOPES = {
    "population": "these trained models on items like these; training them again may give another difference",
    "benchmark": "these trained models on these very items; other items, or training them again, may give another "
    "difference",
}


def _estimand(target: str) -> dict[str, str]:
    return {} if target == "population" else {"estimand": "mean difference of these trained models on these very items"}


def _within(pair: Pair) -> tuple[float, float] | None:
    """The variance that the samples of A and of B add to an item's difference; None where it cannot be known."""
    items = pair.items.get(pair.datasets[0])
    if items is None or items.samples is None or items.counts is None or items.means is None:
        return None
    more = items.counts - 1
    if not (more > 0).any(axis=1).all():
        return None
    squares = np.nansum(np.square(items.samples - items.means[..., None]), axis=2)
    variance = squares.sum(axis=1) / more.sum(axis=1)
    one, two = (variance * (1 / items.counts).mean(axis=1)).tolist()
    return one, two


def _bootstrap(d: Floats, codes: NDArray[np.int_] | None, draws: int, seed: int) -> Floats:
    """Weighted means with Dirichlet(1, ..., 1) weights on the items, or on the clusters."""
    if codes is None:
        sums, sizes = d, np.ones(d.size)
    else:
        sums, sizes = (np.asarray(np.bincount(codes, x), dtype=float) for x in (d, np.ones(d.size)))
    rng, parts = np.random.default_rng(seed), []
    at_a_time = max(1, NUMBERS_AT_A_TIME // sizes.size)
    for start in range(0, draws, at_a_time):
        weights = rng.standard_exponential((min(at_a_time, draws - start), sizes.size))
        parts.append(weights @ sums / (weights @ sizes))
    return np.concatenate(parts)


# ---- these very items


def _of_benchmark(
    pair: Pair, found: _Items, deterministic: bool, draws: int, random_seed: int | None
) -> tuple[Distribution, int | None, tuple[str, ...]]:
    """The mean difference over these items, of which only the samples are uncertain."""
    items = pair.items.get(pair.datasets[0])
    if items is None or items.samples is None or items.counts is None:
        if not deterministic:
            raise ScoresError(
                'target="benchmark" is about these very items, where only the models\' own randomness is uncertain, '
                "and one answer per item does not show it. Give at least 2 samples per item, or deterministic=True "
                "where a model always gives the same answer."
            )
        note = "deterministic answers to these very items: the difference is known, nothing is uncertain"
        return PointMass(found.mean, float(pair.rounding[0])), None, (note,)
    if deterministic:
        raise ScoresError(
            "`deterministic` is for one sample per item, but there are several: they show the randomness."
        )
    if (items.counts < 2).any():
        raise ScoresError(
            f'target="benchmark" needs at least 2 samples of both models on every item, but {(items.counts < 2).sum()} '
            "have fewer."
        )
    if np.isin(items.samples[np.isfinite(items.samples)], (0.0, 1.0)).all():
        seed = checked_seed(random_seed)
        rng = np.random.default_rng(seed)
        right = np.nansum(items.samples, axis=2)
        means = [_mean_rates(x, n, draws, rng) for x, n in zip(right, items.counts, strict=True)]
        difference = (means[0] - means[1]) * (1 if pair.higher_is_better else -1)
        return Draws(difference[None]), seed, ()
    assert found.within is not None
    scale = (sum(found.within) / found.n) ** 0.5
    if not scale:
        return PointMass(found.mean, float(pair.rounding[0])), None, ("all samples of an item agree, on every item",)
    return StudentT(found.mean, scale, float((items.counts - 1).sum(axis=1).min())), None, ()


def _mean_rates(right: Floats, n: NDArray[np.int_], draws: int, rng: np.random.Generator) -> Floats:
    """Draws of the mean of the items' rates, Beta with a prior that is learnt from all items."""
    alpha, beta = _learnt_prior(right, n)
    at_a_time, parts = max(1, NUMBERS_AT_A_TIME // right.size), []
    for start in range(0, draws, at_a_time):
        size = (min(at_a_time, draws - start), right.size)
        parts.append(rng.beta(alpha + right, beta + n - right, size).mean(axis=1))
    return np.concatenate(parts)


def _learnt_prior(right: Floats, n: NDArray[np.int_]) -> tuple[float, float]:
    """The Beta of the items' rates with the largest beta-binomial likelihood."""
    from scipy.optimize import minimize

    pairs, times = np.unique(np.stack([right, n]), axis=1, return_counts=True)

    def loss(x: Floats) -> float:
        a, b = np.exp(x)
        return -float(times @ (special.betaln(a + pairs[0], b + pairs[1] - pairs[0]) - special.betaln(a, b)))

    mean = np.clip((right.sum() + 0.5) / (n.sum() + 1), 1e-6, 1 - 1e-6)
    best = minimize(loss, np.log([mean, 1 - mean]), method="L-BFGS-B", bounds=[(-12, 12)] * 2)
    a, b = np.exp(best.x)
    return float(a), float(b)


def pymc_per_instance_ttest(
    pair: Pair, *, clusters: Sequence[Any] | bool | None = None, dataset: str | None = None
) -> Any:
    """The mean of the differences ~ N(mu, sigma^2), df s^2/sigma^2 ~ chi2(df), prior 1/sigma."""
    pair, codes = item_differences(pair, None, clusters, test="pymc_model", dataset=dataset, higher_is_better=None)
    return _model(_Items.of(pair, codes))


def _model(found: _Items) -> Any:
    pm = _compat.import_pymc()
    if not found.scale:
        raise ScoresError('All differences are equal, so that there is nothing to sample. Use engine="exact".')
    with pm.Model() as model:
        centred, log_sigma = pm.Flat("centred"), pm.Flat("log_sigma")
        ratio = pm.math.exp(log_sigma)
        pm.Deterministic("difference", found.mean + found.scale * centred)
        pm.Normal("mean", mu=centred, sigma=ratio, observed=0.0)
        pm.Gamma("variance", alpha=found.df / 2, beta=1 / (2 * ratio**2), observed=found.df)
    return model
