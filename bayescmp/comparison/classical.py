"""The frequentist side of all pairs."""

from dataclasses import replace
from typing import Any

import numpy as np

from bayescmp import frequentist
from bayescmp.comparison.run import Names, quiet_pair
from bayescmp.frequentist import PairwiseTests, TestResult, adjust_p_values
from bayescmp.scores.inputs import in_ropes
from bayescmp.scores.pair import Pair
from bayescmp.scores.table import Scores


def classical_tests(
    scores: Scores, test: str, names: list[Names], control: str | None, adjust: str, rope: Any
) -> PairwiseTests:
    """The test of every pair, by its short name, with adjusted p-values."""
    if test == "wilcoxon" and not isinstance(rope, dict):
        return frequentist.pairwise_wilcoxon_test(scores, adjust=adjust, control=control)
    if test in ("corrected_t", "paired_t"):
        return frequentist.pairwise_ttest(scores, corrected=test == "corrected_t", adjust=adjust, control=control)
    if test == "nemenyi":
        every = frequentist.nemenyi_test(scores)
        if control is None:
            return every
        return replace(
            _family(scores, [every.result(a, b) for a, b in names], control),
            details=every.details,
        )
    results = [single_test(quiet_pair(scores, pair), test, rope) for pair in names]
    p = adjust_p_values([r.p_value for r in results], adjust, all_pairs=control is None)
    adjusted = [replace(r, p_adjusted=float(q), adjustment=adjust) for r, q in zip(results, p, strict=True)]
    return _family(scores, adjusted, control)


def single_test(pair: Pair, test: str, rope: Any) -> TestResult:
    """The test of one pair, called as by hand; Nemenyi's is none of one pair.

    Where every dataset has its own rope, differences are in units of those, as for the Bayesian tests.
    """
    tests: dict[str, Any] = {
        "wilcoxon": frequentist.wilcoxon_test,
        "sign": frequentist.sign_test,
        "corrected_t": frequentist.corrected_ttest,
        "paired_t": frequentist.paired_ttest,
    }
    return tests[test](in_ropes(pair, rope)[0] if isinstance(rope, dict) else pair)


def omnibus_tests(scores: Scores, names: tuple[str, ...]) -> tuple[TestResult, ...]:
    """The tests of all models at once, where at least two datasets have them all."""
    tests: dict[str, Any] = {"friedman": frequentist.friedman_test, "iman_davenport": frequentist.iman_davenport_test}
    complete = int(np.sum((scores.counts > 0).all(axis=0)))
    return tuple(tests[name](scores) for name in names) if complete > 1 else ()


def _family(scores: Scores, results: list[TestResult], control: str | None) -> PairwiseTests:
    """Results of single tests as one value."""
    first = results[0]
    return PairwiseTests(
        method=first.method,
        models=scores.models,
        pairs=tuple((str(r.a), str(r.b)) for r in results),
        statistic_name=first.statistic_name,
        statistic=tuple(r.statistic for r in results),
        p_value=tuple(r.p_value for r in results),
        p_adjusted=tuple(r.p_value if r.p_adjusted is None else r.p_adjusted for r in results),
        adjustment=first.adjustment or "none",
        estimate=tuple(r.estimate or 0.0 for r in results),
        estimate_name=first.estimate_name,
        n=tuple(r.n for r in results),
        effect_name=first.effect_size.name if first.effect_size else None,
        effect=tuple(r.effect_size.value for r in results if r.effect_size),
        control=control,
        metric=scores.metric,
        higher_is_better=scores.higher_is_better,
        scale=scores.scale,
    )
