"""compare(): every number equals the single test called by hand; settings, decisions, disagreements, JSON, repr."""

import importlib
import json
import math
import pickle
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, optimize, stats

import bayescmp as bc
from bayescmp import Decision, Resampling, RopeError, Scores, ScoresError
from bayescmp.bayes.distributions import Draws, StudentT
from bayescmp.comparison.pair import PairResult, Standard, by_hdi
from bayescmp.sentences import KINDS, SAME
from bayescmp.text import p_value, probability

SMALL = ["sonar", "glass", "vehicle", "vowel", "credit-g", "wdbc", "diabetes"]


def uci(models=("nb", "lr", "rf"), datasets=SMALL):
    return bc.load_uci().select(models=list(models), datasets=list(datasets))


def one_score_each(rng, k=4, m=15):
    return Scores.from_arrays(
        {f"m{i}": rng.normal(0.8 + i / 50, 0.03, m) for i in range(k)}, metric="accuracy", datasets=m
    )


BY_HAND = {
    "correlated_ttest": lambda pair, c: bc.bayes.correlated_ttest(pair, rope=c.rope),
    "hierarchical_ttest": lambda pair, c: bc.bayes.hierarchical_ttest(pair, rope=c.rope),
    "signed_rank_test": lambda pair, c: bc.bayes.signed_rank_test(pair, rope=c.rope, random_seed=c.random_seed),
    "sign_test": lambda pair, c: bc.bayes.sign_test(pair, rope=c.rope),
}
CLASSICAL = {
    "corrected_ttest": bc.frequentist.corrected_ttest,
    "paired_ttest": bc.frequentist.paired_ttest,
    "wilcoxon_test": bc.frequentist.wilcoxon_test,
    "sign_test": bc.frequentist.sign_test,
}


def check_by_hand(c):
    """Every number of the table against the tests called one by one."""
    table = c.table(full=True)
    assert len(table) == len(c.pairs)
    for row in table.to_dict("records"):
        pair = c.scores.pair(row["a"], row["b"])
        posterior = BY_HAND[c.setting.bayes](pair, c)
        assert (row["p_better"], row["p_equivalent"], row["p_worse"]) == pytest.approx(
            (posterior.p_better, posterior.p_equivalent, posterior.p_worse), abs=1e-12
        )
        assert row["n"] == posterior.n
        assert row["mcse"] == pytest.approx(max(posterior.mcse.values()), abs=1e-12)
        if posterior.mean is not None:
            numbers = (row["mean"], row["hdi_low"], row["hdi_high"])
            assert numbers == pytest.approx((posterior.mean, *posterior.hdi()), abs=1e-12)
        if c.setting.frequentist in CLASSICAL:
            test = CLASSICAL[c.setting.frequentist](pair)
            assert (row["statistic"], row["p_value"], row["n_test"]) == pytest.approx(
                (test.statistic, test.p_value, test.n), rel=1e-10
            )
            assert row["effect_size"] == pytest.approx(test.effect_size.value, rel=1e-10)
    if len(table) > 1 and c.setting.frequentist != "nemenyi_test":
        adjusted = bc.frequentist.adjust_p_values(table["p_value"], c.tests.adjustment, all_pairs=c.control is None)
        assert table["p_adjusted"].tolist() == pytest.approx(adjusted.tolist())


# ---- the settings


@pytest.mark.oracle("compare Comparison.table", "example: W09, Part C")
def test_two_models_one_dataset(labour):
    c = bc.compare(bc.load_labour().select(models=["SVM", "DT"]), rope=0.01)
    assert (c.setting.name, c.setting.bayes, c.setting.frequentist) == ("2x1", "correlated_ttest", "corrected_ttest")
    check_by_hand(c)
    row = c.table(full=True).iloc[0]
    assert row["p_better"] == pytest.approx(0.940414, abs=1e-6)  # W09
    assert row["p_value"] == pytest.approx(0.076318, abs=1e-6)  # Part C
    assert (row["agreement_kind"], row["agreement"]) == ("neither decides", "neither decides")


def test_many_models_one_dataset():
    c = bc.compare(bc.load_labour(), rope=0.01)
    assert c.setting.name == "kx1"
    check_by_hand(c)
    check_by_hand(bc.compare(uci(datasets=["sonar"]), rope=0.01, adjust="shaffer", frequentist="paired_ttest"))


def test_two_models_many_datasets():
    c = bc.compare(uci(["rf", "svm"]), rope=0.01)
    assert (c.setting.name, c.setting.bayes, c.setting.frequentist) == ("2xm", "hierarchical_ttest", "wilcoxon_test")
    check_by_hand(c)


def test_many_models_many_datasets_with_folds():
    c = bc.compare(uci(), rope=0.01)
    assert (c.setting.name, c.setting.bayes) == ("kxm", "hierarchical_ttest")
    assert [t.method.split(", ")[:2] for t in c.omnibus] == [["Friedman test", "exact"]]
    check_by_hand(c)


@pytest.mark.parametrize("bayes", ["signed_rank_test", "sign_test"])
@pytest.mark.parametrize("frequentist", ["wilcoxon_test", "sign_test", "nemenyi_test"])
def test_many_models_one_score_each(rng, bayes, frequentist):
    c = bc.compare(one_score_each(rng), rope=0.01, bayes=bayes, frequentist=frequentist, random_seed=3)
    check_by_hand(c)
    if frequentist == "nemenyi_test":
        by_hand = bc.frequentist.nemenyi_test(c.scores)
        assert c.table(full=True)["p_adjusted"].tolist() == list(by_hand.p_value)


def test_domains_are_one_score_each():
    c = bc.compare(bc.load_domains(), rope=1, random_seed=1)
    assert c.setting.bayes == "signed_rank_test"
    assert "one score per dataset" in c.explain()
    check_by_hand(c)


