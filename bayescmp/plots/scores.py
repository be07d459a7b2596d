"""The raw data of all models: their scores."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from bayescmp.checks import check_count
from bayescmp.numerics.moments import mean
from bayescmp.plots.differences import mean_mark, strip, strip_key
from bayescmp.plots.rows import MANY_MODELS, left_out, row_axes
from bayescmp.plots.style import few_ticks, font_size, ink, label_axes, light_grid, naming, set_title, width_of
from bayescmp.scores.metrics import with_direction
from bayescmp.scores.table import Scores
from bayescmp.text import number


def plot_scores(
    scores: Scores,
    *,
    ax: Axes | None = None,
    names: Mapping[str, str] | None = None,
    top: int | None = None,
    title: str | None = None,
    legend: bool | str = True,
    width_mm: float = 85,
) -> Axes:
    """The distribution of each model's scores: a dot a dataset, or a fold or run of the only one; the best on top.

    Parameters
    ----------
    scores : Scores
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    top : int, optional
        How many models to draw, the best first; at most 40 if not given.
    title : str, optional
        The title; none if not given.
    legend : bool or str
        The key: above the axes, none, or inside at one of matplotlib's locations, such as "upper right".
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
    shown, most = naming(names, scores.models), MANY_MODELS if top is None else check_count("top", top)
    order = np.argsort(-means if scores.higher_is_better else means, kind="stable")[:most]
    ax = row_axes(ax, [shown(scores.models[i]) for i in order], width_mm, besides_mm=20, row_mm=6.0)
    light_grid(ax)
    size, spread = font_size(width_of(ax)), float(np.ptp(means))
    for y, i in enumerate(order):
        strip(ax, y, found[i])
        ax.plot(means[i], y, marker="D", linestyle="none", **mean_mark())
        ax.annotate(
            number(float(means[i]), spread), (1, y), xycoords=("axes fraction", "data"), xytext=(4, 0),
            textcoords="offset points", va="center", fontsize=size, color=ink(),
        )  # fmt: skip
    ax.margins(x=0.04)
    few_ticks(ax)
    unit = "one fold" if scores.paired else "one run"
    strip_key(ax, unit if one else "mean score on one dataset", "mean", legend=legend)
    scale = "" if scores.scale in ("score", "relative") else f"{scores.scale} of "
    label_axes(
        ax,
        x=scale + with_direction(scores.metric, scores.higher_is_better) + left_out(len(means) - len(order), "model"),
    )
    set_title(ax, title)
    return ax


def _values(scores: Scores, i: int) -> np.ndarray:
    """Folds of the only dataset, or the mean of every dataset on which the model was run."""
    ran = scores.values[i][scores.counts[i] > 0]
    values = ran[0] if len(scores.datasets) == 1 else mean(ran)
    return np.asarray(values[np.isfinite(values)])
