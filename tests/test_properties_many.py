"""What must hold for any numbers, where there are many models, folds of many datasets, counts, or a plan to make."""

import math
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from calls import (
    ARGUMENTS,
    MANY,
    QUARTER,
    TWO,
    Table,
    even,
    mirrored,
    numbers,
    numbers_by_name,
    public_functions,
    quietly,
    ropes,
    same,
    there_and_back,
    wild,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescmp import Scores, bayes, frequentist
from bayescmp.bayes.multilevel import data as multilevel_data
from bayescmp.bayes.ranking.bradley_terry import _counted, count_wins, win_inference
from bayescmp.bayes.ranking.plackett_luce import ranking_inference, rankings
from bayescmp.frequentist.adjust import ADJUSTMENTS, LOGICAL
from bayescmp.scores.inputs import complete_table, in_ropes

ULP = 2.0**-52
tables = st.lists(even, min_size=3, max_size=3).map(lambda columns: Table(np.stack(columns, axis=1)))
wild_tables = st.lists(wild, min_size=3, max_size=3).map(lambda columns: Table(np.stack(columns, axis=1)))
powers = st.sampled_from([-40, -1, 3, 60])
constants = st.lists(st.integers(-640, 640).map(lambda i: i / 64), min_size=10, max_size=10).map(np.array)
GROWING = [lambda x: x, lambda x: x**3, np.exp, lambda x: 100 - 7 * np.exp(-x), np.arctan]


def seldom(least, share=20):
    """For what takes a tenth of a second and more: fewer examples, in both profiles."""
    return settings(max_examples=max(least, settings.default.max_examples // share))


# ---- many models

BY_RANKS_IN_BLOCKS = [
    f"frequentist.{name}"
    for name in "bonferroni_dunn_test friedman_test iman_davenport_test kendalls_w nemenyi_test".split()
]
NO_BLOCKS = ["frequentist.fisher_lsd", "frequentist.kruskal_wallis_test"]
"""Those that take every score for itself: a constant on one block changes them."""


@pytest.mark.parametrize("name", MANY)
@given(table=wild_tables)
def test_any_finite_table(name, table):
    for key, x in numbers_by_name(quietly(MANY[name], table)).items():
        assert not math.isnan(x), key
        if key.startswith("p_"):
            assert 0 <= x <= 1, key


@pytest.mark.parametrize("name", MANY)
@given(table=tables, models=st.permutations(range(3)), blocks=st.permutations(range(10)))
def test_names_and_orders_do_not_matter(name, table, models, blocks):
    """Other names, models in another order, datasets or folds in another order: the same numbers of the same models."""
    base = numbers_by_name(quietly(MANY[name], table))
    names = ("z", "m0", "k") if name != "frequentist.bonferroni_dunn_test" else ("m0", "z", "k")
    renamed = Table(table.values[:, models], models=tuple(names[m] for m in models))
    same(numbers_by_name(quietly(MANY[name], renamed), dict(zip(names, table.models, strict=True))), base, 1e-9)
    turned = Table(table.values[blocks], blocks=tuple(f"d{i}" for i in blocks))
    same(numbers_by_name(quietly(MANY[name], turned)), base, 1e-9)


@pytest.mark.parametrize("name", MANY)
@given(table=tables, shift=st.integers(-64, 64), by_block=constants, power=powers)
def test_shifts_units_and_directions_of_tables(name, table, shift, by_block, power):
    """A constant on all, or on all models of a block; another unit; lower is better equals negated scores."""
    base = numbers_by_name(quietly(MANY[name], table))
    constant = np.full((10, 1), shift / 64) if name in NO_BLOCKS else by_block[:, None]
    same(numbers_by_name(quietly(MANY[name], replace(table, values=table.values + constant))), base, 1e-9)
    same(numbers_by_name(quietly(MANY[name], replace(table, values=-table.values, up=False))), base, 1e-12)
    unit = 2.0**power
    scaled = numbers_by_name(quietly(MANY[name], replace(table, values=table.values * unit, rope=table.rope * unit)))
    same({k: x / unit if k.startswith("score") else x for k, x in scaled.items()}, base, 1e-12)


@pytest.mark.parametrize("name", [*BY_RANKS_IN_BLOCKS, "frequentist.kruskal_wallis_test"])
@given(table=tables, growing=st.lists(st.sampled_from(GROWING), min_size=10, max_size=10))
def test_ranks_know_only_the_order(name, table, growing):
    """Any growing function of the scores, another one for each dataset where ranks are taken there."""
    if name in NO_BLOCKS:
        growing = growing[:1] * 10
    values = np.stack([f(row) for f, row in zip(growing, table.values, strict=True)])
    one, two = (numbers_by_name(quietly(MANY[name], replace(table, values=x))) for x in (table.values, values))
    same(two, one)


@given(table=tables)
def test_among_the_best_and_equivalent_grow_with_the_rope(table):
    grid = (0.0, 1 / 64, 1 / 8, 0.5, 2, math.inf)
    ranking = bayes.rank_models(table.datasets, **table.draws)
    shares = [ranking.with_rope(rope).p_within_rope for rope in grid]
    for low, high in pairwise(shares):
        assert all(low[m] <= high[m] for m in table.models)
    assert set(shares[-1].values()) == {1.0}
    assert sum(ranking.p_best.values()) == pytest.approx(1, abs=4 * ULP)
    assert ranking.rank_distribution.sum(axis=0) == pytest.approx(1, abs=1e-12)
    assert ranking.rank_distribution.sum(axis=1) == pytest.approx(1, abs=1e-12)
    curve = quietly(MANY["compare"], table).rope_curve(grid[:-1])
    for _, rows in curve.groupby(["a", "b"]):
        assert rows["expected_equivalent"].is_monotonic_increasing
        assert rows[["p_better", "p_equivalent", "p_worse"]].sum(axis=1).to_numpy() == pytest.approx(1, abs=1e-12)


@given(table=tables, maps=st.lists(st.integers(-3, 3), min_size=4, max_size=4), order=st.permutations(range(10)))
def test_many_measures(table, maps, order):
    """T^2 and Lambda know no names, no order, and no units: any invertible mixture of the measures gives the same."""
    a, b = table.values[:, :2], table.values[:, 1:]
    shift, mixture = np.array([1.0, -2.0]), np.array(maps, dtype=float).reshape(2, 2)

    def both(x, y, **options):
        t2 = quietly(lambda: frequentist.hotelling_test(x, y, **options))
        wilks = quietly(lambda: frequentist.manova({"m0": x, "m1": y}))
        for result in (t2, wilks):
            if result is not None:
                there_and_back(result)
        return {"t2": t2 and t2.p_value, "wilks": wilks and wilks.p_value}, t2

    base, t2 = both(a, b)
    swapped, other = both(b, a)
    assert swapped == pytest.approx(base, abs=1e-9)
    assert both(a, b, higher_is_better=False)[0] == pytest.approx(base, abs=1e-12)
    assert both(a[list(order)], b[list(order)])[0] == pytest.approx(base, abs=1e-9)
    assert both(a[:, ::-1], b[:, ::-1])[0] == pytest.approx(base, abs=1e-9)
    assert both(a + shift, b + shift)[0] == pytest.approx(base, abs=1e-9)
    assert both(a * 8, b * 8)[0] == pytest.approx(base, abs=1e-12)
    if abs(np.linalg.det(mixture)) > 0.5:
        assert both(a @ mixture, b @ mixture)[0] == pytest.approx(base, abs=1e-6)
    if t2 is not None:
        means = t2.details["mean_differences"]
        assert {m: -x for m, x in other.details["mean_differences"].items()} == pytest.approx(means)


@given(table=wild_tables)
def test_many_measures_of_any_size(table):
    a, b = table.values[:, :2], table.values[:, 1:]
    for call in (lambda: frequentist.hotelling_test(a, b), lambda: frequentist.manova({"m0": a, "m1": b})):
        result = quietly(call)
        if result is not None:
            assert 0 <= result.p_value <= 1
            assert result.statistic >= 0


# ---- strengths

STRENGTHS = {
    "bayes.bradley_terry": lambda t: bayes.bradley_terry(t.datasets, rope=t.rope, draws=4000, random_seed=1),
    "bayes.plackett_luce": lambda t: bayes.plackett_luce(t.datasets, draws=4000, random_seed=1),
}


@pytest.mark.parametrize("name", STRENGTHS)
@seldom(2)
@given(table=tables | wild_tables)
def test_strengths_are_probabilities(name, table):
    posterior = quietly(STRENGTHS[name], table)
    if posterior is None:
        return
    assert sum(posterior.p_best.values()) == pytest.approx(1, abs=1e-12)
    assert sum(posterior.worth.values()) == pytest.approx(1, abs=1e-12)
    assert posterior.rank_distribution.sum(axis=0) == pytest.approx(1, abs=1e-12)
    for matrix in (posterior.p_better_matrix, posterior.p_win_matrix):
        assert matrix + matrix.T == pytest.approx(1, abs=1e-12)
        assert ((matrix >= 0) & (matrix <= 1)).all()
    assert there_and_back(posterior).p_best == posterior.p_best
    renamed = quietly(
        STRENGTHS[name], replace(table, values=table.values * 2, rope=table.rope * 2, models=("z", "y", "x"))
    )
    assert list(renamed.p_best.values()) == list(posterior.p_best.values())


def density(name, table, theta):
    """The log posterior of strengths, which is all that is drawn from."""
    data, rope = in_ropes(complete_table(table.datasets, test=name), table.rope)
    if name == "bayes.bradley_terry":
        inference = win_inference(_counted(*count_wins(data, rope), "spread"), 0.5, 4000, 1)
    else:
        inference = ranking_inference(*rankings(data), 1.0, 4000, 1)
    return inference.log_likelihood(theta) + inference._log_prior(theta, 0.0 if inference.prior == "normal" else None)


@pytest.mark.parametrize("name", STRENGTHS)
@given(
    table=tables,
    models=st.permutations(range(3)),
    blocks=st.permutations(range(10)),
    power=powers,
    growing=st.lists(st.sampled_from(GROWING), min_size=10, max_size=10),
)
def test_strengths_know_only_wins(name, table, models, blocks, power, growing):
    """The same density: models and datasets in another order; a constant, a unit, a direction, any growing function."""
    theta = np.array([[0.0, 0.0, 0.0], [0.3, -1.0, 2.0], [-2.0, 0.5, 0.1]])
    base = density(name, table, theta)
    turned = Table(table.values[:, models], models=tuple(f"m{m}" for m in models))
    assert density(name, turned, theta[:, models]) == pytest.approx(base, rel=1e-12)
    unit = 2.0**power
    for other in (
        Table(table.values[blocks], blocks=tuple(f"d{i}" for i in blocks)),
        replace(table, values=table.values + np.array(blocks)[:, None]),
        replace(table, values=-table.values, up=False),
        replace(table, values=table.values * unit, rope=table.rope * unit),
    ):
        assert density(name, other, theta) == pytest.approx(base, rel=1e-12)
    grown = np.stack([f(row) for f, row in zip(growing, table.values, strict=True)])
    one, two = (density(name, replace(table, values=x, rope=0.0), theta) for x in (table.values, grown))
    assert two == pytest.approx(one, rel=1e-12)


# ---- folds of many datasets

cubes = st.lists(st.integers(-96, 96).map(lambda i: i / 64), min_size=20, max_size=20).map(
    lambda x: np.array(x).reshape(4, 5)
)
# each dataset in a unit of its own, and some with no spread; the cost of a table goes with the orders of magnitude
units = st.lists(st.sampled_from([0.0, 1e-300, 1.0, 10.0, 1e290]), min_size=4, max_size=4)
wild_cubes = st.tuples(cubes, units).map(lambda x: x[0] * np.array(x[1])[:, None])


def hierarchical(a, b, rope=0.25, up=True):
    return quietly(lambda: bayes.hierarchical_ttest(a, b, rope=rope, resampling=QUARTER, higher_is_better=up))


@seldom(2)
@given(a=cubes, b=cubes, order=st.permutations(range(5)), shifts=st.permutations(range(4)), power=powers)
def test_hierarchical_symmetries(a, b, order, shifts, power):
    """Mirror; a constant a dataset; folds and datasets in another order; another unit; lower is better."""
    base = hierarchical(a, b)
    mirror = mirrored(numbers(base))
    same(numbers(hierarchical(b, a)), mirror, 1e-6)
    same(numbers(base.swap()), mirror, 1e-6)
    shift = np.array(shifts, dtype=float)[:, None]
    for other in (
        hierarchical(a + shift, b + shift),
        hierarchical(-a, -b, up=False),
        hierarchical(a[shifts][:, order], b[shifts][:, order]),
    ):
        same(numbers(other), numbers(base), 1e-6)
    unit = 2.0**power
    scaled = numbers(hierarchical(a * unit, b * unit, 0.25 * unit))
    same({k: x / unit if k in ("low", "high", "signed mean") else x for k, x in scaled.items()}, numbers(base), 1e-12)


@seldom(2)
@given(a=cubes, b=cubes)
def test_hierarchical_equivalence_grows_with_the_rope(a, b):
    posterior = hierarchical(a, b)
    shares = [posterior.with_rope(rope).expected["equivalent"] for rope in (0, 1 / 64, 1 / 8, 0.5, 2, math.inf)]
    assert all(x <= y + 1e-9 for x, y in pairwise(shares))
    assert (shares[0], shares[-1]) == (0, 1)
    same(numbers(there_and_back(posterior)), numbers(posterior))


@seldom(2)
@given(a=wild_cubes, b=wild_cubes, rope=ropes)
def test_hierarchical_of_any_finite_scores(a, b, rope):
    posterior = hierarchical(a, b, rope)
    if posterior is None:
        return
    found = numbers(posterior)
    assert all(math.isfinite(x) for x in found.values())
    for kind in ("p", "share"):
        three = [found[f"{kind}_{part}"] for part in ("better", "equivalent", "worse")]
        assert sum(three) == pytest.approx(1, abs=1e-9)
        assert all(0 <= x <= 1 for x in three)
    str(posterior)


def statistics(x, order=(0, 1, 2), up=True):
    """Of the multilevel model: mean contrasts and their scatter, datasets x models and x models, in score units."""
    scores = Scores.from_arrays({f"m{i}": x[i] for i in order}, resampling=QUARTER, higher_is_better=up)
    found = quietly(multilevel_data.prepare, scores, "pooled")
    if found is None or found[1]:
        return None
    s = found[0]
    means, scatter = s.means @ s.basis.T, s.basis @ s.scatter @ s.basis.T
    back = np.argsort(order)
    return {"means": means[:, back] * s.unit, "scatter": scatter[:, back][:, :, back] * s.unit**2, "unit": s.unit}


@given(
    x=st.lists(cubes, min_size=3, max_size=3).map(np.stack),
    models=st.permutations(range(3)),
    shifts=st.permutations(range(4)),
    power=powers,
)
def test_multilevel_statistics(x, models, shifts, power):
    """What the sampler sees: no order of models, no level of a dataset, no unit and no direction but the scores'."""
    base = statistics(x)
    if base is None:
        return
    means = x.mean(axis=2).T
    assert base["means"] == pytest.approx(means - means.mean(axis=1, keepdims=True), abs=1e-9)
    unit = 2.0**power
    for other, scale in (
        (statistics(x, models), 1.0),
        (statistics(x + np.array(shifts)[:, None]), 1.0),
        (statistics(x * unit), unit),
        (statistics(-x, up=False), 1.0),
    ):
        for name, power_of in (("means", 1), ("scatter", 2), ("unit", 1)):
            assert other[name] / scale**power_of == pytest.approx(base[name], rel=1e-9, abs=1e-9)
    turned = statistics(x[:, shifts])
    assert turned["means"] == pytest.approx(base["means"][list(shifts)], abs=1e-9)


PYMC = {
    "correlated_ttest": lambda t: t.folds.pair("m0", "m1"),
    "multilevel": lambda t: Scores.from_arrays(
        {m: x.reshape(2, 5) for m, x in t.columns.items()}, resampling=QUARTER, higher_is_better=t.up
    ),
}


@pytest.mark.parametrize("model", PYMC)
def test_pymc_models_know_no_levels(rng, model):
    """The same log density at a point: with a constant on every block and lower for higher."""
    pytest.importorskip("pymc")
    table = Table(rng.integers(-96, 97, (10, 3)) / 64)
    constant = np.repeat([3.0, -2.0], 5)[:, None]

    def log_density(t):
        built = quietly(lambda: bayes.pymc_model(model, PYMC[model](t)))
        return float(built.compile_logp(mode="FAST_COMPILE")(built.initial_point(random_seed=1)))

    base = log_density(table)
    assert math.isfinite(base)
    assert log_density(replace(table, values=constant - table.values, up=False)) == pytest.approx(base, rel=1e-9)


# ---- right and wrong

answers = st.lists(st.tuples(*[st.booleans()] * 3), min_size=2, max_size=60).map(lambda x: np.array(x, dtype=int))
PAIRED = {
    "frequentist.mcnemar_test": [{}, {"exact": False}, {"mid_p": True}],
    "frequentist.per_instance_ttest": [{}],
}


@pytest.mark.parametrize("name", PAIRED)
@given(right=answers, data=st.data())
def test_right_and_wrong_of_two(name, right, data):
    """Swapped models mirror, and so does wrong for right; the order of the cases does not matter."""
    order = data.draw(st.permutations(range(len(right))))
    for options in PAIRED[name]:

        def call(a, b, options=options):
            return quietly(lambda: public_functions()[name](a, b, **options))

        a, b = right[:, 0], right[:, 1]
        result = call(a, b)
        base = numbers(result)
        assert 0 <= base["p_value"] <= 1
        assert all(math.isfinite(x) for x in base.values())
        same(numbers(call(b, a)), mirrored(base), 1e-12)
        same(numbers(call(1 - a, 1 - b)), mirrored(base), 1e-12)
        same(numbers(call(a[order], b[order])), base, 1e-12)
        same(numbers(there_and_back(result)), base)


@given(right=answers, data=st.data(), rope=st.sampled_from([0.02, 0.1]))
def test_items_in_any_order_and_from_either_side(right, data, rope):
    """Posteriors, the test of equivalence, the interval: B for A mirrors, wrong for right too; order is nothing."""
    order = data.draw(st.permutations(range(len(right))))
    a, b = right[:, 0], right[:, 1]
    varied = np.ptp(a - b) > 0
    for call in (bayes.mcnemar_test, bayes.per_instance_ttest)[: 1 + varied]:
        three = quietly(lambda call=call: call(a, b, rope=rope)).three
        assert sum(three) == pytest.approx(1)
        for x, y in ((b, a), (1 - a, 1 - b)):
            assert quietly(lambda call=call, x=x, y=y: call(x, y, rope=rope)).three == pytest.approx(
                three[::-1], abs=1e-9
            )
        assert quietly(lambda call=call: call(a[order], b[order], rope=rope)).three == pytest.approx(three, abs=1e-9)
    p = quietly(lambda: frequentist.tost_mcnemar(a, b, rope=rope)).p_value
    assert 0 <= p <= 1
    assert quietly(lambda: frequentist.tost_mcnemar(b, a, rope=rope)).p_value == pytest.approx(p, abs=1e-9)
    low, high = (
        getattr(quietly(lambda: frequentist.paired_proportions_interval(a, b)), name) for name in ("low", "high")
    )
    turned = quietly(lambda: frequentist.paired_proportions_interval(b, a))
    assert -1 <= low <= high <= 1
    assert (turned.low, turned.high) == pytest.approx((-high, -low), abs=1e-9)


@given(right=answers, data=st.data())
def test_right_and_wrong_of_many(right, data):
    """Cochran's Q does not know which model is which, which case, or what is right; for two it is McNemar's."""
    q = frequentist.cochran_q_test(right)
    order, models = data.draw(st.permutations(range(len(right)))), data.draw(st.permutations(range(3)))
    for other in (right[order], right[:, models], 1 - right, right.astype(bool)):
        same(numbers(frequentist.cochran_q_test(other)), numbers(q), 1e-12)
    assert 0 <= q.p_value <= 1
    assert there_and_back(q).p_value == q.p_value
    two = right[:, :2]
    plain = frequentist.mcnemar_test(two[:, 0], two[:, 1], exact=False, correction=False)
    assert frequentist.cochran_q_test(two).p_value == pytest.approx(plain.p_value, rel=1e-9)


counts = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
rates = st.sampled_from([2.0**-30, 1 / 64, 0.25, 0.5, 0.75, 63 / 64])  # 1 - p0 is exact


@given(one=counts, two=counts, p0=rates, level=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_proportions(one, two, p0, level):
    """Errors for right answers turn an interval around; swapped models too; no rate leaves [0, 1]."""
    errors, n = one
    for method in ("wilson", "wald", "clopper_pearson", "hoeffding"):
        options = {"method": method, "confidence_level": level}
        i, j = (frequentist.proportion_interval(e, n, **options) for e in (errors, n - errors))
        assert 0 <= i.low <= i.estimate <= i.high <= 1
        assert (j.low, j.high) == pytest.approx((1 - i.high, 1 - i.low), abs=1e-9)
    for method in ("newcombe", "wald"):
        i = frequentist.proportion_difference_interval(*one, *two, method=method, confidence_level=level)
        j = frequentist.proportion_difference_interval(*two, *one, method=method, confidence_level=level)
        assert -1 <= i.low <= i.estimate <= i.high <= 1
        assert (j.low, j.high) == pytest.approx((-i.high, -i.low), abs=1e-12)
    test, mirror = frequentist.binomial_test(errors, n, p0=p0), frequentist.binomial_test(n - errors, n, p0=1 - p0)
    assert 0 <= test.p_value <= 1
    assert mirror.p_value == pytest.approx(test.p_value, rel=1e-6, abs=1e-300)
    tails = [frequentist.binomial_test(errors, n, p0=p0, alternative=a).p_value for a in ("greater", "less")]
    assert sum(tails) >= 1 - 1e-9  # what was observed is in both
    assert there_and_back(test).p_value == test.p_value


@given(wins=st.integers(0, 10**5), losses=st.integers(0, 10**5))
def test_e_values_of_any_counts(wins, losses):
    """Swapped models mirror; the two-sided bet is the mean of the one-sided ones; a p-value is one."""
    both, more, less = (frequentist.e_test(wins, losses, alternative=a) for a in ("two-sided", "greater", "less"))
    swapped = frequentist.e_test(losses, wins, alternative="less")
    assert swapped.log_e == pytest.approx(more.log_e, rel=1e-12, abs=1e-12)
    assert np.logaddexp(more.log_e, less.log_e) - math.log(2) == pytest.approx(both.log_e, rel=1e-9, abs=1e-9)
    assert 0 <= both.p_value <= 1
    assert there_and_back(both).log_e == both.log_e


@given(n=st.integers(1, 10**6), level=st.sampled_from([0.5, 0.95, 0.999]))
def test_hoeffding(n, level):
    half = frequentist.hoeffding_half_width(n, level)
    assert half > 0
    assert frequentist.hoeffding_half_width(n + 1, level) < half
    if half < 1:
        assert frequentist.hoeffding_sample_size(half * (1 + 1e-12), level) == n
        assert frequentist.hoeffding_sample_size(half * (1 - 1e-9 / n), level) in (n, n + 1)


# ---- numbers of one model, and of a family

p_values = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1e-320, 0.05, 1.0])), min_size=6, max_size=6)


