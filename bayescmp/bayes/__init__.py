"""The Bayesian tests: how probable is it that A is better than B, by more than you care about?"""

from bayescmp.bayes.bradley_terry import bradley_terry
from bayescmp.bayes.correlated_t import correlated_ttest
from bayescmp.bayes.difference import DifferencePosterior
from bayescmp.bayes.hdi import hdi
from bayescmp.bayes.hierarchical import HierarchicalPosterior, hierarchical_ttest
from bayescmp.bayes.hierarchical_prior import HierarchicalPrior
from bayescmp.bayes.multilevel import multilevel
from bayescmp.bayes.multilevel_model import MultilevelPrior
from bayescmp.bayes.multilevel_result import MultilevelPosterior
from bayescmp.bayes.nuts import Diagnostics
from bayescmp.bayes.plackett_luce import plackett_luce
from bayescmp.bayes.posterior import Posterior
from bayescmp.bayes.pymc_models import pymc_model
from bayescmp.bayes.rank_models import rank_models
from bayescmp.bayes.ranking import RankingPosterior
from bayescmp.bayes.regions import RegionPosterior
from bayescmp.bayes.sign import sign_test
from bayescmp.bayes.signed_rank import signed_rank_test
from bayescmp.bayes.signed_rank_many import signed_rank_tests
from bayescmp.bayes.strengths import StrengthPosterior
from bayescmp.bayes.welch import welch_ttest

__all__ = [
    "Diagnostics",
    "DifferencePosterior",
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
    "multilevel",
    "plackett_luce",
    "pymc_model",
    "rank_models",
    "sign_test",
    "signed_rank_test",
    "signed_rank_tests",
    "welch_ttest",
]
