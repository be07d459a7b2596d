"""The multilevel model: likelihood, sampler, the tests of two models, closed forms, symmetries, truth, bad input."""

import json
import warnings
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

import bayescmp as bc
from bayescmp import _compat
from bayescmp.bayes import MultilevelPosterior, MultilevelPrior
from bayescmp.bayes.hierarchical.ttest import prepare as prepare_pair
from bayescmp.bayes.multilevel import gibbs
from bayescmp.bayes.multilevel.data import contrasts, prepare
from bayescmp.numerics.chains import ess

UCI = bc.load_uci()
LOOSE = pytest.mark.filterwarnings("ignore::bayescmp.ConvergenceWarning")
"""For what holds of any draws: a short run of a few chains can be a hair above the limit of R-hat."""
NUTS = {"engine": "nuts", "chains": 2, "cores": 1, "progressbar": False}


def simulate(rng, effects, n_datasets, n, between=1.0, within=1.0, rho=0.1, missing=(), **options):
    """Scores with levels of datasets and folds, correlated folds, and normal variation of models over datasets."""
    k = len(effects)
    theta = np.asarray(effects) + between * rng.standard_normal((n_datasets, k))
    shared, own = rng.standard_normal((n_datasets, 1, k)), rng.standard_normal((n_datasets, n, k))
    noise = within * (np.sqrt(rho) * shared + np.sqrt(1 - rho) * own)
    level = 5 * rng.standard_normal((n_datasets, 1, 1)) + rng.standard_normal((n_datasets, n, 1))
    return table(theta[:, None] + noise + level, rho, missing, **options), theta


def table(values, rho=0.1, missing=(), **options):
    """Values are datasets x folds x models; `missing` has (dataset, model) pairs."""
    n_datasets, n, k = values.shape
    rows = [
        {"model": f"m{j}", "dataset": f"d{d}", "repeat": 1, "fold": f + 1, "score": values[d, f, j]}
        for d in range(n_datasets)
        for j in range(k)
        for f in range(n)
        if (d, j) not in missing
    ]
    resampling = {"resampling": bc.Resampling.custom(rho)} if n > 1 else {}
    frame = pd.DataFrame(rows if n > 1 else [{k: v for k, v in r.items() if k not in ("repeat", "fold")} for r in rows])
    return bc.Scores.from_frame(frame, higher_is_better=options.get("higher_is_better", True), **resampling)


def replaced(scores, values, **options):
    return replace(scores, values=np.array(values), **options)


def mc_error(x):
    """The Monte-Carlo standard error of the mean of chains x draws."""
    return x.std() / np.sqrt(ess(x, "mean"))


def same_posterior(x, y, errors=4.5):
    """Means, standard deviations and tails of draws agree within Monte-Carlo error."""
    centre, scale = np.median(y), y.std()
    low, high = np.quantile(y, (0.05, 0.95))
    for f in (lambda v: v, lambda v: np.abs(v - centre) / scale, lambda v: v < low, lambda v: v > high):
        one, two = (np.asarray(f(v), dtype=float) for v in (x, y))
        assert one.mean() == pytest.approx(two.mean(), abs=errors * np.hypot(mc_error(one), mc_error(two)) + 1e-12)


# ---- the likelihood of a dataset


def log_evidence(rows, df, scale):
    """log p(rows) for rows ~ N(0, C), C ~ IW(df, scale): prior x likelihood / posterior at one C."""
    c = scale / df + 0.1 * np.eye(len(scale))
    likelihood = stats.multivariate_normal(np.zeros(len(c)), c).logpdf(rows).sum()
    after = stats.invwishart(df + len(rows), scale + rows.T @ rows)
    return stats.invwishart(df, scale).logpdf(c) + likelihood - after.logpdf(c)


@pytest.mark.oracle("bayes.multilevel", "scipy")
@pytest.mark.parametrize("n", [3, 12])
def test_a_datasets_likelihood_is_that_of_its_folds_with_the_covariance_integrated_out(rng, n):
    """Up to a constant the Student density of theta_d is that of every fold, by scipy's inverse Wishart."""
    scores, _ = simulate(rng, [0, 0.5, 1, -1], 4, n, missing={(1, 2)})
    prior = MultilevelPrior(effects_scale=1, between_max=1, within_df=3.5, within_sd=0.8)
    data, _, _ = prepare(scores, prior)
    for d in range(4):
        run = np.isfinite(scores.values[:, d, 0])
        size = int(run.sum()) - 1
        basis = contrasts(size + 1)
        gaps = []
        for _ in range(5):
            theta = rng.standard_normal(size)  # in score units
            z = scores.values[run, d].T @ basis - theta
            # whiten the folds: n independent rows with covariance (1 - rho) Sigma, as in the definition of Sigma
            whole = np.linalg.cholesky((np.eye(n) * 0.9 + 0.1) / 0.9)
            theirs = log_evidence(np.linalg.solve(whole, z), 3.5 + size - 2, 3.5 * 0.64 * np.eye(size))
            at = theta / data.unit
            ours = stats.multivariate_t(data.means[d, :size], data.scales[d, :size, :size], data.df[d]).logpdf(at)
            gaps.append(ours - theirs)
        assert np.ptp(gaps) < 1e-8


@pytest.mark.filterwarnings("ignore::bayescmp.DegenerateWarning")
def test_each_pair_has_the_likelihood_of_its_own_test():
    """On every dataset the difference of two of eight models is the Student of their hierarchical_ttest."""
    data, _, _ = prepare(UCI, "pooled")
    tied = np.any([np.ptp(UCI.values[i] - UCI.values[j], axis=1) < 1e-12 for i, j in combinations(range(8), 2)], axis=0)
    for i, j in combinations(range(8), 2):
        own, _ = prepare_pair(UCI.pair(UCI.models[i], UCI.models[j]), "gaussian", None)
        along = data.basis[i] - data.basis[j]
        assert data.unit * data.means @ along == pytest.approx(own.means, abs=1e-12)
        scales = data.unit * np.sqrt(np.einsum("i,dij,j->d", along, data.scales, along))
        assert scales[~tied] == pytest.approx(own.scales[~tied])
        assert (
            scales > 0.999 * own.scales
        ).all()  # the variance that is assumed for a tie is a part of other pairs too
        assert data.df == pytest.approx(own.dfs)


