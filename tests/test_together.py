"""Tests that answer all pairs of a comparison at once, against the same tests called pair by pair."""

import copy
import pickle
import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import special

import bayescmp as bc
from bayescmp import catalogue, values
from bayescmp.bayes.difference import FEW_INTERVALS
from bayescmp.bayes.posterior import Posteriors
from bayescmp.comparison import run
from bayescmp.numerics import proportions

TOGETHER = [("correlated_ttest", "corrected_ttest"), ("mcnemar_test", "mcnemar_test"), ("sign_test", "sign_test")]


def folds(rng, models=5, n=30, digits=None, **options):
    level = rng.normal(0.8, 0.03, n)
    x = {f"m{i}": level + rng.normal(i / 200, 0.02, n) for i in range(models)}
    if digits is not None:
        x = {name: np.round(y, digits) for name, y in x.items()}
    return bc.Scores.from_arrays(x, resampling=bc.Resampling.kfold(10, repeats=n // 10), **{"metric": "auc"} | options)


def right(rng, models=5, n=200, share=0.7, **options):
    easy = rng.beta(4 * share, 4 * (1 - share), n)
    x = {f"m{i}": (rng.random(n) < easy).astype(float) for i in range(models)}
    return bc.Scores.from_arrays(x, resampling=bc.Resampling.items(), **{"metric": "accuracy"} | options)


def datasets(rng, models=5, n=20, digits=3, resamples=None, **options):
    level = rng.uniform(0.6, 0.9, (n, 1))
    x = {f"m{i}": np.round(level + rng.normal(0, 0.02, (n, resamples or 1)), digits) for i in range(models)}
    if resamples:
        design = {"resampling": bc.Resampling.kfold(resamples)}
        return bc.Scores.from_arrays(x, **{"metric": "accuracy"} | design | options)
    return bc.Scores.from_arrays({m: y[:, 0] for m, y in x.items()}, datasets=n, **{"metric": "accuracy"} | options)


STUDIES = {
    "folds": (folds, {}, {}),
    "folds, lower is better": (folds, {"metric": "error"}, {}),
    "folds, no rope": (folds, {}, {"rope": 0}),
    "folds, rounded": (folds, {"digits": 2}, {}),
    "ten folds": (folds, {"n": 10}, {}),
    "folds, control": (folds, {}, {"control": "m2", "rope": (-0.01, 0.02)}),
    "folds, wide rope": (folds, {}, {"rope": 0.9}),
    "two models": (folds, {"models": 2}, {}),
    "items": (right, {}, {}),
    "items, lower is better": (right, {"metric": "error"}, {}),
    "items, no rope": (right, {}, {"rope": 0}),
    "items, control": (right, {}, {"control": "m0", "rope": (-0.02, 0.01)}),
    "few items": (right, {"n": 6}, {}),
    "easy items": (right, {"n": 50, "share": 0.99}, {}),
    "items, other prior": (right, {}, {"bayes_options": {"prior": (4.5, 0.5, 0.5, 4.5)}}),
    "many items": (right, {"n": 20_000, "models": 3}, {}),
    "datasets": (datasets, {}, {"bayes": "sign_test"}),
    "datasets, lower is better": (datasets, {"metric": "error"}, {"bayes": "sign_test"}),
    "datasets, ties": (datasets, {"digits": 2}, {"bayes": "sign_test"}),
    "datasets, no rope": (datasets, {"digits": 2}, {"bayes": "sign_test", "rope": 0}),
    "datasets, folds": (datasets, {"resamples": 5}, {"bayes": "sign_test"}),
    "two datasets": (datasets, {"n": 2}, {"bayes": "sign_test"}),
    "datasets, prior": (datasets, {}, {"bayes": "sign_test", "bayes_options": {"prior": 3, "prior_place": "spread"}}),
}


@pytest.fixture
def one_by_one(monkeypatch):
    """`compare` as it is without the functions that answer all pairs at once."""

    def compare(scores, **options):
        with monkeypatch.context() as patch:
            for names, school in zip(zip(*TOGETHER, strict=True), catalogue.SCHOOLS, strict=True):
                for name in names:
                    patch.setitem(catalogue._TESTS, (school, name), replace(catalogue.find(name, school), batch=None))
            return bc.compare(scores, **options)

    return compare


@pytest.mark.parametrize("study", STUDIES)
def test_all_pairs_at_once_are_the_pairs_one_by_one(study, one_by_one, rng):
    make, data, options = STUDIES[study]
    scores, options = make(rng, **data), {"rope": 0.01} | options
    c, alone = bc.compare(scores, **options), one_by_one(scores, **options)
    assert isinstance(c.posteriors, Posteriors)
    assert isinstance(alone.posteriors, tuple)
    for full in (False, True):
        pd.testing.assert_frame_equal(c.table(full=full), alone.table(full=full), rtol=1e-8, atol=1e-10)
    for column in ("pairs", "methods", "n", "statistic", "p_value", "p_adjusted", "estimate", "effect"):
        assert values.same(getattr(c.tests, column), getattr(alone.tests, column)) or getattr(
            c.tests, column
        ) == pytest.approx(getattr(alone.tests, column), rel=1e-12)
    pd.testing.assert_frame_equal(c.decisions(), alone.decisions(), rtol=1e-8, atol=1e-10)
    assert str(c) == str(alone)
    assert c.sentences() == alone.sentences()
    for posterior, other in zip(c.posteriors, alone.posteriors, strict=True):
        assert str(posterior) == str(other)
        assert posterior.settings == other.settings


def test_a_pair_is_what_the_test_of_two_models_gives(rng):
    """Of the correlated t-test bit by bit: both take the same sums."""
    scores = folds(rng)
    for pair in bc.compare(scores, rope=0.01).pairs:
        assert pair.posterior == bc.bayes.correlated_ttest(scores.pair(pair.a, pair.b), rope=0.01)


ODD = {
    "a model that repeats another": lambda rng: _copied(folds(rng), "m1", "m0"),
    "a rope on another scale": lambda rng: replace(folds(rng), values=100 * folds(rng).values),
    "relative differences": lambda rng: folds(rng).transform("relative"),
    "an unanswered item": lambda rng: _with_hole(right(rng)),
    "a dataset that was not run": lambda rng: _with_hole(datasets(rng)),
    "clusters": lambda rng: right(rng, clusters=np.repeat(np.arange(20), 10)),
}


def _copied(scores, name, of):
    values = scores.values.copy()
    values[scores.models.index(name)] = values[scores.models.index(of)]
    return replace(scores, values=values)


def _with_hole(scores):
    values = scores.values.copy()
    values[(1, 0, 3) if scores.items else (1, 4)] = np.nan
    return replace(scores, values=values)


@pytest.mark.parametrize("what", ODD)
def test_what_is_out_of_the_ordinary_is_tested_one_by_one(what, one_by_one, rng):
    scores = ODD[what](rng)
    options = {"rope": 0.01} | ({"bayes": "sign_test"} if len(scores.datasets) > 1 else {})
    found = []
    for compare in (bc.compare, one_by_one):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found.append((compare(scores, **options), [str(w.message) for w in caught]))
    (c, said), (alone, also) = found
    assert said == also
    assert isinstance(c.posteriors, tuple)
    pd.testing.assert_frame_equal(c.table(), alone.table())


@pytest.mark.parametrize("options", [{"cache": True}, {"bayes_options": {"prior": 0.02}}])
def test_options_that_need_every_pair(options, rng, tmp_path):
    options = {"cache": tmp_path} if "cache" in options else options
    assert isinstance(bc.compare(folds(rng), rope=0.01, **options).posteriors, tuple)


def test_posteriors_are_made_when_they_are_asked_for(rng, monkeypatch):
    scores, made = folds(rng, models=8), []
    c = bc.compare(scores, rope=0.01)
    make = c.posteriors._make
    monkeypatch.setattr(c.posteriors, "_make", lambda i: made.append(i) or make(i))
    c.posteriors._made.clear()
    assert (len(c.posteriors), made) == (28, [])
    assert c.posteriors[-1] is c.posteriors[27]
    assert [p.b for p in c.posteriors[:3]] == ["m1", "m2", "m3"]
    assert made == [27, 0, 1, 2]
    with pytest.raises(IndexError):
        c.posteriors[28]


@pytest.mark.parametrize("make", [folds, right])
def test_a_comparison_of_posteriors_that_were_not_made_is_a_value(make, rng):
    c = bc.compare(make(rng), rope=0.01)
    for other in (bc.Comparison.from_json(c.to_json()), pickle.loads(pickle.dumps(c)), copy.deepcopy(c)):
        assert other == c
        assert c == other
        assert isinstance(other.posteriors, tuple)
        pd.testing.assert_frame_equal(other.table(full=True), c.table(full=True), rtol=1e-8, atol=1e-10)


def test_a_rope_curve_moves_every_posterior(rng):
    c = bc.compare(right(rng), rope=0.01)
    for row in c.rope_curve([0, 0.05]).to_dict("records"):
        p = c.pair(row["a"], row["b"]).posterior.with_rope((row["rope_low"], row["rope_high"]))
        assert row["p_better"] == pytest.approx(p.distribution.regions(p.rope)[0], abs=1e-12)


def test_the_batch_of_a_test_may_decline(rng, monkeypatch):
    entry = replace(catalogue.find("correlated_ttest", "bayes"), batch="tests_that_decline:batch")
    module = type(run)("tests_that_decline")
    module.batch = lambda scores, names, rope: None
    monkeypatch.setitem(__import__("sys").modules, "tests_that_decline", module)
    monkeypatch.setitem(catalogue._TESTS, ("bayes", "correlated_ttest"), entry)
    assert isinstance(bc.compare(folds(rng), rope=0.01).posteriors, tuple)


# ---- the HDIs of many pairs


@pytest.mark.parametrize("mass", [0.5, 0.95, 0.99])
def test_shortest_intervals_of_many_pairs(mass, rng):
    """Their mass by draws-free tails, equal densities at both ends, and no shorter interval of that mass nearby."""
    counts = rng.multinomial(150, rng.dirichlet([2, 2, 6], 40)).T + 0.5
    low, high = proportions.shortest_intervals(*counts, mass)
    assert not np.isnan(low).any()
    held = proportions.survival(*counts, low) - proportions.survival(*counts, high)
    assert held == pytest.approx(mass, abs=1e-9)
    assert proportions.density(*counts, low) == pytest.approx(proportions.density(*counts, high), rel=1e-8)
    for i in range(0, 40, 8):
        theta = bc.bayes.mcnemar_test(counts=(0, *(counts[:2, i] - 0.5), counts[2, i] - 0.5), rope=0).distribution
        one = replace(theta, prior=(0.0, 0.5, 0.5, 0.5))
        tail = float(one.cdf(low[i]))
        for shifted in (0.95 * tail, tail + 0.05 * (1 - mass - tail)):
            ends = one.ppf([shifted, shifted + mass])
            assert ends[1] - ends[0] >= high[i] - low[i]


def test_shortest_intervals_against_draws():
    rng = np.random.default_rng(4)
    draws = rng.dirichlet([30.5, 12.5, 60], 400_000)
    low, high = proportions.shortest_intervals(30.5, 12.5, 60.0, 0.9)
    assert bc.bayes.hdi(draws[:, 0] - draws[:, 1], 0.9) == pytest.approx((low[0], high[0]), abs=0.006)


def test_the_skewness_of_the_start():
    """By draws: the start only has to be near, but a wrong sign would cost steps."""
    draws = np.random.default_rng(1).dirichlet([3.0, 20.0, 30.0], 400_000)
    d = draws[:, 0] - draws[:, 1]
    mean, sd, skewness = (float(x) for x in proportions._three_moments(*map(np.asarray, (3.0, 20.0, 30.0))))
    assert mean == pytest.approx(d.mean(), abs=4 * sd / 600)
    assert sd == pytest.approx(d.std(), rel=0.01)
    assert skewness == pytest.approx(np.mean((d - mean) ** 3) / sd**3, abs=0.02)


def test_hdis_are_found_for_all_pairs_once_many_are_asked_for(rng, monkeypatch):
    calls = []
    real = proportions.shortest_intervals
    for place in ("bayescmp.bayes.mcnemar.shortest_intervals", "bayescmp.numerics.proportions.shortest_intervals"):
        monkeypatch.setattr(place, lambda a, *rest: calls.append(np.size(a)) or real(a, *rest))
    c = bc.compare(right(rng, models=12), rope=0.01)
    c.pair("m0", "m1").posterior.hdi()
    assert calls == [1]
    c.table()
    assert calls == [1] * FEW_INTERVALS + [66]


def test_p_values_of_many_tables_are_those_of_each(rng):
    """Chi-square and binomial p of all pairs, by scipy's distribution functions."""
    scores = right(rng, models=6, n=120)
    tests = bc.compare(scores, rope=0.01).tests
    for (a, b), n, p in zip(tests.pairs, tests.n, tests.p_value, strict=True):
        x, y = (scores.values[scores.model_index(m), 0] for m in (a, b))
        wins, losses = int(((x == 1) & (y == 0)).sum()), int(((x == 0) & (y == 1)).sum())
        assert n == wins + losses
        if n < 25:
            expected = min(1.0, 2 * special.bdtr(min(wins, losses), n, 0.5))
        else:
            expected = special.chdtrc(1, max(0, abs(wins - losses) - 1) ** 2 / n)
        assert p == pytest.approx(expected, rel=1e-9)
    assert tests.pairs == tuple(combinations(scores.models, 2))
