"""Worlds that studies are drawn from, one class per design: what is true there, and what a study of it looks like.

A world is made of a truth that is assumed (`given`), or drawn from the posterior of a pilot (`drawn`). It makes new
studies (`study`), and adds to the pilot that it was drawn from (`more`).
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from bayescmp.checks import check_number
from bayescmp.errors import RepeatsWarning, ScoresError, name_list
from bayescmp.rope import Rope
from bayescmp.scores.inputs import check_one_run
from bayescmp.scores.items import items_of_arrays
from bayescmp.scores.pair import Pair
from bayescmp.scores.resampling import Resampling
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
A, B = "A", "B"
LEAST_JOINT, MOST_JOINT = 3, 30
"""Models of a planned study of the joint model: as many as it has if nothing is said, and at most."""
LEAST_BOOTSTRAP = 5
"""Datasets of a pilot that a bootstrap can draw from."""


@dataclass(frozen=True, eq=False)
class World:
    """What all worlds share: the names of the numbers that make one, and the checks of them."""

    unit: ClassVar[str]
    """What n counts."""
    least: ClassVar[int] = 2
    needs: ClassVar[tuple[str, ...]]
    may: ClassVar[tuple[str, ...]] = ()
    positive: ClassVar[tuple[str, ...]] = ("sd", "sd_a", "sd_b", "between", "df")

    @classmethod
    def given(cls, truth: Mapping[str, Any], resampling: Resampling | None) -> Self:
        """The world of this truth; raises where a number is missing, unknown or impossible."""
        known = (*cls.needs, *cls.may)
        wrong = [name for name in truth if name not in known]
        lacking = [name for name in cls.needs if name not in truth]
        if wrong or lacking:
            optional = f", and may have {name_list(cls.may)}" if cls.may else ""
            came = name_list(map(str, truth)) if truth else "nothing"
            raise ValueError(f"`truth` must have {name_list(cls.needs)}{optional}; got {came}.")
        numbers = {name: check_number(name, value) for name, value in truth.items()}
        for name, value in numbers.items():
            if not np.isfinite(value) or (name in cls.positive and value <= 0):
                must = "positive and finite" if name in cls.positive else "finite"
                raise ValueError(f"`{name}` of the truth must be {must}, got {value}.")
        return cls._of(numbers, resampling)

    @classmethod
    def _of(cls, truth: dict[str, float], resampling: Resampling | None) -> Self:
        return cls(**truth)

    @classmethod
    def drawn(cls, pilot: Any, rng: np.random.Generator) -> Self:
        """A world from the posterior of a pilot: a Pair, but Scores for the joint model."""
        raise NotImplementedError

    def study(self, n: int, rng: np.random.Generator) -> Pair:
        """A study of size n."""
        raise NotImplementedError

    def more(self, pilot: Pair, m: int, rng: np.random.Generator) -> Pair:
        """The pilot with m more."""
        raise NotImplementedError

    @classmethod
    def size(cls, pilot: Pair) -> int:
        """How many there are."""
        return len(pilot.datasets)

    @classmethod
    def steps(cls, pilot: Pair) -> tuple[int, ...]:
        """How many more are worth a thought."""
        return 10, 20, 50

    @classmethod
    def limits(cls, pilot: Pair) -> tuple[str, ...]:
        """What more of the same cannot do."""
        return ()


def check_one_dataset(pilot: Pair) -> None:
    """Raise where a plan for one dataset is given many."""
    if len(pilot.datasets) != 1:
        raise ScoresError(
            f"This plan is about one dataset, but the pilot has {len(pilot.datasets)}. Pick one with "
            "pair.select(name), or plan with a test over many datasets."
        )
    check_one_run(pilot.items.values(), "plan")


def known_rho(resampling: Resampling | None) -> float:
    """The correlation of the folds, which a plan for folds cannot do without."""
    if not isinstance(resampling, Resampling):
        raise ValueError(
            f"`resampling` must be the design of the folds, as in Resampling.kfold(10, repeats=10), got {resampling!r}."
        )
    return resampling.rho


@dataclass(frozen=True, eq=False)
class Folds(World):
    """One dataset: correlated folds with a mean difference and a standard deviation within the study."""

    unit = "folds"
    needs = ("mean", "sd")
    mean: float
    sd: float
    rho: float

    @classmethod
    def _of(cls, truth: dict[str, float], resampling: Resampling | None) -> Self:
        return cls(**truth, rho=known_rho(resampling))

    @classmethod
    def size(cls, pilot: Pair) -> int:
        return int(pilot.counts[0])

    @classmethod
    def steps(cls, pilot: Pair) -> tuple[int, ...]:
        return tuple(k * cls.size(pilot) for k in (1, 3, 9))

    @classmethod
    def limits(cls, pilot: Pair) -> tuple[str, ...]:
        rho = float(pilot.known_rho("plan")[0])
        if not rho:
            return ()
        return (
            f"more folds of the same dataset shrink the standard error by at most a factor of "
            f"{np.sqrt(1 + (1 - rho) / (rho * cls.size(pilot))):.3g}, because they share their data; more data do more",
        )

    @classmethod
    def drawn(cls, pilot: Pair, rng: np.random.Generator) -> Self:
        check_one_dataset(pilot)
        d, rho = pilot.differences[0], float(pilot.known_rho("plan")[0])
        sd = d.std(ddof=1) * np.sqrt((d.size - 1) / rng.chisquare(d.size - 1))
        if not sd:
            raise ScoresError("All folds have the same difference: there is no spread to plan with.")
        return cls(rng.normal(d.mean(), sd * np.sqrt(1 / d.size + rho / (1 - rho))), sd, rho)

    def _around(self, common: float, n: int, rng: np.random.Generator) -> Floats:
        return np.asarray(common + self.sd * rng.standard_normal(n))

    def study(self, n: int, rng: np.random.Generator) -> Pair:
        # what the folds of one study have in common has the variance rho/(1 - rho) times that of a fold around it
        common = rng.normal(self.mean, self.sd * np.sqrt(self.rho / (1 - self.rho)))
        return pair_of(self._around(common, n, rng)[None], (Resampling.custom(self.rho),))

    def more(self, pilot: Pair, m: int, rng: np.random.Generator) -> Pair:
        d = pilot.differences[0]
        prior, noise = self.sd**2 * self.rho / (1 - self.rho), self.sd**2 / d.size
        weight = prior / (prior + noise)
        common = rng.normal(self.mean + weight * (d.mean() - self.mean), np.sqrt(weight * noise))
        added = np.append(d, self._around(common, m, rng))
        return pair_of(added[None], (Resampling.custom(self.rho),), pilot)


@dataclass(frozen=True, eq=False)
class Datasets(World):
    """Many datasets with one difference each: normal, Student t, or equally often one of some values."""

    unit = "datasets"
    least = 1
    needs = ("mean", "sd")
    may = ("df",)
    mean: float = 0.0
    sd: float = 1.0
    df: float = np.inf
    values: Floats | None = None

    @classmethod
    def drawn(cls, pilot: Pair, rng: np.random.Generator) -> Self:
        """Mean and standard deviation from their posterior with the prior 1/sd; the shape is that of the pilot."""
        d = pilot.means
        if d.size < 3:
            raise ScoresError(f"A plan from a pilot needs at least 3 datasets to see how they differ, got {d.size}.")
        spread = d.std(ddof=1)
        sd = spread * np.sqrt((d.size - 1) / rng.chisquare(d.size - 1))
        mean = rng.normal(d.mean(), sd / np.sqrt(d.size))
        shape = (d - d.mean()) / d.std() if spread > 0 else np.zeros(d.size)
        return cls(values=mean + sd * shape)

    def shares(self, rope: Rope) -> Floats:
        """How probable it is that a dataset's difference is better, equivalent, worse."""
        if self.values is not None:
            region = rope.regions(self.values)
            return np.array([np.mean(region == r) for r in (1, 0, -1)])
        cdf = ndtr if np.isinf(self.df) else partial(stdtr, self.df)
        above, below = (cdf(-(rope.high - self.mean) / self.sd), cdf((rope.low - self.mean) / self.sd))
        return np.array([above, max(1 - above - below, 0.0), below])

    def _differences(self, n: int, rng: np.random.Generator) -> Floats:
        if self.values is not None:
            return np.asarray(rng.choice(self.values, n))
        noise = rng.standard_normal(n) if np.isinf(self.df) else rng.standard_t(self.df, n)
        return np.asarray(self.mean + self.sd * noise)

    def study(self, n: int, rng: np.random.Generator) -> Pair:
        return pair_of(self._differences(n, rng)[:, None])

    def more(self, pilot: Pair, m: int, rng: np.random.Generator) -> Pair:
        return pair_of(np.append(pilot.means, self._differences(m, rng))[:, None], None, pilot)


