"""`bayescmp test correlated-t` from a cold start, beside a Python process that imports baycomp and does the same.

The two take turns, so that both see the same load; the target is at most 0.8 of baycomp's time.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

import bayescmp as bc

TURNS = 15
PEER = """
import sys
import numpy as np
from baycomp import two_on_single
scores = np.genfromtxt(sys.argv[1], delimiter=",", names=True)
print(two_on_single(scores["SVM"], scores["DT"], rope=0.01, runs=10))
"""


def results(folder: str) -> str:
    path = str(Path(folder) / "results.csv")
    labour = bc.load_labour().select(models=["SVM", "DT"])
    np.savetxt(path, labour.values[:, 0].T, delimiter=",", header="SVM,DT", comments="")
    return path


def seconds(command: list[str]) -> tuple[float, float]:
    """Wall-clock time and processor time of one process."""
    before, start = os.times(), perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    wall, after = perf_counter() - start, os.times()
    return wall, sum(after[2:4]) - sum(before[2:4])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = results(folder)
        test = "test correlated-t results SVM DT --rope 0.01 --resampling kfold:10x10 --metric error --lower-is-better"
        commands = {
            "bayescmp": [sys.executable, "-m", "bayescmp", *test.replace("results", path).split()],
            "baycomp": [sys.executable, "-c", PEER, path],
            "bayescmp --help": [sys.executable, "-m", "bayescmp", "--help"],
        }
        laps: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(TURNS + 1):
            for name, command in commands.items():
                laps[name].append(seconds(command))
    wall, busy = ({name: median(lap[i] for lap in times[1:]) for name, times in laps.items()} for i in (0, 1))
    for name in commands:
        print(f"{name:16} {wall[name]:.3f} s, processor {busy[name]:.3f} s (median of {TURNS})")
    ratio, busy_ratio = (x["bayescmp"] / x["baycomp"] for x in (wall, busy))
    print(f"bayescmp / baycomp: {ratio:.2f} of the time, {busy_ratio:.2f} of the processor time; target at most 0.8")


if __name__ == "__main__":
    main()
