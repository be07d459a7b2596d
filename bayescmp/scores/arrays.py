"""Arrays in: `Scores.from_arrays`, and what every way in shares: numbers that are numbers, aligned, without copies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.checks import is_list
from bayescmp.errors import RepeatsWarning, ScoresError, few_words, name_list, shown, warn
from bayescmp.scores.items import items_of_arrays
from bayescmp.scores.metrics import higher_is_better as direction
from bayescmp.scores.overview import check_table
from bayescmp.scores.resampling import Resampling, check_design

if TYPE_CHECKING:
    from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]

NOT_SCORES = {str, bytes, np.str_, np.bytes_}
"""What numpy would turn into numbers, though it is more likely a mistake."""
TRUTH = {bool, np.bool_}
"""These are 1 and 0, but not among other numbers."""


def from_arrays(
    cls: type["Scores"],
    arrays: Mapping[str, ArrayLike],
    *,
    resampling: Resampling | None = None,
    datasets: Sequence[str] | int | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    items: Sequence[str] | None = None,
    clusters: Sequence[str] | None = None,
) -> "Scores":
    """Scores from one array per model.

    Parameters
    ----------
    arrays : mapping of str to array
        1-D with a `resampling`: the resamples of one dataset, repeat-major (repeat 1's folds first), or with
        `Resampling.runs()` its runs, of which models (and datasets, as lists) may have different numbers.
        1-D with `datasets`: one score per dataset. 1-D with neither raises an error, because folds that are treated
        as datasets give a wrong answer. 2-D: datasets x resamples; repeats x folds, where that is what the k-fold
        `resampling` of one dataset makes. With `Resampling.items()` a vector holds one score per item; with
        `Resampling.items(samples=k)` an array is items x samples, with `Resampling.items(runs=r)` items x runs, and
        with both items x runs x samples.
    resampling : Resampling, optional
        The design, the same for all datasets.
    datasets : list of str, or int, optional
        Names of the datasets, or their number: "dataset 1", ...
    metric, higher_is_better
        A known metric name sets the direction; an unknown one, or none, needs `higher_is_better`.
    items, clusters : list of str, optional
        For the items of one dataset: their names, and the group from which each comes (the passage of a question, the
        patient of a case). Items of one group are not independent.

    See Also
    --------
    Scores.from_frame : the same for frames.
    Resampling : the design of the folds.

    Examples
    --------
    >>> from bayescmp import Resampling, Scores
    >>> arrays = {"rf": [0.9, 0.8], "svm": [0.8, 0.8]}
    >>> Scores.from_arrays(arrays, metric="accuracy", resampling=Resampling.kfold(2)).datasets
    ('dataset',)
    >>> Scores.from_arrays(arrays, metric="accuracy", datasets=2).datasets
    ('dataset 1', 'dataset 2')
    """
    if isinstance(arrays, Mapping) and resampling is None and datasets is None:
        _check_not_folds(arrays, metric, higher_is_better)
    if isinstance(resampling, Resampling) and resampling.scheme == "items":
        return _items(cls, arrays, resampling, datasets, metric, higher_is_better, items, clusters)
    if items is not None or clusters is not None:
        raise ScoresError("`items` and `clusters` are for items: give resampling=Resampling.items().")
    return scores_of(
        cls, arrays, resampling=resampling, datasets=datasets, metric=metric, higher_is_better=higher_is_better
    )


def _items(
    cls: type["Scores"],
    arrays: Mapping[str, ArrayLike],
    design: Resampling,
    datasets: Sequence[str] | int | None,
    metric: str | None,
    higher_is_better: bool | None,
    names: Sequence[str] | None,
    clusters: Sequence[str] | None,
) -> "Scores":
    """Scores of items: a vector holds the items of one dataset, an array datasets x items, or items x answers."""
    if not isinstance(arrays, Mapping):
        raise ScoresError(f"`arrays` must map model names to scores, got {type(arrays).__name__}.")
    arrays = {str(name): _zeros_and_ones(x) for name, x in arrays.items()}
    depths = {_depth(name, x) for name, x in arrays.items()}
    runs, samples_each = design.repeats or 1, design.samples or 1
    if runs == samples_each == 1:
        if 2 in depths and datasets is None:
            raise ScoresError(
                "2-D arrays of items may be datasets x items, or items x samples, and samples are not items. Give "
                "datasets=... for the first, resampling=Resampling.items(samples=...) for the second."
            )
        scores = scores_of(
            cls, arrays, resampling=design, datasets=datasets, metric=metric, higher_is_better=higher_is_better
        )
        found = items_of_arrays(scores.values.shape[2], names, clusters)
        return replace(scores, items=dict.fromkeys(scores.datasets, found))
    several = {what: n for what, n in (("runs", runs), ("samples", samples_each)) if n > 1}
    shape, counted = " x ".join(["items", *several]), " and ".join(f"{n} {what}" for what, n in several.items())
    if depths - {len(several) + 1}:
        raise ScoresError(f"With {counted} per item every array must be {shape}, {len(several) + 1}-D.")
    for name, x in arrays.items():
        if np.shape(x)[1:] != tuple(several.values()):
            raise ScoresError(f"Every item must have {counted}, as in the design, got shape {np.shape(x)} of `{name}`.")
    flat = {name: np.reshape(x, (np.shape(x)[0], -1)) if len(several) > 1 else x for name, x in arrays.items()}
    samples = np.stack(list(aligned(flat, False, None).values()))
    found = items_of_arrays(samples.shape[1], names, clusters, samples, runs)
    (dataset,) = dataset_names(datasets, 1, folds=True)
    return finish(
        cls,
        models=tuple(arrays),
        datasets=(dataset,),
        values=np.asarray(found.means)[:, None],
        keys=(numbered_keys(len(found)),),
        resampling=(design,),
        items={dataset: found},
        metric=metric,
        higher_is_better=higher_is_better,
    )


def _zeros_and_ones(values: ArrayLike) -> ArrayLike:
    """Right and wrong as 1 and 0; anything else as it is."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of unequal lengths
        return values
    return array.astype(float) if array.dtype.kind == "b" else values


def numbered_keys(n: int) -> tuple[tuple[int, int], ...]:
    """The keys of n scores without repeats and folds."""
    return tuple((i + 1, 1) for i in range(n))


def _check_not_folds(arrays: Mapping[str, ArrayLike], metric: str | None, higher_is_better: bool | None) -> None:
    """Raise if there are vectors of several scores: nothing shows whether they are folds or datasets."""
    sizes = [len(values) for name, values in arrays.items() if _depth(str(name), values) == 1]  # type: ignore[arg-type]
    n = max(sizes, default=0)
    if n < 2:
        return
    direction(metric, higher_is_better)  # raises first, so that the lines of the message work as they are
    named = (f'metric="{metric}", ' if metric else "") + (
        f"higher_is_better={higher_is_better}, " if higher_is_better is not None else ""
    )
    raise ScoresError(
        f"1-D arrays of {n} scores may be the folds of one dataset, or one score for each of {n} datasets, and the "
        "answers differ. Use one of these lines:\n"
        f"    Scores.from_arrays(arrays, {named}resampling={likely_design(n)})  # the folds of one dataset\n"
        f"    Scores.from_arrays(arrays, {named}datasets={n})  # one score per dataset"
    )


def likely_design(n: int) -> str:
    """A design of n scores, as an example to copy."""
    return f"Resampling.kfold(10, repeats={n // 10})" if n > 10 and n % 10 == 0 else f"Resampling.kfold({n})"


def scores_of(
    cls: type["Scores"],
    arrays: Mapping[str, ArrayLike],
    *,
    resampling: Resampling | None = None,
    datasets: Sequence[str] | int | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
) -> "Scores":
    """Scores from one array per model; vectors are folds with a `resampling`, and one score per dataset without."""
    if not isinstance(arrays, Mapping) or not arrays:
        what = "nothing" if isinstance(arrays, Mapping) else type(arrays).__name__
        raise ScoresError(f"`arrays` must map model names to scores, got {what}.")
    if len({str(m) for m in arrays}) < len(arrays):
        raise ScoresError(f"Every model must have its own name, got {list(arrays)}.")
    check_design(resampling)
    folds = resampling is not None
    named = {str(m): values for m, values in arrays.items()}
    tables = aligned(named, folds, resampling) if resampling is None or resampling.paired else _runs(named)
    n_datasets, n = next(iter(tables.values())).shape
    names = dataset_names(datasets, n_datasets, folds)
    if resampling is not None:
        resampling.check(n, f'"{names[0]}"')
    values = np.stack(list(tables.values()))
    most = np.isfinite(values).any(axis=0).sum(axis=1).tolist()
    keys = resampling.keys if resampling else None
    return finish(
        cls,
        models=tuple(tables),
        datasets=names,
        values=values,
        keys=tuple(keys or numbered_keys(n) for n in most),
        resampling=(resampling,) * n_datasets,
        metric=metric,
        higher_is_better=higher_is_better,
    )


def finish(
    cls: type["Scores"],
    *,
    metric: str | None,
    higher_is_better: bool | None,
    notes: tuple[str, ...] = (),
    **fields: Any,
) -> "Scores":
    """The last steps of every way in: the direction, and what looks wrong although it is a number."""
    scores = cls(metric=metric, higher_is_better=direction(metric, higher_is_better), notes=notes, **fields)
    for d, name in enumerate(scores.datasets) if scores.values.shape[2] > 3 else ():
        if warn_of_copies(name, scores.keys[d], scores.values[:, d]):
            break
    check_table(scores)
    return scores


def warn_of_copies(dataset: str, keys: Sequence[tuple[int, int]], values: Floats) -> bool:
    """Warn of repeats that are copies of each other; True where there are."""
    copies = _copied_repeats(keys, values)
    if copies:
        warn(
            f'Repeats {copies[0]} and {copies[1]} on "{few_words(dataset)}" are exact copies of each other in every '
            "model: they are not repeats, and counting them makes the answer too sure. Reseed the cross-validation for "
            "each repeat, or keep one of them.",
            RepeatsWarning,
        )
    return copies is not None


def _copied_repeats(keys: Sequence[tuple[int, int]], values: Floats) -> tuple[int, int] | None:
    """The first two repeats with the same scores in every model and fold, if any.

    Three distinct values at least, because two perfect repeats of an easy dataset may well be alike.
    """
    repeats, starts = _repeats(tuple(keys))
    begin = values[0][starts].view(np.int64).tolist()
    if len({tuple(each) for each in begin}) == len(repeats):  # none begins like another
        return None
    blocks: dict[bytes, int] = {}
    for repeat, places in repeats:
        block = values[:, places]
        earlier = blocks.setdefault(block.tobytes(), repeat)
        if earlier != repeat and np.unique(block[np.isfinite(block)]).size > 2:
            return earlier, repeat
    return None


@lru_cache(maxsize=64)
def _repeats(keys: tuple[tuple[int, int], ...]) -> tuple[list[tuple[int, NDArray[np.intp]]], NDArray[np.intp]]:
    """The repeats with their places, and the first places of each; none where there is one, or all have one fold."""
    repeats = np.array([repeat for repeat, _ in keys])
    names = sorted({repeat for repeat, _ in keys})
    if len(keys) < 4 or len(names) in (1, len(keys)):
        names = []
    found = [(repeat, np.flatnonzero(repeats == repeat)) for repeat in names]
    few = min((places.size for _, places in found), default=0)
    return found, np.array([places[: min(few, 10)] for _, places in found], dtype=np.intp)


# ---- from what was given to aligned numbers


def aligned(
    arrays: Mapping[str, ArrayLike], folds: bool, resampling: Resampling | None, *, flat: bool = False
) -> dict[str, Floats]:
    """Each model's datasets x resamples, of one shape; a vector is the `folds` of one dataset, or one per dataset.

    With `flat` only one dataset is taken: vectors, or the repeats x folds of the design.
    """
    check_same_index(arrays, "scores")
    depths = {name: _depth(name, values) for name, values in arrays.items()}
    tables = {}
    for name, values in arrays.items():
        if depths[name] == 2:
            _check_plain(name, values)
        if depths[name] == 2 and resampling is not None and np.shape(values) == resampling.repeats_by_folds:
            tables[name] = np.concatenate(
                [as_vector(f"{name}, repeat {i + 1}", run) for i, run in enumerate(np.asarray(values))]
            )[None, :]
        elif depths[name] == 2 and flat:
            runs, k = np.shape(values)
            raise ScoresError(
                f"The scores of `{name}` must be one-dimensional, or the repeats x folds that `resampling` makes, got "
                f"shape ({runs}, {k}). For {runs} repeats of {k} folds give resampling=Resampling.kfold({k}, repeats="
                f"{runs})."
            )
        elif depths[name] != 2:
            vector = as_vector(name, values)
            tables[name] = vector[None, :] if folds else vector[:, None]
        elif not len(rows := np.asarray(values)):
            raise ScoresError(f"The scores of `{name}` are empty.")
        else:
            tables[name] = np.stack([as_vector(f"{name}, dataset {i + 1}", row) for i, row in enumerate(rows)])
    if len({table.shape for table in tables.values()}) > 1:
        sizes = (f"`{m}` has {' x '.join(str(n) for n in t.shape if n > 1) or 1} scores" for m, t in tables.items())
        raise ScoresError(
            f"All models must be scored on the same folds or datasets, in the same order, but {', '.join(sizes)}. "
            "Runs that cannot be paired may differ in number: give resampling=Resampling.runs(), or use welch_ttest."
        )
    return tables


def _runs(arrays: Mapping[str, Any]) -> dict[str, Floats]:
    """Each model's datasets x runs, filled up with NaN: models and datasets may have different numbers of runs."""
    rows: dict[str, list[Floats]] = {}
    for name, values in arrays.items():
        try:
            nested = np.ndim(values) == 2
        except ValueError:  # rows of different lengths
            nested = True
        each = enumerate(values) if nested else ()
        rows[name] = [as_vector(f"{name}, dataset {i + 1}", x) for i, x in each] or [as_vector(name, values)]
    sizes = {name: len(each) for name, each in rows.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"`{name}` has {n}" for name, n in sizes.items())
        raise ScoresError(f"All models must have a row of runs for each dataset, but {listed}.")
    width = max(x.size for each in rows.values() for x in each)
    return {
        name: np.stack([np.append(x, np.full(width - x.size, np.nan)) for x in each]) for name, each in rows.items()
    }


def dataset_names(given: Sequence[str] | int | None, n: int, folds: bool) -> tuple[str, ...]:
    """The names of n datasets: as given, else numbered."""
    if isinstance(given, (int, np.integer)) and not isinstance(given, (bool, np.bool_)):
        if given != n:
            raise ScoresError(f"`datasets` must be the number of datasets, but there are {n}, got {given}.")
        given = None
    if given is None:
        return ("dataset",) if n == 1 and folds else _numbered(n)
    if isinstance(given, bool) or (not is_list(given) and not isinstance(given, str)):
        raise ScoresError(f"`datasets` must be a list of names, or their number, got {given!r}.")
    names = tuple(str(name) for name in ([given] if isinstance(given, str) else given))
    if len(names) != n or len(set(names)) < n:
        raise ScoresError(f"`datasets` must be {n} different names, got {len(names)}: {name_list(names)}.")
    return names


@lru_cache(maxsize=8)
def _numbered(n: int) -> tuple[str, ...]:
    return tuple(f"dataset {i + 1}" for i in range(n))


def check_same_index(arrays: Mapping[str, Any], what: str) -> None:
    """Raise if the indexes of pandas Series differ: `what` they hold would be paired by position."""
    indexes = [x.index for x in arrays.values() if hasattr(x, "index") and hasattr(x, "iloc")]
    if any(not index.equals(indexes[0]) for index in indexes[1:]):
        raise ScoresError(
            f"Series must have the same index in the same order, because {what} are paired by position. Align them "
            "first, or give plain arrays."
        )


def as_vector(name: str, values: ArrayLike) -> Floats:
    """A one-dimensional float array of finite numbers; an error names the place where it is not."""
    _depth(name, values)  # raises where lists have different lengths, before numpy does
    _check_plain(name, values)
    try:
        given = np.asarray(values)
        kinds = set(map(type, given.flat)) if given.dtype.kind == "O" else set()
        numbers = given.dtype.kind not in "USc" and not kinds & NOT_SCORES and (kinds <= TRUTH or not kinds & TRUTH)
        vector = np.array(given, dtype=float) if numbers else None
    except (TypeError, ValueError, OverflowError):
        vector = None
    if vector is None:
        raise ScoresError(f"The scores of `{name}` must be numbers, got {shown(values)}.")
    if vector.ndim != 1:
        raise ScoresError(f"The scores of `{name}` must be one-dimensional, got shape {vector.shape}.")
    if vector.size == 0:
        raise ScoresError(f"The scores of `{name}` are empty: there must be at least 2.")
    check_finite(vector, lambda i: f"`{name}`, position {i}")
    return vector


def _check_plain(name: str, values: ArrayLike) -> None:
    """Raise if these have a mask or imaginary parts, which an array of floats would lose without a word."""
    # a masked array, without importing numpy.ma to see it
    masked = isinstance(values, np.ndarray) and hasattr(values, "mask")
    if masked or getattr(getattr(values, "dtype", None), "kind", "") == "c":
        raise ScoresError(f"The scores of `{name}` must be plain real numbers, got {type(values).__name__}.")


def check_finite(values: Floats, where: Callable[[int], str]) -> None:
    """Raise if a score is NaN or infinite; `where(i)` names the place of the i-th one."""
    if np.isfinite(values).all():
        return
    bad = np.flatnonzero(~np.isfinite(values))
    nan = np.flatnonzero(np.isnan(values))
    if nan.size:
        raise ScoresError(
            f"Scores must be numbers, but {nan.size} of {values.size} are NaN, first at {where(int(nan[0]))}. "
            "scikit-learn writes NaN where a fit or a scorer failed (error_score=nan): look for the cause with "
            'error_score="raise", or leave out the model or the dataset that failed.'
        )
    raise ScoresError(
        f"Scores must be finite, but {bad.size} of {values.size} are infinite, first at {where(int(bad[0]))} "
        f"({values[bad[0]]}). Correct them, or leave out the model or the dataset."
    )


def check_not_huge(values: Floats, most: float) -> None:
    """Raise if sums or squares of the scores would be infinite."""
    if (largest := float(np.nanmax(np.abs(values)))) > most:
        raise ScoresError(f"Scores must be at most {most:g} in size, got {largest:g}. Change their unit.")


def _depth(name: str, values: ArrayLike) -> int:
    try:
        return np.ndim(values)
    except ValueError:
        raise ScoresError(
            f"The scores of `{name}` must be one list of numbers, or lists of one length, but they are lists of "
            "different lengths. Give the same number of resamples on every dataset, or a long table to "
            "Scores.from_frame."
        ) from None
