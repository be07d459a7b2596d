"""Effective sample size and R-hat of draws, chains x draws x any further axes (Vehtari et al. 2021), as in ArviZ.

Here because importing ArviZ takes longer than drawing.
"""

import numpy as np
from numpy.typing import NDArray

from bayescmp.lazy import special
from bayescmp.numerics.ranks import average_ranks

Floats = NDArray[np.float64]


def r_hat(draws: NDArray[np.float64], together: int = 1) -> float:
    """The largest rank-normalised split R-hat of the elements: of bulk and of tails.

    Where so many chains `together` started in the same state, they count as one: so the nested R-hat of Margossian et
    al. (2024), which says of many short chains whether they have forgotten where they started.
    """
    x = _halves(_columns(draws))
    x = x.reshape(len(x) // together, together * x.shape[1], -1)
    folded = np.abs(x - np.median(x, axis=(0, 1)))
    return float(max(_plain_r_hat(_normal_scores(y)).max() for y in (x, folded)))


def ess(draws: NDArray[np.float64], method: str = "bulk") -> float:
    """The smallest effective sample size of the elements: of the "bulk", of the "tail" quantiles, or of the "mean"."""
    x = _halves(_columns(draws))
    if method == "bulk":
        return float(_plain_ess(_normal_scores(x)).min())
    if method == "mean":
        return float(_plain_ess(x).min())
    quantiles = np.quantile(_columns(draws), (0.05, 0.95), axis=(0, 1))
    return float(min(_plain_ess((x <= q).astype(float)).min() for q in quantiles))


def _columns(draws: NDArray[np.float64]) -> Floats:
    """chains x draws x elements."""
    x = np.asarray(draws, dtype=float)
    return x.reshape(*x.shape[:2], -1)


def _halves(x: Floats) -> Floats:
    """Each chain as two."""
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, x.shape[1] - half :]])


def _normal_scores(x: Floats) -> Floats:
    """The normal quantiles of the ranks over all chains."""
    n = x.shape[0] * x.shape[1]
    ranks = average_ranks(x.reshape(n, -1).T, 0.0).T.reshape(x.shape)
    return np.asarray(special.ndtri((ranks - 0.375) / (n + 0.25)))


def _plain_r_hat(x: Floats) -> Floats:
    n = x.shape[1]
    within = x.var(axis=1, ddof=1).mean(axis=0)
    between = x.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.sqrt(between / within + (n - 1) / n)
    return np.where(np.ptp(x, axis=(0, 1)) == 0, 1.0, found)


def _plain_ess(x: Floats) -> Floats:
    """Geyer's initial monotone sequence of the autocorrelations of all chains together."""
    chains, n, _ = x.shape
    size = 2 ** int(np.ceil(np.log2(2 * n)))
    spectrum = np.fft.rfft(x - x.mean(axis=1, keepdims=True), size, axis=1)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, size, axis=1)[:, :n].mean(axis=0) / n
    within = covariance[0] * n / (n - 1)
    total = covariance[0] + x.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = 1 - (within - covariance) / total
    rho[0] = 1.0
    pairs = rho[: n // 2 * 2].reshape(n // 2, 2, -1)
    found = np.array([_time(pairs[..., j], n) for j in range(x.shape[2])])
    found = np.maximum(found, 1 / np.log10(chains * n))
    return np.where(np.ptp(x, axis=(0, 1)) < 1e-15, chains * n, chains * n / found)


def _time(pairs: Floats, n: int) -> float:
    """The autocorrelation time from the sums of neighbouring autocorrelations: positive ones, never rising."""
    sums = pairs.sum(axis=1)
    last = (n - 3) // 2
    negative = np.flatnonzero(sums[:last] <= 0)
    end = int(negative[0]) if negative.size else last
    rest = pairs[end, 0] if pairs[end, 0] > 0 or sums[end] >= 0 else 0.0
    return float(2 * np.minimum.accumulate(sums[:end]).sum() - 1 + rest) if end else 0.0
