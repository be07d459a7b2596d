"""Traps: inputs that would give a wrong answer without a word, and what is said instead."""

import io
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import bayescmp as bc
from bayescmp import Resampling, ResamplingError, RopeError, Scores, ScoresError
from bayescmp.cli import main

LABOUR = dict(zip(bc.load_labour().models, bc.load_labour().values[:, 0], strict=True))
TWO = {"rf": [0.9, 0.8, 0.7], "svm": [0.8, 0.8, 0.6]}
WIDE = pd.DataFrame({"dataset": ["x", "y", "z"], "a": [3.1, 2.0, 4.5], "b": [1.1, 1.0, 2.5]})
UNNAMED = WIDE.drop(columns="dataset")
LONG = WIDE.melt("dataset", var_name="model", value_name="score")
FOUND = {"params": [{"C": 1}, {"C": 2}], "split0_test_score": [0.8, 0.9], "split1_test_score": [0.7, 0.9]}
CV = {"rf": {"test_score": [0.9, 0.8]}, "svm": {"test_score": [0.8, 0.8]}}
PAIR = bc.load_labour().pair("SVM", "DT")
UCI = bc.load_uci().pair("rf", "svm")
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

# ---- designs, scikit-learn, figures, draws, files and nonsense

POSTERIOR = bc.bayes.correlated_ttest(PAIR, rope=0.01)
FOLDS = np.linspace(0.7, 0.9, 100).reshape(10, 10)
TRAPS |= {
    "signed_rank_tests without a rope": (lambda: bc.bayes.signed_rank_tests([UCI]), RopeError, ROPE),
    "tost_ttest without a rope": (lambda: bc.frequentist.tost_ttest(PAIR), RopeError, ROPE),
    "repeats x folds without their design": (
        lambda: bc.bayes.correlated_ttest(FOLDS, FOLDS.T, rope=0.01),
        ScoresError,
        ("got shape (10, 10)", "resampling=Resampling.kfold(10, repeats=10)"),
    ),
    "a masked table": (
        lambda: Scores.from_arrays({"a": np.ma.masked_less(FOLDS, 0.8), "b": FOLDS}, metric="accuracy", datasets=10),
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
        lambda: bc.bayes.correlated_ttest(*FOLDS[:2], rope=0.01, resampling=Resampling.leave_one_out(57)),
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
        lambda: bc.frequentist.paired_ttest(*FOLDS[:2]),
        "the 10 scores are treated as independent; if they are the folds of one dataset they are not",
    ),
    "the plain t-test of folds": (
        lambda: bc.frequentist.paired_ttest(PAIR),
        "the training sets overlap (rho = 0.107): at a nominal level of 0.05 this test rejects about 0.58",
    ),
    "an interval of a mean of arrays": (
        lambda: bc.frequentist.mean_interval(FOLDS[0]),
        "scores treated as independent",
    ),
    "6 test cases per fold": (lambda: POSTERIOR, "6 test cases per fold: below 30, the score of a fold may be far"),
    "1 test case per fold": (
        lambda: bc.bayes.correlated_ttest(*FOLDS[:2], rope=0.01, resampling=Resampling.leave_one_out(10)),
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
        pytest.param(
            LONG, ["--metric", "rmse", "--resampling", "loo"], ("leave-one-out:57", "blocked:10,1"), id="design"
        ),
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
