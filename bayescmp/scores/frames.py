"""Frames in, long or wide: find the columns, align the resamples, infer the design."""

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.checks import is_list, is_one_of
from bayescmp.errors import ScoresError, name_list, unknown_name
from bayescmp.scores.arrays import check_finite, dataset_names, finish, likely_design, numbered_keys
from bayescmp.scores.items import Items, label
from bayescmp.scores.metrics import check_metric, is_known
from bayescmp.scores.resampling import Resampling, check_design

if TYPE_CHECKING:
    from bayescmp.scores.table import Scores

Columns = dict[str, list[Any]]
Designs = Resampling | Mapping[str, Resampling] | None
Table = tuple[str | None, Mapping[str, Sequence[Any]], NDArray[np.float64]]
"""A metric's name, its label columns, its scores."""
Sizes = tuple[NDArray[np.float64], NDArray[np.float64]]
"""n_train and n_test of each split of a dataset."""
Codes = NDArray[np.intp]

ROLES = {
    "model": "model classifier algorithm method estimator learner system clf".split(),
    "dataset": "dataset data_set data task domain problem benchmark".split(),
    "repeat": "repeat run rep repetition seed iteration split".split(),
    "fold": "fold cv_fold".split(),
    "item": "item doc_id question_id instance case sample_id".split(),
    "sample": "sample epoch attempt".split(),
    "cluster": "cluster group passage".split(),
    "metric": "metric measure metric_name scorer".split(),
    "score": "score value result metric_value".split(),
    "n_train": ["n_train"],
    "n_test": ["n_test"],
}
"""Column names that are recognised by themselves, whatever their case."""
OF_ITEMS = ("sample", "cluster")
"""Roles that a column has only beside one of items."""
KEEP = ("first", "last")

MISSING = frozenset(("", "na", "n/a", "nan", "null", "none"))
NO_MODEL = re.compile(r"(n|num)_.*|.*_(std|sd|se|sem|var|err)|index|id|level_\d+")
"""Names of numeric columns that are more likely something else than a model's scores."""

MOST_FOLDS = 20
"""More numbers in a fold column are more likely splits, numbered one by one, than k-fold cross-validation."""

MOST_CELLS = 10**9
"""8 GB of scores."""


def from_frame(
    cls: type["Scores"],
    frame: Any,
    *,
    model: str | None = None,
    dataset: str | None = None,
    score: str | None = None,
    repeat: str | None = None,
    fold: str | None = None,
    item: str | None = None,
    sample: str | None = None,
    cluster: str | None = None,
    models: Sequence[str] | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    resampling: Designs = None,
    datasets: Sequence[str] | int | None = None,
    keep: str | None = None,
) -> "Scores":
    """Scores from a long frame (one row per score) or a wide one (one column per model).

    Parameters
    ----------
    frame : pandas, polars, pyarrow, ... frame
        Columns `n_train` and `n_test` (sizes of the split) give the resampling design; without them complete `fold`
        (and `repeat`) columns of 2 to 20 folds mean k-fold cross-validation.
    model, dataset, score, repeat, fold : str, optional
        Names of the columns; usual names ("classifier", "task", "value", "run", ...) are found by themselves.
    item, sample, cluster : str, optional
        Names of the columns of a table of items ("question_id", "doc_id", "case", ...): the item that was answered, the
        sample where a model answered several times ("epoch", "attempt"), and the group from which the item comes
        ("passage"). Items are matched by name.
    models : list of str, optional
        Wide frames: the columns that are models. Without it: all numeric columns, if they can be nothing else.
    metric : str, optional
        The metric to pick where the table has several, else the name of the one it has.
    higher_is_better : bool, optional
        Needed where the metric's name is not a known one, or there is none.
    resampling : Resampling, or a mapping from dataset to Resampling, optional
        The design, where no column shows it. The rows of a wide frame that have no names are then the folds of one
        dataset.
    datasets : list of str, or int, optional
        The names of the datasets, or their number, where the rows of a wide frame are datasets and have no names.
    keep : "first" or "last", optional
        Which row to use where a model has several for the same item and sample; an error if not given.

    See Also
    --------
    read_scores : the same for files.
    Scores.from_arrays : the same for arrays.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp import Scores
    >>> frame = pd.DataFrame({"dataset": ["iris", "wine"], "rf": [0.95, 0.98], "svm": [0.96, 0.97]})
    >>> Scores.from_frame(frame, metric="accuracy").models
    ('rf', 'svm')
    """
    named = {"model": model, "dataset": dataset, "score": score, "repeat": repeat, "fold": fold}
    named |= {"item": item, "sample": sample, "cluster": cluster}
    return from_table(
        cls,
        columns_of(frame),
        named,
        models=models,
        metric=metric,
        higher_is_better=higher_is_better,
        resampling=resampling,
        datasets=datasets,
        keep=keep,
    )


