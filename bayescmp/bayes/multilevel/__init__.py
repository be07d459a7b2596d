"""One joint model of many models on many datasets."""

from bayescmp.bayes.multilevel.joint import multilevel
from bayescmp.bayes.multilevel.model import MultilevelPrior
from bayescmp.bayes.multilevel.result import MultilevelPosterior

__all__ = ["MultilevelPosterior", "MultilevelPrior", "multilevel"]
