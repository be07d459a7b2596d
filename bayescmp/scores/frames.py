"""Frames in, long or wide: find the columns, align the resamples, infer the design."""

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.checks import is_list, is_one_of
from bayescmp.errors import ScoresError, few_words, name_list, shown, unknown_name
from bayescmp.scores.arrays import check_finite, dataset_names, finish, likely_design, numbered_keys
from bayescmp.scores.columns import (
    Column,
    Columns,
    Floats,
    Labels,
    first_missing,
    is_numeric,
    is_row_numbers,
    is_truth,
    is_written,
    label_codes,
    numbers,
    take,
)
from bayescmp.scores.items import Items, label, packed
from bayescmp.scores.metrics import check_metric, is_known
from bayescmp.scores.resampling import Resampling, check_design

if TYPE_CHECKING:
    from bayescmp.scores.table import Scores

Designs = Resampling | Mapping[str, Resampling] | None
Table = tuple[str | None, Mapping[str, Column], Floats]
"""A metric's name, its label columns, its scores."""
Keys = tuple[tuple[int, int], ...]
Sizes = tuple[Floats, Floats]
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

ASK = ("seed", "run")
"""Columns that do not say by themselves whether run i of one model belongs to run i of another."""

NO_MODEL = re.compile(r"(n|num)_.*|.*_(std|sd|se|sem|var|err)|index|id|level_\d+")
"""Names of numeric columns that are more likely something else than a model's scores."""

