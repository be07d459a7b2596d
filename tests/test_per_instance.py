"""Grades, samples and clusters of items: both schools, and all models at once."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import Resampling, Scores, frequentist
from bayescmp.bayes import mcnemar_test, per_instance_ttest, rank_models
from bayescmp.bayes.per_instance import _learnt_prior
from bayescmp.errors import DegenerateWarning, ScoresError

GROUPS = "1 0 1 1 | 0 0 -1 | 1 1 0 0 0 1 | 0 1 | -1 0 0 0 0 | 1 1 1 0 1 0 0 1".split("|")
D = np.array([float(x) for group in GROUPS for x in group.split()])
CLUSTERS = [i for i, group in enumerate(GROUPS) for _ in group.split()]


def graded(values, **options):
    samples = next(iter(values.values())).ndim == 2
    design = Resampling.items(next(iter(values.values())).shape[1] if samples else 1)
    return Scores.from_arrays(values, metric="accuracy", resampling=design, **options)


@pytest.mark.oracle("bayes.per_instance_ttest", "example: six clusters, computed apart from this package")
def test_cluster_robust_scale():
    p = per_instance_ttest(D, np.zeros(D.size), rope=0.05, clusters=CLUSTERS)
    assert p.mean == pytest.approx(0.357142857, abs=1e-9)
    assert p.settings["standard_error"] == pytest.approx(0.177084596, abs=1e-9)
    assert p.settings["df"] == pytest.approx(4.131369771, abs=1e-9)
    assert p.three == pytest.approx((0.922210776, 0.037331439, 0.040457785), abs=1e-9)
    assert p.settings["design_effect"] == pytest.approx((0.177084596 / 0.117449592) ** 2, rel=1e-8)
    assert "4.1 degrees of freedom" in p.notes[0]
    plain = per_instance_ttest(D, np.zeros(D.size), rope=0.05)
    assert plain.settings["standard_error"] == pytest.approx(0.117449592, abs=1e-9)


@pytest.mark.oracle("bayes.per_instance_ttest frequentist.per_instance_ttest", "brute force: the matrices of CR2")
def test_cr2_by_its_matrices(rng):
    sizes = [2, 9, 4, 1, 30]
    clusters = np.repeat(np.arange(5), sizes)
    d, n = rng.normal(size=sum(sizes)), sum(sizes)
    hat = np.full((n, n), 1 / n)
    residuals, maker = d - d.mean(), np.eye(n) - hat
    contributions, vectors = [], []
    for c in range(5):
        rows = np.flatnonzero(clusters == c)
        values, basis = np.linalg.eigh(maker[np.ix_(rows, rows)])
        root = basis @ np.diag(1 / np.sqrt(values)) @ basis.T  # (I - H)_cc^(-1/2)
        weight = root @ np.ones(rows.size) / n
        contributions.append(weight @ residuals[rows])
        vectors.append(maker[:, rows] @ weight)
    g = np.stack(vectors, axis=1)
    eigen = np.linalg.eigvalsh(g.T @ g)
    found = per_instance_ttest(d, np.zeros(n), rope=0, clusters=clusters)
    assert found.settings["standard_error"] == pytest.approx(math.sqrt(np.sum(np.square(contributions))), rel=1e-12)
    assert found.settings["df"] == pytest.approx(eigen.sum() ** 2 / np.square(eigen).sum(), rel=1e-10)
    test = frequentist.per_instance_ttest(d, np.zeros(n), clusters=clusters, alternative="greater")
    assert found.p_worse == pytest.approx(test.p_value, rel=1e-10)  # two schools, one number
    assert test.df == pytest.approx(found.settings["df"])


@pytest.mark.oracle("bayes.per_instance_ttest frequentist.per_instance_ttest", "scipy")
def test_clusters_of_one_item_are_the_paired_t_test(rng):
    a, b = rng.uniform(size=(2, 25))
    for clusters in (None, np.arange(25)):
        p = per_instance_ttest(a, b, rope=0, clusters=clusters)
        test = frequentist.per_instance_ttest(a, b, clusters=clusters)
        expected = stats.ttest_rel(a, b)
        assert test.statistic == pytest.approx(expected.statistic)
        assert test.p_value == pytest.approx(expected.pvalue)
        assert 2 * min(p.p_better, p.p_worse) == pytest.approx(expected.pvalue)
        assert p.hdi(0.9) == pytest.approx(tuple(expected.confidence_interval(0.9)))


@pytest.mark.oracle("bayes.per_instance_ttest", "simulation: variances that are known")
def test_parts_of_the_variance_and_what_to_buy(rng):
    n, k = 4000, 4
    level = rng.normal(size=(n, 1))
    effect = rng.normal(0.1, 0.5, (n, 1))  # omega^2 = 0.25
    a = level + effect + rng.normal(0, 1.0, (n, k))  # sigma_A^2 / K = 0.25
    b = level + rng.normal(0, 2.0, (n, k))  # sigma_B^2 / K = 1
    pair = graded({"a": a, "b": b}).pair("a", "b")
    p = per_instance_ttest(pair, rope=0.05)
    parts = p.settings["variance"]
    assert n * parts["items"] == pytest.approx(0.25, abs=0.1)
    assert n * parts["samples_a"] == pytest.approx(0.25, rel=0.05)
    assert n * parts["samples_b"] == pytest.approx(1.0, rel=0.05)
    assert parts["total"] == pytest.approx(parts["items"] + parts["samples_a"] + parts["samples_b"])
    assert p.n == n
    assert p.settings["standard_error"] == pytest.approx(math.sqrt(1.5 / n), rel=0.05)
    # half of 1.25 of 1.5 is left with twice the samples: sqrt(1 - 1.25/1.5/2) = 0.76
    assert p.notes[0].startswith("8")
    assert "0.71 with twice the items, 0.76 with twice the samples: buy items or samples" in p.notes[0]
    same = per_instance_ttest(graded({"a": level + 0.01 * a, "b": 0.01 * b}).pair("a", "b"), rope=0.05)
    assert same.notes[0].startswith("nearly all of the variance of the mean difference comes from the items; ")
    assert same.notes[0].endswith("1.00 with twice the samples: buy items")


@pytest.mark.oracle("bayes.per_instance_ttest", "closed form", "simulation: Dirichlet weights")
def test_bootstrap_engine(rng):
    d = rng.normal(0.1, 1, 40)
    p = per_instance_ttest(d, np.zeros(40), rope=0, engine="bootstrap", draws=40_000, random_seed=1)
    # Rubin: the variance of the weighted mean is that of the sample over n + 1
    assert p.mean == pytest.approx(d.mean(), abs=0.01)
    assert np.std(p.distribution.chains) == pytest.approx(math.sqrt(d.var() / 41), rel=0.02)
    clustered = per_instance_ttest(
        D, np.zeros(D.size), rope=0.05, clusters=CLUSTERS, engine="bootstrap", draws=40_000, random_seed=1
    )
    sums, sizes = (np.bincount(CLUSTERS, x) for x in (D, np.ones(D.size)))
    weights = rng.dirichlet(np.ones(6), 40_000)
    expected = weights @ sums / (weights @ sizes)
    assert clustered.p_better == pytest.approx((expected > 0.05).mean(), abs=0.01)
    assert clustered.random_seed == 1
    assert max(clustered.mcse.values()) > 0


@pytest.mark.oracle("bayes.per_instance_ttest", "simulation: coverage of the mean over these very items")
def test_benchmark_target_covers_the_rate_of_these_items():
    """Rates of items are fixed, and only the samples are drawn again: the interval is about their mean."""
    rng = np.random.default_rng(5)
    n, k = 60, 5
    rates = np.clip(rng.beta(0.4, 0.4, (n, 1)) + np.array([0.05, 0.0]), 0, 1)
    truth, hits, wide = (rates[:, 0] - rates[:, 1]).mean(), 0, 0
    for seed in range(120):
        a, b = ((rng.random((n, k)) < rates[:, [j]]).astype(float) for j in (0, 1))
        pair = graded({"a": a, "b": b}).pair("a", "b")
        low, high = per_instance_ttest(pair, rope=0, target="benchmark", draws=1000, random_seed=seed).hdi(0.9)
        hits += low <= truth <= high
        low, high = per_instance_ttest(pair, rope=0).hdi(0.9)
        wide += low <= truth <= high
    assert 0.82 <= hits / 120 <= 0.97
    assert wide >= hits  # the population has the variance of items besides


def test_benchmark_target_needs_samples(rng):
    pair = graded({"a": rng.uniform(size=9), "b": rng.uniform(size=9)}).pair("a", "b")
    with pytest.raises(ScoresError, match="at least 2 samples per item, or deterministic=True"):
        per_instance_ttest(pair, rope=0, target="benchmark")
    sure = per_instance_ttest(pair, rope=0, target="benchmark", deterministic=True)
    assert sure.three in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    assert "nothing is uncertain" in sure.notes[0]
    assert "these very items" in sure.sentence()
    sampled = graded({"a": rng.uniform(size=(9, 3)), "b": rng.uniform(size=(9, 3))}).pair("a", "b")
    p = per_instance_ttest(sampled, rope=0, target="benchmark")
    within = [np.var(x, axis=1, ddof=1).mean() / 3 for x in sampled.items["dataset"].samples]
    assert p.distribution.scale == pytest.approx(math.sqrt(sum(within) / 9))
    assert p.distribution.df == 18
    with pytest.raises(ScoresError, match="they show the randomness"):
        per_instance_ttest(sampled, rope=0, target="benchmark", deterministic=True)


@pytest.mark.oracle("bayes.per_instance_ttest", "simulation: rates of a known Beta")
def test_prior_of_the_rates_is_learnt(rng):
    rates = rng.beta(2.0, 0.5, 20_000)
    right = rng.binomial(6, rates).astype(float)
    assert _learnt_prior(right, np.full(20_000, 6)) == pytest.approx((2.0, 0.5), rel=0.1)


@pytest.mark.slow
@pytest.mark.oracle("bayes.per_instance_ttest", "PyMC")
def test_nuts_agrees():
    options = {"rope": 0.05, "clusters": CLUSTERS}
    p = per_instance_ttest(D, np.zeros(D.size), **options)
    q = per_instance_ttest(
        D, np.zeros(D.size), **options, engine="nuts", random_seed=1, draws=2000, chains=2, progressbar=False
    )
    assert np.abs(np.subtract(p.three, q.three)).max() < 5 * q.largest_mcse


def test_bad_options_are_refused(rng):
    a, b = rng.uniform(size=(2, 6))
    for wrong in ({"target": "world"}, {"engine": "magic"}, {"deterministic": 1}, {"engine": "bootstrap", "draws": 0}):
        with pytest.raises(ValueError, match="must be"):
            per_instance_ttest(a, b, rope=0, **wrong)
    with pytest.raises(ScoresError, match="one entry for each of 6 items, got 2"):
        per_instance_ttest(a, b, rope=0, clusters=[1, 2])
    with pytest.raises(ScoresError, match="at least 2 clusters"):
        per_instance_ttest(a, b, rope=0, clusters=[1] * 6)
    with pytest.raises(ScoresError, match="each is about many cases"):
        per_instance_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)
    with pytest.warns(DegenerateWarning, match="no variation between items"):
        p = per_instance_ttest(a, a, rope=0.1)
    assert p.three == (0.0, 1.0, 0.0)


@pytest.mark.oracle("bayes.per_instance_ttest", "simulation: coverage with unequal clusters")
def test_coverage_with_unequal_clusters():
    """Ten clusters of 2 to 100 items, correlation .64: trials gave CR2 .94, and CR1 with t of C - 1 .76."""
    rng = np.random.default_rng(2)
    sizes = np.array([2, 2, 3, 5, 8, 12, 20, 40, 70, 100])
    clusters, n, hits, naive = np.repeat(np.arange(10), sizes), sizes.sum(), 0, 0
    for _ in range(400):
        d = 0.8 * rng.normal(size=10)[clusters] + 0.6 * rng.normal(size=n)
        for ignore in (None, False):
            low, high = per_instance_ttest(d, np.zeros(n), rope=0, clusters=clusters if ignore is None else False).hdi(
                0.95
            )
            hits, naive = hits + (ignore is None) * (low <= 0 <= high), naive + (ignore is False) * (low <= 0 <= high)
    assert hits / 400 == pytest.approx(0.94, abs=0.035)
    assert naive / 400 < 0.5


def test_samples_taken_for_items_would_be_too_sure(rng):
    """What the table of items prevents: five samples of each item as five items."""
    rates = rng.beta(1, 1, (200, 1))
    a, b = ((rng.random((200, 5)) < rates).astype(float) for _ in range(2))
    right = per_instance_ttest(graded({"a": a, "b": b}).pair("a", "b"), rope=0)
    assert right.n == 200
    assert right.settings["df"] == 199


# ---- several trained models


def trained(rng, n, runs, *, between=0.0, crossed=1.0, items=1.0, shift=0.0):
    """Answers of one model, items x runs, and the items' part of them."""
    own = items * rng.standard_normal((n, 1))
    return shift + own + between * rng.standard_normal((1, runs)) + crossed * rng.standard_normal((n, runs))


