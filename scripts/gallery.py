"""Draws every figure with ordinary and extreme data, to look at: `python scripts/gallery.py gallery/`.

It names every text that covers another one or leaves the paper; the tests draw the same figures and find none.
"""

import argparse
import html
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import bayescmp as bc
from bayescmp import plots

WORDS = "rf svm nb lr knn gbm tree mlp lda qda xgb cat ada".split()
LONG = [f"GradientBoostingClassifier(max_depth={d}, learning_rate=0.05, subsample=0.8)" for d in (3, 5, 25, 37)]
OTHER = ["модель Б", "μοντέλο β", "模型一 🚀", "نموذج $x_1$"]


class Case:
    """Scores of some models, and the results of which figures are drawn, each computed when it is first needed."""

    def __init__(self, names: list[str], *, gap: float = 0.02, unit: float = 1.0, rope: float = 0.01) -> None:
        self.names, self.gap, self.unit, self.rope = names, gap, unit, rope * unit

    @cached_property
    def scores(self) -> bc.Scores:
        rng = np.random.default_rng(3)
        base = rng.normal(0.8, 0.04, (8, 1))
        gains = np.linspace(self.gap * (len(self.names) - 1) ** 0.5, 0, len(self.names))
        arrays = {
            name: self.unit * (base + gain + rng.normal(0, 0.012, (8, 1)) + rng.normal(0, 0.012, (8, 5)))
            for name, gain in zip(self.names, gains, strict=True)
        }
        design = bc.Resampling.kfold(5)
        return bc.Scores.from_arrays(arrays, resampling=design, metric="quality", higher_is_better=True)

    @cached_property
    def pair(self) -> bc.Pair:
        return self.scores.pair(*self.names[:2])

    @cached_property
    def answers(self) -> bc.Pair:
        right = {name: np.arange(50) % (9 + i) > 0 for i, name in enumerate(self.names[:2])}
        return bc.Scores.from_arrays(right, metric="accuracy", resampling=bc.Resampling.items()).pair(*right)

    @cached_property
    def one_dataset(self) -> bc.Comparison:
        return bc.compare(self.scores.select(datasets=list(self.scores.datasets[:1])), rope=self.rope)

    @cached_property
    def comparison(self) -> bc.Comparison:
        return bc.compare(self.scores, rope=self.rope, bayes="sign_test", random_seed=1)

    @cached_property
    def difference(self) -> bc.bayes.DifferencePosterior:
        return bc.bayes.correlated_ttest(self.pair, rope=self.rope, dataset=self.scores.datasets[0])

    @cached_property
    def region(self) -> bc.bayes.RegionPosterior:
        return bc.bayes.sign_test(self.pair, rope=self.rope)

    @cached_property
    def hierarchical(self) -> bc.bayes.HierarchicalPosterior:
        return bc.bayes.hierarchical_ttest(self.pair, rope=self.rope)

    @cached_property
    def multilevel(self) -> bc.bayes.MultilevelPosterior:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bc.errors.ConvergenceWarning)  # a few draws will do for a picture
            return bc.bayes.multilevel(self.scores, rope=self.rope, random_seed=1, draws=250)

    @cached_property
    def design(self) -> bc.planning.Design:
        truth = {"mean": self.unit * self.gap, "sd": self.unit * 0.02}
        return bc.planning.design("sign_test", truth=truth, rope=self.rope, n=[5, 10, 20, 40], random_seed=1)

    @cached_property
    def ranking(self) -> bc.bayes.RankingPosterior:
        return bc.bayes.rank_models(self.scores, rope=self.rope, random_seed=1, draws=2000)


