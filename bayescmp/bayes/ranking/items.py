"""Which of many models is the best one on items? Their joint posterior, of which every pair is the test of two models.

Right and wrong: a Dirichlet on the patterns of right and wrong over models, so that pairing is automatic. Grades and
clusters: the multivariate Student t with the (cluster-robust) covariance of the items, and with what the runs of each
model add where it was trained several times.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayescmp.bayes.ranking.result import AbilityInference, Block
from bayescmp.numerics.clusters import RunsPart, crossed_student, satterthwaite
from bayescmp.numerics.streams import streams
from bayescmp.numerics.student import student_regions
from bayescmp.rope import Rope

Floats = NDArray[np.float64]
FORGOTTEN = 1e-8
"""The expected mass of new patterns that is not broken up any further."""


@dataclass(frozen=True, eq=False)
class PatternAbilities(AbilityInference):
    """Accuracies of models: items x models of right (1) and wrong (0), prior Dirichlet with `prior` for each cell of a
    pair.

    The prior weight 4 `prior` is spread evenly over all patterns, so that the posterior is the mixture of the patterns
    that occurred, with gamma weights of their counts, and of a Dirichlet process of all patterns, drawn by breaking a
    stick.
    """

    right: Floats
    prior: float
    n_draws: int
    random_seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "right", np.asarray(self.right, dtype=float))

    def blocks(self) -> Iterator[Block]:
        patterns, counts = np.unique(self.right, axis=0, return_counts=True)
        k, alpha = patterns.shape[1], 4 * self.prior
        n = len(self.right)
        sticks = max(1, math.ceil(math.log(FORGOTTEN * (n + alpha) / alpha) / math.log(alpha / (1 + alpha))))
        # with many models most patterns come once, and an exponential takes less than half the time of a gamma
        once, several = patterns[counts == 1], patterns[counts > 1]
        shapes = counts[counts > 1]
        for rng, size in streams(self.random_seed, self.n_draws, max(len(patterns), k * sticks)):
            single, weights = (
                rng.standard_exponential((size, len(once))),
                rng.standard_gamma(shapes, (size, shapes.size)),
            )
            new = rng.standard_gamma(alpha, (size, 1))
            cut = rng.beta(1.0, alpha, (size, sticks))
            cut[:, -1] = 1.0
            left = np.cumprod(1 - cut[:, :-1], axis=1)
            stick = cut * np.concatenate([np.ones((size, 1)), left], axis=1)
            coins = np.unpackbits(rng.integers(0, 256, (size, sticks, -(-k // 8)), dtype=np.uint8), axis=2, count=k)
            fresh = np.einsum("ds,dsk->dk", stick, coins)
            total = single.sum(axis=1, keepdims=True) + weights.sum(axis=1, keepdims=True) + new
            yield Block((single @ once + weights @ several + new * fresh) / total, 1e-14)

    def better(self) -> Floats:
        only_row = self.right.T @ (1 - self.right)
        found = special.betainc(only_row.T + self.prior, only_row + self.prior, 0.5)
        return np.where(np.eye(len(found), dtype=bool), 0.5, found)


@dataclass(frozen=True, eq=False)
class ItemAbilities(AbilityInference):
    """Mean grades of models over items: multivariate Student t; `grades` is items x models.

    `runs` is what the runs of each model add, None for one that was trained once; empty where all were.
    """

    grades: Floats
    clusters: NDArray[np.int64] | None
    rounding: float
    n_draws: int
    random_seed: int
    runs: tuple[RunsPart | None, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "grades", np.asarray(self.grades, dtype=float))

    @cached_property
    def _student(self) -> tuple[Floats, Floats, float]:
        """Location, covariance of the means over items, degrees of freedom."""
        n = len(self.grades)
        location = self.grades.mean(axis=0)
        centred = self.grades - location
        if self.clusters is None:
            return location, centred.T @ centred / (n * (n - 1)), float(n - 1)
        sizes = np.bincount(self.clusters).astype(float)
        sums = np.zeros((sizes.size, centred.shape[1]))
        np.add.at(sums, self.clusters, centred)
        used = sizes > 0
        sums, sizes = sums[used] / np.sqrt(1 - sizes[used] / n)[:, None], sizes[used]
        return location, sums.T @ sums / n**2, satterthwaite(sizes)

    @cached_property
    def _pairs(self) -> tuple[Floats, Floats]:
        """The variance of every difference of two models, and its degrees of freedom."""
        _, covariance, df = self._student
        variance = np.diag(covariance)
        spread = np.maximum(variance[:, None] + variance - 2 * covariance, 0.0)
        spread = np.where(spread <= 1e-13 * (variance[:, None] + variance), 0.0, spread)
        if not any(self.runs):
            return spread, np.full(spread.shape, df)
        dfs = np.full(spread.shape, df)
        for i, j in np.argwhere(~np.eye(len(spread), dtype=bool)).tolist():
            both = [part for part in (self.runs[i], self.runs[j]) if part is not None]
            scale, dfs[i, j] = crossed_student(math.sqrt(spread[i, j]), df, both)
            spread[i, j] = scale**2
        return spread, dfs

    @property
    def df(self) -> float:
        """The degrees of freedom of the joint posterior; with runs, the least of all pairs."""
        different = ~np.eye(len(self._pairs[1]), dtype=bool)
        return float(self._pairs[1][different].min(initial=self._student[2]))

    def blocks(self) -> Iterator[Block]:
        location, covariance, _ = self._student
        df = self.df
        if self.runs:
            covariance = covariance + np.diag([0.0 if part is None else part.added for part in self.runs])
        values, vectors = np.linalg.eigh(covariance)
        factor = (vectors * np.sqrt(np.maximum(values, 0.0))).T
        tolerance = 4 * self.rounding + 1e-13 * math.sqrt(max(values[-1], 0.0))
        for rng, size in streams(self.random_seed, self.n_draws, location.size):
            normal = rng.standard_normal((size, location.size)) @ factor
            yield Block(location + normal / np.sqrt(rng.chisquare(df, (size, 1)) / df), tolerance)

    def better(self) -> Floats:
        location, (spread, df) = self._student[0], self._pairs
        gaps = location[:, None] - location
        found = student_regions(gaps, np.sqrt(spread), df, Rope(0, 0), self.rounding)[0]
        return np.where(np.eye(len(found), dtype=bool), 0.5, found)
