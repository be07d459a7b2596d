"""Tables in and out: frames, files, scikit-learn, ragged and missing cells, transforms."""

import io
import json
import pickle
import types

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import Resampling, Scores
from bayescmp.scores.metrics import higher_is_better


@pytest.fixture
def long_frame(rng):
    """Two models, two datasets, 2 x 3-fold CV, rows shuffled: order must not matter."""
    rows = [
        {"model": m, "dataset": d, "repeat": r, "fold": f}
        for m in ("rf", "svm")
        for d in ("iris", "wine")
        for r in (1, 2)
        for f in (1, 2, 3)
    ]
    frame = pd.DataFrame(rows)
    frame["score"] = rng.normal(0.8, 0.05, len(frame))
    return frame.sample(frac=1, random_state=1).reset_index(drop=True)


def test_long_frame_aligns_by_name_not_by_order(long_frame):
    scores = Scores.from_frame(long_frame, metric="accuracy")
    assert set(scores.models) == {"rf", "svm"}
    pair = scores.pair("rf", "svm").select("wine")
    rows = long_frame.sort_values(["repeat", "fold"])
    rf, svm = (rows.query(f"model == '{m}' and dataset == 'wine'").score.to_numpy() for m in ("rf", "svm"))
    assert pair.differences[0] == pytest.approx(rf - svm)
    assert pair.resampling == (Resampling.kfold(3, repeats=2),)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_frames_give_the_same_scores(long_frame, library):
    import polars
    import pyarrow

    frame = polars.from_pandas(long_frame) if library == "polars" else pyarrow.Table.from_pandas(long_frame)
    assert Scores.from_frame(frame, metric="accuracy") == Scores.from_frame(long_frame, metric="accuracy")


def test_to_frame_and_back(long_frame):
    scores = Scores.from_frame(long_frame, metric="accuracy")
    assert Scores.from_frame(scores.to_frame(), metric="accuracy") == scores.select(
        models=list(scores.models), datasets=list(scores.datasets)
    )
    assert len(scores.to_frame()) == len(long_frame)


def test_wide_frame_equals_long(long_frame):
    wide = long_frame.pivot(index=["dataset", "repeat", "fold"], columns="model", values="score").reset_index()
    one = Scores.from_frame(wide, metric="accuracy")
    two = Scores.from_frame(long_frame, metric="accuracy")
    assert one.select(models=["rf", "svm"], datasets=["iris", "wine"]) == two.select(
        models=["rf", "svm"], datasets=["iris", "wine"]
    )


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "parquet"])
def test_files_give_the_same_scores(long_frame, tmp_path, ending):
    path = tmp_path / f"results.{ending}"
    {
        "csv": lambda: long_frame.to_csv(path, index=False),
        "tsv": lambda: long_frame.to_csv(path, index=False, sep="\t"),
        "json": lambda: path.write_text(json.dumps(long_frame.to_dict("records"))),
        "jsonl": lambda: path.write_text("\n".join(json.dumps(r) for r in long_frame.to_dict("records"))),
        "parquet": lambda: long_frame.to_parquet(path),
    }[ending]()
    scores = bc.read_scores(path, metric="accuracy")
    assert scores == Scores.from_frame(long_frame, metric="accuracy")
    assert 'read as a long table: model = "model"' in repr(scores)


def test_usual_names_semicolons_and_byte_order_marks(tmp_path):
    path = tmp_path / "results.csv"
    path.write_bytes(b"\xef\xbb\xbfClassifier;Task;RMSE\nrf;a;1.5\nsvm;a;1.25\nrf;b;2\nsvm;b;3\n")
    scores = bc.read_scores(path)
    assert (scores.models, scores.datasets, scores.metric) == (("rf", "svm"), ("a", "b"), "RMSE")
    assert not scores.higher_is_better
    assert scores.pair("rf", "svm").means.tolist() == [-0.25, 1.0]


def test_named_columns_win(tmp_path):
    frame = pd.DataFrame({"who": ["rf", "svm"], "model": ["x", "x"], "points": [1.0, 2.0]})
    scores = Scores.from_frame(frame, model="who", score="points", higher_is_better=True)
    assert scores.models == ("rf", "svm")


def test_all_designs_of_a_fold_column_are_noted():
    rows = [(m, d, f, f / 20) for d, n in (("d1", 3), ("d2", 5)) for m in "ab" for f in range(n)]
    scores = Scores.from_frame(pd.DataFrame(rows, columns=["model", "dataset", "fold", "score"]), higher_is_better=True)
    assert "the fold column is treated as 3-fold CV (rho = 0.333), 5-fold CV (rho = 0.2)" in scores.notes


def test_columns_of_a_table_can_be_named():
    """Models of a wide one and the metric of a long one, where others could be meant too."""
    wide = pd.DataFrame({"dataset": ["x", "y"], "a": [1.0, 2], "b": [2.0, 1], "time": [9.0, 9]})
    assert Scores.from_frame(wide, models=["b", "a"], higher_is_better=True).models == ("b", "a")
    long = pd.DataFrame({"model": ["a", "b"], "accuracy": [0.9, 0.8], "rmse": [1.0, 2.0]})
    chosen = Scores.from_frame(long, metric="RMSE")
    assert (chosen.values.ravel().tolist(), chosen.higher_is_better) == ([1.0, 2.0], False)


