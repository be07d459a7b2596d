"""t-tests of two models on one dataset: plain, corrected for overlapping training sets, unpaired, of equivalence."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from bayescmp.checks import check_alpha, check_alternative, check_switch
from bayescmp.errors import DegenerateWarning, RopeError, warn
from bayescmp.frequentist.effect_sizes import dz_effect
from bayescmp.frequentist.intervals import StudentInterval
from bayescmp.frequentist.result import EffectSize, TestResult
from bayescmp.numerics.moments import in_units
from bayescmp.numerics.student import student_p, student_parameters, welch_parameters
from bayescmp.rope import ROPE, RopeLike, rope_for
from bayescmp.scores.inputs import one_dataset, unpaired
from bayescmp.scores.pair import Pair
from bayescmp.scores.resampling import Resampling

Floats = NDArray[np.float64]


def paired_ttest(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    alternative: str = "two-sided",
    dataset: str | None = None,
    resampling: Resampling | None = None,
    higher_is_better: bool | None = None,
) -> TestResult:
    """The plain paired t-test, which treats the folds as independent: t = mean / (s / sqrt(n)), n - 1 df.

    Where the training sets overlap it rejects far too often (a note estimates how often); `corrected_ttest` does not.

    Parameters
    ----------
    a : Pair, or array of A's scores
    b : array of B's scores on the same folds, where `a` is an array
    alternative : "two-sided", "greater" (A better) or "less" (B better)
    dataset : str, optional
        The dataset to test, where the pair has more than one.
    resampling : Resampling, optional
        The design, for the note on overlapping training sets.
    higher_is_better : bool
        The direction, where arrays are given; True by default.

    See Also
    --------
    corrected_ttest, tost_ttest, bayescmp.bayes.correlated_ttest

    Examples
    --------
    >>> import bayescmp as bc
    >>> result = bc.frequentist.paired_ttest(bc.load_labour().pair("SVM", "DT"))
    >>> f"{result.p_value:.3g}"
    '3.98e-09'
    >>> print(result.notes[0][:40])
    the training sets overlap (rho = 0.107):
    """
    pair = one_dataset(
        a, b, test="paired_ttest", dataset=dataset, resampling=resampling, higher_is_better=higher_is_better
    )
    return student_test(pair, False, alternative)


def corrected_ttest(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    alternative: str = "two-sided",
    dataset: str | None = None,
    resampling: Resampling | None = None,
    higher_is_better: bool | None = None,
) -> TestResult:
    """The corrected resampled t-test of Nadeau and Bengio: t = mean / sqrt((1/n + n_test/n_train) s^2), n - 1 df.

    For repeated k-fold cross-validation n_test/n_train is 1/(k - 1). Its one-sided p-value is the tail of the
    posterior that `bayescmp.bayes.correlated_ttest` gives.

    Parameters
    ----------
    a, b, alternative, dataset, higher_is_better
        As in `paired_ttest`.
    resampling : Resampling
        How the scores were resampled; needed where the pair has none.

    See Also
    --------
    bayescmp.bayes.correlated_ttest : the Bayesian sibling.
    paired_ttest : treats the folds as independent.

    References
    ----------
    Nadeau, Bengio (2003). Inference for the generalization error. Machine Learning 52. Bouckaert, Frank (2004).
    Evaluating the replicability of significance tests for comparing learning algorithms. PAKDD.

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.frequentist.corrected_ttest(bc.load_labour().pair("SVM", "DT"))
    TestResult: SVM vs DT, error rate (lower is better), corrected resampled t-test, n_test/n_train = 0.12 (n=100)
      t(99) = 1.791   p = 0.076
      mean difference 0.082, 95% CI [-0.009, 0.172]
      d_z = .65, 95% CI [-.07, 1.36]
      note: 6 test cases per fold: below 30, the score of a fold may be far from normal
      note: unequal variances: SVM's scores vary 0.7 times as much as DT's: the paired test allows it, but not Cohen's d
    """
    pair = one_dataset(
        a, b, test="corrected_ttest", dataset=dataset, resampling=resampling, higher_is_better=higher_is_better
    )
    return student_test(pair, True, alternative)


def welch_ttest(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    alternative: str = "two-sided",
    dataset: str | None = None,
    higher_is_better: bool | None = None,
) -> TestResult:
    """Welch's t-test of two models' unpaired runs (seeds), with Satterthwaite's degrees of freedom.

    Parameters
    ----------
    a, b : Pair whose design is `Resampling.runs()`, or two arrays of the scores of unpaired runs
    alternative : "two-sided", "greater" (A better) or "less"
    dataset : str, optional
        The dataset to test, of a pair that has several.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.

    See Also
    --------
    bayescmp.bayes.welch_ttest : the Bayesian sibling.
    paired_ttest : for scores on the same folds.

    References
    ----------
    Welch (1947). The generalization of Student's problem when several different population variances are involved.
    Biometrika 34.

    Examples
    --------
    >>> from bayescmp.frequentist import welch_ttest
    >>> round(welch_ttest([0.81, 0.83, 0.84, 0.80, 0.82], [0.78, 0.80, 0.79]).p_value, 3)
    0.017
    """
    runs = unpaired(a, b, test="welch_ttest", dataset=dataset, higher_is_better=higher_is_better)
    x, y = runs.oriented
    rounding = max(runs.rounding)
    mean, scale, df = (float(value) for value in welch_parameters(x, y, rounding))
    notes: tuple[str, ...] = ()
    if not scale:
        notes = ("neither model's scores vary: the answer rests on no variation between runs",)
        warn(f"{runs.a} vs {runs.b}: {notes[0]}.", DegenerateWarning)
    t, p = student_p(np.asarray(mean), np.asarray(scale), df, check_alternative(alternative), rounding)
    return TestResult(
        models=runs.models,
        **runs.about(),
        method="Welch's t-test, Satterthwaite df",
        statistic=float(t),
        statistic_name="t",
        df=df,
        p_value=float(p),
        alternative=alternative,
        n=x.size + y.size,
        estimate=mean,
        interval=StudentInterval(mean, scale, df),
        notes=notes,
        details={"n_a": x.size, "n_b": y.size},
    )


def tost_ttest(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    rope: RopeLike | Mapping[str, RopeLike] = ROPE,
    corrected: bool = True,
    alpha: float = 0.05,
    dataset: str | None = None,
    resampling: Resampling | None = None,
    higher_is_better: bool | None = None,
) -> TestResult:
    """Two one-sided t-tests of equivalence: a small p is evidence that the mean difference lies inside the rope.

    The frequentist mirror of P(equivalent): p is the larger of the posterior tails below and above the rope of
    `bayescmp.bayes.correlated_ttest`. Equivalence at level alpha is the same as the interval at 1 - 2 alpha lying
    inside the rope, so that is the interval reported.

    Parameters
    ----------
    a, b : Pair, or two arrays of the scores of the same folds
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
        Not 0: no data can show that two models are exactly equal.
    corrected : bool
        Whether to correct for overlapping training sets (Nadeau and Bengio).
    alpha : float
        Level of the test; the interval is at 1 - 2 alpha.
    dataset : str, optional
        The dataset to test, of a pair that has several.
    resampling : Resampling, optional
        The design, for arrays.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.

    See Also
    --------
    bayescmp.bayes.correlated_ttest : P(equivalent) itself.
    corrected_ttest

    References
    ----------
    Schuirmann (1987). A comparison of the two one-sided tests procedure and the power approach for assessing the
    equivalence of average bioavailability. Journal of Pharmacokinetics and Biopharmaceutics 15.

    Examples
    --------
    >>> import bayescmp as bc
    >>> pair = bc.load_uci().pair("tree", "tree_pruned")
    >>> round(bc.frequentist.tost_ttest(pair, rope=0.01, dataset="breast-cancer").p_value, 3)
    0.083
    """
    check_switch("corrected", corrected)
    pair = one_dataset(
        a, b, test="tost_ttest", dataset=dataset, resampling=resampling, higher_is_better=higher_is_better
    )
    region = rope_for(rope, pair.datasets[0])
    if region.is_zero:
        raise RopeError(
            "`rope` must be wider than 0 for a test of equivalence, got 0: no data can show that a difference is "
            "exactly 0. Give the largest difference that you would neglect."
        )
    alpha = check_alpha(alpha, below=0.5)
    rho = float(pair.known_rho("tost_ttest")[0]) if corrected else 0.0
    mean, scale, df = (float(x) for x in student_parameters(pair.differences[0], rho, float(pair.rounding[0])))
    notes = size_notes(pair)
    if scale > 0:
        t_low, t_high = (mean - region.low) / scale, (mean - region.high) / scale
    else:
        inside = int(region.regions(np.array([mean]), float(pair.rounding[0]))[0])
        t_low, t_high = (-math.inf if inside < 0 else math.inf), (math.inf if inside > 0 else -math.inf)
        notes = (*notes, degenerate_note(pair))
    p_low, p_high = float(stdtr(df, -t_low)), float(stdtr(df, t_high))
    at_low = p_low >= p_high
    kind = f"corrected for rho = {rho:.3f}" if corrected else "uncorrected"
    return TestResult(
        **pair.about(models=True),
        method=f"two one-sided t-tests of equivalence (TOST), rope {region}, {kind}",
        statistic=t_low if at_low else t_high,
        statistic_name="t",
        statistic_swapped=-t_high if p_high >= p_low else -t_low,
        df=df,
        p_value=max(p_low, p_high),
        alternative="equivalence",
        n=int(pair.counts[0]),
        estimate=mean,
        interval=StudentInterval(mean, scale, df),
        confidence_level=1 - 2 * alpha,
        notes=notes,
        details={"p_below": p_low, "p_above": p_high, "rope": [region.low, region.high], "rho": rho},
    )


# ---- the steps


def student_test(pair: Pair, corrected: bool, alternative: str, effect: EffectSize | None = None) -> TestResult:
    """`corrected_ttest` or `paired_ttest` of a pair on one dataset, whose d_z may be known."""
    check_alternative(alternative)
    rho = float(pair.known_rho("corrected_ttest")[0]) if corrected else 0.0
    notes = () if corrected else overlap_notes(pair.resampling[0], int(pair.counts[0]))
    rounding = float(pair.rounding[0])
    mean, scale, df = (float(x) for x in student_parameters(pair.differences[0], rho, rounding))
    t, p = student_p(np.asarray(mean), np.asarray(scale), df, alternative, rounding)
    notes = (*notes, *size_notes(pair), *_variance_notes(pair))
    if scale == 0:
        notes = (*notes, degenerate_note(pair))
    return TestResult(
        **pair.about(models=True),
        method=corrected_name(rho) if corrected else "paired t-test",
        statistic=float(t),
        statistic_name="t",
        df=df,
        p_value=float(p),
        alternative=alternative,
        n=int(pair.counts[0]),
        estimate=mean,
        estimate_name=f"mean {pair.difference_name}",
        effect_size=effect or dz_effect(pair.differences[0], rho, 0.95, rounding),
        interval=StudentInterval(mean, scale, df),
        notes=notes,
        details={"rho": rho},
    )


def corrected_name(rho: float) -> str:
    """The corrected test with what changes its number."""
    return f"corrected resampled t-test, n_test/n_train = {rho / (1 - rho):.4g}"


def overlap_notes(design: Resampling | None, n: int) -> tuple[str, ...]:
    """The note on the plain test where training sets overlap, or may do so."""
    if design is None:
        return (
            f"the {n} scores are treated as independent; if they are the folds of one dataset they are not: give their "
            "design to corrected_ttest",
        )
    if design.rho == 0:
        return ()
    return (
        f"the training sets overlap (rho = {design.rho:.3f}): at a nominal level of 0.05 this test rejects about "
        f"{type_one_error(n, design.rho):.2f} of true null hypotheses; use corrected_ttest",
    )


def type_one_error(n: int, rho: float, alpha: float = 0.05) -> float:
    """How often the plain two-sided t-test rejects a true null hypothesis if all n folds are correlated by rho."""
    inflation = math.sqrt(1 + n * rho / (1 - rho))
    return float(2 * stdtr(n - 1, stdtrit(n - 1, alpha / 2) / inflation))


def size_notes(pair: Pair) -> tuple[str, ...]:
    """The note on folds with few test cases."""
    design = pair.resampling[0]
    return design.notes if design is not None else ()


def _variance_notes(pair: Pair) -> tuple[str, ...]:
    """Pitman and Morgan: equal variances of paired scores are no correlation of their sums and differences."""
    unit, x, y = in_units(pair.scores_a[0], pair.scores_b[0])
    both = np.stack([x + y, x - y])
    both -= both.mean(axis=1, keepdims=True)
    (var_total, cov), (_, var_difference) = both @ both.T / (x.size - 1)
    if x.size < 3 or min(var_total, var_difference) <= (pair.rounding[0] / unit) ** 2:
        return ()
    r = min(1.0, abs(cov) / math.sqrt(var_total * var_difference))
    t = r * math.sqrt((x.size - 2) / max(1 - r * r, 1e-300))
    p = float(2 * stdtr(x.size - 2, -t))
    if p >= 0.01:
        return ()
    ratio = float(np.std(x, ddof=1) / np.std(y, ddof=1)) if np.std(y) else math.inf
    return (
        f"unequal variances: {pair.a}'s scores vary {ratio:.2g} times as much as {pair.b}'s: the paired test allows "
        "it, but not Cohen's d",
    )


def degenerate_note(pair: Pair) -> str:
    """The note on differences that are all equal, also given as a warning."""
    n = int(pair.counts[0])
    note = f"all {n} differences are equal: the answer rests on no variation between folds"
    warn(f"{pair.a} vs {pair.b}: {note}.", DegenerateWarning)
    return note
