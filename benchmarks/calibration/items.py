"""Items of one test set: right and wrong, clusters, samples taken for items, seeds crossed with items."""

import numpy as np
from book import Book, central, rate
from scipy import stats

from bayescmp import Resampling, Scores
from bayescmp.bayes import mcnemar_test, per_instance_ttest
from bayescmp.bayes.correlated_t import probabilities as student
from bayescmp.bayes.mcnemar import probabilities
from bayescmp.numerics.clusters import clustered_student, crossed_student, runs_part

TRUTH, DISAGREE = 0.04, 0.1
CLUSTERS = {
    "10 of 20 items": np.full(10, 20),
    "10 of 2 to 100 items": np.geomspace(2, 100, 10).round().astype(int),
    "9 of 2 to 10 items, one of 100": np.append(np.arange(2, 11), 100),
}


def run(book: Book) -> None:
    _right_and_wrong(book)
    _from_the_prior(book)
    _clusters(book)
    _samples(book)
    _seeds(book)
    book.progress("items")


def _right_and_wrong(book: Book) -> None:
    """All tables of a test set, so that the rates are exact."""
    rows = []
    for n in (20, 50, 200):
        only_a, only_b = (x.ravel() for x in np.mgrid[: n + 1, : n + 1])
        possible = only_a + only_b <= n
        only_a, only_b = only_a[possible], only_b[possible]
        cells = np.stack([only_a, only_b, n - only_a - only_b], axis=1)
        weight = stats.multinomial.pmf(cells, n, [(DISAGREE + TRUTH) / 2, (DISAGREE - TRUTH) / 2, 1 - DISAGREE])
        common = weight > 1e-7  # the others sum to less than the last digit shown
        only_a, only_b, weight = only_a[common], only_b[common], weight[common]
        tables = np.stack([n - only_a - only_b, only_a, only_b, np.zeros_like(only_a)], axis=1)
        mean = (only_a - only_b) / n
        spread = np.sqrt(((only_a + only_b) / n - mean**2) / n)
        assert weight.sum() > 0.9998
        covered = {f"mcnemar_test, a = {a:g}": [_holds(x, a) for x in tables.tolist()] for a in (0.5, 1.0)}
        covered["normal approximation"] = (np.abs(mean - TRUTH) <= stats.norm.isf(0.025) * spread).tolist()
        shares = {name: float(weight @ hits) for name, hits in covered.items()}
        book.values["items", n] = shares
        rows.append((n, *(f"{x:.3f}" for x in shares.values())))
    book.table("right and wrong: coverage of 95 % intervals", ("items", *book.values["items", 20]), rows)


def _holds(table: list[int], prior: float) -> bool:
    """Whether the 95 % HDI holds the truth."""
    low, high = mcnemar_test(counts=table, rope=0, prior=prior).hdi()
    return low <= TRUTH <= high


def _from_the_prior(book: Book) -> None:
    """Truths from the prior: the posterior probability above the truth is uniform, whatever the number of items."""
    rng, studies = book.rng("items from the prior"), book.studies(2000, 200)
    rows = []
    for n in (20, 200):
        p = rng.dirichlet(np.full(4, 0.5), studies)
        tables, truths = rng.multinomial(n, p), p[:, 1] - p[:, 2]
        three = np.array([probabilities(x, rope=abs(t)) for x, t in zip(tables, truths, strict=True)])
        pit = np.where(truths > 0, three[:, 0], 1 - three[:, 2])
        name = f"mcnemar_test, {n} items, truths from its prior"
        covered = [book.check(name, rate(central(pit, mass)), mass) for mass in (0.5, 0.95)]
        rows.append((n, *covered, f"{book.check_uniform(name, pit):.2f}"))
    book.table("mcnemar_test: truths from its prior", ("items", "50 %", "95 %", "p of uniformity"), rows)


