"""Post-hoc tests and adjusted p-values against scikit-posthocs, statsmodels, scipy, brute force, published values."""

import itertools
import json
import math
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import ScoresError, frequentist
from bayescmp.frequentist import PairwiseTests, adjust_p_values
from bayescmp.frequentist.adjust import ADJUSTMENTS, LOGICAL
from bayescmp.frequentist.result import MIRRORED
from bayescmp.numerics import noncentral
from bayescmp.numerics.studentized_range import studentized_range_ppf, studentized_range_sf

BOOK_RANKS = np.array(
    [[1, 3, 2], [1.5, 3, 1.5], [1, 3, 2], [1, 3, 2], [2, 3, 1], [1, 3, 2], *[[2, 3, 1]] * 4], dtype=float
)


@pytest.fixture
def table(rng):
    """6 models on 20 datasets, rounded so that there are ties and zeros."""
    return {f"m{j}": np.round(rng.normal(0.8 + j / 100, 0.04, 20), 2) for j in range(6)}


@pytest.mark.oracle("frequentist.nemenyi_test", "example: W16")
def test_w16_nemenyi_uses_infinite_degrees_of_freedom():
    """W16: CD = 1.048135; the book takes 18 df (2.552163 in place of 2.343701)."""
    tests = frequentist.nemenyi_test(-BOOK_RANKS)
    assert tests.critical_difference == pytest.approx(1.048135, abs=1e-6)
    assert np.abs(tests.statistic) == pytest.approx([3.242299, 0.223607, 3.465905], abs=1e-6)
    assert tests.p_value == pytest.approx([0.003398, 0.972813, 0.001533], abs=1e-6)
    assert studentized_range_ppf(0.95, 3) / math.sqrt(2) == pytest.approx(2.343701, abs=1e-6)
    assert studentized_range_ppf(0.95, 3, 18) / math.sqrt(2) == pytest.approx(2.552163, abs=1e-6)


@pytest.mark.oracle("frequentist.nemenyi_test frequentist.bonferroni_dunn_test", "published: Demšar 2006, Table 5")
def test_demsars_critical_values():
    """Demsar (2006), Table 5: two-tailed Nemenyi and Bonferroni-Dunn values, as published."""
    nemenyi = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
    for k, q in nemenyi.items():
        assert studentized_range_ppf(0.95, k) / math.sqrt(2) == pytest.approx(q, abs=1.1e-3)
    rng = np.random.default_rng(1)
    for k, q in {3: 2.241, 5: 2.498, 10: 2.773}.items():
        tests = frequentist.bonferroni_dunn_test(rng.normal(size=(6, k)), control="model 1")
        assert tests.critical_difference == pytest.approx(q * math.sqrt(k * (k + 1) / 36), abs=1e-3)


@pytest.mark.oracle("frequentist.nemenyi_test frequentist.tukey_hsd", "scipy")
def test_studentized_range_agrees_with_scipy():
    q = np.array([0.1, 1.0, 3.0, 5.0])
    for k, df in itertools.product((2, 3, 10), (2, 5, 18, 60, math.inf)):
        assert studentized_range_sf(q, k, df) == pytest.approx(stats.studentized_range.sf(q, k, df), abs=1e-9)


@pytest.mark.oracle("frequentist.nemenyi_test frequentist.tukey_hsd", "closed form", "scipy")
def test_studentized_range_of_two_is_a_t_also_in_its_far_tail():
    """k = 2: the range is sqrt(2) |t|, whose tails scipy's t has with full relative precision."""
    for df in (3, 18, 200):
        q = np.array([0.5, 4.0, 10.0, 20.0])
        assert studentized_range_sf(q, 2, df) == pytest.approx(2 * stats.t.sf(q / math.sqrt(2), df), rel=1e-6)
    q = np.array([1.0, 10.0, 15.0])
    assert studentized_range_sf(q, 2) == pytest.approx(2 * stats.norm.sf(q / math.sqrt(2)), rel=1e-6)


@pytest.mark.oracle("frequentist.nemenyi_test frequentist.PairwiseTests.matrix", "scikit-posthocs")
def test_nemenyi_agrees_with_scikit_posthocs(table):
    import scikit_posthocs

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = scikit_posthocs.posthoc_nemenyi_friedman(np.column_stack(list(table.values())))
    assert frequentist.nemenyi_test(table).matrix().to_numpy() == pytest.approx(theirs.to_numpy(), abs=1e-8)


