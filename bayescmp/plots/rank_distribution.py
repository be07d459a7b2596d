"""Who may have which rank."""

import math
from collections.abc import Mapping

from matplotlib.axes import Axes

from bayescmp.bayes.ranking.result import RankingPosterior
from bayescmp.checks import check_count
from bayescmp.plots.heat import MANY, heat_axes, heat_cells
from bayescmp.plots.names import text_width
from bayescmp.plots.rows import left_out
from bayescmp.plots.style import (
    ONE_COLUMN,
    POINTS_A_MM,
    TWO_COLUMNS,
    font_size,
    ink,
    naming,
    set_title,
    width_of,
    wrapped,
)
from bayescmp.sentences import datasets_used


def plot_rank_distribution(
    result: RankingPosterior,
    *,
    ax: Axes | None = None,
    top: int | None = None,
    names: Mapping[str, str] | None = None,
    title: str | None = None,
    width_mm: float | None = None,
) -> Axes:
    """P(model has rank r), one row per model and one column per rank; the best expected rank on top.

    Parameters
    ----------
    result : RankingPosterior
    top : int, optional
        How many models (and ranks) to draw, the best expected ranks first; all if not given.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    title : str, optional
        The title; none if not given.
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float, optional
        The width of the new figure; 85, and 170 for more than 20 models, if not given.

    See Also
    --------
    plot_p_best

    Examples
    --------
    >>> import bayescmp as bc
    >>> ax = bc.plots.plot_rank_distribution(bc.bayes.rank_models(bc.load_domains(), rope=0, random_seed=1))
    >>> " ".join(ax.get_xlabel().split())
    'rank (1 is best) and its probability (10 datasets)'
    """
    shown = naming(names, result.models) if isinstance(result, RankingPosterior) else str
    order = ranking_order(result, top)
    labels = [shown(result.models[i]) for i in order]
    width_mm = (TWO_COLUMNS if len(order) > MANY else ONE_COLUMN) if width_mm is None else width_mm
    ranks = [str(rank) for rank in range(1, len(labels) + 1)]
    ax, cell = heat_axes(ax, labels, ranks, width_mm)
    letters = float(ax.get_xticklabels()[0].get_fontsize())
    every = math.ceil(1.4 * text_width(ranks[-1], letters) / cell)
    ax.set_xticks(range(0, len(ranks), every), ranks[::every], fontsize=letters, rotation=0)
    heat_cells(ax, result.rank_distribution[order][:, : len(order)], cell, least=0.005)
    size = font_size(width_of(ax))
    label = f"rank (1 is best) and its probability ({datasets_used(result)})"
    label += left_out(len(result.models) - len(order), "model")
    ax.set_xlabel(wrapped(label, max(len(labels) * cell / POINTS_A_MM, 30), size), fontsize=size, color=ink())
    set_title(ax, title)
    return ax


def ranking_order(result: RankingPosterior, top: int | None = None) -> list[int]:
    """The models by expected rank, the `top` of them; or an error where there are none."""
    if not isinstance(result, RankingPosterior):
        raise ValueError(
            f"A ranking of many models is needed (bayes.rank_models, or comparison.ranking_posterior()), got "
            f"{type(result).__name__}."
        )
    return [int(i) for i in result.order()][: None if top is None else check_count("top", top)]