@pytest.mark.parametrize("method", [*ADJUSTMENTS, *LOGICAL])
@given(p=p_values, order=st.permutations(range(4)))
def test_adjusted_p_values(method, p, order):
    """Never below the raw ones, in the same order, and the same for the same test wherever it stands."""
    pairs = list(combinations(range(4), 2))  # six p-values are those of all pairs of four models
    adjusted = frequentist.adjust_p_values(p, method, all_pairs=True)
    assert ((adjusted >= np.array(p) * (1 - 4 * ULP)) & (adjusted <= 1)).all()
    by_p = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[by_p]) >= -4 * ULP).all() or method == "bergmann-hommel"
    at = [pairs.index(tuple(sorted((order[i], order[j])))) for i, j in pairs]
    moved = frequentist.adjust_p_values([p[i] for i in at], method, all_pairs=True)
    assert moved == pytest.approx(adjusted[at], rel=1e-12, abs=1e-320)


@given(x=even, order=st.permutations(range(10)), shift=st.integers(-64, 64), power=powers, wide=wild)
def test_intervals_of_one_sample(x, order, shift, power, wide):
    """An HDI of draws and a mean's interval move with the numbers, and hold more with more mass."""
    unit, shift = 2.0**power, shift / 64
    for of in (bayes.hdi, mean_ends):
        low, high = of(x, 0.8)
        assert of(x[order], 0.8) == pytest.approx((low, high), abs=1e-12)
        assert of(x + shift, 0.8) == pytest.approx((low + shift, high + shift), abs=1e-12)
        assert [y / unit for y in of(x * unit, 0.8)] == [low, high]
        assert [-y for y in of(-x, 0.8)[::-1]] == pytest.approx([low, high], abs=1e-12) or of is bayes.hdi
        widths = [np.subtract(*of(x, mass)[::-1]) for mass in (0.1, 0.5, 0.8, 0.99)]
        assert all(a <= b for a, b in pairwise(widths))
        ends = of(wide, 0.8)
        assert not any(map(math.isnan, ends))
        assert ends[0] <= ends[1]


