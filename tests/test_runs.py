"""Runs (seeds) that cannot be paired: what asks, what is refused, and the numbers of one dataset and of many."""

import inspect
import io
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, special, stats

import bayescmp as bc
from bayescmp import Resampling, ResamplingError, Scores, ScoresError, catalogue
from bayescmp.bayes.distributions import StudentDifference
from bayescmp.bayes.hierarchical.inference import RunsInference
from bayescmp.plots import KINDS, PAIR_KINDS

RUNS = Resampling.runs()
LONG = pd.DataFrame(
    {
        "model": ["rf"] * 4 + ["svm"] * 3 + ["nn"] * 5,
        "seed": [1, 2, 3, 4, 1, 2, 3, 11, 12, 13, 14, 15],
        "accuracy": [0.81, 0.84, 0.80, 0.83, 0.79, 0.80, 0.76, 0.85, 0.80, 0.88, 0.83, 0.86],
    }
)
BY_MODEL = {name: group["accuracy"].to_numpy() for name, group in LONG.groupby("model", sort=False)}


def one_dataset(**options):
    return Scores.from_frame(LONG, resampling=RUNS, **options)


def many_datasets(m=8, seed=1, models=("rf", "svm", "nn"), least=2, most=6):
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.6, 0.9, m)
    runs = {
        name: [
            level[d] + rng.normal(0.015 * i, 0.01) + rng.normal(0, 0.01, rng.integers(least, most)) for d in range(m)
        ]
        for i, name in enumerate(models)
    }
    return Scores.from_arrays(runs, metric="accuracy", resampling=RUNS)


ONE, MANY = one_dataset(), many_datasets()


# ---- a column of seeds asks


def csv(frame):
    return io.StringIO(frame.to_csv(index=False))


@pytest.mark.parametrize("column", ["seed", "run", "Seed", " RUN"])
@pytest.mark.parametrize("wide", [False, True], ids=["long", "wide"])
@pytest.mark.parametrize("read", [Scores.from_frame, lambda f, **o: bc.read_scores(csv(f), **o)], ids=["frame", "csv"])
def test_a_column_of_seeds_asks_and_both_answers_work(column, wide, read):
    frame = LONG[LONG["model"] != "nn"]
    frame = frame[frame["seed"] < 4].rename(columns={"seed": column})
    given = {}
    if wide:
        frame = frame.pivot(index=column, columns="model", values="accuracy").reset_index()
        given = {"metric": "accuracy"}
    with pytest.raises(ScoresError, match="does not show whether the runs of two models belong together") as asked:
        read(frame, **given)
    lines = [line.strip() for line in str(asked.value).splitlines()[1:]]
    paired, unpaired = (
        read(frame, **given, **eval(f"dict({line.split('#')[0]})", {"Resampling": Resampling})) for line in lines
    )
    assert (paired.paired, unpaired.paired) == (True, False)
    assert bc.compare(paired, rope=0.01).setting.bayes == "correlated_ttest"
    assert bc.compare(unpaired, rope=0.01).setting.bayes == "welch_ttest"


def test_seeds_that_tell_nothing_apart_do_not_ask():
    folds = pd.DataFrame(
        {"model": ["a"] * 4 + ["b"] * 4, "seed": [1, 1, 2, 2] * 2, "fold": [1, 2] * 4, "accuracy": np.arange(8) / 10}
    )
    assert Scores.from_frame(folds).resampling == (Resampling.kfold(2, repeats=2),)
    sizes = folds.drop(columns="fold").drop_duplicates(["model", "seed"]).assign(n_train=50, n_test=6)
    assert Scores.from_frame(sizes).resampling[0].scheme == "subsampling"
    single = pd.DataFrame({"model": ["a", "b"] * 2, "dataset": ["x", "x", "y", "y"], "seed": 7, "accuracy": 0.5})
    assert Scores.from_frame(single).datasets == ("x", "y")


# ---- scores and pairs


