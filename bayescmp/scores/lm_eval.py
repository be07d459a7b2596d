"""Logs of the LM Evaluation Harness: `results_DATE.json` and `samples_TASK_DATE.jsonl`, in one folder per model."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayescmp.checks import check_switch, is_list
from bayescmp.errors import ScoresError, few_words, name_list
from bayescmp.scores.logs import (
    DATE,
    Answer,
    Run,
    Source,
    check_alike,
    cluster_of,
    harness_of,
    json_lines,
    load_json,
    mapping,
    newest,
    one_part,
    required,
    runs_of,
    scores_of,
)

if TYPE_CHECKING:
    from bayescmp.scores.table import Scores

SAMPLES = re.compile(rf"samples_(.+)_({DATE})\.jsonl")
RESULTS = re.compile(rf".+_({DATE})\.json")
FIELDS = frozenset(
    "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash target_hash".split()
)
"""Fields of a sample that are not metrics."""
HINT = "Make them with: lm_eval --output_path results --log_samples"


def from_lm_eval(
    cls: type["Scores"],
    path: Source,
    *,
    metric: str | None = None,
    filter: str | None = None,
    cluster: str | None = None,
    items: bool = True,
    higher_is_better: bool | None = None,
    unscored: str | None = None,
    keep: str | None = None,
) -> "Scores":
    """Scores from the logs of the LM Evaluation Harness: every question of every task, matched between models.

    Parameters
    ----------
    path : str, path, list of them, or mapping from a model's name to its path
        The folder that `lm_eval --output_path` names, or files in it.
    metric : str, optional
        Such as "acc" or "exact_match". Tasks without it are left out.
    filter : str, optional
        The filter of the answers, such as "strict-match".
    cluster : str, optional
        A field of `doc`.
    items : bool
        False for one score per task, from the results alone; a group of tasks whose members are there is left out.
    higher_is_better, unscored, keep
        As for all logs: see `read_scores`.

    Notes
    -----
    An item is a question, by its `doc_id`. The same for all models must be the question of a `doc_id` (`doc_hash`),
    `num_fewshot`, `limit` and the version of a task.

    See Also
    --------
    read_scores : the same, for logs of any harness.
    Scores.from_inspect, Scores.from_helm : the same for logs of Inspect and HELM.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from bayescmp import Scores
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for model, right in (("small", (0, 1, 0)), ("large", (1, 1, 0))):
    ...     (folder / model).mkdir()
    ...     results = {"results": {"arc": {"acc,none": sum(right) / 3}}, "model_name": model}
    ...     samples = [{"doc_id": i, "doc": {}, "filter": "none", "acc": x} for i, x in enumerate(right)]
    ...     _ = (folder / model / "results_2026-03-01T10-00-00.json").write_text(json.dumps(results))
    ...     lines = "\\n".join(map(json.dumps, samples))
    ...     _ = (folder / model / "samples_arc_2026-03-01T10-00-00.jsonl").write_text(lines)
    >>> Scores.from_lm_eval(folder).pair("large", "small").differences.tolist()
    [[1.0, 0.0, 0.0]]
    """
    check_switch("items", items)
    found = runs_of(path, "lm_eval", partial(_runs, items=items, cluster=cluster), HINT)
    found, of_samples = _with_samples(found) if items else (found, [])
    runs, of_runs = newest(found, keep)
    check_alike(runs)
    runs = [replace(run, answers=run.read()) for run in runs]
    runs, of_filters = one_part(runs, "filter", filter)
    return scores_of(
        cls,
        runs,
        "lm_eval",
        metric=metric,
        given_direction=higher_is_better,
        unscored=unscored,
        keep=keep,
        notes=(*of_filters, *of_runs, *of_samples),
        items=items,
    )


def _runs(files: list[Path], *, items: bool, cluster: str | None) -> list[Run]:
    """The runs in these files; a single file brings those of its date with it."""
    if len(files) == 1:
        files = _with_companions(files[0])
    samples = {file: match for file in files if (match := SAMPLES.fullmatch(file.name))}
    results = {}
    for file in files:
        if file in samples:
            continue
        match = RESULTS.fullmatch(file.name)
        if match is None:
            raise ScoresError(
                f'"{file}" must be called results_DATE.json or samples_TASK_DATE.jsonl, as lm_eval names its files, so '
                "that both are found by their date. Give it back its name."
            )
        results[file.parent, match[1]] = file, _results(file)
    if not items:
        return [run for file, document in results.values() for run in _task_scores(file, document)]
    runs = []
    for file, match in samples.items():
        if (file.parent, match[2]) not in results:
            raise ScoresError(
                f'There is no results file of the same date beside "{file}". It names the model, its settings and the '
                "metrics: put it there."
            )
        where, document = results[file.parent, match[2]]
        task = _task(match[1], document)
        if task not in _groups(document):
            runs.append(_run(file, task, where, document, partial(_answers, file, cluster)))
    sampled = {(run.model, run.task, run.date) for run in runs}
    for file, document in results.values():
        every = (_run(file, task, file, document, _no_samples) for task in _tasks(document))
        runs += [run for run in every if (run.model, run.task, run.date) not in sampled]
    return runs


def _no_samples() -> list[Answer]:
    return []


def _with_samples(runs: list[Run]) -> tuple[list[Run], list[str]]:
    """The runs whose questions were logged, and a note on the others; raises for a model without any."""
    logged = [run for run in runs if run.read is not _no_samples]
    models = {run.model for run in logged}
    for run in runs:
        if run.model not in models:
            raise ScoresError(
                f'There are no samples_TASK_DATE.jsonl of the same date beside "{few_words(run.where, 200)}". Run '
                "lm_eval with --log_samples, or read one score per task with Scores.from_lm_eval(path, items=False)."
            )
    there = {(run.model, run.task, run.date) for run in logged}
    others = dict.fromkeys(f"{r.task} of {r.model}" for r in runs if (r.model, r.task, r.date) not in there)
    return logged, [f"without samples, and left out: {name_list(others)}"] if others else []


def _with_companions(file: Path) -> list[Path]:
    """A results file with its samples, or a samples file with its results, by their date."""
    match = SAMPLES.fullmatch(file.name) or RESULTS.fullmatch(file.name)
    if match is None:
        return [file]
    same_date = [other for other in sorted(file.parent.glob(f"*_{match.groups()[-1]}.json*")) if other != file]
    is_results = file.suffix == ".json"
    wanted = [x for x in same_date if (x.suffix == ".jsonl") == is_results and harness_of(x) == "lm_eval"]
    return [file, *wanted]


def _results(file: Path) -> dict[str, Any]:
    document = mapping(load_json(file), file)
    for task, found in mapping(document.get("results"), file, "results").items():
        mapping(found, file, task)
    return document


def _run(file: Path, task: str, where: Path, document: Mapping[str, Any], read: Callable[[], list[Answer]]) -> Run:
    """A run of a task, with what the results say of it."""

    def said(name: str) -> Any:
        """What the results have under a name for this task; None where they do not."""
        of_tasks = document.get(name)
        return of_tasks.get(task) if isinstance(of_tasks, dict) else None

    settings = {"num_fewshot": said("n-shot"), "version": said("versions")}
    settings = {name: value for name, value in settings.items() if value is not None}  # older files lack some
    config, counts, up = document.get("config"), said("n-samples"), said("higher_is_better")
    if isinstance(counts, dict) and counts.get("effective") is not None:
        settings["limit"] = None if counts["effective"] == counts.get("original") else counts["effective"]
    elif isinstance(config, dict):
        settings["limit"] = config.get("limit")
    name = document.get("model_name")
    dates = RESULTS.fullmatch(where.name)
    return Run(
        model=name if isinstance(name, str) and name else file.parent.name.replace("__", "/"),
        task=task,
        where=str(file),
        read=read,
        date=dates[1] if dates else "",
        settings=settings,
        directions={m: x for m, x in up.items() if isinstance(x, bool)} if isinstance(up, dict) else {},
    )


def _task(name: str, document: Mapping[str, Any]) -> str:
    """The task of a samples file, in whose name all that is not a letter or number may be "_"."""
    alike = [task for task in document["results"] if task == name or re.sub(r"\W", "_", task) == name]
    return alike[0] if alike else name


def _groups(document: Mapping[str, Any]) -> set[str]:
    """The groups of tasks of which at least one is there as well."""
    members = document.get("group_subtasks")
    groups = {group: tasks for group, tasks in members.items() if is_list(tasks)} if isinstance(members, dict) else {}
    return {group for group, tasks in groups.items() if set(map(str, tasks)) & set(document["results"])}


def _tasks(document: Mapping[str, Any]) -> list[str]:
    """The tasks of the results, without groups of them."""
    groups = _groups(document)
    return [task for task in document["results"] if task not in groups]


def _answers(file: Path, cluster: str | None) -> list[Answer]:
    """Every line of a samples file: one question by one filter."""
    answers = []
    for where, line in json_lines(file):
        item = line.get("doc_id")
        if item is None:
            item = required(line, "doc_hash", where)
        names = line.get("metrics")
        if not isinstance(names, list):
            names = [name for name in line if name not in FIELDS]
        answers.append(
            Answer(
                item=str(item),
                scores={name: line.get(name) for name in names if isinstance(name, str)},
                part=str(line.get("filter", "none")),
                cluster=cluster_of(line.get("doc"), cluster, where),
                content=line.get("doc_hash"),
            )
        )
    return answers


def _task_scores(file: Path, document: Mapping[str, Any]) -> list[Run]:
    """One answer per task, by filter: the scores of the results. Their keys are "metric,filter"."""
    runs = []
    for task in _tasks(document):
        parts: dict[str, dict[str, Any]] = {}
        for key, value in document["results"][task].items():
            name, comma, part = key.rpartition(",")
            if comma and not name.endswith("_stderr"):
                parts.setdefault(part, {})[name] = value
        if parts:
            answers = [Answer(item="", scores=scores, part=part) for part, scores in parts.items()]
            runs.append(_run(file, task, file, document, lambda answers=answers: answers))  # type: ignore[misc]
    if not runs:
        raise ScoresError(f'"{file}" has no scores: its results are {name_list(map(few_words, document["results"]))}.')
    return runs
