"""What the logs of evaluation harnesses have in common: runs of models on tasks, with one score per item.

The readers (`lm_eval`, `inspect_ai`, `helm`) find the runs in their files. Here a harness is recognised, one run of
each model on each task is chosen, and the answers become the columns of a long table.
"""

import json
import os
import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.checks import is_list, is_one_of
from bayescmp.errors import MissingWarning, ScoresError, few_words, name_list, shown, unknown_name, warn
from bayescmp.scores.frames import KEEP, from_columns
from bayescmp.scores.metrics import check_metric, higher_is_better

if TYPE_CHECKING:
    from bayescmp.scores.table import Scores

File = str | os.PathLike[str]
Source = File | Sequence[File] | Mapping[str, File | Sequence[File]]

HARNESSES = {"lm_eval": "the LM Evaluation Harness", "inspect": "Inspect", "helm": "HELM"}
DATE = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"
NAMES = {
    "lm_eval": re.compile(rf"(results|samples_.+)_{DATE}\.jsonl?"),
    "inspect": re.compile(r".+\.eval"),
    "helm": re.compile(r"per_instance_stats\.json"),
}
"""What the harnesses call their files: a file of this name is one of theirs even if it is empty or cut off."""
CONTENTS = {
    "lm_eval": re.compile(rb'\{\s*"results"\s*:\s*\{|\{\s*"doc_id"\s*:.*"doc"\s*:\s*\{', re.S),
    "inspect": re.compile(rb'\{\s*"version"\s*:.*"eval"\s*:\s*\{', re.S),
    "helm": re.compile(rb'\[\s*\{\s*"instance_id"\s*:.*"stats"\s*:\s*\[', re.S),
}
"""How their files start, whatever they are called."""
HEAD = 2**16
"""Bytes of a file that show what it is."""

MOST_FILES = 100_000
MOST_BYTES = 2**31
"""Of one JSON file or one line of it."""
UNSCORED = ("wrong", "drop")


@dataclass(frozen=True, slots=True)
class Answer:
    """The scores of one answer to one item, by metric, as the file has them."""

    item: str
    scores: Mapping[str, Any]
    sample: str = "1"
    part: str = ""
    """The filter or split that these scores are of."""
    cluster: str | None = None
    content: str | None = None
    """What shows whether two models were asked the same: the item's text, or a hash of it."""


@dataclass(frozen=True)
class Run:
    """One run of a model on a task."""

    model: str
    task: str
    where: str
    read: Callable[[], list[Answer]]
    date: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    """What must be the same for all models of a task, by the name that it has in the files."""
    directions: Mapping[str, bool] = field(default_factory=dict)
    """Whether higher is better, for the metrics where the files show it."""
    answers: Sequence[Answer] = ()


# ---- files


def files_of(path: File) -> list[Path]:
    """The file, or all files of the folder and the folders in it, without hidden ones, named pipes and devices."""
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str) or not os.fspath(path):
        raise ScoresError(f"`path` must be the path of a file or folder, got {shown(path)}.")
    place = Path(path)
    if is_place(place) and place.is_file():
        return [place]
    if not is_place(place):
        raise ScoresError(f'There is no file or folder "{few_words(place, 200)}". Check the path.')
    found: list[Path] = []
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files = (Path(folder, name) for name in sorted(names) if not name.startswith("."))
        found += [file for file in files if file.is_file() or not file.exists()]  # a dead link raises when it is read
        if len(found) > MOST_FILES:
            raise ScoresError(f'"{place}" has more than {MOST_FILES:,} files. Give the folder of the logs.')
    return found


def is_place(path: File) -> bool:
    """Whether there is a file or folder; no error for a name that is too long."""
    try:
        return Path(path).is_file() or Path(path).is_dir()
    except (OSError, ValueError):
        return False