@pytest.mark.oracle("bayes.multilevel", "closed form")
def test_clusters_of_items_have_their_robust_variance(rng):
    """On every benchmark, that of each difference: CR2 of a regression on a constant, and its Satterthwaite df."""
    n, groups = 60, np.repeat(np.arange(12), [2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8])
    values = {f"m{i}": rng.random((3, n)) + rng.random((3, 12))[:, groups] for i in range(3)}
    design = bc.Resampling.items()
    scores = bc.Scores.from_arrays(
        values, datasets=3, metric="score", higher_is_better=True, resampling=design, clusters=groups.astype(str)
    )
    data, _, _ = prepare(scores, "pooled")
    for i, j in combinations(range(3), 2):
        along = data.basis[i] - data.basis[j]
        for d in range(3):
            x = scores.values[i, d] - scores.values[j, d]
            sums = np.array([(x - x.mean())[groups == g].sum() / np.sqrt(1 - (groups == g).mean()) for g in range(12)])
            # the quadratic form of the variance in independent items, whose moments give the degrees of freedom
            hat = np.eye(n) - 1 / n
            parts = [hat[groups == g].sum(axis=0) / np.sqrt(1 - (groups == g).mean()) / n for g in range(12)]
            form = np.array(parts).T @ np.array(parts)
            df = np.trace(form) ** 2 / np.trace(form @ form)
            assert data.unit * data.means[d] @ along == pytest.approx(x.mean())
            assert data.df[d] == pytest.approx(df - 1)
            scale = data.unit**2 * along @ data.scales[d] @ along
            assert scale == pytest.approx((sums**2).sum() / n**2 * df / (df - 1))


def unpaired(rng, effects, n_datasets, counts, between=0.6):
    """Independent runs, of model i `counts[i]` on every dataset."""
    theta = np.asarray(effects) + between * rng.standard_normal((n_datasets, len(effects)))
    rows = [
        {"model": f"m{i}", "dataset": f"d{d}", "run": r, "score": theta[d, i] + rng.standard_normal() * (1 + i)}
        for d in range(n_datasets)
        for i, n in enumerate(counts)
        for r in range(n)
    ]
    design = bc.Resampling.runs()
    return bc.Scores.from_frame(pd.DataFrame(rows), repeat="run", higher_is_better=True, resampling=design)


@pytest.mark.oracle("bayes.multilevel", "scipy")
def test_unpaired_runs_have_welchs_likelihood(rng):
    """Of two models it is scipy's: difference, standard error and degrees of freedom. Of three, the variances add."""
    for k in (2, 3):
        scores = unpaired(rng, range(k), 4, (3, 5, 8)[:k])
        data, _, _ = prepare(scores, "pooled")
        for d, (i, j) in product(range(4), combinations(range(k), 2)):
            x, y = (scores.values[m, d][np.isfinite(scores.values[m, d])] for m in (i, j))
            own = stats.ttest_ind(x, y, equal_var=False)
            along = data.basis[i] - data.basis[j]
            assert data.unit * data.means[d] @ along == pytest.approx(x.mean() - y.mean())
            scale = data.unit * np.sqrt(along @ data.scales[d] @ along)
            assert (x.mean() - y.mean()) / scale == pytest.approx(own.statistic)
            if k == 2:
                assert data.df[d] == pytest.approx(own.df)


def test_unpaired_runs_of_two_models_are_their_hierarchical_test(rng):
    """Its likelihood has Welch's degrees of freedom rounded down, so that the two agree but for that."""
    scores = unpaired(rng, [0, 1], 8, (6, 9))
    p = bc.bayes.multilevel(scores, rope=0.2, prior="flat", random_seed=1, draws=1000)
    own = bc.bayes.hierarchical_ttest(scores.pair("m0", "m1"), rope=0.2, prior="gaussian")
    draws = p.pair("m0", "m1").distribution.chains
    assert draws.mean() == pytest.approx(own.mean, abs=4 * mc_error(draws) + 0.02 * draws.std())
    assert np.subtract(*hdi_of(draws)) == pytest.approx(np.subtract(*own.hdi(0.95)), rel=0.1)
    with pytest.raises(bc.ScoresError, match="at least 2 scores"):
        bc.bayes.multilevel(unpaired(rng, [0, 1], 3, (1, 4)), rope=0.2)


def hdi_of(draws):
    x = np.sort(draws, axis=None)
    n = int(0.95 * x.size)
    i = np.argmin(x[n:] - x[:-n])
    return x[i], x[i + n]


# ---- the sampler: drawn from the prior, data from the state, it must leave the prior as it is (Geweke 2004)


def from_prior(data, chains, rng):
    """A sampler whose states are draws from the prior, by numpy and scipy."""
    s, p, m, n = gibbs.sampler_of(data, chains, rng), data.prior, data.m, len(data.datasets)
    s.omega = np.abs(p.effects_scale * rng.standard_t(4, chains))
    s.nu = rng.gamma(2, 10, chains)
    if p.tails == "student":
        s.kappa = rng.gamma(s.nu[:, None] / 2, 2 / s.nu[:, None], (chains, n))
    s.lam = rng.gamma(data.df / 2, 2 / data.df, (chains, n))
    if data.exchangeable:
        s.tau = rng.uniform(0, s.bound, chains)
        root = s.tau[:, None, None] * np.eye(m)
    else:
        psi = rng.gamma(1 / 8, 2 * s.bound**2, (20 * chains, m + 1))
        s.psi = psi[(psi >= gibbs.LEAST).all(axis=1)][:chains]
        s.df = 2 + rng.gamma(p.df_shape, 1 / p.df_rate, chains)
        scales = s.df[:, None, None] * (data.basis.T * s.psi[:, None]) @ data.basis
        t = [stats.invwishart(df + m - 1, x).rvs(random_state=rng) for df, x in zip(s.df, scales, strict=True)]
        s.t_root = root = np.linalg.cholesky(np.reshape(t, (chains, m, m)))
    s.mu = s.omega[:, None] * (root @ rng.standard_normal((chains, m, 1)))[..., 0]
    own = rng.standard_normal((chains, n, m)) @ np.swapaxes(root, 1, 2)
    s.theta = s.mu[:, None] + own / np.sqrt(s.kappa)[..., None]
    return s


def numbers_of(s):
    """Some functions of the states that together depend on every parameter."""
    root = s.root() if hasattr(s, "t_root") or hasattr(s, "tau") else None
    t, along = root @ np.swapaxes(root, 1, 2), s.data.basis[0] - s.data.basis[1]
    variance = np.einsum("i,cij,j->c", along, t, along)
    found = {"omega": s.omega, "variance": variance, "determinant": np.linalg.slogdet(t)[1], "weight": s.lam[:, 0]}
    found |= {
        "effect": s.mu @ along,
        "standardised": (s.mu @ along) / np.sqrt(variance),
        "theta": s.theta[:, 0] @ along,
    }
    if not s.data.exchangeable:
        found |= {"df": s.df, "own": s.psi[:, 0], "correlation": t[:, 0, 1] / np.sqrt(t[:, 0, 0] * t[:, 1, 1])}
    if s.data.prior.tails == "student":
        found |= {"nu": s.nu, "kappa": s.kappa[:, 0]}
    return {name: np.array(x) for name, x in found.items()}


