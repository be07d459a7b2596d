"""The simplex: where theta = (A better, equivalent, B better) may lie, and which of the three is the largest."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from numpy.typing import NDArray

from bayescmp.bayes.regions import RegionPosterior
from bayescmp.checks import check_count, is_one_of
from bayescmp.errors import unknown_name
from bayescmp.plots.names import outcome_labels, text_width
from bayescmp.plots.rows import checked_pairs
from bayescmp.plots.style import (
    FAINT,
    NARROW,
    POINTS_A_MM,
    REGION_HATCHES,
    REGION_MARKERS,
    TWO_COLUMNS,
    Panels,
    PlotAxes,
    below_titles,
    few_ticks,
    font_size,
    free_width,
    grey,
    ink,
    key_above,
    label_axes,
    naming,
    new_axes,
    new_figure,
    pair_title,
    paper,
    region_colors,
    region_patches,
    set_figure_title,
    set_title,
    soften_hatch,
    versus,
    width_of,
)
from bayescmp.text import probability

Floats = NDArray[np.float64]
Colors = tuple[str, str, str]
WING = 3**-0.5
"""The lower corners are at (-WING, 0) and (WING, 0) of the data, the upper one at (0, 1), as in mpltern's axes."""
STEPS = 30
"""Rows of small triangles that the draws are counted in, twice as many where the draws are close together."""
MOST_PANELS = 12
SMALL = 60.0
"""Millimetres: narrower panels have smaller letters."""


@overload
def plot_simplex(
    result: RegionPosterior,
    *,
    ax: Axes | None = ...,
    kind: str = ...,
    draws: int = ...,
    top: int | None = ...,
    pairs: Sequence[tuple[str, str]] | None = ...,
    names: Mapping[str, str] | None = ...,
    colors: Sequence[str] | None = ...,
    title: str | None = ...,
    legend: bool | str = ...,
    width_mm: float = ...,
) -> Axes: ...
@overload
def plot_simplex(
    result: Sequence[RegionPosterior],
    *,
    ax: None = ...,
    kind: str = ...,
    draws: int = ...,
    top: int | None = ...,
    pairs: Sequence[tuple[str, str]] | None = ...,
    names: Mapping[str, str] | None = ...,
    colors: Sequence[str] | None = ...,
    title: str | None = ...,
    legend: bool | str = ...,
    width_mm: float = ...,
) -> list[Axes]: ...
def plot_simplex(
    result: RegionPosterior | Sequence[RegionPosterior],
    *,
    ax: Axes | None = None,
    kind: str = "density",
    draws: int = 10_000,
    top: int | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    names: Mapping[str, str] | None = None,
    colors: Sequence[str] | None = None,
    title: str | None = None,
    legend: bool | str = True,
    width_mm: float = 85,
) -> Axes | list[Axes]:
    """The posterior of theta in the triangle of its three outcomes, with the region where each is the largest.

    With a rope of 0 there are two outcomes, and the picture is the density of the share of datasets on which A is
    better, unless it is drawn into ternary axes.

    Parameters
    ----------
    result : RegionPosterior, or a sequence of them
        A result of the sign, signed-rank or hierarchical test; several are drawn as small multiples.
    ax : Axes, optional
        Where to draw: any axes, which become a triangle, or those of mpltern. A new figure if not given.
    kind : "density" or "points"
        Whether draws are counted in small triangles, the darker the more, or shown one by one.
    draws : int
        How many draws of theta are shown, of those that the probabilities come from.
    top : int, optional
        How many of several results to draw, the first ones; at most 12 if not given.
    pairs : sequence of (a, b), optional
        Which of several results to draw.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    colors : sequence of three colours, optional
        Colours of A better, equivalent and B better.
    title : str, optional
        The title; the pair, the metric and the datasets if not given, "" for none.
    legend : bool or str
        Whether the corners say their outcomes; with a rope of 0 also one of matplotlib's locations for the key.
    width_mm : float
        The width of the new figure.

    Returns
    -------
    Axes, or a list of them for several results
        Each corner names its outcome, with the probability P that it is the most probable one, and the share of
        datasets on which it is expected next. A diamond marks these expected shares.

    See Also
    --------
    plot_posterior
    bayescmp.bayes.signed_rank_test

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.sign_test(bc.load_domains().pair("C", "A"), rope=1)
    >>> [text.get_text() for text in bc.plots.plot_simplex(p).texts][:1]
    ['C better\\nP = 0.048\\nnext 0.182']
    """
    if not is_one_of(kind, ("density", "points")):
        raise ValueError(f'`kind` must be "density" or "points", got {kind!r}.')
    if isinstance(result, (list, tuple)):
        if ax is not None or not result:
            raise ValueError("Small multiples need at least one result and make their own figure: leave out `ax`.")
        drawn = _chosen(result, top, pairs)
        options = {"kind": kind, "draws": draws, "names": names, "colors": colors, "legend": legend}
        return _multiples(drawn, len(result) - len(drawn), title, width_mm, options)
    if top is not None or pairs is not None:
        raise ValueError("`top` and `pairs` choose from several results, got one.")
    one = check_region(result)
    shown, three = naming(names, (one.a, one.b)), region_colors(colors)
    theta = one.draws(check_count("draws", draws))
    if one.rope.is_zero and getattr(ax, "name", "") != "ternary":
        ax = new_axes(ax, width_mm, (0.6, 0.42))
        _shares(ax, one, theta, shown, three, legend)
    else:
        ax = new_axes(ax, width_mm, (0.82, 0.82))
        _triangle(ax)
        _regions(ax, three)
        (_density if kind == "density" else _points)(ax, theta, three)
        place = to_xy(np.array(list(one.expected.values())))
        ax.add_line(_diamond(*place))
        if legend is not False:
            _corner_labels(ax, one, shown)
    set_title(ax, title, pair_title(ax, one, shown))
    return ax


