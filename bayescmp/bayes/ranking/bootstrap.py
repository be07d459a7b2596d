"""Which of many models is the best one? Their joint posterior, from many datasets or from the folds of one.

Many datasets: the Bayesian bootstrap of the datasets (Rubin 1981). One dataset: the multivariate Student of which every
contrast is the correlated t-test. Both are drawn independently, so that the Monte-Carlo error is that of a share.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp import sentences
from bayescmp.bayes.ranking.items import ItemAbilities, PatternAbilities
from bayescmp.bayes.ranking.result import AbilityInference, Block, RankingPosterior, check_no_rope
from bayescmp.bayes.welch import difference_of, mean_and_error
from bayescmp.checks import check_draws, check_switch, checked_seed, is_one_of
from bayescmp.errors import DegenerateWarning, ScoresError, name_list, warn
from bayescmp.numerics.clusters import RunsPart, runs_part
from bayescmp.numerics.ranks import average_ranks
from bayescmp.numerics.streams import streams
from bayescmp.numerics.student import student_parameters, student_regions
from bayescmp.rope import ROPE, Rope, RopeLike, check_rope_names, rope_for, symmetric, warn_if_other_scale
from bayescmp.scores.inputs import Table, check_runs, check_scores, check_units, complete_table, in_ropes
from bayescmp.scores.items import Items
from bayescmp.scores.pair import ROUNDING, rounding_of
from bayescmp.scores.resampling import unknown_design
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
DRAWS = 50_000
ITEM_PRIOR = 0.5
"""Of each cell of the four of a pair, as in `mcnemar_test`."""


def rank_models(
    scores: Scores,
    *,
    rope: RopeLike | Mapping[str, RopeLike] = ROPE,
    by: str = "score",
    mixed_units: bool = False,
    draws: int = DRAWS,
    random_seed: int | None = None,
) -> RankingPosterior:
    """The joint posterior of many models' mean scores or mean ranks: P(best), P(within the rope of the best), ranks.

    Parameters
    ----------
    scores : Scores
        Datasets on which a model was not run are left out with a warning.
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
        Symmetric. Mean scores this close make no practical difference; 0 for none. Mean ranks have no rope.
    by : "score" or "rank"
        With many datasets, what makes a model best: the mean score, or the mean rank, for scores that are not
        commensurable over datasets. With one dataset it is the mean score.
    mixed_units : bool
        With by="score", average scores also where the typical sizes of unbounded scores show that datasets have
        different units.
    draws : int
        Number of Monte-Carlo draws, at least 1,000.
    random_seed : int, optional
        Drawn and recorded if not given. Weights belong to datasets by name: their order does not matter.

    Returns
    -------
    RankingPosterior
        Many datasets: with Dirichlet(1, ..., 1) weights on the datasets, `p_best` is the probability of the best
        weighted mean score (or rank, depending on `by`), and `p_within_rope` that of being at most the rope below it.
        All numbers are counted on the same draws. With fewer than 20 datasets P(best) is overconfident, and a note
        quotes the measured rate at which such claims come true.

        One dataset: the fold means are multivariate Student with n - 1 degrees of freedom and scale matrix
        (1/n + rho/(1 - rho)) times the covariance of the folds, and every difference of two is `correlated_ttest`.
        Of runs that cannot be paired, every model's mean has a Student posterior of its own with n - 1 degrees of
        freedom and scale s / sqrt(n), and every difference of two is `welch_ttest`.

        Items of one test set: right and wrong have a Dirichlet prior on the patterns over models, and every difference
        of two is `mcnemar_test`; grades, samples and clusters are multivariate Student, as in `per_instance_ttest`.

    See Also
    --------
    plackett_luce, bradley_terry : models of the rankings and of the wins.

    References
    ----------
    Rubin (1981). The Bayesian bootstrap. Annals of Statistics 9. Corani, Benavoli (2015). Machine Learning 100.

    Examples
    --------
    >>> import bayescmp as bc
    >>> ranking = bc.bayes.rank_models(bc.load_uci(), rope=0.01, random_seed=1)
    >>> max(ranking.p_best, key=ranking.p_best.get)
    'rf'
    """
    if not is_one_of(by, ("score", "rank")):
        raise ValueError(f'`by` must be "score" or "rank", got {by!r}.')
    draws = check_draws(draws)
    check_scores(scores, "rank_models")
    check_rope_names(rope, scores.datasets)
    if not scores.paired and len(scores.datasets) == 1:
        return _runs(scores, rope, draws, checked_seed(random_seed))
    blocks_are = "folds" if len(scores.datasets) == 1 else "datasets"
    table = complete_table(
        scores, test="rank_models", blocks_are=blocks_are, least=1, relative=True, runs_of_items=True
    )
    table, region = in_ropes(table, rope)
    notes = check_units(table, 'rank_models(by="score")', check_switch("mixed_units", mixed_units) or by == "rank")
    seed = checked_seed(random_seed)
    if blocks_are == "folds":
        return _one_dataset(table, region, draws, seed)
    if by == "rank":
        check_no_rope(region)
    inference = BootstrapAbilities(table.oriented, table.ranks, table.datasets, by, table.rounding, draws, seed)
    return RankingPosterior(
        **table.about() | table.standing(),
        rope=region,
        method="Bayesian bootstrap of datasets",
        engine="draws",
        estimand=f"the models' mean {by}s over the population of datasets",
        ability="minus the mean rank" if by == "rank" else "mean score, higher is better",
        settings={"by": by, "draws": draws},
        random_seed=seed,
        notes=(*notes, *sentences.few_for_p_best(inference.measured)),
        inference=inference,
    )


def _one_dataset(table: Table, rope: Rope, draws: int, seed: int) -> RankingPosterior:
    name, n, design = table.datasets[0], len(table.blocks), table.design
    if n < 2:
        raise ScoresError(
            f'`rank_models` needs at least 2 datasets, or the folds of one, but there is one score each on "{name}". '
            "Give more datasets, or the score of every fold."
        )
    if design is None:
        raise unknown_design("rank_models", [name])
    if table.items is not None:
        return _items(table, table.items, rope, draws, seed)
    inference = StudentAbilities(table.oriented, design.rho, float(table.rounding.max()), draws, seed)
    notes: tuple[str, ...] = ()
    if not inference.contrast_scales().any():
        notes = (f"all differences between models are the same on all {n} folds: the answer rests on no variation",)
        warn(f"{name}: {notes[0]}.", DegenerateWarning)
    return RankingPosterior(
        **table.about() | table.standing(),
        rope=rope,
        method="multivariate correlated t",
        engine="draws",
        estimand="the models' mean scores on this dataset",
        ability="mean score, higher is better",
        settings={"by": "score", "draws": draws, "rho": design.rho, "resampling": design},
        random_seed=seed,
        notes=notes,
        inference=inference,
    )


def _runs(scores: Scores, rope: RopeLike | Mapping[str, RopeLike], draws: int, seed: int) -> RankingPosterior:
    """The runs of one dataset: every model's mean has a posterior of its own."""
    scores.check_one_metric()
    name, counts = scores.datasets[0], scores.counts[:, 0]
    check_runs("rank_models", name, scores.models, counts)
    sign = 1.0 if scores.higher_is_better else -1.0
    values = scores.values[:, 0]
    if scores.scale == "relative":
        values = values / np.nanmean(values, axis=1).mean()
    region = symmetric(rope_for(rope, name))
    if scores.scale == "score":
        warn_if_other_scale(region, values)
    rounding = np.nanmax(rounding_of(values, scores.scale), axis=1)
    means, scales, dfs = np.array(
        [mean_and_error(x[np.isfinite(x)], error) for x, error in zip(values, rounding.tolist(), strict=True)]
    ).T
    notes: tuple[str, ...] = ()
    if not scales.all():
        constant = name_list([model for model, scale in zip(scores.models, scales, strict=True) if not scale])
        notes = (f"all runs of {constant} score the same: the mean is treated as known exactly",)
        warn(f"{name}: {notes[0]}.", DegenerateWarning)
    return RankingPosterior(
        models=scores.models,
        metric=scores.metric,
        higher_is_better=scores.higher_is_better,
        scale=scores.scale,
        datasets=scores.datasets,
        n=int(counts.sum()),
        mean_score=tuple(means.tolist()),
        mean_rank=tuple(average_ranks(-sign * means, float(rounding.max())).tolist()),
        rope=region,
        method="independent Student t of each model's runs",
        engine="draws",
        estimand="the models' mean scores over runs on this dataset",
        ability="mean score, higher is better",
        settings={"by": "score", "draws": draws, "runs": dict(zip(scores.models, counts.tolist(), strict=True))},
        random_seed=seed,
        notes=notes,
        inference=RunAbilities(sign * means, scales, dfs, float(rounding.max()), draws, seed),
    )


