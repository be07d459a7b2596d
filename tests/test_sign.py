"""The Bayesian sign test and its exact integral, against closed forms, mpmath, brute force and baycomp."""

import itertools
import json

import numpy as np
import pytest
from scipy import integrate, special, stats

import bayescmp as bc
from bayescmp.bayes.sign import _beta_hdi
from bayescmp.numerics.dirichlet import _log_peak_density, p_largest

NB = [96.43, 73.42, 72.30, 71.70, 71.67, 74.36, 70.63, 83.21, 98.22, 69.62]
SVM = [99.44, 81.34, 91.51, 66.16, 71.67, 77.08, 62.21, 80.63, 93.58, 99.90]
ADA = [83.63, 46.46, 72.31, 70.28, 71.67, 74.35, 44.91, 82.54, 93.21, 72.54]
RF = [99.55, 79.15, 80.97, 69.99, 71.67, 74.88, 79.87, 84.58, 99.39, 93.94]


@pytest.mark.oracle("bayes.sign_test bayes.RegionPosterior.expected", "example: W30")
def test_worked_example():
    """Example W30: counts 4, 1, 5 and 0, 3, 7 with one prior dataset on equivalent."""
    p = bc.bayes.sign_test(np.divide(NB, 100), np.divide(SVM, 100), rope=0.01)
    assert (p.p_better, p.p_equivalent, p.p_worse) == pytest.approx((0.339679, 0.059005, 0.601316), abs=5e-7)
    q = bc.bayes.sign_test(np.divide(ADA, 100), np.divide(RF, 100), rope=0.01)
    assert (q.p_better, q.p_equivalent, q.p_worse) == pytest.approx((0, 0.171875, 0.828125), abs=1e-12)
    assert list(p.expected.values()) == pytest.approx([4 / 11, 2 / 11, 5 / 11])
    assert set(p.mcse.values()) == {0.0}


def reference(i, alpha):
    """P(theta_i is the largest) by mpmath's adaptive quadrature on a fine partition of log x."""
    import mpmath as mp

    with mp.workdps(30):
        a = [mp.mpf(float(x)) for x in alpha]
        others = [x for j, x in enumerate(a) if j != i and x > 0]

        def integrand(t):
            x = mp.exp(t)
            density = mp.exp(a[i] * t - x - mp.loggamma(a[i]))
            return density * mp.fprod(mp.gammainc(b, 0, x, regularized=True) for b in others)

        top = mp.log(sum(a))
        return float(
            mp.quad(integrand, [*(top - 60 + 4 * k for k in range(14)), *(top - 4 + mp.mpf(k) / 4 for k in range(40))])
        )


@pytest.mark.oracle("bayes.sign_test", "brute force")
def test_random_counts_against_brute_force():
    """A hundred random counts and priors: 100,000 Dirichlet draws each, within 4.5 Monte-Carlo errors."""
    rng = np.random.default_rng(1)
    for _ in range(100):
        alpha = rng.integers(0, 30, 3) + rng.choice([0.1, 0.5, 1.0])
        shares = np.bincount(rng.dirichlet(alpha, 100_000).argmax(axis=1), minlength=3) / 100_000
        exact = p_largest(alpha)
        assert np.abs(shares - exact).max() < 4.5 * np.sqrt(0.25 / 100_000)
        assert exact.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.oracle("bayes.sign_test", "mpmath")
@pytest.mark.parametrize(
    "alpha",
    [
        (4, 2, 5),
        (10, 50, 51),
        (5.0908542, 2.2415e-6, 5.6788193),
        (5.3, 6.2, 4.8),  # where the width of the density and that of the integrand differ most
        *(
            pytest.param(alpha, marks=pytest.mark.slow)
            for alpha in ((0.5, 3, 7), (1 / 3, 1 / 3, 25 / 3), (1e-3, 2, 3), (60, 75, 80), (0.033, 0.0106, 0.587))
        ),
    ],
)
def test_integral_against_mpmath(alpha):
    assert p_largest(np.array(alpha, float)) == pytest.approx([reference(i, alpha) for i in range(3)], rel=5e-12)


@pytest.mark.oracle("bayes.sign_test", "closed form")
def test_tails_keep_their_digits():
    """Closed form: G_1 ~ Gamma(1) beats G_3 ~ Gamma(b) with probability 2^-b; a tiny third share changes nothing."""
    for b in (100, 500, 1000):
        assert p_largest(np.array([1.0, 1e-9, b]))[0] == pytest.approx(2.0**-b, rel=1e-7)
    # both others at most x: symmetric in them, and ordered as the alphas are
    p = p_largest(np.array([3.0, 400.0, 420.0]))
    assert 0 < p[0] < 1e-100


