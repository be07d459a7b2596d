"""The highest-density interval: the shortest interval that holds a given share of a posterior."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.checks import check_mass

DEFAULT_MASS = 0.95
ROUGH_EVERY = 31


def hdi(posterior: Any, mass: float = DEFAULT_MASS) -> tuple[float, float]:
    """The shortest interval that holds `mass` of a posterior.

    Parameters
    ----------
    posterior : array of draws, or a distribution with `ppf`
        A continuous unimodal distribution, as scipy makes them; for draws, the shortest run that holds the mass.
    mass : float
        Between 0 and 1.

    See Also
    --------
    Posterior : whose method `hdi` calls it.
    bayescmp.plots.plot_hdi : draws the interval for every mass.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> low, high = hdi(norm(), 0.95)
    >>> round(low, 3), round(high, 3)
    (-1.96, 1.96)
    """
    check_mass(mass)
    if hasattr(posterior, "pmf"):
        raise ValueError("An HDI needs a continuous distribution, got a discrete one.")
    return _of_distribution(posterior, mass) if hasattr(posterior, "ppf") else _of_draws(posterior, mass)


def _of_draws(draws: ArrayLike, mass: float) -> tuple[float, float]:
    try:
        if np.iscomplexobj(draws):
            raise ValueError
        values = np.asarray(draws, dtype=float).ravel()
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"`posterior` must be draws or a distribution with `ppf`, got {draws!r}.") from None
    if values.size == 0 or not np.isfinite(values).all():
        raise ValueError("An HDI needs draws, finite numbers; `posterior` has none, or NaN or infinity among them.")
    inside = min(int(np.ceil(mass * values.size)), values.size)
    left_out = values.size - inside
    # only the ends need an order: cut them off by a rough look at some of the draws
    rough = values[::ROUGH_EVERY]
    beyond = int(1.3 * (1 - mass) * rough.size) + 8
    if 2 * beyond < rough.size:
        low, high = np.partition(rough, (beyond, rough.size - 1 - beyond))[[beyond, -1 - beyond]]
        outside = values[np.flatnonzero((values <= low) | (values >= high))]  # faster than by a mask
        if min(np.count_nonzero(outside <= low), np.count_nonzero(outside >= high)) > left_out:
            values = outside
    ordered = np.sort(values)
    starts, ends = ordered[: left_out + 1], ordered[-1 - left_out :]
    shortest = int(np.argmin(ends - starts))
    return float(starts[shortest]), float(ends[shortest])


def _of_distribution(distribution: Any, mass: float) -> tuple[float, float]:
    """Slide the lower tail's probability to where the interval is shortest."""
    from scipy.optimize import minimize_scalar

    def width(lower_tail: Any) -> Any:
        return distribution.ppf(lower_tail + mass) - distribution.ppf(lower_tail)

    tail = 1 - mass
    # the width may be infinite at either end, so search inside and compare with the two one-sided intervals
    rough = tail * np.linspace(1e-9, 1 - 1e-9, 33)
    near = int(np.argmin(width(rough)))  # of two peaks the search below finds the nearer one only
    bounds = rough[max(near - 1, 0)], rough[min(near + 1, 32)]
    best = minimize_scalar(lambda x: float(width(x)), bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
    best = min((0.0, best, tail), key=lambda x: float(width(x)))
    return float(distribution.ppf(best)), float(distribution.ppf(best + mass))
