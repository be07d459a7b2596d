"""The result of a Bayesian test: three probabilities of A over B, with everything that changed them."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np

from bayescmp import notebook
from bayescmp.bayes.nuts import Diagnosed
from bayescmp.catalogue import entries
from bayescmp.checks import check_count, check_threshold
from bayescmp.rope import Decision, Rope, RopeLike, ropes_of
from bayescmp.scores.metrics import with_direction
from bayescmp.scores.pair import Pair, check_scale
from bayescmp.sentences import decision_words, difference_text, rope_label
from bayescmp.text import about_row, probability, versions
from bayescmp.values import NOT_KEPT, Value

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.planning import Plan

OUTCOMES = ("better", "equivalent", "worse")
DEFAULT_MASS = 0.95


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BayesianResult(Value):
    """What results about two models and about many share: what was compared, by what, and how it went."""

    metric: str | None
    higher_is_better: bool
    scale: str
    datasets: tuple[str, ...]
    n: int
    rope: Rope
    method: str
    engine: str
    estimand: str
    settings: dict[str, Any] = field(default_factory=dict)
    random_seed: int | None = None
    diagnostics: Diagnosed | None = None
    notes: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=versions)
    inference_data: Any = field(default=None, compare=False, metadata=NOT_KEPT)

    def __post_init__(self) -> None:
        check_count("n", self.n)
        check_scale(self.scale)

    @property
    def problems(self) -> tuple[str, ...]:
        """Reasons not to trust the numbers; empty where all is well."""
        return self.diagnostics.problems if self.diagnostics else ()

    def _trouble(self) -> list[str]:
        """The first line of a repr, where there are problems."""
        return [f"NOT CONVERGED: {'; '.join(self.problems)}"] if self.problems else []

    def _rope_text(self) -> str:
        return "no rope" if self.rope.is_zero else f"rope {rope_label(self)}"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Posterior(BayesianResult):
    """What every Bayesian result has: names, settings, three probabilities, a decision.

    Attributes
    ----------
    a, b : str
        The models' names. "Better" means A over B.
    metric, higher_is_better, scale
        What was measured, its direction, and the scale of the differences.
    datasets : tuple of str
    n : int
        The number of paired scores that were used.
    rope : Rope
    method, engine, estimand : str
        The test, how it was computed, and what the probabilities are probabilities of.
    settings : dict
        Whatever else changes the numbers.
    random_seed : int or None
        None where nothing was drawn.
    diagnostics : Diagnostics or None
        The diagnostics of NUTS, where it ran.
    notes : tuple of str
        Degenerate data and the like.
    versions : dict

    See Also
    --------
    DifferencePosterior, RegionPosterior

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.sign_test(bc.load_uci().pair("rf", "nb"), rope=0.01)
    >>> bc.bayes.Posterior.from_dict(p.to_dict()) == p
    True
    """

    a: str
    b: str

    # ---- the three probabilities

    @property
    def three(self) -> tuple[float, float, float]:
        """P(A better), P(equivalent), P(B better); they sum to 1."""
        raise NotImplementedError

    @property
    def p_better(self) -> float:
        """The probability that A is better than B by more than the rope."""
        return self.three[0]

    @property
    def p_equivalent(self) -> float:
        """The probability that A and B are practically equivalent."""
        return self.three[1]

    @property
    def p_worse(self) -> float:
        """The probability that B is better than A by more than the rope."""
        return self.three[2]

    @property
    def probabilities(self) -> dict[str, float]:
        """The three probabilities by name."""
        return dict(zip(self.labels, self.three, strict=True))

    @property
    def mcse(self) -> dict[str, float]:
        """The Monte-Carlo standard error of each probability: 0.0 where it is exact."""
        return dict.fromkeys(self.labels, 0.0)

    @property
    def largest_mcse(self) -> float:
        """The largest Monte-Carlo standard error of the three probabilities."""
        return max(self.mcse.values())

    @property
    def numerical_error(self) -> float:
        """The error estimate of a deterministic engine; 0.0 where the numbers are exact, or Monte Carlo."""
        return 0.0

    @property
    def labels(self) -> tuple[str, str, str]:
        """The three outcomes in words."""
        return f"{self.a} better", "equivalent", f"{self.b} better"

    @property
    def expected(self) -> dict[str, float] | None:
        """The expected shares of the three outcomes; None where the probabilities are about a mean difference."""
        return None

    # ---- the difference

    @property
    def mean(self) -> float | None:
        """The posterior mean of the difference A - B; None where the test has none."""
        raise NotImplementedError

    def hdi(self, mass: float = DEFAULT_MASS) -> tuple[float, float]:
        """The highest-density interval that holds `mass` of the posterior of the difference."""
        raise NotImplementedError

    @property
    def losses(self) -> tuple[float, float] | None:
        """The expected shortfall of choosing A and of choosing B, in units of the score; None without a difference.

        E[max(-d, 0)] and E[max(d, 0)] for the difference d = A - B; the second less the first is its mean.
        """
        if self.mean is None:
            return None
        gain = self._gain()
        return max(0.0, gain - self.mean), gain

    def _gain(self) -> float:
        """E[max(d, 0)]."""
        raise NotImplementedError

    @property
    def mean_three(self) -> tuple[float, float, float] | None:
        """P(the mean difference is above the rope), P(inside), P(below); None where the test has no difference.

        Over many datasets this is another thing than `three`, which is about what a new dataset will show.
        """
        return self.three

    # ---- decisions and other views

    def decision(self, threshold: float = 0.95) -> Decision:
        """The region whose probability reaches the threshold; undecided where none does."""
        return Decision.of(self.three, check_threshold(threshold))

    def plan(self, pair: Pair, *, threshold: float = 0.95, more: Any = None, **options: Any) -> "Plan":
        """What more data would decide, from the `pair` that this posterior was computed from: a `planning.Plan`.

        `threshold`, `more` (how many more) and the other `options` are those of `planning.plan`; the test, the rope and
        the prior are those of this posterior.
        """
        from bayescmp.planning import plan

        test = next((entry for entry in entries("bayes") if entry.label == self.method), None)
        if test is None or self.engine == "nuts":
            raise ValueError(f"A plan needs a fast test of two models, got the {self.method} by {self.engine}.")
        known = inspect.signature(test.call).parameters
        own = {name: x for name, x in self.settings.items() if name in known and name.startswith(("prior", "min_sd"))}
        found = plan(pair, test.name, rope=self.rope, threshold=threshold, more=more, **own | options)
        if (found.a, found.b) != (self.a, self.b) or max(abs(np.subtract(found.now, self.three))) > 0.02:
            raise ValueError(
                f"`pair` must be what this posterior of {self.a} and {self.b} was computed from, but its test gives "
                "other numbers. Give the same pair, and the options that the test was given."
            )
        return found

    def with_rope(self, rope: RopeLike) -> Self:
        """The same posterior with another rope; nothing is computed anew."""
        return self._copy(rope=Rope.of(rope))

    def at_ropes(self, ropes: Iterable[RopeLike]) -> list[Self]:
        """The same posterior with each of these ropes."""
        return [self.with_rope(rope) for rope in ropes]

    def swap(self) -> Self:
        """B over A."""
        raise NotImplementedError

    def draws(self, n: int = 4000, random_seed: int = 0) -> Any:
        """`n` draws from the posterior, the same for the same `random_seed`."""
        raise NotImplementedError

    def rope_curve(self, ropes: Iterable[RopeLike]) -> "pd.DataFrame":
        """The three probabilities (and expected shares) on a grid of ropes, all from this posterior."""
        from bayescmp.needs import pandas as pd

        moved = self.at_ropes(ropes_of(ropes))
        return pd.DataFrame([{"rope_low": p.rope.low, "rope_high": p.rope.high, **p.numbers()} for p in moved])

    def numbers(self) -> dict[str, float]:
        """The three probabilities by column, their Monte-Carlo and numerical error, and the expected shares, if any."""
        three = {f"p_{name}": p for name, p in zip(OUTCOMES, self.three, strict=True)}
        shares = {} if self.expected is None else dict(zip(OUTCOMES, self.expected.values(), strict=True))
        errors = {"mcse": self.largest_mcse, "numerical_error": self.numerical_error}
        return three | errors | {f"expected_{name}": x for name, x in shares.items()}

    def prior_sensitivity(self, threshold: float = 0.95) -> "pd.DataFrame":
        """The three probabilities under other priors, and the decision at `threshold`; the first row is this result."""
        raise ValueError(f"The {self.method} has one prior only: there is nothing to vary.")

    def _prior_row(self, label: str, threshold: float) -> dict[str, Any]:
        """The row of `prior_sensitivity` for this result: its numbers and its decision."""
        return {"prior": label, **self.numbers(), "decision": decision_words(self, self.decision(threshold))}

    # ---- for people and programs

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """Draw the result, and return the Axes.

        Kinds: "posterior", "hdi" and "rope_curve" of a mean difference; over many datasets "simplex" first, and
        "prior_sensitivity"; of the hierarchical test also "forest". The options are those of `plots.plot_<kind>`.
        """
        from bayescmp.plots import plot_result

        return plot_result(self, kind, **options)

    def sentence(self, threshold: float | None = None) -> str:
        """The result in a sentence for the report; with a `threshold`, probabilities stay on their side of it."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """What a notebook shows: the sentence, the three probabilities, the estimate."""
        chances = [probability(p, self.largest_mcse) for p in self.three]
        rows = [("rope", self._rope_text().removeprefix("rope ")), ("method", self.method)]
        if self.mean is not None:
            rows.insert(0, ("estimate", difference_text(self)))
        if self.expected is not None:
            shares = [f"{label} {probability(x)}" for label, x in self.expected.items()]
            rows.insert(0, ("expected next", ", ".join(shares)))
        labels = [f"P({label}" + (" is most probable)" if self.expected is not None else ")") for label in self.labels]
        return notebook.page(
            " ".join([*self._trouble(), self.sentence()]),
            notebook.bar(labels, self.three, chances),
            notebook.table(("", ""), rows, "ll"),
            notes=self.notes,
        )

    def settle(self) -> None:
        """Compute what takes long, once, so that it travels with the result."""

    def row(self) -> dict[str, Any]:
        """The result as one flat row: what was compared, estimate, interval, probabilities, decision."""
        low, high = (None, None) if self.mean is None else self.hdi()
        losses = self.losses or (None, None)
        shares = (None,) * 3 if self.expected is None else self.expected.values()
        return {
            **about_row(self),
            "engine": self.engine,
            "mean": self.mean,
            "hdi_low": low,
            "hdi_high": high,
            "p_better": self.p_better,
            "p_equivalent": self.p_equivalent,
            "p_worse": self.p_worse,
            "mcse": self.largest_mcse,
            "numerical_error": self.numerical_error,
            **{f"expected_{name}": share for name, share in zip(OUTCOMES, shares, strict=True)},
            "loss_a": losses[0],
            "loss_b": losses[1],
            "rope_low": self.rope.low,
            "rope_high": self.rope.high,
            "decision": self.decision().words(self.a, self.b),
        }

    def to_frame(self) -> "pd.DataFrame":
        """`row()` as a frame of one row."""
        from bayescmp.needs import pandas as pd

        return pd.DataFrame([self.row()])

    def _summarised(self) -> dict[str, Any]:
        return {"probabilities": self.probabilities, "expected": self.expected}

    def _heading(self) -> str:
        what = with_direction(self.metric, self.higher_is_better, self.scale)
        return f"Posterior: {self.a} vs {self.b}, {what}, {self.method}"

    def _probability_line(self) -> str:
        parts = [f"P({label}) {probability(p, self.largest_mcse)}" for label, p in self.probabilities.items()]
        if self.rope.is_zero:
            del parts[1]
        return "   ".join(parts)


class Posteriors(Sequence[Posterior]):
    """The posteriors of many pairs, which a test answers all at once; each is made when it is first asked for.

    `names` are the pairs, and `make(i)` is the posterior of pair i.
    """

    def __init__(self, names: Iterable[tuple[str, str]], make: Callable[[int], Posterior]) -> None:
        self.names = tuple(names)
        self._make = make
        self._made: dict[int, Posterior] = {}

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, i: int) -> Posterior: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Posterior, ...]: ...
    def __getitem__(self, i: int | slice) -> Posterior | tuple[Posterior, ...]:
        if isinstance(i, slice):
            return tuple(self[k] for k in range(*i.indices(len(self))))
        k = range(len(self))[i]
        if k not in self._made:
            self._made[k] = self._make(k)
        return self._made[k]

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)