@pytest.mark.oracle("bayes.multilevel", "simulation")
@pytest.mark.parametrize(
    ("k", "missing", "options"),
    [
        (3, (), {}),
        (4, ((0, 1), (2, 3)), {}),
        (3, ((1, 1),), {"tails": "student"}),
        (3, ((1, 1),), {"covariance": "exchangeable"}),
        (2, (), {"tails": "student"}),
    ],
)
def test_the_sampler_keeps_the_prior(k, missing, options):
    rng = np.random.default_rng(31)
    scores, _ = simulate(rng, np.zeros(k), 4, 6, missing=missing)
    prior = MultilevelPrior(effects_scale=1.0, between_max=1.5, df_rate=0.5, **options)
    data, _, _ = prepare(scores, prior)
    chains, expected = 1500, numbers_of(from_prior(data, 1500, rng))
    s = from_prior(data, chains, rng)
    roots = np.linalg.cholesky(data.scales)
    for _ in range(15):
        noise = (roots @ rng.standard_normal((chains, 4, k - 1, 1)))[..., 0] / np.sqrt(s.lam)[..., None]
        seen = np.arange(k - 1) < data.sizes[:, None]
        object.__setattr__(data, "means", np.where(seen, s.observed(s.theta) + noise, 0.0))
        s.__dict__.pop("seen_means", None)
        s.sweep()
    for name, x in numbers_of(s).items():
        assert stats.ks_2samp(expected[name], x).pvalue > 1e-4, name


# ---- the sampler against NUTS: two samplers and two parametrisations of one model

TABLES = {
    "three models": ([0.0, 0.4, 1.5], 8, 10, (), "pooled", "normal"),
    "five, holes": ([0.0, 0.4, 1.5, 1.4, -2.0], 10, 12, ((0, 1), (2, 2), (2, 3), (7, 0)), "pooled", "normal"),
    "four, flat, few folds": ([0.0, 0.3, 0.3, 0.9], 6, 4, (), "flat", "normal"),
    "three, Student": ([0.0, 0.4, 1.5], 9, 10, ((1, 1),), "pooled", "student"),
    "six exchangeable, holes": ([0.0] * 6, 7, 5, ((0, 1), (2, 2)), "exchangeable", "normal"),
    "one score each": ([0.0, 0.4, 1.5], 12, 1, (), "pooled", "normal"),
    "one dataset": ([0.0, 0.4, 1.5, 1.6], 1, 15, (), "pooled", "normal"),
}


def same_but_for_the_least(x, y):
    """Of positive numbers the logarithms, but for the smallest 3 %: NUTS goes there too seldom (see the next test)."""
    least = np.quantile(x, 0.03)
    same_posterior(np.log(np.maximum(x, least)), np.log(np.maximum(y, least)))


@pytest.mark.oracle("bayes.multilevel bayes.pymc_model", "PyMC")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescmp.ConvergenceWarning")
@pytest.mark.parametrize("name", list(TABLES))
def test_the_sampler_agrees_with_nuts(name):
    """Means, sds and tails of differences, variation and hyperparameters, P(best), shrunken means."""
    effects, n_datasets, n, missing, prior, tails = TABLES[name]
    scores, _ = simulate(np.random.default_rng(5), effects, n_datasets, n, between=0.6, missing=missing)
    options = {"rope": 0.1, "prior": prior, "tails": tails}
    ours = bc.bayes.multilevel(scores, **options, chains=32, draws=3000, random_seed=1)
    pytensor = pytest.importorskip("pytensor")
    with pytensor.config.change_flags(mode="NUMBA"):  # twenty times as fast as C here
        theirs = bc.bayes.multilevel(
            scores, **options, **NUTS | {"chains": 4}, draws=3000, tune=1500, target_accept=0.95, random_seed=2
        )
    for a, b in combinations(scores.models, 2):
        same_posterior(ours.pair(a, b).distribution.chains, theirs.pair(a, b).distribution.chains)
        if n_datasets > 1:
            same_but_for_the_least(*(p.new_dataset(a, b).inference.sigma for p in (ours, theirs)))
    assert ours.inference.hyper.keys() == theirs.inference.hyper.keys()
    for parameter, x in ours.inference.hyper.items():
        same_but_for_the_least(x, theirs.inference.hyper[parameter])
    best, other = ours.ranking(), theirs.ranking()
    for model in scores.models:
        error = np.hypot(best.mcse[model], other.mcse[model])
        assert best.p_best[model] == pytest.approx(other.p_best[model], abs=4.5 * error)
    one, two = ours.shrunken_frame(), theirs.shrunken_frame()
    assert one["shrunken"].to_numpy() == pytest.approx(two["shrunken"].to_numpy(), abs=0.1 * one["sd"].mean() + 1e-9)
    assert one["sd"].to_numpy() == pytest.approx(two["sd"].to_numpy(), rel=0.1, abs=1e-9)


@LOOSE
@pytest.mark.oracle("bayes.multilevel", "brute force")
def test_the_tail_of_small_variances_is_that_of_a_sum_over_the_prior(rng):
    """Exchangeable models: mu is integrated out, the rest is averaged over draws from the prior, for each tau."""
    effects, n_datasets, n, missing, prior, tails = TABLES["six exchangeable, holes"]
    scores, _ = simulate(np.random.default_rng(5), effects, n_datasets, n, between=0.6, missing=missing)
    data, _, _ = prepare(scores, prior, tails)
    noise = np.array([data.scales[d, 0, 0] for d in range(n_datasets)])
    lam = rng.gamma(data.df / 2, 2 / data.df, (8000, n_datasets))
    omega = np.abs(rng.standard_t(4, 8000))
    back = np.swapaxes(data.observe, 1, 2)
    seen, means = back @ data.observe, (back @ data.means[..., None])[..., 0]
    grid, density = np.linspace(-7, 1.2, 42), []
    for tau in np.exp(grid):
        v, size = tau**2 + noise / lam, (omega * tau)[:, None, None] ** 2
        whole = np.eye(data.m) + size * np.tensordot(1 / v, seen, 1)
        b = (1 / v) @ means
        fit = -(data.sizes * np.log(v) + (data.means**2).sum(axis=1) / v).sum(axis=1) / 2
        fit -= np.linalg.slogdet(whole)[1] / 2
        fit += (b * np.linalg.solve(whole, (size * b[..., None]))[..., 0]).sum(axis=1) / 2
        density.append(tau * np.exp(fit).mean())
    below = np.cumsum(density) / np.sum(density)
    p = bc.bayes.multilevel(scores, rope=0.1, prior=prior, chains=32, draws=1500, random_seed=1)
    tau = np.log(p.inference.hyper["tau"] / data.unit)
    for t in (-3.0, -2.0, -1.5, -1.0, -0.5, 0.0):
        share = np.interp(t, grid + (grid[1] - grid[0]) / 2, below)
        assert np.mean(tau < t) == pytest.approx(share, abs=4.5 * mc_error((tau < t).astype(float)) + 0.05 * share)