def test_pairwise_wilcoxon_is_wilcoxon_of_every_pair(table):
    """The vectorised rows equal the single test called by hand, with ties and zeros, for every option."""
    scores = bc.Scores.from_arrays(table, metric="accuracy", datasets=len(table["m0"]))
    for options in (
        {},
        {"zero_method": "pratt"},
        {"zero_method": "zsplit", "alternative": "less"},
        {"method": "asymptotic", "correction": True, "alternative": "greater"},
    ):
        tests = frequentist.pairwise_wilcoxon_test(scores, adjust="none", **options)
        assert len(tests) == 15
        for i, pair in enumerate(scores.pairs()):
            one = frequentist.wilcoxon_test(pair, **options)
            row = tests.result(pair.a, pair.b)
            for name in ("statistic", "p_value", "n", "method", "alternative"):
                assert getattr(row, name) == getattr(one, name)
            assert row.effect_size.value == one.effect_size.value
            assert row.effect_size.interval == pytest.approx(one.effect_size.interval)
            assert tests.estimate[i] == pytest.approx(pair.means.mean())


@pytest.mark.oracle("frequentist.pairwise_wilcoxon_test", "scipy")
def test_pairwise_wilcoxon_agrees_with_scipy_as_scipy_chooses(rng):
    """Without ties scipy is exact up to 50 and asymptotic beyond, as we are."""
    for n in (20, 120):
        x = rng.normal(size=(5, n))
        tests = frequentist.pairwise_wilcoxon_test({f"m{i}": row for i, row in enumerate(x)}, adjust="none")
        theirs = [stats.wilcoxon(x[i] - x[j]).pvalue for i, j in itertools.combinations(range(5), 2)]
        assert tests.p_value == pytest.approx(theirs, rel=1e-9)


@pytest.mark.oracle("frequentist.bonferroni_dunn_test", "closed form", "scipy")
def test_bonferroni_dunn_is_a_normal_test_of_mean_ranks(table):
    x = np.column_stack(list(table.values()))
    mean = stats.rankdata(-x, axis=1).mean(axis=0)
    z = (mean[1:] - mean[0]) / math.sqrt(6 * 7 / (6 * 20))
    tests = frequentist.bonferroni_dunn_test(table, control="m0")
    assert tests.statistic == pytest.approx(z)
    assert tests.p_adjusted == pytest.approx(np.minimum(1, 5 * 2 * stats.norm.sf(np.abs(z))))
    # an adjusted p at most alpha is a distance of at least the critical difference
    beyond = np.abs(tests.estimate) >= tests.critical_difference
    assert beyond.tolist() == [p <= 0.05 for p in tests.p_adjusted]


