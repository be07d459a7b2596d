"""The raw data of all models: their scores."""

import numpy as np
from matplotlib.axes import Axes

from bayescmp.numerics.moments import mean
from bayescmp.plots.differences import MEAN, strip, strip_key
from bayescmp.plots.rows import row_axes
from bayescmp.plots.style import INK, few_ticks, font_size, label_axes, light_grid, width_of
from bayescmp.scores.metrics import with_direction
from bayescmp.scores.table import Scores
from bayescmp.text import number


def plot_scores(scores: Scores, *, ax: Axes | None = None, width_mm: float = 85) -> Axes:
    """The distribution of each model's scores: a dot a dataset, or a fold or run of the only one; the best on top.

    Parameters
    ----------
    scores : Scores
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float
        The width of the new figure.

    See Also
    --------
    plot_differences

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.plots.plot_scores(bc.load_domains()).get_xlabel()
    'accuracy (higher is better)'
    """
    if not isinstance(scores, Scores):
        raise ValueError(f"`scores` must be a Scores, got {type(scores).__name__}.")
    scores.check_one_metric()
    one = len(scores.datasets) == 1
    found = [_values(scores, i) for i in range(len(scores.models))]
    means = np.array([float(mean(x)) for x in found])
    order = np.argsort(-means if scores.higher_is_better else means, kind="stable")
    ax = row_axes(ax, [scores.models[i] for i in order], width_mm, besides_mm=20, row_mm=6.0)
    light_grid(ax)
    size, spread = font_size(width_of(ax)), float(np.ptp(means))
    for y, i in enumerate(order):
        strip(ax, y, found[i])
        ax.plot(means[i], y, marker="D", linestyle="none", **MEAN)
        ax.annotate(
            number(float(means[i]), spread), (1, y), xycoords=("axes fraction", "data"), xytext=(4, 0),
            textcoords="offset points", va="center", fontsize=size, color=INK,
        )  # fmt: skip
    ax.margins(x=0.04)
    few_ticks(ax)
    unit = "one fold" if scores.paired else "one run"
    strip_key(ax, unit if one else "mean score on one dataset", "mean")
    scale = "" if scores.scale in ("score", "relative") else f"{scores.scale} of "
    label_axes(ax, x=scale + with_direction(scores.metric, scores.higher_is_better))
    return ax


def _values(scores: Scores, i: int) -> np.ndarray:
    """Folds of the only dataset, or the mean of every dataset on which the model was run."""
    ran = scores.values[i][scores.counts[i] > 0]
    values = ran[0] if len(scores.datasets) == 1 else mean(ran)
    return np.asarray(values[np.isfinite(values)])
