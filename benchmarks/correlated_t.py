"""The correlated t-test beside baycomp, in one run: a million experiments in one call, one call, and a cold process.

Prints ratios (median of several); the machine's own speed cancels out.
"""

import subprocess
import sys

import numpy as np
from _timing import seconds

import bayescmp as bc
from bayescmp.bayes.correlated_t import probabilities

EXPERIMENTS, FOLDS, PEER_EXPERIMENTS = 1_000_000, 100, 2_000


def cold(code: str) -> float:
    return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), times=5)


def main() -> None:
    import baycomp

    rng = np.random.default_rng(1)
    differences = rng.normal(0.01, 0.05, (EXPERIMENTS, FOLDS))
    ours = seconds(lambda: probabilities(differences, rho=0.1, rope=0.01), times=3) / EXPERIMENTS
    zeros = np.zeros(FOLDS)
    # two_on_single gives (left, rope, right) of x2 - x1
    peer = (
        seconds(
            lambda: [baycomp.two_on_single(zeros, row, rope=0.01, runs=10) for row in differences[:PEER_EXPERIMENTS]],
            times=3,
        )
        / PEER_EXPERIMENTS
    )
    worst = max(
        np.abs(np.array(baycomp.two_on_single(zeros, row, rope=0.01, runs=10))[::-1] - p).max()
        for row, p in zip(differences[:200], probabilities(differences[:200], rho=0.1, rope=0.01), strict=True)
    )
    print(f"{EXPERIMENTS:,} experiments of {FOLDS} folds in one call: {ours * EXPERIMENTS:.2f} s")
    print(f"  {peer / ours:,.0f}x faster an experiment than a loop over baycomp; largest difference {worst:.1e}")

    pair, a, b = bc.load_labour().pair("SVM", "DT"), *(bc.load_labour().values[[2, 0], 0])
    single = seconds(lambda: bc.bayes.correlated_ttest(pair, rope=0.01).p_better, times=200)
    peer_single = seconds(lambda: baycomp.two_on_single(a, b, rope=0.01, runs=10), times=200)
    print(
        f"one call: {single * 1e6:.0f} us, {peer_single / single:.1f}x faster than baycomp ({peer_single * 1e6:.0f} us)"
    )

    ours_cold = cold(
        "import bayescmp as bc; bc.bayes.correlated_ttest([.9,.8,.7,.9],[.8,.7,.7,.8],rope=.01,"
        "resampling=bc.Resampling.kfold(4)).p_better"
    )
    peer_cold = cold(
        "import numpy as np, baycomp; baycomp.two_on_single(np.array([.9,.8,.7,.9]),np.array([.8,.7,.7,.8]),rope=.01)"
    )
    print(f"cold process: {peer_cold / ours_cold:.1f}x faster than baycomp ({ours_cold:.2f} s vs {peer_cold:.2f} s)")


if __name__ == "__main__":
    main()
