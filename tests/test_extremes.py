"""Numbers at the ends of what a double holds: limits are exact, and digits are kept; certified values from NIST."""

import math

import mpmath as mp
import numpy as np
import pytest

import bayescmp as bc
from bayescmp import Resampling, bayes, frequentist
from bayescmp.numerics.moments import moments

# Univariate summary statistics of the Statistical Reference Datasets, NIST, https://www.itl.nist.gov/div898/strd/.
# NumAcc1 to 4 are made by their definitions: 10000001, 10000003, 10000002; 1.2, then 1.1 and 1.3 in turn, 1,001
# numbers; the same plus 10^6 and plus 10^7. Michelso (hundredths above 299) and Mavro (ten-thousandths above 2) are
# small enough to stand here.
MICHELSO = """
85 74 90 107 93 85 95 98 98 88 100 98 93 65 76 81 100 100 96 96 96 94 96 94 88 80 85 88 90 84 83 79 81 88 88
83 80 79 76 80 88 88 88 86 72 72 62 86 97 95 88 91 85 87 84 84 85 84 84 84 89 81 81 82 80 77 76 74 75 76 91 92
89 86 88 72 84 85 85 78 89 84 78 81 76 81 79 81 82 85 87 87 81 74 81 94 95 80 81 87
"""
MAVRO = """
18 17 18 19 18 17 15 14 15 15 17 18 18 19 19 21 20 16 14 13 13 15 15 16 15 14 13 14 15 14 15 16 15 16 19 20 20
21 22 23 24 25 27 26 26 26 27 26 25 24
"""
CERTIFIED = {
    "NumAcc1": ([10000001.0, 10000003.0, 10000002.0], 10000002.0, 1.0),
    "NumAcc2": ([1.2, *[1.1, 1.3] * 500], 1.2, 0.1),
    "NumAcc3": ([1000000.2, *[1000000.1, 1000000.3] * 500], 1000000.2, 0.1),
    "NumAcc4": ([10000000.2, *[10000000.1, 10000000.3] * 500], 10000000.2, 0.1),
    "Michelso": ([(29900 + int(x)) / 100 for x in MICHELSO.split()], 299.8524, 0.0790105478190518),
    "Mavro": ([(20000 + int(x)) / 10000 for x in MAVRO.split()], 2.001856, 0.000429123454003053),
}


def lre(ours, certified):
    """The number of right digits."""
    return 15.0 if ours == certified else -math.log10(abs(ours - certified) / abs(certified))


@pytest.mark.parametrize("name", CERTIFIED)
def test_certified_means_and_deviations(name):
    """As many digits as the data themselves keep in doubles: 10000000.1 has but 8 behind the point."""
    x, mean, sd = CERTIFIED[name]
    ours = [float(v) for v in moments(np.array(x))[:2]]
    assert lre(ours[0], mean) > 14
    assert lre(ours[1], sd) > {"NumAcc3": 9.4, "NumAcc4": 8.2}.get(name, 12)
    t = frequentist.paired_ttest(x, np.zeros(len(x)))
    assert t.estimate == ours[0]
    assert t.statistic == pytest.approx(ours[0] / ours[1] * math.sqrt(len(x)), rel=1e-14)


BASE = np.array([0.81, 0.84, 0.79, 0.88, 0.83, 0.80, 0.86, 0.85, 0.82, 0.87]), np.full(10, 0.8) + np.arange(10) / 997


@pytest.mark.parametrize("power", [-990, -700, -300, 300, 700, 990])
def test_any_size_of_scores(power):
    """From 1e-298 to 1e298: the same answer to the last bit as at size 1, also of the 5 x 2 cv tests."""
    a, b, unit = *BASE, 2.0**power
    five = Resampling.kfold(2, repeats=5)
    for test in (frequentist.cv5x2_ttest, frequentist.cv5x2_ftest, frequentist.corrected_ttest):
        one, two = test(a, b, resampling=five), test(a * unit, b * unit, resampling=five)
        assert (two.statistic, two.p_value) == (one.statistic, one.p_value)
        assert two.estimate == one.estimate * unit
    for rope in (0.0, 0.01):
        one, two = (bayes.correlated_ttest(a * u, b * u, rope=rope * u, resampling=five) for u in (1.0, unit))
        assert one.three == two.three


@pytest.mark.parametrize("power", [-900, 900])
def test_hierarchical_at_any_size(rng, power):
    """At 1e-271 the spread between datasets was lost, because its square is no double."""
    x, unit = rng.normal(0.01, 0.05, (4, 6)), 2.0**power
    one, two = (
        bayes.hierarchical_ttest(x * u, np.zeros_like(x), rope=0.01 * u, resampling=Resampling.custom(0.25))
        for u in (1.0, unit)
    )
    assert one.three == two.three
    assert one.expected == two.expected
    assert two.mean == one.mean * unit


