"""Traps: inputs that would give a wrong answer without a word, and what is said instead."""

import io
import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

import bayescmp as bc
from bayescmp import Resampling, ResamplingError, RopeError, Scores, ScoresError
from bayescmp.cli import main
from bayescmp.sentences import mean_scores, rope_text
from bayescmp.text import ratio_percent

LABOUR = dict(zip(bc.load_labour().models, bc.load_labour().values[:, 0], strict=True))
TWO = {"rf": [0.9, 0.8, 0.7], "svm": [0.8, 0.8, 0.6]}
WIDE = pd.DataFrame({"dataset": ["x", "y", "z"], "a": [3.1, 2.0, 4.5], "b": [1.1, 1.0, 2.5]})
UNNAMED = WIDE.drop(columns="dataset")
LONG = WIDE.melt("dataset", var_name="model", value_name="score")
SEEDS = pd.DataFrame({"model": ["a", "a", "b", "b"], "seed": [1, 2, 1, 2], "rmse": [3.1, 2.0, 1.1, 1.0]})
FOUND = {"params": [{"C": 1}, {"C": 2}], "split0_test_score": [0.8, 0.9], "split1_test_score": [0.7, 0.9]}
CV = {"rf": {"test_score": [0.9, 0.8]}, "svm": {"test_score": [0.8, 0.8]}}
PAIR = bc.load_labour().pair("SVM", "DT")
UCI = bc.load_uci().pair("rf", "svm")
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
    "a csv of seeds": (
        lambda: read(SEEDS),
        ScoresError,
        ('The column "seed"', "resampling=Resampling.independent()", "resampling=Resampling.runs()"),
    ),
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

# ---- designs, scikit-learn, figures, draws, files and nonsense