def test_labels_of_folds_that_are_no_numbers_are_counted():
    frame = pd.DataFrame({"model": [*"aabb"], "fold": ["one", "two"] * 2, "score": [1.0, 2, 3, 4]})
    assert Scores.from_frame(frame, higher_is_better=True).keys == (((1, 1), (1, 2)),)


def test_wide_table_with_a_text_column_for_the_datasets():
    frame = pd.DataFrame({"": [0, 1], "name": ["iris", "wine"], "rf": [0.9, 0.8], "svm": [0.8, np.nan]})
    scores = Scores.from_frame(frame, higher_is_better=True)
    assert scores.datasets == ("iris", "wine")
    assert scores.models == ("rf", "svm"), "an index without a name is no model"
    assert "missing   svm: wine" in repr(scores)
    with pytest.warns(bc.MissingWarning, match='"wine" left out, because "svm" was not run there'):
        assert scores.pair("rf", "svm").datasets == ("iris",)


def test_hole_in_a_wide_table_is_refused():
    frame = pd.DataFrame({"fold": [1, 2], "rf": [0.9, 0.8], "svm": [0.8, np.nan]})
    with pytest.raises(bc.ScoresError, match='model "svm"'):
        Scores.from_frame(frame)


def test_ragged_datasets(rng):
    """Datasets with different numbers of folds keep their own designs; padding never counts as a score."""
    frame = pd.DataFrame(
        [
            {"model": m, "dataset": d, "fold": f, "score": rng.normal()}
            for m in "ab"
            for d, n in (("x", 3), ("y", 5))
            for f in range(n)
        ]
    )
    pair = Scores.from_frame(frame, higher_is_better=True).pair("a", "b")
    assert pair.counts.tolist() == [3, 5]
    assert [r.folds for r in pair.resampling] == [3, 5]
    assert pair.select("x").differences.shape == (1, 3)
    for dataset in "xy":
        a, b = (frame.query(f"model == '{m}' and dataset == '{dataset}'").score.to_numpy() for m in "ab")
        ours = bc.bayes.correlated_ttest(pair, rope=0.1, dataset=dataset)
        plain = bc.bayes.correlated_ttest(a, b, rope=0.1, resampling=Resampling.kfold(a.size))
        assert ours.distribution == plain.distribution


def test_sizes_of_the_splits_give_rho():
    """Unequal folds of 57 cases: the mean of n_test / (n_train + n_test)."""
    n_test = [6, 6, 6, 6, 6, 6, 6, 5, 5, 5]
    frame = pd.DataFrame({"fold": range(10), "n_test": n_test, "n_train": [57 - n for n in n_test]})
    frame = pd.concat([frame.assign(model=m, score=np.linspace(0, 1, 10)) for m in "ab"])
    (design,) = Scores.from_frame(frame, higher_is_better=True).resampling
    assert design.rho == pytest.approx(np.mean(np.array(n_test) / 57))
    assert (design.scheme, design.folds, design.n) == ("kfold", 10, 10)


def test_incomplete_folds_leave_the_design_unknown():
    frame = pd.DataFrame({"repeat": [1, 1, 2], "fold": [1, 2, 1], "a": [1.0, 2.0, 3.0], "b": [1.0, 1.0, 1.0]})
    scores = Scores.from_frame(frame, higher_is_better=True)
    assert scores.resampling == (None,)
    with pytest.raises(bc.ResamplingError, match=r"Resampling\.kfold"):
        bc.bayes.correlated_ttest(scores.pair("a", "b"), rope=0)


@pytest.mark.parametrize(
    ("column", "labels"),
    [("split", range(10)), ("fold", range(100)), ("fold", [0, 1, 2, 4, 7])],
    ids=["splits", "too many folds", "folds that survived"],
)
def test_column_that_tells_no_design_leaves_it_unknown(column, labels):
    """100 random splits counted 0 to 99 are no 100-fold CV: rho would be 0.01 instead of 0.107."""
    frame = pd.DataFrame({column: labels, "a": np.linspace(0, 1, len(labels)), "b": 0.5})
    assert Scores.from_frame(frame, higher_is_better=True).resampling == (None,)


def test_inferred_design_is_noted(long_frame):
    assert "the fold column is treated as 2 x 3-fold CV (rho = 0.333)" in repr(
        Scores.from_frame(long_frame, higher_is_better=True)
    )


def test_wide_rows_with_a_given_design_are_folds():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 1.0, 1.0]})
    assert Scores.from_frame(frame, resampling=Resampling.kfold(3), higher_is_better=True).datasets == ("dataset",)
    assert len(Scores.from_frame(frame, higher_is_better=True, datasets=3).datasets) == 3


