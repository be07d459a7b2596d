"""What the multilevel model needs of a table of scores: the likelihood of each dataset's true contrasts of the models.

The k - 1 orthonormal contrasts of k models are free of the effects of datasets and folds, which all models share, and
no model is special among them. On dataset d the contrasts z of the folds have mean theta_d, covariance Sigma_d and
correlation rho_d. With the density |Sigma_d|^-(m - 1/2), which for two models is a uniform standard deviation, Sigma_d
integrates out: theta_d is multivariate Student around the mean of the folds, with n_d - 2 degrees of freedom and scale
matrix (1/n_d + rho_d/(1 - rho_d)) S_d/(n_d - 2), S_d the folds' sums of squares. So every difference of two models has,
dataset by dataset, the likelihood of their own hierarchical_ttest. Where a dataset has fewer than 2m + 1 folds, S_d is
completed to as many by the shape that is common to all datasets, in the scale of the dataset; and so it is where a
combination of the models' scores is the same on all folds. Runs that cannot be paired have the variance of each
model's mean in place of S_d, and Welch's degrees of freedom, over all models.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayescmp.bayes.multilevel.model import MOST_FREE, MultilevelPrior
from bayescmp.errors import (
    DegenerateWarning,
    MissingWarning,
    PriorWarning,
    ScoresError,
    name_list,
    warn,
)
from bayescmp.numerics.clusters import satterthwaite
from bayescmp.numerics.moments import moments
from bayescmp.scores.arrays import check_not_huge
from bayescmp.scores.inputs import check_one_run, check_runs, check_scores
from bayescmp.scores.pair import rounding_of
from bayescmp.scores.resampling import unknown_design
from bayescmp.scores.table import Scores
from bayescmp.values import Value

Floats = NDArray[np.float64]
LARGEST_SQUARED = 1e150
COLLINEAR = 1e-10
"""Scores beyond leave no room for the sum of their squares."""


class Twin(NamedTuple):
    """A model that differs from another one by a constant."""

    of: str
    gap: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Statistics(Value):
    """What the model needs of the scores; contrasts are in units of `unit`.

    On dataset d the contrasts `observe[d] @ theta_d` are seen, `sizes[d]` of them; those with models that were not run
    there (`run` is 0) have rows of 0. `means` and `scatter` are the means over folds and their sums of squares,
    `widening` is 1/n + rho/(1 - rho), and `counts` the numbers of folds. Not `paired` are independent runs.
    """

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    basis: Floats
    run: Floats
    observe: Floats
    means: Floats
    scatter: Floats
    sizes: Floats
    counts: Floats
    widening: Floats
    unit: float
    prior: MultilevelPrior
    paired: bool = True

    def __post_init__(self) -> None:
        for name in ("basis", "run", "observe", "means", "scatter", "sizes", "counts", "widening"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))

    def with_prior(self, prior: str) -> "Statistics":
        """The same data under a preset, with the tails that they have."""
        return replace(self, prior=MultilevelPrior.resolve(prior, len(self.models), self.unit, self.prior.tails))

    @cached_property
    def has_folds(self) -> bool:
        """False where every dataset has one score."""
        return bool(self.counts.max() > 1)

    @property
    def has_between(self) -> bool:
        """False for one dataset, which does not vary."""
        return len(self.datasets) > 1

    @property
    def m(self) -> int:
        """The number of contrasts."""
        return self.basis.shape[1]

    @cached_property
    def complete(self) -> bool:
        """True where every model was run on every dataset."""
        return bool((self.sizes == self.m).all())

    @property
    def exchangeable(self) -> bool:
        """True where one standard deviation serves all contrasts; so it does where there is one."""
        return self.m == 1 or self.prior.covariance == "exchangeable"

    @property
    def few_folds(self) -> NDArray[np.bool_]:
        """The datasets whose folds' covariance is completed from that of all."""
        return self._more_folds > 0 if self.prior.within_df == 0 else np.zeros(len(self.counts), dtype=bool)

    @cached_property
    def _more_folds(self) -> Floats:
        """Folds that the prior of a dataset's covariance is worth."""
        if self.prior.covariance == "exchangeable" or not self.has_folds or not self.paired:
            return np.zeros_like(self.counts)
        if self.prior.within_df:
            return np.full_like(self.counts, self.prior.within_df)
        lacking = np.maximum(2 * self.sizes - (self.counts - 1), 0.0)
        return np.where(self._collinear, np.maximum(self.sizes, lacking), lacking)

    @property
    def _collinear(self) -> NDArray[np.bool_]:
        """Where some combination of the models' scores is the same on all folds."""
        total = np.trace(self.scatter, axis1=1, axis2=2)[:, None]
        unseen = np.where(np.arange(self.m) < self.sizes[:, None], 0.0, total)
        values = np.linalg.eigvalsh(self.scatter + unseen[:, None] * np.eye(self.m))
        return np.asarray(values[:, 0] <= COLLINEAR * total[:, 0])

    @property
    def _isotropic(self) -> bool:
        return self.prior.covariance == "exchangeable" and self.paired

    @cached_property
    def df(self) -> Floats:
        """Degrees of freedom of the Student likelihoods of theta_d; the reference prior's one more for one dataset."""
        if not self.has_folds:
            return np.full_like(self.counts, np.inf)
        one = len(self.counts) == 1
        if self._isotropic:  # Sigma_d = s_d^2 I, and the uniform s_d integrates out
            return self.sizes * (self.counts - 1) - 1 + one
        return self.counts - 2 + self._more_folds + one

    @cached_property
    def scales(self) -> Floats:
        """Their scale matrices; 1 for what is not seen. Without folds the noise is part of T, and they are 0."""
        seen = np.arange(self.m) < self.sizes[:, None]
        unseen = np.eye(self.m) * ~seen[:, None]
        if not self.has_folds:
            return unseen
        if self._isotropic:
            total = np.trace(self.scatter, axis1=1, axis2=2)[:, None, None] * np.eye(self.m) * seen[:, None]
        else:
            total = self.scatter + self._more_folds[:, None, None] * self._target
        return (self.widening / self.df)[:, None, None] * total + unseen

    @property
    def _target(self) -> Floats:
        """What the prior of the folds' covariances is centred on, as each dataset sees it."""
        back = np.swapaxes(self.observe, 1, 2)
        if self.prior.within_sd is not None:
            return (self.prior.within_sd / self.unit) ** 2 * self.observe @ back
        if not self.few_folds.any():
            return np.zeros_like(self.scatter)
        variances = np.trace(self.scatter, axis1=1, axis2=2) / (self.sizes * (self.counts - 1))
        pooled = (back @ (self.scatter / variances[:, None, None]) @ self.observe).sum(axis=0)
        seen = np.trace((self.counts - 1)[:, None, None] * (back @ self.observe), axis1=1, axis2=2).sum() / self.m
        shape = (pooled + self.m * np.eye(self.m)) / (seen + self.m)
        return variances[:, None, None] * self.observe @ shape @ back


