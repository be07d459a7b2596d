"""Every figure with ordinary and extreme data: no text covers another or leaves the paper, nothing else changes."""

import importlib.util
from pathlib import Path

import matplotlib
import pytest
from matplotlib._pylab_helpers import Gcf
from matplotlib.figure import Figure

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
    if (name, case) == ("critical difference", "2 models"):
        pytest.skip("needs three models")
    figure = gallery.figure_of(gallery.FIGURES[name](gallery.CASES[case], width_mm=170))
    assert gallery.faults(figure) == []


@pytest.mark.parametrize("name", sorted(gallery.FIGURES.keys() - {"simplices", "multi-comparison"}))
def test_three_figures_in_the_width_of_a_page(name):
    """As authors do it: three axes side by side in 6.8 inches."""
    figure = Figure(figsize=(6.8, 3.0), layout="constrained")
    axes = figure.subplots(1, 3)
    assert gallery.FIGURES[name](gallery.CASES["4 models"], ax=axes[1]) is axes[1]
    assert gallery.faults(figure) == []


def test_a_text_that_covers_another_would_be_found():
    figure = Figure()
    figure.text(0.5, 0.5, "one")
    figure.text(0.5, 0.5, "two")
    figure.text(0.99, 0.2, "beyond")
    assert gallery.faults(figure) == ["'beyond' leaves the paper", "'one' covers 'two'"]