def mean_ends(x, mass):
    interval = frequentist.mean_interval(x, confidence_level=mass)
    assert interval.low <= interval.estimate <= interval.high
    return interval.low, interval.high


# ---- planning

POWERS = {
    "frequentist.power_ttest": (lambda x, n, **more: frequentist.power_ttest(effect=x, n=n, **more), "ttest"),
    "frequentist.power_wilcoxon": (
        lambda x, n, **more: frequentist.power_wilcoxon(effect=x, n=n, method="are", **more),
        "wilcoxon",
    ),
    "frequentist.power_sign_test": (
        lambda x, n, **more: frequentist.power_sign_test(p_win=0.5 + x / 10, n=n, **more),
        "sign",
    ),
    "frequentist.power_mcnemar": (
        lambda x, n, **more: frequentist.power_mcnemar(p_only_a=0.4 + x / 20, p_only_b=0.4 - x / 20, n=n, **more),
        "mcnemar",
    ),
}


@pytest.mark.parametrize("name", POWERS)
@given(effect=st.floats(0, 4), n=st.integers(5, 200), alpha=st.sampled_from([1e-9, 0.01, 0.05, 0.5]))
def test_power(name, effect, n, alpha):
    """Grows with the effect and with the level, is the same for A and B, and is what its curve says."""
    call, test = POWERS[name]
    result = call(effect, n, alpha=alpha)
    assert 0 <= result.power <= 1
    assert there_and_back(result).power == result.power
    assert call(-effect, n, alpha=alpha).power == pytest.approx(result.power, rel=1e-6, abs=1e-12)
    assert call(min(effect * 1.1, 4.5), n, alpha=alpha).power >= result.power - 1e-9
    assert call(effect, n, alpha=min(2 * alpha, 0.9)).power >= result.power - 1e-9
    one, other = (call(effect, n, alpha=alpha, alternative=a).power for a in ("greater", "less"))
    assert other <= one + 1e-12
    given_effect = {
        "sign": 0.5 + effect / 10,
        "mcnemar": (0.4 + effect / 20, 0.4 - effect / 20),
    }.get(test, effect)
    method = {"method": "are"} if test == "wilcoxon" else {}
    curve = frequentist.power_curve([given_effect], [n], test=test, alpha=alpha, **method)
    assert curve["power"].tolist() == [result.power]