@pytest.mark.oracle("frequentist.adjust_p_values", "statsmodels")
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("bonferroni", "bonferroni"),
        ("holm", "holm"),
        ("hochberg", "simes-hochberg"),
        ("hommel", "hommel"),
        ("bh", "fdr_bh"),
        ("by", "fdr_by"),
    ],
)
def test_adjustments_agree_with_statsmodels(rng, ours, theirs):
    from statsmodels.stats.multitest import multipletests

    for m in (1, 2, 3, 10, 45):
        p = rng.random(m) ** 3
        p[: m // 3] = p[0]
        assert adjust_p_values(p, ours) == pytest.approx(multipletests(p, method=theirs)[1], abs=1e-12)


@pytest.mark.oracle("frequentist.adjust_p_values", "closed form: Finner 1993")
def test_finner_by_its_definition(rng):
    """Step-down 1 - (1 - p_j)^(m/j) (Finner 1993), written out."""
    p = rng.random(12) ** 2
    order = np.argsort(p)
    expected, largest = np.empty(12), 0.0
    for j, i in enumerate(order, start=1):
        largest = max(largest, 1 - (1 - p[i]) ** (12 / j))
        expected[i] = min(1, largest)
    assert adjust_p_values(p, "finner") == pytest.approx(expected)


@pytest.mark.oracle("frequentist.adjust_p_values", "published: Shaffer 1986", "brute force")
def test_shaffers_numbers_of_true_hypotheses():
    """Published sets for k = 3, 4, 5 (Shaffer 1986), and brute force over all partitions for 6."""
    from bayescmp.frequentist.adjust import _numbers_of_true

    assert _numbers_of_true(3) == {0, 1, 3}
    assert _numbers_of_true(4) == {0, 1, 2, 3, 6}
    assert _numbers_of_true(5) == {0, 1, 2, 3, 4, 6, 10}
    labels = itertools.product(range(6), repeat=6)
    assert _numbers_of_true(6) == {sum(x == y for x, y in itertools.combinations(g, 2)) for g in labels}


@pytest.mark.oracle("frequentist.adjust_p_values", "closed form")
def test_shaffer_is_holm_with_fewer_hypotheses():
    """k = 4: factors 6, 3, 3, 3, 2, 1 in place of Holm's 6, 5, 4, 3, 2, 1."""
    p = np.array([0.001, 0.01, 0.012, 0.02, 0.03, 0.5])
    assert adjust_p_values(p, "shaffer", all_pairs=True) == pytest.approx([0.006, 0.03, 0.036, 0.06, 0.06, 0.5])


@pytest.mark.oracle("frequentist.adjust_p_values", "brute force")
def test_bergmann_hommel_is_closed_testing(rng):
    """The adjusted p is the largest Bonferroni p over all sets of equalities that can be the true ones and hold the
    hypothesis: by brute force over all assignments of 4 models to groups."""
    pairs = list(itertools.combinations(range(4), 2))
    for _ in range(20):
        p = rng.random(6) ** 3
        expected = np.zeros(6)
        for groups in itertools.product(range(4), repeat=4):
            true = [i for i, (x, y) in enumerate(pairs) if groups[x] == groups[y]]
            for i in true:
                expected[i] = max(expected[i], min(1, len(true) * p[true].min()))
        assert adjust_p_values(p, "bergmann-hommel", all_pairs=True) == pytest.approx(expected)


def test_stronger_adjustments_are_never_larger(rng):
    """Hommel <= Hochberg <= Holm <= Bonferroni, and Bergmann-Hommel <= Shaffer <= Holm, for all pairs of 6 models."""
    for _ in range(30):
        p = rng.random(15) ** 4
        by = {m: adjust_p_values(p, m, all_pairs=True) for m in (*ADJUSTMENTS, *LOGICAL)}
        for weaker, stronger in (
            ("bonferroni", "holm"),
            ("holm", "hochberg"),
            ("hochberg", "hommel"),
            ("holm", "shaffer"),
            ("shaffer", "bergmann-hommel"),
            ("by", "bh"),
        ):
            assert (by[stronger] <= by[weaker] + 1e-12).all()
        assert all((a >= p - 1e-12).all() for a in by.values())


@pytest.mark.oracle("frequentist.adjust_p_values frequentist.pairwise_wilcoxon_test", "simulation")
@pytest.mark.parametrize("adjust", ["bonferroni", "holm", "hommel", "finner", "shaffer", "bergmann-hommel"])
def test_family_wise_error_stays_at_its_level(adjust):
    """1,000 tables without any difference, 4 models x 30 datasets: some pair is rejected in at most 5 % of them."""
    rng = np.random.default_rng(8)
    wrong = 0
    for _ in range(1000):
        tests = frequentist.pairwise_wilcoxon_test(rng.normal(size=(30, 4)), adjust=adjust, method="asymptotic")
        wrong += min(tests.p_adjusted) <= 0.05
    assert 0.01 < wrong / 1000 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1000)


@pytest.mark.oracle("frequentist.adjust_p_values", "example: W22")
def test_w22_family_wise_arithmetic():
    """W22: 45 tests at 0.05 expect 2.25 false rejections; ten independent ones err with probability 0.401263."""
    p = np.full(45, 0.05 / 45)
    assert adjust_p_values(p, "bonferroni") == pytest.approx(0.05)
    assert pytest.approx(0.401263, abs=1e-6) == 1 - 0.95**10
    hits = np.random.default_rng(2).random((20_000, 10)).min(axis=1) <= 0.05
    assert hits.mean() == pytest.approx(0.401263, abs=0.015)


