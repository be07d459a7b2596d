"""`import bayescmp` and small calls stay light; the command line works from a cold start."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("pymc", "arviz", "pandas", "matplotlib", "scipy.stats", "statsmodels", "numba")


def loaded_after(code):
    check = f"{code}\nimport sys\nprint([m for m in {HEAVY!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    return run.stdout.strip().splitlines()[-1]


def test_import_is_light():
    assert loaded_after("import bayescmp") == "[]"


def test_correlated_t_is_light():
    code = "import bayescmp as bc\nprint(bc.bayes.correlated_ttest(bc.load_labour().pair('SVM', 'DT'), rope=0.01))"
    assert loaded_after(code) == "[]"


def test_frequentist_tests_are_light():
    code = (
        "import bayescmp as bc\nfor test in (bc.frequentist.friedman_test, bc.frequentist.pairwise_wilcoxon_test):\n"
        "    print(test(bc.load_domains()))"
    )
    assert loaded_after(code) == "[]"


@pytest.mark.parametrize(("school", "other"), [("bayes", "frequentist"), ("frequentist", "bayes")])
def test_the_schools_know_nothing_of_each_other(school, other):
    import bayescmp

    for path in (Path(bayescmp.__file__).parent / school).glob("*.py"):
        assert f"import bayescmp.{other}" not in (text := path.read_text(encoding="utf-8"))
        assert f"from bayescmp.{other}" not in text


def test_version_is_that_of_the_package():
    from importlib.metadata import version

    import bayescmp

    assert bayescmp.__version__ == version("bayescmp")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bayescmp.nothing  # noqa: B018


def run(*arguments):
    """The installed program, in a process of its own."""
    command = [sys.executable, "-m", "bayescmp", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")


def test_demo_prints_a_table_and_writes_it(tmp_path):
    result = run("demo", "-o", str(tmp_path / "report.csv"))
    assert result.returncode == 0, result.stderr
    assert "SVM is practically better than DT with probability 0.940" in result.stdout
    assert (tmp_path / "report.csv").read_text().startswith("a,b,metric,dataset,n,method")


def test_check_and_test_read_a_file(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text("fold,rf,svm\n" + "\n".join(f"{i},{0.9 + i / 100},{0.8 + i / 90}" for i in range(5)))
    assert "2 models x 1 dataset" in run("check", str(path)).stdout
    result = run("test", "correlated-t", str(path), "rf", "svm", "--rope", "0.01")
    assert "P(rf better) 1.000" in result.stdout, result.stderr


def test_every_test_runs_from_the_shell(tmp_path):
    path = tmp_path / "results.csv"
    rows = [f"d{d},{f},{0.8 + d / 50 + f / 100},{0.8 + f / 90}" for d in range(5) for f in range(4)]
    path.write_text("dataset,fold,rf,svm\n" + "\n".join(rows))
    for name, words in (("sign", "sign test"), ("signed-rank", "signed-rank"), ("hierarchical", "hierarchical")):
        result = run("test", name, str(path), "rf", "svm", "--rope", "0.01", "--seed", "1")
        assert words in result.stdout, result.stderr
        assert "most probable outcome: P(rf better)" in result.stdout
    assert run("test", "sign", str(path), "rf", "svm", "--rope", "0.01", "--dataset", "d1").returncode == 2


def test_bad_input_is_one_line_and_exit_code_2(tmp_path):
    result = run("check", str(tmp_path / "nowhere.csv"))
    assert result.returncode == 2
    assert result.stderr.startswith("Error: There is no file")
    assert "Traceback" not in result.stderr
    assert "Traceback" in run("--debug", "check", str(tmp_path / "nowhere.csv")).stderr


def test_help_is_light():
    assert (
        loaded_after("from click.testing import CliRunner\nfrom bayescmp.cli import main\nCliRunner().invoke(main)")
        == "[]"
    )
