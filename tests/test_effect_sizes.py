"""Effect sizes and intervals against worked examples, other libraries, brute force, and their own coverage."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import Resampling, ScoresError, frequentist
from bayescmp.frequentist.intervals import (
    BinomialInterval,
    IntervalRule,
    MedianInterval,
    PairedProportionsInterval,
    StudentInterval,
    WalshInterval,
    walsh_average,
)
from bayescmp.numerics.noncentral import noncentral_cdf, noncentrality_interval

DT = np.array([10, 9, 14, 6, 7, 4, 5, 10, 8, 12]) / 60
SVM = np.array([4, 3, 4, 6, 2, 1, 1, 4, 5, 6]) / 60


def check_coverage(hits, level=0.95, low=None):
    rate, error = np.mean(hits), math.sqrt(level * (1 - level) / len(hits))
    assert (low or level - 4 * error) <= rate <= level + 4 * error + 0.02


@pytest.mark.oracle(
    "frequentist.cohens_d frequentist.cohens_dz frequentist.hedges_g frequentist.raw_difference",
    "example: W07",
)
@pytest.mark.oracle("frequentist.cohens_dav", "closed form")
def test_w07_every_form_of_d():
    """W07: 1.90652 with ddof 1, 2.00964872 with the book's code (ddof 0), d_z 1.853498, g 1.825963."""
    assert frequentist.cohens_d(DT, SVM).value == pytest.approx(1.90652, abs=1e-5)
    assert frequentist.cohens_d(DT, SVM, ddof=0).value == pytest.approx(2.00964872, abs=1e-8)
    assert frequentist.cohens_dz(DT, SVM).value == pytest.approx(1.853498, abs=1e-6)
    assert frequentist.hedges_g(DT, SVM).value == pytest.approx(1.825963, abs=1e-6)
    dav = (DT - SVM).mean() / ((DT.std(ddof=1) + SVM.std(ddof=1)) / 2)
    assert frequentist.cohens_dav(DT, SVM).value == pytest.approx(dav)
    assert frequentist.raw_difference(DT, SVM).value == pytest.approx(0.0816667, abs=1e-7)


@pytest.mark.oracle("frequentist.rank_biserial", "example: W19")
def test_w19_rank_biserial_has_n_times_n_plus_1_below():
    """W19: 0.177778, where the misprinted n + (n+1) makes it 0.842; unrounded data 0.163636."""
    d = np.array([0.016, 0.023, 0.007, -0.002, 0.052, -0.005, -0.007, -0.02, -0.011])
    effect = frequentist.rank_biserial(d, np.zeros(9))
    assert effect.value == pytest.approx(0.177778, abs=1e-6)
    assert effect.label() == "small"
    assert frequentist.rank_biserial(bc.load_domains().pair("A", "C")).value == pytest.approx(0.163636, abs=1e-6)


@pytest.mark.oracle("frequentist.rank_biserial", "brute force")
def test_rank_biserial_projection_by_brute_force(rng):
    """The vectorised standard error equals that of the double loop over sign(d_i + d_j), ties and zeros included."""
    for _ in range(20):
        d = rng.integers(-5, 8, 15).astype(float)
        d = d[d != 0]
        n = len(d)
        r = sum(np.sign(d[i] + d[j]) for i in range(n) for j in range(i, n)) / (n * (n + 1) / 2)
        projection = np.array([np.mean(np.sign(x + d)) for x in d])
        reach = stats.norm.ppf(0.975) * 2 * projection.std(ddof=1) / math.sqrt(n) / (1 - r**2)
        effect = frequentist.rank_biserial(d, np.zeros(n))
        assert effect.value == pytest.approx(r)
        assert effect.interval == pytest.approx((math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)))


@pytest.mark.oracle("frequentist.rank_biserial frequentist.cliffs_delta", "scipy")
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bounds_where_all_agree_are_those_of_n_wins_of_n(level):
    """n of n give P >= Clopper and Pearson's bound. Cliff's delta has two samples, so each gets half of the tail, and
    the smaller one the say; both of two draws on their side have the square of it."""
    p = stats.binomtest(7, 7).proportion_ci(level, method="exact").low
    d, zeros = np.arange(1.0, 8), np.zeros(7)
    assert frequentist.rank_biserial(d, zeros, confidence_level=level).interval == pytest.approx((2 * p - 1, 1))
    assert frequentist.rank_biserial(zeros, d, confidence_level=level).interval == pytest.approx((-1, 1 - 2 * p))
    p = stats.binomtest(7, 7).proportion_ci((1 + level) / 2, method="exact").low
    high, low = 10 + np.arange(7), np.arange(9)
    found = [
        frequentist.cliffs_delta(*samples, paired=False, confidence_level=level).interval
        for samples in ((high, low), (low, high))
    ]
    assert found[0] == pytest.approx((2 * p**2 - 1, 1))
    assert found[1] == pytest.approx((-1, 1 - 2 * p**2))


