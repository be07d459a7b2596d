"""Confidence intervals: of a mean, a difference, a median of Walsh averages, by the bootstrap; and their rules.

A rule gives the interval at any level; one travels with every test result that has an interval.
"""

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri, stdtrit

from bayescmp.checks import check_count, check_level, check_switch, checked_seed, is_one_of
from bayescmp.errors import ScoresError
from bayescmp.numerics.binomial import at_most
from bayescmp.numerics.ranks import check_zero_method, kept_differences, signed_rank_distribution
from bayescmp.numerics.student import student_parameters
from bayescmp.scores.arrays import as_vector
from bayescmp.scores.inputs import as_pair, one_dataset
from bayescmp.scores.pair import ROUNDING, Pair
from bayescmp.scores.resampling import Resampling, check_design
from bayescmp.values import Value

Floats = NDArray[np.float64]

EXACT_UP_TO = 200
"""Observations for which the exact distribution of the signed-rank statistic gives the interval."""


def mean_interval(
    scores: ArrayLike, *, confidence_level: float = 0.95, resampling: Resampling | None = None
) -> "Interval":
    """Student's interval for the mean of one model's scores.

    Parameters
    ----------
    scores : array
    confidence_level : float
    resampling : Resampling, optional
        With it the interval is widened for the correlation of the folds (Nadeau and Bengio); without, the scores
        are treated as independent, and `method` says so.

    See Also
    --------
    difference_interval, proportion_interval

    Examples
    --------
    >>> from bayescmp.frequentist import mean_interval
    >>> interval = mean_interval([0.8, 0.82, 0.78, 0.81])
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.775, 0.83)
    """
    x = as_vector("scores", scores)
    check_design(resampling)
    if resampling is not None:
        resampling.check(x.size, "`scores`")
    rounding = ROUNDING * float(np.abs(x).max())
    return _student(x, resampling.rho if resampling else 0.0, confidence_level, "mean", rounding)


def difference_interval(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    corrected: bool,
    resampling: Resampling | None = None,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
) -> "Interval":
    """Student's interval for the mean paired difference A - B on one dataset.

    `corrected` has no default: True widens it for the correlation of the folds (Nadeau and Bengio), for which the
    resampling design must be known; False treats the folds as independent.

    Parameters
    ----------
    a, b : Pair, or two arrays of the scores of the same folds
    confidence_level : float
    corrected : bool
        Whether the interval is widened for the correlation of the folds.
    resampling : Resampling, optional
        The design, for arrays.
    dataset : str, optional
        The dataset to use, of a pair that has several.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.

    See Also
    --------
    corrected_ttest, hodges_lehmann_interval

    References
    ----------
    Nadeau, Bengio (2003). Inference for the generalization error. Machine Learning 52.

    Examples
    --------
    >>> import bayescmp as bc
    >>> i = bc.frequentist.difference_interval(bc.load_labour().pair("SVM", "DT"), corrected=True)
    >>> round(i.low, 3), round(i.high, 3)
    (-0.009, 0.172)
    """
    check_switch("corrected", corrected)
    pair = one_dataset(
        a, b, test="difference_interval", dataset=dataset, resampling=resampling, higher_is_better=higher_is_better
    )
    rho = float(pair.known_rho("difference_interval")[0]) if corrected else 0.0
    return _student(pair.differences[0], rho, confidence_level, "paired difference", float(pair.rounding[0]))


