"""The one door through which every test takes its input: a pair, unpaired runs, a complete table, right and wrong.

Each function takes what people have (a `Pair`, `Scores`, arrays, frames) and returns one value that is aligned,
oriented and complete, or raises an error that names the test. A new design gets one function here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.checks import check_switch, is_list, is_one_of
from bayescmp.errors import MissingWarning, RopeError, ScoresError, name_list, warn
from bayescmp.numerics.clusters import RunsPart, runs_part
from bayescmp.numerics.moments import mean, power_of_two
from bayescmp.numerics.ranks import average_ranks
from bayescmp.rope import Rope, RopeLike, may_be_other_scale, rope_for, symmetric, warn_if_other_scale
from bayescmp.scores.arrays import (
    aligned,
    as_vector,
    check_same_index,
    dataset_names,
    numbered_keys,
    scores_of,
    warn_of_copies,
)
from bayescmp.scores.items import Items, items_of_arrays
from bayescmp.scores.metrics import higher_is_better as direction
from bayescmp.scores.metrics import is_bounded, is_known
from bayescmp.scores.pair import Pair, rounding_of
from bayescmp.scores.resampling import Resampling, check_design, not_paired
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
Right = NDArray[np.bool_]
ORIENTATIONS = ("both right first", "both wrong first")


# ---- two models


def one_dataset(
    a: Pair | Scores | ArrayLike,
    b: ArrayLike | None = None,
    *,
    test: str,
    dataset: str | None = None,
    resampling: Resampling | None = None,
    higher_is_better: bool | None = None,
    least: int = 2,
    runs_of_items: bool = False,
) -> Pair:
    """The pair on one dataset, with at least `least` scores; arrays are the folds of one dataset.

    `dataset` may be left out where there is only one; `test` is the test's name, for errors. Items that several trained
    models answered are refused, unless the test says that it uses `runs_of_items`.
    """
    pair = as_pair(a, b, arrays_are="folds", resampling=resampling, higher_is_better=higher_is_better)
    if not pair.paired:
        raise not_paired(test)
    if dataset is not None:
        pair = pair.select(dataset)
    if len(pair.datasets) > 1:
        raise ScoresError(
            f"`{test}` answers for one dataset, but this pair has {len(pair.datasets)}: {name_list(pair.datasets)}. "
            f'Pick one with dataset="{pair.datasets[0]}", get all with {{d: {test}(pair, dataset=d, ...) for d in '
            "pair.datasets}, or ask about all datasets together with the signed-rank or the hierarchical test."
        )
    if pair.counts[0] < least:
        raise ScoresError(
            f'`{test}` needs at least {least} paired scores, but "{pair.datasets[0]}" has {pair.counts[0]}. Give the '
            "score of every fold."
        )
    if not runs_of_items:
        check_one_run(pair.items.values(), test)
    return pair


def many_datasets(
    a: Pair | Scores | ArrayLike, b: ArrayLike | None = None, *, test: str, higher_is_better: bool | None = None
) -> Pair:
    """The pair on at least two datasets; arrays have one score per dataset."""
    pair = as_pair(a, b, arrays_are="datasets", higher_is_better=higher_is_better)
    if len(pair.datasets) < 2:
        raise ScoresError(
            f"`{test}` needs at least 2 datasets, but {pair.a} vs {pair.b} has {len(pair.datasets)}. "
            + _for_one_dataset(pair.paired)
        )
    return pair


def _for_one_dataset(paired: bool) -> str:
    if paired:
        return "For the folds of one dataset use bayes.correlated_ttest or frequentist.corrected_ttest."
    return "For the runs of one dataset use welch_ttest (bayes or frequentist)."


def as_pair(
    a: Pair | Scores | ArrayLike,
    b: ArrayLike | None = None,
    *,
    arrays_are: str,
    resampling: Resampling | None = None,
    higher_is_better: bool | None = None,
) -> Pair:
    """The pair that a two-model test was given: a `Pair`, a `Scores` of two models, or two arrays.

    `arrays_are` is what the numbers of plain arrays are to this test: "folds" of one dataset, or "datasets".
    """
    if isinstance(a, Scores):
        if len(a.models) != 2:
            raise ScoresError(
                f"A two-model test takes a pair, got scores of {len(a.models)} models: {name_list(a.models)}. Pick "
                'two: scores.pair("' + '", "'.join(a.models[:2]) + '").'
            )
        a = a.pair(*a.models)
    if isinstance(a, Pair):
        if b is not None or higher_is_better is not None:
            raise ScoresError(
                "A pair has both models and their direction: give `b` and `higher_is_better` only with arrays."
            )
        return a if resampling is None else a.with_resampling(resampling)
    if b is None:
        raise ScoresError(f"Give a pair, or two arrays of scores, `a` and `b`; got one {type(a).__name__}.")
    names, folds = model_names(a, b), arrays_are == "folds"
    check_design(resampling)
    one, two = aligned(dict(zip(names, (a, b), strict=True)), folds, resampling, flat=folds).values()
    if resampling is not None:
        resampling.check(one.shape[1], "each array")
        warn_of_copies("dataset", resampling.keys or (), np.concatenate([one, two]))
    return Pair(
        a=names[0],
        b=names[1],
        datasets=dataset_names(None, len(one), folds),
        scores_a=one,
        scores_b=two,
        resampling=(resampling,) * len(one),
        higher_is_better=plain_direction(higher_is_better),
    )


def plain_direction(higher_is_better: bool | None) -> bool:
    """The direction of plain arrays, which have no metric: higher is better unless said otherwise."""
    return direction(None, True if higher_is_better is None else higher_is_better)


def model_names(a: object, b: object) -> tuple[str, str]:
    """The names of two pandas Series, where they have different ones, else A and B."""
    one, two = (getattr(x, "name", None) for x in (a, b))
    return ("A", "B") if one is None or two is None or str(one) == str(two) else (str(one), str(two))


# ---- two models whose runs cannot be paired


@dataclass(frozen=True, kw_only=True, eq=False)
class Unpaired:
    """Scores of two models' independent runs, with nothing to match them by."""

    a: str
    b: str
    scores_a: Floats
    scores_b: Floats
    higher_is_better: bool
    dataset: str = "dataset"
    metric: str | None = None
    scale: str = "score"

    def about(self) -> dict[str, Any]:
        """The fields of a result that name what was compared, apart from the models."""
        return {
            "metric": self.metric,
            "higher_is_better": self.higher_is_better,
            "scale": self.scale,
            "datasets": (self.dataset,),
        }

    @property
    def rounding(self) -> tuple[float, float]:
        """The absolute rounding error that the scores of A and of B may carry."""
        a, b = (float(rounding_of(x, self.scale).max()) for x in (self.scores_a, self.scores_b))
        return a, b

    @property
    def models(self) -> tuple[str, str]:
        """Both names."""
        return self.a, self.b

    @property
    def oriented(self) -> tuple[Floats, Floats]:
        """The scores of A and B with the sign that makes higher better."""
        return (self.scores_a, self.scores_b) if self.higher_is_better else (-self.scores_a, -self.scores_b)

    @property
    def n(self) -> int:
        """The number of runs of both models together."""
        return self.scores_a.size + self.scores_b.size


