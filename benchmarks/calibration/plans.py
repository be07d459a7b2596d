"""What `plan` promises about an enlarged study, and what the enlarged study then does: 300 pilots for each test."""

from typing import Any

import numpy as np
from book import Book, Floats, rate

from bayescmp import Resampling, Scores, bayes, planning
from bayescmp.scores.pair import Pair

ROPE, THRESHOLD = 0.01, 0.95
SIMULATIONS = {"signed_rank_test": 40, "welch_ttest": 20, "hierarchical_ttest": 30}
"""Of each plan; 60 for the other tests. They add to the error of a single claim, and hardly to that of 300."""
FOLDS = Resampling.kfold(10, repeats=1)


def run(book: Book) -> None:
    rows = []
    for test in MADE:
        rng, pilots = book.rng(f"plans {test}"), book.studies(300, 20)
        options: dict[str, Any] = {"draws": 2000} if test == "signed_rank_test" else {}
        claimed, came = np.empty((pilots, 3)), np.empty((pilots, 3), dtype=bool)
        for k in range(pilots):
            pilot, enlarged, more = MADE[test](rng)
            found = planning.plan(
                pilot, test, rope=ROPE, more=more, simulations=SIMULATIONS.get(test, 60), random_seed=k, **options
            )
            claimed[k] = found.decided[0]
            came[k] = np.array(getattr(bayes, test)(enlarged, rope=ROPE).three) >= THRESHOLD
        rows.append((test, WHAT[test], *_compared(book, test, claimed, came)))
        book.progress(f"plans, {test}")
    head = (
        "test",
        "pilot, and as much again",
        "decided",
        "claims below 0.5",
        "claims from 0.5",
        "better",
        "equivalent",
        "worse",
    )
    book.table("plan: claimed, and what came true", head, rows)


def _compared(book: Book, test: str, claimed: Floats, came: Any) -> list[str]:
    """Mean claim and observed rate: of any decision, of low and high claims, and of each decision."""
    any_claim, any_came = claimed.sum(axis=1), came.any(axis=1)
    parts = [(any_claim, any_came), *((any_claim[x], any_came[x]) for x in (any_claim < 0.5, any_claim >= 0.5))]
    parts += [(claimed[:, i], came[:, i]) for i in range(3)]
    book.values["plans", test] = [(float(p.mean()), rate(x)) if p.size > 9 else None for p, x in parts]
    return ["few" if both is None else f"{both[0]:.2f}: {both[1]}" for both in book.values["plans", test]]


# ---- pilots, and the same studies with as much again


def _truth(rng: np.random.Generator) -> tuple[float, float]:
    return rng.normal(0, 0.015), 0.02 * np.exp(rng.normal(0, 0.3))


def _folds(rng: np.random.Generator) -> tuple[Any, ...]:
    mean, sd = _truth(rng)
    d = rng.normal(rng.normal(mean, sd * np.sqrt(1 / 9)), sd, 40)  # the folds of one dataset share their data
    return *(_pair(d[:n], resampling=Resampling.custom(0.1)) for n in (20, 40)), 20


def _datasets(rng: np.random.Generator) -> tuple[Any, ...]:
    mean, sd = _truth(rng)
    d = rng.normal(mean, sd, 30)
    return *(_pair(d[:n], datasets=n) for n in (15, 30)), 15


def _datasets_of_folds(rng: np.random.Generator) -> tuple[Any, ...]:
    mean, sd = _truth(rng)
    own = rng.normal(mean, sd, 30) + 0.02 * np.sqrt(1 / 9) * rng.standard_normal(30)
    d = own[:, None] + 0.02 * rng.standard_normal((30, 10))
    return *(_pair(d[:n], resampling=FOLDS) for n in (15, 30)), 15


def _runs(rng: np.random.Generator) -> tuple[Any, ...]:
    mean = rng.normal(0, 0.02)
    a, b = rng.normal(mean, 0.03, 24), rng.normal(0, 0.03, 24)
    return *(_pair(a[:n], b[:n], resampling=Resampling.runs()) for n in (12, 24)), 12


def _items(rng: np.random.Generator) -> tuple[Any, ...]:
    cell = rng.choice(4, 400, p=rng.dirichlet([20, 4, 3, 5]))
    a, b = np.isin(cell, (0, 1)).astype(float), np.isin(cell, (0, 2)).astype(float)
    return *(_pair(a[:n], b[:n], resampling=Resampling.items()) for n in (200, 400)), 200


def _pair(a: Floats, b: Floats | None = None, **how: Any) -> Pair:
    arrays = {"a": a, "b": np.zeros_like(a) if b is None else b}
    return Scores.from_arrays(arrays, metric="score", higher_is_better=True, **how).pair("a", "b")


MADE: dict[str, Any] = {
    "correlated_ttest": _folds,
    "sign_test": _datasets,
    "signed_rank_test": _datasets,
    "hierarchical_ttest": _datasets_of_folds,
    "welch_ttest": _runs,
    "mcnemar_test": _items,
}
WHAT = {
    "correlated_ttest": "20 folds",
    "sign_test": "15 datasets",
    "signed_rank_test": "15 datasets",
    "hierarchical_ttest": "15 datasets of 10 folds",
    "welch_ttest": "12 runs of each",
    "mcnemar_test": "200 items",
}
