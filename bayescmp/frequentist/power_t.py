"""Power and sample size of the t-test: paired, of two groups, and corrected for overlapping training sets.

The power of a t-test is a normal probability averaged over the sample's standard deviation. All terms of that average
are positive, so it keeps its digits where series for the noncentral t lose theirs: for large effects and samples, and
in both tails.
"""

import math
from dataclasses import replace
from typing import Any

from scipy.special import ndtr, ndtri, stdtrit

from bayescmp.checks import check_switch
from bayescmp.frequentist.power_result import (
    LARGEST_N,
    Power,
    check_direction,
    check_effect,
    check_side,
    check_size,
    is_number,
    log_odds,
    root,
    unknown_of,
)
from bayescmp.numerics.noncentral import rejection
from bayescmp.scores.resampling import Resampling


def power_ttest(
    *,
    effect: float | None = None,
    n: float | None = None,
    alpha: float | None = 0.05,
    power: float | None = None,
    paired: bool = True,
    alternative: str = "two-sided",
    resampling: Resampling | float | None = None,
) -> Power:
    """Solve for the one of effect, n, alpha and power that is None.

    Parameters
    ----------
    effect : float, optional
        Paired: d_z, the mean difference in standard deviations of the differences. Not paired: Cohen's d, the
        difference of the means in (common) standard deviations of the scores. With `resampling`: the mean difference
        in standard deviations of the folds' differences. The smallest that you care about: an observed effect (a
        `TestResult` or `EffectSize`) is refused.
    n : float, optional
        Pairs; not paired: scores in each of the two groups; with `resampling`: folds, of all repeats together.
    alpha, power : float, optional
    paired : bool
        Whether both models are scored on the same folds or datasets.
    alternative : "two-sided", "greater" or "less"
    resampling : Resampling or float, optional
        The design or its rho: power of the corrected t-test (Nadeau and Bengio). More repeats of a cross-validation
        reuse the same data, so this power has a ceiling below 1, whatever n.

    Returns
    -------
    Power

    See Also
    --------
    power_curve, power_wilcoxon, power_sign_test, power_mcnemar

    References
    ----------
    Cohen (1988). Statistical power analysis for the behavioral sciences. Nadeau, Bengio (2003). Inference for the
    generalization error. Hoenig, Heisey (2001). The abuse of power. Lydersen (2019). Statistical power: before, but not
    after!

    Examples
    --------
    >>> from bayescmp.frequentist import power_ttest
    >>> power_ttest(effect=0.5, power=0.8)
    Power: paired t-test, two-sided
      n = 33.37 (plan 34)   for d_z = 0.5, alpha = 0.05, power = 0.8000
    >>> power_ttest(effect=0.5, power=0.8, paired=False).n_whole
    64
    >>> round(power_ttest(effect=0.5, n=100, resampling=0.1).power, 3)
    0.296
    """
    check_switch("paired", paired)
    unknown = unknown_of(effect=effect, n=n, alpha=alpha, power=power)
    if not isinstance(paired, bool):
        raise ValueError(f"`paired` must be True or False, got {paired!r}.")
    design = _TDesign(check_side(alternative), paired, _rho(resampling, paired))
    values: dict[str, Any] = {"effect": effect, "n": n, "alpha": alpha, "power": power}
    if effect is not None:
        values["effect"] = check_effect(effect)
    if n is not None:
        values["n"] = check_size(n, 2, "in each group" if not paired else "pairs")
    values[unknown] = getattr(design, f"solve_{unknown}")(**{k: v for k, v in values.items() if k != unknown})
    result = Power(
        **values,
        effect_name="d_z" if paired else "d",
        solved_for=unknown,
        method=design.method,
        alternative=alternative,
        notes=design.notes(resampling, values, unknown),
    )
    if unknown == "n" and result.n == 2:
        reached = design.solve_power(result.effect, 2, result.alpha)
        note = f"2 is the least n of a t-test, and its power is {reached:.4g}, not only {power:g}"
        return replace(result, power=reached, notes=(*result.notes, note))
    return result