def unpaired(
    a: Pair | Scores | ArrayLike,
    b: ArrayLike | None,
    *,
    test: str,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    least: int = 2,
) -> Unpaired:
    """Runs that cannot be paired, at least `least` of each model: a pair of `Resampling.runs()`, or two arrays."""
    if isinstance(a, (Pair, Scores)):
        pair = as_pair(a, b, arrays_are="folds", higher_is_better=higher_is_better)
        if pair.paired:
            raise ScoresError(
                f"`{test}` compares runs that cannot be paired, but the scores of this pair belong together. Use a "
                "test of pairs, such as corrected_ttest. If they are independent runs, read them with "
                "resampling=Resampling.runs()."
            )
        pair = pair if dataset is None else pair.select(dataset)
        if len(pair.datasets) > 1:
            raise ScoresError(
                f"`{test}` answers for one dataset, but this pair has {len(pair.datasets)}: "
                f'{name_list(pair.datasets)}. Pick one with dataset="{pair.datasets[0]}", or ask about all datasets '
                "together with the hierarchical test."
            )
        x, y = (scores[0, :n] for scores, n in zip((pair.scores_a, pair.scores_b), pair.runs[:, 0], strict=True))
        runs = Unpaired(
            a=pair.a,
            b=pair.b,
            scores_a=x,
            scores_b=y,
            higher_is_better=pair.higher_is_better,
            dataset=pair.datasets[0],
            metric=pair.metric,
            scale=pair.scale,
        )
    else:
        if b is None:
            raise ScoresError(f"Give two arrays of scores, `a` and `b`; got one {type(a).__name__}.")
        if dataset is not None:
            raise ScoresError("`dataset` picks one of a pair's datasets, but arrays have none. Leave it out.")
        names = model_names(a, b)
        x, y = (as_vector(name, scores) for name, scores in zip(names, (a, b), strict=True))
        up = plain_direction(higher_is_better)
        runs = Unpaired(a=names[0], b=names[1], scores_a=x, scores_b=y, higher_is_better=up)
    check_runs(test, runs.dataset, runs.models, (runs.scores_a.size, runs.scores_b.size), least)
    return runs


def check_runs(test: str, dataset: str, models: Sequence[str], counts: Iterable[int], least: int = 2) -> None:
    """Raise, by name, if a model has fewer than `least` runs on this dataset."""
    for model, n in zip(models, counts, strict=True):
        if n < least:
            raise ScoresError(
                f'`{test}` needs at least {least} scores of each model, but `{model}` has {n} on "{dataset}": nothing '
                "shows its spread. Run it again with other seeds, or leave the model out "
                f'(scores.drop("{model}")).'
            )


# ---- all pairs of models at once