def test_wide_table_with_a_metric_column():
    frame = pd.DataFrame({"dataset": ["x", "x"], "metric": ["rmse", "accuracy"], "a": [1.0, 0.9], "b": [2.0, 0.8]})
    scores = Scores.from_frame(frame)
    assert scores.metrics == ("rmse", "accuracy")
    assert scores.select(metric="rmse").pair("a", "b").means.tolist() == [1.0]


def test_pandas_index_is_part_of_the_table(long_frame):
    wide = long_frame.pivot(index=["dataset", "repeat", "fold"], columns="model", values="score")
    assert Scores.from_frame(wide, higher_is_better=True).datasets == ("iris", "wine")
    filtered = long_frame[long_frame.dataset == "iris"]
    assert (
        Scores.from_frame(filtered, higher_is_better=True).models
        == Scores.from_frame(long_frame, higher_is_better=True).models
    )


def test_text_column_without_a_name_is_the_dataset(tmp_path):
    (tmp_path / "r.csv").write_text(",a,b\niris,1,2\nwine,3,4\n")
    assert bc.read_scores(tmp_path / "r.csv", higher_is_better=True).datasets == ("iris", "wine")


def test_names_that_look_like_nothing_are_names():
    frame = pd.DataFrame({"model": ["none", "NA"], "score": [1.0, 2.0]})
    assert Scores.from_frame(frame, higher_is_better=True).models == ("none", "NA")


def test_commas_at_line_ends_are_no_columns(tmp_path):
    (tmp_path / "r.csv").write_text("dataset,a,b,,\niris,1,2,,\nwine,3,4,,\n")
    assert bc.read_scores(tmp_path / "r.csv", higher_is_better=True).models == ("a", "b")


def test_labour_survives_the_trip_through_a_frame():
    scores = bc.load_labour()
    again = Scores.from_frame(scores.to_frame())
    assert (again.metric, again.higher_is_better) == (scores.metric, scores.higher_is_better)
    assert again.resampling[0].rho == pytest.approx(scores.resampling[0].rho)
    assert again.pair("SVM", "DT").means == pytest.approx(scores.pair("SVM", "DT").means)


def test_equal_ratios_do_not_vary_on_the_log_scale():
    b = np.array([1.001, 1.002, 0.999, 1.0005, 1.0021, 0.9987])
    scores = Scores.from_arrays(
        {"a": b * 1.01, "b": b}, resampling=Resampling.kfold(6), higher_is_better=True
    ).transform("log")
    with pytest.warns(bc.DegenerateWarning):
        p = bc.bayes.correlated_ttest(scores.pair("a", "b"), rope=float(np.log(1.01)))
    assert p.p_equivalent == 1


def test_pair_is_immutable():
    pair = bc.load_labour().pair("SVM", "DT")
    with pytest.raises(ValueError, match="read-only"):
        pair.scores_a[0, 0] = 1


def test_rows_in_order_with_a_given_design():
    frame = pd.DataFrame({"model": ["a"] * 4 + ["b"] * 4, "score": [1, 2, 3, 4, 1, 1, 1, 1]})
    scores = Scores.from_frame(frame, resampling=Resampling.kfold(2, repeats=2), higher_is_better=True)
    assert scores.pair("a", "b").differences.tolist() == [[0, 1, 2, 3]]


def test_several_metrics(long_frame):
    both = pd.concat([long_frame.assign(metric="accuracy"), long_frame.assign(metric="rmse")])
    scores = Scores.from_frame(both)
    assert scores.metrics == ("accuracy", "rmse")
    assert "pick one with select" in repr(scores)
    assert Scores.from_frame(both, metric="rmse") == scores.select(metric="rmse") == scores.split_metrics()["rmse"]
    assert [s.higher_is_better for s in scores.split_metrics().values()] == [True, False]


def test_arrays_as_folds_datasets_or_both():
    one = Scores.from_arrays({"a": [1, 2], "b": [3, 4]}, resampling=Resampling.kfold(2), higher_is_better=True)
    assert one.values.shape == (2, 1, 2)
    many = Scores.from_arrays({"a": [1, 2], "b": [3, 4]}, higher_is_better=True, datasets=2)
    assert many.values.shape == (2, 2, 1)
    both = Scores.from_arrays(
        {"a": [[1, 2], [3, 4]], "b": [[3, 4], [5, 6]]}, resampling=Resampling.kfold(2), higher_is_better=True
    )
    assert both.values.shape == (2, 2, 2)
    assert both.datasets == ("dataset 1", "dataset 2")
    assert "2 models x 2 datasets, score (higher is better), one score each" in repr(many)


def test_scores_are_immutable():
    scores = bc.load_domains()
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0, 0, 0] = 1
    with pytest.raises(AttributeError):
        scores.metric = "error"


def test_select_drop_rename_pairs():
    scores = bc.load_domains()
    assert scores.select(models=["C", "A"]).models == ("C", "A")
    assert scores.drop("B", "domain 1").values.shape == (2, 9, 1)
    assert scores.rename({"A": "alpha"}).pair("alpha", "C").means == pytest.approx(scores.pair("A", "C").means)
    assert [(p.a, p.b) for p in scores.pairs()] == [("A", "B"), ("A", "C"), ("B", "C")]