def test_numbers_of_runs_may_differ_and_nothing_is_missing():
    pair = ONE.pair("rf", "svm")
    assert pair.runs.tolist() == [[4], [3]]
    assert pair.counts.tolist() == [4]
    assert pair.means == pytest.approx([BY_MODEL["rf"].mean() - BY_MODEL["svm"].mean()])
    assert pair.swap().means == pytest.approx(-pair.means)
    assert "independent runs (3 to 5 scores)" in repr(ONE)
    assert "missing" not in repr(ONE)
    assert "3 to 4 runs each" in repr(pair)
    assert Scores.from_arrays(BY_MODEL, metric="accuracy", resampling=RUNS).pair("nn", "rf").scores_a.tolist() == [
        BY_MODEL["nn"].tolist()
    ]
    wide = pd.DataFrame({"seed": [1, 2, 3], "a": [0.1, 0.2, np.nan], "b": [0.3, 0.4, 0.5]})
    assert Scores.from_frame(wide, metric="accuracy", resampling=RUNS).counts.ravel().tolist() == [2, 3]
    with pytest.raises(ScoresError, match="NaN"):
        Scores.from_frame(wide, metric="accuracy", resampling=Resampling.independent())


def test_the_numbers_of_seeds_change_nothing():
    """Seed 1 of one model has nothing to do with seed 1 of another: other numbers, the same answers."""
    other = LONG.assign(seed=np.arange(len(LONG))[::-1])
    mixed = Scores.from_frame(other.sample(frac=1, random_state=1), resampling=RUNS).select(models=["rf", "svm", "nn"])
    here, there = bc.compare(ONE, rope=0.01, random_seed=1), bc.compare(mixed, rope=0.01, random_seed=1)
    for pair, same in zip(here.pairs, there.pairs, strict=True):
        assert pair.posterior.three == pytest.approx(same.posterior.three, rel=1e-12)
        assert pair.test.p_value == pytest.approx(same.test.p_value, rel=1e-9)


def test_scores_survive_a_frame_that_asks_again_json_and_pickle():
    frame = MANY.to_frame()
    assert "run" in frame
    with pytest.raises(ScoresError, match=r"Resampling\.runs\(\)"):
        Scores.from_frame(frame)
    assert Scores.from_frame(frame, resampling=RUNS) == MANY
    for scores in (ONE, MANY):
        c = bc.compare(scores, rope=0.01, random_seed=1)
        assert bc.Comparison.from_json(c.to_json()) == c
        assert pickle.loads(pickle.dumps(c)) == c
        pair = scores.pair("rf", "nn")
        assert bc.Pair.from_dict(json.loads(json.dumps(pair.to_dict()))) == pair
        assert pair.swap().swap() == pair


def test_a_table_has_one_kind_of_design():
    frame = MANY.to_frame()
    designs = dict.fromkeys(MANY.datasets, RUNS) | {MANY.datasets[0]: Resampling.independent()}
    with pytest.raises(ResamplingError, match="runs that cannot be paired, or none"):
        Scores.from_frame(frame, resampling=designs)
    with pytest.raises(ScoresError, match="a row of runs for each dataset"):
        Scores.from_arrays({"a": [[1, 2], [3]], "b": [1, 2]}, metric="accuracy", resampling=RUNS)
    with pytest.raises(ResamplingError, match="needs scores that are paired"):
        ONE.pair("rf", "svm").with_resampling(Resampling.independent())


def test_relative_differences_weigh_both_models_alike():
    """Closed form: shares of the mean of the two means, however many runs each has."""
    pair = one_dataset().transform("relative").pair("rf", "svm")
    a, b = BY_MODEL["rf"].mean(), BY_MODEL["svm"].mean()
    assert pair.means == pytest.approx([(a - b) / ((a + b) / 2)], rel=1e-12)


# ---- one dataset


@pytest.mark.oracle("compare frequentist.welch_ttest", "scipy")
@pytest.mark.parametrize("metric", ["accuracy", "rmse"])
def test_welch_of_all_pairs_against_scipy(metric):
    frame = LONG.rename(columns={"accuracy": metric})
    c = bc.compare(Scores.from_frame(frame, resampling=RUNS), rope=0.01, adjust="none", random_seed=1)
    assert (c.setting.bayes, c.setting.frequentist) == ("welch_ttest", "welch_ttest")
    assert len(c.pairs) == 3
    sign = 1 if metric == "accuracy" else -1
    for pair in c.pairs:
        t = stats.ttest_ind(sign * BY_MODEL[pair.a], sign * BY_MODEL[pair.b], equal_var=False)
        assert (pair.test.statistic, pair.test.df, pair.p) == pytest.approx((t.statistic, t.df, t.pvalue), rel=1e-9)
        assert pair.test.metric == pair.posterior.metric == metric
        assert pair.test.details == {"n_a": BY_MODEL[pair.a].size, "n_b": BY_MODEL[pair.b].size}


