"""The Bayesian signed-rank test against the O(n^2) formula, brute force, baycomp and exact small cases."""

import json
import math
from itertools import combinations

import numpy as np
import pytest
from scipy import special

import bayescmp as bc
from bayescmp.bayes.regions import wins
from bayescmp.bayes.signed_rank import SignedRankInference, _beta_quantiles, _places
from bayescmp.plots.simplex import to_xy

UCI = bc.load_uci()


def naive_theta(z, weights, low, high, tolerance=0.0):
    """The definition: sum of w_i w_j H(z_i + z_j - 2 high) and so on, with H(0) = 1/2."""
    total = z[:, None] + z[None, :]

    def heaviside(x):
        return np.where(np.abs(x) <= tolerance, 0.5, x > 0)

    w = weights / weights.sum(axis=1, keepdims=True)
    better = np.einsum("si,sj,ij->s", w, w, heaviside(total - 2 * high))
    worse = np.einsum("si,sj,ij->s", w, w, heaviside(2 * low - total))
    return np.stack([better, 1 - better - worse, worse], axis=1)


def inference(z, prior=0.5, prior_at=0.0, draws=1000, seed=1, names=None, rounding=0.0):
    names = names or [f"{i:04d}" for i in range(len(z))]
    return SignedRankInference(np.array(z, float), names, np.full(len(z), rounding), prior, prior_at, draws, seed)


@pytest.mark.oracle("bayes.signed_rank_test", "brute force")
@pytest.mark.parametrize("rope", [(0, 0), (-0.01, 0.01), (-0.02, 0.01), (0, 0.05), (-float("inf"), 0.01)])
@pytest.mark.parametrize("prior", [0.0, 0.5, 3.0])
def test_prefix_sums_equal_the_double_sum(rng, rope, prior):
    """With ties, zeros and sums exactly on the border."""
    z = np.concatenate([rng.normal(0, 0.02, 15), [0, 0, 0.01, 0.01, -0.01, 0.02, 0.03, -0.01]])
    test = inference(z, prior)
    weights = rng.standard_exponential((50, test._z.size))
    low, high = rope
    expected = naive_theta(test._z, weights, low, high, tolerance=1e-12)
    assert np.abs(test.theta(weights, bc.Rope(low, high)) - expected).max() < 1e-14
    ones = np.ones((1, test._z.size), dtype=int)
    expected = naive_theta(test._z, 1.0 * ones, low, high, tolerance=1e-12)
    assert np.abs(test.theta(ones, bc.Rope(low, high)) - expected).max() < 1e-14


@pytest.mark.oracle("bayes.signed_rank_test", "baycomp")
def test_theta_equals_baycomps_for_the_same_weights():
    """The same simplex points, away from the border (where ours has a tolerance and baycomp none)."""
    import baycomp

    compared = 0
    for a, b in combinations(UCI.models, 2):
        pair = UCI.pair(a, b)
        x, y = np.nanmean(pair.scores_a, axis=1), np.nanmean(pair.scores_b, axis=1)
        test = inference(x - y)
        sums = np.abs(test._z[:, None] + test._z)
        for rope in (0.0, 0.01, 0.05):
            on_border = np.abs(sums - 2 * rope)
            if np.any((on_border < 1e-9) & (on_border > 0)) or (rope and on_border.min() == 0):
                continue
            points = baycomp.SignedRankTest.sample(y, x, rope, prior=0.5, nsamples=20, random_state=7)
            weights = np.random.RandomState(7).dirichlet([0.5, *np.ones(x.size)], 20)
            ours = test.theta(np.roll(weights, -1, axis=1), bc.Rope.of(rope))
            assert np.abs(ours - points[:, ::-1]).max() < 1e-12
            compared += 1
    assert compared > 50