def test_control_and_best(rng):
    scores = one_score_each(rng)
    c = bc.compare(scores, rope=(-0.02, 0.01), control="m2", random_seed=1)
    assert c.pair_names == (("m2", "m0"), ("m2", "m1"), ("m2", "m3"))
    assert [(pair.a, pair.b) for pair in c.pairs] == list(c.pair_names)
    check_by_hand(c)
    best = bc.compare(scores, rope=0.01, against="best", random_seed=1)
    ranks = bc.frequentist.friedman_test(scores).details["mean_ranks"]
    assert best.control == min(ranks, key=ranks.get)
    assert "picked as the best by the same scores" in best.explain()


def test_a_design_that_is_not_known_falls_back_and_says_so(rng):
    arrays = {m: rng.normal(0.8, 0.02, (6, 5)) for m in ("rf", "svm")}
    c = bc.compare(Scores.from_arrays(arrays, higher_is_better=True), rope=0.01, random_seed=1)
    assert c.setting.bayes == "signed_rank_test"
    assert "is not known" in c.explain()
    two = Scores.from_arrays(
        {m: x[:, :2] for m, x in arrays.items()}, resampling=Resampling.kfold(2), higher_is_better=True
    )
    assert "fewer than 3 folds" in bc.compare(two, rope=0.01, random_seed=1).explain()


def test_lower_is_better_and_other_scales():
    frame = uci(["rf", "svm"]).to_frame().drop(columns="metric")
    accuracy = bc.compare(Scores.from_frame(frame, metric="accuracy"), rope=0.01)
    error = bc.compare(Scores.from_frame(frame.assign(score=1 - frame["score"]), metric="error rate"), rope=0.01)
    for name in ("p_better", "p_equivalent", "mean", "p_value", "effect_size"):
        assert accuracy.table(full=True)[name].tolist() == pytest.approx(
            error.table(full=True)[name].tolist(), abs=1e-9
        )
    check_by_hand(bc.compare(uci().transform("relative"), rope=0.01, bayes="signed_rank_test", random_seed=1))


def test_missing_cells_show_their_n(rng):
    frame = one_score_each(rng).to_frame()
    gap = (frame["model"] == "m1") & (frame["dataset"].isin(["dataset 1", "dataset 2"]))
    scores = Scores.from_frame(frame[~gap], metric="accuracy")
    with pytest.warns(bc.MissingWarning, match='"m1" did not run on every dataset'):
        c = bc.compare(scores, rope=0.01, random_seed=1)
    table = c.table(full=True).set_index(["a", "b"])
    assert table.loc[("m0", "m1"), ["n", "n_test"]].tolist() == [13, 13]
    assert table.loc[("m0", "m2"), ["n", "n_test"]].tolist() == [15, 15]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.MissingWarning)
        check_by_hand(c)
        assert len(c.ranking()) == 4


# ---- decisions


def test_three_rules_side_by_side():
    c = bc.compare(bc.load_labour(), rope=0.01, switching_cost=0.03)
    frame = c.decisions().set_index(["a", "b"])
    assert frame.columns.tolist()[:3] == ["mean_by_probability", "mean_by_hdi", "loss"]
    assert frame.loc[("DT", "SVM")].tolist()[:3] == ["undecided", "undecided", "take SVM"]
    assert frame.loc[("LR", "SVM"), "loss"] == "keep yours"  # gains 0.028 on average, switching costs 0.03
    gap = frame["loss_of_b"] - frame["loss_of_a"]
    assert gap.tolist() == pytest.approx(c.table(full=True)["mean"].tolist())  # E[d+] - E[d-] = E[d]


@pytest.mark.oracle("Comparison.decisions bayes.Posterior.losses", "simulation")
def test_losses_by_simulation(labour):
    """The closed form against draws; and of the other posteriors against their own draws of the mean."""
    posterior = bc.bayes.correlated_ttest(labour, rope=0.01)
    d = posterior.draws(400_000, random_seed=1)
    assert posterior.losses == pytest.approx((np.maximum(-d, 0).mean(), np.maximum(d, 0).mean()), abs=2e-4)
    hierarchical = bc.bayes.hierarchical_ttest(uci(["rf", "svm"]).pair("rf", "svm"), rope=0.01)
    delta = hierarchical.inference.hyper_draws(200_000, 1)[0]
    assert hierarchical.losses == pytest.approx((np.maximum(-delta, 0).mean(), np.maximum(delta, 0).mean()), abs=1e-4)
    assert bc.bayes.sign_test([1, 2, 3], [0, 0, 0], rope=0).losses is None
    with pytest.warns(bc.DegenerateWarning):
        point = bc.bayes.correlated_ttest([2, 3, 4], [1, 2, 3], rope=0, resampling=Resampling.kfold(3))
    assert point.losses == (0.0, 1.0)
    assert point.swap().losses == (1.0, 0.0)
    counted = replace(posterior, distribution=Draws(np.array([[-1.0, 3.0], [0.5, -2.5]])))
    assert counted.losses == (3.5 / 4, 3.5 / 4)


@pytest.mark.oracle("Comparison.decisions", "scipy")
def test_losses_of_students_by_quadrature():
    """E[max(d, 0)] is the integral of scipy's upper tail; a Cauchy has none that is finite."""
    for location, scale, df in ((0.02, 0.01, 1.5), (-0.02, 0.01, 2.0), (0.3, 2.0, 9.0), (-1.0, 0.1, 99.0)):
        expected = integrate.quad(stats.t(df, location, scale).sf, 0, np.inf, epsabs=1e-13)[0]
        assert StudentT(location, scale, df).gain == pytest.approx(expected, rel=1e-6)
    two = bc.bayes.correlated_ttest([0.5, 0.7], [0.4, 0.3], rope=0, resampling=Resampling.kfold(2))
    assert two.losses == (np.inf, np.inf)


