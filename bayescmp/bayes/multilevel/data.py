"""What the multilevel model needs of a table of scores: each dataset's mean contrasts of the models, and their scatter.

The k - 1 orthonormal contrasts of k models are free of the effects of datasets and folds, which all models share, and
no model is special among them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayescmp.bayes.multilevel.model import PLUG_IN_DF, MultilevelPrior
from bayescmp.errors import (
    DegenerateWarning,
    MissingWarning,
    PriorWarning,
    ScoresError,
    name_list,
    warn,
)
from bayescmp.scores.arrays import check_not_huge
from bayescmp.scores.inputs import check_scores
from bayescmp.scores.pair import rounding_of
from bayescmp.scores.resampling import not_paired, unknown_design
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
LARGEST_SQUARED = 1e150
"""Scores beyond leave no room for the sum of their squares."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Statistics:
    """What the model needs of the scores; contrasts are in units of `unit`, and rotated to each dataset's own axes.

    The axes of dataset d (rows of `rotations[d]`) are the principal ones of its fold scatter; `roots` are its
    eigenvalues, `means` the mean contrasts, `seen` is False for contrasts with models that were not run there.
    """

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    basis: Floats
    rotations: Floats
    means: Floats
    roots: Floats
    seen: NDArray[np.bool_]
    counts: Floats
    widening: Floats
    unit: float
    prior: MultilevelPrior
    notes: tuple[str, ...]

    @property
    def has_folds(self) -> bool:
        """False where every dataset has one score: then its noise is part of the variation between datasets."""
        return bool(self.counts.max() > 1)

    @property
    def m(self) -> int:
        """The number of contrasts."""
        return self.basis.shape[1]

    @property
    def exchangeable(self) -> bool:
        return self.m == 1 or self.prior.covariance == "exchangeable"

    @cached_property
    def precision(self) -> Floats:
        """A guess of the precision of each mean, 0 where not seen: where NUTS takes its scales from."""
        if not self.has_folds:
            return np.where(self.seen, np.inf, 0.0)
        per_axis = self.seen.sum(axis=1, keepdims=True)
        n, pooled = self.counts[:, None], self.roots.sum(axis=1, keepdims=True) / per_axis
        variance = (self.roots + PLUG_IN_DF * pooled / (n - 1)) / (n - 1 + PLUG_IN_DF)
        variance = pooled / (n - 1) if self.exchangeable else variance
        return np.where(self.seen, 1 / (self.widening[:, None] * variance), 0.0)

    @cached_property
    def shape(self) -> Floats:
        """A guess of T up to a factor, trace m."""
        gaps = np.where(self.seen, self.means - self.rotations @ _centre(self.rotations, self.means, self.seen), 0.0)
        residuals = np.einsum("dai,da->di", self.rotations, gaps)
        shape = residuals.T @ residuals
        return 0.8 * shape * self.m / max(np.trace(shape), 1e-12) + 0.2 * np.eye(self.m)

    @property
    def axis_shape(self) -> Floats:
        """The diagonal of the guessed shape of T in each dataset's axes."""
        return np.einsum("dai,ij,daj->da", self.rotations, self.shape, self.rotations)

    @property
    def start(self) -> tuple[Floats, Floats, Floats, float]:
        """mu by least squares along the axes of the guessed T, these axes, T's eigenvalues, and the means' noise."""
        eigenvalues, axes = np.linalg.eigh(self.shape)
        noise = 1 / self.precision[self.seen].mean()
        return axes.T @ _centre(self.rotations, self.means, self.seen), axes, eigenvalues, float(noise)


