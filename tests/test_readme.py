"""The examples of the README print what the README shows."""

import contextlib
import io
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def test_examples_print_what_is_shown():
    examples = re.findall(r"```python\n((?:(?!```).)*?)```\n\n```\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    assert len(examples) == 2
    names = {}
    for code, shown in examples:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, names)
        assert printed.getvalue() == shown


def test_there_is_one_version():
    """pyproject.toml has it; the citation, the changelog and "what changed for you" speak of the same."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)[1] == version
    headings = re.findall(r"^## \[?(\d[^] ]*)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert headings[0] == version
    assert f"## {version}" in (ROOT / "docs" / "what_changed.md").read_text(encoding="utf-8")


def test_the_citation_is_complete():
    """The keys that the Citation File Format 1.2.0 requires."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    keys = dict(re.findall(r"^([a-z-]+): ?(.*)$", text, re.M))
    assert {"cff-version", "message", "title", "authors"} <= set(keys)
    assert keys["cff-version"] == "1.2.0"


def test_the_readme_stays_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) < 200
