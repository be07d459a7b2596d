"""Every public function with arguments that fit it, and its numbers by name: what the property tests go through."""

import inspect
import json
import math
import tempfile
import traceback
import warnings
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp import Resampling, Scores, bayes, catalogue, frequentist, gates, planning, plots

OURS = (bc.DegenerateWarning, bc.ScaleWarning, bc.RepeatsWarning, bc.PriorWarning)
PROBABILITIES = ("common-language effect", "A12")
"""Effect sizes that mirror around one half."""

# multiples of 1/64, so that shifts and powers of two are exact, and ties are common
even = st.lists(st.integers(-96, 96).map(lambda i: i / 64), min_size=10, max_size=10).map(np.array)
wild = st.lists(
    st.one_of(
        st.floats(-1e300, 1e300),
        st.sampled_from([0.0, 1.0, -1.0, 5e-324, 1e-300, 1e300, 0.5, 0.5 + 2.0**-53, 0.1]),
    ),
    min_size=10,
    max_size=10,
).map(np.array)
ropes = st.sampled_from([0.0, 1 / 64, 0.25, 1.0, math.inf])

FILE = SimpleNamespace(read=lambda: "dataset,m0,m1\nx,0.5,0.25\ny,0.75,0.5\n")
"""A file object that can be read again and again."""

FIVE_BY_TWO, QUARTER = Resampling.kfold(2, repeats=5), Resampling.custom(0.25)


def _two(function, **options):
    return lambda a, b, rope, up: function(a, b, higher_is_better=up, **options)


def _test(test):
    """A test of the catalogue as a function of two arrays, a rope and the direction."""
    parameters = inspect.signature(test.call).parameters
    small = {"draws": 64, "resamples": 99} | ({"random_seed": 1} if test.seeded else {})
    options = {name: x for name, x in small.items() if name in parameters}
    options |= {"resampling": FIVE_BY_TWO} if test.needs_design and "resampling" in parameters else {}
    if "rope" not in parameters:
        return _two(test.call, **options)
    least = 0.5 if test.school == "frequentist" else 0.0  # a test of equivalence needs a rope
    return lambda a, b, rope, up: test.call(a, b, rope=rope or least, higher_is_better=up, **options)


OF_ARRAYS = [
    test for test in catalogue.entries() if not test.family and {"folds", "runs", "datasets"} & set(test.designs)
]
TWO = {
    **{f"{test.school}.{test.name}": _test(test) for test in OF_ARRAYS},
    "frequentist.difference_interval": _two(frequentist.difference_interval, corrected=False),
    "frequentist.bootstrap_interval": _two(frequentist.bootstrap_interval, resamples=99, random_seed=1),
} | {
    f"frequentist.{name}": _two(getattr(frequentist, name))
    for name in (
        "cliffs_delta cohens_d cohens_dav cohens_dz common_language hedges_g hodges_lehmann_interval rank_biserial "
        "raw_difference vargha_delaney"
    ).split()
}
"""name -> function of two arrays of ten scores, a rope and the direction."""


@dataclass(frozen=True)
class Table:
    """Scores of many models, blocks (datasets, or folds of one) x models, with all that can be turned."""

    values: np.ndarray
    models: tuple = ("m0", "m1", "m2")
    blocks: tuple = ()
    up: bool = True
    rope: float = 0.25

    @property
    def datasets(self):
        blocks = self.blocks or [f"d{i}" for i in range(len(self.values))]
        return Scores.from_arrays(self.columns, datasets=blocks, higher_is_better=self.up)

    @property
    def folds(self):
        return Scores.from_arrays(self.columns, resampling=QUARTER, higher_is_better=self.up)

    @property
    def columns(self):
        return dict(zip(self.models, self.values.T, strict=True))

    @property
    def draws(self):
        return {"rope": self.rope, "draws": 64, "random_seed": 1}