def prepare(scores: Scores, prior: str | MultilevelPrior) -> tuple[Statistics, dict[str, tuple[str, float]]]:
    """The statistics; and the models that differ from another one by a constant: {name: (other, constant)}."""
    check_scores(scores, "multilevel")
    check_not_huge(scores.values, LARGEST_SQUARED)
    shown, notes = _check(scores)
    values = np.where(scores.higher_is_better, 1.0, -1.0) * scores.values[:, shown]
    datasets = tuple(np.array(scores.datasets, dtype=object)[shown])
    rounding = np.nanmax(rounding_of(scores.values[:, shown], scores.scale), axis=(0, 2))
    twins = _twins(scores.models, values, rounding)
    models = tuple(name for name in scores.models if name not in twins)
    if len(models) < 2:
        raise ScoresError(
            f"All differences between {name_list(scores.models)} are the same on every dataset and fold, so that there "
            "is nothing to sample. hierarchical_ttest answers by the limit."
        )
    if twins:
        known = [f"{name} - {other} = {constant + 0.0:.4g}" for name, (other, constant) in twins.items()]
        notes.append(f"the same difference on every dataset and fold, so treated as known: {', '.join(known)}")
        warn(f"multilevel: {notes[-1]}.", DegenerateWarning)
    counts = np.array([len(scores.keys[d]) for d in np.flatnonzero(shown)], dtype=float)
    basis = _contrasts(len(models))
    rotations, means, roots, seen = _axes(values[[scores.models.index(name) for name in models]], basis)
    gaps = np.where(seen, means - rotations @ _centre(rotations, means, seen), 0.0)
    spread = float(np.sqrt((gaps**2).sum() / max(seen.sum() - basis.shape[1], 1)))
    widening = np.ones_like(counts)
    if counts.max() > 1:
        rho = _known_rho(scores, shown)
        widening = 1 / counts + rho / (1 - rho)
        covariance = prior if isinstance(prior, str) else getattr(prior, "covariance", None)
        sum_only = len(models) == 2 or covariance == "exchangeable"
        flat = _lift(roots, seen, counts, len(models) * counts * rounding**2, sum_only, (1e-3 * spread) ** 2)
        if flat:
            names = name_list([datasets[d] for d in flat], 4)
            notes.append(f"some differences do not vary at all on {names}: the least variance of others is assumed")
            warn(f"multilevel: {notes[-1]}.", DegenerateWarning)
    else:
        notes.append("one score per dataset: its noise is part of the variation between datasets")
        _refuse_collinear(np.einsum("dai,da->di", rotations, gaps), rounding.max())
    if len(datasets) == 2:
        notes.append("two datasets hold little information about the next one: the prior dominates")
        warn(f"multilevel: {notes[-1]}.", PriorWarning)
    within = float(np.sqrt((roots.sum(axis=1) / np.maximum(seen.sum(axis=1) * (counts - 1), 1)).mean()))
    unit = spread if spread > rounding.max() else within
    if unit**2 == 0:
        raise ScoresError(
            f"Differences must be large enough to be squared, got {unit:g}. Change the unit of the scores."
        )
    statistics = Statistics(
        models=models,
        datasets=datasets,
        basis=basis,
        rotations=rotations,
        means=means / unit,
        roots=roots / unit**2,
        seen=seen,
        counts=counts,
        widening=widening,
        unit=unit,
        prior=MultilevelPrior.resolve(prior, float(np.sqrt((means[seen] ** 2).mean())) or unit, unit),
        notes=tuple(notes),
    )
    return statistics, twins


def _check(scores: Scores) -> tuple[NDArray[np.bool_], list[str]]:
    """Which datasets have two models or more, and notes. Raises if the model cannot use the scores."""
    scores.check_one_metric()
    if not scores.paired:
        raise not_paired("multilevel")
    here, sizes = scores.counts > 0, np.array([len(keys) for keys in scores.keys])
    if len(scores.models) < 2:
        raise ScoresError(f"`multilevel` needs at least 2 models, got {len(scores.models)}. Add another one.")
    if scores.scale == "relative":
        raise ScoresError('The scale "relative" is made for pairs of models. For many use scores.transform("log").')
    for m, d in np.argwhere(here & (scores.counts < sizes)):
        raise ScoresError(
            f"Models must be scored on the same folds, but `{scores.models[m]}` has {scores.counts[m, d]} of "
            f'{sizes[d]} on "{scores.datasets[d]}". Score the missing ones, or use scores.drop("{scores.datasets[d]}").'
        )
    shown, notes = np.asarray(here.sum(axis=0) >= 2), []
    if not shown.all():
        lost = [scores.datasets[d] for d in np.flatnonzero(~shown)]
        notes.append(f"{name_list(lost, 20)} left out, because fewer than two models were run there")
        warn(f"multilevel: {notes[-1]}; {shown.sum()} datasets remain.", MissingWarning)
    if shown.sum() < 2:
        raise ScoresError(
            f"`multilevel` needs at least 2 datasets on which two models were run, got {shown.sum()}. For one dataset "
            "use correlated_ttest."
        )
    missing = int((~here[:, shown]).sum())
    if missing:
        notes.append(f"{missing} of {here[:, shown].size} results are missing: the model fills them in")
    linked = (here[:, shown].astype(int) @ here[:, shown].T.astype(int)) > 0
    reached = linked[0]
    for _ in scores.models:
        reached = linked[reached].any(axis=0)
    if not reached.all():
        raise ScoresError(
            "Every model must be linked to the others by datasets on which both were run, but "
            f'{name_list(np.array(scores.models)[~reached])} share none with "{scores.models[0]}" or those linked to '
            "it. Score them on the same datasets, or compare them apart."
        )
    # a lone contrast with two folds has no proper posterior of its variance
    few = [scores.datasets[d] for d in np.flatnonzero(shown & ((here.sum(axis=0) - 1) * (sizes - 1) < 2))]
    if few and sizes[shown].max() > 1:
        raise ScoresError(
            f"`multilevel` needs at least 3 scores per dataset (2 where three models or more were run), or one on "
            f"every dataset, but {name_list(few)} has fewer. Score more folds, or leave out these datasets."
        )
    return shown, notes


