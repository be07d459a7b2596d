"""One sentence a pair, by estimand: what is probable, what the frequentist test says, and where the two differ."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from bayescmp.rope import Rope
from bayescmp.scores.pair import SCALES
from bayescmp.text import number, p_value, probability, statistic

if TYPE_CHECKING:
    from bayescmp.bayes.ranking.result import RankingPosterior
    from bayescmp.comparison.result import Comparison
    from bayescmp.frequentist import TestResult

NEW = {"signed_rank": "the average of two new datasets"}
"""What theta is about, where it is not a new dataset."""


class PairSentence(NamedTuple):
    """What is to be said of one pair; `disagreement` is empty where both schools agree."""

    bayes: str
    frequentist: str
    disagreement: str

    def __str__(self) -> str:
        return " ".join(filter(None, self))


def sentences(c: "Comparison") -> list[str]:
    """One text a pair, in the order of `table()`.

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
    return [str(pair_sentence(c, i)) for i in range(len(c.pairs))]


def pair_sentence(c: "Comparison", i: int) -> PairSentence:
    """The sentence of pair i, told from the side of the model that is more probably better."""
    row = c.table_row(i)
    swapped = row["p_worse"] > row["p_better"] and not math.isclose(row["p_worse"], row["p_better"])
    first, second = (row["b"], row["a"]) if swapped else (row["a"], row["b"])
    p, q = (row["p_worse"], row["p_better"]) if swapped else (row["p_better"], row["p_worse"])
    rope = pair_rope(c, i).swap() if swapped else pair_rope(c, i)
    shown = [probability(x, row["mcse"], c.threshold) for x in (p, row["p_equivalent"], q)]
    if "expected_better" in row:
        shares = [row["expected_better"], row["expected_equivalent"], row["expected_worse"]]
        bayes = _of_region(c, first, second, rope, (p, row["p_equivalent"]), shown, shares[::-1] if swapped else shares)
    else:
        interval = _interval(c, i, swapped)
        bayes = _of_difference(first, second, rope, (p, row["p_equivalent"], q), shown, interval)
    differ = "" if row["agreement_kind"] == "agree" else f"The two schools differ: {row['agreement']}."
    test = c.tests.result(first, second)
    alone = replace(test, p_adjusted=None) if len(c.pairs) == 1 else test
    return PairSentence(bayes, _classical(alone, c.alpha), differ)


def best_model(c: "Comparison", ranking: "RankingPosterior", most: int = 3) -> str:
    """The ranking's answer: who is probably best, and who comes next."""
    frame = ranking.to_frame()
    rows = frame.head(most).to_dict("records")
    shown = [f"{probability(row['p_best'], row['mcse'])}" for row in rows]
    name, k, rope = rows[0]["model"], len(frame), rope_text(ranking.rope, each=isinstance(c.rope, dict))
    if isinstance(c.rope, Rope) and c.rope.low != -c.rope.high:
        rope += f" (the wider side of the rope {c.rope})"
    among = probability(rows[0]["p_among_best"], rows[0]["mcse"])
    if "p_best_by_score" in frame:  # ranks win, but the rope is one of scores: say both
        first = f"{name} has the best mean rank of {k} models with probability {shown[0]}"
        within = f"; its mean score is within {rope} of the best one with probability {among}"
    else:
        first = f"{name} is the best of {k} models with probability {shown[0]}"
        within = f", and within {rope} of the best with probability {among}"
    first += "" if ranking.rope.is_zero else within
    rest = [f"{row['model']} ({p})" for row, p in zip(rows[1:], shown[1:], strict=True)]
    return f"{first}. Next: {', '.join(rest)}."


def pair_rope(c: "Comparison", i: int) -> Rope:
    """The rope of pair i as its posterior saw it."""
    return Rope(c.rows[i]["rope_low"], c.rows[i]["rope_high"])