def _items(table: Table, items: Items, rope: Rope, draws: int, seed: int) -> RankingPosterior:
    """Right and wrong by their patterns over models; grades, samples, clusters and runs by the covariance of items."""
    plain = items.samples is None and items.clusters is None and table.scale == "score"
    settings: dict[str, Any] = {"by": "score", "draws": draws, "resampling": table.design}
    notes: tuple[str, ...] = ()
    models = "these trained models"
    inference: AbilityInference
    if plain and np.isin(table.values, (0.0, 1.0)).all():
        right = table.values if table.higher_is_better else 1 - table.values
        inference, method = PatternAbilities(right, ITEM_PRIOR, draws, seed), "Dirichlet on patterns of right and wrong"
    else:
        rounding = float(table.rounding.max())
        runs: tuple[RunsPart | None, ...] = ()
        if items.runs > 1:
            answers = [items.runs_of(m) for m in range(len(table.models))]
            runs = tuple(runs_part(x, items.clusters, rounding) if x.shape[1] > 1 else None for x in answers)
            models = "models that are trained like these"
            once = [name for name, part in zip(table.models, runs, strict=True) if part is None]
            if once:
                notes = (f"what training {name_list(once)} again would change is not known: there is one run",)
        of_items = ItemAbilities(table.oriented, items.clusters, rounding, draws, seed, runs)
        inference, method, settings = of_items, "multivariate t", settings | {"df": of_items.df}
    return RankingPosterior(
        **table.about() | table.standing(),
        rope=rope,
        method=f"{method} over {len(items):,} items",
        engine="draws",
        estimand=f"the mean scores of {models} on items like these",
        ability="mean score, higher is better",
        settings=settings,
        random_seed=seed,
        notes=notes,
        inference=inference,
    )


