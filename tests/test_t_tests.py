"""t-tests of two models on one dataset, against scipy, statsmodels, mlxtend, the worked examples and simulation."""

import json

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import Resampling, frequentist
from bayescmp.frequentist.t_tests import type_one_error
from bayescmp.numerics.student import student_p, student_parameters

DT_SUMS = [10, 9, 14, 6, 7, 4, 5, 10, 8, 12]
SVM_SUMS = [4, 3, 4, 6, 2, 1, 1, 4, 5, 6]
DT, SVM = np.array(DT_SUMS) / 60, np.array(SVM_SUMS) / 60
TENFOLD = Resampling.kfold(10, repeats=10)


def correlated_folds(rng, studies, n, rho, mean=0.0):
    """Differences of `studies` experiments whose n folds are all correlated by rho."""
    shared = rng.normal(0, np.sqrt(rho), (studies, 1))
    return mean + shared + rng.normal(0, np.sqrt(1 - rho), (studies, n))


@pytest.mark.oracle("frequentist.paired_ttest frequentist.TestResult.confidence_interval", "example: W04")
def test_w04_paired_t_on_trial_means():
    """W04: recomputed from the exact row sums (the book's t = 5.862 is from rounded inputs)."""
    result = frequentist.paired_ttest(DT, SVM)
    assert result.statistic == pytest.approx(5.86127384, abs=1e-8)
    assert result.p_value == pytest.approx(0.000240360, abs=1e-9)
    assert frequentist.paired_ttest(DT, SVM, alternative="greater").p_value == pytest.approx(0.000120180, abs=1e-9)
    assert result.confidence_interval() == pytest.approx((0.0501474, 0.1131859), abs=1e-7)
    assert (result.df, result.n) == (9, 10)


@pytest.mark.oracle("frequentist.paired_ttest", "example: W05, W23, W25")
def test_w05_w23_w25_critical_values():
    """W05, W23, W25: a t at the tabulated critical value has the tabulated p."""
    for df, t, tail in (
        (9, 3.249836, 0.005),
        (9, 4.296806, 0.001),
        (9, 4.780913, 0.0005),
        (29, 2.045230, 0.025),
        (5, 2.570582, 0.025),
        (9, 1.833113, 0.05),
        (29, 1.699127, 0.05),
    ):
        assert float(student_p(np.array(t), np.array(1.0), df, "greater")[1]) == pytest.approx(tail, rel=1e-5)


@pytest.mark.oracle("frequentist.paired_ttest frequentist.corrected_ttest", "example: Part C")
def test_part_c_labour(labour):
    """Part C: plain and corrected t on 100 splits; with n_train and n_test swapped (as printed) it would be 0.2247."""
    plain, corrected = frequentist.paired_ttest(labour), frequentist.corrected_ttest(labour)
    assert plain.statistic == pytest.approx(6.458243, abs=1e-6)
    assert plain.p_value == pytest.approx(3.976e-9, rel=1e-3)
    assert corrected.statistic == pytest.approx(1.791194, abs=1e-6)
    assert corrected.p_value == pytest.approx(0.076318, abs=1e-6)
    assert corrected.df == 99
    as_cv = frequentist.corrected_ttest(labour, resampling=TENFOLD)
    assert as_cv.statistic == pytest.approx(1.855762, abs=1e-6)
    assert as_cv.p_value == pytest.approx(0.066462, abs=1e-6)
    assert abs(corrected.statistic) > 8 * 0.224712 * 0.99  # eight times the value of the misprinted formula


@pytest.mark.oracle(
    "frequentist.paired_ttest frequentist.welch_ttest frequentist.TestResult.confidence_interval",
    "scipy",
)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_paired_and_welch_agree_with_scipy(rng, alternative):
    for n in (2, 3, 10, 100):
        a, b = rng.normal(0.8, 0.1, n), rng.normal(0.78, 0.1, n)
        ours, theirs = (
            frequentist.paired_ttest(a, b, alternative=alternative),
            stats.ttest_rel(a, b, alternative=alternative),
        )
        assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-10)
        assert ours.confidence_interval(0.9) == pytest.approx(tuple(theirs.confidence_interval(0.9)), rel=1e-9)
        c = rng.normal(0.75, 0.3, n + 3)
        ours = frequentist.welch_ttest(a, c, alternative=alternative)
        theirs = stats.ttest_ind(a, c, equal_var=False, alternative=alternative)
        assert (ours.statistic, ours.p_value, ours.df) == pytest.approx(
            (theirs.statistic, theirs.pvalue, theirs.df), rel=1e-10
        )
        assert ours.confidence_interval() == pytest.approx(tuple(theirs.confidence_interval()), rel=1e-9)


