"""The figures of a report: each as SVG that can stand inside a page with a strict content security policy."""

import io
import math
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree

if TYPE_CHECKING:
    from bayescmp.bayes.posterior import Posterior
    from bayescmp.bayes.ranking.result import RankingPosterior
    from bayescmp.comparison.result import Comparison

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
MOST_MODELS = 20
"""P(best) of more models is read from the table."""
MOST_PAIRS = 60
"""A forest of more pairs is no longer readable."""
MOST_CURVES = 3
"""Every pair has a rope curve of its own; with more pairs the slider shows the same."""
MOST_CHARACTERS = 500_000
INKS = {
    "#000000": "currentColor",
    "#000": "currentColor",
    "black": "currentColor",
    "#1a1a1a": "currentColor",
    "#595959": "var(--soft)",
    "#8c8c8c": "var(--faint)",
    "#d0d0d0": "var(--e)",
    "#e3e3e3": "var(--grid)",
    "#e8e8e8": "var(--rope)",
    "#b3b3b3": "var(--e)",
    "#0072b2": "var(--a)",
    "#e69f00": "var(--b)",
    "#ffffff": "var(--paper)",
    "white": "var(--paper)",
}
"""Colours of the figures as those of the page, which has two sets of them."""
FONT = re.compile(r"(?:(?P<style>italic|oblique)\s+)?(?:(?P<weight>\w+)\s+)?(?P<size>[\d.]+px)\s+(?P<family>.+)")


class Figure(NamedTuple):
    """A figure as inline SVG, with its alternative text."""

    title: str
    svg: str
    alt: str


def figures(c: "Comparison", ranking: "RankingPosterior | None") -> list[Figure]:
    """P(best), ranks, the forest, right and wrong on items, rope curves: the figure of all pairs is the page's own."""
    drawn: list[tuple[str, str, Any]] = []
    if ranking is not None and 2 < len(c.models) <= MOST_MODELS:
        drawn.append(("Probability of being the best", "plot_p_best", ranking))
        if len(c.pair_names) > MOST_CURVES:
            drawn.append(("Expected ranks", "plot_ranking_groups", ranking))
    if len(c.pair_names) <= MOST_PAIRS and c.posteriors[0].mean is not None:
        drawn.append(("Mean differences with 95% HDI", "plot_forest", c))
    if len(c.pair_names) <= MOST_CURVES:
        counted = [p for p in c.posteriors if "counts" in p.settings]
        drawn += [(f"Right and wrong: {p.a} vs {p.b}", "plot_agreement", p) for p in counted]
    if len(c.pair_names) <= MOST_CURVES and not c.setting.bayes_test.slow and _has_curve(c.posteriors[0]):
        drawn += [(f"How the answer moves with the rope: {p.a} vs {p.b}", "plot_rope_curve", p) for p in c.posteriors]
    found: list[Figure] = []
    if not drawn:
        return found
    from bayescmp import plots

    for title, name, result in drawn:
        svg = inline_svg(_svg(getattr(plots, name), result), f"figure{len(found) + 1}")
        if len(svg) <= MOST_CHARACTERS:
            found.append(Figure(title, svg, plots.alt_text(result)))
    return found


def _has_curve(p: "Posterior") -> bool:
    """Whether there are ropes to draw a curve over: around the rope that was given, or around the estimate."""
    return math.isfinite(p.rope.high - p.rope.low) and (p.mean is not None or not p.rope.is_zero)


def inline_svg(svg: str, prefix: str) -> str:
    """The drawing without what a page must not have: metadata, scripts, style attributes, ids of another drawing."""
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    root = ElementTree.fromstring(svg)  # noqa: S314 -- drawn by matplotlib a moment ago
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag not in {f"{{{SVG}}}{tag}" for tag in KNOWN}:
                parent.remove(child)
    referenced = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    for element in root.iter():
        _clean(element, prefix, referenced)
    for element in root.iter():
        for name in ("fill", "stroke", "stop-color"):
            if name in element.attrib:
                element.set(name, INKS.get(element.attrib[name].lower(), element.attrib[name]))
        if element.tag == f"{{{SVG}}}text" and "fill" not in element.attrib:
            element.set("fill", "currentColor")
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("aria-hidden", "true")  # the figure around it is labelled
    root.set("focusable", "false")
    return ElementTree.tostring(root, encoding="unicode")


KNOWN = (
    "g defs path use clipPath rect circle ellipse line polyline polygon text tspan image pattern linearGradient "
    "radialGradient stop mask symbol svg"
).split()


def _clean(element: ElementTree.Element, prefix: str, referenced: set[str]) -> None:
    for part in element.attrib.pop("style", "").split(";"):
        name, _, value = (x.strip() for x in part.partition(":"))
        if name == "font" and (font := FONT.fullmatch(value)):
            for key, x in font.groupdict().items():
                if x:
                    element.set(f"font-{key}", x)
        elif name and value:
            element.set(name, value)
    for name, value in list(element.attrib.items()):
        bare = name.rpartition("}")[2]
        if bare.startswith("on") or (bare == "href" and not value.startswith(("#", "data:image/png;"))):
            del element.attrib[name]
        elif bare == "id" and value not in referenced:
            del element.attrib[name]  # the names of artists, which may come more than once
        elif bare == "id":
            element.set(name, f"{prefix}-{value}")
        elif bare == "href" and value.startswith("#"):
            element.set(name, f"#{prefix}-{value[1:]}")
        elif "url(#" in value:
            element.set(name, value.replace("url(#", f"url(#{prefix}-"))


def _svg(plot: Callable[..., Any], result: Any) -> str:
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "bayescmp"}):
        figure = plot(result).figure
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None}, bbox_inches="tight")
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(figure)
    return text.getvalue()