@given(table=tables, models=st.permutations(range(3)))
def test_contrasts_turn_with_their_weights(table, models):
    """No order of the models and no level of a dataset; the weights' sign turns t, and their size does not matter."""
    weights = {"m0": 0.5, "m1": 0.5, "m2": -1.0}

    def contrast(x, times=1.0, order=(0, 1, 2)):
        scores = Scores.from_arrays({f"m{i}": x[:, i] for i in order}, datasets=len(x), higher_is_better=True)
        found = quietly(frequentist.contrast_test, scores, {name: times * w for name, w in weights.items()})
        return None if found is None else (found.statistic, found.p_value)

    base = contrast(table.values)
    if base is None:
        return
    assert 0 <= base[1] <= 1
    assert contrast(table.values, order=models) == pytest.approx(base, rel=1e-6, abs=1e-9)
    assert contrast(table.values, -3.0) == pytest.approx((-base[0], base[1]), rel=1e-6, abs=1e-9)


@given(table=tables, power=powers)
def test_tables_behind_the_tests_turn_with_sides_and_units(table, power):
    """Another unit, and B over A: the same ranks, signs turned, the same detectable difference in that unit."""
    a, b, _ = table.values.T
    unit = 2.0**power
    there, back = frequentist.signed_rank_table(a, b), frequentist.signed_rank_table(b * unit, a * unit)
    np.testing.assert_allclose(back["signed_rank"], -there["signed_rank"], atol=1e-12)
    one = frequentist.rank_table(table.datasets).to_numpy()
    two = frequentist.rank_table(replace(table, values=-table.values * unit, up=False).datasets).to_numpy()
    np.testing.assert_array_equal(one, two)
    small, large = frequentist.detectable_difference(a, b), frequentist.detectable_difference(b * unit, a * unit)
    assert large == pytest.approx(small * unit, rel=1e-9)


