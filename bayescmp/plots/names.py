"""Names that fit: measured, wrapped into lines or shortened in the middle, and still distinct."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate

import matplotlib
from matplotlib.font_manager import FontProperties, findfont, get_font

from bayescmp.text import one_line

GAP = "\N{HORIZONTAL ELLIPSIS}"
PART = 5
"""Letters of a word that may stand alone on a line."""
MISSING = "?"
"""Shown for a character that the font does not have."""


def fit_names(names: Iterable[str], width: float, size: float, lines: int = 1) -> list[str]:
    """Every name within `width` points on at most `lines` lines, ready to draw."""
    return [escape(name) for name in shorten_names(names, width, size, lines)]


def fit_name(name: str, width: float, size: float, lines: int = 1) -> str:
    """A name within `width` points on at most `lines` lines, ready to draw."""
    return escape(shorten(name, width, size, lines))


def outcome_labels(a: str, b: str, width: float, size: float, lines: int = 1) -> list[str]:
    """The three outcomes, each within `width` points: "A better", "equivalent", "B better".

    Where a name takes the whole width, "better" has a line of its own.
    """
    better = " better"
    beside = width - text_width(better, size)
    if max(text_width(printable(name), size) for name in (a, b)) <= beside:
        return [escape(printable(a)) + better, "equivalent", escape(printable(b)) + better]
    first, second = (
        name + (better if text_width(name.split("\n")[-1], size) <= beside else "\nbetter")
        for name in fit_names([a, b], width, size, lines)
    )
    return [first, "equivalent", second]


def shorten_names(names: Iterable[str], width: float, size: float, lines: int = 1) -> list[str]:
    """Every name shortened where it must be; what tells similar ones apart is kept, or they are numbered."""
    full = [printable(name) for name in names]
    fitted = [shorten(name, width, size, lines) for name in full]
    alike: dict[str, list[int]] = {}
    for i, label in enumerate(fitted):
        alike.setdefault(label, []).append(i)
    for group in alike.values():
        if len({full[i] for i in group}) > 1:
            start, end = _shared([full[i] for i in group])
            for i in group:
                fitted[i] = _keep(full[i], start, len(full[i]) - end, width, size, lines)
    seen: list[str] = []
    for i, label in enumerate(fitted):
        count = 1
        while label in seen:
            count += 1
            suffix = f" #{count}"
            label = shorten(full[i], width - text_width(suffix, size), size, lines) + suffix
        seen.append(label)
    return seen


def _shared(names: list[str]) -> tuple[int, int]:
    """How many characters all names share at their start and at their end."""
    shortest = min(map(len, names))
    start = _same([name[:shortest] for name in names])
    end = _same([name[: -shortest - 1 : -1] for name in names])
    return start, min(end, shortest - start)


def _same(names: list[str]) -> int:
    """How many first characters are the same in all names, which are of one length."""
    columns = [len(set(column)) == 1 for column in zip(*names, strict=True)]
    return columns.index(False) if False in columns else len(columns)


def _keep(name: str, start: int, end: int, width: float, size: float, lines: int) -> str:
    """The name with the part from `start` to `end`, and as much before and after it as fits."""
    if end - start > 24:
        end = start + 24
    for around in range(len(name), -1, -1):
        low, high = max(0, start - (around + 1) // 2), min(len(name), end + around // 2)
        if low > 0:  # from the beginning of a word
            low += next((m.end() for m in re.finditer(r"\W|_", name[low:start])), 0)
        head = "" if low == 0 else name[: min(4, low)] + GAP
        text = head + name[low:high] + (GAP if high < len(name) else "")
        wrapped = _wrap(text, width, size, lines)
        if wrapped is not None:
            return "\n".join(wrapped)
    return shorten(name[start:], width, size, lines)


def shorten(name: str, width: float, size: float, lines: int = 1) -> str:
    """A name within `width` points on at most `lines` lines, its middle left out where it must be.

    No number is cut in two where that can be helped: 25 would read as 5.
    """
    text, found = printable(name), ""
    for kept in range(len(text), 0, -1):
        start, end = kept - (kept - 1) // 2, len(text) - (kept - 1) // 2
        whole = kept == len(text)
        wrapped = _wrap(text if whole else text[:start] + GAP + text[end:], width, size, lines)
        if wrapped is not None:
            found = found or "\n".join(wrapped)
            if whole or not any(re.fullmatch(r"[\d.]{2}", text[at - 1 : at + 1]) for at in (start, end)):
                return "\n".join(wrapped)
    return found or GAP


def printable(name: str) -> str:
    """On one line, without control characters and without those that no font of the user's `font.family` has."""
    fonts = _fonts()
    return "".join(c if c == " " or _font_of(c, fonts) else MISSING for c in one_line(name))


def escape(text: str) -> str:
    """A dollar sign is a dollar sign, and no formula."""
    return text.replace("$", r"\$")


def text_width(text: str, size: float) -> float:
    """The width in points, without kerning."""
    fonts = _fonts()
    return size * sum(_advance(c, fonts) for c in text)


def _wrap(text: str, width: float, size: float, lines: int) -> list[str] | None:
    """The text in at most that many lines, broken after a separator where possible; None where it does not fit."""
    fonts = _fonts()
    ends = list(accumulate(size * _advance(c, fonts) for c in text))
    if not ends or ends[-1] <= width:
        return [text]
    most = bisect_right(ends, width)
    if lines == 1 or most == 0:
        return None
    separators = [m.end() for m in re.finditer(r"[ _\-./:+,(]+|(?<=[a-z])(?=[A-Z])", text[: most + 1])]
    inside = [most] if not separators and min(most, len(text) - most) >= PART else []  # of a word
    for place in [*reversed(separators), *inside]:
        if ends[len(text[:place].rstrip()) - 1] <= width:
            rest = _wrap(text[place:].lstrip(), width, size, lines - 1)
            if rest is not None:
                return [text[:place].rstrip(), *rest]
    return None


def _fonts() -> tuple[str, ...]:
    """The files of the fonts in which matplotlib looks for a character, one after the other."""
    families = matplotlib.rcParams["font.family"]
    return tuple(str(findfont(FontProperties(family=[family]))) for family in families)


@lru_cache(maxsize=4096)
def _font_of(character: str, fonts: tuple[str, ...]) -> str | None:
    """The first font that has the character."""
    return next((font for font in fonts if get_font(font).get_char_index(ord(character))), None)


@lru_cache(maxsize=4096)
def _advance(character: str, fonts: tuple[str, ...]) -> float:
    """In units of the font's size."""
    font = _font_of(character, fonts)
    face = get_font(font or fonts[0])
    face.set_size(100, 72)
    return face.load_char(ord(character if font or character == " " else MISSING)).linearHoriAdvance / 65536 / 100
