"""Two and many models on many datasets, one score each: sign, signed-rank, Wilcoxon, permutation, Friedman, Nemenyi."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from book import MASSES, Book, Floats, check_curve, curve, p_text, rate
from numpy.typing import NDArray
from scipy import special

import bayescmp as bc
from bayescmp import bayes, frequentist

LAWS: dict[str, Callable[[np.random.Generator, Any], Floats]] = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "Student, 3 df": lambda rng, size: rng.standard_t(3, size) / np.sqrt(3),
    "skewed (exponential), mean 0": lambda rng, size: rng.exponential(1, size) - 1,
}
"""Laws of the datasets' differences, mean 0 and standard deviation 1."""


def run(book: Book) -> None:
    _sign_prior(book)
    _sign_fixed(book)
    book.progress("sign test")
    _signed_rank(book)
    book.progress("signed-rank test")
    _two_models(book)
    book.progress("classical tests of two models")
    _families(book)
    book.progress("Friedman and post-hoc tests")


def _counts_as_scores(counts: NDArray[np.int_]) -> Floats:
    return np.repeat([1.0, 0.0, -1.0], counts)


def _sign_prior(book: Book) -> None:
    """Truths from the sign test's own prior, here the proper Dirichlet(1, 1, 1): everything must be uniform."""
    rng, studies = book.rng("sign prior"), book.studies(800, 120)
    rows = []
    stated, happened = [], []
    for n in (5, 20, 100):
        pit = np.empty(studies)
        p, best = np.empty((studies, 3)), np.empty((studies, 3), dtype=bool)
        for k, theta in enumerate(rng.dirichlet((1, 1, 1), studies)):
            d = _counts_as_scores(rng.multinomial(n, theta))
            result = bayes.sign_test(d, np.zeros(n), rope=0.5, prior=3, prior_place="spread")
            alpha = result.inference.alpha(result.rope)  # type: ignore[attr-defined]
            pit[k] = special.betainc(alpha[0], alpha.sum() - alpha[0], theta[0])
            p[k] = result.p_better, result.p_equivalent, result.p_worse
            best[k] = theta == theta.max()
        rows.append((n, p_text(book.check_uniform(f"sign_test, {n} datasets", pit)), *_covered(book, n, pit)))
        stated.append(p)
        happened.append(best)
    book.table("sign_test: truths from its prior", ("datasets", "PIT uniform: p", *_heads("interval")), rows)
    points = curve(np.concatenate(stated), np.concatenate(happened))
    book.values["curve sign"] = points
    check_curve(book, "sign_test: P(most probable outcome)", points)


def _covered(book: Book, n: int, pit: Floats) -> list[object]:
    return [book.check(f"sign_test, {n} datasets", rate(np.abs(pit - 0.5) <= m / 2), m) for m in MASSES]


def _heads(kind: str) -> tuple[str, ...]:
    return tuple(f"{100 * m:g} % {kind}" for m in MASSES)


def _sign_fixed(book: Book) -> None:
    """The default prior (one dataset on "equivalent") at fixed truths; shown."""
    rng, studies = book.rng("sign fixed"), book.studies(1500, 80)
    rows = []
    for theta in ((0.5, 0.0, 0.5), (1 / 3, 1 / 3, 1 / 3), (0.6, 0.3, 0.1)):
        for n in (5, 10, 30, 100):
            known: dict[tuple[int, ...], Any] = {}
            hits, claims = [], []
            for counts in rng.multinomial(n, theta, studies):
                key = tuple(counts.tolist())
                if key not in known:
                    r = bayes.sign_test(_counts_as_scores(counts), np.zeros(n), rope=0.5)
                    inside = [low <= theta[0] <= high for low, high in (_of_a(r, m) for m in MASSES)]
                    known[key] = inside, max(r.p_better, r.p_worse) >= 0.95
                hits.append(known[key][0])
                claims.append(known[key][1])
            claim = rate(claims) if theta[0] == theta[2] else ""
            rows.append((", ".join(f"{x:.2f}" for x in theta), n, *map(rate, np.transpose(hits)), claim))
            book.values["sign fixed", theta, n] = [*map(rate, np.transpose(hits)), claim]
    head = ("theta", "datasets", *_heads("HDI"), "claims a winner, though there is none")
    book.table("sign_test: default prior, fixed truths", head, rows)


def _of_a(result: bayes.RegionPosterior, mass: float) -> tuple[float, float]:
    """The HDI of the probability that A is better."""
    return next(iter(result.theta_hdi(mass).values()))


