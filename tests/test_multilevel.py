"""The multilevel model: density, closed form, the hierarchical test of two models, symmetries, truth, bad input."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayes import MultilevelPosterior, MultilevelPrior
from bayescmp.bayes.multilevel.data import _contrasts, prepare
from bayescmp.bayes.multilevel.joint import _unlike
from bayescmp.bayes.multilevel.model import draw_between, pymc_multilevel, thetas

UCI = bc.load_uci()
FAST = {"chains": 2, "cores": 1, "progressbar": False}


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


def mc_error(x):
    """The Monte-Carlo standard error of the mean of chains x draws, from 20 batches a chain."""
    means = x[:, : x.shape[1] // 20 * 20].reshape(len(x) * 20, -1).mean(axis=1)
    return means.std(ddof=1) / np.sqrt(means.size)


# ---- the density, against scipy


def log_inverse_wishart_evidence(rows, df, target):
    """log p(rows) for rows ~ N(0, C), C ~ IW(df + m - 1, df target I): prior x likelihood / posterior at one C."""
    m = rows.shape[1]
    scale, nu = df * target * np.eye(m), df + m - 1
    c = target * np.diag(np.arange(1, m + 1.0)) + 0.1 * target
    likelihood = stats.multivariate_normal(np.zeros(m), c).logpdf(rows).sum()
    after = stats.invwishart(nu + len(rows), scale + rows.T @ rows)
    return stats.invwishart(nu, scale).logpdf(c) + likelihood - after.logpdf(c)


def log_density(scores, theta, mu, tau, omega, df_between, df_within, sds, data):
    """The joint density in contrasts, fold by fold and uncollapsed; theta and mu in units of the scores."""
    q = _contrasts(len(scores.models))
    total = log_inverse_wishart_evidence(theta - mu, df_between, tau**2)
    total += stats.multivariate_normal(np.zeros(mu.size), omega**2 * np.eye(mu.size)).logpdf(mu)
    total += stats.t(4, scale=data.prior.effects_scale).logpdf(omega)
    total += sum(stats.gamma(2, loc=2, scale=10).logpdf(df) for df in (df_between, df_within))
    rho = scores.resampling[0].rho
    for d in range(len(scores.datasets)):
        z = scores.values[:, d].T @ q - theta[d]  # folds x contrasts
        n = len(z)
        # whiten the folds: n independent rows with covariance (1 - rho) Sigma, as in the model's definition of Sigma
        whole = np.linalg.cholesky((np.eye(n) * (1 - rho) + rho) / (1 - rho))
        total += log_inverse_wishart_evidence(np.linalg.solve(whole, z), df_within, sds[d] ** 2)
    return total


@pytest.mark.oracle("bayes.multilevel bayes.pymc_model", "scipy")
@pytest.mark.parametrize("n", [3, 12])
def test_density_is_that_of_folds_and_covariances_integrated_out(rng, n):
    """Up to a constant: the density of every fold's scores, by scipy's inverse Wishart; also with few folds."""
    scores, _ = simulate(rng, [0, 0.5, 1, -1], 5, n)
    data, _ = prepare(scores, "pooled")
    model = pymc_multilevel(data)
    logp = model.compile_logp(jacobian=False)
    names = [v.name for v in model.deterministics]
    values = model.compile_fn(
        model.replace_rvs_by_values(model.deterministics), inputs=model.value_vars, on_unused_input="ignore"
    )
    gaps = []
    for _ in range(6):
        point = {
            name: np.asarray(x + 0.3 * rng.standard_normal(np.shape(x)))
            for name, x in model.initial_point(random_seed=1).items()
        }
        draws = {name: np.asarray(x)[None] for name, x in zip(names, values(point), strict=True)}
        mu = draws["effect"][0] @ data.basis
        theta = thetas(data, draws)[0]
        guess = data.roots.sum(axis=1) / (data.seen.sum(axis=1) * (data.counts - 1))
        sds = data.unit * np.sqrt(guess) * np.exp(point["raw_sd"] / np.sqrt(3))
        ours = float(logp(point))
        theirs = log_density(
            scores, theta, mu, *(float(draws[x][0]) for x in ("tau", "omega", "df_between", "df_within")), sds, data
        )
        # what changes of variables add: raw_theta, raw_effects, log sds, log tau, and the auxiliary scale
        log_scale = point["raw_log_scale"] / np.sqrt(15)
        scale = np.exp(log_scale)
        eigenvalues, noise = np.linalg.eigvalsh(data.shape), data.start[3]
        omega2 = (float(draws["omega"][0]) / data.unit) ** 2
        variance = (scale**2 * eigenvalues + noise) / 5
        jacobian = 0.5 * np.log(omega2 * variance / (omega2 + variance)).sum()
        spread = scale**2 * data.axis_shape
        jacobian += 0.5 * np.log(spread / (1 + data.precision * spread)).sum()
        jacobian += np.log(sds).sum() + np.log(float(draws["tau"][0]))
        jacobian += sum(np.log(float(draws[x][0]) - 2) for x in ("df_between", "df_within"))
        deviations = (theta - mu) / data.unit
        squares = np.einsum("di,ij,dj->", deviations, np.linalg.inv(data.shape), deviations)
        auxiliary = stats.norm(0.5 * np.log(squares / 15), np.sqrt(1 / 30)).logpdf(log_scale)
        gaps.append(ours - theirs - jacobian - auxiliary)
    assert np.ptp(gaps) < 1e-7 * max(1, abs(ours))


@pytest.mark.oracle("bayes.multilevel", "scipy")
def test_between_covariance_is_drawn_from_its_inverse_wishart(rng):
    """Means of T's draws against the inverse Wishart's mean, scale / (nu - m - 1)."""
    scores, _ = simulate(rng, [0, 1, 2], 6, 4)
    data, _ = prepare(scores, "pooled")
    shape = (1, 40_000)
    theta = np.broadcast_to(rng.standard_normal((6, 2)), (*shape, 6, 2))
    draws = {"tau": np.full(shape, 0.7), "df_between": np.full(shape, 8.0), "effect": np.zeros((*shape, 3))}
    t = draw_between(data, draws, theta, rng)
    exact = stats.invwishart(8 + 1 + 6, 8 * 0.49 * np.eye(2) + theta[0, 0].T @ theta[0, 0]).mean()
    assert t.mean(axis=(0, 1)) == pytest.approx(exact, abs=5 * t.std() / 200)


# ---- two models: the hierarchical test


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescmp.DegenerateWarning")
@pytest.mark.parametrize("models", [("rf", "svm"), ("nb", "lr"), ("tree", "tree_pruned"), ("gbm", "rf")])
def test_two_models_are_the_hierarchical_test(models):
    """Flat effects, uniform sigma_0: hierarchical_ttest's quadrature, with normal effects, is the oracle."""
    scores = UCI.select(models=list(models))
    p = bc.bayes.multilevel(scores, rope=0.01, prior="flat", random_seed=3, draws=4000, **FAST)
    assert_same_as_hierarchical(p, scores.pair(*models))


