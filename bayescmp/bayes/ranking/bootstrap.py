"""Which of many models is the best one? Their joint posterior, from many datasets or from the folds of one.

Many datasets: the Bayesian bootstrap of the datasets (Rubin 1981). One dataset: the multivariate Student of which every
contrast is the correlated t-test. Both are drawn independently, so that the Monte-Carlo error is that of a share.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayescmp import sentences
from bayescmp.bayes.ranking.result import AbilityInference, Block, RankingPosterior, check_no_rope
from bayescmp.checks import check_draws, checked_seed, is_one_of
from bayescmp.errors import DegenerateWarning, ScoresError, warn
from bayescmp.numerics.student import student_parameters, student_regions
from bayescmp.rope import ROPE, Rope, RopeLike
from bayescmp.scores.inputs import Table, check_scores, complete_table, in_ropes
from bayescmp.scores.pair import ROUNDING
from bayescmp.scores.resampling import unknown_design
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
DRAWS = 50_000
ELEMENTS_AT_A_TIME = 2**19
"""Numbers in memory at once: part of the random stream's layout, so that results do not depend on the machine."""


def rank_models(
    scores: Scores,
    *,
    rope: RopeLike | Mapping[str, RopeLike] = ROPE,
    by: str = "score",
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
    blocks_are = "folds" if len(scores.datasets) == 1 else "datasets"
    table = complete_table(scores, test="rank_models", blocks_are=blocks_are, least=1, relative=True)
    table, region = in_ropes(table, rope)
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
        notes=sentences.few_for_p_best(inference.resampled),
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

    @property
    def resampled(self) -> int:
        """The number of datasets that are reweighted."""
        return len(self.names)

    def blocks(self) -> Iterator[Block]:
        order = np.argsort(np.array(self.names, dtype=object), kind="stable")
        means, ranks, rounding = self.means[order], self.ranks[order], self.rounding[order]
        # what a dataset adds to all models would cost their differences on other datasets their last digits
        level = means.min(axis=1) / 2 + means.max(axis=1) / 2
        gaps = means - level[:, None]
        for rng, size in _streams(self.random_seed, self.n_draws, max(means.shape)):
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
        for rng, size in _streams(self.random_seed, self.n_draws, max(self.folds.shape)):
            normal = rng.standard_normal((size, n)) @ factor
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


def _streams(random_seed: int, n_draws: int, width: int) -> Iterator[tuple[np.random.Generator, int]]:
    """A generator for each block of draws, and the block's size."""
    size = int(np.clip(ELEMENTS_AT_A_TIME // width, 16, 4096))
    for block in range(-(-n_draws // size)):
        rng = np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence((random_seed, block))))
        yield rng, min(size, n_draws - block * size)
