"""The result for many models at once: joint draws of their abilities, counted into ranks and who is best.

An ability is a number for each model, larger for the better one: a mean score, a mean rank with its sign turned, a
log-strength.
"""

import math
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayescmp import notebook
from bayescmp.bayes.hdi import DEFAULT_MASS
from bayescmp.bayes.nuts import share_mcse
from bayescmp.bayes.posterior import BayesianResult
from bayescmp.bayes.ranking.groups import Groups, group_models, near_and_far
from bayescmp.bayes.regions import independent_mcse
from bayescmp.checks import check_count, check_mass, check_threshold, is_one_of
from bayescmp.errors import RopeError, unknown_name
from bayescmp.numerics.ranks import tie_groups
from bayescmp.rope import BORDER_TOLERANCE, Rope, RopeLike, symmetric
from bayescmp.scores.metrics import with_direction
from bayescmp.sentences import best_model, beyond, datasets_used, mean_scores
from bayescmp.text import counted, probability, visible, visible_lines
from bayescmp.values import Value

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
MOST_SHOWN = 15
"""Models in a repr; the others are counted."""
MOST_KEPT = 2**23
"""Numbers in the draws that are kept: 64 MB, 50,000 draws of 160 models."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some joint draws of the abilities less `level`, draws x models.

    `level` (draws x 1) is a part that all models share. Abilities closer than `tolerance`, a number or draws x 1, are
    equal.
    """

    gaps: Floats
    tolerance: Floats | float = 0.0
    level: Floats | float = 0.0

    @property
    def ability(self) -> Floats:
        """The abilities themselves."""
        return self.gaps + self.level

    @cached_property
    def best(self) -> Floats:
        """The largest of each draw, draws x 1."""
        return self.gaps.max(axis=1, keepdims=True)


class AbilityInference(Value):
    """The joint posterior of the abilities, as draws that are made when they are asked for.

    Independent draws come in blocks of any size; otherwise one block is one chain. `better` is the matrix of P(row
    better than column) where it is known exactly.
    """

    independent: ClassVar[bool] = True
    n_draws: int

    @property
    def measured(self) -> tuple[str, int] | None:
        """The ranking in `measured.P_BEST` that this one is, and the number of its datasets."""
        return None

    def blocks(self) -> Iterator[Block]:
        """The draws, block by block."""
        raise NotImplementedError

    def better(self) -> Floats | None:
        """P(row better than column), where it is known exactly."""
        return None

    def drawn(self) -> Iterable[Block]:
        """The same, for counting: where they are few, the posterior that was asked last keeps them."""
        global _keeper
        kept: tuple[Block, ...] = vars(self).get("_drawn", ())
        if kept or not self.independent:
            return kept or self.blocks()
        blocks = self.blocks()
        first = next(blocks)
        if self.n_draws * first.gaps.shape[1] > MOST_KEPT:
            return chain([first], blocks)
        kept = (first, *blocks)
        if _keeper and (last := _keeper()):
            vars(last).pop("_drawn", None)
        vars(self)["_drawn"], _keeper = kept, weakref.ref(self)
        return kept


_keeper: weakref.ref[AbilityInference] | None = None
"""The posterior that keeps its draws."""


