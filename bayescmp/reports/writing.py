"""A comparison as HTML, Markdown, LaTeX or csv."""

import base64
import csv
import hashlib
import io
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayescmp.checks import check_switch, is_list, is_one_of
from bayescmp.comparison.show import ranking_of
from bayescmp.files import check_target, checked_path, holds, write_text
from bayescmp.gates import Rule
from bayescmp.progress import progress_bar
from bayescmp.reports.content import (
    MOST_CARDS,
    MOST_PROBABLE,
    P_NAMES,
    PARTS,
    content,
    data_hash,
    dataset_rows,
    next_heading,
    p_name,
    pair_rows,
    results_note,
    table_note,
    test_rows,
    tests_note,
)
from bayescmp.reports.escape import Raw, latex, latex_cell, latex_number, markdown
from bayescmp.reports.figures import figures
from bayescmp.rope import RopeLike
from bayescmp.sentences import gap_name
from bayescmp.text import one_line, safe_text, short_name, visible

if TYPE_CHECKING:
    from jinja2 import Environment

    from bayescmp.comparison.result import Comparison

FORMATS = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".tex": "tex"}
MOST_ROWS_ON_A_PAGE = 35
LONG_NAME = 24
SEPARATOR = re.compile(r"(?<=[_./:])(?=[^\W\d])")