@pytest.mark.oracle("frequentist.adjust_p_values", "example: W28")
def test_w28_six_intervals():
    """W28: six 95 % intervals are jointly right with at least 70 %, so Bonferroni's six need 1 - 0.05/6 each."""
    assert adjust_p_values([0.05] * 6, "bonferroni")[0] == pytest.approx(1 - 0.70)


def test_results_and_frames(table):
    tests = frequentist.pairwise_wilcoxon_test(table, adjust="holm")
    assert PairwiseTests.from_dict(json.loads(json.dumps(tests.to_dict(), allow_nan=False))) == tests
    row, mirrored = tests.result("m0", "m5"), tests.result("m5", "m0")
    assert mirrored.effect_size.value == -row.effect_size.value
    assert mirrored.p_adjusted == row.p_adjusted
    frame = tests.to_frame()
    assert list(frame.columns) == list(row.to_frame().columns)
    matrix = tests.matrix()
    assert matrix.loc["m5", "m0"] == row.p_adjusted
    against = frequentist.pairwise_wilcoxon_test(table, control="m5", adjust="finner")
    assert [a for a, _ in against.pairs] == ["m5"] * 5
    with pytest.raises(ValueError, match="not compared"):
        against.result("m0", "m1")
    many = frequentist.pairwise_wilcoxon_test({f"model number {i}": np.arange(6.0) ** (i / 9) for i in range(40)})
    assert len(repr(many).splitlines()) < 20
    with pytest.raises(ScoresError, match='Did you mean "m5"'):
        tests.result("m55", "m0")


def test_each_pair_has_its_own_datasets():
    """A model that was not run everywhere takes no dataset from the other pairs."""
    frame = bc.load_domains().to_frame()
    first = frame["dataset"].iloc[0]
    scores = bc.Scores.from_frame(frame[~((frame["model"] == "B") & (frame["dataset"] == first))], metric="accuracy")
    with pytest.warns(bc.MissingWarning, match="each pair"):
        tests = frequentist.pairwise_wilcoxon_test(scores, adjust="none")
    assert dict(zip(tests.pairs, tests.n, strict=True)) == {("A", "B"): 9, ("A", "C"): 10, ("B", "C"): 9}
    with pytest.warns(bc.MissingWarning):
        pair = scores.pair("A", "B")
    assert tests.p_value[0] == frequentist.wilcoxon_test(pair).p_value


def test_pairwise_t_is_the_t_test_of_every_pair():
    """The vectorised rows equal the single tests, plain and corrected, also where lower is better or differences are
    relative."""
    labour = bc.load_labour()
    sonar = bc.load_uci().select(datasets=["sonar"]).drop("tree_pruned")  # equal to tree there
    for scores in (labour, sonar, sonar.transform("relative"), sonar.transform("log")):
        for corrected, test in ((True, frequentist.corrected_ttest), (False, frequentist.paired_ttest)):
            tests = frequentist.pairwise_ttest(scores, corrected=corrected, adjust="none")
            for pair in scores.pairs():
                one, row = test(pair), tests.result(pair.a, pair.b)
                assert row.method == one.method
                assert (row.statistic, row.p_value, row.estimate, row.df, row.n) == pytest.approx(
                    (one.statistic, one.p_value, one.estimate, one.df, one.n), rel=1e-12
                )
                assert row.effect_size.interval == pytest.approx(one.effect_size.interval, rel=1e-8)
    assert "overlap" in frequentist.pairwise_ttest(labour, corrected=False).notes[0]


@pytest.mark.filterwarnings("ignore::bayescmp.DegenerateWarning")
def test_differences_of_the_size_of_rounding_are_judged_pair_by_pair_on_the_relative_scale():
    """A family and a pair have rounding errors of their own: d_z of a pair was -inf beside t = 0."""
    x = np.full(5, 0.5) + np.arange(5) / 100
    models = {"a": x, "b": x * (1 + 2.2e-16 * np.arange(5)), "c": x + 1e-3}
    scores = bc.Scores.from_arrays(models, metric="accuracy", resampling=bc.Resampling.kfold(5)).transform("relative")
    for a, b in (("a", "b"), ("b", "a")):
        one = frequentist.corrected_ttest(scores.pair(a, b))
        assert frequentist.pairwise_ttest(scores).result(a, b).effect_size == one.effect_size