@pytest.mark.oracle("compare bayes.welch_ttest", "brute force")
def test_posteriors_of_all_pairs_against_draws(rng):
    n = 400_000
    means = {m: x.mean() + x.std(ddof=1) / np.sqrt(x.size) * rng.standard_t(x.size - 1, n) for m, x in BY_MODEL.items()}
    for pair in bc.compare(ONE, rope=0.01, random_seed=1).pairs:
        d = means[pair.a] - means[pair.b]
        shares = (d > 0.01).mean(), (np.abs(d) <= 0.01).mean(), (d < -0.01).mean()
        assert pair.posterior.three == pytest.approx(shares, abs=5 * 0.5 / np.sqrt(n))


@pytest.mark.oracle("bayes.rank_models bayes.RankingPosterior.p_best", "brute force", "scipy")
@pytest.mark.parametrize("higher", [True, False])
def test_ranking_of_runs_is_that_of_independent_students(higher):
    """P(best) by quadrature: the density of one mean times the tails of the others."""
    scores = Scores.from_arrays(BY_MODEL, metric="m", higher_is_better=higher, resampling=RUNS)
    ranking = bc.bayes.rank_models(scores, rope=0.01, random_seed=1)
    sign = 1 if higher else -1
    t = {m: stats.t(x.size - 1, sign * x.mean(), x.std(ddof=1) / np.sqrt(x.size)) for m, x in BY_MODEL.items()}
    for model, own in t.items():
        others = [other for name, other in t.items() if name != model]
        density = lambda x, own=own, others=others: own.pdf(x) * np.prod([o.cdf(x) for o in others])  # noqa: E731
        centre = own.mean() if own.args[0] > 1 else own.median()
        exact = integrate.quad(density, -np.inf, centre)[0] + integrate.quad(density, centre, np.inf)[0]
        assert ranking.p_best[model] == pytest.approx(exact, abs=5 * ranking.mcse[model])
    for a in BY_MODEL:
        for b in set(BY_MODEL) - {a}:
            welch = bc.bayes.welch_ttest(scores.pair(a, b), rope=0)
            assert ranking.p_better(a, b) == pytest.approx(welch.p_better, rel=1e-12)
    assert ranking.n == 12
    assert ranking.mean_rank == ((2.0, 3.0, 1.0) if higher else (2.0, 1.0, 3.0))
    assert bc.bayes.RankingPosterior.from_json(ranking.to_json()) == ranking


def test_constant_runs_are_warned_about():
    scores = Scores.from_arrays({"a": [0.5, 0.5], "b": [0.4, 0.6, 0.9]}, metric="accuracy", resampling=RUNS)
    with pytest.warns(bc.DegenerateWarning, match="all runs of a"):
        c = bc.compare(scores, rope=0, random_seed=1)
    t = stats.ttest_1samp([0.4, 0.6, 0.9], 0.5, alternative="greater")
    assert c.pairs[0].posterior.p_better == pytest.approx(t.pvalue, rel=1e-9)
    with pytest.warns(bc.DegenerateWarning, match='all runs of "a" score the same'):
        assert bc.bayes.rank_models(scores, rope=0).p_better("a", "b") == pytest.approx(t.pvalue, rel=1e-9)


SINGLE = Scores.from_arrays(BY_MODEL | {"vit": [0.9]}, metric="accuracy", resampling=RUNS)


@pytest.mark.parametrize(
    "call",
    [
        lambda: bc.compare(SINGLE, rope=0.01),
        lambda: bc.bayes.rank_models(SINGLE, rope=0.01),
        lambda: bc.bayes.welch_ttest(SINGLE.pair("rf", "vit"), rope=0.01),
        lambda: bc.frequentist.welch_ttest(SINGLE.pair("vit", "rf")),
    ],
)
def test_a_single_run_is_refused_by_name(call):
    with pytest.raises(ScoresError, match=r'`vit` has 1 on "dataset".*Run it again.*scores\.drop\("vit"\)'):
        call()


# ---- what needs pairs


