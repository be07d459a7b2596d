"""How probable is it that a study of a given size decides the question, and how?

`design` assumes one truth, `assurance` averages over what is believed: a design prior, or the posterior of a pilot.
Exact where the test's catalogue entry names a function for it, by simulation otherwise, with Monte-Carlo errors.
"""

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.bayes.posterior import OUTCOMES, Posterior
from bayescmp.catalogue import Test, find, imported
from bayescmp.checks import check_count, check_share, check_threshold, checked_seed, is_list, is_one_of
from bayescmp.planning.worlds import JOINT, WORLDS, Folds, World
from bayescmp.progress import progress_bar
from bayescmp.rope import ROPE, Decision, Rope, RopeLike
from bayescmp.scores.pair import Pair
from bayescmp.scores.resampling import Resampling, check_design
from bayescmp.scores.table import Scores
from bayescmp.text import probability, text_table, versions
from bayescmp.values import Value

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Ints = NDArray[np.int_]
DECISIONS = (Decision.A_BETTER, Decision.EQUIVALENT, Decision.B_BETTER)
SIMULATIONS = 1000
FEW_SIMULATIONS = 200
"""For tests that take long."""
JOINT_SIMULATIONS = 40
JOINT_LENGTH = {"chains": 4, "draws": 250, "tune": 125}
"""For the joint model, whose Gibbs sampler takes a second or so."""
MANY_FOLDS = 10_000_000
TRUTHS = 400
"""Draws of the truth over which an exact design is averaged."""


def design(
    test: str,
    *,
    truth: Mapping[str, float],
    rope: RopeLike = ROPE,
    threshold: float = 0.95,
    n: int | Iterable[int] | None = None,
    resampling: Resampling | None = None,
    simulations: int | None = None,
    random_seed: int | None = None,
    **options: Any,
) -> "Design":
    """The probability of each decision of a planned study, if this is the truth.

    Parameters
    ----------
    test : str
        The Bayesian test by the name of its function, such as "correlated_ttest".
    truth : mapping
        One dataset: "mean", the true mean difference, and "sd", the standard deviation of the folds' differences. Many
        datasets: "mean" and "sd" of the datasets' differences, and "df" where they are Student t. Datasets with folds:
        "mean", "between" (standard deviation of the datasets' differences) and "sd" (of the folds). The joint model
        "multilevel": "mean" and "between" of models A and B, "sd" with folds, "models" (3 if not given), and "others",
        the mean difference of each other model to B (0 if not given); the decisions are those about A and B.
    rope : float, (low, high) or Rope
        The differences that make no practical difference; 0 for none.
    threshold : float
        Posterior probability needed to call a pair decided.
    n : int, or several
        The size of the study: folds of all repeats together, datasets, items or runs. By default the folds of
        `resampling`.
    resampling : Resampling, optional
        The design of the folds, where there are folds.
    simulations : int, optional
        Simulated studies of each size, for a test whose decisions have no closed form: 1,000 by default, 200 for the
        hierarchical test, and 40 for the joint model, which takes about a second for each.
    random_seed : int, optional
        Seed of the simulation; drawn and recorded if not given.
    **options
        Other options of the test, such as `prior`.

    Returns
    -------
    Design
        `p_better`, `p_equivalent`, `p_worse`, `p_undecided`, and `width`, the expected width of the 95 % HDI: numbers
        for one n, arrays for several.

    See Also
    --------
    assurance : without assuming one truth.
    bayescmp.frequentist.power_ttest : the frequentist mirror.

    References
    ----------
    Kruschke (2015). Doing Bayesian Data Analysis, chapter 13.

    Examples
    --------
    >>> import bayescmp as bc
    >>> d = bc.planning.design(
    ...     "correlated_ttest", truth={"mean": 0.02, "sd": 0.02}, rope=0.01, resampling=bc.Resampling.kfold(10, 10)
    ... )
    >>> round(d.p_better, 2), round(d.p_undecided, 2)
    (0.41, 0.59)
    """
    entry, kind = plannable(test, options)
    if not isinstance(truth, Mapping):
        raise ValueError(f'`truth` must be a mapping such as {{"mean": 0.02, "sd": 0.02}}, got {truth!r}.')
    check_design(resampling)
    world = kind.given(truth, resampling)
    plan = Decider(entry, rope, threshold, options)
    sizes = _sizes(n, resampling, kind)
    numbers = {name: float(value) for name, value in truth.items()}
    return plan.run(sizes, lambda rng: world, 1, simulations, random_seed, is_list(n), numbers, kind)


