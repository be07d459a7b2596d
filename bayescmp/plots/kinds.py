"""Which figures a result has: what `result.plot(kind=...)` calls."""

from collections.abc import Callable
from inspect import signature
from typing import Any

from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.bayes.hierarchical.ttest import HierarchicalPosterior
from bayescmp.bayes.multilevel.result import MultilevelPosterior
from bayescmp.bayes.ranking.result import RankingPosterior
from bayescmp.bayes.regions import RegionPosterior
from bayescmp.checks import is_one_of
from bayescmp.comparison.result import Comparison
from bayescmp.frequentist.pairwise import PairwiseTests
from bayescmp.plots.agreement import plot_agreement
from bayescmp.plots.critical_difference import plot_critical_difference
from bayescmp.plots.differences import plot_differences
from bayescmp.plots.estimation import plot_estimation
from bayescmp.plots.forest import plot_forest
from bayescmp.plots.hdi import plot_hdi
from bayescmp.plots.intervals import plot_intervals
from bayescmp.plots.matrix import plot_matrix
from bayescmp.plots.multi_comparison import plot_multi_comparison
from bayescmp.plots.p_best import plot_p_best
from bayescmp.plots.posterior import plot_posterior
from bayescmp.plots.prior_sensitivity import plot_prior_sensitivity
from bayescmp.plots.rank_distribution import plot_rank_distribution
from bayescmp.plots.ranking_groups import plot_ranking_groups
from bayescmp.plots.rope_curve import plot_rope_curve
from bayescmp.plots.scores import plot_scores
from bayescmp.plots.shrunken import plot_shrunken
from bayescmp.plots.simplex import check_region, plot_simplex

Plot = Callable[..., Any]
DIFFERENCE: dict[str, Plot] = {"posterior": plot_posterior, "hdi": plot_hdi, "rope_curve": plot_rope_curve}
REGION: dict[str, Plot] = {"simplex": plot_simplex, **DIFFERENCE, "prior_sensitivity": plot_prior_sensitivity}
HIERARCHICAL: dict[str, Plot] = REGION | {"forest": plot_forest}
RANKING: dict[str, Plot] = {
    "p_best": plot_p_best,
    "rank_distribution": plot_rank_distribution,
    "ranking_groups": plot_ranking_groups,
    "matrix": plot_matrix,
}
OF_COMPARISON: dict[str, Plot] = {
    "matrix": plot_matrix,
    "forest": plot_forest,
    "multi_comparison": plot_multi_comparison,
    "ranking_groups": plot_ranking_groups,
}
OF_RANKING = ("p_best", "rank_distribution")
OF_SCORES: dict[str, Plot] = {"scores": plot_scores, "intervals": plot_intervals}
PAIR_KINDS = (
    "simplex",
    "posterior",
    "hdi",
    "rope_curve",
    "prior_sensitivity",
    "differences",
    "estimation",
    "agreement",
)
"""Figures of one pair of a comparison."""
KINDS = (*OF_COMPARISON, *OF_RANKING, "critical_difference", *OF_SCORES, *PAIR_KINDS)
"""Figures of a comparison: what `Comparison.plot(kind=...)` takes."""


def plot_result(result: Any, kind: str | None, **options: Any) -> Any:
    """Draw one of a result's figures; its first one if no kind is given.

    Parameters
    ----------
    result : Posterior, RankingPosterior, MultilevelPosterior, PairwiseTests or Comparison
    kind : str or None
        "posterior", "simplex", "matrix" and the like, without the `plot_`.
    **options
        Those of `plot_<kind>`.

    See Also
    --------
    plot_posterior, plot_simplex, plot_matrix

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)
    >>> ax = bc.plots.plot_result(p, "hdi")
    """
    if isinstance(result, Comparison):
        return _plot_comparison(result, kind, **options)
    kinds = _kinds(result)
    if kind is None and isinstance(result, PairwiseTests) and result.critical_difference is None:
        kind = "matrix"
    kind = next(iter(kinds)) if kind is None else kind
    if is_one_of(kind, ("simplex",)) and isinstance(result, DifferencePosterior):
        check_region(result)
    if not is_one_of(kind, kinds):
        what = getattr(result, "method", type(result).__name__)
        raise ValueError(f"`kind` must be one of {', '.join(kinds)} for the {what}, got {kind!r}.")
    if isinstance(result, MultilevelPosterior) and kind in RANKING:
        result = result.ranking()
    return _draw(kinds[kind], result, options=options)