def check_region(result: Any) -> RegionPosterior:
    """Refuse what has no theta."""
    if not isinstance(result, RegionPosterior):
        what = getattr(result, "method", type(result).__name__)
        raise ValueError(
            f"A simplex needs the posterior of three outcomes over many datasets (sign, signed-rank or hierarchical "
            f'test), got the result of: {what}. For a mean difference use plot("posterior").'
        )
    return result


def _chosen(results: Sequence[Any], top: int | None, pairs: Any) -> list[RegionPosterior]:
    """The results that the user chose, those of `pairs` with the models in the order that is given."""
    found = [check_region(result) for result in results]
    if pairs is not None:
        known = {(one.a, one.b): one for one in found}
        either = known | {(b, a): one for (a, b), one in known.items()}
        wanted = checked_pairs(pairs)
        for pair in wanted:
            if pair not in either:
                raise unknown_name("pair", " vs ".join(map(str, pair)), [f"{a} vs {b}" for a, b in known])
        found = [known[pair] if pair in known else either[pair].swap() for pair in wanted]
    most = len(found) if pairs is not None else MOST_PANELS
    return found[: most if top is None else check_count("top", top)]


def _multiples(
    results: list[RegionPosterior], rest: int, title: str | None, width_mm: float, options: dict[str, Any]
) -> list[Axes]:
    each = 56.0 if free_width(None, width_mm) >= TWO_COLUMNS else 42.5
    columns = max(1, min(len(results), round(width_mm / each)))
    rows = math.ceil(len(results) / columns)
    flat = all(result.rope.is_zero for result in results)
    size, room = font_size(width_mm), 0.8 * width_mm / columns * POINTS_A_MM
    long = any(text_width(f"{result.a} vs {result.b}", size) > room for result in results)
    figure = new_figure(width_mm, rows * (width_mm / columns * (0.8 if flat else 0.98) + (14 if long else 0)) + 8)
    every = Panels(figure.add_subplot(rows, columns, i + 1, axes_class=PlotAxes) for i in range(len(results)))
    for one, result in zip(every, results, strict=True):
        shown = naming(options["names"], (result.a, result.b))
        plot_simplex(result, ax=one, title="", **options)
        one.set_title(versus(shown(result.a), shown(result.b), room, size), fontsize=size, color=ink())
    first = results[0]
    about = f"{first.metric or 'score'}, {len(first.datasets)} datasets; P: most probable outcome, next: expected share"
    set_figure_title(figure, title, about, width_mm)
    if rest:
        more = f"{len(results)} of {len(results) + rest} pairs; choose with pairs= or top="
        figure.supxlabel(more, fontsize=size, color=grey())
    figure.draw_without_rendering()  # the layout has room for all labels from the second time on
    return every


