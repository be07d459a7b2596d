"""What a figure shows, in words with its numbers: for those who cannot see it."""

from typing import Any

import numpy as np

from bayescmp.bayes.posterior import Posterior
from bayescmp.bayes.ranking.result import RankingPosterior
from bayescmp.comparison.result import Comparison
from bayescmp.frequentist.pairwise import PairwiseTests
from bayescmp.scores.pair import SCALES, Pair
from bayescmp.scores.table import Scores
from bayescmp.sentences import datasets_used, difference_text, rope_label
from bayescmp.text import IN_PERCENT, amounts, counted, p_value, probability

MOST = 6
"""Models or pairs that are listed one by one; the others are counted."""


def alt_text(result: Any) -> str:
    """Alternative text of a result's figures: what was compared, and the numbers that they show.

    For a comparison these are its pairs, as in `plot_matrix` and `plot_forest`; for a figure of something else in it
    pass that: `comparison.ranking_posterior()`, `comparison.tests`, `comparison.scores`.

    Parameters
    ----------
    result : a posterior, RankingPosterior, PairwiseTests, Comparison, Pair, Scores, or the frame of `power_curve`

    See Also
    --------
    save_figure

    Examples
    --------
    >>> import bayescmp as bc
    >>> print(bc.plots.alt_text(bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)))
    SVM against DT, error rate, correlated t-test: P(SVM better) 0.940, P(equivalent) 0.036, P(DT better) 0.024, rope \
[-0.01, 0.01]. Mean difference 0.082, 95% HDI [-0.009, 0.172]; positive favours SVM.
    """
    for kind, write in _WRITERS.items():
        if isinstance(result, kind):
            text: str = write(result)
            return text
    if hasattr(result, "columns") and "power" in result.columns:
        return _power(result)
    raise ValueError(
        f"Alternative text is there for posteriors, rankings, tests of pairs, comparisons, pairs, scores and power "
        f"curves, got {type(result).__name__}."
    )


def _posterior(p: Any) -> str:
    chances = ", ".join(f"P({name}) {probability(x, p.largest_mcse)}" for name, x in p.probabilities.items())
    rope = "no rope" if p.rope.is_zero else f"rope {rope_label(p)}"
    over = f" on {len(p.datasets)} datasets" if len(p.datasets) > 1 else ""
    text = f"{p.a} against {p.b}, {p.metric or 'score'}, {p.method}{over}: {chances}, {rope}."
    if "counts" in p.settings:
        counts = {name: f"{x:,.0f}" for name, x in p.settings["counts"].items()}
        text += (
            f" Both right on {counts['both_right']} items, only {p.a} on {counts['only_a']}, only {p.b} on "
            f"{counts['only_b']}, both wrong on {counts['both_wrong']}."
        )
    if p.expected is not None:
        shares = ", ".join(f"{name} {probability(x)}" for name, x in p.expected.items())
        text += f" P: that it is the most probable outcome. {p.next_heading.capitalize()}: {shares}."
    if p.mean is None:
        return text
    said = difference_text(p)
    return (
        f"{text} {said}." if p.scale in IN_PERCENT else f"{text} {said[0].upper()}{said[1:]}; positive favours {p.a}."
    )


def _ranking(r: RankingPosterior) -> str:
    frame = r.to_frame()
    parts = [
        f"{row['model']} P(best) {probability(row['p_best'], row['mcse'])}, expected rank {row['expected_rank']:.1f}"
        for row in frame.head(MOST).to_dict("records")
    ]
    head = f"Ranking of {len(r.models)} models, {r.metric or 'score'}, {r.method}, {datasets_used(r)}"
    return f"{head}: {_list(parts, len(frame))}."


def _tests(t: PairwiseTests) -> str:
    head = f"{len(t.models)} models, {t.metric or 'score'}, {t.method}"
    if "mean_ranks" in t.details:
        ranks = sorted(t.details["mean_ranks"].items(), key=lambda item: item[1])
        text = f"{head}; mean ranks: {_list([f'{name} {rank:.2f}' for name, rank in ranks[:MOST]], len(ranks))}."
        if t.critical_difference is not None:
            text += f" Critical difference {t.critical_difference:.3g} at the {100 * t.details['alpha']:g}% level."
        return text
    order = np.argsort(t.p_adjusted, kind="stable")[:MOST]
    parts = [f"{t.pairs[i][0]} against {t.pairs[i][1]} {p_value(t.p_adjusted[i])}" for i in order]
    return f"{head}, adjusted p-values: {_list(parts, len(t.pairs))}."


def _comparison(c: Comparison) -> str:
    surest = sorted(c.posteriors, key=lambda p: -max(p.three))
    parts = [
        f"{p.a} against {p.b}: better {better}, equivalent {equivalent}, worse {worse}"
        for p in surest[:MOST]
        for better, equivalent, worse in [[probability(x, p.largest_mcse, c.threshold) for x in p.three]]
    ]
    m = len(c.scores.datasets)
    where = f"{m} datasets" if m > 1 else "one dataset"
    return (
        f"{len(c.models)} models on {where}, {c.scores.metric or 'score'}, {counted(len(surest), 'pair')}. "
        f"Probabilities: {_list(parts, len(surest), '; ')}."
    )


def _pair(p: Pair) -> str:
    favour = int((p.means > 0).sum())
    where = f"{len(p.datasets)} datasets" if len(p.datasets) > 1 else p.datasets[0]
    spread = float(np.ptp(p.means)) or float(np.nanstd(p.differences))
    three = (float(p.means.mean()), float(np.nanmin(p.differences)), float(np.nanmax(p.differences)))
    mean, low, high = amounts(three, (0.0, spread), p.scale, p.higher_is_better)
    what = f"Differences ({p.scale} scale)" if p.scale in IN_PERCENT else f"{SCALES[p.scale].capitalize()}s"
    return (
        f"{what} in {p.metric or 'score'} of {p.a} and {p.b} on {where}: mean {mean}, from {low} to {high}; "
        f"the mean favours {p.a} on {favour} of {len(p.datasets)}."
    )


def _scores(s: Scores) -> str:
    means = [float(np.nanmean([np.nanmean(d) for d in x if np.isfinite(d).any()])) for x in s.values]
    order = np.argsort(means)[:: -1 if s.higher_is_better else 1]
    parts = [f"{s.models[i]} {means[i]:.4g}" for i in order[:MOST]]
    best = "higher" if s.higher_is_better else "lower"
    m = len(s.datasets)
    return (
        f"Scores of {len(s.models)} models on {m} dataset{'s' if m > 1 else ''}, {s.metric or 'score'} ({best} is "
        f"better); means: {_list(parts, len(means))}."
    )


def _power(frame: Any) -> str:
    parts = [
        f"{rows['effect_name'].iloc[0]} = {effect:g}: {rows['power'].iloc[0]:.2f} at n = {rows['n'].iloc[0]:g}, "
        f"{rows['power'].iloc[-1]:.2f} at n = {rows['n'].iloc[-1]:g}"
        for effect, rows in frame.groupby("effect", sort=False)
    ]
    return f"Power at the {100 * frame['alpha'].iloc[0]:g}% level; {_list(parts[:MOST], len(parts), '; ')}."


def _list(parts: list[str], total: int, between: str = ", ") -> str:
    rest = total - len(parts)
    return between.join(parts) + (f" and {rest} more" if rest > 0 else "")


_WRITERS: dict[type, Any] = {
    Posterior: _posterior,
    RankingPosterior: _ranking,
    PairwiseTests: _tests,
    Comparison: _comparison,
    Pair: _pair,
    Scores: _scores,
}
