"""Permutation tests against enumeration, scipy, worked numbers and simulation."""

import itertools
import json
import math

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import Resampling, Scores, ScoresError
from bayescmp.frequentist import permutation
from bayescmp.frequentist.permutation import _share_of_sums, permutation_test
from bayescmp.frequentist.result import TestResult

SIDES = ("two-sided", "greater", "less")
DT = np.array([10, 9, 14, 6, 7, 4, 5, 10, 8, 12]) / 60
SVM = np.array([4, 3, 4, 6, 2, 1, 1, 4, 5, 6]) / 60


def extreme(values, observed, alternative):
    """As extreme as the observed one, equal ones included; values are whole numbers."""
    values = np.asarray(values)
    if alternative == "two-sided":
        return np.abs(values) >= abs(observed)
    return values >= observed if alternative == "greater" else values <= observed


def flips(whole, alternative):
    """The share of all sign patterns of whole numbers, by going through them."""
    signs = np.array(list(itertools.product((-1, 1), repeat=len(whole))))
    return extreme(signs @ np.abs(whole), np.sum(whole), alternative).mean()


# ---- paired


@pytest.mark.oracle("frequentist.permutation_test", "example: W33")
def test_worked_sign_flip():
    """Example W33: on W04's ten differences (9 for SVM, one 0) >= gives 2/2^9; the printed strict rule gives 0."""
    result = permutation_test(SVM, DT, higher_is_better=False)
    assert result.p_value == 0.00390625
    assert result.estimate == pytest.approx(0.0816667, abs=5e-8)
    assert result.details["zeros"] == 1
    assert result.n == 10
    assert result.random_seed is None
    assert "exact" in result.method


@pytest.mark.oracle("frequentist.permutation_test", "example: W33")
def test_worked_two_sample():
    """Example W33: X = (2, 5), Y = (6): p = 2/3 with >=; the printed 1/3 counts larger ones only."""
    result = permutation_test([2, 5], [6], paired=False)
    assert result.p_value == pytest.approx(2 / 3)
    assert result.statistic == -2.5
    strict = [abs(np.mean(x[:2]) - x[2]) > 2.5 for x in itertools.permutations((2, 5, 6))]
    assert np.mean(strict) == pytest.approx(1 / 3), "what the source printed"


@pytest.mark.oracle("frequentist.permutation_test", "brute force")
@pytest.mark.parametrize("alternative", SIDES)
def test_exact_sign_flip_by_enumeration(rng, alternative):
    """Whole numbers with ties and zeros, and the same in decimals, whose sums differ in the last bits."""
    for _ in range(40):
        whole = rng.integers(-6, 8, int(rng.integers(2, 13)))
        want = flips(whole, alternative)
        zero = np.zeros(len(whole))
        assert permutation_test(whole, zero, alternative=alternative).p_value == want
        b = rng.integers(60, 90, len(whole)) / 100
        assert permutation_test(b + whole / 100, b, alternative=alternative).p_value == want


@pytest.mark.oracle("frequentist.permutation_test", "scipy")
@pytest.mark.parametrize("alternative", SIDES)
def test_exact_sign_flip_agrees_with_scipy(rng, alternative):
    for n in (2, 7, 12):
        a, b = rng.normal(0.1, 1, n), rng.normal(0, 1, n)
        oracle = stats.permutation_test(
            (a - b,),
            lambda x, axis: x.mean(axis=axis),
            permutation_type="samples",
            n_resamples=np.inf,
            alternative=alternative,
        )
        assert permutation_test(a, b, alternative=alternative).p_value == pytest.approx(oracle.pvalue, rel=1e-12)


@pytest.mark.oracle("frequentist.permutation_test", "closed form", "scipy")
def test_meeting_in_the_middle_counts_40_signs():
    """Forty ones: a binomial; powers of two: every sum occurs once, so that the rank of the sum is known."""
    ones = np.ones(40)
    for wins in (20, 27, 40):
        assert _share_of_sums(ones, 2 * wins - 40) == pytest.approx(stats.binom.sf(wins - 1, 40, 0.5), rel=1e-12)
    powers = 2.0 ** np.arange(40)
    total = powers.sum()
    for above in (0, 1, 12345, 2**39):
        assert _share_of_sums(powers, total - 2 * above) == (above + 1) / 2**40
    d = np.where(np.arange(40) < 30, 0.01, -0.01)
    result = permutation_test(0.8 + d, np.full(40, 0.8))
    assert result.p_value == pytest.approx(stats.binomtest(30, 40).pvalue, rel=1e-12)
    assert result.details["arrangements"] == 2**40


