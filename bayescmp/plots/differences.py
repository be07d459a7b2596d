"""The raw data of a pair: paired differences by dataset."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from bayescmp.checks import check_switch
from bayescmp.errors import ResamplingError
from bayescmp.plots.rows import difference_label, furthest, left_out, row_axes
from bayescmp.plots.style import (
    BETTER,
    NARROW,
    few_ticks,
    ink,
    key_above,
    label_axes,
    light_grid,
    naming,
    pair_title,
    paper,
    rope_band,
    rope_color,
    set_title,
    width_of,
)
from bayescmp.rope import Rope, RopeLike
from bayescmp.scores.pair import Pair
from bayescmp.sentences import rope_label

GOLDEN = 0.6180339887498949


def plot_differences(
    pair: Pair,
    *,
    rope: RopeLike = 0,
    ax: Axes | None = None,
    sort: bool = True,
    names: Mapping[str, str] | None = None,
    top: int | None = None,
    title: str | None = None,
    legend: bool | str = True,
    width_mm: float = 85,
) -> Axes:
    """Every paired difference A - B as a dot, one row per dataset, with the dataset's mean.

    Parameters
    ----------
    pair : Pair
        Of `scores.pair(a, b)`.
    rope : float, (low, high) or Rope
        Drawn as a band; 0 for a line at 0.
    sort : bool
        Largest mean first.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    top : int, optional
        How many datasets to draw, those furthest from 0; at most 50 if not given.
    title : str, optional
        The title; the pair, the metric and the datasets if not given, "" for none.
    legend : bool or str
        The key: above the axes, none, or inside at one of matplotlib's locations, such as "upper right".
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float
        The width of the new figure.

    See Also
    --------
    plot_scores, plot_forest

    Examples
    --------
    >>> import bayescmp as bc
    >>> ax = bc.plots.plot_differences(bc.load_domains().pair("B", "A"), rope=1)
    >>> ax.get_xlabel().splitlines()
    ['difference in accuracy, higher is better', '(positive favours B)']
    """
    if not isinstance(pair, Pair):
        raise ValueError(f"`pair` must be a Pair, got {type(pair).__name__}. Make one with scores.pair(a, b).")
    if not pair.paired:
        raise ResamplingError(
            "`plot_differences` draws the differences of paired scores, but these are runs that cannot be paired. Use "
            'plot("scores") for the runs, or plot("posterior", pair=(a, b)) for their difference.'
        )
    region = Rope.of(rope)
    check_switch("sort", sort)
    shown, chosen = naming(names, (pair.a, pair.b)), furthest(pair.means, top)
    order = [int(i) for i in (np.argsort(-pair.means, kind="stable") if sort else chosen) if i in chosen]
    ax = row_axes(ax, [pair.datasets[i] for i in order], width_mm, besides_mm=20, row_mm=14 if len(order) == 1 else 0)
    several = bool((pair.counts > 1).any())
    every = pair.differences[order]
    every = every[np.isfinite(every)]
    low, high = min(every.min(), 0.0, _end(region.low)), max(every.max(), 0.0, _end(region.high))
    pad = 0.04 * (high - low) or 1e-3
    ax.set_xlim(low - pad, high + pad)
    rope_band(ax, region, label=False)
    light_grid(ax, "y")
    for y, i in enumerate(order):
        if several:
            strip(ax, y, pair.differences[i, : pair.counts[i]])
        ax.plot(pair.means[i], y, marker="D", linestyle="none", **mean_mark())
    rest = left_out(len(pair.datasets) - len(order), "dataset nearer to 0")
    label_axes(ax, x=difference_label(pair, shown(pair.a), shown(pair.b), mean=False) + rest)
    ax.spines["left"].set_visible(False)
    few_ticks(ax, pair)
    strip_key(
        ax,
        "one resample" if several else None,
        "mean" if several else "one score per dataset",
        "" if region.is_zero else f"rope {rope_label(pair, region)}",
        legend,
    )
    set_title(ax, title, pair_title(ax, pair, shown))
    return ax


DOT: dict[str, Any] = {"marker": "o", "linestyle": "none", "markersize": 2.6, "color": BETTER, "markeredgewidth": 0}


def mean_mark() -> dict[str, Any]:
    """The diamond of a mean."""
    return {"markersize": 4.5, "markerfacecolor": paper(), "markeredgecolor": ink(), "gid": "mean"}


def strip(ax: Axes, y: float, values: NDArray[np.float64]) -> None:
    """Dots spread evenly over the row's height, the same way every time."""
    offsets = 0.62 * ((np.arange(len(values)) * GOLDEN) % 1 - 0.5)
    ax.plot(values, y + offsets, alpha=0.55, gid="values", **DOT)


def strip_key(ax: Axes, dots: str | None, mean: str, rope: str = "", legend: bool | str = True) -> None:
    """What the dots and the diamond are, and the rope in numbers."""
    handles: list[Any] = [] if dots is None else [Line2D([], [], label=dots, **DOT)]
    handles.append(Line2D([], [], marker="D", linestyle="none", label=mean, **mean_mark()))
    if rope:
        handles.append(Patch(facecolor=rope_color(), label=rope))
    key_above(ax, handles, len(handles) if width_of(ax) > NARROW else 1, legend)


def _end(border: float) -> float:
    return border if abs(border) < 1e300 else 0.0
