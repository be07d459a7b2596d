"""Power and sample size against statsmodels, mpmath, scipy, enumeration and simulation."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp import Resampling
from bayescmp.frequentist.power import (
    Power,
    _least_n,
    _mcnemar_power,
    _most_losses,
    _sign_power,
    power_curve,
    power_mcnemar,
    power_sign_test,
    power_ttest,
    power_wilcoxon,
)
from bayescmp.frequentist.result import EffectSize, TestResult
from bayescmp.numerics.noncentral import rejection

SIDES = ("two-sided", "greater", "less")
STATSMODELS = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}


# ---- t-test


@pytest.mark.oracle("frequentist.power_ttest", "example: W08")
@pytest.mark.parametrize(
    ("effect", "n", "independent", "paired"),
    [
        (2.01, 15, 0.9996, None),
        (2.01, 20, 1.0, None),
        (0.8, 60, 0.9915, None),
        (0.5, 100, 0.9404, 0.9986),
        (0.2, 100, 0.2906, 0.5083),
    ],
)
def test_claims_of_the_source(effect, n, independent, paired):
    """Example W08: the source computed the power of two independent groups for data that are paired."""
    assert power_ttest(effect=effect, n=n, paired=False).power == pytest.approx(independent, abs=5e-5)
    if paired:
        assert power_ttest(effect=effect, n=n).power == pytest.approx(paired, abs=5e-5)


def test_pairing_halves_the_sample():
    """33.4 pairs instead of 63.8 in each group for d = 0.5 and a power of 0.8."""
    pairs, groups = (power_ttest(effect=0.5, power=0.8, paired=paired) for paired in (True, False))
    assert (pairs.n, groups.n) == pytest.approx((33.4, 63.8), abs=0.05)
    assert (pairs.n_whole, groups.n_whole) == (34, 64)


@pytest.mark.oracle("frequentist.power_ttest", "statsmodels")
@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("paired", [True, False])
def test_power_agrees_with_statsmodels(rng, alternative, paired):
    from statsmodels.stats.power import TTestIndPower, TTestPower

    oracle = TTestPower() if paired else TTestIndPower()
    for _ in range(40):
        effect, n, alpha = rng.normal(0, 0.6), int(rng.integers(3, 80)), rng.uniform(0.001, 0.3)
        want = oracle.power(effect, n, alpha, alternative=STATSMODELS[alternative])
        got = power_ttest(effect=effect, n=n, alpha=alpha, paired=paired, alternative=alternative).power
        assert got == pytest.approx(want, rel=1e-9, abs=1e-13)


@pytest.mark.oracle("frequentist.power_ttest", "statsmodels")
def test_solving_agrees_with_statsmodels():
    from statsmodels.stats.power import TTestPower

    solve, power = TTestPower().solve_power, TTestPower().power
    n = power_ttest(effect=0.3, power=0.9).n
    effect = power_ttest(n=25, power=0.8).effect
    alpha = power_ttest(effect=0.5, n=25, power=0.8, alpha=None).alpha
    assert n == pytest.approx(solve(0.3, None, 0.05, 0.9), rel=1e-5)
    assert effect == pytest.approx(solve(None, 25, 0.05, 0.8), rel=1e-5)
    # its own solver stops early, so its power function is the sharper oracle
    for values, target in (((0.3, n, 0.05), 0.9), ((effect, 25, 0.05), 0.8), ((0.5, 25, alpha), 0.8)):
        assert power(*values) == pytest.approx(target, rel=1e-10)


HARD = {
    "one df": (1.0, 1, 12.706),
    "huge critical value": (5.0, 1, 6e11),
    "tiny power": (0.5, 2, 1e6),
    "sharp turn": (1000.0, 1, 1000.0),
    "noncentrality of 50": (50.0, 9, 60.0),
    "noncentrality of 300": (300.0, 30, 250.0),
    "tiny chance to miss": (40.0, 1e4, 35.0),
    "a million df": (3.0, 1e6, 1.96),
}


@pytest.mark.oracle("frequentist.power_ttest", "mpmath")
@pytest.mark.parametrize(("shift", "df", "critical"), HARD.values(), ids=HARD)
@pytest.mark.parametrize("two_sided", [True, False])
def test_hard_cases_against_mpmath(shift, df, critical, two_sided):
    """Both tails, also where series for the noncentral t lose their digits."""
    import mpmath as mp

    got = rejection(shift, df, critical, two_sided)
    with mp.workdps(25):
        nu, d, c = mp.mpf(df), mp.mpf(shift), mp.mpf(critical)
        constant = mp.log(2) + nu / 2 * mp.log(nu / 2) - mp.loggamma(nu / 2)

        def density(u):
            return mp.exp(constant + nu * u - nu * mp.exp(2 * u) / 2)

        def reject(u):
            other = mp.ncdf(-d - c * mp.exp(u)) if two_sided else 0
            return density(u) * (mp.ncdf(d - c * mp.exp(u)) + other)

        def keep(u):
            other = mp.ncdf(-d - c * mp.exp(u)) if two_sided else 0
            return density(u) * (mp.ncdf(c * mp.exp(u) - d) - other)

        low, high = -120 / nu - 12 / mp.sqrt(2 * nu), 12 / mp.sqrt(2 * nu)
        points = {low + (high - low) * k / 40 for k in range(41)}
        turn = {mp.log(d / c) + mp.mpf(k) / max(d, 1) for k in range(-12, 13, 2)}
        points = sorted(points | {u for u in turn if low < u < high})
        want = float(mp.quad(reject, points)), float(mp.quad(keep, points))
    assert got == pytest.approx(want, rel=1e-11, abs=1e-300)


def test_large_effects_and_samples_give_one_and_not_nan():
    """Chebyshev: the t statistic is 1e4 +- 71, so that P(t < 2) is far below a rounding error of 1."""
    for effect, n in ((10, 1_000_000), (50, 1e12), (1e6, 2e6), (3, 500)):
        assert power_ttest(effect=effect, n=n).power == 1
        assert power_ttest(effect=effect, n=n, alternative="less").power == 0


@pytest.mark.oracle("frequentist.power_ttest", "closed form", "scipy")
def test_large_samples_have_the_normal_limit():
    for n in (1e7, 1e9, 1e12):
        want = stats.norm.sf(stats.norm.isf(0.025) - 2.5) + stats.norm.cdf(-stats.norm.isf(0.025) - 2.5)
        assert power_ttest(effect=2.5 / math.sqrt(n), n=n).power == pytest.approx(want, abs=3 / n + 1e-12)


@given(
    effect=st.floats(0.05, 3),
    n=st.floats(2.5, 500),
    alpha=st.floats(0.001, 0.4),
    paired=st.booleans(),
    alternative=st.sampled_from(SIDES),
    rho=st.sampled_from([None, 0.0, 0.1, 0.5]),
)
@settings(max_examples=60, deadline=None)
def test_solving_inverts(effect, n, alpha, paired, alternative, rho):
    """Whichever number is left out comes back."""
    effect = -effect if alternative == "less" else effect
    options = {"paired": paired, "alternative": alternative, "resampling": rho if paired else None}
    full = power_ttest(effect=effect, n=n, alpha=alpha, **options)
    if full.power > 1 - 1e-9 or full.power < alpha * (1 + 1e-6):
        return
    known = {"effect": effect, "n": n, "alpha": alpha, "power": full.power}
    for name in ("effect", "alpha", "n"):
        # near the ceiling of a corrected test the power hardly depends on n
        if name == "n" and options["resampling"]:
            continue
        again = power_ttest(**known | {name: None}, **options)
        assert getattr(again, name) == pytest.approx(known[name], rel=1e-6)
        assert again.solved_for == name


def test_power_grows_with_effect_n_and_alpha():
    for paired, rho in ((True, None), (True, 0.1), (False, None)):
        for values in (
            ("effect", np.linspace(0, 3, 40)),
            ("n", np.geomspace(2, 1e5, 40)),
            ("alpha", np.linspace(0.01, 0.9, 40)),
        ):
            name, grid = values
            fixed = {"effect": 0.3, "n": 20, "alpha": 0.05}
            powers = [power_ttest(**fixed | {name: x}, paired=paired, resampling=rho).power for x in grid]
            assert (np.diff(powers) > -1e-12).all()


def test_no_effect_is_rejected_at_alpha():
    for alternative in SIDES:
        assert power_ttest(effect=0, n=7, alpha=0.03, alternative=alternative).power == pytest.approx(0.03, rel=1e-10)


def test_mirror():
    for alternative, other in (("two-sided", "two-sided"), ("greater", "less")):
        one = power_ttest(effect=0.4, n=12, alternative=alternative).power
        assert one == power_ttest(effect=-0.4, n=12, alternative=other).power
    assert (
        power_ttest(n=12, power=0.8, alternative="less").effect
        == -power_ttest(n=12, power=0.8, alternative="greater").effect
    )


@pytest.mark.oracle("frequentist.power_ttest", "simulation")
def test_corrected_power_against_simulated_cross_validation(rng):
    """Equally correlated folds, the model behind the correction: the corrected t-test rejects as often as we say."""
    n, rho, effect, runs = 20, 0.2, 1.2, 40_000
    common, own = rng.standard_normal((runs, 1)), rng.standard_normal((runs, n))
    d = effect * math.sqrt(1 - rho) + math.sqrt(rho) * common + math.sqrt(1 - rho) * own
    t = d.mean(axis=1) / np.sqrt((1 / n + rho / (1 - rho)) * d.var(axis=1, ddof=1))
    share = (np.abs(t) > stats.t.isf(0.025, n - 1)).mean()
    power = power_ttest(effect=effect, n=n, resampling=rho).power
    assert abs(share - power) < 4 * math.sqrt(power * (1 - power) / runs)
    assert power_ttest(effect=effect, n=n).power > power + 0.2, "the plain formula promises far too much"


@pytest.mark.oracle("frequentist.power_ttest", "scipy")
def test_corrected_power_is_a_noncentral_t():
    """scipy's noncentral t with 1 / sqrt(1/n + rho/(1-rho)) standard errors, from the design or its rho."""
    for design, rho, n in (
        (Resampling.kfold(10, repeats=10), 0.1, 100),
        (Resampling.subsampling(50, 6, 30), 6 / 56, 30),
    ):
        shift, critical = 0.7 / math.sqrt(1 / n + rho / (1 - rho)), stats.t.isf(0.025, n - 1)
        want = stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift)
        assert power_ttest(effect=0.7, n=n, resampling=design).power == pytest.approx(want, rel=1e-9)
        assert power_ttest(effect=0.7, n=n, resampling=rho).power == pytest.approx(want, rel=1e-9)


