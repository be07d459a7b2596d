"""What is public is documented: docstrings, the reference page, the tables of results, the map of the rooms.

The oracles are the package itself (its names, signatures, fields and files) and what its results really hold.
"""

import inspect
import json
import re
from pathlib import Path

import pytest

import bayescmp as bc

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SECTION = re.compile(r"^(Parameters|Attributes|Returns|See Also|Notes|References|Examples)\n-+\n", re.M)


def public_names():
    """Everything in the `__all__` of the five public modules, but modules: {name without "bayescmp.": object}."""
    found = {}
    for name in ("", "bayes", "frequentist", "plots", "reports"):
        module = getattr(bc, name) if name else bc
        for item in module.__all__:
            if not inspect.ismodule(getattr(module, item)):
                found[f"{name}.{item}" if name else item] = getattr(module, item)
    return found


PUBLIC = public_names()
ERRORS = {name for name, x in PUBLIC.items() if isinstance(x, type) and issubclass(x, Exception)}
FUNCTIONS = {name: x for name, x in PUBLIC.items() if not isinstance(x, type)}
FUNCTIONS |= {f"Scores.{x.__name__}": x for n, x in inspect.getmembers(bc.Scores) if re.match("from_(?!dict)", n)}
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
    room = name.rpartition(".")[0]
    for line in text.strip().splitlines():
        for said in [] if line.startswith(" ") else re.split(r" : ", line)[0].split(","):
            first = said.strip().removeprefix("bayescmp.")
            yield f"{room}.{first}" if f"{room}.{first}" in PUBLIC else first


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_tell_parameters_relatives_and_an_example(name):
    doc = sections(FUNCTIONS[name])
    assert doc[""].strip()
    assert ">>> " in doc.get("Examples", "")
    if parameters(FUNCTIONS[name]):
        # what all functions of a kind share (alternative=, ax=, ...) may be told above the list
        assert "Parameters" in doc
    assert set(related(name, doc["See Also"])) - {name} <= {*PUBLIC, *FUNCTIONS, "Scores.pair"}
    assert set(related(name, doc["See Also"])) - {name}


@pytest.mark.parametrize("name", CLASSES)
def test_classes_tell_relatives_and_an_example_and_methods_name_their_parameters(name):
    doc = sections(CLASSES[name])
    assert ">>> " in doc["Examples"]
    assert set(related(name, doc["See Also"])) - {name} <= {*PUBLIC, "Scores.pair"}
    assert set(related(name, doc["See Also"])) - {name}
    for key, item in inspect.getmembers(CLASSES[name]):
        if key.startswith("_") or key.isupper() or isinstance(item, (str, bool, type(None), type(PUBLIC["Decision"].UNDECIDED))):
            continue
        if isinstance(item, property) or (callable(item) and not isinstance(item, type)):
            text = inspect.getdoc(item.fget if isinstance(item, property) else item)
            assert text, f"{name}.{key} has no docstring"
            if callable(item):
                assert unnamed(item, text) == [], f"{name}.{key}"


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_errors_and_warnings_say_what_they_are(name):
    assert len(inspect.getdoc(PUBLIC[name])) > 20


def test_every_public_name_is_on_the_reference_page_once():
    listed = re.findall(r"^   ([\w.]+)$", (DOCS / "reference.md").read_text(encoding="utf-8"), re.M)
    assert sorted(listed) == sorted(PUBLIC)