POSTERIOR = bc.bayes.correlated_ttest(PAIR, rope=0.01)
GRID = np.linspace(0.7, 0.9, 100).reshape(10, 10)
TRAPS |= {
    "signed_rank_tests without a rope": (lambda: bc.bayes.signed_rank_tests([UCI]), RopeError, ROPE),
    "tost_ttest without a rope": (lambda: bc.frequentist.tost_ttest(PAIR), RopeError, ROPE),
    "repeats x folds without their design": (
        lambda: bc.bayes.correlated_ttest(GRID, GRID.T, rope=0.01),
        ScoresError,
        ("got shape (10, 10)", "resampling=Resampling.kfold(10, repeats=10)"),
    ),
    "a masked table": (
        lambda: Scores.from_arrays({"a": np.ma.masked_less(GRID, 0.8), "b": GRID}, metric="accuracy", datasets=10),
        ScoresError,
        ("`a` must be plain real numbers, got MaskedArray",),
    ),
    "a search with a scorer of another name": (
        lambda: Scores.from_cv_results(SimpleNamespace(cv_results_=FOUND, cv=2, scoring="accuracy"), metric="f1"),
        ScoresError,
        ('has the scores "accuracy"', "got 'f1'"),
    ),
    "cv and resampling": (
        lambda: Scores.from_cross_validate(CV, cv=2, resampling=Resampling.kfold(2), metric="accuracy"),
        ResamplingError,
        ("two names of one thing",),
    ),
    "no blocks left to test on": (
        lambda: Resampling.blocked(5, warm_up=5),
        ResamplingError,
        ("must leave blocks to test on",),
    ),
    "a bootstrap of one case": (lambda: Resampling.bootstrap(1, 10), ResamplingError, ("at least 2, got 1",)),
    "other cases left out than there are": (
        lambda: bc.bayes.correlated_ttest(*GRID[:2], rope=0.01, resampling=Resampling.leave_one_out(57)),
        ResamplingError,
        ("leave-one-out CV of 57 cases makes 57 scores, but each array has 10",),
    ),
    "folds without end": (lambda: Resampling.kfold(10**400), ResamplingError, ("at most 10,000,000 scores",)),
    "-1 folds": (lambda: Resampling.kfold(-1), ResamplingError, ("at least 2, got -1",)),
    "2.5 folds": (lambda: Resampling.kfold(2.5), ResamplingError, ("a whole number", "got 2.5")),
    "a switch for a correlation": (lambda: Resampling.custom(False), ResamplingError, ("in [0, 1), got False",)),
    "sizes of splits as a table": (
        lambda: Resampling.from_sizes([[5], [5]], [[5], [5]]),
        ResamplingError,
        ("lists with one size per split",),
    ),
    "a design from half a file": (
        lambda: Resampling.from_dict({"scheme": "kfold"}),
        ValueError,
        ('an object with a "kind"',),
    ),
    "a prior that is text": (
        lambda: bc.bayes.MultilevelPrior(effects_scale="wide", between_max=1),
        ValueError,
        ("`effects_scale` must be a number, got 'wide'",),
    ),
    "a Series to drop": (
        lambda: bc.load_labour().drop(pd.Series(["SVM"])),
        ScoresError,
        ("one by one, got a Series", "scores.drop(*names)"),
    ),
    "a model renamed to a number": (
        lambda: bc.load_labour().rename({"SVM": 1}),
        ScoresError,
        ('`names` must map names to names, but "SVM" to 1',),
    ),
    "a quantile at 2": (lambda: POSTERIOR.ppf(2), ValueError, ("`q` must be probabilities from 0 to 1, got 2",)),
    "a probability at None": (lambda: POSTERIOR.cdf(None), ValueError, ("`x` must be numbers, got None",)),
    "a probability at NaN": (lambda: POSTERIOR.sf(np.nan), ValueError, ("`x` must be numbers, got nan",)),
    "ropes of bytes": (lambda: POSTERIOR.rope_curve(b"x"), RopeError, ("`ropes`", "b'x'")),
    "three draws": (
        lambda: bc.bayes.signed_rank_test(UCI, rope=0.01, draws=3),
        ValueError,
        ("at least 1,000", "posterior.draws(n)"),
    ),
    "a simplex of one dataset": (
        lambda: bc.compare(bc.load_labour(), rope=0.01).plot("simplex", pair=("SVM", "DT")),
        ValueError,
        ("over many datasets", 'use plot("posterior")'),
    ),
    "a switch in quotes": (
        lambda: bc.compare(bc.load_labour(), rope=0.01).report("report.md", overwrite="False"),
        ValueError,
        ("`overwrite` must be True or False, got 'False'",),
    ),
    "a file with an impossible probability": (
        lambda: bc.frequentist.TestResult.from_dict(bc.frequentist.paired_ttest(PAIR).to_dict() | {"p_value": 7}),
        ValueError,
        ("`p_value` must be between 0 and 1, got 7",),
    ),
    "a file with an unknown scale": (
        lambda: bc.bayes.Posterior.from_dict(POSTERIOR.to_dict() | {"scale": "m"}),
        ValueError,
        ("`scale` must be one of score, log",),
    ),
}


@pytest.fixture
def all_draws(monkeypatch):
    """The limit of draws that users have; the suite lowers it."""
    monkeypatch.setattr("bayescmp.checks.LEAST_DRAWS", 1000)


@pytest.mark.parametrize(("call", "error", "words"), TRAPS.values(), ids=TRAPS)
def test_trap(call, error, words, all_draws, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error) as found:
        call()
    for word in words:
        assert word in str(found.value)
    assert not list(tmp_path.iterdir())


SAID = {
    "the plain t-test of arrays": (
        lambda: bc.frequentist.paired_ttest(*GRID[:2]),
        "the 10 scores are treated as independent; if they are the folds of one dataset they are not",
    ),
    "the plain t-test of folds": (
        lambda: bc.frequentist.paired_ttest(PAIR),
        "the training sets overlap (rho = 0.107): at a nominal level of 0.05 this test rejects about 0.58",
    ),
    "an interval of a mean of arrays": (
        lambda: bc.frequentist.mean_interval(GRID[0]),
        "scores treated as independent",
    ),
    "6 test cases per fold": (lambda: POSTERIOR, "6 test cases per fold: below 30, the score of a fold may be far"),
    "1 test case per fold": (
        lambda: bc.bayes.correlated_ttest(*GRID[:2], rope=0.01, resampling=Resampling.leave_one_out(10)),
        "1 test case per fold: below 30",
    ),
    "few test cases in all pairs": (
        lambda: bc.frequentist.pairwise_ttest(bc.load_labour()),
        "6 test cases per fold: below 30",
    ),
}


