"""The Behrens-Fisher posterior against scipy, mpmath, brute force and its own limits."""

import json

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayes.distributions import StudentDifference, StudentT


def reference_sf(x, one, two):
    """P(s1 T1 - s2 T2 > x) by adaptive quadrature with mpmath."""
    import mpmath as mp

    mp.mp.dps = 30

    def pdf(df, t):
        c = mp.gamma((df + 1) / mp.mpf(2)) / (mp.sqrt(df * mp.pi) * mp.gamma(mp.mpf(df) / 2))
        return c * (1 + t * t / df) ** (-(df + 1) / mp.mpf(2))

    def sf(df, t):
        tail = mp.betainc(mp.mpf(df) / 2, mp.mpf(1) / 2, 0, df / (df + t * t), regularized=True) / 2
        return tail if t > 0 else 1 - tail

    (s1, df1), (s2, df2) = one, two
    cuts = sorted({-mp.inf, -abs(x) / s2, -10, -1, 0, 1, 10, abs(x) / s2, mp.inf})
    return mp.quad(lambda t: pdf(df2, t) * sf(df1, (x + s2 * t) / s1), cuts)


@pytest.mark.oracle("bayes.welch_ttest", "mpmath")
@pytest.mark.parametrize(
    ("one", "two"), [((1.0, 4), (1.0, 4)), ((0.2, 1), (3.0, 7)), ((2.0, 30), (0.01, 2)), ((1.0, 1), (1.0, 1))]
)
@pytest.mark.parametrize("x", [0.0, 0.7, 25.0])
def test_tail_against_mpmath(one, two, x):
    d = StudentDifference(0.0, one[0], one[1], two[0], two[1])
    assert float(d.sf(x)) == pytest.approx(float(reference_sf(x, one, two)), rel=1e-9)
    assert float(d.cdf(-x)) == pytest.approx(float(d.sf(x)), rel=1e-12), "symmetric about its location"


@pytest.mark.oracle("bayes.welch_ttest", "closed form", "scipy")
def test_two_cauchys_make_a_cauchy():
    """Closed form: the difference of two independent Cauchy variables is Cauchy, scales added."""
    d = StudentDifference(1.0, 2.0, 1, 3.0, 1)
    cauchy = stats.cauchy(1.0, 5.0)
    x = np.array([-1e6, -40.0, 0.0, 1.0, 7.0, 1e4])
    assert d.pdf(x) == pytest.approx(cauchy.pdf(x), rel=1e-10)
    assert d.cdf(x) == pytest.approx(cauchy.cdf(x), rel=1e-10)
    assert d.sf(x) == pytest.approx(cauchy.sf(x), rel=1e-10)
    assert d.ppf([0.001, 0.5, 0.99]) == pytest.approx(cauchy.ppf([0.001, 0.5, 0.99]), rel=1e-9)
    assert d.ppf([0, 0.5, 1]).tolist() == [-np.inf, 1.0, np.inf]
    for location in (-1e8, 1e8):  # a rope far out in either tail keeps its digits
        far = StudentDifference(location, 2.0, 1, 3.0, 1).regions(bc.Rope(-1, 1))
        assert far[1] == pytest.approx(5 / np.pi * 2 / 1e16, rel=1e-6)


@pytest.mark.oracle("bayes.welch_ttest", "closed form", "scipy")
def test_many_runs_make_a_normal_difference():
    """Limit: with a million degrees of freedom the difference of two t is normal, variances added."""
    d = StudentDifference(0.0, 3.0, 1e6, 4.0, 1e6)
    assert float(d.sf(10.0)) == pytest.approx(stats.norm.sf(2.0), rel=1e-4)
    assert d.hdi(0.95) == pytest.approx((-9.79982, 9.79982), rel=1e-5)
    assert float(d.sf(150.0)) == pytest.approx(stats.norm.sf(30.0), rel=0.05), "1e-197, not 0"


