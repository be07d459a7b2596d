"""Sign and Wilcoxon tests against scipy, enumeration of all signs, the worked examples, and their own levels."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp import frequentist
from bayescmp.frequentist.effect_sizes import rank_biserial_core
from bayescmp.numerics import ranks
from bayescmp.numerics.binomial import fair_coin_p
from bayescmp.numerics.ranks import average_ranks, signed_rank_distribution

W12 = np.array([0.016, 0, 0.023, 0.007, -0.002, 0.052, -0.005, -0.007, -0.02, -0.011])
W30 = {
    "NB": [96.43, 73.42, 72.30, 71.70, 71.67, 74.36, 70.63, 83.21, 98.22, 69.62],
    "SVM": [99.44, 81.34, 91.51, 66.16, 71.67, 77.08, 62.21, 80.63, 93.58, 99.90],
    "ADA": [83.63, 46.46, 72.31, 70.28, 71.67, 74.35, 44.91, 82.54, 93.21, 72.54],
    "RF": [99.55, 79.15, 80.97, 69.99, 71.67, 74.88, 79.87, 84.58, 99.39, 93.94],
}
ALTERNATIVES = ("two-sided", "greater", "less")


def wilcoxon(d, **options):
    return frequentist.wilcoxon_test(np.asarray(d, dtype=float), np.zeros(len(d)), **options)


def enumerated_p(d, zero_method, alternative):
    """p by going through all signs of the non-zero differences; scipy ranks, written apart from the package."""
    d = np.asarray(d, dtype=float)
    if zero_method == "wilcox":
        d = d[d != 0]
    ranks = stats.rankdata(np.abs(d))
    r, sign = ranks[d != 0], np.sign(d[d != 0])
    observed = (r * sign).sum()
    flips = np.array(list(itertools.product([-1, 1], repeat=len(r)))) @ r
    up, down = (flips >= observed - 1e-9).mean(), (flips <= observed + 1e-9).mean()
    return {"greater": up, "less": down, "two-sided": (np.abs(flips) >= abs(observed) - 1e-9).mean()}[alternative]


@pytest.mark.oracle("frequentist.wilcoxon_test", "example: W12")
def test_w12_rounded_and_unrounded():
    """W12: rounding makes a zero and a tie that change T and n; the truth is in the unrounded scores."""
    rounded = wilcoxon(W12)
    assert (rounded.details["w_plus"], rounded.details["w_minus"], rounded.n) == (26.5, 18.5, 9)
    assert (rounded.statistic, rounded.p_value) == (18.5, 0.6796875)
    assert wilcoxon(W12, method="asymptotic").p_value == pytest.approx(0.635289, abs=1e-6)
    raw = frequentist.wilcoxon_test(bc.load_domains().pair("A", "C"))
    assert (raw.details["w_plus"], raw.details["w_minus"], raw.n) == (32.0, 23.0, 10)
    assert (raw.statistic, raw.p_value) == (23.0, 0.6953125)


@pytest.mark.oracle("frequentist.wilcoxon_test", "example: W13")
def test_w13_critical_values():
    """W13: the largest c with P(T <= c) at most the level."""
    for n, level, c in ((9, 0.05, 8), (9, 0.025, 5), (10, 0.05, 10), (10, 0.025, 8)):
        below = np.cumsum(signed_rank_distribution(n))
        assert below[c] <= level < below[c + 1]


@pytest.mark.oracle("frequentist.wilcoxon_test frequentist.TestResult.confidence_interval", "example: W17")
def test_w17_walsh_interval_with_the_right_order_statistic():
    """W17: the (C+1)-th Walsh averages (96.1 %), not the book's C-th (97.3 %); Hodges-Lehmann, not the median."""
    result = wilcoxon(W12)
    assert result.confidence_interval() == pytest.approx((-0.0110, 0.0235), abs=1e-12)
    assert result.estimate == pytest.approx(0.0025, abs=1e-12)
    raw = frequentist.wilcoxon_test(bc.load_domains().pair("A", "C"))
    assert raw.confidence_interval() == pytest.approx((-0.765, 2.285), abs=1e-9)
    assert raw.estimate == pytest.approx(0.29, abs=1e-9)