@pytest.mark.parametrize("scores", [ONE, MANY], ids=["one", "many"])
def test_every_other_test_of_pairs_refuses_runs(scores):
    pair = scores.pair("rf", "svm")
    fits = "runs" if scores is ONE else "datasets x runs"
    others = [test for test in catalogue.entries() if fits not in test.designs and not test.family]
    assert len(others) > 10
    for test in others:
        rope = {"rope": 0.01} if test.school == "bayes" or "rope" in inspect.signature(test.call).parameters else {}
        if test.name == "permutation_test" and scores is MANY:  # of the datasets' mean differences
            assert test.call(pair, **rope).n == len(MANY.datasets)
            continue
        with pytest.raises((ScoresError, ResamplingError)):
            test.call(pair, **rope)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ONE.pair("rf", "svm").differences,
        lambda: bc.bayes.correlated_ttest(ONE.pair("rf", "svm"), rope=0.01),
        lambda: bc.bayes.correlated_ttest([1, 2, 3], [2, 3, 4], rope=0.01, resampling=RUNS),
        lambda: bc.frequentist.paired_ttest(ONE.pair("rf", "svm")),
        lambda: bc.frequentist.pairwise_ttest(ONE),
        lambda: bc.frequentist.permutation_test(ONE.pair("rf", "svm")),
        lambda: bc.frequentist.anova(ONE, kind="repeated"),
        lambda: bc.frequentist.difference_interval(ONE.pair("rf", "svm"), corrected=False),
        lambda: bc.frequentist.hotelling_test(np.eye(5)[:, :2], np.ones((5, 2)), resampling=RUNS),
        lambda: bc.bayes.pymc_model("correlated_ttest", ONE.pair("rf", "svm")),
    ],
)
def test_what_needs_pairs_names_what_fits_runs(call):
    with pytest.raises(ResamplingError) as refused:
        call()
    for word in ("welch_ttest", "hierarchical_ttest", "wilcoxon_test", "Resampling.independent()"):
        assert word in str(refused.value)


def test_the_power_of_runs_is_that_of_two_groups():
    with pytest.raises(ValueError, match="Give paired=False"):
        bc.frequentist.power_ttest(effect=0.5, n=10, resampling=RUNS)


@pytest.mark.parametrize("school", ["bayes", "frequentist"])
def test_compare_refuses_paired_tests_of_runs(school):
    name = {"bayes": "correlated_ttest", "frequentist": "paired_ttest"}[school]
    with pytest.raises(ValueError, match=r"must be one of welch_ttest .*runs that cannot be paired.*independent\(\)"):
        bc.compare(ONE, rope=0.01, **{school: name})


def test_unpaired_siblings_take_a_pair_of_runs():
    pair, (x, y) = ONE.pair("rf", "svm"), (BY_MODEL["rf"], BY_MODEL["svm"])
    exact = bc.frequentist.permutation_test(pair, paired=False)
    assert exact.p_value == bc.frequentist.permutation_test(x, y, paired=False).p_value
    assert bc.frequentist.cliffs_delta(pair, paired=False) == bc.frequentist.cliffs_delta(x, y, paired=False)
    with pytest.raises(ScoresError, match="Give paired=False"):
        bc.frequentist.cliffs_delta(pair)


@pytest.mark.oracle("frequentist.anova", "scipy")
def test_one_way_anova_takes_runs():
    found = bc.frequentist.anova(ONE, kind="one-way")
    f = stats.f_oneway(*BY_MODEL.values())
    assert (found.statistic, found.p_value) == pytest.approx((f.statistic, f.pvalue), rel=1e-9)
    assert found.metric == "accuracy"
    with pytest.raises(ScoresError, match="`vit` has 1"):
        bc.frequentist.anova(SINGLE, kind="one-way")
    with pytest.raises(ScoresError, match="answers for one dataset"):
        bc.frequentist.anova(MANY, kind="one-way")
    assert bc.frequentist.anova(MANY, kind="one-way", dataset="dataset 2").datasets == ("dataset 2",)


# ---- many datasets

CELLS = np.linspace(-0.15, 0.15, 602)
MIDDLES = (CELLS[1:] + CELLS[:-1]) / 2
DELTA, SIGMA = np.linspace(-0.08, 0.08, 81), (np.arange(40) + 0.5) / 40 * 0.08
PRIOR = bc.bayes.HierarchicalPrior(delta_0_bound=0.08, sigma_0_max=0.08, sigma_max=1.0, gaussian=True)


@pytest.fixture(scope="module")
def shares():
    """The share of N(delta_0, sigma_0) in each cell of the difference, delta_0 x sigma_0 x cells."""
    return np.diff(special.ndtr((CELLS - DELTA[:, None, None]) / SIGMA[:, None]), axis=2)


