"""Effect sizes in units of the score and of standard deviations, with intervals. By ranks: `rank_effects`.

Intervals take the scores for independent; where folds share training data they are too narrow, and `corrected_ttest`
reports one that is not.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from bayescmp.errors import ScoresError
from bayescmp.frequentist.interval_rules import StudentInterval, check_level
from bayescmp.frequentist.noncentral import noncentrality_interval
from bayescmp.frequentist.result import EffectSize
from bayescmp.moments import moments
from bayescmp.scores.arrays import as_pair
from bayescmp.scores.pair import Pair

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

    References
    ----------
    Cohen (1988). Statistical Power Analysis. Bonett (2008). Confidence intervals for standardized linear contrasts of
    means. Psychological Methods 13.

    Examples
    --------
    >>> print(cohens_d([0.90, 0.85, 0.88, 0.91], [0.85, 0.84, 0.83, 0.86]))
    Cohen's d = 1.92, 95% CI [.15, 3.70]
    """
    x, y, difference = _paired(a, b, dataset, higher_is_better, "cohens_d")
    unit = math.sqrt((np.var(x, ddof=_check_ddof(ddof)) + np.var(y, ddof=ddof)) / 2)
    return _standardised("Cohen's d", difference, x, y, unit, confidence_level, f"root mean variance, ddof={ddof}")


def cohens_dav(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
) -> EffectSize:
    """d_av: the mean difference over the mean of the two standard deviations (Cumming 2012); ddof 1."""
    x, y, difference = _paired(a, b, dataset, higher_is_better, "cohens_dav")
    unit = float(np.std(x, ddof=1) + np.std(y, ddof=1)) / 2
    return _standardised("d_av", difference, x, y, unit, confidence_level, "mean standard deviation, ddof=1")


def hedges_g(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
) -> EffectSize:
    """Hedges' g: Cohen's d times J = 1 - 3/(4 df - 1), df = 2(n - 1), which takes out its bias for small samples."""
    d = cohens_d(a, b, dataset=dataset, higher_is_better=higher_is_better, confidence_level=confidence_level)
    n = _paired(a, b, dataset, higher_is_better, "hedges_g")[2].size
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
    """d_z: the mean difference over the standard deviation of the differences, with the noncentral t interval."""
    difference = _paired(a, b, dataset, higher_is_better, "cohens_dz")[2]
    return dz_effect(difference, 0.0, confidence_level)


def raw_difference(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
) -> EffectSize:
    """The mean difference in units of the score, with Student's interval: the one your rope is about."""
    difference = _paired(a, b, dataset, higher_is_better, "raw_difference")[2]
    mean, deviation, n = (float(x) for x in moments(difference))
    interval = StudentInterval(mean, deviation / math.sqrt(n), n - 1).at(check_level(confidence_level))
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
    """P(A scores higher than B on the same split) if the differences are normal: Phi(d_z) (McGraw and Wong 1992)."""
    difference = _paired(a, b, dataset, higher_is_better, "common_language")[2]
    d = dz_effect(difference, 0.0, confidence_level)
    return EffectSize(
        name="common-language effect",
        value=float(ndtr(d.value)),
        interval=(float(ndtr(d.interval[0])), float(ndtr(d.interval[1]))) if d.interval else None,
        confidence_level=confidence_level,
        method="Phi(d_z), paired",
    )


def dz_effect(differences: Floats, rho: float, level: float, rounding: float = 0.0) -> EffectSize:
    """d_z with the interval of its noncentral t, whose scale is sqrt(1/n + rho/(1 - rho)) for correlated folds."""
    mean, deviation, n = (float(x) for x in moments(differences))
    method = "noncentral t, ddof=1" + (f", corrected for rho = {rho:.3f}" if rho else "")
    if deviation <= rounding:
        value = 0.0 if abs(mean) <= rounding else math.copysign(math.inf, mean)
        return EffectSize(name="d_z", value=value, method=f"{method}; all differences are equal", thresholds=THRESHOLDS)
    unit = math.sqrt(1 / n + rho / (1 - rho))
    low, high = noncentrality_interval(mean / deviation / unit, n - 1, check_level(level))
    return EffectSize(
        name="d_z",
        value=mean / deviation,
        interval=(low * unit, high * unit),
        confidence_level=level,
        method=method,
        thresholds=THRESHOLDS,
    )


def _standardised(
    name: str, differences: Floats, x: Floats, y: Floats, unit: float, level: float, method: str
) -> EffectSize:
    """The mean difference in a unit made of both models' spreads, with Bonett's (2008) interval for paired scores."""
    mean, n = float(moments(differences)[0]), differences.size
    size = max(float(np.abs(x).max()), float(np.abs(y).max()))
    if unit <= 1e-15 * size:
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
) -> tuple[Floats, Floats, Floats]:
    """The scores of A and of B on one dataset, and the oriented differences."""
    pair = as_pair(a, b, arrays_are="folds", higher_is_better=higher_is_better).one_dataset(dataset, name)
    if pair.counts[0] < 2:
        raise ScoresError(f"`{name}` needs at least 2 paired scores, got {pair.counts[0]}.")
    return pair.scores_a[0], pair.scores_b[0], pair.differences[0]


def _check_ddof(ddof: int) -> int:
    if ddof not in (0, 1):
        raise ValueError(f"`ddof` must be 0 or 1, got {ddof!r}.")
    return ddof