@pytest.mark.oracle("frequentist.wilcoxon_test", "example: W26")
def test_w26_ties_share_ranks():
    """W26: magnitudes 2, 1, 2, 4."""
    assert average_ranks(np.array([2.0, 1.0, 2.0, 4.0])).tolist() == [2.5, 1.0, 2.5, 4.0]


@pytest.mark.oracle("frequentist.sign_test frequentist.wilcoxon_test", "example: W30")
def test_w30_lecture_exercises():
    """W30: sign tests of NB vs SVM and Ada vs RF, and the Wilcoxon tests of the same."""
    nb_svm = frequentist.sign_test(W30["NB"], W30["SVM"], ties="drop")
    assert (nb_svm.details["wins"], nb_svm.details["losses"], nb_svm.details["ties"]) == (4, 5, 1)
    assert nb_svm.p_value == 1.0  # 2 * 0.5 would be capped as well
    assert frequentist.sign_test(W30["SVM"], W30["NB"], ties="drop", alternative="greater").p_value == 0.5
    assert frequentist.sign_test(W30["ADA"], W30["RF"], ties="drop").p_value == 0.0390625
    assert frequentist.sign_test(W30["ADA"], W30["RF"], ties="drop", alternative="less").p_value == 0.01953125
    one = frequentist.wilcoxon_test(W30["NB"], W30["SVM"])
    two = frequentist.wilcoxon_test(W30["ADA"], W30["RF"])
    assert (one.statistic, one.p_value) == (17, pytest.approx(0.570313, abs=1e-6))
    assert (two.statistic, two.p_value) == (1, 0.0078125)


@pytest.mark.oracle("frequentist.sign_test", "example: W06")
def test_w06_nine_wins_are_needed_not_eight():
    """W06: the book's 8 of 10 is a table of wins minus losses; 8 wins have p = 0.109."""
    assert fair_coin_p(8, 10, "greater") == 0.0546875
    assert fair_coin_p(8, 10, "two-sided") == 0.109375
    assert fair_coin_p(9, 10, "two-sided") == pytest.approx(0.0214844, abs=1e-7)
    wins = np.r_[np.ones(9), 0]
    assert frequentist.sign_test(wins, np.zeros(10), ties="drop").p_value == pytest.approx(0.003906, abs=1e-6)
    split = frequentist.sign_test(wins, np.zeros(10), ties="split")
    assert (split.n, split.statistic) == (9, 9)  # one tie cannot be split


@pytest.mark.oracle("frequentist.sign_test", "scipy")
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_coins_on_both_sides_of_the_border_between_two_sums(alternative):
    """Whole numbers up to 1,000 coins, the incomplete beta function above."""
    for n in (1, 999, 1000, 1001, 5000):
        for wins in {0, 1, n * 2 // 5, n // 2, n * 3 // 5, n - 1, n}:
            expected = stats.binomtest(wins, n, alternative=alternative).pvalue
            assert fair_coin_p(wins, n, alternative) == pytest.approx(expected, rel=1e-9)


def test_split_ties_are_counted_in_the_note():
    result = frequentist.sign_test([1, 1, 1, 0, 0, 0, 0, 0], np.zeros(8), ties="split")
    assert (result.n, result.statistic) == (7, 5)
    assert "equal on 5 of 8 datasets: 4 split, 1 dropped" in result.notes[0]
    assert result.effect_size.value == pytest.approx(3 / 7)


@pytest.mark.oracle("frequentist.sign_test", "example: W32")
def test_w32_critical_differences_of_the_sign_test():
    """W32: read as wins minus losses, entries of the lecture's table follow from the binomial (n = 8 is a misprint)."""
    for n, level, difference in ((10, 0.05, 8), (8, 0.10, 6), (56, 0.02, 20), (56, 0.01, 22), (69, 0.02, 21)):
        wins = (n + difference) // 2
        assert fair_coin_p(wins, n, "two-sided") <= level
        assert fair_coin_p(wins - 1, n, "two-sided") > level


@pytest.mark.oracle("frequentist.wilcoxon_test", "brute force")
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_exact_wilcoxon_is_the_enumeration(rng, zero_method, alternative):
    """With ties and zeros, where scipy's exact method is not exact: all 2^n signs for n <= 12."""
    for n in (2, 5, 8, 12):
        for _ in range(8):
            d = rng.integers(-4, 6, n).astype(float)
            if not d.any():
                continue
            ours = wilcoxon(d, zero_method=zero_method, method="exact", alternative=alternative)
            assert ours.p_value == pytest.approx(enumerated_p(d, zero_method, alternative), abs=1e-12)


@pytest.mark.oracle("frequentist.wilcoxon_test", "scipy")
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_exact_wilcoxon_without_ties_agrees_with_scipy(rng, alternative):
    for n in (3, 10, 30, 50, 120):
        d = rng.normal(0.2, 1, n)
        theirs = stats.wilcoxon(d, method="exact", alternative=alternative)
        ours = wilcoxon(d, method="exact", alternative=alternative)
        assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)


