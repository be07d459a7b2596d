"""`Comparison`: every pair of models by both schools, as a value with tables, decisions, ranking and reasons."""

import json
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.bayes.correlated_t import probabilities
from bayescmp.bayes.posterior import Posterior
from bayescmp.checks import is_one_of
from bayescmp.comparison.classical import single_test
from bayescmp.comparison.decisions import hdi_decision, in_words, loss_decision, threshold_decision
from bayescmp.comparison.reporting import Reporting
from bayescmp.comparison.run import Job, Names, quiet_pair, run_pairs
from bayescmp.comparison.setting import WORDS, Setting
from bayescmp.errors import ScaleWarning, unknown_name
from bayescmp.frequentist import PairwiseTests, TestResult, adjust_p_values
from bayescmp.rope import Rope, RopeLike, rope_for, ropes_of
from bayescmp.scores.table import Scores
from bayescmp.text import versions

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.bayes.ranking.result import RankingPosterior


@dataclass(frozen=True, kw_only=True)
class PairComparison:
    """Every result of one pair."""

    posterior: Posterior
    test: TestResult
    agreement: str
    decision: str

    def __repr__(self) -> str:
        return f"{self.posterior}\n{self.test}\n  {self.agreement}"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Comparison(Reporting):
    """Models compared pair by pair, both schools side by side. Made by `compare()`.

    Attributes
    ----------
    scores : Scores
    rope : Rope, or a mapping from dataset to rope
    setting : Setting
        Its name ("2x1", "kx1", "2xm" or "kxm"), the tests that were run, and why.
    control, against, threshold, alpha, switching_cost, random_seed, bayes_options
        As given to `compare()`; `control` is also the model that against="best" found.
    tests : PairwiseTests
        The frequentist tests of the pairs.
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
    >>> c.setting.name, c.pairs[0]
    ('kx1', ('DT', 'LR'))
    >>> c.pair("SVM", "DT").decision
    'undecided'
    """

    scores: Scores
    rope: Rope | dict[str, Any]
    setting: Setting
    control: str | None
    against: str | None
    threshold: float
    alpha: float
    switching_cost: float
    random_seed: int | None
    bayes_options: dict[str, Any]
    rows: tuple[dict[str, Any], ...]
    tests: PairwiseTests
    corrected_p: tuple[float, ...] | None = None
    omnibus: tuple[TestResult, ...] = ()
    notes: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def pairs(self) -> tuple[Names, ...]:
        """The pairs that were compared, (A, B)."""
        return self.tests.pairs

    @property
    def models(self) -> tuple[str, ...]:
        """The models that were compared."""
        return self.scores.models

    # ---- tables

    def table(self) -> "pd.DataFrame":
        """One row a pair: the posterior, the test, and where the two tell different stories.

        Differences are the advantage of A: positive favours A, also where lower scores are better. `n` is what the
        Bayesian test used (datasets, or folds), `n_test` what the frequentist one did. `p_better` is P(A better by
        more than the rope) on one dataset; over datasets, P("A better" is the most probable outcome for a new one),
        with the expected shares of the outcomes beside it.
        """
        import pandas as pd

        return pd.DataFrame([self.table_row(i) for i in range(len(self.rows))])

    to_frame = table

    def decisions(self) -> "pd.DataFrame":
        """Three rules side by side: probability threshold, HDI against rope, expected loss with the switching cost."""
        import pandas as pd

        frame = []
        for i, row in enumerate(self.rows):
            a, b = row["a"], row["b"]
            by_hdi = hdi_decision(row["interval_low"], row["interval_high"], self.rope_of(i))
            by_loss = loss_decision(row["loss_a"], row["loss_b"], self.switching_cost)
            frame.append(
                {
                    "a": a,
                    "b": b,
                    "by_probability": in_words(threshold_decision(row, self.threshold), a, b),
                    "by_hdi": in_words(by_hdi, a, b),
                    "by_loss": in_words(by_loss, a, b),
                    "loss_of_a": row["loss_a"],
                    "loss_of_b": row["loss_b"],
                }
            )
        return pd.DataFrame(frame)

    def ranking(self, **options: Any) -> "pd.DataFrame":
        """One row a model, the most probably best first; options are those of `bayes.rank_models`."""
        posterior = self.ranking_posterior(**options)
        frame = posterior.to_frame()
        ranks = dict(zip(posterior.models, map(tuple, posterior.rank_distribution.tolist()), strict=True))
        frame["rank_distribution"] = frame["model"].map(ranks)
        return frame

    def ranking_posterior(self, **options: Any) -> "RankingPosterior":
        """The joint posterior behind `ranking()`; options are those of `bayes.rank_models`."""
        from bayescmp.bayes import rank_models

        seed = 0 if self.random_seed is None else self.random_seed
        rope = self.rope if isinstance(self.rope, dict) else max(-self.rope.low, self.rope.high)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ScaleWarning)  # said when the comparison was made
            return rank_models(self.scores, **{"rope": rope, "random_seed": seed} | options)

    def by_dataset(self) -> "pd.DataFrame":
        """The correlated t-test of every pair on every dataset, where fold results of a known design are there.

        Differences are those of the scores, also where every dataset has its own rope.
        """
        import pandas as pd

        frames = []
        for names in self.pairs:
            pair = quiet_pair(self.scores, names)
            rho = pair.known_rho("by_dataset")
            for i, dataset in enumerate(pair.datasets):
                region = rope_for(self.rope, dataset)
                p = probabilities(pair.differences[i : i + 1], rho=rho[i], rope=region, rounding=pair.rounding[i])[0]
                columns = zip(("p_better", "p_equivalent", "p_worse"), p.tolist(), strict=True)
                row = {"a": pair.a, "b": pair.b, "dataset": dataset, "n": int(pair.counts[i])}
                frames.append(row | {"mean_difference": float(pair.means[i])} | dict(columns))
        return pd.DataFrame(frames)

    def pair(self, a: str, b: str) -> PairComparison:
        """Every result of `a` and `b`, in either order: the tests as called by hand, with the adjusted p-value."""
        for name in (a, b):
            if not is_one_of(name, self.models):
                raise unknown_name("model", name, self.models)
        row = self.tests.result(a, b)
        swapped = (a, b) not in self.pairs
        i = self.pairs.index((b, a) if swapped else (a, b))
        pair = quiet_pair(self.scores, self.pairs[i])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said when the comparison was made
            posterior = self._job().posterior(pair)
            test = row
            if self.setting.frequentist != "nemenyi":
                test = single_test(pair.swap() if swapped else pair, self.setting.frequentist, self.rope)
                test = replace(test, p_adjusted=row.p_adjusted, adjustment=row.adjustment)
        found = self.table_row(i)
        return PairComparison(
            posterior=posterior.swap() if swapped else posterior,
            test=test,
            agreement=found["agreement"],
            decision=found["decision"],
        )

    def rope_curve(
        self, ropes: Iterable[RopeLike] = (0.0, 0.005, 0.01, 0.02, 0.05), *, n_jobs: int | None = None
    ) -> "pd.DataFrame":
        """How the three probabilities and the decision of every pair move with the rope.

        Where every dataset has its own rope, `ropes` are multiples of them. `n_jobs` is that of `compare`.
        """
        return self._sensitivity(replace(self._job(), what="rope_curve", ropes=tuple(ropes_of(ropes))), n_jobs)

    def prior_sensitivity(self, *, n_jobs: int | None = None) -> "pd.DataFrame":
        """How the probabilities and the decision of every pair move with the prior; `n_jobs` as in `compare`."""
        return self._sensitivity(replace(self._job(), what="prior_sensitivity"), n_jobs)

    def _sensitivity(self, job: Job, n_jobs: int | None) -> "pd.DataFrame":
        import pandas as pd

        found = run_pairs(self.scores, self.pairs, job, n_jobs=n_jobs, progress=False)
        rows = [row for rows in found for row in rows]
        for row in rows:
            del row["warnings"]
            row["decision"] = in_words(threshold_decision(row, self.threshold), row["a"], row["b"])
        return pd.DataFrame(rows)

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """Draw the comparison, and return the Axes.

        Kinds: "matrix", "forest", "ranking_groups", "p_best", "rank_distribution", "critical_difference", "scores"; of
        all pairs or of pair=(a, b) "simplex"; of pair=(a, b) "posterior", "hdi", "rope_curve", "prior_sensitivity" and
        "differences". Other options are those of `plots.plot_<kind>`.
        """
        from bayescmp.plots import plot_result

        return plot_result(self, kind, **options)

    # ---- in words

    def explain(self) -> str:
        """What was run and why, and how to read it."""
        lines = [f"Setting {self.setting.name}: {WORDS[self.setting.name]}.", *self.setting.why]
        if self.omnibus:
            lines.append(f"all models at once: {' '.join(t.sentence() for t in self.omnibus)}")
        lines += self.cautions()
        return "\n".join([*lines, *self.notes])

    def cautions(self) -> list[str]:
        """What a report has to say about many pairs and selected models."""
        lines = []
        m = len(self.pairs)
        if m > 1:
            how = self.tests.adjustment
            adjusted = (
                "p-values are not adjusted for that" if how == "none" else f"p-values are adjusted for that ({how})"
            )
            lines.append(
                f"{m} pairs were compared. {adjusted}; the posterior probabilities are not: the prior of a pair knows "
                "nothing of the other pairs. bayes.multilevel(scores) is the one model of all that shrinks."
            )
        if self.against == "best":
            lines.append(
                f"{self.control} was picked as the best by the same scores: its advantage over the others is too large "
                "on average. ranking() gives P(best) without picking."
            )
        return lines

    # ---- JSON

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; `Comparison.from_dict` reads it back."""
        from bayescmp.comparison.as_json import to_dict

        return to_dict(self)

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "Comparison":
        """The result whose `to_dict` gave `data`, also after a trip through JSON."""
        from bayescmp.comparison.as_json import from_dict

        return from_dict(data)

    @staticmethod
    def from_json(text: str) -> "Comparison":
        """The comparison whose `to_json` gave `text`."""
        try:
            return Comparison.from_dict(json.loads(text))
        except json.JSONDecodeError as error:
            raise ValueError(f"`text` must be JSON from Comparison.to_json, but {error}.") from None

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, Comparison) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    # ---- for people

    def __repr__(self) -> str:
        from bayescmp.comparison.show import as_text

        return as_text(self)

    # ---- shared steps

    def _job(self) -> Job:
        return Job(self.setting.bayes, self.rope, self.bayes_options, self.random_seed)

    def rope_of(self, i: int) -> Rope:
        """The rope of pair i as its posterior saw it."""
        return Rope(self.rows[i]["rope_low"], self.rows[i]["rope_high"])

    def table_row(self, i: int) -> dict[str, Any]:
        """Row i of `table()`."""
        from bayescmp.comparison.rows import table_row

        return table_row(self, i)

    @cached_property
    def datasets_of_pairs(self) -> NDArray[np.int_]:
        """On how many datasets both models of each pair were run."""
        ran = (self.scores.counts > 0).astype(int)
        at = {model: i for i, model in enumerate(self.models)}
        return np.array([int(ran[at[a]] @ ran[at[b]]) for a, b in self.pairs])

    @cached_property
    def smallest_p(self) -> list[float]:
        """The smallest adjusted p-values that any scores on these datasets could give."""
        every = 2.0 ** (1.0 - self.datasets_of_pairs)
        return list(adjust_p_values(np.minimum(every, 1.0), self.tests.adjustment, all_pairs=self.control is None))
