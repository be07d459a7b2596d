"""What all figures share: colours with a second cue, sizes for one and two columns, axes without global state."""

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import is_color_like, to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.patches import Patch
from matplotlib.ticker import Locator, MaxNLocator, ScalarFormatter
from matplotlib.transforms import Bbox

from bayescmp import notebook
from bayescmp.checks import is_list, is_one_of
from bayescmp.errors import unknown_name
from bayescmp.plots.names import escape, fit_names, printable, shorten, text_width
from bayescmp.rope import Decision, Rope
from bayescmp.text import IN_PERCENT, ratio_percent

MM = 1 / 25.4
NARROW = 70.0
"""Millimetres: a third of two columns is narrower, and there lines of text are broken."""
POINTS_A_MM = 72 / 25.4
ONE_COLUMN, BETWEEN, TWO_COLUMNS = 85.0, 120.0, 170.0
"""Widths in millimetres of a figure in one column of a paper, where two columns begin, and across both."""

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442", "#000000")
BETTER, EQUIVALENT, WORSE, ROPE = notebook.BETTER, notebook.EQUIVALENT, notebook.WORSE, "#E8E8E8"
WIDE = 1.5
"""Log ratios over a wider range have ticks at round logarithms: round percentages would crowd at one end."""
INK, GREY, FAINT = "#1A1A1A", "#595959", "#8C8C8C"
REGION_COLORS = (BETTER, EQUIVALENT, WORSE)
"""Of A better, equivalent, B better."""
REGION_HATCHES = ("", "....", "////")
REGION_LINES = ("-", ":", "--")
REGION_MARKERS = (">", "s", "<")
"""Triangles point to the side that they favour: A is on the right of an axis of differences A - B."""
SCREEN = 120
"""Pixels per inch in a notebook: letters of 7 points are as large as those around the figure."""
LOCATIONS = tuple(Legend.codes)


class Shown:
    """What a notebook shows of a figure that pyplot does not know of: its picture, once."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        figure, data = root_figure(self), io.BytesIO()
        figure.savefig(data, format="png", dpi=2 * SCREEN)  # sharp on screens of both kinds
        width, height = figure.get_size_inches() * SCREEN
        return data.getvalue(), {"width": round(width), "height": round(height)}


class PlotAxes(Shown, Axes):
    """Axes that a notebook shows as a picture."""


class PlotFigure(Shown, Figure):
    """A figure that a notebook shows as a picture."""


class Panels(Shown, list[Axes]):
    """The axes of small multiples, which a notebook shows as one picture."""


def ink() -> str:
    """The colour of letters and thin lines: that of the style sheet, if there is one."""
    color = matplotlib.rcParams["text.color"]
    return INK if color == "black" else str(color)


def paper() -> str:
    """The colour of the ground: that of the style sheet, if there is one."""
    return str(matplotlib.rcParams["axes.facecolor"])


def decision_style(decision: Decision, colors: Sequence[str] | None = None) -> tuple[str, str, str]:
    """The marker of a decision, its face and its edge."""
    better, equivalent, worse = region_colors(colors)
    return {
        Decision.A_BETTER: (REGION_MARKERS[0], better, better),
        Decision.EQUIVALENT: (REGION_MARKERS[1], equivalent, ink()),
        Decision.B_BETTER: (REGION_MARKERS[2], worse, ink()),
        Decision.UNDECIDED: ("o", paper(), ink()),
    }[decision]


def region_colors(colors: Any) -> tuple[str, str, str]:
    """The colours of A better, equivalent, B better."""
    if colors is None:
        return REGION_COLORS
    if not is_list(colors) or len(colors) != 3 or not all(is_color_like(color) for color in colors):
        raise ValueError(f"`colors` must be three colours (A better, equivalent, B better), got {colors!r}.")
    first, second, third = colors
    return first, second, third


def naming(names: Any, models: Iterable[str]) -> Callable[[str], str]:
    """What is shown for a model: the name that the user gives, or its own."""
    if names is None:
        return str
    if not isinstance(names, Mapping) or not all(isinstance(name, str) for name in names.values()):
        raise ValueError(f"`names` must be a dict from models to the names that are shown, got {names!r}.")
    known = tuple(models)
    for name in names:
        if not is_one_of(name, known):
            raise unknown_name("model", name, known)
    return lambda model: str(names.get(model, model))


def new_axes(ax: Axes | None, width_mm: float, height_mm: float | tuple[float, float]) -> Axes:
    """The given axes, or those of a new figure that pyplot does not know of; dressed for print.

    A height of two numbers is in widths: of a figure in one column, and across two.
    """
    width = free_width(ax, width_mm)
    if ax is None:
        height = width * height_mm[width > BETWEEN] if isinstance(height_mm, tuple) else height_mm
        ax = new_figure(width_mm, height).add_subplot(axes_class=PlotAxes)
    size = font_size(width)
    ax.tick_params(labelsize=size, length=2, width=0.6, color=FAINT, labelcolor=ink())
    ternary = ax.name == "ternary"
    for name, spine in ax.spines.items():
        spine.set(linewidth=0.6, color=FAINT, visible=ternary or name in ("left", "bottom"))
    return ax


def new_figure(width_mm: float, height_mm: float) -> Figure:
    """A figure of this size with a canvas of its own, so that the number of open figures stays as it is."""
    figure = PlotFigure(figsize=(width_mm * MM, height_mm * MM), layout="constrained", dpi=150)
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
    return _cell(ax, 0) / MM


def height_of(ax: Axes) -> float:
    """The height in millimetres that axes and their labels may take."""
    return _cell(ax, 1) / MM


def _cell(ax: Axes, along: int) -> float:
    """The width (0) or height (1) of the axes' cell in inches."""
    figure, spec = ax.figure, ax.get_subplotspec()
    whole = float((figure.bbox.width, figure.bbox.height)[along] / root_figure(ax).dpi)
    if spec is None:
        box = ax.get_position()
        return whole * min(1.0, (box.width, box.height)[along] / 0.775)  # the share that matplotlib leaves to axes
    while spec is not None:
        grid, span = spec.get_gridspec(), (spec.colspan, spec.rowspan)[along]
        ratios: Any = (grid.get_width_ratios(), grid.get_height_ratios())[along]
        whole *= sum(ratios[i] for i in span) / sum(ratios)
        spec = getattr(grid, "_subplot_spec", None)  # a grid in a cell of another
    return whole