def hodges_lehmann_interval(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    zero_method: str = "wilcox",
    higher_is_better: bool | None = None,
) -> "Interval":
    """The median of the Walsh averages of the datasets' differences, with the signed-rank interval.

    The same numbers as in `wilcoxon_test` with the same `zero_method`: "wilcox" drops zero differences, "pratt" and
    "zsplit" keep them. The interval is exact up to 200 datasets without ties.

    Parameters
    ----------
    a, b : Pair, or two arrays with one score per dataset
    confidence_level : float
    zero_method : "wilcox", "pratt" or "zsplit"
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.

    See Also
    --------
    wilcoxon_test, bootstrap_interval

    References
    ----------
    Hodges, Lehmann (1963). Estimates of location based on rank tests. Annals of Mathematical Statistics 34.

    Examples
    --------
    >>> import bayescmp as bc
    >>> i = bc.frequentist.hodges_lehmann_interval(bc.load_uci().pair("rf", "nb"))
    >>> i.low < i.estimate < i.high
    True
    """
    pair = as_pair(a, b, arrays_are="datasets", higher_is_better=higher_is_better)
    d = kept_differences(pair.means, pair.rounding, check_zero_method(zero_method))
    low, high = WalshInterval(tuple(d.tolist())).at(check_level(confidence_level))
    return Interval(
        estimate=hodges_lehmann(d) if d.size else 0.0,
        low=low,
        high=high,
        confidence_level=confidence_level,
        method=f"Hodges-Lehmann, signed-rank interval, zeros: {zero_method}",
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
) -> "Interval":
    """Bootstrap interval for a statistic of the datasets' differences A - B.

    Parameters
    ----------
    a, b : Pair, or two arrays with one score per dataset
    statistic : callable of (sample, axis)
        The mean by default.
    method : "percentile", "basic" or "BCa"
        BCa is not defined where its jackknife does not vary, as for the median of tied differences; the percentile
        interval is given there, and `method` names it.
    confidence_level : float
    resamples : int
        At least 99.
    random_seed : int, optional
        Drawn and recorded in `method` if not given.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.

    See Also
    --------
    hodges_lehmann_interval, difference_interval

    References
    ----------
    Efron (1987). Better bootstrap confidence intervals. JASA 82.

    Examples
    --------
    >>> import bayescmp as bc
    >>> i = bc.frequentist.bootstrap_interval(bc.load_uci().pair("rf", "nb"), random_seed=1)
    >>> i.low > 0
    True
    """
    if not is_one_of(method, ("percentile", "basic", "BCa")):
        raise ValueError(f'`method` must be "percentile", "basic" or "BCa", got {method!r}.')
    resamples = check_count("resamples", resamples, 99)
    level = check_level(confidence_level)
    pair = as_pair(a, b, arrays_are="datasets", higher_is_better=higher_is_better)
    d = pair.means
    if d.size < 2:
        raise ScoresError(f"`bootstrap_interval` needs at least 2 datasets, got {d.size}: one cannot be resampled.")
    largest = float(np.abs(d).max())
    if largest and not 1e-100 < largest < 1e100:
        raise ScoresError("The bootstrap needs differences of a size whose cubes are numbers. Change the scores' unit.")
    seed = checked_seed(random_seed)
    try:
        estimate = float(statistic(d, axis=-1))
    except TypeError:
        raise ValueError(
            "`statistic` must take a sample and an `axis` and give one number for each sample, as np.mean and "
            f"np.median do; got {statistic!r}."
        ) from None
    name = f"bootstrap, {method}, {resamples} resamples, seed {seed}"
    if np.ptp(d) <= pair.rounding.max():
        low = high = estimate
        name += "; all differences are equal"
    else:
        low, high = _resampled(d, statistic, method, level, resamples, seed)
        if np.isnan([low, high]).any():
            low, high = _resampled(d, statistic, "percentile", level, resamples, seed)
            name = name.replace(method, f"percentile ({method} is not defined for these differences)")
        if np.isnan([low, high]).any():
            raise ValueError(f"`statistic` must be a number for every resample, but {statistic!r} gives NaN.")
    return Interval(estimate=estimate, low=low, high=high, confidence_level=level, method=name, n=d.size)


@dataclass(frozen=True, kw_only=True, eq=False)
class Interval(Value):
    """A confidence interval with its estimate and how it was made.

    See Also
    --------
    mean_interval, difference_interval, bootstrap_interval

    Examples
    --------
    >>> from bayescmp.frequentist import mean_interval
    >>> round(mean_interval([0.8, 0.9, 0.7]).low, 3)
    0.552
    """

    estimate: float
    low: float
    high: float
    confidence_level: float
    method: str
    n: int

    def __iter__(self) -> Any:
        return iter((self.low, self.high))


# ---- the steps


