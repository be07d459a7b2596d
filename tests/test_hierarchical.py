"""The hierarchical test: two engines, brute force, a Gibbs sampler, calibration, limits, degenerate data."""

import json
import math
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from fine_grid import border, fine_grid, gauss
from scipy import interpolate, optimize, special, stats

import bayescmp as bc
from bayescmp.bayes.hierarchical import convolution
from bayescmp.bayes.hierarchical.convolution import (
    _basis,
    _log_convolutions,
    _spline_coefficients,
    log_likelihood,
    log_student,
)
from bayescmp.bayes.hierarchical.inference import HierarchicalInference, SampledHyper
from bayescmp.bayes.hierarchical.prior import PRESETS, HierarchicalPrior
from bayescmp.bayes.hierarchical.quadrature import (
    Bend,
    Curve,
    HyperPosterior,
    LogDensity,
    answers,
    hyper_posterior,
    marginal,
    refined,
)
from bayescmp.bayes.hierarchical.shrinkage import _conditional, datasets_frame, predictive_check
from bayescmp.bayes.hierarchical.ttest import prepare
from bayescmp.bayes.regions import wins
from bayescmp.numerics.chains import ess
from bayescmp.rope import Rope

UCI = bc.load_uci()
FAST = {"chains": 2, "cores": 1, "progressbar": False}


def simulate(rng, deltas, n=20, rho=0.1, sigma=1.0):
    """Scores of two models whose differences are compound-symmetric around each dataset's delta."""
    deltas = np.asarray(deltas, float)[:, None]
    shared, own = rng.standard_normal((len(deltas), 1)), rng.standard_normal((len(deltas), n))
    a = deltas + sigma * (np.sqrt(rho) * shared + np.sqrt(1 - rho) * own)
    names = [f"d{i}" for i in range(len(deltas))]
    scores = bc.Scores.from_arrays(
        {"a": a, "b": np.zeros_like(a)}, resampling=bc.Resampling.custom(rho), datasets=names, higher_is_better=True
    )
    return scores.pair("a", "b")


def gibbs(inference, rng, draws=6000, burn=500):
    """An independent sampler of the same posterior: both Student t as scale mixtures of normals, nu on a fine grid."""
    unit, prior = inference.unit, inference.prior
    m, tau, df = inference.means / unit, inference.scales / unit, inference.dfs
    w = np.linspace(-9, 7, 400)
    log_prior, nus = prior.log_density(w), prior.nu_shift + np.exp(w)
    delta_bound, sigma_bound = prior.delta_0_bound / unit, prior.sigma_0_max / unit
    d, d0, s0, lam, nu = m.copy(), m.mean(), m.std(), np.ones(m.size), 5.0
    out = np.empty((draws, 3))
    for k in range(draws + burn):
        own = rng.gamma((df + 1) / 2, 2 / (df + ((d - m) / tau) ** 2))
        precision = own / tau**2 + lam / s0**2
        d = (own * m / tau**2 + lam * d0 / s0**2) / precision + rng.standard_normal(m.size) / np.sqrt(precision)
        lam = np.ones(m.size) if prior.gaussian else rng.gamma((nu + 1) / 2, 2 / (nu + ((d - d0) / s0) ** 2))
        while True:
            d0 = (lam @ d) / lam.sum() + rng.standard_normal() * s0 / np.sqrt(lam.sum())
            if abs(d0) < delta_bound:
                break
        # uniform sigma_0: its square is inverse gamma with (n - 1)/2, cut at the bound
        while True:
            s0 = np.sqrt((lam @ (d - d0) ** 2) / 2 / rng.gamma((m.size - 1) / 2))
            if s0 < sigma_bound:
                break
        if not prior.gaussian:
            log_p = log_prior + m.size * (nus / 2 * np.log(nus / 2) - special.gammaln(nus / 2))
            log_p += (nus / 2 - 1) * np.log(lam).sum() - nus / 2 * lam.sum()
            p = np.exp(log_p - log_p.max())
            nu = rng.choice(nus, p=p / p.sum())
        if k >= burn:
            out[k - burn] = d0 * unit, s0 * unit, np.inf if prior.gaussian else nu
    return out


def assert_agrees_with_gibbs(pair, prior, seed, draws=6000):
    result = bc.bayes.hierarchical_ttest(pair, rope=0.01, prior=prior)
    sample = gibbs(result.inference, np.random.default_rng(seed), draws)
    d0, s0, nu = sample.T
    for ours, theirs in ((result.mean, d0), (result.hyperparameters()["mean"]["sigma_0"], s0)):
        assert ours == pytest.approx(theirs.mean(), abs=5 * batch_error(theirs))
    t = np.minimum(nu, 1e10)
    theta = np.stack([stats.t.sf((0.01 - d0) / s0, t), np.zeros_like(d0), stats.t.cdf((-0.01 - d0) / s0, t)], axis=1)
    theta[:, 1] = 1 - theta[:, 0] - theta[:, 2]
    for ours, theirs in zip(result.probabilities.values(), wins(theta).T, strict=True):
        assert ours == pytest.approx(theirs.mean(), abs=0.002 + 5 * batch_error(theirs))
    for ours, theirs in zip(result.expected.values(), theta.T, strict=True):
        assert ours == pytest.approx(theirs.mean(), abs=1e-3 + 5 * batch_error(theirs))


def batch_error(x):
    """The standard error of the mean of a correlated chain, from 20 batches."""
    return x.reshape(20, -1).mean(axis=1).std(ddof=1) / np.sqrt(20)


@pytest.mark.oracle(
    "bayes.hierarchical_ttest bayes.HierarchicalPosterior.hyperparameters bayes.RegionPosterior.mean "
    "bayes.RegionPosterior.expected",
    "brute force",
)
@pytest.mark.parametrize("prior", PRESETS)
def test_agrees_with_a_gibbs_sampler(prior):
    assert_agrees_with_gibbs(UCI.pair("rf", "svm"), prior, seed=1)


@pytest.mark.oracle("bayes.hierarchical_ttest", "brute force")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescmp.DegenerateWarning")
def test_every_pair_agrees_with_a_gibbs_sampler():
    for seed, pair in enumerate(UCI.pairs()):
        assert_agrees_with_gibbs(pair, "corani2017", seed, draws=20_000)


@pytest.mark.oracle("bayes.hierarchical_ttest", "brute force")
@pytest.mark.parametrize(("m", "between", "tails"), [(60, 1.0, 30), (120, 1.0, 30), (120, 0.3, 4), (300, 0.6, 3)])
def test_many_noisy_datasets_agree_with_a_gibbs_sampler(m, between, tails):
    """Folds that vary about as much as datasets do: the grid must find the mass however many datasets there are."""
    rng = np.random.default_rng(m)
    deltas = 0.01 + 0.03 * between * rng.standard_t(tails, m)
    pair = simulate(rng, deltas, n=100, sigma=0.03)
    assert_agrees_with_gibbs(pair, "corani2017", seed=2, draws=4000)