@pytest.mark.oracle("Comparison.decisions", "simulation")
def test_losses_of_two_independent_students_by_simulation(rng):
    a, b = np.array([0.81, 0.83, 0.84, 0.80, 0.82]), np.array([0.79, 0.83, 0.80, 0.78])
    x, y = (s.mean() + s.std(ddof=1) / np.sqrt(s.size) * rng.standard_t(s.size - 1, 400_000) for s in (a, b))
    losses = bc.bayes.welch_ttest(a, b, rope=0.01).losses
    assert losses == pytest.approx((np.maximum(y - x, 0).mean(), np.maximum(x - y, 0).mean()), abs=4e-4)


@pytest.mark.oracle("Comparison.decisions", "simulation")
def test_losses_of_bootstrapped_datasets_by_simulation(rng):
    """Means with Dirichlet weights, a pseudo-dataset without a difference among them."""
    d = rng.normal(0.02, 0.05, 8)
    losses = bc.bayes.signed_rank_test(d, 0 * d, rope=0.01, prior=0.5, random_seed=1).losses
    means = rng.dirichlet([*np.ones(8), 0.5], 200_000) @ [*d, 0.0]
    assert losses == pytest.approx((np.maximum(-means, 0).mean(), np.maximum(means, 0).mean()), abs=2e-4)


def test_hdi_and_loss_rules():
    rope = bc.Rope(-1, 1)
    cases = {
        (2, 3): "A_BETTER",
        (-3, -2): "B_BETTER",
        (-0.5, 1): "EQUIVALENT",
        (-2, 3): "UNDECIDED",
        (1, 2): "UNDECIDED",
    }
    for (low, high), decision in cases.items():
        assert by_hdi(low, high, rope) is Decision[decision]
    found = bc.compare(folds(0.04), rope=0.01).pairs[0]  # the mean difference is what a switch gains on average
    for cost, decision in ((0.0, "A_BETTER"), (0.039, "A_BETTER"), (0.041, "UNDECIDED")):
        judged = replace(found, standard=replace(found.standard, switching_cost=cost))
        assert judged.loss_decision is Decision[decision]
        assert judged.swap().loss_decision is Decision[decision.replace("A_", "B_")]
    counted = bc.compare(one_score_each(np.random.default_rng(1), 2), rope=0.01, bayes="sign_test").pairs[0]
    assert counted.hdi_decision is counted.loss_decision is None


# ---- where the schools differ: data built to show each kind


def folds(mean, sd=0.02, n=100, seed=0):
    """Exactly this mean and standard deviation of 100 differences of 10 x 10-fold cross-validation."""
    d = np.random.default_rng(seed).normal(size=n)
    d = mean + sd * (d - d.mean()) / d.std(ddof=1)
    base = np.random.default_rng(seed + 1).uniform(0.6, 0.8, n)
    return Scores.from_arrays(
        {"rf": base + d, "svm": base}, resampling=Resampling.kfold(10, repeats=10), higher_is_better=True
    )


def kind_of(scores, **options):
    c = bc.compare(scores, **({"rope": 0.01} | options))
    row = c.table(full=True).iloc[0]
    return row["agreement_kind"], row["agreement"]


def test_significant_but_practically_equivalent():
    kind, sentence = kind_of(folds(0.004, sd=0.004))
    assert kind == "significant but equivalent"
    assert "smaller than the rope" in sentence


def test_nothing_is_said_where_both_are_undecided():
    """Labour: p = .076 and P = .940."""
    c = bc.compare(bc.load_labour().select(models=["SVM", "DT"]), rope=0.01)
    assert c.pairs[0].verdict.kind == "neither decides"
    assert not any("schools differ" in text for text in (repr(c), c.sentences()[0], repr(c.pairs[0])))


def test_one_number_with_two_thresholds():
    """Without a rope the posterior is the one-sided p-value: P = 0.96 is p = 0.08, and neither is the stricter."""
    kind, sentence = kind_of(folds(0.0125), rope=0)
    assert kind == "one number, two thresholds"
    assert sentence.startswith("the two are the same number, P = 1 - p/2; 0.95 is one-sided, p two-sided: P = 0.96")
    p = bc.compare(folds(0.0125), rope=0).pairs[0]
    assert p.posterior.p_better == pytest.approx(1 - p.test.p_value / 2, abs=1e-12)
    strict = kind_of(folds(0.0155), rope=0, threshold=0.99)
    assert strict[0] == "one number, two thresholds"


def test_decided_but_not_significant():
    """One-sided against two-sided, with a rope that keeps the two from being one number."""
    kind, sentence = kind_of(folds(0.0125), rope=0.0001)
    assert kind == "decided but not significant"
    assert "yet rf is better than svm by more than 0.0001" in sentence


def test_rope_wider_than_the_effect():
    kind, sentence = kind_of(folds(0.02, sd=0.02), rope=0.024)
    assert kind == "rope wider than the effect"
    assert "lies inside the rope" in sentence


def test_significant_but_not_surely_beyond_the_rope():
    kind, _ = kind_of(folds(0.016, sd=0.02), rope=0.012)
    assert kind == "significant but undecided"


def test_correction_missing():
    """Labour with the plain t-test: p = 4e-9, corrected p = .076."""
    kind, sentence = kind_of(bc.load_labour().select(models=["SVM", "DT"]), frequentist="paired_ttest")
    assert kind == "correction missing"
    assert "treated as independent: corrected p = .076" in sentence


@pytest.mark.oracle("Comparison.pairs", "closed form")
def test_too_few_datasets():
    scores = Scores.from_arrays(
        {"rf": [0.9, 0.8, 0.85, 0.7, 0.75], "svm": [0.8, 0.7, 0.74, 0.62, 0.6]}, higher_is_better=True, datasets=5
    )
    kind, sentence = kind_of(scores, random_seed=1)
    assert kind == "too few datasets"
    assert sentence.startswith("on 5 datasets p cannot be below 0.062, whatever the scores")