@pytest.mark.oracle(
    "Comparison.joint Comparison.joint_differs Comparison.ranking Comparison.groups "
    "bayes.multilevel bayes.MultilevelPosterior.new_dataset",
    "brute force",
    "scipy",
)
def test_a_comparison_rests_on_a_sum_over_the_prior(rng):
    """One score each: mu and T integrate out in closed form, the rest is weighed draws from the prior.

    Z'Z less omega's share of the mean is the scatter A of an inverse Wishart with D more degrees of freedom.
    """
    scores = bc.load_domains()
    c = bc.compare(scores, rope=1, random_seed=1)
    data, _, _ = prepare(scores, "pooled")
    z, n, m, k = data.means, len(data.datasets), data.m, len(scores.models)
    draws = 400_000
    omega2 = rng.standard_t(4, draws) ** 2
    df = 2 + rng.gamma(2, 10, draws)
    own = rng.gamma(0.125, 2 * 5**2, (draws, k))  # the preset's scale is 5 times the spread, which is the unit
    scale = df[:, None, None] * np.einsum("ia,ni,ib->nab", data.basis, own, data.basis)
    mean = z.mean(axis=0)
    a = z.T @ z - (n**2 * omega2 / (1 + n * omega2))[:, None, None] * np.outer(mean, mean)
    nu = df + m - 1
    fit = nu / 2 * np.linalg.slogdet(scale)[1] - (nu + n) / 2 * np.linalg.slogdet(scale + a)[1]
    fit += special.multigammaln((nu + n) / 2, m) - special.multigammaln(nu / 2, m) - m / 2 * np.log1p(n * omega2)
    weights = np.exp(fit - fit.max())
    picked = rng.choice(draws, 8000, p=weights / weights.sum())
    worth = weights.sum() ** 2 / (weights**2).sum()
    assert worth > 2000
    t = np.array([stats.invwishart(nu[i] + n, scale[i] + a[i]).rvs(random_state=rng) for i in picked])
    pull = omega2[picked] / (1 + n * omega2[picked])
    mu = (
        n * pull[:, None] * mean
        + np.sqrt(pull)[:, None] * (np.linalg.cholesky(t) @ rng.standard_normal((8000, m, 1)))[:, :, 0]
    )
    effects = data.unit * mu @ data.basis.T
    best = effects.max(axis=1, keepdims=True)
    frame, groups = c.ranking().set_index("model"), c.groups()
    for i, name in enumerate(scores.models):
        error = 4.5 * np.hypot(np.sqrt(0.25 / worth), frame.loc[name, "mcse"])
        assert frame.loc[name, "p_best"] == pytest.approx((effects[:, i] == best[:, 0]).mean(), abs=error)
        assert groups.p_within_rope[name] == pytest.approx((effects[:, i] >= best[:, 0] - 1).mean(), abs=error)
    found = []
    for one, two in combinations(range(k), 2):
        names, gap = (scores.models[one], scores.models[two]), data.basis[one] - data.basis[two]
        delta, sigma = data.unit * mu @ gap, data.unit * np.sqrt(np.einsum("a,nab,b->n", gap, t, gap))
        ours = c.joint().pair(*names)
        error = np.hypot(delta.std() / worth**0.5, mc_error(ours.distribution.chains))
        assert ours.mean == pytest.approx(delta.mean(), abs=4.5 * error)
        above, below = stats.norm.sf(1, delta, sigma), stats.norm.cdf(-1, delta, sigma)
        three = np.bincount(np.argmax([above, 1 - above - below, below], axis=0), minlength=3) / 8000
        assert c.joint().new_dataset(*names).three == pytest.approx(tuple(three), abs=0.05)
        own_decision = c.pair(*names).decision
        sure = [bc.Decision.A_BETTER, bc.Decision.EQUIVALENT, bc.Decision.B_BETTER][int(three.argmax())]
        found += [names] if (sure if three.max() >= 0.95 else bc.Decision.UNDECIDED) is not own_decision else []
    assert [text.split(":")[0] for text in c.joint_differs()] == [f"{a} vs {b}" for a, b in found]


PRIOR_DRAWS = ("T", "mu", "omega", "df_between", "weight")


def reference(rng, tails):
    """A table with a hole, its model in PyMC, its statistics, and the names of what the model draws."""
    scores, _ = simulate(rng, [0, 0.5, 1], 4, 6, missing={(1, 2)})
    prior = MultilevelPrior(effects_scale=1.0, between_max=1.5, df_rate=0.5, tails=tails)
    names = PRIOR_DRAWS + (("nu", "kappa") if tails == "student" else ())
    return bc.bayes.pymc_model("multilevel", scores, prior=prior), prepare(scores, prior)[0], names


@pytest.mark.oracle("bayes.pymc_model", "scipy")
@pytest.mark.parametrize("tails", ["normal", "student"])
def test_the_density_of_the_pymc_model_is_a_multivariate_normal(rng, tails):
    pm = _compat.import_pymc()
    model, data, _ = reference(rng, tails)
    s = from_prior(data, 1, rng)
    given = {"T": s.t_root[0] @ s.t_root[0].T, "mu": s.mu[0], "weight": s.lam[0]}
    given |= {"kappa": s.kappa[0]} if tails == "student" else {}
    with _compat.quiet():
        logp = pm.logp(model["means"], data.means).eval({model[name]: x for name, x in given.items()})
    kappa = given.get("kappa", np.ones(4))
    for d in range(4):
        size, see = int(data.sizes[d]), data.observe[d, : int(data.sizes[d])]
        cov = see @ given["T"] @ see.T / kappa[d] + data.scales[d, :size, :size] / given["weight"][d]
        exact = stats.multivariate_normal(see @ given["mu"], cov).logpdf(data.means[d, :size])
        unseen = -0.5 * np.log(2 * np.pi * given["weight"][d] ** -1) * (data.m - size)
        assert logp[d] == pytest.approx(exact + unseen)


