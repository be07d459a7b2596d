"""Figures: what they say is what the result says, nothing covers anything, and nothing else changes."""

import html
import json
import re
import subprocess
import sys
from dataclasses import replace
from itertools import combinations, pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

import bayescmp as bc
from bayescmp import plots
from bayescmp.plots.names import (
    fit_name,
    fit_names,
    outcome_labels,
    printable,
    shorten,
    shorten_names,
    text_width,
)
from bayescmp.plots.simplex import to_xy
from bayescmp.plots.style import REGION_COLORS, REGION_HATCHES, REGION_MARKERS, wrapped

SHORT = ("rf", "svm", "nb", "lr", "knn", "gbm", "tree", "mlp", "lda", "qda", "xgb", "cat")
LONG = tuple(f"gradient_boosted trees, {i:02d} estimators, learning rate 0.05 sh" for i in range(12))
CASES = [(k, kind) for k in (2, 12) for kind in ("short", "long")]


def make_scores(names, datasets=8):
    rng = np.random.default_rng(3)
    base = rng.normal(0.8, 0.04, (datasets, 1))
    gains = np.linspace(0.06, 0, len(names)) if len(names) > 2 else (0.02, 0.0)
    arrays = {
        name: base + gain + rng.normal(0, 0.02, (datasets, 1)) + rng.normal(0, 0.02, (datasets, 5))
        for name, gain in zip(names, gains, strict=True)
    }
    return bc.Scores.from_arrays(arrays, resampling=bc.Resampling.kfold(5), metric="accuracy")


class Case:
    """The results of some models, of which the figures are drawn."""

    def __init__(self, k, kind):
        self.scores = make_scores((SHORT if kind == "short" else LONG)[:k])
        self.pair = self.scores.pair(*self.scores.models[:2])
        options = {"bayes": "signed_rank_test", "random_seed": 1, "bayes_options": {"draws": 1000}}
        self.comparison = bc.compare(self.scores, rope=0.01, **options)
        self.region = bc.bayes.sign_test(self.pair, rope=0.01)
        self.hierarchical = bc.bayes.hierarchical_ttest(self.pair, rope=0.01)
        self.difference = bc.bayes.correlated_ttest(self.pair, rope=0.01, dataset=self.scores.datasets[0])
        self.ranking = self.comparison.ranking_posterior(draws=2000)
        right = {name: np.arange(50) % (9 + i) > 0 for i, name in enumerate(self.scores.models[:2])}
        design = bc.Resampling.items()
        self.answers = bc.Scores.from_arrays(right, metric="accuracy", resampling=design).pair(*right)
        self.curve = bc.frequentist.power_curve([0.2, 0.5, 0.8], [10, 20, 40])


@pytest.fixture(scope="module")
def cases():
    return {key: Case(*key) for key in CASES}


@pytest.fixture(scope="module")
def few(cases):
    return cases[2, "short"]


@pytest.fixture(scope="module")
def many(cases):
    return cases[12, "short"]


FIGURES = {
    "simplex": lambda c, **o: plots.plot_simplex(c.hierarchical, draws=300, **o),
    "density": lambda c, **o: plots.plot_simplex(c.region, kind="density", **o),
    "posterior": lambda c, **o: plots.plot_posterior(c.difference, **o),
    "posterior over datasets": lambda c, **o: plots.plot_posterior(c.hierarchical, **o),
    "hdi": lambda c, **o: plots.plot_hdi(c.difference, **o),
    "forest": lambda c, **o: plots.plot_forest(c.comparison, **o),
    "shrinkage": lambda c, **o: plots.plot_forest(c.hierarchical, **o),
    "rope curve": lambda c, **o: plots.plot_rope_curve(c.difference, **o),
    "prior sensitivity": lambda c, **o: plots.plot_prior_sensitivity(c.region, **o),
    "differences": lambda c, **o: plots.plot_differences(c.pair, rope=0.01, **o),
    "agreement": lambda c, **o: plots.plot_agreement(c.answers, **o),
    "scores": lambda c, **o: plots.plot_scores(c.scores, **o),
    "matrix": lambda c, **o: plots.plot_matrix(c.comparison, **o),
    "ranking groups": lambda c, **o: plots.plot_ranking_groups(c.comparison, **o),
    "rank distribution": lambda c, **o: plots.plot_rank_distribution(c.ranking, **o),
    "p best": lambda c, **o: plots.plot_p_best(c.ranking, **o),
    "critical difference": lambda c, **o: plots.plot_critical_difference(bc.frequentist.nemenyi_test(c.scores), **o),
    "power": lambda c, **o: plots.plot_power(c.curve, **o),
}


@pytest.mark.parametrize("name", FIGURES)
def test_given_axes_are_used_and_returned(many, name):
    figure = Figure(figsize=(8, 6))
    ax = figure.add_subplot()
    assert FIGURES[name](many, ax=ax) is ax
    assert figure.axes == [ax]


def test_a_simplex_goes_into_ternary_axes_too(few):
    """The corners of mpltern's triangle are where ours are."""
    pytest.importorskip("mpltern")
    ax = Figure().add_subplot(projection="ternary")
    assert plots.plot_simplex(few.region, ax=ax) is ax
    corners = [text.xy for text in ax.texts[:3]]  # A better, equivalent, B better: right, top, left
    found = ax.transData.transform(corners)
    assert found == pytest.approx(ax.transAxes.transform([(1, 0), (0.5, 1), (0, 0)]))


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def lines(ax, gid):
    return [line for line in ax.get_lines() if line.get_gid() == gid]


# ---- the numbers drawn are the result's


def test_simplex_shows_the_draws_and_the_three_probabilities(few):
    p = few.hierarchical
    ax = plots.plot_simplex(p, kind="points", draws=400)
    shown = np.vstack([line.get_xydata() for line in lines(ax, "draws")])
    expected = to_xy(p.draws(400))
    assert np.allclose(np.sort(shown, axis=0), np.sort(expected, axis=0))
    assert np.allclose(to_xy(np.eye(3)), [[3**-0.5, 0], [0, 1], [-(3**-0.5), 0]])
    corners = dict(zip(("rf better", "equivalent", "svm better"), texts_of(ax), strict=False))
    for outcome, text in corners.items():
        assert text == f"{outcome}\nP = {p.probabilities[outcome]:.3f}\nnext {p.expected[outcome]:.3f}"
    (diamond,) = lines(ax, "expected")
    assert np.allclose(diamond.get_xydata(), to_xy(np.array([list(p.expected.values())])))
    assert ax.get_title() == "rf vs svm: accuracy, 8 datasets"