def of_runs(a, b, **options):
    """The pair of two models with answers items x runs, of which the second may have fewer runs."""
    rows = [
        {"model": m, "item": f"q{i}", "seed": r, "score": y}
        for m, x in (("a", a), ("b", b))
        for (i, r), y in np.ndenumerate(x)
    ]
    frame = pd.DataFrame(rows)
    for name, of_item in options.items():
        frame[name] = [of_item[int(item[1:])] for item in frame["item"]]
    return Scores.from_frame(frame, metric="accuracy")


@pytest.mark.oracle(
    "bayes.per_instance_ttest frequentist.per_instance_ttest", "statsmodels: mean squares of a two-way table"
)
def test_crossed_runs_have_the_variance_of_expected_mean_squares(rng):
    """Cornfield and Tukey: (MS items + MS runs - MS items x runs)/(n R) for a table of items x runs."""
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    n, runs = 12, 4
    a = trained(rng, n, runs, between=0.8, shift=0.1)
    scores = of_runs(a, np.zeros((n, runs)))
    p = per_instance_ttest(scores.pair("a", "b"), rope=0)
    long = pd.DataFrame([(i, r, y) for (i, r), y in np.ndenumerate(a)], columns=["item", "run", "y"])
    table = anova_lm(ols("y ~ C(item) + C(run)", long).fit())
    items, of_run, left = table["mean_sq"]
    assert of_run > left  # else the estimate is cut off at 0
    variance = (items + of_run - left) / (n * runs)
    df = variance**2 / sum(np.square(ms / (n * runs)) / k for ms, k in zip(table["mean_sq"], table["df"], strict=True))
    assert p.mean == pytest.approx(a.mean())
    assert p.settings["standard_error"] == pytest.approx(math.sqrt(variance), rel=1e-12)
    assert p.settings["df"] == pytest.approx(df, rel=1e-10)
    parts = p.settings["variance"]
    assert parts["runs_a"] == pytest.approx((of_run - left) / (n * runs), rel=1e-9)
    assert parts["items"] == pytest.approx((items - left) / (n * runs), rel=1e-9)
    assert parts["runs_by_items_a"] == pytest.approx(left / (n * runs), rel=1e-9)
    test = frequentist.per_instance_ttest(scores.pair("a", "b"), alternative="greater")
    assert p.p_worse == pytest.approx(test.p_value, rel=1e-10)  # two schools, one number
    assert (test.details["runs_a"], test.df) == (runs, pytest.approx(df))
    each = per_instance_ttest(of_runs(a, np.zeros((n, runs)), cluster=list(range(n))).pair("a", "b"), rope=0)
    assert each.settings["standard_error"] == pytest.approx(math.sqrt(variance), rel=1e-12)  # clusters of one item


