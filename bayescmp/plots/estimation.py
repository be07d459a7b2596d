"""The estimation plot: the scores of two models, and the posterior of their difference on an aligned axis."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.numerics.moments import mean
from bayescmp.plots.differences import DOT, mean_mark
from bayescmp.plots.names import fit_names, shorten_names
from bayescmp.plots.posterior import Difference, check_difference, density_of
from bayescmp.plots.rows import LONGEST
from bayescmp.plots.style import (
    FAINT,
    POINTS_A_MM,
    REGION_HATCHES,
    font_size,
    ink,
    label_axes,
    naming,
    new_axes,
    pair_title,
    paper,
    plain_numbers,
    region_colors,
    rope_color,
    set_title,
    soften_hatch,
    width_of,
    wrapped,
)
from bayescmp.scores.metrics import with_direction
from bayescmp.scores.pair import Pair

Floats = NDArray[np.float64]
BASE, WIDEST = 2.0, 0.75
"""Where the density stands beside the models at 0 and 1, and how wide it is."""


def plot_estimation(
    pair: Pair,
    posterior: Difference,
    *,
    ax: Axes | None = None,
    mass: float = 0.95,
    names: Mapping[str, str] | None = None,
    colors: Sequence[str] | None = None,
    title: str | None = None,
    width_mm: float = 85,
) -> Axes:
    """Every score of both models, paired by lines, beside the posterior of the mean difference.

    The right axis is that of the difference. It is aligned with the scores: 0 is at the mean of B, and the mean
    difference at that of A. The band is the rope, the bar the HDI.

    Parameters
    ----------
    pair : Pair
        Of `scores.pair(a, b)`: folds of one dataset, or the mean scores of many.
    posterior : DifferencePosterior, or a RegionPosterior that has a mean
        The posterior of the same pair.
    mass : float
        The mass of the HDI.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    colors : sequence of three colours, optional
        Colours of A better, equivalent and B better.
    title : str, optional
        The title; the pair, the metric and the datasets if not given, "" for none.
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float
        The width of the new figure.

    See Also
    --------
    plot_posterior, plot_differences

    Examples
    --------
    >>> import bayescmp as bc
    >>> pair = bc.load_labour().pair("SVM", "DT")
    >>> ax = bc.plots.plot_estimation(pair, bc.bayes.correlated_ttest(pair, rope=0.01))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['SVM', 'DT', 'difference']
    """
    _check(pair, posterior)
    shown, (better, equivalent, worse) = naming(names, (pair.a, pair.b)), region_colors(colors)
    ax = new_axes(ax, width_mm, (0.75, 0.45))
    a, b = (_values(pair, scores) for scores in (pair.scores_a, pair.scores_b))
    if pair.paired:
        ax.plot([0.06, 0.94], [a, b], color=FAINT, linewidth=0.4, alpha=0.6, zorder=1, gid="paired")
    for x, values in ((0, a), (1, b)):
        ax.plot(np.full(len(values), x), values, alpha=0.55, gid="values", **DOT)
    base, sign = float(mean(b)), 1.0 if pair.higher_is_better else -1.0
    estimate = float(posterior.mean)  # type: ignore[arg-type]
    low, high = posterior.hdi(0.99)
    reach = 0.05 * (high - low) or 0.1 * abs(estimate) or 1e-3
    grid = np.linspace(min(low, 0) - reach, max(high, 0) + reach, 400)
    grid = np.unique([*grid, *(x for x in (posterior.rope.low, posterior.rope.high) if grid[0] < x < grid[-1])])
    span = [base + sign * x for x in (max(posterior.rope.low, grid[0]), min(posterior.rope.high, grid[-1]))]
    ax.fill_betweenx(span, BASE - 0.25, BASE + 1, color=rope_color(), linewidth=0, zorder=0.4, gid="rope")
    density = density_of(posterior, grid)
    if density is not None:
        wide = BASE + WIDEST * density / density.max()
        regions = (grid >= posterior.rope.high, (grid >= posterior.rope.low) & (grid <= posterior.rope.high))
        parts = [*zip((*regions, grid <= posterior.rope.low), (better, equivalent, worse), REGION_HATCHES, strict=True)]
        if not isinstance(posterior, DifferencePosterior):  # its three probabilities are not about the mean
            parts = [(np.ones(len(grid), dtype=bool), better, "")]
        for here, color, hatch in parts:
            if here.sum() > 1:
                area = ax.fill_betweenx(base + sign * grid[here], BASE, wide[here], facecolor=color, edgecolor=paper(),
                                        hatch=hatch, linewidth=0, gid="density")  # fmt: skip
                soften_hatch(area)
        ax.plot(wide, base + sign * grid, color=ink(), linewidth=0.8)
    ends = [base + sign * x for x in posterior.hdi(mass)]
    ax.plot([BASE - 0.09] * 2, ends, color=ink(), linewidth=2.2, solid_capstyle="butt", gid="hdi")
    for x, y, until in ((0, float(mean(a)), BASE), (1, base, BASE + 1)):
        ax.plot([x, until], [y, y], color=ink(), linewidth=0.6, linestyle=":", zorder=1.5)
        ax.plot(x, y, marker="D", linestyle="none", **mean_mark())
    ax.plot(
        BASE - 0.09, base + sign * estimate, "o", color=paper(), markeredgecolor=ink(), markersize=4, gid="estimate"
    )
    ax.set_xlim(-0.4, BASE + 1)
    width = width_of(ax)
    size = font_size(width)
    labels = fit_names([shown(pair.a), shown(pair.b)], 0.13 * width * POINTS_A_MM, size, 2)
    ax.set_xticks([0, 1, BASE + 0.3], [*labels, "difference"], fontsize=size)
    label_axes(ax, y=with_direction(pair.metric, pair.higher_is_better, pair.scale))

    def to_difference(y: Any) -> Any:
        return sign * (y - base)

    def to_score(difference: Any) -> Any:
        return base + sign * difference

    right = ax.secondary_yaxis("right", functions=(to_difference, to_score))
    right.tick_params(labelsize=size, length=2, width=0.6, color=FAINT, labelcolor=ink())
    right.spines["right"].set(linewidth=0.6, color=FAINT)
    plain_numbers(ax.yaxis, *ax.get_ylim())
    plain_numbers(right.yaxis, grid[0], grid[-1])
    whom, _ = shorten_names([shown(pair.a), shown(pair.b)], LONGEST, 1.0)
    favoured = f"{pair.difference_name}, positive favours {whom}"
    right.set_ylabel(wrapped(favoured, 45, size), fontsize=size, color=ink())
    set_title(ax, title, pair_title(ax, pair, shown))
    return ax


def _check(pair: object, posterior: Difference) -> None:
    if not isinstance(pair, Pair):
        raise ValueError(f"`pair` must be a Pair, got {type(pair).__name__}. Make one with scores.pair(a, b).")
    check_difference(posterior)
    if (pair.a, pair.b, pair.scale) != (posterior.a, posterior.b, posterior.scale):
        raise ValueError(
            f"`posterior` must be of the same pair on the same scale: {pair.a} vs {pair.b} ({pair.scale}), got "
            f"{posterior.a} vs {posterior.b} ({posterior.scale})."
        )


def _values(pair: Pair, scores: Floats) -> Floats:
    """The scores on the only dataset, or the mean of every dataset."""
    values = scores[0] if len(pair.datasets) == 1 else mean(scores)
    return np.asarray(values[np.isfinite(values)])