def welch_likelihood(a, b):
    t = stats.ttest_ind(a, b, equal_var=False)
    error = np.hypot(a.std(ddof=1) / np.sqrt(a.size), b.std(ddof=1) / np.sqrt(b.size))
    return stats.t.pdf(MIDDLES, np.floor(t.df), a.mean() - b.mean(), error)


def behrens_fisher_likelihood(a, b):
    (s, df), (r, other) = ((x.std(ddof=1) / np.sqrt(x.size), x.size - 1) for x in (a, b))
    return StudentDifference(float(a.mean() - b.mean()), float(s), df, float(r), other).pdf(MIDDLES)


def by_hand(pair, shares, likelihood, rope=0.01):
    """The posterior of (delta_0, sigma_0) on a plain grid: mean of delta_0, expected shares, P(largest share)."""
    runs = [(x[np.isfinite(x)], y[np.isfinite(y)]) for x, y in zip(pair.scores_a, pair.scores_b, strict=True)]
    logs = sum(np.log(shares @ likelihood(a, b)) for a, b in runs)
    weight = np.exp(logs - logs.max())
    weight /= weight.sum()
    better, worse = (special.ndtr((sign * DELTA[:, None] - rope) / SIGMA) for sign in (1, -1))
    theta = np.stack([better, 1 - better - worse, worse])
    largest = theta.argmax(axis=0)
    mean = float(weight.sum(axis=1) @ DELTA)
    return mean, (theta * weight).sum(axis=(1, 2)), np.array([weight[largest == k].sum() for k in range(3)])


def two_models(m, n_a, n_b, seed=0, effect=0.01, noise=0.01):
    """Runs with effects N(0.012, effect^2), where A varies twice as much from run to run as B."""
    rng = np.random.default_rng(seed)
    a = [0.8 + rng.normal(0.012, effect) + rng.normal(0, 2 * noise, n_a) for _ in range(m)]
    b = [0.8 + rng.normal(0, noise, n_b) for _ in range(m)]
    return Scores.from_arrays({"a": a, "b": b}, metric="accuracy", resampling=RUNS).pair("a", "b")


@pytest.mark.oracle("bayes.hierarchical_ttest", "brute force", "scipy")
@pytest.mark.parametrize(("m", "n_a", "n_b"), [(6, 3, 5), (15, 2, 4), (10, 6, 6)])
def test_hierarchical_of_runs_against_a_plain_grid(m, n_a, n_b, shares):
    pair = two_models(m, n_a, n_b)
    p = bc.bayes.hierarchical_ttest(pair, rope=0.01, prior=PRIOR)
    mean, expected, three = by_hand(pair, shares, welch_likelihood)
    assert p.mean == pytest.approx(mean, abs=1e-4)
    assert list(p.expected.values()) == pytest.approx(expected, abs=2e-3)
    assert p.three == pytest.approx(three, abs=0.04)  # the grid's rows are a tenth of the rope apart
    assert p.n == m * (n_a + n_b)
    assert p.swap().p_worse == pytest.approx(p.p_better, abs=1e-9)


@pytest.mark.oracle("bayes.hierarchical_ttest", "brute force")
@pytest.mark.parametrize(("n", "limit"), [(3, 0.04), (5, 0.015), (10, 0.015)])
def test_how_far_welch_is_from_behrens_fisher(n, limit, shares):
    """docs/welch.md gives these limits: the expected shares of a hierarchical test of n seeds of each model."""
    for m, seed in ((6, 1), (15, 2)):
        pair = two_models(m, n, n, seed)
        welch, exact = (by_hand(pair, shares, x)[1] for x in (welch_likelihood, behrens_fisher_likelihood))
        assert 0 < np.abs(welch - exact).max() <= limit


@pytest.mark.parametrize(
    ("n", "ratio", "shown"),
    [
        ((2, 2), 1, 0.24),
        ((3, 3), 1, 0.60),
        ((3, 3), 0.3, 0.97),
        ((3, 5), 1, 0.73),
        ((5, 5), 1, 0.83),
        ((10, 10), 1, 0.93),
    ],
)
def test_the_widths_of_welch_and_behrens_fisher_in_the_docs(n, ratio, shown):
    """The 95 % interval of one dataset's difference, Welch's (degrees of freedom rounded down) over the exact one."""
    one, two = 1 / np.sqrt(n[0]), ratio / np.sqrt(n[1])
    error = np.hypot(one, two)
    df = error**4 / (one**4 / (n[0] - 1) + two**4 / (n[1] - 1))
    exact = StudentDifference(0.0, float(one), n[0] - 1, float(two), n[1] - 1).ppf(0.975)
    assert stats.t.ppf(0.975, np.floor(df + 1e-9)) * error / float(exact) == pytest.approx(shown, abs=0.006)