def test_corrected_p_is_the_posterior_tail(labour):
    """Two schools, one number: the one-sided p-value is the tail of the correlated-t posterior, on 24 real datasets."""
    for pair in [labour, *bc.load_uci().pair("rf", "svm")]:
        posterior = bc.bayes.correlated_ttest(pair, rope=0)
        assert frequentist.corrected_ttest(pair, alternative="greater").p_value == pytest.approx(
            posterior.p_worse, rel=1e-12
        )
        assert frequentist.corrected_ttest(pair, alternative="less").p_value == pytest.approx(
            posterior.p_better, rel=1e-12
        )


def test_tost_p_is_the_larger_posterior_tail(labour):
    """The p-value of equivalence is P(mu < low) or P(mu > high) of the correlated-t posterior, whichever is larger."""
    for pair in [labour, *bc.load_uci().pair("tree", "tree_pruned")]:
        if np.ptp(pair.differences) == 0:
            continue
        for rope in (0.01, (-0.02, 0.005), 0.1):
            posterior = bc.bayes.correlated_ttest(pair, rope=rope)
            result = frequentist.tost_ttest(pair, rope=rope)
            assert result.p_value == pytest.approx(max(posterior.p_better, posterior.p_worse), rel=1e-12)
            low, high = result.confidence_interval()
            inside = posterior.rope.low < low and high < posterior.rope.high
            assert inside == (result.p_value < 0.05)  # duality at 1 - 2 alpha


@pytest.mark.oracle("frequentist.tost_ttest", "statsmodels")
def test_plain_tost_agrees_with_statsmodels(rng):
    from statsmodels.stats.weightstats import ttost_paired

    a, b = rng.normal(0.8, 0.02, 30), rng.normal(0.8, 0.02, 30)
    result = frequentist.tost_ttest(a, b, rope=(-0.01, 0.012), corrected=False)
    assert result.p_value == pytest.approx(ttost_paired(a, b, -0.01, 0.012)[0], rel=1e-9)
    assert result.confidence_level == pytest.approx(0.9)


