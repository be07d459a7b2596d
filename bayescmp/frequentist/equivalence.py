"""Equivalence of two models on one dataset: two one-sided t-tests against the rope, the mirror of P(equivalent)."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from bayescmp.checks import check_alpha, check_switch
from bayescmp.errors import RopeError
from bayescmp.frequentist.interval_rules import StudentInterval
from bayescmp.frequentist.result import TestResult
from bayescmp.frequentist.t_tests import degenerate_note, size_notes
from bayescmp.numerics.student import student_parameters
from bayescmp.rope import RopeLike, rope_for
from bayescmp.scores.inputs import one_dataset
from bayescmp.scores.pair import Pair
from bayescmp.scores.resampling import Resampling


def tost_ttest(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    rope: RopeLike | Mapping[str, RopeLike],
    corrected: bool = True,
    alpha: float = 0.05,
    dataset: str | None = None,
    resampling: Resampling | None = None,
    higher_is_better: bool | None = None,
) -> TestResult:
    """Two one-sided t-tests of equivalence: a small p says that the mean difference lies inside the rope.

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
        Sets the level of the interval.
    dataset : str, optional
        Which dataset of a pair that has several.
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