def prepare(
    scores: Scores, prior: str | MultilevelPrior, tails: str = "normal"
) -> tuple[Statistics, dict[str, Twin], tuple[str, ...]]:
    """The statistics; the models that differ from another one by a constant; and notes."""
    check_scores(scores, "multilevel")
    check_one_run(scores.items.values(), "multilevel")
    check_not_huge(scores.values, LARGEST_SQUARED)
    sign = 1.0 if scores.higher_is_better else -1.0
    twins = _twins(scores, sign) if scores.paired else {}
    models = tuple(name for name in scores.models if name not in twins)
    if twins and len(models) < 2:
        raise ScoresError(
            f"All differences between {name_list(scores.models)} are the same on every dataset and fold, so that there "
            "is nothing to sample. hierarchical_ttest answers by the limit."
        )
    scores = scores.select(models=list(models)) if twins else scores
    shown, notes = _check(scores)
    values = sign * scores.values[:, shown]
    datasets = tuple(np.array(scores.datasets, dtype=object)[shown])
    rounding = np.nanmax(rounding_of(scores.values[:, shown], scores.scale), axis=(0, 2))
    if twins:
        known = [f"{name} - {twin.of} = {twin.gap + 0.0:.4g}" for name, twin in twins.items()]
        notes.append(f"the same difference on every dataset and fold, so treated as known: {', '.join(known)}")
        warn(f"multilevel: {notes[-1]}.", DegenerateWarning)
    basis = contrasts(len(models))
    items = [scores.items.get(name) for name in datasets]
    clusters = [None if found is None else found.clusters for found in items]
    observe, means, scatter, sizes = _moments(values, basis, clusters, scores.paired)
    counts = np.array([len(scores.keys[d]) for d in np.flatnonzero(shown)], dtype=float)
    if not scores.paired:
        scatter, counts, constant = _of_runs(values, observe, basis, rounding)
        if constant.any():
            names = name_list([datasets[d] for d in np.flatnonzero(constant)], 4)
            notes.append(f"all runs of a model score the same on {names}: the least spread elsewhere is assumed")
            warn(f"multilevel: {notes[-1]}.", DegenerateWarning)
    residuals = means - observe @ _centre(observe, means)
    spread = float(np.sqrt((residuals**2).sum() / max(sizes.sum() - basis.shape[1], 1)))
    widening = np.ones_like(counts)
    if counts.max() > 1 and scores.paired:
        rho = _known_rho(scores, shown)
        widening = 1 / counts + rho / (1 - rho)
        for d, own in enumerate(clusters):
            if own is not None:  # as many independent items as the clusters are worth, by Satterthwaite
                df = satterthwaite(np.bincount(own)[np.unique(own)].astype(float))
                widening[d], counts[d] = df / counts[d] ** 2, df + 1
        tied = _lift_ties(scatter, values, observe, basis, counts, rounding, 1e-3 * spread)
        if tied.any():
            names = name_list([datasets[d] for d in np.flatnonzero(tied)], 4)
            notes.append(
                f"some models tie on every fold of {names}: the least variance of their difference elsewhere is assumed"
            )
            warn(f"multilevel: {notes[-1]}.", DegenerateWarning)
    within = float(np.sqrt((np.trace(scatter, axis1=1, axis2=2) / (sizes * np.maximum(counts - 1, 1))).mean()))
    unit = spread if spread > rounding.max() and len(datasets) > 1 else within
    if unit**2 == 0:
        raise ScoresError(
            f"Differences must be large enough to be squared, got {unit:g}. Change the unit of the scores."
        )
    statistics = Statistics(
        models=models,
        datasets=datasets,
        basis=basis,
        run=np.asarray(np.isfinite(values).any(axis=2).T, dtype=float),
        observe=observe,
        means=means / unit,
        scatter=scatter / unit**2,
        sizes=sizes,
        counts=counts,
        widening=widening,
        unit=unit,
        prior=MultilevelPrior.resolve(prior, len(models), unit, tails),
        paired=scores.paired,
    )
    if len(models) > MOST_FREE and statistics.exchangeable:
        notes.append(f"more than {MOST_FREE} models: one variance for all of them and one correlation for all pairs")
    if not statistics.has_folds and not statistics.exchangeable:
        _refuse_collinear(np.einsum("dai,da->di", observe, residuals), rounding.max())
    if (few := statistics.few_folds).any():
        names = "every dataset" if few.all() else name_list([datasets[d] for d in np.flatnonzero(few)], 4)
        notes.append(f"too few folds on {names} to show how so many models covary: completed from all datasets")
    if len(datasets) == 1:
        notes.append("one dataset: the effects are those on this dataset")
    if len(datasets) == 2:
        notes.append("two datasets hold little information about the next one: the prior dominates")
        warn(f"multilevel: {notes[-1]}.", PriorWarning)
    return statistics, twins, tuple(notes)


