"""The decisions of McNemar's test for all sizes of a study at once.

With k items that only A gets right and c that only B does, every further item that both get right or wrong brings the
difference nearer to 0. So "better" and "worse" hold up to a number of items, and "equivalent" from one on, if the rope
holds 0: one number for each outcome, k and c, in place of a decision for each size.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayescmp.numerics.proportions import upper_tail
from bayescmp.rope import Rope

Floats = NDArray[np.float64]
Ints = NDArray[np.int_]
PRIOR = 0.5
ROUGH = 8.0
"""The approximation by mean, sd and skewness is off by less than this over a count's variance; 3.7 was the most."""
FAR = 5.0
"""Deviations beyond which skewness does not count."""
LEAST_COUNT, POINTS, REACH = 2, 21, 7.0
"""From so many items of either kind on a quadrature of so many points, so many sds to either side, is off by 1e-5."""
KINK = 4.0
"""Sds between the share of items that only one model gets right and the rope's border that this needs, too."""
NEAR = 3e-4
"""Probabilities nearer to the threshold are computed by the test's own integral."""
SEARCH = 24
"""Steps of a bisection over sizes."""


class Window(NamedTuple):
    """What k and c can be, ends included, and the first and last size."""

    k: tuple[int, int]
    c: tuple[int, int]
    n: tuple[int, int]


@lru_cache(maxsize=16)
def borders(window: Window, low: float, high: float, threshold: float) -> tuple[Ints, Ints, Ints]:
    """For each k and c the last size that is decided as better, the first as equivalent, the last as worse.

    The rope is from `low` to `high`.
    """
    k, c = np.meshgrid(np.arange(window.k[0], window.k[1] + 1), np.arange(window.c[0], window.c[1] + 1), indexing="ij")
    search = _Search(k.ravel(), c.ravel(), window.n, Rope(low, high), threshold)
    return tuple(search.last(name).reshape(k.shape) for name in ("better", "equivalent", "worse"))  # type: ignore[return-value]


