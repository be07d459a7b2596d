"""Every sentence about a result, written once: a posterior, a test, and where the two schools differ.

The functions take results by their attributes and return text; results, tables, reports and the command line call them.
"""

import math
from typing import TYPE_CHECKING, Any

from bayescmp.rope import Decision, Rope
from bayescmp.scores.pair import SCALES
from bayescmp.text import IN_PERCENT, amounts, border, counted, number, p_value, probability

if TYPE_CHECKING:
    from bayescmp.bayes.difference import DifferencePosterior
    from bayescmp.bayes.posterior import Posterior
    from bayescmp.bayes.ranking.result import RankingPosterior
    from bayescmp.bayes.regions import RegionPosterior
    from bayescmp.comparison.pair import PairResult
    from bayescmp.comparison.result import Comparison
    from bayescmp.scores.table import Scores


def of_difference(p: "DifferencePosterior", threshold: float | None = None, mass: float = 0.95) -> str:
    """The posterior of a mean difference, from the side of the model that is more probably better."""
    scope = p.settings.get("scope")
    return _of_difference(_leader_first(p), threshold, mass) + (f" This is about {scope}." if scope else "")


def _of_difference(p: "DifferencePosterior", threshold: float | None, mass: float) -> str:
    better, equivalent, worse = (probability(x, p.largest_mcse, threshold) for x in p.three)
    interval = difference_text(p, mass)
    tied = math.isclose(p.p_better, p.p_worse)
    if p.rope.is_zero:
        if tied:
            return f"{p.a} and {p.b} are equally likely to be the better one ({interval})."
        return f"{p.a} is better than {p.b} with probability {better} ({interval})."
    rope = f"rope {rope_text(p.rope, p.scale, p.higher_is_better)}"
    if p.p_equivalent >= p.p_better:
        return (
            f"{p.a} and {p.b} are practically equivalent with probability {equivalent} (P({p.a} better) = {better}, "
            f"P({p.b} better) = {worse}, {rope}; {interval})."
        )
    verdict = (
        f"{p.a} and {p.b} are equally likely to be practically better, with probability {better} each"
        if tied
        else f"{p.a} is practically better than {p.b} with probability {better}"
    )
    return f"{verdict} (P(equivalent) = {equivalent}, {rope}; {interval})."


def of_regions(p: "RegionPosterior", threshold: float | None = None) -> str:
    """The posterior of the three outcomes of something new, from the side of the model that is more probably better."""
    p = _leader_first(p)
    better, equivalent, _ = (probability(x, p.largest_mcse, threshold) for x in p.three)
    shares = f"expected shares {expected_text(p, ('better', 'equivalent', 'worse'))}"
    if math.isclose(p.p_better, p.p_worse, abs_tol=1e-9) and p.p_equivalent <= p.p_better:
        return f"{p.a} and {p.b} are equally likely to be the better one on {p.new} (P = {better} each); {shares}."
    if p.p_equivalent > p.p_better:
        within, rope = (
            (" on each dataset", "")
            if p.scale == "ropes"
            else (
                "",
                f", rope {rope_text(p.rope, p.scale, p.higher_is_better)}",
            )
        )
        return (
            f"The most probable outcome for {p.new} is that {p.a} and {p.b} are practically equivalent{within} "
            f"(P = {equivalent}{rope}); {shares} for {p.a}."
        )
    by = "" if p.rope.is_zero else f" by more than {_upper_border(p)}"
    return f"The most probable outcome for {p.new} is that {p.a} is better than {p.b}{by} (P = {better}); {shares}."


def expected_text(p: "RegionPosterior", names: tuple[str, str, str]) -> str:
    """The expected shares of the three outcomes, named."""
    shares = (p.expected or {}).values()
    parts = [f"{probability(x)} {name}" for name, x in zip(names, shares, strict=True)]
    if p.rope.is_zero:
        del parts[1]
    return ", ".join(parts)


def difference_text(p: "Posterior", mass: float = 0.95) -> str:
    """What was estimated, its posterior mean and its HDI, with the digits that are known."""
    noun = _noun(p)
    if p.scale in IN_PERCENT and p.mean is not None:
        return in_percent(p, p.mean, p.hdi(mass), noun, f"{100 * mass:g}% HDI")
    mean, interval = estimate_text(p, mass)
    return f"{noun} {mean}, {100 * mass:g}% HDI {interval}"


def _noun(p: "Posterior") -> str:
    """What `mean` and `hdi` are those of: the mean difference, or what else the test estimates."""
    before, found, _ = p.estimand.partition("difference")
    if p.expected is None and not found:
        return p.estimand
    kind = before.strip() if p.expected is None and before else "mean"
    return f"{kind} {SCALES[p.scale]}"