@pytest.mark.oracle("bayes.signed_rank_test", "baycomp")
def test_every_pair_agrees_with_baycomp():
    """P of all pairs within 4 Monte-Carlo errors of both, at three ropes."""
    import baycomp

    worst = 0.0
    for a, b in combinations(UCI.models, 2):
        pair = UCI.pair(a, b)
        x, y = np.nanmean(pair.scores_a, axis=1), np.nanmean(pair.scores_b, axis=1)
        for rope in (0.0, 0.01, 0.05):
            peer = baycomp.SignedRankTest.probs(y, x, rope=rope, prior=0.5, nsamples=4000)
            left, middle, right = peer if rope else (peer[0], 0.0, peer[1])
            ours = bc.bayes.signed_rank_test(pair, rope=rope, random_seed=3, draws=20_000)
            for mine, theirs in ((ours.p_worse, left), (ours.p_equivalent, middle), (ours.p_better, right)):
                p = (mine * 20_000 + theirs * 4000 + 1) / 24_002
                error = np.sqrt(p * (1 - p) * (1 / 20_000 + 1 / 4000))
                worst = max(worst, abs(mine - theirs) / error)
    assert worst < 4.5, "252 comparisons of three numbers: the largest of so many is near 3"


@pytest.mark.oracle("bayes.signed_rank_test bayes.RegionPosterior.expected", "closed form")
def test_two_datasets_in_closed_form():
    """n = 2, no prior, differences 1 and -3, no rope: theta_better = w^2 > 1/2 iff w > sqrt(1/2), w uniform."""
    p = bc.bayes.signed_rank_test([1.0, 0.0], [0.0, 3.0], rope=0, prior=0, random_seed=1, draws=200_000)
    assert p.p_better == pytest.approx(1 - np.sqrt(0.5), abs=4 * max(p.mcse.values()))
    assert p.expected["A better"] == pytest.approx(1 / 3), "E[w^2] of a uniform w"


@pytest.mark.oracle("bayes.RegionPosterior.expected", "closed form")
def test_expected_is_exact(rng):
    """E[theta] = sum of E[w_i w_j] H_ij with the Dirichlet's second moments, by the O(n^2) sum."""
    z = np.array([0.03, -0.02, 0.0, 0.01, 0.01, 0.005, -0.04])
    for rope in (bc.Rope.of(0), bc.Rope.of(0.01), bc.Rope(-0.02, 0.005)):
        for prior, at in ((0.5, 0.0), (2.0, 0.01), (0.0, 0.0)):
            test = inference(z, prior, at)
            alpha = np.append(np.ones(7), prior) if prior else np.ones(7)
            total = alpha.sum()
            moments = (np.outer(alpha, alpha) + np.diag(alpha)) / (total * (total + 1))
            sums = test._z[:, None] + test._z
            better = np.where(np.abs(sums - 2 * rope.high) < 1e-12, 0.5, sums > 2 * rope.high)
            worse = np.where(np.abs(sums - 2 * rope.low) < 1e-12, 0.5, sums < 2 * rope.low)
            expected = (moments * better).sum(), (moments * (1 - better - worse)).sum(), (moments * worse).sum()
            assert test.summaries([rope])[0].expected == pytest.approx(expected, abs=1e-14)


def test_errors_of_two_sides_that_share_everything(rng):
    """With no rope P(better) = 1 - P(worse), so both have the same standard error; P(equivalent) is 0."""
    p = bc.bayes.signed_rank_test(rng.normal(0.4, 1, 12), np.zeros(12), rope=0, draws=10_000, random_seed=1)
    better, equivalent, worse = p.inference.summaries([p.rope])[0].mcse
    assert equivalent == 0
    assert better == pytest.approx(worse)
    assert better <= 1.05 * math.sqrt(p.p_better * p.p_worse / 10_000), "no larger than that of independent draws"


def test_expected_agrees_with_the_draws():
    p = bc.bayes.signed_rank_test(UCI.pair("rf", "svm"), rope=0.01, random_seed=1)
    draws = p.draws(20_000)
    for mean, share in zip(draws.mean(axis=0), p.expected.values(), strict=True):
        assert mean == pytest.approx(share, abs=5 * draws.std() / np.sqrt(20_000))


