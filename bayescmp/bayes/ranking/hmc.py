"""Hamiltonian Monte Carlo for smooth posteriors of some dozen dimensions, many chains at once in numpy.

For models whose whole run takes less time than PyMC needs to compile them. The posterior is first whitened by its
curvature at the mode, later by the covariance that the warm-up found, so that trajectories of a quarter period give
nearly independent draws (Neal 2011). `engine="nuts"` is the reference.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bayescmp.bayes.nuts import Diagnostics

Floats = NDArray[np.float64]
LogDensity = Callable[[Floats, bool], tuple[Floats, Floats]]
"""Positions (chains x dimensions) to log density (chains) and its gradient (chains x dimensions).

The second argument says whether the log density is needed: along a trajectory only the gradient is.
"""

CHAINS = 40
TOGETHER = 5
"""Chains that R-hat takes as one."""
WARMUP = (50, 75, 100, 75)
"""Iterations of warm-up; after each but the last, which is for the step alone, the covariance is taken anew."""
TARGET_ACCEPTANCE = 0.9
MOST_STEPS = 64
DIVERGENT = 1000.0


class Run(NamedTuple):
    """Draws are chains x draws x dimensions, energies chains x draws."""

    draws: Floats
    energy: Floats
    divergences: int
    acceptance: float


def sample(
    density: LogDensity, mode: Floats, covariance: Floats, *, draws: int, random_seed: int, chains: int = CHAINS
) -> Run:
    """At least `draws` draws in all, from chains that start overdispersed around the mode."""
    rng = np.random.default_rng(random_seed)
    factor = _cholesky(covariance)
    x = mode + 1.5 * rng.standard_normal((chains, mode.size)) @ factor.T
    state = (x, *density(x, True))
    step = 1.0 / mode.size**0.25
    for window, length in enumerate(WARMUP):
        kept, steps = [], []
        for i in range(length):
            state, accept, _, _ = _iterate(density, state, factor, step, rng)
            step *= np.exp((accept.mean() - TARGET_ACCEPTANCE) / np.sqrt(1 + i / 4))
            if i >= length // 2:
                kept.append(state[0])
                steps.append(np.log(step))
        step = float(np.exp(np.mean(steps)))
        if window < len(WARMUP) - 1:
            factor = _cholesky(_shrunk(np.concatenate(kept), covariance))
    per_chain = -(-draws // chains)
    found, energies = np.empty((chains, per_chain, mode.size)), np.empty((chains, per_chain))
    divergences, acceptance = 0, 0.0
    for i in range(per_chain):
        state, accept, energies[:, i], diverged = _iterate(density, state, factor, step, rng)
        found[:, i] = state[0]
        divergences += diverged
        acceptance += float(accept.mean()) / per_chain
    return Run(found, energies, divergences, acceptance)


def _iterate(
    density: LogDensity, state: tuple[Floats, Floats, Floats], factor: Floats, step: float, rng: np.random.Generator
) -> tuple[tuple[Floats, Floats, Floats], Floats, Floats, int]:
    """One trajectory of every chain: the new state, acceptance probabilities, energies, and how many diverged."""
    x, value, gradient = state
    size = step * rng.uniform(0.8, 1.2)
    n_steps = int(np.clip(np.ceil(rng.uniform(0.6, 1.4) * np.pi / 2 / size), 1, MOST_STEPS))
    momentum = rng.standard_normal(x.shape)
    energy = (momentum**2).sum(axis=1) / 2 - value
    new_x, new_value, new_gradient, p = x, value, gradient, momentum
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for i in range(n_steps):
            p = p + size / 2 * new_gradient @ factor
            new_x = new_x + size * p @ factor.T
            new_value, new_gradient = density(new_x, i == n_steps - 1)
            p = p + size / 2 * new_gradient @ factor
        rise = (p**2).sum(axis=1) / 2 - new_value - energy
        rise = np.where(np.isfinite(rise), rise, np.inf)
        accept = np.exp(np.minimum(-rise, 0.0))
    moves = rng.uniform(size=accept.shape) < accept
    row = moves[:, None]
    state = np.where(row, new_x, x), np.where(moves, new_value, value), np.where(row, new_gradient, gradient)
    return state, accept, energy, int((rise > DIVERGENT).sum())


def _cholesky(covariance: Floats) -> Floats:
    return np.asarray(np.linalg.cholesky(covariance), dtype=float)


def _shrunk(found: Floats, covariance: Floats) -> Floats:
    """The covariance of the draws, with as much of the first guess as their small number makes wise."""
    weight = len(found) / (len(found) + 5 * found.shape[1])
    return weight * np.cov(found, rowvar=False).reshape(covariance.shape) + (1 - weight) * covariance


def diagnose(run: Run) -> Diagnostics:
    """Rank-normalised split R-hat (of place and of spread), effective sample sizes from the spread of chains' means.

    R-hat compares groups of chains, because that of many short chains is above 1 by their shortness alone (Margossian
    et al. 2024). With this many chains their spread tells the effective sample size whatever the autocorrelation is,
    to about 25 % for one dimension; the smallest of many is on the safe side.
    """
    normal = _rank_normal(run.draws)
    folded = _rank_normal(np.abs(run.draws - np.median(run.draws, axis=(0, 1))))
    low, high = np.quantile(run.draws, (0.05, 0.95), axis=(0, 1))
    tails = ((run.draws <= low).astype(float), (run.draws <= high).astype(float))
    energy = run.energy
    return Diagnostics(
        r_hat=float(max(_r_hat(_halves(x)).max() for x in (normal, folded))),
        ess_bulk=float(_effective(normal).min()),
        ess_tail=float(min(_effective(tail).min() for tail in tails)),
        divergences=run.divergences,
        bfmi=float((np.diff(energy, axis=1) ** 2).mean() / energy.var(axis=1).mean()),
        chains=run.draws.shape[0],
        draws=run.draws.shape[1],
    )


def _halves(draws: Floats) -> Floats:
    """First and second halves of the chains, some of them joined to a longer one."""
    middle = draws.shape[1] // 2
    halves = np.concatenate([draws[:, :middle], draws[:, -middle:]])
    return halves.reshape(-1, TOGETHER * middle, draws.shape[2])


def _rank_normal(draws: Floats) -> Floats:
    flat = draws.reshape(-1, draws.shape[2])
    ranks = np.argsort(np.argsort(flat, axis=0), axis=0) + 1
    return np.asarray(ndtri((ranks - 0.375) / (len(flat) + 0.25))).reshape(draws.shape)


def _r_hat(chains: Floats) -> Floats:
    n = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean(axis=0)
    between = chains.mean(axis=1).var(axis=0, ddof=1)
    return np.sqrt((n - 1) / n + between / within)


def _effective(chains: Floats) -> Floats:
    total = chains.shape[0] * chains.shape[1]
    between = chains.mean(axis=1).var(axis=0, ddof=1)
    variance = chains.reshape(total, -1).var(axis=0)
    with np.errstate(divide="ignore"):
        return np.minimum(chains.shape[0] * variance / between, total)