@pytest.mark.filterwarnings("ignore::bayescmp.DegenerateWarning")
@pytest.mark.parametrize(("call", "words"), SAID.values(), ids=SAID)
def test_what_is_said_beside_the_answer(call, words):
    assert words in repr(call())


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


@pytest.mark.parametrize("column", ["fold", "repeat", "dataset", "task"])
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
        pytest.param(
            LONG, ["--metric", "rmse", "--resampling", "loo"], ("leave-one-out:57", "blocked:10,1"), id="design"
        ),
        pytest.param(SEEDS, [], ("--resampling independent if", "otherwise --resampling runs"), id="seeds"),
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
    "call",
    [
        ["compare", "bundled:labour"],
        ["test", "sign-test", "bundled:uci", "rf", "svm"],
        ["plot", "matrix", "bundled:uci"],
    ],
)
def test_no_rope_on_the_command_line(call, tmp_path):
    output = ["--output", str(tmp_path / "figure.svg")] if call[0] == "plot" else []
    found = CliRunner().invoke(main, [*call, *output])
    assert found.exit_code == 2
    assert found.stdout == ""
    for word in ("no practical difference", "--rope 0.01", "one percentage point", "Choosing a rope"):
        assert word in " ".join(found.stderr.split())


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


# ---- holes, mixed units, ratios in percent

SIZES = 10.0 ** np.arange(-3, 5)
RMSE = {
    name: SIZES * np.random.default_rng(i).uniform(0.9 + 0.05 * i, 1 + 0.05 * i, 8)
    for i, name in enumerate(("rf", "svm", "nn"))
}
MIXED = Scores.from_arrays(RMSE, metric="rmse", datasets=8)
MIXED_FOLDS = Scores.from_arrays(
    {
        name: (x * SIZES**-0.75)[:, None] * np.linspace(0.9, 1.1, 5) ** (1 + i / 9)
        for i, (name, x) in enumerate(RMSE.items())
    },
    metric="rmse",
    resampling=Resampling.kfold(5),
)
TWO_MIXED = MIXED.pair("rf", "svm")

AVERAGING = {
    "compare": lambda **options: bc.compare(MIXED, rope=0.01, random_seed=1, **options),
    "compare over folds": lambda **options: bc.compare(MIXED_FOLDS, rope=0.01, **options),
    "signed_rank_test": lambda **options: bc.bayes.signed_rank_test(TWO_MIXED, rope=0.01, random_seed=1, **options),
    "signed_rank_tests": lambda **options: bc.bayes.signed_rank_tests([TWO_MIXED], rope=0.01, random_seed=1, **options)[
        0
    ],
    "signed_rank_test of arrays": lambda **options: bc.bayes.signed_rank_test(
        RMSE["rf"], RMSE["svm"], rope=0.01, higher_is_better=False, random_seed=1, **options
    ),
    "hierarchical_ttest": lambda **options: bc.bayes.hierarchical_ttest(
        MIXED_FOLDS.pair("rf", "svm"), rope=0.01, **options
    ),
    "sign_test with a rope": lambda **options: bc.bayes.sign_test(TWO_MIXED, rope=0.01, **options),
    "bradley_terry with a rope": lambda **options: bc.bayes.bradley_terry(MIXED, rope=0.01, random_seed=1, **options),
    "rank_models by score": lambda **options: bc.bayes.rank_models(
        MIXED, rope=0.01, by="score", random_seed=1, **options
    ),
    "wilcoxon_test": lambda **options: bc.frequentist.wilcoxon_test(TWO_MIXED, **options),
    "pairwise_wilcoxon_test": lambda **options: bc.frequentist.pairwise_wilcoxon_test(MIXED, **options),
}


@pytest.mark.parametrize("call", AVERAGING.values(), ids=AVERAGING)
def test_mixed_units_are_refused_unless_allowed(call):
    with pytest.raises(ScoresError, match="must be in the same unit") as found:
        call()
    assert 'compare(scores.transform("log"), rope=0.01)' in str(found.value)
    assert "mixed_units=True" in str(found.value)
    assert 'on "dataset 1"' in str(found.value)
    assert 'on "dataset 8"' in str(found.value)
    assert "the datasets are in mixed units" in " ".join(call(mixed_units=True).notes)
    with pytest.raises(ValueError, match="`mixed_units` must be True or False"):
        call(mixed_units="no")