def _known_rho(scores: Scores, shown: NDArray[np.bool_]) -> Floats:
    unknown = [scores.datasets[d] for d in np.flatnonzero(shown) if scores.resampling[d] is None]
    if unknown:
        raise unknown_design("multilevel", unknown)
    return np.array([r.rho for r, keep in zip(scores.resampling, shown, strict=True) if keep and r is not None])


def _refuse_collinear(residuals: Floats, rounding: float) -> None:
    """One score per dataset: contrasts that do not vary leave the covariance between datasets without a posterior."""
    singular = np.linalg.svd(residuals, compute_uv=False)
    if (singular <= 10 * len(residuals) * rounding).sum() > max(len(singular) - (len(residuals) - 1), 0):
        raise ScoresError(
            "Some combination of the models' scores is the same on every dataset, so that its variation between "
            "datasets has no posterior. Leave out a model that is computed from others, or give the folds' scores."
        )


def _twins(models: tuple[str, ...], values: Floats, rounding: Floats) -> dict[str, tuple[str, float]]:
    """Models that differ from an earlier one by a constant, wherever both were run or not."""
    found: dict[str, tuple[str, float]] = {}
    for j, name in enumerate(models):
        for i, other in enumerate(models[:j]):
            gap = values[j] - values[i]
            if other in found or not np.array_equal(np.isnan(values[i]), np.isnan(values[j])):
                continue
            if np.nanmax(gap) - np.nanmin(gap) <= 2 * rounding.max():
                found[name] = (other, float(np.nanmean(gap)))
                break
    return found


def _contrasts(k: int) -> Floats:
    """An orthonormal basis, k x (k - 1), of the contrasts of k models (Helmert's)."""
    basis = np.zeros((k, k - 1))
    for j in range(1, k):
        basis[:j, j - 1], basis[j, j - 1] = 1.0, -float(j)
    return basis / np.linalg.norm(basis, axis=0)


def _axes(values: Floats, basis: Floats) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Each dataset's principal axes of its fold scatter, means and eigenvalues along them, and which can be seen."""
    m, n_datasets = basis.shape[1], values.shape[1]
    rotations, seen = np.empty((n_datasets, m, m)), np.zeros((n_datasets, m), dtype=bool)
    means, roots = np.zeros((2, n_datasets, m))
    for d in range(n_datasets):
        run = np.isfinite(values[:, d]).any(axis=1)
        folds = values[:, d][run]
        folds = folds[:, np.isfinite(folds).all(axis=0)]
        axes = _contrasts(int(run.sum()))
        centre = axes.T @ folds.mean(axis=1)
        own = axes.T @ (folds - folds.mean(axis=1, keepdims=True))
        left, singular, _ = np.linalg.svd(own, full_matrices=own.shape[1] < len(own))
        known = (left.T @ axes.T) @ basis[run]  # orthonormal rows: what was seen, in the axes of all models
        rest = np.linalg.svd(known)[2][len(known) :]
        rotations[d], size = np.concatenate([known, rest]), len(known)
        means[d, :size], seen[d, :size] = left.T @ centre, True
        roots[d, : singular.size] = singular**2
    return rotations, means, roots, seen


def _centre(rotations: Floats, means: Floats, seen: NDArray[np.bool_]) -> Floats:
    """The common mean of all datasets' contrasts by least squares."""
    information = np.einsum("dai,da,daj->ij", rotations, seen.astype(float), rotations)
    return np.linalg.solve(information, np.einsum("dai,da->i", rotations, means))


def _lift(
    roots: Floats, seen: NDArray[np.bool_], counts: Floats, zero: Floats, sum_only: bool, last: float
) -> list[int]:
    """Raise, in place, eigenvalues that are 0 because models tie on all folds, not for want of folds; return where."""
    per_fold = roots / (counts - 1)[:, None]
    positive = seen & (roots > zero[:, None])
    least = per_fold[positive].min() if positive.any() else last
    lifted = []
    for d, n in enumerate(counts):
        generic = np.arange(seen.shape[1]) < min(seen[d].sum(), n - 1)
        flat = generic & ~positive[d]
        if flat.any() and not (sum_only and positive[d].any()):
            roots[d, flat] = (n - 1) * (per_fold[d][positive[d]].min() if positive[d].any() else least)
            lifted.append(d)
    return lifted
