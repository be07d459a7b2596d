"""Several measures at once, against statsmodels, matrix formulas, and the univariate tests they reduce to."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import linalg, stats
from statsmodels.multivariate.manova import MANOVA
from statsmodels.stats.multivariate import test_mvmean as mean_of_many

import bayescmp as bc
from bayescmp import ScoresError
from bayescmp.frequentist.anova import anova
from bayescmp.frequentist.multivariate import hotelling_test, manova
from bayescmp.frequentist.result import TestResult


def round_trip(result):
    return TestResult.from_dict(json.loads(json.dumps(result.to_dict())))


def correlated(rng, n, p):
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 0.3


# ---- Hotelling


@pytest.mark.oracle("frequentist.hotelling_test", "statsmodels", "closed form")
def test_hotelling_against_statsmodels_and_the_formula(rng):
    """T^2 = K m' S^-1 m and (K - p)/(p (K - 1)) T^2 ~ F(p, K - p); direction w = S^-1 m."""
    for n, p in ((5, 2), (10, 3), (30, 6), (4, 3)):
        a, b = correlated(rng, n, p), correlated(rng, n, p)
        result, theirs = hotelling_test(a, b), mean_of_many(a - b, np.zeros(p))
        assert (result.statistic, result.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-8)
        assert result.df == (p, n - p)
        mean, covariance = (a - b).mean(axis=0), np.cov(a - b, rowvar=False)
        w = np.linalg.solve(covariance, mean)
        assert result.details["T2"] == pytest.approx(n * mean @ w, rel=1e-8)
        assert list(result.details["direction"].values()) == pytest.approx(w, rel=1e-8)
        assert result.effect_size.value == pytest.approx(np.sqrt(mean @ w), rel=1e-8)


@pytest.mark.oracle("frequentist.hotelling_test", "scipy")
def test_hotelling_of_one_measure_is_the_paired_ttest(rng):
    a, b = rng.normal(size=(2, 12, 1))
    result, theirs = hotelling_test(a, b), stats.ttest_rel(a[:, 0], b[:, 0])
    assert (result.statistic, result.p_value) == pytest.approx((theirs.statistic**2, theirs.pvalue), rel=1e-9)


@pytest.mark.oracle("frequentist.hotelling_test", "scipy")
def test_best_direction_has_the_largest_t(rng):
    """w is the combination of measures whose paired t^2 is T^2; no other one has more."""
    a, b = correlated(rng, 15, 3), correlated(rng, 15, 3)
    result = hotelling_test(a, b)
    w = np.array(list(result.details["direction"].values()))
    assert stats.ttest_1samp((a - b) @ w, 0).statistic ** 2 == pytest.approx(result.details["T2"], rel=1e-9)
    for other in rng.normal(size=(50, 3)):
        assert stats.ttest_1samp((a - b) @ other, 0).statistic ** 2 <= result.details["T2"] * (1 + 1e-9)


@pytest.mark.oracle("frequentist.hotelling_test", "scipy")
def test_together_where_neither_does_alone():
    """Two strongly correlated measures: neither univariate t rejects, T^2 does (Alpaydin, 19.14.1)."""
    noise = np.array([3.0, -2, 1, -3, 2, -1, 2, -2])
    small = np.array([0.1, -0.1, 0.1, -0.1, -0.1, 0.1, 0.05, -0.05])
    d = np.stack([noise + 0.3, noise - 0.3 + small], axis=1)
    result = hotelling_test(d, np.zeros_like(d))
    expected = stats.ttest_1samp(d, 0)
    assert [row["p"] for row in result.details["univariate"]] == pytest.approx(expected.pvalue, rel=1e-9)
    assert min(expected.pvalue) > 0.5
    assert result.p_value < 0.001


