"""The Bayesian side of all pairs: in chunks that share their work, on one core, many, or a cluster, and resumable."""

import hashlib
import inspect
import json
import os
import sys
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from bayescmp.bayes.posterior import Posterior
from bayescmp.catalogue import Test, imported
from bayescmp.checks import check_count, check_draws
from bayescmp.errors import MissingWarning, warn
from bayescmp.numerics.threads import one_blas_thread
from bayescmp.progress import progress_bar
from bayescmp.rope import Rope
from bayescmp.scores.pair import Pair
from bayescmp.scores.table import Scores
from bayescmp.text import versions
from bayescmp.values import encode

MOST_WORKERS = 10_000
MOST_WITH_GRIDS = 12
"""Up to so many pairs the posteriors keep what they were computed from, so that a rope curve starts from it."""
NUTS_OPTIONS = ("draws", "tune", "chains", "cores", "nuts_sampler", "target_accept", "progressbar")
Names = tuple[str, str]
Found = tuple[Posterior, list[tuple[str, str]]]
"""A posterior, and the warnings that came up: their classes' names and messages."""


@dataclass(frozen=True)
class Job:
    """What to find out about every pair; together with the data it determines the answer."""

    test: Test
    rope: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    random_seed: int | None = None
    pairs: int = 1

    @property
    def seeded(self) -> bool:
        """Whether random numbers are drawn."""
        return self.test.seeded or self.options.get("engine") == "nuts"

    def posterior(self, pair: Pair) -> Posterior:
        """The posterior of one pair: the test called as by hand."""
        seed = {"random_seed": self.random_seed} if self.seeded else {}
        found = self.test.call(pair, rope=self.rope, **seed, **self.options)
        if not isinstance(found, Posterior):
            raise ValueError(f"{self.test.function} must return a Posterior, got {type(found).__name__}.")
        return found

    def key(self, pair: Pair) -> str:
        """A name for the answer of one pair: from its data, these settings and the versions."""
        about = {
            "job": [self.test.function, encode(self.rope), encode(self.options), self.random_seed],
            "pair": [pair.a, pair.b, pair.datasets, pair.metric, pair.higher_is_better, pair.scale],
            "design": encode(pair.resampling),
            "shape": pair.scores_a.shape,
            "runs": [items.runs for items in pair.items.values()],
            "versions": versions(),
        }
        digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
        of_items = [x for items in pair.items.values() for x in (items.clusters, items.samples)]
        for array in (pair.scores_a, pair.scores_b, *of_items):
            digest.update(b"none" if array is None else array.tobytes())
        return digest.hexdigest()


def check_options(test: Test, options: Mapping[str, Any]) -> dict[str, Any]:
    """Further options of a Bayesian test; refused where the test has no such option."""
    if not isinstance(options, Mapping):
        raise ValueError(f"`bayes_options` must be a mapping from name to value, got {options!r}.")
    given_elsewhere = (
        "a",
        "b",
        "rope",
        "random_seed",
        "resampling",
        "dataset",
        "higher_is_better",
        "mixed_units",
        "nuts_options",
    )
    known = [name for name in inspect.signature(test.call).parameters if name not in given_elsewhere]
    known += NUTS_OPTIONS if options.get("engine") == "nuts" else ()
    for name in options:
        if name not in known:
            hint = " Give it to compare() or to the Scores." if name in given_elsewhere else ""
            raise ValueError(
                f"`bayes_options` of {test.name} may hold {', '.join(dict.fromkeys(known))}; got {name!r}.{hint}"
            )
    if "draws" in options:
        check_count("draws", options["draws"])
        if options.get("engine") != "nuts":  # whose sampler checks the draws of all chains
            check_draws(options["draws"])
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in options.items()}


def data_seed(scores: Scores) -> int:
    """A seed that is always the same for the same scores."""
    return int.from_bytes(hashlib.sha256(np.ascontiguousarray(scores.values).tobytes()).digest()[:4], "little")


def run_together(scores: Scores, names: Sequence[Names], job: Job) -> Sequence[Posterior] | None:
    """The posteriors of all pairs at once; None where the test cannot, or has something to warn of, pair by pair."""
    if job.test.batch is None:
        return None
    batch = imported(job.test.batch)
    if not job.options.keys() <= inspect.signature(batch).parameters.keys():
        return None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found: Sequence[Posterior] | None = batch(scores, names, job.rope, **job.options)
    return None if caught else found


