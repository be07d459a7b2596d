"""Every public function with arguments that fit it: what the property and fuzz tests go through."""

import inspect

import numpy as np

import bayescmp as bc
from bayescmp import Resampling, Scores, bayes, frequentist

FIVE_BY_TWO, QUARTER = Resampling.kfold(2, repeats=5), Resampling.custom(0.25)


def _two(function, **options):
    return lambda a, b, rope, up: function(a, b, higher_is_better=up, **options)


def _with_rope(function, **options):
    return lambda a, b, rope, up: function(a, b, rope=rope, higher_is_better=up, **options)


TWO = {
    "bayes.correlated_ttest": _with_rope(bayes.correlated_ttest, resampling=QUARTER),
    "bayes.welch_ttest": _with_rope(bayes.welch_ttest),
    "bayes.sign_test": _with_rope(bayes.sign_test),
    "bayes.signed_rank_test": _with_rope(bayes.signed_rank_test, draws=64, random_seed=1),
    "frequentist.corrected_ttest": _two(frequentist.corrected_ttest, resampling=QUARTER),
    "frequentist.cv5x2_ftest": _two(frequentist.cv5x2_ftest, resampling=FIVE_BY_TWO),
    "frequentist.cv5x2_ttest": _two(frequentist.cv5x2_ttest, resampling=FIVE_BY_TWO),
    "frequentist.rxk_cv_ttest": _two(frequentist.rxk_cv_ttest, resampling=FIVE_BY_TWO),
    "frequentist.difference_interval": _two(frequentist.difference_interval, corrected=False),
    "frequentist.permutation_test": _two(frequentist.permutation_test, resamples=99, random_seed=1),
    "frequentist.bootstrap_interval": _two(frequentist.bootstrap_interval, resamples=99, random_seed=1),
    "frequentist.tost_ttest": lambda a, b, rope, up: frequentist.tost_ttest(
        a, b, rope=rope or 0.5, corrected=False, higher_is_better=up
    ),
} | {
    f"frequentist.{name}": _two(getattr(frequentist, name))
    for name in (
        "cliffs_delta cohens_d cohens_dav cohens_dz common_language hedges_g hodges_lehmann_interval paired_ttest "
        "rank_biserial raw_difference sign_test vargha_delaney welch_ttest wilcoxon_test"
    ).split()
}
"""name -> function of two arrays of ten scores, a rope and the direction."""


def _named(table):
    return {f"m{i}": table[:, i] for i in range(table.shape[1])}


def _folds(table):
    return Scores.from_arrays(_named(table), resampling=QUARTER)


MANY = {
    "bayes.rank_models": lambda t: bayes.rank_models(Scores.from_arrays(_named(t)), rope=0.25, draws=64, random_seed=1),
    "bayes.signed_rank_tests": lambda t: bayes.signed_rank_tests(
        [Scores.from_arrays(_named(t)).pair("m0", "m1")], rope=0.25, draws=64, random_seed=1
    )[0],
    "frequentist.anova": lambda t: frequentist.anova(_folds(t), kind="repeated"),
    "frequentist.tukey_hsd": lambda t: frequentist.tukey_hsd(_folds(t), kind="repeated"),
    "frequentist.fisher_lsd": lambda t: frequentist.fisher_lsd(_folds(t), kind="one-way"),
    "frequentist.bonferroni_dunn_test": lambda t: frequentist.bonferroni_dunn_test(_named(t), control="m0"),
    "frequentist.pairwise_ttest": lambda t: frequentist.pairwise_ttest(_folds(t)),
    "frequentist.hotelling_test": lambda t: frequentist.hotelling_test(t[:, :2], t[:, 1:3]),
    "frequentist.manova": lambda t: frequentist.manova({"m0": t[:, :2], "m1": t[:, 1:3]}),
    "frequentist.recommend": lambda t: frequentist.recommend(Scores.from_arrays(_named(t))),
    "compare": lambda t: bc.compare(
        Scores.from_arrays(_named(t)), rope=0.25, random_seed=1, bayes_options={"draws": 64}
    ),
} | {
    f"frequentist.{name}": (lambda function: lambda t: function(_named(t)))(getattr(frequentist, name))
    for name in (
        "friedman_aligned_ranks_test friedman_test iman_davenport_test kendalls_w kruskal_wallis_test nemenyi_test "
        "pairwise_wilcoxon_test quade_test"
    ).split()
}
"""name -> function of a table, blocks x models."""

_RNG = np.random.default_rng(1)
_A, _B = _RNG.normal(0.8, 0.05, (2, 10))
_TABLE = _RNG.normal(0.8, 0.05, (8, 3))
_S, _F = Scores.from_arrays(_named(_TABLE)), _folds(_TABLE)
_R1, _R2 = _RNG.integers(0, 2, (2, 20))
_PAIR, _SEED = {"a": _A, "b": _B}, {"random_seed": 1}

