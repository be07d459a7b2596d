"""The numbers behind the rope slider: the listed pairs, the headline and the ranking on a grid of ropes.

The slider has ten positions from one rope of the grid to the next. On the grid the page shows what Python computed;
between two of its ropes the probabilities are interpolated. The grid is made finer where that misses most, and the page
says how far off it may be.
"""

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.comparison.pair import PairResult
from bayescmp.rope import Decision, Rope, RopeLike, ropes_of
from bayescmp.sentences import SAME, agreement_kind, decided, decision_words, rope_text
from bayescmp.text import probability

if TYPE_CHECKING:
    from bayescmp.bayes.ranking.result import RankingPosterior
    from bayescmp.comparison.result import Comparison

FINEST = tuple(i / 10 for i in range(41))
FINE = tuple(i / 5 for i in range(21))
COARSE = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
"""Multiples of the comparison's rope."""
MOST_SLOW_PAIRS, MOST_FINEST_PAIRS, MOST_FINE_PAIRS = 60, 12, 100
GOOD, MOST_NEW, MOST_NEW_SLOW = 0.01, 240, 60
"""Where probabilities between two ropes may be off by more than GOOD, ropes are put between them, at most so many pairs
times ropes, half of them at once; fewer where an answer takes a twentieth of a second."""
MOST_PASSES = {"draws": 3, "nuts": 3}
"""By engine, where a rope is another pass over the draws: few datasets have steps, which no grid gets rid of."""
STEPS = 10
"""Positions of the slider from one rope of the grid to the next."""
UNIT = 100_000
"""The page has probabilities as whole numbers of hundred-thousandths."""
MOST_RANKINGS, MOST_RANKINGS_OF_MANY = 11, 5
"""Ropes of the grid at which all models are ranked anew, for the headline and the table of models."""
MANY_MODELS = 20
MOST_TEXTS = 400
"""Sentences of cards that the page has for other ropes; with many cards they are those of fewer ropes."""
CODES = {Decision.A_BETTER: "a", Decision.EQUIVALENT: "e", Decision.B_BETTER: "b", Decision.UNDECIDED: "u"}
Ints = NDArray[np.int_]


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
    def of(cls, pair: PairResult, mcse: float) -> "Point":
        """The pair at its posterior's rope; with the Monte-Carlo error that all rows of a table are shown with."""
        p = pair.posterior
        shown = tuple(probability(x, mcse, pair.standard.threshold) for x in p.three)
        shares = () if p.expected is None else tuple(map(probability, p.expected.values()))
        return replace(cls.without_numbers(pair), probabilities=shown, shares=shares)

    @classmethod
    def without_numbers(cls, pair: PairResult) -> "Point":
        """What is decided about the pair, and whether the schools differ."""
        decision, kind = pair.decision, agreement_kind(pair)
        return cls((), (), decision, decision_words(pair.posterior, decision), kind, kind not in SAME)


