"""The examples of the README print what the README shows."""

import contextlib
import io
import re
from pathlib import Path

import bayescmp

README = Path(__file__).parents[1] / "README.md"


def test_examples_print_what_is_shown():
    examples = re.findall(r"```python\n((?:(?!```).)*?)```\n\n```\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    assert len(examples) == 2
    names = {}
    for code, shown in examples:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, names)
        assert printed.getvalue() == shown


def test_the_citation_is_of_this_version_and_complete():
    """The keys that the Citation File Format 1.2.0 requires, and the version of the package."""
    text = (README.parent / "CITATION.cff").read_text(encoding="utf-8")
    keys = dict(re.findall(r"^([a-z-]+): ?(.*)$", text, re.M))
    assert {"cff-version", "message", "title", "authors"} <= set(keys)
    assert (keys["cff-version"], keys["version"]) == ("1.2.0", bayescmp.__version__)


def test_the_readme_stays_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) < 200