def harness_of(file: Path) -> str | None:
    """The harness that wrote a file, by its content or its name; None for any other file."""
    for name, pattern in NAMES.items():
        if pattern.fullmatch(file.name):
            return name
    with file.open("rb") as stream:
        head = stream.read(HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"PK\x03\x04"):
        try:
            with zipfile.ZipFile(file) as archive:
                names = set(archive.namelist())
        except (zipfile.BadZipFile, NotImplementedError):
            return None
        return "inspect" if names & {"header.json", "_journal/start.json"} else None
    return next((name for name, pattern in CONTENTS.items() if pattern.match(head)), None)


def recognised(path: Any) -> str | None:
    """The harness whose logs a path holds; None for a file of something else. Raises for any other folder."""
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path) or not is_place(path):
        return None
    files = files_of(path)
    found = dict.fromkeys(name for file in files if (name := harness_of(file)) is not None)
    if len(found) > 1:
        harnesses = " and ".join(HARNESSES[name] for name in found)
        raise ScoresError(f'"{path}" must hold the logs of one harness, but there are those of {harnesses}. Split it.')
    if not found and Path(path).is_dir():
        known = " or ".join(HARNESSES.values())
        raise ScoresError(
            f'"{path}" is a folder, and none of its {len(files):,} files is a log of {known}. Give the path of a file.'
        )
    return next(iter(found), None)


def runs_of(path: Source, harness: str, read: Callable[[list[Path]], list[Run]], hint: str) -> list[Run]:
    """The runs in a file, a folder, or several; those of a mapping are named by its keys."""
    sources: Mapping[str, Any] = path if isinstance(path, Mapping) else {"": path}
    runs: dict[tuple[str, ...], Run] = {}
    for name, given in sources.items():
        found: list[Run] = []
        for place in given if is_list(given) else [given]:
            files = [file for file in files_of(place) if harness_of(file) == harness]
            if not files:
                raise ScoresError(f'"{few_words(place, 200)}" has no logs of {HARNESSES[harness]}. {hint}')
            found += read(files)
        models = list(dict.fromkeys(run.model for run in found))
        if isinstance(path, Mapping):
            if len(models) > 1:
                raise ScoresError(
                    f'`path` must give one model the name "{few_words(name)}", but its logs are those of '
                    f"{name_list(models)}. Give each its own path."
                )
            found = [replace(run, model=str(name)) for run in found]
        runs |= {(run.model, run.task, run.where): run for run in found}
    if not runs:
        raise ScoresError(f"`path` must name at least one file or folder of logs, got {shown(path)}.")
    return list(runs.values())


def decoded(content: bytes, where: object) -> str:
    """The text of a file."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScoresError(
            f'"{where}" must be text in UTF-8, but byte {error.start} is not. Save it as UTF-8.'
        ) from None


def parsed(text: str, where: object) -> Any:
    """The value that a JSON text holds."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScoresError(f'"{where}" is not JSON: {error}.') from None


def load_json(file: Path) -> Any:
    """The value in a JSON file of ordinary size."""
    size = file.stat().st_size
    if not 0 < size <= MOST_BYTES:
        raise ScoresError(
            f'"{file}" must hold JSON of at most {MOST_BYTES >> 30} GB, but has {size:,} bytes.'
            + (" Was the run that writes it cut off?" if not size else "")
        )
    return parsed(decoded(file.read_bytes(), file), file)


