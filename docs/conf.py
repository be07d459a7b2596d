"""Sphinx configuration."""

import ast
import tomllib
import zlib
from importlib.metadata import version as version_of
from pathlib import Path

HERE = Path(__file__).parent
MADE = HERE / "generated"

project = "bayescmp"
author = "The bayescmp developers"
copyright = "2026, the bayescmp developers"
version = release = version_of("bayescmp")

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx-mathjax-offline",
]
exclude_patterns = ["_build", "generated/modules.md"]
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_sidebars = {"**": []}
html_title = "bayescmp"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_css_files = ["custom.css"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 300  # seconds per cell; the slowest takes a few
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {"DataFrame": "pandas.DataFrame", "Axes": "matplotlib.axes.Axes"} | {
    name.rpartition(".")[2]: f"bayescmp.{name}"
    for name in (
        "Scores Pair Resampling Rope Comparison PairResult bayes.DifferencePosterior bayes.RegionPosterior "
        "bayes.RankingPosterior bayes.Groups frequentist.TestResult frequentist.PairwiseTests frequentist.EffectSize"
    ).split()
}
autodoc_typehints = "none"
suppress_warnings = ["config.cache"]


def write_inventories() -> dict[str, tuple[str, str]]:
    """links.toml as the files that intersphinx reads, so that building needs no network: {project: (address, file)}."""
    mapping = {}
    for name, links in tomllib.loads((HERE / "links.toml").read_text(encoding="utf-8")).items():
        address = links.pop("url")
        lines = [f"{thing} {where.replace(' ', ' 1 ', 1)} -\n" for thing, where in links.items()]
        head = f"# Sphinx inventory version 2\n# Project: {name}\n# Version: \n"
        head += "# The remainder of this file is compressed using zlib.\n"
        (MADE / f"{name}.inv").write_bytes(head.encode() + zlib.compress("".join(lines).encode()))
        mapping[name] = (address, f"generated/{name}.inv")
    return mapping


def write_modules() -> None:
    """One line per module, from its docstring, for the page on the architecture."""
    rows = []
    for path in sorted((HERE.parent / "bayescmp").rglob("*.py")):
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        rows.append(f"| `{path.relative_to(HERE.parent)}` | {' '.join(doc.split(chr(10) * 2)[0].split())} |\n")
    (MADE / "modules.md").write_text("| module | is |\n|---|---|\n" + "".join(rows), encoding="utf-8")


MADE.mkdir(exist_ok=True)
intersphinx_mapping = write_inventories()
write_modules()