@pytest.mark.oracle("frequentist.cv5x2_ttest frequentist.cv5x2_ftest", "mlxtend", "closed form")
def test_5x2_agrees_with_mlxtend_and_the_formula(rng):
    """mlxtend computes both statistics from fitted estimators; a stand-in gives it the scores that we want."""
    from mlxtend.evaluate import combined_ftest_5x2cv, paired_ttest_5x2cv

    scores = rng.normal([0.8, 0.77], 0.03, (10, 2))
    design = Resampling.kfold(2, repeats=5)
    t = frequentist.cv5x2_ttest(scores[:, 0], scores[:, 1], resampling=design)
    f = frequentist.cv5x2_ftest(scores[:, 0], scores[:, 1], resampling=design)

    class Stub:
        _estimator_type = "classifier"

        def __init__(self, column):
            self.column, self.calls = column, 0

        def fit(self, X, y):
            return self

        def score(self, X, y):
            self.calls += 1
            return scores[self.calls - 1, self.column]

    X, y = np.zeros((40, 1)), np.tile([0, 1], 20)
    for ours, theirs in ((t, paired_ttest_5x2cv), (f, combined_ftest_5x2cv)):
        one, two = Stub(0), Stub(1)
        statistic, p = theirs(one, two, X, y, scoring=lambda model, X, y: model.score(X, y), random_seed=1)
        assert ours.statistic == pytest.approx(statistic, rel=1e-9)
        assert ours.p_value == pytest.approx(p, rel=1e-6)
    p = (scores[:, 0] - scores[:, 1]).reshape(5, 2)
    s2 = ((p - p.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    assert f.statistic == pytest.approx((p**2).sum() / (2 * s2.sum()), rel=1e-12)
    assert t.statistic == pytest.approx(p[0, 0] / np.sqrt(s2.sum() / 5), rel=1e-12)
    assert f.p_value == pytest.approx(stats.f.sf(f.statistic, 10, 5), rel=1e-10)
    assert (t.n, f.n, t.estimate, f.estimate) == (10, 10, pytest.approx(p.mean()), pytest.approx(p.mean()))
    assert f.details["deviations"] == pytest.approx(np.sqrt(s2))


@pytest.mark.oracle("frequentist.rxk_cv_ttest", "scipy")
def test_bouckaerts_schemes_are_one_sample_t_tests_of_their_means(rng):
    """Each scheme is scipy's one-sample t-test of what it averages; calibrated df change scale and tail."""
    a, b = rng.normal(0.8, 0.05, 100), rng.normal(0.79, 0.05, 100)
    runs = (a - b).reshape(10, 10)
    values = {
        "all data": runs.ravel(),
        "folds averaged": runs.mean(axis=1),
        "runs averaged": runs.mean(axis=0),
        "sorted runs averaged": np.sort(runs, axis=1).mean(axis=0),
    }
    for scheme, x in values.items():
        ours, theirs = frequentist.rxk_cv_ttest(a, b, scheme=scheme, resampling=TENFOLD), stats.ttest_1samp(x, 0)
        assert (ours.statistic, ours.p_value, ours.df) == pytest.approx((theirs.statistic, theirs.pvalue, theirs.df))
    calibrated = frequentist.rxk_cv_ttest(a, b, df=10, resampling=TENFOLD)
    z = runs.mean() * np.sqrt(11) / runs.std(ddof=1)
    assert (calibrated.statistic, calibrated.p_value) == pytest.approx((z, 2 * stats.t.sf(abs(z), 10)))


@pytest.mark.oracle("frequentist.rxk_cv_ttest", "closed form")
def test_calibrated_df_are_whole_numbers_from_one(rng):
    """With 1 degree of freedom Student's t is Cauchy: p = 1 - 2 atan(|z|)/pi for z = mean sqrt(2)/s."""
    a, b = rng.normal(0.8, 0.05, (2, 20))
    design = Resampling.kfold(10, repeats=2)
    for df in (0, -1, True, 10.0, "10"):
        with pytest.raises(ValueError, match="whole number of at least 1"):
            frequentist.rxk_cv_ttest(a, b, df=df, resampling=design)
    one = frequentist.rxk_cv_ttest(a, b, df=np.int64(1), resampling=design)
    z = np.mean(a - b) * np.sqrt(2) / np.std(a - b, ddof=1)
    assert (one.statistic, one.p_value) == pytest.approx((z, 1 - 2 * np.arctan(abs(z)) / np.pi))
    assert one.details["s"] == pytest.approx(np.std(a - b, ddof=1))
    assert (one.details["runs"], one.details["folds"], one.n) == (2, 10, 20)
    assert one.confidence_interval(0.5) == pytest.approx(np.mean(a - b) * (1 + np.array([-1, 1]) / z))


def test_bouckaerts_notes_say_where_the_degrees_of_freedom_hold(rng):
    a, b = rng.normal(0.8, 0.05, (2, 100))
    notes = {
        (scheme, df, folds): " ".join(
            frequentist.rxk_cv_ttest(
                a, b, scheme=scheme, df=df, resampling=Resampling.kfold(folds, repeats=100 // folds)
            ).notes
        )
        for scheme in ("all data", "folds averaged")
        for df in (None, 10)
        for folds in (10, 20)
    }
    assert [key for key, note in notes.items() if "rejects too often" in note] == [
        ("all data", None, 10),
        ("all data", None, 20),
    ]
    assert [key for key, note in notes.items() if "only" in note] == [
        ("all data", 10, 20),
        ("folds averaged", 10, 10),
        ("folds averaged", 10, 20),
    ]
    with pytest.raises(bc.ResamplingError, match="at least 2 means of the runs, got 1"):
        frequentist.rxk_cv_ttest(a, b, scheme="folds averaged", resampling=Resampling.kfold(100))


def test_runs_and_folds_are_found_by_their_keys_not_by_the_order_of_rows(rng):
    """A shuffled long table gives the same runs: folds are sorted by repeat and fold."""
    frame = bc.load_uci().select(models=["rf", "svm"], datasets=["sonar"]).to_frame()
    direct, shuffled = (
        bc.Scores.from_frame(f, metric="accuracy").pair("rf", "svm")
        for f in (frame, frame.sample(frac=1, random_state=1))
    )
    for scheme in ("folds averaged", "runs averaged"):
        one, two = (frequentist.rxk_cv_ttest(pair, scheme=scheme) for pair in (direct, shuffled))
        assert one.statistic == two.statistic
        assert not np.isclose(one.statistic, frequentist.rxk_cv_ttest(direct, scheme="all data").statistic)


@pytest.mark.oracle("frequentist.paired_ttest frequentist.corrected_ttest", "simulation")
@pytest.mark.parametrize(("n", "rho", "expected"), [(100, 0.1, 0.57), (10, 0.1, 0.1555)])
def test_type_one_error_of_the_plain_test(n, rho, expected):
    """20,000 simulated studies with equally correlated folds: the plain t rejects as often as its note says, the
    corrected t at its level."""
    d = correlated_folds(np.random.default_rng(1), 20_000, n, rho)
    sure = type_one_error(n, rho)
    assert sure == pytest.approx(expected, abs=0.005)
    for r, rate in ((0.0, sure), (rho, 0.05)):
        p = student_p(*student_parameters(d, r, 0.0), "two-sided")[1]
        assert (p <= 0.05).mean() == pytest.approx(rate, abs=4 * np.sqrt(rate * (1 - rate) / len(d)))


@pytest.mark.oracle("frequentist.cv5x2_ftest", "simulation")
def test_5x2_f_keeps_its_level_when_runs_are_independent():
    """Under its own assumptions (ten independent normal differences) the F-test is exact; simulated."""
    d = np.random.default_rng(2).normal(0, 1, (20_000, 5, 2))
    s2 = np.diff(d, axis=2)[..., 0] ** 2 / 2
    p = stats.f.sf((d**2).sum(axis=(1, 2)) / (2 * s2.sum(axis=1)), 10, 5)
    rate = (p <= 0.05).mean()
    # numerator and denominator share the runs, so that the level is approximate: Alpaydin reports it below 0.05
    assert 0.01 < rate < 0.055
    first = frequentist.cv5x2_ftest(d[0].ravel(), np.zeros(10), resampling=Resampling.kfold(2, repeats=5))
    assert first.p_value == pytest.approx(p[0])


def test_constant_differences_are_exact_not_rounding_noise():
    """scipy says t = 1e16 or p = 3e-48 from the last bits; here the difference is constant and says so."""
    a = np.linspace(0.7, 0.9, 10)
    for test, options in (
        (frequentist.paired_ttest, {}),
        (frequentist.corrected_ttest, {"resampling": Resampling.kfold(10)}),
        (frequentist.rxk_cv_ttest, {"resampling": Resampling.kfold(5, repeats=2)}),
        (frequentist.cv5x2_ttest, {"resampling": Resampling.kfold(2, repeats=5)}),
        (frequentist.cv5x2_ftest, {"resampling": Resampling.kfold(2, repeats=5)}),
    ):
        with pytest.warns(bc.DegenerateWarning, match="no variation"):
            result = test(a + 0.1, a, **options)
        assert (result.statistic, result.p_value) == (np.inf, 0.0)
        assert any("equal" in note for note in result.notes)
        with pytest.warns(bc.DegenerateWarning):
            same = test(a, a, **options)
        assert (same.statistic, same.p_value) == (0.0, 1.0)
        check_round_trip(result)
    with pytest.warns(bc.DegenerateWarning):
        assert frequentist.tost_ttest(a + 0.01, a, rope=0.01, corrected=False).p_value == 0.0
    with pytest.warns(bc.DegenerateWarning):
        assert frequentist.tost_ttest(a + 0.02, a, rope=0.01, corrected=False).p_value == 1.0
    with pytest.warns(bc.DegenerateWarning):
        assert frequentist.welch_ttest([1, 1, 1], [2, 2]).p_value == 0.0


def check_round_trip(result):
    assert type(result).from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False))) == result