def root_figure(drawn: Any) -> Figure:
    """The figure that holds the axes, also where they are in a part of it."""
    figure: Any = drawn[0] if isinstance(drawn, list) else drawn
    while not isinstance(figure, Figure):
        figure = figure.figure
    return figure


def font_size(width_mm: float) -> float:
    """7 points in one column, 8 across two; in proportion where the user's `font.size` is not matplotlib's 10."""
    return (8.0 if width_mm > BETWEEN else 7.0) * float(matplotlib.rcParams["font.size"]) / 10


def label_axes(ax: Axes, x: str | None = None, y: str | None = None) -> None:
    """Labels of the axes, wrapped to the figure's width."""
    width = width_of(ax)
    size = font_size(width)
    if x is not None:
        ax.set_xlabel(wrapped(x, min(0.62 * width, _beside_names(ax, width)), size), fontsize=size, color=ink())
    if y is not None:
        ax.set_ylabel(wrapped(y, 50, size), fontsize=size, color=ink())


def _beside_names(ax: Axes, width_mm: float) -> float:
    """The width in millimetres that the names of the rows leave to the axes; no less than a few words need."""
    names = [line for label in ax.get_yticklabels() for line in label.get_text().split("\n")]
    longest = max((text_width(line, font_size(width_mm)) for line in names), default=0.0)
    return max(width_mm - longest / POINTS_A_MM - 5, 0.36 * width_mm)


def wrapped(text: str, width_mm: float, size: float) -> str:
    """A text in as many lines as it takes, the last one not much shorter; words that are too long lose their middle."""
    room = width_mm * POINTS_A_MM
    words = [shorten(word, room, size) for word in printable(text).split()] or [""]
    lines = _filled(words, room, size)
    widths = [text_width(line, size) for line in lines]
    if len(lines) > 1 and widths[-1] < 0.45 * max(widths):
        narrower = np.linspace(max(text_width(word, size) for word in words), room, 20)
        lines = next(tried for w in narrower if len(tried := _filled(words, float(w), size)) <= len(lines))
    return escape("\n".join(lines))


def _filled(words: list[str], room: float, size: float) -> list[str]:
    """Lines of as many words as `room` points hold."""
    lines = [words[0]]
    for word in words[1:]:
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def grey() -> str:
    """The colour of remarks: between ink and paper, nearer to the ink."""
    return GREY if ink() == INK else ink()


def rope_color() -> str:
    """The colour of the rope's band, near to the paper."""
    return _tint(0.1, on_dark=0.3)


