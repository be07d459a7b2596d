"""Traps: inputs that would give a wrong answer without a word, and what is said instead."""

import io
import json

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


MODELS = {"orient": "models", "metric": "rmse"}
MEAN = ('"Average" is the mean of the other 3 datasets, and would count as one more', "Leave it out of the table")
UNITS = pd.DataFrame({"dataset": ["x", "y", "z"], "a": [0.8, 0.7, 0.9], "b": [0.8, 85, 1.0]})
FOLDS = pd.DataFrame({"fold": [1, 2, 3] * 2, "model": [*"aaabbb"], "rmse": [3.0, 2, 4, 1, 1, 2]})
FOLD = ("Every fold must be a whole number of 0 or more, or a name", "Number them 1, 2, 3, and so on")
DOWN = {"higher_is_better": False}
RAGGED = [[1.0, 2.0], [3.0]]


def with_row(name, how, decimals=12):
    """The wide table with a summary of its rows below them."""
    summary = WIDE[["a", "b"]].agg(how).round(decimals)
    return pd.concat([WIDE, pd.DataFrame({"dataset": [name], **summary})], ignore_index=True)


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
    "a csv without a header": (
        lambda: bc.read_scores(io.StringIO("iris,.8,.7\nwine,.9,.6\n"), metric="accuracy"),
        ScoresError,
        ('models would be called ".8", ".7"', "Add a line with the names", "models=['.8', '.7']"),
    ),
    "a csv of numbers without a header": (
        lambda: bc.read_scores(io.StringIO("0.8,0.7\n0.9,0.6\n"), metric="accuracy", datasets=1),
        ScoresError,
        ('models would be called "0.8", "0.7"', 'such as "dataset,rf,svm"'),
    ),
    "a frame made from a csv without a header": (
        lambda: Scores.from_frame(pd.read_csv(io.StringIO("iris,.8,.7\nwine,.9,.6\n")), metric="accuracy"),
        ScoresError,
        ("the first line looks like scores",),
    ),
    "a row of averages": (lambda: read(with_row("Average", "mean"), metric="rmse"), ScoresError, MEAN),
    "a row of averages in other words": (
        lambda: read(with_row(" AVG. ", "mean"), metric="rmse"),
        ScoresError,
        (MEAN[1],),
    ),
    "a row of rounded averages": (
        lambda: read(with_row("Mean", "mean", 2), metric="rmse"),
        ScoresError,
        ('"Mean" is the mean',),
    ),
    "a row of sums": (
        lambda: read(with_row("Total", "sum"), metric="rmse"),
        ScoresError,
        ('"Total" is the sum', "rename it"),
    ),
    "a column of averages of models in rows": (
        lambda: bc.read_scores(io.StringIO(with_row("Overall", "mean").set_index("dataset").T.to_csv()), **MODELS),
        ScoresError,
        ('"Overall" is the mean of the other 3 datasets',),
    ),
    "averages of a long table": (
        lambda: read(with_row("Average", "mean").melt("dataset", var_name="model", value_name="rmse")),
        ScoresError,
        MEAN,
    ),
    "averages among arrays": (
        lambda: Scores.from_arrays({"a": [1.5, 2, 1.75], "b": [1, 2, 1.5]}, metric="rmse", datasets=["x", "y", "mean"]),
        ScoresError,
        ('"mean" is the mean of the other 2 datasets',),
    ),
    "percent beside shares": (
        lambda: read(UNITS, metric="accuracy"),
        ScoresError,
        ('85 of "b" on "y" stands beside 0.8 of "a" on "x"', "5 are at most 1, 1 between 10 and 100", "in one unit"),
    ),
    "percent beside shares in a long table": (
        lambda: read(UNITS.melt("dataset", var_name="model", value_name="test_f1_macro")),
        ScoresError,
        ('85 of "b" on "y"',),
    ),
    "percent beside shares in arrays of folds": (
        lambda: Scores.from_arrays({"a": [0.8, 0.9], "b": [85, 0.9]}, metric="auc", resampling=Resampling.kfold(2)),
        ScoresError,
        ('85 of "b" on "dataset", score 1',),
    ),
    "a fold -1": (lambda: Scores.from_frame(FOLDS.replace({"fold": {1: -1}})), ScoresError, (*FOLD, "got '-1'")),
    "a fold 2.5": (lambda: Scores.from_frame(FOLDS.replace({"fold": {1: 2.5}})), ScoresError, (*FOLD, "got '2.5'")),
    "a repeat -1": (
        lambda: Scores.from_frame(FOLDS.rename(columns={"fold": "repeat"}).replace({"repeat": {1: -1}})),
        ScoresError,
        ("Every repeat must be a whole number", "got '-1'"),
    ),
    "a fold that is infinite": (
        lambda: Scores.from_frame(FOLDS.replace({"fold": {1: np.inf}})),
        ScoresError,
        (*FOLD, "got 'inf'"),
    ),
    "folds as numbers and as text": (
        lambda: Scores.from_frame(FOLDS.astype({"fold": object}).replace({"fold": {1: "first"}})),
        ScoresError,
        ("Every fold must be a number, or every one a name, got 'first' and '2'",),
    ),
    "a fold that only looks like a digit": (
        lambda: Scores.from_frame(FOLDS.astype({"fold": object}).replace({"fold": {1: "\u00b2"}})),
        ScoresError,
        ("or every one a name",),
    ),
    **{
        f"ragged lists, {name}": (call, ScoresError, ("lists of different lengths",))
        for name, call in {
            "from_arrays": lambda: Scores.from_arrays({"a": RAGGED, "b": RAGGED}, metric="accuracy"),
            "welch_ttest": lambda: bc.bayes.welch_ttest(RAGGED, RAGGED, rope=0),
            "mean_interval": lambda: bc.frequentist.mean_interval(RAGGED),
            "cochran_q_test": lambda: bc.frequentist.cochran_q_test({"a": RAGGED, "b": RAGGED, "c": RAGGED}),
            "from_cross_validate": lambda: Scores.from_cross_validate(
                {"a": {"test_score": RAGGED}, "b": {"test_score": RAGGED}}, metric="accuracy", cv=2
            ),
        }.items()
    },
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