def test_summary_holds_means_and_designs():
    summary = bc.load_labour().summary()
    assert summary.loc["labour", "DT"] == pytest.approx(85 / 600)
    assert summary.loc["labour", "rho"] == pytest.approx(6 / 56)


def test_html_escapes_names():
    scores = bc.load_domains().rename({"A": "<script>alert(1)</script>"})
    assert "<script>" not in scores._repr_html_()
    assert "&lt;script&gt;" in scores._repr_html_()


def test_html_leaves_out_designs_that_the_headline_says_and_no_model():
    scores = bc.load_uci().rename({"rf": "n", "svm": "rho"})
    header = scores._repr_html_().partition("</thead>")[0]
    assert "<th>n</th>" in header
    assert header.count("<th>rho</th>") == 1
    assert "resampling" not in header


def test_repr_of_many_models_fits_a_screen():
    scores = Scores.from_arrays(
        {f"model {i}": np.arange(100.0) for i in range(40)}, higher_is_better=True, datasets=100
    )
    assert len(repr(scores).splitlines()) <= 6


# ---- file objects, formats, JSON


CSV = "model,dataset,score\na,x,1\na,y,2\nb,x,0\nb,y,1.5\n"
RECORDS = [
    {"model": m, "dataset": d, "score": s} for m, d, s in (("a", "x", 1), ("a", "y", 2), ("b", "x", 0), ("b", "y", 1.5))
]
CONTENTS = {
    "csv": CSV,
    "tsv": CSV.replace(",", "\t"),
    "json": json.dumps(RECORDS),
    "columns": json.dumps({name: [r[name] for r in RECORDS] for name in RECORDS[0]}),
    "jsonl": "\n".join(map(json.dumps, RECORDS)),
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
@pytest.mark.parametrize("binary", [False, True], ids=["text", "bytes"])
def test_file_objects_show_their_format(content, binary):
    """The format follows from the content: the same scores whatever it is, with and without a byte-order mark."""
    expected = bc.read_scores(io.StringIO(CSV), format="csv", higher_is_better=True)
    file = io.BytesIO(content.encode("utf-8-sig")) if binary else io.StringIO(content)
    assert bc.read_scores(file, higher_is_better=True) == expected
    assert expected.values[:, :, 0].tolist() == [[1, 2], [0, 1.5]]


def test_parquet_from_a_file_object():
    pytest.importorskip("pyarrow")
    file = io.BytesIO()
    pd.DataFrame(RECORDS).to_parquet(file)
    file.seek(0)
    assert bc.read_scores(file, higher_is_better=True) == bc.read_scores(io.StringIO(CSV), higher_is_better=True)


def test_a_format_overrules_the_ending(tmp_path):
    path = tmp_path / "results.log"
    path.write_text(CSV)
    assert bc.read_scores(path, format="csv", higher_is_better=True).models == ("a", "b")
    with pytest.raises(bc.ScoresError, match=r"must end in one of \.csv.*give format="):
        bc.read_scores(path, higher_is_better=True)
    with path.open("rb") as file:
        assert bc.read_scores(file, higher_is_better=True).models == ("a", "b")
    with pytest.raises(bc.ScoresError, match='`format` must be one of "csv"'):
        bc.read_scores(path, format="xlsx", higher_is_better=True)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (io.StringIO(" \n"), "is empty"),
        (io.StringIO("a,\ud800"), "UTF-8"),
        (io.BytesIO(b"\xff\xfe"), "UTF-8"),
        (types.SimpleNamespace(read=lambda: 3), "text or bytes, got int"),
        (3, "`path` must be the path of a file, or a file object, got 3"),
    ],
    ids=["empty", "surrogate", "bytes", "not a file", "number"],
)
def test_file_objects_that_cannot_be_read(file, words):
    with pytest.raises(bc.ScoresError, match=words):
        bc.read_scores(file)


def test_a_closed_file_object():
    file = io.StringIO(CSV)
    file.close()
    with pytest.raises(bc.ScoresError, match="that can be read: I/O operation on closed file"):
        bc.read_scores(file)


@pytest.mark.parametrize("make", [bc.load_labour, bc.load_domains, bc.load_uci])
def test_scores_and_pairs_survive_json_and_pickle(make):
    scores = make()
    pair = scores.pair(*scores.models[:2])
    for value in (scores, pair, *scores.resampling[:1]):
        if value is not None:
            assert type(value).from_json(value.to_json()) == value
            assert pickle.loads(pickle.dumps(value)) == value
    assert pair.swap() != pair


def test_missing_scores_survive_json():
    frame = pd.DataFrame({"dataset": ["x", "y"], "a": [1.0, 2.0], "b": [0.5, np.nan]})
    scores = Scores.from_frame(frame, metric="accuracy")
    assert json.loads(scores.to_json())["values"][1] == [[0.5], ["nan"]]
    assert Scores.from_json(scores.to_json()) == scores


