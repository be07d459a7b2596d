"""Many estimates at once: HDIs of pairs or datasets against the rope; raw and shrunken means."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from bayescmp.bayes.hierarchical.ttest import HierarchicalPosterior
from bayescmp.bayes.posterior import Posterior
from bayescmp.checks import check_switch
from bayescmp.comparison.pair import by_hdi
from bayescmp.comparison.result import Comparison
from bayescmp.plots.posterior import check_difference
from bayescmp.plots.rows import checked_pairs, difference_label, furthest, left_out, pair_names, row_axes
from bayescmp.plots.style import (
    BETWEEN,
    FAINT,
    NARROW,
    decision_style,
    few_ticks,
    free_width,
    grey,
    ink,
    key_above,
    label_axes,
    naming,
    pair_title,
    rope_band,
    rope_color,
    set_title,
    width_of,
)
from bayescmp.rope import Decision
from bayescmp.sentences import rope_label

BY_HDI = {
    Decision.A_BETTER: "HDI above the rope",
    Decision.EQUIVALENT: "HDI inside",
    Decision.B_BETTER: "HDI below the rope",
    Decision.UNDECIDED: "HDI across a border",
}
BY_PROBABILITY = {
    Decision.A_BETTER: "first better",
    Decision.EQUIVALENT: "equivalent",
    Decision.B_BETTER: "second better",
    Decision.UNDECIDED: "undecided",
}
MOST_PROBABLE = {
    decision: words if decision is Decision.UNDECIDED else f"most probable: {words}"
    for decision, words in BY_PROBABILITY.items()
}
"""The words of the key, by the rule that the marks follow."""
Style = tuple[str, str, str]
"""Marker, its face and its edge."""


@dataclass(frozen=True)
class _Rows:
    """What a forest draws: names, estimates, intervals, a posterior with their rope and scale, raw means if any."""

    names: list[Any]
    estimates: list[float]
    intervals: list[tuple[float, float]]
    of: Posterior
    label: str
    raw: list[float] | None = None
    ready: bool = False
    labels: Callable[[list[Any]], list[str]] = list
    what: str = "pair"
    decisions: list[Decision] | None = None
    words: dict[Decision, str] = field(default_factory=lambda: BY_HDI)


def plot_forest(
    result: HierarchicalPosterior | Comparison | Sequence[Posterior] | Mapping[str, Posterior],
    *,
    ax: Axes | None = None,
    mass: float = 0.95,
    sort: bool = True,
    top: int | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    names: Mapping[str, str] | None = None,
    colors: Sequence[str] | None = None,
    title: str | None = None,
    legend: bool | str = True,
    width_mm: float = 85,
) -> Axes:
    """HDIs of many differences, one row each, against the rope.

    The mark is that of a decision: a triangle points to the better model's side, a square is equivalent, an open circle
    undecided. For a comparison these are its own decisions, as in its table; for posteriors and datasets they are those
    of the HDI, wholly beyond the rope, wholly inside it, or neither. The key names the rule.

    Parameters
    ----------
    result : HierarchicalPosterior, Comparison, or posteriors
        The datasets of a hierarchical test, each with an arrow from its raw to its shrunken mean; the pairs of a
        comparison; or any posteriors of differences with the same rope, named if given as a mapping.
    mass : float
        The mass of the HDIs.
    sort : bool
        Largest estimate first.
    top : int, optional
        How many rows to draw, those furthest from 0; at most 50 if not given.
    pairs : sequence of (a, b), optional
        The pairs of a comparison to draw.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    colors : sequence of three colours, optional
        Colours of A better, equivalent and B better.
    title : str, optional
        The title; of the datasets of one pair this and the metric if not given, else none.
    legend : bool or str
        The key: above the axes, none, or inside at one of matplotlib's locations, such as "upper right".
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float
        The width of the new figure, which is as high as its rows.

    See Also
    --------
    plot_differences
    bayescmp.bayes.hierarchical_ttest

    Examples
    --------
    >>> import bayescmp as bc
    >>> ax = bc.plots.plot_forest(bc.compare(bc.load_labour(), rope=0.01))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['LR vs SVM', 'DT vs LR', 'DT vs SVM']
    """
    check_switch("sort", sort)
    shown = naming(names, _models(result))
    rows = _rows(result, mass, free_width(ax, width_mm), shown, pairs)
    chosen = furthest(rows.estimates, top)
    order = [int(i) for i in (np.argsort(-np.array(rows.estimates), kind="stable") if sort else chosen) if i in chosen]
    ax = row_axes(ax, rows.labels([rows.names[i] for i in order]), width_mm, besides_mm=20, ready=rows.ready)
    raw = rows.raw or rows.estimates
    every = np.array([x for i in order for x in (rows.intervals[i], (rows.estimates[i], raw[i]))])
    low, high = min(every.min(), 0.0), max(every.max(), 0.0)
    wide = (high - low) or 1e-3
    borders = [x for x in (rows.of.rope.low, rows.of.rope.high) if abs(x) < 2 * wide]
    low, high = min(low, *borders, 0.0), max(high, *borders, 0.0)
    ax.set_xlim(low - 0.04 * (high - low), high + 0.04 * (high - low))
    rope_band(ax, rows.of.rope, label=False)
    used = []
    for y, i in enumerate(order):
        low, high = rows.intervals[i]
        decision = rows.decisions[i] if rows.decisions else by_hdi(low, high, rows.of.rope)
        used.append(decision)
        style = decision_style(decision, colors)
        _row(ax, y, rows.estimates[i], rows.intervals[i], style, rows.raw[i] if rows.raw else None)
    ax.spines["left"].set_visible(False)
    few_ticks(ax, rows.of)
    label_axes(ax, x=rows.label + left_out(len(rows.names) - len(order), f"{rows.what} nearer to 0"))
    styles = {decision: decision_style(decision, colors) for decision in rows.words if decision in used}
    _key(ax, styles, rows.words, rows.raw is not None, rows.of, legend)
    set_title(ax, title, pair_title(ax, result, shown) if isinstance(result, HierarchicalPosterior) else "")
    return ax


def _models(result: Any) -> list[str]:
    """The models that a forest shows, of what may be a result."""
    if isinstance(result, Comparison):
        return list(result.models)
    of = result.values() if isinstance(result, Mapping) else result if isinstance(result, (list, tuple)) else [result]
    return [name for one in of for name in (getattr(one, "a", None), getattr(one, "b", None)) if name is not None]


def _rows(
    result: Any, mass: float, width_mm: float, shown: Callable[[str], str], pairs: Sequence[tuple[str, str]] | None
) -> _Rows:
    if pairs is not None and not isinstance(result, Comparison):
        raise ValueError(f"`pairs` chooses pairs of a Comparison, got {type(result).__name__}.")
    if isinstance(result, HierarchicalPosterior):
        frame = result.datasets_frame(mass)
        return _Rows(
            list(frame.index),
            frame["shrunken"].tolist(),
            list(zip(frame["hdi_low"], frame["hdi_high"], strict=True)),
            result,
            difference_label(result, shown(result.a), shown(result.b)),
            frame["mean"].tolist(),
            what="dataset",
        )
    if isinstance(result, Comparison):
        first = result.posteriors[0]
        if first.mean is None:
            raise ValueError(f"The {first.method} has no mean difference, so there is no forest of them: plot_matrix.")
        found = result.posteriors
        if pairs is not None:
            found = [result.pair(a, b).posterior for a, b in checked_pairs(pairs)]
        return _Rows(
            [(shown(p.a), shown(p.b)) for p in found],
            [float(p.mean) for p in found if p.mean is not None],
            [p.hdi(mass) for p in found],
            first,
            difference_label(first, shown(result.control) if result.control and pairs is None else "the first"),
            ready=True,
            labels=lambda names: pair_names(names, width_mm),
            decisions=[p.decision(result.threshold) for p in found],
            words=BY_PROBABILITY if first.expected is None else MOST_PROBABLE,
        )
    return _of_posteriors(result, mass, width_mm, shown)


def _of_posteriors(results: Any, mass: float, width_mm: float, shown: Callable[[str], str]) -> _Rows:
    named, ready = isinstance(results, Mapping), False
    if not named and not isinstance(results, (list, tuple)):
        raise ValueError(
            "A forest needs a HierarchicalPosterior, a Comparison, or posteriors in a list or a mapping from their "
            f"names; got {type(results).__name__}."
        )
    found: list[Any] = list(results.values() if named else results)
    if not found:
        raise ValueError("A forest needs at least one posterior, got none.")
    for one in found:
        check_difference(one)
    ropes = sorted({str(one.rope) for one in found})
    if len(ropes) > 1:
        raise ValueError(f"All posteriors of a forest must have the same rope, got {', '.join(ropes)}. Use with_rope.")
    first = found[0]
    same = len({(one.a, one.b) for one in found}) == 1
    if named:
        names = [str(name) for name in results]
    elif same and all(len(one.datasets) == 1 for one in found):
        names = [one.datasets[0] for one in found]
    else:
        ready = True
        names = pair_names([(shown(one.a), shown(one.b)) for one in found], width_mm)
    return _Rows(
        names,
        [float(one.mean) for one in found],
        [one.hdi(mass) for one in found],
        first,
        difference_label(first, *((shown(first.a), shown(first.b)) if same else ("the first",))),
        ready=ready,
        what="row",
    )


def _row(ax: Axes, y: int, estimate: float, ends: tuple[float, float], style: Style, raw: float | None) -> None:
    marker, face, edge = style
    ax.plot(ends, [y, y], color=ink(), linewidth=1.0, solid_capstyle="butt", gid="hdi")
    if raw is not None:
        ax.plot([raw, estimate], [y - 0.28, y], color=FAINT, linewidth=0.6, zorder=1.5)
        ax.plot(raw, y - 0.28, marker="x", color=grey(), markersize=3, markeredgewidth=0.8, gid="raw")
    ax.plot(
        estimate, y, marker=marker, markerfacecolor=face, markeredgecolor=edge, markeredgewidth=0.8, markersize=4.5,
        linestyle="none", gid="estimate",
    )  # fmt: skip


def _key(
    ax: Axes, styles: dict[Decision, Style], words: dict[Decision, str], raw: bool, of: Posterior, legend: bool | str
) -> None:
    handles: list[Any] = [
        Line2D([], [], linestyle="none", marker=marker, markerfacecolor=face, markeredgecolor=edge, markersize=4.5,
               markeredgewidth=0.8, label=words[decision])
        for decision, (marker, face, edge) in styles.items()
    ]  # fmt: skip
    if raw:
        handles.append(Line2D([], [], linestyle="none", marker="x", color=grey(), markersize=3, label="raw mean"))
    if not of.rope.is_zero:
        handles.append(Patch(facecolor=rope_color(), label=f"rope {rope_label(of)}"))
    columns = 1 if width_of(ax) < NARROW else 2 if width_of(ax) < BETWEEN else 5
    key_above(ax, handles, min(len(handles), columns), legend)
