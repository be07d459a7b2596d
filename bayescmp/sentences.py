"""Every sentence about a result, written once: a posterior, a test, and where the two schools differ.

The functions take results by their attributes and return text; results, tables, reports and the command line call them.
"""

import math
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bayescmp import measured
from bayescmp.rope import Decision, Rope
from bayescmp.scores.pair import SCALES
from bayescmp.text import IN_PERCENT, amounts, border, counted, number, p_value, percent, probability

if TYPE_CHECKING:
    from bayescmp.bayes.difference import DifferencePosterior
    from bayescmp.bayes.posterior import Posterior
    from bayescmp.bayes.ranking.groups import Groups
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
    """What the next dataset will show, and how certain the most probable outcome is; the leading model first."""
    p = _leader_first(p)
    return f"{next_text(p)} {_most_probable(p, threshold)}"


def next_text(p: "RegionPosterior") -> str:
    """The expected shares: what the next dataset (or the average of the next two) will show."""
    rope = "" if p.rope.is_zero else f" (rope {rope_text(p.rope, p.scale, p.higher_is_better)})"
    shares = list(zip(p.labels, (p.expected or {}).values(), strict=True))
    if p.rope.is_zero:
        del shares[1]
    return f"On {p.new}{rope}: {', '.join(f'{label} {percent(x)}' for label, x in shares)}."


def _most_probable(p: "RegionPosterior", threshold: float | None) -> str:
    """How certain the most probable outcome is, the leading model being A."""
    # a posterior is never certain: a probability of 1 is one that was rounded
    better, equivalent, _ = (percent(min(max(x, 1e-12), 1 - 1e-12), p.largest_mcse, threshold) for x in p.three)
    if math.isclose(p.p_better, p.p_worse, abs_tol=1e-9) and p.p_equivalent <= p.p_better:
        return f"{p.a} and {p.b} are equally likely to be the one that is more often better: {better} each."
    if p.p_equivalent > p.p_better:
        return f"That equivalence is the most probable outcome is {equivalent} certain."
    return f'That "{p.labels[0]}" is the most probable outcome is {better} certain.'


def decision_words(p: "Posterior", decision: Decision, names: tuple[str, str] | None = None) -> str:
    """The decision with the models' `names`, and what it is about where that is the most probable outcome."""
    words = decision.words(*names or (p.a, p.b))
    return words if p.expected is None or decision is Decision.UNDECIDED else f"most probable: {words}"


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


def _upper_border(p: Any) -> str:
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

SAME = ("agree", "neither decides", "equivalent, not significant")
"""The kinds of agreement where the decisions of the two schools do not differ."""
KINDS = {
    "agree": "both: {leader} better",
    "neither decides": "neither decides",
    "equivalent, not significant": "{equivalent}; a large p cannot show that",
    "correction missing": (
        "significant ({p}) only because overlapping folds are treated as independent: corrected {corrected}"
    ),
    "opposite directions": (
        "significant ({p}) in favour of {favoured}, yet {claim}: the tests weigh the datasets differently"
    ),
    "mean and majority differ": (
        "{claim}, yet {other} is ahead by the mean ({mean}): a few datasets differ much more than the others"
    ),
    "one number, two thresholds": (
        "the two are the same number, P = 1 - p/2; {threshold} is one-sided, p two-sided: P = {P}, {p}"
    ),
    "significant but equivalent": "significant ({p}), but {equivalent}{why}",
    "rope wider than the effect": (
        "significant ({p}), but the estimated difference {mean} lies inside the rope: no outcome has P of {threshold}"
    ),
    "significant but undecided": (
        "significant ({p}) in favour of {favoured}, but {leader} better{beyond} has only P = {P}"
    ),
    "too few datasets": "on {n} datasets p cannot be below {least}{over}, whatever the scores; {claim}",
    "lost by the adjustment": "{alone} alone, {p} ({adjustment}); {claim}",
    "decided but not significant": "not significant ({p}), yet {claim}",
}
"""What the decisions of the two schools come to: the kind, and its sentence."""


