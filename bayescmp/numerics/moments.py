"""Means and standard deviations that neither rounding nor the size of the numbers can spoil."""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def moments(x: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, standard deviation (n - 1) and count along the last axis; NaN is no observation."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = x.sum(axis=-1)
    if np.isnan(total).any():
        here = ~np.isnan(x)
        n = here.sum(axis=-1).astype(float)
        total = np.where(here, x, 0.0).sum(axis=-1)
        deviation = np.where(here, x - (total / n)[..., None], 0.0)
    else:
        n = np.full(x.shape[:-1], float(x.shape[-1]))
        deviation = x - (total / n)[..., None]
    # the sum of the deviations is the rounding error of the mean: take it out of both
    slip = deviation.sum(axis=-1)
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("...i,...i->...", deviation, deviation)
        variance = np.maximum(squares - slip * slip / n, 0.0) / (n - 1)
    if not (variance > 1e-280).all() or not (variance < 1e280).all():
        # in units of a power of two, so that scaling changes no digit and squares neither overflow nor vanish
        largest = np.nanmax(np.abs(x), axis=-1)
        unit = 2.0 ** np.floor(np.log2(np.where(largest > 0, largest, 1.0)))
        if (unit != 1.0).any():
            mean, spread, n = moments(x / unit[..., None])
            return mean * unit, spread * unit, n
    return (total + slip) / n, np.sqrt(variance), n


def mean(x: Floats) -> Floats:
    """The mean along the last axis, also where the sum is too large for a double; NaN is no observation."""
    with np.errstate(over="ignore", invalid="ignore"):
        result = np.asarray(np.nanmean(x, axis=-1))
    if np.isfinite(result).all():
        return result
    unit = 2.0 ** np.floor(np.log2(np.nanmax(np.abs(x))))
    return np.asarray(np.nanmean(x / unit, axis=-1)) * unit


def power_of_two(values: Floats) -> float:
    """The largest power of two that is not above the largest value: to divide by it changes no digit."""
    largest = float(np.nanmax(np.abs(values)))
    return 2.0 ** math.floor(math.log2(largest)) if largest else 1.0
