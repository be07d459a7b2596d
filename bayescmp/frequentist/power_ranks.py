"""Power and sample size of the signed-rank test: by its efficiency relative to the t-test, or by simulation."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from bayescmp.checks import check_count, checked_seed, is_one_of
from bayescmp.frequentist.power_result import (
    Power,
    check_direction,
    check_effect,
    check_share,
    check_side,
    check_size,
    unknown_of,
)
from bayescmp.frequentist.power_t import power_ttest
from bayescmp.numerics.ranks import signed_rank_distribution

Floats = NDArray[np.float64]
ARE = {"normal": 3 / math.pi, "uniform": 1.0, "logistic": math.pi**2 / 9, "laplace": 1.5}
"""Efficiency of the signed-rank test relative to the t-test, by the distribution of the differences."""
EXACT_UP_TO = 200
LARGEST_SIMULATED = 10_000
CHUNK = 1000


def power_wilcoxon(
    *,
    effect: float | None = None,
    n: float | None = None,
    alpha: float | None = 0.05,
    power: float | None = None,
    method: str = "are",
    distribution: str = "normal",
    alternative: str = "two-sided",
    simulations: int = 10_000,
    random_seed: int | None = None,
) -> Power:
    """Power of the signed-rank test; solves for the one of effect, n, alpha and power that is None.

    Parameters
    ----------
    effect : float, optional
        d_z, the mean of the datasets' differences in their standard deviations.
    n : float, optional
        Datasets.
    alpha, power : float, optional
    method : "are" or "simulation"
        "are": the t-test's power with n times the asymptotic relative efficiency, 3/pi for normal differences; an
        approximation, poor for small n. "simulation": the exact test (normal approximation above 200 datasets) on
        simulated differences; its Monte-Carlo standard error is `details["mcse"]`.
    distribution : "normal", "uniform", "logistic" or "laplace"
        Of the differences.
    alternative : "two-sided", "greater" or "less"
    simulations, random_seed
        For "simulation"; a seed is drawn and recorded if not given.

    Returns
    -------
    Power
        By simulation, a solved `n` is whole, and `power` is what it reaches.

    See Also
    --------
    wilcoxon_test, power_curve

    References
    ----------
    Hodges, Lehmann (1956). The efficiency of some nonparametric competitors of the t-test.

    Examples
    --------
    >>> from bayescmp.frequentist import power_wilcoxon
    >>> power_wilcoxon(effect=0.5, power=0.8).n_whole
    35
    >>> power_wilcoxon(effect=0.5, power=0.8, method="simulation", random_seed=1).n_whole
    36
    """
    unknown = unknown_of(effect=effect, n=n, alpha=alpha, power=power)
    check_side(alternative)
    if not is_one_of(method, ("are", "simulation")):
        raise ValueError(f'`method` must be "are" (asymptotic relative efficiency) or "simulation", got {method!r}.')
    if not is_one_of(distribution, ARE):
        raise ValueError(f"`distribution` must be one of {', '.join(ARE)}, got {distribution!r}.")
    values: dict[str, Any] = {"effect": effect, "n": n, "alpha": alpha, "power": power}
    if effect is not None:
        values["effect"] = check_effect(effect)
    if method == "are":
        return _by_efficiency(values, unknown, distribution, alternative)
    simulations = check_count("simulations", simulations, 100)
    if n is not None:
        values["n"] = int(check_size(n, 1, "datasets", whole=True))
        if n > LARGEST_SIMULATED:
            raise ValueError(f'At most {LARGEST_SIMULATED} datasets are simulated, got n={n!r}. Use method="are".')
    world = _World(distribution, alternative, simulations, checked_seed(random_seed))
    return world.solve(values, unknown)


def _by_efficiency(values: dict[str, Any], unknown: str, distribution: str, alternative: str) -> Power:
    """The t-test's answer, with n datasets worth n times the efficiency."""
    efficiency = ARE[distribution]
    if values["n"] is not None:
        check_size(values["n"], math.ceil(2 / efficiency), "datasets")
        values = values | {"n": values["n"] * efficiency}
    result = power_ttest(**values, alternative=alternative)
    size = result.n / efficiency
    notes = result.notes
    least = math.ceil(1 - math.log2(result.alpha) if alternative == "two-sided" else -math.log2(result.alpha))
    if size < least:
        notes += (f"the exact test of fewer than {least} datasets cannot reject at alpha = {result.alpha:.4g} at all",)
    return replace(
        result,
        n=size,
        method=f"signed-rank test, by its efficiency against the t-test ({efficiency:.4f}, {distribution} differences)",
        notes=notes,
        details={"efficiency": efficiency},
    )