def test_simplex_density_counts_every_draw_in_its_triangle(few):
    """The depth of a shade goes with the root of the count, so that the mean of theta can be read from the picture."""
    p = few.hierarchical
    ax = plots.plot_simplex(p, draws=3000)
    (cells,) = (found for found in ax.collections if found.get_gid() == "draws")
    nearest = cells.get_facecolor()[:, :3]  # from white to the region's colour
    deepest = np.array([matplotlib.colors.to_rgb(color) for color in REGION_COLORS]) * [[0.8], [0.55], [0.9]]
    share = (1 - nearest[:, None]).sum(axis=2) / (1 - deepest).sum(axis=1)
    off = np.abs(nearest[:, None] - (1 - share[..., None] * (1 - deepest))).sum(axis=2)
    depth = share[np.arange(len(share)), off.argmin(axis=1)]
    counts = ((depth - 0.12) / 0.88) ** 2
    centres = np.array([path.vertices[:3].mean(axis=0) for path in cells.get_paths()])
    mean = (centres * counts[:, None]).sum(axis=0) / counts.sum()
    assert np.allclose(mean, to_xy(p.draws(3000)).mean(axis=0), atol=0.01)
    far = ((to_xy(np.eye(3))[:, None] - centres) ** 2).sum(axis=2)
    clear = np.diff(np.sort(far, axis=0), axis=0)[0] > 1e-6  # not on a border
    nearest = far.argmin(axis=0)  # the corner of the largest share
    assert np.array_equal(off.argmin(axis=1)[clear], nearest[clear])


def test_without_a_rope_nothing_is_equivalent(few):
    p = few.difference.with_rope(0)
    labels = [text.get_text() for text in plots.plot_posterior(p).get_legend().get_texts()]
    assert labels == [f"svm better\nP = {p.p_worse:.3f}", f"rf better\nP = {p.p_better:.3f}"]


def test_without_a_rope_the_simplex_is_a_density_of_shares(few):
    p = few.region.with_rope(0)
    ax = plots.plot_simplex(p, draws=2000)
    bars = [bar for bar in ax.patches if bar.get_gid() == "draws"]
    area = sum(bar.get_width() * bar.get_height() for bar in bars if bar.get_x() >= 0.5 - 1e-9)
    assert area == pytest.approx((p.draws(2000)[:, 0] >= 0.5).mean(), abs=1e-9)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        f"svm better\nP = {p.p_worse:.3f}",
        f"rf better\nP = {p.p_better:.3f}",
    ]


def test_simplices_are_small_multiples(many):
    c = many.comparison
    axes = plots.plot_simplex(c.posteriors[:5], width_mm=170, draws=100)
    assert len(axes) == 5
    assert len({ax.figure for ax in axes}) == 1
    assert [texts_of(ax)[2].split("\n")[0] for ax in axes] == [f"{b} better" for _, b in c.pair_names[:5]]
    assert [ax.get_title() for ax in axes] == [f"{a} vs {b}" for a, b in c.pair_names[:5]]


def test_large_grids_are_cut_with_a_message(many):
    axes = many.comparison.plot("simplex", draws=50)
    assert len(axes) == 12
    assert axes[0].figure.get_supxlabel() == "12 of 66 pairs; choose with pairs= or top="
    assert len(many.comparison.plot("simplex", draws=50, top=2)) == 2
    chosen = many.comparison.plot("simplex", draws=50, pairs=[("rf", "nb"), ("nb", "svm")])
    assert [texts_of(ax)[0].split()[0] for ax in chosen] == ["rf", "nb"]
    with pytest.raises(ValueError, match="pair"):
        many.comparison.plot("simplex", draws=50, pairs=[("rf", "nobody")])
    forest = plots.plot_forest(many.comparison, top=10)
    assert "not shown: 56 pairs nearer to 0" in forest.get_xlabel().replace("\n", " ")
    drawn = sorted(abs(line.get_xdata()[0]) for line in lines(forest, "estimate"))
    assert drawn == sorted(abs(p.mean) for p in many.comparison.posteriors)[-10:]
    assert len(plots.plot_forest(many.comparison).get_yticks()) == 50
    two = plots.plot_forest(many.comparison, pairs=[("svm", "rf"), ("rf", "nb")], sort=False)
    assert [label.get_text() for label in two.get_yticklabels()] == ["svm vs rf", "rf vs nb"]
    for kind in ("matrix", "ranking_groups", "p_best", "rank_distribution", "scores", "intervals", "multi_comparison"):
        ax = many.comparison.plot(kind, top=3)
        assert len(ax.get_yticks()) == 3
        assert "not shown: 9 models" in ax.get_xlabel().replace("\n", " ")


def test_models_that_cannot_be_best_are_left_out_of_p_best():
    arrays = {f"m{i}": np.random.default_rng(i).normal(0.9 - 0.3 * (i > 1), 0.01, 12) for i in range(8)}
    scores = bc.Scores.from_arrays(arrays, metric="accuracy", datasets=12)
    ax = bc.bayes.rank_models(scores, rope=0.01, random_seed=1).plot("p_best")
    assert sorted(label.get_text() for label in ax.get_yticklabels()) == ["m0", "m1"]
    assert "not shown: 6 models with P = 0.000" in ax.get_xlabel().replace("\n", " ")


def test_posterior_areas_hdi_and_words_are_those_of_the_result(few):
    p = few.difference
    ax = plots.plot_posterior(p, mass=0.9)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == [f"{name}\nP = {x:.3f}" for name, x in reversed(p.probabilities.items())]
    (bar,), (dot,) = lines(ax, "hdi"), lines(ax, "mean")
    assert tuple(bar.get_xdata()) == p.hdi(0.9)
    assert dot.get_xdata()[0] == p.mean
    assert "90% HDI" in texts_of(ax)[-1]
    assert "positive favours rf" in ax.get_xlabel().replace("\n", " ")
    # the area above the rope, by the trapezoid rule over the polygon that is drawn, is P(better)
    area = ax.collections[0].get_paths()[0].vertices
    x, y = area.T
    assert abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2 == pytest.approx(p.p_better, abs=0.01)


def test_posterior_of_a_point_is_a_line():
    with pytest.warns(bc.DegenerateWarning):
        p = bc.bayes.correlated_ttest([0.9] * 10, [0.8] * 10, rope=0.01, resampling=bc.Resampling.kfold(10))
    ax = plots.plot_posterior(p)
    ax.figure.canvas.draw()
    assert ax.collections[0].get_segments()[0][0, 0] == pytest.approx(0.1)


def test_hdi_against_mass(few):
    ax = plots.plot_hdi(few.difference)
    for line, mass in zip(lines(ax, "hdi"), (0.5, 0.8, 0.9, 0.95, 0.99), strict=True):
        assert tuple(line.get_xdata()) == few.difference.hdi(mass)


