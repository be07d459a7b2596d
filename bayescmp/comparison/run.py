"""The Bayesian side of all pairs: in chunks that share their work, on one core, many, or a cluster, and resumable."""

import hashlib
import inspect
import json
import os
import sys
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from bayescmp import bayes
from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.bayes.posterior import Posterior
from bayescmp.bayes.regions import RegionPosterior
from bayescmp.bayes.signed_rank import DRAWS, LEAST_WORK, share_draws
from bayescmp.checks import check_count
from bayescmp.errors import MissingWarning, warn
from bayescmp.numerics.threads import one_blas_thread
from bayescmp.rope import Rope
from bayescmp.scores.pair import Pair
from bayescmp.scores.table import Scores
from bayescmp.text import plain, versions

CHUNK = {"correlated_t": 64, "sign": 64, "signed_rank": 256, "hierarchical": 2}
"""Pairs that one task works on: many where they share random numbers, few where each takes long."""

MOST_WORKERS = 10_000
Names = tuple[str, str]
Row = dict[str, Any]


TESTS: dict[str, Any] = {
    "correlated_t": bayes.correlated_ttest,
    "hierarchical": bayes.hierarchical_ttest,
    "signed_rank": bayes.signed_rank_test,
    "sign": bayes.sign_test,
}
NUTS_OPTIONS = ("draws", "tune", "chains", "cores", "nuts_sampler", "target_accept", "progressbar")


@dataclass(frozen=True)
class Job:
    """What to find out about every pair; together with the data it determines the answer."""

    bayes: str
    rope: Any
    options: dict[str, Any] = field(default_factory=dict)
    random_seed: int | None = None
    what: str = "row"
    ropes: tuple[Any, ...] = ()
    compiled: bool = False

    def for_all(self, scores: Scores, pairs: int) -> "Job":
        """The same job, with the loop that suits the whole of it, so that chunks and workers change no digit."""
        work = pairs * len(scores.datasets) * self.options.get("draws", DRAWS)
        return replace(self, compiled=self.bayes == "signed_rank" and work >= LEAST_WORK)

    def posterior(self, pair: Pair) -> Any:
        """The posterior of one pair: the test called as by hand."""
        random = self.bayes == "signed_rank" or self.options.get("engine") == "nuts"
        seed = {"random_seed": self.random_seed} if random else {}
        return TESTS[self.bayes](pair, rope=self.rope, **seed, **self.options)

    def rows(self, posterior: Posterior) -> list[Row]:
        """What was to be found out of one posterior."""
        if self.what == "row":
            return [_row(posterior)]
        if self.what == "rope_curve":
            return _curve(posterior, self.ropes)
        if isinstance(posterior, DifferencePosterior):
            raise ValueError("The correlated t-test has one prior (flat, matching the t-test): nothing to vary.")
        assert isinstance(posterior, RegionPosterior)
        return _records(posterior.prior_sensitivity())

    def key(self, pair: Pair) -> str:
        """A name for the answer of one pair: from its data, these settings and the versions."""
        about = {
            "job": [self.bayes, plain(_rope_data(self.rope)), plain(self.options), self.random_seed, self.what]
            + [[r.low, r.high] for r in map(Rope.of, self.ropes)],
            "pair": [pair.a, pair.b, pair.datasets, pair.metric, pair.higher_is_better, pair.scale],
            "design": [r.to_dict() if r else None for r in pair.resampling],
            "shape": pair.scores_a.shape,
            "versions": versions(),
        }
        digest = hashlib.sha256(json.dumps(about, sort_keys=True, default=str).encode())
        for scores in (pair.scores_a, pair.scores_b):
            digest.update(scores.tobytes())
        return digest.hexdigest()


