"""The frequentist tests: the classical answer in the same shape as the Bayesian one."""

from bayescmp.frequentist.adjust import adjust_p_values
from bayescmp.frequentist.cv_tests import cv5x2_ftest, cv5x2_ttest, rxk_cv_ttest
from bayescmp.frequentist.effect_sizes import (
    cohens_d,
    cohens_dav,
    cohens_dz,
    common_language,
    hedges_g,
    raw_difference,
)
from bayescmp.frequentist.intervals import (
    Interval,
    bootstrap_interval,
    difference_interval,
    hodges_lehmann_interval,
    mean_interval,
)
from bayescmp.frequentist.omnibus import (
    friedman_aligned_ranks_test,
    friedman_test,
    iman_davenport_test,
    kruskal_wallis_test,
    quade_test,
)
from bayescmp.frequentist.pairwise import PairwiseTests
from bayescmp.frequentist.posthoc import bonferroni_dunn_test, nemenyi_test, pairwise_wilcoxon_test
from bayescmp.frequentist.rank_effects import cliffs_delta, kendalls_w, rank_biserial, vargha_delaney
from bayescmp.frequentist.rank_tests import sign_test, wilcoxon_test
from bayescmp.frequentist.result import EffectSize, TestResult
from bayescmp.frequentist.t_tests import corrected_ttest, paired_ttest, tost_ttest, welch_ttest

__all__ = [
    "EffectSize",
    "Interval",
    "PairwiseTests",
    "TestResult",
    "adjust_p_values",
    "bonferroni_dunn_test",
    "bootstrap_interval",
    "cliffs_delta",
    "cohens_d",
    "cohens_dav",
    "cohens_dz",
    "common_language",
    "corrected_ttest",
    "cv5x2_ftest",
    "cv5x2_ttest",
    "difference_interval",
    "friedman_aligned_ranks_test",
    "friedman_test",
    "hedges_g",
    "hodges_lehmann_interval",
    "iman_davenport_test",
    "kendalls_w",
    "kruskal_wallis_test",
    "mean_interval",
    "nemenyi_test",
    "paired_ttest",
    "pairwise_wilcoxon_test",
    "quade_test",
    "rank_biserial",
    "raw_difference",
    "rxk_cv_ttest",
    "sign_test",
    "tost_ttest",
    "vargha_delaney",
    "welch_ttest",
    "wilcoxon_test",
]
