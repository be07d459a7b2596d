"""`Comparison`: every pair of models by both schools, as a value with tables, decisions, ranking and reasons."""

import json
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.bayes.posterior import Posterior
from bayescmp.comparison.agreement import Verdicts, agreement
from bayescmp.comparison.classical import single_test
from bayescmp.comparison.decisions import hdi_decision, in_words, loss_decision, threshold_decision
from bayescmp.comparison.reporting import Reporting
from bayescmp.comparison.run import Job, Names, quiet_pair, run_pairs
from bayescmp.comparison.setting import WORDS, Setting
from bayescmp.errors import unknown_name
from bayescmp.frequentist import PairwiseTests, TestResult
from bayescmp.rope import Rope, RopeLike
from bayescmp.scores.table import Scores
from bayescmp.text import versions

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.bayes.ranking import RankingPosterior


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

        `n` is what the Bayesian test used (datasets, or folds), `n_test` what the frequentist one did.
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
            by_hdi = hdi_decision(row["interval_low"], row["interval_high"], self._rope_of(i))
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
        """One row a model, the most probably best first: P(best), P(among the best), expected rank, mean score."""
        return self.ranking_posterior(**options).to_frame()

    def ranking_posterior(self, **options: Any) -> "RankingPosterior":
        """The joint posterior behind `ranking()`; options are those of `bayes.rank_models`."""
        from bayescmp.bayes import rank_models

        seed = 0 if self.random_seed is None else self.random_seed
        return rank_models(self.scores, **{"rope": self.rope, "random_seed": seed} | options)

    def pair(self, a: str, b: str) -> PairComparison:
        """Every result of one pair, in either order: the tests as called by hand, with the adjusted p-value."""
        for name in (a, b):
            if name not in self.models:
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
                test = single_test(pair.swap() if swapped else pair, self.setting.frequentist)
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
        """How the three probabilities and the decision of every pair move with the rope."""
        return self._sensitivity(replace(self._job(), what="rope_curve", ropes=tuple(map(Rope.of, ropes))), n_jobs)

    def prior_sensitivity(self, *, n_jobs: int | None = None) -> "pd.DataFrame":
        """How the three probabilities and the decision of every pair move with the prior."""
        return self._sensitivity(replace(self._job(), what="prior_sensitivity"), n_jobs)

    def _sensitivity(self, job: Job, n_jobs: int | None) -> "pd.DataFrame":
        import pandas as pd

        found = run_pairs(self.scores, self.pairs, job, n_jobs=n_jobs, progress=False)
        rows = [row for rows in found for row in rows]
        for row in rows:
            del row["warnings"]
            row["decision"] = in_words(threshold_decision(row, self.threshold), row["a"], row["b"])
        return pd.DataFrame(rows)

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
            lines.append(
                f"{m} pairs were compared. p-values are adjusted for that ({self.tests.adjustment}); the posterior "
                "probabilities of single pairs, with their flat priors, are not. bayes.multilevel(scores) is the one "
                "model of all that shrinks."
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
        """The inverse of `to_dict`, also after a trip through JSON."""
        from bayescmp.comparison.as_json import from_dict

        return from_dict(data)

    @staticmethod
    def from_json(text: str) -> "Comparison":
        """The inverse of `to_json`."""
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

    def _rope_of(self, i: int) -> Rope:
        """The rope of a pair as its posterior saw it."""
        return Rope(self.rows[i]["rope_low"], self.rows[i]["rope_high"])

    def table_row(self, i: int) -> dict[str, Any]:
        """Row i of `table()`."""
        row, tests = self.rows[i], self.tests
        a, b = row["a"], row["b"]
        decision = threshold_decision(row, self.threshold)
        shares = {name: row[name] for name in row if name.startswith("expected_")}
        low, high = tests.effect_interval[i] if tests.effect_interval else (None, None)
        kind, sentence = agreement(self._verdicts(i))
        return {
            "a": a,
            "b": b,
            "n": row["n"],
            "mean_difference": row["estimate"],
            "hdi_low": row["interval_low"],
            "hdi_high": row["interval_high"],
            "p_better": row["p_better"],
            "p_equivalent": row["p_equivalent"],
            "p_worse": row["p_worse"],
            "mcse": row["mcse"],
            **shares,
            "decision": in_words(decision, a, b),
            "n_test": tests.n[i],
            "statistic": tests.statistic[i],
            "p_value": tests.p_value[i],
            "p_adjusted": tests.p_adjusted[i],
            "effect_size": tests.effect[i] if tests.effect else None,
            "effect_low": low,
            "effect_high": high,
            "agreement": sentence,
            "agreement_kind": kind,
        }

    def _verdicts(self, i: int) -> Verdicts:
        row, tests = self.rows[i], self.tests
        n = tests.n[i]
        smallest = None
        if self.setting.frequentist in ("wilcoxon", "sign"):
            smallest = 2.0 ** (1 - n) * (1 if tests.adjustment in ("none", "bh", "by") else len(self.pairs))
        direction = tests.effect[i] if tests.effect else tests.estimate[i]
        return Verdicts(
            a=row["a"],
            b=row["b"],
            p_better=row["p_better"],
            p_equivalent=row["p_equivalent"],
            p_worse=row["p_worse"],
            mcse=row["mcse"],
            decision=threshold_decision(row, self.threshold),
            estimate=row["estimate"],
            p=tests.p_adjusted[i],
            alpha=self.alpha,
            rope=self._rope_of(i),
            direction=float(np.sign(direction)),
            corrected_p=None if self.corrected_p is None else self.corrected_p[i],
            smallest_p=smallest,
            n=n,
        )