def test_order_of_datasets_and_models_does_not_matter(rng):
    """Weights belong to datasets by name: the same seed gives the same answer."""
    scores = UCI.select(models=["rf", "svm"])
    shuffled = scores.select(datasets=list(rng.permutation(scores.datasets)))
    one = bc.bayes.signed_rank_test(scores.pair("rf", "svm"), rope=0.01, random_seed=8)
    two = bc.bayes.signed_rank_test(shuffled.pair("rf", "svm"), rope=0.01, random_seed=8)
    other = bc.bayes.signed_rank_test(scores.pair("svm", "rf"), rope=0.01, random_seed=8)
    assert one.probabilities == two.probabilities == other.probabilities
    assert one.hdi() == pytest.approx(two.hdi(), abs=1e-15)
    assert one.swap().probabilities == other.probabilities
    assert one.swap() == other
    there = bc.bayes.signed_rank_test(scores.pair("rf", "svm"), rope=0.01, prior=3.0, prior_at=0.2, random_seed=8)
    back = bc.bayes.signed_rank_test(scores.pair("svm", "rf"), rope=0.01, prior=3.0, prior_at=-0.2, random_seed=8)
    assert there.swap().probabilities == back.probabilities
    assert there.swap().inference == back.inference


def test_prior_sensitivity_is_the_test_with_other_priors():
    """A pseudo-dataset at 0, or as far as the largest difference on either side."""
    d = np.array([0.01, -0.02, 0.05, 0.03, 0.0, 0.04])
    p = bc.bayes.signed_rank_test(d, 0 * d, rope=0.01, random_seed=2, draws=2000)
    found = p.prior_sensitivity().set_index("prior")["p_better"]
    for strength, at in ((0.5, 0.05), (1.0, -0.05), (2.0, 0.05), (2.0, -0.05), (2.0, 0.0)):
        other = bc.bayes.signed_rank_test(d, 0 * d, rope=0.01, random_seed=2, draws=2000, prior=strength, prior_at=at)
        assert found[f"strength {strength:g} at {at:.3g}"] == other.p_better
    assert found["strength 2 at 0.05"] > found["strength 2 at -0.05"]


def test_more_draws_begin_with_the_same_ones():
    p = bc.bayes.signed_rank_test(UCI.pair("rf", "svm"), rope=0.01, random_seed=8)
    assert np.array_equal(p.draws(100), p.draws(3000)[:100])
    assert not np.array_equal(p.draws(100, random_seed=1), p.draws(100, random_seed=2))
    assert p.draws(0).shape == (0, 3)


def test_draws_and_simplex_are_those_that_the_numbers_come_from():
    """All draws counted by the largest theta give the probabilities to the last digit; a figure shows the first."""
    p = bc.bayes.signed_rank_test(UCI.pair("rf", "svm"), rope=0.01, random_seed=8, draws=3000)
    theta = p.draws(3000)
    assert np.bincount(theta.argmax(axis=1), minlength=3) / 3000 == pytest.approx(p.three, abs=1e-12)
    for interval, x in zip(p.theta_hdi().values(), theta.T, strict=True):
        assert interval == bc.bayes.hdi(x)
    lines = bc.plots.plot_simplex(p, kind="points", draws=500).lines
    shown = np.vstack([line.get_xydata() for line in lines if line.get_gid() == "draws"])
    assert np.allclose(np.sort(shown, axis=0), np.sort(to_xy(theta[:500]), axis=0))


def test_many_pairs_at_once_equal_one_by_one():
    pairs = list(UCI.pairs())[:5]
    together = bc.bayes.signed_rank_tests(pairs, rope=0.01, random_seed=5, draws=3000)
    for pair, result in zip(pairs, together, strict=True):
        alone = bc.bayes.signed_rank_test(pair, rope=0.01, random_seed=5, draws=3000)
        assert result == alone
        assert result.probabilities == alone.probabilities