@pytest.mark.oracle("bayes.sign_test", "closed form")
def test_equal_alphas_have_equal_chances():
    for a in (0.01, 1.0, 37.0, 1e6):
        assert p_largest(np.full(3, a)) == pytest.approx([1 / 3] * 3, abs=1e-14)


def test_the_order_of_the_shares_changes_no_digit(rng):
    """Equal alphas, and the same ones mirrored: B over A has the numbers of A over B."""
    for alpha in np.floor(rng.uniform(0, 40, (200, 3))) + rng.choice([0, 0.5], (200, 3)):
        one, other = p_largest(alpha), p_largest(alpha[::-1])
        assert tuple(one) == tuple(other[::-1])
        first, second, _ = p_largest(np.array([alpha[0], alpha[0], 50.0]))
        assert first == second


@pytest.mark.oracle("bayes.sign_test", "closed form")
def test_tiny_alphas_put_everything_into_one_share():
    """Limit: Dirichlet(eps a) is a corner, the i-th with probability a_i / sum a."""
    assert p_largest(np.array([1e-6, 2e-6, 7e-6])) == pytest.approx([0.1, 0.2, 0.7], abs=1e-4)


def test_shortest_interval_of_a_share_that_only_falls_or_only_rises():
    """Beta(1, b) is densest at 0: the interval ends where 1 - (1 - x)^b is the mass; a count of 0 makes a point."""
    assert _beta_hdi(1, 5, 0.9) == pytest.approx((0, 1 - 0.1 ** (1 / 5)), abs=1e-9)
    assert _beta_hdi(5, 1, 0.9) == pytest.approx((0.1 ** (1 / 5), 1), abs=1e-9)
    assert (_beta_hdi(0, 3, 0.9), _beta_hdi(3, 0, 0.9)) == ((0, 0), (1, 1))