class _Search:
    """For cells (k, c), the size at which the probability of an outcome crosses the threshold."""

    def __init__(self, k: Ints, c: Ints, n: tuple[int, int], rope: Rope, threshold: float) -> None:
        self.k, self.c, self.rope, self.threshold = k, c, rope, threshold
        self.first, self.final = np.maximum(k + c, n[0]), np.full(k.size, n[1])

    def last(self, outcome: str) -> Ints:
        """The last size with the outcome (0: none), or for "equivalent" the first (final + 1: none)."""
        rises = outcome == "equivalent"
        cells = np.flatnonzero(self.first <= self.final)
        at_first = self._reached(outcome, cells, self.first[cells])
        at_final = self._reached(outcome, cells, self.final[cells])
        result = np.full(self.k.size, int(self.final.max(initial=0)) + 1 if rises else 0)
        result[cells[at_first & rises]] = self.first[cells[at_first & rises]]
        result[cells[at_final & ~np.bool_(rises)]] = self.final[cells[at_final & ~np.bool_(rises)]]
        crossed = cells[(at_final & ~at_first) if rises else (at_first & ~at_final)]
        result[crossed] = self._crossing(outcome, crossed, rises)
        return result

    def _reached(self, outcome: str, cells: Ints, n: Ints) -> NDArray[np.bool_]:
        """Whether the outcome reaches the threshold: by bounds where they will do."""
        low, high = self._bounds(outcome, cells, n)
        found = low >= self.threshold
        open_ = np.flatnonzero(~found & (high >= self.threshold))
        found[open_] = self._exact(outcome, cells[open_], n[open_]) >= self.threshold
        return found

    def _crossing(self, outcome: str, cells: Ints, rises: bool) -> Ints:
        """The last (first) size with the outcome, between one that has it and one that has not.

        Bisection of the normal approximation, corrected by how far it was off at its answer, until the answer has the
        outcome and the next size has not.
        """
        with_it, without = (self.final, self.first) if rises else (self.first, self.final)
        inside, outside = with_it[cells].copy(), without[cells].copy()
        wanted, left = np.full(cells.size, special.ndtri(self.threshold)), np.arange(cells.size)
        target = special.ndtri(self.threshold)
        for _ in range(200):
            left = left[np.abs(inside[left] - outside[left]) > 1]
            if not left.size:
                break
            guess = self._approximate(outcome, cells[left], inside[left], outside[left], wanted[left])
            p = self._exact(outcome, cells[left], guess)
            has = p >= self.threshold
            inside[left[has]], outside[left[~has]] = guess[has], guess[~has]
            wanted[left] = self._z(outcome, cells[left], guess) + target - special.ndtri(np.clip(p, 1e-12, 1 - 1e-12))
        return inside

    def _approximate(self, outcome: str, cells: Ints, inside: Ints, outside: Ints, wanted: Floats) -> Ints:
        """The size strictly between at which the approximation crosses what is wanted."""
        low, high = inside.astype(float), outside.astype(float)
        for _ in range(SEARCH):
            middle = (low + high) / 2
            has = self._z(outcome, cells, middle) >= wanted
            low, high = np.where(has, middle, low), np.where(has, high, middle)
        nearest = np.where(inside < outside, np.floor(low), np.ceil(low)).astype(int)
        # on the side of the border that is not known yet: the neighbour, once one side is
        nearest = np.where(nearest == inside, inside + np.sign(outside - inside), nearest)
        return np.clip(nearest, np.minimum(inside, outside) + 1, np.maximum(inside, outside) - 1)

    def _deviations(self, cells: Ints, n: Ints | Floats) -> tuple[Floats, Floats, Floats]:
        """How far the difference is above and below the rope in the posterior's deviations; and their error."""
        k, c = self.k[cells].astype(float), self.c[cells].astype(float)
        total = n + 4 * PRIOR
        mean, square = (k - c) / total, (k + c + 2 * PRIOR) / total
        variance = (square - mean * mean) / (total + 1)
        skewness = 2 * mean * (1 - 3 * square + 2 * mean * mean) / ((total + 1) * (total + 2)) / variance**1.5

        def deviation(distance: Floats, sign: float) -> Floats:
            z = distance / np.sqrt(variance)
            return np.asarray(z + sign * skewness / 6 * (np.clip(z, -FAR, FAR) ** 2 - 1))

        above, below = deviation(mean - self.rope.high, 1.0), deviation(self.rope.low - mean, -1.0)
        return above, below, ROUGH / (total * (square - mean * mean))

    def _bounds(self, outcome: str, cells: Ints, n: Ints) -> tuple[Floats, Floats]:
        above, below, error = self._deviations(cells, n)
        if outcome == "equivalent":
            low, high = (1 - special.ndtr(above + e) - special.ndtr(below + e) for e in (error, -error))
            return low, high
        z = above if outcome == "better" else below
        return special.ndtr(z - error), special.ndtr(z + error)

    def _z(self, outcome: str, cells: Ints, n: Ints | Floats) -> Floats:
        above, below, _ = self._deviations(cells, n)
        if outcome == "equivalent":
            inside = 1 - special.ndtr(above) - special.ndtr(below)
            return np.asarray(special.ndtri(np.clip(inside, 1e-300, 1 - 1e-16)))
        return above if outcome == "better" else below

    def _exact(self, outcome: str, cells: Ints, n: Ints) -> Floats:
        """The outcome's probability."""
        k, c = self.k[cells], self.c[cells]
        better, worse = (k, c, self.rope.high), (c, k, -self.rope.low)
        sides = {"better": [better], "worse": [worse], "equivalent": [better, worse]}[outcome]

        def outcome_of(tails: list[Floats]) -> Floats:
            return 1 - tails[0] - tails[1] if outcome == "equivalent" else tails[0]

        quick = (np.minimum(k, c) >= LEAST_COUNT) & self._smooth(k + c, n)
        result = np.full(k.size, np.nan)
        result[quick] = outcome_of([_above(one[quick], two[quick], n[quick], r) for one, two, r in sides])
        slow = ~(np.abs(result - self.threshold) > NEAR)
        rest = (n - k - c)[slow] + 2 * PRIOR
        own = [
            upper_tail(one[slow] + PRIOR, two[slow] + PRIOR, rest, r)
            if r
            else special.betainc(two[slow] + PRIOR, one[slow] + PRIOR, 0.5)
            for one, two, r in sides
        ]
        result[slow] = outcome_of(own)
        return result

    def _smooth(self, both: Ints, n: Ints) -> NDArray[np.bool_]:
        """Whether the share of items that one model gets right is surely above the rope's borders: no kink there."""
        share, total = (both + 2 * PRIOR) / (n + 4 * PRIOR), n + 4 * PRIOR
        least = share - KINK * np.sqrt(share * (1 - share) / total)
        return np.asarray(least > 1.1 * max(self.rope.high, -self.rope.low))


def _above(k: Ints, c: Ints, n: Ints, r: float) -> Floats:
    """P(difference > r): given the share of items that only one model gets right, whose logit goes by equal steps."""
    a, b, e = k + PRIOR, c + PRIOR, n - k - c + 2 * PRIOR
    if r == 0:
        return np.asarray(special.betainc(b, a, 0.5))
    s = a + b
    steps = np.linspace(-REACH, REACH, POINTS)
    x = np.log(s / e)[:, None] + np.sqrt(1 / s + 1 / e)[:, None] * steps
    weight = s[:, None] * x - (s + e)[:, None] * np.logaddexp(0.0, x)
    weight = np.exp(weight - weight.max(axis=1, keepdims=True))
    other = np.maximum(1 - r * (1 + np.exp(-x)), 0.0) / 2
    shares = special.betainc(b[:, None], a[:, None], other)
    return np.asarray((weight * shares).sum(axis=1) / weight.sum(axis=1))
