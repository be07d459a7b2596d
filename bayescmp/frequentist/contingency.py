"""Tests on right and wrong, case by case: two models, or many, on one test set."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, ndtr, ndtri

from bayescmp.checks import check_alpha, check_alternative, check_level, check_switch, is_one_of
from bayescmp.errors import DegenerateWarning, RopeError, warn
from bayescmp.frequentist.intervals import (
    BinomialInterval,
    Interval,
    PairedProportionsInterval,
    StudentInterval,
    TangoInterval,
    tango_z,
)
from bayescmp.frequentist.proportions import wilson
from bayescmp.frequentist.result import EffectSize, TestResult
from bayescmp.numerics.binomial import fair_coin_p
from bayescmp.numerics.clusters import clustered_student, crossed_student
from bayescmp.numerics.student import student_p
from bayescmp.rope import ROPE, Rope, RopeLike
from bayescmp.scores.inputs import correct_counts, correctness, correctness_table, item_differences, runs_of_items
from bayescmp.scores.pair import Pair

Floats = NDArray[np.float64]
ENOUGH_DISCORDANT = 25
ENOUGH_CELLS = 24
COHENS_G = "Cohen's g"
FEW_DF = 10


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
    two_sided = alternative == "two-sided"
    method, df = mcnemar_name(by_binomial, mid_p, correction), 1.0 if two_sided and not by_binomial else None
    if by_binomial:
        statistic, statistic_name = float(only_a), "only A right"
        p = float(fair_coin_p(only_a, n, alternative, mid_p))
    else:
        statistic, p = (float(x) for x in chi_square(only_a, only_b, correction, alternative))
        statistic_name = "chi2" if two_sided else "z"
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
    clusters: Sequence[Any] | bool | None = None,
    target: str = "population",
    dataset: str | None = None,
    alternative: str = "two-sided",
) -> TestResult:
    """Paired t-test over the items of one test set: right and wrong, or grades, also in clusters and of several runs.

    For right and wrong on few items `mcnemar_test` is exact.

    Parameters
    ----------
    right_a, right_b, truth
        As for `mcnemar_test`, or two vectors of grades; or a `Pair`, whose samples of an item are averaged.
    clusters : list, bool or None
        The cluster of each item: items of one passage, dialogue or patient are not independent. None takes those of a
        pair, False ignores them. The standard error is then CR2, with the degrees of freedom of Bell and McCaffrey.
    target : "population" or "models"
        Where the models of a pair were trained several times (runs): whether the test is about models that are trained
        like these, with the variance of the runs, which are crossed with items, or about these trained models.
    dataset : str, optional
        Which test set, of a pair that has several.
    alternative : "two-sided", "greater" (A better) or "less" (B better)

    See Also
    --------
    mcnemar_test : exact.
    bayescmp.bayes.per_instance_ttest : the Bayesian test.

    References
    ----------
    Bell, McCaffrey (2002). Bias reduction in standard errors for linear regression with multi-stage samples. Survey
    Methodology 28. Cornfield, Tukey (1956). Average values of mean squares in factorials. Annals of Mathematical
    Statistics 27.

    Examples
    --------
    >>> from bayescmp.frequentist.contingency import per_instance_ttest
    >>> result = per_instance_ttest([1, 1, 0, 1, 1, 1, 1, 0], [1, 0, 0, 1, 0, 1, 0, 1])
    >>> result.df, round(result.statistic, 4)
    (7.0, 1.0)
    """
    check_alternative(alternative)
    if not is_one_of(target, ("population", "models")):
        raise ValueError(f'`target` must be "population" or "models", got {target!r}.')
    if truth is not None:
        _, one, two = correctness(right_a, right_b, truth)
        right_a, right_b = one, two
    pair, codes = item_differences(
        right_a, right_b, clusters, test="per_instance_ttest", dataset=dataset, higher_is_better=None
    )
    d, n = pair.differences[0], int(pair.counts[0])
    binary = all(np.isin(x, (0.0, 1.0)).all() for x in (pair.scores_a, pair.scores_b))
    mean, scale, df = clustered_student(d, codes, float(pair.rounding[0]))
    runs = runs_of_items(pair, codes) if target == "population" else ()
    scale, df = crossed_student(scale, df, runs)
    rounding = pair.rounding[0]
    t, p = (float(x) for x in student_p(np.asarray(mean), np.asarray(scale), df, alternative, rounding))
    notes = []
    discordant = int((np.abs(d) > pair.rounding[0]).sum())
    details: dict[str, Any] = {"cases": n}
    if binary:
        details = {"only_a": int((d > 0).sum()), "only_b": int((d < 0).sum())} | details
        if discordant < ENOUGH_DISCORDANT:
            notes.append(f"{discordant} discordant pairs are few for a t-test on 0/1 outcomes; use mcnemar_test")
    kind = "ddof 1"
    if codes is not None:
        kind = "cluster-robust (CR2)"
        details |= {"clusters": int(codes.max()) + 1}
    if runs:
        kind += ", items x runs"
        details |= {"runs_a": runs[0].runs, "runs_b": runs[1].runs}
    if (codes is not None or runs) and df < FEW_DF:
        few = " and ".join(what for what, there in (("clusters", codes is not None), ("runs", runs)) if there)
        notes.append(f"unequal or few {few} leave {df:.2g} degrees of freedom")
    if scale == 0:
        notes.append(f"all {n} differences are {mean:g}: the answer rests on no variation at all")
        warn(f"per_instance_ttest: {notes[-1]}", DegenerateWarning)
    metric = {"metric": pair.metric or "accuracy"} if binary else {}
    return TestResult(
        **pair.about(models=True) | metric,
        method=f"per-instance paired t-test, {kind}",
        statistic=t,
        statistic_name="t",
        p_value=min(1.0, p),
        df=float(df),
        n=n,
        alternative=alternative,
        estimate=mean,
        estimate_name="accuracy difference" if binary else "mean difference",
        interval=StudentInterval(mean, scale, df),
        notes=tuple(notes),
        details=details,
    )


def tost_mcnemar(
    right_a: Pair | ArrayLike | None = None,
    right_b: ArrayLike | None = None,
    *,
    rope: RopeLike = ROPE,
    truth: ArrayLike | None = None,
    table: ArrayLike | None = None,
    orientation: str | None = None,
    alpha: float = 0.05,
) -> TestResult:
    """Two one-sided tests of equivalence of two models' accuracies on the same cases, by Tango's score.

    The frequentist mirror of P(equivalent) of `bayescmp.bayes.mcnemar_test`. A small p is evidence that the difference
    lies inside the rope. Tango's statistic estimates the variance at the border of the rope, so that it works without
    any discordant pair.

    Parameters
    ----------
    right_a, right_b, truth, table, orientation
        As for `mcnemar_test`.
    rope : float, (low, high) or Rope
        Not 0: no data can show that two models are exactly equal.
    alpha : float
        Level of the test; the interval is at 1 - 2 alpha.

    See Also
    --------
    mcnemar_test, paired_proportions_interval
    bayescmp.bayes.mcnemar_test : P(equivalent) itself.

    References
    ----------
    Tango (1998). Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design. Statistics in Medicine 17.

    Examples
    --------
    >>> from bayescmp.frequentist import tost_mcnemar
    >>> round(tost_mcnemar(table=[[450, 30], [20, 500]], orientation="both right first", rope=0.03).p_value, 4)
    0.0045
    """
    region = Rope.of(rope)
    if region.is_zero:
        raise RopeError(
            "`rope` must be wider than 0 for a test of equivalence, got 0: no data can show that a difference is "
            "exactly 0. Give the largest difference that you would neglect."
        )
    alpha = check_alpha(alpha, below=0.5)
    names, counts = correct_counts(right_a, right_b, truth, table, orientation)
    _, only_a, only_b, _ = counts
    n = sum(counts)
    z_low, z_high = (tango_z(only_a, only_b, n, x) for x in (region.low, region.high))
    p_low, p_high = float(ndtr(-z_low)), float(ndtr(z_high))
    at_low = p_low >= p_high
    return TestResult(
        method=f"two one-sided score tests of equivalence (Tango), rope {region}",
        models=names,
        statistic=z_low if at_low else z_high,
        statistic_name="z",
        statistic_swapped=-z_high if p_high >= p_low else -z_low,
        p_value=max(p_low, p_high),
        alternative="equivalence",
        n=n,
        estimate=(only_a - only_b) / n,
        estimate_name="accuracy difference",
        interval=TangoInterval(only_a, only_b, n),
        confidence_level=1 - 2 * alpha,
        metric="accuracy",
        details={"p_below": p_low, "p_above": p_high, "rope": [region.low, region.high]},
    )


def paired_proportions_interval(
    right_a: Pair | ArrayLike | None = None,
    right_b: ArrayLike | None = None,
    *,
    truth: ArrayLike | None = None,
    table: ArrayLike | None = None,
    orientation: str | None = None,
    method: str = "newcombe",
    confidence_level: float = 0.95,
) -> Interval:
    """Confidence interval of the difference of two models' accuracies on the same cases.

    Parameters
    ----------
    right_a, right_b, truth, table, orientation
        As for `mcnemar_test`.
    method : "newcombe", "tango" or "bonett_price"
        Newcombe's combines the Wilson intervals of both accuracies with their correlation (his method 10). Tango's
        holds the differences that a score test does not reject. Bonett and Price's is the adjusted Wald interval.
    confidence_level : float

    See Also
    --------
    proportion_difference_interval : for two independent test sets.
    mcnemar_test, tost_mcnemar

    References
    ----------
    Newcombe (1998). Improved confidence intervals for the difference between binomial proportions based on paired data.
    Statistics in Medicine 17. Tango (1998), same volume.

    Examples
    --------
    >>> from bayescmp.frequentist import paired_proportions_interval
    >>> interval = paired_proportions_interval(table=[[36, 12], [2, 0]], orientation="both right first")
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0569, 0.3404)
    """
    if not is_one_of(method, ("newcombe", "tango", "bonett_price")):
        raise ValueError(f"`method` must be one of newcombe, tango, bonett_price; got {method!r}.")
    _, counts = correct_counts(right_a, right_b, truth, table, orientation)
    _, only_a, only_b, _ = counts
    n, level = sum(counts), check_level(confidence_level)
    if method == "newcombe":
        low, high = _newcombe(counts, -float(ndtri((1 - level) / 2)))
    elif method == "tango":
        low, high = TangoInterval(only_a, only_b, n).at(level)
    else:
        low, high = PairedProportionsInterval(only_a, only_b, n).at(level)
    name = {"newcombe": "Newcombe", "tango": "Tango", "bonett_price": "Bonett and Price"}[method]
    return Interval(
        estimate=(only_a - only_b) / n,
        low=low,
        high=high,
        confidence_level=level,
        method=f"difference of paired proportions, {name}",
        n=n,
    )


def _newcombe(counts: tuple[int, int, int, int], z: float) -> tuple[float, float]:
    both, only_a, only_b, neither = counts
    n = sum(counts)
    right = (both + only_a, both + only_b)
    (low_a, high_a), (low_b, high_b) = (wilson(x, n, z) for x in right)
    a, b = (x / n for x in right)
    margins = math.prod((right[0], n - right[0], right[1], n - right[1]))
    gap = both * neither - only_a * only_b
    phi = (max(gap - n / 2, 0.0) if gap > 0 else gap) / math.sqrt(margins) if margins else 0.0

    def reach(x: float, y: float) -> float:
        return math.sqrt(max(x * x - 2 * phi * x * y + y * y, 0.0))

    return a - b - reach(a - low_a, high_b - b), a - b + reach(high_a - a, b - low_b)


def mcnemar_name(by_binomial: bool, mid_p: bool = False, correction: bool = True) -> str:
    """The method with everything that changes its number."""
    if by_binomial:
        return "McNemar test, exact binomial" + (", mid-p" if mid_p else "")
    return f"McNemar test, chi-square, {'continuity-corrected' if correction else 'uncorrected'}"


def chi_square(only_a: ArrayLike, only_b: ArrayLike, correction: bool, alternative: str) -> tuple[Floats, Floats]:
    """Statistics and p of many tables: chi2 with 1 df, or its signed root for one-sided tests; 0 and 1 if all agree."""
    difference, n = np.subtract(only_a, only_b), np.add(only_a, only_b)
    some = np.maximum(n, 1)
    if alternative == "two-sided":
        # the correction moves towards no difference and stops there: equal counts give 0, not 1/n
        chi2 = np.maximum(0, np.abs(difference) - correction) ** 2 / some
        return chi2, chdtrc(1, chi2)
    toward = correction if alternative == "greater" else -correction
    z = np.where(n > 0, difference - toward, 0) / np.sqrt(some)
    return z, np.where(n > 0, ndtr(-z if alternative == "greater" else z), 1.0)


def _cohens_g(wins: int, n: int) -> EffectSize:
    low, high = BinomialInterval(wins, n).at(0.95)
    return EffectSize(
        name=COHENS_G,
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
