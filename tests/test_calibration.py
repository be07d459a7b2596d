"""Simulated experiments with a known truth: is a probability of 0.9 right nine times out of ten?"""

import numpy as np
import pytest
from scipy import stats

from bayescmp.bayes.correlated_t import posterior_parameters, probabilities


def compound_symmetric(rng, experiments, n, rho):
    """Standard normal scores, every two with correlation rho."""
    shared = rng.standard_normal((experiments, 1))
    return np.sqrt(rho) * shared + np.sqrt(1 - rho) * rng.standard_normal((experiments, n))


@pytest.mark.oracle("bayes.correlated_ttest", "simulation")
def test_correlated_t_is_calibrated_and_the_plain_t_is_not():
    """200,000 experiments of 10x10 CV with true difference 0.

    The posterior's cdf at the truth is uniform; the two-sided test has its level; the uncorrected t-test has the level
    that follows from t * sqrt((1 + 99 rho) / (1 - rho)) being its null distribution: 0.570 instead of 0.05.
    """
    rng = np.random.default_rng(7)
    n, rho, experiments = 100, 0.1, 200_000
    p_worse = np.empty(experiments)
    plain = np.empty(experiments)
    for start in range(0, experiments, 20_000):
        part = slice(start, start + 20_000)
        d = compound_symmetric(rng, 20_000, n, rho)
        p_worse[part] = probabilities(d, rho=rho, rope=0)[:, 2]
        location, scale, _ = posterior_parameters(d, 0.0)
        plain[part] = location / scale
    # KS at this size would see an error of 0.004 in any probability
    assert stats.kstest(p_worse, "uniform").pvalue > 0.001
    corrected_level = np.mean(np.minimum(p_worse, 1 - p_worse) < 0.025)
    assert corrected_level == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / experiments))
    # the variance of the mean is (1 + 99 rho)/100, the expected sample variance is 1 - rho
    factor = np.sqrt((1 + (n - 1) * rho) / (1 - rho))
    true_level = 2 * stats.t.sf(stats.t.isf(0.025, n - 1) / factor, n - 1)
    assert true_level == pytest.approx(0.570, abs=0.0005)
    observed = np.mean(np.abs(plain) > stats.t.isf(0.025, n - 1))
    assert observed == pytest.approx(true_level, abs=4 * np.sqrt(0.25 / experiments))
