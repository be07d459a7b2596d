"""Analysis of variance and its post-hoc tests, against scipy, statsmodels, formulas and simulation."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.multicomp import MultiComparison

import bayescmp as bc
from bayescmp import DegenerateWarning, Resampling, Scores, ScoresError
from bayescmp.frequentist.anova import anova, contrast_test, fisher_lsd, tukey_hsd
from bayescmp.frequentist.pairwise import PairwiseTests
from bayescmp.frequentist.result import TestResult

LABOUR = bc.load_labour()
KINDS = ("repeated", "one-way")


def round_trip(result):
    return type(result).from_dict(json.loads(json.dumps(result.to_dict())))


def long(x):
    folds, models = np.indices(x.shape)
    return pd.DataFrame({"score": x.ravel(), "fold": folds.ravel(), "model": models.ravel()})


def folds_of(x, design, **options):
    models = {f"model {j + 1}": x[:, j] for j in range(x.shape[1])}
    return Scores.from_arrays(models, resampling=design, **({"higher_is_better": True} | options))


# ---- the F test


@pytest.mark.oracle("frequentist.anova", "scipy")
def test_one_way_against_scipy(rng):
    for n, k in ((2, 2), (10, 5), (7, 3), (30, 9)):
        x = rng.normal(0.8, 0.05, (n, k)) + rng.normal(0, 0.02, k)
        result, theirs = anova(x, kind="one-way"), stats.f_oneway(*x.T)
        assert (result.statistic, result.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-8)
        assert result.df == (k - 1, k * (n - 1))


@pytest.mark.oracle("frequentist.anova", "statsmodels")
def test_repeated_against_statsmodels(rng):
    for n, k in ((2, 3), (10, 5), (7, 3), (20, 2)):
        x = rng.normal(0.8, 0.05, (n, k)) + rng.normal(0, 0.1, (n, 1))
        row = AnovaRM(long(x), "score", "fold", within=["model"]).fit().anova_table.iloc[0]
        result = anova(x, kind="repeated")
        assert result.df == (row["Num DF"], row["Den DF"])
        assert (result.statistic, result.p_value) == pytest.approx((row["F Value"], row["Pr > F"]), rel=1e-8)


@pytest.mark.oracle("frequentist.anova", "scipy")
def test_repeated_of_two_models_is_the_paired_ttest(rng):
    x = rng.normal(0.8, 0.05, (15, 2))
    result, theirs = anova(x, kind="repeated"), stats.ttest_rel(*x.T)
    assert (result.statistic, result.p_value) == pytest.approx((theirs.statistic**2, theirs.pvalue), rel=1e-8)
    assert "greenhouse_geisser_p" not in result.details


@pytest.mark.oracle("frequentist.TestResult.table", "closed form")
@pytest.mark.parametrize("kind", KINDS)
def test_table(rng, kind):
    """Alpaydin's table 19.4: sums of squares and degrees of freedom add up to the total; SS_b = K sum (m_j - m)^2."""
    x = rng.normal(0.8, 0.05, (10, 5))
    result = anova(x, kind=kind)
    table = result.table().set_index("source")
    assert list(table.columns) == ["SS", "df", "MS", "F", "p"]
    assert list(table.index) == (
        ["models", "folds", "error", "total"] if kind == "repeated" else ["models", "error", "total"]
    )
    assert table.loc["total", "SS"] == pytest.approx(((x - x.mean()) ** 2).sum(), rel=1e-9)
    assert table.loc["total", "df"] == x.size - 1
    assert table.loc["models", "SS"] == pytest.approx(10 * ((x.mean(axis=0) - x.mean()) ** 2).sum(), rel=1e-9)
    assert table.loc["models", "F"] == result.statistic
    assert table.loc["models", "MS"] / table.loc["error", "MS"] == pytest.approx(result.statistic)
    explained = table.loc["models", "SS"] / (table.loc["models", "SS"] + table.loc["error", "SS"])
    assert result.effect_size.value == pytest.approx(explained)
    assert result.effect_size.name == ("partial eta^2" if kind == "repeated" else "eta^2")
    assert list(result.details["means"].values()) == pytest.approx(x.mean(axis=0))


