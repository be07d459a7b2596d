"""Tests and intervals that count cases: rates by enumeration of all outcomes where possible, so without error."""

from collections.abc import Callable
from typing import Any

import numpy as np
from book import Book, rate
from scipy import stats

from bayescmp import frequentist

METHODS = ("wilson", "wald", "clopper_pearson", "hoeffding")


def run(book: Book) -> None:
    _intervals(book)
    _paired(book)
    book.progress("counts")


def _intervals(book: Book) -> None:
    """Coverage of 95 % intervals of an error rate, and the level of the binomial test: exact numbers."""
    rows = []
    for n in (20, 100):
        for p in (0.02, 0.1, 0.3):
            weights = stats.binom.pmf(np.arange(n + 1), n, p)
            covered = []
            for method in METHODS:
                ends = [tuple(frequentist.proportion_interval(x, n, method=method)) for x in range(n + 1)]
                covered.append(float(weights @ [low <= p <= high for low, high in ends]))
            rejected = [frequentist.binomial_test(x, n, p0=p).p_value <= 0.05 for x in range(n + 1)]
            level = float(weights @ rejected)
            book.checks += 2
            if covered[2] < 0.95 - 1e-9 or level > 0.05 + 1e-9:
                book.failures.append(f"clopper_pearson or binomial_test, n {n}, p {p}: {covered[2]}, {level}")
            book.values["proportion", n, p] = covered
            rows.append((n, p, *(f"{c:.3f}" for c in covered), f"{level:.3f}"))
    head = ("cases", "true rate", *METHODS, "binomial_test rejects the truth")
    book.table("error rates: coverage of 95 % intervals", head, rows)


def _paired(book: Book) -> None:
    """Two models on the same cases: they disagree on a tenth or a third of them."""
    tests: dict[str, Callable[..., Any]] = {
        "mcnemar_test": frequentist.mcnemar_test,
        "exact": lambda table: frequentist.mcnemar_test(table=table, exact=True),
        "mid-p": lambda table: frequentist.mcnemar_test(table=table, exact=True, mid_p=True),
        "chi2, corrected": lambda table: frequentist.mcnemar_test(table=table, exact=False),
        "chi2, plain": lambda table: frequentist.mcnemar_test(table=table, exact=False, correction=False),
    }
    tests["mcnemar_test"] = lambda table: frequentist.mcnemar_test(table=table)
    rows = []
    for n, disagree, gain in ((100, 0.1, 0.0), (100, 0.3, 0.0), (400, 0.1, 0.0), (400, 0.3, 0.0), (400, 0.1, 0.05)):
        row = []
        for name, test in tests.items():
            total = 0.0
            for m in range(1, n + 1):
                among = stats.binom.pmf(m, n, disagree)
                if among > 1e-7:
                    wins = np.arange(m + 1)
                    p = [test([[n - m, int(w)], [int(m - w), 0]]).p_value for w in wins]
                    total += among * float(stats.binom.pmf(wins, m, (1 + gain / disagree) / 2) @ (np.array(p) <= 0.05))
            book.values["mcnemar", n, disagree, gain, name] = total
            if gain == 0 and name == "exact":
                book.checks += 1
                if total > 0.05 + 1e-9:
                    book.failures.append(f"exact mcnemar_test, n {n}, {disagree}: {total}")
            row.append(f"{total:.3f}")
        rows.append((n, f"{disagree:g}", f"{gain:g}", *row))
    head = ("cases", "share on which they disagree", "difference of error rates", *tests)
    book.table("mcnemar_test: rejections at 0.05", head, rows)
    rng, studies = book.rng("cochran"), book.studies(1500, 100)
    right = rng.random((studies, 200, 4)) < 0.5 + 0.4 * rng.random((studies, 200, 1))
    book.values["cochran"] = rate([frequentist.cochran_q_test(x.astype(int)).p_value <= 0.05 for x in right])