GOOD = bc.load_domains().to_dict()
DAMAGED = {
    "no kind": ({"kind": None}, '"kind"'),
    "other kind": ({"kind": "Pair"}, "must have a kind of Scores"),
    "no values": ({"values": []}, "3 models x 10 datasets x resamples.*got shape"),
    "flat values": ({"values": [1.0, 2.0]}, "got shape \\(2,\\)"),
    "ragged values": ({"values": [[[1.0], [2.0, 3.0]]]}, "values must be an array of numbers"),
    "text values": ({"values": "x"}, "values must be an array of numbers"),
    "infinite values": ({"values": [[["inf"]] * 10] * 3}, "must be finite"),
    "a model too few": ({"models": ["A", "B"]}, "2 models x 10 datasets"),
    "names alike": ({"models": ["A", "A ", "B"]}, "differ only in spaces"),
    "a name that is not text": ({"models": ["A", 1, "B"]}, "models\\[1\\] must be a text"),
    "keys too few": ({"keys": [[[1, 1]]]}, "`keys` must have one entry for each of 10 datasets, got 1"),
    "keys twice": ({"keys": [[[1, 1], [1, 1]]] * 10}, "once, at most 1 of them; got 2, 1 different"),
    "no keys": ({"keys": [[]] * 10}, "got 0, 0 different"),
    "keys of text": ({"keys": [[["a", "b"]]] * 10}, "must be a whole number"),
    "designs too few": ({"resampling": []}, "`resampling` must have one entry"),
    "designs that do not fit": ({"resampling": [Resampling.kfold(2).to_dict()] * 10}, "2-fold CV makes 2 scores"),
    "scale": ({"scale": "furlongs"}, "`scale` must be one of"),
    "direction": ({"higher_is_better": "no"}, "must be true or false"),
    "a field too many": ({"colour": "red"}, '"colour"'),
}


@pytest.mark.parametrize(("change", "words"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_scores_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        Scores.from_dict(GOOD | change)


NONSENSE = {
    "rho": ({"rho": 1.0}, "`rho` must be in"),
    "rho of text": ({"rho": "x"}, "rho must be a number"),
    "scheme": ({"scheme": "guess"}, "`scheme` must be one of kfold"),
    "folds that do not fit": ({"folds": 3}, "must fit each other"),
    "no folds": ({"folds": None}, "must fit each other"),
    "half a fold": ({"folds": 2.5}, "must be a whole number"),
    "a design without end": ({"n": 10**9, "folds": 10, "repeats": 10**8}, "at most 10,000,000 scores"),
    "one size of two": ({"n_train": 9.0}, "must fit each other"),
    "a negative size": ({"n_train": -9.0, "n_test": 1.0}, "`n_train` must be positive"),
    "folds of random splits": ({"scheme": "subsampling"}, "must fit each other"),
    "folds of no folds": ({"scheme": "custom", "n": None}, "must fit each other"),
}


@pytest.mark.parametrize(("change", "words"), NONSENSE.values(), ids=NONSENSE)
def test_designs_that_cannot_be_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        Resampling.from_dict(Resampling.kfold(10, repeats=10).to_dict() | change)


def test_designs_are_equal_and_hashable_by_their_numbers():
    assert len({Resampling.kfold(10), Resampling.kfold(10), Resampling.kfold(5)}) == 2
    for design in (
        *(Resampling.kfold(5, 2), Resampling.subsampling(50, 6, 100), Resampling.holdout(90, 10)),
        *(Resampling.independent(), Resampling.custom(0.2), Resampling.from_sizes([9, 9], [1, 1])),
        *(
            Resampling.from_sizes([5] * 4, [5] * 4, folds=2),
            Resampling.from_sizes([5] * 4, [5] * 4, folds=2, repeats=2),
        ),
    ):
        assert Resampling.from_json(design.to_json()) == design


PAIR = bc.load_domains().pair("A", "B")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scores_a": [[1.0]]}, "10 datasets x resamples.*\\(1, 1\\) and \\(10, 1\\)"),
        ({"b": "A"}, "two models.*got 'A' and 'A'"),
        ({"resampling": []}, "0 designs"),
        ({"datasets": ["x"] * 10}, "1 different names of 10 datasets"),
        ({"scores_a": [["nan"]] * 10}, "must be finite"),
        ({"scale": "feet"}, "`scale` must be one of"),
    ],
    ids=["shape", "one model", "designs", "names", "nan", "scale"],
)
def test_damaged_pairs_are_refused(change, words):
    with pytest.raises(bc.ScoresError, match=words):
        bc.Pair.from_dict(PAIR.to_dict() | change)


# ---- scales


def test_log_compares_ratios():
    """Closed form: a model with twice the RMSE everywhere differs by log 2, whatever the units of the datasets."""
    scores = Scores.from_arrays({"a": [1.0, 200.0], "b": [2.0, 400.0]}, metric="rmse", datasets=2).transform("log")
    pair = scores.pair("a", "b")
    assert pair.means == pytest.approx([np.log(2)] * 2)
    assert pair.difference_name == "log ratio"


