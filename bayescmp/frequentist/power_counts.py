"""Power and sample size of the exact sign test and McNemar's test.

An exact test's level and power jump with n, a saw-tooth; both are computed as they are.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, ndtri

from bayescmp.frequentist.power_result import (
    Power,
    check_direction,
    check_share,
    check_side,
    check_size,
    is_number,
    refuse_observed,
    root,
    unknown_of,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int_]
LARGEST_COUNT = 1_000_000
"""Where the search for a sample size ends."""


def power_sign_test(
    *,
    p_win: float | None = None,
    n: int | None = None,
    alpha: float | None = 0.05,
    power: float | None = None,
    alternative: str = "two-sided",
) -> Power:
    """Power of the exact sign test; solves for the one of p_win, n, alpha and power that is None.

    Parameters
    ----------
    p_win : float, optional
        The probability that A is better on a dataset where they differ.
    n : int, optional
        Datasets without a tie.
    alpha, power : float, optional
        The exact test's real level is below alpha: `details["level"]`.
    alternative : "two-sided", "greater" or "less"

    Returns
    -------
    Power
        Power is a saw-tooth in n: `n` is the least with that power, `details["n_stays"]` the least from which it never
        falls below again. Solved for alpha: the least of the attainable levels.

    See Also
    --------
    sign_test, power_curve

    References
    ----------
    Chernick, Liu (2002). The saw-toothed behavior of power versus sample size and software solutions.

    Examples
    --------
    >>> from bayescmp.frequentist import power_sign_test
    >>> power_sign_test(p_win=0.8, n=10).power.__round__(4)
    0.3758
    >>> power_sign_test(p_win=0.8, power=0.8).n
    20
    """
    unknown = unknown_of(p_win=p_win, n=n, alpha=alpha, power=power)
    check_side(alternative)
    p = math.nan if p_win is None else check_share("p_win", p_win)
    size = 0 if n is None else int(check_size(n, 1, "datasets without a tie", whole=True))
    level, target = (math.nan if x is None else float(x) for x in (alpha, power))
    details: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    if unknown == "p_win":
        least = _sign_power(np.array([size]), 0.5, level, alternative)[0]
        if least == 0:
            raise ValueError(_cannot_reject(size, level) + " No p_win gives any power: give a larger `n` or `alpha`.")
        if target <= least:
            raise ValueError(f"`power` must be above the test's level {least:.4g}, got {target:g}.")
        side = -1 if alternative == "less" else 1

        def excess(x: float) -> float:
            return float(_sign_power(np.array([size]), 0.5 + side * x, level, alternative)[0]) - target

        p = 0.5 + side * root(excess, 0.0, 0.5)
    elif unknown == "n":
        check_direction("p_win", p - 0.5, alternative, f"p_win = {p:g}")
        size, details["n_stays"] = _least_n(lambda m: _sign_power(m, p, level, alternative), target, abs(p - 0.5), 1.0)
        notes += _saw_tooth(size, details["n_stays"])
    elif unknown == "alpha":
        level = _least_level(size, p, alternative, target)
    reached = float(_sign_power(np.array([size]), p, level, alternative)[0])
    details["level"] = float(_sign_power(np.array([size]), 0.5, level, alternative)[0])
    if details["level"] == 0:
        notes += (_cannot_reject(size, level),)
    return Power(
        effect=p,
        effect_name="p_win",
        n=size,
        alpha=level,
        power=reached,
        solved_for="effect" if unknown == "p_win" else unknown,
        method="sign test, exact binomial, without ties",
        alternative=alternative,
        notes=notes,
        details=details,
    )


def power_mcnemar(
    *,
    p_only_a: float,
    p_only_b: float,
    n: int | None = None,
    alpha: float = 0.05,
    power: float | None = None,
    alternative: str = "two-sided",
) -> Power:
    """Power of the exact McNemar test; solves for the one of n and power that is None.

    Parameters
    ----------
    p_only_a, p_only_b : float
        The probabilities that an instance is classified rightly by A only, and by B only.
    n : int, optional
        Test instances, those on which both agree included.
    alpha : float
        Cannot be solved for: the attainable levels depend on the number of disagreements.
    power : float, optional
    alternative : "two-sided", "greater" (A better) or "less"

    Returns
    -------
    Power
        Its effect is p_only_a - p_only_b, the difference of the accuracies.

    See Also
    --------
    mcnemar_test, power_curve

    Examples
    --------
    >>> from bayescmp.frequentist import power_mcnemar
    >>> round(power_mcnemar(p_only_a=0.08, p_only_b=0.04, n=1000).power, 3)
    0.951
    """
    for name, value in (("p_only_a", p_only_a), ("p_only_b", p_only_b)):
        refuse_observed(name, value)
        if not is_number(value) or not 0 <= value <= 1:
            raise ValueError(f"`{name}` must be a probability between 0 and 1, got {value!r}.")
    differ = p_only_a + p_only_b
    if not 0 < differ <= 1 + 1e-12:
        raise ValueError(
            f"`p_only_a` + `p_only_b` is the share of instances on which the models differ: above 0 and at most 1, got "
            f"{differ:g}."
        )
    differ = min(differ, 1.0)
    unknown = unknown_of(n=n, power=power)
    check_side(alternative)
    level = check_share("alpha", alpha)
    size = 0 if n is None else int(check_size(n, 1, "instances", whole=True))
    details: dict[str, Any] = {"p_only_a": float(p_only_a), "p_only_b": float(p_only_b)}
    notes: tuple[str, ...] = ()

    def power_at(sizes: Ints, a: float, share: float = p_only_a / differ) -> Floats:
        return np.array([_mcnemar_power(int(m), differ, share, a, alternative) for m in sizes])

    gap = p_only_a - p_only_b
    if unknown == "n":
        check_direction("p_only_a", gap, alternative, f"p_only_a - p_only_b = {gap:g}")
        away = abs(gap) / differ / 2
        size, details["n_stays"] = _least_n(lambda m: power_at(m, level), float(power or 0), away, differ)
        notes += _saw_tooth(size, details["n_stays"])
    details["level"] = float(power_at(np.array([size]), level, 0.5)[0])
    return Power(
        effect=gap,
        effect_name="p_only_a - p_only_b",
        n=size,
        alpha=level,
        power=float(power_at(np.array([size]), level)[0]),
        solved_for=unknown,
        method=f"McNemar test, exact binomial, models differ on {differ:.4g} of the instances",
        alternative=alternative,
        notes=notes,
        details=details,
    )


def _sign_power(n: Ints, p: float, alpha: float, alternative: str) -> Floats:
    """P(reject) for each n: as many wins as a fair coin has with probability at most alpha (half of it a side)."""
    tail = alpha / 2 if alternative == "two-sided" else alpha
    most = _most_losses(n, tail)
    can = most >= 0
    wins, losses = (np.where(can, bdtr(np.maximum(most, 0), n, x), 0.0) for x in (1 - p, p))
    return {"two-sided": wins + losses, "greater": wins, "less": losses}[alternative]


def _most_losses(n: Ints, tail: float) -> Ints:
    """The largest c with P(X <= c) <= tail for a fair coin, -1 where there is none: from the normal guess, by steps."""
    c = np.floor(n / 2 + ndtri(tail) * np.sqrt(n) / 2).astype(int).clip(-1, n - 1)
    limit = tail * (1 + 1e-10)  # bdtr rounds, and a level may be met exactly
    while (high := (c >= 0) & (bdtr(np.maximum(c, 0), n, 0.5) > limit)).any():
        c = c - high
    while (low := (c < n - 1) & (bdtr(c + 1.0, n, 0.5) <= limit)).any():
        c = c + low
    return c


def _least_level(n: int, p: float, alternative: str, target: float) -> float:
    """The least attainable level with this power; power grows with the level."""
    levels = bdtr(np.arange(n, dtype=float), n, 0.5) * (2 if alternative == "two-sided" else 1)
    enough = [
        a
        for a in levels[(levels > 0) & (levels < 1)]
        if _sign_power(np.array([n]), p, float(a), alternative)[0] >= target
    ]
    if not enough:
        raise ValueError(f"No alpha below 1 gives a power of {target:g} with n = {n}. Give a larger `n`.")
    return float(enough[0])


def _mcnemar_power(n: int, differ: float, share: float, alpha: float, alternative: str) -> float:
    """The sign test's power, averaged over the binomial number of instances on which the models differ."""
    center, spread = n * differ, math.sqrt(n * differ * (1 - differ))
    d = np.arange(max(1, math.floor(center - 9 * spread - 9)), min(n, math.ceil(center + 9 * spread + 9)) + 1)
    at_most = bdtr(d.astype(float), n, differ)
    mass = at_most - bdtr(d - 1.0, n, differ)
    upper = d > center  # differences of tails from the nearer side
    mass[upper] = bdtrc(d[upper] - 1.0, n, differ) - bdtrc(d[upper].astype(float), n, differ)
    return float((mass * _sign_power(d, share, alpha, alternative)).sum())


