"""Files in: csv, tsv, parquet, json and jsonl, long or wide; and logs of language models, by their content."""

import codecs
import csv
import inspect
import io
import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np

from bayescmp.checks import is_one_of
from bayescmp.errors import ScoresError, name_list, shown
from bayescmp.scores.columns import Columns, Labels, is_row_numbers, numbers
from bayescmp.scores.frames import ROLES, Designs, columns_of, from_table
from bayescmp.scores.logs import HARNESSES, decoded, parsed, recognised
from bayescmp.scores.table import Scores

MOST_ROWS = 10_000_000
"""A parquet file of a few kilobytes can hold billions of equal rows: they are counted before they are unpacked."""

LARGE = 2_000_000
"""Bytes of a csv file from which on it is worth importing pandas to read it."""
SAMPLE = 20_000
"""Bytes of a large csv file that show which of its columns are numbers."""
KINDS = {"names": "category", "numbers": "object", "text": "object", "rows": "int64", "scores": "float64"}
"""What pandas makes of the columns of a large csv file; categories would turn the labels 01 and 1 into one number."""

FORMATS = ("csv", "tsv", "json", "jsonl", "parquet")
ENDINGS = {f".{name}": name for name in FORMATS} | {".txt": "csv", ".ndjson": "jsonl", ".pq": "parquet"}


def read_scores(
    path: str | os.PathLike[str] | IO[Any],
    *,
    format: str | None = None,
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
    filter: str | None = None,
    split: str | None = None,
    unscored: str | None = None,
) -> Scores:
    """Scores from a file, csv, tsv, parquet, json (records or columns) or jsonl; or from logs of language models.

    Parameters
    ----------
    path : str, path, or file object
        A file object may be open for text or for bytes, such as `sys.stdin.buffer`. Logs of the LM Evaluation Harness,
        Inspect and HELM, files or folders, are recognised by their content.
    format : "csv", "tsv", "json", "jsonl" or "parquet", optional
        By the ending of the name if not given; a file object's content shows it. A file whose format is given is a
        table, not a log.
    model, dataset, score, repeat, fold, item, sample, cluster, models, metric, higher_is_better, resampling
    datasets, orient, keep
        As in `Scores.from_frame`. What was understood is in the result's `notes` and in its repr. For logs only
        `metric`, `higher_is_better`, `cluster` and `keep`: see the notes.
    filter, split, unscored : str, optional
        For logs only: see the notes.

    Notes
    -----
    For logs of language models, here and in the readers of each harness:

    - `path` is a file, a folder with all that is in it, a list of them, or a mapping from a model's name to its path.
      Models are called as in the logs unless a mapping names them.
    - `metric` is needed where the answers have several, and `filter` (lm-eval) or `split` (HELM) where a task has
      several. An error lists what there is.
    - `cluster` is the field of an item that names the group from which it comes, such as "passage".
    - `higher_is_better` is needed where neither the logs nor the metric's name show the direction.
    - `unscored` is "wrong" or "drop": what becomes of answers without a score. Without it they raise an error.
    - `keep` is "first" or "last": which run to use where a model has several of a task, the newest by default; and
      which answer where an item has several that are not samples, an error by default.
    - Items are matched by their names, and samples of an item are not items. Models that were asked something else
      under the same name, or in another way (examples in the prompt, limits, versions of a task), raise an error.

    See Also
    --------
    Scores.from_frame : the same for frames.
    Scores.from_lm_eval, Scores.from_inspect, Scores.from_helm : the same for logs of one harness.
    load_uci : results that come with the package.

    Examples
    --------
    >>> import io
    >>> read_scores(io.StringIO("dataset,rf,svm\\niris,0.95,0.96\\nwine,0.98,0.97"), metric="accuracy").models
    ('rf', 'svm')
    """
    if format is not None and not is_one_of(format, FORMATS):
        raise ScoresError(f"`format` must be one of {name_list(FORMATS)}, got {format!r}.")
    of_logs = {"filter": filter, "split": split, "unscored": unscored}
    harness = recognised(path) if format is None else None
    if harness is not None:
        options = of_logs | {"metric": metric, "higher_is_better": higher_is_better, "cluster": cluster, "keep": keep}
        others = {"model": model, "dataset": dataset, "score": score, "repeat": repeat, "fold": fold, "item": item}
        more = {"sample": sample, "models": models, "resampling": resampling, "datasets": datasets}
        return _read_logs(path, harness, options, others | more | {"orient": orient if orient != "datasets" else None})
    _refuse(of_logs, "logs of language models", f"{shown(path)} is a table")
    content, where, name = _open(path)
    named = {"model": model, "dataset": dataset, "score": score, "repeat": repeat, "fold": fold}
    named |= {"item": item, "sample": sample, "cluster": cluster}
    form = format or _format(content, name)

    def scores(columns: Columns) -> Scores:
        return from_table(
            Scores,
            columns,
            named,
            models=models,
            metric=metric,
            higher_is_better=higher_is_better,
            resampling=resampling,
            datasets=datasets,
            orient=orient,
            keep=keep,
        )

    if form in ("csv", "tsv") and len(content) >= LARGE:
        columns = _read_large(content, "\t" if form == "tsv" else None, named)
        try:
            if columns is not None:
                return scores(columns)
        except ScoresError:
            pass  # the reader below words it by row and cell
        del columns
    return scores(_read_parquet(content, where) if form == "parquet" else READERS[form](decoded(content, where), where))


