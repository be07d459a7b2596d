"""Bradley-Terry and Plackett-Luce against closed forms, quadrature, a Gibbs sampler, NUTS, and simulated truths."""

import json
from itertools import permutations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

import bayescmp as bc
from bayescmp.bayes.ranking import importance
from bayescmp.bayes.ranking.bradley_terry import _counted, count_wins, win_inference
from bayescmp.bayes.ranking.plackett_luce import MOST_ORDERS, _orders, ranking_inference, rankings
from bayescmp.numerics.chains import ess
from bayescmp.scores.inputs import complete_table, in_ropes

UCI = bc.load_uci()


def table(*columns, **options):
    options = {"datasets": len(columns[0]), "higher_is_better": None if "metric" in options else True} | options
    return bc.Scores.from_arrays(dict(zip("ABCDEFGH", map(np.array, columns), strict=False)), **options)


def scores_of(orders):
    """One dataset for each order of models (best first)."""
    orders = np.asarray(orders)
    return table(*(-np.argsort(orders, axis=1).astype(float)).T)


def duel(wins, losses, ties=0):
    """Two models, A better on `wins` datasets, worse on `losses`, equal on `ties`."""
    a = np.repeat([1.0, 0.0, 0.5], [wins, losses, ties])
    return table(a, np.repeat([0.0, 1.0, 0.5], [wins, losses, ties]))


def draw_order(rng, worth):
    """A Plackett-Luce order by racing exponentials: the best has the smallest time."""
    return np.argsort(rng.standard_exponential(worth.size) / worth)


def check_close(found, expected, error, times=4.5):
    assert np.all(np.abs(np.asarray(found) - np.asarray(expected)) < times * np.asarray(error)), (
        found,
        expected,
        error,
    )


def check_same_draws(one, two):
    """Two correlated samples of the same abilities: means, spreads and P(best) within their Monte-Carlo errors."""
    a, b = one.draws(), two.draws()
    error = np.hypot(_mean_error(one), _mean_error(two))
    check_close(a.mean(axis=0), b.mean(axis=0), error)
    check_close(a.std(axis=0) / b.std(axis=0), 1, np.full(a.shape[1], 0.03), times=3)
    for model in one.models:
        check_close(one.p_best[model], two.p_best[model], np.hypot(one.mcse[model], two.mcse[model]))


def _mean_error(posterior):
    chains = np.stack([b.ability for b in posterior.inference.blocks()])
    sizes = np.array([ess(chains[..., i], "mean") for i in range(chains.shape[2])])
    return chains.std(axis=(0, 1)) / np.sqrt(sizes)


# ---- Plackett-Luce


@pytest.mark.oracle(
    "bayes.plackett_luce bayes.RankingPosterior.p_best bayes.StrengthPosterior.worth "
    "bayes.StrengthPosterior.p_win bayes.StrengthPosterior.pairs_frame bayes.RankingPosterior.draws",
    "closed form",
    "scipy",
)
@pytest.mark.parametrize(("wins", "losses", "ties", "prior"), [(7, 3, 0, 1.0), (9, 0, 0, 0.5), (4, 5, 3, 2.0)])
def test_plackett_luce_of_two_models_is_a_beta(wins, losses, ties, prior):
    """worth ~ Dirichlet(a, a), ties half a win each: the posterior is Beta(a + wins + ties/2, a + losses + ties/2)."""
    exact = stats.beta(prior + wins + ties / 2, prior + losses + ties / 2)
    found = bc.bayes.plackett_luce(duel(wins, losses, ties), prior=prior, random_seed=1)
    check_close(found.p_best["A"], exact.sf(0.5), found.mcse["A"])
    check_close(found.worth["A"], exact.mean(), exact.std() / 100)
    check_close(found.p_win("A", "B"), exact.mean(), exact.std() / 100)
    row = found.pairs_frame().set_index("a").loc[max(found.p_best, key=found.p_best.get)]
    better = exact if row.name == "A" else stats.beta(*exact.args[::-1])
    check_close(row.p_equivalent, better.cdf(0.55) - better.cdf(0.45), row.mcse)
    check_close(row.p_practically_better, better.sf(0.55), row.mcse)
    theta = found.draws(4000)
    assert stats.kstest(expit(theta[:, 0] - theta[:, 1]), exact.cdf).pvalue > 1e-3