@dataclass(frozen=True, eq=False)
class SampledAbilities(AbilityInference):
    """Abilities as a sampler drew them, chains x draws x models."""

    independent: ClassVar[bool] = False
    chains: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "chains", np.asarray(self.chains, dtype=float))

    def blocks(self) -> Iterator[Block]:
        return (Block(chain) for chain in self.chains)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RankingPosterior(BayesianResult):
    """The joint posterior of the abilities of many models: who is best, who is close to it, who has which rank.

    Attributes
    ----------
    models : tuple of str
    metric, higher_is_better, scale
        What was measured, its direction, and the scale of the differences.
    datasets : tuple of str
    n : int
        Datasets that were used; folds, where there is one dataset.
    rope : Rope
        Symmetric: two models within it are practically equivalent.
    method, engine, estimand : str
    ability : str
        What the abilities are.
    left_out : tuple of str
        Datasets that were not used, because some model was not run on them.
    mean_score, mean_rank : tuple of float, or None
        Each model's plain means, to read beside the posterior.
    settings, random_seed, diagnostics, notes, versions
        Whatever else changes the numbers or describes how they were made.

    See Also
    --------
    rank_models : makes one.
    StrengthPosterior : with probabilities of winning.

    Examples
    --------
    >>> import bayescmp as bc
    >>> r = bc.bayes.rank_models(bc.load_domains(), rope=1, random_seed=1)
    >>> max(r.p_best, key=r.p_best.get)
    'A'
    """

    models: tuple[str, ...]
    ability: str
    inference: AbilityInference
    left_out: tuple[str, ...] = ()
    mean_score: tuple[float, ...] | None = None
    mean_rank: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("mean_score", "mean_rank"):
            if (values := getattr(self, name)) is not None and len(values) != len(self.models):
                raise ValueError(f"`{name}` must have one number per model, got {len(values)} of {len(self.models)}.")

    @cached_property
    def _counted(self) -> dict[str, "RankSummary | Numbers"]:
        """What was computed from the draws; kept where the draws are not."""
        return {}

    def _kept(self) -> dict[str, Value]:
        return dict(self._counted)

    def _restore(self, kept: Mapping[str, Value]) -> None:
        for name, found in kept.items():
            if not isinstance(found, RankSummary | Numbers):
                raise ValueError(f"An answer must be a RankSummary or Numbers, got a {type(found).__name__}.")
            self._counted[name] = found

    # ---- who is best

    @property
    def p_best(self) -> dict[str, float]:
        """P(the model has the largest ability); equal ones share it, so that the sum is 1."""
        return self._named(self._summary().ranks[:, 0])

    @property
    def p_within_rope(self) -> dict[str, float]:
        """P(the model is within the rope of the best one), from the same draws as P(best), which it is never below.

        Several models can be within the rope of the best, so that the sum is 1 or more.
        """
        return self._named(self._summary().within_rope)

    @property
    def mcse(self) -> dict[str, float]:
        """The largest Monte-Carlo standard error of each model's probabilities above."""
        return self._named(self._summary().mcse)

    @property
    def largest_mcse(self) -> float:
        """The largest of all models: the digits of a column follow from it."""
        return float(self._summary().mcse.max())

    @property
    def mean(self) -> dict[str, float]:
        """The posterior mean of each ability."""
        return self._named(self._summary().mean)

    # ---- ranks

    @property
    def rank_distribution(self) -> Floats:
        """P(model i has rank r + 1), models x ranks; equal models share their ranks. Rows and columns sum to 1."""
        return self._summary().ranks.copy()

    @property
    def expected_rank(self) -> dict[str, float]:
        """The posterior mean of each model's rank; 1 is best."""
        return self._named(self._summary().ranks @ np.arange(1, len(self.models) + 1))

    def rank_hdi(self, mass: float = DEFAULT_MASS) -> dict[str, tuple[int, int]]:
        """For each model the fewest neighbouring ranks that hold `mass` of its distribution, first and last."""
        check_mass(mass)
        return {m: shortest_run(row, mass) for m, row in zip(self.models, self._summary().ranks, strict=True)}

    # ---- pairs

    @property
    def p_better_matrix(self) -> Floats:
        """P(the row's model has the larger ability than the column's); equal ones count half, as on the diagonal."""
        return self._numbers("better", self._pairs)

    def p_better(self, a: str, b: str) -> float:
        """P(ability of `a` > ability of `b`); equality counts half."""
        return float(self.p_better_matrix[self._index(a), self._index(b)])

    def _pairs(self) -> Floats:
        exact = self.inference.better()
        if exact is not None:
            return exact
        k = len(self.models)
        wins, total = np.zeros((k, k)), 0
        for block in self.inference.drawn():
            columns, tolerance = np.ascontiguousarray(block.gaps.T), np.transpose(block.tolerance)
            for i in range(k - 1):
                gap = columns[i] - columns[i + 1 :]
                wins[i, i + 1 :] += np.count_nonzero(gap > tolerance, axis=1)
                wins[i + 1 :, i] += np.count_nonzero(gap < -tolerance, axis=1)
            total += len(block.gaps)
        return (wins + (total - wins - wins.T) / 2) / total

    # ---- draws

    def draws(self, n: int | None = None) -> Floats:
        """The joint draws of the abilities, draws x models: all, or `n` evenly spaced ones."""
        found = np.concatenate([block.ability for block in self.inference.blocks()])
        return found if n is None else found[np.linspace(0, len(found) - 1, check_count("n", n)).astype(int)]

    def with_rope(self, rope: RopeLike) -> "RankingPosterior":
        """The same posterior with another rope, on the same draws."""
        region = symmetric(rope)
        if self.settings.get("by") == "rank":
            check_no_rope(region)
        return replace(self, rope=region)

    def at_ropes(self, ropes: Iterable[RopeLike], threshold: float) -> "list[RankingPosterior]":
        """The same posterior with each of these ropes, ready for `groups(threshold=...)`: two passes over its draws."""
        found = [self.with_rope(rope) for rope in ropes]
        moved = summaries(self.inference, [x._allowed_gap for x in found], self._summary())
        for one, summary in zip(found, moved, strict=True):
            one._counted[one._summary_name] = summary
        sides = [(one, *one._places(*near_and_far(one, threshold)[1:])) for one in found]
        asked = [(one, (one._allowed_gap, near, far)) for one, near, far in sides if near and far]
        shares = count_beaten(self.inference, [request for _, request in asked])
        for (one, request), numbers in zip(asked, shares, strict=True):
            one._counted[beaten_name(*request)] = Numbers(numbers)
        return found

    def groups(self, *, threshold: float = 0.95, cost: Mapping[str, float] | None = None) -> Groups:
        """Who is tied at the top and who is clearly worse, in words: see `Groups`.

        `threshold` is the probability that decides. With the `cost` of every model, in any unit, the cheapest one of
        the top is named as well.
        """
        return group_models(self, check_threshold(threshold), cost)

    def to_arviz(self) -> Any:
        """ArviZ data: the sampler's own where NUTS ran, else all draws of `ability`."""
        from bayescmp import _compat

        if self.inference_data is not None:
            return self.inference_data
        blocks = [block.ability for block in self.inference.blocks()]
        chains = np.concatenate(blocks)[None] if self.inference.independent else np.stack(blocks)
        return _compat.to_inference_data({"posterior": {"ability": chains}})

    def to_frame(self) -> "pd.DataFrame":
        """One row per model, the best expected rank first.

        `n` is the number of datasets, of `of_datasets`, or of folds, runs or items of one.
        """
        from bayescmp.needs import pandas as pd

        return pd.DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """The rows of `to_frame()`."""
        low, high = zip(*self.rank_hdi().values(), strict=True)
        columns = {
            "model": self.models,
            "mean_score": self.mean_score,
            "mean_rank": self.mean_rank,
            "p_best": self.p_best.values(),
            "p_within_rope": self.p_within_rope.values(),
            "expected_rank": self.expected_rank.values(),
            "rank_low": low,
            "rank_high": high,
            "mcse": self.mcse.values(),
            "n": [self.n] * len(self.models),
            "of_datasets": [len(self.datasets) + len(self.left_out)] * len(self.models),
        }
        known = {name: list(values) for name, values in columns.items() if values is not None}
        return [{name: values[i] for name, values in known.items()} for i in self.order()]

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """Draw the ranking, and return the Axes.

        The kind is "p_best", "rank_distribution", "ranking_groups" or "matrix"; options of `plots.plot_<kind>`.
        """
        from bayescmp.plots import plot_result

        return plot_result(self, kind, **options)

    def _summarised(self) -> dict[str, Any]:
        return {"p_best": self.p_best, "p_within_rope": self.p_within_rope, "expected_rank": self.expected_rank}

    # ---- for people

    def __repr__(self) -> str:
        name = next((f'"{name}"' for name in self.datasets), "one dataset")
        where = self.rests_on.replace("one dataset", name).replace("one test set", name)
        what = with_direction(self.metric, self.higher_is_better, self.scale)
        heading = f"Ranking: {len(self.models)} models, {what}, {where}, {self._rope_text()}"
        head = [*self._trouble(), heading, f"  {self.method}"]
        score, means = mean_scores(self)
        header = ["model", "P(best)", "P(within rope of best)", "expected rank", "95%", score]
        rows = [header, *self._rows(means)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = [
            "  " + "  ".join([row[0].ljust(widths[0]), *(x.rjust(w) for x, w in zip(row[1:], widths[1:], strict=True))])
            for row in rows
        ]
        if len(self.models) > MOST_SHOWN:
            rest = self.order()[MOST_SHOWN:]
            p = math.fsum(self._summary().ranks[rest, 0])
            table.append(f"  ... and {len(rest)} more models, P(one of them is best) {probability(p)}; see to_frame()")
        return visible_lines([*head, *table, *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        """What a notebook shows: who is best, and the table of the first models."""
        score, means = mean_scores(self)
        columns = ["model", "P(best)", "P(within rope of best)", "expected rank", "95%", score]
        rest = len(self.models) - MOST_SHOWN
        more = [f"and {counted(rest, 'more model')}: to_frame()"] if rest > 0 else []
        return notebook.page(
            " ".join([*self._trouble(), best_model(self, None)]),
            notebook.table(columns, self._rows(means), "lrrrrr"),
            notes=[*more, *self.notes],
        )

    def _rows(self, means: list[str]) -> Iterator[list[str]]:
        summary, low_high = self._summary(), list(self.rank_hdi().values())
        ranks = list(self.expected_rank.values())
        for i in self.order()[:MOST_SHOWN]:
            show = [probability(p, self.largest_mcse) for p in (summary.ranks[i, 0], summary.within_rope[i])]
            yield [visible(self.models[i], keep=""), *show, f"{ranks[i]:.1f}", "{}-{}".format(*low_high[i]), means[i]]

    def order(self) -> NDArray[np.intp]:
        """The models by their expected ranks; of equal ones the more probably best first."""
        ranks = self._summary().ranks
        return np.lexsort((-ranks[:, 0], ranks @ np.arange(ranks.shape[1])))

    # ---- shared steps

    @property
    def _allowed_gap(self) -> float:
        """How far below the best a model may be and still be within the rope."""
        return self.rope.high

    @property
    def beyond_the_rope(self) -> str:
        """How far apart two practically different models are, in words; empty where there is no rope."""
        return beyond(self)

    @property
    def quantity(self) -> str:
        """What makes a model the best one, in a word or two."""
        return "mean rank" if self.settings.get("by") == "rank" else "mean score"

    @property
    def rests_on(self) -> str:
        """The datasets, folds, runs or items behind the numbers, counted."""
        if len(self.datasets) > 1 or self.left_out:
            return datasets_used(self)
        design = self.settings.get("resampling")
        what = "run" if "runs" in self.settings else "item" if getattr(design, "scheme", "") == "items" else "fold"
        return f"{self.n:,} {what}{'' if self.n == 1 else 's'} of one {'test set' if what == 'item' else 'dataset'}"

    def p_beaten(self, near: tuple[str, ...], far: tuple[str, ...]) -> tuple[Floats, float]:
        """For each of `far`, P(all of `near` beat it and all after it); and P(no `far` within the rope of the best)."""
        request = self._allowed_gap, *self._places(near, far)
        shares = self._numbers(beaten_name(*request), lambda: count_beaten(self.inference, [request])[0])
        return shares[:-1], float(shares[-1])

    def _places(self, near: tuple[str, ...], far: tuple[str, ...]) -> tuple[list[int], list[int]]:
        return [self._index(model) for model in near], [self._index(model) for model in far]

    @property
    def _summary_name(self) -> str:
        return f"gap {self._allowed_gap!r}"

    def _summary(self) -> "RankSummary":
        if self._summary_name not in self._counted:
            self._counted[self._summary_name] = summarise(self.inference, self._allowed_gap)
        summary = self._counted[self._summary_name]
        assert isinstance(summary, RankSummary)
        return summary

    def _numbers(self, name: str, compute: Callable[[], Floats]) -> Floats:
        """An array that is computed once, by its name."""
        if name not in self._counted:
            self._counted[name] = Numbers(compute())
        numbers = self._counted[name]
        assert isinstance(numbers, Numbers)
        return numbers.values.copy()

    def _named(self, values: Floats) -> dict[str, float]:
        return dict(zip(self.models, values.tolist(), strict=True))

    def _index(self, model: str) -> int:
        if not is_one_of(model, self.models):
            raise unknown_name("model", model, self.models)
        return self.models.index(model)


# ---- draws, counted


@dataclass(frozen=True, eq=False)
class Numbers(Value):
    """An array that was computed from the draws."""

    values: Floats


@dataclass(frozen=True, eq=False)
class RankSummary(Value):
    """Shares of the draws, for one allowed gap to the best; arrays over models, `ranks` models x ranks."""

    ranks: Floats
    within_rope: Floats
    mean: Floats
    mcse: Floats


def summarise(inference: AbilityInference, allowed_gap: float) -> RankSummary:
    """One pass over the draws; a model is within the rope if it is at most `allowed_gap` below the largest."""
    return summaries(inference, [allowed_gap])[0]


def summaries(
    inference: AbilityInference, allowed_gaps: Sequence[float], known: RankSummary | None = None
) -> list[RankSummary]:
    """The same for several allowed gaps: draws and ranks depend on none of them, and may be `known`."""
    counts, sizes, means = [], [], []
    within: list[list[Floats]] = [[] for _ in allowed_gaps]
    hits: list[list[Floats]] = [[] for _ in allowed_gaps]
    for block in inference.drawn():
        sizes.append(len(block.gaps))
        if known is None:
            counts.append(count_ranks(block.gaps, block.tolerance))
            means.append(block.ability.sum(axis=0))
        for allowed, near_so_far, hits_so_far in zip(allowed_gaps, within, hits, strict=True):
            near = block.gaps >= lowest_within(block, allowed)
            near_so_far.append(near.sum(axis=0))
            if not inference.independent:
                best = block.gaps >= block.best - block.tolerance
                hits_so_far.append(np.stack([best / best.sum(axis=1, keepdims=True), near]))
    total = sum(sizes)
    reached = [np.clip(sum(parts) / total, 0.0, 1.0) for parts in within]
    ranks = np.clip(sum(counts) / total, 0.0, 1.0) if known is None else known.ranks
    mean = sum(means) / total if known is None else known.mean
    found = []
    for share, chains in zip(reached, hits, strict=True):
        shares = np.stack([ranks[:, 0], share])
        errors = independent_mcse(shares, total) if inference.independent else _chain_mcse(chains)
        found.append(RankSummary(ranks, share, mean, errors.max(axis=0)))
    return found


def beaten_name(allowed_gap: float, near: list[int], far: list[int]) -> str:
    """The name by which `count_beaten` is remembered."""
    return f"beaten {allowed_gap!r} {near} {far}"


def count_beaten(inference: AbilityInference, asked: Sequence[tuple[float, list[int], list[int]]]) -> list[Floats]:
    """`RankingPosterior.p_beaten` for several (allowed gap, near, far) in one pass: the shares, the last one last."""
    hits, total = [np.zeros(len(far) + 1) for _, _, far in asked], 0
    for block in inference.drawn() if asked else ():
        columns, tolerance = np.ascontiguousarray(block.gaps.T), np.transpose(block.tolerance)
        for found, (allowed_gap, near, far) in zip(hits, asked, strict=True):
            lowest, highest = columns[near].min(axis=0), np.full(len(block.gaps), -np.inf)
            for place in reversed(range(len(far))):
                np.maximum(highest, columns[far[place]], out=highest)
                found[place] += np.count_nonzero(lowest > highest + tolerance)
            found[-1] += np.count_nonzero(highest < lowest_within(block, allowed_gap).T)
        total += len(block.gaps)
    return [found / total for found in hits]


def check_no_rope(rope: Rope) -> None:
    """Raise where a rope is given for mean ranks."""
    if not rope.is_zero:
        raise RopeError(
            f'A rope is a difference of scores, and mean ranks have none: got rope {rope} with by="rank". Use rope=0, '
            'or by="score".'
        )


def lowest_within(block: Block, allowed_gap: float) -> Floats:
    """The smallest gaps, draws x 1, that are at most `allowed_gap` below the best one."""
    return block.best - (allowed_gap * (1 + BORDER_TOLERANCE) + block.tolerance)


def _chain_mcse(hits: list[Floats]) -> Floats:
    """Standard errors from chains; `hits` has for each chain (best, within the rope) x draws x models."""
    found = np.stack(hits) > 0.5
    return np.array([[share_mcse(found[:, s, :, i]) for i in range(found.shape[3])] for s in range(2)])


def count_ranks(values: Floats, tolerance: Floats | float) -> Floats:
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
