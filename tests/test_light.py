"""`import bayescmp` and small calls stay light, and so does the command line."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("pymc", "arviz", "pandas", "matplotlib", "scipy.stats", "statsmodels", "numba")


def loaded_after(code, heavy=HEAVY):
    check = f"{code}\nimport sys\nprint([m for m in {heavy!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    return run.stdout.strip().splitlines()[-1]


def test_import_is_light():
    assert loaded_after("import bayescmp as bc\nprint(bc.Scores, bc.Rope, bc.ScoresError, bc.load_labour())") == "[]"


def test_correlated_t_is_light():
    code = "import bayescmp as bc\nprint(bc.bayes.correlated_ttest(bc.load_labour().pair('SVM', 'DT'), rope=0.01))"
    assert loaded_after(code) == "[]"


ONE = "bc.bayes.correlated_ttest([.9, .8, .7, .9], [.8, .7, .7, .8], rope=.01, resampling=bc.Resampling.kfold(4)).three"


def test_one_correlated_t_loads_little_more_than_numpy():
    """scipy.special takes longer to load than numpy, of which it loads all the rest (testing, f2py, ma, random)."""
    parts = ("scipy.special", "numpy.testing", "numpy.f2py", "numpy.ma", "numpy.random", "numpy.polynomial")
    assert loaded_after(f"import bayescmp as bc\nprint({ONE})", (*HEAVY, *parts)) == "[]"


def test_one_correlated_t_with_and_without_scipy():
    import bayescmp as bc

    code = f"import bayescmp as bc\nprint(*{ONE})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert eval(ONE, {"bc": bc}) == pytest.approx(tuple(map(float, run.stdout.split())), rel=1e-12)


def test_a_public_name_stands_before_a_module_of_that_name():
    code = (
        "import bayescmp.bayes.multilevel.model, bayescmp.bayes.hdi, bayescmp.frequentist.anova\n"
        "import bayescmp as bc\n"
        "print(all(map(callable, (bc.bayes.multilevel, bc.bayes.hdi, bc.frequentist.anova, bc.planning.looks))))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True\n"


@pytest.mark.parametrize("package", ["bayes", "frequentist", "scores", "planning"])
def test_a_lazy_package_has_all_its_names(package):
    import bayescmp

    module = getattr(bayescmp, package)
    assert sorted(module.homes) == sorted(module.__all__) == sorted(dir(module))
    for name in module.__all__:
        assert getattr(module, name).__module__.startswith(f"bayescmp.{package}.{module.homes[name]}")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        module.nothing  # noqa: B018


def test_every_value_can_be_read_though_nothing_is_loaded():
    """The kinds that JSON may name, after reading one: those of all modules of the package."""
    code = (
        "import pkgutil, importlib, bayescmp\nfrom bayescmp.values import Value\n"
        "from bayescmp.lazy import load_values\nload_values()\nknown = set(Value.KINDS)\n"
        "for m in pkgutil.walk_packages(bayescmp.__path__, 'bayescmp.'):\n"
        "    if 'plots' not in m.name and 'pytest' not in m.name: importlib.import_module(m.name)\n"
        "print(sorted(set(Value.KINDS) - known))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_json_is_read_by_a_process_that_has_loaded_little():
    import bayescmp as bc

    posterior = bc.bayes.sign_test(bc.load_uci().pair("rf", "nb"), rope=0.01)
    code = "import sys\nfrom bayescmp.bayes import Posterior\nprint(Posterior.from_json(sys.stdin.read()).p_better)"
    run = subprocess.run(
        [sys.executable, "-c", code], input=posterior.to_json(), capture_output=True, text=True, check=True
    )
    assert float(run.stdout) == posterior.p_better


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


def test_the_versions_of_a_result_are_those_of_the_packages():
    """That of scipy is read from its file, without importing it."""
    import numpy
    import scipy

    import bayescmp as bc

    found = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01).versions
    assert found == {"bayescmp": bc.__version__, "numpy": numpy.__version__, "scipy": scipy.__version__}