@pytest.mark.oracle(
    "bayes.plackett_luce bayes.RankingPosterior.p_best bayes.StrengthPosterior.worth bayes.StrengthPosterior.p_win",
    "brute force",
)
def test_plackett_luce_of_three_models_by_quadrature():
    """The worths' simplex summed on a lattice: P(best), worth, and P(win)."""
    orders = [(0, 1, 2)] * 3 + [(1, 0, 2)] * 2 + [(2, 0, 1), (0, 2, 1)]
    i, j = (x.ravel() + 0.5 for x in np.meshgrid(np.arange(1200), np.arange(1200), indexing="ij"))
    w = np.stack([i, j, 1200 - i - j], axis=1)[i + j < 1200] / 1200
    log_likelihood = sum(np.log(w[:, a]) + np.log(w[:, b] / (w[:, b] + w[:, c])) for a, b, c in orders)
    mass = np.exp(log_likelihood - log_likelihood.max())
    mass /= mass.sum()
    found = bc.bayes.plackett_luce(scores_of(orders), random_seed=2)
    for m, name in enumerate("ABC"):
        check_close(found.p_best[name], mass @ (w.argmax(axis=1) == m), found.mcse[name] + 2e-3)
        check_close(found.worth[name], mass @ w[:, m], 2e-3)
    check_close(found.p_win("A", "C"), mass @ (w[:, 0] / (w[:, 0] + w[:, 2])), 2e-3)


@pytest.mark.oracle("bayes.plackett_luce bayes.RankingPosterior.mean", "brute force")
def test_plackett_luce_agrees_with_gibbs(rng):
    """Caron and Doucet's sampler: exponential waiting times for each choice make the worths Gamma."""
    k, prior = 5, 1.0
    worth = np.array([5.0, 3.0, 2.0, 1.0, 0.5])
    orders = np.array([draw_order(rng, worth) for _ in range(15)])
    found = bc.bayes.plackett_luce(scores_of(orders), prior=prior, random_seed=3)
    chains, steps = 50, 1500
    strength, kept = rng.gamma(prior, size=(chains, k)), []
    wins = np.bincount(orders[:, :-1].ravel(), minlength=k)
    place = np.argsort(orders, axis=1)
    for step in range(steps):
        remaining = np.cumsum(strength[:, orders[:, ::-1]], axis=2)[:, :, :0:-1]
        waited = np.cumsum(rng.standard_exponential(remaining.shape) / remaining, axis=2)
        exposure = np.concatenate([waited, waited[:, :, -1:]], axis=2)
        rate = 1 + np.take_along_axis(exposure, np.broadcast_to(place, exposure.shape), axis=2).sum(axis=1)
        strength = rng.gamma(prior + wins, size=(chains, k)) / rate
        if step >= 300:
            kept.append(strength)
    draws = np.log(np.stack(kept, axis=1))
    draws -= draws.mean(axis=2, keepdims=True)
    errors = draws.mean(axis=1).std(axis=0, ddof=1) / np.sqrt(chains)
    check_close(list(found.mean.values()), draws.mean(axis=(0, 1)), np.hypot(errors, _mean_error(found)))
    check_close(found.draws().std(axis=0) / draws.std(axis=(0, 1)), 1, 0.03, times=1)
    best = draws.argmax(axis=2)
    for m, name in enumerate("ABCDE"):
        error = (best == m).mean(axis=1).std(ddof=1) / np.sqrt(chains)
        check_close(found.p_best[name], np.mean(best == m), np.hypot(error, found.mcse[name]))


@pytest.mark.oracle("bayes.plackett_luce", "simulation")
@pytest.mark.parametrize("studies", [50, pytest.param(500, marks=pytest.mark.slow)])
def test_plackett_luce_is_calibrated_under_its_own_prior(rng, studies):
    """Truth from the prior, rankings from the truth: P(best) comes true as often as it says, contrasts cover.

    In each bin of P(best), hits are as many as the sum of the probabilities; the true contrast's place
    among the draws is uniform (Talts et al. 2018).
    """
    p, hit, places = [], [], []
    for study in range(studies):
        worth = rng.dirichlet(np.ones(4))
        orders = np.array([draw_order(rng, worth) for _ in range(rng.integers(2, 12))])
        inference = ranking_inference(orders, np.ones(len(orders)), 1.0, 1000, study)
        theta = inference.sampled[0]
        p.append([np.mean(theta.argmax(axis=1) == m) for m in range(4)])
        hit.append(np.arange(4) == worth.argmax())
        places.append(np.mean(theta[:, 0] - theta[:, 1] < np.log(worth[0] / worth[1])))
    p, hit = np.ravel(p), np.ravel(hit)
    for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.75), (0.75, 1.0001)):
        here = (p >= low) & (p < high)
        assert here.sum() > studies / 5
        check_close(hit[here].sum(), p[here].sum(), np.sqrt((p[here] * (1 - p[here])).sum()) + 0.1, times=3.5)
    assert stats.kstest(places, "uniform").pvalue > 1e-3


