"""The import graph of the package: layers, no cycle at load time, and where a lazy import may point up."""

import ast
from pathlib import Path

import pytest

import bayescmp

ROOT = Path(bayescmp.__file__).parent
LAYERS = [
    {"errors", "lazy", "needs", "measured", "progress"},
    {"_compat"},
    {"checks", "values", "references", "text", "notebook"},
    {"catalogue", "rope", "files"},
    {"numerics"},
    {"scores"},
    {"sentences"},
    {"bayes", "frequentist"},
    {"planning"},
    {"comparison"},
    {"gates"},
    {"plots"},
    {"reports"},
    {"cli", "pytest_plugin"},
    {"__init__", "__main__"},
]
"""From the floor up; a part imports from layers below its own only, and from itself."""
LEVEL = {part: i for i, layer in enumerate(LAYERS) for part in layer}
LAZY = {
    ("bayes", "plots"): "a result draws itself",
    ("frequentist", "plots"): "a result draws itself",
    ("bayes", "planning"): "a result plans what comes next",
    ("comparison", "plots"): "a result draws itself",
    ("planning", "plots"): "a result draws itself",
    ("comparison", "reports"): "a result writes its report",
    ("gates", "reports"): "a result writes its report",
    ("pytest_plugin", "gates"): "every run of pytest loads the plugin",
    ("pytest_plugin", "__init__"): "every run of pytest loads the plugin",
    ("reports", "plots"): "matplotlib",
}
"""Lazy imports, and why: they point up, or something heavy is behind them."""


def modules():
    return {".".join(("bayescmp", *path.relative_to(ROOT).with_suffix("").parts)): path for path in ROOT.rglob("*.py")}


MODULES = {name.removesuffix(".__init__"): path for name, path in modules().items()}


def part(module):
    """The layer's name of a module: the package or the top-level module that it is in."""
    pieces = module.split(".")
    return pieces[1] if len(pieces) > 1 else "__init__"


def imports(path):
    """(module, whether at load time, whether for types only) of every import from this package."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typed = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    lazy = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "bayescmp":
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield (full if full in MODULES else node.module), id(node) not in lazy, id(node) in typed
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "bayescmp":
                    yield alias.name, id(node) not in lazy, id(node) in typed


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_from_below(module):
    for target, at_load, typed in imports(MODULES[module]):
        if typed or part(target) == part(module):
            continue
        if part(module) == "cli":
            continue  # checked below: it imports what is public
        if target == "bayescmp":
            assert not at_load or part(module) in ("__main__",), (module, target)
            continue
        if not at_load and (part(module), part(target)) in LAZY:
            continue
        assert LEVEL[part(target)] < LEVEL[part(module)], (module, target)


def test_no_cycle_at_load_time():
    """Depth first over what is imported when a module is loaded; the package itself loads nothing."""
    graph = {
        module: {t for t, at_load, typed in imports(path) if at_load and not typed and t != "bayescmp" and t in MODULES}
        for module, path in MODULES.items()
    }
    # importing bayescmp.bayes.sign runs bayescmp/bayes/__init__.py as well, which Python allows to be half done
    done, path = set(), []

    def visit(module):
        if module in path:
            raise AssertionError(" -> ".join([*path[path.index(module) :], module]))
        if module in done:
            return
        path.append(module)
        for target in sorted(graph[module] - {module}):
            if MODULES[target].name != "__init__.py" or part(target) != part(module):
                visit(target)
        path.pop()
        done.add(module)

    for module in sorted(graph):
        visit(module)
    assert done == set(MODULES)


def test_the_command_line_imports_what_is_public():
    public = {"bayescmp": {*bayescmp.__all__, "__version__"}, "bayescmp.needs": {"pandas"}}
    for package in ("bayes", "frequentist", "planning", "gates", "plots", "reports", "catalogue"):
        module = getattr(bayescmp, package)
        public[f"bayescmp.{package}"] = set(getattr(module, "__all__", dir(module)))
    for path in (ROOT / "cli").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "bayescmp":
                if node.module.startswith("bayescmp.cli"):
                    continue
                for alias in node.names:
                    assert alias.name in public[node.module], (path.name, node.module, alias.name)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    assert alias.name == "bayescmp" or not alias.name.startswith("bayescmp"), (path.name, alias.name)
            elif isinstance(node, ast.Attribute) and ast.unparse(node).startswith("bayescmp."):
                pieces = ast.unparse(node).split(".")
                if pieces[1] != "cli" and len(pieces) == 3 and f"bayescmp.{pieces[1]}" in public:
                    assert pieces[2] in public[f"bayescmp.{pieces[1]}"], (path.name, ast.unparse(node))


def test_a_lazy_import_within_the_package_has_something_heavy_behind_it_or_points_up():
    """The others would only hide a knot."""
    allowed = {"_compat", "needs", "catalogue"}  # PyMC, ArviZ, pandas; other packages' tests
    for module, path in MODULES.items():
        if part(module) in ("__init__", "__main__", "cli"):
            continue
        for target, at_load, typed in imports(path):
            if at_load or typed or (part(module), part(target)) in LAZY or part(target) in allowed:
                continue
            raise AssertionError((module, target))