@pytest.mark.oracle("bayes.pymc_model", "brute force")
@pytest.mark.slow  # the draws take a second, compiling what makes them up to two minutes
@pytest.mark.parametrize("tails", ["normal", "student"])
def test_the_prior_of_the_pymc_model_is_that_of_the_sampler(rng, tails):
    """Its prior draws are those written out above."""
    pm = _compat.import_pymc()
    model, data, names = reference(rng, tails)
    with _compat.quiet():
        draws = dict(zip(names, pm.draw([model[name] for name in names], 1500, random_seed=1), strict=True))
    s, along = from_prior(data, 1500, rng), data.basis[0] - data.basis[1]
    t = s.t_root @ np.swapaxes(s.t_root, 1, 2)
    pairs = [(np.linalg.det(draws["T"]), np.linalg.det(t)), (draws["weight"][:, 0], s.lam[:, 0])]
    pairs += [(x @ along, y @ along) for x, y in ((draws["mu"], s.mu), (draws["T"] @ along, t @ along))]
    pairs += [(draws["omega"], s.omega), (draws["df_between"], s.df)]
    pairs += [(draws["nu"], s.nu), (draws["kappa"][:, 1], s.kappa[:, 1])] if tails == "student" else []
    for theirs, ours in pairs:
        assert stats.ks_2samp(theirs, ours).pvalue > 1e-4


# ---- two models: the hierarchical test


@LOOSE
@pytest.mark.filterwarnings("ignore::bayescmp.DegenerateWarning")
@pytest.mark.parametrize(("tails", "prior"), [("normal", "gaussian"), ("student", "juarez_steel")])
@pytest.mark.parametrize("models", [("rf", "svm"), ("nb", "lr"), ("tree", "tree_pruned"), ("gbm", "rf")])
def test_two_models_are_the_hierarchical_test(models, tails, prior):
    """Flat effects, uniform sigma_0: hierarchical_ttest's quadrature is the oracle."""
    scores = UCI.select(models=list(models))
    p = bc.bayes.multilevel(scores, rope=0.01, prior="flat", tails=tails, random_seed=3, draws=2000)
    h = bc.bayes.hierarchical_ttest(scores.pair(*models), rope=0.01, prior=prior)
    ours, theirs = p.new_dataset(*models), h.hyperparameters()
    for name, x in h.probabilities.items():
        assert ours.probabilities[name] == pytest.approx(x, abs=0.002 + 4.5 * ours.mcse[name])
    for name, x in (("delta_0", ours.inference.delta), ("sigma_0", ours.inference.sigma)):
        assert x.mean() == pytest.approx(theirs["mean"][name], abs=4.5 * mc_error(x))
        squares = (x - x.mean()) ** 2
        assert squares.mean() == pytest.approx(theirs["sd"][name] ** 2, abs=4.5 * mc_error(squares))
    theta = ours.inference.theta(ours.rope)
    for i, share in enumerate(h.expected.values()):
        assert theta[..., i].mean() == pytest.approx(share, abs=1e-4 + 4.5 * mc_error(theta[..., i]))


# ---- near-twins


@pytest.fixture(scope="module")
def uci():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DegenerateWarning)
        warnings.simplefilter("ignore", bc.ConvergenceWarning)
        return bc.bayes.multilevel(UCI, rope=0.01, random_seed=1, draws=1000)


@pytest.mark.filterwarnings("ignore::bayescmp.DegenerateWarning")
@LOOSE
def test_no_pair_is_blurred_by_the_others(uci):
    """Of eight models two are near-twins: no pair's interval is much wider than that of its own test."""
    assert uci.diagnostics.r_hat < 1.03
    for a, b in combinations(UCI.models, 2):
        own = bc.bayes.hierarchical_ttest(UCI.pair(a, b), rope=0.01, prior="gaussian")
        width, wide = (np.diff(p.hdi())[0] for p in (uci.pair(a, b), own))
        assert width < 1.5 * wide, (a, b)
        assert uci.pair(a, b).mean == pytest.approx(own.mean, abs=0.5 * wide)


@LOOSE
def test_a_pair_of_twins_does_not_make_the_others_look_alike(rng):
    """Effects are pooled in units of their variation: a copy with little noise leaves the other models apart."""
    values, _ = simulate(rng, [0.0, 1.0, 2.0], 12, 10, between=0.5, within=0.5)
    copy = values.values[:1] + 1e-4 * rng.standard_normal((1, 12, 10))
    more = replaced(values, np.concatenate([values.values, copy]), models=(*values.models, "copy"))
    p = bc.bayes.multilevel(more, rope=0.1, random_seed=1)
    assert p.pair("m2", "m0").p_better > 0.95
    assert p.pair("copy", "m0").p_equivalent == 1


# ---- closed forms


@pytest.fixture(scope="module")
def flat():
    """One score per dataset, exchangeable models, flat effects, uniform tau: all of it is a plain normal sample."""
    scores, _ = simulate(np.random.default_rng(20260101), [0, 0.3, 1, 0.5], 7, 1)
    prior = MultilevelPrior(effects_scale=None, between_max=1e4, covariance="exchangeable")
    return scores, bc.bayes.multilevel(scores, rope=0, prior=prior, random_seed=5, draws=1000)


def flat_student(scores):
    """Degrees of freedom and scale of an effect's contrast of length 1: Student with m (D - 1) - 1 df."""
    z = scores.values[:, :, 0].T @ contrasts(4)
    df = 3 * 6 - 1
    return df, np.sqrt(((z - z.mean(axis=0)) ** 2).sum() / df / 7)


@pytest.mark.oracle(
    "bayes.multilevel bayes.MultilevelPosterior.pair bayes.MultilevelPosterior.contrast", "closed form", "scipy"
)
def test_one_score_each_exchangeable_and_flat_is_a_multivariate_student(flat):
    """z_d ~ N(mu, tau^2 I), flat mu and uniform tau: mu is Student with m (D - 1) - 1 df."""
    scores, p = flat
    df, scale = flat_student(scores)
    means = scores.values[:, :, 0].mean(axis=1)
    half = {"m0": 0.5, "m1": 0.5, "m2": -1.0}
    for found, weights in (
        (p.pair("m0", "m1"), [1, -1, 0, 0]),
        (p.pair("m2", "m1"), [0, -1, 1, 0]),
        (p.contrast(half), [0.5, 0.5, -1, 0]),
    ):
        draws = found.distribution.chains
        exact = stats.t(df, means @ weights, np.linalg.norm(weights) * scale)
        assert found.mean == pytest.approx(exact.mean(), abs=5 * mc_error(draws))
        assert found.p_better == pytest.approx(exact.sf(0), abs=0.003 + 4.5 * mc_error((draws > 0) * 1.0))
        for level in (0.05, 0.25, 0.75, 0.95):
            below = (draws <= exact.ppf(level)) * 1.0
            assert below.mean() == pytest.approx(level, abs=4.5 * mc_error(below))
    assert (p.contrast(half).a, p.contrast(half).b) == ("0.5 m0 + 0.5 m1", "m2")


