"""Several measures at once: Hotelling's paired T^2 for two models, MANOVA for many.

Measures that trade off (precision against recall) can tell models apart together where neither does alone.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, stdtr

from bayescmp.errors import ScoresError, name_list
from bayescmp.frequentist.anova import overlap_note
from bayescmp.frequentist.result import EffectSize, TestResult
from bayescmp.scores.arrays import check_finite, check_not_huge
from bayescmp.scores.inputs import one_dataset
from bayescmp.scores.pair import ROUNDING, Pair
from bayescmp.scores.resampling import Resampling, check_design, not_paired

Floats = NDArray[np.float64]
LARGEST = 1e303
"""Scores beyond leave no room for their sums."""


def hotelling_test(
    a: Any,
    b: Any = None,
    *,
    higher_is_better: Mapping[str, bool] | bool | None = None,
    resampling: Resampling | None = None,
) -> TestResult:
    """Hotelling's paired T^2: do two models have the same mean in all of several measures?

    Parameters
    ----------
    a, b : arrays or DataFrames, folds x measures
        The two models' scores on the same folds of one dataset; or `a` alone, a mapping of measure to `Pair`.
    higher_is_better : bool or mapping of measure to bool, optional
        With arrays, whose measures are called "measure 1", ... (or by the frame's columns); True by default. It
        orients the differences; F does not depend on it.
    resampling : Resampling, optional
        With arrays: for the note on overlapping training sets.

    Returns
    -------
    TestResult
        F = (n - p)/(p (n - 1)) T^2 with p and n - p degrees of freedom, for n folds and p measures. `details` has T^2,
        the mean differences (positive favours A), the t-test of each measure, and the direction w = S^-1 m: the
        weighted sum of the measures that tells the models apart best.

    See Also
    --------
    manova : many models.

    References
    ----------
    Hotelling (1931), The generalization of Student's ratio, Ann. Math. Stat. 2.

    Examples
    --------
    >>> from bayescmp.frequentist.multivariate import hotelling_test
    >>> a = [[0.9, 0.5], [0.8, 0.7], [0.7, 0.4], [0.9, 0.6], [0.8, 0.6]]
    >>> b = [[0.7, 0.4], [0.8, 0.6], [0.5, 0.5], [0.8, 0.4], [0.7, 0.5]]
    >>> result = hotelling_test(a, b)
    >>> result.df, round(result.details["T2"], 4)
    ((2.0, 3.0), 23.8431)
    """
    if b is None:
        if higher_is_better is not None or resampling is not None:
            raise ScoresError(
                "A Pair has a direction and a design: give `higher_is_better` and `resampling` only with arrays."
            )
        models, measures, d, rounding, design = _from_pairs(a)
    else:
        one, measures = _as_measures("a", a)
        two, others = _as_measures("b", b)
        if one.shape != two.shape or measures != others:
            raise ScoresError(
                f"`a` and `b` must have the same folds and measures, but `a` is {one.shape[0]} x {one.shape[1]} "
                f"({name_list(measures)}) and `b` {two.shape[0]} x {two.shape[1]} ({name_list(others)})."
            )
        check_design(resampling)
        if resampling is not None and not resampling.paired:
            raise not_paired("hotelling_test")
        models, design = ("A", "B"), resampling
        d = (one - two) * _signs(measures, higher_is_better)
        rounding = ROUNDING * np.maximum(np.abs(one), np.abs(two)).max(axis=0)
    n, p = d.shape
    if n <= p:
        raise ScoresError(
            f"`hotelling_test` needs more folds than measures, got {n} folds of {p} measures. Score more folds, or "
            "leave out measures."
        )
    mean = d.mean(axis=0)
    deviation, singular, axes = _within("hotelling_test", d - mean, n - 1, rounding, measures)
    whitened = axes @ (mean / deviation) / singular
    t2 = n * float(whitened @ whitened)
    f = (n - p) / (p * (n - 1)) * t2
    t = mean / deviation * math.sqrt(n)
    p_each = 2 * stdtr(n - 1, -np.abs(t))
    return TestResult(
        method="Hotelling's paired T^2 test",
        models=models,
        statistic=f,
        statistic_name="F",
        p_value=float(fdtrc(p, n - p, f)),
        df=(float(p), float(n - p)),
        n=n,
        effect_size=EffectSize(name="Mahalanobis distance", value=math.sqrt(t2 / n), method="of paired differences"),
        notes=overlap_note(design.rho, n, n - p, p) if design else (),
        metric=", ".join(measures),
        details={
            "T2": t2,
            "mean_differences": _named(measures, mean),
            "direction": _named(measures, (whitened / singular) @ axes / deviation),
            "univariate": [
                {"measure": m, "t": float(x), "p": float(y)} for m, x, y in zip(measures, t, p_each, strict=True)
            ],
        },
    )


def manova(models: Mapping[str, Any], *, resampling: Resampling | None = None) -> TestResult:
    """Multivariate analysis of variance, Wilks' Lambda: do many models have the same means of several measures?

    Parameters
    ----------
    models : mapping of model to array or DataFrame, folds x measures
        Every row counts as a draw of its own: folds that the models share are not used as blocks.
    resampling : Resampling, optional
        The design, for the note on overlapping training sets.

    Returns
    -------
    TestResult
        Lambda = det E/det(E + H) is small where the models differ; it is turned into Rao's F, exact for up to 2
        measures or 3 models. `details` has Lambda, the eigenvalues of E^-1 H, their vectors (of unit variance within
        the models), and the first one's share: above 0.9 the models differ along one direction.

    See Also
    --------
    hotelling_test : two models.

    References
    ----------
    Wilks (1932), Biometrika 24; Rao (1951), Bull. Int. Stat. Inst. 33.

    Examples
    --------
    >>> from bayescmp.frequentist.multivariate import manova
    >>> a = [[0.9, 0.5], [0.8, 0.7], [0.7, 0.4], [0.9, 0.6], [0.8, 0.6]]
    >>> b = [[0.7, 0.4], [0.8, 0.6], [0.5, 0.5], [0.8, 0.4], [0.7, 0.5]]
    >>> result = manova({"rf": a, "svm": b})
    >>> result.df, result.p_value > 0.05
    ((2.0, 7.0), True)
    """
    if not isinstance(models, Mapping) or len(models) < 2:
        raise ScoresError("`manova` compares at least 2 models: give a mapping from model to folds x measures.")
    read = {str(name): _as_measures(str(name), x) for name, x in models.items()}
    if len(read) < len(models):
        raise ScoresError(f"Every model must have its own name, got {list(models)}.")
    measures = next(iter(read.values()))[1]
    for name, (_, own) in read.items():
        if own != measures:
            raise ScoresError(
                f"All models must have the measures {name_list(measures)}; `{name}` has {name_list(own)}."
            )
    check_design(resampling)
    tables = [x for x, _ in read.values()]
    sizes = np.array([len(x) for x in tables])
    n, k, p = int(sizes.sum()), len(tables), len(measures)
    if n - k < p:
        raise ScoresError(
            f"`manova` needs at least as many folds beyond one per model as measures, got {n} folds of {k} models and "
            f"{p} measures. Score more folds, or leave out measures."
        )
    everything = np.concatenate(tables)
    means = np.stack([x.mean(axis=0) for x in tables])
    rounding = ROUNDING * np.abs(everything).max(axis=0)
    residual = np.concatenate([x - m for x, m in zip(tables, means, strict=True)])
    deviation, singular, axes = _within("manova", residual, n - k, rounding, measures)
    shifts = np.sqrt(sizes)[:, None] * (means - everything.mean(axis=0)) / deviation @ axes.T / singular
    _, root, rotation = np.linalg.svd(shifts, full_matrices=False)
    eigenvalues = (root**2 / (n - k))[: min(p, k - 1)]
    wilks = float(np.prod(1 / (1 + eigenvalues)))
    f, df, exact = _rao(eigenvalues, p, k - 1, n - k)
    vectors = rotation[: len(eigenvalues)] / singular @ axes / deviation
    vectors *= np.sign(vectors[np.arange(len(vectors)), np.abs(vectors).argmax(axis=1)])[:, None]
    share = float(eigenvalues[0] / eigenvalues.sum()) if eigenvalues.any() else None
    notes: tuple[str, ...] = ()
    if resampling is not None and resampling.rho > 0:
        notes = (f"the training sets overlap (rho = {resampling.rho:.3f}), so Lambda is too small and p as well",)
    return TestResult(
        method=f"MANOVA, Wilks' Lambda, Rao's F ({'exact' if exact else 'approximate'})",
        models=tuple(read),
        statistic=f,
        statistic_name="F",
        p_value=float(fdtrc(*df, f)),
        df=df,
        n=n,
        effect_size=EffectSize(
            name="multivariate eta^2", value=1 - wilks ** (1 / len(eigenvalues)), method="1 - Lambda^(1/s)"
        ),
        notes=notes,
        metric=", ".join(measures),
        details={
            "wilks_lambda": wilks,
            "eigenvalues": eigenvalues.tolist(),
            "eigenvectors": [_named(measures, v) for v in vectors],
            "share_of_first": share,
            "means": {m: _named(measures, x) for m, x in zip(read, means, strict=True)},
        },
    )


def _rao(eigenvalues: Floats, p: int, q: int, df_error: int) -> tuple[float, tuple[float, float], bool]:
    """Rao's F of Wilks' Lambda, its degrees of freedom, and whether it is exact."""
    t = math.sqrt((p * p * q * q - 4) / (p * p + q * q - 5)) if p * p + q * q > 5 else 1.0
    df1 = p * q
    df2 = (df_error + q - (p + q + 1) / 2) * t - (p * q - 2) / 2
    # 1 / Lambda^(1/t) - 1, without losing the digits of a Lambda near 1
    return float(np.expm1(np.log1p(eigenvalues).sum() / t)) * df2 / df1, (float(df1), df2), min(p, q) <= 2


def _within(
    test: str, residual: Floats, df: int, rounding: Floats, measures: tuple[str, ...]
) -> tuple[Floats, Floats, Floats]:
    """Standard deviations, and singular values and axes of the standardised residuals; raises if they are singular."""
    constant = [m for m, x, r in zip(measures, np.abs(residual).max(axis=0), rounding, strict=True) if x <= r]
    if constant:
        raise ScoresError(
            f"`{test}` needs measures that vary, but {name_list(constant)} do not (beyond a constant difference): the "
            "covariance is singular. Leave them out."
        )
    unit = np.abs(residual).max(axis=0)  # squares of what is at most 1 stay finite
    deviation = np.sqrt(((residual / unit) ** 2).sum(axis=0) / df) * unit
    _, singular, axes = np.linalg.svd(residual / deviation / math.sqrt(df), full_matrices=False)
    zero = singular <= 1e-10 + 10 * float((rounding / deviation).max())
    if zero.any():
        involved = [m for m, weight in zip(measures, np.abs(axes[zero]).max(axis=0), strict=True) if weight > 1e-6]
        raise ScoresError(
            f"`{test}` needs measures of which none follows from the others, but {name_list(involved)} are tied by "
            "sums, as [tp, fp, fn, tn] are on folds of fixed size: the covariance is singular. Leave "
            f"{zero.sum()} of them out."
        )
    return deviation, singular, axes


def _as_measures(name: str, values: Any) -> tuple[Floats, tuple[str, ...]]:
    """Folds x measures of finite numbers, and the measures' names."""
    try:
        if np.iscomplexobj(values):
            raise ValueError
        x = np.array(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ScoresError(f"The scores of `{name}` must be numbers, folds x measures.") from None
    if x.ndim != 2 or not x.size:
        raise ScoresError(f"The scores of `{name}` must be a 2-D array, folds x measures; got shape {x.shape}.")
    check_finite(x.ravel(), lambda i: f"`{name}`, fold {i // x.shape[1] + 1}, measure {i % x.shape[1] + 1}")
    check_not_huge(x, LARGEST)
    columns = getattr(values, "columns", None)
    names = (f"measure {j + 1}" for j in range(x.shape[1])) if columns is None else map(str, columns)
    measures = tuple(names)
    if len(set(measures)) < len(measures):
        raise ScoresError(f"Every measure of `{name}` must have its own name, got {name_list(measures)}.")
    return x, measures


def _from_pairs(pairs: Any) -> tuple[tuple[str, str], tuple[str, ...], Floats, Floats, Resampling | None]:
    """Models, measures, oriented differences, their rounding, and the design, from a mapping of measure to pair."""
    if not isinstance(pairs, Mapping) or not pairs or not all(isinstance(x, Pair) for x in pairs.values()):
        raise ScoresError("Give two arrays, `a` and `b`, folds x measures, or a mapping from measure to Pair.")
    each = [one_dataset(pair, test="hotelling_test") for pair in pairs.values()]
    kinds = {(pair.a, pair.b, pair.datasets, int(pair.counts[0])) for pair in each}
    if len(kinds) > 1:
        raise ScoresError(
            "The pairs must be the same two models on the same folds of one dataset, got "
            + " and ".join(f'{a} vs {b} on "{d[0]}" ({n} folds)' for a, b, d, n in sorted(kinds))
            + "."
        )
    d = np.stack([pair.differences[0] for pair in each], axis=1)
    rounding = np.array([float(pair.rounding[0]) for pair in each])
    return (each[0].a, each[0].b), tuple(map(str, pairs)), d, rounding, each[0].resampling[0]


def _signs(measures: tuple[str, ...], higher_is_better: Mapping[str, bool] | bool | None) -> Floats:
    if not isinstance(higher_is_better, Mapping):
        return np.full(len(measures), -1.0 if higher_is_better is False else 1.0)
    unknown = [str(name) for name in higher_is_better if name not in measures]
    if unknown:
        raise ScoresError(f"`higher_is_better` names {name_list(unknown)}, but the measures are {name_list(measures)}.")
    return np.array([1.0 if higher_is_better.get(m, True) else -1.0 for m in measures])


def _named(measures: tuple[str, ...], values: Floats) -> dict[str, float]:
    return {m: float(x) for m, x in zip(measures, values, strict=True)}
