"""Traps: inputs that would give a wrong answer without a word, and what is said instead."""

import io

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import bayescmp as bc
from bayescmp import Resampling, RopeError, Scores, ScoresError
from bayescmp.cli import main

LABOUR = dict(zip(bc.load_labour().models, bc.load_labour().values[:, 0], strict=True))
TWO = {"rf": [0.9, 0.8, 0.7], "svm": [0.8, 0.8, 0.6]}
WIDE = pd.DataFrame({"dataset": ["x", "y", "z"], "a": [3.1, 2.0, 4.5], "b": [1.1, 1.0, 2.5]})
UNNAMED = WIDE.drop(columns="dataset")
LONG = WIDE.melt("dataset", var_name="model", value_name="score")
FOUND = {"params": [{"C": 1}, {"C": 2}], "split0_test_score": [0.8, 0.9], "split1_test_score": [0.7, 0.9]}
CV = {"rf": {"test_score": [0.9, 0.8]}, "svm": {"test_score": [0.8, 0.8]}}
PAIR = bc.load_labour().pair("SVM", "DT")
DIRECTION = ("no metric is named", 'metric="rmse"', "higher_is_better=False")
ROPE = ("no practical difference", "rope=0.01", "one percentage point", "Choosing a rope")
ROWS = ("3 rows of the table have no names", "resampling=Resampling.kfold(3)", "datasets=3")


def read(frame, **options):
    return bc.read_scores(io.StringIO(frame.to_csv(index=False)), **options)


TRAPS = {
    "arrays without a direction": (lambda: Scores.from_arrays(TWO, datasets=3), ScoresError, DIRECTION),
    "arrays without anything": (lambda: Scores.from_arrays(TWO), ScoresError, DIRECTION),
    "arrays of an unknown metric": (
        lambda: Scores.from_arrays(TWO, metric="zorp", higher_is_better=False),
        ScoresError,
        ('from_arrays(arrays, metric="zorp", higher_is_better=False, datasets=3)',),
    ),
    "folds without a direction": (
        lambda: Scores.from_arrays(TWO, resampling=Resampling.kfold(3)),
        ScoresError,
        DIRECTION,
    ),
    "a wide frame without a direction": (lambda: Scores.from_frame(WIDE), ScoresError, DIRECTION),
    "a wide csv without a direction": (lambda: read(WIDE), ScoresError, DIRECTION),
    "a long frame without a direction": (lambda: Scores.from_frame(LONG), ScoresError, DIRECTION),
    "a long csv without a direction": (lambda: read(LONG), ScoresError, DIRECTION),
    "cross_validate with one unnamed scorer": (lambda: Scores.from_cross_validate(CV, cv=2), ScoresError, DIRECTION),
    "a search with one unnamed scorer": (
        lambda: Scores.from_cv_results(FOUND, resampling=Resampling.kfold(2)),
        ScoresError,
        DIRECTION,
    ),
    "the folds of the README as arrays": (
        lambda: Scores.from_arrays(LABOUR, metric="error rate"),
        ScoresError,
        (
            "arrays of 100 scores may be the folds of one dataset, or one score for each of 100 datasets",
            'Scores.from_arrays(arrays, metric="error rate", resampling=Resampling.kfold(10, repeats=10))',
            'Scores.from_arrays(arrays, metric="error rate", datasets=100)',
        ),
    ),
    "a wide frame whose rows have no names": (lambda: Scores.from_frame(UNNAMED, metric="rmse"), ScoresError, ROWS),
    "a wide csv whose rows have no names": (lambda: read(UNNAMED, metric="rmse"), ScoresError, ROWS),
    "another number of datasets": (lambda: Scores.from_arrays(TWO, datasets=4), ScoresError, ("there are 3, got 4",)),
    "a number of datasets that is a switch": (
        lambda: Scores.from_arrays(TWO, datasets=True),
        ScoresError,
        ("a list of names, or their number, got True",),
    ),
    "datasets of rows that have names": (
        lambda: Scores.from_frame(WIDE, metric="rmse", datasets=3),
        ScoresError,
        ('the column "dataset" has them',),
    ),
    "datasets of a long table": (
        lambda: Scores.from_frame(LONG, metric="rmse", datasets=3),
        ScoresError,
        ("this one is long", "Add a column `dataset`"),
    ),
    "compare without a rope": (lambda: bc.compare(bc.load_labour()), RopeError, ROPE),
    "correlated_ttest without a rope": (lambda: bc.bayes.correlated_ttest(PAIR), RopeError, ROPE),
    "sign_test without a rope": (lambda: bc.bayes.sign_test(bc.load_uci().pair("rf", "svm")), RopeError, ROPE),
    "signed_rank_test without a rope": (
        lambda: bc.bayes.signed_rank_test(bc.load_uci().pair("rf", "svm")),
        RopeError,
        ROPE,
    ),
    "hierarchical_ttest without a rope": (
        lambda: bc.bayes.hierarchical_ttest(bc.load_uci().pair("rf", "svm")),
        RopeError,
        ROPE,
    ),
    "welch_ttest without a rope": (lambda: bc.bayes.welch_ttest([1, 2, 3], [2, 3, 5]), RopeError, ROPE),
    "rank_models without a rope": (lambda: bc.bayes.rank_models(bc.load_domains()), RopeError, ROPE),
    "bradley_terry without a rope": (lambda: bc.bayes.bradley_terry(bc.load_domains()), RopeError, ROPE),
    "multilevel without a rope": (lambda: bc.bayes.multilevel(bc.load_uci()), RopeError, ROPE),
    "a rope of None": (lambda: bc.compare(bc.load_labour(), rope=None), RopeError, ROPE),
}


