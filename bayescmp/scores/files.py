"""Files in: csv, tsv, parquet, json and jsonl, long or wide."""

import csv
import io
import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bayescmp.errors import ScoresError, name_list
from bayescmp.scores.frames import Columns, from_table
from bayescmp.scores.table import Scores

ARGUMENTS = ("model", "dataset", "score", "repeat", "fold", "models", "metric", "higher_is_better", "resampling")

MOST_ROWS = 10_000_000
"""A parquet file of a few kilobytes can hold billions of equal rows: they are counted before they are unpacked."""


def read_scores(path: str | Path, **columns: Any) -> Scores:
    """Scores from a file: csv, tsv, parquet, json (records or columns) or jsonl.

    Parameters
    ----------
    path : str or path
        The ending tells the format.
    **columns
        As in `Scores.from_frame`: `model`, `dataset`, `score`, `repeat`, `fold`, `models`, `metric`,
        `higher_is_better`, `resampling`. What was understood is in the result's `notes` and in its repr.

    See Also
    --------
    Scores.from_frame : the same for frames.
    load_uci : results that come with the package.

    Examples
    --------
    >>> scores = read_scores("results.csv")  # doctest: +SKIP
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ScoresError(f"`path` must be the path of a file, got {path!r}. Frames are for Scores.from_frame.")
    path = Path(path)
    if not path.is_file():
        raise ScoresError(f'There is no file "{path}"{" (it is a folder)" if path.is_dir() else ""}. Check the path.')
    if path.stat().st_size == 0:
        raise ScoresError(f'"{path}" is empty (0 bytes). Was the run that writes it cut off?')
    ending = path.suffix.lower()
    if ending in (".parquet", ".pq"):
        return Scores.from_frame(_read_parquet(path), **columns)
    if ending not in READERS:
        raise ScoresError(f'"{path.name}" must end in .parquet or one of {", ".join(READERS)}, got "{ending}".')
    return parse_scores(_text(path), ending, str(path), **columns)


def parse_scores(text: str, ending: str, where: str, **columns: Any) -> Scores:
    """Scores from the text of a file: its ending tells the format, `where` is its name in messages."""
    for name in columns:
        if name not in ARGUMENTS:
            raise TypeError(f"read_scores takes {', '.join(ARGUMENTS)}, got {name!r}.")
    table = READERS[ending](text, where)
    named = {role: columns.pop(role, None) for role in ("model", "dataset", "score", "repeat", "fold")}
    return from_table(Scores, table, named, **columns)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScoresError(f'"{path}" must be text in UTF-8, but byte {error.start} is not. Save it as UTF-8.') from None


def _read_tabbed(text: str, path: str) -> Columns:
    return _read_delimited(text, path, "\t")


def _read_delimited(text: str, path: str, delimiter: str | None = None) -> Columns:
    delimiter = delimiter or max(",;\t", key=text.split("\n", 1)[0].count)
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(row)]
    except csv.Error as error:
        raise ScoresError(f'"{path}" cannot be read as csv: {error}.') from None
    if not rows:
        raise ScoresError(f'"{path}" holds no rows.')
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


def _read_json(text: str, path: str) -> Columns:
    data = _parse_json(text, path)
    if isinstance(data, dict):
        if not all(isinstance(column, list) for column in data.values()):
            raise ScoresError(f'"{path}" must hold a list of records or a dict of columns.')
        if len({len(column) for column in data.values()}) > 1:
            raise ScoresError(f'All columns of "{path}" must have the same length.')
        return data
    return _columns_of_records(data, path)


def _read_json_lines(text: str, path: str) -> Columns:
    lines = [
        _parse_json(line, f"{path}, line {i}") for i, line in enumerate(text.splitlines(), start=1) if line.strip()
    ]
    return _columns_of_records(lines, path)


def _parse_json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScoresError(f'"{where}" is not JSON: {error}.') from None


def _columns_of_records(records: Any, path: str) -> Columns:
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise ScoresError(f'"{path}" must hold records like {{"model": "rf", "score": 0.9}}.')
    names = list(dict.fromkeys(name for record in records for name in record))
    return {name: [record.get(name) for record in records] for name in names}


def _read_parquet(path: Path) -> Any:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise ScoresError('Reading parquet needs pyarrow. Install it with: pip install "bayescmp[parquet]"') from None
    try:
        with ParquetFile(path) as file:
            rows = file.metadata.num_rows
            table = file.read() if rows <= MOST_ROWS else None
        if table is not None:
            table.validate(full=True)  # names that are not UTF-8 would fail later, with pyarrow's own error
            return table.to_pandas()
    except Exception as error:  # pyarrow raises its own classes, OSError and ValueError for broken files
        raise ScoresError(f'"{path}" is not a parquet file that can be read: {error}') from None
    raise ScoresError(f'"{path}" has {rows:,} rows, and at most {MOST_ROWS:,} are read. Select or average them first.')


READERS: dict[str, Callable[[str, str], Columns]] = {
    ".csv": _read_delimited,
    ".tsv": _read_tabbed,
    ".txt": _read_delimited,
    ".json": _read_json,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
}
"""How the text of a file becomes columns, by the ending of its name."""
