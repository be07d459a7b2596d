"""Power and sample size: of the t-tests, the signed-rank, sign and McNemar tests; and power curves as data."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrc, ndtr, ndtri, stdtrit

from bayescmp.checks import ALTERNATIVES, check_count, check_number, check_switch, checked_seed, is_list, is_one_of
from bayescmp.frequentist.result import EffectSize, TestResult
from bayescmp.numerics.moments import moments
from bayescmp.numerics.noncentral import rejection
from bayescmp.numerics.ranks import signed_rank_distribution
from bayescmp.scores.inputs import as_pair
from bayescmp.scores.pair import Pair
from bayescmp.scores.resampling import Resampling
from bayescmp.text import versions
from bayescmp.values import Value

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

Ints = NDArray[np.int_]

LARGEST_N = 1e12
"""Where the search for a sample size ends."""

LARGEST_COUNT = 1_000_000
"""Where the search for a sample size of counts ends. Up to there `bdtr` is right to 1e-11 and finds the same sizes as
the tails in `numerics.binomial`, four times as fast: 58669 instances for McNemar's test in 3 s instead of 12."""

LARGEST_SIMULATED = 10_000

EXACT_UP_TO = 200
"""Datasets for which a simulated signed-rank test is exact."""

CHUNK = 1000

ARE = {"normal": 3 / math.pi, "uniform": 1.0, "logistic": math.pi**2 / 9, "laplace": 1.5}
"""Efficiency of the signed-rank test relative to the t-test, by the distribution of the differences."""


def power_ttest(
    *,
    effect: float | None = None,
    n: float | None = None,
    alpha: float | None = 0.05,
    power: float | None = None,
    paired: bool = True,
    alternative: str = "two-sided",
    resampling: Resampling | float | None = None,
) -> "Power":
    """Solve for the one of effect, n, alpha and power that is None.

    Parameters
    ----------
    effect : float, optional
        Paired: d_z, the mean difference in standard deviations of the differences. Not paired: Cohen's d, the
        difference of the means in (common) standard deviations of the scores. With `resampling`: the mean difference
        in standard deviations of the folds' differences. The smallest that you care about: an observed effect (a
        `TestResult` or `EffectSize`) raises.
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


FEW_DATASETS = 30
"""Below them, the efficiency of the signed-rank test is too far from its asymptotic one."""


def power_wilcoxon(
    *,
    effect: float | None = None,
    n: float | None = None,
    alpha: float | None = 0.05,
    power: float | None = None,
    method: str = "auto",
    distribution: str = "normal",
    alternative: str = "two-sided",
    simulations: int = 10_000,
    random_seed: int | None = None,
) -> "Power":
    """Power of the signed-rank test; solves for the one of effect, n, alpha and power that is None.

    Parameters
    ----------
    effect : float, optional
        d_z, the mean of the datasets' differences in their standard deviations.
    n : float, optional
        Datasets.
    alpha, power : float, optional
    method : "auto", "are" or "simulation"
        "are": the t-test's power with n times the asymptotic relative efficiency, 3/pi for normal differences; an
        approximation, poor for small n (0.45 where it is 0.42, for d_z = 0.6 on 12 datasets). "auto" takes it from 30
        datasets on, and simulates below. "simulation": the exact test (normal approximation above 200 datasets) on
        simulated differences; its Monte-Carlo standard error is `details["mcse"]`.
    distribution : "normal", "uniform", "logistic" or "laplace"
        Distribution of the differences.
    alternative : "two-sided", "greater" or "less"
    simulations, random_seed
        For simulations; a seed is drawn and recorded if not given.

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
    if not is_one_of(method, ("auto", "are", "simulation")):
        raise ValueError(
            f'`method` must be "auto", "are" (asymptotic relative efficiency) or "simulation", got {method!r}.'
        )
    if not is_one_of(distribution, ARE):
        raise ValueError(f"`distribution` must be one of {', '.join(ARE)}, got {distribution!r}.")
    values: dict[str, Any] = {"effect": effect, "n": n, "alpha": alpha, "power": power}
    if effect is not None:
        values["effect"] = check_effect(effect)
    if method == "are" or (method == "auto" and (n is None or check_size(n, 1, "datasets") >= FEW_DATASETS)):
        result = _by_efficiency(values, unknown, distribution, alternative)
        if method == "are" or result.n >= FEW_DATASETS:
            return result
    simulations = check_count("simulations", simulations, 100)
    if n is not None:
        values["n"] = int(check_size(n, 1, "datasets", whole=True))
        if n > LARGEST_SIMULATED:
            raise ValueError(f'At most {LARGEST_SIMULATED} datasets are simulated, got n={n!r}. Use method="are".')
    world = _World(distribution, alternative, simulations, checked_seed(random_seed))
    return world.solve(values, unknown)


