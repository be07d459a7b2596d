"""What choosing a model is expected to cost: the posterior mean of the score lost where the other one is better."""

import math

import numpy as np

from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.bayes.distributions import Draws, PointMass, StudentT
from bayescmp.bayes.posterior import Posterior
from bayescmp.bayes.regions import RegionPosterior


def expected_losses(posterior: Posterior) -> tuple[float, float] | None:
    """The expected shortfall of choosing A and of choosing B, in units of the score; None for the sign test.

    E[max(-d, 0)] and E[max(d, 0)] for the difference d = A - B that the test is about; their difference is its mean.

    Examples
    --------
    >>> import bayescmp as bc
    >>> posterior = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)
    >>> [round(loss, 4) for loss in expected_losses(posterior)]
    [0.0007, 0.0824]
    """
    mean = posterior.mean  # type: ignore[attr-defined]
    if mean is None:
        return None
    gain = _positive_part(posterior)
    return max(0.0, gain - mean), gain


def _positive_part(posterior: Posterior) -> float:
    """E[max(d, 0)]."""
    if isinstance(posterior, DifferencePosterior):
        distribution = posterior.distribution
        if isinstance(distribution, StudentT):
            return _student_positive_part(distribution)
        if isinstance(distribution, PointMass):
            return max(0.0, distribution.mean)
        if isinstance(distribution, Draws):
            return float(np.maximum(distribution.chains, 0.0).mean())
        return float(np.maximum(posterior.draws(100_000), 0.0).mean())
    assert isinstance(posterior, RegionPosterior)
    values, weights = posterior.inference.mean_distribution()
    return float(np.maximum(values, 0.0) @ weights)


def _student_positive_part(t: StudentT) -> float:
    """In closed form: location P(d > 0) + scale (df + z^2)/(df - 1) times the density of t at z = location/scale."""
    if t.df <= 1:
        return math.inf
    z = t.location / t.scale
    density = float(StudentT(0.0, 1.0, t.df).pdf(z))
    return float(t.location * t.sf(0.0) + t.scale * (t.df + z * z) / (t.df - 1) * density)