def report(
    c: "Comparison",
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    ropes: Iterable[RopeLike] | None = None,
    plan: bool = False,
    rule: Rule | str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Path:
    """Write the whole report; the ending of the path gives the format.

    Parameters
    ----------
    c : Comparison
    path : path
        Ends in .html, .md or .tex.
    overwrite : bool
        Whether an existing file may be replaced. An earlier report of the same scores, known by a comment in it, is
        replaced in any case.
    ropes : iterable of ropes, optional
        The grid of the rope slider; by default around the comparison's rope. () for none.
    plan : bool
        Whether to say what more data would decide, for at most three undecided pairs of the models that may be the
        best; this is simulated, and takes a while.
    rule : gates.Rule or path, optional
        The decision rule that was written down before, or its file: the report quotes it, and says where the comparison
        departs from it.
    n_jobs : int, optional
        Worker processes for the grid and the plans.
    progress : bool, optional
        Whether to show the parts that are done on stderr; by default where that is a terminal.

    Returns
    -------
    Path

    See Also
    --------
    to_latex, to_markdown, to_csv : the table alone.

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.reports.report(bc.compare(bc.load_labour(), rope=0.01), "report.html")  # doctest: +SKIP
    """
    mark = f"bayescmp report of scores {data_hash(c.scores)}"
    overwrite = check_switch("overwrite", overwrite) or holds(path, mark)
    form = FORMATS[check_path(path, overwrite=overwrite, report=True).suffix.lower()]
    before = None if rule is None else checked_rule(rule)
    with progress_bar(PARTS + 2, 0, "report, parts", progress) as advance:
        found = content(c, ropes, n_jobs, check_switch("plan", plan), before, advance, form == "html")
        if form == "html":
            latex_table = to_latex(c) if len(c.posteriors) <= MOST_CARDS else ""
            drawn = {"figures": figures(c, ranking_of(c)[0]), "latex": latex_table}
        else:
            drawn = _table_options(c)
        advance(1)
        text = environment(form).get_template(f"report.{form}").render(r=found, mark=mark, **drawn)
        advance(1)
    return write_text(path, text, overwrite)


def checked_rule(rule: Rule | str | os.PathLike[str]) -> Rule:
    """The rule, or that of a file."""
    if isinstance(rule, (str, os.PathLike)):
        return Rule.read(Path(rule))
    if not isinstance(rule, Rule):
        raise ValueError(f"`rule` must be a gates.Rule or the path of its file, got {type(rule).__name__}.")
    return rule


def check_path(path: str | os.PathLike[str], *, overwrite: bool = False, report: bool = False) -> Path:
    """The file that a path leads to; raises where it cannot or must not be written, before any work is done.

    Parameters
    ----------
    path : path
    overwrite : bool
        Whether an existing file may be replaced.
    report : bool
        Whether the path must have the ending of a report: .html, .md or .tex.

    See Also
    --------
    save_text, report

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.reports.check_path("table.tex").name
    'table.tex'
    """
    if report and checked_path(path).suffix.lower() not in FORMATS:
        raise ValueError(f"`path` must end in .html, .md or .tex, got {os.fspath(path)!r}. For a table: to_csv(path).")
    return check_target(path, overwrite)


def save_text(path: str | os.PathLike[str], text: str, *, overwrite: bool = False) -> Path:
    """Write a text in UTF-8, whole or not at all.

    Parameters
    ----------
    path : path
    text : str
    overwrite : bool
        Whether an existing file may be replaced.

    See Also
    --------
    report, to_csv

    Examples
    --------
    >>> import bayescmp as bc, pathlib, tempfile
    >>> bc.reports.save_text(pathlib.Path(tempfile.mkdtemp()) / "table.tex", "...").name
    'table.tex'
    """
    if not isinstance(text, str):
        raise ValueError(f"`text` must be a text, got a {type(text).__name__}.")
    return write_text(path, text, overwrite)


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as csv with a header, in full precision; lists are joined by "; ".

    A text gets an apostrophe before a leading =, +, -, @, tab or return, so that no spreadsheet runs it as a formula;
    control characters but tabs and line ends are written as escapes (\\x1b), so that no terminal obeys them. Other
    characters, and numbers, are left as they are.

    Parameters
    ----------
    rows : list of dict
        All with the same keys, such as `PairResult.row()`.

    See Also
    --------
    to_csv : a comparison as a file.

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.reports.csv_text([{"model": "=rf", "score": 0.9}])
    "model,score\\n'=rf,0.9\\n"
    """
    if not is_list(rows) or not all(isinstance(row, Mapping) for row in rows) or len({tuple(row) for row in rows}) != 1:
        raise ValueError("`rows` must be a list of at least one dict, all with the same keys in the same order.")
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        joined = {key: "; ".join(map(str, x)) if isinstance(x, (list, tuple)) else x for key, x in row.items()}
        writer.writerow({key: _cell(x) for key, x in joined.items()})
    return text.getvalue()


def _cell(x: Any) -> Any:
    return visible(safe_text(x), keep="\n\t") if isinstance(x, str) else x


def to_latex(c: "Comparison", *, table: str = "pairs", caption: str | None = None, label: str | None = None) -> str:
    """A table for a paper: needs array, booktabs and graphicx; more than 35 rows are continued in further tables.

    Parameters
    ----------
    c : Comparison
    table : "pairs", "tests" or "results"
        The pairs with their probabilities; the tests with intervals, effect sizes and detectable differences; or every
        model's mean and standard deviation on every dataset, the best in bold.
    caption : str, optional
    label : str, optional
        For \\ref.

    See Also
    --------
    report, to_markdown, results_table

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.reports.to_latex(bc.compare(bc.load_labour(), rope=0.01)).splitlines()[0]
    '\\\\begin{table}[htbp]'
    """
    name = _table(table)
    label = f"tab:{LABELS[name]}" if label is None else label
    given = {"caption": None if caption is None else str(caption), "label": Raw(label)}
    return environment("tex").get_template(f"{name}.tex").render(**_table_parts(c, name), **given)


def to_markdown(c: "Comparison", *, table: str = "pairs") -> str:
    """A table in Markdown.

    Parameters
    ----------
    c : Comparison
    table : "pairs", "tests" or "results"
        As in `to_latex`.

    See Also
    --------
    report, to_latex

    Examples
    --------
    >>> import bayescmp as bc
    >>> print(bc.reports.to_markdown(bc.compare(bc.load_labour(), rope=0.01)).splitlines()[1])
    |---|---|---|---:|---|---:|---:|---:|---:|
    """
    return environment("md").get_template(f"{_table(table)}.md").render(**_table_parts(c, table))


LABELS = {"pairs": "comparison", "tests": "tests", "results": "results"}


def _table(table: Any) -> str:
    if not is_one_of(table, LABELS):
        raise ValueError(f'`table` must be "pairs", "tests" or "results", got {table!r}.')
    return str(table)


def _table_parts(c: "Comparison", table: str) -> dict[str, Any]:
    """What the template of a table needs: the fields of `Content` of the same names."""
    options = _table_options(c)
    if table == "pairs":
        return options | {"rows": pair_rows(c), "p_name": p_name(c), "note": table_note(c)}
    if table == "tests":
        rows = test_rows(c, range(len(c.posteriors)))
        return options | {"rows": rows, "p_name": p_name(c), "note": tests_note(c)}
    return options | {"rows": dataset_rows(c), "models": c.models, "note": results_note(c)}


def to_csv(c: "Comparison", path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write `table(full=True)` as csv, in full precision.

    Names that a spreadsheet would run as a formula, and control characters, are written as in `csv_text`.

    Parameters
    ----------
    c : Comparison
    path : path
    overwrite : bool
        Whether an existing file may be replaced.

    See Also
    --------
    report, to_latex

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.reports.to_csv(bc.compare(bc.load_labour(), rope=0.01), "pairs.csv")  # doctest: +SKIP
    """
    check_target(path, overwrite)
    return write_text(path, csv_text([pair.row() for pair in c.pairs]), overwrite)


@cache
def environment(kind: str) -> "Environment":
    """jinja2 for one format: whatever a template inserts is escaped, unless it is marked as being in that format."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    options: dict[str, Any] = {
        "loader": PackageLoader("bayescmp.reports"),
        "undefined": StrictUndefined,
        "trim_blocks": True,
        "lstrip_blocks": True,
        "keep_trailing_newline": True,
    }
    if kind == "html":
        env = Environment(autoescape=True, finalize=_html_text, **options)
        for name in ("css", "js"):
            text = (files("bayescmp.reports") / "templates" / f"report.{name}").read_text(encoding="utf-8")
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            env.globals |= {name: Markup(text), f"{name}_hash": f"'sha256-{digest}'"}  # noqa: S704 -- a file of this package
        env.filters |= {"svg": Markup, "pre": _lines, "breaks": _breaks}
        env.globals |= {"three_largest": lambda three: three.index(max(three))}
        return env
    if kind == "md":
        env = Environment(autoescape=False, finalize=markdown, **options)  # noqa: S701 -- `markdown` escapes
        env.filters |= {"raw": Raw}
        return env
    marks: dict[str, Any] = {
        "variable_start_string": r"\VAR{",
        "variable_end_string": "}",
        "block_start_string": r"\BLOCK{",
    }
    marks |= {"block_end_string": "}", "comment_start_string": r"\COMMENT{", "comment_end_string": "}"}
    env = Environment(autoescape=False, finalize=latex, **marks, **options)  # noqa: S701 -- `latex` escapes
    env.filters |= {"cell": latex_cell, "raw": Raw, "math": latex_number, "short": short_name}
    env.globals |= {"most_rows": MOST_ROWS_ON_A_PAGE}
    return env


class _Lines(str):
    """A text that keeps its lines: for `pre`, where they are wanted."""

    __slots__ = ()


def _lines(text: str) -> _Lines:
    return _Lines(visible(text))


def _breaks(name: str) -> Any:
    """A name that is rather broken at its own separators than within a word."""
    from markupsafe import Markup, escape

    return Markup(SEPARATOR.sub("<wbr>", str(escape(one_line(name)))))  # noqa: S704 -- escaped


def _html_text(value: Any) -> Any:
    """Names on one line, control characters visible; autoescape does the rest."""
    return one_line(value) if type(value) is str else value


def _table_options(c: "Comparison") -> dict[str, Any]:
    wide = max(len(one_line(name)) for name in c.models) > LONG_NAME
    return {
        "shares": c.posteriors[0].expected is not None,
        "gap": gap_name(c.posteriors[0].scale, c.scores.higher_is_better),
        "next": next_heading(c),
        "p_names": P_NAMES if c.posteriors[0].expected is None else MOST_PROBABLE,
        "estimates": c.posteriors[0].mean is not None,
        "estimate_name": c.tests.result(*c.pair_names[0]).estimate_name,
        "effect_name": getattr(c.tests.result(*c.pair_names[0]).effect_size, "name", ""),
        "name_column": Raw(r">{\raggedright\arraybackslash}p{0.2\linewidth}" if wide else "l"),
    }
