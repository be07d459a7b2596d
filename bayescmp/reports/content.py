"""The contents of a report, in their order; the formats only arrange them."""

import hashlib
import json
import platform
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.bayes.regions import RegionPosterior
from bayescmp.comparison.pair import PairResult
from bayescmp.comparison.result import on_dataset
from bayescmp.comparison.run import quiet_pair
from bayescmp.comparison.show import JOINTLY, headline, jointly, ranking_of
from bayescmp.frequentist import detectable_difference, rank_table, signed_rank_table
from bayescmp.references import Reference
from bayescmp.reports.curves import Curves, Point, curves
from bayescmp.reports.methods import bibtex, methods_text, references
from bayescmp.reports.overview import MOST_MODELS, Overview, overview
from bayescmp.rope import Decision, Rope, RopeLike, rope_for, warn_if_other_scale
from bayescmp.scores.inputs import in_ropes
from bayescmp.scores.metrics import with_direction
from bayescmp.sentences import (
    best_model,
    datasets_text,
    gap_name,
    holes,
    mean_scores,
    pair_notes,
    rope_text,
)
from bayescmp.text import IN_PERCENT, amounts, number, probability, short_p_value, unit_number

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.bayes.ranking.result import RankingPosterior
    from bayescmp.comparison.result import Comparison
    from bayescmp.gates import Rule
    from bayescmp.scores.table import Scores

MOST_OPEN_CARDS, MOST_CARDS = 8, 60
"""Pairs that have a card: the first ones open, the others folded away; the rest is in the table."""
MOST_NAMED = 12
"""Undecided pairs that the first screen names."""
MOST_ROWS = 1000
"""Pairs in the tables of a page; of more, the most interesting ones."""
MOST_TESTS = 100
"""Pairs in the table of intervals, effect sizes and detectable differences."""
P_NAMES = ("P(A better)", "P(equivalent)", "P(B better)")
MOST_PROBABLE = ("Most probable: A better", "equivalent", "B better")
MOST_PAIRS_PRIORS, MOST_SLOW_PAIRS_PRIORS = 15, 3
"""Up to so many pairs the report has what other priors would give."""
MOST_PLANS = 3
"""Of so many undecided pairs the report says what more data would decide."""
POWER = 0.8
MOST_RANKED, MOST_SIGNED = 12, 3
"""Models of the table of ranks, and pairs whose signed ranks are listed."""


@dataclass(frozen=True)
class PairRow:
    """One line of the table of pairs: the pair to sort by, and texts to show."""

    pair: PairResult
    point: Point
    difference: str
    interval: str
    p: str
    id: str


@dataclass(frozen=True)
class TestRow:
    """One line of the table of tests: what the frequentist side says about a pair."""

    pair: PairResult
    estimate: str
    interval: str
    alone: str
    p: str
    effect: str
    effect_interval: str
    detectable: str


@dataclass(frozen=True)
class Card:
    """A pair in sentences; `i` is its place in the table of pairs."""

    i: int
    row: PairRow
    says: tuple[str, str, str]


@dataclass(frozen=True)
class Content:
    """Everything that a report shows."""

    title: str
    facts: list[tuple[str, str]]
    answer: str
    best: str | None
    caution: str
    counts: dict[str, int]
    threshold: str
    overview: Overview
    cards: list[Card]
    open_cards: int
    pairs: list[PairRow]
    every: int
    tests: list[TestRow]
    estimate_name: str
    effect_name: str
    shares: bool
    next: str
    p_names: tuple[str, str, str]
    estimates: bool
    p_name: str
    note: str
    tests_note: str
    gap: str
    rope: str
    mcse: float
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
    designs: bool
    """Whether the datasets differ in their resampling."""
    results_note: str
    ranks: list[tuple[str, list[str]]]
    signed_ranks: list[dict[str, Any]]
    methods: str
    references: list[Reference]
    bibtex: str
    diagnostics: list[tuple[str, str]]
    notes: list[str]
    reproduce: list[tuple[str, str]]
    call: str

    @property
    def first_undecided(self) -> list[int]:
        """The undecided pairs that the first screen names."""
        return [card.i for card in self.cards if card.row.point.decision is Decision.UNDECIDED][:MOST_NAMED]

    def to_json(self) -> dict[str, Any] | None:
        """What moves with the rope, for the page; None where nothing does."""
        if self.curves is None:
            return None
        return self.curves.to_json(
            self.mcse, [card.i for card in self.cards], [row["model"] for row in self.ranking if self.curves.rankings]
        )