def test_a_grid_that_cuts_the_posterior_off_says_so(rng):
    """The mass on a side of the grid counts as error."""
    inference = bc.bayes.hierarchical_ttest(UCI.pair("rf", "svm"), rope=0.01).inference
    h = inference.hyper
    assert h.cut_off < 1e-4
    half = replace(h, x=h.x[: h.x.size // 2], density=h.density[:, : h.x.size // 2])
    assert half.cut_off > 0.01


@pytest.mark.oracle("bayes.hierarchical_ttest", "brute force")
def test_brute_force_grid():
    """Five datasets, normal effects: every functional by a dense grid, to 1e-4."""
    means, scales, dfs = np.array([-0.5, 0.2, 0.9, 1.4, 0.4]), np.array([0.3, 0.2, 0.5, 0.3, 0.4]), np.full(5, 18.0)
    n, rho = 20.0, 0.1
    sds = scales / np.sqrt((1 / n + rho / (1 - rho)) * (n - 1) / (n - 2))
    prior = HierarchicalPrior(delta_0_bound=3.0, sigma_0_max=4.0, sigma_max=1e3, gaussian=True)
    inference = HierarchicalInference(tuple("abcde"), means, sds, np.full(5, n), np.full(5, rho), 0.0, prior, 3.0)
    assert inference.scales == pytest.approx(scales)
    d0, s0 = np.linspace(-3, 3, 241), (np.arange(400) + 0.5) / 100
    z = np.linspace(-8, 9, 601)
    likelihood = stats.t.pdf((z[:, None] - means) / scales, dfs) * (z[1] - z[0])
    log_p = np.empty((s0.size, d0.size))
    for i, s in enumerate(s0):
        # for sigma_0 below the grid of z the normal is narrower than its steps: integrate z around delta_0 instead
        if s < 0.1:
            y = np.linspace(-6, 6, 101)
            inner = stats.t.pdf((d0[:, None, None] + s * y[:, None] - means) / scales, dfs)
            log_p[i] = np.log(np.einsum("dyi,y->di", inner, np.exp(-y * y / 2)) * (y[1] - y[0])).sum(axis=1)
        else:
            log_p[i] = np.log(np.exp(-(((d0[:, None] - z) / s) ** 2) / 2) / s @ likelihood).sum(axis=1)
    p = np.exp(log_p - log_p.max())
    p[:, [0, -1]] /= 2
    p /= p.sum()
    assert inference.mean == pytest.approx(p.sum(axis=0) @ d0, abs=1e-4)
    marginals = inference.hyper_marginals()
    assert marginals["sigma_0"](0.95)[0] == pytest.approx(p.sum(axis=1) @ s0, abs=5e-4)
    for rope in (0.0, 0.3, 1.0):
        better = stats.norm.sf((rope - d0) / s0[:, None])
        worse = stats.norm.cdf((-rope - d0) / s0[:, None])
        (summary,) = inference.summaries([bc.Rope.of(rope)])
        assert summary.expected == pytest.approx(
            [(p * better).sum(), (p * (1 - better - worse)).sum(), (p * worse).sum()], abs=2e-4
        )
        shares = wins(np.stack([better, 1 - better - worse if rope else 0 * better, worse], axis=-1))
        # counting cells of 0.025 at the winners' border is right to a few thousandths
        assert summary.probabilities == pytest.approx((p[..., None] * shares).sum(axis=(0, 1)), abs=6e-3)


@pytest.mark.parametrize("m", [1000, pytest.param(4000, marks=pytest.mark.slow)])
def test_many_datasets_know_nu_better_than_the_lattice(m):
    """Datasets that are points: the posterior is the product of Student densities, here on a plain grid of its own."""
    rng = np.random.default_rng(m)
    means = 0.1 + rng.standard_t(4, m)
    prior = HierarchicalPrior(
        delta_0_bound=50.0, sigma_0_max=50.0, sigma_max=50.0, nu_shape=(2.0, 2.0), nu_rate=(0.1, 0.1)
    )
    h = hyper_posterior(
        LogDensity(
            means,
            np.full(m, 1e-6),
            np.full(m, 98.0),
            log_nu_range=prior.log_nu_range(),
            log_prior_nu=prior.log_density,
            nu_shift=1.0,
            delta_bound=50.0,
            sigma_bound=50.0,
        )
    )
    nu = 1 + np.exp(np.linspace(0.2, 2.0, 33))
    sd = 1 / np.sqrt(m)
    delta, sigma = np.median(means) + 6 * sd * np.linspace(-1, 1, 9), np.exp(np.linspace(-6, 6, 13) * sd)
    log_p = np.empty((nu.size, sigma.size, delta.size))
    for i, s in enumerate(sigma):
        for j, d in enumerate(delta):
            squares = ((means - d) / s) ** 2
            for k, n in enumerate(nu):
                log_p[k, i, j] = -(n + 1) / 2 * np.log1p(squares / n).sum()
    each = special.gammaln((nu + 1) / 2) - special.gammaln(nu / 2) - 0.5 * np.log(nu)
    log_p += (m * each + stats.gamma.logpdf(nu - 1, 2, scale=10) + np.log(nu - 1))[:, None, None]
    log_p += (1 - m) * np.log(sigma)[:, None]  # uniform in sigma_0, on a grid of its log
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    assert h.cut_off < 1e-5
    assert h.mass.sum(axis=(1, 2)) @ h.nu == pytest.approx(p.sum(axis=(1, 2)) @ nu, rel=2e-4)
    coarse = h.every(2, 0)
    assert coarse.mass.sum(axis=(1, 2)) @ coarse.nu == pytest.approx(p.sum(axis=(1, 2)) @ nu, rel=2e-3)
    assert h.mass.sum(axis=(0, 2)) @ h.sigma == pytest.approx(p.sum(axis=(0, 2)) @ sigma, rel=2e-4)


@pytest.mark.oracle("bayes.hierarchical_ttest", "scipy")
def test_likelihood_is_the_convolution_of_two_students():
    """The interpolated log likelihood against adaptive quadrature, over datasets of different scales."""
    from scipy.integrate import quad

    rng = np.random.default_rng(1)
    means, scales = rng.normal(0, 1, 3), rng.uniform(0.2, 0.6, 3)
    log_sigma, delta, nus = np.array([-1.7, 0.11]), np.array([-0.4, 1.1]), np.array([1.5, 7.0, np.inf])
    ours = log_likelihood(means, scales, 98.0, nus, log_sigma, delta)
    for k, nu in enumerate(nus):
        effect = stats.norm if np.isinf(nu) else stats.t(nu)
        for i, s in enumerate(np.exp(log_sigma)):
            for j, d in enumerate(delta):
                total = 0.0
                for m, scale in zip(means, scales, strict=True):
                    breaks = sorted([m, d, m - 4 * scale, m + 4 * scale, d - 4 * s, d + 4 * s])
                    value = quad(
                        lambda x, m=m, scale=scale, s=s, d=d, effect=effect: stats.t.pdf((x - m) / scale, 98)
                        * effect.pdf((x - d) / s)
                        / (scale * s),
                        -15, 15, points=breaks, limit=400, epsabs=0, epsrel=1e-8,
                    )[0]  # fmt: skip
                    total += np.log(value)
                assert ours[k, i, j] == pytest.approx(total, abs=1e-4)


def test_forgotten_tables_are_made_again(monkeypatch):
    """Also where some of those that a test needs are still there."""
    data = np.array([-0.4, 0.3]), np.array([0.2, 0.5]), 9.0
    grid = np.array([-1.0, 0.5]), np.array([0.0, 1.0])
    whole = log_likelihood(*data, np.array([1.5, 7.0]), *grid)
    for name, value in (("MOST_TABLES", 0), ("MOST_BLOCKS", 0), ("_TABLES", {}), ("_BLOCKS", {})):
        monkeypatch.setattr(convolution, name, value)
    for nus in ([1.5], [1.5, 7.0], [7.0]):
        places = [[1.5, 7.0].index(nu) for nu in nus]
        assert log_likelihood(*data, np.array(nus), *grid) == pytest.approx(whole[places])


@pytest.mark.oracle("bayes.hierarchical_ttest", "closed form", "scipy")
def test_two_cauchys_convolve_to_a_cauchy():
    """Closed form of the table: T_1 + sigma T_1 is Cauchy with scale 1 + sigma."""
    v, u = np.array([-3.0, 0.0, 2.5]), np.array([0.0, 1.0, 4.0])
    for i, sigma in enumerate(np.exp(v)):
        expected = stats.cauchy(scale=1 + sigma).logpdf(np.sinh(u))
        assert _log_convolutions(1.0, (1.0,), v, u)[0, i] == pytest.approx(expected, abs=1e-6)


@pytest.mark.oracle("bayes.hierarchical_ttest", "scipy")
def test_integrated_sigma_is_a_student_and_truncation_is_negligible():
    """The likelihood of delta with sigma ~ U(0, U): by quadrature over sigma, against Student(n - 2)."""
    from scipy.integrate import quad

    rho, sd, mean, bound = 0.1, 1.0, 0.3, 1000.0
    counts = np.array([4.0, 10.0, 100.0])
    prior = HierarchicalPrior(delta_0_bound=1, sigma_0_max=1, sigma_max=bound)
    own = HierarchicalInference(
        tuple("abc"), np.full(3, mean), np.full(3, sd), counts, np.full(3, rho), 0.0, prior, 1.0
    )
    for n, scale, df in zip((4, 10, 100), own.scales, own.dfs, strict=True):

        def likelihood(delta, n=n):
            q = (n - 1) * sd**2 / (1 - rho) + n * (mean - delta) ** 2 / (1 + (n - 1) * rho)
            return quad(lambda s: s**-n * np.exp(-q / (2 * s * s)), 1e-3, bound, points=[0.3, 1, 3, 10], limit=500)[0]

        ratios = [likelihood(d) / stats.t.pdf((d - mean) / scale, df) for d in (-1.0, 0.3, 1.0, 3.0)]
        assert np.ptp(ratios) / ratios[0] < 1e-4


@pytest.mark.oracle("bayes.pymc_model", "scipy")
def test_model_density_is_the_multivariate_normal(rng):
    """The observed part of the PyMC model equals the MVN likelihood of all folds up to a constant."""
    pair = simulate(rng, [0.3, -0.2, 0.8], n=6, rho=0.2)
    model = bc.bayes.pymc_model("hierarchical_ttest", pair)
    logp = model.compile_logp(vars=[model["mean"], model["sum_of_squares"]])
    inference, _ = prepare(pair, "corani2017", None)
    bound = inference.prior.sigma_max / inference.unit
    point = model.initial_point()
    cov = 0.8 * np.eye(6) + 0.2
    gaps = []
    for _ in range(6):
        delta, sigma = rng.normal(0, 1, 3), rng.uniform(0.5, 2, 3)
        point["delta_scaled"] = delta
        point["sigma_scaled_interval__"] = np.log(sigma) - np.log(bound - sigma)
        mvn = sum(
            stats.multivariate_normal(np.full(6, d), s * s * cov).logpdf(x / inference.unit)
            for d, s, x in zip(delta, sigma, pair.differences, strict=True)
        )
        gaps.append(float(logp(point)) - mvn)
    assert np.ptp(gaps) < 1e-9


@pytest.mark.oracle(
    "bayes.hierarchical_ttest bayes.HierarchicalPosterior.hyperparameters bayes.HierarchicalPosterior.datasets_frame",
    "PyMC",
)
def test_nuts_agrees_with_the_quadrature(rng):
    pair = simulate(rng, rng.normal(0.3, 2.0, 12), n=20)
    exact = bc.bayes.hierarchical_ttest(pair, rope=1.5)
    sampled = bc.bayes.hierarchical_ttest(pair, rope=1.5, engine="nuts", random_seed=2, draws=1500, **FAST)
    assert sampled.diagnostics.divergences == 0
    for name, p in exact.probabilities.items():
        assert sampled.probabilities[name] == pytest.approx(p, abs=0.002 + 4.5 * sampled.mcse[name])
        assert sampled.expected[name] == pytest.approx(exact.expected[name], abs=0.02)
    ours, theirs = exact.hyperparameters(), sampled.hyperparameters()
    assert ours["mean"]["delta_0"] == pytest.approx(theirs["mean"]["delta_0"], abs=0.15 * ours["sd"]["delta_0"])
    assert ours["sd"]["delta_0"] == pytest.approx(theirs["sd"]["delta_0"], rel=0.15)
    assert ours["mean"]["sigma_0"] == pytest.approx(theirs["mean"]["sigma_0"], abs=0.15 * ours["sd"]["sigma_0"])
    assert ours["mean"]["nu"] == pytest.approx(theirs["mean"]["nu"], rel=0.15)
    shrunken = sampled.inference_data
    from bayescmp import _compat

    delta = _compat.group(shrunken, "posterior")["delta"].values.mean(axis=(0, 1))
    assert exact.datasets_frame()["shrunken"].to_numpy() == pytest.approx(delta, abs=0.05)
    assert sampled.with_rope(2.5).p_equivalent > sampled.p_equivalent
    again = bc.bayes.Posterior.from_dict(json.loads(json.dumps(sampled.to_dict())))
    assert again.with_rope(2.5).probabilities == sampled.with_rope(2.5).probabilities
    assert sampled.swap().p_better == sampled.p_worse


@pytest.mark.oracle("bayes.hierarchical_ttest", "PyMC")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescmp.DegenerateWarning", "ignore::bayescmp.ConvergenceWarning")
def test_nuts_agrees_on_bundled_pairs():
    """Where NUTS says that it converged; the funnel at sigma_0 = 0 of pairs that hardly differ it says it did not."""

    converged = 0
    for seed, pair in enumerate(list(UCI.pairs())[::4]):
        exact = bc.bayes.hierarchical_ttest(pair, rope=0.01)
        sampled = bc.bayes.hierarchical_ttest(pair, rope=0.01, engine="nuts", random_seed=seed, draws=800, **FAST)
        d = sampled.diagnostics
        if d.divergences or d.r_hat > 1.02 or d.ess_bulk < 150:
            continue
        converged += 1
        for name, p in exact.probabilities.items():
            assert sampled.probabilities[name] == pytest.approx(p, abs=0.003 + 5 * sampled.mcse[name]), pair
        rows, draws = exact.hyperparameters(), sampled.inference
        for name, x in (("delta_0", draws.delta), ("sigma_0", draws.sigma), ("nu", draws.nu)):
            error = x.std() / np.sqrt(ess(x, "mean"))
            assert rows.loc[name, "mean"] == pytest.approx(x.mean(), abs=5 * error), (pair, name)
    assert converged >= 4


def studies_from_the_prior(simulations, seed, n=10, m=8, sigma_max=1.5):
    """Truths drawn from a fixed prior, and the statistics of a study made from each."""
    rng = np.random.default_rng(seed)
    prior = HierarchicalPrior(
        delta_0_bound=1.0, sigma_0_max=1.5, sigma_max=sigma_max, nu_shape=(2.0, 2.0), nu_rate=(0.2, 0.2)
    )
    rho, names = 0.1, tuple(str(i) for i in range(m))
    for _ in range(simulations):
        d0, s0, nu = rng.uniform(-1, 1), rng.uniform(0, 1.5), 1 + rng.gamma(2.0, 5.0)
        deltas = d0 + s0 * rng.standard_t(nu, m)
        sigma = rng.uniform(0, sigma_max, (m, 1))
        x = deltas[:, None] + sigma * (
            np.sqrt(rho) * rng.standard_normal((m, 1)) + np.sqrt(1 - rho) * rng.standard_normal((m, n))
        )
        inference = HierarchicalInference(
            names, x.mean(axis=1), x.std(axis=1, ddof=1), np.full(m, float(n)), np.full(m, rho), 0.0, prior, 1.0
        )
        yield inference, (d0, s0, nu), deltas[0]


def ranks_of_truth(simulations, seed):
    """Posterior cdf at the truth, with truths drawn from the prior: uniform if and only if the posterior is right."""
    ranks = np.empty((simulations, 4))
    for k, (inference, truths, first) in enumerate(studies_from_the_prior(simulations, seed)):
        draws = inference.hyper_draws(999, k)
        ranks[k, :3] = [np.mean(draw < truth) for draw, truth in zip(draws, truths, strict=True)]
        some = tuple(x[:200] for x in draws)
        values, weights = _conditional(
            inference.means[0], inference.scales[0], inference.dfs[0], some, bc.Rope(min(first, 0), max(first, 0))
        )
        ranks[k, 3] = (weights * (values < first)).sum() / 200
    return ranks


def assert_uniform(ranks):
    for column, name in zip(ranks.T, ("delta_0", "sigma_0", "nu", "delta_1"), strict=False):
        assert stats.kstest(column, "uniform").pvalue > 0.002, name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescmp.ConvergenceWarning")
def test_simulation_based_calibration_of_nuts():
    """30 studies whose datasets are well measured, so that the centred model samples well."""
    from bayescmp.bayes.hierarchical.ttest import sample_hierarchical

    ranks = []
    for inference, truths, _ in studies_from_the_prior(30, seed=21, n=30, m=10, sigma_max=0.3):
        options = {"draws": 500, "tune": 800, **FAST}
        sampled = sample_hierarchical(inference, len(ranks), options)["inference"]
        ranks.append([np.mean(x < t) for x, t in zip((sampled.delta, sampled.sigma, sampled.nu), truths, strict=True)])
    assert_uniform(np.array(ranks))


@pytest.mark.oracle("bayes.hierarchical_ttest", "simulation")
def test_simulation_based_calibration():
    """60 studies from the prior; the long version below has 400."""
    assert_uniform(ranks_of_truth(60, seed=11))


@pytest.mark.oracle("bayes.hierarchical_ttest", "simulation")
@pytest.mark.slow
def test_simulation_based_calibration_long():
    assert_uniform(ranks_of_truth(400, seed=12))


# ---- the parts of the quadrature


def known_grid(sigma=0.01, nus=(1.5, 4.0, 30.0), unit=0.5, step=0.05):
    """delta_0 is normal around 0.03 with sd 0.02, log sigma_0 around log `sigma` with sd 0.5; nu has three values."""
    curve, bend = Curve(0.02, 0.01), Bend(float(np.log(sigma / unit)))
    t = np.arange(-4, 4 + step / 2, step)
    x = np.linspace(*bend.x(np.log(sigma / unit) + np.array([-3.5, 3.5])), 41)
    weights = 1.0 + np.arange(len(nus))
    of_sigma = stats.norm.pdf(bend.log_sigma(x), np.log(sigma / unit), 0.5) * bend.slope(x)
    of_delta = stats.norm.pdf(curve.delta(t), 0.03, 0.02) * np.cosh(t)
    density = weights[:, None, None] * of_sigma[:, None] * of_delta
    never = ((False, False), (False, False))
    return HyperPosterior(np.array(nus), x, t, bend, curve, density, never, unit), weights / weights.sum()


@pytest.mark.parametrize(
    "rope", [Rope(-0.01, 0.01), Rope(0.0, 0.04), Rope(-0.01, np.inf), Rope(-np.inf, 0.02), Rope(0, 0)], ids=repr
)
def test_winner_and_mean_of_theta_on_a_known_grid(rope):
    """The winner changes where two of scipy's t probabilities cross; the mean of theta is an integral by quad."""
    h, weights = known_grid()
    delta = stats.norm(0.03, 0.02)
    winner, theta = np.zeros(3), np.zeros(3)
    nodes, of_node = np.polynomial.legendre.leggauss(120)
    of_node = of_node * stats.norm.pdf(7 * nodes) * 7
    x = np.linspace(-0.13, 0.19, 1601)
    for nu, weight in zip(h.nu, weights, strict=True):
        for z, part in zip(7 * nodes, weight * of_node, strict=True):
            t = stats.t(nu, scale=0.01 * np.exp(0.5 * z))

            def three(d, t=t):
                better, worse = t.sf(rope.high - d), t.cdf(rope.low - d)
                return np.array([better, 1 - better - worse, worse])

            if np.isfinite([rope.low, rope.high]).all():
                centre = (rope.low + rope.high) / 2
                gap = lambda d, f=three: f(d)[1] - f(d)[0]  # noqa: E731
                up = optimize.brentq(gap, centre, rope.high) if gap(centre) > 0 else centre
                borders = 2 * centre - up, up
            else:
                borders = rope.low, rope.high
            below, above = delta.cdf(borders)
            winner += part * np.array([1 - above, above - below, below])
            theta += part * (three(x) @ delta.pdf(x)) * (x[1] - x[0])
    assert answers(h, rope)[0] == pytest.approx(winner, abs=2e-5)
    assert answers(h, rope)[1] == pytest.approx(theta, abs=2e-5)


def test_a_sigma_below_the_grids_steps_makes_theta_a_step():
    """sigma_0 of a millionth: theta is where delta_0 is, whatever nu."""
    h, _ = known_grid(sigma=1e-6)
    for rope in (Rope(-0.01, 0.01), Rope(-0.005, 0.05), Rope(0, 0)):
        below, above = stats.norm.cdf([rope.low, rope.high], 0.03, 0.02)
        expected = [1 - above, above - below, below]
        assert answers(h, rope)[1] == pytest.approx(expected, abs=1e-4)
        assert answers(h, rope)[0] == pytest.approx(expected, abs=1e-4)


def test_means_and_intervals_of_a_grid_are_those_of_its_normal():
    h, weights = known_grid()
    mass = h.mass.sum(axis=(0, 1))
    mean, sd, interval = marginal(h.delta, mass)(0.9)
    assert (mean, sd) == pytest.approx((0.03, 0.02), abs=1e-6)
    assert interval == pytest.approx(stats.norm.interval(0.9, 0.03, 0.02), abs=1e-4)
    assert h.mass.sum(axis=(1, 2)) == pytest.approx(weights)
    assert h.mass.sum(axis=(0, 2)) @ h.sigma == pytest.approx(0.01 * np.exp(0.125), rel=1e-6)
    for axis in (1, 2):
        coarse = h.every(2, axis)
        assert coarse.mass.sum(axis=(0, 1)) @ coarse.delta == pytest.approx(0.03, abs=1e-6)
        assert coarse.mass.sum(axis=(1, 2)) == pytest.approx(weights)
    assert h.every(2, 0).nu.tolist() == [1.5, 30.0]


def test_the_bend_of_sigma_has_an_inverse():
    bend = Bend(0.7)
    log_sigma = np.array([-1e5, -40.0, -3.0, 0.0, 0.7, 2.0, 9.0, 60.0])
    assert bend.log_sigma(bend.x(log_sigma)) == pytest.approx(log_sigma, rel=1e-9, abs=1e-9)
    x = np.linspace(-3, 5, 9)
    assert bend.slope(x) == pytest.approx((bend.log_sigma(x + 1e-6) - bend.log_sigma(x - 1e-6)) / 2e-6, rel=1e-6)


@pytest.mark.parametrize("sides", [(True, False), (False, True), (True, True)])
def test_a_density_that_a_prior_cuts_off_is_integrated_to_the_edge(sides):
    """Beta densities that do not vanish at one end or both: means in closed form, in either direction of the grid."""
    x = np.linspace(0, 1, 61)
    # cut off below only: (1 - x)^6, above only: x^6, at both: e^x
    curve = {(True, False): (1 - x) ** 6, (False, True): x**6, (True, True): np.exp(x)}[sides]
    mean = {(True, False): 1 / 8, (False, True): 7 / 8, (True, True): 1 / (np.e - 1)}[sides]
    flat = np.ones((2, 1, 1))
    for axis, density in ((1, flat * curve[:, None]), (2, flat * curve)):
        bounds = [(False, False), (False, False)]
        bounds[axis - 1] = sides
        density = density * np.ones((2, 61, 61))
        h = HyperPosterior(np.ones(2), x, x, Bend(0.0), Curve(0.0, 1.0), density, tuple(bounds))
        assert h.mass.sum(axis=(0, 3 - axis)) @ x == pytest.approx(mean, abs=1e-5)


def test_mass_on_a_side_counts_unless_a_prior_ends_there(rng):
    density = rng.uniform(1, 2, (3, 5, 7))
    sides = {"nu": (0, 0), "sigma": (1, 1), "delta": (2, 2)}
    for cut in (((False, False), (False, False)), ((True, True), (False, True)), ((False, True), (True, True))):
        h = HyperPosterior(np.arange(3.0), np.arange(5.0), np.arange(7.0), Bend(0), Curve(0, 1), density, cut)
        free = {"nu": (True, True), "sigma": [not x for x in cut[0]], "delta": [not x for x in cut[1]]}
        mass = [
            h.mass.take(end, axis=axis).sum()
            for name, (axis, _) in sides.items()
            for end, counts in zip((0, -1), free[name], strict=True)
            if counts
        ]
        assert h.cut_off == pytest.approx(max(mass))
    one = HyperPosterior(
        np.ones(1), np.arange(5.0), np.arange(7.0), Bend(0), Curve(0, 1), density[:1], ((True, True),) * 2
    )
    with pytest.raises(ValueError, match="empty"):
        assert one.cut_off


def normal_model(means, scale=0.3):
    """Hyperparameters known to be delta_0 = 0.5, sigma_0 = 0.4 and nu infinite, and normal datasets."""
    return SimpleNamespace(
        names=[f"d{i}" for i in range(len(means))],
        means=np.array(means),
        counts=np.full(len(means), 12.0),
        scales=np.full(len(means), scale),
        dfs=np.full(len(means), 1e9),
        hyper_draws=lambda n, seed: (np.full(n, 0.5), np.full(n, 0.4), np.full(n, np.inf)),
    )


@pytest.mark.oracle("bayes.HierarchicalPosterior.datasets_frame", "closed form")
@pytest.mark.parametrize("scale", [0.02, 0.3, 5.0])
def test_datasets_of_normals_shrink_by_their_precisions(scale):
    means = [-0.4, 0.45, 1.3]
    rope = Rope(-0.1, 0.6)
    frame = datasets_frame(normal_model(means, scale), rope, 0.8)
    assert frame["n"].tolist() == [12, 12, 12]
    variance = 1 / (1 / scale**2 + 1 / 0.4**2)
    for mean, row in zip(means, frame.itertuples(), strict=True):
        exact = stats.norm(variance * (mean / scale**2 + 0.5 / 0.4**2), np.sqrt(variance))
        assert (row.mean, row.shrunken) == (mean, pytest.approx(exact.mean(), abs=1e-6))
        assert row.p_worse == pytest.approx(exact.cdf(-0.1), abs=1e-6)
        assert row.p_better == pytest.approx(exact.sf(0.6), abs=1e-6)
        assert row.p_equivalent == pytest.approx(exact.cdf(0.6) - exact.cdf(-0.1), abs=1e-6)
        width = 2 * exact.std() * stats.norm.ppf(0.9)
        # of a thousand draws: the shortest interval of a normal with 80 % has an end that is uncertain
        assert row.hdi_high - row.hdi_low == pytest.approx(width, rel=0.1)
        assert (row.hdi_high + row.hdi_low) / 2 == pytest.approx(exact.mean(), abs=0.2 * width)


@pytest.mark.oracle("bayes.HierarchicalPosterior.datasets_frame", "scipy")
def test_a_dataset_of_two_students_by_quadrature():
    """Heavy tails on both sides: the product of scipy's two densities, for each draw of the hyperparameters."""
    rope = Rope(-0.1, 0.2)
    hyper = np.array([0.5, -0.2]), np.array([0.4, 0.05]), np.array([1.5, 4.0])
    values, weights = _conditional(1.1, 0.3, 3.0, hyper, rope)
    x = np.linspace(-40, 40, 800_001)
    for k, (delta, sigma, nu) in enumerate(zip(*hyper, strict=True)):
        density = stats.t.pdf(x, 3.0, 1.1, 0.3) * stats.t.pdf(x, nu, delta, sigma)
        density /= density.sum()
        assert weights[k] @ values[k] == pytest.approx(density @ x, abs=1e-4)
        above = weights[k] @ (rope.regions(values[k]) == 1)
        assert above == pytest.approx(density[x > 0.2].sum(), abs=1e-4)


def test_sampled_hyperparameters_are_counted(rng):
    """Two chains of three draws: means, shares and weights by hand."""
    prior = HierarchicalPrior(delta_0_bound=1, sigma_0_max=1, sigma_max=1)
    data = HierarchicalInference(("a", "b"), [0.1, 0.2], [1, 1], [10, 10], [0.1, 0.1], 0.0, prior, 1.0)
    delta = np.array([[0.5, -0.5, 1.0], [0.0, 2.0, 0.6]])
    sampled = SampledHyper(delta, np.full((2, 3), 1e-9), np.full((2, 3), np.inf), data)
    assert (sampled.mean, sampled.p_positive) == (pytest.approx(0.6), pytest.approx(4 / 6))
    values, weights = sampled.mean_distribution()
    assert (values.tolist(), weights.tolist()) == (delta.ravel().tolist(), [1 / 6] * 6)
    assert sampled.hdi(0.5) == (0.5, 1.0)
    expected = [[1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0], [1, 0, 0]]
    assert sampled.thetas(6, Rope(-0.1, 0.1), 0).sum(axis=0) == pytest.approx(np.sum(expected, axis=0))
    assert sorted(sampled.hyper_draws(6, 1)[0]) == sorted(delta.ravel()), "each once, as long as there are enough"
    assert sampled.hyper_draws(7, 1)[0].size == 7
    marginals = sampled.hyper_marginals()
    assert list(marginals) == ["delta_0", "sigma_0"]
    assert marginals["delta_0"](0.5)[:2] == pytest.approx((0.6, delta.std(ddof=1)))
    assert (sampled.swap().mean, sampled.swap().means.tolist()) == (pytest.approx(-0.6), [-0.1, -0.2])


@pytest.mark.oracle("bayes.HierarchicalPosterior.predictive_check", "closed form")
def test_predictive_check_of_normals_is_that_of_a_normal_sample():
    """Five means from a normal with variance 0.4^2 + 0.3^2: mean, sd, extremes and median have known laws."""
    means = np.array([0.1, 1.3, 0.2, 0.9, 0.4])
    check = predictive_check(normal_model(means), 20_000)
    one = stats.norm(0.5, 0.5)
    p = one.sf(np.sort(means))
    expected = {
        "mean": (means.mean(), 0.5, stats.norm.sf(means.mean(), 0.5, 0.5 / np.sqrt(5))),
        "sd": (means.std(), 0.5 * np.sqrt(stats.chi2.median(4) / 5), stats.chi2.sf(5 * means.var() / 0.25, 4)),
        "smallest": (0.1, one.isf(0.5 ** (1 / 5)), p[0] ** 5),
        "largest": (1.3, one.ppf(0.5 ** (1 / 5)), 1 - (1 - p[-1]) ** 5),
        "median": (0.4, 0.5, stats.binom.sf(2, 5, p[2])),
    }
    for name, row in check.iterrows():
        observed, middle, tail = expected[name]
        assert row["observed"] == pytest.approx(observed)
        assert row["replicated_median"] == pytest.approx(middle, abs=0.02)
        assert row["tail_probability"] == pytest.approx(tail, abs=0.015)


def test_tables_are_natural_cubic_splines(rng):
    """Coefficients and basis together are scipy's spline, up to both ends; rows need different parts of the table."""
    grid = np.arange(15)
    values = rng.normal(size=(3, grid.size))
    x = np.linspace([0, 7.5, 11.5], [3.5, 9.5, 14], 9, axis=1)
    first, weights = _basis(x, grid.size)
    for row in values:
        spline = interpolate.CubicSpline(grid, row, bc_type="natural")
        coefficients = _spline_coefficients(row, 0)
        ours = [w @ coefficients[at : at + w.shape[1]] for at, w in zip(first, weights, strict=True)]
        assert np.array(ours) == pytest.approx(spline(x), abs=1e-12)
    assert weights.shape[2] <= 8
    both = _spline_coefficients(values, 1)
    assert both == pytest.approx(np.array([_spline_coefficients(row, 0) for row in values]))


@pytest.mark.parametrize("df", [0.5, 1.0, 3.0, 200.0, np.inf])
def test_log_density_is_scipys(df):
    x = np.array([0.0, 1e-3, 1.0, -30.0, 1e6])
    expected = stats.norm.logpdf(x) if np.isinf(df) else stats.t.logpdf(x, df)
    assert log_student(x, df) == pytest.approx(expected, rel=1e-13)


# ---- limits


def test_little_spread_pools_and_much_does_not(rng):
    close = bc.bayes.hierarchical_ttest(simulate(rng, np.full(12, 0.3), n=20), rope=0.1)
    apart = bc.bayes.hierarchical_ttest(simulate(rng, np.linspace(-5, 5, 12), n=20), rope=0.1)
    for p, pooled in ((close, True), (apart, False)):
        frame = p.datasets_frame()
        kept = np.ptp(frame["shrunken"]) / np.ptp(frame["mean"])
        assert kept < 0.5 if pooled else kept > 0.9


def test_few_scores_shrink_more(rng):
    deltas = np.linspace(-1, 1, 10)
    few, many = (
        bc.bayes.hierarchical_ttest(simulate(np.random.default_rng(3), deltas, n=n), rope=0.1) for n in (4, 100)
    )
    few, many = few.datasets_frame(), many.datasets_frame()
    assert np.ptp(few["shrunken"]) / np.ptp(few["mean"]) < np.ptp(many["shrunken"]) / np.ptp(many["mean"])


def test_a_dataset_far_away_lowers_nu_or_raises_sigma(rng):
    """Student effects explain it by heavy tails (and sigma_0 need not grow), normal ones by spread."""
    deltas = rng.normal(0, 0.3, 15)
    found = {
        (prior, far): bc.bayes.hierarchical_ttest(
            simulate(np.random.default_rng(5), [*deltas, far]), rope=0.1, prior=prior
        ).hyperparameters()["mean"]
        for prior in ("corani2017", "gaussian")
        for far in (0.0, 8.0)
    }
    assert found["corani2017", 8.0]["nu"] < 0.6 * found["corani2017", 0.0]["nu"]
    assert found["gaussian", 8.0]["sigma_0"] > 2 * found["gaussian", 0.0]["sigma_0"]


def test_scale_and_shift_of_units(rng):
    """Scores and rope times a power of two: the same answer in other units."""
    pair = simulate(rng, rng.normal(0.2, 0.4, 6))
    big = bc.Scores.from_arrays(
        {"a": pair.scores_a * 64, "b": pair.scores_b},
        resampling=bc.Resampling.custom(0.1),
        datasets=pair.datasets,
        higher_is_better=True,
    ).pair("a", "b")
    one, two = bc.bayes.hierarchical_ttest(pair, rope=0.1), bc.bayes.hierarchical_ttest(big, rope=6.4)
    assert list(two.probabilities.values()) == pytest.approx(list(one.probabilities.values()), abs=1e-9)
    assert two.mean == pytest.approx(64 * one.mean, rel=1e-9)


@pytest.mark.oracle("bayes.hierarchical_ttest", "brute force")
def test_ragged_folds_and_designs(rng):
    import pandas as pd

    rows = []
    for d, (k, delta) in enumerate([(5, 0.2), (10, 0.5), (3, -0.1), (10, 0.3)]):
        for f in range(k):
            rows += [{"dataset": f"d{d}", "fold": f, "a": delta + rng.normal(0, 0.3), "b": 0.0}]
    pair = bc.Scores.from_frame(pd.DataFrame(rows), higher_is_better=True).pair("a", "b")
    p = bc.bayes.hierarchical_ttest(pair, rope=0.1)
    assert p.inference.dfs.tolist() == [3, 8, 1, 8]
    assert p.inference.rho == pytest.approx([0.2, 0.1, 1 / 3, 0.1])
    assert_agrees_with_gibbs(pair, "corani2017", seed=4, draws=8000)


# ---- degenerate data


def test_identical_shift_everywhere_is_certain():
    """Ten datasets all +5 with rope 1: P(A better) is 1 (noise around 0 in place of constant rows would give 0.36)."""
    a = np.full((10, 10), 6.0)
    with pytest.warns(bc.DegenerateWarning):
        p = bc.bayes.hierarchical_ttest(a, a - 5, rope=1, resampling=bc.Resampling.kfold(10))
    assert (p.p_better, p.mean, p.hdi()) == (1, 5, (5, 5))
    assert p.swap().p_worse == 1
    assert (p.p_positive, p.swap().p_positive) == (1, 0)
    assert set(p.mcse.values()) == {0}
    assert list(p.theta_hdi(0.9).values()) == [(1, 1), (0, 0), (0, 0)]
    assert p.hyperparameters().loc["delta_0"].tolist() == [5, 0, 5, 5]
    assert bc.bayes.Posterior.from_dict(json.loads(json.dumps(p.to_dict()))) == p


@pytest.mark.oracle("bayes.hierarchical_ttest bayes.RegionPosterior.hdi", "closed form", "scipy")
def test_constant_rows_that_differ(rng):
    """Every dataset's difference is known exactly: a normal sample of size 12 with Student tails."""
    deltas = rng.normal(0.5, 0.2, 12)
    a = np.repeat(deltas[:, None], 10, axis=1)
    with pytest.warns(bc.DegenerateWarning, match="do not vary at all"):
        p = bc.bayes.hierarchical_ttest(a, 0 * a, rope=0.1, prior="gaussian", resampling=bc.Resampling.kfold(10))
    # uniform sigma_0: delta_0 is Student with n - 2 degrees of freedom
    scale = np.sqrt(((deltas - deltas.mean()) ** 2).sum() / (12 * 10))
    assert p.mean == pytest.approx(deltas.mean(), abs=0.01 * scale)
    assert p.hdi(0.9) == pytest.approx(stats.t(10, deltas.mean(), scale).interval(0.9), abs=0.03 * scale)


def test_some_constant_rows_keep_their_means(rng):
    pair = simulate(rng, [0.5, 0.4, 0.6, 0.5, 0.7, 0.3])
    a = pair.scores_a.copy()
    a[:3] = a[:3].mean(axis=1, keepdims=True)
    with pytest.warns(bc.DegenerateWarning, match="min_sd"):
        p = bc.bayes.hierarchical_ttest(a, 0 * a, rope=0.1, resampling=bc.Resampling.custom(0.1))
    assert p.settings["min_sd"] == pytest.approx(a[3:].std(axis=1, ddof=1).min())
    assert p.datasets_frame()["mean"].to_numpy() == pytest.approx(a.mean(axis=1))
    assert "min_sd_sensitivity() has the answers" in repr(p)
    with pytest.warns(bc.DegenerateWarning):
        other = bc.bayes.hierarchical_ttest(a, 0 * a, rope=0.1, resampling=bc.Resampling.custom(0.1), min_sd=0.5)
    assert other.settings["min_sd"] == 0.5


def test_two_datasets_are_warned_about(rng):
    with pytest.warns(bc.PriorWarning, match="the prior dominates"):
        p = bc.bayes.hierarchical_ttest(simulate(rng, [0.3, 0.5]), rope=0.1)
    assert sum(p.probabilities.values()) == pytest.approx(1)


def test_equal_means_have_a_bound_for_sigma(rng):
    x = rng.normal(0, 1, (4, 10))
    x -= x.mean(axis=1, keepdims=True)
    p = bc.bayes.hierarchical_ttest(x, 0 * x, rope=0.1, resampling=bc.Resampling.kfold(10))
    assert p.inference.prior.sigma_0_max == pytest.approx(1000 * x.std(axis=1, ddof=1).mean())
    assert p.mean == pytest.approx(0, abs=1e-6)


def test_what_is_refused(rng):
    with pytest.raises(bc.ScoresError, match="at least 2 datasets"):
        bc.bayes.hierarchical_ttest(simulate(rng, [0.3]), rope=0.1)
    with pytest.raises(bc.ScoresError, match="at least 3 scores per dataset"):
        bc.bayes.hierarchical_ttest(bc.load_domains().pair("A", "B"), rope=1, resampling=bc.Resampling.custom(0.1))
    with pytest.raises(bc.ResamplingError, match="needs the resampling design of the scores"):
        bc.bayes.hierarchical_ttest(bc.load_domains().pair("A", "B"), rope=1)
    pair = simulate(rng, [0.3, 0.1, 0.2])
    with pytest.raises(ValueError, match="corani2017"):
        bc.bayes.hierarchical_ttest(pair, rope=0.1, prior="jeffreys")
    with pytest.raises(ValueError, match="sigma_0_max"):
        HierarchicalPrior(delta_0_bound=1, sigma_0_max=0, sigma_max=1)
    with pytest.raises(ValueError, match="nu_shape"):
        HierarchicalPrior(delta_0_bound=1, sigma_0_max=1, sigma_max=1, nu_shape=(2, 1))
    with pytest.raises(ValueError, match=r"`draws`: only for engine=\"nuts\", got engine=\"collapsed\""):
        bc.bayes.hierarchical_ttest(pair, rope=0.1, draws=100)


# ---- the result


def test_result_is_a_value_that_survives_json(rng):
    p = bc.bayes.hierarchical_ttest(UCI.pair("rf", "svm"), rope=0.01)
    again = bc.bayes.Posterior.from_dict(json.loads(json.dumps(p.to_dict(), allow_nan=False)))
    assert again == p
    assert again.with_rope(0.02).probabilities == p.with_rope(0.02).probabilities
    assert again.datasets_frame().equals(p.datasets_frame())
    assert p.swap().probabilities == p.probabilities
    assert list(bc.bayes.hierarchical_ttest(UCI.pair("svm", "rf"), rope=0.01).probabilities.values()) == pytest.approx(
        list(p.swap().probabilities.values()), abs=1e-3
    )
    assert 0 < p.numerical_error < 0.01


def test_draws_are_the_posterior(rng):
    p = bc.bayes.hierarchical_ttest(UCI.pair("rf", "svm"), rope=0.01)
    theta = p.draws(20_000, random_seed=1)
    assert wins(theta).mean(axis=0) == pytest.approx(list(p.probabilities.values()), abs=0.02)
    assert theta.mean(axis=0) == pytest.approx(list(p.expected.values()), abs=0.01)
    low, high = p.hdi(0.9)
    delta = p.inference.hyper_draws(20_000, 2)[0]
    assert np.mean((delta >= low) & (delta <= high)) == pytest.approx(0.9, abs=0.01)
    nu = p.inference.hyper_draws(20_000, 3)[2]
    row = p.hyperparameters(0.9).loc["nu"]
    assert np.mean((nu >= row["hdi_low"]) & (nu <= row["hdi_high"])) == pytest.approx(0.9, abs=0.03)


def test_rope_curve_prior_sensitivity_and_check():
    p = bc.bayes.hierarchical_ttest(UCI.pair("rf", "svm"), rope=0.01)
    curve = p.rope_curve([0, 0.005, 0.01, 0.05])
    assert curve["expected_equivalent"].is_monotonic_increasing
    assert curve["p_better"][0] == pytest.approx(p.p_positive)
    assert set(p.prior_sensitivity()["prior"]) == {"this result", *PRESETS} - {"corani2017"}
    check = p.predictive_check()
    assert check["tail_probability"].between(0.01, 0.99).all()
    outlier = bc.bayes.hierarchical_ttest(
        simulate(np.random.default_rng(1), [0.0] * 14 + [40.0]), rope=0.1, prior="gaussian"
    ).predictive_check()
    assert outlier.loc["largest", "tail_probability"] < 0.2


def test_ropes_for_each_dataset(rng):
    pair = simulate(rng, [0.3, 0.6, 0.4])
    same = bc.bayes.hierarchical_ttest(pair, rope=dict.fromkeys(pair.datasets, 0.2))
    plain = bc.bayes.hierarchical_ttest(pair, rope=0.2)
    assert list(same.probabilities.values()) == pytest.approx(list(plain.probabilities.values()), abs=1e-6)
    assert "difference in ropes" in repr(same)


@pytest.mark.oracle("bayes.HierarchicalPrior.log_density", "simulation")
@pytest.mark.parametrize("name", [n for n in PRESETS if n != "gaussian"])
def test_prior_of_nu_integrates_shape_and_rate(name):
    """The closed form against draws of (shape, rate, nu)."""
    prior = HierarchicalPrior(delta_0_bound=1, sigma_0_max=1, sigma_max=1, **PRESETS[name])
    rng = np.random.default_rng(0)
    g = rng.gamma(rng.uniform(*prior.nu_shape, 200_000), 1 / rng.uniform(*prior.nu_rate, 200_000))
    w = np.linspace(-25, 12, 8001)
    density = np.exp(prior.log_density(w))
    cdf = np.cumsum(density) / density.sum()
    assert density.sum() * (w[1] - w[0]) == pytest.approx(1, abs=1e-6)
    assert stats.kstest(np.log(g), lambda x: np.interp(x, w, cdf)).pvalue > 0.001


def study_of_any_size(seed, count=20):
    """From 5 to 120 datasets and 3 to 100 folds, every third study ragged; from equal models to large differences."""
    rng, folds = np.random.default_rng(seed), (3, 5, 10, 30, 100)
    m = int(np.round(5 * 24 ** (seed / (count - 1))))
    n = rng.choice(folds, m) if seed % 3 == 0 else np.full(m, folds[seed % 5])
    spread, mean = rng.choice([0.0, 0.3, 1.0, 3.0]), rng.choice([0.0, 0.5, 2.0])
    deltas = 0.01 * (mean + spread * rng.standard_t(rng.choice([2, 4, 30]), m))
    sd, rho = 0.03 * np.exp(0.5 * rng.standard_normal(m)), 0.1
    x = [
        d + s * (np.sqrt(rho) * rng.standard_normal() + np.sqrt(1 - rho) * rng.standard_normal(k))
        for d, s, k in zip(deltas, sd, n, strict=True)
    ]
    means, sds = np.array([y.mean() for y in x]), np.array([y.std(ddof=1) for y in x])
    largest = max(float(np.abs(y).max()) for y in x)
    prior = HierarchicalPrior.resolve("corani2017", means, sds, largest)
    names = tuple(f"d{i}" for i in range(m))
    return HierarchicalInference(names, means, sds, n.astype(float), np.full(m, rho), 0.0, prior, largest)


@pytest.mark.oracle(
    "bayes.hierarchical_ttest bayes.RegionPosterior.numerical_error bayes.RegionPosterior.expected", "brute force"
)
@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[] if seed in (1, 2) else pytest.mark.slow) for seed in range(20)]
)
def test_error_against_a_finer_grid_of_another_kind(seed):
    """At most 1e-4 off, or it says so; and the estimate is never far below the truth (`fine_grid`, Gauss-Legendre)."""
    inference = study_of_any_size(seed)
    ropes = [Rope(0, 0), Rope(-0.01, 0.01)]
    finer = fine_grid(inference, ropes)
    for rope, found in zip(ropes, inference.summaries(ropes), strict=True):
        winner, shares = finer[rope]
        error = max(np.abs(winner - found.probabilities).max(), np.abs(shares - found.expected).max())
        assert error <= max(1e-4, found.numerical_error)
        assert error <= 3 * found.numerical_error
        assert found.numerical_error <= 1e-3


