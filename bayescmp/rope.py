"""The region of practical equivalence, and the decision it leads to."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.checks import is_list, is_number
from bayescmp.errors import RopeError, ScaleWarning, unknown_name, warn
from bayescmp.values import Value

BORDER_TOLERANCE = 1e-9
"""Relative: 0.86 - 0.85 is 0.01 plus a rounding error, and counts as inside a rope of 0.01."""


ROPE: Any = None
"""The default of `rope` where one must be given: `Rope.of` explains what it is."""


class Decision(Enum):
    """What a posterior decides about model A and model B.

    See Also
    --------
    Rope, bayescmp.bayes.Posterior

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)
    >>> p.decision(0.9) is bc.Decision.A_BETTER
    True
    """

    A_BETTER = "A better"
    EQUIVALENT = "equivalent"
    B_BETTER = "B better"
    UNDECIDED = "undecided"

    @classmethod
    def of(cls, three: Sequence[float], threshold: float) -> "Decision":
        """The outcome, of better, equivalent and worse, whose probability reaches the threshold."""
        for outcome, p in zip((cls.A_BETTER, cls.EQUIVALENT, cls.B_BETTER), three, strict=True):
            if p >= threshold:
                return outcome
        return cls.UNDECIDED

    def words(self, a: str, b: str) -> str:
        """The decision with the models' names."""
        return {Decision.A_BETTER: f"{a} better", Decision.B_BETTER: f"{b} better"}.get(self, self.value)