def test_the_smallest_of_alphas_has_power_zero():
    assert frequentist.power_ttest(effect=0.5, n=2, alpha=1e-320).power == 0


def test_the_smallest_of_effects_has_the_power_of_none():
    """Over the critical t it is no double any more, and its logarithm was none."""
    assert frequentist.power_ttest(effect=5e-324, n=5, alpha=1e-9).power == pytest.approx(1e-9, rel=1e-6)


@pytest.mark.parametrize("rope", [0.0, math.inf])
@pytest.mark.parametrize("test", ["correlated_ttest", "sign_test", "signed_rank_test", "welch_ttest"])
def test_no_rope_and_all_rope(test, rope):
    options = {
        "correlated_ttest": {"resampling": Resampling.kfold(10)},
        "signed_rank_test": {"draws": 200, "random_seed": 1},
    }.get(test, {})
    p = getattr(bayes, test)(*BASE, rope=rope, **options)
    assert p.p_equivalent == (1.0 if rope else 0.0)
    assert p.p_better + p.p_worse == (0.0 if rope else 1.0)


@pytest.mark.parametrize("n", [2, 3, 10, 1001])
def test_ties_only_share_the_win_exactly(n):
    """P(better) was 0.5000000000000002 for some n, so that the sum was above 1."""
    p = bayes.sign_test(np.ones(n), np.ones(n), rope=0)
    assert p.three == (0.5, 0.0, 0.5)


@pytest.mark.parametrize(("wins", "losses"), [(12, 3), (3, 12), (40, 39), (1000, 900)])
def test_sign_tails_against_mpmath(wins, losses):
    z = np.concatenate([np.ones(wins), -np.ones(losses)])
    p = bayes.sign_test(z, np.zeros(z.size), rope=0, prior=0)
    exact = [float(mp.betainc(b, a, 0, 0.5, regularized=True)) for a, b in ((wins, losses), (losses, wins))]
    assert [p.p_better, p.p_worse] == pytest.approx(exact, rel=1e-12)
    assert p.p_better + p.p_worse == 1


def test_differences_at_the_last_bit_are_no_differences():
    """1 + eps against 1: within the rounding of the scores, so a tie; a thousand times that is a difference."""
    ones = np.ones(10)
    assert bayes.sign_test(ones + 2**-52, ones, rope=0).expected["A better"] == 0.5
    assert bayes.sign_test(ones + 2**-42, ones, rope=0).expected["A better"] > 0.9


@pytest.mark.parametrize("narrow", [1e-200, 1e-300, 5e-310])
def test_welch_with_one_spread_next_to_none(narrow):
    """The limit is the Student t of the other model alone."""
    a = np.array([0.80, 0.84, 0.79, 0.86])
    b = np.array([0.0, 1.0, -1.0, 2.0]) * narrow
    p = bayes.welch_ttest(a, b, rope=0.8)
    mean, sd, n = (float(x) for x in moments(a))
    from scipy.stats import t

    assert p.p_better == pytest.approx(t.sf((0.8 - mean) / (sd / math.sqrt(n)), n - 1), rel=1e-9)


def test_a_hundred_thousand_datasets(rng):
    """Signed-rank in O(n) a draw, sign by its integral; half of the differences are beyond the rope."""
    d = rng.normal(0.0, 0.01, 100_000) + 0.01
    p = bayes.signed_rank_test(d, np.zeros(d.size), rope=0.01, draws=64, random_seed=1)
    assert p.expected["A better"] == pytest.approx(0.5, abs=0.01)  # of the average of two: N(0.01, 0.01/sqrt(2))
    assert sum(p.expected.values()) == pytest.approx(1, abs=1e-12)
    s = bayes.sign_test(d, np.zeros(d.size), rope=0.01)
    assert s.expected["A better"] == pytest.approx(np.mean(d > 0.01), abs=1e-4)
    assert sum(s.three) == pytest.approx(1, abs=2**-51)


def test_a_million_folds(rng):
    x = rng.normal(0.3, 1.0, 1_000_000)
    t = frequentist.paired_ttest(x, np.zeros(x.size))
    assert t.statistic == pytest.approx(math.fsum(x) / x.size / np.std(x, ddof=1) * 1000, rel=1e-12)


def test_means_whose_sum_overflows():
    x = np.full((2, 4), 1e308) * np.array([[1.0], [0.5]])
    pair = bc.Scores.from_arrays({"a": x, "b": np.zeros((2, 4))}, higher_is_better=True).pair("a", "b")
    assert pair.means.tolist() == [1e308, 5e307]