@pytest.mark.oracle("bayes.hierarchical_ttest bayes.RegionPosterior.numerical_error", "brute force")
@pytest.mark.filterwarnings("ignore::bayescmp.DegenerateWarning")
@pytest.mark.parametrize(("a", "b", "half"), [("lr", "rf", 0.05), ("tree", "tree_pruned", 0)])
def test_stated_error_where_rows_are_sharp_or_the_rope_is_wide(a, b, half):
    """Bundled pairs on which the rope's border meets rows of few points, or only their tails (`fine_grid`)."""
    found = bc.bayes.hierarchical_ttest(bc.load_uci().pair(a, b), rope=half)
    winner, shares = fine_grid(found.inference, [found.rope], n_delta=144)[found.rope]
    error = max(np.abs(winner - found.three).max(), np.abs(shares - list(found.expected.values())).max())
    assert error <= 1.5 * found.numerical_error <= 3e-4


@pytest.mark.oracle("bayes.hierarchical_ttest bayes.RegionPosterior.numerical_error", "brute force")
@pytest.mark.parametrize("sd", [1e-3, 1e-5, 1e-8])
def test_one_dataset_far_sharper_than_the_others_by_brute_force(sd):
    """Its peak is between the points of an ordinary grid, which was 7e-4 off here and said 7e-5.

    sigma_0 and delta_0 by Gauss-Legendre on panels around each dataset and all borders; the convolutions by the
    trapezoidal rule in the normal deviation or in the other one, whichever is smooth.
    """
    means = np.array([0.0204, 0.0106, -0.0221, 0.0221, 0.0129])
    sds, half = np.array([sd, 0.0267, 0.024, 0.0232, 0.0203]), 0.01
    shape = np.linspace(-1, 1, 10)
    d = means[:, None] + sds[:, None] * shape / shape.std(ddof=1)
    design = bc.Resampling.custom(0.1)
    found = bc.bayes.hierarchical_ttest(d, 0 * d, rope=half, prior="gaussian", resampling=design)
    x = found.inference
    df, far = float(x.dfs[0]), x.prior.delta_0_bound
    y, u = np.linspace(-9, 9, 121), np.linspace(-9, 9, 181)
    of_y, of_u = stats.norm.pdf(y) * (y[1] - y[0]), stats.t.pdf(np.sinh(u), df) * np.cosh(u) * (u[1] - u[0])
    critical = np.log(half / stats.norm.ppf(2 / 3))
    root = gauss(0, np.sqrt(critical - np.log(x.scales.min()) + 6), 8, 12)
    above = gauss(critical, np.log(x.prior.sigma_0_max), 8, 12)
    log_sigmas, weights = np.concatenate([[critical - root[0] ** 2, 2 * root[0] * root[1]], above], axis=1)
    steps = np.concatenate([-(1.7 ** np.arange(14, -2, -1)), [0], 1.7 ** np.arange(-1, 15)])
    winner, shares = np.zeros((2, 3))
    for log_sigma, weight in zip(log_sigmas, weights, strict=True):
        sigma = np.exp(log_sigma)
        c = border(np.inf, sigma, half)
        around = means[:, None] + np.hypot(x.scales, sigma)[:, None] * steps
        edges = np.unique(np.concatenate([around[np.abs(around) < far], [-far, far, -half, half, -c, c]]))
        at, size = (np.ravel(z) for z in _panels(edges))
        log_f = np.full(at.size, log_sigma)
        for mean, scale in zip(means, x.scales, strict=True):
            z, r = (at - mean) / scale, sigma / scale
            if r < 1:
                parts = stats.t.pdf(z[:, None] - r * y, df) @ of_y
            else:
                parts = stats.norm.pdf((z[:, None] - np.sinh(u)) / r) @ of_u / r
            log_f += np.log(np.maximum(parts, 1e-300))
        f = np.exp(log_f) * size * weight
        better, worse = stats.norm.cdf((at - half) / sigma), stats.norm.cdf((-half - at) / sigma)
        shares += f @ better, f @ (1 - better - worse), f @ worse
        winner += f[at > c].sum(), f[np.abs(at) < c].sum(), f[at < -c].sum()
    differences = winner / winner.sum() - found.three, shares / shares.sum() - list(found.expected.values())
    error = np.abs(differences).max()
    assert error <= 1.5 * found.numerical_error <= 2e-4


