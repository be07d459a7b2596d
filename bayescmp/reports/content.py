"""What a report says, in the order in which it says it; the formats only arrange it."""

import hashlib
import json
import platform
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.comparison.decisions import in_words
from bayescmp.comparison.setting import WORDS
from bayescmp.reports.citations import Reference, references
from bayescmp.reports.curves import Curves, Point, curves, own_point
from bayescmp.reports.methods import methods_text
from bayescmp.reports.sentences import PairSentence, best_model, difference_text, pair_rope, pair_sentence, rope_text
from bayescmp.rope import Rope, RopeLike, warn_if_other_scale
from bayescmp.text import number, p_value, probability

if TYPE_CHECKING:
    from bayescmp.bayes.ranking.result import RankingPosterior
    from bayescmp.comparison.result import Comparison
    from bayescmp.scores.table import Scores

FEW_PAIRS = 6
"""Up to so many pairs the sentences open the report; with more, the ranking does."""
MOST_PAIRS_PRIORS = {"signed_rank": 15, "sign": 30, "hierarchical": 3}


@dataclass(frozen=True)
class PairRow:
    """One line of the table of pairs: numbers to sort by, and texts to show."""

    a: str
    b: str
    n: int
    difference: str
    interval: str
    estimate: float | None
    three: tuple[float, ...]
    point: Point
    decision: str
    p: str
    p_adjusted: float
    effect: str
    effect_size: float | None


@dataclass(frozen=True)
class Content:
    """Everything that a report shows."""

    title: str
    facts: list[tuple[str, str]]
    answer: str | None
    sentences: list[PairSentence]
    few: bool
    pairs: list[PairRow]
    shares: bool
    estimates: bool
    p_name: str
    effect_name: str | None
    note: str
    rope: str
    ranking: list[dict[str, Any]]
    ranking_note: str
    curves: Curves | None
    runs: list[tuple[str, str, str]]
    priors: list[dict[str, Any]]
    models: tuple[str, ...]
    datasets: list[dict[str, Any]]
    methods: str
    references: list[Reference]
    diagnostics: list[tuple[str, str]]
    notes: list[str]
    reproduce: list[tuple[str, str]]
    call: str


def content(c: "Comparison", ropes: Iterable[RopeLike] | None = None, n_jobs: int | None = None) -> Content:
    """Gather the report of a comparison."""
    ranking, why = ranking_of(c)
    found = curves(c, ropes, n_jobs)
    few = len(c.pairs) <= FEW_PAIRS
    return Content(
        title=f"{len(c.models)} models, {c.scores.metric or 'score'}",
        facts=_facts(c),
        answer=best_model(c, ranking) if ranking is not None and len(c.models) > 2 else None,
        sentences=[pair_sentence(c, i) for i in range(len(c.pairs))],
        few=few,
        pairs=pair_rows(c),
        shares="expected_better" in c.rows[0],
        estimates=c.rows[0]["estimate"] is not None,
        p_name=p_name(c),
        effect_name=c.tests.effect_name if c.tests.effect else None,
        note=table_note(c),
        rope=rope_text(pair_rope(c, 0), each=isinstance(c.rope, dict)),
        ranking=_ranking(ranking),
        ranking_note=why if ranking is None else f"{ranking.method}; {ranking.estimand}",
        curves=found,
        runs=[] if found is None or len(c.pairs) > 12 else [(a, b, found.runs(i, a, b)) for i, (a, b) in _each(c)],
        priors=_priors(c),
        models=c.models,
        datasets=_datasets(c.scores),
        methods=methods_text(c),
        references=references(c),
        diagnostics=_diagnostics(c),
        notes=_notes(c, ranking),
        reproduce=_reproduce(c),
        call=_call(c),
    )