def test_logit_compares_odds():
    pair = Scores.from_arrays({"a": [0.8], "b": [0.5]}, metric="accuracy", datasets=1).transform("logit").pair("a", "b")
    assert pair.means == pytest.approx([np.log(4)])


def test_relative_is_the_share_of_the_mean_score():
    """(12 - 8) / 10 = 0.4, and the other way round -0.4."""
    scores = Scores.from_arrays({"a": [12.0], "b": [8.0], "c": [99.0]}, higher_is_better=True, datasets=1).transform(
        "relative"
    )
    assert scores.pair("a", "b").means == pytest.approx([0.4])
    assert scores.pair("b", "a").means == pytest.approx([-0.4])


def test_result_says_its_scale():
    scores = Scores.from_arrays(
        {"a": [1.0, 2.0, 3.0], "b": [2.0, 4.0, 5.0]}, resampling=Resampling.kfold(3), higher_is_better=True
    )
    p = bc.bayes.correlated_ttest(scores.transform("log").pair("a", "b"), rope=0.01)
    assert "a's score is 47 % lower on average" in repr(p)  # the geometric mean of 1/2, 1/2 and 3/5 is 0.531
    assert "b's score is 88 % higher on average" in p.sentence()


# ---- directions


@pytest.mark.parametrize(
    ("metric", "up"),
    [
        ("accuracy", True),
        ("Test ROC-AUC", True),
        ("neg_mean_squared_error", True),
        ("val_loss", False),
        ("RMSE", False),
    ],
)
def test_known_metrics_have_a_direction(metric, up):
    assert higher_is_better(metric, None) is up
    assert higher_is_better(metric, not up) is (not up), "what is said wins"


# ---- designs


def test_rho_of_designs():
    """Nadeau and Bengio: n_test / (n_train + n_test); 1/k for k-fold."""
    assert Resampling.kfold(10, repeats=10).rho == pytest.approx(0.1)
    assert Resampling.kfold(2, repeats=5).rho == 0.5
    assert Resampling.subsampling(50, 6, repeats=100).rho == pytest.approx(6 / 56)
    assert Resampling.holdout(90, 10).rho == pytest.approx(0.1)
    assert Resampling.independent().rho == 0
    assert Resampling.from_dict(Resampling.kfold(5).to_dict()) == Resampling.kfold(5)


def test_rope_borders_have_a_tolerance():
    rope = bc.Rope.of(0.01)
    assert 0.86 - 0.85 > 0.01, "floating point"
    assert rope.regions(np.array([0.86 - 0.85, 0.85 - 0.86, 0.0101, -0.0101])).tolist() == [0, 0, 1, -1]
    assert bc.Rope.of(0).regions(np.array([1e-300, 0.0])).tolist() == [1, 0]
    assert bc.Rope(-0.02, 0.01).swap() == bc.Rope(-0.01, 0.02)


def test_ropes_are_values():
    """Equal and hashable by their numbers, in short as papers print them, and through JSON."""
    assert {bc.Rope.of(0.01), bc.Rope(-0.01, 0.01), bc.Rope.of(0)} == {bc.Rope(-0.01, 0.01), bc.Rope(0, 0)}
    ropes = {
        "0": bc.Rope.of(0),
        "±0.01": bc.Rope.of(0.01),
        "[-0.01, 0.02]": bc.Rope(-0.01, 0.02),
        "±inf": bc.Rope.of(np.inf),
    }
    for short, rope in ropes.items():
        assert rope.short == short
        assert bc.Rope.from_json(rope.to_json()) == rope
        assert pickle.loads(pickle.dumps(rope)) == rope
    with pytest.raises(bc.RopeError, match="must contain 0"):
        bc.Rope.from_dict({"kind": "Rope", "low": 1, "high": 2})


# ---- scikit-learn


@pytest.fixture(scope="module")
def iris():
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)


def cross_validated(iris, cv, **options):
    from sklearn.model_selection import cross_validate
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    models = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
    return {name: cross_validate(model, *iris, cv=cv, **options) for name, model in models.items()}


def test_cross_validate_with_indices_knows_its_design(iris):
    from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit

    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=1)
    results = cross_validated(iris, cv, return_indices=True)
    scores = Scores.from_cross_validate(results, higher_is_better=True)
    assert scores.resampling[0].name == "3 x 5-fold CV"
    assert scores.values[0, 0] == pytest.approx(results["nb"]["test_score"])
    assert Scores.from_cross_validate(results, cv=cv, higher_is_better=True).resampling[0].rho == pytest.approx(0.2)
    split = cross_validated(iris, ShuffleSplit(4, test_size=0.2, random_state=1), return_indices=True)
    design = Scores.from_cross_validate(split, higher_is_better=True).resampling[0]
    assert (design.scheme, design.n_train, design.n_test, design.n) == ("subsampling", 120, 30, 4)
    without = {m: {"test_score": r["test_score"]} for m, r in split.items()}
    assert Scores.from_cross_validate(
        without, cv=ShuffleSplit(4, test_size=0.2, random_state=1), n_samples=150, higher_is_better=True
    ).resampling == (Resampling.subsampling(120, 30, 4),)