def _clusters(book: Book) -> None:
    """Normal differences whose clusters share a part; no true difference."""
    rng, studies, rows = book.rng("items in clusters"), book.studies(2000, 200), []
    for name, sizes in CLUSTERS.items():
        for icc in (0.0, 0.64):
            codes = np.repeat(np.arange(sizes.size), sizes)
            n, c = codes.size, sizes.size
            shared = rng.standard_normal((studies, c))[:, codes]
            d = np.sqrt(icc) * shared + np.sqrt(1 - icc) * rng.standard_normal((studies, n))
            robust, plain, ignored = [], [], []
            for x in d:
                mean, scale, df = clustered_student(x, codes, 0.0)
                robust.append(2 * stats.t.sf(abs(mean) / scale, df) >= 0.05)
                sums = np.bincount(codes, x - mean)
                cr1 = np.sqrt(c / (c - 1) * np.sum(sums**2)) / n
                plain.append(2 * stats.t.sf(abs(mean) / cr1, c - 1) >= 0.05)
                ignored.append(2 * stats.t.sf(abs(mean) / (x.std(ddof=1) / np.sqrt(n)), n - 1) >= 0.05)
            # the function of the package on the first study says what the arrays say
            p = per_instance_ttest(d[0], np.zeros(n), rope=0, clusters=codes.tolist())
            assert (2 * min(p.three[0], p.three[2]) >= 0.05) == robust[0]
            found = [rate(x) for x in (robust, plain, ignored)]
            if np.ptp(sizes) == 0:  # means of equal clusters are independent and normal
                book.check(f"CR2, {name}, icc {icc}", found[0], 0.95)
            if icc == 0:
                book.check(f"independent items, {name}", found[2], 0.95)
            book.values["clusters", name, icc] = found
            rows.append((name, f"{icc:g}", *found))
    head = ("clusters", "correlation", "per_instance_ttest (CR2)", "CR1, clusters - 1 df", "clusters ignored")
    book.table("per_instance_ttest: coverage of 95 % intervals with clusters", head, rows)


def _samples(book: Book) -> None:
    """50 items, 10 samples each, no true difference: the mean of an item's samples, or every sample as an item."""
    rng, studies, rows = book.rng("samples of items"), book.studies(5000, 400), []
    n, k = 50, 10
    for between in (0.0, 0.5, 1.0):
        item = between * rng.standard_normal((studies, n, 1))
        d = item + rng.standard_normal((studies, n, k))
        found = [rate(_rejects(x)) for x in (d.mean(axis=2), d.reshape(studies, -1))]
        name = f"samples, spread {between}"
        book.check(f"{name}: means of samples", found[0], 0.05)
        if between == 0:
            book.check(f"{name}: samples as items", found[1], 0.05)
        book.values["samples", between] = found
        rows.append((f"{between:g}", *found))
    head = ("spread between items", "per_instance_ttest", "samples taken for items")
    book.table("samples of an item: rejections at 0.05", head, rows)


def _seeds(book: Book) -> None:
    """3 or 5 seeds of either model on 1,000 items, no true difference: a seed moves all its items at once."""
    rng, studies, rows = book.rng("seeds of items"), book.studies(2000, 200), []
    n, items, own = 1000, 0.35, 0.45  # the spread of the items' differences, and of a seed's answers around its mean
    for seeds in (3, 5):
        for of_seed in (0.0, 0.01, 0.02):
            crossed, averaged = [], []
            for _ in range(studies):
                a, b = own * rng.standard_normal((2, n, seeds)) + of_seed * rng.standard_normal((2, 1, seeds))
                a += items * rng.standard_normal((n, 1))
                mean, scale, df = clustered_student(a.mean(axis=1) - b.mean(axis=1), None, 0.0)
                both, df_of_both = crossed_student(scale, df, [runs_part(x, None, 0.0) for x in (a, b)])
                averaged.append(2 * stats.t.sf(abs(mean) / scale, df) < 0.05)
                crossed.append(2 * stats.t.sf(abs(mean) / both, df_of_both) < 0.05)
            # the function of the package on the last study says what the arrays say
            design = Resampling.items(runs=seeds)
            scores = Scores.from_arrays({"a": a, "b": b}, resampling=design, higher_is_better=True)
            p = per_instance_ttest(scores.pair("a", "b"), rope=0)
            assert (2 * min(p.three[0], p.three[2]) < 0.05) == crossed[-1]
            more = np.sqrt(1 + of_seed**2 * 2 / seeds / ((items**2 + own**2 * 2 / seeds) / n))
            theory = 2 * stats.t.sf(stats.t.isf(0.025, n - 1) / more, n - 1)
            found = rate(crossed), book.check(f"{seeds} seeds averaged, spread {of_seed}", rate(averaged), theory)
            book.values["seeds", seeds, of_seed] = found
            rows.append((seeds, f"{of_seed:g}", *found, f"{theory:.3f}"))
    head = (
        "seeds",
        "spread of a model's accuracy over seeds",
        "per_instance_ttest",
        "seeds averaged into items",
        "theory",
    )
    book.table("seeds of a model: rejections at 0.05", head, rows)


def _rejects(d: np.ndarray) -> np.ndarray:
    """Whether the per-instance t-test of independent items rejects, study by study."""
    three = student(d, rho=0.0, rope=0)
    return 2 * np.minimum(three[:, 0], three[:, 2]) <= 0.05
