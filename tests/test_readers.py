"""Files as people have them: cells with spreads, models in rows, large files, and what `bayescmp check` says."""

import io
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import test_howto
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp import Resampling, Scores, ScoresError
from bayescmp.cli import main
from bayescmp.scores import files

PLAIN = {"rf": [0.863, 0.97], "svm": [0.85, 0.9]}


def read(text, **options):
    return bc.read_scores(io.StringIO(text), **({"metric": "accuracy"} | options))


# ---- cells


@pytest.mark.parametrize(
    ("rf", "svm", "unit", "note"),
    [
        (["0.863 ± 0.003", "0.97 ± 0.01"], ["0.85 ± 0.1", "0.9±0"], 1, "'0.863 ± 0.003' are read as 0.863, without"),
        (["0.863 +/- 0.003", "0.97 +- 1e-2"], ["0.85+/-0.1", "0.9 ± 0"], 1, "are read as 0.863, without the spread"),
        (["0.863 (0.003)", "0.97 (0.01)"], ["0.85 (± 0.1)", "0.9(0)"], 1, "'0.863 (0.003)' are read as 0.863, without"),
        (["$0.863 \\pm 0.003$", "$0.97\\pm0.01$"], ["$.85 \\pm .1$", "$.9\\pm 0$"], 1, "are read as 0.863, without"),
        (["86.3%", "97%"], ["85 %", "90.0%"], 1, "'86.3%' are read as 0.863"),
        (["86.3 ± 0.3%", "97 ± 1 %"], ["85% ± 1%", "90.0 ± 2%"], 1, "are read as 0.863, without the spread"),
        (["0,863", "0,97"], ["0,85", "0,9"], 1, "'0,863' are read as 0.863"),
        (["86,3", "97"], ["85", "90,0"], 100, "'86,3' are read as 86.3"),
        (["86,3 ± 0,3", "97,0 ± 1,0"], ["85,0 ± 0,3", "90,0 ± 0,1"], 100, "are read as 86.3, without the spread"),
    ],
)
def test_cells_that_are_written_alike_are_read_and_noted(rf, svm, unit, note):
    text = "dataset;rf;svm\n" + "".join(f"{d};{a};{b}\n" for d, a, b in zip("xy", rf, svm, strict=True))
    expected = {name: np.array(values) * unit for name, values in PLAIN.items()}
    wide = read(text)
    assert wide == Scores.from_arrays(expected, datasets=["x", "y"], metric="accuracy")
    assert note in repr(wide)
    long = "model;dataset;score\n" + "".join(
        f"{m};{d};{x}\n" for m, values in (("rf", rf), ("svm", svm)) for d, x in zip("xy", values, strict=True)
    )
    assert read(long) == wide
    frame = pd.DataFrame({"dataset": ["x", "y"], "rf": rf, "svm": svm})
    assert Scores.from_frame(frame, metric="accuracy") == wide


@pytest.mark.parametrize(
    ("rf", "svm", "words"),
    [
        (["86.0 ± 0.3", "97.0"], ["85", "90"], ("\"rf\" has '86.0 ± 0.3' in row 1", "\"rf\" has '97.0' in row 2")),
        (["86.0 ± 0.3", "97.0 ± 1"], ["85", "90"], ("written alike", "\"svm\" has '85' in row 1")),
        (["86.0%", "0.97"], ["85%", "90%"], ("'86.0%' in row 1", "'0.97' in row 2", "Write them in one way")),
        (["0,86", "0.97"], ["0,85", "0,9"], ("'0,86' in row 1", "'0.97' in row 2")),
        (["86.0 ± 0.3", "failed"], ["85 ± 1", "90 ± 1"], ('"rf" must hold numbers', "'failed' in row 2")),
        (["86.0 ± 0,3", "97.0 ± 0,1"], ["85.0 ± 1", "90.0 ± 1"], ("neither long", "'86.0 ± 0,3'")),
        (["1,234", "2,345"], ["3,456", "4,567"], ("'1,234' in row 1", "separates thousands", "decimal point")),
        (["1,234,567", "2,345"], ["3,456", "4,567"], ('"rf" must hold numbers', "'1,234,567' in row 1")),
        (["True", "0.5"], ["0.5", "0.6"], ("written alike", "'True' in row 1", "'0.5' in row 2")),
    ],
)
def test_cells_that_are_not_are_refused_by_cell(rf, svm, words):
    text = "dataset;rf;svm\n" + "".join(f"{d};{a};{b}\n" for d, a, b in zip("xy", rf, svm, strict=True))
    with pytest.raises(ScoresError) as found:
        read(text)
    for word in words:
        assert word in str(found.value)


