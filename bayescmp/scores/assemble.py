"""From the columns of a long table to a `Scores`: align resamples, check designs, refuse what does not fit."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.errors import RepeatsWarning, ScoresError, unknown_name, warn
from bayescmp.scores.metrics import higher_is_better as direction
from bayescmp.scores.pair import check_finite
from bayescmp.scores.resampling import Resampling, check_design
from bayescmp.text import one_line

if TYPE_CHECKING:
    from bayescmp.scores.table import Scores

MOST_FOLDS = 20
"""More numbers in a fold column are hardly k-fold cross-validation, but splits counted through."""

MOST_CELLS = 10**9
"""8 GB of scores."""

Designs = Resampling | Mapping[str, Resampling] | None


def from_columns(
    columns: Mapping[str, Sequence[Any]],
    scores: ArrayLike,
    *,
    resampling: Designs = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    notes: tuple[str, ...] = (),
) -> "Scores":
    """Scores from the columns of a long table: model, and where known dataset, repeat, fold, n_train, n_test."""
    score = np.asarray(scores, dtype=float)
    n = score.size
    if n == 0:
        raise ScoresError("The table must have at least one row of scores, got none.")
    labels = {key: [str(value) for value in columns[key]] for key in ("model", "dataset") if key in columns}
    models, m = _codes(labels["model"])
    datasets, d = _codes(labels.get("dataset", ["dataset"] * n))
    row = columns.get("row", range(1, n + 1))
    check_finite(score, lambda i: f'model "{models[m[i]]}", dataset "{datasets[d[i]]}", row {row[i]}')
    repeats, r = _numbered(columns, "repeat", n)
    folds, f = _numbered(columns, "fold", n)
    if "repeat" not in columns and "fold" not in columns:
        cell = m * len(datasets) + d
        f = _position_in_group(cell)
        folds = list(range(1, int(f.max()) + 2))
        if f.max() and resampling is None:
            raise ScoresError(
                f'The table has up to {f.max() + 1} scores of one model on one dataset ("{models[m[f.argmax()]]}" on '
                f'"{datasets[d[f.argmax()]]}"), and nothing that tells them apart: duplicated rows? Add a `fold` '
                "and, if repeated, a `repeat` column, or say resampling=... if rows are in the order of the resamples."
            )
    key = r * len(folds) + f
    values, key_sets = _dense(m, d, key, score, (models, datasets), (repeats, folds))
    keys = tuple(tuple((repeats[k // len(folds)], folds[k % len(folds)]) for k in ks) for ks in key_sets)
    rows = _split_by_group(np.argsort(d, kind="stable"), np.sort(d))
    sizes = _split_sizes(columns, d, key)
    designs = tuple(
        _design(name, keys[i], sizes and (sizes[0][rows[i]], sizes[1][rows[i]]), "fold" in columns, resampling)
        for i, name in enumerate(datasets)
    )
    inferred = dict.fromkeys(f"{r.name} (rho = {r.rho:.3g})" for r in designs if r is not None)
    if resampling is None and inferred and sizes is None:
        notes = (*notes, f"the fold column is taken as {', '.join(inferred)}")
    return finish(
        models=models,
        datasets=datasets,
        values=values,
        keys=keys,
        resampling=designs,
        metric=metric,
        higher_is_better=higher_is_better,
        notes=notes,
    )


def finish(
    *,
    metric: str | None,
    higher_is_better: bool | None,
    notes: tuple[str, ...] = (),
    **fields: Any,
) -> "Scores":
    """The last steps of every way in: the direction, and a warning about repeats that are copies."""
    from bayescmp.scores.table import Scores

    if metric is None and higher_is_better is None:
        notes = (*notes, "no metric was named: taken as scores where higher is better")
    scores = Scores(
        metric=metric,
        higher_is_better=direction(metric, higher_is_better),
        notes=notes,
        **fields,
    )
    for d, name in enumerate(scores.datasets) if scores.values.shape[2] > 3 else ():
        if warn_of_copies(name, scores.keys[d], scores.values[:, d]):
            break
    return scores


def warn_of_copies(dataset: str, keys: Sequence[tuple[int, int]], values: NDArray[np.float64]) -> bool:
    """Warn of repeats that are copies of each other; True where there are."""
    copies = _copied_repeats(keys, values)
    if copies:
        warn(
            f'Repeats {copies[0]} and {copies[1]} on "{dataset}" are exact copies of each other in every model: they '
            "are no repeats, and counting them makes the answer too sure. Reseed the cross-validation for each "
            "repeat, or keep one of them.",
            RepeatsWarning,
        )
    return copies is not None


def _copied_repeats(keys: Sequence[tuple[int, int]], values: NDArray[np.float64]) -> tuple[int, int] | None:
    """The first two repeats with the same scores in every model and fold, if any.

    Three distinct values at least, because two perfect repeats of an easy dataset are alike by rights.
    """
    blocks: dict[bytes, int] = {}
    repeats = np.array([repeat for repeat, _ in keys])
    if len(keys) < 4 or repeats[0] == repeats[-1] or len(set(repeats)) == len(keys):
        return None
    for repeat in np.unique(repeats):
        block = values[:, : len(keys)][:, repeats == repeat]
        if np.unique(block[np.isfinite(block)]).size < 3:
            continue
        earlier = blocks.setdefault(block.tobytes(), int(repeat))
        if earlier != repeat:
            return earlier, int(repeat)
    return None


def describe_keys(keys: Sequence[tuple[int, int]]) -> str:
    """ "repeat 10, folds 1-10" and the like."""
    by_repeat: dict[int, list[int]] = {}
    for repeat, fold in keys:
        by_repeat.setdefault(repeat, []).append(fold)
    parts = []
    for repeat, folds in list(by_repeat.items())[:3]:
        whole = len(folds) > 1 and folds == list(range(folds[0], folds[-1] + 1))
        text = f"{folds[0]}-{folds[-1]}" if whole else ", ".join(map(str, folds[:6]))
        parts.append(f"repeat {repeat}, fold{'s' if len(folds) > 1 else ''} {text}")
    more = len(by_repeat) - len(parts)
    return "; ".join(parts) + (f"; and {more} more repeats" if more > 0 else "")


def _codes(labels: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Distinct labels in order of first appearance, and each row's number among them."""
    first: dict[str, int] = {}
    codes = np.fromiter((first.setdefault(x, len(first)) for x in labels), np.intp, len(labels))
    return tuple(first), codes