def content(
    c: "Comparison",
    ropes: Iterable[RopeLike] | None = None,
    n_jobs: int | None = None,
    plan: bool = False,
    rule: "Rule | None" = None,
    advance: Callable[[int], None] = lambda n: None,
    slider: bool = True,
) -> Content:
    """Gather the report of a comparison, for a page with a rope `slider` or for paper.

    `advance` is called after each of its `PARTS`.
    """
    ranking, why = ranking_of(c)
    advance(1)
    order = by_interest(c, ranking)
    ranked = [] if ranking is None else [ranking.models[i] for i in ranking.order()]
    listed = _listed(c, order, ranked)
    rows = pair_rows(c, listed)
    advance(1)
    drawn = curves(c, ropes, n_jobs, listed, ranking, slider)
    advance(1)
    place = {i: n for n, i in enumerate(listed)}
    chosen = [place[i] for i in order if i in place][:MOST_CARDS]
    first = c.posteriors[0]
    tests = test_rows(c, sorted(order[:MOST_TESTS]))
    advance(1)
    priors = _priors(c)
    advance(1)
    datasets = dataset_rows(c)
    found = Content(
        title=f"{len(c.models)} models, {c.scores.metric or 'score'}",
        facts=_facts(c),
        answer=headline(c, wait=True),
        best=best_model(ranking, _one_rope(c)) if ranking is not None and len(c.models) > 2 else None,
        caution=holes(c.scores),
        counts=_decided(c),
        threshold=f"{c.threshold:g}",
        overview=overview(c, ranked, listed),
        cards=[Card(i, rows[i], rows[i].pair.three_sentences) for i in chosen],
        open_cards=MOST_OPEN_CARDS,
        pairs=rows,
        every=len(c.posteriors),
        tests=tests,
        estimate_name=c.pairs_at([0])[0].test.estimate_name if tests else "",
        effect_name=tests[0].pair.test.effect_size.name if tests and tests[0].pair.test.effect_size else "",
        shares=first.expected is not None,
        next=next_heading(c),
        p_names=P_NAMES if first.expected is None else MOST_PROBABLE,
        estimates=first.mean is not None,
        p_name=p_name(c),
        note=table_note(c),
        tests_note=tests_note(c),
        gap=gap_name(first.scale, first.higher_is_better),
        rope=rope_text(first.rope, first.scale, first.higher_is_better),
        mcse=_column_error(row.pair for row in rows),
        ranking=_ranking(ranking),
        score_name="mean score" if ranking is None else mean_scores(ranking)[0],
        ranking_note=why if ranking is None else _ranking_note(c, ranking),
        curves=drawn,
        runs=[] if drawn is None or len(rows) > 12 else [(*names, drawn.runs(i)) for i, names in _each(c)],
        priors=priors,
        plans=_plans(c, n_jobs) if plan else [],
        rule=None if rule is None else _rule(c, rule),
        models=c.models,
        datasets=datasets,
        designs=len({row["design"] for row in datasets}) > 1,
        results_note=results_note(c),
        ranks=_ranks(c),
        signed_ranks=_signed_ranks(c, order),
        methods=methods_text(c),
        references=references(c),
        bibtex=bibtex(c),
        diagnostics=_diagnostics(c),
        notes=_notes(c),
        reproduce=_reproduce(c),
        call=_call(c),
    )
    advance(1)
    return found


