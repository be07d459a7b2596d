"""Right and wrong, case by case, against scipy, statsmodels, mlxtend, enumeration and worked numbers."""

import json
import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from mlxtend.evaluate import cochrans_q, mcnemar_table
from scipy import stats
from statsmodels.stats import contingency_tables as sm
from statsmodels.stats import proportion as smp

import bayescmp as bc
from bayescmp import DegenerateWarning, ScoresError
from bayescmp.frequentist.contingency import cochran_q_test, mcnemar_test, per_instance_ttest
from bayescmp.frequentist.proportions import (
    binomial_test,
    hoeffding_half_width,
    hoeffding_sample_size,
    proportion_difference_interval,
    proportion_interval,
)
from bayescmp.frequentist.result import TestResult

ALTERNATIVES = ("two-sided", "greater", "less")
MIRROR = {"two-sided": "two-sided", "greater": "less", "less": "greater"}


def of_counts(only_a, only_b, both_right=50, both_wrong=10, **options):
    table = [[both_right, only_a], [only_b, both_wrong]]
    return mcnemar_test(table=table, orientation="both right first", **options)


def vectors(only_a, only_b, both_right=50, both_wrong=10):
    a = np.repeat([1, 1, 0, 0], [both_right, only_a, only_b, both_wrong])
    b = np.repeat([1, 0, 1, 0], [both_right, only_a, only_b, both_wrong])
    return a, b


def round_trip(result):
    return TestResult.from_dict(json.loads(json.dumps(result.to_dict())))


# ---- McNemar


@pytest.mark.oracle("frequentist.mcnemar_test", "statsmodels")
def test_mcnemar_against_statsmodels(rng):
    """Exact and chi-square, corrected and not, on random tables."""
    for _ in range(60):
        both_right, only_a, only_b, both_wrong = (int(x) for x in rng.integers(0, 60, 4))
        if abs(only_a - only_b) < 1:
            continue
        table = [[both_right, only_a], [only_b, both_wrong]]
        exact = of_counts(only_a, only_b, both_right, both_wrong, exact=True)
        assert exact.p_value == pytest.approx(sm.mcnemar(table, exact=True).pvalue, rel=1e-9)
        for correction in (True, False):
            ours = of_counts(only_a, only_b, both_right, both_wrong, exact=False, correction=correction)
            theirs = sm.mcnemar(table, exact=False, correction=correction)
            assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
            assert ours.df == 1


@pytest.mark.oracle("frequentist.mcnemar_test", "scipy")
def test_mcnemar_one_sided_against_scipy(rng):
    """Only A right ~ Binomial(discordant, 1/2): scipy's one-sided tests."""
    for only_a, only_b in rng.integers(0, 20, (40, 2)):
        n = int(only_a + only_b)
        if not n:
            continue
        for alternative in ALTERNATIVES:
            p = of_counts(int(only_a), int(only_b), exact=True, alternative=alternative).p_value
            assert p == pytest.approx(stats.binomtest(int(only_a), n, alternative=alternative).pvalue, rel=1e-9)


@pytest.mark.oracle("frequentist.mcnemar_test", "brute force")
def test_mid_p_counts_the_observed_table_half():
    """By enumeration of the binomial, one- and two-sided (twice the smaller one-sided mid-p)."""
    for n, x in ((1, 0), (7, 2), (10, 5), (24, 6)):
        pmf = stats.binom.pmf(np.arange(n + 1), n, 0.5)
        above, below = pmf[x + 1 :].sum() + pmf[x] / 2, pmf[:x].sum() + pmf[x] / 2
        found = [of_counts(x, n - x, mid_p=True, alternative=a).p_value for a in ALTERNATIVES]
        assert found == pytest.approx([2 * min(above, below), above, below], rel=1e-12)


def test_equal_counts_are_no_evidence():
    """With b = c the correction must stop at 0: statsmodels prints chi2 = 1/(b + c) and p < 1 there, which is wrong."""
    result = of_counts(20, 20)
    assert (result.statistic, result.p_value) == (0.0, 1.0)
    assert sm.mcnemar([[0, 20], [20, 0]], exact=False).pvalue < 1