@pytest.mark.oracle("Comparison.pairs", "closed form")
def test_too_few_datasets_for_so_many_pairs():
    """Six datasets can give p = .031, but not after Holm over 15 pairs; BH and Hommel can."""
    x = np.array([0.7, 0.8, 0.75, 0.6, 0.9, 0.65])
    scores = Scores.from_arrays(
        {f"m{i}": x - 0.05 * i - np.arange(6) / 1000 * i for i in range(6)}, higher_is_better=True, datasets=6
    )
    kinds = {}
    for adjust in ("holm", "hommel", "none"):
        c = bc.compare(scores, rope=0.001, bayes="sign_test", adjust=adjust)
        for row in c.table(full=True).to_dict("records"):
            kinds.setdefault(adjust, set()).add(row["agreement_kind"])
            if row["agreement_kind"] == "too few datasets":
                assert "on 6 datasets p cannot be below 0.47 with holm over 15 pairs" in row["agreement"]
    assert kinds == {"holm": {"too few datasets"}, "hommel": {"agree"}, "none": {"agree"}}


def test_the_smallest_p_is_attained(rng):
    """All differences of one sign on every pair give the smallest p-values of every adjustment, also with gaps."""
    from bayescmp.frequentist.adjust import ADJUSTMENTS

    x = rng.uniform(0.5, 0.9, 8)
    frame = Scores.from_arrays(
        {f"m{i}": x - i * np.linspace(0.05, 0.06, 8) for i in range(4)}, higher_is_better=True, datasets=8
    ).to_frame()
    gap = (frame["model"] == "m0") & frame["dataset"].isin(["dataset 1", "dataset 2", "dataset 3"])
    scores = Scores.from_frame(frame[~gap], higher_is_better=True)
    for adjust in ADJUSTMENTS:
        with pytest.warns(bc.MissingWarning):
            c = bc.compare(scores, rope=0, bayes="sign_test", adjust=adjust)
        assert c.tests.p_adjusted == pytest.approx([pair.standard.least_adjusted_p for pair in c.pairs])


def test_lost_by_the_adjustment():
    """T = 8 of 10 datasets is p = .049 alone (W13), and more than .05 after Holm over three pairs."""
    base = np.linspace(0.6, 0.8, 10)
    d = np.arange(1, 11) / 100 * np.array([1, 1, -1, 1, -1, 1, 1, 1, 1, 1])
    scores = Scores.from_arrays(
        {"a": base + d, "b": base, "c": base + 1e-4 * np.tile([1, -1], 5)}, higher_is_better=True, datasets=10
    )
    row = bc.compare(scores, rope=0, random_seed=1).table(full=True).iloc[0]
    assert row["agreement_kind"] == "lost by the adjustment"
    assert row["p_value"] == pytest.approx(0.048828125)
    assert row["agreement"].startswith("p = .049 alone, adjusted p = ")


def test_mean_and_majority_differ():
    """A wins on most datasets, B by the mean: a few large losses."""
    base = np.linspace(0.6, 0.9, 30)
    scores = Scores.from_arrays(
        {"a": base + np.r_[0.02 + np.arange(25) * 1e-5, -np.full(5, 0.3)], "b": base},
        higher_is_better=True,
        datasets=30,
    )
    kind, sentence = kind_of(scores, rope=0, random_seed=1)
    assert kind == "mean and majority differ"
    assert "yet b is ahead by the mean (0.033)" in sentence


def test_equivalent_on_most_datasets_is_no_small_difference():
    """The sign test's P is of the most probable outcome: the mean may lie far outside the rope."""
    base = np.linspace(0.4, 0.6, 400)
    d = np.r_[np.full(216, 0.004), np.full(164, 0.05), np.full(20, -0.05)]
    kind, sentence = kind_of(
        Scores.from_arrays({"a": base + d, "b": base}, higher_is_better=True, datasets=400), bayes="sign_test"
    )
    assert kind == "significant but equivalent"
    assert "most probable outcome" in sentence
    assert "smaller than the rope" not in sentence


def test_a_rope_for_each_dataset_is_the_unit_of_both_schools():
    """One dataset in metres or in millimetres, its rope with it: nothing changes but its own scores."""
    gaps = np.array([0.03, 0.02, 0.015, 0.012, 0.02, 0.025, 0.018, -0.004])
    found = []
    for unit in (1, 1000):
        scale = np.append(np.ones(7), unit)
        table = {"a": (scale * (0.8 + gaps))[:, None], "b": (scale * 0.8)[:, None]}
        scores = bc.Scores.from_arrays(table, datasets=list("stuvwxyz"), metric="gain", higher_is_better=True)
        c = bc.compare(scores, rope=dict(zip("stuvwxyz", 0.01 * scale, strict=True)), random_seed=1)
        found.append((c.table(full=True), c.ranking()[["mean_score", "p_best", "p_within_rope"]]))
        assert c.pair("b", "a").test.p_value == pytest.approx(stats.wilcoxon(gaps).pvalue)
    for one, two in zip(*found, strict=True):
        pd.testing.assert_frame_equal(one, two)


