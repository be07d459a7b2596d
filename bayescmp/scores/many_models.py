"""What the analyses of many models are given: every model on the same datasets, oriented, a rope on their scale."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.errors import MissingWarning, RopeError, ScoresError, name_list, warn
from bayescmp.numerics.ranks import average_ranks
from bayescmp.rope import Rope, RopeLike, rope_for, symmetric, warn_if_other_scale
from bayescmp.scores.pair import rounding_of
from bayescmp.scores.resampling import Resampling
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """Scores of every model on the same datasets, turned so that higher is better.

    `means` is datasets x models, `folds` datasets x resamples x models; `rounding` is the absolute error that the
    scores of each dataset may carry; `raw_means` are the mean scores as they were given.
    """

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    folds: Floats
    means: Floats
    raw_means: Floats
    rounding: Floats
    resampling: tuple[Resampling | None, ...]
    metric: str | None
    higher_is_better: bool
    scale: str

    @property
    def ranks(self) -> Floats:
        """Datasets x models; 1 is best, ties have the average."""
        return average_ranks(-self.means, self.rounding[:, None])

    def about(self) -> dict[str, Any]:
        """The fields of a result that tell what was compared."""
        return {
            "models": self.models,
            "metric": self.metric,
            "higher_is_better": self.higher_is_better,
            "scale": self.scale,
            "datasets": self.datasets,
            "n": len(self.datasets),
            "mean_score": tuple(self.raw_means.mean(axis=0).tolist()),
            "mean_rank": tuple(self.ranks.mean(axis=0).tolist()),
        }


def complete_table(
    scores: Scores, rope: RopeLike | Mapping[str, RopeLike], test: str, *, least: int = 1
) -> tuple[Table, Rope]:
    """The datasets on which all models were run, and the rope; datasets with a gap are left out with a warning.

    With a rope for each dataset, scores and rope are in units of those ropes. On the "relative" scale scores are
    shares of the mean score of all models on their dataset.
    """
    check_scores(scores, test)
    scores.check_one_metric()
    if len(scores.models) < 2:
        raise ScoresError(f'`{test}` needs at least 2 models, got only "{scores.models[0]}".')
    keep = _complete(scores, test, least)
    values = scores.values[:, keep]
    values = values[:, :, np.isfinite(values).any(axis=(0, 1))]
    if scores.scale == "relative":
        values = values / np.nanmean(values, axis=(0, 2), keepdims=True)
    datasets = tuple(scores.datasets[d] for d in keep)
    rounding, scale = rounding_of(np.nanmax(np.abs(values), axis=(0, 2)), scores.scale), scores.scale
    if isinstance(rope, Mapping) and len(datasets) > 1:
        region, scale = Rope(-1, 1), "ropes"
        width = _widths(rope, datasets)
        values, rounding = values / width[:, None], rounding / width
    else:
        region = symmetric(rope_for(rope, datasets[0]))
        if scale == "score":
            warn_if_other_scale(region, values)
    folds = np.moveaxis(values if scores.higher_is_better else 0.0 - values, 0, 2)
    table = Table(
        models=scores.models,
        datasets=datasets,
        folds=folds,
        means=np.nanmean(folds, axis=1),
        raw_means=np.nanmean(values, axis=2).T,
        rounding=rounding,
        resampling=tuple(scores.resampling[d] for d in keep),
        metric=scores.metric,
        higher_is_better=scores.higher_is_better,
        scale=scale,
    )
    return table, region


def check_scores(scores: object, test: str) -> None:
    """Refuse what are no `Scores`."""
    if not isinstance(scores, Scores):
        raise ScoresError(
            f"`{test}` takes the Scores of all models, got {type(scores).__name__}. Make them with "
            "Scores.from_arrays, Scores.from_frame or read_scores."
        )


def _complete(scores: Scores, test: str, least: int) -> list[int]:
    """The datasets on which every model has every fold."""
    counts, sizes = scores.counts, np.array([len(keys) for keys in scores.keys])
    partial = np.argwhere((counts > 0) & (counts < sizes))
    if partial.size:
        m, d = partial[0]
        raise ScoresError(
            f"All models must be scored on the same folds, but `{scores.models[m]}` has {counts[m, d]} of {sizes[d]} "
            f'scores on "{scores.datasets[d]}". Score the missing folds, or drop the dataset with '
            f'scores.drop("{scores.datasets[d]}").'
        )
    missing = counts == 0
    gone, keep = np.flatnonzero(missing.any(axis=0)), np.flatnonzero(~missing.any(axis=0))
    models = name_list([scores.models[m] for m in np.flatnonzero(missing.any(axis=1))])
    names = name_list([scores.datasets[d] for d in gone], 20)
    if keep.size < (max(least, 2) if gone.size else least):
        problem = f" {models} not run on {names}." if gone.size else ""
        raise ScoresError(
            f"`{test}` needs at least 2 datasets on which all models were run, got {keep.size}.{problem} Score all "
            "models there, or leave out models with scores.drop(...)."
        )
    if gone.size:
        warn(
            f"{names} left out, because not all models were run there (missing: {models}); {keep.size} datasets "
            "remain.",
            MissingWarning,
        )
    return [int(d) for d in keep]


def _widths(rope: Mapping[str, RopeLike], datasets: tuple[str, ...]) -> Floats:
    ropes = [symmetric(rope_for(rope, name)) for name in datasets]
    for name, r in zip(datasets, ropes, strict=True):
        if not 0 < r.high < np.inf:
            raise RopeError(
                f'Ropes for each dataset must be finite and above 0 here, but "{name}" has {r}: scores are put '
                "together in units of their ropes."
            )
    return np.array([r.high for r in ropes])