@pytest.mark.oracle("frequentist.anova", "example: W25")
def test_w25_critical_value(rng):
    """Example W25: F with 4 and 45 df (5 models, 10 folds) is significant at .05 from 2.578739 on."""
    for shift in np.linspace(0, 0.05, 40):
        x = rng.normal(0.8, 0.05, (10, 5)) + shift * np.arange(5)
        result = anova(x, kind="one-way")
        assert result.df == (4, 45)
        assert (result.p_value < 0.05) == (result.statistic > 2.578739)


@pytest.mark.oracle("frequentist.anova", "closed form")
def test_greenhouse_geisser(rng):
    """epsilon = (sum l)^2/((k - 1) sum l^2), l the eigenvalues of the covariance of orthonormal contrasts."""
    x = rng.normal(size=(12, 4)) * [1, 1, 3, 9] + rng.normal(size=(12, 1))
    contrasts = np.linalg.svd(np.ones((1, 4)))[2][1:]
    values = np.linalg.eigvalsh(contrasts @ np.cov(x, rowvar=False) @ contrasts.T)
    epsilon = values.sum() ** 2 / (3 * (values**2).sum())
    result = anova(x, kind="repeated")
    assert result.details["greenhouse_geisser_epsilon"] == pytest.approx(epsilon, rel=1e-9)
    p = stats.f.sf(result.statistic, 3 * epsilon, 33 * epsilon)
    assert result.details["greenhouse_geisser_p"] == pytest.approx(p, rel=1e-9)
    assert p > 1 / 3 or p > result.p_value
    assert any("sphericity" in note for note in result.notes)


@pytest.mark.oracle("frequentist.anova", "scipy")
def test_unequal_variances_are_noted_and_change_nothing(rng):
    """Brown and Forsythe's test is scipy's Levene at the median; it is a note, never a switch."""
    x = rng.normal(size=(20, 3)) * [1, 1, 20]
    result = anova(x, kind="one-way")
    theirs = stats.levene(*x.T, center="median")
    found = result.details["brown_forsythe"]
    assert (found["F"], found["p"]) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-8)
    assert any("variances differ" in note for note in result.notes)
    assert result.p_value == pytest.approx(stats.f_oneway(*x.T).pvalue, rel=1e-8)


def test_direction_does_not_matter_to_f(rng):
    x = rng.normal(0.2, 0.05, (10, 3))
    up, down = anova(x, kind="repeated"), anova(x, kind="repeated", higher_is_better=False)
    assert (up.statistic, up.p_value) == (down.statistic, down.p_value)
    assert not down.higher_is_better


# ---- what the design says


def test_overlapping_training_sets_are_noted():
    """10 x 10 CV and two models: the 0.57 of the plain t-test, as F = t^2; the Labour data say 0.58 (rho = 6/56)."""
    x = LABOUR.values[:, 0].T
    two = anova(folds_of(x[:, :2], Resampling.kfold(10, repeats=10)), kind="repeated")
    critical = stats.t.ppf(0.975, 99) / math.sqrt(1 + 100 / 9)
    assert f"{2 * stats.t.sf(critical, 99):.2f}" == "0.57"
    assert "about 0.57" in two.notes[0]
    assert "rho = 0.107" in anova(LABOUR, kind="repeated").notes[0]
    assert not any("overlap" in note for note in anova(x, kind="repeated").notes)


@pytest.mark.oracle("frequentist.anova", "simulation")
def test_type_one_error_under_correlated_folds(rng):
    """F/(1 + n rho/(1 - rho)) is F-distributed under equal correlation of the folds: the note's rate by simulation."""
    n, k, rho, draws = 10, 3, 0.1, 3000
    x = rng.normal(size=(draws, 1, k)) * math.sqrt(rho) + rng.normal(size=(draws, n, k)) * math.sqrt(1 - rho)
    rejected = np.mean([anova(folds_of(t, Resampling.kfold(n)), kind="repeated").p_value < 0.05 for t in x[:600]])
    deviation = x - x.mean(axis=(1, 2), keepdims=True)
    models, folds = deviation.mean(axis=1, keepdims=True), deviation.mean(axis=2, keepdims=True)
    f = n * (models**2).sum(axis=(1, 2)) / 2 / (((deviation - models - folds) ** 2).sum(axis=(1, 2)) / 18)
    note = anova(folds_of(x[0], Resampling.kfold(n)), kind="repeated").notes[0]
    rate = float(note.split("about ")[1].split(" ")[0])
    assert (f > stats.f.ppf(0.95, 2, 18)).mean() == pytest.approx(rate, abs=4 * math.sqrt(rate / draws))
    assert rejected == pytest.approx(rate, abs=4 * math.sqrt(rate / 600))


