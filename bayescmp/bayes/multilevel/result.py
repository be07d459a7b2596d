"""The result of the multilevel model: joint draws of all models' effects, with their pairs and ranks."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp import _compat, sentences
from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.bayes.distributions import Draws, PointMass
from bayescmp.bayes.hdi import hdi
from bayescmp.bayes.multilevel.data import Statistics
from bayescmp.bayes.multilevel.gibbs import SAME_START, Run
from bayescmp.bayes.multilevel.model import PRIORS
from bayescmp.bayes.nuts import Diagnostics, diagnosed
from bayescmp.bayes.posterior import OUTCOMES, BayesianResult
from bayescmp.bayes.ranking.result import RankingPosterior, SampledAbilities
from bayescmp.bayes.regions import RegionInference, RegionPosterior, RegionSummary, sampled_summary
from bayescmp.checks import check_contrast, check_mass, check_pair
from bayescmp.numerics.chains import ess
from bayescmp.numerics.ranks import average_ranks
from bayescmp.numerics.student import student_regions
from bayescmp.rope import Rope, RopeLike, symmetric
from bayescmp.scores.metrics import with_direction
from bayescmp.text import amounts, probability, visible_lines
from bayescmp.values import Value

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
MOST_SHOWN = 15
NEW = "probabilities that the next dataset's difference is better / equivalent / worse"
NORMAL = 1e10
"""Degrees of freedom of a Student t that is a normal."""


@dataclass(frozen=True, eq=False, kw_only=True)
class JointInference(Value):
    """The statistics and the seed, from which our own sampler draws again when asked; or the draws that NUTS made.

    Model i is `data.models[source[i]]` plus `offsets[i]`, `raw` has the mean scores, datasets x models.
    """

    data: Statistics
    source: NDArray[np.int_]
    offsets: Floats
    raw: Floats
    random_seed: int
    chains: int
    draws: int
    tune: int
    stored: dict[str, Floats] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", np.asarray(self.source, dtype=int))
        for name in ("offsets", "raw"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))

    @cached_property
    def _run(self) -> Run:
        return Run(self.data, chains=self.chains, random_seed=self.random_seed)

    def longer(self, draws: int, advance: Callable[[], Any] = lambda: None) -> "JointInference":
        """The same chains with so many other draws: all before are dropped. They go on in the result, not here."""
        run = self._run
        if not self.draws:
            run.extend(self.tune, advance, keep=False)
        run.forget()
        run.extend(draws, advance)
        other = replace(self, tune=self.tune + self.draws, draws=draws)
        other.__dict__["_run"] = self.__dict__.pop("_run")
        return other

    @cached_property
    def drawn(self) -> dict[str, Floats]:
        """Draws by name, in units of `data.unit`."""
        if self.stored is not None:
            return self.stored
        if not self._run.kept:
            self._run.extend(self.tune, keep=False)
            self._run.extend(self.draws)
        return self._run.found()

    @cached_property
    def effect(self) -> Floats:
        """The models' effects around their mean, chains x draws x models."""
        effect = self.data.unit * (self.drawn["mu"] @ self.data.basis.T)[..., self.source] + self.offsets
        return np.asarray(effect - effect.mean(axis=-1, keepdims=True))

    @cached_property
    def hyper(self) -> dict[str, Floats]:
        """The hyperparameters; tau is in the units of the scores."""
        units = {"omega": 1.0, "tau": self.data.unit, "df_between": 1.0, "nu": 1.0}
        return {name: unit * self.drawn[name] for name, unit in units.items() if name in self.drawn}

    def weighted(self, weights: Floats) -> Floats:
        """The contrast of the effects with these weights of all models, chains x draws."""
        return self.effect @ weights

    def spread(self, weights: Floats) -> Floats:
        """The standard deviation (scale) between datasets of such a contrast, chains x draws."""
        along = np.bincount(self.source, weights, len(self.data.models)) @ self.data.basis
        if "tau" in self.drawn:
            return np.asarray(self.data.unit * self.drawn["tau"] * np.sqrt(along @ along))
        variance = np.einsum("i,cnij,j->cn", along, self.drawn["t"], along, optimize=True)
        return np.asarray(self.data.unit * np.sqrt(np.maximum(variance, 0.0)))

    def shrunken(self) -> tuple[Floats, Floats]:
        """The shrunken means of all models on all datasets, and their standard deviations; higher is better."""
        first = [int(np.flatnonzero((self.source == i) & (self.offsets == 0))[0]) for i in range(len(self.data.models))]
        own = self.raw[:, first]
        level = np.nanmean(np.where(self.data.run > 0, own, np.nan), axis=1, keepdims=True)
        means = level + self.data.unit * self.drawn["shrunken"]
        return means[:, self.source] + self.offsets, self.data.unit * self.drawn["sds"][:, self.source]

    def diagnose(self, *draws: Floats) -> Diagnostics:
        """The worst of these draws; by default of the models' effects."""
        nested = self.stored is None and self.chains >= 2 * SAME_START and not self.chains % SAME_START
        return diagnosed(list(draws) or [self.effect], SAME_START if nested else 1)


