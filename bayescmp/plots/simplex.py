"""The simplex: where theta = (A better, equivalent, B better) may lie, and which of the three is the largest."""

import math
from collections.abc import Sequence
from typing import Any, overload

import mpltern  # noqa: F401  (registers the ternary projection)
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Polygon
from numpy.typing import NDArray

from bayescmp.bayes.regions import RegionPosterior
from bayescmp.checks import check_count, is_one_of
from bayescmp.plots.names import outcome_labels
from bayescmp.plots.style import (
    FAINT,
    INK,
    POINTS_A_MM,
    REGION_COLORS,
    REGION_HATCHES,
    REGION_MARKERS,
    TWO_COLUMNS,
    font_size,
    free_width,
    new_axes,
    new_figure,
    soften_hatch,
    width_of,
)
from bayescmp.text import probability

Floats = NDArray[np.float64]
INKS = LinearSegmentedColormap.from_list("inks", [(0.1, 0.1, 0.1, 0.05), (0.1, 0.1, 0.1, 0.95)])
CENTRE = (1 / 3, 1 / 3, 1 / 3)
# top, left, right of the triangle are equivalent, B better, A better: right is A's side, as on an axis of differences
CORNERS = {"A": (0.0, 0.0, 1.0), "rope": (1.0, 0.0, 0.0), "B": (0.0, 1.0, 0.0)}
WING = 3**-0.5
"""The lower corners are at (-WING, 0) and (WING, 0) of the data, the upper one at (0, 1)."""
MIDDLES = {"A-rope": (0.5, 0.0, 0.5), "rope-B": (0.5, 0.5, 0.0), "B-A": (0.0, 0.5, 0.5)}


@overload
def plot_simplex(
    result: RegionPosterior, *, ax: Axes | None = ..., kind: str = ..., draws: int = ..., width_mm: float = ...
) -> Axes: ...
@overload
def plot_simplex(
    result: Sequence[RegionPosterior], *, ax: None = ..., kind: str = ..., draws: int = ..., width_mm: float = ...
) -> list[Axes]: ...
def plot_simplex(
    result: RegionPosterior | Sequence[RegionPosterior],
    *,
    ax: Axes | None = None,
    kind: str = "points",
    draws: int = 1500,
    width_mm: float = 85,
) -> Axes | list[Axes]:
    """Posterior draws of theta in the triangle of its three outcomes, with the region where each is the largest.

    Parameters
    ----------
    result : RegionPosterior, or a sequence of them
        A result of the sign, signed-rank or hierarchical test; several are drawn as small multiples.
    ax : Axes of mpltern (projection="ternary"), optional
    kind : "points" or "density"
    draws : int
        How many draws of theta are shown, of those that the probabilities come from.
    width_mm : float
        The width of the new figure.

    Returns
    -------
    Axes, or a list of them for several results
        Each corner names its outcome, with the probability that it is the most probable one, and how often it is
        expected next.

    See Also
    --------
    plot_posterior
    bayescmp.bayes.signed_rank_test

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.sign_test(bc.load_domains().pair("C", "A"), rope=1)
    >>> [text.get_text() for text in bc.plots.plot_simplex(p).texts][:1]
    ['C better\\nmost probable 0.048\\nnext 0.182']
    """
    if not is_one_of(kind, ("points", "density")):
        raise ValueError(f'`kind` must be "points" or "density", got {kind!r}.')
    if isinstance(result, (list, tuple)):
        return _multiples(result, ax, kind, draws, width_mm)
    one = check_region(result)
    ax = new_axes(ax, width_mm, (0.86, 0.86), "ternary")
    if ax.name != "ternary":
        raise ValueError('`ax` must be ternary, made with projection="ternary" (import mpltern), got other axes.')
    _regions(ax)
    theta = one.draws(check_count("draws", draws))
    if kind == "density":
        _density(ax, theta)
    else:
        _points(ax, theta)
    _corner_labels(ax, one)
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