def _triangle(ax: Any) -> None:
    """Axes of any kind with the triangle in them, and nothing else."""
    if ax.name == "ternary":
        for axis in (ax.taxis, ax.laxis, ax.raxis):
            axis.set_ticks([])
        return
    ax.set_axis_off()
    ax.set(xlim=(-WING, WING), ylim=(0, 1), aspect="equal")
    ax.add_patch(Polygon(to_xy(np.eye(3)), fill=False, edgecolor=FAINT, linewidth=0.6, zorder=3, clip_on=False))


def _regions(ax: Axes, colors: Colors) -> None:
    """The three kites around the corners, lightly filled, with the borders between them."""
    corners, centre = np.eye(3), np.full(3, 1 / 3)
    for i, (color, hatch) in enumerate(zip(colors, REGION_HATCHES, strict=True)):
        one, two = ((corners[i] + corners[j]) / 2 for j in range(3) if j != i)
        kite = to_xy(np.array([corners[i], one, centre, two]))
        ax.add_patch(Polygon(kite, facecolor=color, alpha=0.13, linewidth=0, zorder=0.5))
        outline = Polygon(kite, fill=False, hatch=hatch[:2], edgecolor=color, linewidth=0, alpha=0.3, zorder=0.6)
        ax.add_patch(soften_hatch(outline, 0.4))
    for i in range(3):
        x, y = to_xy(np.array([centre, (1 - corners[i]) / 2])).T
        ax.add_line(Line2D(x, y, color=FAINT, linewidth=0.7, zorder=2.5))


def _diamond(x: float, y: float) -> Line2D:
    return Line2D(
        [x], [y], marker="D", markersize=4.5, markerfacecolor="white", markeredgecolor=ink(), linestyle="none",
        zorder=4, clip_on=False, gid="expected",
    )  # fmt: skip


def _points(ax: Axes, theta: Floats, colors: Colors) -> None:
    largest = theta.argmax(axis=1)
    for region, (color, marker) in enumerate(zip(colors, REGION_MARKERS, strict=True)):
        x, y = to_xy(theta[largest == region]).T
        ax.add_line(
            Line2D(x, y, marker=marker, markersize=2.2, color=color, markeredgecolor=ink(), markeredgewidth=0.15,
                   alpha=0.5, linestyle="none", zorder=2, gid="draws")
        )  # fmt: skip


def _density(ax: Axes, theta: Floats, colors: Colors) -> None:
    """How many draws fall into each of the small triangles that the large one is divided into."""
    for steps in (2 * STEPS, STEPS):
        cells = np.minimum(np.floor(theta * steps), steps - 1).astype(int)
        upright = cells.sum(axis=1) == steps - 1
        found, counts = np.unique(np.column_stack([cells, upright]), axis=0, return_counts=True)
        # enough draws in each, and not all along a side, where small triangles would hardly be seen
        if len(found) < len(theta) / 20 and theta.max(axis=0).min() > 1 / STEPS:
            break
    corners = np.where(found[:, None, 3:] == 1, np.eye(3)[None], 1 - np.eye(3)[None])
    places = (found[:, None, :3] + corners) / steps
    inks = np.array([to_rgb(color) for color in colors]) * np.array([[0.8], [0.55], [0.9]])
    depth = (0.12 + 0.88 * np.sqrt(counts / counts.max()))[:, None]
    shades = (1 - depth) * np.array(to_rgb(paper())) + depth * inks[places.mean(axis=1).argmax(axis=1)]
    ax.add_collection(
        PolyCollection(
            list(to_xy(places)), facecolors=shades, edgecolors=shades, linewidths=0.3, zorder=2, gid="draws"
        ),
        autolim=False,
    )


