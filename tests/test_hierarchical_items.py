"""Many benchmarks of right and wrong: the hierarchical test with the likelihood of items."""

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

import bayescmp as bc
from bayescmp import Rope, Scores
from bayescmp.bayes import hierarchical_ttest
from bayescmp.bayes.hierarchical.items import ItemsInference, log_likelihood
from bayescmp.bayes.hierarchical.ttest import _of_items

TASKS = [
    *((24, 13, 150), (11, 1, 78), (9, 6, 50), (3, 1, 50), (18, 26, 146)),
    *((7, 11, 50), (5, 2, 50), (8, 5, 50), (12, 5, 50), (10, 7, 50)),
]


def benchmarks(tasks, **columns):
    """The pair on benchmarks with so many (only A, only B, all) items."""
    parts = []
    for k, (only_a, only_b, n) in enumerate(tasks):
        a = np.r_[np.ones(only_a), np.zeros(only_b), np.ones(n - only_a - only_b)]
        b = np.r_[np.zeros(only_a), np.ones(only_b), np.ones(n - only_a - only_b)]
        for name, right in (("a", a), ("b", b)):
            parts.append(pd.DataFrame({"model": name, "task": f"t{k}", "item": np.arange(n), "score": right}))
    return Scores.from_frame(pd.concat(parts).assign(**columns), metric="accuracy").pair("a", "b")


@pytest.mark.oracle("bayes.hierarchical_ttest", "mpmath: 30 digits")
@pytest.mark.parametrize("table", [(12, 5, 100), (0, 0, 50), (3, 0, 30), (0, 2, 3), (40, 60, 100)])
def test_likelihood_to_the_digits(table):
    import mpmath as mp

    mp.mp.dps = 30
    only_a, only_b, n = table

    def likelihood(d):
        def integrand(s):
            return ((s + d) / 2) ** only_a * ((s - d) / 2) ** only_b * (1 - s) ** (n - only_a - only_b)

        return mp.quad(integrand, mp.linspace(abs(d), 1, 41)) / (1 - abs(d))

    differences = ("-0.6", "-0.05", "0.05", "0.1", "0.2")
    expected = [float(likelihood(mp.mpf(d)) / likelihood(mp.mpf(0))) for d in differences]
    at_zero, *others = log_likelihood(*table, np.array([0.0, *map(float, differences)]))
    assert np.exp(others - at_zero) == pytest.approx(expected, rel=1e-9)


@pytest.mark.oracle("bayes.hierarchical_ttest", "brute force: one benchmark convolved with a Student t")
@pytest.mark.parametrize("table", [(24, 13, 150), (0, 0, 50), (3, 0, 30), (400, 380, 5000)])
def test_convolution(table):
    inference, _ = _of_items(*[benchmarks([table, (7, 11, 50), (5, 5, 50)])] * 2, 0.02, "corani2017")
    assert isinstance(inference, ItemsInference)
    x = np.concatenate([-np.geomspace(1e-9, 1 - 1e-9, 60_000)[::-1], np.geomspace(1e-9, 1 - 1e-9, 60_000)])
    logs = np.concatenate([log_likelihood(*table, part) for part in np.split(x, 60)])
    for nu, sigma, delta in ((1.5, 0.002, 0.0), (4.0, 0.05, 0.1), (1e10, 0.3, -0.2), (2.0, 0.01, 0.4)):
        density = np.exp(logs - logs.max()) * stats.t.pdf((x - delta) / sigma, nu) / sigma
        expected = np.log(np.trapezoid(density, x)) + logs.max()
        alone = ItemsInference(
            *(getattr(inference, name)[:1] for name in ("names", "means", "sds", "counts", "rho")),
            0.0,
            inference.prior,
            1.0,
            **{name: getattr(inference, name)[:1] for name in ("tables", "errors", "own_dfs", "widths")},
        )
        unit = alone.unit
        found = alone.likelihood(np.array([nu]), np.log([sigma / unit]), np.array([delta / unit]))[0, 0, 0]
        assert found == pytest.approx(expected, abs=2e-4)


@pytest.mark.oracle("bayes.hierarchical_ttest", "brute force: importance sampling of all parameters")
def test_posterior_of_ten_tasks(rng):
    pair = benchmarks(TASKS)
    found = hierarchical_ttest(pair, rope=0.02, prior="gaussian")
    assert found.numerical_error < 1e-3
    prior = found.settings["prior"]
    n = 30_000
    delta = rng.normal(0.05, 0.06, n)
    sigma = rng.exponential(0.06, n)
    log_weight = -stats.norm.logpdf(delta, 0.05, 0.06) - stats.expon.logpdf(sigma, scale=0.06)
    log_weight[(sigma > prior.sigma_0_max) | (np.abs(delta) > prior.delta_0_bound)] = -np.inf
    nodes, weights = np.polynomial.legendre.leggauss(400)
    for table in TASKS:
        logs = log_likelihood(*table, nodes)
        kernel = np.exp(-0.5 * ((nodes - delta[:, None]) / np.maximum(sigma, 0.012)[:, None]) ** 2)
        kernel /= np.maximum(sigma, 0.012)[:, None]
        log_weight += np.log(kernel @ (np.exp(logs - logs.max()) * weights))
    w = np.exp(log_weight - log_weight.max())
    w /= w.sum()
    rows = [special.ndtr((x - delta) / np.maximum(sigma, 1e-9)) for x in (0.02, -0.02)]
    theta = np.stack([1 - rows[0], rows[0] - rows[1], rows[1]])
    assert found.mean == pytest.approx(w @ delta, abs=0.004)
    assert list(found.expected.values()) == pytest.approx(list(theta @ w), abs=0.03)