def test_multilevel_refuses_mixed_units_before_it_draws():
    with pytest.raises(ScoresError, match="`multilevel` puts the differences of all datasets together"):
        bc.bayes.multilevel(MIXED, rope=0.01)


def test_the_line_of_the_message_works():
    """Ratios within the units are what was made up above: rf between 0.9/1.05 and 1/0.95 of svm, whatever the unit."""
    with pytest.raises(ScoresError) as found:
        bc.compare(MIXED, rope=0.01)
    line = str(found.value).splitlines()[1].strip()
    c = eval(line, {"compare": bc.compare, "scores": MIXED})
    rescaled = bc.compare(
        Scores.from_arrays({k: x / SIZES for k, x in RMSE.items()}, metric="rmse", datasets=8).transform("log"),
        rope=0.01,
        random_seed=c.random_seed,
    )
    for one, two in zip(c.posteriors, rescaled.posteriors, strict=True):
        assert one.three == pytest.approx(two.three, abs=1e-12)
        assert one.mean == pytest.approx(two.mean, abs=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda: bc.bayes.sign_test(TWO_MIXED, rope=0), id="sign test, rope 0"),
        pytest.param(lambda: bc.compare(MIXED, rope=0, bayes="sign_test"), id="compare by signs"),
        pytest.param(lambda: bc.bayes.rank_models(MIXED, rope=0, by="rank", random_seed=1), id="ranks"),
        pytest.param(lambda: bc.bayes.plackett_luce(MIXED, random_seed=1), id="plackett_luce"),
        pytest.param(lambda: bc.frequentist.friedman_test(MIXED), id="friedman_test"),
        pytest.param(lambda: bc.frequentist.sign_test(TWO_MIXED), id="frequentist.sign_test"),
        pytest.param(lambda: bc.compare(MIXED.transform("relative"), rope=0.01, random_seed=1), id="relative"),
        pytest.param(
            lambda: bc.compare(MIXED, rope=dict(zip(MIXED.datasets, 0.01 * SIZES, strict=True)), random_seed=1),
            id="ropes",
        ),
    ],
)
def test_ranks_signs_and_scales_take_mixed_units(call):
    assert "rmse (lower is better" in repr(call())


@pytest.mark.parametrize(
    ("metric", "refused"),
    [
        ("rmse", True),
        ("neg_root_mean_squared_error", True),
        ("mean_fit_time", True),
        ("log_loss", True),
        ("error rate", False),
        ("test_accuracy", False),
        ("AUC", False),
        ("r2", False),
        (None, False),
    ],
)
def test_metrics_that_are_shares_have_one_unit(metric, refused):
    """Sizes from 0.001 to 0.5: an error rate may be so, an RMSE is in another unit; without a name nobody knows."""
    tables = {"a": [0.001, 0.02, 0.5], "b": [0.002, 0.03, 0.4]}
    up = True if metric is None else None
    pair = Scores.from_arrays(tables, metric=metric, higher_is_better=up, datasets=3).pair("a", "b")
    if refused:
        with pytest.raises(ScoresError, match="in the same unit"):
            bc.bayes.signed_rank_test(pair, rope=0)
    else:
        bc.bayes.signed_rank_test(pair, rope=0, random_seed=1)


