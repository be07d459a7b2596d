"""What every part of the study needs: rates with their Monte-Carlo errors, checks that can fail, and tables."""

import sys
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Floats = NDArray[np.float64]
MASSES = (0.5, 0.8, 0.95)
MOST_ERRORS = 4.0
"""A checked rate may be that many standard errors off; a test of uniformity may have the p-value of as many."""
LEAST_P = 2 * stats.norm.sf(MOST_ERRORS)


@dataclass(frozen=True)
class Rate:
    """A share of studies and its standard error."""

    value: float
    error: float
    n: int

    def __str__(self) -> str:
        digits = 3 if self.error < 0.0095 else 2
        return f"{self.value:.{digits}f} ± {self.error:.{digits}f}"


def rate(hits: ArrayLike) -> Rate:
    """The share of hits; hits of several quantities of one study are a row, and count as one study for the error."""
    x = np.asarray(hits, dtype=float)
    if x.ndim == 2:
        means = x.mean(axis=1)
        return Rate(float(means.mean()), float(means.std(ddof=1) / np.sqrt(len(means))), len(means))
    p = (x.sum() + 1) / (x.size + 2)  # so that the error of 0 out of n is not 0
    return Rate(float(x.mean()), float(np.sqrt(p * (1 - p) / x.size)), x.size)


@dataclass
class Book:
    """Random numbers, tables, checks, and what the figure and the text need."""

    seed: int
    quick: bool
    tables: dict[str, str] = field(default_factory=dict)
    values: dict[Any, Any] = field(default_factory=dict)
    checks: int = 0
    failures: list[str] = field(default_factory=list)
    started: float = field(default_factory=perf_counter)

    def rng(self, name: str) -> np.random.Generator:
        """A stream of its own for each part, so that parts can change without changing the others."""
        return np.random.default_rng([self.seed, zlib.crc32(name.encode())])

    def studies(self, full: int, quick: int) -> int:
        return quick if self.quick else full

    def progress(self, what: str) -> None:
        print(f"[{perf_counter() - self.started:5.0f} s] {what}", file=sys.stderr, flush=True)

    def table(self, name: str, head: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
        """Markdown, printed at once and kept for the page."""
        lines = [" | ".join(head)]
        lines.append(" | ".join("---" for _ in lines[0].split(" | ")))
        lines += [" | ".join(map(str, row)) for row in rows]
        self.tables[name] = "\n".join(f"| {line} |" for line in lines)
        print(f"\n{name}\n{self.tables[name]}", flush=True)

    def check(self, name: str, found: Rate, expected: float, side: str = "both") -> Rate:
        """Note a rate that is too far from (or above, or below) what theory says; returns the rate."""
        self.checks += 1
        error = max(np.sqrt(expected * (1 - expected) / found.n), found.error if found.n < 1000 else 0.0)
        z = (found.value - expected) / error
        off = {"both": abs(z), "at most": z, "at least": -z}[side]
        if off > MOST_ERRORS:
            self.failures.append(f"{name}: {found}, must be {'' if side == 'both' else side + ' '}{expected:.3f}")
        return found

    def check_uniform(self, name: str, pit: Floats) -> float:
        """The p-value of the Kolmogorov-Smirnov test of uniformity, noted where it is too small."""
        self.checks += 1
        p = float(stats.kstest(pit, "uniform").pvalue)
        if p < LEAST_P:
            self.failures.append(f"{name}: posterior probabilities of the truth are not uniform, p = {p:.2g}")
        return p


def central(pit: Floats, mass: float) -> NDArray[np.bool_]:
    """Whether the central interval of that mass holds the truth, whose posterior cdf is given."""
    return np.abs(pit - 0.5) <= mass / 2


def curve(p: ArrayLike, happened: ArrayLike, bins: int = 10, least: int = 20) -> list[tuple[float, Rate]]:
    """Mean probability and observed rate in bins of the stated probability; bins with few cases are left out."""
    p, happened = np.ravel(p), np.ravel(happened)
    which = np.minimum((p * bins).astype(int), bins - 1)
    parts = [which == k for k in range(bins)]
    return [(float(p[part].mean()), rate(happened[part])) for part in parts if part.sum() >= least]


def check_curve(book: Book, name: str, points: list[tuple[float, Rate]]) -> None:
    """Every point of a calibration curve must lie on the diagonal."""
    for p, found in points:
        book.check(f"{name}, stated {p:.2f}", found, min(max(p, 1e-3), 1 - 1e-3))


def p_text(p: float) -> str:
    return f"{p:.2f}" if p >= 0.01 else f"{p:.0e}"
