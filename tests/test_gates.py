"""Gates: verdicts of the mean difference against other ways to compute it, rules that are kept, and words for a log."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import Resampling, Rope, Scores
from bayescmp.gates import Rule, gate

# ---- the probabilities of the mean difference


@pytest.mark.oracle("bayes.Posterior.mean_three", "scipy")
def test_the_mean_difference_of_one_dataset_is_what_the_test_is_about(labour):
    d, rho = labour.differences[0], labour.resampling[0].rho
    t = stats.t(d.size - 1, d.mean(), d.std(ddof=1) * math.sqrt(1 / d.size + rho / (1 - rho)))
    expected = t.sf(0.01), t.cdf(0.01) - t.cdf(-0.01), t.cdf(-0.01)
    assert bc.bayes.correlated_ttest(labour, rope=0.01).mean_three == pytest.approx(expected, abs=1e-12)


@pytest.mark.oracle("bayes.RegionPosterior.mean_three", "closed form")
def test_the_mean_difference_of_the_hierarchical_test(rng):
    """Folds without noise: delta_0 given normal differences of datasets, flat in mean and sd, is a Student t_{n-2}."""
    n = 20
    d = rng.normal(0.012, 0.02, n)
    folds = d[:, None] + 1e-6 * rng.standard_normal((n, 10))
    p = bc.bayes.hierarchical_ttest(folds, np.zeros_like(folds), rope=0.01, resampling=Resampling.kfold(10),
                                    prior="gaussian")  # fmt: skip
    t = stats.t(n - 2, d.mean(), d.std() / math.sqrt(n - 2))
    expected = t.sf(0.01), t.cdf(0.01) - t.cdf(-0.01), t.cdf(-0.01)
    assert p.mean_three == pytest.approx(expected, abs=2e-3)
    assert p.with_rope(0).mean_three[0] == pytest.approx(p.p_positive, abs=1e-9)
    # the same but for the error: at 1e-4, where a grid is refined, one of the two was
    assert p.swap().mean_three == pytest.approx(p.mean_three[::-1], abs=p.numerical_error)
    assert p.numerical_error <= 2e-4
    assert p.mean_three != pytest.approx(p.three, abs=0.05)


@pytest.mark.oracle("bayes.RegionPosterior.mean_three", "brute force")
def test_the_mean_difference_of_the_signed_rank_test(rng):
    """The Bayesian bootstrap of the datasets with the prior's pseudo-dataset, by draws of the test's own."""
    d, draws = rng.normal(0.012, 0.02, 15), 40_000
    p = bc.bayes.signed_rank_test(d, np.zeros(15), rope=0.01, random_seed=1)
    alpha = np.append(np.ones(15), p.settings["prior"])
    means = rng.dirichlet(alpha, draws) @ np.append(d, 0.0)
    for found, share in zip(p.mean_three, (means > 0.01, np.abs(means) <= 0.01, means < -0.01), strict=True):
        assert abs(found - share.mean()) <= 4 * math.sqrt(0.25 / draws + 0.25 / 50_000)


def test_a_test_of_signs_has_no_mean_difference(uci_pair):
    assert bc.bayes.sign_test(uci_pair, rope=0.01).mean_three is None


# ---- verdicts


@pytest.fixture
def uci_pair():
    return bc.load_uci().pair("rf", "svm")


def scores_of(mean, rng, n=100):
    """A candidate that is better by `mean` on 100 independent runs, and a baseline."""
    base = rng.normal(0.8, 0.01, n)
    own = rng.normal(mean, 0.01, n)
    arrays = {"old": base, "new": base + own - own.mean() + mean}
    return Scores.from_arrays(arrays, metric="accuracy", resampling=Resampling.independent())


@pytest.mark.oracle("gates.gate", "scipy")
@pytest.mark.parametrize(
    ("mean", "verdict", "passed"),
    [(0.02, "better", True), (-0.001, "not worse", True), (-0.02, "worse", False), (-0.0095, "undecided", False)],
)
def test_verdicts(mean, verdict, passed, rng):
    scores = scores_of(mean, rng)
    result = gate(scores, baseline="old", candidate="new", rope=0.01)
    d = scores.pair("new", "old").differences[0]
    t = stats.t(99, d.mean(), d.std(ddof=1) / 10)
    assert (result.verdict, result.passed) == (verdict, passed)
    assert result.p_not_worse == pytest.approx(t.sf(-0.01), abs=1e-9)
    assert result.p_better == pytest.approx(t.sf(0.01), abs=1e-9)
    assert result.p_worse == pytest.approx(t.cdf(-0.01), abs=1e-9)
    assert ("is needed" in result.missing) == (verdict == "undecided")
    assert result.sentence().startswith("PASS" if passed else "FAIL")
    assert "\n" not in result.sentence()


def test_a_gate_keeps_its_promise_at_the_edge(rng):
    """A candidate that is worse by exactly the rope gets through in at most 5 % of the studies."""
    passed = 0
    for _ in range(200):
        base, own = rng.normal(0.8, 0.01, 20), rng.normal(-0.01, 0.02, 20)
        scores = Scores.from_arrays(
            {"old": base, "new": base + own}, metric="accuracy", resampling=Resampling.independent()
        )
        passed += gate(scores, baseline="old", candidate="new", rope=0.01).passed
    assert passed / 200 <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 200)


def test_over_many_datasets_a_gate_is_about_the_mean(uci_pair):
    """Not about which outcome is the most probable one on the next dataset."""
    result = gate(bc.load_uci(), baseline="svm", candidate="rf", rope=0.01)
    above, inside, below = result.posterior.mean_three
    assert (result.p_better, result.p_worse) == (above, below)
    assert result.p_not_worse == pytest.approx(above + inside)


# ---- rules


RULE = Rule(rope=Rope(-0.01, 0.01), metric="accuracy", higher_is_better=True, looks=3)


def test_a_rule_survives_its_file(tmp_path):
    rule = replace(RULE, test="correlated_ttest", prior="flat", baseline='of "us" \\ them\n', passes=("better",))
    path = tmp_path / "rule.toml"
    path.write_text(rule.to_toml(), encoding="utf-8")
    assert Rule.read(path) == rule
    assert Rule.from_toml("rope = 0.02").rope == Rope(-0.02, 0.02)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rope = ", "must be a TOML file"),
        ("threshold = 0.9", "must have a rope"),
        ("rope = 0.01\nropes = 1", "unknown .ropes"),
        ("rope = 0.01\npasses = 'better'", "must be a list of verdicts"),
        ("rope = 0.01\npasses = ['good']", "must hold some of"),
        ("rope = 0.01\nlooks = 0", "`looks` must be"),
        ("rope = 0.01\nthreshold = 2", "`threshold` must be"),
        ("rope = 0.01\nprior = [1]", "`prior` of a rule must be"),
        ("rope = 0.01\nmetric = 3", "`metric` of a rule must be a str"),
    ],
)
def test_rules_that_are_none(text, words):
    with pytest.raises(ValueError, match=words):
        Rule.from_toml(text)


def test_a_changed_baseline_is_said_and_another_metric_refused(rng):
    scores = scores_of(0.02, rng)
    rule = RULE.written_for(scores, "old")
    (looks,) = gate(scores, baseline="old", candidate="new", rule=rule).notes
    assert looks.startswith("The data may be looked at 3 times while they come in.")
    other = gate(scores_of(0.02, rng), baseline="old", candidate="new", rule=rule)
    assert "are not those that the rule was written for" in other.notes[0]
    with pytest.raises(bc.ScoresError, match="The rule is about f1"):
        gate(scores, baseline="old", candidate="new", rule=replace(rule, metric="f1"))
    with pytest.raises(ValueError, match="not both"):
        gate(scores, baseline="old", candidate="new", rule=rule, rope=0.02)
    with pytest.raises(ValueError, match="needs a test of the mean difference"):
        gate(bc.load_uci(), baseline="svm", candidate="rf", rule=Rule(rope=Rope(-0.01, 0.01), test="sign_test"))


def test_a_rule_has_its_prior():
    found = [
        gate(bc.load_uci(), "svm", "rf", rule=Rule(rope=Rope(-0.01, 0.01), test="signed_rank_test", prior=prior),
             random_seed=1).p_better
        for prior in (None, 0.5, 20.0)
    ]  # fmt: skip
    assert found[0] == found[1] > found[2], "20 datasets without a difference pull the mean towards 0"


def test_names_are_escaped_in_the_table_for_a_pull_request(rng):
    scores = scores_of(0.02, rng).rename({"new": "a|b<script>", "old": "*x*"})
    text = gate(scores, baseline="*x*", candidate="a|b<script>", rope=0.01).to_markdown()
    assert "<script>" not in text
    assert "a|b" not in text
    assert "**better** (pass)" in text


@pytest.mark.parametrize("form", ["html", "md", "tex"])
def test_a_report_quotes_the_rule(form, tmp_path):
    """A comparison that keeps to the rule, and departures from it: rope, looks, an edited file, another baseline."""
    scores = bc.load_labour()
    rule = Rule(rope=bc.Rope(-0.01, 0.01)).written_for(scores, "DT")
    path = tmp_path / "rule.toml"
    path.write_text(rule.to_toml(), "utf-8")
    kept = bc.compare(scores, rope=0.01)
    assert rule.departures(kept) == ()
    text = kept.report(tmp_path / f"kept.{form}", rule=path).read_text("utf-8")
    assert "The comparison keeps to a rule that was written down before." in text
    assert "fingerprint" in text
    assert rule.fingerprint in text
    assert "written down before" not in kept.report(tmp_path / f"none.{form}").read_text("utf-8")

    path.write_text(rule.to_toml().replace("threshold = 0.95", "threshold = 0.9"), "utf-8")
    other = bc.compare(scores.select(models=["SVM", "LR"]), rope=0.02, looks=3)
    text = other.report(tmp_path / f"other.{form}", rule=Rule.read(path)).read_text("utf-8").replace("\\", "")
    assert "The comparison does not keep to the rule" in text
    for part in (
        "The rule was changed after it was written.",
        "No model has the scores of the baseline that the rule was written for.",
        "The rope is",
        "The threshold is 0.95, the rule has 0.9.",
        "The number of looks is 3, the rule has 1.",
    ):
        assert part in text
    with pytest.raises(ValueError, match="`rule` must be a gates"):
        kept.report(tmp_path / f"wrong.{form}", rule=3)
