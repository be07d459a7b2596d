"""Tables of items: found by name, samples that are not items, clusters, items that only one model answered."""

import io

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import Resampling, Scores
from bayescmp.errors import MissingWarning, ResamplingError, ScoresError


def long(models, items, values, **columns):
    rows = pd.DataFrame(
        [
            {"model": m, "item": i, "score": v}
            for m, row in zip(models, values, strict=True)
            for i, v in zip(items, row, strict=True)
        ]
    )
    return rows.assign(**columns)


@pytest.fixture
def answers(rng):
    """Three models, two benchmarks of 30 and 40 questions in passages, right or wrong, rows shuffled."""
    parts = []
    for name, n in (("arc", 30), ("gsm", 40)):
        items = [f"q{i}" for i in range(n)]
        part = long("abc", items, rng.integers(0, 2, (3, n)), task=name)
        part["passage"] = "p" + part.item.str[1:].astype(int).floordiv(5).astype(str)
        parts.append(part)
    return pd.concat(parts).sample(frac=1, random_state=2).reset_index(drop=True)


def test_items_are_matched_by_name_not_by_order(answers):
    scores = Scores.from_frame(answers, metric="accuracy")
    assert scores.resampling == (Resampling.items(),) * 2
    assert scores.resampling[0].rho == 0
    pair = scores.pair("a", "b")
    for dataset in ("arc", "gsm"):
        wide = answers[answers.task == dataset].pivot(index="item", columns="model", values="score")
        found = pd.Series(pair.select(dataset).differences[0], index=pair.items[dataset].names)
        assert found.sort_index().tolist() == (wide.a - wide.b).sort_index().tolist()
    clusters = scores.items["gsm"]
    assert [clusters.cluster_names[c] for c in clusters.clusters] == [f"p{int(q[1:]) // 5}" for q in clusters.names]
    assert 'item = "item", cluster = "passage"' in repr(scores)
    assert "30 to 40 items, in 8 clusters ..." in repr(scores)


@pytest.mark.parametrize("item", ["item", "doc_id", "question_id", "instance", "case", "sample_id", "Doc_ID"])
@pytest.mark.parametrize("sample", ["sample", "epoch", "attempt"])
@pytest.mark.parametrize("cluster", ["cluster", "group", "passage"])
def test_usual_names_of_columns_are_understood(item, sample, cluster):
    text = f"model,{item},{sample},{cluster},score\na,1,1,x,1\na,1,2,x,0\na,2,1,y,1\nb,2,1,y,0\nb,1,1,x,1\nb,1,2,x,1\n"
    scores = bc.read_scores(io.StringIO(text), metric="accuracy")
    (found,) = scores.items.values()
    assert scores.values[:, 0].tolist() == [[0.5, 1.0], [1.0, 0.0]]
    assert found.names == ("1", "2")
    assert found.cluster_names == ("x", "y")
    assert found.counts.tolist() == [[2, 1], [2, 1]]
    assert f'item = "{item}", sample = "{sample}", cluster = "{cluster}"' in scores.notes[0]


def test_samples_are_no_items_but_a_mean(rng):
    values = rng.integers(0, 2, (2, 7, 3)).astype(float)
    scores = Scores.from_arrays(
        dict(zip("ab", values, strict=True)), metric="accuracy", resampling=Resampling.items(samples=3)
    )
    pair = scores.pair("a", "b")
    assert pair.counts.tolist() == [7]
    assert pair.differences[0] == pytest.approx((values[0] - values[1]).mean(axis=1))
    assert np.array_equal(pair.swap().items["dataset"].samples, values[::-1])
    with pytest.raises(ScoresError, match="samples are not items"):
        Scores.from_arrays(dict(zip("ab", values, strict=True)), metric="accuracy", resampling=Resampling.items())
    with pytest.raises(ScoresError, match="items x samples"):
        Scores.from_arrays({"a": [1, 0], "b": [0, 1]}, metric="accuracy", resampling=Resampling.items(samples=2))
    with pytest.raises(ScoresError, match="duplicated"):  # samples without a column that tells them apart
        Scores.from_frame(scores.to_frame().drop(columns="sample"), metric="accuracy")