def agreement(r: "PairResult") -> tuple[str, str]:
    """The kind of (dis)agreement of both schools about a pair, one of `KINDS`, and its sentence."""
    kind, words = _kind(r)
    p, s = r.posterior, r.standard
    leader, other = (p.a, p.b) if _a_leads(p) else (p.b, p.a)
    always = {
        "p": _p_text(r),
        "P": _shown(r, _p_leader(p)),
        "leader": leader,
        "other": other,
        "claim": _claim(r),
        "equivalent": _equivalent(r),
        "beyond": beyond(p),
        "mean": _mean_text(p),
        "threshold": f"{s.threshold:g}",
    }
    return kind, KINDS[kind].format(**always | words)


def agreement_kind(r: "PairResult") -> str:
    """The kind of (dis)agreement alone."""
    return _kind(r)[0]


def _kind(r: "PairResult") -> tuple[str, dict[str, str]]:
    return (_significant if r.significant else _not_significant)(r)


def _not_significant(r: "PairResult") -> tuple[str, dict[str, str]]:
    p, s = r.posterior, r.standard
    if not r.decided:
        return ("equivalent, not significant" if r.decision is Decision.EQUIVALENT else "neither decides"), {}
    if _one_number(r) and r.test.p_value > s.alpha:
        return "one number, two thresholds", {"p": p_value(r.test.p_value, s.alpha)}
    for smallest, over in ((s.least_p, ""), (s.least_adjusted_p, f" with {_adjustment(r)}")):
        if smallest is not None and smallest > s.alpha:
            return "too few datasets", {"n": str(len(p.datasets)), "least": f"{smallest:.2g}", "over": over}
    if r.test.p_value <= s.alpha:
        words = {"alone": p_value(r.test.p_value, s.alpha), "adjustment": _adjustment(r)}
        return "lost by the adjustment", words
    return ("mean and majority differ" if _against_the_mean(p) else "decided but not significant"), {}


def _significant(r: "PairResult") -> tuple[str, dict[str, str]]:
    p, t, s = r.posterior, r.test, r.standard
    effect = t.effect_size.value if t.effect_size else (t.estimate or 0.0)
    favoured = p.a if effect > 0 else p.b
    if r.decided:
        if effect and favoured != (p.a if _a_leads(p) else p.b):
            return ("mean and majority differ" if _against_the_mean(p) else "opposite directions"), {
                "favoured": favoured
            }
        return "agree", {}
    if s.corrected_p is not None and s.corrected_p > s.alpha:
        return "correction missing", {"corrected": p_value(s.corrected_p, s.alpha)}
    if r.decision is Decision.EQUIVALENT:
        small = p.expected is None or (p.mean is None and tuple(p.expected.values())[1] > 0.9)
        return "significant but equivalent", {"why": ": a real difference, smaller than the rope" if small else ""}
    if _one_number(r):
        return "one number, two thresholds", {"p": p_value(t.p_value, s.alpha)}
    if p.mean is not None and p.rope.low <= p.mean <= p.rope.high and not p.rope.is_zero:
        return "rope wider than the effect", {}
    return "significant but undecided", {"favoured": favoured}


def _one_number(r: "PairResult") -> bool:
    """Whether P of the better model is 1 - p/2: on one dataset without a rope, by the t-tests."""
    p = r.posterior
    return len(p.datasets) == 1 and p.rope.is_zero and math.isclose(_p_leader(p), 1 - r.test.p_value / 2, abs_tol=1e-9)


def _against_the_mean(p: "Posterior") -> bool:
    """Whether the model that is ahead by P is behind by the mean."""
    return bool(p.mean) and (p.mean > 0) != _a_leads(p)  # type: ignore[operator]


def _mean_text(p: "Posterior") -> str:
    """The size of the mean difference, with two digits."""
    mean = abs(p.mean or 0.0)
    return f"{border(mean, p.scale, p.higher_is_better)} %" if p.scale in IN_PERCENT else f"{mean:.2g}"