@dataclass(frozen=True)
class Curves:
    """The listed pairs on a grid of ropes; `at` is the place of the comparison's own rope."""

    ropes: tuple[Rope, ...]
    at: int
    pairs: tuple[tuple[PairResult, ...], ...]
    """Pairs x ropes."""
    scale: str
    """The scale of the differences, and so of the ropes."""
    higher_is_better: bool
    threshold: float
    rankings: "dict[int, RankingPosterior]" = field(default_factory=dict)
    """The ranking at some of the ropes, by place; empty where there is none, or where it has no rope."""
    two_models: bool = False

    @cached_property
    def points(self) -> tuple[tuple[Point, ...], ...]:
        """Every pair at every rope, in words."""
        return tuple(tuple(map(Point.without_numbers, row)) for row in self.pairs)

    def text(self, j: int) -> str:
        """The j-th rope."""
        return rope_text(self.ropes[j], self.scale, self.higher_is_better)

    # ---- positions of the slider

    @cached_property
    def texts(self) -> list[str]:
        """The rope at every position of the slider."""
        ends = np.array([(rope.low, rope.high) for rope in self.ropes])
        return [rope_text(Rope(*_tidy_ends(x)), self.scale, self.higher_is_better) for x in self._between(ends)]

    @cached_property
    def ticks(self) -> list[int]:
        """The positions at which the decision on some listed pair is another one than at the position before."""
        codes = np.array([_codes(self._between(row), self._edge) for row in self._p])
        return (np.flatnonzero((codes[:, 1:] != codes[:, :-1]).any(axis=0)) + 1).tolist()

    @property
    def tick_texts(self) -> list[str]:
        """The ropes of the ticks."""
        return [self.texts[x] for x in self.ticks]

    @property
    def error(self) -> float:
        """About how far off a probability between two ropes of the grid may be."""
        return float(self._errors.max()) if len(self.ropes) > 2 else 1.0

    @property
    def usual_error(self) -> float:
        """The same, but for one in twenty pairs and intervals of the grid."""
        return float(np.quantile(self._errors, 0.95)) if len(self.ropes) > 2 else 1.0

    @cached_property
    def _errors(self) -> NDArray[np.float64]:
        """The same of each pair and interval of the grid.

        A line from one end of an interval h to the other misses a curve by about h^2/8 times its second derivative,
        which the neighbours tell at each of its ends. Where the slope changes as much as it is, the ropes are too far
        apart to tell, and half the difference of the two ends is taken.
        """
        h = np.diff([rope.high - rope.low for rope in self.ropes])[:, None]
        rise = np.diff(self._p / UNIT, axis=1)
        bends = 2 * np.abs(np.diff(rise / h, axis=1)) / (h[1:] + h[:-1])
        bend = np.maximum(np.pad(bends, ((0, 0), (0, 1), (0, 0))), np.pad(bends, ((0, 0), (1, 0), (0, 0))))
        rise = np.abs(rise)
        missed: NDArray[np.float64] = np.where(h**2 * bend > 0.9 * rise, rise / 2, h**2 / 8 * bend).max(axis=2)
        return missed

    def finer(self) -> list[Rope]:
        """Ropes to put between those of the grid, first where interpolation misses most; none where it is good."""
        if len(self.ropes) < 3:
            return []
        errors = self._errors.max(axis=0)
        parts = np.ceil(np.sqrt(errors / GOOD)).astype(int)  # a quarter of the error in half the interval
        new: list[tuple[float, float]] = []
        for j in np.argsort(-errors):
            low, high = self.ropes[j : j + 2]
            for share in np.arange(1, min(parts[j], 4)) / min(parts[j], 4):
                new.append((low.low + (high.low - low.low) * share, low.high + (high.high - low.high) * share))
        return [Rope(*_tidy_ends(ends)) for ends in new]

    def _between(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Numbers of each rope at every position: the page's own interpolation."""
        position = np.arange((len(rows) - 1) * STEPS + 1)
        low = np.minimum(position // STEPS, max(len(rows) - 2, 0))
        share = ((position - STEPS * low) / STEPS)[:, None]
        found: NDArray[np.float64] = rows[low] + (rows[np.minimum(low + 1, len(rows) - 1)] - rows[low]) * share
        return found

    @cached_property
    def _p(self) -> Ints:
        """The probabilities, pairs x ropes x 3, each on its side of the threshold also when rounded."""
        p = np.array([[pair.posterior.three for pair in row] for row in self.pairs])
        whole = np.rint(p * UNIT).astype(int)
        whole = np.where((p < self.threshold) & (whole >= self._edge), self._edge - 1, whole)
        return np.where((p >= self.threshold) & (whole < self._edge), self._edge, whole)

    @property
    def _edge(self) -> int:
        """The threshold as the page compares it."""
        return round(self.threshold * UNIT)

    # ---- for the page

    def to_json(self, mcse: float, cards: Sequence[int] = (), ranked: Sequence[str] = ()) -> dict[str, Any]:
        """Everything that moves with the rope, as the page needs it.

        `mcse` is the error that the table of pairs is shown with, `cards` are the places of the pairs that have one,
        `ranked` the models in the order of the table of models.
        """
        kinds = list(dict.fromkeys(p.kind for points in self.points for p in points))
        places = {kind: chr(ord("A") + i) for i, kind in enumerate(kinds)}
        first = self.pairs[0][0].posterior
        shares = None
        if first.expected is not None:
            expected = [[list((pair.posterior.expected or {}).values()) for pair in row] for row in self.pairs]
            shares = np.rint(np.array(expected) * UNIT).astype(int).reshape(len(self.pairs), -1).tolist()
        return {
            "texts": self.texts,
            "at": self.at * STEPS,
            "steps": STEPS,
            "unit": UNIT,
            "edge": self._edge,
            "decimals": len(probability(0.5, mcse).partition(".")[2]),
            "ticks": self.ticks,
            "about": "" if first.expected is None else "most probable: ",
            "kinds": kinds,
            "pairs": self._p.reshape(len(self.pairs), -1).tolist(),
            "shares": shares,
            "kind": ["".join(places[p.kind] for p in points) for points in self.points],
            "headlines": self.headlines,
            "ranked": list(self.rankings),
            "within": [[round(r.p_within_rope[name] * UNIT) for r in self.rankings.values()] for name in ranked],
            "cards": self._sentences(cards),
        }

    @cached_property
    def headlines(self) -> dict[int, str]:
        """The first line of the report at the ropes of the grid; empty where it does not depend on the rope."""
        if self.two_models:
            return {j: decided(pair) for j, pair in enumerate(self.pairs[0])}
        return {j: ranking.groups(threshold=self.threshold).sentence() for j, ranking in self.rankings.items()}

    def _sentences(self, cards: Sequence[int]) -> dict[str, Any]:
        """The sentences of the cards, at every rope of the grid or at some of them."""
        ropes = _some(len(self.ropes), max(2, MOST_TEXTS // max(1, len(cards))), self.at)
        said = {i: [self.pairs[i][j].three_sentences for j in ropes] for i in cards}
        return {
            "ropes": ropes,
            "says": {i: [[posterior, differ] for posterior, _, differ in three] for i, three in said.items()},
        }

    # ---- in words

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


def curves(
    c: "Comparison",
    ropes: Iterable[RopeLike] | None = None,
    n_jobs: int | None = None,
    places: Sequence[int] | None = None,
    ranking: "RankingPosterior | None" = None,
    slider: bool = True,
) -> Curves | None:
    """The pairs at `places` on a grid of ropes around the comparison's own; None where that would take long.

    None as well where it makes no sense. The `ranking` is moved along the grid with them. Without a `slider` the grid
    is not made finer.
    """
    own = c.posteriors[0].rope
    if any(p.rope != own for p in c.posteriors):
        return None
    chosen = range(len(c.posteriors)) if places is None else places
    grid = _grid(c, own, len(chosen)) if ropes is None else ropes_of(ropes)
    if not grid:
        return None
    found = _on_grid(c, own, [own, *grid], n_jobs, chosen)
    left = max(4, (MOST_NEW_SLOW if c.setting.bayes_test.slow else MOST_NEW) // len(chosen))
    at_once = left // 2
    passes = MOST_PASSES.get(c.posteriors[0].engine, MOST_NEW)
    for _ in range(passes if slider and ropes is None and len(chosen) <= MOST_FINE_PAIRS else 0):
        new = found.finer()[: min(left, at_once)]
        if not new:
            break
        found = _on_grid(c, own, [*found.ropes, *new], n_jobs, chosen)
        left -= len(new)
    return replace(found, rankings=_rankings(c, found, ranking))


def _on_grid(c: "Comparison", own: Rope, ropes: Iterable[Rope], n_jobs: int | None, places: Sequence[int]) -> Curves:
    """The curves on these ropes, from the narrowest to the widest; what was computed before is not computed again."""
    grid = sorted(set(ropes), key=lambda rope: (rope.high - rope.low, rope.high))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # given when the comparison was made
        pairs = [pair for pair, _ in c.at_ropes(grid, n_jobs=n_jobs, places=places)]
    return Curves(
        ropes=tuple(grid),
        at=grid.index(own),
        pairs=tuple(tuple(pairs[i : i + len(grid)]) for i in range(0, len(pairs), len(grid))),
        scale=c.posteriors[0].scale,
        higher_is_better=c.scores.higher_is_better,
        threshold=c.threshold,
        two_models=len(c.models) == 2,
    )


def _rankings(c: "Comparison", found: Curves, ranking: "RankingPosterior | None") -> "dict[int, RankingPosterior]":
    """The ranking at some ropes of the grid, by place; none of two models, or where the ranking has no rope."""
    if ranking is None or len(c.models) < 3 or not all(math.isfinite(rope.high - rope.low) for rope in found.ropes):
        return {}
    most = MOST_RANKINGS if len(c.models) <= MANY_MODELS else MOST_RANKINGS_OF_MANY
    widest = {j: max(-found.ropes[j].low, found.ropes[j].high) for j in _some(len(found.ropes), most, found.at)}
    others = {j: x for j, x in widest.items() if j != found.at}
    try:
        moved = dict(zip(others, ranking.at_ropes(others.values(), c.threshold), strict=True))
        return {j: moved.get(j, ranking) for j in widest}
    except ValueError:  # mean ranks have no rope
        return {}


def _grid(c: "Comparison", own: Rope, pairs: int) -> list[Rope]:
    slow = c.setting.bayes_test.slow or "engine" in c.bayes_options
    if not all(map(math.isfinite, (own.low, own.high))) or (slow and len(c.posteriors) > MOST_SLOW_PAIRS):
        return []
    unit = own if not own.is_zero else Rope.of(_unit(c))
    factors = COARSE if slow or pairs > MOST_FINE_PAIRS else FINEST if pairs <= MOST_FINEST_PAIRS else FINE
    return [Rope(_tidy(unit.low * f), _tidy(unit.high * f)) for f in factors if not unit.is_zero]


def _unit(c: "Comparison") -> float:
    """A step for a slider that starts from no rope: a round number of about a tenth of the widest interval."""
    ends = [p.hdi() for p in c.posteriors if p.mean is not None]
    width = max((high - low for low, high in ends), default=0.0)
    return float(f"{width / 10:.0e}") if width > 0 and math.isfinite(width) else 0.0


def _some(n: int, most: int, here: int) -> list[int]:
    """At most about so many of n places, evenly spread, among them the first, the last and `here`."""
    return sorted({here, *np.linspace(0, n - 1, min(most, n)).astype(int).tolist()})


def _codes(three: NDArray[np.float64], edge: int) -> Ints:
    """0, 1, 2 where A better, equivalent, B better reaches the threshold; 3 where none does."""
    reached = three >= edge - 1e-6
    return np.where(reached.any(axis=-1), reached.argmax(axis=-1), 3)


def _tidy_ends(ends: Iterable[float]) -> tuple[float, float]:
    low, high = (_tidy(float(f"{x:.6g}")) for x in ends)
    return low, high


def _tidy(x: float) -> float:
    return float(f"{x:.10g}") + 0.0