def test_arrays_of_items_are_right_or_wrong_with_names_and_clusters():
    scores = Scores.from_arrays(
        {"a": [True, False, True], "b": [False, False, True]},
        metric="accuracy",
        resampling=Resampling.items(),
        items=["x", "y", "z"],
        clusters=[1, 1, 2],
    )
    assert scores.values.tolist() == [[[1, 0, 1]], [[0, 0, 1]]]
    assert repr(scores.items["dataset"]) == "Items: 3 items in 2 clusters"
    with pytest.raises(ScoresError, match="its own name"):
        Scores.from_arrays({"a": [1, 0]}, metric="accuracy", resampling=Resampling.items(), items=["x", "x"])
    with pytest.raises(ScoresError, match="one entry for each of 2 items, got 3"):
        Scores.from_arrays({"a": [1, 0]}, metric="accuracy", resampling=Resampling.items(), clusters=[1, 2, 3])
    with pytest.raises(ScoresError, match="are for items"):
        Scores.from_arrays({"a": [1, 0]}, metric="accuracy", resampling=Resampling.kfold(2), clusters=[1, 2])


def test_an_item_that_one_model_answered_is_reported_and_left_out(answers):
    lost = (answers.model == "b") & (answers.task == "arc") & answers.item.isin(["q3", "q7"])
    lost |= (answers.model == "a") & (answers.task == "arc") & (answers.item == "q20")
    scores = Scores.from_frame(answers[~lost], metric="accuracy")
    with pytest.warns(MissingWarning, match=r'a vs b: .* left out: "arc" 3 of 30 \(2 of a, 1 of b\)'):
        pair = scores.pair("a", "b")
    assert pair.counts.tolist() in ([27, 40], [40, 27])
    assert not set(pair.items["arc"].names) & {"q3", "q7", "q20"}
    assert pair.items["arc"].clusters.size == 27
    whole = Scores.from_frame(answers, metric="accuracy").pair("a", "b").select("arc")
    of = dict(zip(whole.items["arc"].names, whole.differences[0], strict=True))
    assert pair.select("arc").differences[0].tolist() == [of[name] for name in pair.items["arc"].names]
    with pytest.warns(MissingWarning):
        assert scores.pair("b", "a") == pair.swap()


def test_models_without_an_item_in_common_are_refused():
    frame = pd.DataFrame({"model": ["a", "b"], "item": ["x", "y"], "score": [1, 0]})
    with pytest.raises(ScoresError, match="no item on which both"):
        Scores.from_frame(frame, metric="accuracy").pair("a", "b")


def test_duplicated_rows_are_counted_and_refused_unless_told_which_to_keep(answers):
    again = answers.assign(score=1 - answers.score)
    twice = pd.concat([answers, again])
    with pytest.raises(ScoresError, match=r'210 are duplicated; model .* is there 2 times.*keep="last"'):
        Scores.from_frame(twice, metric="accuracy")
    names = {"models": list("abc"), "datasets": ["arc", "gsm"]}
    for keep, expected in (("first", answers), ("last", again)):
        found = Scores.from_frame(twice, metric="accuracy", keep=keep).select(**names)
        assert found == Scores.from_frame(expected, metric="accuracy").select(**names)
    with pytest.raises(ScoresError, match='"first" or "last"'):
        Scores.from_frame(twice, metric="accuracy", keep="best")


@pytest.mark.parametrize("column", ["seed", "run"])
def test_runs_are_trained_models_that_are_kept_apart(answers, column, rng):
    parts = [answers.assign(**{column: r}, score=rng.integers(0, 2, len(answers))) for r in range(3)]
    parts[2] = parts[2][parts[2].model != "b"]  # models may have different numbers of runs
    frame = pd.concat(parts)
    scores = Scores.from_frame(frame, metric="accuracy")
    assert scores.resampling == (Resampling.items(runs=3),) * 2
    assert "2 to 3 runs each" in repr(scores)
    assert "each run is another trained model, and those of two models are not paired" in scores.notes
    pair = scores.pair("a", "b")
    for dataset in ("arc", "gsm"):
        items = pair.items[dataset]
        for m, model in enumerate("ab"):
            one = frame[(frame.model == model) & (frame.task == dataset)]
            wide = one.pivot(index="item", columns=column, values="score").loc[list(items.names)]
            assert np.array_equal(items.runs_of(m), wide.to_numpy())
            assert np.array_equal(
                (pair.scores_a, pair.scores_b)[m][list(pair.datasets).index(dataset)][: len(items)],
                wide.to_numpy().mean(axis=1),
            )
    again = Scores.from_frame(scores.to_frame()).to_frame()
    by = ["model", "dataset", "item", "run"]
    assert again.sort_values(by, ignore_index=True).equals(scores.to_frame().sort_values(by, ignore_index=True))
    assert Scores.from_json(scores.to_json()) == scores
    assert pair.swap().items["arc"].runs_of(0).shape[1] == 2
    alone = scores.select(models=["b"])
    assert alone.items["arc"].runs == 2