ORIENTS = ("datasets", "models")
TRANSPOSE = 'if its rows are models and its columns datasets, give orient="models"'

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
    orient: str = "datasets",
    keep: str | None = None,
) -> "Scores":
    """Scores from a long frame (one row per score) or a wide one (one column per model).

    Parameters
    ----------
    frame : pandas, polars, pyarrow, ... frame
        Columns `n_train` and `n_test` (sizes of the split) give the resampling design; without them complete `fold`
        (and `repeat`) columns of 2 to 20 folds mean k-fold cross-validation. A column `seed` or `run` alone does not
        show whether the runs of two models belong together, and needs `resampling`.
    model, dataset, score, repeat, fold : str, optional
        Names of the columns; usual names ("classifier", "task", "value", "run", ...) are found by themselves.
    item, sample, cluster : str, optional
        Names of the columns of a table of items ("question_id", "doc_id", "case", ...): the item that was answered, the
        sample where a model answered several times ("epoch", "attempt"), and the group from which the item comes
        ("passage"). Items are matched by name. A column `run` or `seed` beside them tells the trained models apart,
        where a model was trained several times.
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
    orient : "datasets" or "models"
        What a row of a wide frame is. "models" is the usual table of a paper: one row per model, one column per
        dataset.
    keep : "first" or "last", optional
        Which row to use where a model has several for the same item and sample; an error if not given.

    Notes
    -----
    Cells such as "86.0 ± 0.3", "86.0 (0.3)", "86.0%" (0.86), "0,85" and True are read where all scores of the table
    are written in the same way, and a note shows how they were read.

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
        orient=orient,
        keep=keep,
    )


def columns_of(frame: Any) -> Columns:
    """The columns of a frame, with an index that holds more than row numbers among them."""
    import narwhals as nw

    try:
        table = nw.from_native(_with_index(frame), eager_only=True)
        return {name: _column(table[name]) for name in table.columns}
    except TypeError:
        raise ScoresError(
            f"`frame` must be a frame (pandas, polars, pyarrow, ...), got {type(frame).__name__}. Arrays are for "
            "Scores.from_arrays, files for read_scores."
        ) from None
    except ValueError as error:  # narwhals: columns of the same name
        raise ScoresError(f"The frame cannot be read: {few_words(error, 200)}") from None


def _column(series: Any) -> Column:
    """A column of a frame: numbers as an array, text as `Labels`, so that a million rows are quick; else a list."""
    from bayescmp.needs import pandas as pd

    values = series.to_numpy()
    if values.dtype.kind == "f":
        return np.asarray(values, dtype=float)
    if values.dtype.kind in "iu":
        return values
    if values.dtype.kind in "OUT":
        try:
            codes, different = pd.factorize(values)
        except TypeError:  # cells that are lists
            codes, different = np.array([-1]), ()
        if (codes >= 0).all() and all(isinstance(x, str) for x in different):
            return Labels(list(different), codes)
    return series.to_list()


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
    orient: str = "datasets",
    keep: str | None = None,
) -> "Scores":
    """Scores from the columns of a table, once it is plain lists."""
    if not columns or not len(next(iter(columns.values()))):
        raise ScoresError(f"The table must have rows, got none (columns: {name_list(map(str, columns)) or 'none'}).")
    if models is not None and (not is_list(models) or not (models := list(models))):
        raise ScoresError(f"`models` must be a list of columns, got {shown(models)}.")
    if not is_one_of(orient, ORIENTS):
        raise ScoresError(f"`orient` must be one of {name_list(ORIENTS)}, got {shown(orient)}.")
    check_metric(metric)
    who = None
    if orient == "models":
        who, columns, models = _transposed(columns, named, models, datasets)
        named = {"dataset": "dataset"}
    roles = _find_roles(columns, named, models)
    written: list[str] = []
    if "model" in roles and models is None:
        if datasets is not None:
            raise ScoresError(
                "`datasets` is for wide tables whose rows have no names, but this one is long. Add a column `dataset`."
            )
        tables, layout = _long(columns, roles, metric, written), "long"
    else:
        tables, layout = _wide(columns, roles, models, metric, resampling, datasets, written), "wide"
    if len(tables) > 1 and higher_is_better is not None:
        raise ScoresError(
            f"`higher_is_better` is for one metric, but the table has {name_list(str(t[0]) for t in tables)}. Pick one "
            "with metric=."
        )
    found = ", ".join(f'{r} = "{few_words(c)}"' for r, c in (roles if who is None else {"model": who}).items())
    row = _row(layout, tables[0][1]) if who is None else "one model"
    note = f"read as a {layout} table{': ' if found else ''}{found}; a row is {row}"
    results = [
        from_columns(
            cls,
            labels,
            scores,
            resampling=resampling,
            metric=name,
            higher_is_better=higher_is_better,
            notes=(note, *written),
            repeat=roles.get("repeat"),
            keep=keep,
        )
        for name, labels, scores in tables
    ]
    return replace(results[0], other_metrics=tuple(results[1:]))


def from_columns(
    cls: type["Scores"],
    columns: Mapping[str, Column],
    scores: ArrayLike,
    *,
    resampling: Designs = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    notes: tuple[str, ...] = (),
    repeat: str | None = None,
    keep: str | None = None,
) -> "Scores":
    """Scores from the columns of a long table: model, and where known dataset, repeat, fold, n_train, n_test.

    With a column `item` they are those of a test set or benchmark, with `sample` and `cluster` where known. `repeat` is
    the name that the column of repeats has in the table.
    """
    score = np.asarray(scores, dtype=float)
    n = score.size
    if n == 0:
        raise ScoresError("The table must have at least one row of scores, got none.")
    models, m = label_codes(columns["model"])
    datasets, d = label_codes(columns.get("dataset", Labels(["dataset"], np.zeros(n, np.intp))))
    row = columns.get("row", range(1, n + 1))
    check_finite(
        score, lambda i: f'model "{few_words(models[m[i]])}", dataset "{few_words(datasets[d[i]])}", row {row[i]}'
    )
    if "item" in columns:
        _check_answered_by(columns, repeat)
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
            notes=(*notes, *_said_of_items(items)),
        )
    _check_no_items(resampling, keep)
    repeats, r = _numbered(columns, "repeat", n)
    folds, f = _numbered(columns, "fold", n)
    if "repeat" not in columns and "fold" not in columns:
        cell = m * len(datasets) + d
        f = _position_in_group(cell)
        folds = list(range(1, int(f.max()) + 2))
        if f.max() and resampling is None:
            model, dataset = few_words(models[m[f.argmax()]]), few_words(datasets[d[f.argmax()]])
            raise ScoresError(
                f'The table has up to {f.max() + 1} scores of one model on one dataset ("{model}" on "{dataset}"), and '
                "nothing to tell them apart: duplicated rows? Add a `fold` and, if repeated, a `repeat` column, or "
                "give resampling=... if rows are in the order of the resamples."
            )
    key = r * len(folds) + f
    values, key_sets = _dense(m, d, key, score, (models, datasets), (repeats, folds))
    sizes = _split_sizes(columns, d, key)
    each: list[tuple[Keys, Resampling | None]] = []
    made: dict[bytes, tuple[Keys, Resampling | None]] = {}  # most datasets have the same resamples
    if resampling is None and sizes is None and "fold" not in columns and max(map(len, key_sets)) > 1:
        _check_not_runs(repeat)
    for i, name in enumerate(datasets):
        by = key_sets[i].tobytes() + (b"" if sizes is None and not isinstance(resampling, Mapping) else b"%d" % i)
        if by not in made:
            found = tuple((repeats[k // len(folds)], folds[k % len(folds)]) for k in key_sets[i].tolist())
            made[by] = found, _design(name, found, sizes[i] if sizes else None, "fold" in columns, resampling)
        each.append(made[by])
    keys, designs = zip(*each, strict=True)
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


def _check_not_runs(column: str | None) -> None:
    """Raise if several scores of one dataset are told apart by a column that does not say whether they are paired."""
    if str(column).lower().strip() in ASK:
        raise ScoresError(
            f'The column "{column}" does not show whether the runs of two models belong together, and the answers '
            "differ. Give one of these:\n"
            "    resampling=Resampling.independent()  # same splits and seeds for all models: run 1 belongs to run 1\n"
            "    resampling=Resampling.runs()  # otherwise: runs that cannot be paired; their numbers may differ"
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


def _row(layout: str, labels: Mapping[str, Column]) -> str:
    """What a row of the table is."""
    part = next((role for role in ("item", "fold", "repeat") if role in labels), "")
    if layout == "long":
        return "one score of one model" + (" on one dataset" if "dataset" in labels else "") + (part and f" and {part}")
    return (
        f"one {part}{' of one dataset' if 'dataset' in labels else ''}"
        if part
        else ("one dataset" if "dataset" in labels else "one score of every model")
    )


def _transposed(
    columns: Columns, named: Mapping[str, str | None], models: Sequence[str] | None, datasets: object
) -> tuple[str, Columns, list[str]]:
    """The column of the models' names; the table with one row per dataset; and its columns that are models."""
    if datasets is not None:
        raise ScoresError(
            "`datasets` is for rows that have no names, but here the columns name the datasets. Leave it out."
        )
    given = [role for role, name in named.items() if name is not None and role != "model"]
    roles = _find_roles(columns, {"model": named.get("model")}, None)
    text = [c for c in columns if not is_numeric(columns[c]) and not is_written(columns[c])]
    who = roles.get("model") or (text[0] if len(text) == 1 else None)
    odd = [c for c in text if c != who] or given or sorted(roles.keys() - {"model", "dataset", "score"})
    if who is None or odd:
        raise ScoresError(
            "A table with models in rows must have one column of models' names and one numeric column per dataset, "
            f"but its columns are {name_list(map(str, columns))}"
            + (f", of which {name_list(map(str, odd))} can be neither" if odd and who is not None else "")
            + '. Name the column of the models with model="...", and leave out the others.'
        )
    _check_labels("model", columns[who])
    names = [str(name) for name in columns[who]]
    if len(set(names)) < len(names):
        twice = [name for i, name in enumerate(names) if name in names[:i]]
        raise ScoresError(
            f"With models in rows every model must have one row, but {name_list(twice)} has several. Average them, or "
            "give a long table."
        )
    scored = [c for c in columns if c != who and not _is_row_number(c, columns[c])]
    for name in models or ():
        if name not in names:
            raise unknown_name("model", name, names)
    table: Columns = {"dataset": [str(c) for c in scored]}
    if "dataset" in names:
        raise ScoresError('With models in rows no model can be called "dataset". Rename it.')
    for i, name in enumerate(names):
        table[name] = [columns[c][i] for c in scored]
    return str(who), table, list(models or names)