def columns_of(frame: Any) -> Columns:
    """The columns of a frame as plain lists, with an index that holds more than row numbers among them."""
    import narwhals as nw

    try:
        return nw.from_native(_with_index(frame), eager_only=True).to_dict(as_series=False)
    except TypeError:
        raise ScoresError(
            f"`frame` must be a frame (pandas, polars, pyarrow, ...), got {type(frame).__name__}. Arrays are for "
            "Scores.from_arrays, files for read_scores."
        ) from None
    except ValueError as error:  # narwhals: columns of the same name
        raise ScoresError(f"The frame cannot be read: {error}") from None


def from_table(
    cls: type["Scores"],
    columns: Columns,
    named: Mapping[str, str | None],
    *,
    models: Sequence[str] | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    resampling: Designs = None,
    datasets: Sequence[str] | int | None = None,
    keep: str | None = None,
) -> "Scores":
    """Scores from the columns of a table, once it is plain lists."""
    if not columns or not len(next(iter(columns.values()))):
        raise ScoresError(f"The table must have rows, got none (columns: {name_list(map(str, columns)) or 'none'}).")
    if models is not None and (not is_list(models) or not (models := list(models))):
        raise ScoresError(f"`models` must be a list of columns, got {models!r}.")
    check_metric(metric)
    roles = _find_roles(columns, named, models)
    if "model" in roles and models is None:
        if datasets is not None:
            raise ScoresError(
                "`datasets` is for wide tables whose rows have no names, but this one is long. Add a column `dataset`."
            )
        tables, layout = _long(columns, roles, metric), "long"
    else:
        tables, layout = _wide(columns, roles, models, metric, resampling, datasets), "wide"
    if len(tables) > 1 and higher_is_better is not None:
        raise ScoresError(
            f"`higher_is_better` is for one metric, but the table has {name_list(str(t[0]) for t in tables)}. Pick one "
            "with metric=."
        )
    note = f"read as a {layout} table: " + ", ".join(f'{r} = "{c}"' for r, c in roles.items())
    results = [
        from_columns(
            cls,
            labels,
            scores,
            resampling=resampling,
            metric=name,
            higher_is_better=higher_is_better,
            notes=(note.rstrip(": "),),
            keep=keep,
        )
        for name, labels, scores in tables
    ]
    return replace(results[0], other_metrics=tuple(results[1:]))