def power_sign_test(
    *,
    p_win: float | None = None,
    n: int | None = None,
    alpha: float | None = 0.05,
    power: float | None = None,
    alternative: str = "two-sided",
) -> "Power":
    """Power of the exact sign test; solves for the one of p_win, n, alpha and power that is None.

    Parameters
    ----------
    p_win : float, optional
        The probability that A is better on a dataset where they differ.
    n : int, optional
        Datasets without a tie.
    alpha, power : float, optional
        The actual level of the exact test is at most alpha: `details["level"]`.
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
) -> "Power":
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
    p_only_a, p_only_b = float(p_only_a), float(p_only_b)
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


def detectable_difference(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    higher_is_better: bool | None = None,
) -> float:
    """The smallest true mean difference that a t-test of such data would have found, with the spread that was seen.

    It is about the study, not about the models: a difference that is not significant says little where this is larger
    than what matters. The test is two-sided: over datasets that of their mean differences, on one dataset that of the
    folds, corrected where their design is known, and Welch's where runs cannot be paired.

    Parameters
    ----------
    a, b : a pair, or the scores of the two models
    power : float
        Probability with which the difference would have been found.
    alpha : float
        Level of the test, before any adjustment for many pairs.
    higher_is_better : bool, optional
        For arrays: False where lower scores are better; it changes nothing here.

    Returns
    -------
    float
        In the unit of the differences; 0.0 where they do not vary.

    See Also
    --------
    power_ttest : plans a study.
    difference_interval : what the data say about the difference.

    Examples
    --------
    >>> import bayescmp as bc
    >>> round(bc.frequentist.detectable_difference(bc.load_labour().pair("SVM", "DT")), 3)
    0.129
    """
    pair = as_pair(a, b, arrays_are="folds", higher_is_better=higher_is_better)
    power, alpha = check_share("power", power), check_share("alpha", alpha)
    if len(pair.datasets) > 1:
        sample, design = pair.means, None
    elif pair.paired:
        sample, design = pair.differences[0], pair.resampling[0]
    else:
        x, y = (scores[0][np.isfinite(scores[0])] for scores in (pair.scores_a, pair.scores_b))
        check_size(min(x.size, y.size), 2, "in each group")
        n = 2 / (1 / x.size + 1 / y.size)
        errors = [float(moments(one)[1]) / math.sqrt(one.size) for one in (x, y)]
        spread = math.hypot(*errors) * math.sqrt(n / 2)
        return _detectable_effect(n, None, False, power, alpha) * spread
    check_size(sample.size, 2, "pairs")
    rho = design.rho if design is not None and design.rho else None
    return _detectable_effect(sample.size, rho, True, power, alpha) * float(moments(sample)[1])


@cache
def _detectable_effect(n: float, rho: float | None, paired: bool, power: float, alpha: float) -> float:
    """The same for all pairs of models of a table, which differ in their spread only."""
    return power_ttest(n=n, paired=paired, power=power, alpha=alpha, resampling=rho).effect


def power_curve(effects: Iterable[Any], n: Iterable[float], *, test: str = "ttest", **options: Any) -> "pd.DataFrame":
    """Power against n for several effects: one row for each.

    Parameters
    ----------
    effects : iterable
        Effects of the test: d_z for "ttest" and "wilcoxon", p_win for "sign", (p_only_a, p_only_b) for "mcnemar".
    n : iterable
        Sample sizes.
    test : "ttest", "wilcoxon", "sign" or "mcnemar"
    **options
        Those of `power_ttest`, `power_wilcoxon`, `power_sign_test` or `power_mcnemar`: alpha, alternative, resampling.

    See Also
    --------
    power_ttest
    bayescmp.plots.plot_power : draws it.

    Examples
    --------
    >>> from bayescmp.frequentist import power_curve
    >>> power_curve([0.2, 0.5], [10, 100])[["effect", "n", "power"]].round(3)
       effect    n  power
    0     0.2   10  0.088
    1     0.2  100  0.508
    2     0.5   10  0.293
    3     0.5  100  0.999
    """
    from bayescmp.needs import pandas as pd

    if not is_one_of(test, _CURVES):
        raise ValueError(f"`test` must be one of {', '.join(_CURVES)}, got {test!r}.")
    function, names = _CURVES[test]
    for name, given in (("effects", effects), ("n", n)):
        if not is_list(given) or np.ma.isMaskedArray(given):
            raise ValueError(f"`{name}` must be a list of numbers, such as [{given!r}]; got {given!r}.")
    effects, sizes = list(effects), list(n)
    if not effects or not sizes:
        raise ValueError(f"A curve needs at least one effect and one n, got {len(effects)} and {len(sizes)}.")
    rows = []
    for effect in effects:
        given = effect if len(names) > 1 else (effect,)
        if np.ndim(given) != 1 or len(given) != len(names):
            raise ValueError(f"Each effect of test={test!r} must be ({', '.join(names)}), got {effect!r}.")
        for size in sizes:
            result = function(**dict(zip(names, given, strict=True)), n=size, **options)
            parts = dict(zip(names, given, strict=True)) if len(names) > 1 else {}
            numbers = {name: getattr(result, name) for name in ("effect_name", "effect", "n", "alpha", "power")}
            rows.append({"test": test} | numbers | parts | {"method": result.method})
    return pd.DataFrame(rows)


_CURVES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "ttest": (power_ttest, ("effect",)),
    "wilcoxon": (power_wilcoxon, ("effect",)),
    "sign": (power_sign_test, ("p_win",)),
    "mcnemar": (power_mcnemar, ("p_only_a", "p_only_b")),
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Power(Value):
    """Effect, sample size, level and power of a test: three were given, `solved_for` names the one that was computed.

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
        Further numbers: the actual level of an exact test, the Monte-Carlo standard error.

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


