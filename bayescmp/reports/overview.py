"""One figure of all pairs, drawn so that the page can move it with the rope: three-part cells, coloured by decision."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayescmp.bayes.regions import RegionPosterior
from bayescmp.text import one_line, short_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayescmp.comparison.result import Comparison

MOST_MODELS = 40
"""Models in the figure; of more, the first ones of the ranking."""
MOST_NUMBERED = 13
"""Models up to which the cells have room for a number."""
MOST_LETTERS = 18


@dataclass(frozen=True)
class Cell:
    """One pair: its place in the table of pairs, the corner of its cell, and whether A is the column's model."""

    i: int
    x: int
    y: int
    flip: bool


@dataclass(frozen=True)
class Label:
    """A model's name, ending at x."""

    name: str
    shown: str
    x: int
    y: int


@dataclass(frozen=True)
class Overview:
    """Where everything stands in the figure, in pixels."""

    cells: list[Cell]
    labels: list[Label]
    width: int
    height: int
    cell_width: int
    cell_height: int
    numbered: bool
    sides: tuple[str, str]
    """What the first and the last colour mean."""
    about: str


def overview(c: "Comparison", ranked: "Sequence[str]", listed: "Sequence[int]") -> Overview:
    """The figure of all pairs of a comparison; `ranked` are the models, the best first, where that is known."""
    place = {i: n for n, i in enumerate(listed)}
    names = {pair: place[i] for i, pair in enumerate(c.pair_names) if i in place}
    models = [*ranked, *(model for model in c.models if model not in set(ranked))]
    if c.control is not None or len(models) == 2:
        return _against(c, models, names)
    shown = models[:MOST_MODELS]
    k = len(shown)
    numbered = k <= MOST_NUMBERED
    w, h = (64, 40) if k <= 6 else (52, 34) if k <= 8 else (44, 28) if numbered else (22, 20)
    letters = max(len(_short(name)) for name in shown[:3])
    left = 8 * letters + 14
    cells, labels = [], []
    for r, one in enumerate(shown):
        labels.append(Label(one, _short(one), left + r * w - 7, r * h + h // 2))
        for s in range(r + 1, k):
            two, x = shown[s], left + (s - 1) * w
            if (one, two) in names or (two, one) in names:
                flip = (one, two) not in names
                cells.append(Cell(names[two, one] if flip else names[one, two], x, r * h, flip))
    about = "Each cell is a pair: the model of its row against the model below its column."
    if isinstance(first := c.posteriors[0], RegionPosterior) and ranked:
        about += f" Cells are about {first.new}, the first sentence about mean scores."
    if k < len(models):
        about += f" The first {k} of {len(models)} models by expected rank."
    return Overview(
        cells=cells,
        labels=labels,
        width=max(left + (k - 1) * w, max(label.x for label in labels)) + 4,
        height=k * h,
        cell_width=w,
        cell_height=h,
        numbered=numbered,
        sides=("row better", "column better"),
        about=about,
    )


def _against(c: "Comparison", models: "Sequence[str]", names: "dict[tuple[str, str], int]") -> Overview:
    """One model against each other one: a bar for each."""
    one = c.control if c.control is not None else c.pair_names[0][0]
    others = [name for name in models if (one, name) in names][:MOST_MODELS]
    w, h = 300, 30
    left = 8 * max(len(_short(name)) for name in others) + 14 if len(others) > 1 else 2
    more = len(models) - 1 - len(others)
    return Overview(
        cells=[Cell(names[one, name], left, r * h, False) for r, name in enumerate(others)],
        labels=[Label(name, _short(name), left - 7, r * h + h // 2) for r, name in enumerate(others) if left > 2],
        width=left + w + 2,
        height=h * len(others),
        cell_width=w,
        cell_height=h,
        numbered=True,
        sides=(f"{one_line(one)} better", "the other better" if len(others) > 1 else f"{one_line(others[0])} better"),
        about=f"{one_line(one)} against {'each other model' if len(others) > 1 else one_line(others[0])}."
        + (f" {more} more are in the table." if more else ""),
    )


def _short(name: str) -> str:
    return short_name(name, MOST_LETTERS)