def _read_logs(path: Any, harness: str, options: Mapping[str, Any], others: Mapping[str, Any]) -> Scores:
    """Scores from the logs of a harness; raises for an option that its reader does not have."""
    read = getattr(Scores, f"from_{harness}")
    known = inspect.signature(read).parameters
    logs = f"{shown(path)} holds logs of {HARNESSES[harness]}"
    _refuse(others, "tables", logs)
    _refuse({name: value for name, value in options.items() if name not in known}, "logs of other harnesses", logs)
    scores: Scores = read(path, **{name: value for name, value in options.items() if name in known})
    return scores


def _refuse(options: Mapping[str, Any], what_for: str, but: str) -> None:
    """Raise if an option is given that is for something else."""
    for name, value in options.items():
        if value is not None:
            raise ScoresError(f"`{name}` is for {what_for}, but {but}. Leave it out.")


def _open(path: Any) -> tuple[bytes, str, str | None]:
    """The content, what messages call it, and the name of the file; None for a file object."""
    name = None
    if hasattr(path, "read"):
        try:
            content = path.read()
        except (OSError, ValueError) as error:  # closed, not open for reading, or not UTF-8
            raise ScoresError(f"`path` must be a file object that can be read: {error}.") from None
        content = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        where = getattr(path, "name", None)
        if path in (sys.stdin, getattr(sys.stdin, "buffer", None)):
            where = "standard input"
        elif not isinstance(where, str):
            where = "the file object"
        if not isinstance(content, bytes):
            raise ScoresError(f"`path` must be a file object of text or bytes, got {type(content).__name__}.")
    elif isinstance(path, (str, os.PathLike)) and isinstance(os.fspath(path), str) and os.fspath(path):
        file, where = Path(path), str(path)
        try:
            found = file.is_file()
        except OSError as error:  # such as a name that is too long
            raise ScoresError(f"`path` must be the path of a file, got {where[:60]!r}...: {error.strerror}.") from None
        if not found:
            kind = " (it is a folder)" if file.is_dir() else ""
            raise ScoresError(f'There is no file "{file}"{kind}. Check the path.')
        content, name = file.read_bytes(), file.name
    else:
        raise ScoresError(
            f"`path` must be the path of a file, or a file object, got {path!r}. Frames are for Scores.from_frame."
        )
    if not content or content.isspace():
        raise ScoresError(f'"{where}" is empty ({len(content)} bytes). Was the run that writes it cut off?')
    return content, where, name