def _long(columns: Columns, roles: dict[str, str], metric: str | None, written: list[str]) -> list[Table]:
    """One table for each metric of a long table."""
    labels = {role: columns[c] for role, c in roles.items() if role not in ("score", "metric")}
    for role in ("model", "dataset", "repeat", "fold", "item", *OF_ITEMS):
        _check_labels(role, labels.get(role, ()))
    if "score" not in roles:
        free = [c for c in columns if c not in roles.values()]
        if metric is not None:
            known = [c for c in free if str(c).lower().strip() == metric.lower().strip()]
            if not known and any(map(is_known, free)):
                raise unknown_name("metric", metric, [str(c) for c in free if is_known(c)])
        else:
            known = [c for c in free if is_known(c)]
        if not known:
            raise ScoresError(
                f"The table must have a column of scores, but its columns are {name_list(map(str, columns))}. Name it "
                f'with score="..."; {TRANSPOSE}.'
            )
        roles["score"] = known[0] if len(known) == 1 else "several"
        return [(str(c).strip(), labels, _numbers([c], columns, written)[c]) for c in known]
    scores = _numbers([roles["score"]], columns, written)[roles["score"]]
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
    written: list[str],
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
    found = _numbers(chosen, columns, written)
    given = resampling.values() if isinstance(resampling, Mapping) else [resampling]
    runs = any(isinstance(design, Resampling) and not design.paired for design in given)
    _, d = label_codes(keep.get("dataset", Labels(["dataset"], np.zeros(n, np.intp))))
    scored = [~np.isnan(found[name]) for name in chosen]
    ran = scored if runs or "item" in keep else [np.bincount(d, here)[d] > 0 for here in scored]
    rows = np.concatenate([np.flatnonzero(here) for here in ran])
    codes = np.repeat(np.arange(len(chosen)), [here.sum() for here in ran])
    labels: dict[str, Column] = {role: take(column, rows) for role, column in keep.items()}
    labels |= {"model": Labels([str(name) for name in chosen], codes), "row": rows + 1}
    together = np.concatenate([found[name][here] for name, here in zip(chosen, ran, strict=True)])
    if "metric" in keep:
        return _by_metric(labels.pop("metric"), labels, together, metric)
    return [(metric, labels, together)]