@pytest.mark.oracle("frequentist.permutation_test", "closed form")
def test_rounding_does_not_split_equal_sums():
    """0.9 - 0.89 and 0.12 - 0.11 are both 0.01: with 3 of 4 wins, P(at least 3 or at most 1) = 10/16."""
    a, b = [0.90, 0.31, 0.12, 0.04], [0.89, 0.30, 0.11, 0.05]
    assert len(set(np.abs(np.subtract(a, b)))) > 1
    assert permutation_test(a, b).p_value == 10 / 16
    assert permutation_test(a, b, alternative="greater").p_value == 5 / 16


def test_monte_carlo_agrees_with_exact(monkeypatch, rng):
    """The same data both ways; the Monte-Carlo one counts the observed arrangement, so it is never 0."""
    a, b = rng.normal(0.3, 1, 30), rng.normal(0, 1, 30)
    for alternative in SIDES:
        exact = permutation_test(a, b, alternative=alternative)
        with monkeypatch.context() as patch:
            patch.setattr(permutation, "EXACT_SIGNS_UP_TO", 0)
            patch.setattr(permutation, "CHUNK", 10_000)
            drawn = permutation_test(a, b, alternative=alternative, random_seed=4, resamples=20_000)
        assert abs(drawn.p_value - exact.p_value) < 4 * drawn.details["mcse"] + 1 / 20_000
        assert exact.details["mcse"] == 0
        assert drawn.random_seed == 4
        assert drawn.details["mcse"] == pytest.approx(math.sqrt(drawn.p_value * (1 - drawn.p_value) / 20_001))


def test_monte_carlo_of_many_pairs():
    """Sixty wins of 60: b = 0, so p is 1/(B + 1), and never 0. Equal sums count: 31 of 61 is every pattern."""
    a, b = np.full(60, 0.9), np.linspace(0.5, 0.8, 60)
    result = permutation_test(a, b, resamples=999, random_seed=1)
    assert result.p_value == 1 / 1000
    assert "Monte Carlo, 999 resamples" in result.method
    a, b = 0.5 + np.where(np.arange(61) < 31, 0.01, -0.01), np.full(61, 0.5)
    assert permutation_test(a, b, resamples=99, random_seed=1).p_value == 1
    one = permutation_test(a, b[::-1], resamples=99)
    assert one == permutation_test(a, b[::-1], resamples=99, random_seed=one.random_seed), "the seed is recorded"


@pytest.mark.oracle("frequentist.permutation_test", "closed form")
@pytest.mark.parametrize("paired", [True, False])
def test_monte_carlo_p_counts_the_observed_arrangement(paired):
    """Phipson and Smyth: where none of 19 rearrangements is as extreme, p is 1/20. Here at most 2 of 2^41 are, or 2 of
    2,704,156."""
    high, low = (np.arange(41) + 1.0, np.zeros(41)) if paired else (np.arange(12) + 100.0, np.arange(12))
    result = permutation_test(high, low, paired=paired, resamples=19, random_seed=1)
    assert result.p_value == 1 / 20
    assert result.details["mcse"] == pytest.approx(math.sqrt(0.05 * 0.95 / 20))


def test_pair_by_folds_or_by_datasets():
    """One dataset: its folds. Many: the means of the datasets."""
    pair = bc.load_uci().pair("rf", "svm")
    many = permutation_test(pair)
    assert (many.n, many.datasets) == (len(pair.datasets), pair.datasets)
    assert "means of the datasets" in many.method
    assert many.p_value == permutation_test(pair.means, np.zeros(many.n)).p_value
    one = permutation_test(pair, dataset="iris", random_seed=1, resamples=999)
    assert (one.n, one.datasets) == (100, ("iris",))
    assert "of folds" in one.method
    assert permutation_test(pair.select("iris"), random_seed=1, resamples=999) == one
    scores = bc.load_uci().select(models=["rf", "svm"])
    assert permutation_test(scores) == many


