"""Two models on one dataset, under the tests' own assumptions: fold differences are normal with equal correlations."""

from typing import Any

import numpy as np
from book import MASSES, Book, Floats, central, curve, p_text, rate
from scipy import stats

import bayescmp as bc
from bayescmp import frequentist
from bayescmp.bayes.correlated_t import probabilities
from bayescmp.numerics.student import student_p, student_parameters

DESIGNS = {
    "10-fold": bc.Resampling.kfold(10),
    "10 x 10-fold": bc.Resampling.kfold(10, repeats=10),
    "5 x 2-fold": bc.Resampling.kfold(2, repeats=5),
    "30 splits, 2/3 train": bc.Resampling.subsampling(200, 100, 30),
}
PAIRED, CORRECTED, PERMUTATION = "paired_ttest", "corrected_ttest", "permutation_test"
CALIBRATED, RUNS, CV_T, CV_F = "rxk_cv_ttest, df = 10", "rxk_cv_ttest, folds averaged", "cv5x2_ttest", "cv5x2_ftest"
SCHEMES = {
    "10-fold": (PAIRED, CORRECTED, PERMUTATION),
    "10 x 10-fold": (PAIRED, CORRECTED, CALIBRATED, RUNS),
    "5 x 2-fold": (PAIRED, CORRECTED, CV_T, CV_F),
    "30 splits, 2/3 train": (PAIRED, CORRECTED),
}
TRUTHS = (0.0, 1.0, 2.0, 3.0)
"""True differences, in standard errors of the mean of all folds."""


def run(book: Book) -> None:
    _coverage(book)
    _curves(book)
    book.progress("correlated t-test")
    _levels(book)
    book.progress("tests of one dataset")
    _equivalence(book)
    _unpaired(book)
    book.progress("equivalence and unpaired runs")


def folds(rng: np.random.Generator, studies: int, design: bc.Resampling, truth: Any = 0.0) -> Floats:
    """Differences (studies x folds) of variance 1, correlated as the design says; truth in standard errors."""
    n, rho = design.n, design.rho
    assert n is not None
    shared = rng.standard_normal((studies, 1))
    noise = np.sqrt(rho) * shared + np.sqrt(1 - rho) * rng.standard_normal((studies, n))
    return noise + np.reshape(truth, (-1, 1)) * standard_error(design)


def standard_error(design: bc.Resampling) -> float:
    assert design.n is not None
    return float(np.sqrt((1 + (design.n - 1) * design.rho) / design.n))


def _coverage(book: Book) -> None:
    rng, studies = book.rng("coverage"), book.studies(20_000, 4000)
    rows = []
    for name, design in DESIGNS.items():
        for truth in (0.0, 1.0, 3.0):
            location, scale, df = student_parameters(folds(rng, studies, design, truth), design.rho)
            pit = stats.t.cdf(truth * standard_error(design), df, location, scale)
            what = f"correlated_ttest, {name}, truth {truth:g}"
            found = [book.check(what, rate(central(pit, m)), m) for m in MASSES]
            rows.append((name, f"{truth:g}", *found, p_text(book.check_uniform(what, pit))))
    head = ("design", "true difference", *(f"{100 * m:g} % HDI" for m in MASSES), "PIT uniform: p")
    book.table("correlated_ttest: coverage", head, rows)


def _curves(book: Book) -> None:
    """P(better) against how often A is better, for truths from N(0, tau^2): shown, because the prior is flat."""
    rng, studies, design = book.rng("curves"), book.studies(40_000, 8000), DESIGNS["10 x 10-fold"]
    for tau in (0.5, 1.0, 3.0):
        truth = tau * rng.standard_normal(studies)
        p = probabilities(folds(rng, studies, design, truth), rho=design.rho, rope=0)[:, 0]
        book.values["curve correlated_t", tau] = curve(p, truth > 0)
        book.values["claims correlated_t", tau] = rate((truth > 0)[p >= 0.95])
    rows = [(f"{tau:g}", book.values["claims correlated_t", tau]) for tau in (0.5, 1.0, 3.0)]
    head = ("standard deviation of the true differences, in standard errors", "A is better where P(A better) >= 0.95")
    book.table("correlated_ttest: claims", head, rows)


def level(test: str, d: Floats, design: bc.Resampling) -> Floats:
    """Which studies reject at 0.05; d is differences (studies x folds) or scores of both (studies x 2 x folds)."""
    a, b = (d[:, 0], d[:, 1]) if d.ndim == 3 else (d, np.zeros_like(d))
    if test in (PAIRED, CORRECTED):
        rho = design.rho if test == CORRECTED else 0.0
        mean, scale, df = student_parameters(a - b, rho, 1e-12)
        return np.asarray(student_p(mean, scale, df, "two-sided", 1e-12)[1] <= 0.05)
    calls: dict[str, Any] = {
        CALIBRATED: lambda x, y: frequentist.rxk_cv_ttest(x, y, df=10, resampling=design),
        RUNS: lambda x, y: frequentist.rxk_cv_ttest(x, y, scheme="folds averaged", resampling=design),
        CV_T: lambda x, y: frequentist.cv5x2_ttest(x, y, resampling=design),
        CV_F: lambda x, y: frequentist.cv5x2_ftest(x, y, resampling=design),
        PERMUTATION: lambda x, y: frequentist.permutation_test(x, y),
    }
    return np.array([calls[test](x, y).p_value <= 0.05 for x, y in zip(a, b, strict=True)])


