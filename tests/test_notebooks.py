"""The tutorials run without a warning, and every decimal number in their text is one that their cells print."""

import ast
import contextlib
import io
import json
import re
import warnings
from pathlib import Path

import pytest

import bayescmp as bc

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "notebooks").glob("*.md"))
SLOW = {"figures", "first_comparison", "many_models", "shrinkage", "undecided"}
CELL = re.compile(r"```\{code-cell\} python\n(?:---\n(?P<yaml>.*?)---\n|(?::[^\n]*\n)+\n)?(?P<code>.*?)```", re.S)
NUMBER = re.compile(r"(?<![\w.,/])[-+]?(?:\d[\d,]*)?(?:\.\d+(?:e-?\d+)?|(?<=\d)e-\d+)(?![\w/])")
FIGURE = re.compile(r"^(?!bc\.plots\.save_figure).*(\.figure|\bplot(_\w+)?\(.*\))\Z", re.M)
"""The last line of a cell that shows a figure."""
CUSTOMARY = {0.05, 0.95, 0.99, 0.001}
"""Levels that a sentence may name without a cell that prints them."""


@pytest.fixture(scope="module", params=[pytest.param(p, id=p.stem) for p in PAGES])
def page(request):
    return request.param.read_text(encoding="utf-8")


def test_page_is_a_question_and_leads_on(page):
    assert re.search(r"^# .+\n\n\*[^*]+\?[^*]*\*\n", page, re.M), "a page starts with the question that it answers"
    assert "\n## What to read next\n" in page.rstrip()
    assert page.count("```{code-cell}") == len(CELL.findall(page))


