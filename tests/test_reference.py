"""What is public is documented: docstrings, the reference page, the tables of results, the map of the packages.

The oracles are the package itself (its names, signatures, fields and files) and what its results really hold.
"""

import ast
import dataclasses
import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import bayescmp as bc

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MODULES = ("bayes", "frequentist", "planning", "gates", "plots", "reports")
SECTION = re.compile(r"^(Parameters|Attributes|Returns|See Also|Notes|References|Examples)\n-+\n", re.M)


def public_names():
    """Everything in the `__all__` of the public modules, but modules: {name without "bayescmp.": object}."""
    named = {name: (getattr(bc, name) if name else bc).__all__ for name in ("", *MODULES)}
    named |= {"catalogue": ("Test", "register", "find", "entries"), "values": ("Value",)}
    found = {}
    for name, items in named.items():
        module = import_module(f"bayescmp.{name}" if name else "bayescmp")
        for item in items:
            if not inspect.ismodule(getattr(module, item)):
                found[f"{name}.{item}" if name else item] = getattr(module, item)
    return found


PUBLIC = public_names()
ERRORS = {name for name, x in PUBLIC.items() if isinstance(x, type) and issubclass(x, Exception)}
FUNCTIONS = {name: x for name, x in PUBLIC.items() if callable(x) and not isinstance(x, type)}
FUNCTIONS |= {f"Scores.{x.__name__}": x for n, x in inspect.getmembers(bc.Scores) if re.match("from_(?!dict|json)", n)}
CLASSES = {name: x for name, x in PUBLIC.items() if isinstance(x, type) and name not in ERRORS}


def sections(item):
    parts = SECTION.split(inspect.getdoc(item) or "")
    return {"": parts[0]} | dict(zip(parts[1::2], parts[2::2], strict=True))


def parameters(function):
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def unnamed(function, text):
    return [name for name in parameters(function) if not re.search(rf"(?<!\w){name}(?!\w)", text)]


def related(name, text):
    """The public names that a See Also section leads to, as "bayes.hdi"; a name may be said from its own module."""
    package = name.rpartition(".")[0]
    for line in text.strip().splitlines():
        for said in [] if line.startswith(" ") else re.split(r" : ", line)[0].split(","):
            first = said.strip().removeprefix("bayescmp.")
            yield f"{package}.{first}" if f"{package}.{first}" in PUBLIC else first


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_tell_parameters_relatives_and_an_example(name):
    doc = sections(FUNCTIONS[name])
    assert doc[""].strip()
    assert ">>> " in doc.get("Examples", "")
    assert unnamed(FUNCTIONS[name], doc.get("Parameters", "")) == []
    assert set(related(name, doc["See Also"])) - {name} <= {*PUBLIC, *FUNCTIONS, "Scores.pair"}
    assert set(related(name, doc["See Also"])) - {name}


@pytest.mark.parametrize("name", CLASSES)
def test_classes_tell_relatives_and_an_example_and_methods_name_their_parameters(name):
    doc = sections(CLASSES[name])
    assert ">>> " in doc["Examples"]
    assert set(related(name, doc["See Also"])) - {name} <= {*PUBLIC, "Scores.pair"}
    assert set(related(name, doc["See Also"])) - {name}
    for key, item in inspect.getmembers(CLASSES[name]):
        if key.startswith("_"):
            continue
        if inspect.isroutine(item) or isinstance(item, property):
            text = inspect.getdoc(item)
            assert text, f"{name}.{key} has no docstring"
            if inspect.isfunction(item) or inspect.ismethod(item):
                assert unnamed(item, text) == [], f"{name}.{key}"


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_errors_and_warnings_say_what_they_are(name):
    assert len(inspect.getdoc(PUBLIC[name])) > 20


def test_every_public_name_is_on_the_reference_page_once():
    page = (DOCS / "reference.md").read_text(encoding="utf-8")
    listed = re.findall(r"^(?:   |\.\. py:data:: bayescmp\.)([\w.]+)$", page, re.M)
    assert sorted(listed) == sorted(PUBLIC)


