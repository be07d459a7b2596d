"""The shortest interval, of draws and of distributions."""

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayes import hdi


@pytest.mark.oracle("bayes.hdi", "scipy")
def test_symmetric_distribution_is_central():
    assert hdi(stats.t(5), 0.9) == pytest.approx(stats.t(5).interval(0.9), abs=1e-4)


@pytest.mark.oracle("bayes.hdi", "scipy")
def test_skewed_distribution_has_equal_density_at_both_ends():
    gamma = stats.gamma(3)
    low, high = hdi(gamma, 0.8)
    assert gamma.cdf(high) - gamma.cdf(low) == pytest.approx(0.8, abs=1e-9)
    assert gamma.pdf(low) == pytest.approx(gamma.pdf(high), rel=1e-4)


@pytest.mark.oracle("bayes.hdi", "closed form")
def test_monotone_density_starts_at_its_mode():
    """Closed form: the exponential's HDI is [0, -log(1 - mass)]."""
    assert hdi(stats.expon(), 0.95) == pytest.approx((0, -np.log(0.05)), abs=1e-6)


@pytest.mark.oracle("bayes.hdi", "closed form")
@pytest.mark.parametrize("mass", [0.7, 0.61])
def test_draws_by_hand(mass):
    """Of 10 draws, 7 hold 70 %, and 61 % need as many: the shortest run of 7 ordered draws starts at 3."""
    draws = [9, 0, 3, 4, 5, 6, 7, 8, 20, 30]
    assert hdi(draws, mass) == (3, 9)


def test_draws_approach_the_distribution():
    draws = stats.gamma(3).rvs(200_000, random_state=1)
    assert hdi(draws, 0.8) == pytest.approx(hdi(stats.gamma(3), 0.8), abs=0.06)


@pytest.mark.parametrize("mass", [0, 1, 95, -0.1, float("nan")])
def test_mass_must_be_a_share(mass):
    with pytest.raises(ValueError, match="between 0 and 1"):
        hdi([1.0, 2.0], mass)


@pytest.mark.parametrize("draws", [[], [1, np.nan], [1, np.nan, 2], [1, 2, np.inf], [1, 2, -np.inf]])
def test_draws_must_be_numbers(draws):
    with pytest.raises(ValueError, match="needs draws"):
        hdi(draws)


def test_all_of_the_mass_is_refused_in_words():
    p = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)
    for call in (lambda: p.hdi(1), lambda: bc.bayes.hdi([1.0, 2.0, 3.0], 1.0)):
        with pytest.raises(ValueError, match=r"whole support.*use 0\.99 or less"):
            call()
