"""What the tests of many models are given: a complete table, blocks (datasets or folds) x models."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.errors import MissingWarning, ScoresError, name_list, warn
from bayescmp.numerics.moments import power_of_two
from bayescmp.scores.arrays import from_arrays
from bayescmp.scores.pair import Pair, as_vector, rounding_of
from bayescmp.scores.resampling import Resampling
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
Table = "Scores | Mapping[str, ArrayLike] | pd.DataFrame | ArrayLike"


@dataclass(frozen=True, kw_only=True, eq=False)
class Blocks:
    """A complete table: every model in every block.

    Attributes
    ----------
    models : tuple of str
    blocks : tuple of str
        The datasets, or the folds of one dataset.
    values : array, blocks x models
        NaN only below the end of a column, where models may have unequal numbers of scores.
    notes : tuple of str
        What was left out.
    """

    models: tuple[str, ...]
    blocks: tuple[str, ...]
    values: Floats
    metric: str | None
    higher_is_better: bool
    scale: str
    datasets: tuple[str, ...]
    resampling: Resampling | None = None
    notes: tuple[str, ...] = ()

    @property
    def oriented(self) -> Floats:
        """The values with the sign that makes higher better."""
        return self.values if self.higher_is_better else -self.values

    @property
    def rounding(self) -> Floats:
        """The rounding error that the values of each block may carry."""
        return rounding_of(np.nanmax(np.abs(self.values), axis=1), self.scale)

    def in_units(self) -> tuple[Floats, Floats]:
        """Oriented values and their rounding over a power of two, so that sums and differences cannot overflow."""
        unit = power_of_two(self.values)
        return self.oriented / unit, self.rounding / unit

    def about(self) -> dict[str, Any]:
        """The fields of a result that tell what was compared."""
        return {
            "models": self.models,
            "metric": self.metric,
            "higher_is_better": self.higher_is_better,
            "scale": self.scale,
            "datasets": self.datasets,
        }


def as_blocks(
    scores: Any,
    *,
    test: str,
    blocks_are: str,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    least_models: int = 2,
    relative: bool = False,
    ragged: bool = False,
) -> Blocks:
    """The complete table that a test of many models was given.

    Parameters
    ----------
    scores : Scores, mapping of model to array, DataFrame (a column a model), or 2-D array (blocks x models)
    test : str
        Its name, for errors.
    blocks_are : "datasets" or "folds"
        Whether the test compares means over datasets, or the folds of one dataset.
    relative : bool
        Whether the test can use the scale "relative", which is made for pairs: ranks within a block can.
    ragged : bool
        Whether models may have unequal numbers of scores, in a mapping; all columns are then filled up with NaN.
    """
    if ragged and isinstance(scores, Mapping):
        scores, sizes = _filled_up(scores)
    else:
        sizes = ()
    scores = as_scores(scores, blocks_are, higher_is_better)
    if scores.scale == "relative" and not relative:
        raise ScoresError(
            f'The scale "relative" is made for pairs of models, but `{test}` compares many by the sizes of their '
            'scores. Use scores.transform("log"), whose differences are relative too.'
        )
    if len(scores.models) < least_models:
        hint = " For two models use wilcoxon_test, which ranks differences over datasets." if least_models == 3 else ""
        raise ScoresError(
            f"`{test}` compares at least {least_models} models, got {len(scores.models)}: {name_list(scores.models)}."
            + hint
        )
    table = _folds(scores, dataset, test) if blocks_are == "folds" else _datasets(scores, test)
    if len(table.blocks) < 2:
        other = "use corrected_ttest on the folds of one dataset." if blocks_are == "datasets" else "give every score."
        what = "test cases" if test == "cochran_q_test" else blocks_are
        raise ScoresError(f"`{test}` needs at least 2 {what}, got {len(table.blocks)}: {other}")
    if sizes:
        values = np.where(np.arange(len(table.blocks))[:, None] < np.array(sizes), table.values, np.nan)
        return replace(table, values=values)
    return table


def about(pair: Pair) -> dict[str, Any]:
    """The fields of a result that tell which two models were compared, and on what."""
    return {
        "models": (pair.a, pair.b),
        "metric": pair.metric,
        "higher_is_better": pair.higher_is_better,
        "scale": pair.scale,
        "datasets": pair.datasets,
    }


def as_scores(table: Any, blocks_are: str, higher_is_better: bool | None) -> Scores:
    """Scores of one metric, from what a test of many models was given."""
    if isinstance(table, Scores):
        if higher_is_better is not None:
            raise ScoresError("Scores know their direction: give `higher_is_better` only with arrays.")
        table.check_one_metric()
        return table
    if isinstance(table, Pair):
        raise ScoresError("A test of many models takes `Scores` or a table of them, got a Pair. Pass scores itself.")
    if hasattr(table, "columns") and hasattr(table, "to_numpy"):
        table = {str(name): np.asarray(table[name]) for name in distinct(table.columns)}
    if not isinstance(table, Mapping):
        array = np.asarray(table)
        if array.ndim != 2:
            raise ScoresError(
                f"Plain scores of many models must be a 2-D array, {blocks_are} x models, or a mapping from model to "
                f"scores; got shape {array.shape}."
            )
        table = {f"model {j + 1}": array[:, j] for j in range(array.shape[1])}
    design = Resampling.independent() if blocks_are == "folds" else None
    return from_arrays(table, resampling=design, higher_is_better=higher_is_better)


def distinct(columns: Any) -> list[Any]:
    """The columns of a frame, if each has a name of its own."""
    names = [str(column) for column in columns]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ScoresError(
            f"Every model must have a column of its own, but {name_list(twice)} is there more than once (names are "
            'compared as text, so 1 and "1" are the same). Rename the columns.'
        )
    return list(columns)


def _filled_up(table: Mapping[Any, Any]) -> tuple[Mapping[Any, Any], tuple[int, ...]]:
    """Columns of one length, the shorter ones filled up with their own first score, and how long each was."""
    columns = {name: as_vector(str(name), x) for name, x in table.items()}
    sizes = tuple(x.size for x in columns.values())
    if len(set(sizes)) < 2:
        return table, ()
    few = [str(name) for name, x in columns.items() if x.size < 2]
    if few:
        raise ScoresError(f"Every model needs at least 2 scores, but {name_list(few)} has 1.")
    return {name: np.append(x, np.full(max(sizes) - x.size, x[0])) for name, x in columns.items()}, sizes


def _datasets(scores: Scores, test: str) -> Blocks:
    """Mean scores, datasets x models, on the datasets where all models were run."""
    check_same_folds(scores)
    ran = scores.counts > 0
    complete = np.asarray(ran.all(axis=0))
    notes: tuple[str, ...] = ()
    datasets, values = scores.datasets, scores.values
    if not complete.all():
        left_out = [name for name, whole in zip(scores.datasets, complete, strict=True) if not whole]
        absent = [m for m, on in zip(scores.models, ran, strict=True) if not on.all()]
        notes = (f"{name_list(left_out, 20)} left out, because {name_list(absent)} did not run there",)
        warn(f"{test}: {notes[0]}; {complete.sum()} datasets remain.", MissingWarning)
        datasets = tuple(name for name, whole in zip(scores.datasets, complete, strict=True) if whole)
        values = values[:, complete]
    means = np.nanmean(values, axis=2).T if datasets else np.empty((0, len(scores.models)))
    return replace(_blocks(scores, datasets, means, datasets), notes=notes)


def check_same_folds(scores: Scores) -> None:
    """Refuse a model that was scored on some folds of a dataset only."""
    sizes, counts = np.array([len(keys) for keys in scores.keys]), scores.counts
    ragged = np.argwhere((counts < sizes) & (counts > 0))
    if ragged.size:
        m, d = ragged[0]
        raise ScoresError(
            f"All models must be scored on the same folds, but `{scores.models[m]}` has {scores.counts[m, d]} of "
            f'{sizes[d]} scores on "{scores.datasets[d]}". Score the missing folds, or drop the dataset with '
            f'scores.drop("{scores.datasets[d]}").'
        )


def _folds(scores: Scores, dataset: str | None, test: str) -> Blocks:
    """The scores of one dataset, folds x models."""
    if dataset is not None:
        scores = scores.select(datasets=[dataset])
    if len(scores.datasets) > 1:
        raise ScoresError(
            f"`{test}` answers for one dataset, but these scores have {len(scores.datasets)}: "
            f'{name_list(scores.datasets)}. Pick one with dataset="{scores.datasets[0]}", or compare over datasets '
            "with friedman_test."
        )
    values = scores.values[:, 0, : len(scores.keys[0])].T
    absent = np.asarray(np.isnan(values).any(axis=0))
    if absent.any():
        names = [m for m, gone in zip(scores.models, absent, strict=True) if gone]
        raise ScoresError(
            f'All models must be scored on the same folds of "{scores.datasets[0]}", but {name_list(names)} lack some. '
            "Score the missing folds, or drop the model."
        )
    folds = tuple(f"repeat {r}, fold {f}" for r, f in scores.keys[0])
    return _blocks(scores, folds, values, scores.datasets)


def _blocks(scores: Scores, blocks: tuple[str, ...], values: Floats, datasets: tuple[str, ...]) -> Blocks:
    return Blocks(
        models=scores.models,
        blocks=blocks,
        values=values,
        metric=scores.metric,
        higher_is_better=scores.higher_is_better,
        scale=scores.scale,
        datasets=datasets,
        resampling=scores.resampling[0] if len(datasets) == 1 else None,
    )