def test_no_dataset_is_dropped_because_one_model_has_fewer_seeds():
    c = bc.compare(MANY, rope=0.01, random_seed=1)
    assert (c.setting.bayes, c.setting.frequentist) == ("hierarchical_ttest", "wilcoxon_test")
    for pair in c.pairs:
        assert pair.posterior.datasets == MANY.datasets
        assert pair.posterior.method == "hierarchical t-test of unpaired runs"
        frame = pair.posterior.datasets_frame()
        assert frame["n"].tolist() == MANY.pair(pair.a, pair.b).runs.sum(axis=0).tolist()
        assert len(frame) == pair.test.n == 8
    by_dataset = c.by_dataset()
    row = by_dataset.iloc[3]
    welch = bc.bayes.welch_ttest(MANY.pair(row["a"], row["b"]), rope=0.01, dataset=row["dataset"])
    assert row[["p_better", "p_equivalent", "p_worse"]].tolist() == pytest.approx(welch.three)


@pytest.mark.oracle("frequentist.wilcoxon_test", "scipy")
def test_wilcoxon_is_of_the_differences_of_the_means():
    pair = MANY.pair("nn", "rf")
    means = np.nanmean(pair.scores_a, axis=1) - np.nanmean(pair.scores_b, axis=1)
    assert bc.frequentist.wilcoxon_test(pair).p_value == pytest.approx(stats.wilcoxon(means).pvalue, rel=1e-12)
    assert bc.frequentist.sign_test(pair).details["wins"] == (means > 0).sum()


def test_a_single_run_on_one_of_many_datasets():
    frame = MANY.to_frame()
    gone = (frame["model"] == "svm") & (frame["dataset"] == "dataset 3") & (frame["run"] > 1)
    scores = Scores.from_frame(frame[~gone], resampling=RUNS)
    with pytest.raises(ScoresError, match=r'"svm on dataset 3" has 1: nothing shows its spread.*signed_rank_test'):
        bc.bayes.hierarchical_ttest(scores.pair("svm", "rf"), rope=0.01)
    c = bc.compare(scores, rope=0.01, random_seed=1)
    assert c.setting.bayes == "signed_rank_test"
    assert "a single run of" in c.explain()
    assert "svm on dataset 3" in c.explain()
    assert c.pairs[0].posterior.n == 8


def test_a_model_that_was_not_run_on_a_dataset():
    frame = MANY.to_frame()
    scores = Scores.from_frame(frame[(frame["model"] != "svm") | (frame["dataset"] != "dataset 3")], resampling=RUNS)
    with pytest.warns(bc.MissingWarning, match="svm"):
        c = bc.compare(scores, rope=0.01, random_seed=1)
    assert [pair.posterior.inference.means.size for pair in c.pairs] == [7, 8, 7]
    assert "svm: dataset 3" in repr(scores)


def test_runs_that_do_not_vary_on_some_datasets():
    runs = {"a": [[0.9, 0.9], [0.8, 0.82, 0.85], [0.7, 0.71]], "b": [[0.8, 0.8], [0.8, 0.8], [0.6, 0.65, 0.7]]}
    pair = Scores.from_arrays(runs, metric="accuracy", resampling=RUNS).pair("a", "b")
    with pytest.warns(bc.DegenerateWarning) as told:
        p = bc.bayes.hierarchical_ttest(pair, rope=0.01, prior="gaussian")
    words = " ".join(str(w.message) for w in told)
    assert 'the runs of both models do not vary at all on "dataset 1"' in words
    assert 'all runs of b score the same on "dataset 2"' in words
    assert p.min_sd_sensitivity().shape[0] == 3
    same = {"a": [[0.5, 0.5], [0.5, 0.5]], "b": [[0.4, 0.4], [0.4, 0.4]]}
    with pytest.warns(bc.DegenerateWarning, match="the same number"):
        point = bc.bayes.hierarchical_ttest(
            Scores.from_arrays(same, metric="accuracy", resampling=RUNS).pair("a", "b"), rope=0.01
        )
    assert point.p_better == 1


