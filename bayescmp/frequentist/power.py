"""Power and sample size: of the t-tests, the signed-rank, sign and McNemar tests; and power curves as data."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.checks import is_list, is_one_of
from bayescmp.frequentist.power_counts import power_mcnemar, power_sign_test
from bayescmp.frequentist.power_ranks import power_wilcoxon
from bayescmp.frequentist.power_result import Power
from bayescmp.frequentist.power_t import power_ttest

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Power", "power_curve", "power_mcnemar", "power_sign_test", "power_ttest", "power_wilcoxon"]


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
    import pandas as pd

    if not is_one_of(test, _CURVES):
        raise ValueError(f"`test` must be one of {', '.join(_CURVES)}, got {test!r}.")
    function, names = _CURVES[test]
    for name, given in (("effects", effects), ("n", n)):
        if not is_list(given):
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