def _tint(share: float, on_dark: float) -> str:
    """The paper with a share of ink in it; dark paper needs more."""
    ground, letters = np.array(to_rgb(paper())), np.array(to_rgb(ink()))
    share = share if ground.mean() > 0.5 else on_dark
    return to_hex(tuple((1 - share) * ground + share * letters))


def light_grid(ax: Axes, axis: str = "x") -> None:
    """Hairlines behind the marks."""
    ax.grid(visible=True, axis=axis, color=_tint(0.12, on_dark=0.25), linewidth=0.5)  # type: ignore[arg-type]
    ax.set_axisbelow(True)


def rope_band(ax: Axes, rope: Rope, *, label: bool = True) -> None:
    """The rope as a grey band over the whole height, a line where it is a point; named above the axes."""
    if rope.is_zero:
        ax.axvline(0, color=FAINT, linewidth=0.8, zorder=0.5, gid="rope")
        return
    low, high = ax.get_xlim()
    left, right = max(rope.low, low), min(rope.high, high)
    ax.axvspan(left, right, color=rope_color(), linewidth=0, zorder=0.4, gid="rope")
    ax.axvline(0, color=paper(), linewidth=0.6, zorder=0.45)
    ax.set_xlim(low, high)
    if label:
        text = ax.annotate(
            "rope", ((left + right) / 2, 1), xycoords=("data", "axes fraction"), xytext=(0, 2),
            textcoords="offset points", ha="center", va="bottom", fontsize=font_size(width_of(ax)) - 1, color=grey(),
        )  # fmt: skip
        below_titles(ax, text)


def soften_hatch(artist: Any, width: float = 0.5) -> Any:
    """Thin hatch lines, where this matplotlib can draw them (3.10 and newer)."""
    if hasattr(artist, "set_hatch_linewidth"):
        artist.set_hatch_linewidth(width)
    return artist


def region_patches(labels: list[str], colors: Sequence[str] = REGION_COLORS) -> list[Patch]:
    """Legend keys of the three regions: colour and hatch."""
    return [
        soften_hatch(Patch(facecolor=color, edgecolor=paper(), hatch=hatch, linewidth=0, label=label))
        for color, hatch, label in zip(colors, REGION_HATCHES, labels, strict=True)
    ]


def key_above(ax: Axes, handles: list[Any], columns: int, legend: bool | str = True, *, expand: bool = False) -> None:
    """The key: above the axes (over their whole width, or from their right end over the names' column) or inside."""
    inside = legend if isinstance(legend, str) else ""
    if not isinstance(legend, bool) and not is_one_of(inside, LOCATIONS):
        raise ValueError(f"`legend` must be True, False or one of {', '.join(LOCATIONS)}, got {legend!r}.")
    if not handles or legend is False:
        return
    place: dict[str, Any] = {"loc": inside, "borderaxespad": 0.4}
    if not inside:
        place = {"loc": "lower right", "bbox_to_anchor": (1, 1.02), "ncols": columns, "borderaxespad": 0}
    if expand and not inside:
        place |= {"loc": "lower left", "bbox_to_anchor": (0, 1.02, 1, 0), "mode": "expand"}
    key = ax.legend(
        handles=handles, frameon=False, fontsize=font_size(width_of(ax)), labelcolor=ink(), handlelength=1.1,
        handletextpad=0.4, borderpad=0, columnspacing=0.9, **place,
    )  # fmt: skip
    if not inside:
        # the layout would take its width from the last drawing, which may have had other pixels per inch
        key.set_in_layout(not expand)
        below_titles(ax, key, across=expand)
        lines = max(text.get_text().count("\n") for text in key.get_texts()) - 1
        _grow(ax, max(lines, 0) * 1.3 * font_size(width_of(ax)))


def key_below(ax: Axes, handles: list[Any], down: float) -> None:
    """A key below the axes and their label, `down` axes' heights under them."""
    if handles:
        ax.legend(
            handles=handles, loc="upper center", bbox_to_anchor=(0.5, -down),
            frameon=False, fontsize=font_size(width_of(ax)), labelcolor=ink(), handlelength=1.1, borderaxespad=0,
        )  # fmt: skip


def below_titles(ax: Axes, *artists: Artist, across: bool = False) -> None:
    """Keep titles, also those that the user sets later, above what stands above the axes.

    Titles keep clear of the axes inside their axes; such ones, empty and invisible, are put where the artists are.
    Those `across` the axes have their width, and stand for the artists in the layout.
    """
    room = ax.inset_axes((0, 1, 1, 0))
    room.set_axis_off()
    room.set(xticks=[], yticks=[])
    room.set_in_layout(across)
    room.set_axes_locator(_Where(artists, ax if across else None))