ARGUMENTS = (
    {
        name: _PAIR | ({"rope": 0.01} if name.startswith("bayes.") else {})
        for name in TWO
        if "signed_rank" not in name and "bootstrap" not in name
    }
    | {name: {"scores": _S} for name in MANY if name.startswith("frequentist.")}
    | {
        "bayes.correlated_ttest": _PAIR | {"rope": 0.01, "resampling": QUARTER},
        "bayes.signed_rank_test": _PAIR | {"rope": 0.01, "draws": 64} | _SEED,
        "bayes.signed_rank_tests": {"pairs": [_S.pair("m0", "m1")], "rope": 0.01, "draws": 64} | _SEED,
        "bayes.hierarchical_ttest": {"a": _TABLE.T, "b": _TABLE.T[::-1], "rope": 0.01, "resampling": QUARTER},
        "bayes.rank_models": {"scores": _S, "rope": 0.01, "draws": 64} | _SEED,
        "bayes.bradley_terry": {"scores": _S, "rope": 0.01, "draws": 4000} | _SEED,
        "bayes.plackett_luce": {"scores": _S, "draws": 4000} | _SEED,
        "bayes.hdi": {"posterior": _A},
        "compare": {"scores": _S, "rope": 0.01, "bayes_options": {"draws": 64}} | _SEED,
        "frequentist.adjust_p_values": {"p_values": [0.1, 0.2, 0.3], "method": "holm"},
        "frequentist.anova": {"scores": _F, "kind": "repeated"},
        "frequentist.tukey_hsd": {"scores": _F, "kind": "repeated"},
        "frequentist.fisher_lsd": {"scores": _F, "kind": "repeated"},
        "frequentist.binomial_test": {"errors": 3, "n": 10, "p0": 0.5},
        "frequentist.bonferroni_dunn_test": {"scores": _S, "control": "m0"},
        "frequentist.bootstrap_interval": _PAIR | {"resamples": 99} | _SEED,
        "frequentist.cochran_q_test": {"right": {"a": _R1, "b": _R2, "c": _R1 * _R2}},
        "frequentist.corrected_ttest": _PAIR | {"resampling": QUARTER},
        "frequentist.cv5x2_ftest": _PAIR | {"resampling": FIVE_BY_TWO},
        "frequentist.cv5x2_ttest": _PAIR | {"resampling": FIVE_BY_TWO},
        "frequentist.rxk_cv_ttest": _PAIR | {"resampling": FIVE_BY_TWO},
        "frequentist.difference_interval": _PAIR | {"corrected": False},
        "frequentist.hoeffding_half_width": {"n": 10},
        "frequentist.hoeffding_sample_size": {"epsilon": 0.1},
        "frequentist.hotelling_test": {"a": _TABLE[:, :2], "b": _TABLE[:, 1:]},
        "frequentist.manova": {"models": {"m0": _TABLE[:, :2], "m1": _TABLE[:, 1:]}},
        "frequentist.mcnemar_test": {"right_a": _R1, "right_b": _R2},
        "frequentist.per_instance_ttest": {"right_a": _R1, "right_b": _R2},
        "frequentist.mean_interval": {"scores": _A},
        "frequentist.pairwise_ttest": {"scores": _F},
        "frequentist.permutation_test": _PAIR | {"resamples": 99} | _SEED,
        "frequentist.power_curve": {"effects": [0.5], "n": [10]},
        "frequentist.power_mcnemar": {"p_only_a": 0.1, "p_only_b": 0.2, "n": 50},
        "frequentist.power_sign_test": {"p_win": 0.6, "n": 20},
        "frequentist.power_ttest": {"effect": 0.5, "n": 20},
        "frequentist.power_wilcoxon": {"effect": 0.5, "n": 20, "simulations": 100} | _SEED,
        "frequentist.proportion_difference_interval": {"errors_a": 3, "n_a": 10, "errors_b": 4, "n_b": 12},
        "frequentist.proportion_interval": {"errors": 3, "n": 10},
        "frequentist.tost_ttest": _PAIR | {"rope": 0.01, "corrected": False},
    }
)
"""name -> arguments of a call that works."""

NOT_CALLED = {"bayes.multilevel", "bayes.pymc_model"}
"""Run PyMC: test_multilevel and test_nuts have them."""


def public_functions():
    """name -> function, of both schools, and compare."""
    found = {"compare": bc.compare}
    for school in (bayes, frequentist):
        room = school.__name__.rsplit(".", 1)[-1]
        found |= {f"{room}.{n}": f for n in school.__all__ if inspect.isfunction(f := getattr(school, n))}
    return found