def in_percent(result: Any, estimate: float, ends: tuple[float, float], noun: str, interval: str) -> str:
    """A ratio in words: "rf's rmse is 8.0 % lower on average, 95% HDI 3.0 % to 12.0 %"."""
    words = ("lower", "higher") if result.higher_is_better else ("higher", "lower")
    shown = [
        (text.removeprefix("-"), words[not text.startswith("-")])
        for text in amounts((estimate, *ends), ends, result.scale, result.higher_is_better)
    ]
    (size, word), *both = shown
    if len({word for _, word in shown}) > 1:
        low, high = (" ".join(end) for end in both)
    else:  # the smaller percentage first
        low, high = (both[i][0] for i in ((0, 1) if word == words[1] else (1, 0)))
    how = "on average" if noun.startswith("mean ") else f"({noun})"
    return f"{result.a}'s {result.metric or 'score'} is {size} {word} {how}, {interval} {low} to {high}"


def gap_name(scale: str, higher_is_better: bool) -> str:
    """The column of differences of A and B, positive where A is better."""
    if scale not in IN_PERCENT:
        return "A - B"
    return f"A {'higher' if higher_is_better else 'lower'} by"


def estimate_text(p: "Posterior", mass: float = 0.95) -> tuple[str, str]:
    """The mean difference and its HDI with the digits that are known; empty where the test has none."""
    if p.mean is None:
        return "", ""
    ends = p.hdi(mass)
    mean, low, high = amounts((p.mean, *ends), ends, p.scale, p.higher_is_better)
    return mean, f"[{low}, {high}]"


def rope_text(rope: "Rope", scale: str = "score", higher_is_better: bool = True) -> str:
    """The rope as papers write it; on the scale "ropes" it counts the ropes that the datasets have of their own.

    On scales of ratios it is in percent: the log ratios within 0.1 are those from 9.5 % lower to 10.5 % higher.
    """
    if scale in IN_PERCENT and not rope.is_zero:
        low, high = (border(x, scale, higher_is_better) for x in (rope.low, rope.high))
        percents = f"±{high} %" if low == f"-{high}" else f"[{low} %, {high} %]"
        return f"{percents} ({scale} scale)"
    if scale != "ropes" or rope.is_zero:
        return rope.short
    times = f"{rope.high:g}" if rope.low == -rope.high else str(rope)
    return "each dataset's rope" if times == "1" else f"{times} times each dataset's rope"


def _upper_border(p: "Posterior") -> str:
    if p.scale == "ropes":
        return "its rope"
    if p.scale in IN_PERCENT:
        return f"{border(p.rope.high, p.scale, p.higher_is_better)} % on the {p.scale} scale"
    return f"{p.rope.high:g}"


def rope_label(result: Any, rope: "Rope | None" = None) -> str:
    """The rope of a result, or another one on its scale, for its repr and the keys of figures: with both borders."""
    rope = result.rope if rope is None else rope
    return rope_text(rope, result.scale, result.higher_is_better) if result.scale in IN_PERCENT else str(rope)


def is_behind(p: "Posterior") -> bool:
    """Whether B is more probably better than A."""
    return p.p_worse > p.p_better and not math.isclose(p.p_worse, p.p_better)


def _leader_first(p: Any) -> Any:
    """The posterior with the model that is more probably better as A."""
    return p.swap() if is_behind(p) else p


# ---- both schools of one pair

PROBABLE = 0.8
"""A model is called probably better from this probability on, also where no decision is reached."""


def agreement(r: "PairResult") -> tuple[str, str]:
    """The kind of (dis)agreement of both schools about a pair, and a sentence about it.

    Kinds: agree, correction missing, mean and majority differ, opposite directions, significant but equivalent, rope
    wider than the effect, significant but undecided, too few datasets, lost by the adjustment, decided but not
    significant, probable but not significant.
    """
    p, s = r.posterior, r.standard
    if s.corrected_p is not None and r.significant and s.corrected_p > s.alpha:
        return "correction missing", (
            f"significant ({_p_text(r)}) only because overlapping folds are treated as independent: corrected "
            f"{p_value(s.corrected_p, s.alpha)}"
        )
    if p.mean and _p_leader(p) >= PROBABLE and (p.mean > 0) != _a_leads(p):
        return "mean and majority differ", (
            f"{_claim(r)}, yet {p.b if _a_leads(p) else p.a} is ahead by the mean ({_mean_text(p).removeprefix('-')}): "
            "a few datasets differ much more than the others"
        )
    return _significant(r) if r.significant else _not_significant(r)