def test_holes_stay_holes_among_cells_with_a_spread():
    scores = read("dataset,rf,svm\nx,86 ± 1,85 ± 1\ny,n/a,90 ± 2\nz,1 ± 1,2 ± 1\n")
    assert scores.select(datasets=["x", "y", "z"]).counts.tolist() == [[1, 0, 1], [1, 1, 1]]


@pytest.mark.parametrize("yes", ["True", "true", "TRUE"])
def test_booleans_are_0_and_1_everywhere(yes):
    no = {"True": "False", "true": "false", "TRUE": "FALSE"}[yes]
    expected = Scores.from_arrays({"a": [1, 0, 1], "b": [0, 0, 1]}, datasets=3, metric="correct")
    arrays = {"a": [True, False, True], "b": np.array([False, False, True])}
    assert Scores.from_arrays(arrays, datasets=3, metric="correct") == expected
    assert Scores.from_frame(pd.DataFrame(arrays), datasets=3, metric="correct") == expected
    assert read(f"a,b\n{yes},{no}\n{no},{no}\n{yes},{yes}\n", metric="correct", datasets=3) == expected
    objects = {name: np.array(values, dtype=object) for name, values in arrays.items()}
    assert Scores.from_arrays(objects, datasets=3, metric="correct") == expected
    long = read(f"model,dataset,fold,correct\na,x,1,{yes}\na,x,2,{no}\nb,x,1,{no}\nb,x,2,{no}\n", metric=None)
    assert (long.metric, long.higher_is_better, long.values.sum()) == ("correct", True, 1)
    assert f"cells like '{yes}' are read as 1" in repr(long)
    json = '[{"model": "a", "right": true}, {"model": "b", "right": false}]'
    assert bc.read_scores(io.StringIO(json)).values.ravel().tolist() == [1, 0]
    assert bc.frequentist.paired_ttest([True, False, True], [0.5, 0.25, 0.5]).estimate == pytest.approx(0.25)
    pair = bc.bayes.correlated_ttest([True, False, True], [False, False, True], rope=0, resampling=Resampling.kfold(3))
    assert pair.mean == pytest.approx(1 / 3)


# ---- models in rows


PAPER = "Method,CIFAR-10,SVHN,MNIST\nResNet,86.0,97.1,99.0\nViT,88.2,97.0,99.1\n"


def test_models_in_rows():
    expected = Scores.from_arrays(
        {"ResNet": [86.0, 97.1, 99.0], "ViT": [88.2, 97.0, 99.1]}, datasets=["CIFAR-10", "SVHN", "MNIST"], metric="acc"
    )
    scores = read(PAPER, metric="acc", orient="models")
    assert scores == expected
    assert 'read as a wide table: model = "Method"; a row is one model' in repr(scores)
    frame = pd.read_csv(io.StringIO(PAPER))
    for table in (
        frame,
        frame.set_index("Method"),
        frame.rename(columns={"Method": "who"}),
        frame.set_index("Method").T.T,
    ):
        assert Scores.from_frame(table, metric="acc", orient="models") == expected
    unnamed = frame.rename_axis("row").reset_index(drop=True).rename(columns={"Method": "who"})
    assert Scores.from_frame(unnamed, model="who", metric="acc", orient="models") == expected
    one = read(PAPER, metric="acc", orient="models", models=["ViT"])
    assert one == expected.select(models=["ViT"])
    hole = read(PAPER.replace("97.1", ""), metric="acc", orient="models")
    assert hole.select(datasets=["CIFAR-10", "SVHN", "MNIST"]).counts.tolist() == [[1, 0, 1], [1, 1, 1]]


