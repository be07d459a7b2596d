"""Results through pickle: small after use, equal after loading, and answered without another computation."""

import json
import pickle

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayes.ranking import importance
from bayescmp.bayes.ranking.bootstrap import BootstrapAbilities, StudentAbilities
from bayescmp.bayes.signed_rank import SignedRankInference

MOST_BYTES = 100_000
UCI = bc.load_uci()
PAIR = UCI.pair("rf", "svm")

PAIRS = {
    "correlated_ttest": lambda: bc.bayes.correlated_ttest(PAIR, rope=0.01, dataset=UCI.datasets[0]),
    "welch_ttest": lambda: bc.bayes.welch_ttest([0.81, 0.83, 0.84, 0.80], [0.78, 0.80, 0.79], rope=0.01),
    "sign_test": lambda: bc.bayes.sign_test(PAIR, rope=0.01),
    "signed_rank_test": lambda: bc.bayes.signed_rank_test(PAIR, rope=0.01, random_seed=1),
    "hierarchical_ttest": lambda: bc.bayes.hierarchical_ttest(PAIR, rope=0.01),
}
RANKINGS = {
    "rank_models, many datasets": lambda: bc.bayes.rank_models(UCI, rope=0.01, random_seed=1),
    "rank_models, one dataset": lambda: bc.bayes.rank_models(
        UCI.select(datasets=[UCI.datasets[0]]), rope=0.01, random_seed=1
    ),
    "bradley_terry": lambda: bc.bayes.bradley_terry(UCI, rope=0.01, random_seed=1),
    "plackett_luce": lambda: bc.bayes.plackett_luce(UCI, random_seed=1),
}


def no_more(*_, **__):
    raise AssertionError("computed again")


@pytest.fixture
def frozen(monkeypatch):
    """A function after whose call no engine runs any more."""

    def freeze():
        monkeypatch.setattr("bayescmp.bayes.hierarchical.inference.hyper_posterior", no_more)
        monkeypatch.setattr(SignedRankInference, "_blocks", no_more)
        monkeypatch.setattr(importance, "sample", no_more)
        for inference in (BootstrapAbilities, StudentAbilities):
            monkeypatch.setattr(inference, "blocks", no_more)

    return freeze


def check_trip(result):
    data = pickle.dumps(result)
    assert len(data) < MOST_BYTES
    loaded = pickle.loads(data)
    assert loaded == result
    assert type(loaded) is type(result)
    again = type(result).from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    assert again == result
    return loaded, again


@pytest.mark.parametrize("name", PAIRS)
def test_posteriors_of_a_pair(name, frozen):
    result = PAIRS[name]()
    assert result.a in repr(result)
    row, three, frame = result.row(), result.three, result.to_frame()
    assert len(result.draws(1000)) == 1000
    interval = None if result.mean is None else result.hdi()
    curve = result.rope_curve([0, 0.01, 0.02]) if hasattr(result, "rope_curve") else None
    if name == "hierarchical_ttest":
        assert len(result.datasets_frame()) == len(UCI.datasets)
    frozen()
    for other in check_trip(result):
        assert other.three == three
        assert other.row() == row
        assert other.to_frame().equals(frame)
        assert repr(other) == repr(result)
        assert interval is None or other.hdi() == interval
        assert curve is None or other.rope_curve([0, 0.01, 0.02]).equals(curve)


@pytest.mark.parametrize("name", RANKINGS)
def test_rankings(name, frozen):
    result = RANKINGS[name]()
    assert "P(best)" in repr(result)
    frame, matrix = result.to_frame(), result.p_better_matrix
    assert result.draws(100).shape == (100, len(UCI.models))
    strengths = isinstance(result, bc.bayes.StrengthPosterior)
    wins = result.p_win_matrix if strengths else None
    frozen()
    for other in check_trip(result):
        assert other.p_best == result.p_best
        assert other.rank_hdi() == result.rank_hdi()
        assert other.to_frame().equals(frame)
        assert repr(other) == repr(result)
        assert np.array_equal(other.p_better_matrix, matrix)
        assert wins is None or np.array_equal(other.p_win_matrix, wins)
        with pytest.raises(AssertionError, match="computed again"):
            other.draws()


def test_what_is_kept_is_checked():
    data = RANKINGS["rank_models, many datasets"]().to_dict()
    data["kept"] = {"gap 0.01": bc.Rope(-1, 1).to_dict()}
    with pytest.raises(ValueError, match="must be a RankSummary or Numbers, got a Rope"):
        bc.bayes.RankingPosterior.from_dict(data)


def test_large_tables_stay_small(rng):
    """40 models on 120 datasets: orders are kept, and not every set that was chosen from."""
    scores = bc.Scores.from_arrays(
        {f"m{i}": x for i, x in enumerate(rng.normal(size=(40, 120)))}, higher_is_better=True, datasets=120
    )
    for result in (
        bc.bayes.plackett_luce(scores, draws=4000, random_seed=1),
        bc.bayes.bradley_terry(scores, rope=0, draws=4000, random_seed=1),
    ):
        assert "P(best)" in repr(result)
        check_trip(result)