def _not_significant(r: "PairResult") -> tuple[str, str]:
    p, s = r.posterior, r.standard
    if _p_leader(p) >= PROBABLE or r.decided:
        for smallest, over in ((s.least_p, ""), (s.least_adjusted_p, f" with {_adjustment(r)}")):
            if smallest is not None and smallest > s.alpha:
                n = len(p.datasets)
                return "too few datasets", (
                    f"on {n} datasets p cannot be below {smallest:.2g}{over}, whatever the scores; {_claim(r)}"
                )
        if r.test.p_value <= s.alpha:
            return "lost by the adjustment", (
                f"{p_value(r.test.p_value, s.alpha)} alone, {_p_text(r)} ({_adjustment(r)}); {_claim(r)}"
            )
        kind = "decided but not significant" if r.decided else "probable but not significant"
        return kind, f"not significant ({_p_text(r)}), {'yet' if r.decided else 'but'} {_claim(r)}"
    if r.decision is Decision.EQUIVALENT:
        return "agree", f"practically equivalent (P = {_shown(r, p.p_equivalent)}); a large p cannot show that"
    return "agree", "neither decides"


def _significant(r: "PairResult") -> tuple[str, str]:
    p, t = r.posterior, r.test
    effect = t.effect_size.value if t.effect_size else (t.estimate or 0.0)
    favoured, leader = (p.a if effect > 0 else p.b), (p.a if _a_leads(p) else p.b)
    if effect and _p_leader(p) >= PROBABLE and favoured != leader:
        return "opposite directions", (
            f"significant ({_p_text(r)}) in favour of {favoured}, yet {_claim(r)}: the tests weigh the datasets "
            "differently"
        )
    if r.decided:
        return "agree", f"both: {leader} better"
    inside = p.mean is not None and p.rope.low <= p.mean <= p.rope.high and not p.rope.is_zero
    equivalent = _shown(r, p.p_equivalent)
    share = None if p.expected is None else tuple(p.expected.values())[1]
    if r.decision is Decision.EQUIVALENT:
        if inside or (p.mean is None and (share is None or share > 0.9)):
            return "significant but equivalent", (
                f"significant ({_p_text(r)}) but practically equivalent (P = {equivalent}): a real difference, smaller "
                "than the rope"
            )
        expected = "" if share is None else f", expected share {share:.2f}"
        return "significant but equivalent", (
            f"significant ({_p_text(r)}), yet equivalence is the most probable outcome (P = {equivalent}{expected}): "
            "the other datasets decide the test"
        )
    if inside:
        return "rope wider than the effect", (
            f"significant ({_p_text(r)}), but the estimated difference {_mean_text(p)} lies inside the rope: "
            f"P(equivalent) = {equivalent}"
        )
    beyond = "" if p.rope.is_zero else " by more than the rope"
    return "significant but undecided", (
        f"significant ({_p_text(r)}) in favour of {favoured}, but {leader} better{beyond} has only "
        f"P = {_shown(r, _p_leader(p))}"
    )


def _mean_text(p: "Posterior") -> str:
    """The mean difference, with two digits."""
    mean = p.mean or 0.0
    return f"{border(mean, p.scale, p.higher_is_better)} %" if p.scale in IN_PERCENT else f"{mean:.2g}"


def _claim(r: "PairResult") -> str:
    """The posterior's claim about the leader, by what P is a probability of."""
    p = r.posterior
    leader, shown = (p.a if _a_leads(p) else p.b), _shown(r, _p_leader(p))
    if p.expected is not None:
        share = tuple(p.expected.values())[0 if _a_leads(p) else 2]
        return f"{leader} better is the most probable outcome (P = {shown}; expected share {share:.2f})"
    return f"{leader} is {'better' if r.decided else 'probably better'} (P = {shown})"


def _a_leads(p: "Posterior") -> bool:
    return p.p_better >= p.p_worse


def _p_leader(p: "Posterior") -> float:
    return max(p.p_better, p.p_worse)


def _shown(r: "PairResult", p: float) -> str:
    """A probability, on its side of the threshold."""
    return probability(p, r.posterior.largest_mcse, r.standard.threshold)


def _p_text(r: "PairResult") -> str:
    """The p-value that is compared with alpha."""
    text = p_value(r.p, r.standard.alpha)
    return text if r.adjustment is None else f"adjusted {text}"


def _adjustment(r: "PairResult") -> str:
    return f"{r.adjustment} over {r.standard.pairs} pairs"


