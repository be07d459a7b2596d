"""The Bayesian McNemar test: its exact posterior, from counts, items and clusters."""

import math

import numpy as np
import pytest
from scipy import special

import bayescmp as bc
from bayescmp import Resampling, Rope, Scores
from bayescmp.bayes import mcnemar_test
from bayescmp.bayes.distributions import ClusteredProportions, PairedProportions
from bayescmp.bayes.mcnemar import probabilities
from bayescmp.errors import ScoresError

# (n11, n10, n01, n00), rope, a -> better, equivalent, worse; computed with 30 digits apart from this package
TABLES = [
    ((80, 12, 5, 3), 0.02, 0.5, (0.888022614565, 0.0978864259758, 0.0140909594591)),
    ((80, 12, 5, 3), 0.02, 1.0, (0.87908743299, 0.104782098237, 0.0161304687734)),
    ((101, 121, 59, 33), 0.01, 0.5, (0.999995371573, 4.14749228e-6, 4.80934281e-7)),
    ((101, 121, 59, 33), 0.01, 1.0, (0.999995054469, 4.43281276e-6, 5.12718016e-7)),
    ((450, 30, 20, 500), 0.01, 0.5, (0.49563280687, 0.501824049493, 0.00254314363715)),
    ((450, 30, 20, 500), 0.01, 1.0, (0.494627090788, 0.502635757373, 0.00273715183926)),
    ((3, 9, 1, 4), 0.05, 0.5, (0.991848583792, 0.00656390755482, 0.00158750865363)),
    ((3, 9, 1, 4), 0.05, 1.0, (0.986921058535, 0.0106099286358, 0.00246901282909)),
    ((0, 0, 0, 10), 0.05, 0.5, (0.184276627016, 0.631446745967, 0.184276627016)),
    ((0, 0, 0, 10), 0.05, 1.0, (0.25667104164, 0.48665791672, 0.25667104164)),
]
TASKS = [
    *((24, 13, 150), (11, 1, 78), (9, 6, 50), (3, 1, 50), (18, 26, 146)),
    *((7, 11, 50), (5, 2, 50), (8, 5, 50), (12, 5, 50), (10, 7, 50)),
]


@pytest.mark.oracle("bayes.mcnemar_test", "mpmath: 30 digits")
@pytest.mark.parametrize(("counts", "rope", "a", "expected"), TABLES)
def test_probabilities_to_the_digits(counts, rope, a, expected):
    found = mcnemar_test(counts=counts, rope=rope, prior=a)
    assert found.three == pytest.approx(expected, rel=3e-9, abs=1e-12)
    assert sum(found.three) == pytest.approx(1, abs=1e-15)
    assert probabilities([counts], rope=rope, prior=a)[0] == pytest.approx(found.three, abs=1e-14)


@pytest.mark.oracle("bayes.mcnemar_test bayes.DifferencePosterior.mean bayes.DifferencePosterior.losses", "closed form")
def test_moments_and_rope_zero_are_closed():
    p = mcnemar_test(counts=(80, 12, 5, 3), rope=0)
    assert p.mean == pytest.approx(0.0686274509804, abs=1e-12)
    assert p.distribution.sd == pytest.approx(0.040836027926, abs=1e-12)
    assert p.three == pytest.approx((special.betainc(5.5, 12.5, 0.5), 0.0, special.betainc(12.5, 5.5, 0.5)), abs=1e-14)
    s, u = 18 / 102, np.linspace(0.5, 1, 200_001)
    beta = u**11.5 * (1 - u) ** 4.5 / special.beta(12.5, 5.5)
    gain = s * np.trapezoid((2 * u - 1) * beta, u)
    assert p.losses == pytest.approx((gain - p.mean, gain), abs=1e-8)


def _by_mpmath(only_a, only_b, rest, r):
    """P(delta > r) by tanh-sinh in s = r cosh v with 30 digits."""
    import mpmath as mp

    mp.mp.dps = 30
    a, b, c, r = (mp.mpf(x) for x in (only_a, only_b, rest, r))
    both = a + b
    norm = mp.log(mp.beta(both, c))

    def integrand(v):
        s = r * mp.cosh(v)
        if s >= 1:
            return mp.mpf(0)
        log_density = (both - 1) * mp.log(s) + (c - 1) * mp.log1p(-s) - norm
        return mp.exp(log_density) * mp.betainc(b, a, 0, (1 - r / s) / 2, regularized=True) * r * mp.sinh(v)

    end = mp.acosh(1 / r)
    mean, sd = both / (both + c), mp.sqrt(both * c / (both + c) ** 2 / (both + c + 1))
    near = [mp.acosh(x / r) for x in (mean - 9 * sd, mean, mean + 9 * sd) if r < x < 1]
    return float(mp.quad(integrand, sorted({mp.mpf(0), *near, end}), maxdegree=6))


