"""The Bayesian tests: how probable is it that A is better than B, by more than you care about?"""

from typing import TYPE_CHECKING

from bayescmp.lazy import import_lazily

if TYPE_CHECKING:
    from bayescmp.bayes.correlated_t import correlated_ttest
    from bayescmp.bayes.difference import DifferencePosterior
    from bayescmp.bayes.hdi import hdi
    from bayescmp.bayes.hierarchical.prior import HierarchicalPrior
    from bayescmp.bayes.hierarchical.ttest import HierarchicalPosterior, hierarchical_ttest
    from bayescmp.bayes.mcnemar import mcnemar_test
    from bayescmp.bayes.multilevel.joint import multilevel
    from bayescmp.bayes.multilevel.model import MultilevelPrior
    from bayescmp.bayes.multilevel.result import MultilevelPosterior
    from bayescmp.bayes.nuts import Diagnostics
    from bayescmp.bayes.per_instance import per_instance_ttest
    from bayescmp.bayes.posterior import Posterior
    from bayescmp.bayes.pymc_models import pymc_model
    from bayescmp.bayes.ranking.bootstrap import rank_models
    from bayescmp.bayes.ranking.bradley_terry import bradley_terry
    from bayescmp.bayes.ranking.groups import Groups
    from bayescmp.bayes.ranking.plackett_luce import plackett_luce
    from bayescmp.bayes.ranking.result import RankingPosterior
    from bayescmp.bayes.ranking.strengths import StrengthPosterior
    from bayescmp.bayes.regions import RegionPosterior
    from bayescmp.bayes.sign import sign_test
    from bayescmp.bayes.signed_rank import signed_rank_test, signed_rank_tests
    from bayescmp.bayes.welch import welch_ttest

import_lazily(
    __name__,
    {
        "correlated_t": "correlated_ttest",
        "difference": "DifferencePosterior",
        "hdi": "hdi",
        "hierarchical.prior": "HierarchicalPrior",
        "hierarchical.ttest": "HierarchicalPosterior hierarchical_ttest",
        "mcnemar": "mcnemar_test",
        "multilevel.joint": "multilevel",
        "multilevel.model": "MultilevelPrior",
        "multilevel.result": "MultilevelPosterior",
        "nuts": "Diagnostics",
        "per_instance": "per_instance_ttest",
        "posterior": "Posterior",
        "pymc_models": "pymc_model",
        "ranking.bootstrap": "rank_models",
        "ranking.bradley_terry": "bradley_terry",
        "ranking.groups": "Groups",
        "ranking.plackett_luce": "plackett_luce",
        "ranking.result": "RankingPosterior",
        "ranking.strengths": "StrengthPosterior",
        "regions": "RegionPosterior",
        "sign": "sign_test",
        "signed_rank": "signed_rank_test signed_rank_tests",
        "welch": "welch_ttest",
    },
)

__all__ = [
    "Diagnostics",
    "DifferencePosterior",
    "Groups",
    "HierarchicalPosterior",
    "HierarchicalPrior",
    "MultilevelPosterior",
    "MultilevelPrior",
    "Posterior",
    "RankingPosterior",
    "RegionPosterior",
    "StrengthPosterior",
    "bradley_terry",
    "correlated_ttest",
    "hdi",
    "hierarchical_ttest",
    "mcnemar_test",
    "multilevel",
    "per_instance_ttest",
    "plackett_luce",
    "pymc_model",
    "rank_models",
    "sign_test",
    "signed_rank_test",
    "signed_rank_tests",
    "welch_ttest",
]
