"""Posteriors of log-strengths: what Bradley-Terry and Plackett-Luce share.

Both are chains of choices: out of a set of models one comes first, each with a probability in proportion to its
strength exp(theta). Their log likelihood is sum_i wins_i theta_i - sum_s weight_s log(sum of exp(theta) over set s).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.bayes.hdi import DEFAULT_MASS, hdi
from bayescmp.bayes.nuts import check_engine, share_mcse
from bayescmp.bayes.pymc_models import sample
from bayescmp.bayes.ranking import importance
from bayescmp.bayes.ranking.importance import Peak, WeightDiagnostics
from bayescmp.bayes.ranking.result import AbilityInference, Block, RankingPosterior, SampledAbilities
from bayescmp.bayes.regions import independent_mcse
from bayescmp.checks import check_count, check_mass, check_number, checked_seed
from bayescmp.errors import ConvergenceWarning, RopeError, warn
from bayescmp.rope import RopeLike

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
DRAWS = 20_000
LEAST_DRAWS = 4000
"""Enough to judge the weights by."""
LEAST_PRIOR = 1e-3
"""Below, all prior mass is at strengths that no double can hold."""
TOTALS_AT_A_TIME = 2**20
LEAST_TOTAL = 1e-290
"""Sums of strengths below, or infinite ones, are summed on the log scale."""
GRID_REACH = 6
"""Prior standard deviations of log sigma, either way."""
LARGEST_LOG_SIGMA = 10.0
"""Larger strengths make every win certain."""
NEGLIGIBLE = 32.0
"""exp(-32) is 1e-14."""
MOST_STEPS = 200
WIN_ROPE = 0.05
"""P(win) between 0.45 and 0.55 makes no practical difference (Wainer 2023)."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class StrengthPosterior(RankingPosterior):
    """The joint posterior of log-strengths; P(a beats b on the next dataset) = 1 / (1 + exp(theta_b - theta_a)).

    `p_within_rope` and `p_equivalent` are about that probability: within `win_rope` of one half.

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

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "win_rope", check_win_rope(self.win_rope))

    @property
    def p_win_matrix(self) -> Floats:
        """The posterior mean of P(the row's model beats the column's on the next dataset)."""
        return self._numbers("p_win", self._mean_p_win)

    def _mean_p_win(self) -> Floats:
        theta, k = self.draws(), len(self.models)
        result = np.full((k, k), 0.5)
        for i, j in combinations(range(k), 2):
            result[i, j] = _p_win(theta, i, j).mean()
            result[j, i] = 1 - result[i, j]
        return result

    def p_win(self, a: str, b: str) -> float:
        """The posterior mean of P(`a` beats `b` on the next dataset)."""
        return float(self.p_win_matrix[self._index(a), self._index(b)])

    @property
    def worth(self) -> dict[str, float]:
        """The posterior mean of exp(theta) / sum of exp(theta): the chance of coming first on the next dataset."""
        return self._named(self._numbers("worth", self._mean_worth))

    def _mean_worth(self) -> Floats:
        theta = self.draws()
        shares = np.exp(theta - theta.max(axis=1, keepdims=True))
        return np.asarray((shares / shares.sum(axis=1, keepdims=True)).mean(axis=0))

    def pairs_frame(self, mass: float = DEFAULT_MASS) -> "pd.DataFrame":
        """One row per pair, the stronger model first; HDIs hold `mass`.

        `p_win` is the posterior mean of P(a beats b on the next dataset), with its HDI. `p_better` is
        P(P(win) > 1/2): a is the better one, be it by little. `p_equivalent` is P(P(win) within the win rope), and
        `p_practically_better` is P(P(win) above the win rope): a is better by more than makes no difference.
        """
        from bayescmp.needs import pandas as pd

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
        if self.inference.independent:
            return float(independent_mcse(hits.mean(), hits.size))
        return share_mcse(hits.reshape(sum(1 for _ in self.inference.blocks()), -1))

    def with_win_rope(self, half_width: float) -> "StrengthPosterior":
        """The same posterior where P(win) within `half_width` of one half makes no difference."""
        return replace(self, win_rope=half_width)

    def with_rope(self, rope: RopeLike) -> "RankingPosterior":
        why = (
            "The rope decided which differences counted as wins, so that another one needs another run: call "
            "bradley_terry again with rope=."
            if "wins" in self.settings
            else "Rankings have no size of differences, and so no rope."
        )
        raise RopeError(f"{why} The region of equivalent P(win) can be changed with with_win_rope(0.1).")

    @property
    def quantity(self) -> str:
        """What makes a model the best one, in a word."""
        return "strength"

    @property
    def beyond_the_rope(self) -> str:
        """How often a model that is practically better wins, in words."""
        return f" with a chance of winning above {0.5 + self.win_rope:g}" if self.win_rope else ""

    @property
    def _allowed_gap(self) -> float:
        return float(np.log(0.5 + self.win_rope) - np.log(0.5 - self.win_rope))

    def rows(self) -> list[dict[str, Any]]:
        mean, worth = self.mean, self.worth
        return [
            {name: x for name, x in row.items() if name != "mcse"}
            | {"strength": mean[row["model"]], "worth": worth[row["model"]], "mcse": row["mcse"]}
            for row in super().rows()
        ]


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


def infer(
    inference: "Callable[[int, int], StrengthInference]",
    model: Callable[[], Any],
    *,
    win_rope: float,
    engine: str,
    draws: int,
    random_seed: int | None,
    nuts_options: dict[str, Any],
) -> dict[str, Any]:
    """The inference of either engine, and the other fields of a result; NUTS has PyMC's own `draws` if not given."""
    check_engine(engine, "draws", nuts_options)
    seed = checked_seed(random_seed)
    shared = {"engine": engine, "win_rope": check_win_rope(win_rope)}
    if engine != "nuts":
        return shared | inference(check_count("draws", draws, LEAST_DRAWS), seed).fields()
    from bayescmp import _compat

    fields = sample(model(), seed, nuts_options | ({} if draws == DRAWS else {"draws": draws}))
    chains = _compat.group(fields["inference_data"], "posterior")["log_strength"].values
    return shared | fields | {"inference": SampledAbilities(chains)}


