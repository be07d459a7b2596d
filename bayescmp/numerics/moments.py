"""Means and standard deviations that neither rounding nor the size of the numbers can spoil; units for large scores."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def moments(x: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, standard deviation (n - 1) and count along the last axis; NaN is not an observation."""
    if x.ndim == 1 and (found := _of_one(x)) is not None:
        return found
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.add.reduce(x, axis=-1)
        if np.isnan(total).any():
            here = ~np.isnan(x)
            n = here.sum(axis=-1).astype(float)
            total = np.where(here, x, 0.0).sum(axis=-1)
            deviation = np.where(here, x - (total / n)[..., None], 0.0)
        else:
            n = np.full(x.shape[:-1], float(x.shape[-1]))
            deviation = x - (total / n)[..., None]
        # the sum of the deviations is the rounding error of the mean: take it out of both
        slip = np.add.reduce(deviation, axis=-1)
        squares = np.einsum("...i,...i->...", deviation, deviation)
        variance = np.maximum(squares - slip * slip / n, 0.0) / (n - 1)
    if not np.all((variance > 1e-280) & (variance < 1e280)):
        unit = power_of_two(x, axis=-1)
        if (unit != 1.0).any():
            mean, spread, n = moments(x / unit[..., None])
            return mean * unit, spread * unit, n
    return (total + slip) / n, np.sqrt(variance), n


def _of_one(x: Floats) -> tuple[Any, Any, Any] | None:
    """The same of one sample in plain numbers; None where something is missing, or far too large or small."""
    n = x.size
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(np.add.reduce(x))
        deviation = x - total / n
        slip, squares = float(np.add.reduce(deviation)), float(np.einsum("i,i->", deviation, deviation))
    variance = (squares - slip * slip / n) / (n - 1) if n > 1 else 0.0
    return ((total + slip) / n, math.sqrt(variance), float(n)) if 1e-280 < variance < 1e280 else None


def mean(x: Floats) -> Floats:
    """The mean along the last axis, also where the sum is too large for a double; NaN is not an observation."""
    if x.shape[-1] == 1:
        return x[..., 0]
    with np.errstate(over="ignore", invalid="ignore"):
        for average in (np.mean, np.nanmean):
            result = np.asarray(average(x, axis=-1))
            if np.isfinite(result).all():
                return result
    unit = power_of_two(x)
    return np.asarray(np.nanmean(x / unit, axis=-1)) * unit


def power_of_two(values: Floats, axis: int | None = None) -> Any:
    """The largest power of two that is not above the largest absolute value; 1 where all are 0.

    To divide by it changes no digit, and neither sums nor squares of what is left can overflow.
    """
    largest = np.nanmax(np.abs(values), axis=axis)
    return np.where(largest > 0, np.ldexp(1.0, np.frexp(largest)[1] - 1), 1.0)[()]


def in_units(*arrays: ArrayLike) -> tuple[Any, ...]:
    """A power of two as common unit, and the arrays (or numbers) divided by it: scores of 1e300 can then be squared."""
    unit = float(power_of_two(np.concatenate([np.ravel(x) for x in arrays])))
    return unit, *(x / unit for x in arrays)  # type: ignore[operator]