@pytest.mark.oracle("bayes.per_instance_ttest frequentist.per_instance_ttest", "scipy: Welch's t-test of the runs")
def test_items_that_do_not_vary_leave_the_welch_test_of_the_runs(rng):
    """Every run shifts all items alike, and the items differ by nothing else: what is left are two groups of runs."""
    effects_a, effects_b = rng.normal(0.3, 1.0, 5), rng.normal(0, 2.0, 7)
    level = rng.normal(size=(9, 1))
    pair = of_runs(level + effects_a, level + effects_b).pair("a", "b")
    p = per_instance_ttest(pair, rope=0)
    expected = stats.ttest_ind(effects_a, effects_b, equal_var=False)
    assert p.settings["df"] == pytest.approx(expected.df, rel=1e-9)
    assert 2 * min(p.p_better, p.p_worse) == pytest.approx(expected.pvalue, rel=1e-9)
    assert frequentist.per_instance_ttest(pair).p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert p.settings["variance"]["items"] == pytest.approx(0, abs=1e-20)


@pytest.mark.oracle("bayes.per_instance_ttest", "closed form: bayes.welch_ttest of the means of the runs")
def test_these_very_items_and_models_trained_again(rng):
    a, b = trained(rng, 20, 4, between=0.5), trained(rng, 20, 6)
    pair = of_runs(a, b).pair("a", "b")
    p = per_instance_ttest(pair, rope=0.1, target="benchmark")
    expected = bc.bayes.welch_ttest(a.mean(axis=0), b.mean(axis=0), rope=0.1)
    assert p.three == pytest.approx(expected.three, abs=1e-12)
    assert p.sentence().endswith(
        "models that are trained like these on these very items; other items may give another difference."
    )
    plain = per_instance_ttest(pair, rope=0.1, target="models")
    alone = per_instance_ttest(a.mean(axis=1), b.mean(axis=1), rope=0.1)
    assert plain.three == pytest.approx(alone.three, abs=1e-12)
    assert "about these trained models" in plain.sentence()
    assert (
        "about models that are trained like these on items like these." in per_instance_ttest(pair, rope=0).sentence()
    )