def test_numbers_are_shown_on_their_side_of_the_threshold():
    """P = 0.9497 is no 0.950 beside "undecided", and p = .0503 no .050 beside "not significant"."""
    noise = np.random.default_rng(0).normal(0, 0.02, 10)
    noise -= noise.mean()

    def scores(gap):
        return bc.Scores.from_arrays(
            {"a": 0.8 + noise + gap, "b": np.full(10, 0.8)}, resampling=bc.Resampling.kfold(10), higher_is_better=True
        )

    def gap(excess):
        return optimize.brentq(excess, 0, 0.2)

    near = gap(lambda x: bc.bayes.correlated_ttest(scores(x).pair("a", "b"), rope=0.01).p_better - 0.9497)
    for text in (repr(c := bc.compare(scores(near), rope=0.01)), c.to_markdown(), " ".join(c.sentences())):
        assert "0.9497" in text
    assert "has only P = 0.9497" in c.table(full=True)["agreement"][0]
    above = gap(lambda x: bc.bayes.correlated_ttest(scores(x).pair("a", "b"), rope=0.01).p_better - 0.9503)
    assert "0.950" in bc.compare(scores(above), rope=0.01).to_markdown()
    level = gap(lambda x: bc.frequentist.corrected_ttest(scores(x).pair("a", "b")).p_value - 0.0503)
    for text in (repr(c := bc.compare(scores(level), rope=0.01)), c.to_markdown(), " ".join(c.sentences())):
        assert ".0503" in text
    assert probability(0.95 - 1e-12, threshold=0.95) == "0.949999999999"
    assert (p_value(1e-5, 0.05), p_value(1e-5, 1e-6)) == ("p < .001", "p = .00001")


def test_a_printed_comparison_has_the_numbers_of_its_ranking():
    rng = np.random.default_rng(2)
    table = {f"m{i}": rng.normal(0.8 + 0.001 * i, 0.02, (3, 5)) for i in range(8)}
    c = bc.compare(
        bc.Scores.from_arrays(table, resampling=bc.Resampling.kfold(5), higher_is_better=True),
        rope=0.01,
        bayes="sign_test",
    )
    for row in c.ranking().to_dict("records"):
        best, near = (probability(row[name], row["mcse"]) for name in ("p_best", "p_within_rope"))
        assert re.search(rf"{row['model']} +{best} +{near} ", repr(c))


@pytest.mark.parametrize("rope", [0, 0.01])
def test_a_tie_is_told_from_no_side(rope):
    table = {"a": [0.5, 0.7, 0.6, 0.8, 0.55], "b": [0.6, 0.6, 0.6, 0.8, 0.55]}
    c = bc.compare(
        bc.Scores.from_arrays(table, resampling=bc.Resampling.independent(), higher_is_better=True), rope=rope
    )
    for sentence in (c.sentences()[0], c.pair("a", "b").posterior.sentence(), c.pair("b", "a").posterior.sentence()):
        assert "equally likely to be" in sentence
    turned = c.tests.result("b", "a")
    assert math.copysign(1, turned.estimate) == 1
    assert math.copysign(1, turned.effect_size.value) == 1


def test_opposite_directions():
    """A test that weighs many small wins of A, a posterior that minds few large ones of B."""
    posterior = bc.compare(folds(-0.08), rope=0.01).pairs[0].posterior
    test = bc.compare(folds(0.08), rope=0.01).pairs[0].test
    verdict = PairResult(posterior=posterior, test=test, standard=Standard()).verdict
    assert verdict.kind == "opposite directions"
    assert "in favour of rf, yet svm is better" in verdict.agreement


def test_agreement_in_words():
    assert kind_of(folds(0.08)) == ("agree", "both: rf better")
    assert kind_of(folds(-0.08)) == ("agree", "both: svm better")
    assert kind_of(folds(0.003, sd=0.05)) == ("neither decides", "neither decides")
    kind, sentence = kind_of(folds(0.0002, sd=0.004))
    assert kind == "equivalent, not significant"
    assert "a large p cannot show that" in sentence


def test_every_kind_of_agreement_is_tested_and_documented():
    """Each kind of the table has an assertion in this file, and a line on the page about `compare`."""
    here = Path(__file__).read_text(encoding="utf-8")
    page = (Path(__file__).parents[1] / "docs" / "compare.md").read_text(encoding="utf-8")
    for kind in KINDS:
        assert re.search(rf'(==|==.*\() ?"{kind}"', here), kind
        assert f"| {kind} |" in page
    assert set(SAME) < set(KINDS)


# ---- ropes of datasets, gaps, options


def test_ropes_of_datasets_have_their_unit(rng):
    scores = one_score_each(rng, 3)
    ropes = dict.fromkeys(scores.datasets, 0.01)
    c = bc.compare(scores, rope=ropes, random_seed=1)
    one = bc.compare(scores, rope=0.01, random_seed=1)
    assert c.table(full=True)["p_equivalent"].tolist() == pytest.approx(
        one.table(full=True)["p_equivalent"].tolist(), abs=1e-9
    )
    assert (c.table(full=True)["mean"] / 100).tolist() == pytest.approx(one.table(full=True)["mean"].tolist())
    assert "units of each dataset's rope" in repr(c)
    with pytest.raises(ValueError, match="differences are in units of ropes"):
        bc.compare(scores, rope=ropes, switching_cost=0.02)
    with pytest.raises(RopeError, match="needs a `control`"):
        bc.compare(bc.load_labour(), rope={"labour": (-0.001, 0.1)})


