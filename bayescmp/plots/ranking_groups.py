"""The Bayesian sibling of the critical-difference diagram: P(better) along the ranking, and groups of equals."""

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from bayescmp.bayes.ranking.result import RankingPosterior
from bayescmp.comparison.result import Comparison
from bayescmp.plots.pairwise import PairTable, pair_table
from bayescmp.plots.rank_distribution import ranking_order
from bayescmp.plots.rows import MANY_MODELS, left_out, row_axes
from bayescmp.plots.style import (
    BETTER,
    NARROW,
    OKABE_ITO,
    below_titles,
    font_size,
    grey,
    ink,
    key_above,
    label_axes,
    light_grid,
    naming,
    set_title,
    width_of,
)
from bayescmp.rope import Decision
from bayescmp.sentences import datasets_used
from bayescmp.text import probability

Run = tuple[int, int]


def plot_ranking_groups(
    result: Comparison | RankingPosterior,
    *,
    ax: Axes | None = None,
    threshold: float | None = None,
    top: int | None = None,
    names: Mapping[str, str] | None = None,
    title: str | None = None,
    legend: bool | str = True,
    width_mm: float = 85,
) -> Axes:
    """Expected ranks with their 95 % intervals, P(better than the next) between rows, and bars over groups.

    A thick bar joins models that are all practically equivalent to each other, a thin dashed one models among which
    no pair is decided.

    Parameters
    ----------
    result : Comparison of all pairs, or RankingPosterior
        A plain ranking has no practical equivalence of pairs; Bradley-Terry and Plackett-Luce have.
    threshold : float, optional
        The threshold of the decisions; the comparison's own if not given, else 0.95.
    top : int, optional
        How many models to draw, the best expected ranks first; at most 40 if not given.
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
    plot_critical_difference : the classical sibling.

    Examples
    --------
    >>> import bayescmp as bc
    >>> ax = bc.plots.plot_ranking_groups(bc.bayes.rank_models(bc.load_domains(), rope=0, random_seed=1))
    >>> " ".join(ax.get_xlabel().split())
    'expected rank, 95% interval (1 is best), 10 datasets'
    """
    table, ranking = _both(result, threshold)
    shown = naming(names, ranking.models)
    order = ranking_order(ranking, MANY_MODELS if top is None else top)
    models = [ranking.models[i] for i in order]
    ax = row_axes(ax, [shown(name) for name in models], width_mm, besides_mm=22, row_mm=5.2)
    light_grid(ax)
    expected, intervals = ranking.expected_rank, ranking.rank_hdi()
    last = max(intervals[name][1] for name in models)
    ax.set_xlim(0.7, last + 0.3)
    for y, name in enumerate(models):
        ax.plot(intervals[name], [y, y], color=ink(), linewidth=1, gid="interval")
        ax.plot(expected[name], y, "o", color=BETTER, markersize=4.5, gid="expected rank", clip_on=False)
    ax.set_xticks(range(1, round(last) + 1, math.ceil(last / (4 if width_of(ax) < 120 else 12))))
    _neighbours(ax, table, order)
    _groups(ax, table, order, legend)
    rest = left_out(len(ranking.models) - len(order), "model")
    label_axes(ax, x=f"expected rank, 95% interval (1 is best), {datasets_used(ranking)}{rest}")
    set_title(ax, title)
    return ax


def runs(n: int, belong: Callable[[int, int], bool]) -> list[Run]:
    """The longest runs of neighbours of which every two belong together, first and last."""
    found: list[Run] = []
    for start in range(n):
        end = start
        while end + 1 < n and all(belong(i, end + 1) for i in range(start, end + 1)):
            end += 1
        if end > start and (not found or end > found[-1][1]):
            found.append((start, end))
    return found


def _both(result: Any, threshold: float | None) -> tuple[PairTable, RankingPosterior]:
    table = pair_table(result, threshold)
    if isinstance(result, Comparison):
        if result.control is not None:
            raise ValueError(
                f"Groups need all pairs, but only those with {result.control} were compared: compare without control."
            )
        return table, result.ranking_posterior()
    return table, result


def _neighbours(ax: Axes, table: PairTable, order: list[int]) -> None:
    size = font_size(width_of(ax))
    for y, (i, j) in enumerate(pairwise(order)):
        ax.annotate(
            probability(table.p[i, j]), (1, y + 0.5), xycoords=("axes fraction", "data"), xytext=(5, 0),
            textcoords="offset points", va="center", fontsize=size - 0.5, color=ink(), gid="p better",
        )  # fmt: skip
    heading = ax.annotate(
        "P(better\nthan next)", (1, 1), xycoords="axes fraction", xytext=(5, 1), textcoords="offset points",
        va="bottom", fontsize=size - 1, color=grey(), linespacing=1.05,
    )  # fmt: skip
    below_titles(ax, heading)


def _groups(ax: Axes, table: PairTable, order: list[int], legend: bool | str) -> None:
    """Bars right of the probabilities, in columns so that none covers another."""
    decided = (Decision.A_BETTER, Decision.B_BETTER)
    equal = runs(len(order), lambda i, j: table.decisions[order[i], order[j]] is Decision.EQUIVALENT)
    open_ = runs(len(order), lambda i, j: table.decisions[order[i], order[j]] not in decided)
    styles: list[tuple[str, list[Run], dict[str, Any]]] = [
        ("practically equivalent", equal, {"color": OKABE_ITO[3], "linewidth": 2.6}),
        (
            "not decided",
            [run for run in open_ if run not in equal],
            {"color": ink(), "linewidth": 1, "linestyle": "--"},
        ),
    ]
    columns: list[list[Run]] = []
    handles = []
    for label, groups, style in styles:
        for first, last in groups:
            free = [c for c, taken in enumerate(columns) if all(last < a or b < first for a, b in taken)]
            column = free[0] if free else len(columns)
            if not free:
                columns.append([])
            columns[column].append((first, last))
            _bar(ax, column, first, last, style, label)
        if groups:
            handles.append(Line2D([], [], label=label, **style))
    key_above(ax, handles, 2 if width_of(ax) > NARROW else 1, legend)


def _bar(ax: Axes, column: int, first: int, last: int, style: dict[str, Any], label: str) -> None:
    shift = ScaledTranslation((38 + 6 * column) / 72, 0, ax.figure.dpi_scale_trans)
    transform = blended_transform_factory(ax.transAxes, ax.transData) + shift
    ax.plot(
        [1, 1], [first - 0.3, last + 0.3], transform=transform, clip_on=False, solid_capstyle="butt", gid=label, **style
    )