def assurance(
    test: str,
    *,
    truth: Mapping[str, Any] | None = None,
    pilot: Pair | Scores | None = None,
    rope: RopeLike = ROPE,
    threshold: float = 0.95,
    n: int | Iterable[int] | None = None,
    resampling: Resampling | None = None,
    simulations: int | None = None,
    random_seed: int | None = None,
    **options: Any,
) -> "Design":
    """The probability of each decision of a planned study, averaged over what is believed about the truth.

    Power assumes one truth; nobody knows it. Assurance (O'Hagan and Stevens 2001) averages over a design prior, or over
    the posterior of a pilot: the new study is one of its own, which does not use the pilot's data.

    Parameters
    ----------
    test : str
    truth : mapping, optional
        As for `design`, but each value may also be an array of draws (all of one length), or a distribution with a
        method `rvs`, such as those of scipy.stats.
    pilot : Pair, optional
        A small study in place of `truth`. For the joint model "multilevel", Scores whose first two models the decisions
        are about.
    rope, threshold, n, resampling, simulations, random_seed, **options
        As for `design`; the resampling is that of the pilot, if there is one.

    Returns
    -------
    Design

    See Also
    --------
    design : for one truth.

    References
    ----------
    O'Hagan, Stevens (2001). Bayesian assessment of sample size for clinical trials of cost-effectiveness. Medical
    Decision Making 21.

    Examples
    --------
    >>> import bayescmp as bc
    >>> pilot = bc.load_labour().pair("SVM", "DT")
    >>> d = bc.planning.assurance("correlated_ttest", pilot=pilot, rope=0.01, n=100, random_seed=1)
    >>> round(d.p_better, 1)
    0.4
    """
    entry, kind = plannable(test, options)
    check_design(resampling)
    if (truth is None) == (pilot is None):
        raise ValueError("Give `truth`, what is believed about the difference, or a `pilot`: one of them.")
    plan = Decider(entry, rope, threshold, options)
    if pilot is not None:
        if kind in JOINT.values():
            kind.drawn(pilot, np.random.default_rng(0))  # raises where it cannot be
        elif not isinstance(pilot, Pair):
            raise ValueError(f"`pilot` must be a Pair, as scores.pair(a, b) gives, got {type(pilot).__name__}.")
        resampling = pilot.resampling[0] if resampling is None else resampling
        both = (pilot.a, pilot.b) if isinstance(pilot, Pair) else pilot.models[:2]
        sizes, numbers = _sizes(n, resampling, kind), {"pilot": " vs ".join(both)}
        return plan.run(
            sizes, lambda rng: kind.drawn(pilot, rng), TRUTHS, simulations, random_seed, is_list(n), numbers, kind
        )
    believed = _Believed(truth, kind, resampling)
    numbers = {name: believed.summary(name) for name in believed.truth}
    sizes = _sizes(n, resampling, kind)
    return plan.run(sizes, believed.draw, TRUTHS, simulations, random_seed, is_list(n), numbers, kind)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Design(Value):
    """What a planned study decides, and how probably.

    Attributes
    ----------
    test : str
    truth : dict
        What was assumed about the difference; for `assurance`, what was believed, in words.
    rope : Rope
    threshold : float
    unit : str
        What n counts: "folds", "datasets", "items" or "runs".
    sizes : tuple of int
        The sizes of the study.
    decided : tuple of (float, float, float)
        For each size, the probabilities of deciding better, equivalent and worse.
    mcse : tuple of (float, float, float)
        Their Monte-Carlo standard errors; 0.0 where they are exact.
    widths : tuple of float
        The expected width of the 95 % HDI; NaN where the test has none.
    ceiling : (float, float, float) or None
        What the three probabilities tend to as the repeats of the same cross-validation grow, where they tend to
        something: more repeats do not help beyond the correlation of the folds, more data do.
    simulations, random_seed
        Simulated studies of each size, and their seed; 0 where no study is simulated.
    truths : int
        Draws of the truth over which an exact design is averaged.
    grid : bool
        Whether several sizes were asked for, so that `p_better` and the others are arrays.

    See Also
    --------
    design, assurance : make one.

    Examples
    --------
    >>> import bayescmp as bc
    >>> d = bc.planning.design("sign_test", truth={"mean": 0.02, "sd": 0.02}, rope=0.01, n=range(10, 60, 10))
    >>> d.smallest_n(power=0.8)
    SmallestN(first=30, stays=30)
    """

    test: str
    truth: dict[str, Any]
    rope: Rope
    threshold: float
    unit: str
    sizes: tuple[int, ...]
    decided: tuple[tuple[float, float, float], ...]
    mcse: tuple[tuple[float, float, float], ...]
    widths: tuple[float, ...]
    ceiling: tuple[float, float, float] | None = None
    simulations: int = 0
    truths: int = 1
    random_seed: int | None = None
    grid: bool = False
    notes: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=versions)

    def _column(self, values: Iterable[float]) -> Any:
        """A number where one size was asked for, else an array."""
        found = np.array(list(values), dtype=float)
        return found if self.grid else float(found[0])

    @property
    def n(self) -> Any:
        """The size of the study, or the sizes."""
        return np.array(self.sizes) if self.grid else self.sizes[0]

    @property
    def p_better(self) -> Any:
        """The probability of deciding that A is better."""
        return self._column(p[0] for p in self.decided)

    @property
    def p_equivalent(self) -> Any:
        """The probability of deciding that the two are equivalent."""
        return self._column(p[1] for p in self.decided)

    @property
    def p_worse(self) -> Any:
        """The probability of deciding that B is better."""
        return self._column(p[2] for p in self.decided)

    @property
    def p_undecided(self) -> Any:
        """The probability of no decision."""
        return self._column(max(0.0, 1 - sum(p)) for p in self.decided)

    @property
    def width(self) -> Any:
        """The expected width of the 95 % HDI of the difference; NaN where the test has none."""
        return self._column(self.widths)

    def smallest_n(self, power: float = 0.8, outcome: str = "decided") -> "SmallestN":
        """The first of the sizes with this probability, and the one from which on all have it; None where none has.

        Probabilities of decisions about counts go up and down with n like the teeth of a saw, so that the two differ.

        Parameters
        ----------
        power : float
        outcome : "decided", "better", "equivalent" or "worse"
            The decision that is wanted; "decided" is any of the three.
        """
        check_share("power", power)
        if not is_one_of(outcome, ("decided", *OUTCOMES)):
            raise ValueError(f"`outcome` must be one of decided, {', '.join(OUTCOMES)}, got {outcome!r}.")
        column = (lambda p: sum(p)) if outcome == "decided" else (lambda p: p[OUTCOMES.index(outcome)])
        return smallest_n(self.sizes, [column(p) for p in self.decided], power)

    def to_frame(self) -> "pd.DataFrame":
        """One row per size."""
        from bayescmp.needs import pandas as pd

        rows = [
            {
                "n": n,
                **{f"p_{name}": x for name, x in zip(OUTCOMES, p, strict=True)},
                "p_undecided": max(0.0, 1 - sum(p)),
            }
            | {"mcse": max(error), "width": width}
            for n, p, error, width in zip(self.sizes, self.decided, self.mcse, self.widths, strict=True)
        ]
        return pd.DataFrame(rows)

    def plot(self, **options: Any) -> Any:
        """The probabilities of the decisions against n; the options are those of `plots.plot_plan`."""
        from bayescmp.plots import plot_plan

        return plot_plan(self, **options)

    def __repr__(self) -> str:
        entry = find(self.test, "bayes")
        about = ", ".join(
            f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in self.truth.items()
        )
        how = f"{self.simulations} simulated studies" if self.simulations else "exact"
        how += f", over {self.truths} draws of the truth" if self.truths > 1 else ""
        rope = "no rope" if self.rope.is_zero else f"rope {self.rope}"
        heading = f"Design: {entry.label}, {about}, {rope}, threshold {self.threshold:g} ({how})"
        rows = [
            [
                f"{n}",
                *(probability(x, max(errors)) for x in (*p, max(0.0, 1 - sum(p)))),
                "" if np.isnan(width) else f"{width:.3g}",
            ]
            for n, p, errors, width in zip(self.sizes, self.decided, self.mcse, self.widths, strict=True)
        ]
        shown = rows if len(rows) <= MOST_SHOWN else [*rows[: MOST_SHOWN - 1], rows[-1]]
        table = text_table(
            [self.unit, "P(A better)", "P(equivalent)", "P(B better)", "P(undecided)", "95% HDI width"], shown, "rrrrrr"
        )
        notes = [f"  note: {note}" for note in self.notes]
        left = [f"  {len(rows) - len(shown)} sizes are not shown: to_frame()"] if len(shown) < len(rows) else []
        return "\n".join([heading, *(f"  {line}" for line in table.splitlines()), *left, *notes])


