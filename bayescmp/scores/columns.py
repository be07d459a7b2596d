"""The columns of a table: labels, each different one kept once, and numbers in the ways people write them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from bayescmp.errors import ScoresError, shown

Floats = NDArray[np.float64]
Column = Sequence[Any] | Floats
Columns = dict[str, Column]

MISSING = frozenset(("", "na", "n/a", "nan", "null", "none"))
TRUTH = {"true": 1.0, "false": 0.0}
NUMBER = r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?"
PLUS_MINUS = r"(?:±|\+/-|\+-|\\pm)"
WRITTEN = re.compile(
    rf"\$?\s*({NUMBER})\s*%?\s*(?:({PLUS_MINUS})\s*({NUMBER})|(\()\s*{PLUS_MINUS}?\s*({NUMBER})\s*%?\s*\))?\s*%?\s*\$?"
)
"""A number, and after it perhaps its spread: "86.0", "86.0%", "0,86", "86.0 ± 0.3", "86.0 (0.3)"."""
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")


class Labels(Sequence[str]):
    """A column of text: its different values, and for each row the number of its own."""

    def __init__(self, different: Sequence[str], codes: NDArray[np.integer]) -> None:
        self.different, self.codes = different, codes

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, i: int) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> "Labels": ...
    def __getitem__(self, i: int | slice) -> "str | Labels":
        return Labels(self.different, self.codes[i]) if isinstance(i, slice) else self.different[self.codes[i]]

    def __iter__(self) -> Iterator[str]:
        return map(self.different.__getitem__, self.codes.tolist())


def label_codes(values: Column) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Distinct labels in order of first appearance, and each row's number among them."""
    if isinstance(values, np.ndarray):
        numbers, first_row, codes = np.unique(values, return_index=True, return_inverse=True)
        order = np.argsort(first_row)
        rank = np.empty(order.size, np.intp)
        rank[order] = np.arange(order.size)
        return tuple(str(x) for x in numbers[order].tolist()), rank[codes]
    if not isinstance(values, Labels):
        first: dict[str, int] = {}
        codes = np.fromiter((first.setdefault(str(x), len(first)) for x in values), np.intp, len(values))
        return tuple(first), codes
    n = len(values)
    row = np.full(len(values.different), n)
    row[values.codes[::-1]] = np.arange(n - 1, -1, -1)  # the last that is written is the first that appears
    order = np.argsort(row)[: np.count_nonzero(row < n)]
    rank = np.zeros(row.size, np.intp)
    rank[order] = np.arange(order.size)
    return tuple(values.different[i] for i in order), rank[values.codes]


def take(values: Column, rows: NDArray[np.intp]) -> Column:
    """Some rows of a column."""
    if isinstance(values, Labels):
        return Labels(values.different, values.codes[rows])
    return values[rows] if isinstance(values, np.ndarray) else [values[i] for i in rows.tolist()]


def first_missing(values: Column) -> int | None:
    """The first row without a value, if any."""
    if isinstance(values, Labels):
        empty = [i for i, value in enumerate(values.different) if is_missing(value)]
        return next(iter(np.flatnonzero(np.isin(values.codes, empty)).tolist()), None) if empty else None
    if isinstance(values, np.ndarray):
        return next(iter(np.flatnonzero(np.isnan(values)).tolist()), None)
    return next((i for i, value in enumerate(values) if is_missing(value)), None)


def is_row_numbers(values: Column) -> bool:
    """Whether a column counts its rows: 0, 1, 2, ... or 1, 2, 3, ..."""
    if isinstance(values, np.ndarray):
        return any(np.array_equal(values, np.arange(start, start + values.size)) for start in (0, 1))
    return any(all(str(value) == str(i) for i, value in enumerate(values, start)) for start in (0, 1))


def is_missing(value: object) -> bool:
    """Whether a cell is empty; words such as "none" are only empty where a number should be."""
    return value is None or value != value or str(value).strip() == ""


# ---- numbers


@dataclass(frozen=True)
class Cell:
    """A cell that holds a number: what was written, the number, and how it was written."""

    column: str
    row: int
    value: Any
    number: float
    spread: str
    percent: bool
    truth: bool
    comma: bool | None
    """None where the number is whole."""

    @property
    def style(self) -> tuple[str, bool, bool]:
        return self.spread, self.percent, self.truth


def is_numeric(values: Column) -> bool:
    """Whether a column holds numbers, all written alike."""
    try:
        found, _ = numbers({"": values})
    except ScoresError:
        return False
    return not np.isnan(found[""]).all()


def is_truth(values: Column) -> bool:
    """Whether a column holds only True and False."""
    if isinstance(values, np.ndarray):
        return False
    different = values.different if isinstance(values, Labels) else values
    return all(str(value).strip().lower() in TRUTH for value in different if not is_missing(value))


