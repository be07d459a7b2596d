"""The signed-rank and sign tests beside baycomp; 50,000 draws."""

from functools import partial
from typing import Any

import numpy as np
from _timing import Case, Growth, Limit, Work

import bayescmp as bc

DRAWS = 50_000
PEER_DRAWS = {54: (5_000, 500), 500: (200, 50), 5_000: (20, 5)}
"""Draws of the peer, many and few: the slope between the two is what a draw takes."""


def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return rng.normal(0.805, 0.03, n), rng.normal(0.8, 0.03, n)


def ours(n: int, draws: int = DRAWS) -> Work:
    a, b = scores(n)
    return lambda: bc.bayes.signed_rank_test(a, b, rope=0.01, random_seed=1, draws=draws).p_better


def baycomp_signed_rank(n: int, draws: int) -> Work:
    import baycomp

    a, b = scores(n)
    return partial(baycomp.SignedRankTest.probs, b, a, rope=0.01, nsamples=draws)


def bare(n: int) -> Work:
    """The random weights of all draws, and nothing done with them."""
    a, b = scores(n)
    inference: Any = bc.bayes.signed_rank_test(a, b, rope=0.01, random_seed=1, draws=DRAWS).inference
    return lambda: [None for _ in inference._blocks()]


def sign() -> Work:
    """The same test again and again, whose probabilities are remembered."""
    a, b = scores(54)
    return lambda: [bc.bayes.sign_test(a, b, rope=0.01).p_better for _ in range(20)]


def sign_of_new_counts() -> Work:
    """The same, with their integrals."""
    from bayescmp.numerics.dirichlet import _p_largest

    a, b = scores(54)

    def work() -> None:
        for _ in range(20):
            _p_largest.cache_clear()
            bc.bayes.sign_test(a, b, rope=0.01).p_better  # noqa: B018

    return work


def baycomp_sign() -> Work:
    import baycomp

    a, b = scores(54)
    return lambda: [baycomp.SignTest.probs(b, a, rope=0.01) for _ in range(20)]


def cases() -> list[Case]:
    return [
        *(
            Case(
                f"signed-rank test, {n:,} datasets",
                partial(ours, n),
                {"baycomp": partial(baycomp_signed_rank, n, many)},
                turns=5,
                share={"baycomp": many / DRAWS},
                less={"baycomp": (partial(baycomp_signed_rank, n, few), few / DRAWS)},
            )
            for n, (many, few) in PEER_DRAWS.items()
        ),
        Case("signed-rank test, 100,000 datasets, 1,000 draws", partial(ours, 100_000, 1_000), turns=3),
        Case("sign test, 54 datasets, 20 calls", sign, {"baycomp": baycomp_sign}, turns=5),
        Case(
            "sign test, 54 datasets, 20 calls with new counts", sign_of_new_counts, {"baycomp": baycomp_sign}, turns=5
        ),
    ]


def growths() -> list[Growth]:
    sizes = (250, 500, 1000, 2000, 4000, 8000)
    return [Growth("signed-rank test, 5,000 draws", "datasets", sizes, lambda n: ours(n, 5_000))]


def limits() -> list[Limit]:
    return [
        Limit(f"signed-rank test, {n:,} datasets", partial(ours, n), "random weights", partial(bare, n))
        for n in PEER_DRAWS
    ]
