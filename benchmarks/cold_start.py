"""From a cold start: importing bayescmp, its command line, and one test in a new process, beside baycomp and SciPy."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from _timing import Case, Process, Work

import bayescmp as bc

PEER = """
import sys
import numpy as np
from baycomp import two_on_single
scores = np.genfromtxt(sys.argv[1], delimiter=",", names=True)
print(two_on_single(scores["SVM"], scores["DT"], rope=0.01, runs=10))
"""
IMPORT = "from bayescmp import Scores, compare"  # `import bayescmp` alone loads nothing yet
ONE = "[.9,.8,.7,.9],[.8,.7,.7,.8]"
TEST = "test correlated-ttest {} SVM DT --rope 0.01 --resampling kfold:10x10 --metric error --lower-is-better"


def process(*arguments: str, needs: str = "bayescmp") -> Work:
    """Running Python with these arguments."""
    __import__(needs)
    return Process(arguments)


def results() -> str:
    path = Path(tempfile.gettempdir()) / "bayescmp_benchmark.csv"
    labour = bc.load_labour().select(models=["SVM", "DT"])
    np.savetxt(path, labour.values[:, 0].T, delimiter=",", header="SVM,DT", comments="")
    return str(path)


def small(models: int, datasets: int = 0) -> str:
    """A csv file of ten folds, or of one score per dataset."""
    path = Path(tempfile.gettempdir()) / f"bayescmp_benchmark_small_{models}_{datasets}.csv"
    rng = np.random.default_rng(models)
    of = "dataset" if datasets else "fold"
    rows = [f"model {m},{i},{rng.normal(0.8, 0.02):.4f}" for m in range(models) for i in range(1, (datasets or 10) + 1)]
    path.write_text("\n".join([f"model,{of},accuracy", *rows]), encoding="utf-8")
    return str(path)


def comparing(models: int, datasets: int = 0) -> Work:
    design = () if datasets else ("--resampling", "kfold:10")
    return process("-m", "bayescmp", "compare", small(models, datasets), "--rope", "0.01", *design)


ANSWER = (
    "import bayescmp as b; s = b.Scores.from_arrays({'A': [.9, .8, .7, .9], 'B': [.8, .7, .7, .8]}, metric='accuracy', "
    "resampling=b.Resampling.kfold(4)); print(b.compare(s, rope=.01))"
)


def cases() -> list[Case]:
    numpy = {"import numpy": lambda: process("-c", "import numpy")}
    one_call = (
        f"import bayescmp as b; b.bayes.correlated_ttest({ONE},rope=.01,resampling=b.Resampling.kfold(4)).p_better"
    )
    peer_call = (
        "import numpy as np, baycomp; baycomp.two_on_single(*map(np.array, [[.9,.8,.7,.9],[.8,.7,.7,.8]]), rope=.01)"
    )
    return [
        Case(
            "import of `Scores` and `compare`, new process",
            lambda: process("-c", IMPORT),
            {
                "baycomp": lambda: process("-c", "import baycomp", needs="baycomp"),
                "scipy.stats": lambda: process("-c", "import scipy.stats"),
            },
        ),
        Case(
            "one correlated t-test, new process",
            lambda: process("-c", one_call),
            {"baycomp": lambda: process("-c", peer_call, needs="baycomp")} | numpy,
            turns=9,
        ),
        Case("import to answer: `compare` of two models, new process", lambda: process("-c", ANSWER), numpy, turns=9),
        Case("command line: `compare` of a small csv, two models", lambda: comparing(2), numpy, turns=9),
        Case(
            "command line: `compare` of a small csv, three models",
            lambda: comparing(3),
            {"two models": lambda: comparing(2)} | numpy,
            turns=9,
        ),
        Case(
            "the same over 12 datasets, three models by the joint model",
            lambda: comparing(3, 12),
            {"two models": lambda: comparing(2, 12)} | numpy,
            turns=9,
        ),
        Case(
            "command line: correlated t-test of a csv file",
            lambda: process("-m", "bayescmp", *TEST.format(results()).split()),
            {"baycomp in a script": lambda: process("-c", PEER, results(), needs="baycomp")},
        ),
        Case("command line: `--help`", lambda: process("-m", "bayescmp", "--help"), numpy, turns=9),
    ]


def modules() -> list[tuple[str, int]]:
    """How many modules are loaded after some imports."""
    test = f"import bayescmp as b; b.bayes.correlated_ttest({ONE},rope=.01,resampling=b.Resampling.kfold(4))"
    lines = {"Python alone": "pass", "import numpy": "import numpy", IMPORT: IMPORT}
    lines |= {"bayescmp, one correlated t-test": test}
    lines |= {"import scipy.stats": "import scipy.stats", "import baycomp": "import baycomp"}
    found = []
    for what, line in lines.items():
        code = f"import sys; {line}; print(len(sys.modules))"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        if run.returncode == 0:
            found.append((what, int(run.stdout)))
    return found