# ---- many models


def best_model(ranking: "RankingPosterior", rope: "Rope | None", most: int = 3) -> str:
    """The ranking's answer: who is probably best, and who comes next; `rope` is that of the comparison."""
    frame = ranking.to_frame()
    rows = frame.head(most).to_dict("records")
    shown = [f"{probability(row['p_best'], row['mcse'])}" for row in rows]
    name, k, within = rows[0]["model"], len(frame), rope_text(ranking.rope, ranking.scale, ranking.higher_is_better)
    if rope is not None and rope.low != -rope.high:
        within += f" (the wider side of the rope {rope})"
    among = probability(rows[0]["p_among_best"], rows[0]["mcse"])
    if "p_best_by_score" in frame:  # ranks win, but the rope is one of scores: give both
        first = f"{name} has the best mean rank of {k} models with probability {shown[0]}"
        near = f"; its mean score is within {within} of the best one with probability {among}"
    else:
        first = f"{name} is the best of {k} models with probability {shown[0]}"
        near = f", and within {within} of the best with probability {among}"
    first += "" if ranking.rope.is_zero else near
    first += f", on {datasets_used(ranking)}" if ranking.left_out else ""
    rest = [f"{row['model']} ({p})" for row, p in zip(rows[1:], shown[1:], strict=True)]
    return f"{first}. Next: {', '.join(rest)}."


def datasets_used(ranking: "RankingPosterior") -> str:
    """The datasets that a ranking rests on: "30 datasets", or "13 of 30 datasets" where some were left out."""
    used, every = len(ranking.datasets), len(ranking.datasets) + len(ranking.left_out)
    return counted(every, "dataset") if used == every else f"{used} of {counted(every, 'dataset')}"


def datasets_text(scores: "Scores") -> str:
    """The datasets of a table, and on how many of them all models were run."""
    every, whole = len(scores.datasets), int((scores.counts > 0).all(axis=0).sum())
    return counted(every, "dataset") + ("" if whole == every else f" ({whole} with all models)")


MOST_LOST = 0.2
"""A ranking that loses a larger share of the datasets is a caution in the first lines."""


def holes(scores: "Scores") -> str:
    """A caution where missing runs cost the ranking (or the only pair) many datasets; empty where they do not."""
    ran = scores.counts > 0
    every, whole = len(scores.datasets), int(ran.all(axis=0).sum())
    if whole < 2 or every - whole <= MOST_LOST * every:
        return ""
    what = "ranking" if len(scores.models) > 2 else "comparison"
    missing = sorted(zip((~ran).sum(axis=1).tolist(), scores.models, strict=True), key=lambda pair: -pair[0])
    most = ", ".join(f"{name} on {n}" for n, name in missing[:3] if n)
    more = len([n for n, _ in missing[3:] if n])
    return (
        f"The {what} rests on {whole} of {every} datasets: the other {every - whole} are left out, because some model "
        f"was not run there ({most}{f' and {more} more models' if more else ''}). Score the missing runs, or leave out "
        "models that lack many."
    )


def mean_scores(ranking: "RankingPosterior") -> tuple[str, list[str]]:
    """The name of the column of the models' mean scores, and their texts; geometric means on the log scale."""
    means = ranking.mean_score or ()
    if ranking.scale == "log":
        means = tuple(map(math.exp, means))
    elif ranking.scale == "relative":
        means = tuple(100 * x for x in means)
    spread = max(means, default=0.0) - min(means, default=0.0)
    unit = " %" if ranking.scale == "relative" else ""
    shown = [f"{number(x, spread)}{unit}" for x in means] or [""] * len(ranking.models)
    return "geometric mean" if ranking.scale == "log" else "mean score", shown


def cautions(c: "Comparison") -> list[str]:
    """What a reader has to keep in mind about missing runs, many pairs and selected models."""
    lines = [text] if (text := holes(c.scores)) else []
    m = len(c.posteriors)
    if m > 1:
        how = c.tests.adjustment
        adjusted = "p-values are not adjusted for that" if how == "none" else f"p-values are adjusted for that ({how})"
        lines.append(
            f"{m} pairs were compared. {adjusted}; the posterior probabilities are not: each pair has its own prior, "
            "whatever the other pairs show."
            + (" bayes.multilevel(scores) is the one model of all that shrinks." if c.scores.paired else "")
        )
    if c.against == "best":
        lines.append(
            f"{c.control} was picked as the best by the same scores: its advantage over the others is too large on "
            "average. ranking() gives P(best) without picking."
        )
    return lines
