"""Tests on right and wrong, case by case: two models, or many, on one test set."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, ndtr, stdtr

from bayescmp.checks import check_alternative, check_switch
from bayescmp.errors import DegenerateWarning, ScoresError, warn
from bayescmp.frequentist.intervals import BinomialInterval, PairedProportionsInterval, StudentInterval
from bayescmp.frequentist.result import EffectSize, TestResult
from bayescmp.numerics.binomial import fair_coin_p
from bayescmp.numerics.moments import moments
from bayescmp.scores.inputs import correct_counts, correctness, correctness_table
from bayescmp.scores.pair import Pair

ENOUGH_DISCORDANT = 25
ENOUGH_CELLS = 24


def mcnemar_test(
    right_a: Pair | ArrayLike | None = None,
    right_b: ArrayLike | None = None,
    *,
    truth: ArrayLike | None = None,
    table: ArrayLike | None = None,
    orientation: str | None = None,
    exact: bool | None = None,
    mid_p: bool = False,
    correction: bool = True,
    alternative: str = "two-sided",
) -> TestResult:
    """McNemar's test: do two models, tested on the same cases, err equally often?

    Parameters
    ----------
    right_a, right_b : array of 0 and 1
        Was the model right? One entry per test case; or predicted labels with `truth`; or a `Pair` of 0/1 scores.
    truth : array, optional
        The true labels: then the first two are predictions.
    table : 2 x 2 array, optional
        Counts, rows = A, columns = B, instead of the vectors.
    orientation : "both right first" or "both wrong first"
        What the table's first cell counts. There is no default: textbooks count both wrong, mlxtend both right.
    exact : bool, optional
        Binomial or chi-square. None is the binomial below 25 discordant pairs.
    mid_p : bool
        Count the observed table half (exact only): less conservative, and may exceed alpha a little.
    correction : bool
        Continuity correction of the chi-square.
    alternative : "two-sided", "greater" (A better) or "less" (B better)

    Returns
    -------
    TestResult
        `n` counts the discordant pairs, on which the test rests; `estimate` is the difference in accuracy over all
        cases, with the adjusted Wald interval of Bonett and Price, cut at -1 and 1. Effect size: Cohen's g, the share
        of A's wins among the discordant pairs minus 1/2, with its exact interval. `details` has the counts and the odds
        ratio.

    See Also
    --------
    cochran_q_test : many models.
    per_instance_ttest : the t-test of the same, for large test sets.
    power_mcnemar

    References
    ----------
    McNemar (1947), Psychometrika 12; Fagerland, Lydersen and Laake (2013), BMC Med. Res. Methodol. 13 (mid-p);
    Bonett and Price (2012), Adjusted Wald confidence interval for a difference of binomial proportions based on paired
    data, J. Educ. Behav. Stat. 37.

    Examples
    --------
    >>> from bayescmp.frequentist.contingency import mcnemar_test
    >>> result = mcnemar_test(table=[[80, 9], [1, 10]], orientation="both right first")
    >>> result.statistic, round(result.p_value, 6)
    (9.0, 0.021484)
    """
    for name, switch in (("exact", exact is None or exact), ("mid_p", mid_p), ("correction", correction)):
        check_switch(name, switch)
    check_alternative(alternative)
    if mid_p and exact is False:
        raise ValueError("`mid_p` belongs to the exact test: leave `exact` out, or set it to True.")
    names, counts = correct_counts(right_a, right_b, truth, table, orientation)
    both_right, only_a, only_b, _ = counts
    n, cases = only_a + only_b, sum(counts)
    by_binomial = mid_p or (n < ENOUGH_DISCORDANT if exact is None else bool(exact))
    df = None
    if by_binomial:
        method = "McNemar test, exact binomial" + (", mid-p" if mid_p else "")
        statistic, statistic_name = float(only_a), "only A right"
        p = fair_coin_p(only_a, n, alternative, mid_p)
    else:
        method = f"McNemar test, chi-square, {'continuity-corrected' if correction else 'uncorrected'}"
        statistic, statistic_name, p = _chi_square(only_a, only_b, correction, alternative)
        df = 1.0 if statistic_name == "chi2" else None
    details: dict[str, Any] = dict(zip(("both_right", "only_a", "only_b", "both_wrong"), counts, strict=True))
    accuracy = {names[0]: (both_right + only_a) / cases, names[1]: (both_right + only_b) / cases}
    details |= {"cases": cases, "accuracy": accuracy}
    if n:
        details["odds_ratio"] = only_a / only_b if only_b else math.inf
    return TestResult(
        method=method,
        models=names,
        statistic=statistic,
        statistic_name=statistic_name,
        statistic_swapped=float(only_b) if by_binomial else None,
        p_value=p,
        df=df,
        n=n,
        alternative=alternative,
        estimate=(only_a - only_b) / cases,
        estimate_name="accuracy difference",
        interval=PairedProportionsInterval(only_a, only_b, cases),
        effect_size=_cohens_g(only_a, n) if n else None,
        notes=_mcnemar_notes(n, cases, by_binomial, exact),
        metric="accuracy",
        details=details,
    )


def cochran_q_test(right: Any, *, dataset: str | None = None) -> TestResult:
    """Cochran's Q: do many models, tested on the same cases, err equally often?

    For two models it is McNemar's test without continuity correction. Where it rejects, compare pairs with
    `mcnemar_test` and adjust their p-values.

    Parameters
    ----------
    right : 2-D array (cases x models), mapping of model to vector, DataFrame (one column per model), or Scores
        1 (or True) where the model was right, 0 where it was wrong.
    dataset : str, optional
        The dataset to test, where `Scores` have several.

    Returns
    -------
    TestResult
        `n` counts the cases on which the models do not all agree: the others carry no information. Effect size:
        eta^2_Q = Q/(cases (models - 1)), from 0 to 1.

    See Also
    --------
    mcnemar_test : two models.

    References
    ----------
    Cochran (1950), Biometrika 37; Serlin, Carr and Marascuilo (1982), Psychol. Bull. 92 (effect size); Tate and Brown
    (1970), J. Am. Stat. Assoc. 65 (how many cases the chi-square needs).

    Examples
    --------
    >>> from bayescmp.frequentist.contingency import cochran_q_test
    >>> result = cochran_q_test([[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]])
    >>> result.df, round(result.statistic, 3)
    (2.0, 6.4)
    """
    blocks, correct = correctness_table(right, test="cochran_q_test", dataset=dataset)
    cases, models = correct.shape
    of_model, of_case = correct.sum(axis=0), correct.sum(axis=1)
    n = int(((of_case > 0) & (of_case < models)).sum())
    total = int(of_case.sum())
    spread = models * total - int((of_case**2).sum())
    q = (models - 1) * (models * int((of_model**2).sum()) - total**2) / spread if n else 0.0
    notes = () if n else ("all models are right on the same cases: nothing tells them apart, so p = 1",)
    if 0 < n * models < ENOUGH_CELLS:
        notes = (f"{n} cases on which {models} models differ are few for a chi-square (cases x models below 24)",)
    return TestResult(
        **blocks.about() | {"metric": blocks.metric or "accuracy"},
        method="Cochran's Q test",
        statistic=float(q),
        statistic_name="Q",
        p_value=float(chdtrc(models - 1, q)),
        df=float(models - 1),
        n=n,
        effect_size=EffectSize(name="eta^2_Q", value=q / (cases * (models - 1)), method="Q/(cases (models - 1))"),
        notes=notes,
        details={
            "cases": cases,
            "right": dict(zip(blocks.models, of_model.tolist(), strict=True)),
            "accuracy": dict(zip(blocks.models, (of_model / cases).tolist(), strict=True)),
        },
    )


def per_instance_ttest(
    right_a: Pair | ArrayLike,
    right_b: ArrayLike | None = None,
    *,
    truth: ArrayLike | None = None,
    alternative: str = "two-sided",
) -> TestResult:
    """Paired t-test on right - wrong, case by case: for large test sets; `mcnemar_test` is exact.

    Parameters
    ----------
    right_a, right_b, truth
        As for `mcnemar_test`.
    alternative : "two-sided", "greater" (A better) or "less" (B better)

    See Also
    --------
    mcnemar_test : exact.

    Examples
    --------
    >>> from bayescmp.frequentist.contingency import per_instance_ttest
    >>> result = per_instance_ttest([1, 1, 0, 1, 1, 1, 1, 0], [1, 0, 0, 1, 0, 1, 0, 1])
    >>> result.df, round(result.statistic, 4)
    (7.0, 1.0)
    """
    check_alternative(alternative)
    names, a, b = correctness(right_a, right_b, truth)
    if a.size < 2:
        raise ScoresError(f"`per_instance_ttest` needs at least 2 test cases, got {a.size}.")
    d = a.astype(float) - b
    mean, deviation = (float(x) for x in moments(d)[:2])
    scale = deviation / math.sqrt(a.size)
    discordant = int((a != b).sum())
    notes = []
    if discordant < ENOUGH_DISCORDANT:
        notes.append(f"{discordant} discordant pairs are few for a t-test on 0/1 outcomes; use mcnemar_test")
    if np.ptp(d) == 0:
        t = math.copysign(math.inf, mean) if mean else 0.0
        notes.append(f"all {a.size} differences are {mean:g}: the answer rests on no variation at all")
        warn(f"per_instance_ttest: {notes[-1]}", DegenerateWarning)
    else:
        t = mean / scale
    df = a.size - 1
    tail = {"two-sided": -abs(t), "greater": -t, "less": t}[alternative]
    return TestResult(
        method="per-instance paired t-test, ddof 1",
        models=names,
        statistic=t,
        statistic_name="t",
        p_value=min(1.0, (2 if alternative == "two-sided" else 1) * float(stdtr(df, tail))),
        df=float(df),
        n=a.size,
        alternative=alternative,
        estimate=mean,
        estimate_name="accuracy difference",
        interval=StudentInterval(mean, scale, df),
        notes=tuple(notes),
        metric="accuracy",
        details={"only_a": int((a & ~b).sum()), "only_b": int((b & ~a).sum()), "cases": a.size},
    )


def _chi_square(only_a: int, only_b: int, correction: bool, alternative: str) -> tuple[float, str, float]:
    """Statistic, its name, and p: chi2 with 1 df, or its signed root for a one-sided test."""
    n, difference = only_a + only_b, only_a - only_b
    if not n:
        return 0.0, "chi2" if alternative == "two-sided" else "z", 1.0
    if alternative == "two-sided":
        # the correction moves towards no difference and stops there: equal counts give 0, not 1/n
        chi2 = max(0, abs(difference) - correction) ** 2 / n
        return chi2, "chi2", float(chdtrc(1, chi2))
    toward = correction if alternative == "greater" else -correction
    z = (difference - toward) / math.sqrt(n)
    return z, "z", float(ndtr(-z if alternative == "greater" else z))


def _cohens_g(wins: int, n: int) -> EffectSize:
    low, high = BinomialInterval(wins, n).at(0.95)
    return EffectSize(
        name="Cohen's g",
        value=wins / n - 0.5,
        interval=(low - 0.5, high - 0.5),
        method="share of the discordant pairs - 1/2, Clopper-Pearson interval",
        thresholds={"small": 0.05, "medium": 0.15, "large": 0.25},
    )


def _mcnemar_notes(n: int, cases: int, by_binomial: bool, exact: bool | None) -> tuple[str, ...]:
    if not n:
        return (f"no discordant pairs in {cases} cases: nothing tells the models apart, so p = 1",)
    if n >= ENOUGH_DISCORDANT:
        return ()
    found = f"{n} discordant pairs in {cases} cases, fewer than {ENOUGH_DISCORDANT}"
    if not by_binomial:
        return (f"{found}: too few for the chi-square; use exact=True",)
    return (f"{found}: the exact binomial is used" if exact is None else found,)