def test_ties_are_shared_between_their_orders():
    assert sorted(_orders([[0, 1], [2]])) == [(0, 1, 2), (1, 0, 2)]
    assert sorted(_orders([[0], [1, 2, 3, 4]])) == sorted((0, *p) for p in permutations([1, 2, 3, 4]))
    for groups in ([[0, 1, 2, 3, 4]], [[5], [0, 1, 2, 3, 4, 6], [7, 8, 9]]):
        several = np.array(_orders(groups))
        assert len(several) >= MOST_ORDERS
        k = sum(map(len, groups))
        assert np.array_equal(np.sort(several, axis=1), np.broadcast_to(np.arange(k), several.shape))
        start = 0
        for group in groups:
            places = several[:, start : start + len(group)]
            counts = [[np.mean(places[:, j] == m) for m in group] for j in range(len(group))]
            assert np.allclose(counts, 1 / len(group)), "every tied model has every place equally often"
            start += len(group)


def test_orders_of_a_table():
    orders, weights = rankings(complete_table(table([1.0, 1, 0.3], [0.5, 1, 0.1 + 0.2], [0.7, 0, 0]), test="test"))
    found = {tuple(order): weight for order, weight in zip(orders.tolist(), weights, strict=True)}
    assert found == {(0, 2, 1): 1.0, (0, 1, 2): 1.0, (1, 0, 2): 1.0}


# ---- Bradley-Terry


def bradley_terry_by_quadrature(wins, prior=0.5):
    """Three models: a grid of theta_A - theta_C and theta_B - theta_C, the prior's sigma summed out of the Gaussian."""
    # two grids of different steps, so that no point of them is a tie
    u, v = np.meshgrid(np.linspace(-7.01, 7.02, 351), np.linspace(-7.03, 7.05, 367), indexing="ij")
    t = np.linspace(-5 * prior, 5 * prior, 61)
    sigma2 = np.exp(2 * t)
    square = (2 * u**2 + 2 * v**2 - 2 * u * v) / 3  # (u, v) inverse([[2, 1], [1, 2]]) (u, v)
    density = (np.exp(-square[..., None] / (2 * sigma2)) / sigma2 * np.exp(-(t**2) / (2 * prior**2))).sum(axis=-1)
    gaps = {(0, 1): u - v, (0, 2): u, (1, 2): v}
    for (i, j), gap in gaps.items():
        density = density * expit(gap) ** wins[i][j] * expit(-gap) ** wins[j][i]
    mass = density / density.sum()
    theta = np.stack([u, v, np.zeros_like(u)])
    best = [(mass * (theta.argmax(axis=0) == m)).sum() for m in range(3)]
    return best, {pair: (mass * expit(gap)).sum() for pair, gap in gaps.items()}


@pytest.mark.oracle("bayes.bradley_terry", "brute force")
@pytest.mark.parametrize("wins", [[[0, 7, 9.5], [3, 0, 6], [0.5, 4, 0]], [[0, 2, 2], [0, 0, 1], [0, 1, 0]]])
def test_bradley_terry_of_three_models_by_quadrature(wins):
    best, p_win = bradley_terry_by_quadrature(wins)
    inference = win_inference(np.array(wins, dtype=float), 0.5, 40_000, 4)
    theta = inference.sampled[0]
    for m in range(3):
        check_close(np.mean(theta.argmax(axis=1) == m), best[m], np.sqrt(best[m] * (1 - best[m]) / 30_000))
    for (i, j), expected in p_win.items():
        p = expit(theta[:, i] - theta[:, j])
        check_close(p.mean(), expected, p.std() / np.sqrt(30_000))