def test_notes_say_what_does_not_hold(labour):
    notes = frequentist.paired_ttest(labour).notes
    assert "rho = 0.107" in notes[0]
    assert "0.58" in notes[0]
    assert "6 test cases" in notes[1]
    assert "unequal variances" in notes[2]
    assert "10 scores are treated as independent" in frequentist.paired_ttest(DT, DT[::-1]).notes[0]
    assert "treated as independent" in frequentist.mean_interval(DT).method
    assert "treated as independent" in frequentist.difference_interval(DT, DT[::-1], corrected=False).method
    assert "rho = 0.100" in frequentist.mean_interval(DT, resampling=Resampling.kfold(10)).method
    for n_test in (29, 30):
        few = frequentist.corrected_ttest(DT, DT[::-1], resampling=Resampling.subsampling(100, n_test, 10)).notes
        assert any("test cases per fold" in note for note in few) == (n_test < 30)
    scores = np.random.default_rng(4).random((2, 100))
    ten = frequentist.paired_ttest(*scores, resampling=TENFOLD)
    assert "0.57" in ten.notes[0]
    assert not frequentist.paired_ttest(*scores, resampling=Resampling.independent()).notes


def test_swap_and_direction_mirror(labour):
    for test in (frequentist.paired_ttest, frequentist.corrected_ttest):
        one, two = test(labour), test(labour.swap())
        assert one.statistic == pytest.approx(-two.statistic, rel=1e-12)
        assert one.p_value == pytest.approx(two.p_value, rel=1e-12)
        assert one.effect_size.interval == pytest.approx(tuple(-x for x in two.effect_size.interval[::-1]), abs=1e-9)
    errors = frequentist.paired_ttest(DT, SVM, higher_is_better=False)
    assert errors.statistic == pytest.approx(-frequentist.paired_ttest(DT, SVM).statistic)