def _format(content: bytes, name: str | None) -> str:
    """By the ending of the file's name; by the content where there is no name."""
    if name is None:
        return _sniff(content)
    ending = Path(name).suffix.lower()
    if ending not in ENDINGS:
        raise ScoresError(
            f'"{name}" must end in one of {", ".join(ENDINGS)}, got "{ending}". If it is one of these by another name, '
            "give format=."
        )
    return ENDINGS[ending]


def _sniff(content: bytes) -> str:
    """JSON starts with a bracket; lines of records start with one each; all else is csv (or tsv: the reader sees)."""
    if content.startswith(b"PAR1"):
        return "parquet"
    start = content.removeprefix(codecs.BOM_UTF8).lstrip()
    if start.startswith(b"["):
        return "json"
    if not start.startswith(b"{"):
        return "csv"
    first, *others = (line for line in start.splitlines() if line.strip())
    return "jsonl" if (others and first.rstrip().endswith(b"}")) or b"[" not in start else "json"


def _read_tabbed(text: str, path: str) -> Columns:
    return _read_delimited(text, path, "\t")


def _read_delimited(text: str, path: str, delimiter: str | None = None) -> Columns:
    delimiter = delimiter or max(",;\t", key=text.split("\n", 1)[0].count)
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(row)]
    except csv.Error as error:
        raise ScoresError(f'"{path}" cannot be read as csv: {error}.') from None
    if not rows:
        raise ScoresError(f'"{path}" has no rows.')
    header, *body = rows
    header = [name.strip() for name in header]
    while header and not header[-1] and not any(any(row[len(header) - 1 :]) for row in body):
        header.pop()  # a column without a name and without values: commas at the ends of the lines
        body = [row[: len(header)] for row in body]
    if len(set(header)) < len(header):
        twice = sorted(name for name, n in Counter(header).items() if n > 1)
        raise ScoresError(f'Every column of "{path}" must have its own name, got {name_list(twice)} twice.')
    for i, row in enumerate(body, start=2):
        if len(row) != len(header):
            raise ScoresError(
                f'Every row of "{path}" must have {len(header)} fields as its header has, but row {i} has {len(row)}.'
            )
    return {name: [row[i] for row in body] for i, name in enumerate(header)}


def _read_large(content: bytes, delimiter: str | None, named: Mapping[str, str | None]) -> Columns | None:
    """The columns of an ordinary csv file, labels as `Labels` and numbers as arrays; None where it is not ordinary.

    The same values as by `_read_delimited`, which takes what is unusual: cells without a value, rows of other lengths,
    empty lines, columns of one name. Each label is looked at once, not once per row.
    """
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        start = content[:SAMPLE].decode() if content.isascii() else content.decode()[:SAMPLE]
    except UnicodeDecodeError:
        return None
    first, newline, rest = start.partition("\n")
    delimiter = delimiter or max(",;\t", key=first.count)
    try:
        header, *sample = csv.reader([first, *rest.split("\n")[:-1]], delimiter=delimiter)
    except (csv.Error, ValueError):
        return None
    header = [name.strip() for name in header]
    k = len(header)
    plain = b"\0" not in content and (b"\r" not in content or content.count(b"\r") == content.count(b"\r\n"))
    if not plain or not newline or not sample or len(set(header)) < k or any(len(row) != k for row in sample):
        return None
    kinds = {i: _kind(name, [row[i] for row in sample], named) for i, name in enumerate(header)}
    frame = _parse(content, delimiter, kinds)
    lines = _count(content, "\n") + (not content.endswith(b"\n"))
    if frame is None or lines != len(frame) + 1 or _count(content, delimiter) != lines * (k - 1):
        return None
    columns: Columns = {}
    for i, name in enumerate(header):
        column = frame.pop(i)
        if kinds[i] in ("names", "numbers"):
            codes, different = column.factorize()
            columns[name] = Labels([str(label) for label in different], codes)
            ordinary = "" not in different and (kinds[i] == "numbers" or all(isinstance(x, str) for x in different))
        elif kinds[i] == "text":
            columns[name] = column.tolist()
            ordinary = "" not in columns[name]
        elif kinds[i] == "rows":
            ordinary = is_row_numbers(column.to_numpy())
        else:
            columns[name] = column.to_numpy()
            ordinary = bool(np.isfinite(columns[name]).all())
        if not ordinary:
            return None
    return columns