def from_columns(
    cls: type["Scores"],
    columns: Mapping[str, Sequence[Any]],
    scores: ArrayLike,
    *,
    resampling: Designs = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    notes: tuple[str, ...] = (),
    keep: str | None = None,
) -> "Scores":
    """Scores from the columns of a long table: model, and where known dataset, repeat, fold, n_train, n_test.

    With a column `item` they are those of a test set or benchmark, with `sample` and `cluster` where known.
    """
    score = np.asarray(scores, dtype=float)
    n = score.size
    if n == 0:
        raise ScoresError("The table must have at least one row of scores, got none.")
    labels = {key: [str(value) for value in columns[key]] for key in ("model", "dataset") if key in columns}
    models, m = _codes(labels["model"])
    datasets, d = _codes(labels.get("dataset", ["dataset"] * n))
    row = columns.get("row", range(1, n + 1))
    check_finite(score, lambda i: f'model "{models[m[i]]}", dataset "{datasets[d[i]]}", row {row[i]}')
    if "item" in columns:
        values, items = _items_of_rows(models, datasets, m, d, score, columns, keep)
        return finish(
            cls,
            models=models,
            datasets=datasets,
            values=values,
            keys=tuple(numbered_keys(len(found)) for found in items),
            resampling=_item_designs(datasets, items, resampling),
            items=dict(zip(datasets, items, strict=True)),
            metric=metric,
            higher_is_better=higher_is_better,
            notes=(*notes, *_said_of_items(columns, items)),
        )
    _check_no_items(resampling, keep)
    repeats, r = _numbered(columns, "repeat", n)
    folds, f = _numbered(columns, "fold", n)
    if "repeat" not in columns and "fold" not in columns:
        cell = m * len(datasets) + d
        f = _position_in_group(cell)
        folds = list(range(1, int(f.max()) + 2))
        if f.max() and resampling is None:
            raise ScoresError(
                f'The table has up to {f.max() + 1} scores of one model on one dataset ("{models[m[f.argmax()]]}" on '
                f'"{datasets[d[f.argmax()]]}"), and nothing to tell them apart: duplicated rows? Add a `fold` and, if '
                "repeated, a `repeat` column, or give resampling=... if rows are in the order of the resamples."
            )
    key = r * len(folds) + f
    values, key_sets = _dense(m, d, key, score, (models, datasets), (repeats, folds))
    keys = tuple(tuple((repeats[k // len(folds)], folds[k % len(folds)]) for k in ks) for ks in key_sets)
    sizes = _split_sizes(columns, d, key)
    designs = tuple(
        _design(name, keys[i], None if sizes is None else sizes[i], "fold" in columns, resampling)
        for i, name in enumerate(datasets)
    )
    inferred = dict.fromkeys(f"{r.name} (rho = {r.rho:.3g})" for r in designs if r is not None)
    if resampling is None and inferred and sizes is None:
        notes = (*notes, f"the fold column is treated as {', '.join(inferred)}")
    return finish(
        cls,
        models=models,
        datasets=datasets,
        values=values,
        keys=keys,
        resampling=designs,
        metric=metric,
        higher_is_better=higher_is_better,
        notes=notes,
    )


# ---- which column is what


def _with_index(frame: Any) -> Any:
    """A pandas frame whose index holds more than row numbers, with it as columns; any other frame as it is."""
    index = getattr(frame, "index", None)
    if index is None or not hasattr(frame, "reset_index"):
        return frame
    meant = index.nlevels > 1 or index.name is not None or index.dtype.kind not in "iu"
    return frame.reset_index() if meant else frame


def _find_roles(columns: Columns, named: Mapping[str, str | None], models: Sequence[str] | None) -> dict[str, str]:
    """role -> column, as named by the caller or by its usual names."""
    roles = {}
    given = [(role, name) for role, name in named.items() if name is not None] + [("models", m) for m in models or ()]
    for role, column in given:
        if not isinstance(column, Hashable) or column not in columns:
            raise ScoresError(f"`{role}`: {unknown_name('column', column, map(str, columns))}")
    taken = {column for _, column in given}
    for role, usual in ROLES.items():
        name = named.get(role)
        if name is not None:
            roles[role] = name
            continue
        found = [c for c in columns if str(c).lower().strip() in usual and c not in taken]
        if len(found) > 1 and role in named:
            raise ScoresError(f'Both {name_list(found)} could be the {role}: pick one with {role}="...".')
        if found:
            roles[role] = found[0]
    for role in OF_ITEMS:
        if "item" not in roles and roles.pop(role, None) is not None and named.get(role) is not None:
            raise ScoresError(f'`{role}` is for tables of items, but no column names the items. Give item="...".')
    return roles


def _long(columns: Columns, roles: dict[str, str], metric: str | None) -> list[Table]:
    """One table for each metric of a long table."""
    labels = {role: columns[c] for role, c in roles.items() if role not in ("score", "metric")}
    for role in ("model", "dataset", "repeat", "fold", "item", *OF_ITEMS):
        _check_labels(role, labels.get(role, ()))
    if "score" not in roles:
        free = [c for c in columns if c not in roles.values()]
        if metric is not None:
            known = [c for c in free if str(c).lower().strip() == metric.lower().strip()]
            if not known:
                raise unknown_name("metric", metric, [str(c) for c in free if is_known(c)] or map(str, free))
        else:
            known = [c for c in free if is_known(c)]
        if not known:
            raise ScoresError(
                f"The table must have a column of scores, but its columns are {name_list(map(str, columns))}. Name it "
                'with score="..."; if its columns are datasets and its rows models, transpose it.'
            )
        roles["score"] = known[0] if len(known) == 1 else "several"
        return [(str(c).strip(), labels, _numbers(c, columns[c])) for c in known]
    scores = _numbers(roles["score"], columns[roles["score"]])
    if "metric" in roles:
        return _by_metric(columns[roles["metric"]], labels, scores, metric)
    column = str(roles["score"]).strip()
    return [(metric or (column if column.lower() not in ROLES["score"] else None), labels, scores)]


def _wide(
    columns: Columns,
    roles: dict[str, str],
    models: Sequence[str] | None,
    metric: str | None,
    resampling: Designs,
    datasets: Sequence[str] | int | None,
) -> list[Table]:
    """The tables of a wide frame, melted to long; cells of a model that was not run on a dataset are left out."""
    chosen = _model_columns(columns, roles, models)
    n = len(columns[chosen[0]])
    keep = {r: columns[c] for r, c in roles.items() if r not in ("model", "score")}
    named = sorted(keep.keys() & {"dataset", "repeat", "fold", "item"})
    if isinstance(resampling, Resampling) and resampling.scheme == "items" and "item" not in keep:
        keep["item"] = list(range(1, n + 1))  # the models of one row answered the same item
    if datasets is not None:
        if named:
            raise ScoresError(
                f'`datasets` is for rows that have no names, but the column "{roles[named[0]]}" has them. Leave it out.'
            )
        keep["dataset"] = list(dataset_names(datasets, n, folds=False))
    elif not named and n > 1 and not isinstance(resampling, Resampling):
        raise ScoresError(
            f"The {n} rows of the table have no names: they may be the folds of one dataset, or one dataset each, and "
            f"the answers differ. Give resampling={likely_design(n)} for the folds of one dataset, or datasets={n} for "
            "one score per dataset, or add a column `fold` or `dataset`."
        )
    for role in keep.keys() & {"dataset", "repeat", "fold", "metric", "item", *OF_ITEMS}:
        _check_labels(role, keep[role])
    labels: dict[str, list[Any]] = {"model": [], "row": [], **{r: [] for r in keep}}
    scores = []
    rows_of = np.array([str(value) for value in keep.get("dataset", ["dataset"] * n)])
    for name in chosen:
        numbers = _numbers(name, columns[name])
        answered = ~np.isnan(numbers)
        rows = np.flatnonzero(answered if "item" in keep else np.isin(rows_of, rows_of[answered]))
        labels["model"] += [name] * rows.size
        labels["row"] += (rows + 1).tolist()
        for role, column in keep.items():
            labels[role] += [column[i] for i in rows]
        scores.append(numbers[rows])
    together = np.concatenate(scores)
    if "metric" in keep:
        return _by_metric(labels.pop("metric"), labels, together, metric)
    return [(metric, labels, together)]


def _model_columns(columns: Columns, roles: dict[str, str], models: Sequence[str] | None) -> list[str]:
    """The columns of a wide table that are models: as given, else those that can be nothing else."""
    if models is not None:
        return list(models)
    free = [c for c in columns if c not in roles.values() and not _is_row_number(c, columns[c])]
    text = [c for c in free if not _is_numeric(columns[c])]
    if len(text) == 1 and not roles.keys() & {"dataset", "fold", "repeat", "item"}:
        roles["dataset"] = text.pop()
    numeric = [c for c in free if _is_numeric(columns[c])]
    if len(numeric) < 2 or text or "score" in roles:
        odd = [f'"{c}" (first: {columns[c][0]!r})' for c in text]
        raise ScoresError(
            "The table is neither long (a `model` and a `score` column) nor wide (a numeric column for each of at "
            f"least two models): its columns are {name_list(map(str, columns), 20)}"
            + (f", of which {', '.join(odd)} do not hold numbers" if odd else "")
            + '. Name the columns: model="...", score="..." for a long table, models=[...] for a wide one.'
        )
    not_models = [name for role in OF_ITEMS for name in ROLES[role]]
    doubtful = [c for c in numeric if NO_MODEL.fullmatch(x := str(c).lower().strip()) or x in not_models or is_known(c)]
    if doubtful:
        raise ScoresError(
            f"The table is read as wide, but {name_list(doubtful)} may not be models. Name the columns that are: "
            f"models={[c for c in numeric if c not in doubtful]}."
        )
    return numeric


def _by_metric(
    kinds: Sequence[Any],
    labels: Mapping[str, Sequence[Any]],
    scores: NDArray[np.float64],
    metric: str | None,
) -> list[Table]:
    _check_labels("metric", kinds)
    kind = np.array([str(value) for value in kinds])
    names = list(dict.fromkeys(kind.tolist()))
    if metric is not None and metric not in names:
        raise unknown_name("metric", metric, names)
    tables: list[Table] = []
    for name in [metric] if metric is not None else names:
        rows = np.flatnonzero(kind == name).tolist()
        tables.append((name, {r: [c[i] for i in rows] for r, c in labels.items()}, scores[rows]))
    return tables


def _is_row_number(column: object, values: Sequence[Any]) -> bool:
    """An index column that a frame left in a file: no name, and 0, 1, 2, ... in it."""
    if str(column).strip() != "" and not str(column).startswith("Unnamed:"):
        return False
    counts = [str(value) for value in values]
    return any(counts == [str(i + start) for i in range(len(counts))] for start in (0, 1))


def _is_missing(value: object) -> bool:
    return value is None or value != value or str(value).strip() == ""


def _is_numeric(values: Sequence[Any]) -> bool:
    try:
        numbers = [_number(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        return False
    return any(number == number for number in numbers)


def _number(value: Any) -> float:
    """A cell as a number, NaN where it is empty; text that Python reads in its own way (1_5, True) is not a number."""
    if _is_missing(value) or str(value).strip().lower() in MISSING:
        return float("nan")
    if isinstance(value, (bool, complex)) or (isinstance(value, str) and "_" in value):
        raise ValueError(value)
    return float(value)


def _numbers(name: object, values: Sequence[Any]) -> NDArray[np.float64]:
    """A column as numbers, NaN where empty."""
    numbers = np.empty(len(values))
    for i, value in enumerate(values):
        try:
            numbers[i] = _number(value)
        except (TypeError, ValueError, OverflowError):
            raise ScoresError(f'The column "{name}" must hold numbers, got {value!r} in row {i + 1}.') from None
    return numbers


def _check_labels(role: str, values: Sequence[Any]) -> None:
    for i, value in enumerate(values):
        if _is_missing(value):
            raise ScoresError(f"Every row must have a {role}, but row {i + 1} has none.")


# ---- from columns to aligned scores


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


def _split_by_group(values: NDArray[Any], sorted_group: NDArray[np.intp]) -> list[NDArray[Any]]:
    """One array per group; the groups are 0, 1, 2, ... in this order."""
    return np.split(values, np.flatnonzero(np.diff(sorted_group)) + 1)


def _split_sizes(
    columns: Mapping[str, Sequence[Any]], d: NDArray[np.intp], key: NDArray[np.intp]
) -> list[Sizes] | None:
    """The n_train and n_test of each dataset's splits; raises if they differ between models."""
    if "n_train" not in columns or "n_test" not in columns:
        return None
    cells, split = np.unique(d * (int(key.max()) + 1) + key, return_inverse=True)
    sizes = []
    for name in ("n_train", "n_test"):
        try:
            size = np.array(columns[name], dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ScoresError(f'The column "{name}" must hold numbers of cases in every row.') from None
        of_split = np.zeros(cells.size)
        of_split[split] = size
        if not np.array_equal(of_split[split], size):
            raise ScoresError(
                f"All models must be scored on the same splits, but `{name}` differs between models on the same fold."
            )
        sizes.append(_split_by_group(of_split, cells // (int(key.max()) + 1)))
    return list(zip(*sizes, strict=True))


def _design(
    dataset: str,
    keys: tuple[tuple[int, int], ...],
    sizes: Sizes | None,
    has_folds: bool,
    given: Designs,
) -> Resampling | None:
    """The design of one dataset: as given, else from its columns; None where they do not show it."""
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
        roughly_one_in_k = is_kfold and abs(k * design.rho - 1) < 0.2
        return Resampling.from_sizes(*sizes, folds=k, repeats=repeats) if roughly_one_in_k else design
    return Resampling.kfold(k, repeats) if is_kfold else None


# ---- items


def _items_of_rows(
    models: tuple[str, ...],
    datasets: tuple[str, ...],
    m: Codes,
    d: Codes,
    score: NDArray[np.float64],
    columns: Mapping[str, Sequence[Any]],
    keep: str | None,
) -> tuple[NDArray[np.float64], list[Items]]:
    """Models x datasets x items, the means over samples, and the items of each dataset, from the rows of a long table.

    Rows of one item are found by its name, so that their order does not matter.
    """
    names, item = _codes([label(x) for x in columns["item"]])
    cells, cell = np.unique(d * len(names) + item, return_inverse=True)
    if "sample" in columns:
        attempts, sample = _codes([label(x) for x in columns["sample"]])
    else:
        attempts, sample = ("1",), np.zeros(score.size, dtype=np.intp)
    place = (m * cells.size + cell) * len(attempts) + sample
    rows = _once(place, keep, lambda i: _place(i, models, datasets, names, attempts, m, d, item, sample))
    m, cell, score = m[rows], cell[rows], score[rows]
    owner = np.asarray(cells // len(names))
    sizes = np.bincount(owner, minlength=len(datasets))
    position = np.arange(cells.size) - np.r_[0, np.cumsum(sizes)[:-1]][owner]
    which = m * cells.size + cell
    attempt = _position_in_group(which)
    width, deep = int(sizes.max()), int(attempt.max()) + 1
    if max(len(models) * len(datasets) * width, len(models) * cells.size * deep) > MOST_CELLS:
        raise ScoresError(
            f"{len(models):,} models x {len(datasets):,} datasets x {width:,} items x {deep:,} samples are too many "
            "cells for a table. Do `model`, `dataset`, `item` and `sample` name the right columns?"
        )
    sampled = np.full((len(models), cells.size, deep), np.nan)
    sampled.reshape(-1, deep)[which, attempt] = score
    groups, codes = _clusters(columns, cell, rows, cells, names, datasets)
    values = np.full((len(models), len(datasets), width), np.nan)
    found = []
    ends = np.cumsum(sizes)
    labels = np.array(names, dtype=object)[cells % len(names)]
    for i, (start, end) in enumerate(zip(ends - sizes, ends, strict=True)):
        of_dataset = sampled[:, start:end]
        several = deep > 1 and np.isfinite(of_dataset[:, :, 1:]).any()
        items = Items(
            names=tuple(labels[start:end]),
            clusters=None if codes is None else codes[start:end],
            cluster_names=groups,
            samples=of_dataset.copy() if several else None,
        )
        means = items.means
        values[:, i, position[start:end]] = of_dataset[:, :, 0] if means is None else means
        found.append(items)
    return values, found


def _once(place: Codes, keep: str | None, name: Callable[[int], str]) -> Codes:
    """The rows that hold each place once, in its order; raises where one is there twice and `keep` does not say."""
    if keep is not None and not is_one_of(keep, KEEP):
        raise ScoresError(f'`keep` must be "first" or "last", got {keep!r}.')
    order = np.argsort(place, kind="stable")
    ordered = place[order]
    new = np.r_[True, ordered[1:] != ordered[:-1]]
    if keep is None and not new.all():
        starts = np.flatnonzero(new)
        counts = np.diff(np.r_[starts, place.size])
        worst = counts.argmax()
        example = name(int(order[starts[worst]]))
        raise ScoresError(
            f"Every (model, item, sample) must be there once, but {(counts > 1).sum():,} are duplicated; "
            f"{example} is there {counts[worst]} times. Several answers of one model to one item "
            'need a `sample` column; if a run was repeated, give keep="last" to use its last rows.'
        )
    return order[new] if keep == "first" else order[np.r_[new[1:], True]]


def _item_designs(datasets: tuple[str, ...], items: Sequence[Items], given: Designs) -> tuple[Resampling, ...]:
    """The design of each dataset's items; raises if another one, or another number of samples, was given."""
    designs = []
    for name, found in zip(datasets, items, strict=True):
        most = 1 if found.samples is None else found.samples.shape[2]
        design = given.get(name) if isinstance(given, Mapping) else given
        check_design(design)
        if design is not None and design.scheme != "items":
            raise ScoresError(
                f'"{name}" has a column of items, so that its design is Resampling.items(), but {design.name} was '
                "given. Leave out `resampling`, or name the columns."
            )
        if design is not None and design.samples not in (1, most):
            raise ScoresError(f'"{name}" has up to {most} samples per item, but {design.samples} were given.')
        designs.append(Resampling.items(samples=most))
    return tuple(designs)


def _said_of_items(columns: Mapping[str, Sequence[Any]], items: Sequence[Items]) -> tuple[str, ...]:
    """What was understood; raises where several trained models, or folds of one, would count as one model."""
    for role in ("repeat", "fold"):
        several = {label(x) for x in columns.get(role, ())}
        if len(several) > 1:
            what = "runs, each of which is another trained model" if role == "repeat" else "folds"
            raise ScoresError(
                f"The items were answered in {len(several)} {what}: one of them moves all its items at once, so that "
                "they cannot be averaged into the items. Select one of them, or compare the mean scores of all. If "
                'the same trained model answered again, name that column: sample="...".'
            )
    texts = dict.fromkeys(found.text for found in items if found.text)
    return (f"items are matched by name{': ' if texts else ''}{' or '.join(list(texts)[:3])}",)


def _check_no_items(resampling: Designs, keep: str | None) -> None:
    """Raise where items were announced, but no column names them."""
    designs = resampling.values() if isinstance(resampling, Mapping) else [resampling]
    if keep is not None:
        raise ScoresError(f"`keep` is for tables of items, but no column names the items; got {keep!r}. Leave it out.")
    if any(isinstance(x, Resampling) and x.scheme == "items" for x in designs):
        raise ScoresError(
            "Items are matched by name, but no column of the table names them. Add a column `item`, or name the one "
            'that it has: item="...".'
        )


def _place(
    i: int,
    models: Sequence[str],
    datasets: Sequence[str],
    names: Sequence[str],
    attempts: Sequence[str],
    m: Codes,
    d: Codes,
    item: Codes,
    sample: Codes,
) -> str:
    more = f', sample "{attempts[sample[i]]}"' if len(attempts) > 1 else ""
    return f'model "{models[m[i]]}", dataset "{datasets[d[i]]}", item "{names[item[i]]}"{more}'


def _clusters(
    columns: Mapping[str, Sequence[Any]],
    cell: Codes,
    rows: Codes,
    cells: Codes,
    names: Sequence[str],
    datasets: Sequence[str],
) -> tuple[tuple[str, ...], Codes | None]:
    """The names of the clusters, and the number of each item's one; raises where an item is in two."""
    if "cluster" not in columns:
        return (), None
    groups, codes = _codes([label(x) for x in columns["cluster"]])
    codes = codes[rows]
    of_cell = np.zeros(cells.size, dtype=np.intp)
    of_cell[cell] = codes
    wrong = np.flatnonzero(of_cell[cell] != codes)
    if wrong.size:
        at = int(cell[wrong[0]])
        pair = (groups[of_cell[at]], groups[codes[wrong[0]]])
        raise ScoresError(
            f'Every item must be in one cluster, but item "{names[cells[at] % len(names)]}" of '
            f'"{datasets[cells[at] // len(names)]}" is in {name_list(pair)}. Correct the column, or rename it if it '
            "is something else."
        )
    return groups, of_cell