def json_lines(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """What messages call a line, and the record in it."""
    with file.open("rb") as stream:
        number = 0
        while line := stream.readline(MOST_BYTES):
            number += 1
            if not line.isspace():
                where = f"{file}, line {number}"
                yield where, mapping(parsed(decoded(line, where), where), where)
    if not number:
        raise ScoresError(f'"{file}" is empty. Was the run that writes it cut off?')


def mapping(value: Any, where: object, name: str = "") -> dict[str, Any]:
    """A JSON object; raises where it is something else."""
    if not isinstance(value, dict):
        what = f'a field "{name}" that is' if name else ""
        raise ScoresError(f'"{where}" must hold {what or "a JSON object,"} {{...}}, got {shown(value)}.')
    return value


def required(record: Mapping[str, Any], name: str, where: object) -> Any:
    """A field of a record; raises where it is missing."""
    if record.get(name) is None:
        raise ScoresError(f'"{where}" must have a field "{name}", but its fields are {name_list(record) or "none"}.')
    return record[name]


# ---- items


def cluster_of(record: Any, cluster: str | None, where: object) -> str | None:
    """The cluster of an item: a field of its record, by name. A long one is shortened, but stays different."""
    if cluster is None:
        return None
    if not isinstance(cluster, str):
        raise ScoresError(f"`cluster` must be the name of a field, got {shown(cluster)}.")
    if not isinstance(record, dict) or record.get(cluster) is None:
        known = list(record) if isinstance(record, dict) else []
        raise ScoresError(f'`cluster`: {unknown_name("field", cluster, map(str, known))} ("{few_words(where, 200)}")')
    value = record[cluster]
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text if len(text) <= 60 else f"{text[:45]}... {sha256(text.encode(errors='replace')).hexdigest()[:10]}"


def number(value: Any) -> float | None:
    """A score as a number; None where there is none. Raises ValueError for anything else."""
    if value is None or isinstance(value, (bool, int, float)):
        score = float("nan") if value is None else float(value)
        return None if score != score else score
    raise ValueError(value)


# ---- one run of each model on each task


def newest(runs: Sequence[Run], keep: str | None) -> tuple[list[Run], list[str]]:
    """One run of each model on each task, the newest unless `keep` is "first"; and a note on the others."""
    if keep is not None and not is_one_of(keep, KEEP):
        raise ScoresError(f'`keep` must be "first" or "last", got {shown(keep)}.')
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.model, run.task), []).append(run)
    chosen = []
    for (model, task), several in groups.items():
        several.sort(key=lambda run: run.date)
        one, next_one = (several[0], several[1:2]) if keep == "first" else (several[-1], several[-2:-1])
        if next_one and next_one[0].date == one.date:
            raise ScoresError(
                f'There must be one run of "{few_words(model)}" on "{few_words(task)}", or dates that show which is '
                f'newer, but there are "{few_words(next_one[0].where, 200)}" and "{few_words(one.where, 200)}". Give '
                "the path of one of them, or a mapping from a name for each to its path."
            )
        chosen.append(one)
    older = len(runs) - len(chosen)
    age = "newer" if keep == "first" else "older"
    return chosen, [f"{older} {age} run{'s' if older > 1 else ''} left out"] if older else []


def check_alike(runs: Sequence[Run]) -> None:
    """Raise if the models were not run on a task in the same way."""
    first: dict[tuple[str, str], Run] = {}
    for run in runs:
        for name, value in run.settings.items():
            other = first.setdefault((run.task, name), run)
            if other.settings[name] != value:
                raise ScoresError(
                    f'All models must be run on "{few_words(run.task)}" in the same way, but `{name}` is '
                    f'{shown(other.settings[name])} for "{few_words(other.model)}" and {shown(value)} for '
                    f'"{few_words(run.model)}". Run them alike, or leave one of them out.'
                )


def one_part(runs: Sequence[Run], what: str, given: str | None) -> tuple[list[Run], list[str]]:
    """The runs with the answers of one filter or split per task; and a note which it is.

    A task with a single one has no choice, and is read whatever is given.
    """
    if given is not None and not isinstance(given, str):
        raise ScoresError(f"`{what}` must be a name, got {shown(given)}.")
    there: dict[str, dict[str, None]] = {}
    for run in runs:
        there.setdefault(run.task, {}).update(dict.fromkeys(answer.part for answer in run.answers))
    known = dict.fromkeys(part for parts in there.values() for part in parts)
    if given is not None and given not in known:
        raise unknown_name(what, given, known)
    chosen = {}
    for task, parts in there.items():
        if given not in parts and len(parts) > 1:
            raise ScoresError(
                f'"{few_words(task)}" has {len(parts)} {what}s: {name_list(parts)}. Pick one with {what}="...".'
            )
        chosen[task] = given if given in parts else next(iter(parts))
    runs = [replace(run, answers=[a for a in run.answers if a.part == chosen[run.task]]) for run in runs]
    used = dict.fromkeys(chosen.values())
    others = [part for part in known if part not in used]
    note = f"{what} {name_list(map(str, used))}" + (f"; others: {name_list(others)}" if others else "")
    return runs, [note] if len(known) > 1 else []


