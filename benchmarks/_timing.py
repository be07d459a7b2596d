"""The common shape of the benchmarks: cases beside peers, how time grows, how far from the limit; and their timing."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from scipy import special

Work = Callable[[], object]


@dataclass(frozen=True)
class Case:
    """Some work, and the same by peers. A function makes each, outside of the time, and may raise ImportError.

    `share` says of a peer which part of the work it does where all of it would take too long, and `less` has an even
    smaller part of the same: the rest is extrapolated by the slope between the two, so that what a peer does once only
    is not multiplied. `once` is for work of many seconds: it is timed by the wall, in its first run, with its memory.
    """

    what: str
    ours: Callable[[], Work]
    peers: dict[str, Callable[[], Work]] = field(default_factory=dict)
    turns: int = 5
    share: dict[str, float] = field(default_factory=dict)
    less: dict[str, tuple[Callable[[], Work], float]] = field(default_factory=dict)
    once: bool = False


@dataclass(frozen=True)
class Process:
    """Work of a new process: Python with these arguments."""

    arguments: tuple[str, ...]

    def __call__(self) -> None:
        # with compiled modules, as they are where a package is installed
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        subprocess.run([sys.executable, *self.arguments], check=True, capture_output=True, env=environment)

    def megabytes(self) -> float:
        """The most memory that it ever has; by a small parent, because a child's peak starts at that of its parent."""
        code = (
            "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        command = [sys.executable, "-S", "-c", code, sys.executable, *self.arguments]
        return int(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout) / 1024


@dataclass(frozen=True)
class Growth:
    """Work of several sizes."""

    what: str
    variable: str
    sizes: tuple[int, ...]
    make: Callable[[int], Work]
    turns: int = 3


@dataclass(frozen=True)
class Limit:
    """Work, and the part of it that no implementation of the method can do without."""

    what: str
    ours: Callable[[], Work]
    floor: str
    bare: Callable[[], Work]
    turns: int = 5


def seconds(work: Work) -> float:
    """The CPU time of this process and of those that it waited for: on a shared machine, less of it is others'."""
    start = _cpu_seconds()
    work()
    return _cpu_seconds() - start


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(x.ru_utime + x.ru_stime for x in used)


def in_turns(works: list[Work], turns: int) -> list[list[float]]:
    """Times of each work, which take turns so that all see the same load; once before without looking at the clock.

    With a single turn only the first, which is ours, is run before.
    """
    for work in works if turns > 1 else works[:1]:
        work()
    laps = [[seconds(work) for work in works] for _ in range(turns)]
    return [list(times) for times in zip(*laps, strict=True)]


def ratios(case: Case) -> dict[str, Any]:
    """Our median time; for each peer its own, and the median and quartiles of its time over ours, turn by turn."""
    if case.once:
        work, start = case.ours(), perf_counter()
        work()
        took = perf_counter() - start
        return {"ours": took, "peers": {}, "missing": [], "turns": 1, "memory": {"": _peak()}}
    works, missing = {}, []
    for name, make in case.peers.items():
        try:
            works[name] = make()
        except ImportError:
            missing.append(name)
    less = {name: case.less[name][0]() for name in works if name in case.less}
    ours, *times = in_turns([case.ours(), *works.values(), *less.values()], case.turns)
    theirs = dict(zip(works, times, strict=False))
    smaller = dict(zip(less, times[len(works) :], strict=True))
    found = {}
    for name, parts in theirs.items():
        share = case.share.get(name, 1.0)
        whole = [x / share for x in parts]
        if name in smaller:
            left = (1 - share) / (share - case.less[name][1])
            whole = [x + (x - y) * left for x, y in zip(parts, smaller[name], strict=True)]
        low, middle, high = np.quantile(np.divide(whole, ours), [0.25, 0.5, 0.75]).tolist()
        found[name] = {"seconds": median(whole), "ratio": [low, middle, high], "share": share}
    return {"ours": median(ours), "peers": found, "missing": missing, "turns": case.turns}


def peak_memory(make: Callable[[], Work]) -> dict[str, float]:
    """The most memory that this process ever had, in MB, after doing the work once.

    From /proc, because ru_maxrss starts at the memory of the parent, and so says too much; without /proc, and for work
    that is done by workers, nothing is said.
    """
    try:
        work = make()
    except ImportError:
        return {}
    if isinstance(work, Process):
        return {"megabytes": work.megabytes()}
    work()
    peak = None if resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss else _peak()
    return {} if peak is None else {"megabytes": peak}


def _peak() -> float | None:
    status = Path("/proc/self/status")
    return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024 if status.exists() else None


def exponent(growth: Growth) -> dict[str, Any]:
    """The slope of log time in log size by least squares, with its 95 % interval; sizes in random order each turn."""
    works = {n: growth.make(n) for n in growth.sizes}
    for work in works.values():
        work()
    order, laps = Random(1), []
    for _ in range(growth.turns):
        laps += [(n, seconds(works[n])) for n in order.sample(growth.sizes, len(growth.sizes))]
    x, y = np.log(np.array(laps)).T
    x = x - x.mean()
    slope = float(x @ y / (x @ x))
    left = y - y.mean() - slope * x
    df = len(laps) - 2
    error = float(np.sqrt(left @ left / df / (x @ x)) * special.stdtrit(df, 0.975))
    times = {n: median(t for m, t in laps if m == n) for n in growth.sizes}
    return {"exponent": slope, "interval": [slope - error, slope + error], "times": times}


def share_of_limit(limit: Limit) -> dict[str, Any]:
    """Which share of our time the bare part takes, median and quartiles over turns."""
    ours, bare = in_turns([limit.ours(), limit.bare()], limit.turns)
    low, middle, high = np.quantile(np.array(bare) / ours, [0.25, 0.5, 0.75]).tolist()
    return {"ours": median(ours), "share": [low, middle, high]}


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table whose columns line up as plain text too."""
    cells = [list(head), *map(list, rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]])