MANY = {
    "bayes.rank_models": lambda t: bayes.rank_models(t.datasets, **t.draws),
    "bayes.signed_rank_tests": lambda t: bayes.signed_rank_tests(
        [t.datasets.pair(*pair) for pair in combinations(t.models, 2)], **t.draws
    ),
    "compare": lambda t: bc.compare(t.datasets, rope=t.rope, random_seed=1, bayes_options={"draws": 64}),
    "frequentist.bonferroni_dunn_test": lambda t: frequentist.bonferroni_dunn_test(t.datasets, control="m0"),
    "frequentist.fisher_lsd": lambda t: frequentist.fisher_lsd(t.folds, kind="one-way"),
    "frequentist.pairwise_ttest": lambda t: frequentist.pairwise_ttest(t.folds),
} | {
    f"frequentist.{name}": (lambda f: lambda t: f(t.folds, kind="repeated"))(getattr(frequentist, name))
    for name in ("anova", "tukey_hsd")
} | {
    f"frequentist.{name}": (lambda f: lambda t: f(t.datasets))(getattr(frequentist, name))
    for name in (
        "friedman_aligned_ranks_test friedman_test iman_davenport_test kendalls_w kruskal_wallis_test nemenyi_test "
        "pairwise_wilcoxon_test quade_test recommend"
    ).split()
}  # fmt: skip
"""name -> function of a `Table`."""

_RNG = np.random.default_rng(1)
_A, _B = _RNG.normal(0.8, 0.05, (2, 10))
_TABLE = _RNG.normal(0.8, 0.05, (8, 3))
_S, _F = Table(_TABLE).datasets, Table(_TABLE).folds
_R1, _R2 = _RNG.integers(0, 2, (2, 20))
_CUBE = Scores.from_arrays(
    dict(zip("abc", _RNG.normal(0.8, 0.05, (3, 4, 5)), strict=True)), resampling=QUARTER, higher_is_better=True
)
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
        "bayes.multilevel": {"scores": _CUBE, "rope": 0.01, "prior": "exchangeable", "draws": 200} | _SEED,
        "bayes.pymc_model": {"name": "multilevel", "pair": _CUBE},
        "bayes.hdi": {"posterior": _A},
        "compare": {"scores": _S, "rope": 0.01, "bayes_options": {"draws": 64}} | _SEED,
        "frequentist.adjust_p_values": {"p_values": [0.1, 0.2, 0.3], "method": "holm"},
        "frequentist.anova": {"scores": _F, "kind": "repeated"},
        "frequentist.contrast_test": {"scores": _S, "weights": {"m0": 1, "m1": -1}},
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
        "frequentist.detectable_difference": _PAIR,
        "frequentist.difference_interval": _PAIR | {"corrected": False},
        "frequentist.e_test": {"wins": 3, "losses": 10},
        "frequentist.hoeffding_half_width": {"n": 10},
        "frequentist.hoeffding_sample_size": {"epsilon": 0.1},
        "frequentist.hotelling_test": {"a": _TABLE[:, :2], "b": _TABLE[:, 1:]},
        "frequentist.manova": {"models": {"m0": _TABLE[:, :2], "m1": _TABLE[:, 1:]}},
        "frequentist.mcnemar_test": {"right_a": _R1, "right_b": _R2},
        "frequentist.per_instance_ttest": {"right_a": _R1, "right_b": _R2},
        "frequentist.tost_mcnemar": {"right_a": _R1, "right_b": _R2, "rope": 0.1},
        "frequentist.paired_proportions_interval": {"right_a": _R1, "right_b": _R2},
        "bayes.mcnemar_test": {"a": _R1, "b": _R2, "rope": 0.01},
        "bayes.per_instance_ttest": _PAIR | {"rope": 0.01},
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
        "frequentist.rank_table": {"scores": _S},
        "frequentist.signed_rank_table": _PAIR,
        "frequentist.tost_ttest": _PAIR | {"rope": 0.01, "corrected": False},
    }
)
"""name -> arguments of a call that works."""


INSPECT_LOG = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
INSPECT_LOG["samples"] = [{"id": 1, "scores": {"match": {"value": "C"}}}]
EXACT_MATCH = {"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": 1}


def _logs(name, content):
    """The path of a log of one model and one item, with what must stand beside it."""
    folder = Path(tempfile.mkdtemp())
    results = {"results": {"t": {"acc,none": 1.0}}, "model_name": "m"}
    (folder / "results_2026-03-01T10-00-00.json").write_text(json.dumps(results))
    (folder / "run_spec.json").write_text(json.dumps({"name": "t:model=m", "adapter_spec": {"model": "m"}}))
    (folder / name).write_text(json.dumps(content))
    return str(folder / name)