@pytest.mark.oracle("bayes.mcnemar_test", "mpmath: 30 digits")
@pytest.mark.parametrize(
    ("counts", "a", "r"),
    [
        ((0, 0, 0, 1), 0.5, 0.3),
        ((20, 0, 0, 280), 0.5, 0.01),
        ((1, 32, 18, 0), 0.7, 0.01),
        ((5, 3, 0, 2), 0.5, 0.999),
        ((500, 4, 0, 500), 0.5, 1e-4),
        ((0, 12, 3, 0), 1.0, 0.6),
    ],
)
def test_tail_has_no_error_above_1e_12(counts, a, r):
    n11, n10, n01, n00 = counts
    expected = _by_mpmath(n10 + a, n01 + a, n11 + n00 + 2 * a, r)
    assert mcnemar_test(counts=counts, rope=r, prior=a).p_better == pytest.approx(expected, abs=1e-12)


@pytest.mark.oracle("bayes.mcnemar_test", "brute force: panels of Gauss-Legendre over the share of discordant items")
def test_random_tables_up_to_a_million_items(rng):
    x, w = np.polynomial.legendre.leggauss(20)

    def brute(a, b, rest, r):
        both = a + b
        mean, sd = both / (both + rest), math.sqrt(both * rest / (both + rest + 1)) / (both + rest)
        low, high = max(r, mean - 12 * sd), min(1.0, mean + 12 * sd + 45 / (both + rest))
        edges = low + (high - low) * np.linspace(0, 1, 1001) ** 3
        half = np.diff(edges) / 2
        s = ((edges[:-1] + half)[:, None] + half[:, None] * x).ravel()
        log_density = special.xlogy(both - 1, s) + special.xlog1py(rest - 1, -s)
        density = np.exp(log_density - log_density.max()) * (half[:, None] * w).ravel()
        factor = special.betainc(b, a, (1 - r / s) / 2)
        return special.betainc(rest, both, 1 - low) * (density * factor).sum() / density.sum()

    for _ in range(60):
        n = int(10 ** rng.uniform(0.5, 6))
        counts = rng.multinomial(n, rng.dirichlet([0.5, 0.3, 0.3, 0.5]))
        counts[3] += 3  # the panels above are coarse at s = 1
        a = float(rng.choice([0.5, 1.0]))
        r = float(rng.choice([10 ** rng.uniform(-5, -0.3), 0.01, abs(counts[1] - counts[2]) / n + 1e-4]))
        alpha = counts[1] + a, counts[2] + a, counts[0] + counts[3] + 2 * a
        found = mcnemar_test(counts=counts, rope=min(r, 0.99), prior=a)
        assert found.p_better == pytest.approx(brute(*alpha, min(r, 0.99)), abs=1e-11)
        assert found.swap().p_worse == pytest.approx(found.p_better, abs=1e-14)


@pytest.mark.oracle(
    "bayes.DifferencePosterior.hdi bayes.DifferencePosterior.cdf bayes.DifferencePosterior.sf "
    "bayes.DifferencePosterior.pdf bayes.DifferencePosterior.ppf bayes.DifferencePosterior.draws",
    "simulation: draws of the Dirichlet",
)
@pytest.mark.parametrize("counts", [(80, 12, 5, 3), (0, 0, 0, 10), (3, 9, 1, 4), (0, 1, 0, 0), (0, 0, 50, 0)])
def test_the_whole_distribution_is_that_of_dirichlet_draws(counts, rng):
    p = mcnemar_test(counts=counts, rope=0.05)
    cells = rng.dirichlet(np.array(counts) + 0.5, 200_000)
    draws = np.sort(cells[:, 1] - cells[:, 2])
    for share in (0.01, 0.2, 0.5, 0.9, 0.999):
        assert float(p.cdf(np.quantile(draws, share))) == pytest.approx(share, abs=0.005)
        assert float(p.cdf(p.ppf(share))) == pytest.approx(share, abs=1e-9)
    low, high = p.hdi(0.9)
    assert float(p.cdf(high) - p.cdf(low)) == pytest.approx(0.9, abs=1e-9)
    if low > -1 and high < 1 and 0 not in counts[1:3]:
        assert float(p.pdf(low)) == pytest.approx(float(p.pdf(high)), rel=1e-6)
    shortest = np.min(draws[int(0.9 * draws.size) :] - draws[: draws.size - int(0.9 * draws.size)])
    assert high - low == pytest.approx(shortest, rel=0.02)
    grid = np.linspace(-0.99, 0.99, 41)
    slope = (p.cdf(grid + 1e-6) - p.cdf(grid - 1e-6)) / 2e-6
    assert p.pdf(grid[grid != 0]) == pytest.approx(slope[grid != 0], rel=1e-4, abs=1e-6)
    assert p.draws(50_000).mean() == pytest.approx(draws.mean(), abs=0.005)