def test_forest_of_pairs_has_the_rows_of_the_comparison(many):
    c = many.comparison
    ax = plots.plot_forest(c, sort=False, top=66)
    for line, dot, row in zip(lines(ax, "hdi"), lines(ax, "estimate"), c.posteriors, strict=True):
        assert tuple(line.get_xdata()) == row.hdi()
        assert dot.get_xdata()[0] == row.mean
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"{a} vs {b}" for a, b in c.pair_names]


def test_forest_of_datasets_shows_raw_and_shrunken_means(few):
    ax = plots.plot_forest(few.hierarchical)
    frame = few.hierarchical.datasets_frame().sort_values("shrunken", ascending=False)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(frame.index)
    assert [line.get_xdata()[0] for line in lines(ax, "raw")] == frame["mean"].tolist()
    assert [line.get_xdata()[0] for line in lines(ax, "estimate")] == frame["shrunken"].tolist()


def test_forest_of_posteriors_says_where_each_hdi_lies():
    design = bc.Resampling.kfold(10)
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.003, 10)
    results = {
        name: bc.bayes.correlated_ttest(0.8 + gap + noise, np.full(10, 0.8), rope=0.02, resampling=design)
        for name, gap in {"better": 0.1, "equal": 0.0, "worse": -0.1, "open": 0.02}.items()
    }
    ax = plots.plot_forest(results, sort=False)
    markers = [line.get_marker() for line in lines(ax, "estimate")]
    assert markers == [REGION_MARKERS[0], REGION_MARKERS[1], REGION_MARKERS[2], "o"]
    in_a_list = plots.plot_forest(list(results.values()), sort=False)
    assert [label.get_text() for label in in_a_list.get_yticklabels()] == [
        "dataset",
        "dataset #2",
        "dataset #3",
        "dataset #4",
    ]
    other_pair = replace(results["open"], b="C")
    of_pairs = plots.plot_forest([results["better"], other_pair], sort=False)
    assert [label.get_text() for label in of_pairs.get_yticklabels()] == ["A vs B", "A vs C"]
    moved = dict(results) | {"open": results["open"].with_rope(0.1)}
    with pytest.raises(ValueError, match=r"same rope, got \[-0.02, 0.02\], \[-0.1, 0.1\]"):
        plots.plot_forest(moved)


def test_matrix_cells_are_the_probabilities_and_frames_the_decisions(many):
    """Above the diagonal P(row better), below it P(equivalent)."""
    c = many.comparison
    ax = plots.plot_matrix(c)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert sorted(names) == sorted(c.models)
    upper, lower = (image.get_array() for image in ax.images)
    framed = {(round(patch.get_y() + 0.44), round(patch.get_x() + 0.44)) for patch in ax.patches}
    for pair in c.pairs:
        i, j = names.index(pair.a), names.index(pair.b)
        row = pair.row() if i < j else pair.swap().row()
        i, j = min(i, j), max(i, j)
        assert upper[i, j] == row["p_better"]
        assert lower[j, i] == row["p_equivalent"]
        assert ((i, j) in framed) == (max(row["p_better"], row["p_worse"]) >= c.threshold)
        assert ((j, i) in framed) == (row["p_equivalent"] >= c.threshold)
    assert upper.count() == lower.count() == len(c.pairs)
    labels = {(t.get_position()[1], t.get_position()[0]): t.get_text() for t in ax.texts}
    assert float(labels[0, 1]) == pytest.approx(upper[0, 1], abs=0.0051)
    assert float(labels[1, 0]) == pytest.approx(lower[1, 0], abs=0.0051)


def test_matrix_without_a_rope_has_both_directions(many):
    c = bc.compare(many.scores, rope=0, bayes="sign_test")
    (image,) = plots.plot_matrix(c).images
    p = image.get_array()
    assert (p + p.T).compressed() == pytest.approx(1)


def test_matrix_of_tests_shows_adjusted_and_plain_p_values(many):
    tests = bc.frequentist.pairwise_wilcoxon_test(many.scores)
    ax = tests.plot()
    names = [label.get_text() for label in ax.get_yticklabels()]
    upper, lower = (image.get_array() for image in ax.images)
    for adjusted, drawn in ((True, upper), (False, lower)):
        frame = tests.matrix(adjusted=adjusted).loc[names, names].to_numpy()
        here = ~np.ma.getmaskarray(drawn)
        assert np.asarray(drawn[here]) == pytest.approx(np.clip(-np.log10(frame[here]) / 3, 0, 1))
    assert len(ax.patches) == sum(p <= 0.05 for p in tests.p_adjusted)


def test_matrix_of_a_ranking(many):
    drawn = plots.plot_matrix(many.ranking).images[0].get_array()
    assert sorted(drawn.compressed()) == sorted(many.ranking.p_better_matrix[~np.eye(12, dtype=bool)])


def test_matrix_of_strengths_frames_what_is_practically_better():
    strengths = bc.bayes.bradley_terry(bc.load_uci(), rope=0.01, random_seed=1)
    pairs = strengths.pairs_frame()
    framed = plots.plot_matrix(strengths).patches
    assert len(framed) == (pairs["p_practically_better"] >= 0.95).sum() < len(pairs)


def test_rope_curve_is_the_result_with_other_ropes(few):
    ropes = [0, 0.005, 0.01, 0.03]
    for p in (few.difference, few.region):
        curves = plots.plot_rope_curve(p, ropes=ropes).get_lines()[:3]
        others = [p.with_rope(rope) for rope in ropes]
        for line, name in zip(curves, ("p_better", "p_equivalent", "p_worse"), strict=True):
            assert line.get_ydata() == pytest.approx([getattr(one, name) for one in others])
        assert [line.get_color() for line in curves] == list(REGION_COLORS)
        assert len({line.get_linestyle() for line in curves}) == 3


def test_prior_sensitivity_dots_are_those_of_the_frame(few):
    ax = plots.plot_prior_sensitivity(few.region)
    frame = few.region.prior_sensitivity()
    for column in ("p_better", "p_equivalent", "p_worse"):
        assert lines(ax, column)[0].get_xdata() == pytest.approx(frame[column])
    assert len({lines(ax, c)[0].get_marker() for c in ("p_better", "p_equivalent", "p_worse")}) == 3


def test_critical_difference_bars_join_what_nemenyi_cannot_tell_apart(many):
    """Every two models share a bar if and only if their ranks differ by no more than the critical difference."""
    tests = bc.frequentist.nemenyi_test(many.scores)
    ax = tests.plot()
    bars = [sorted(line.get_xdata()) for line in lines(ax, "group")]
    ranks = tests.details["mean_ranks"]
    for a, b in combinations(ranks, 2):
        low, high = sorted((ranks[a], ranks[b]))
        together = any(left <= low and high <= right for left, right in bars)
        assert together == (high - low <= tests.critical_difference)
    (ruler,) = lines(ax, "critical difference")
    assert np.ptp(ruler.get_xdata()) == pytest.approx(tests.critical_difference)
    names = " ".join(texts_of(ax))
    assert all(f"{rank:.2f}" in names for rank in ranks.values())


