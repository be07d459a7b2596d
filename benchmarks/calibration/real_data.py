"""Real cross-validation of classifiers on fresh samples of populations whose truth is known.

The classes are Gaussian in two blocks of features with the same law. scikit-learn's decision tree on one block against
the same on the other: equal expected error, by symmetry. A linear discriminant against naive Bayes, on all features:
the difference is known from hundreds of training sets; with the better one's predictions flipped at the right rate
(Dietterich 1998 damaged his likewise) it is 0. Both are computed for all splits at once, and agree with scikit-learn's.
"""

from dataclasses import dataclass

import numpy as np
from book import Book, Floats
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import bayescmp as bc

Bools = NDArray[np.bool_]
SIZE, LARGE = 300, 2000
TWINS, DAMAGED, DIFFERENT = (
    "tree vs tree, twin features",
    "LDA vs naive Bayes, the better one damaged",
    "LDA vs naive Bayes",
)
DESIGNS = {
    "10-fold": bc.Resampling.kfold(10),
    "10 x 10-fold": bc.Resampling.kfold(10, repeats=10),
    "5 x 2-fold": bc.Resampling.kfold(2, repeats=5),
    "30 splits, 2/3 train": bc.Resampling.subsampling(200, 100, 30),
}
TRAINED_ON = {"10-fold": 270, "10 x 10-fold": 270, "5 x 2-fold": 150, "30 splits, 2/3 train": 200}


@dataclass(frozen=True)
class Population:
    """Two blocks of three features: distance of the classes in the first, correlation, spread of class 1."""

    distance: float
    correlation: float
    spread: float

    def sample(self, rng: np.random.Generator, n: int) -> tuple[Floats, NDArray[np.int_]]:
        y = rng.integers(0, 2, n)
        x = np.sqrt(self.correlation) * rng.standard_normal((n, 2, 1))
        x = x + np.sqrt(1 - self.correlation) * rng.standard_normal((n, 2, 3))
        x *= np.where(y, self.spread, 1.0)[:, None, None]
        x[:, :, 0] += self.distance * y[:, None]
        return x.reshape(n, 6), y


POPULATIONS = tuple(
    Population(distance, correlation, spread)
    for distance in (0.7, 1.2)
    for correlation, spread in ((0.1, 1.0), (0.4, 1.0), (0.1, 1.2), (0.4, 1.2))
)


def right(x: Floats, y: NDArray[np.int_], train: Bools) -> Bools:
    """Which cases (2 x splits x cases) LDA and naive Bayes get right, trained on these (splits x cases)."""
    products = (x[:, :, None] * x[:, None]).reshape(len(x), -1)
    scores, pooled = np.empty((2, 2, *train.shape)), 0.0
    parts = []
    for label in (0, 1):
        member = (train & (y == label)).astype(float)
        n = member.sum(axis=1)[:, None]
        mean = member @ x / n
        second = (member @ products / n).reshape(-1, x.shape[1], x.shape[1])
        covariance = second - mean[:, :, None] * mean[:, None]
        share = n / train.sum(axis=1)[:, None]
        pooled = pooled + share[:, :, None] * covariance
        variance = np.einsum("sii->si", covariance)
        z = (x[None] - mean[:, None]) ** 2 / variance[:, None]
        scores[1, label] = np.log(share) - 0.5 * (z.sum(axis=2) + np.log(variance).sum(axis=1)[:, None])
        parts.append((mean, share))
    for label, (mean, share) in enumerate(parts):
        weights = np.linalg.solve(pooled, mean[:, :, None])[:, :, 0]
        scores[0, label] = weights @ x.T - 0.5 * (weights * mean).sum(axis=1)[:, None] + np.log(share)
    return (scores[:, 1] > scores[:, 0]) == y.astype(bool)


def agreement(rng: np.random.Generator) -> float:
    """The share of predictions on which the two formulas and scikit-learn's classifiers agree."""
    same = []
    for population in POPULATIONS:
        x, y = population.sample(rng, 2 * SIZE)
        train = np.arange(2 * SIZE) < SIZE
        ours = right(x, y, train[None])[:, 0]
        for hits, model in zip(ours, (LinearDiscriminantAnalysis(solver="lsqr"), GaussianNB()), strict=True):
            same.append((model.fit(x[train], y[train]).predict(x) == y) == hits)
    return float(np.mean(same))


@dataclass(frozen=True)
class Truth:
    """Expected accuracies of the discriminant and of naive Bayes, and the standard error of their difference."""

    accuracy: tuple[float, float]
    error: float

    @property
    def difference(self) -> float:
        return self.accuracy[0] - self.accuracy[1]

    def damage(self, rng: np.random.Generator, hits: Bools) -> Bools:
        """Flip the better one's predictions so often that it is as bad as the other."""
        better = int(self.difference < 0)
        flips = abs(self.difference) / (2 * self.accuracy[better] - 1)
        hits = hits.copy()
        hits[better] ^= rng.random(hits.shape[1:]) < flips
        return hits


