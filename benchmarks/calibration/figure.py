"""The figure of the calibration study: six panels, every point with its Monte-Carlo error."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from book import Book, Rate
from effects import SIZES
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from one_dataset import CORRECTED, DESIGNS, PAIRED, TRUTHS, exact_power
from real_data import DAMAGED, DIFFERENT, TWINS

from bayescmp.plots.style import INK, OKABE_ITO, TWO_COLUMNS, light_grid, new_axes, new_figure

BLUE, ORANGE, GREEN, RED, SKY, PINK = OKABE_ITO[:6]
MARKERS = "os^Dv"
SHORT = {"10-fold": "10-fold", "10 x 10-fold": "10x10", "5 x 2-fold": "5x2", "30 splits, 2/3 train": "30 splits"}


def draw(book: Book) -> Figure:
    figure = new_figure(TWO_COLUMNS, 195)
    axes = [new_axes(ax, TWO_COLUMNS, 195) for ax in figure.subplots(3, 2).ravel()]
    panels = (_type_one, _power, _coverage, _better, _best, _hierarchical)
    for letter, ax, panel in zip("abcdef", axes, panels, strict=True):
        panel(ax, book.values)
        title = ax.get_title()
        ax.set_title("")
        ax.set_title(f"{letter}  {title}", fontsize=8, color=INK, loc="left")
        ax.xaxis.label.set_fontsize(7)
        ax.yaxis.label.set_fontsize(7)
    return figure


def _points(ax: Axes, x: ArrayLike, rates: Sequence[Rate], k: int, color: str, label: str, line: str = "") -> None:
    """Rates with two standard errors either way, within 0 and 1."""
    ax.errorbar(
        x,
        [r.value for r in rates],
        [[min(2 * r.error, r.value) for r in rates], [min(2 * r.error, 1 - r.value) for r in rates]],
        fmt=MARKERS[k] + line,
        color=color,
        markersize=3.2,
        linewidth=0.9,
        elinewidth=0.8,
        markerfacecolor="white" if k % 2 else color,
        markeredgewidth=0.8,
        label=label,
    )


def _legend(ax: Axes, **options: Any) -> None:
    key = ax.legend(
        frameon=False, fontsize=6, labelcolor=INK, handlelength=1.6, labelspacing=0.25, borderpad=0, **options
    )
    key.set_in_layout(False)


def _designs(ax: Axes) -> None:
    ax.set_xticks(range(len(SHORT)), SHORT.values(), fontsize=6.5)
    ax.set_xlim(-0.5, len(SHORT) - 0.5)
    light_grid(ax, "y")


def _type_one(ax: Axes, v: dict[Any, Any]) -> None:
    for test, color, name in ((PAIRED, RED, "plain t"), (CORRECTED, BLUE, "corrected t")):
        sources = (
            ("under the model", [v["level", test, d, 0.0] for d in DESIGNS]),
            ("real, trees", [v["real", test, d, TWINS] for d in DESIGNS]),
            ("real, LDA / Bayes", [v["real", test, d, DAMAGED] for d in DESIGNS]),
        )
        for j, (source, rates) in enumerate(sources):
            _points(ax, np.arange(4) + 0.2 * (j - 1), rates, j, color, f"{name}, {source}")
    ax.axhline(0.05, color=INK, linewidth=0.7, linestyle="--")
    ax.set(title="No difference: how often rejected at 0.05", ylabel="type-I error", ylim=(0, 1.0))
    _designs(ax)
    _legend(ax, loc="upper left", ncols=2, columnspacing=0.6)


def _power(ax: Axes, v: dict[Any, Any]) -> None:
    fine = np.linspace(0, 3, 61)
    for k, (name, color) in enumerate((("10 x 10-fold", BLUE), ("10-fold", SKY), ("5 x 2-fold", GREEN))):
        _points(ax, TRUTHS, [v["level", CORRECTED, name, t] for t in TRUTHS], k, color, f"corrected t, {name}")
        ax.plot(fine, [exact_power(CORRECTED, DESIGNS[name], t) for t in fine], color=color, linewidth=0.9)
    _points(ax, TRUTHS, [v["level", "cv5x2_ftest", "5 x 2-fold", t] for t in TRUTHS], 3, ORANGE, "5x2 cv F", ":")
    _points(ax, TRUTHS, [v["level", PAIRED, "10 x 10-fold", t] for t in TRUTHS], 4, RED, "plain t, 10 x 10-fold", ":")
    ax.axhline(0.05, color=INK, linewidth=0.7, linestyle="--")
    ax.set(
        title="Power under the model",
        xlabel="true difference, in standard errors",
        ylabel="rejected at 0.05",
        ylim=(0, 1.02),
    )
    light_grid(ax, "y")
    _legend(ax, loc="lower right", bbox_to_anchor=(1.0, 0.07))


def _coverage(ax: Axes, v: dict[Any, Any]) -> None:
    pairs = ((TWINS, ORANGE, "trees"), (DAMAGED, GREEN, "LDA / Bayes, damaged"), (DIFFERENT, BLUE, "LDA / Bayes"))
    for k, (pair, color, label) in enumerate(pairs):
        for j, mass in enumerate((0.5, 0.8, 0.95)):
            rates = [v["real coverage", pair, d][j] for d in DESIGNS]
            _points(ax, np.arange(4) + 0.2 * (k - 1), rates, k, color, label if j == 0 else "_")
            ax.axhline(mass, color=INK, linewidth=0.7, linestyle="--")
    ax.set(title="Real CV: coverage of correlated_ttest", ylabel="HDI holds the true difference", ylim=(0.3, 1.02))
    _designs(ax)
    ax.set_yticks([0.5, 0.8, 0.95], ["50 %", "80 %", "95 %"])
    _legend(ax, loc="lower right", bbox_to_anchor=(1.0, 0.0))


def _diagonal(ax: Axes) -> None:
    ax.plot([0, 1], [0, 1], color=INK, linewidth=0.7, linestyle="--")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    light_grid(ax, "both")


def _curve(ax: Axes, points: list[tuple[float, Rate]], k: int, color: str, label: str) -> None:
    _points(ax, [p for p, _ in points], [r for _, r in points], k, color, label, "-")


def _better(ax: Axes, v: dict[Any, Any]) -> None:
    _curve(ax, v["curve correlated_t", 0.5], 0, RED, "correlated t, truths 0.5 s.e.")
    _curve(ax, v["curve correlated_t", 1.0], 1, ORANGE, "correlated t, 1 s.e.")
    _curve(ax, v["curve correlated_t", 3.0], 2, BLUE, "correlated t, 3 s.e.")
    _curve(ax, v["curve sign"], 3, GREEN, "sign test, own prior")
    _curve(ax, v["curve hierarchical"], 4, PINK, "hierarchical, own prior")
    _diagonal(ax)
    ax.set(title="P(better): stated and observed", xlabel="stated probability", ylabel="how often true")
    _legend(ax, loc="upper left")


def _best(ax: Axes, v: dict[Any, Any]) -> None:
    _curve(ax, v["curve rank_models", 5, "score", 0.1], 0, RED, "5 datasets, nearly equal models")
    _curve(ax, v["curve rank_models", 5, "score", 0.5], 1, ORANGE, "5 datasets")
    _curve(ax, v["curve rank_models", 30, "score", 0.5], 2, BLUE, "30 datasets")
    _curve(ax, v["curve", "plackett_luce"], 3, GREEN, "Plackett-Luce, own prior")
    _diagonal(ax)
    ax.set(title="P(best) of 4 models: stated and observed", xlabel="stated probability", ylabel="how often true")
    _legend(ax, loc="upper left")


def _hierarchical(ax: Axes, v: dict[Any, Any]) -> None:
    kinds = (("mean", BLUE, "mean"), ("next", ORANGE, "next dataset"), ("own", GREEN, "datasets' own"))
    for k, (key, color, label) in enumerate(kinds):
        for noise, line, shift in ((0.3, "-", -0.08), (2.0, ":", 0.08)):
            rates = [v["hierarchical", m, noise][key][2] for m in SIZES]
            kind = "precise" if noise < 1 else "noisy"
            _points(ax, np.arange(4) + shift + 0.25 * (k - 1), rates, k, color, f"{label}, {kind}", line)
    ax.axhline(0.95, color=INK, linewidth=0.7, linestyle="--")
    ax.set_xticks(range(4), [str(m) for m in SIZES])
    ax.set(title="Hierarchical test: 95 % intervals", xlabel="datasets", ylabel="holds the truth", ylim=(0.6, 1.05))
    light_grid(ax, "y")
    _legend(ax, loc="lower right", ncols=2, columnspacing=0.6)


def alt_text(book: Book) -> str:
    v = book.values
    plain, corrected = (v["level", test, "10 x 10-fold", 0.0].value for test in (PAIRED, CORRECTED))
    trees, others = (
        [v["real", test, "10 x 10-fold", x].value for test in (PAIRED, CORRECTED)] for x in (TWINS, DAMAGED)
    )
    return (
        "Six panels. a: the plain t-test on 10 x 10-fold cross-validation rejects a true null hypothesis in "
        f"{plain:.2f} of studies under the model, and in {trees[0]:.2f} (trees) and {others[0]:.2f} (LDA and naive "
        f"Bayes) of real cross-validations; the corrected one in {corrected:.2f}, {trees[1]:.2f} and {others[1]:.2f}. "
        "b: power of the corrected test lies on the curve that theory gives. c: on real cross-validation the intervals "
        "of the correlated t-test cover too often with LDA and naive Bayes, about right with trees, and too seldom "
        "with trees and 10 x 10 folds. d: stated and observed probabilities of being better agree where truths come "
        "from the prior; flat priors are overconfident where differences are small. e: the bootstrap's P(best) is "
        "overconfident with few datasets. f: 95 percent intervals of the hierarchical test against the number of "
        "datasets, near 0.95."
    )
