"""report.html of many models, with everything that it shows, and the comparison behind it."""

import tempfile
from functools import partial
from pathlib import Path

import compare
from _timing import Case, Work

import bayescmp as bc


def page(models: int) -> Work:
    """Models on one dataset of 100 folds, all pairs."""
    scores, path = compare.with_folds(models, 1), Path(tempfile.gettempdir()) / "bayescmp_benchmark.html"

    def work() -> None:
        c = bc.compare(scores, rope=0.01, random_seed=1)
        c.report(path, overwrite=True)

    return work


def cases() -> list[Case]:
    return [Case(f"compare and report.html, {n} models x 100 folds", partial(page, n), turns=2) for n in (40, 100, 200)]
