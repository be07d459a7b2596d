"""The parts of an analysis of variance: sums of squares, checks of its assumptions, and what to note about them."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, fdtri

from bayescmp.checks import is_one_of
from bayescmp.errors import ScoresError
from bayescmp.scores.inputs import Table

Floats = NDArray[np.float64]
KINDS = {"repeated": "repeated-measures ANOVA", "one-way": "one-way ANOVA"}


@dataclass(frozen=True)
class Parts:
    """The sums of squares, their degrees of freedom, and what to note about them.

    Sums of squares below the rounding of the scores are 0, so F is 0 or infinite and not a ratio of two noises.
    """

    ss_models: float
    ss_folds: float | None
    ss_error: float
    df_models: int
    df_folds: int | None
    df_error: int
    means: Floats
    sizes: Floats
    rounding: float
    notes: tuple[str, ...]

    @property
    def balanced(self) -> bool:
        """Whether all models have the same number of scores."""
        return bool(np.ptp(self.sizes) == 0)

    @property
    def n(self) -> int:
        """The scores of each model, or of all together where they have unequal numbers."""
        return int(self.sizes[0] if self.balanced else self.sizes.sum())

    @property
    def degenerate(self) -> bool:
        """Whether nothing varies but the models' means."""
        return self.ss_error == 0

    @property
    def ms_error(self) -> float:
        """The error's mean square."""
        return self.ss_error / self.df_error

    @property
    def f(self) -> float:
        """0 where the means are equal, infinite where nothing else varies."""
        if self.degenerate:
            return math.inf if self.ss_models else 0.0
        return self.ss_models / self.df_models / self.ms_error

    @property
    def p(self) -> float:
        """P(F or more) under equal means."""
        return _f_tail(self.df_models, self.df_error, self.f)

    def table(self) -> list[dict[str, Any]]:
        """Rows source, SS, df, MS, F, p."""
        rows: list[tuple[str, float, int]] = [("models", self.ss_models, self.df_models)]
        if self.ss_folds is not None and self.df_folds is not None:
            rows.append(("folds", self.ss_folds, self.df_folds))
        rows.append(("error", self.ss_error, self.df_error))
        empty = {"F": None, "p": None}
        listed = [{"source": s, "SS": ss, "df": df, "MS": ss / df} | empty for s, ss, df in rows]
        listed[0] |= {"F": self.f, "p": self.p}
        total = {"source": "total", "SS": sum(r[1] for r in rows), "df": sum(r[2] for r in rows), "MS": None}
        return [*listed, total | empty]


def split_variance(blocks: Table, kind: str) -> Parts:
    """The sums of squares of the models, of the folds where they are blocks, and of the rest."""
    if not is_one_of(kind, KINDS):
        raise ValueError(
            f'`kind` must be "repeated" (all models on the same folds) or "one-way" (independent scores), got {kind!r}.'
        )
    x, rounding = blocks.values, float(blocks.rounding.max())
    n, k = x.shape
    sizes = (~np.isnan(x)).sum(axis=0).astype(float)
    total = int(sizes.sum())
    spread = float(np.nanmax(np.abs(x - x[0, 0]))) if np.nanmax(np.abs(x)) < 1e150 else math.inf
    if spread and not 1e-150 < spread < 1e150:
        raise ScoresError("Scores must be of a size that can be squared. Change their unit.")
    deviation = x - np.nanmean(x)
    deviation -= np.nanmean(deviation)
    models, folds = np.nanmean(deviation, axis=0), np.nanmean(deviation, axis=1)
    residual = deviation - models
    if kind == "repeated":
        residual = residual - folds[:, None]
    sums = [_squares(models, rounding, sizes), _squares(folds, rounding) * k, _squares(residual, rounding)]
    df_error = (n - 1) * (k - 1) if kind == "repeated" else total - k
    notes = [*overlap_notes(blocks, df_error, k - 1)]
    if kind == "one-way" and (blocks.design is None or blocks.design.scheme != "independent"):
        notes.append('the models share their folds, which one-way ANOVA does not use; kind="repeated" does')
    if not sums[2]:
        equal = "all models have the same mean" if not sums[0] else "the models' means differ"
        notes.append(f"nothing varies but the models' means, and {equal}: the answer rests on no variation at all")
    return Parts(
        ss_models=sums[0],
        ss_folds=sums[1] if kind == "repeated" else None,
        ss_error=sums[2],
        df_models=k - 1,
        df_folds=n - 1 if kind == "repeated" else None,
        df_error=df_error,
        means=np.nanmean(blocks.oriented, axis=0),
        sizes=sizes,
        rounding=rounding,
        notes=tuple(notes),
    )


def overlap_notes(blocks: Table, df_error: float, df_effect: float) -> tuple[str, ...]:
    """What correlated folds do to an F test, where the design is known to have them."""
    design = blocks.design
    if design is None:
        return ("how the folds were made was not said: if their training sets overlap, F is too large",)
    return overlap_note(design.rho, len(blocks.blocks), df_error, df_effect)


def overlap_note(rho: float, n: int, df_error: float, df_effect: float) -> tuple[str, ...]:
    """Under equal correlation rho of n folds, F is 1 + n rho/(1 - rho) times what it should be."""
    if not rho:
        return ()
    critical = fdtri(df_effect, df_error, 0.95) / (1 + n * rho / (1 - rho))
    return (
        f"the training sets overlap (rho = {rho:.3f}), so F is too large: at a nominal level of 0.05 this test rejects "
        f"about {fdtrc(df_effect, df_error, critical):.2f} of true null hypotheses; use corrected_ttest",
    )


def greenhouse_geisser(x: Floats) -> float:
    """How far the covariance of the columns is from sphericity: 1 where it holds, 1/(k - 1) at worst."""
    covariance = np.cov(x / np.abs(x - x.mean()).max(), rowvar=False)
    centred = covariance - covariance.mean(axis=0) - covariance.mean(axis=1)[:, None] + covariance.mean()
    return float(min(1.0, np.trace(centred) ** 2 / ((len(centred) - 1) * (centred**2).sum())))


def brown_forsythe(blocks: Table) -> tuple[float, float]:
    """F and p of equal variances: one-way ANOVA of the distances to each model's median."""
    x, rounding = blocks.values, float(blocks.rounding.max())
    sizes, k = (~np.isnan(x)).sum(axis=0), x.shape[1]
    df = int(sizes.sum()) - k
    distance = np.abs(x - np.nanmedian(x, axis=0))
    means = np.nanmean(distance, axis=0)
    between = _squares(means - np.nanmean(distance), rounding, sizes)
    within = _squares(distance - means, rounding)
    if not within:
        return (math.inf, 0.0) if between else (0.0, 1.0)
    f = between / (k - 1) / (within / df)
    return f, _f_tail(k - 1, df, f)


def _squares(part: Floats, rounding: float, times: Floats | float = 1.0) -> float:
    """The sum of squares (NaN is none), each so many times; 0 where all of the part is rounding."""
    return 0.0 if np.nanmax(np.abs(part)) <= rounding else float(np.nansum(part * part * times))


def _f_tail(df1: float, df2: float, f: float) -> float:
    return 0.0 if math.isinf(f) else float(fdtrc(df1, df2, f))
