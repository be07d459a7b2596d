"""The hierarchical test: truths from a prior of its own, where all must fit; fixed truths under the default one."""

import numpy as np
from book import MASSES, Book, Floats, central, check_curve, curve, p_text, rate
from scipy import stats

import bayescmp as bc
from bayescmp.bayes import HierarchicalPrior
from bayescmp.bayes.hierarchical.inference import HierarchicalInference
from bayescmp.bayes.hierarchical.shrinkage import _conditional
from bayescmp.bayes.hierarchical.ttest import prepare
from bayescmp.rope import Rope

DESIGN = bc.Resampling.kfold(10, repeats=10)
DRAWS = 200
SIZES, NOISES = (5, 10, 30, 100), (0.3, 2.0)


def run(book: Book) -> None:
    _own_prior(book)
    book.progress("hierarchical test, truths from its prior")
    cells = [(30, 0.3)] if book.quick else [(datasets, noise) for datasets in SIZES for noise in NOISES]
    for datasets, noise in cells:
        _fixed(book, datasets, noise)
        book.progress(f"hierarchical test, {datasets} datasets")
    _table(book, cells)


def _differences(rng: np.random.Generator, deltas: Floats, sd: Floats | float, design: bc.Resampling) -> Floats:
    """Datasets x folds, correlated as the design says."""
    assert design.n is not None
    shared = np.sqrt(design.rho) * rng.standard_normal((deltas.size, 1))
    noise = shared + np.sqrt(1 - design.rho) * rng.standard_normal((deltas.size, design.n))
    return deltas[:, None] + np.reshape(sd, (-1, 1)) * noise


def _inference(d: Floats, design: bc.Resampling, prior: str | HierarchicalPrior) -> HierarchicalInference:
    scores = bc.Scores.from_arrays({"a": d, "b": np.zeros_like(d)}, resampling=design, higher_is_better=True)
    found: HierarchicalInference = prepare(scores.pair("a", "b"), prior, None)[0]
    return found


def _dataset(inference: HierarchicalInference, i: int, truth: float, seed: int) -> tuple[float, float]:
    """Posterior cdf at one dataset's true difference, and its shrunken difference."""
    draws = inference.hyper_draws(DRAWS, seed)
    region = Rope(min(truth, 0.0), max(truth, 0.0))
    values, weights = _conditional(inference.means[i], inference.scales[i], inference.dfs[i], draws, region)
    return float((weights * (values < truth)).sum() / DRAWS), float((weights * values).sum() / DRAWS)


def _own_prior(book: Book) -> None:
    """Simulation-based calibration (Talts et al. 2018): 8 datasets, 10 x 10-fold, everything drawn from the prior."""
    rng, studies, design = book.rng("hierarchical prior"), book.studies(250, 3), DESIGN
    prior = HierarchicalPrior(delta_0_bound=1, sigma_0_max=1.5, sigma_max=1.5, nu_shape=(2, 2), nu_rate=(0.2, 0.2))
    names = ("delta_0", "sigma_0", "nu", "next dataset", "a dataset's delta")
    pit = np.empty((studies, len(names)))
    p, best = np.empty((studies, 3)), np.empty((studies, 3), dtype=bool)
    for k in range(studies):
        truth = rng.uniform(-1, 1), rng.uniform(0, 1.5), 1 + rng.gamma(2, 5)
        deltas = truth[0] + truth[1] * rng.standard_t(truth[2], 9)
        inference = _inference(_differences(rng, deltas[:8], rng.uniform(0, 1.5, 8), design), design, prior)
        draws = inference.hyper_draws(2000, k)
        pit[k, :3] = [np.mean(x < t) for x, t in zip(draws, truth, strict=True)]
        delta, sigma, nu = draws
        pit[k, 3] = stats.t.cdf(deltas[8], nu, delta, sigma).mean()
        pit[k, 4] = _dataset(inference, 0, deltas[0], k)[0]
        theta = stats.t.sf(0.3, truth[2], *truth[:2]), 0.0, stats.t.cdf(-0.3, truth[2], *truth[:2])
        theta = theta[0], 1 - theta[0] - theta[2], theta[2]
        p[k] = inference.summaries([Rope(-0.3, 0.3)])[0].probabilities
        best[k] = np.array(theta) == max(theta)
    rows = []
    for name, column in zip(names, pit.T, strict=True):
        what = f"hierarchical_ttest, own prior, {name}"
        found = [book.check(what, rate(central(column, m)), m) for m in MASSES]
        rows.append((name, *found, p_text(book.check_uniform(what, column))))
    head = ("quantity", *(f"{100 * m:g} % interval" for m in MASSES), "PIT uniform: p")
    book.table("hierarchical_ttest: truths from its prior", head, rows)
    book.values["curve hierarchical"] = curve(p, best, bins=5)
    check_curve(book, "hierarchical_ttest: P(most probable outcome)", book.values["curve hierarchical"])


def _fixed(book: Book, datasets: int, noise: float) -> None:
    """delta_i ~ Student(4, 0.5, 1), 10 x 10-fold; `noise` is the standard error of a dataset's mean difference."""
    rng, studies = book.rng(f"hierarchical {datasets} {noise}"), book.studies(80, 2)
    sd = noise / np.sqrt((1 + (100 - 1) * DESIGN.rho) / 100)
    mean, following, own, errors = [], [], [], []
    for k in range(studies):
        deltas = 0.5 + rng.standard_t(4, datasets + 1)
        inference = _inference(_differences(rng, deltas[:-1], sd, DESIGN), DESIGN, "corani2017")
        mean.append([low <= 0.5 <= high for low, high in map(inference.hdi, MASSES)])
        delta, sigma, nu = inference.hyper_draws(2000, k)
        following.append(stats.t.cdf(deltas[-1], nu, delta, sigma).mean())
        some = [_dataset(inference, i, deltas[i], k) for i in range(5)]
        own.append([pit for pit, _ in some])
        shrunken = np.array([x for _, x in some])
        errors.append([(shrunken - deltas[:5]) ** 2, (inference.means[:5] - deltas[:5]) ** 2])
    pit = np.array(own)
    book.values["hierarchical", datasets, noise] = {
        "mean": [rate(x) for x in np.transpose(mean)],
        "next": [rate(central(np.array(following), m)) for m in MASSES],
        "own": [rate(central(pit, m)) for m in MASSES],
        "error": float(np.sqrt(np.divide(*np.mean(errors, axis=(0, 2))))),
    }


def _table(book: Book, cells: list[tuple[int, float]]) -> None:
    rows = []
    for datasets, noise in cells:
        v = book.values["hierarchical", datasets, noise]
        for key, label in (
            ("mean", "mean delta_0 (HDI)"),
            ("next", "next dataset"),
            ("own", "datasets' own, shrunken"),
        ):
            ratio = f"{v['error']:.2f}" if key == "own" else ""
            rows.append((datasets, f"{noise:g}", label, *v[key], ratio))
    head = ("datasets", "noise", "quantity", *(f"{100 * m:g} %" for m in MASSES), "error, shrunken : raw")
    book.table("hierarchical_ttest: fixed truths, default prior", head, rows)
