"""The numbers behind the rope slider: every pair on a grid of ropes, as the texts that the page shows.

The page only picks among these texts, so it cannot disagree with Python.
"""

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayescmp.comparison.pair import PairResult
from bayescmp.rope import Decision, Rope, RopeLike, ropes_of
from bayescmp.sentences import rope_text
from bayescmp.text import probability

if TYPE_CHECKING:
    from bayescmp.comparison.result import Comparison

FINE = tuple(i / 5 for i in range(21))
COARSE = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
"""Multiples of the comparison's rope."""
MOST_SLOW_PAIRS, MOST_FINE_PAIRS = 60, 100
CODES = {Decision.A_BETTER: "a", Decision.EQUIVALENT: "e", Decision.B_BETTER: "b", Decision.UNDECIDED: "u"}


@dataclass(frozen=True)
class Point:
    """One pair at one rope."""

    probabilities: tuple[str, ...]
    shares: tuple[str, ...]
    decision: Decision
    words: str
    kind: str
    differ: bool

    @classmethod
    def of(cls, pair: PairResult) -> "Point":
        """The pair at its posterior's rope."""
        p = pair.posterior
        shown = tuple(probability(x, p.largest_mcse, pair.standard.threshold) for x in p.three)
        shares = () if p.expected is None else tuple(map(probability, p.expected.values()))
        verdict = pair.verdict
        return cls(shown, shares, pair.decision, verdict.decision, verdict.kind, verdict.differ)


@dataclass(frozen=True)
class Curves:
    """All pairs on a grid of ropes; `at` is the place of the comparison's own rope."""

    ropes: tuple[Rope, ...]
    at: int
    points: tuple[tuple[Point, ...], ...]
    scale: str
    """The scale of the differences, and so of the ropes."""
    higher_is_better: bool

    def text(self, j: int) -> str:
        """The j-th rope."""
        return rope_text(self.ropes[j], self.scale, self.higher_is_better)

    def to_json(self) -> dict[str, Any]:
        """For the page: one short text a pair and rope, "P P P|share share share|decision|kind"."""
        kinds = list(dict.fromkeys(p.kind for points in self.points for p in points))
        places = {kind: i for i, kind in enumerate(kinds)}
        return {
            "ropes": [self.text(j) for j in range(len(self.ropes))],
            "at": self.at,
            "about": "most probable: " if self.points[0][0].shares else "",
            "kinds": kinds,
            "pairs": [
                [
                    f"{' '.join(p.probabilities)}|{' '.join(p.shares)}|{CODES[p.decision]}|{places[p.kind]}"
                    for p in points
                ]
                for points in self.points
            ],
        }

    def counts(self) -> list[dict[str, Any]]:
        """How many pairs are decided, and on how many the schools differ: where that changes along the ropes."""
        rows: list[dict[str, Any]] = []
        for j in range(len(self.ropes)):
            column = [points[j] for points in self.points]
            better = sum(p.decision in (Decision.A_BETTER, Decision.B_BETTER) for p in column)
            equivalent = sum(p.decision is Decision.EQUIVALENT for p in column)
            numbers = {
                "better": better,
                "equivalent": equivalent,
                "undecided": len(column) - better - equivalent,
                "differ": sum(p.differ for p in column),
            }
            edge = j in (0, self.at, len(self.ropes) - 1)
            if edge or any(rows[-1][name] != x for name, x in numbers.items()):
                rows.append({"rope": self.text(j), **numbers, "here": j == self.at})
        return rows

    def runs(self, i: int) -> str:
        """How the decision on pair i moves with the rope, in words."""
        parts: list[tuple[str, int, int]] = []
        for j, point in enumerate(self.points[i]):
            words = point.words
            if parts and parts[-1][0] == words:
                parts[-1] = (words, parts[-1][1], j)
            else:
                parts.append((words, j, j))
        if len(parts) == 1:
            return f"{parts[0][0]} at every rope up to {self.text(-1)}"
        shown = [(words, self.text(low), self.text(high)) for words, low, high in parts]
        return "; ".join(f"{words} at {low}" + (f" to {high}" if low != high else "") for words, low, high in shown)


def curves(c: "Comparison", ropes: Iterable[RopeLike] | None = None, n_jobs: int | None = None) -> Curves | None:
    """Every pair on a grid of ropes around the comparison's own; None where that would take long, or makes no sense."""
    own, scale = c.posteriors[0].rope, c.posteriors[0].scale
    if any(p.rope != own for p in c.posteriors):
        return None
    grid = _grid(c, own) if ropes is None else ropes_of(ropes)
    if not grid:
        return None
    grid = sorted({own, *grid}, key=lambda rope: (rope.high - rope.low, rope.high))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # given when the comparison was made
        points = [Point.of(pair) for pair, _ in c.at_ropes(grid, n_jobs=n_jobs)]
    rows = [tuple(points[i : i + len(grid)]) for i in range(0, len(points), len(grid))]
    return Curves(tuple(grid), grid.index(own), tuple(rows), scale, c.scores.higher_is_better)


def _grid(c: "Comparison", own: Rope) -> list[Rope]:
    slow = c.setting.bayes_test.slow or "engine" in c.bayes_options
    if not all(map(math.isfinite, (own.low, own.high))) or (slow and len(c.posteriors) > MOST_SLOW_PAIRS):
        return []
    unit = own if not own.is_zero else Rope.of(_unit(c))
    factors = COARSE if slow or len(c.posteriors) > MOST_FINE_PAIRS else FINE
    return [Rope(_tidy(unit.low * f), _tidy(unit.high * f)) for f in factors if not unit.is_zero]


def _unit(c: "Comparison") -> float:
    """A step for a slider that starts from no rope: a round number of about a tenth of the widest interval."""
    ends = [p.hdi() for p in c.posteriors if p.mean is not None]
    width = max((high - low for low, high in ends), default=0.0)
    return float(f"{width / 10:.0e}") if width > 0 and math.isfinite(width) else 0.0


def _tidy(x: float) -> float:
    return float(f"{x:.10g}") + 0.0