@pytest.mark.oracle("bayes.DifferencePosterior.prior_sensitivity", "closed form")
def test_prior_sensitivity_has_the_answers_of_the_other_priors():
    p = mcnemar_test(counts=(3, 9, 1, 4), rope=0.05)
    frame = p.prior_sensitivity().set_index("prior")
    assert frame.loc["Dirichlet(1)", "p_better"] == pytest.approx(0.986921058535, abs=1e-12)
    few = mcnemar_test(counts=(3, 9, 1, 4), rope=0.05, prior=(4.5, 0.5, 0.5, 4.5))
    assert frame.iloc[2]["p_worse"] == pytest.approx(few.p_worse, abs=1e-14)
    # the four numbers are counted like items: so many of each are as good as seen
    seen = PairedProportions((3 + 4, 9, 1, 4 + 4), (0.5, 0.5, 0.5, 0.5)).regions(Rope(-0.05, 0.05))
    assert few.three == pytest.approx(seen, abs=1e-13)


@pytest.mark.slow
@pytest.mark.oracle("bayes.mcnemar_test", "PyMC")
def test_nuts_agrees():
    p = mcnemar_test(counts=(80, 12, 5, 3), rope=0.02)
    q = mcnemar_test(
        counts=(80, 12, 5, 3), rope=0.02, engine="nuts", random_seed=1, draws=1500, chains=2, progressbar=False
    )
    assert np.abs(np.subtract(p.three, q.three)).max() < 5 * q.largest_mcse
    assert q.diagnostics is not None


def items(a, b, **options):
    scores = Scores.from_arrays({"a": a, "b": b}, metric="accuracy", resampling=Resampling.items(), **options)
    return scores.pair("a", "b")


def test_items_arrays_and_counts_give_the_same():
    a, b = np.repeat([[1, 1, 0, 0], [1, 0, 1, 0]], (80, 12, 5, 3), axis=1)
    whole = mcnemar_test(counts=(80, 12, 5, 3), rope=0.02).three
    assert mcnemar_test(items(a, b), rope=0.02).three == whole
    assert mcnemar_test(a, b, rope=0.02).three == whole
    assert mcnemar_test(a == 1, b == 1, rope=0.02).three == whole
    wrong = Scores.from_arrays({"a": 1 - a, "b": 1 - b}, metric="error", resampling=Resampling.items())
    assert mcnemar_test(wrong.pair("a", "b"), rope=0.02).three == whole
    text = mcnemar_test(items(a, b), rope=0.02).sentence()
    assert text.endswith(
        "This is about these trained models on items like these; training them again may give another difference."
    )
    p = mcnemar_test(items(a, b), rope=0.02)
    assert bc.bayes.Posterior.from_json(p.to_json()) == p


def test_bad_input_is_refused_by_name():
    arrays = {"a": [[1, 0], [1, 1]], "b": [[1, 0], [0, 1]]}
    sampled = Scores.from_arrays(arrays, metric="accuracy", resampling=Resampling.items(2)).pair("a", "b")
    with pytest.raises(ScoresError, match="one answer per item, but there are 2 samples each"):
        mcnemar_test(sampled, rope=0)
    with pytest.raises(ScoresError, match="each is about many cases"):
        mcnemar_test(bc.load_labour().pair("SVM", "DT"), rope=0.01)
    with pytest.raises(ScoresError, match=r"1 .right. or 0 .wrong."):
        mcnemar_test([1, 0.5], [0, 1], rope=0)
    for counts in ((1, 2, 3), (0, 0, 0, 0), (1, -1, 0, 0), (1.5, 0, 0, 0), "abcd", (math.inf, 0, 0, 1)):
        with pytest.raises(ScoresError, match="four whole numbers"):
            mcnemar_test(counts=counts, rope=0)
    for prior in (0, -1, (1, 0, 1, 1), (0, 1, 1, 0), "flat", math.nan):
        with pytest.raises(ValueError, match="`prior` must be"):
            mcnemar_test(counts=(1, 1, 1, 1), rope=0, prior=prior)
    with pytest.raises(ScoresError, match="not both"):
        mcnemar_test([1, 0], [0, 1], counts=(1, 1, 1, 1), rope=0)
    with pytest.raises(ScoresError, match="got none"):
        mcnemar_test(rope=0)


# ---- clusters


@pytest.mark.oracle("bayes.mcnemar_test", "published: a sampler of the same model, apart from this package")
def test_tasks_as_clusters():
    cells = np.array([(a, b, n - a - b) for a, b, n in TASKS])
    found = ClusteredProportions(cells, (0.5, 0.5, 1.0))
    assert found.regions(Rope(-0.02, 0.02)) == pytest.approx((0.8644, 0.1233, 0.0123), abs=2e-4)
    assert (found.mean, found.sd, found.icc) == pytest.approx((0.055543, 0.033252, 0.031407), abs=3e-5)
    only_a, only_b, rest = cells.sum(axis=0)
    independent = mcnemar_test(counts=(rest, only_a, only_b, 0), rope=0.02).three
    assert independent == pytest.approx((0.873756, 0.125723, 0.000521), abs=1e-6)


