"""`bayescmp gate` and `bayescmp plan` as a shell runs them: exit codes, a line, JSON, a table, rules, broken files."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import bayescmp as bc

ROOT = Path(__file__).parents[1]


@pytest.fixture
def shell(tmp_path):
    """Run the program in a folder with a file for each of three bundled models."""
    scores = bc.load_labour()
    for model in scores.models:
        scores.select(models=[model]).to_frame().to_csv(tmp_path / f"{model}.csv", index=False)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "bayescmp", *map(str, arguments)],
            capture_output=True, encoding="utf-8", cwd=tmp_path, env=environment, check=False,
        )  # fmt: skip

    run.folder = tmp_path
    return run


def test_a_candidate_passes(shell):
    done = shell("gate", "DT.csv", "SVM.csv", "--rope", 0.02)
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    assert line.startswith("PASS: SVM vs DT: not worse (error rate (lower is better); P(not worse) = 0.98")


def test_a_candidate_is_worse(shell):
    done = shell("gate", "SVM", "DT", "--file", "bundled:labour", "--rope", 0, "--threshold", 0.9)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("FAIL: DT is worse than SVM")


def test_undecided_is_an_outcome_of_its_own(shell):
    arguments = ("gate", "SVM.csv", "DT.csv", "--rope", 0.01)
    done = shell(*arguments)
    assert done.returncode == 4, done.stderr
    assert "0.95 is needed" in done.stdout
    allowed = [option for name in ("better", "not worse", "undecided") for option in ("--pass", name)]
    assert shell(*arguments, *allowed).returncode == 0


def test_formats(shell):
    arguments = ("gate", "SVM.csv", "DT.csv", "--rope", 0.01, "--format")
    found = json.loads(shell(*arguments, "json").stdout)
    p = bc.bayes.correlated_ttest(bc.load_labour().pair("DT", "SVM"), rope=0.01)
    assert found["kind"] == "gate"
    assert found["verdict"] == "undecided"
    assert found["p_not_worse"] == pytest.approx(1 - p.p_worse)
    assert found["rule"]["rope"] == [-0.01, 0.01]
    assert shell(*arguments, "markdown").stdout.startswith("| DT against SVM | |\n|---|---|\n| verdict | **undecided**")


def test_broken_files_and_wrong_calls(shell):
    (shell.folder / "broken.csv").write_text("model,score\nSVM,high\n")
    (shell.folder / "rule.toml").write_text("rope = 0.01\nropes = 2\n")
    for arguments, words in (
        (("DT.csv", "broken.csv", "--rope", 0.01), "broken.csv"),
        (("DT.csv", "none.csv", "--rope", 0.01), 'no file "none.csv"'),
        (("DT.csv", "SVM.csv"), "Missing option '--rope'"),
        (("DT.csv",), "Missing argument 'CANDIDATE'"),
        (("DT.csv", "SVM.csv", "--rule", "rule.toml"), 'unknown "ropes"'),
        (("DT.csv", "SVM.csv", "--rule", "rule.toml", "--rope", 1), "decides: leave out --rope"),
        (("bundled:labour", "SVM.csv", "--rope", 0.01), "must have the scores of one model"),
        (("DT", "SMV", "--file", "bundled:labour", "--rope", 0.01), "SVM"),
    ):
        done = shell("gate", *arguments)
        assert done.returncode == 2, (arguments, done.stdout, done.stderr)
        assert words in done.stderr, (arguments, done.stderr)
        assert "Traceback" not in done.stderr


def test_a_rule_is_written_before_and_kept(shell):
    done = shell("gate", "DT.csv", "--rope", 0.02, "--write-rule")
    assert (done.returncode, done.stdout) == (0, "Wrote rule.toml.\n"), done.stderr
    assert "--overwrite" in shell("gate", "DT.csv", "--rope", 0.03, "--write-rule").stderr
    kept = shell("gate", "DT.csv", "SVM.csv", "--rule", "rule.toml")
    assert (kept.returncode, kept.stderr) == (0, "")
    other = shell("gate", "LR.csv", "SVM.csv", "--rule", "rule.toml")
    assert "are not those that the rule was written for" in other.stderr
    path = shell.folder / "rule.toml"
    path.write_text(path.read_text().replace("0.02", "0.2"))
    assert "the rule was changed after it was written" in shell("gate", "DT.csv", "SVM.csv", "--rule", path).stderr


def test_plans(shell):
    done = shell("plan", "bundled:labour", "--rope", 0.01, "--pair", "SVM", "DT", "--more", "100,300", "--seed", 1)
    assert done.returncode == 0, done.stderr
    expected = bc.planning.plan(
        bc.load_labour().pair("SVM", "DT"), "correlated_ttest", rope=0.01, more=[100, 300], random_seed=1
    )
    assert expected.sentence() in done.stdout
    design = (
        "plan",
        "--bayes",
        "sign-test",
        "--truth",
        "mean=0.02",
        "--truth",
        "sd=0.02",
        "--rope",
        0.01,
        "--n",
        "20,30",
    )
    rows = json.loads(shell(*design, "--format", "json").stdout)["design"]["sizes"]
    assert [round(row["p_better"], 3) for row in rows] == [0.611, 0.804]
    assert "Give a FILE, or --bayes" in shell("plan", "--rope", 0.01).stderr
    assert "use --more" in shell("plan", "bundled:labour", "--rope", 0.01, "--n", 5).stderr


# ---- the pytest plugin

TESTS = """
import sys
import numpy as np
from bayescmp import Resampling, load_labour