def test_exact_below_25_discordant_pairs():
    """None takes the binomial below 25, the corrected chi-square from there on, and says so."""
    few, many = of_counts(14, 10), of_counts(15, 10)
    assert few.p_value == of_counts(14, 10, exact=True).p_value
    assert "24 discordant" in few.notes[0]
    assert many.p_value == of_counts(15, 10, exact=False).p_value
    assert many.statistic == pytest.approx((5 - 1) ** 2 / 25)
    assert many.notes == ()
    assert "too few for the chi-square" in of_counts(14, 10, exact=False).notes[0]


@pytest.mark.oracle("frequentist.mcnemar_test", "example: W24, W25")
def test_w24_w25_critical_value():
    """Examples W24 and W25: chi2 with 1 df is significant at .05 from 3.841459 on."""
    for only_a, only_b in product(range(30, 60, 3), repeat=2):
        result = of_counts(only_a, only_b, correction=False)
        assert (result.p_value < 0.05) == (result.statistic > 3.841459)


@pytest.mark.oracle("frequentist.mcnemar_test", "example: W29")
def test_w29_exercise():
    """Example W29: chi2 = 7.1 gives p = 0.007708, below .01 (critical value 6.634897)."""
    corrected, plain = of_counts(391, 319), of_counts(1491, 1349, correction=False)
    for result in (corrected, plain):
        assert result.statistic == pytest.approx(7.1, abs=1e-12)
        assert result.p_value == pytest.approx(0.007708, abs=5e-7)


@pytest.mark.oracle("frequentist.mcnemar_test", "brute force")
@pytest.mark.parametrize("n", [1, 2, 5, 8, 13, 24])
def test_exact_mcnemar_never_exceeds_alpha(n):
    """Enumerate the binomial: P(p <= alpha) <= alpha at every attainable level, for all alternatives."""
    weight = stats.binom.pmf(np.arange(n + 1), n, 0.5)
    for alternative in ALTERNATIVES:
        p = np.array([of_counts(x, n - x, alternative=alternative).p_value for x in range(n + 1)])
        for alpha in p:
            assert weight[p <= alpha + 1e-12].sum() <= alpha + 1e-12


@pytest.mark.oracle("frequentist.mcnemar_test", "mlxtend")
def test_orientation_of_the_table(rng):
    """The textbooks' table (both wrong first) is mlxtend's (both right first) turned by 180 degrees."""
    truth, one, two = rng.integers(0, 2, (3, 200))
    theirs = mcnemar_table(y_target=truth, y_model1=one, y_model2=two)
    expected = mcnemar_test(one, two, truth=truth)
    assert mcnemar_test(table=theirs, orientation="both right first") == expected
    assert mcnemar_test(table=theirs[::-1, ::-1], orientation="both wrong first") == expected
    assert mcnemar_test(one == truth, two == truth) == expected
    accuracy = [(one == truth).mean(), (two == truth).mean()]
    assert list(expected.details["accuracy"].values()) == pytest.approx(accuracy)
    assert expected.estimate == pytest.approx(accuracy[0] - accuracy[1])


def test_labels_may_be_text(rng):
    truth, one, two = rng.choice(["cat", "dog", "bird"], (3, 50))
    codes = {"cat": 0, "dog": 1, "bird": 2}
    numbers = [[codes[x] for x in v] for v in (one, two, truth)]
    as_text = mcnemar_test(one, two, truth=truth)
    assert as_text == mcnemar_test(numbers[0], numbers[1], truth=numbers[2])
    assert as_text == mcnemar_test(pd.Series(one), pd.Series(two), truth=list(truth))


def test_pair_of_zero_one_scores():
    """A pair of 0/1 losses is a pair of correctness vectors the other way round, and brings the names along."""
    a, b = vectors(9, 2)
    loss = bc.Scores.from_arrays(
        {"rf": 1 - a, "svm": 1 - b}, resampling=bc.Resampling.independent(), higher_is_better=False
    )
    result = mcnemar_test(loss.pair("rf", "svm"))
    assert (result.models, result.statistic, result.details["only_b"]) == (("rf", "svm"), 9, 2)


