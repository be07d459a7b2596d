"""Frames in: pandas, polars, pyarrow or anything else that narwhals reads, long or wide."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.errors import ScoresError, name_list, unknown_name
from bayescmp.scores import assemble
from bayescmp.scores.metrics import HIGHER, LOWER
from bayescmp.scores.resampling import Resampling

if TYPE_CHECKING:
    from bayescmp.scores.table import Scores

Columns = dict[str, list[Any]]

ROLES = {
    "model": "model classifier algorithm method estimator learner system clf".split(),
    "dataset": "dataset data_set data task domain problem benchmark".split(),
    "repeat": "repeat run rep repetition seed iteration".split(),
    "fold": "fold split cv_fold".split(),
    "metric": "metric measure metric_name scorer".split(),
    "score": "score value result metric_value".split(),
    "n_train": ["n_train"],
    "n_test": ["n_test"],
}
"""Column names that are recognised without being told, whatever their case."""

MISSING = frozenset(("", "na", "n/a", "nan", "null", "none"))


def from_frame(
    frame: Any,
    *,
    model: str | None = None,
    dataset: str | None = None,
    score: str | None = None,
    repeat: str | None = None,
    fold: str | None = None,
    models: Sequence[str] | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    resampling: Resampling | Mapping[str, Resampling] | None = None,
) -> "Scores":
    """Scores from a long frame (one row a score) or a wide one (one column a model).

    Parameters
    ----------
    frame : pandas, polars, pyarrow, ... frame
        Columns `n_train` and `n_test` (sizes of the split) give the resampling design; without them complete `fold`
        (and `repeat`) columns mean k-fold cross-validation.
    model, dataset, score, repeat, fold : str, optional
        Names of the columns; usual names ("classifier", "task", "value", "run", ...) are found without being told.
    models : list of str, optional
        Wide frames: the columns that are models. Without it: all numeric columns that are nothing else.
    metric : str, optional
        The metric to pick where the table has several, else the name of the one it has.
    higher_is_better : bool, optional
        Needed where the metric's name is not a known one.
    resampling : Resampling, or a mapping from dataset to Resampling, optional
        The design where the columns do not say it.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp import Scores
    >>> frame = pd.DataFrame({"dataset": ["iris", "wine"], "rf": [0.95, 0.98], "svm": [0.96, 0.97]})
    >>> Scores.from_frame(frame, metric="accuracy").models
    ('rf', 'svm')
    """
    import narwhals as nw

    try:
        columns = nw.from_native(frame, eager_only=True).to_dict(as_series=False)
    except TypeError:
        raise ScoresError(
            f"`frame` must be a frame (pandas, polars, pyarrow, ...), got {type(frame).__name__}. Arrays are for "
            "Scores.from_arrays, files for read_scores."
        ) from None
    named = {"model": model, "dataset": dataset, "score": score, "repeat": repeat, "fold": fold}
    return from_table(
        columns,
        named,
        models=models,
        metric=metric,
        higher_is_better=higher_is_better,
        resampling=resampling,
    )


def from_table(
    columns: Columns,
    named: Mapping[str, str | None],
    *,
    models: Sequence[str] | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    resampling: Resampling | Mapping[str, Resampling] | None = None,
) -> "Scores":
    """Scores from the columns of a table, once it is plain lists."""
    if not columns or not len(next(iter(columns.values()))):
        raise ScoresError(f"The table must have rows, got none (columns: {name_list(columns) or 'none'}).")
    roles = _find_roles(columns, named)
    if "model" in roles and models is None:
        tables, layout = _long(columns, roles, metric), "long"
    else:
        tables, layout = _wide(columns, roles, models, metric), "wide"
    note = f"read as a {layout} table: " + ", ".join(f'{r} = "{c}"' for r, c in roles.items())
    results = [
        assemble.from_columns(
            labels,
            scores,
            resampling=resampling,
            metric=name,
            higher_is_better=higher_is_better,
            notes=(note.rstrip(": "),),
        )
        for name, labels, scores in tables
    ]
    return replace(results[0], other_metrics=tuple(results[1:]))


def _find_roles(columns: Columns, named: Mapping[str, str | None]) -> dict[str, str]:
    """role -> column, as named by the caller or by its usual names."""
    roles = {}
    for role, usual in ROLES.items():
        name = named.get(role)
        if name is not None:
            if name not in columns:
                raise unknown_name("column", name, columns)
            roles[role] = name
            continue
        found = [c for u in usual for c in columns if str(c).lower().strip() == u and c not in named.values()]
        if found:
            roles[role] = found[0]
    return roles


Table = tuple[str | None, Mapping[str, Sequence[Any]], NDArray[np.float64]]


def _long(columns: Columns, roles: dict[str, str], metric: str | None) -> list[Table]:
    """One (metric, label columns, scores) for each metric of a long table."""
    labels = {role: columns[c] for role, c in roles.items() if role not in ("score", "metric")}
    for role in ("model", "dataset", "repeat", "fold"):
        _check_labels(role, labels.get(role, ()))
    if "score" not in roles:
        known = [c for c in columns if str(c).lower().strip() in HIGHER | LOWER]
        if metric is not None and metric in columns:
            known = [metric]
        if not known:
            raise ScoresError(
                f"The table must have a column of scores, but its columns are {name_list(columns)}. Name it with "
                'score="...".'
            )
        roles["score"] = known[0] if len(known) == 1 else "several"
        return [(c, labels, _numbers(c, columns[c])) for c in known]
    scores = _numbers(roles["score"], columns[roles["score"]])
    if "metric" not in roles:
        name = metric or (roles["score"] if roles["score"].lower() not in ROLES["score"] else None)
        return [(name, labels, scores)]
    kinds = np.array([str(value) for value in columns[roles["metric"]]])
    names = list(dict.fromkeys(kinds.tolist()))
    if metric is not None and metric not in names:
        raise unknown_name("metric", metric, names)
    tables: list[Table] = []
    for name in [metric] if metric is not None else names:
        rows = np.flatnonzero(kinds == name)
        tables.append((name, {r: [c[i] for i in rows] for r, c in labels.items()}, scores[rows]))
    return tables


def _wide(columns: Columns, roles: dict[str, str], models: Sequence[str] | None, metric: str | None) -> list[Table]:
    """The one table of a wide frame, melted to long; cells of a model that was not run on a dataset are left out."""
    if models is not None:
        for name in models:
            if name not in columns:
                raise unknown_name("column", name, columns)
    free = [c for c in columns if c not in roles.values() and not _is_index(c)]
    text = [c for c in free if not _is_numeric(columns[c])]
    if models is None and text and "dataset" not in roles and len(text) == 1:
        roles["dataset"] = text[0]
        text = []
    chosen = list(models) if models is not None else [c for c in free if _is_numeric(columns[c])]
    if len(chosen) < 2 or (models is None and text):
        raise ScoresError(
            "The table is neither long (a `model` and a `score` column) nor wide (a numeric column for each of at "
            f"least two models): its columns are {name_list(columns, 20)}"
            + (f", of which {name_list(text)} hold text" if text else "")
            + '. Name the columns: model="...", score="..." for a long table, models=[...] for a wide one.'
        )
    keep_roles = {r: c for r, c in roles.items() if r not in ("model", "score", "metric")}
    n = len(columns[chosen[0]])
    keep = {r: columns[c] for r, c in keep_roles.items()}
    if not keep.keys() & {"dataset", "repeat", "fold"}:
        keep["dataset"] = [f"dataset {i + 1}" for i in range(n)]
    for role, values in keep.items():
        _check_labels(role, values)
    labels: dict[str, list[Any]] = {"model": [], **{r: [] for r in keep}}
    scores = []
    datasets = np.array([str(value) for value in keep.get("dataset", ["dataset"] * n)])
    for name in chosen:
        numbers = _numbers(name, columns[name])
        absent = ~np.isin(datasets, datasets[~np.isnan(numbers)])
        rows = np.flatnonzero(~absent)
        labels["model"] += [name] * rows.size
        for role, column in keep.items():
            labels[role] += [column[i] for i in rows]
        scores.append(numbers[rows])
    return [(metric, labels, np.concatenate(scores))]


def _is_index(column: object) -> bool:
    return str(column).strip() == "" or str(column).startswith("Unnamed:")


def _is_missing(value: object) -> bool:
    return value is None or value != value or str(value).strip().lower() in MISSING


def _is_numeric(values: Sequence[Any]) -> bool:
    try:
        return any(float(value) is not None for value in values if not _is_missing(value))
    except (TypeError, ValueError):
        return False


def _numbers(name: str, values: Sequence[Any]) -> NDArray[np.float64]:
    """A column as numbers, NaN where empty."""
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        pass
    numbers = np.empty(len(values))
    for i, value in enumerate(values):
        try:
            numbers[i] = np.nan if _is_missing(value) else float(value)
        except (TypeError, ValueError):
            raise ScoresError(f'The column "{name}" must hold numbers, got {value!r} in row {i + 1}.') from None
    return numbers


def _check_labels(role: str, values: Sequence[Any]) -> None:
    for i, value in enumerate(values):
        if _is_missing(value):
            raise ScoresError(f"Every row must have a {role}, but row {i + 1} has none.")