def test_results_survive_json_and_print_what_changed_the_number(labour):
    for result in (
        frequentist.paired_ttest(labour),
        frequentist.corrected_ttest(labour),
        frequentist.tost_ttest(labour, rope=0.01),
        frequentist.welch_ttest(DT, SVM),
        frequentist.cv5x2_ftest(DT, SVM, resampling=Resampling.kfold(2, repeats=5)),
    ):
        check_round_trip(result)
        assert result.method in repr(result)
        assert "p = " in result.sentence() or "p < " in result.sentence()
        assert max(map(len, repr(result).splitlines())) < 170
    assert frequentist.corrected_ttest(labour).sentence() == (
        "SVM vs DT: corrected resampled t-test, n_test/n_train = 0.12, t(99) = 1.791, p = .076, d_z = .65, 95% CI "
        "[-.07, 1.36]; mean difference 0.082, 95% CI [-0.009, 0.172]."
    )


def test_frame_sits_beside_the_posteriors(labour):
    import pandas as pd

    posterior = bc.bayes.correlated_ttest(labour, rope=0.01)
    frames = [frequentist.corrected_ttest(labour).to_frame(), posterior.to_frame()]
    together = pd.concat([f.dropna(axis=1, how="all") for f in frames], ignore_index=True)
    assert not together[["a", "b", "metric", "dataset", "n", "method"]].isna().any(axis=None)
    assert frames[0].loc[0, "estimate"] == pytest.approx(frames[1].loc[0, "mean"], abs=1e-15)
    assert frames[0].loc[0, ["ci_low", "ci_high"]].tolist() == pytest.approx(posterior.hdi())  # the same Student t


def test_note_on_unequal_variances_is_pitman_and_morgans_test(rng):
    """scipy's correlation of sums and differences, at 0.01 on either side of it."""
    noted, expected = [], []
    for ratio in np.linspace(1, 15, 60):
        x, y = rng.normal(0, 1, 5), rng.normal(0, ratio, 5)
        notes = [note for note in frequentist.paired_ttest(x, y).notes if "unequal variances" in note]
        noted.append(len(notes) == 1)
        assert not notes or f"vary {np.std(x) / np.std(y):.2g} times as much" in notes[0]
        expected.append(stats.pearsonr(x + y, x - y).pvalue < 0.01)
    assert noted == expected
    two = frequentist.paired_ttest([0.0, 9.0], [1.0, 1.1], resampling=Resampling.independent())
    assert not two.notes, "two scores cannot tell"
    assert 10 < sum(expected) < 50