def test_pairwise_wilcoxon_on_other_scales_is_that_of_the_pairs():
    for scale in ("log", "logit", "relative"):
        scores = bc.load_uci().select(
            models=["nb", "lr", "rf"], datasets=["sonar", "glass", "vehicle", "vowel", "credit-g"]
        )
        scores = scores.transform("relative") if scale == "relative" else _clipped(scores).transform(scale)
        tests = frequentist.pairwise_wilcoxon_test(scores, adjust="none")
        for i, pair in enumerate(scores.pairs()):
            assert tests.p_value[i] == frequentist.wilcoxon_test(pair).p_value
            assert tests.estimate[i] == pytest.approx(pair.means.mean(), rel=1e-9)


def test_pairs_that_do_not_vary_are_named():
    x = np.array([0.7, 0.8, 0.75])
    table = {"rf": x, "copy": x, "svm": [0.6, 0.9, 0.7]}
    with pytest.warns(bc.DegenerateWarning, match="rf vs copy"):
        wilcoxon = frequentist.pairwise_wilcoxon_test(table)
    assert wilcoxon.result("rf", "copy").p_value == 1.0
    with pytest.warns(bc.DegenerateWarning, match="rf vs copy"):
        t = frequentist.pairwise_ttest(table, corrected=False)
    assert "rf vs copy" in t.notes[-1]
    assert json.loads(json.dumps(t.to_dict(), allow_nan=False))


@pytest.mark.filterwarnings("ignore::bayescmp.DegenerateWarning")
def test_a_difference_of_minus_zero_is_none():
    """0 - 0 where lower is better."""
    scores = bc.Scores.from_arrays({"a": [0.0], "b": [0.0]}, datasets=1, higher_is_better=False)
    tests = frequentist.pairwise_wilcoxon_test(scores)
    assert (tests.n, tests.effect) == ((0,), (0.0,))
    with pytest.raises(bc.ScoresError, match='got "a" twice'):
        tests.result("a", "a")


def _clipped(scores):
    """Accuracies without exact 0 and 1, for logs and logits."""
    frame = scores.to_frame()
    return bc.Scores.from_frame(frame.assign(score=frame["score"].clip(0.01, 0.99)), metric="accuracy")


@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_swapped_pairs_are_those_of_the_swapped_test(table, zero_method, alternative):
    """result(b, a) is the test of b against a with the other alternative: W+ of the one is W- of the other."""
    options = {"alternative": alternative, "zero_method": zero_method}
    tests = frequentist.pairwise_wilcoxon_test(table, **options)
    other = {"greater": "less", "less": "greater"}.get(alternative, alternative)
    for a, b in tests.pairs:
        one = frequentist.wilcoxon_test(table[b], table[a], alternative=other, zero_method=zero_method)
        swapped = tests.result(b, a)
        assert (swapped.statistic, swapped.alternative) == (one.statistic, other)
        assert swapped.p_value == pytest.approx(one.p_value, rel=1e-9)
    back = PairwiseTests.from_dict(json.loads(json.dumps(tests.to_dict())))
    assert back == tests


def gappy(rng):
    """Three models on 60 datasets, the third on 20 of them: two exact pairs and an asymptotic one."""
    values = rng.normal(0.8, 0.05, (3, 60))
    frame = pd.DataFrame(
        [
            {"model": m, "dataset": f"d{j}", "score": values[i, j]}
            for i, m in enumerate(("a", "b", "inf"))
            for j in range(60)
            if m != "inf" or j < 20
        ]
    )
    return bc.Scores.from_frame(frame, higher_is_better=True)


def test_each_pair_has_its_method_and_its_datasets(rng):
    """What a pair's result says must be true of that pair: the single test is the oracle."""
    scores = gappy(rng)
    with pytest.warns(bc.MissingWarning):
        tests = frequentist.pairwise_wilcoxon_test(scores)
    frame = tests.to_frame()
    for i, (a, b) in enumerate(tests.pairs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bc.MissingWarning)
            one = frequentist.wilcoxon_test(scores.pair(a, b))
        for result in (tests.result(a, b), tests.result(b, a)):
            assert (result.method, result.n, result.datasets) == (one.method, one.n, one.datasets)
        assert frame["method"][i] == one.method
    assert sorted(set(tests.n)) == [20, 60]
    assert "exact or asymptotic by pair" in tests.method
    assert any("on the datasets of both" in note for note in tests.notes)
    assert PairwiseTests.from_dict(json.loads(json.dumps(tests.to_dict()))) == tests


