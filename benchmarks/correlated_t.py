"""The correlated t-test beside baycomp: one call, and very many experiments in one call."""

import numpy as np
from _timing import Case, Growth, Limit, Work
from scipy import special

import bayescmp as bc
from bayescmp.bayes.correlated_t import probabilities

EXPERIMENTS, FOLDS, PEER_EXPERIMENTS = 200_000, 100, 400


def differences(experiments: int = EXPERIMENTS, folds: int = FOLDS) -> np.ndarray:
    return np.random.default_rng(1).normal(0.01, 0.05, (experiments, folds))


def one() -> Work:
    pair = bc.load_labour().pair("SVM", "DT")
    return lambda: [bc.bayes.correlated_ttest(pair, rope=0.01).p_better for _ in range(100)]


def one_of_arrays() -> Work:
    a, b = bc.load_labour().values[[2, 0], 0]
    design = bc.Resampling.kfold(10, repeats=10)
    return lambda: [bc.bayes.correlated_ttest(a, b, rope=0.01, resampling=design).p_better for _ in range(100)]


def one_baycomp() -> Work:
    import baycomp

    a, b = bc.load_labour().values[[2, 0], 0]
    return lambda: [baycomp.two_on_single(a, b, rope=0.01, runs=10) for _ in range(100)]


def many() -> Work:
    data = differences()
    return lambda: probabilities(data, rho=0.1, rope=0.01)


def many_baycomp() -> Work:
    import baycomp

    data, zeros = differences(PEER_EXPERIMENTS), np.zeros(FOLDS)
    return lambda: [baycomp.two_on_single(zeros, row, rope=0.01, runs=10) for row in data]


def bare() -> Work:
    """The sums that the means and variances need, and the two tails of every experiment."""
    data, out = differences(), np.empty(2 * EXPERIMENTS)

    def work() -> None:
        data.sum(axis=1)
        np.einsum("ij,ij->i", data, data)
        special.stdtr(FOLDS - 1.0, np.linspace(-3, 3, 2 * EXPERIMENTS), out=out)

    return work


def cases() -> list[Case]:
    return [
        Case("correlated t-test of a pair, 100 calls", one, {"baycomp": one_baycomp}, turns=9),
        Case("correlated t-test of two arrays, 100 calls", one_of_arrays, {"baycomp": one_baycomp}, turns=9),
        Case(
            f"correlated t-test, {EXPERIMENTS:,} experiments of {FOLDS} folds",
            many,
            {"baycomp": many_baycomp},
            share={"baycomp": PEER_EXPERIMENTS / EXPERIMENTS},
        ),
    ]


def growths() -> list[Growth]:
    def make(folds: int) -> Work:
        data = differences(2_000, folds)
        return lambda: probabilities(data, rho=0.1, rope=0.01)

    return [Growth("correlated t-test, 2,000 experiments", "folds", (125, 250, 500, 1000, 2000, 4000), make, turns=5)]


def limits() -> list[Limit]:
    what = f"correlated t-test, {EXPERIMENTS:,} experiments of {FOLDS} folds"
    return [Limit(what, many, "sums, sums of squares, two Student tails each", bare)]