def _draw(plot: Plot, *args: Any, options: dict[str, Any]) -> Any:
    """Draw with the options of `result.plot(...)`, those that the figure has."""
    known = [name for name, one in signature(plot).parameters.items() if one.kind is one.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise ValueError(f"`{plot.__name__}` has no option `{name}`; it takes {', '.join(known)}.")
    return plot(*args, **options)


def _kinds(result: Any) -> dict[str, Plot]:
    types: tuple[tuple[type, dict[str, Plot]], ...] = (
        (HierarchicalPosterior, HIERARCHICAL),
        (RegionPosterior, REGION),
        (DifferencePosterior, DIFFERENCE),
        (RankingPosterior, RANKING),
        (MultilevelPosterior, {"shrunken": plot_shrunken, **RANKING}),
        (PairwiseTests, {"critical_difference": plot_critical_difference, "matrix": plot_matrix}),
    )
    for cls, kinds in types:
        if isinstance(result, cls):
            more: dict[str, Plot] = {}
            if isinstance(result, DifferencePosterior):
                if any(True for _ in result.distribution.other_priors()):
                    more["prior_sensitivity"] = plot_prior_sensitivity
                if "counts" in result.settings:
                    more["agreement"] = plot_agreement
            return kinds | more
    raise ValueError(f"`result` must be a posterior, a ranking, pairwise tests or a Comparison, got {result!r}.")


def _plot_comparison(c: Comparison, kind: str | None, pair: tuple[str, str] | None = None, **options: Any) -> Any:
    if kind is None and pair is None and len(c.models) > 2:
        kind = "forest" if c.control is not None and c.posteriors[0].mean is not None else "matrix"
    if kind is not None and not is_one_of(kind, KINDS):
        raise ValueError(f"`kind` must be one of {', '.join(KINDS)}, got {kind!r}.")
    if pair is not None and kind is not None and kind not in PAIR_KINDS:
        raise ValueError(f"`pair` is for figures of one pair ({', '.join(PAIR_KINDS)}); {kind!r} shows all models.")
    if kind in OF_COMPARISON:
        return _draw(OF_COMPARISON[kind], c, options=options)
    if kind in OF_RANKING:
        return _draw(RANKING[kind], c.ranking_posterior(), options=options)
    if kind in OF_SCORES:
        return _draw(OF_SCORES[kind], c.scores, options=options)
    if kind == "critical_difference":
        return _draw(plot_critical_difference, c.mean_ranks, options=options)
    if kind == "simplex" and pair is None and len(c.pair_names) > 1:
        return _draw(plot_simplex, list(c.posteriors), options=options)
    return _plot_pair(c, kind, pair, **options)


def _plot_pair(c: Comparison, kind: str | None, pair: tuple[str, str] | None, **options: Any) -> Any:
    if pair is None:
        a, b = c.pair_names[0]
        if len(c.pair_names) > 1:
            raise ValueError(
                f"{kind!r} is a figure of one of {len(c.pair_names)} pairs: choose one with pair=({a!r}, {b!r})."
            )
        pair = a, b
    if kind == "differences":
        rope = {} if isinstance(c.rope, dict) else {"rope": c.rope}
        return _draw(plot_differences, c.scores.pair(*pair), options=rope | options)
    if kind == "estimation":
        return _draw(plot_estimation, c.scores.pair(*pair), c.pair(*pair).posterior, options=options)
    if kind == "agreement":
        return _draw(plot_agreement, c.scores.pair(*pair), options=options)
    return plot_result(c.pair(*pair).posterior, kind, **options)