def other_calls():
    """name -> (function, arguments that fit it): figures, methods of results, and what makes scores and settings."""
    pair, two = (
        _S.pair("m0", "m1"),
        Scores.from_arrays({"m0": _A, "m1": _B}, resampling=QUARTER, higher_is_better=True).pair("m0", "m1"),
    )
    difference = bayes.correlated_ttest(two, rope=0.01)
    region = bayes.sign_test(pair, rope=0.01)
    few = _CUBE.pair("a", "b")
    hierarchical = bayes.hierarchical_ttest(few, rope=0.01)
    ranking = bayes.rank_models(_S, rope=0.01, draws=64, random_seed=1)
    tests = frequentist.nemenyi_test(_S)
    comparison = bc.compare(_S, rope=0.01, random_seed=1, bayes_options={"draws": 64})
    frame = pd.DataFrame({"model": [*"aabb"], "dataset": ["x", "y"] * 2, "score": [0.1, 0.2, 0.3, 0.4]})
    fold_scores = {"test_score": _A}
    truth = {"mean": 0.02, "sd": 0.02}
    search = {"params": [{"C": 1}, {"C": 2}], "split0_test_score": [0.1, 0.2], "split1_test_score": [0.3, 0.2]}
    with warnings.catch_warnings(action="ignore", category=bc.ConvergenceWarning):
        joint = bayes.multilevel(_CUBE, rope=0.01, chains=2, draws=20, tune=5, random_seed=1)
    figures = {
        "plot_critical_difference": tests,
        "plot_forest": hierarchical,
        "plot_hdi": difference,
        "plot_matrix": comparison,
        "plot_multi_comparison": comparison,
        "plot_p_best": ranking,
        "plot_posterior": difference,
        "plot_prior_sensitivity": region,
        "plot_rank_distribution": ranking,
        "plot_ranking_groups": ranking,
        "plot_rope_curve": difference,
        "plot_shrunken": joint,
        "plot_simplex": region,
    }
    bound = [
        *(getattr(difference, name) for name in ("hdi", "draws", "decision", "to_arviz", "plot", "sentence")),
        *(getattr(region, name) for name in ("theta_hdi", "draws", "decision", "to_arviz", "plot")),
        *(getattr(hierarchical, name) for name in ("hdi", "datasets_frame", "predictive_check")),
        *(getattr(ranking, name) for name in ("draws", "rank_hdi", "plot")),
        *(getattr(comparison, name) for name in ("table", "to_latex", "to_markdown", "rope_curve", "plot")),
        _S.select,
    ]
    return {
        **{f"plots.{name}": (getattr(plots, name), {"result": result}) for name, result in figures.items()},
        "plots.plot_differences": (plots.plot_differences, {"pair": pair}),
        "plots.plot_agreement": (
            plots.plot_agreement,
            {"result": bayes.mcnemar_test(counts=(80, 12, 5, 3), rope=0.01)},
        ),
        "plots.plot_intervals": (plots.plot_intervals, {"scores": _S}),
        "plots.plot_estimation": (plots.plot_estimation, {"pair": pair, "posterior": difference}),
        "plots.plot_scores": (plots.plot_scores, {"scores": _S}),
        "plots.plot_power": (plots.plot_power, {"curve": frequentist.power_curve([0.5], [5, 10])}),
        "plots.plot_result": (plots.plot_result, {"result": difference, "kind": "hdi"}),
        "plots.alt_text": (plots.alt_text, {"result": difference}),
        "plots.plot_plan": (
            plots.plot_plan,
            {"result": planning.design("sign_test", truth=truth, rope=0.01, n=[5, 9])},
        ),
        "planning.design": (planning.design, {"test": "sign_test", "truth": truth, "rope": 0.01, "n": 5}),
        "planning.assurance": (
            planning.assurance,
            {"test": "sign_test", "truth": truth, "rope": 0.01, "n": 5, "random_seed": 1},
        ),
        "planning.plan": (
            planning.plan,
            {"pair": pair, "test": "sign_test", "rope": 0.01, "more": 5, "simulations": 10, "random_seed": 1},
        ),
        "planning.looks": (planning.looks, {"rope": 0.01, "at": [5, 9], "simulations": 10, "random_seed": 1}),
        "gates.gate": (gates.gate, {"scores": _S, "baseline": "m0", "candidate": "m1", "rope": 0.01, "random_seed": 1}),
        "gates.Rule": (gates.Rule, {"rope": bc.Rope(-1, 1)}),
        "gates.side_by_side": (
            gates.side_by_side,
            {"baseline": _S.select(models=["m0"]), "candidate": _S.select(models=["m1"])},
        ),
        "Comparison.plan": (comparison.plan, {"more": 5, "simulations": 10}),
        **{f"{type(method.__self__).__name__}.{method.__name__}": (method, {}) for method in bound},
        **{
            f"{type(result).__name__}.{name}": (getattr(result, name), {"rope": 0.02})
            for result in (difference, region, ranking)
            for name in ("with_rope",)
        },
        **{f"DifferencePosterior.{name}": (getattr(difference, name), {"x": 0.0}) for name in ("cdf", "pdf", "sf")},
        "DifferencePosterior.ppf": (difference.ppf, {"q": 0.5}),
        "DifferencePosterior.rope_curve": (difference.rope_curve, {"ropes": [0, 0.1]}),
        "RegionPosterior.rope_curve": (region.rope_curve, {"ropes": [0, 0.1]}),
        "RankingPosterior.p_better": (ranking.p_better, {"a": "m0", "b": "m1"}),
        "PairwiseTests.result": (tests.result, {"a": "m0", "b": "m1"}),
        "Comparison.pair": (comparison.pair, {"a": "m0", "b": "m1"}),
        "Comparison.ranking_posterior": (comparison.ranking_posterior, {"draws": 64}),
        "TestResult.confidence_interval": (frequentist.paired_ttest(_A, _B).confidence_interval, {}),
        "Scores.from_frame": (Scores.from_frame, {"frame": frame, "metric": "accuracy"}),
        "Scores.from_arrays": (
            Scores.from_arrays,
            {"arrays": {"a": [1, 2], "b": [2, 1]}, "datasets": 2, "metric": "accuracy"},
        ),
        "Scores.from_cross_validate": (
            Scores.from_cross_validate,
            {"results": {"a": fold_scores, "b": fold_scores}, "cv": 10, "metric": "accuracy"},
        ),
        "Scores.from_cv_results": (Scores.from_cv_results, {"search": search, "cv": 2, "metric": "accuracy"}),
        **{
            f"Scores.{read.__name__}": (read, {"path": _logs(name, content)})
            for read, name, content in (
                (Scores.from_lm_eval, "samples_t_2026-03-01T10-00-00.jsonl", {"doc_id": 0, "doc": {}, "acc": 1}),
                (Scores.from_inspect, "log.json", INSPECT_LOG),
                (Scores.from_helm, "per_instance_stats.json", [{"instance_id": "id0", "stats": [EXACT_MATCH]}]),
            )
        },
        "Scores.pair": (_S.pair, {"a": "m0", "b": "m1"}),
        "Scores.transform": (_S.transform, {"scale": "log"}),
        "Scores.rename": (_S.rename, {"names": {"m0": "x"}}),
        "Scores.drop": (lambda name: _S.drop(name), {"name": "m0"}),
        "read_scores": (bc.read_scores, {"path": FILE, "metric": "accuracy"}),
        "Rope": (bc.Rope, {"low": -1, "high": 1}),
        "Rope.of": (bc.Rope.of, {"rope": 1}),
        "Resampling.kfold": (Resampling.kfold, {"folds": 5}),
        "Resampling.subsampling": (Resampling.subsampling, {"n_train": 5, "n_test": 5, "repeats": 3}),
        "Resampling.holdout": (Resampling.holdout, {"n_train": 5, "n_test": 5}),
        "Resampling.from_sizes": (Resampling.from_sizes, {"n_train": [5, 5], "n_test": [5, 5]}),
        "Resampling.custom": (Resampling.custom, {"rho": 0.1}),
        "Resampling.leave_one_out": (Resampling.leave_one_out, {"n": 5}),
        "Resampling.bootstrap": (Resampling.bootstrap, {"n": 5, "repeats": 3}),
        "Resampling.blocked": (Resampling.blocked, {"blocks": 5}),
        "Resampling.items": (Resampling.items, {"samples": 2}),
        "bayes.HierarchicalPrior": (
            bayes.HierarchicalPrior,
            {"delta_0_bound": 1, "sigma_0_max": 1, "sigma_max": 1},
        ),
        "bayes.MultilevelPrior": (bayes.MultilevelPrior, {"effects_scale": 1, "between_max": 1}),
        **{
            f"{kind.__name__}.from_dict": (kind.from_dict, {"data": result.to_dict()})
            for kind, result in (
                (bayes.Posterior, difference),
                (bayes.RankingPosterior, ranking),
                (bc.Comparison, comparison),
                (frequentist.PairwiseTests, tests),
                (frequentist.TestResult, frequentist.paired_ttest(_A, _B)),
                (Scores, _S),
                (Resampling, QUARTER),
            )
        },
    }