def test_a_missing_fold_leaves_out_that_model_there():
    frame = uci(["nb", "lr", "rf"]).to_frame()
    gap = (frame["model"] == "lr") & (frame["dataset"] == "glass") & (frame["fold"] == 3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        c = bc.compare(Scores.from_frame(frame[~gap]), rope=0.01, bayes="signed_rank_test", random_seed=1)
    assert any("lr on glass (90 of 100)" in str(w.message) for w in caught)
    assert c.table(full=True).set_index(["a", "b"])["n"].to_dict() == {
        ("nb", "lr"): 6,
        ("nb", "rf"): 7,
        ("lr", "rf"): 6,
    }


def test_by_dataset_is_the_correlated_t_of_each():
    c = bc.compare(uci(), rope=0.01, bayes="sign_test")
    frame = c.by_dataset()
    assert len(frame) == 3 * len(SMALL)
    for row in frame.sample(5, random_state=1).to_dict("records"):
        posterior = bc.bayes.correlated_ttest(c.scores.pair(row["a"], row["b"]), rope=0.01, dataset=row["dataset"])
        assert row["p_better"] == pytest.approx(posterior.p_better, abs=1e-12)
        assert row["mean"] == pytest.approx(posterior.mean)


def test_an_asymmetric_rope_can_be_ranked_and_printed(rng):
    c = bc.compare(one_score_each(rng, 15, 6), rope=(-0.005, 0.01), control="m3", bayes="sign_test")
    assert "14 pairs" in repr(c)
    assert len(c.ranking()) == 15


def test_strange_names_stay_on_their_lines(rng):
    names = {"m0": "a\nname with\nbreaks", "m1": "x" * 300}
    text = repr(bc.compare(one_score_each(rng, 3).rename(names), rope=0.01, bayes="sign_test"))
    assert "a name with breaks  " in text
    assert "x" * 20 + "..." + "x" * 17 + " " in text


# ---- many pairs, sensitivity, one pair, JSON, repr


def test_cautions_about_many_pairs():
    text = bc.compare(bc.load_labour(), rope=0.01).explain()
    assert "3 pairs were compared" in text
    assert "joint()" not in text, "one dataset"
    assert "joint()" in bc.compare(bc.load_domains(), rope=1, random_seed=1).explain()
    assert "pairs were compared" not in bc.compare(bc.load_labour().select(models=["SVM", "DT"]), rope=0.01).explain()


def test_rope_curve_is_the_test_with_other_ropes():
    for c in (bc.compare(bc.load_labour(), rope=0.01), bc.compare(bc.load_domains(), rope=1, random_seed=2)):
        curve = c.rope_curve([0, 0.5, 2])
        assert len(curve) == 9
        for row in curve.to_dict("records"):
            posterior = BY_HAND[c.setting.bayes](c.scores.pair(row["a"], row["b"]), c).with_rope(row["rope_high"])
            assert row["p_equivalent"] == pytest.approx(posterior.p_equivalent, abs=1e-12)
        for _, part in curve.groupby(["a", "b"]):
            assert part["p_equivalent"].is_monotonic_increasing


def test_rope_curve_is_the_same_in_the_compiled_loop(monkeypatch):
    plain = bc.compare(bc.load_domains(), rope=1, random_seed=2).rope_curve([0, 0.5, 2])
    monkeypatch.setattr("bayescmp.bayes.signed_rank.LEAST_WORK", 0)
    pd.testing.assert_frame_equal(bc.compare(bc.load_domains(), rope=1, random_seed=2).rope_curve([0, 0.5, 2]), plain)


def test_prior_sensitivity_over_all_pairs():
    c = bc.compare(bc.load_domains(), rope=1, bayes="sign_test")
    frame = c.prior_sensitivity()
    by_hand = BY_HAND["sign_test"](c.scores.pair("A", "C"), c).prior_sensitivity()
    mine = frame[(frame["a"] == "A") & (frame["b"] == "C")]
    assert mine["p_better"].tolist() == pytest.approx(by_hand["p_better"].tolist())
    assert "tipping point" in bc.compare(bc.load_labour(), rope=0.01).prior_sensitivity()["prior"].iloc[-1]


def test_one_pair_in_either_order():
    c = bc.compare(bc.load_labour(), rope=0.01)
    one, two = c.pair("DT", "SVM"), c.pair("SVM", "DT")
    assert one.posterior.p_better == two.posterior.p_worse
    assert one.test.statistic == pytest.approx(-two.test.statistic)
    assert one.test.p_adjusted == two.test.p_adjusted
    assert "SVM vs DT" in repr(two)
    with pytest.raises(ScoresError, match='Did you mean "SVM"'):
        c.pair("SVMM", "DT")
    with pytest.raises(ScoresError, match='must be two models, got "SVM" twice'):
        c.pair("SVM", "SVM")


def test_ranking_is_that_of_the_joint_model(rng):
    scores = one_score_each(rng)
    c = bc.compare(scores, rope=0.01, random_seed=7)
    joint = bc.bayes.multilevel(scores, rope=0.01, random_seed=7)
    assert c.joint() == joint
    pd.testing.assert_frame_equal(c.ranking(), joint.ranking().to_frame())
    assert c.groups() == joint.ranking().groups()


@pytest.mark.parametrize(
    ("compared", "why"),
    [
        (lambda: bc.compare(bc.load_labour(), rope=0.01), "one dataset has no variation between datasets"),
        (
            lambda: bc.compare(uci(), rope=dict.fromkeys(SMALL, 0.02), bayes="sign_test"),
            "every dataset has its own rope",
        ),
        (
            lambda: bc.compare(
                Scores.from_arrays(
                    {m: [[1.0 + i, 1.2], [300 + i, 310.0], [9e4, 9e4 + i]] for i, m in enumerate("abc")},
                    metric="rmse",
                    resampling=bc.Resampling.kfold(2),
                ),
                rope=0,
                bayes="sign_test",
            ),
            "the datasets have different units",
        ),
    ],
)
def test_without_a_joint_model_the_ranking_is_that_of_rank_models(compared, why):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        c = compared()
        with pytest.raises(ScoresError, match=why):
            c.joint()
        assert c.joint_differs() == []
        ranking = c.ranking_posterior()
    assert ranking.inference.measured is None or ranking.inference.measured[0] == "bootstrap"
    assert any(why in note for note in ranking.notes) == (len(c.scores.datasets) > 1)
    assert sum(ranking.p_best.values()) == pytest.approx(1)


def test_where_the_joint_model_decides_otherwise():
    """Each sentence is about a pair with two decisions, quotes both probabilities, and no such pair is left out."""
    c = bc.compare(uci(["rf", "gbm", "svm", "tree"]), rope=0.01, bayes="sign_test", random_seed=1)
    found = c.joint_differs()
    pairs = [
        (pair, joint)
        for pair in c.pairs
        if (joint := c.joint().new_dataset(pair.a, pair.b)).decision() is not pair.decision
    ]
    assert [text.split(":")[0] for text in found] == [f"{pair.a} vs {pair.b}" for pair, _ in pairs]
    assert found
    for text, (pair, joint) in zip(found, pairs, strict=True):
        said = [float(p) for p in re.findall(r"P = ([\d.]+)", text)]
        assert any(said == pytest.approx([pair.posterior.three[i], joint.three[i]], abs=0.01) for i in range(3))
        assert text in repr(c)


@pytest.mark.parametrize("make", ["labour", "paired", "domains", "uci", "prior", "numpy", "ropes"])
def test_json_there_and_back(make):
    c = {
        "labour": lambda: bc.compare(bc.load_labour(), rope=(-0.01, 0.02), control="SVM"),
        "paired": lambda: bc.compare(bc.load_labour(), rope=0.01, frequentist="paired_ttest", switching_cost=0.1),
        "domains": lambda: bc.compare(bc.load_domains(), rope=float("inf"), random_seed=1),
        "uci": lambda: bc.compare(uci(["rf", "lr"]), rope=0.01, bayes_options={"prior": "gaussian"}),
        "prior": lambda: bc.compare(
            uci(["rf", "lr"]),
            rope=0.01,
            threshold=np.float32(0.9),
            bayes_options={"prior": bc.bayes.HierarchicalPrior(delta_0_bound=1, sigma_0_max=1, sigma_max=1)},
        ),
        "numpy": lambda: bc.compare(bc.load_domains(), rope=1, random_seed=1, bayes_options={"draws": np.int64(500)}),
        "ropes": lambda: bc.compare(uci(["rf", "lr"]), rope=dict.fromkeys(SMALL, 0.02), bayes="sign_test"),
    }[make]()
    again = bc.Comparison.from_json(c.to_json())
    assert again == c
    pd.testing.assert_frame_equal(again.table(full=True), c.table(full=True))
    a, b = c.pair_names[0]
    assert again.pair(a, b).posterior == c.pair(a, b).posterior
    assert json.loads(c.to_json())["kind"] == "Comparison"


EDITED = {
    ("tests", "p_adjusted", 0): (-1, "`p_adjusted` must be between 0 and 1, got -1"),
    ("tests", "p_value", 1): (7, "`p_value` must be between 0 and 1, got 7"),
    ("posteriors", 0, "distribution", "scale"): (-1, "a scale and a df above 0, got -1"),
    ("posteriors", 0, "distribution", "df"): (0, "a scale and a df above 0"),
    ("scores", "higher_is_better"): (True, "must have the same direction"),
    ("control",): ("nobody", 'There is no model "nobody"'),
    ("threshold",): (7, "`threshold` must be"),
    ("alpha",): (0, "`alpha` must be"),
    ("switching_cost",): (-3, "`switching_cost` must be 0 or more, got -3"),
}


@pytest.mark.parametrize(("place", "edit"), EDITED.items(), ids=map(str, EDITED))
def test_a_file_of_what_no_comparison_gives_is_refused(place, edit):
    kept = json.loads(bc.compare(bc.load_labour(), rope=0.01).to_json())
    *way, last = place
    part = kept
    for step in way:
        part = part[step]
    part[last], words = edit
    with pytest.raises(ValueError, match=re.escape(words)):
        bc.Comparison.from_json(json.dumps(kept))


def test_repr_fits_a_screen(rng):
    few = repr(bc.compare(one_score_each(rng, 3), rope=0.01, random_seed=1))
    many = repr(bc.compare(one_score_each(rng, 40, 8), rope=0.01, bayes="sign_test"))
    for text in (few, many):
        assert len(text.splitlines()) <= 30
        assert max(map(len, text.splitlines())) <= 170
    assert re.search(r"^m0 +m1 ", few, re.M)
    assert "780 pairs" in many
    assert "and 32 more models" in many


BAD = {
    "no scores": (lambda: bc.compare([1, 2], rope=0), ScoresError, "takes the Scores of all models, got list"),
    "a pair": (lambda: bc.compare(bc.load_labour().pair("SVM", "DT"), rope=0), ScoresError, "got Pair. For two models"),
    "one model": (
        lambda: bc.compare(Scores.from_arrays({"rf": [1, 2]}, higher_is_better=True, datasets=2), rope=0),
        ScoresError,
        "at least 2 models",
    ),
    "one score": (
        lambda: bc.compare(Scores.from_arrays({"rf": [1], "svm": [2]}, higher_is_better=True, datasets=1), rope=0),
        ScoresError,
        "shows nothing of its own error",
    ),
    "test of another setting": (
        lambda: bc.compare(bc.load_labour(), rope=0.01, bayes="hierarchical_ttest"),
        ValueError,
        "must be one of correlated_ttest for many models, one dataset",
    ),
    "t-test over datasets": (
        lambda: bc.compare(bc.load_domains(), rope=1, frequentist="paired_ttest"),
        ValueError,
        "scores.select(datasets=[...])",
    ),
    "asymmetric rope": (lambda: bc.compare(bc.load_labour(), rope=(0, 0.1)), RopeError, "needs a `control`"),
    "unknown control": (lambda: bc.compare(bc.load_labour(), rope=0, control="svm"), ScoresError, 'no model "svm"'),
    "against": (lambda: bc.compare(bc.load_labour(), rope=0, against="SVM"), ValueError, "use control='SVM'"),
    "both": (lambda: bc.compare(bc.load_labour(), rope=0, against="best", control="SVM"), ValueError, "not both"),
    "threshold": (
        lambda: bc.compare(bc.load_labour(), rope=0, threshold=95),
        ValueError,
        "between 0.5 and 1, got 95",
    ),
    "alpha": (lambda: bc.compare(bc.load_labour(), rope=0, alpha=0), ValueError, "`alpha` must be a number between 0"),
    "cost": (lambda: bc.compare(bc.load_labour(), rope=0, switching_cost=-1), ValueError, "0 or more, got -1"),
    "adjust": (lambda: bc.compare(bc.load_labour(), rope=0, adjust="x"), ValueError, "bonferroni"),
    "adjust for a control": (
        lambda: bc.compare(bc.load_labour(), rope=0, control="SVM", adjust="shaffer"),
        ValueError,
        "all pairs",
    ),
    "unknown option": (
        lambda: bc.compare(bc.load_domains(), rope=1, bayes_options={"foo": 1}),
        ValueError,
        "may hold prior, prior_at, draws, precision, engine; got 'foo'",
    ),
    "option of compare": (
        lambda: bc.compare(bc.load_domains(), rope=1, bayes_options={"random_seed": 1}),
        ValueError,
        "Give it to compare()",
    ),
    "draws": (
        lambda: bc.compare(bc.load_domains(), rope=1, bayes_options={"draws": "10"}),
        ValueError,
        "`draws` must be a whole number",
    ),
    "no rope": (lambda: bc.compare(bc.load_domains(), rope=None), RopeError, "`rope` must be given"),
    "scores that do not fit": (
        lambda: Scores.from_dict(bc.load_domains().to_dict() | {"models": ["A", "A", "B"]}),
        ScoresError,
        '"A" is there twice',
    ),
    "jobs": (lambda: bc.compare(bc.load_labour(), rope=0, n_jobs=0), ValueError, "`n_jobs` must be"),
    "not JSON": (lambda: bc.Comparison.from_json("{"), ValueError, "must be JSON from Comparison.to_json"),
    "other JSON": (
        lambda: bc.Comparison.from_json("{}"),
        ValueError,
        'must be an object with a "kind", as Comparison.to_dict gives it',
    ),
    "unknown design": (
        lambda: bc.compare(_no_design(), rope=0),
        bc.ResamplingError,
        "resampling design of the scores",
    ),
}


def _no_design():
    return Scores.from_arrays({"rf": [[0.1, 0.3, 0.5]], "svm": [[0.2, 0.1, 0.2]]}, higher_is_better=True)


@pytest.mark.parametrize(("call", "error", "words"), BAD.values(), ids=BAD)
def test_bad_input(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


@pytest.mark.oracle("Comparison.mean_ranks", "example: W16")
def test_mean_ranks_have_their_critical_difference():
    """W16 by whichever test was run: Nemenyi's own, or Wilcoxon's beside it."""
    for frequentist in ("nemenyi_test", "wilcoxon_test"):
        c = bc.compare(bc.load_domains(), rope=1, bayes="sign_test", frequentist=frequentist)
        assert c.mean_ranks.critical_difference == pytest.approx(1.048135, abs=1e-6)


class Counter:
    """Counts the calls of a function by what they are about."""

    def __init__(self, monkeypatch, place, about):
        module, _, name = place.rpartition(".")
        self.calls, function = [], getattr(importlib.import_module(module), name)

        def counted(*arguments, **options):
            self.calls.append(about(*arguments, **options))
            return function(*arguments, **options)

        monkeypatch.setattr(place, counted)


def test_every_posterior_is_computed_once(monkeypatch, tmp_path):
    """compare, print, table, HTML report, JSON, pair and figures of 3 pairs: one quadrature per pair, one ranking."""
    scores = uci(("rf", "gbm", "svm"))
    place = "bayescmp.bayes.hierarchical.inference.hyper_posterior"
    grids = Counter(monkeypatch, place, lambda density: density.means.tobytes())
    rankings = Counter(monkeypatch, "bayescmp.bayes.multilevel", lambda *_, **__: None)
    monkeypatch.setattr(bc.Comparison, "prior_sensitivity", lambda self, **_: pd.DataFrame())  # counted apart
    monkeypatch.setattr("bayescmp.reports.content._priors", lambda c: [])
    c = bc.compare(scores, rope=0.01)
    print(c, c.table(), c.table(full=True), c.decisions(), c.sentences(), c.to_json(), c.to_latex(), c.ranking())
    c.report(tmp_path / "report.html")
    c.report(tmp_path / "report.md")
    assert c.pair("gbm", "rf").posterior.p_better == c.pair("rf", "gbm").posterior.p_worse
    c.plot("forest"), c.plot("matrix"), c.plot("p_best"), c.plot("simplex"), c.rope_curve([0, 0.02])
    assert len(grids.calls) == len(set(grids.calls)) == 3
    assert len(rankings.calls) == 1


def test_priors_of_the_sensitivity_are_computed_once(monkeypatch, tmp_path):
    c = bc.compare(uci(("rf", "svm")), rope=0.01)
    grids = Counter(monkeypatch, "bayescmp.bayes.hierarchical.inference.hyper_posterior", lambda density: density.means)
    c.report(tmp_path / "report.html")
    others = len(bc.bayes.hierarchical.prior.PRESETS) - 1
    assert len(grids.calls) == others


@pytest.mark.parametrize("bayes", ["correlated_ttest", "hierarchical_ttest", "signed_rank_test", "sign_test"])
def test_workers_and_pickles_bring_answers_not_grids(bayes, tmp_path):
    """What a comparison of small scores weighs is its scores; each pair's result is below 100 kB after use."""
    datasets = SMALL[:1] if bayes == "correlated_ttest" else SMALL
    c = bc.compare(uci(datasets=datasets), rope=0.01, bayes=bayes, random_seed=1)
    print(c, c.table(full=True), c.rope_curve([0, 0.02]), c.to_json())
    c.report(tmp_path / "report.html")
    for pair in c.pairs:
        assert len(pickle.dumps(pair)) < 100_000
        assert pickle.loads(pickle.dumps(pair)) == pair
    weight = len(pickle.dumps(c)) - 3 * c.scores.values.nbytes  # the scores, and those that tests and pairs keep
    assert weight < 100_000
    again = pickle.loads(pickle.dumps(c))
    assert again == c
    assert str(again) == str(c)