@dataclass(frozen=True, kw_only=True, eq=False)
class ManyPairs:
    """The pairs of a table that has no holes, for a test that answers all of them at once.

    `one` and `two` are the positions of both models of every pair.
    """

    scores: Scores
    rope: Rope
    names: Sequence[tuple[str, str]]
    one: NDArray[np.int_]
    two: NDArray[np.int_]

    @property
    def rounding(self) -> Floats:
        """The absolute rounding error that the differences of every pair may carry, pairs x datasets."""
        errors = np.nanmax(rounding_of(self.scores.values, self.scores.scale), axis=2)
        return np.maximum(errors[self.one], errors[self.two])

    def minus(self, values: Floats) -> Floats:
        """A minus B, oriented as by `Pair.differences`, of every pair; `values` has a row per model."""
        with np.errstate(over="ignore"):
            gap = values[self.one] - values[self.two]
        return gap if self.scores.higher_is_better else 0.0 - gap

    @property
    def means(self) -> Floats:
        """The mean difference of every pair on every dataset, as by `Pair.means`."""
        return np.concatenate([mean(part.minus(self.scores.values)) for part in self.parts()])

    def parts(self, most: int = 2**20) -> "Iterator[ManyPairs]":
        """The same pairs in parts, whose differences are at most so many numbers, or those of one pair."""
        size = max(1, most // max(1, self.scores.values[0].size))
        for start in range(0, len(self.names), size):
            part = slice(start, start + size)
            yield replace(self, names=self.names[part], one=self.one[part], two=self.two[part])


def many_pairs(
    scores: Scores, names: Sequence[tuple[str, str]], rope: RopeLike | Mapping[str, RopeLike]
) -> ManyPairs | None:
    """The pairs, where nothing about them is out of the ordinary; None where a test has to look at each by itself.

    That is where scores are missing, runs cannot be paired, differences are in units of their own, or too large, or
    the rope may be on another scale: the test of a pair then says what is wrong, or warns.
    """
    if not scores.paired or scores.scale == "relative" or isinstance(rope, Mapping):
        return None
    if (scores.counts != [len(keys) for keys in scores.keys]).any():
        return None
    region, largest = Rope.of(rope), np.nanmax(np.abs(scores.values), axis=(1, 2))
    if largest.max() > MOST_ORDINARY or (scores.scale == "score" and may_be_other_scale(region, largest)):
        return None
    at = {model: i for i, model in enumerate(scores.models)}
    one, two = np.array([(at[a], at[b]) for a, b in names]).T
    return ManyPairs(scores=scores, rope=region, names=names, one=one, two=two)


MOST_ORDINARY = 1e100
"""Scores up to which neither differences nor their squares can overflow."""


# ---- many models


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A complete table: every model in every block, where a block is a dataset, or a fold (or case) of one dataset.

    Attributes
    ----------
    models, datasets : tuple of str
    blocks : tuple of str
        The datasets, or the folds of the one dataset.
    values : array, blocks x models
        Scores as given, means over folds where the blocks are datasets. NaN only below the end of a column, where
        models may have unequal numbers of scores.
    rounding : array
        The absolute error that the scores of each block may carry.
    design : Resampling or None
        How the folds of the one dataset were made.
    left_out : tuple of str
        The datasets on which some model was not run.
    items : Items or None
        The items, where the blocks are items.
    notes : tuple of str
        What was left out, in words.
    """

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    blocks: tuple[str, ...]
    values: Floats
    rounding: Floats
    design: Resampling | None
    metric: str | None
    higher_is_better: bool
    scale: str
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    items: Items | None = None

    @property
    def oriented(self) -> Floats:
        """The values with the sign that makes higher better."""
        return self.values if self.higher_is_better else 0.0 - self.values

    @property
    def ranks(self) -> Floats:
        """Blocks x models; 1 is best, ties have the average."""
        return average_ranks(-self.oriented, self.rounding[:, None])

    def in_units(self) -> tuple[Floats, Floats]:
        """Oriented values and their rounding over a power of two, so that sums and differences cannot overflow."""
        unit = power_of_two(self.values)
        return self.oriented / unit, self.rounding / unit

    def about(self) -> dict[str, Any]:
        """The fields of a result that name what was compared."""
        return {
            "models": self.models,
            "metric": self.metric,
            "higher_is_better": self.higher_is_better,
            "scale": self.scale,
            "datasets": self.datasets,
        }

    def standing(self) -> dict[str, Any]:
        """The fields of a ranking: its size, each model's mean score and mean rank (one dataset ranks the means)."""
        one = self.blocks != self.datasets
        ranks = average_ranks(-self.oriented.mean(axis=0), self.rounding.max()) if one else self.ranks.mean(axis=0)
        return {
            "n": len(self.blocks),
            "left_out": self.left_out,
            "mean_score": tuple(mean(self.values.T).tolist()),
            "mean_rank": tuple(ranks.tolist()),
        }


def complete_table(
    scores: Any,
    *,
    test: str,
    blocks_are: str = "datasets",
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    least: int = 2,
    least_models: int = 2,
    relative: bool = False,
    ragged: bool = False,
    plain: bool = True,
    runs_of_items: bool = False,
) -> Table:
    """The complete table that a test of many models was given.

    Parameters
    ----------
    scores : Scores, mapping of model to array, DataFrame (one column per model), or 2-D array (blocks x models)
    test : str
        The test's name, for errors.
    blocks_are : "datasets", "folds" or "cases"
        Whether the test compares means over datasets, or the folds (or test cases) of one dataset. Datasets on which
        a model was not run are left out with a warning.
    dataset : str, optional
        The dataset whose folds are compared, where there are several.
    higher_is_better : bool, optional
        The direction of plain tables.
    least, least_models : int
        The smallest numbers of blocks and of models that the test can use.
    relative : bool
        Whether the test can use the scale "relative": scores are then shares of the mean score of all models.
    ragged : bool
        Whether the models of a mapping, or of runs that cannot be paired, may have unequal numbers of scores; all
        columns are then filled up with NaN.
    plain : bool
        Whether mappings, frames and arrays are taken as well as `Scores`.
    runs_of_items : bool
        Whether the test can use items that several trained models answered.
    """
    if not plain:
        check_scores(scores, test)
    if ragged and isinstance(scores, Scores) and not scores.paired:
        return _table_of_runs(scores, dataset, test)
    scores, sizes = _filled_up(scores) if ragged and isinstance(scores, Mapping) else (scores, ())
    scores = as_scores(scores, blocks_are, higher_is_better)
    if scores.scale == "relative" and not relative:
        raise ScoresError(
            f'The scale "relative" is made for pairs of models, but `{test}` compares many by the sizes of their '
            'scores. Use scores.transform("log"), whose differences are relative too.'
        )
    if len(scores.models) < least_models:
        hint = " For two models use wilcoxon_test, which ranks differences over datasets." if least_models == 3 else ""
        raise ScoresError(
            f"`{test}` needs at least {least_models} models, got {len(scores.models)}: {name_list(scores.models)}."
            + hint
        )
    given = scores.datasets
    notes: tuple[str, ...] = ()
    if blocks_are == "datasets":
        scores, notes = _complete_datasets(scores, test, least)
        blocks = scores.datasets
    else:
        scores = _complete_folds(scores, dataset, test, least, blocks_are)
        if not runs_of_items:
            check_one_run(scores.items.values(), test)
        items = scores.items.get(scores.datasets[0])
        folds = (f"repeat {repeat}, fold {fold}" for repeat, fold in scores.keys[0])
        blocks = items.names if items is not None else tuple(folds)
    values = scores.values
    if scores.scale == "relative":
        values = values / np.nanmean(values, axis=2, keepdims=True).mean(axis=0)
    by_block = values if blocks_are == "datasets" else values[:, 0, : len(blocks), None]
    means = np.ascontiguousarray(np.nanmean(by_block, axis=2).T)
    if sizes:
        means = np.where(np.arange(len(blocks))[:, None] < np.array(sizes), means, np.nan)
    return Table(
        models=scores.models,
        datasets=scores.datasets,
        blocks=blocks,
        values=means,
        rounding=np.nanmax(rounding_of(by_block, scores.scale), axis=(0, 2)),
        design=scores.resampling[0] if len(scores.datasets) == 1 else None,
        metric=scores.metric,
        higher_is_better=scores.higher_is_better,
        scale=scores.scale,
        left_out=tuple(name for name in given if name not in set(scores.datasets)) if notes else (),
        notes=notes,
        items=scores.items.get(scores.datasets[0]) if blocks_are != "datasets" else None,
    )


def check_scores(scores: object, test: str) -> None:
    """Raise if these are not `Scores`."""
    if not isinstance(scores, Scores):
        how = "Make them with Scores.from_arrays, Scores.from_frame or read_scores."
        if isinstance(scores, Pair):
            how = f"For two models of a table: scores.select(models=[{scores.a!r}, {scores.b!r}])."
        raise ScoresError(f"`{test}` takes the Scores of all models, got {type(scores).__name__}. {how}")


def as_scores(table: Any, blocks_are: str, higher_is_better: bool | None) -> Scores:
    """Scores of one metric, from what a test of many models was given."""
    if isinstance(table, Scores):
        if higher_is_better is not None:
            raise ScoresError("Scores have their direction: give `higher_is_better` only with arrays.")
        table.check_one_metric()
        return table
    if isinstance(table, Pair):
        raise ScoresError("A test of many models takes `Scores` or a table of them, got a Pair. Pass scores itself.")
    if hasattr(table, "columns") and hasattr(table, "to_numpy"):
        table = {str(name): np.asarray(table[name]) for name in _distinct(table.columns)}
    if not isinstance(table, Mapping):
        try:
            array = np.asarray(table)
        except ValueError:  # rows of unequal lengths
            array = np.empty(0)
        if array.ndim != 2:
            shape = f"shape {array.shape}" if array.size else "rows of unequal lengths, or none"
            raise ScoresError(
                f"Plain scores of many models must be a 2-D array, {blocks_are} x models, or a mapping from model to "
                f"scores; got {shape}."
            )
        table = {f"model {j + 1}": array[:, j] for j in range(array.shape[1])}
    design = None if blocks_are == "datasets" else Resampling.independent()
    return scores_of(Scores, table, resampling=design, higher_is_better=plain_direction(higher_is_better))


def check_same_folds(scores: Scores) -> None:
    """Raise if a model was scored on only some folds of a dataset; the items of a dataset may differ."""
    sizes, counts = scores.sizes, scores.counts
    folds = np.array([name not in scores.items for name in scores.datasets])
    partial = np.argwhere((counts < sizes) & (counts > 0) & folds)
    if partial.size:
        m, d = partial[0]
        raise ScoresError(
            f"All models must be scored on the same folds, but `{scores.models[m]}` has {counts[m, d]} of "
            f'{sizes[m, d]} scores on "{scores.datasets[d]}". Score the missing folds, or drop the dataset with '
            f'scores.drop("{scores.datasets[d]}").'
        )


def _complete_datasets(scores: Scores, test: str, least: int) -> tuple[Scores, tuple[str, ...]]:
    """The datasets on which all models were run, and a note about the others."""
    check_same_folds(scores)
    ran = scores.counts > 0
    whole = np.asarray(ran.all(axis=0))
    lost = name_list([name for name, kept in zip(scores.datasets, whole, strict=True) if not kept], 20)
    absent = name_list([name for name, on in zip(scores.models, ran, strict=True) if not on.all()])
    n = int(whole.sum())
    if n < (max(least, 2) if lost else least):
        raise ScoresError(
            f"`{test}` needs at least {max(least, 2)} datasets on which all models were run, got {n}. "
            + (
                f"Not run on {lost}: {absent}. Score all models there, or leave out models with scores.drop(...)."
                if lost
                else _for_one_dataset(scores.paired)
            )
        )
    if not lost:
        return scores, ()
    note = f"{lost} left out, because {absent} did not run there"
    warn(f"{test}: {note}; {n} datasets remain.", MissingWarning)
    return scores.select(datasets=[name for name, kept in zip(scores.datasets, whole, strict=True) if kept]), (note,)


def _complete_folds(scores: Scores, dataset: str | None, test: str, least: int, blocks_are: str) -> Scores:
    """The scores of one dataset, on which all models have all folds."""
    if not scores.paired:
        raise not_paired(test)
    if dataset is not None:
        scores = scores.select(datasets=[dataset])
    if len(scores.datasets) > 1:
        raise ScoresError(
            f"`{test}` answers for one dataset, but these scores have {len(scores.datasets)}: "
            f'{name_list(scores.datasets)}. Pick one with dataset="{scores.datasets[0]}", or compare over datasets '
            "with friedman_test."
        )
    check_same_folds(scores)
    absent = [name for name, n in zip(scores.models, scores.counts[:, 0], strict=True) if not n]
    if absent:
        raise ScoresError(
            f'All models must be run on "{scores.datasets[0]}", but {name_list(absent)} has no scores there. Score it, '
            "or drop the model."
        )
    scores = answered_by_all(scores, test)
    n = len(scores.keys[0])
    if n < least:
        what = "test cases" if blocks_are == "cases" else blocks_are
        raise ScoresError(f"`{test}` needs at least {least} {what}, got {n}: give every score.")
    return scores


def answered_by_all(scores: Scores, test: str) -> Scores:
    """The scores of one dataset without the items that some model did not answer, which are reported."""
    (dataset,) = scores.datasets
    items = scores.items.get(dataset)
    if items is None:
        return scores
    n = len(items)
    keep = np.asarray(np.isfinite(scores.values[:, 0, :n]).all(axis=0))
    if keep.all():
        return scores
    if not keep.any():
        raise ScoresError(f'There is no item of "{dataset}" that all {len(scores.models)} models answered.')
    warn(f"{test}: {n - keep.sum():,} of {n:,} items left out, because not all models answered them.", MissingWarning)
    return replace(
        scores,
        values=scores.values[:, :, :n][:, :, keep],
        keys=(numbered_keys(int(keep.sum())),),
        items={dataset: items.where(keep)},
    )


def _table_of_runs(scores: Scores, dataset: str | None, test: str) -> Table:
    """The runs of one dataset, for a test of independent groups."""
    scores.check_one_metric()
    scores = scores if dataset is None else scores.select(datasets=[dataset])
    if len(scores.datasets) > 1:
        raise ScoresError(
            f"`{test}` answers for one dataset, but these scores have {len(scores.datasets)}. Pick one with "
            f'dataset="{scores.datasets[0]}".'
        )
    counts, values = scores.counts[:, 0], scores.values[:, 0]
    check_runs(test, scores.datasets[0], scores.models, counts.tolist())
    values = np.take_along_axis(values, np.argsort(np.isnan(values), axis=1, kind="stable"), axis=1)
    values = values[:, : counts.max()].T
    return Table(
        models=scores.models,
        datasets=scores.datasets,
        blocks=tuple(f"run {i + 1}" for i in range(len(values))),
        values=values,
        rounding=np.nanmax(rounding_of(values, scores.scale), axis=1),
        design=scores.resampling[0],
        metric=scores.metric,
        higher_is_better=scores.higher_is_better,
        scale=scores.scale,
    )


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


def _distinct(columns: Any) -> list[Any]:
    """The columns of a frame, if each has its own name."""
    names = [str(column) for column in columns]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ScoresError(
            f"Every model must have its own column, but {name_list(twice)} is there more than once (names are "
            'compared as text, so 1 and "1" are the same). Rename the columns.'
        )
    return list(columns)


# ---- ropes

Data = TypeVar("Data", Pair, Table)


def in_ropes(data: Data, rope: RopeLike | Mapping[str, RopeLike]) -> tuple[Data, Rope]:
    """The data and the rope; with a rope for each of many datasets, both in units of those ropes."""
    if not isinstance(rope, Mapping) or len(data.datasets) == 1:
        region = rope_for(rope, data.datasets[0])
        if isinstance(data, Table):
            region = symmetric(region)
        if data.scale == "score":
            warn_if_other_scale(region, data.values if isinstance(data, Table) else (data.scores_a, data.scores_b))
        return data, region
    width = np.array([_width(name, rope_for(rope, name)) for name in data.datasets])
    column = width[:, None]
    if isinstance(data, Pair):
        return replace(data, scores_a=data.scores_a / column, scores_b=data.scores_b / column, scale="ropes"), Rope(
            -1, 1
        )
    return replace(data, values=data.values / column, rounding=data.rounding / width, scale="ropes"), Rope(-1, 1)


def _width(dataset: str, rope: Rope) -> float:
    if not (rope.high == -rope.low and 0 < rope.high < np.inf):
        raise RopeError(
            f'Ropes for each dataset must be symmetric, finite and above 0 here, but "{dataset}" has {rope}: '
            "differences are put together in units of their ropes."
        )
    return rope.high


# ---- units

MOST_UNEQUAL = 10.0
"""Typical sizes of unbounded scores that differ by a larger factor between datasets are taken for mixed units."""


def check_units(data: Pair | Table | Scores, test: str, mixed_units: bool) -> tuple[str, ...]:
    """Raise if the datasets' scores are in mixed units, which a test that puts them together cannot use.

    With `mixed_units` a note about it is returned instead. Scales other than "score" have no units, and metrics that
    are shares by their names have the same unit everywhere. Scores without a known name are checked only where they are
    all positive and reach beyond 1: of others it is not known that their size depends on a unit.
    """
    check_switch("mixed_units", mixed_units)
    if data.scale != "score" or len(data.datasets) < 2 or is_bounded(data.metric):
        return ()
    values = _by_dataset(data)
    if not is_known(data.metric) and (np.fmax.reduce(values, axis=None) <= 1 or np.fmin.reduce(values, axis=None) <= 0):
        return ()
    sizes, scored = np.full(len(values), np.nan), np.isfinite(values).any(axis=1)
    sizes[scored] = np.nanmedian(np.abs(values[scored]), axis=1)
    sizes[sizes == 0] = np.nan  # scores of 0 add nothing in any unit
    if np.isnan(sizes).all() or np.nanmax(sizes) / MOST_UNEQUAL <= np.nanmin(sizes):
        return ()
    small, large = np.nanargmin(sizes), np.nanargmax(sizes)
    mixed = (
        f'a typical {data.metric or "score"} is {sizes[small]:.2g} on "{data.datasets[small]}" and {sizes[large]:.2g} '
        f'on "{data.datasets[large]}"'
    )
    if mixed_units:
        return (f"the datasets are in mixed units: {mixed}",)
    raise ScoresError(
        f"`{test}` puts the differences of all datasets together, so they must be in the same unit, but {mixed}. "
        "Compare ratios, here with a rope of 1 %:\n"
        '    compare(scores.transform("log"), rope=0.01)\n'
        "Or give a rope for each dataset, or use the sign test with rope=0, which counts wins. If the unit is the same "
        "on every dataset after all, use mixed_units=True."
    )


def is_of_one_unit(scores: Scores) -> bool:
    """Whether `check_units` has nothing to say of any pair of models, by the smallest and largest scores of all."""
    if scores.scale != "score" or len(scores.datasets) < 2 or is_bounded(scores.metric):
        return True
    sizes = np.abs(scores.values)
    return bool(np.nanmax(sizes) <= MOST_UNEQUAL * np.nanmin(sizes))


def _by_dataset(data: Pair | Table | Scores) -> Floats:
    """All scores, datasets x whatever there is of each; NaN where there is none."""
    if isinstance(data, Pair):
        return np.concatenate([data.scores_a, data.scores_b], axis=1)
    if isinstance(data, Table):
        return data.values
    return data.values.transpose(1, 0, 2).reshape(len(data.datasets), -1)


# ---- right and wrong


def correct_counts(
    right_a: Pair | ArrayLike | None,
    right_b: ArrayLike | None,
    truth: ArrayLike | None,
    table: ArrayLike | None,
    orientation: str | None,
) -> tuple[tuple[str, str], tuple[int, int, int, int]]:
    """The models' names, and on how many cases both were right, only A, only B, both wrong.

    From what `correctness` takes, or a 2 x 2 `table` (rows = A, columns = B) whose first cell `orientation` names.
    """
    if table is None:
        if orientation is not None:
            raise ValueError("`orientation` is for reading a `table`, but none was given.")
        if right_a is None:
            raise ScoresError(
                "Give two vectors of 0 (wrong) and 1 (right), `right_a` and `right_b`, predictions with `truth`, or a "
                "`table`."
            )
        names, a, b = correctness(right_a, right_b, truth)
        return names, counts_of(a, b)
    if right_a is not None or right_b is not None or truth is not None:
        raise ScoresError("Give either the vectors or a `table`, not both.")
    if not is_one_of(orientation, ORIENTATIONS):
        raise ValueError(
            '`orientation` must be "both right first" or "both wrong first": what the first cell of `table` counts '
            f"(rows = A, columns = B; textbooks put both wrong there, mlxtend both right). Got {orientation!r}."
        )
    cells = _two_by_two(table)
    if orientation == "both wrong first":
        cells = cells[::-1, ::-1]
    both_right, only_a, only_b, both_wrong = (int(x) for x in cells.ravel())
    return ("A", "B"), (both_right, only_a, only_b, both_wrong)


def correctness(
    right_a: Pair | ArrayLike, right_b: ArrayLike | None, truth: ArrayLike | None
) -> tuple[tuple[str, str], Right, Right]:
    """The models' names, and where each was right: a pair of 0/1 scores, two 0/1 vectors, or predictions and truth."""
    if isinstance(right_a, Pair):
        if right_b is not None or truth is not None:
            raise ScoresError("A pair has both models: give `right_b` and `truth` only with arrays.")
        pair = one_dataset(right_a, test="mcnemar_test", least=1)
        one, two = (_zero_one(name, x[0]) for name, x in ((pair.a, pair.scores_a), (pair.b, pair.scores_b)))
        return (pair.a, pair.b), one == pair.higher_is_better, two == pair.higher_is_better
    if right_b is None:
        raise ScoresError("Give two vectors, `right_a` and `right_b`; got one.")
    first, second = model_names(right_a, right_b)
    vectors: dict[str, Any] = {first: right_a, second: right_b} | ({} if truth is None else {"truth": truth})
    check_same_index(vectors, "cases")
    read = _zero_one if truth is None else _labels
    arrays = {name: read(name, x) for name, x in vectors.items()}
    sizes = {name: x.size for name, x in arrays.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"`{name}` has {n}" for name, n in sizes.items())
        raise ScoresError(f"The vectors must be about the same test cases in the same order, but {listed}.")
    a, b = arrays[first], arrays[second]
    if truth is None:
        return (first, second), a, b
    labels = arrays["truth"]
    for name, x in ((first, a), (second, b)):
        if (x.dtype.kind in "US") != (labels.dtype.kind in "US"):
            raise ScoresError(
                f"Predictions and `truth` must be labels of one kind, but `{name}` has {x[0]!r} and the truth "
                f"{labels[0]!r}: no prediction could be right. Convert one of them."
            )
    return (first, second), np.asarray(a == labels), np.asarray(b == labels)


def right_of_models(pairs: ManyPairs | None) -> Floats | None:
    """Where each model was right, models x items of one test set, as 0 and 1; None where `right_or_wrong` must look."""
    if pairs is None or len(pairs.scores.datasets) > 1:
        return None
    scores = pairs.scores
    items, values = scores.items.get(scores.datasets[0]), scores.values[:, 0]
    one_answer = items is not None and items.samples is None and items.clusters is None
    if not one_answer or scores.scale != "score" or not ((values == 0) | (values == 1)).all():
        return None
    return values if scores.higher_is_better else 1 - values


def right_or_wrong(
    a: Pair | ArrayLike, b: ArrayLike | None, *, test: str, dataset: str | None, higher_is_better: bool | None
) -> tuple[Pair, tuple[int, int, int, int]]:
    """The pair of 0/1 items of one test set, and on how many both were right, only A, only B, both wrong."""
    pair = one_dataset(a, b, test=test, dataset=dataset, higher_is_better=higher_is_better, least=1)
    check_items(pair, test)
    items = pair.items.get(pair.datasets[0])
    if items is not None and items.samples is not None:
        raise ScoresError(
            f"`{test}` needs one answer per item, but there are {items.text}: their mean is a grade. Use "
            "per_instance_ttest."
        )
    one, two = (_zero_one(name, x[0]) == pair.higher_is_better for name, x in _by_name(pair))
    return pair, counts_of(one, two)


def item_differences(
    a: Pair | ArrayLike,
    b: ArrayLike | None,
    clusters: Any,
    *,
    test: str,
    dataset: str | None,
    higher_is_better: bool | None,
) -> tuple[Pair, NDArray[np.int_] | None]:
    """The pair of graded items of one test set, at least 2, and the number of each item's cluster, if there are any."""
    pair = one_dataset(a, b, test=test, dataset=dataset, higher_is_better=higher_is_better, least=1, runs_of_items=True)
    check_items(pair, test)
    if pair.counts[0] < 2:
        raise ScoresError(f"`{test}` needs at least 2 test cases, got {pair.counts[0]}. Give the score of every case.")
    return pair, cluster_codes(pair, clusters, test)


def check_one_run(items: Iterable[Items], test: str) -> None:
    """Raise if several trained models answered the items, and `test` would average them into the items."""
    for found in items:
        if found.runs > 1:
            raise ScoresError(
                f"`{test}` needs one trained model behind the answers of each, but there are {found.text}: a run moves "
                "all its items at once, so that averaging the runs into the items is too sure. Use per_instance_ttest "
                "on one dataset, or signed_rank_test of the mean scores on many."
            )


def runs_of_items(pair: Pair, codes: NDArray[np.int_] | None) -> tuple[RunsPart, ...]:
    """What the runs of A and of B add to the variance of the mean difference; empty where each was trained once.

    Raises where one of them has one run, which does not show what training it again would change.
    """
    items = pair.items.get(pair.datasets[0])
    if items is None or items.runs == 1:
        return ()
    answers = [items.runs_of(model) for model in (0, 1)]
    for name, other, x in zip((pair.a, pair.b), (pair.b, pair.a), answers, strict=True):
        if x.shape[1] < 2:
            raise ScoresError(
                f'"{other}" was trained several times and "{name}" once, and one run does not show what training it '
                f'again would change. Add runs of "{name}", or give target="models" for an answer about these trained '
                "models."
            )
    return tuple(runs_part(x, codes, float(pair.rounding[0])) for x in answers)


def cluster_codes(pair: Pair, clusters: Any, test: str) -> NDArray[np.int_] | None:
    """The number of each item's cluster: as given, else those of the pair; None where there are none, or False."""
    (dataset,), n = pair.datasets, int(pair.counts[0])
    items = pair.items.get(dataset)
    if clusters is None or clusters is False:
        codes = items.clusters if items is not None and clusters is None else None
    else:
        found = items_of_arrays(n, None, clusters if is_list(clusters) else [clusters])
        codes = found.clusters
    if codes is None:
        return None
    codes = np.unique(codes, return_inverse=True)[1]
    if codes.max() == 0:
        raise ScoresError(
            f'`{test}` needs items of at least 2 clusters, but all {n} items of "{dataset}" are in one, which shows '
            "nothing of how clusters differ. Give clusters=False if the items are independent."
        )
    return codes


def _by_name(pair: Pair) -> tuple[tuple[str, Floats], tuple[str, Floats]]:
    return (pair.a, pair.scores_a), (pair.b, pair.scores_b)


def counts_of(right_a: Right, right_b: Right) -> tuple[int, int, int, int]:
    """On how many cases both were right, only A, only B, both wrong."""
    cells = np.bincount(3 - 2 * right_a.astype(np.intp) - right_b, minlength=4)
    return int(cells[0]), int(cells[1]), int(cells[2]), int(cells[3])


def check_items(pair: Pair, test: str) -> None:
    """Raise if the scores of a pair are those of folds, or on another scale."""
    design = pair.resampling[0]
    if design is not None and design.scheme != "items":
        raise ScoresError(
            f"`{test}` compares the answers to items, but the design of these scores is {design.name}: each is about "
            "many cases. Give the answer to every case, with Resampling.items()."
        )
    if pair.scale != "score":
        raise ScoresError(f'`{test}` compares scores as they are, got the scale "{pair.scale}".')


def correctness_table(right: Any, *, test: str, dataset: str | None = None) -> tuple[Table, Right]:
    """The complete table of 0/1 scores, and where each model was right: cases x models."""
    table = complete_table(right, test=test, blocks_are="cases", dataset=dataset)
    ones = np.stack([_zero_one(name, x) for name, x in zip(table.models, table.values.T, strict=True)], axis=1)
    return table, ones == table.higher_is_better


def _zero_one(name: str, values: ArrayLike) -> Right:
    """Where a model was right, from a vector of 0 and 1 (or False and True)."""
    try:
        is_text = np.asarray(values).dtype.kind in "US"
    except ValueError:
        raise ScoresError(
            f"`{name}` must be a list of 1 (right) and 0 (wrong), got lists of unequal lengths."
        ) from None
    if is_text:
        raise ScoresError(
            f"`{name}` must be 1 (right) or 0 (wrong) for every test case, got text. For predicted labels give the "
            "true ones as well, with `truth`."
        )
    x = as_vector(name, values)
    other = np.flatnonzero((x != 0) & (x != 1))
    if other.size:
        raise ScoresError(
            f"`{name}` must be 1 (right) or 0 (wrong) for every test case, got {x[other[0]]:g} at position "
            f"{other[0]}. For predicted labels give the true ones with `truth`; for scores use corrected_ttest."
        )
    return x == 1


def _labels(name: str, values: ArrayLike) -> NDArray[Any]:
    """A vector of labels, none of them missing."""
    x = np.asarray(values)
    if x.ndim != 1 or not x.size:
        raise ScoresError(f"The labels of `{name}` must be a vector with one entry per test case, got shape {x.shape}.")
    if x.dtype.kind == "O":
        missing = [i for i, label in enumerate(x) if label is None or not bool(np.all(label == label))]
        if not missing and all(isinstance(label, str) for label in x):
            x = x.astype(str)
    else:
        missing = np.flatnonzero(x != x).tolist()
    if missing:
        raise ScoresError(f"`{name}` lacks {len(missing)} of {x.size} labels, first at position {missing[0]}.")
    return x


def _two_by_two(table: ArrayLike) -> Floats:
    try:
        cells = np.asarray(table, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ScoresError(f"`table` must hold 2 x 2 counts, got {table!r}.") from None
    if cells.shape != (2, 2):
        raise ScoresError(f"`table` must be 2 x 2 (rows = A, columns = B), got shape {cells.shape}.")
    if not np.isfinite(cells).all() or (cells < 0).any() or (cells != np.floor(cells)).any() or not cells.any():
        raise ScoresError(f"`table` must hold counts, whole numbers from 0 on and not all 0; got {cells.tolist()}.")
    return cells