@pytest.mark.parametrize("name", ["Average", "mean", "OVERALL", "Total", "avg"])
def test_the_name_of_a_summary_alone_is_warned_about(name):
    frame = with_row(name, "mean").replace({"b": {1.0: 1.4}})
    with pytest.warns(bc.RepeatsWarning, match=f'"{name}" counts as a dataset.*scores.drop') as found:
        scores = read(frame, metric="rmse")
    assert len(found) == 1
    assert scores.drop(name) == read(frame[:3], metric="rmse")
    assert len(read(frame.replace({name: "meanwhile"}), metric="rmse").datasets) == 4


def test_datasets_with_the_same_scores_are_warned_about_by_name(rng):
    """Where that is more than chance: not for ranks, scores of two digits, or those that many datasets have."""
    values = rng.normal(0.8, 0.05, (54, 2)).round(4)
    values[7] = values[3]
    with pytest.warns(bc.RepeatsWarning, match='datasets "dataset 4", "dataset 8" have the same.*drop."dataset 8"'):
        scores = Scores.from_arrays(dict(zip("ab", values.T, strict=True)), metric="accuracy", datasets=54)
    assert len(scores.drop("dataset 8").datasets) == 53
    assert '"dataset 4", "dataset 8" have the same scores' in scores.overview()["copies"]
    values[9] = values[11]
    with pytest.warns(bc.RepeatsWarning, match='"dataset 8" have the same scores in every cell, and so have 1 more'):
        Scores.from_arrays(dict(zip("ab", values.T, strict=True)), metric="accuracy", datasets=54)
    Scores.from_arrays({name: [i] * 9 for i, name in enumerate("abcdefgh")}, metric="rank", datasets=9, **DOWN)
    for coarse in (values.round(2), rng.integers(0, 4, (54, 2)) / 3):
        assert len(np.unique(coarse, axis=0)) < 54
        Scores.from_arrays(dict(zip("ab", coarse.T, strict=True)), metric="accuracy", datasets=54)