class _World:
    """Simulated differences: the same for every effect, and the first n of the same for every n.

    So the simulated power grows with the effect without noise, and searches end where they should.
    """

    def __init__(self, distribution: str, alternative: str, simulations: int, seed: int) -> None:
        self.distribution, self.alternative, self.simulations, self.seed = distribution, alternative, simulations, seed

    def solve(self, given: dict[str, Any], unknown: str) -> Power:
        values = dict(given)
        if unknown == "n":
            check_direction("effect", values["effect"], self.alternative, f"an effect of {values['effect']:g}")
            values["n"] = self._least_n(values["effect"], values["alpha"], values["power"])
        elif unknown == "effect":
            values["effect"] = self._least_effect(values["n"], values["alpha"], values["power"])
        p = self.p_values(values["effect"], values["n"])
        if unknown == "alpha":
            values["alpha"] = float(np.sort(p)[math.ceil(values["power"] * len(p)) - 1])
            check_share("the alpha of this power", values["alpha"])
        reached = float((p <= values["alpha"] * (1 + 1e-12)).mean())
        values["power"] = reached
        notes: tuple[str, ...] = ()
        if not self._can_reject(values["n"], values["alpha"]):
            notes = (f"the exact test of {values['n']} datasets cannot reject at alpha = {values['alpha']:.4g} at all",)
        kind = "exact" if values["n"] <= EXACT_UP_TO else "normal approximation"
        return Power(
            **values,
            effect_name="d_z",
            solved_for=unknown,
            method=f"signed-rank test ({kind}), {self.simulations} simulations of {self.distribution} differences",
            alternative=self.alternative,
            notes=notes,
            random_seed=self.seed,
            details={"mcse": math.sqrt(reached * (1 - reached) / self.simulations), "simulations": self.simulations},
        )

    def power(self, effect: float, n: int, alpha: float) -> float:
        return float((self.p_values(effect, n) <= alpha * (1 + 1e-12)).mean())

    def p_values(self, effect: float, n: int) -> Floats:
        """The test's p-value in every simulated sample."""
        rank = np.arange(1, n + 1)
        plus = np.empty(self.simulations)
        for start in range(0, self.simulations, CHUNK):
            stop = min(start + CHUNK, self.simulations)
            x = effect + self._standard(np.random.default_rng([self.seed, start]), n)
            order = np.argsort(np.abs(x), axis=0)
            plus[start:stop] = (rank @ np.take_along_axis(x > 0, order, axis=0))[: stop - start]
        lower, upper = _tails(n, plus)
        if self.alternative == "two-sided":
            return np.minimum(1.0, 2 * np.minimum(lower, upper))
        return upper if self.alternative == "greater" else lower

    def _standard(self, rng: np.random.Generator, n: int) -> Floats:
        """Mean 0, variance 1; datasets x samples, so that more datasets only add rows."""
        shape = (n, CHUNK)
        if self.distribution == "uniform":
            return rng.uniform(-math.sqrt(3), math.sqrt(3), shape)
        if self.distribution == "logistic":
            return rng.logistic(0, math.sqrt(3) / math.pi, shape)
        return rng.laplace(0, math.sqrt(0.5), shape) if self.distribution == "laplace" else rng.standard_normal(shape)

    def _can_reject(self, n: int, alpha: float) -> bool:
        return 2.0 ** ((1 if self.alternative == "two-sided" else 0) - n) <= alpha * (1 + 1e-12)

    def _least_n(self, effect: float, alpha: float, power: float) -> int:
        low, high = 1, 8
        while self.power(effect, high, alpha) < power:
            low, high = high, 2 * high
            if high > LARGEST_SIMULATED:
                raise ValueError(
                    f'More than {LARGEST_SIMULATED // 2} datasets would have to be simulated. Use method="are".'
                )
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.power(effect, middle, alpha) >= power else (middle, high)
        return high

    def _least_effect(self, n: int, alpha: float, power: float) -> float:
        side = -1.0 if self.alternative == "less" else 1.0
        if not self._can_reject(n, alpha):
            raise ValueError(
                f"With n = {n} this test cannot reject at alpha = {alpha:g}, whatever the effect. Give a larger `n`."
            )
        if power <= alpha:
            raise ValueError(f"`power` must be above alpha = {alpha:g}, got {power:g}.")
        low, high = 0.0, 1.0
        while self.power(side * high, n, alpha) < power:
            low, high = high, 2 * high
        for _ in range(20):
            middle = (low + high) / 2
            low, high = (low, middle) if self.power(side * middle, n, alpha) >= power else (middle, high)
        return side * high


def _tails(n: int, plus: Floats) -> tuple[Floats, Floats]:
    """P(T <= plus) and P(T >= plus) where nothing differs."""
    top = n * (n + 1) / 2
    if n <= EXACT_UP_TO:
        cumulative = np.cumsum(signed_rank_distribution(n))
        return cumulative[plus.astype(int)], cumulative[(top - plus).astype(int)]
    z = (plus - top / 2) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return ndtr(z), ndtr(-z)