def public_functions():
    """name -> function, of both schools, and compare."""
    found = {"compare": bc.compare}
    for school in (bayes, frequentist):
        room = school.__name__.rsplit(".", 1)[-1]
        found |= {f"{room}.{n}": f for n in school.__all__ if inspect.isfunction(f := getattr(school, n))}
    return found


def quietly(call, *arguments):
    """The result, with none of our warnings; None where the scores are refused by an error of ours."""
    with warnings.catch_warnings():
        for category in OURS:
            warnings.simplefilter("ignore", category)
        try:
            return call(*arguments)
        except bc.ScoresError:
            return None


def numbers(result):
    """name -> number, of any result; the sign of "signed" ones turns with the models."""
    if isinstance(result, bayes.Posterior):
        found = {"p_better": result.p_better, "p_equivalent": result.p_equivalent, "p_worse": result.p_worse}
        if isinstance(result, bayes.RegionPosterior):
            found |= dict(
                zip(("share_better", "share_equivalent", "share_worse"), result.expected.values(), strict=True)
            )
        if getattr(result, "mean", None) is not None:
            low, high = result.hdi()
            found |= {"signed mean": result.mean, "low": low, "high": high}
        return found
    if isinstance(result, frequentist.TestResult):
        found = {"p_value": result.p_value}
        if result.estimate is not None:
            found["signed estimate"] = result.estimate
        if result.interval is not None:
            found["low"], found["high"] = result.confidence_interval()
        return found
    if isinstance(result, frequentist.EffectSize):
        half = result.name in PROBABILITIES
        low, high = result.interval or (math.nan, math.nan)
        found = {"probability" if half else "signed value": result.value}
        return found | (
            {} if math.isnan(low) else {"p_low": low, "p_high": high} if half else {"low": low, "high": high}
        )
    if isinstance(result, frequentist.Interval):
        return {"signed estimate": result.estimate, "low": result.low, "high": result.high}
    return {}