PARTS = 6


def by_interest(c: "Comparison", ranking: "RankingPosterior | None") -> list[int]:
    """The places of the pairs, those first that a reader will look for.

    Pairs of models that may be the best, then pairs with one such model, then the others; among these, undecided pairs
    and pairs close to the threshold first.
    """
    models = set(c.models if ranking is None else ranking.groups(threshold=c.threshold).not_worse)

    def key(i: int) -> tuple[int, bool, float]:
        p = c.posteriors[i]
        largest = max(p.three)
        return -len({p.a, p.b} & models), largest >= c.threshold, abs(largest - c.threshold)

    return sorted(range(len(c.posteriors)), key=key)


def _listed(c: "Comparison", order: Sequence[int], ranked: Sequence[str]) -> list[int]:
    """The places of the pairs that a page lists: those of its figure, and the most interesting others."""
    drawn = set(ranked[:MOST_MODELS])
    shown = [i for i, pair in enumerate(c.pair_names) if drawn.issuperset(pair)]
    return sorted(list(dict.fromkeys([*shown, *order]))[:MOST_ROWS])


def _decided(c: "Comparison") -> dict[str, int]:
    """How many pairs came out how."""
    often = Counter(p.decision(c.threshold) for p in c.posteriors)
    better = often[Decision.A_BETTER] + often[Decision.B_BETTER]
    return {"better": better, "equivalent": often[Decision.EQUIVALENT], "undecided": often[Decision.UNDECIDED]}


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


def pair_rows(c: "Comparison", places: Sequence[int] | None = None) -> list[PairRow]:
    """The table of pairs; every column has one number format."""
    pairs = c.pairs_at(range(len(c.posteriors)) if places is None else places)
    error, digits = (
        _column_error(pairs),
        _column_width(p.posterior.hdi() for p in pairs if p.posterior.mean is not None),
    )
    ids = addresses([(pair.a, pair.b) for pair in pairs])
    return [
        PairRow(
            pair=pair,
            point=Point.of(pair, error),
            difference=_amounts(pair, [pair.posterior.mean], digits)[0],
            interval=_interval(pair, pair.posterior.hdi() if pair.posterior.mean is not None else None, digits),
            p=short_p_value(pair.p, c.alpha),
            id=name,
        )
        for pair, name in zip(pairs, ids, strict=True)
    ]


def test_rows(c: "Comparison", places: Sequence[int]) -> list[TestRow]:
    """The table of tests: the interval of the difference, the effect size, and what could have been detected."""
    pairs = c.pairs_at(places)
    bounds = [pair.test.confidence_interval() if pair.test.interval else None for pair in pairs]
    digits = _column_width(ends for ends in bounds if ends is not None)
    rows = []
    for pair, ends in zip(pairs, bounds, strict=True):
        effect = pair.test.effect_size
        limits = effect.interval if effect is not None else None
        rows.append(
            TestRow(
                pair=pair,
                estimate=_amounts(pair, [pair.test.estimate], digits)[0],
                interval=_interval(pair, ends, digits),
                alone=short_p_value(pair.test.p_value, c.alpha),
                p=short_p_value(pair.p, c.alpha),
                effect="" if effect is None or not np.isfinite(effect.value) else unit_number(effect.value),
                effect_interval="" if limits is None else f"[{unit_number(limits[0])}, {unit_number(limits[1])}]",
                detectable=_amounts(pair, [_detectable(c, pair)], digits)[0],
            )
        )
    return rows


def _detectable(c: "Comparison", pair: PairResult) -> float | None:
    """The detectable difference; None where there is no spread to tell it from."""
    scores, _ = in_ropes(quiet_pair(c.scores, (pair.a, pair.b)), c.rope)
    try:
        return detectable_difference(scores, power=POWER, alpha=c.alpha)
    except ValueError:
        return None