def to_xy(theta: Floats) -> Floats:
    """Where theta = (A better, equivalent, B better) lies in the data coordinates of the triangle."""
    return np.stack([WING * (theta[..., 0] - theta[..., 2]), theta[..., 1]], axis=-1)


def _corner_labels(ax: Axes, result: RegionPosterior, shown: Callable[[str], str]) -> None:
    width = width_of(ax)
    size = font_size(width) * (1 if width > SMALL else 6 / 7)
    room = (0.31 if width > SMALL else 0.36) * width * POINTS_A_MM
    labels = outcome_labels(shown(result.a), shown(result.b), room, size, 2)
    mcse = max(result.mcse.values())
    places = (((WING, 0.0), 4, "top"), ((0.0, 1.0), 3, "bottom"), ((-WING, 0.0), 4, "top"))
    readings = zip(result.three, result.expected.values(), strict=True)
    for label, (p, share), (corner, gap, va) in zip(labels, readings, places, strict=True):
        text = ax.annotate(
            f"{label}\nP = {probability(p, mcse)}\nnext {probability(share)}",
            corner,
            xytext=(0, gap if va == "bottom" else -gap),
            textcoords="offset points",
            ha="center",
            va=va,
            fontsize=size,
            color=ink(),
            annotation_clip=False,
        )
        if va == "bottom":
            below_titles(ax, text)
    if width > NARROW:
        long = max(text_width(line, size) for line in "\n".join(labels).split("\n")) > 0.22 * width * POINTS_A_MM
        lines = 3 + max(label.count("\n") for label in labels) if long else 0
        ax.annotate(
            "P: most probable outcome\n\N{WHITE DIAMOND} next: expected share", (0, 0),
            xytext=(0, -5 - 1.25 * size * lines),
            textcoords="offset points", ha="center", va="top", fontsize=size - 1, color=grey(), annotation_clip=False,
        )  # fmt: skip


def _shares(
    ax: Axes, result: RegionPosterior, theta: Floats, shown: Callable[[str], str], colors: Colors, legend: bool | str
) -> None:
    """Without a rope: the density of the share of datasets on which A is better, divided at one half."""
    heights, edges = np.histogram(theta[:, 0], bins=STEPS, range=(0, 1), density=True)
    half = STEPS // 2
    for side, color, hatch in ((slice(half, None), colors[0], REGION_HATCHES[0]), (slice(0, half), colors[2], "////")):
        bars = ax.bar(edges[:-1][side], heights[side], 1 / STEPS, align="edge", color=color, edgecolor="white",
                      linewidth=0, hatch=hatch, gid="draws")  # fmt: skip
        for bar in bars:
            soften_hatch(bar)
    top = float(heights.max())
    ax.axvline(0.5, color=FAINT, linewidth=0.8)
    ax.plot(result.expected[result.labels[0]], -0.06 * top, marker="D", markersize=4.5, markerfacecolor="white",
            markeredgecolor=ink(), linestyle="none", gid="expected", clip_on=False)  # fmt: skip
    ax.set(xlim=(0, 1), ylim=(-0.12 * top, 1.05 * top), yticks=[])
    ax.spines["left"].set_visible(False)
    few_ticks(ax)
    width = width_of(ax)
    size, mcse = font_size(width), max(result.mcse.values())
    names = outcome_labels(shown(result.a), shown(result.b), 0.33 * width * POINTS_A_MM, size, 2)
    labels = [f"{name}\nP = {probability(p, mcse)}" for name, p in zip(names, result.three, strict=True)]
    better, _, worse = region_patches(labels, colors)
    key_above(ax, [worse, better], 2, legend, expand=True)
    whole = f"share of datasets on which {shown(result.a)} is better (diamond: expected next)"
    label_axes(ax, x=whole if width > NARROW else "share of datasets")