def assert_same_as_hierarchical(p, pair):
    h = bc.bayes.hierarchical_ttest(pair, rope=0.01, prior="gaussian")
    assert p.diagnostics.problems == ()
    ours = p.pair(pair.a, pair.b)
    for name, x in h.probabilities.items():
        assert ours.probabilities[name] == pytest.approx(x, abs=0.002 + 4 * ours.mcse[name])
    theirs = h.hyperparameters()
    for name, x in (("delta_0", ours.inference.delta), ("sigma_0", ours.inference.sigma)):
        assert x.mean() == pytest.approx(theirs["mean"][name], abs=4.5 * mc_error(x))
        squares = (x - x.mean()) ** 2
        assert squares.mean() == pytest.approx(theirs["sd"][name] ** 2, abs=4.5 * mc_error(squares))
    theta = ours.inference.theta(ours.rope)
    for i, share in enumerate(h.expected.values()):
        assert theta[..., i].mean() == pytest.approx(share, abs=1e-4 + 4.5 * mc_error(theta[..., i]))


# ---- closed forms


@pytest.fixture(scope="module")
def flat():
    """One score per dataset, exchangeable models, flat effects, uniform tau: all of it is a plain normal sample."""
    scores, _ = simulate(np.random.default_rng(20260101), [0, 0.3, 1, 0.5], 7, 1)
    prior = MultilevelPrior(effects_scale=None, between_max=1e4, covariance="exchangeable")
    return scores, bc.bayes.multilevel(scores, rope=0, prior=prior, random_seed=5, draws=2500, **FAST)


