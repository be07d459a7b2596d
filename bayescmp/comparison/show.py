"""How a `Comparison` looks on a screen: pairs where they are few, models where they are many."""

import re
from collections import Counter
from typing import TYPE_CHECKING

from bayescmp.comparison.setting import WORDS
from bayescmp.errors import ScoresError
from bayescmp.rope import Rope
from bayescmp.text import number, p_value, probability, short_p_value

if TYPE_CHECKING:
    from bayescmp.comparison.result import Comparison

MOST_PAIRS, MOST_MODELS, MOST_LETTERS = 12, 8, 30


def _short(name: str) -> str:
    """A name that fits a line: no line breaks, cut where it is long."""
    line = " ".join(name.split())
    return line if len(line) <= MOST_LETTERS else line[: MOST_LETTERS - 3] + "..."


def as_text(c: "Comparison") -> str:
    """The comparison on one screen."""
    k, m = len(c.models), len(c.scores.datasets)
    rope = f"rope {c.rope}" if isinstance(c.rope, Rope) else "a rope for each dataset"
    lines = [
        f"Comparison: {k} models, {m} dataset{'s' if m > 1 else ''}, {c.scores.metric or 'score'}, {rope} "
        f"({c.setting.name}: {WORDS[c.setting.name]})",
        f"  bayes.{c.setting.bayes} beside frequentist.{c.setting.frequentist}"
        + (f", {c.tests.adjustment}-adjusted" if len(c.pairs) > 1 and c.tests.adjustment != "none" else "")
        + (f"; all against {_short(c.control)}" if c.control else "")
        + (", picked as the best by these scores" if c.against else ""),
    ]
    lines += _pairs(c) if len(c.pairs) <= MOST_PAIRS else _models(c)
    lines += [f"  {t.method}: {t.statistic_name} = {t.statistic:.4g}, {p_value(t.p_value)}" for t in c.omnibus[:1]]
    lines += [f"  note: {note}" for note in c.notes]
    lines.append("  table(), ranking(), decisions(), pair(a, b), explain() tell more")
    return "\n".join(lines)


def _pairs(c: "Comparison") -> list[str]:
    rows = [c.table_row(i) for i in range(len(c.pairs))]
    names = [f"{_short(row['a'])} vs {_short(row['b'])}" for row in rows]
    width = max(map(len, names))
    lines = [f"  {'':{width}}  P(A better)  P(equiv.)  P(B better)      p   advantage of A"]
    for name, row in zip(names, rows, strict=True):
        a, e, b = (probability(row[p], row["mcse"], c.threshold) for p in ("p_better", "p_equivalent", "p_worse"))
        low, high, gap = row["hdi_low"], row["hdi_high"], row["mean_difference"]
        gap = "" if gap is None else number(gap, high - low)
        p = re.sub(r"^\.", "0.", short_p_value(row["p_adjusted"], c.alpha))
        lines.append(f"  {name:{width}}  {a:>11}  {e:>9}  {b:>11}  {p:>5}  {gap}")
        lines.append(f"  {'':{width}}  {row['agreement']}")
    return lines


def _models(c: "Comparison") -> list[str]:
    return [*_ranking(c), *_counts(c)]


def _ranking(c: "Comparison") -> list[str]:
    try:
        frame = c.ranking_posterior().to_frame().head(MOST_MODELS)
    except ScoresError as error:  # too few datasets with all models
        return [f"  no ranking: {error}"]
    width = max(len(_short(model)) for model in frame["model"])
    lines = [f"  {'':{width}}  P(best)  P(among best)  expected rank  mean score"]
    for row in frame.to_dict("records"):
        best, among = (probability(row[p], row["mcse"]) for p in ("p_best", "p_among_best"))
        rank, score = f"{row['expected_rank']:.1f}", f"{row['mean_score']:.4g}"
        lines.append(f"  {_short(row['model']):{width}}  {best:>7}  {among:>13}  {rank:>13}  {score:>10}")
    if len(c.models) > MOST_MODELS:
        lines.append(f"  ... and {len(c.models) - MOST_MODELS} more models")
    return lines


def _counts(c: "Comparison") -> list[str]:
    """How many pairs came out how, and on how many the schools differ."""
    rows = [c.table_row(i) for i in range(len(c.pairs))]
    decided = Counter("one better" if r["decision"].endswith(" better") else r["decision"] for r in rows)
    differ = Counter(r["agreement_kind"] for r in rows)
    del differ["agree"]
    counts = ", ".join(f"{n} {what}" for what, n in decided.most_common())
    lines = [f"  {len(c.pairs)} pairs: {counts}"]
    if differ:
        lines.append("  both schools differ on " + ", ".join(f"{n} ({kind})" for kind, n in differ.most_common()))
    return lines
