"""Nothing wrong comes out: rounding, numbers of draws, files, foreign errors and what is printed."""

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayes import signed_rank
from bayescmp.bayes.signed_rank import SignedRankInference, _plain, share_draws

# ---- each dataset has its own rounding error


def one_dataset_is_huge(last=0.0):
    """Six differences of .01, and a dataset with scores around 1e13, whose last digit is 0.002."""
    b = np.array([0.81, 0.82, 0.83, 0.84, 0.85, 0.86, 1e13])
    a = b + 0.01
    a[6] = b[6] + last
    return a, b


@pytest.mark.parametrize(("last", "low", "high"), [(0.0, 1, 1), (-1.0, 0.885, 0.897)])
def test_signed_rank_test_has_a_rounding_error_for_each_dataset(last, low, high):
    """With the largest error for all, every sum of two was a tie: P = .5 for either side.

    A loss of 1 on the large dataset outweighs any gain of .01: A is better as long as (1 - w)^2 is above 1/2.
    """
    p = bc.bayes.signed_rank_test(*one_dataset_is_huge(last), rope=0, random_seed=1)
    assert low <= p.p_better <= high


def test_rank_models_by_score_has_a_rounding_error_for_each_dataset():
    """Where the large dataset has little weight, its rounding error does not hide the six differences."""
    a, b = one_dataset_is_huge()
    names = [f"d{i}" for i in range(7)]
    frame = {"dataset": names * 2, "model": ["a"] * 7 + ["b"] * 7, "score": [*a, *b]}
    scores = bc.Scores.from_frame(pd.DataFrame(frame), higher_is_better=True)
    r = bc.bayes.rank_models(scores, rope=0, by="score", random_seed=1)
    # a tie where .01 (1 - w) is below the rounding error w 8 eps 1e13, with w ~ Beta(1, 6)
    error = 8 * np.finfo(float).eps * 1e13
    tied = (error / (0.01 + error)) ** 6
    assert r.p_best["a"] == pytest.approx(1 - tied / 2, abs=0.005)
    assert r.p_better("a", "b") == pytest.approx(r.p_best["a"])
    assert r.mean["a"] == pytest.approx(1e13 / 7, rel=0.02)
    assert r.draws().mean(axis=0)[0] == pytest.approx(r.mean["a"])
    by_rank = bc.bayes.rank_models(scores, rope=0, random_seed=1)
    assert by_rank.p_best_by_score["a"] == pytest.approx(r.p_best["a"], abs=1e-12)


def brute_force(z, errors, weights, rope):
    """theta by the sum over all pairs."""
    total = z[:, None] + z
    tolerance = errors[:, None] + errors
    products = np.einsum("id,jd->ijd", weights, weights) / weights.sum(axis=0) ** 2
    above, below = (
        np.where(np.abs(total - 2 * border) <= tolerance, 0.5, sign * (total - 2 * border) > 0)
        for border, sign in ((rope.high, 1), (rope.low, -1))
    )
    better, worse = ((share[:, :, None] * products).sum(axis=(0, 1)) for share in (above, below))
    return np.stack([better, 1 - better - worse, worse])


@pytest.mark.parametrize("size", [1e-15, 0.05, 1.0])
@pytest.mark.parametrize("width", [0.0, 0.1])
def test_walsh_sums_carry_the_rounding_errors_of_both(rng, size, width):
    n, rope = 12, bc.Rope(-width, width)
    z, errors = rng.normal(size=n).round(1), rng.exponential(size, n)
    inference = SignedRankInference(z, tuple("abcdefghijkl"), errors, 0.0, 0.0, 1000, 1)
    weights = rng.exponential(size=(n, 20))
    assert np.allclose(inference._plan([rope]).theta(weights)[0], brute_force(z, errors, weights, rope))
    assert inference._plan([rope]).one_order or size > 0.01
    weight = inference._plan([rope]).theta(np.ones((n, 1)))[0, :, 0]
    assert inference.summaries([rope])[0].expected == pytest.approx(weight, abs=0.1)


def test_large_rounding_errors_leave_the_other_pairs_their_compiled_loop(monkeypatch):
    _, b = one_dataset_is_huge()
    other = b - 0.02
    a = b + [0.01, 0.03, 0.005, -0.01, -0.01, 0.01, -0.01953125]  # the last may be above -0.01, but not -0.005
    calm = np.append(a[:6], 1e13 + 5)
    options = {"rope": 0, "draws": 2000, "random_seed": 1, "prior": 0}
    results = [bc.bayes.signed_rank_test(x, b, **options) for x in (a, calm, other)]
    plans = [result.inference._plan([result.rope]) for result in results]
    assert [plan.one_order for plan in plans] == [False, True, True]
    monkeypatch.setattr(signed_rank, "LEAST_WORK", 0)
    fast = share_draws(results)
    counts, _ = _plain([result.inference for result in results], plans, results[0].rope)
    assert np.allclose([list(p.probabilities.values()) for p in fast], counts / 2000)


def test_rounding_on_the_logit_scale_is_small_near_0_and_large_near_1():
    pairs = [
        bc.Scores.from_arrays({"a": x, "b": x / 2}, resampling=bc.Resampling.kfold(2), higher_is_better=True)
        .transform("logit")
        .pair("a", "b")
        for x in (np.array([1e-9, 2e-9]), 1 - np.array([1e-9, 2e-9]))
    ]
    assert pairs[0].rounding[0] < 1e-13
    assert 1e-7 < pairs[1].rounding[0] < 1e-5