def test_critical_difference_with_a_control_has_one_bar(many):
    tests = bc.frequentist.bonferroni_dunn_test(many.scores, control="knn")
    (bar,) = lines(plots.plot_critical_difference(tests), "group")
    low, high = sorted(bar.get_xdata())
    rank, cd = tests.details["mean_ranks"]["knn"], tests.critical_difference
    assert low == pytest.approx(max(rank - cd, 1), abs=0.05)
    assert high == pytest.approx(min(rank + cd, 12), abs=0.05)


def test_ranking_groups_say_p_better_of_neighbours(many):
    c = many.comparison
    ax = c.plot("ranking_groups")
    names = [label.get_text() for label in ax.get_yticklabels()]
    shown = [t.get_text() for t in ax.texts if t.get_gid() == "p better"]
    rows = [pair.row() for pair in c.pairs]
    table = {(r["a"], r["b"]): r["p_better"] for r in rows} | {(r["b"], r["a"]): r["p_worse"] for r in rows}
    assert shown == [f"{table[pair]:.3f}" for pair in pairwise(names)]
    for bar in lines(ax, "not decided"):
        first, last = (round(y) for y in sorted(bar.get_ydata()))
        for pair in combinations(names[first : last + 1], 2):
            assert table[pair] < c.threshold
            assert table[pair[::-1]] < c.threshold


def test_equivalent_models_are_a_group():
    rng = np.random.default_rng(1)
    base = rng.normal(0.8, 0.05, 30)
    arrays = {"one": base, "two": base + rng.normal(0, 0.001, 30), "far": base - 0.1}
    c = bc.compare(bc.Scores.from_arrays(arrays, metric="accuracy", datasets=30), rope=0.01, random_seed=1)
    ax = plots.plot_ranking_groups(c)
    (bar,) = lines(ax, "practically equivalent")
    assert [round(y) for y in bar.get_ydata()] == [0, 1]
    framed = [patch for patch in plots.plot_matrix(c).patches if patch.get_linestyle() == "--"]
    assert len(framed) == 1


def test_rank_distribution_and_p_best(many):
    r = many.ranking
    ax = r.plot("rank_distribution")
    names = [label.get_text() for label in ax.get_yticklabels()]
    order = [r.models.index(name) for name in names]
    assert np.array_equal(ax.images[0].get_array(), r.rank_distribution[order])
    assert [r.expected_rank[name] for name in names] == sorted(r.expected_rank.values())
    ax = r.plot()
    names = [label.get_text() for label in ax.get_yticklabels()]
    widths = {gid: [p.get_width() for p in ax.patches if p.get_gid() == gid] for gid in ("best", "within")}
    assert widths["best"] == [r.p_best[name] for name in names]
    assert widths["within"] == [r.p_within_rope[name] for name in names]


def test_raw_data_are_drawn_as_they_are(few):
    ax = plots.plot_differences(few.pair, sort=False)
    for line, values in zip(lines(ax, "values"), few.pair.differences, strict=True):
        assert np.array_equal(line.get_xdata(), values)
    assert [line.get_xdata()[0] for line in lines(ax, "mean")] == few.pair.means.tolist()
    ax = plots.plot_scores(bc.load_labour())
    assert "lower is better" in ax.get_xlabel()
    means = [line.get_xdata()[0] for line in lines(ax, "mean")]
    assert means == sorted(means)


def test_power_curves(few):
    ax = plots.plot_power(few.curve, target=0.9)
    for line, (_, rows) in zip(ax.get_lines(), few.curve.groupby("effect"), strict=False):
        assert line.get_ydata() == pytest.approx(rows["power"])
    pairs = bc.frequentist.power_curve([(0.1, 0.05)], [100, 200], test="mcnemar")
    assert "0.1 vs 0.05" in texts_of(plots.plot_power(pairs))


# ---- names


def test_colour_is_never_the_only_cue():
    assert len(set(REGION_HATCHES)) == len(set(REGION_MARKERS)) == len(set(REGION_COLORS)) == 3


def test_names_fit_and_stay_distinct():
    for room in (25, 40, 80, 200):
        for label, name in zip(shorten_names(LONG, room, 7, 2), LONG, strict=True):
            assert all(text_width(line, 7) <= room + 1e-9 for line in label.split("\n"))
            assert room < 40 or name[24:26] in label
        assert len(set(shorten_names(LONG, room, 7, 2))) == 12
    assert fit_name("rf", 100, 7) == "rf"
    assert fit_names(["a", "b"], 100, 7) == ["a", "b"]
    assert outcome_labels("rf", "svm", 100, 7) == ["rf better", "equivalent", "svm better"]


@pytest.mark.parametrize("name", ["$a_b$ & 50% #1", "a\nb\tc", "<script>", "模型 🚀", "x" * 200, "שלום", r"\alpha$"])
def test_hostile_names_are_drawn_as_text(name):
    """No formula, no warning about a missing glyph, no line break of its own."""
    rng = np.random.default_rng(2)
    arrays = {name: rng.normal(0.8, 0.1, 12), "other": rng.normal(0.8, 0.1, 12)}
    p = bc.bayes.sign_test(bc.Scores.from_arrays(arrays, metric="accuracy", datasets=12).pair(name, "other"), rope=0.01)
    for kind in ("simplex", "rope_curve", "prior_sensitivity"):
        ax = p.plot(kind)
        ax.figure.canvas.draw()
        for text in ax.findobj(Text):
            assert text.get_text().replace(r"\$", "").count("$") == 0


def test_text_is_broken_into_lines_of_like_length():
    assert wrapped("mean and 95% interval, quality (higher is better)", 53, 7).split("\n") == [
        "mean and 95% interval,",
        "quality (higher is better)",
    ]
    assert wrapped("", 48, 7) == ""
    for width in range(10, 60, 5):
        text = wrapped("one two three four five six seven eight nine ten eleven", width, 7)
        assert text.split() == "one two three four five six seven eight nine ten eleven".split()
        assert max(text_width(line, 7) for line in text.split("\n")) <= width * 72 / 25.4


def test_what_is_shortened_begins_with_a_word():
    names = [f"GradientBoostingClassifier(max_depth={d}, learning_rate=0.05)" for d in (3, 5)]
    assert fit_names(names, 90, 7)[0].startswith("Grad…depth=3")


# ---- files