def _model_columns(columns: Columns, roles: dict[str, str], models: Sequence[str] | None) -> list[str]:
    """The columns of a wide table that are models: as given, else those that can be nothing else."""
    if models is not None:
        return list(models)
    free = [c for c in columns if c not in roles.values() and not _is_row_number(c, columns[c])]
    numeric = [c for c in free if is_numeric(columns[c])]
    truth = [c for c in numeric if is_truth(columns[c])]
    if len(truth) < len(numeric):  # flags beside scores
        numeric = [c for c in numeric if c not in truth]
    text = [c for c in free if c not in numeric]
    if len(text) == 1 and not roles.keys() & {"dataset", "fold", "repeat", "item"}:
        roles["dataset"] = text.pop()
    for column in text:
        if is_written(columns[column]) and column not in truth:
            numbers({column: columns[column]})  # raises: some of its cells are numbers, and others are not
    if len(numeric) < 2 or text or "score" in roles:
        wrong = {c: next((x for x in columns[c] if not is_numeric([x])), columns[c][0]) for c in text[:3]}
        odd = [f'"{few_words(c, 30)}" (first: {shown(x)})' for c, x in wrong.items()]
        raise ScoresError(
            "The table is neither long (a `model` and a `score` column) nor wide (a numeric column for each of at "
            f"least two models): its columns are {name_list(map(str, columns), 12)}"
            + (f", of which {', '.join(odd)} do not hold numbers" if odd else "")
            + '. Name the columns: model="...", score="..." for a long table, models=[...] for a wide one.'
        )
    if all(isinstance(c, str) and is_numeric([c]) for c in numeric):
        raise ScoresError(
            f"The models would be called {name_list(numeric)}: the first line looks like scores, not like names. Add a "
            'line with the names above it, such as "dataset,rf,svm". If the names are right, give '
            f"models=[{_listed(numeric)}]."
        )
    not_models = [name for role in OF_ITEMS for name in ROLES[role]]
    doubtful = [c for c in numeric if NO_MODEL.fullmatch(x := str(c).lower().strip()) or x in not_models or is_known(c)]
    if doubtful:
        raise ScoresError(
            f"The table is read as wide, but {name_list(doubtful)} may not be models. Name the columns that are: "
            f"models=[{_listed([c for c in numeric if c not in doubtful])}]."
        )
    return numeric