@pytest.mark.oracle("frequentist.power_ttest", "closed form")
def test_ceiling_of_corrected_power():
    """As n grows the statistic tends to a normal with mean effect sqrt((1-rho)/rho): more repeats do not help."""
    shift = 0.9 * 3
    ceiling = stats.norm.sf(1.959963984540054 - shift) + stats.norm.cdf(-1.959963984540054 - shift)
    with pytest.raises(ValueError, match=f"No number of folds reaches a power of 0.9.*below {ceiling:.4g}"):
        power_ttest(effect=0.9, power=0.9, resampling=0.1)
    assert power_ttest(effect=0.9, n=1e11, resampling=0.1).power == pytest.approx(ceiling, abs=1e-9)
    reached = power_ttest(effect=0.9, power=ceiling - 1e-3, resampling=Resampling.kfold(10))
    assert power_ttest(effect=0.9, n=reached.n, resampling=0.1).power == pytest.approx(ceiling - 1e-3, abs=1e-9)
    assert any("cannot raise the power above 0.7704" in note for note in reached.notes)
    assert any(f"{math.ceil(reached.n / 10)} x 10 folds" in note for note in reached.notes)


def test_two_pairs_are_the_least():
    result = power_ttest(effect=30, power=0.5)
    assert result.n == 2
    assert result.power == power_ttest(effect=30, n=2).power > 0.9
    assert "2 is the least n" in repr(result)


