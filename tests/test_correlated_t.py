"""The correlated t-test against worked numbers, scipy, mpmath, baycomp and simulation."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayes.correlated_t import probabilities
from bayescmp.bayes.distributions import Draws, PointMass, StudentPosterior, StudentT
from bayescmp.numerics.moments import moments
from bayescmp.numerics.student import regions_of_one, student_parameters, student_regions

LABOUR = bc.load_labour()
DT, LR, SVM = LABOUR.values[:, 0]
TRIAL_MEANS = {"DT": DT.reshape(10, 10).mean(axis=1), "SVM": SVM.reshape(10, 10).mean(axis=1)}
KFOLD = bc.Resampling.kfold(10, repeats=10)


def move_error(row):
    """Table 2.1 prints SVM's error of trial 6 in fold 6; fold 7 (Table 2.2) is right."""
    row = row.copy()
    row[55], row[56] = row[56], row[55]
    return row


W09 = [
    ("corrected, 10x10 CV reading", DT, SVM, KFOLD, (0.946704, 0.033382, 0.019914)),
    (
        "corrected, subsampling reading",
        DT,
        SVM,
        bc.Resampling.subsampling(50, 6, repeats=100),
        (0.940414, 0.036039, 0.023548),
    ),
    ("Table 2.1 verbatim", DT, move_error(SVM), KFOLD, (0.940686, 0.035928, 0.023386)),
    ("Table 2.2 verbatim", DT.round(3), SVM.round(3), KFOLD, (0.946728, 0.033382, 0.019890)),
    (
        "trial means, 5x2 (the book)",
        *TRIAL_MEANS.values(),
        bc.Resampling.kfold(2, repeats=5),
        (0.922324, 0.038377, 0.039299),
    ),
    ("trial means, 10-fold", *TRIAL_MEANS.values(), bc.Resampling.kfold(10), (0.996843, 0.002442, 0.000715)),
]


@pytest.mark.oracle("bayes.correlated_ttest", "example: W09")
@pytest.mark.parametrize(("dt", "svm", "resampling", "expected"), [row[1:] for row in W09], ids=[r[0] for r in W09])
def test_labour_table(dt, svm, resampling, expected):
    """Example W09, all six rows: SVM better / rope / DT better. The book prints the labels the wrong way round."""
    p = bc.bayes.correlated_ttest(svm, dt, rope=0.01, resampling=resampling, higher_is_better=False)
    assert (p.p_better, p.p_equivalent, p.p_worse) == pytest.approx(expected, abs=6e-7)


@pytest.mark.oracle("bayes.correlated_ttest bayes.DifferencePosterior.hdi", "example: W09")
def test_labour_first_row_in_full():
    """Example W09: location, scale, df, P(d < 0) and the 95% HDI of d = acc(DT) - acc(SVM)."""
    p = bc.bayes.correlated_ttest(DT, SVM, rope=0, resampling=KFOLD, higher_is_better=False)
    t = p.distribution
    assert (t.location, t.scale, t.df) == pytest.approx((-0.0816667, 0.0440071, 99), abs=5e-8)
    assert p.p_worse == pytest.approx(0.966769, abs=5e-7)
    assert p.hdi(0.95) == pytest.approx((-0.168986, 0.005653), abs=5e-7)


@pytest.mark.oracle("bayes.DifferencePosterior.hdi", "example: W10")
def test_trial_means_posterior_hdis():
    """Example W10: the HDIs that the book should have drawn."""
    p = bc.bayes.correlated_ttest(
        *TRIAL_MEANS.values(), rope=0.01, resampling=bc.Resampling.kfold(2, repeats=5), higher_is_better=False
    )
    for mass, interval in {0.5: (-0.11414, -0.04919), 0.8: (-0.14558, -0.01775), 0.95: (-0.18620, 0.02287)}.items():
        assert p.hdi(mass) == pytest.approx(interval, abs=5e-6)


def test_labour_moments():
    """Part C: mean and variance of the 100 differences; W04 and W07: trial means."""
    mean, sd, n = moments(DT - SVM)
    assert (float(mean), float(sd) ** 2, float(n)) == pytest.approx((0.0816667, 0.01599046, 100), abs=5e-8)
    mean, sd, _ = moments(TRIAL_MEANS["DT"] - TRIAL_MEANS["SVM"])
    assert (float(mean), float(sd)) == pytest.approx((0.0816667, 0.04406084), abs=5e-8)
    assert [float(moments(x)[1]) ** 2 for x in TRIAL_MEANS.values()] == pytest.approx(
        [0.00273148, 0.00093827], abs=5e-9
    )


