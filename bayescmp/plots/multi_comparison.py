"""The multi-comparison matrix: for every two models the mean difference, the wins and the probability."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from bayescmp.checks import check_count
from bayescmp.comparison.result import Comparison
from bayescmp.numerics.moments import mean
from bayescmp.plots.heat import heat_axes
from bayescmp.plots.names import text_width
from bayescmp.plots.pairwise import pair_table
from bayescmp.plots.rows import left_out
from bayescmp.plots.style import (
    BETTER,
    INK,
    ONE_COLUMN,
    POINTS_A_MM,
    TWO_COLUMNS,
    WORSE,
    font_size,
    free_width,
    ink,
    naming,
    paper,
    set_title,
    width_of,
    wrapped,
)
from bayescmp.rope import Decision
from bayescmp.text import amounts, number, unit_number

SIDES = LinearSegmentedColormap.from_list("bayescmp_sides", [WORSE, "white", BETTER])
FEW = 5
SMALL = 6.0
"""The size of the numbers in points: three lines have to fit into a cell."""


def plot_multi_comparison(
    result: Comparison,
    *,
    ax: Axes | None = None,
    top: int | None = None,
    names: Mapping[str, str] | None = None,
    title: str | None = None,
    width_mm: float | None = None,
) -> Axes:
    """The mean difference of every two models, on how many datasets each won, and P(row better than column).

    Models are in the order of their mean scores, which stand beside the names. A cell is blue where the row's model is
    ahead by the mean, orange where it is behind, the deeper the further; its numbers are bold where the comparison
    decides between the two. No cell depends on which other models are in the comparison.

    Parameters
    ----------
    result : Comparison
    top : int, optional
        How many models to draw, the best first; as many as fit if not given.
    names : dict, optional
        Names to show instead of the models' own: {"rf": "random forest"}.
    title : str, optional
        The title; none if not given.
    ax : Axes, optional
        Where to draw; a new figure if not given.
    width_mm : float, optional
        The width of the new figure; 85, and 170 for more than 5 models, if not given.

    See Also
    --------
    plot_matrix, plot_critical_difference

    References
    ----------
    Ismail-Fawaz et al. (2023). An approach to multiple comparison benchmark evaluations that is stable under
    manipulation of the comparate set. arXiv:2305.11921.

    Examples
    --------
    >>> import bayescmp as bc
    >>> c = bc.compare(bc.load_domains(), rope=1, random_seed=1)
    >>> bc.plots.plot_multi_comparison(c).texts[0].get_text().splitlines()
    ['0.6', '5 / 0 / 5', 'P = .17']
    """
    if not isinstance(result, Comparison):
        raise ValueError(f"`result` must be a Comparison, got {type(result).__name__}.")
    shown, scores, top = naming(names, result.models), result.scores, top if top is None else check_count("top", top)
    scores.check_one_metric()
    means = np.array([float(mean(mean(x[n > 0]))) for x, n in zip(scores.values, scores.counts, strict=True)])
    order = np.argsort(-means if scores.higher_is_better else means, kind="stable")
    size = SMALL * font_size(85) / 7
    widest = text_width(f"{len(scores.datasets)} / 0 / {len(scores.datasets)}", size) + 4
    if width_mm is None:
        width_mm = TWO_COLUMNS if (len(order) if top is None else top) > FEW else ONE_COLUMN
    fit = max(2, int(0.72 * free_width(ax, width_mm) * POINTS_A_MM / max(widest, 3.9 * size)))
    order = order[: fit if top is None else top]
    spread = float(np.ptp(means[order]))
    labels = [shown(result.models[i]) for i in order]
    after = [f" {number(float(means[i]), spread)}" for i in order]
    ax, cell = heat_axes(ax, labels, labels, width_mm, besides_mm=12, after=after)
    table = pair_table(result, None)
    gaps, texts = np.full((len(order), len(order)), np.nan), {}
    for y, i in enumerate(order):
        for x, j in enumerate(order):
            if np.isfinite(table.p[i, j]):
                pair = scores.pair(result.models[i], result.models[j])
                several = len(pair.datasets) > 1 or not pair.paired
                found = pair.means if several else pair.differences[np.isfinite(pair.differences)]
                gaps[y, x] = float(mean(pair.means))
                (gap,) = amounts([gaps[y, x]], (0.0, spread), pair.scale, pair.higher_is_better)
                counts = (found > 0).sum(), (found == 0).sum(), (found < 0).sum()
                texts[y, x] = f"{gap}\n{' / '.join(map(str, counts))}\nP = {unit_number(table.p[i, j])}"
    most = float(np.nanmax(np.abs(gaps))) if np.isfinite(gaps).any() else 1.0
    image = np.ma.masked_invalid(gaps / (most or 1.0))
    ax.imshow(image, cmap=SIDES, vmin=-1.6, vmax=1.6, aspect="equal", interpolation="nearest")
    ax.set_xticks(np.arange(len(order) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(order) + 1) - 0.5, minor=True)
    ax.grid(visible=True, which="minor", color=paper(), linewidth=1)
    ax.tick_params(which="minor", length=0)
    decided = (Decision.A_BETTER, Decision.B_BETTER)
    widest = max((text_width(line, 1.15) for text in texts.values() for line in text.split("\n")), default=1.0)
    letters = min(font_size(width_of(ax)), 0.94 * cell / widest, cell / 3.9)
    for (y, x), text in texts.items():
        bold = table.decisions[int(order[y]), int(order[x])] in decided
        ax.text(x, y, text, ha="center", va="center", fontsize=letters, color=INK, linespacing=1.15,
                fontweight="bold" if bold else "normal")  # fmt: skip
    over = "datasets" if len(scores.datasets) > 1 else "runs" if not scores.paired else "resamples"
    outcome = result.posteriors[0].expected is not None
    what = (
        f"row against column: mean difference, {over} won / tied / lost, P(row better"
        f"{' is most probable' if outcome else ''}); bold: decided at {result.threshold:g}"
        f"{left_out(len(result.models) - len(order), 'model')}"
    )
    letters = font_size(width_of(ax))
    ax.set_xlabel(wrapped(what, max(len(order) * cell / POINTS_A_MM, 50), letters), fontsize=letters, color=ink())
    set_title(ax, title)
    return ax