@pytest.mark.oracle("frequentist.mcnemar_test", "closed form")
def test_bonett_price_interval():
    """The adjusted Wald interval by its formula; at any level, one-sided where the test is."""
    only_a, only_b, cases = 12, 5, 77
    p, q = (only_a + 1) / (cases + 2), (only_b + 1) / (cases + 2)
    scale = math.sqrt((p + q - (p - q) ** 2) / (cases + 2))
    result = of_counts(only_a, only_b)
    assert result.details["cases"] == cases
    for level in (0.8, 0.95):
        assert result.confidence_interval(level) == pytest.approx(stats.norm.interval(level, p - q, scale), rel=1e-12)
    low, high = of_counts(only_a, only_b, alternative="greater").confidence_interval(0.95)
    assert (low, high) == (pytest.approx(p - q + stats.norm.ppf(0.05) * scale), 1)


@pytest.mark.oracle("frequentist.mcnemar_test", "brute force")
def test_bonett_price_coverage():
    """Enumerate all tables of 15 cases: the interval covers close to 95 %, also where discordant pairs are rare."""
    n = 15
    for p10, p01 in ((0.05, 0.05), (0.3, 0.1), (0.1, 0.02), (0.4, 0.4)):
        covered = 0.0
        for a in range(n + 1):
            for b in range(n + 1 - a):
                low, high = of_counts(a, b, n - a - b, 0).confidence_interval()
                if low <= p10 - p01 <= high:
                    covered += stats.multinomial.pmf([a, b, n - a - b], n, [p10, p01, 1 - p10 - p01])
        assert covered > 0.93


@pytest.mark.oracle("frequentist.mcnemar_test", "scipy")
def test_cohens_g_and_odds_ratio():
    """g is the share of A's wins minus 1/2 with Clopper and Pearson's interval: it excludes 0 iff exact p < .05."""
    for only_a, n in product(range(13), (12,)):
        result = of_counts(only_a, n - only_a)
        effect = result.effect_size
        assert effect.value == pytest.approx(only_a / n - 0.5)
        theirs = stats.binomtest(only_a, n).proportion_ci(0.95, "exact")
        assert effect.interval == pytest.approx((theirs.low - 0.5, theirs.high - 0.5), abs=1e-10)
        assert (not effect.interval[0] <= 0 <= effect.interval[1]) == (result.p_value < 0.05)
        assert result.details["odds_ratio"] == (only_a / (n - only_a) if only_a < n else math.inf)
    words = [of_counts(500 + k, 500 - k).effect_size.label() for k in (49, 51, 149, 151, 249, 251)]
    assert words == ["negligible", "small", "small", "medium", "medium", "large"], "Cohen (1988): 0.05, 0.15, 0.25"


def test_no_discordant_pairs():
    """Identical models: p = 1 with a note, not NaN, by every road."""
    for options in ({}, {"exact": False}, {"mid_p": True}, {"exact": False, "alternative": "less"}):
        result = of_counts(0, 0, **options)
        assert (result.p_value, result.estimate, result.n, result.effect_size) == (1.0, 0.0, 0, None)
        assert "no discordant pairs" in result.notes[0]
        assert round_trip(result) == result
        if options.get("exact") is False:
            assert (result.statistic, result.statistic_name) == (0, "z" if "alternative" in options else "chi2")


@pytest.mark.parametrize("options", [{}, {"mid_p": True}, {"exact": False}, {"exact": False, "correction": False}])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_swap_mirrors(options, alternative):
    """B against A: same p against the mirrored alternative, estimate, interval and effect with the other sign."""
    one = of_counts(17, 9, alternative=alternative, **options)
    two = of_counts(9, 17, alternative=MIRROR[alternative], **options)
    assert two.p_value == pytest.approx(one.p_value, rel=1e-12)
    assert two.estimate == -one.estimate
    assert two.effect_size.value == pytest.approx(-one.effect_size.value)
    low, high = one.confidence_interval()
    assert two.confidence_interval() == pytest.approx((-high, -low))


def test_results_survive_json_and_print(rng):
    a, b = vectors(9, 2)
    c = rng.integers(0, 2, a.size)
    for result in (
        mcnemar_test(a, b),
        of_counts(30, 0),
        cochran_q_test({"rf": a, "svm": b, "nb": c}),
        binomial_test(0, 20, p0=0.3),
        per_instance_ttest(a, b),
    ):
        assert round_trip(result) == result
        assert result.method in repr(result)
        assert "nan" not in result.sentence() + repr(result)
        assert len(result.to_frame()) == 1


def test_sentence():
    assert (
        of_counts(9, 1)
        .sentence()
        .startswith("A vs B: McNemar test, exact binomial, only A right = 9, n = 10, p = .021, Cohen's g = .40")
    )