@pytest.mark.oracle("bayes.correlated_ttest", "example: Part C")
@pytest.mark.parametrize(
    ("rho", "t", "p"),
    [(0.0, 6.458243, 3.976e-9), (6 / 56, 1.791194, 0.076318), (0.1, 1.855762, 0.066462)],
)
def test_labour_frequentist_mirror(rho, t, p):
    """Part C: plain and Nadeau-Bengio t and two-sided p are the posterior's standardised location and tails."""
    posterior = bc.bayes.correlated_ttest(SVM, DT, rope=0, resampling=bc.Resampling.custom(rho), higher_is_better=False)
    d = posterior.distribution
    assert d.location / d.scale == pytest.approx(t, abs=5e-7)
    assert 2 * posterior.p_worse == pytest.approx(p, rel=2e-4, abs=0 if p < 1e-6 else 5e-7)


@pytest.mark.oracle("bayes.correlated_ttest", "closed form", "scipy")
def test_tail_probability_equals_corrected_t_p_value(rng):
    """With no rope the posterior tail is the one-sided p-value of the Nadeau-Bengio test: two schools, one number."""
    for _ in range(50):
        k, r = int(rng.integers(2, 12)), int(rng.integers(1, 11))
        n = k * r
        a, b = rng.normal(0.8, 0.05, (2, n))
        d = a - b
        t = d.mean() / math.sqrt((1 / n + 1 / (k - 1)) * d.var(ddof=1))
        p = bc.bayes.correlated_ttest(a, b, rope=0, resampling=bc.Resampling.kfold(k, r))
        assert p.p_worse == pytest.approx(stats.t.sf(t, n - 1), rel=1e-11, abs=1e-12)


@pytest.mark.oracle("bayes.correlated_ttest", "mpmath")
def test_probabilities_in_the_tails_against_mpmath():
    """No 1 - cdf anywhere: tails and far-away ropes keep their digits down to 1e-60."""
    import mpmath as mp

    mp.mp.dps = 50

    def cdf(df, x):
        df, x = mp.mpf(df), mp.mpf(x)
        tail = mp.betainc(df / 2, mp.mpf(1) / 2, 0, df / (df + x * x), regularized=True) / 2
        return tail if x < 0 else 1 - tail

    for df in (1, 4, 9, 99, 999):
        for low, high in ((-0.5, 0.5), (10.0, 12.0), (-40.0, -37.5), (3.0, 3.001)):
            shift = 0.0 if low < 0 < high else low  # a rope contains 0, so the posterior moves instead
            ours = student_regions(-shift, 1.0, float(df), bc.Rope(low - shift, high - shift))
            exact = (cdf(df, -mp.mpf(high)), cdf(df, high) - cdf(df, low), cdf(df, low))
            if low > 0:  # P(low..high) from the side where nothing cancels in the reference either
                exact = (exact[0], cdf(df, -mp.mpf(low)) - cdf(df, -mp.mpf(high)), exact[2])
            for got, want in zip(ours, exact, strict=True):
                assert float(got) == pytest.approx(float(want), rel=1e-10)


@pytest.mark.oracle("bayes.correlated_ttest", "baycomp")
def test_agrees_with_baycomp(rng):
    """baycomp's two_on_single, which takes runs and gives (left, rope, right) of x2 - x1."""
    import baycomp

    for _ in range(20):
        a, b = rng.normal(0.82, 0.05, 100), rng.normal(0.8, 0.05, 100)
        left, middle, right = baycomp.two_on_single(b, a, rope=0.01, runs=10)
        p = bc.bayes.correlated_ttest(a, b, rope=0.01, resampling=KFOLD)
        assert (p.p_worse, p.p_equivalent, p.p_better) == pytest.approx((left, middle, right), abs=1e-12)


