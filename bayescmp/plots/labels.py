"""Labels at the ends of lines, moved apart where lines end close together."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from bayescmp.plots.style import POINTS_A_MM, font_size, height_of, ink, key_above, width_of

SHARE = 0.26


LEADER = {"arrowstyle": "-", "linewidth": 0.7, "shrinkA": 0, "shrinkB": 1, "relpos": (0, 0.5)}
"""From the line's end to the middle of the label's left side."""


def line_key(
    ax: Axes,
    legend: bool | str,
    ends: Sequence[float],
    labels: Sequence[str],
    colors: Sequence[str],
    styles: Sequence[str],
) -> None:
    """Which line is which: labels at their ends, or a legend inside the axes."""
    if legend is True:
        end_labels(ax, ends, labels, colors)
        return
    every: Any = zip(labels, colors, styles, strict=True)
    handles = [Line2D([], [], color=color, linestyle=style, label=label) for label, color, style in every]
    key_above(ax, handles, 1, legend)


def end_labels(ax: Axes, ends: Sequence[float], labels: Sequence[str], colors: Sequence[str]) -> None:
    """A label right of the axes for every line that ends at the height `ends` there."""
    width = width_of(ax)
    size = font_size(width)
    low, high = ax.get_ylim()
    # the layout leaves about two thirds of the height to the axes, and a line takes a third more than its letters
    points = 0.62 * height_of(ax) * POINTS_A_MM
    unit = 1.33 * size / points
    order = sorted(range(len(ends)), key=ends.__getitem__)
    heights = [unit * (labels[i].count("\n") + 1) for i in order]
    wanted = [(ends[i] - low) / (high - low) for i in order]
    for k, i in enumerate(order):
        y = _spread(wanted, heights)[k]
        ax.annotate(
            labels[i],
            (1, wanted[k]),
            xycoords="axes fraction",
            xytext=(1.045, y),
            textcoords="axes fraction",
            va="center",
            ha="left",
            fontsize=size,
            color=ink(),
            linespacing=1.05,
            annotation_clip=False,
            arrowprops=LEADER | {"color": colors[i]},
        )


def label_room(ax: Axes) -> float:
    """Points that a label may take."""
    return SHARE * width_of(ax) * POINTS_A_MM


def _spread(wanted: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Heights near the wanted ones, lowest first, no two labels over each other."""
    places = [max(wanted[0], heights[0] / 2), *wanted[1:]] if len(wanted) else []
    for k in range(1, len(places)):
        places[k] = max(places[k], places[k - 1] + (heights[k] + heights[k - 1]) / 2)
    over = places[-1] + heights[-1] / 2 - 1.04 if places else 0.0
    if over > 0:
        places[-1] -= over
        for k in range(len(places) - 2, -1, -1):
            places[k] = min(places[k], places[k + 1] - (heights[k] + heights[k + 1]) / 2)
    return places