MOST_SHOWN = 12


@dataclass(frozen=True)
class SmallestN(Value):
    """The first size with a wanted probability, and the size from which on it stays; None where there is none.

    See Also
    --------
    Design : its `smallest_n` makes one.

    Examples
    --------
    >>> from bayescmp.planning import SmallestN
    >>> SmallestN(first=19, stays=22).stays
    22
    """

    first: int | None
    stays: int | None


def smallest_n(sizes: Iterable[int], powers: Iterable[float], power: float) -> SmallestN:
    """The first of the sizes that has the power, and the one from which on all have it."""
    reached = [(n, p >= power) for n, p in sorted(zip(sizes, powers, strict=True))]
    first = next((n for n, enough in reached if enough), None)
    stays = None
    for n, enough in reversed(reached):
        if not enough:
            break
        stays = n
    return SmallestN(first, stays)


# ---- the steps


def share_error(share: Floats, n: int) -> Floats:
    """The standard error of a share of n simulated studies, which is not 0 where all or none of them decide.

    Agresti and Coull (1998): with two more successes and two more failures.
    """
    near = (share * n + 2) / (n + 4)
    return np.asarray(np.sqrt(near * (1 - near) / (n + 4)))


def plannable(test: str, options: Mapping[str, Any]) -> tuple[Test, type[World]]:
    """The entry of the test, and the kind of world that it is about."""
    entry = find(test, "bayes")
    kind = JOINT.get(entry.name)
    if entry.takes == "pair":
        kind = next((WORLDS[name] for name in entry.designs if name in WORLDS), None)
    if kind is None:
        known = [*(t.name for t in _plannable_tests()), *JOINT]
        raise ValueError(f"`test` must be one of {', '.join(known)}, got {test!r}.")
    known_options = inspect.signature(entry.call).parameters
    for name in options:
        if name not in known_options or name in FIXED:
            raise ValueError(f"`{entry.name}` has no option `{name}` that a plan could use.")
    return entry, kind


