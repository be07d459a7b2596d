"""Bad input to the frequentist tests: which error, and the words that tell what is wrong and what to do."""

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import Resampling, ResamplingError, RopeError, Scores, ScoresError, frequentist

NAN = float("nan")
TEN = np.linspace(0.7, 0.9, 10)
NOISE = np.random.default_rng(1).normal(0.8, 0.05, (10, 4))
ONE_DATASET = Scores.from_arrays(
    {"rf": TEN, "svm": NOISE[:, 0]}, resampling=Resampling.kfold(10), higher_is_better=True
)
RAGGED = Scores.from_frame(
    pd.DataFrame(
        {
            "model": [*"aabbcc", *"aabbc"],
            "dataset": [*"xxxxxx", *"yyyyy"],
            "fold": [1, 2] * 5 + [1],
            "score": np.linspace(0.1, 0.9, 11),
        }
    ),
    higher_is_better=True,
)
APART = Scores.from_frame(
    pd.DataFrame({"model": [*"abbc"], "dataset": [*"xxyy"], "score": [0.1, 0.2, 0.3, 0.4]}), higher_is_better=True
)
PAIRED = (
    frequentist.paired_ttest,
    frequentist.wilcoxon_test,
    frequentist.sign_test,
    frequentist.cohens_d,
    frequentist.cohens_dz,
    frequentist.rank_biserial,
    frequentist.cliffs_delta,
    frequentist.raw_difference,
    frequentist.permutation_test,
)
MANY = (
    frequentist.friedman_test,
    frequentist.iman_davenport_test,
    frequentist.quade_test,
    frequentist.friedman_aligned_ranks_test,
    frequentist.nemenyi_test,
)