@pytest.mark.oracle("bayes.bradley_terry bayes.StrengthPosterior.p_win", "brute force")
def test_bradley_terry_of_two_models_by_quadrature():
    """P(win) and P(better) of 8 wins in 11, from the two-dimensional integral over gap and log sigma."""
    gap, t = np.meshgrid(np.linspace(-8, 8, 4000), np.linspace(-3, 3, 400), indexing="ij")
    density = stats.norm.pdf(gap, 0, np.sqrt(2) * np.exp(t)) * stats.norm.pdf(t, 0, 0.5)
    density = density * expit(gap) ** 8 * expit(-gap) ** 3
    mass = density / density.sum()
    found = bc.bayes.bradley_terry(duel(8, 3), rope=0, random_seed=5)
    check_close(found.p_best["A"], mass[gap > 0].sum(), found.mcse["A"])
    check_close(found.p_win("A", "B"), (mass * expit(gap)).sum(), 2e-3)


@pytest.mark.oracle("bayes.bradley_terry", "simulation")
@pytest.mark.parametrize("studies", [40, pytest.param(500, marks=pytest.mark.slow)])
def test_bradley_terry_is_calibrated_under_its_own_prior(rng, studies):
    """Strengths from the prior, wins from the strengths: the true contrast's place among the draws is uniform."""
    places, p, hit = [], [], []
    for study in range(studies):
        theta = rng.normal(0, rng.lognormal(0, 0.5), 4)
        wins = np.zeros((4, 4))
        for i, j in zip(*np.triu_indices(4, 1), strict=True):
            wins[i, j] = rng.binomial(8, expit(theta[i] - theta[j]))
            wins[j, i] = 8 - wins[i, j]
        draws = win_inference(wins, 0.5, 1000, study).sampled[0]
        places.append(np.mean(draws[:, 0] - draws[:, 1] < theta[0] - theta[1]))
        p.append(np.mean(draws.argmax(axis=1) == 2))
        hit.append(theta.argmax() == 2)
    assert stats.kstest(places, "uniform").pvalue > 1e-3
    p = np.array(p)
    check_close(np.sum(hit), p.sum(), np.sqrt((p * (1 - p)).sum()), times=3.5)


@pytest.mark.oracle("bayes.bradley_terry", "simulation")
@pytest.mark.parametrize(
    ("k", "n", "studies"),
    [(4, 24, 40), (8, 5, 25)] + [pytest.param(k, n, 150, marks=pytest.mark.slow) for n in (5, 24) for k in (4, 8, 16)],
)
def test_hdi_covers_where_the_wins_of_a_dataset_come_from_one_ranking(k, n, studies):
    """Truths from the prior, whole rankings by Gumbel noise: 0.93 or more, where full counts have 0.9 to 0.6."""
    rng = np.random.default_rng(k + n)
    covered = {True: [], False: []}
    first, second = np.triu_indices(k, 1)
    for study in range(studies):
        theta = rng.normal(0, rng.lognormal(0, 0.5), k)
        x = theta + rng.gumbel(size=(n, k))
        wins = (x[:, :, None] > x[:, None]).sum(axis=0)
        truth = expit(theta[first] - theta[second])
        for independent, found in covered.items():
            counted = _counted(wins, 0 * wins, "spread", independent)
            draws = win_inference(counted, 0.5, 1000, study).sampled[0]
            p = expit(draws[:, first] - draws[:, second])
            ends = np.array([bc.bayes.hdi(column, 0.95) for column in p.T])
            found.append(np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])))
    assert np.mean(covered[False]) >= 0.93
    assert np.mean(covered[True]) < 0.92


def test_a_dataset_of_two_models_is_one_comparison():
    for independent in (False, True):
        found = bc.bayes.bradley_terry(duel(8, 3), rope=0, independent_wins=independent, random_seed=1)
        assert found.settings["independent_wins"] is independent
        assert _counted(np.array([[0, 8], [3, 0]]), np.zeros((2, 2), dtype=int), "spread", independent)[0, 1] == 8
    assert _counted(np.ones((8, 8), dtype=int), np.zeros((8, 8), dtype=int), "spread")[0, 1] == 0.25
    with pytest.raises(ValueError, match="`independent_wins` must be True or False"):
        bc.bayes.bradley_terry(duel(8, 3), rope=0, independent_wins="no")


