"""The three probabilities under other priors, as dots."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.bayes.regions import RegionPosterior
from bayescmp.plots.names import outcome_labels, shorten_names
from bayescmp.plots.rows import row_axes
from bayescmp.plots.style import (
    NARROW,
    POINTS_A_MM,
    REGION_MARKERS,
    font_size,
    free_width,
    ink,
    key_above,
    label_axes,
    light_grid,
    naming,
    pair_title,
    region_colors,
    set_title,
)


def plot_prior_sensitivity(
    result: RegionPosterior | DifferencePosterior,
    *,
    ax: Axes | None = None,
    names: Mapping[str, str] | None = None,
    colors: Sequence[str] | None = None,
    title: str | None = None,
    legend: bool | str = True,
    width_mm: float = 85,
) -> Axes:
    """The three probabilities of a result and under other priors, one row per prior.

    Parameters
    ----------
    result : RegionPosterior, or DifferencePosterior of mcnemar_test
        Its `prior_sensitivity()` is drawn.
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
    plot_rope_curve

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.sign_test(bc.load_domains().pair("B", "A"), rope=1)
    >>> bc.plots.plot_prior_sensitivity(p).get_yticklabels()[0].get_text()
    'this result'
    """
    if not isinstance(result, (RegionPosterior, DifferencePosterior)):
        what = getattr(result, "method", type(result).__name__)
        raise ValueError(f"Prior sensitivity is there for the posterior of a pair, got the result of: {what}.")
    shown, three = naming(names, (result.a, result.b)), region_colors(colors)
    frame = result.prior_sensitivity()
    width = free_width(ax, width_mm)
    short = shorten_names([shown(result.a), shown(result.b)], 0.24 * width * POINTS_A_MM, font_size(width))
    places = dict(zip((" on A", " on B"), short, strict=True))
    priors = [re.sub(" on [AB]$", lambda place: f" on {places[place[0]]}", str(name)) for name in frame["prior"]]
    if width < NARROW:
        priors = [prior.removeprefix("strength ") for prior in priors]
    ax = row_axes(ax, priors, width_mm, besides_mm=20)
    ax.set_xlim(-0.03, 1.03)
    light_grid(ax)
    size, room = font_size(width), 0.25 * width * POINTS_A_MM
    handles = []
    labels = outcome_labels(shown(result.a), shown(result.b), room, size, 2)
    for column, name, color, marker in zip(
        ("p_better", "p_equivalent", "p_worse"), labels, three, REGION_MARKERS, strict=True
    ):
        style: dict[str, Any] = {"marker": marker, "linestyle": "none", "markersize": 5, "markerfacecolor": color}
        style |= {"markeredgecolor": ink(), "markeredgewidth": 0.5}
        ax.plot(frame[column], range(len(frame)), clip_on=False, gid=column, **style)
        handles.append(Line2D([], [], label=name, **style))
    ax.axhline(0.5, color="#BFBFBF", linewidth=0.6)
    key_above(ax, handles[::-1], 3, legend)
    region = isinstance(result, RegionPosterior)
    label_axes(ax, x="probability to be the most probable outcome" if region else "probability")
    set_title(ax, title, pair_title(ax, result, shown))
    return ax
