"""Looking more than once: what happens to a rule that stops as soon as a probability reaches the threshold.

Stopping is calibrated where truths come from the prior, and it is no error rate: at the edge of the rope many looks
declare "better" far more often than one. Both are simulated, for right/wrong items.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.bayes.mcnemar import checked_prior, probabilities
from bayescmp.checks import check_alpha, check_count, check_threshold, checked_seed, is_list
from bayescmp.planning.designs import share_error
from bayescmp.planning.worlds import RightOrWrong
from bayescmp.rope import ROPE, Rope, RopeLike
from bayescmp.text import probability, versions
from bayescmp.values import Value

Floats = NDArray[np.float64]
SIMULATIONS = 1000
LEAST_PRIOR = 1e-6


def looks(
    *,
    truth: Mapping[str, float] | None = None,
    rope: RopeLike = ROPE,
    at: Iterable[int],
    threshold: float = 0.95,
    prior: float = 0.5,
    simulations: int = SIMULATIONS,
    random_seed: int | None = None,
) -> "Looks":
    """What a sequence of looks at right/wrong items declares, and when it stops.

    Parameters
    ----------
    truth : mapping, optional
        "difference" and "discordance", as for `design`. Without it every study has a truth of its own from the prior,
        and `right` is the share of the stops that were right.
    rope : float, (low, high) or Rope
    at : list of int
        The numbers of items at which one looks, and stops where an outcome reaches the threshold.
    threshold, prior
        As for `bayes.mcnemar_test`.
    simulations, random_seed
        Simulated studies, and their seed; drawn and recorded if not given.

    Returns
    -------
    Looks

    See Also
    --------
    design : one look.
    bayescmp.frequentist.e_test : the frequentist mirror, valid at any time.

    Examples
    --------
    >>> import bayescmp as bc
    >>> edge = {"difference": 0.02, "discordance": 0.2}
    >>> many = bc.planning.looks(truth=edge, rope=0.02, at=range(50, 501, 50), simulations=100, random_seed=1)
    >>> many.p_better > many.fixed[0]
    True
    """
    region, level = Rope.of(rope), check_threshold(threshold)
    sizes = np.array([check_count("at", n) for n in at]) if is_list(at) else np.array([])
    if not sizes.size or (np.diff(sizes) <= 0).any():
        raise ValueError(f"`at` must be numbers of items that grow from look to look, got {at!r}.")
    check_count("simulations", simulations, 10)
    alpha, seed = checked_prior(prior), checked_seed(random_seed)
    if min(alpha) < LEAST_PRIOR:
        raise ValueError(
            f"`prior` of looks must be at least {LEAST_PRIOR:g}, so that truths can be drawn, got {prior!r}."
        )
    rng = np.random.default_rng(seed)
    if truth is None:
        cells = rng.dirichlet(np.array(alpha), simulations)
    elif isinstance(truth, Mapping):
        cells = np.broadcast_to(RightOrWrong.given(truth, None).cells, (simulations, 4))
    else:
        raise ValueError(
            f'`truth` must be a mapping such as {{"difference": 0.02, "discordance": 0.2}}, got {truth!r}.'
        )
    counts = np.cumsum([rng.multinomial(m, cells) for m in np.diff(sizes, prepend=0)], axis=0)  # looks x studies x 4
    three = _probabilities(counts, region, prior)
    reached = (three >= level).any(axis=2)
    stop = np.where(reached.any(axis=0), reached.argmax(axis=0), len(sizes) - 1)
    chosen = three[stop, np.arange(simulations)] >= level
    last = three[-1] >= level
    right = None
    if truth is None:
        delta = cells[:, 1] - cells[:, 2]
        true = np.stack(
            [delta > region.high, (delta >= region.low) & (delta <= region.high), delta < region.low], axis=1
        )
        stopped = chosen.any(axis=1)
        right = float((chosen & true)[stopped].any(axis=1).mean()) if stopped.any() else None
    return Looks(
        truth=None if truth is None else {name: float(x) for name, x in truth.items()},
        rope=region,
        threshold=level,
        at=tuple(sizes.tolist()),
        decided=tuple(chosen.mean(axis=0).tolist()),
        fixed=tuple(last.mean(axis=0).tolist()),
        mean_n=float(sizes[stop].mean()),
        right=right,
        peaks=three[:, :, 0].max(axis=0),
        simulations=simulations,
        random_seed=seed,
    )


def _probabilities(counts: NDArray[np.int_], rope: Rope, prior: float) -> Floats:
    """The three probabilities of every look and study, each different table once."""
    tables = counts.copy()
    tables[..., 0] += tables[..., 3]  # both right or both wrong is the same to the difference
    tables[..., 3] = 0
    different, back = np.unique(tables.reshape(-1, 4), axis=0, return_inverse=True)
    return probabilities(different, rope=rope, prior=prior)[back.ravel()].reshape(*counts.shape[:2], 3)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Looks(Value):
    """What a sequence of looks declares, and when it stops.

    Attributes
    ----------
    truth : dict or None
        None where truths came from the prior.
    rope, threshold, at
        The rule: look at these numbers of items, and stop where an outcome reaches the threshold.
    decided : (float, float, float)
        How often the looks declare better, equivalent, worse.
    fixed : (float, float, float)
        The same for one look at the last number of items.
    mean_n : float
        The number of items at the stop, on average.
    right : float or None
        The share of the stops whose declaration was true, where truths came from the prior.
    peaks : array
        The largest P(A better) of all looks of each study.
    simulations, random_seed, versions

    See Also
    --------
    looks : makes one.

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.planning.looks(rope=0.02, at=[100, 200], simulations=100, random_seed=1).right > 0.9
    True
    """

    truth: dict[str, float] | None
    rope: Rope
    threshold: float
    at: tuple[int, ...]
    decided: tuple[float, float, float]
    fixed: tuple[float, float, float]
    mean_n: float
    right: float | None
    peaks: Floats
    simulations: int
    random_seed: int
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def p_better(self) -> float:
        """How often the looks declare that A is better."""
        return self.decided[0]

    @property
    def p_equivalent(self) -> float:
        """How often the looks declare that the two are equivalent."""
        return self.decided[1]

    @property
    def p_worse(self) -> float:
        """How often the looks declare that B is better."""
        return self.decided[2]

    @property
    def mcse(self) -> float:
        """The largest Monte-Carlo standard error of the three."""
        return float(share_error(np.array(self.decided), self.simulations).max())

    def threshold_for(self, error: float = 0.05) -> float:
        """The threshold at which these looks declare "better" with probability `error`, if the truth is this one.

        With a truth at the edge of the rope, that is the rate of false declarations.
        """
        return float(np.quantile(self.peaks, 1 - check_alpha(error), method="higher"))

    def sentence(self) -> str:
        """Both readings in a sentence."""
        shown = [probability(p, self.mcse) for p in (self.p_better, self.fixed[0])]
        if self.truth is None:
            right = "" if self.right is None else f", and {probability(self.right, self.mcse)} of the stops are right"
            return (
                f"With truths from the prior, {len(self.at)} looks stop at {self.mean_n:.0f} items on average{right}."
            )
        about = ", ".join(f"{name} {x:g}" for name, x in self.truth.items())
        return (
            f"With a true {about}, {len(self.at)} looks declare A better with probability {shown[0]}; one look at "
            f"{self.at[-1]} items with probability {shown[1]}."
        )

    def __repr__(self) -> str:
        rope: Any = "no rope" if self.rope.is_zero else f"rope {self.rope}"
        numbers = " / ".join(probability(p, self.mcse) for p in self.decided)
        return (
            f"Looks: {len(self.at)} from {self.at[0]} to {self.at[-1]} items, {rope}, threshold {self.threshold:g} "
            f"({self.simulations} simulated studies)\n"
            f"  better / equivalent / worse {numbers}, mean n {self.mean_n:.0f}\n"
            f"  {self.sentence()}"
        )
