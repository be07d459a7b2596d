"""`Comparison`: every pair of models by both schools, as a value with tables, decisions, ranking and reasons."""

import inspect
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import bayes, frequentist, planning, sentences
from bayescmp.bayes.posterior import OUTCOMES, Posterior, Posteriors
from bayescmp.checks import (
    check_alpha,
    check_cost,
    check_count,
    check_p_values,
    check_pair,
    check_switch,
    check_threshold,
    is_list,
)
from bayescmp.comparison.pair import PairResult, Standard
from bayescmp.comparison.run import (
    Names,
    answered_together,
    count_workers,
    in_order,
    map_posteriors,
    quiet_pair,
)
from bayescmp.comparison.setting import Setting
from bayescmp.comparison.show import as_html, as_text
from bayescmp.errors import ResamplingError, ScaleWarning, ScoresError
from bayescmp.frequentist.adjust import adjust_p_values
from bayescmp.frequentist.pairwise import PairwiseTests
from bayescmp.frequentist.result import TestResult
from bayescmp.numerics.student import student_parameters, student_regions
from bayescmp.numerics.threads import one_blas_thread
from bayescmp.progress import progress_bar
from bayescmp.rope import Decision, Rope, RopeLike, rope_for, ropes_of
from bayescmp.scores.facts import Facts
from bayescmp.scores.inputs import check_units, in_ropes
from bayescmp.scores.pair import Pair
from bayescmp.scores.table import Scores
from bayescmp.text import versions
from bayescmp.values import Value

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.bayes import Groups, MultilevelPosterior, RankingPosterior
    from bayescmp.planning import Plan


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Comparison(Value):
    """Models compared pair by pair, both schools side by side. Made by `compare()`.

    Attributes
    ----------
    scores : Scores
    rope : Rope, or a mapping from dataset to rope
    setting : Setting
        Its name ("2x1", "kx1", "2xm" or "kxm"), the tests that were run, and why.
    control, against, threshold, alpha, switching_cost, mixed_units, looks, random_seed
    bayes_options
        As given to `compare()`; `control` is also the model that against="best" found.
    posteriors : sequence of Posterior
        The Bayesian tests of the pairs.
    tests : PairwiseTests
        The frequentist tests of the pairs.
    corrected_p : tuple of float, or None
        The p-values with the correction for overlapping training sets, where the test that was run has none.
    omnibus : tuple of TestResult
        Friedman and Iman-Davenport, where there are many models and datasets.
    notes : tuple of str

    See Also
    --------
    compare : makes one.
    bayescmp.bayes.RankingPosterior : what `ranking_posterior()` returns.

    Examples
    --------
    >>> import bayescmp as bc
    >>> c = bc.compare(bc.load_labour(), rope=0.01)
    >>> c.setting.name, c.pairs[0].a, c.pairs[0].b
    ('kx1', 'DT', 'LR')
    >>> c.pair("SVM", "DT").verdict.decision
    'undecided'
    """

    scores: Scores
    rope: Rope | dict[str, Rope]
    setting: Setting
    control: str | None
    against: str | None
    threshold: float
    alpha: float
    switching_cost: float
    random_seed: int | None
    bayes_options: dict[str, Any]
    posteriors: Sequence[Posterior]
    tests: PairwiseTests
    corrected_p: tuple[float, ...] | None = None
    omnibus: tuple[TestResult, ...] = ()
    notes: tuple[str, ...] = ()
    mixed_units: bool = False
    looks: int = 1
    versions: dict[str, str] = field(default_factory=versions)

    def __post_init__(self) -> None:
        each: Sequence[Posterior] = self.posteriors
        if isinstance(each, Posteriors):
            pairs, each = each.names, each[:1]
        else:
            pairs = tuple((p.a, p.b) for p in each)
        if pairs != self.tests.pairs:
            raise ValueError("Posteriors and tests must be of the same pairs in the same order, but they are not.")
        control = () if self.control is None else (self.control,)
        for name in {name for names in (*self.tests.pairs, control) for name in names}:
            self.scores.model_index(name)
        if any(p.higher_is_better != self.scores.higher_is_better for p in each):
            raise ValueError("Scores and posteriors must have the same direction, but `higher_is_better` differs.")
        check_threshold(self.threshold)
        check_alpha(self.alpha)
        check_cost(self.switching_cost)
        check_count("looks", self.looks)
        check_p_values("corrected_p", self.corrected_p or ())

    @property
    def models(self) -> tuple[str, ...]:
        """The models that were compared."""
        return self.scores.models

    @property
    def pair_names(self) -> tuple[Names, ...]:
        """The pairs that were compared, (A, B)."""
        return self.tests.pairs

    # ---- pairs

    @cached_property
    def pairs(self) -> tuple[PairResult, ...]:
        """Every pair that was compared, with all its results."""
        return self.pairs_at(range(len(self.posteriors)))

    def pairs_at(self, places: Iterable[int]) -> tuple[PairResult, ...]:
        """The pairs at these `places` of `pair_names`; of many pairs only those are put together that are asked for."""
        return tuple(self._made.get(i) or self._make(i) for i in places)

    def pairs_of_top(self, n: int) -> tuple[PairResult, ...]:
        """The pairs among the `n` models of the best expected rank; with a control, its pairs with these models."""
        ranking = self.ranking_posterior()
        best = {ranking.models[i] for i in ranking.order()[: check_count("top", n)]} | {self.control}
        return self.pairs_at(i for i, (a, b) in enumerate(self.pair_names) if a in best and b in best)

    @cached_property
    def _made(self) -> dict[int, PairResult]:
        return {}

    def _make(self, i: int) -> PairResult:
        least = self._least_p
        standard = Standard(
            threshold=self.threshold,
            alpha=self.alpha,
            pairs=len(self.posteriors),
            switching_cost=self.switching_cost,
            corrected_p=None if self.corrected_p is None else self.corrected_p[i],
            least_p=None if least is None else float(least[0][i]),
            least_adjusted_p=None if least is None else float(least[1][i]),
        )
        test = self.tests.result(*self.pair_names[i])
        self._made[i] = PairResult(posterior=self.posteriors[i], test=test, standard=standard)
        return self._made[i]

    def pair(self, a: str, b: str) -> PairResult:
        """Every result of `a` and `b`, in either order."""
        check_pair(a, b, self.models)
        places = {names: i for i, names in enumerate(self.pair_names)}
        if (a, b) in places:
            return self.pairs_at([places[a, b]])[0]
        if (b, a) in places:
            return self.pairs_at([places[b, a]])[0].swap()
        raise ValueError(f"{a} and {b} were not compared: only pairs with the control {self.control} were.")

    @cached_property
    def _least_p(self) -> tuple[Any, Any] | None:
        """The smallest p-values, alone and adjusted, that any scores on these datasets could give."""
        if not self.setting.frequentist_test.least_p:
            return None
        ran = (self.scores.counts > 0).astype(int)
        at = {model: i for i, model in enumerate(self.models)}
        n = np.array([int(ran[at[a]] @ ran[at[b]]) for a, b in self.pair_names])
        least = np.minimum(2.0 ** (1.0 - n), 1.0)
        return least, adjust_p_values(least, self.tests.adjustment, all_pairs=self.control is None)

    # ---- tables

    def table(self, *, full: bool = False) -> "pd.DataFrame":
        """One row per pair: difference, HDI, probabilities, p-value and decision; with `full` everything there is.

        Differences are the advantage of A: positive favours A, also where lower scores are better. `p_better` is
        P(A better by more than the rope) on one dataset; over datasets, P("A better" is the most probable outcome), and
        `expected_better` is how often the next dataset will show it. In the full table, `n` is what the Bayesian test
        used (datasets, or folds), `n_test` what the frequentist one did.
        """
        from bayescmp.needs import pandas as pd

        if check_switch("full", full):
            return pd.DataFrame([pair.row() for pair in self.pairs])
        return pd.DataFrame(list(map(self._compact, self.posteriors, self.tests.p_adjusted)))

    def _compact(self, p: Posterior, p_adjusted: float) -> dict[str, Any]:
        """The row of one pair, for which its test is not computed in full."""
        low, high = (None, None) if p.mean is None else p.hdi()
        shares = {} if p.expected is None else dict(zip(OUTCOMES, p.expected.values(), strict=True))
        return {
            **{"a": p.a, "b": p.b, "mean": p.mean, "hdi_low": low, "hdi_high": high},
            **{f"p_{name}": x for name, x in zip(OUTCOMES, p.three, strict=True)},
            **{f"expected_{name}": x for name, x in shares.items()},
            **{"p_adjusted": p_adjusted, "decision": sentences.decision_words(p, p.decision(self.threshold))},
        }

    def to_frame(self) -> "pd.DataFrame":
        """`table(full=True)`."""
        return self.table(full=True)

    def decisions(self) -> "pd.DataFrame":
        """Three rules side by side, each named by the quantity that it is about; tables and reports use the first.

        `outcome_by_probability`: the outcome that is the most probable one on the next dataset with a probability that
        reaches the threshold (on one dataset `mean_by_probability`: the region of the mean difference that has it).
        `mean_by_hdi`: the 95 % HDI of the mean difference against the rope. `loss`: the model to take, because its
        expected shortfall is smaller by more than the switching cost.
        """
        from bayescmp.needs import pandas as pd

        return pd.DataFrame(
            [
                {
                    "a": pair.a,
                    "b": pair.b,
                    **pair.quantities(),
                    "loss_of_a": (pair.posterior.losses or (None, None))[0],
                    "loss_of_b": (pair.posterior.losses or (None, None))[1],
                }
                for pair in self.pairs
            ]
        )

    def by_dataset(self) -> "pd.DataFrame":
        """The correlated t-test of every pair on every dataset, where fold results of a known design are there.

        Of runs that cannot be paired it is `welch_ttest`, of items `mcnemar_test` or `per_instance_ttest`, as `compare`
        would choose for that dataset alone. Differences are those of the scores, also where every dataset has its own
        rope.
        """
        from bayescmp.needs import pandas as pd

        rows = []
        for names in self.pair_names:
            pair = quiet_pair(self.scores, names)
            for i, dataset in enumerate(pair.datasets):
                n, three = on_dataset(pair, dataset, rope_for(self.rope, dataset))
                columns = {f"p_{name}": float(x) for name, x in zip(OUTCOMES, three, strict=True)}
                row = {"a": pair.a, "b": pair.b, "dataset": dataset, "n": n}
                rows.append(row | {"mean": float(pair.means[i])} | columns)
        return pd.DataFrame(rows)

    # ---- all models at once

    def ranking(self, **options: Any) -> "pd.DataFrame":
        """One row per model, the best expected rank first; `options` as in `ranking_posterior()`."""
        return self.ranking_posterior(**options).to_frame()

    def ranking_posterior(self, **options: Any) -> "RankingPosterior":
        """The joint posterior behind `ranking()`: over datasets that of `joint()`, on one dataset `bayes.rank_models`.

        With `options` of `bayes.rank_models` (`by`, `draws`, `random_seed`) it is that one's, which over datasets is a
        bootstrap without a model; so it is, with a note, where scores do not fit the joint model.
        """
        return self._rank(**options) if options else self._ranking

    def joint(self) -> "MultilevelPosterior":
        """The one model of all models over datasets, on which ranking, groups and headline rest: `bayes.multilevel`.

        Computed when it is first asked for. Raises where there is one dataset, or where scores do not fit the model.
        """
        if isinstance(self._joint, str):
            raise ScoresError(f"There is no joint model: {self._joint}")
        return self._joint

    def joint_differs(self) -> list[str]:
        """Where the joint model decides a pair otherwise than the pair's own test, one sentence each with the reason.

        Empty where the ranking does not rest on the joint model.
        """
        if len(self.models) == 2 or isinstance(self._joint, str):
            return []
        found = []
        joint = replace(self._joint, diagnostics=None)  # which would be computed anew for every pair
        for pair in self.pairs:
            over = joint.pair if pair.posterior.expected is None else joint.new_dataset
            together = over(pair.a, pair.b)
            if together.decision(self.threshold) is not pair.decision:
                found.append(sentences.decided_together(pair, together, joint.pair(pair.a, pair.b).mean))
        return found

    def groups(self, *, cost: Mapping[str, float] | None = None) -> "Groups":
        """Who is tied at the top, who is clearly worse, and what may be said of all at once: see `bayes.Groups`.

        With w = P(within the rope of the best): top where w reaches the threshold, clearly worse where w is at most 1
        minus the threshold, else open. With the `cost` of every model, the cheapest one of the top is named as well.
        """
        return self.ranking_posterior().groups(threshold=self.threshold, cost=cost)

    @property
    def is_ranked(self) -> bool:
        """Whether the ranking was computed before."""
        return "_ranking" in self.__dict__

    def headline(self) -> str:
        """The answer in one line: the groups of many models; of two models the decision."""
        return sentences.decided(self.pairs[0]) if len(self.models) == 2 else self.groups().sentence()

    @cached_property
    def _ranking(self) -> "RankingPosterior":
        if not isinstance(self._joint, str):
            return self._joint.ranking()
        ranking = self._rank()
        if len(self.scores.datasets) == 1:
            return ranking
        return replace(ranking, notes=(f"not from the joint model of all models: {self._joint}", *ranking.notes))

    @cached_property
    def _joint(self) -> "MultilevelPosterior | str":
        """The joint model of all models, or why there is none."""
        if len(self.scores.datasets) == 1:
            return "one dataset has no variation between datasets."
        if isinstance(self.rope, dict):
            return "every dataset has its own rope."
        if self._has_mixed_units:
            return "the datasets have different units."
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the result says it too
            try:
                return bayes.multilevel(
                    self.scores, rope=self._widest, random_seed=self._seed, mixed_units=self.mixed_units
                )
            except (ScoresError, ResamplingError) as error:
                return str(error)

    @property
    def _widest(self) -> float:
        assert isinstance(self.rope, Rope)
        return max(-self.rope.low, self.rope.high)

    @property
    def _seed(self) -> int:
        return 0 if self.random_seed is None else self.random_seed

    def _rank(self, **options: Any) -> "RankingPosterior":
        rope = self.rope if isinstance(self.rope, dict) else self._widest
        if "by" not in options and self._has_mixed_units:
            options["by"] = "rank"
        if options.get("by") == "rank":
            rope = 0.0  # mean ranks have none
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ScaleWarning)  # given when the comparison was made
            return bayes.rank_models(
                self.scores, **{"rope": rope, "random_seed": self._seed, "mixed_units": self.mixed_units} | options
            )

    @property
    def _has_mixed_units(self) -> bool:
        """Whether the datasets' scores cannot be averaged; then the models are ranked by their ranks."""
        if isinstance(self.rope, dict) or self.mixed_units:
            return False
        try:
            check_units(self.scores, "ranking", False)
        except ScoresError:
            return True
        return False

    @cached_property
    def mean_ranks(self) -> PairwiseTests:
        """The tests of mean ranks with their critical difference: those that were run, or Nemenyi's."""
        if self.tests.critical_difference is not None:
            return self.tests
        return frequentist.nemenyi_test(self.scores, alpha=self.alpha)

    # ---- sensitivity

    def rope_curve(
        self, ropes: Iterable[RopeLike] = (0.0, 0.005, 0.01, 0.02, 0.05), *, n_jobs: int | None = None
    ) -> "pd.DataFrame":
        """How the three probabilities and the decision of every pair move with the rope.

        Where every dataset has its own rope, `ropes` are multiples of them. `n_jobs` is that of `compare`.
        """
        from bayescmp.needs import pandas as pd

        rows = [
            {"a": pair.a, "b": pair.b, "rope_low": rope.low, "rope_high": rope.high, **pair.posterior.numbers()}
            | {"decision": pair.verdict.decision}
            for pair, rope in self.at_ropes(ropes, n_jobs=n_jobs)
        ]
        return pd.DataFrame(rows)

    def at_ropes(
        self, ropes: Iterable[RopeLike], *, n_jobs: int | None = None, places: Sequence[int] | None = None
    ) -> "list[tuple[PairResult, Rope]]":
        """Every pair at every one of the `ropes`, from the posteriors that are there; `n_jobs` as in `compare`.

        With `places` only the pairs at these places of `pair_names`.
        """
        grid = ropes_of(ropes)
        chosen = range(len(self.posteriors)) if places is None else places
        posteriors, test = [self.posteriors[i] for i in chosen], self.setting.bayes_test
        if test.together is not None and "engine" not in self.bayes_options:
            answered = answered_together(posteriors, test, len(self.posteriors), grid)
            found = [[p.with_rope(rope) for rope in grid] for p in answered]
        else:
            found = map_posteriors("at_ropes", posteriors, (grid,), test, n_jobs)
        return [
            (pair.with_posterior(posterior), rope)
            for pair, moved_pair in zip(self.pairs_at(chosen), found, strict=True)
            for posterior, rope in zip(moved_pair, grid, strict=True)
        ]

    def prior_sensitivity(self, *, n_jobs: int | None = None) -> "pd.DataFrame":
        """How the probabilities and the decision of every pair move with the prior; `n_jobs` as in `compare`."""
        from bayescmp.needs import pandas as pd

        frames = map_posteriors(
            "prior_sensitivity", self.posteriors, (self.threshold,), self.setting.bayes_test, n_jobs
        )
        for (a, b), frame in zip(self.pair_names, frames, strict=True):
            frame.insert(0, "a", a)
            frame.insert(1, "b", b)
        return pd.concat(frames, ignore_index=True)

    # ---- for people

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """Draw the comparison, and return the Axes.

        Kinds: "matrix", "forest", "ranking_groups", "p_best", "rank_distribution", "critical_difference", "scores"; of
        all pairs or of pair=(a, b) "simplex"; of pair=(a, b) "posterior", "hdi", "rope_curve", "prior_sensitivity" and
        "differences". Other options are those of `plots.plot_<kind>`.
        """
        from bayescmp.plots import plot_result

        return plot_result(self, kind, **options)

    def plan(
        self,
        *,
        pairs: Sequence[Names] | None = None,
        more: int | Iterable[int] | None = None,
        simulations: int | None = None,
        random_seed: int | None = None,
        n_jobs: int | None = None,
        progress: bool | None = None,
    ) -> "tuple[Plan, ...]":
        """What more data would decide: a `planning.Plan` of every undecided pair, each with its `sentence()`.

        Parameters
        ----------
        pairs : list of (a, b), optional
            Instead of all undecided pairs.
        more : int, or several
            How many more datasets, folds, items or runs.
        simulations : int, optional
            Simulated studies for each of `more`; 400 by default, and 100 for a test that takes long.
        random_seed : int, optional
            That of the comparison if not given.
        n_jobs, progress
            As for `compare()`.
        """
        if pairs is None:
            chosen = [pair for pair in self.pairs if pair.decision is Decision.UNDECIDED]
        else:
            if not is_list(pairs) or any(not is_list(both) or len(both) != 2 for both in pairs):
                raise ValueError(f"`pairs` must be a list of two models each, as in [(a, b), (a, c)], got {pairs!r}.")
            chosen = [self.pair(*both) for both in pairs]
        names = [(pair.a, pair.b) for pair in chosen]
        test = self.setting.bayes_test
        options = dict(self.bayes_options)
        if self.mixed_units and "mixed_units" in inspect.signature(test.call).parameters:
            options["mixed_units"] = True
        seed = self.random_seed if random_seed is None else random_seed
        given = {"threshold": self.threshold, "more": more, "simulations": simulations, "random_seed": seed} | options
        workers = count_workers(n_jobs)
        tasks = [(_plan, (quiet_pair(self.scores, both), self.rope, test.name, given)) for both in names]
        found = []
        with progress_bar(len(names), 0, "plans, pairs", progress) as advance:
            for one in in_order(tasks, n_jobs, workers):
                found.append(one)
                advance(1)
        return tuple(found)

    def explain(self) -> str:
        """What was run and why, and how to read it."""
        lines = [f"Setting {self.setting.name}: {self.setting.words}.", *self.setting.why]
        if self.omnibus:
            lines.append(f"all models at once: {' '.join(t.sentence() for t in self.omnibus)}")
        return "\n".join([*lines, *self.cautions(), *self.notes])

    def cautions(self) -> list[str]:
        """What a report has to mention about missing runs, many pairs and selected models."""
        return sentences.cautions(self)

    def sentences(self) -> list[str]:
        """One text per pair: what is probable, what the frequentist test found, and where the two differ."""
        return [pair.sentence() for pair in self.pairs]

    def methods_text(self) -> str:
        """The methods paragraph for the paper; `bibtex()` has what it cites."""
        from bayescmp import reports

        return reports.methods_text(self)

    def bibtex(self) -> str:
        """The BibTeX entries of the references in `methods_text()`."""
        from bayescmp import reports

        return reports.bibtex(self)

    def report(self, path: str | os.PathLike[str], *, overwrite: bool = False, **options: Any) -> Path:
        """Write a report to `path` (.html, .md, .tex), which `overwrite` may replace; options of `reports.report`."""
        from bayescmp import reports

        return reports.report(self, path, overwrite=overwrite, **options)

    def to_csv(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write `table(full=True)` as csv to `path`, which `overwrite` may replace; names never become formulas."""
        from bayescmp import reports

        return reports.to_csv(self, path, overwrite=overwrite)

    def to_latex(self, *, table: str = "pairs", caption: str | None = None, label: str | None = None) -> str:
        """The `table` of "pairs", "tests" or "results" for a paper; `caption` and `label` are LaTeX's."""
        from bayescmp import reports

        return reports.to_latex(self, table=table, caption=caption, label=label)

    def to_markdown(self, *, table: str = "pairs") -> str:
        """The `table` of "pairs", "tests" or "results" in Markdown."""
        from bayescmp import reports

        return reports.to_markdown(self, table=table)

    def to_text(self, *, top: int | None = None, color: bool = False) -> str:
        """What `print` shows; with `top` only the best models, and with `color` decisions in a terminal's colours."""
        return as_text(self, top, color=check_switch("color", color))

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: the answer, what was compared, the pairs and the ranking."""
        return as_html(self)


def on_dataset(pair: Pair, dataset: str, rope: Rope) -> tuple[int, Any]:
    """The scores behind the test that `compare` would choose for that dataset alone, and its three probabilities."""
    i = pair.datasets.index(dataset)
    if dataset in pair.items:
        one = pair.select(dataset)
        test = bayes.mcnemar_test if Facts.of(one).right_or_wrong else bayes.per_instance_ttest
        return int(pair.counts[i]), test(one, rope=rope).three
    if not pair.paired:
        return int(pair.runs[:, i].sum()), bayes.welch_ttest(pair, rope=rope, dataset=dataset).three
    parameters = student_parameters(pair.differences[i], pair.known_rho("by_dataset")[i], pair.rounding[i])
    return int(pair.counts[i]), student_regions(*parameters, rope, pair.rounding[i])


def _plan(pair: Pair, rope: Rope | dict[str, Rope], test: str, options: Mapping[str, Any]) -> "Plan":
    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ScaleWarning)  # came up when the comparison was made
        pair, region = in_ropes(pair, rope)
        return planning.plan(pair, test, rope=region, **options)
