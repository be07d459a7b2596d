"""Independent draws from a smooth posterior of some dozen dimensions, by importance sampling around its modes.

Each mode has a proposal that follows the posterior's curvature and its skewness there: a linear map of independent
log-gamma variables, whose second and third derivatives are those of the posterior. Two choices of axes and a Student t
(a defensive mixture, Hesterberg 1995) make it fit where one alone would not. Draws are resampled by their weights; the
Pareto k-hat of the weights (Vehtari et al. 2024) is the diagnostic. `engine="nuts"` is the reference.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from bayescmp.bayes.nuts import Diagnosed
from bayescmp.numerics.threads import one_blas_thread

Floats = NDArray[np.float64]
K_HAT_LIMIT = 0.7
ESS_LIMIT = 400
MOST_ROUNDS = 20
"""Each round proposes as many draws as were asked for, until the weights are worth that many."""
LAWS = (0.45, 0.45, 0.1)
"""Shares of the proposal: log-gamma along the coordinates, along the gaps between neighbours, and the Student t."""
STUDENT_DF = 5
SHAPES = (0.1, 1e6)
"""The least and the largest shape of a log-gamma; the largest is as good as a normal."""


class Peak(NamedTuple):
    """A mode of the density, with minus the second derivatives, and `thirds`: the third derivatives along axes."""

    log_density: Callable[[Floats], Floats]
    mode: Floats
    curvature: Floats
    thirds: Callable[[Floats], Floats]

    @property
    def log_mass(self) -> float:
        """The log of the integral, as if the density were normal."""
        level = float(self.log_density(self.mode[None])[0])
        return level + (self.mode.size * np.log(2 * np.pi) - np.linalg.slogdet(self.curvature)[1]) / 2


@dataclass(frozen=True, kw_only=True, eq=False)
class WeightDiagnostics(Diagnosed):
    """How importance sampling went.

    Attributes
    ----------
    k_hat : float
        Shape of the Pareto tail of the weights; above 0.7 their mean cannot be trusted.
    ess : float
        Number of independent draws that all weighted proposals are worth.
    proposals, draws : int
        Number of weighted proposals, and of draws resampled from them.
    """

    k_hat: float
    ess: float
    proposals: int
    draws: int

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, in words; empty where all is well."""
        found = []
        if not self.k_hat <= K_HAT_LIMIT:
            found.append(f"Pareto k-hat {self.k_hat:.2f} (must be at most {K_HAT_LIMIT})")
        if not self.ess >= ESS_LIMIT:
            found.append(f"effective sample size {self.ess:.0f} (must be at least {ESS_LIMIT})")
        return tuple(found)


def sample(peaks: Iterable[Peak], *, draws: int, random_seed: int) -> tuple[Floats, WeightDiagnostics]:
    """Draws (draws x dimensions) from the sum of the peaks' densities; fewer where the weights are worth fewer."""
    rng = np.random.default_rng(random_seed)
    found, logs, ess = [], [], 0.0
    with one_blas_thread(), np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        proposals = [_Proposal(peak) for peak in peaks]
        masses = np.array([proposal.peak.log_mass for proposal in proposals])
        log_shares = masses - logsumexp(masses)
        for _ in range(MOST_ROUNDS):
            counts = _allocate(np.exp(log_shares), draws, rng)
            for proposal, log_share, count in zip(proposals, log_shares, counts, strict=True):
                if count:
                    x = proposal.draw(int(count), rng)
                    found.append(x)
                    logs.append(proposal.peak.log_density(x) - proposal.log_density(x) - log_share)
            log_weights = np.concatenate(logs)
            log_weights[np.isnan(log_weights)] = -np.inf
            weights = np.exp(log_weights - logsumexp(log_weights))
            ess = float(1 / (weights @ weights))
            if ess >= draws:
                break
    size = max(1, min(draws, int(ess)))
    order = rng.permutation(len(weights))
    # systematic resampling: a proposal that weighs less than one draw is drawn once at most
    chosen = np.searchsorted(np.cumsum(weights[order]), (np.arange(size) + rng.uniform()) / size)
    kept = np.concatenate(found)[order[np.minimum(chosen, len(order) - 1)]]
    return kept, WeightDiagnostics(k_hat=pareto_k(log_weights), ess=ess, proposals=len(weights), draws=size)