def _one_metric(runs: Sequence[Run], given: str | None, offered: Collection[str] | None) -> tuple[str, list[str]]:
    """The metric to read, and a note which others there are; raises where several could be meant."""
    check_metric(given)
    tasks: dict[str, dict[str, None]] = {}
    for run in runs:
        for name in {name: None for answer in run.answers for name in answer.scores}:
            tasks.setdefault(name, {})[run.task] = None
    if not tasks:
        raise ScoresError(f'"{few_words(runs[0].where, 200)}" has no scores. Was the run scored?')
    if given is not None:
        if given not in tasks:
            raise unknown_name("metric", given, tasks)
        metric = given
    else:
        likely = [name for name in tasks if offered is None or name in offered] or list(tasks)
        if len(likely) > 1:
            n = len({run.task for run in runs})
            said = [f'"{name}"' + (f" ({len(tasks[name])} of {n} tasks)" if n > 1 else "") for name in likely[:12]]
            more = f" and {len(likely) - 12} more" if len(likely) > 12 else ""
            raise ScoresError(f'There are {len(likely)} metrics: {", ".join(said)}{more}. Pick one with metric="...".')
        (metric,) = likely
    others = [name for name in tasks if name != metric and (offered is None or name in offered)]
    without = [task for task in dict.fromkeys(run.task for run in runs) if task not in tasks[metric]]
    notes = [f"other metrics: {name_list(others)}"] if others else []
    if without:
        notes.append(f'without the metric "{few_words(metric)}", and left out: {name_list(without)}')
        warn(f"Tasks {notes[-1]}.", MissingWarning)
    return metric, notes


# ---- runs to scores


def scores_of(
    cls: type["Scores"],
    runs: Sequence[Run],
    harness: str,
    *,
    metric: str | None,
    given_direction: bool | None,
    unscored: str | None,
    keep: str | None,
    notes: Sequence[str] = (),
    grade: Callable[[Any], float | None] = number,
    offered: Collection[str] | None = None,
    items: bool = True,
) -> "Scores":
    """Scores from the answers of runs: one metric, items matched by name.

    `grade` turns what a file has as a score into a number; `offered` are the metrics to choose from where the files
    have many that are not meant to be compared. Without `items` there is one answer per task.
    """
    if unscored is not None and not is_one_of(unscored, UNSCORED):
        raise ScoresError(f'`unscored` must be "wrong" or "drop", got {shown(unscored)}.')
    metric, of_metrics = _one_metric(runs, metric, offered)
    having = {run.task for run in runs if any(metric in answer.scores for answer in run.answers)}
    runs = [run for run in runs if run.task in having]
    direction = _direction(runs, metric, given_direction)
    check_same_items(runs)
    rows = [(run, answer) for run in runs for answer in run.answers]
    values = np.array([_graded(run, answer, metric, grade) for run, answer in rows])
    missing = np.isnan(values)
    of_unscored = _said_of_unscored(rows, missing, metric, unscored, direction) if missing.any() else []
    if unscored == "wrong":
        values[missing] = 0.0
    elif unscored == "drop":
        rows = [row for row, gone in zip(rows, missing.tolist(), strict=True) if not gone]
        values = values[~missing]
    columns: dict[str, Any] = {"model": [run.model for run, _ in rows], "dataset": [run.task for run, _ in rows]}
    if items:
        columns["item"] = [answer.item for _, answer in rows]
        if any(answer.sample != "1" for _, answer in rows):
            columns["sample"] = [answer.sample for _, answer in rows]
        if any(answer.cluster is not None for _, answer in rows):
            columns["cluster"] = [answer.cluster for _, answer in rows]
    n = len({run.task for run in runs})
    first = f'read as logs of {HARNESSES[harness]}: {n} task{"s" if n > 1 else ""}, metric "{few_words(metric)}"'
    return from_columns(
        cls,
        columns,
        values,
        metric=metric,
        higher_is_better=direction,
        notes=(first, *of_metrics, *notes, *of_unscored),
        keep=keep if items else None,
    )


