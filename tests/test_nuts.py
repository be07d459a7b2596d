"""The PyMC model and NUTS against the closed form, and what a bad run looks like."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import bayescmp as bc
from bayescmp import _compat
from bayescmp.bayes import Diagnostics, Posterior
from bayescmp.bayes.nuts import share_mcse
from bayescmp.numerics.chains import ess, r_hat

FAST = {"chains": 2, "cores": 1, "progressbar": False}


@pytest.fixture(scope="module")
def sampled():
    pair = bc.load_labour().pair("SVM", "DT")
    return bc.bayes.correlated_ttest(pair, rope=0.01, engine="nuts", random_seed=11, draws=2000, **FAST)


@pytest.mark.oracle("bayes.correlated_ttest", "PyMC")
def test_nuts_agrees_with_the_closed_form(sampled, labour):
    """Every probability within four Monte-Carlo errors; mean and HDI within theirs."""
    exact = bc.bayes.correlated_ttest(labour, rope=0.01)
    for name, p in exact.probabilities.items():
        assert sampled.probabilities[name] == pytest.approx(p, abs=4 * sampled.mcse[name])
        assert 0 < sampled.mcse[name] < 0.02
    sd = exact.distribution.scale
    assert sampled.mean == pytest.approx(exact.mean, abs=4 * sd / np.sqrt(1000))
    assert sampled.hdi(0.8) == pytest.approx(exact.hdi(0.8), abs=0.15 * sd)


@pytest.mark.oracle("bayes.pymc_model", "scipy")
def test_model_density_is_the_multivariate_normal(labour):
    """The model's log density equals the MVN likelihood times 1/sigma up to a constant, at random points."""
    from scipy.stats import multivariate_normal

    model = bc.bayes.pymc_model("correlated_ttest", labour)
    logp = model.compile_logp()
    d, rho = labour.differences[0], labour.resampling[0].rho
    n, mean, sd = d.size, d.mean(), d.std(ddof=1)
    rng = np.random.default_rng(5)
    gaps = []
    for _ in range(8):
        point = {"centred": np.array(rng.normal(0, 0.5)), "log_sigma": np.array(rng.normal(0, 0.3))}
        mu, sigma = mean + sd * point["centred"], sd * np.exp(point["log_sigma"])
        cov = sigma**2 * ((1 - rho) * np.eye(n) + rho)
        # in log sigma the prior 1/sigma is flat
        gaps.append(logp(point) - multivariate_normal(np.full(n, mu), cov).logpdf(d))
    assert np.ptp(gaps) < 1e-9


@pytest.mark.oracle("bayes.pymc_model", "scipy")
def test_models_of_the_region_tests_are_dirichlet():
    """Their log densities are those of the Dirichlet posterior up to a constant, at random points."""
    from scipy.stats import dirichlet

    pair = bc.load_domains().pair("A", "C")
    counts = bc.bayes.sign_test(pair, rope=0.5).inference.counts(bc.Rope.of(0.5))
    rng = np.random.default_rng(5)
    for name, alpha, weights in (
        ("sign_test", counts + np.eye(3)[1], "some"),
        ("signed_rank_test", np.append(np.ones(10), 0.5), "weights"),
    ):
        model = bc.bayes.pymc_model(name, pair, rope=0.5)
        alive = alpha[alpha > 0]
        logp = model.compile_fn(model.logp(jacobian=False), mode="FAST_COMPILE")
        gaps = []
        for point in rng.dirichlet(np.ones(alive.size), 8):
            logs = np.log(point)
            free = (logs - logs.mean())[:-1]  # as PyMC maps the simplex to the plane
            gaps.append(logp({f"{weights}_simplex__": free}) - dirichlet(alive).logpdf(point))
        assert np.ptp(gaps) < 1e-9


def test_sampled_regions_count_what_was_drawn():
    """Thetas of known draws: shares, HDI and mirror by counting, and no answer for what was not drawn."""
    from bayescmp.bayes.regions import SampledRegions

    rng = np.random.default_rng(3)
    chains = rng.dirichlet([4.0, 2.0, 1.0], (2, 500))
    inference, rope = SampledRegions(chains, (-0.01, 0.01)), bc.Rope.of(0.01)
    summary = inference.summaries([rope])[0]
    best = chains.reshape(-1, 3).argmax(axis=1)
    assert summary.probabilities == pytest.approx([np.mean(best == i) for i in range(3)])
    assert inference.swap().summaries([rope])[0].probabilities == pytest.approx(summary.probabilities[::-1])
    assert inference.theta_hdi(rope, 0.9)[0] == bc.bayes.hdi(chains[..., 0].ravel(), 0.9)
    drawn = {tuple(theta) for theta in chains.reshape(-1, 3)}
    assert {tuple(theta) for theta in inference.thetas(1000, rope, 1)} == drawn
    assert {tuple(theta) for theta in inference.thetas(2000, rope, 1)} <= drawn
    assert inference.mean is None
    assert inference.other_priors() == ()
    with pytest.raises(ValueError, match="drew theta for the rope"):
        inference.summaries([bc.Rope.of(0.02)])
    with pytest.raises(ValueError, match="no HDI of the difference"):
        inference.hdi(0.9)


def test_draws_seed_and_diagnostics_travel_with_the_result(sampled):
    assert sampled.random_seed == 11
    assert sampled.diagnostics.problems == ()
    assert sampled.diagnostics.divergences == 0
    assert "NOT CONVERGED" not in repr(sampled)
    again = Posterior.from_dict(json.loads(json.dumps(sampled.to_dict())))
    assert again == sampled
    assert again.with_rope(0.05).p_better == sampled.with_rope(0.05).p_better
    data = sampled.to_arviz()
    assert {"difference", "sigma"} <= set(_compat.group(data, "posterior").data_vars)


