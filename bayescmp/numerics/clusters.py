"""The mean difference over items that come in clusters, or that several trained models answered: its standard error.

Clusters, by Bell and McCaffrey (2002): the residuals of a cluster are divided by sqrt(1 - n_c/n), which makes the
variance unbiased for independent items, and Satterthwaite's degrees of freedom follow from the sizes of the clusters
alone. Runs: a trained model moves all its items at once, an effect crossed with the items, whose variance is the
classical one of expected mean squares (Cornfield and Tukey, 1956).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayescmp.numerics.moments import moments
from bayescmp.values import Value

Floats = NDArray[np.float64]


def clustered_student(
    differences: Floats, clusters: NDArray[np.int_] | None, rounding: float
) -> tuple[float, float, float]:
    """Mean, standard error and degrees of freedom; without clusters those of independent items.

    A spread within the rounding error of the scores counts as none.
    """
    mean, deviation, n = (float(x) for x in moments(differences))
    if deviation <= rounding:
        return mean, 0.0, n - 1
    if clusters is None:
        return mean, float(deviation / np.sqrt(n)), n - 1
    sizes = np.bincount(clusters).astype(float)
    left = 1 - sizes / n
    sums = np.bincount(clusters, differences - mean)
    used = sizes > 0
    sizes, left, sums = sizes[used], left[used], sums[used]
    variance = float(np.sum(np.square(sums) / left)) / n**2
    return mean, float(np.sqrt(variance)), satterthwaite(sizes)


@dataclass(frozen=True, eq=False)
class RunsPart(Value):
    """What the runs of one model add to the variance of its mean: `between` their means, of which `crossed` is the part
    that the items, answered in another way by every run, would leave between them by themselves.
    """

    runs: int
    between: float
    crossed: float

    @property
    def added(self) -> float:
        """The variance that is not already in that of the items' differences."""
        return max(0.0, self.between - self.crossed)


def runs_part(answers: Floats, clusters: NDArray[np.int_] | None, rounding: float) -> RunsPart:
    """The part of a model whose runs gave these answers, items x runs; at least 2 of both."""
    n, runs = answers.shape
    of_run = answers.mean(axis=0)
    spread = float(of_run.std(ddof=1))
    left = answers - answers.mean(axis=1, keepdims=True) - of_run + of_run.mean()
    if clusters is None:
        crossed = float(np.square(left).sum()) * n / (n - 1)
    else:
        sizes, sums = np.bincount(clusters).astype(float), np.zeros((int(clusters.max()) + 1, runs))
        np.add.at(sums, clusters, left)
        crossed = float(np.sum(np.square(sums).sum(axis=1)[sizes > 0] / (1 - sizes[sizes > 0] / n)))
    between = 0.0 if spread <= rounding else spread**2 / runs
    return RunsPart(runs, between, crossed / (n**2 * runs * (runs - 1)))


def crossed_student(scale: float, df: float, parts: Sequence[RunsPart]) -> tuple[float, float]:
    """Standard error and Satterthwaite's degrees of freedom with the runs of both models; without runs, as given.

    `scale` and `df` are those of the items alone.
    """
    if not parts:
        return scale, df
    variance = scale**2 + sum(part.added for part in parts)
    if not variance:
        return scale, df
    squares = scale**4 / df + sum((part.between**2 + part.crossed**2 / df) / (part.runs - 1) for part in parts)
    return float(np.sqrt(variance)), variance**2 / squares


def satterthwaite(sizes: Floats) -> float:
    """tr(B)^2/tr(B^2) for B = diag(D) - v v', the quadratic form of the variance in independent items."""
    n = sizes.sum()
    left = 1 - sizes / n
    diagonal, v = sizes / (n**2 * left), sizes / (n**1.5 * np.sqrt(left))
    trace = np.sum(diagonal) - np.sum(v**2)
    squares = np.sum(diagonal**2) - 2 * np.sum(diagonal * v**2) + np.sum(v**2) ** 2
    return float(trace**2 / squares)