def test_pairs_know_direction_and_design(rng):
    """A mapping of measure to Pair equals the oriented arrays; F does not depend on the orientation."""
    design = bc.Resampling.kfold(10)
    accuracy, time = rng.normal(0.8, 0.05, (2, 10)), rng.normal(3, 0.2, (2, 10))
    tables = {
        "accuracy": bc.Scores.from_arrays(
            dict(zip("ab", accuracy, strict=True)), resampling=design, higher_is_better=True
        ),
        "time": bc.Scores.from_arrays(dict(zip("ab", time, strict=True)), resampling=design, higher_is_better=False),
    }
    result = hotelling_test({name: scores.pair("a", "b") for name, scores in tables.items()})
    one, two = (pd.DataFrame({"accuracy": accuracy[i], "time": time[i]}) for i in (0, 1))
    plain = hotelling_test(one, two, higher_is_better={"time": False}, resampling=design)
    assert result.models == ("a", "b")
    assert result.notes == plain.notes
    assert "0.100" in result.notes[0]
    for name, mean in result.details["mean_differences"].items():
        assert plain.details["mean_differences"][name] == pytest.approx(mean)
    assert result.details["mean_differences"]["time"] == pytest.approx((time[1] - time[0]).mean())
    assert hotelling_test(one, two).statistic == pytest.approx(result.statistic, rel=1e-9)
    assert hotelling_test(one, two).notes == ()


def test_scale_of_a_measure_does_not_matter(rng):
    """Seconds or nanoseconds, with an offset a million times the noise: the same F."""
    a, b = correlated(rng, 12, 2), correlated(rng, 12, 2)
    unit, offset = np.array([1e9, 1e-6]), np.array([1e15, 0.0])
    assert hotelling_test(a * unit + offset, b * unit + offset).statistic == pytest.approx(
        hotelling_test(a, b).statistic, rel=1e-6
    )


def test_hotelling_swap_and_json(rng):
    a, b = correlated(rng, 12, 2), correlated(rng, 12, 2)
    one, two = hotelling_test(a, b), hotelling_test(b, a)
    assert two.p_value == pytest.approx(one.p_value, rel=1e-12)
    for key in ("mean_differences", "direction"):
        assert list(two.details[key].values()) == pytest.approx([-x for x in one.details[key].values()])
    assert round_trip(one) == one
    assert "Hotelling" in one.sentence()


@pytest.mark.oracle("frequentist.hotelling_test", "simulation")
def test_hotelling_type_one_error_under_correlated_folds(rng):
    """The note's rate: folds with correlation rho inflate F by 1 + n rho/(1 - rho), by simulation."""
    n, p, rho = 10, 2, 0.1
    shared = rng.normal(size=(1500, 1, p)) * np.sqrt(rho)
    d = shared + rng.normal(size=(1500, n, p)) * np.sqrt(1 - rho)
    rejected = np.mean([hotelling_test(x, np.zeros((n, p))).p_value < 0.05 for x in d])
    note = hotelling_test(d[0], np.zeros((n, p)), resampling=bc.Resampling.kfold(10)).notes[0]
    rate = float(note.split("about ")[1].split(" ")[0])
    assert rejected == pytest.approx(rate, abs=4 * np.sqrt(rate * (1 - rate) / 1500) + 0.005)


# ---- MANOVA


@pytest.mark.oracle("frequentist.manova", "statsmodels")
@pytest.mark.parametrize(("models", "measures"), [(2, 3), (3, 2), (3, 4), (4, 2), (5, 3), (4, 6)])
def test_manova_against_statsmodels(rng, models, measures):
    """Wilks' Lambda and Rao's F, exact and approximate. Small Lambda rejects; the source has it the wrong way round."""
    tables = {f"m{j}": correlated(rng, 10, measures) + 0.3 * j for j in range(models)}
    result = manova(tables)
    groups = np.repeat(np.arange(models), 10)
    design = np.eye(models)[groups]
    contrast = np.hstack([np.ones((models - 1, 1)), -np.eye(models - 1)])
    fit = MANOVA(np.concatenate(list(tables.values())), design).mv_test([("models", contrast)])
    row = fit.results["models"]["stat"].loc["Wilks' lambda"]
    assert result.details["wilks_lambda"] == pytest.approx(row["Value"], rel=1e-8)
    assert result.df == pytest.approx((row["Num DF"], row["Den DF"]), rel=1e-9)
    assert (result.statistic, result.p_value) == pytest.approx((row["F Value"], row["Pr > F"]), rel=1e-7)
    assert ("exact" in result.method) == (measures <= 2 or models <= 3)
    assert round_trip(result) == result


