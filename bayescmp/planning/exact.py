"""How often a study of a given size decides what, where that needs no simulation.

Correlated t-test: a noncentral t, and one integral for equivalence. Sign and McNemar tests: sums over the counts that
can come out, McNemar's for all sizes at once (`staircase`).
The functions that the catalogue names take sizes and a world, and return P(decide better), P(equivalent), P(worse),
sizes x 3, and the expected width of the 95 % HDI (NaN where the test has none).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayescmp.bayes.distributions import Four
from bayescmp.bayes.mcnemar import checked_prior, probabilities
from bayescmp.bayes.sign import SignInference
from bayescmp.numerics.dirichlet import p_largest_of_three
from bayescmp.numerics.student import log_student_factor
from bayescmp.planning.staircase import PRIOR, Window, borders
from bayescmp.planning.worlds import Datasets, Folds, RightOrWrong
from bayescmp.rope import Rope

Floats = NDArray[np.float64]
Ints = NDArray[np.int_]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)
_V, _VW = (_NODES + 1) / 2, _WEIGHTS / 2
FAR = 1e-18
"""Tail of the standard deviation that no integral goes into."""
MOST_ITEMS = 20_000
"""Items beyond which the sum over all outcomes takes too long; plan by simulation there."""
TAIL = 1e-13
"""Of a binomial, beyond which no sum goes."""
MOST_KEPT = 2000
"""Cases up to which decisions are kept for the next truth."""
MOST_DATASETS = 1000
"""A sign test on more has too many outcomes to sum over."""


def correlated_ttest(n: Ints, world: Folds, rope: Rope, threshold: float) -> tuple[Floats, Floats]:
    """The correlated t-test with a flat prior."""
    decided = correlated_t(n, world.mean, world.sd, world.rho, rope, threshold)
    return decided, expected_width(n, world.sd, world.rho)


def sign_test(
    n: Ints, world: Datasets, rope: Rope, threshold: float, prior: float = 1.0, prior_place: str = "equivalent"
) -> tuple[Floats, Floats]:
    """The sign test, for any distribution of the differences."""
    if n.max() > MOST_DATASETS:
        raise ValueError(f"`n` of the sign test must be at most {MOST_DATASETS:,} datasets, got {n.max():,}.")
    own = SignInference(np.zeros(1), np.zeros(1), prior, prior_place).prior_counts
    decided = [sign(int(size), world.shares(rope), own, rope, threshold) for size in n]
    return np.array(decided), np.full(len(n), np.nan)


def mcnemar_test(
    n: Ints, world: RightOrWrong, rope: Rope, threshold: float, prior: float | Four = 0.5
) -> tuple[Floats, Floats]:
    """McNemar's test of independent items; the width of the HDI is that of a normal distribution with the same sd."""
    if n.max() > MOST_ITEMS:
        raise ValueError(f"`n` of the McNemar test must be at most {MOST_ITEMS:,} items, got {n.max():,}.")
    usual = checked_prior(prior) == (PRIOR,) * 4 and rope.low <= 0 <= rope.high and np.isfinite(rope.high - rope.low)
    if usual:
        return _by_borders(n, world, rope, threshold)
    found = [_right_or_wrong(int(size), world, rope, threshold, prior) for size in n]
    decided, widths = zip(*found, strict=True)
    return np.array(decided), np.array(widths)