# ---- the t-tests


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
            if high > 1e100:
                raise ValueError(
                    f"`alpha` must leave an effect that n = {n:g} can show, got {alpha:g}. Give a larger one."
                )
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
    design = resampling if isinstance(resampling, Resampling) else Resampling.custom(resampling)
    if not design.paired:
        raise ValueError("`resampling` must be of paired scores, got independent runs. Give paired=False instead.")
    return design.rho


def _from_log_odds(x: float) -> float:
    return 1 / (1 + math.exp(-x))


# ---- the signed-rank test


def _by_efficiency(values: dict[str, Any], unknown: str, distribution: str, alternative: str) -> "Power":
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

    def solve(self, given: dict[str, Any], unknown: str) -> "Power":
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


# ---- the sign test and McNemar's


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
    """Raises for an observed effect: power computed from it adds nothing to the p-value."""
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
    size = check_number("n", value) if is_number(value) else math.nan
    if not least <= size <= LARGEST_N or (whole and size % 1):
        kind = "a whole number" if whole else "a number"
        raise ValueError(f"`n` must be {kind} of at least {least} {what}, got {value!r}.")
    return size if size % 1 else int(size)


def check_effect(value: Any) -> float:
    """A finite number, or an error."""
    if not math.isfinite(effect := check_number("effect", value)):
        raise ValueError(f"`effect` must be a finite number, got {value!r}.")
    return effect


def check_direction(name: str, away: float, alternative: str, why: str) -> None:
    """Raises where no sample is large enough: no effect, or one on the other side."""
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
    """Whether this is a real number, not a switch; NaN is one, and fails every comparison."""
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
