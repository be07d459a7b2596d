"""The tutorials as notebooks with their outputs, which Sphinx (docs/conf.py) has written after it ran the pages.

A notebook in notebooks/ is rewritten only where its cells or the text of their outputs changed, so that building the
documentation leaves the tree as it was.
"""

import base64
import io
import json
import re
from pathlib import Path
from typing import Any

import nbformat
from jupyter_cache import get_cache
from PIL import Image

ROOT = Path(__file__).parents[1]
TUTORIALS = ROOT / "notebooks"
INSTALL = """\
import importlib.util

if not all(map(importlib.util.find_spec, ("bayescmp", "sklearn"))):  # Colab, for example
    %pip install -q bayescmp scikit-learn"""


def notebook(executed: dict[str, Any], name: str) -> dict[str, Any]:
    """A notebook that GitHub, Colab and VS Code show as the site does, small, and the same wherever it was made."""
    cells = [_cell(cell) for cell in executed["cells"]]
    cells.insert(1, {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": INSTALL})
    cells[0]["source"] += f"\n\n*Made from `{name}.md` by `make docs`: change that file, not this one.*"
    for i, cell in enumerate(cells):
        cell["id"] = f"cell-{i}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    source = "".join(cell["source"])
    if cell["cell_type"] != "code":
        return {"cell_type": "markdown", "metadata": {}, "source": re.sub(r"\{doc\}`([^`]+)`", _link, source)}
    outputs = [_small(output) for output in cell["outputs"]]
    counted = {"execution_count": cell["execution_count"], "outputs": outputs}
    return {"cell_type": "code", **counted, "metadata": {}, "source": source}


def _link(role: re.Match[str]) -> str:
    """A page of the documentation: another notebook, or the file in docs."""
    named = re.fullmatch(r"(.*?)\s*<(.+)>", role[1], re.S)
    words, page = named.groups() if named else ("", role[1])
    source = ROOT / "docs" / f"{page}.md"
    title = re.search(r"^# (.+)$", source.read_text(encoding="utf-8"), re.M)
    if title is None:
        raise ValueError(f"{source} must have a title, a line that starts with '# '.")
    place = f"{page}.ipynb" if (TUTORIALS / f"{page}.md").exists() else f"../docs/{page}.md"
    return f"[{words or title[1]}]({place})"


def _small(output: dict[str, Any]) -> dict[str, Any]:
    """An output without addresses in memory, and whose picture has as many colours as a figure needs."""
    output = json.loads(re.sub(r" at 0x[0-9a-f]+", "", json.dumps(output)))
    picture = output.get("data", {}).get("image/png")
    if not picture:
        return output
    small = io.BytesIO()
    Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB").quantize(64).save(small, "png", optimize=True)
    return output | {"data": output["data"] | {"image/png": base64.b64encode(small.getvalue()).decode() + "\n"}}


def said(made: dict[str, Any]) -> list[Any]:
    """What a notebook says in words: its cells and the text of their outputs."""
    texts = [
        [output.get("text") or output.get("data", {}).get("text/plain") for output in cell.get("outputs", [])]
        for cell in made["cells"]
    ]
    return json.loads(json.dumps([[cell["source"] for cell in made["cells"]], texts]))


def write(site: Path, outputs: Path) -> None:
    """All tutorials, into site/notebooks and notebooks/, with the outputs that Sphinx's cache has."""
    (site / "notebooks").mkdir(exist_ok=True)
    for page in sorted(TUTORIALS.glob("*.md")):
        cells = nbformat.read(site.parent / "jupyter_execute" / f"{page.stem}.ipynb", 4)
        made = notebook(get_cache(outputs).merge_match_into_notebook(cells)[1], page.stem)
        text = json.dumps(made, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        (site / "notebooks" / f"{page.stem}.ipynb").write_text(text, encoding="utf-8")
        kept = page.with_suffix(".ipynb")
        if not kept.exists() or said(json.loads(kept.read_text(encoding="utf-8"))) != said(made):
            kept.write_text(text, encoding="utf-8")
            print(f"Wrote {kept.relative_to(ROOT)}, {len(text) // 1000} kB.")