def pair_rows(c: "Comparison") -> list[PairRow]:
    """The table of pairs."""
    rows = []
    for i, (a, b) in _each(c):
        row, point = c.table_row(i), own_point(c, i)
        mean, interval = difference_text(c, i)
        effect = row["effect_size"]
        rows.append(
            PairRow(
                a,
                b,
                row["n"],
                mean,
                interval,
                row["mean_difference"],
                (row["p_better"], row["p_equivalent"], row["p_worse"]),
                point,
                str(in_words(point.decision, a, b)),
                p_value(row["p_adjusted"], c.alpha).removeprefix("p ").removeprefix("= "),
                row["p_adjusted"],
                "" if effect is None or not np.isfinite(effect) else f"{effect + 0.0:.2f}",
                effect,
            )
        )
    return rows


def p_name(c: "Comparison") -> str:
    """What the column of p-values holds."""
    adjusted = len(c.pairs) > 1 and c.tests.adjustment != "none"
    return f"p ({c.tests.adjustment})" if adjusted else "p"


def table_note(c: "Comparison") -> str:
    """What has to stand below the table: the rope, both methods, n, and the sign of the differences."""
    rope = f"Rope {rope_text(c.rope)}" if isinstance(c.rope, Rope) else "A rope for each dataset (differences in ropes)"
    sizes = sorted({row["n"] for row in c.rows})
    n = f"n = {sizes[0]}" if len(sizes) == 1 else f"n = {sizes[0]} to {sizes[-1]}"
    what = "P: that the outcome is the most probable of the three." if "expected_better" in c.rows[0] else ""
    sign = " Differences are A - B, positive where A is better; brackets: 95% HDI."
    return (
        f"{rope}. Bayesian: {c.rows[0]['method']}, {n}; decided where P reaches {c.threshold:g}. {what} Frequentist: "
        f"{c.tests.method}, {p_name(c)}.{'' if c.rows[0]['estimate'] is None else sign}"
    ).replace("  ", " ")


