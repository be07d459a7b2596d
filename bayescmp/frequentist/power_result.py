"""What a power analysis says, and the checks that all of them share."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from bayescmp.checks import ALTERNATIVES, check_number, is_one_of
from bayescmp.errors import MALFORMED
from bayescmp.frequentist.result import EffectSize, TestResult
from bayescmp.text import plain, versions

LARGEST_N = 1e12
"""Where the search for a sample size ends."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Power:
    """Effect, sample size, level and power of a test: three were given, `solved_for` says which one was computed.

    Attributes
    ----------
    effect, effect_name
        The true effect that is assumed, such as d_z; the smallest that you care about, not one seen in the data.
    n : float
        Observations (pairs, folds, datasets, instances); with two independent groups those of each. Not rounded where
        it was solved for by a smooth formula: `n_whole` is.
    alpha, power : float
    solved_for : str
        "effect", "n", "alpha" or "power".
    method : str
        The test, with everything that changes the number.
    alternative : str
    notes : tuple of str
    random_seed : int or None
        Where the power was simulated.
    details : dict
        Further numbers: the level that an exact test really has, the Monte-Carlo standard error.

    See Also
    --------
    power_ttest, power_curve

    Examples
    --------
    >>> from bayescmp.frequentist import power_ttest
    >>> power_ttest(effect=0.5, power=0.8).n_whole
    34
    """

    effect: float
    effect_name: str
    n: float
    alpha: float
    power: float
    solved_for: str
    method: str
    alternative: str = "two-sided"
    notes: tuple[str, ...] = ()
    random_seed: int | None = None
    details: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def n_whole(self) -> int:
        """The sample size to plan: n rounded up, but for the rounding error of the search."""
        return math.ceil(self.n - 1e-9 * max(1.0, self.n))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; `Power.from_dict` reads it back."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "Power":
        """The result whose `to_dict` gave `data`, also after a trip through JSON."""
        try:
            values = {f.name: data[f.name] for f in fields(Power)}
            return Power(**values | {"notes": tuple(values["notes"])})
        except MALFORMED as error:
            raise ValueError(f"`data` must come from a Power's to_dict; wrong or missing: {error!r}.") from None

    def __repr__(self) -> str:
        shown = {
            "effect": f"{self.effect_name} = {self.effect:.4g}",
            "n": f"n = {self.n:.10g}" if float(self.n).is_integer() else f"n = {self.n:.2f} (plan {self.n_whole})",
            "alpha": f"alpha = {self.alpha:.4g}",
            "power": f"power = {_power_text(self.power)}",
        }
        given = ", ".join(text for name, text in shown.items() if name != self.solved_for)
        lines = [f"Power: {self.method}, {self.alternative}", f"  {shown[self.solved_for]}   for {given}"]
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])


def _power_text(power: float) -> str:
    return f"{power:.4f}" if 0.0005 < power < 0.9995 else f"{power:.6g}"


# ---- the numbers that are given


def unknown_of(**given: Any) -> str:
    """The name of the one number that is to be solved for; the others are checked."""
    for name, value in given.items():
        refuse_observed(name, value)
    unknown = [name for name, value in given.items() if value is None]
    if len(unknown) != 1:
        names = ", ".join(f"`{name}`" for name in given)
        got = ", ".join(f"{name}={value!r}" for name, value in given.items())
        raise ValueError(
            f"Exactly one of {names} must be left out (None), the one to solve for; got {got}. Give all others."
        )
    for name in ("alpha", "power"):
        if given.get(name) is not None:
            check_share(name, given[name])
    return unknown[0]


def refuse_observed(name: str, value: Any) -> None:
    """No power from the effect that was seen: it says nothing that the p-value did not say."""
    if isinstance(value, (TestResult, EffectSize)):
        raise ValueError(
            f"`{name}` must be an effect that you decide on before looking, got an observed one "
            f"({type(value).__name__}). Power computed from the observed effect is a function of the p-value (at "
            "p = alpha it is about 0.5) and adds no information (Hoenig and Heisey 2001; Lydersen 2019). Give the "
            "smallest effect of interest instead: the border of your rope in standard deviations of the differences."
        )


def check_share(name: str, value: Any, *, low: float = 0.0, high: float = 1.0) -> float:
    """A number strictly between two others."""
    if not is_number(value) or not low < value < high:
        raise ValueError(f"`{name}` must be a number above {low:g} and below {high:g}, got {value!r}.")
    return float(value)


def check_size(value: Any, least: int, what: str, *, whole: bool = False) -> float:
    """A sample size."""
    if not is_number(value) or not least <= value <= LARGEST_N or (whole and value % 1):
        kind = "a whole number" if whole else "a number"
        raise ValueError(f"`n` must be {kind} of at least {least} {what}, got {value!r}.")
    return float(value) if value % 1 else int(value)


def check_effect(value: Any) -> float:
    """A finite number."""
    if not math.isfinite(effect := check_number("effect", value)):
        raise ValueError(f"`effect` must be a finite number, got {value!r}.")
    return effect


def check_direction(name: str, away: float, alternative: str, why: str) -> None:
    """Refuse to look for a sample size where no sample is large enough: no effect, or one on the other side."""
    if away == 0 or (alternative == "greater" and away < 0) or (alternative == "less" and away > 0):
        raise ValueError(
            f"No sample size reaches this power: {why} has power of at most alpha with "
            f'alternative="{alternative}". Give another `{name}`, or alternative="two-sided".'
            if away
            else f"No sample size reaches this power: {why} is no effect at all. Give the `{name}` that you care about."
        )


def check_side(alternative: str) -> str:
    """One of the three alternatives."""
    if not is_one_of(alternative, ALTERNATIVES):
        raise ValueError(f'`alternative` must be "two-sided", "greater" or "less", got {alternative!r}.')
    return alternative


def is_number(value: Any) -> bool:
    """Whether this is a real number and no switch; NaN is one, and fails every comparison."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


# ---- the number that is not


def log_odds(power: float, missed: float) -> float:
    """log(power / missed), finite also where one of them is 0: what the searches work on, so that tails keep digits."""
    return math.log(max(power, 1e-300)) - math.log(max(missed, 1e-300))


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function crosses 0, to the last digits."""
    from scipy.optimize import brentq

    at_low, at_high = function(low), function(high)
    if at_low >= 0 or at_high <= 0:
        return low if at_low >= 0 else high
    return float(brentq(function, low, high, xtol=1e-14 * max(1.0, abs(low)), rtol=1e-13, maxiter=500))
