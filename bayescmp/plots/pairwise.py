"""All pairs as a table of probabilities and decisions: what the matrix and the ranking with its groups draw."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.bayes.ranking.result import RankingPosterior
from bayescmp.bayes.ranking.strengths import StrengthPosterior
from bayescmp.checks import check_threshold
from bayescmp.comparison.result import Comparison
from bayescmp.rope import Decision

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PairTable:
    """P(row better than column) of every pair, NaN where not compared, and what was decided about (row, column).

    `equivalent` is P(equivalent), where there is a rope.
    """

    models: tuple[str, ...]
    p: Floats
    decisions: dict[tuple[int, int], Decision]
    threshold: float
    equivalent: Floats | None = None

    def order(self) -> list[int]:
        """The models, the one that is better than the others with the highest probability on average first."""
        means = np.nanmean(np.where(np.eye(len(self.models), dtype=bool), np.nan, self.p), axis=1)
        return [int(i) for i in np.argsort(-means, kind="stable")]


def pair_table(result: Any, threshold: float | None) -> PairTable:
    """The table of a comparison (its own threshold, unless another is given) or of a ranking."""
    if threshold is not None:
        check_threshold(threshold)
    if isinstance(result, Comparison):
        return _of_comparison(result, result.threshold if threshold is None else threshold)
    if not isinstance(result, RankingPosterior):
        raise ValueError(f"All pairs are in a Comparison or a RankingPosterior, got {type(result).__name__}.")
    threshold = 0.95 if threshold is None else threshold
    decisions: dict[tuple[int, int], Decision] = {}
    p = result.p_better_matrix
    if isinstance(result, StrengthPosterior):
        for row in result.pairs_frame().to_dict("records"):
            i, j = result.models.index(row["a"]), result.models.index(row["b"])
            three = (row["p_practically_better"], row["p_equivalent"], 0.0)
            _note(decisions, i, j, Decision.of(three, threshold))
    else:
        for i, j in combinations(range(len(p)), 2):
            _note(decisions, i, j, Decision.of((p[i, j], 0.0, p[j, i]), threshold))
    np.fill_diagonal(p, np.nan)
    return PairTable(result.models, p, decisions, threshold)


def _of_comparison(c: Comparison, threshold: float) -> PairTable:
    places = {name: i for i, name in enumerate(c.models)}
    p = np.full((len(places), len(places)), np.nan)
    equivalent = p.copy()
    decisions: dict[tuple[int, int], Decision] = {}
    for posterior in c.posteriors:
        i, j = places[posterior.a], places[posterior.b]
        p[i, j], p[j, i] = posterior.p_better, posterior.p_worse
        equivalent[i, j] = equivalent[j, i] = posterior.p_equivalent
        _note(decisions, i, j, posterior.decision(threshold))
    roped = any(not posterior.rope.is_zero for posterior in c.posteriors)
    return PairTable(c.models, p, decisions, threshold, equivalent if roped else None)


def _note(decisions: dict[tuple[int, int], Decision], i: int, j: int, decision: Decision) -> None:
    mirrored = {Decision.A_BETTER: Decision.B_BETTER, Decision.B_BETTER: Decision.A_BETTER}
    decisions[i, j], decisions[j, i] = decision, mirrored.get(decision, decision)
