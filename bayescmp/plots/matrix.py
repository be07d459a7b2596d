"""All pairs of models in one table: P(better) and P(equivalent), or p-values, with the decisions."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from bayescmp.bayes.ranking.result import RankingPosterior
from bayescmp.checks import check_count, check_share
from bayescmp.comparison.result import Comparison
from bayescmp.frequentist.pairwise import PairwiseTests
from bayescmp.plots.heat import GREYS, MANY, SHADES, heat_axes, heat_cells, two_digits
from bayescmp.plots.pairwise import pair_table
from bayescmp.plots.rows import left_out
from bayescmp.plots.style import (
    OKABE_ITO,
    ONE_COLUMN,
    POINTS_A_MM,
    TWO_COLUMNS,
    font_size,
    ink,
    key_above,
    key_below,
    naming,
    paper,
    root_figure,
    set_title,
    width_of,
    wrapped,
)
from bayescmp.rope import Decision
from bayescmp.text import unit_number

Floats = NDArray[np.float64]
FRAMES: dict[Decision, tuple[str, Any, str]] = {
    Decision.A_BETTER: (OKABE_ITO[1], "-", "row better"),
    Decision.B_BETTER: (OKABE_ITO[3], ":", "column better"),
    Decision.EQUIVALENT: (OKABE_ITO[2], "--", "equivalent"),
}
"""Colour and line of the frame around a decided cell, and its words."""


def plot_matrix(
    result: Comparison | RankingPosterior | PairwiseTests,
    *,
    ax: Axes | None = None,
    threshold: float | None = None,
    top: int | None = None,
    names: Mapping[str, str] | None = None,
    title: str | None = None,
    legend: bool | str = True,
    width_mm: float | None = None,
) -> Axes:
    """All pairs of models; the best model on top.

    With a rope, cells above the diagonal are P(row better than column) and cells below it P(equivalent): the rest is
    P(column better than row). Without a rope both halves are P(row better than column). Over many datasets these are
    the probabilities that the outcome is the most probable one, and the labels say so. A frame marks a decision: P
    reaches the threshold.

    Of pairwise tests, cells above the diagonal are the adjusted p-values, cells below it those of each test alone; a
    frame marks those up to the level.

    Parameters
    ----------
    result : Comparison, RankingPosterior or PairwiseTests
    threshold : float, optional
        The threshold of the decisions; the comparison's own if not given, else 0.95. Of tests the level, else 0.05.
    top : int, optional
        How many models to draw, the best first; all if not given.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    title : str, optional
        The title; none if not given.
    legend : bool or str
        The key: below the axes, none, or inside at one of matplotlib's locations, such as "lower left".
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float, optional
        The width of the new figure; 85, and 170 for more than 20 models, if not given.

    See Also
    --------
    plot_ranking_groups, plot_p_best, plot_multi_comparison

    Examples
    --------
    >>> import bayescmp as bc
    >>> ax = bc.plots.plot_matrix(bc.compare(bc.load_labour(), rope=0.01))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['SVM', 'LR', 'DT']
    """
    table = _p_values(result, threshold) if isinstance(result, PairwiseTests) else _probabilities(result, threshold)
    shown = naming(names, table.models)
    own, order = ax is None, table.order[: None if top is None else check_count("top", top)]
    labels = [shown(table.models[i]) for i in order]
    width_mm = (TWO_COLUMNS if len(order) > MANY else ONE_COLUMN) if width_mm is None else width_mm
    ax, cell = heat_axes(ax, labels, labels, width_mm, besides_mm=24)
    upper = table.upper[order][:, order]
    above = np.triu(np.ones_like(upper, dtype=bool))
    if table.lower is None:
        heat_cells(ax, upper, cell, **table.upper_style)
    else:
        heat_cells(ax, np.where(above, upper, np.nan), cell, **table.upper_style)
        heat_cells(ax, np.where(above, np.nan, table.lower[order][:, order]), cell, **table.lower_style)
    used = {}
    for (y, i), (x, j) in product(enumerate(order), repeat=2):
        decision = table.decisions.get((i, j))
        if decision in table.framed(above=x > y):
            used[decision] = color, line, _ = FRAMES[decision]
            ax.add_patch(Rectangle((x - 0.44, y - 0.44), 0.88, 0.88, fill=False, edgecolor=color, linestyle=line))
    size, room = font_size(width_of(ax)), min(56, 0.75 * width_of(ax))
    words = "\n".join(
        wrapped(line, max(len(labels) * cell / POINTS_A_MM, room), size)
        for line in [*table.words[:-1], table.words[-1] + left_out(len(table.models) - len(order), "model")]
    )
    ax.set_xlabel(words, fontsize=size, color=ink())
    handles = [
        Patch(facecolor=paper(), edgecolor=color, linestyle=line, linewidth=1, label=table.decided.format(words))
        for color, line, words in used.values()
    ]
    if legend is True:
        down = 0.02 + (1.0 + 1.6 * (1 + words.count("\n"))) * size / (cell * len(labels))
        key_below(ax, handles, down)
    else:
        key_above(ax, handles, 1, legend)
    set_title(ax, title)
    if own:
        root_figure(ax).draw_without_rendering()  # the layout has room for the key from the second time on
    return ax


class _Table:
    """What a matrix draws: numbers above and below the diagonal, decisions, and the words about them."""

    lower: Floats | None = None
    upper_style: dict[str, Any]
    lower_style: dict[str, Any]

    def __init__(self, models: tuple[str, ...], order: list[int], upper: Floats) -> None:
        self.models, self.order, self.upper = models, order, upper
        self.decisions: dict[tuple[int, int], Decision] = {}
        self.words: list[str] = []
        self.decided = "{}"

    def framed(self, above: bool) -> tuple[Decision, ...]:
        """The decisions that have a frame above or below the diagonal: each pair has one."""
        if self.lower is None:
            return (Decision.A_BETTER,)
        return (Decision.A_BETTER, Decision.B_BETTER) if above else (Decision.EQUIVALENT,)


def _probabilities(result: Any, threshold: float | None) -> _Table:
    pairs = pair_table(result, threshold)
    outcome = isinstance(result, Comparison) and result.posteriors[0].expected is not None
    table = _Table(pairs.models, pairs.order(), pairs.p)

    def text(p: float, narrow: bool) -> str:  # no number below the threshold is rounded up to it
        short = two_digits(p, narrow)
        return unit_number(p, 3) if p < pairs.threshold <= float(short) else short

    better = "P(row better is most probable)" if outcome else "P(row better than column)"
    equivalent = "P(equivalent is most probable)" if outcome else "P(equivalent)"
    table.upper_style = {"label": better, "place": 0.3 if pairs.equivalent is None else 0.56, "text": text}
    table.words = [better]
    if pairs.equivalent is not None:
        table.lower = pairs.equivalent
        table.lower_style = table.upper_style | {"shades": GREYS, "label": equivalent, "place": 0.04}
        table.words = [f"upper right, blue: {better}", f"lower left, grey: {equivalent}"]
    table.decisions = pairs.decisions
    table.decided = f"{{}}: P at least {pairs.threshold:g}"
    return table


def _p_values(tests: PairwiseTests, level: float | None) -> _Table:
    alpha = check_share("threshold", 0.05 if level is None else level)
    raw, adjusted = (np.array(tests.matrix(adjusted=adjusted), dtype=float) for adjusted in (False, True))
    for p in (raw, adjusted):
        np.fill_diagonal(p, np.nan)
    lead = np.zeros(len(tests.models))
    for (a, b), estimate in zip(tests.pairs, tests.estimate, strict=True):
        lead[tests.models.index(a)] += estimate
        lead[tests.models.index(b)] -= estimate
    ranks = tests.details.get("mean_ranks")
    lead = lead if ranks is None else -np.array([ranks[name] for name in tests.models])
    table = _Table(tests.models, [int(i) for i in np.argsort(-lead, kind="stable")], adjusted)
    none = tests.adjustment == "none"
    what = "p-value" if none else f"{tests.adjustment}-adjusted p-value"
    ticks = {0.0: "1", 1 / 3: "0.1", 2 / 3: "0.01", 1.0: "0.001"}
    table.upper_style = {
        "shades": SHADES,
        "depth": _evidence,
        "text": _p_text,
        "label": what,
        "ticks": ticks,
        "place": 0.56,
    }
    table.words = [what]
    if not none:
        table.lower, table.lower_style = (
            raw,
            table.upper_style | {"shades": GREYS, "label": "p-value alone", "place": 0.04},
        )
        table.words = [f"upper right, blue: {what}", "lower left, grey: p-value of the test alone"]
    for i, j in zip(*np.nonzero(adjusted <= alpha), strict=True):
        table.decisions[int(i), int(j)] = Decision.A_BETTER
    table.decided = f"at most {alpha:g}"
    return table


def _evidence(p: Floats) -> Floats:
    """The shade of a p-value: from 1 to 0.001, tenfold by tenfold."""
    return np.clip(-np.log10(np.maximum(p, 1e-300)) / 3, 0, 1)


def _p_text(p: float, narrow: bool) -> str:
    if narrow:
        return "<.01" if p < 0.005 else unit_number(p)[:3]
    return "<.001" if p < 0.0005 else unit_number(p, 3)
