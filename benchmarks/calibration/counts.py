"""Tests and intervals that count cases: rates by enumeration of all outcomes where possible, so without error."""

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
    options: dict[str, dict[str, Any]] = {
        "mcnemar_test": {},
        "exact": {"exact": True},
        "mid-p": {"exact": True, "mid_p": True},
        "chi2, corrected": {"exact": False},
        "chi2, plain": {"exact": False, "correction": False},
    }
    rows = []
    for n, disagree, gain in ((100, 0.1, 0.0), (100, 0.3, 0.0), (400, 0.1, 0.0), (400, 0.1, 0.05)):
        row = []
        for name, chosen in options.items():
            total = sum(
                stats.binom.pmf(m, n, disagree) * _rejected(m, (1 + gain / disagree) / 2, chosen)
                for m in range(1, n + 1)
                if stats.binom.pmf(m, n, disagree) > 1e-6
            )
            book.values["mcnemar", n, disagree, gain, name] = total
            if gain == 0 and name == "exact":
                book.checks += 1
                if total > 0.05 + 1e-9:
                    book.failures.append(f"exact mcnemar_test, n {n}, {disagree}: {total}")
            row.append(f"{total:.3f}")
        rows.append((n, f"{disagree:g}", f"{gain:g}", *row))
    head = ("cases", "share on which they disagree", "difference of error rates", *options)
    book.table("mcnemar_test: rejections at 0.05", head, rows)
    rng, studies = book.rng("cochran"), book.studies(1500, 100)
    right = rng.random((studies, 200, 4)) < 0.5 + 0.4 * rng.random((studies, 200, 1))
    book.values["cochran"] = rate([frequentist.cochran_q_test(x.astype(int)).p_value <= 0.05 for x in right])
    book.table("cochran_q_test", ("cases", "models", "rejections at 0.05"), [(200, 4, book.values["cochran"])])


def _rejected(m: int, share: float, options: dict[str, Any]) -> float:
    """The probability of p <= 0.05 where the models disagree on m cases; p of w wins is that of m - w."""
    half = [
        frequentist.mcnemar_test(table=[[0, w], [m - w, 0]], orientation="both right first", **options).p_value
        for w in range(m // 2 + 1)
    ]
    p = np.array([half[min(w, m - w)] for w in range(m + 1)])
    return float(stats.binom.pmf(np.arange(m + 1), m, share) @ (p <= 0.05))
