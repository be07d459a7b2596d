"""Draws the README's figure, docs/images/readme.svg: one posterior, and the matrix of a comparison.

Its ground is white, so that it is read in light and in dark.
"""

import re
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

import bayescmp as bc

IMAGE = Path(__file__).parents[1] / "docs" / "images" / "readme.svg"


def main() -> None:
    matplotlib.use("svg")
    figure = Figure(figsize=(7.6, 3.1), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2, width_ratios=[1.15, 1])
    posterior = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)
    bc.plots.plot_posterior(posterior, ax=left)
    scores = bc.load_uci().select(models=["rf", "gbm", "svm", "lr", "nb"])
    comparison = bc.compare(scores, rope=0.01, bayes="signed_rank_test", random_seed=1)
    bc.plots.plot_matrix(comparison, ax=right, title="five models, 24 datasets")
    words = f"{bc.plots.alt_text(posterior)} {bc.plots.alt_text(comparison)}"
    bc.plots.save_figure(figure, IMAGE, description=words, overwrite=True)
    # hundredths of a point are enough for a page, in a file of half the size
    text = re.sub(
        r"(scale\([^)]*\))|\d+\.\d{3,}",  # of scales every digit counts: that of the letters is 1/64
        lambda found: found[1] or f"{float(found[0]):.2f}",
        IMAGE.read_text(encoding="utf-8"),
    )
    IMAGE.write_text(text, encoding="utf-8")
    print(words)


if __name__ == "__main__":
    main()
