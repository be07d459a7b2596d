"""The mean of differences that come in clusters: its robust standard error (CR2) and degrees of freedom.

Bell and McCaffrey (2002): the residuals of a cluster are divided by sqrt(1 - n_c/n), which makes the variance unbiased
for independent items, and Satterthwaite's degrees of freedom follow from the sizes of the clusters alone.
"""

import numpy as np
from numpy.typing import NDArray

from bayescmp.numerics.moments import moments

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
        return mean, deviation / np.sqrt(n), n - 1
    sizes = np.bincount(clusters).astype(float)
    left = 1 - sizes / n
    sums = np.bincount(clusters, differences - mean)
    used = sizes > 0
    sizes, left, sums = sizes[used], left[used], sums[used]
    variance = float(np.sum(np.square(sums) / left)) / n**2
    return mean, float(np.sqrt(variance)), satterthwaite(sizes)


def satterthwaite(sizes: Floats) -> float:
    """tr(B)^2/tr(B^2) for B = diag(D) - v v', the quadratic form of the variance in independent items."""
    n = sizes.sum()
    left = 1 - sizes / n
    diagonal, v = sizes / (n**2 * left), sizes / (n**1.5 * np.sqrt(left))
    trace = np.sum(diagonal) - np.sum(v**2)
    squares = np.sum(diagonal**2) - 2 * np.sum(diagonal * v**2) + np.sum(v**2) ** 2
    return float(trace**2 / squares)