@pytest.mark.oracle("bayes.per_instance_ttest", "simulation: coverage of crossed items and runs")
@pytest.mark.parametrize("clustered", [False, True])
def test_coverage_of_runs_and_what_averaging_them_into_items_does(clustered):
    """No true difference; the runs add as much variance to the mean as the items: averaging them covers .84."""
    rng = np.random.default_rng(3)
    n, runs, studies, hits, naive = 60, 4, 400, 0, 0
    clusters = np.arange(n) // (5 if clustered else 1)
    per_cluster = 0.8 if clustered else 0.0
    crossed = math.sqrt(0.5)
    items = (1 + 2 * crossed**2 / runs + (5 * per_cluster**2 if clustered else 0)) / n  # of the mean difference
    between = math.sqrt(items * runs / 2)
    options = {"clusters": clusters.tolist() if clustered else None}
    design = Resampling.items(runs=runs)
    for _ in range(studies):
        a = trained(rng, n, runs, between=between, crossed=crossed)
        a += per_cluster * rng.standard_normal(n)[clusters][:, None]
        b = trained(rng, n, runs, between=between, crossed=crossed, items=0.0)
        scores = Scores.from_arrays({"a": a, "b": b}, metric="accuracy", resampling=design, **options)
        pair = scores.pair("a", "b")
        low, high = per_instance_ttest(pair, rope=0).hdi(0.95)
        hits += low <= 0 <= high
        low, high = per_instance_ttest(pair, rope=0, target="models").hdi(0.95)
        naive += low <= 0 <= high
    assert hits / studies == pytest.approx(0.95, abs=0.04)  # more than three standard errors
    assert naive / studies < 0.89