def test_note_on_overlapping_training_sets():
    """10 x 10 folds: the type-I error of the issue, 0.57; independent scores and plain arrays have no such note."""
    d = np.random.default_rng(1).normal(0, 1, 100)
    arrays = {"a": d, "b": np.zeros(100)}
    options = {"resamples": 99, "random_seed": 1}
    pair = Scores.from_arrays(arrays, resampling=Resampling.kfold(10, repeats=10), higher_is_better=True).pair("a", "b")
    (note,) = permutation_test(pair, **options).notes
    assert "about 0.57 instead of 0.05" in note
    assert "corrected_ttest" in note
    pair = Scores.from_arrays(arrays, resampling=Resampling.independent(), higher_is_better=True).pair("a", "b")
    assert permutation_test(pair, **options).notes == ()
    assert permutation_test(d, np.zeros(100), **options).notes == ()
    unknown = Scores.from_arrays({m: [x[:10]] for m, x in arrays.items()}, higher_is_better=True).pair("a", "b")
    assert "not known" in permutation_test(unknown).notes[0]


@pytest.mark.oracle("frequentist.permutation_test", "simulation")
def test_type_one_error_of_correlated_folds(rng):
    """What the note says: equally correlated folds (rho = 0.1, n = 100) make the sign flip reject 57 % true nulls."""
    rejected = 0
    for _ in range(300):
        d = math.sqrt(0.1) * rng.standard_normal() + math.sqrt(0.9) * rng.standard_normal(100)
        rejected += permutation_test(d, np.zeros(100), resamples=199, random_seed=3).p_value <= 0.05
    assert abs(rejected / 300 - 0.57) < 4 * math.sqrt(0.25 / 300)


@pytest.mark.oracle("frequentist.permutation_test", "brute force")
def test_level_of_the_exact_test_is_exact(rng):
    """Over all sign patterns of any sizes, ties included, P(p <= alpha) is at most alpha: no simulation needed."""
    for sizes in (rng.normal(0, 1, 9), np.arange(1, 10), np.array([1, 1, 1, 2, 2, 3, 3, 3, 5])):
        signs = np.array(list(itertools.product((-1, 1), repeat=9)))
        for alternative in SIDES:
            p = np.array([permutation_test(s * sizes, np.zeros(9), alternative=alternative).p_value for s in signs])
            for alpha in (0.01, 0.05, 0.1, 0.3):
                assert (p <= alpha).mean() <= alpha


def test_identical_models():
    for alternative in SIDES:
        same = permutation_test(DT, DT, alternative=alternative)
        assert same.p_value == 1
        assert "all 10 differences are 0" in same.notes[0]
        assert same.estimate == 0
        groups = permutation_test([0.5] * 30, [0.5] * 30, paired=False, alternative=alternative)
        assert groups.p_value == 1
        assert "all scores are equal" in groups.notes[0]


def test_equal_differences_are_no_miracle():
    """Four equal differences: 2/2^4, where a t-test without variation would say p = 0."""
    result = permutation_test([0.9, 0.8, 0.7, 0.6], [0.8, 0.7, 0.6, 0.5])
    assert result.p_value == 0.125
    assert "no p-value below 0.125 is possible" in result.notes[0]


# ---- two samples


@pytest.mark.oracle("frequentist.permutation_test", "brute force")
@pytest.mark.parametrize("alternative", SIDES)
def test_two_samples_by_enumeration(rng, alternative):
    """Whole numbers with ties, all ways to choose the first group; the mean difference times n_a n_b is whole."""
    for n_a, n_b in ((1, 2), (3, 3), (2, 7), (6, 4)):
        for _ in range(8):
            x = rng.integers(0, 6, n_a + n_b)
            scaled = []
            for chosen in itertools.combinations(range(n_a + n_b), n_a):
                total = x[list(chosen)].sum()
                scaled.append(n_b * total - n_a * (x.sum() - total))
            want = extreme(scaled, scaled[0], alternative).mean()
            for unit in (1, 100, 3):
                got = permutation_test(x[:n_a] / unit, x[n_a:] / unit, paired=False, alternative=alternative)
                assert got.p_value == pytest.approx(want, rel=1e-12)


