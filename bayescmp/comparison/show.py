"""How a `Comparison` looks on a screen: pairs where they are few, models where they are many."""

import warnings
from collections import Counter
from html import escape
from typing import TYPE_CHECKING

from bayescmp import notebook
from bayescmp.bayes.multilevel.model import MOST_FREE
from bayescmp.bayes.regions import RegionPosterior
from bayescmp.errors import ResamplingError, ScoresError
from bayescmp.rope import Decision, Rope
from bayescmp.scores.metrics import with_direction
from bayescmp.sentences import (
    datasets_text,
    decision_words,
    estimate_text,
    gap_name,
    holes,
    mean_scores,
    pair_notes,
    rope_label,
)
from bayescmp.text import (
    BLUE,
    BOLD,
    GREY,
    ORANGE,
    counted,
    one_line,
    painted,
    probability,
    short_name,
    short_p_value,
    text_table,
)

if TYPE_CHECKING:
    from bayescmp.bayes.ranking.result import RankingPosterior
    from bayescmp.comparison.pair import PairResult
    from bayescmp.comparison.result import Comparison

MOST_PAIRS, MOST_MODELS, MOST_NOTES = 30, 8, 4
MOST_CELLS, MOST_WORK, MANY_TIMES = 10_000, 10_000, 10
"""Models times folds of one dataset, and squared models times datasets, whose ranking takes a second or so; of so many
models that they have one variance, so many times that.

A repr starts nothing that takes longer.
"""
PAINT = {Decision.A_BETTER: BLUE, Decision.EQUIVALENT: GREY, Decision.B_BETTER: ORANGE}


def as_text(c: "Comparison", top: int | None = None, *, color: bool = False) -> str:
    """The comparison on one screen: the answer, what was compared, pairs, where the schools differ, the ranking.

    With `top`, pairs and ranking of the best models only; with `color`, decisions in the colours of a terminal.
    """
    many = len(c.posteriors) > MOST_PAIRS
    pairs = c.pairs_of_top(top) if top is not None else () if many else c.pairs
    answer = _line(headline(c, wait=top is not None))
    parts = ["\n".join([*_trouble(c), painted(answer, BOLD) if color else answer]), heading(c)]
    parts += [_counts(c)] if many else []
    parts += [_pairs(c, pairs, color=color)] if pairs else []
    differ = [f"  {pair.a} vs {pair.b}: {pair.verdict.agreement}" for pair in pairs if pair.verdict.differ]
    if differ:
        parts.append("Where the two schools differ:\n" + "\n".join(map(_line, differ)))
    if len(c.models) > 2:
        parts.append(_ranking(c, top))
        if not many and _is_quick(c) and (otherwise := jointly(c)):
            parts.append("\n".join([f"{JOINTLY}:", *(f"  {_line(text)}" for text in otherwise)]))
    ends = [t.sentence() for t in c.omnibus[:1]] + [f"Note: {note}" for note in (*pair_notes(c)[:MOST_NOTES], *c.notes)]
    if c.random_seed is not None:
        ends.append(f"Seed: {c.random_seed}")
    return "\n\n".join([*parts, *(["\n".join(map(_line, ends))] if ends else [])])


def as_html(c: "Comparison") -> str:
    """The comparison for a notebook: the same answer and tables as the text, with a bar where there is one pair."""
    parts = [f'<pre style="margin:0 0 4px;white-space:pre-wrap">{escape(heading(c))}</pre>']
    if len(c.posteriors) == 1:
        p = c.posteriors[0]
        parts.append(notebook.bar(p.labels, p.three, [probability(x, p.largest_mcse, c.threshold) for x in p.three]))
    if len(c.posteriors) > MOST_PAIRS:
        parts.append(f'<p style="margin:4px 0">{escape(_counts(c))}</p>')
    else:
        columns, rows, sides = _pair_rows(c, c.pairs)
        bars = [notebook.strip(p.three, ", ".join(p.labels), "6em") for p in c.posteriors]
        drawn = [[*row[:2], bar, *row[2:]] for row, bar in zip(rows, bars, strict=True)]
        parts.append(notebook.table([*columns[:2], "", *columns[2:]], drawn, f"{sides[:2]}l{sides[2:]}"))
    notes = [*pair_notes(c)[:MOST_NOTES], *c.notes]
    if len(c.models) > 2 and _is_quick(c):
        ranking, why = ranking_of(c)
        notes += [why] if why else []
        parts += [] if ranking is None else [ranking._repr_html_()]
    answer = " ".join([*_trouble(c), headline(c)])
    return notebook.page(one_line(answer), *parts, notes=[one_line(note) for note in notes], bold=True)


def headline(c: "Comparison", *, wait: bool = False) -> str:
    """The answer in one line, or what gives it where that takes long; with `wait` it takes the time."""
    if len(c.models) > 2:
        if not (wait or _is_quick(c)):
            return f"{len(c.models)} models: c.groups() says who is tied at the top and who is clearly worse."
        ranking, why = ranking_of(c)
        if ranking is None:
            return why
    return c.headline()


def _is_quick(c: "Comparison") -> bool:
    """Whether the ranking is there, or takes less than a second."""
    k, n = len(c.models), len(c.scores.datasets)
    most = MOST_WORK * (MANY_TIMES if k > MOST_FREE else 1)
    quick = k * k * n <= most if n > 1 else k * int(c.scores.counts.max()) <= MOST_CELLS
    return c.is_ranked or quick


