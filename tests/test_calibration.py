"""Simulated experiments with a known truth: is a probability of 0.9 right nine times out of ten?"""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayes.correlated_t import probabilities
from bayescmp.numerics.student import student_p, student_parameters


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
        location, scale, _ = student_parameters(d, 0.0)
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


@pytest.mark.parametrize(("n", "rho"), [(10, 0.1), (100, 0.1), (10, 0.5), (30, 1 / 3)])
@pytest.mark.parametrize("shift", [0.0, 2.0])
def test_level_and_power_of_the_corrected_t_are_those_of_the_noncentral_t(n, rho, shift):
    """Under equal correlations its statistic is noncentral t, the shift in standard errors of the mean."""
    rng = np.random.default_rng([n, int(shift)])
    d = compound_symmetric(rng, 10_000, n, rho) + shift * np.sqrt((1 + (n - 1) * rho) / n)
    rejected = student_p(*student_parameters(d, rho, 0.0), "two-sided", 0.0)[1] <= 0.05
    t = stats.t.isf(0.025, n - 1)
    power = stats.nct.sf(t, n - 1, shift) + stats.nct.cdf(-t, n - 1, shift)
    assert rejected.mean() == pytest.approx(power, abs=4 * np.sqrt(power * (1 - power) / len(d)))


def test_equivalence_is_declared_no_more_often_than_it_may():
    """True difference on the rope's border, a wide rope: one of the two one-sided tests decides, at exactly 0.05."""
    rng, design = np.random.default_rng(3), bc.Resampling.kfold(10, repeats=10)
    width = 5 * np.sqrt((1 + 99 * 0.1) / 100)
    d = width + compound_symmetric(rng, 800, 100, 0.1)
    p = [bc.frequentist.tost_ttest(x, np.zeros(100), rope=width, resampling=design).p_value for x in d]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / len(d)))


def test_sign_test_is_calibrated_under_its_own_prior():
    """theta ~ Dirichlet(1, 1, 1), counts from theta: each outcome is the most probable one as often as stated."""
    rng = np.random.default_rng(5)
    stated, true = [], []
    for theta in rng.dirichlet((1, 1, 1), 600):
        d = np.repeat([1.0, 0.0, -1.0], rng.multinomial(8, theta))
        p = bc.bayes.sign_test(d, np.zeros(8), rope=0.5, prior=3, prior_place="spread")
        stated.append((p.p_better, p.p_equivalent, p.p_worse))
        true.append(theta == theta.max())
    p, hit = np.ravel(stated), np.ravel(true)
    for low, high in ((0, 0.1), (0.1, 0.4), (0.4, 0.7), (0.7, 1)):
        here = (p > low) & (p <= high)
        assert here.sum() > 50
        assert hit[here].sum() == pytest.approx(p[here].sum(), abs=4 * np.sqrt((p[here] * (1 - p[here])).sum()))


def test_welch_posterior_covers_at_least_as_often_as_it_says():
    """Behrens-Fisher: intervals of 5 against 5 runs with equal spreads are known to be too wide by up to 0.05."""
    rng = np.random.default_rng(9)
    below = np.array([bc.bayes.welch_ttest(*rng.standard_normal((2, 5)), rope=0).cdf(0.0) for _ in range(400)])
    for mass in (0.5, 0.8, 0.95):
        covered, error = np.mean(np.abs(below - 0.5) <= mass / 2), np.sqrt(mass * (1 - mass) / below.size)
        assert mass - 4 * error <= covered <= mass + 0.05 + 4 * error


# ---- designs with names: real learners that are equally good


def bags(rng):
    """The training sets of 25 bootstrap samples of 60 cases; the cases left out are tested."""
    train = np.zeros((25, 60), dtype=bool)
    np.put_along_axis(train, rng.integers(0, 60, (25, 60)), True, axis=1)
    return train, ~train


def each_block_once(rng):
    test = np.kron(np.eye(10, dtype=bool), np.ones(15, dtype=bool))
    return ~test, test


def blocks_in_time(rng):
    test = np.kron(np.eye(10, dtype=bool), np.ones(15, dtype=bool))
    return (test.cumsum(axis=0) - test).astype(bool)[1:], test[1:]