@pytest.mark.oracle("bayes.hierarchical_ttest", "simulation")
def test_intervals_of_delta_0_cover_it():
    """Four seeds of each model on ten datasets: the share of truths below the posterior is uniform."""
    rng, places = np.random.default_rng(5), []
    for _ in range(60):
        truth = rng.uniform(-0.02, 0.02)
        a = [rng.normal(truth, 0.01) + rng.normal(0, 0.012, 4) for _ in range(10)]
        b = [rng.normal(0, 0.006, 4) for _ in range(10)]
        pair = Scores.from_arrays({"a": a, "b": b}, metric="accuracy", resampling=RUNS).pair("a", "b")
        delta, mass = bc.bayes.hierarchical_ttest(pair, rope=0.01, prior=PRIOR).inference.mean_distribution()
        places.append(mass[delta < truth].sum())
    assert stats.kstest(places, "uniform").pvalue > 0.01


@pytest.mark.oracle("bayes.hierarchical_ttest bayes.pymc_model", "PyMC")
def test_nuts_agrees_on_runs():
    pair = two_models(10, 3, 5, seed=3, effect=0.02, noise=0.002)
    fast = bc.bayes.hierarchical_ttest(pair, rope=0.01, prior=PRIOR)
    sampled = bc.bayes.hierarchical_ttest(
        pair, rope=0.01, prior=PRIOR, engine="nuts", random_seed=1, draws=3000, tune=1000, chains=2, cores=1,
        progressbar=False,
    )  # fmt: skip
    assert isinstance(sampled.inference.data, RunsInference)
    assert sampled.mean == pytest.approx(fast.mean, abs=6e-4)
    assert list(sampled.expected.values()) == pytest.approx(list(fast.expected.values()), abs=0.03)
    model = bc.bayes.pymc_model("hierarchical_ttest", pair, prior=PRIOR)
    assert {v.name for v in model.observed_RVs} == {"mean"}


# ---- for people


@pytest.mark.parametrize(
    ("scores", "without"), [(ONE, {"simplex", "prior_sensitivity", "critical_difference"}), (MANY, set())]
)
def test_figures_of_runs(scores, without):
    import matplotlib.pyplot as plt

    c = bc.compare(scores, rope=0.01, random_seed=1)
    for kind in KINDS:
        pair = {"pair": ("rf", "svm")} if kind in PAIR_KINDS else {}
        if kind == "differences":
            with pytest.raises(ResamplingError, match=r'cannot be paired.*plot\("scores"\)'):
                c.plot(kind, **pair)
        elif kind == "agreement":
            with pytest.raises(ResamplingError, match="paired"):
                c.plot(kind, **pair)
        elif kind in without:
            with pytest.raises(
                ValueError, match=r"`kind` must be|at least 2 datasets.*welch_ttest|simplex needs the posterior"
            ):
                c.plot(kind, **pair)
        else:
            c.plot(kind, **pair)
        plt.close("all")


@pytest.mark.parametrize("scores", [ONE, MANY], ids=["one", "many"])
def test_reports_and_texts_of_runs(scores, tmp_path):
    c = bc.compare(scores, rope=0.01, random_seed=1)
    for ending in ("html", "md", "tex"):
        path = c.report(tmp_path / f"report.{ending}")
        assert "independent runs" in path.read_text(encoding="utf-8")
    assert "each scored by independent runs" in c.methods_text()
    assert ("Welch t-test" if scores is ONE else "hierarchical t-test of unpaired runs") in c.methods_text()
    assert "welch" in c.bibtex() or scores is MANY
    assert "rf" in c.to_latex()
    assert "multilevel" not in c.explain()
    assert len(c.sentences()) == 3


def test_recommend_names_the_tests_of_runs():
    for scores, names in ((ONE, "welch_ttest"), (MANY, "hierarchical_ttest")):
        advice = bc.frequentist.recommend(scores)
        assert advice.functions(school="bayes")[0] == names
        assert "independent runs" in repr(advice)
        assert bc.frequentist.recommend(scores.pair("rf", "svm")).functions(school="bayes")[0] == names
    assert "3 to 5 scores each" in repr(bc.frequentist.recommend(ONE))
    assert bc.frequentist.recommend(ONE).functions("Q1", "frequentist") == ("welch_ttest",)
