"""The Bayesian signed-rank test: two models on many datasets, by the averages of two differences (Walsh averages).

Dirichlet-process posterior (Benavoli et al. 2014): weights w ~ Dirichlet(prior, 1, ..., 1) on a pseudo-observation and
the differences z, theta_better = sum of w_i w_j over z_i + z_j > 2 rope, borders half. Sorted once, the inner sum is a
prefix sum of the weights, so that a draw costs O(n) instead of O(n^2).

Random numbers are used more than once. The datasets on either side of the mean make two sides: the share T of the
weights on one of them is Beta, independent of the proportions within both, and every theta is quadratic in T. So the
proportions are drawn once for a group of draws, whose T are spread evenly over its distribution; and every uniform
number u comes back as 1 - u. All numbers are numpy's. Many pairs share one stream, in a compiled loop where that pays.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec
from itertools import pairwise
from threading import Lock
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bayescmp import _compat, catalogue
from bayescmp.bayes.hdi import DEFAULT_MASS, hdi
from bayescmp.bayes.nuts import check_engine
from bayescmp.bayes.regions import (
    LARGEST,
    MOST_PRIOR,
    TIE,
    Estimate,
    RegionInference,
    RegionPosterior,
    RegionSummary,
    sample_regions,
    three_of,
    wins,
)
from bayescmp.checks import check_draws, check_number, checked_seed, is_list
from bayescmp.errors import ScoresError
from bayescmp.progress import progress_bar
from bayescmp.rope import BORDER_TOLERANCE, ROPE, Rope, RopeLike
from bayescmp.scores.inputs import check_units, in_ropes, many_datasets
from bayescmp.scores.pair import Pair
from bayescmp.sentences import few_datasets

Floats = NDArray[np.float64]
DRAWS = 50_000
MOST_DRAWS = 20_000_000
ELEMENTS_AT_A_TIME = 2**16
"""Weights in memory at once: part of the random stream's layout, so that results do not depend on the machine."""
LEAST_WORK = 3e8
"""Pairs x datasets x draws from which compiling the loop pays."""
GROUPS_AT_A_TIME = 256
MEANS_AT_A_TIME = 3_200_000
"""Mean differences in memory at once, of as many pairs."""
DATASETS_PER_DRAW, MOST_IN_GROUP = 4, 10
"""Draws that share their proportions: one for so many datasets, because with few of them T tells less of the answer.

More than 10 take less time, and are worth less than as many independent ones.
"""


def signed_rank_test(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    rope: RopeLike | Mapping[str, RopeLike] = ROPE,
    prior: float = 0.5,
    prior_at: float = 0.0,
    higher_is_better: bool | None = None,
    mixed_units: bool = False,
    draws: int = DRAWS,
    precision: float | None = None,
    random_seed: int | None = None,
    engine: str = "draws",
    **nuts_options: Any,
) -> RegionPosterior:
    """Posterior of the probabilities that A is better, equivalent or worse on average over two new datasets.

    Parameters
    ----------
    a : Pair, or array of A's scores, one per dataset
    b : array of B's scores on the same datasets, where `a` is an array
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
        The differences that make no practical difference; 0 for none.
    prior, prior_at : float
        Strength and place of the pseudo-observation; at 0 it favours equivalence. Strength 0 leaves it out.
    higher_is_better : bool
        The direction of the scores, where arrays are given; True if not given.
    mixed_units : bool
        Average differences also where the typical sizes of unbounded scores show that datasets have different units.
    draws : int
        Number of Monte-Carlo draws, at least 1,000. They come in groups that share random numbers, and most often are
        worth 0.5 to 2 times as many independent ones; `mcse` says how good they are.
    precision : float, optional
        Draw until every probability's Monte-Carlo standard error is at most this, instead of `draws` times.
    random_seed : int, optional
        Drawn and recorded if not given. Weights belong to datasets by name: the order of the datasets does not matter.
    engine : "draws" or "nuts"
    **nuts_options
        `draws`, `tune`, `chains`, `cores`, `nuts_sampler`, `target_accept`, `progressbar`.

    Returns
    -------
    RegionPosterior
        `p_better` is the probability that "A better" is the most probable outcome, `expected` the exact posterior mean;
        `mean` and `hdi` are those of the mean difference under the same Dirichlet process.

    See Also
    --------
    sign_test : without the sizes of the differences.
    hierarchical_ttest : with the folds of every dataset.
    bayescmp.frequentist.wilcoxon_test : the classical sibling.

    References
    ----------
    Benavoli, Corani, Mangili, Zaffalon, Ruggeri (2014). A Bayesian Wilcoxon signed-rank test based on the Dirichlet
    process. ICML. Benavoli, Corani, Demsar, Zaffalon (2017). JMLR 18.

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.signed_rank_test(bc.load_uci().pair("rf", "svm"), rope=0.01, random_seed=1)
    >>> p.decision()
    <Decision.UNDECIDED: 'undecided'>
    """
    pair, region = in_ropes(many_datasets(a, b, test="signed_rank_test", higher_is_better=higher_is_better), rope)
    notes = check_units(pair, "signed_rank_test", mixed_units)
    check_engine(engine, "draws", nuts_options)
    seed = checked_seed(random_seed)
    inference = SignedRankInference(
        pair.means,
        pair.datasets,
        pair.rounding,
        check_number("prior", prior),
        check_number("prior_at", prior_at),
        DRAWS if engine == "nuts" else draws,
        seed,
    )
    fields: dict[str, Any] = {"inference": inference, "random_seed": seed}
    if engine == "nuts":
        options = nuts_options | ({} if draws == DRAWS else {"draws": draws})
        fields = sample_regions(
            _model(inference), lambda found: inference.theta(found["weights"], region), region, seed, options
        )
    elif precision is not None:
        fields["inference"] = inference.reaching(precision, region)
    return RegionPosterior(
        **pair.about(),
        rope=region,
        **catalogue.find("signed_rank_test", "bayes").words(),
        engine=engine,
        settings={"prior": prior, "prior_at": prior_at},
        notes=(*notes, *few_datasets("signed_rank_test", len(pair.datasets))),
        **fields,
    )


