"""Where an answer goes and how it looks: tables for people, JSON and csv for programs."""

import csv
import io
import json
import math
import os
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from bayescmp.files import check_target, write_text
from bayescmp.text import csv_text, plain

FORMAT = 1
"""The version of the JSON output: it grows when a field changes its meaning or goes away."""

RULE = "\u2500"
REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the order of what follows on the line."""


def emit(text: str, output: Path | None, overwrite: bool = False) -> None:
    """Print an answer, or write it to a file: whole or not at all."""
    text = text if text.endswith("\n") else text + "\n"
    if output is None:
        click.echo(text, nl=False, color=True)  # names stay as they are; tables are coloured for terminals only
        return
    write_text(output, text, overwrite)


def check_free(path: Path | None, overwrite: bool) -> None:
    """Refuse to replace a file, before any work is done."""
    if path is not None:
        check_target(path, overwrite)


def as_json(kind: str, fields: Mapping[str, Any]) -> str:
    """One JSON object, ASCII only; infinities are the texts "inf" and "-inf", NaN is null."""
    from bayescmp.text import versions

    head = {"format": FORMAT, "kind": kind, "version": versions()["bayescmp"]}
    return json.dumps(_finite(plain(head | dict(fields))), indent=2, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(x) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(x) for x in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows with a header; lists are joined by "; ", and no spreadsheet takes a text for a formula."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        cells = {
            name: csv_text("; ".join(map(str, x)) if isinstance(x, (list, tuple)) else x)
            for name, x in plain(dict(row)).items()
        }
        writer.writerow(cells)
    return text.getvalue()


def visible(text: object) -> str:
    """A text in which no character moves the cursor, colours the terminal or turns the line around."""
    return "".join(c if _is_safe(c) else c.encode("unicode_escape").decode() for c in str(text))


def _is_safe(c: str) -> bool:
    return c not in REORDERING and unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp")


def visible_lines(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(map(visible, text.split("\n")))


def as_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], sides: str) -> str:
    """A table for people: as wide as the terminal, plain and as wide as it needs to be elsewhere.

    `sides` has a letter a column: n for names, which fold where the terminal is narrow, l and r for what is short and
    stands at the left or right. Nothing is ever cut.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    cells = [[visible(cell) for cell in row] for row in rows]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    least = 0
    for i, (name, side) in enumerate(zip(columns, sides, strict=True)):
        width = max(_width(text) for text in (name, *(row[i] for row in cells)))
        width = min(width, 12) if side == "n" else width
        least += width + 2
        table.add_column(Text(name), justify="right" if side == "r" else "left", overflow="fold", min_width=width)
    for row in cells:
        table.add_row(*map(Text, row))
    terminal = sys.stdout.isatty()
    wide = max(least, _terminal_width()) if terminal else 1_000_000
    stream = io.StringIO()
    colour = terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    console = Console(file=stream, width=wide, force_terminal=colour, color_system="standard" if colour else None)
    console.print(table, soft_wrap=False)
    lines = [line.rstrip() for line in stream.getvalue().splitlines()]
    if not terminal or "utf" not in (sys.stdout.encoding or "").lower():
        lines = ["-" * len(line) if line and set(line) == {RULE} else line for line in lines]
    return "\n".join([visible(title), *lines] if title else lines)


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _terminal_width() -> int:
    import shutil

    return shutil.get_terminal_size().columns
