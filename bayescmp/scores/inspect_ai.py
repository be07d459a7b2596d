"""Logs of Inspect: `.eval`, a zip of JSON files, and `.json`."""

import hashlib
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayescmp.checks import is_list, is_one_of
from bayescmp.errors import ScoresError, few_words, name_list
from bayescmp.scores.logs import (
    Answer,
    Run,
    Source,
    check_alike,
    cluster_of,
    decoded,
    load_json,
    mapping,
    newest,
    number,
    parsed,
    required,
    runs_of,
    scores_of,
)
from bayescmp.scores.metrics import is_known

if TYPE_CHECKING:
    from bayescmp.scores.table import Scores

HINT = "Make them with: inspect eval TASK --model MODEL --log-dir logs"
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Correct, partial, incorrect, no answer, and the words for them, as Inspect itself counts them."""
SAMPLE = re.compile(r"(samples/.+_epoch_\d+)(\.json|/sample\.json)", re.S)
"""A sample is one file, or since version 3 of the logs a folder."""

MOST_MEMBERS = 500_000
MOST_UNPACKED = 2**33
MOST_OF_ONE = 2**30
MOST_RATIO = 200
SMALL = 2**27
"""An archive of less than this, unpacked, may be packed by any ratio."""
ZSTANDARD = 93
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTANDARD)


def from_inspect(
    cls: type["Scores"],
    path: Source,
    *,
    metric: str | None = None,
    cluster: str | None = None,
    higher_is_better: bool | None = None,
    unscored: str | None = None,
    keep: str | None = None,
) -> "Scores":
    """Scores from the logs of Inspect: every sample of every task, matched between models.

    Parameters
    ----------
    path : str, path, list of them, or mapping from a model's name to its path
        Logs (`.eval` or `.json`), or folders of them. A mapping also tells two solvers of one model apart.
    metric : str, optional
        The scorer, such as "match". A scorer with several values has one metric for each, such as "judge.clarity".
    cluster : str, optional
        A field of a sample's `metadata`.
    higher_is_better, unscored, keep
        As for all logs: see `read_scores`. Samples that ended with an error or were not run are unscored too.

    Notes
    -----
    An item is what Inspect calls a sample, by its id, and its epochs are the samples of the item. C, P, I and N count
    as 1, 0.5, 0 and 0. The same for all models must be the question of an id and the version of a task.

    An archive is not unpacked if it has more than 500,000 files, more than 8 GB together or 1 GB in one of them, or,
    from 128 MB on, more than 200 times its packed size. Newer logs are packed by Zstandard, which needs Python 3.14 or
    pyarrow.

    See Also
    --------
    read_scores : the same, for logs of any harness.
    Scores.from_lm_eval, Scores.from_helm : the same for logs of the LM Evaluation Harness and HELM.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from bayescmp import Scores
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for model, grades in (("small", "ICI"), ("large", "CCI")):
    ...     samples = [{"id": i, "epoch": 1, "scores": {"match": {"value": x}}} for i, x in enumerate(grades)]
    ...     log = {"version": 2, "status": "success", "eval": {"task": "arc", "model": model}, "samples": samples}
    ...     _ = (folder / f"{model}.json").write_text(json.dumps(log))
    >>> Scores.from_inspect(folder).pair("large", "small").differences.tolist()
    [[1.0, 0.0, 0.0]]
    """
    found = runs_of(path, "inspect", partial(_runs, cluster=cluster), HINT)
    runs, of_runs = newest(found, keep)
    check_alike(runs)
    runs = [replace(run, answers=run.read()) for run in runs]
    runs = [replace(run, directions={**run.directions, **_directions_of_grades(run.answers)}) for run in runs]
    return scores_of(
        cls,
        runs,
        "inspect",
        metric=metric,
        given_direction=higher_is_better,
        unscored=unscored,
        keep=keep,
        notes=of_runs,
        grade=_grade,
    )


def _runs(files: list[Path], *, cluster: str | None) -> list[Run]:
    return [_of_archive(file, cluster) if zipfile.is_zipfile(file) else _of_json(file, cluster) for file in files]


def _of_json(file: Path, cluster: str | None) -> Run:
    if file.suffix == ".eval":
        raise ScoresError(f'"{file}" must be a zip archive, as Inspect writes it, but is not. Was it copied whole?')
    log = mapping(load_json(file), file)
    samples = log.get("samples")
    if not isinstance(samples, list) or not samples:
        raise ScoresError(f'"{file}" has no samples. Was the run logged with --no-log-samples, or not started?')
    answers = _answers(samples, file, log, cluster)
    return _run(file, log, lambda: answers)


def _run(file: Path, log: Mapping[str, Any], read: Callable[[], list[Answer]]) -> Run:
    """A run, with what the header of its log says of it."""
    spec = mapping(log.get("eval"), file, "eval")
    directions = {}
    for scorer in _records(spec.get("scorers")):
        metrics = [str(metric.get("name")).rpartition("/")[2] for metric in _records(scorer.get("metrics"))]
        if "accuracy" in metrics and not is_known(scorer.get("name")):
            directions[str(scorer.get("name"))] = True
    return Run(
        model=str(required(spec, "model", file)),
        task=str(required(spec, "task", file)),
        where=str(file),
        read=read,
        date=_instant(spec.get("created")),
        settings={"task_version": spec.get("task_version", 0)},
        directions=directions,
    )


def _records(values: Any) -> list[dict[str, Any]]:
    """The JSON objects in a list; none where it is something else."""
    return [value for value in values if isinstance(value, dict)] if is_list(values) else []


def _instant(created: object) -> str:
    """A date and time in UTC, as text that sorts; logs may come from different time zones."""
    try:
        return datetime.fromisoformat(str(created)).astimezone(UTC).isoformat(timespec="microseconds")
    except (ValueError, OverflowError):
        return ""


def _answers(samples: Iterable[Any], where: object, log: Mapping[str, Any], cluster: str | None) -> list[Answer]:
    """Every sample of a log, and one without a score for each that was to be run and is not there."""
    answers = [_answer(mapping(sample, where), where, cluster) for sample in samples]
    if log.get("status") == "success":
        return answers
    data, config = log["eval"].get("dataset"), log["eval"].get("config")
    ids = data.get("sample_ids") if isinstance(data, dict) else None
    epochs = config.get("epochs") if isinstance(config, dict) else None
    planned, times = ids if isinstance(ids, list) else [], epochs if isinstance(epochs, int) else 1
    if len(planned) * times > MOST_MEMBERS:
        raise ScoresError(
            f'"{where}" has {len(planned) * times:,} samples to run, and at most {MOST_MEMBERS:,} are read.'
        )
    there = {(answer.item, answer.sample) for answer in answers}
    wanted = ((str(item), str(epoch)) for item in planned for epoch in range(1, times + 1))
    return answers + [Answer(item=i, sample=epoch, scores={}) for i, epoch in wanted if (i, epoch) not in there]


def _answer(sample: Mapping[str, Any], where: object, cluster: str | None) -> Answer:
    item = str(required(sample, "id", where))
    scores: dict[str, Any] = {}
    given = sample.get("scores")
    for scorer, score in given.items() if isinstance(given, dict) else ():
        value = score.get("value") if isinstance(score, dict) else None
        if isinstance(value, dict):
            scores |= {f"{scorer}.{name}": part for name, part in value.items()}
        else:
            scores[scorer] = value
    if sample.get("error") is not None:
        scores = dict.fromkeys(scores)
    asked = sample.get("input")
    return Answer(
        item=item,
        sample=str(sample.get("epoch", 1)),
        scores=scores,
        cluster=cluster_of(sample.get("metadata"), cluster, f"{where}, sample {few_words(item)}"),
        content=None if asked is None else hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest(),
    )


def _grade(value: Any) -> float | None:
    """A score as Inspect's own metrics count it; raises ValueError for a text that is neither grade nor number."""
    if isinstance(value, str):
        grade = GRADES.get(value, GRADES.get(value.lower()))
        return number(float(value)) if grade is None else grade
    return number(value)