# ---- Cochran's Q


@pytest.mark.oracle("frequentist.cochran_q_test", "statsmodels", "mlxtend")
def test_cochran_against_statsmodels_and_mlxtend(rng):
    for _ in range(20):
        models = int(rng.integers(3, 7))
        right = (rng.random((60, models)) < rng.uniform(0.3, 0.9, models)).astype(int)
        ours = cochran_q_test(right)
        theirs = sm.cochrans_q(right)
        assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
        truth = np.ones(60, dtype=int)
        q, p = cochrans_q(truth, *right.T)
        assert (ours.statistic, ours.p_value) == pytest.approx((q, p), rel=1e-9)
        assert ours.df == models - 1
        assert list(ours.details["right"].values()) == right.sum(axis=0).tolist()


def test_cochran_of_two_is_uncorrected_mcnemar(rng):
    """G_i are the models' numbers of right answers; the source calls them cases that i models got right: wrong."""
    right = rng.integers(0, 2, (80, 2))
    q, m = cochran_q_test(right), mcnemar_test(*right.T, exact=False, correction=False)
    assert (q.statistic, q.p_value, q.n) == pytest.approx((m.statistic, m.p_value, m.n), rel=1e-12)


def test_cochran_takes_any_table(rng):
    right = rng.integers(0, 2, (40, 3))
    mapping = {f"model {j + 1}": right[:, j] for j in range(3)}
    scores = bc.Scores.from_arrays(mapping, resampling=bc.Resampling.independent(), higher_is_better=True)
    expected = cochran_q_test(right)
    for given in (mapping, pd.DataFrame(mapping), pd.DataFrame(mapping).astype(bool), right.astype(bool), scores):
        assert cochran_q_test(given) == expected
    loss = bc.Scores.from_arrays({m: 1 - x for m, x in mapping.items()}, resampling=bc.Resampling.independent(),
                                 higher_is_better=False)  # fmt: skip
    assert cochran_q_test(loss).details == expected.details


def test_cochran_without_disagreement():
    """All rows constant: p = 1 with a note, not 0/0."""
    result = cochran_q_test(np.repeat([[1], [0], [1]], 3, axis=1))
    assert (result.statistic, result.p_value, result.n) == (0.0, 1.0, 0)
    assert "nothing tells them apart" in result.notes[0]
    assert round_trip(result) == result


def test_cochran_effect_size_and_small_samples():
    """eta^2_Q is 1 where one model is always right and the other never; few cases are noted."""
    result = cochran_q_test([[1, 0]] * 6)
    assert result.effect_size.value == pytest.approx(1)
    assert "few for a chi-square" in result.notes[0]
    assert cochran_q_test([[1, 0]] * 12).notes == ()


# ---- per-instance t-test


@pytest.mark.oracle("frequentist.per_instance_ttest", "scipy")
def test_per_instance_ttest_against_scipy(rng):
    for _ in range(20):
        a, b = rng.integers(0, 2, (2, 50))
        for alternative in ALTERNATIVES:
            ours, theirs = (
                per_instance_ttest(a, b, alternative=alternative),
                stats.ttest_rel(a, b, alternative=alternative),
            )
            assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
            interval = theirs.confidence_interval(0.9)
            assert ours.confidence_interval(0.9) == pytest.approx((interval.low, interval.high), rel=1e-9)


@pytest.mark.oracle("frequentist.per_instance_ttest", "closed form")
def test_per_instance_ttest_is_mcnemar_for_large_samples():
    """t^2 = chi2 (m - 1)/(m - chi2) with the uncorrected chi2: the two agree as the test set grows."""
    a, b = vectors(60, 30, 500, 100)
    t, chi2 = per_instance_ttest(a, b).statistic, mcnemar_test(a, b, exact=False, correction=False).statistic
    assert t**2 == pytest.approx(chi2 * (a.size - 1) / (a.size - chi2), rel=1e-12)