def test_units_that_are_not_mixed():
    """Percent that happen to be whole, errors below 1 %, simulated scores, and metrics that have no upper end."""
    Scores.from_arrays({"a": [85, 1, 0], "b": [90, 2, 100]}, metric="accuracy", datasets=3)
    Scores.from_arrays({"a": [0.9, 0.0, 1.02], "b": [0.8, 1.0, 0.9]}, metric="accuracy", datasets=3)
    Scores.from_arrays({"a": [0.9, 25.0], "b": [0.8, 30.5]}, metric="rmse", datasets=2)
    with pytest.warns(bc.ScaleWarning, match='25 of "a" on "dataset 2" stands beside|0.9 of "a" on "dataset 1" stands'):
        Scores.from_arrays({"a": [0.9, 25.0], "b": [0.8, 30.5]}, metric="error rate", datasets=2)


def test_folds_that_are_numbers_in_any_spelling_or_names():
    expected = Scores.from_frame(FOLDS)
    for spelling in (["1", "2", "3"], ["01", "02", "03"], ["1.0", "2", "3"], [" 1", "2 ", "3e0"]):
        assert Scores.from_frame(FOLDS.assign(fold=[*spelling, 1, 2, 3])) == expected
    assert Scores.from_frame(FOLDS.assign(fold=["one", "two", "three"] * 2)).resampling == (Resampling.kfold(3),)
    assert Scores.from_frame(FOLDS.assign(fold=[0, 1, 2] * 2)).keys == (((1, 0), (1, 1), (1, 2)),)


PROMPT = "What is the capital of the country in which the river has its source? " * 60
LONG_CELLS = {
    "a jsonl of prompts": json.dumps({"prompt": PROMPT, "answer": {"text": PROMPT}, "acc": 1}),
    "a jsonl with prompts as scores": json.dumps({"model": "a", "score": PROMPT}),
    "a jsonl with lists as scores": json.dumps({"model": "a", "score": [PROMPT] * 9}),
    "a jsonl with names of columns": json.dumps({PROMPT + x: x for x in "abcdefghijk"}),
    "a jsonl with metrics": json.dumps({"model": "a", PROMPT: "x", PROMPT + "?": "x"}),
    "a jsonl of text": json.dumps(PROMPT),
    "a line that is cut off": '{"model": "' + PROMPT,
    "csv, a name without a score": f"model,dataset,accuracy\n{PROMPT},{PROMPT},\n",
    "csv, duplicates": f"model,dataset,fold,accuracy\n{PROMPT},{PROMPT},1,.5\n{PROMPT},{PROMPT},1,.5\n",
    "csv, duplicates without folds": f"model,dataset,accuracy\n{PROMPT},{PROMPT},.5\n{PROMPT},{PROMPT},.5\n",
    "csv, folds": f"model,fold,accuracy\na,{PROMPT},.5\na,1,.5\n",
    "csv, names that cannot be told apart": f"model,accuracy\n{PROMPT},.5\n{PROMPT.replace(' ', '  ')},.5\n",
    "csv, a metric": f"model,metric,score\na,{PROMPT},.5\n",
    "csv, columns of one name": f"{PROMPT},{PROMPT}\n1,2\n",
    "csv, a wide table": f"{PROMPT},accuracy,{PROMPT}?\n1,2,3\n",
    "csv, a table of text": f"a,b,c\n{PROMPT},{PROMPT},{PROMPT}\n",
    "csv, cells that are not alike": f"dataset,a,b\nx,1%,1%\ny,2%,{PROMPT}\n",
    "csv, an infinite score": f"dataset,{PROMPT},b\n{PROMPT},inf,1\n",
    "csv, percent beside shares": f"dataset,{PROMPT},b\n{PROMPT},.5,85\n",
    "csv, sizes": f"model,fold,n_train,n_test,accuracy\na,1,{PROMPT},1,.5\n",
    "csv, open quotes": f'model,accuracy\n"{PROMPT},.5\n',
}


@pytest.mark.parametrize("content", LONG_CELLS.values(), ids=LONG_CELLS)
@pytest.mark.parametrize("metric", [None, "accuracy"])
def test_no_error_has_more_than_a_few_words_of_a_file(content, metric):
    for options in ({}, {"orient": "models"}, {"model": "modell"}):
        with pytest.raises(ScoresError) as found:
            bc.read_scores(io.StringIO(content), metric=metric, **options)
        assert len(str(found.value)) < 1200
        assert PROMPT[:80] not in str(found.value)


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
    assert "(lower is better)" in found.stdout.splitlines()[0]
    assert "3 datasets" in found.stdout.splitlines()[0]


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
        assert header in repr(result).splitlines()[0], type(result).__name__
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