def test_a_run_that_lacks_items_is_refused(answers):
    frame = pd.concat([answers.assign(seed=1), answers.assign(seed=2)])
    lost = (frame.seed == 2) & (frame.model == "b") & (frame.task == "arc") & frame.item.isin(["q3", "q7"])
    with pytest.raises(ScoresError, match=r'one run of "b" on "arc" lacks 2 of those .*: ("q3", "q7"|"q7", "q3")'):
        Scores.from_frame(frame[~lost], metric="accuracy")
    with pytest.raises(ScoresError, match='run "1" is there 2 times'):
        Scores.from_frame(pd.concat([frame, frame[frame.seed == 1][:1]]), metric="accuracy")


def test_folds_and_repeats_do_not_show_who_answered(answers):
    with pytest.raises(ScoresError, match="2 folds"):
        Scores.from_frame(answers.assign(fold=np.arange(len(answers)) % 2), metric="accuracy")
    with pytest.raises(ScoresError, match=r"in 2 repeats, .* `run` where each is another trained model"):
        Scores.from_frame(pd.concat([answers.assign(rep=1), answers.assign(rep=2)]), metric="accuracy")
    assert Scores.from_frame(answers.assign(seed=1), metric="accuracy") == Scores.from_frame(answers, metric="accuracy")


def test_arrays_of_runs_and_samples(rng):
    x = rng.uniform(size=(2, 6, 3, 2))
    design = Resampling.items(runs=3, samples=2)
    scores = Scores.from_arrays(dict(zip("ab", x, strict=True)), metric="accuracy", resampling=design)
    assert repr(scores.items["dataset"]) == "Items: 6 items, 3 runs each, 2 samples each"
    assert scores.pair("a", "b").items["dataset"].runs_of(1) == pytest.approx(x[1].mean(axis=2))
    assert scores.values[:, 0] == pytest.approx(x.mean(axis=(2, 3)))
    assert design.name == "items, up to 3 runs each, up to 2 samples each"
    with pytest.raises(ScoresError, match="every array must be items x runs x samples, 3-D"):
        Scores.from_arrays(dict(zip("ab", x[..., 0], strict=True)), metric="accuracy", resampling=design)
    with pytest.raises(ScoresError, match=r"Every item must have 4 runs, as in the design, got shape \(6, 3\) of `a`"):
        Scores.from_arrays({"a": x[0, ..., 0]}, metric="accuracy", resampling=Resampling.items(runs=4))


def test_an_item_is_in_one_cluster(answers):
    answers.loc[answers.index[-1], "passage"] = "other"
    with pytest.raises(ScoresError, match='Every item must be in one cluster, but item "q'):
        Scores.from_frame(answers, metric="accuracy")


def test_items_need_names(answers):
    with pytest.raises(ScoresError, match="Items are matched by name"):
        Scores.from_frame(answers.drop(columns="item"), metric="accuracy", resampling=Resampling.items())
    with pytest.raises(ScoresError, match="row 4 has none"):
        Scores.from_frame(answers.assign(item=answers.item.where(answers.index != 3)), metric="accuracy")
    with pytest.raises(ScoresError, match="no column names the items"):
        Scores.from_frame(answers.drop(columns="item"), metric="accuracy", cluster="passage")
    with pytest.raises(ScoresError, match=r"its design is Resampling.items\(\), but 10-fold CV was given"):
        Scores.from_frame(answers, metric="accuracy", resampling=Resampling.kfold(10))