@pytest.mark.oracle("frequentist.manova", "scipy")
def test_manova_eigenvectors(rng):
    """They solve H v = lambda E v, have unit variance within the models; the share is lambda_1 over the sum."""
    tables = {f"m{j}": correlated(rng, 8, 3) + j * np.array([1.0, 0, 0.5]) for j in range(4)}
    result = manova(tables)
    means = np.stack([x.mean(axis=0) for x in tables.values()])
    within = sum((x - x.mean(axis=0)).T @ (x - x.mean(axis=0)) for x in tables.values())
    between = 8 * (means - means.mean(axis=0)).T @ (means - means.mean(axis=0))
    expected = linalg.eigh(between, within, eigvals_only=True)[::-1]
    found = np.array(result.details["eigenvalues"])
    assert found == pytest.approx(expected, rel=1e-8)
    assert result.details["share_of_first"] == pytest.approx(expected[0] / expected.sum(), rel=1e-8)
    for value, vector in zip(found, result.details["eigenvectors"], strict=True):
        v = np.array(list(vector.values()))
        assert between @ v == pytest.approx(value * within @ v, rel=1e-7, abs=1e-9)
        assert v @ within @ v / 28 == pytest.approx(1, rel=1e-9)


def test_manova_of_one_measure_is_one_way_anova(rng):
    x = rng.normal(size=(9, 4))
    result, table = manova({f"m{j}": x[:, j : j + 1] for j in range(4)}), anova(x, kind="one-way")
    assert (result.statistic, result.p_value) == pytest.approx((table.statistic, table.p_value), rel=1e-9)
    assert result.effect_size.value == pytest.approx(table.effect_size.value, rel=1e-9)


@pytest.mark.oracle("frequentist.manova", "closed form")
def test_manova_of_two_models_is_two_sample_hotelling(rng):
    """F of Lambda = (n - p - 1)/(p (n - 2)) T^2, T^2 with the pooled covariance; also for unequal numbers of folds."""
    a, b = correlated(rng, 9, 2), correlated(rng, 13, 2)
    pooled = (8 * np.cov(a, rowvar=False) + 12 * np.cov(b, rowvar=False)) / 20
    d = a.mean(axis=0) - b.mean(axis=0)
    t2 = d @ np.linalg.solve(pooled, d) / (1 / 9 + 1 / 13)
    result = manova({"a": a, "b": b})
    assert result.statistic == pytest.approx((22 - 2 - 1) / (2 * 20) * t2, rel=1e-9)
    assert (result.df, result.n) == ((2, 19), 22)


def test_identical_models():
    """Equal means: Lambda 1, F 0, p 1, no share of nothing."""
    x = np.array([[0.1, 0.5], [0.3, 0.2], [0.2, 0.9], [0.4, 0.4]])
    result = manova({"a": x, "b": x})
    assert (result.statistic, result.p_value, result.details["wilks_lambda"]) == (0.0, 1.0, 1.0)
    assert result.details["share_of_first"] is None
    assert round_trip(result) == result


# ---- bad input