def rope_text(rope: Rope, each: bool = False) -> str:
    """The rope as papers write it; with `each` it is counted in the ropes that every dataset has of its own."""
    if rope.is_zero:
        return "0"
    if each:
        times = f"{rope.high:g}" if rope.low == -rope.high else str(rope)
        return "each dataset's rope" if times == "1" else f"{times} times each dataset's rope"
    return f"±{rope.high:g}" if rope.low == -rope.high else str(rope)


def difference_text(c: "Comparison", i: int, swapped: bool = False) -> tuple[str, str]:
    """The mean difference and its interval with the digits that are known; empty where the test has none."""
    row = c.rows[i]
    mean, low, high = row["estimate"], row["interval_low"], row["interval_high"]
    if mean is None:
        return "", ""
    if swapped:
        mean, low, high = -mean, -high, -low
    width = high - low
    return number(mean, width), f"[{number(low, width)}, {number(high, width)}]"


def _interval(c: "Comparison", i: int, swapped: bool) -> str:
    mean, interval = difference_text(c, i, swapped)
    return f"mean {SCALES[c.scores.scale]} {mean}, 95% HDI {interval}"


def _of_difference(
    first: str, second: str, rope: Rope, p: tuple[float, float, float], shown: list[str], interval: str
) -> str:
    tied = math.isclose(p[0], p[2])
    if rope.is_zero:
        if tied:
            return f"{first} and {second} are equally likely to be the better one ({interval})."
        return f"{first} is better than {second} with probability {shown[0]} ({interval})."
    if p[1] >= p[0]:
        return (
            f"{first} and {second} are practically equivalent with probability {shown[1]} (P({first} better) = "
            f"{shown[0]}, P({second} better) = {shown[2]}, rope {rope_text(rope)}; {interval})."
        )
    verdict = (
        f"{first} and {second} are equally likely to be practically better, with probability {shown[0]} each"
        if tied
        else f"{first} is practically better than {second} with probability {shown[0]}"
    )
    return f"{verdict} (P(equivalent) = {shown[1]}, rope {rope_text(rope)}; {interval})."


def _of_region(
    c: "Comparison",
    first: str,
    second: str,
    rope: Rope,
    p: tuple[float, float],
    shown: list[str],
    shares: list[float],
) -> str:
    new = NEW.get(c.setting.bayes, "a new dataset")
    parts = [f"{probability(x)} {what}" for x, what in zip(shares, ("better", "equivalent", "worse"), strict=True)]
    if rope.is_zero:
        del parts[1]
    expected = f"expected shares {', '.join(parts)}"
    if p[0] <= 0.5 and abs(p[0] - (1 - p[0] - p[1])) < 1e-9 and p[1] <= p[0]:
        return (
            f"{first} and {second} are equally likely to be the better one on {new} (P = {shown[0]} each); {expected}."
        )
    if p[1] > p[0]:
        by = " on each dataset" if isinstance(c.rope, dict) else f" (rope {rope_text(rope)})"
        return (
            f"Practical equivalence of {first} and {second}{by} is the most probable outcome for {new} "
            f"(P = {shown[1]}); {expected} for {first}."
        )
    by = (
        "" if rope.is_zero else " by more than its rope" if isinstance(c.rope, dict) else f" by more than {rope.high:g}"
    )
    return f"{first} better than {second}{by} is the most probable outcome for {new} (P = {shown[0]}); {expected}."


def _classical(t: "TestResult", alpha: float) -> str:
    df = f"({', '.join(map(statistic, t.df if isinstance(t.df, tuple) else (t.df,)))})" if t.df is not None else ""
    parts = [f"{t.statistic_name}{df} = {statistic(t.statistic)}"] + ([] if df else [f"n = {t.n}"])
    parts.append(p_value(t.p_value, alpha))
    if t.p_adjusted is not None and t.adjustment not in ("none", None):
        parts.append(f"{t.adjustment}-adjusted {p_value(t.p_adjusted, alpha)}")
    return f"{t.method[0].upper()}{t.method[1:]}: {', '.join(parts)}."
