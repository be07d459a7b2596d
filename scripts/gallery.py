"""Draws every figure with ordinary and extreme data, to look at: `python scripts/gallery.py gallery/`.

The tests draw the same figures and look for texts that cover each other or leave the paper.
"""

import argparse
import html
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

import bayescmp as bc
from bayescmp import plots

WORDS = "rf svm nb lr knn gbm tree mlp lda qda xgb cat ada".split()
LONG = [f"GradientBoostingClassifier(max_depth={d}, learning_rate=0.05, subsample=0.8)" for d in (3, 5, 25, 37)]
OTHER = ["модель А", "μοντέλο β", "模型一 🚀", "نموذج $x_1$"]


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
        return bc.Scores.from_arrays(
            arrays, resampling=bc.Resampling.kfold(5), metric="accuracy" if self.unit == 1 else "loss",
            higher_is_better=self.unit == 1, range=None if self.unit != 1 else (0, 1),
        ) if False else bc.Scores.from_arrays(
            arrays, resampling=bc.Resampling.kfold(5), metric="quality", higher_is_better=True
        )  # fmt: skip

    @cached_property
    def pair(self) -> bc.Pair:
        return self.scores.pair(*self.names[:2])

    @cached_property
    def one_dataset(self) -> bc.Comparison:
        return bc.compare(self.scores.select(datasets=self.scores.datasets[:1]), rope=self.rope)

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
FIGURES: dict[str, Callable[..., Any]] = {
    "simplex": lambda c, **o: plots.plot_simplex(c.region, **o),
    "simplices": lambda c, **o: c.comparison.plot("simplex", **o),
    "posterior": lambda c, **o: plots.plot_posterior(c.difference, **o),
    "hdi": lambda c, **o: plots.plot_hdi(c.difference, **o),
    "rope curve": lambda c, **o: plots.plot_rope_curve(c.difference, **o),
    "prior sensitivity": lambda c, **o: plots.plot_prior_sensitivity(c.region, **o),
    "forest": lambda c, **o: plots.plot_forest(c.one_dataset, **o),
    "shrinkage": lambda c, **o: plots.plot_forest(c.hierarchical, **o),
    "matrix": lambda c, **o: plots.plot_matrix(c.one_dataset, **o),
    "ranking groups": lambda c, **o: plots.plot_ranking_groups(c.ranking, **o),
    "rank distribution": lambda c, **o: plots.plot_rank_distribution(c.ranking, **o),
    "p best": lambda c, **o: plots.plot_p_best(c.ranking, **o),
    "critical difference": lambda c, **o: plots.plot_critical_difference(bc.frequentist.nemenyi_test(c.scores), **o),
    "differences": lambda c, **o: plots.plot_differences(c.pair, rope=c.rope, **o),
    "scores": lambda c, **o: plots.plot_scores(c.scores, **o),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for case_name, case in CASES.items():
        for name, draw in FIGURES.items():
            if args.only and args.only not in f"{name}/{case_name}":
                continue
            t = time.time()
            try:
                drawn = draw(case)
                ax = drawn[0] if isinstance(drawn, list) else drawn
                ax.figure.savefig(args.folder / f"{name} - {case_name}.png".replace(" ", "_"), dpi=130)
            except Exception as e:
                print("ERR", case_name, name, type(e), e)
            print(case_name, name, round(time.time() - t, 2), flush=True)


if __name__ == "__main__":
    main()
