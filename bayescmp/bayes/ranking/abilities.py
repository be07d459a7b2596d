"""Joint draws of the abilities of many models, counted: ranks, who is best, who is within the rope of the best.

An ability is a number for each model, larger for the better one: a mean score, a mean rank with its sign turned, a
log-strength.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bayescmp.bayes.nuts import share_mcse
from bayescmp.bayes.regions import ArrayValue, independent_mcse
from bayescmp.numerics.ranks import tie_groups
from bayescmp.rope import BORDER_TOLERANCE

Floats = NDArray[np.float64]
MANY_CHAINS = 16
"""From that many chains on, the spread of their means is the Monte-Carlo error, whatever the autocorrelation."""


class Block(NamedTuple):
    """Some joint draws, draws x models; `score` is what the rope is about, where that is not the ability itself.

    Scores closer than `rounding` are equal.
    """

    ability: Floats
    score: Floats | None = None
    rounding: float = 0.0


class AbilityInference(Protocol):
    """The joint posterior of the abilities, as draws that are made when they are asked for.

    Independent draws come in blocks of any size; otherwise one block is one chain. Abilities closer than `tolerance`
    are equal. `better` is the matrix of P(row better than column) where it is known exactly.
    """

    kind: ClassVar[str]
    independent: ClassVar[bool]

    @property
    def tolerance(self) -> float: ...
    def blocks(self) -> Iterator[Block]: ...
    def better(self) -> Floats | None: ...
    def to_dict(self) -> dict[str, Any]: ...


@dataclass(frozen=True, eq=False)
class SampledAbilities(ArrayValue):
    """Abilities as a sampler drew them, chains x draws x models."""

    kind: ClassVar[str] = "sampled"
    independent: ClassVar[bool] = False
    tolerance: ClassVar[float] = 0.0
    chains: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "chains", np.asarray(self.chains, dtype=float))

    def blocks(self) -> Iterator[Block]:
        return (Block(chain) for chain in self.chains)

    def better(self) -> None:
        return None


class RankSummary(NamedTuple):
    """What the draws say, for one allowed gap to the best; arrays over models, `ranks` models x ranks."""

    ranks: Floats
    best_by_score: Floats | None
    among_best: Floats
    mean: Floats
    mcse: Floats


def summarise(inference: AbilityInference, allowed_gap: float) -> RankSummary:
    """One pass over the draws; a model is among the best if it is at most `allowed_gap` below the largest."""
    counts, by_score, sizes, means, hits = [], [], [], [], []
    for ability, score, rounding in inference.blocks():
        ranks = count_ranks(ability, inference.tolerance)
        of_rope, tolerance = (ability, inference.tolerance) if score is None else (score, rounding)
        near = of_rope >= of_rope.max(axis=1, keepdims=True) - _reach(allowed_gap, tolerance)
        counts.append((ranks, near.sum(axis=0)))
        if score is not None:
            by_score.append(count_ranks(score, rounding)[:, 0])
        sizes.append(len(ability))
        means.append(ability.sum(axis=0))
        if not inference.independent:
            best = ability >= ability.max(axis=1, keepdims=True) - inference.tolerance
            hits.append(np.stack([best / best.sum(axis=1, keepdims=True), near]))
    total = sum(sizes)
    ranks, among = (np.clip(np.asarray(sum(parts)) / total, 0.0, 1.0) for parts in zip(*counts, strict=True))
    scored = np.asarray(sum(by_score)) / total if by_score else None
    shares = np.stack([ranks[:, 0], among, *([] if scored is None else [scored])])
    errors = independent_mcse(shares, total) if inference.independent else _chain_mcse(hits, shares, total)
    return RankSummary(ranks, scored, among, np.asarray(sum(means)) / total, errors.max(axis=0))


def _reach(allowed_gap: float, tolerance: float) -> float:
    return allowed_gap * (1 + BORDER_TOLERANCE) + tolerance


def _chain_mcse(hits: list[Floats], shares: Floats, total: int) -> Floats:
    """Standard errors from chains; `hits` has for each chain (best, among the best) x draws x models."""
    least = independent_mcse(shares, total)
    if len(hits) >= MANY_CHAINS:
        spread = np.std([h.mean(axis=1) for h in hits], axis=0, ddof=1) / np.sqrt(len(hits))
        return np.maximum(spread, least)
    found = np.stack(hits) > 0.5
    return np.array([[share_mcse(found[:, s, :, i]) for i in range(found.shape[3])] for s in range(2)])


def count_ranks(values: Floats, tolerance: float) -> Floats:
    """How often each column has each rank, columns x ranks; ties share their ranks equally."""
    k = values.shape[1]
    order, first, last = tie_groups(-values, tolerance)
    if first is last:
        return np.bincount((order * k + first).ravel(), minlength=k * k).reshape(k, k).astype(float)
    # a tie adds 1/size from its first to its last rank: up at the one, down behind the other, then summed along
    share = (1 / (last - first + 1)).ravel()
    up, down = ((order * (k + 1) + at).ravel() for at in (first, last + 1))
    steps = np.bincount(up, share, k * (k + 1)) - np.bincount(down, share, k * (k + 1))
    return np.cumsum(steps.reshape(k, k + 1), axis=1)[:, :k]


def shortest_run(shares: Floats, mass: float) -> tuple[int, int]:
    """First and last of the fewest neighbouring ranks that hold the mass; of equally few those that hold most."""
    total = np.concatenate([[0.0], np.cumsum(shares)])
    goal = min(mass, total[-1]) - 1e-12
    for width in range(1, shares.size + 1):
        held = total[width:] - total[:-width]
        if held.max() >= goal:
            start = int(np.argmax(held))
            return start + 1, start + width
    return 1, shares.size