def _panels(edges, n=6):
    x, w = np.polynomial.legendre.leggauss(n)
    half = np.diff(edges)[:, None] / 2
    return edges[:-1, None] + half * (x + 1), half * w


@pytest.mark.parametrize(
    ("seed", "prior", "scale"), [(53, "gaussian", 0.03), (51, "corani2017", 0.03), (55, "corani2017", 0.01)]
)
def test_stated_error_where_one_dataset_is_far_sharper_than_the_others(seed, prior, scale, monkeypatch):
    """Its peak lies between the points of a grid, and on many more points it does not: 2e-4 to 3e-3 off, said 1e-4."""
    rng = np.random.default_rng(seed)
    count, folds = int(rng.integers(4, 9)), int(rng.choice([5, 10, 100]))
    sds = 0.02 * np.exp(0.3 * rng.normal(size=count))
    means = 0.01 * rng.normal(size=count)
    sds[0], means[0] = scale * sds[0], scale * means[0]
    shape = np.linspace(-1, 1, folds)
    d = means[:, None] + sds[:, None] * shape / shape.std(ddof=1)
    answer = partial(bc.bayes.hierarchical_ttest, d, 0 * d, rope=0, prior=prior, resampling=bc.Resampling.custom(0.1))
    few = answer()
    monkeypatch.setattr("bayescmp.bayes.hierarchical.quadrature.NODES_DELTA", 641)
    many = answer()
    error = max(np.abs(np.subtract(few.three, many.three)).max(), np.abs(few.mean_three[0] - many.mean_three[0]))
    assert error <= few.numerical_error + many.numerical_error