def _student(x: Floats, rho: float, level: float, what: str, rounding: float) -> "Interval":
    if x.size < 2:
        raise ScoresError(f"An interval for a {what} needs at least 2 scores, got {x.size}.")
    mean, scale, _ = (float(v) for v in student_parameters(x, rho, rounding))
    low, high = StudentInterval(mean, scale, x.size - 1).at(check_level(level))
    assumed = f", corrected for rho = {rho:.3f}" if rho else ", scores treated as independent"
    return Interval(
        estimate=mean,
        low=low,
        high=high,
        confidence_level=level,
        method=f"Student t, {what}{assumed}",
        n=x.size,
    )


def _resampled(
    d: Floats, statistic: Callable[..., Any], method: str, level: float, resamples: int, seed: int
) -> tuple[float, float]:
    from scipy.stats import DegenerateDataWarning, bootstrap

    with warnings.catch_warnings(), np.errstate(invalid="ignore"):  # NaN is looked for below
        warnings.simplefilter("ignore", DegenerateDataWarning)
        low, high = bootstrap(
            (d,),
            statistic,
            n_resamples=resamples,
            confidence_level=level,
            method=method,
            rng=np.random.default_rng(seed),
        ).confidence_interval
    return float(low), float(high)


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


# ---- the rules: an interval at any level


@dataclass(frozen=True, eq=False)
class IntervalRule(Value, ABC):
    """How to get an interval at any level."""

    def at(self, level: float, alternative: str = "two-sided") -> tuple[float, float]:
        """The interval at a confidence level; one-sided where the alternative is."""
        tail = 1 - level if alternative in ("greater", "less") else (1 - level) / 2
        low = -math.inf if alternative == "less" else self.lower(tail)
        high = math.inf if alternative == "greater" else self.upper(tail)
        return low, high

    @abstractmethod
    def lower(self, tail: float) -> float:
        """The bound that the truth is below with probability at most `tail`."""

    @abstractmethod
    def upper(self, tail: float) -> float:
        """The bound that the truth is above with probability at most `tail`."""

    @abstractmethod
    def swap(self) -> "IntervalRule":
        """The rule for B - A."""


@dataclass(frozen=True, eq=False)
class StudentInterval(IntervalRule):
    """center +- t scale; the normal interval where df is infinite."""

    center: float
    scale: float
    df: float

    def lower(self, tail: float) -> float:
        quantile = ndtri(tail) if math.isinf(self.df) else stdtrit(self.df, tail)
        return self.center + float(quantile) * self.scale

    def upper(self, tail: float) -> float:
        return 2 * self.center - self.lower(tail)

    def swap(self) -> "StudentInterval":
        return replace(self, center=0.0 - self.center)


@dataclass(frozen=True, eq=False)
class WalshInterval(IntervalRule):
    """The (C+1)-th smallest and largest Walsh average; C is the largest value with P(T <= C) <= tail."""

    differences: tuple[float, ...]

    def lower(self, tail: float) -> float:
        return walsh_average(np.asarray(self.differences), self._index(tail))

    def upper(self, tail: float) -> float:
        return -walsh_average(-np.asarray(self.differences), self._index(tail))

    def swap(self) -> "WalshInterval":
        return WalshInterval(tuple(0.0 - d for d in self.differences))

    def _index(self, tail: float) -> int:
        """C + 1, or 0 where so few differences cannot give an interval at this level."""
        n = len(self.differences)
        if n <= EXACT_UP_TO:
            return int(np.searchsorted(np.cumsum(signed_rank_distribution(n)), tail, side="right"))
        return max(0, math.floor(n * (n + 1) / 4 + ndtri(tail) * math.sqrt(n * (n + 1) * (2 * n + 1) / 24) + 0.5))


