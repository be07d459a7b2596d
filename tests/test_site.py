"""The checker of the site finds what it is there to find; the site, where it was built, is sound in a browser."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]
SITE = ROOT / "docs" / "_build" / "html"
GOOD = '<html><head><title>t</title></head><body><h1 id="top">t</h1><img src="a.svg" alt="a"><p>What to read next</p>'


def check(path):
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "check_site.py", path], capture_output=True, text=True, check=False
    )
    return done.returncode, [line for line in done.stdout.splitlines() if line.startswith(("index.html", "other.html"))]


@pytest.fixture
def site(tmp_path):
    (tmp_path / "a.svg").write_text("<svg/>")
    (tmp_path / "other.html").write_text(GOOD)
    (tmp_path / "index.html").write_text(GOOD + '<a href="other.html#top">o</a><a href="https://example.org/x">e</a>')
    return tmp_path


def test_a_good_site_passes(site):
    assert check(site) == (0, [])


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ('<a href="gone.html">x</a>', "gone.html does not exist"),
        ('<a href="other.html#gone">x</a>', "other.html#gone is an anchor that its page does not have"),
        ('<a href="#gone">x</a>', "#gone is an anchor"),
        ('<img src="gone.svg" alt="x">', "gone.svg does not exist"),
        ('<img src="a.svg" alt=" ">', "a.svg has no alternative text"),
        ('<code class="xref py py-func"><span class="pre">hdi</span></code>', "the reference hdi leads nowhere"),
    ],
)
def test_faults_are_found(site, added, said):
    with (site / "index.html").open("a") as page:
        page.write(added)
    code, lines = check(site)
    assert code == 1
    assert len(lines) == 1
    assert said in lines[0]


def test_pages_without_title_or_way_on_are_found(site):
    (site / "index.html").write_text(GOOD.replace("<title>t</title>", "").replace("read next", ""))
    assert [line.partition(": ")[2] for line in check(site)[1]] == ["no title", "does not say what to read next"]


def test_pages_that_the_search_does_not_find_are_found(site):
    """An index as Sphinx writes it: terms are stems, and a term has one page, or a list of them."""
    pages = [*checker().SEARCHED.values()]
    terms = {word[:5].removesuffix("s"): i for i, word in enumerate(checker().SEARCHED)}
    index = {"docnames": [*pages, "other"], "titleterms": {stem: [i, len(pages)] for stem, i in terms.items()}}
    (site / "searchindex.js").write_text(f"Search.setIndex({json.dumps(index)})")
    assert checker().search_problems(site) == []
    index["titleterms"]["seed"] = len(pages)
    (site / "searchindex.js").write_text(f"Search.setIndex({json.dumps(index)})")
    assert checker().search_problems(site) == ["howto/seeds: a search for 'seeds' does not find it by its title"]
    assert check(site)[0] == 1


def checker():
    names = {"__file__": str(ROOT / "scripts" / "check_site.py"), "__name__": "check_site"}
    exec((ROOT / "scripts" / "check_site.py").read_text(encoding="utf-8"), names)
    return SimpleNamespace(**names)


def test_the_markdown_of_this_project_is_sound():
    assert checker().markdown_problems([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]) == []


def test_faults_of_markdown_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# Top\n[a](gone.md) ![](b.svg) [c](#top) [d](#gone) <img src='x'> [e](https://example.org) `[f](g.md)`\n"
    )
    assert [text.partition(": ")[2] for text in checker().markdown_problems([page])] == [
        "gone.md does not exist",
        "the image b.svg has no alternative text",
        "b.svg does not exist",
        "#gone is an anchor that the file does not have",
        "<img src='x'> has no alternative text",
    ]


CHROMIUM = os.environ.get("BAYESCMP_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@pytest.mark.skipif(not (SITE / "index.html").exists(), reason="the site was not built: make docs")
def test_the_search_of_the_built_site_answers():
    """In a browser, with the site's own script: the page stands among the first results."""
    api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no chromium was found")
    with api.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        for word, wanted in checker().SEARCHED.items():
            page.goto(f"{(SITE / 'search.html').as_uri()}?q={word}")
            page.wait_for_function("document.querySelectorAll('#search-results li a').length > 2")
            links = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.getAttribute('href'))")
            first = [link.partition("?")[0].partition("#")[0].removesuffix(".html") for link in links]
            assert wanted in list(dict.fromkeys(first))[:3], (word, first[:8])
        browser.close()


@pytest.mark.skipif(not (SITE / "index.html").exists(), reason="the site was not built: make docs")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_built_site_is_quiet_and_stays_at_home(scheme):
    """No complaint on the console, no request that leaves the page, nothing wider than a phone."""
    api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no chromium was found")
    with api.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(color_scheme=scheme, viewport={"width": 375, "height": 800})
        troubles, requests = [], []
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        for name in ("index", "reference", "results", "howto/paper", "generated/bayescmp.compare"):
            page.goto((SITE / f"{name}.html").as_uri())
            page.wait_for_load_state()
            assert page.locator("h1").count() == 1
            assert page.evaluate("document.documentElement.scrollWidth") <= 375, name
        browser.close()
    assert troubles == []
    assert {url for url in requests if not url.startswith(("file:", "data:", "blob:"))} == set()