def _direction(runs: Sequence[Run], metric: str, given: bool | None) -> bool:
    """The metric's direction: as given, else as in the files, else by its name."""
    found = {run.directions[metric]: run for run in runs if metric in run.directions}
    if given is None and len(found) > 1:
        up, down = found[True].task, found[False].task
        raise ScoresError(
            f'The metric "{few_words(metric)}" must have one direction, but higher is better on "{few_words(up)}" and '
            f'lower on "{few_words(down)}". Read the tasks of one direction at a time.'
        )
    return higher_is_better(metric, next(iter(found), None) if given is None else given)


def check_same_items(runs: Sequence[Run]) -> None:
    """Raise if two models were asked different questions under the same name."""
    asked: dict[tuple[str, str], tuple[str, Run]] = {}
    for run in runs:
        for answer in run.answers:
            if answer.content is None:
                continue
            content, other = asked.setdefault((run.task, answer.item), (answer.content, run))
            if content != answer.content:
                raise ScoresError(
                    f'Items are matched by name, but item "{few_words(answer.item)}" of "{few_words(run.task)}" is '
                    f'another question for "{few_words(run.model)}" than for "{few_words(other.model)}": their data '
                    "differ. Run both on the same version of the data."
                )


def _graded(run: Run, answer: Answer, metric: str, grade: Callable[[Any], float | None]) -> float:
    """One score, NaN where there is none."""
    value = answer.scores.get(metric)
    try:
        score = grade(value)
    except (ValueError, OverflowError):
        raise ScoresError(
            f'"{metric}" must be one number per item, but is {shown(value)} for item "{few_words(answer.item)}" of '
            f'"{few_words(run.task)}" in "{few_words(run.where, 200)}". Pick another metric, or another scorer.'
        ) from None
    return float("nan") if score is None else score


def _said_of_unscored(
    rows: Sequence[tuple[Run, Answer]], missing: Any, metric: str, unscored: str | None, direction: bool
) -> list[str]:
    """What becomes of answers without a score; raises where that was not said."""
    count: dict[str, int] = {}
    for i in np.flatnonzero(missing).tolist():
        model = rows[i][0].model
        count[model] = count.get(model, 0) + 1
    said = ", ".join(f'{n:,} of "{few_words(model)}"' for model, n in list(count.items())[:8])
    if unscored is None:
        run, answer = rows[int(np.flatnonzero(missing)[0])]
        raise ScoresError(
            f'Every answer must have a score by "{few_words(metric)}", but {int(missing.sum()):,} of {missing.size:,} '
            f'have none ({said}), such as item "{few_words(answer.item)}" of "{few_words(run.task)}". Give '
            'unscored="wrong" to count them as wrong (0), or unscored="drop" to leave them out.'
        )
    if unscored == "wrong" and not direction:
        raise ScoresError(
            f'`unscored` can be "wrong" where higher is better, but lower is better by "{few_words(metric)}". Give '
            'unscored="drop", or score these answers.'
        )
    if missing.all():
        raise ScoresError(f'No answer has a score by "{few_words(metric)}". Was the run scored?')
    return [f"answers without a score are {'counted as wrong' if unscored == 'wrong' else 'left out'}: {said}"]
