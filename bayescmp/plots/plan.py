"""What a planned study decides, against its size: stacked probabilities of the three decisions."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from bayescmp.checks import check_share
from bayescmp.planning.designs import Design
from bayescmp.planning.next_step import Plan
from bayescmp.plots.names import outcome_labels
from bayescmp.plots.style import (
    FAINT,
    POINTS_A_MM,
    REGION_HATCHES,
    few_ticks,
    font_size,
    ink,
    key_above,
    label_axes,
    naming,
    new_axes,
    paper,
    region_colors,
    set_title,
    soften_hatch,
    width_of,
)


def plot_plan(
    result: Design | Plan,
    *,
    target: float | None = 0.8,
    ax: Axes | None = None,
    names: Mapping[str, str] | None = None,
    colors: Sequence[str] | None = None,
    title: str | None = None,
    legend: bool | str = True,
    width_mm: float = 85,
) -> Axes:
    """The probabilities of the decisions against the size of the study, stacked; what is left white is undecided.

    Parameters
    ----------
    result : Design or Plan
        Of several sizes: `planning.design(..., n=[...])`, or `planning.plan(...)`.
    target : float, optional
        The probability of a decision that is wanted, drawn as a line; None for none.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}; those of a Design are "A" and "B".
    colors : sequence of three colours, optional
        Colours of A better, equivalent and B better.
    title : str, optional
        The title; none if not given.
    legend : bool or str
        The key: above the axes, none, or inside at one of matplotlib's locations, such as "upper left".
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float
        The width of the new figure.

    See Also
    --------
    bayescmp.planning.design, bayescmp.planning.plan

    Examples
    --------
    >>> import bayescmp as bc
    >>> d = bc.planning.design("sign_test", truth={"mean": 0.02, "sd": 0.02}, rope=0.01, n=[10, 20, 40])
    >>> bc.plots.plot_plan(d).get_xlabel()
    'datasets'
    """
    if not isinstance(result, (Design, Plan)):
        raise ValueError(f"`result` must be a Design or a Plan of bayescmp.planning, got {type(result).__name__}.")
    if target is not None:
        check_share("target", target)
    sizes: Any = result.sizes if isinstance(result, Design) else [result.at_hand + m for m in result.more]
    decided = np.array(result.decided)
    if isinstance(result, Plan):  # begin where the data end
        now = [
            float(name in result.decision_now) for name in (f"{result.a} better", "equivalent", f"{result.b} better")
        ]
        sizes, decided = [result.at_hand, *sizes], np.vstack([now, decided])
    if len(sizes) < 2:
        raise ValueError("A figure of a plan needs several sizes, got one. Give n=[10, 20, 50], for example.")
    order = np.argsort(sizes)
    sizes, decided = np.array(sizes)[order], decided[order]
    ax = new_axes(ax, width_mm, (0.62, 0.42))
    a, b = (result.a, result.b) if isinstance(result, Plan) else ("A", "B")
    width = width_of(ax)
    shown, three = naming(names, (a, b)), region_colors(colors)
    labels = outcome_labels(shown(a), shown(b), 0.25 * width * POINTS_A_MM, font_size(width), 2)
    below, handles = np.zeros(len(sizes)), []
    for column, name, color, hatch in zip(decided.T, labels, three, REGION_HATCHES, strict=True):
        style: dict[str, Any] = {"facecolor": color, "edgecolor": paper(), "hatch": hatch, "linewidth": 0.0}
        soften_hatch(ax.fill_between(sizes, below, below + column, gid=f"decided {name}", **style))
        handles.append(soften_hatch(Patch(label=name, **style)))
        below = below + column
    ax.plot(sizes, below, color=ink(), linewidth=0.8, gid="decided")
    if isinstance(result, Plan):
        ax.axvline(result.at_hand, color=FAINT, linewidth=0.8, linestyle="--", gid="at hand")
    if target is not None:
        ax.axhline(target, color=FAINT, linewidth=0.8, linestyle=":", gid="target")
    ax.set_xlim(sizes[0], sizes[-1])
    ax.set_ylim(0, 1)
    few_ticks(ax)
    key_above(ax, handles, 3, legend)
    label_axes(ax, x=result.unit, y="P(decision)")
    set_title(ax, title)
    return ax