def _claim(r: "PairResult", where: str = "next:") -> str:
    """The posterior's decision for the leader, by what P is a probability of."""
    p = r.posterior
    leader, other = (p.a, p.b) if _a_leads(p) else (p.b, p.a)
    shown = _shown(r, _p_leader(p))
    if p.expected is not None:
        share = percent(tuple(p.expected.values())[0 if _a_leads(p) else 2])
        return f'"{leader} better" is the most probable outcome (P = {shown}; {where} {share})'
    return f"{leader} is better than {other}{beyond(p)} (P = {shown})"


def _equivalent(r: "PairResult", where: str = "next:") -> str:
    """The decision for equivalence, by what P is a probability of."""
    p, shown = r.posterior, _shown(r, r.posterior.p_equivalent)
    if p.expected is not None:
        share = percent(tuple(p.expected.values())[1])
        return f"equivalence is the most probable outcome (P = {shown}; {where} {share})"
    return f"practically equivalent (P = {shown})"


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


def decided(r: "PairResult") -> str:
    """The decision about a pair in one line: what opens the report of two models."""
    p = r.posterior
    where = f"on {getattr(p, 'new', '')}"
    if r.decided:
        text = _claim(r, where) if p.expected is None else f"{p.a} and {p.b}: {_claim(r, where)}"
    elif r.decision is Decision.EQUIVALENT:
        text = f"{p.a} and {p.b}: {_equivalent(r, where)}"
    else:
        outcome = "outcome" if p.expected is None else "most probable outcome"
        return f"{p.a} and {p.b}: undecided, no {outcome} is {100 * r.standard.threshold:g} % certain."
    caution = "".join(f" Caution, {note}." for note in p.notes if note.startswith(FEW))
    return f"{text}.{caution}"


# ---- many models

MOST_NAMES = 6


def of_groups(g: "Groups") -> str:
    """The groups in one line: no difference is claimed that the joint draws of all models do not show."""
    rest = g.not_worse
    p = "" if g.probability is None else f" (P = {probability(g.probability, g.mcse, g.threshold)})"
    between = [model for model in g.worse if model not in g.beaten]
    if not rest:
        text = f"No one of {len(g.worse)} models stands out in {g.quantity}"
    elif g.by_rope:
        text = f"{rest[0]} is better than {names_in_line(g.beaten)}{g.beyond} in {g.quantity}{p}"
    else:
        difference = "practical difference" if g.beyond else "difference"
        shown = f": no {difference} in {g.quantity} shown" if len(rest) > 1 else f" leads in {g.quantity}"
        parts = [f"{names_in_line(rest)}{shown}"]
        if g.beaten:
            everyone = {1: "it beats", 2: "both beat", 3: "all three beat"}.get(len(rest), f"all {len(rest)} beat")
            parts.append(f"{everyone} {names_in_line(g.beaten)}{p}")
        if between:
            parts.append(
                f"{names_in_line(between)} {'looks' if len(between) == 1 else 'look'} worse, but not for certain"
            )
        text = "; ".join(parts)
    if g.cheapest is not None:
        text += f". Cheapest of the top: {g.cheapest}"
    return f"{text}.{f' Caution: {g.caution}.' if g.caution and g.probability is not None else ''}"


def decided_together(pair: "PairResult", together: "Posterior", difference: float | None) -> str:
    """Where the joint model of all models decides a pair otherwise than its own test, and why.

    `together` is the joint model's answer to the question of the pair's posterior, `difference` its mean difference.
    """
    own = pair.posterior
    asked = max(
        (p for p in (own, together)), key=lambda p: p.decision(pair.standard.threshold) is not Decision.UNDECIDED
    )
    at = max(range(3), key=lambda i: asked.three[i])
    said = [
        f"{decision_words(p, p.decision(pair.standard.threshold))} "
        f"(P = {probability(p.three[at], p.largest_mcse, pair.standard.threshold)})"
        for p in (own, together)
    ]
    prior = own.settings.get("prior")
    less = together.decision(pair.standard.threshold) in (Decision.UNDECIDED, Decision.EQUIVALENT)
    if less and own.mean is not None and difference is not None and abs(difference) < LESS * abs(own.mean):
        low, high = (number(x, own.mean - difference) for x in (own.mean, difference))
        why = f"pooling all models' effects pulls the mean difference from {low} to {high}"
    elif getattr(prior, "gaussian", True) is False:
        why = "alone, odd datasets count less (heavy tails)"
    else:
        why = "all models tell how much differences vary over datasets"
    return f"{own.a} vs {own.b}: {said[0]} alone, {said[1]} jointly: {why}."


