"""The hierarchical test: quadrature beside our own NUTS and, where pystan is installed, baycomp's Stan test.

54 datasets x 100 scores, rope 0.01; cold (a new process, imports included), warm, and scaling to 1,000 datasets.
"""

import subprocess
import sys
from time import perf_counter

import numpy as np
from _timing import seconds

import bayescmp as bc


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


def main() -> None:
    pair = study(54)
    code = "import sys; sys.path.insert(0, 'benchmarks'); import hierarchical as h; h.fit(h.study(54))"
    cold = seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), 3)
    exact = fit(pair)
    warm = seconds(lambda: fit(pair), 7)
    error = bc.bayes.hierarchical_ttest(pair, rope=0.01).numerical_error
    print(f"collapsed, 54 x 100: {warm * 1e3:.0f} ms warm, {cold:.1f} s in a new process; error estimate {error:.1e}")
    print("scaling:", ", ".join(f"{n} datasets {_scaled(n) * 1e3:.0f} ms" for n in (54, 200, 1000)))

    start = perf_counter()
    sampled = bc.bayes.hierarchical_ttest(
        pair, rope=0.01, engine="nuts", random_seed=1, draws=1000, tune=1000, chains=4, progressbar=False
    )
    nuts = perf_counter() - start
    d = sampled.diagnostics
    assert d is not None
    print(
        f"our NUTS, 4 x (1,000 + 1,000): {nuts:.0f} s, {nuts / warm:.0f}x slower; r_hat {d.r_hat:.3f}, "
        f"{d.divergences} divergences, ess {d.ess_bulk:.0f}"
    )
    gap = max(abs(exact[k] - sampled.probabilities[k]) / sampled.mcse[k] for k in exact)
    print(f"largest difference of a probability: {gap:.1f} Monte-Carlo errors")
    _baycomp(pair, warm, cold)


def _scaled(n: int) -> float:
    pair = study(n)
    fit(pair)
    return seconds(lambda: fit(pair), 3)


def _baycomp(pair: bc.Pair, warm: float, cold: float) -> None:
    try:
        import stan  # noqa: F401
    except ImportError:
        print("baycomp's hierarchical test needs pystan, which is not installed: skipped")
        return
    import baycomp

    start = perf_counter()
    theirs = baycomp.HierarchicalTest.probs(pair.scores_b, pair.scores_a, rope=0.01, runs=10)
    peer = perf_counter() - start
    print(f"baycomp (Stan): {peer:.0f} s, {peer / warm:,.0f}x slower than warm, {peer / cold:.0f}x than cold: {theirs}")


if __name__ == "__main__":
    main()
