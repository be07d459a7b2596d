"""Effect sizes with intervals: in units of the score, of standard deviations, and by ranks.

Intervals treat the scores as independent; where folds share training data they are too narrow, and `corrected_ttest`
reports one that is not.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from bayescmp.checks import check_level, check_switch
from bayescmp.errors import DegenerateWarning, ScoresError, warn
from bayescmp.frequentist.intervals import StudentInterval
from bayescmp.frequentist.result import EffectSize
from bayescmp.numerics.moments import in_units, moments
from bayescmp.numerics.noncentral import noncentrality_interval
from bayescmp.numerics.ranks import SignedRanks, check_zero_method, signed_ranks
from bayescmp.scores.inputs import as_pair, complete_table, one_dataset, unpaired
from bayescmp.scores.pair import ROUNDING, Pair

Floats = NDArray[np.float64]

THRESHOLDS = {"small": 0.2, "medium": 0.5, "large": 0.8}
"""Cohen (1988)."""

RANK_THRESHOLDS = {"small": 0.1, "medium": 0.3, "large": 0.5}

CLIFF_THRESHOLDS = {"small": 0.147, "medium": 0.33, "large": 0.474}
"""Cohen (1988) for r; Romano et al. (2006) for Cliff's delta."""


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
        The dataset to use, of a pair that has several.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.
    confidence_level : float
        Level of the interval.

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
    a, b, dataset, higher_is_better, confidence_level
        As in `cohens_d`.

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
    a, b, dataset, higher_is_better, confidence_level
        As in `cohens_d`.

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
    return replace(d, name="Hedges' g", value=j * d.value, interval=interval, method=f"{d.method}, J = {j:.4f}")


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
    a, b, dataset, higher_is_better, confidence_level
        As in `cohens_d`.

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
    a, b, dataset, higher_is_better, confidence_level
        As in `cohens_d`.

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
    interval = (float(ndtr(d.interval[0])), float(ndtr(d.interval[1]))) if d.interval else None
    effect = replace(d, name="common-language effect", value=float(ndtr(d.value)), interval=interval, thresholds={})
    return replace(effect, method="Phi(d_z), paired")


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
    a, b, dataset, higher_is_better, confidence_level
        As in `cohens_d`.

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


def rank_biserial(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    zero_method: str = "wilcox",
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
) -> EffectSize:
    """Matched-pairs rank-biserial r = (R+ - R-)/(R+ + R-) of the Wilcoxon test; positive favours A.

    The interval is Fisher's z with the standard error of the U-statistic mean sign(d_i + d_j). Where all differences
    have one sign that error vanishes; the bound is then that of n wins of n, so that 0 is outside where the exact test
    rejects. Where it vanishes because all differences are 0, the interval is [-1, 1].

    Parameters
    ----------
    a, b : Pair, or two arrays with one score per dataset
    zero_method : "wilcox", "pratt" or "zsplit"
        What becomes of zero differences, as in `wilcoxon_test`.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.
    confidence_level : float
        Level of the interval.

    Notes
    -----
    95 % intervals covered .91 to .99 with 5 or 10 differences and .87 to .97 with 20, in simulations of normal, Student
    and skewed differences with r from 0 to .97; least where r is near 1 and losses are rare and large. The bound of n
    wins of n rests on sums of two differences being positive at least as often as single ones, which holds for normal
    and Student differences. Without that, only r >= 2 P(d > 0)^2 - 1 is sure.

    See Also
    --------
    wilcoxon_test, cliffs_delta

    References
    ----------
    Kerby (2014). The simple difference formula. Comprehensive Psychology 3.

    Examples
    --------
    >>> from bayescmp import load_domains
    >>> round(rank_biserial(load_domains().pair("A", "C")).value, 4)
    0.1636
    """
    pair = as_pair(a, b, arrays_are="datasets", higher_is_better=higher_is_better)
    ranked = signed_ranks(pair.means[None], pair.rounding[None], check_zero_method(zero_method))
    value, low, high = (float(x[0]) for x in rank_biserial_core(ranked, check_level(confidence_level)))
    return rank_biserial_effect(value, low, high, confidence_level, zero_method)


