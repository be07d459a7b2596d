"""`import bayescmp` and small calls stay light, and so does the command line."""

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
    assert loaded_after("import bayescmp as bc\nprint(bc.Scores, bc.Rope, bc.ScoresError, bc.load_labour())") == "[]"


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


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["test", "--help"],
        ["test", "correlated-ttest", "bundled:labour", "SVM", "DT", "--rope", "0.01", "--format", "json"],
        ["test", "corrected-ttest", "bundled:labour", "SVM", "DT"],
        ["check", "bundled:labour"],
        ["power", "--effect", "0.5", "--power", "0.8"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_the_command_line_is_light(arguments):
    assert (
        loaded_after(
            f"from bayescmp.cli import main\ntry:\n    main({arguments!r})\nexcept SystemExit as end:\n"
            f"    assert end.code == {0 if arguments else 2}"
        )
        == "[]"
    )
