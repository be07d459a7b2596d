"""Is the joint model calibrated? Simulation-based calibration: truths from its prior, and their ranks among the draws.

2 to 8 models on 3 to 50 datasets of 3 to 12 folds, some of which are missing; everything that the model has is drawn
from an explicit prior, so that the rank of a true number among the draws of its posterior is uniform.
"""

from typing import Any

import numpy as np
import pandas as pd
from book import Book, check_curve, curve, p_text
from numpy.typing import NDArray
from scipy import stats

import bayescmp as bc
from bayescmp.bayes.multilevel.data import contrasts
from bayescmp.bayes.multilevel.model import LEAST, LEAST_DF, OWN_SHAPE

Floats = NDArray[np.float64]
PRIOR: dict[str, Any] = {"effects_scale": 1.0, "between_max": 1.0, "within_df": 8.0, "within_sd": 0.7}
RHO = 0.1
BINS = 20
"""Ranks are of 0 to 19: among 19 draws, far from each other."""


def ranks(studies: int, seed: int = 11) -> tuple[dict[str, NDArray[np.int_]], Floats, NDArray[np.bool_]]:
    """The ranks of each parameter in all studies, every model's P(best), and whether it is the best."""
    found: dict[str, list[int]] = {}
    claims: list[float] = []
    best: list[bool] = []
    for i in range(studies):
        rng = np.random.default_rng((seed, i))
        tails = "student" if i % 4 == 3 else "normal"
        scores, truth = study(rng, tails)
        prior = bc.bayes.MultilevelPrior(**PRIOR, tails=tails)
        p = bc.bayes.multilevel(scores, rope=0, prior=prior, chains=BINS - 1, draws=60, tune=200, random_seed=i)
        new = p.new_dataset("m0", "m1").inference
        drawn = {"difference of two effects": new.delta, "sd between datasets": new.sigma} | p.inference.hyper  # type: ignore[attr-defined]
        drawn["effect of the first"] = p.inference.effect[..., 0]
        for name, x in drawn.items():
            # the last draws of as many chains are independent
            found.setdefault(name, []).append(int((x[:, -1] < truth[name]).sum()))
        claims += list(p.ranking().p_best.values())
        best += [name == f"m{int(truth['best'])}" for name in p.models]
    return {name: np.array(x) for name, x in found.items()}, np.array(claims), np.array(best)


def p_value(found: NDArray[np.int_], groups: int = 5) -> float:
    """Of the chi-square test that the ranks are uniform, in a few groups."""
    counts = np.bincount(found * groups // BINS, minlength=groups)
    return float(stats.chisquare(counts).pvalue)


def study(rng: np.random.Generator, tails: str) -> tuple[bc.Scores, dict[str, float]]:
    """A table of results, and the true numbers."""
    k, q = int(rng.integers(2, 9)), int(np.exp(rng.uniform(np.log(3), np.log(50))))
    m, basis = k - 1, contrasts(k)
    truth: dict[str, float] = {}
    root, truth["tau"], truth["df_between"] = between(rng, basis)
    truth["omega"] = abs(float(rng.standard_t(4)))
    truth["nu"] = float(rng.gamma(2, 10)) if tails == "student" else np.inf
    mu = truth["omega"] * root @ rng.standard_normal(m)
    rows = []
    for d in range(q):
        spread = rng.chisquare(truth["nu"]) / truth["nu"] if tails == "student" else 1.0
        theta = mu + root @ rng.standard_normal(m) / np.sqrt(spread)
        scale = PRIOR["within_df"] * PRIOR["within_sd"] ** 2 * np.eye(m)
        folds = int(rng.integers(3, 13))
        sigma = np.atleast_2d(stats.invwishart(PRIOR["within_df"] + m - 2, scale).rvs(random_state=rng))
        shared, own = rng.standard_normal((1, m)), rng.standard_normal((folds, m))
        # Sigma is what the folds show: their covariance without the part that they share
        noise = (np.sqrt(RHO / (1 - RHO)) * shared + own) @ np.linalg.cholesky(sigma).T
        values = (theta + noise) @ basis.T + 3 * rng.standard_normal() + rng.standard_normal((folds, 1))
        run = rng.random(k) > (0.15 if k > 2 and d > 1 else 0.0)
        if run.sum() < 2:
            run[:2] = True
        rows += [
            {"model": f"m{j}", "dataset": f"d{d}", "repeat": 1, "fold": f + 1, "score": values[f, j]}
            for j in np.flatnonzero(run)
            for f in range(folds)
        ]
    scores = bc.Scores.from_frame(pd.DataFrame(rows), higher_is_better=True, resampling=bc.Resampling.custom(RHO))
    along = basis[0] - basis[1]
    truth["best"] = float((basis @ mu).argmax())
    truth["difference of two effects"] = float(along @ mu)
    truth["sd between datasets"] = float(np.linalg.norm(along @ root))
    truth["effect of the first"] = float(basis[0] @ mu)
    return scores, truth


def between(rng: np.random.Generator, basis: Floats) -> tuple[Floats, float, float]:
    """A root of T, and tau (two models) or the degrees of freedom."""
    k, m = basis.shape
    if m == 1:
        tau = float(rng.uniform(0, PRIOR["between_max"]))
        return np.full((1, 1), tau), tau, np.nan
    variances = np.zeros(k)
    while variances.min() < LEAST:
        variances = rng.gamma(OWN_SHAPE, 2 * PRIOR["between_max"] ** 2, k)
    df = LEAST_DF + float(rng.gamma(2, 10))
    t = stats.invwishart(df + m - 1, df * (basis.T * variances) @ basis).rvs(random_state=rng)
    return np.linalg.cholesky(np.atleast_2d(t)), np.nan, df


def of(book: Book) -> tuple[dict[str, NDArray[np.int_]], Floats, NDArray[np.bool_]]:
    """The studies of a book, made once."""
    if "joint" not in book.values:
        book.values["joint"] = ranks(book.studies(400, 12))
    found: tuple[dict[str, NDArray[np.int_]], Floats, NDArray[np.bool_]] = book.values["joint"]
    return found


def run(book: Book) -> None:
    """Ranks of the truths, and claims to be the best."""
    found, claims, best = of(book)
    rows, jitter = [], book.rng("multilevel")
    for name, x in found.items():
        fifths = " ".join(f"{share:.2f}" for share in np.bincount(x * 5 // BINS, minlength=5) / x.size)
        p = book.check_uniform(f"multilevel, {name}", (x + jitter.random(x.size)) / BINS)
        rows.append((name, x.size, fifths, p_text(p)))
    book.table("multilevel: ranks of the truths", ("parameter", "studies", "shares of fifths", "p of uniformity"), rows)
    points = curve(claims, best, least=30)
    check_curve(book, "multilevel, P(best)", points)
    head = ("mean P(best) stated", "was the best")
    book.table("multilevel: P(best)", head, [(f"{p:.2f}", rate) for p, rate in points])
    book.progress("multilevel")