@pytest.mark.parametrize("metric", [None, "accuracy"])
def test_models_in_rows_are_hinted_at_with_and_without_a_metric(metric, tmp_path):
    with pytest.raises(ScoresError, match='rows are models and its columns datasets, give orient="models"'):
        read(PAPER, metric=metric)
    path = tmp_path / "paper.csv"
    path.write_text(PAPER)
    found = CliRunner().invoke(main, ["check", str(path), *(["--metric", metric] if metric else [])])
    assert (found.exit_code, found.stdout) == (2, "")
    assert "--models-in-rows if its rows are models and its columns datasets" in found.stderr
    found = CliRunner().invoke(main, ["check", str(path), "--metric", "accuracy", "--models-in-rows"])
    assert found.exit_code == 0
    assert "a row is one model" in found.stdout


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (PAPER, {"orient": "rows"}, '`orient` must be one of "datasets", "models", got \'rows\''),
        (PAPER, {"orient": None}, "`orient` must be one of"),
        (PAPER, {"datasets": 3}, "here the columns name the datasets"),
        (PAPER, {"models": ["Vit"]}, 'Did you mean "ViT"'),
        (PAPER, {"fold": "SVHN"}, "one column of models' names"),
        (PAPER + "ViT,1,2,3\n", {}, '"ViT" has several'),
        (PAPER + ",1,2,3\n", {}, "Every row must have a model, but row 3 has none"),
        (PAPER.replace("ViT", "dataset"), {}, 'no model can be called "dataset"'),
        ("who,where,x\na,b,1\nc,d,2\n", {}, "one column of models' names"),
        ("model,seed,x\na,1,1\nb,1,2\n", {}, '"repeat" can be neither'),
        ("x,y\n1,2\n3,4\n", {}, "one column of models' names"),
    ],
)
def test_models_in_rows_that_cannot_be(text, options, words):
    with pytest.raises(ScoresError) as found:
        read(text, **({"orient": "models"} | options))
    assert words in str(found.value)


# ---- large files


def outcome(text, **options):
    try:
        return read(text, **options)
    except ScoresError as error:
        return str(error)


def both(monkeypatch, text, **options):
    """What the readers of small and of large files make of a text."""
    monkeypatch.setattr(files, "LARGE", 10**9)
    small = outcome(text, **options)
    monkeypatch.setattr(files, "LARGE", 0)
    return small, outcome(text, **options)


def numbered(text, make):
    """A table with more cells in each line, before it and after it: make(0) in the header, make(1) in the first row."""
    return "".join(f"{make(i)[0]}{line}{make(i)[1]}\n" for i, line in enumerate(text.splitlines()))


