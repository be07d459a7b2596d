"""The numbers behind the rope slider: every pair on a grid of ropes, as the texts that the page shows.

The page only picks among these texts, so it cannot disagree with Python.
"""

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bayescmp.comparison.agreement import agreement
from bayescmp.comparison.decisions import in_words, threshold_decision
from bayescmp.comparison.rows import verdicts
from bayescmp.reports.sentences import pair_rope, rope_text
from bayescmp.rope import Decision, Rope, RopeLike, ropes_of
from bayescmp.text import probability

if TYPE_CHECKING:
    from bayescmp.comparison.result import Comparison

FINE = tuple(i / 5 for i in range(21))
COARSE = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
"""Multiples of the comparison's rope."""
MOST_SLOW_PAIRS, MOST_FINE_PAIRS = 60, 100
CODES = {Decision.A_BETTER: "a", Decision.EQUIVALENT: "e", Decision.B_BETTER: "b", Decision.UNDECIDED: "u"}
THREE = ("better", "equivalent", "worse")


@dataclass(frozen=True)
class Point:
    """One pair at one rope."""

    probabilities: tuple[str, ...]
    shares: tuple[str, ...]
    decision: Decision
    kind: str


@dataclass(frozen=True)
class Curves:
    """All pairs on a grid of ropes; `at` is the place of the comparison's own rope."""

    ropes: tuple[Rope, ...]
    at: int
    points: tuple[tuple[Point, ...], ...]
    each: bool
    """Whether ropes count the ropes that every dataset has of its own."""

    def text(self, j: int) -> str:
        """The j-th rope."""
        return rope_text(self.ropes[j], self.each)

    def to_json(self) -> dict[str, Any]:
        """For the page: one short text a pair and rope, "P P P|share share share|decision|kind"."""
        kinds = list(dict.fromkeys(p.kind for points in self.points for p in points))
        places = {kind: i for i, kind in enumerate(kinds)}
        return {
            "ropes": [self.text(j) for j in range(len(self.ropes))],
            "at": self.at,
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
                "differ": sum(p.kind != "agree" for p in column),
            }
            edge = j in (0, self.at, len(self.ropes) - 1)
            if edge or any(rows[-1][name] != x for name, x in numbers.items()):
                rows.append({"rope": self.text(j), **numbers, "here": j == self.at})
        return rows

    def runs(self, i: int, a: str, b: str) -> str:
        """How the decision on pair i moves with the rope, in words."""
        parts: list[tuple[str, int, int]] = []
        for j, point in enumerate(self.points[i]):
            words = str(in_words(point.decision, a, b))
            if parts and parts[-1][0] == words:
                parts[-1] = (words, parts[-1][1], j)
            else:
                parts.append((words, j, j))
        if len(parts) == 1:
            return f"{parts[0][0]} at every rope up to {self.text(-1)}"
        shown = [(words, self.text(low), self.text(high)) for words, low, high in parts]
        return "; ".join(f"{words} at {low}" + (f" to {high}" if low != high else "") for words, low, high in shown)


def own_point(c: "Comparison", i: int) -> Point:
    """Pair i at the comparison's own rope."""
    return _point(c, i, c.rows[i], pair_rope(c, i))


def curves(c: "Comparison", ropes: Iterable[RopeLike] | None = None, n_jobs: int | None = None) -> Curves | None:
    """Every pair on a grid of ropes around the comparison's own; None where that would take long, or makes no sense."""
    own = pair_rope(c, 0)
    if any(pair_rope(c, i) != own for i in range(len(c.rows))):
        return None
    grid = _grid(c, own) if ropes is None else ropes_of(ropes)
    if not grid:
        return None
    grid = sorted({own, *grid}, key=lambda rope: (rope.high - rope.low, rope.high))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said when the comparison was made
        rows: list[Any] = c.rope_curve(grid, n_jobs=n_jobs).to_dict("records")
    at, size = grid.index(own), len(grid)
    points = []
    for i in range(len(c.pairs)):
        found = [_point(c, i, row, rope) for row, rope in zip(rows[i * size : (i + 1) * size], grid, strict=True)]
        found[at] = own_point(c, i)
        points.append(tuple(found))
    return Curves(tuple(grid), at, tuple(points), isinstance(c.rope, dict))


def _grid(c: "Comparison", own: Rope) -> list[Rope]:
    slow = c.setting.bayes == "hierarchical" or "engine" in c.bayes_options
    if not all(map(math.isfinite, (own.low, own.high))) or (slow and len(c.pairs) > MOST_SLOW_PAIRS):
        return []
    unit = own if not own.is_zero else Rope.of(_unit(c))
    factors = COARSE if slow or len(c.pairs) > MOST_FINE_PAIRS else FINE
    return [Rope(_tidy(unit.low * f), _tidy(unit.high * f)) for f in factors if not unit.is_zero]


def _unit(c: "Comparison") -> float:
    """A step for a slider that starts from no rope: a round number of about a tenth of the widest interval."""
    widths = [row["interval_high"] - row["interval_low"] for row in c.rows if row["estimate"] is not None]
    width = max(widths, default=0.0)
    return float(f"{width / 10:.0e}") if width > 0 and math.isfinite(width) else 0.0


def _tidy(x: float) -> float:
    return float(f"{x:.10g}") + 0.0


def _point(c: "Comparison", i: int, row: dict[str, Any], rope: Rope) -> Point:
    decision = threshold_decision(row, c.threshold)
    values = {f"p_{name}": row[f"p_{name}"] for name in THREE}
    expected = tuple(row[f"expected_{name}"] for name in THREE) if "expected_better" in row else None
    both = replace(
        verdicts(c, i),
        **values,
        mcse=row["mcse"],
        decision=decision,
        rope=rope,
        expected=(expected[0], expected[1], expected[2]) if expected else None,
    )
    shares = tuple(map(probability, expected or ()))
    shown = tuple(probability(p, row["mcse"], c.threshold) for p in values.values())
    return Point(shown, shares, decision, agreement(both)[0])