@pytest.mark.parametrize(("call", "error", "words"), TRAPS.values(), ids=TRAPS)
def test_trap(call, error, words):
    with pytest.raises(error) as found:
        call()
    for word in words:
        assert word in str(found.value)


def test_the_lines_of_the_message_work():
    """The folds of the README, copied from the message: not the answer of folds that are treated as datasets."""
    with pytest.raises(ScoresError) as found:
        Scores.from_arrays(LABOUR, metric="error rate")
    lines = [line.strip() for line in str(found.value).splitlines()[1:]]
    folds, datasets = (eval(line, {"Scores": Scores, "Resampling": Resampling, "arrays": LABOUR}) for line in lines)
    assert (len(folds.datasets), len(datasets.datasets)) == (1, 100)
    assert datasets.datasets[:2] == ("dataset 1", "dataset 2")
    p = bc.bayes.correlated_ttest(folds.pair("SVM", "DT"), rope=0.01)
    assert p.p_better == pytest.approx(0.94, abs=0.02)
    assert not p.higher_is_better


@pytest.mark.parametrize("column", ["fold", "seed", "repeat", "dataset", "task"])
def test_a_column_decides_what_a_row_is(column):
    scores = read(WIDE.rename(columns={"dataset": column}), metric="rmse")
    assert len(scores.datasets) == (3 if column in ("dataset", "task") else 1)


@pytest.mark.parametrize("given", [3, np.int64(3), ["x", "y", "z"]])
def test_rows_as_datasets_and_as_folds(given):
    datasets = read(UNNAMED, metric="rmse", datasets=given)
    assert datasets.datasets == (
        ("x", "y", "z") if isinstance(given, list) else tuple(f"dataset {i}" for i in (1, 2, 3))
    )
    assert datasets.pair("b", "a").means.tolist() == [2.0, 1.0, 2.0]
    for design in (Resampling.kfold(3), Resampling.independent()):
        folds = read(UNNAMED, metric="rmse", resampling=design)
        assert folds.values.shape == (2, 1, 3)
    assert Scores.from_frame(UNNAMED, metric="rmse", datasets=given) == datasets


def test_a_search_keeps_the_name_of_its_scorer():
    class Search:
        cv_results_, cv, scoring = FOUND, 2, "neg_root_mean_squared_error"

    scores = Scores.from_cv_results(Search())
    assert (scores.metric, scores.higher_is_better) == ("neg_root_mean_squared_error", True)
    assert Scores.from_cv_results(FOUND, metric="accuracy", resampling=Resampling.kfold(2)).metric == "accuracy"