@dataclass(frozen=True, eq=False)
class BootstrapAbilities(AbilityInference):
    """Weighted means over datasets with Dirichlet(1, ..., 1) weights; `means` and `ranks` are datasets x models."""

    means: Floats
    ranks: Floats
    names: tuple[str, ...]
    by: str
    rounding: Floats
    n_draws: int
    random_seed: int

    def __post_init__(self) -> None:
        for name in ("means", "ranks", "rounding"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))
        object.__setattr__(self, "names", tuple(self.names))
        shapes = self.means.shape[:1], self.ranks.shape[:1], self.rounding.shape
        if self.means.shape != self.ranks.shape or self.means.ndim != 2 or set(shapes) != {(len(self.names),)}:
            raise ValueError(
                f"`means` and `ranks` must be datasets x models, `rounding` and `names` one per dataset, got shapes "
                f"{self.means.shape}, {self.ranks.shape}, {self.rounding.shape} and {len(self.names)} names."
            )

    @property
    def measured(self) -> tuple[str, int]:
        return "bootstrap", len(self.names)

    def blocks(self) -> Iterator[Block]:
        order = np.argsort(np.array(self.names, dtype=object), kind="stable")
        means, ranks, rounding = self.means[order], self.ranks[order], self.rounding[order]
        # what a dataset adds to all models would cost their differences on other datasets their last digits
        level = means.min(axis=1) / 2 + means.max(axis=1) / 2
        gaps = means - level[:, None]
        for rng, size in streams(self.random_seed, self.n_draws, max(means.shape)):
            weights = rng.standard_exponential((size, len(order)))
            weights /= weights.sum(axis=1, keepdims=True)
            if self.by == "rank":
                yield Block(0.0 - weights @ ranks, 4 * ROUNDING * ranks.shape[1])
            else:
                yield Block(weights @ gaps, (weights @ rounding)[:, None], level=(weights @ level)[:, None])