def test_unadjusted_p_values_are_not_called_adjusted(table):
    plain = frequentist.pairwise_wilcoxon_test(table, adjust="none")
    assert "adjusted" not in repr(plain)
    assert "adjusted" not in plain.result("m0", "m1").sentence()
    assert "adjusted" not in repr(plain.result("m0", "m1"))
    assert "holm-adjusted p" in frequentist.pairwise_wilcoxon_test(table).result("m0", "m1").sentence()


@pytest.mark.parametrize("spread", [0.05, 1e-3, 1e-5])
def test_pairwise_d_z_is_that_of_the_single_test(rng, spread):
    """All pairs at once and one by one, from small effects to those of hundreds of standard deviations."""
    x = {f"m{j}": 0.5 + j / 20 + rng.normal(0, spread, 10) for j in range(5)}
    scores = bc.Scores.from_arrays(x, resampling=bc.Resampling.kfold(10), higher_is_better=True)
    tests = frequentist.pairwise_ttest(scores)
    for (a, b), value, interval in zip(tests.pairs, tests.effect, tests.effect_interval, strict=True):
        one = frequentist.corrected_ttest(scores.pair(a, b)).effect_size
        assert (value, *interval) == pytest.approx((one.value, *one.interval), rel=1e-8)


@pytest.mark.parametrize("values", [[True, False], ["a"], ["0.1"], [None, 0.1]])
def test_p_values_that_are_no_numbers(values):
    with pytest.raises(ValueError, match="`p_values` must be numbers"):
        adjust_p_values(values, "holm")


def test_pairwise_d_z_needs_no_search_pair_by_pair(rng, monkeypatch):
    """Intervals of usual effects are found for all pairs together: the search for a single t must not be called."""

    def refused(*args):
        raise AssertionError(args)

    monkeypatch.setattr(noncentral, "_noncentrality", refused)
    x = {f"m{j}": rng.normal(0.5 + j / 30, 0.05, 10) for j in range(12)}
    scores = bc.Scores.from_arrays(x, resampling=bc.Resampling.kfold(10), higher_is_better=True)
    tests = frequentist.pairwise_ttest(scores)
    assert np.abs(tests.effect).max() > 3
    for (a, b), value in zip(tests.pairs, tests.effect, strict=True):
        d = x[a] - x[b]
        assert value == pytest.approx(d.mean() / d.std(ddof=1), rel=1e-9)


def single_tests_in_both_orders(tests, single):
    """Every pair of the family in both orders beside the single test of the pair in that order."""
    for a, b in tests.pairs:
        for first, second, alternative in ((a, b, tests.alternative), (b, a, MIRRORED.get(tests.alternative))):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield tests.result(first, second), single(first, second, alternative or tests.alternative)


def assert_whole(family, single):
    """All fields are equal, but for what the family adds; numbers but for the order of rounding."""
    assert family.p_adjusted is not None
    family, single = (replace(x, p_adjusted=None, adjustment=None).to_dict() for x in (family, single))
    assert family.keys() == single.keys()
    for name in family:
        assert_close(family[name], single[name], name)


def assert_close(x, y, name):
    if isinstance(x, dict):
        assert x.keys() == y.keys(), name
        for key in x:
            assert_close(x[key], y[key], f"{name}.{key}")
    elif isinstance(x, list):
        assert len(x) == len(y), name
        for one, two in zip(x, y, strict=True):
            assert_close(one, two, name)
    elif isinstance(x, float):
        assert x == pytest.approx(y, rel=1e-9, abs=1e-14), name
    else:
        assert x == y, name