ROWS = {
    "no design": (
        lambda: frequentist.corrected_ttest(TEN, NOISE[:, 0]),
        ResamplingError,
        "resampling design of the scores",
        "Resampling.kfold",
    ),
    "run averages as folds": (
        lambda: frequentist.corrected_ttest(TEN, NOISE[:, 0], resampling=Resampling.kfold(5, repeats=10)),
        ResamplingError,
        "averages over the folds",
    ),
    "many datasets for a t-test": (
        lambda: frequentist.paired_ttest(bc.load_uci().pair("rf", "svm")),
        ScoresError,
        "answers for one dataset",
        "dataset=",
    ),
    "one fold": (lambda: frequentist.paired_ttest([0.9], [0.8]), ScoresError, "at least 2 paired scores", "has 1"),
    "one dataset for Wilcoxon": (
        lambda: frequentist.wilcoxon_test(ONE_DATASET.pair("rf", "svm")),
        ScoresError,
        "at least 2 datasets",
        "corrected_ttest",
    ),
    "one dataset for Friedman": (
        lambda: frequentist.friedman_test(bc.load_labour()),
        ScoresError,
        "at least 2 datasets on which all models were run, got 1",
    ),
    "k = 2 for Friedman": (
        lambda: frequentist.friedman_test(NOISE[:, :2]),
        ScoresError,
        "at least 3 models, got 2",
        "wilcoxon_test",
    ),
    "no design for pairs": (
        lambda: frequentist.pairwise_ttest(NOISE),
        ResamplingError,
        "needs the resampling design of the scores",
    ),
    "one model": (
        lambda: frequentist.pairwise_wilcoxon_test({"rf": TEN}),
        ScoresError,
        "at least 2 models",
        '"rf"',
    ),
    "1-D table": (lambda: frequentist.friedman_test(TEN), ScoresError, "2-D array, datasets x models", "(10,)"),
    "a pair for Friedman": (
        lambda: frequentist.friedman_test(ONE_DATASET.pair("rf", "svm")),
        ScoresError,
        "got a Pair",
    ),
    "direction twice": (
        lambda: frequentist.friedman_test(bc.load_domains(), higher_is_better=True),
        ScoresError,
        "Scores have their direction",
    ),
    "not r x k": (
        lambda: frequentist.rxk_cv_ttest(bc.load_labour().pair("SVM", "DT")),
        ResamplingError,
        "runs and folds",
        "100 random splits",
    ),
    "not 5 x 2": (
        lambda: frequentist.cv5x2_ftest(TEN, NOISE[:, 0], resampling=Resampling.kfold(10)),
        ResamplingError,
        "5 runs of 2-fold",
        "got 1 of 10 folds",
    ),
    "one run averaged": (
        lambda: frequentist.rxk_cv_ttest(TEN, NOISE[:, 0], scheme="folds averaged", resampling=Resampling.kfold(10)),
        ResamplingError,
        "at least 2 means of the runs",
    ),
    "unknown scheme": (
        lambda: frequentist.rxk_cv_ttest(TEN, NOISE[:, 0], scheme="some", resampling=Resampling.kfold(10)),
        ValueError,
        "`scheme` must be one of all data",
    ),
    "rope 0 for equivalence": (
        lambda: frequentist.tost_ttest(TEN, NOISE[:, 0], rope=0, corrected=False),
        RopeError,
        "wider than 0",
        "no data can show",
    ),
    "alternative": (
        lambda: frequentist.wilcoxon_test(TEN, NOISE[:, 0], alternative="bigger"),
        ValueError,
        '"greater" (A better)',
        "'bigger'",
    ),
    "zero method": (
        lambda: frequentist.wilcoxon_test(TEN, NOISE[:, 0], zero_method="drop"),
        ValueError,
        "wilcox, pratt, zsplit",
    ),
    "method": (lambda: frequentist.wilcoxon_test(TEN, NOISE[:, 0], method="fast"), ValueError, '"asymptotic"'),
    "ties": (lambda: frequentist.sign_test(TEN, NOISE[:, 0], ties="ignore"), ValueError, '"drop" or "split"'),
    "adjustment": (
        lambda: frequentist.pairwise_wilcoxon_test(NOISE, adjust="sidak"),
        ValueError,
        "bonferroni, holm",
        "'sidak'",
    ),
    "shaffer with a control": (
        lambda: frequentist.pairwise_wilcoxon_test(NOISE, adjust="shaffer", control="model 1"),
        ValueError,
        "for all pairs",
    ),
    "shaffer of no pairs": (
        lambda: frequentist.adjust_p_values([0.1, 0.2], "shaffer"),
        ValueError,
        "all pairs of k models",
    ),
    "too many for bergmann": (
        lambda: frequentist.adjust_p_values(np.full(45, 0.1), "bergmann-hommel", all_pairs=True),
        ValueError,
        "limited to 9 models, got 10",
        "shaffer",
    ),
    "p above 1": (lambda: frequentist.adjust_p_values([0.1, 1.2], "holm"), ValueError, "between 0 and 1, got 1.2"),
    "p NaN": (lambda: frequentist.adjust_p_values([0.1, NAN], "holm"), ValueError, "got nan"),
    "no p": (lambda: frequentist.adjust_p_values([], "holm"), ValueError, "at least one"),
    "unknown control": (
        lambda: frequentist.bonferroni_dunn_test(bc.load_domains(), control="a"),
        ScoresError,
        'no model "a"',
    ),
    "alpha": (lambda: frequentist.nemenyi_test(NOISE, alpha=5), ValueError, "between 0 and 1, got 5"),
    "confidence level": (
        lambda: frequentist.paired_ttest(TEN, NOISE[:, 0]).confidence_interval(95),
        ValueError,
        "between 0 and 1, got 95. For 95 % use 0.95",
    ),
    "no interval": (
        lambda: frequentist.cv5x2_ftest(
            TEN, NOISE[:, 0], resampling=Resampling.kfold(2, repeats=5)
        ).confidence_interval(),
        ValueError,
        "has no confidence interval",
        "corrected_ttest",
    ),
    "alpha as text": (lambda: frequentist.nemenyi_test(NOISE, alpha="x"), ValueError, "between 0 and 1, got 'x'"),
    "alpha of a control as text": (
        lambda: frequentist.bonferroni_dunn_test(NOISE, control="model 1", alpha="x"),
        ValueError,
        "between 0 and 1, got 'x'",
    ),
    "alpha of ANOVA as text": (
        lambda: frequentist.tukey_hsd(NOISE, kind="repeated", alpha="x"),
        ValueError,
        "between 0 and 1, got 'x'",
    ),
    "alpha of TOST as text": (
        lambda: frequentist.tost_ttest(TEN, NOISE[:, 0], rope=0.01, corrected=False, alpha="x"),
        ValueError,
        "between 0 and 0.5, got 'x'",
    ),
    "a list of schemes": (
        lambda: frequentist.rxk_cv_ttest(TEN, NOISE[:, 0], scheme=["x"], resampling=Resampling.kfold(10)),
        ValueError,
        "`scheme` must be one of all data",
    ),
    "a list of kinds": (lambda: frequentist.anova(NOISE, kind=["one-way"]), ValueError, "`kind` must be"),
    "a curve of one effect": (lambda: frequentist.power_curve(0.5, [10]), ValueError, "`effects` must be a list"),
    "a curve of one n": (lambda: frequentist.power_curve([0.5], 10), ValueError, "`n` must be a list", "[10]"),
    "a curve of a list of tests": (lambda: frequentist.power_curve([0.5], [10], test=["x"]), ValueError, "`test`"),
    "ddof as a switch": (lambda: frequentist.cohens_d(TEN, NOISE[:, 0], ddof=True), ValueError, "got True"),
    "ddof": (lambda: frequentist.cohens_d(TEN, NOISE[:, 0], ddof=2), ValueError, "0 or 1, got 2"),
    "bootstrap": (
        lambda: frequentist.bootstrap_interval(TEN, NOISE[:, 0], method="bca"),
        ValueError,
        "\"BCa\", got 'bca'",
    ),
    "seed": (
        lambda: frequentist.bootstrap_interval(TEN, NOISE[:, 0], random_seed=-1),
        ValueError,
        "0 or more, got -1",
    ),
    "no result": (
        lambda: frequentist.TestResult.from_dict({"p": 1}),
        ValueError,
        'TestResult must be an object with a "kind"',
    ),
    "no table": (lambda: frequentist.paired_ttest(TEN, NOISE[:, 0]).table(), ValueError, "has no table"),
    "lower and upper folds": (
        lambda: frequentist.anova(bc.load_uci(), kind="repeated"),
        ScoresError,
        "answers for one dataset",
        "friedman_test",
    ),
    "complex measures": (
        lambda: frequentist.hotelling_test(NOISE[:, :2] * 1j, NOISE[:, 2:]),
        ScoresError,
        "must be numbers, folds x measures",
    ),
    "one test case": (lambda: frequentist.cochran_q_test([[1, 0, 1]]), ScoresError, "at least 2 test cases, got 1"),
    "a fold of Friedman missing": (
        lambda: frequentist.friedman_test(RAGGED),
        ScoresError,
        "`c` has 1 of 2 scores",
        'scores.drop("y")',
    ),
    "a fold of the analysis of variance missing": (
        lambda: frequentist.anova(RAGGED, kind="repeated", dataset="y"),
        ScoresError,
        "same folds, but `c` has",
    ),
    "no dataset of two models": (
        lambda: frequentist.pairwise_wilcoxon_test(APART),
        ScoresError,
        'no dataset on which both "a" and "c"',
    ),
    "nothing to recommend for": (
        lambda: frequentist.recommend(APART.select(models=["a", "c"])),
        ScoresError,
        "no dataset on which two models were run",
    ),
    "McNemar of a pair and an array": (
        lambda: frequentist.mcnemar_test(ONE_DATASET.pair("rf", "svm"), TEN),
        ScoresError,
        "A pair has both models",
    ),
    "effect of one score": (lambda: frequentist.cohens_d([0.9], [0.8]), ScoresError, "`cohens_d` needs at least 2"),
    "Cliff's delta of one array": (lambda: frequentist.cliffs_delta(TEN), ScoresError, "two arrays of scores"),
    "design of an interval": (
        lambda: frequentist.mean_interval(TEN, resampling=Resampling.kfold(5)),
        ResamplingError,
        "makes 5 scores",
    ),
    "paired as text": (
        lambda: frequentist.power_ttest(effect=0.5, n=10, paired="no"),
        ValueError,
        "`paired` must be True or False, got 'no'",
    ),
    "power below alpha": (
        lambda: frequentist.power_wilcoxon(n=20, power=0.04, alpha=0.05, method="simulation", random_seed=1),
        ValueError,
        "`power` must be above alpha = 0.05",
    ),
    "no pairwise tests": (
        lambda: frequentist.PairwiseTests.from_dict({}),
        ValueError,
        'PairwiseTests must be an object with a "kind"',
    ),
}