def test_seed_is_drawn_and_recorded(labour):
    with pytest.warns(bc.ConvergenceWarning):
        p = bc.bayes.correlated_ttest(labour, rope=0.01, engine="nuts", draws=50, tune=50, **FAST)
    assert isinstance(p.random_seed, int)


def test_bad_run_is_warned_about_and_on_the_first_line(labour):
    with pytest.warns(bc.ConvergenceWarning, match="effective sample size"):
        p = bc.bayes.correlated_ttest(labour, rope=0.01, engine="nuts", random_seed=1, draws=30, tune=100, **FAST)
    assert repr(p).splitlines()[0].startswith("NOT CONVERGED: ")


def test_diagnostics_name_every_problem():
    bad = Diagnostics(r_hat=1.2, ess_bulk=900, ess_tail=20, divergences=3, bfmi=0.1, chains=4, draws=1000)
    assert [word for word in ("r_hat", "effective", "divergences", "BFMI") if word in " ".join(bad.problems)] == [
        "r_hat",
        "effective",
        "divergences",
        "BFMI",
    ]
    unknown = Diagnostics(r_hat=float("nan"), ess_bulk=900, ess_tail=900, divergences=0, bfmi=1, chains=1, draws=9)
    assert unknown.problems, "an r_hat that could not be computed is no good sign"


@pytest.mark.oracle("bayes.DifferencePosterior.mcse", "closed form")
def test_share_mcse_of_independent_draws():
    """Closed form: sqrt(p (1 - p) / n) for independent draws; and never 0."""
    hits = np.random.default_rng(0).random((4, 5000)) < 0.3
    assert share_mcse(hits) == pytest.approx(np.sqrt(0.3 * 0.7 / 20_000), rel=0.1)
    assert 0 < share_mcse(np.ones((4, 1000), dtype=bool)) < 0.001


def test_exact_engine_takes_no_sampler_options(labour):
    with pytest.raises(ValueError, match="`draws`: only for engine"):
        bc.bayes.correlated_ttest(labour, rope=0.01, draws=100)
    with pytest.raises(ValueError, match="engine"):
        bc.bayes.correlated_ttest(labour, rope=0.01, engine="stan")
    with pytest.raises(ValueError, match="correlated_ttest"):
        bc.bayes.pymc_model("correlated_x", labour)


def test_nuts_refuses_what_has_no_density():
    resampling = bc.Resampling.kfold(2)
    with pytest.warns(bc.DegenerateWarning), pytest.raises(bc.ScoresError, match="no density"):
        bc.bayes.correlated_ttest([0.5, 0.6], [0.4, 0.5], rope=0, resampling=resampling, engine="nuts", **FAST)


def test_exact_result_as_arviz_and_back_from_netcdf(labour, tmp_path):
    p = bc.bayes.correlated_ttest(labour, rope=0.01)
    data = p.to_arviz(draws=500, random_seed=4)
    _compat.save(data, tmp_path / "posterior.nc")
    loaded = _compat.group(_compat.load(tmp_path / "posterior.nc"), "posterior")["difference"].values
    assert np.array_equal(loaded[0], p.draws(500, random_seed=4))


def test_r_hat_and_ess_of_known_chains():
    """Independent chains: R-hat near 1, ess near the number of draws; two stuck chains: R-hat far above."""
    x = np.random.default_rng(2).standard_normal((4, 1000))
    assert r_hat(x) == pytest.approx(1, abs=0.01)
    assert ess(x) == pytest.approx(4000, rel=0.2)
    assert r_hat(x + np.arange(4)[:, None] * 3) > 1.5


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.95, -0.6])
@pytest.mark.parametrize("shape", [(4, 1000), (2, 101), (3, 50), (8, 20)])
def test_r_hat_and_ess_are_those_of_arviz(memory, shape):
    """Autoregressive chains, some with ties, one stuck; several variables give the worst of them."""
    az, rng = _compat.import_arviz(), np.random.default_rng(3)
    x = rng.standard_normal(shape)
    for t in range(1, shape[1]):
        x[:, t] += memory * x[:, t - 1]
    for y in (x, np.round(x, 1), x + 2 * np.arange(shape[0])[:, None]):
        assert r_hat(y) == pytest.approx(float(az.rhat(y)))
        for method, options in (("bulk", {}), ("mean", {}), ("tail", {"prob": (0.05, 0.95)})):
            assert ess(y, method) == pytest.approx(float(az.ess(y, method=method, **options)))
    both = np.stack([x, x[::-1, ::-1] + x], axis=2)
    assert ess(both) == min(ess(both[..., 0]), ess(both[..., 1]))
    assert r_hat(both) == max(r_hat(both[..., 0]), r_hat(both[..., 1]))


def test_arviz_comes_in_without_a_cache_folder(tmp_path):
    """ArviZ 0.23 writes a stamp into the user's cache folder when imported, and fails where it cannot."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    code = "from bayescmp import _compat; print(_compat.import_arviz().__name__)"
    env = os.environ | {"XDG_CACHE_HOME": str(blocked / "cache"), "MPLCONFIGDIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-W", "error::FutureWarning", "-c", code], env=env, capture_output=True, text=True, check=False
    )
    assert run.stdout.strip() == "arviz", run.stderr