@pytest.mark.oracle("bayes.correlated_ttest", "bayes-testkit")
def test_agrees_with_bayes_testkit(rng):
    """Its CorrelatedTTest, which wants PyMC 5: 10 runs of 10 folds; "left" is the difference below the rope."""
    pd, btk = pytest.importorskip("pandas"), pytest.importorskip("btk", exc_type=ImportError)
    for _ in range(5):
        a, b = rng.normal(0.82, 0.05, 100), rng.normal(0.8, 0.05, 100)
        frame = pd.DataFrame({"fold": np.tile(np.arange(10), 10), "a": a, "b": b})
        theirs = btk.CorrelatedTTest(rope=0.01).fit(frame, fold_col="fold", draws=100, random_seed=1)
        row = theirs.decision_table(round_ndigits=None).iloc[0]
        p = bc.bayes.correlated_ttest(a, b, rope=0.01, resampling=KFOLD)
        assert (p.p_better, p.p_equivalent, p.p_worse) == pytest.approx(
            (row["p_right"], row["p_rope"], row["p_left"]), abs=1e-12
        )
        assert p.mean == pytest.approx(row["estimate"], rel=1e-12)


@pytest.mark.oracle("bayes.correlated_ttest", "scipy")
def test_vectorised_core_equals_single_calls(rng):
    differences = rng.normal(0.01, 0.05, (7, 4, 20))
    differences[3, 2, 15:] = np.nan  # fewer folds
    differences[5, 1] = 0.03  # no variation
    together = probabilities(differences, rho=0.1, rope=0.01, rounding=1e-15)
    for index in np.ndindex(7, 4):
        d = differences[index]
        d = d[~np.isnan(d)]
        if index == (5, 1):
            assert together[index].tolist() == [1.0, 0.0, 0.0]
            continue
        scale = math.sqrt((1 / d.size + 1 / 9) * d.var(ddof=1))
        t = stats.t(d.size - 1, d.mean(), scale)
        assert together[index] == pytest.approx([t.sf(0.01), t.cdf(0.01) - t.cdf(-0.01), t.cdf(-0.01)], abs=1e-13)


def test_moments_without_the_missing_are_numpys(rng):
    x = rng.normal(5, 2, (3, 7))
    x[0, [1, 4]] = x[2, 6] = np.nan
    found = moments(x)
    for ours, numpys in zip(found, (np.nanmean(x, axis=1), np.nanstd(x, axis=1, ddof=1), [5, 7, 6]), strict=True):
        assert ours == pytest.approx(numpys)


def test_moments_survive_extreme_numbers():
    """Closed form: 1, 2, 3 times any unit has mean 2 and standard deviation 1 in that unit."""
    for unit in (1.0, 1e-300, 1e300, 2.0**-1000):
        mean, sd, _ = moments(np.array([1.0, 2.0, 3.0]) * unit)
        assert (float(mean) / unit, float(sd) / unit) == pytest.approx((2, 1), rel=1e-12)
    together = np.array([1.0, 2.0, 3.0]) * np.array([[1e-300], [1.0], [1e300]])
    assert moments(together)[1].tolist() == pytest.approx([1e-300, 1.0, 1e300], rel=1e-12)
    # a large constant costs no digits but those that the numbers themselves lack
    mean, sd, _ = moments(1e9 + np.array([4.0, 7.0, 13.0, 16.0]))
    assert (float(mean), float(sd)) == pytest.approx((1e9 + 10, math.sqrt(30)), rel=1e-12)


@pytest.mark.oracle("bayes.correlated_ttest bayes.Posterior.with_rope", "closed form")
def test_constant_differences_are_exact_and_warned_about():
    """0.9 - 0.8 and 0.8 - 0.7 differ in the last bit only: no variation, not a p-value of 1e-48."""
    a, b = np.array([0.9, 0.8, 0.7, 0.6]), np.array([0.8, 0.7, 0.6, 0.5])
    assert len(set(a - b)) > 1
    with pytest.warns(bc.DegenerateWarning, match="all 4 differences are equal"):
        p = bc.bayes.correlated_ttest(a, b, rope=0.01, resampling=bc.Resampling.kfold(4))
    assert (p.p_better, p.p_equivalent, p.p_worse) == (1, 0, 0)
    assert p.hdi() == pytest.approx((0.1, 0.1))
    assert "rests on no variation" in repr(p)
    assert p.with_rope(0.1).p_equivalent == 1, "the border belongs to the rope, rounding errors included"


def test_vectorised_core_knows_rounding_and_ties():
    assert probabilities([[0.01, 0.86 - 0.85, 0.87 - 0.86]], rho=0.1, rope=0.01, rounding=1e-15).tolist() == [[0, 1, 0]]
    assert probabilities([[1e-17] * 3], rho=0.1, rope=0, rounding=1e-15).tolist() == [[0.5, 0, 0.5]]