@pytest.mark.parametrize(("largest", "refused"), [(9.9, False), (10.0, False), (10.1, True)])
def test_units_are_mixed_from_a_tenfold_typical_size_on(largest, refused):
    pair = Scores.from_arrays({"a": [1, 1, largest], "b": [1, 1, largest]}, metric="mae", datasets=3).pair("a", "b")
    if refused:
        with pytest.raises(ScoresError, match=r'a typical mae is 1 on "dataset 1" and 10 on "dataset 3"'):
            bc.frequentist.wilcoxon_test(pair)
    else:
        with pytest.warns(bc.DegenerateWarning):
            bc.frequentist.wilcoxon_test(pair)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--rope", "0.01"], ("--scale log --rope 0.01", "--bayes sign-test --rope 0", "--mixed-units")),
        (["--rope", "0.01", "--mixed-units"], ()),
        (["--rope", "0.01", "--scale", "log"], ()),
        (["--rope", "0", "--bayes", "sign-test"], ()),
    ],
)
def test_mixed_units_on_the_command_line(tmp_path, options, words):
    path = tmp_path / "rmse.csv"
    pd.DataFrame({"dataset": MIXED.datasets, **RMSE}).to_csv(path, index=False)
    found = CliRunner().invoke(main, ["compare", str(path), "--metric", "rmse", "--seed", "1", *options])
    assert found.exit_code == (2 if words else 0)
    for word in words:
        assert word in found.stderr
    assert "mixed_units" not in found.stderr
    test = ["test", "signed-rank-test", str(path), "rf", "svm", "--metric", "rmse", "--seed", "1"]
    assert CliRunner().invoke(main, [*test, "--rope", "0.01", "--mixed-units"]).exit_code == 0
    assert "--mixed-units" in CliRunner().invoke(main, [*test, "--rope", "0.01"]).stderr


@pytest.mark.parametrize(
    ("up", "d", "expected"),
    [
        (True, np.log(1.08), 8.0),
        (True, np.log(0.92), -8.0),
        (False, -np.log(0.92), 8.0),
        (False, -np.log(1.08), -8.0),
        (False, 0.0, 0.0),
    ],
)
@pytest.mark.oracle("Scores.transform", "closed form: a factor of 1.08 is 8 % higher, one of 0.92 is 8 % lower")
def test_a_log_ratio_in_percent(up, d, expected):
    """A's score is that factor of B's on every fold: what is printed is what was put in."""
    assert ratio_percent(d, "log", up) == pytest.approx(expected, abs=1e-12)
    factor = np.exp(d if up else -d)
    scores = {"a": factor * np.array([1.0, 2.0, 4.0]), "b": [1.0, 2.0, 4.0]}
    table = Scores.from_arrays(scores, metric="x", higher_is_better=up, resampling=Resampling.kfold(3))
    with pytest.warns(bc.DegenerateWarning):
        posterior = bc.bayes.correlated_ttest(table.transform("log").pair("a", "b"), rope=0.01)
    assert f"every difference is {expected:g} %" in repr(posterior)
    assert f"mean difference {expected:.4g} %" in repr(table.transform("log").pair("a", "b"))


@pytest.mark.parametrize(
    ("rope", "up", "text"),
    [
        (0.01, True, "±1 % (log scale)"),
        (0.01, False, "±1 % (log scale)"),
        (0.1, True, "[-9.5 %, 10.5 %] (log scale)"),  # e^-0.1 = 0.905, e^0.1 = 1.105
        (0.1, False, "[-10.5 %, 9.5 %] (log scale)"),
        ((0, np.log(2)), True, "[0 %, 100 %] (log scale)"),
        ((0, np.log(2)), False, "[0 %, 50 %] (log scale)"),
        (0, True, "0"),
    ],
)
def test_a_rope_of_log_ratios_in_percent(rope, up, text):
    assert rope_text(bc.Rope.of(rope), "log", up) == text
    assert rope_text(bc.Rope.of(0.015), "relative", up) == "±1.5 % (relative scale)"


@pytest.mark.parametrize(
    ("a", "up", "words"),
    [
        ("rf", False, "rf's x is 10.0 % lower on average, 95% HDI 5.0 % to 14.7 %"),
        ("svm", False, "svm's x is 11.1 % higher on average, 95% HDI 5.3 % to 17.3 %"),
        ("rf", True, "rf's x is 10.0 % lower on average, 95% HDI 5.0 % to 14.7 %"),
        ("svm", True, "svm's x is 11.1 % higher on average, 95% HDI 5.3 % to 17.3 %"),
    ],
)
def test_a_ratio_in_words(a, up, words):
    """A Student t of log ratios around log 0.9 whose 95 % HDI is log 0.9 -+ log(0.95/0.9): 0.9 and 1/0.9 by name."""
    centre, half = np.log(0.9), np.log(0.95 / 0.9)
    noise = np.array([-1.5, -0.5, 0.5, 1.5, -1.0, 1.0])
    noise *= half / (stats.t.ppf(0.975, 5) * noise.std(ddof=1) / np.sqrt(6))
    scores = Scores.from_arrays(
        {"rf": np.exp(centre + noise), "svm": np.ones(6)},
        metric="x",
        higher_is_better=up,
        resampling=Resampling.independent(),
    ).transform("log")
    posterior = bc.bayes.correlated_ttest(scores.pair(a, "svm" if a == "rf" else "rf"), rope=0.01)
    assert words in repr(posterior)
    assert "rope ±1 % (log scale)" in repr(posterior)
    assert "x (" in repr(posterior).splitlines()[0]
    assert "is better, log scale)" in repr(posterior).splitlines()[0]
    leader = "svm" if up else "rf"
    better = words if a == leader else {"svm": "svm's x is 11.1 % higher", "rf": "rf's x is 10.0 % lower"}[leader]
    assert better in posterior.sentence()
    test = bc.frequentist.paired_ttest(scores.pair(a, "svm" if a == "rf" else "rf"))
    assert words.replace("HDI", "CI") in repr(test)
    assert words.replace("HDI", "CI") in test.sentence()