def test_coarser_grids_take_no_theta_that_was_not_computed():
    """One dataset a million times as wide as the others: no division by 0 where the error is estimated."""
    shape = np.linspace(-1, 1, 100)
    means = np.array([9.18480813e5, -0.968596549, -0.312156383, -1.37129617])
    sds = np.array([4.6752479e6, 3.01714767, 4.68829461, 6.73527423])
    d = means[:, None] + sds[:, None] * shape / shape.std(ddof=1)
    design = bc.Resampling.custom(0.3)
    found = bc.bayes.hierarchical_ttest(d, 0 * d, rope=2.3e-8, prior="kruschke", resampling=design)
    assert math.isfinite(found.numerical_error)


@pytest.mark.filterwarnings("ignore::bayescmp.DegenerateWarning")
def test_only_the_direction_that_needs_it_is_refined():
    """The error of a grid that is coarser in one direction is found in that direction, and goes with its points."""
    inference = study_of_any_size(2)
    h, rope = inference.hyper, Rope(-0.01, 0.01)
    fine = np.array(answers(h, rope)[2])
    for axis in range(3):
        coarse = h.every(2, axis)
        growth = np.array(answers(coarse, rope)[2]) / fine
        assert growth[axis] > 5
        assert np.delete(growth, axis) == pytest.approx([1, 1], abs=0.3)
        again = refined(coarse, inference._log_density, axis)
        some = [slice(size) for size in again.density.shape]  # a last point that has no partner is left out
        assert again.density == pytest.approx(h.density[tuple(some)], rel=1e-9)
        for name, places in zip(("nu", "x", "t"), some, strict=True):
            assert getattr(again, name) == pytest.approx(getattr(h, name)[places])


