"""The Bayesian per-instance t-test: two models, a grade on every item of one test set, samples, clusters, runs.

One number per item, the difference of the two models' means over runs and samples. About items like these, its mean is
Student t, with a cluster-robust scale where items come in clusters, and with the variance of the runs, which are
crossed with items, where the models were trained several times; or a Bayesian bootstrap of items or clusters. About
these very items, only the models' own randomness is uncertain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bayescmp import _compat, catalogue
from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.bayes.distributions import Distribution, Draws, PointMass, StudentT
from bayescmp.bayes.nuts import check_engine
from bayescmp.bayes.pymc_models import sample_difference
from bayescmp.bayes.welch import difference_of
from bayescmp.checks import check_draws, check_switch, checked_seed, is_one_of
from bayescmp.errors import DegenerateWarning, ScoresError, warn
from bayescmp.numerics.clusters import RunsPart, clustered_student, crossed_student
from bayescmp.rope import ROPE, RopeLike
from bayescmp.scores.inputs import in_ropes, item_differences, runs_of_items
from bayescmp.scores.pair import Pair

Floats = NDArray[np.float64]
TARGETS = ("population", "models", "benchmark")
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
    """Posterior of the mean difference of two models over items: grades, several samples per item, clusters, runs.

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
    target : "population", "models" or "benchmark"
        What the answer is about. "population": items like these, of which these are a sample; and where both models
        were trained several times (runs), models that are trained like these. "models": items like these, but these
        trained models, whether or not there are several of each. "benchmark": these very items, where only the models'
        own randomness is uncertain; this needs at least 2 runs of both models, or 2 samples per item.
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
        `settings` has the standard error, its degrees of freedom, the design effect of clusters and runs, what the
        answer is about (`scope`), and the parts of the variance of the mean difference: those of the items, of the
        runs of each model, of what a run answers differently item by item, and of the samples. A note has what to buy
        next: items, runs or samples.

    Notes
    -----
    Runs of A and of B are not paired. A run moves all its items at once, so a test that averages the runs into the
    items is too sure. Here items and runs are crossed: the variance of the mean comes from the mean squares of the
    items' differences, of the runs' means and of the rest, and its degrees of freedom are Satterthwaite's.

    See Also
    --------
    mcnemar_test : exact, for right and wrong.
    bayescmp.frequentist.per_instance_ttest : the frequentist test.

    References
    ----------
    Bell, McCaffrey (2002). Bias reduction in standard errors for linear regression with multi-stage samples. Survey
    Methodology 28. Cornfield, Tukey (1956). Average values of mean squares in factorials. Annals of Mathematical
    Statistics 27. Miller (2024). Adding error bars to evals. arXiv:2411.00640. Rubin (1981). The Bayesian bootstrap.
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
        raise ValueError(f'`target` must be "population", "models" or "benchmark", got {target!r}.')
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
    found = _Items.of(pair, codes, target)
    fields: dict[str, Any] = {}
    notes = found.notes()
    distribution: Distribution
    seed = None
    if engine == "bootstrap" and found.runs:
        raise ValueError(
            'engine="bootstrap" draws weights for items, but several runs of each model answered them. Leave it out, '
            'or give target="models" for an answer about these trained models.'
        )
    if target == "benchmark":
        if engine != "exact":
            raise ValueError(f'target="benchmark" has one engine, got engine={engine!r}. Leave it out.')
        distribution, seed, notes = _of_benchmark(pair, found, deterministic, n_draws, random_seed)
    elif found.student[0] == 0:
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
        distribution = StudentT(found.mean, *found.student)
    kind = "draws" if isinstance(distribution, Draws) and engine == "exact" else engine
    return DifferencePosterior(
        **pair.about() | {"n": found.n},
        rope=region,
        **catalogue.find("per_instance_ttest", "bayes").words() | _estimand(target, bool(found.runs)),
        engine=kind,
        settings=found.settings(target, pair),
        notes=notes,
        distribution=distribution,
        **{"random_seed": seed} | fields,
    )


