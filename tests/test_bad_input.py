"""Every kind of bad input: which error, and the words that tell what is wrong, what it must be and what to do."""

import ast
import builtins
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import poisson

import bayescmp as bc
from bayescmp import Resampling, ResamplingError, RopeError, Scores, ScoresError

NAN, INF = float("nan"), float("inf")
TEN = list(np.linspace(0.7, 0.9, 10))


def t_test(a, b, **options):
    return bc.bayes.correlated_ttest(a, b, **({"rope": 0.01, "resampling": Resampling.kfold(max(len(a), 2))} | options))


def long(**columns):
    n = max(len(c) for c in columns.values())
    return pd.DataFrame({"model": ["rf", "svm"] * (n // 2), **columns})


def read(tmp_path, content, name="results.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return bc.read_scores(path)


ARRAYS = {
    "nan": (
        lambda: t_test([0.9, NAN, NAN], [0.8, 0.7, 0.6]),
        ScoresError,
        "2 of 3 are NaN",
        "position 1",
        "error_score",
    ),
    "inf": (lambda: t_test([0.9, 0.8, INF], [0.8, 0.7, 0.6]), ScoresError, "infinite", "`A`, position 2"),
    "lengths": (lambda: t_test(TEN, TEN[:9]), ScoresError, "same folds", "10 scores", "9", "welch_ttest"),
    "one score": (
        lambda: t_test([0.9], [0.8], resampling=Resampling.custom(0.1)),
        ScoresError,
        "at least 2 paired scores",
        "has 1",
    ),
    "text": (lambda: t_test(["good", "bad"], [0.8, 0.7]), ScoresError, "`A` must be numbers", "'good'"),
    "empty": (lambda: t_test([], [], resampling=Resampling.kfold(2)), ScoresError, "`A` are empty", "at least 2"),
    "two-dimensional": (lambda: t_test([[0.9, 0.8]], [[0.7, 0.8]]), ScoresError, "one-dimensional", "(1, 2)"),
    "one array": (lambda: bc.bayes.correlated_ttest(TEN, rope=0.01), ScoresError, "Give a pair, or two arrays"),
    "no design": (
        lambda: t_test(TEN, TEN, resampling=None),
        ResamplingError,
        "resampling design",
        "Resampling.kfold(folds",
    ),
    "averages over folds": (
        lambda: t_test(TEN, TEN[::-1], resampling=Resampling.kfold(5, repeats=10)),
        ResamplingError,
        "makes 50 scores",
        "has 10",
        "averages over the folds",
    ),
    "k*r is not n": (
        lambda: t_test(TEN, TEN[::-1], resampling=Resampling.kfold(3, repeats=3)),
        ResamplingError,
        "3 x 3-fold CV makes 9 scores",
        "has 10",
    ),
    "rho of 1": (lambda: Resampling.custom(1), ResamplingError, "`rho` must be in [0, 1)", "got 1"),
    "rho negative": (lambda: Resampling.custom(-0.1), ResamplingError, "`rho`", "got -0.1"),
    "rho nan": (lambda: Resampling.custom(NAN), ResamplingError, "`rho`", "got nan"),
    "one fold": (lambda: Resampling.kfold(1), ResamplingError, "`folds`", "at least 2", "got 1"),
    "half a fold": (lambda: Resampling.kfold(2.5), ResamplingError, "`folds` must be a whole number"),
    "no test cases": (lambda: Resampling.subsampling(50, 0, 10), ResamplingError, "`n_test` must be positive"),
    "sizes differ": (lambda: Resampling.from_sizes([5, 5], [1]), ResamplingError, "one size per split", "2 and 1"),
    "rope negative": (lambda: t_test(TEN, TEN, rope=-0.01), RopeError, "must not be negative", "-0.01"),
    "rope reversed": (
        lambda: t_test(TEN, TEN, rope=(0.02, -0.01)),
        RopeError,
        "from low to high",
        "rope=(-0.01, 0.02)",
    ),
    "rope nan": (lambda: t_test(TEN, TEN, rope=NAN), RopeError, "must be a number, got NaN"),
    "rope from nan": (lambda: bc.Rope(NAN, 0.1), RopeError, "must be a number, got NaN"),
    "rope to nan": (lambda: bc.Rope(-0.1, NAN), RopeError, "must be a number, got NaN"),
    "rope text": (lambda: t_test(TEN, TEN, rope="wide"), RopeError, "a number, a (low, high) pair or a Rope", "'wide'"),
    "rope of three": (lambda: t_test(TEN, TEN, rope=(1, 2, 3)), RopeError, "(low, high)", "3 values"),
    "rope without 0": (lambda: t_test(TEN, TEN, rope=(0.01, 0.02)), RopeError, "must contain 0", "(0.01, 0.02)"),
    "rope that is a switch": (lambda: t_test(TEN, TEN, rope=True), RopeError, "must be a number", "True"),
    "rope in quotes": (lambda: t_test(TEN, TEN, rope="0.01"), RopeError, "must be a number"),
    "design that is a number": (
        lambda: t_test(TEN, TEN, resampling=10),
        ResamplingError,
        "must be a Resampling, got 10",
    ),
    "folds as text": (lambda: Resampling.kfold("ten"), ResamplingError, "`folds` must be a whole number"),
    "folds nan": (lambda: Resampling.kfold(NAN), ResamplingError, "`folds` must be a whole number"),
    "rho as text": (lambda: Resampling.custom("x"), ResamplingError, "`rho`"),
    "direction as text": (
        lambda: t_test(TEN, TEN, higher_is_better="False"),
        ScoresError,
        "`higher_is_better` must be True or False",
    ),
    "masked": (lambda: t_test(np.ma.array([1.0, 2.0], mask=[0, 1]), [1.0, 2.0]), ScoresError, "plain real numbers"),
    "series in another order": (
        lambda: t_test(pd.Series([1.0, 2.0], index=[1, 2]), pd.Series([1.0, 2.0], index=[2, 1])),
        ScoresError,
        "same index",
    ),
    "differences too large": (lambda: t_test([1.5e308, 1.0], [-1.5e308, 1.0]), ScoresError, "to be finite"),
    "one chain": (
        lambda: t_test(TEN, np.square(TEN), engine="nuts", chains=1),
        ValueError,
        "`chains` must be at least 2",
    ),
    **{
        f"{name} of NUTS": (
            lambda option={name: value}: t_test(TEN, np.square(TEN), engine="nuts", **option),
            ValueError,
            f"`{name}` must be",
            f"got {value!r}",
        )
        for name, value in {"draws": 0, "tune": -1, "chains": 2.5, "cores": "two"}.items()
    },
    "not a result": (
        lambda: bc.bayes.Posterior.from_dict({"kind": "difference"}),
        ValueError,
        "must have a kind of",
        "'difference'",
    ),
    "rope of text": (lambda: bc.Rope("a", "b"), RopeError, "made of numbers"),
    "a pair and an array": (
        lambda: bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), TEN, rope=0.01),
        ScoresError,
        "A pair has both models",
    ),
    "HDI of counts": (lambda: bc.bayes.hdi(poisson(3)), ValueError, "needs a continuous distribution"),
    "a mass of 400 digits": (lambda: bc.bayes.hdi(TEN, 10**400), ValueError, "`mass`", "401 digits"),
    "nu below 0": (
        lambda: bc.bayes.HierarchicalPrior(delta_0_bound=1, sigma_0_max=1, sigma_max=1, nu_shift=-1),
        ValueError,
        "`nu_shift` must be 0 or more, got -1",
    ),
    "a spread times 1000 too large": (
        lambda: bc.bayes.hierarchical_ttest(
            [[1e303, 2e303, 4e303]] * 3, [[0.0, 1.0, 2.0]] * 3, rope=1, resampling=Resampling.kfold(3)
        ),
        ScoresError,
        "Change the unit",
    ),
    "an unknown model": (
        lambda: bc.bayes.pymc_model("bayes", bc.load_uci().pair("rf", "svm")),
        ValueError,
        "`name` must be one of",
        "got 'bayes'",
    ),
    "a sign model without a rope": (
        lambda: bc.bayes.pymc_model("sign_test", bc.load_uci().pair("rf", "svm")),
        RopeError,
        "give rope=",
    ),
    "curve of many pairs": (
        lambda: bc.plots.plot_rope_curve(bc.bayes.rank_models(bc.load_uci(), rope=0.01, random_seed=1)),
        ValueError,
        "the posterior of one pair, got RankingPosterior",
    ),
    "curve up to infinity": (
        lambda: bc.plots.plot_rope_curve(t_test(TEN, np.square(TEN), rope=INF)),
        ValueError,
        "has no end: give `ropes`",
    ),
    "forest of the sign test": (
        lambda: bc.plots.plot_forest(bc.compare(bc.load_domains(), rope=1, bayes="sign_test")),
        ValueError,
        "has no mean difference",
    ),
}


@pytest.mark.parametrize(("call", "error", "words"), [(v[0], v[1], v[2:]) for v in ARRAYS.values()], ids=ARRAYS)
def test_arrays_and_arguments(call, error, words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
    assert isinstance(caught.value, ValueError)


TABLES = {
    "unknown model": (lambda: bc.load_labour().pair("SVN", "DT"), ScoresError, 'no model "SVN"', 'mean "SVM"', "Known"),
    "unknown dataset": (lambda: bc.load_domains().select(datasets=["domain 11"]), ScoresError, "domain 1"),
    "model twice": (lambda: bc.load_labour().pair("DT", "DT"), ScoresError, 'got "DT" twice'),
    "three models": (
        lambda: bc.bayes.correlated_ttest(bc.load_labour(), rope=0.01),
        ScoresError,
        "scores of 3 models",
        "scores.pair(",
    ),
    "drop unknown": (lambda: bc.load_labour().drop("XX"), ScoresError, 'no model or dataset "XX"'),
    "rename to one name": (lambda: bc.load_labour().rename({"DT": "SVM"}), ScoresError, "its own name"),
    "not a frame": (lambda: Scores.from_frame([1, 2]), ScoresError, "must be a frame", "list"),
    "empty frame": (lambda: Scores.from_frame(pd.DataFrame()), ScoresError, "must have rows, got none"),
    "named column missing": (
        lambda: Scores.from_frame(long(score=[1, 2]), model="modell"),
        ScoresError,
        'no column "modell"',
        'Did you mean "model"',
    ),
    "no score column": (lambda: Scores.from_frame(long(x=["a", "b"])), ScoresError, "column of scores", '"x"'),
    "text in scores": (
        lambda: Scores.from_frame(long(score=[0.9, "failed"])),
        ScoresError,
        '"score" must hold numbers',
        "'failed' in row 2",
    ),
    "nan in long table": (
        lambda: Scores.from_frame(long(score=[0.9, 0.8, 0.7, NAN], dataset=list("xxyy"))),
        ScoresError,
        "1 of 4 are NaN",
        'model "svm", dataset "y", row 4',
        "error_score",
    ),
    "no model in a row": (
        lambda: Scores.from_frame(pd.DataFrame({"model": ["rf", None], "score": [1, 2]})),
        ScoresError,
        "row 2 has none",
    ),
    "duplicates": (
        lambda: Scores.from_frame(long(score=[0.9, 0.8, 0.7, 0.6], dataset=["x"] * 4, fold=[1, 1, 1, 2])),
        ScoresError,
        "1 are duplicated",
        'model "rf", dataset "x", repeat 1, fold 1 is there 2 times',
    ),
    "duplicates without folds": (
        lambda: Scores.from_frame(long(score=[0.9, 0.8, 0.7, 0.6], dataset=["x"] * 4)),
        ScoresError,
        "up to 2 scores of one model on one dataset",
        "`fold`",
        "resampling=",
    ),
    "missing folds": (
        lambda: Scores.from_frame(
            pd.DataFrame(
                {
                    "model": ["rf"] * 6 + ["svm"] * 4,
                    "fold": [1, 2, 3, 1, 2, 3, 1, 2, 3, 1],
                    "repeat": [1] * 3 + [2] * 3 + [1] * 3 + [2],
                    "score": np.linspace(0.1, 0.9, 10),
                }
            ),
            metric="accuracy",
        ).pair("rf", "svm"),
        ScoresError,
        "`rf` has 6 scores",
        "`svm` has 4",
        "Missing for `svm`: repeat 2, folds 2-3",
        "scores.drop(",
    ),
    "no common dataset": (
        lambda: Scores.from_frame(long(score=[0.9, 0.8], dataset=["x", "y"]), higher_is_better=True).pair("rf", "svm"),
        ScoresError,
        "no dataset on which both",
    ),
    "unknown metric direction": (
        lambda: Scores.from_arrays({"a": TEN, "b": TEN}, metric="zorp", datasets=10),
        ScoresError,
        'metric "zorp" is not known',
        "higher_is_better=",
    ),
    "several metrics": (
        lambda: Scores.from_frame(long(accuracy=[0.9, 0.8], rmse=[1, 2])).pair("rf", "svm"),
        ScoresError,
        "2 metrics",
        'select(metric="accuracy")',
        "split_metrics",
    ),
    "metric not there": (
        lambda: Scores.from_frame(long(score=[1, 2], metric=["f1", "f1"]), metric="f2"),
        ScoresError,
        'no metric "f2"',
    ),
    "wide with one model": (
        lambda: Scores.from_frame(pd.DataFrame({"dataset": ["x"], "rf": [0.9]})),
        ScoresError,
        "neither long",
        '"dataset", "rf"',
    ),
    "names that are the same": (
        lambda: Scores.from_arrays({1: TEN, "1": TEN}, higher_is_better=True, datasets=10),
        ScoresError,
        "its own name",
    ),
    "selected twice": (lambda: bc.load_labour().select(models=["DT", "DT"]), ScoresError, "selected once"),
    "nothing left": (lambda: bc.load_labour().drop("labour"), ScoresError, "must be left"),
    "negated by name": (
        lambda: Scores.from_arrays({"a": TEN, "b": TEN}, metric="-rmse", datasets=10),
        ScoresError,
        'metric "-rmse" is not known',
    ),
    "direction of two metrics": (
        lambda: Scores.from_frame(long(accuracy=[0.9, 0.8], rmse=[1, 2]), higher_is_better=True),
        ScoresError,
        "is for one metric",
    ),
    "asked for another metric": (
        lambda: Scores.from_frame(long(accuracy=[0.9, 0.8]), metric="f1"),
        ScoresError,
        'no metric "f1"',
    ),
    "wide with a column that is no model": (
        lambda: Scores.from_frame(
            pd.DataFrame({"dataset": list("xy"), "a": [1.0, 2], "b": [1.0, 2], "time": [9.0, 9]})
        ),
        ScoresError,
        '"time" may not be models',
        "models=['a', 'b']",
    ),
    "wide with flags": (
        lambda: Scores.from_frame(pd.DataFrame({"fold": [1, 2], "a": [1.0, 2], "b": [1.0, 2], "ok": [True, False]})),
        ScoresError,
        '"ok" (first: True)',
    ),
    "wide with text beside folds": (
        lambda: Scores.from_frame(pd.DataFrame({"fold": [1, 2], "host": ["g", "h"], "a": [1.0, 2], "b": [1.0, 2]})),
        ScoresError,
        '"host"',
    ),
    "two columns for one role": (
        lambda: Scores.from_frame(long(score=[1, 2], run=[1, 1], seed=[7, 8])),
        ScoresError,
        'Both "run", "seed" could be the repeat',
    ),
    "splits of different sizes": (
        lambda: Scores.from_frame(long(score=[1, 2], n_train=[90, 50], n_test=[10, 50])),
        ScoresError,
        "same splits",
        "`n_train`",
    ),
    "sizes as text": (
        lambda: Scores.from_frame(long(score=[1, 2], n_train=["1,000", ""], n_test=[10, 50])),
        ScoresError,
        '"n_train" must hold numbers',
    ),
    "nested numbers": (
        lambda: Scores.from_frame(pd.DataFrame({"model": ["a", "b"], "score": [[1.0, 2.0], [3.0]]})),
        ScoresError,
        '"score" must hold numbers',
    ),
    "ragged arrays": (
        lambda: Scores.from_arrays({"a": [[1.0, 2.0], [3.0]], "b": [[1.0, 2.0], [3.0]]}, higher_is_better=True),
        ScoresError,
        "same number of resamples",
    ),
    "scores of cross_val_score": (
        lambda: Scores.from_cross_validate({"a": np.array(TEN)}, cv=10),
        ScoresError,
        "cross_val_score are for Scores.from_arrays",
    ),
    "different scorers": (
        lambda: Scores.from_cross_validate({"a": {"test_accuracy": TEN}, "b": {"test_f1": TEN}}, cv=10),
        ScoresError,
        "`b` has no test_accuracy",
    ),
    "scorer that is not there": (
        lambda: Scores.from_cross_validate({"a": {"test_accuracy": TEN}}, cv=10, metric="f1"),
        ScoresError,
        'scores "accuracy"',
        "got 'f1'",
    ),
    "halving search": (
        lambda: Scores.from_cv_results({"params": [{}], "split0_test_score": [1.0], "n_resources": [10]}),
        ScoresError,
        "cannot be paired",
    ),
    "no arrays": (lambda: Scores.from_arrays({}, higher_is_better=True), ScoresError, "must map model names to scores"),
    "array lengths": (
        lambda: Scores.from_arrays({"rf": TEN, "svm": TEN[:5]}, higher_is_better=True, datasets=10),
        ScoresError,
        "`rf` has 10 scores, `svm` has 5 scores",
        "welch_ttest",
    ),
    "dataset names": (
        lambda: Scores.from_arrays({"rf": [1, 2], "svm": [1, 2]}, datasets=["x", "x"], higher_is_better=True),
        ScoresError,
        "2 different names",
    ),
    "log of zero": (
        lambda: Scores.from_arrays({"rf": [1.0, 2.0], "svm": [0.0, 3.0]}, higher_is_better=True, datasets=2).transform(
            "log"
        ),
        ScoresError,
        "must be positive",
        '`svm` on "dataset 1"',
    ),
    "logit of one": (
        lambda: Scores.from_arrays({"rf": [1.0, 0.5], "svm": [0.2, 0.3]}, higher_is_better=True, datasets=2).transform(
            "logit"
        ),
        ScoresError,
        "between 0 and 1",
    ),
    "unknown scale": (lambda: bc.load_domains().transform("cube"), ScoresError, '"log", "logit" or "relative"'),
    "resampling for a dataset": (
        lambda: Scores.from_frame(long(score=[1, 2], dataset=["x", "x"]), resampling={"y": Resampling.kfold(2)}),
        ScoresError,
        'no resampling for dataset "x"',
    ),
    "complex numbers": (
        lambda: Scores.from_frame(long(score=[0.9 + 2j, 0.8 + 1j])),
        ScoresError,
        '"score" must hold numbers',
    ),
    "nothing but NaN": (
        lambda: Scores.from_frame(
            pd.DataFrame({"dataset": ["x", "y"], "rf": [NAN, NAN], "svm": [NAN, NAN]}), models=["rf", "svm"]
        ),
        ScoresError,
        "at least one row of scores",
    ),
    "two columns of one name": (
        lambda: Scores.from_frame(pd.DataFrame([["rf", 1.0, 2.0]], columns=["model", "score", "score"])),
        ScoresError,
        "cannot be read",
        "score",
    ),
    "names that look alike": (
        lambda: Scores.from_frame(pd.DataFrame({"model": ["rf", "rf "], "score": [1.0, 2.0]}), metric="accuracy"),
        ScoresError,
        "told from the others",
        "'rf' and 'rf '",
    ),
    "a model that is no column": (
        lambda: Scores.from_frame(pd.DataFrame({"fold": [1, 2], "a": [1.0, 2], "b": [1.0, 2]}), models=["a", "bb"]),
        ScoresError,
        'no column "bb"',
    ),
    "datasets as a number": (
        lambda: Scores.from_arrays({"rf": [1, 2], "svm": [1, 2]}, datasets=2.5, higher_is_better=True),
        ScoresError,
        "`datasets` must be a list of names, or their number, got 2.5",
    ),
    "selected metric not there": (
        lambda: Scores.from_frame(long(accuracy=[0.9, 0.8], rmse=[1, 2])).select(metric="f1"),
        ScoresError,
        'no metric "f1"',
    ),
    "selected of two metrics": (
        lambda: Scores.from_frame(long(accuracy=[0.9, 0.8], rmse=[1, 2])).select(models=["rf"]),
        ScoresError,
        "2 metrics",
    ),
    "rename unknown": (lambda: bc.load_labour().rename({"XX": "Y"}), ScoresError, 'no model or dataset "XX"'),
    "no results": (lambda: Scores.from_cross_validate({}, cv=5), ScoresError, "must map model names", "got nothing"),
    "results in a list": (lambda: Scores.from_cross_validate([TEN], cv=5), ScoresError, "got list"),
    "a dataset's result is a number": (
        lambda: Scores.from_cross_validate({"rf": {"iris": 5}}, cv=5),
        ScoresError,
        "got int",
    ),
    "search with two scorers": (
        lambda: Scores.from_cv_results({"params": [{}], "split0_test_f1": [1.0], "split0_test_accuracy": [1.0]}),
        ScoresError,
        'scores "f1", "accuracy"',
        "metric=",
    ),
    "relative scale of many": (
        lambda: bc.bayes.multilevel(bc.load_domains().transform("relative"), rope=0.01),
        ScoresError,
        "made for pairs of models",
    ),
}


@pytest.mark.parametrize(("call", "error", "words"), [(v[0], v[1], v[2:]) for v in TABLES.values()], ids=TABLES)
def test_tables(call, error, words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


FILES = {
    "0 bytes": ("results.csv", b"", "0 bytes"),
    "header only": ("results.csv", "model,score\n", "must have rows, got none"),
    "no usable columns": ("results.csv", "colour,shape\nred,round\n", '"colour", "shape"'),
    "encoding": ("results.csv", b"model,score\n\xff\xfe\xe9,1\n", "UTF-8"),
    "ragged": ("results.csv", "model,score\nrf,1\nsvm\n", "row 3 has 1"),
    "headers twice": ("results.csv", "model,score,score\nrf,1,2\n", '"score" twice'),
    "not json": ("results.json", "{broken", "is not JSON"),
    "json of numbers": ("results.json", "[1, 2]", "must hold records"),
    "json of scalars": ("results.json", '{"a": 1}', "records or a dict of columns"),
    "json of lengths": ("results.json", '{"a": [1], "b": [1, 2]}', "same length"),
    "jsonl line": ("results.jsonl", '{"model": "rf", "score": 1}\nnope\n', "line 2"),
    "not parquet": ("results.parquet", b"PAR1 not really", "not a parquet file"),
    "unknown ending": ("results.xyz", "model,score\n", ".xyz"),
    "blank lines": ("results.csv", "\n\n\n", "is empty (3 bytes)"),
}


@pytest.mark.parametrize(("name", "content", "word"), FILES.values(), ids=FILES)
def test_files(tmp_path, name, content, word):
    with pytest.raises(ScoresError) as caught:
        read(tmp_path, content, name)
    assert word in str(caught.value)


def test_keyword_of_the_reader(tmp_path):
    (tmp_path / "results.csv").write_text("model,score\nrf,1\n")
    with pytest.raises(TypeError, match="unexpected keyword argument 'modell'"):
        bc.read_scores(tmp_path / "results.csv", modell="m")


def test_file_that_is_not_there(tmp_path):
    with pytest.raises(ScoresError, match="There is no file"):
        bc.read_scores(tmp_path / "nowhere.csv")
    with pytest.raises(ScoresError, match="is a folder, and none of its 0 files"):
        bc.read_scores(tmp_path)


@pytest.mark.parametrize(
    ("scores", "rope"),
    [([85.0, 82.0, 80.0], 0.01), ([0.85, 0.82, 0.80], 1), ([1.0, 0.82, 0.80], 1)],
    ids=["share of percent", "percent of share", "percent of share, one perfect"],
)
def test_rope_on_another_scale_is_warned_about(scores, rope):
    with pytest.warns(bc.ScaleWarning, match="on the scale of the scores"):
        t_test(scores, np.array(scores) * [0.9, 0.99, 0.95], rope=rope)


@pytest.mark.parametrize(
    ("scores", "rope"), [([85.0, 82.0, 80.0], 1), ([0.85, 0.82, 0.80], 0.01), ([3e5, 2e5, 1e5], 0)]
)
def test_rope_on_the_right_scale_is_not_warned_about(scores, rope):
    p = t_test(scores, np.array(scores) * [0.9, 0.99, 0.95], rope=rope)  # warnings are errors here
    assert p.rope == bc.Rope.of(rope)


def test_copied_repeats_are_warned_about(rng):
    once = rng.normal(0.8, 0.05, (2, 10))
    copied = np.tile(once, (1, 3))
    with pytest.warns(bc.RepeatsWarning, match="Repeats 1 and 2 .* exact copies"):
        Scores.from_arrays(
            {"rf": copied[0], "svm": copied[1]}, resampling=Resampling.kfold(10, repeats=3), higher_is_better=True
        )
    with pytest.warns(bc.RepeatsWarning):
        t_test(copied[0], copied[1], resampling=Resampling.kfold(10, repeats=3))
    # perfect repeats are alike by rights
    Scores.from_arrays(
        {"rf": np.ones(30), "svm": np.ones(30)}, resampling=Resampling.kfold(10, repeats=3), higher_is_better=True
    )


# ---- what is raised


OTHERS = {
    "AttributeError": "__getattr__ must raise it",
    "NotImplementedError": "in the place of a method that subclasses have",
    "KeyboardInterrupt": "the user's own",
    "_Stopped": "the user's own, where PyMC would swallow it",
    "ModuleNotFoundError": "of a package that is not installed",
    "OSError": "of a disk that is full or read-only",
    "click.UsageError": "for the command line, which prints it",
}
"""Classes that are raised and are not ValueErrors, and why."""


def test_every_error_is_a_value_error():
    """`except ValueError` catches every error of ours: all classes that the package raises are looked up."""
    root = Path(bc.__file__).parent
    raised = {}
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and node.exc is not None:
                name = ast.unparse(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
                raised.setdefault(name, f"{path.relative_to(root)}:{node.lineno}")
    classes = {n: getattr(bc.errors, n.removeprefix("errors."), getattr(builtins, n, None)) for n in raised}
    odd = {n: raised[n] for n, c in classes.items() if isinstance(c, type) and not issubclass(c, ValueError)}
    assert not odd.keys() - OTHERS.keys(), odd
    assert {"ValueError", "ScoresError", "RopeError", "ResamplingError"} <= raised.keys()


def test_our_errors_are_value_errors():
    for error in (ScoresError, RopeError, ResamplingError):
        assert issubclass(error, ValueError)


@pytest.mark.parametrize("module", [bc, bc.bayes, bc.frequentist, bc.plots, bc.reports], ids=lambda m: m.__name__)
def test_dir_shows_public_names_only(module):
    assert dir(module) == sorted(module.__all__)
    assert all(hasattr(module, name) for name in dir(module))


# ---- the door


def unpaired(function):
    return {"bayes": {"rope": 0}, "frequentist": {}}[function.__module__.split(".")[1]]


@pytest.mark.parametrize("test", [bc.bayes.welch_ttest, bc.frequentist.welch_ttest], ids=["bayes", "frequentist"])
def test_unpaired_tests_take_two_arrays(test):
    """Both schools refuse in the same words."""
    with pytest.raises(ScoresError, match=r"`welch_ttest` compares runs that cannot be paired.*belong together"):
        test(bc.load_domains().pair("A", "B"), **unpaired(test))
    with pytest.raises(ScoresError, match="`dataset` picks one of a pair's datasets, but arrays have none"):
        test(TEN, TEN, dataset="d", **unpaired(test))
    with pytest.raises(ScoresError, match="`welch_ttest` needs at least 2 scores of each model, but `B` has 1"):
        test(TEN, [0.5], **unpaired(test))
    with pytest.raises(ScoresError, match="Give two arrays of scores, `a` and `b`; got one list"):
        test([0.5, 0.6], None, **unpaired(test))


@pytest.mark.parametrize("school", [bc.bayes, bc.frequentist], ids=["bayes", "frequentist"])
def test_tests_over_datasets_need_two(school):
    options = {"rope": 0} if school is bc.bayes else {}
    with pytest.raises(ScoresError, match=r"`sign_test` needs at least 2 datasets.*bayes\.correlated_ttest or freq"):
        school.sign_test(bc.load_labour().pair("SVM", "DT"), **options)


def test_both_schools_get_the_same_table():
    """Ranks of a table with a gap, rounding and ties are one thing: Friedman's and the ranking's mean ranks agree."""
    table = pd.DataFrame(
        {
            "dataset": list("uvwxyz"),
            "a": [3, 3, 1, 2, 0.1 + 0.2, 1],
            "b": [2, 3, 2, 1, 0.3, 2],
            "c": [1, 1, 3, 3, 0, None],
        }
    )
    scores = Scores.from_frame(table, metric="rmse")
    with pytest.warns(bc.MissingWarning, match='"z" left out, because "c" did not run there; 5 datasets remain'):
        friedman = bc.frequentist.friedman_test(scores)
    with pytest.warns(bc.MissingWarning, match="rank_models: "):
        ranking = bc.bayes.rank_models(scores, rope=0, draws=10, random_seed=1)
    assert ranking.mean_rank == tuple(friedman.details["mean_ranks"].values()) == (2.2, 2.0, 1.8)
    assert friedman.datasets == ranking.datasets == tuple("uvwxy")


def test_a_model_without_a_score_on_the_one_dataset():
    table = pd.DataFrame({"dataset": list("xxyy"), "fold": [1, 2, 1, 2], "a": [1, 2, 3, 5], "b": [2, 1, None, None]})
    scores = Scores.from_frame(table, metric="accuracy")
    with pytest.raises(ScoresError, match='must be run on "y", but "b" has no scores there'):
        bc.frequentist.anova(scores, kind="repeated", dataset="y")
