"""The result of the multilevel model: joint draws of all models' effects, with their pairs and ranks."""

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp import _compat
from bayescmp.bayes.hdi import hdi
from bayescmp.bayes.posterior import BayesianResult
from bayescmp.bayes.ranking.result import RankingPosterior, SampledAbilities
from bayescmp.bayes.regions import RegionInference, RegionPosterior, RegionSummary, sampled_summary
from bayescmp.checks import check_mass, is_one_of
from bayescmp.errors import unknown_name
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
NORMAL = 1e10
"""Degrees of freedom of a Student t that is a normal."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MultilevelDraws(Value):
    """What NUTS drew, chains x draws: effects; the covariance between datasets (lower triangle, in contrasts)."""

    effect: Floats
    between: Floats
    basis: Floats
    names: tuple[str, ...]
    hyper: Floats
    raw: Floats
    shrunken: Floats
    sds: Floats

    def pair(self, i: int, j: int) -> "PairDraws":
        """The difference of two models' effects, and its standard deviation between datasets."""
        rows, columns = np.tril_indices(self.basis.shape[1])
        contrast = self.basis[i] - self.basis[j]
        weights = np.where(rows == columns, 1.0, 2.0) * contrast[rows] * contrast[columns]
        variance = np.maximum(self.between @ weights, 0.0)
        return PairDraws(self.effect[..., i] - self.effect[..., j], np.sqrt(variance))