def test_runs_need_two_of_both_and_tests_that_know_them(rng):
    pair = of_runs(trained(rng, 20, 3), trained(rng, 20, 1)).pair("a", "b")
    with pytest.raises(ScoresError, match='"a" was trained several times and "b" once'):
        per_instance_ttest(pair, rope=0)
    assert per_instance_ttest(pair, rope=0, target="models").n == 20
    assert frequentist.per_instance_ttest(pair, target="models").df == 19
    both = of_runs(trained(rng, 20, 3), trained(rng, 20, 2))
    for test in (bc.bayes.mcnemar_test, bc.bayes.correlated_ttest):
        with pytest.raises(ScoresError, match="2 to 3 runs each: a run moves all its items at once"):
            test(both.pair("a", "b"), rope=0)
    with pytest.raises(ScoresError, match="2 to 3 runs each"):
        frequentist.corrected_ttest(both.pair("a", "b"))
    with pytest.raises(ScoresError, match="2 to 3 runs each"):
        bc.compare(both, rope=0.1).plan()
    with pytest.raises(ValueError, match="several runs of each model answered them"):
        per_instance_ttest(both.pair("a", "b"), rope=0, engine="bootstrap")
    with pytest.raises(ScoresError, match="for models that were trained once"):
        per_instance_ttest(both.pair("a", "b"), rope=0, target="benchmark", deterministic=True)