@pytest.mark.parametrize("control", [None, "m2"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
def test_a_pair_of_wilcoxon_tests_is_the_whole_single_test(table, control, alternative, zero_method, method):
    """Ties and zeros, both orders; the family after a trip through JSON gives the same."""
    scores = bc.Scores.from_arrays(table, metric="accuracy", datasets=len(table["m0"]))
    options = {"zero_method": zero_method, "method": method, "correction": method == "asymptotic"}
    tests = frequentist.pairwise_wilcoxon_test(scores, control=control, alternative=alternative, **options)
    back = PairwiseTests.from_json(tests.to_json())

    def single(a, b, side):
        return frequentist.wilcoxon_test(scores.pair(a, b), alternative=side, **options)

    for family, one in single_tests_in_both_orders(tests, single):
        assert_whole(family, one)
        assert back.result(*family.models) == family


@pytest.mark.parametrize("scale", ["score", "log", "relative"])
def test_a_pair_of_wilcoxon_tests_on_folds_with_missing_datasets_is_the_whole_single_test(scale, rng):
    """Folds, an error rate, models that were not run everywhere, identical models, and other scales."""
    values = rng.uniform(0.1, 0.4, (4, 70, 3)).round(2)
    values[3] = values[2]
    rows = [
        {"model": f"m{i}", "dataset": f"d{j}", "fold": k + 1, "score": values[i, j, k]}
        for i, j, k in np.ndindex(values.shape)
        if not (i == 1 and j % 3 == 0)
    ]
    scores = bc.Scores.from_frame(pd.DataFrame(rows), metric="error rate")
    scores = scores if scale == "score" else scores.transform(scale)
    with pytest.warns(bc.MissingWarning), pytest.warns(bc.DegenerateWarning):
        tests = frequentist.pairwise_wilcoxon_test(scores)
    pairs = single_tests_in_both_orders(tests, lambda a, b, _: frequentist.wilcoxon_test(scores.pair(a, b)))
    found = [family for family, one in pairs if assert_whole(family, one) is None]
    assert len(found) == 12
    assert {len(x.datasets) for x in found} == {46, 70}
    assert {"asymptotic" in x.method for x in found} == {True, False}


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("corrected", [True, False])
def test_a_pair_of_t_tests_is_the_whole_single_test(first, alternative, corrected):
    """Notes on overlap, fold size and unequal variances, rho, effect and interval; both orders, also after JSON."""
    test = frequentist.corrected_ttest if corrected else frequentist.paired_ttest
    sonar = bc.load_uci().select(datasets=["sonar"], models=["nb", "rf", "svm"])
    for scores in (bc.load_labour(), sonar, sonar.transform("relative")):
        control = scores.models[1] if first else None
        tests = frequentist.pairwise_ttest(scores, corrected=corrected, control=control, alternative=alternative)
        back = PairwiseTests.from_json(tests.to_json())

        def single(a, b, side, scores=scores):
            return test(scores.pair(a, b), alternative=side)

        frame = tests.to_frame()
        for family, one in single_tests_in_both_orders(tests, single):
            assert_whole(family, one)
            assert back.result(*family.models) == family
            if family.models in tests.pairs:
                row = frame.iloc[tests.pairs.index(family.models)]
                bounds = one.confidence_interval()
                assert (row["ci_low"], row["ci_high"], row["estimate"]) == pytest.approx((*bounds, one.estimate))


def test_a_pair_of_t_tests_of_plain_arrays_is_the_whole_single_test(table):
    x = {name: table[name] for name in ("m0", "m1", "m2")} | {"same": table["m0"] + 0.125}
    with pytest.warns(bc.DegenerateWarning):
        tests = frequentist.pairwise_ttest(x, corrected=False)
    for family, one in single_tests_in_both_orders(tests, lambda a, b, _: frequentist.paired_ttest(x[a], x[b])):
        assert_whole(replace(family, models=("A", "B"), notes=()), replace(one, models=("A", "B"), notes=()))
        assert len(family.notes) == len(one.notes)


def test_a_family_of_single_tests_keeps_them(table):
    """Sign tests of all pairs: each as it was, and swapped where it is asked for the other way round."""
    scores = bc.Scores.from_arrays(table, metric="accuracy", datasets=len(table["m0"]))
    singles = [frequentist.sign_test(pair, alternative="greater") for pair in scores.pairs()]
    tests = PairwiseTests.of(singles, scores.models)
    assert PairwiseTests.from_json(tests.to_json()) == tests
    assert "adjusted" not in repr(tests) + tests.result("m0", "m1").sentence()
    for family, one in single_tests_in_both_orders(
        tests, lambda a, b, side: frequentist.sign_test(scores.pair(a, b), alternative=side)
    ):
        assert_whole(family, one)
    with pytest.raises(ValueError, match="one entry for each of 15 pairs"):
        replace(tests, p_value=tests.p_value[1:])


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_swapped_is_the_test_of_the_swapped_scores(rng, alternative):
    """Every test of two models with an estimate: `swap()` equals the call with B first."""
    a, b = rng.normal(0.8, 0.05, (2, 10)).round(2)
    right_a, right_b = rng.random((2, 60)) < [[0.8], [0.6]]
    design, other = bc.Resampling.kfold(2, repeats=5), MIRRORED.get(alternative, alternative)
    f = frequentist

    def both(test, x, y, **options):
        one, two = test(x, y, alternative=alternative, **options), test(y, x, alternative=other, **options)
        turned, expected = (replace(x, notes=(), details=x.details | {"accuracy": None}) for x in (one.swap(), two))
        assert_close(replace(turned, models=two.models).to_dict(), expected.to_dict(), test.__name__)
        assert one.swap().swap() == one

    both(f.paired_ttest, a, b)
    both(f.corrected_ttest, a, b, resampling=design)
    both(f.rxk_cv_ttest, a, b, resampling=design)
    both(f.cv5x2_ttest, a, b, resampling=design)
    both(f.welch_ttest, a, b[:7])
    both(f.wilcoxon_test, a, b)
    both(f.sign_test, a, b)
    both(f.permutation_test, a, b)
    both(f.permutation_test, a, b[:7], paired=False)
    for exact in (True, False):
        both(f.mcnemar_test, right_a, right_b, exact=exact)
    both(f.per_instance_ttest, right_a, right_b)
    for rope in (0.1, (-0.02, 0.05)):
        one = f.tost_ttest(a, b, rope=rope, resampling=design).swap()
        low, high = (-rope, rope) if isinstance(rope, float) else rope
        two = f.tost_ttest(b, a, rope=(-high, -low), resampling=design)
        assert_close(replace(one, models=two.models).to_dict(), two.to_dict(), "tost")
    with pytest.raises(ValueError, match="can be swapped"):
        f.cochran_q_test(np.column_stack([right_a, right_b])).swap()


def test_sentences_keep_a_p_value_on_its_side_of_alpha(table):
    result = replace(frequentist.wilcoxon_test(table["m0"], table["m1"]), p_value=0.0504, p_adjusted=0.05004)
    assert ", p = .0504, " in replace(result, p_adjusted=None).sentence(alpha=0.05)
    assert "holm-adjusted p = .05004" in replace(result, adjustment="holm").sentence(alpha=0.05)
    assert "p = .050," in result.sentence()
    for adjustment in ("none", None):
        assert "adjusted" not in replace(result, adjustment=adjustment).sentence()
        assert "adjusted" not in repr(replace(result, adjustment=adjustment))


@pytest.mark.oracle("frequentist.TestResult.swap", "scipy")
def test_swapped_tests_agree_with_scipy(rng):
    a, b = rng.normal(0.8, 0.05, (2, 12))
    t = frequentist.paired_ttest(a, b, alternative="greater").swap()
    theirs = stats.ttest_rel(b, a, alternative="less")
    assert (t.statistic, t.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert t.alternative == "less"
    assert t.confidence_interval() == pytest.approx(tuple(theirs.confidence_interval(0.95)))
    w = frequentist.wilcoxon_test(a, b, alternative="greater").swap()
    theirs = stats.wilcoxon(b - a, alternative="less")
    assert (w.statistic, w.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_pairs_with_the_same_t_have_the_interval_of_each():
    """36 pairs of models with equal means: all t are 0."""
    patterns = [p for p in itertools.product([0.0, 1.0], repeat=6) if sum(p) == 3][:9]
    scores = bc.Scores.from_arrays({f"m{i}": [p] for i, p in enumerate(patterns)}, higher_is_better=True)
    tests = frequentist.pairwise_ttest(scores, corrected=False)
    for (a, b), interval in zip(tests.pairs, tests.effect_interval, strict=True):
        one = frequentist.paired_ttest(scores.pair(a, b)).effect_size
        assert interval == pytest.approx(one.interval)
        assert tests.result(a, b).effect_size == one
