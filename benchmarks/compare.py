"""compare() of many models beside autorank's Bayesian mode, and how it grows with pairs and datasets."""

import subprocess
import sys
import time
import warnings
from contextlib import redirect_stdout
from functools import partial
from io import StringIO

import numpy as np
import pandas as pd
from _timing import seconds

import bayescmp as bc

PEER_MODELS = 4
BAYES = ("signed_rank", "sign")


def one_score(models: int, datasets: int) -> bc.Scores:
    rng = np.random.default_rng(1)
    arrays = {f"m{i}": rng.normal(0.8 + i / 2000, 0.03, datasets) for i in range(models)}
    return bc.Scores.from_arrays(arrays, metric="accuracy")


def with_folds(models: int, datasets: int, folds: int = 100) -> bc.Scores:
    rng = np.random.default_rng(2)
    level = rng.uniform(0.6, 0.95, (datasets, 1)) + rng.normal(0, 0.02, (datasets, folds))
    arrays = {
        f"m{i}": level + rng.normal(i / 2000, 0.02, (datasets, 1)) + rng.normal(0, 0.02, (datasets, folds))
        for i in range(models)
    }
    return bc.Scores.from_arrays(arrays, resampling=bc.Resampling.kfold(10, repeats=folds // 10), metric="accuracy")


def autorank_seconds(scores: bc.Scores) -> float:
    """autorank's Bayesian mode for a few models; it goes pair by pair, so that time grows with the pairs."""
    from autorank import autorank

    frame = pd.DataFrame(scores.values[:PEER_MODELS, :, 0].T, columns=list(scores.models[:PEER_MODELS]))

    def run() -> object:
        with warnings.catch_warnings(), redirect_stdout(StringIO()):
            warnings.simplefilter("ignore")
            return autorank(frame, alpha=0.05, verbose=False, approach="bayesian")

    return seconds(run, 1)


def classical(scores: bc.Scores) -> object:
    return bc.frequentist.pairwise_wilcoxon_test(scores), bc.frequentist.friedman_test(scores)


def main() -> None:
    scores = one_score(30, 120)
    ours = seconds(lambda: bc.compare(scores, rope=0.01, random_seed=1), 1)
    pairs, few = 435, PEER_MODELS * (PEER_MODELS - 1) // 2
    print(f"30 models x 120 datasets, one score each, all {pairs} pairs: {ours:.1f} s (both schools, 50,000 draws)")
    try:
        peer = autorank_seconds(scores) / few * pairs
        print(f"autorank, approach='bayesian': {peer:,.0f} s (extrapolated from {few} pairs), {peer / ours:.0f}x")
    except ImportError:
        print("autorank is not installed: no ratio")

    print(f"\n{'models':>8}{'datasets':>10}{'pairs':>8}{'signed rank':>14}{'sign':>10}{'tests':>10}")
    for models, datasets in ((10, 50), (30, 120), (30, 480), (60, 120)):
        s = one_score(models, datasets)
        signed, sign = (seconds(partial(bc.compare, s, rope=0.01, random_seed=1, bayes=b), 1) for b in BAYES)
        tests = seconds(partial(classical, s), 3) * 1e3
        pairs = models * (models - 1) // 2
        print(f"{models:>8}{datasets:>10}{pairs:>8}{signed:>12.2f} s{sign:>8.2f} s{tests:>7.1f} ms")

    folds = with_folds(30, 120)
    start = time.perf_counter()
    correlated = [bc.compare(folds.select(datasets=[d]), rope=0.01) for d in folds.datasets[:5]]
    one = (time.perf_counter() - start) / len(correlated)
    print(f"\ncorrelated t, 435 pairs on one dataset of 100 folds: {one:.2f} s")
    for n_jobs in (1, 2):
        took = seconds(partial(bc.compare, folds, rope=0.01, n_jobs=n_jobs), 1)
        print(f"hierarchical, 435 pairs x 120 datasets x 100 folds, n_jobs={n_jobs}: {took:.0f} s")
    print(memory())


def memory() -> str:
    """Peak memory of a fresh process: 200 models x 1,000 datasets, 19,900 pairs."""
    code = (
        "import sys, time; sys.path.insert(0, 'benchmarks'); import compare; import bayescmp as bc; s ="
        "compare.one_score(200, 1000); t = time.perf_counter(); bc.compare(s, rope=0.01, random_seed=1,"
        "bayes_options={'draws': 1000}); print(round(time.perf_counter() - t),"
        "open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    took, peak = done.stdout.split()
    return f"200 models x 1,000 datasets, 19,900 pairs, 1,000 draws: {took} s, peak {int(peak) // 1024} MB"


if __name__ == "__main__":
    main()