def test_an_interval_on_both_sides_of_zero_names_both():
    values = np.exp(np.array([-0.2, -0.1, 0.1, 0.3, 0.0]))
    scores = Scores.from_arrays(
        {"a": values, "b": np.ones(5)}, metric="rmse", resampling=Resampling.independent()
    ).transform("log")
    text = repr(bc.bayes.correlated_ttest(scores.pair("a", "b"), rope=0.01))
    assert "a's rmse is 2 % higher on average" in text
    assert "% higher to" in text
    assert "% lower" in text


@pytest.mark.parametrize("scale", ["log", "relative"])
def test_every_header_axis_and_sentence_of_ratios_is_in_percent(tmp_path, scale):
    scores = MIXED_FOLDS.transform(scale)
    c = bc.compare(scores, rope=0.01, random_seed=1)
    mark, rope = f"(lower is better, {scale} scale)", f"rope ±1 % ({scale} scale)"
    pair = scores.pair("rf", "svm")
    posterior = bc.bayes.correlated_ttest(pair, rope=0.01, dataset="dataset 1")
    for result in (c, posterior, c.posteriors[0], c.ranking_posterior()):
        heading = 2 if isinstance(result, bc.Comparison) else 0  # below the answer
        assert mark in repr(result).splitlines()[heading], type(result).__name__
        assert rope in repr(result), type(result).__name__
    for result in (scores, pair, c.pairs[0].test, c.tests):
        assert mark in repr(result).splitlines()[0], type(result).__name__
    assert "A lower by" in repr(c)
    assert "A lower by" in c.to_markdown()
    assert "A lower by" in c.to_latex()
    assert rope.replace("rope", "(rope)") in c.methods_text()
    assert all(" % " in text for text in c.sentences())
    for ending in ("md", "tex", "html"):
        text = c.report(tmp_path / f"report.{ending}").read_text(encoding="utf-8")
        assert mark in text
        assert ("1 \\% " if ending == "tex" else "±1 % ") + f"({scale} scale)" in text
        assert "A lower by" in text
    for ax in (
        bc.plots.plot_posterior(posterior),
        bc.plots.plot_hdi(posterior),
        bc.plots.plot_forest(c),
        bc.plots.plot_differences(pair, rope=0.01),
        bc.plots.plot_rope_curve(posterior),
    ):
        label = " ".join(ax.get_xlabel().split())
        assert "percent" in label
        assert f"{scale} scale" in label
        ax.figure.canvas.draw()
        assert all(tick.get_text().endswith(" %") for tick in ax.get_xticklabels())
    assert rope in bc.plots.alt_text(posterior)


@pytest.mark.parametrize("up", [True, False])
def test_ticks_of_ratios_stand_where_their_percentages_are(up):
    values = np.exp(np.random.default_rng(0).normal(0.05, 0.1, (3, 10)))
    table = {"a": values, "b": np.ones((3, 10))}
    scores = Scores.from_arrays(table, metric="x", higher_is_better=up, resampling=Resampling.kfold(10))
    ax = bc.plots.plot_differences(scores.transform("log").pair("a", "b"))
    ax.figure.canvas.draw()
    for place, label in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True):
        shown = float(label.get_text().removesuffix(" %"))
        factor = 1 + shown / 100 if up else 1 / (1 - shown / 100)
        assert np.exp(place) == pytest.approx(factor, rel=1e-6)