def flat_student(scores):
    """Degrees of freedom and scale of an effect's contrast of length 1: Student with m (D - 1) - 1 df."""
    z = scores.values[:, :, 0].T @ _contrasts(4)
    df = 3 * 6 - 1
    return df, np.sqrt(((z - z.mean(axis=0)) ** 2).sum() / df / 7)


@pytest.mark.oracle("bayes.multilevel bayes.MultilevelPosterior.pair", "closed form", "scipy")
def test_one_score_each_exchangeable_and_flat_is_a_multivariate_student(flat):
    """z_d ~ N(mu, tau^2 I), flat mu and uniform tau: mu is Student with m (D - 1) - 1 df."""
    scores, p = flat
    df, scale = flat_student(scores)
    for a, b in (("m0", "m1"), ("m2", "m1")):
        pair = p.pair(a, b)
        mean = float(np.diff(scores.values[[scores.model_index(b), scores.model_index(a)], :, 0].mean(axis=1))[0])
        exact = stats.t(df, mean, np.sqrt(2) * scale)
        assert pair.mean == pytest.approx(mean, abs=5 * mc_error(pair.inference.delta))
        above = pair.inference.delta > 0
        assert above.mean() == pytest.approx(exact.sf(0), abs=0.003 + 4.5 * mc_error(above))
        for level in (0.05, 0.25, 0.75, 0.95):
            below = pair.inference.delta <= exact.ppf(level)
            assert below.mean() == pytest.approx(level, abs=4.5 * mc_error(below))
    assert any("one score per dataset" in note for note in p.notes)


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
    frame = p.shrunken_frame()
    assert frame["shrunken"].to_numpy() == pytest.approx(scores.values[:, :, 0].T.ravel(), abs=1e-9)


