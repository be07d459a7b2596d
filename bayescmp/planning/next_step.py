"""What next? From an undecided comparison: how probable is it that more data decide it, and in whose favour?

Preposterior analysis: worlds are drawn from what is known, each adds data to those at hand, and the test is run again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.bayes.posterior import OUTCOMES
from bayescmp.checks import check_count, checked_seed
from bayescmp.planning.designs import DECISIONS, MOST_SHOWN, Decider, plannable, share_error, whole_numbers
from bayescmp.progress import progress_bar
from bayescmp.rope import ROPE, Decision, Rope, RopeLike
from bayescmp.scores.pair import Pair
from bayescmp.text import number, probability, text_table, versions, visible_lines
from bayescmp.values import Value

if TYPE_CHECKING:
    import pandas as pd

SIMULATIONS = 400
FEW_SIMULATIONS = 100
"""For tests that take long."""


def plan(
    pair: Pair,
    test: str,
    *,
    rope: RopeLike = ROPE,
    threshold: float = 0.95,
    more: int | Iterable[int] | None = None,
    simulations: int | None = None,
    random_seed: int | None = None,
    **options: Any,
) -> "Plan":
    """The probability that more data decide a comparison, and in whose favour.

    Parameters
    ----------
    pair : Pair
        The data at hand.
    test : str
        The Bayesian test by the name of its function.
    rope, threshold
        As for the test.
    more : int, or several
        How many more folds, datasets, items or runs. By default 10, 20 and 50 datasets; folds and items by their number
        at hand.
    simulations : int, optional
        Studies that are simulated for each of `more`.
    random_seed : int, optional
        Drawn and recorded if not given.
    **options
        Other options of the test.

    Returns
    -------
    Plan

    See Also
    --------
    design, assurance : before there are any data.

    Examples
    --------
    >>> import bayescmp as bc
    >>> pair = bc.load_uci().pair("rf", "svm")
    >>> bc.planning.plan(pair, "sign_test", rope=0.01, more=20, random_seed=1).more
    (20,)
    """
    if not isinstance(pair, Pair):
        raise ValueError(f"`pair` must be a Pair, as scores.pair(a, b) gives, got {type(pair).__name__}.")
    entry, kind = plannable(test, options)
    if entry.takes != "pair":
        raise ValueError(
            f"`test` must compare two models, got {test!r}. A study of the joint model from the scores at hand: "
            f'planning.assurance("{test}", pilot=scores, n=...).'
        )
    if options.get("target") == "benchmark":
        raise ValueError(
            '`target` must be "population" in a plan: a benchmark of these very items gets no more of them.'
        )
    decider = Decider(entry, rope, threshold, options)
    amounts = kind.steps(pair) if more is None else whole_numbers("more", more, kind)
    if simulations is None:
        simulations = FEW_SIMULATIONS if entry.slow else SIMULATIONS
    check_count("simulations", simulations, 10)
    seed = checked_seed(random_seed)
    now = decider.posteriors([pair], seed)[0]
    decided: list[tuple[float, float, float]] = []
    losses: list[float] = []
    with progress_bar(len(amounts), 0, f"plan, numbers of {kind.unit}", None) as advance:
        for m in amounts:
            rngs = [np.random.default_rng((seed, m, k)) for k in range(simulations)]
            found = decider.enlarged(now, [kind.drawn(pair, rng).more(pair, m, rng) for rng in rngs], seed)
            chosen = [Decision.of(p.three, decider.threshold) for p in found]
            better, equivalent, worse = (chosen.count(decision) for decision in DECISIONS)
            decided.append((better / simulations, equivalent / simulations, worse / simulations))
            known = now.losses is not None
            losses.append(float(np.mean([min(p.losses or (0.0,)) for p in found])) if known else float("nan"))
            advance()
    return Plan(
        test=entry.name,
        a=pair.a,
        b=pair.b,
        rope=decider.rope,
        threshold=decider.threshold,
        unit=kind.unit,
        at_hand=kind.size(pair),
        now=now.three,
        decision_now=now.decision(decider.threshold).words(pair.a, pair.b),
        more=amounts,
        decided=tuple(decided),
        loss_now=float("nan") if now.losses is None else min(now.losses),
        losses=tuple(losses),
        simulations=simulations,
        random_seed=seed,
        notes=(*kind.limits(pair), *now.notes),
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Plan(Value):
    """What more data would decide about a pair of models.

    Attributes
    ----------
    test, a, b, rope, threshold
        The test, the models, and what a decision needs.
    unit : str
        What more of: "folds", "datasets", "items" or "runs".
    at_hand : int
        How many there are.
    now : (float, float, float)
        The posterior's three probabilities now.
    decision_now : str
    more : tuple of int
        How many more.
    decided : tuple of (float, float, float)
        For each of `more`, the probabilities that the enlarged study decides better, equivalent, worse.
    loss_now, losses
        The expected loss of taking the better-looking model now, in units of the score, and after `more`; NaN where the
        test has no difference.
    simulations, random_seed, notes, versions

    See Also
    --------
    plan : makes one.

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.planning.plan(bc.load_uci().pair("rf", "svm"), "sign_test", rope=0.01, more=20, random_seed=1)
    >>> p.at_hand
    24
    """

    test: str
    a: str
    b: str
    rope: Rope
    threshold: float
    unit: str
    at_hand: int
    now: tuple[float, float, float]
    decision_now: str
    more: tuple[int, ...]
    decided: tuple[tuple[float, float, float], ...]
    loss_now: float
    losses: tuple[float, ...]
    simulations: int
    random_seed: int
    notes: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def mcse(self) -> tuple[float, ...]:
        """The Monte-Carlo standard error of the probability of a decision, for each of `more`."""
        return tuple(share_error(np.array(self.decided).sum(axis=1), self.simulations).tolist())

    def to_frame(self) -> "pd.DataFrame":
        """One row for each of `more`."""
        from bayescmp.needs import pandas as pd

        return pd.DataFrame(
            {
                "more": m,
                **{f"p_{name}": x for name, x in zip(OUTCOMES, p, strict=True)},
                "p_undecided": max(0.0, 1 - sum(p)),
                "mcse": error,
                "loss": loss,
            }
            for m, p, error, loss in zip(self.more, self.decided, self.mcse, self.losses, strict=True)
        )

    def sentence(self) -> str:
        """The plan in a sentence: the first amount that decides more probably than not, or the largest."""
        at = next((i for i, p in enumerate(self.decided) if sum(p) >= 0.5), len(self.more) - 1)
        total, error = sum(self.decided[at]), self.mcse[at]
        likely = int(np.argmax(self.decided[at]))
        words = (f"{self.a} better", "equivalent", f"{self.b} better")[likely]
        text = f"{self.more[at]} more {self.unit} would decide it with probability {probability(total, error)}"
        return f"{text}, most likely as {words}." if total > 0 else f"{text}."

    def plot(self, **options: Any) -> Any:
        """The probabilities of the decisions against the amount; the options are those of `plots.plot_plan`."""
        from bayescmp.plots import plot_plan

        return plot_plan(self, **options)

    def __repr__(self) -> str:
        rope = "no rope" if self.rope.is_zero else f"rope {self.rope}"
        rows = [
            [
                f"+{m}",
                *(probability(x, error) for x in (*p, max(0.0, 1 - sum(p)))),
                "" if np.isnan(loss) else number(loss, 30 * self.loss_now),
            ]
            for m, p, error, loss in zip(self.more, self.decided, self.mcse, self.losses, strict=True)
        ][:MOST_SHOWN]
        columns = [self.unit, f"{self.a} better", "equivalent", f"{self.b} better", "undecided", "expected loss"]
        lines = [
            f"Plan: {self.a} vs {self.b}, {self.at_hand} {self.unit} at hand ({self.decision_now}), {rope}, "
            f"threshold {self.threshold:g} ({self.simulations} simulated studies of each size, Monte-Carlo error at "
            f"most {max(self.mcse):.2g})",
            *(f"  {line}" for line in text_table(columns, rows, "rrrrrr").splitlines()),
            f"  {self.sentence()}",
            *(f"  note: {note}" for note in self.notes),
        ]
        return visible_lines(lines)
