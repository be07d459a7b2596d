"""Checks of arguments: each returns its argument in plain form, or raises an error that says what it must be."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_one_of(option: object, known: Iterable[str]) -> bool:
    """Whether an option is one of the known words; an array or a list is none, instead of an error of its own."""
    return isinstance(option, str) and option in known


def is_list(value: object) -> bool:
    """Whether this can be gone through item by item; text and an array without an axis cannot."""
    return isinstance(value, Iterable) and not isinstance(value, str) and getattr(value, "ndim", 1) > 0


def check_switch(name: str, value: object) -> bool:
    """True or False; a text such as "False", which Python takes for true, is neither."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"`{name}` must be True or False, got {value!r}.")
    return bool(value)


def check_number(name: str, value: object) -> float:
    """One real number; what it must be further is for the caller to say."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ValueError(f"`{name}` must be a number, got {value!r}.")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"`{name}` must be a number of ordinary size, got one of {len(str(value))} digits.") from None


def check_numbers(name: str, values: Any) -> NDArray[np.float64]:
    """An array of real numbers, or one of them."""
    try:
        if np.iscomplexobj(values):
            raise TypeError
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"`{name}` must be numbers, got {values!r}.") from None


def check_threshold(value: object) -> float:
    """How probable an outcome must be for a decision."""
    threshold = check_number("threshold", value)
    if not 0.5 < threshold < 1:
        raise ValueError(
            f"`threshold` must be above 0.5 and below 1, got {value!r}: below, two regions could reach it."
        )
    return threshold


def check_count(name: str, value: object, least: int = 1) -> int:
    """A whole number that an array can have as its length."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"`{name}` must be a whole number of at least {least}, got {value!r}.")
    if value >= 2**31:
        raise ValueError(f"`{name}` must be a number that fits into memory, got {value!r}.")
    return int(value)


def check_mass(mass: float) -> float:
    """A mass between 0 and 1, ends excluded."""
    if not 0 < check_number("mass", mass) < 1:
        raise ValueError(f"`mass` must be between 0 and 1, got {mass}. For 95 % use 0.95.")
    return mass


def check_level(confidence_level: float) -> float:
    """A level between 0 and 1, or an error that says so."""
    if not isinstance(confidence_level, (int, float, np.number)) or not 0 < confidence_level < 1:
        raise ValueError(f"`confidence_level` must be between 0 and 1, such as 0.95; got {confidence_level!r}.")
    return float(confidence_level)


def check_alpha(alpha: float, below: float = 1.0) -> float:
    """A level of significance between 0 and `below`, or an error that says so."""
    if not isinstance(alpha, (int, float, np.number)) or not 0 < alpha < below:
        raise ValueError(f"`alpha` must be between 0 and {below:g}, got {alpha!r}.")
    return float(alpha)


ALTERNATIVES = ("two-sided", "greater", "less")


def check_alternative(alternative: str) -> str:
    """One of the three alternatives, or an error that names them."""
    if not is_one_of(alternative, ALTERNATIVES):
        raise ValueError(
            f'`alternative` must be "two-sided", "greater" (A better) or "less" (B better), got {alternative!r}.'
        )
    return alternative


def checked_seed(random_seed: int | None) -> int:
    """The seed as given, or a new one to record."""
    if random_seed is None:
        return int(np.random.SeedSequence().entropy % 2**32)  # type: ignore[operator]
    if isinstance(random_seed, bool) or not isinstance(random_seed, (int, np.integer)) or random_seed < 0:
        raise ValueError(f"`random_seed` must be a whole number of 0 or more, got {random_seed!r}.")
    return int(random_seed)
