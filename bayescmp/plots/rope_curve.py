"""How the three probabilities move with the rope."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.bayes.regions import RegionPosterior
from bayescmp.plots.labels import label_room, line_key
from bayescmp.plots.names import outcome_labels
from bayescmp.plots.posterior import Difference
from bayescmp.plots.style import (
    FAINT,
    REGION_LINES,
    below_titles,
    few_ticks,
    font_size,
    grey,
    label_axes,
    light_grid,
    naming,
    new_axes,
    pair_title,
    region_colors,
    set_title,
    width_of,
)
from bayescmp.rope import Rope, RopeLike, ropes_of
from bayescmp.scores.pair import SCALES
from bayescmp.text import IN_PERCENT, border

STEPS = 21


def plot_rope_curve(
    result: Difference,
    *,
    ropes: Iterable[RopeLike] | None = None,
    ax: Axes | None = None,
    names: Mapping[str, str] | None = None,
    colors: Sequence[str] | None = None,
    title: str | None = None,
    legend: bool | str = True,
    width_mm: float = 85,
) -> Axes:
    """The three probabilities against the rope's width; the result's own rope is marked.

    Parameters
    ----------
    result : DifferencePosterior or RegionPosterior
    ropes : iterable, optional
        The ropes; from 0 to three times the result's own if not given.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    colors : sequence of three colours, optional
        Colours of A better, equivalent and B better.
    title : str, optional
        The title; the pair, the metric and the datasets if not given, "" for none.
    legend : bool or str
        The key: above the axes, none, or inside at one of matplotlib's locations, such as "upper right".
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float
        The width of the new figure.

    See Also
    --------
    plot_prior_sensitivity, plot_posterior

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)
    >>> len(bc.plots.plot_rope_curve(p, ropes=[0, 0.01, 0.02]).get_lines())
    4
    """
    if not isinstance(result, (DifferencePosterior, RegionPosterior)):
        raise ValueError(f"A rope curve needs the posterior of one pair, got {type(result).__name__}.")
    grid = _grid(result) if ropes is None else sorted(ropes_of(ropes), key=lambda r: r.high)
    if len(grid) < 2:
        raise ValueError(f"`ropes` must be at least two ropes, got {len(grid)}.")
    shown, lines = naming(names, (result.a, result.b)), region_colors(colors)
    symmetric = all(rope.low == -rope.high for rope in grid)
    x = [rope.high for rope in grid]
    ax = new_axes(ax, width_mm, (0.62, 0.42))
    ax.set(xlim=(x[0], x[-1]), ylim=(-0.02, 1.02))
    light_grid(ax, "y")
    curves = _curves(result, grid)
    for p, color, style in zip(curves.T, lines, REGION_LINES, strict=True):
        ax.plot(x, p, color=color, linestyle=style, linewidth=1.6, clip_on=False)
    own = result.rope.high
    if x[0] < own < x[-1]:
        ax.axvline(own, color=FAINT, linewidth=0.8, gid="rope")
        remark = ax.annotate(
            f"rope {_border(result)}", (own, 1), xycoords=("data", "axes fraction"), xytext=(0, 2),
            textcoords="offset points", ha="center", fontsize=font_size(width_of(ax)) - 1, color=grey(),
        )  # fmt: skip
        below_titles(ax, remark)
    few_ticks(ax, result)
    labels = outcome_labels(shown(result.a), shown(result.b), label_room(ax), font_size(width_of(ax)), 2)
    line_key(ax, legend, curves[-1].tolist(), labels, lines, REGION_LINES)
    side = "half-width of the rope" if symmetric else "upper border of the rope, the lower in proportion"
    scale = f"percent, {result.scale} scale," if result.scale in IN_PERCENT else SCALES[result.scale]
    label_axes(ax, x=f"{side} ({scale} in {result.metric or 'score'})", y="probability")
    set_title(ax, title, pair_title(ax, result, shown))
    return ax


def _border(result: Difference) -> str:
    if result.scale in IN_PERCENT:
        return f"{border(result.rope.high, result.scale, result.higher_is_better)} %"
    return f"{result.rope.high:g}"


def _grid(result: Difference) -> list[Rope]:
    rope = result.rope
    if not np.isfinite([rope.low, rope.high]).all():
        raise ValueError(f"The rope {rope} has no end: give `ropes`.")
    if rope.is_zero:
        if result.mean is None:
            raise ValueError(
                "The rope is 0 and the test has no mean difference: give `ropes`, such as [0, 0.01, 0.02]."
            )
        rope = Rope.of(max(map(abs, result.hdi())) / 3)
    return [Rope(rope.low * f, rope.high * f) for f in np.linspace(0, 3, STEPS)]


def _curves(result: Difference, grid: list[Rope]) -> np.ndarray:
    """Ropes x (A better, equivalent, B better)."""
    return result.rope_curve(grid)[["p_better", "p_equivalent", "p_worse"]].to_numpy()