# ---- post-hoc power


OBSERVED = [
    EffectSize(name="d_z", value=0.4),
    TestResult(method="t", models=("a", "b"), statistic=2.0, statistic_name="t", p_value=0.05, n=10),
]


@pytest.mark.parametrize("observed", OBSERVED, ids=["effect size", "test result"])
def test_post_hoc_power_is_refused(observed):
    calls = [
        lambda: power_ttest(effect=observed, n=10),
        lambda: power_wilcoxon(effect=observed, n=10),
        lambda: power_sign_test(p_win=observed, n=10),
        lambda: power_mcnemar(p_only_a=observed, p_only_b=0.1, n=10),
        lambda: power_curve([observed], [10]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"function of the p-value.*Hoenig and Heisey 2001; Lydersen 2019.*rope"):
            call()


def test_observed_power_is_a_function_of_p():
    """Why it is refused: at p = alpha the 'observed power' of a large sample is one half, whatever the data."""
    for n in (1000, 100_000):
        effect = stats.t.isf(0.025, n - 1) / math.sqrt(n)
        assert power_ttest(effect=effect, n=n).power == pytest.approx(0.5, abs=0.01)


# ---- sign test


def exact_sign_power(n, p, alpha, alternative):
    """By enumeration with fractions: the p-value of every possible number of wins."""
    total = Fraction(0)
    for wins in range(n + 1):
        tails = {
            "greater": sum(math.comb(n, k) for k in range(wins, n + 1)),
            "less": sum(math.comb(n, k) for k in range(wins + 1)),
        }
        tails["two-sided"] = 2 * min(tails.values())
        if Fraction(tails[alternative], 2**n) <= Fraction(alpha):
            total += math.comb(n, wins) * Fraction(p) ** wins * (1 - Fraction(p)) ** (n - wins)
    return float(total)


@pytest.mark.oracle("frequentist.power_sign_test", "brute force")
@pytest.mark.parametrize("alternative", SIDES)
def test_sign_power_by_enumeration(rng, alternative):
    for n in (1, 4, 5, 6, 9, 17, 40):
        for p, alpha in ((0.5, 0.05), (0.8, 0.05), (0.3, 0.2), (float(rng.uniform(0.1, 0.9)), 0.0625)):
            got = power_sign_test(p_win=p, n=n, alpha=alpha, alternative=alternative)
            assert got.power == pytest.approx(exact_sign_power(n, p, alpha, alternative), rel=1e-10, abs=1e-15)
            assert got.details["level"] <= alpha, "an exact test is never above its level"


@pytest.mark.oracle("frequentist.power_sign_test", "scipy")
def test_sign_level_is_never_above_alpha():
    n = np.arange(1, 3000)
    for alpha in (0.001, 0.05, 0.1, 0.5):
        for alternative in SIDES:
            level = _sign_power(n, 0.5, alpha, alternative)
            assert (level <= alpha * (1 + 2e-10)).all()
            # and one more loss would be too many: the level is not needlessly low
            tail = alpha / 2 if alternative == "two-sided" else alpha
            most = _most_losses(n, tail)
            assert (stats.binom.cdf(most, n, 0.5) <= tail * (1 + 2e-10)).all()
            assert (stats.binom.cdf(most + 1, n, 0.5)[most < n - 1] > tail).all()


@pytest.mark.parametrize(
    ("p", "target", "alternative"),
    [
        (0.8, 0.8, "two-sided"),
        (0.65, 0.9, "greater"),
        (0.3, 0.7, "less"),
        (0.55, 0.6, "two-sided"),
        (0.97, 0.99, "two-sided"),
    ],
)
def test_sign_sample_size_by_trying_all(p, target, alternative):
    """Power is a saw-tooth: the least n that has it, and the least from which it never falls below."""
    result = power_sign_test(p_win=p, power=target, alternative=alternative)
    n = np.arange(1, 4 * result.n + 100)
    reached = _sign_power(n, p, 0.05, alternative) >= target
    assert result.n == n[reached].min()
    assert result.details["n_stays"] == n[~reached].max() + 1
    assert result.power == pytest.approx(exact_sign_power(result.n, p, 0.05, alternative), rel=1e-9)
    assert bool(result.notes) == (result.details["n_stays"] > result.n)


def test_sign_test_power_falls_with_one_more_dataset():
    """W06: with 8 datasets at most 0 losses are allowed at .05 and with 9 at most 1, with 10 and 11 still 1."""
    powers = [power_sign_test(p_win=0.8, n=n).power for n in (9, 10, 11)]
    assert powers[0] > powers[1] > powers[2]


def test_sign_test_solves_for_the_rest():
    p = power_sign_test(n=20, power=0.8).effect
    assert power_sign_test(p_win=p, n=20).power == pytest.approx(0.8, abs=1e-10)
    assert power_sign_test(n=20, power=0.8, alternative="less").effect == pytest.approx(
        1 - power_sign_test(n=20, power=0.8, alternative="greater").effect
    )
    solved = power_sign_test(p_win=0.8, n=20, power=0.9, alpha=None)
    levels = [2 * sum(math.comb(20, j) for j in range(k + 1)) / 2**20 for k in range(10)]
    enough = [a for a in levels if exact_sign_power(20, 0.8, a, "two-sided") >= 0.9]
    assert solved.alpha == pytest.approx(min(enough), rel=1e-12)
    assert solved.power >= 0.9
    tiny = power_sign_test(p_win=0.9, n=2000, power=0.5, alpha=None)  # the least levels are below the smallest float
    assert 0 < tiny.alpha < 1e-200 < power_sign_test(p_win=0.9, n=2000, alpha=tiny.alpha).power


def test_too_few_datasets_cannot_reject():
    """Five datasets: 2 / 2^5 = 0.0625 is the smallest p-value."""
    five = power_sign_test(p_win=0.99, n=5)
    assert five.power == 0
    assert "cannot reject at alpha = 0.05" in repr(five)
    with pytest.raises(ValueError, match="cannot reject"):
        power_sign_test(n=5, power=0.8)


# ---- McNemar


@pytest.mark.oracle("frequentist.power_mcnemar", "brute force", "scipy")
def test_mcnemar_power_by_enumeration():
    """All trinomial outcomes (only A right, only B right, same), each with scipy's exact binomial p-value."""
    for n, p_a, p_b, alternative in itertools.product((7, 14), (0.5, 0.2), (0.1, 0.5), SIDES):
        want = 0.0
        for only_a in range(n + 1):
            for only_b in range(n + 1 - only_a):
                differ = only_a + only_b
                if differ and stats.binomtest(only_a, differ, alternative=alternative).pvalue <= 0.05 * (1 + 1e-9):
                    want += stats.multinomial.pmf([only_a, only_b, n - differ], n, [p_a, p_b, 1 - p_a - p_b])
        got = power_mcnemar(p_only_a=p_a, p_only_b=p_b, n=n, alternative=alternative).power
        assert got == pytest.approx(want, rel=1e-8, abs=1e-14)


@pytest.mark.oracle("frequentist.power_mcnemar", "simulation")
def test_mcnemar_power_against_simulation(rng):
    only_a, only_b, _ = rng.multinomial(400, [0.12, 0.06, 0.82], 100_000).T
    p = 2 * stats.binom.cdf(np.minimum(only_a, only_b), only_a + only_b, 0.5)
    power = power_mcnemar(p_only_a=0.12, p_only_b=0.06, n=400).power
    assert abs((p <= 0.05).mean() - power) < 4 * math.sqrt(power * (1 - power) / 100_000)


@pytest.mark.oracle("frequentist.power_mcnemar", "closed form: Connor 1987")
@pytest.mark.parametrize(
    ("p_a", "p_b", "target"), [(0.1, 0.05, 0.8), (0.3, 0.1, 0.9), (0.6, 0.4, 0.7), (0.7, 0.2, 0.95)]
)
def test_mcnemar_sample_size_by_trying_all(p_a, p_b, target):
    result = power_mcnemar(p_only_a=p_a, p_only_b=p_b, power=target)
    n = np.arange(1, 2 * result.n + 50)
    powers = np.array([_mcnemar_power(int(m), p_a + p_b, p_a / (p_a + p_b), 0.05, "two-sided") for m in n])
    assert result.n == n[powers >= target].min()
    assert result.details["n_stays"] == n[powers < target].max() + 1
    # Connor's (1987) normal formula is near; the exact test needs somewhat more
    differ, gap = p_a + p_b, p_a - p_b
    z_a, z_b = stats.norm.isf(0.025), stats.norm.ppf(target)
    connor = (z_a * math.sqrt(differ) + z_b * math.sqrt(differ - gap**2)) ** 2 / gap**2
    assert connor - 2 < result.n < 1.3 * connor + 10
    assert result.effect == pytest.approx(gap)


def test_mcnemar_level_and_mirror():
    for n in (10, 50, 300):
        one = power_mcnemar(p_only_a=0.2, p_only_b=0.1, n=n, alternative="greater")
        two = power_mcnemar(p_only_a=0.1, p_only_b=0.2, n=n, alternative="less")
        assert one.power == pytest.approx(two.power, rel=1e-12)
        assert one.details["level"] <= 0.05
    everything = power_mcnemar(p_only_a=0.8, p_only_b=0.2, n=20)
    assert everything.power == pytest.approx(exact_sign_power(20, 0.8, 0.05, "two-sided"), rel=1e-9)


def test_search_ends():
    with pytest.raises(ValueError, match="More than 1000000 observations"):
        _least_n(lambda n: np.zeros(len(n)), 0.8, 0.1, 1.0)


# ---- signed-rank


def test_wilcoxon_by_efficiency_is_the_t_test_of_fewer_datasets():
    """Normal differences: 3/pi, so about 5 % more datasets than the t-test; double exponential: two thirds."""
    t = power_ttest(effect=0.5, power=0.8)
    assert power_wilcoxon(effect=0.5, power=0.8).n == pytest.approx(t.n * math.pi / 3)
    assert power_wilcoxon(effect=0.5, power=0.8, distribution="laplace", method="are").n == pytest.approx(t.n / 1.5)
    assert "efficiency" in power_wilcoxon(effect=0.5, n=30).method
    again = power_wilcoxon(effect=0.5, n=40)
    assert power_wilcoxon(n=40, power=again.power).effect == pytest.approx(0.5)
    assert any("cannot reject" in note for note in power_wilcoxon(effect=2, n=5, method="are").notes)


@pytest.mark.oracle("frequentist.power_wilcoxon", "scipy")
@pytest.mark.parametrize("alternative", SIDES)
def test_simulated_wilcoxon_power_against_scipy(alternative):
    """scipy's exact p-values of other random samples."""
    n, effect, runs = 12, 0.6, 4000
    x = np.random.default_rng(5).normal(effect, 1, (runs, n))
    p = stats.wilcoxon(x, axis=1, method="exact", alternative=alternative).pvalue
    share = (p <= 0.05).mean()
    result = power_wilcoxon(
        effect=effect, n=n, method="simulation", alternative=alternative, random_seed=1, simulations=20_000
    )
    assert (
        abs(result.power - share) < 4 * math.hypot(result.details["mcse"], math.sqrt(share * (1 - share) / runs)) + 1e-3
    )
    assert "simulations" in result.method


def test_few_datasets_are_simulated():
    """The efficiency promises .454 for d_z = 0.6 on 12 datasets; the test has .42."""
    few = power_wilcoxon(effect=0.6, n=12, random_seed=1)
    assert power_wilcoxon(effect=0.6, n=12, method="are").power == pytest.approx(0.454, abs=5e-4)
    assert abs(few.power - 0.42) < 4 * few.details["mcse"] + 0.005
    solved = power_wilcoxon(effect=0.8, power=0.8, random_seed=1, simulations=2000)
    assert solved.n < 30
    assert "simulations" in solved.method
    with pytest.raises(ValueError, match="whole"):
        power_wilcoxon(effect=0.6, n=12.5)


@pytest.mark.oracle("frequentist.power_wilcoxon", "closed form")
def test_simulated_level_is_that_of_the_exact_test():
    """No effect: n = 8 rejects with probability P(T <= 3) + P(T >= 33) = 10/256, below .05."""
    result = power_wilcoxon(effect=0, n=8, method="simulation", random_seed=2, simulations=50_000)
    assert abs(result.power - 10 / 256) < 4 * math.sqrt(0.04 / 50_000)


def test_simulation_agrees_with_efficiency_for_many_datasets():
    for distribution in ("normal", "uniform", "logistic"):
        are = power_wilcoxon(effect=0.2, n=250, distribution=distribution)
        sim = power_wilcoxon(
            effect=0.2, n=250, distribution=distribution, method="simulation", random_seed=3, simulations=4000
        )
        assert abs(are.power - sim.power) < 4 * sim.details["mcse"] + 0.015


def test_simulation_solves_and_repeats():
    options = {"method": "simulation", "random_seed": 7, "simulations": 2000}
    n = power_wilcoxon(effect=0.6, power=0.8, **options)
    assert power_wilcoxon(effect=0.6, n=n.n, **options).power == n.power >= 0.8
    assert power_wilcoxon(effect=0.6, n=n.n - 1, **options).power < 0.8
    effect = power_wilcoxon(n=30, power=0.8, **options)
    assert effect.power == pytest.approx(0.8, abs=0.01)
    assert power_wilcoxon(n=30, power=0.8, alternative="less", **options).effect < 0
    alpha = power_wilcoxon(effect=0.5, n=30, power=0.9, alpha=None, **options)
    assert power_wilcoxon(effect=0.5, n=30, alpha=alpha.alpha, **options).power == alpha.power >= 0.9
    assert power_wilcoxon(effect=0.6, n=20, method="simulation", simulations=200).random_seed is not None
    with pytest.raises(ValueError, match="cannot reject"):
        power_wilcoxon(n=5, power=0.8, **options)
    with pytest.raises(ValueError, match='Use method="are"'):
        power_wilcoxon(effect=0.001, power=0.99, method="simulation", simulations=100, random_seed=1)
    assert "cannot reject" in repr(power_wilcoxon(effect=2, n=5, **options))


# ---- curves and results


@pytest.mark.oracle("frequentist.power_curve", "example: W08")
def test_curve_of_every_test():
    """The curves of the source's Figure 7.5 (example W08), and one row for each effect and n."""
    frame = power_curve([0.2, 0.5, 0.8, 2.01], [20, 60, 100], paired=False)
    assert len(frame) == 12
    row = frame[(frame["effect"] == 0.8) & (frame["n"] == 60)].iloc[0]
    assert row["power"] == pytest.approx(0.9915, abs=5e-5)
    assert power_curve([0.8], [10], test="sign")["power"][0] == power_sign_test(p_win=0.8, n=10).power
    assert (
        power_curve([0.5], [30], test="wilcoxon", alpha=0.1)["power"][0]
        == power_wilcoxon(effect=0.5, n=30, alpha=0.1).power
    )
    frame = power_curve([(0.1, 0.05), (0.2, 0.15)], [100], test="mcnemar")
    assert frame["p_only_a"].tolist() == [0.1, 0.2]
    assert frame["power"][0] > frame["power"][1], "the same difference is clearer where the models differ less"


def test_json_round_trip():
    for result in (
        power_ttest(effect=0.8, power=0.8, resampling=0.05),
        power_sign_test(p_win=0.7, power=0.8),
        power_wilcoxon(effect=0.5, n=10, method="simulation", random_seed=1, simulations=100),
    ):
        again = Power.from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
        assert again == result
        assert result.versions["bayescmp"]
    with pytest.raises(ValueError, match="to_dict"):
        Power.from_dict({"effect": 1})


def test_repr_puts_the_answer_first():
    text = repr(power_ttest(effect=0.5, n=20))
    assert text.splitlines()[1].strip().startswith("power = 0.5645   for d_z = 0.5, n = 20, alpha = 0.05")


NAN = float("nan")
BAD = {
    "nothing to solve for": (lambda: power_ttest(effect=0.5, n=10, power=0.8), "Exactly one", "must be left out"),
    "two unknown": (lambda: power_ttest(effect=0.5), "Exactly one", "n=None, alpha=0.05, power=None"),
    "alpha of 0": (lambda: power_ttest(effect=0.5, n=10, alpha=0), "`alpha`", "above 0 and below 1", "got 0"),
    "power of 1": (lambda: power_ttest(effect=0.5, power=1), "`power`", "below 1", "got 1"),
    "power nan": (lambda: power_ttest(effect=0.5, power=NAN), "`power`", "got nan"),
    "power below alpha": (lambda: power_ttest(effect=0.5, power=0.01), "`power` must be above alpha"),
    "effect nan": (lambda: power_ttest(effect=NAN, n=10), "`effect` must be a finite number", "nan"),
    "effect text": (lambda: power_ttest(effect="large", n=10), "`effect` must be a number", "'large'"),
    "effect true": (lambda: power_ttest(effect=True, n=10), "`effect`", "True"),
    "no effect": (lambda: power_ttest(effect=0, power=0.8), "is no effect at all"),
    "wrong side": (lambda: power_ttest(effect=-0.5, power=0.8, alternative="greater"), "No sample size", "two-sided"),
    "one pair": (lambda: power_ttest(effect=0.5, n=1), "`n`", "at least 2 pairs", "got 1"),
    "paired text": (lambda: power_ttest(effect=0.5, n=10, paired="yes"), "`paired` must be True or False", "'yes'"),
    "alternative": (lambda: power_ttest(effect=0.5, n=10, alternative="larger"), "`alternative`", "'larger'"),
    "unpaired folds": (lambda: power_ttest(effect=0.5, n=10, paired=False, resampling=0.1), "same folds"),
    "rho of 1": (lambda: power_ttest(effect=0.5, n=10, resampling=1.0), "`rho` must be in [0, 1)"),
    "tiny effect": (lambda: power_ttest(effect=1e-9, power=0.8), "More than 1e+12"),
    "alpha out of reach": (lambda: power_ttest(effect=9, n=900, power=0.8, alpha=None), "closer to 0 than 1e-15"),
    "p_win of 1.2": (lambda: power_sign_test(p_win=1.2, n=10), "`p_win`", "got 1.2"),
    "half a dataset": (lambda: power_sign_test(p_win=0.7, n=10.5), "`n` must be a whole number", "10.5"),
    "even chances": (lambda: power_sign_test(p_win=0.5, power=0.8), "no effect at all"),
    "sign power below level": (lambda: power_sign_test(n=20, power=0.01), "above the test's level"),
    "sign alpha": (lambda: power_sign_test(p_win=0.5001, n=2, power=0.999, alpha=None), "No alpha below 1"),
    "shares above 1": (lambda: power_mcnemar(p_only_a=0.8, p_only_b=0.5, n=10), "share of instances", "1.3"),
    "share negative": (lambda: power_mcnemar(p_only_a=-0.1, p_only_b=0.5, n=10), "`p_only_a`", "-0.1"),
    "never differ": (lambda: power_mcnemar(p_only_a=0, p_only_b=0, n=10), "above 0"),
    "mcnemar alpha": (lambda: power_mcnemar(p_only_a=0.2, p_only_b=0.1, n=9, alpha=None), "`alpha`", "None"),
    "method": (lambda: power_wilcoxon(effect=0.5, n=10, method="exact"), "`method`", "simulation", "'exact'"),
    "distribution": (lambda: power_wilcoxon(effect=0.5, n=10, distribution="t"), "`distribution`", "laplace", "'t'"),
    "simulations": (
        lambda: power_wilcoxon(effect=0.5, n=10, method="simulation", simulations=5),
        "`simulations`",
        "at least 100",
    ),
    "too large to simulate": (lambda: power_wilcoxon(effect=0.5, n=1e6, method="simulation"), "At most 10000"),
    "seed": (lambda: power_wilcoxon(effect=0.5, n=9, method="simulation", random_seed=-1), "`random_seed`"),
    "curve of nothing": (lambda: power_curve([], [10]), "at least one effect"),
    "curve of what": (lambda: power_curve([0.5], [10], test="anova"), "`test`", "mcnemar", "'anova'"),
    "curve of one share": (lambda: power_curve([0.5], [10], test="mcnemar"), "(p_only_a, p_only_b)", "0.5"),
}


@pytest.mark.parametrize(("call", "words"), [(v[0], v[1:]) for v in BAD.values()], ids=BAD)
def test_bad_options(call, words):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        call()
    for word in words:
        assert word in str(caught.value)


def test_power_is_light():
    import subprocess
    import sys

    code = (
        "from bayescmp.frequentist.power import power_ttest, power_sign_test, power_mcnemar\n"
        "power_ttest(effect=0.5, power=0.8); power_sign_test(p_win=0.8, power=0.8)\n"
        "import sys; print([m for m in ('pandas', 'scipy.stats', 'statsmodels') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.oracle("frequentist.detectable_difference", "scipy")
@pytest.mark.parametrize("rho", [0.0, 0.1])
def test_the_detectable_difference_is_found_with_the_power_that_was_asked_for(rho):
    """Power by scipy's noncentral t, at a true difference of that size with the spread that was seen."""
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.8, 0.05, (2, 25))
    scores = {"a": a, "b": b}
    table = bc.Scores.from_arrays(scores, resampling=bc.Resampling.custom(rho), higher_is_better=True)
    found = bc.frequentist.detectable_difference(table.pair("a", "b"), power=0.7, alpha=0.01)
    error = np.sqrt(1 / 25 + rho / (1 - rho)) * np.std(a - b, ddof=1)
    edge, shift = stats.t.ppf(0.995, 24), found / error
    exact = stats.nct.sf(edge, 24, shift) + stats.nct.cdf(-edge, 24, shift)
    assert exact == pytest.approx(0.7, abs=1e-6)


def test_the_detectable_difference_over_datasets_and_of_runs():
    rng = np.random.default_rng(3)
    x = {"a": rng.normal(size=(12, 1)), "b": rng.normal(size=(12, 1))}
    pair = bc.Scores.from_arrays(x, datasets=12, higher_is_better=True).pair("a", "b")
    effect = bc.frequentist.power_ttest(n=12, power=0.8).effect
    assert bc.frequentist.detectable_difference(pair) == pytest.approx(effect * np.std(x["a"] - x["b"], ddof=1))
    runs = {"a": rng.normal(0, 1, 10), "b": rng.normal(0, 3, 10)}
    pair = bc.Scores.from_arrays(runs, resampling=bc.Resampling.runs(), higher_is_better=True).pair("a", "b")
    spread = np.sqrt((np.var(runs["a"], ddof=1) + np.var(runs["b"], ddof=1)) / 2)
    effect = bc.frequentist.power_ttest(n=10, power=0.8, paired=False).effect
    assert bc.frequentist.detectable_difference(pair) == pytest.approx(effect * spread)
    assert bc.frequentist.detectable_difference([0.5, 0.6], [0.4, 0.5]) == pytest.approx(0, abs=1e-12)
