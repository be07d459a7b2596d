"""Rules that give a confidence interval at any level; one travels with every test result that has an interval."""

import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv, ndtri, stdtrit

from bayescmp.numerics.ranks import signed_rank_distribution

Floats = NDArray[np.float64]
EXACT_UP_TO = 200
"""Observations for which the exact distribution of the signed-rank statistic gives the interval."""


@dataclass(frozen=True)
class IntervalRule:
    """How to get an interval at any level."""

    kind: ClassVar[str]
    KINDS: ClassVar[dict[str, type["IntervalRule"]]] = {}

    def __init_subclass__(cls) -> None:
        cls.KINDS[cls.kind] = cls

    def at(self, level: float, alternative: str = "two-sided") -> tuple[float, float]:
        """The interval at a confidence level; one-sided where the alternative is."""
        tail = 1 - level if alternative in ("greater", "less") else (1 - level) / 2
        low = -math.inf if alternative == "less" else self.lower(tail)
        high = math.inf if alternative == "greater" else self.upper(tail)
        return low, high

    def lower(self, tail: float) -> float:
        """The bound that the truth is below with probability at most `tail`."""
        raise NotImplementedError

    def upper(self, tail: float) -> float:
        """The bound that the truth is above with probability at most `tail`."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {"kind": self.kind} | asdict(self)


@dataclass(frozen=True)
class StudentInterval(IntervalRule):
    """center +- t scale; the normal interval where df is infinite."""

    center: float
    scale: float
    df: float

    kind: ClassVar[str] = "student"

    def lower(self, tail: float) -> float:
        quantile = ndtri(tail) if math.isinf(self.df) else stdtrit(self.df, tail)
        return self.center + float(quantile) * self.scale

    def upper(self, tail: float) -> float:
        return 2 * self.center - self.lower(tail)


@dataclass(frozen=True)
class WalshInterval(IntervalRule):
    """The (C+1)-th smallest and largest Walsh average; C is the largest value with P(T <= C) <= tail."""

    differences: tuple[float, ...]

    kind: ClassVar[str] = "walsh"

    def lower(self, tail: float) -> float:
        return walsh_average(np.asarray(self.differences), self._index(tail))

    def upper(self, tail: float) -> float:
        return -walsh_average(-np.asarray(self.differences), self._index(tail))

    def _index(self, tail: float) -> int:
        """C + 1, or 0 where so few differences cannot give an interval at this level."""
        n = len(self.differences)
        if n <= EXACT_UP_TO:
            return int(np.searchsorted(np.cumsum(signed_rank_distribution(n)), tail, side="right"))
        return max(0, math.floor(n * (n + 1) / 4 + ndtri(tail) * math.sqrt(n * (n + 1) * (2 * n + 1) / 24) + 0.5))


@dataclass(frozen=True)
class MedianInterval(IntervalRule):
    """Order statistics around the median, by the binomial distribution of the sign test."""

    differences: tuple[float, ...]

    kind: ClassVar[str] = "median"

    def lower(self, tail: float) -> float:
        return self._order_statistic(np.sort(self.differences), tail)

    def upper(self, tail: float) -> float:
        return -self._order_statistic(np.sort(-np.asarray(self.differences)), tail)

    @staticmethod
    def _order_statistic(ascending: Floats, tail: float) -> float:
        n = len(ascending)
        below = int(np.searchsorted(bdtr(np.arange(n // 2 + 1), n, 0.5), tail, side="right"))
        return float(ascending[below - 1]) if below else -math.inf


@dataclass(frozen=True)
class BinomialInterval(IntervalRule):
    """Clopper-Pearson: the exact interval of a proportion."""

    count: int
    n: int

    kind: ClassVar[str] = "binomial"

    def at(self, level: float, alternative: str = "two-sided") -> tuple[float, float]:
        low, high = super().at(level, alternative)
        return max(low, 0.0), min(high, 1.0)

    def lower(self, tail: float) -> float:
        return float(betaincinv(self.count, self.n - self.count + 1, tail)) if self.count else 0.0

    def upper(self, tail: float) -> float:
        return float(betaincinv(self.count + 1, self.n - self.count, 1 - tail)) if self.count < self.n else 1.0


@dataclass(frozen=True)
class PairedProportionsInterval(IntervalRule):
    """Bonett and Price: Wald's interval of the difference of two paired proportions, with one case more in each
    discordant cell; cut at -1 and 1, and never without the observed difference.
    """

    only_a: int
    only_b: int
    n: int

    kind: ClassVar[str] = "paired proportions"

    def at(self, level: float, alternative: str = "two-sided") -> tuple[float, float]:
        low, high = super().at(level, alternative)
        return max(low, -1.0), min(high, 1.0)

    def lower(self, tail: float) -> float:
        return min(self._adjusted(ndtri(tail)), (self.only_a - self.only_b) / self.n)

    def upper(self, tail: float) -> float:
        return max(self._adjusted(-ndtri(tail)), (self.only_a - self.only_b) / self.n)

    def _adjusted(self, z: float) -> float:
        plus, minus = (self.only_a + 1) / (self.n + 2), (self.only_b + 1) / (self.n + 2)
        return plus - minus + float(z) * math.sqrt((plus + minus - (plus - minus) ** 2) / (self.n + 2))


def interval_rule_from_dict(data: dict[str, Any]) -> IntervalRule:
    """The inverse of a rule's `to_dict`."""
    fields = {name: tuple(x) if isinstance(x, list) else x for name, x in data.items() if name != "kind"}
    return IntervalRule.KINDS[data["kind"]](**fields)


def hodges_lehmann(differences: Floats) -> float:
    """The median of the Walsh averages (d_i + d_j)/2, i <= j."""
    n = len(differences)
    m = n * (n + 1) // 2
    low, high = walsh_average(differences, (m + 1) // 2), walsh_average(differences, m // 2 + 1)
    return low if low == high else (low + high) / 2


def walsh_average(differences: Floats, k: int) -> float:
    """The k-th smallest Walsh average (-inf for k = 0), in O(n log n) time and O(n) memory for many differences."""
    if k <= 0:
        return -math.inf
    d = np.sort(differences)
    n = d.size
    if n <= 1000:
        i, j = np.triu_indices(n)
        return float(np.partition((d[i] + d[j]) / 2, k - 1)[k - 1])
    low, high = float(d[0]), float(d[-1])
    while (middle := (low + high) / 2) not in (low, high):
        # pairs (i, j) with d_i + d_j <= 2 middle, i <= j: the square's half with its diagonal
        square = int(np.searchsorted(d, 2 * middle - d, side="right").sum())
        diagonal = int(np.searchsorted(d, middle, side="right"))
        low, high = (low, middle) if (square + diagonal) // 2 >= k else (middle, high)
    return high
