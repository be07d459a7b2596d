"""Who is best of many models: the joint posterior of their abilities, by bootstrap, Bradley-Terry or Plackett-Luce."""

from bayescmp.bayes.ranking.bootstrap import rank_models
from bayescmp.bayes.ranking.bradley_terry import bradley_terry
from bayescmp.bayes.ranking.plackett_luce import plackett_luce
from bayescmp.bayes.ranking.result import RankingPosterior
from bayescmp.bayes.ranking.strengths import StrengthPosterior

__all__ = ["RankingPosterior", "StrengthPosterior", "bradley_terry", "plackett_luce", "rank_models"]