@dataclass(frozen=True, eq=False)
class PairDraws(RegionInference):
    """One pair of a joint model: delta_0, and sigma_0 of its normal variation over datasets, chains x draws."""

    delta: Floats
    sigma: Floats

    def __post_init__(self) -> None:
        for name in ("delta", "sigma"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))

    def theta(self, rope: Rope) -> Floats:
        """The probabilities of better, equivalent, worse on the next dataset, chains x draws x 3."""
        return np.stack(student_regions(self.delta, self.sigma, NORMAL, rope), axis=-1)

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
        return PairDraws(0.0 - self.delta, self.sigma)


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
    >>> p = bc.bayes.multilevel(bc.load_uci(), rope=0.01, random_seed=1)  # doctest: +SKIP
    >>> p.pair("rf", "svm"), p.ranking()  # doctest: +SKIP
    """

    models: tuple[str, ...]
    inference: MultilevelDraws
    method: str = "multilevel model"
    engine: str = "nuts"
    estimand: str = "differences of the models' effects; probabilities of better / equivalent / worse on a new dataset"

    def pair(self, a: str, b: str) -> RegionPosterior:
        """The joint model's result for `a` and `b`, in the form of hierarchical_ttest."""
        return RegionPosterior(
            a=a,
            b=b,
            rope=self.rope,
            inference=self.inference.pair(self._index(a), self._index(b)),
            estimand="probabilities that the next dataset's difference is better / equivalent / worse",
            **self._shared(),
            settings=self.settings,
            notes=self.notes,
        )

    def pairs_frame(self) -> "pd.DataFrame":
        """One row per pair: difference of the effects with HDI, P(it is above 0), theta's winner, expected shares."""
        import pandas as pd

        rows = []
        for a, b in combinations(self.models, 2):
            p = self.pair(a, b)
            positive = student_regions(p.inference.delta, 0.0, NORMAL, Rope(0, 0))[0].mean()  # type: ignore[attr-defined]
            rows.append({**p.row(), "p_positive": float(positive)})
        return pd.DataFrame(rows).drop(columns=["dataset", "metric"])

    def contrasts(self, rope: RopeLike | None = None) -> "pd.DataFrame":
        """`pairs_frame()`, with another rope if one is given."""
        return (self if rope is None else self.with_rope(rope)).pairs_frame()

    to_frame = pairs_frame

    def ranking(self) -> RankingPosterior:
        """Who is best, who is within the rope of the best, who has which rank: by the models' effects."""
        raw = self.inference.raw
        complete = not np.isnan(raw).any()
        sign = 1.0 if self.higher_is_better else -1.0
        return RankingPosterior(
            models=self.models,
            rope=self.rope,
            estimand="ranks of the models by their effects over datasets",
            ability="effect",
            inference=SampledAbilities(self.inference.effect),
            mean_score=tuple(np.nanmean(raw, axis=0).tolist()),
            mean_rank=tuple(average_ranks(-sign * raw, 0.0).mean(axis=0).tolist()) if complete else None,
            **self._shared(),
            settings=self.settings,
            notes=self.notes,
        )

    def shrunken_frame(self) -> "pd.DataFrame":
        """One row per dataset and model: its mean score, and the shrunken one with its posterior standard deviation.

        The datasets' own levels are not shrunk: over the models that were run there the two means have the same mean.
        """
        import pandas as pd

        index = pd.MultiIndex.from_product([self.datasets, self.models], names=["dataset", "model"])
        columns = {"mean": self.inference.raw, "shrunken": self.inference.shrunken, "sd": self.inference.sds}
        return pd.DataFrame({name: x.ravel() for name, x in columns.items()}, index=index)

    def effects_frame(self, mass: float = 0.95) -> "pd.DataFrame":
        """One row per model: its effect against the mean of all (positive is better), with the HDI of this `mass`."""
        import pandas as pd

        return pd.DataFrame(self._summaries(self.models, self.inference.effect, mass)).set_index("model")

    def hyperparameters(self, mass: float = 0.95) -> "pd.DataFrame":
        """Posterior of omega and tau (spread of effects, of datasets) and of the covariances' df; HDI of `mass`."""
        import pandas as pd

        rows = self._summaries(self.inference.names, self.inference.hyper, mass)
        return pd.DataFrame(rows).rename(columns={"model": "parameter"}).set_index("parameter")

    def with_rope(self, rope: RopeLike) -> "MultilevelPosterior":
        """The same posterior with another rope; nothing is computed anew."""
        return replace(self, rope=symmetric(rope))

    def to_arviz(self) -> Any:
        """ArviZ data: the sampler's own; after a trip through JSON, the effects."""
        if self.inference_data is not None:
            return self.inference_data
        return _compat.to_inference_data({"posterior": {"effect": self.inference.effect}})

    def _summarised(self) -> dict[str, Any]:
        return {"effects": dict(zip(self.models, self.inference.effect.mean(axis=(0, 1)).tolist(), strict=True))}

    def __repr__(self) -> str:
        what = with_direction(self.metric, self.higher_is_better, self.scale)
        lines = [
            *self._trouble(),
            f"Multilevel: {len(self.models)} models, {what}, "
            f"{len(self.datasets)} datasets, {self._rope_text()}, {self.settings['prior'].name} effects",
        ]
        best = self.ranking().p_best
        rows = self._summaries(self.models, self.inference.effect, 0.95)
        width, span = max(map(len, self.models)), min(row["hdi_high"] - row["hdi_low"] for row in rows)
        ordered = sorted(rows, key=lambda row: -row["mean"])
        for row in ordered[:MOST_SHOWN]:
            three = (row["mean"], row["hdi_low"], row["hdi_high"])
            mean, low, high = amounts(three, (0.0, span), self.scale, self.higher_is_better)
            lines.append(
                f"  {row['model'].ljust(width)}  effect {mean:>8}  95% HDI [{low}, {high}]  "
                f"P(best) {probability(best[row['model']], 0.002)}"
            )
        if len(ordered) > MOST_SHOWN:
            lines.append(f"  ... and {len(ordered) - MOST_SHOWN} more models; see effects_frame()")
        lines.append(f"  {math.comb(len(self.models), 2)} pairs: pairs_frame(); datasets: shrunken_frame(); ranking()")
        return visible_lines(lines + [f"  note: {note}" for note in self.notes])

    def _shared(self) -> dict[str, Any]:
        names = ("metric", "higher_is_better", "scale", "datasets", "method", "engine", "random_seed", "diagnostics")
        return {name: getattr(self, name) for name in names} | {"n": len(self.datasets), "versions": self.versions}

    def _summaries(self, names: tuple[str, ...], draws: Floats, mass: float) -> list[dict[str, Any]]:
        check_mass(mass)
        rows = []
        for i, name in enumerate(names):
            low, high = hdi(draws[..., i], mass)
            mean, sd = float(draws[..., i].mean()), float(draws[..., i].std(ddof=1))
            rows.append({"model": name, "mean": mean, "sd": sd, "hdi_low": low, "hdi_high": high})
        return rows

    def _index(self, model: str) -> int:
        if not is_one_of(model, self.models):
            raise unknown_name("model", model, self.models)
        return self.models.index(model)