def each_case_once(rng):
    return ~np.eye(60, dtype=bool), np.eye(60, dtype=bool)


def differences_of_equal_models(rng, design, studies, alike=0.0):
    """Accuracies of two nearest-neighbour classifiers, which see two sets of features of the same kind.

    Neither is better by symmetry. `alike` is the correlation of each feature, and of the label, with its last value.
    """
    found = []
    for _ in range(studies):
        train, test = design(rng)
        signal = rng.standard_normal((train.shape[1], 9))
        for before, now in pairwise(signal):
            now *= np.sqrt(1 - alike**2)
            now += alike * before
        label = signal[:, 8] > 0
        right = []
        for x in (signal[:, :4], signal[:, 4:8]):
            x = x + 0.8 * signal[:, 8:] * (np.arange(4) == 0)
            distance = np.square(x[:, None] - x).sum(axis=-1)
            nearest = np.where(train[:, None], distance, np.inf).argmin(axis=-1)
            right.append(((label[nearest] == label) & test).sum(axis=1) / test.sum(axis=1))
        found.append(right[0] - right[1])
    return np.array(found)


def rejections(differences, rho):
    return np.mean(student_p(*student_parameters(differences, rho, 0.0), "two-sided", 0.0)[1] <= 0.05)


@pytest.mark.parametrize(
    ("design", "resampling", "alike", "too_small", "least"),
    [
        pytest.param(each_case_once, bc.Resampling.leave_one_out(60), 0.0, 0.0, 0.08, id="leave-one-out"),
        # n_test / (n_train + n_test) with the cases that were drawn twice counted twice
        pytest.param(bags, bc.Resampling.bootstrap(60, 25), 0.0, 0.368 / 1.368, 0.06, id="bootstrap"),
        pytest.param(each_block_once, bc.Resampling.blocked(10), 0.0, 0.0, 0.08, id="blocked"),
        pytest.param(each_block_once, bc.Resampling.blocked(10), 0.9, 0.0, 0.08, id="blocked, autocorrelated"),
        pytest.param(blocks_in_time, bc.Resampling.blocked(10, warm_up=1), 0.0, 0.0, 0.06, id="prequential"),
        pytest.param(blocks_in_time, bc.Resampling.blocked(10, warm_up=1), 0.9, 0.0, 0.06, id="prequential, autocorr."),
    ],
)
def test_designs_with_names_reject_equal_models_no_more_often_than_they_may(
    design, resampling, alike, too_small, least
):
    """The corrected t-test holds its level with the design's rho, and does not with a smaller one."""
    rng, studies = np.random.default_rng(11), 800
    d = differences_of_equal_models(rng, design, studies, alike)
    assert d.shape[1] == resampling.n
    assert rejections(d, resampling.rho) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / studies)
    assert rejections(d, too_small) > least


def test_correlation_of_out_of_bag_scores_is_the_share_of_common_cases():
    """Scores that depend on the test case alone: every two samples correlate as much as they share cases left out."""
    rng, n = np.random.default_rng(12), 40
    rho = bc.Resampling.bootstrap(n, 2).rho
    assert rho == pytest.approx((1 - 1 / n) ** n, rel=1e-12)
    left_out = np.ones((2, 40_000, n), dtype=bool)
    for sample in left_out:
        np.put_along_axis(sample, rng.integers(0, n, sample.shape), False, axis=1)
    one, two = np.einsum("sdn,dn->sd", left_out, rng.standard_normal((40_000, n))) / left_out.sum(axis=2)
    assert np.corrcoef(one, two)[0, 1] == pytest.approx(rho, abs=0.02)


@pytest.mark.parametrize(("blocks", "warm_up"), [(10, 1), (6, 1), (10, 4), (3, 1), (2, 1), (7, 6)])
def test_rho_of_blocks_in_time_is_the_mean_over_pairs(blocks, warm_up):
    """Nadeau and Bengio's ratio with the larger training set of each pair, by hand."""
    design = bc.Resampling.blocked(blocks, warm_up=warm_up)
    trained_on = range(warm_up, blocks)
    pairs = [1 / (max(i, j) + 1) for i in trained_on for j in trained_on if i < j] or [1 / blocks]
    assert design.rho == pytest.approx(np.mean(pairs), rel=1e-12)
    assert design.n == len(trained_on)
