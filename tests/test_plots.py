"""Figures: what they say is what the result says, nothing covers anything, and nothing else changes."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from itertools import combinations, pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib._pylab_helpers import Gcf
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
from bayescmp.plots.style import REGION_COLORS, REGION_HATCHES, REGION_MARKERS

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


def drawn_texts(ax):
    """Every text of a figure that is seen, with its box in pixels."""
    figure = ax.figure
    figure.canvas.draw()
    found = []
    for text in figure.findobj(Text):
        if text.get_text().strip() and text.get_visible():
            box = Text.get_window_extent(text)  # of an annotation, without its line
            on_paper = all(np.isfinite(box.extents))
            tick = next((a for a in (ax.xaxis, ax.yaxis) if text in a.get_ticklabels(which="both")), None)
            if on_paper and (tick is None or ticks_inside(ax, text, tick)):
                found.append((text.get_text(), box))
    return found


def ticks_inside(ax, text, axis):
    """Locators put ticks beyond the limits, which are not drawn."""
    if ax.name == "ternary" or not ax.axison:
        return False
    low, high = sorted(axis.get_view_interval())
    place = text.get_position()[0 if axis is ax.xaxis else 1]
    return text.get_text() and low - 1e-9 <= place <= high + 1e-9


@pytest.mark.parametrize("width", [85, 170])
@pytest.mark.parametrize("key", CASES, ids=lambda key: f"{key[0]} {key[1]}")
@pytest.mark.parametrize("name", FIGURES)
def test_nothing_collides_and_nothing_else_changes(cases, name, key, width):
    """At one and two columns, for 2 and 12 models, short and 60-character names."""
    if name in ("simplex", "posterior", "hdi", "power", "density", "differences", "agreement") and key[0] == 12:
        pytest.skip("of one pair: the number of models makes no difference")
    if name == "critical difference" and key[0] == 2:
        pytest.skip("needs three models")
    before, figures = dict(matplotlib.rcParams), len(Gcf.get_all_fig_managers())
    ax = FIGURES[name](cases[key], width_mm=width)
    assert dict(matplotlib.rcParams) == before
    assert len(Gcf.get_all_fig_managers()) == figures
    assert isinstance(ax, Axes)
    assert ax.figure.get_figwidth() * 25.4 == pytest.approx(width)
    texts = drawn_texts(ax)
    page = ax.figure.bbox
    for text, box in texts:
        assert box.x0 >= page.x0 - 1, text
        assert box.x1 <= page.x1 + 1, text
        assert box.y0 >= page.y0 - 1, text
        assert box.y1 <= page.y1 + 1, text
    for (one, a), (two, b) in combinations(texts, 2):
        overlap = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert min(overlap) <= 1.5, f"{one!r} covers {two!r}"


@pytest.mark.parametrize("name", FIGURES)
def test_given_axes_are_used_and_returned(many, name):
    figure = Figure(figsize=(8, 6))
    kind = "ternary" if name in ("simplex", "density") else None
    ax = figure.add_subplot(projection=kind)
    assert FIGURES[name](many, ax=ax) is ax
    assert figure.axes == [ax]


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def lines(ax, gid):
    return [line for line in ax.get_lines() if line.get_gid() == gid]


# ---- the numbers drawn are the result's


def test_simplex_shows_the_draws_and_the_three_probabilities(few):
    p = few.hierarchical
    ax = plots.plot_simplex(p, draws=400)
    theta = p.draws(400)
    shown = np.vstack([points.get_offsets() for points in ax.collections])
    expected = to_xy(theta)
    assert np.allclose(np.sort(shown, axis=0), np.sort(expected, axis=0))
    assert np.allclose(to_xy(np.eye(3)), [[3**-0.5, 0], [0, 1], [-(3**-0.5), 0]])
    corners = dict(zip(("rf better", "equivalent", "svm better"), texts_of(ax), strict=True))
    for outcome, text in corners.items():
        assert text == f"{outcome}\nmost probable {p.probabilities[outcome]:.3f}\nnext {p.expected[outcome]:.3f}"


def test_simplex_density_counts_every_draw_in_its_triangle(few):
    ax = plots.plot_simplex(few.region, kind="density", draws=700)
    cells = ax.collections[-1]
    assert cells.get_array().sum() == 700
    centres = np.array([path.vertices[:3].mean(axis=0) for path in cells.get_paths()])
    mean = (centres * cells.get_array()[:, None]).sum(axis=0) / 700
    assert np.allclose(mean, to_xy(few.region.draws(700)).mean(axis=0), atol=0.02)


def test_simplices_are_small_multiples(many):
    c = many.comparison
    axes = plots.plot_simplex(c.posteriors[:5], width_mm=170, draws=100)
    assert len(axes) == 5
    assert len({ax.figure for ax in axes}) == 1
    assert [texts_of(ax)[2].split("\n")[0] for ax in axes] == [f"{b} better" for _, b in c.pair_names[:5]]


def test_posterior_areas_hdi_and_words_are_those_of_the_result(few):
    p = few.difference
    ax = plots.plot_posterior(p, mass=0.9)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == [f"{name}\n{x:.3f}" for name, x in reversed(p.probabilities.items())]
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
    ax = plots.plot_forest(c, sort=False)
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
    c = many.comparison
    ax = plots.plot_matrix(c)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert sorted(names) == sorted(c.models)
    drawn = ax.images[0].get_array()
    framed = {(patch.get_y() + 0.44, patch.get_x() + 0.44) for patch in ax.patches}
    for row in (pair.row() for pair in c.pairs):
        i, j = names.index(row["a"]), names.index(row["b"])
        assert drawn[i, j] == row["p_better"]
        assert drawn[j, i] == row["p_worse"]
        assert any(np.allclose((i, j), at) for at in framed) == (row["p_better"] >= c.threshold)
        assert any(np.allclose((j, i), at) for at in framed) == (row["p_worse"] >= c.threshold)
    assert np.ma.getmaskarray(drawn).diagonal().all()
    labels = {(t.get_position()[1], t.get_position()[0]): t.get_text() for t in ax.texts}
    assert float(labels[0, 1]) == pytest.approx(drawn[0, 1], abs=0.0051)


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
    assert len(plots.plot_matrix(c).get_lines()) == 2


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
    for ax in (plots.plot_rank_distribution(ranking), plots.plot_matrix(ranking)):
        bar = ax.figure.axes[1]
        assert bar.get_ylim() == (0, 1)
        assert not ax.texts
    wide = plots.plot_rank_distribution(ranking, width_mm=170)
    assert len(wide.figure.axes) == 1
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


# ---- methods, words, errors


def test_methods_draw_the_same_figures(few, many):
    assert few.difference.plot().get_xlabel() == plots.plot_posterior(few.difference).get_xlabel()
    assert few.hierarchical.plot().name == few.region.plot().name == "ternary"
    assert few.hierarchical.plot("forest").get_yticks().size == len(few.scores.datasets)
    assert few.comparison.plot().name == "ternary"
    assert "P(row better" in many.comparison.plot().get_xlabel()
    for kind in ("forest", "p_best", "rank_distribution", "critical_difference", "scores"):
        assert isinstance(many.comparison.plot(kind), Axes)
    for kind in ("simplex", "hdi", "rope_curve", "prior_sensitivity", "differences"):
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
    with pytest.raises(ValueError, match='"points" or "density"'):
        plots.plot_simplex(few.region, kind="cloud")
    with pytest.raises(ValueError, match="projection="):
        plots.plot_simplex(few.region, ax=Figure().add_subplot())
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
        bc.frequentist.pairwise_wilcoxon_test(many.scores).plot()
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