Truths = dict[tuple[int, int], Truth]


def truths(book: Book) -> Truths:
    """By population and training size, from many training sets, each tried on cases of its own."""
    rng, studies = book.rng("truths"), book.studies(400, 20)
    result = {}
    for i, population in enumerate(POPULATIONS):
        for n in sorted({*TRAINED_ON.values(), SIZE}):
            train = (np.arange(n + LARGE) < n)[None]
            found = [right(*population.sample(rng, n + LARGE), train)[:, 0, n:].mean(axis=1) for _ in range(studies)]
            lda, bayes = np.transpose(found)
            error = np.std(lda - bayes, ddof=1) / np.sqrt(studies)
            result[i, n] = Truth((float(lda.mean()), float(bayes.mean())), float(error))
    return result


def training_sets(rng: np.random.Generator, design: bc.Resampling) -> Bools:
    """Splits x cases: True where a case is trained on, False where it is tested."""
    rows = []
    for _ in range(design.repeats or 1):
        order = rng.permutation(SIZE)
        if design.scheme == "subsampling":
            rows.append(order < 200)
        else:
            assert design.folds is not None
            rows += [order % design.folds != k for k in range(design.folds)]
    return np.array(rows)


def splits(rng: np.random.Generator) -> dict[str, Bools]:
    """One draw of every design; 10-fold is the first run of 10 x 10."""
    made = {name: training_sets(rng, design) for name, design in DESIGNS.items() if name != "10-fold"}
    return {"10-fold": made["10 x 10-fold"][:10], **made}


@dataclass(frozen=True)
class Sample:
    """One sample cross-validated: accuracies by pair and design (2 x folds), hits on one test set, and a truth."""

    population: int
    folds: dict[tuple[str, str], Floats]
    holdout: dict[str, Bools]
    conditional: float = np.nan


def closed_form_sample(rng: np.random.Generator, i: int, known: Truths) -> Sample:
    """The discriminant against naive Bayes; and the two trained on the whole sample, on new cases."""
    x, y = POPULATIONS[i].sample(rng, SIZE)
    folds, holdout = {}, {}
    for name, train in splits(rng).items():
        hits = right(x, y, train)
        for pair, h in ((DIFFERENT, hits), (DAMAGED, known[i, TRAINED_ON[name]].damage(rng, hits))):
            folds[pair, name] = (h & ~train).sum(axis=2) / (~train).sum(axis=1)
            holdout[pair] = h[:, 0, ~train[0]]
    both_x, both_y = (np.concatenate(z) for z in zip((x, y), POPULATIONS[i].sample(rng, LARGE), strict=True))
    lda, bayes = right(both_x, both_y, (np.arange(SIZE + LARGE) < SIZE)[None])[:, 0, SIZE:].mean(axis=1)
    return Sample(i, folds, holdout, float(lda - bayes))


def tree_sample(rng: np.random.Generator, i: int) -> Sample:
    """A tree on the first block of features against a tree on the second."""
    x, y = POPULATIONS[i].sample(rng, SIZE)
    blocks, labels = (x[:, :3].astype(np.float32), x[:, 3:].astype(np.float32)), y.astype(float)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    folds, holdout = {}, {}
    known: dict[bytes, Bools] = {}
    for name, sets in splits(rng).items():
        for train in sets:
            if train.tobytes() not in known:
                known[train.tobytes()] = np.array(
                    [
                        tree.fit(z[train], labels[train], check_input=False).predict(z[~train], check_input=False)
                        == labels[~train]
                        for z in blocks
                    ]
                )
        hits = [known[train.tobytes()] for train in sets]
        folds[TWINS, name] = np.array([h.mean(axis=1) for h in hits]).T
        holdout[TWINS] = hits[0]
    return Sample(i, folds, holdout)


def pools(book: Book) -> tuple[Truths, list[Sample], list[Sample]]:
    """What is known of the populations, and samples of all of them in turn: closed forms, and trees."""
    known = truths(book)
    book.progress("populations known")
    rng, every = book.rng("cross-validation"), range(len(POPULATIONS))
    closed = [closed_form_sample(rng, i, known) for _ in range(book.studies(250, 8)) for i in every]
    book.progress(f"{len(closed)} samples cross-validated with closed forms")
    trees, rng = [], book.rng("trees")
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for k in range(book.studies(30, 2)):
            trees += [tree_sample(rng, i) for i in every]
            if k % 10 == 9:
                book.progress(f"{len(trees)} samples cross-validated with trees")
    return known, closed, trees
