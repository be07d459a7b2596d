"""Comparisons for people: sentences, tables, Markdown, LaTeX and one self-contained HTML page.

Nothing is estimated here: every number comes from the `Comparison`. Its methods `report()`, `to_latex()`,
`to_markdown()`, `to_csv()`, `sentences()`, `methods_text()` and `bibtex()` lead here.
"""

from bayescmp.reports.content import data_hash, results_table, sentences
from bayescmp.reports.methods import bibtex, methods_text
from bayescmp.reports.writing import (
    check_path,
    csv_text,
    report,
    save_text,
    to_csv,
    to_latex,
    to_markdown,
)

__all__ = [
    "bibtex",
    "check_path",
    "csv_text",
    "data_hash",
    "methods_text",
    "report",
    "results_table",
    "save_text",
    "sentences",
    "to_csv",
    "to_latex",
    "to_markdown",
]


def __dir__() -> list[str]:
    return __all__