@dataclass(frozen=True, eq=False)
class PairDraws(RegionInference):
    """One pair of a joint model: delta_0, and sigma_0 and nu of its variation over datasets, chains x draws."""

    delta: Floats
    sigma: Floats
    nu: Floats

    def __post_init__(self) -> None:
        for name in ("delta", "sigma", "nu"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))

    def theta(self, rope: Rope) -> Floats:
        """The probabilities of better, equivalent, worse on the next dataset, chains x draws x 3."""
        return np.stack(student_regions(self.delta, self.sigma, np.minimum(self.nu, NORMAL), rope), axis=-1)

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        return [sampled_summary(self.theta(rope), rope) for rope in ropes]

    def thetas(self, n: int, rope: Rope, random_seed: int | None) -> Floats:
        flat = self.theta(rope).reshape(-1, 3)
        return np.random.default_rng(random_seed or 0).choice(flat, n, replace=n > len(flat))

    def theta_hdi(self, rope: Rope, mass: float) -> list[tuple[float, float]]:
        return [hdi(x, mass) for x in self.theta(rope).reshape(-1, 3).T]

    @property
    def mean(self) -> float:
        return float(self.delta.mean())

    def mean_distribution(self) -> tuple[Floats, Floats]:
        return self.delta.ravel(), np.full(self.delta.size, 1 / self.delta.size)

    def hdi(self, mass: float) -> tuple[float, float]:
        return hdi(self.delta, mass)

    def swap(self) -> "PairDraws":
        return PairDraws(0.0 - self.delta, self.sigma, self.nu)


