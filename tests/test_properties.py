"""What must hold for any numbers: probabilities, mirrors, shifts, orders, units, JSON, and errors with names."""

import inspect
import math
import os
from itertools import pairwise

import numpy as np
import pytest
from calls import (
    ARGUMENTS,
    FREE,
    JUNK,
    MANY,
    TWO,
    Table,
    accepted,
    even,
    is_ours,
    mirrored,
    numbers,
    numbers_by_name,
    other_calls,
    public_functions,
    quietly,
    refusal,
    ropes,
    same,
    there_and_back,
    wild,
)
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp import Resampling, bayes, frequentist
from bayescmp.bayes.distributions import StudentDifference
from bayescmp.bayes.multilevel.result import JointInference

ULP = 2.0**-52


def test_every_public_function_is_in_the_tables():
    """A new public function must be added to calls.py."""
    public = public_functions()
    assert set(ARGUMENTS) == set(public)
    assert {n for n, f in public.items() if {"a", "b"} <= set(inspect.signature(f).parameters)} == {
        *TWO,
        "bayes.hierarchical_ttest",
        "bayes.mcnemar_test",
        "bayes.per_instance_ttest",
        "frequentist.hotelling_test",
        "frequentist.detectable_difference",
        "frequentist.signed_rank_table",
    }
    first = {n for n, f in public.items() if next(iter(inspect.signature(f).parameters)) == "scores"}
    alone = {"bayes.bradley_terry", "bayes.plackett_luce", "bayes.multilevel"}
    assert first - alone - {"frequentist.mean_interval", "frequentist.contrast_test", "frequentist.rank_table"} == {
        n for n in MANY if n != "bayes.signed_rank_tests"
    }


@pytest.mark.parametrize("name", TWO)
@given(a=wild, b=wild, rope=ropes)
def test_any_finite_scores(name, a, b, rope):
    """No NaN, no probability beyond [0, 1], three that sum to 1; infinite only where a limit is."""
    result = quietly(TWO[name], a, b, rope, True)
    if result is None:
        return
    found = numbers(result)
    for key, x in found.items():
        assert not math.isnan(x), key
        if key.startswith(("p_", "probability", "share")):
            assert 0 <= x <= 1, key
        if key in ("signed mean", "signed estimate"):
            assert math.isfinite(x)
    for kind in ("p", "share"):
        if f"{kind}_better" in found:
            total = sum(found[f"{kind}_{part}"] for part in ("better", "equivalent", "worse"))
            assert total == pytest.approx(1, abs=2 * ULP)
    str(result)


@pytest.mark.parametrize("name", TWO)
@given(a=even, b=even, rope=ropes)
def test_swapped_models_mirror(name, a, b, rope):
    one, two = (quietly(TWO[name], *pair, rope, True) for pair in ((a, b), (b, a)))
    if one is None:
        assert two is None
        return
    mirror = mirrored(numbers(one))
    if name == "frequentist.bootstrap_interval":  # drawn by position, so only the estimate mirrors to the last digit
        assert two.estimate == -one.estimate
    else:
        same(numbers(two), mirror, 1e-12)
    if isinstance(one, bayes.Posterior):
        same(numbers(one.swap()), mirror, 1e-12)


@pytest.mark.parametrize("name", TWO)
@given(a=even, b=even, rope=ropes, shift=st.integers(-64, 64), power=st.sampled_from([-40, -1, 3, 60]))
def test_shifts_units_and_directions_change_nothing(name, a, b, rope, shift, power):
    """A constant on both; all in another unit, exact for powers of two; lower is better equals negated scores."""
    call, unit = TWO[name], 2.0**power
    first = quietly(call, a, b, rope, True)
    if first is None:
        return
    base = numbers(first)
    same(numbers(quietly(call, a + shift / 64, b + shift / 64, rope, True)), base, 1e-9)
    same(numbers(quietly(call, -a, -b, rope, False)), base, 1e-12)
    if name == "frequentist.tost_ttest" and not rope:
        return  # its rope of the tables has a unit of its own
    free = isinstance(first, frequentist.EffectSize) and first.name != "mean difference"
    scaled = {
        k: x / unit if k in ("low", "high") or k.startswith("signed") else x
        for k, x in numbers(quietly(call, a * unit, b * unit, rope * unit, True)).items()
    }
    if free:
        scaled = numbers(quietly(call, a * unit, b * unit, rope * unit, True))
    same(scaled, base, 1e-12 if name in ("bayes.welch_ttest", "frequentist.bootstrap_interval") else 0.0)