def _multiples(results: Sequence[Any], ax: Axes | None, kind: str, draws: int, width_mm: float) -> list[Axes]:
    if ax is not None or not results:
        raise ValueError("Small multiples need at least one result and make their own figure: leave out `ax`.")
    for result in results:
        check_region(result)
    each = 56.0 if free_width(None, width_mm) >= TWO_COLUMNS else 42.5
    columns = max(1, min(len(results), round(width_mm / each)))
    rows = math.ceil(len(results) / columns)
    figure = new_figure(width_mm, rows * width_mm / columns * 0.95)
    every = [figure.add_subplot(rows, columns, i + 1, projection="ternary") for i in range(len(results))]
    for one, result in zip(every, results, strict=True):
        plot_simplex(result, ax=one, kind=kind, draws=draws)
    return every


def _regions(ax: Any) -> None:
    """The three kites around the corners, lightly filled, with the borders between them."""
    kites = (("A", "B-A", "A-rope"), ("rope", "A-rope", "rope-B"), ("B", "rope-B", "B-A"))
    for (corner, one, two), color, hatch in zip(kites, REGION_COLORS, REGION_HATCHES, strict=True):
        t, l, r = zip(CORNERS[corner], MIDDLES[one], CENTRE, MIDDLES[two], strict=True)  # noqa: E741
        (patch,) = ax.fill(t, l, r, facecolor=color, alpha=0.16, linewidth=0, zorder=0.5)
        outline = Polygon(patch.get_xy(), closed=True, fill=False, hatch=hatch[:2], edgecolor=color, linewidth=0)
        outline.set(alpha=0.35, zorder=0.6)
        ax.add_patch(soften_hatch(outline, 0.4))
    for middle in MIDDLES.values():
        ax.plot(*zip(CENTRE, middle, strict=True), color=FAINT, linewidth=0.7, zorder=1)
    for axis in (ax.taxis, ax.laxis, ax.raxis):
        axis.set_ticks([])


def _points(ax: Any, theta: Any) -> None:
    largest = theta.argmax(axis=1)
    for region, (color, marker) in enumerate(zip(REGION_COLORS, REGION_MARKERS, strict=True)):
        here = theta[largest == region]
        if len(here):
            edge = "#4D4D4D" if region else color
            ax.scatter(
                *here[:, [1, 2, 0]].T,
                s=5,
                marker=marker,
                c=color,
                edgecolors=edge,
                linewidths=0.2,
                alpha=0.55,
                zorder=2,
            )


def _density(ax: Any, theta: Floats, steps: int = 24) -> None:
    """How many draws fall into each of the small triangles that the large one is divided into."""
    cells = np.minimum(np.floor(theta * steps), steps - 1).astype(int)
    upright = cells.sum(axis=1) == steps - 1
    found, counts = np.unique(np.column_stack([cells, upright]), axis=0, return_counts=True)
    corners = np.where(found[:, None, 3:] == 1, np.eye(3)[None], 1 - np.eye(3)[None])
    triangles = to_xy((found[:, None, :3] + corners) / steps)
    shades = PolyCollection(list(triangles), array=counts.astype(float), cmap=INKS, linewidths=0, zorder=2)
    shades.set_clim(0, counts.max())
    ax.add_collection(shades, autolim=False)


def to_xy(theta: Floats) -> Floats:
    """Where theta = (A better, equivalent, B better) lies in the data coordinates of the triangle."""
    return np.stack([WING * (theta[..., 0] - theta[..., 2]), theta[..., 1]], axis=-1)


def _corner_labels(ax: Any, result: RegionPosterior) -> None:
    width = width_of(ax)
    size = font_size(width) if width > 50 else 6.0
    labels = outcome_labels(result.a, result.b, (0.31 if width > 50 else 0.28) * width * POINTS_A_MM, size, 2)
    mcse = max(result.mcse.values())
    places = (((WING, 0.0), 4, "top"), ((0.0, 1.0), 3, "bottom"), ((-WING, 0.0), 4, "top"))
    apart = " " if width > 50 else "\n"
    readings = zip(result.three, result.expected.values(), strict=True)
    for label, (p, share), (corner, gap, va) in zip(labels, readings, places, strict=True):
        ax.annotate(
            f"{label}\nmost probable{apart}{probability(p, mcse)}\nnext {probability(share)}",
            corner,
            xytext=(0, gap if va == "bottom" else -gap),
            textcoords="offset points",
            ha="center",
            va=va,
            fontsize=size,
            color=INK,
            annotation_clip=False,
        )
