"""Confidence intervals: of a mean, a difference, a median of Walsh averages, and by the bootstrap."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.errors import ScoresError
from bayescmp.frequentist.interval_rules import StudentInterval, WalshInterval, check_level, hodges_lehmann
from bayescmp.moments import moments
from bayescmp.scores.arrays import as_pair
from bayescmp.scores.pair import Pair, as_vector
from bayescmp.scores.resampling import Resampling
from bayescmp.seed import checked_seed

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A confidence interval with its estimate and how it was made."""

    estimate: float
    low: float
    high: float
    confidence_level: float
    method: str
    n: int

    def __iter__(self) -> Any:
        return iter((self.low, self.high))


def mean_interval(
    scores: ArrayLike, *, confidence_level: float = 0.95, resampling: Resampling | None = None
) -> Interval:
    """Student's interval for the mean of one model's scores.

    Parameters
    ----------
    scores : array
    confidence_level : float
    resampling : Resampling, optional
        With it the interval is widened for the correlation of the folds (Nadeau and Bengio); without, the scores
        count as independent.

    Examples
    --------
    >>> from bayescmp.frequentist import mean_interval
    >>> interval = mean_interval([0.8, 0.82, 0.78, 0.81])
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.775, 0.83)
    """
    x = as_vector("scores", scores)
    if resampling is not None:
        resampling.check(x.size, "`scores`")
    return _student(x, resampling.rho if resampling else 0.0, confidence_level, "mean")


def difference_interval(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    corrected: bool,
    resampling: Resampling | None = None,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
) -> Interval:
    """Student's interval for the mean paired difference A - B on one dataset.

    `corrected` has no default: True widens it for the correlation of the folds (Nadeau and Bengio), for which the
    resampling design must be known; False takes the folds for independent.
    """
    pair = as_pair(a, b, arrays_are="folds", resampling=resampling, higher_is_better=higher_is_better)
    pair = pair.one_dataset(dataset, "difference_interval")
    rho = float(pair.known_rho("difference_interval")[0]) if corrected else 0.0
    return _student(pair.differences[0], rho, confidence_level, "paired difference")


def hodges_lehmann_interval(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    higher_is_better: bool | None = None,
) -> Interval:
    """The median of the Walsh averages of the datasets' differences, with the signed-rank interval.

    Zero differences are kept; the interval is exact up to 200 datasets without ties.
    """
    pair = as_pair(a, b, arrays_are="datasets", higher_is_better=higher_is_better)
    d = pair.means
    low, high = WalshInterval(tuple(d.tolist())).at(check_level(confidence_level))
    return Interval(
        estimate=hodges_lehmann(d),
        low=low,
        high=high,
        confidence_level=confidence_level,
        method="Hodges-Lehmann, signed-rank interval",
        n=d.size,
    )


def bootstrap_interval(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    statistic: Callable[..., Any] = np.mean,
    method: str = "BCa",
    confidence_level: float = 0.95,
    resamples: int = 9999,
    random_seed: int | None = None,
    higher_is_better: bool | None = None,
) -> Interval:
    """Bootstrap interval for a statistic of the datasets' differences A - B.

    Parameters
    ----------
    a, b : Pair, or two arrays with one score a dataset
    statistic : callable of (sample, axis)
        The mean by default.
    method : "percentile", "basic" or "BCa"
    resamples : int
    random_seed : int, optional
        Drawn and recorded in `method` if not given.
    """
    from scipy.stats import bootstrap

    if method not in ("percentile", "basic", "BCa"):
        raise ValueError(f'`method` must be "percentile", "basic" or "BCa", got {method!r}.')
    pair = as_pair(a, b, arrays_are="datasets", higher_is_better=higher_is_better)
    d = pair.means
    seed = checked_seed(random_seed)
    name = f"bootstrap, {method}, {resamples} resamples, seed {seed}"
    if np.ptp(d) <= pair.rounding.max():
        estimate = float(statistic(d, axis=-1))
        return Interval(
            estimate=estimate,
            low=estimate,
            high=estimate,
            confidence_level=check_level(confidence_level),
            method=f"{name}; all differences are equal",
            n=d.size,
        )
    result = bootstrap(
        (d,),
        statistic,
        n_resamples=resamples,
        confidence_level=check_level(confidence_level),
        method=method,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(
        estimate=float(statistic(d, axis=-1)),
        low=float(result.low),
        high=float(result.high),
        confidence_level=confidence_level,
        method=name,
        n=d.size,
    )


def _student(x: Floats, rho: float, level: float, what: str) -> Interval:
    if x.size < 2:
        raise ScoresError(f"An interval for a {what} needs at least 2 scores, got {x.size}.")
    mean, deviation, n = moments(x)
    scale = float(deviation * math.sqrt(1 / x.size + rho / (1 - rho)))
    low, high = StudentInterval(float(mean), scale, x.size - 1).at(check_level(level))
    correction = f", corrected for rho = {rho:.3f}" if rho else ""
    return Interval(
        estimate=float(mean),
        low=low,
        high=high,
        confidence_level=level,
        method=f"Student t, {what}{correction}",
        n=int(n),
    )