@pytest.mark.oracle("frequentist.permutation_test", "scipy")
@pytest.mark.parametrize("alternative", SIDES)
def test_two_samples_agree_with_scipy(rng, alternative):
    def statistic(x, y, axis):
        difference = x.mean(axis=axis) - y.mean(axis=axis)
        return np.abs(difference) if alternative == "two-sided" else difference

    side = "greater" if alternative == "two-sided" else alternative
    for n_a, n_b in ((3, 8), (7, 5)):
        x, y = rng.normal(0.5, 1, n_a), rng.normal(0, 1, n_b)
        oracle = stats.permutation_test((x, y), statistic, n_resamples=np.inf, alternative=side)
        got = permutation_test(x, y, paired=False, alternative=alternative)
        assert got.p_value == pytest.approx(oracle.pvalue, rel=1e-12)
        assert got.estimate == pytest.approx(x.mean() - y.mean())


def test_two_samples_at_the_limit_and_beyond(monkeypatch, rng):
    """All C(22, 11) ways are counted; the same data by Monte Carlo agree."""
    x, y = rng.normal(0.4, 1, 11), rng.normal(0, 1, 11)
    exact = permutation_test(x, y, paired=False)
    assert exact.details["arrangements"] == math.comb(22, 11)
    assert exact.random_seed is None
    monkeypatch.setattr(permutation, "EXACT_GROUPS_UP_TO", 0)
    drawn = permutation_test(x, y, paired=False, random_seed=2, resamples=20_000)
    assert abs(drawn.p_value - exact.p_value) < 4 * drawn.details["mcse"]
    assert drawn.p_value * 20_001 == pytest.approx(round(drawn.p_value * 20_001))


@pytest.mark.oracle("frequentist.permutation_test", "closed form")
def test_one_score_against_many():
    """All ways are counted: the share of scores that are as far from the mean of the others."""
    x = np.arange(2001.0) ** 2
    result = permutation_test(x[-10:-9], np.delete(x, 2001 - 10), paired=False, alternative="greater")
    assert result.p_value == 10 / 2001
    assert "exact" in result.method


def test_two_samples_level(rng):
    """Every way to deal is equally likely, so P(p <= alpha) over all of them is at most alpha."""
    values = np.array([0, 1, 1, 2, 5, 5, 7])
    for alternative in SIDES:
        p = []
        for chosen in itertools.combinations(range(7), 3):
            rest = [i for i in range(7) if i not in chosen]
            p.append(
                permutation_test(values[list(chosen)], values[rest], paired=False, alternative=alternative).p_value
            )
        for alpha in (0.05, 0.1, 0.3):
            assert (np.array(p) <= alpha).mean() <= alpha


# ---- both


@pytest.mark.parametrize("paired", [True, False])
def test_swap_mirrors(rng, paired):
    a, b = rng.normal(0.3, 1, 9), rng.normal(0, 1, 9)
    for alternative, other in (("two-sided", "two-sided"), ("greater", "less"), ("less", "greater")):
        one = permutation_test(a, b, paired=paired, alternative=alternative)
        two = permutation_test(b, a, paired=paired, alternative=other)
        assert (one.p_value, one.estimate) == pytest.approx((two.p_value, -two.estimate))
        flipped = permutation_test(-a, -b, paired=paired, alternative=alternative, higher_is_better=False)
        assert (flipped.p_value, flipped.estimate) == pytest.approx((one.p_value, one.estimate))


def test_json_round_trip():
    for result in (permutation_test(SVM, DT), permutation_test(np.arange(50), np.zeros(50), resamples=99)):
        assert TestResult.from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False))) == result


def test_sentence_and_frame():
    result = permutation_test(SVM, DT, higher_is_better=False)
    assert "sign-flip permutation test of paired scores (exact), T = 0.8167, n = 10, p = .004" in result.sentence()
    assert result.to_frame()["p_value"][0] == 0.00390625


NAN, INF = float("nan"), float("inf")