def _numbered(columns: Mapping[str, Sequence[Any]], name: str, n: int) -> tuple[list[int], NDArray[np.intp]]:
    """Repeats or folds as whole numbers: their own where they are, else counted in order of appearance."""
    if name not in columns:
        return [1], np.zeros(n, dtype=np.intp)
    labels, codes = _codes([str(value).strip().removesuffix(".0") for value in columns[name]])
    numbers = [int(x) for x in labels if x.lstrip("-").isdigit()]
    if len(numbers) < len(labels):
        return list(range(1, len(labels) + 1)), codes
    order = np.argsort(numbers)
    return [numbers[i] for i in order], np.argsort(order)[codes]


def check_names(kind: str, names: Sequence[str]) -> None:
    """Refuse names that a reader cannot tell apart, such as "rf" and "rf " from two spellings in a table."""
    seen: dict[str, str] = {}
    for name in names:
        looks = one_line(name if name.isascii() else unicodedata.normalize("NFC", name))
        if looks in seen:
            raise ScoresError(
                f"Every {kind} must have a name that can be told from the others, but {seen[looks]!r} and {name!r} "
                "differ only in spaces or invisible characters. Give both the same name, or rename one."
            )
        seen[looks] = name


def _position_in_group(group: NDArray[np.intp]) -> NDArray[np.intp]:
    """0, 1, 2, ... within each group, in the order of the rows."""
    order = np.argsort(group, kind="stable")
    sorted_group = group[order]
    starts = np.r_[True, sorted_group[1:] != sorted_group[:-1]]
    position = np.arange(group.size) - np.maximum.accumulate(np.where(starts, np.arange(group.size), 0))
    result = np.empty_like(position)
    result[order] = position
    return result


