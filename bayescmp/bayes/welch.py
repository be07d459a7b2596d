"""The Bayesian t-test for unpaired runs: five seeds of one network, seven of another, nothing to match them by.

The posterior of the difference of two means is the difference of two independent Student t (Behrens-Fisher), exact by
one-dimensional quadrature.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import catalogue
from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.bayes.distributions import Floats, PointMass, StudentDifference, StudentT
from bayescmp.errors import DegenerateWarning, warn
from bayescmp.numerics.moments import moments
from bayescmp.rope import ROPE, RopeLike, rope_for, warn_if_other_scale
from bayescmp.scores.inputs import unpaired
from bayescmp.scores.pair import Pair


def welch_ttest(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    rope: RopeLike | Mapping[str, RopeLike] = ROPE,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
) -> DifferencePosterior:
    """Posterior of the difference of two models' means over independent, unpaired runs.

    Parameters
    ----------
    a, b : Pair whose design is `Resampling.runs()`, or two arrays
        The scores of each model's runs; the numbers of runs may differ. Names of pandas Series are kept.
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
        The differences that make no practical difference; 0 for none.
    dataset : str, optional
        Which dataset, of a pair that has several.
    higher_is_better : bool, optional
        The direction of the scores, where arrays are given; True if not given.

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
    runs = unpaired(a, b, test="welch_ttest", dataset=dataset, higher_is_better=higher_is_better)
    region = rope_for(rope, runs.dataset)
    if runs.scale == "score":
        warn_if_other_scale(region, np.concatenate(runs.oriented))
    means, scales, dfs = zip(*map(mean_and_error, runs.oriented, runs.rounding), strict=True)
    notes: tuple[str, ...] = ()
    if not all(scales):
        constant = [name for name, scale in zip(runs.models, scales, strict=True) if not scale]
        notes = (f"all runs of {' and of '.join(constant)} score the same: their mean is treated as known exactly",)
        warn(notes[0] + ".", DegenerateWarning)
    return DifferencePosterior(
        a=runs.a,
        b=runs.b,
        **runs.about(),
        n=runs.n,
        rope=region,
        **catalogue.find("welch_ttest", "bayes").words(),
        engine="exact",
        settings={"runs": {runs.a: runs.scores_a.size, runs.b: runs.scores_b.size}},
        notes=notes,
        distribution=difference_of(means[0] - means[1], scales, dfs, max(runs.rounding)),
    )


def difference_of(
    location: float, scales: Sequence[float], dfs: Sequence[float], rounding: float
) -> StudentDifference | StudentT | PointMass:
    """The difference of two independent Student t, of which one or both may have no spread."""
    if all(scales):
        return StudentDifference(location, scales[0], dfs[0], scales[1], dfs[1])
    spread = max(range(2), key=scales.__getitem__)
    return StudentT(location, scales[spread], dfs[spread]) if scales[spread] else PointMass(location, rounding)


def mean_and_error(x: Floats, rounding: float) -> tuple[float, float, float]:
    """Location, scale and degrees of freedom of the Student posterior of a model's mean; scale 0 without spread."""
    mean, deviation, n = (float(value) for value in moments(x))
    return mean, 0.0 if deviation <= rounding else deviation / float(np.sqrt(n)), n - 1