@pytest.mark.oracle(
    "bayes.MultilevelPosterior.effects_frame bayes.MultilevelPosterior.hyperparameters "
    "bayes.MultilevelPosterior.pairs_frame bayes.MultilevelPosterior.shrunken_frame",
    "closed form",
    "scipy",
)
def test_frames_of_the_multivariate_student(flat):
    """Effects, tau (S / tau^2 is chi-square) and pairs in closed form; scores without folds are not shrunken."""
    scores, p = flat
    df, scale = flat_student(scores)
    means = scores.values[:, :, 0].mean(axis=1)
    effects = p.effects_frame(0.9)
    for i, model in enumerate(scores.models):
        exact = stats.t(df, means[i] - means.mean(), np.sqrt(3 / 4) * scale)
        row = effects.loc[model]
        assert row["mean"] == pytest.approx(exact.mean(), abs=0.15 * exact.std())
        assert (row["hdi_low"], row["hdi_high"]) == pytest.approx(exact.interval(0.9), abs=0.3 * exact.std())
    squares = scale**2 * df * 7
    tau = stats.invgamma(df / 2, scale=squares / 2)  # of tau^2
    expected = tau.expect(np.sqrt)
    assert p.hyperparameters().loc["tau", "mean"] == pytest.approx(
        expected, abs=0.15 * np.sqrt(tau.mean() - expected**2)
    )
    for row in p.pairs_frame().to_dict("records"):
        i, j = scores.model_index(row["a"]), scores.model_index(row["b"])
        exact = stats.t(df, means[i] - means[j], np.sqrt(2) * scale)
        assert row["mean"] == pytest.approx(exact.mean(), abs=0.15 * exact.std())
        for name in ("p_positive", "p_better"):
            assert row[name] == pytest.approx(exact.sf(0), abs=0.03)
        assert row["sigma"] == pytest.approx(np.sqrt(2) * expected, abs=0.2 * np.sqrt(tau.mean() - expected**2))
    frame = p.shrunken_frame()
    assert frame["shrunken"].to_numpy() == pytest.approx(scores.values[:, :, 0].T.ravel(), abs=1e-9)


@pytest.mark.oracle(
    "bayes.MultilevelPosterior.ranking bayes.MultilevelPosterior.new_dataset bayes.MultilevelPosterior.with_rope",
    "brute force",
)
def test_ranking_and_ropes_of_the_multivariate_student(flat):
    """tau from its chi-square, effects normal given tau, the next dataset normal around them: drawn by hand."""
    scores, p = flat
    df, scale = flat_student(scores)
    means, rng = scores.values[:, :, 0].mean(axis=1), np.random.default_rng(1)
    tau = np.sqrt(scale**2 * df * 7 / rng.chisquare(df, 100_000))
    effects = means + (tau / np.sqrt(7))[:, None] * rng.standard_normal((100_000, 4))
    ranking = p.ranking()
    for i, model in enumerate(scores.models):
        assert ranking.p_best[model] == pytest.approx((effects.argmax(axis=1) == i).mean(), abs=0.03)
    rope = 0.8
    moved = p.with_rope(rope)
    for row in moved.pairs_frame().to_dict("records"):
        gap = effects[:, scores.model_index(row["a"])] - effects[:, scores.model_index(row["b"])]
        assert row["p_equivalent"] == pytest.approx((np.abs(gap) <= rope).mean(), abs=0.03)
        better, worse = (stats.norm.cdf((s * gap - rope) / (np.sqrt(2) * tau)) for s in (1, -1))
        theta = np.stack([better, 1 - better - worse, worse], axis=1)
        assert row["expected_equivalent"] == pytest.approx(theta[:, 1].mean(), abs=0.01)
        won = np.bincount(theta.argmax(axis=1), minlength=3) / len(theta)
        assert moved.new_dataset(row["a"], row["b"]).three == pytest.approx(won, abs=0.03)


@pytest.mark.oracle("bayes.multilevel bayes.MultilevelPosterior.prior_sensitivity", "closed form", "scipy")
def test_one_dataset_is_the_multivariate_correlated_t(rng):
    """Flat effects: every difference is the correlated t-test's Student, and P(best) that of rank_models."""
    scores, _ = simulate(rng, [0.0, 0.3, 0.5, 0.1], 1, 20)
    p = bc.bayes.multilevel(scores, rope=0.1, prior="flat", random_seed=1, draws=2000)
    exact = bc.bayes.rank_models(scores, rope=0.1, random_seed=1)
    for model in scores.models:
        assert p.ranking().p_best[model] == pytest.approx(exact.p_best[model], abs=0.02)
    folds = scores.values[:, 0]
    for a, b in combinations(range(4), 2):
        gaps = folds[a] - folds[b]
        own = stats.t(19, gaps.mean(), np.sqrt((1 / 20 + 0.1 / 0.9) * gaps.var(ddof=1)))
        ours = p.pair(f"m{a}", f"m{b}")
        assert ours.mean == pytest.approx(own.mean(), abs=5 * mc_error(ours.distribution.chains))
        assert ours.three == pytest.approx((own.sf(0.1), own.cdf(0.1) - own.cdf(-0.1), own.cdf(-0.1)), abs=0.02)
    frame = bc.bayes.multilevel(scores, rope=0.1, random_seed=1).prior_sensitivity()
    assert list(frame["prior"].unique()) == ["pooled (this result)", "flat", "exchangeable"]
    rows = frame[frame["prior"] == "flat"].set_index("model")
    centred = folds - folds.mean(axis=0)
    for i, model in enumerate(scores.models):
        exact = stats.t(19, centred[i].mean(), np.sqrt((1 / 20 + 0.1 / 0.9) * centred[i].var(ddof=1)))
        assert rows["mean"][model] == pytest.approx(exact.mean(), abs=0.15 * exact.std())
        assert rows["sd"][model] == pytest.approx(exact.std(), rel=0.1)
    with pytest.raises(ValueError, match="one dataset"):
        p.new_dataset("m0", "m1")
    assert "sigma" not in p.pairs_frame()


# ---- symmetries


@pytest.fixture(scope="module")
def scores():
    return simulate(np.random.default_rng(7), [0.0, 0.4, 1.5], 8, 10, between=0.5)[0]


@pytest.fixture(scope="module")
def long(scores):
    return bc.bayes.multilevel(scores, rope=0.2, random_seed=1, draws=1000)