def _dense(
    m: NDArray[np.intp],
    d: NDArray[np.intp],
    key: NDArray[np.intp],
    score: NDArray[np.float64],
    names: tuple[tuple[str, ...], tuple[str, ...]],
    numbers: tuple[list[int], list[int]],
) -> tuple[NDArray[np.float64], list[NDArray[np.intp]]]:
    """The models x datasets x resamples array, and the keys of each dataset's resamples."""
    n_keys = int(key.max()) + 1
    cells, inverse = np.unique(d * n_keys + key, return_inverse=True)
    position = _position_in_group(cells // n_keys)[inverse]
    shape = (len(names[0]), len(names[1]), int(position.max()) + 1)
    if shape[0] * shape[1] * shape[2] > MOST_CELLS:
        raise ScoresError(
            f"{shape[0]:,} models x {shape[1]:,} datasets x {shape[2]:,} scores are too many cells for a table, of "
            f"which {score.size:,} are filled. Do `model`, `dataset` and `fold` name the right columns?"
        )
    flat = np.ravel_multi_index((m, d, position), shape)
    _, first, count = np.unique(flat, return_index=True, return_counts=True)
    if (count > 1).any():
        i = first[count.argmax()]
        repeats, folds = numbers
        raise ScoresError(
            f"Every (model, dataset, repeat, fold) must be there once, but {(count > 1).sum()} are duplicated; model "
            f'"{names[0][m[i]]}", dataset "{names[1][d[i]]}", repeat {repeats[key[i] // len(folds)]}, fold '
            f"{folds[key[i] % len(folds)]} is there {count.max()} times. Keep one row each, or pick one metric if the "
            "rows are of different metrics."
        )
    values = np.full(shape, np.nan)
    values.flat[flat] = score
    return values, _split_by_group(cells % n_keys, cells // n_keys)


def _split_by_group(values: NDArray[np.intp], sorted_group: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """One array a group; the groups are 0, 1, 2, ... in this order."""
    return np.split(values, np.flatnonzero(np.diff(sorted_group)) + 1)


def _split_sizes(
    columns: Mapping[str, Sequence[Any]], d: NDArray[np.intp], key: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """The n_train and n_test columns; refused where models were not trained and tested on the same splits."""
    if "n_train" not in columns or "n_test" not in columns:
        return None
    _, split = np.unique(d * (int(key.max()) + 1) + key, return_inverse=True)
    sizes = []
    for name in ("n_train", "n_test"):
        try:
            size = np.array(columns[name], dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ScoresError(f'The column "{name}" must hold numbers of cases in every row.') from None
        first = np.zeros(split.max() + 1)
        first[split] = size
        if not np.array_equal(first[split], size):
            raise ScoresError(
                f"All models must be scored on the same splits, but `{name}` differs between models on the same fold."
            )
        sizes.append(size)
    return sizes[0], sizes[1]


def _design(
    dataset: str,
    keys: tuple[tuple[int, int], ...],
    sizes: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
    has_folds: bool,
    given: Designs,
) -> Resampling | None:
    """The design of one dataset: as given, else from its columns; None where they do not tell."""
    n = len(keys)
    if isinstance(given, Mapping) and dataset not in given:
        raise unknown_name("resampling for dataset", dataset, given)
    design = given[dataset] if isinstance(given, Mapping) else given
    if design is not None:
        check_design(design)
        design.check(n, f'"{dataset}"')
        return design
    folds = sorted({fold for _, fold in keys})
    k, repeats = len(folds), len({repeat for repeat, _ in keys})
    counted = folds in (list(range(k)), list(range(1, k + 1)))
    is_kfold = has_folds and counted and 1 < k <= MOST_FOLDS and n == repeats * k
    if sizes is not None:
        design = Resampling.from_sizes(*sizes)
        if is_kfold and abs(k * design.rho - 1) < 0.2:
            design = Resampling.from_sizes(*sizes, folds=k, repeats=repeats)
        return replace(design, n=n, repeats=repeats if design.kind == "kfold" else n)
    return Resampling.kfold(k, repeats) if is_kfold else None
