"""Every sentence about a result, written once: a posterior, a test, and where the two schools differ.

The functions take results by their attributes and return text; results, tables, reports and the command line call them.
"""

import math
from typing import TYPE_CHECKING, Any

from bayescmp.scores.pair import SCALES
from bayescmp.text import number, probability

if TYPE_CHECKING:
    from bayescmp.bayes.difference import DifferencePosterior
    from bayescmp.bayes.posterior import Posterior
    from bayescmp.bayes.regions import RegionPosterior
    from bayescmp.rope import Rope


def of_difference(p: "DifferencePosterior", threshold: float | None = None, mass: float = 0.95) -> str:
    """The posterior of a mean difference, from the side of the model that is more probably better."""
    p = _leader_first(p)
    better, equivalent, worse = (probability(x, p.largest_mcse, threshold) for x in p.three)
    interval = f"mean {difference_text(p, mass)}"
    tied = math.isclose(p.p_better, p.p_worse)
    if p.rope.is_zero:
        if tied:
            return f"{p.a} and {p.b} are equally likely to be the better one ({interval})."
        return f"{p.a} is better than {p.b} with probability {better} ({interval})."
    rope = f"rope {rope_text(p.rope, p.scale)}"
    if p.p_equivalent >= p.p_better:
        return (
            f"{p.a} and {p.b} are practically equivalent with probability {equivalent} (P({p.a} better) = {better}, "
            f"P({p.b} better) = {worse}, {rope}; {interval})."
        )
    verdict = (
        f"{p.a} and {p.b} are equally likely to be practically better, with probability {better} each"
        if tied
        else f"{p.a} is practically better than {p.b} with probability {better}"
    )
    return f"{verdict} (P(equivalent) = {equivalent}, {rope}; {interval})."


def of_regions(p: "RegionPosterior", threshold: float | None = None) -> str:
    """The posterior of the three outcomes of something new, from the side of the model that is more probably better."""
    p = _leader_first(p)
    better, equivalent, _ = (probability(x, p.largest_mcse, threshold) for x in p.three)
    shares = f"expected shares {expected_text(p, ('better', 'equivalent', 'worse'))}"
    if math.isclose(p.p_better, p.p_worse, abs_tol=1e-9) and p.p_equivalent <= p.p_better:
        return f"{p.a} and {p.b} are equally likely to be the better one on {p.new} (P = {better} each); {shares}."
    if p.p_equivalent > p.p_better:
        within = "on each dataset" if p.scale == "ropes" else f"(rope {rope_text(p.rope, p.scale)})"
        return (
            f"The most probable outcome for {p.new} is that {p.a} and {p.b} are practically equivalent {within} "
            f"(P = {equivalent}); {shares} for {p.a}."
        )
    by = "" if p.rope.is_zero else " by more than its rope" if p.scale == "ropes" else f" by more than {p.rope.high:g}"
    return f"The most probable outcome for {p.new} is that {p.a} is better than {p.b}{by} (P = {better}); {shares}."


def expected_text(p: "RegionPosterior", names: tuple[str, str, str]) -> str:
    """The expected shares of the three outcomes, named."""
    shares = (p.expected or {}).values()
    parts = [f"{probability(x)} {name}" for name, x in zip(names, shares, strict=True)]
    if p.rope.is_zero:
        del parts[1]
    return ", ".join(parts)


def difference_text(p: "Posterior", mass: float = 0.95) -> str:
    """What a difference is called on this scale, its mean and its HDI, with the digits that are known."""
    mean, interval = estimate_text(p, mass)
    return f"{SCALES[p.scale]} {mean}, {100 * mass:g}% HDI {interval}"


def estimate_text(p: "Posterior", mass: float = 0.95) -> tuple[str, str]:
    """The mean difference and its HDI with the digits that are known; empty where the test has none."""
    if p.mean is None:
        return "", ""
    low, high = p.hdi(mass)
    width = high - low
    return number(p.mean, width), f"[{number(low, width)}, {number(high, width)}]"


def rope_text(rope: "Rope", scale: str = "score") -> str:
    """The rope as papers write it; on the scale "ropes" it counts the ropes that the datasets have of their own."""
    if scale != "ropes" or rope.is_zero:
        return rope.short
    times = f"{rope.high:g}" if rope.low == -rope.high else str(rope)
    return "each dataset's rope" if times == "1" else f"{times} times each dataset's rope"


def _leader_first(p: Any) -> Any:
    """The posterior with the model that is more probably better as A; as it is where both are equally so."""
    behind = p.p_worse > p.p_better and not math.isclose(p.p_worse, p.p_better)
    return p.swap() if behind else p
