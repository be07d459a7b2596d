"""The contents of a report, in their order; the formats only arrange them."""

import hashlib
import json
import platform
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.bayes.regions import RegionPosterior
from bayescmp.comparison.pair import PairResult
from bayescmp.comparison.show import headline, ranking_of
from bayescmp.references import Reference
from bayescmp.reports.curves import Curves, Point, curves
from bayescmp.reports.methods import methods_text, references
from bayescmp.rope import Decision, Rope, RopeLike, warn_if_other_scale
from bayescmp.scores.metrics import with_direction
from bayescmp.sentences import (
    best_model,
    datasets_text,
    estimate_text,
    gap_name,
    holes,
    mean_scores,
    pair_notes,
    rope_text,
)
from bayescmp.text import IN_PERCENT, number, probability, short_p_value

if TYPE_CHECKING:
    from bayescmp.bayes.ranking.result import RankingPosterior
    from bayescmp.comparison.result import Comparison
    from bayescmp.gates import Rule
    from bayescmp.scores.table import Scores

FEW_PAIRS = 6
"""Up to so many pairs their sentences stand below the answer; with more they are folded away."""
P_NAMES = ("P(A better)", "P(equivalent)", "P(B better)")
MOST_PROBABLE = ("Most probable: A better", "equivalent", "B better")
MOST_PAIRS_PRIORS, MOST_SLOW_PAIRS_PRIORS = 15, 3
"""Up to so many pairs the report has what other priors would give."""
MOST_PLANS = 3
"""Of so many undecided pairs the report says what more data would decide."""


@dataclass(frozen=True)
class PairRow:
    """One line of the table of pairs: the pair to sort by, and texts to show."""

    pair: PairResult
    point: Point
    difference: str
    interval: str
    p: str
    effect: str


@dataclass(frozen=True)
class Content:
    """Everything that a report shows."""

    title: str
    facts: list[tuple[str, str]]
    answer: str
    best: str | None
    caution: str
    sentences: list[tuple[str, str, str]]
    few: bool
    pairs: list[PairRow]
    shares: bool
    next: str
    p_names: tuple[str, str, str]
    estimates: bool
    p_name: str
    effect_name: str | None
    note: str
    gap: str
    rope: str
    ranking: list[dict[str, Any]]
    score_name: str
    ranking_note: str
    curves: Curves | None
    runs: list[tuple[str, str, str]]
    priors: list[dict[str, Any]]
    plans: list[tuple[str, str, str]]
    rule: tuple[str, list[str], list[str]] | None
    models: tuple[str, ...]
    datasets: list[dict[str, Any]]
    methods: str
    references: list[Reference]
    diagnostics: list[tuple[str, str]]
    notes: list[str]
    reproduce: list[tuple[str, str]]
    call: str


def content(
    c: "Comparison",
    ropes: Iterable[RopeLike] | None = None,
    n_jobs: int | None = None,
    plan: bool = False,
    rule: "Rule | None" = None,
) -> Content:
    """Gather the report of a comparison."""
    ranking, why = ranking_of(c)
    drawn = curves(c, ropes, n_jobs)
    first = c.pairs[0].posterior
    return Content(
        title=f"{len(c.models)} models, {c.scores.metric or 'score'}",
        facts=_facts(c),
        answer=headline(c, wait=True),
        best=best_model(ranking, _one_rope(c)) if ranking is not None and len(c.models) > 2 else None,
        caution=holes(c.scores),
        sentences=[pair.three_sentences for pair in c.pairs],
        few=len(c.pairs) <= FEW_PAIRS,
        pairs=pair_rows(c),
        shares=first.expected is not None,
        next=next_heading(c),
        p_names=P_NAMES if first.expected is None else MOST_PROBABLE,
        estimates=first.mean is not None,
        p_name=p_name(c),
        effect_name=c.tests.effect_name if c.tests.effect else None,
        note=table_note(c),
        gap=gap_name(first.scale, first.higher_is_better),
        rope=rope_text(first.rope, first.scale, first.higher_is_better),
        ranking=_ranking(ranking),
        score_name="mean score" if ranking is None else mean_scores(ranking)[0],
        ranking_note=why if ranking is None else _ranking_note(ranking),
        curves=drawn,
        runs=[] if drawn is None or len(c.pairs) > 12 else [(*names, drawn.runs(i)) for i, names in _each(c)],
        priors=_priors(c),
        plans=_plans(c, n_jobs) if plan else [],
        rule=None if rule is None else _rule(c, rule),
        models=c.models,
        datasets=_datasets(c.scores),
        methods=methods_text(c),
        references=references(c),
        diagnostics=_diagnostics(c),
        notes=_notes(c),
        reproduce=_reproduce(c),
        call=_call(c),
    )