def _listed(names: Sequence[object], most: int = 8) -> str:
    """Names as in a list of Python, ready to copy if there are few."""
    return ", ".join(map(shown, names[:most])) + (", ..." if names[most:] else "")


def _by_metric(
    kinds: Column,
    labels: Mapping[str, Column],
    scores: Floats,
    metric: str | None,
) -> list[Table]:
    _check_labels("metric", kinds)
    names, kind = label_codes(kinds)
    if metric is not None and metric not in names:
        raise unknown_name("metric", metric, names)
    tables: list[Table] = []
    for name in [metric] if metric is not None else names:
        rows = np.flatnonzero(kind == names.index(name))
        tables.append((name, {role: take(column, rows) for role, column in labels.items()}, scores[rows]))
    return tables


def _is_row_number(column: object, values: Column) -> bool:
    """An index column that a frame left in a file: no name, and 0, 1, 2, ... in it."""
    if str(column).strip() != "" and not str(column).startswith("Unnamed:"):
        return False
    return is_row_numbers(values)


def _numbers(names: Sequence[str], columns: Columns, written: list[str]) -> dict[str, Floats]:
    """These columns as numbers; `written` gets a note where they are written in a way of their own."""
    found, note = numbers({name: columns[name] for name in names})
    if note is not None and note not in written:
        written.append(note)
    return found


def _check_labels(role: str, values: Column) -> None:
    row = first_missing(values)
    if row is not None:
        raise ScoresError(f"Every row must have a {role}, but row {row + 1} has none.")


# ---- from columns to aligned scores


def _numbered(columns: Mapping[str, Column], name: str, n: int) -> tuple[list[int], NDArray[np.intp]]:
    """Repeats or folds as whole numbers: their own where they are, else counted in order of appearance."""
    if name not in columns:
        return [1], np.zeros(n, dtype=np.intp)
    labels, codes = label_codes(columns[name])
    found = [_whole(label) for label in labels]
    bad = [label for label, number in zip(labels, found, strict=True) if number is not None and not number >= 0]
    if bad:
        raise ScoresError(
            f"Every {name} must be a whole number of 0 or more, or a name, got {shown(bad[0])}. Number them 1, 2, 3, "
            "and so on."
        )
    words = [label for label, number in zip(labels, found, strict=True) if number is None]
    if words and len(words) < len(labels):
        other = next(label for label in labels if label not in words)
        raise ScoresError(
            f"Every {name} must be a number, or every one a name, got {shown(words[0])} and {shown(other)}."
        )
    if words:
        different, place = label_codes([label.strip() for label in labels])
        return list(range(1, len(different) + 1)), place[codes]
    whole = [int(number) for number in found if number is not None]
    own = sorted(set(whole))
    position = {number: i for i, number in enumerate(own)}
    return own, np.array([position[number] for number in whole], np.intp)[codes]


