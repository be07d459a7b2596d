"""compare() of many models: all pairs, both schools; beside baycomp pair by pair and autorank's Bayesian mode."""

import os
import signal
import warnings
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from threading import Timer
from typing import Any, cast

import numpy as np
from _timing import Case, Growth, Limit, Work

import bayescmp as bc

MODELS, DATASETS, PAIRS, DRAWS = 30, 120, 435, 50_000
PEER_MODELS, PEER_DRAWS, FEWER_DRAWS = 3, 500, 100


def one_score(models: int, datasets: int) -> bc.Scores:
    rng = np.random.default_rng(1)
    arrays = {f"m{i}": rng.normal(0.8 + i / 2000, 0.03, (datasets, 1)) for i in range(models)}
    return bc.Scores.from_arrays(arrays, metric="accuracy")


def with_folds(models: int, datasets: int, folds: int = 100) -> bc.Scores:
    rng = np.random.default_rng(2)
    level = rng.uniform(0.6, 0.95, (datasets, 1)) + rng.normal(0, 0.02, (datasets, folds))
    arrays = {
        f"m{i}": level + rng.normal(i / 2000, 0.02, (datasets, 1)) + rng.normal(0, 0.02, (datasets, folds))
        for i in range(models)
    }
    return bc.Scores.from_arrays(arrays, resampling=bc.Resampling.kfold(10, repeats=folds // 10), metric="accuracy")


def signed_rank(models: int = MODELS, draws: int = DRAWS, bayes: str | None = None) -> Work:
    scores = one_score(models, DATASETS)
    options: dict[str, Any] = {"bayes_options": {"draws": draws}} if bayes is None else {"bayes": bayes}
    return lambda: bc.compare(scores, rope=0.01, random_seed=1, n_jobs=1, **options)


def signed_rank_kernel() -> Work:
    """The tests of pairs that are ready, without what compare does around them."""
    pairs = list(one_score(MODELS, DATASETS).pairs())
    return lambda: bc.bayes.signed_rank_tests(pairs, rope=0.01, draws=DRAWS, random_seed=1)


def one_dataset_ranking() -> Work:
    scores = with_folds(MODELS, 1, folds=5_000)
    return lambda: bc.bayes.rank_models(scores, rope=0.01, random_seed=1).p_best


def correlated(models: int = MODELS) -> Work:
    scores = with_folds(models, 1)
    return lambda: bc.compare(scores, rope=0.01, n_jobs=1)


def hierarchical(models: int, n_jobs: int = 1) -> Work:
    scores = with_folds(models, DATASETS)
    return lambda: bc.compare(scores, rope=0.01, n_jobs=n_jobs)


def on_dask(models: int, *, one_dies: bool = False) -> Work:
    """The same on a running Dask cluster of two worker processes, one of which may be killed after two seconds."""
    import distributed
    import joblib

    scores, dask = with_folds(models, DATASETS), cast(Any, distributed)
    client = dask.Client(dask.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None))
    client.wait_for_workers(2)
    first, *_ = client.run(os.getpid).values()

    def work() -> object:
        if one_dies:
            Timer(2, os.kill, (first, signal.SIGKILL)).start()
        with joblib.parallel_config(backend="dask"):
            return bc.compare(scores, rope=0.01)

    return work


def items(models: int = 100, n: int = 1136) -> bc.Scores:
    """Right and wrong of models on a test set, whose items are of different difficulty."""
    rng = np.random.default_rng(3)
    easy = rng.beta(2, 1, n)
    arrays = {f"m{i}": (rng.random(n) < np.clip(easy + i / 2000, 0, 1)).astype(float) for i in range(models)}
    return bc.Scores.from_arrays(arrays, metric="accuracy", resampling=bc.Resampling.items())


def all_items() -> Work:
    """All pairs, and P(best) of every model."""
    scores = items()
    return lambda: bc.compare(scores, rope=0.01, n_jobs=1).ranking_posterior().p_best


def item_table() -> Work:
    """The table of all pairs, one HDI each, from the scores."""
    scores = items()
    return lambda: bc.compare(scores, rope=0.01, n_jobs=1).table()


def correlated_table() -> Work:
    scores = with_folds(MODELS, 1)
    return lambda: bc.compare(scores, rope=0.01, n_jobs=1).table()


def ranking() -> Work:
    scores = one_score(MODELS, DATASETS)
    return lambda: bc.bayes.rank_models(scores, rope=0.01, random_seed=1).p_best


def joint(models: int, datasets: int, engine: str = "collapsed") -> Work:
    """One joint model; by NUTS with 2 chains of 500 + 500 draws, with compiling it."""
    scores = with_folds(models, datasets)
    short: dict[str, Any] = {"draws": 500, "tune": 500, "chains": 2, "cores": 1, "progressbar": False}
    options = short if engine == "nuts" else {}

    def work() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bc.bayes.multilevel(scores, rope=0.01, engine=engine, random_seed=1, **options)

    return work


def baycomp_signed_rank(draws: int = PEER_DRAWS) -> Work:
    """A hundredth of the draws of one pair, or fewer."""
    import baycomp

    a, b = one_score(2, DATASETS).values[:, :, 0]
    return lambda: baycomp.SignedRankTest.probs(b, a, rope=0.01, nsamples=draws)


def autorank_bayesian() -> Work:
    """All that autorank does for a few models; it goes pair by pair, so that its time grows with the pairs."""
    import pandas as pd
    from autorank import autorank

    scores = one_score(PEER_MODELS, DATASETS)
    frame = pd.DataFrame(scores.values[:, :, 0].T, columns=list(scores.models))

    def work() -> object:
        with warnings.catch_warnings(), redirect_stdout(StringIO()):
            warnings.simplefilter("ignore")
            return autorank(frame, alpha=0.05, verbose=False, approach="bayesian")

    return work


def baycomp_correlated() -> Work:
    import baycomp

    x = with_folds(MODELS, 1).values[:, 0]
    return lambda: [
        baycomp.two_on_single(x[i], x[j], rope=0.01, runs=10) for i in range(MODELS) for j in range(i + 1, MODELS)
    ]


def bradley_terry() -> Work:
    scores = one_score(8, DATASETS)
    return lambda: bc.bayes.bradley_terry(scores, rope=0.01, random_seed=1)


def testkit_bradley_terry() -> Work:
    import pandas as pd
    from btk import BBTTest

    scores = one_score(8, DATASETS)
    frame = pd.DataFrame(scores.values[:, :, 0].T, columns=list(scores.models)).assign(dataset=range(DATASETS))
    options = {"draws": 500, "tune": 500, "chains": 2, "cores": 1, "progressbar": False, "random_seed": 1}
    return lambda: BBTTest(absolute_tie_threshold=0.01).fit(frame, dataset_col="dataset", **options)


def weights() -> Work:
    """The random weights, which all pairs share."""
    result: Any = bc.bayes.signed_rank_test(one_score(2, DATASETS).pair("m0", "m1"), rope=0.01, random_seed=1)
    return lambda: [None for _ in result.inference._blocks()]


def cases() -> list[Case]:
    few = PEER_MODELS * (PEER_MODELS - 1) // 2
    return [
        Case(
            f"compare, signed-rank, {PAIRS} pairs x {DATASETS} datasets",
            signed_rank,
            {"baycomp": baycomp_signed_rank, "autorank, Bayesian": autorank_bayesian},
            turns=2,
            share={"baycomp": PEER_DRAWS / DRAWS / PAIRS, "autorank, Bayesian": few / PAIRS},
            less={"baycomp": (partial(baycomp_signed_rank, FEWER_DRAWS), FEWER_DRAWS / DRAWS / PAIRS)},
        ),
        Case(
            f"signed_rank_tests, {PAIRS} pairs x {DATASETS} datasets",
            signed_rank_kernel,
            {"baycomp": baycomp_signed_rank},
            turns=2,
            share={"baycomp": PEER_DRAWS / DRAWS / PAIRS},
            less={"baycomp": (partial(baycomp_signed_rank, FEWER_DRAWS), FEWER_DRAWS / DRAWS / PAIRS)},
        ),
        Case("rank_models, 30 models on one dataset, 5,000 folds", one_dataset_ranking, turns=2),
        Case("joint model, 8 models x 24 datasets x 100", partial(joint, 8, 24), turns=3),
        Case(
            "joint model, 4 models x 12 datasets x 100",
            partial(joint, 4, 12),
            {"our NUTS": partial(joint, 4, 12, "nuts")},
            turns=1,
        ),
        Case(
            f"joint model, {MODELS} models x {DATASETS} datasets x 100, wall",
            partial(joint, MODELS, DATASETS),
            once=True,
        ),
        Case(
            f"joint model, 100 exchangeable models x {DATASETS} datasets x 100, wall",
            partial(joint, 100, DATASETS),
            once=True,
        ),
        Case(f"compare, sign, {PAIRS} pairs x {DATASETS} datasets", partial(signed_rank, bayes="sign_test"), turns=3),
        Case(
            f"compare, correlated t, {PAIRS} pairs x 100 folds",
            correlated,
            {"baycomp": baycomp_correlated},
            turns=15,
        ),
        Case(f"the same with its table, {PAIRS} pairs x 100 folds", correlated_table, turns=5),
        Case("compare, items, 4,950 pairs x 1,136 items, with P(best)", all_items, turns=3),
        Case("the same with its table, 4,950 pairs x 1,136 items", item_table, turns=2),
        Case(f"compare, hierarchical, 15 pairs x {DATASETS} datasets x 100 folds", partial(hierarchical, 6), turns=2),
        *(
            Case(
                f"compare, hierarchical, {PAIRS} pairs x {DATASETS} datasets x 100 folds, {how}, wall", make, once=True
            )
            for how, make in (
                ("1 process", partial(hierarchical, MODELS)),
                ("2 workers", partial(hierarchical, MODELS, n_jobs=2)),
                ("2 Dask workers", partial(on_dask, MODELS)),
                ("2 Dask workers, one killed", partial(on_dask, MODELS, one_dies=True)),
            )
        ),
        Case(f"rank_models, {MODELS} models x {DATASETS} datasets", ranking, turns=3),
        Case(
            f"bradley_terry, 8 models x {DATASETS} datasets",
            bradley_terry,
            {"bayes-testkit": testkit_bradley_terry},
            turns=1,
        ),
    ]


def growths() -> list[Growth]:
    def few_draws(models: int) -> Work:
        return signed_rank(models, 2_000)

    return [
        Growth("compare, signed-rank, 120 datasets, 2,000 draws", "models", (12, 24, 48, 96), few_draws, turns=2),
        Growth("compare, correlated t, 100 folds", "models", (8, 16, 32, 64), correlated),
        Growth("compare, hierarchical, 120 datasets", "models", (3, 4, 6), hierarchical, turns=2),
    ]


def limits() -> list[Limit]:
    what = f"compare, signed-rank, {PAIRS} pairs x {DATASETS} datasets"
    return [Limit(what, signed_rank, "random weights, shared by all pairs", weights, turns=2)]