@pytest.mark.oracle("frequentist.wilcoxon_test", "scipy")
@pytest.mark.parametrize("correction", [False, True])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt"])
def test_asymptotic_wilcoxon_agrees_with_scipy(rng, zero_method, alternative, correction):
    """Rounded data with ties and zeros. For zsplit scipy takes the zeros for random: see the next test."""
    options = {"zero_method": zero_method, "alternative": alternative, "correction": correction}
    for n in (15, 60, 200):
        d = np.round(rng.normal(0.2, 1, n), 1)
        theirs = stats.wilcoxon(d, method="asymptotic", **options)
        ours = wilcoxon(d, method="asymptotic", **options)
        assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-12)


@pytest.mark.oracle("frequentist.wilcoxon_test", "brute force")
def test_zsplit_variance_is_that_of_the_permutation_distribution(rng):
    """Splitting zeros adds the same to both sides: only the non-zero ranks vary. By enumeration."""
    d = np.r_[np.zeros(4), rng.integers(1, 5, 10) * rng.choice([-1, 1], 10)].astype(float)
    ranks = stats.rankdata(np.abs(d))[d != 0]
    sums = np.array(list(itertools.product([0, 1], repeat=10))) @ ranks
    ours = wilcoxon(d, zero_method="zsplit", method="asymptotic")
    z = abs(ours.details["w_plus"] - ours.details["w_minus"]) / 2 / sums.std()
    assert ours.p_value == pytest.approx(2 * stats.norm.sf(z), rel=1e-10)


def test_auto_is_exact_up_to_50_and_says_so(rng):
    assert "exact" in wilcoxon(rng.normal(size=50)).method
    assert "asymptotic, without continuity correction" in wilcoxon(rng.normal(size=51)).method
    assert "zeros: pratt" in wilcoxon(rng.normal(size=5), zero_method="pratt").method


def test_rounding_errors_are_ties_and_zeros():
    """0.86 - 0.85 and 0.76 - 0.75 differ in the last bit only; 0.3 and 0.1 + 0.2 not at all."""
    a, b = np.array([0.86, 0.75, 0.3, 0.9]), np.array([0.85, 0.76, 0.1 + 0.2, 0.7])
    result = frequentist.wilcoxon_test(a, b)
    assert (result.details["w_plus"], result.details["w_minus"], result.details["zeros"]) == (4.5, 1.5, 1)
    assert frequentist.sign_test(a, b, ties="drop").details["ties"] == 1


