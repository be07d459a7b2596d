"""Many estimates at once: HDIs of pairs or datasets against the rope; raw and shrunken means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from bayescmp.bayes.hierarchical.ttest import HierarchicalPosterior
from bayescmp.bayes.posterior import Posterior
from bayescmp.checks import check_switch
from bayescmp.comparison.pair import by_hdi
from bayescmp.comparison.result import Comparison
from bayescmp.plots.posterior import check_difference
from bayescmp.plots.rows import difference_label, pair_names, row_axes
from bayescmp.plots.style import (
    DECISION_STYLES,
    FAINT,
    INK,
    few_ticks,
    free_width,
    key_above,
    label_axes,
    rope_band,
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


@dataclass(frozen=True)
class _Rows:
    """What a forest draws: names, estimates, intervals, a posterior with their rope and scale, raw means if any."""

    names: list[str]
    estimates: list[float]
    intervals: list[tuple[float, float]]
    of: Posterior
    label: str
    raw: list[float] | None = None
    ready: bool = False
    decisions: list[Decision] | None = None
    words: dict[Decision, str] = field(default_factory=lambda: BY_HDI)


def plot_forest(
    result: HierarchicalPosterior | Comparison | Sequence[Posterior] | Mapping[str, Posterior],
    *,
    ax: Axes | None = None,
    mass: float = 0.95,
    sort: bool = True,
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
    rows = _rows(result, mass, free_width(ax, width_mm))
    order = np.argsort(-np.array(rows.estimates), kind="stable") if sort else np.arange(len(rows.names))
    ax = row_axes(ax, [rows.names[i] for i in order], width_mm, besides_mm=20, ready=rows.ready)
    every = np.array([*rows.intervals, *zip(rows.estimates, rows.raw or rows.estimates, strict=True)])
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
        _row(ax, y, rows.estimates[i], rows.intervals[i], decision, rows.raw[i] if rows.raw else None)
    ax.spines["left"].set_visible(False)
    few_ticks(ax, rows.of)
    label_axes(ax, x=rows.label)
    _key(ax, used, rows.words, rows.raw is not None, rows.of)
    return ax


def _rows(result: Any, mass: float, width_mm: float) -> _Rows:
    if isinstance(result, HierarchicalPosterior):
        frame = result.datasets_frame(mass)
        return _Rows(
            list(frame.index),
            frame["shrunken"].tolist(),
            list(zip(frame["hdi_low"], frame["hdi_high"], strict=True)),
            result,
            difference_label(result, result.a),
            frame["mean"].tolist(),
        )
    if isinstance(result, Comparison):
        first = result.posteriors[0]
        if first.mean is None:
            raise ValueError(f"The {first.method} has no mean difference, so there is no forest of them: plot_matrix.")
        return _Rows(
            pair_names(result.pair_names, width_mm),
            [float(p.mean) for p in result.posteriors if p.mean is not None],
            [p.hdi(mass) for p in result.posteriors],
            first,
            difference_label(first, result.control or "the first"),
            ready=True,
            decisions=[pair.decision for pair in result.pairs],
            words=BY_PROBABILITY if first.expected is None else MOST_PROBABLE,
        )
    return _of_posteriors(result, mass, width_mm)


def _of_posteriors(results: Any, mass: float, width_mm: float) -> _Rows:
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
        names = pair_names([(one.a, one.b) for one in found], width_mm)
    return _Rows(
        names,
        [float(one.mean) for one in found],
        [one.hdi(mass) for one in found],
        first,
        difference_label(first, first.a if same else "the first"),
        ready=ready,
    )


def _row(ax: Axes, y: int, estimate: float, ends: tuple[float, float], decision: Decision, raw: float | None) -> None:
    marker, face, edge = DECISION_STYLES[decision]
    ax.plot(ends, [y, y], color=INK, linewidth=1.0, solid_capstyle="butt", gid="hdi")
    if raw is not None:
        ax.plot([raw, estimate], [y - 0.28, y], color=FAINT, linewidth=0.6, zorder=1.5)
        ax.plot(raw, y - 0.28, marker="x", color="#595959", markersize=3, markeredgewidth=0.8, gid="raw")
    ax.plot(
        estimate, y, marker=marker, markerfacecolor=face, markeredgecolor=edge, markeredgewidth=0.8, markersize=4.5,
        linestyle="none", gid="estimate",
    )  # fmt: skip


def _key(ax: Axes, used: list[Decision], words: dict[Decision, str], raw: bool, of: Posterior) -> None:
    handles = [
        Line2D([], [], linestyle="none", marker=marker, markerfacecolor=face, markeredgecolor=edge, markersize=4.5,
               markeredgewidth=0.8, label=words[decision])
        for decision, (marker, face, edge) in DECISION_STYLES.items()
        if decision in used
    ]  # fmt: skip
    if raw:
        handles.append(Line2D([], [], linestyle="none", marker="x", color="#595959", markersize=3, label="raw mean"))
    if not of.rope.is_zero:
        handles.append(Line2D([], [], color="#D0D0D0", linewidth=5, label=f"rope {rope_label(of)}"))
    key_above(ax, handles, min(len(handles), 2 if width_of(ax) < 120 else 5))
