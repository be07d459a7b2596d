"""P(best) of many models: the bootstrap of datasets, the folds of one dataset, Plackett-Luce and Bradley-Terry."""

import numpy as np
from book import Book, Floats, Rate, check_curve, curve, p_text, rate
from scipy import special, stats

import bayescmp as bc
from bayescmp import bayes
from bayescmp.bayes.ranking.bradley_terry import win_inference
from bayescmp.bayes.ranking.plackett_luce import ranking_inference
from bayescmp.bayes.ranking.strengths import StrengthInference

MODELS, DATASETS, DRAWS = 4, 10, 1000
RANKED = [(k, n) for n in (5, 24) for k in (4, 8, 16)]
"""Models and datasets of the studies about the wins of rankings."""


def run(book: Book) -> None:
    _bootstrap(book)
    book.progress("rank_models")
    _strengths(book)
    book.progress("Plackett-Luce and Bradley-Terry")
    _wins_of_rankings(book)
    book.progress("Bradley-Terry on the wins of rankings")


def _scores(x: Floats, **options: object) -> bc.Scores:
    options = {"higher_is_better": True, **({"datasets": len(x)} if x.ndim == 2 else {}), **options}
    return bc.Scores.from_arrays({f"m{i}": x[..., i] for i in range(x.shape[-1])}, **options)  # type: ignore[arg-type]


def _bootstrap(book: Book) -> None:
    """Four models whose true means are drawn anew in each study; shown: the bootstrap has no prior to draw from."""
    rng, studies = book.rng("rank_models"), book.studies(700, 30)
    rows = []
    for tau in (0.1, 0.5):
        for n in (5, 10, 30):
            for by in ("score", "rank"):
                p, best = np.empty((studies, MODELS)), np.empty((studies, MODELS), dtype=bool)
                for k in range(studies):
                    means = tau * rng.standard_normal(MODELS)
                    table = _scores(means + rng.standard_normal((n, MODELS)) + rng.standard_normal((n, 1)))
                    found = bayes.rank_models(table, rope=0, by=by, draws=2000, random_seed=k)
                    p[k] = list(found.p_best.values())
                    best[k] = means == means.max()
                rows.append((f"{n} datasets", by, f"{tau:g}", *_claims(book, ("bootstrap", n, by, tau), p, best)))
                book.values["curve rank_models", n, by, tau] = curve(p, best, least=30)
    design = bc.Resampling.kfold(10, repeats=10)
    for tau in (0.1, 0.5):
        p, best = np.empty((studies, MODELS)), np.empty((studies, MODELS), dtype=bool)
        for k in range(studies):
            means = tau * rng.standard_normal(MODELS)
            noise = np.sqrt(0.1) * rng.standard_normal((1, MODELS)) + np.sqrt(0.9) * rng.standard_normal((100, MODELS))
            found = bayes.rank_models(
                _scores((means + noise)[None], resampling=design), rope=0, draws=2000, random_seed=k
            )
            p[k] = list(found.p_best.values())
            best[k] = means == means.max()
        rows.append(("10 x 10-fold of one dataset", "score", f"{tau:g}", *_claims(book, ("student", tau), p, best)))
        book.values["curve rank_models", "one dataset", tau] = curve(p, best, least=30)
    head = (
        "scores",
        "by",
        "spread of the true means",
        "mean P(best) of the favourite",
        "favourite is the best",
        "best where P(best) >= 0.9",
    )
    book.table("rank_models: P(best)", head, rows)


def _claims(book: Book, name: tuple[object, ...], p: Floats, best: Floats) -> tuple[object, ...]:
    """What is said of the favourite, how often it is right, and how often a claim of 0.9 or more is."""
    first = p.argmax(axis=1)
    stated, hit = p.max(axis=1), np.take_along_axis(best, first[:, None], axis=1)[:, 0]
    sure: Rate | str = rate(hit[stated >= 0.9]) if (stated >= 0.9).sum() >= 20 else "too few"
    book.values["claims", *name] = (float(stated.mean()), rate(hit), sure)
    return f"{stated.mean():.3f}", rate(hit), sure


