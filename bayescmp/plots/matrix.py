"""P(row better than column) over all models, with the decisions."""

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from bayescmp.bayes.ranking.result import RankingPosterior
from bayescmp.comparison.result import Comparison
from bayescmp.plots.heat import heat_axes, heat_cells
from bayescmp.plots.pairwise import pair_table
from bayescmp.plots.style import OKABE_ITO, POINTS_A_MM, font_size, root_figure, width_of, wrapped
from bayescmp.rope import Decision


def plot_matrix(
    result: Comparison | RankingPosterior,
    *,
    ax: Axes | None = None,
    threshold: float | None = None,
    width_mm: float = 85,
) -> Axes:
    """P(row better than column) of every pair of models; the best model on top.

    Over many datasets that is the probability that "row better" is the most probable outcome, and the labels say so.

    A frame marks a decided cell (the row's model is better, P reaches the threshold), a round mark a practically
    equivalent pair. With a rope both cells of a pair can be small: the rest is P(equivalent).

    Parameters
    ----------
    result : Comparison or RankingPosterior
    threshold : float, optional
        The threshold of the decisions; the comparison's own if not given, else 0.95.
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float
        The width of the new figure.

    See Also
    --------
    plot_ranking_groups, plot_p_best

    Examples
    --------
    >>> import bayescmp as bc
    >>> ax = bc.plots.plot_matrix(bc.compare(bc.load_labour(), rope=0.01))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['SVM', 'LR', 'DT']
    """
    table = pair_table(result, threshold)
    outcome = isinstance(result, Comparison) and result.posteriors[0].expected is not None
    order, own = table.order(), ax is None
    names = [table.models[i] for i in order]
    ax, cell = heat_axes(ax, names, names, width_mm, besides_mm=14)
    heat_cells(ax, table.p[order][:, order], cell)
    decided = equivalent = False
    for y, i in enumerate(order):
        for x, j in enumerate(order):
            decision = table.decisions.get((i, j))
            if decision is Decision.A_BETTER:
                decided = True
                ax.add_patch(
                    Rectangle((x - 0.44, y - 0.44), 0.88, 0.88, fill=False, edgecolor=OKABE_ITO[1], linewidth=1)
                )
            elif decision is Decision.EQUIVALENT:
                equivalent = True
                ax.plot(x, y + 0.33, marker="o", color=OKABE_ITO[3], markersize=min(3, 0.14 * cell), linestyle="none")
    handles: list[Patch | Line2D] = []
    if decided:
        label = f"row better: P at least {table.threshold:g}"
        handles.append(Patch(facecolor="white", edgecolor=OKABE_ITO[1], linewidth=1, label=label))
    if equivalent:
        label = "equivalent" if outcome else "practically equivalent"
        handles.append(Line2D([], [], marker="o", color=OKABE_ITO[3], linestyle="none", markersize=3, label=label))
    size = font_size(width_of(ax))
    what = "P(row better is most probable)" if outcome else "P(row better than column)"
    words = wrapped(what, len(names) * cell / POINTS_A_MM, size)
    ax.set_xlabel(words, fontsize=size)
    lines = 1.0 + 1.6 * (1 + words.count("\n"))
    if handles:
        ax.legend(
            handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.02 - lines * size / (cell * len(names))),
            ncols=2, frameon=False, fontsize=size, handlelength=1.1, borderaxespad=0, columnspacing=1,
        )  # fmt: skip
    if own:
        root_figure(ax).draw_without_rendering()  # the layout has room for the key from the second time on
    return ax