def tables(page):
    """{title of a section: the names in backticks in the first columns of its tables}."""
    found = {}
    for part in re.split(r"^## ", (DOCS / page).read_text(encoding="utf-8"), flags=re.M)[1:]:
        title, _, body = part.partition("\n")
        cells = re.findall(r"^\| ([^|]*) \|", body, re.M)
        found[title.strip("`")] = {name for cell in cells for name in re.findall(r"`(\w+)", cell)}
    return found


def members(cls):
    """The public fields, properties and methods of a result."""
    found = [name for name, x in inspect.getmembers(cls) if inspect.isroutine(x) or isinstance(x, property)]
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    return {name for name in (*found, *(f.name for f in fields)) if not name.startswith("_")}


@pytest.mark.parametrize("name", sorted(tables("results.md").keys() - {"What to read next"}))
def test_the_tables_of_results_have_every_member(name):
    """A section lists what its class adds to the listed class above it."""
    listed, cls = tables("results.md"), PUBLIC[name]
    bases = [n for n in listed if n in PUBLIC and PUBLIC[n] in cls.__mro__[1:]]
    inherited = set().union(*(members(PUBLIC[n]) for n in bases))
    assert listed[name] == members(cls) - inherited


def test_the_tables_of_results_have_every_result():
    results = {name for name, cls in CLASSES.items() if hasattr(cls, "to_dict")} - {
        *("Scores", "Pair", "Resampling", "Rope"),
        *("bayes.Diagnostics", "bayes.HierarchicalPrior", "bayes.MultilevelPrior"),
        *("frequentist.Power", "frequentist.Recommendation"),
    }
    assert results <= set(tables("results.md"))


@pytest.fixture(scope="module")
def results():
    labour, domains = bc.load_labour(), bc.load_domains()
    pair = bc.load_uci().pair("rf", "svm")
    return {
        "DifferencePosterior": bc.bayes.correlated_ttest(labour.pair("SVM", "DT"), rope=0.01),
        "RegionPosterior": bc.bayes.sign_test(pair, rope=0.01),
        "HierarchicalPosterior": bc.bayes.hierarchical_ttest(pair, rope=0.01, prior="gaussian"),
        "RankingPosterior": bc.bayes.rank_models(domains, rope=1, draws=100, random_seed=1),
        "StrengthPosterior": bc.bayes.plackett_luce(domains, random_seed=1),
        "TestResult": bc.frequentist.corrected_ttest(labour.pair("SVM", "DT")),
        "PairwiseTests": bc.frequentist.nemenyi_test(domains),
        "PairResult": bc.compare(labour, rope=0.01).pair("SVM", "DT"),
        "Comparison": bc.compare(labour, rope=0.01),
        "Scores": labour,
    }


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("DifferencePosterior", ["Every Bayesian result", "DifferencePosterior"]),
        ("RegionPosterior", ["Every Bayesian result", "RegionPosterior"]),
        ("HierarchicalPosterior", ["Every Bayesian result", "RegionPosterior"]),
        ("RankingPosterior", ["RankingPosterior"]),
        ("StrengthPosterior", ["RankingPosterior", "StrengthPosterior"]),
        ("TestResult", ["TestResult"]),
        ("PairwiseTests", ["PairwiseTests"]),
        ("PairResult", ["PairResult"]),
        ("Comparison", ["Comparison"]),
        ("Scores", ["Scores"]),
    ],
)
def test_the_page_on_json_has_every_field_and_the_way_back(results, name, titles):
    result, listed = results[name], tables("json.md")
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert set(data) - {"kept"} == set().union(*(listed[title] for title in titles))
    assert type(result).from_dict(data) == result


def architecture():
    return (DOCS / "architecture.md").read_text(encoding="utf-8")


