"""Who is tied at the top, and who is clearly worse: the models of a ranking in three groups, and one sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import sentences
from bayescmp.checks import check_number, is_one_of
from bayescmp.errors import name_list, unknown_name
from bayescmp.text import probability, visible_lines
from bayescmp.values import Value

if TYPE_CHECKING:
    from bayescmp.bayes.ranking.result import RankingPosterior


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Groups(Value):
    """Models by w = P(within the rope of the best), each group in the order of the expected ranks.

    Attributes
    ----------
    top : tuple of str
        Those with w >= threshold. It may be empty.
    open : tuple of str
        Those about which nothing is decided.
    worse : tuple of str
        Those with w <= 1 - threshold, each taken alone.
    beaten : tuple of str
        As many of the worse ones, the last first, as all models of the other groups beat together with a probability
        that reaches the threshold.
    p_within_rope : dict
        w of every model.
    threshold : float
    probability : float or None
        The joint probability of what the sentence claims of the beaten models; None where it claims nothing.
    by_rope : bool
        Whether one model is better than all others by more than the rope; else beating is any advantage.
    quantity : str
        What makes a model the best one, such as "mean score".
    beyond : str
        How far apart practically different models are, in words.
    rests_on : str
        What the groups rest on, such as "24 datasets".
    mcse : float
        The largest Monte-Carlo standard error of the probabilities.
    caution : str
        The measured rate at which such claims come true, where the datasets are few; else empty.
    cheapest : str or None
        The cheapest model of the top, where costs were given.

    See Also
    --------
    RankingPosterior : has the draws; `groups()` makes these.
    bayescmp.Comparison : `groups()` is the first line of what it prints.

    Examples
    --------
    >>> import bayescmp as bc
    >>> groups = bc.bayes.rank_models(bc.load_domains(), rope=1, random_seed=1).groups(threshold=0.9)
    >>> groups.top, groups.worse
    (('A',), ('B',))
    """

    top: tuple[str, ...]
    open: tuple[str, ...]
    worse: tuple[str, ...]
    beaten: tuple[str, ...]
    p_within_rope: dict[str, float]
    threshold: float
    probability: float | None
    by_rope: bool
    quantity: str
    beyond: str
    rests_on: str
    mcse: float = 0.0
    caution: str = ""
    cheapest: str | None = None

    @property
    def not_worse(self) -> tuple[str, ...]:
        """The models that may be the best or as good as it: the top and the open ones, by expected rank."""
        return tuple(model for model in self.p_within_rope if model not in self.worse)

    def sentence(self) -> str:
        """The groups in one line."""
        return sentences.of_groups(self)

    def __repr__(self) -> str:
        lines = [self.sentence()]
        for what, models in (("top", self.top), ("open", self.open), ("worse", self.worse)):
            shown = ", ".join(
                f"{model} {probability(self.p_within_rope[model], self.mcse, self.threshold)}" for model in models
            )
            lines.append(f"  {what + ':':7}{shown or 'none'}")
        lines.append(f"  by P(within the rope of the best) of the {self.quantity}, from {self.rests_on}")
        return visible_lines(lines + ([f"  note: {self.caution}"] if self.caution else []))


def group_models(ranking: "RankingPosterior", threshold: float, cost: Mapping[str, float] | None = None) -> Groups:
    """The groups of a ranking's models."""
    w, rest, worse = near_and_far(ranking, threshold)
    names, top = list(w), tuple(model for model in rest if w[model] >= threshold)
    beaten: tuple[str, ...] = ()
    p, by_rope = None, False
    if rest and worse:
        tails, apart = ranking.p_beaten(rest, worse)
        enough = np.flatnonzero(tails >= threshold)
        if len(rest) == 1 and apart >= threshold:  # then it beats all others by more than the rope
            beaten, p, by_rope = worse, apart, True
        elif enough.size:
            beaten, p = worse[enough[0] :], float(tails[enough[0]])
    return Groups(
        top=top,
        open=tuple(model for model in rest if model not in top),
        worse=worse,
        beaten=beaten,
        p_within_rope=w,
        threshold=float(threshold),
        probability=p,
        by_rope=by_rope,
        quantity=ranking.quantity,
        beyond=ranking.beyond_the_rope,
        rests_on=ranking.rests_on,
        mcse=max(ranking.mcse.values()),
        caution=sentences.few_for_groups(ranking.inference.measured),
        cheapest=None if cost is None else _cheapest(top, names, cost),
    )


def near_and_far(
    ranking: "RankingPosterior", threshold: float
) -> tuple[dict[str, float], tuple[str, ...], tuple[str, ...]]:
    """P(within the rope of the best) by expected rank, and by it the models that may be the best and the worse ones."""
    within = ranking.p_within_rope
    w = {ranking.models[i]: within[ranking.models[i]] for i in ranking.order()}
    worse = tuple(model for model, p in w.items() if p <= 1 - threshold and p < threshold)
    return w, tuple(model for model in w if model not in worse), worse


def _cheapest(top: tuple[str, ...], names: list[str], cost: Mapping[str, float]) -> str | None:
    if not isinstance(cost, Mapping):
        raise ValueError(f"`cost` must be a mapping from every model to a number, got {cost!r}.")
    for name in cost:
        if not is_one_of(name, names):
            raise unknown_name("model", name, names)
    if missing := [name for name in names if name not in cost]:
        raise ValueError(f"`cost` must have a number for every model, but {name_list(missing)} has none.")
    costs = {name: check_number(f"cost of {name}", x) for name, x in cost.items()}
    if bad := [name for name, x in costs.items() if not np.isfinite(x)]:
        raise ValueError(f"`cost` must be finite numbers, got {costs[bad[0]]} for {bad[0]}.")
    return min(top, key=costs.__getitem__, default=None)
