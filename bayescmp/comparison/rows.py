"""A row of the table: what both schools say of one pair."""

from typing import Any

import numpy as np

from bayescmp.comparison.agreement import Verdicts, agreement
from bayescmp.comparison.decisions import in_words, threshold_decision
from bayescmp.comparison.result import Comparison


def table_row(c: Comparison, i: int) -> dict[str, Any]:
    """Row i of `table()`."""
    row, tests = c.rows[i], c.tests
    a, b = row["a"], row["b"]
    decision = threshold_decision(row, c.threshold)
    shares = {name: row[name] for name in row if name.startswith("expected_")}
    low, high = tests.effect_interval[i] if tests.effect_interval else (None, None)
    kind, sentence = agreement(verdicts(c, i))
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


def verdicts(c: Comparison, i: int) -> Verdicts:
    """What both schools say of pair i."""
    row, tests = c.rows[i], c.tests
    smallest = smallest_raw = None
    n = int(c.datasets_of_pairs[i])
    if c.setting.frequentist in ("wilcoxon", "sign"):
        smallest, smallest_raw = c.smallest_p[i], 2.0 ** (1 - n)
    adjusted = len(c.pairs) > 1 and tests.adjustment != "none"
    shares = tuple(row[f"expected_{x}"] for x in ("better", "equivalent", "worse") if f"expected_{x}" in row)
    direction = tests.effect[i] if tests.effect else tests.estimate[i]
    return Verdicts(
        a=row["a"],
        b=row["b"],
        p_better=row["p_better"],
        p_equivalent=row["p_equivalent"],
        p_worse=row["p_worse"],
        mcse=row["mcse"],
        decision=threshold_decision(row, c.threshold),
        estimate=row["estimate"],
        p=tests.p_adjusted[i],
        raw_p=tests.p_value[i],
        alpha=c.alpha,
        threshold=c.threshold,
        rope=c.rope_of(i),
        direction=float(np.sign(direction)),
        corrected_p=None if c.corrected_p is None else c.corrected_p[i],
        smallest_p=smallest,
        smallest_raw_p=smallest_raw,
        adjustment=f"{tests.adjustment} over {len(c.pairs)} pairs" if adjusted else None,
        expected=(shares[0], shares[1], shares[2]) if len(shares) == 3 else None,
        n=n,
    )