@dataclass(frozen=True, eq=False)
class StrengthInference(AbilityInference):
    """The posterior of theta given orders of models; drawn when asked for, from the seed.

    `orders` (orders x places) has the places of the models, the best first, each order with a weight; a win is an order
    of two. The prior is "gamma": exp(theta) ~ Gamma(scale, 1), so that the worths are Dirichlet(scale, ..., scale); or
    "normal": theta ~ Normal(0, sigma) with log sigma ~ Normal(0, scale), sigma summed out on a grid.
    """

    n_models: int
    orders: NDArray[np.int_]
    order_weights: Floats
    prior: str
    prior_scale: float
    n_draws: int
    random_seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "orders", np.asarray(self.orders, dtype=int))
        object.__setattr__(self, "order_weights", np.asarray(self.order_weights, dtype=float))

    @cached_property
    def wins(self) -> Floats:
        """How often each model was chosen."""
        chosen = self.orders[:, :-1]
        weights = np.repeat(self.order_weights, chosen.shape[1])
        return np.asarray(np.bincount(chosen.ravel(), weights, self.n_models), dtype=float)

    @cached_property
    def choices(self) -> tuple[Floats, Floats]:
        """The sets that were chosen from (sets x models, 0 or 1), and how often each was."""
        n, places = self.orders.shape
        sets = np.zeros((places - 1, n, self.n_models), dtype=np.int8)
        for place in range(places - 1):
            np.put_along_axis(sets[place], self.orders[:, place:], 1, axis=1)
        unique, inverse = np.unique(sets.reshape(-1, self.n_models), axis=0, return_inverse=True)
        counts = np.bincount(inverse.ravel(), np.tile(self.order_weights, places - 1))
        return unique.astype(float), np.asarray(counts, dtype=float)

    @cached_property
    def sampled(self) -> tuple[Floats, WeightDiagnostics]:
        """Independent draws of theta, draws x models, and how they were made."""
        return importance.sample(self.peaks(), draws=self.n_draws, random_seed=self.random_seed)

    def fields(self) -> dict[str, Any]:
        """Draw, warn where the draws cannot be trusted, and return what a result records about it."""
        diagnostics = self.sampled[1]
        if diagnostics.problems:
            warn(
                f'The draws cannot be trusted: {"; ".join(diagnostics.problems)}. Use engine="nuts".',
                ConvergenceWarning,
            )
        return {"inference": self, "random_seed": self.random_seed, "diagnostics": diagnostics}

    def blocks(self) -> Iterator[Block]:
        """All draws of theta, less its mean over the models: only differences have a meaning."""
        theta = self.sampled[0]
        yield Block(theta - theta.mean(axis=1, keepdims=True))

    @np.errstate(over="ignore", divide="ignore", invalid="ignore")
    def log_likelihood(self, theta: Floats) -> Floats:
        """The log likelihood of each row of theta."""
        strength, value = np.exp(theta), theta @ self.wins
        rows = max(1, TOTALS_AT_A_TIME // len(theta))
        all_sets, weights = self.choices
        for start in range(0, len(weights), rows):
            sets = all_sets[start : start + rows]
            totals = strength @ sets.T
            logs = np.log(totals)
            lost = np.nonzero(~((totals > LEAST_TOTAL) & (totals < np.inf)))
            if lost[0].size:
                logs[lost] = np.logaddexp.reduce(np.where(sets[lost[1]] > 0, theta[lost[0]], -np.inf), axis=1)
            value -= logs @ weights[start : start + rows]
        return value

    def peaks(self) -> Iterator[Peak]:
        """The mode of theta: one, or one for each sigma of a grid, as long as these matter."""
        if self.prior == "gamma":
            yield self._peak(np.zeros(self.n_models))
            return
        # less than the width of log sigma's conditional posterior: there the sum is as good as the integral
        step = 0.8 / np.sqrt(1 / self.prior_scale**2 + 2 * self.n_models)
        reach, most = GRID_REACH * self.prior_scale, -np.inf
        for grid in (np.arange(0, min(reach, LARGEST_LOG_SIGMA), step), np.arange(-step, -reach, -step)):
            mode = np.zeros(self.n_models)
            for log_sigma in grid.tolist():
                peak = self._peak(mode, log_sigma)
                yield peak
                mode, mass = peak.mode, peak.log_mass
                most = max(most, mass)
                if mass < most - NEGLIGIBLE:
                    break

    def _peak(self, start: Floats, log_sigma: float | None = None) -> Peak:
        """Newton's way to the mode, in steps of at most 1."""
        theta = start
        for _ in range(MOST_STEPS):
            gradient, curvature, shares = self._derivatives(theta, log_sigma)
            move = np.linalg.solve(curvature, gradient)
            size = float(np.abs(move).max())
            if size < 1e-8:
                break
            theta = theta + move / max(1.0, size)

        def log_density(x: Floats) -> Floats:
            return self.log_likelihood(x) + self._log_prior(x, log_sigma)

        def thirds(axes: Floats) -> Floats:
            # the third derivative of a log-sum-exp is the third central moment under the shares
            mean, square, cube = shares @ axes, shares @ axes**2, shares @ axes**3
            found = -self.choices[1] @ (cube - 3 * mean * square + 2 * mean**3)
            return found if log_sigma is not None else found - np.exp(theta) @ axes**3

        return Peak(log_density, theta, curvature, thirds)

    def _log_prior(self, theta: Floats, log_sigma: float | None) -> Floats:
        if log_sigma is None:
            return self.prior_scale * theta.sum(axis=1) - np.exp(theta).sum(axis=1)
        # the sum of theta is independent of all else: it has variance 1 here, whatever sigma is
        k, total = theta.shape[1], theta.sum(axis=1)
        squares = (theta**2).sum(axis=1) - total**2 / k
        own = (k - 1) * log_sigma + log_sigma**2 / (2 * self.prior_scale**2)
        return -squares * np.exp(-2 * log_sigma) / 2 - total**2 / (2 * k) - own

    def _derivatives(self, theta: Floats, log_sigma: float | None) -> tuple[Floats, Floats, Floats]:
        """Gradient and minus the second derivatives of the log posterior, and each model's share in each choice."""
        sets, weights = self.choices
        inside = np.where(sets > 0, theta, -np.inf)
        shares = np.exp(inside - inside.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        expected = weights @ shares
        curvature = np.diag(expected) - (shares * weights[:, None]).T @ shares
        if log_sigma is None:
            strength = np.exp(theta)
            return self.wins - expected + self.prior_scale - strength, curvature + np.diag(strength), shares
        precision = np.exp(-2 * log_sigma)
        of_prior = precision * np.eye(theta.size) + (1 - precision) / theta.size
        return self.wins - expected - of_prior @ theta, curvature + of_prior, shares