def test_infinite_rope_and_json():
    """Everything is equivalent, and the result is still valid JSON."""
    p = bc.bayes.correlated_ttest(DT, SVM, rope=(-float("inf"), 0.01), resampling=KFOLD)
    assert p.p_worse == 0
    text = json.dumps(p.to_dict(), allow_nan=False)
    assert bc.bayes.Posterior.from_dict(json.loads(text)) == p
    p.to_dict()["settings"]["rho"] = 99
    assert p.settings["rho"] == 0.1, "a dict of a result is a copy"


def test_far_quantiles_have_the_right_sign():
    from bayescmp.bayes.distributions import StudentT

    for df in (1, 3, 5, 9, 99):
        assert StudentT(0.0, 1.0, df).ppf(1e-300) < -10


def test_identical_models_share_the_win_without_a_rope():
    with pytest.warns(bc.DegenerateWarning):
        p = bc.bayes.correlated_ttest([0.5, 0.7], [0.5, 0.7], rope=0, resampling=bc.Resampling.kfold(2))
    assert (p.p_better, p.p_equivalent, p.p_worse) == (0.5, 0, 0.5)
    assert p.with_rope(0.01).p_equivalent == 1


def test_swap_mirrors(labour):
    p = bc.bayes.correlated_ttest(labour, rope=(-0.02, 0.01))
    q = p.swap()
    assert (q.p_better, q.p_equivalent, q.p_worse) == (p.p_worse, p.p_equivalent, p.p_better)
    assert q == bc.bayes.correlated_ttest(labour.swap(), rope=(-0.01, 0.02))
    assert q.swap() == p


def from_the_differences(pair):
    """The Student t of the 100 differences, n_test/n_train = 6/50, by scipy."""
    d = pair.differences[0]
    return stats.t(d.size - 1, d.mean(), math.sqrt((1 / d.size + 6 / 50) * d.var(ddof=1)))


@pytest.mark.oracle("bayes.DifferencePosterior.draws", "scipy")
def test_draws_follow_the_posterior(labour):
    p = bc.bayes.correlated_ttest(labour, rope=0.01)
    assert stats.kstest(p.draws(20_000, random_seed=3), from_the_differences(labour).cdf).pvalue > 0.001
    assert np.array_equal(p.draws(5, random_seed=3), p.draws(5, random_seed=3))


@pytest.mark.oracle(
    "bayes.DifferencePosterior.pdf bayes.DifferencePosterior.cdf bayes.DifferencePosterior.sf "
    "bayes.DifferencePosterior.ppf bayes.DifferencePosterior.mean",
    "scipy",
)
def test_density_functions_against_scipy(labour):
    p = bc.bayes.correlated_ttest(labour, rope=0.01)
    t = from_the_differences(labour)
    x = np.linspace(-0.2, 0.3, 11)
    for name in ("pdf", "cdf", "sf"):
        assert getattr(p, name)(x) == pytest.approx(getattr(t, name)(x), rel=1e-10)
    q = np.array([1e-12, 0.01, 0.5, 0.975])
    assert p.ppf(q) == pytest.approx(t.ppf(q), rel=1e-9)
    assert p.mean == pytest.approx(t.mean())


def test_rope_curve_against_scipy(labour):
    """The posterior's own parameters by the textbook formula; its tails by scipy."""
    d = labour.differences[0]
    t = stats.t(99, d.mean(), np.sqrt((1 / 100 + 6 / 50) * d.var(ddof=1)))
    curve = bc.bayes.correlated_ttest(labour, rope=0.01).rope_curve([0.05, (-0.01, 0.2)])
    expected = [
        (t.sf(0.05), t.cdf(0.05) - t.cdf(-0.05), t.cdf(-0.05)),
        (t.sf(0.2), t.cdf(0.2) - t.cdf(-0.01), t.cdf(-0.01)),
    ]
    assert curve[["p_better", "p_equivalent", "p_worse"]].to_numpy() == pytest.approx(np.array(expected))
    assert curve[["rope_low", "rope_high"]].to_numpy().tolist() == [[-0.05, 0.05], [-0.01, 0.2]]


def test_json_round_trip(labour):
    p = bc.bayes.correlated_ttest(labour, rope=0.01)
    again = bc.bayes.Posterior.from_dict(json.loads(json.dumps(p.to_dict())))
    assert again == p
    assert again.with_rope(0.05) == p.with_rope(0.05)


