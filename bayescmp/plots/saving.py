"""Figures into files: vectors with their fonts inside, written whole or not at all."""

import os
import shutil
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bayescmp.files import checked_path, whole_file
from bayescmp.plots.style import MM, root_figure

EMBEDDED: dict[Any, Any] = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "path", "svg.hashsalt": "bayescmp"}
FORMATS = ("pdf", "svg", "pgf", "eps", "png")


def save_figure(
    figure: Figure | Axes,
    path: str | os.PathLike[str],
    *,
    width_mm: float | None = None,
    description: str | None = None,
    dpi: float = 300,
    overwrite: bool = False,
) -> Path:
    """Save a figure for a paper: fonts embedded, no date inside, so that the same figure gives the same file.

    Parameters
    ----------
    figure : Figure, or the Axes that a `plot_x` returned
    path : path
        Ending in .pdf, .svg, .pgf (needs a TeX), .eps or .png.
    width_mm : float, optional
        Scale the paper's size to this width; better give `width_mm` to the function that draws, which then also fits
        the names.
    description : str, optional
        Alternative text, kept in svg, pdf and png files; see `alt_text`.
    dpi : float
        The resolution of png files.
    overwrite : bool
        Replace an existing file.

    See Also
    --------
    alt_text

    Examples
    --------
    >>> import bayescmp as bc, tempfile, pathlib
    >>> ax = bc.plots.plot_differences(bc.load_labour().pair("SVM", "DT"))
    >>> bc.plots.save_figure(ax, pathlib.Path(tempfile.mkdtemp()) / "differences.pdf").name
    'differences.pdf'
    """
    drawn = root_figure(figure) if isinstance(figure, Axes) else figure
    if not isinstance(drawn, Figure):
        raise ValueError(f"`figure` must be a Figure or Axes, got {type(figure).__name__}.")
    kind = figure_format(path)
    before = (drawn.get_figwidth(), drawn.get_figheight())
    try:
        if width_mm is not None:
            drawn.set_size_inches(width_mm * MM, before[1] * width_mm * MM / before[0])
        with whole_file(path, overwrite) as draft, matplotlib.rc_context(EMBEDDED | _tex(kind)):
            drawn.savefig(draft, dpi=dpi, metadata=_metadata(kind, description))
    finally:
        drawn.set_size_inches(before)
    return Path(path)


def figure_format(path: str | os.PathLike[str]) -> str:
    """The format that the ending of a path stands for; raises where there is none.

    Parameters
    ----------
    path : path

    See Also
    --------
    save_figure : writes it.

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.plots.figure_format("simplex.pdf")
    'pdf'
    """
    file = checked_path(path)
    kind = file.suffix[1:].lower()
    if kind not in FORMATS:
        raise ValueError(f"`path` must end in .{', .'.join(FORMATS)}, got {file.name!r}.")
    return kind


def _tex(kind: str) -> dict[str, Any]:
    """The TeX that measures the text of a pgf file: one that is here."""
    if kind != "pgf":
        return {}
    for system in ("xelatex", "lualatex", "pdflatex"):
        if shutil.which(system):
            return {"pgf.texsystem": system}
    raise ValueError("A .pgf file needs a TeX (xelatex, lualatex, pdflatex), and none was found. Save a .pdf or .svg.")


def _metadata(kind: str, description: str | None) -> dict[str, Any] | None:
    text = {} if description is None else {{"pdf": "Subject"}.get(kind, "Description"): description}
    if kind == "pdf":
        return {"CreationDate": None, **text}
    if kind == "svg":
        return {"Date": None, **text}
    return text if kind == "png" else None
