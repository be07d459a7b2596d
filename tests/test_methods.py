"""What results tell beyond the test's own number: curves, other ropes and priors, swaps, rankings, checks.

Each against scipy, baycomp, a closed form, or draws made here, never against the package itself.
"""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import frequentist

LABOUR, DOMAINS, UCI = bc.load_labour(), bc.load_domains(), bc.load_uci()
DRAWS = 200_000
ERROR = 4.5 * math.sqrt(0.25 / DRAWS)
PLACES = {"A": (1, 0, 0), "equivalent": (0, 1, 0), "B": (0, 0, 1), "spread": (1 / 3, 1 / 3, 1 / 3)}


def labour_t(a, b):
    """The posterior of the error rates' difference b - a (lower is better) on 100 splits with 6 of 56 test cases."""
    values = dict(zip(LABOUR.models, LABOUR.values[:, 0], strict=True))
    d = values[b] - values[a]
    return stats.t(99, d.mean(), math.sqrt((1 / 100 + 6 / 50) * d.var(ddof=1)))


def three(t, low, high):
    return t.sf(high), t.cdf(high) - t.cdf(low), t.cdf(low)


def largest(alpha, seed=1):
    """How often each of three Dirichlet shares is the largest; a share without alpha is 0."""
    gamma = np.random.default_rng(seed).standard_gamma(np.asarray(alpha, dtype=float), (DRAWS, 3))
    return np.bincount(gamma.argmax(axis=1), minlength=3) / DRAWS


def counts(d, rope):
    d = np.asarray(d)
    return np.array([(d > rope + 1e-9).sum(), (np.abs(d) <= rope + 1e-9).sum(), (d < -rope - 1e-9).sum()])


def probabilities(row):
    return [row.p_better, row.p_equivalent, row.p_worse]


@pytest.mark.oracle(
    "bayes.DifferencePosterior.swap bayes.Posterior.rope_curve bayes.Posterior.at_ropes bayes.Posterior.with_rope",
    "scipy",
)
def test_swapped_and_with_another_rope():
    p = bc.bayes.correlated_ttest(LABOUR.pair("SVM", "DT"), rope=(-0.02, 0.01))
    assert probabilities(p) == pytest.approx(three(labour_t("SVM", "DT"), -0.02, 0.01), rel=1e-10)
    assert probabilities(p.swap()) == pytest.approx(three(labour_t("DT", "SVM"), -0.01, 0.02), rel=1e-10)
    assert probabilities(p.with_rope(0.05)) == pytest.approx(three(labour_t("SVM", "DT"), -0.05, 0.05), rel=1e-10)
    for row, rope in zip(p.rope_curve([0.01, 0.05]).itertuples(), (0.01, 0.05), strict=True):
        assert probabilities(row) == pytest.approx(three(labour_t("SVM", "DT"), -rope, rope), rel=1e-10)


@pytest.mark.oracle(
    "bayes.RegionPosterior.at_ropes bayes.RegionPosterior.swap bayes.RegionPosterior.with_rope", "brute force"
)
def test_rope_curve_of_the_sign_test():
    """Counts by hand at every rope, one prior dataset on equivalent; the win by 200,000 Dirichlet draws."""
    pair = UCI.pair("gbm", "svm")
    p = bc.bayes.sign_test(pair, rope=0.01)
    ropes = [0.002, 0.01, 0.03]
    for row, rope in zip(p.rope_curve(ropes).itertuples(), ropes, strict=True):
        alpha = counts(pair.means, rope) + np.array([0, 1, 0])
        shares = [row.expected_better, row.expected_equivalent, row.expected_worse]
        assert shares == pytest.approx(alpha / alpha.sum(), rel=1e-12)
        assert probabilities(row) == pytest.approx(largest(alpha), abs=ERROR)
        assert probabilities(p.with_rope(rope)) == pytest.approx(largest(alpha), abs=ERROR)
        assert probabilities(p.with_rope(rope).swap()) == pytest.approx(largest(alpha[::-1]), abs=ERROR)