@dataclass(frozen=True)
class Rope(Value):
    """The closed interval of differences A - B (oriented: positive favours A) that make no practical difference.

    Parameters
    ----------
    low, high : float
        The borders, with low <= 0 <= high. `Rope(0, 0)` means that no difference is negligible.

    See Also
    --------
    Decision : what a rope and a posterior lead to.
    compare : takes one, or one for each dataset.

    Examples
    --------
    >>> Rope.of(0.01)
    Rope(low=-0.01, high=0.01)
    >>> Rope.of(0.01).regions([0.86 - 0.85, 0.02, -0.5])
    array([ 0,  1, -1])
    >>> Rope.of(0.01).short
    '±0.01'
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        try:
            low, high = float(self.low), float(self.high)
        except (TypeError, ValueError, OverflowError):
            raise RopeError(f"`rope` must be made of numbers, got {self.low!r} and {self.high!r}.") from None
        if math.isnan(low) or math.isnan(high):
            raise RopeError("`rope` must be a number, got NaN. Use rope=0 for no rope.")
        if low > high:
            raise RopeError(
                f"`rope` must go from low to high, got reversed borders ({low}, {high}). Use rope=({high}, {low})."
            )
        if low > 0 or high < 0:
            raise RopeError(f"`rope` must contain 0 (no difference is always equivalent), got ({low}, {high}).")
        # -0.0 would print as a different rope than 0.0
        object.__setattr__(self, "low", low + 0.0)
        object.__setattr__(self, "high", high + 0.0)

    @classmethod
    def of(cls, rope: "RopeLike") -> "Rope":
        """A rope from a half-width, a (low, high) pair, or a `Rope`; None raises an error that explains ropes."""
        if rope is None:
            raise RopeError(
                "`rope` must be given: the region of practical equivalence, which holds the differences between two "
                "models that make no practical difference to you. With rope=0.01, for example, accuracies within one "
                "percentage point make no practical difference; with rope=0 every difference counts. The page "
                '"Choosing a rope" of the documentation shows how to choose one.'
            )
        if isinstance(rope, Rope):
            return rope
        if isinstance(rope, (tuple, list)):
            if len(rope) != 2:
                raise RopeError(f"`rope` must be (low, high), got {len(rope)} values: {rope!r}.")
            return cls(*rope)
        if not is_number(rope):
            raise RopeError(f"`rope` must be a number, a (low, high) pair or a Rope, got {rope!r}.")
        try:
            width = float(rope)
        except OverflowError:
            raise RopeError(
                "`rope` must be a number of ordinary size. Use rope=math.inf for a rope without an end."
            ) from None
        if width < 0:
            raise RopeError(f"`rope` must not be negative, got {width}. A rope of {-width} means [{width}, {-width}].")
        return cls(-width, width)

    @property
    def is_zero(self) -> bool:
        """True where the rope is the single point 0: no difference counts as equivalent."""
        return self.low == self.high

    @property
    def short(self) -> str:
        """The rope as papers print it: "0", "±0.01", or "[-0.01, 0.02]" where it is asymmetric."""
        if self.is_zero:
            return "0"
        return f"±{self.high:g}" if self.low == -self.high else str(self)

    def swap(self) -> "Rope":
        """The same rope for B - A."""
        return Rope(-self.high, -self.low)

    def regions(
        self, differences: NDArray[np.float64], rounding: float | NDArray[np.float64] = 0.0
    ) -> NDArray[np.int_]:
        """1 where A is better, 0 inside the rope (borders included), -1 where B is better.

        `rounding` is the absolute error that the differences may carry from the scores that they come from.
        """
        d = np.asarray(differences, dtype=float)
        above = d > self.high + BORDER_TOLERANCE * abs(self.high) + rounding
        below = d < self.low - BORDER_TOLERANCE * abs(self.low) - rounding
        return above.astype(int) - below.astype(int)

    def __str__(self) -> str:
        return f"[{self.low:g}, {self.high:g}]"


RopeLike = float | tuple[float, float] | list[float] | Rope


def rope_for(rope: RopeLike | Mapping[str, RopeLike], dataset: str) -> Rope:
    """The rope of one dataset, from one rope for all or a mapping from dataset to rope."""
    if not isinstance(rope, Mapping):
        return Rope.of(rope)
    if dataset not in rope:
        raise RopeError(str(unknown_name("rope for dataset", dataset, rope)) + " Give a rope for every dataset.")
    return Rope.of(rope[dataset])


def check_rope_names(rope: RopeLike | Mapping[str, RopeLike], datasets: Iterable[str]) -> None:
    """Raise if a mapping from dataset to rope has a name that is no dataset."""
    known = list(datasets)
    for name in rope if isinstance(rope, Mapping) else ():
        if name not in known:
            raise RopeError(f"`rope` has a name that is no dataset. {unknown_name('dataset', name, known)}")


def warn_if_other_scale(rope: Rope, scores: NDArray[np.float64] | tuple[NDArray[np.float64], ...]) -> None:
    """Warn where the rope looks like a share and the scores like percentages, or the other way round."""
    width = max(-rope.low, rope.high)
    if rope.is_zero or math.isinf(width):
        return
    largest = float(np.fmax.reduce(np.abs(scores), axis=None))
    if largest <= 1.0 <= width:
        problem = f"reaches over all possible differences of scores between 0 and 1 (largest: {largest:.3g})"
    elif width < 0.05 and 10 <= largest <= 100 and (typical := float(np.nanmedian(np.abs(scores)))) >= 10:
        problem = f"is below 0.05 % of a typical score ({typical:.3g})"
    else:
        return
    warn(
        f"The rope {rope} {problem}. Is it on the scale of the scores? A difference of 1 % is 0.01 for scores from "
        f"0 to 1, and 1 for scores from 0 to 100.",
        ScaleWarning,
    )


def may_be_other_scale(rope: Rope, largest: NDArray[np.float64]) -> bool:
    """Whether `warn_if_other_scale` could warn about some of these models, by the largest absolute score of each."""
    width = max(-rope.low, rope.high)
    shares, percent = (largest <= 1.0) & (width >= 1.0), (largest >= 10) & (largest <= 100) & (width < 0.05)
    return not rope.is_zero and bool((shares | percent).any())


def ropes_of(ropes: Iterable[RopeLike]) -> list[Rope]:
    """Ropes from a list of what `Rope.of` takes."""
    if not is_list(ropes) or isinstance(ropes, (bytes, bytearray, Mapping)):
        raise RopeError(f"`ropes` must be a list of ropes, got {ropes!r}.")
    return [Rope.of(rope) for rope in ropes]


def symmetric(rope: RopeLike) -> Rope:
    """The rope; raises if it is not symmetric, because many models have no A and B to orient it by."""
    region = Rope.of(rope)
    if region.low != -region.high:
        raise RopeError(
            f"`rope` must be symmetric for many models, which have no A and B to orient it by, got {region}. Use "
            f"rope={max(region.high, -region.low):g}."
        )
    return region