# ---- hard data


def exact_study(means, sd, n=10, seed=0):
    """Differences with exactly these means and this standard deviation on every dataset."""
    x = np.random.default_rng(seed).normal(size=(len(means), n))
    x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, ddof=1, keepdims=True)
    return np.asarray(means)[:, None] + sd * x


def hierarchical(differences, rope=0.01, **options):
    design = bc.Resampling.kfold(differences.shape[1])
    return bc.bayes.hierarchical_ttest(differences, 0 * differences, rope=rope, resampling=design, **options)


SIX = [0.01, 0.02, -0.01, 0.03, 0.0, 0.015]


@pytest.mark.oracle(
    "bayes.hierarchical_ttest bayes.HierarchicalPosterior.p_positive bayes.RegionPosterior.hdi",
    "closed form",
    "scipy",
)
@pytest.mark.parametrize("sd", [1e-5, 1e-7, 1e-9, 1e-12])
def test_well_known_datasets_have_a_limit(sd):
    """sd -> 0 with normal effects: delta_0 is Student with n - 2 degrees of freedom around the mean, exactly."""
    wide = HierarchicalPrior(delta_0_bound=1, sigma_0_max=100, sigma_max=1, gaussian=True)
    p = hierarchical(exact_study(SIX, sd), prior=wide)
    z = np.array(SIX)
    t = stats.t(4, z.mean(), np.sqrt(((z - z.mean()) ** 2).sum() / (6 * 4)))
    assert p.p_positive == pytest.approx(t.sf(0), abs=3e-3)
    assert p.hdi(0.8) == pytest.approx(t.interval(0.8), abs=2e-4)