def _whole(label: str) -> int | float | None:
    """The number that a label is, NaN where it is one that is not whole; None where it is not a number."""
    try:
        return int(label)
    except ValueError:
        pass
    try:
        number = float(label)
    except ValueError:
        return None
    return int(number) if number.is_integer() else float("nan")


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
    score: Floats,
    names: tuple[tuple[str, ...], tuple[str, ...]],
    numbers: tuple[list[int], list[int]],
) -> tuple[NDArray[np.float64], list[NDArray[np.intp]]]:
    """The models x datasets x resamples array, and the keys of each dataset's resamples."""
    n_keys = int(key.max()) + 1
    cells, inverse = _unique_codes(d * n_keys + key)
    position = _position_in_group(cells // n_keys)[inverse]
    shape = (len(names[0]), len(names[1]), int(position.max()) + 1)
    if shape[0] * shape[1] * shape[2] > MOST_CELLS:
        raise ScoresError(
            f"{shape[0]:,} models x {shape[1]:,} datasets x {shape[2]:,} scores are too many cells for a table, of "
            f"which {score.size:,} are filled. Do `model`, `dataset` and `fold` name the right columns?"
        )
    flat = np.ravel_multi_index((m, d, position), shape)
    values = np.full(shape, np.nan)
    values.flat[flat] = score
    if np.count_nonzero(np.isfinite(values)) < score.size:
        _, first, count = np.unique(flat, return_index=True, return_counts=True)
        i = first[count.argmax()]
        repeats, folds = numbers
        model, dataset = few_words(names[0][m[i]]), few_words(names[1][d[i]])
        raise ScoresError(
            f"Every (model, dataset, repeat, fold) must be there once, but {(count > 1).sum()} are duplicated; model "
            f'"{model}", dataset "{dataset}", repeat {repeats[key[i] // len(folds)]}, fold '
            f"{folds[key[i] % len(folds)]} is there {count.max()} times. Keep one row each, or pick one metric if the "
            "rows are of different metrics."
        )
    return values, _split_by_group(cells % n_keys, cells // n_keys)


def _unique_codes(codes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """`np.unique` with the inverse, without sorting where the codes are not many more than there are rows."""
    size = int(codes.max()) + 1
    if size > 4 * codes.size:
        return np.unique(codes, return_inverse=True)
    there = np.zeros(size, bool)
    there[codes] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[codes]


def _split_by_group(values: NDArray[Any], sorted_group: NDArray[np.intp]) -> list[NDArray[Any]]:
    """One array per group; the groups are 0, 1, 2, ... in this order."""
    return np.split(values, np.flatnonzero(np.diff(sorted_group)) + 1)


def _split_sizes(columns: Mapping[str, Column], d: NDArray[np.intp], key: NDArray[np.intp]) -> list[Sizes] | None:
    """The n_train and n_test of each dataset's splits; raises if they differ between models."""
    if "n_train" not in columns or "n_test" not in columns:
        return None
    cells, split = _unique_codes(d * (int(key.max()) + 1) + key)
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
    keys: Keys,
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
    columns: Mapping[str, Column],
    keep: str | None,
) -> tuple[NDArray[np.float64], list[Items]]:
    """Models x datasets x items, the means over samples, and the items of each dataset, from the rows of a long table.

    Rows of one item are found by its name, so that their order does not matter.
    """
    names, item = _named(columns["item"])
    cells, cell = _unique_codes(d * len(names) + item)
    (trained, run), (attempts, sample) = (_of_item(columns, role, score.size) for role in ("repeat", "sample"))
    place = ((m * cells.size + cell) * len(trained) + run) * len(attempts) + sample
    rows = _once(place, keep, lambda i: _place(i, models, datasets, names, trained, attempts, m, d, item, run, sample))
    m, cell, score, run = m[rows], cell[rows], score[rows], run[rows]
    owner = np.asarray(cells // len(names))
    sizes = np.bincount(owner, minlength=len(datasets))
    position = np.arange(cells.size) - np.r_[0, np.cumsum(sizes)[:-1]][owner]
    # of each model on each dataset its runs are numbered 0, 1, 2, ..., since those of two models are not paired
    of_model, place_of_run = _unique_codes((m * len(datasets) + owner[cell]) * len(trained) + run)
    run = _position_in_group(of_model // len(trained))[place_of_run]
    runs = int(run.max()) + 1
    which = (m * cells.size + cell) * runs + run
    attempt = _position_in_group(which) if len(attempts) > 1 else np.zeros(which.size, np.intp)
    width, deep = int(sizes.max()), int(attempt.max()) + 1
    if max(len(models) * len(datasets) * width, len(models) * cells.size * runs * deep) > MOST_CELLS:
        raise ScoresError(
            f"{len(models):,} models x {len(datasets):,} datasets x {width:,} items x {runs * deep:,} answers are too "
            "many cells for a table. Do `model`, `dataset`, `item`, `run` and `sample` name the right columns?"
        )
    sampled = np.full((len(models), cells.size, runs, deep), np.nan)
    sampled.reshape(-1, deep)[which, attempt] = score
    groups, codes = _clusters(columns, cell, rows, cells, names, datasets)
    values = np.full((len(models), len(datasets), width), np.nan)
    found = []
    ends = np.cumsum(sizes)
    labels = np.array(names, dtype=object)[cells % len(names)]
    for i, (start, end) in enumerate(zip(ends - sizes, ends, strict=True)):
        of_dataset = sampled[:, start:end]
        if runs > 1:
            _check_runs(of_dataset, models, datasets[i], labels[start:end].tolist())
        samples, of_runs = packed(of_dataset) if runs * deep > 1 else (None, 1)
        items = Items(
            names=tuple(labels[start:end]),
            clusters=None if codes is None else codes[start:end],
            cluster_names=groups,
            samples=samples,
            runs=of_runs,
        )
        means = items.means
        values[:, i, position[start:end]] = of_dataset[:, :, 0, 0] if means is None else means
        found.append(items)
    return values, found


def _of_item(columns: Mapping[str, Column], role: str, n: int) -> tuple[tuple[str, ...], Codes]:
    """The names of the runs or samples, and each row's number among them; one where the table has no such column."""
    return _named(columns[role]) if role in columns else (("1",), np.zeros(n, dtype=np.intp))


def _check_runs(answers: Floats, models: Sequence[str], dataset: str, names: Sequence[str]) -> None:
    """Raise if a run of a model lacks items that its other runs answered: a run moves all its items at once."""
    here = np.asarray(np.isfinite(answers).any(axis=3))
    lacking = np.asarray(here.any(axis=1, keepdims=True) & here.any(axis=2, keepdims=True) & ~here)
    if lacking.any():
        m, _, r = (int(x) for x in np.argwhere(lacking)[0])
        some = [names[i] for i in np.flatnonzero(lacking[m, :, r]).tolist()]
        raise ScoresError(
            f'All runs of a model must answer the same items, but one run of "{models[m]}" on "{dataset}" lacks '
            f"{len(some):,} of those that its other runs answered: {name_list(some, 3)}. Answer them, or leave out "
            "that run or these items."
        )


def _named(column: Column) -> tuple[tuple[str, ...], Codes]:
    """The different names of items, samples or clusters, and each row's number among them."""
    if isinstance(column, Labels):
        different, codes = column.different, column.codes
    elif isinstance(column, np.ndarray):
        numbers, codes = np.unique(column, return_inverse=True)
        different = numbers.tolist()
    else:
        return label_codes([label(x) for x in column])
    names, merged = label_codes([label(x) for x in different])
    return names, merged[codes]


def _once(place: Codes, keep: str | None, name: Callable[[int], str]) -> Codes:
    """The rows that hold each place once, in its order; raises where one is there twice and `keep` does not say."""
    if keep is not None and not is_one_of(keep, KEEP):
        raise ScoresError(f'`keep` must be "first" or "last", got {keep!r}.')
    cells, cell = _unique_codes(place)
    if cells.size == place.size:
        order = np.empty_like(cell)
        order[cell] = np.arange(cell.size)
        return order
    order = np.argsort(place, kind="stable")
    ordered = place[order]
    new = np.r_[True, ordered[1:] != ordered[:-1]]
    if keep is None and not new.all():
        starts = np.flatnonzero(new)
        counts = np.diff(np.r_[starts, place.size])
        worst = counts.argmax()
        example = name(int(order[starts[worst]]))
        raise ScoresError(
            f"Every (model, item, run, sample) must be there once, but {(counts > 1).sum():,} are duplicated; "
            f"{example} is there {counts[worst]} times. Several answers of one model to one item "
            'need a `sample` column; if a run was repeated, give keep="last" to use its last rows.'
        )
    return order[new] if keep == "first" else order[np.r_[new[1:], True]]


def _item_designs(datasets: tuple[str, ...], items: Sequence[Items], given: Designs) -> tuple[Resampling, ...]:
    """The design of each dataset's items; raises if another one, or another number of samples, was given."""
    designs = []
    for name, found in zip(datasets, items, strict=True):
        most = 1 if found.answers is None else found.answers.shape[3]
        design = given.get(name) if isinstance(given, Mapping) else given
        check_design(design)
        if design is not None and design.scheme != "items":
            raise ScoresError(
                f'"{name}" has a column of items, so that its design is Resampling.items(), but {design.name} was '
                "given. Leave out `resampling`, or name the columns."
            )
        if design is not None and design.samples not in (1, most):
            raise ScoresError(f'"{name}" has up to {most} samples per item, but {design.samples} were given.')
        if design is not None and (design.repeats or 1) not in (1, found.runs):
            raise ScoresError(f'"{name}" has up to {found.runs} runs per item, but {design.repeats} were given.')
        designs.append(Resampling.items(samples=most, runs=found.runs))
    return tuple(designs)


def _said_of_items(items: Sequence[Items]) -> tuple[str, ...]:
    """What was understood."""
    texts = dict.fromkeys(found.text for found in items if found.text)
    runs = max(found.runs for found in items)
    said = (f"items are matched by name{': ' if texts else ''}{' or '.join(list(texts)[:3])}",)
    return (*said, "each run is another trained model, and those of two models are not paired") if runs > 1 else said


def _check_answered_by(columns: Mapping[str, Column], repeat: str | None) -> None:
    """Raise where items were answered in several folds, or repeats of which it is not known what they are."""
    for role, column in (("fold", "fold"), ("repeat", repeat)):
        several = _named(columns[role])[0] if role in columns else ()
        if len(several) > 1 and str(column).lower().strip() not in ASK:
            raise ScoresError(
                f'The items were answered in {len(several)} {role}s, and the column "{column}" does not show by whom. '
                "Call it `run` where each is another trained model, which moves all its items at once, or `sample` "
                "where the same trained model answered again."
            )


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
    trained: Sequence[str],
    attempts: Sequence[str],
    m: Codes,
    d: Codes,
    item: Codes,
    run: Codes,
    sample: Codes,
) -> str:
    more = f', run "{trained[run[i]]}"' if len(trained) > 1 else ""
    more += f', sample "{attempts[sample[i]]}"' if len(attempts) > 1 else ""
    return f'model "{models[m[i]]}", dataset "{datasets[d[i]]}", item "{names[item[i]]}"{more}'


def _clusters(
    columns: Mapping[str, Column],
    cell: Codes,
    rows: Codes,
    cells: Codes,
    names: Sequence[str],
    datasets: Sequence[str],
) -> tuple[tuple[str, ...], Codes | None]:
    """The names of the clusters, and the number of each item's one; raises where an item is in two."""
    if "cluster" not in columns:
        return (), None
    groups, codes = _named(columns["cluster"])
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