@pytest.mark.oracle("frequentist.wilcoxon_test frequentist.sign_test", "brute force")
def test_exact_tests_never_reject_more_often_than_alpha():
    """Over all 2^12 equally probable sign patterns, with ties and zeros among the sizes."""
    sizes = np.array([1, 1, 2, 3, 3, 3, 5, 6, 7, 7, 9, 10.0])
    signs = np.array(list(itertools.product([-1, 1], repeat=12)))
    from bayescmp.frequentist.rank_tests import wilcoxon_p
    from bayescmp.numerics.ranks import signed_ranks

    p, exact = wilcoxon_p(signed_ranks(signs * sizes, np.zeros(signs.shape), "wilcox"), "two-sided", "exact", False)
    assert exact.all()
    levels = np.unique(p)
    assert len(levels) > 20
    for alpha in (0.01, 0.05, 0.1, *levels[::5]):
        assert (p <= alpha + 1e-12).mean() <= alpha + 1e-9
    for n in (1, 5, 20, 33):
        p = np.array([fair_coin_p(w, n, "two-sided") for w in range(n + 1)])
        for alpha in (0.01, 0.05, 0.1):
            assert stats.binom.pmf(np.arange(n + 1), n, 0.5)[p <= alpha].sum() <= alpha


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-20, 20), min_size=2, max_size=30).filter(any), st.sampled_from(["wilcox", "pratt", "zsplit"])
)
def test_wilcoxon_properties(d, zero_method):
    """Swapping mirrors, order and scale do not matter, p is a probability, one-sided tails overlap at the observed."""
    d = np.array(d, dtype=float)
    one, two = wilcoxon(d, zero_method=zero_method), wilcoxon(-d, zero_method=zero_method)
    assert one.p_value == two.p_value
    assert one.effect_size.value == -two.effect_size.value
    assert one.p_value == wilcoxon(d[::-1] * 8, zero_method=zero_method).p_value
    tails = [wilcoxon(d, zero_method=zero_method, alternative=a).p_value for a in ("greater", "less")]
    assert sum(tails) >= 1 - 1e-12
    assert one.p_value == pytest.approx(min(1.0, 2 * min(tails)))
    low, high = one.confidence_interval()
    assert low <= one.estimate <= high


def test_interval_and_test_agree(rng):
    """0 is outside the 95 % interval exactly where the two-sided exact p is at most 0.05 (no ties, no zeros)."""
    verdicts = set()
    for _ in range(40):
        d = rng.normal(0.5, 1, 12)
        result = wilcoxon(d)
        low, high = result.confidence_interval()
        verdicts.add(result.p_value <= 0.05)
        assert (low > 0 or high < 0) == (result.p_value <= 0.05)
    assert verdicts == {True, False}


@pytest.mark.oracle("frequentist.sign_test frequentist.TestResult.confidence_interval", "closed form")
def test_median_interval_of_the_sign_test_has_its_coverage():
    """n = 10: the 2nd and 9th order statistics, 97.9 % (the textbook interval); n = 5 has none at 95 %."""
    x = np.arange(1.0, 11)
    assert frequentist.sign_test(x, np.zeros(10)).confidence_interval() == (2.0, 9.0)
    assert frequentist.sign_test(x[:5], np.zeros(5)).confidence_interval() == (-np.inf, np.inf)


def test_degenerate_and_small():
    same = [0.8, 0.7, 0.9]
    for test in (frequentist.wilcoxon_test, frequentist.sign_test):
        with pytest.warns(bc.DegenerateWarning, match="equal on every dataset"):
            result = test(same, same)
        assert result.p_value == 1.0
        assert json.loads(json.dumps(result.to_dict(), allow_nan=False))
    few = wilcoxon([1.0, 2.0, 3.0, 4.0, 5.0])
    assert few.p_value == 0.0625
    assert "too few datasets" in few.notes[0]


def test_results_survive_json(rng):
    for result in (wilcoxon(rng.normal(size=8)), frequentist.sign_test(rng.normal(size=8), np.zeros(8))):
        assert type(result).from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False))) == result


def test_sentence_is_what_a_paper_prints():
    assert (
        frequentist.wilcoxon_test(bc.load_domains().pair("A", "C"))
        .sentence()
        .startswith(
            "A vs C: Wilcoxon signed-rank test, exact, zeros: wilcox, T = 23, n = 10, p = .695, rank-biserial r = .16, "
        )
    )


@pytest.mark.oracle("frequentist.wilcoxon_test", "scipy")
def test_more_than_a_thousand_differences(rng):
    """2^n is no float from n = 1024 on; scipy's asymptotic p is the oracle."""
    d = rng.normal(0.05, 1, 1500)
    theirs = stats.wilcoxon(d, method="asymptotic")
    result = wilcoxon(d)
    assert (result.statistic, result.p_value) == (theirs.statistic, pytest.approx(theirs.pvalue, rel=1e-9))
    assert result.notes == ()


