"""Without PyMC, ArviZ, h5py, matplotlib or pandas the rest works, and what needs them says so in a sentence."""

import ast
import itertools
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bayescmp
from bayescmp import needs
from bayescmp.bayes import signed_rank

LABOUR = "bc.load_labour()"
PAIR = "bc.load_labour().pair('SVM', 'DT')"
UCI = "bc.load_uci().select(models=['rf', 'svm', 'gbm'])"
COMPARISON = f"bc.compare({LABOUR}, rope=0.01)"
CSV = "bc.read_scores(csv, metric='accuracy', resampling=bc.Resampling.kfold(10))"
CORE = {
    "read a csv": f"{CSV}",
    "exact test": f"print(bc.bayes.correlated_ttest({PAIR}, rope=0.01))",
    "hierarchical test": f"print(bc.bayes.hierarchical_ttest({UCI}.pair('rf', 'svm'), rope=0.01))",
    "frequentist test": f"print(bc.frequentist.wilcoxon_test({UCI}.pair('rf', 'svm')))",
    "compare": f"bc.compare({CSV}, rope=0.01).sentences()",
    "print": f"print({COMPARISON})",
    "gate": f"print(bc.gates.gate({LABOUR}, baseline='DT', candidate='SVM', rope=0.01))",
    "LaTeX": f"{COMPARISON}.to_latex()",
    "JSON": f"bc.Comparison.from_json({COMPARISON}.to_json())",
    "command line": "cli('test', 'correlated-ttest', 'bundled:labour', 'SVM', 'DT', '--rope', '0.01')",
}
"""What works without any of them, and loads none."""
NEEDING = {
    "table": (f"{COMPARISON}.table()", "pandas"),
    "Markdown report": (f"{COMPARISON}.report(folder / 'report.md')", "pandas"),
    "gate of two files": ("bc.gates.side_by_side(*one_each())", "pandas"),
    "command line, JSON": ("cli('compare', 'bundled:labour', '--rope', '0.01', '--format', 'json')", "pandas"),
    "HTML report": (f"{COMPARISON}.report(folder / 'report.html')", "matplotlib pandas"),
    "figure": (f"{COMPARISON}.plot()", "matplotlib"),
    "ArviZ": (f"bc.bayes.correlated_ttest({PAIR}, rope=0.01).to_arviz()", "arviz"),
    "PyMC model": (f"bc.bayes.pymc_model('sign_test', {UCI}.pair('rf', 'svm'), rope=0.01)", "pymc arviz"),
    "NUTS": (f"bc.bayes.correlated_ttest({PAIR}, rope=0.01, engine='nuts')", "pymc arviz"),
    "netCDF": (
        f"bc.bayes.correlated_ttest({PAIR}, rope=0.01).to_arviz().to_netcdf(str(folder / 'draws.nc'))",
        "h5py arviz",
    ),
}
"""What needs some of them, beside the core."""
PROGRAM = """
import contextlib, io, json, pathlib, sys, tempfile, warnings

class Without:
    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, *rest):
        return None if name.partition(".")[0] in absent else self.finder.find_spec(name, *rest)

absent, calls = json.loads(sys.argv[1])
sys.meta_path[:] = map(Without, sys.meta_path)
import bayescmp as bc

folder = pathlib.Path(tempfile.mkdtemp())
csv = folder / "scores.csv"
rows = [f"{m},{i},{0.8 + 0.01 * ((7 * i + k) % 5)}" for k, m in enumerate("ab") for i in range(10)]
csv.write_text("\\n".join(["model,fold,score", *rows]) + "\\n")

def cli(*arguments):
    from bayescmp.cli import main
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            main(arguments)
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"exit code {end.code}: {said.getvalue()}") from None

def one_each():
    return [bc.load_labour().select(models=[m]).rename({m: "model"}) for m in ("DT", "SVM")]

said = {}
for name, call in calls.items():
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(call)
            said[name] = "works"
        except Exception as error:
            said[name] = f"{type(error).__name__}: {error}"
print(json.dumps([said, [m for m in ("pymc", "arviz", "h5py", "matplotlib", "pandas", "numba") if m in sys.modules]]))
"""
GONE = {
    "pymc": ["pymc", "pytensor", "numba"],
    "arviz": ["arviz", "pymc"],
    "h5py": ["h5py"],
    "matplotlib": ["matplotlib"],
    "pandas": ["pandas"],
}


def outcomes(absent, calls):
    command = [sys.executable, "-c", PROGRAM, json.dumps([absent, calls])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("package", GONE)
def test_what_needs_a_missing_package_says_so_and_the_rest_works(package):
    needing = {name: call for name, (call, packages) in NEEDING.items() if package in packages.split()}
    said, loaded = outcomes(GONE[package], needing | {"the rest": CORE["exact test"]})
    assert said.pop("the rest") == "works"
    assert package not in loaded
    for words in said.values():
        assert words.startswith(("ImportError: ", "ModuleNotFoundError: ", "RuntimeError: exit code 2: Error: ")), words
        assert package in words
        assert "nstall" in words or package == "h5py"  # how to get it; the words about h5py are those of xarray


NONE = [*itertools.chain(*GONE.values()), "h5netcdf", "xarray"]


@pytest.mark.parametrize("absent", [[], NONE], ids=["all installed", "none installed"])
def test_the_core_works_without_any_of_them_and_loads_none(absent):
    assert outcomes(absent, CORE) == [dict.fromkeys(CORE, "works"), []]


def test_the_short_list_is_what_is_declared_less_what_may_be_missing():
    """The list for gates in docs/howto/install.md; pandas is on it."""
    root = Path(__file__).parents[1]
    page = (root / "docs" / "howto" / "install.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^pip install (numpy .*)$", page, re.M)
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {requirement.partition(">=")[0] for requirement in project["dependencies"]}
    assert set(listed.split()) == declared - (set(NONE) - {"pandas"})


def test_without_numba_the_signed_rank_test_of_many_pairs_runs_in_numpy(monkeypatch):
    """tests/test_signed_rank.py compares the two loops."""
    monkeypatch.setattr(signed_rank, "LEAST_WORK", 0)
    monkeypatch.setattr(signed_rank, "find_spec", {"numba": None}.get)
    monkeypatch.setattr(signed_rank, "kernel", pytest.fail)
    scores = bayescmp.load_domains()
    assert bayescmp.compare(scores, rope=1, bayes="signed_rank_test", random_seed=1).sentences()


def test_a_package_that_is_broken_inside_keeps_its_own_words(monkeypatch):
    def broken(name):
        raise ModuleNotFoundError("No module named 'inner'", name="inner")

    monkeypatch.setattr(needs, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="inner"):
        needs.pandas  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'polars'"):
        needs.polars  # noqa: B018


def test_nobody_imports_them_past_the_sentence():
    """`from bayescmp.needs import pandas as pd` in a function, not `import pandas as pd`."""
    allowed = {"needs.py", "files.py"}  # the reader of csv files does without
    for path in Path(bayescmp.__file__).parent.rglob("*.py"):
        if path.name in allowed:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
            for node in ast.walk(function):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                assert not {"pandas", "pymc", "arviz"} & set(names), f"{path.name}, {function.name}()"
