"""How often statements came true in simulated studies; written by `python benchmarks/calibration --statements`."""

P_BEST = {2: 0.5}
GROUPS = {2: 0.5}
FALSE_DECISIONS = {"sign_test": {2: 0.5}, "signed_rank_test": {2: 0.5}, "hierarchical_ttest": {2: 0.5}}
