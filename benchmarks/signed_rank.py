"""The signed-rank and sign tests beside baycomp, in one run: 54 to 100,000 datasets, 50,000 draws; time and memory."""

import subprocess
import sys
from functools import partial

import numpy as np
from _timing import seconds

import bayescmp as bc

DRAWS = 50_000


def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return rng.normal(0.805, 0.03, n), rng.normal(0.8, 0.03, n)


def ours(n: int, draws: int = DRAWS) -> float:
    a, b = scores(n)
    return bc.bayes.signed_rank_test(a, b, rope=0.01, random_seed=1, draws=draws).p_better


def memory(n: int) -> str:
    """Peak memory of a fresh process that runs the test once."""
    code = (
        "import sys; sys.path.insert(0, 'benchmarks'); import signed_rank;"
        f"signed_rank.ours({n}, 1000); print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    )
    peak = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return f"{int(peak) // 1024}"


def main() -> None:
    import baycomp

    print(f"signed-rank test, {DRAWS:,} draws")
    print(f"{'datasets':>10}{'bayescmp':>12}{'baycomp':>24}{'ratio':>10}{'peak memory':>14}")
    for n, peer_draws, times in ((54, DRAWS, 5), (500, 2_000, 3), (5_000, 20, 3), (100_000, 0, 0)):
        draws = DRAWS if times else DRAWS // 50
        mine = seconds(partial(ours, n, draws), times or 1) * DRAWS / draws
        row = f"{n:>10,}{mine:>11.3f}s"
        if peer_draws:
            a, b = scores(n)
            peer = seconds(partial(baycomp.SignedRankTest.probs, b, a, rope=0.01, nsamples=peer_draws), min(times, 3))
            whole = peer * DRAWS / peer_draws
            note = "" if peer_draws == DRAWS else " (extrapolated)"
            row += f"{f'{whole:.1f}s{note}':>24}{whole / mine:>9,.0f}x"
        else:
            row += f"{'80 GB, not run':>24}{'':>10}"
        print(row + f"{memory(n):>11} MB")

    a, b = scores(54)
    exact = seconds(lambda: bc.bayes.sign_test(a, b, rope=0.01).p_better, 50)
    peer = seconds(lambda: baycomp.SignTest.probs(b, a, rope=0.01), 10)
    print(f"sign test: {exact * 1e3:.2f} ms, exact; baycomp's Monte Carlo {peer * 1e3:.1f} ms, {peer / exact:.0f}x")

    rng = np.random.default_rng(1)
    table = bc.Scores.from_arrays({f"m{i}": rng.normal(0.8 + i / 2000, 0.03, 120) for i in range(30)})
    pairs = list(table.pairs())
    together = seconds(lambda: bc.bayes.signed_rank_tests(pairs, rope=0.01, random_seed=1), 1)
    print(f"all {len(pairs)} pairs of 30 models on 120 datasets, {DRAWS:,} draws: {together:.1f} s")


if __name__ == "__main__":
    main()