@pytest.mark.oracle("frequentist.wilcoxon_test", "brute force")
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_note_on_few_differences_counts_those_with_a_sign(zero_method):
    """Two signs: of four patterns the two extreme ones have p = 0.5, however many zeros there are."""
    result = wilcoxon([0, 0, 1, 2], zero_method=zero_method)
    assert result.p_value == enumerated_p([0, 0, 1, 2], zero_method, "two-sided") == 0.5
    assert any(note.startswith("with 2 differences other than 0 p cannot be below 0.5") for note in result.notes)


@pytest.mark.oracle("frequentist.hodges_lehmann_interval", "brute force")
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_hodges_lehmann_interval_is_that_of_the_test(rng, zero_method):
    """One question, one answer: also where some differences are 0."""
    d = np.r_[np.zeros(5), rng.normal(0.5, 1, 12)]
    result = wilcoxon(d, zero_method=zero_method)
    interval = frequentist.hodges_lehmann_interval(d, np.zeros(17), zero_method=zero_method)
    assert (interval.estimate, tuple(interval)) == (result.estimate, result.confidence_interval())
    used = d[5:] if zero_method == "wilcox" else d
    walsh = [(x + y) / 2 for x, y in itertools.combinations_with_replacement(used, 2)]
    assert (interval.n, interval.estimate) == (len(used), pytest.approx(np.median(walsh), rel=1e-12))
    default = frequentist.hodges_lehmann_interval(d, np.zeros(17))
    assert default.n == 12


def test_hodges_lehmann_interval_of_equal_models():
    interval = frequentist.hodges_lehmann_interval([1, 2, 3], [1, 2, 3])
    assert (interval.estimate, *interval, interval.n) == (0, -np.inf, np.inf, 0)


@pytest.mark.oracle("frequentist.wilcoxon_test", "brute force")
def test_asymptotic_zsplit_has_the_variance_of_the_signs(rng):
    """z over the standard deviation of W+ when only the signs of non-zero differences are drawn, by enumeration."""
    d = np.r_[np.zeros(3), rng.normal(size=7)]
    ranks = stats.rankdata(np.abs(d))[3:]
    sums = np.array(list(itertools.product((0, 1), repeat=7))) @ ranks
    z = (ranks[d[3:] > 0].sum() - sums.mean()) / sums.std()
    p = wilcoxon(d, zero_method="zsplit", method="asymptotic").p_value
    assert p == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-12)


def test_whole_statistics_are_printed_whole():
    """Counts and rank sums are known to the last digit, and papers print them so."""
    ones = np.r_[np.ones(10150), -np.ones(9000)]
    assert "wins = 10150, n = 19150" in frequentist.sign_test(ones, np.zeros(ones.size)).sentence()
    result = wilcoxon(np.r_[np.arange(1, 301), -np.arange(1.5, 200)])
    assert result.statistic > 10_000
    assert f"T = {result.statistic:.0f}" in repr(result)
    halves = frequentist.TestResult(
        method="m", models=("a", "b"), statistic=10150.5, statistic_name="T", p_value=0.5, n=9, df=12345.0
    )
    assert "T(12345) = 10150.5" in halves.sentence()


@pytest.mark.parametrize("name", ["inf", "-inf", "\\inf", "nan"])
def test_json_keeps_models_named_like_infinity(name):
    """A name is text and a statistic is a number, also after a trip through JSON."""
    scores = bc.Scores.from_arrays(
        {name: [3.0, 2.0, 4.0], "b": [1.0, 1.0, 1.0]}, datasets=["inf", "x", "y"], higher_is_better=True
    )
    result = frequentist.wilcoxon_test(scores.pair(name, "b"))
    back = frequentist.TestResult.from_dict(json.loads(json.dumps(result.to_dict())))
    assert back == result
    assert (back.models, back.datasets, back.confidence_interval()) == (
        (name, "b"),
        ("inf", "x", "y"),
        (-np.inf, np.inf),
    )


@pytest.mark.oracle("frequentist.wilcoxon_test", "scipy")
def test_r_of_z_is_scipys_z_over_the_root_of_n(rng):
    a, b = rng.normal(0.3, 1, 25), rng.normal(0, 1, 25)
    theirs = stats.wilcoxon(a, b, method="asymptotic", correction=False)
    found = frequentist.wilcoxon_test(a, b)
    assert abs(found.details["r_of_z"]) == pytest.approx(abs(theirs.zstatistic) / 5)
    assert np.sign(found.details["r_of_z"]) == np.sign(found.effect_size.value)
    assert frequentist.wilcoxon_test(b, a).details["r_of_z"] == pytest.approx(-found.details["r_of_z"])
    assert frequentist.wilcoxon_test(np.arange(1.0, 9), np.zeros(8)).details["r_of_z"] < 0.9


