"""The package loads no code from data, starts no program, and opens no connection: docs/security.md."""

import ast
from pathlib import Path

import bayescmp

FORBIDDEN = set(
    "pickle dill cloudpickle marshal shelve subprocess socket urllib http requests ftplib smtplib ctypes".split()
)
CALLS = {"eval", "exec", "compile", "system", "popen", "__import__"}


def offences(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.partition(".")[0] in FORBIDDEN)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in FORBIDDEN:
            yield node.module
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            owner = getattr(getattr(node.func, "value", None), "id", "")
            if name in CALLS and owner not in ("re",):
                yield f"{name}()"


def test_no_code_from_data_no_programs_no_network():
    found = {
        path.name: list(offences(path.read_text(encoding="utf-8")))
        for path in Path(bayescmp.__file__).parent.rglob("*.py")
    }
    assert {name: what for name, what in found.items() if what} == {}


def test_the_scan_finds_what_it_looks_for():
    source = "import pickle\nfrom urllib.request import urlopen\neval('1')\nos.system('x')\nre.compile('x')\n"
    assert sorted(offences(source)) == ["eval()", "pickle", "system()", "urllib.request"]
