"""How often statements came true in simulated studies: docs/statements.md.

Written by `python benchmarks/calibration --statements`; cautions quote it.
"""

P_BEST = {
    "joint": {3: 0.9, 4: 0.96, 5: 0.9, 6: 0.94, 8: 0.92, 10: 0.94, 15: 0.93, 20: 0.95, 30: 0.91, 50: 0.96},
    "bootstrap": {2: 0.59, 3: 0.69, 4: 0.75, 5: 0.78, 6: 0.81, 8: 0.83, 10: 0.86, 15: 0.89, 20: 0.9, 30: 0.9, 50: 0.92},
}
"""Ranking, datasets, and how often a model with P(best) of 0.9 or more was the best one."""
GROUPS = {
    "joint": {2: 0.95, 3: 0.99, 4: 1.0, 5: 0.98, 6: 1.0, 8: 1.0, 10: 0.99, 15: 0.99, 20: 0.99, 30: 1.0, 50: 0.99},
    "bootstrap": {
        2: 0.55,
        3: 0.68,
        4: 0.81,
        5: 0.84,
        6: 0.88,
        8: 0.9,
        10: 0.96,
        15: 0.96,
        20: 0.97,
        30: 0.98,
        50: 0.99,
    },
}
"""Ranking, datasets, and how often models that were said to be beaten truly were."""
FALSE_DECISIONS = {
    "sign_test": {2: 0.0, 3: 0.25, 4: 0.15, 5: 0.07, 6: 0.23, 8: 0.07, 10: 0.12, 20: 0.12},
    "signed_rank_test": {2: 0.58, 3: 0.26, 4: 0.28, 5: 0.2, 6: 0.16, 8: 0.15, 10: 0.12, 20: 0.13},
    "hierarchical_ttest": {2: 0.0, 3: 0.08},
}
"""Test, datasets, and how often one of two equal models was called better (P >= 0.95)."""
