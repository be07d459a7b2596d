"""docs/benchmarks.md: the words, and the tables of this run."""

from typing import Any

from _timing import table

WORDS = """# Benchmarks

*Ratios to the other packages, how time and memory grow, and how far each engine is from its limit.*

Written by `make bench` on {date}: {machine}; {versions}.
{missing}
Its load was {load:.1f} before the run; it is a shared machine, so look at ratios, not seconds. bayescmp and its peers
take turns within one process (after one run that is not timed); a ratio is the median over the turns of the peer's
CPU time divided by ours, with the middle half of the turns in brackets. BLAS has one thread. Memory is the most that
a new process ever had after doing the work once, imports included; of work by two workers, without theirs. Rows with
"wall" are one run in seconds of the wall clock. Where a peer would take too long it does a part of the work, marked
`~`: the rest follows from the slope between two parts of different sizes where a part has fixed costs, and else it is
multiplied up. The run took {minutes:.0f} minutes.

## Beside the peers

{cases}

Not the same in all respects: bayescmp's sign test is exact and baycomp's is Monte Carlo, and counts that came before
are remembered; the 50,000 draws of the signed-rank test come in groups that share random numbers, and by their
Monte-Carlo error most often are worth 0.5 to 2 times as many independent ones; `compare` also does the classical tests,
their adjustment and the effect sizes; autorank's Bayesian mode also estimates intervals for every model; statsmodels
runs Python's garbage collector in every adjustment, and that is nearly all of its time. The time of NUTS depends on how
many draws one asks for, here 2 chains of 500 + 500, compiling the model included. `read_scores` also checks and aligns
what pandas only reads. Beside `import numpy`, one over the ratio is our time in units of that.

## Beside version 0.1.0

The first version, from this project's history, does the same in the same run, each of the two in its own process and
without peers in between; what it cannot do is left out, or what it does not end within a minute.

{before}

## How time grows

The slope of log time in log size, by least squares, with its 95 % interval: 1 is linear. Pairs grow with the square of
the models. Fixed costs pull a slope down; this is what these sizes show, not a law.

{growths}

## How far from the limit

The share of our time that the bare part takes alone: the part that no implementation of the same method can do without.
A share of 0.5 means that nobody can make it more than twice as fast without another method.

{limits}

- Random weights are what one signed-rank test cannot do without: one uniform number for every two groups of up to 10
  draws. All pairs of `compare` share them, and what is left is some five multiplications and additions for each pair,
  dataset and group, and some twenty for each draw, in a compiled loop.
- The hierarchical test's convolutions are tabulated once for each nu and number of folds, and remembered: the first
  test in a process pays for the tables, the others interpolate in them by matrix products.

## What is imported

{modules}

## What guards it

Wall time is not a test. `tests/test_counts.py` counts on small fixed inputs what the time is made of: modules imported,
random numbers drawn, Student distribution functions evaluated, tables made, calls of Python functions. A change that
makes one of these grow fails there.

## What to read next

- [Calibration](calibration.md): speed is worth nothing where the numbers are wrong.
- [Validation](validation.md): which independent source confirms which number.
"""


def page(found: dict[str, Any], about: dict[str, Any]) -> tuple[str, bool]:
    """The page, and whether something failed."""

    def all_of(kind: str) -> list[dict[str, Any]]:
        return [item for results in found.values() for item in results[kind]]

    lists = {kind: all_of(kind) for kind in ("cases", "growths", "limits")}
    here = {name: v for name, v in about["versions"].items() if v}
    absent = [name for name, v in about["versions"].items() if not v]
    skipped = sorted({name for item in lists["cases"] for name in item.get("missing", [])})
    missing = f"Not installed: {', '.join(absent)}. " if absent else ""
    missing += f"So not measured: {', '.join(skipped)}." if skipped else ""
    text = WORDS.format(
        **about
        | {
            "before": before_and_now(lists["cases"]),
            "versions": ", ".join(f"{name} {v}" for name, v in here.items()),
            "missing": missing,
            "cases": table(
                ("what", "bayescmp", "peer", "its time", "ratio", "memory", "its memory"), case_rows(lists["cases"])
            ),
            "growths": table(
                ("what", "grows with", "sizes", "exponent", "95 % interval"), growth_rows(lists["growths"])
            ),
            "limits": table(("what", "bayescmp", "bare part", "share", "middle half"), limit_rows(lists["limits"])),
            "modules": table(("after", "modules"), [(what, str(n)) for what, n in about["modules"]]),
        }
    )
    return text, any("failed" in item for items in lists.values() for item in items)


def case_rows(cases: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    rows = []
    for case in cases:
        if "failed" in case:
            rows.append((case["what"], f"failed: {case['failed']}", *[""] * 5))
            continue
        what, ours = case["what"], (time(case["ours"]), megabytes(case.get("memory", {}).get("")))
        for name, peer in case["peers"].items() or [("none", None)]:
            if peer is None:
                rows.append((what, ours[0], "", "", "", ours[1], ""))
                continue
            low, middle, high = peer["ratio"]
            theirs = ("~" if peer["share"] != 1 else "") + time(peer["seconds"])
            spread = f" ({figure(low)} to {figure(high)})" if case["turns"] > 1 else " (one turn)"
            memory = megabytes(case["memory"].get(name))
            rows.append((what, ours[0], name, theirs, f"{figure(middle)}{spread}", ours[1], memory))
    return rows


def before_and_now(cases: list[dict[str, Any]]) -> str:
    """What the first version took, and how many times as long that is; what got slower is said first."""
    both = {case["what"]: (case["before"], case["now"]) for case in cases if case.get("before")}
    slower = [f"{what} ({figure(then / now)})" for what, (then, now) in both.items() if then < 0.95 * now]
    words = f"Slower than then: {'; '.join(slower)}." if slower else "Nothing is slower than it was."
    rows = [(what, time(then), time(now), figure(then / now)) for what, (then, now) in both.items()]
    return f"{words}\n\n{table(('what', '0.1.0', 'now', 'ratio'), rows)}" if both else "Not measured: no history here."


def growth_rows(growths: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for g in growths:
        if "failed" in g:
            rows.append((g["what"], g["variable"], f"failed: {g['failed']}", "", ""))
            continue
        (small, fast), *_, (large, slow) = g["times"].items()
        sizes = f"{int(small):,} ({time(fast)}) to {int(large):,} ({time(slow)})"
        low, high = g["interval"]
        rows.append((g["what"], g["variable"], sizes, f"{g['exponent']:.2f}", f"{low:.2f} to {high:.2f}"))
    return rows


def limit_rows(limits: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for x in limits:
        if "failed" in x:
            rows.append((x["what"], f"failed: {x['failed']}", x["floor"], "", ""))
            continue
        low, middle, high = x["share"]
        rows.append((x["what"], time(x["ours"]), x["floor"], f"{middle:.2f}", f"{low:.2f} to {high:.2f}"))
    return rows


def time(seconds: float) -> str:
    if seconds < 1:
        return f"{figure(seconds * 1e3)} ms"
    return f"{figure(seconds)} s"


def figure(x: float) -> str:
    """Three figures of small numbers, two of large ones."""
    if x >= 1000:
        digits = len(str(int(x))) - 2
        return f"{round(x, -digits):,.0f}"
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def megabytes(x: float | None) -> str:
    return "" if x is None else f"{x:.0f} MB"