@pytest.mark.oracle("bayes.bradley_terry bayes.plackett_luce", "simulation")
def test_recovers_strengths_with_many_datasets(rng):
    """Both models, 2,000 rankings: every contrast within 4 posterior sd of the truth, and those sd are small."""
    worth = np.array([6.0, 3.0, 2.0, 1.0])
    scores = scores_of([draw_order(rng, worth) for _ in range(2000)])
    for found in (bc.bayes.plackett_luce(scores, random_seed=1), bc.bayes.bradley_terry(scores, rope=0, random_seed=1)):
        theta = found.draws()
        truth = np.log(worth) - np.log(worth).mean()
        assert theta.std(axis=0).max() < 0.05
        check_close(theta.mean(axis=0), truth, theta.std(axis=0), times=4)
        assert found.p_win("A", "D") == pytest.approx(6 / 7, abs=0.02), "marginals of Plackett-Luce are Bradley-Terry"


def test_wins_and_ties_are_counted_by_the_rope():
    scores = table([0.90, 0.80, 0.70, 0.86], [0.88, 0.85, 0.70, 0.85], metric="accuracy")
    wins, tied = count_wins(*in_ropes(complete_table(scores, test="test"), 0.01))
    assert wins.tolist() == [[0, 1], [1, 0]], "0.86 - 0.85 is on the border, which counts as inside"
    assert tied.tolist() == [[0, 2], [2, 0]]
    row = bc.bayes.bradley_terry(scores, rope=0.01, random_seed=1).pairs_frame().iloc[0]
    assert (row.wins, row.losses, row.ties) == (1, 1, 2)


def test_tie_policies():
    """spread: half a win each; add: one each; forget: none. Each equals the same counts without ties."""
    scores = duel(5, 2, 4)
    for ties, (wins, losses) in {"spread": (7, 4), "add": (9, 6), "forget": (5, 2)}.items():
        found = bc.bayes.bradley_terry(scores, rope=0, ties=ties, random_seed=1)
        same = bc.bayes.bradley_terry(duel(wins, losses), rope=0, random_seed=1)
        assert found.p_best == same.p_best
        assert found.settings["ties"] == ties


@pytest.mark.slow
@pytest.mark.oracle("bayes.bradley_terry bayes.StrengthPosterior.p_win", "bayes-testkit")
def test_bradley_terry_agrees_with_bayes_testkit():
    """Its BBTTest, which wants PyMC 5: the same prior, a tie counted as a win of both, sampled by NUTS."""
    pd, btk = pytest.importorskip("pandas"), pytest.importorskip("btk", exc_type=ImportError)
    scores = UCI.select(models=["rf", "svm", "gbm", "lr"])
    means = pd.DataFrame(dict(zip(scores.models, scores.values.mean(axis=2), strict=True)))
    test = btk.BBTTest(absolute_tie_threshold=0.0101, tie_solver="add", scale=0.5)
    options = {"draws": 5000, "chains": 2, "cores": 1, "random_seed": 1, "progressbar": False}
    theirs = test.fit(means.assign(dataset=scores.datasets), **options).posterior_table(round_ndigits=None)
    ours = bc.bayes.bradley_terry(scores, rope=0.0101, ties="add", prior=0.5, independent_wins=True, random_seed=1)
    for row in theirs.to_dict("records"):
        a, b = row["pair"].split(" > ")
        assert ours.p_win(a, b) == pytest.approx(row["mean"], abs=0.01)
        assert ours.p_better(a, b) == pytest.approx(row["above_50"], abs=0.03)


# ---- both


BOTH = [
    pytest.param(lambda s, **o: bc.bayes.plackett_luce(s, **o), id="plackett_luce"),
    pytest.param(lambda s, **o: bc.bayes.bradley_terry(s, rope=0, **o), id="bradley_terry"),
]


@pytest.mark.parametrize("fit", BOTH)
def test_symmetric_results_have_symmetric_answers(fit):
    """Stone, scissors, paper: nobody is best. And identical models share."""
    circle = fit(scores_of([(0, 1, 2), (1, 2, 0), (2, 0, 1)]), random_seed=1)
    for name in "ABC":
        check_close(circle.p_best[name], 1 / 3, circle.mcse[name])
        assert circle.p_win(name, name) == 0.5
    x = np.linspace(0, 1, 7)
    same = fit(table(x, x, x, x, x), random_seed=1)
    for name in "ABCDE":
        check_close(same.p_best[name], 1 / 5, same.mcse[name] + 1e-3)
        check_close(same.expected_rank[name], 3, 0.03)


