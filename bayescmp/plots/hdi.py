"""The HDI against its mass: how the interval grows with the certainty that is asked for."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from bayescmp.plots.posterior import Difference, check_difference
from bayescmp.plots.rows import difference_label
from bayescmp.plots.style import (
    BETTER,
    few_ticks,
    font_size,
    ink,
    label_axes,
    light_grid,
    naming,
    new_axes,
    pair_title,
    rope_band,
    set_title,
    width_of,
)
from bayescmp.text import amounts

MARKED = (0.5, 0.8, 0.9, 0.95, 0.99)


def plot_hdi(
    result: Difference,
    *,
    ax: Axes | None = None,
    names: Mapping[str, str] | None = None,
    title: str | None = None,
    width_mm: float = 85,
) -> Axes:
    """The highest-density interval of the mean difference for masses from 50 to 99 %, with the rope.

    The usual masses are marked, with their ends in numbers.

    Parameters
    ----------
    result : DifferencePosterior, or a RegionPosterior that has a mean
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    title : str, optional
        The title; the pair, the metric and the datasets if not given, "" for none.
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float
        The width of the new figure.

    See Also
    --------
    plot_posterior
    bayescmp.bayes.hdi

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)
    >>> bc.plots.plot_hdi(p).get_ylabel()
    'mass of the HDI'
    """
    check_difference(result)
    shown = naming(names, (result.a, result.b))
    ax = new_axes(ax, width_mm, (0.75, 0.45))
    masses = np.append(np.linspace(0.5, 0.98, 25), 0.99)
    low, high = np.array([result.hdi(float(mass)) for mass in masses]).T
    pad = 0.06 * (high[-1] - low[-1]) or 1e-3
    ends = [low[-1] - pad, high[-1] + pad, 0.0]
    ends += [1.1 * x for x in (result.rope.low, result.rope.high) if abs(x) < 4 * (high[-1] - low[-1])]
    ax.set_xlim(min(ends), max(ends))
    rope_band(ax, result.rope)
    light_grid(ax, "y")
    ax.fill_betweenx(masses, low, high, color=BETTER, alpha=0.25, linewidth=0)
    for side in (low, high):
        ax.plot(side, masses, color=BETTER, linewidth=0.8)
    mean = float(result.mean)  # type: ignore[arg-type]
    ax.axvline(mean, color=ink(), linewidth=0.7, linestyle=":")
    labels, of_95 = [], result.hdi(0.95)
    for mass in MARKED:
        one, two = result.hdi(mass)
        ax.plot([one, two], [mass, mass], color=ink(), linewidth=1.2, marker="|", markersize=4, gid="hdi")
        labels.append("[{}, {}]".format(*amounts((one, two), of_95, result.scale, result.higher_is_better)))
    ax.set_yticks(MARKED, [f"{100 * mass:g}%" for mass in MARKED])
    ax.set_ylim(0.48, 1.0)
    size = font_size(width_of(ax))
    for mass, label in zip(MARKED, labels, strict=True):
        ax.annotate(
            label, (1, mass), xycoords=("axes fraction", "data"), xytext=(3, 0), textcoords="offset points",
            ha="left", va="center", fontsize=size - 0.5, color=ink(),
        )  # fmt: skip
    few_ticks(ax, result)
    label_axes(ax, x=difference_label(result, shown(result.a), shown(result.b)), y="mass of the HDI")
    set_title(ax, title, pair_title(ax, result, shown))
    return ax