def test_figures_have_alternative_text(page):
    for cell in CELL.finditer(page):
        if FIGURE.search(cell["code"].rstrip()):
            assert re.search(r'mystnb:\n  image:\n    alt: ".{60,}"\n', cell["yaml"] or ""), cell["code"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_notebook_of_a_page_is_the_page(path):
    """What `make docs` wrote: the same cells in order, every one run, a picture where a figure is shown, no error."""
    made = json.loads(path.with_suffix(".ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in made["cells"] if cell["cell_type"] == "code"][1:]  # the first one installs bayescmp
    page = path.read_text(encoding="utf-8")
    assert [cell["source"].strip() for cell in code] == [cell["code"].strip() for cell in CELL.finditer(page)], (
        "run make docs, which writes the notebook, and commit it"
    )
    text = "".join(cell["source"] for cell in made["cells"] if cell["cell_type"] == "markdown")
    assert "{doc}" not in text
    headings = re.findall(r"^#+ .+$", CELL.sub("", page), re.M)
    assert [heading for heading in headings if heading in text] == headings, "run make docs, and commit the notebook"
    for link in re.findall(r"\]\(([^)#:\s]+)\)", text):
        assert (path.parent / link).exists(), link
    for cell, source in zip(code, CELL.finditer(page), strict=True):
        skipped = "skip-execution" in source[0]
        assert (cell["execution_count"] is None) == skipped
        assert all(output["output_type"] != "error" for output in cell["outputs"])
        pictures = sum("image/png" in output.get("data", {}) for output in cell["outputs"])
        shows = FIGURE.search(source["code"].rstrip()) and not skipped
        assert pictures == bool(shows), cell["source"]
    assert [cell["id"] for cell in made["cells"]] == [f"cell-{i}" for i in range(len(made["cells"]))]


def test_the_notebooks_are_small():
    assert sum(path.with_suffix(".ipynb").stat().st_size for path in PAGES) < 1_000_000


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page_is_in_the_docs(path):
    assert (ROOT / "docs" / path.name).resolve() == path
    tutorials = (ROOT / "docs" / "tutorials.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert re.search(rf"^(.*<)?{path.stem}>?$", tutorials, re.M)


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=pytest.mark.slow if p.stem in SLOW else (), id=p.stem) for p in PAGES],
)
def test_numbers_in_the_text_are_those_of_the_cells(path, tmp_path, monkeypatch):
    """Cells run in order, with warnings as errors; a number in the text is a printed one, rounded to its digits."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bayescmp.checks.LEAST_DRAWS", 1000)  # as users have it
    assert not_printed(path.read_text(encoding="utf-8")) == []


def test_a_wrong_number_would_be_found():
    cell = "```{code-cell} python\nprint(0.9404, 3.976e-9)\n```\n"
    page = f"---\n---\n\n# x\n\nP = .940, that is 94.04 %, or 0.941; p = 4e-09, not 4e-08 or 1.5.\n\n{cell}"
    assert not_printed(page) == ["0.941", "4e-08", "1.5"]


def not_printed(page):
    """The decimal numbers of the text that no cell prints, as they are or as per cent."""
    shown = numbers(run(page)) | CUSTOMARY
    return [
        written
        for written in NUMBER.findall(prose(page))
        if not any(
            abs(abs(value(written)) - factor * abs(x)) <= 0.500001 * 10.0 ** exponent(written)
            for x in shown
            for factor in (1, 100)
        )
    ]


def run(page):
    """What the cells print, show and contain, with the alternative texts of all results that they make."""
    names, seen = {}, []
    for cell in CELL.finditer(page):
        code = re.sub(r"^%.*$", "", cell["code"], flags=re.M)
        tree = ast.parse(code)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(tree, "cell", "exec"), names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
                print(value.to_string() if hasattr(value, "to_string") else repr(value))
        seen += [code, printed.getvalue()]
    for result in names.values():
        with contextlib.suppress(ValueError):
            seen.append(bc.plots.alt_text(result))
        if isinstance(result, bc.Comparison):
            seen += [bc.plots.alt_text(result.ranking_posterior())]
            with warnings.catch_warnings(action="ignore", category=bc.MissingWarning):  # given by compare
                seen += [bc.plots.alt_text(bc.frequentist.nemenyi_test(result.scores))] if result.omnibus else []
    return "\n".join(seen)


def prose(page):
    """The text and the alternative texts: all but code and header."""
    alts = re.findall(r'^    alt: "(.*)"$', page, re.M)
    return "\n".join([CELL.sub("", page).partition("\n# ")[2], *alts])


def numbers(text):
    return {value(found) for found in re.findall(r"-?\d*\.?\d+(?:e-?\d+)?", text)}


def value(written):
    return float(written.replace(",", ""))


def exponent(written):
    """The power of ten of the last digit: -3 for 0.076, -9 for 4e-09."""
    mantissa, _, power = written.partition("e")
    return int(power or 0) - len(mantissa.partition(".")[2])


@pytest.mark.slow
@pytest.mark.parametrize("inline", ["", "%matplotlib inline\n"], ids=["without", "with matplotlib inline"])
def test_a_notebook_shows_every_figure_once(inline):
    """Axes, figures and small multiples are one image each, results are HTML, and nothing is shown twice."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    first = "import bayescmp as bc\nc = bc.compare(bc.load_domains(), rope=1, random_seed=1)"
    figures = ["c.plot()", "c.plot().figure", "c.plot('simplex')", "c.plot('p_best')", "c.posteriors[0].plot()"]
    results = [
        "c",
        "c.pairs[0]",
        "c.posteriors[0]",
        "c.ranking_posterior()",
        "c.pairs[0].test",
        "c.scores.pair('A', 'B')",
    ]
    given = "from matplotlib import pyplot as plt\nax = plt.subplots()[1]\nc.plot(ax=ax)"
    cells = [nbformat.v4.new_code_cell(code) for code in (inline + first, *figures, *results, given)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = {cell.source: [kind for out in cell.outputs for kind in out.get("data", {})] for cell in notebook.cells}
    for code in figures:
        assert shown[code].count("image/png") == 1, code
        assert "text/html" not in shown[code], code
    for code in results:
        assert shown[code].count("text/html") == 1, code
    assert shown[given].count("image/png") == 1
