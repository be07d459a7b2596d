"""Checks of arguments: each returns its argument in plain form, or raises an error that says what it must be.

What a check of one test needs is beside that test; what scores must be is in `scores`.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from bayescmp.errors import ScoresError, name_list, unknown_name

Number = int | float | np.integer | np.floating
ALTERNATIVES = ("two-sided", "greater", "less")
LEAST_DRAWS = 1000
"""Fewer draws behind a probability give no second decimal, and an interval that may not hold its own mean."""


# ---- what it is


def is_one_of(option: object, known: Iterable[str]) -> bool:
    """Whether an option is one of the known words; an array or a list is not, instead of an error of its own."""
    return isinstance(option, str) and option in known


def is_list(value: object) -> bool:
    """Whether this can be gone through item by item; text and an array without an axis cannot."""
    return isinstance(value, Iterable) and not isinstance(value, str) and getattr(value, "ndim", 1) > 0


def is_number(value: object) -> TypeGuard[Number]:
    """Whether this is a real number and not a switch; NaN is one, and fails every comparison."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


# ---- numbers


def check_number(name: str, value: object) -> float:
    """One real number; the caller checks what else it must be."""
    if not is_number(value):
        raise ValueError(f"`{name}` must be a number, got {value!r}.")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"`{name}` must be a number of ordinary size, got one of {len(str(value))} digits.") from None


def check_numbers(name: str, values: Any) -> NDArray[np.float64]:
    """An array of real numbers, none of them NaN, or one of them."""
    try:
        given = np.asarray(values)
        real = given.dtype.kind in "iuf" or (
            given.dtype == object and all(isinstance(x, (Real, Decimal)) for x in given.flat)
        )
        numbers = given.astype(float) if real else None
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if numbers is None or np.isnan(numbers).any():
        raise ValueError(f"`{name}` must be numbers, got {values!r}.")
    return numbers


def check_pair(a: str, b: str, models: tuple[str, ...]) -> None:
    """Two different models of those that there are."""
    for model in (a, b):
        if not is_one_of(model, models):
            raise unknown_name("model", model, models)
    if a == b:
        raise ScoresError(f'A pair must be two models, got "{a}" twice. Known models: {name_list(models)}.')


def check_contrast(weights: Any, models: tuple[str, ...]) -> NDArray[np.float64]:
    """A weight for each model; together they are 0."""
    if not isinstance(weights, Mapping):
        raise ValueError(f"`weights` must be a mapping of model to number, got {weights!r}.")
    found = np.zeros(len(models))
    for model, weight in weights.items():
        if not is_one_of(model, models):
            raise unknown_name("model", model, models)
        found[models.index(model)] = check_number(f"the weight of {model}", weight)
    with np.errstate(over="ignore"):
        scale = np.abs(found).sum()
    if not 0 < scale < np.inf or abs(found.sum()) > 1e-9 * scale:
        raise ValueError(f"`weights` must sum to 0, and neither be all 0 nor endless, got {dict(weights)!r}.")
    return found


def check_count(name: str, value: object, least: int = 1) -> int:
    """A whole number that an array can have as its length."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"`{name}` must be a whole number of at least {least}, got {value!r}.")
    if value >= 2**31:
        raise ValueError(f"`{name}` must be a number that fits into memory, got {value!r}.")
    return int(value)


def check_draws(draws: object, chains: int | None = None) -> int:
    """A number of draws (of each chain) that probabilities can rest on."""
    found = check_count("draws", draws)
    if found * (chains or 1) < LEAST_DRAWS:
        came = f"{found}" if chains is None else f"{found} in each of {chains}, {found * chains} together"
        of = "" if chains is None else " over all chains"
        raise ValueError(
            f"`draws` must be at least {LEAST_DRAWS:,}{of}, because probabilities are shares of the draws; got {came}. "
            "For a few draws to look at use posterior.draws(n)."
        )
    return found


def checked_seed(random_seed: int | None) -> int:
    """The seed as given, or a new one to record."""
    if random_seed is None:
        return int(np.random.SeedSequence().entropy % 2**32)  # type: ignore[operator]
    if isinstance(random_seed, bool) or not isinstance(random_seed, (int, np.integer)) or random_seed < 0:
        raise ValueError(f"`random_seed` must be a whole number of 0 or more, got {random_seed!r}.")
    return int(random_seed)


# ---- shares: numbers strictly between two others


def check_share(name: str, value: object, *, low: float = 0.0, high: float = 1.0, hint: str = "") -> float:
    """A number between `low` and `high`, ends excluded."""
    if not is_number(value) or not low < check_number(name, value) < high:
        raise ValueError(f"`{name}` must be a number between {low:g} and {high:g}, got {value!r}.{hint}")
    return float(value)


def check_threshold(threshold: object) -> float:
    """The posterior probability needed for a decision."""
    return check_share("threshold", threshold, low=0.5, hint=" At 0.5 or below, two regions could reach it.")


def check_mass(mass: object) -> float:
    """The mass of a credible interval."""
    whole = " An interval with all of the mass is the whole support, whatever the data: use 0.99 or less."
    return check_share("mass", mass, hint=whole if is_number(mass) and mass == 1 else " For 95 % use 0.95.")


def check_level(confidence_level: object) -> float:
    """The level of a confidence interval."""
    return check_share("confidence_level", confidence_level, hint=" For 95 % use 0.95.")


def check_alpha(alpha: object, below: float = 1.0) -> float:
    """A level of significance."""
    return check_share("alpha", alpha, high=below)


def check_cost(switching_cost: object) -> float:
    """What a change of model costs, in units of the score."""
    if not 0 <= (cost := check_number("switching_cost", switching_cost)) < float("inf"):
        raise ValueError(f"`switching_cost` must be 0 or more, got {switching_cost!r}.")
    return cost


def check_p_values(name: str, values: Iterable[float]) -> None:
    """Refuse what no test can have given, as in a file that was edited."""
    for p in values:
        if not 0 <= p <= 1:
            raise ValueError(f"`{name}` must be between 0 and 1, got {p!r}.")


# ---- words and switches


def check_switch(name: str, value: object) -> bool:
    """True or False; a text such as "False", which Python treats as true, is neither."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"`{name}` must be True or False, got {value!r}.")
    return bool(value)


def check_alternative(alternative: str) -> str:
    """One of the three alternatives."""
    if not is_one_of(alternative, ALTERNATIVES):
        raise ValueError(
            f'`alternative` must be "two-sided", "greater" (A better) or "less" (B better), got {alternative!r}.'
        )
    return alternative