def _column_error(pairs: Iterable[PairResult]) -> float:
    """The Monte-Carlo error that decides on the digits of all probabilities of a table."""
    return max(pair.posterior.largest_mcse for pair in pairs)


def _column_width(intervals: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """The interval whose width decides on the digits of a column: the narrowest, but for extremes."""
    widths = [high - low for low, high in intervals if 0 < high - low < np.inf]
    return (0.0, max(min(widths), max(widths) / 30)) if widths else (0.0, 0.0)


def _amounts(pair: PairResult, numbers: Sequence[float | None], digits: tuple[float, float]) -> list[str]:
    p = pair.posterior
    return ["" if x is None else amounts([x], digits, p.scale, p.higher_is_better)[0] for x in numbers]


def _interval(pair: PairResult, ends: tuple[float, float] | None, digits: tuple[float, float]) -> str:
    return "" if ends is None else f"[{', '.join(_amounts(pair, ends, digits))}]"


def addresses(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """The permanent address of each pair within the page, such as rf-vs-svm: one that no other pair or part has."""
    taken, found = Counter[str](), []
    for a, b in pairs:
        name = "-vs-".join(re.sub(r"[^a-z0-9]+", "-", x.lower()).strip("-")[:40] or "model" for x in (a, b))
        taken[name] += 1
        found.append(name if taken[name] == 1 else f"{name}--{taken[name]}")
    return found


def _ranking_note(c: "Comparison", ranking: "RankingPosterior") -> str:
    about = f"By {ranking.quantity} over {ranking.rests_on}: {ranking.method}, {ranking.estimand}"
    differ = " ".join(jointly(c)).rstrip(".")
    return ". ".join(
        [about, *(f"Note: {note}" for note in ranking.notes), *([f"{JOINTLY}: {differ}"] if differ else [])]
    )


def next_heading(c: "Comparison") -> str:
    """The heading of the expected shares; empty where there are none."""
    first = c.posteriors[0]
    return first.next_heading.capitalize() if isinstance(first, RegionPosterior) else ""


def _one_rope(c: "Comparison") -> Rope | None:
    return c.rope if isinstance(c.rope, Rope) else None


def p_name(c: "Comparison") -> str:
    """What the column of p-values holds."""
    adjusted = len(c.pair_names) > 1 and c.tests.adjustment != "none"
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


def tests_note(c: "Comparison") -> str:
    """What has to stand below the table of tests."""
    level = f"{100 * POWER:g} %"
    return (
        f"{_sentence(c.tests.method)}. Differences are positive where A is better. Detectable: the smallest true "
        f"difference that a two-sided t-test at level {c.alpha:g} would have found with probability {level}, given the "
        "spread that was seen; a difference that is not significant says little where this is larger than what matters."
    )


def _sentence(text: str) -> str:
    """The text with a capital letter at its start."""
    return f"{text[:1].upper()}{text[1:]}"


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
        ("Pairs", f"{len(c.pair_names)}" + (f", all against {c.control}" if c.control else "")),
    ]


def _ranking(ranking: "RankingPosterior | None") -> list[dict[str, Any]]:
    if ranking is None:
        return []
    rows = ranking.rows()
    means = dict(zip(ranking.models, mean_scores(ranking)[1], strict=True))
    for row in rows:
        row["show_best"] = probability(row["p_best"], ranking.largest_mcse)
        row["show_within"] = probability(row["p_within_rope"], ranking.largest_mcse)
        low, high = row["rank_low"], row["rank_high"]
        row["show_ranks"] = f"{low}" if low == high else f"{low} to {high}"
        row["show_rank"] = f"{row['expected_rank']:.1f}"
        row["show_score"] = means[row["model"]]
    return rows


def _priors(c: "Comparison") -> list[dict[str, Any]]:
    """For each pair the range of the three probabilities over other priors, where that is quickly found."""
    most = MOST_SLOW_PAIRS_PRIORS if c.setting.bayes_test.slow else MOST_PAIRS_PRIORS
    if len(c.pair_names) > most or c.bayes_options.get("engine") == "nuts":
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
    return [(p.a, p.b, " ".join([p.sentence(), *(f"{_sentence(note)}." for note in p.notes)])) for p in plans]


def _rule(c: "Comparison", rule: "Rule") -> tuple[str, list[str], list[str]]:
    """Whether the comparison keeps to a rule that was written down before, in what it does not, and the rule."""
    departures = [f"{_sentence(text)}." for text in rule.departures(c)]
    verdict = (
        "The comparison does not keep to the rule that was written down before:"
        if departures
        else "The comparison keeps to a rule that was written down before."
    )
    return verdict, departures, rule.to_toml().splitlines()[1:]


def results_table(c: "Comparison") -> "pd.DataFrame":
    """Every model on every dataset, as papers print it: mean, standard deviation, the best, and who is not worse.

    Parameters
    ----------
    c : Comparison

    Returns
    -------
    DataFrame
        One row per dataset and model: `n` scores, their `mean` and `sd` (missing for one score), whether it is the
        `best` mean of the dataset, and `p_not_worse`, the probability that the model is not worse than the best one by
        more than the rope, by the test of that dataset alone, as in `Comparison.by_dataset`; missing where there are no
        folds of a known design. `not_worse` is whether it reaches the comparison's threshold.

    See Also
    --------
    report : prints it, the best in bold.
    to_latex, to_markdown : with table="results".

    Examples
    --------
    >>> import bayescmp as bc
    >>> table = bc.reports.results_table(bc.compare(bc.load_labour(), rope=0.01))
    >>> table.loc[table["best"], ["model", "mean", "sd"]].round(3).values.tolist()
    [['SVM', 0.06, 0.096]]
    """
    from bayescmp.needs import pandas as pd

    return pd.DataFrame([row for part in _results(c) for row in part])


def _results(c: "Comparison") -> list[list[dict[str, Any]]]:
    """The rows of `results_table`, dataset by dataset."""
    scores, parts = c.scores, []
    for d, dataset in enumerate(scores.datasets):
        values = scores.values[:, d]
        n = np.isfinite(values).sum(axis=1)
        means = [float(np.nanmean(x)) if k else np.nan for x, k in zip(values, n, strict=True)]
        ran = np.flatnonzero(n)
        at = int(ran[np.argmax(np.array(means)[ran] * (1 if scores.higher_is_better else -1))]) if ran.size > 1 else -1
        p = _p_not_worse(c, dataset, at, ran)
        parts.append(
            [
                {
                    "dataset": dataset,
                    "model": model,
                    "n": int(n[m]),
                    "mean": means[m],
                    "sd": float(np.nanstd(values[m], ddof=1)) if n[m] > 1 else np.nan,
                    "best": bool(at >= 0 and means[m] == means[at]),
                    "p_not_worse": p.get(m, np.nan),
                    "not_worse": bool(p.get(m, 0.0) >= c.threshold),
                }
                for m, model in enumerate(scores.models)
            ]
        )
    return parts


def _p_not_worse(c: "Comparison", dataset: str, best: int, ran: Any) -> dict[int, float]:
    """For every model the probability that it is at most the rope worse than the best one on a dataset."""
    scores, design = c.scores, c.scores.resampling[c.scores.datasets.index(dataset)]
    if best < 0 or design is None or int(scores.counts[ran, scores.datasets.index(dataset)].min()) < 2:
        return {}
    rope, found = rope_for(c.rope, dataset), {best: 1.0}
    for m in ran:
        if m != best:
            pair = quiet_pair(scores, (scores.models[m], scores.models[best]))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about this dataset of this pair: given when the comparison was made
                found[int(m)] = 1 - float(on_dataset(pair, dataset, rope)[1][2])
    return found


def dataset_rows(c: "Comparison") -> list[dict[str, Any]]:
    """One row per dataset: its design, mean and standard deviation of every model, the best one marked."""
    parts = _results(c)
    spreads = [_spread(np.array([row["mean"] for row in part])) for part in parts]
    typical = float(np.median([x for x in spreads if x > 0] or [0.0]))
    rows = []
    for part, own, design in zip(parts, spreads, c.scores.resampling, strict=True):
        # one number format, but for datasets in units of their own
        spread = typical if own == 0 or abs(np.log10(own / typical)) < 2 else own
        cells = [
            {
                "mean": "not run" if np.isnan(row["mean"]) else number(row["mean"], spread),
                "sd": "" if np.isnan(row["sd"]) else number(row["sd"], spread),
                "best": row["best"],
                "not_worse": row["not_worse"] and not row["best"],
            }
            for row in part
        ]
        about = {"name": part[0]["dataset"], "n": max(row["n"] for row in part)}
        rows.append(about | {"design": design.name if design else "unknown", "cells": cells})
    return rows


def _spread(means: Any) -> float:
    known = means[np.isfinite(means)]
    return float(np.ptp(known)) if known.size else 0.0


def results_note(c: "Comparison") -> str:
    """What has to stand below the table of results."""
    several = bool((c.scores.counts > 1).any())
    about = "Mean ± standard deviation of the scores" if several else "Scores"
    marked = (
        f" †: not worse than the best by more than the rope with a probability of {c.threshold:g} or more, on this "
        "dataset alone."
    )
    return f"{about}; the best of each dataset in bold.{marked if several else ''}"


def _ranks(c: "Comparison") -> list[tuple[str, list[str]]]:
    """The table of ranks, where it can be read: every dataset, and the mean ranks."""
    if not 2 < len(c.models) <= MOST_RANKED or len(c.scores.datasets) < 2:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # datasets that some model lacks: said when the comparison was made
        try:
            frame = rank_table(c.scores)
        except ValueError:  # too few datasets with all models
            return []
    shown = frame.to_numpy()
    rows = [[f"{x:g}" for x in row] for row in shown[:-1]] + [[f"{x:.2f}" for x in shown[-1]]]
    return list(zip(map(str, frame.index), rows, strict=True))


def _signed_ranks(c: "Comparison", order: Sequence[int]) -> list[dict[str, Any]]:
    """The signed ranks of the first pairs, where the tests are about them."""
    tables = []
    for pair in c.pairs_at(order[:MOST_SIGNED]):
        if "w_plus" not in pair.test.details:
            continue
        frame: Any = signed_rank_table(in_ropes(quiet_pair(c.scores, (pair.a, pair.b)), c.rope)[0])
        spread = float(np.ptp(frame["difference"]))
        rows = [
            [
                *(number(x, spread) for x in (row.a, row.b, row.difference)),
                "" if np.isnan(row.rank) else f"{row.rank:g}",
                "+" if row.signed_rank > 0 else "\u2212" if row.signed_rank < 0 else "0",
            ]
            for row in frame.itertuples(index=False)
        ]
        plus, minus = (
            float(x.sum()) for x in (frame["signed_rank"].clip(lower=0), -frame["signed_rank"].clip(upper=0))
        )
        tables.append(
            {"a": pair.a, "b": pair.b, "rows": list(zip(frame["dataset"], rows, strict=True))}
            | {"sums": f"W+ = {plus:g}, W\u2212 = {minus:g}"}
        )
    return tables


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
    notes = dict.fromkeys([*warned, *c.cautions(), *c.notes, *c.tests.notes, *c.scores.notes, *pair_notes(c)])
    # without those that come again as "... (of so many pairs)"
    return [_sentence(note) for note in notes if not any(other.startswith(f"{note} (") for other in notes)]


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
