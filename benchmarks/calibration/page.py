"""The page of the study: the words of page.md with the numbers of this run, and the figure."""

import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import figure
from book import Book, Rate
from effects import NOISES, SIZES
from jinja2 import Environment, StrictUndefined
from one_dataset import DESIGNS, PAIRED, exact_power
from real_data import DAMAGED, DIFFERENT, TWINS

from bayescmp.plots import save_figure

IMAGE = "images/calibration_study.svg"
PACKAGES = ("bayescmp", "numpy", "scipy", "scikit-learn")


def write(book: Book, docs: Path) -> None:
    """docs/calibration.md and its figure."""
    (docs / IMAGE).parent.mkdir(exist_ok=True)
    alt = figure.alt_text(book)
    save_figure(figure.draw(book), docs / IMAGE, description=alt, overwrite=True)
    words = (Path(__file__).parent / "page.md").read_text(encoding="utf-8")
    template = Environment(undefined=StrictUndefined, keep_trailing_newline=True).from_string(words)
    (docs / "calibration.md").write_text(template.render(alt=alt, image=IMAGE, **_names(book)), encoding="utf-8")


def write_section(book: Book, docs: Path, heading: str) -> None:
    """One section of docs/calibration.md, in place of the one with this heading, else before the references."""
    words = (Path(__file__).parent / "page.md").read_text(encoding="utf-8")
    section = Environment(undefined=StrictUndefined).from_string(_section(words, heading)).render(**_of_any_part(book))
    path = docs / "calibration.md"
    page = path.read_text(encoding="utf-8")
    old = _section(page, heading) if heading in page else ""
    before = page.index(old) if old else page.index("## References")
    path.write_text(page[:before] + section.rstrip() + "\n\n" + page[before + len(old) :], encoding="utf-8")


def _section(page: str, heading: str) -> str:
    """From a heading to the next one."""
    start = page.index(heading)
    return page[start : page.index("\n## ", start) + 1]


def _of_any_part(book: Book) -> dict[str, Any]:
    """What every section may use."""

    def table(name: str) -> str:
        return f"**{name}**\n\n{book.tables[name]}"

    def rate(*key: Any) -> Any:
        return book.values[key if len(key) > 1 else key[0]]

    return {"book": book, "table": table, "rate": rate}


def _names(book: Book) -> dict[str, Any]:
    """What the template may use."""
    v = book.values

    def real(test: str, designs: Iterable[str] = DESIGNS, digits: int = 2) -> str:
        return span((v["real", test, d, pair] for d in designs for pair in (TWINS, DAMAGED)), digits)

    pairs = (TWINS, DAMAGED, DIFFERENT)
    return _of_any_part(book) | {
        "twins": TWINS,
        "damaged": DAMAGED,
        "different": DIFFERENT,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "versions": ", ".join([f"Python {platform.python_version()}", *(f"{x} {version(x)}" for x in PACKAGES)]),
        "real": real,
        "theory": exact_power(PAIRED, DESIGNS["10 x 10-fold"], 0.0),
        "covered": span(v["real coverage", pair, d][2] for pair in pairs for d in DESIGNS),
        "rho": {d: span(v["real rho", pair, d] for pair in pairs) for d in DESIGNS},
        "hierarchical": {
            key: span(v["hierarchical", m, noise][key][2] for m in SIZES for noise in NOISES)
            for key in ("mean", "next", "own")
        },
        "differences": ", ".join(f"{x:+.3f}" for x in v["differences"]),
    }


def span(values: Iterable[Rate | float], digits: int = 2) -> str:
    """From the least to the largest."""
    numbers = [x.value if isinstance(x, Rate) else x for x in values]
    return f"{min(numbers):.{digits}f} to {max(numbers):.{digits}f}"
