"""Tables of probabilities as shaded cells with their numbers."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from numpy.typing import NDArray

from bayescmp.plots.names import fit_names, text_width
from bayescmp.plots.style import (
    FAINT,
    INK,
    OKABE_ITO,
    POINTS_A_MM,
    font_size,
    free_width,
    ink,
    new_axes,
    paper,
    root_figure,
    width_of,
)
from bayescmp.text import unit_number

SHADES = LinearSegmentedColormap.from_list("bayescmp", ["white", "#9CC9E3", OKABE_ITO[0], "#00304D"])
GREYS = LinearSegmentedColormap.from_list("bayescmp_greys", ["white", "#D9D9D9", "#7F7F7F", "#262626"])
Floats = NDArray[np.float64]
SMALLEST = 4.0
"""Points: numbers that would have to be smaller are left out."""
SHARE = 0.36
"""The size of a cell's number, in widths of the cell."""
BAR_MM = 16.0
"""What a bar of the shades takes beside the cells."""
ROW_SHARE = 0.3
MANY = 20
"""Models whose names are not readable in one column."""


def heat_axes(
    ax: Axes | None,
    rows: Sequence[str],
    columns: Sequence[str],
    width_mm: float,
    *,
    besides_mm: float = 8,
    after: Sequence[str] = (),
) -> tuple[Axes, float]:
    """Axes with square cells and names on the left and on top; and the width of a cell in points.

    What stands `after` the names of the rows is never shortened.
    """
    width = free_width(ax, width_mm)
    size = font_size(width)
    room = ROW_SHARE * width * POINTS_A_MM
    beside = max((text_width(text, size) for text in after), default=0.0)
    longest = max(text_width(name, size) for name in rows) + beside
    cell = min((width * POINTS_A_MM - min(longest, room) - 12) / len(columns), 14 * POINTS_A_MM)
    if SHARE * cell < SMALLEST:
        cell -= BAR_MM * POINTS_A_MM / len(columns)
    if cell < size * 1.1:
        size = max(SMALLEST, cell / 1.1)
    left = fit_names(rows, room - beside, size, 2 if cell > 2.5 * size else 1)
    left = [name + text for name, text in zip(left, after or [""] * len(left), strict=True)]
    upright = any(text_width(name, size) > 0.95 * cell for name in columns)
    above = fit_names(columns, room if upright else cell, size, 2 if upright and cell > 2.5 * size else 1)
    top = min(max(text_width(name, size) for name in columns), room) if upright else size
    height = (cell * len(rows) + top) / POINTS_A_MM + besides_mm
    own = ax is None
    ax = new_axes(ax, width_mm, height)
    if own:
        root_figure(ax).set_layout_engine("compressed")  # square cells, and names that stay inside
    ax.set_yticks(range(len(rows)), left, fontsize=size, linespacing=1.05)
    ax.set_xticks(range(len(columns)), above, fontsize=size, rotation=90 if upright else 0, linespacing=1.05)
    ax.grid(visible=False)
    ax.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax, cell


def two_digits(x: float, narrow: bool) -> str:
    """A probability in a cell: 1.0 where there is little room, as wide as the others."""
    return unit_number(x)[:3] if narrow else unit_number(x)


def itself(p: Floats) -> Floats:
    """The shade of a probability."""
    return p


def heat_cells(
    ax: Axes,
    p: Floats,
    cell: float,
    *,
    least: float = 0.0,
    shades: LinearSegmentedColormap = SHADES,
    depth: Callable[[Floats], Floats] = itself,
    text: Callable[[float, bool], str] = two_digits,
    label: str = "",
    ticks: Mapping[float, str] | None = None,
    place: float = 0.3,
) -> None:
    """One square per number, and the number where there is room, else a bar of the shades; some stay empty.

    The `depth` of its shade is from 0 to 1; `label`, `ticks` and `place` are those of the bar.
    """
    deep = depth(p)
    shown = np.ma.masked_where(~(p >= least), deep)
    image = ax.imshow(shown, cmap=shades, vmin=0, vmax=1, aspect="equal", interpolation="nearest")
    ax.set_xticks(np.arange(p.shape[1] + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(p.shape[0] + 1) - 0.5, minor=True)
    ax.grid(visible=True, which="minor", color=paper(), linewidth=1)
    ax.tick_params(which="minor", length=0)
    size = min(font_size(width_of(ax)), SHARE * cell)
    if size < SMALLEST:
        bar = root_figure(ax).colorbar(image, cax=ax.inset_axes((1.03, place, 0.03, 0.4)))
        bar.ax.tick_params(labelsize=font_size(width_of(ax)), length=2, width=0.6, color=FAINT, labelcolor=ink())
        bar.outline.set_visible(False)
        bar.set_label(label, fontsize=font_size(width_of(ax)), color=ink())
        if ticks is not None:
            bar.set_ticks(list(ticks), labels=list(ticks.values()))
        return
    for (i, j), value in np.ndenumerate(p):
        if np.isfinite(value) and value >= least:
            color = "white" if deep[i, j] > 0.6 else INK
            words = text(float(value), p.shape[1] > 8)
            ax.text(j, i, words, ha="center", va="center", fontsize=size, color=color)
