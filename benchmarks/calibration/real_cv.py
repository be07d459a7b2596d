"""How the tests of both schools do on real cross-validation, where their assumptions hold only roughly."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from book import MASSES, Book, Floats, central, curve, rate
from one_dataset import SCHEMES, level
from real_data import (
    DAMAGED,
    DESIGNS,
    DIFFERENT,
    POPULATIONS,
    TRAINED_ON,
    TWINS,
    Sample,
    Truths,
    agreement,
    pools,
)
from scipy import stats

import bayescmp as bc
from bayescmp import frequentist
from bayescmp.bayes.hierarchical.ttest import prepare
from bayescmp.numerics.student import student_parameters

DATASETS = 10


def run(book: Book) -> None:
    same = agreement(book.rng("agreement"))
    assert same > 0.999, f"the closed forms and scikit-learn agree on {same} of the predictions only"
    known, closed, trees = pools(book)
    book.values["truth errors"] = max(t.error for t in known.values())
    book.values["differences"] = [known[i, 270].difference for i in range(len(POPULATIONS))]
    samples = {TWINS: trees, DAMAGED: closed, DIFFERENT: closed}
    _levels(book, samples)
    _coverage(book, samples, known)
    _holdout(book, samples)
    book.progress("real cross-validation: one dataset")
    _many(book, trees, closed, known)
    book.progress("real cross-validation: many datasets")


def _folds(samples: list[Sample], pair: str, design: str) -> Floats:
    return np.array([s.folds[pair, design] for s in samples])


def _truth(samples: list[Sample], pair: str, design: str, known: Truths) -> Floats:
    if pair != DIFFERENT:
        return np.zeros(len(samples))
    return np.array([known[s.population, TRAINED_ON[design]].difference for s in samples])


def _levels(book: Book, samples: dict[str, list[Sample]]) -> None:
    """Rejections at 0.05: type-I errors of the first two pairs, power of the third."""
    rows = []
    for name, design in DESIGNS.items():
        for test in SCHEMES[name]:
            found = {pair: rate(level(test, _folds(x, pair, name), design)) for pair, x in samples.items()}
            for pair, r in found.items():
                book.values["real", test, name, pair] = r
            rows.append((name, test, *found.values()))
    book.table("real cross-validation: rejections", ("design", "test", *samples), rows)


def _coverage(book: Book, samples: dict[str, list[Sample]], known: Truths) -> None:
    """How often the HDI of the correlated t-test holds the truth, and which rho would have been right."""
    rows = []
    for pair, x in samples.items():
        for name, design in DESIGNS.items():
            a, b = np.moveaxis(_folds(x, pair, name), 1, 0)
            truth = _truth(x, pair, name, known)
            location, scale, df = student_parameters(a - b, design.rho)
            pit = stats.t.cdf(truth, df, location, np.where(scale > 0, scale, 1e-9))
            covered = [rate(central(pit, mass)) for mass in MASSES]
            # Var(mean) / E[s^2] = 1/n + rho/(1 - rho), so the two tell what rho really is
            ratio = np.mean((location - truth) ** 2) / np.mean(np.var(a - b, axis=1, ddof=1)) - 1 / a.shape[1]
            rho = ratio / (1 + ratio)
            book.values["real coverage", pair, name] = covered
            book.values["real rho", pair, name] = rho
            rows.append((pair, name, *covered, f"{design.rho:.2f}", f"{rho:.2f}"))
            if pair == DIFFERENT:
                better = stats.t.sf(0, df, location, scale)
                book.values["real curve", name] = curve(better, truth > 0)
    conditional = np.array([s.conditional for s in samples[DIFFERENT]])
    a, b = np.moveaxis(_folds(samples[DIFFERENT], DIFFERENT, "10 x 10-fold"), 1, 0)
    pit = stats.t.cdf(conditional, 99, *student_parameters(a - b, 0.1)[:2])
    rows.append(
        (
            "the same, truth: the two models trained on this sample",
            "10 x 10-fold",
            *(rate(central(pit, mass)) for mass in MASSES),
            "0.10",
            "",
        )
    )
    book.values["real conditional"] = rate(central(pit, 0.95))
    head = ("pair", "design", *(f"{100 * mass:g} % HDI" for mass in MASSES), "rho used", "rho found")
    book.table("real cross-validation: coverage", head, rows)


def _holdout(book: Book, samples: dict[str, list[Sample]]) -> None:
    """Tests that count on one test set of 100 cases, of models trained once on 200."""
    tests: dict[str, Callable[..., Any]] = {
        "mcnemar_test (exact below 25)": frequentist.mcnemar_test,
        "mcnemar_test, mid-p": lambda a, b: frequentist.mcnemar_test(a, b, exact=True, mid_p=True),
        "per_instance_ttest": frequentist.per_instance_ttest,
    }
    rows = []
    for test, run_test in tests.items():
        found = []
        for pair, x in samples.items():
            found.append(
                rate([run_test(*s.holdout[pair].astype(int)).p_value <= 0.05 for s in x[: book.studies(600, 40)]])
            )
            book.values["holdout", test, pair] = found[-1]
        rows.append((test, *found))
    book.table("real cross-validation: one test set", ("test", *samples), rows)


def _many(book: Book, trees: list[Sample], closed: list[Sample], known: Truths) -> None:
    """Studies of ten samples, each from a population drawn at random: the super-population's mean is known."""
    rng = book.rng("many real datasets")
    design = DESIGNS["10 x 10-fold"]
    deltas = np.array([known[i, 270].difference for i in range(len(POPULATIONS))])
    rows = []
    for pair, x, truth in (
        (TWINS, trees, np.zeros_like(deltas)),
        (DAMAGED, closed, np.zeros_like(deltas)),
        (DIFFERENT, closed, deltas),
    ):
        outcome: dict[str, list[Any]] = {}
        for k in range(book.studies(120, 3)):
            chosen = rng.choice(len(x), DATASETS, replace=False)
            a, b = np.moveaxis(np.array([x[i].folds[pair, "10 x 10-fold"] for i in chosen]), 1, 0)
            values = _study(a, b, design, truth, np.array([x[i].population for i in chosen]), k)
            for name, value in values.items():
                outcome.setdefault(name, []).append(value)
        found = {name: rate(v) for name, v in outcome.items()}
        for name, r in found.items():
            book.values["many real", pair, name] = r
        rows.append((pair, *found.values()))
    book.table("real cross-validation: many datasets", ("pair", *found), rows)


def _study(a: Floats, b: Floats, design: bc.Resampling, truth: Floats, populations: Any, seed: int) -> dict[str, Any]:
    mean = float(truth.mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DegenerateWarning)
        pair = bc.Scores.from_arrays({"a": a, "b": b}, resampling=design, higher_is_better=True).pair("a", "b")
        inference = prepare(pair, "corani2017", None)[0]
    delta, sigma, nu = inference.hyper_draws(1000, seed)
    following = stats.t.cdf(truth[:, None], nu, delta, sigma).mean(axis=1)
    low, high = inference.hdi(0.95)
    means_a, means_b = a.mean(axis=1), b.mean(axis=1)
    return {
        "hierarchical: 95 % HDI of the mean": low <= mean <= high,
        "hierarchical: 95 % of next datasets": central(following, 0.95),
        "wilcoxon_test rejects": frequentist.wilcoxon_test(means_a, means_b).p_value <= 0.05,
        "sign_test rejects": frequentist.sign_test(means_a, means_b).p_value <= 0.05,
        "signed_rank_test: P >= 0.95 for either": max(
            (p := bc.bayes.signed_rank_test(means_a, means_b, rope=0, random_seed=seed, draws=2000)).p_better, p.p_worse
        )
        >= 0.95,
    }