def assert_agree(p, q, names=None):
    """Two runs of the same posterior: all pairs' differences and variation within Monte-Carlo error."""
    for a, b in (("m0", "m1"), ("m0", "m2"), ("m1", "m2")):
        other = [(names or {}).get(n, n) for n in (a, b)]
        same_posterior(p.pair(a, b).distribution.chains, q.pair(*other).distribution.chains)
        same_posterior(np.log(p.new_dataset(a, b).inference.sigma), np.log(q.new_dataset(*other).inference.sigma))


def test_relabelling_permutes_the_answers(scores, long):
    other = scores.rename({"m0": "x", "m1": "m0", "m2": "m1"}).select(models=["m1", "x", "m0"])
    q = bc.bayes.multilevel(other, rope=0.2, random_seed=2, draws=1000)
    assert_agree(long, q, {"m0": "x", "m1": "m0", "m2": "m1"})


@pytest.mark.parametrize("folds", [10, 4])
def test_levels_of_datasets_and_folds_and_the_unit_do_not_matter(rng, folds):
    """The statistics are the same up to rounding when every dataset and fold is shifted, and scale with the unit."""
    scores, _ = simulate(rng, [0.0, 0.4, 1.5], 8, folds, missing={(0, 1)})
    shift = 3 * rng.standard_normal((1, 8, folds))
    one, _, _ = prepare(scores, "pooled")
    two, _, _ = prepare(replaced(scores, 100 * (scores.values + shift)), "pooled")
    assert two.unit == pytest.approx(100 * one.unit)
    for name in ("means", "scales", "df"):
        assert getattr(two, name) == pytest.approx(getattr(one, name), abs=1e-9)
    assert two.prior.between_max == pytest.approx(100 * one.prior.between_max)


def test_lower_is_better_turns_the_answers(scores, long):
    turned = replaced(scores, -scores.values, higher_is_better=False)
    q = bc.bayes.multilevel(turned, rope=0.2, random_seed=1, draws=1000)
    assert q.effects_frame()["mean"].to_numpy() == pytest.approx(long.effects_frame()["mean"].to_numpy())
    one, two = long.shrunken_frame(), q.shrunken_frame()
    for name in ("mean", "shrunken"):
        assert two[name].to_numpy() == pytest.approx(-one[name].to_numpy())


# ---- truth and shrinkage


@LOOSE
def test_effects_of_equal_models_are_pulled_together(rng):
    """Six equal models: the spread of the effects is below that of the raw means, and no pair is called different."""
    scores, _ = simulate(rng, np.zeros(6), 12, 5)
    p = bc.bayes.multilevel(scores, rope=0, random_seed=4)
    raw = scores.values.mean(axis=(1, 2))
    assert np.std(p.effects_frame()["mean"]) < 0.7 * np.std(raw)
    assert p.pairs_frame()["p_positive"].between(0.03, 0.97).all()


@pytest.mark.oracle("bayes.multilevel", "simulation")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescmp.ConvergenceWarning")
def test_simulation_based_calibration(monkeypatch):
    """Truths from an explicit prior: their ranks among the draws are uniform, for every parameter."""
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "benchmarks" / "calibration")
    import joint

    for name, ranks in joint.ranks(80)[0].items():
        assert joint.p_value(ranks) > 1e-3, name


def test_shrunken_means_keep_the_level_and_move_to_the_effects(scores, long):
    frame = long.shrunken_frame().reset_index()
    raw = frame.pivot(index="dataset", columns="model", values="mean").to_numpy()
    shrunken = frame.pivot(index="dataset", columns="model", values="shrunken").to_numpy()
    assert raw == pytest.approx(scores.values.mean(axis=2).T)
    assert shrunken.mean(axis=1) == pytest.approx(raw.mean(axis=1))
    centred = [x - x.mean(axis=1, keepdims=True) for x in (raw, shrunken)]
    spread = [np.var(x - x.mean(axis=0), ddof=1) for x in centred]
    assert 0.05 * spread[0] < spread[1] < spread[0]


@LOOSE
def test_missing_results_are_filled_in(rng):
    scores, _ = simulate(rng, [0, 2, 4], 6, 8, between=0.1, within=0.1, missing=((0, 2), (3, 0), (5, 1), (5, 2)))
    with pytest.warns(bc.MissingWarning, match='"d5" left out'):
        p = bc.bayes.multilevel(scores, rope=0.5, random_seed=1)
    frame = p.shrunken_frame()
    assert len(p.datasets) == 5
    assert np.isnan(frame["mean"]["d0", "m2"])
    gap = frame["shrunken"]["d0", "m2"] - frame["shrunken"]["d0", "m1"]
    assert gap == pytest.approx(2, abs=1)
    assert frame["sd"]["d0", "m2"] > 1.5 * frame["sd"]["d1", "m2"]
    assert p.ranking().mean_rank is None


# ---- degenerate data and bad input


@LOOSE
def test_identical_models_are_known_to_be_equal(scores):
    values = np.concatenate([scores.values, scores.values[1:2], scores.values[:1] + 0.25])
    more = replaced(scores, values, models=("m0", "m1", "m2", "twin", "shifted"))
    with pytest.warns(bc.DegenerateWarning, match=r"twin - m1 = 0.*shifted - m0 = 0.25"):
        p = bc.bayes.multilevel(more, rope=0.2, random_seed=1)
    assert p.pair("m1", "twin").p_equivalent == 1
    assert p.pair("shifted", "m0").p_better == 1
    assert p.pair("shifted", "m0").mean == pytest.approx(0.25)
    assert p.with_rope(0).pair("m1", "twin").p_better == 0.5
    assert p.pair("twin", "m2").p_better == p.pair("m1", "m2").p_better
    frame = p.shrunken_frame()["shrunken"]
    assert frame["d0", "shifted"] - frame["d0", "m0"] == pytest.approx(0.25)


def test_ties_on_one_dataset_do_not_break_the_fit(rng):
    scores, _ = simulate(rng, [0, 1, 2], 6, 6)
    values = scores.values.copy()
    values[1, 0] = values[0, 0]
    values[:, 1] = values[:, 1, :1]
    with pytest.warns(bc.DegenerateWarning, match='"d0", "d1"'):
        data, _, _ = prepare(replaced(scores, values), "pooled")
    assert (np.linalg.eigvalsh(data.scales) > 0).all()


@LOOSE
def test_more_models_than_folds_and_datasets(rng):
    """12 models, 5 folds, 6 datasets: all scatter is singular, and the model still answers."""
    scores, _ = simulate(rng, np.arange(12.0), 6, 5)
    p = bc.bayes.multilevel(scores, rope=0.1, random_seed=1)
    assert any("few folds" in note for note in p.notes)
    best = p.ranking().p_best
    assert max(best, key=best.get) in ("m10", "m11")
    assert p.pair("m11", "m0").p_better > 0.99