@pytest.mark.parametrize("far", [1.0, *(pytest.param(far, marks=pytest.mark.slow) for far in (50.0, 1e6))])
def test_one_dataset_far_away(far):
    """The grid resolves the bulk and reaches the outlier: real error below the reported one, and the bulk decides."""
    p = hierarchical(exact_study([0.01, 0.02, -0.01, 0.0, 0.01, 0.02, far], 0.01))
    h = p.inference.hyper
    for axis in (0, 1, 1, 2, 2):
        h = refined(h, p.inference._log_density, axis)
    assert np.abs(np.subtract(list(p.probabilities.values()), answers(h, p.rope)[0])).max() < max(
        p.numerical_error, 1e-4
    )
    assert p.p_better > 0.6
    frame = p.datasets_frame()
    assert frame["shrunken"].iloc[-1] == pytest.approx(far, rel=0.05), "heavy tails leave it alone"


@pytest.mark.oracle("bayes.HierarchicalPosterior.min_sd_sensitivity", "brute force")
@pytest.mark.parametrize("prior", ["corani2017", "gaussian"])
def test_sensitivity_to_min_sd_is_that_of_separate_runs(prior, rng):
    """Half and twice the assumed standard deviation, with the rope of the result."""
    x = rng.normal(0.1, 0.2, (6, 5))
    x[:2] = 0.3
    with pytest.warns(bc.DegenerateWarning):
        p = hierarchical(x, rope=0.15, prior=prior)
    frame = p.min_sd_sensitivity()
    sd = p.settings["min_sd"]
    assert frame.index.tolist() == [sd / 2, sd, 2 * sd]
    for min_sd in frame.index:
        with pytest.warns(bc.DegenerateWarning):
            other = hierarchical(x, rope=0.15, prior=prior, min_sd=min_sd)
        row = frame.loc[min_sd]
        assert (row.p_better, row.p_equivalent, row.p_worse) == (other.p_better, other.p_equivalent, other.p_worse)
    own = p.settings["prior"]
    with pytest.warns(bc.DegenerateWarning):
        p = hierarchical(x, rope=0.15, prior=replace(own, name="custom"))
    assert p.min_sd_sensitivity().p_better.tolist() == pytest.approx(frame.p_better.tolist(), abs=1e-9)
    with pytest.raises(ValueError, match="vary on every dataset"):
        hierarchical(x[2:]).min_sd_sensitivity()