def numbers_by_name(result, old=None):
    """name -> number, of a result over many models; `old` has the names to tell them by, where they have new ones.

    "p_" are probabilities, "score" is in the unit of the scores, "free" in none.
    """
    if isinstance(result, frequentist.Recommendation):
        return {f"free {name}": place for place, name in enumerate(result.functions())}
    if isinstance(result, frequentist.EffectSize):
        return {"free value": result.value} | dict(zip(("free low", "free high"), result.interval or (), strict=False))
    if isinstance(result, frequentist.TestResult):
        of_models = {f"free {_tell(m, old)}": x for m, x in result.details.get("mean_ranks", {}).items()}
        found = {"p_value": result.p_value, "free statistic": result.statistic} | of_models
        return found | ({"free effect": result.effect_size.value} if result.effect_size else {})
    if isinstance(result, bayes.RankingPosterior):
        columns = ("p_best", "p_within_rope", "expected_rank")
        found = {f"{c} {_tell(m, old)}": x for c in columns for m, x in getattr(result, c).items()}
        pairs = _sorted_pairs(result.models, old)
        return found | {f"p_better {_tell(a, old)} {_tell(b, old)}": result.p_better(a, b) for a, b in pairs}
    if isinstance(result, frequentist.PairwiseTests):
        found, ranks = {}, "rank" in result.estimate_name
        for a, b in _sorted_pairs(result.models, old):
            if result.control in (None, a, b):
                t, key = result.result(a, b), f"{_tell(a, old)} {_tell(b, old)}"
                found |= {f"p_value {key}": t.p_value, f"p_adjusted {key}": t.p_adjusted}
                found |= {f"free statistic {key}": t.statistic, f"{'free' if ranks else 'score'} {key}": t.estimate}
                found |= {f"free effect {key}": t.effect_size.value} if t.effect_size else {}
        return found
    if isinstance(result, list):
        return _of_pairs({(p.a, p.b): numbers(p) for p in result}, old)
    if isinstance(result, bc.Comparison):
        rows = {}
        for row, (a, b) in zip(result.table(full=True).to_dict("records"), result.pair_names, strict=True):
            free = {name: row[name] for name in ("p_better", "p_equivalent", "p_worse", "p_value", "p_adjusted")}
            rows[a, b] = free | {"signed mean": row["mean"], "signed effect": row["effect_size"]}
        found = _of_pairs(rows, old)
        return found | {f"p_value {t.method}": t.p_value for t in result.omnibus}
    return {}