@pytest.mark.oracle("bayes.rank_models", "closed form: every pair is per_instance_ttest")
def test_pairs_of_a_ranking_of_runs_are_the_exact_ones(rng):
    answers = {m: trained(rng, 40, r, between=0.3, crossed=0.3) for m, r in (("a", 5), ("b", 5), ("c", 5))}
    design = Resampling.items(runs=5)
    scores = Scores.from_arrays(answers, metric="accuracy", resampling=design)
    c = bc.compare(scores, rope=0.02)
    assert (c.setting.bayes, c.setting.frequentist) == ("per_instance_ttest", "per_instance_ttest")
    assert bc.Comparison.from_json(c.to_json()) == c
    ranking = rank_models(scores, rope=0.02, draws=40_000, random_seed=1)
    draws = ranking.draws()
    dfs = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        exact = per_instance_ttest(scores.pair("abc"[i], "abc"[j]), rope=0.02)
        assert ranking.p_better("abc"[i], "abc"[j]) == pytest.approx(exact.with_rope(0).p_better, abs=1e-10)
        assert c.pair("abc"[i], "abc"[j]).posterior.three == exact.three
        gaps = draws[:, i] - draws[:, j]
        spread = np.subtract(*np.quantile(gaps, [0.75, 0.25]))
        wide = 2 * exact.settings["standard_error"] * stats.t.isf(0.25, exact.settings["df"])
        assert spread == pytest.approx(wide, rel=0.05)
        dfs.append(exact.settings["df"])
    assert ranking.settings["df"] == pytest.approx(min(dfs))
    assert ranking.estimand == "the mean scores of models that are trained like these on items like these"
    assert bc.bayes.RankingPosterior.from_json(ranking.to_json()) == ranking


# ---- the frequentist side


@pytest.mark.oracle("frequentist.paired_proportions_interval", "published: Newcombe (1998) and Tango (1998), 36 12 2 0")
@pytest.mark.parametrize(("method", "expected"), [("newcombe", (0.0569, 0.3404)), ("tango", (0.0611, 0.3447))])
def test_intervals_of_the_crossover_trial(method, expected):
    found = frequentist.paired_proportions_interval(
        table=[[36, 12], [2, 0]], orientation="both right first", method=method
    )
    assert (found.low, found.high) == pytest.approx(expected, abs=6e-5)
    other = frequentist.paired_proportions_interval(
        table=[[36, 2], [12, 0]], orientation="both right first", method=method
    )
    assert (-other.high, -other.low) == pytest.approx((found.low, found.high))


@pytest.mark.oracle("frequentist.tost_mcnemar", "brute force: the restricted likelihood maximised on a grid")
def test_tango_score_has_the_restricted_variance():
    only_a, only_b, n = 30, 20, 1000
    result = frequentist.tost_mcnemar(table=[[450, 30], [20, 500]], orientation="both right first", rope=0.03)
    for border, p in ((-0.03, result.details["p_below"]), (0.03, result.details["p_above"])):
        share_b = np.linspace(max(0.0, -border), (1 - border) / 2, 2_000_001)[1:-1]
        log_likelihood = (
            only_a * np.log(share_b + border)
            + only_b * np.log(share_b)
            + (n - only_a - only_b) * np.log(1 - 2 * share_b - border)
        )
        best = share_b[log_likelihood.argmax()]
        z = (only_a - only_b - n * border) / math.sqrt(n * (2 * best + border - border**2))
        assert p == pytest.approx(stats.norm.sf(abs(z)), rel=1e-3)
    assert result.p_value == max(result.details["p_below"], result.details["p_above"])
    inside = frequentist.paired_proportions_interval(
        table=[[450, 30], [20, 500]], orientation="both right first", method="tango", confidence_level=0.9
    )
    assert result.confidence_interval() == pytest.approx((inside.low, inside.high))
    assert frequentist.tost_mcnemar([1] * 50, [1] * 50, rope=0.2).p_value < 0.05
    with pytest.raises(bc.RopeError, match="wider than 0"):
        frequentist.tost_mcnemar([1, 0], [0, 1], rope=0)


# ---- all models at once


@pytest.mark.oracle("bayes.rank_models", "closed form: every pair is mcnemar_test")
def test_pairs_of_the_ranking_are_the_exact_ones(rng):
    difficulty = rng.normal(size=80)
    values = {
        m: (rng.random(80) < 1 / (1 + np.exp(-x - difficulty))).astype(float)
        for m, x in zip("abcd", (1, 0.9, 0.3, 0), strict=True)
    }
    scores = graded(values)
    ranking = rank_models(scores, rope=0.02, draws=40_000, random_seed=1)
    draws = ranking.draws()
    for i, a in enumerate("abcd"):
        for j, b in enumerate("abcd"):
            if i < j:
                exact = mcnemar_test(scores.pair(a, b), rope=0.02)
                assert ((draws[:, i] - draws[:, j]) > 0.02).mean() == pytest.approx(exact.p_better, abs=0.012)
                assert (draws[:, i] - draws[:, j]).std() == pytest.approx(exact.distribution.sd, rel=0.03)
                assert ranking.p_better(a, b) == pytest.approx(exact.with_rope(0).p_better, abs=1e-12)
    assert all(ranking.p_best[m] <= ranking.p_within_rope[m] + 1e-12 for m in "abcd")
    assert bc.bayes.RankingPosterior.from_json(ranking.to_json()) == ranking