@dataclass(frozen=True)
class _Items:
    """What the differences of items come to.

    `scale` and `df` are those of the items, and `runs` is what training again adds; `within` is the variance that the
    samples of A and of B add to the mean difference, None where it cannot be known.
    """

    n: int
    mean: float
    item_scale: float
    item_df: float
    total: float
    within: tuple[float, float] | None
    clusters: int | None
    runs: tuple[RunsPart, ...] = ()

    @classmethod
    def of(cls, pair: Pair, codes: NDArray[np.int_] | None, target: str) -> "_Items":
        d = pair.differences[0]
        mean, scale, df = clustered_student(d, codes, float(pair.rounding[0]))
        return cls(
            n=d.size,
            mean=mean,
            item_scale=scale,
            item_df=df,
            total=float(np.var(d, ddof=1)),
            within=_within(pair),
            clusters=None if codes is None else int(np.unique(codes).size),
            runs=() if target == "models" else runs_of_items(pair, codes),
        )

    @cached_property
    def student(self) -> tuple[float, float]:
        """Scale and degrees of freedom."""
        return crossed_student(self.item_scale, self.item_df, self.runs)

    @property
    def design_effect(self) -> float | None:
        """The variance of the mean, in units of that of as many independent items and of these trained models."""
        known = (self.clusters is not None or self.runs) and self.total
        return self.student[0] ** 2 * self.n / self.total if known else None

    @property
    def parts(self) -> dict[str, float]:
        """The parts of the variance of the mean difference; empty where nothing but the items is known."""
        sampled = dict(zip(("samples_a", "samples_b"), self.within or (), strict=False))
        crossed = [max(0.0, part.crossed - x) for part, x in zip(self.runs, self.within or (0.0, 0.0), strict=False)]
        if not sampled and not self.runs:
            return {}
        found = {"total": self.student[0] ** 2}
        found["items"] = max(0.0, self.item_scale**2 - sum(crossed) - sum(sampled.values()))
        found |= dict(zip(("runs_a", "runs_b"), (part.added for part in self.runs), strict=False))
        return found | dict(zip(("runs_by_items_a", "runs_by_items_b"), crossed, strict=False)) | sampled

    def settings(self, target: str, pair: Pair) -> dict[str, Any]:
        items = pair.items.get(pair.datasets[0])
        text = f"{self.n:,} items" + (f", {items.text}" if items is not None and items.samples is not None else "")
        if self.clusters is not None:
            text = text.partition(", in ")[0] + f", in {self.clusters:,} clusters"
        known = {"target": target, "design": text, "scope": _scope(target, bool(self.runs))}
        if target == "benchmark":  # the items are no sample, so that their spread says nothing
            return known
        scale, df = self.student
        if self.design_effect is not None:
            known["design"] += f" (df {df:.2g}, design effect {self.design_effect:.2g})"
        return known | {
            "standard_error": scale,
            "df": df,
            "clusters": self.clusters,
            "design_effect": self.design_effect,
            "variance": self.parts or None,
        }

    def notes(self) -> tuple[str, ...]:
        found = []
        df = self.student[1]
        if df < FEW_DF and (self.clusters is not None or self.runs):
            few = " and ".join([*(["clusters"] if self.clusters is not None else []), *(["runs"] if self.runs else [])])
            found.append(f"unequal or few {few} leave {df:.2g} degrees of freedom: the scale itself is uncertain")
        if self.parts.get("total"):
            found.append(_what_to_buy(self.parts, "items" if self.clusters is None else "clusters of items"))
        return tuple(found)