def ranking_of(c: "Comparison") -> "tuple[RankingPosterior | None, str]":
    """The ranking, or why there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said when the comparison was made
        try:
            return c.ranking_posterior(), ""
        except ValueError as error:
            return None, f"No ranking: {error}"


def data_hash(scores: "Scores") -> str:
    """The sha256 of the scores with all that was said about them, the same on every machine.

    Parameters
    ----------
    scores : Scores

    See Also
    --------
    report : shows it.

    Examples
    --------
    >>> import bayescmp as bc
    >>> len(bc.reports.data_hash(bc.load_labour()))
    64
    """
    return hashlib.sha256(json.dumps(scores.to_dict(), sort_keys=True).encode()).hexdigest()


def _each(c: "Comparison") -> Iterable[tuple[int, tuple[str, str]]]:
    return enumerate(c.pairs)


def _facts(c: "Comparison") -> list[tuple[str, str]]:
    best = "higher" if c.scores.higher_is_better else "lower"
    m = len(c.scores.datasets)
    rope = rope_text(c.rope) if isinstance(c.rope, Rope) else "one for each dataset"
    return [
        ("Models", str(len(c.models))),
        ("Datasets", c.scores.datasets[0] if m == 1 else str(m)),
        ("Metric", f"{c.scores.metric or 'score'} ({best} is better)"),
        ("Rope", rope),
        ("Setting", WORDS[c.setting.name]),
        ("Pairs", f"{len(c.pairs)}" + (f", all against {c.control}" if c.control else "")),
    ]


def _ranking(ranking: "RankingPosterior | None") -> list[dict[str, Any]]:
    if ranking is None:
        return []
    rows: list[Any] = ranking.to_frame().to_dict("records")
    spread = float(np.ptp(ranking.mean_score)) if ranking.mean_score else 0.0
    for row in rows:
        row["show_best"] = probability(row["p_best"], row["mcse"])
        row["show_among"] = probability(row["p_among_best"], row["mcse"])
        row["show_rank"] = f"{row['expected_rank']:.1f}"
        row["show_score"] = number(row["mean_score"], spread) if "mean_score" in row else ""
    return rows


def _priors(c: "Comparison") -> list[dict[str, Any]]:
    """For each pair the range of the three probabilities over other priors, where that is quickly found."""
    if len(c.pairs) > MOST_PAIRS_PRIORS.get(c.setting.bayes, 0) or c.bayes_options.get("engine") == "nuts":
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = c.prior_sensitivity()
    rows = []
    for i, (a, b) in _each(c):
        part = frame[(frame["a"] == a) & (frame["b"] == b)]
        three = [part[f"p_{name}"] for name in ("better", "equivalent", "worse")]
        ranges = [
            f"{probability(x.min(), part['mcse'].max())} to {probability(x.max(), part['mcse'].max())}" for x in three
        ]
        decisions = "; ".join(f"{name} ({n})" for name, n in Counter(part["decision"]).most_common())
        rows.append({"i": i, "a": a, "b": b, "ranges": ranges, "priors": len(part), "decisions": decisions})
    return rows


def _datasets(scores: "Scores") -> list[dict[str, Any]]:
    """One row a dataset: its design and the mean scores, the best one marked."""
    frame = scores.summary()
    rows = []
    for name, n, design, means in zip(
        scores.datasets, frame.iloc[:, 0], frame.iloc[:, 1], frame.iloc[:, 3:].to_numpy(dtype=float), strict=True
    ):
        known = means[np.isfinite(means)]
        best = (known.max() if scores.higher_is_better else known.min()) if known.size > 1 else np.nan
        spread = float(np.ptp(known)) if known.size else 0.0
        cells = [("not run" if np.isnan(x) else number(float(x), spread), bool(x == best)) for x in means]
        rows.append({"name": name, "n": int(n), "design": design, "cells": cells})
    return rows


def _diagnostics(c: "Comparison") -> list[tuple[str, str]]:
    mcse = max(row["mcse"] for row in c.rows)
    error = max(row["numerical_error"] for row in c.rows)
    engines = ", ".join(dict.fromkeys(str(row["engine"]) for row in c.rows))
    return [
        ("Engine", engines),
        ("Largest Monte-Carlo standard error of a probability", f"{mcse:.2g}" if mcse else "0 (no Monte Carlo)"),
        ("Largest numerical error of a probability", f"{error:.2g}" if error else "0 (exact, or Monte Carlo)"),
    ]


def _notes(c: "Comparison", ranking: "RankingPosterior | None") -> list[str]:
    counted = Counter(note for row in c.rows for note in row["notes"])
    pairs = [f"{note} ({n} pair{'s' if n > 1 else ''})" for note, n in counted.most_common()]
    about_ranking = [f"Ranking: {note}" for note in ranking.notes] if ranking else []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if isinstance(c.rope, Rope):
            warn_if_other_scale(c.rope, c.scores.values)
    said = [str(w.message) for w in caught]
    return list(
        dict.fromkeys([*said, *c.cautions(), *c.notes, *c.tests.notes, *c.scores.notes, *pairs, *about_ranking])
    )


def _reproduce(c: "Comparison") -> list[tuple[str, str]]:
    versions = ", ".join(f"{name} {version}" for name, version in c.versions.items())
    return [
        ("Versions", f"{versions}; report by Python {platform.python_version()}"),
        ("Random seed", "none needed" if c.random_seed is None else str(c.random_seed)),
        ("sha256 of the scores", data_hash(c.scores)),
        ("Why these tests", "; ".join(c.setting.why)),
    ]


def _call(c: "Comparison") -> str:
    rope: Any = c.rope
    if isinstance(rope, Rope):
        rope = rope.high if rope.low == -rope.high else (rope.low, rope.high)
    else:
        rope = {name: (r.low, r.high) for name, r in ((name, Rope.of(r)) for name, r in rope.items())}
    options: dict[str, Any] = {"rope": rope, "bayes": c.setting.bayes, "frequentist": c.setting.frequentist}
    if c.against:
        options["against"] = c.against
    elif c.control:
        options["control"] = c.control
    options |= {"threshold": c.threshold, "alpha": c.alpha}
    if c.setting.frequentist != "nemenyi":
        options["adjust"] = c.tests.adjustment
    if c.switching_cost:
        options["switching_cost"] = c.switching_cost
    if c.random_seed is not None:
        options["random_seed"] = c.random_seed
    if c.bayes_options:
        options["bayes_options"] = c.bayes_options
    return f"bc.compare(scores, {', '.join(f'{name}={value!r}' for name, value in options.items())})"