def _count(content: bytes, character: str) -> int:
    """How often a character is there; `bytes.count` is slow where that is often."""
    codes, step = np.frombuffer(content, np.uint8), 2**20
    return sum(int(np.count_nonzero(codes[i : i + step] == ord(character))) for i in range(0, codes.size, step))


def _kind(name: str, sample: list[str], named: Mapping[str, str | None]) -> str:
    """What a column is, a key of `KINDS`."""
    roles = [role for role, column in named.items() if column == name]
    roles = roles or [role for role, usual in ROLES.items() if name.lower() in usual and named.get(role) is None]
    try:
        plain = numbers({name: sample})[1] is None
    except ScoresError:
        plain = False
    if {"model", "dataset", "repeat", "fold", "metric"} & set(roles):
        return "numbers" if plain else "names"
    if name == "" and is_row_numbers(sample):
        return "rows"
    return "scores" if plain else "text"


def _parse(content: bytes, delimiter: str, kinds: Mapping[int, str]) -> Any:
    """The frame that pandas reads without its first line; None where it cannot, or is not installed."""
    if find_spec("pandas") is None:
        return None
    import pandas as pd

    # the default is exact from 3.1 on, where the option is deprecated
    exact: Any = {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return pd.read_csv(
                io.BytesIO(content),
                sep=delimiter,
                header=None,
                skiprows=1,
                names=list(kinds),
                dtype={i: KINDS[kind] for i, kind in kinds.items()},
                index_col=False,
                na_filter=False,
                low_memory=False,
                **exact,
            )
    except (ValueError, OverflowError):
        return None


def _read_json(text: str, path: str) -> Columns:
    data = parsed(text, path)
    if isinstance(data, dict):
        if not all(isinstance(column, list) for column in data.values()):
            raise ScoresError(f'"{path}" must hold a list of records or a dict of columns.')
        if len({len(column) for column in data.values()}) > 1:
            raise ScoresError(f'All columns of "{path}" must have the same length.')
        return data
    return _columns_of_records(data, path)


def _read_json_lines(text: str, path: str) -> Columns:
    lines = [parsed(line, f"{path}, line {i}") for i, line in enumerate(text.splitlines(), start=1) if line.strip()]
    return _columns_of_records(lines, path)


def _columns_of_records(records: Any, path: str) -> Columns:
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise ScoresError(f'"{path}" must hold records like {{"model": "rf", "score": 0.9}}.')
    names = list(dict.fromkeys(name for record in records for name in record))
    return {name: [record.get(name) for record in records] for name in names}


def _read_parquet(content: bytes, where: str) -> Columns:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise ScoresError('Reading parquet needs pyarrow. Install it with: pip install "bayescmp[parquet]"') from None
    try:
        with ParquetFile(io.BytesIO(content)) as file:
            rows = file.metadata.num_rows
            table = file.read() if rows <= MOST_ROWS else None
        if table is not None:
            table.validate(full=True)  # names that are not UTF-8 would fail later, with pyarrow's own error
            frame = table.to_pandas()
    except Exception as error:  # pyarrow raises its own classes, OSError and ValueError for broken files
        raise ScoresError(f'"{where}" is not a parquet file that can be read: {error}') from None
    if table is None:
        raise ScoresError(
            f'"{where}" has {rows:,} rows, and at most {MOST_ROWS:,} are read. Select or average them first.'
        )
    return columns_of(frame)


READERS: dict[str, Callable[[str, str], Columns]] = {
    "csv": _read_delimited,
    "tsv": _read_tabbed,
    "json": _read_json,
    "jsonl": _read_json_lines,
}
"""How text becomes columns, by its format."""
