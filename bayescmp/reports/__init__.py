"""Comparisons for people: sentences, tables, Markdown, LaTeX and one self-contained HTML page.

Nothing is estimated here: every number comes from the `Comparison`. Its methods `report()`, `to_latex()`,
`to_markdown()`, `to_csv()`, `sentences()`, `methods_text()` and `bibtex()` lead here.
"""

from bayescmp.reports.citations import bibtex
from bayescmp.reports.content import data_hash
from bayescmp.reports.methods import methods_text
from bayescmp.reports.sentences import sentences
from bayescmp.reports.writing import report, to_csv, to_latex, to_markdown

__all__ = ["bibtex", "data_hash", "methods_text", "report", "sentences", "to_csv", "to_latex", "to_markdown"]


def __dir__() -> list[str]:
    return __all__