def cliffs_delta(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    paired: bool = True,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
) -> EffectSize:
    """Cliff's delta: P(a > b) - P(a < b) for a score of A and a score of B drawn at random; positive favours A.

    `paired` changes the interval, not the value.
    The interval is asymmetric (Feng and Cliff 2004), with the variance of the U-statistic; where that is 0 though the
    scores overlap, it carries no information and the interval is [-1, 1].

    Parameters
    ----------
    a, b : arrays of scores
    paired : bool
        Whether the scores come from the same folds or datasets.
    higher_is_better : bool, optional
        False where lower scores are better.
    confidence_level : float
        Level of the interval.

    See Also
    --------
    vargha_delaney : the same on a scale from 0 to 1.
    rank_biserial : of paired scores.

    References
    ----------
    Cliff (1993). Dominance statistics. Psychological Bulletin 114. Feng, Cliff (2004). Monte Carlo evaluation of
    ordinal d with improved confidence interval. Journal of Modern Applied Statistical Methods 3.

    Examples
    --------
    >>> cliffs_delta([3, 4, 5], [1, 2, 3]).value
    0.8888888888888888
    """
    x, y = _two_samples(a, b, paired, higher_is_better)
    tolerance = ROUNDING * max(np.abs(x).max(), np.abs(y).max())
    above, below = _dominance(x, y, tolerance), -_dominance(y, x, tolerance)
    delta = float(above.mean())
    if paired:
        variance = float(np.var(above + below, ddof=1)) / x.size
    else:
        variance = float(np.var(above, ddof=1)) / x.size + float(np.var(below, ddof=1)) / y.size
    z = -float(ndtri((1 - check_level(confidence_level)) / 2))
    interval = (-1.0, 1.0)
    if abs(delta) == 1:  # no overlap at all: both samples lie on their side of some border, with P >= tail^(1/n) each
        bound = 2 * ((1 - confidence_level) / 4) ** (2 / min(x.size, y.size)) - 1
        interval = (bound, 1.0) if delta > 0 else (-1.0, -bound)
    elif variance > 1e-24:
        half = z * math.sqrt(variance * ((1 - delta**2) ** 2 + z**2 * variance))
        low, high = ((delta - delta**3 + s * half) / (1 - delta**2 + z**2 * variance) for s in (-1, 1))
        interval = (max(low, -1.0), min(high, 1.0))
    return EffectSize(
        name="Cliff's delta",
        value=delta,
        interval=interval,
        confidence_level=confidence_level,
        method="paired scores" if paired else "independent scores",
        thresholds=CLIFF_THRESHOLDS,
    )


def vargha_delaney(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    paired: bool = True,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
) -> EffectSize:
    """A12 = P(a > b) + P(a = b)/2 = (Cliff's delta + 1)/2 (Vargha and Delaney 2000).

    Parameters
    ----------
    a, b, paired, higher_is_better, confidence_level
        As in `cliffs_delta`.

    See Also
    --------
    cliffs_delta

    References
    ----------
    Vargha, Delaney (2000). A critique and improvement of the CL common language effect size statistics of McGraw
    and Wong. Journal of Educational and Behavioral Statistics 25.

    Examples
    --------
    >>> print(vargha_delaney([0.90, 0.85, 0.88, 0.91], [0.85, 0.84, 0.83, 0.86]).value)
    0.90625
    """
    delta = cliffs_delta(a, b, paired=paired, higher_is_better=higher_is_better, confidence_level=confidence_level)
    assert delta.interval is not None
    low, high = delta.interval
    return replace(
        delta, name="A12", value=(delta.value + 1) / 2, interval=((low + 1) / 2, (high + 1) / 2), thresholds={}
    )


def kendalls_w(
    scores: Any, *, tie_corrected: bool = True, higher_is_better: bool | None = None, confidence_level: float = 0.95
) -> EffectSize:
    """Kendall's W: how much the datasets agree on the ranking of the models, from 0 to 1; chi2_F/(n(k - 1)).

    The interval is that of the mean rank correlation of two datasets (Fisher's z, with the standard error of the
    U-statistic over datasets), to which W is tied by W = (1 + (n - 1) r)/n. Where all datasets agree that error
    vanishes; the bound is then that of the share of datasets with this ranking, of which n of n were seen.

    Parameters
    ----------
    scores : Scores, or an array of datasets x models
    tie_corrected : bool
        Whether equal scores shrink the variance of the ranks.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.
    confidence_level : float
        Level of the interval.

    See Also
    --------
    friedman_test

    References
    ----------
    Kendall, Babington Smith (1939). The problem of m rankings. Annals of Mathematical Statistics 10.

    Examples
    --------
    >>> from bayescmp import load_domains
    >>> round(kendalls_w(load_domains()).value, 4)
    0.75
    """
    check_switch("tie_corrected", tie_corrected)
    ranks = complete_table(scores, test="kendalls_w", higher_is_better=higher_is_better, relative=True).ranks
    if (ranks == ranks[:, :1]).all():
        warn("kendalls_w: all models tie on every dataset: W is 0/0, taken as 0.", DegenerateWarning)
    return kendalls_w_effect(ranks, tie_corrected, confidence_level)