def test_the_map_of_packages_is_that_of_the_tree():
    listed = re.findall(r"^\| `([\w/]+(?:/|\.py))` \| ", architecture(), re.M)
    package = ROOT / "bayescmp"
    packages = [path.parent for path in package.glob("*/__init__.py")]
    folders = [ROOT / name for name in ("tests", "docs", "notebooks", "benchmarks", "scripts")]
    tree = [f"{path.relative_to(ROOT)}/" for path in (*packages, *folders) if path.is_dir()]
    tree += [str(path.relative_to(ROOT)) for path in package.glob("*.py")]
    assert sorted(listed) == sorted(tree)


def imported(path):
    """The top-level packages and modules of bayescmp that a file imports when it is itself imported."""
    waiting, names = list(ast.parse(path.read_text(encoding="utf-8")).body), []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, (ast.If, ast.Try)) and "TYPE_CHECKING" not in ast.unparse(node):
            waiting += ast.iter_child_nodes(node)
    return {name.split(".")[1] for name in names if name.startswith("bayescmp.")}


def test_imports_lead_down_the_layers():
    rows = re.findall(r"^\| (\d) \| (.*) \|$", architecture(), re.M)
    layers = {name: int(layer) for layer, cell in rows for name in re.findall(r"`(\w+)`", cell)}
    package = ROOT / "bayescmp"
    tops = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert set(layers) == tops - {"__init__", "__main__"}
    for path in package.rglob("*.py"):
        top = path.relative_to(package).parts[0].removesuffix(".py")
        for other in (imported(path) & set(layers)) - {top} if top in layers else ():
            assert layers[other] <= layers[top], f"{path} imports {other}"
            assert {top, other} != {"bayes", "frequentist"}, f"{path} imports {other}"


def test_the_recipe_for_a_new_test_works_as_written(tmp_path):
    """The module of the page, announced by an entry point: what the page does with it, and the command line."""
    recipe = architecture().partition("## How to add a test")[2].partition("\n## ")[0]
    module, use = re.findall(r"^```python\n(.*?)^```$", recipe, re.M | re.S)
    (table,) = re.findall(r"^```toml\n(.*?)^```$", recipe, re.M | re.S)
    about = tmp_path / "medians-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: medians\nVersion: 1.0\n")
    ((group, points),) = tomllib.loads(table)["project"]["entry-points"].items()
    (about / "entry_points.txt").write_text(f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()))
    (tmp_path / "medians.py").write_text(module, encoding="utf-8")
    (tmp_path / "use.py").write_text(use + "print(c.methods_text())\n", encoding="utf-8")
    search = os.pathsep.join(map(str, (tmp_path, ROOT)))

    def out(*arguments):
        environment = os.environ | {"PYTHONPATH": search, "MPLBACKEND": "agg", "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run(
            [sys.executable, *arguments], capture_output=True, encoding="utf-8", cwd=tmp_path, env=environment
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    shown = out("use.py")
    assert "bayes.median_bootstrap beside frequentist.median_test, holm-adjusted" in shown
    assert "bootstrap of the median (Rubin, 1981)" in shown
    assert "median test (Arbuthnott, 1710)" in shown
    assert "bootstrap of the median" in (tmp_path / "report.html").read_text(encoding="utf-8")
    test = ("-m", "bayescmp", "test", "median-test", "bundled:uci", "rf", "svm")
    expected = bc.frequentist.sign_test(bc.load_uci().pair("rf", "svm"), ties="drop")
    assert f"p = {expected.p_value:.3f}" in out(*test)
    by_hand = "import medians; from bayescmp.cli import main; main()"
    assert by_hand in recipe
    assert out("-c", by_hand, *test[2:]) == out(*test)


def test_every_module_says_what_it_is_for():
    for path in (ROOT / "bayescmp").rglob("*.py"):
        assert re.match(r'"""\S.{15,}', path.read_text(encoding="utf-8")), path