@pytest.mark.oracle("bayes.sign_test", "scipy")
@pytest.mark.parametrize("alpha", [(0.03, 0.02, 0.05), (0.4, 0.1, 0.7), (0.05, 3.0, 4.0)])
def test_small_alphas_by_quadrature_in_the_logarithm(alpha):
    """Gammas of 10^-200 and less have a part in it; scipy's quad over log x."""
    a, *others = alpha

    def integrand(t):
        x = np.exp(t)
        return np.exp(a * t - x - special.gammaln(a)) * np.prod([special.gammainc(b, x) for b in others])

    pieces = [-700, -200, -60, -25, -8, -2, 0, 1, 2, 4]
    expected = sum(integrate.quad(integrand, *ends, epsabs=0, epsrel=1e-11)[0] for ends in itertools.pairwise(pieces))
    assert p_largest(np.array(alpha))[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.oracle("bayes.sign_test", "scipy")
@pytest.mark.parametrize(("n", "error"), [(1e3, 1e-13), (1e6, 1e-11), (1e9, 2e-7)])
def test_errors_of_large_counts_are_as_the_page_says(n, error):
    """A Beta tail, for probabilities from 1/2 to 1e-12."""
    for deviations in (0, 0.5, 1, 2, 3, 5, 7):
        a = np.round(n - deviations * np.sqrt(2 * n))
        assert abs(p_largest(np.array([a, 0.5, n]))[0] - special.betainc(n, a, 0.5)) < error


@pytest.mark.oracle("bayes.sign_test", "scipy", "brute force")
def test_a_million_datasets():
    """Two shares of 10^6 counts: a Beta tail. Three: normal by the central limit theorem."""
    for a, b in ((1e6, 1e6 + 500), (1e6, 1e6 + 4e3)):
        assert p_largest(np.array([a, 1e-3, b]))[0] == pytest.approx(special.betainc(b, a, 0.5), rel=1e-8)
    alpha = 1e6 + np.array([0.0, 1e3, -300])
    draws = np.random.default_rng(3).normal(alpha, np.sqrt(alpha), (400_000, 3)).argmax(axis=1)
    assert p_largest(alpha) == pytest.approx(np.bincount(draws) / 400_000, abs=0.004)


def test_density_at_the_peak_against_mpmath():
    """a log a - a - log Gamma(a), by Stirling's series from 50 on."""
    import mpmath as mp

    with mp.workdps(40):
        for a in (0.01, 1.0, 7.5, 49.9, 50.0, 51.0, 80.0, 1e3, 1e6):
            exact = mp.mpf(a) * mp.log(a) - a - mp.loggamma(a)
            assert _log_peak_density(a) == pytest.approx(float(exact), rel=1e-14, abs=1e-13)


@pytest.mark.oracle("bayes.sign_test", "mpmath")
@pytest.mark.parametrize(("a", "rel"), [(2e4, 1e-11), (1e5, 1e-11), (3e5, 1e-10), (1e6, 5e-6)])
def test_tails_of_many_datasets(a, rel):
    """P(the smaller of two large shares is the largest) is a Beta tail, here by its power series in mpmath."""
    import mpmath as mp

    with mp.workdps(30):
        for deviations in (0.1, 1, 5, 8, 30):
            b = np.round(a + deviations * np.sqrt(2 * a))
            term = total = mp.mpf(1)
            for k in range(100_000):  # sum of (a + b)_k / (b + 1)_k 2^-k
                term *= mp.mpf(a + b + k) / (b + 1 + k) / 2
                total += term
                if term < total * mp.mpf(10) ** -20:
                    break
            log_beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
            exact = mp.exp(-(a + b) * mp.log(2) - mp.log(b) - log_beta) * total
            assert p_largest(np.array([a, 1e-3, b]))[0] == pytest.approx(float(exact), rel=rel)


@pytest.mark.oracle("bayes.sign_test", "baycomp")
def test_agrees_with_baycomp():
    """baycomp draws 50,000 times; its rope has no tolerance at the border, so differences stay away from it."""
    import baycomp

    rng = np.random.default_rng(5)
    a, b = rng.normal(0.8, 0.03, (2, 30))
    left, middle, right = baycomp.SignTest.probs(b, a, rope=0.01, prior=1, nsamples=200_000)
    p = bc.bayes.sign_test(a, b, rope=0.01)
    assert (p.p_worse, p.p_equivalent, p.p_better) == pytest.approx(
        (left, middle, right), abs=4 * 0.5 / np.sqrt(200_000)
    )


@pytest.mark.oracle("bayes.sign_test", "closed form", "scipy")
def test_no_rope_is_a_beta_tail():
    """Closed form: ties and a prior on equivalent go half to each side."""
    a, b = np.array([3.0, 2.0, 2.0, 1.0, 5.0]), np.array([1.0, 1.0, 1.0, 1.0, 6.0])  # 3 wins, 1 tie, 1 loss
    p = bc.bayes.sign_test(a, b, rope=0)
    assert p.p_better == pytest.approx(stats.beta.sf(0.5, 4, 2), rel=1e-12)
    assert p.p_equivalent == 0
    assert bc.bayes.sign_test(a, b, rope=0, prior=3, prior_place="B").p_better == pytest.approx(
        stats.beta.sf(0.5, 3.5, 4.5), rel=1e-12
    )


@pytest.mark.oracle("bayes.RegionPosterior.expected", "closed form")
@pytest.mark.parametrize(
    ("place", "alpha"),
    [("A", (5, 2, 3)), ("equivalent", (3, 4, 3)), ("B", (3, 2, 5)), ("spread", (11 / 3, 8 / 3, 11 / 3))],
)
def test_prior_is_where_it_was_put(place, alpha):
    differences = np.array([1.0] * 3 + [0.0] * 2 + [-1.0] * 3)
    p = bc.bayes.sign_test(differences, np.zeros(8), rope=0.5, prior=2, prior_place=place)
    assert list(p.expected.values()) == pytest.approx(np.array(alpha) / 10)
    assert p.settings["prior_place"] == place
    other = bc.bayes.sign_test(
        np.zeros(8), differences, rope=0.5, prior=2, prior_place={"A": "B", "B": "A"}.get(place, place)
    )
    assert list(p.swap().probabilities.values()) == pytest.approx(list(other.probabilities.values()), rel=1e-12)
    assert p.swap().inference == other.inference


@pytest.mark.oracle("bayes.sign_test", "closed form")
def test_strength_zero_leaves_empty_regions_empty():
    p = bc.bayes.sign_test([1.0, 2.0, 0.0], [0.0, 0.0, 0.0], rope=0.5, prior=0)
    assert p.p_worse == 0
    assert p.p_better == pytest.approx(stats.beta.sf(0.5, 2, 1))
    assert p.theta_hdi()["B better"] == (0, 0)
    all_one_side = bc.bayes.sign_test([1.0, 2.0], [0.0, 0.0], rope=0.5, prior=0)
    assert (all_one_side.p_better, list(all_one_side.expected.values())) == (1, [1, 0, 0])


@pytest.mark.oracle("bayes.RegionPosterior.theta_hdi", "scipy")
def test_theta_intervals_hold_their_mass():
    p = bc.bayes.sign_test(np.divide(NB, 100), np.divide(SVM, 100), rope=0.01)
    for (low, high), (a, b) in zip(p.theta_hdi(0.9).values(), [(4, 7), (2, 9), (5, 6)], strict=True):
        assert stats.beta.cdf(high, a, b) - stats.beta.cdf(low, a, b) == pytest.approx(0.9, abs=1e-9)
        assert stats.beta.pdf(low, a, b) == pytest.approx(stats.beta.pdf(high, a, b), rel=1e-3)


@pytest.mark.oracle("bayes.RegionPosterior.draws bayes.RegionPosterior.simplex", "scipy")
def test_simplex_draws_are_the_dirichlet():
    p = bc.bayes.sign_test(np.divide(NB, 100), np.divide(SVM, 100), rope=0.01)
    draws = p.draws(20_000, random_seed=2)
    assert draws.sum(axis=1) == pytest.approx(np.ones(20_000))
    assert stats.kstest(draws[:, 0], stats.beta(4, 7).cdf).pvalue > 0.001
    assert p.simplex.shape == (4000, 3)
    assert stats.kstest(p.simplex[:, 2], stats.beta(5, 6).cdf).pvalue > 0.001


def test_rope_curve_and_with_rope_agree():
    p = bc.bayes.sign_test(bc.load_uci().pair("rf", "svm"), rope=0.01)
    curve = p.rope_curve([0, 0.01, 0.05])
    for row, rope in zip(curve.itertuples(), (0, 0.01, 0.05), strict=True):
        assert row.p_better == p.with_rope(rope).p_better
    assert curve.expected_equivalent.is_monotonic_increasing


def test_prior_sensitivity_tells_every_prior():
    frame = bc.bayes.sign_test(np.divide(NB, 100), np.divide(SVM, 100), rope=0.01).prior_sensitivity()
    row = frame.set_index("prior").loc["strength 2 on A"]
    assert row.p_better == pytest.approx(p_largest(np.array([6.0, 1.0, 5.0]))[0])
    assert len(frame) == 17


def test_json_sentence_and_decision():
    p = bc.bayes.sign_test(bc.load_uci().pair("rf", "tree"), rope=0.01)
    assert bc.bayes.Posterior.from_dict(json.loads(json.dumps(p.to_dict()))) == p
    assert p.decision() is bc.Decision.A_BETTER
    assert p.sentence().startswith(
        "On the next dataset (rope ±0.01): rf better 84.0 %, equivalent 16.0 %, tree better 0.0 %. "
    )
    assert p.with_rope(1).sentence().endswith("equivalence is the most probable outcome is more than 99.9 % certain.")
    assert p.mean is None
    with pytest.raises(ValueError, match="no HDI of the difference"):
        p.hdi()


@pytest.mark.oracle("bayes.RegionPosterior.expected", "closed form")
def test_border_belongs_to_the_rope():
    """0.86 - 0.85 is 0.01 but for rounding."""
    p = bc.bayes.sign_test([0.86, 0.9, 0.7], [0.85, 0.8, 0.7], rope=0.01, prior=0)
    assert list(p.expected.values()) == pytest.approx([1 / 3, 2 / 3, 0])


def test_ropes_for_each_dataset():
    """RMSEs of different units, each with its own rope; differences are then in ropes."""
    scores = bc.Scores.from_arrays({"a": [100.0, 1.0], "b": [130.0, 1.05]}, datasets=["money", "share"], metric="rmse")
    p = bc.bayes.sign_test(scores.pair("a", "b"), rope={"money": 20, "share": 0.1}, prior=0)
    assert list(p.expected.values()) == pytest.approx([0.5, 0.5, 0])
    with pytest.raises(bc.RopeError, match="symmetric"):
        bc.bayes.sign_test(scores.pair("a", "b"), rope={"money": (-1, 2), "share": 0.1})


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"prior": -1}, "strength"),
        ({"prior": np.nan}, "strength"),
        ({"prior_place": "C"}, "place"),
        ({"engine": "x"}, "engine"),
    ],
)
def test_bad_arguments(options, word):
    with pytest.raises(ValueError, match=word):
        bc.bayes.sign_test(NB, SVM, rope=1, **options)


