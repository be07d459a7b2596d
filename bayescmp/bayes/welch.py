"""The Bayesian t-test for unpaired runs: five seeds of one network, seven of another, nothing to match them by.

The posterior of the difference of two means is the difference of two independent Student t (Behrens-Fisher), exact by
one-dimensional quadrature.
"""

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import catalogue
from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.bayes.distributions import Distribution, Floats, PointMass, StudentDifference, StudentT
from bayescmp.errors import DegenerateWarning, warn
from bayescmp.numerics.moments import moments
from bayescmp.rope import ROPE, Rope, RopeLike, warn_if_other_scale
from bayescmp.scores.inputs import unpaired
from bayescmp.scores.pair import ROUNDING


def welch_ttest(
    a: ArrayLike, b: ArrayLike, *, rope: RopeLike = ROPE, higher_is_better: bool = True
) -> DifferencePosterior:
    """Posterior of the difference of two models' means over independent, unpaired runs.

    Parameters
    ----------
    a, b : array
        The scores of each model's runs; the numbers of runs may differ. Names of pandas Series are kept.
    rope : float, (low, high) or Rope
        The differences that make no practical difference; 0 for none.
    higher_is_better : bool
        The direction of the scores.

    Returns
    -------
    DifferencePosterior
        With the prior 1/sigma for each model, mean_a - mean_b + s_a/sqrt(n_a) T_a - s_b/sqrt(n_b) T_b, with T Student
        t of n - 1 degrees of freedom.

    See Also
    --------
    correlated_ttest : for scores on the same folds.

    References
    ----------
    Box, Tiao (1973). Bayesian Inference in Statistical Analysis, section 2.5.

    Examples
    --------
    >>> from bayescmp.bayes import welch_ttest
    >>> posterior = welch_ttest([0.81, 0.83, 0.84, 0.80, 0.82], [0.78, 0.80, 0.79], rope=0.01)
    >>> round(posterior.p_better, 2)
    0.93
    """
    region = Rope.of(rope)
    runs = unpaired(a, b, test="welch_ttest", higher_is_better=higher_is_better)
    warn_if_other_scale(region, np.concatenate(runs.oriented))
    means, scales, dfs = zip(*map(_mean_and_error, runs.oriented), strict=True)
    location = means[0] - means[1]
    notes: tuple[str, ...] = ()
    distribution: Distribution
    if all(scales):
        distribution = StudentDifference(location, scales[0], dfs[0], scales[1], dfs[1])
    else:
        constant = [name for name, scale in zip(runs.models, scales, strict=True) if not scale]
        notes = (f"all runs of {' and of '.join(constant)} score the same: their mean is treated as known exactly",)
        warn(notes[0] + ".", DegenerateWarning)
        spread = max(range(2), key=scales.__getitem__)
        distribution = (
            StudentT(location, scales[spread], dfs[spread])
            if scales[spread]
            else PointMass(location, ROUNDING * max(map(abs, means)))
        )
    return DifferencePosterior(
        a=runs.a,
        b=runs.b,
        metric=None,
        higher_is_better=runs.higher_is_better,
        scale="score",
        datasets=("dataset",),
        n=runs.n,
        rope=region,
        **catalogue.find("welch_ttest", "bayes").words(),
        engine="exact",
        settings={"runs": {runs.a: runs.scores_a.size, runs.b: runs.scores_b.size}},
        notes=notes,
        distribution=distribution,
    )


def _mean_and_error(x: Floats) -> tuple[float, float, float]:
    mean, deviation, n = (float(value) for value in moments(x))
    constant = deviation <= ROUNDING * np.abs(x).max()
    return mean, 0.0 if constant else deviation / np.sqrt(n), n - 1
