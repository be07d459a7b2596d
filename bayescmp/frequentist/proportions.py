"""One model's error rate: its intervals, its test, how many test cases it needs; and the difference of two.

Any counted share will do: errors of test cases, wins of games.
"""

import math
from typing import Any

import numpy as np
from scipy.special import ndtri

from bayescmp.checks import check_alternative, check_level, is_one_of
from bayescmp.errors import ScoresError
from bayescmp.frequentist.intervals import BinomialInterval, Interval
from bayescmp.frequentist.result import EffectSize, TestResult
from bayescmp.numerics.binomial import at_least, at_most

METHODS = ("wilson", "wald", "clopper_pearson", "hoeffding")
DIFFERENCE_METHODS = ("newcombe", "wald")


def proportion_interval(errors: int, n: int, *, method: str = "wilson", confidence_level: float = 0.95) -> Interval:
    """Confidence interval of one model's error rate on one test set.

    Parameters
    ----------
    errors, n : int
        How many of the n test cases were wrong.
    method : "wilson", "wald", "clopper_pearson" or "hoeffding"
        Wilson's score interval has about its nominal coverage, also for small n. Wald's is the textbook
        e +- z sqrt(e (1 - e)/n), too short for small n and rates near 0 or 1. Clopper and Pearson's has at
        least its nominal coverage. Hoeffding's holds without any distribution and is the widest.
    confidence_level : float

    Returns
    -------
    Interval
        Cut at 0 and 1; iterates over (low, high).

    See Also
    --------
    binomial_test, proportion_difference_interval

    References
    ----------
    Wilson (1927), J. Am. Stat. Assoc. 22; Clopper and Pearson (1934), Biometrika 26; Hoeffding (1963), J. Am. Stat.
    Assoc. 58; Brown, Cai and DasGupta (2001), Statistical Science 16.

    Examples
    --------
    >>> from bayescmp.frequentist.proportions import proportion_interval
    >>> low, high = proportion_interval(12, 40)
    >>> round(low, 3), round(high, 3)
    (0.181, 0.454)
    """
    _one_of("method", method, METHODS)
    errors, n = check_counts(errors, n)
    level = check_level(confidence_level)
    rate, z = errors / n, -float(ndtri((1 - level) / 2))
    name = {"wilson": "Wilson", "wald": "Wald", "clopper_pearson": "Clopper-Pearson", "hoeffding": "Hoeffding"}[method]
    if method == "wilson":
        low, high = wilson(errors, n, z)
    elif method == "clopper_pearson":
        low, high = BinomialInterval(errors, n).at(level)
    else:
        half = z * math.sqrt(rate * (1 - rate) / n) if method == "wald" else hoeffding_half_width(n, level)
        low, high = max(0.0, rate - half), min(1.0, rate + half)
        if method == "wald" and n * rate * (1 - rate) < 5:
            name += f" (n e (1 - e) = {n * rate * (1 - rate):.2g} < 5: too few for it, use wilson)"
    return Interval(estimate=rate, low=low, high=high, confidence_level=level, method=name, n=n)