def signed_rank_tests(
    pairs: list[Pair],
    *,
    rope: RopeLike | Mapping[str, RopeLike] = ROPE,
    prior: float = 0.5,
    prior_at: float = 0.0,
    mixed_units: bool = False,
    draws: int = DRAWS,
    random_seed: int | None = None,
) -> list[RegionPosterior]:
    """The signed-rank test of many pairs at once, with the same weights for all pairs on the same datasets.

    Equal to `signed_rank_test` of each with the same seed, but the random numbers are drawn once.

    Parameters
    ----------
    pairs : list of Pair
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
    prior, prior_at, mixed_units, draws, random_seed
        As in `signed_rank_test`.

    See Also
    --------
    signed_rank_test : of one pair.

    Examples
    --------
    >>> import bayescmp as bc
    >>> pairs = list(bc.load_domains().pairs())
    >>> results = bc.bayes.signed_rank_tests(pairs, rope=1, draws=1000, random_seed=1)
    >>> [(p.a, p.b) for p in results]
    [('A', 'B'), ('A', 'C'), ('B', 'C')]
    """
    seed = checked_seed(random_seed)
    options: dict[str, Any] = {"rope": rope, "prior": prior, "prior_at": prior_at, "draws": draws, "random_seed": seed}
    if not is_list(pairs):
        raise ValueError(f"`pairs` must be a list of pairs, got {pairs!r}.")
    results = [signed_rank_test(pair, mixed_units=mixed_units, **options) for pair in pairs]
    return share_draws(results)


MOST_ON_BORDER = 3000
"""Datasets up to which all pairs are looked at for averages on the rope's border."""


