"""The hierarchical correlated t-test: its prior, its quadrature, its result."""

from bayescmp.bayes.hierarchical.prior import HierarchicalPrior
from bayescmp.bayes.hierarchical.ttest import HierarchicalPosterior, hierarchical_ttest

__all__ = ["HierarchicalPosterior", "HierarchicalPrior", "hierarchical_ttest"]
