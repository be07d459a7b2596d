"""Posteriors of log-strengths: what Bradley-Terry and Plackett-Luce share.

Both are chains of choices: out of a set of models one comes first, each with a probability in proportion to its
strength exp(theta). Their log likelihood is sum_i wins_i theta_i - sum_s weight_s log(sum of exp(theta) over set s).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayescmp.bayes.hdi import DEFAULT_MASS, hdi
from bayescmp.bayes.nuts import share_mcse
from bayescmp.bayes.ranking import hmc
from bayescmp.bayes.ranking.abilities import MANY_CHAINS, AbilityInference, Block, SampledAbilities
from bayescmp.bayes.ranking.result import RankingPosterior
from bayescmp.bayes.regions import independent_mcse
from bayescmp.checks import check_count, check_mass, check_number
from bayescmp.errors import ConvergenceWarning, RopeError, warn
from bayescmp.rope import RopeLike

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
DRAWS = 20_000
LEAST_DRAWS = 4000
LEAST_PRIOR = 1e-3
"""Below, all prior mass is at strengths that no double can hold."""
PRODUCTS_AT_A_TIME = 2**17
WIN_ROPE = 0.05
"""P(win) between 0.45 and 0.55 makes no practical difference (Wainer 2023)."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class StrengthPosterior(RankingPosterior):
    """The joint posterior of log-strengths; P(a beats b on the next dataset) = 1 / (1 + exp(theta_b - theta_a)).

    `p_among_best` and `p_equivalent` are about that probability: within `win_rope` of one half.

    See Also
    --------
    bradley_terry, plackett_luce : make one.

    Examples
    --------
    >>> import bayescmp as bc
    >>> s = bc.bayes.plackett_luce(bc.load_domains(), random_seed=1)
    >>> s.p_win("C", "A") + s.p_win("A", "C")
    1.0
    """

    win_rope: float = WIN_ROPE

    @property
    def p_win_matrix(self) -> Floats:
        """The posterior mean of P(the row's model beats the column's on the next dataset)."""
        if "p_win" not in self._memo:
            k = len(self.models)
            result = np.full((k, k), 0.5)
            theta = self.draws()
            for i, j in combinations(range(k), 2):
                result[i, j] = _p_win(theta, i, j).mean()
                result[j, i] = 1 - result[i, j]
            self._memo["p_win"] = result
        matrix: Floats = self._memo["p_win"]
        return matrix.copy()

    def p_win(self, a: str, b: str) -> float:
        """The posterior mean of P(`a` beats `b` on the next dataset)."""
        return float(self.p_win_matrix[self._index(a), self._index(b)])

    @property
    def worth(self) -> dict[str, float]:
        """The posterior mean of exp(theta) / sum of exp(theta): the chance to be first of all on the next dataset."""
        if "worth" not in self._memo:
            theta = self.draws()
            shares = np.exp(theta - theta.max(axis=1, keepdims=True))
            self._memo["worth"] = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
        return self._named(self._memo["worth"])

    def pairs_frame(self, mass: float = DEFAULT_MASS) -> "pd.DataFrame":
        """One row a pair, the stronger model first; HDIs hold `mass`.

        `p_win` is the posterior mean of P(a beats b on the next dataset), with its HDI. `p_better` is
        P(P(win) > 1/2): a is the better one, be it by little. `p_equivalent` is P(P(win) within the win rope), and
        `p_practically_better` is P(P(win) above the win rope): a is better by more than makes no difference.
        """
        import pandas as pd

        check_mass(mass)
        theta = self.draws()
        order = np.argsort(-theta.mean(axis=0), kind="stable")
        rows = [self._pair_row(theta, int(i), int(j), mass) for i, j in combinations(order, 2)]
        return pd.DataFrame(rows)

    def _pair_row(self, theta: Floats, i: int, j: int, mass: float) -> dict[str, Any]:
        p = _p_win(theta, i, j)
        regions = np.stack([p > 0.5, np.abs(p - 0.5) <= self.win_rope, p > 0.5 + self.win_rope])
        low, high = hdi(p, mass)
        counts = {}
        if "wins" in self.settings:
            wins, tied = self.settings["wins"], self.settings["tied"]
            counts = {"wins": wins[i][j], "losses": wins[j][i], "ties": tied[i][j]}
        better, equivalent, practically = regions.mean(axis=1).tolist()
        return {
            "a": self.models[i],
            "b": self.models[j],
            **counts,
            "p_win": float(p.mean()),
            "win_low": low,
            "win_high": high,
            "p_better": better,
            "p_equivalent": equivalent,
            "p_practically_better": practically,
            "mcse": max(self._share_mcse(hits) for hits in regions),
        }

    def _share_mcse(self, hits: NDArray[np.bool_]) -> float:
        chains = hits.reshape(sum(1 for _ in self.inference.blocks()), -1)
        if len(chains) < MANY_CHAINS:
            return share_mcse(chains)
        spread = float(np.std(chains.mean(axis=1), ddof=1) / np.sqrt(len(chains)))
        return max(spread, float(independent_mcse(hits.mean(), hits.size)))

    def with_win_rope(self, half_width: float) -> "StrengthPosterior":
        """The same posterior where P(win) within `half_width` of one half makes no difference."""
        return replace(self, win_rope=check_win_rope(half_width))

    def with_rope(self, rope: RopeLike) -> "RankingPosterior":
        why = (
            "The rope decided which differences counted as wins, so that another one needs another run: call "
            "bradley_terry again with rope=."
            if "wins" in self.settings
            else "Rankings know no size of differences, and so no rope."
        )
        raise RopeError(f"{why} The region of equivalent P(win) can be changed: with_win_rope(0.1).")

    @property
    def _allowed_gap(self) -> float:
        return float(np.log(0.5 + self.win_rope) - np.log(0.5 - self.win_rope))

    def _columns(self) -> dict[str, Any]:
        columns = super()._columns()
        error = columns.pop("mcse")
        return columns | {"strength": list(self.mean.values()), "worth": list(self.worth.values()), "mcse": error}