def _trouble(c: "Comparison") -> list[str]:
    trouble = list(dict.fromkeys(problem for p in c.posteriors for problem in p.problems))
    if len(c.models) > 2 and _is_quick(c) and (ranking := ranking_of(c)[0]) is not None:
        trouble += [f"ranking: {problem}" for problem in ranking.problems]
    return [_line(f"NOT CONVERGED: {problem}") for problem in trouble]


JOINTLY = "Where the joint model of all models decides otherwise"


def jointly(c: "Comparison") -> list[str]:
    """The first of the pairs that the joint model decides otherwise, each with the reason, and how many more."""
    found = c.joint_differs()
    more = len(found) - MOST_NOTES
    return found[:MOST_NOTES] + ([f"... and {counted(more, 'more pair')}: joint_differs()"] if more > 0 else [])


def heading(c: "Comparison") -> str:
    """What was compared, by what."""
    rope = f"rope {rope_label(c.scores, c.rope)}" if isinstance(c.rope, Rope) else "a rope for each dataset"
    how = c.tests.adjustment
    lines = [
        f"{len(c.models)} models, {datasets_text(c.scores)}, "
        f"{with_direction(c.scores.metric, c.scores.higher_is_better, c.scores.scale)}, {rope}",
        c.setting.tests
        + (f", {how}-adjusted" if len(c.posteriors) > 1 and how != "none" else "")
        + (f"; all against {c.control}" if c.control else "")
        + (", picked as the best by these scores" if c.against else "")
        + ("" if c.posteriors[0].expected is None else "; probabilities: A better / equivalent / B better"),
    ]
    if caution := holes(c.scores):
        lines.insert(1, f"CAUTION: {caution}")
    return "\n".join(map(_line, lines))


def _pairs(c: "Comparison", pairs: "tuple[PairResult, ...]", *, color: bool) -> str:
    columns, rows, sides = _pair_rows(c, pairs)
    lines = text_table(columns, rows, sides).split("\n")
    if color:  # the decision is the end of the line: what a name can hold stays escaped
        for i, (pair, row) in enumerate(zip(pairs, rows, strict=True), len(lines) - len(rows)):
            if code := PAINT.get(pair.decision):
                cut = len(lines[i]) - len(one_line(row[-1]))
                lines[i] = lines[i][:cut] + painted(lines[i][cut:], code)
    return "\n".join(lines)


def _pair_rows(c: "Comparison", pairs: "tuple[PairResult, ...]") -> tuple[list[str], list[list[str]], str]:
    """The columns of the table of pairs, its rows, and the side that each column is aligned to."""
    rows = []
    for pair in pairs:
        posterior = pair.posterior
        three = [probability(p, posterior.largest_mcse, c.threshold) for p in posterior.three]
        if posterior.expected is not None:
            three = [" / ".join(map(probability, posterior.expected.values())), " / ".join(three)]
        names = short_name(pair.a), short_name(pair.b)
        decision = decision_words(posterior, pair.decision, names)
        rows.append([*names, *estimate_text(posterior), *three, short_p_value(pair.p, c.alpha), decision])
    first = c.posteriors[0]
    of = ["P(A better)", "P(equiv.)", "P(B better)"]
    if isinstance(first, RegionPosterior):
        of = [first.next_heading, "most probable outcome"]
    columns = ["A", "B", gap_name(first.scale, c.scores.higher_is_better), "95% HDI", *of, "p", "decision"]
    sides = f"llrr{'r' * len(of)}rl"
    if not any(row[2] for row in rows):
        columns, rows, sides = columns[:2] + columns[4:], [row[:2] + row[4:] for row in rows], sides[:2] + sides[4:]
    return columns, rows, sides


def _counts(c: "Comparison") -> str:
    """How many pairs came out how, and on how many the schools differ."""
    decided = Counter("one better" if pair.decided else pair.decision.value for pair in c.pairs)
    differ = Counter(pair.verdict.kind for pair in c.pairs if pair.verdict.differ)
    lines = [f"{len(c.pair_names)} pairs: " + ", ".join(f"{n} {what}" for what, n in decided.most_common())]
    if differ:
        lines.append("the schools differ on " + ", ".join(f"{n} ({kind})" for kind, n in differ.most_common()))
    return "\n".join([*lines, "every pair: table()"])


def ranking_of(c: "Comparison") -> "tuple[RankingPosterior | None, str]":
    """The ranking, or why there is none: folds of an unknown design, say."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said when the comparison was made
        try:
            return c.ranking_posterior(), ""
        except (ScoresError, ResamplingError) as error:
            return None, f"No ranking: {error}"


def _ranking(c: "Comparison", top: int | None) -> str:
    if top is None and not _is_quick(c):
        return "the ranking of the models: ranking()"
    ranking, why = ranking_of(c)
    if ranking is None:
        return _line(why)
    rows, (score, means) = [], mean_scores(ranking)
    shown = dict(zip(ranking.models, means, strict=True))
    for model in (ranking.models[i] for i in ranking.order()[: MOST_MODELS if top is None else top]):
        best, among = (probability(p[model], ranking.largest_mcse) for p in (ranking.p_best, ranking.p_within_rope))
        rows.append([short_name(model), best, among, f"{ranking.expected_rank[model]:.1f}", shown[model]])
    about = f"Ranking by {ranking.quantity} over {ranking.rests_on}:\n"
    table = about + text_table(["model", "P(best)", "P(within rope of best)", "expected rank", score], rows, "lrrrr")
    left = len(c.models) - len(rows)
    table += f"\n... and {counted(left, 'more model')}: ranking()" if left > 0 else ""
    return "\n".join([table, *(_line(f"Note: {note}") for note in ranking.notes)])


def _line(text: str) -> str:
    indent = len(text) - len(text.lstrip(" "))
    return " " * indent + one_line(text)
