"""Right and wrong of two models on the same items: the table of four cells."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.plots.names import escape, fit_names, shorten_names
from bayescmp.plots.style import (
    INK,
    POINTS_A_MM,
    ROPE,
    font_size,
    free_width,
    label_axes,
    naming,
    new_axes,
    pair_title,
    region_colors,
    set_title,
    soften_hatch,
)
from bayescmp.scores.inputs import check_items, right_or_wrong
from bayescmp.scores.pair import Pair

CELLS = (("both_right", 0, 0), ("only_a", 1, 0), ("only_b", 0, 1), ("both_wrong", 1, 1))
"""Name, column (B right, B wrong), row (A right, A wrong)."""
CELL_MM = 17.0


def plot_agreement(
    result: DifferencePosterior | Pair,
    *,
    dataset: str | None = None,
    ax: Axes | None = None,
    names: Mapping[str, str] | None = None,
    colors: Sequence[str] | None = None,
    title: str | None = None,
    width_mm: float = 85,
) -> Axes:
    """On how many items both models were right, only A, only B, and both wrong.

    The two cells in colour are all that tells the models apart. The accuracies stand below.

    Parameters
    ----------
    result : DifferencePosterior of `mcnemar_test`, or Pair of items
    dataset : str, optional
        Which test set, where a pair has more than one.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    colors : sequence of three colours, optional
        Colours of A better, equivalent (not in this figure) and B better.
    title : str, optional
        The title; the pair, the metric and the datasets if not given, "" for none.
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float
        The width of the new figure.

    See Also
    --------
    plot_differences : the differences of grades.
    bayescmp.bayes.mcnemar_test : what follows from the four counts.

    Examples
    --------
    >>> import bayescmp as bc
    >>> ax = bc.plots.plot_agreement(bc.bayes.mcnemar_test(counts=(80, 12, 5, 3), rope=0.02))
    >>> [text.get_text() for text in ax.texts][:2]
    ['both right\\n80\\n80 %', 'only A\\n12\\n12 %']
    """
    of, counts = _table(result, dataset)
    a, b = of.a, of.b
    shown, (better, _, worse) = naming(names, (a, b)), region_colors(colors)
    styles = {"only_a": (better, ""), "only_b": (worse, "////")}
    a, b = shown(a), shown(b)
    n = sum(counts.values())
    width = free_width(ax, width_mm)
    size = font_size(width)
    room = 0.22 * width * POINTS_A_MM
    first, second = fit_names([a, b], room, size, 2)
    short = shorten_names([a, b], room, size)
    words = {
        "both_right": "both right",
        "only_a": f"only {escape(short[0])}",
        "only_b": f"only {escape(short[1])}",
        "both_wrong": "both wrong",
    }
    ax = new_axes(ax, width_mm, 2 * CELL_MM + 18 + 4 * second.count("\n"))
    ax.set(xlim=(0, 2), ylim=(2, 0))
    for name, column, row in CELLS:
        face, hatch = styles.get(name, (ROPE, ""))
        letters = "white" if sum(to_rgb(face)) < 1.5 else INK
        cell = Rectangle((column, row), 1, 1, facecolor=face, edgecolor="white", hatch=hatch, linewidth=1.5, gid=name)
        ax.add_patch(soften_hatch(cell, 0.4))
        text = ax.text(
            column + 0.5, row + 0.5, f"{words[name]}\n{counts[name]:,}\n{_share(counts[name], n)}",
            ha="center", va="center", fontsize=size, color=letters, linespacing=1.3,
        )  # fmt: skip
        if hatch:
            text.set_bbox({"facecolor": face, "edgecolor": "none", "pad": 1.5})
    ax.set_yticks([0.5, 1.5], [f"{first}\nright", f"{first}\nwrong"], fontsize=size)
    ax.set_xticks([0.5, 1.5], [f"{second}\nright", f"{second}\nwrong"], fontsize=size)
    ax.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    right_a, right_b = counts["both_right"] + counts["only_a"], counts["both_right"] + counts["only_b"]
    items = f"{n:,} item{'' if n == 1 else 's'}"
    label_axes(ax, x=f"{items}; right: {short[0]} {_share(right_a, n)}, {short[1]} {_share(right_b, n)}")
    set_title(ax, title, pair_title(ax, of, shown))
    return ax


def _table(
    result: DifferencePosterior | Pair, dataset: str | None
) -> tuple[DifferencePosterior | Pair, dict[str, int]]:
    """The result on the test set that is drawn, and its four counts."""
    if isinstance(result, Pair):
        if result.paired:
            check_items(result, "plot_agreement")
        pair, cells = right_or_wrong(result, None, test="plot_agreement", dataset=dataset, higher_is_better=None)
        return pair, dict(zip((name for name, _, _ in CELLS), cells, strict=True))
    if not isinstance(result, DifferencePosterior) or "counts" not in result.settings:
        what = f"the {result.method}" if isinstance(result, DifferencePosterior) else type(result).__name__
        raise ValueError(
            "`plot_agreement` draws on how many items two models were right and wrong: give the result of mcnemar_test "
            f"or a pair of items with 0 and 1, got {what}."
        )
    if dataset is not None:
        raise ValueError("`dataset` picks a test set of a pair; a posterior is of one.")
    return result, {name: int(x) for name, x in result.settings["counts"].items()}


def _share(count: int, n: int) -> str:
    return f"{100 * count / n:.3g} %"