def _p_win(theta: Floats, i: int, j: int) -> Floats:
    return 1 / (1 + np.exp(theta[:, j] - theta[:, i]))


def check_win_rope(half_width: float) -> float:
    """Half the width of the region of P(win) around one half."""
    if not 0 <= check_number("win_rope", half_width) < 0.5:
        raise RopeError(
            f"`win_rope` must be half the width of a region of P(win) around 0.5, from 0 to below 0.5, got "
            f"{half_width}. For P(win) from 0.45 to 0.55 use 0.05."
        )
    return float(half_width)


def check_prior(prior: float, most: float) -> float:
    """A positive number of a sensible size."""
    if not LEAST_PRIOR <= check_number("prior", prior) <= most:
        raise ValueError(f"`prior` must be from {LEAST_PRIOR:g} to {most:g}, got {prior}.")
    return float(prior)


def check_draws(draws: int) -> int:
    """A whole number, large enough to judge the chains by."""
    return check_count("draws", draws, LEAST_DRAWS)


def sample_strengths(model: Any, draws: int, random_seed: int, options: dict[str, Any]) -> dict[str, Any]:
    """NUTS draws of `log_strength`, and the other fields of a result; `draws` as PyMC has it, unless it was said."""
    from bayescmp import _compat
    from bayescmp.bayes.pymc_models import _run

    fields = _run(model, random_seed, options | ({} if draws == DRAWS else {"draws": draws}))
    chains = _compat.group(fields["inference_data"], "posterior")["log_strength"].values
    return fields | {"inference": SampledAbilities(chains)}


