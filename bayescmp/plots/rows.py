"""Charts with one row per name: the frame that forests, strips and bars share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from bayescmp.bayes.posterior import Posterior
from bayescmp.checks import check_count, is_list
from bayescmp.plots.names import escape, fit_names, printable, shorten_names, text_width
from bayescmp.plots.style import POINTS_A_MM, font_size, free_width, new_axes
from bayescmp.scores.pair import SCALES, Pair
from bayescmp.text import IN_PERCENT, counted

SHARE = 0.36
"""Of the width, at most, for the names."""
MANY_ROWS, MANY_MODELS = 50, 40
"""Rows that a page holds, of one line each and of models with something between them."""
FEW_PAIRS, PAIR_SHARE = 20, 0.44
LONGEST = 14.0
"""Widths of the letter m that a name in the label of an axis may take."""


def row_axes(
    ax: Axes | None,
    names: Sequence[str],
    width_mm: float,
    *,
    besides_mm: float = 14,
    row_mm: float = 0.0,
    ready: bool = False,
) -> Axes:
    """Axes with one row per name, the first on top; names take two lines where they must and there is room.

    Names that are `ready` are drawn as they are.
    """
    width = free_width(ax, width_mm)
    size, n = font_size(width), len(names)
    room = SHARE * width * POINTS_A_MM
    lines = 2 if n <= MANY_ROWS else 1
    if ax is not None:
        height = ax.get_window_extent().height / ax.figure.dpi * 72 / n
        lines = 2 if height > 2.85 * size else 1
        size = max(4.0, min(size, height / 1.15))
    labels = list(names) if ready else fit_names(names, room, size, lines)
    tall = max(row_mm, 4.1 if all("\n" not in label for label in labels) else 2.85 * size / POINTS_A_MM)
    ax = new_axes(ax, width_mm, besides_mm + tall * n)
    ax.set_yticks(range(n), labels, fontsize=size, linespacing=1.05)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(n - 0.5, -0.5)
    return ax


def furthest(values: Sequence[float] | NDArray[np.float64], top: int | None, most: int = MANY_ROWS) -> list[int]:
    """The places of the `top` values furthest from 0, in their order; of the `most` that a page holds if not given."""
    n = most if top is None else check_count("top", top)
    return sorted(int(i) for i in np.argsort(-np.abs(values), kind="stable")[:n])


def checked_pairs(pairs: Any) -> list[tuple[str, str]]:
    """The pairs (a, b) that the user chose."""
    if not is_list(pairs) or not len(pairs) or not all(is_list(pair) and len(pair) == 2 for pair in pairs):
        raise ValueError(f"`pairs` must be a list of pairs of models, such as [('rf', 'svm')], got {pairs!r}.")
    return [(a, b) for a, b in pairs]


def left_out(n: int, what: str) -> str:
    """What the label of an axis says about rows that are not drawn; empty where all are."""
    first, _, rest = what.partition(" ")
    return "" if n <= 0 else f"; not shown: {counted(n, first)}{' ' + rest if rest else ''}"


def pair_names(pairs: Sequence[tuple[str, str]], width_mm: float) -> list[str]:
    """Labels "A vs B", ready to draw; long names on two lines where pairs are few, else shortened alike."""
    size = font_size(width_mm)
    room = SHARE * width_mm * POINTS_A_MM
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    longest = max(text_width(f"{printable(a)} vs {printable(b)}", size) for a, b in pairs)
    if longest <= room:
        return [escape(f"{printable(a)} vs {printable(b)}") for a, b in pairs]
    apart, each = (
        (" vs\n", room - text_width(" vs", size))
        if len(pairs) <= FEW_PAIRS
        else (" vs ", (PAIR_SHARE * width_mm * POINTS_A_MM - text_width(" vs ", size)) / 2)
    )
    known = dict(zip(names, fit_names(names, each, size), strict=True))
    return [f"{known[a]}{apart}{known[b]}" for a, b in pairs]


def difference_label(result: Posterior | Pair, favoured: str, other: str = "", *, mean: bool = True) -> str:
    """The label of an axis of differences: what, of what metric with its direction, and whom a positive one favours."""
    what = ("mean " if mean else "") + ("difference" if result.scale in IN_PERCENT else SCALES[result.scale])
    better = "higher" if result.higher_is_better else "lower"
    whom, _ = shorten_names([favoured, other], LONGEST, 1.0)
    in_percent = f" in percent ({result.scale} scale)" if result.scale in IN_PERCENT else ""
    return f"{what} in {result.metric or 'score'}{in_percent}, {better} is better (positive favours {whom})"
