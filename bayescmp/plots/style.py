"""What all figures share: colours with a second cue, sizes for one and two columns, axes without global state."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import Locator, MaxNLocator

from bayescmp.plots.names import escape, printable, shorten, text_width
from bayescmp.rope import Decision, Rope
from bayescmp.text import IN_PERCENT, ratio_percent

MM = 1 / 25.4
POINTS_A_MM = 72 / 25.4
ONE_COLUMN, BETWEEN, TWO_COLUMNS = 85.0, 120.0, 170.0
"""Widths in millimetres of a figure in one column of a paper, where two columns begin, and across both."""

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442", "#000000")
BETTER, WORSE, EQUIVALENT, ROPE = OKABE_ITO[0], OKABE_ITO[1], "#B3B3B3", "#E8E8E8"
WIDE = 1.5
"""Log ratios over a wider range have ticks at round logarithms: round percentages would crowd at one end."""
INK, FAINT = "#1A1A1A", "#8C8C8C"
REGION_COLORS = (BETTER, EQUIVALENT, WORSE)
"""Of A better, equivalent, B better."""
REGION_HATCHES = ("", "....", "////")
REGION_LINES = ("-", ":", "--")
REGION_MARKERS = (">", "s", "<")
"""Triangles point to the side that they favour: A is on the right of an axis of differences A - B."""
DECISION_STYLES = {
    Decision.A_BETTER: (">", BETTER, BETTER),
    Decision.EQUIVALENT: ("s", EQUIVALENT, INK),
    Decision.B_BETTER: ("<", WORSE, INK),
    Decision.UNDECIDED: ("o", "white", INK),
}
"""Marker, its face and its edge."""


def new_axes(
    ax: Axes | None, width_mm: float, height_mm: float | tuple[float, float], projection: str | None = None
) -> Axes:
    """The given axes, or those of a new figure that pyplot does not know of; dressed for print.

    A height of two numbers is in widths: of a figure in one column, and across two.
    """
    width = free_width(ax, width_mm)
    if ax is None:
        height = width * height_mm[width > BETWEEN] if isinstance(height_mm, tuple) else height_mm
        ax = new_figure(width_mm, height).add_subplot(projection=projection)
    size = font_size(width)
    ax.tick_params(labelsize=size, length=2, width=0.6, color=FAINT, labelcolor=INK)
    for name, spine in ax.spines.items():
        spine.set(linewidth=0.6, color=FAINT, visible=projection is not None or name in ("left", "bottom"))
    return ax


def new_figure(width_mm: float, height_mm: float) -> Figure:
    """A figure of this size with a canvas of its own, so that the number of open figures stays as it is."""
    figure = Figure(figsize=(width_mm * MM, height_mm * MM), layout="constrained", dpi=150)
    FigureCanvasAgg(figure)
    return figure


def free_width(ax: Axes | None, width_mm: float) -> float:
    """The width in millimetres that there is to draw in: of the given axes, or of the figure that is to be made."""
    if ax is not None:
        return width_of(ax)
    if isinstance(width_mm, bool) or not isinstance(width_mm, (int, float)) or not 40 <= width_mm <= 1000:
        raise ValueError(f"`width_mm` must be a width of 40 to 1000 millimetres, got {width_mm!r}.")
    return width_mm


def width_of(ax: Axes) -> float:
    """The width in millimetres that axes and their labels may take: their cell's, where they have one."""
    if not isinstance(ax, Axes):
        raise ValueError(f"`ax` must be matplotlib Axes, got {type(ax).__name__}. Leave it out for a new figure.")
    spec = ax.get_subplotspec()
    columns = spec.get_gridspec().ncols / len(spec.colspan) if spec is not None else 1
    return float(root_figure(ax).get_size_inches()[0] / MM / columns)


def root_figure(ax: Axes) -> Figure:
    """The figure that holds the axes, also where they are in a part of it."""
    figure: Any = ax.figure
    while not isinstance(figure, Figure):
        figure = figure.figure
    return figure


def font_size(width_mm: float) -> float:
    """7 points in one column, 8 across two."""
    return 8.0 if width_mm > BETWEEN else 7.0


def label_axes(ax: Axes, x: str | None = None, y: str | None = None) -> None:
    """Labels of the axes, wrapped to the figure's width."""
    width = width_of(ax)
    size = font_size(width)
    if x is not None:
        ax.set_xlabel(wrapped(x, min(0.62 * width, _beside_names(ax, width)), size), fontsize=size, color=INK)
    if y is not None:
        ax.set_ylabel(wrapped(y, 50, size), fontsize=size, color=INK)


