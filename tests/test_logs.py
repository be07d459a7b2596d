"""Logs of the LM Evaluation Harness, Inspect and HELM: small files of the real form, whole, missing, broken and mixed.

The oracle is the answers from which a test writes its files.
"""

import json
import os
import struct
import tracemalloc
import warnings
import zipfile
import zlib
from contextlib import suppress
from hashlib import sha256

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp import Resampling, Scores
from bayescmp.cli import main
from bayescmp.errors import MissingWarning, ScoresError
from bayescmp.scores import inspect_ai, logs

DATE = "2026-03-01T10-00-00.123456"
LATER = "2026-04-01T10-00-00.123456"
QWEN, LLAMA = "org/qwen", "org/llama"


# ---- files of the real form


def write_lm_eval(
    folder, model, tasks, *, date=DATE, results=None, filters=("none",), docs=None, metric="acc", **about
):
    """The results and samples of one run: tasks maps a name to the right and wrong answers, in the order of doc_id.

    `about` replaces fields of the results, `results` of their "results".
    """
    place = folder / model.replace("/", "__")
    place.mkdir(parents=True, exist_ok=True)
    means = {task: sum(x or 0 for x in answers) / len(answers) for task, answers in tasks.items()}
    found = {task: {"alias": task} | {f"{metric},{f}": mean for f in filters} for task, mean in means.items()}
    document = {
        "results": found | (results or {}),
        "group_subtasks": {task: [] for task in tasks},
        "configs": {task: {"task": task} for task in tasks},
        "versions": dict.fromkeys(tasks, 1.0),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {task: {metric: True} for task in tasks},
        "n-samples": {task: {"original": len(x), "effective": len(x)} for task, x in tasks.items()},
        "config": {"model": "hf", "model_args": f"pretrained={model}", "limit": None},
        "date": 1768964383.8,
        "model_name": model,
    } | about
    (place / f"results_{date}.json").write_text(json.dumps(document, indent=2))
    for task, answers in tasks.items():
        lines = []
        asked = (docs or {}).get(task) or [{"question": f"{task} {i}?"} for i in range(len(answers))]
        for i, (doc, value) in enumerate(zip(asked, answers, strict=True)):
            for name in filters:
                lines.append(
                    {
                        "doc_id": i,
                        "doc": doc,
                        "target": "0",
                        "arguments": {},
                        "resps": [["a"]],
                        "filtered_resps": ["a"],
                        "filter": name,
                        "metrics": [metric],
                        "doc_hash": sha256(json.dumps(doc).encode()).hexdigest(),
                        metric: value if name == filters[0] else 0.0,
                    }
                )
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (place / f"samples_{task}_{date}.jsonl").write_text(text)
    return place


def inspect_log(model, grades, *, task="arc", epochs=1, scorer="match", metadata=None, **about):
    """A log: grades of items x epochs; `about` replaces fields of its "eval"."""
    grades = np.reshape(np.array(grades, dtype=object), (-1, epochs))
    samples = [
        {
            "id": i + 1,
            "epoch": epoch + 1,
            "input": f"{task} question {i + 1}?",
            "target": "A",
            "messages": [],
            "output": {"model": model, "choices": []},
            "scores": {scorer: {"value": grade, "answer": "A"}},
            "metadata": metadata[i] if metadata else {},
            "events": [],
        }
        for i, row in enumerate(grades)
        for epoch, grade in enumerate(row)
    ]
    spec = {
        "run_id": "r",
        "created": "2026-03-01T10:00:00+00:00",
        "task": task,
        "task_version": 0,
        "dataset": {"name": task, "samples": len(grades), "sample_ids": list(range(1, len(grades) + 1))},
        "model": model,
        "config": {"limit": None, "epochs": epochs},
        "scorers": [{"name": scorer, "metrics": [{"name": "inspect_ai/accuracy"}, {"name": "inspect_ai/stderr"}]}],
    } | about
    return {"version": 2, "status": "success", "eval": spec, "plan": {}, "results": {}, "samples": samples}


def write_json(path, log):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(log, indent=2))
    return path


