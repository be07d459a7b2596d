"""t- and F-tests made for one design of cross-validation: r x k (Bouckaert) and 5 x 2 (Dietterich, Alpaydin)."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtrc

from bayescmp.checks import check_alternative, check_count, is_one_of
from bayescmp.errors import DegenerateWarning, ResamplingError, warn
from bayescmp.frequentist.intervals import StudentInterval
from bayescmp.frequentist.result import TestResult
from bayescmp.numerics.moments import in_units, moments
from bayescmp.numerics.student import student_p
from bayescmp.scores.inputs import one_dataset
from bayescmp.scores.pair import Pair
from bayescmp.scores.resampling import Resampling

Floats = NDArray[np.float64]

SCHEMES = {
    "all data": "all r x k differences",
    "folds averaged": "means of the runs",
    "runs averaged": "means of the folds",
    "sorted runs averaged": "means of the sorted folds",
}


def rxk_cv_ttest(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    scheme: str = "all data",
    df: int | None = None,
    alternative: str = "two-sided",
    dataset: str | None = None,
    resampling: Resampling | None = None,
    higher_is_better: bool | None = None,
) -> TestResult:
    """Bouckaert's t-test for r runs of k-fold cross-validation: Z = mean sqrt(f + 1)/s on t with f degrees of freedom.

    Parameters
    ----------
    scheme : str
        The numbers whose standard deviation is s: "all data" (f = rk - 1), "folds averaged" (the means of the runs,
        f = r - 1), "runs averaged" (the means of the folds, f = k - 1), or "sorted runs averaged" (as before, with the
        folds of each run sorted first).
    df : int, optional
        Calibrated degrees of freedom f; Bouckaert found 10 for "all data" and 10 x 10-fold cross-validation.
    a, b, alternative, dataset, resampling, higher_is_better
        As in `paired_ttest`; the design must be r x k-fold cross-validation.

    See Also
    --------
    corrected_ttest : uses all folds.
    cv5x2_ttest

    References
    ----------
    Bouckaert (2003). Choosing between two learning algorithms based on calibrated tests. ICML. Bouckaert (2004).
    Estimating replicability of classifier learning experiments. ICML.

    Examples
    --------
    >>> import bayescmp as bc
    >>> pair = bc.load_uci().pair("rf", "svm")
    >>> rxk_cv_ttest(pair, dataset="sonar", df=10).method
    'r x k CV t-test (Bouckaert), s of all r x k differences, calibrated df = 10'
    """
    if not is_one_of(scheme, SCHEMES):
        raise ValueError(f"`scheme` must be one of {', '.join(SCHEMES)}, got {scheme!r}.")
    if df is not None:
        check_count("df", df)
    pair = one_dataset(
        a, b, test="rxk_cv_ttest", dataset=dataset, resampling=resampling, higher_is_better=higher_is_better
    )
    runs = _runs(pair, "rxk_cv_ttest")
    if scheme == "all data":
        values = runs.ravel()
    elif scheme == "folds averaged":
        values = runs.mean(axis=1)
    else:
        values = (np.sort(runs, axis=1) if scheme == "sorted runs averaged" else runs).mean(axis=0)
    if values.size < 2:
        raise ResamplingError(
            f'The scheme "{scheme}" needs at least 2 {SCHEMES[scheme]}, got {values.size}. Repeat the '
            'cross-validation, or use scheme="all data".'
        )
    mean, deviation, n = (float(x) for x in moments(values))
    f = float(df if df is not None else n - 1)
    rounding = float(pair.rounding[0])
    scale = deviation / math.sqrt(f + 1) if deviation > rounding else 0.0
    t, p = student_p(np.asarray(mean), np.asarray(scale), f, check_alternative(alternative), rounding)
    notes = []
    if df is None and scheme == "all data":
        notes.append("the folds are not independent: without calibrated df (10 for 10 x 10-fold) it rejects too often")
    if df is not None and (scheme != "all data" or runs.shape != (10, 10)):
        notes.append('calibrated df are known for "all data" of 10 x 10-fold cross-validation only')
    if scale == 0:
        notes.append(_no_spread(pair, "values"))
    return TestResult(
        **pair.about(models=True),
        method=f"r x k CV t-test (Bouckaert), s of {SCHEMES[scheme]}"
        + (f", calibrated df = {df}" if df is not None else ""),
        statistic=float(t),
        statistic_name="t",
        df=f,
        p_value=float(p),
        alternative=alternative,
        n=runs.size,
        estimate=mean,
        interval=StudentInterval(mean, scale, f),
        notes=tuple(notes),
        details={"runs": runs.shape[0], "folds": runs.shape[1], "s": deviation},
    )


def cv5x2_ttest(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    alternative: str = "two-sided",
    dataset: str | None = None,
    resampling: Resampling | None = None,
    higher_is_better: bool | None = None,
) -> TestResult:
    """Dietterich's 5 x 2 cv paired t-test: the first difference over the root mean of five variances, 5 df.

    Which of the ten differences stands in the numerator is arbitrary; `cv5x2_ftest` uses them all.

    Parameters
    ----------
    a, b : Pair, or two arrays of ten scores, fold 1 and 2 of each repeat
    alternative : "two-sided", "greater" (A better) or "less"
    dataset : str, optional
        The dataset to test, of a pair that has several.
    resampling : Resampling, optional
        For arrays: `Resampling.kfold(2, repeats=5)`.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better.

    See Also
    --------
    cv5x2_ftest : uses all ten differences.

    References
    ----------
    Dietterich (1998). Approximate statistical tests for comparing supervised classification learning algorithms.
    Neural Computation 10.

    Examples
    --------
    >>> from bayescmp import Resampling
    >>> a = [0.80, 0.82, 0.79, 0.81, 0.83, 0.80, 0.80, 0.82, 0.81, 0.80]
    >>> b = [0.78, 0.79, 0.80, 0.78, 0.79, 0.80, 0.77, 0.77, 0.78, 0.77]
    >>> cv5x2_ttest(a, b, resampling=Resampling.kfold(2, repeats=5)).df
    5.0
    """
    pair = one_dataset(
        a, b, test="cv5x2_ttest", dataset=dataset, resampling=resampling, higher_is_better=higher_is_better
    )
    runs, variances, unit = _five_by_two(pair, "cv5x2_ttest")
    scale = math.sqrt(variances.mean())
    rounding = float(pair.rounding[0]) / unit
    notes = ["the numerator is the first of ten differences, which is arbitrary: prefer cv5x2_ftest"]
    if scale == 0:
        notes.append(_no_spread(pair, "halves of each run"))
    t, p = student_p(np.asarray(runs[0, 0]), np.asarray(scale), 5.0, check_alternative(alternative), rounding)
    return TestResult(
        **_five_fields(pair, variances, unit),
        method="5 x 2 cv paired t-test (Dietterich)",
        statistic=float(t),
        statistic_name="t",
        df=5.0,
        p_value=float(p),
        alternative=alternative,
        notes=tuple(notes),
    )


def cv5x2_ftest(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    dataset: str | None = None,
    resampling: Resampling | None = None,
    higher_is_better: bool | None = None,
) -> TestResult:
    """Alpaydin's combined 5 x 2 cv F-test: the sum of ten squared differences over twice five variances, F(10, 5).

    Parameters
    ----------
    a, b, dataset, resampling, higher_is_better
        As in `cv5x2_ttest`.

    See Also
    --------
    cv5x2_ttest, rxk_cv_ttest

    References
    ----------
    Alpaydin (1999). Combined 5 x 2 cv F test for comparing supervised classification learning algorithms. Neural
    Computation 11.

    Examples
    --------
    >>> from bayescmp import Resampling
    >>> a, b = [0.80, 0.82, 0.79, 0.81, 0.83, 0.80, 0.80, 0.82, 0.81, 0.84], [0.75, 0.74, 0.76, 0.73, 0.74] * 2
    >>> round(cv5x2_ftest(a, b, resampling=Resampling.kfold(2, repeats=5)).p_value, 3)
    0.012
    """
    pair = one_dataset(
        a, b, test="cv5x2_ftest", dataset=dataset, resampling=resampling, higher_is_better=higher_is_better
    )
    runs, variances, unit = _five_by_two(pair, "cv5x2_ftest")
    squares, spread = float((runs**2).sum()), float(variances.sum())
    notes: tuple[str, ...] = ()
    if spread > 0:
        statistic = squares / (2 * spread)
    else:
        statistic = math.inf if np.abs(runs).max() > pair.rounding[0] / unit else 0.0
        notes = (_no_spread(pair, "halves of each run"),)
    return TestResult(
        **_five_fields(pair, variances, unit),
        method="combined 5 x 2 cv F-test (Alpaydin)",
        statistic=statistic,
        statistic_name="F",
        df=(10.0, 5.0),
        p_value=float(fdtrc(10, 5, statistic)) if statistic < math.inf else 0.0,
        notes=notes,
    )


def _runs(pair: Pair, test: str) -> Floats:
    """Differences, runs x folds."""
    design = pair.resampling[0]
    if design is None or design.scheme != "kfold" or not design.folds:
        got = "they are unknown" if design is None else f"got {design.name}"
        raise ResamplingError(
            f"`{test}` needs the runs and folds of the cross-validation, but {got}. Give "
            "resampling=Resampling.kfold(folds, repeats=runs); for random splits use corrected_ttest."
        )
    return pair.differences[0].reshape(-1, design.folds)


def _five_by_two(pair: Pair, test: str) -> tuple[Floats, Floats, float]:
    """The ten differences, 5 x 2, the variance of each run (0 where within rounding), and their unit, to be squared."""
    runs = _runs(pair, test)
    if runs.shape != (5, 2):
        raise ResamplingError(
            f"`{test}` is made for 5 runs of 2-fold cross-validation, got {runs.shape[0]} of {runs.shape[1]} folds. "
            "Use corrected_ttest, or rxk_cv_ttest."
        )
    unit, runs, rounding = in_units(runs, pair.rounding[0])
    gaps = runs[:, 0] - runs[:, 1]
    gaps = np.where(np.abs(gaps) <= rounding, 0.0, gaps)
    return runs, gaps**2 / 2, unit


def _five_fields(pair: Pair, variances: Floats, unit: float) -> dict[str, Any]:
    deviations = np.sqrt(variances) * unit
    return pair.about(models=True) | {
        "n": 10,
        "estimate": float(pair.means[0]),
        "details": {"deviations": deviations.tolist()},
    }


def _no_spread(pair: Pair, what: str) -> str:
    note = f"all {what} are equal: the answer rests on no variation"
    warn(f"{pair.a} vs {pair.b}: {note}.", DegenerateWarning)
    return note