def test_precision_is_reached():
    p = bc.bayes.signed_rank_test(UCI.pair("gbm", "svm"), rope=0.01, random_seed=1, precision=0.001)
    assert 0 < max(p.mcse.values()) <= 0.001
    easy = bc.bayes.signed_rank_test(UCI.pair("rf", "nb"), rope=0.01, random_seed=1, precision=0.01)
    assert easy.inference.n_draws <= 10_000
    with pytest.raises(ValueError, match="precision"):
        bc.bayes.signed_rank_test(UCI.pair("rf", "nb"), rope=0.01, precision=0)
    with pytest.raises(ValueError, match="more than"):
        bc.bayes.signed_rank_test([0.1, -0.2], [0.0, 0.0], rope=0, precision=1e-9)


def reference_p(z, rope, prior, draws, rng):
    """By independent draws of all weights and the double sum: no prefix sums, no sides, no groups."""
    z, alpha = (np.append(z, 0.0), np.append(np.ones(z.size), prior)) if prior else (z, np.ones(z.size))
    found = np.zeros(3)
    for _ in range(draws // 1000):
        theta = naive_theta(z, rng.standard_gamma(alpha, (1000, z.size)), -rope, rope, tolerance=1e-12)
        if not rope:
            theta = np.stack([theta[:, 0], 0 * theta[:, 0], 1 - theta[:, 0]], axis=1)
        found += wins(theta).sum(axis=0)
    return found / draws


AWKWARD = {
    "two": lambda rng: np.array([0.02, -0.03]),
    "three, ties": lambda rng: np.array([0.01, 0.01, -0.02]),
    "one-sided": lambda rng: rng.uniform(0.0, 0.022, 20),
    "borders hit": lambda rng: np.round(rng.normal(0.004, 0.015, 24), 2),
    "one far away": lambda rng: np.append(rng.normal(0.004, 0.01, 15), -1.0),
    "two clusters": lambda rng: np.where(np.arange(40) % 2, -0.03, 0.03) + rng.normal(0, 0.005, 40),
    "heavy tails": lambda rng: 0.01 * rng.standard_t(1.5, 70),
}


@pytest.mark.oracle("bayes.signed_rank_test", "brute force")
@pytest.mark.parametrize("rope", [0.0, 0.01])
@pytest.mark.parametrize("prior", [0.0, 0.1, 0.5, 4.0])
@pytest.mark.parametrize("data", AWKWARD)
def test_groups_of_draws_have_the_answer_of_independent_ones(data, prior, rope):
    """Draw by draw with weights of their own and the double sum, against groups with shared proportions."""
    rng = np.random.default_rng([*data.encode(), int(10 * prior), int(100 * rope)])
    z = AWKWARD[data](rng)
    draws = 20_000 if z.size < 30 else 8000
    expected = reference_p(z, rope, prior, draws, rng)
    p = bc.bayes.signed_rank_test(z, 0 * z, rope=rope, prior=prior, random_seed=1, draws=20_000)
    smoothed = (expected * draws + 0.5) / (draws + 1)
    errors = np.hypot(np.sqrt(smoothed * (1 - smoothed) / draws), list(p.mcse.values()))
    assert np.abs(np.subtract(p.three, expected)).max() <= (4.5 * errors).max()


def test_a_hundred_thousand_datasets():
    """By the normal limit: theta_better - 1/2 is the mean of 2 (1/2 - F(-z)) over the weights, to order 1/n."""
    rng = np.random.default_rng(3)
    z = rng.normal(0.0015, 1, 100_000)
    p = bc.bayes.signed_rank_test(z, 0 * z, rope=0, prior=0, random_seed=1, draws=1000)
    score = 2 * (np.searchsorted(np.sort(-z), z) / z.size - 0.5)  # 2 (P(z_i + z_j > 0) - 1/2) for each i
    expected = 0.5 * math.erfc(-(score.mean() / 2) / (score.std() / math.sqrt(z.size)) / math.sqrt(2))
    assert p.p_better == pytest.approx(expected, abs=4 * p.largest_mcse + 0.003)


@pytest.mark.parametrize("n", [20, 54, 120])
def test_what_draws_that_share_random_numbers_are_worth(n):
    """By their stated error, beside that of as many independent ones: most often 0.5 to 2 times."""
    rng, worth = np.random.default_rng(n), []
    for seed in range(50):
        d = rng.normal(0.01 * rng.choice([-1, 0, 1]), 0.03, n) + 0.03 * rng.normal() / np.sqrt(n)
        p = bc.bayes.signed_rank_test(d, 0 * d, rope=0.01, random_seed=seed, draws=20_000)
        for share, error in zip(p.three[::2], list(p.mcse.values())[::2], strict=True):
            if 0.05 < share < 0.95:
                worth.append(share * (1 - share) / 20_000 / error**2)
    assert len(worth) > 25
    assert np.quantile(worth, 0.2) > 0.5
    assert 0.75 < np.median(worth) < 2


@pytest.mark.oracle("bayes.RegionPosterior.mcse", "simulation")
@pytest.mark.parametrize(("models", "draws"), [(("gbm", "svm"), 2000), (("rf", "gbm"), 2000)])
def test_reported_error_is_the_real_one(models, draws):
    """The spread of 40 runs with other seeds is the Monte-Carlo error that each of them reports."""
    runs = [bc.bayes.signed_rank_test(UCI.pair(*models), rope=0.01, random_seed=s, draws=draws) for s in range(40)]
    spread = np.std([r.p_better for r in runs], ddof=1)
    assert spread == pytest.approx(np.mean([r.mcse[f"{models[0]} better"] for r in runs]), rel=0.4)


@pytest.mark.oracle("bayes.signed_rank_test", "closed form")
@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.5, 30.0), (0.05, 3.0), (27.0, 27.5), (2.0, 1e6), (5e4, 5e4)])
def test_quantiles_of_beta(a, b):
    """The table of T against scipy's inverse, to a thousandth of the standard deviation, tails included."""
    q = np.array([1e-9, 1e-5, 1e-3, 0.1, 0.37, 0.5, 0.9, 0.999, 1 - 1e-6])
    low = _beta_quantiles(a, b)
    cell, part = _places(q)
    found = low[cell] + part * (low[cell + 1] - low[cell])
    sd = math.sqrt(a * b / (a + b) ** 2 / (a + b + 1))
    assert np.abs(found - special.betaincinv(a, b, q)).max() < 1e-3 * sd