def sentences(c: "Comparison") -> list[str]:
    """One text per pair, in the order of `table()`.

    Parameters
    ----------
    c : Comparison

    See Also
    --------
    methods_text, to_markdown

    Examples
    --------
    >>> import bayescmp as bc
    >>> len(bc.reports.sentences(bc.compare(bc.load_labour(), rope=0.01)))
    3
    """
    return [pair.sentence() for pair in c.pairs]


def pair_rows(c: "Comparison") -> list[PairRow]:
    """The table of pairs."""
    rows = []
    for pair in c.pairs:
        effect = pair.test.effect_size.value if pair.test.effect_size else None
        shown = "" if effect is None or not np.isfinite(effect) else f"{effect + 0.0:.2f}"
        p = short_p_value(pair.p, c.alpha)
        rows.append(PairRow(pair, Point.of(pair), *estimate_text(pair.posterior), p, shown))
    return rows


def _ranking_note(ranking: "RankingPosterior") -> str:
    about = f"By {ranking.quantity} over {ranking.rests_on}. {ranking.method}; {ranking.estimand}"
    return ". ".join([about, *(f"Note: {note}" for note in ranking.notes)])


def next_heading(c: "Comparison") -> str:
    """The heading of the expected shares; empty where there are none."""
    first = c.posteriors[0]
    return first.next_heading.capitalize() if isinstance(first, RegionPosterior) else ""


def _one_rope(c: "Comparison") -> Rope | None:
    return c.rope if isinstance(c.rope, Rope) else None


def p_name(c: "Comparison") -> str:
    """What the column of p-values holds."""
    adjusted = len(c.pairs) > 1 and c.tests.adjustment != "none"
    return f"p ({c.tests.adjustment})" if adjusted else "p"


def table_note(c: "Comparison") -> str:
    """What has to stand below the table: the rope, both methods, n, and the sign of the differences."""
    scale, up = c.scores.scale, c.scores.higher_is_better
    rope = "A rope for each dataset (differences in ropes)"
    if isinstance(c.rope, Rope):
        rope = f"Rope {rope_text(c.rope, scale, up)}"
    sizes = sorted({p.n for p in c.posteriors})
    n = f"n = {sizes[0]}" if len(sizes) == 1 else f"n = {sizes[0]} to {sizes[-1]}"
    first = c.posteriors[0]
    what = ""
    if isinstance(first, RegionPosterior):
        what = (
            f"{next_heading(c)}: how often it is expected to show A better / equivalent / B better. P and decision: "
            "that an outcome is the most probable one."
        )
    of = {"log": "in percent of B, from means of log ratios", "relative": "in percent of the mean of both"}
    differences = f"{gap_name(scale, up)}: {of[scale]}" if scale in IN_PERCENT else "Differences are A - B"
    sign = f" {differences}, positive where A is better; brackets: 95% HDI."
    return (
        f"{rope}. Bayesian: {first.method}, {n}; decided where P reaches {c.threshold:g}. {what} Frequentist: "
        f"{c.tests.method}, {p_name(c)}.{'' if first.mean is None else sign}"
    ).replace("  ", " ")


