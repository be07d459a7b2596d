"""P(best) and P(within the rope of the best) as bars."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from bayescmp.bayes.ranking.result import RankingPosterior
from bayescmp.plots.rank_distribution import ranking_order
from bayescmp.plots.rows import left_out, row_axes
from bayescmp.plots.style import (
    BETTER,
    FAINT,
    NARROW,
    below_titles,
    few_ticks,
    font_size,
    grey,
    ink,
    key_above,
    label_axes,
    light_grid,
    naming,
    paper,
    set_title,
    soften_hatch,
    width_of,
)
from bayescmp.sentences import datasets_used
from bayescmp.text import probability


def plot_p_best(
    result: RankingPosterior,
    *,
    ax: Axes | None = None,
    top: int | None = None,
    names: Mapping[str, str] | None = None,
    title: str | None = None,
    legend: bool | str = True,
    width_mm: float = 85,
) -> Axes:
    """P(best) of every model, and behind it P(within the rope of the best), with both numbers at the right.

    Parameters
    ----------
    result : RankingPosterior
    top : int, optional
        How many models to draw, the best expected ranks first. If not given, models for which both probabilities are
        0.000 are left out, and counted below the axis.
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
    plot_rank_distribution
    bayescmp.bayes.rank_models

    Examples
    --------
    >>> import bayescmp as bc
    >>> ax = bc.plots.plot_p_best(bc.bayes.rank_models(bc.load_domains(), rope=1, random_seed=1))
    >>> " ".join(ax.get_xlabel().split())
    'probability (10 datasets); not shown: 1 model with P = 0.000'
    """
    order = [result.models[i] for i in ranking_order(result, top)]
    shown = naming(names, result.models)
    best, within, error = result.p_best, result.p_within_rope, result.largest_mcse
    roped = not result.rope.is_zero
    if top is None:
        order = [name for name in order if max(best[name], within[name]) >= 0.0005]
    ax = row_axes(ax, [shown(name) for name in order], width_mm, besides_mm=20)
    size = font_size(width_of(ax))
    ax.set_xlim(0, 1)
    light_grid(ax)
    for y, name in enumerate(order):
        if roped:
            bar = ax.barh(
                y,
                within[name],
                height=0.72,
                facecolor=paper(),
                edgecolor=FAINT,
                hatch="////",
                linewidth=0.7,
                gid="within",
            )
            soften_hatch(bar[0], 0.4)
        ax.barh(y, best[name], height=0.42 if roped else 0.6, color=BETTER, gid="best")
        text = probability(best[name], error)
        if roped:
            text += f"   {probability(within[name], error)}"
        ax.annotate(
            text, (1, y), xycoords=("axes fraction", "data"), xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=size, color=ink(),
        )  # fmt: skip
    if roped:
        heading = ax.annotate(
            "best    within", (1, 1), xycoords="axes fraction", xytext=(4, 1), textcoords="offset points", va="bottom",
            fontsize=size - 1, color=grey(),
        )  # fmt: skip
        below_titles(ax, heading)
    few_ticks(ax)
    handles = [Patch(color=BETTER, label="best")]
    if roped:
        within_key = Patch(facecolor=paper(), edgecolor=FAINT, hatch="////", label="within the rope of the best")
        handles.append(soften_hatch(within_key, 0.4))
    key_above(ax, handles, 2 if width_of(ax) > NARROW else 1, legend)
    left = [best[name] for name in result.models if name not in order]
    rest = left_out(len(left), "model with P = 0.000" if top is None else "model")
    label_axes(ax, x=f"probability ({datasets_used(result)}){rest}")
    set_title(ax, title)
    return ax