D = np.linspace(-0.01, 0.01, 30)
ABOUT = {"rope": 0.01, "resampling": Resampling.independent(), "metric": "accuracy"}

def test_better(assert_not_worse):
    assert assert_not_worse(0.82 + D, np.full(30, 0.8), **ABOUT).verdict == "better"

def test_worse(assert_not_worse):
    assert_not_worse(0.78 + D, np.full(30, 0.8), **ABOUT)

def test_undecided(assert_not_worse):
    assert_not_worse(0.79 + D, np.full(30, 0.8), **ABOUT)

def test_tables(assert_not_worse):
    old, new = (load_labour().select(models=[name]) for name in ("DT", "SVM"))
    assert assert_not_worse(new, old, rope=0.02).verdict == "not worse"

def test_nonsense(assert_not_worse):
    assert_not_worse(D, D, metric="accuracy")
"""


def outcomes(folder, *options, tests=TESTS):
    (folder / "test_models.py").write_text(tests)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    plugin = ("-p", "bayescmp.pytest_plugin", "-p", "no:cacheprovider", "-rA", "-q")
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plugin, *options, "test_models.py"],
        capture_output=True, encoding="utf-8", cwd=folder, env=environment, check=False,
    ).stdout  # fmt: skip


def test_the_fixture_fails_with_the_sentence(tmp_path):
    shown = outcomes(tmp_path)
    assert "PASSED test_models.py::test_better" in shown
    assert "PASSED test_models.py::test_tables" in shown
    assert "FAIL: candidate is worse than baseline (accuracy (higher is better); P(not worse) = 0.000" in shown
    assert "FAIL: candidate vs baseline: undecided" in shown
    assert "FAILED test_models.py::test_undecided" in shown
    assert "Give the design" in shown or "Resampling" in shown


@pytest.mark.parametrize("outcome", ["xfail", "skip"])
def test_undecided_may_be_another_outcome(tmp_path, outcome):
    by_option = outcomes(tmp_path, "--bayescmp-undecided", outcome, "-k", "undecided or worse")
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nbayescmp_undecided = {outcome}\n")
    for shown in (by_option, outcomes(tmp_path, "-k", "undecided or worse")):
        assert f"1 failed, 3 deselected, 1 {outcome}" in shown or f"1 failed, 1 {outcome}" in shown, shown


def test_the_plugin_imports_nothing_until_it_is_used(tmp_path):
    tests = """
import sys

def test_nothing():
    ours = {name for name in sys.modules if name.startswith("bayescmp.")}
    assert ours == {"bayescmp.pytest_plugin"}
    assert "numpy" not in sys.modules
"""
    assert "1 passed" in outcomes(tmp_path, tests=tests)
