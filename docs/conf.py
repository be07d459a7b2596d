"""Sphinx configuration."""

import ast
import hashlib
import shutil
import sys
import tomllib
import zlib
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MADE = HERE / "generated"
PACKAGE = HERE.parent / "bayescmp"
sys.path.insert(0, str(HERE.parent / "scripts"))

import notebooks  # noqa: E402  the tutorials as .ipynb

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
nb_execution_in_temp = True  # pages that write files leave nothing behind
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
    for path in sorted(PACKAGE.rglob("*.py")):
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        rows.append(f"| `{path.relative_to(HERE.parent)}` | {' '.join(doc.split(chr(10) * 2)[0].split())} |\n")
    (MADE / "modules.md").write_text("| module | is |\n|---|---|\n" + "".join(rows), encoding="utf-8")


def fresh_cache() -> str:
    """A cache of outputs for the code as it is: pages run again when the package changed, and only then."""
    files = [path for path in sorted(PACKAGE.rglob("*")) if path.is_file() and path.suffix != ".pyc"]
    code = b"".join(path.read_bytes() for path in files)
    place = HERE / "_build" / "outputs" / hashlib.sha256(code).hexdigest()[:12]
    for old in place.parent.glob("*"):
        if old != place:
            shutil.rmtree(old)
    return str(place)


def link_notebook(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Below the title of a tutorial, the notebook that is in the site too."""
    if (notebooks.TUTORIALS / f"{pagename}.md").exists():
        address = context["pathto"](f"notebooks/{pagename}.ipynb", 1)
        link = f'<p><a href="{address}" download>Download this page as a notebook</a>, with its outputs: '
        context["body"] = context["body"].replace("</h1>", f"</h1>{link}Jupyter, Colab and VS Code open it.</p>", 1)


def write_notebooks(app: Any, exception: Exception | None) -> None:
    """The tutorials as notebooks with outputs, in the site for download and in notebooks/ for code hosts."""
    if exception is None:
        notebooks.write(Path(app.outdir), Path(app.config.nb_execution_cache_path))


def setup(app: Any) -> None:
    """What Sphinx calls first."""
    app.connect("html-page-context", link_notebook)
    app.connect("build-finished", write_notebooks)


MADE.mkdir(exist_ok=True)
intersphinx_mapping = write_inventories()
nb_execution_cache_path = fresh_cache()
write_modules()