def test_per_instance_ttest_degenerate():
    for a, b, t, p in (([1, 0, 1], [1, 0, 1], 0.0, 1.0), ([1, 1, 1], [0, 0, 0], math.inf, 0.0)):
        with pytest.warns(DegenerateWarning, match="no variation"):
            result = per_instance_ttest(a, b)
        assert (result.statistic, result.p_value) == (t, p)
        assert round_trip(result) == result
    # mean 1/2 and standard error 1/2 with 1 degree of freedom: Cauchy's tails at 1
    assert per_instance_ttest([1, 1], [0, 1]).p_value == pytest.approx(0.5)
    with pytest.raises(ScoresError, match="at least 2 test cases"):
        per_instance_ttest([1], [0])


# ---- one error rate


@pytest.mark.oracle("frequentist.binomial_test", "scipy")
def test_binomial_against_scipy(rng):
    for _ in range(60):
        n = int(rng.integers(1, 80))
        x, p0 = int(rng.integers(0, n + 1)), float(rng.choice([0.05, 0.1, 0.3, 0.5, 0.77]))
        for alternative in ALTERNATIVES:
            ours, theirs = (
                binomial_test(x, n, p0=p0, alternative=alternative),
                stats.binomtest(x, n, p0, alternative=alternative),
            )
            assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
            for level in (0.9, 0.99):
                interval = theirs.proportion_ci(level, "exact")
                assert ours.confidence_interval(level) == pytest.approx((interval.low, interval.high), abs=1e-9)