def _beside_names(ax: Axes, width_mm: float) -> float:
    """The width in millimetres that the names of the rows leave to the axes; no less than a few words need."""
    names = [line for label in ax.get_yticklabels() for line in label.get_text().split("\n")]
    longest = max((text_width(line, font_size(width_mm)) for line in names), default=0.0)
    return max(width_mm - longest / POINTS_A_MM - 5, 0.36 * width_mm)


def wrapped(text: str, width_mm: float, size: float) -> str:
    """A text in as many lines as it takes; single words that are too long lose their middle."""
    lines, room = [""], width_mm * POINTS_A_MM
    for word in printable(text).split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(shorten(word, room, size))
    return escape("\n".join(line for line in lines if line))


def light_grid(ax: Axes, axis: str = "x") -> None:
    """Hairlines behind the marks."""
    ax.grid(visible=True, axis=axis, color="#E3E3E3", linewidth=0.5)  # type: ignore[arg-type]
    ax.set_axisbelow(True)


def rope_band(ax: Axes, rope: Rope, *, label: bool = True) -> None:
    """The rope as a grey band over the whole height, a line where it is a point; named above the axes."""
    if rope.is_zero:
        ax.axvline(0, color=FAINT, linewidth=0.8, zorder=0.5, gid="rope")
        return
    low, high = ax.get_xlim()
    left, right = max(rope.low, low), min(rope.high, high)
    ax.axvspan(left, right, color=ROPE, linewidth=0, zorder=0.4, gid="rope")
    ax.axvline(0, color="white", linewidth=0.6, zorder=0.45)
    ax.set_xlim(low, high)
    if label:
        ax.annotate(
            "rope",
            ((left + right) / 2, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=font_size(width_of(ax)) - 1,
            color="#595959",
        )


def soften_hatch(artist: Any, width: float = 0.5) -> Any:
    """Thin hatch lines, where this matplotlib can draw them (3.10 and newer)."""
    if hasattr(artist, "set_hatch_linewidth"):
        artist.set_hatch_linewidth(width)
    return artist


def region_patches(labels: list[str]) -> list[Patch]:
    """Legend keys of the three regions: colour and hatch."""
    return [
        soften_hatch(Patch(facecolor=color, edgecolor="white", hatch=hatch, linewidth=0, label=label))
        for color, hatch, label in zip(REGION_COLORS, REGION_HATCHES, labels, strict=True)
    ]


def key_above(ax: Axes, handles: list[Any], columns: int, *, expand: bool = False) -> None:
    """A frameless key above the axes: over their whole width, or from their right end over the names' column."""
    ax.legend(
        handles=handles,
        loc="lower left" if expand else "lower right",
        bbox_to_anchor=(0, 1.02, 1, 0) if expand else (1, 1.02),
        mode="expand" if expand else None,
        ncols=columns,
        frameon=False,
        fontsize=font_size(width_of(ax)),
        labelcolor=INK,
        handlelength=1.1,
        handletextpad=0.4,
        borderaxespad=0,
        borderpad=0,
        columnspacing=0.9,
    )


def few_ticks(ax: Axes, of: Any = None) -> None:
    """No more ticks on the x axis than their labels have room for; differences `of` a result on its scale."""
    round_numbers = MaxNLocator(4 if width_of(ax) < 120 else 8, steps=[1, 2, 5, 10])
    if of is None or of.scale not in IN_PERCENT:
        ax.xaxis.set_major_locator(round_numbers)
        return
    percents = _Percents(of.scale, of.higher_is_better, round_numbers)
    ax.xaxis.set_major_locator(percents)
    ax.xaxis.set_major_formatter(percents.text)


class _Percents(Locator):
    """Ticks at round percentages of an axis of ratios, which are not round on the log scale."""

    def __init__(self, scale: str, higher_is_better: bool, round_numbers: MaxNLocator) -> None:
        self.scale, self.up, self.round_numbers = scale, higher_is_better, round_numbers

    def __call__(self) -> Any:
        return self.tick_values(*self.axis.get_view_interval())  # type: ignore[union-attr]

    def tick_values(self, vmin: float, vmax: float) -> Any:
        if self.scale == "log" and vmax - vmin > WIDE:
            return self.round_numbers.tick_values(vmin, vmax)
        ends = [ratio_percent(float(x), self.scale, self.up) for x in sorted((vmin, vmax))]
        found = np.asarray(self.round_numbers.tick_values(*ends))
        found = found[found > -100] if self.up else found[found < 100]
        if self.scale != "log":
            return found / 100
        return np.log1p(found / 100) if self.up else -np.log1p(-found / 100)

    def text(self, x: float, _: float = 0.0) -> str:
        """The label of a tick."""
        shown = ratio_percent(float(x), self.scale, self.up)
        return f"{round(shown, 6) + 0.0:.3g} %"
