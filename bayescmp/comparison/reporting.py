"""The methods of `Comparison` that lead to `bayescmp.reports`, which is imported when one of them is called."""

import os
from pathlib import Path
from typing import Any


class Reporting:
    """For people: sentences, tables and files. `bayescmp.reports` has the work and the options."""

    def sentences(self) -> list[str]:
        """One text a pair: what is probable, what the frequentist test says, and where the two differ."""
        return _reports().sentences(self)

    def methods_text(self) -> str:
        """The methods paragraph for the paper; `bibtex()` has what it cites."""
        return _reports().methods_text(self)

    def bibtex(self) -> str:
        """The BibTeX entries of the references in `methods_text()`."""
        return _reports().bibtex(self)

    def report(self, path: str | os.PathLike[str], *, overwrite: bool = False, **options: Any) -> Path:
        """Write a report to `path` (.html, .md, .tex), which `overwrite` may replace; options of `reports.report`."""
        return _reports().report(self, path, overwrite=overwrite, **options)

    def to_csv(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write `table()` as csv to `path`, which `overwrite` may replace; names never become formulas."""
        return _reports().to_csv(self, path, overwrite=overwrite)

    def to_latex(self, *, caption: str | None = None, label: str = "tab:comparison") -> str:
        """The table of pairs for a paper, with booktabs; `caption` and `label` are LaTeX's."""
        return _reports().to_latex(self, caption=caption, label=label)

    def to_markdown(self) -> str:
        """The table of pairs in Markdown."""
        return _reports().to_markdown(self)


def _reports() -> Any:
    from bayescmp import reports

    return reports