def _signed_rank(book: Book) -> None:
    """HDIs of theta and of the mean, and claims where neither model is better; shown: the prior is a point mass."""
    rng, studies = book.rng("signed rank"), book.studies(250, 12)
    rows = []
    for law, draw in LAWS.items():
        truth = float((draw(rng, (2, 2_000_000)).mean(axis=0) > 0).mean())
        for n in (5, 10, 30, 100):
            hits, means, claims = [], [], []
            for seed, d in enumerate(draw(rng, (studies, n))):
                r = bayes.signed_rank_test(d, np.zeros(n), rope=0, random_seed=seed, draws=1000)
                hits.append([low <= truth <= high for low, high in (_of_a(r, m) for m in MASSES)])
                low, high = r.hdi(0.95)
                means.append(low <= 0 <= high)
                claims.append([r.p_better >= 0.95, r.p_worse >= 0.95])
            found = [*map(rate, np.transpose(hits)), rate(means), *map(rate, np.transpose(claims))]
            book.values["signed rank", law, n] = found
            rows.append((law, f"{truth:.3f}", n, *found))
    head = (
        "differences",
        "true theta",
        "datasets",
        *(f"{x} of theta" for x in _heads("HDI")),
        "95 % HDI of the mean",
        "P(A) >= 0.95",
        "P(B) >= 0.95",
    )
    book.table("signed_rank_test: coverage and false claims", head, rows)


def _two_models(book: Book) -> None:
    """Level and power; exact tests of symmetric differences may not reject more often than they say."""
    rng, studies = book.rng("two models"), book.studies(1000, 40)
    tests: dict[str, Callable[..., Any]] = {
        "sign_test": frequentist.sign_test,
        "wilcoxon_test": frequentist.wilcoxon_test,
        "permutation_test": frequentist.permutation_test,
        "paired_ttest": lambda a, b: frequentist.paired_ttest(a, b, resampling=bc.Resampling.independent()),
    }
    rows = []
    for law, draw in LAWS.items():
        for n in (5, 10, 30):
            for shift in (0.0, 0.5) if law == "normal" else (0.0,):
                found = []
                for name, test in tests.items():
                    options = {"random_seed": 1} if name == "permutation_test" else {}
                    d = shift + draw(rng, (studies, n))
                    p = np.array([test(x, np.zeros(n), **options).p_value for x in d])
                    found.append(rate(p <= 0.05))
                    exact = name in ("sign_test", "wilcoxon_test", "permutation_test") and "skewed" not in law
                    if shift == 0 and (exact or (name == "paired_ttest" and law == "normal")):
                        book.check(f"{name}, {n} datasets, {law}", found[-1], 0.05, "at most" if exact else "both")
                    book.values["two models", law, n, shift, name] = found[-1]
                rows.append((law, n, f"{shift:g}", *found))
    book.table("two models on many datasets: rejections at 0.05", ("differences", "datasets", "shift", *tests), rows)


def _families(book: Book) -> None:
    """Many models: the omnibus tests, and the chance of any false rejection among all pairs."""
    rng, studies = book.rng("families"), book.studies(800, 25)
    omnibus: dict[str, Callable[..., Any]] = {
        "friedman_test": frequentist.friedman_test,
        "iman_davenport_test": frequentist.iman_davenport_test,
        "quade_test": frequentist.quade_test,
        "friedman_aligned_ranks_test": frequentist.friedman_aligned_ranks_test,
    }
    pairwise: dict[str, Callable[..., Any]] = {
        "nemenyi_test": frequentist.nemenyi_test,
        "pairwise_wilcoxon_test, holm": lambda x: frequentist.pairwise_wilcoxon_test(x, adjust="holm"),
        "pairwise_wilcoxon_test, none": lambda x: frequentist.pairwise_wilcoxon_test(x, adjust="none"),
    }
    found: dict[str, list[Any]] = {}
    cells = [(n, k, shift) for n, k in ((10, 4), (30, 4), (30, 10)) for shift in (0.0, 1.0)]
    for n, k, shift in cells:
        # a dataset's own level and scale, which ranks must not see; one model better by `shift`
        x = rng.standard_normal((studies, n, k)) + 3 * rng.standard_normal((studies, n, 1))
        x[:, :, 0] += shift
        for name, test in omnibus.items():
            r = rate([test(y).p_value <= 0.05 for y in x])
            if shift == 0:
                book.check(f"{name}, {n} datasets, {k} models", r, 0.05, "at most")
            found.setdefault(name, []).append(r)
            book.values["omnibus", name, n, k, shift] = r
        for name, test in pairwise.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                results = [test(y) for y in x]
            false = [pair[0] != 0 for pair in _index_pairs(k)] if shift else [True] * (k * (k - 1) // 2)
            r = rate([(np.array(y.p_adjusted)[false] <= 0.05).any() for y in results])
            if "none" not in name:
                book.check(f"{name}, {n} datasets, {k} models", r, 0.05, "at most")
            found.setdefault(name, []).append(r)
            book.values["family", name, n, k, shift] = r
    head = ("test", *(f"{n} datasets, {k} models{', one better' if shift else ''}" for n, k, shift in cells))
    book.table("many models on many datasets", head, [(name, *r) for name, r in found.items()])


def _index_pairs(k: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(k) for j in range(i + 1, k)]