def _directions_of_grades(answers: Iterable[Answer]) -> dict[str, bool]:
    """The scorers of which every score is a grade, of which higher is better."""
    kinds: dict[str, bool] = {}
    for answer in answers:
        for name, value in answer.scores.items():
            if value is not None and value == value:
                kinds[name] = kinds.get(name, True) and (isinstance(value, bool) or is_one_of(value, GRADES))
    return {name: True for name, graded in kinds.items() if graded}


# ---- archives


def _of_archive(file: Path, cluster: str | None) -> Run:
    with _opened(file) as archive:
        names = _checked_members(archive, file)
        finished = "header.json" in names
        start = "header.json" if finished else "_journal/start.json"
        if start not in names:
            raise ScoresError(f'"{file}" must have a file "header.json", as a log of Inspect, but has {_some(names)}.')
        log = mapping(_load(archive, start, file), f"{file}, {start}")
    return _run(file, log, partial(_samples, file, log, cluster) if finished else partial(_unfinished, file))


def _opened(file: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise ScoresError(f'"{file}" cannot be unpacked: {few_words(error, 100)}. Was it copied whole?') from None


def _some(names: Iterable[str]) -> str:
    return name_list(names, 3) or "no files"


def _unfinished(file: Path) -> list[Answer]:
    raise ScoresError(
        f'"{file}" is the log of a run that is not finished: it has a journal, but no "header.json". Wait for the run, '
        "finish it with inspect eval-retry, or leave the file out."
    )


def _samples(file: Path, log: Mapping[str, Any], cluster: str | None) -> list[Answer]:
    with _opened(file) as archive:
        names = set(archive.namelist())
        members = [match for name in archive.namelist() if (match := SAMPLE.fullmatch(name))]
        if not members:
            raise ScoresError(f'"{file}" has no samples. Was the run logged with --no-log-samples, or not started?')

        def samples() -> Iterable[Any]:
            for match in members:
                sample = _load(archive, match[0], file)
                about = f"{match[1]}/metadata.json"
                if about in names and isinstance(sample, dict):
                    sample["metadata"] = _load(archive, about, file)
                yield sample

        return _answers(samples(), file, log, cluster)


def _checked_members(archive: zipfile.ZipFile, file: Path) -> dict[str, zipfile.ZipInfo]:
    """The files of an archive; raises where they are too many or too large to unpack."""
    members = archive.infolist()
    unpacked = sum(member.file_size for member in members)
    packed = max(file.stat().st_size, 1)
    largest = max((member.file_size for member in members), default=0)
    for too_much, what in (
        (len(members) > MOST_MEMBERS, f"{len(members):,} files, and at most {MOST_MEMBERS:,}"),
        (unpacked > MOST_UNPACKED, f"{unpacked:,} bytes unpacked, and at most {MOST_UNPACKED:,}"),
        (largest > MOST_OF_ONE, f"a file of {largest:,} bytes, and at most {MOST_OF_ONE:,}"),
        (
            unpacked > SMALL and unpacked > MOST_RATIO * packed,
            f"{unpacked / packed:,.0f} times its packed size, and at most {MOST_RATIO} times",
        ),
    ):
        if too_much:
            raise ScoresError(f'"{file}" has {what} are read. Is it a log of Inspect? If so, split it.')
    return {member.filename: member for member in members}


def _load(archive: zipfile.ZipFile, name: str, file: Path) -> Any:
    """The JSON of a member."""
    where = f"{file}, {few_words(name)}"
    member = archive.getinfo(name)
    if member.compress_type not in METHODS or member.flag_bits & 1:
        raise ScoresError(
            f'"{where}" must be stored, deflated or packed by Zstandard, without a password, but is not. Write the log '
            "again with: inspect log convert"
        )
    try:
        content = (_unpack_zstandard if member.compress_type == ZSTANDARD else _unpack)(archive, member)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, struct.error) as error:
        raise ScoresError(f'"{where}" cannot be unpacked: {few_words(error, 100)}. Was it copied whole?') from None
    return parsed(decoded(content, where), where)


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """The content of a member, no more of it than the size in the archive's list: that may be wrong."""
    with archive.open(member) as stream:
        return stream.read(member.file_size + 1)


def _unpack_zstandard(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """The content of a member packed by Zstandard, which `zipfile` reads from Python 3.14 on."""
    try:
        return _unpack(archive, member)
    except NotImplementedError:
        pass
    try:
        import pyarrow
    except ImportError:
        raise ScoresError(
            f'"{archive.filename}" is packed by Zstandard, which needs Python 3.14 or pyarrow. Install it with: pip '
            'install "bayescmp[parquet]", or write the log as JSON with: inspect log convert --to json'
        ) from None
    stream: Any = archive.fp
    stream.seek(member.header_offset + 26)
    name, extra = struct.unpack("<HH", stream.read(4))
    stream.seek(name + extra, io.SEEK_CUR)
    packed = stream.read(member.compress_size)
    with pyarrow.CompressedInputStream(pyarrow.BufferReader(packed), "zstd") as unpacked:
        content: bytes = unpacked.read(member.file_size + 1)
    if len(content) != member.file_size or zlib.crc32(content) != member.CRC:
        raise zipfile.BadZipFile("its size or checksum is not that of the archive's list")
    return content
