"""Any text, right in LaTeX, Markdown, csv and on one line of HTML."""

import re
import unicodedata
from typing import Any

from bayescmp.text import JOINERS, one_line

LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\ensuremath{|}",
    '"': r"{\ttfamily\char34}",
    "'": r"{'}",
    "`": r"{`}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "-": r"{-}",
    "±": r"\ensuremath{\pm}",
    "\u00d7": r"\ensuremath{\times}",
    "\u2212": r"\ensuremath{-}",
    "∞": r"\ensuremath{\infty}",
    "†": r"\ensuremath{\dagger}",
    "\u2013": "--",
    "—": "---",
    "…": r"\ldots{}",
    "ß": r"\ss{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "\u0131": r"\i{}",
    "\u00a0": "~",
}
GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
ACCENTS = {
    "\u0300": "\\`",
    "\u0301": "\\'",
    "\u0302": "\\^",
    "\u0303": "\\~",
    "\u0304": "\\=",
    "\u0306": "\\u",
    "\u0307": "\\.",
    "\u0308": '\\"',
    "\u030a": "\\r",
    "\u030b": "\\H",
    "\u030c": "\\v",
    "\u0327": "\\c",
}
LONG_WORD, STEP = 24, 8
MARKDOWN = re.compile(r"(\[-?\.?\d[\d.e+-]*, -?\.?\d[\d.e+-]*\])(?![\[(:])|([\\`*_{}\[\]#|~$^]|:(?=\S)|(?<=www)\.)")
"""An interval, which passes, or a character that means something anywhere."""
MARKDOWN_START = re.compile(r"^(\d*)([-+=.)])(?!\d)")
"""What makes a list or a heading of a line that it begins."""
NUMBER = re.compile(r"-\.?\d[\d.]*(?:e[+-]?\d+)?")


class Raw(str):
    """Text that is already in the target language, and passes unescaped."""

    __slots__ = ()


def latex(text: Any) -> str:
    """The text for LaTeX in plain ASCII: specials escaped, accents as commands, what pdflatex lacks as U+1F600."""
    if isinstance(text, Raw):
        return str(text)
    return "".join(map(_latex_char, unicodedata.normalize("NFC", one_line(text))))


def latex_cell(text: Any) -> Raw:
    """The same for a narrow column: long words may break."""
    words = one_line(text).split(" ")
    return Raw(" ".join(r"\hspace{0pt}".join(map(latex, _pieces(word))) for word in words))


def latex_number(text: Any) -> Raw:
    """The same for a number or an interval: its minus signs are minus signs."""
    return Raw(NUMBER.sub(lambda found: f"${found[0]}$", latex(text).replace("{-}", "-")))


def markdown(text: Any) -> str:
    """The text for Markdown, HTML in it included: every character stands for itself, also inside a table."""
    if isinstance(text, Raw):
        return str(text)
    escaped = MARKDOWN.sub(lambda found: found[1] or "\\" + found[2], one_line(text))
    escaped = MARKDOWN_START.sub(r"\1\\\2", escaped)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _pieces(word: str) -> list[str]:
    if len(word) <= LONG_WORD:
        return [word]
    return [word[start : start + STEP] for start in range(0, len(word), STEP)]


def _latex_char(x: str) -> str:
    if x in LATEX:
        return LATEX[x]
    if x.isascii():
        return x
    base, *marks = list(unicodedata.normalize("NFD", x))
    if base.isascii() and len(marks) == 1 and marks[0] in ACCENTS:
        above = marks[0] != "\u0327" and base in "ij"
        return f"{ACCENTS[marks[0]]}{{{chr(92) + base if above else base}}}"
    words = unicodedata.name(x, "").lower().split()
    if len(words) == 4 and words[:3] == ["greek", "small", "letter"] and words[3].replace("lamda", "lambda") in GREEK:
        return rf"\ensuremath{{\{words[3].replace('lamda', 'lambda')}}}"
    return "" if x in JOINERS else rf"{{\ttfamily U+{ord(x):04X}}}\hspace{{0pt}}"
