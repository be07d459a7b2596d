"""Rankings of many models against closed forms of the Dirichlet, the correlated t-test, and brute force."""

import json
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayes.ranking import bootstrap
from bayescmp.bayes.ranking.bootstrap import StudentAbilities
from bayescmp.bayes.ranking.result import count_beaten, count_ranks, shortest_run, summarise
from bayescmp.numerics.ranks import average_ranks
from bayescmp.numerics.streams import streams

UCI = bc.load_uci()


def table(*columns, **options):
    """Models A, B, C, ... with these scores, one a dataset."""
    options = {"datasets": len(columns[0]), "higher_is_better": None if "metric" in options else True} | options
    return bc.Scores.from_arrays(dict(zip("ABCDEFGH", map(np.array, columns), strict=False)), **options)


def rank(scores, rope=0, seed=1, **options):
    return bc.bayes.rank_models(scores, rope=rope, random_seed=seed, **options)


def positive_mean(d):
    """P(sum of w_i d_i > 0) for uniform Dirichlet weights and different d: sum of d_i^(n-1) / prod (d_i - d_j)."""
    d = np.asarray(d, dtype=float)
    return sum(x ** (d.size - 1) / np.prod(x - np.delete(d, i)) for i, x in enumerate(d) if x > 0)


def simplex_grid(n):
    """The midpoints of n^2 equal triangles that fill the simplex of three weights."""
    i, j = (x.ravel() for x in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    up = np.stack([i + 1 / 3, j + 1 / 3], axis=1)[i + j <= n - 1]
    down = np.stack([i + 2 / 3, j + 2 / 3], axis=1)[i + j <= n - 2]
    two = np.concatenate([up, down]) / n
    return np.column_stack([two, 1 - two.sum(axis=1)])


def check_share(found, expected, error, times=4.5):
    assert abs(found - expected) < times * error, (found, expected, error)


# ---- many datasets


@pytest.mark.oracle(
    "bayes.rank_models bayes.RankingPosterior.p_best",
    "closed form",
)
def test_two_datasets_in_closed_form():
    """Differences 1 and -3: the mean is positive where the first weight is above 3/4; the ranks are one all."""
    scores = table([1.0, 0.0], [0.0, 3.0])
    by_score, by_rank = rank(scores, draws=200_000), rank(scores, by="rank", draws=200_000)
    check_share(by_score.p_best["A"], 1 / 4, by_score.mcse["A"])
    check_share(by_rank.p_best["A"], 1 / 2, by_rank.mcse["A"])


@pytest.mark.oracle("bayes.rank_models bayes.RankingPosterior.p_best bayes.RankingPosterior.p_better", "closed form")
def test_two_models_by_score_equal_the_truncated_powers(rng):
    """The exact P(weighted mean > 0) for any number of datasets."""
    for n in (3, 5, 8):
        d = rng.normal(0.3, 1, n)
        found = rank(table(d, np.zeros(n)), by="score")
        check_share(found.p_best["A"], positive_mean(d), found.mcse["A"])
        check_share(found.p_better("A", "B"), positive_mean(d), found.mcse["A"])


@pytest.mark.oracle("bayes.RankingPosterior.p_within_rope", "closed form")
def test_within_the_rope_equals_the_truncated_powers(rng):
    """One of two models is within the rope of the best where its mean difference is at least minus the rope."""
    d, rope = rng.normal(0, 1, 6), 0.2
    found = rank(table(d, np.zeros(6)), rope=rope)
    check_share(found.p_within_rope["A"], positive_mean(d + rope), found.mcse["A"])
    check_share(found.p_within_rope["B"], positive_mean(rope - d), found.mcse["B"])


@pytest.mark.oracle(
    "bayes.rank_models bayes.RankingPosterior.p_best bayes.RankingPosterior.p_beaten "
    "bayes.RankingPosterior.p_within_rope bayes.RankingPosterior.expected_rank "
    "bayes.RankingPosterior.rank_distribution bayes.RankingPosterior.p_better",
    "brute force",
)
def test_three_models_by_brute_force_over_the_simplex():
    """Every number of the result, from 360,000 triangles of weights instead of draws."""
    columns = np.array([[0.9, 0.5, 0.61], [0.8, 0.6, 0.62], [0.7, 0.75, 0.6]])
    weights = simplex_grid(600)
    assert weights.min() > 0
    score = weights @ columns.T
    ranks = weights @ np.column_stack([stats.rankdata(-row) for row in columns.T]).T
    by_rank = rank(table(*columns), by="rank", draws=100_000)
    by_score = rank(table(*columns), rope=0.02, draws=100_000)
    places = stats.rankdata(-score, axis=1)
    for m, name in enumerate("ABC"):
        error = 4e-3
        assert by_rank.p_best[name] == pytest.approx(np.mean(ranks.argmin(axis=1) == m), abs=error)
        assert by_score.p_best[name] == pytest.approx(np.mean(score.argmax(axis=1) == m), abs=error)
        assert by_score.p_within_rope[name] == pytest.approx(
            np.mean(score[:, m] >= score.max(axis=1) - 0.02), abs=error
        )
        assert by_score.expected_rank[name] == pytest.approx(places[:, m].mean(), abs=2 * error)
        assert by_score.rank_distribution[m] == pytest.approx(
            [np.mean(places[:, m] == r) for r in (1, 2, 3)], abs=error
        )
        for n, other in enumerate("ABC"):
            expected = 0.5 if m == n else np.mean(score[:, m] > score[:, n])
            assert by_score.p_better(name, other) == pytest.approx(expected, abs=error)
    tails, apart = by_score.p_beaten(("A",), ("B", "C"))
    both, last = score[:, 0] > score[:, 1:].max(axis=1), score[:, 0] > score[:, 2]
    assert tails == pytest.approx([both.mean(), last.mean()], abs=4e-3)
    assert apart == pytest.approx(np.mean(score[:, 1:].max(axis=1) < score.max(axis=1) - 0.02), abs=4e-3)


def test_p_best_is_never_above_p_within_rope(rng):
    """The same draws of the same quantity: on random subsets of the bundled results it was above in one of three."""
    for i in range(30):
        models = rng.choice(UCI.models, rng.integers(2, 7), replace=False)
        some = UCI.select(models=list(models), datasets=list(rng.choice(UCI.datasets, 8, replace=False)))
        for found in (rank(some, rope=0.01, draws=1000, seed=i), rank(some, by="rank", draws=1000, seed=i)):
            assert all(found.p_best[m] <= found.p_within_rope[m] for m in found.models)
            order = found.to_frame()["expected_rank"]
            assert order.is_monotonic_increasing


def test_mean_ranks_have_no_rope():
    for call in (lambda: rank(UCI, rope=0.01, by="rank"), lambda: rank(UCI, by="rank", draws=1000).with_rope(0.01)):
        with pytest.raises(bc.RopeError, match="mean ranks have none"):
            call()
    assert rank(UCI, by="rank", draws=1000).with_rope(0).quantity == "mean rank"


@pytest.mark.oracle(
    "bayes.RankingPosterior.p_better_matrix bayes.RankingPosterior.expected_rank bayes.RankingPosterior.mean",
    "scipy",
)
def test_summaries_are_those_of_the_draws():
    """P(best), ranks and pairs once more, draw by draw with scipy's ranks."""
    found = rank(UCI, draws=3000)
    draws = found.draws()
    assert draws.shape == (3000, 8)
    places = stats.rankdata(-draws.round(10), axis=1)
    whole = (places == places.round()).all(axis=1)
    assert whole.mean() > 0.99
    assert list(found.expected_rank.values()) == pytest.approx(places.mean(axis=0))
    assert list(found.p_best.values()) == pytest.approx((places == 1).mean(axis=0), abs=0.01)
    naive = (draws[:, :, None] > draws[:, None, :] + 1e-10).mean(axis=0)
    assert found.p_better_matrix == pytest.approx(naive + (1 - naive - naive.T) / 2, abs=1e-12)
    assert np.allclose(found.rank_distribution.sum(axis=0), 1)
    assert np.allclose(found.rank_distribution.sum(axis=1), 1)
    assert list(found.mean.values()) == pytest.approx(draws.mean(axis=0))
    assert np.array_equal(found.draws(10), draws[np.linspace(0, 2999, 10).astype(int)])


@pytest.mark.oracle("bayes.RankingPosterior.mcse", "simulation")
def test_monte_carlo_error_is_the_spread_over_seeds():
    runs = [rank(UCI, rope=0.01, seed=s, draws=1000) for s in range(60)]
    for model in ("rf", "svm"):
        spread = np.std([r.p_within_rope[model] if model == "svm" else r.p_best[model] for r in runs], ddof=1)
        reported = np.mean([r.mcse[model] for r in runs])
        assert 0.7 < spread / reported < 1.4, "60 runs know a standard deviation to 9 %"


def test_identical_models_share_everything(rng):
    x = rng.uniform(size=12)
    for scores in (table(x, x), table(x, x.copy(), x - 1)):
        for by in ("rank", "score"):
            found = rank(scores, rope=0.01 if by == "score" else 0, by=by, draws=2000)
            assert found.p_best["A"] == found.p_best["B"] == pytest.approx(0.5)
            assert found.expected_rank["A"] == pytest.approx(1.5)
            assert found.p_better("A", "B") == 0.5
            assert found.p_within_rope["A"] == 1
            assert found.rank_hdi()["A"] == (1, 2)


def test_differences_of_rounding_are_ties():
    """0.1 + 0.2 is not 0.3 in floating point, but it is the same score."""
    found = rank(table([0.1 + 0.2] * 4, [0.3] * 4), draws=500)
    assert found.mean_rank == (1.5, 1.5)
    assert found.p_best == {"A": 0.5, "B": 0.5}


def test_order_of_models_and_datasets_does_not_matter(rng):
    shuffled = UCI.select(models=list(rng.permutation(UCI.models)), datasets=list(rng.permutation(UCI.datasets)))
    one, two = rank(UCI, rope=0.01, draws=5000), rank(shuffled, rope=0.01, draws=5000)
    assert {m: two.p_best[m] for m in one.models} == pytest.approx(one.p_best, abs=1e-12)
    assert {m: two.p_within_rope[m] for m in one.models} == pytest.approx(one.p_within_rope, abs=1e-12)
    assert {m: two.expected_rank[m] for m in one.models} == pytest.approx(one.expected_rank, abs=1e-12)


def test_lower_is_better_is_the_negative():
    up = rank(table([1.0, 2, 3], [3.0, 1, 1]), rope=0.5)
    down = rank(table([-1.0, -2, -3], [-3.0, -1, -1], metric="rmse", higher_is_better=False), rope=0.5)
    assert down.p_best == up.p_best
    assert down.p_within_rope == up.p_within_rope
    assert down.mean_score == (-2.0, pytest.approx(-5 / 3)), "the mean is shown as it was measured"


def test_ropes_for_each_dataset_put_scores_in_their_units():
    """Dataset 1 is in units of 1, dataset 2 of 100: with ropes of 1 and 100 the weighted means are commensurable."""
    scores = table([3.0, 100.0], [1.0, 500.0])
    names = scores.datasets
    found = rank(scores, rope={names[0]: 1, names[1]: 100}, by="score", draws=100_000)
    check_share(found.p_best["A"], positive_mean([2, -4]), found.mcse["A"])
    check_share(found.p_within_rope["A"], positive_mean([3, -3]), found.mcse["A"])
    assert found.scale == "ropes"


def test_relative_scores_are_shares_of_the_datasets_mean():
    found = rank(table([3.0, 100.0], [1.0, 500.0]).transform("relative"), by="score", draws=100_000)
    check_share(found.p_best["A"], positive_mean([2 / 2, -400 / 300]), found.mcse["A"])


def test_missing_datasets_are_left_out_by_name():
    frame = UCI.select(datasets=list(UCI.datasets[:5])).to_frame()
    frame = frame[~((frame.model == "rf") & (frame.dataset == UCI.datasets[2]))]
    scores = bc.Scores.from_frame(frame, metric="accuracy")
    with pytest.warns(bc.MissingWarning, match=f'"{UCI.datasets[2]}" left out.*"rf".*4 datasets remain'):
        found = rank(scores, draws=1000)
    assert UCI.datasets[2] not in found.datasets
    complete = UCI.select(datasets=[d for d in UCI.datasets[:5] if d != UCI.datasets[2]])
    assert {m: found.p_best[m] for m in UCI.models} == rank(complete, draws=1000).p_best
    few = scores.select(datasets=list(UCI.datasets[1:3]))
    with pytest.raises(bc.ScoresError, match="at least 2 datasets on which all models were run, got 1"):
        rank(few)


# ---- one dataset


@pytest.mark.oracle("bayes.rank_models", "scipy")
@pytest.mark.parametrize("dataset", UCI.datasets[:4])
def test_every_contrast_is_the_correlated_t_test(dataset):
    """Location m_i - m_j, scale^2 = c'(1/n + rho/(1 - rho)) S c, n - 1 df: the same P to 1e-12 as the pair's test."""
    one = UCI.select(datasets=[dataset])
    found = rank(one, rope=0.01, draws=20_000)
    folds, draws = one.values[:, 0], found.draws()
    n = folds.shape[1]
    matrix = (1 / n + 0.1 / 0.9) * np.cov(folds)
    for i, a in enumerate(UCI.models):
        for j, b in enumerate(UCI.models):
            if i == j:
                continue
            contrast = np.zeros(8)
            contrast[[i, j]] = 1, -1
            marginal = stats.t(n - 1, contrast @ folds.mean(axis=1), np.sqrt(contrast @ matrix @ contrast))
            test = bc.bayes.correlated_ttest(one.pair(a, b), rope=0.01)
            assert marginal.sf(0.01) == pytest.approx(test.p_better, abs=1e-12)
            assert found.p_better(a, b) == pytest.approx(test.with_rope(0).p_better, abs=1e-12)
            share = np.mean(draws[:, i] - draws[:, j] > 0.01)
            check_share(share, test.p_better, np.sqrt(max(test.p_better * (1 - test.p_better), 1e-4) / 20_000))


def test_more_models_than_folds(rng):
    """The covariance is singular, and the contrasts are still the correlated t-tests."""
    folds = rng.normal(0.8, 0.05, (12, 5))
    scores = bc.Scores.from_arrays(
        {f"m{i}": x for i, x in enumerate(folds)}, resampling=bc.Resampling.kfold(5), metric="accuracy"
    )
    found = rank(scores, rope=0.02)
    test = bc.bayes.correlated_ttest(scores.pair("m3", "m7"), rope=0)
    assert found.p_better("m3", "m7") == pytest.approx(test.p_better, abs=1e-12)
    gap = found.draws() @ (np.eye(12)[3] - np.eye(12)[7])
    assert stats.kstest(gap, test.cdf).pvalue > 1e-3
    assert found.n == 5
    assert sum(found.p_best.values()) == pytest.approx(1)


def test_two_models_on_one_dataset_are_the_correlated_t_test():
    labour = bc.load_labour().select(models=["SVM", "DT"])
    found = rank(labour, rope=0.01)
    test = bc.bayes.correlated_ttest(labour.pair("SVM", "DT"), rope=0.01)
    check_share(found.p_best["SVM"], test.with_rope(0).p_better, found.mcse["SVM"])
    check_share(found.p_within_rope["DT"], 1 - test.p_better, found.mcse["DT"])


@pytest.mark.oracle("bayes.rank_models", "closed form")
def test_two_folds_make_a_cauchy():
    """1 degree of freedom, rho = 1/2: P(A better) = 1/2 + atan(mean / (s sqrt(3/2)))/pi."""
    folds = {"A": [0.80, 0.86], "B": [0.79, 0.80], "C": [0.70, 0.90]}
    ranking = bc.bayes.rank_models(
        bc.Scores.from_arrays(folds, resampling=bc.Resampling.kfold(2), higher_is_better=True),
        rope=0,
        random_seed=1,
        draws=20_000,
    )
    for other in "BC":
        d = np.subtract(folds["A"], folds[other])
        expected = 0.5 + np.arctan(d.mean() / (d.std(ddof=1) * np.sqrt(1.5))) / np.pi
        assert ranking.p_better("A", other) == pytest.approx(expected)
        pair = bc.Scores.from_arrays(
            {"A": folds["A"], other: folds[other]}, resampling=bc.Resampling.kfold(2), higher_is_better=True
        )
        drawn = bc.bayes.rank_models(pair, rope=0, random_seed=1, draws=20_000).p_best["A"]
        assert drawn == pytest.approx(expected, abs=0.015)


def test_equal_folds_are_decided_and_say_so():
    x = np.array([0.8, 0.7, 0.9])
    scores = bc.Scores.from_arrays(
        {"A": x, "B": x - 0.1, "C": x}, resampling=bc.Resampling.kfold(3), higher_is_better=True
    )
    with pytest.warns(bc.DegenerateWarning, match="no variation"):
        found = rank(scores, rope=0.01)
    assert found.p_best == {"A": 0.5, "B": 0.0, "C": 0.5}
    assert found.p_better("A", "B") == 1
    assert found.p_better("A", "C") == 0.5
    assert "no variation" in repr(found)


# ---- the small steps


def test_ranks_equal_scipys(rng):
    values = rng.integers(0, 4, (50, 6)).astype(float)
    assert np.array_equal(average_ranks(-values, 0.0), stats.rankdata(-values, axis=1))
    counts = count_ranks(values, 0.0)
    assert counts @ np.arange(1, 7) == pytest.approx(stats.rankdata(-values, axis=1).sum(axis=0))
    assert counts.sum(axis=0) == pytest.approx(np.full(6, 50))
    expected = np.zeros((6, 6))
    for row in values:
        for m, x in enumerate(row):
            above, same = (row > x).sum(), (row == x).sum()
            expected[m, above : above + same] += 1 / same
    assert counts == pytest.approx(expected)


@pytest.mark.oracle("bayes.RankingPosterior.rank_hdi", "closed form")
def test_shortest_run_of_ranks():
    assert shortest_run(np.array([0.02, 0.5, 0.46, 0.02]), 0.95) == (2, 3)
    assert shortest_run(np.array([0.96, 0.0, 0.04]), 0.95) == (1, 1)
    assert shortest_run(np.array([0.3, 0.2, 0.2, 0.3]), 0.95) == (1, 4)


# ---- a result is a value


@pytest.mark.parametrize("scores", [UCI, bc.load_labour()], ids=["datasets", "folds"])
def test_json_and_back(scores):
    found = rank(scores, rope=0.01, seed=None, draws=2000)
    text = json.dumps(found.to_dict(), allow_nan=False)
    back = bc.bayes.RankingPosterior.from_dict(json.loads(text))
    assert back == found
    assert back.p_best == found.p_best
    assert back.with_rope(0.05).p_within_rope == found.with_rope(0.05).p_within_rope
    assert np.array_equal(back.draws(), found.draws())
    with pytest.raises(ValueError, match="must have a kind of RankingPosterior"):
        bc.bayes.RankingPosterior.from_dict({"kind": "nothing"})


@pytest.mark.oracle("bayes.RankingPosterior.at_ropes", "brute force")
@pytest.mark.parametrize("scores", [UCI, bc.load_labour()], ids=["datasets", "folds"])
def test_many_ropes_at_once_are_counts_of_the_draws(scores):
    """Shares and joint probabilities counted draw by draw; and the groups are those of each rope alone."""
    found, ropes = rank(scores, rope=0.01, draws=2000), (0.0, 0.004, 0.02, 0.1)
    draws, models = found.draws(), np.array(found.models)
    for rope, one in zip(ropes, found.at_ropes(ropes, 0.9), strict=True):
        near = draws >= draws.max(axis=1, keepdims=True) - rope - 1e-12
        assert list(one.p_within_rope.values()) == pytest.approx(near.mean(axis=0).tolist())
        groups = one.groups(threshold=0.9)
        assert groups == found.with_rope(rope).groups(threshold=0.9)
        assert set(groups.worse) == set(models[near.mean(axis=0) <= 0.1])
        if groups.probability is not None and not groups.by_rope:
            last = np.isin(models, groups.beaten)
            apart = draws[:, ~np.isin(models, groups.worse)].min(axis=1) > draws[:, last].max(axis=1)
            assert groups.probability == pytest.approx(apart.mean())


def test_a_wider_rope_has_more_among_the_best():
    found = rank(UCI, rope=0.0, draws=2000)
    shares = [sum(found.with_rope(r).p_within_rope.values()) for r in (0, 0.01, 0.1, float("inf"))]
    assert shares == sorted(shares)
    assert shares[0] == pytest.approx(1)
    assert shares[-1] == pytest.approx(8)


def test_frame_has_one_row_a_model_the_best_first():
    found = rank(UCI, rope=0.01, draws=2000)
    frame = found.to_frame()
    assert set(frame.model) == set(UCI.models)
    assert frame.expected_rank.is_monotonic_increasing
    for row in frame.itertuples():
        assert (row.p_best, row.n) == (found.p_best[row.model], 24)
        assert (row.rank_low, row.rank_high) == found.rank_hdi()[row.model]
        assert row.rank_low <= round(row.expected_rank) <= row.rank_high
    plain = UCI.summary()[list(UCI.models)].mean()
    assert frame.set_index("model").mean_score.to_dict() == pytest.approx(plain.to_dict())


@pytest.mark.parametrize("k", [3, 40])
def test_repr_fits_a_screen(rng, k):
    scores = bc.Scores.from_arrays(
        {f"a model with a name {i}": rng.uniform(size=9) for i in range(k)}, higher_is_better=True, datasets=9
    )
    lines = repr(rank(scores, rope=0.05, draws=1000)).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 100
    assert f"{k} models" in lines[0]
    assert ("25 more models" in lines[-2]) == (k == 40)
    assert "came true in" in lines[-1], "9 datasets are few"


def test_arviz_has_the_draws():
    from bayescmp import _compat

    found = rank(UCI, draws=500)
    assert np.array_equal(_compat.group(found.to_arviz(), "posterior")["ability"].values[0], found.draws())


def test_seed_is_recorded_and_repeats():
    found = rank(UCI, seed=None, draws=500)
    assert found.p_best == rank(UCI, seed=found.random_seed, draws=500).p_best


def test_memory_does_not_grow_with_the_draws(rng):
    scores = bc.Scores.from_arrays(
        {f"m{i}": rng.uniform(size=1000) for i in range(200)}, higher_is_better=True, datasets=1000
    )
    tracemalloc.start()
    try:
        rank(scores, draws=3000).p_best  # noqa: B018
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6, "200 models x 1,000 datasets; 3,000 weight vectors at once would be 24 MB, 50,000 400 MB"


def test_ranking_is_light():
    code = (
        "import sys, bayescmp as bc\nprint(bc.bayes.rank_models(bc.load_uci(), rope=0.01, draws=1000, random_seed=1))\n"
        "print(bc.bayes.plackett_luce(bc.load_uci(), random_seed=1))\n"
        "print([m for m in ('pymc', 'arviz', 'pandas', 'scipy.stats') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


# ---- refused


def test_bad_input_is_refused():
    one = UCI.select(datasets=[UCI.datasets[0]])
    for scores, options, error, words in (
        (UCI.select(models=["rf"]), {}, bc.ScoresError, "at least 2 models"),
        (table([0.5], [0.6]), {}, bc.ScoresError, "at least 2 datasets, or the folds of one"),
        ({"A": [1, 2]}, {}, bc.ScoresError, "takes the Scores of all models, got dict"),
        (UCI, {"rope": (-0.01, 0.02)}, bc.RopeError, "must be symmetric"),
        (UCI, {"rope": -1}, bc.RopeError, "must not be negative"),
        (UCI, {"rope": {"iris": 0.1}}, bc.RopeError, "no rope for dataset"),
        (UCI, {"rope": dict.fromkeys(UCI.datasets, 0.0)}, bc.RopeError, "above 0"),
        (UCI, {"by": "median"}, ValueError, '`by` must be "score" or "rank"'),
        (UCI, {"draws": 0}, ValueError, "at least 1"),
        (one, {"draws": 2.5}, ValueError, "whole number"),
        (UCI, {"seed": -1}, ValueError, "`random_seed`"),
    ):
        with pytest.raises(error, match=words):
            rank(scores, **options)
    with pytest.raises(bc.ScoresError, match=r'no model "tre"\. Did you mean "tree"'):
        rank(UCI, draws=100).p_better("tre", "svm")
    with pytest.raises(ValueError, match="`mass`"):
        rank(UCI, draws=100).rank_hdi(95)


def test_unknown_resampling_is_refused():
    folds = bc.load_labour()
    from dataclasses import replace

    with pytest.raises(bc.ResamplingError, match="needs the resampling design of the scores"):
        rank(replace(folds, resampling=(None,)))


def test_half_scored_datasets_and_several_metrics_are_refused():
    frame = bc.load_labour().to_frame()
    with pytest.raises(bc.ScoresError, match=r"same folds.*has 99 of 100"):
        rank(bc.Scores.from_frame(frame.iloc[1:], metric="error rate", resampling=bc.load_labour().resampling[0]))
    wide = table([1.0, 2], [2.0, 1])
    from dataclasses import replace

    with pytest.raises(bc.ScoresError, match="2 metrics"):
        rank(replace(wide, other_metrics=(replace(wide, metric="accuracy"),)))


def test_scale_warning_reaches_the_caller():
    with pytest.warns(bc.ScaleWarning):
        rank(UCI, rope=1, draws=100)


def test_summary_of_one_block_and_of_many_agree(rng):
    """The same abilities, whether they come in one block or many."""
    inference = StudentAbilities(rng.normal(size=(10, 3)), 0.1, 0.0, 10_000, 1)

    class Joined(StudentAbilities):
        def blocks(self):
            from bayescmp.bayes.ranking.result import Block

            yield Block(np.concatenate([b.ability for b in super().blocks()]))

    joined = Joined(*(getattr(inference, n) for n in ("folds", "rho", "rounding", "n_draws", "random_seed")))
    one, two = vars(summarise(inference, 0.1)), vars(summarise(joined, 0.1))
    for name in one:
        assert (one[name] is None and two[name] is None) or np.allclose(one[name], two[name])


def test_one_posterior_keeps_its_draws(rng, monkeypatch):
    """Kept draws and new ones give the same numbers; the posterior that was asked last keeps them, if they are few."""
    made = []

    class Counting(StudentAbilities):
        def blocks(self):
            made.append(self)
            return super().blocks()

    one, two = (Counting(rng.normal(size=(10, 3)), 0.1, 0.0, 10_000, 1) for _ in range(2))
    ropes = [(0.1, [0], [1, 2]), (0.5, [0, 1], [2])]
    kept = [summarise(one, 0.1).ranks, *count_beaten(one, ropes)]
    assert len(made) == 1
    summarise(two, 0.1)
    assert "_drawn" not in vars(one)
    assert "_drawn" in vars(two)
    monkeypatch.setattr("bayescmp.bayes.ranking.result.MOST_KEPT", 0)
    again = [summarise(one, 0.1).ranks, *count_beaten(one, ropes)]
    assert len(made) == 4
    assert "_drawn" not in vars(one)
    assert all(np.array_equal(x, y) for x, y in zip(kept, again, strict=True))
    with pytest.raises(ValueError, match="n_draws"):
        summarise(StudentAbilities(rng.normal(size=(10, 3)), 0.1, 0.0, 0, 1), 0.1)


@pytest.mark.parametrize(("folds", "models"), [(100, 3), (10, 4), (3, 6), (2, 2), (5000, 2)])
def test_draws_of_one_dataset_have_the_covariance_of_its_folds(rng, folds, models):
    """Multivariate Student: location the means, covariance that of the folds times inflation and df / (df - 2).

    With one normal for each model where there are more folds; also where two models are copies of each other.
    """
    x = rng.normal(size=(folds, models)) @ rng.normal(size=(models, models))
    x[:, -1] = x[:, 0]
    inference = StudentAbilities(x, 0.1, 0.0, 40_000, 1)
    draws = np.concatenate([block.ability for block in inference.blocks()])
    assert np.allclose(draws[:, -1], draws[:, 0], atol=1e-12)
    unit = np.sqrt(np.diag(np.cov(x.T)) * inference.inflation)
    # squares have no mean with few degrees of freedom: the median distance of t, and the correlations by signs
    t = (draws - x.mean(axis=0)) / unit
    assert np.median(np.abs(t), axis=0) == pytest.approx([stats.t.ppf(0.75, folds - 1)] * models, rel=0.03)
    signs = np.mean(np.sign(t[:, 0]) == np.sign(t[:, models // 2]))
    r = np.clip(np.corrcoef(x.T)[0, models // 2], -1, 1)
    assert signs == pytest.approx(0.5 + np.arcsin(r) / np.pi, abs=0.015)
    normals = []

    class Counting:
        def __init__(self, rng):
            self.rng = rng

        def standard_normal(self, size):
            normals.append(size[1])
            return self.rng.standard_normal(size)

        def chisquare(self, *arguments):
            return self.rng.chisquare(*arguments)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bootstrap, "streams", lambda *a: ((Counting(g), n) for g, n in streams(*a)))
        list(inference.blocks())
    assert set(normals) == {min(folds, models)}


@pytest.mark.parametrize("power", [-60, 60])
def test_ties_of_ranks_and_of_scores_have_their_own_rounding(rng, power):
    """Scores of 1e18 made all ranks equal, and those of 1e-18 all scores, because both had the larger tolerance."""
    x, unit = rng.normal(0, 1, (3, 10)), 2.0**power
    one, two = (
        bc.bayes.rank_models(
            bc.Scores.from_arrays(dict(zip("abc", x * u, strict=True)), higher_is_better=True, datasets=10),
            rope=u / 4,
            draws=500,
            random_seed=1,
        )
        for u in (1.0, unit)
    )
    assert two.p_best == one.p_best
    assert two.p_within_rope == one.p_within_rope