# ---- in standard deviations


def dz_effect(differences: Floats, rho: float, level: float, rounding: float = 0.0) -> EffectSize:
    """d_z with the interval of its noncentral t, whose scale is sqrt(1/n + rho/(1 - rho)) for correlated folds."""
    value, low, high = (float(x[0]) for x in dz_core(differences[None], rho, check_level(level), np.array([rounding])))
    return dz_of(value, low, high, rho, level)


def dz_of(value: float, low: float, high: float, rho: float, level: float) -> EffectSize:
    """The numbers of `dz_core` for one pair, as a value."""
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
    unit, x, y = in_units(pair.scores_a[0], pair.scores_b[0])
    return x, y, pair.differences[0] / unit


def _check_ddof(ddof: int) -> int:
    if isinstance(ddof, bool) or not isinstance(ddof, (int, np.integer)) or ddof not in (0, 1):
        raise ValueError(f"`ddof` must be 0 or 1, got {ddof!r}.")
    return ddof


# ---- by ranks


def rank_biserial_effect(value: float, low: float, high: float, level: float, zero_method: str) -> EffectSize:
    """The rank-biserial r as a value."""
    return EffectSize(
        name="rank-biserial r",
        value=value,
        interval=(low, high),
        confidence_level=level,
        method=f"(R+ - R-)/(R+ + R-), zeros: {zero_method}",
        thresholds=RANK_THRESHOLDS,
    )


def rank_biserial_core(ranked: SignedRanks, level: float) -> tuple[Floats, Floats, Floats]:
    """r and its interval for many pairs at once."""
    total = ranked.plus + ranked.minus
    r = np.divide(ranked.plus - ranked.minus, total, out=np.zeros_like(total), where=total > 0)
    n = np.maximum(ranked.n, 1)
    projection = _signs_of_sums(ranked)
    squares = np.einsum("ij,ij->i", projection, projection) - projection.sum(axis=-1) ** 2 / n
    error = 2 * np.sqrt(np.maximum(squares, 0.0) / np.maximum(n - 1, 1) / n) / n
    z = -ndtri((1 - level) / 2)
    inside = np.clip(r, -1 + 1e-15, 1 - 1e-15)
    reach = z * error / (1 - inside**2)
    low, high = np.tanh(np.arctanh(inside) - reach), np.tanh(np.arctanh(inside) + reach)
    # all of one sign: n of n gives P(d > 0) >= tail^(1/n), and P(d_i + d_j > 0) is no less where d is symmetric
    bound = 2 * ((1 - level) / 2) ** (1 / n) - 1
    low, high = np.where(r >= 1 - 1e-12, bound, low), np.where(r >= 1 - 1e-12, 1.0, high)
    low, high = np.where(r <= -1 + 1e-12, -1.0, low), np.where(r <= -1 + 1e-12, -bound, high)
    # a spread of 0 elsewhere (all differences 0) carries no information
    nothing = (error <= 1e-12) & (np.abs(r) < 1 - 1e-12)
    return r, np.where(nothing, -1.0, low), np.where(nothing, 1.0, high)


def _signs_of_sums(ranked: SignedRanks) -> Floats:
    """For each difference the sum over all of sign(d_i + d_j); 0 for those that do not count.

    The smaller ones follow d_i, the larger ones follow themselves, ties half and half.
    """
    signs = ranked.signs
    if ranked.plain:
        through = np.cumsum(signs.astype(int), axis=-1)  # of whole numbers, in a fifth of the time
        result = signs * ranked.ranks
        result += through[:, -1:] - through
        return result
    counted, signed = np.zeros((2, len(signs), signs.shape[1] + 1))
    np.cumsum(np.abs(signs), axis=-1, out=counted[:, 1:])
    np.cumsum(signs, axis=-1, out=signed[:, 1:])
    (before, signed_before), (through, signed_through) = (
        [np.take_along_axis(sums, places, axis=-1) for sums in (counted, signed)]
        for places in (ranked.first, ranked.last + 1)
    )
    tied = ((through - before) * signs + signed_through - signed_before) / 2
    return (signs * before + tied + signed[..., -1:] - signed_through) * np.abs(signs)