@pytest.mark.oracle("frequentist.cliffs_delta", "closed form")
@pytest.mark.parametrize("paired", [True, False])
def test_cliffs_delta_interval_by_its_formula(rng, paired):
    """Feng and Cliff (2004), with the variance of the U-statistic from the table of all signs."""
    x, y = rng.integers(0, 9, 12).astype(float), rng.integers(0, 7, 12 if paired else 17).astype(float)
    signs = np.sign(x[:, None] - y)
    delta, rows, columns = signs.mean(), signs.mean(axis=1), signs.mean(axis=0)
    parts = ((rows + columns, 12),) if paired else ((rows, 12), (columns, 17))
    v = sum(np.var(part, ddof=1) / n for part, n in parts)
    z = stats.norm.isf(0.1)
    half = z * math.sqrt(v) * math.sqrt((1 - delta**2) ** 2 + z**2 * v)
    expected = [(delta - delta**3 + side * half) / (1 - delta**2 + z**2 * v) for side in (-1, 1)]
    assert frequentist.cliffs_delta(x, y, paired=paired, confidence_level=0.8).interval == pytest.approx(expected)
    a12 = frequentist.vargha_delaney(x, y, paired=paired, confidence_level=0.8)
    assert a12.interval == pytest.approx([(bound + 1) / 2 for bound in expected])


@pytest.mark.oracle("frequentist.raw_difference", "scipy")
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_raw_difference_interval_is_scipys(level):
    effect = frequentist.raw_difference(DT, SVM, confidence_level=level)
    assert effect.interval == pytest.approx(tuple(stats.ttest_rel(DT, SVM).confidence_interval(level)))


@pytest.mark.oracle("frequentist.cohens_d", "closed form")
def test_cohens_d_interval_by_its_formula():
    """Bonett (2008) for two paired means, with 9 degrees of freedom."""
    effect = frequentist.cohens_d(DT, SVM)
    v, w, r = DT.var(ddof=1), SVM.var(ddof=1), np.corrcoef(DT, SVM)[0, 1]
    s2 = (v + w) / 2
    d = (DT.mean() - SVM.mean()) / math.sqrt(s2)
    error = math.sqrt(
        d**2 * (v**2 + w**2 + 2 * r**2 * v * w) / (8 * s2**2 * 9) + (v + w - 2 * r * math.sqrt(v * w)) / (s2 * 9)
    )
    assert effect.interval == pytest.approx((d - stats.norm.ppf(0.975) * error, d + stats.norm.ppf(0.975) * error))


@pytest.mark.oracle("frequentist.rank_biserial", "simulation")
@pytest.mark.parametrize("shift", [0.0, 0.5, 1.2])
def test_rank_biserial_interval_covers(shift):
    """The truth for normal differences is 2 Phi(shift sqrt 2) - 1."""
    from bayescmp.frequentist.effect_sizes import rank_biserial_core
    from bayescmp.numerics.ranks import signed_ranks

    d = np.random.default_rng(1).normal(shift, 1, (3000, 25))
    _, low, high = rank_biserial_core(signed_ranks(d, np.zeros(d.shape), "wilcox"), 0.95)
    truth = 2 * stats.norm.cdf(shift * math.sqrt(2)) - 1
    check_coverage((low <= truth) & (truth <= high), low=0.92)


