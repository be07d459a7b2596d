"""What the joint model makes of every model's mean on every dataset."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from bayescmp.bayes.multilevel.result import MultilevelPosterior
from bayescmp.checks import is_list, is_one_of
from bayescmp.errors import unknown_name
from bayescmp.plots.names import fit_names
from bayescmp.plots.rows import row_axes
from bayescmp.plots.style import (
    OKABE_ITO,
    POINTS_A_MM,
    few_ticks,
    font_size,
    ink,
    key_above,
    label_axes,
    light_grid,
    naming,
    set_title,
    width_of,
)

MARKERS = "osD^v<>P"
COLUMNS = 4


def plot_shrunken(
    result: MultilevelPosterior,
    *,
    models: Sequence[str] | None = None,
    ax: Axes | None = None,
    names: Mapping[str, str] | None = None,
    title: str | None = None,
    legend: bool | str = True,
    width_mm: float = 170,
) -> Axes:
    """Raw and shrunken means of the models on every dataset, less the dataset's own mean.

    A line leads from each raw mean to its shrunken one, which has the mark. Marks without a line are results that are
    missing, as the model fills them in.

    Parameters
    ----------
    result : MultilevelPosterior
    models : sequence of str, optional
        At most 8; those with the largest effects if not given.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
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
    plot_forest, plot_scores

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.multilevel(bc.load_domains(), rope=1, random_seed=1)
    >>> bc.plots.plot_shrunken(p).get_yticklabels()[0].get_text()
    'domain 1'
    """
    if not isinstance(result, MultilevelPosterior):
        raise ValueError(f"The result of bayes.multilevel is needed, got {type(result).__name__}.")
    means, _ = result.inference.shrunken()
    raw, size = result.inference.raw, result.inference.effect.mean(axis=(0, 1))
    if models is None:
        chosen = sorted(range(len(result.models)), key=lambda i: -size[i])[: len(MARKERS)]
    else:
        if not is_list(models):
            raise ValueError(f"`models` must be a list of names, got {models!r}.")
        models = list(models)
        for name in models:
            if not is_one_of(name, result.models):
                raise unknown_name("model", name, result.models)
        if not 1 <= len(models) <= len(MARKERS):
            raise ValueError(f"`models` must be 1 to {len(MARKERS)} models, got {len(models)}.")
        chosen = [result.models.index(name) for name in models]
    sign = 1.0 if result.higher_is_better else -1.0
    level = means.mean(axis=1, keepdims=True)
    shrunken, raw = sign * (means - level), sign * (raw - level)
    ax = row_axes(ax, result.datasets, width_mm, besides_mm=24)
    width = width_of(ax)
    shown = naming(names, result.models)
    labels = fit_names([shown(result.models[i]) for i in chosen], width * POINTS_A_MM / COLUMNS - 24, font_size(width))
    rows, handles = range(len(result.datasets)), []
    for at, i in enumerate(chosen):
        color = OKABE_ITO[at]
        style: dict[str, Any] = {"marker": MARKERS[at], "linestyle": "none", "markersize": 4, "color": color}
        style |= {"markeredgecolor": ink(), "markeredgewidth": 0.4}
        ax.hlines(rows, raw[:, i], shrunken[:, i], color=color, linewidth=1, gid="moved")
        ax.plot(shrunken[:, i], rows, gid="shrunken", **style)
        handles.append(Line2D([], [], label=labels[at], **style))
    light_grid(ax)
    few_ticks(ax)
    key_above(ax, handles, min(COLUMNS, len(handles)), legend)
    better = "higher" if result.higher_is_better else "lower"
    label_axes(ax, x=f"shrunken mean {result.metric or 'score'} less that of all models, {better} is better")
    set_title(ax, title)
    return ax
