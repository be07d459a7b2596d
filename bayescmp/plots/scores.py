"""The raw data of all models: their scores."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cbook import boxplot_stats

from bayescmp.checks import check_count, check_switch
from bayescmp.numerics.moments import mean
from bayescmp.plots.differences import DOT, mean_mark, strip, strip_key
from bayescmp.plots.rows import MANY_MODELS, left_out, row_axes
from bayescmp.plots.style import BETTER, few_ticks, font_size, ink, label_axes, light_grid, naming, set_title, width_of
from bayescmp.scores.metrics import with_direction
from bayescmp.scores.table import Scores
from bayescmp.text import number


def plot_scores(
    scores: Scores,
    *,
    ax: Axes | None = None,
    box: bool = False,
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
    box : bool
        Whether the quartiles are a box, with whiskers to the furthest score within 1.5 times its length and dots
        beyond, instead of a dot for every score.
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
    check_switch("box", box)
    one = len(scores.datasets) == 1
    found = [values_of(scores, i) for i in range(len(scores.models))]
    means = np.array([float(mean(x)) for x in found])
    shown, most = naming(names, scores.models), MANY_MODELS if top is None else check_count("top", top)
    order = np.argsort(-means if scores.higher_is_better else means, kind="stable")[:most]
    ax = row_axes(ax, [shown(scores.models[i]) for i in order], width_mm, besides_mm=20, row_mm=5.6)
    light_grid(ax)
    size, spread = font_size(width_of(ax)), float(np.ptp(means))
    for y, i in enumerate(order):
        (_box if box else strip)(ax, y, found[i])
        ax.plot(means[i], y, marker="D", linestyle="none", **mean_mark())
        ax.annotate(
            number(float(means[i]), spread), (1, y), xycoords=("axes fraction", "data"), xytext=(4, 0),
            textcoords="offset points", va="center", fontsize=size, color=ink(),
        )  # fmt: skip
    ax.margins(x=0.04)
    few_ticks(ax)
    unit = "one fold" if scores.paired else "one run"
    dots = None if box else unit if one else "mean score on one dataset"
    strip_key(ax, dots, "mean", legend=legend)
    label_axes(ax, x=score_label(scores) + left_out(len(means) - len(order), "model"))
    set_title(ax, title)
    return ax


def _box(ax: Axes, y: float, values: np.ndarray) -> None:
    """Quartiles, median, whiskers and what is beyond them, as matplotlib's boxplot has them."""
    (box,) = boxplot_stats(values)
    ax.barh(y, box["q3"] - box["q1"], left=box["q1"], height=0.5, facecolor=BETTER, alpha=0.35, gid="box")
    for ends in ((box["whislo"], box["q1"]), (box["q3"], box["whishi"])):
        ax.plot(ends, [y, y], color=ink(), linewidth=0.8, gid="whisker")
    ax.plot([box["med"]] * 2, [y - 0.25, y + 0.25], color=ink(), linewidth=1.2, gid="median")
    ax.plot(box["fliers"], np.full(len(box["fliers"]), y), gid="beyond", **DOT)


def score_label(scores: Scores) -> str:
    """The metric with its direction, and the scale of the scores where they were transformed."""
    scale = "" if scores.scale in ("score", "relative") else f"{scores.scale} of "
    return scale + with_direction(scores.metric, scores.higher_is_better)


def values_of(scores: Scores, i: int) -> np.ndarray:
    """Folds of the only dataset, or the mean of every dataset on which the model was run."""
    ran = scores.values[i][scores.counts[i] > 0]
    values = ran[0] if len(scores.datasets) == 1 else mean(ran)
    return np.asarray(values[np.isfinite(values)])
