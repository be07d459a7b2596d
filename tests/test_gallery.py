"""Every figure with ordinary and extreme data: no text covers another or leaves the paper, nothing else changes."""

import importlib.util
import io
import re
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import style
from matplotlib._pylab_helpers import Gcf
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from bayescmp import plots

SCRIPT = Path(__file__).parents[1] / "scripts" / "gallery.py"
if not SCRIPT.exists():
    pytest.skip("the scripts are not in the source distribution", allow_module_level=True)
spec = importlib.util.spec_from_file_location("gallery", SCRIPT)
gallery = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gallery)

FAST = ("4 models", "long names", "rope 0")
DRAWINGS = [
    pytest.param(name, case, marks=() if case in FAST else pytest.mark.slow, id=f"{name}, {case}")
    for name, case in gallery.drawings()
]


@pytest.mark.parametrize(("name", "case"), DRAWINGS)
def test_nothing_covers_anything_and_nothing_else_changes(name, case):
    before, open_figures = dict(matplotlib.rcParams), len(Gcf.get_all_fig_managers())
    figure = gallery.figure_of(gallery.FIGURES[name](gallery.CASES[case]))
    assert gallery.faults(figure) == []
    assert dict(matplotlib.rcParams) == before
    assert len(Gcf.get_all_fig_managers()) == open_figures
    width, height = figure.get_size_inches() * 25.4
    assert round(width) in (85, 170)
    assert height < 260, "does not fit on a page"


@pytest.mark.slow
@pytest.mark.parametrize("case", ["2 models", "4 models", "long names", "other scripts"])
@pytest.mark.parametrize("name", gallery.FIGURES)
def test_across_two_columns(name, case):
    if case == "2 models" and name in ("critical difference", "p-values"):
        pytest.skip("needs three models; a matrix of one pair is not two columns wide")
    figure = gallery.figure_of(gallery.FIGURES[name](gallery.CASES[case], width_mm=170))
    assert gallery.faults(figure) == []


@pytest.mark.parametrize("name", sorted(gallery.FIGURES.keys() - {"simplices", "multi-comparison"}))
def test_three_figures_in_the_width_of_a_page(name):
    """As authors do it: three axes side by side in 6.8 inches; what is too wide leaves the paper on the right."""
    figure = Figure(figsize=(6.8, 3.0), layout="constrained")
    axes = figure.subplots(1, 3)
    assert gallery.FIGURES[name](gallery.CASES["4 models"], ax=axes[2]) is axes[2]
    assert gallery.faults(figure) == []


@pytest.mark.parametrize(("name", "case"), [("posterior", "4 models"), ("simplex", "rope 0"), ("matrix", "4 models")])
def test_a_figure_can_be_drawn_again_with_other_pixels(name, case):
    """A notebook shows it with 240 per inch, a pdf has 72: the layout is the same."""
    figure = gallery.figure_of(gallery.FIGURES[name](gallery.CASES[case]))
    widths = []
    for dpi in (240, 72, 150):
        figure.savefig(io.BytesIO(), format="png", dpi=dpi)
        widths.append(figure.axes[0].get_position().width)
        assert gallery.faults(figure) == []
    assert np.ptp(widths) < 0.05


@pytest.mark.parametrize("sheet", ["ggplot", "dark_background"])
def test_style_sheets_leave_cells_and_ropes_readable(sheet):
    """Lines of a grid do not cross the numbers of cells; the rope is near to the ground, not to the letters."""
    case = gallery.CASES["4 models"]
    with style.context(sheet):
        for name in ("matrix", "multi-comparison", "rank distribution"):
            ax = gallery.FIGURES[name](case)
            ax.figure.draw_without_rendering()
            assert not any(line.get_visible() for axis in (ax.xaxis, ax.yaxis) for line in axis.get_gridlines())
        for name in ("posterior", "forest", "hdi"):
            ax = gallery.FIGURES[name](case)
            band = next(patch for patch in ax.patches if patch.get_gid() == "rope")
            light = [
                np.mean(to_rgb(color)) for color in (ax.get_facecolor(), band.get_facecolor(), ax.title.get_color())
            ]
            assert 0.02 < abs(light[1] - light[0]) < 0.5 * abs(light[2] - light[1])


@pytest.mark.slow
def test_the_page_of_the_docs_has_every_figure():
    """Its cells run, each draws, and together they call every function that draws."""
    page = (SCRIPT.parents[1] / "docs" / "gallery.md").read_text(encoding="utf-8")
    called = set()
    for name in [name for name in plots.__all__ if name.startswith("plot_") and name != "plot_result"]:
        module = sys.modules[f"bayescmp.plots.{name.removeprefix('plot_')}"]
        code = getattr(module, name).__code__
        called.add((name, code))
    drawn, names = set(), {}

    def note(frame, event, arg):
        drawn.add(frame.f_code)

    first, *cells = re.findall(r"^```\{code-cell\} python\n(?:---\n.*?^---\n)?(.*?)^```$", page, re.M | re.S)
    exec(first, names)
    sys.setprofile(note)
    try:
        shown = [eval(cell, names) for cell in cells]
    finally:
        sys.setprofile(None)
    assert all(hasattr(one, "_repr_png_") for one in shown)
    assert {name for name, code in called if code not in drawn} == set()
    for one in shown:
        assert gallery.faults(gallery.figure_of(one)) == []


def test_a_text_that_covers_another_would_be_found():
    figure = Figure()
    figure.text(0.5, 0.5, "one")
    figure.text(0.5, 0.5, "two")
    figure.text(0.99, 0.2, "beyond")
    assert gallery.faults(figure) == ["'beyond' leaves the paper", "'one' covers 'two'"]