@pytest.mark.oracle("bayes.RegionPosterior.prior_sensitivity Comparison.prior_sensitivity", "brute force")
def test_prior_sensitivity_of_the_sign_test():
    """Every strength and place of the frame: its alphas by hand, the win by Dirichlet draws."""
    d = DOMAINS.pair("A", "C").means
    frames = [
        bc.bayes.sign_test(DOMAINS.pair("A", "C"), rope=1).prior_sensitivity(),
        bc.compare(DOMAINS, rope=1, bayes="sign_test").prior_sensitivity().query("a == 'A' and b == 'C'"),
    ]
    for frame in frames:
        rows = [row for row in frame.itertuples() if " on " in row.prior]
        assert len(rows) == 15
        for row in rows:
            _, strength, _, place = row.prior.split(" ")
            alpha = counts(d, 1) + float(strength) * np.array(PLACES[place])
            assert probabilities(row) == pytest.approx(largest(alpha), abs=ERROR)


@pytest.mark.oracle("bayes.signed_rank_tests", "baycomp")
def test_many_signed_rank_tests_agree_with_baycomp():
    """Six pairs at once and one by one; Monte-Carlo errors of both."""
    import baycomp

    scores = UCI.select(models=["rf", "svm", "gbm", "lr"])
    results = bc.bayes.signed_rank_tests(list(scores.pairs()), rope=0.01, random_seed=4, draws=20_000)
    for pair, ours in zip(scores.pairs(), results, strict=True):
        x, y = np.nanmean(pair.scores_a, axis=1), np.nanmean(pair.scores_b, axis=1)
        theirs = baycomp.SignedRankTest.probs(y, x, rope=0.01, prior=0.5, nsamples=4000)
        assert probabilities(ours)[::-1] == pytest.approx(theirs, abs=4.5 * math.sqrt(0.25 / 4000 + 0.25 / 20_000))


@pytest.mark.oracle(
    "bayes.StrengthPosterior.p_win_matrix bayes.StrengthPosterior.with_win_rope", "closed form", "scipy"
)
def test_other_win_ropes_of_two_models_are_those_of_a_beta():
    """Worths ~ Dirichlet(1, 1), 7 wins and 3 losses: P(A wins) ~ Beta(8, 4)."""
    wins = np.repeat([1.0, 0.0], [7, 3])
    found = bc.bayes.plackett_luce(
        bc.Scores.from_arrays({"A": wins, "B": 1 - wins}, higher_is_better=True, datasets=10), prior=1.0, random_seed=1
    )
    exact = stats.beta(8, 4)
    assert found.p_win_matrix == pytest.approx(np.array([[0.5, 2 / 3], [1 / 3, 0.5]]), abs=0.01)
    for half_width in (0.02, 0.2):
        row = found.with_win_rope(half_width).pairs_frame().iloc[0]
        assert (row.a, row.b) == ("A", "B")
        within = exact.cdf(0.5 + half_width) - exact.cdf(0.5 - half_width)
        assert row.p_equivalent == pytest.approx(within, abs=4.5 * row.mcse)
        assert row.p_practically_better == pytest.approx(exact.sf(0.5 + half_width), abs=4.5 * row.mcse)


@pytest.mark.oracle("bayes.RankingPosterior.with_rope", "closed form")
def test_ranking_with_another_rope():
    """Two models: A is within the rope where w . d >= -rope; sum of truncated powers over uniform weights."""
    d = np.array([0.4, -0.7, 1.1, -0.2, 0.05])
    found = bc.bayes.rank_models(
        bc.Scores.from_arrays({"A": d, "B": 0 * d}, higher_is_better=True, datasets=5), rope=0, random_seed=1
    )
    for rope in (0.1, 0.3):
        x = d + rope
        exact = sum(v**4 / np.prod(v - np.delete(x, i)) for i, v in enumerate(x) if v > 0)
        other = found.with_rope(rope)
        assert other.p_within_rope["A"] == pytest.approx(exact, abs=4.5 * other.mcse["A"])


# ---- the hierarchical test where folds do not vary: a normal sample of known numbers

Z = np.array([0.01, 0.02, -0.01, 0.03, 0.0, 0.015, 0.022, -0.004])