@pytest.mark.oracle("bayes.Posterior.decision", "example: W09")
def test_decision_follows_the_threshold(labour):
    p = bc.bayes.correlated_ttest(labour, rope=0.01)
    assert p.decision(0.95) is bc.Decision.UNDECIDED
    assert p.decision(0.9) is bc.Decision.A_BETTER
    assert p.swap().decision(0.9) is bc.Decision.B_BETTER
    assert p.with_rope(10).decision() is bc.Decision.EQUIVALENT
    with pytest.raises(ValueError, match=r"between 0\.5 and 1"):
        p.decision(0.4)


def test_sentences_name_the_winner(labour):
    p = bc.bayes.correlated_ttest(labour, rope=0.01)
    assert p.sentence() == (
        "SVM is practically better than DT with probability 0.940 (P(equivalent) = 0.036, rope ±0.01; mean "
        "difference 0.082, 95% HDI [-0.009, 0.172])."
    )
    assert p.swap().sentence().startswith("SVM is practically better than DT with probability 0.940")
    assert p.with_rope(0).sentence().startswith("SVM is better than DT with probability 0.962")
    with pytest.warns(bc.ScaleWarning):
        wide = bc.bayes.correlated_ttest(labour, rope=1)
    assert wide.sentence().startswith("SVM and DT are practically equivalent with probability 1.000")


def test_frame_holds_the_result(labour):
    p = bc.bayes.correlated_ttest(labour, rope=0.01)
    row = p.to_frame().iloc[0]
    assert (row["a"], row["b"], row["dataset"], row["n"]) == ("SVM", "DT", "labour", 100)
    assert row["p_better"] == p.p_better
    assert (row["hdi_low"], row["hdi_high"]) == p.hdi()
    assert row["decision"] == "undecided"


def test_rope_for_each_dataset():
    scores = bc.load_uci()
    pair = scores.pair("rf", "svm")
    ropes = dict.fromkeys(pair.datasets, 0.01) | {"iris": 0.05}
    assert bc.bayes.correlated_ttest(pair, rope=ropes, dataset="iris").rope == bc.Rope(-0.05, 0.05)
    with pytest.raises(bc.RopeError, match='rope for dataset "iris"'):
        bc.bayes.correlated_ttest(pair, rope={"wine": 0.01}, dataset="iris")


def test_asks_which_dataset():
    pair = bc.load_uci().pair("rf", "svm")
    with pytest.raises(bc.ScoresError, match=r"answers for one dataset.*Pick one with dataset="):
        bc.bayes.correlated_ttest(pair, rope=0.01)
    one = bc.bayes.correlated_ttest(pair, rope=0.01, dataset="iris")
    assert one == bc.bayes.correlated_ttest(pair.select("iris"), rope=0.01)


def test_direction_flips_the_sign():
    resampling = bc.Resampling.kfold(5)
    a, b = [0.1, 0.2, 0.15, 0.1, 0.2], [0.2, 0.25, 0.3, 0.2, 0.2]
    lower = bc.bayes.correlated_ttest(a, b, rope=0.01, resampling=resampling, higher_is_better=False)
    negated = bc.bayes.correlated_ttest(np.negative(a), np.negative(b), rope=0.01, resampling=resampling)
    assert lower.p_better == negated.p_better > 0.5


def test_a_point_and_draws_are_distributions_by_counting(rng):
    """Of a point and of a few draws every number is a count; a border that is met belongs to the rope."""
    point = PointMass(0.02)
    x = [-1.0, 0.02, 0.03]
    assert point.cdf(x).tolist() == [0, 1, 1]
    assert point.sf(x).tolist() == [1, 0, 0]
    assert point.pdf(x).tolist() == [0, np.inf, 0]
    assert point.ppf([0.1, 0.9]).tolist() == point.sample(2, rng).tolist() == [0.02, 0.02]
    assert point.regions(bc.Rope(-0.02, 0.02)) == point.swap().regions(bc.Rope(-0.02, 0.02)) == (0, 1, 0)
    assert point.swap().regions(bc.Rope(-0.01, 0.02)) == (0, 0, 1)
    values = np.array([[-2.0, 1.0, 3.0, 0.0], [1.0, 5.0, -1.0, 2.0]])
    draws = Draws(values)
    assert draws.cdf([-3, 1, 1.5, 5]).tolist() == [0, 5 / 8, 5 / 8, 1]
    assert draws.sf([-3, 1, 1.5, 5]).tolist() == [1, 3 / 8, 3 / 8, 0]
    assert draws.ppf([0, 0.5, 1]).tolist() == [-2, 1, 5]
    assert draws.regions(bc.Rope(-1, 1)) == (3 / 8, 4 / 8, 1 / 8)
    assert draws.swap().regions(bc.Rope(-1, 1)) == (1 / 8, 4 / 8, 3 / 8)
    assert sorted(draws.sample(8, rng)) == sorted(values.ravel()), "without replacement, as long as there are enough"
    assert draws.sample(9, rng).size == 9