@LOOSE
def test_many_models_are_exchangeable_and_the_result_says_so(rng):
    scores, _ = simulate(rng, np.linspace(0, 3, 40), 5, 4)
    p = bc.bayes.multilevel(scores, rope=0.1, random_seed=1)
    assert p.settings["prior"].covariance == "exchangeable"
    assert any("more than 30 models" in note for note in p.notes)


def test_bad_input_is_refused(rng):
    scores, _ = simulate(rng, [0, 1, 2], 4, 4)
    with pytest.raises(bc.ScoresError, match="at least 2 models"):
        bc.bayes.multilevel(scores.select(models=["m0"]), rope=0)
    with pytest.raises(bc.ScoresError, match="at least 2 datasets"):
        bc.bayes.multilevel(simulate(rng, [0, 1, 2], 1, 1)[0], rope=0)
    with pytest.raises(ValueError, match="collapsed"):
        bc.bayes.multilevel(scores, rope=0, engine="fast")
    with pytest.raises(ValueError, match="tails"):
        bc.bayes.multilevel(scores, rope=0, tails="heavy")
    with pytest.raises(ValueError, match="pooled"):
        bc.bayes.multilevel(scores, rope=0, prior="vague")
    with pytest.raises(bc.RopeError, match="symmetric"):
        bc.bayes.multilevel(scores, rope=(0, 0.1))
    with pytest.raises(bc.ResamplingError, match="resampling design"):
        bc.bayes.multilevel(replaced(scores, scores.values, resampling=(None,) * 4), rope=0)
    ragged = scores.values.copy()
    ragged[1, 2, 3] = np.nan
    with pytest.raises(bc.ScoresError, match=r"`m1` has 3 of 4 on \"d2\""):
        bc.bayes.multilevel(replaced(scores, ragged), rope=0)
    with pytest.raises(bc.ScoresError, match="linked"):
        bc.bayes.multilevel(simulate(rng, [0, 1, 2, 3], 2, 4, missing={(0, 0), (0, 1), (1, 2), (1, 3)})[0], rope=0)
    with pytest.raises(bc.ScoresError, match="at least 3 scores"):
        bc.bayes.multilevel(simulate(rng, [0, 1], 5, 2)[0], rope=0)
    with pytest.raises(bc.ScoresError, match="nothing to sample"):
        bc.bayes.multilevel(replaced(scores, np.broadcast_to(scores.values[:1], (3, 4, 4))), rope=0)
    one, _ = simulate(rng, [0, 1, 2], 6, 1)
    values = one.values.copy()
    values[2] = (values[0] + values[1]) / 2
    with pytest.raises(bc.ScoresError, match="combination"):
        bc.bayes.multilevel(replaced(one, values), rope=0)
    with pytest.raises(ValueError, match="covariance"):
        MultilevelPrior(effects_scale=1, between_max=1, covariance="full")
    with pytest.raises(ValueError, match="between_max"):
        MultilevelPrior(effects_scale=None, between_max=0)
    with pytest.raises(ValueError, match="belong together"):
        MultilevelPrior(effects_scale=None, between_max=1, within_df=3)


# ---- the result


def test_the_same_seed_draws_the_same_and_json_draws_again(scores, long):
    q = MultilevelPosterior.from_dict(json.loads(json.dumps(long.to_dict())))
    assert q == long
    pd.testing.assert_frame_equal(q.with_rope(0.5).pairs_frame(), long.with_rope(0.5).pairs_frame())
    for pair in (long.pair("m2", "m0"), long.new_dataset("m2", "m0")):
        assert bc.bayes.Posterior.from_dict(json.loads(json.dumps(pair.to_dict()))) == pair
    with pytest.raises(ValueError, match="must have a kind of MultilevelPosterior"):
        MultilevelPosterior.from_dict({"kind": "multilevel"})
    other = bc.bayes.multilevel(scores, rope=0.2, random_seed=2, draws=1000)
    assert other.pair("m0", "m1").mean != long.pair("m0", "m1").mean
    assert len(json.dumps(long.to_dict())) < 30_000


def test_frames_pairs_and_ranking_tell_one_story(long):
    p = long
    frame = p.pairs_frame().set_index(["a", "b"])
    pair = p.pair("m0", "m2")
    row = frame.loc["m0", "m2"]
    assert row["mean"] == pair.mean
    assert row["p_worse"] == pair.p_worse == p.pair("m2", "m0").p_better
    assert row[["p_better", "p_equivalent", "p_worse"]].sum() == pytest.approx(1)
    ranking = p.ranking()
    assert ranking.p_better("m0", "m2") == pytest.approx(row["p_positive"])
    assert ranking.draws() == pytest.approx(p.inference.effect.reshape(-1, 3))
    for model in p.models:
        assert ranking.p_best[model] <= ranking.p_within_rope[model]
    assert p.contrast({"m0": 1, "m2": -1}).mean == pytest.approx(pair.mean)
    effects = p.effects_frame()
    assert effects["mean"].sum() == pytest.approx(0, abs=1e-12)
    assert (effects["mcse"] < 0.1 * effects["sd"]).all()
    assert set(p.hyperparameters().index) == {"omega", "df_between"}
    assert p.problems == ()
    assert "m2" in repr(p)
    assert len(repr(p).splitlines()) < 12
    with pytest.raises(bc.ScoresError, match="m9"):
        p.pair("m0", "m9")
    for of_pair in (p.pair, p.new_dataset):
        with pytest.raises(bc.ScoresError, match='must be two models, got "m0" twice'):
            of_pair("m0", "m0")
    for weights in ({"m0": 1}, {"m0": 0, "m1": 0}, {"m0": 1, "m1": 1}):
        with pytest.raises(ValueError, match="sum to 0"):
            p.contrast(weights)


def test_bad_chains_are_named(scores):
    with pytest.warns(bc.ConvergenceWarning, match="effective sample size"):
        p = bc.bayes.multilevel(scores, rope=0.2, random_seed=1, chains=2, draws=50, tune=0)
    assert repr(p).startswith("NOT CONVERGED")


def test_progress_is_shown_when_wanted(scores, capsys):
    bc.bayes.multilevel(scores, rope=0.2, random_seed=1, progressbar=True)
    assert "sweeps" in capsys.readouterr().err
    bc.bayes.multilevel(scores, rope=0.2, random_seed=1)
    assert capsys.readouterr().err == ""


def test_the_pymc_model_is_at_hand(scores):
    model = bc.bayes.pymc_model("multilevel", scores, prior="exchangeable")
    assert {"T", "effect"} <= {v.name for v in model.deterministics}


def test_a_misspelt_option_is_refused(scores):
    with pytest.raises(ValueError, match="nonsense"):
        bc.bayes.multilevel(scores, rope=0.2, random_seed=1, nonsense=1)