def test_one_way_on_shared_folds_says_so():
    assert any('kind="repeated"' in note for note in anova(LABOUR, kind="one-way").notes)
    assert not any('kind="repeated"' in note for note in anova(LABOUR.values[:, 0].T, kind="one-way").notes)


# ---- nothing varies


@pytest.mark.parametrize("kind", KINDS)
def test_constant_differences_are_not_rounding_noise(kind):
    """0.1 + 0.2 is not 0.3 in the last bit: that is no variance, so F is infinite and not 1e31."""
    one = np.array([0.1, 0.2, 0.3, 0.7]) if kind == "repeated" else np.full(4, 0.1 + 0.2)
    other = one + 0.1 if kind == "repeated" else np.array([0.4, 0.4, 0.1 + 0.3, 0.7 - 0.3])
    with pytest.warns(DegenerateWarning, match="no variation"):
        result = anova({"a": one, "b": other}, kind=kind)
    assert (result.statistic, result.p_value, result.effect_size.value) == (math.inf, 0.0, 1.0)
    assert "means differ" in result.notes[-1]
    assert round_trip(result) == result


@pytest.mark.parametrize("kind", KINDS)
def test_identical_models(kind, rng):
    """Equal means: F = 0, p = 1; with no variance left at all that is a note and a warning."""
    fold = rng.normal(0.8, 0.05, 10) if kind == "repeated" else np.full(10, 0.8)
    with pytest.warns(DegenerateWarning, match="same mean"):
        result = anova({"a": fold, "b": fold.copy(), "c": fold.copy()}, kind=kind)
    assert (result.statistic, result.p_value, result.effect_size.value) == (0.0, 1.0, 0.0)
    assert round_trip(result) == result
    with pytest.warns(DegenerateWarning, match="same mean"):
        tests = tukey_hsd({"a": fold, "b": fold.copy()}, kind=kind)
    assert (tests.statistic, tests.p_value) == ((0.0,), (1.0,))


def test_shift_and_scale_change_nothing(rng):
    """Percent instead of shares, and an offset of a million standard deviations."""
    x = rng.normal(0.8, 0.05, (10, 4))
    for kind in KINDS:
        plain = anova(x, kind=kind)
        assert anova(100 * x, kind=kind).statistic == pytest.approx(plain.statistic, rel=1e-9)
        assert anova(x + 5e4, kind=kind).statistic == pytest.approx(plain.statistic, rel=1e-6)


# ---- all pairs


@pytest.mark.oracle("frequentist.tukey_hsd", "scipy", "statsmodels")
def test_tukey_against_scipy_and_statsmodels(rng):
    for n, k in ((5, 3), (10, 6)):
        x = rng.normal(0.8, 0.05, (n, k)) + 0.03 * np.arange(k)
        tests, theirs = tukey_hsd(x, kind="one-way"), stats.tukey_hsd(*x.T)
        interval = theirs.confidence_interval(0.95)
        for (a, b), p, estimate in zip(tests.pairs, tests.p_value, tests.estimate, strict=True):
            i, j = int(a[6:]) - 1, int(b[6:]) - 1
            assert p == pytest.approx(theirs.pvalue[i, j], abs=1e-8)
            assert estimate == pytest.approx(theirs.statistic[i, j])
            bounds = (estimate - tests.critical_difference, estimate + tests.critical_difference)
            assert bounds == pytest.approx((interval.low[i, j], interval.high[i, j]), abs=1e-8)
        frame = long(x)
        other = MultiComparison(frame["score"], frame["model"]).tukeyhsd()
        assert tests.p_value == pytest.approx(other.pvalues, abs=1e-6)