def test_a_rope_has_no_negative_zero():
    assert repr(bc.Rope(-0.0, -0.0)) == repr(bc.Rope.of(0).swap()) == "Rope(low=0.0, high=0.0)"


# ---- a prior for the difference


def posterior_with_prior(pair=None, **options):
    return bc.bayes.correlated_ttest(pair or LABOUR.pair("SVM", "DT"), rope=0.01, **options)


@pytest.mark.oracle(
    "bayes.correlated_ttest bayes.DifferencePosterior.cdf bayes.DifferencePosterior.sf bayes.DifferencePosterior.pdf "
    "bayes.DifferencePosterior.mean bayes.DifferencePosterior.losses",
    "mpmath",
)
@pytest.mark.parametrize("prior", [0.001, 0.02, 5.0])
def test_a_student_prior_against_mpmath(prior):
    """Prior times likelihood, both written out, integrated with 30 digits; also where a tail is tiny."""
    mpmath = pytest.importorskip("mpmath")
    p, flat = posterior_with_prior(prior=prior), posterior_with_prior().distribution
    with mpmath.workdps(30):
        m, s, df, w = (mpmath.mpf(x) for x in (flat.location, flat.scale, flat.df, prior))

        def f(x):
            return (1 + ((x - m) / s) ** 2 / df) ** (-(df + 1) / 2) * (1 + (x / w) ** 2 / 4) ** (-mpmath.mpf(5) / 2)

        points = sorted(
            {-20.0, -1.0, -0.2, -10 * prior, -prior, 0.0, prior, 0.01, 0.05, m, 0.15, 10 * prior, 1.0, 20.0}
        )

        def integral(low, high, of=f):
            inner = [x for x in points if low < x < high]
            return mpmath.quad(of, [low, *inner, high])

        total = integral(-mpmath.inf, mpmath.inf)
        for x in (-0.3, -0.01, 0.01, 0.06, 0.4):
            below, above = integral(-mpmath.inf, x) / total, integral(x, mpmath.inf) / total
            assert float(p.cdf(x)) == pytest.approx(float(below), rel=1e-11)
            assert float(p.sf(x)) == pytest.approx(float(above), rel=1e-11)
            assert float(p.pdf(x)) == pytest.approx(float(f(x) / total), rel=1e-11)
        assert p.mean == pytest.approx(float(integral(-mpmath.inf, mpmath.inf, lambda x: x * f(x)) / total), rel=1e-10)
        gain = float(integral(0, mpmath.inf, lambda x: x * f(x)) / total)
    assert p.losses == pytest.approx((gain - p.mean, gain), rel=1e-9)
    assert sum(p.three) == pytest.approx(1, abs=1e-15)


@pytest.mark.oracle("bayes.correlated_ttest", "closed form")
def test_a_wide_prior_is_flat_and_a_narrow_one_decides():
    flat = posterior_with_prior()
    assert posterior_with_prior(prior=1e7).three == pytest.approx(flat.three, abs=1e-10)
    assert posterior_with_prior(prior=1e-9).three == pytest.approx((0, 1, 0), abs=1e-12)
    assert flat.settings["prior"] == "flat"
    middle = [posterior_with_prior(prior=x).mean for x in (1e-3, 0.01, 0.1, 1.0)]
    assert 0 < middle[0] < middle[1] < middle[2] < middle[3] < flat.mean


@pytest.mark.oracle(
    "bayes.DifferencePosterior.ppf bayes.DifferencePosterior.hdi bayes.DifferencePosterior.draws", "scipy"
)
@pytest.mark.parametrize("prior", [0.004, 0.05, 2.0])
def test_quantiles_hdi_and_draws_of_a_posterior_with_a_prior(prior):
    p = posterior_with_prior(prior=prior)
    q = np.array([1e-12, 0.01, 0.5, 0.9, 1 - 1e-9])
    assert p.cdf(p.ppf(q)) == pytest.approx(q, rel=1e-9)
    low, high = p.hdi(0.9)
    assert float(p.cdf(high) - p.cdf(low)) == pytest.approx(0.9, abs=1e-9)
    assert float(p.pdf(low)) == pytest.approx(float(p.pdf(high)), rel=1e-4)
    assert stats.kstest(p.draws(4000, 1), lambda x: p.cdf(x)).pvalue > 0.001