CASES = {
    "2 models": Case(WORDS[:2]),
    "4 models": Case(WORDS[:4]),
    "13 models": Case(WORDS),
    "40 models": Case([f"{word}-{i}" for i in (1, 2, 3, 4) for word in WORDS[:10]]),
    "long names": Case(LONG),
    "other scripts": Case(OTHER),
    "certain": Case(WORDS[:3], gap=0.5),
    "rope 0": Case(WORDS[:3], rope=0),
    "tiny scale": Case(WORDS[:3], unit=1e-9),
    "huge scale": Case(WORDS[:3], unit=1e9),
}
OF_A_PAIR: dict[str, Callable[..., Any]] = {
    "simplex": lambda c, **o: plots.plot_simplex(c.region, **o),
    "simplex of points": lambda c, **o: plots.plot_simplex(c.hierarchical, kind="points", draws=500, **o),
    "posterior": lambda c, **o: plots.plot_posterior(c.difference, **o),
    "posterior over datasets": lambda c, **o: plots.plot_posterior(c.hierarchical, **o),
    "hdi": lambda c, **o: plots.plot_hdi(c.difference, **o),
    "rope curve": lambda c, **o: plots.plot_rope_curve(c.difference, **o),
    "prior sensitivity": lambda c, **o: plots.plot_prior_sensitivity(c.region, **o),
    "estimation": lambda c, **o: plots.plot_estimation(c.pair.select(c.pair.datasets[0]), c.difference, **o),
    "differences": lambda c, **o: plots.plot_differences(c.pair, rope=c.rope, **o),
    "shrinkage": lambda c, **o: plots.plot_forest(c.hierarchical, **o),
    "plan": lambda c, **o: plots.plot_plan(c.design, names=dict(zip("AB", c.names, strict=False)), **o),
    "agreement": lambda c, **o: plots.plot_agreement(c.answers, **o),
}
OF_MODELS: dict[str, Callable[..., Any]] = {
    "simplices": lambda c, **o: c.comparison.plot("simplex", draws=1000, **o),
    "forest": lambda c, **o: plots.plot_forest(c.one_dataset, **o),
    "matrix": lambda c, **o: plots.plot_matrix(c.one_dataset, **o),
    "p-values": lambda c, **o: plots.plot_matrix(c.comparison.tests, **o),
    "multi-comparison": lambda c, **o: plots.plot_multi_comparison(c.comparison, **o),
    "ranking groups": lambda c, **o: plots.plot_ranking_groups(c.ranking, **o),
    "rank distribution": lambda c, **o: plots.plot_rank_distribution(c.ranking, **o),
    "p best": lambda c, **o: plots.plot_p_best(c.ranking, **o),
    "critical difference": lambda c, **o: plots.plot_critical_difference(bc.frequentist.nemenyi_test(c.scores), **o),
    "shrunken": lambda c, **o: plots.plot_shrunken(c.multilevel, **o),
    "scores": lambda c, **o: plots.plot_scores(c.scores, **o),
    "box": lambda c, **o: plots.plot_scores(c.scores, box=True, **o),
    "intervals": lambda c, **o: plots.plot_intervals(c.scores, **o),
}
FIGURES = OF_A_PAIR | OF_MODELS
WITHOUT_ROPE = ("agreement", "box", "critical difference", "intervals", "p-values", "scores", "shrunken")


def drawings() -> Iterator[tuple[str, str]]:
    """Every figure with every case that changes it: the number of models does not change figures of one pair."""
    for case in CASES:
        for name in FIGURES:
            many = case in ("4 models", "13 models", "40 models")
            same = (many and name in OF_A_PAIR) or (case == "rope 0" and name in WITHOUT_ROPE)
            if not same and (case, name) != ("2 models", "critical difference"):
                yield name, case


def figure_of(drawn: Any) -> Figure:
    """The figure that a function drew, of one or several axes."""
    figure: Figure = (drawn[0] if isinstance(drawn, list) else drawn).figure
    return figure


def faults(figure: Figure) -> list[str]:
    """Texts that cover each other, or leave the paper."""
    figure.draw_without_rendering()
    texts, page = [*_texts(figure)], figure.bbox
    found = [
        f"{text!r} leaves the paper"
        for text, box in texts
        if box.x0 < page.x0 - 1 or box.x1 > page.x1 + 1 or box.y0 < page.y0 - 1 or box.y1 > page.y1 + 1
    ]
    for (one, a), (two, b) in combinations(texts, 2):
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 1.5 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1.5:
            found.append(f"{one!r} covers {two!r}")
    return found


def _texts(figure: Figure) -> Iterator[tuple[str, Bbox]]:
    """Every text that is seen, with its box in pixels."""
    ticks = {text: axis for axis in figure.findobj(Axis) for text in axis.get_ticklabels(which="both")}
    for text in figure.findobj(Text):
        box = Text.get_window_extent(text)  # of an annotation, without its line
        if text.get_text().strip() and text.get_visible() and np.isfinite(box.extents).all():
            axis = ticks.get(text)
            if axis is not None:  # locators put ticks beyond the limits, which are not drawn
                low, high = sorted(axis.get_view_interval())
                place = text.get_position()[axis is axis.axes.yaxis]
                reach = 1e-9 * max(abs(low), abs(high))
                if not axis.axes.axison or not low - reach <= place <= high + reach:
                    continue
            yield text.get_text(), box


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder for the pictures and index.html")
    parser.add_argument("--only", default="", help="part of 'figure - case'")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rows, bad = [], 0
    for name, case in drawings():
        title = f"{name} - {case}"
        if options.only in title:
            figure = figure_of(FIGURES[name](CASES[case]))
            file = f"{title.replace(' ', '_')}.png"
            figure.savefig(options.folder / file, dpi=150)
            found = faults(figure)
            bad += len(found)
            print(title, *found, sep="\n  ")
            rows.append(f'<figure><figcaption>{html.escape(title)}</figcaption><img src="{file}"></figure>')
    (options.folder / "index.html").write_text("\n".join(rows), encoding="utf-8")
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main())