def pareto_k(log_weights: Floats) -> float:
    """The shape of the generalised Pareto that fits the largest weights (Zhang, Stephens 2009), as PSIS shrinks it."""
    n = log_weights.size
    tail = int(np.ceil(min(n / 5, 3 * np.sqrt(n))))
    largest = np.sort(log_weights)[-tail - 1 :]
    excess = np.exp(largest[1:] - largest[-1]) - np.exp(largest[0] - largest[-1])
    if not excess[0] > 0:
        excess = excess[excess > 0]
    if excess.size < 5:
        return float("inf") if excess.size else float("-inf")
    m, size = 30 + int(np.sqrt(excess.size)), excess.size
    b = 1 - np.sqrt(m / (np.arange(m) + 0.5))
    b = b / (3 * excess[int(size / 4 + 0.5) - 1]) + 1 / excess[-1]
    shapes = np.log1p(-b[:, None] * excess).mean(axis=1)
    levels = size * (np.log(-b / shapes) - shapes - 1)
    weights = np.exp(levels - logsumexp(levels))
    k = float(np.log1p(-(weights @ b) * excess).mean())
    return (k * size + 5) / (size + 10)


# ---- the proposal


class _Proposal:
    """A mixture around one mode: log-gammas along two sets of axes, and a Student t."""

    def __init__(self, peak: Peak) -> None:
        self.peak = peak
        self.axes = list(_axes(peak))
        self.inverses = [np.linalg.inv(axes) for axes in self.axes]
        thirds = [peak.thirds(axes) for axes in self.axes]
        self.signs = [np.where(third > 0, -1.0, 1.0) for third in thirds]
        # a log-gamma of shape a in units of its width at the mode has the third derivative -1 / sqrt(a)
        self.shapes = [np.clip(1 / third**2, *SHAPES) for third in thirds]
        self.log_width = -np.linalg.slogdet(peak.curvature)[1] / 2

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        found = []
        k = self.peak.mode.size
        *bent, student = _allocate(np.array(LAWS), n, rng)
        for axes, sign, shape, count in zip(self.axes, self.signs, self.shapes, bent, strict=True):
            y = np.log(rng.standard_gamma(np.broadcast_to(shape, (count, k)))) - np.log(shape)
            found.append((sign * np.sqrt(shape) * y) @ axes.T)
        t = rng.standard_normal((student, k)) / np.sqrt(rng.chisquare(STUDENT_DF, (student, 1)) / STUDENT_DF)
        return self.peak.mode + np.concatenate([*found, t @ self.axes[0].T])

    def log_density(self, x: Floats) -> Floats:
        logs = []
        centred, k, df = x - self.peak.mode, x.shape[1], STUDENT_DF
        for inverse, sign, shape in zip(self.inverses, self.signs, self.shapes, strict=True):
            y = centred @ inverse.T * (sign / np.sqrt(shape))
            constant = shape * np.log(shape) - gammaln(shape) - np.log(shape) / 2
            logs.append((shape * (y - np.exp(y)) + constant).sum(axis=1))
        square = ((centred @ self.inverses[0].T) ** 2).sum(axis=1)
        constant = gammaln((df + k) / 2) - gammaln(df / 2) - k / 2 * np.log(df * np.pi)
        logs.append(constant - (df + k) / 2 * np.log1p(square / df))
        return np.asarray(logsumexp(np.stack(logs), axis=0, b=np.array(LAWS)[:, None])) - self.log_width


def _axes(peak: Peak) -> Iterator[Floats]:
    """Matrices A with A A' = inverse curvature, close to the coordinates, and to the gaps between neighbours.

    Where the data order some models completely, it is the gaps that are skewed and nearly independent.
    """
    k = peak.mode.size
    covariance = np.linalg.inv(peak.curvature)
    gaps = np.full((k, k), 1 / k)
    gaps[:-1] = np.diff(np.eye(k)[np.argsort(peak.mode)], axis=0)
    for basis in (np.eye(k), gaps):
        spread = basis @ covariance @ basis.T
        sd = np.sqrt(np.diag(spread))
        size, direction = np.linalg.eigh(spread / sd / sd[:, None])
        root = (direction * np.sqrt(np.maximum(size, 1e-12))) @ direction.T
        yield np.linalg.solve(basis, sd[:, None] * root)


def _allocate(shares: Floats, n: int, rng: np.random.Generator) -> NDArray[np.int_]:
    """n in whole numbers, in proportion to the shares; the fractions are settled by one uniform number."""
    ends = np.floor(np.cumsum(shares / shares.sum()) * n + rng.uniform()).astype(int)
    ends[-1] = n
    return np.diff(np.minimum(ends, n), prepend=0)