@pytest.mark.oracle("bayes.rank_models", "closed form: every pair is mcnemar_test")
def test_pairs_of_many_models_are_the_exact_ones(rng):
    """With 21 models nearly every pattern comes once; three bytes of coins are cut to 21."""
    skill, ease = rng.normal(0.5, 0.5, 21), rng.normal(0, 1.5, (70, 1))
    right = (rng.random((70, 21)) < 1 / (1 + np.exp(-skill - ease))).astype(float)
    right[:12] = 1.0  # one pattern that comes often
    scores = bc.Scores.from_arrays(
        {f"m{i}": x for i, x in enumerate(right.T)}, metric="accuracy", resampling=bc.Resampling.items()
    )
    draws = rank_models(scores, rope=0.02, draws=40_000, random_seed=1).draws()
    for i, j in ((0, 1), (3, 20), (7, 8), (19, 20)):
        exact = mcnemar_test(scores.pair(f"m{i}", f"m{j}"), rope=0.02)
        gaps = draws[:, i] - draws[:, j]
        found = [np.mean(gaps > 0.02), np.mean(np.abs(gaps) <= 0.02), np.mean(gaps < -0.02)]
        assert found == pytest.approx(list(exact.three), abs=0.012)  # more than four standard errors
        assert [gaps.mean(), gaps.std()] == pytest.approx([exact.mean, exact.distribution.sd], abs=1e-3)


@pytest.mark.oracle("bayes.rank_models", "closed form: one discordant item")
def test_one_discordant_item_is_no_certainty():
    """A plain bootstrap of the items says P(best) = 1; the exact answer is .818."""
    scores = graded({"a": np.r_[np.ones(29), 1.0], "b": np.r_[np.ones(29), 0.0]})
    ranking = rank_models(scores, rope=0, draws=100_000, random_seed=2)
    assert mcnemar_test(scores.pair("a", "b"), rope=0).p_better == pytest.approx(0.818, abs=5e-4)
    assert ranking.p_best["a"] == pytest.approx(0.818, abs=0.006)


@pytest.mark.oracle("bayes.rank_models", "closed form: every pair is per_instance_ttest")
@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(9), [1, 2, 3, 4, 5, 6, 7, 8, 9])])
def test_graded_pairs_of_the_ranking_are_the_exact_ones(clusters, rng):
    values = {m: rng.uniform(size=45) + x for m, x in zip("abc", (0.05, 0, 0), strict=True)}
    scores = graded(values, clusters=clusters)
    ranking = rank_models(scores, rope=0.02, draws=40_000, random_seed=1)
    draws = ranking.draws()
    for i, j in ((0, 1), (0, 2), (1, 2)):
        pair = scores.pair("abc"[i], "abc"[j])
        exact = per_instance_ttest(pair, rope=0.02)
        assert ((draws[:, i] - draws[:, j]) > 0.02).mean() == pytest.approx(exact.p_better, abs=0.012)
        assert ranking.p_better(*pair.swap().swap().about(models=True)["models"]) == pytest.approx(
            exact.with_rope(0).p_better, abs=1e-10
        )


# ---- compare