def _by_borders(n: Ints, world: RightOrWrong, rope: Rope, threshold: float) -> tuple[Floats, Floats]:
    """The decisions of all sizes, in runs of sizes whose likely outcomes are not too far apart."""
    decided, widths = np.zeros((len(n), 3)), np.zeros(len(n))
    order = np.argsort(n, kind="stable")
    start = 0
    while start < len(n):
        least = int(n[order[start]])
        part = order[start : start + int(np.searchsorted(n[order[start:]], 2 * least + 20, side="right"))]
        start += part.size
        most = int(n[part].max())
        ends = [(_likely(least, p)[0] // 8 * 8, _likely(most, p)[1] // 8 * 8 + 7) for p in world.cells[1:3]]
        found = borders(Window(ends[0], ends[1], (least, most)), rope.low, rope.high, threshold)
        for i in part.tolist():
            decided[i], widths[i] = _summed(int(n[i]), world, ends, found)
    return decided, widths


def _summed(
    n: int, world: RightOrWrong, ends: list[tuple[int, int]], found: tuple[Ints, Ints, Ints]
) -> tuple[Floats, float]:
    """The probability of each decision on n items, over what is likely; and the width."""
    (k0, k1), (c0, c1) = (_likely(n, p) for p in world.cells[1:3])
    part = (slice(k0 - ends[0][0], k1 + 1 - ends[0][0]), slice(c0 - ends[1][0], c1 + 1 - ends[1][0]))
    k, c = np.arange(k0, k1 + 1), np.arange(c0, c1 + 1)
    rest = n - k[:, None] - c
    own = [special.xlogy(x, p) - special.gammaln(x + 1) for x, p in zip((k, c), world.cells[1:3], strict=True)]
    others = np.arange(n + 1)
    of_rest = special.xlogy(others, 1 - world.cells[1] - world.cells[2]) - special.gammaln(others + 1)
    weight = np.exp(own[0][:, None] + own[1] + of_rest[rest] + special.gammaln(n + 1)) * (rest >= 0)
    better, equivalent, worse = (x[part] for x in found)
    decided = [weight[n <= better].sum(), weight[n >= equivalent].sum(), weight[n <= worse].sum()]
    gap, one = (k[:, None] - c) / n, (k[:, None] + c) / n
    width = 2 * special.ndtri(0.975) * float((weight * np.sqrt(np.maximum(one - gap**2, 0.0) / n)).sum())
    return np.array(decided), width


def _likely(n: int, p: float) -> tuple[int, int]:
    """The counts of n items with probability p that are worth adding up."""
    return max(int(binom_ppf(TAIL, n, p)) - 1, 0), min(int(binom_ppf(1 - TAIL, n, p)) + 1, n)


def _right_or_wrong(
    n: int, world: RightOrWrong, rope: Rope, threshold: float, prior: float | Four
) -> tuple[Floats, float]:
    """The decisions on n items, summed over how many only A and only B gets right."""
    only_a, only_b = world.cells[1:3]
    ends = [_likely(n, p) for p in (only_a, only_b)]
    a, b = np.mgrid[ends[0][0] : ends[0][1] + 1, ends[1][0] : ends[1][1] + 1].reshape(2, -1)
    cells = np.stack([a, b, n - a - b], axis=1)[a + b <= n]
    weight = np.exp(_log_multinomial(cells, np.array([only_a, only_b, 1 - only_a - only_b])))
    cells, weight = cells[weight > 1e-17], weight[weight > 1e-17]
    counts = np.stack([cells[:, 2], cells[:, 0], cells[:, 1], np.zeros(len(cells))], axis=1)
    decided = _shares_decided(
        cells,
        weight,
        (n, rope, threshold, checked_prior(prior)),
        lambda new: probabilities(counts[new], rope=rope, prior=prior),
    )
    gap = (cells[:, 0] - cells[:, 1]) / n
    sd = np.sqrt(np.maximum((cells[:, 0] + cells[:, 1]) / n - gap**2, 0.0) / n)
    return decided, float(weight @ (2 * special.ndtri(0.975) * sd))


def binom_ppf(q: float, n: int, p: float) -> float:
    """About the quantile of a binomial: normal, and never too near to the mean."""
    sd = np.sqrt(n * p * (1 - p)) + 1
    return float(np.clip(n * p + (special.ndtri(q) * sd) + np.sign(q - 0.5) * 8, 0, n))


def correlated_t(n: Ints, mean: float, sd: float, rho: float, rope: Rope, threshold: float) -> Floats:
    """The decisions of the correlated t-test on n folds whose differences have this mean, fold sd and correlation.

    The folds' standard deviation s and their mean are independent: given s, each decision is an interval of the mean,
    whose normal probability is averaged over s. The mean of n folds has the variance (1/n + rho/(1 - rho)) sd^2.
    """
    df = (n - 1).astype(float)[:, None]
    spread = sd * np.sqrt(1 / n + rho / (1 - rho))[:, None]
    # log of s / sd, between quantiles beyond which nothing counts
    low = np.log(2 * special.gammaincinv(df / 2, FAR) / df) / 2
    high = np.log(2 * special.gammainccinv(df / 2, FAR) / df) / 2
    t = -student_ppf_rows(df, 1 - threshold)
    sides = []
    for border, sign in ((rope.high, 1.0), (rope.low, -1.0)):
        log_s = low + (high - low) * _V
        shift = sign * (mean - border) / spread
        sides.append((_density(log_s, df) * (high - low) * _VW * special.ndtr(shift - t * np.exp(log_s))).sum(axis=1))
    width = (rope.high - rope.low) / 2
    if not width:
        return np.stack([sides[0], np.zeros(len(n)), sides[1]], axis=1)
    centre = (mean - (rope.low + rope.high) / 2) / spread
    # the widest s at which a mean in the middle of the rope still decides; near it the interval closes like a root
    two_sided = -student_ppf_rows(df, (1 - threshold) / 2)
    top = np.minimum(high, np.log(width / (spread * two_sided)))
    reach = np.maximum(top - low, 0.0)
    log_s = top - reach * _V**2
    s = np.exp(log_s)
    weight = _density(log_s, df) * reach * 2 * _V * _VW
    counts = weight > 1e-17
    half = np.zeros_like(s)
    wide, dfs, ts = ((x + 0 * s)[counts] for x in (width / (spread * s), df, t))
    half[counts] = s[counts] * inside(wide, dfs, ts, threshold)
    equivalent = (weight * (special.ndtr(half - centre) - special.ndtr(-half - centre))).sum(axis=1)
    return np.stack([sides[0], equivalent, sides[1]], axis=1)


def inside(width: Floats, df: Floats, one_sided: Floats, threshold: float) -> Floats:
    """How far from the middle of a rope a Student t may lie that has `threshold` of its mass in it; all in scales.

    Newton's method on P(|x + T| <= width) = threshold as a function of x^2, in which it is smooth also where the rope
    is just wide enough; from where the further border no longer counts. `one_sided` is the quantile at `threshold`.
    """
    x = np.maximum(width - one_sided, 1e-3)
    log_c = log_student_factor(df)
    left = np.arange(x.size)
    for _ in range(60):
        w, v, at = width[left], df[left], x[left]
        near, far = (np.exp(log_c[left] - (v + 1) / 2 * np.log1p(y * y / v)) for y in (w - at, w + at))
        missing = special.stdtr(v, w - at) - special.stdtr(v, -w - at) - threshold
        step = 2 * at * missing / np.maximum(near - far, 1e-300)
        moved = np.minimum(np.sqrt(np.clip(at * at + step, at * at / 9, 9 * at * at)), w)
        x[left] = moved
        left = left[np.abs(moved - at) > 1e-12 * (1 + w)]
        if not left.size:
            break
    return x


def expected_width(n: Ints, sd: float, rho: float, mass: float = 0.95) -> Floats:
    """The expected width of the HDI of the correlated t-test."""
    df = (n - 1).astype(float)
    mean_s = sd * np.sqrt(2 / df) * np.exp(special.gammaln((df + 1) / 2) - special.gammaln(df / 2))
    return -2 * student_ppf_rows(df, (1 - mass) / 2) * mean_s * np.sqrt(1 / n + rho / (1 - rho))


def sign(n: int, shares: Floats, prior: Floats, rope: Rope, threshold: float) -> Floats:
    """The decisions of the sign test on n datasets, each better, equivalent or worse with these probabilities."""
    if rope.is_zero:
        wins = np.arange(n + 1)
        p = shares[0] + shares[1] / 2
        weight = np.exp(_log_multinomial(np.stack([wins, n - wins], axis=1), np.array([p, 1 - p])))
        alpha = np.stack([wins + prior[0] + prior[1] / 2, n - wins + prior[2] + prior[1] / 2])
        better = special.betainc(alpha[1], alpha[0], 0.5)
        return np.array([weight[better >= threshold].sum(), 0.0, weight[1 - better >= threshold].sum()])
    wins, losses = np.mgrid[: n + 1, : n + 1].reshape(2, -1)
    counts = np.stack([wins, n - wins - losses, losses], axis=1)[wins + losses <= n]
    weight = np.exp(_log_multinomial(counts, shares))
    likely = weight > 1e-17
    counts, weight = counts[likely], weight[likely]
    key = (n, rope.is_zero, threshold, tuple(prior.tolist()))
    return _shares_decided(counts[:, [0, 2]], weight, key, lambda new: p_largest_of_three(counts[new] + prior))


@lru_cache(maxsize=64)
def _kept(n: int, *rest: Any) -> NDArray[np.int8]:
    """The decisions on n cases by their wins and losses, as far as they are known: -1 where not, 0 for undecided."""
    return np.full((n + 1, n + 1), -1, dtype=np.int8)


def _shares_decided(
    cells: Ints, weight: Floats, key: tuple[Any, ...], three: Callable[[NDArray[np.bool_]], Floats]
) -> Floats:
    """How much of the weight decides better, equivalent, worse; `three` has the probabilities of some of the cells.

    What is decided does not depend on the truth: over many truths it is kept.
    """
    n, threshold = key[0], key[2]
    kept = _kept(*key) if n <= MOST_KEPT else np.full((1, 1), -1, dtype=np.int8)
    at = (cells[:, 0], cells[:, 1]) if n <= MOST_KEPT else (np.zeros(len(cells), int),) * 2
    found = kept[at]
    new = found < 0
    if new.any():
        reached = three(new) >= threshold
        found[new] = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, 0)
        if n <= MOST_KEPT:
            kept[at] = found
    return np.array([weight[found == k].sum() for k in (1, 2, 3)])


def student_ppf_rows(df: Floats, q: float) -> Floats:
    """A lower quantile of Student t distributions."""
    return np.asarray(-np.abs(special.stdtrit(df, q)))


def _density(log_s: Floats, df: Floats) -> Floats:
    """The density of log(s / sd), s^2 a chi-squared over its df."""
    return np.exp(
        np.log(2.0) + df / 2 * np.log(df / 2) - special.gammaln(df / 2) + df * log_s - df / 2 * np.exp(2 * log_s)
    )


def _log_multinomial(counts: Ints, shares: Floats) -> Floats:
    return np.asarray(
        special.gammaln(counts.sum(axis=1) + 1)
        - special.gammaln(counts + 1).sum(axis=1)
        + special.xlogy(counts, shares).sum(axis=1)
    )
