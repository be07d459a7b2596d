"""Three rules that turn a posterior into a decision: probability threshold, HDI against rope, expected loss."""

from typing import Any

from bayescmp.rope import Decision, Rope


def hdi_decision(low: float | None, high: float | None, rope: Rope | None) -> Decision | None:
    """Better or worse where the whole HDI is beyond the rope, equivalent where it is inside; None without an HDI."""
    if low is None or high is None or rope is None:
        return None
    if low > rope.high:
        return Decision.A_BETTER
    if high < rope.low:
        return Decision.B_BETTER
    if rope.low <= low and high <= rope.high and not rope.is_zero:
        return Decision.EQUIVALENT
    return Decision.UNDECIDED


def loss_decision(loss_a: float | None, loss_b: float | None, switching_cost: float) -> Decision | None:
    """The model whose expected shortfall is smaller by more than it costs to switch; undecided means: keep yours."""
    if loss_a is None or loss_b is None:
        return None
    if loss_b - loss_a > switching_cost:
        return Decision.A_BETTER
    return Decision.B_BETTER if loss_a - loss_b > switching_cost else Decision.UNDECIDED


def threshold_decision(row: dict[str, Any], threshold: float) -> Decision:
    """The region whose probability reaches the threshold."""
    regions = (Decision.A_BETTER, Decision.EQUIVALENT, Decision.B_BETTER)
    for decision, name in zip(regions, ("p_better", "p_equivalent", "p_worse"), strict=True):
        if row[name] >= threshold:
            return decision
    return Decision.UNDECIDED


def in_words(decision: Decision | None, a: str, b: str) -> str | None:
    """The decision with the models' names."""
    if decision is None:
        return None
    return {Decision.A_BETTER: f"{a} better", Decision.B_BETTER: f"{b} better"}.get(decision, decision.value)