def test_one_dataset_is_refused():
    with pytest.raises(bc.ScoresError, match=r"at least 2 datasets.*correlated_ttest"):
        bc.bayes.sign_test([1.0], [2.0], rope=0)


@pytest.mark.oracle("bayes.sign_test", "PyMC")
@pytest.mark.slow
def test_nuts_agrees_with_the_integral():
    fast = {"chains": 2, "cores": 1, "progressbar": False, "random_seed": 4, "draws": 1500}
    a, b = np.divide(NB, 100), np.divide(SVM, 100)
    exact, sampled = bc.bayes.sign_test(a, b, rope=0.01), bc.bayes.sign_test(a, b, rope=0.01, engine="nuts", **fast)
    for name, p in exact.probabilities.items():
        assert sampled.probabilities[name] == pytest.approx(p, abs=4.5 * sampled.mcse[name])
        assert sampled.expected[name] == pytest.approx(exact.expected[name], abs=0.02)
    assert sampled.swap().p_better == sampled.p_worse
    with pytest.raises(ValueError, match="drew theta for the rope"):
        _ = sampled.with_rope(0.02).p_better
    with pytest.raises(bc.RopeError, match="rope="):
        bc.bayes.pymc_model("sign_test", bc.load_uci().pair("rf", "svm"))