def _tell(model, old):
    return (old or {}).get(model, model)


def _sorted_pairs(models, old):
    return combinations(sorted(models, key=lambda m: _tell(m, old)), 2)


def _of_pairs(rows, old):
    """The numbers of pairs in one order of the names, with those told the other way around mirrored."""
    found = {}
    for (a, b), row in rows.items():
        one, two = _tell(a, old), _tell(b, old)
        row = row if one < two else mirrored(row)
        kinds = {k: "score" if k in ("signed mean", "low", "high") else "free" for k in row if not k.startswith("p_")}
        found |= {f"{kinds.get(k, '')} {k} {min(one, two)} {max(one, two)}".strip(): x for k, x in row.items()}
    return found


def mirrored(found):
    """What the numbers must be with the models swapped."""
    turned = {}
    for name, x in found.items():
        if name.startswith("signed"):
            turned[name] = -x
        elif name in ("low", "high"):
            turned["high" if name == "low" else "low"] = -x
        elif name in ("p_low", "p_high"):
            turned["p_high" if name == "p_low" else "p_low"] = 1 - x
        elif name == "probability":
            turned[name] = 1 - x
        else:
            turned[name.replace("better", "#").replace("worse", "better").replace("#", "worse")] = x
    return turned


def same(one, two, tolerance=0.0):
    assert one.keys() == two.keys()
    for name in one:
        assert one[name] == pytest.approx(two[name], rel=tolerance, abs=tolerance), name


def there_and_back(result):
    back = type(result).from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    assert back == result
    return back


# ---- what does not belong there


class Odd:
    def __repr__(self):
        return "Odd()"


JUNK = [
    None, "x", "", b"x", math.nan, math.inf, -math.inf, -1, 0, 0.5, 1.5, 10**30, 10**400, 1e308, 1e-320, True, [], {},
    [[]], [None], ["x"], [math.nan], {"a": 1}, Odd(), np.array(3), np.zeros((0, 3)), np.zeros((2, 2, 2)), 1j,
    np.array(["a"]), (1,), {1, 2},
]  # fmt: skip
FREE = {"cache", "progress", "statistic", "n_jobs"}
"""Arguments that take anything, or write files."""


class Accepted(Exception):
    """In place of PyMC: all arguments were taken."""


def accepted(*_):
    raise Accepted


def refusal(function, arguments):
    """The error of a call; None where it works."""
    with warnings.catch_warnings():
        for category in OURS:
            warnings.simplefilter("ignore", category)
        try:
            function(**arguments)
        except Accepted:
            return None
        except Exception as error:
            return error
    return None


def is_ours(error):
    """Whether an error is one of bayescmp, raised by bayescmp."""
    raised_in = traceback.extract_tb(error.__traceback__)[-1]
    comparison = "truth value" in str(error)  # numpy's, from a comparison of ours
    return isinstance(error, ValueError) and "bayescmp" in raised_in.filename and not comparison