def _two_samples(
    a: Pair | ArrayLike, b: ArrayLike | None, paired: bool, higher_is_better: bool | None
) -> tuple[Floats, Floats]:
    """The scores of both models, oriented so that higher is better: one per dataset, or the folds of one dataset."""
    check_switch("paired", paired)
    runs = isinstance(a, Pair) and not a.paired and len(a.datasets) == 1
    if runs and paired:
        raise ScoresError("The runs of this pair cannot be paired. Give paired=False.")
    if (isinstance(a, Pair) and not runs) or paired:
        pair = as_pair(a, b, arrays_are="datasets", higher_is_better=higher_is_better)
        sign = 1 if pair.higher_is_better else -1
        if len(pair.datasets) == 1:
            x, y = pair.scores_a[0], pair.scores_b[0]
        else:
            x, y = np.nanmean(pair.scores_a, axis=1), np.nanmean(pair.scores_b, axis=1)
    else:
        x, y = unpaired(a, b, test="cliffs_delta", higher_is_better=higher_is_better).oriented
        sign = 1
    if min(x.size, y.size) < 2:
        raise ScoresError(f"Each model needs at least 2 scores, got {x.size} and {y.size}.")
    return sign * x, sign * y


def _dominance(x: Floats, y: Floats, tolerance: float) -> Floats:
    """For each x the share of y below it minus the share above it, in O(n log n)."""
    ascending = np.sort(y)
    below = np.searchsorted(ascending, x - tolerance, side="left")
    above = y.size - np.searchsorted(ascending, x + tolerance, side="right")
    return (below - above) / y.size


def kendalls_w_effect(ranks: Floats, tie_corrected: bool, level: float) -> EffectSize:
    """W of a table of ranks, blocks x models."""
    n, k = ranks.shape
    centred = ranks - (k + 1) / 2
    between = float((centred.sum(axis=0) ** 2).sum())
    within = float((centred**2).sum()) if tie_corrected else n * k * (k**2 - 1) / 12
    w = between / (n * within) if within > 0 else 0.0
    effect = EffectSize(
        name="Kendall's W",
        value=w,
        confidence_level=check_level(level),
        method="tie-corrected" if tie_corrected else "without tie correction",
    )
    norms = np.sqrt((centred**2).sum(axis=1))
    if n < 4 or not (norms > 0).all():
        return effect
    # The correlation of datasets i and j is u_i'u_j = q + a_i + a_j + v_i'v_j, with v_i the deviation of the unit
    # vector u_i from their mean m, q = |m|^2 and a_i = m'v_i: sums over pairs of datasets without an n x n matrix.
    units = centred / norms[:, None]
    middle = units.mean(axis=0)
    apart = units - middle
    along = apart @ middle
    unlike = float((apart**2).sum()) / (n - 1)  # 1 - r
    r = float(np.clip(1 - unlike, -1 + 1e-12, 1 - 1e-12))
    squares = (1 - n) * unlike**2 + 2 * n * float(along @ along) + float(((apart.T @ apart) ** 2).sum())
    spread = squares / (n * (n - 1) - 2) if squares > 1e-12 * n * unlike**2 else 0.0  # else rounding
    variance = (4 * (n - 2) * float(along.var(ddof=1)) * (n / (n - 1)) ** 2 + 2 * spread) / (n * (n - 1))
    tail = (1 - level) / 2
    if variance > 1e-24:
        reach = -float(ndtri(tail)) * math.sqrt(variance) / (1 - r**2)
        bounds = [math.tanh(math.atanh(r) + s * reach) for s in (-1, 1)]
    elif r > 1 - 1e-9:
        # P(n alike) <= share^(n-1) of the commonest ranking, and r is a squared length of at least (2 share - 1)^2
        bounds = [max(0.0, 2 * tail ** (1 / (n - 1)) - 1) ** 2, 1.0]
    else:
        bounds = [-1.0, 1.0]
    low, high = (min(1.0, max(0.0, (1 + (n - 1) * bound) / n)) for bound in bounds)
    return replace(effect, interval=(low, high))