@pytest.mark.oracle("frequentist.tukey_hsd frequentist.fisher_lsd", "scipy")
def test_tukey_of_two_models_is_the_ttest(rng):
    """The studentized range of two means is sqrt(2) |t|: pooled t-test, and the paired one for repeated measures."""
    x = rng.normal(0.8, 0.05, (12, 2))
    for kind, theirs in (("one-way", stats.ttest_ind(*x.T)), ("repeated", stats.ttest_rel(*x.T))):
        tukey, lsd = tukey_hsd(x, kind=kind), fisher_lsd(x, kind=kind)
        assert tukey.p_value[0] == pytest.approx(theirs.pvalue, rel=1e-8)
        assert tukey.statistic[0] == pytest.approx(math.sqrt(2) * theirs.statistic, rel=1e-9)
        assert (lsd.statistic[0], lsd.p_value[0]) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
        low, high = theirs.confidence_interval(0.95)
        assert lsd.critical_difference == pytest.approx((high - low) / 2, rel=1e-9)


@pytest.mark.oracle("frequentist.fisher_lsd", "closed form", "scipy")
def test_lsd_is_the_least_significant_difference(rng):
    """t = (m_i - m_j)/(sqrt(2) s_w), s_w^2 = MS_w/K: the source calls it "least square difference", which it is not."""
    x = rng.normal(0.8, 0.05, (10, 4)) + 0.02 * np.arange(4)
    tests = fisher_lsd(x, kind="one-way")
    error = x.var(axis=0, ddof=1).mean()
    gaps = [x[:, i].mean() - x[:, j].mean() for i in range(4) for j in range(i + 1, 4)]
    t = np.array(gaps) / math.sqrt(2 * error / 10)
    assert tests.statistic == pytest.approx(t, rel=1e-9)
    assert tests.p_value == pytest.approx(2 * stats.t.sf(np.abs(t), 36), rel=1e-8)
    assert tests.df == 36
    assert [p < 0.05 for p in tests.p_value] == [abs(gap) > tests.critical_difference for gap in tests.estimate]
    assert all(p <= q for p, q in zip(tests.p_value, tukey_hsd(x, kind="one-way").p_value, strict=True))


def test_lsd_without_a_rejected_anova_is_noted(rng):
    x = rng.normal(size=(10, 3))
    assert anova(x, kind="one-way").p_value > 0.05
    assert any("does not reject" in note for note in fisher_lsd(x, kind="one-way").notes)
    assert fisher_lsd(x + 5 * np.arange(3), kind="one-way").notes == ()


def test_pairs_are_oriented(rng):
    """Errors: the model with fewer of them is better, so its differences are positive; swapping mirrors."""
    x = rng.normal([0.1, 0.3], 0.02, (10, 2))
    tests = tukey_hsd({"good": x[:, 0], "bad": x[:, 1]}, kind="repeated", higher_is_better=False)
    one, two = tests.result("good", "bad"), tests.result("bad", "good")
    assert one.estimate == pytest.approx(x[:, 1].mean() - x[:, 0].mean())
    assert (two.estimate, two.statistic, two.p_value) == (-one.estimate, -one.statistic, one.p_value)


def test_degenerate_pairs():
    """No error variance: equal means have p = 1, different ones p = 0."""
    with pytest.warns(DegenerateWarning, match="no variation"):
        tests = tukey_hsd({"a": [0.1, 0.2], "b": [0.2, 0.3], "c": [0.2, 0.3]}, kind="repeated")
    assert tests.p_value == (0.0, 0.0, 1.0)
    assert tests.statistic == (-math.inf, -math.inf, 0.0)
    assert round_trip(tests) == tests


@pytest.mark.oracle("frequentist.tukey_hsd", "simulation")
def test_tukey_keeps_the_family_wise_error(rng):
    """Six equal models, 20000 tables at once: some pair beyond the critical difference in 5 % of them."""
    x = rng.normal(size=(20_000, 4, 6))
    scale = np.sqrt(x.var(axis=1, ddof=1).mean(axis=1) / 4)
    tests = tukey_hsd(x[0], kind="one-way")
    critical_q = tests.critical_difference / scale[0]
    rejected = np.ptp(x.mean(axis=1), axis=1) / scale > critical_q
    assert (min(tests.p_value) < 0.05) == rejected[0]
    assert rejected.mean() == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / 20_000))


@pytest.mark.parametrize("kind", KINDS)
def test_results_survive_json_and_print(kind):
    result, tests = anova(LABOUR, kind=kind), tukey_hsd(LABOUR, kind=kind)
    assert isinstance(result, TestResult)
    assert isinstance(tests, PairwiseTests)
    for each in (result, tests, fisher_lsd(LABOUR, kind=kind)):
        assert round_trip(each) == each
        assert each.method in repr(each)
        assert "nan" not in repr(each)
    assert "F(2, " in result.sentence()


