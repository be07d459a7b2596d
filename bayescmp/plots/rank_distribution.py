"""Who may have which rank."""

from matplotlib.axes import Axes

from bayescmp.bayes.ranking.result import RankingPosterior
from bayescmp.plots.heat import heat_axes, heat_cells
from bayescmp.plots.style import POINTS_A_MM, font_size, width_of, wrapped
from bayescmp.sentences import datasets_used


def plot_rank_distribution(result: RankingPosterior, *, ax: Axes | None = None, width_mm: float = 85) -> Axes:
    """P(model has rank r), one row per model and one column per rank; the best expected rank on top.

    Parameters
    ----------
    result : RankingPosterior
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float
        The width of the new figure.

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
    order = ranking_order(result)
    names = [result.models[i] for i in order]
    ranks = [str(r + 1) for r in range(len(names))]
    ax, cell = heat_axes(ax, names, ranks, width_mm)
    heat_cells(ax, result.rank_distribution[order], cell, least=0.005)
    size = font_size(width_of(ax))
    label = f"rank (1 is best) and its probability ({datasets_used(result)})"
    ax.set_xlabel(wrapped(label, len(names) * cell / POINTS_A_MM, size), fontsize=size)
    return ax


def ranking_order(result: RankingPosterior) -> list[int]:
    """The models by expected rank; or an error where there are none."""
    if not isinstance(result, RankingPosterior):
        raise ValueError(
            f"A ranking of many models is needed (bayes.rank_models, or comparison.ranking_posterior()), got "
            f"{type(result).__name__}."
        )
    return [int(i) for i in result.order()]
