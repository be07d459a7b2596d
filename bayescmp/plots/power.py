"""Power against the number of observations."""

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from bayescmp.checks import check_number
from bayescmp.plots.labels import line_key
from bayescmp.plots.style import (
    FAINT,
    OKABE_ITO,
    few_ticks,
    font_size,
    grey,
    label_axes,
    light_grid,
    new_axes,
    set_title,
    width_of,
)

if TYPE_CHECKING:
    import pandas as pd

NEEDED = ("effect_name", "effect", "n", "power", "alpha")
LINES = ("-", "--", "-.", ":")
MOST = 8


def plot_power(
    curve: "pd.DataFrame",
    *,
    target: float | None = 0.8,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
    width_mm: float = 85,
) -> Axes:
    """Power curves, one line per effect.

    Parameters
    ----------
    curve : DataFrame
        Of `frequentist.power_curve`.
    target : float, optional
        The power that is wanted, drawn as a line; None for none.
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
    bayescmp.frequentist.power_curve

    Examples
    --------
    >>> import bayescmp as bc
    >>> ax = bc.plots.plot_power(bc.frequentist.power_curve([0.2, 0.5], [10, 20, 40]))
    >>> [text.get_text() for text in ax.texts][-2:]
    ['d_z = 0.2', 'd_z = 0.5']
    """
    missing = [name for name in NEEDED if name not in getattr(curve, "columns", ())]
    if missing:
        raise ValueError(f"`curve` must come from frequentist.power_curve; without: {', '.join(missing)}.")
    keys = ["p_only_a", "p_only_b"] if "p_only_a" in curve.columns else ["effect"]
    groups = list(curve.groupby(keys, sort=False))
    if len(groups) > MOST:
        raise ValueError(f"At most {MOST} effects can be told apart in one figure, got {len(groups)}.")
    ax = new_axes(ax, width_mm, (0.62, 0.42))
    ax.set_ylim(-0.02, 1.02)
    light_grid(ax, "y")
    ends, names, colors = [], [], []
    for i, (key, rows) in enumerate(groups):
        color = OKABE_ITO[i % len(OKABE_ITO)]
        ordered = rows.sort_values("n")
        ax.plot(ordered["n"], ordered["power"], color=color, linestyle=LINES[i % 4], linewidth=1.5, clip_on=False)
        ends.append(float(ordered["power"].iloc[-1]))
        values = [f"{x:g}" for x in (key if isinstance(key, tuple) else (key,))]
        named = f"{rows['effect_name'].iloc[0]} = {values[0]}"
        names.append(named if len(values) == 1 else f"{values[0]} vs {values[1]}")
        colors.append(color)
    ax.set_xlim(curve["n"].min(), curve["n"].max())
    if target is not None:
        check_number("target", target)
        ax.axhline(target, color=FAINT, linewidth=0.8, linestyle=":", gid="target")
        ax.annotate(
            f"{target:g}", (0, target), xycoords=("axes fraction", "data"), xytext=(2, 1), textcoords="offset points",
            fontsize=font_size(width_of(ax)) - 1, color=grey(),
        )  # fmt: skip
    few_ticks(ax)
    line_key(ax, legend, ends, names, colors, [LINES[i % 4] for i in range(len(names))])
    label_axes(ax, x="number of observations", y=f"power at the {100 * curve['alpha'].iloc[0]:g}% level")
    set_title(ax, title)
    return ax