@pytest.mark.parametrize("kind", ["pdf", "svg", "png", "eps"])
def test_saved_files_are_vectors_with_fonts_and_repeatable(few, tmp_path, kind):
    before = dict(matplotlib.rcParams)
    ax = plots.plot_posterior(few.difference)
    path = plots.save_figure(ax, tmp_path / f"one.{kind}", description="three areas")
    again = plots.save_figure(plots.plot_posterior(few.difference), tmp_path / f"two.{kind}", description="three areas")
    assert dict(matplotlib.rcParams) == before
    data = path.read_bytes()
    if kind != "eps":
        assert data == again.read_bytes()
        assert b"three areas" in data
    if kind == "pdf":
        assert b"/FontFile2" in data
        assert b"/Type3" not in data
    if kind == "svg":
        assert b"<path" in data
        assert b"<text" not in data
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"one.{kind}", f"two.{kind}"]


def test_save_figure_sets_the_width_and_refuses_to_overwrite(few, tmp_path):
    ax = plots.plot_hdi(few.difference)
    size = tuple(ax.figure.get_size_inches())
    path = plots.save_figure(ax.figure, tmp_path / "a.svg", width_mm=60)
    width = float(re.search(rb'width="([\d.]+)pt"', path.read_bytes()).group(1))
    assert width == pytest.approx(60 / 25.4 * 72, rel=1e-3)
    assert tuple(ax.figure.get_size_inches()) == size
    with pytest.raises(ValueError, match="overwrite=True"):
        plots.save_figure(ax, path)
    plots.save_figure(ax, path, overwrite=True)
    with pytest.raises(ValueError, match=r"must end in \.pdf"):
        plots.save_figure(ax, tmp_path / "a.gif")
    with pytest.raises(ValueError, match="Figure or Axes"):
        plots.save_figure("figure", tmp_path / "b.pdf")


def test_no_number_is_cut_in_two():
    names = [f"GradientBoostingClassifier(max_depth={depth}, learning_rate=0.05)" for depth in (25, 37)]
    for room in range(60, 160, 5):
        for depth, label in zip((25, 37), fit_names(names, room, 7, 2), strict=True):
            assert re.findall(r"depth\n?=\n?(\d+)|…\n?(\d+),", label) in ([], [(str(depth), "")], [("", str(depth))])
    assert shorten("12345678901234567890", 40, 7) not in ("", "…")


def test_cells_too_small_for_numbers_have_a_bar_of_shades():
    scores = bc.Scores.from_arrays(
        {f"m{i}": np.random.default_rng(i).normal(0.7 + 0.004 * i, 0.01, (12, 1)) for i in range(25)},
        higher_is_better=True,
    )
    ranking = bc.bayes.rank_models(scores, rope=0.01, random_seed=1, draws=1000)
    for ax in (plots.plot_rank_distribution(ranking, width_mm=85), plots.plot_matrix(ranking, width_mm=85)):
        bar = ax.child_axes[0]
        assert bar.get_ylim() == (0, 1)
        assert not ax.texts
    wide = plots.plot_rank_distribution(ranking, width_mm=170)
    assert wide.child_axes == []
    assert wide.texts


def test_the_key_of_a_matrix_is_inside_when_first_drawn():
    names = [f"GradientBoostingClassifier(max_depth={depth}, learning_rate=0.05)" for depth in range(12)]
    scores = bc.Scores.from_arrays(
        {name: np.random.default_rng(i).normal(0.7 + 0.004 * i, 0.01, (12, 1)) for i, name in enumerate(names)},
        higher_is_better=True,
    )
    ax = plots.plot_matrix(bc.compare(scores, rope=0.01, bayes="signed_rank_test", random_seed=1))
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    assert 0 <= box.x0 < box.x1 <= ax.figure.bbox.x1


def test_a_pgf_file_needs_a_tex(few, tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ValueError, match=r"\.pgf file needs a TeX .*Save a \.pdf"):
        plots.save_figure(plots.plot_hdi(few.difference), tmp_path / "a.pgf")
    assert list(tmp_path.iterdir()) == []


# ---- notebooks


def test_axes_figures_and_panels_are_pictures(few, many):
    """A png of twice the size that is shown, with the figure's proportions."""
    panels = plots.plot_simplex(many.comparison.posteriors[:2], draws=50)
    ax = plots.plot_posterior(few.difference)
    for drawn, figure in ((ax, ax.figure), (ax.figure, ax.figure), (panels, panels[0].figure)):
        data, shown = drawn._repr_png_()
        assert data.startswith(b"\x89PNG")
        width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
        assert shown == {"width": round(120 * figure.get_figwidth()), "height": round(120 * figure.get_figheight())}
        assert width == pytest.approx(2 * shown["width"], abs=2)
        assert height == pytest.approx(2 * shown["height"], abs=2)
    given = Figure().add_subplot()
    assert not hasattr(plots.plot_posterior(few.difference, ax=given), "_repr_png_")


def test_html_says_what_the_text_says_and_is_escaped():
    rng = np.random.default_rng(1)
    name = "<script>alert(1)</script> & co"
    arrays = {name: rng.normal(0.85, 0.02, 12), "b": rng.normal(0.8, 0.02, 12), "c": rng.normal(0.7, 0.02, 12)}
    c = bc.compare(bc.Scores.from_arrays(arrays, metric="accuracy", datasets=12), rope=0.01, random_seed=1)
    pair = c.pairs[0]
    for result in (c, pair, pair.posterior, pair.test, c.ranking_posterior(), c.scores.pair(name, "b")):
        page = result._repr_html_()
        assert "<script" not in page
        assert "&lt;script&gt;" in page
        assert "<style" not in page
        tags = re.findall(r"<(/?)(\w+)", page)
        assert sorted(tag for end, tag in tags if end) == sorted(tag for end, tag in tags if not end)
    assert 'role="img"' in pair._repr_html_()
    widths = [float(x) for x in re.findall(r"width:([\d.]+)%;background", pair.posterior._repr_html_())]
    assert widths == pytest.approx([round(100 * p, 2) for p in pair.posterior.three if p >= 0.001])
    for p in pair.posterior.three:
        assert f"{p:.3f}" in pair.posterior._repr_html_()
    assert c.headline() in html.unescape(c._repr_html_())


# ---- methods, words, errors


def test_methods_draw_the_same_figures(few, many):
    assert few.difference.plot().get_xlabel() == plots.plot_posterior(few.difference).get_xlabel()
    assert texts_of(few.hierarchical.plot())[0].startswith("rf better\nP = ")
    assert few.hierarchical.plot("forest").get_yticks().size == len(few.scores.datasets)
    assert texts_of(few.comparison.plot())[0].startswith("rf better\nP = ")
    assert "P(row better" in many.comparison.plot().get_xlabel()
    against = bc.compare(bc.load_labour(), rope=0.01, control="SVM")
    assert "mean difference" in against.plot().get_xlabel()
    for kind in ("forest", "p_best", "rank_distribution", "critical_difference", "scores", "intervals"):
        assert isinstance(many.comparison.plot(kind), Axes)
    for kind in ("simplex", "hdi", "rope_curve", "prior_sensitivity", "differences", "estimation"):
        assert isinstance(many.comparison.plot(kind, pair=("rf", "svm")), Axes)
    assert len(bc.compare(bc.load_domains(), rope=1, random_seed=1).plot("simplex", draws=50)) == 3