def test_one_spread_vanishing_leaves_a_student():
    d, t = StudentDifference(0.2, 1.0, 6, 1e-9, 3), StudentT(0.2, 1.0, 6)
    x = np.array([-9.0, 0.0, 0.3, 50.0])
    assert d.sf(x) == pytest.approx(t.sf(x), rel=1e-7)


@pytest.mark.oracle("bayes.welch_ttest", "brute force")
def test_welch_posterior_against_brute_force(rng):
    a, b = rng.normal(0.82, 0.02, 6), rng.normal(0.80, 0.05, 4)
    p = bc.bayes.welch_ttest(a, b, rope=0.01)
    n = 400_000
    draws = (a.mean() + a.std(ddof=1) / np.sqrt(6) * rng.standard_t(5, n)) - (
        b.mean() + b.std(ddof=1) / np.sqrt(4) * rng.standard_t(3, n)
    )
    shares = ((draws > 0.01).mean(), (abs(draws) <= 0.01).mean(), (draws < -0.01).mean())
    assert (p.p_better, p.p_equivalent, p.p_worse) == pytest.approx(shares, abs=5 * 0.5 / np.sqrt(n))
    assert sum((p.p_better, p.p_equivalent, p.p_worse)) == pytest.approx(1, abs=1e-12)
    assert stats.kstest(p.draws(1_500, random_seed=1), p.cdf).pvalue > 0.001
    low, high = p.hdi(0.9)
    assert float(p.cdf(high) - p.cdf(low)) == pytest.approx(0.9, abs=1e-9)


def test_swap_names_and_json():
    import pandas as pd

    a, b = pd.Series([0.9, 0.8, 0.7], name="resnet"), pd.Series([0.6, 0.65], name="vit")
    p = bc.bayes.welch_ttest(a, b, rope=0.01)
    assert p.swap() == bc.bayes.welch_ttest(b, a, rope=0.01)
    assert p.swap().p_better == pytest.approx(p.p_worse, rel=1e-12)
    assert "P(resnet better)" in repr(p)
    assert bc.bayes.Posterior.from_dict(json.loads(json.dumps(p.to_dict()))) == p


@pytest.mark.oracle("bayes.welch_ttest", "scipy")
def test_constant_runs_are_known_exactly():
    with pytest.warns(bc.DegenerateWarning, match="all runs of A"):
        p = bc.bayes.welch_ttest([0.5, 0.5], [0.4, 0.6, 0.8], rope=0)
    t = stats.ttest_1samp([0.4, 0.6, 0.8], 0.5, alternative="greater")
    assert p.p_better == pytest.approx(t.pvalue, rel=1e-12)
    with pytest.warns(bc.DegenerateWarning, match="of A and of B"):
        p = bc.bayes.welch_ttest([0.5, 0.5], [0.4, 0.4], rope=0.01)
    assert p.p_better == 1


def test_lower_is_better():
    p = bc.bayes.welch_ttest([1.0, 1.2, 0.9], [2.0, 2.2, 2.1], rope=0.1, higher_is_better=False)
    assert p.p_better > 0.9
    assert p.mean == pytest.approx(2.1 - 31 / 30)


def test_unpaired_lengths_point_to_welch():
    with pytest.raises(bc.ScoresError, match="welch_ttest"):
        bc.bayes.correlated_ttest([0.9, 0.8], [0.7, 0.8, 0.9], rope=0.01, resampling=bc.Resampling.kfold(2))


def test_huge_and_tiny_scores():
    """Scaling scores and rope together changes nothing."""
    a, b = np.array([3.0, 4.0, 6.0]), np.array([1.0, 2.0])
    plain = bc.bayes.welch_ttest(a, b, rope=0)
    for unit in (2.0**990, 2.0**-990):
        scaled = bc.bayes.welch_ttest(a * unit, b * unit, rope=0)
        assert scaled.p_better == pytest.approx(plain.p_better, rel=1e-12)
        assert np.isfinite(scaled.hdi()).all()
        assert "P(A better)" in repr(scaled)