@pytest.mark.oracle("frequentist.binomial_test", "brute force")
def test_two_sided_binomial_by_enumeration():
    """The sum of all counts that are no more probable than the observed one, also for large n."""
    for n, p0 in ((1, 0.5), (12, 0.25), (40, 0.3), (5000, 0.011)):
        pmf = stats.binom.pmf(np.arange(n + 1), n, p0)
        for x in sorted({0, n // 100, n // 3, n // 2, n}):
            p = binomial_test(x, n, p0=p0).p_value
            assert p == pytest.approx(min(1.0, pmf[pmf <= pmf[x] * (1 + 1e-7)].sum()), rel=1e-9, abs=1e-300)


@pytest.mark.oracle("frequentist.binomial_test", "brute force")
@pytest.mark.parametrize(("n", "p0"), [(1, 0.3), (9, 0.5), (20, 0.1), (33, 0.77)])
def test_binomial_never_exceeds_alpha_and_matches_its_interval(n, p0):
    """Level by enumeration; the one-sided Clopper-Pearson bound excludes p0 exactly where the test rejects."""
    pmf = stats.binom.pmf(np.arange(n + 1), n, p0)
    for alternative in ALTERNATIVES:
        results = [binomial_test(x, n, p0=p0, alternative=alternative) for x in range(n + 1)]
        p = np.array([r.p_value for r in results])
        for alpha in p:
            assert pmf[p <= alpha * (1 + 1e-9)].sum() <= alpha * (1 + 1e-9)
        if alternative != "two-sided":
            for r in results:
                low, high = r.confidence_interval(0.95)
                assert (not low <= p0 <= high) == (r.p_value < 0.05)


@pytest.mark.oracle("frequentist.binomial_test", "statsmodels", "scipy")
def test_cohens_h():
    result = binomial_test(12, 40, p0=0.5)
    assert result.effect_size.value == pytest.approx(smp.proportion_effectsize(0.3, 0.5), rel=1e-12)
    low, high = stats.binomtest(12, 40).proportion_ci(0.95, "exact")
    assert result.effect_size.interval == pytest.approx(
        (smp.proportion_effectsize(low, 0.5), smp.proportion_effectsize(high, 0.5)), rel=1e-9
    )


@pytest.mark.oracle("frequentist.proportion_interval", "example: W36")
def test_w36_twelve_errors_of_forty():
    """Example W36: Wald (the slides round z to 1.96, hence its tolerance), Clopper-Pearson and Wilson, 95 %."""
    expected = {
        "wald": (0.157985, 0.442015, 3e-6),
        "clopper_pearson": (0.165627, 0.465316, 5e-7),
        "wilson": (0.180748, 0.454300, 5e-7),
    }
    for method, (low, high, tolerance) in expected.items():
        found = proportion_interval(12, 40, method=method)
        assert tuple(found) == pytest.approx((low, high), abs=tolerance)
        assert (found.estimate, found.n) == (0.3, 40)


@pytest.mark.oracle("frequentist.proportion_interval", "example: W37, W25")
@pytest.mark.parametrize(
    ("level", "z"),
    [
        (0.5, 0.674490),
        (0.68, 0.994458),
        (0.8, 1.281552),
        (0.9, 1.644854),
        (0.95, 1.959964),
        (0.98, 2.326348),
        (0.99, 2.575829),
    ],
)
def test_w37_normal_quantiles(level, z):
    """Examples W37 and W25: the half-width is z standard errors. The slide prints 2.53 for 99 %; it is 2.58."""
    low, high = proportion_interval(400, 1000, method="wald", confidence_level=level)
    assert (high - low) / 2 / math.sqrt(0.4 * 0.6 / 1000) == pytest.approx(z, abs=5e-7)


@pytest.mark.oracle(
    "frequentist.hoeffding_half_width frequentist.hoeffding_sample_size frequentist.proportion_interval",
    "example: W34",
)
def test_w34_hoeffding():
    """Example W34: 1000 cases give 0.0429; 0.01 needs more than 18444.397 cases, so 18445."""
    assert hoeffding_half_width(1000) == pytest.approx(0.0429469, abs=5e-8)
    low, high = proportion_interval(300, 1000, method="hoeffding")
    assert (high - low) / 2 == pytest.approx(0.0429469, abs=5e-8)
    assert hoeffding_sample_size(0.01) == 18445
    assert hoeffding_half_width(18445) <= 0.01 < hoeffding_half_width(18444)


@pytest.mark.oracle("frequentist.proportion_interval", "statsmodels")
def test_proportion_intervals_against_statsmodels():
    theirs = {"wald": "normal", "wilson": "wilson", "clopper_pearson": "beta"}
    for x, n in ((0, 10), (1, 10), (5, 17), (17, 17), (300, 1000)):
        for level in (0.8, 0.95, 0.999):
            for method, name in theirs.items():
                found = proportion_interval(x, n, method=method, confidence_level=level)
                expected = smp.proportion_confint(x, n, alpha=1 - level, method=name)
                assert tuple(found) == pytest.approx(expected, abs=1e-9)
                assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_wald_says_when_it_is_not_to_be_trusted():
    """n e (1 - e) >= 5 (W36: 8.4 for 12 of 40)."""
    assert "too few" not in proportion_interval(12, 40, method="wald").method
    assert "< 5" in proportion_interval(1, 40, method="wald").method


@pytest.mark.oracle("frequentist.proportion_difference_interval", "statsmodels")
def test_difference_intervals_against_statsmodels(rng):
    for _ in range(40):
        n_a, n_b = (int(x) for x in rng.integers(1, 60, 2))
        x_a, x_b = int(rng.integers(0, n_a + 1)), int(rng.integers(0, n_b + 1))
        for method, name in (("newcombe", "newcomb"), ("wald", "wald")):
            found = proportion_difference_interval(x_a, n_a, x_b, n_b, method=method)
            expected = smp.confint_proportions_2indep(x_a, n_a, x_b, n_b, method=name, compare="diff")
            assert tuple(found) == pytest.approx(np.clip(expected, -1, 1), abs=1e-9)
            mirrored = proportion_difference_interval(x_b, n_b, x_a, n_a, method=method)
            assert tuple(mirrored) == pytest.approx((-found.high, -found.low), abs=1e-12)


@pytest.mark.oracle("frequentist.proportion_difference_interval", "published: Newcombe 1998, Table II")
def test_newcombe_published():
    """Newcombe (1998), table II: method 10 for 56/70 - 48/80, 9/10 - 3/10 and 5/56 - 0/29."""
    published = {
        (56, 70, 48, 80): (0.0524, 0.3339),
        (9, 10, 3, 10): (0.1705, 0.8090),
        (5, 56, 0, 29): (-0.0381, 0.1926),
    }
    for counts, interval in published.items():
        assert tuple(proportion_difference_interval(*counts)) == pytest.approx(interval, abs=5.1e-5)


# ---- bad input

RIGHT = [1, 0, 1, 1]
TABLE = [[5, 2], [1, 3]]
BAD = {
    "not 0/1": (
        lambda: mcnemar_test([1, 0, 2], [1, 1, 0]),
        ScoresError,
        "1 (right) or 0 (wrong)",
        "got 2",
        "position 2",
    ),
    "scores": (lambda: mcnemar_test([0.9, 0.8], [0.7, 0.8]), ScoresError, "got 0.9", "corrected_ttest"),
    "labels without truth": (lambda: mcnemar_test(["a", "b"], ["a", "a"]), ScoresError, "`truth`"),
    "lengths": (lambda: mcnemar_test(RIGHT, RIGHT[:3]), ScoresError, "`A` has 4, `B` has 3"),
    "length of truth": (lambda: mcnemar_test(RIGHT, RIGHT, truth=[1, 0]), ScoresError, "`truth` has 2"),
    "nan": (lambda: mcnemar_test([1, float("nan")], [1, 0]), ScoresError, "NaN", "position 1"),
    "nan in truth": (
        lambda: mcnemar_test([1, 0], [1, 0], truth=[1, float("nan")]),
        ScoresError,
        "`truth` lacks 1 of 2",
    ),
    "none in labels": (
        lambda: mcnemar_test(["a", None], ["a", "b"], truth=["a", "b"]),
        ScoresError,
        "`A` lacks 1 of 2",
    ),
    "kinds of labels": (lambda: mcnemar_test([1, 0], [1, 0], truth=["1", "0"]), ScoresError, "one kind"),
    "two-dimensional": (lambda: mcnemar_test([RIGHT], [RIGHT]), ScoresError, "one-dimensional"),
    "empty": (lambda: mcnemar_test([], []), ScoresError, "empty"),
    "empty labels": (lambda: mcnemar_test([], [], truth=[]), ScoresError, "shape (0,)"),
    "nothing": (lambda: mcnemar_test(), ScoresError, "`table`"),
    "one vector": (lambda: mcnemar_test(RIGHT), ScoresError, "got one"),
    "table and vectors": (
        lambda: mcnemar_test(RIGHT, RIGHT, table=TABLE, orientation="both right first"),
        ScoresError,
        "not both",
    ),
    "no orientation": (lambda: mcnemar_test(table=TABLE), ValueError, "both wrong first", "rows = A", "Got None"),
    "unknown orientation": (lambda: mcnemar_test(table=TABLE, orientation="rows"), ValueError, "Got 'rows'"),
    "orientation of nothing": (
        lambda: mcnemar_test(RIGHT, RIGHT, orientation="both right first"),
        ValueError,
        "none was given",
    ),
    "table shape": (lambda: mcnemar_test(table=[[1, 2, 3]], orientation="both right first"), ScoresError, "(1, 3)"),
    "table of shares": (
        lambda: mcnemar_test(table=[[0.5, 0.2], [0.1, 0.2]], orientation="both right first"),
        ScoresError,
        "whole numbers",
    ),
    "table of nothing": (
        lambda: mcnemar_test(table=np.zeros((2, 2)), orientation="both right first"),
        ScoresError,
        "all 0",
    ),
    "table of text": (lambda: mcnemar_test(table=[["a", "b"]], orientation="both right first"), ScoresError, "counts"),
    "mid-p chi-square": (lambda: of_counts(3, 4, mid_p=True, exact=False), ValueError, "`mid_p`"),
    "alternative": (lambda: of_counts(3, 4, alternative="bigger"), ValueError, "`alternative`", "'bigger'"),
    "series of other cases": (
        lambda: mcnemar_test(pd.Series(RIGHT), pd.Series(RIGHT, index=[4, 5, 6, 7])),
        ScoresError,
        "same index",
    ),
    "cochran not 0/1": (lambda: cochran_q_test([[1, 0], [2, 1]]), ScoresError, "`model 1`", "got 2"),
    "cochran one model": (lambda: cochran_q_test([[1], [0]]), ScoresError, "at least 2 models", "got 1"),
    "cochran nan": (lambda: cochran_q_test([[1, 0], [float("nan"), 1]]), ScoresError, "NaN"),
    "cochran lengths": (lambda: cochran_q_test({"a": RIGHT, "b": RIGHT[:2]}), ScoresError, "4 scores"),
    "cochran vector": (lambda: cochran_q_test(RIGHT), ScoresError, "2-D"),
    "one case": (lambda: per_instance_ttest([1], [0]), ScoresError, "at least 2 test cases"),
    "errors above n": (lambda: binomial_test(11, 10, p0=0.5), ScoresError, "at most `n`", "11 of 10"),
    "half an error": (lambda: binomial_test(1.5, 10, p0=0.5), ScoresError, "`errors`", "1.5"),
    "negative": (lambda: proportion_interval(-1, 10), ScoresError, "`errors`", "-1"),
    "no cases": (lambda: proportion_interval(0, 0), ScoresError, "at least 1"),
    "nan cases": (lambda: proportion_interval(0, float("nan")), ScoresError, "`n`", "nan"),
    "p0": (lambda: binomial_test(1, 10, p0=1.0), ValueError, "`p0`", "1.0"),
    "method": (lambda: proportion_interval(1, 10, method="normal"), ValueError, "wilson", "'normal'"),
    "level": (lambda: proportion_interval(1, 10, confidence_level=95), ValueError, "`confidence_level`", "95"),
    "difference method": (
        lambda: proportion_difference_interval(1, 10, 2, 10, method="wilson"),
        ValueError,
        "newcombe",
        "'wilson'",
    ),
    "difference counts": (lambda: proportion_difference_interval(1, 10, 12, 10), ScoresError, "`errors_b`", "12 of 10"),
    "epsilon": (lambda: hoeffding_sample_size(0), ValueError, "`epsilon`"),
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


def test_mcnemar_interval_stays_within_its_range():
    """A difference of accuracies is between -1 and 1, and the observed one is in the interval, at every level."""
    for n in (1, 2, 3, 8):
        for a in range(n + 1):
            for b in range(n + 1 - a):
                for level, alternative in product((0.3, 0.5, 0.95, 0.999), ALTERNATIVES):
                    result = of_counts(a, b, n - a - b, 0, alternative=alternative)
                    low, high = result.confidence_interval(level)
                    assert -1 <= low <= result.estimate <= high <= 1
                    assert alternative != "greater" or high == 1
                    assert alternative != "less" or low == -1
    result = of_counts(3, 0, 0, 0)
    assert TestResult.from_dict(json.loads(json.dumps(result.to_dict()))) == result


@pytest.mark.oracle("frequentist.mcnemar_test", "brute force")
def test_mcnemar_one_sided_coverage():
    """Enumerate all tables of 12 cases: the lower bound alone is below the truth close to 95 % of the time."""
    n = 12
    bounds = {
        (a, b): of_counts(a, b, n - a - b, 0, alternative="greater").confidence_interval()[0]
        for a in range(n + 1)
        for b in range(n + 1 - a)
    }
    for p10, p01 in ((0.2, 0.2), (0.5, 0.1), (0.8, 0.1), (0.05, 0.6)):
        covered = sum(
            stats.multinomial.pmf([a, b, n - a - b], n, [p10, p01, 1 - p10 - p01])
            for (a, b), low in bounds.items()
            if low <= p10 - p01
        )
        assert covered > 0.92


@pytest.mark.parametrize("n", [0, -1, "x", math.nan, 0.5, math.inf, True])
def test_hoeffding_needs_a_count(n):
    with pytest.raises(ScoresError, match="whole number from 1 on"):
        hoeffding_half_width(n)


@pytest.mark.parametrize("epsilon", [1e-200, 1e-12, 0, -1, math.nan, "x"])
def test_hoeffding_needs_a_sensible_epsilon(epsilon):
    with pytest.raises(ValueError, match="`epsilon` must be"):
        hoeffding_sample_size(epsilon)


def test_booleans_are_right_and_wrong():
    """True is 1 and False is 0 for tests of correctness, in every container."""
    x = np.random.default_rng(3).random((20, 3)) < 0.6
    expected = cochran_q_test(x.astype(int)).p_value
    mixed = pd.DataFrame(x, columns=list("abc")).astype({"b": int})
    for right in (x, x.tolist(), {m: x[:, j] for j, m in enumerate("abc")}, pd.DataFrame(x), mixed):
        assert cochran_q_test(right).p_value == expected
    by_number = mcnemar_test(x[:, 0].astype(int), x[:, 1].astype(int))
    for a, b in ((x[:, 0], x[:, 1]), (x[:, 0].tolist(), x[:, 1].tolist()), (x[:, 0].astype(object), x[:, 1])):
        assert mcnemar_test(a, b) == by_number


@pytest.mark.parametrize("options", [{"exact": "no"}, {"exact": 1}, {"mid_p": "yes"}, {"correction": None}])
def test_switches_are_true_or_false(options):
    with pytest.raises(ValueError, match="must be True or False"):
        of_counts(9, 3, **options)
