"""The posterior density of a mean difference, with the rope, the HDI and the three areas."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.bayes.distributions import PointMass
from bayescmp.bayes.regions import RegionPosterior
from bayescmp.plots.names import outcome_labels
from bayescmp.plots.rows import difference_label
from bayescmp.plots.style import (
    FAINT,
    NARROW,
    POINTS_A_MM,
    REGION_HATCHES,
    few_ticks,
    font_size,
    height_of,
    ink,
    key_above,
    label_axes,
    naming,
    new_axes,
    pair_title,
    paper,
    region_colors,
    region_patches,
    rope_band,
    set_title,
    soften_hatch,
    width_of,
)
from bayescmp.rope import Rope
from bayescmp.text import amounts, probability

Floats = NDArray[np.float64]
Difference = DifferencePosterior | RegionPosterior


def plot_posterior(
    result: Difference,
    *,
    ax: Axes | None = None,
    mass: float = 0.95,
    names: Mapping[str, str] | None = None,
    colors: Sequence[str] | None = None,
    title: str | None = None,
    legend: bool | str = True,
    width_mm: float = 85,
) -> Axes:
    """The posterior density of the mean difference A - B.

    The three areas are the three probabilities. A result over many datasets has its density drawn without areas: its
    probabilities are about the next dataset (see `plot_simplex`), not about the mean over datasets.

    Parameters
    ----------
    result : DifferencePosterior, or a RegionPosterior that has a mean
    mass : float
        The mass of the HDI, drawn as a bar below the density.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    colors : sequence of three colours, optional
        Colours of A better, equivalent and B better.
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
    plot_hdi, plot_rope_curve

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)
    >>> ax = bc.plots.plot_posterior(p)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['DT better\\nP = 0.024', 'equivalent\\nP = 0.036', 'SVM better\\nP = 0.940']
    """
    check_difference(result)
    shown, (better, equivalent, worse) = naming(names, (result.a, result.b)), region_colors(colors)
    ax = new_axes(ax, width_mm, (0.66, 0.45))
    low, high = result.hdi(mass)
    left, right = _limits(result)
    ax.set_xlim(left, right)
    x = np.unique(np.concatenate([np.linspace(left, right, 400), _inside(result.rope, left, right)]))
    density = density_of(result, x)
    top = 1.0 if density is None else float(density.max())
    rope_band(ax, result.rope, label=not isinstance(result, DifferencePosterior))
    if density is None:
        ax.vlines(low, 0, top, color=ink(), linewidth=1.4)
    else:
        if isinstance(result, DifferencePosterior):
            _areas(ax, x, density, result.rope, (better, equivalent, worse))
        else:
            ax.fill_between(x, density, color=better, alpha=0.3, linewidth=0)
        ax.plot(x, density, color=ink(), linewidth=1.0)
    _interval(ax, result, (low, high), mass, top)
    if isinstance(result, DifferencePosterior):
        _key(ax, result, shown, (better, equivalent, worse), legend)
    ax.set_yticks([])
    few_ticks(ax, result)
    ax.spines["left"].set_visible(False)
    label_axes(ax, x=difference_label(result, shown(result.a), shown(result.b)))
    set_title(ax, title, pair_title(ax, result, shown))
    return ax


def check_difference(result: Any) -> None:
    """Refuse what has no posterior of a mean difference."""
    if isinstance(result, RegionPosterior) and result.mean is None:
        raise ValueError(f"The {result.method} has no mean difference, so there is no density of it: plot_simplex.")
    if not isinstance(result, (DifferencePosterior, RegionPosterior)):
        raise ValueError(f"A posterior of a mean difference is needed, got {type(result).__name__}.")


def _limits(result: Difference) -> tuple[float, float]:
    """Nearly all of the posterior, and the rope, unless it is so wide that the posterior would be a needle."""
    low, high = result.hdi(0.997)
    width = (high - low) or max(abs(low), result.rope.high, 1e-3 * (not low)) or 1.0
    ends = [low - 0.04 * width, high + 0.04 * width, 0.0]
    ends += [border * 1.15 for border in (result.rope.low, result.rope.high) if abs(border) < 4 * width]
    return min(ends), max(ends)


def _inside(rope: Rope, left: float, right: float) -> list[float]:
    return [border for border in (rope.low, rope.high) if left < border < right]


def density_of(result: Difference, x: Floats) -> Floats | None:
    """The density, None for a point."""
    if isinstance(result, DifferencePosterior):
        return None if isinstance(result.distribution, PointMass) else np.asarray(result.pdf(x))
    values, weights = result.inference.mean_distribution()
    if len(values) < 2:
        return None
    from scipy.stats import gaussian_kde

    return np.asarray(gaussian_kde(values, weights=weights)(x))


def _areas(ax: Axes, x: Floats, density: Floats, rope: Rope, colors: Sequence[str]) -> None:
    regions = (x >= rope.high, (x >= rope.low) & (x <= rope.high), x <= rope.low)
    for inside, color, hatch in zip(regions, colors, REGION_HATCHES, strict=True):
        if inside.sum() > 1:
            area = ax.fill_between(
                x[inside], density[inside], facecolor=color, edgecolor=paper(), linewidth=0, hatch=hatch
            )
            soften_hatch(area)


def _interval(ax: Axes, result: Difference, ends: tuple[float, float], mass: float, top: float) -> None:
    """The HDI as a bar below the base line, its numbers below it, and the mean as a dot."""
    low, high = ends
    y, size = -0.07 * top, font_size(width_of(ax))
    mean = float(result.mean)  # type: ignore[arg-type]
    ax.axhline(0, color=FAINT, linewidth=0.6)
    ax.plot([low, high], [y, y], color=ink(), linewidth=2.2, solid_capstyle="butt", gid="hdi")
    ax.plot(mean, y, "o", color=paper(), markeredgecolor=ink(), markersize=4, gid="mean")
    shown = amounts((mean, low, high), ends, result.scale, result.higher_is_better)
    between = "\n" if width_of(ax) < NARROW else ", "
    text = f"mean {shown[0]}{between}{100 * mass:g}% HDI [{shown[1]}, {shown[2]}]"
    left, right = ax.get_xlim()
    share = ((low + high) / 2 - left) / (right - left)
    ha, at = ("left", left) if share < 0.36 else ("right", right) if share > 0.64 else ("center", (low + high) / 2)
    if width_of(ax) < 120:
        ha, at = "center", (left + right) / 2
    ax.annotate(text, (at, y), xytext=(0, -4), textcoords="offset points", ha=ha, va="top", fontsize=size, color=ink())
    lines = 1 + text.count("\n")
    points = 0.55 * height_of(ax) * POINTS_A_MM  # the part of the height that the axes get
    ax.set_ylim(-(0.11 + 1.4 * size * lines / points) * top, 1.05 * top)


def _key(
    ax: Axes, result: DifferencePosterior, shown: Callable[[str], str], colors: Sequence[str], legend: bool | str
) -> None:
    """B on the left, A on the right, as on the axis."""
    width = width_of(ax)
    room, size = (0.25 if width > NARROW else 0.2) * width * POINTS_A_MM, font_size(width)
    mcse = max(result.mcse.values())
    names = outcome_labels(shown(result.a), shown(result.b), room, size, 2)
    three = result.probabilities.values()
    sign = "P = " if width > NARROW else ""
    labels = [f"{name}\n{sign}{probability(p, mcse)}" for name, p in zip(names, three, strict=True)]
    better, equivalent, worse = region_patches(labels, colors)
    handles = [worse, better] if result.rope.is_zero else [worse, equivalent, better]
    key_above(ax, handles, len(handles), legend, expand=True)