def test_rounding_does_not_split_equal_sums_of_two_samples():
    """Tenths that are products and tenths that are quotients differ in their last bits; a score of 0 has none."""
    whole = np.array([0, 3, 1, 7, 6, 2, 3, 6, 0])
    for n_a in (2, 4):
        a, b = whole[:n_a] * 0.1, whole[n_a:] / 10
        result = permutation_test(a, b, paired=False)
        means = [
            np.sum(whole[list(group)]) / n_a - (whole.sum() - np.sum(whole[list(group)])) / (9 - n_a)
            for group in itertools.combinations(range(9), n_a)
        ]
        observed = whole[:n_a].mean() - whole[n_a:].mean()
        assert result.p_value == pytest.approx(np.mean(np.abs(means) >= abs(observed) - 1e-9), rel=1e-12)
        assert (result.models, result.n, result.details["n_a"], result.details["n_b"]) == (("A", "B"), 9, n_a, 9 - n_a)
        assert (result.statistic, result.estimate) == pytest.approx((observed / 10, observed / 10))


@pytest.mark.parametrize("paired", [True, False])
def test_the_largest_scores_are_those_whose_sums_are_finite(paired):
    """Up to 1e300 in all, and with the p-value of small ones: a power of two changes no digit."""
    a, b = np.array([1.0, 0.75, 0.5, 0.875]), np.array([0.25, 0.5, -0.5, 1.0])
    unit = 2.0 ** math.floor(math.log2(1e300 / (4 if paired else 8)))
    small, large = (permutation_test(a * x, b * x, paired=paired) for x in (1.0, unit))
    assert large.p_value == small.p_value < 1
    with pytest.raises(ScoresError, match="sums to be finite"):
        permutation_test(a * 2 * unit, 0 * b, paired=paired)


BAD = {
    "nan": (lambda: permutation_test([0.5, NAN], [0.4, 0.3]), ScoresError, "NaN", "position 1"),
    "inf unpaired": (lambda: permutation_test([0.5, INF], [0.4], paired=False), ScoresError, "finite"),
    "lengths": (lambda: permutation_test([0.5, 0.6, 0.7], [0.4, 0.3]), ScoresError, "same folds", "3 scores"),
    "one score": (lambda: permutation_test([0.5], [0.4]), ScoresError, "at least 2 paired scores", "have 1"),
    "one and one": (lambda: permutation_test([0.5], [0.4], paired=False), ScoresError, "at least 3 scores"),
    "empty": (lambda: permutation_test([], [0.4], paired=False), ScoresError, "empty"),
    "one array": (lambda: permutation_test([0.5, 0.6]), ScoresError, "Give a pair, or two arrays"),
    "one unpaired array": (lambda: permutation_test([0.5, 0.6], paired=False), ScoresError, "Give two arrays"),
    "pair that is none": (
        lambda: permutation_test(bc.load_labour().pair("SVM", "DT"), paired=False),
        ScoresError,
        "belong together",
    ),
    "unknown dataset": (
        lambda: permutation_test(bc.load_uci().pair("rf", "svm"), dataset="irris"),
        ScoresError,
        'Did you mean "iris"',
    ),
    "too large": (lambda: permutation_test([9e307] * 3, [0.0] * 3), ScoresError, "sums to be finite"),
    "too large unpaired": (lambda: permutation_test([9e307] * 3, [0.0], paired=False), ScoresError, "sums"),
    "alternative": (
        lambda: permutation_test([1, 2], [2, 3], alternative="both"),
        ValueError,
        "`alternative`",
        "'both'",
    ),
    "resamples": (lambda: permutation_test([1, 2], [2, 3], resamples=0), ValueError, "`resamples`", "at least 1"),
    "paired": (lambda: permutation_test([1, 2], [2, 3], paired="no"), ValueError, "`paired`", "'no'"),
    "seed": (lambda: permutation_test([1, 2], [2, 3], random_seed=1.5), ValueError, "`random_seed`", "1.5"),
}


@pytest.mark.parametrize(("call", "error", "words"), [(v[0], v[1], v[2:]) for v in BAD.values()], ids=BAD)
def test_bad_input(call, error, words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
