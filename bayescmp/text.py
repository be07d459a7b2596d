"""Numbers and names for people; plain data for JSON; and the versions that made them."""

import math
import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from importlib.machinery import PathFinder
from typing import Any

JOINERS = "\u200c\u200d\ufe0f"
"""Invisible, but emoji and some scripts are spelled with them."""
REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the order of what follows on the line."""


def probability(p: float, mcse: float = 0.0, threshold: float | None = None) -> str:
    """A probability with three decimals, fewer where its Monte-Carlo error is larger than the last of them.

    More where it would be rounded up to a `threshold` that it does not reach, or down from it.
    """
    decimals = 3 if mcse <= 0 else min(3, max(1, math.ceil(-math.log10(2 * mcse))))
    while threshold is not None and (round(p, decimals) >= threshold) != (p >= threshold):
        decimals += 1
    return f"{p:.{decimals}f}"


def percent(p: float, mcse: float = 0.0, threshold: float | None = None) -> str:
    """The same digits as `probability`, as a percentage; what is only rounded to 0 or 100 % is said to be near."""
    shown = probability(p, mcse, threshold)
    decimals = max(0, len(shown.partition(".")[2]) - 2)
    value, step = 100 * float(shown), 10.0**-decimals
    if value in (0.0, 100.0) and (0 < p < 1 or mcse > 0):
        return f"more than {100 - step:.{decimals}f} %" if value else f"less than {step:.{decimals}f} %"
    return f"{value:.{decimals}f} %"


BOLD, BLUE, ORANGE, GREY = "1", "1;38;5;32", "1;38;5;166", "38;5;245"
"""Colours of a terminal (SGR codes of its 256) that can be read on black and on white; those of the figures."""


def painted(text: str, code: str) -> str:
    """A text in a terminal's colour."""
    return f"\x1b[{code}m{text}\x1b[0m"


def counted(n: int, what: str) -> str:
    """1 pair, 2 pairs."""
    return f"{n} {what}{'' if n == 1 else 's'}"


def number(x: float, width: float) -> str:
    """A number with the decimals that resolve a thirtieth of the width of its interval."""
    if width <= 0 or not math.isfinite(width) or not math.isfinite(x):
        return f"{x + 0.0:.4g}"
    decimals = math.ceil(math.log10(30) - math.log10(width))
    if abs(x) >= 1e6 or decimals > 6:
        return f"{x + 0.0:.{min(6, max(2, 2 + _magnitude(x) - _magnitude(width)))}g}"
    rounded = round(x, decimals) + 0.0  # + 0.0 turns -0.0 into 0.0
    return f"{rounded:.{max(decimals, 0)}f}"


IN_PERCENT = ("log", "relative")
"""Scales whose differences are read in percent."""


def ratio_percent(difference: float, scale: str, higher_is_better: bool) -> float:
    """By how many percent of B's score A's is better, for an oriented difference on a scale of `IN_PERCENT`.

    A log ratio d is a factor e^d: A's score is e^d - 1 higher than B's where higher is better, and 1 - e^-d lower where
    lower is. A relative difference is a share of the mean of both.
    """
    if scale != "log":
        return 100 * difference
    try:
        return 100 * (math.expm1(difference) if higher_is_better else -math.expm1(-difference))
    except OverflowError:
        return math.inf if higher_is_better else -math.inf


def amounts(
    differences: Sequence[float], ends: tuple[float, float], scale: str = "score", higher_is_better: bool = True
) -> list[str]:
    """Differences with the digits that an interval from low to high leaves them, in percent on the scales of ratios."""
    if scale not in IN_PERCENT:
        return [number(x, ends[1] - ends[0]) for x in differences]
    low, high = (ratio_percent(x, scale, higher_is_better) for x in ends)
    return [f"{number(ratio_percent(x, scale, higher_is_better), high - low)} %" for x in differences]


def border(difference: float, scale: str, higher_is_better: bool) -> str:
    """A border of a rope on a scale of `IN_PERCENT`, in percent with two digits (three from 10 on)."""
    x = ratio_percent(difference, scale, higher_is_better)
    return f"{x + 0.0:.{2 if abs(x) < 9.95 else 3}g}"


def statistic(x: float) -> str:
    """A test's statistic: counts and rank sums in full, others with four digits (five where that saves an exponent)."""
    if abs(x) < 1e15 and (2 * x).is_integer():
        return f"{x + 0.0:.{0 if x.is_integer() else 1}f}"
    return f"{x:.5g}" if 1e4 <= abs(x) < 1e5 else f"{x:.4g}"