@dataclass(frozen=True, eq=False)
class DatasetsOfFolds(World):
    """Many datasets with folds: the datasets' differences spread around a mean, the folds around their dataset's."""

    unit = "datasets"
    needs = ("mean", "between", "sd")
    may = ("df",)
    mean: float
    between: float
    sd: Floats | float
    resampling: Resampling
    df: float = np.inf
    shape: Floats | None = None

    @classmethod
    def _of(cls, truth: dict[str, float], resampling: Resampling | None) -> Self:
        known_rho(resampling)
        if resampling is None or resampling.n is None or resampling.n < 3:
            raise ValueError(
                "`resampling` must have a known number of at least 3 folds per dataset, as in Resampling.kfold(10), "
                f"got {resampling!r}."
            )
        numbers: dict[str, Any] = dict(truth)
        return cls(**numbers, resampling=resampling)

    @classmethod
    def drawn(cls, pilot: Pair, rng: np.random.Generator) -> Self:
        """Mean and spread of the datasets from their posterior with the prior 1/sd; shape and folds as in the pilot."""
        n, means = len(pilot.datasets), pilot.means
        if n < 3:
            raise ScoresError(f"A plan from a pilot needs at least 3 datasets to see how they differ, got {n}.")
        designs = pilot.resampling
        if not pilot.paired or any(design is not None and design.scheme == "items" for design in designs):
            raise ScoresError(
                "A plan of the hierarchical test needs folds of datasets, not runs or items. Plan with "
                "signed_rank_test, which takes one score per dataset."
            )
        d, rho = pilot.differences, pilot.known_rho("plan")
        sds = np.nanstd(d, axis=1, ddof=1)
        noise = float(np.mean(sds**2 * (1 / pilot.counts + rho / (1 - rho))))
        total = means.var(ddof=1) * (n - 1) / rng.chisquare(n - 1)
        between = np.sqrt(max(total - noise, 0.05 * total))
        typical = designs[int(np.argsort(pilot.counts)[n // 2])]
        assert typical is not None
        shape = (means - means.mean()) / means.std() if total > 0 else np.zeros(n)
        varied = sds[sds > 0] if (sds > 0).any() else sds
        return cls(rng.normal(means.mean(), np.sqrt(total / n)), between, varied, typical, shape=shape)

    def _folds(self, n: int, rng: np.random.Generator) -> Floats:
        if self.shape is None:
            noise = rng.standard_normal(n) if np.isinf(self.df) else rng.standard_t(self.df, n)
        else:
            noise = rng.choice(self.shape, n)
        rho, folds = self.resampling.rho, self.resampling.n or 3
        sd = rng.choice(np.atleast_1d(self.sd), n)
        common = self.mean + self.between * noise + sd * np.sqrt(rho / (1 - rho)) * rng.standard_normal(n)
        return np.asarray(common[:, None] + sd[:, None] * rng.standard_normal((n, folds)))

    def study(self, n: int, rng: np.random.Generator) -> Pair:
        return pair_of(self._folds(n, rng), (self.resampling,) * n)

    def more(self, pilot: Pair, m: int, rng: np.random.Generator) -> Pair:
        new = self._folds(m, rng)
        width = max(new.shape[1], pilot.differences.shape[1])
        rows = np.full((len(pilot.datasets) + m, width), np.nan)
        rows[: len(pilot.datasets), : pilot.differences.shape[1]] = pilot.differences
        rows[len(pilot.datasets) :, : new.shape[1]] = new
        return pair_of(rows, (*pilot.resampling, *(self.resampling,) * m), pilot)


@dataclass(frozen=True, eq=False)
class RightOrWrong(World):
    """Items of one test set that each model gets right or wrong: the probabilities of the four cells, and clusters."""

    unit = "items"
    least = 1
    needs = ("difference", "discordance")
    may = ("icc", "cluster_size")
    cells: tuple[float, float, float, float]
    icc: float = 0.0
    cluster_size: int = 1

    @classmethod
    def _of(cls, truth: dict[str, float], resampling: Resampling | None) -> Self:
        delta, discordance = truth["difference"], truth["discordance"]
        if not 0 < discordance <= 1 or abs(delta) > discordance:
            raise ValueError(
                "`discordance` of the truth must be the share of items that only one model gets right, between 0 and "
                f"1, and at least as large as `difference`, got {discordance:g} and {delta:g}."
            )
        icc, size = truth.get("icc", 0.0), truth.get("cluster_size", 1.0)
        if not 0 <= icc < 1 or size < 1 or size % 1:
            raise ValueError(
                "`icc` of the truth must be in [0, 1), and `cluster_size` a whole number of items, got "
                f"{icc:g} and {size:g}."
            )
        cells = (1 - discordance, (discordance + delta) / 2, (discordance - delta) / 2, 0.0)
        return cls(cells, icc, int(size))

    @classmethod
    def drawn(cls, pilot: Pair, rng: np.random.Generator) -> Self:
        check_one_dataset(pilot)
        if clusters_of(pilot) is not None:
            raise ScoresError("The items come in clusters: plan with per_instance_ttest, which allows for them.")
        a, b = (x[0, : pilot.counts[0]] == pilot.higher_is_better for x in (pilot.scores_a, pilot.scores_b))
        counts = [np.sum(a & b), np.sum(a & ~b), np.sum(~a & b), np.sum(~a & ~b)]
        return cls(tuple(rng.dirichlet(np.array(counts) + 0.5).tolist()))

    @classmethod
    def size(cls, pilot: Pair) -> int:
        return int(pilot.counts[0])

    @classmethod
    def steps(cls, pilot: Pair) -> tuple[int, ...]:
        return tuple(k * cls.size(pilot) for k in (1, 3, 9))

    def _scores(self, n: int, rng: np.random.Generator) -> Floats:
        """Right or wrong, A and B, 2 x items; the cells of a cluster are Dirichlet-multinomial."""
        if self.icc and self.cluster_size > 1:
            clusters = -(-n // self.cluster_size)
            gammas = rng.standard_gamma(np.maximum(np.array(self.cells), 1e-12) * (1 / self.icc - 1), (clusters, 4))
            shares = np.repeat(gammas / gammas.sum(axis=1, keepdims=True), self.cluster_size, axis=0)[:n]
            cell = (rng.random((n, 1)) > shares.cumsum(axis=1)[:, :3]).sum(axis=1)
        else:
            cell = rng.choice(4, n, p=self.cells)
        return np.stack([np.isin(cell, (0, 1)), np.isin(cell, (0, 2))]).astype(float)

    def study(self, n: int, rng: np.random.Generator) -> Pair:
        clusters = np.arange(n) // self.cluster_size if self.cluster_size > 1 else None
        return items_pair(self._scores(n, rng), clusters)

    def more(self, pilot: Pair, m: int, rng: np.random.Generator) -> Pair:
        old = np.stack([x[0, : pilot.counts[0]] for x in (pilot.scores_a, pilot.scores_b)])
        new = self._scores(m, rng)
        return items_pair(np.concatenate([old, new if pilot.higher_is_better else 1 - new], axis=1), None, pilot)


@dataclass(frozen=True, eq=False)
class GradedItems(World):
    """Items of one test set with a grade: mean and standard deviation of the differences, and clusters.

    From a pilot with clusters, a world is made of these clusters, each with a weight of the Bayesian bootstrap.
    """

    unit = "items"
    needs = ("mean", "sd")
    may = ("icc", "cluster_size")
    mean: float = 0.0
    sd: float = 0.0
    icc: float = 0.0
    cluster_size: float = 1.0
    clusters: tuple[Floats, ...] = ()
    weights: Floats | None = None

    @classmethod
    def drawn(cls, pilot: Pair, rng: np.random.Generator) -> Self:
        check_one_dataset(pilot)
        d, codes = pilot.differences[0, : pilot.counts[0]], clusters_of(pilot)
        if codes is not None:
            clusters = tuple(d[codes == code] for code in np.unique(codes))
            return cls(clusters=clusters, weights=rng.dirichlet(np.ones(len(clusters))))
        return cls(*_mean_and_sd(d, rng))

    size = RightOrWrong.size
    steps = RightOrWrong.steps

    def _differences(self, n: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.int_] | None]:
        """The differences of n items, and their clusters."""
        if self.clusters:
            picked: list[Floats] = []
            while sum(x.size for x in picked) < n:
                picked.append(self.clusters[rng.choice(len(self.clusters), p=self.weights)])
            return np.concatenate(picked)[:n], np.repeat(np.arange(len(picked)), [x.size for x in picked])[:n]
        codes = np.arange(n) // int(self.cluster_size)
        own, common = rng.standard_normal(n), rng.standard_normal(n)[codes]
        d = self.mean + self.sd * (np.sqrt(1 - self.icc) * own + np.sqrt(self.icc) * common)
        return np.asarray(d), codes if self.cluster_size > 1 else None

    def study(self, n: int, rng: np.random.Generator) -> Pair:
        d, codes = self._differences(n, rng)
        return items_pair(np.stack([d, np.zeros(n)]), codes)

    def more(self, pilot: Pair, m: int, rng: np.random.Generator) -> Pair:
        old, (new, codes) = clusters_of(pilot), self._differences(m, rng)
        if old is not None and codes is not None:
            codes = np.append(old, codes + old.max() + 1)
        d = np.append(pilot.differences[0, : pilot.counts[0]], new)
        return replace(items_pair(np.stack([d, np.zeros(d.size)]), codes, pilot), higher_is_better=True)


def clusters_of(pilot: Pair) -> NDArray[np.int64] | None:
    """The cluster of each item of a pilot on one test set; None where items are independent."""
    items = pilot.items.get(pilot.datasets[0])
    return None if items is None else items.clusters


@dataclass(frozen=True, eq=False)
class Runs(World):
    """Independent runs of two models on one dataset, as many of each."""

    unit = "runs"
    needs = ("mean", "sd_a", "sd_b")
    mean: float
    sd_a: float
    sd_b: float
    mean_b: float = 0.0

    @classmethod
    def drawn(cls, pilot: Pair, rng: np.random.Generator) -> Self:
        check_one_dataset(pilot)
        (mean_a, sd_a), (mean_b, sd_b) = (_mean_and_sd(x, rng) for x in cls._oriented(pilot))
        return cls(mean_a - mean_b, sd_a, sd_b, mean_b)

    @staticmethod
    def _oriented(pilot: Pair) -> tuple[Floats, Floats]:
        """The runs of A and of B, higher is better."""
        sign = 1.0 if pilot.higher_is_better else -1.0
        a, b = (sign * x[0][np.isfinite(x[0])] for x in (pilot.scores_a, pilot.scores_b))
        return a, b

    @classmethod
    def size(cls, pilot: Pair) -> int:
        return int(pilot.runs.min())

    @classmethod
    def steps(cls, pilot: Pair) -> tuple[int, ...]:
        return 5, 10, 20

    def study(self, n: int, rng: np.random.Generator) -> Pair:
        return runs_pair(*self._runs(n, rng))

    def _runs(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        return rng.normal(self.mean_b + self.mean, self.sd_a, n), rng.normal(self.mean_b, self.sd_b, n)

    def more(self, pilot: Pair, m: int, rng: np.random.Generator) -> Pair:
        (old_a, old_b), (new_a, new_b) = self._oriented(pilot), self._runs(m, rng)
        return runs_pair(np.append(old_a, new_a), np.append(old_b, new_b), pilot)


@dataclass(frozen=True, eq=False)
class JointDatasets(World):
    """Several models on many datasets; the decision is about the first two.

    Each model varies around its effect from dataset to dataset, and from fold to fold if there are folds. From a pilot
    a world is made of its datasets, each with a weight of the Bayesian bootstrap.
    """

    unit = "datasets"
    needs = ("mean", "between")
    may = ("sd", "models", "others")
    mean: float = 0.0
    between: float = 0.0
    sd: float = 0.0
    models: int = LEAST_JOINT
    others: float = 0.0
    resampling: Resampling | None = None
    pilot: Scores | None = None
    weights: Floats | None = None

    @classmethod
    def _of(cls, truth: dict[str, float], resampling: Resampling | None) -> Self:
        models = truth.pop("models", float(LEAST_JOINT))
        if models % 1 or not 2 <= models <= MOST_JOINT:
            raise ValueError(f"`models` of the truth must be a whole number from 2 to {MOST_JOINT}, got {models:g}.")
        if ("sd" in truth) != (resampling is not None):
            raise ValueError(
                "`sd` of the truth and `resampling` are both about folds: give both, as in Resampling.kfold(10), or "
                "neither for one score per dataset."
            )
        if resampling is not None and (resampling.n is None or resampling.n < 3 or not known_rho(resampling) >= 0):
            raise ValueError(
                f"`resampling` must have a known number of at least 3 folds per dataset, got {resampling!r}."
            )
        numbers: dict[str, Any] = dict(truth)
        return cls(**numbers, models=int(models), resampling=resampling)

    @classmethod
    def drawn(cls, pilot: Any, rng: np.random.Generator) -> Self:
        if not isinstance(pilot, Scores):
            raise ValueError(f"`pilot` of the joint model must be Scores of all models, got {type(pilot).__name__}.")
        n = len(pilot.datasets)
        if n < LEAST_BOOTSTRAP:
            raise ScoresError(
                f"A plan of the joint model from a pilot needs at least {LEAST_BOOTSTRAP} datasets to draw from, "
                f"got {n}."
            )
        designs = {None if design is None else (design.n, round(design.rho, 3)) for design in pilot.resampling}
        if len(designs) > 1 or not np.isfinite(pilot.values).all():
            raise ScoresError(
                "A plan of the joint model needs a pilot with the same folds on every dataset and no missing results. "
                "Drop the datasets that lack some with scores.drop(...)."
            )
        return cls(pilot=pilot, resampling=pilot.resampling[0], weights=rng.dirichlet(np.ones(n)))

    def study(self, n: int, rng: np.random.Generator) -> Any:
        about: dict[str, Any] = {"higher_is_better": True}
        if self.pilot is not None:
            values = self.pilot.values[:, rng.choice(len(self.pilot.datasets), n, p=self.weights)]
            names: tuple[str, ...] = self.pilot.models
            about = {"metric": self.pilot.metric, "higher_is_better": self.pilot.higher_is_better}
        else:
            values = self._values(n, rng)
            names = (A, B, *(f"other {i + 1}" for i in range(self.models - 2)))
        if self.resampling is None:
            values = values[..., 0]
        given = {"resampling": self.resampling} if self.resampling is not None else {"datasets": n}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RepeatsWarning)  # a bootstrap draws datasets more than once
            return Scores.from_arrays(dict(zip(names, values, strict=True)), **given, **about)

    def _values(self, n: int, rng: np.random.Generator) -> Floats:
        """Models x datasets x folds; two models differ by twice the variance of one."""
        effects = np.full(self.models, self.others)
        effects[:2] = self.mean, 0.0
        own = effects[:, None] + self.between / np.sqrt(2) * rng.standard_normal((self.models, n))
        folds, rho = (1, 0.0) if self.resampling is None else (self.resampling.n or 1, self.resampling.rho)
        own += self.sd / np.sqrt(2) * np.sqrt(rho / (1 - rho)) * rng.standard_normal(own.shape)
        noise = self.sd / np.sqrt(2) * rng.standard_normal((*own.shape, folds))
        level = 100 * (np.abs(effects).max() + self.between + self.sd)  # so that no dataset seems to have its own unit
        return np.asarray(level + own[..., None] + noise)


def _mean_and_sd(x: Floats, rng: np.random.Generator) -> tuple[float, float]:
    """A mean and a standard deviation from their posterior with the prior 1/sd."""
    sd = x.std(ddof=1) * np.sqrt((x.size - 1) / rng.chisquare(x.size - 1))
    return float(rng.normal(x.mean(), sd / np.sqrt(x.size))), float(sd)


JOINT: dict[str, type[World]] = {"multilevel": JointDatasets}
"""Of tests that take all models at once, by their names."""
WORLDS: dict[str, type[World]] = {
    "folds": Folds,
    "runs": Runs,
    "items": RightOrWrong,
    "graded items": GradedItems,
    "datasets": Datasets,
    "datasets x folds": DatasetsOfFolds,
}
"""By the designs of the catalogue."""


def pair_of(
    differences: Floats, resampling: tuple[Resampling | None, ...] | None = None, like: Pair | None = None
) -> Pair:
    """A pair with these differences, datasets x resamples; the names and the metric are those of the pilot."""
    n = len(differences)
    old = () if like is None else like.datasets
    zero = np.where(np.isnan(differences), np.nan, 0.0)
    return Pair(
        a=A if like is None else like.a,
        b=B if like is None else like.b,
        datasets=(*old, *(f"planned {i + 1}" for i in range(n - len(old)))),
        scores_a=differences,
        scores_b=zero,
        resampling=resampling if resampling is not None else (None,) * n,
        metric=None if like is None else like.metric,
        higher_is_better=True,
        scale="score" if like is None else like.scale,
    )


def items_pair(scores: Floats, clusters: NDArray[np.int_] | None, like: Pair | None = None) -> Pair:
    """A pair with these scores of A and B, 2 x items."""
    n = scores.shape[1]
    datasets = ("planned",) if like is None else like.datasets
    return Pair(
        a=A if like is None else like.a,
        b=B if like is None else like.b,
        datasets=datasets,
        scores_a=scores[:1],
        scores_b=scores[1:],
        resampling=(Resampling.items(),),
        metric=None if like is None else like.metric,
        higher_is_better=True if like is None else like.higher_is_better,
        items={} if clusters is None else {datasets[0]: items_of_arrays(n, None, clusters.tolist())},
    )


def runs_pair(a: Floats, b: Floats, like: Pair | None = None) -> Pair:
    """A pair with these runs, higher is better."""
    scores = np.full((2, 1, max(a.size, b.size)), np.nan)
    scores[0, 0, : a.size], scores[1, 0, : b.size] = a, b
    return Pair(
        a=A if like is None else like.a,
        b=B if like is None else like.b,
        datasets=("planned",) if like is None else like.datasets,
        scores_a=scores[0],
        scores_b=scores[1],
        resampling=(Resampling.runs(),),
        metric=None if like is None else like.metric,
        higher_is_better=True,
        scale="score" if like is None else like.scale,
    )