class _TDesign:
    """A t-test: its noncentrality, degrees of freedom and power, and each number from the others."""

    def __init__(self, alternative: str, paired: bool, rho: float | None) -> None:
        self.alternative, self.paired, self.rho = alternative, paired, rho
        self.side = -1.0 if alternative == "less" else 1.0
        self.method = "paired t-test" if paired else "t-test of two independent groups, n in each"
        if rho is not None:
            self.method = f"corrected t-test (Nadeau-Bengio, rho = {rho:.4g})"

    def noncentrality(self, n: float) -> float:
        """What an effect of 1 is in standard errors."""
        if not self.paired:
            return math.sqrt(n / 2)
        rho = self.rho or 0.0
        return 1 / math.sqrt(1 / n + rho / (1 - rho))

    def chances(self, shift: float, n: float, alpha: float) -> tuple[float, float]:
        """P(reject) and P(not) where the t statistic is shifted by `shift` standard errors."""
        df = n - 1 if self.paired else 2 * n - 2
        two_sided = self.alternative == "two-sided"
        tail = alpha / 2 if two_sided else alpha
        critical = math.copysign(float(stdtrit(df, min(tail, 1 - tail))), 0.5 - tail)
        return rejection(self.side * shift, df, critical, two_sided)

    def solve_power(self, effect: float, n: float, alpha: float) -> float:
        return self.chances(effect * self.noncentrality(n), n, alpha)[0]

    def solve_effect(self, n: float, alpha: float, power: float) -> float:
        self._check_above_alpha(alpha, power)
        target = log_odds(power, 1 - power)
        high = 8.0
        while log_odds(*self.chances(self.side * high, n, alpha)) < target:
            high *= 2
        shift = root(lambda x: log_odds(*self.chances(self.side * x, n, alpha)) - target, 0.0, high)
        return self.side * shift / self.noncentrality(n)

    def solve_n(self, effect: float, alpha: float, power: float) -> float:
        self._check_above_alpha(alpha, power)
        check_direction("effect", effect, self.alternative, f"an effect of {effect:g}")
        target = log_odds(power, 1 - power)
        ceiling = self.ceiling(effect, alpha)
        if power >= ceiling:
            raise ValueError(
                f"No number of folds reaches a power of {power:g}: repeating a resampling with rho = {self.rho:.4g} "
                f"reuses the same data, so the corrected t-test's power stays below {ceiling:.4g} for an effect of "
                f"{effect:g} at alpha = {alpha:g}. Ask for less power or a larger effect, or collect more datasets "
                "and test over them with wilcoxon_test."
            )

        def excess(log_n: float) -> float:
            size = math.exp(log_n)
            return log_odds(*self.chances(effect * self.noncentrality(size), size, alpha)) - target

        if excess(math.log(LARGEST_N)) < 0:
            raise ValueError(f"More than {LARGEST_N:g} observations would be needed. Give a larger `effect`.")
        n = math.exp(root(excess, math.log(2), math.log(LARGEST_N)))
        return max(n, 2.0) if n > 2 * (1 + 1e-12) else 2.0

    def solve_alpha(self, effect: float, n: float, power: float) -> float:
        target = log_odds(power, 1 - power)
        shift = effect * self.noncentrality(n)
        # alpha by its log odds; beyond 1e-15 no test is run
        found = root(lambda x: log_odds(*self.chances(shift, n, _from_log_odds(x))) - target, -34.5, 34.5)
        if abs(found) == 34.5:
            raise ValueError(
                f"The alpha for a power of {power:g} is closer to {0 if found < 0 else 1} than 1e-15: with an effect "
                f"of {effect:g} and n = {n:g} every sensible alpha has {'more' if found < 0 else 'less'} power. Give "
                "alpha and solve for the power."
            )
        return _from_log_odds(found)

    def ceiling(self, effect: float, alpha: float) -> float:
        """The power that no number of folds reaches."""
        if not self.rho:
            return 1.0
        shift = self.side * effect * math.sqrt((1 - self.rho) / self.rho)
        if self.alternative == "two-sided":
            return float(ndtr(shift + ndtri(alpha / 2)) + ndtr(-shift + ndtri(alpha / 2)))
        return float(ndtr(shift + ndtri(alpha)))

    def _check_above_alpha(self, alpha: float, power: float) -> None:
        if power <= alpha:
            raise ValueError(
                f"`power` must be above alpha, because a test rejects with probability alpha = {alpha:g} where there "
                f"is no effect; got power={power:g}."
            )

    def notes(self, resampling: Resampling | float | None, values: dict[str, Any], unknown: str) -> tuple[str, ...]:
        notes = []
        if self.rho:
            ceiling = self.ceiling(values["effect"], values["alpha"])
            notes.append(f"more repeats of this design cannot raise the power above {ceiling:.4g}")
        if isinstance(resampling, Resampling) and resampling.folds and unknown == "n":
            repeats = math.ceil(values["n"] / resampling.folds - 1e-9)
            notes.append(f"in whole repeats: {repeats} x {resampling.folds} folds")
        return tuple(notes)


def _rho(resampling: Resampling | float | None, paired: bool) -> float | None:
    if resampling is None:
        return None
    if not paired:
        raise ValueError(
            "`resampling` is for models compared on the same folds, got paired=False. Leave one of them out."
        )
    if not isinstance(resampling, Resampling) and not is_number(resampling):
        raise ValueError(f"`resampling` must be a Resampling or its rho, got {resampling!r}.")
    return (resampling if isinstance(resampling, Resampling) else Resampling.custom(resampling)).rho


def _from_log_odds(x: float) -> float:
    return 1 / (1 + math.exp(-x))