LONG = "model,dataset,fold,accuracy\n" + "".join(
    f"{m},{d},{f},{0.7 + i / 7 + j / 30 + f / 1000}\n"
    for i, m in enumerate("ab")
    for j, d in enumerate("xy")
    for f in (1, 2)
)
AWKWARD = {
    "ordinary": LONG,
    "no newline at the end": LONG.rstrip(),
    "two newlines at the end": LONG + "\n",
    "an empty line": LONG.replace("b,x,1", "\nb,x,1"),
    "a line of commas": LONG + ",,,\n",
    "a line of blanks": LONG + "   \n",
    "carriage returns": LONG.replace("\n", "\r\n"),
    "carriage returns alone": LONG.replace("\n", "\r"),
    "a carriage return in a cell": LONG.replace("b,x,1", "b,x\r,1"),
    "semicolons": LONG.replace(",", ";"),
    "tabs": LONG.replace(",", "\t"),
    "a byte order mark": "\ufeff" + LONG,
    "letters of other scripts": LONG.replace("a,", "Wälder 森,"),
    "quoted names": LONG.replace("a,", '"a",'),
    "quoted commas": LONG.replace("a,", '"a, b",'),
    "quoted lines": LONG.replace("a,", '"a\nb",'),
    "quotes inside": LONG.replace("a,", 'a"b,'),
    "an open quote": LONG + '"',
    "blanks around names": LONG.replace("a,", " a ,"),
    "blanks around numbers": re.sub(r"0\.(\d+)\n", r" 0.\1 \n", LONG),
    "a short row": LONG + "a,z\n",
    "a long row": LONG + "a,z,1,2,3\n",
    "an unknown last column": LONG.replace("\n", ",\n"),
    "commas at the ends of rows only": LONG.replace("\n", ",\n").replace("accuracy,", "accuracy"),
    "a row number": numbered(LONG, lambda i: (f"{i - 1 if i else ''},", "")),
    "another number without a name": numbered(LONG, lambda i: (f"{7 * i if i else ''},", "")),
    "text that is not needed": numbered(LONG, lambda i: ("", f",h{i}")),
    "no model": LONG.replace("b,x,1", ",x,1"),
    "no score": LONG + "a,z,1,\n",
    "NaN": LONG + "a,z,1,NaN\n",
    "infinite": LONG + "a,z,1,inf\n",
    "too large": LONG + "a,z,1,1e999\n",
    "text in the scores": LONG + "a,z,1,failed\n",
    "underscores": LONG + "a,z,1,1_0\n",
    "hexadecimal": LONG + "a,z,1,0x1p-1\n",
    "digits of other scripts": LONG + "a,z,1,\u0660.\u0665\nb,z,1,.5\n",
    "a null byte": LONG.replace("a,", "a\0,"),
    "duplicates": LONG + "a,x,1,0.5\n",
    "folds with zeros": LONG.replace(",1,", ",01,"),
    "folds as decimals": LONG.replace(",1,", ",1.0,"),
    "folds -1": LONG.replace(",1,", ",-1,"),
    "folds 2.5": LONG.replace(",1,", ",2.5,"),
    "folds as text": LONG.replace(",1,", ",one,").replace(",2,", ",two,"),
    "names that are numbers": LONG.replace("a,", "1,").replace("b,", "2,"),
    "names that look like nothing": LONG.replace("a,", "NA,").replace("b,", "null,"),
    "two columns of one name": LONG.replace("fold", "model"),
    "names that cannot be told apart": LONG.replace("b,x,1", "a ,x,1"),
    "percent": re.sub(r"(0\.\d+)\n", r"\1%\n", LONG),
    "True and False": re.sub(r"(0|1)\.\d+\n", "True\n", LONG),
    "two metrics": LONG.replace("accuracy", "accuracy,rmse").replace("\n", ",3\n").replace("rmse,3", "rmse"),
    "a metric column": numbered(LONG, lambda i: ("", ",accuracy" if i else ",metric")),
    "sizes": numbered(LONG, lambda i: ("", ",50,50" if i else ",n_train,n_test")),
    "wide": "dataset,fold,a,b\nx,1,0.123456789012345678,.2\nx,2,.3,.4\ny,1,5e-1,+.6\ny,2,1,0\n",
    "wide with a hole": "dataset,a,b\nx,.1,.2\ny,,.4\nz,.5,.6\n",
    "wide with a text column": "name,a,b\nx,.1,.2\ny,.3,.4\nz,.5,.6\n",
    "wide with models in rows": "model,x,y\na,.1,.2\nb,.3,.4\n",
    "no header": "x,.1,.2\ny,.3,.4\n",
    "a header alone": "dataset,a,b\n",
    "a header alone without a newline": "dataset,a,b",
    "an empty first line": "\n" + LONG,
    "JSON": '{"a": 1}',
}  # fmt: skip


@pytest.mark.parametrize("text", AWKWARD.values(), ids=AWKWARD)
@pytest.mark.parametrize("options", [{"metric": None}, {"metric": "accuracy", "format": "csv"}], ids=["as is", "named"])
def test_large_files_are_read_like_small_ones(monkeypatch, text, options):
    """The same scores, bit by bit, with the same notes; or the same words of the same error."""
    small, large = both(monkeypatch, text, **options)
    assert small == large
    if isinstance(small, Scores):
        assert small.values.tobytes() == large.values.tobytes()
        assert small.notes == large.notes


ORDINARY = (
    *("ordinary", "semicolons", "carriage returns", "quoted names", "letters of other scripts", "a row number"),
    *("text that is not needed", "wide", "sizes", "two metrics", "a metric column", "folds as text"),
)