def test_a_posterior_with_a_prior_swaps_moves_its_rope_and_survives_json():
    p = posterior_with_prior(prior=0.03)
    again = bc.bayes.Posterior.from_dict(json.loads(json.dumps(p.to_dict())))
    assert again == p
    assert again.three == p.three
    assert p.swap().three == pytest.approx(p.three[::-1], abs=1e-14)
    assert p.swap().hdi() == pytest.approx([-x for x in p.hdi()[::-1]], abs=1e-8)
    assert p.with_rope(0.05).p_equivalent == pytest.approx(float(p.cdf(0.05) - p.cdf(-0.05)), abs=1e-14)
    assert "prior Student(4, 0, 0.03)" in repr(p)
    assert bc.compare(LABOUR, rope=0.01, bayes_options={"prior": 0.03}).pair("SVM", "DT").posterior.three == p.three


@pytest.mark.oracle("bayes.correlated_ttest bayes.pymc_model", "PyMC")
def test_nuts_agrees_with_the_student_prior():
    exact = posterior_with_prior(prior=0.03)
    sampled = posterior_with_prior(
        prior=0.03, engine="nuts", random_seed=1, draws=2000, chains=2, cores=1, progressbar=False
    )
    for name, value in exact.probabilities.items():
        assert sampled.probabilities[name] == pytest.approx(value, abs=5 * sampled.mcse[name])
    assert sampled.mean == pytest.approx(exact.mean, abs=0.004)


@pytest.mark.oracle("bayes.DifferencePosterior.prior_sensitivity", "brute force")
def test_tipping_point_is_the_largest_scale_with_another_decision():
    """Against the test itself with priors on either side of it."""
    x = LABOUR.values[:, 0]
    p = bc.bayes.correlated_ttest(x[2], x[0], rope=0.001, resampling=KFOLD, higher_is_better=False)
    frame = p.prior_sensitivity(0.9)
    assert frame["prior"][:4].tolist() == ["this result", "flat", "scale of 1 rope", "scale of 2 ropes"]
    assert frame["decision"][1] == p.decision(0.9).words(p.a, p.b)
    again = bc.bayes.correlated_ttest(x[2], x[0], rope=0.001, resampling=KFOLD, higher_is_better=False, prior=0.005)
    assert frame.set_index("prior").loc["scale of 5 ropes", "p_better"] == again.p_better
    tipping = float(frame["prior"].iloc[-1].split()[-1])
    for scale, same in ((1.01 * tipping, True), (1.5 * tipping, True), (20 * tipping, True), (0.99 * tipping, False)):
        other = bc.bayes.correlated_ttest(x[2], x[0], rope=0.001, resampling=KFOLD, higher_is_better=False, prior=scale)
        assert (other.decision(0.9) == p.decision(0.9)) is same
    assert "scale of 10 standard errors" in p.with_rope(0).prior_sensitivity()["prior"].tolist()


def test_priors_that_are_refused_and_results_without_other_priors():
    for bad in (0, -1.0, np.nan, np.inf, "normal", None, [1.0], True):
        with pytest.raises(ValueError, match='must be "flat"'):
            posterior_with_prior(prior=bad)
    with pytest.warns(bc.DegenerateWarning):
        point = bc.bayes.correlated_ttest([0.5] * 10, [0.4] * 10, rope=0.01, resampling=bc.Resampling.kfold(10))
    with pytest.raises(ValueError, match="do not vary"):
        point.prior_sensitivity()
    with pytest.raises(ValueError, match="one prior"):
        bc.bayes.welch_ttest([0.1, 0.2, 0.3], [0.2, 0.4], rope=0).prior_sensitivity()


