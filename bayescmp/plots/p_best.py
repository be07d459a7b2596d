"""P(best) and P(within the rope of the best) as bars."""

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from bayescmp.bayes.ranking.result import RankingPosterior
from bayescmp.plots.rank_distribution import ranking_order
from bayescmp.plots.rows import row_axes
from bayescmp.plots.style import (
    BETTER,
    FAINT,
    INK,
    few_ticks,
    font_size,
    key_above,
    label_axes,
    light_grid,
    soften_hatch,
    width_of,
)
from bayescmp.sentences import datasets_used
from bayescmp.text import probability


def plot_p_best(result: RankingPosterior, *, ax: Axes | None = None, width_mm: float = 85) -> Axes:
    """P(best) of every model, and behind it P(within the rope of the best), with both numbers at the right.

    Parameters
    ----------
    result : RankingPosterior
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
    >>> ax.get_xlabel()
    'probability (10 datasets)'
    """
    order = [result.models[i] for i in ranking_order(result)]
    best, within, mcse = result.p_best, result.p_within_rope, result.mcse
    roped = not result.rope.is_zero
    ax = row_axes(ax, order, width_mm, besides_mm=18)
    size = font_size(width_of(ax))
    ax.set_xlim(0, 1)
    light_grid(ax)
    for y, name in enumerate(order):
        if roped:
            bar = ax.barh(
                y,
                within[name],
                height=0.72,
                facecolor="white",
                edgecolor=FAINT,
                hatch="////",
                linewidth=0.7,
                gid="within",
            )
            soften_hatch(bar[0], 0.4)
        ax.barh(y, best[name], height=0.42 if roped else 0.6, color=BETTER, gid="best")
        text = probability(best[name], mcse[name])
        if roped:
            text += f"   {probability(within[name], mcse[name])}"
        ax.annotate(
            text, (1, y), xycoords=("axes fraction", "data"), xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=size, color=INK,
        )  # fmt: skip
    if roped:
        ax.annotate(
            "best    within", (1, 1), xycoords="axes fraction", xytext=(4, 1), textcoords="offset points", va="bottom",
            fontsize=size - 1, color="#595959",
        )  # fmt: skip
    few_ticks(ax)
    handles = [Patch(color=BETTER, label="best")]
    if roped:
        within_key = Patch(facecolor="white", edgecolor=FAINT, hatch="////", label="within the rope of the best")
        handles.append(soften_hatch(within_key, 0.4))
    key_above(ax, handles, 2)
    label_axes(ax, x=f"probability ({datasets_used(result)})")
    return ax
