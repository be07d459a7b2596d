"""The HTML report in a real browser: quiet, self-contained, and its slider says what Python says.

Needs playwright and a chromium (Debian: apt-get install chromium); without them these tests are skipped, loudly.
"""

import os
import shutil
import sys

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.reports.curves import curves
from bayescmp.reports.escape import one_line
from bayescmp.text import probability

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = os.environ.get("BAYESCMP_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
HOSTILE = (
    "<script>alert(1)</script>",
    "A & B_1%",
    "=cmd()",
    "مرحبا",
    "😀",
    "x" * 200,
    "a|b `c`",
    "<img src=x onerror=x>",
)


def skip(reason):
    print(f"NOT TESTED IN A BROWSER: {reason}", file=sys.__stderr__, flush=True)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser():
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        skip("playwright is not installed")
    if CHROMIUM is None:
        skip("no chromium was found")
    with sync_playwright() as p:
        try:
            found = p.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        except Error as error:
            skip(f"chromium did not start: {str(error).splitlines()[0]}")
        yield found
        found.close()


@pytest.fixture(scope="module")
def labour_c():
    return bc.compare(bc.load_labour(), rope=0.01)


@pytest.fixture(scope="module")
def hostile_c():
    rng = np.random.default_rng(3)
    scores = {name: 0.8 + i / 100 + 0.02 * rng.normal(size=8) for i, name in enumerate(HOSTILE)}
    return bc.compare(bc.Scores.from_arrays(scores, metric="accuracy", datasets=8), rope=0.01, bayes="sign_test")


@pytest.fixture(scope="module")
def files(labour_c, hostile_c, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    comparisons = {"labour": labour_c, "hostile": hostile_c}
    return {name: c.report(folder / f"{name}.html") for name, c in comparisons.items()}


@pytest.fixture
def show(browser, files):
    """Open a report; at the end nothing was complained about, and no request left the page."""
    troubles, requests, pages = [], [], []

    def open_page(name, width=1440, **options):
        page = browser.new_page(viewport={"width": width, "height": 900}, **options)
        pages.append(page)
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: troubles.append("a dialog opened"))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(files[name].as_uri())
        return page

    yield open_page
    for page in pages:
        page.close()
    assert troubles == []
    assert {url for url in requests if not url.startswith(("file:", "data:"))} == set()
    assert len([url for url in requests if url.startswith("file:")]) == len(pages)


def rows_of(page):
    read = "rows => rows.filter(r => !r.hidden).map(r => [...r.cells].map(c => c.innerText.trim()))"
    return page.eval_on_selector_all("#pair-table tbody tr", read)


def row_has_no_mean(c):
    return c.posteriors[0].mean is None


def move(page, at):
    page.evaluate(
        "at => { const s = document.getElementById('rope'); s.value = at; s.dispatchEvent(new Event('input')); }", at
    )
    page.wait_for_function("at => document.getElementById('rope').value == at", arg=at)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("name", ["labour", "hostile"])
def test_the_slider_says_what_python_says(show, name, request):
    c = request.getfixturevalue(f"{name}_c")
    page = show(name)
    before = rows_of(page)
    grid = curves(c)
    for at in (0, 2, len(grid.ropes) - 1, grid.at):
        move(page, at)
        frame = c.rope_curve([grid.ropes[at]])
        for shown, row in zip(rows_of(page), frame.to_dict("records"), strict=True):
            three = [probability(row[x], row["mcse"]) for x in ("p_better", "p_equivalent", "p_worse")]
            first = 3 if row_has_no_mean(c) else 4
            assert shown[first : first + 3] == three
            assert one_line(row["decision"]) in shown
            if "expected_better" in row:
                assert shown[first + 3].split(" / ")[0] == probability(row["expected_better"])
        assert page.inner_text("#rope-now") in page.inner_text("#count")
    assert rows_of(page) == before
    move(page, 0)
    assert rows_of(page) != before
    page.click("#reset")
    assert rows_of(page) == before


def test_the_slider_moves_by_keyboard(show):
    page = show("labour")
    page.focus("#rope")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.getElementById('rope-now').textContent == '±0.012'")
    assert page.get_attribute("#rope", "aria-valuetext") == "rope ±0.012"
    assert page.is_enabled("#reset")


def test_sort_goes_up_and_down_and_is_announced(show):
    page = show("hostile")
    header = page.locator("#pair-table thead th", has_text="A better")
    for direction in ("descending", "ascending"):
        header.locator("button").click()
        assert header.get_attribute("aria-sort") == direction
        values = [float(row[3]) for row in rows_of(page)]
        assert values == sorted(values, reverse=direction == "descending")
    move(page, 0)  # the order follows the new numbers
    values = [float(row[3]) for row in rows_of(page)]
    assert values == sorted(values)
    page.locator("#pair-table thead button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#pair-table thead th").first.get_attribute("aria-sort") == "ascending"
    assert header.get_attribute("aria-sort") == "none"


def test_search_finds_names_and_decisions(show):
    page = show("hostile")
    everything = len(rows_of(page))
    page.fill("#search", "=cmd()")
    found = rows_of(page)
    assert len(found) == len(HOSTILE) - 1
    assert all("=cmd()" in row[:2] for row in found)
    assert page.inner_text("#count").startswith(f"{len(found)} of {everything} pairs")
    page.fill("#search", "<SCRIPT> undecided")
    assert all(HOSTILE[0] in row[:2] and "undecided" in row for row in rows_of(page))
    page.fill("#search", "nothing of the kind")
    assert rows_of(page) == []
    page.fill("#search", "")
    assert len(rows_of(page)) == everything


def test_hostile_names_are_text(show):
    page = show("hostile")
    names = {name for row in rows_of(page) for name in row[:2]}
    assert names == {one_line(name) for name in HOSTILE}
    assert page.locator("img").count() == 0
    assert page.evaluate("document.compatMode") == "CSS1Compat"
    assert page.locator("script").count() == 2


@pytest.mark.parametrize("width", [375, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["labour", "hostile"])
def test_nothing_is_wider_than_the_screen(show, name, scheme, width):
    page = show(name, width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")


def test_without_javascript_the_table_stands(show, browser):
    page = show("labour", java_script_enabled=False)
    assert page.locator("#pair-table tbody tr").count() == 3
    assert page.locator("#tools").is_hidden()
    assert page.get_by_text("SVM is practically better than DT with probability 0.940").is_visible()


@pytest.mark.slow
def test_many_pairs_stay_quick_to_use(show, files, tmp_path):
    rng = np.random.default_rng(1)
    scores = {f"model-{i:02d}": 0.8 + i / 400 + 0.02 * rng.normal(size=10) for i in range(40)}
    c = bc.compare(bc.Scores.from_arrays(scores, metric="accuracy", datasets=10), rope=0.01, bayes="sign_test")
    files["forty"] = c.report(tmp_path / "forty.html", ropes=[0, 0.005, 0.02, 0.04])
    assert files["forty"].stat().st_size < 3_000_000
    page = show("forty")
    assert len(rows_of(page)) == 780
    page.locator("#pair-table thead th", has_text="P(B better)").locator("button").click()
    move(page, 4)
    page.fill("#search", "model-07")
    assert len(rows_of(page)) == 39
    values = [float(row[5]) for row in rows_of(page)]
    assert values == sorted(values, reverse=True)