def _least_n(power_at: Callable[[Ints], Floats], target: float, away: float, differ: float) -> tuple[int, int]:
    """The least n with this power, and the least from which it never falls below: a saw-tooth has both.

    A tooth is about 1 / away disagreements wide, so a window of some around the crossing is enough; where the number of
    disagreements is random as well, it evens the teeth out.
    """
    window = math.ceil(12 / away + 40)
    if differ < 0.5:
        window = min(math.ceil(window / differ), 500)
    high = 8
    while power_at(np.array([high]))[0] < target or power_at(np.array([high + high // 2]))[0] < target:
        high *= 2
        if high > LARGEST_COUNT:
            raise ValueError(f"More than {LARGEST_COUNT} observations would be needed. Give a larger effect.")
    low = 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(np.array([middle]))[0] >= target else (middle, high)
    n = np.arange(max(1, high - window), high + window + 1)
    reached = power_at(n) >= target
    return int(n[reached.argmax()]), int(n[len(n) - reached[::-1].argmin()] if not reached.all() else n[0])


def _saw_tooth(n: int, stays: int) -> tuple[str, ...]:
    if stays == n:
        return ()
    return (f"the power of an exact test is a saw-tooth: it falls below again for some n up to {stays - 1}",)


def _cannot_reject(n: int, alpha: float) -> str:
    return f"With n = {n} this test cannot reject at alpha = {alpha:g}, whatever the data."