@pytest.mark.parametrize("n", [1, 2, 3, 7, 54, 1000])
@pytest.mark.parametrize("kind", ["plain", "opposite", "last bit", "zero", "missing", "rounded", "large and small"])
def test_one_sort_ranks_as_the_long_way_does(rng, n, kind, monkeypatch):
    """Statistics, ranks, p and effect sizes by both ways; rows with ties, zeros or missing values have one way only."""
    d = rng.normal(0.2, 1, (6, n))
    if kind == "opposite":
        d[0, -1] = -d[0, 0]
    elif kind == "last bit":
        d[1, -1] = np.nextafter(d[1, 0], np.inf)
    elif kind == "zero":
        d[2, 0] = 0.0
    elif kind == "missing":
        d[3, n // 2] = np.nan
    elif kind == "rounded":
        d = d.round(1)
    elif kind == "large and small":
        d *= 10.0 ** rng.integers(-8, 9, d.shape)
    for rounding in (np.zeros_like(d), np.full_like(d, 1e-12), 1e-15 * rng.uniform(1, 3, d.shape)):
        fast = ranks.signed_ranks(d.copy(), rounding, "wilcox")
        assert fast.plain or kind != "plain"
        with monkeypatch.context() as patched:
            patched.setattr(ranks, "_plain_ranks", lambda *_: None)
            slow = ranks.signed_ranks(d.copy(), rounding, "wilcox")
        for name in ("signs", "ranks", "first", "last", "plus", "minus", "n", "zeros", "zero_share"):
            assert np.array_equal(getattr(fast, name), getattr(slow, name)), name
        for correction in (False, True):
            assert np.allclose(*(ranks.asymptotic_p(x, "two-sided", correction) for x in (fast, slow)), atol=1e-15)
        assert np.allclose(*(rank_biserial_core(x, 0.95) for x in (fast, slow)), atol=1e-12)


# ---- the tables behind the tests


@pytest.mark.oracle("frequentist.signed_rank_table", "scipy")
def test_signed_rank_table_has_the_ranks_of_scipy_and_the_sums_of_the_test():
    rng = np.random.default_rng(4)
    for zero_method in ("wilcox", "pratt", "zsplit"):
        d = np.round(rng.normal(0.1, 0.3, 30), 1)
        a = rng.normal(size=30).round(1)
        table = bc.frequentist.signed_rank_table(a + d, a, zero_method=zero_method)
        difference = np.round(table["difference"].to_numpy(), 9)
        assert (difference == np.round(d, 9)).all()
        counted = difference != 0 if zero_method == "wilcox" else np.full(30, True)
        ranks = stats.rankdata(np.abs(difference[counted]))
        assert table["rank"].to_numpy()[counted] == pytest.approx(ranks)
        assert table["rank"].isna().sum() == (~counted).sum()
        signed = table["signed_rank"].to_numpy()
        assert signed[difference == 0] == pytest.approx(0)
        result = bc.frequentist.wilcoxon_test(a + d, a, zero_method=zero_method)
        share = table["rank"][difference == 0].sum() / 2 if zero_method == "zsplit" else 0.0
        assert signed[signed > 0].sum() + share == pytest.approx(result.details["w_plus"])
        assert -signed[signed < 0].sum() + share == pytest.approx(result.details["w_minus"])


@pytest.mark.oracle("frequentist.rank_table", "scipy")
def test_rank_table_is_rankdata_by_dataset():
    rng = np.random.default_rng(5)
    values = rng.integers(0, 5, (12, 4)) / 8
    for up in (True, False):
        table = bc.frequentist.rank_table(values, higher_is_better=up)
        wanted = stats.rankdata(-values if up else values, axis=1)
        assert table.to_numpy()[:-1] == pytest.approx(wanted)
        assert table.loc["mean rank"].to_numpy() == pytest.approx(wanted.mean(axis=0))
