"""The examples of the README print what the README shows."""

import contextlib
import io
import json
import math
import re
import shutil
import subprocess
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import SimpleNamespace

import pytest

import bayescmp

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
    assert bayescmp.__version__ == version
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
    assert len(README.read_text(encoding="utf-8").splitlines()) < 210


def script(path):
    names = {"__file__": str(ROOT / path), "__name__": "script"}
    exec((ROOT / path).read_text(encoding="utf-8"), names)
    return SimpleNamespace(**names)


CLAIMS = script("scripts/readme_claims.py")
PEERS = script("benchmarks/peers.py")
LOOKED_UP = json.loads((ROOT / "docs" / "peers.json").read_text(encoding="utf-8"))


def test_the_figures_are_those_that_were_measured():
    """In docs/benchmarks.md, docs/peers.json and docs/validation.json; scripts/readme_claims.py writes them."""
    text = README.read_text(encoding="utf-8")
    assert CLAIMS.filled(text) == text
    assert CLAIMS.filled(text.replace("16.1 times", "99 times")) == text  # whatever was written by hand is replaced


@pytest.mark.parametrize("feature", PEERS.WORDS)
def test_not_found_is_what_the_search_of_the_peers_found(feature):
    cells = dict(zip(CLAIMS.PEERS, CLAIMS.FEATURES[feature][1:], strict=False))
    for peer, cell in cells.items():
        found = LOOKED_UP[peer]["found"][feature]
        assert not (cell == CLAIMS.NONE and found), f"{peer} has {found}"
        assert cell != "yes" or found, f"no name of {peer} shows it"


def test_peers_were_looked_up_in_the_versions_that_were_measured():
    page, _ = CLAIMS.benchmarks()
    for peer, found in LOOKED_UP.items():
        assert f"{peer} {found['version']}" in page


@pytest.mark.parametrize("peer", CLAIMS.PEERS)
def test_the_search_of_an_installed_peer_finds_the_same(peer):
    try:
        installed = distribution(peer)
    except PackageNotFoundError:
        pytest.skip(f"{peer} is not installed")
    if installed.version != LOOKED_UP[peer]["version"]:
        pytest.skip(f"{peer} {installed.version} is not the version that was looked up")
    assert PEERS.look(installed)["found"] == LOOKED_UP[peer]["found"]


def test_the_first_test_of_contributing_passes():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.S)
    names = {"pytest": pytest, "math": math, "bc": bayescmp}
    exec(code, names)
    names["test_two_folds_by_hand"]()


def test_pre_commit_does_what_make_lint_does():
    hooks = re.findall(r"entry: \.venv/bin/([^,]+),", (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)[1]
    assert hooks == [line.removeprefix("\t$(BIN)/") for line in recipe.splitlines()]


def test_release_links_lead_to_the_repository(tmp_path):
    for name in ("README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "release_links.sh", tmp_path / "scripts")
    here = "https://example.org/us/bayescmp"
    subprocess.run(["sh", tmp_path / "scripts" / "release_links.sh", here, "v0.2.0"], check=True)
    urls = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    assert urls["Source"] == here
    assert all(url.startswith(here) for url in urls.values())
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert all(link.startswith("https://") for link in links)
    assert f"]({here}/raw/v0.2.0/docs/images/readme.svg)" in text
    assert f"]({here}/blob/v0.2.0/docs/cli.md)" in text