def test_any_table_will_do(rng):
    x = rng.normal(0.8, 0.05, (10, 3))
    mapping = {f"model {j + 1}": x[:, j] for j in range(3)}
    expected = anova(x, kind="repeated")
    for given in (mapping, pd.DataFrame(mapping), folds_of(x, Resampling.independent())):
        assert anova(given, kind="repeated") == expected


# ---- bad input

X = np.arange(12.0).reshape(4, 3) ** 2
UCI = bc.load_uci()
BAD = {
    "no kind": (lambda: anova(X), TypeError, "kind"),
    "unknown kind": (lambda: anova(X, kind="welch"), ValueError, '"repeated"', '"one-way"', "'welch'"),
    "one model": (lambda: anova(X[:, :1], kind="one-way"), ScoresError, "at least 2 models"),
    "one fold": (lambda: anova(X[:1], kind="one-way"), ScoresError, "at least 2 folds"),
    "nan": (lambda: anova(np.where(X == 4, np.nan, X), kind="one-way"), ScoresError, "NaN"),
    "lengths": (lambda: anova({"a": [1, 2, 3], "b": [1, 2]}, kind="repeated"), ScoresError, "same folds"),
    "vector": (lambda: anova([1, 2, 3], kind="repeated"), ScoresError, "2-D"),
    "empty": (lambda: anova([], kind="repeated"), ScoresError, "2-D"),
    "many datasets": (lambda: anova(UCI, kind="repeated"), ScoresError, "one dataset", "dataset="),
    "pair": (lambda: anova(LABOUR.pair("DT", "SVM"), kind="repeated"), ScoresError, "Pair"),
    "direction of scores": (lambda: anova(LABOUR, kind="repeated", higher_is_better=True), ScoresError, "direction"),
    "huge": (lambda: anova(X * 1e160, kind="repeated"), ScoresError, "unit"),
    "tiny": (lambda: anova(X * 1e-170, kind="one-way"), ScoresError, "unit"),
    "tukey kind": (lambda: tukey_hsd(X, kind="ranks"), ValueError, "'ranks'"),
    "tukey alpha": (lambda: tukey_hsd(X, kind="repeated", alpha=5), ValueError, "`alpha`", "5"),
    "lsd one model": (lambda: fisher_lsd(X[:, :1], kind="repeated"), ScoresError, "`fisher_lsd`"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    """The right error, and the words that say what is wrong."""
    call, error, *words = BAD[case]
    with pytest.raises(error) as caught:
        call()
    assert caught.type is error
    for word in words:
        assert word in str(caught.value)


RAGGED = {"a": [0.81, 0.84, 0.79], "b": [0.7, 0.75, 0.72, 0.78, 0.71], "c": [0.8, 0.77, 0.83, 0.79]}


@pytest.mark.oracle("frequentist.anova", "scipy")
def test_one_way_with_unequal_groups():
    """scipy's f_oneway and Brown-Forsythe (levene around the median); the sums of squares of the table add up."""
    result = anova(RAGGED, kind="one-way")
    theirs = stats.f_oneway(*RAGGED.values())
    assert (result.statistic, result.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
    assert (result.df, result.n) == ((2, 9), 12)
    spread = stats.levene(*RAGGED.values(), center="median")
    assert tuple(result.details["brown_forsythe"].values()) == pytest.approx(
        (spread.statistic, spread.pvalue), rel=1e-9
    )
    everything = np.concatenate(list(RAGGED.values()))
    table = result.table().set_index("source")
    assert table.loc["total", "SS"] == pytest.approx(((everything - everything.mean()) ** 2).sum())
    assert result.details["means"] == pytest.approx({m: np.mean(x) for m, x in RAGGED.items()})
    assert round_trip(result) == result


@pytest.mark.oracle("frequentist.tukey_hsd", "scipy")
def test_tukey_kramer_with_unequal_groups():
    """scipy's tukey_hsd is Tukey and Kramer's; its simultaneous intervals are estimate -+ critical difference."""
    tests, theirs = tukey_hsd(RAGGED, kind="one-way"), stats.tukey_hsd(*RAGGED.values())
    i, j = np.triu_indices(3, 1)
    assert tests.p_value == pytest.approx(theirs.pvalue[i, j], abs=1e-8)
    interval = theirs.confidence_interval(0.95)
    critical = np.array(tests.details["critical_differences"])
    assert np.array(tests.estimate) + critical == pytest.approx(interval.high[i, j], abs=1e-6)
    assert tests.critical_difference is None
    assert tests.n == (8, 7, 9)
    assert round_trip(tests) == tests


@pytest.mark.oracle("frequentist.fisher_lsd", "closed form", "scipy")
def test_fisher_lsd_with_unequal_groups():
    """The t-test with the pooled variance of all groups, by its formula."""
    tests = fisher_lsd(RAGGED, kind="one-way")
    groups = [np.array(x) for x in RAGGED.values()]
    pooled = sum(((x - x.mean()) ** 2).sum() for x in groups) / 9
    t = [
        (groups[i].mean() - groups[j].mean()) / math.sqrt(pooled * (1 / groups[i].size + 1 / groups[j].size))
        for i, j in zip(*np.triu_indices(3, 1), strict=True)
    ]
    assert tests.statistic == pytest.approx(t)
    assert tests.p_value == pytest.approx(2 * stats.t.sf(np.abs(t), 9))


def test_unequal_groups_elsewhere():
    with pytest.raises(ScoresError, match="same folds"):
        anova(RAGGED, kind="repeated")
    with pytest.raises(ScoresError, match='"b" has 1'):
        anova({"a": [1, 2, 3], "b": [2.0]}, kind="one-way")


@pytest.mark.parametrize("test", [anova, tukey_hsd, fisher_lsd])
def test_relative_scale_is_refused(test):
    scores = Scores.from_arrays(
        {m: np.linspace(0.7, 0.9, 5) ** (j + 1) for j, m in enumerate("abc")},
        resampling=Resampling.kfold(5),
        higher_is_better=True,
    )
    with pytest.raises(ScoresError, match=r'"relative".*transform\("log"\)'):
        test(scores.transform("relative"), kind="repeated")


# ---- planned contrasts


@pytest.mark.oracle("frequentist.contrast_test", "statsmodels")
@pytest.mark.parametrize("up", [True, False])
def test_contrast_is_that_of_the_linear_model(rng, up):
    """Blocks and models as factors in ordinary least squares: the t-test of the same weights, with its interval."""
    import statsmodels.api as sm

    x = rng.normal(0.8, 0.05, (9, 4)) + rng.normal(0, 0.1, (9, 1))
    weights = {"m0": 0.5, "m2": 0.5, "m3": -1.0}
    arrays = {f"m{i}": x[:, i] for i in range(4)}
    found = contrast_test(Scores.from_arrays(arrays, datasets=9, higher_is_better=up), weights)
    design = np.hstack([np.tile(np.eye(4), (9, 1)), np.repeat(np.eye(9)[:, 1:], 4, axis=0)])
    fit = sm.OLS(x.ravel(), design).fit()
    expected = fit.t_test(np.array([0.5, 0, 0.5, -1] + [0] * 8) * (1 if up else -1))
    assert found.estimate == pytest.approx(expected.effect.item())
    assert found.statistic == pytest.approx(expected.tvalue.item())
    assert found.p_value == pytest.approx(expected.pvalue.item())
    assert found.df == fit.df_resid == 24
    assert found.confidence_interval() == pytest.approx(expected.conf_int()[0])
    assert not any("folds" in note for note in found.notes)


def test_contrast_of_one_datasets_folds_and_bad_weights(rng):
    folds = {f"m{i}": rng.normal(0.8, 0.05, 10) for i in range(3)}
    scores = Scores.from_arrays(folds, resampling=Resampling.kfold(10), higher_is_better=True)
    found = contrast_test(scores, {"m0": 1, "m1": -1})
    assert found.statistic == pytest.approx(fisher_lsd(scores, kind="repeated").result("m0", "m1").statistic)
    assert any("overlap" in note for note in found.notes)
    for weights in ({"m0": 1}, {"m0": 0, "m1": 0}, {}, {"m0": 1e308, "m1": -1e308}):
        with pytest.raises(ValueError, match="sum to 0"):
            contrast_test(scores, weights)
    with pytest.raises(ValueError, match="mapping"):
        contrast_test(scores, [1, -1, 0])
    with pytest.raises(ScoresError, match="m9"):
        contrast_test(scores, {"m0": 1, "m9": -1})