@pytest.mark.parametrize("fit", BOTH)
def test_other_order_of_models_permutes_the_answer(fit):
    one, two = fit(UCI, random_seed=1), fit(UCI.select(models=list(UCI.models[::-1])), random_seed=2)
    for name in UCI.models:
        check_close(one.p_best[name], two.p_best[name], np.hypot(one.mcse[name], two.mcse[name]))
        check_close(one.mean[name], two.mean[name], 0.01)


@pytest.mark.parametrize("fit", BOTH)
def test_derivatives_at_the_mode_are_those_of_the_density(fit, rng):
    """First (zero), second and third differences of the log density along random axes, in units of their widths."""
    inference = fit(UCI, random_seed=1, draws=4000).inference
    peaks = list(inference.peaks())
    for density, mode, curvature, thirds in (peaks[0], peaks[-1]):
        axes = rng.normal(size=(8, 8)) @ np.linalg.cholesky(np.linalg.inv(curvature)).T
        steps = np.array([-2, -1, 1, 2])[:, None, None] * 0.02 * axes
        low, down, up, high = (density(mode + step) for step in steps)
        middle = density(mode[None])
        assert (up - down) / 0.04 == pytest.approx(0, abs=1e-3)
        second = (up + down - 2 * middle) / 0.02**2
        assert second == pytest.approx(-np.einsum("ai,ij,aj->a", axes, curvature, axes), rel=1e-3)
        third = (high - 2 * up + 2 * down - low) / (2 * 0.02**3)
        assert thirds(axes.T) == pytest.approx(third, rel=1e-2, abs=1e-2)


@pytest.mark.oracle("bayes.bradley_terry bayes.plackett_luce", "PyMC")
@pytest.mark.parametrize("fit", BOTH)
@pytest.mark.slow
def test_agrees_with_nuts(fit):
    """The same posterior by PyMC's NUTS, on a model that is written down another way."""
    scores = UCI.select(models=["rf", "svm", "gbm", "lr"])
    fast = fit(scores, random_seed=1)
    reference = fit(scores, random_seed=2, engine="nuts", draws=1500, progressbar=False)
    assert not reference.diagnostics.problems
    check_same_draws(fast, reference)
    assert reference.engine == "nuts"
    back = bc.bayes.RankingPosterior.from_dict(json.loads(json.dumps(reference.to_dict())))
    assert back == reference
    assert back.p_best == reference.p_best
    assert reference.to_arviz() is reference.inference_data


@pytest.mark.slow
@pytest.mark.parametrize("fit", BOTH)
def test_agrees_with_a_long_run_of_nuts(fit):
    """All eight models, and P(win) of all pairs to 0.005."""
    fast = fit(UCI, random_seed=1, draws=100_000)
    reference = fit(UCI, random_seed=2, engine="nuts", draws=10_000, target_accept=0.95, progressbar=False)
    check_same_draws(fast, reference)
    assert np.abs(fast.p_win_matrix - reference.p_win_matrix).max() < 0.005


@pytest.mark.parametrize("fit", BOTH)
def test_json_and_back(fit):
    found = fit(UCI, random_seed=7, draws=4000)
    back = bc.bayes.RankingPosterior.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False)))
    assert back == found
    assert isinstance(back, bc.bayes.StrengthPosterior)
    assert np.array_equal(back.draws(), found.draws())
    assert back.pairs_frame().equals(found.pairs_frame())


@pytest.mark.parametrize("fit", BOTH)
def test_frames_and_ropes(fit):
    found = fit(UCI, random_seed=1)
    theta = found.draws()
    pairs = found.pairs_frame(0.9)
    assert len(pairs) == 28
    row = pairs.iloc[3]
    i, j = (UCI.models.index(row[side]) for side in "ab")
    p = expit(theta[:, i] - theta[:, j])
    assert row.p_win == pytest.approx(p.mean())
    assert row.p_better == pytest.approx(np.mean(p > 0.5)) == found.p_better(row.a, row.b)
    assert (row.win_low, row.win_high) == bc.bayes.hdi(p, 0.9)
    assert np.allclose(found.p_win_matrix + found.p_win_matrix.T, 1)
    wide = found.with_win_rope(0.2)
    for m, name in enumerate(UCI.models):
        assert wide.p_within_rope[name] == np.mean(expit(theta[:, m] - theta.max(axis=1)) >= 0.3)
        assert wide.p_within_rope[name] >= found.p_within_rope[name] >= found.p_best[name]
    worth = np.exp(theta) / np.exp(theta).sum(axis=1, keepdims=True)
    assert found.to_frame().set_index("model").worth.to_dict() == pytest.approx(
        dict(zip(UCI.models, worth.mean(axis=0), strict=True))
    )
    assert len(repr(found).splitlines()) == 11  # what and where, the method, the header, and eight models
    with pytest.raises(bc.RopeError, match="again with rope=" if "Bradley" in found.method else "no size"):
        found.with_rope(0.1)
    with pytest.raises(bc.RopeError, match="`win_rope`"):
        found.with_win_rope(0.55)