@pytest.mark.parametrize(
    ("frame", "options", "words"),
    [
        pytest.param(WIDE, [], ("--metric rmse", "--lower-is-better", "--higher-is-better"), id="direction"),
        pytest.param(LONG, [], ("--metric rmse", "--lower-is-better", "--higher-is-better"), id="direction, long"),
        pytest.param(UNNAMED, ["--metric", "rmse"], ("--resampling kfold:10", "--datasets 30"), id="rows"),
    ],
)
@pytest.mark.parametrize("command", ["compare", "check"])
def test_trap_on_the_command_line(tmp_path, frame, options, words, command):
    path = tmp_path / "rmse.csv"
    frame.to_csv(path, index=False)
    rope = ["--rope", "0.1"] if command == "compare" else []
    found = CliRunner().invoke(main, [command, str(path), *rope, *options])
    assert found.exit_code == 2
    assert found.stdout == ""
    for word in words:
        assert word in found.stderr
    assert "higher_is_better" not in found.stderr


@pytest.mark.parametrize(
    ("frame", "options"),
    [
        (WIDE, ["--lower-is-better"]),
        (WIDE, ["--metric", "rmse"]),
        (LONG, ["--metric", "rmse"]),
        (UNNAMED, ["--metric", "rmse", "--datasets", "3"]),
    ],
)
def test_the_way_out_on_the_command_line(tmp_path, frame, options):
    path = tmp_path / "rmse.csv"
    frame.to_csv(path, index=False)
    found = CliRunner().invoke(main, ["compare", str(path), "--rope", "0.1", "--seed", "1", *options])
    assert found.exit_code == 0
    assert "(lower is better)" in found.stdout.splitlines()[2], "below the answer"
    assert "3 datasets" in found.stdout.splitlines()[2]


@pytest.mark.parametrize("up", [True, False])
def test_the_direction_is_in_every_header(tmp_path, up):
    """A metric that nobody knows, both ways round: printed, drawn and reported with its direction."""
    rng = np.random.default_rng(1)
    table = {name: rng.normal(0.8, 0.05, (6, 5)) for name in "abc"}
    scores = Scores.from_arrays(table, resampling=Resampling.kfold(5), metric="zorp", higher_is_better=up)
    header = f"zorp ({'higher' if up else 'lower'} is better)"
    pair = scores.pair("a", "b")
    c = bc.compare(scores, rope=0.01, bayes="signed_rank_test", random_seed=1)
    results = (
        scores,
        pair,
        c,
        bc.bayes.correlated_ttest(pair, rope=0.01, dataset="dataset 1"),
        bc.bayes.sign_test(pair, rope=0.01),
        bc.bayes.signed_rank_test(pair, rope=0.01, random_seed=1),
        bc.bayes.hierarchical_ttest(pair, rope=0.01),
        bc.bayes.rank_models(scores, rope=0.01, random_seed=1),
        bc.frequentist.wilcoxon_test(pair),
        bc.frequentist.friedman_test(scores),
        bc.frequentist.pairwise_wilcoxon_test(scores),
    )
    for result in results:
        heading = 2 if isinstance(result, bc.Comparison) else 0  # below the answer
        assert header in repr(result).splitlines()[heading], type(result).__name__
    assert header in bc.reports.methods_text(c)
    for ending in ("md", "tex", "html"):
        assert header in c.report(tmp_path / f"report.{ending}").read_text(encoding="utf-8")
    better = f"zorp, {'higher' if up else 'lower'} is better (positive favours a)"
    for ax in (
        bc.plots.plot_posterior(results[3]),
        bc.plots.plot_hdi(results[3]),
        bc.plots.plot_differences(pair),
        bc.plots.plot_forest(results[6]),
    ):
        assert better in " ".join(ax.get_xlabel().split())
    assert header in " ".join(bc.plots.plot_scores(scores).get_xlabel().split())


def test_plain_arrays_given_to_a_test_have_higher_better_and_their_result_says_so():
    a, b = [0.9, 0.8, 0.85, 0.7], [0.8, 0.7, 0.8, 0.65]
    for result in (
        bc.bayes.correlated_ttest(a, b, rope=0.01, resampling=Resampling.kfold(4)),
        bc.bayes.sign_test(a, b, rope=0.01),
        bc.frequentist.wilcoxon_test(a, b),
        bc.frequentist.friedman_test({"a": a, "b": b, "c": b[::-1]}),
        bc.frequentist.friedman_test(np.array([a, b, b[::-1]]).T),
        bc.frequentist.friedman_test(pd.DataFrame({"a": a, "b": b, "c": b[::-1]})),
    ):
        assert "score (higher is better)" in repr(result).splitlines()[0]