def is_written(values: Column) -> bool:
    """Whether a cell of this column is a number that Python writes in another way, such as "86.0 ± 0.3" or "0,86"."""
    if isinstance(values, np.ndarray):
        return False
    cells = (_cell("", 0, value) for value in (values.different if isinstance(values, Labels) else values))
    return any(cell is not None and (cell.comma or cell.style != ("", False, False)) for cell in cells)


def numbers(columns: Mapping[str, Column]) -> tuple[dict[str, Floats], str | None]:
    """Columns as numbers, NaN where empty; and a note where they are written in another way than Python's.

    Such cells are read only if all cells of these columns are written alike.
    """
    try:
        return {name: _plain_numbers(values) for name, values in columns.items()}, None
    except (TypeError, ValueError, OverflowError):
        return _written_alike(columns)


def _plain_numbers(values: Column) -> Floats:
    if isinstance(values, np.ndarray):
        return np.asarray(values, dtype=float)
    if isinstance(values, Labels):
        return np.array([_plain_number(value) for value in values.different])[values.codes]
    return np.fromiter(map(_plain_number, values), float, len(values))


def _plain_number(value: Any) -> float:
    """A cell as a number, NaN where it is empty; text that Python reads in its own way (1_5, True) is not a number."""
    if is_missing(value) or str(value).strip().lower() in MISSING:
        return float("nan")
    if isinstance(value, (bool, np.bool_, complex)) or (isinstance(value, str) and "_" in value):
        raise ValueError(value)
    return float(value)


def _written_alike(columns: Mapping[str, Column]) -> tuple[dict[str, Floats], str | None]:
    """Numbers with a spread, with a percent sign, with a decimal comma, or True and False; raises by cell."""
    cells = []
    found = {name: np.full(len(values), np.nan) for name, values in columns.items()}
    for name, values in columns.items():
        for row, value in enumerate(values):
            if is_missing(value) or str(value).strip().lower() in MISSING:
                continue
            cell = _cell(name, row, value)
            if cell is None:
                raise ScoresError(f'The column "{name}" must hold numbers, got {shown(value)} in row {row + 1}.')
            cells.append(cell)
            found[name][row] = cell.number
    first = cells[0]
    with_mark = [cell for cell in cells if cell.comma is not None]
    for cell, like in ((c, first) for c in cells if c.style != first.style):
        raise _unlike(cell, like)
    for cell, like in ((c, with_mark[0]) for c in with_mark if c.comma != with_mark[0].comma):
        raise _unlike(cell, like)
    if with_mark and with_mark[0].comma:
        if all(THOUSANDS.match(str(cell.value).strip()) for cell in with_mark):
            cell = with_mark[0]
            raise ScoresError(
                f'The column "{cell.column}" has {shown(cell.value)} in row {cell.row + 1}, and no cell shows whether '
                "the comma is a decimal comma or separates thousands. Write the numbers with a decimal point."
            )
        first = with_mark[0]
    spread = ", without the spread after it" if first.spread else ""
    return found, f"cells like {shown(first.value)} are read as {first.number:g}{spread}"


def _unlike(cell: Cell, like: Cell) -> ScoresError:
    return ScoresError(
        f'The numbers of a table must be written alike, but "{like.column}" has {shown(like.value)} in row '
        f'{like.row + 1} and "{cell.column}" has {shown(cell.value)} in row {cell.row + 1}. Write them in one way.'
    )


def _cell(column: str, row: int, value: Any) -> Cell | None:
    """A cell as it is written; None where it is not a number."""
    text = str(value).strip()
    if text.lower() in TRUTH:
        return Cell(column, row, value, TRUTH[text.lower()], "", False, True, None)
    try:
        return Cell(column, row, value, _plain_number(value), "", False, False, False if "." in text else None)
    except (TypeError, ValueError, OverflowError):
        pass
    match = WRITTEN.fullmatch(text) if isinstance(value, str) else None
    if match is None:
        return None
    number, plus_minus, spread, bracket, in_brackets = match.groups()
    every = [part for part in (number, spread, in_brackets) if part]
    comma = any("," in part for part in every)
    if comma and any("." in part for part in every):
        return None
    percent = "%" in text
    mark = comma or (False if any("." in part for part in every) else None)
    plain = number.replace(",", ".")
    if percent:  # shifted as text, so that 86.3% is the number that 0.863 is
        digits, _, power = plain.lower().partition("e")
        plain = f"{digits}e{int(power or 0) - 2}"
    return Cell(column, row, value, float(plain), "±" if plus_minus else bracket or "", percent, False, mark)
