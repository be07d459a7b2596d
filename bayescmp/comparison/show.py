"""How a `Comparison` looks on a screen: pairs where they are few, models where they are many."""

import warnings
from collections import Counter
from typing import TYPE_CHECKING

from bayescmp.errors import ResamplingError, ScoresError
from bayescmp.rope import Rope
from bayescmp.scores.metrics import with_direction
from bayescmp.sentences import datasets_text, datasets_used, estimate_text, gap_name, holes, mean_scores, rope_label
from bayescmp.text import counted, one_line, probability, short_name, short_p_value, text_table

if TYPE_CHECKING:
    from bayescmp.bayes.ranking.result import RankingPosterior
    from bayescmp.comparison.result import Comparison

MOST_PAIRS, MOST_MODELS = 30, 12


def as_text(c: "Comparison") -> str:
    """The comparison on one screen: heading, pairs, where the schools differ, and the ranking of many models."""
    many = len(c.posteriors) > MOST_PAIRS
    parts = [heading(c), _counts(c) if many else _pairs(c)]
    differ = [f"  {pair.a} vs {pair.b}: {pair.verdict.agreement}" for pair in c.pairs if pair.verdict.kind != "agree"]
    if differ and not many:
        parts.append("Where the two schools differ:\n" + "\n".join(map(_line, differ)))
    if len(c.models) > 2:
        parts.append(_ranking(c))
    ends = [t.sentence() for t in c.omnibus[:1]] + [f"Note: {note}" for note in c.notes]
    if c.random_seed is not None:
        ends.append(f"Seed: {c.random_seed}")
    return "\n\n".join([*parts, *(["\n".join(map(_line, ends))] if ends else [])])


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
        + (", picked as the best by these scores" if c.against else ""),
    ]
    if caution := holes(c.scores):
        lines.insert(1, f"CAUTION: {caution}")
    trouble = list(dict.fromkeys(problem for p in c.posteriors for problem in p.problems))
    return "\n".join(map(_line, [*(f"NOT CONVERGED: {problem}" for problem in trouble), *lines]))


def _pairs(c: "Comparison") -> str:
    rows = []
    for pair in c.pairs:
        three = (probability(p, pair.posterior.largest_mcse, c.threshold) for p in pair.posterior.three)
        p = short_p_value(pair.p, c.alpha)
        names = short_name(pair.a), short_name(pair.b)
        decision = pair.decision.words(*names)
        rows.append([*names, *estimate_text(pair.posterior), *three, p, decision])
    columns = [
        "A",
        "B",
        gap_name(c.posteriors[0].scale, c.scores.higher_is_better),
        "95% HDI",
        "P(A better)",
        "P(equiv.)",
        "P(B better)",
        "p",
        "decision",
    ]
    sides = "llrrrrrrl"
    if not any(row[2] for row in rows):
        columns, rows, sides = columns[:2] + columns[4:], [row[:2] + row[4:] for row in rows], "llrrrrl"
    return text_table(columns, rows, sides)


def _counts(c: "Comparison") -> str:
    """How many pairs came out how, and on how many the schools differ."""
    decided = Counter("one better" if pair.decided else pair.decision.value for pair in c.pairs)
    differ = Counter(pair.verdict.kind for pair in c.pairs)
    del differ["agree"]
    lines = [f"{len(c.pairs)} pairs: " + ", ".join(f"{n} {what}" for what, n in decided.most_common())]
    if differ:
        lines.append("the schools differ on " + ", ".join(f"{n} ({kind})" for kind, n in differ.most_common()))
    return "\n".join([*lines, "every pair: table()"])


def ranking_of(c: "Comparison") -> "tuple[RankingPosterior | None, str]":
    """The ranking, or why there is none: too few datasets with all models, or folds of an unknown design."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said when the comparison was made
        try:
            return c.ranking_posterior(), ""
        except (ScoresError, ResamplingError) as error:
            return None, f"No ranking: {error}"


def _ranking(c: "Comparison") -> str:
    ranking, why = ranking_of(c)
    if ranking is None:
        return _line(why)
    rows, (score, means) = [], mean_scores(ranking)
    shown = dict(zip(ranking.models, means, strict=True))
    for row in ranking.to_frame().head(MOST_MODELS).to_dict("records"):
        best, among = (probability(row[p], row["mcse"]) for p in ("p_best", "p_among_best"))
        rows.append([short_name(row["model"]), best, among, f"{row['expected_rank']:.1f}", shown[row["model"]]])
    table = text_table(["model", "P(best)", "P(among best)", "expected rank", score], rows, "lrrrr")
    left = len(c.models) - len(rows)
    table = f"Ranking on {datasets_used(ranking)}:\n{table}" if ranking.left_out else table
    return table + (f"\n... and {counted(left, 'more model')}: ranking()" if left > 0 else "")


def _line(text: str) -> str:
    indent = len(text) - len(text.lstrip(" "))
    return " " * indent + one_line(text)