def check_options(test: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Further options of a Bayesian test as plain values; refused where the test has no such option."""
    if not isinstance(options, Mapping):
        raise ValueError(f"`bayes_options` must be a mapping from name to value, got {options!r}.")
    given_elsewhere = ("a", "b", "rope", "random_seed", "resampling", "dataset", "higher_is_better", "nuts_options")
    known = [name for name in inspect.signature(TESTS[test]).parameters if name not in given_elsewhere]
    known += NUTS_OPTIONS if options.get("engine") == "nuts" else ()
    for name in options:
        if name not in known:
            hint = " Give it to compare() or to the Scores." if name in given_elsewhere else ""
            raise ValueError(
                f"`bayes_options` of {test} may hold {', '.join(dict.fromkeys(known))}; got {name!r}.{hint}"
            )
    check_count("draws", options.get("draws", DRAWS))
    return {name: plain(value) for name, value in options.items()}


def data_seed(scores: Scores) -> int:
    """A seed that is always the same for the same scores."""
    return int.from_bytes(hashlib.sha256(np.ascontiguousarray(scores.values).tobytes()).digest()[:4], "little")


def run_pairs(
    scores: Scores,
    names: Sequence[Names],
    job: Job,
    *,
    n_jobs: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> list[list[Row]]:
    """The rows of every pair, in the order of `names`; the same for any number of workers."""
    job = job.for_all(scores, len(names))
    store = _Store(cache)
    found: dict[Names, list[Row]] = {}
    if store.folder is not None:
        keys = {pair: job.key(quiet_pair(scores, pair)) for pair in names}
        found = {pair: rows for pair, key in keys.items() if (rows := store.read(key)) is not None}
    left = [pair for pair in names if pair not in found]
    size = CHUNK[job.bayes] if "engine" not in job.options else 1
    workers = _workers(n_jobs)
    if workers > 1:
        size = max(1, min(size, -(-len(left) // workers)))
    chunks = [left[start : start + size] for start in range(0, len(left), size)]
    with _bar(len(names), len(found), job.bayes, progress) as advance:
        for chunk, results in zip(chunks, _results(scores, chunks, job, n_jobs, workers), strict=True):
            for pair, rows in zip(chunk, results, strict=True):
                found[pair] = rows
                if store.folder is not None:
                    store.write(keys[pair], rows)
            advance(len(chunk))
    return [found[pair] for pair in names]


def work(scores: Scores, chunk: Sequence[Names], job: Job) -> list[list[Row]]:
    """One task: the rows of a few pairs, with the warnings that came up."""
    with one_blas_thread():
        return _work(scores, chunk, job)


def _work(scores: Scores, chunk: Sequence[Names], job: Job) -> list[list[Row]]:
    posteriors, messages = [], []
    for names in chunk:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            posteriors.append(job.posterior(quiet_pair(scores, names)))
        messages.append([[w.category.__name__, str(w.message)] for w in caught])
    if job.bayes == "signed_rank" and "engine" not in job.options and "precision" not in job.options:
        if job.what != "rope_curve":
            posteriors = share_draws(posteriors, compiled=job.compiled)
        elif job.compiled:
            posteriors = _share_ropes(posteriors, job)
    results = [job.rows(posterior) for posterior in posteriors]
    return [
        [{"a": p.a, "b": p.b, **plain(row), "warnings": found} for row in rows]
        for p, rows, found in zip(posteriors, results, messages, strict=True)
    ]


def _share_ropes(posteriors: list[Any], job: Job) -> list[Any]:
    """Rope by rope for all posteriors in the compiled loop, which is faster than all ropes for one after the other."""
    for rope in job.ropes:
        found = share_draws([posterior.with_rope(rope) for posterior in posteriors], compiled=True)
        posteriors = [p.answered(moved._answers.values()) for p, moved in zip(posteriors, found, strict=True)]
    return posteriors


def quiet_pair(scores: Scores, names: Names) -> Pair:
    """The pair, without a warning for datasets that it lacks: compare says that once for all pairs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingWarning)
        return scores.pair(*names)