def test_geometric_means_in_the_ranking_of_log_scores():
    """The mean of logarithms is shown as what it is: the geometric mean, here 10 and 20 by construction."""
    table = {"a": [1.0, 100.0], "b": [2.0, 200.0], "c": [2.0, 200.0]}
    ranking = bc.bayes.rank_models(
        Scores.from_arrays(table, metric="rmse", datasets=2).transform("log"), rope=0.01, random_seed=1
    )
    assert mean_scores(ranking) == ("geometric mean", ["10.0", "20.0", "20.0"])


# ---- holes


def with_holes(cells, models=5, datasets=30):
    values = np.random.default_rng(1).normal(0.8, 0.05, (models, datasets)) + 0.02 * np.arange(models)[:, None]
    for m, d in cells:
        values[m, d] = np.nan
    frame = pd.DataFrame(values.T, columns=[f"m{i}" for i in range(models)])
    frame["dataset"] = [f"d{i}" for i in range(datasets)]
    return Scores.from_frame(frame.melt("dataset", var_name="model", value_name="score").dropna(), metric="accuracy")


@pytest.mark.filterwarnings("ignore::bayescmp.MissingWarning")
def test_the_ranking_names_the_datasets_that_it_rests_on(tmp_path):
    """17 of 150 cells are missing, each on another dataset: the bootstrap has 13 of 30 datasets left, and says so."""
    scores = with_holes([(i % 5, i) for i in range(17)])
    c = bc.compare(scores, rope=dict.fromkeys(scores.datasets, 0.01), random_seed=1, bayes="sign_test")
    used, caution = "13 of 30 datasets", "All models were run on 13 of 30 datasets only"
    assert repr(c).splitlines()[2].startswith("5 models, 30 datasets (13 with all models)")
    assert caution in repr(c).splitlines()[3]
    assert f"Ranking by mean score over {used}:" in repr(c)
    assert c.cautions()[0].startswith(caution)
    assert caution in c.explain()
    ranking = c.ranking_posterior()
    assert used in repr(ranking).splitlines()[0]
    assert sorted(ranking.left_out) == sorted(f"d{i}" for i in range(17))
    frame = c.ranking()
    assert set(zip(frame["n"], frame["of_datasets"], strict=True)) == {(13, 30)}
    assert bc.bayes.RankingPosterior.from_json(ranking.to_json()).left_out == ranking.left_out
    assert used in bc.plots.alt_text(ranking)
    assert f"over {used}" in c.methods_text()
    for kind in ("p_best", "rank_distribution", "ranking_groups"):
        assert used in " ".join(c.plot(kind).get_xlabel().split())
    for ending in ("md", "tex", "html"):
        text = c.report(tmp_path / f"report.{ending}").read_text(encoding="utf-8")
        assert caution in text
        first, pairs = (
            text.index(caution),
            text.index({"md": "## Pairs", "tex": "{Pairs}", "html": 'id="pairs"'}[ending]),
        )
        assert first < pairs
        assert text.count(used) > 2
    strengths = bc.bayes.plackett_luce(scores, random_seed=1)
    assert used in repr(strengths).splitlines()[0]


@pytest.mark.filterwarnings("ignore::bayescmp.MissingWarning")
@pytest.mark.parametrize(("lost", "caution"), [(0, False), (6, False), (7, True)])
def test_more_than_a_fifth_is_a_caution(lost, caution):
    c = bc.compare(with_holes([(1, i) for i in range(lost)], models=3), rope=0.01, random_seed=1)
    assert ("CAUTION" in repr(c)) == caution
    assert any(f"run on {30 - lost} of 30 datasets" in text for text in c.cautions()) == caution
    ranking = c.ranking_posterior()
    assert (f"{lost} of 90 results are missing: the model fills them in" in repr(ranking)) == (lost > 0)
    assert len(ranking.datasets) == 30


@pytest.mark.filterwarnings("ignore::bayescmp.MissingWarning")
def test_two_models_with_holes_have_the_caution_as_well(tmp_path):
    c = bc.compare(with_holes([(1, i) for i in range(10)], models=2), rope=0.01, random_seed=1)
    assert "CAUTION: The comparison rests on 20 of 30 datasets" in repr(c).splitlines()[3]
    assert "(m1 on 10)" in c.cautions()[0]