@dataclass(frozen=True, eq=False)
class StrengthInference(AbilityInference):
    """The posterior of theta given choices; drawn when asked for, from the seed.

    `wins` (models), `sets` (choices x models, 0 or 1) and `weights` (choices) make the likelihood. The prior is
    "gamma": exp(theta) ~ Gamma(scale, 1), so that the worths are Dirichlet(scale, ..., scale); or "normal":
    theta ~ Normal(0, sigma) with log sigma ~ Normal(0, scale), sigma summed out on a grid.
    """

    independent: ClassVar[bool] = False
    wins: Floats
    sets: Floats
    weights: Floats
    prior: str
    prior_scale: float
    n_draws: int
    random_seed: int

    def __post_init__(self) -> None:
        for name in ("wins", "sets", "weights"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))

    @cached_property
    def run(self) -> hmc.Run:
        """The draws of theta."""
        mode, covariance = self._laplace()
        return hmc.sample(self.log_density, mode, covariance, draws=self.n_draws, random_seed=self.random_seed)

    def fields(self) -> dict[str, Any]:
        """Draw, warn where the draws cannot be trusted, and give what a result records about it."""
        diagnostics = hmc.diagnose(self.run)
        if diagnostics.problems:
            warn(
                f"The draws cannot be trusted: {'; '.join(diagnostics.problems)}. Draw more (draws=), or use "
                'engine="nuts".',
                ConvergenceWarning,
            )
        return {"inference": self, "random_seed": self.random_seed, "diagnostics": diagnostics}

    def blocks(self) -> Iterator[Block]:
        """Chain by chain, theta less its mean over the models: only differences have a meaning."""
        return (Block(chain - chain.mean(axis=1, keepdims=True)) for chain in self.run.draws)

    def log_density(self, theta: Floats, with_value: bool = True) -> tuple[Floats, Floats]:
        """Log posterior but for a constant (meaningless unless `with_value`), and its gradient."""
        strength = np.exp(theta)
        value, slope = theta @ self.wins, np.zeros(theta.shape)
        for sets, weights in self._parts:
            totals = strength @ sets.T
            slope += (weights / totals) @ sets
            if with_value:
                value -= np.log(totals) @ weights
        gradient = self.wins - strength * slope
        if self.prior == "gamma":
            value = value + self.prior_scale * theta.sum(axis=1) - strength.sum(axis=1)
            return value, gradient + self.prior_scale - strength
        log_prior, precision = self._normal_prior((theta**2).sum(axis=1))
        return value + log_prior, gradient - precision[:, None] * theta

    @cached_property
    def _parts(self) -> list[tuple[Floats, Floats]]:
        """Sets and weights in pieces whose products are too small for threads, which cost more than they give here."""
        rows = max(1, PRODUCTS_AT_A_TIME // (hmc.CHAINS * self.wins.size))
        starts = range(0, len(self.weights), rows)
        return [(self.sets[i : i + rows], self.weights[i : i + rows]) for i in starts]

    def _normal_prior(self, squares: Floats) -> tuple[Floats, Floats]:
        """The log prior of theta with this sum of squares, and E[1 / sigma^2] given it."""
        constant, precision = self._grid
        terms = constant - squares[:, None] / 2 * precision
        top = terms.max(axis=1, keepdims=True)
        weights = np.exp(terms - top)
        total = weights.sum(axis=1)
        return top[:, 0] + np.log(total), weights @ precision / total

    @cached_property
    def _grid(self) -> tuple[Floats, Floats]:
        # half the width of log sigma's conditional posterior: there the sum is as good as the integral
        reach, step = 8 * self.prior_scale, 0.5 / np.sqrt(1 / self.prior_scale**2 + 2 * self.wins.size)
        log_sigma = np.linspace(-reach, reach, int(2 * reach / step) + 2)
        constant = -self.wins.size * log_sigma - log_sigma**2 / (2 * self.prior_scale**2)
        return constant, np.exp(-2 * log_sigma)

    def _laplace(self) -> tuple[Floats, Floats]:
        """Mode and inverse curvature, with sigma = 1 for the normal prior: there the posterior is log-concave."""
        theta = np.zeros(self.wins.size)
        for _ in range(100):
            gradient, curvature = self._newton(theta)
            move = np.linalg.solve(curvature, gradient)
            theta = theta + move / max(1.0, float(np.abs(move).max()))
            if np.abs(move).max() < 1e-8:
                break
        return theta, np.asarray(np.linalg.inv(self._newton(theta)[1]), dtype=float)

    def _newton(self, theta: Floats) -> tuple[Floats, Floats]:
        strength = np.exp(theta)
        shares = self.sets * strength
        shares /= shares.sum(axis=1, keepdims=True)
        expected = self.weights @ shares
        curvature = np.diag(expected) - (shares * self.weights[:, None]).T @ shares
        gamma = self.prior == "gamma"
        prior = self.prior_scale - strength if gamma else -theta
        return self.wins - expected + prior, curvature + np.diag(strength if gamma else np.ones(theta.size))