FIXED = ("a", "b", "scores", "resampling", "dataset", "higher_is_better", "engine", "progressbar", "nuts_options")
"""Options of tests that are not for plans."""


def _plannable_tests() -> list[Test]:
    from bayescmp.catalogue import entries

    return [test for test in entries("bayes") if any(name in WORLDS for name in test.designs)]


def _sizes(n: Any, resampling: Resampling | None, kind: type[World]) -> Ints:
    """The sizes of the study, each a whole number that the test can do with."""
    if n is None and kind is Folds and resampling is not None and resampling.n is not None:
        n = resampling.n
    if n is None:
        raise ValueError(f"`n` must be the number of {kind.unit} of the planned study, or several; got none.")
    return np.array(whole_numbers("n", n, kind))


def whole_numbers(name: str, given: Any, kind: type[World]) -> tuple[int, ...]:
    """One size or several, each at least what a study needs."""
    numbers = list(given) if is_list(given) and not isinstance(given, bytes) else [given]
    if not numbers:
        raise ValueError(f"`{name}` must hold at least one number of {kind.unit}, got none.")
    return tuple(check_count(name, number, kind.least if name == "n" else 1) for number in numbers)


class _Believed:
    """Draws of the truth from a design prior."""

    def __init__(self, truth: Mapping[str, Any] | None, kind: type[World], resampling: Resampling | None) -> None:
        if not isinstance(truth, Mapping):
            raise ValueError(f"`truth` must be a mapping from names to numbers, draws or distributions, got {truth!r}.")
        self.truth, self.kind, self.resampling = dict(truth), kind, resampling
        self.lists = {name: np.asarray(x, dtype=float).ravel() for name, x in self.truth.items() if is_list(x)}
        if len({x.size for x in self.lists.values()}) > 1 or any(not x.size for x in self.lists.values()):
            sizes = ", ".join(f"{name} {x.size}" for name, x in self.lists.items())
            raise ValueError(f"Draws of the truth must be of one length, because they belong together; got {sizes}.")
        self.draw(np.random.default_rng(0))  # raises where it cannot be

    def draw(self, rng: np.random.Generator) -> World:
        """One world."""
        row = rng.integers(next(iter(self.lists.values())).size) if self.lists else 0
        values = {
            name: self.lists[name][row] if name in self.lists else x.rvs(random_state=rng) if hasattr(x, "rvs") else x
            for name, x in self.truth.items()
        }
        return self.kind.given(values, self.resampling)

    def summary(self, name: str) -> Any:
        """What is believed about one number, for the repr."""
        x = self.truth[name]
        if name in self.lists:
            return f"from {self.lists[name].size} draws"
        return "from a distribution" if hasattr(x, "rvs") else float(x)