@pytest.mark.oracle("bayes.correlated_ttest", "simulation")
def test_claims_come_true_with_the_prior_and_less_often_without():
    """True differences that spread by half a standard error: flat claims at P >= .95 are right in about .83."""
    rng = np.random.default_rng(8)
    said, right = {"flat": 0, "student": 0}, {"flat": 0, "student": 0}
    sure = {"flat": [], "student": []}
    folds, n = 30, 4000
    error = 1 / np.sqrt(folds)
    truth = 0.5 * error * rng.standard_t(4, n)
    x = truth[:, None] + rng.standard_normal((n, folds))
    for differences, delta in zip(x, truth, strict=True):
        likelihood = StudentT(differences.mean(), differences.std(ddof=1) * error, folds - 1.0)
        posteriors = {"flat": likelihood}
        if abs(likelihood.location) > 1.2 * likelihood.scale:  # below, neither claims anything
            posteriors["student"] = StudentPosterior(likelihood.location, likelihood.scale, likelihood.df, 0.5 * error)
        for name, posterior in posteriors.items():
            p = float(posterior.sf(0.0))
            if max(p, 1 - p) >= 0.95:
                said[name] += 1
                right[name] += (p > 0.5) == (delta > 0)
                sure[name].append(max(p, 1 - p))
    assert right["flat"] / said["flat"] == pytest.approx(0.85, abs=0.04)
    assert right["student"] / said["student"] == pytest.approx(
        np.mean(sure["student"]), abs=3 * 0.16 / np.sqrt(said["student"])
    )
    assert np.mean(sure["flat"]) > 0.97


def test_the_note_about_no_variation_speaks_of_the_rope_of_the_call():
    with pytest.warns(bc.DegenerateWarning):
        p = bc.bayes.correlated_ttest([0.5] * 10, [0.45] * 10, rope=0.01, resampling=bc.Resampling.kfold(10))
    assert "that one value is above the rope [-0.01, 0.01]" in repr(p)
    assert "that one value is inside the rope [-0.1, 0.1]" in repr(p.with_rope(0.1))
    assert "below the rope [-0.01, 0.01]" in repr(p.swap())
    assert "without a rope" in repr(p.with_rope(0))


def test_tables_have_the_numerical_error_beside_the_monte_carlo_one():
    c = bc.compare(bc.load_uci().select(models=["rf", "svm"]), rope=0.01)
    frame = c.rope_curve([0.01])
    assert frame["numerical_error"][0] == c.posteriors[0].numerical_error > 0
    assert list(frame.columns).index("numerical_error") == list(frame.columns).index("mcse") + 1


@pytest.mark.parametrize("rope", [(0, 0), (-0.01, 0.01), (-0.5, 0.002), (0, 3), (-float("inf"), 0.1)])
def test_one_experiment_in_plain_numbers_is_that_of_many(rng, rope):
    """Moments and regions of one sample against the rows of a table, far tails and huge or tiny numbers included."""
    for n in (2, 3, 10, 100, 100_000):
        for size in (1.0, 1e-12, 1e150, 1e-160, 1e300):
            x = size * rng.normal(rng.choice([0, 0.5, 30]), 1, (3, n))
            whole, each = moments(x), [moments(row) for row in x]
            assert np.allclose(np.transpose(each), whole, rtol=1e-13, atol=0)
    assert moments(np.array([1.0, np.nan, 3.0]))[0] == 2
    region = bc.Rope(*rope)
    for location in (-40.0, -0.3, 0.0, 0.005, 2.0, 1e6):
        for scale, df in ((0.01, 1.0), (1.0, 9.0), (3.0, 99.0), (1e-9, 1e6)):
            expected = [float(p) for p in student_regions(location, scale, df, region)]
            assert regions_of_one(location, scale, df, region) == pytest.approx(expected, rel=1e-13, abs=1e-300)
    flat = np.full(5, 0.25)
    assert student_parameters(flat, 0.1, 1e-12)[1] == 0


@pytest.mark.parametrize("df", [0.3, 1, 2, 9, 39, 41, 99, 9999])
def test_tails_of_one_student_t_to_thirteen_digits(df):
    """By mpmath, to 30 digits."""
    from mpmath import betainc, mp, mpf

    from bayescmp.numerics.student import upper_tail

    with mp.workdps(30):
        for t in (0.0, 1e-12, 1e-3, 0.5, 1.7, 4.0, 20.0, 1e3, 1e8):
            exact = betainc(mpf(df) / 2, mpf(1) / 2, 0, mpf(df) / (mpf(df) + mpf(t) ** 2), regularized=True) / 2
            if exact > 1e-290:
                assert upper_tail(df, t) == pytest.approx(float(exact), rel=1e-12)
                assert upper_tail(df, -t) == pytest.approx(float(1 - exact), rel=1e-12)
