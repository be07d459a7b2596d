"""The how-to guides run, those blocks as well that the site shows without running them."""

import re
from pathlib import Path

import pytest

PAGES = sorted(page for page in (Path(__file__).parents[1] / "docs" / "howto").glob("*.md") if page.stem != "index")
SLOW = ("pymc",)
"""Pages with NUTS."""
ELSEWHERE = ("scheduler:8786", "n_jobs=-1")
"""A cluster and many processes: tests/test_parallel.py runs these calls."""


def blocks(page):
    """The code of a page in order: cells that the site runs, and the plain blocks that it only shows."""
    for kind, code in re.findall(
        r"^```(\{code-cell\} python|python)\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S
    ):
        code = re.sub(r"\A---\n.*?^---\n|\A(:[^\n]*\n)+", "", code, flags=re.M | re.S)
        if kind != "python" or not any(mark in code for mark in ELSEWHERE):
            yield code


def run(page):
    names = {}
    for code in blocks(page):
        exec(compile(code, page.name, "exec"), names)
    return names


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem not in SLOW], ids=lambda page: page.stem)
def test_a_guide_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(page), "no code was found on the page"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SLOW)
def test_a_long_guide_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = next(page for page in PAGES if page.stem == name)
    names = run(page)
    if name == "pymc":
        assert 0 < float(names["data"].posterior["sigma_0"].mean()) < 0.05, "the prior expects about 0.02"