@pytest.mark.oracle("frequentist.rank_biserial", "scipy", "simulation")
@pytest.mark.parametrize("n", [5, 6, 10])
def test_where_all_agree_interval_and_exact_p_value_agree(n):
    """0 is left out where scipy's exact Wilcoxon test rejects at 5 %; and skewed differences are covered: rare, large
    losses are what the bound of n wins of n does not allow for."""
    from bayescmp.frequentist.effect_sizes import rank_biserial_core
    from bayescmp.numerics.ranks import signed_ranks

    low, _ = frequentist.rank_biserial(np.arange(1.0, n + 1), np.zeros(n)).interval
    assert (low > 0) == (stats.wilcoxon(np.arange(1.0, n + 1), method="exact").pvalue <= 0.05)
    rng = np.random.default_rng(n)
    d = math.log(2) - rng.exponential(size=(4000, n))  # P(d > 0) = 1/2, and a sum of two is a Gamma
    truth = 2 * stats.gamma.cdf(2 * math.log(2), 2) - 1
    _, low, high = rank_biserial_core(signed_ranks(d, np.zeros(d.shape), "wilcox"), 0.95)
    check_coverage((low <= truth) & (truth <= high), low=0.93)


@pytest.mark.oracle("frequentist.cohens_dz", "scipy", "simulation")
def test_dz_interval_is_that_of_the_noncentral_t_and_covers():
    rng = np.random.default_rng(2)
    x = rng.normal(0.6, 1, 12)
    low, high = frequentist.cohens_dz(x, np.zeros(12)).interval
    t = x.mean() / x.std(ddof=1) * math.sqrt(12)
    assert stats.nct.sf(t, 11, low * math.sqrt(12)) == pytest.approx(0.025, abs=1e-8)
    assert stats.nct.cdf(t, 11, high * math.sqrt(12)) == pytest.approx(0.025, abs=1e-8)
    hits = []
    for _ in range(600):
        low, high = frequentist.cohens_dz(rng.normal(0.6, 1, 12), np.zeros(12)).interval
        hits.append(low <= 0.6 <= high)
    check_coverage(hits)


@pytest.mark.oracle("frequentist.corrected_ttest", "simulation")
def test_corrected_dz_interval_covers_where_folds_are_correlated():
    """Equally correlated folds, true d_z = mean / sqrt(1 - rho) of the part that varies between folds."""
    rng, rho, n = np.random.default_rng(3), 0.1, 100
    design = Resampling.kfold(10, repeats=10)
    truth, hits = 0.5 / math.sqrt(1 - rho), []
    for _ in range(400):
        d = 0.5 + rng.normal(0, math.sqrt(rho)) + rng.normal(0, math.sqrt(1 - rho), n)
        low, high = frequentist.corrected_ttest(d, np.zeros(n), resampling=design).effect_size.interval
        hits.append(low <= truth <= high)
    check_coverage(hits)


@pytest.mark.oracle("frequentist.cohens_d", "simulation")
def test_cohens_d_interval_covers():
    """Bonett's interval for paired scores, correlation 0.6, true d = 0.8 (asymptotic: n = 60)."""
    rng, hits = np.random.default_rng(4), []
    for _ in range(800):
        x, y = rng.multivariate_normal([0.8, 0], [[1, 0.6], [0.6, 1]], 60).T
        low, high = frequentist.cohens_d(x, y).interval
        hits.append(low <= 0.8 <= high)
    check_coverage(hits, low=0.92)


@pytest.mark.oracle("frequentist.cliffs_delta frequentist.vargha_delaney", "brute force", "simulation")
@pytest.mark.parametrize("paired", [True, False])
def test_cliffs_delta_and_its_interval(paired):
    """By the double loop; the interval covers 2 Phi(0.7/sqrt 2) - 1 for two unit normals 0.7 apart."""
    rng, hits = np.random.default_rng(5), []
    x, y = rng.integers(0, 9, 14).astype(float), rng.integers(0, 7, 14).astype(float)
    expected = np.sign(x[:, None] - y).mean()
    assert frequentist.cliffs_delta(x, y, paired=paired).value == pytest.approx(expected)
    assert frequentist.vargha_delaney(x, y, paired=paired).value == pytest.approx(
        (x[:, None] > y).mean() + (x[:, None] == y).mean() / 2
    )
    correlation = 0.7 if paired else 0.0
    truth = 2 * stats.norm.cdf(0.7 / math.sqrt(2)) - 1
    for _ in range(600):
        x, y = rng.multivariate_normal([0.7, 0], [[1, correlation], [correlation, 1]], 30).T
        low, high = frequentist.cliffs_delta(x, y, paired=paired).interval
        hits.append(low <= truth <= high)
    check_coverage(hits, low=0.92)