OWN = {
    "frequentist.detectable_difference": test_tables_behind_the_tests_turn_with_sides_and_units,
    "frequentist.rank_table": test_tables_behind_the_tests_turn_with_sides_and_units,
    "frequentist.signed_rank_table": test_tables_behind_the_tests_turn_with_sides_and_units,
    "bayes.mcnemar_test": test_items_in_any_order_and_from_either_side,
    "bayes.per_instance_ttest": test_items_in_any_order_and_from_either_side,
    "frequentist.tost_mcnemar": test_items_in_any_order_and_from_either_side,
    "frequentist.paired_proportions_interval": test_items_in_any_order_and_from_either_side,
    "frequentist.contrast_test": test_contrasts_turn_with_their_weights,
    "bayes.bradley_terry": test_strengths_know_only_wins,
    "bayes.plackett_luce": test_strengths_know_only_wins,
    "bayes.hierarchical_ttest": test_hierarchical_symmetries,
    "bayes.multilevel": test_multilevel_statistics,
    "bayes.pymc_model": test_pymc_models_know_no_levels,
    "bayes.hdi": test_intervals_of_one_sample,
    "frequentist.mean_interval": test_intervals_of_one_sample,
    "frequentist.hotelling_test": test_many_measures,
    "frequentist.manova": test_many_measures,
    "frequentist.adjust_p_values": test_adjusted_p_values,
    "frequentist.cochran_q_test": test_right_and_wrong_of_many,
    "frequentist.binomial_test": test_proportions,
    "frequentist.proportion_interval": test_proportions,
    "frequentist.proportion_difference_interval": test_proportions,
    "frequentist.e_test": test_e_values_of_any_counts,
    "frequentist.hoeffding_half_width": test_hoeffding,
    "frequentist.hoeffding_sample_size": test_hoeffding,
    "frequentist.power_curve": test_power,
}
"""Functions that fit into none of the tables, and a test of what must hold for any of their numbers."""


def test_every_public_function_has_a_property():
    """A new public function goes into a table, or gets a test of its own."""
    assert {*TWO, *MANY, *PAIRED, *POWERS, *OWN} == set(public_functions()) == set(ARGUMENTS)