def p_value(p: float, alpha: float | None = None) -> str:
    """A p-value as papers print it: without the zero before the point, and never as 0.

    With more than three decimals where rounding would carry it over the level `alpha`.
    """
    decimals = 3
    while alpha is not None and (round(p, decimals) <= alpha) != (p <= alpha):
        decimals += 1
    return "p < .001" if p < 0.0005 and decimals == 3 else f"p = {unit_number(p, decimals)}"


def short_p_value(p: float, alpha: float) -> str:
    """The p-value for a column of a table."""
    return p_value(p, alpha).removeprefix("p ").removeprefix("= ").replace("< ", "<")


def unit_number(x: float, decimals: int = 2) -> str:
    """A number that cannot exceed 1, without the zero before the point."""
    text = f"{round(x, decimals) + 0.0:.{decimals}f}"
    return text.replace("0.", ".", 1) if abs(x) < 1 and "1." not in text else text


def one_line(text: Any) -> str:
    """The text on one line, with a visible mark for each control character, also those that turn the reading order."""
    joined = " ".join(str(text).split())
    if joined.isprintable():
        return joined
    hidden = ("Cc", "Cf", "Cs", "Co")
    return "".join("\ufffd" if unicodedata.category(x) in hidden and x not in JOINERS else x for x in joined)


def visible(text: str, keep: str = "\n") -> str:
    """A text in which no character moves the cursor, colours the terminal or turns a line around: these are escaped."""
    return text if text.isprintable() else "".join(x if x in keep or _is_safe(x) else _escaped(x) for x in text)


def visible_lines(lines: Iterable[str]) -> str:
    """Lines of a repr, where no name can start another line or do what `visible` prevents."""
    return "\n".join(visible(line, keep="") for line in lines)


def _is_safe(x: str) -> bool:
    return x not in REORDERING and unicodedata.category(x) not in ("Cc", "Cs", "Zl", "Zp")


def _escaped(x: str) -> str:
    return x.encode("unicode_escape").decode()


def short_name(name: str, most: int = 40) -> str:
    """A name that fits a line: cut in the middle where it is long, so that its start and its end are seen."""
    line = one_line(name)
    return line if len(line) <= most else f"{line[: most // 2]}...{line[-(most // 2 - 3) :]}"


def safe_text(text: Any) -> Any:
    """A text that no spreadsheet takes for a formula: an apostrophe before a leading =, +, -, @, tab or return."""
    return f"'{text}" if isinstance(text, str) and text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def about_row(result: Any) -> dict[str, Any]:
    """The first columns of a result's row: what was compared, and by what."""
    return {
        "a": result.a,
        "b": result.b,
        "metric": result.metric,
        "dataset": result.datasets[0] if len(result.datasets) == 1 else None,
        "n": result.n,
        "method": result.method,
    }


def text_table(columns: Sequence[str], rows: Sequence[Sequence[str]], sides: str) -> str:
    """A table in plain text; `sides` has for each column l (left) or r (right). Nothing is cut."""
    cells = [[one_line(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(map(display_width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padded = [
            " " * (width - display_width(cell)) + cell if side == "r" else cell + " " * (width - display_width(cell))
            for cell, width, side in zip(row, widths, sides, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join([lines[0], "-" * (sum(widths) + 2 * (len(widths) - 1)), *lines[1:]])


def display_width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(x) or x in JOINERS else 2 if unicodedata.east_asian_width(x) in "WF" else 1
        for x in text
    )


def _magnitude(x: float) -> int:
    return math.floor(math.log10(abs(x))) if x else -9


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    import numpy

    return (
        ("bayescmp", sys.modules["bayescmp"].__version__),
        ("numpy", numpy.__version__),
        ("scipy", _scipy_version()),
    )


def _scipy_version() -> str:
    """As its file says: to import scipy for that takes as long as a small test."""
    with suppress(AttributeError, ImportError, OSError):  # where it is installed in another way
        folder: Any = PathFinder.find_spec("scipy")
        file: Any = PathFinder.find_spec("version", folder.submodule_search_locations)
        if found := re.search('^version = "(.+)"', file.loader.get_source("version"), re.M):
            return found[1]
    import scipy

    return scipy.__version__


def versions() -> dict[str, str]:
    """The versions that a result was computed with."""
    return dict(_versions())