@pytest.mark.oracle("frequentist.cliffs_delta frequentist.vargha_delaney", "brute force")
def test_cliffs_delta_of_a_pair_is_that_of_its_folds_or_of_its_datasets_means(rng):
    """One dataset: its folds; several: their means. All pairs of scores by two loops."""
    a, b = rng.normal(0.8, 0.05, (3, 6)), rng.normal(0.78, 0.05, (3, 6))
    for rows in (1, 3):
        pair = bc.Scores.from_arrays(
            {"a": a[:rows], "b": b[:rows]}, resampling=Resampling.kfold(6), higher_is_better=True
        ).pair("a", "b")
        x, y = (a[0], b[0]) if rows == 1 else (a.mean(axis=1), b.mean(axis=1))
        wins = np.mean([np.sign(s - t) for s in x for t in y])
        assert frequentist.cliffs_delta(pair).value == pytest.approx(wins)
        assert frequentist.vargha_delaney(pair).value == pytest.approx((1 + wins) / 2)


def test_pairing_narrows_the_interval_of_cliffs_delta(rng):
    x, y = rng.multivariate_normal([0.3, 0], [[1, 0.9], [0.9, 1]], 40).T
    widths = [np.ptp(frequentist.cliffs_delta(x, y, paired=p).interval) for p in (True, False)]
    assert widths[0] < widths[1] / 2


@pytest.mark.oracle("frequentist.common_language", "simulation")
def test_common_language_is_the_chance_to_win():
    """Phi(d_z): with 200,000 normal differences the share of wins."""
    d = np.random.default_rng(6).normal(0.4, 1, 200_000)
    assert frequentist.common_language(d, np.zeros(d.size)).value == pytest.approx((d > 0).mean(), abs=0.003)
    few = frequentist.common_language(DT, SVM, confidence_level=0.8)
    assert few.interval == pytest.approx(stats.norm.cdf(frequentist.cohens_dz(DT, SVM, confidence_level=0.8).interval))


@pytest.mark.oracle("frequentist.cohens_dz", "scipy", "mpmath")
def test_noncentral_t_agrees_with_scipy_and_mpmath():
    for df in (1, 3, 9, 99):
        for nc in (-3.0, 0.5, 3.0, 12.0):
            for t in (-4.0, 0.0, 0.3, 2.0, 9.0, 200.0):
                if not (nc == 12 and t < 0):  # there scipy may give NaN
                    assert noncentral_cdf(t, df, nc) == pytest.approx(stats.nct.cdf(t, df, nc), abs=1e-9)

    def by_quadrature(t, df, nc):
        density = lambda s: (  # noqa: E731
            2 * (mpmath.mpf(df) / 2) ** (df / 2) / mpmath.gamma(df / 2) * s ** (df - 1) * mpmath.exp(-df * s**2 / 2)
        )
        spots = [0, 0.5, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 3]
        return float(mpmath.quad(lambda s: density(s) * mpmath.ncdf(nc - t * s), spots))

    for t, df, nc in ((2.0, 50, 40.0), (35.0, 50, 40.0), (110.0, 20, 100.0)):
        assert noncentral_cdf(t, df, nc) == pytest.approx(1 - by_quadrature(t, df, nc), abs=1e-12)


def test_labels_only_on_request():
    effect = frequentist.cohens_d(DT, SVM)
    assert "large" not in str(effect)
    assert effect.label() == "large"
    with pytest.raises(ValueError, match="no convention"):
        frequentist.raw_difference(DT, SVM).label()


