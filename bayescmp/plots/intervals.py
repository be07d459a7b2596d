"""The mean score of every model with its confidence interval."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from bayescmp.checks import check_count, check_level
from bayescmp.frequentist.intervals import mean_interval
from bayescmp.plots.differences import mean_mark
from bayescmp.plots.rows import MANY_ROWS, left_out, row_axes
from bayescmp.plots.scores import score_label, values_of
from bayescmp.plots.style import few_ticks, ink, label_axes, light_grid, naming, set_title
from bayescmp.scores.table import Scores


def plot_intervals(
    scores: Scores,
    *,
    ax: Axes | None = None,
    confidence_level: float = 0.95,
    top: int | None = None,
    names: Mapping[str, str] | None = None,
    title: str | None = None,
    width_mm: float = 85,
) -> Axes:
    """Every model's mean score with Student's confidence interval; the best on top.

    The interval is that of one model's mean, over folds with the correction for overlapping training sets, or over
    datasets. Whether two models differ is another question: scores of one fold or dataset go up and down together, so
    that intervals may overlap although every difference has the same sign. That is what `plot_forest` shows.

    Parameters
    ----------
    scores : Scores
    confidence_level : float
        The level of the intervals.
    top : int, optional
        How many models to draw, the best first; at most 50 if not given.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    title : str, optional
        The title; none if not given.
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float
        The width of the new figure.

    See Also
    --------
    plot_scores, plot_forest
    bayescmp.frequentist.mean_interval : the interval.

    Examples
    --------
    >>> import bayescmp as bc
    >>> ax = bc.plots.plot_intervals(bc.load_domains())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'C', 'B']
    """
    if not isinstance(scores, Scores):
        raise ValueError(f"`scores` must be a Scores, got {type(scores).__name__}.")
    scores.check_one_metric()
    level, shown = check_level(confidence_level), naming(names, scores.models)
    design = scores.resampling[0] if len(scores.datasets) == 1 else None
    found = [mean_interval(values_of(scores, i), confidence_level=level, resampling=design)
             for i in range(len(scores.models))]  # fmt: skip
    sign = -1 if scores.higher_is_better else 1
    order = np.argsort([sign * one.estimate for one in found], kind="stable")
    order = order[: MANY_ROWS if top is None else check_count("top", top)]
    ax = row_axes(ax, [shown(scores.models[i]) for i in order], width_mm, besides_mm=14)
    light_grid(ax)
    for y, i in enumerate(order):
        ax.plot(
            [found[i].low, found[i].high], [y, y], color=ink(), linewidth=1.2, marker="|", markersize=4, gid="interval"
        )
        ax.plot(found[i].estimate, y, marker="D", linestyle="none", **mean_mark())
    few_ticks(ax)
    unknown = "; folds treated as independent" if len(scores.datasets) == 1 and design is None else ""
    rest = left_out(len(scores.models) - len(order), "model")
    label_axes(ax, x=f"mean and {100 * level:g}% interval, {score_label(scores)}{unknown}{rest}")
    set_title(ax, title)
    return ax