def test_min_sd_is_for_datasets_that_do_not_vary():
    x = exact_study(SIX, 0.008)
    x[0] = x[0].mean()
    with pytest.warns(bc.DegenerateWarning):
        p = hierarchical(x, min_sd=0.1)
    assert p.inference.filled_sds == pytest.approx([0.1, *[0.008] * 5])
    for bad in (0, -1, np.nan, np.inf, "a"):
        with pytest.raises(ValueError, match="min_sd"):
            hierarchical(x, min_sd=bad)


def test_point_result_refuses_what_it_has_not():
    with pytest.warns(bc.DegenerateWarning, match="the same number"):
        p = hierarchical(np.full((4, 10), 0.01))
    for method in (p.datasets_frame, p.predictive_check):
        with pytest.raises(ValueError, match="nothing to shrink"):
            method()
    assert p.hyperparameters().loc["delta_0", "mean"] == 0.01


@pytest.mark.oracle("bayes.hierarchical_ttest", "brute force")
@pytest.mark.filterwarnings("ignore::bayescmp.ConvergenceWarning")  # so tight a bound is hard, and said to be
def test_prior_sensitivity_of_a_custom_prior_shows_the_presets():
    x = exact_study(SIX, 0.01)
    own = HierarchicalPrior(delta_0_bound=0.001, sigma_0_max=1, sigma_max=1)
    p = hierarchical(x, prior=own)
    d0, s0, nu = gibbs(p.inference, np.random.default_rng(1), 4000).T
    theta = np.stack([stats.t.sf((0.01 - d0) / s0, nu), np.zeros_like(d0), stats.t.cdf((-0.01 - d0) / s0, nu)], axis=1)
    theta[:, 1] = 1 - theta[:, 0] - theta[:, 2]
    for ours, theirs in zip(p.probabilities.values(), wins(theta).T, strict=True):
        assert ours == pytest.approx(theirs.mean(), abs=0.005 + 5 * batch_error(theirs))
    row = p.prior_sensitivity().set_index("prior").loc["corani2017"]
    assert row["p_better"] == pytest.approx(hierarchical(x).p_better, abs=1e-12)


def test_a_quadrature_that_did_not_converge_is_on_the_first_line():
    p = hierarchical(exact_study(SIX, 0.01))
    p = p.answered([replace(p._summary(), numerical_error=0.05)])
    assert repr(p).startswith("NOT CONVERGED: quadrature error about 0.05")


def test_replacing_the_inference_leaves_the_original_alone():
    from dataclasses import replace

    p = hierarchical(exact_study(SIX, 0.01))
    q = replace(p, inference=p.inference.swap())
    assert q.p_better == pytest.approx(p.p_worse, abs=1e-3)
    assert p.p_better > p.p_worse


def test_narrow_prior_of_nu():
    """nu = 31 or nearly: the same as a Student t that is almost normal."""
    tight = HierarchicalPrior(
        delta_0_bound=0.03, sigma_0_max=1, sigma_max=10, nu_shift=30, nu_shape=(1e6, 1e6), nu_rate=(1e6, 1e6)
    )
    p = hierarchical(exact_study(SIX, 0.01), prior=tight)
    assert p.hyperparameters().loc["nu", "mean"] == pytest.approx(31, abs=0.01)


def test_numpy_scalars_become_json():
    own = HierarchicalPrior(delta_0_bound=np.float32(0.5), sigma_0_max=np.float32(1), sigma_max=np.float64(1))
    p = hierarchical(exact_study(SIX, 0.01), prior=own, rope=np.float32(0.01))
    assert bc.bayes.Posterior.from_dict(json.loads(json.dumps(p.to_dict()))) == p
    q = bc.bayes.signed_rank_test(SIX, [0.0] * 6, rope=0.01, random_seed=np.int64(3), prior=np.float32(0.5), draws=100)
    assert bc.bayes.Posterior.from_dict(json.loads(json.dumps(q.to_dict()))) == q


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda p: p.hyperparameters(95), "mass"),
        (lambda p: hierarchical(exact_study(SIX, 0.01), prior={"a": 1}), "prior"),
        (lambda p: bc.bayes.signed_rank_test(SIX, [0.0] * 6, rope=0, random_seed=-1), "random_seed"),
        (lambda p: bc.bayes.signed_rank_test(SIX, [0.0] * 6, rope=0, draws=1e4), "draws"),
    ],
)
def test_bad_arguments_are_named(call, word):
    p = hierarchical(exact_study(SIX, 0.01))
    with pytest.raises(ValueError, match=word):
        call(p)


@pytest.mark.parametrize("times", [1e40, 1e-200])
def test_a_dataset_beyond_all_others_is_refused(rng, times):
    """At 1e40 times the others the integral was wrong without a word; at 1e-200 times squares overflowed."""
    x = rng.normal(0.3, 1.0, (4, 5))
    x[3] *= times
    with pytest.raises(bc.ScoresError, match=r'"dataset 4".*diverge'):
        bc.bayes.hierarchical_ttest(x, np.zeros_like(x), rope=0.1, resampling=bc.Resampling.custom(0.25))


def test_a_dataset_far_from_the_others_is_not(rng):
    """A narrow dataset and a wide one, within what the integral holds."""
    x = rng.normal(0.3, 1.0, (4, 5)) * np.array([1.0, 1.0, 1e-90, 10.0])[:, None]
    p = bc.bayes.hierarchical_ttest(
        x, np.zeros_like(x), rope=0.1, prior="gaussian", resampling=bc.Resampling.custom(0.25)
    )
    assert sum(p.three) == pytest.approx(1, abs=1e-9)