def exact_power(test: str, design: bc.Resampling, truth: float) -> float:
    """Of the two t-tests under equal correlations: a noncentral t, for the plain one on a wrong scale."""
    assert design.n is not None
    n, rho = design.n, design.rho
    inflation = np.sqrt((1 + (n - 1) * rho) / (1 - rho)) if test == PAIRED else 1.0
    t = stats.t.isf(0.025, n - 1) / inflation
    return float(stats.nct.sf(t, n - 1, truth) + stats.nct.cdf(-t, n - 1, truth))


def _levels(book: Book) -> None:
    rng = book.rng("levels")
    rows = []
    for name, design in DESIGNS.items():
        for test in SCHEMES[name]:
            fast = test in (PAIRED, CORRECTED)
            studies = book.studies(20_000 if fast else 2500, 4000 if fast else 150)
            row = []
            for truth in TRUTHS:
                found = rate(level(test, folds(rng, studies, design, truth), design))
                if fast:
                    book.check(f"{test}, {name}, truth {truth:g}", found, exact_power(test, design, truth))
                book.values["level", test, name, truth] = found
                row.append(found)
            rows.append((name, test, *row))
    independent = bc.Resampling.independent()
    d = rng.standard_normal((book.studies(20_000, 4000), 10))
    found = book.check("paired_ttest, independent", rate(level(PAIRED, d, independent)), 0.05)
    rows.append(("10 independent test sets", PAIRED, found, "", "", ""))
    found = book.check(
        "permutation_test", rate(level(PERMUTATION, d[: book.studies(4000, 200)], independent)), 0.05, "at most"
    )
    rows.append(("10 independent test sets", PERMUTATION, found, "", "", ""))
    head = ("design", "test", *(f"truth {t:g}" for t in TRUTHS))
    book.table("tests of one dataset: rejections at 0.05", head, rows)


def _equivalence(book: Book) -> None:
    """TOST: at the rope's border it may declare equivalence in 5 % of the studies; inside, more often is better."""
    rng, studies = book.rng("tost"), book.studies(1500, 100)
    rows = []
    for name, design in DESIGNS.items():
        row = []
        for rope, truth in ((2.0, 2.0), (4.0, 4.0), (4.0, 0.0)):
            d, width = folds(rng, studies, design, truth), rope * standard_error(design)
            p = [frequentist.tost_ttest(x, np.zeros_like(x), rope=width, resampling=design).p_value for x in d]
            found = rate(np.array(p) <= 0.05)
            if truth:
                book.check(f"tost_ttest, {name}, rope {rope:g}", found, 0.05, "at most")
            row.append(found)
        book.values["tost", name] = row
        rows.append((name, *row))
    head = ("design", "rope 2, truth 2", "rope 4, truth 4", "rope 4, truth 0")
    book.table("tost_ttest: declared equivalent", head, rows)


def _unpaired(book: Book) -> None:
    """Runs that cannot be paired: the posterior (Behrens-Fisher) and Welch's test, spreads equal and not."""
    rng, studies = book.rng("welch"), book.studies(1200, 60)
    rows = []
    for n_a, n_b, spread in ((5, 5, 1.0), (5, 5, 4.0), (5, 20, 4.0), (20, 5, 4.0), (20, 20, 1.0)):
        pit, rejected = np.empty(studies), np.empty(studies, dtype=bool)
        for k in range(studies):
            a, b = rng.normal(0, spread, n_a), rng.normal(0, 1, n_b)
            pit[k] = bc.bayes.welch_ttest(a, b, rope=0).cdf(0.0)
            rejected[k] = frequentist.welch_ttest(a, b).p_value <= 0.05
        found = [rate(central(pit, m)) for m in MASSES]
        name = f"welch_ttest, {n_a} and {n_b} runs, spreads {spread:g} : 1"
        for m, r in zip(MASSES, found, strict=True):
            book.check(name, r, m, "at least")
        book.values["welch", n_a, n_b, spread] = (found, rate(rejected))
        rows.append((f"{n_a}, {n_b}", f"{spread:g} : 1", *found, rate(rejected)))
    head = ("runs", "spreads", *(f"{100 * m:g} % interval" for m in MASSES), "frequentist.welch_ttest rejects")
    book.table("welch_ttest: coverage", head, rows)