def test_comparison_by_nemenyi_keeps_its_critical_difference(many):
    c = bc.compare(many.scores, rope=0.01, bayes="sign_test", frequentist="nemenyi_test")
    assert c.tests.critical_difference == bc.frequentist.nemenyi_test(many.scores).critical_difference
    assert isinstance(
        bc.compare(bc.load_domains(), rope=1, frequentist="nemenyi_test", random_seed=1).tests.plot(), Axes
    )
    assert type(c).from_json(c.to_json()) == c


def test_alt_text_says_the_numbers(few, many):
    p = few.hierarchical
    text = plots.alt_text(p)
    for name, x in p.probabilities.items():
        assert f"P({name}) {x:.3f}" in text
    for name, x in p.expected.items():
        assert f"{name} {x:.3f}" in text
    assert "HDI" not in plots.alt_text(few.region)
    best = max(many.ranking.p_best, key=many.ranking.p_best.get)
    assert f"{best} P(best) " in plots.alt_text(many.ranking)
    assert "and 6 more" in plots.alt_text(many.ranking)
    tests = bc.frequentist.nemenyi_test(many.scores)
    assert f"Critical difference {tests.critical_difference:.3g} at the 5% level" in plots.alt_text(tests)
    assert "adjusted p-values: " in plots.alt_text(bc.frequentist.pairwise_wilcoxon_test(many.scores))
    assert f"better {few.comparison.posteriors[0].p_better:.2f}, " in plots.alt_text(few.comparison)
    assert "rf" in plots.alt_text(few.pair)
    assert f"rf {few.scores.values[0].mean():.4g}" in plots.alt_text(few.scores)
    assert "d_z = 0.2: " in plots.alt_text(few.curve)
    with pytest.raises(ValueError, match="got int"):
        plots.alt_text(3)


def test_agreement_shows_the_four_counts_from_a_pair_and_its_posterior(few):
    """Wrong every 9th and every 10th of 50 items from the first on: 6 and 5 times, both on the first only."""
    counts = {"both_right": 40, "only_a": 4, "only_b": 5, "both_wrong": 1}
    words = {"both_right": "both right", "only_a": "only rf", "only_b": "only svm", "both_wrong": "both wrong"}
    p = bc.bayes.mcnemar_test(few.answers, rope=0.01)
    back = bc.bayes.DifferencePosterior.from_json(p.swap().swap().to_json())
    for ax in (plots.plot_agreement(few.answers), p.plot("agreement"), back.plot("agreement")):
        assert texts_of(ax) == [f"{words[name]}\n{n}\n{2 * n} %" for name, n in counts.items()]
        assert {cell.get_gid(): cell.get_xy() for cell in ax.patches} == {
            "both_right": (0, 0), "only_a": (1, 0), "only_b": (0, 1), "both_wrong": (1, 1),
        }  # fmt: skip
        assert [label.get_text() for label in ax.get_yticklabels()] == ["rf\nright", "rf\nwrong"]
        assert ax.get_xlabel().replace("\n", " ") == "50 items; right: rf 88 %, svm 90 %"
    assert "Both right on 40 items, only rf on 4, only svm on 5, both wrong on 1." in plots.alt_text(p)
    swapped = p.swap()
    assert texts_of(swapped.plot("agreement"))[1:3] == ["only svm\n5\n10 %", "only rf\n4\n8 %"]
    assert "only svm on 5, only rf on 4" in plots.alt_text(swapped)


def test_a_report_of_items_shows_right_and_wrong(tmp_path):
    c = bc.compare(bc.load_items().select(models=["rf", "svm"], datasets=["letter"]), rope=0.01)
    assert isinstance(c.plot("agreement"), Axes)
    page = c.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Right and wrong: rf vs svm" in page
    assert "Both right on 364 items, only rf on 38, only svm on 22, both wrong on 76." in page


def test_errors_are_counted_as_errors_in_the_agreement():
    """Where lower is better, 0 is right."""
    scores = bc.Scores.from_arrays({"a": [0, 0, 1], "b": [0, 1, 1]}, metric="error", resampling=bc.Resampling.items())
    assert texts_of(plots.plot_agreement(scores.pair("a", "b")))[1] == "only a\n1\n33.3 %"


def test_a_prior_of_four_numbers_is_swapped_with_the_models():
    p = bc.bayes.mcnemar_test(counts=(80, 12, 5, 3), rope=0.01, prior=(1, 2, 3, 4)).swap()
    again = bc.bayes.mcnemar_test(counts=(80, 5, 12, 3), rope=0.01, prior=(1, 3, 2, 4))
    assert p.settings == again.settings
    assert p.three == pytest.approx(again.three, abs=1e-12)


def test_names_that_turn_the_line_around_are_made_harmless():
    assert printable("a\u202eb\tc\x1b") == "a\ufffdb c\ufffd"


def test_numbers_of_a_matrix_stay_in_their_cells():
    rng = np.random.default_rng(1)
    names = {f"a model with quite a long name, number {i}": rng.normal(size=10) for i in range(13)}
    c = bc.compare(
        bc.Scores.from_arrays(names, higher_is_better=True, datasets=10), rope=0.01, bayes="sign_test", random_seed=1
    )
    ax = bc.plots.plot_matrix(c)
    ax.figure.canvas.draw()
    cell = ax.get_window_extent().width / 13
    assert ax.texts
    assert max(text.get_window_extent().width for text in ax.texts) < cell