LESS = 0.9
"""A mean difference that becomes smaller than this share of itself was pulled by pooling."""


def names_in_line(names: Iterable[str]) -> str:
    """a, b and c; with many names the first ones, and how many more."""
    shown = list(names)
    if len(shown) > MOST_NAMES:
        shown = [*shown[: MOST_NAMES - 1], f"{len(shown) - MOST_NAMES + 1} more"]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def beyond(p: Any) -> str:
    """How far apart two practically different models are, for a result with a rope; empty without a rope."""
    rope = p.rope
    if rope.is_zero:
        return ""
    if p.scale == "ropes":
        return f" by more than {rope_text(rope, p.scale)}"
    if rope.low != -rope.high:
        return f" by more than the rope {rope_label(p)}"
    return f" by more than {_upper_border(p)}"


def best_model(ranking: "RankingPosterior", rope: "Rope | None", most: int = 3) -> str:
    """The ranking's answer: who is probably best, and who comes next; `rope` is that of the comparison."""
    if too_few_for_p_best(ranking.inference.measured):
        return f"{counted(ranking.n, 'dataset')} are too few for a probability of being the best."
    rows = sorted(ranking.p_best.items(), key=lambda row: -row[1])[:most]
    shown = [probability(p, ranking.largest_mcse) for name, p in rows]
    name, k, within = rows[0][0], len(ranking.models), rope_text(ranking.rope, ranking.scale, ranking.higher_is_better)
    if rope is not None and rope.low != -rope.high:
        within += f" (the wider side of the rope {rope})"
    near = probability(ranking.p_within_rope[name], ranking.largest_mcse)
    first = (
        f"By {ranking.quantity} over {ranking.rests_on}, {name} is the best of {k} models with probability {shown[0]}"
    )
    first += "" if ranking.rope.is_zero else f", and within {within} of the best with probability {near}"
    rest = [f"{name} ({p})" for (name, _), p in zip(rows[1:], shown[1:], strict=True) if float(p) > 0]
    return f"{first}. Next: {', '.join(rest)}." if rest else f"{first}."


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
    """A caution where missing runs cost a pair many datasets, or leave holes in many; else empty."""
    ran = scores.counts > 0
    every, whole = len(scores.datasets), int(ran.all(axis=0).sum())
    if every - whole <= MOST_LOST * every or (whole < 2 and len(scores.models) == 2):
        return ""
    missing = sorted(zip((~ran).sum(axis=1).tolist(), scores.models, strict=True), key=lambda pair: -pair[0])
    most = ", ".join(f"{name} on {n}" for n, name in missing[:3] if n)
    more = len([n for n, _ in missing[3:] if n])
    lost = f"{most}{f' and {more} more models' if more else ''}"
    if len(scores.models) > 2:
        return (
            f"All models were run on {whole} of {every} datasets only (missing: {lost}). Every pair rests on the "
            "datasets of both, and the ranking treats what is missing as missing by chance. Score the missing runs, or "
            "leave out models that lack many."
        )
    return (
        f"The comparison rests on {whole} of {every} datasets: the other {every - whole} are left out, because some "
        f"model was not run there ({lost}). Score the missing runs."
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


# ---- what a reader has to keep in mind

DOUBTFUL, TOO_FEW = 0.9, 0.8
"""Where fewer claims came true, the rate is said with them; where even fewer of P(best) did, no headline has it."""
FEW_DATASETS = {"sign_test": 6, "signed_rank_test": 6, "hierarchical_ttest": 3}
"""Datasets below which a test's decisions come with the measured rate of false ones."""


def too_few_for_p_best(ranking: tuple[str, int] | None) -> bool:
    """Whether P(best) of such a ranking, of so many datasets, came true too seldom to be in a headline."""
    return ranking is not None and _measured(measured.P_BEST[ranking[0]], ranking[1])[1] < TOO_FEW


def few_for_p_best(ranking: tuple[str, int]) -> tuple[str, ...]:
    """The caution about P(best) from few datasets; none where they are enough."""
    at, rate = _measured(measured.P_BEST[ranking[0]], ranking[1])
    note = f"with {at} datasets, P(best) of 0.9 or more came true in {100 * rate:.0f} % of simulated studies"
    return () if rate >= DOUBTFUL else (note,)


def few_for_groups(ranking: tuple[str, int] | None) -> str:
    """The caution about groups from few datasets; empty where they are enough."""
    at, rate = (0, 1.0) if ranking is None else _measured(measured.GROUPS[ranking[0]], ranking[1])
    return (
        ""
        if rate >= DOUBTFUL
        else f"with {at} datasets, such claims came true in {100 * rate:.0f} % of simulated studies"
    )


FEW = "few datasets"


def few_datasets(test: str, n: int) -> tuple[str, ...]:
    """The caution about a test's decisions on few datasets; none where they are enough."""
    if n >= FEW_DATASETS[test]:
        return ()
    at, rate = _measured(measured.FALSE_DECISIONS[test], n)
    share = f"{100 * rate:.0f} % of simulated studies"
    return (f"{FEW}: with {at}, one of two equal models was called better in {share}",)


def _measured(rates: dict[int, float], n: int) -> tuple[int, float]:
    """The rate for the largest number of datasets that was tried and is not above n, and that number."""
    at = max((tried for tried in rates if tried <= n), default=min(rates))
    return at, rates[at]


MOST_BORDERS = 12
"""Pairs up to which it is said what ropes beside a border that scores lie on would give: it takes two more answers."""


def pair_notes(c: "Comparison") -> list[str]:
    """The notes of the pairs' posteriors, each once, with the number of pairs that it is about."""
    often = Counter(note for p in c.posteriors for note in p.notes)
    notes = [f"{note} ({counted(n, 'pair')})" for note, n in often.most_common()]
    if len(c.posteriors) <= MOST_BORDERS:
        borders = ((p, getattr(p, "border_note", "")) for p in c.posteriors)
        notes += [f"{p.a} vs {p.b}: {note}" for p, note in borders if note]
    return notes


def cautions(c: "Comparison") -> list[str]:
    """What a reader has to keep in mind about missing runs, many pairs and selected models."""
    lines = [text] if (text := holes(c.scores)) else []
    m, over_datasets = len(c.posteriors), len(c.scores.datasets) > 1
    if m > 1:
        how = c.tests.adjustment
        adjusted = "p-values are not adjusted for that" if how == "none" else f"p-values are adjusted for that ({how})"
        lines.append(
            f"{m} pairs were compared: {by_chance(m, c.alpha)} The {adjusted}; the posterior "
            "probabilities are not: each pair has its own prior, "
            "whatever the other pairs show."
            + (" The joint model behind the ranking is the one that shrinks: joint()." if over_datasets else "")
        )
    if c.against == "best":
        lines.append(
            f"{c.control} was picked as the best by the same scores: its advantage over the others is too large on "
            "average. ranking() gives P(best) without picking."
        )
    if c.looks > 1:
        lines.append(looks_text(c.looks))
    return lines


def by_chance(m: int, alpha: float) -> str:
    """How often m tests of equal models would find at least one difference."""
    return (
        f"{m} independent tests at level {alpha:g} find a difference between equal models with probability "
        f"1 - (1 - {alpha:g})^{m} = {probability(-math.expm1(m * math.log1p(-alpha)))}."
    )


def looks_text(looks: int, planned: bool = False) -> str:
    """Both readings of data that were, or may be, looked at several times while they come in."""
    when = f"may be looked at {looks} times while they come in" if planned else f"were looked at {looks} times"
    return (
        f"The data {when}. What is probable, given these data and the prior, "
        "is not changed by that. How often such a procedure decides wrongly is: to stop at the first look that decides "
        "declares a difference more often than one look does (planning.looks shows how often), and the p-values are "
        "those of one look (frequentist.e_test is valid at any time)."
    )