@pytest.mark.oracle(
    "bayes.MultilevelPosterior.ranking bayes.MultilevelPosterior.contrasts bayes.MultilevelPosterior.with_rope",
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
    for frame in (p.contrasts(rope), p.with_rope(rope).pairs_frame()):
        for row in frame.to_dict("records"):
            gap = effects[:, scores.model_index(row["a"])] - effects[:, scores.model_index(row["b"])]
            better, worse = (stats.norm.cdf((s * gap - rope) / (np.sqrt(2) * tau)) for s in (1, -1))
            theta = np.stack([better, 1 - better - worse, worse], axis=1)
            assert row["expected_equivalent"] == pytest.approx(theta[:, 1].mean(), abs=0.01)
            won = np.bincount(theta.argmax(axis=1), minlength=3) / len(theta)
            assert [row["p_better"], row["p_equivalent"], row["p_worse"]] == pytest.approx(won, abs=0.03)


# ---- symmetries


@pytest.fixture(scope="module")
def scores():
    return simulate(np.random.default_rng(7), [0.0, 0.4, 1.5], 8, 10, between=0.5)[0]


@pytest.fixture(scope="module")
def long(scores):
    return bc.bayes.multilevel(scores, rope=0.2, random_seed=1, draws=2500, **FAST)


@pytest.fixture(scope="module")
def short(scores):
    """A run that has not converged, for what holds of any draws."""
    with pytest.warns(bc.ConvergenceWarning):
        return bc.bayes.multilevel(scores, rope=0.2, random_seed=1, draws=100, tune=200, **FAST)


def assert_agree(p, q, names=None):
    """Two runs of the same posterior: all pairs' means, sds and expected shares within Monte-Carlo error."""
    for a, b in (("m0", "m1"), ("m0", "m2"), ("m1", "m2")):
        x, y = p.pair(a, b), q.pair(*((names or {}).get(n, n) for n in (a, b)))
        for f in (lambda s: s.delta, lambda s: s.sigma, lambda s: s.theta(p.rope)[..., 0]):
            one, two = f(x.inference), f(y.inference)
            assert one.mean() == pytest.approx(two.mean(), abs=5 * np.hypot(mc_error(one), mc_error(two)))


@pytest.mark.slow
def test_relabelling_permutes_the_answers(scores, long):
    other = scores.rename({"m0": "x", "m1": "m0", "m2": "m1"}).select(models=["m1", "x", "m0"])
    q = bc.bayes.multilevel(other, rope=0.2, random_seed=2, draws=2500, **FAST)
    assert_agree(long, q, {"m0": "x", "m1": "m0", "m2": "m1"})


def test_levels_of_datasets_and_folds_and_the_unit_do_not_matter(scores, rng):
    """The statistics are the same up to rounding when every dataset and fold is shifted, and scale with the unit."""
    shift = 3 * rng.standard_normal((1, 8, 10))
    one, _ = prepare(scores, "pooled")
    two, _ = prepare(replaced(scores, 100 * (scores.values + shift)), "pooled")
    assert two.unit == pytest.approx(100 * one.unit)
    for name in ("roots", "precision"):
        assert getattr(two, name) == pytest.approx(getattr(one, name))
    turned = [np.einsum("dai,da->di", x.rotations, x.means) for x in (one, two)]
    assert turned[1] == pytest.approx(turned[0])
    assert two.prior.between_max == pytest.approx(100 * one.prior.between_max)
    assert two.prior.effects_scale == pytest.approx(100 * one.prior.effects_scale)


def replaced(scores, values, **options):
    from dataclasses import replace

    return replace(scores, values=np.array(values), **options)


@pytest.mark.slow
def test_lower_is_better_turns_the_answers(scores, long):
    q = bc.bayes.multilevel(
        replaced(scores, -scores.values, higher_is_better=False), rope=0.2, random_seed=1, draws=2500, **FAST
    )
    assert_agree(long, q)
    one, two = long.shrunken_frame(), q.shrunken_frame()
    assert two["mean"].to_numpy() == pytest.approx(-one["mean"].to_numpy())
    assert two["shrunken"].to_numpy() == pytest.approx(-one["shrunken"].to_numpy(), abs=0.1)


# ---- truth and shrinkage


@pytest.mark.slow
def test_effects_of_equal_models_are_pulled_together(rng):
    """Six equal models: the spread of the effects is below that of the raw means, and no pair is called different."""
    scores, _ = simulate(rng, np.zeros(6), 12, 5)
    p = bc.bayes.multilevel(scores, rope=0, random_seed=4, **FAST)
    raw = scores.values.mean(axis=(1, 2))
    assert np.std(p.effects_frame()["mean"]) < 0.7 * np.std(raw)
    assert p.pairs_frame()["p_positive"].between(0.03, 0.97).all()


# of the r_hats of many short runs a few are a hair above the limit by chance; coverage does not mind
@pytest.mark.oracle("bayes.multilevel", "simulation")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescmp.ConvergenceWarning")
@pytest.mark.parametrize("missing", [(), ((0, 1), (1, 3), (2, 3), (5, 0))])
def test_intervals_cover_what_was_simulated(missing):
    """Effects drawn from the pooled prior: 90 % intervals of the 6 pairs cover the truth in 90 % of studies."""
    rng = np.random.default_rng(17)
    hits = []
    for study in range(10):
        effects = 0.7 * rng.standard_normal(4)
        scores, _ = simulate(rng, effects, 12, 6, missing=missing)
        p = bc.bayes.multilevel(scores, rope=0.1, random_seed=study, draws=700, tune=700, **FAST)
        for i in range(4):
            for j in range(i):
                low, high = p.pair(f"m{i}", f"m{j}").hdi(0.9)
                hits.append(low <= effects[i] - effects[j] <= high)
    # a study's six pairs share three contrasts, so that 60 hits count like 30
    assert np.mean(hits) == pytest.approx(0.9, abs=3.5 * np.sqrt(0.09 / 30))


def test_shrunken_means_keep_the_level_and_move_to_the_effects(scores, short):
    frame = short.shrunken_frame().reset_index()
    raw = frame.pivot(index="dataset", columns="model", values="mean").to_numpy()
    shrunken = frame.pivot(index="dataset", columns="model", values="shrunken").to_numpy()
    assert raw == pytest.approx(scores.values.mean(axis=2).T)
    assert shrunken.mean(axis=1) == pytest.approx(raw.mean(axis=1))
    centred = [x - x.mean(axis=1, keepdims=True) for x in (raw, shrunken)]
    spread = [np.var(x - x.mean(axis=0), ddof=1) for x in centred]
    assert 0.05 * spread[0] < spread[1] < spread[0]


@pytest.mark.slow
def test_missing_results_are_filled_in(rng):
    scores, _ = simulate(rng, [0, 2, 4], 6, 8, between=0.1, within=0.1, missing=((0, 2), (3, 0), (5, 1), (5, 2)))
    with pytest.warns(bc.MissingWarning, match='"d5" left out'):
        p = bc.bayes.multilevel(scores, rope=0.5, random_seed=1, draws=2500, **FAST)
    frame = p.shrunken_frame()
    assert len(p.datasets) == 5
    assert np.isnan(frame["mean"]["d0", "m2"])
    gap = frame["shrunken"]["d0", "m2"] - frame["shrunken"]["d0", "m1"]
    assert gap == pytest.approx(2, abs=1)
    assert frame["sd"]["d0", "m2"] > 1.5 * frame["sd"]["d1", "m2"]
    assert p.ranking().mean_rank is None


# ---- degenerate data and bad input


@pytest.mark.filterwarnings("ignore::bayescmp.ConvergenceWarning")
def test_identical_models_are_known_to_be_equal(scores):
    values = np.concatenate([scores.values, scores.values[1:2], scores.values[:1] + 0.25])
    more = replaced(scores, values, models=("m0", "m1", "m2", "twin", "shifted"))
    with pytest.warns(bc.DegenerateWarning, match=r"twin - m1 = 0.*shifted - m0 = 0.25"):
        p = bc.bayes.multilevel(more, rope=0.2, random_seed=1, draws=50, tune=200, **FAST)
    assert p.pair("m1", "twin").p_equivalent == 1
    assert p.pair("shifted", "m0").p_better == 1
    assert p.pair("shifted", "m0").mean == pytest.approx(0.25)
    assert p.with_rope(0).pair("m1", "twin").p_better == 0.5
    assert p.pair("twin", "m2").p_better == p.pair("m1", "m2").p_better


def test_ties_on_one_dataset_do_not_break_the_fit(rng):
    scores, _ = simulate(rng, [0, 1, 2], 6, 6)
    values = scores.values.copy()
    values[1, 0] = values[0, 0]
    values[:, 1] = values[:, 1, :1]
    with pytest.warns(bc.DegenerateWarning, match='"d0", "d1"'):
        data, _ = prepare(replaced(scores, values), "pooled")
    assert (data.roots > 0).all()


@pytest.mark.slow
def test_more_models_than_folds_and_datasets(rng):
    """12 models, 5 folds, 6 datasets: all scatter is singular, and the model still answers."""
    scores, _ = simulate(rng, np.arange(12.0), 6, 5)
    p = bc.bayes.multilevel(scores, rope=0.1, random_seed=1, draws=3000, **FAST)
    assert p.diagnostics.divergences == 0
    best = p.ranking().p_best
    assert max(best, key=best.get) in ("m10", "m11")
    assert p.pair("m11", "m0").p_better > 0.99


def test_bad_input_is_refused(rng):
    scores, _ = simulate(rng, [0, 1, 2], 4, 4)
    with pytest.raises(bc.ScoresError, match="at least 2 models"):
        bc.bayes.multilevel(scores.select(models=["m0"]), rope=0)
    with pytest.raises(bc.ScoresError, match="at least 2 datasets"):
        bc.bayes.multilevel(scores.select(datasets=["d0"]), rope=0)
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
    with pytest.raises(bc.ScoresError, match="at least 2 datasets"), pytest.warns(bc.MissingWarning):
        bc.bayes.multilevel(simulate(rng, [0, 1, 2], 2, 4, missing={(0, 0), (0, 1)})[0], rope=0)
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


# ---- the result


def test_result_survives_json_and_changes_its_rope(short):
    p = short
    q = MultilevelPosterior.from_dict(json.loads(json.dumps(p.to_dict())))
    assert q == p
    pd.testing.assert_frame_equal(q.with_rope(0.5).pairs_frame(), p.contrasts(0.5))
    pair = p.pair("m2", "m0")
    assert bc.bayes.Posterior.from_dict(json.loads(json.dumps(pair.to_dict()))) == pair
    with pytest.raises(ValueError, match="must have a kind of MultilevelPosterior"):
        MultilevelPosterior.from_dict({"kind": "multilevel"})


def test_frames_pairs_and_ranking_tell_one_story(short):
    p = short
    frame = p.pairs_frame().set_index(["a", "b"])
    pair = p.pair("m0", "m2")
    row = frame.loc["m0", "m2"]
    assert row["mean"] == pair.mean
    assert row["p_worse"] == pair.p_worse == p.pair("m2", "m0").p_better
    assert row[["p_better", "p_equivalent", "p_worse"]].sum() == pytest.approx(1)
    ranking = p.ranking()
    assert ranking.p_better("m0", "m2") == pytest.approx(row["p_positive"])
    assert ranking.draws() == pytest.approx(p.inference.effect.reshape(-1, 3))
    assert p.effects_frame()["mean"].sum() == pytest.approx(0, abs=1e-12)
    assert set(p.hyperparameters().index) == {"omega", "tau", "df_between", "df_within"}
    assert repr(p).startswith("NOT CONVERGED")
    assert "m2" in repr(p)
    assert len(repr(p).splitlines()) < 12
    assert p.to_arviz() is p.inference_data
    with pytest.raises(bc.ScoresError, match="m9"):
        p.pair("m0", "m9")


def test_the_pymc_model_is_at_hand(scores):
    model = bc.bayes.pymc_model("multilevel", scores, prior="exchangeable")
    assert {"tau", "effect"} <= {v.name for v in model.deterministics}


def test_a_misspelt_option_is_refused(scores):
    with pytest.raises(TypeError, match="nonsense"):
        bc.bayes.multilevel(scores, rope=0.2, random_seed=1, nonsense=1)


def test_unlike_models_are_noted():
    """The note comes with few degrees of freedom of the covariance, and only then."""
    assert _unlike({"df_between": np.full((2, 5), 3.0)})[0].startswith("the models vary")
    assert _unlike({"df_between": np.full((2, 5), 20.0)}) == _unlike({}) == ()