@pytest.mark.parametrize("fit", BOTH)
def test_bad_input_is_refused(fit):
    for scores, options, error, words in (
        (UCI.select(models=["rf"]), {}, bc.ScoresError, "at least 2 models"),
        (UCI.select(datasets=[UCI.datasets[0]]), {}, bc.ScoresError, "at least 2 datasets"),
        ([1, 2], {}, bc.ScoresError, "takes the Scores"),
        (UCI, {"prior": 0}, ValueError, "`prior`"),
        (UCI, {"prior": float("nan")}, ValueError, "`prior`"),
        (UCI, {"draws": 10}, ValueError, "at least 4000"),
        (UCI, {"win_rope": 0.5}, bc.RopeError, "`win_rope`"),
        (UCI, {"engine": "gibbs"}, ValueError, '"draws" or "nuts"'),
        (UCI, {"tune": 10}, ValueError, 'only for engine="nuts"'),
        (UCI, {"random_seed": 1.5}, ValueError, "`random_seed`"),
    ):
        with pytest.raises(error, match=words):
            fit(scores, **options)


def test_bad_ties_are_refused():
    with pytest.raises(ValueError, match='"spread", "add" or "forget"'):
        bc.bayes.bradley_terry(UCI, rope=0, ties="davidson")
    with pytest.raises(bc.ScoresError, match="nothing to learn from"):
        bc.bayes.bradley_terry(duel(0, 0, 5), rope=0, ties="forget")


def test_pymc_models_by_name():
    model = bc.bayes.pymc_model("bradley_terry", UCI, rope=0.01, ties="add")
    assert {"sigma", "theta", "wins", "log_strength"} <= set(model.named_vars)
    assert "worth" in bc.bayes.pymc_model("plackett_luce", UCI).named_vars
    with pytest.raises(ValueError, match=r"plackett_luce.*got 'elo'"):
        bc.bayes.pymc_model("elo", UCI)


# ---- the sampler


def normal_peak(mean, covariance, guess=None):
    """A normal density, with the curvature of another one where a guess is given."""
    precision = np.linalg.inv(covariance)

    def density(x):
        return -np.einsum("ci,ij,cj->c", x - mean, precision, x - mean) / 2

    curvature = precision if guess is None else np.linalg.inv(guess)
    return importance.Peak(density, mean, curvature, lambda axes: np.zeros(mean.size))


def test_sampler_draws_a_correlated_normal(rng):
    """Ten dimensions with known mean and covariance, also from a proposal that is too wide."""
    root = rng.normal(size=(10, 10))
    covariance, mean = root @ root.T + np.eye(10), rng.normal(size=10)
    sd = np.sqrt(np.diag(covariance))
    for guess in (None, 1.5 * covariance):
        peak = normal_peak(mean, covariance, guess)
        found, diagnostics = importance.sample([peak], draws=20_000, random_seed=1)
        assert not diagnostics.problems
        assert found.shape == (20_000, 10)
        assert len(np.unique(found[:, 0])) > 17_000, "draws are hardly ever repeated"
        check_close(found.mean(axis=0), mean, sd / np.sqrt(20_000))
        assert np.abs(np.cov(found, rowvar=False) - covariance).max() < 0.05 * sd.max() ** 2


def test_sampler_weighs_peaks_by_their_mass():
    """Two normals with masses 1 : 3, of which the proposal sees the tops only."""
    one, two = normal_peak(np.full(3, -9.0), np.eye(3)), normal_peak(np.full(3, 9.0), 4 * np.eye(3))
    higher = two._replace(log_density=lambda x: two.log_density(x) + np.log(3 / 8))
    found, _ = importance.sample([one, higher], draws=20_000, random_seed=1)
    check_close(np.mean(found[:, 0] > 0), 0.75, np.sqrt(0.75 * 0.25 / 20_000))