@dataclass(frozen=True, eq=False)
class JointAbilities(SampledAbilities):
    """The effects of a joint model of so many datasets."""

    datasets: int

    @property
    def measured(self) -> tuple[str, int]:
        return "joint", self.datasets


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MultilevelPosterior(BayesianResult):
    """The result of `multilevel`: joint draws of all models' effects, with pairs, ranks and datasets.

    Attributes
    ----------
    models, datasets : tuple of str
    metric, higher_is_better, scale
        What was measured, its direction, and the scale of the differences.
    n : int
        The number of scores that were used.
    rope : Rope
        Symmetric.
    method, engine, estimand : str
    settings, random_seed, diagnostics, notes, versions
        Whatever else changes the numbers or describes how they were made.

    See Also
    --------
    multilevel : makes one.
    RankingPosterior : what `ranking()` returns.

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.multilevel(bc.load_domains(), rope=1, random_seed=1)
    >>> best = p.ranking().p_best
    >>> max(best, key=best.get)
    'A'
    """

    models: tuple[str, ...]
    inference: JointInference
    method: str = "multilevel model"
    estimand: str = "differences of the models' effects over datasets"

    # ---- pairs and contrasts

    def pair(self, a: str, b: str) -> DifferencePosterior:
        """The difference of the effects of `a` and `b`."""
        return self._difference(self._pair_weights(a, b), a, b)

    def contrast(self, weights: Mapping[str, float]) -> DifferencePosterior:
        """A planned contrast of the effects: the weights of models sum to 0, as in {"rf": 0.5, "gbm": 0.5, "svm": -1}.

        Its A are the models with positive weights, its B those with negative ones. `frequentist.contrast_test` is the
        contrast of the analysis of variance.
        """
        numbers = check_contrast(weights, self.models)
        return self._difference(numbers, *(_side(sign * numbers, self.models) for sign in (1, -1)))

    def new_dataset(self, a: str, b: str) -> RegionPosterior:
        """P(`a` is better, equivalent, or worse than `b` on the next dataset), as in hierarchical_ttest."""
        if not self.inference.data.has_between:
            raise ValueError(f'There is one dataset, "{self.datasets[0]}", which says nothing about the next one.')
        weights = self._pair_weights(a, b)
        delta, sigma = self.inference.weighted(weights), self.inference.spread(weights)
        nu = self.inference.hyper.get("nu", np.full(delta.shape, np.inf))
        return RegionPosterior(
            a=a,
            b=b,
            rope=self.rope,
            inference=PairDraws(delta, sigma, nu),
            **self._shared(delta, sigma) | {"estimand": NEW},
        )

    def pairs_frame(self) -> "pd.DataFrame":
        """One row per pair: the difference of effects with its HDI and probabilities, and P(it is above 0).

        With two datasets or more also the standard deviation between datasets (`sigma`, its posterior mean) and the
        expected shares of new datasets on which the one, none or the other is better.
        """
        from bayescmp.needs import pandas as pd

        rows = []
        for a, b in combinations(self.models, 2):
            p = self.pair(a, b)
            row = p.row() | {"p_positive": p.with_rope(0).p_better}
            if self.inference.data.has_between:
                new = self.new_dataset(a, b)
                row["sigma"] = float(new.inference.sigma.mean())  # type: ignore[attr-defined]
                row |= {f"expected_{name}": x for name, x in zip(OUTCOMES, new.expected.values(), strict=True)}
            rows.append(row)
        return pd.DataFrame(rows).drop(columns=["dataset", "metric"])

    to_frame = pairs_frame

    # ---- all models

    def ranking(self) -> RankingPosterior:
        """Who is best, who is within the rope of the best, who has which rank: by the models' effects."""
        raw = self.inference.raw
        inference = JointAbilities(self.inference.effect, len(self.datasets))
        sign = 1.0 if self.higher_is_better else -1.0
        return RankingPosterior(
            models=self.models,
            rope=self.rope,
            ability="effect",
            inference=inference,
            mean_score=tuple((sign * np.nanmean(raw, axis=0)).tolist()),
            mean_rank=None if np.isnan(raw).any() else tuple(average_ranks(-raw, 0.0).mean(axis=0).tolist()),
            **self._shared()
            | {"estimand": "ranks of the models by their effects over datasets"}
            | {"notes": (*self.notes, *sentences.few_for_p_best(inference.measured))},
        )

    def shrunken_frame(self) -> "pd.DataFrame":
        """One row per dataset and model: its mean score, and the shrunken one with its posterior standard deviation.

        The datasets' own levels are not shrunk: over the models that were run there the two means have the same mean.
        """
        from bayescmp.needs import pandas as pd

        index = pd.MultiIndex.from_product([self.datasets, self.models], names=["dataset", "model"])
        means, sds = self.inference.shrunken()
        sign = 1.0 if self.higher_is_better else -1.0
        columns = {"mean": sign * self.inference.raw, "shrunken": sign * means, "sd": sds}
        return pd.DataFrame({name: x.ravel() for name, x in columns.items()}, index=index)

    def effects_frame(self, mass: float = 0.95) -> "pd.DataFrame":
        """One row per model: its effect against the mean of all (positive is better), with the HDI of this `mass`.

        `mcse` is the Monte-Carlo standard error of the mean.
        """
        from bayescmp.needs import pandas as pd

        return pd.DataFrame(self._summaries(mass)).set_index("model")

    def hyperparameters(self, mass: float = 0.95) -> "pd.DataFrame":
        """Posterior of omega (effects in units of their variation), tau or df_between, and nu; HDI of `mass`.

        They mix more slowly than the effects: `r_hat` and `ess` are their own.
        """
        from bayescmp.needs import pandas as pd

        rows = {}
        for name, x in self.inference.hyper.items():
            found = self.inference.diagnose(x)
            rows[name] = _summary(x, mass) | {"r_hat": found.r_hat, "ess": found.ess_bulk}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("parameter")

    def prior_sensitivity(self) -> "pd.DataFrame":
        """Effects and P(best) of all models under other priors; the first rows are this result."""
        from bayescmp.needs import pandas as pd

        own = self.settings["prior"].name
        frames = [self._under(f"{own} (this result)", self)]
        for name in PRIORS:
            if name != own:
                inference = replace(self.inference, data=self.inference.data.with_prior(name), stored=None)
                if self.inference.stored is not None:
                    inference = replace(inference, tune=inference.draws // 2)
                frames.append(self._under(name, replace(self, inference=inference)))
        return pd.concat(frames, ignore_index=True)

    @staticmethod
    def _under(prior: str, result: "MultilevelPosterior") -> "pd.DataFrame":
        frame = result.effects_frame().reset_index()
        frame.insert(0, "prior", prior)
        ranking = result.ranking()
        return frame.assign(p_best=list(ranking.p_best.values()), p_within_rope=list(ranking.p_within_rope.values()))

    def with_rope(self, rope: RopeLike) -> "MultilevelPosterior":
        """The same posterior with another rope; nothing is computed anew."""
        return replace(self, rope=symmetric(rope))

    def to_arviz(self) -> Any:
        """ArviZ data: the sampler's own where NUTS ran, else the effects and hyperparameters."""
        if self.inference_data is not None:
            return self.inference_data
        return _compat.to_inference_data({"posterior": {"effect": self.inference.effect} | self.inference.hyper})

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """Draw the result, and return the Axes: "shrunken" for the table of means, or a figure of its ranking.

        The options are those of `plots.plot_<kind>`.
        """
        from bayescmp.plots import plot_result

        return plot_result(self, kind, **options)

    def _summarised(self) -> dict[str, Any]:
        return {"effects": {row["model"]: row for row in self._summaries(0.95)}, "p_best": self.ranking().p_best}

    def __repr__(self) -> str:
        what = with_direction(self.metric, self.higher_is_better, self.scale)
        where = f"{len(self.datasets)} datasets" if len(self.datasets) > 1 else f'"{self.datasets[0]}"'
        lines = [
            *self._trouble(),
            f"Multilevel: {len(self.models)} models, {what}, {where}, {self._rope_text()}, "
            f"{self.settings['prior'].name} effects",
        ]
        ranking = self.ranking()
        rows = self._summaries(0.95)
        width, span = max(map(len, self.models)), min(row["hdi_high"] - row["hdi_low"] for row in rows)
        ordered = sorted(rows, key=lambda row: -row["mean"])
        for row in ordered[:MOST_SHOWN]:
            three = (row["mean"], row["hdi_low"], row["hdi_high"])
            mean, low, high = amounts(three, (0.0, span), self.scale, self.higher_is_better)
            lines.append(
                f"  {row['model'].ljust(width)}  effect {mean:>8}  95% HDI [{low}, {high}]  "
                f"P(best) {probability(ranking.p_best[row['model']], ranking.largest_mcse)}"
            )
        if len(ordered) > MOST_SHOWN:
            lines.append(f"  ... and {len(ordered) - MOST_SHOWN} more models; see effects_frame()")
        lines.append(f"  {math.comb(len(self.models), 2)} pairs: pairs_frame(); datasets: shrunken_frame(); ranking()")
        return visible_lines(lines + [f"  note: {note}" for note in self.notes])

    # ---- shared steps

    def _difference(self, weights: Floats, a: str, b: str) -> DifferencePosterior:
        draws = self.inference.weighted(weights)
        constant = np.ptp(draws) <= 1e-12 * np.abs(self.inference.effect).max()
        distribution = PointMass(float(draws.mean())) if constant else Draws(draws)
        return DifferencePosterior(a=a, b=b, rope=self.rope, distribution=distribution, **self._shared(draws))

    def _shared(self, *draws: Floats) -> dict[str, Any]:
        """What a part of the result takes over; the diagnostics are those of its own draws."""
        names = ("metric", "higher_is_better", "scale", "datasets", "method", "engine", "random_seed")
        more = {"n": len(self.datasets), "versions": self.versions, "settings": self.settings, "notes": self.notes}
        own = draws and self.diagnostics is not None and self.inference.stored is None
        more["diagnostics"] = self.inference.diagnose(*draws) if own else self.diagnostics
        return {name: getattr(self, name) for name in names} | {"estimand": self.estimand} | more

    def _summaries(self, mass: float) -> list[dict[str, Any]]:
        effect = self.inference.effect
        return [{"model": name} | _summary(effect[..., i], mass) for i, name in enumerate(self.models)]

    def _pair_weights(self, a: str, b: str) -> Floats:
        check_pair(a, b, self.models)
        return np.array([float(model == a) - (model == b) for model in self.models])


def _summary(draws: Floats, mass: float) -> dict[str, float]:
    low, high = hdi(draws, check_mass(mass))
    sd = float(draws.std(ddof=1))
    mcse = sd / math.sqrt(ess(draws, "mean"))
    return {"mean": float(draws.mean()), "sd": sd, "hdi_low": low, "hdi_high": high, "mcse": mcse}


def _side(weights: Floats, models: tuple[str, ...]) -> str:
    """The models with positive weights, in words."""
    parts = [(w, model) for w, model in zip(weights.tolist(), models, strict=True) if w > 0]
    return " + ".join(model if w == 1 else f"{w:.4g} {model}" for w, model in parts)