@pytest.fixture(scope="module")
def known_means():
    """Normal effects, datasets measured to 1e-9: delta_0 and sigma_0 as for a plain sample under flat priors."""
    x = np.random.default_rng(0).normal(size=(Z.size, 10))
    x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, ddof=1, keepdims=True)
    wide = bc.bayes.HierarchicalPrior(delta_0_bound=1, sigma_0_max=100, sigma_max=1, gaussian=True)
    x = Z[:, None] + 1e-9 * x
    return bc.bayes.hierarchical_ttest(x, 0 * x, rope=0, prior=wide, resampling=bc.Resampling.kfold(10))


@pytest.mark.oracle("bayes.RegionPosterior.numerical_error bayes.hierarchical_ttest", "closed form", "scipy")
def test_reported_quadrature_error_bounds_the_real_one(known_means):
    """Without a rope "A better" is the likelier outcome where delta_0 > 0, a Student t with n - 2 df."""
    exact = stats.t(Z.size - 2, Z.mean(), Z.std() / math.sqrt(Z.size - 2)).sf(0)
    assert abs(known_means.p_better - exact) <= known_means.numerical_error < 0.01


@pytest.mark.oracle("bayes.HierarchicalPosterior.predictive_check", "brute force")
def test_predictive_check_of_a_normal_sample(known_means):
    """sum (z - mean)^2 / sigma^2 is chi-square with n - 2 df, delta_0 normal around the mean: replicated by hand."""
    rng = np.random.default_rng(2)
    n, draws = Z.size, 100_000
    sigma = np.sqrt(((Z - Z.mean()) ** 2).sum() / rng.chisquare(n - 2, draws))
    delta = Z.mean() + sigma / math.sqrt(n) * rng.standard_normal(draws)
    made = delta[:, None] + sigma[:, None] * rng.standard_normal((draws, n))
    frame = known_means.predictive_check()
    for name, function in {"mean": np.mean, "sd": np.std, "smallest": np.min, "largest": np.max}.items():
        replicated, observed = function(made, axis=1), function(Z)
        row = frame.loc[name]
        assert row["observed"] == pytest.approx(observed, abs=1e-8)
        assert row["tail_probability"] == pytest.approx(
            (replicated >= observed).mean(), abs=4.5 * 0.5 / math.sqrt(4000)
        )
        assert row["replicated_median"] == pytest.approx(np.median(replicated), abs=0.08 * replicated.std())


# ---- compare()


@pytest.mark.oracle(
    "compare Comparison.table Comparison.rope_curve Comparison.at_ropes Comparison.pair Comparison.decisions", "scipy"
)
def test_comparison_of_three_models_on_one_dataset():
    """Every number of the Labour data by scipy's Student t; E[d+] of a Student t by scipy's quadrature."""
    c = bc.compare(LABOUR, rope=0.01)
    p_values = []
    curve, decisions = c.rope_curve([0.0, 0.02]).set_index(["a", "b", "rope_high"]), c.decisions().set_index(["a", "b"])
    for row in c.table(full=True).itertuples():
        t = labour_t(row.a, row.b)
        assert probabilities(row) == pytest.approx(three(t, -0.01, 0.01), rel=1e-9)
        assert (row.hdi_low, row.hdi_high) == pytest.approx(t.interval(0.95), rel=1e-8)
        p_values.append(2 * min(t.cdf(0), t.sf(0)))
        assert row.p_value == pytest.approx(p_values[-1], rel=1e-9)
        for rope in (0.0, 0.02):
            found = curve.loc[row.a, row.b, rope]
            assert probabilities(found) == pytest.approx(three(t, -rope, rope), rel=1e-9, abs=1e-15)
        both = c.pair(row.b, row.a)
        assert probabilities(both.posterior) == pytest.approx(three(t, -0.01, 0.01)[::-1], rel=1e-9)
        assert both.test.p_value == pytest.approx(p_values[-1], rel=1e-9)
        gains = [t.expect(lambda x, s=sign: max(s * x, 0.0)) for sign in (-1, 1)]
        losses = decisions.loc[row.a, row.b]
        assert [losses.loss_of_a, losses.loss_of_b] == pytest.approx(gains, rel=1e-5)
        assert losses.mean_by_hdi == "undecided"  # every 95 % interval holds 0
        assert t.interval(0.95)[0] < 0 < t.interval(0.95)[1]
    order, adjusted = np.argsort(p_values), np.empty(3)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(np.sort(p_values) * [3, 2, 1]))  # Holm
    assert c.table()["p_adjusted"].tolist() == pytest.approx(adjusted.tolist())