def test_a_perfect_benchmark_is_information_and_no_zero_variance():
    """Both models always right on 400 items: the difference there is small, and so may the next one be."""
    alone = hierarchical_ttest(benchmarks(TASKS), rope=0.02, prior="gaussian")
    perfect = hierarchical_ttest(benchmarks([*TASKS, (0, 0, 400)]), rope=0.02, prior="gaussian")
    assert perfect.mean < alone.mean
    assert list(perfect.expected.values())[1] > list(alone.expected.values())[1]
    assert perfect.notes == ()
    row = perfect.datasets_frame().loc["t10"]
    assert row["p_equivalent"] > 0.97
    assert bc.bayes.Posterior.from_json(perfect.to_json()) == perfect


def test_swap_and_ropes_of_their_own():
    pair = benchmarks(TASKS[:5])
    p = hierarchical_ttest(pair, rope=0.02, prior="gaussian")
    q = hierarchical_ttest(pair.swap(), rope=0.02, prior="gaussian")
    assert q.three == pytest.approx(p.swap().three, abs=1e-9 + p.numerical_error)
    assert p.numerical_error < 5e-3
    own = hierarchical_ttest(pair, rope=dict.fromkeys(pair.datasets, 0.02), prior="gaussian")
    assert own.three == pytest.approx(p.three, abs=1e-3)
    assert own.mean * 0.02 == pytest.approx(p.mean, abs=1e-3)
    assert own.rope == Rope(-1, 1)


def test_plain_grades_have_the_student_likelihood_of_before(rng):
    frame = pd.DataFrame(
        [
            {"model": m, "task": f"t{k}", "item": i, "score": rng.uniform() + 0.1 * (m == "a")}
            for m in "ab"
            for k in range(4)
            for i in range(30)
        ]
    )
    pair = Scores.from_frame(frame, metric="accuracy").pair("a", "b")
    p = hierarchical_ttest(pair, rope=0.02, prior="gaussian")
    plain = hierarchical_ttest(pair.with_resampling(bc.Resampling.independent()), rope=0.02, prior="gaussian")
    assert p.three == plain.three


def test_compare_over_benchmarks():
    scores = Scores.from_frame(
        pd.concat(
            [
                pd.DataFrame({"model": m, "task": t, "item": np.arange(40), "score": right})
                for t in ("x", "y", "z")
                for m, right in (("a", np.r_[np.ones(30), np.zeros(10)]), ("b", np.r_[np.zeros(6), np.ones(34)]))
            ]
        ),
        metric="accuracy",
    )
    c = bc.compare(scores, rope=0.02, bayes_options={"prior": "gaussian"})
    assert (c.setting.bayes, c.setting.frequentist) == ("hierarchical_ttest", "wilcoxon_test")


@pytest.mark.slow
@pytest.mark.oracle("bayes.hierarchical_ttest", "PyMC")
def test_nuts_agrees():
    pair = benchmarks(TASKS)
    p = hierarchical_ttest(pair, rope=0.02, prior="gaussian")
    q = hierarchical_ttest(
        pair, rope=0.02, prior="gaussian", engine="nuts", random_seed=3, draws=2000, chains=2, progressbar=False
    )
    assert q.mean == pytest.approx(p.mean, abs=0.004)
    assert list(q.expected.values()) == pytest.approx(list(p.expected.values()), abs=0.03)


@pytest.mark.oracle("bayes.hierarchical_ttest", "brute force: the same quadrature from a table of many more points")
def test_error_of_the_table_is_stated(monkeypatch):
    from bayescmp.bayes.hierarchical import items as module

    pair = benchmarks(TASKS[:5])
    fine = hierarchical_ttest(pair, rope=0.02, prior="gaussian")
    monkeypatch.setattr(module, "MOST_POINTS", (7, 25, 25))
    with pytest.warns(bc.ConvergenceWarning, match="quadrature's error is about"):
        rough = hierarchical_ttest(pair, rope=0.02, prior="gaussian")
    off = np.abs(np.subtract(fine.three, rough.three)).max()
    assert 1e-3 < off <= rough.numerical_error + fine.numerical_error
    assert fine.numerical_error < 5e-3