def _check(scores: Scores) -> tuple[NDArray[np.bool_], list[str]]:
    """Which datasets have two models or more, and notes. Raises if the model cannot use the scores."""
    scores.check_one_metric()
    here, sizes = scores.counts > 0, np.array([len(keys) for keys in scores.keys])
    if len(scores.models) < 2:
        raise ScoresError(f"`multilevel` needs at least 2 models, got {len(scores.models)}. Add another one.")
    if scores.scale == "relative":
        raise ScoresError('The scale "relative" is made for pairs of models. For many use scores.transform("log").')
    if not scores.paired:
        for name, counts in zip(scores.datasets, scores.counts.T, strict=True):
            check_runs("multilevel", name, scores.models, np.where(counts, counts, 2))
    for m, d in np.argwhere(here & (scores.counts < sizes) & scores.paired):
        raise ScoresError(
            f"Models must be scored on the same folds, but `{scores.models[m]}` has {scores.counts[m, d]} of "
            f'{sizes[d]} on "{scores.datasets[d]}". Score the missing ones, or use scores.drop("{scores.datasets[d]}").'
        )
    shown, notes = np.asarray(here.sum(axis=0) >= 2), []
    if not shown.all():
        lost = [scores.datasets[d] for d in np.flatnonzero(~shown)]
        notes.append(f"{name_list(lost, 20)} left out, because fewer than two models were run there")
        warn(f"multilevel: {notes[-1]}; {shown.sum()} datasets remain.", MissingWarning)
    if not shown.any() or (shown.sum() == 1 and sizes[shown][0] < 2):
        raise ScoresError(
            f"`multilevel` needs at least 2 datasets on which two models were run, or the folds of one; got "
            f"{shown.sum()} without folds."
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
    if few and sizes[shown].max() > 1 and scores.paired:
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


def _twins(scores: Scores, sign: float) -> dict[str, Twin]:
    """Models that differ from an earlier one by a constant, and were run wherever it was."""
    values, rounding = sign * scores.values, float(np.nanmax(rounding_of(scores.values, scores.scale)))
    found: dict[str, Twin] = {}
    for j, name in enumerate(scores.models):
        for i, other in enumerate(scores.models[:j]):
            gap = values[j] - values[i]
            if other in found or not np.array_equal(np.isnan(values[i]), np.isnan(values[j])):
                continue
            if np.isfinite(gap).sum() > 1 and np.nanmax(gap) - np.nanmin(gap) <= 2 * rounding:
                found[name] = Twin(other, float(np.nanmean(gap)))
                break
    return found


def contrasts(k: int) -> Floats:
    """An orthonormal basis, k x (k - 1), of the contrasts of k models (Helmert's)."""
    basis = np.zeros((k, k - 1))
    for j in range(1, k):
        basis[:j, j - 1], basis[j, j - 1] = 1.0, -float(j)
    return basis / np.linalg.norm(basis, axis=0)


def _moments(
    values: Floats, basis: Floats, clusters: Sequence[NDArray[np.int_] | None], paired: bool
) -> tuple[Floats, Floats, Floats, Floats]:
    """For each dataset: which contrasts can be seen (rows), their means over folds, sums of squares, and number.

    The squares of items in clusters are those of the clusters' sums (`numerics.clusters` has why they are divided).
    """
    m, n_datasets = basis.shape[1], values.shape[1]
    observe, scatter = np.zeros((2, n_datasets, m, m))
    means, sizes = np.zeros((n_datasets, m)), np.empty(n_datasets)
    for d in range(n_datasets):
        run = np.isfinite(values[:, d]).any(axis=1)
        folds = values[:, d][run]
        if paired:
            folds = folds[:, np.isfinite(folds).all(axis=0)]
        axes = basis if run.all() else contrasts(int(run.sum()))
        size = axes.shape[1]
        centre = np.nanmean(folds, axis=1, keepdims=True)
        own = axes.T @ (folds - centre)
        if (of := clusters[d]) is not None:
            members = (of == np.unique(of)[:, None]).astype(float)
            own = own @ members.T / np.sqrt(1 - members.sum(axis=1) / len(of))
        observe[d, :size] = np.eye(m) if run.all() else axes.T @ basis[run]
        means[d, :size], scatter[d, :size, :size] = axes.T @ (centre[:, 0] - centre.mean()), own @ own.T
        sizes[d] = size
    return observe, means, scatter, sizes


def _of_runs(
    values: Floats, observe: Floats, basis: Floats, rounding: Floats
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """In place of the scatter and the counts, so that df = counts - 2 is Welch's; and where runs do not vary."""
    _, sds, n = moments(values)
    run = n > 0
    constant = run & (sds <= rounding)
    sds = np.where(constant, sds[run & ~constant].min(initial=np.inf), sds)
    if not np.isfinite(sds[run]).all():
        raise ScoresError(
            "All runs of every model score the same on every dataset, so that nothing shows their spread."
        )
    errors = np.where(run, sds**2 / np.where(run, n, 1.0), 0.0)
    shares = errors / errors.sum(axis=0)
    df = 1 / (shares**2 / np.where(run, n - 1, 1.0)).sum(axis=0)
    scatter = np.zeros_like(observe)
    for d in range(len(df)):
        here = run[:, d]
        axes = basis if here.all() else contrasts(int(here.sum()))
        size = axes.shape[1]
        scatter[d, :size, :size] = df[d] * axes.T @ (errors[here, d, None] * axes)
    return scatter, df + 2 - (len(df) == 1), np.asarray(constant.any(axis=0))


def _centre(observe: Floats, means: Floats) -> Floats:
    """The common mean of all datasets' contrasts by least squares."""
    information = np.einsum("dai,daj->ij", observe, observe)
    return np.linalg.solve(information, np.einsum("dai,da->i", observe, means))


def _lift_ties(
    scatter: Floats, values: Floats, observe: Floats, basis: Floats, counts: Floats, rounding: Floats, last: float
) -> NDArray[np.bool_]:
    """Give, in place, pairs that tie on all folds of a dataset the least variance of their difference elsewhere.

    Without any elsewhere it is `last`, as a standard deviation. Returns where there were ties.
    """
    lifted = np.zeros(len(counts), dtype=bool)
    for i, j in combinations(range(len(values)), 2):
        gaps = values[i] - values[j]
        seen = np.isfinite(gaps).any(axis=1)
        sds = np.zeros(len(counts))
        sds[seen] = np.nanstd(gaps[seen], axis=1, ddof=1)
        tied = seen & (sds <= rounding)
        if tied.any():
            least = sds[seen & ~tied].min() if (seen & ~tied).any() else last
            direction = observe[tied] @ (basis[i] - basis[j])
            scatter[tied] += (counts[tied] - 1)[:, None, None] * least**2 / 4 * _outer(direction)
            lifted |= tied
    return lifted


def _outer(x: Floats) -> Floats:
    return x[..., :, None] * x[..., None, :]