def test_splitters_name_their_design():
    """rho of k folds is 1/k; leaving one of n cases out is n folds; a random split needs to know n."""
    from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, ShuffleSplit, StratifiedKFold

    def design(cv, n, **options):
        ten = {"test_score": np.linspace(0.1, 0.9, n)}
        return Scores.from_cross_validate({"a": ten, "b": ten}, cv=cv, **options, higher_is_better=True).resampling[0]

    for cv in (KFold(5), StratifiedKFold(5), GroupKFold(5), KFold(5, shuffle=True, random_state=1)):
        assert (design(cv, 5).rho, design(cv, 5).n) == (pytest.approx(1 / 5), 5)
    assert design(LeaveOneOut(), 10).rho == pytest.approx(1 / 10)
    with pytest.raises(bc.ResamplingError, match="ShuffleSplit's splits must be known: give n_samples="):
        design(ShuffleSplit(4, test_size=0.2, random_state=1), 4)


def test_models_on_different_folds_are_refused(iris):
    from sklearn.model_selection import KFold

    cv = KFold(3, shuffle=True)
    with pytest.raises(bc.ScoresError, match="same folds"):
        Scores.from_cross_validate(cross_validated(iris, cv, return_indices=True))
    with pytest.raises(bc.ScoresError, match="other folds in every call"):
        Scores.from_cross_validate(cross_validated(iris, cv), cv=cv)


def test_splits_in_time_order(iris):
    """Growing training sets are prequential, by their splits and by their splitter; sliding windows are refused."""
    from sklearn.model_selection import TimeSeriesSplit

    order = np.random.default_rng(0).permutation(150)
    shuffled = tuple(x[order] for x in iris)
    options = {"metric": "accuracy"}
    for cv in (TimeSeriesSplit(4), TimeSeriesSplit(4, gap=2)):  # 5 blocks of 30
        for results, given in ((cross_validated(shuffled, cv, return_indices=True), None),
                               (cross_validated(shuffled, cv), cv)):  # fmt: skip
            design = Scores.from_cross_validate(results, cv=given, **options).resampling[0]
            assert design == Resampling.blocked(5, warm_up=1)
    later = cross_validated(shuffled, TimeSeriesSplit(3, test_size=20), return_indices=True)
    assert Scores.from_cross_validate(later, **options).resampling[0] == Resampling.blocked(7, warm_up=4)
    sliding = TimeSeriesSplit(3, max_train_size=20, test_size=20)
    with pytest.raises(bc.ResamplingError, match="neither k-fold, nor random"):
        Scores.from_cross_validate(cross_validated(shuffled, sliding, return_indices=True), **options)
    with pytest.raises(bc.ResamplingError, match="TimeSeriesSplit is not known"):
        Scores.from_cross_validate(cross_validated(shuffled, sliding), cv=sliding, **options)


def test_indices_of_one_model_only_are_refused(iris):
    both = cross_validated(iris, 3, return_indices=True)
    del both["tree"]["indices"]
    with pytest.raises(bc.ScoresError, match="only one result has them"):
        Scores.from_cross_validate(both)


def test_cross_validate_without_a_design_is_refused(iris):
    with pytest.raises(bc.ResamplingError, match="return_indices=True"):
        Scores.from_cross_validate(cross_validated(iris, 3))


def test_cross_validate_picks_the_scorer(iris):
    results = cross_validated(iris, 3, scoring=["accuracy", "neg_log_loss"])
    scores = Scores.from_cross_validate(results, cv=3, metric="neg_log_loss")
    assert scores.metric == "neg_log_loss"
    assert scores.higher_is_better
    with pytest.raises(bc.ScoresError, match="pick one with metric="):
        Scores.from_cross_validate(results, cv=3)


def test_cross_validate_on_several_datasets():
    fold = {"test_score": [0.9, 0.8]}
    results = {"a": {"x": fold, "y": fold}, "b": {"x": fold, "y": {"test_score": [0.5, 0.6]}}}
    scores = Scores.from_cross_validate(results, cv=2, higher_is_better=True)
    assert scores.datasets == ("x", "y")
    assert scores.pair("a", "b").means == pytest.approx([0, 0.3])


def test_negated_losses_need_their_direction_said():
    results = {m: {"test_rmse": [-1.0, -2.0]} for m in "ab"}
    with pytest.raises(bc.ScoresError, match="greater_is_better"):
        Scores.from_cross_validate(results, cv=2)
    assert Scores.from_cross_validate(results, cv=2, higher_is_better=True).higher_is_better