class _Where:
    """Where some artists are, in fractions of the figure."""

    def __init__(self, artists: tuple[Artist, ...], across: Axes | None) -> None:
        self.artists, self.across = artists, across

    def __call__(self, ax: Any, renderer: Any) -> Bbox:
        box = Bbox.union([artist.get_window_extent(renderer) for artist in self.artists])
        if self.across is not None:
            box = Bbox.from_extents(self.across.bbox.x0, box.y0, self.across.bbox.x1, box.y1)
        return box.transformed(ax.figure.transSubfigure.inverted())


def set_title(ax: Axes, title: str | None, default: str = "") -> None:
    """The title that the user gives (an empty one for none), or the figure's own; wrapped to the axes' width."""
    if title is not None and not isinstance(title, str):
        raise ValueError(f"`title` must be a text, got {title!r}.")
    text = default if title is None else "\n".join(
        wrapped(line, 0.9 * _beside_names(ax, width_of(ax)), font_size(width_of(ax)) + 1) for line in title.split("\n")
    )  # fmt: skip
    if text:
        size = font_size(width_of(ax)) + 1
        ax.set_title(text, fontsize=size, color=ink())
        _grow(ax, (1 + text.count("\n")) * 1.3 * size + 6)


def set_figure_title(figure: Figure, title: str | None, default: str, width_mm: float) -> None:
    """The title of small multiples: the user's, or the figure's own."""
    if title is not None and not isinstance(title, str):
        raise ValueError(f"`title` must be a text, got {title!r}.")
    size = font_size(width_mm) + 1
    text = wrapped(default if title is None else title, 0.9 * width_mm, size)
    if text:
        figure.suptitle(text, fontsize=size, color=ink())


def _grow(ax: Axes, points: float) -> None:
    """Make the figure higher by so many points, if it is one of ours with these axes only."""
    figure = ax.figure
    if isinstance(ax, PlotAxes) and isinstance(figure, PlotFigure) and figure.axes == [ax]:
        figure.set_figheight(figure.get_figheight() + points / 72)


def versus(a: str, b: str, room: float, size: float) -> str:
    """Two names within `room` points, on two lines where they must."""
    if text_width(f"{a} vs {b}", size) <= room:
        return escape(f"{printable(a)} vs {printable(b)}")
    return " vs\n".join(fit_names([a, b], room - text_width(" vs", size), size))


def pair_title(ax: Axes, result: Any, shown: Callable[[str], str]) -> str:
    """The pair, the metric and the datasets of a result, for the title of its figure."""
    width_mm = width_of(ax)
    size = font_size(width_mm) + 1
    room = min(0.7 * width_mm, 0.95 * _beside_names(ax, width_mm)) * POINTS_A_MM
    first = versus(shown(result.a), shown(result.b), room, size)
    where = result.datasets[0] if len(result.datasets) == 1 else f"{len(result.datasets)} datasets"
    named = where not in ("", "dataset")  # of arrays without a name
    about = f"{result.metric or 'score'}{f', {where}' if named else ''}"
    if "\n" not in first and text_width(f"{first}: {about}", size) <= room:
        return f"{first}: {escape(printable(about))}"
    return f"{first}\n{wrapped(about, room / POINTS_A_MM, size)}"


def few_ticks(ax: Axes, of: Any = None) -> None:
    """No more ticks on the x axis than their labels have room for; differences `of` a result on its scale."""
    round_numbers = MaxNLocator(4 if width_of(ax) < 120 else 8, steps=[1, 2, 5, 10])
    if of is None or of.scale not in IN_PERCENT:
        ax.xaxis.set_major_locator(round_numbers)
        plain_numbers(ax.xaxis, *ax.get_xlim())
        return
    percents = _Percents(of.scale, of.higher_is_better, round_numbers)
    ax.xaxis.set_major_locator(percents)
    ax.xaxis.set_major_formatter(percents.text)


def plain_numbers(axis: Axis, low: float, high: float) -> None:
    """Labels of ticks from `low` to `high` that are whole numbers each, without a factor at the axis' end."""
    ordinary = 1e-3 <= max(abs(low), abs(high)) < 1e5
    axis.set_major_formatter(ScalarFormatter(useOffset=False) if ordinary else _short_number)


def _short_number(x: float, _: float = 0.0) -> str:
    """The label of a tick of very small or large numbers: 2e-11, 5e7."""
    digits, _e, exponent = f"{x:.6g}".partition("e")
    return f"{digits}e{int(exponent)}" if exponent else digits


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