@pytest.mark.parametrize("name", [n for n in TWO if n not in ("frequentist.bootstrap_interval",) and "cv5x2" not in n])
@given(a=even, b=even, rope=ropes, order=st.permutations(range(10)))
def test_order_of_folds_and_datasets_does_not_matter(name, a, b, rope, order):
    """Signed-rank: its random weights go by the datasets' names, which plain arrays have by position: not these."""
    if name == "bayes.signed_rank_test":
        datasets = [f"d{i}" for i in range(10)]
        one, two = (
            (
                bayes.signed_rank_test(
                    bc.Scores.from_arrays(
                        {"A": a[i], "B": b[i]}, datasets=[datasets[j] for j in i], higher_is_better=True
                    ).pair("A", "B"),
                    rope=rope,
                    draws=64,
                    random_seed=1,
                )
                for i in (np.arange(10), np.array(order))
            )
            if rope < 1
            else (None, None)
        )
    else:
        one = quietly(TWO[name], a, b, rope, True)
        two = quietly(TWO[name], a[list(order)], b[list(order)], rope, True)
    if one is not None:
        same(numbers(two), numbers(one), 1e-9)


@pytest.mark.parametrize("name", [n for n in TWO if n.startswith("bayes.")])
@given(a=even, b=even)
def test_equivalence_grows_with_the_rope(name, a, b):
    """Of a mean difference, and of the expected shares; of signed-rank by the same draws."""
    result = quietly(TWO[name], a, b, 0.0, True)
    grid = [result.with_rope(r) for r in (0, 1 / 64, 1 / 8, 0.5, 2, math.inf)]
    shares = [p.expected["equivalent"] if isinstance(p, bayes.RegionPosterior) else p.p_equivalent for p in grid]
    assert all(x <= y + 4 * ULP for x, y in pairwise(shares))
    assert shares[0] == 0
    assert shares[-1] == 1


@pytest.mark.parametrize("name", [*TWO, *MANY])
@given(a=even, b=even, c=even)
def test_there_and_back_through_json(name, a, b, c):
    if name in TWO:
        result = quietly(TWO[name], a, b, 0.25, True)
    else:
        result = quietly(MANY[name], Table(np.stack([a, b, c], axis=1)))
    for one in result if isinstance(result, list) else [result]:
        if hasattr(one, "to_dict"):
            back = there_and_back(one)
            same(numbers(back), numbers(one))
            same(numbers_by_name(back), numbers_by_name(one))


@given(scale_1=st.floats(1e-6, 1e6), scale_2=st.floats(1e-300, 1e6), df=st.integers(1, 40), at=st.floats(-5, 5))
def test_welch_tails_are_complements(scale_1, scale_2, df, at):
    d = StudentDifference(0.0, scale_1, float(df), scale_2, 3.0)
    assert float(d.cdf(at) + d.sf(at)) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_errors_are_ours_and_name_the_argument(name, monkeypatch):
    """Whatever stands in place of an argument: it works, or a ValueError of ours says which argument it was."""

    monkeypatch.setattr("bayescmp._compat.import_pymc", accepted)
    monkeypatch.setattr(JointInference, "longer", accepted)
    slow = name in ("bayes.bradley_terry", "bayes.plackett_luce", "bayes.hierarchical_ttest")
    _refuses_junk(public_functions()[name], ARGUMENTS[name], JUNK[:: 10 if slow else 1])


@pytest.mark.parametrize("part", range(4))
def test_errors_of_figures_methods_and_settings_are_ours(part):
    """A third of what is invalid for each of them, and another third for the next; `make test-slow` tries all of it."""
    step = 1 if os.environ.get("HYPOTHESIS_PROFILE") == "many" else 3
    for i, (name, (function, fitting)) in enumerate(list(other_calls().items())[part::4]):
        assert refusal(function, fitting) is None, name
        _refuses_junk(function, fitting, JUNK[i % step :: step])


def _refuses_junk(function, fitting, some):
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD or parameter.name in FREE:
            continue
        for junk in some:
            error = refusal(function, fitting | {parameter.name: junk})
            if error is None:
                continue
            what = f"{function.__name__}: {parameter.name}={junk!r}: {error!r}"
            assert is_ours(error), what
            if parameter.name != "result":  # the message says what is needed
                assert any(word in str(error) for word in (parameter.name.rstrip("s"), *OTHER_NAMES)), what


OTHER_NAMES = ("model", "scores", "rho", "effect", "resampled", "rope", "folds", "`a`", "`A`", "`B`")
"""What an argument is called where a message knows it better."""


def test_refused_designs():
    for call in (
        lambda: Resampling.from_sizes("x", [1]),
        lambda: Resampling.from_sizes([3, 3], [2, 2], folds=1.5),
        lambda: Resampling.subsampling(1e-320, 1, 3),
    ):
        with pytest.raises(bc.ResamplingError, match=r"`n_train`|`folds`"):
            call()