def test_grid_search_candidates_are_models(iris):
    from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=2)
    grid = {"max_depth": [1, 2], "criterion": ["gini"]}
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=cv).fit(*iris)
    scores = Scores.from_cv_results(search, higher_is_better=True)
    assert scores.models == ("max_depth=1", "max_depth=2")
    assert scores.resampling[0] == Resampling.kfold(4, repeats=2)
    assert scores.summary().loc["dataset", "max_depth=2"] == pytest.approx(search.cv_results_["mean_test_score"][1])
    assert bc.bayes.correlated_ttest(scores.pair("max_depth=2", "max_depth=1"), rope=0.01).p_better > 0.99
    with pytest.raises(bc.ScoresError, match="Call fit first"):
        Scores.from_cv_results(GridSearchCV(DecisionTreeClassifier(), grid))


def test_both_readers_of_scikit_learn_name_scores_by_one_rule(iris):
    """Two scorers, one with a name, one without: the same metric from cross_validate and from a search."""
    from sklearn.model_selection import GridSearchCV, KFold, cross_validate
    from sklearn.tree import DecisionTreeClassifier

    cv, tree = KFold(3, shuffle=True, random_state=0), DecisionTreeClassifier(random_state=0)
    for scoring, metric, name in (
        (["accuracy", "neg_log_loss"], "neg_log_loss", "neg_log_loss"),
        (["neg_log_loss"], None, "neg_log_loss"),
        (["neg_log_loss"], "neg_log_loss", "neg_log_loss"),
        ("accuracy", "accuracy", "accuracy"),
    ):
        search = GridSearchCV(tree, {"max_depth": [1, 2]}, scoring=scoring, cv=cv, refit=False).fit(*iris)
        fitted = {f"max_depth={d}": cross_validate(DecisionTreeClassifier(max_depth=d, random_state=0), *iris,
                                                   scoring=scoring, cv=cv) for d in (1, 2)}  # fmt: skip
        found = Scores.from_cv_results(search, metric=metric)
        assert found.metric == name
        for given in ({"cv": cv}, {"resampling": cv}, {"cv": Resampling.kfold(3)}, {"resampling": 3}):
            assert Scores.from_cross_validate(fitted, metric=metric, **given) == found
            for results in (search.cv_results_, pd.DataFrame(search.cv_results_), search):
                assert Scores.from_cv_results(results, metric=metric, **given) == found
    assert Scores.from_cv_results(search).metric == "accuracy", "the search shows it"
    with pytest.raises(bc.ScoresError, match="has the scores \"accuracy\": pick one with metric=, got 'f1'"):
        Scores.from_cv_results(search, metric="f1")
    with pytest.raises(bc.ResamplingError, match="two names of one thing"):
        Scores.from_cv_results(search, cv=3, resampling=Resampling.kfold(3))
    with pytest.raises(bc.ResamplingError, match="a number of folds, a splitter"):
        Scores.from_cross_validate(fitted, cv="three", metric="accuracy")


def test_names_of_candidates_are_not_ambiguous():
    """Commas and equals signs inside of a value do not look like another parameter."""

    def names(*params):
        found = {"params": list(params), "split0_test_score": [0.1] * len(params), "split1_test_score": [0.2] * 9}
        found["split1_test_score"] = found["split1_test_score"][: len(params)]
        return Scores.from_cv_results(found, cv=2, metric="accuracy").models

    assert names({"a": "1, b=2"}, {"a": "1", "b": 2}) == ("a='1, b=2'", "a=1, b=2")
    assert names({"sizes": (10, 5), "k": "rbf"}, {"sizes": (10,), "k": "rbf"}) == ("sizes=(10, 5)", "sizes=(10,)")
    assert names({"a": "it's"}, {"a": "x "}) == ('a="it\'s"', "a='x '")
    assert names({"a": 1}, {"a": "1"}) == ("1: a=1", "2: a=1")


# ---- bundled


def test_labour_row_sums():
    """Data block LAB: errors of each trial."""
    sums = np.rint(bc.load_labour().values.reshape(3, 10, 10).sum(axis=2) * 6).astype(int)
    assert sums.tolist() == [
        [10, 9, 14, 6, 7, 4, 5, 10, 8, 12],
        [3, 7, 5, 10, 3, 3, 2, 5, 8, 7],
        [4, 3, 4, 6, 2, 1, 1, 4, 5, 6],
    ]


def test_domains_have_the_known_rank_sums():
    """Data block ABC, unrounded: rank sums 15, 30, 15 (example W14)."""
    values = bc.load_domains().values[:, :, 0]
    ranks = (-values).argsort(axis=0).argsort(axis=0) + 1
    assert ranks.sum(axis=1).tolist() == [15, 30, 15]


def test_uci_results_are_whole():
    scores = bc.load_uci()
    assert len(scores.models) >= 6
    assert len(scores.datasets) >= 20
    assert (scores.counts == 100).all()
    assert all(r.name == "10 x 10-fold CV" and abs(r.rho - 0.1) < 1e-12 for r in scores.resampling)
    assert ((scores.values >= 0) & (scores.values <= 1)).all()
    means = scores.summary()
    assert means.loc["iris", "rf"] > 0.9, "anybody's random forest on iris"