def write_eval(path, log, *, finished=True, compression=zipfile.ZIP_DEFLATED):
    path.parent.mkdir(parents=True, exist_ok=True)
    header = {name: value for name, value in log.items() if name != "samples"}
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": log["eval"], "plan": {}}))
        for sample in log["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        archive.writestr("_journal/summaries/1.json", "[]")
        if finished:
            archive.writestr("summaries.json", "[]")
            archive.writestr("header.json", json.dumps(header))
    return path


def write_helm(folder, model, values, *, scenario="mmlu", args=None, split="test", more=(), **adapter):
    """A run: values of instances x trials; `more` are further entries, `adapter` fields of the adapter."""
    args = {"subject": "anatomy"} if args is None else args
    name = f"{scenario}:" + ",".join(f"{k}={v}" for k, v in args.items()) + f",model={model.replace('/', '_')}"
    place = folder / name
    place.mkdir(parents=True)
    spec = {
        "name": name,
        "scenario_spec": {"class_name": "MMLUScenario", "args": args},
        "adapter_spec": {"method": "multiple_choice_joint", "max_train_instances": 5, "model": model} | adapter,
        "groups": [scenario],
    }
    write_json(place / "run_spec.json", spec)
    values = np.reshape(values, (len(values), -1))
    entries = [
        {
            "instance_id": f"id{i}",
            "train_trial_index": trial,
            "stats": [
                stat("num_prompt_tokens", 333.0, split),
                stat("training_co2_cost", None, split),
                stat("exact_match", float(value), split),
            ],
        }
        for i, row in enumerate(values)
        for trial, value in enumerate(row)
    ]
    write_json(place / "per_instance_stats.json", [*entries, *more])
    return place


def stat(name, value, split="test", **context):
    about = {"name": {"name": name, "split": split} | context}
    if value is None:
        return about | {"count": 0, "sum": 0, "sum_squared": 0}
    return about | {"count": 1, "sum": value, "sum_squared": value**2, "mean": value}


def differences(scores, a, b, dataset=None):
    pair = scores.pair(a, b)
    chosen = pair if dataset is None else pair.select(dataset)
    names = pair.items[dataset or pair.datasets[0]].names
    return dict(zip(names, chosen.differences[0].tolist(), strict=True))


@pytest.fixture
def harness(tmp_path):
    """A folder of two models on two tasks."""
    write_lm_eval(tmp_path, QWEN, {"arc": [1, 0, 1, 1], "boolq": [0, 0, 1]})
    write_lm_eval(tmp_path, LLAMA, {"arc": [1, 1, 0, 1], "boolq": [1, 0, 1]})
    return tmp_path


# ---- lm-evaluation-harness


def test_lm_eval_questions_are_matched_by_doc_id(harness):
    scores = Scores.from_lm_eval(harness)
    assert set(scores.models) == {QWEN, LLAMA}
    assert scores.datasets == ("arc", "boolq")
    assert scores.resampling == (Resampling.items(),) * 2
    assert (scores.metric, scores.higher_is_better) == ("acc", True)
    assert differences(scores, QWEN, LLAMA, "arc") == {"0": 0, "1": -1, "2": 1, "3": 0}
    assert differences(scores, QWEN, LLAMA, "boolq") == {"0": -1, "1": 0, "2": 0}
    path = harness / "org__qwen" / f"samples_arc_{DATE}.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[::-1]))
    assert differences(Scores.from_lm_eval(harness), QWEN, LLAMA, "arc") == {"0": 0, "1": -1, "2": 1, "3": 0}
    assert bc.read_scores(harness) == Scores.from_lm_eval(harness)


def test_lm_eval_from_files_lists_and_names(harness):
    qwen, llama = harness / "org__qwen", harness / "org__llama"
    everything = Scores.from_lm_eval(harness)
    assert set(Scores.from_lm_eval([qwen, str(llama)]).models) == {QWEN, LLAMA}
    named = Scores.from_lm_eval({"new": qwen, "old": [llama / f"results_{DATE}.json"]})
    assert named.models == ("new", "old")
    assert np.array_equal(
        named.pair("new", "old").differences, everything.pair(QWEN, LLAMA).differences, equal_nan=True
    )
    one = Scores.from_lm_eval([place / f"samples_boolq_{DATE}.jsonl" for place in (qwen, llama)])
    assert one.datasets == ("boolq",)
    assert differences(one, QWEN, LLAMA) == differences(everything, QWEN, LLAMA, "boolq")
    assert bc.read_scores(qwen / f"samples_arc_{DATE}.jsonl").models == (QWEN,)
    with pytest.raises(ScoresError, match=r'name "x", but its logs are those of "org/llama", "org/qwen"'):
        Scores.from_lm_eval({"x": harness})


def test_lm_eval_one_metric_and_one_filter(tmp_path):
    for model, gsm in ((QWEN, [1, 1, 0]), (LLAMA, [0, 1, 1])):
        write_lm_eval(tmp_path, model, {"gsm8k": gsm}, metric="exact_match", filters=("strict-match", "flexible"))
        write_lm_eval(tmp_path, model, {"arc": [1, 0]}, date=LATER, metric="exact_match")
    with pytest.raises(ScoresError, match=r'"gsm8k" has 2 filters: "strict-match", "flexible". Pick one with filter='):
        Scores.from_lm_eval(tmp_path)
    scores = Scores.from_lm_eval(tmp_path, filter="strict-match")
    assert differences(scores, QWEN, LLAMA, "gsm8k") == {"0": 1, "1": 0, "2": -1}
    assert "arc" in scores.datasets, "it has one filter, and no choice"
    assert any('others: "flexible"' in note for note in scores.notes)
    other = Scores.from_lm_eval(tmp_path, filter="flexible")
    assert set(differences(other, QWEN, LLAMA, "gsm8k").values()) == {0}
    with pytest.raises(ScoresError, match=r'no filter "strict". Did you mean "strict-match"'):
        Scores.from_lm_eval(tmp_path, filter="strict")


def test_lm_eval_several_metrics_are_asked_for(tmp_path):
    for model, values in ((QWEN, [1, 0]), (LLAMA, [0, 0])):
        write_lm_eval(tmp_path, model, {"arc": values})
        write_lm_eval(tmp_path, model, {"gsm8k": values}, date=LATER, metric="exact_match")
    with pytest.raises(ScoresError, match=r'2 metrics: "acc" \(1 of 2 tasks\), "exact_match" .* Pick one with metric='):
        Scores.from_lm_eval(tmp_path)
    with pytest.warns(MissingWarning, match='without the metric "acc", and left out: "gsm8k"'):
        scores = Scores.from_lm_eval(tmp_path, metric="acc")
    assert scores.datasets == ("arc",)
    assert {'other metrics: "exact_match"', 'without the metric "acc", and left out: "gsm8k"'} <= set(scores.notes)
    with pytest.raises(ScoresError, match=r'no metric "accc"'):
        Scores.from_lm_eval(tmp_path, metric="accc")


def test_lm_eval_direction_is_that_of_the_results(tmp_path):
    down = {"higher_is_better": {"wiki": {"surprise": False}}}
    for model, values in ((QWEN, [1.5, 2.0]), (LLAMA, [1.0, 3.0])):
        write_lm_eval(tmp_path, model, {"wiki": values}, metric="surprise", **down)
    assert differences(Scores.from_lm_eval(tmp_path), QWEN, LLAMA) == {"0": -0.5, "1": 1.0}
    assert differences(Scores.from_lm_eval(tmp_path, higher_is_better=True), QWEN, LLAMA) == {"0": 0.5, "1": -1.0}
    for model in (QWEN, LLAMA):
        write_lm_eval(tmp_path, model, {"wiki": [1.0]}, metric="surprise", higher_is_better={})
    with pytest.raises(ScoresError, match=r'direction of the metric "surprise" is not known'):
        Scores.from_lm_eval(tmp_path)
    write_lm_eval(tmp_path, QWEN, {"news": [1.0]}, date=LATER, metric="surprise")
    for model in (QWEN, LLAMA):
        write_lm_eval(tmp_path, model, {"wiki": [1.0]}, metric="surprise", **down)
    with pytest.raises(ScoresError, match=r'one direction, but higher is better on "news" and lower on "wiki"'):
        Scores.from_lm_eval(tmp_path)


def test_lm_eval_clusters_are_a_field_of_doc(tmp_path):
    docs = {
        "squad": [{"passage": text, "q": i} for i, text in enumerate(["short", "long " * 40, "long " * 40, "short"])]
    }
    for model, values in ((QWEN, [1, 0, 1, 1]), (LLAMA, [0, 0, 1, 1])):
        write_lm_eval(tmp_path, model, {"squad": values}, docs=docs)
    items = Scores.from_lm_eval(tmp_path, cluster="passage").items["squad"]
    assert items.clusters.tolist() == [items.clusters[0], items.clusters[1], items.clusters[1], items.clusters[0]]
    assert max(map(len, items.cluster_names)) < 70
    assert bc.read_scores(tmp_path, cluster="passage").items["squad"] == items
    with pytest.raises(ScoresError, match=r'no field "pasage". Did you mean "passage"') as caught:
        Scores.from_lm_eval(tmp_path, cluster="pasage")
    assert "long long" not in str(caught.value)


def test_lm_eval_newest_run_unless_told(harness):
    write_lm_eval(harness, QWEN, {"arc": [0, 0, 0, 0]}, date=LATER)
    scores = Scores.from_lm_eval(harness)
    assert differences(scores, QWEN, LLAMA, "arc") == {"0": -1, "1": -1, "2": 0, "3": -1}
    assert differences(scores, QWEN, LLAMA, "boolq") == {"0": -1, "1": 0, "2": 0}, "only the older run has it"
    assert "1 older run left out" in scores.notes
    first = Scores.from_lm_eval(harness, keep="first")
    assert differences(first, QWEN, LLAMA, "arc") == {"0": 0, "1": -1, "2": 1, "3": 0}
    assert "1 newer run left out" in first.notes
    given = Scores.from_lm_eval({"q": harness / "org__qwen" / f"results_{DATE}.json", "l": harness / "org__llama"})
    assert differences(given, "q", "l", "arc") == differences(first, QWEN, LLAMA, "arc")
    with pytest.raises(ScoresError, match=r'`keep` must be "first" or "last"'):
        Scores.from_lm_eval(harness, keep="newest")


@pytest.mark.parametrize(
    ("about", "name", "shown"),
    [
        ({"n-shot": {"arc": 5}}, "num_fewshot", "5 for"),
        ({"versions": {"arc": 2.0}}, "version", r"2\.0"),
        ({"n-samples": {"arc": {"original": 4000, "effective": 4}}}, "limit", "None"),
        ({"n-samples": {}, "config": {"limit": 100}}, "limit", "100"),
    ],
)
def test_lm_eval_models_run_in_different_ways_are_refused(tmp_path, about, name, shown):
    write_lm_eval(tmp_path, QWEN, {"arc": [1, 0, 1, 1]})
    write_lm_eval(tmp_path, LLAMA, {"arc": [1, 0, 1, 0]}, **about)
    with pytest.raises(ScoresError, match=rf'on "arc" in the same way, but `{name}` is .*{shown}'):
        Scores.from_lm_eval(tmp_path)


def test_lm_eval_another_question_under_the_same_doc_id_is_refused(tmp_path):
    write_lm_eval(tmp_path, QWEN, {"arc": [1, 0]})
    write_lm_eval(tmp_path, LLAMA, {"arc": [1, 0]}, docs={"arc": [{"question": "arc 0?"}, {"question": "other"}]})
    with pytest.raises(ScoresError, match=r'item "1" of "arc" is another question for "org/(qwen|llama)"'):
        Scores.from_lm_eval(tmp_path)


def test_lm_eval_without_samples(harness):
    """One score per task from the results; a group whose tasks are there would count them twice."""
    for model in (QWEN, LLAMA):
        place = write_lm_eval(
            harness,
            model,
            {"mmlu_a": [1, 0], "mmlu_b": [1, 1]},
            date=LATER,
            results={"mmlu": {"alias": "mmlu", "acc,none": 0.75, "acc_stderr,none": 0.1}},
            group_subtasks={"mmlu": ["mmlu_a", "mmlu_b"], "mmlu_a": [], "mmlu_b": []},
        )
    scores = Scores.from_lm_eval(harness, items=False)
    assert set(scores.datasets) == {"arc", "boolq", "mmlu_a", "mmlu_b"}
    assert scores.select(models=[QWEN], datasets=["arc", "boolq"]).values.ravel().tolist() == [
        0.75,
        pytest.approx(1 / 3),
    ]
    assert not scores.items
    assert set(Scores.from_lm_eval(harness).datasets) == set(scores.datasets), "nor have the samples groups"
    (place / f"samples_mmlu_b_{LATER}.jsonl").unlink()
    partly = Scores.from_lm_eval(harness)
    assert any(f'left out: "mmlu_b of {LLAMA}"' in note for note in partly.notes)
    for path in place.glob("*.jsonl"):
        path.unlink()
    with pytest.raises(ScoresError, match=r"no samples_TASK_DATE.jsonl .*--log_samples, .* items=False"):
        Scores.from_lm_eval(harness)


def test_lm_eval_broken_files_are_refused_by_name(harness):
    place = harness / "org__qwen"
    samples, results = place / f"samples_arc_{DATE}.jsonl", place / f"results_{DATE}.json"
    whole, document = samples.read_text(), results.read_text()
    for text, message in (
        (whole[:-30], r"line 4\" is not JSON"),
        ("", "is empty. Was the run"),
        (whole + "[1, 2]\n", 'line 5" must hold a JSON object'),
        (whole.replace('"doc_id": 2', '"doc_id": null').replace("doc_hash", "hash"), 'must have a field "doc_hash"'),
        (whole + whole, "duplicated.*keep="),
        (
            whole.replace('"acc": 0', '"acc": [0, 1]'),
            r'"acc" must be one number per item, but is \[0, 1\] for item "1"',
        ),
        (whole.replace('"acc": 0', '"acc": null'), '1 of 14 have none .1 of "org/qwen"., such as item "1" of "arc"'),
        (whole.replace('"acc": 0', '"acc": NaN'), "1 of 14 have none"),
    ):
        samples.write_text(text)
        with pytest.raises(ScoresError, match=message) as caught:
            Scores.from_lm_eval(harness)
        assert len(str(caught.value)) < 600
    assert differences(Scores.from_lm_eval(harness, unscored="wrong"), QWEN, LLAMA, "arc")["1"] == -1
    samples.write_text(whole + whole)
    assert differences(Scores.from_lm_eval(harness, keep="last"), QWEN, LLAMA, "arc")["2"] == 1
    samples.write_text(whole)
    for text, message in (
        (document[:-30], "is not JSON"),
        ("{}", 'must hold a field "results"'),
        ('{"results": {"arc": 3}}', 'must hold a field "arc"'),
        ("", "has 0 bytes. Was the run"),
    ):
        results.write_text(text)
        with pytest.raises(ScoresError, match=message):
            Scores.from_lm_eval(harness)
    results.unlink()
    with pytest.raises(ScoresError, match=r"no results file of the same date"):
        Scores.from_lm_eval(harness)
    (place / "scores.json").write_text(document)
    with pytest.raises(ScoresError, match=r"must be called results_DATE.json"):
        Scores.from_lm_eval(harness)


# ---- Inspect


@pytest.mark.parametrize("kind", ["json", "eval"])
def test_inspect_samples_are_matched_by_id(tmp_path, kind):
    write = write_json if kind == "json" else write_eval
    write(tmp_path / f"a.{kind}", inspect_log(QWEN, ["C", "I", "P", "N"]))
    write(tmp_path / "sub" / f"b.{kind}", inspect_log(LLAMA, ["I", "I", 1, True]))
    scores = Scores.from_inspect(tmp_path)
    assert (scores.metric, scores.higher_is_better, scores.datasets) == ("match", True, ("arc",))
    assert differences(scores, QWEN, LLAMA) == {"1": 1.0, "2": 0.0, "3": -0.5, "4": -1.0}
    assert bc.read_scores(tmp_path) == scores
    assert bc.read_scores(tmp_path / f"a.{kind}").models == (QWEN,)


def test_inspect_epochs_are_samples_of_an_item(tmp_path):
    a = [["C", "I"], ["I", "I"], ["C", "C"]]
    b = [["I", "I"], ["I", "C"], ["C", "I"]]
    write_eval(tmp_path / "a.eval", inspect_log(QWEN, a, epochs=2))
    write_eval(tmp_path / "b.eval", inspect_log(LLAMA, b, epochs=2))
    scores = Scores.from_inspect(tmp_path)
    assert scores.resampling == (Resampling.items(samples=2),)
    assert differences(scores, QWEN, LLAMA) == {"1": 0.5, "2": -0.5, "3": 0.5}
    assert scores.items["arc"].counts.tolist() == [[2, 2, 2]] * 2


def test_inspect_scorers_and_their_directions(tmp_path):
    def both(first, second):
        log = inspect_log(first, [0.5, 2.0], scorer="judge", scorers=[])
        for sample, tokens in zip(log["samples"], second, strict=True):
            sample["scores"]["sizes"] = {"value": {"tokens": tokens, "lines": 1}}
        return log

    write_json(tmp_path / "a.json", both(QWEN, [10, 20]))
    write_json(tmp_path / "b.json", both(LLAMA, [15, 15]))
    with pytest.raises(ScoresError, match=r'3 metrics: "judge", "sizes.tokens", "sizes.lines". Pick one'):
        Scores.from_inspect(tmp_path)
    with pytest.raises(ScoresError, match=r'direction of the metric "judge" is not known'):
        Scores.from_inspect(tmp_path, metric="judge")
    scores = Scores.from_inspect(tmp_path, metric="sizes.tokens", higher_is_better=False)
    assert differences(scores, QWEN, LLAMA) == {"1": 5.0, "2": -5.0}
    log = inspect_log(QWEN, ["maybe", "C"])
    write_json(tmp_path / "c" / "a.json", log)
    with pytest.raises(ScoresError, match=r"must be one number per item, but is 'maybe'"):
        Scores.from_inspect(tmp_path / "c")


@pytest.mark.parametrize("how", ["error", "no score", "nan", "not run"])
def test_inspect_unscored_samples_are_never_dropped_in_silence(tmp_path, how):
    log = inspect_log(QWEN, ["C", "C", "C"])
    if how == "error":
        log["samples"][1] |= {"error": {"message": "timeout"}, "scores": {}}
    elif how == "no score":
        del log["samples"][1]["scores"]
    elif how == "nan":
        log["samples"][1]["scores"]["match"]["value"] = float("nan")
    else:
        del log["samples"][1]
        log["status"] = "error"
    write_eval(tmp_path / "a.eval", log)
    write_eval(tmp_path / "b.eval", inspect_log(LLAMA, ["I", "C", "C"]))
    with pytest.raises(ScoresError, match=r'1 of 6 have none .1 of "org/qwen".*unscored="wrong".*unscored="drop"'):
        Scores.from_inspect(tmp_path)
    wrong = Scores.from_inspect(tmp_path, unscored="wrong")
    assert differences(wrong, QWEN, LLAMA) == {"1": 1, "2": -1, "3": 0}
    assert 'answers without a score are counted as wrong: 1 of "org/qwen"' in wrong.notes
    dropped = Scores.from_inspect(tmp_path, unscored="drop")
    with pytest.warns(MissingWarning, match=r"1 of 3"):
        assert differences(dropped, QWEN, LLAMA) == {"1": 1, "3": 0}
    with pytest.warns(MissingWarning, match=r"org/qwen 2 of 3 on arc\): each pair is compared on the items that both"):
        compared = bc.compare(dropped, rope=0.01)
    assert any("org/qwen 2 of 3 on arc" in note for note in compared.notes)
    with pytest.raises(ScoresError, match=r'`unscored` must be "wrong" or "drop"'):
        Scores.from_inspect(tmp_path, unscored="zero")
    with pytest.raises(ScoresError, match=r'`unscored` can be "wrong" where higher is better'):
        Scores.from_inspect(tmp_path, unscored="wrong", higher_is_better=False)


def test_inspect_an_unfinished_log_is_named(tmp_path):
    write_eval(tmp_path / "a.eval", inspect_log(QWEN, ["C", "I"]), finished=False)
    write_eval(tmp_path / "b.eval", inspect_log(LLAMA, ["C", "C"]))
    with pytest.raises(ScoresError, match=r'a.eval" is the log of a run that is not finished.*eval-retry'):
        Scores.from_inspect(tmp_path)
    write_eval(tmp_path / "c.eval", inspect_log(QWEN, ["C", "I"], created="2026-03-01T10:30:00+01:00"))
    with pytest.raises(ScoresError, match=r"not finished"):  # half an hour older, in another time zone
        Scores.from_inspect(tmp_path)
    write_eval(tmp_path / "c.eval", inspect_log(QWEN, ["C", "I"], created="2026-03-01T09:30:00-01:00"))
    scores = Scores.from_inspect(tmp_path)
    assert differences(scores, QWEN, LLAMA) == {"1": 0, "2": -1}
    assert "1 older run left out" in scores.notes


def test_inspect_runs_that_do_not_belong_together(tmp_path):
    write_json(tmp_path / "a.json", inspect_log(QWEN, ["C", "I"]))
    other = inspect_log(LLAMA, ["C", "I"])
    other["samples"][1]["input"] = [{"role": "user", "content": "another question"}]
    write_json(tmp_path / "b.json", other)
    with pytest.raises(ScoresError, match=r'item "2" of "arc" is another question'):
        Scores.from_inspect(tmp_path)
    write_json(tmp_path / "b.json", inspect_log(LLAMA, ["C", "I"], task_version=2))
    with pytest.raises(ScoresError, match=r"`task_version` is 0 for .* and 2 for"):
        Scores.from_inspect(tmp_path)
    write_json(tmp_path / "b.json", inspect_log(QWEN, ["C", "C"]))
    with pytest.raises(ScoresError, match=r'one run of "org/qwen" on "arc", or dates.*a mapping from a name'):
        Scores.from_inspect(tmp_path)
    solvers = Scores.from_inspect({"plain": tmp_path / "a.json", "thinking": tmp_path / "b.json"})
    assert differences(solvers, "thinking", "plain") == {"1": 0, "2": 1}


def test_inspect_clusters_are_metadata(tmp_path):
    about = [{"passage": "x"}, {"passage": "y"}, {"passage": "x"}]
    for model in (QWEN, LLAMA):
        write_eval(tmp_path / f"{model[4:]}.eval", inspect_log(model, ["C", "I", "C"], metadata=about))
    items = Scores.from_inspect(tmp_path, cluster="passage").items["arc"]
    assert [items.cluster_names[c] for c in items.clusters] == ["x", "y", "x"]
    with pytest.raises(ScoresError, match=r'no field "group"'):
        Scores.from_inspect(tmp_path, cluster="group")


def test_inspect_samples_in_folders_of_an_archive(tmp_path):
    """Version 3 of the logs: a sample is a folder, and its metadata are beside it."""
    log = inspect_log(QWEN, ["C", "I"])
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        for sample in log.pop("samples"):
            place = f"samples/{sample['id']}_epoch_1"
            del sample["metadata"]
            archive.writestr(f"{place}/sample.json", json.dumps(sample))
            archive.writestr(f"{place}/metadata.json", json.dumps({"passage": f"p{sample['id']}"}))
            archive.writestr(f"{place}/messages/0.json", "[]")
        archive.writestr("header.json", json.dumps(log))
    scores = Scores.from_inspect(tmp_path / "a.eval", cluster="passage")
    assert scores.values.ravel().tolist() == [1, 0]
    assert scores.items["arc"].cluster_names == ("p1", "p2")


def packed_by_zstandard(path, log):
    """The log as Inspect packs it by default today, which zipfile writes only from Python 3.14 on."""
    import pyarrow

    header = {name: value for name, value in log.items() if name != "samples"}
    members = {f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in log["samples"]} | {"header.json": header}
    body, index = b"", b""
    for name, value in members.items():
        plain = json.dumps(value).encode()
        packed = pyarrow.compress(plain, "zstd", asbytes=True)
        sizes = struct.pack("<IIIHH", zlib.crc32(plain), len(packed), len(plain), len(name), 0)
        common = struct.pack("<HHHHH", 63, 0, 93, 0, 0x21)
        index += b"PK\x01\x02" + struct.pack("<H", 63) + common + sizes
        index += struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\x03\x04" + common + sizes + name.encode() + packed
    n = len(members)
    path.write_bytes(body + index + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, n, n, len(index), len(body), 0))