@dataclass(frozen=True, eq=False)
class StudentAbilities(AbilityInference):
    """The mean scores of models on one dataset: multivariate Student; `folds` is folds x models."""

    folds: Floats
    rho: float
    rounding: float
    n_draws: int
    random_seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "folds", np.asarray(self.folds, dtype=float))

    @property
    def inflation(self) -> float:
        """1/n + rho/(1 - rho): the variance of a mean of correlated folds, in units of the folds' own."""
        return 1 / len(self.folds) + self.rho / (1 - self.rho)

    def blocks(self) -> Iterator[Block]:
        n = len(self.folds)
        location = self.folds.mean(axis=0)
        # normals times the centred folds have the covariance of the folds, also where it is singular
        factor = (self.folds - location) * np.sqrt(self.inflation / (n - 1))
        if n > factor.shape[1]:  # as many normals as models will do: R of Q R = factor has the same R'R
            factor = np.linalg.qr(factor, mode="r")
        for rng, size in streams(self.random_seed, self.n_draws, max(factor.shape)):
            normal = rng.standard_normal((size, len(factor))) @ factor
            draws = location + normal / np.sqrt(rng.chisquare(n - 1, (size, 1)) / (n - 1))
            yield Block(draws, 4 * self.rounding)

    def contrast_scales(self) -> Floats:
        """The scale of the Student t of every difference row - column."""
        return np.array([self._contrasts(i)[1] for i in range(self.folds.shape[1])])

    def better(self) -> Floats:
        rope = Rope(0, 0)
        return np.array(
            [student_regions(*self._contrasts(i), rope, self.rounding)[0] for i in range(self.folds.shape[1])]
        )

    def _contrasts(self, i: int) -> tuple[Floats, Floats, Floats]:
        """Location, scale and df of model i minus each model: the correlated t-tests."""
        return student_parameters((self.folds[:, [i]] - self.folds).T, self.rho, self.rounding)


@dataclass(frozen=True, eq=False)
class RunAbilities(AbilityInference):
    """The means of models over runs that cannot be paired: independent Student t, one location, scale and df each."""

    means: Floats
    scales: Floats
    dfs: Floats
    rounding: float
    n_draws: int
    random_seed: int

    def __post_init__(self) -> None:
        for name in ("means", "scales", "dfs"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))

    def blocks(self) -> Iterator[Block]:
        for rng, size in streams(self.random_seed, self.n_draws, self.means.size):
            draws = self.means + self.scales * rng.standard_t(self.dfs, (size, self.means.size))
            yield Block(draws, 4 * self.rounding)

    def better(self) -> Floats:
        k, rope = self.means.size, Rope(0, 0)
        matrix = np.full((k, k), 0.5)
        for i, j in combinations(range(k), 2):
            both = [i, j]
            one = difference_of(
                self.means[i] - self.means[j], self.scales[both].tolist(), self.dfs[both].tolist(), self.rounding
            )
            matrix[i, j], _, matrix[j, i] = one.regions(rope)
        return matrix