GAP = Scores.from_frame(
    pd.DataFrame(
        [(m, f"d{d}", NOISE[d, i]) for i, m in enumerate("abcd") for d in range(10) if i + d],
        columns=["model", "dataset", "score"],
    ),
    higher_is_better=True,
)
"""One model was not run on one dataset."""


@pytest.mark.parametrize(
    "call",
    [
        lambda: frequentist.tost_ttest(TEN, TEN, rope=0.02, resampling=Resampling.kfold(10)),
        lambda: frequentist.corrected_ttest(TEN, TEN, resampling=Resampling.kfold(10)),
        lambda: bc.bayes.correlated_ttest(TEN, TEN, rope=0.02, resampling=Resampling.kfold(10)),
        lambda: frequentist.kendalls_w(np.ones((5, 3))),
        lambda: frequentist.friedman_test(GAP),
        lambda: frequentist.nemenyi_test(GAP),
        lambda: frequentist.pairwise_wilcoxon_test(GAP),
        lambda: bc.bayes.rank_models(GAP, rope=0.01, draws=100, random_seed=1),
        lambda: bc.compare(GAP, rope=0.01, bayes="sign_test"),
    ],
)
def test_warnings_point_at_the_caller(call):
    with pytest.warns((bc.DegenerateWarning, bc.MissingWarning)) as caught:
        call()
    assert {(w.filename, w.lineno) for w in caught} == {(__file__, call.__code__.co_firstlineno)}