def test_compare_picks_by_the_design(rng):
    right = {m: rng.integers(0, 2, 60).astype(float) for m in "abc"}
    c = bc.compare(graded(right), rope=0.02)
    assert (c.setting.bayes, c.setting.frequentist) == ("mcnemar_test", "mcnemar_test")
    assert c.pair("a", "b").posterior.three == mcnemar_test(graded(right).pair("a", "b"), rope=0.02).three
    assert bc.Comparison.from_json(c.to_json()) == c
    for other in (
        graded({m: x * 0.5 for m, x in right.items()}),
        graded(right, clusters=np.arange(60) // 5),
        graded({m: np.stack([x, 1 - x, x], axis=1) for m, x in right.items()}),
    ):
        c = bc.compare(other, rope=0.02)
        assert (c.setting.bayes, c.setting.frequentist) == ("per_instance_ttest", "per_instance_ttest")
        assert c.pair("a", "b").posterior.three == per_instance_ttest(other.pair("a", "b"), rope=0.02).three
        assert "these trained models" in c.pair("a", "b").sentence()
    asked = bc.compare(graded(right), rope=0.02, bayes="per_instance_ttest", frequentist="tost_mcnemar")
    assert asked.setting.frequentist == "tost_mcnemar"
    with pytest.raises(ValueError, match="`bayes` must be one of mcnemar_test, per_instance_ttest"):
        bc.compare(graded(right), rope=0.02, bayes="correlated_ttest")
    assert "mcnemar_test" in repr(frequentist.recommend(graded(right)))


def test_many_models_within_seconds():
    import time

    rng = np.random.default_rng(0)
    difficulty = rng.normal(0, 1.5, 1136)
    right = (rng.random((100, 1136)) < 1 / (1 + np.exp(-rng.normal(0.5, 0.3, (100, 1)) - difficulty))).astype(float)
    scores = graded({f"m{i}": x for i, x in enumerate(right)})
    from bayescmp.bayes.mcnemar import probabilities

    start = time.perf_counter()
    only = right @ (1 - right.T)
    i, j = np.triu_indices(100, 1)
    counts = np.stack([1136 - only[i, j] - only[j, i], only[i, j], only[j, i], np.zeros(i.size)], axis=1)
    p = probabilities(counts, rope=0.01)
    ranking = rank_models(scores, rope=0.01, draws=4000, random_seed=1)
    assert sum(ranking.p_best.values()) == pytest.approx(1)
    assert time.perf_counter() - start < 20  # 2 s on an idle machine
    one = mcnemar_test(scores.pair("m3", "m7"), rope=0.01)
    at = int(np.flatnonzero((i == 3) & (j == 7))[0])
    assert p[at] == pytest.approx(one.three, abs=1e-12)


def test_items_that_not_all_models_answered(rng):
    frame = pd.DataFrame(rng.integers(0, 2, (30, 3)).astype(float), columns=list("abc"))
    frame.loc[3, "b"] = np.nan
    scores = Scores.from_frame(frame, metric="accuracy", resampling=Resampling.items())
    with pytest.warns(bc.MissingWarning, match="1 of 30 items left out"):
        ranking = rank_models(scores, rope=0, draws=1000, random_seed=1)
    assert ranking.n == 29
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.MissingWarning)
        c = bc.compare(scores, rope=0.02)
    assert (c.pair("a", "c").posterior.n, c.pair("a", "b").posterior.n) == (30, 29)


@pytest.mark.oracle("Comparison.by_dataset", "closed form: the tests of one benchmark, called by hand")
def test_each_benchmark_has_the_test_of_its_items(rng):
    """Right and wrong, clusters of right and wrong, and grades, in one comparison."""
    rows = [
        {"model": m, "task": t, "item": i, "cluster": f"{t}{i // 4 if t == 'grouped' else i}", "score": s}
        for t in ("plain", "grouped", "graded")
        for m in "ab"
        for i, s in enumerate(rng.uniform(size=24) if t == "graded" else rng.integers(0, 2, 24))
    ]
    frame = pd.DataFrame(rows)
    plain = frame[frame.task == "plain"].drop(columns="cluster")
    scores = Scores.from_frame(frame, metric="accuracy")
    c = bc.compare(scores, rope=0.02, bayes="signed_rank_test", random_seed=1)
    found = c.by_dataset().set_index("dataset")
    columns = ["p_better", "p_equivalent", "p_worse"]
    pair = scores.pair("a", "b")
    for name in ("grouped", "graded"):
        exact = per_instance_ttest(pair, rope=0.02, dataset=name)
        assert found.loc[name, columns].tolist() == list(exact.three)
        assert found.loc[name, "n"] == 24
    two = pd.concat([plain, plain.assign(task="again", score=1 - plain.score)])
    c = bc.compare(Scores.from_frame(two, metric="accuracy"), rope=0.02, bayes="signed_rank_test", random_seed=1)
    exact = mcnemar_test(c.scores.pair("a", "b"), rope=0.02, dataset="plain")
    assert c.by_dataset().set_index("dataset").loc["plain", columns].tolist() == list(exact.three)