@pytest.mark.oracle("Comparison.by_dataset", "scipy")
def test_by_dataset_is_a_student_t_of_each():
    scores = UCI.select(models=["nb", "rf"], datasets=["sonar", "glass", "vehicle"])
    frame = bc.compare(scores, rope=0.01, bayes="sign_test").by_dataset()
    for row in frame.itertuples():
        nb, rf = scores.values[:, scores.datasets.index(row.dataset)]
        d = nb - rf if row.a == "nb" else rf - nb
        t = stats.t(99, d.mean(), math.sqrt((1 / 100 + 1 / 9) * d.var(ddof=1)))
        assert probabilities(row) == pytest.approx(three(t, -0.01, 0.01), rel=1e-9, abs=1e-15)


@pytest.mark.oracle("Comparison.ranking_posterior", "brute force")
def test_bootstrap_of_a_comparison_by_dirichlet_draws():
    """Uniform weights of the ten domains: who has the best weighted score, or the best mean rank."""
    c = bc.compare(DOMAINS, rope=1, random_seed=1)
    weights = np.random.default_rng(3).dirichlet(np.ones(10), DRAWS)
    scores = DOMAINS.values[:, :, 0]
    mean_ranks, means = weights @ stats.rankdata(-scores, axis=0).T, weights @ scores.T
    places, by_score = stats.rankdata(mean_ranks.round(12), axis=1), stats.rankdata(-means.round(12), axis=1)
    frame, posterior = c.ranking(by="score").set_index("model"), c.ranking_posterior(by="rank")
    for m, name in enumerate(DOMAINS.models):
        row = frame.loc[name]
        assert row.p_best == pytest.approx((means.argmax(axis=1) == m).mean(), abs=0.01)
        assert row.p_within_rope == pytest.approx((means[:, m] >= means.max(axis=1) - 1).mean(), abs=0.01)
        assert row.expected_rank == pytest.approx(by_score[:, m].mean(), abs=0.02)
        assert posterior.p_best[name] == pytest.approx((places[:, m] == 1).mean(), abs=0.01)


# ---- all pairs


@pytest.mark.oracle("frequentist.pairwise_ttest", "scipy")
def test_pairwise_t_tests_agree_with_scipy():
    """Plain by ttest_rel, corrected by the Student t above; errors, so that A - B has the other sign."""
    values = dict(zip(LABOUR.models, LABOUR.values[:, 0], strict=True))
    plain = frequentist.pairwise_ttest(LABOUR, corrected=False, adjust="none")
    corrected = frequentist.pairwise_ttest(LABOUR, adjust="none")
    assert plain.pairs == tuple(combinations(LABOUR.models, 2))
    for i, (a, b) in enumerate(plain.pairs):
        theirs, t = stats.ttest_rel(values[b], values[a]), labour_t(a, b)
        assert (plain.statistic[i], plain.p_value[i]) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
        assert corrected.statistic[i] == pytest.approx(t.args[1] / t.args[2], rel=1e-9)
        assert corrected.p_value[i] == pytest.approx(2 * min(t.cdf(0), t.sf(0)), rel=1e-9)


@pytest.mark.oracle("frequentist.PairwiseTests.result", "scipy")
@pytest.mark.parametrize(("alternative", "other"), [("two-sided", "two-sided"), ("greater", "less")])
def test_either_order_of_a_pair_agrees_with_scipy(rng, alternative, other):
    x = {f"m{i}": rng.normal(i / 4, 1, 20) for i in range(3)}
    tests = frequentist.pairwise_wilcoxon_test(x, alternative=alternative)
    for a, b in tests.pairs:
        assert tests.result(a, b).p_value == pytest.approx(stats.wilcoxon(x[a], x[b], alternative=alternative).pvalue)
        swapped = tests.result(b, a)
        assert swapped.p_value == pytest.approx(stats.wilcoxon(x[b], x[a], alternative=other).pvalue)
        assert (swapped.models, swapped.alternative) == ((b, a), other)