@pytest.mark.parametrize("name", ORDINARY)
def test_an_ordinary_large_file_is_read_by_columns(name, monkeypatch):
    """The comparison above is of two readers, not of one with itself."""
    monkeypatch.setattr(files, "LARGE", 0)
    monkeypatch.setitem(files.READERS, "csv", None)
    assert read(AWKWARD[name], metric="accuracy").models == ("Wälder 森" if "scripts" in name else "a", "b")


def test_the_work_in_python_does_not_grow_with_the_rows_of_a_large_file(monkeypatch):
    """Four times the rows, of the same names: calls of our functions stay the same."""
    monkeypatch.setattr(files, "LARGE", 0)

    def calls(models):
        rows = [
            f"m{m},d{d},{f},{(m * 7 + d * 3 + f) % 97 / 97}"
            for m in range(models)
            for d in range(20)
            for f in range(10)
        ]
        text, count = "model,dataset,fold,auc\n" + "\n".join(rows), 0

        def counted(frame, event, argument):
            nonlocal count
            count += event == "call" and "bayescmp" in frame.f_code.co_filename

        before = sys.getprofile()
        sys.setprofile(counted)
        try:
            read(text, metric=None)
        finally:
            sys.setprofile(before)
        return count

    few, many = calls(50), calls(200)
    assert many < few + 6 * 150, "some calls for each of 150 new names, and none for 30,000 new rows"