@dataclass(frozen=True, eq=False)
class MedianInterval(IntervalRule):
    """Order statistics around the median, by the binomial distribution of the sign test."""

    differences: tuple[float, ...]

    def lower(self, tail: float) -> float:
        return self._order_statistic(np.sort(self.differences), tail)

    def upper(self, tail: float) -> float:
        return -self._order_statistic(np.sort(-np.asarray(self.differences)), tail)

    def swap(self) -> "MedianInterval":
        return MedianInterval(tuple(0.0 - d for d in self.differences))

    @staticmethod
    def _order_statistic(ascending: Floats, tail: float) -> float:
        n = len(ascending)
        below = int(np.searchsorted(at_most(np.arange(n // 2 + 1), n, 0.5), tail, side="right"))
        return float(ascending[below - 1]) if below else -math.inf


@dataclass(frozen=True, eq=False)
class BinomialInterval(IntervalRule):
    """Clopper-Pearson: the exact interval of a proportion."""

    count: int
    n: int

    def at(self, level: float, alternative: str = "two-sided") -> tuple[float, float]:
        low, high = super().at(level, alternative)
        return max(low, 0.0), min(high, 1.0)

    def lower(self, tail: float) -> float:
        return float(betaincinv(self.count, self.n - self.count + 1, tail)) if self.count else 0.0

    def upper(self, tail: float) -> float:
        return float(betaincinv(self.count + 1, self.n - self.count, 1 - tail)) if self.count < self.n else 1.0

    def swap(self) -> "BinomialInterval":
        return replace(self, count=self.n - self.count)


@dataclass(frozen=True, eq=False)
class PairedProportionsInterval(IntervalRule):
    """Bonett and Price: Wald's interval of the difference of two paired proportions, with one case more in each
    discordant cell; cut at -1 and 1, and never without the observed difference.
    """

    only_a: int
    only_b: int
    n: int

    def at(self, level: float, alternative: str = "two-sided") -> tuple[float, float]:
        low, high = super().at(level, alternative)
        return max(low, -1.0), min(high, 1.0)

    def lower(self, tail: float) -> float:
        return min(self._adjusted(ndtri(tail)), (self.only_a - self.only_b) / self.n)

    def upper(self, tail: float) -> float:
        return max(self._adjusted(-ndtri(tail)), (self.only_a - self.only_b) / self.n)

    def swap(self) -> "PairedProportionsInterval":
        return replace(self, only_a=self.only_b, only_b=self.only_a)

    def _adjusted(self, z: float) -> float:
        plus, minus = (self.only_a + 1) / (self.n + 2), (self.only_b + 1) / (self.n + 2)
        return plus - minus + float(z) * math.sqrt((plus + minus - (plus - minus) ** 2) / (self.n + 2))


@dataclass(frozen=True, eq=False)
class TangoInterval(IntervalRule):
    """Tango: the differences of two paired proportions that a score test does not reject."""

    only_a: int
    only_b: int
    n: int

    def lower(self, tail: float) -> float:
        return self._border(-float(ndtri(tail)), -1.0)

    def upper(self, tail: float) -> float:
        return self._border(float(ndtri(tail)), 1.0)

    def swap(self) -> "TangoInterval":
        return replace(self, only_a=self.only_b, only_b=self.only_a)

    def _border(self, z: float, end: float) -> float:
        """The difference between the observed one and `end` whose statistic is z; the end where there is none."""
        from scipy.optimize import brentq

        observed = (self.only_a - self.only_b) / self.n
        if math.isinf(z) or observed == end:
            return end
        inside = end * (1 - 1e-12)
        if (tango_z(self.only_a, self.only_b, self.n, inside) - z) * end > 0:
            return end
        start = observed + end * 1e-12
        if (tango_z(self.only_a, self.only_b, self.n, start) - z) * end < 0:
            return observed
        return float(brentq(lambda x: tango_z(self.only_a, self.only_b, self.n, x) - z, start, inside, xtol=1e-14))


def tango_z(only_a: int, only_b: int, n: int, difference: float) -> float:
    """Tango's score statistic of the hypothesis that the difference of the proportions is this."""
    beyond = np.clip(difference, -1.0, 1.0)
    linear = (2 * n - only_a + only_b) * beyond - only_a - only_b
    constant = -only_b * beyond * (1 - beyond)
    share_b = (math.sqrt(max(linear * linear - 8 * n * constant, 0.0)) - linear) / (4 * n)
    variance = n * (2 * share_b + beyond * (1 - beyond))
    score = only_a - only_b - n * difference
    if variance <= 0:
        return math.copysign(math.inf, score) if score else 0.0
    return float(score / math.sqrt(variance))