@dataclass(frozen=True, eq=False)
class SignedRankInference(RegionInference):
    """The Dirichlet process on the differences; draws are made when they are asked for, from the seed."""

    differences: Floats
    names: tuple[str, ...]
    rounding: Floats
    prior: float
    prior_at: float
    n_draws: int
    random_seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "differences", np.asarray(self.differences, dtype=float))
        object.__setattr__(self, "rounding", np.asarray(self.rounding, dtype=float))
        object.__setattr__(self, "names", tuple(self.names))
        if self.differences.size and (largest := float(np.abs(self.differences).max())) > LARGEST:
            raise ScoresError(
                f"Differences must be at most {LARGEST:g}, got {largest:g}. Change the unit of the scores."
            )
        if self.rounding.shape != self.differences.shape:
            raise ValueError(
                f"`rounding` must have one number per difference, got {self.rounding.size} for {self.differences.size}."
            )
        if not 0 <= self.prior <= MOST_PRIOR:
            raise ValueError(f"`prior` must be a strength from 0 to {MOST_PRIOR:,.0f} datasets, got {self.prior}.")
        if not abs(self.prior_at) <= LARGEST:
            raise ValueError(f"`prior_at` must be a difference of at most {LARGEST:g}, got {self.prior_at}.")
        object.__setattr__(self, "n_draws", check_draws(self.n_draws))

    def on_border(self, rope: Rope) -> float:
        """The weight of the pairs whose average is on the border."""
        if rope.is_zero or self._z.size > MOST_ON_BORDER:
            return 0.0
        averages, error = (self._z[:, None] + self._z) / 2, float(self._errors.max())
        near = (np.abs(averages - rope.low) <= error) | (np.abs(averages - rope.high) <= error)
        weight = self._alpha / self._alpha.sum()
        return float(weight @ near @ weight)

    @cached_property
    def _by_name(self) -> NDArray[np.intp]:
        return np.argsort(np.array(self.names, dtype=object), kind="stable")

    @cached_property
    def _z(self) -> Floats:
        """Differences in the order of their datasets' names, the pseudo-observation last."""
        z = self.differences[self._by_name]
        return np.append(z, self.prior_at) if self.prior else z

    @cached_property
    def _errors(self) -> Floats:
        """The rounding error that each of `_z` may carry; the pseudo-observation has none."""
        errors = self.rounding[self._by_name]
        return np.append(errors, 0.0) if self.prior else errors

    @cached_property
    def _alpha(self) -> Floats:
        return np.append(np.ones(self.differences.size), self.prior) if self.prior else np.ones(self.differences.size)

    @cached_property
    def _first(self) -> NDArray[np.bool_]:
        """Which of `_z` are on the first dataset's side of the mean: the same sides for A over B and B over A."""
        side = np.sign(self._z - self.mean)
        beside = side[side != 0]
        return (side == 0) | (side == (beside[0] if beside.size else 0))

    @cached_property
    def _quantiles(self) -> Floats:
        """Of the share T of the weights on the first side."""
        return _beta_quantiles(float(self._alpha[self._first].sum()), float(self._alpha[~self._first].sum()))

    def _blocks(self, n_draws: int | None = None, other: int | None = None) -> Iterator["_Block"]:
        """Weights and quantiles of T for all draws, block by block; every block has its own random stream.

        All blocks have their weights in the same memory, one after the other.
        """
        n, left = self.differences.size, self.n_draws if n_draws is None else n_draws
        group = int(np.clip(n // DATASETS_PER_DRAW, 1, MOST_IN_GROUP))
        half = int(np.clip(ELEMENTS_AT_A_TIME // n, 16, 512)) // 2
        seed = (self.random_seed,) if other is None else (self.random_seed, other)
        uniform, weights = np.empty((n, half)), np.empty((self._z.size, 2, half))
        for block in range(-(-left // (2 * half * group))):
            rng = np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence((*seed, block))))
            np.maximum(rng.random(out=uniform), 2.0**-53, out=weights[:n, 0])
            np.subtract(1.0, weights[:n, 0], out=weights[:n, 1])
            np.log(weights[:n], out=weights[:n])
            np.negative(weights[:n], out=weights[:n])
            if self.prior:
                weights[n] = rng.standard_gamma(self.prior, (2, half))
            places = rng.random(2 * half) + np.arange(group)[:, None] / group
            places -= np.floor(places)  # as % 1, in a tenth of its time
            draws = min(2 * half * group, left - 2 * half * group * block)
            yield _Block(weights.reshape(-1, 2 * half), *_places(places), draws)

    def _plan(self, ropes: list[Rope], room: "_Room | None" = None) -> "_Walsh":
        return _Walsh(self._z, ropes, self._errors, self._first, room)

    def theta(self, weights: Floats, rope: Rope) -> Floats:
        """theta for given weights (draws x observations, in the order of the names, pseudo-observation last)."""
        flat = np.asarray(weights, dtype=float).reshape(-1, self._z.size)
        theta = self._plan([rope]).theta(np.ascontiguousarray(flat.T))[0]
        return theta.T.reshape(*np.shape(weights)[:-1], 3)

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        plan, won = self._plan(ropes), _Wins()
        with progress_bar(self.n_draws, 0, "signed-rank test, draws", None) as advance:
            for block in self._blocks():
                won.add(plan.totals(block, self._quantiles), block)
                advance(block.draws)
        return self._summaries(plan, ropes, *won.shares())

    def _summaries(self, plan: "_Walsh", ropes: list[Rope], shares: Floats, errors: Floats) -> list[RegionSummary]:
        expected = self._expected(plan, ropes)
        return [
            RegionSummary(rope, three_of(p), three_of(error * [1, not rope.is_zero, 1]), three_of(mean))
            for rope, p, error, mean in zip(ropes, shares, errors, expected, strict=True)
        ]

    def _expected(self, plan: "_Walsh", ropes: list[Rope]) -> Floats:
        """E[theta], exact: E[w_i w_j] = a_i a_j / (A (A + 1)), and E[w_i^2] = a_i (a_i + 1) / (A (A + 1))."""
        alpha, total = self._alpha, self._alpha.sum()
        product = plan.products(alpha)
        own = np.empty((len(ropes), 3))
        for k, rope in enumerate(ropes):
            region = rope.regions(self._z, self._errors)
            for outcome, r, x in ((0, 1, rope.high), (2, -1, rope.low)):
                border = np.abs(self._z - x) <= _border_tolerance(x) + self._errors
                own[k, outcome] = alpha @ np.where(border, 0.5, region == r)
            own[k, 1] = total - own[k, 0] - own[k, 2]
        return (product + own) / (total * (total + 1))

    def thetas(self, n: int, rope: Rope, random_seed: int | None) -> Floats:
        plan = self._plan([rope])
        blocks = self._blocks(n, random_seed)
        found = (plan.theta(b.weights, b.shares(self._quantiles))[0].reshape(3, -1)[:, : b.draws].T for b in blocks)
        return np.concatenate([np.empty((0, 3)), *found])

    def theta_hdi(self, rope: Rope, mass: float = DEFAULT_MASS) -> list[tuple[float, float]]:
        return [hdi(x, mass) for x in self.thetas(self.n_draws, rope, None).T]

    @property
    def mean(self) -> float:
        return float(self._alpha @ self._z / self._alpha.sum())

    @cached_property
    def _means(self) -> Floats:
        return np.concatenate([self._block_means(block) for block in self._blocks()])

    def _block_means(self, block: "_Block") -> Floats:
        """The mean difference under each draw: between the means of the two sides."""
        means = []
        for side in (self._first, ~self._first):
            weights = block.weights[side]
            means.append(self._z[side] @ weights / weights.sum(axis=0) if side.any() else 0.0)
        found = means[1] + block.shares(self._quantiles) * (means[0] - means[1])
        return found.ravel()[: block.draws]

    def _estimate_of(self, means: Floats) -> Estimate:
        """The estimate from the mean differences under all draws."""
        return Estimate(self.mean, *hdi(means), float(np.maximum(means, 0.0).sum()) / means.size)

    def mean_distribution(self) -> tuple[Floats, Floats]:
        """Values of the mean difference and their weights: the draws."""
        return self._means, np.full(self.n_draws, 1 / self.n_draws)

    def hdi(self, mass: float) -> tuple[float, float]:
        return hdi(self._means, mass)

    def reaching(self, precision: float, rope: Rope) -> "SignedRankInference":
        """The same inference with as many draws as the precision needs."""
        if not 0 < check_number("precision", precision) < 0.5:
            raise ValueError(f"`precision` must be a standard error between 0 and 0.5, got {precision}.")
        trial = replace(self, n_draws=min(self.n_draws, 10_000))
        while True:
            error = max(trial.summaries([rope])[0].mcse)
            if error <= precision:
                return trial
            ratio = error / precision
            needed = 1.1 * trial.n_draws * ratio * ratio
            if trial.n_draws >= MOST_DRAWS or needed > 4 * MOST_DRAWS:
                raise ValueError(f"`precision` of {precision} needs more than {MOST_DRAWS:,} draws. Ask for less.")
            trial = replace(self, n_draws=min(int(needed) + 1, MOST_DRAWS))

    def swap(self) -> "SignedRankInference":
        return replace(self, differences=0.0 - self.differences, prior_at=0.0 - self.prior_at)

    def other_priors(self) -> Iterator[tuple[str, "SignedRankInference"]]:
        far = float(np.abs(self.differences).max())
        for strength in (0.0, 0.5, 1.0, 2.0):
            for label, at in (("0", 0.0), (f"{far:.3g}", far), (f"{-far:.3g}", -far)) if strength else (("", 0.0),):
                if (strength, at) != (self.prior, self.prior_at):
                    where = f" at {label}" if strength else ""
                    yield f"strength {strength:g}{where}", replace(self, prior=strength, prior_at=at)


def _border_tolerance(border: float) -> float:
    return BORDER_TOLERANCE * abs(border) if np.isfinite(border) else 0.0


LOGITS = np.linspace(-40.0, 40.0, 2049)
"""Where the quantiles of T are tabulated, by log(q / (1 - q)): as smooth in the tails as in the middle."""


def _places(q: Floats) -> tuple[NDArray[np.intp], Floats]:
    """The cell of `LOGITS` that each probability is in, and how far in it."""
    with np.errstate(divide="ignore"):
        position = (np.log(q / (1 - q)) - LOGITS[0]) / (LOGITS[1] - LOGITS[0])
    np.clip(position, 0, LOGITS.size - 1.000001, out=position)
    cell = position.astype(np.intp)
    return cell, position - cell


@lru_cache(maxsize=1024)
def _beta_quantiles(a: float, b: float) -> Floats:
    """The quantiles of Beta(a, b) at `LOGITS`, to 1e-4 of its standard deviation.

    By its distribution function at equal steps of the arc sine of the root, in which its width depends on a + b only.
    """
    if not b:
        return np.ones(LOGITS.size)
    centre, reach = np.arcsin(np.sqrt(a / (a + b))), 6 / np.sqrt(a + b)
    x = np.sin(np.linspace(max(centre - reach, 0.0), min(centre + reach, np.pi / 2), 2049)) ** 2
    with np.errstate(divide="ignore"):
        below, above = np.log(special.betainc(a, b, x)), np.log(special.betainc(b, a, 1 - x))
    return np.interp(LOGITS, below - above, x)


class _Block(NamedTuple):
    """Some groups of draws, each twice: the second half has 1 - u for u.

    `weights` is observations x groups, `cell` and `part` the quantiles of T, draws of a group x groups. `draws` of them
    count: all but in the last block.
    """

    weights: Floats
    cell: NDArray[np.intp]
    part: Floats
    draws: int

    def shares(self, quantiles: Floats) -> Floats:
        """T of every draw."""
        low = quantiles[self.cell]
        return low + self.part * (quantiles[self.cell + 1] - low)

    @property
    def sizes(self) -> NDArray[np.int_]:
        """How many draws of each group count."""
        groups = self.cell.shape[1]
        return self.draws // groups + (np.arange(groups) < self.draws % groups)


class _Wins:
    """How often each region wins, summed over the groups of draws of all blocks.

    A group and its mirror image (1 - u for u) count as one.
    """

    def __init__(self) -> None:
        self.draws = self.groups = 0
        self.wins = self.squares = self.by_size = np.zeros(())
        self.sizes = 0.0

    def add(self, totals: Floats, block: "_Block") -> None:
        """The wins of a block, ... x 3 x groups."""
        half = totals.shape[-1] // 2
        both, sizes = (x[..., :half] + x[..., half:] for x in (totals, block.sizes))
        self.draws, self.groups = self.draws + int(sizes.sum()), self.groups + int((sizes > 0).sum())
        self.wins = self.wins + both.sum(axis=-1)
        self.squares = self.squares + np.einsum("...i,...i", both, both)
        self.by_size = self.by_size + both @ sizes
        self.sizes += float(sizes @ sizes)

    def shares(self) -> tuple[Floats, Floats]:
        """The shares of the draws that each region wins, and their standard errors, from the spread of the groups.

        An error is never 0, also where all draws hit, or none.
        """
        shares = self.wins / self.draws
        spread = self.squares - shares * (2 * self.by_size - shares * self.sizes)  # of wins - share * size
        spread = np.maximum(spread, 0.0) * self.groups / max(self.groups - 1, 1)
        return shares, np.sqrt(spread + 0.5) / self.draws


class _Walsh:
    """For one vector of observations and some ropes: where each observation's partners cross the borders.

    A sum z_i + z_j carries the rounding errors of both: it is below a border where z_j + error_j is below what z_i +
    error_i leaves of it, which is a search among the sorted upper ends; above it likewise with the lower ends. These
    partners are the first ones of their side in the order of z, with prefix sums that all borders share, unless errors
    are as large as the differences: then upper and lower ends have orders of their own.

    Several of them may work in one `room`, one after the other.
    """

    def __init__(
        self, z: Floats, ropes: list[Rope], errors: Floats, first: NDArray[np.bool_], room: "_Room | None" = None
    ) -> None:
        self.order = np.lexsort((z, ~first))
        self.first = int(first.sum())
        self.upper, self.lower = ((z + sign * errors)[self.order] for sign in (1, -1))
        self.one_order = True
        self._room = _Room() if room is None else room
        self.borders = [
            None if rope.is_zero and border == "low" else self._partners(getattr(rope, border))
            for rope in ropes
            for border in ("high", "low")
        ]

    def _partners(self, border: float) -> list[NDArray[np.intp]]:
        """For each i the number of j with z_i + z_j below the border, and below or on it, as rows of `prefix_sums`.

        First the partners of each i on its own side, then those that the second side has on the first.
        """
        tolerance = 2 * _border_tolerance(border)
        result = []
        sides: tuple[tuple[Floats, float, Literal["left", "right"]], ...] = (
            (self.upper, -tolerance, "left"),
            (self.lower, tolerance, "right"),
        )
        for ends, slack, side in sides:
            room = 2 * border + slack - ends
            on_first, ordered = _count(ends[: self.first], room, side)
            on_second, also = _count(ends[self.first :], room[self.first :], side)
            self.one_order = self.one_order and ordered and also
            own = on_first[: self.first], on_second + self.first + 1
            result.append(np.concatenate([*own, on_first[self.first :]]))
        return result

    def prefix_sums(self, ordered: Floats) -> list[Floats]:
        """The sums of the first weights of either side in the order of the upper ends, and in that of the lower ends.

        From none to all of the first side, then from none to all of the second.
        """
        n, columns = ordered.shape
        upper, lower = (self._room(border, n + 2, columns) for border in ("upper", "lower"))
        if self.one_order:
            return [_prefix_sums(ordered, self.first, upper)]
        side = np.arange(n) >= self.first
        return [
            _prefix_sums(ordered[np.lexsort((ends, side))], self.first, sums)
            for ends, sums in ((self.upper, upper), (self.lower, lower))
        ]

    def partners(self) -> NDArray[np.intp]:
        """For each rope: below and not above its upper border, then its lower one (or the upper again)."""
        found = np.zeros((len(self.borders) // 2, 4, 2 * self.order.size), dtype=np.intp)
        for rows, high, low in zip(found, self.borders[::2], self.borders[1::2], strict=True):
            assert high is not None
            rows[:, : high[0].size] = [*high, *(high if low is None else low)]
        return found

    def theta(self, weights: Floats, shares: Floats | None = None) -> Floats:
        """theta, ropes x 3 x draws, for weights of observations x draws.

        `shares` gives the first side other shares of the weights, any number for each draw: ropes x 3 x these.
        """
        ordered = weights.take(self.order, axis=0, out=self._room("ordered", *weights.shape), mode="clip")
        prefixes = self.prefix_sums(ordered)
        one, two = prefixes[0][self.first], prefixes[0][-1]
        t = one / (one + two) if shares is None else shares
        two = two if self.first < len(ordered) else np.ones_like(two)
        result = np.empty((len(self.borders) // 2, 3, *t.shape))
        for k, (high, low) in enumerate(zip(self.borders[::2], self.borders[1::2], strict=True)):
            below_high = self._below(high, prefixes, ordered, one, two, t)
            np.subtract(1, below_high, out=result[k, 0])
            # with no rope the two sides share the ties, and nothing is left in between
            result[k, 2] = below_high if low is None else self._below(low, prefixes, ordered, one, two, t)
            np.subtract(below_high, result[k, 2], out=result[k, 1])
        return result

    def products(self, weights: Floats) -> Floats:
        """The sums of w_i w_j over the pairs in each region, ropes x 3, for one vector of weights."""
        ordered = weights[self.order]
        prefixes = [prefix[:, 0] for prefix in self.prefix_sums(ordered[:, None])]
        twice = np.concatenate([ordered, 2 * ordered[self.first :]])  # pairs of both sides come twice

        def below(partners: list[NDArray[np.intp]] | None) -> float:
            assert partners is not None
            return sum(float(prefixes[i % len(prefixes)][rows] @ twice) for i, rows in enumerate(partners)) / 2

        found, total = np.empty((len(self.borders) // 2, 3)), float(ordered.sum()) ** 2
        for three, high, low in zip(found, self.borders[::2], self.borders[1::2], strict=True):
            not_better = below(high)
            worse = not_better if low is None else below(low)
            three[:] = total - not_better, not_better - worse, worse
        return found

    def _below(
        self,
        partners: list[NDArray[np.intp]] | None,
        prefixes: list[Floats],
        ordered: Floats,
        one: Floats,
        two: Floats,
        t: Floats,
    ) -> Floats:
        """The sum of w_i w_j over pairs below a border, those on it by half, where the first side weighs t of 1."""
        assert partners is not None
        if len(prefixes) == 1 and np.array_equal(partners[0], partners[1]):
            partners = partners[:1]
        n, first = len(ordered), self.first
        sums = np.zeros((3, ordered.shape[1]))
        for i, rows in enumerate(partners):
            terms = self._room("terms", rows.size, ordered.shape[1])
            prefixes[i % len(prefixes)].take(rows, axis=0, out=terms, mode="clip")
            of_first, of_second = ordered[:first], ordered[first:]
            parts = (terms[:first], of_first), (terms[n:], of_second), (terms[first:n], of_second)
            for total, (part, own) in zip(sums, parts, strict=True):
                total += np.einsum("ij,ij->j", part, own)
        sums /= len(partners)
        a, b, c = sums[0] / one / one, sums[1] / one / two, sums[2] / two / two
        found = (a - 2 * b + c) * t
        found += 2 * (b - c)
        found *= t
        found += c
        # all pairs together weigh 1, but for the rounding of their sum
        return np.clip(found, 0.0, 1.0, out=found)

    def totals(self, block: "_Block", quantiles: Floats) -> Floats:
        """The wins of each group of draws, ropes x 3 x groups."""
        hits = wins(self.theta(block.weights, block.shares(quantiles)), axis=1)
        if block.draws < block.cell.size:
            hits *= np.arange(len(block.cell))[:, None] < block.sizes
        return hits.sum(axis=2)


WIDE, ROWS_IN_PART = 64, 16


class _Room:
    """Arrays by name, with whatever they were filled with before: one for each name, as large as was ever asked for.

    To get a large array from the system takes as long as to compute with it.
    """

    def __init__(self) -> None:
        self._memory: dict[str, Floats] = {}

    def __call__(self, name: str, rows: int, columns: int) -> Floats:
        if name not in self._memory or self._memory[name].size < rows * columns:
            self._memory[name] = np.empty(rows * columns)
        return self._memory[name][: rows * columns].reshape(rows, columns)


def _prefix_sums(ordered: Floats, first: int, prefix: Floats) -> Floats:
    """Sums of the first 0, 1, ... rows of those before `first`, and of the others."""
    for rows, sums in ((ordered[:first], prefix[: first + 1]), (ordered[first:], prefix[first + 1 :])):
        sums[0] = 0.0
        if ordered.shape[1] < WIDE:
            np.cumsum(rows, axis=0, out=sums[1:])
        else:
            _add_up(rows, sums[1:])
    return prefix


def _add_up(rows: Floats, sums: Floats) -> None:
    """`np.cumsum(rows, axis=0, out=sums)` of wide rows in a half of its time: within parts, then from part to part."""
    whole = len(rows) // ROWS_IN_PART * ROWS_IN_PART
    given, parts = (x[:whole].reshape(-1, ROWS_IN_PART, x.shape[1]) for x in (rows, sums))
    parts[:, 0] = given[:, 0]
    for i in range(1, ROWS_IN_PART):
        np.add(parts[:, i - 1], given[:, i], out=parts[:, i])
    for before, part in pairwise(parts):
        part += before[-1]
    for i in range(whole, len(rows)):
        np.add(sums[i - 1] if i else 0.0, rows[i], out=sums[i])


def _count(ends: Floats, room: Floats, side: Literal["left", "right"]) -> tuple[NDArray[np.intp], bool]:
    """For each room the number of ends below it (with "right", also equal), and whether they are always the first."""
    if (ends[1:] >= ends[:-1]).all():
        return np.searchsorted(ends, room, side), True
    counts = np.searchsorted(np.sort(ends), room, side)
    largest = np.append(-np.inf, np.maximum.accumulate(ends))[counts]
    first = largest < room if side == "left" else largest <= room
    return counts, bool((first | (counts == 0)).all())


# ---- many pairs at once


def share_draws(
    results: list[RegionPosterior], *, pairs: int | None = None, ropes: Sequence[Rope] = ()
) -> list[RegionPosterior]:
    """These results of `signed_rank_test`, their answers computed together where they share their random numbers.

    They then hold the answers for their own ropes, or for `ropes` where these are given. `pairs` is the number of all
    pairs of a comparison, of which these may be a part: it decides which of two loops is used, equal up to rounding, so
    that parts and workers change no digit.
    """
    together: dict[Any, list[int]] = {}
    plans: dict[int, _Walsh] = {}
    room = _Room()
    for i, result in enumerate(results):
        inference = result.inference
        new = tuple(rope for rope in dict.fromkeys(ropes or (result.rope,)) if not result.has_answer(rope))
        if isinstance(inference, SignedRankInference) and new:
            plans[i] = inference._plan(list(new), room)
            stream = (inference.n_draws, inference.random_seed, inference.prior)
            key = (tuple(sorted(result.datasets)), *stream, new, plans[i].one_order, result.has_estimate)
            together.setdefault(key, []).append(i)
    for (*_, new, one_order, has_estimate), places in together.items():
        one: Any = results[places[0]].inference
        work = (pairs or len(places)) * one.differences.size * one.n_draws * len(new)
        loop = _compiled if work >= LEAST_WORK and one_order and find_spec("numba") is not None else _plain
        at_a_time = min(max(1, MEANS_AT_A_TIME // one.n_draws), len(places))
        means = np.empty((at_a_time, 0 if has_estimate else one.n_draws))
        for start in range(0, len(places), at_a_time):
            some = places[start : start + at_a_time]
            inferences: list[Any] = [results[i].inference for i in some]
            shares = loop(inferences, [plans[i] for i in some], new, means)
            for at, (i, inference) in enumerate(zip(some, inferences, strict=True)):
                summaries = inference._summaries(plans[i], list(new), *(x[at] for x in shares))
                estimate = None if has_estimate else inference._estimate_of(means[at])
                results[i]._remember(summaries, estimate)
    return results


def _plain(
    inferences: list[SignedRankInference], plans: list[_Walsh], ropes: Sequence[Rope], means: Floats
) -> tuple[Floats, Floats]:
    """For each pair and rope the shares of wins with their errors, pair by pair in numpy.

    `means`, pairs x draws, is filled with the mean differences under all draws, where it has columns.
    """
    won, done = _Wins(), 0
    for block in inferences[0]._blocks():
        won.add(np.stack([p.totals(block, x._quantiles) for p, x in zip(plans, inferences, strict=True)]), block)
        if means.size:
            for mean, inference in zip(means, inferences, strict=False):
                mean[done : done + block.draws] = inference._block_means(block)
        done += block.draws
    return won.shares()


def _compiled(
    inferences: list[SignedRankInference], plans: list[_Walsh], ropes: Sequence[Rope], means: Floats
) -> tuple[Floats, Floats]:
    """The same in one compiled loop over all pairs, each with one order."""
    orders = np.stack([plan.order for plan in plans])
    z = np.take_along_axis(np.stack([inference._z for inference in inferences]), orders, axis=1)
    partners = np.stack([plan.partners() for plan in plans])
    firsts = np.array([plan.first for plan in plans])
    quantiles = np.stack([inference._quantiles for inference in inferences])
    no_rope = np.array([rope.is_zero for rope in ropes])
    won, done = _Wins(), 0
    for block in inferences[0]._blocks():
        totals = np.empty((len(plans), len(ropes), 3, block.weights.shape[1]))
        kernel()(*block, z, orders, firsts, partners, quantiles, no_rope, TIE, totals, means[:, done:])
        won.add(totals, block)
        done += block.draws
    return won.shares()


def kernel() -> Any:
    """The compiled loop; from numba's own cache where that can be written."""
    with _one_compiles:
        return _kernel()


_one_compiles = Lock()


@cache
def _kernel() -> Any:
    import numba

    options = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
    try:
        return numba.njit(cache=True, **options)(_count_wins)
    except RuntimeError:  # no folder for the cache
        return numba.njit(**options)(_count_wins)


def _count_wins(  # type: ignore[no-untyped-def]
    weights, cell, part, draws, z, orders, firsts, partners, quantiles, no_rope, tie, totals, means
):
    """How often each region wins in every group of a block, and the weighted means of all draws.

    Parameters
    ----------
    weights, cell, part, draws
        The block.
    z, orders : pairs x observations
        The differences in order, and the places that sort them: the first side, then the second.
    firsts : pairs
        How many are on the first side.
    partners : pairs x ropes x 4 x (2 observations)
        As `_Walsh.partners`.
    quantiles : pairs x `LOGITS`
    no_rope : ropes
    tie : float
        Thetas closer than that share the win.
    totals : pairs x ropes x 3 x groups, filled in
    means : pairs x draws, filled in; not where it has no columns
    """
    n, groups = weights.shape
    ropes, wanted = no_rope.size, means.shape[1] > 0
    size = min(GROUPS_AT_A_TIME, groups)
    w, prefix = np.ones((n, size)), np.zeros((n + 2, size))
    sums, mean, t = np.zeros((ropes, 6, size)), np.zeros((2, size)), np.zeros(size)
    won = np.zeros((ropes, 3, size))
    # a few groups at a time stay in fast memory; loops over `size` become vector instructions, of rows that are named
    # by their places: a view of a row takes as long to make as to use
    for start in range(0, groups, size):
        width = min(size, groups - start)
        w[:, :width] = weights[:, start : start + width]
        for p in range(z.shape[0]):
            first, order, quantile = firsts[p], orders[p], quantiles[p]
            prefix[0] = 0.0
            prefix[first + 1] = 0.0
            mean[:] = 0.0
            for i in range(n):
                side, row, value = 0 if i < first else 1, order[i], z[p, i]
                for d in range(size):
                    prefix[i + side + 1, d] = prefix[i + side, d] + w[row, d]
                    mean[side, d] += value * w[row, d]
            if wanted:
                for d in range(size):
                    mean[1, d] /= prefix[n + 1, d] if first < n else 1.0
                    mean[0, d] = mean[0, d] / prefix[first, d] - mean[1, d]
            sums[:] = 0.0
            for r in range(ropes):
                places, of = partners[p, r], sums[r]
                tied = (places[0] != places[1]).any() or (places[2] != places[3]).any()
                sides = 2 if tied else 1
                for border in range(1 if no_rope[r] else 2):
                    for side in range(sides):
                        rows = places[2 * border + side]
                        # own side of the first, both sides, own side of the second: who, whose partners, from which row
                        for part_of in range(3):
                            begin, end = (0, first) if part_of == 0 else (first, n)
                            base, every = (first + 1, n + 1) if part_of == 2 else (0, first)
                            shift = n - first if part_of == 1 else 0
                            to, full = 3 * border + part_of, begin
                            while full < end and rows[full + shift] == every:
                                full += 1
                            row = full if part_of == 0 else full + 1
                            for d in range(size):  # all at once for those with every partner
                                of[to, d] += prefix[row, d] * prefix[every, d]
                            for i in range(full, end):
                                row, other = order[i], rows[i + shift]
                                if other != base:  # some partners
                                    for d in range(size):
                                        of[to, d] += w[row, d] * prefix[other, d]
                for d in range(size):
                    one, two = prefix[first, d], prefix[n + 1, d] if first < n else 1.0
                    for border in range(2):
                        a = of[3 * border, d] / (sides * one * one)
                        b = of[3 * border + 1, d] / (sides * one * two)
                        c = of[3 * border + 2, d] / (sides * two * two)
                        of[3 * border, d] = a - 2.0 * b + c
                        of[3 * border + 1, d] = 2.0 * (b - c)
                        of[3 * border + 2, d] = c
            won[:] = 0.0
            for k in range(cell.shape[0]):
                done = k * groups + start
                here = max(min(width, draws - done), 0)
                cells, parts = cell[k, start:], part[k, start:]
                for d in range(here):
                    low = quantile[cells[d]]
                    t[d] = low + parts[d] * (quantile[cells[d] + 1] - low)
                if wanted:
                    mean_of = means[p, done : done + here]
                    for d in range(here):
                        mean_of[d] = mean[1, d] + t[d] * mean[0, d]
                for r in range(ropes):
                    of, won_by, none = sums[r], won[r], no_rope[r]
                    for d in range(here):
                        below = min(max((of[0, d] * t[d] + of[1, d]) * t[d] + of[2, d], 0.0), 1.0)
                        lower = min(max((of[3, d] * t[d] + of[4, d]) * t[d] + of[5, d], 0.0), 1.0)
                        better, worse = 1.0 - below, below if none else lower
                        equivalent = below - worse
                        largest = max(better, equivalent, worse) - tie
                        one = 1.0 if better >= largest else 0.0
                        two = 1.0 if equivalent >= largest else 0.0
                        three = 1.0 if worse >= largest else 0.0
                        share = 1.0 / (one + two + three)
                        won_by[0, d] += share * one
                        won_by[1, d] += share * two
                        won_by[2, d] += share * three
            totals[p, :, :, start : start + width] = won[:, :, :width]


def pymc_signed_rank_test(pair: Pair, *, rope: RopeLike = 0, **options: Any) -> Any:
    """The `pm.Model`, with the datasets of a pair."""
    return _model(signed_rank_test(pair, rope=rope, random_seed=0, **options).inference)


def _model(inference: Any) -> Any:
    """The Dirichlet process posterior itself: weights ~ Dirichlet(1, ..., 1, prior), in the order of the names."""
    pm = _compat.import_pymc()
    with pm.Model() as model:
        pm.Dirichlet("weights", a=inference._alpha)
    return model
