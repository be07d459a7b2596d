"""The critical-difference diagram: mean ranks on a line, and bars over models that the test cannot tell apart."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from bayescmp.frequentist.pairwise import PairwiseTests
from bayescmp.plots.names import fit_names, printable, text_width
from bayescmp.plots.style import FAINT, POINTS_A_MM, font_size, free_width, ink, naming, new_axes, set_title

SHARE = 0.29
"""Of the width, at most, for the names on each side."""
STEP, BAR_STEP = 1.0, 0.42
"""From one name to the next, and from one bar to the next, in lines of text."""


def plot_critical_difference(
    result: PairwiseTests,
    *,
    ax: Axes | None = None,
    names: Mapping[str, str] | None = None,
    title: str | None = None,
    width_mm: float = 85,
) -> Axes:
    """Mean ranks (1 is best, on the left) with bars over groups that differ by less than the critical difference.

    Parameters
    ----------
    result : PairwiseTests
        Of `nemenyi_test`; of `bonferroni_dunn_test` one bar is drawn, around the control.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    title : str, optional
        The title; none if not given.
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float
        The width of the new figure.

    See Also
    --------
    plot_ranking_groups : the Bayesian sibling.
    bayescmp.frequentist.nemenyi_test

    References
    ----------
    Demsar (2006). Statistical comparisons of classifiers over multiple data sets. JMLR 7.

    Examples
    --------
    >>> import bayescmp as bc
    >>> ax = bc.plots.plot_critical_difference(bc.frequentist.nemenyi_test(bc.load_domains()))
    >>> ax.texts[0].get_text()
    'critical difference 1.05 (5% level)'
    """
    _check(result)
    shown = naming(names, result.models)
    ranks: dict[str, float] = result.details["mean_ranks"]
    cd = float(result.critical_difference or 0.0)
    order = sorted(ranks, key=ranks.__getitem__)
    values = [ranks[name] for name in order]
    bars = _bars(values, cd) if result.control is None else [(ranks[result.control] - cd, ranks[result.control] + cd)]
    k, half = len(order), math.ceil(len(order) / 2)
    width = free_width(ax, width_mm)
    size = font_size(width)
    suffixes = [f" {value:.2f}" for value in values]
    room = SHARE * width * POINTS_A_MM
    longest = max(text_width(f"{printable(shown(name))} 10.00", size) for name in order)
    room = min(longest + 4, room)
    labels = fit_names([shown(name) for name in order], room - text_width(" 10.00", size) - 3, size, 2)
    lines = 2.0 if any("\n" in label for label in labels) else 1.0
    first = BAR_STEP * len(bars) + 1.3
    depth = first + (half - 1) * STEP * lines + 0.7 * lines
    height = (depth + 3.4) * size * 1.3 / POINTS_A_MM
    ax = new_axes(ax, width_mm, height)
    ax.axis("off")
    low, high = 1.0, float(k)
    share = room / (width * POINTS_A_MM)
    beyond = (high - low) * share / (1 - 2 * share)
    ax.set(xlim=(low - beyond, high + beyond), ylim=(depth, -3.4))
    _scale(ax, low, cd, result, size)
    _ruler(ax, low, high, size, (1 - 2 * share) * width * POINTS_A_MM)
    for i, (left, right) in enumerate(bars):
        y = 0.55 + BAR_STEP * i
        ax.plot([max(left - 0.03, low), min(right + 0.03, high)], [y, y], color=ink(), linewidth=2.6,
                solid_capstyle="butt", gid="group")  # fmt: skip
    gap = 0.012 * (high - low)
    for i, (name, value) in enumerate(zip(labels, values, strict=True)):
        on_left = i < half
        place = i if on_left else k - 1 - i
        y = first + place * STEP * lines
        edge, side = (low, -1) if on_left else (high, 1)
        ax.plot([value, value, edge], [0, y, y], color=FAINT, linewidth=0.7, zorder=1.5, gid="leader")
        text = _with_rank(name, suffixes[i], on_left)
        ax.text(edge + side * gap, y, text, ha="right" if on_left else "left", va="center", fontsize=size, color=ink(),
                linespacing=1.05, gid="model")  # fmt: skip
    set_title(ax, title)
    return ax


def _check(result: Any) -> None:
    if not isinstance(result, PairwiseTests) or result.critical_difference is None:
        what = getattr(result, "method", type(result).__name__)
        raise ValueError(
            "A critical-difference diagram needs a test of mean ranks with a critical difference "
            f"(frequentist.nemenyi_test, bonferroni_dunn_test), got: {what}."
        )


def _bars(values: Sequence[float], cd: float) -> list[tuple[float, float]]:
    """The longest runs of sorted ranks that span no more than the critical difference, of two models or more."""
    runs: list[tuple[int, int]] = []
    for start in range(len(values)):
        end = max(i for i in range(start, len(values)) if values[i] - values[start] <= cd)
        if end > start and (not runs or end > runs[-1][1]):
            runs.append((start, end))
    return [(values[start], values[end]) for start, end in runs]


def _ruler(ax: Axes, low: float, high: float, size: float, points: float) -> None:
    ax.plot([low, high], [0, 0], color=ink(), linewidth=0.9)
    every = math.ceil(2.2 * text_width("10", size) * (high - low) / points)
    for rank in range(int(low), int(high) + 1):
        labelled = (rank - int(low)) % every == 0
        ax.plot([rank, rank], [0, -0.3 if labelled else -0.12], color=ink(), linewidth=0.9)
        if labelled:
            ax.text(rank, -0.4, str(rank), ha="center", va="bottom", fontsize=size, color=ink())


def _scale(ax: Axes, low: float, cd: float, result: PairwiseTests, size: float) -> None:
    """The critical difference as a length above the ruler."""
    y = -1.85
    ax.plot([low, low + cd], [y, y], color=ink(), linewidth=0.9, marker="|", markersize=4, gid="critical difference")
    text = f"critical difference {cd:.3g} ({100 * result.details['alpha']:g}% level)"
    ax.text(low, y - 0.35, text, ha="left", va="bottom", fontsize=size, color=ink())


def _with_rank(name: str, rank: str, on_left: bool) -> str:
    return f"{name}{rank}" if on_left else f"{rank.strip()} {name}"
