"""Every error and warning that bayescmp raises by itself.

Errors are `ValueError`s, so `except ValueError` catches them all. A message says what is wrong, what it must be,
what came, and what to do.
"""

import difflib
import sys
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ScoresError(ValueError):
    """The table of results cannot be used as it is."""


class ResamplingError(ValueError):
    """The resampling design is missing, impossible, or does not fit the scores."""


class RopeError(ValueError):
    """The region of practical equivalence is not a region."""


class ConvergenceWarning(UserWarning):
    """MCMC diagnostics say that the draws cannot be trusted."""


class DegenerateWarning(UserWarning):
    """All differences are equal: the answer is exact but rests on no variation at all."""


class RepeatsWarning(UserWarning):
    """Two repeats of a cross-validation are copies of each other, so they are no repeats."""


class PriorWarning(UserWarning):
    """The data say so little that the prior decides."""


class ScaleWarning(UserWarning):
    """The rope seems to be on another scale than the scores."""


class MissingWarning(UserWarning):
    """Datasets were left out because one of the two models was not run on them."""


def warn(message: str, category: type[Warning]) -> None:
    """A warning that points at the line outside of this package where the call came from."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "bayescmp":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


MALFORMED = (KeyError, TypeError, AttributeError, IndexError)
"""What Python raises where data has not the shape that a `from_dict` expects."""


def unknown_name(kind: str, name: object, known: Iterable[str]) -> ScoresError:
    """The error for a name that is not there, with the nearest names that are."""
    known = list(known)
    close = difflib.get_close_matches(str(name), known, n=1)
    hint = f' Did you mean "{close[0]}"?' if close else ""
    return ScoresError(f'There is no {kind} "{name}".{hint} Known {kind}s: {name_list(known)}.')


def name_list(names: Iterable[str], most: int = 8) -> str:
    """Names in quotes, cut after `most` of them."""
    names = list(names)
    shown = ", ".join(f'"{name}"' for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


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
