"""Which tests are recommended: by the setting and the design, never by the values."""

import json
from inspect import signature

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import Resampling, Scores, ScoresError
from bayescmp.frequentist.recommend import QUESTIONS, Recommendation, recommend


def table(models, datasets, n, resampling=None, seed=0):
    values = np.random.default_rng(seed).uniform(0.6, 0.9, (models, datasets, n))
    if n == 1:
        return Scores.from_arrays(
            {f"m{i}": v[:, 0] for i, v in enumerate(values)}, higher_is_better=True, datasets=datasets
        )
    return Scores.from_arrays({f"m{i}": v for i, v in enumerate(values)}, resampling=resampling, higher_is_better=True)


CV10 = Resampling.kfold(10, repeats=10)
SETTINGS = {
    "2x1": table(2, 1, 100, CV10),
    "2x1, 5x2": table(2, 1, 10, Resampling.kfold(2, repeats=5)),
    "2x1, splits": bc.load_labour().select(models=["SVM", "DT"]),
    "2x1, independent": table(2, 1, 12, Resampling.independent()),
    "2x1, unknown": table(2, 1, 10),
    "2x1, one score": table(2, 1, 1),
    "kx1": table(4, 1, 100, CV10),
    "kx1, one score": table(4, 1, 1),
    "2xm": table(2, 12, 100, CV10),
    "2xm, one score": table(2, 12, 1),
    "2xm, few": table(2, 5, 1),
    "2xm, unknown": table(2, 12, 10),
    "kxm": table(5, 20, 100, CV10),
    "kxm, one score": table(6, 30, 1),
    "kxm, few": table(4, 4, 1),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting(name):
    """The setting is named, and every recommended function exists."""
    advice = recommend(SETTINGS[name])
    assert advice.setting == name.split(",")[0]
    for row in advice.rows:
        assert row.question in QUESTIONS
        assert callable(getattr(getattr(bc, row.school), row.function)), row
        assert row.why
    assert advice.reasons


TABLE = {
    "2x1": (("corrected_ttest",), ("cohens_d",), ("correlated_ttest",)),
    "kx1": (("corrected_ttest", "cochran_q_test"), ("cohens_d",), ("correlated_ttest",)),
    "2xm": (
        ("wilcoxon_test", "sign_test", "hodges_lehmann_interval"),
        ("rank_biserial",),
        ("hierarchical_ttest", "sign_test", "signed_rank_test"),
    ),
    "kxm": (
        ("friedman_test", "nemenyi_test", "pairwise_wilcoxon_test"),
        ("kendalls_w",),
        ("hierarchical_ttest",),
    ),
}


@pytest.mark.parametrize(("name", "table"), TABLE.items(), ids=TABLE)
def test_table_of_the_methods(name, table):
    """The tests that the literature advises for each setting: Q1 and Q2, frequentist and Bayesian."""
    advice = recommend(SETTINGS[name])
    for functions, where in zip(table, (("Q1", "frequentist"), ("Q2", "frequentist"), ("Q1", "bayes")), strict=True):
        assert set(functions) <= set(advice.functions(*where))
    assert advice.functions("Q2", "bayes"), "the rope answers Q2"
    assert all("rope" in row.why for row in advice.rows if (row.question, row.school) == ("Q2", "bayes"))


@pytest.mark.parametrize("name", SETTINGS)
def test_values_do_not_matter(name):
    """No pre-tests: other scores in the same design get the same advice."""
    scores = SETTINGS[name]
    rng = np.random.default_rng(1)
    arrays = {m: rng.standard_cauchy(v.shape) for m, v in zip(scores.models, scores.values, strict=True)}
    arrays[scores.models[1]] = arrays[scores.models[0]]  # identical models as well
    if scores.values.shape[2] == 1:
        arrays = {m: v[:, 0] for m, v in arrays.items()}
    other = Scores.from_arrays(arrays, resampling=scores.resampling[0], datasets=scores.datasets, higher_is_better=True)
    assert recommend(other) == recommend(scores)


def only(name, function):
    return next(row for row in recommend(SETTINGS[name]).rows if row.function == function)


def test_the_design_sharpens_the_advice():
    assert recommend(SETTINGS["2x1, 5x2"]).functions("Q1", "frequentist")[0] == "cv5x2_ftest"
    assert "cv5x2_ftest" not in recommend(SETTINGS["2x1"]).functions()
    assert "rxk_cv_ttest" in recommend(SETTINGS["2x1"]).functions()
    independent = recommend(SETTINGS["2x1, independent"]).functions("Q1", "frequentist")
    assert independent[:2] == ("paired_ttest", "permutation_test")
    for name in ("2x1", "2x1, splits", "2x1, unknown", "kx1"):
        assert "paired_ttest" not in recommend(SETTINGS[name]).functions(), "training sets may overlap"
    assert any("6 test cases" in c for c in only("2x1, splits", "corrected_ttest").caveats)


def test_unknown_design_says_how_to_give_it():
    for name in ("2x1, unknown", "2xm, unknown"):
        advice = recommend(SETTINGS[name])
        assert any("rho is missing" in r and "Resampling.kfold(folds" in r for r in advice.reasons)
    assert any("rho is missing" in c for c in only("2x1, unknown", "corrected_ttest").caveats)
    assert any("rho is missing" in c for c in only("2xm, unknown", "hierarchical_ttest").caveats)
    assert not any("rho" in r for r in recommend(SETTINGS["2x1"]).reasons)


def test_one_score_on_one_dataset_needs_the_predictions():
    advice = recommend(SETTINGS["2x1, one score"])
    assert advice.functions() == ("mcnemar_test", "per_instance_ttest", "tost_mcnemar")
    assert any("does not show its spread" in r for r in advice.reasons)
    assert recommend(SETTINGS["kx1, one score"]).functions()[0] == "cochran_q_test"


def test_one_score_a_dataset_has_no_hierarchy():
    advice = recommend(SETTINGS["2xm, one score"])
    assert "hierarchical_ttest" not in advice.functions()
    assert "signed_rank_test" in advice.functions("Q1", "bayes")


def test_too_few_datasets():
    """Five datasets: 2/2^5 = 0.0625 is the least p-value; six: 0.03125. With 6 pairs Holm multiplies the least by 6."""
    assert any("below 0.0625" in c for c in only("2xm, few", "wilcoxon_test").caveats)
    six = recommend(table(2, 6, 1))
    assert not any("is possible" in c for row in six.rows for c in row.caveats)
    assert any("adjusted for 6 pairs) below 0.75" in c for c in only("kxm, few", "pairwise_wilcoxon_test").caveats)
    assert any("chi-square" in c for c in only("kxm, few", "friedman_test").caveats)
    assert not only("kxm, one score", "friedman_test").caveats


def test_missing_runs():
    frame = table(3, 4, 1).to_frame()
    frame = frame[~((frame["model"] == "m0") & (frame["dataset"] != "dataset 1"))]
    advice = recommend(Scores.from_frame(frame[["model", "dataset", "score"]], higher_is_better=True))
    assert advice.setting == "kxm"
    assert any("all models ran on 1 of the 4 datasets" in r for r in advice.reasons)
    assert "friedman_test" not in advice.functions()
    assert "pairwise_wilcoxon_test" in advice.functions()


def test_pair_and_two_models_agree():
    for name in ("2x1", "2x1, unknown", "2xm", "2xm, few"):
        scores = SETTINGS[name]
        assert recommend(scores.pair(*scores.models)) == recommend(scores)
        assert recommend(scores.pair(*scores.models).swap()) == recommend(scores)


def test_many_pairs_are_warned_about():
    for name in ("kx1", "kxm"):
        assert any("pairs: p-values need an adjustment" in r for r in recommend(SETTINGS[name]).reasons)
    assert not any("adjustment" in r for r in recommend(SETTINGS["2x1"]).reasons)


ITEMS = np.random.default_rng(5).random((2, 40, 3))  # models, items, runs


@pytest.mark.parametrize("seeds", [1, 3])
@pytest.mark.parametrize("right_or_wrong", [True, False])
def test_what_is_recommended_for_items_can_be_run(seeds, right_or_wrong):
    """With several trained models behind the items too, where `cohens_d` would average them."""
    grades = (ITEMS > 0.5) * 1.0 if right_or_wrong else ITEMS
    rows = [("ab"[m], i, s, grades[m, i, s]) for m, i, s in np.ndindex(2, 40, seeds)]
    frame = pd.DataFrame(rows, columns=["model", "item", "seed", "score"])
    frame = frame if seeds > 1 else frame.drop(columns="seed")
    pair = Scores.from_frame(frame, higher_is_better=True, resampling=Resampling.items()).pair("a", "b")
    advice = recommend(pair)
    assert {row.question for row in advice.rows if row.school == "bayes"} >= {"Q1", "Q2"}
    for row in advice.rows:
        function = getattr(getattr(bc, row.school), row.function)
        rope = {"rope": 0.01} if "rope" in signature(function).parameters else {}
        assert function(pair, **rope) is not None
    assert ("cohens_d" in advice.functions()) == (seeds == 1 and not right_or_wrong)


def test_frame_text_and_json():
    for scores in SETTINGS.values():
        advice = recommend(scores)
        frame = advice.to_frame()
        assert list(frame.columns) == ["setting", "question", "school", "function", "why", "caveats"]
        assert frame["function"].tolist() == [row.function for row in advice.rows]
        assert Recommendation.from_dict(json.loads(json.dumps(advice.to_dict(), allow_nan=False))) == advice
        text = repr(advice)
        assert text.startswith(f"Recommendation: setting {advice.setting}")
        assert all(f"{row.school}.{row.function}" in text for row in advice.rows)
        assert len(text.splitlines()) < 45
    with pytest.raises(ValueError, match="to_dict"):
        Recommendation.from_dict({"setting": "2x1"})


def test_bad_input():
    with pytest.raises(ScoresError, match=r"must be `Scores` or a `Pair`.*got list"):
        recommend([0.5, 0.6])
    with pytest.raises(ScoresError, match="at least 2 models"):
        recommend(table(1, 3, 1))
