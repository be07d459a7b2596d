"""Figures for papers: each `plot_x(result, *, ax=None)` draws a result, returns the Axes, and changes nothing else."""

from bayescmp.needs import matplotlib  # noqa: F401  (first, so that its absence is a sentence)
from bayescmp.plots.agreement import plot_agreement
from bayescmp.plots.alt_text import alt_text
from bayescmp.plots.critical_difference import plot_critical_difference
from bayescmp.plots.differences import plot_differences
from bayescmp.plots.estimation import plot_estimation
from bayescmp.plots.forest import plot_forest
from bayescmp.plots.hdi import plot_hdi
from bayescmp.plots.intervals import plot_intervals
from bayescmp.plots.kinds import KINDS, PAIR_KINDS, plot_result
from bayescmp.plots.matrix import plot_matrix
from bayescmp.plots.multi_comparison import plot_multi_comparison
from bayescmp.plots.p_best import plot_p_best
from bayescmp.plots.plan import plot_plan
from bayescmp.plots.posterior import plot_posterior
from bayescmp.plots.power import plot_power
from bayescmp.plots.prior_sensitivity import plot_prior_sensitivity
from bayescmp.plots.rank_distribution import plot_rank_distribution
from bayescmp.plots.ranking_groups import plot_ranking_groups
from bayescmp.plots.rope_curve import plot_rope_curve
from bayescmp.plots.saving import figure_format, save_figure
from bayescmp.plots.scores import plot_scores
from bayescmp.plots.shrunken import plot_shrunken
from bayescmp.plots.simplex import plot_simplex

__all__ = [
    "KINDS",
    "PAIR_KINDS",
    "alt_text",
    "figure_format",
    "plot_agreement",
    "plot_critical_difference",
    "plot_differences",
    "plot_estimation",
    "plot_forest",
    "plot_hdi",
    "plot_intervals",
    "plot_matrix",
    "plot_multi_comparison",
    "plot_p_best",
    "plot_plan",
    "plot_posterior",
    "plot_power",
    "plot_prior_sensitivity",
    "plot_rank_distribution",
    "plot_ranking_groups",
    "plot_result",
    "plot_rope_curve",
    "plot_scores",
    "plot_shrunken",
    "plot_simplex",
    "save_figure",
]


def __dir__() -> list[str]:
    return __all__