@pytest.mark.oracle("bayes.plackett_luce bayes.RankingPosterior.mcse", "closed form")
def test_monte_carlo_error_is_that_of_independent_draws():
    """P(best) of 60 seeds against the exact Beta tail: the errors have the spread that mcse states."""
    scores, exact = duel(7, 4), stats.beta(8, 5).sf(0.5)
    found = [bc.bayes.plackett_luce(scores, draws=4000, random_seed=seed) for seed in range(60)]
    z = np.array([(x.p_best["A"] - exact) / x.mcse["A"] for x in found])
    assert abs(z.mean()) < 4 / np.sqrt(60)
    assert stats.chi2(60).cdf(z @ z) < 0.999


def test_extreme_data_have_trusted_draws():
    """Complete orders, a model that always wins, 100,000 wins, 40 models: independent draws, no warning."""
    circle = np.roll(np.tile(np.arange(8), (8, 1)), 1, axis=1)
    always = np.array([[0, *np.roll(np.arange(1, 8), i)] for i in range(7)])
    for orders, weight in (
        (circle, 1.0),
        (np.arange(40)[None], 2.0),
        (np.arange(40)[None], 120.0),
        (always, 3.0),
        (always, 100_000.0),
        (np.arange(2)[None], 100_000.0),
    ):
        k = orders.shape[1]
        wins = np.zeros((k, k))
        for order in orders:
            wins[np.ix_(order, order)] += weight * np.triu(np.ones((k, k)), 1)
        for inference in (
            win_inference(wins, 0.5, 4000, 1),
            ranking_inference(orders, np.full(len(orders), weight), 1.0, 4000, 1),
        ):
            theta, diagnostics = inference.sampled
            assert diagnostics.problems == ()
            assert theta.shape == (4000, k)
            assert np.isfinite(theta).all()


def test_vague_priors_and_complete_orders():
    """Strengths beyond what exp holds: log sums take over, and the best model is the first."""
    wins = 20 * np.triu(np.ones((8, 8)), 1)
    theta, diagnostics = win_inference(wins, 5.0, 4000, 1).sampled
    assert np.abs(theta).max() > 1000
    assert diagnostics.ess > 400
    assert np.mean(theta.argmax(axis=1) == 0) > 0.99
    inference = win_inference(wins, 5.0, 4000, 1)
    far = np.linspace(2000, -2000, 8)[None]
    assert inference.log_likelihood(far) == pytest.approx(0, abs=1e-9)
    assert inference.log_likelihood(-far / 2000) == pytest.approx(inference.log_likelihood(-far / 2000 + 900))


@pytest.mark.oracle("bayes.plackett_luce", "ArviZ")
def test_pareto_k_agrees_with_arviz(rng):
    for k in (-0.3, 0.2, 0.6, 1.1):
        log_weights = np.log(stats.genpareto(k).rvs(5000, random_state=rng) + 0.1)
        found = importance.pareto_k(log_weights)
        expected, tolerance = psis(log_weights)
        assert found == pytest.approx(expected, abs=tolerance)
        assert found == pytest.approx(k, abs=0.25)
    assert importance.pareto_k(np.zeros(1000)) == -np.inf
    assert importance.pareto_k(np.r_[np.zeros(999), 1.0]) == np.inf


def psis(log_weights):
    """The k-hat of either version of ArviZ, and how close it must be: 1.x fits it to a few other weights."""
    import arviz

    if hasattr(arviz, "psislw"):
        return float(arviz.psislw(log_weights.copy())[1]), 1e-6
    from arviz_stats.base import array_stats

    return float(array_stats.psislw(-log_weights)[1]), 0.02  # it takes log likelihoods, and weighs by their inverse


def test_bad_draws_warn_and_say_so_first():
    """A prior that puts its mass at strengths no proposal reaches: few draws, and a warning."""
    scores = scores_of([tuple(range(8))] * 20)
    with pytest.warns(bc.ConvergenceWarning, match=r'cannot be trusted: Pareto k-hat.*engine="nuts"'):
        found = bc.bayes.plackett_luce(scores, prior=1e-3, draws=4000, random_seed=1)
    assert repr(found).startswith("NOT CONVERGED: Pareto k-hat")
    assert len(found.draws()) == found.diagnostics.draws < 4000
    assert "effective sample size" in found.diagnostics.problems[1]
    assert bc.bayes.StrengthPosterior.from_json(found.to_json()) == found