def _row(posterior: Posterior) -> Row:
    """The numbers of one pair, as `Posterior.to_frame()` has them, with losses and notes."""
    row = posterior.row()
    if posterior.expected is None:
        row = {k: x for k, x in row.items() if not k.startswith("expected_")}
    names = {"estimate": row["mean"], "interval_low": row["hdi_low"], "interval_high": row["hdi_high"]}
    return row | names | {"notes": list(posterior.notes)}


def _curve(posterior: Posterior, ropes: Sequence[Any]) -> list[Row]:
    if isinstance(posterior, RegionPosterior):
        return _records(posterior.rope_curve(ropes))
    rows = []
    for rope in map(Rope.of, ropes):
        p = posterior.with_rope(rope)
        three = {"p_better": p.p_better, "p_equivalent": p.p_equivalent, "p_worse": p.p_worse}
        rows.append({"rope_low": rope.low, "rope_high": rope.high, **three, "mcse": max(p.mcse.values())})
    return rows


def _records(frame: Any) -> list[Row]:
    return list(frame.to_dict("records"))


def _rope_data(rope: Any) -> Any:
    if isinstance(rope, dict):
        return {name: _rope_data(r) for name, r in rope.items()}
    region = Rope.of(rope)
    return [region.low, region.high]


# ---- where the work is done


def _workers(n_jobs: int | None) -> int:
    whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not whole or n_jobs == 0 or abs(n_jobs) > MOST_WORKERS):
        raise ValueError(
            f"`n_jobs` must be a whole number other than 0 (-1: all cores) and at most {MOST_WORKERS}, got {n_jobs!r}."
        )
    if n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules):
        return 1
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def _results(
    scores: Scores, chunks: list[list[Names]], job: Job, n_jobs: int | None, workers: int
) -> Iterator[list[list[Row]]]:
    """The results of the chunks in their order; where a worker process dies, the rest is done here."""
    if workers == 1 or len(chunks) < 2:
        yield from (work(scores, chunk, job) for chunk in chunks)
        return
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    done = 0
    parallel = Parallel(n_jobs=n_jobs, return_as="generator", batch_size=1)
    results = parallel(delayed(work)(scores, chunk, job) for chunk in chunks)
    try:
        for result in results:
            done += 1
            yield result
    except TerminatedWorkerError:
        warn(
            f"A worker process died (out of memory?): the remaining {len(chunks) - done} of {len(chunks)} tasks run in "
            "this process. Use fewer workers (n_jobs).",
            RuntimeWarning,
        )
        yield from (work(scores, chunk, job) for chunk in chunks[done:])
    finally:
        with suppress(AttributeError):
            results.close()


class _Store:
    """Finished pairs, one JSON file each, written whole or not at all."""

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise ValueError(f"`cache` must be a folder that can be written, but {folder}: {error}.") from None

    def read(self, key: str) -> list[Row] | None:
        assert self.folder is not None
        with suppress(OSError, ValueError, KeyError, TypeError):
            data = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
            rows = data["rows"]
            if data["key"] == key and rows and all({"a", "b", "p_better", "warnings"} <= set(row) for row in rows):
                return list(rows)
        return None

    def write(self, key: str, rows: list[Row]) -> None:
        assert self.folder is not None
        draft = self.folder / f".{key}.{uuid.uuid4().hex}.tmp"
        try:
            draft.write_text(json.dumps({"key": key, "rows": rows}), encoding="utf-8")
            draft.replace(self.folder / f"{key}.json")
        except OSError as error:
            draft.unlink(missing_ok=True)
            warn(f"A finished pair could not be kept in {self.folder}: {error}.", RuntimeWarning)
            self.folder = None


@contextmanager
def _bar(total: int, done: int, what: str, wanted: bool | None) -> Iterator[Any]:
    """A progress bar on stderr, pairs done and time left; where a person looks on, or as wanted."""
    if not (sys.stderr.isatty() if wanted is None else wanted) or total < 2:
        with nullcontext():
            yield lambda n: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=wanted is None) as bar:
        task = bar.add_task(f"{what.replace('_', ' ')}, pairs", total=total, completed=done)
        yield lambda n: bar.advance(task, n)