@pytest.mark.oracle("bayes.signed_rank_test bayes.RegionPosterior.mean", "closed form")
def test_mean_and_interval_are_the_bayesian_bootstraps():
    """Without a prior, the mean is the sample mean and the variance sum (z - mean)^2 / (n (n + 1))."""
    z = UCI.pair("rf", "svm").means
    p = bc.bayes.signed_rank_test(UCI.pair("rf", "svm"), rope=0.01, prior=0, random_seed=1)
    assert p.mean == pytest.approx(z.mean())
    sd = np.sqrt(((z - z.mean()) ** 2).sum() / (z.size * (z.size + 1)))
    assert p.inference._means.std() == pytest.approx(sd, rel=0.02)
    low, high = p.hdi(0.95)
    assert np.mean((p.inference._means >= low) & (p.inference._means <= high)) == pytest.approx(0.95, abs=1e-4)


@pytest.mark.oracle("bayes.signed_rank_test", "closed form")
@pytest.mark.parametrize(
    ("differences", "rope", "expected"),
    [
        ([0.0] * 5, 0, (0.5, 0, 0.5)),
        ([0.0] * 5, 0.01, (0, 1, 0)),
        ([0.05] * 5, 0.01, (1, 0, 0)),
        ([0.05, -0.04, 0.01], 1.0, (0, 1, 0)),
        ([0.05, -0.05], float("inf"), (0, 1, 0)),
    ],
    ids=["all zero, no rope", "all zero", "all equal", "rope wider than everything", "infinite rope"],
)
@pytest.mark.filterwarnings("ignore::bayescmp.ScaleWarning")
def test_degenerate_data(differences, rope, expected):
    p = bc.bayes.signed_rank_test(differences, np.zeros(len(differences)), rope=rope, prior=0, random_seed=1, draws=500)
    assert (p.p_better, p.p_equivalent, p.p_worse) == expected


