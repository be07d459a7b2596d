"""Names that fit: measured, wrapped into lines or shortened in the middle, and still distinct."""

import re
from collections.abc import Iterable
from functools import lru_cache

from matplotlib.font_manager import FontProperties, findfont, get_font

GAP = "\N{HORIZONTAL ELLIPSIS}"
MISSING = "?"
"""Shown for a character that the font does not have."""


def fit_names(names: Iterable[str], width: float, size: float, lines: int = 1) -> list[str]:
    """Every name within `width` points on at most `lines` lines, ready to draw."""
    return [escape(name) for name in shorten_names(names, width, size, lines)]


def fit_name(name: str, width: float, size: float, lines: int = 1) -> str:
    """A name within `width` points on at most `lines` lines, ready to draw."""
    return escape(shorten(name, width, size, lines))


def shorten_names(names: Iterable[str], width: float, size: float, lines: int = 1) -> list[str]:
    """Every name shortened where it must be; those that would then look the same are numbered."""
    fitted: list[str] = []
    for name in names:
        label, count = shorten(name, width, size, lines), 1
        while label in fitted:
            count += 1
            room = width - text_width(f" #{count}", size)
            label = f"{shorten(name, room, size, lines)} #{count}"
        fitted.append(label)
    return fitted


def shorten(name: str, width: float, size: float, lines: int = 1) -> str:
    """A name within `width` points on at most `lines` lines, its middle left out where it must be."""
    text = printable(name)
    for kept in range(len(text), 0, -1):
        tail = (kept - 1) // 2
        shorter = text if kept == len(text) else text[: kept - tail] + GAP + text[len(text) - tail :]
        wrapped = _wrap(shorter, width, size, lines)
        if wrapped is not None:
            return "\n".join(wrapped)
    return GAP


def printable(name: str) -> str:
    """On one line, and without characters that the font cannot draw."""
    font = _font_file()
    return "".join(c if c == " " or _known(font, c) else MISSING for c in re.sub(r"\s+", " ", str(name)).strip())


def escape(text: str) -> str:
    """A dollar sign is a dollar sign, and no formula."""
    return text.replace("$", r"\$")


def text_width(text: str, size: float) -> float:
    """The width in points, without kerning."""
    font = _font_file()
    return size * sum(_advance(font, c) for c in text)


def _wrap(text: str, width: float, size: float, lines: int) -> list[str] | None:
    """The text in at most that many lines, broken after a separator where possible; None where it does not fit."""
    if text_width(text, size) <= width:
        return [text]
    if lines == 1:
        return None
    places = [m.end() for m in re.finditer(r"[ _\-./:+,]+", text) if m.end() < len(text)]
    for place in sorted(places, reverse=True) + list(range(len(text) - 1, 0, -1)):
        if text_width(text[:place].rstrip(), size) <= width:
            rest = _wrap(text[place:].lstrip(), width, size, lines - 1)
            if rest is not None:
                return [text[:place].rstrip(), *rest]
    return None


def _font_file() -> str:
    return str(findfont(FontProperties()))


@lru_cache(maxsize=4096)
def _advance(font: str, character: str) -> float:
    """In units of the font's size."""
    face = get_font(font)
    face.set_size(100, 72)
    return face.load_char(ord(character)).linearHoriAdvance / 65536 / 100


@lru_cache(maxsize=4096)
def _known(font: str, character: str) -> bool:
    return bool(get_font(font).get_char_index(ord(character)))