def _what_to_buy(parts: Mapping[str, float], items: str) -> str:
    """Where the variance comes from, and what twice as many items, runs or samples would do about it."""

    def of(kind: str) -> float:
        return sum(x for name, x in parts.items() if name.startswith(kind))

    kinds = {items: of("items")} | {kind: of(kind) for kind in ("runs", "samples") if of(kind)}
    total = sum(kinds.values())
    first, *others = sorted(kinds.items(), key=lambda kind: -kind[1])
    if first[1] > 0.995 * total:
        where = f"nearly all of the variance of the mean difference comes from the {first[0]}"
    else:
        where = f"{100 * first[1] / total:.0f} % of the variance of the mean difference comes from the {first[0]}"
        where += "".join(f", {max(100 * x / total, 1):.0f} % from the {kind}" for kind, x in others)
    # what runs answer differently item by item is halved by twice the items and by twice the runs, samples by all three
    halved = kinds | {items: total - of("runs") + of("runs_by_items")}
    if "runs" in kinds:
        halved["runs"] = total - kinds[items]
    left = {kind: (1 - x / total / 2) ** 0.5 for kind, x in halved.items()}
    worth = [kind for kind, x in left.items() if 1 - x > (1 - min(left.values())) / 2]
    effects = [f"{x:.2f} with twice the {kind}" for kind, x in left.items()]
    buy = " or ".join(worth) + (", whichever is cheaper" if worth[1:] else "")
    return f"{where}; the standard error would shrink by a factor of {', '.join(effects)}: buy {buy}"


def _scope(target: str, retrained: bool) -> str:
    """What the answer is about, and what it is not."""
    models = "models that are trained like these" if retrained else "these trained models"
    items = "these very items" if target == "benchmark" else "items like these"
    other = [*(["other items"] if target == "benchmark" else []), *([] if retrained else ["training them again"])]
    return f"{models} on {items}" + (f"; {' or '.join(other)} may give another difference" if other else "")


def _estimand(target: str, retrained: bool) -> dict[str, str]:
    if target != "benchmark" and not retrained:
        return {}
    return {"estimand": f"mean difference of {_scope(target, retrained).partition(';')[0]}"}


def _within(pair: Pair) -> tuple[float, float] | None:
    """The variance that the samples of A and of B add to the mean difference; None where it cannot be known."""
    items = pair.items.get(pair.datasets[0])
    if items is None or items.answers is None or items.by_run is None or items.answers.shape[3] == 1:
        return None
    counts = np.isfinite(items.answers).sum(axis=3)
    more = np.maximum(counts - 1, 0)
    if not (more > 0).any(axis=(1, 2)).all():
        return None
    squares = np.nansum(np.square(items.answers - items.by_run[..., None]), axis=(1, 2, 3))
    variance = squares / more.sum(axis=(1, 2))
    inverse = np.where(counts, 1 / np.maximum(counts, 1), 0.0).sum(axis=(1, 2))
    one, two = (variance * inverse / np.square((counts > 0).sum(axis=(1, 2)))).tolist()
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
    """The mean difference over these items, of which only the runs or the samples are uncertain."""
    items = pair.items.get(pair.datasets[0])
    if found.runs:
        if deterministic:
            raise ScoresError("`deterministic` is for models that were trained once, but there are several runs.")
        scales, dfs = [part.between**0.5 for part in found.runs], [part.runs - 1 for part in found.runs]
        return difference_of(found.mean, scales, dfs, float(pair.rounding[0])), None, ()
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
    scale = sum(found.within) ** 0.5
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
    return _model(_Items.of(pair, codes, "population"))


def _model(found: _Items) -> Any:
    pm = _compat.import_pymc()
    scale, df = found.student
    if not scale:
        raise ScoresError('All differences are equal, so that there is nothing to sample. Use engine="exact".')
    with pm.Model() as model:
        centred, log_sigma = pm.Flat("centred"), pm.Flat("log_sigma")
        ratio = pm.math.exp(log_sigma)
        pm.Deterministic("difference", found.mean + scale * centred)
        pm.Normal("mean", mu=centred, sigma=ratio, observed=0.0)
        pm.Gamma("variance", alpha=df / 2, beta=1 / (2 * ratio**2), observed=df)
    return model
