"""The hierarchical test of the same data with more datasets, many times over: for plans.

The posterior of what is at hand is known on a grid of (delta_0, sigma_0, nu). More datasets multiply it by their
likelihood on the same grid, which takes a tenth of the time of a new integral and is within 0.01 of it.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayescmp.bayes.hierarchical.convolution import log_likelihood
from bayescmp.bayes.hierarchical.inference import HierarchicalInference
from bayescmp.bayes.hierarchical.quadrature import HyperPosterior, finite, winner_reach
from bayescmp.numerics.moments import moments
from bayescmp.numerics.threads import one_blas_thread
from bayescmp.rope import Rope
from bayescmp.scores.pair import Pair

if TYPE_CHECKING:
    from bayescmp.bayes.hierarchical.ttest import HierarchicalPosterior

Floats = NDArray[np.float64]
NUS = 18
"""The most degrees of freedom that are kept."""
LEAST_MASS = 1e-7
"""What of the grid has less than this, beside the most, is left out."""


class Enlarged(NamedTuple):
    """The three probabilities and the two losses of one enlarged study."""

    three: tuple[float, float, float]
    losses: tuple[float, float]


def enlarged(posterior: "HierarchicalPosterior", pairs: list[Pair]) -> list[Enlarged] | None:
    """The answers for pairs that start with the datasets of the posterior; None where its grid cannot give them."""
    inference, rope = posterior.inference, posterior.rope
    if type(inference) is not HierarchicalInference or not np.isfinite([rope.low, rope.high]).all():
        return None
    with one_blas_thread():
        h = _kept(inference.hyper)
        outcomes = _outcomes(h, rope)
        prior = h.density * h.weights(0)[:, None] * h.weights(1)
        return [_answer(h, prior, outcomes, _new_likelihood(h, pair, len(inference.names))) for pair in pairs]


def _kept(h: HyperPosterior) -> HyperPosterior:
    """The part of the grid with the mass, and every so many degrees of freedom."""
    h = h.every(max(1, -(-h.nu.size // NUS)), 0)
    for axis, name in ((1, "x"), (2, "t")):
        mass = h.mass.sum(axis=(0, 3 - axis))
        used = np.flatnonzero(mass > LEAST_MASS * mass.max())
        part = slice(max(int(used[0]) - 1, 0), int(used[-1]) + 2)
        places = (slice(None), part) if axis == 1 else (slice(None), slice(None), part)
        changed: dict[str, Any] = {name: getattr(h, name)[part]}
        h = replace(h, density=h.density[places], **changed)
    return h


def _outcomes(h: HyperPosterior, rope: Rope) -> Floats:
    """How much of the cell around each point has "better", "equivalent" and "worse" as the largest theta."""
    half, centre = (rope.high - rope.low) / 2, (rope.high + rope.low) / 2
    nu, sigma = np.broadcast_arrays(finite(h.nu)[:, None], h.sigma)
    reach = np.zeros(sigma.shape)
    if half:
        can = sigma < half / special.stdtrit(nu, 2 / 3)
        reach[can] = winner_reach(nu[can], sigma[can], half)
    step = h.t[1] - h.t[0]
    above, below = (h.curve.t(centre + sign * reach)[..., None] for sign in (1, -1))
    better = np.clip((h.t - above) / step + 0.5, 0.0, 1.0)
    worse = np.clip((below - h.t) / step + 0.5, 0.0, 1.0)
    return np.stack([better, np.maximum(1 - better - worse, 0.0), worse])


def _new_likelihood(h: HyperPosterior, pair: Pair, at_hand: int) -> Floats:
    """The log likelihood on the grid of the datasets beyond those at hand."""
    means, sds, counts = (x[at_hand:] for x in moments(pair.differences))
    rho = pair.known_rho("plan")[at_hand:]
    scales = np.sqrt((1 / counts + rho / (1 - rho)) * (counts - 1) / (counts - 2)) * sds
    total = np.zeros(h.density.shape)
    for n in np.unique(counts):
        here = counts == n
        data = means[here] / h.unit, scales[here] / h.unit, float(n - 2)
        total += log_likelihood(*data, h.nu, h.bend.log_sigma(h.x), h.delta / h.unit)
    return total


def _answer(h: HyperPosterior, prior: Floats, outcomes: Floats, log_new: Floats) -> Enlarged:
    mass = prior * np.exp(log_new - log_new.max())
    mass /= mass.sum()
    better, equivalent, worse = (outcomes * mass).sum(axis=(1, 2, 3)).tolist()
    along = mass.sum(axis=(0, 1))
    loss_a, loss_b = (float(along @ np.maximum(sign * h.delta, 0.0)) for sign in (-1, 1))
    return Enlarged((better, equivalent, worse), (loss_a, loss_b))