A = np.array([[0.9, 0.5], [0.8, 0.7], [0.7, 0.4], [0.9, 0.6], [0.8, 0.6]])
B = A[::-1] * 0.9
# 100 cases a fold, not stratified: only the sum of the four is fixed
COUNTS = np.array([[40, 5, 11, 44], [42, 7, 8, 43], [38, 2, 13, 47], [45, 9, 5, 41], [41, 6, 10, 43], [39, 4, 9, 48]])
OTHER = np.array([[41, 9, 9, 41], [40, 5, 12, 43], [39, 8, 11, 42], [42, 2, 8, 48], [37, 6, 14, 43], [44, 4, 7, 45]])
CELLS = ["tp", "fp", "fn", "tn"]
FRAME = pd.DataFrame(A, columns=["precision", "recall"])
PAIR = bc.load_labour().pair("SVM", "DT")
BAD = {
    "more measures than folds": (lambda: hotelling_test(A.T, B.T), "more folds than measures", "2 folds of 5"),
    "as many measures as folds": (lambda: hotelling_test(A[:2], B[:2]), "2 folds of 2"),
    "tp fp fn tn": (
        lambda: hotelling_test(pd.DataFrame(COUNTS, columns=CELLS), pd.DataFrame(OTHER, columns=CELLS)),
        "fixed size",
        '"tp"',
        "Leave 1 of them",
    ),
    "rates of a fixed sum": (
        lambda: hotelling_test(np.c_[A, 1 - A[:, 0]], np.c_[B, 1 - B[:, 0]]),
        "measure 3",
        "singular",
    ),
    "constant measure": (lambda: hotelling_test(A, A - [[0.1, 0.0]] * 5), "vary", "measure 1"),
    "identical models": (lambda: hotelling_test(A, A), "vary"),
    "shapes": (lambda: hotelling_test(A, B[:4]), "5 x 2", "4 x 2"),
    "names": (lambda: hotelling_test(FRAME, FRAME.rename(columns={"recall": "f1"})), '"recall"', '"f1"'),
    "vector": (lambda: hotelling_test([1.0, 2.0], [1.0, 2.0]), "2-D", "(2,)"),
    "nan": (lambda: hotelling_test(np.where(A == 0.4, np.nan, A), B), "NaN", "fold 3, measure 2"),
    "text": (lambda: hotelling_test([["x"]], [["y"]]), "`a` must be numbers"),
    "one array": (lambda: hotelling_test(A), "mapping from measure to Pair"),
    "empty": (lambda: hotelling_test([], []), "2-D"),
    "unknown measure": (
        lambda: hotelling_test(FRAME, FRAME * 2, higher_is_better={"time": False}),
        '"time"',
        '"recall"',
    ),
    "direction of pairs": (lambda: hotelling_test({"x": PAIR}, higher_is_better=True), "has a direction and a design"),
    "other pairs": (lambda: hotelling_test({"x": PAIR, "y": PAIR.swap()}), "same two models", "SVM vs DT", "DT vs SVM"),
    "manova of one": (lambda: manova({"a": A}), "at least 2 models"),
    "manova of an array": (lambda: manova(A), "mapping"),
    "manova names": (lambda: manova({"a": FRAME, "b": A}), '"precision"', '"measure 1"'),
    "manova few": (lambda: manova({"a": A[:1], "b": B[:2]}), "3 folds of 2 models"),
    "manova singular": (lambda: manova({"a": COUNTS, "b": OTHER}), "fixed size"),
    "manova nan": (lambda: manova({"a": A, "b": B * np.nan}), "NaN", "`b`"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    """A ScoresError with the words that say what is wrong."""
    call, *words = BAD[case]
    with pytest.raises(ScoresError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_stratified_folds_tie_twice():
    """With stratified folds tp + fn and fp + tn are fixed: two measures too many, and the refusal says two."""
    tp, fp = np.array([40.0, 42, 38, 45, 41, 39]), np.array([5.0, 7, 2, 9, 6, 4])
    four = np.stack([tp, fp, 50 - tp, 50 - fp], axis=1)
    with pytest.raises(ScoresError, match="Leave 2 of them out"):
        hotelling_test(four, np.roll(four, 2, axis=0))
    assert hotelling_test(four[:, :2], np.roll(four[:, :2], 2, axis=0)).df == (2, 4)


def test_three_of_four_counts_are_fine():
    """Without tn the covariance is regular: what the refusal advises works."""
    assert 0 < hotelling_test(COUNTS[:, :3], OTHER[:, :3]).p_value < 1


def test_manova_notes_overlap(rng):
    tables = {"a": correlated(rng, 10, 2), "b": correlated(rng, 10, 2)}
    assert manova(tables).notes == ()
    assert "overlap" in manova(tables, resampling=bc.Resampling.kfold(10)).notes[0]


@pytest.mark.parametrize("exponent", [-1000, -664, 500, 1000])
def test_sizes_do_not_matter(rng, exponent):
    """Powers of two change no digit of F, also where squares would vanish or overflow; warnings are errors."""
    a, b = rng.normal(0.8, 0.1, (2, 9, 2))
    scale = 2.0**exponent
    for test in (hotelling_test, lambda x, y: manova({"a": x, "b": y})):
        big, small = test(scale * a, scale * b), test(a, b)
        assert (big.statistic, big.p_value) == (small.statistic, small.p_value)


def test_names_that_are_the_same_text(rng):
    frame = pd.DataFrame(rng.normal(size=(9, 2)), columns=[1, "1"])
    with pytest.raises(ScoresError, match="must have its own name"):
        hotelling_test(frame, frame + 1)
    with pytest.raises(ScoresError, match="must have its own name"):
        manova({1: rng.normal(size=(9, 2)), "1": rng.normal(size=(9, 2))})
