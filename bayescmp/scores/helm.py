"""Logs of HELM: `per_instance_stats.json` and `run_spec.json`, in one folder per run."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayescmp.errors import ScoresError, shown
from bayescmp.scores.logs import (
    Answer,
    Run,
    Source,
    check_alike,
    load_json,
    mapping,
    newest,
    number,
    one_part,
    required,
    runs_of,
    scores_of,
)

if TYPE_CHECKING:
    from bayescmp.scores.table import Scores

BOOKKEEPING = re.compile(
    r"num_.*|.*_(cost|runtime|truncated)|inference_.*|estimated_.*|finish_reason_.*|batch_size|max_prob|logprob"
)
"""Statistics of every run that are not scores."""
PERTURBED = "\0perturbed"
"""Stands for the split of an instance that HELM made from another one."""
HINT = "Make them with: helm-run --run-entries ... --suite NAME"


def from_helm(
    cls: type["Scores"],
    path: Source,
    *,
    metric: str | None = None,
    split: str | None = None,
    higher_is_better: bool | None = None,
    unscored: str | None = None,
    keep: str | None = None,
) -> "Scores":
    """Scores from the runs of HELM: every instance of every scenario, matched between models.

    Parameters
    ----------
    path : str, path, list of them, or mapping from a model's name to its path
        The folder of a suite (`benchmark_output/runs/NAME`), of a run, or a `per_instance_stats.json` beside its
        `run_spec.json`.
    metric : str, optional
        Such as "exact_match".
    split : str, optional
        Such as "test".
    higher_is_better, unscored, keep
        As for all logs: see `read_scores`.

    Notes
    -----
    A dataset is a scenario with its arguments, such as "mmlu:subject=anatomy". Trials are samples of an item. Perturbed
    instances are left out. The same for all models must be `max_train_instances` and the method.

    See Also
    --------
    read_scores : the same, for logs of any harness.
    Scores.from_lm_eval, Scores.from_inspect : the same for logs of the LM Evaluation Harness and Inspect.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from bayescmp import Scores
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for model, right in (("small", (0, 1, 0)), ("large", (1, 1, 0))):
    ...     (folder / model).mkdir()
    ...     spec = {"name": f"boolq:model={model}", "adapter_spec": {"model": model}}
    ...     name = {"name": "exact_match", "split": "test"}
    ...     stats = [{"instance_id": f"id{i}", "stats": [{"name": name, "count": 1, "sum": x}]}
    ...              for i, x in enumerate(right)]
    ...     _ = (folder / model / "run_spec.json").write_text(json.dumps(spec))
    ...     _ = (folder / model / "per_instance_stats.json").write_text(json.dumps(stats))
    >>> Scores.from_helm(folder).pair("large", "small").differences.tolist()
    [[1.0, 0.0, 0.0]]
    """
    runs, _ = newest(runs_of(path, "helm", _runs, HINT), None)
    check_alike(runs)
    runs = [replace(run, answers=run.read()) for run in runs]
    perturbed = sum(answer.part == PERTURBED for run in runs for answer in run.answers)
    runs = [replace(run, answers=[a for a in run.answers if a.part != PERTURBED]) for run in runs]
    runs, of_splits = one_part(runs, "split", split)
    metrics = {name for run in runs for answer in run.answers for name in answer.scores}
    return scores_of(
        cls,
        runs,
        "helm",
        metric=metric,
        given_direction=higher_is_better,
        unscored=unscored,
        keep=keep,
        notes=(*of_splits, *([f"{perturbed:,} perturbed instances left out"] if perturbed else [])),
        offered=[name for name in metrics if not BOOKKEEPING.fullmatch(name)],
    )


def _runs(files: list[Path]) -> list[Run]:
    return [_run(file) for file in files]


def _run(file: Path) -> Run:
    beside = file.with_name("run_spec.json")
    if not beside.is_file():
        raise ScoresError(
            f'There is no run_spec.json beside "{file}". It names the model and the scenario: put it there.'
        )
    spec = mapping(load_json(beside), beside)
    adapter = mapping(spec.get("adapter_spec"), beside, "adapter_spec")
    alike = ("method", "max_train_instances")
    return Run(
        model=str(required(adapter, "model", beside)),
        task=_scenario(spec, beside),
        where=str(file),
        read=partial(_answers, file),
        settings={name: adapter[name] for name in alike if adapter.get(name) is not None},
    )


def _scenario(spec: Mapping[str, Any], where: Path) -> str:
    """The scenario and its arguments: the options for one model that are in the name of a run do not count."""
    name = str(required(spec, "name", where)).partition(":")[0]
    scenario = spec.get("scenario_spec")
    arguments = scenario.get("args") if isinstance(scenario, dict) else None
    given = arguments if isinstance(arguments, dict) else {}
    said = [f"{key}={value}" for key, value in given.items() if isinstance(value, (str, int, float))]
    return f"{name}:{','.join(said)}" if said else name


def _answers(file: Path) -> list[Answer]:
    """Every instance and trial, by split."""
    entries = load_json(file)
    if not isinstance(entries, list) or not entries:
        raise ScoresError(f'"{file}" must hold a list of instances, got {shown(entries)}.')
    answers = []
    for i, entry in enumerate(entries, start=1):
        where = f"{file}, entry {i}"
        item = str(required(mapping(entry, where), "instance_id", where))
        stats = required(entry, "stats", where)
        parts: dict[str, dict[str, Any]] = {}
        for stat in stats if isinstance(stats, list) else [stats]:
            name = mapping(mapping(stat, where).get("name"), where, "name")
            changed = entry.get("perturbation") or name.get("perturbation")
            part = PERTURBED if changed else str(name.get("split", "none"))
            parts.setdefault(part, {})[str(required(name, "name", where))] = _mean(stat)
        trial = entry.get("train_trial_index", 0)
        sample = str(trial + 1) if isinstance(trial, int) else str(trial)
        answers += [Answer(item=item, scores=scores, sample=sample, part=part) for part, scores in parts.items()]
    return answers


def _mean(stat: Mapping[str, Any]) -> Any:
    """The mean over an instance's requests, usually one; None where there was none."""
    try:
        count, total = number(stat.get("count")), number(stat.get("sum"))
    except (ValueError, OverflowError):
        return shown(stat.get("sum"))
    return total / count if count and total is not None else None