class Decider:
    """A test with everything that its decision depends on."""

    def __init__(self, test: Test, rope: RopeLike, threshold: float, options: Mapping[str, Any]) -> None:
        self.test, self.rope, self.threshold, self.options = (
            test,
            Rope.of(rope),
            check_threshold(threshold),
            dict(options),
        )

    def run(
        self,
        sizes: Ints,
        worlds: Callable[[np.random.Generator], World],
        truths: int,
        simulations: int | None,
        random_seed: int | None,
        grid: bool,
        truth: dict[str, Any],
        kind: type[World],
    ) -> "Design":
        """The design of these sizes in worlds that are drawn one by one; `truths` of them where the test is exact."""
        if simulations is not None:
            check_count("simulations", simulations, 10)
        known = self.test.decides is not None and self._is_plain()
        exact = simulations is None and known and not getattr(worlds(np.random.default_rng(0)), "icc", 0.0)
        seed = None if exact and truths == 1 else checked_seed(random_seed)
        if exact:
            decided, mcse, widths = self._exact(sizes, worlds, truths, seed)
            simulations = 0
        else:
            usual = (
                JOINT_SIMULATIONS if self.test.takes == "scores" else FEW_SIMULATIONS if self.test.slow else SIMULATIONS
            )
            simulations = simulations or usual
            decided, mcse, widths = self._simulated(sizes, worlds, simulations, seed)
        return Design(
            test=self.test.name,
            truth=truth,
            rope=self.rope,
            threshold=self.threshold,
            unit=kind.unit,
            sizes=tuple(sizes.tolist()),
            decided=tuple(map(tuple, decided.tolist())),
            mcse=tuple(map(tuple, mcse.tolist())),
            widths=tuple(widths.tolist()),
            simulations=simulations,
            truths=truths if exact else 1,
            random_seed=seed,
            grid=grid,
            **self._ceiling(worlds, truths, seed) if exact else {},
        )

    def _ceiling(self, worlds: Callable[[np.random.Generator], World], truths: int, seed: int | None) -> dict[str, Any]:
        """What no number of repeats of the same cross-validation can do."""
        if not getattr(worlds(np.random.default_rng(0)), "rho", 0.0):
            return {}
        limit = self._exact(np.array([MANY_FOLDS]), worlds, truths, seed)[0][0]
        note = (
            "more repeats of the same cross-validation cannot bring the probability of a decision above "
            f"{probability(float(limit.sum()))}; more data can"
        )
        return {"ceiling": tuple(limit.tolist()), "notes": (note,)}

    def _is_plain(self) -> bool:
        """Whether the closed form knows all options that were given."""
        return set(self.options) <= set(inspect.signature(imported(str(self.test.decides))).parameters)

    def _exact(
        self, sizes: Ints, worlds: Callable[[np.random.Generator], World], truths: int, seed: int | None
    ) -> tuple[Floats, Floats, Floats]:
        rng = np.random.default_rng(seed)
        function = imported(str(self.test.decides))
        found = [function(sizes, worlds(rng), self.rope, self.threshold, **self.options) for _ in range(truths)]
        decided = np.clip([p for p, _ in found], 0.0, 1.0)
        errors = decided.std(axis=0, ddof=1) / np.sqrt(truths) if truths > 1 else np.zeros(decided.shape[1:])
        return decided.mean(axis=0), errors, np.mean([w for _, w in found], axis=0)

    def _simulated(
        self, sizes: Ints, worlds: Callable[[np.random.Generator], World], simulations: int, seed: int | None
    ) -> tuple[Floats, Floats, Floats]:
        decided, widths = np.zeros((len(sizes), 3)), np.full(len(sizes), np.nan)
        for i, n in enumerate(sizes.tolist()):
            rngs = [np.random.default_rng((seed or 0, n, k)) for k in range(simulations)]
            found = self.posteriors([worlds(rng).study(n, rng) for rng in rngs], seed)
            decided[i] = [sum(p.decision(self.threshold) is d for p in found) / simulations for d in DECISIONS]
            if found[0].mean is not None:
                widths[i] = np.mean([np.subtract(*p.hdi()[::-1]) for p in found])
        return decided, share_error(decided, simulations), widths

    def posteriors(self, pairs: list[Any], seed: int | None) -> list[Posterior]:
        """The test of each pair, or of the first two models of each table of scores."""
        drawn: dict[str, Any] = {"random_seed": seed} if self.test.seeded else {}
        joint = self.test.takes == "scores"
        settings = (JOINT_LENGTH | {"progressbar": False} if joint else {}) | drawn | self.options
        found = []
        with warnings.catch_warnings(), progress_bar(len(pairs), 0, "simulated studies", None) as advance:
            warnings.simplefilter("ignore")  # about data that nobody has
            for pair in pairs:
                posterior = self.test.call(pair, rope=self.rope, **settings)
                found.append(posterior.pair(*posterior.models[:2]) if joint else posterior)
                advance()
            if self.test.together is not None:
                found = imported(self.test.together)(found, pairs=len(found))
        return found

    def enlarged(self, now: Posterior, pairs: list[Pair], seed: int | None) -> list[Any]:
        """The `three` and `losses` of pairs that have more data than `now`, by the test's short cut if it has one."""
        found = None if self.test.enlarged is None else imported(self.test.enlarged)(now, pairs)
        return self.posteriors(pairs, seed) if found is None else found