def test_prior_pulls_to_its_place():
    z = np.array([0.02, 0.03, -0.01, 0.01])
    at = {
        x: bc.bayes.signed_rank_test(z, 0 * z, rope=0.005, prior=3, prior_at=x, random_seed=1).p_better
        for x in (-1, 0, 1)
    }
    assert at[-1] < at[0] < at[1]


def test_with_rope_curve_and_json():
    p = bc.bayes.signed_rank_test(UCI.pair("rf", "svm"), rope=0.01, random_seed=2, draws=4000)
    curve = p.rope_curve([0, 0.005, 0.02])
    for row, rope in zip(curve.itertuples(), (0, 0.005, 0.02), strict=True):
        assert row.p_equivalent == p.with_rope(rope).p_equivalent
    again = bc.bayes.Posterior.from_dict(json.loads(json.dumps(p.to_dict())))
    assert again == p
    assert again.with_rope(0.02).probabilities == p.with_rope(0.02).probabilities
    assert again.prior_sensitivity().equals(p.prior_sensitivity())
    assert "On the average of the next two datasets" in p.sentence()


def test_missing_datasets_are_named():
    import pandas as pd

    frame = pd.DataFrame({"dataset": list("abc"), "rf": [0.9, 0.8, 0.7], "svm": [0.8, 0.7, np.nan]})
    with pytest.warns(bc.MissingWarning, match='"c" left out'):
        pair = bc.Scores.from_frame(frame, higher_is_better=True).pair("rf", "svm")
    assert bc.bayes.signed_rank_test(pair, rope=0.01, random_seed=1).n == 2


def test_seed_is_drawn_and_recorded():
    p = bc.bayes.signed_rank_test([0.1, 0.2], [0.0, 0.3], rope=0.01)
    again = bc.bayes.signed_rank_test([0.1, 0.2], [0.0, 0.3], rope=0.01, random_seed=p.random_seed)
    assert again == p


@pytest.mark.parametrize(
    "options",
    [{"prior": -1}, {"prior_at": float("inf")}, {"draws": 0}, {"engine": "exact"}],
    ids=["prior", "prior_at", "draws", "engine"],
)
def test_bad_arguments(options, request):
    with pytest.raises(ValueError, match=request.node.callspec.id):
        bc.bayes.signed_rank_test([0.1, 0.2], [0.0, 0.3], rope=0.01, **options)


def test_shared_wins():
    assert wins(np.array([[0.5, 0.0, 0.5], [0.2, 0.5, 0.3], [1 / 3, 1 / 3, 1 / 3]])).tolist() == [
        [0.5, 0, 0.5],
        [0, 1, 0],
        pytest.approx([1 / 3] * 3),
    ]


@pytest.mark.oracle("bayes.signed_rank_test", "PyMC")
@pytest.mark.slow
def test_nuts_agrees_with_the_draws():
    """Dirichlet(1, ..., 1, prior) sampled by NUTS: the same probabilities within Monte-Carlo error."""
    scores = bc.load_domains().transform("relative")
    pair = scores.pair("A", "C")
    fast = bc.bayes.signed_rank_test(pair, rope=0.005, random_seed=1)
    sampled = bc.bayes.signed_rank_test(
        pair, rope=0.005, random_seed=1, engine="nuts", draws=1000, chains=2, cores=1, progressbar=False
    )
    for name, p in fast.probabilities.items():
        assert sampled.probabilities[name] == pytest.approx(p, abs=4.5 * np.hypot(sampled.mcse[name], fast.mcse[name]))
        assert sampled.expected[name] == pytest.approx(fast.expected[name], abs=0.02)
    model = bc.bayes.pymc_model("signed_rank_test", pair)
    assert [v.name for v in model.free_RVs] == ["weights"]


