"""The Bayesian signed-rank test: two models on many datasets, by the averages of two differences (Walsh averages).

Dirichlet-process posterior (Benavoli et al. 2014): weights w ~ Dirichlet(prior, 1, ..., 1) on a pseudo-observation and
the differences z, theta_better = sum of w_i w_j over z_i + z_j > 2 rope, borders half. Sorted once, the inner sum is a
prefix sum of the weights, so that a draw costs O(n) instead of O(n^2). Many pairs share one stream of random weights,
in a compiled loop where that pays.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp import _compat, catalogue
from bayescmp.bayes.hdi import DEFAULT_MASS, hdi
from bayescmp.bayes.nuts import check_engine
from bayescmp.bayes.pymc_models import sample_regions
from bayescmp.bayes.regions import (
    LARGEST,
    MOST_PRIOR,
    TIE,
    Estimate,
    RegionInference,
    RegionPosterior,
    RegionSummary,
    independent_mcse,
    three_of,
    wins,
)
from bayescmp.checks import check_draws, check_number, checked_seed, is_list
from bayescmp.errors import ScoresError
from bayescmp.rope import BORDER_TOLERANCE, ROPE, Rope, RopeLike
from bayescmp.scores.inputs import check_units, in_ropes, many_datasets
from bayescmp.scores.pair import Pair
from bayescmp.sentences import few_datasets

Floats = NDArray[np.float64]
DRAWS = 50_000
MOST_DRAWS = 20_000_000
ELEMENTS_AT_A_TIME = 2**18
"""Weights in memory at once: part of the random stream's layout, so that results do not depend on the machine."""
LEAST_WORK = 1e9
"""Pairs x datasets x draws from which compiling the loop pays."""
DRAWS_AT_A_TIME = 32


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
        Number of Monte-Carlo draws, at least 1,000.
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

    def _weights(self, n_draws: int | None = None, other: int | None = None) -> Iterator[Floats]:
        """Unnormalised weights, observations x draws, block by block; every block has its own random stream."""
        n, left = self.differences.size, self.n_draws if n_draws is None else n_draws
        size = int(np.clip(ELEMENTS_AT_A_TIME // n, 16, 512))
        seed = (self.random_seed,) if other is None else (self.random_seed, other)
        for block in range(-(-left // size)):
            rng = np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence((*seed, block))))
            weights = np.empty((self._z.size, size))
            rng.standard_exponential(out=weights[:n])
            if self.prior:
                weights[n] = rng.standard_gamma(self.prior, size)
            yield weights[:, : min(size, left - block * size)]

    def _plan(self, ropes: list[Rope]) -> "_Walsh":
        return _Walsh(self._z, ropes, self._errors)

    def theta(self, weights: Floats, rope: Rope) -> Floats:
        """theta for given weights (draws x observations, in the order of the names, pseudo-observation last)."""
        flat = np.asarray(weights).reshape(-1, self._z.size)
        theta = self._plan([rope]).theta(np.ascontiguousarray(flat.T))[0]
        return theta.T.reshape(*np.shape(weights)[:-1], 3)

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        plan = self._plan(ropes)
        counts = np.zeros((len(ropes), 3))
        for weights in self._weights():
            counts += wins(plan.theta(weights), axis=1).sum(axis=2)
        return [self._summary(count, rope) for count, rope in zip(counts, ropes, strict=True)]

    def _summary(self, count: Floats, rope: Rope) -> RegionSummary:
        shares = count / self.n_draws
        errors = independent_mcse(shares, self.n_draws)
        if rope.is_zero:
            errors[1] = 0.0
        return RegionSummary(rope, three_of(shares), three_of(errors), three_of(self._expected(rope)))

    def _expected(self, rope: Rope) -> Floats:
        """E[theta], exact: E[w_i w_j] = a_i a_j / (A (A + 1)), and E[w_i^2] = a_i (a_i + 1) / (A (A + 1))."""
        alpha, total = self._alpha, self._alpha.sum()
        product = self._plan([rope]).theta(alpha[:, None])[0, :, 0] * total**2
        region = rope.regions(self._z, self._errors)
        at_border = [np.abs(self._z - x) <= _border_tolerance(x) + self._errors for x in (rope.high, rope.low)]
        shares = np.zeros((3, alpha.size))
        for k, r in ((0, 1), (2, -1)):
            border = at_border[0 if r == 1 else 1]
            shares[k] = np.where(border, 0.5, (region == r) & ~border)
        shares[1] = 1 - shares[0] - shares[2]
        own = shares @ alpha
        return (product + own) / (total * (total + 1))

    def thetas(self, n: int, rope: Rope, random_seed: int | None) -> Floats:
        plan = self._plan([rope])
        return np.concatenate([np.empty((0, 3)), *(plan.theta(w)[0].T for w in self._weights(n, random_seed))])

    def theta_hdi(self, rope: Rope, mass: float = DEFAULT_MASS) -> list[tuple[float, float]]:
        return [hdi(x, mass) for x in self.thetas(self.n_draws, rope, None).T]

    @property
    def mean(self) -> float:
        return float(self._alpha @ self._z / self._alpha.sum())

    @cached_property
    def _means(self) -> Floats:
        return np.concatenate([self._z @ w / w.sum(axis=0) for w in self._weights()])

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


class _Walsh:
    """For one vector of observations and some ropes: where each observation's partners cross the borders.

    A sum z_i + z_j carries the rounding errors of both: it is below a border where z_j + error_j is below what z_i +
    error_i leaves of it, which is a search among the sorted upper ends; above it likewise with the lower ends. These
    partners are the first ones in the order of z, with prefix sums that all borders share, unless errors are as large
    as the differences: then upper and lower ends have orders of their own.
    """

    def __init__(self, z: Floats, ropes: list[Rope], errors: Floats) -> None:
        self.order = np.argsort(z, kind="stable")
        self.upper, self.lower = ((z + sign * errors)[self.order] for sign in (1, -1))
        self.one_order = True
        self.borders = [
            None if rope.is_zero and border == "low" else self._partners(getattr(rope, border))
            for rope in ropes
            for border in ("high", "low")
        ]

    def _partners(self, border: float) -> list[NDArray[np.intp]]:
        """For each i the number of j with z_i + z_j below the border, and below or on it."""
        tolerance = 2 * _border_tolerance(border)
        below, first = _count(self.upper, 2 * border - tolerance - self.upper, "left")
        not_above, also_first = _count(self.lower, 2 * border + tolerance - self.lower, "right")
        self.one_order = self.one_order and first and also_first
        return [below, not_above]

    def prefix_sums(self, weights: Floats) -> list[Floats]:
        """The sums of the first weights in the order of the upper ends, and in that of the lower ends."""
        ordered = weights[self.order]
        if self.one_order:
            return [_prefix_sums(ordered)]
        return [_prefix_sums(ordered[np.argsort(ends, kind="stable")]) for ends in (self.upper, self.lower)]

    def four_partners(self) -> NDArray[np.intp]:
        """For the first rope: below and not above its upper border, then its lower one (or the upper again)."""
        high, low = self.borders[0], self.borders[1]
        assert high is not None
        low = high if low is None else low
        return np.stack([high[0], high[-1], low[0], low[-1]])

    def theta(self, weights: Floats) -> Floats:
        """theta, ropes x 3 x draws, for weights of observations x draws."""
        ordered = weights[self.order]
        prefixes = self.prefix_sums(weights)
        squared_total = prefixes[0][-1] ** 2
        result = np.empty((len(self.borders) // 2, 3, weights.shape[1]))
        for k, (high, low) in enumerate(zip(self.borders[::2], self.borders[1::2], strict=True)):
            # all pairs together weigh squared_total, but for the rounding of their sum
            below_high = np.minimum(_below(high, prefixes, ordered) / squared_total, 1.0)
            result[k, 0] = 1 - below_high
            # with no rope the two sides share the ties, and nothing is left in between
            result[k, 2] = (
                below_high if low is None else np.minimum(_below(low, prefixes, ordered) / squared_total, 1.0)
            )
            result[k, 1] = below_high - result[k, 2]
        return result


def _prefix_sums(ordered: Floats) -> Floats:
    """Sums of the first 0, 1, ..., n rows."""
    prefix = np.empty((ordered.shape[0] + 1, ordered.shape[1]))
    prefix[0] = 0.0
    if ordered.shape[1] < 256:
        np.cumsum(ordered, axis=0, out=prefix[1:])
    else:  # row by row is several times faster than numpy's cumsum over the first axis
        for i, row in enumerate(ordered):
            np.add(prefix[i], row, out=prefix[i + 1])
    return prefix


def _count(ends: Floats, room: Floats, side: Literal["left", "right"]) -> tuple[NDArray[np.intp], bool]:
    """For each room the number of ends below it (with "right", also equal), and whether they are always the first."""
    counts = np.searchsorted(np.sort(ends), room, side)
    largest = np.append(-np.inf, np.maximum.accumulate(ends))[counts]
    first = largest < room if side == "left" else largest <= room
    return counts, bool((first | (counts == 0)).all())


def _below(partners: list[NDArray[np.intp]] | None, prefixes: list[Floats], ordered: Floats) -> Floats:
    """The sum of w_i w_j over pairs below a border, those on it by half."""
    assert partners is not None
    if len(prefixes) == 1 and np.array_equal(partners[0], partners[1]):
        partners = partners[:1]
    sums = []
    for i, k in enumerate(partners):
        terms = prefixes[i % len(prefixes)].take(k, axis=0)
        terms *= ordered
        sums.append(terms.sum(axis=0))
    return sum(sums) / len(sums)


# ---- many pairs at once


def share_draws(results: list[RegionPosterior], *, pairs: int | None = None) -> list[RegionPosterior]:
    """These results of `signed_rank_test` with their answers, computed together where they share their random numbers.

    `pairs` is the number of all pairs of a comparison, of which these may be a part: it decides which of two loops is
    used, equal up to rounding, so that parts and workers change no digit.
    """
    together: dict[Any, list[int]] = {}
    plans: dict[int, _Walsh] = {}
    for i, result in enumerate(results):
        inference = result.inference
        if isinstance(inference, SignedRankInference) and not result.is_answered:
            stream = (inference.n_draws, inference.random_seed, inference.prior, result.rope)
            plans[i] = inference._plan([result.rope])
            key = (tuple(sorted(result.datasets)), *stream, plans[i].one_order)
            together.setdefault(key, []).append(i)
    answered = list(results)
    for places in together.values():
        group = [results[i] for i in places]
        inferences: list[Any] = [result.inference for result in group]
        work = (pairs or len(group)) * inferences[0].differences.size * inferences[0].n_draws
        here = [plans[i] for i in places]
        compiled = work >= LEAST_WORK and here[0].one_order and find_spec("numba") is not None
        counts, means = (_compiled if compiled else _plain)(inferences, here, group[0].rope)
        for i, result, inference, count, mean in zip(places, group, inferences, counts, means, strict=True):
            estimate = Estimate(inference.mean, *hdi(mean), float(np.maximum(mean, 0.0).mean()))
            answered[i] = result.answered([inference._summary(count, result.rope)], estimate)
    return answered


def _plain(inferences: list[SignedRankInference], plans: list[_Walsh], rope: Rope) -> tuple[Floats, Floats]:
    """Which region wins how often, and the mean differences, pair by pair in numpy."""
    counts, means = np.zeros((len(plans), 3)), np.empty((len(plans), inferences[0].n_draws))
    done = 0
    for weights in inferences[0]._weights():
        total, block = weights.sum(axis=0), slice(done, done + weights.shape[1])
        for i, plan in enumerate(plans):
            counts[i] += wins(plan.theta(weights)[0], axis=0).sum(axis=1)
            means[i, block] = inferences[i]._z @ weights / total  # one by one: a matrix product has other last bits
        done += weights.shape[1]
    return counts, means


def _compiled(inferences: list[SignedRankInference], plans: list[_Walsh], rope: Rope) -> tuple[Floats, Floats]:
    """The same in one compiled loop over all pairs, each with one order."""
    z = np.stack([inference._z for inference in inferences])
    orders = np.stack([plan.order for plan in plans])
    partners = np.stack([plan.four_partners() for plan in plans])
    counts, means = np.zeros((len(plans), 3)), np.empty((len(plans), inferences[0].n_draws))
    done = 0
    for weights in inferences[0]._weights():
        block = means[:, done : done + weights.shape[1]]
        kernel()(weights, z, orders, partners, rope.is_zero, TIE, counts, block)
        done += weights.shape[1]
    return counts, means


@cache
def kernel() -> Any:
    """The compiled loop; from numba's own cache where that can be written."""
    import numba

    try:
        return numba.njit(cache=True, nogil=True)(_count_wins)
    except RuntimeError:  # no folder for the cache
        return numba.njit(nogil=True)(_count_wins)


def _count_wins(  # type: ignore[no-untyped-def]
    weights, z, orders, partners, no_rope, tie, counts, means
):
    """Add up which region wins under each draw's weights, and note the weighted means.

    Parameters
    ----------
    weights : observations x draws
    z, orders : pairs x observations
        The differences, and the places that sort them.
    partners : pairs x 4 x observations
        In sorted order, how many partners are below the rope's upper border, and not above it; likewise the lower.
    no_rope : bool
    tie : float
        Thetas closer than that share the win.
    counts : pairs x 3, added to
    means : pairs x draws, filled in
    """
    n, draws = weights.shape
    size = DRAWS_AT_A_TIME
    w, prefix = np.ones((n, size)), np.zeros((n + 1, size))
    high, low, mean = np.empty(size), np.empty(size), np.empty(size)
    # a few draws at a time stay in the fastest memory, and loops over `size` become vector instructions
    for start in range(0, draws, size):
        width = min(size, draws - start)
        w[:, :width] = weights[:, start : start + width]
        for p in range(z.shape[0]):
            high[:] = 0.0
            low[:] = 0.0
            mean[:] = 0.0
            for i in range(n):
                row, before, after, value = w[orders[p, i]], prefix[i], prefix[i + 1], z[p, orders[p, i]]
                for d in range(size):
                    after[d] = before[d] + row[d]
                    mean[d] += value * row[d]
            for i in range(n):
                row = w[orders[p, i]]
                one, two = prefix[partners[p, 0, i]], prefix[partners[p, 1, i]]
                for d in range(size):
                    high[d] += row[d] * (one[d] + two[d])
                if not no_rope:
                    one, two = prefix[partners[p, 2, i]], prefix[partners[p, 3, i]]
                    for d in range(size):
                        low[d] += row[d] * (one[d] + two[d])
            for d in range(width):
                total = prefix[n, d]
                means[p, start + d] = mean[d] / total
                better = 1.0 - 0.5 * high[d] / total**2
                worse = 1.0 - better if no_rope else 0.5 * low[d] / total**2
                equivalent = 0.0 if no_rope else 1.0 - better - worse
                largest = max(better, equivalent, worse) - tie
                share = 1.0 / ((better >= largest) + (equivalent >= largest) + (worse >= largest))
                counts[p, 0] += share * (better >= largest)
                counts[p, 1] += share * (equivalent >= largest)
                counts[p, 2] += share * (worse >= largest)


def pymc_signed_rank_test(pair: Pair, *, rope: RopeLike = 0, **options: Any) -> Any:
    """The `pm.Model`, with the datasets of a pair."""
    return _model(signed_rank_test(pair, rope=rope, random_seed=0, **options).inference)


def _model(inference: Any) -> Any:
    """The Dirichlet process posterior itself: weights ~ Dirichlet(1, ..., 1, prior), in the order of the names."""
    pm = _compat.import_pymc()
    with pm.Model() as model:
        pm.Dirichlet("weights", a=inference._alpha)
    return model
