"""Effect sizes in units of the score and of standard deviations, with intervals. By ranks: `rank_effects`.

Intervals take the scores for independent; where folds share training data they are too narrow, and `corrected_ttest`
reports one that is not.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from bayescmp.checks import check_level
from bayescmp.errors import ScoresError
from bayescmp.frequentist.interval_rules import StudentInterval
from bayescmp.frequentist.result import EffectSize
from bayescmp.numerics.moments import moments, power_of_two
from bayescmp.numerics.noncentral import noncentrality_interval
from bayescmp.scores.inputs import one_dataset
from bayescmp.scores.pair import ROUNDING, Pair

Floats = NDArray[np.float64]
THRESHOLDS = {"small": 0.2, "medium": 0.5, "large": 0.8}
"""Cohen (1988)."""


def cohens_d(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    ddof: int = 1,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
) -> EffectSize:
    """Cohen's d of two models' paired scores: mean difference over the root mean of the two variances.

    This is not the paired `cohens_dz`, whose unit is the standard deviation of the differences. `ddof` is 1 for the
    sample variances; 0 gives the value that some software prints. The interval is Bonett's (2008) for paired scores.

    Parameters
    ----------
    a, b : Pair, or two arrays of paired scores
    ddof : int
        1 for the sample variances, 0 for those of some software.
    dataset : str, optional
        Which dataset of a pair that has several.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.
    confidence_level : float
        Of the interval.

    See Also
    --------
    hedges_g, cohens_dz, cohens_dav

    References
    ----------
    Cohen (1988). Statistical Power Analysis. Bonett (2008). Confidence intervals for standardized linear contrasts of
    means. Psychological Methods 13.

    Examples
    --------
    >>> print(cohens_d([0.90, 0.85, 0.88, 0.91], [0.85, 0.84, 0.83, 0.86]))
    Cohen's d = 1.92, 95% CI [.15, 3.70]
    """
    pair = _paired(a, b, dataset, higher_is_better, "cohens_d")
    x, y, _ = _in_units(pair)
    unit = math.sqrt((np.var(x, ddof=_check_ddof(ddof)) + np.var(y, ddof=ddof)) / 2)
    return _standardised("Cohen's d", pair, unit, confidence_level, f"root mean variance, ddof={ddof}")


def cohens_dav(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
) -> EffectSize:
    """d_av: the mean difference over the mean of the two standard deviations (Cumming 2012); ddof 1.

    Parameters
    ----------
    a, b : Pair, or two arrays of paired scores
    dataset : str, optional
        Which dataset of a pair that has several.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.
    confidence_level : float
        Of the interval.

    See Also
    --------
    cohens_d, cohens_dz

    References
    ----------
    Cumming (2012). Understanding the New Statistics.

    Examples
    --------
    >>> print(cohens_dav([0.90, 0.85, 0.88, 0.91], [0.85, 0.84, 0.83, 0.86]))
    d_av = 2.03, 95% CI [.19, 3.87]
    """
    pair = _paired(a, b, dataset, higher_is_better, "cohens_dav")
    x, y, _ = _in_units(pair)
    unit = float(np.std(x, ddof=1) + np.std(y, ddof=1)) / 2
    return _standardised("d_av", pair, unit, confidence_level, "mean standard deviation, ddof=1")


def hedges_g(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
) -> EffectSize:
    """Hedges' g: Cohen's d times J = 1 - 3/(4 df - 1), df = 2(n - 1), which takes out its bias for small samples.

    Parameters
    ----------
    a, b : Pair, or two arrays of paired scores
    dataset : str, optional
        Which dataset of a pair that has several.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.
    confidence_level : float
        Of the interval.

    See Also
    --------
    cohens_d

    References
    ----------
    Hedges (1981). Distribution theory for Glass's estimator of effect size and related estimators. Journal of
    Educational Statistics 6.

    Examples
    --------
    >>> print(hedges_g([0.90, 0.85, 0.88, 0.91], [0.85, 0.84, 0.83, 0.86]))
    Hedges' g = 1.67, 95% CI [.13, 3.22]
    """
    d = cohens_d(a, b, dataset=dataset, higher_is_better=higher_is_better, confidence_level=confidence_level)
    n = int(_paired(a, b, dataset, higher_is_better, "hedges_g").counts[0])
    j = 1 - 3 / (4 * 2 * (n - 1) - 1)
    interval = (j * d.interval[0], j * d.interval[1]) if d.interval else None
    return EffectSize(
        name="Hedges' g",
        value=j * d.value,
        interval=interval,
        confidence_level=confidence_level,
        method=f"{d.method}, J = {j:.4f}",
        thresholds=THRESHOLDS,
    )


def cohens_dz(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
) -> EffectSize:
    """d_z: the mean difference over the standard deviation of the differences, with the noncentral t interval.

    Parameters
    ----------
    a, b : Pair, or two arrays of paired scores
    dataset : str, optional
        Which dataset of a pair that has several.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.
    confidence_level : float
        Of the interval.

    See Also
    --------
    cohens_d, common_language

    References
    ----------
    Cohen (1988). Statistical Power Analysis.

    Examples
    --------
    >>> print(cohens_dz([0.90, 0.85, 0.88, 0.91], [0.85, 0.84, 0.83, 0.86]))
    d_z = 2.00, 95% CI [.17, 3.78]
    """
    pair = _paired(a, b, dataset, higher_is_better, "cohens_dz")
    return dz_effect(pair.differences[0], 0.0, confidence_level, float(pair.rounding[0]))


def raw_difference(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
) -> EffectSize:
    """The mean difference in units of the score, with Student's interval: the one your rope is about.

    Parameters
    ----------
    a, b : Pair, or two arrays of paired scores
    dataset : str, optional
        Which dataset of a pair that has several.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.
    confidence_level : float
        Of the interval.

    See Also
    --------
    difference_interval, cohens_d

    Examples
    --------
    >>> print(raw_difference([0.90, 0.85, 0.88, 0.91], [0.85, 0.84, 0.83, 0.86]))
    mean difference = 0.040, 95% CI [0.008, 0.072]
    """
    pair = _paired(a, b, dataset, higher_is_better, "raw_difference")
    mean, deviation, n = (float(x) for x in moments(pair.differences[0]))
    scale = deviation / math.sqrt(n) if deviation > pair.rounding[0] else 0.0
    interval = StudentInterval(mean, scale, n - 1).at(check_level(confidence_level))
    return EffectSize(
        name="mean difference", value=mean, interval=interval, confidence_level=confidence_level, method="Student t"
    )


def common_language(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
) -> EffectSize:
    """P(A scores higher than B on the same split) if the differences are normal: Phi(d_z) (McGraw and Wong 1992).

    Parameters
    ----------
    a, b : Pair, or two arrays of paired scores
    dataset : str, optional
        Which dataset of a pair that has several.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.
    confidence_level : float
        Of the interval.

    See Also
    --------
    cohens_dz, vargha_delaney

    References
    ----------
    McGraw, Wong (1992). A common language effect size statistic. Psychological Bulletin 111.

    Examples
    --------
    >>> print(common_language([0.90, 0.85, 0.88, 0.91], [0.85, 0.84, 0.83, 0.86]))
    common-language effect = .98, 95% CI [.57, 1.00]
    """
    d = cohens_dz(a, b, dataset=dataset, higher_is_better=higher_is_better, confidence_level=confidence_level)
    return EffectSize(
        name="common-language effect",
        value=float(ndtr(d.value)),
        interval=(float(ndtr(d.interval[0])), float(ndtr(d.interval[1]))) if d.interval else None,
        confidence_level=confidence_level,
        method="Phi(d_z), paired",
    )


def dz_effect(differences: Floats, rho: float, level: float, rounding: float = 0.0) -> EffectSize:
    """d_z with the interval of its noncentral t, whose scale is sqrt(1/n + rho/(1 - rho)) for correlated folds."""
    value, low, high = (float(x[0]) for x in dz_core(differences[None], rho, check_level(level), np.array([rounding])))
    method = "noncentral t, ddof=1" + (f", corrected for rho = {rho:.3f}" if rho else "")
    flat = math.isinf(low)
    return EffectSize(
        name="d_z",
        value=value,
        interval=None if flat else (low, high),
        confidence_level=level,
        method=f"{method}; all differences are equal" if flat else method,
        thresholds=THRESHOLDS,
    )


def dz_core(differences: Floats, rho: float, level: float, rounding: Floats) -> tuple[Floats, Floats, Floats]:
    """d_z and its interval for many pairs at once (pairs x folds); infinite bounds where all differences are equal."""
    mean, deviation, _ = moments(differences)
    n = differences.shape[-1]
    value = np.where(np.abs(mean) <= rounding, 0.0, np.copysign(math.inf, mean))
    varies = deviation > rounding
    np.divide(mean, deviation, out=value, where=varies)
    low, high = np.full((2, len(value)), [[-math.inf], [math.inf]])
    unit = math.sqrt(1 / n + rho / (1 - rho))
    bounds = noncentrality_interval(value[varies] / unit, n - 1, level)
    low[varies], high[varies] = (unit * bound for bound in bounds)
    return value, low, high


def _standardised(name: str, pair: Pair, unit: float, level: float, method: str) -> EffectSize:
    """The mean difference in a unit made of both models' spreads, with Bonett's (2008) interval for paired scores."""
    x, y, differences = _in_units(pair)
    mean, n = float(moments(differences)[0]), differences.size
    if unit <= ROUNDING * max(float(np.abs(x).max()), float(np.abs(y).max())):
        raise ScoresError(
            f"{name} divides by the spread of the models' scores, but neither model's scores vary. Use raw_difference."
        )
    (var_x, cov), (_, var_y) = np.cov(x, y, ddof=1)
    mean_var = (var_x + var_y) / 2
    d = mean / unit
    variance = d**2 * (var_x**2 + var_y**2 + 2 * cov**2) / (8 * mean_var**2 * (n - 1))
    variance += (var_x + var_y - 2 * cov) / (mean_var * (n - 1))
    return EffectSize(
        name=name,
        value=d,
        interval=StudentInterval(d, math.sqrt(max(variance, 0.0)), math.inf).at(check_level(level)),
        confidence_level=level,
        method=method,
        thresholds=THRESHOLDS,
    )


def _paired(
    a: Pair | ArrayLike, b: ArrayLike | None, dataset: str | None, higher_is_better: bool | None, name: str
) -> Pair:
    """The pair on one dataset, with at least two folds."""
    return one_dataset(a, b, test=name, dataset=dataset, higher_is_better=higher_is_better)


def _in_units(pair: Pair) -> tuple[Floats, Floats, Floats]:
    """The scores of A and B and their oriented differences over a power of two, so that squares stay finite."""
    unit = power_of_two(np.stack([pair.scores_a[0], pair.scores_b[0]]))
    return pair.scores_a[0] / unit, pair.scores_b[0] / unit, pair.differences[0] / unit


def _check_ddof(ddof: int) -> int:
    if isinstance(ddof, bool) or not isinstance(ddof, (int, np.integer)) or ddof not in (0, 1):
        raise ValueError(f"`ddof` must be 0 or 1, got {ddof!r}.")
    return ddof