def test_inspect_archives_packed_by_zstandard(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    packed_by_zstandard(tmp_path / "a.eval", inspect_log(QWEN, ["C", "I", "C"]))
    write_eval(tmp_path / "b.eval", inspect_log(LLAMA, ["I", "I", "C"]))
    assert differences(Scores.from_inspect(tmp_path), QWEN, LLAMA) == {"1": 1, "2": 0, "3": 0}
    content = (tmp_path / "a.eval").read_bytes()
    start = content.index(b"\x28\xb5\x2f\xfd")  # the first packed member
    (tmp_path / "a.eval").write_bytes(content[: start + 20] + b"\0" * 8 + content[start + 28 :])
    with pytest.raises(ScoresError, match=r"cannot be unpacked"):
        Scores.from_inspect(tmp_path)


def test_inspect_broken_archives_are_refused_by_name(tmp_path):
    path = write_eval(tmp_path / "a.eval", inspect_log(QWEN, ["C", "I"], task="x" * 3000))
    whole = path.read_bytes()
    for content, message in (
        (b"", 'a.eval" must be a zip archive'),
        (whole[: len(whole) // 2], 'a.eval" must be a zip archive'),
        (b"PK\x03\x04 not", 'a.eval" must be a zip archive'),
    ):
        path.write_bytes(content)
        with pytest.raises(ScoresError, match=message):
            Scores.from_inspect(path)
    start = whole.index(b"samples/1_epoch_1.json") + 40
    path.write_bytes(whole[:start] + b"\0\0\0\0" + whole[start + 4 :])
    with pytest.raises(ScoresError, match=r'samples/1_epoch_1.json" cannot be unpacked'):
        Scores.from_inspect(path)
    header = {"header.json": '{"eval": {"task": "t", "model": "m"}}'}
    for members, message in (
        ({"other.txt": "x"}, 'must have a file "header.json", as a log of Inspect, but has "other.txt"'),
        ({"header.json": "{"}, 'header.json" is not JSON'),
        ({"header.json": "[]"}, 'header.json" must hold a JSON object'),
        ({"header.json": '{"eval": {"task": "t"}}'}, 'must have a field "model"'),
        (header, "has no samples"),
        (header | {"samples/1_epoch_1.json": '{"epoch": 1}'}, 'must have a field "id"'),
        (header | {"samples/1_epoch_1.json": '{"id": 1, "scores": {}}'}, "has no scores. Was the run scored"),
    ):
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in members.items():
                archive.writestr(name, text)
        with pytest.raises(ScoresError, match=message):
            Scores.from_inspect(path)
    log = inspect_log(QWEN, ["C"])
    for cut in ({"samples": []}, {"samples": None}):
        with pytest.raises(ScoresError, match=r"has no samples"):
            Scores.from_inspect(write_json(tmp_path / "b" / "log.json", log | cut))
    (tmp_path / "b" / "log.json").write_text(json.dumps(log)[:-50])
    with pytest.raises(ScoresError, match=r'log.json" is not JSON'):
        Scores.from_inspect(tmp_path / "b")


def test_inspect_bombs_are_not_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "bomb.eval"
    log = inspect_log(QWEN, ["C"])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(log))
        with archive.open("samples/1_epoch_1.json", "w") as member:
            for _ in range(130):
                member.write(b" " * 2**20)
    assert path.stat().st_size < 2**18
    with pytest.raises(ScoresError, match=r"times its packed size, and at most 200 times are read"):
        Scores.from_inspect(path)
    content = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):  # its list and its header name another size
        struct.pack_into("<I", content, content.rindex(mark) + place, 100)
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(ScoresError, match="cannot be unpacked: Bad CRC-32"):
        Scores.from_inspect(path)
    assert tracemalloc.get_traced_memory()[1] < 2**22
    tracemalloc.stop()
    write_eval(path, inspect_log(QWEN, ["C"] * 20))
    for name, most, message in (
        ("MOST_MEMBERS", 10, "24 files, and at most 10 are read"),
        ("MOST_UNPACKED", 1000, "bytes unpacked, and at most 1,000 are read"),
        ("MOST_OF_ONE", 100, "a file of .* bytes, and at most 100 are read"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(inspect_ai, name, most)
            with pytest.raises(ScoresError, match=message):
                Scores.from_inspect(path)
    assert len(Scores.from_inspect(path).items["arc"]) == 20
    write_eval(path, inspect_log(QWEN, ["C"]), compression=zipfile.ZIP_LZMA)
    with pytest.raises(ScoresError, match=r"must be stored, deflated or packed by Zstandard"):
        Scores.from_inspect(path)
    text = inspect_ai.from_inspect.__doc__
    assert inspect_ai.MOST_MEMBERS == 500_000
    assert "500,000 files" in text
    assert (inspect_ai.MOST_UNPACKED, inspect_ai.MOST_OF_ONE) == (8 << 30, 1 << 30)
    assert "8 GB together or 1 GB" in text
    assert (inspect_ai.SMALL, inspect_ai.MOST_RATIO) == (128 << 20, 200)
    assert "from 128 MB on, more than 200" in text


# ---- HELM


def test_helm_instances_are_matched_by_id_and_trials_are_samples(tmp_path):
    a, b = [[1, 0], [1, 1], [0, 0]], [[0, 0], [1, 0], [1, 0]]
    write_helm(tmp_path, QWEN, a)
    write_helm(tmp_path, LLAMA, b)
    write_helm(tmp_path, QWEN, [[1], [0]], args={"subject": "virology"})
    scores = Scores.from_helm(tmp_path)
    assert set(scores.datasets) == {"mmlu:subject=anatomy", "mmlu:subject=virology"}
    assert (scores.metric, scores.higher_is_better) == ("exact_match", True)
    with pytest.warns(MissingWarning):
        assert differences(scores, QWEN, LLAMA) == {"id0": 0.5, "id1": 0.5, "id2": -0.5}
    assert scores.items["mmlu:subject=anatomy"].counts.tolist() == [[2, 2, 2]] * 2
    assert bc.read_scores(tmp_path) == scores
    one = next(tmp_path.glob("*virology*"))
    assert bc.read_scores(one / "per_instance_stats.json").models == (QWEN,)


def test_helm_splits_metrics_and_perturbations(tmp_path):
    more = [
        {"instance_id": "id9", "train_trial_index": 0, "stats": [stat("exact_match", 1.0, "valid")]},
        {
            "instance_id": "id0",
            "train_trial_index": 0,
            "perturbation": {"name": "typos"},
            "stats": [stat("exact_match", 0.0, perturbation={"name": "typos"})],
        },
        {"instance_id": "id8", "train_trial_index": 0, "stats": [stat("f1", 0.25)]},
    ]
    for model in (QWEN, LLAMA):
        write_helm(tmp_path, model, [1, 0], more=more)
    with pytest.raises(ScoresError, match=r'2 splits: "test", "valid". Pick one with split='):
        Scores.from_helm(tmp_path)
    with pytest.raises(ScoresError, match=r'2 metrics: "exact_match", "f1". Pick one with metric='):
        Scores.from_helm(tmp_path, split="test")
    with pytest.raises(ScoresError, match=r'2 of 6 have none .*item "id8".*unscored='):
        Scores.from_helm(tmp_path, split="test", metric="exact_match")
    scores = Scores.from_helm(tmp_path, split="test", metric="exact_match", unscored="drop")
    assert scores.items["mmlu:subject=anatomy"].names == ("id0", "id1")
    assert scores.values[0, 0].tolist() == [1, 0]
    assert "2 perturbed instances left out" in scores.notes
    assert Scores.from_helm(tmp_path, split="valid").items["mmlu:subject=anatomy"].names == ("id9",)
    assert bc.read_scores(tmp_path, split="valid") == Scores.from_helm(tmp_path, split="valid")
    costs = Scores.from_helm(
        tmp_path, split="test", metric="num_prompt_tokens", higher_is_better=False, unscored="drop"
    )
    assert costs.values[0, 0].tolist() == [333, 333]


def test_helm_broken_and_missing_files_are_refused_by_name(tmp_path):
    write_helm(tmp_path, QWEN, [1, 0])
    place = write_helm(tmp_path, LLAMA, [1, 0], max_train_instances=0)
    with pytest.raises(ScoresError, match=r"`max_train_instances` is .* for"):
        Scores.from_helm(tmp_path)
    stats = place / "per_instance_stats.json"
    whole = stats.read_text()
    spec = json.loads((place / "run_spec.json").read_text())
    spec["adapter_spec"]["max_train_instances"] = 5
    write_json(place / "run_spec.json", spec)
    for text, message in (
        (whole[:-40], "is not JSON"),
        ("", "has 0 bytes"),
        ("[]", "must hold a list of instances"),
        ("{}", "must hold a list of instances"),
        ('[{"stats": []}]', 'entry 1" must have a field "instance_id"'),
        ('[{"instance_id": "id0", "stats": [{"count": 1}]}]', 'must hold a field "name"'),
        ('[{"instance_id": "id0", "stats": [3]}]', "must hold a JSON object"),
        (whole.replace('"sum": 1.0', '"sum": "one"'), "must be one number per item"),
        (whole.replace('"id1"', '"id0"'), "duplicated"),
    ):
        stats.write_text(text)
        with pytest.raises(ScoresError, match=message):
            Scores.from_helm(tmp_path)
    stats.write_text(whole)
    for text, message in (("{", "is not JSON"), ("{}", '"adapter_spec"'), ('{"adapter_spec": {}}', '"model"')):
        (place / "run_spec.json").write_text(text)
        with pytest.raises(ScoresError, match=message):
            Scores.from_helm(tmp_path)
    (place / "run_spec.json").unlink()
    with pytest.raises(ScoresError, match=r"no run_spec.json beside"):
        Scores.from_helm(tmp_path)


# ---- all of them

anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats() | st.text(max_size=4),
    lambda x: st.lists(x, max_size=2) | st.dictionaries(st.text(max_size=3), x, max_size=2),
    max_leaves=4,
)


def places(value, path=()):
    """The path of every value inside a JSON value."""
    yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@given(data=st.data(), new=anything, what=st.sampled_from(["lm_eval", "inspect", "inspect archive", "helm"]))
def test_logs_with_any_value_anywhere_are_read_or_refused(tmp_path_factory, data, new, what):
    """One value of a log is replaced by any other: a sound table or our error, never Python's own."""
    folder = tmp_path_factory.mktemp("any")
    if what == "lm_eval":
        write_lm_eval(folder, QWEN, {"arc": [1, 0]})
        files = [path for path in folder.rglob("*.json*") if path.suffix == ".json"]
    elif what == "inspect":
        files = [write_json(folder / "a.json", inspect_log(QWEN, ["C", "I"]))]
    elif what == "helm":
        files = list(write_helm(folder, QWEN, [1, 0]).iterdir())
    if what == "inspect archive":
        log = inspect_log(QWEN, ["C", "I"])
        where = data.draw(st.sampled_from([p for p in places(log) if p[:1] in [("eval",), ("status",)] or p[2:]]))
        broken = replaced(log, where, new)
        if all(isinstance(sample, dict) for sample in broken["samples"]):
            write_eval(folder / "a.eval", broken | {"samples": log["samples"][:1]})
            with zipfile.ZipFile(folder / "a.eval", "a") as archive:
                archive.writestr("samples/2_epoch_1.json", json.dumps(broken["samples"][-1]))
    else:
        file = data.draw(st.sampled_from(sorted(files)))
        document = json.loads(file.read_text())
        file.write_text(json.dumps(replaced(document, data.draw(st.sampled_from(list(places(document)))), new)))
        if what == "lm_eval":
            (samples,) = folder.rglob("*.jsonl")
            first, *rest = map(json.loads, samples.read_text().splitlines())
            first = replaced(first, data.draw(st.sampled_from(list(places(first)))), data.draw(anything))
            samples.write_text("".join(json.dumps(line) + "\n" for line in (first, *rest)))
    with warnings.catch_warnings(), suppress(ScoresError):
        warnings.simplefilter("ignore")
        assert np.isfinite(bc.read_scores(folder, higher_is_better=True).values).any()


def test_folders_without_logs_and_of_two_harnesses(harness, monkeypatch):
    (harness / "notes.txt").write_text("a note")
    (harness / "results.csv").write_text("dataset,rf,svm\niris,0.9,0.8\n")
    assert set(bc.read_scores(harness).models) == {QWEN, LLAMA}, "other files do not matter"
    assert bc.read_scores(harness / "results.csv", metric="accuracy").models == ("rf", "svm")
    write_eval(harness / "logs" / "a.eval", inspect_log(QWEN, ["C"]))
    with pytest.raises(ScoresError, match=r"logs of one harness, but there are those of Inspect and the LM Evaluation"):
        bc.read_scores(harness)
    assert Scores.from_inspect(harness).models == (QWEN,)
    (harness / "empty").mkdir()
    with pytest.raises(ScoresError, match=r"none of its 0 files is a log of"):
        bc.read_scores(harness / "empty")
    with pytest.raises(ScoresError, match=r"has no logs of HELM. Make them with: helm-run"):
        Scores.from_helm(harness)
    with pytest.raises(ScoresError, match=r"has no logs of Inspect"):
        Scores.from_inspect([harness / "logs", harness / "notes.txt"])
    monkeypatch.setattr(logs, "MOST_FILES", 2)
    with pytest.raises(ScoresError, match=r"more than 2 files"):
        bc.read_scores(harness)


@pytest.mark.parametrize("read", [Scores.from_lm_eval, Scores.from_inspect, Scores.from_helm])
@pytest.mark.parametrize("path", ["nothing", "x" * 5000, "a\0b", "", 3, None, b"x", [], {}, [3], {"a": "nothing"}])
def test_a_path_that_is_none(read, path):
    with pytest.raises(ScoresError, match=r"`path` must|There is no file or folder"):
        read(path)


def test_options_for_something_else_are_refused(harness):
    with pytest.raises(ScoresError, match=r"`split` is for logs of other harnesses.*LM Evaluation Harness"):
        bc.read_scores(harness, split="test")
    for option in ({"score": "acc"}, {"models": ["a"]}, {"orient": "models"}, {"resampling": Resampling.items()}):
        with pytest.raises(ScoresError, match=f"`{next(iter(option))}` is for tables"):
            bc.read_scores(harness, **option)
    (harness / "results.csv").write_text("dataset,rf,svm\niris,0.9,0.8\n")
    with pytest.raises(ScoresError, match=r"`unscored` is for logs of language models"):
        bc.read_scores(harness / "results.csv", metric="accuracy", unscored="drop")


def test_records_with_doc_ids_are_still_a_table(tmp_path):
    path = tmp_path / "items.jsonl"
    rows = [{"doc_id": i, "model": m, "score": (i + j) % 2} for i in range(4) for j, m in enumerate("ab")]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert bc.read_scores(path, metric="accuracy").models == ("a", "b")
    write_lm_eval(tmp_path, QWEN, {"arc": [1, 0]})
    with pytest.raises(ScoresError, match=r"neither long .* nor wide|column of scores"):  # a format means a table
        bc.read_scores(next(tmp_path.rglob("samples_*")), format="jsonl")


@pytest.mark.parametrize("what", ["lm_eval", "inspect", "helm"])
def test_the_command_line_reads_folders(tmp_path, what):
    values = np.random.default_rng(4).integers(0, 2, (2, 60))
    for model, row in zip((QWEN, LLAMA), values.tolist(), strict=True):
        if what == "lm_eval":
            write_lm_eval(tmp_path, model, {"arc": row})
        elif what == "inspect":
            write_eval(tmp_path / f"{model[4:]}.eval", inspect_log(model, row))
        else:
            write_helm(tmp_path, model, row)
    run = CliRunner().invoke(main, ["compare", str(tmp_path), "--rope", "0.01", "--format", "json"])
    assert run.exit_code == 0, run.output
    found = json.loads(run.stdout)
    expected = bc.bayes.mcnemar_test(bc.read_scores(tmp_path).pair(*found["data"]["models"]), rope=0.01)
    assert found["settings"]["bayes"] == "mcnemar_test"
    assert found["pairs"][0]["p_better"] == pytest.approx(expected.p_better)
    checked = CliRunner().invoke(main, ["check", str(tmp_path)])
    assert checked.exit_code == 0, checked.output
    assert "read as logs of" in checked.stdout


def test_the_command_line_asks_in_its_own_words(tmp_path):
    for model in (QWEN, LLAMA):
        write_lm_eval(tmp_path / "a", model, {"gsm8k": [1, 0, None]}, metric="exact_match", filters=("strict", "loose"))
        write_helm(tmp_path / "b", model, [1, 0], more=[{"instance_id": "x", "stats": [stat("f1", 1.0, "valid")]}])

    def check(folder, *options):
        return CliRunner().invoke(main, ["check", str(tmp_path / folder), *options])

    assert "Use --filter NAME." in check("a").stderr
    assert "Use --unscored wrong" in check("a", "--filter", "strict").stderr
    fine = check("a", "--filter", "strict", "--unscored", "drop", "--keep", "last", "--column", "cluster=question")
    assert fine.exit_code == 0, fine.stderr
    assert "Use --split NAME." in check("b").stderr
    assert check("b", "--split", "test").exit_code == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_in_a_folder_is_not_waited_for(tmp_path):
    write_lm_eval(tmp_path, QWEN, {"arc": [1, 0]})
    os.mkfifo(tmp_path / "samples_pipe.jsonl")
    (tmp_path / "endless.json").symlink_to("/dev/zero")
    assert bc.read_scores(tmp_path).models == (QWEN,)
    (tmp_path / "samples_gone.jsonl").symlink_to("nowhere")
    with pytest.raises(OSError, match="samples_gone"):
        bc.read_scores(tmp_path)