@pytest.mark.parametrize("draws", [pytest.param(40, id="in Python"), pytest.param(1000, id="compiled")])
@pytest.mark.parametrize("rope", [0.01, 0, (-0.02, 0.005), 0.5])
def test_compiled_loop_counts_as_numpy_does(rng, rope, draws, monkeypatch):
    """The loop for many pairs against the plain one, with ties and borders that are hit exactly."""
    from bayescmp.bayes import signed_rank
    from bayescmp.bayes.signed_rank import share_draws

    if draws == 40:
        monkeypatch.setattr(signed_rank, "kernel", lambda: signed_rank._count_wins)

    table = {f"m{i}": np.round(rng.normal(0.8, 0.02, 9), 2) for i in range(4)}
    pairs = list(bc.Scores.from_arrays(table, higher_is_better=True, datasets=9).pairs())
    plain, compiled = (
        [bc.bayes.signed_rank_test(pair, rope=rope, random_seed=5, draws=draws) for pair in pairs] for _ in range(2)
    )
    plain = share_draws(plain)
    monkeypatch.setattr(signed_rank, "LEAST_WORK", 0)
    compiled = share_draws(compiled)
    for one, two in zip(plain, compiled, strict=True):
        assert (one.p_better, one.p_equivalent, one.p_worse) == (two.p_better, two.p_equivalent, two.p_worse)
        assert one.hdi() == pytest.approx(two.hdi(), abs=1e-14)


@pytest.mark.filterwarnings("ignore::bayescmp.ScaleWarning")
@pytest.mark.parametrize("least_work", [0, math.inf], ids=["compiled", "plain"])
@pytest.mark.parametrize("data", AWKWARD)
def test_many_ropes_in_one_pass_are_each_of_them_alone(data, least_work, monkeypatch):
    """No rope, borders that are hit, an unequal rope and one that holds everything: equal to the last digits."""
    from bayescmp.bayes import signed_rank

    monkeypatch.setattr(signed_rank, "LEAST_WORK", least_work)
    rng = np.random.default_rng([*data.encode()])
    pairs = [AWKWARD[data](rng) for _ in range(3)]
    ropes = [bc.Rope.of(rope) for rope in (0, 0.01, (-0.02, 0.005), 0.03, 0.9)]
    options = {"rope": 0.02, "random_seed": 1, "draws": 3000}
    together = signed_rank.share_draws(
        [bc.bayes.signed_rank_test(z, 0 * z, **options) for z in pairs], pairs=3, ropes=ropes
    )
    for z, one in zip(pairs, together, strict=True):
        for rope in ropes:
            alone = bc.bayes.signed_rank_test(z, 0 * z, **options | {"rope": rope})
            assert one.with_rope(rope).three == pytest.approx(alone.three, abs=1e-12)
            assert list(one.with_rope(rope).expected.values()) == pytest.approx(list(alone.expected.values()))
            assert one.with_rope(rope).hdi() == pytest.approx(alone.hdi(), abs=1e-14)


@pytest.mark.oracle("bayes.RegionPosterior.border_note bayes.signed_rank_test", "brute force")
def test_rounded_scores_on_the_border_have_a_note_with_both_sides(rng):
    """The share is counted pair by pair, and both sides are the test with the other ropes and the same seed."""
    a, b = (np.round(0.8 + shift + 0.02 * rng.standard_normal(30), 2) for shift in (0.01, 0.0))
    p = bc.bayes.signed_rank_test(a, b, rope=0.01, random_seed=1, prior=0)
    d = np.round(100 * (a - b)).astype(int)
    share = np.mean([abs(x + y) == 2 for x in d for y in d])
    assert share > 0.05
    assert p.border_note.startswith(f"{share:.0%} of what is counted")
    for rope in (0.00995, 0.01005):
        other = bc.bayes.signed_rank_test(a, b, rope=rope, random_seed=1, prior=0)
        assert f"A better {other.p_better:.3f}" in p.border_note
        assert other.border_note == ""
    assert f"note: {p.border_note[:40]}" in repr(p)
    assert p.with_rope(0).border_note == ""
    sign = bc.bayes.sign_test(a, b, rope=0.01)
    assert sign.border_note.startswith(f"{np.mean(np.abs(d) == 1):.0%} of what")