@pytest.mark.oracle("bayes.mcnemar_test", "closed form")
def test_clusters_of_one_item_are_no_clusters(rng):
    a, b = np.repeat([[1, 1, 0, 0], [1, 0, 1, 0]], (80, 12, 5, 3), axis=1)
    single = mcnemar_test(items(a, b, clusters=np.arange(100)), rope=0.02)
    plain = mcnemar_test(items(a, b, clusters=np.arange(100)), rope=0.02, clusters=False)
    assert single.three == pytest.approx(plain.three, abs=1e-6)
    assert single.mean == pytest.approx(plain.mean, abs=1e-7)
    assert single.hdi() == pytest.approx(plain.hdi(), abs=3e-4)
    assert single.pdf([0.0, 0.05]) == pytest.approx(plain.pdf([0.0, 0.05]), rel=2e-3)
    assert single.losses == pytest.approx(plain.losses, rel=0.01)
    assert single.swap().three == pytest.approx(single.three[::-1], abs=1e-9)
    assert bc.bayes.Posterior.from_json(single.to_json()) == single
    assert single.draws(20_000).mean() == pytest.approx(single.mean, abs=0.002)


@pytest.mark.oracle("bayes.mcnemar_test bayes.DifferencePosterior.numerical_error", "closed form: clusters of one item")
@pytest.mark.parametrize("counts", [(200, 0, 0, 0), (300, 1, 0, 0), (20, 0, 3, 0), (50, 40, 2, 8), (2, 1, 1, 0)])
def test_numerical_error_of_clusters_is_stated(counts):
    """The posterior of a table without any discordant item has its mass beside the kink at the border of the rope."""
    a, b = np.repeat([[1, 1, 0, 0], [1, 0, 1, 0]], counts, axis=1)
    single = mcnemar_test(items(a, b, clusters=np.arange(sum(counts))), rope=0.01)
    exact = mcnemar_test(counts=counts, rope=0.01)
    off = np.abs(np.subtract(single.three, exact.three)).max()
    assert off <= max(single.numerical_error, 1e-9)
    assert off < 2e-6
    assert 0 < single.numerical_error < 1e-3
    assert exact.numerical_error == 0.0
    assert single.numbers()["numerical_error"] == single.numerical_error


def test_equal_answers_within_clusters_count_less():
    a, b = np.repeat([[1, 1, 0], [1, 0, 1]], (40, 12, 4), axis=1)
    groups = np.repeat(np.arange(14), 4)  # all items of a cluster alike
    clustered, plain = (mcnemar_test(items(a, b, clusters=groups), rope=0, clusters=x) for x in (None, False))
    assert clustered.distribution.sd > 1.5 * plain.distribution.sd
    assert "in 14 clusters (correlation 0.9" in repr(clustered)
    assert "weighs clusters equally" in clustered.notes[0]
    with pytest.raises(ScoresError, match="at least 2 clusters"):
        mcnemar_test(a, b, rope=0, clusters=np.ones(56))


# ---- does it hold what it promises


@pytest.mark.oracle("bayes.mcnemar_test", "simulation: coverage of the 95 % HDI, truth 0.04 with discordance 0.1")
@pytest.mark.parametrize("n", [20, 50, 200])
def test_coverage(n):
    """Exact, by the sum over all tables: trials gave .975, .938 and .945, the normal approximation .841, .921, .950."""
    truth = np.array([0.9, 0.07, 0.03])
    most = min(n, int(0.1 * n + 8 * math.sqrt(0.1 * n) + 4))
    covered = 0.0
    for only_a in range(most + 1):
        for only_b in range(most + 1 - only_a):
            counts = np.array([n - only_a - only_b, only_a, only_b])
            log_p = special.gammaln(n + 1) - special.gammaln(counts + 1).sum() + counts @ np.log(truth)
            if log_p < -14:
                continue
            low, high = PairedProportions((*counts, 0.0), (0.5,) * 4).hdi(0.95)
            covered += math.exp(log_p) * (low <= 0.04 <= high)
    assert covered == pytest.approx({20: 0.975, 50: 0.938, 200: 0.945}[n], abs=0.02)


def test_a_million_items_in_milliseconds():
    import time

    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 1_000_000)).astype(float)
    pair = items(a, b)
    start = time.perf_counter()
    mcnemar_test(pair, rope=0.001).three  # noqa: B018
    assert time.perf_counter() - start < 0.5  # 50 ms on an idle machine
