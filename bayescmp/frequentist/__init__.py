"""The frequentist tests: the classical answer in the same shape as the Bayesian one."""
