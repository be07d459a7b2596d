"""What a notebook shows of a result: the answer, a bar of three parts, a small table.

The HTML has no style sheet and no script, and its text takes the page's own colour, so that it is the same in Jupyter,
VS Code and Quarto, on light and on dark pages. Names and notes are escaped.
"""

from collections.abc import Iterable, Sequence
from html import escape

BETTER, EQUIVALENT, WORSE = "#0072B2", "#B3B3B3", "#E69F00"
"""The colours of A better, equivalent and B better, in figures too."""
CELL = "padding:2px 8px"


class Html(str):
    """Text that is HTML already."""


def page(answer: str, *parts: str, notes: Iterable[str] = (), bold: bool = False) -> str:
    """The answer, what belongs to it, and notes in small letters."""
    small = "".join(f"<div><small>{escape(note)}</small></div>" for note in notes)
    said = f"<b>{escape(answer)}</b>" if bold else escape(answer)
    return f'<div style="margin:0 0 8px"><p style="margin:0 0 4px">{said}</p>{"".join(parts)}{small}</div>'


def strip(shares: Sequence[float], title: str, width: str) -> Html:
    """A bar of three parts, as wide as their shares."""
    parts = "".join(
        f'<span style="display:inline-block;height:1em;width:{100 * share:.2f}%;background:{color}"></span>'
        for share, color in zip(shares, (BETTER, EQUIVALENT, WORSE), strict=True)
        if share >= 0.001
    )
    said = escape(title)
    return Html(
        f'<div role="img" aria-label="{said}" title="{said}" style="width:{width};max-width:100%;line-height:1em;'
        f'white-space:nowrap;overflow:hidden">{parts}</div>'
    )


def bar(labels: Sequence[str], shares: Sequence[float], texts: Sequence[str]) -> str:
    """A bar of three parts, with its numbers in words below it and in its title."""
    said = [f"{label} {text}" for label, text in zip(labels, texts, strict=True)]
    keys = "".join(
        f'<span style="margin-right:1.2em"><span style="color:{color}">&#9632;</span> {escape(text)}</span>'
        for text, color in zip(said, (BETTER, EQUIVALENT, WORSE), strict=True)
    )
    return f'{strip(shares, ", ".join(said), "28em")}<div style="margin:2px 0 4px">{keys}</div>'


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], sides: str) -> str:
    """A table; `sides` has an l or r for each column."""
    aligned = [f"{CELL};text-align:{'right' if side == 'r' else 'left'}" for side in sides]
    whole = [style.replace("right", "right;white-space:nowrap") for style in aligned]  # numbers stay on one line

    def row(cells: Sequence[str], tag: str, styles: Sequence[str]) -> str:
        texts = [x if isinstance(x, Html) else escape(x) for x in cells]
        filled = zip(texts, styles, strict=True)
        return "<tr>" + "".join(f'<{tag} style="{style}">{x}</{tag}>' for x, style in filled) + "</tr>"

    head = f"<thead>{row(columns, 'th', aligned)}</thead>" if any(columns) else ""
    body = "".join(row(cells, "td", whole) for cells in rows)
    return f'<div style="overflow-x:auto"><table>{head}<tbody>{body}</tbody></table></div>'
