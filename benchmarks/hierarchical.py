"""The hierarchical test, 54 datasets x 100 scores: quadrature beside our own NUTS and baycomp's Stan."""

import sys
from functools import partial
from typing import Any

import numpy as np
from _timing import Case, Growth, Limit, Process, Work

import bayescmp as bc

NUTS = {"draws": 500, "tune": 500, "chains": 2, "cores": 1, "progressbar": False}
LIMIT = "hierarchical test, 54 x 100"


def study(datasets: int, seed: int = 1) -> bc.Pair:
    """Differences of 10 x 10-fold CV, correlated 0.1 within a dataset, around Student effects."""
    rng = np.random.default_rng(seed)
    deltas = 0.005 + 0.015 * rng.standard_t(4, (datasets, 1))
    spread = rng.uniform(0.01, 0.05, (datasets, 1))
    folds = np.sqrt(0.1) * rng.standard_normal((datasets, 1)) + np.sqrt(0.9) * rng.standard_normal((datasets, 100))
    b = rng.uniform(0.6, 0.95, (datasets, 1)) + 0.02 * rng.standard_normal((datasets, 100))
    scores = bc.Scores.from_arrays(
        {"a": b + deltas + spread * folds, "b": b}, resampling=bc.Resampling.kfold(10, repeats=10), metric="accuracy"
    )
    return scores.pair("a", "b")


def fit(pair: bc.Pair) -> dict[str, float]:
    return bc.bayes.hierarchical_ttest(pair, rope=0.01).probabilities


def warm(datasets: int) -> Work:
    return partial(fit, study(datasets))


def sixteen() -> Work:
    """Several studies, because some of them need a finer grid."""
    pairs = [study(54, seed) for seed in range(1, 17)]
    return lambda: [fit(pair) for pair in pairs]


def near_twins() -> Work:
    return partial(fit, bc.load_uci().pair("tree", "tree_pruned"))


def cold() -> Work:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import hierarchical as h; h.fit(h.study(54))"
    return Process(("-c", code, sys.path[0]))


def nuts() -> Work:
    """2 chains of 500 + 500 draws, one after the other, with compiling the model."""
    pair, options = study(54), dict[str, Any](NUTS)
    return lambda: bc.bayes.hierarchical_ttest(pair, rope=0.01, engine="nuts", random_seed=1, **options)


def stan() -> Work:
    import baycomp
    import stan  # noqa: F401

    pair = study(54)
    return lambda: baycomp.HierarchicalTest.probs(pair.scores_b, pair.scores_a, rope=0.01, runs=10)


def bare() -> Work:
    """The Student distribution functions and densities of one warm test, and nothing done with them."""
    from bayescmp.bayes.hierarchical import convolution, quadrature

    calls: list[tuple[Any, tuple[Any, ...]]] = []
    places = [(quadrature, "_thetas"), (quadrature, "winner_reach"), (quadrature, "log_student_of_square")]
    places += [(quadrature, "log_student"), (convolution, "log_student_of_square")]
    before = [getattr(module, name) for module, name in places]

    def recorded(function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            calls.append((function, arguments))
            return function(*arguments)

        return call

    pair = study(54)
    fit(pair)
    for (module, name), function in zip(places, before, strict=True):
        setattr(module, name, recorded(function))
    fit(pair)
    for (module, name), function in zip(places, before, strict=True):
        setattr(module, name, function)
    return lambda: [function(*arguments) for function, arguments in calls]


def cases() -> list[Case]:
    return [
        Case(
            "hierarchical test, 54 x 100, warm",
            partial(warm, 54),
            {"our own NUTS": nuts},
            turns=1,
        ),
        Case("hierarchical test, 54 x 100, 16 studies, warm", sixteen, turns=2),
        Case("hierarchical test, two near-equal trees on 24 datasets, warm", near_twins, turns=3),
        Case("hierarchical test, 54 x 100, new process", cold, {"baycomp with Stan": stan}, turns=1),
        Case("hierarchical test, 1,000 x 100, warm", partial(warm, 1000), turns=3),
    ]


def growths() -> list[Growth]:
    return [Growth("hierarchical test", "datasets", (50, 100, 200, 400, 800), warm)]


def limits() -> list[Limit]:
    return [Limit(LIMIT, partial(warm, 54), "Student densities and distribution functions", bare)]