@pytest.mark.filterwarnings("ignore::bayescmp.MissingWarning")
def test_holes_on_the_command_line(tmp_path):
    path = tmp_path / "scores.csv"
    with_holes([(i % 5, i) for i in range(17)]).to_frame().drop(columns=["repeat", "fold"]).to_csv(path, index=False)
    call = ["compare", str(path), "--rope", "0.01", "--seed", "1"]
    assert "run on 13 of 30 datasets" in CliRunner().invoke(main, call).stdout.splitlines()[3]
    found = json.loads(CliRunner().invoke(main, [*call, "--format", "json"]).stdout)
    assert {(row["n"], row["of_datasets"]) for row in found["ranking"]} == {(30, 30)}
    assert any("run on 13 of 30 datasets" in note for note in found["notes"])


# ---- names, estimands, files


def test_a_rope_for_a_dataset_that_is_not_there():
    scores = bc.load_domains()
    ropes = dict.fromkeys(scores.datasets, 1.0) | {f"{scores.datasets[0]}x": 1.0}
    for call in (bc.compare, bc.bayes.rank_models, bc.bayes.bradley_terry):
        with pytest.raises(RopeError, match=f'no dataset "{scores.datasets[0]}x".*Did you mean "{scores.datasets[0]}"'):
            call(scores, rope=ropes)
    with pytest.raises(RopeError, match='no dataset "labor"'):
        bc.compare(bc.load_labour(), rope={bc.load_labour().datasets[0]: 0.01, "labor": 0.01})


@pytest.mark.parametrize("school", ["bayes", "frequentist"])
def test_a_misspelt_test_has_its_nearest_name(school):
    with pytest.raises(ScoresError, match=r'no test "sgin_test"\. Did you mean "sign_test"'):
        bc.compare(bc.load_domains(), rope=1, **{school: "sgin_test"})


@pytest.mark.parametrize(
    ("estimand", "shown"),
    [
        ("mean difference of the two models on this dataset", "mean difference 0."),
        ("median difference over datasets", "median difference 0."),
        ("difference of the two models' means over runs", "mean difference 0."),
        ("share of wins", "share of wins 0."),
    ],
)
def test_a_posterior_prints_what_it_estimates(estimand, shown):
    posterior = replace(bc.bayes.correlated_ttest(PAIR, rope=0.01), estimand=estimand)
    assert f"\n  {shown}" in repr(posterior)
    assert shown in posterior.sentence()


def test_sentences_have_no_raw_terminal_escapes():
    table = {"rf\x1b[31m": LABOUR["SVM"], "tree\x07": LABOUR["DT"]}
    scores = Scores.from_arrays(table, metric="error rate", resampling=Resampling.kfold(10, repeats=10))
    c = bc.compare(scores, rope=0.01)
    for text in (*c.sentences(), c.pairs[0].posterior.sentence(), c.pairs[0].test.sentence()):
        assert text.isprintable()
        assert "\\x1b" in text


@pytest.mark.parametrize("make", [
    lambda: bc.bayes.correlated_ttest(PAIR, rope=0.01),
    lambda: bc.bayes.sign_test(bc.load_uci().pair("rf", "svm"), rope=0.01),
    lambda: bc.bayes.rank_models(bc.load_domains(), rope=1, random_seed=1),
])  # fmt: skip
def test_an_edited_summary_or_count_is_not_read(make):
    result = make()
    data = result.to_dict()
    assert type(result).from_dict(data) == result
    name, numbers = next(iter(data["summary"].items()))
    key = next(iter(numbers))
    with pytest.raises(ValueError, match=r"summary must be that of the other fields"):
        type(result).from_dict(data | {"summary": data["summary"] | {name: numbers | {key: 0.123}}})
    for n in (-1, 0):
        with pytest.raises(ValueError, match="`n` must be a whole number of at least 1"):
            type(result).from_dict(data | {"n": n})
    test = bc.frequentist.corrected_ttest(PAIR).to_dict()
    with pytest.raises(ValueError, match="`n` must be a whole number of at least 0"):
        bc.frequentist.TestResult.from_dict(test | {"n": -5})