def data_hash(scores: "Scores") -> str:
    """The sha256 of the scores with everything known about them, the same on every machine.

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
    return enumerate(c.pair_names)


def _facts(c: "Comparison") -> list[tuple[str, str]]:
    m = len(c.scores.datasets)
    scale, up = c.scores.scale, c.scores.higher_is_better
    rope = rope_text(c.rope, scale, up) if isinstance(c.rope, Rope) else "one for each dataset"
    return [
        ("Models", str(len(c.models))),
        ("Datasets", c.scores.datasets[0] if m == 1 else datasets_text(c.scores).replace(" datasets", "")),
        ("Metric", with_direction(c.scores.metric, up, scale)),
        ("Rope", rope),
        ("Setting", c.setting.words),
        ("Pairs", f"{len(c.pairs)}" + (f", all against {c.control}" if c.control else "")),
    ]


def _ranking(ranking: "RankingPosterior | None") -> list[dict[str, Any]]:
    if ranking is None:
        return []
    rows: list[Any] = ranking.to_frame().to_dict("records")
    means = dict(zip(ranking.models, mean_scores(ranking)[1], strict=True))
    for row in rows:
        row["show_best"] = probability(row["p_best"], row["mcse"])
        row["show_within"] = probability(row["p_within_rope"], row["mcse"])
        row["show_rank"] = f"{row['expected_rank']:.1f}"
        row["show_score"] = means[row["model"]]
    return rows


def _priors(c: "Comparison") -> list[dict[str, Any]]:
    """For each pair the range of the three probabilities over other priors, where that is quickly found."""
    most = MOST_SLOW_PAIRS_PRIORS if c.setting.bayes_test.slow else MOST_PAIRS_PRIORS
    if len(c.pairs) > most or c.bayes_options.get("engine") == "nuts":
        return []
    try:
        frame = c.prior_sensitivity()
    except ValueError:  # a test with one prior
        return []
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


def _plans(c: "Comparison", n_jobs: int | None) -> list[tuple[str, str, str]]:
    """What more data would decide about the first undecided pairs of the models that may be the best."""
    try:
        models: tuple[str, ...] = c.groups().not_worse
    except ValueError:  # no ranking
        models = c.models
    undecided = [(p.a, p.b) for p in c.pairs if p.decision is Decision.UNDECIDED and {p.a, p.b} <= set(models)]
    plans = c.plan(pairs=undecided[:MOST_PLANS], n_jobs=n_jobs, progress=False)
    return [(p.a, p.b, " ".join([p.sentence(), *(f"{note[0].upper()}{note[1:]}." for note in p.notes)])) for p in plans]


def _rule(c: "Comparison", rule: "Rule") -> tuple[str, list[str], list[str]]:
    """Whether the comparison keeps to a rule that was written down before, in what it does not, and the rule."""
    departures = [f"{text[0].upper()}{text[1:]}." for text in rule.departures(c)]
    verdict = (
        "The comparison does not keep to the rule that was written down before:"
        if departures
        else "The comparison keeps to a rule that was written down before."
    )
    return verdict, departures, rule.to_toml().splitlines()[1:]


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
    mcse = max(p.largest_mcse for p in c.posteriors)
    error = max(p.numerical_error for p in c.posteriors)
    engines = ", ".join(dict.fromkeys(p.engine for p in c.posteriors))
    return [
        ("Engine", engines),
        ("Largest Monte-Carlo standard error of a probability", f"{mcse:.2g}" if mcse else "0 (no Monte Carlo)"),
        ("Largest numerical error of a probability", f"{error:.2g}" if error else "0 (exact, or Monte Carlo)"),
    ]


def _notes(c: "Comparison") -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if isinstance(c.rope, Rope):
            warn_if_other_scale(c.rope, c.scores.values)
    warned = [str(w.message) for w in caught]
    return list(dict.fromkeys([*warned, *c.cautions(), *c.notes, *c.tests.notes, *c.scores.notes, *pair_notes(c)]))


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
        rope = {name: (r.low, r.high) for name, r in rope.items()}
    options: dict[str, Any] = {"rope": rope, "bayes": c.setting.bayes, "frequentist": c.setting.frequentist}
    if c.against:
        options["against"] = c.against
    elif c.control:
        options["control"] = c.control
    options |= {"threshold": c.threshold, "alpha": c.alpha}
    if not c.setting.frequentist_test.family:
        options["adjust"] = c.tests.adjustment
    if c.switching_cost:
        options["switching_cost"] = c.switching_cost
    if c.mixed_units:
        options["mixed_units"] = True
    if c.looks > 1:
        options["looks"] = c.looks
    if c.random_seed is not None:
        options["random_seed"] = c.random_seed
    if c.bayes_options:
        options["bayes_options"] = c.bayes_options
    return f"bc.compare(scores, {', '.join(f'{name}={value!r}' for name, value in options.items())})"