@pytest.mark.oracle(
    "frequentist.cliffs_delta frequentist.rank_biserial frequentist.cohens_dz",
    "published: Romano et al. (2006) for Cliff's delta, Cohen (1988) for r and d",
)
def test_words_begin_at_their_thresholds():
    """A little below a threshold is the word before it; delta and r by counting, d by a shift."""
    words = ["negligible", "small", "medium", "large"]
    for thresholds, effect in (
        (
            (147, 330, 474),
            lambda k: frequentist.cliffs_delta(np.repeat([1.0, 0.0], [k, 1000 - k]), [0.0, 0.0], paired=False),
        ),
        (
            (100, 300, 500),
            lambda k: frequentist.rank_biserial(np.repeat([1, -1], [500 + k // 2, 500 - k // 2]), [0] * 1000),
        ),
        ((200, 500, 800), lambda k: frequentist.cohens_dz(np.array([-1, 1]) * math.sqrt(0.5) + k / 1000, [0, 0])),
    ):
        for i, k in enumerate(thresholds):
            assert [effect(k + step).label() for step in (-2, 2)] == words[i : i + 2]


def test_one_difference_decides_alone():
    """A rank sum of 1 in all: r is 1 or -1, whatever the differences of 0 beside it."""
    for sign in (1, -1):
        effect = frequentist.rank_biserial([sign * 0.25, 0.5], [0.0, 0.5])
        assert effect.value == sign
        assert effect.interval[0] <= sign <= effect.interval[1]


def test_no_t_is_beyond_infinity():
    assert (noncentral_cdf(math.inf, 3, 1.0), noncentral_cdf(-math.inf, 3, 1.0)) == (1, 0)


def test_no_spread():
    with pytest.raises(ScoresError, match="neither model's scores vary"):
        frequentist.cohens_d([1, 1, 1], [2, 2, 2])
    assert frequentist.cohens_dz([2, 3, 4], [1, 2, 3]).value == math.inf
    assert frequentist.cliffs_delta([1, 1], [1, 1]).interval == (-1, 1)
    low, high = frequentist.cliffs_delta([5, 6, 7, 8, 9, 10, 11, 12], [1] * 8).interval
    assert low < 0.5
    assert high == 1


# ---- intervals of their own


@pytest.mark.oracle("frequentist.mean_interval frequentist.difference_interval", "scipy")
def test_mean_and_difference_intervals_agree_with_scipy(rng):
    x, y = rng.normal(0.8, 0.1, (2, 12))
    t = stats.t.interval(0.9, 11, x.mean(), stats.sem(x))
    assert tuple(frequentist.mean_interval(x, confidence_level=0.9)) == pytest.approx(t)
    assert tuple(frequentist.difference_interval(x, y, corrected=False)) == pytest.approx(
        tuple(stats.ttest_rel(x, y).confidence_interval())
    )


def test_corrected_interval_is_the_hdi_of_the_posterior(labour):
    interval = frequentist.difference_interval(labour, corrected=True)
    assert tuple(interval) == pytest.approx(bc.bayes.correlated_ttest(labour, rope=0.01).hdi(0.95), abs=1e-9)


@pytest.mark.oracle("frequentist.hodges_lehmann_interval", "brute force")
def test_walsh_averages_of_many_by_counting(rng):
    """The k-th smallest by bisection (n > 1000) against all averages sorted."""
    d = np.round(rng.normal(size=1200), 2)
    every = np.sort((d[:, None] + d)[np.triu_indices(1200)] / 2)
    for k in (1, 7, 300_000, 720_600):
        assert walsh_average(d, k) == pytest.approx(every[k - 1], abs=1e-12)


@pytest.mark.oracle("frequentist.hodges_lehmann_interval", "brute force")
def test_hodges_lehmann_interval_of_many_leaves_out_the_tail(rng):
    """All 2^250 signs, counted by convolution: as many rank sums lie below the bound's place as the tail has."""
    d, counts = rng.normal(0.3, 1, 250), np.ones(1)
    for rank in range(1, 251):
        counts = (np.pad(counts, (0, rank)) + np.pad(counts, (rank, 0))) / 2
    i, j = np.triu_indices(250)
    averages = np.sort((d[i] + d[j]) / 2)
    for level in (0.8, 0.95):
        low, high = frequentist.hodges_lehmann_interval(d, np.zeros(250), confidence_level=level)
        below, above = (averages < low - 1e-12).sum(), (averages > high + 1e-12).sum()
        assert below == above
        assert counts[: below + 1].sum() == pytest.approx((1 - level) / 2, abs=3e-4)


@pytest.mark.oracle("frequentist.hodges_lehmann_interval", "simulation")
def test_hodges_lehmann_interval_covers():
    rng, hits = np.random.default_rng(7), []
    for _ in range(800):
        low, high = frequentist.hodges_lehmann_interval(rng.standard_t(3, 15) + 0.3, np.zeros(15))
        hits.append(low <= 0.3 <= high)
    check_coverage(hits)


@pytest.mark.oracle("frequentist.bootstrap_interval", "scipy", "simulation")
@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
def test_bootstrap_interval_is_scipys_and_covers(method):
    rng, hits = np.random.default_rng(8), []
    x = rng.normal(size=20)
    ours = frequentist.bootstrap_interval(x, np.zeros(20), method=method, resamples=999, random_seed=3)
    theirs = stats.bootstrap((x,), np.mean, n_resamples=999, method=method, rng=np.random.default_rng(3))
    assert tuple(ours) == pytest.approx(tuple(theirs.confidence_interval))
    assert "seed 3" in ours.method
    for i in range(200):
        low, high = frequentist.bootstrap_interval(
            rng.normal(0.5, 1, 40), np.zeros(40), method=method, resamples=499, random_seed=i
        )
        hits.append(low <= 0.5 <= high)
    check_coverage(hits, low=0.87)
    equal = frequentist.bootstrap_interval([2, 3, 4], [1, 2, 3], method=method)
    assert (equal.low, equal.high) == (1, 1)


def test_rounding_is_no_variation():
    """0.3 - 0.2 and 0.2 - 0.1 differ in the last bit only: one constant difference of 0.1."""
    a, b = [0.3, 0.2, 0.1], [0.2, 0.1, 0.0]
    for effect in (frequentist.cohens_dz(a, b), frequentist.common_language(a, b)):
        assert (effect.value, effect.interval) == (math.inf if effect.name == "d_z" else 1, None)
    with pytest.warns(bc.DegenerateWarning):
        assert frequentist.paired_ttest(a, b).effect_size.value == math.inf
    low, high = frequentist.raw_difference(a, b).interval
    assert low == high == pytest.approx(0.1)
    for corrected in (True, False):
        interval = frequentist.difference_interval(a, b, corrected=corrected, resampling=Resampling.kfold(3))
        assert interval.low == interval.high == interval.estimate
    constant = frequentist.mean_interval([0.1 + 0.2, 0.3, 0.3, 0.3])
    assert constant.low == constant.high == constant.estimate
    with pytest.raises(ScoresError, match="neither model's scores vary"):
        frequentist.cohens_d([0.1 + 0.2, 0.3, 0.3], [0.2, 0.2, 0.2])


@pytest.mark.parametrize("exponent", [-1000, -530, -500, 400, 515, 660, 1000])
def test_effects_do_not_depend_on_the_unit(rng, exponent):
    """Powers of two change no digit, also where squares would vanish or overflow; warnings are errors."""
    x, y = rng.normal(0.8, 0.05, (2, 12))
    scale = 2.0**exponent
    for effect in (frequentist.cohens_d, frequentist.cohens_dav, frequentist.hedges_g, frequentist.cohens_dz):
        assert effect(scale * x, scale * y) == effect(x, y)
    big, small = frequentist.paired_ttest(scale * x, scale * y), frequentist.paired_ttest(x, y)
    assert (big.statistic, big.p_value, big.notes) == (small.statistic, small.p_value, small.notes)


def test_noncentralities_at_once_are_those_of_the_distribution(rng):
    """P(T <= t) at both bounds is the tail, by the slow and precise integral; from 1 to 100,000 df."""
    for df in (1, 2, 5, 9, 99, 1e5):
        t = np.r_[0, 1e-9, rng.normal(0, 3, 3), np.array([-19, 1.9, 5.9, 8, 30]) * math.sqrt(2 * df)]
        for level in (0.5, 0.95, 0.999):
            low, high = noncentrality_interval(t, df, level)
            for x, one, two in zip(t.tolist(), low.tolist(), high.tolist(), strict=True):
                assert noncentral_cdf(x, df, one) == pytest.approx((1 + level) / 2, abs=1e-10)
                assert noncentral_cdf(x, df, two) == pytest.approx((1 - level) / 2, abs=1e-10)


@pytest.mark.parametrize("df", [1, 2, 9, 99, 1e5])
def test_noncentralities_of_many_t_from_a_few_are_those_of_each(rng, df):
    """Interpolated over hundreds of t, in every band, also where all are close together, or the same."""
    for low, high in ((-2, 2), (2.1, 6), (-20, 20), (0.1, 0.11), (0, 0), (-3, -3)):
        t = rng.uniform(low, high, 1500) * math.sqrt(2 * df)
        for level in (0.5, 0.95, 0.999):
            some = np.array(noncentrality_interval(t, df, level))[:, ::300].T
            each = np.array([noncentrality_interval(t[i : i + 1], df, level) for i in range(0, 1500, 300)])[..., 0]
            assert some == pytest.approx(each, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("x", [0.5, 10, 40])
def test_noncentralities_of_many_t_that_differ_in_the_last_bit(x):
    t = np.r_[np.full(200, x), np.nextafter(x, 99), np.nextafter(x, 0)]
    for df in (1, 9, 99):
        found = np.array(noncentrality_interval(t, df, 0.95))
        each = np.array(noncentrality_interval(t[:1], df, 0.95))
        assert found == pytest.approx(np.broadcast_to(each, found.shape), rel=1e-10)


def test_no_spread_of_ranks_tells_nothing():
    """A U-statistic whose estimated variance is 0 within (-1, 1): one rule, the whole range."""
    assert frequentist.cliffs_delta([0.3, 0.1], [0.1, 0.0]).value == pytest.approx((1 + 1 + 0 + 1) / 4)
    assert frequentist.cliffs_delta([0.3, 0.1], [0.1, 0.0]).interval == (-1, 1)
    assert frequentist.vargha_delaney([0.3, 0.1], [0.1, 0.0]).interval == (0, 1)
    for zero_method in ("wilcox", "pratt", "zsplit"):
        effect = frequentist.rank_biserial([1, 2, 3], [1, 2, 3], zero_method=zero_method)
        assert (effect.value, effect.interval) == (0, (-1, 1))


def test_bca_falls_back_where_it_is_not_defined():
    """The jackknife medians of five ones and a two are all 1: no acceleration, so scipy's percentile interval."""
    d = np.array([1, 1, 1, 1, 1, 2.0])
    interval = frequentist.bootstrap_interval(d, np.zeros(6), statistic=np.median, random_seed=1, resamples=999)
    theirs = stats.bootstrap(
        (d,), np.median, n_resamples=999, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert tuple(interval) == tuple(theirs)
    assert "percentile (BCa is not defined" in interval.method


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"resamples": 0}, "at least 99, got 0"),
        ({"resamples": 999.5}, "whole number"),
        ({"resamples": True}, "whole number"),
        ({"statistic": lambda x: x.mean()}, "`axis`"),
        ({"statistic": lambda x, axis: x.mean(axis=axis) * math.nan, "method": "percentile"}, "NaN"),
    ],
)
def test_bad_bootstraps(options, words):
    with pytest.raises(ValueError, match=words):
        frequentist.bootstrap_interval(DT, SVM, random_seed=1, **options)


@pytest.mark.parametrize("samples", [([1.0], [1.0, 2.0, 3.0]), ([1.0, 2.0, 3.0], [1.0])])
def test_one_score_has_no_spread(samples):
    with pytest.raises(ScoresError, match="at least 2 scores"):
        frequentist.cliffs_delta(*samples, paired=False)


def test_one_dataset_cannot_be_resampled():
    with pytest.raises(ScoresError, match="at least 2 datasets, got 1"):
        frequentist.bootstrap_interval([0.9], [0.8])


def test_intervals_and_their_rules_survive_json_and_change_sides():
    """Every rule: the interval of B - A is that of A - B with its signs turned; unknown and abstract kinds raise."""
    interval = frequentist.mean_interval([0.8, 0.9, 0.7])
    assert frequentist.Interval.from_json(interval.to_json()) == interval
    d = (0.1, -0.2, 0.3, 0.05, 0.4, 0.25, 0.7)
    rules = (
        StudentInterval(0.2, 0.1, 9.0),
        StudentInterval(0.2, 0.1, math.inf),
        WalshInterval(d),
        MedianInterval(d),
        PairedProportionsInterval(7, 3, 40),
    )
    for rule in (*rules, BinomialInterval(7, 40)):
        assert IntervalRule.from_json(rule.to_json()) == rule
        assert rule.swap().swap() == rule
    for rule in rules:
        low, high = rule.at(0.9)
        assert rule.swap().at(0.9) == pytest.approx((-high, -low))
    low, high = BinomialInterval(7, 40).at(0.9)
    assert BinomialInterval(7, 40).swap().at(0.9) == pytest.approx((1 - high, 1 - low))  # the share of the others
    for kind in ("IntervalRule", "Interval", "none such"):
        with pytest.raises(ValueError, match="must have a kind of BinomialInterval, MedianInterval"):
            IntervalRule.from_dict({"kind": kind})