def test_what_cannot_be_drawn_is_refused_in_words(few, many):
    with pytest.raises(
        ValueError, match=r"three outcomes over many datasets.*correlated t-test.*plot\(\"posterior\"\)"
    ):
        plots.plot_simplex(few.difference)
    with pytest.raises(ValueError, match='"density" or "points"'):
        plots.plot_simplex(few.region, kind="cloud")
    with pytest.raises(ValueError, match="`top` and `pairs` choose from several"):
        plots.plot_simplex(few.region, top=2)
    with pytest.raises(ValueError, match="leave out `ax`"):
        plots.plot_simplex([])
    for draw in (plots.plot_posterior, plots.plot_hdi, lambda p: plots.plot_forest([p])):
        with pytest.raises(ValueError, match="has no mean difference"):
            draw(few.region)
    with pytest.raises(ValueError, match="got Scores"):
        plots.plot_posterior(few.scores)
    with pytest.raises(ValueError, match="list or a mapping"):
        plots.plot_forest(few.difference)
    with pytest.raises(ValueError, match="at least one posterior"):
        plots.plot_forest([])
    narrow = lines(plots.plot_forest(few.comparison, mass=0.5), "hdi")
    assert [tuple(line.get_xdata()) for line in narrow] == [p.hdi(0.5) for p in few.comparison.posteriors]
    with pytest.raises(ValueError, match="give `ropes`"):
        plots.plot_rope_curve(few.region.with_rope(0))
    with pytest.raises(ValueError, match="at least two ropes"):
        plots.plot_rope_curve(few.difference, ropes=[0.1])
    with pytest.raises(ValueError, match=r"nemenyi_test.*got: .*Wilcoxon"):
        bc.frequentist.pairwise_wilcoxon_test(many.scores).plot("critical_difference")
    for options, message in (
        ({"title": 3}, "`title` must be a text"),
        ({"legend": "somewhere"}, "`legend` must be True, False or one of best"),
        ({"names": {"nobody": "x"}}, "nobody"),
        ({"names": "rf"}, "`names` must be a dict"),
        ({"colors": ["red", "blue"]}, "`colors` must be three colours"),
    ):
        with pytest.raises(ValueError, match=message):
            plots.plot_posterior(few.difference, **options)
    with pytest.raises(ValueError, match="`pairs` must be a list of pairs"):
        plots.plot_forest(many.comparison, pairs="rf")
    with pytest.raises(ValueError, match="of the same pair on the same scale"):
        plots.plot_estimation(few.pair.swap(), few.difference)
    with pytest.raises(ValueError, match="Comparison or a RankingPosterior"):
        plots.plot_matrix(few.difference)
    with pytest.raises(ValueError, match="ranking of many models"):
        plots.plot_p_best(few.comparison)
    with pytest.raises(ValueError, match="compare without control"):
        plots.plot_ranking_groups(bc.compare(bc.load_domains(), rope=1, control="A", random_seed=1))
    with pytest.raises(ValueError, match=r"must be a Pair.*scores\.pair"):
        plots.plot_differences(few.scores)
    with pytest.raises(ValueError, match=r"right and wrong.*got the correlated t-test"):
        plots.plot_agreement(few.difference)
    with pytest.raises(ValueError, match="answers to items, but the design"):
        many.comparison.plot("agreement", pair=("rf", "svm"))
    with pytest.raises(ValueError, match="a posterior is of one"):
        plots.plot_agreement(bc.bayes.mcnemar_test(few.answers, rope=0.01), dataset="x")
    with pytest.raises(ValueError, match="must be a Scores"):
        plots.plot_scores(few.pair)
    with pytest.raises(ValueError, match="power_curve"):
        plots.plot_power(few.curve.drop(columns="power"))
    with pytest.raises(ValueError, match="`kind` must be one of posterior, hdi, rope_curve"):
        few.difference.plot("pie")
    with pytest.raises(ValueError, match="`kind` must be one of matrix"):
        many.comparison.plot("pie")
    with pytest.raises(ValueError, match=r"one of 66 pairs: choose one with pair=\('rf', 'svm'\)"):
        many.comparison.plot("posterior")
    with pytest.raises(ValueError, match="'matrix' shows all models"):
        many.comparison.plot("matrix", pair=("rf", "svm"))
    with pytest.raises(ValueError, match="40 to 1000"):
        plots.plot_scores(few.scores, width_mm=3)
    with pytest.raises(ValueError, match="matplotlib Axes"):
        plots.plot_scores(few.scores, ax="here")