@given(
    cells=st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c", "a b", "ä", "1"]),
            st.sampled_from(["x", "y", "0", "None"]),
            st.integers(0, 3),
            st.one_of(
                st.floats(-1e6, 1e6).map(repr), st.sampled_from(["", "nan", "1e-320", "1.7976931348623157e308", ".5 "])
            ),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_any_table_is_read_alike(cells):
    text = "model,task,fold,value\n" + "".join(f"{m},{d},{f},{x}\n" for m, d, f, x in cells)
    with pytest.MonkeyPatch.context() as patch:
        small, large = both(patch, text, metric="gain", higher_is_better=True)
    assert small == large


def test_numbers_of_a_large_file_are_exact(monkeypatch, rng):
    """As Python reads them, to the last bit."""
    monkeypatch.setattr(files, "LARGE", 0)
    cells = [repr(x) for x in (rng.normal(size=2000) * 10.0 ** rng.integers(-300, 300, 2000)).tolist()]
    text = "fold,a,b\n" + "".join(f"{i},{x},{x}\n" for i, x in enumerate(cells))
    scores = read(text, metric="gain", higher_is_better=True)
    assert scores.values[0, 0].tolist() == [float(x) for x in cells]


# ---- what `bayescmp check` says


def said(path, *options):
    result = CliRunner().invoke(main, ["check", str(path), *options])
    return result.exit_code, result.stdout, result.stderr


def by_name(stdout):
    head, _, advice = stdout.partition("\n\n")
    found = {}
    for line in head.splitlines()[1:]:
        found.setdefault(line[2:12].strip(), []).append(line[12:])
    return found, advice


FOLDED = "model,dataset,repeat,fold,rmse\n" + "".join(
    f"{m},{d},{r},{f},{size * (1 + 0.1 * i + 0.01 * r + 0.001 * f)}\n"
    for i, m in enumerate(("rf", "svm"))
    for d, size in (("small", 0.01), ("large", 5000.0))
    for r in (1, 2)
    for f in (1, 2, 3)
)
CHECKS = {
    "a wide table": (
        "dataset,rf,svm,knn\niris,0.95,0.96,0.95\nwine,0.98,0.97,0.99\nglass,0.71,0.69,0.70\n",
        ["--metric", "accuracy"],
        {
            "models": "rf, svm, knn",
            "datasets": "iris, wine, glass",
            "note": 'read as a wide table: dataset = "dataset"; a row is one dataset',
            "metric": "accuracy, higher is better",
            "design": "one score of each model on each dataset",
            "holes": "none",
            "copies": "none",
            "units": "scores from 0.69 to 0.99, of the same order of magnitude on all datasets",
            "ties": "two models are equal on 1 of 3 datasets",
        },
        ("setting kxm", "frequentist.friedman_test", "bayes.signed_rank_test"),
    ),
    "repeated folds in units that differ": (
        FOLDED,
        [],
        {
            "note": 'read as a long table: model = "model", dataset = "dataset", repeat = "repeat", fold = "fold", '
            'score = "rmse"; a row is one score of one model on one dataset and fold',
            "metric": "rmse, lower is better",
            "design": "2 x 3-fold CV, rho = 0.333 (6 scores each)",
            "units": "scores from 0.01011 to 5615; typical sizes of the datasets from 0.01067 to 5335, 5.7 orders of "
            "magnitude apart",
            "ties": "none",
        },
        ("setting 2xm", "frequentist.wilcoxon_test", "bayes.hierarchical_ttest"),
    ),
    "holes": (
        "model,task,f1\na,x,.5\nb,x,.6\na,y,.7\nb,y,.7\nb,z,.8\n",
        [],
        {"missing": "a: z", "holes": "1 of 6 cells empty", "ties": "two models are equal on 1 of 3 datasets"},
        ("two models on 2 datasets, one score each",),
    ),
    "folds that are missing": (
        "model,fold,acc\na,1,.5\na,2,.6\nb,1,.7\n",
        [],
        {
            "missing": "b: dataset (1 of 2)",
            "holes": "1 without some resamples",
            "units": "scores from 0.5 to 0.7",
            "note": 'read as a long table: model = "model", fold = "fold", score = "acc"; a row is one score of one '
            "model and fold",
        },
        ("setting 2x1", "frequentist.corrected_ttest", "bayes.correlated_ttest"),
    ),
    "splits of an unknown design": (
        "split,a,b\n1,.5,.5\n2,.6,.7\n5,.7,.7\n",
        ["--metric", "auc"],
        {
            "design": "unknown (3 scores each)",
            "missing": "the resampling design: use --resampling kfold:10x10, subsampling:50,6,100, independent or runs",
            "note": 'read as a wide table: repeat = "split"; a row is one repeat',
            "ties": "two models are equal on 2 of 3 scores of each model",
        },
        ("rho is missing",),
    ),
    "a table of a paper": (
        "Method,CIFAR-10,SVHN\nResNet,86.0 ± 0.3,97.1 ± 0.1\nViT,88.2 ± 0.4,97.0 ± 0.2\n",
        ["--models-in-rows", "--metric", "accuracy"],
        {
            "models": "ResNet, ViT",
            "datasets": "CIFAR-10, SVHN",
            "note": 'read as a wide table: model = "Method"; a row is one model',
            "units": "scores from 86 to 97.1, of the same order of magnitude on all datasets",
        },
        ("frequentist.wilcoxon_test", "bayes.sign_test"),
    ),
    "percent with decimal commas": (
        "dataset;a;b\nx;86,5%;85,0%\ny;70,1%;72,3%\n",
        ["--metric", "accuracy"],
        {"units": "scores from 0.701 to 0.865, of the same order of magnitude on all datasets"},
        (),
    ),
    "one model": (
        "model,dataset,acc\na,x,.5\na,y,.6\n", [], {"missing": "a second model: there is nothing to compare"}, ()
    ),
    "two metrics": (
        "model,dataset,accuracy,rmse\na,x,.5,10\nb,x,.6,12\na,y,.5,1000\nb,y,.7,1200\n",
        [],
        {
            "metrics": 'accuracy, rmse: pick one with select(metric="...") or split_metrics()',
            "metric": "accuracy, higher is better",
        },
        (),
    ),
    "right and wrong": (
        "model,fold,correct\n" + "".join(f"{m},{i},{i % k == 0}\n" for m, k in (("a", 2), ("b", 3)) for i in range(30)),
        ["--resampling", "independent"],
        {"metric": "correct, higher is better", "design": "independent scores, rho = 0 (30 scores each)"},
        ("setting 2x1",),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "options", "expected", "advice"), CHECKS.values(), ids=CHECKS)
def test_check_of_awkward_files(tmp_path, text, options, expected, advice):
    path = tmp_path / "file.csv"
    path.write_text(text, encoding="utf-8")
    code, stdout, stderr = said(path, *options)
    assert (code, stderr) == (0, "")
    found, recommended = by_name(stdout)
    for name, line in expected.items():
        assert line in found[name]
    assert {"models", "datasets", "note", "metric", "design", "holes", "copies", "units", "ties"} <= found.keys()
    for word in advice:
        assert word in recommended


REFUSED = {
    "no header": ("x,.8,.7\ny,.9,.6\n", ["--metric", "auc"], "the first line looks like scores", "put a letter before"),
    "averages": (
        "dataset,a,b\nx,.8,.7\ny,.9,.6\nAverage,.85,.65\n",
        ["--metric", "auc"],
        '"Average" is the mean of the other 2 datasets',
        "Leave it out of the table",
    ),
    "units": ("dataset,a,b\nx,.8,.7\ny,.9,60\n", ["--metric", "auc"], '60 of "b" on "y"', "in one unit"),
    "folds": ("model,fold,auc\na,-1,.5\nb,-1,.6\n", [], "Every fold must be a whole number of 0 or more", "got '-1'"),
    "models in rows": ("model,x,y\na,.8,.7\nb,.9,.6\n", [], "must have a column of scores", "Use --column score=NAME"),
    "cells": ("dataset,a,b\nx,8%,7%\ny,9%,.6\n", ["--metric", "auc"], "'.6' in row 2", "Write them in one way"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "options", "words", "advice"), REFUSED.values(), ids=REFUSED)
def test_check_of_files_that_are_refused(tmp_path, text, options, words, advice):
    path = tmp_path / "file.csv"
    path.write_text(text, encoding="utf-8")
    code, stdout, stderr = said(path, *options)
    assert (code, stdout) == (2, "")
    assert words in stderr
    assert advice in stderr


def test_check_warns_in_the_words_of_the_command_line(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text("dataset,a,b\nx,.8123,.7456\ny,.9,.6\nz,.8123,.7456\nTotal,3,4\n")
    code, stdout, stderr = said(path, "--metric", "gain", "--higher-is-better")
    assert code == 0
    assert '"x", "z" have the same scores' in by_name(stdout)[0]["copies"]
    assert 'Warning: The datasets "x", "z" have the same scores in every cell' in stderr
    assert "leave all but one out of the file" in stderr
    assert 'Warning: "Total" counts as a dataset' in stderr
    assert "scores.drop" not in stderr


GUIDES = {
    "results.csv": ([], 0, ("2 models x 2 datasets, accuracy (higher is better), 2-fold CV", "bayes.signed_rank_test")),
    "paper.csv": (
        ["--models-in-rows", "--metric", "accuracy"],
        0,
        ("2 models x 3 datasets", "cells like '86.0 ± 0.3' are read as 86, without the spread", "a row is one model"),
    ),
    "runs.csv": (
        ["--column", "model=params.model", "--column", "fold=params.fold", "--column", "score=metrics.accuracy"],
        2,
        ("1 of 7 are NaN", "row 7"),
    ),
    "project.csv": ([], 2, ("neither long", '"summary" (first: "{\'val_loss\': 0.41')),
}
"""The files that the how-to pages write, and what check says of each."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "page"),
    [("results.csv", "results_in"), ("paper.csv", "results_in"), ("runs.csv", "trackers"), ("project.csv", "trackers")],
)
def test_check_of_the_files_of_the_guides(name, page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "guide"}
    for code in test_howto.blocks(test_howto.PAGES[0].with_name(f"{page}.md")):
        exec(compile(code.replace("os.chdir(tempfile.mkdtemp())", ""), page, "exec"), names)
        if Path(name).exists():
            break
    options, code, words = GUIDES[name]
    found, stdout, stderr = said(name, *options)
    assert found == code
    for word in words:
        assert word in stdout + stderr


def test_every_file_of_the_guides_is_checked():
    written = set()
    for page in test_howto.PAGES:
        if page.stem in ("results_in", "trackers"):
            written |= set(re.findall(r'(?:Path|to_csv)\("(\w+\.csv)"', page.read_text("utf-8")))
    assert written == set(GUIDES)
