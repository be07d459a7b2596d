"""The frequentist tests: the classical answer in the same shape as the Bayesian one."""

from typing import TYPE_CHECKING

from bayescmp.lazy import import_lazily

if TYPE_CHECKING:
    from bayescmp.frequentist.adjust import adjust_p_values
    from bayescmp.frequentist.anova import anova, contrast_test, fisher_lsd, tukey_hsd
    from bayescmp.frequentist.contingency import (
        cochran_q_test,
        mcnemar_test,
        paired_proportions_interval,
        per_instance_ttest,
        tost_mcnemar,
    )
    from bayescmp.frequentist.cv_tests import cv5x2_ftest, cv5x2_ttest, rxk_cv_ttest
    from bayescmp.frequentist.effect_sizes import (
        cliffs_delta,
        cohens_d,
        cohens_dav,
        cohens_dz,
        common_language,
        hedges_g,
        kendalls_w,
        rank_biserial,
        raw_difference,
        vargha_delaney,
    )
    from bayescmp.frequentist.intervals import (
        Interval,
        bootstrap_interval,
        difference_interval,
        hodges_lehmann_interval,
        mean_interval,
    )
    from bayescmp.frequentist.multivariate import hotelling_test, manova
    from bayescmp.frequentist.omnibus import (
        bonferroni_dunn_test,
        friedman_aligned_ranks_test,
        friedman_test,
        iman_davenport_test,
        kruskal_wallis_test,
        nemenyi_test,
        quade_test,
        rank_table,
    )
    from bayescmp.frequentist.pairwise import PairwiseTests, pairwise_ttest, pairwise_wilcoxon_test
    from bayescmp.frequentist.permutation import permutation_test
    from bayescmp.frequentist.power import (
        Power,
        detectable_difference,
        power_curve,
        power_mcnemar,
        power_sign_test,
        power_ttest,
        power_wilcoxon,
    )
    from bayescmp.frequentist.proportions import (
        binomial_test,
        hoeffding_half_width,
        hoeffding_sample_size,
        proportion_difference_interval,
        proportion_interval,
    )
    from bayescmp.frequentist.rank_tests import sign_test, signed_rank_table, wilcoxon_test
    from bayescmp.frequentist.recommend import Recommendation, recommend
    from bayescmp.frequentist.result import EffectSize, TestResult
    from bayescmp.frequentist.sequential import ETest, e_test
    from bayescmp.frequentist.t_tests import corrected_ttest, paired_ttest, tost_ttest, welch_ttest

import_lazily(
    __name__,
    {
        "adjust": "adjust_p_values",
        "anova": "anova contrast_test fisher_lsd tukey_hsd",
        "contingency": "cochran_q_test mcnemar_test paired_proportions_interval per_instance_ttest tost_mcnemar",
        "cv_tests": "cv5x2_ftest cv5x2_ttest rxk_cv_ttest",
        "effect_sizes": "cliffs_delta cohens_d cohens_dav cohens_dz common_language hedges_g kendalls_w "
        "rank_biserial raw_difference vargha_delaney",
        "intervals": "Interval bootstrap_interval difference_interval hodges_lehmann_interval mean_interval",
        "multivariate": "hotelling_test manova",
        "omnibus": "bonferroni_dunn_test friedman_aligned_ranks_test friedman_test iman_davenport_test "
        "kruskal_wallis_test nemenyi_test quade_test rank_table",
        "pairwise": "PairwiseTests pairwise_ttest pairwise_wilcoxon_test",
        "permutation": "permutation_test",
        "power": "Power detectable_difference power_curve power_mcnemar power_sign_test power_ttest power_wilcoxon",
        "proportions": "binomial_test hoeffding_half_width hoeffding_sample_size "
        "proportion_difference_interval proportion_interval",
        "rank_tests": "sign_test signed_rank_table wilcoxon_test",
        "recommend": "Recommendation recommend",
        "result": "EffectSize TestResult",
        "sequential": "ETest e_test",
        "t_tests": "corrected_ttest paired_ttest tost_ttest welch_ttest",
    },
)

__all__ = [
    "ETest",
    "EffectSize",
    "Interval",
    "PairwiseTests",
    "Power",
    "Recommendation",
    "TestResult",
    "adjust_p_values",
    "anova",
    "binomial_test",
    "bonferroni_dunn_test",
    "bootstrap_interval",
    "cliffs_delta",
    "cochran_q_test",
    "cohens_d",
    "cohens_dav",
    "cohens_dz",
    "common_language",
    "contrast_test",
    "corrected_ttest",
    "cv5x2_ftest",
    "cv5x2_ttest",
    "detectable_difference",
    "difference_interval",
    "e_test",
    "fisher_lsd",
    "friedman_aligned_ranks_test",
    "friedman_test",
    "hedges_g",
    "hodges_lehmann_interval",
    "hoeffding_half_width",
    "hoeffding_sample_size",
    "hotelling_test",
    "iman_davenport_test",
    "kendalls_w",
    "kruskal_wallis_test",
    "manova",
    "mcnemar_test",
    "mean_interval",
    "nemenyi_test",
    "paired_proportions_interval",
    "paired_ttest",
    "pairwise_ttest",
    "pairwise_wilcoxon_test",
    "per_instance_ttest",
    "permutation_test",
    "power_curve",
    "power_mcnemar",
    "power_sign_test",
    "power_ttest",
    "power_wilcoxon",
    "proportion_difference_interval",
    "proportion_interval",
    "quade_test",
    "rank_biserial",
    "rank_table",
    "raw_difference",
    "recommend",
    "rxk_cv_ttest",
    "sign_test",
    "signed_rank_table",
    "tost_mcnemar",
    "tost_ttest",
    "tukey_hsd",
    "vargha_delaney",
    "welch_ttest",
    "wilcoxon_test",
]
