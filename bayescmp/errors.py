"""Every error and warning that bayescmp raises by itself.

Errors are `ValueError`s, so `except ValueError` catches them all. A message says what is wrong, what it must be,
what came, and what to do. (A misspelt argument is Python's own `TypeError`.)
"""

import sys
import warnings
from collections.abc import Iterable

import numpy as np


class ScoresError(ValueError):
    """The table of results cannot be used as it is."""


class ResamplingError(ValueError):
    """The resampling design is missing, impossible, or does not fit the scores."""


class RopeError(ValueError):
    """The region of practical equivalence is not a region."""


class ConvergenceWarning(UserWarning):
    """MCMC diagnostics show that the draws cannot be trusted."""


class DegenerateWarning(UserWarning):
    """All differences are equal: the answer is exact but rests on no variation at all."""


class RepeatsWarning(UserWarning):
    """Something counts twice: two repeats or datasets that are copies, or a dataset named like a mean of the others."""


class PriorWarning(UserWarning):
    """The data are so few that the prior decides."""


class ScaleWarning(UserWarning):
    """The rope seems to be on another scale than the scores, or some scores on another one than the others."""


class MissingWarning(UserWarning):
    """Datasets or items were left out because a model was not run on them, or has no score there."""


def warn(message: str, category: type[Warning]) -> None:
    """A warning that points at the line outside of this package where the call came from."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "bayescmp":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


MALFORMED = (KeyError, TypeError, AttributeError, IndexError)
"""What Python raises where data does not have the shape that a `from_dict` expects."""


def unknown_name(kind: str, name: object, known: Iterable[str]) -> ScoresError:
    """The error for a name that is not there, with the nearest names that are."""
    import difflib

    known = list(known)
    close = difflib.get_close_matches(str(name), known, n=1)
    hint = f' Did you mean "{few_words(close[0])}"?' if close else ""
    return ScoresError(f'There is no {kind} "{few_words(name)}".{hint} Known {kind}s: {name_list(known)}.')


def name_list(names: Iterable[str], most: int = 8) -> str:
    """Names in quotes, cut after `most` of them."""
    names = list(names)
    some = ", ".join(f'"{few_words(name)}"' for name in names[:most])
    return some + (f" and {len(names) - most} more" if len(names) > most else "")


def few_words(text: object, most: int = 60) -> str:
    """A text for a message: no more of it than a few words."""
    whole = str(text)
    return whole if len(whole) <= most else whole[: most - 3] + "..."


def shown(value: object) -> str:
    """A cell of a file or an argument for a message, as Python writes it, and no more of it than a few words."""
    value = value.item() if isinstance(value, np.generic) else value
    return repr(few_words(value)) if isinstance(value, str) else few_words(repr(value))