def test_drawing_opens_no_window_and_needs_no_display():
    code = (
        "import bayescmp as bc, matplotlib, json\n"
        "p = bc.bayes.sign_test(bc.load_domains().pair('B', 'A'), rope=1)\n"
        "p.plot().figure.canvas.draw()\n"
        "from matplotlib._pylab_helpers import Gcf\n"
        "print(json.dumps(len(Gcf.get_all_fig_managers())))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == 0


# ---- what the user may set


def test_names_title_colours_and_legend_are_the_users(few):
    p, red = few.difference, ["#FF0000", "#00FF00", "#0000FF"]
    ax = plots.plot_posterior(p, names={"rf": "Forest"}, title="Mine", colors=red, legend="upper right")
    assert ax.get_title() == "Mine"
    labels = [text.get_text().split("\n")[0] for text in ax.get_legend().get_texts()]
    assert labels == ["svm better", "equivalent", "Forest better"]
    assert [patch.get_facecolor()[:3] for patch in ax.get_legend().get_patches()] == [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    assert "positive favours Forest" in ax.get_xlabel().replace("\n", " ")
    assert plots.plot_posterior(p, title="", legend=False).get_legend() is None
    assert plots.plot_posterior(p, title="").get_title() == ""
    lower = plots.plot_rope_curve(p, legend="lower left")
    assert [text.get_text() for text in lower.get_legend().get_texts()] == ["rf better", "equivalent", "svm better"]


def test_a_title_set_later_stands_above_the_key(few):
    for draw in (plots.plot_posterior, plots.plot_hdi, plots.plot_rope_curve):
        ax = draw(few.difference, title="")
        ax.set_title("said later")
        ax.figure.draw_without_rendering()
        title = ax.title.get_window_extent()
        others = [text.get_window_extent() for text in ax.texts] + (
            [ax.get_legend().get_window_extent()] if ax.get_legend() else []
        )
        assert all(title.y0 >= box.y1 - 1 or title.x1 < box.x0 or box.x1 < title.x0 for box in others)


def test_style_sheets_are_respected(few, many):
    from matplotlib import style

    with style.context("dark_background"):
        for ax in (plots.plot_posterior(few.difference), plots.plot_forest(many.comparison, top=5)):
            texts = [*ax.texts, *ax.get_xticklabels(), *ax.get_legend().get_texts(), ax.xaxis.label, ax.title]
            assert {matplotlib.colors.to_hex(text.get_color()) for text in texts} == {"#ffffff"}
    with matplotlib.rc_context({"font.size": 15}):
        large = plots.plot_posterior(few.difference).xaxis.label.get_fontsize()
    assert large == pytest.approx(1.5 * plots.plot_posterior(few.difference).xaxis.label.get_fontsize())


# ---- estimation, intervals, multi-comparison


def test_estimation_aligns_the_difference_with_the_means(few):
    """0 of the right axis is at the mean of B, the mean difference of paired scores at the mean of A."""
    pair = few.pair.select(few.pair.datasets[0])
    ax = plots.plot_estimation(pair, few.difference)
    ax.figure.draw_without_rendering()
    a, b = (line.get_ydata() for line in lines(ax, "values"))
    assert np.array_equal(a, pair.scores_a[0])
    assert np.array_equal(b, pair.scores_b[0])
    assert lines(ax, "estimate")[0].get_ydata()[0] == pytest.approx(a.mean())
    assert lines(ax, "hdi")[0].get_ydata() == pytest.approx(b.mean() + np.array(few.difference.hdi()))
    (right,) = ax.child_axes[:1]
    assert right.get_ylim() == pytest.approx(np.array(ax.get_ylim()) - b.mean())
    lower = bc.load_labour().pair("SVM", "DT")  # errors: A is better where its scores are lower
    ax = plots.plot_estimation(lower, bc.bayes.correlated_ttest(lower, rope=0.01))
    assert lines(ax, "estimate")[0].get_ydata()[0] == pytest.approx(lower.scores_a.mean())


def test_intervals_are_students(many):
    """Over datasets, the interval of scipy for the mean of independent values."""
    from scipy import stats

    ax = plots.plot_intervals(many.scores, confidence_level=0.9)
    for label, line in zip(ax.get_yticklabels(), lines(ax, "interval"), strict=True):
        values = many.scores.values[many.scores.models.index(label.get_text())].mean(axis=1)
        expected = stats.t.interval(0.9, len(values) - 1, values.mean(), stats.sem(values))
        assert line.get_xdata() == pytest.approx(expected)


def test_boxes_are_quartiles(many):
    ax = plots.plot_scores(many.scores, box=True)
    boxes = [bar for bar in ax.patches if bar.get_gid() == "box"]
    for label, box in zip(ax.get_yticklabels(), boxes, strict=True):
        values = many.scores.values[many.scores.models.index(label.get_text())].mean(axis=1)
        assert (box.get_x(), box.get_x() + box.get_width()) == pytest.approx(tuple(np.percentile(values, [25, 75])))
    with pytest.raises(ValueError, match="`box` must be True or False"):
        plots.plot_scores(many.scores, box="violin")


def test_multi_comparison_cells_are_differences_wins_and_probabilities(many):
    c = many.comparison
    ax = plots.plot_multi_comparison(c, top=5)
    names = [label.get_text() for label in ax.get_xticklabels()]
    means = {name: float(x.mean()) for name, x in zip(c.models, c.scores.values, strict=True)}
    assert names == sorted(means, key=means.get, reverse=True)[:5]
    for text in ax.texts:
        x, y = text.get_position()
        a, b = c.scores.values[c.models.index(names[y])], c.scores.values[c.models.index(names[x])]
        gap, counts, p = text.get_text().split("\n")
        d = (a - b).mean(axis=1)
        assert float(gap) == pytest.approx(d.mean(), abs=0.00051)
        assert counts == f"{(d > 0).sum()} / {(d == 0).sum()} / {(d < 0).sum()}"
        assert float(p.removeprefix("P = ")) == pytest.approx(c.pair(names[y], names[x]).posterior.p_better, abs=0.0051)
        assert (text.get_fontweight() == "bold") == c.pair(names[y], names[x]).decided


def test_rows_of_a_multi_comparison_with_long_names_are_told_apart(cases):
    ax = plots.plot_multi_comparison(cases[12, "long"].comparison, top=5)
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert all(re.search(r"\d\d", row.rpartition(" ")[0]) and re.search(r" 0\.\d+$", row) for row in rows)


def test_scores_of_any_unit_have_whole_numbers_at_the_ticks():
    rng = np.random.default_rng(1)
    for unit in (1e-9, 1.0, 1e9):
        arrays = {"rf": unit * rng.normal(0.9, 0.01, 10), "svm": unit * rng.normal(0.88, 0.01, 10)}
        scores = bc.Scores.from_arrays(arrays, resampling=bc.Resampling.kfold(10), metric="accuracy")
        pair = scores.pair("rf", "svm")
        ax = plots.plot_estimation(pair, bc.bayes.correlated_ttest(pair, rope=0.01 * unit))
        ax.figure.draw_without_rendering()
        for axis in (ax.yaxis, ax.child_axes[0].yaxis):
            assert axis.get_offset_text().get_text() == ""
            assert len({label.get_text() for label in axis.get_ticklabels()}) > 3


def test_ranks_of_many_models_are_labelled_where_there_is_room():
    scores = make_scores([f"m{i}" for i in range(40)])
    ax = plots.plot_rank_distribution(bc.bayes.rank_models(scores, rope=0, random_seed=1, draws=1000))
    ax.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert all(two.x0 - one.x1 > 3 for one, two in pairwise(boxes))
    assert ax.get_xticklabels()[0].get_text() == "1"


def test_prior_sensitivity_names_the_models(few):
    labels = [
        label.get_text() for label in plots.plot_prior_sensitivity(few.region, names={"svm": "SVC"}).get_yticklabels()
    ]
    assert {"strength 1 on rf", "strength 1 on SVC"} <= set(labels)


def test_plans_take_the_options_of_other_figures():
    d = bc.planning.design("sign_test", truth={"mean": 0.02, "sd": 0.02}, rope=0.01, n=[10, 20], random_seed=1)
    ax = plots.plot_plan(d, names={"A": "rf"}, colors=["red", "green", "blue"], title="Mine")
    assert ax.get_title() == "Mine"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["rf better", "equivalent", "B better"]
    assert ax.get_legend().get_patches()[0].get_facecolor()[:3] == (1, 0, 0)
    assert plots.plot_plan(d, legend=False).get_legend() is None
    with pytest.raises(bc.errors.ScoresError, match="rg"):
        plots.plot_plan(d, names={"rg": "x"})


def test_options_that_a_figure_does_not_have_are_named(many):
    with pytest.raises(ValueError, match=r"`plot_matrix` has no option `pairs`; it takes ax, .*width_mm\."):
        many.comparison.plot("matrix", pairs=[("rf", "svm")])
    with pytest.raises(ValueError, match="`plot_p_best` has no option `colors`"):
        many.comparison.plot("p_best", colors=("red", "green", "blue"))
    with pytest.raises(ValueError, match="`plot_hdi` has no option `legend`"):
        many.difference.plot("hdi", legend=False)


def test_a_cell_below_the_threshold_is_not_rounded_up_to_it():
    """17 wins and 9 losses: P = 0.9461, which has no frame at 0.95."""
    models = {"a": np.r_[np.full(17, 0.05), np.full(9, -0.05)], "b": np.zeros(26)}
    scores = bc.Scores.from_arrays(models, datasets=26, higher_is_better=True)
    c = bc.compare(scores, rope=0.01, bayes="sign_test")
    assert ".946" in [text.get_text() for text in plots.plot_matrix(c).texts]
    assert ".95" in [text.get_text() for text in plots.plot_matrix(c, threshold=0.9).texts]