def proportion_difference_interval(
    errors_a: int,
    n_a: int,
    errors_b: int,
    n_b: int,
    *,
    method: str = "newcombe",
    confidence_level: float = 0.95,
) -> Interval:
    """Confidence interval of rate A - rate B, counted on two independent test sets.

    It is the difference of whatever is counted: of errors, positive means that A errs more often. Two models on the
    same test cases are a pair, for which `mcnemar_test` has the interval, usually a much shorter one.

    Parameters
    ----------
    errors_a, n_a, errors_b, n_b : int
    method : "newcombe" or "wald"
        Newcombe's hybrid of two Wilson intervals, or the textbook's normal interval, too short for small samples.
    confidence_level : float

    See Also
    --------
    mcnemar_test, proportion_interval

    References
    ----------
    Newcombe (1998), Interval estimation for the difference between independent proportions, Stat. Med. 17 (method 10).

    Examples
    --------
    >>> from bayescmp.frequentist.proportions import proportion_difference_interval
    >>> low, high = proportion_difference_interval(56, 70, 48, 80)  # Newcombe's example (a)
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    _one_of("method", method, DIFFERENCE_METHODS)
    errors_a, n_a = check_counts(errors_a, n_a, "errors_a", "n_a")
    errors_b, n_b = check_counts(errors_b, n_b, "errors_b", "n_b")
    level = check_level(confidence_level)
    z = -float(ndtri((1 - level) / 2))
    a, b = errors_a / n_a, errors_b / n_b
    if method == "newcombe":
        (low_a, high_a), (low_b, high_b) = wilson(errors_a, n_a, z), wilson(errors_b, n_b, z)
        below, above = math.hypot(a - low_a, high_b - b), math.hypot(high_a - a, b - low_b)
    else:
        below = above = z * math.sqrt(a * (1 - a) / n_a + b * (1 - b) / n_b)
    return Interval(
        estimate=a - b,
        low=max(-1.0, a - b - below),
        high=min(1.0, a - b + above),
        confidence_level=level,
        method=f"difference of independent proportions, {'Newcombe' if method == 'newcombe' else 'Wald'}",
        n=n_a + n_b,
    )


def binomial_test(errors: int, n: int, *, p0: float, alternative: str = "two-sided") -> TestResult:
    """Exact test of one model's error rate (or any counted share) against p0.

    Parameters
    ----------
    errors, n : int
        How many of the n test cases were wrong.
    p0 : float
        The rate under the null hypothesis, strictly between 0 and 1.
    alternative : "two-sided", "greater" (the rate is above p0) or "less" (below)
        Two-sided p adds up all counts that are no more probable than the observed one.

    Returns
    -------
    TestResult
        With the interval of Clopper and Pearson and Cohen's h. That interval is dual to the one-sided tests; the
        two-sided test may reject a little more often.

    See Also
    --------
    proportion_interval, mcnemar_test

    Examples
    --------
    >>> from bayescmp.frequentist.proportions import binomial_test
    >>> round(binomial_test(12, 40, p0=0.5, alternative="less").p_value, 5)
    0.00829
    """
    check_alternative(alternative)
    errors, n = check_counts(errors, n)
    if not isinstance(p0, (int, float, np.number)) or not 0 < p0 < 1:
        raise ValueError(f"`p0` must be a rate strictly between 0 and 1, got {p0!r}.")
    p0 = float(p0)
    low, high = BinomialInterval(errors, n).at(0.95)
    arcs = [2 * math.asin(math.sqrt(rate)) - 2 * math.asin(math.sqrt(p0)) for rate in (errors / n, low, high)]
    return TestResult(
        method=f"exact binomial test against {p0:g}",
        models=("model",),
        statistic=float(errors),
        statistic_name="errors",
        p_value=_binomial_p(errors, n, p0, alternative),
        n=n,
        alternative=alternative,
        estimate=errors / n,
        estimate_name="error rate",
        interval=BinomialInterval(errors, n),
        effect_size=EffectSize(
            name="Cohen's h",
            value=arcs[0],
            interval=(arcs[1], arcs[2]),
            method="2 arcsin sqrt(rate) - 2 arcsin sqrt(p0), Clopper-Pearson interval",
            thresholds={"small": 0.2, "medium": 0.5, "large": 0.8},
        ),
        metric="error rate",
        higher_is_better=False,
        details={"errors": errors, "p0": p0},
    )


def hoeffding_sample_size(epsilon: float, confidence_level: float = 0.95) -> int:
    """Test cases with which the observed error rate is within epsilon of the true one, whatever the model.

    Parameters
    ----------
    epsilon : float
        The distance to stay within.
    confidence_level : float

    See Also
    --------
    hoeffding_half_width : its inverse.

    References
    ----------
    Hoeffding (1963). Probability inequalities for sums of bounded random variables. JASA 58.

    Examples
    --------
    >>> from bayescmp.frequentist.proportions import hoeffding_sample_size
    >>> hoeffding_sample_size(0.01)
    18445
    """
    if not isinstance(epsilon, (int, float, np.number)) or not 0 < epsilon < 1:
        raise ValueError(f"`epsilon` must be a half-width between 0 and 1, such as 0.01; got {epsilon!r}.")
    root = math.sqrt(math.log(2 / (1 - check_level(confidence_level))) / 2) / float(epsilon)
    if not root < 2**26:
        raise ValueError(f"`epsilon` must be large enough for fewer than 4.5e15 test cases, got {epsilon!r}.")
    return math.ceil(math.log(2 / (1 - confidence_level)) / (2 * float(epsilon) ** 2))


def hoeffding_half_width(n: int, confidence_level: float = 0.95) -> float:
    """Within what of the true error rate the observed one is, with n test cases, whatever the model.

    Parameters
    ----------
    n : int
        Test cases.
    confidence_level : float

    See Also
    --------
    hoeffding_sample_size : its inverse.
    proportion_interval

    References
    ----------
    Hoeffding (1963). Probability inequalities for sums of bounded random variables. JASA 58.

    Examples
    --------
    >>> from bayescmp.frequentist import hoeffding_half_width
    >>> round(hoeffding_half_width(18445), 5)
    0.01
    """
    if not _is_count(n) or n < 1:
        raise ScoresError(f"`n` must be a count of test cases, a whole number from 1 on; got {n!r}.")
    return math.sqrt(math.log(2 / (1 - check_level(confidence_level))) / (2 * n))


def check_counts(errors: Any, n: Any, errors_name: str = "errors", n_name: str = "n") -> tuple[int, int]:
    """Two whole numbers, 0 <= errors <= n and n >= 1, or an error that names what came."""
    for name, value in ((errors_name, errors), (n_name, n)):
        if not _is_count(value):
            raise ScoresError(f"`{name}` must be a count, a whole number from 0 on; got {value!r}.")
    if n < 1 or errors > n:
        raise ScoresError(f"`{errors_name}` must be at most `{n_name}`, and that at least 1; got {errors} of {n}.")
    return int(errors), int(n)


def _is_count(value: Any) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return number and 0 <= value < 2**53 and value == np.floor(value)


def wilson(count: int, n: int, z: float) -> tuple[float, float]:
    """The rates that a score test does not reject."""
    shrunk = n + z * z
    center = (count + z * z / 2) / shrunk
    half = z / shrunk * math.sqrt(count * (n - count) / n + z * z / 4)
    return (center - half if count else 0.0), (center + half if count < n else 1.0)


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if not is_one_of(value, known):
        raise ValueError(f"`{name}` must be one of {', '.join(known)}; got {value!r}.")


def _binomial_p(x: int, n: int, p0: float, alternative: str) -> float:
    if alternative == "two-sided":
        from scipy.stats import binomtest  # 0.5 s to import, so the one-sided tails do without

        return float(binomtest(x, n, p0).pvalue)
    return float(at_least(x, n, p0) if alternative == "greater" else at_most(x, n, p0))
