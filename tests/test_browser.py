"""The HTML report in a real browser: quiet, self-contained, and its slider says what Python says.

Needs playwright and a chromium (Debian: apt-get install chromium); without them these tests are skipped, loudly. They
fail where BAYESCMP_CHROMIUM names one and it cannot be used, so that the workflows cannot lose them.
"""

import os
import shutil
import sys
import warnings

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.reports.curves import STEPS, curves
from bayescmp.reports.escape import one_line

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
    if "BAYESCMP_CHROMIUM" in os.environ:
        pytest.fail(reason)
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
def datasets_c():
    """Folds of many datasets, where the table of pairs has most columns."""
    scores = bc.load_uci().select(models=["svm", "tree", "tree_pruned", "rf"])
    with warnings.catch_warnings(action="ignore", category=bc.DegenerateWarning):  # two models agree on some dataset
        return bc.compare(scores, rope=0.01, random_seed=1)


@pytest.fixture(scope="module")
def files(labour_c, hostile_c, datasets_c, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    comparisons = {"labour": labour_c, "hostile": hostile_c, "datasets": datasets_c}
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


def move(page, at):
    page.evaluate(
        "at => { const s = document.getElementById('rope'); s.value = at; s.dispatchEvent(new Event('input')); }", at
    )
    page.wait_for_function("at => document.getElementById('rope').value == at", arg=at)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def cards_of(page):
    read = """cards => cards.map(c => ({
        i: Number(c.dataset.i), verdict: c.querySelector('.verdict').textContent,
        says: c.querySelector('.says').textContent,
        p: [0, 1, 2].map(k => c.querySelector('.p' + k).textContent), kind: c.className }))"""
    return page.eval_on_selector_all(".card", read)


def near(shown, wanted):
    """The text has the number, but for its own rounding and that of the page's hundred-thousandths."""
    return abs(float(shown) - wanted) <= 0.5 * 10.0 ** -len(shown.partition(".")[2]) + 1.1e-5


@pytest.mark.parametrize("name", ["labour", "hostile", "datasets"])
def test_the_slider_says_what_python_says(show, name, request):
    """Table, cards, figure, headline and list of undecided pairs: the oracle is the comparison at another rope."""
    c = request.getfixturevalue(f"{name}_c")
    page = show(name)
    before, cards = rows_of(page), cards_of(page)
    everything = page.inner_html("main")
    grid = curves(c, ranking=c.ranking_posterior())
    for at in (0, 2, len(grid.ropes) - 1, grid.at):
        move(page, STEPS * at)
        frame = c.rope_curve([grid.ropes[at]]).to_dict("records")
        decisions = [one_line(row["decision"]) for row in frame]
        for shown, row in zip(rows_of(page), frame, strict=True):
            for text, x in zip(shown[4:7], ("p_better", "p_equivalent", "p_worse"), strict=True):
                assert near(text, row[x])
            assert shown[2] == one_line(row["decision"]).removeprefix("most probable: ")
            if "expected_better" in row:
                assert near(shown[7].split(" / ")[0], row["expected_better"])
        for card in cards_of(page):
            assert one_line(card["verdict"]) == decisions[card["i"]]
            assert near(card["p"][1], frame[card["i"]]["p_equivalent"])
        cells = page.eval_on_selector_all(
            "#overview .cell", "g => g.map(c => [Number(c.dataset.i), c.getAttribute('class')])"
        )
        assert len(cells) == len(frame)
        for i, kind in cells:
            assert ("undecided" in kind) == (decisions[i] == "undecided")
        listed = page.eval_on_selector_all("#open li:not([hidden])", "items => items.map(x => Number(x.dataset.i))")
        undecided = [i for i, words in enumerate(decisions) if words == "undecided"]
        assert set(listed) <= set(undecided)
        assert len(listed) == min(12, len(undecided))
        if at in grid.rankings:
            sentence = grid.rankings[at].groups(threshold=c.threshold).sentence()
            assert page.inner_text("#headline") == one_line(sentence)
        assert page.inner_text("#rope-now") in page.inner_text("#count")
    assert rows_of(page) == before
    assert cards_of(page) == cards
    move(page, 0)
    assert rows_of(page) != before
    page.click("#reset")
    assert rows_of(page) == before
    tidy = (
        'html => html.replace(/ (x|width)="[^"]*"/g, \'\').replace(/ hidden=""/g, \'\').replace(/ disabled=""/g, \'\')'
    )
    assert page.evaluate(tidy, page.inner_html("main")) == page.evaluate(tidy, everything)


def test_between_two_ropes_the_page_interpolates(show, labour_c):
    """The oracle is the exact posterior at that rope; the page says how far off it may be."""
    page = show("labour")
    grid = curves(labour_c)
    for at in (7, 44, 123, 385):
        move(page, at)
        rope = float(page.inner_text("#rope-now").removeprefix("±"))
        frame = labour_c.rope_curve([rope]).to_dict("records")
        for shown, row in zip(rows_of(page), frame, strict=True):
            assert float(shown[4]) == pytest.approx(row["p_better"], abs=0.0005 + grid.error + 1e-5)
            assert float(shown[5]) == pytest.approx(row["p_equivalent"], abs=0.0005 + grid.error + 1e-5)


def test_the_slider_moves_by_keyboard(show, labour_c):
    page = show("labour")
    assert page.get_attribute("#rope", "aria-valuetext") == "rope ±0.01"
    page.focus("#rope")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.getElementById('rope-now').textContent == '±0.0101'")
    assert page.get_attribute("#rope", "aria-valuetext").startswith("rope ±0.0101, ")
    assert page.is_enabled("#reset")
    page.keyboard.press("Home")
    page.wait_for_function("() => document.getElementById('rope-now').textContent == '0'")
    page.keyboard.press("End")
    page.wait_for_function("() => document.getElementById('rope-now').textContent == '±0.04'")


@pytest.mark.parametrize("name", ["labour", "hostile", "datasets"])
def test_ticks_are_where_decisions_change(show, name, request):
    """Page Up goes from tick to tick; a decision differs from that one position before, and nowhere else."""
    ticks = curves(request.getfixturevalue(f"{name}_c")).ticks
    page = show(name)
    page.focus("#rope")
    page.keyboard.press("Home")
    page.wait_for_function("() => document.getElementById('rope-now').textContent == '0'")
    for tick in ticks[:5]:
        page.keyboard.press("PageUp")
        assert int(page.input_value("#rope")) == tick
        here = [row[2] for row in rows_of(page)]
        move(page, tick - 1)
        assert [row[2] for row in rows_of(page)] != here
        if tick - 1 not in ticks and tick > 1:
            there = [row[2] for row in rows_of(page)]
            move(page, tick - 2)
            assert [row[2] for row in rows_of(page)] == there
        move(page, tick)
    drawn = page.get_attribute(".ticks path:not(.own)", "d")
    assert [int(x.split()[0]) for x in drawn.split("M")[1:]] == ticks


def test_sort_goes_up_and_down_and_is_announced(show):
    page = show("hostile")
    header = page.locator("#pair-table thead th[aria-sort]", has_text="A better")
    for direction in ("descending", "ascending"):
        header.locator("button").click()
        assert header.get_attribute("aria-sort") == direction
        values = [float(row[4]) for row in rows_of(page)]
        assert values == sorted(values, reverse=direction == "descending")
    move(page, 0)  # the order follows the new numbers
    values = [float(row[4]) for row in rows_of(page)]
    assert values == sorted(values)
    page.locator("#pair-table thead button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#pair-table thead th[aria-sort]").first.get_attribute("aria-sort") == "ascending"
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


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["labour", "hostile", "datasets"])
def test_nothing_is_wider_than_the_screen(show, name, scheme, width):
    page = show(name, width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    for table in ("#pair-table", "#tests table", *(["#datasets table"] if name == "datasets" and width > 768 else [])):
        box = page.locator(table).evaluate("t => [t.scrollWidth, t.parentElement.clientWidth]")
        assert width == 768 or box[0] <= box[1], "no column is cut"
    if width == 768:  # what is scrolled leaves the names where they are
        before = page.locator("#pair-table tbody th").first.bounding_box()["x"]
        page.locator("#pair-table").evaluate("t => { t.parentElement.scrollLeft = 200; }")
        assert page.locator("#pair-table tbody th").first.bounding_box()["x"] == pytest.approx(before, abs=1)


SEEN = """() => {
  const every = document.querySelectorAll("a[href], button, input, summary, [tabindex='0']");
  const seen = [...every].filter(e => e.offsetParent);
  const name = e => e.getAttribute("aria-label") || (e.labels && e.labels[0] && e.labels[0].textContent)
    || (e.getAttribute("aria-labelledby") && document.getElementById(e.getAttribute("aria-labelledby")).textContent)
    || e.textContent;
  return seen.map(e => { const b = e.getBoundingClientRect();
    const text = getComputedStyle(e).display === "inline";
    return {tag: e.tagName, name: name(e).trim(), width: b.width, height: b.height, text}; });
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_controls_have_names_and_room(show, width):
    """WCAG 2.2, 4.1.2 and 2.5.8: a name each, and 24 px; links within a sentence are exempt."""
    page = show("labour", width)
    controls = page.evaluate(SEEN)
    assert len(controls) > 30
    for c in controls:
        assert c["name"], c
        assert c["text"] or c["height"] >= 24, c
        assert c["text"] or c["width"] >= 24, c


CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgb = (css, under) => { canvas.fillStyle = `rgb(${under})`; canvas.fillRect(0, 0, 1, 1); canvas.fillStyle = css;
    canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
  const linear = x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4;
  const light = c => { const [r, g, b] = c.map(x => linear(x / 255));
    return .2126 * r + .7152 * g + .0722 * b; };
  const paper = e => { const c = e ? paper(e.parentElement) : [255, 255, 255];
    return e ? rgb(getComputedStyle(e).backgroundColor, c) : c; };
  const found = [];
  const walker = document.createTreeWalker(document.querySelector("body"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    const empty = !walker.currentNode.textContent.trim() || !e.offsetParent;
    if (empty || e.closest("svg, script, button:disabled, .skip")) continue;
    const back = paper(e), [x, y] = [light(rgb(getComputedStyle(e).color, back)), light(back)].sort((a, b) => b - a);
    found.push([(x + .05) / (y + .05), e.className, walker.currentNode.textContent.slice(0, 40)]);
  }
  for (const e of document.querySelectorAll("#overview text, .drawing text")) {
    const cell = e.closest(".cell"), width = rect => rect.getAttribute("width");
    const decided = cell && !cell.matches(".undecided");
    const widest = decided && [...cell.querySelectorAll("rect")].sort((a, b) => width(b) - width(a))[0];
    const back = widest ? rgb(getComputedStyle(widest).fill, [0, 0, 0]) : paper(e.closest("figure"));
    const [x, y] = [light(rgb(getComputedStyle(e).fill, back)), light(back)].sort((a, b) => b - a);
    found.push([(x + .05) / (y + .05), "figure", e.textContent]);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["labour", "hostile", "datasets"])
def test_text_stands_out_from_its_background(show, name, scheme):
    """WCAG 1.4.3: 4.5 to 1, for the text of the page and of its figures."""
    found = show(name, 1280, color_scheme=scheme).evaluate(CONTRAST)
    assert len(found) > 100
    weak = [x for x in found if x[0] < 4.5]
    assert not weak, weak[:10]


def test_focus_goes_down_the_page(show):
    """The order of the Tab key is that of the page: skip link, sections, slider, answer, cards, table."""
    page = show("labour")
    order = []
    for _ in range(60):
        page.keyboard.press("Tab")
        order.append(page.evaluate("(e => e.id || e.className || e.tagName)(document.activeElement)"))
    places = [order.index(x) for x in ("skip", "rope", "search")]
    assert places == sorted(places)
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_an_address_leads_to_its_pair(show, browser, files):
    page = show("hostile")
    folded = page.locator("details .card").first
    name = folded.get_attribute("id")
    assert not folded.is_visible()
    page.evaluate("name => { location.hash = name; }", name)
    page.wait_for_function("name => document.getElementById(name).closest('details').open", arg=name)
    assert folded.is_visible()
    assert page.evaluate("document.activeElement.id") == name
    cell = page.locator("#overview .cell").first
    cell.click()
    assert page.evaluate("location.hash").removeprefix("#") == page.get_attribute(
        f'.card[data-i="{cell.get_attribute("data-i")}"]', "id"
    )


def test_copies_are_what_the_page_shows(show, labour_c):
    page = show("labour")
    page.evaluate(
        "() => { window.copied = []; navigator.clipboard.writeText = async t => { window.copied.push(t); }; }"
    )
    for what in ("csv", "latex", "card"):
        page.locator(f"button[data-copy={what}]").first.click()
    page.locator("summary", has_text="BibTeX").click()
    page.locator("button[data-copy=bibtex]").click()
    csv, latex, card, bibtex = page.evaluate("window.copied")
    assert [line.split(",")[:3] for line in csv.splitlines()] == [
        ["A", "B", "Decision"], *([p.a, p.b, p.verdict.decision] for p in labour_c.pairs)
    ]  # fmt: skip
    assert latex == labour_c.to_latex()
    assert card in labour_c.sentences()
    assert bibtex == labour_c.bibtex()
    assert page.locator("button[data-copy=bibtex]").inner_text() == "Copied"


def test_on_paper_nothing_is_cut_and_controls_are_gone(show):
    page = show("labour")
    page.emulate_media(media="print")
    for part in (".top", "#tools", ".copy"):
        assert not page.locator(part).first.is_visible()
    assert page.locator("#pair-table").is_visible()
    assert page.locator("#pair-table").evaluate("t => getComputedStyle(t.parentElement).overflowX") == "visible"


@pytest.mark.parametrize("name", ["labour", "hostile", "datasets"])
def test_paper_is_wide_enough_and_has_the_appendix(show, name):
    """A4 less its margins is 688 px; headers that a browser repeats on each page have no buttons."""
    page = show(name, 688)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.documentElement.scrollWidth") <= 688
    folded = page.eval_on_selector_all("#appendix details", "all => all.map(x => x.open)")
    assert folded == [True] * len(folded)
    assert len(folded) == {"labour": 0, "hostile": 1, "datasets": 4}[name]
    assert not page.locator("#methods details").is_visible()
    assert page.locator("thead .sort").first.evaluate("b => getComputedStyle(b).display") == "contents"


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
    page.locator("#pair-table thead th[aria-sort]", has_text="B better").locator("button").click()
    move(page, 37)
    page.fill("#search", "model-07")
    assert len(rows_of(page)) == 39
    values = [float(row[6]) for row in rows_of(page)]
    assert values == sorted(values, reverse=True)