def run_pairs(
    scores: Scores,
    names: Sequence[Names],
    job: Job,
    *,
    n_jobs: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> list[Found]:
    """The posterior of every pair, in the order of `names`; the same for any number of workers."""
    store = _Store(cache)
    found: dict[Names, Found] = {}
    if store.folder is not None:
        keys = {pair: job.key(quiet_pair(scores, pair)) for pair in names}
        found = {pair: kept for pair, key in keys.items() if (kept := store.read(key, pair)) is not None}
    left = [pair for pair in names if pair not in found]
    workers = count_workers(n_jobs)
    chunks = _chunks(left, job.test.pairs_per_task if "engine" not in job.options else 1, workers)
    tasks = [(work, (scores, chunk, job)) for chunk in chunks]
    threads = job.test.threads and "engine" not in job.options
    with progress_bar(len(names), len(found), f"{job.test.label}, pairs", progress) as advance:
        for chunk, results in zip(chunks, in_order(tasks, n_jobs, workers, threads), strict=True):
            for pair, result in zip(chunk, results, strict=True):
                found[pair] = result
                if store.folder is not None:
                    store.write(keys[pair], result)
            advance(len(chunk))
    return [found[pair] for pair in names]


_one_catches_warnings = Lock()
"""The filters of warnings belong to all threads."""


def work(scores: Scores, chunk: Sequence[Names], job: Job) -> list[Found]:
    """One task: the posteriors of a few pairs with their answers, and the warnings that came up."""
    posteriors, messages = [], []
    with one_blas_thread():
        for names in chunk:
            with _one_catches_warnings, warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                posteriors.append(job.posterior(quiet_pair(scores, names)))
            messages.append([(w.category.__name__, str(w.message)) for w in caught])
        posteriors = answered_together(posteriors, job.test, job.pairs)
        for posterior in posteriors:
            posterior.settle()
    if job.pairs > MOST_WITH_GRIDS:
        posteriors = [posterior.bare() for posterior in posteriors]
    return list(zip(posteriors, messages, strict=True))


def answered_together(
    posteriors: list[Posterior], test: Test, pairs: int, ropes: Sequence[Rope] = ()
) -> list[Posterior]:
    """The posteriors with their answers (for these `ropes`), where the test can compute those of many at once."""
    return posteriors if test.together is None else imported(test.together)(posteriors, pairs=pairs, ropes=ropes)


def map_posteriors(
    method: str, posteriors: Sequence[Posterior], arguments: tuple[Any, ...], test: Test, n_jobs: int | None
) -> list[Any]:
    """What `method` of every posterior returns, on as many workers as wanted."""
    workers = count_workers(n_jobs)
    chunks = _chunks(list(posteriors), max(1, test.pairs_per_task // 4), workers)
    tasks = [(_call_each, (method, chunk, arguments)) for chunk in chunks]
    found: list[Any] = []
    with progress_bar(len(posteriors), 0, f"{test.label}, pairs", None) as advance:
        for results in in_order(tasks, n_jobs, workers):
            found += results
            advance(len(results))
    return found


def _call_each(method: str, posteriors: list[Posterior], arguments: tuple[Any, ...]) -> list[Any]:
    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # came up when the comparison was made
        return [getattr(posterior, method)(*arguments) for posterior in posteriors]


def quiet_pair(scores: Scores, names: Names) -> Pair:
    """The pair, without a warning for datasets that it lacks: compare gives one for all pairs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingWarning)
        return scores.pair(*names)


# ---- where the work is done


def count_workers(n_jobs: int | None) -> int:
    """How many workers there are."""
    whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not whole or n_jobs == 0 or abs(n_jobs) > MOST_WORKERS):
        raise ValueError(
            f"`n_jobs` must be a whole number other than 0 (-1: all cores) and at most {MOST_WORKERS}, got {n_jobs!r}."
        )
    if n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules):
        return 1
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def _chunks(items: list[Any], size: int, workers: int) -> list[list[Any]]:
    if workers > 1:
        size = max(1, min(size, -(-len(items) // workers)))
    return [items[start : start + size] for start in range(0, len(items), size)]


def in_order(
    tasks: list[tuple[Callable[..., Any], tuple[Any, ...]]], n_jobs: int | None, workers: int, threads: bool = False
) -> Iterator[Any]:
    """The results of the tasks in their order; where a worker process dies, the rest is done here.

    Workers are threads where that is said, unless a backend of joblib was chosen.
    """
    if workers == 1 or len(tasks) < 2:
        yield from (function(*arguments) for function, arguments in tasks)
        return
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    done = 0
    parallel = Parallel(n_jobs=n_jobs, return_as="generator", batch_size=1, prefer="threads" if threads else None)
    results = parallel(delayed(function)(*arguments) for function, arguments in tasks)
    try:
        for result in results:
            done += 1
            yield result
    except TerminatedWorkerError:
        warn(
            f"A worker process died (out of memory?): the remaining {len(tasks) - done} of {len(tasks)} tasks run in "
            "this process. Use fewer workers (n_jobs).",
            RuntimeWarning,
        )
        yield from (function(*arguments) for function, arguments in tasks[done:])
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

    def read(self, key: str, names: Names) -> Found | None:
        """The pair of this key; None where there is none, or with a warning where the file is damaged."""
        assert self.folder is not None
        path = self.folder / f"{key}.json"
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            posterior = Posterior.from_dict(data["posterior"])
            if data["key"] != key or (posterior.a, posterior.b) != names:
                raise ValueError("it is about something else")
            return posterior, [(str(kind), str(message)) for kind, message in data["warnings"]]
        except OSError:
            return None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            warn(f"{path} is damaged, so that its pair is computed again: {error}.", RuntimeWarning)
            return None

    def write(self, key: str, found: Found) -> None:
        assert self.folder is not None
        draft = self.folder / f".{key}.{uuid.uuid4().hex}.tmp"
        try:
            text = json.dumps({"key": key, "posterior": found[0].to_dict(), "warnings": found[1]})
            draft.write_text(text, encoding="utf-8")
            draft.replace(self.folder / f"{key}.json")
        except OSError as error:
            draft.unlink(missing_ok=True)
            warn(f"A finished pair could not be kept in {self.folder}: {error}.", RuntimeWarning)
            self.folder = None