@pytest.mark.parametrize(("call", "error", "words"), [(v[0], v[1], v[2:]) for v in ROWS.values()], ids=ROWS)
def test_rows(call, error, words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("test", PAIRED)
@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ([0.9, NAN, 0.7], [0.8, 0.7, 0.6], "NaN"),
        ([0.9, np.inf, 0.7], [0.8, 0.7, 0.6], "infinite"),
        ([0.9, 0.8, 0.7], [0.8, 0.7], "3 scores"),
        (["good", "bad"], [0.8, 0.7], "must be numbers"),
        (["0.9", "0.8"], [0.8, 0.7], "must be numbers"),
        (np.array([0.9, True], dtype=object), [0.8, 0.7], "must be numbers"),
        ([], [], "empty"),
        ([0.9, 0.8], None, "two arrays"),
    ],
)
def test_arrays(test, a, b, words):
    with pytest.raises(ScoresError, match=words):
        test(a, b)


@pytest.mark.parametrize("test", MANY)
def test_tables_with_nan(test):
    table = NOISE.copy()
    table[3, 1] = NAN
    with pytest.raises(ScoresError, match="NaN"):
        test(table)


def test_several_metrics_are_refused():
    frame = bc.load_domains().to_frame()
    both = frame.assign(metric="accuracy"), frame.assign(metric="f1")
    import pandas as pd

    scores = Scores.from_frame(pd.concat(both))
    for test in (*MANY, frequentist.pairwise_wilcoxon_test, frequentist.kendalls_w):
        with pytest.raises(ScoresError, match="2 metrics"):
            test(scores)