def _strengths(book: Book) -> None:
    """Truths from the models' own priors; 10 datasets, 4 models."""
    rng, studies = book.rng("strengths"), book.studies(120, 5)
    kinds = ("plackett_luce", "bradley_terry, independent wins")
    pit = {kind: np.empty(studies) for kind in kinds}
    stated = {kind: np.empty((studies, MODELS)) for kind in kinds}
    truth = {kind: np.empty((studies, MODELS), dtype=bool) for kind in kinds}
    for k in range(studies):
        theta = np.log(rng.dirichlet(np.ones(MODELS)))
        orders = np.argsort(-(theta + rng.gumbel(size=(DATASETS, MODELS))), axis=1)
        posterior = ranking_inference(orders, np.ones(DATASETS), 1.0, DRAWS, k)
        _note(posterior, theta, kinds[0], k, pit, stated, truth)
        theta = np.exp(0.5 * rng.standard_normal()) * rng.standard_normal(MODELS)
        won = np.triu(rng.binomial(DATASETS, special.expit(theta[:, None] - theta)), 1)
        wins = won + np.tril(DATASETS - won.T, -1)
        _note(win_inference(wins, 0.5, DRAWS, k), theta, kinds[1], k, pit, stated, truth)
    rows = []
    for kind in kinds:
        points = curve(stated[kind], truth[kind], bins=5, least=15)
        check_curve(book, f"{kind}: P(best)", points)
        book.check_uniform(kind, pit[kind])
        p = float(stats.kstest(pit[kind], "uniform").pvalue)
        covered = rate(np.abs(pit[kind] - 0.5) <= 0.475)
        book.values["curve", kind] = points
        book.values["strengths", kind] = (covered, p)
        half, eighty = (rate(np.abs(pit[kind] - 0.5) <= m / 2) for m in (0.5, 0.8))
        rows.append((kind, half, eighty, covered, p_text(p), *_claims(book, (kind,), stated[kind], truth[kind])[:2]))
    head = (
        "model",
        "50 % interval",
        "80 % interval",
        "95 % interval",
        "PIT uniform: p",
        "mean P(best) of the favourite",
        "favourite is the best",
    )
    book.table("plackett_luce, bradley_terry: truths from their priors", head, rows)


def _wins_of_rankings(book: Book) -> None:
    """Coverage of the HDI of P(win) where the wins of one dataset come from one ranking; truths from the prior."""
    rng, studies = book.rng("wins of rankings"), book.studies(60, 3)
    rows = []
    for k, n in RANKED:
        hits: dict[bool, list[float]] = {True: [], False: []}
        for study in range(studies):
            theta = np.exp(0.5 * rng.standard_normal()) * rng.standard_normal(k)
            # with Gumbel noise every pair's chance is Bradley-Terry's, but the wins of one dataset are one ranking's
            x = theta + rng.gumbel(size=(n, k))
            wins = (x[:, :, None] > x[:, None]).sum(axis=0)
            for independent, found in hits.items():
                draws = win_inference((1 if independent else 2 / k) * wins, 0.5, DRAWS, study).sampled[0]
                found.append(_covered(draws, theta))
        for independent, found in hits.items():
            book.values["wins of rankings", k, n, independent] = float(np.mean(found))
        errors = [np.std(found, ddof=1) / np.sqrt(studies) for found in hits.values()]
        shares = [f"{np.mean(found):.3f} ± {error:.3f}" for found, error in zip(hits.values(), errors, strict=True)]
        rows.append((k, n, *shares))
    head = ("models", "datasets", "every win counts in full", "every win counts 2/k: bradley_terry")
    book.table("bradley_terry: coverage of the 95 % HDI of P(win), wins of rankings", head, rows)


def _covered(draws: Floats, theta: Floats) -> float:
    """The share of pairs whose true P(win) is in its 95 % HDI."""
    first, second = np.triu_indices(theta.size, 1)
    p, truth = special.expit(draws[:, first] - draws[:, second]), special.expit(theta[first] - theta[second])
    ends = np.array([bayes.hdi(x, 0.95) for x in p.T])
    return float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean())


def _note(
    posterior: StrengthInference,
    theta: Floats,
    kind: str,
    k: int,
    pit: dict[str, Floats],
    stated: dict[str, Floats],
    truth: dict[str, Floats],
) -> None:
    draws = posterior.sampled[0]
    pit[kind][k] = np.mean(draws[:, 0] - draws[:, 1] < theta[0] - theta[1])
    stated[kind][k] = np.bincount(draws.argmax(axis=1), minlength=MODELS) / len(draws)
    truth[kind][k] = theta == theta.max()