def test_wide_tables_have_an_item_per_row(answers):
    arc = answers[answers.task == "arc"].drop(columns="task")
    wide = arc.pivot(index=["item", "passage"], columns="model", values="score").reset_index()
    one, two = Scores.from_frame(wide, metric="accuracy"), Scores.from_frame(arc, metric="accuracy")
    for name in "bc":
        differences = [
            dict(zip(p.items["dataset"].names, p.differences[0], strict=True))
            for p in (one.pair("a", name), two.pair("a", name))
        ]
        assert differences[0] == differences[1]
    rows = wide[["a", "b", "c"]].astype(float)
    rows.loc[4, "b"] = np.nan
    scores = Scores.from_frame(rows, metric="accuracy", resampling=Resampling.items())
    with pytest.warns(MissingWarning, match=r"1 of 30 \(1 of a, 0 of b\)"):
        assert "5" not in scores.pair("a", "b").items["dataset"].names
    with pytest.raises(ScoresError, match='"sample" may not be models'):
        Scores.from_frame(rows.dropna().assign(sample=1), metric="accuracy", resampling=Resampling.items())


def test_items_survive_every_trip(answers, rng):
    answers["epoch"] = 1
    more = answers[answers.task == "gsm"].assign(epoch=2, score=rng.uniform(size=120))
    scores = Scores.from_frame(pd.concat([answers, more]), metric="accuracy")
    assert scores.resampling[scores.datasets.index("gsm")].samples == 2
    assert Scores.from_json(scores.to_json()) == scores
    again = Scores.from_frame(scores.to_frame(), metric="accuracy")
    assert len(scores.to_frame()) == len(answers) + len(more)
    names = {"models": ["c", "a"], "datasets": ["gsm"]}
    one, two = again.select(**names).pair("c", "a"), scores.select(**names).pair("c", "a")
    order = [one.items["gsm"].names.index(name) for name in two.items["gsm"].names]
    assert one.differences[0][order] == pytest.approx(two.differences[0])
    assert np.sort(one.items["gsm"].samples[:, order]) == pytest.approx(np.sort(two.items["gsm"].samples))
    pair = scores.pair("a", "b")
    assert bc.Pair.from_json(pair.to_json()) == pair
    assert pair.swap().swap() == pair
    assert scores.drop("gsm").items.keys() == {"arc"}
    assert scores.rename({"gsm": "math"}).items.keys() == {"arc", "math"}
    with pytest.raises(ScoresError, match="Transform the answers"):
        scores.select(datasets=["gsm"]).transform("relative")


def test_a_hundred_models_on_many_items_are_read_without_a_loop(rng):
    n, k = 20_000, 20
    frame = {
        "model": np.repeat([f"m{i}" for i in range(k)], n),
        "item": np.tile(np.arange(n), k),
        "score": rng.integers(0, 2, n * k).astype(float),
    }
    from bayescmp.scores.frames import from_columns

    columns = {name: frame[name].tolist() for name in ("model", "item")}
    scores = from_columns(Scores, columns, frame["score"], metric="accuracy")
    assert np.array_equal(scores.values[:, 0], frame["score"].reshape(k, n))


def test_the_design_of_items():
    assert repr(Resampling.items()) == "Resampling: items (rho=0.000)"
    assert Resampling.from_json(Resampling.items(5).to_json()) == Resampling.items(samples=5)
    for wrong in (0, 1.5, "2", None):
        with pytest.raises(ResamplingError, match="samples"):
            Resampling.items(wrong)
    with pytest.raises(ResamplingError, match="fit each other"):
        Resampling(scheme="items", rho=0.1, samples=1)


def test_results_of_a_report_are_those_of_the_test_that_fits_the_items(tmp_path):
    """Seeds crossed with items, and clusters: by the public tests of the model against the best one."""
    rng = np.random.default_rng(8)
    rows = [
        {"model": m, "item": f"q{i}", "seed": s, "score": int(rng.random() < 0.6 + 0.05 * k)}
        for k, m in enumerate("abc")
        for s in range(3)
        for i in range(60)
    ]
    seeds = bc.Scores.from_frame(pd.DataFrame(rows), metric="accuracy", resampling=bc.Resampling.items(runs=3))
    clustered = bc.load_items().select(datasets=["credit-g"], models=["nb", "lr", "rf"])
    for scores, test in ((seeds, bc.bayes.per_instance_ttest), (clustered, bc.bayes.mcnemar_test)):
        c = bc.compare(scores, rope=0.02)
        table = bc.reports.results_table(c).set_index("model")
        best = table["best"].idxmax()
        for model in set(scores.models) - {best}:
            assert table["p_not_worse"][model] == pytest.approx(1 - test(scores.pair(model, best), rope=0.02).p_worse)
        assert "±" in c.report(tmp_path / "report.md", overwrite=True).read_text(encoding="utf-8")
