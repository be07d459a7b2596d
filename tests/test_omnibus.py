"""Friedman's test and its relatives against scipy, enumeration, brute-force formulas and the worked examples."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import frequentist
from bayescmp.frequentist.omnibus import friedman_statistic
from bayescmp.numerics import friedman as friedman_exact
from bayescmp.numerics.friedman import friedman_exact_p
from bayescmp.numerics.ranks import average_ranks

BOOK_RANKS = np.array(
    [[1, 3, 2], [1.5, 3, 1.5], [1, 3, 2], [1, 3, 2], [2, 3, 1], [1, 3, 2], *[[2, 3, 1]] * 4], dtype=float
)
TESTS = (
    frequentist.friedman_test,
    frequentist.iman_davenport_test,
    frequentist.quade_test,
    frequentist.friedman_aligned_ranks_test,
    frequentist.kruskal_wallis_test,
)


def tied_table(rng, n, k):
    return np.round(rng.normal(0.8, 0.05, (n, k)), 2)


def enumerated_friedman(ranks):
    """P(sum of squared rank sums >= observed) over all orders of every row."""
    observed = (ranks.sum(axis=0) ** 2).sum()
    orders = [[np.array(order) for order in itertools.permutations(row)] for row in ranks[1:]]
    hits = total = 0
    for rows in itertools.product(*orders):
        sums = ranks[0] + sum(rows)
        hits += (sums**2).sum() >= observed - 1e-9
        total += 1
    return hits / total


@pytest.mark.oracle("frequentist.friedman_test frequentist.iman_davenport_test", "example: W14")
def test_w14_friedman_of_the_books_ranks():
    """W14: 15.05 without and 15.435897 with tie correction; mean ranks in place of rank sums would give -118.65."""
    for corrected, chi2, p in ((False, 15.05, 0.00053943), (True, 15.435897, 0.00044477)):
        result = frequentist.friedman_test(-BOOK_RANKS, tie_corrected=corrected, method="asymptotic")
        assert result.statistic == pytest.approx(chi2, abs=1e-6)
        assert result.p_value == pytest.approx(p, abs=1e-8)
    f = frequentist.iman_davenport_test(-BOOK_RANKS, tie_corrected=False)
    assert (f.statistic, f.p_value) == (pytest.approx(27.3636, abs=1e-4), pytest.approx(3.48e-6, abs=5e-9))


@pytest.mark.oracle("frequentist.friedman_test frequentist.iman_davenport_test", "example: W14")
def test_w14_friedman_of_the_unrounded_scores():
    """W14: without rounding the tie vanishes: chi2 = 15.0, exact p = 0.000110, Iman-Davenport 27.0."""
    domains = bc.load_domains()
    asymptotic = frequentist.friedman_test(domains, method="asymptotic")
    assert (asymptotic.statistic, asymptotic.p_value) == (pytest.approx(15.0), pytest.approx(0.00055308, abs=1e-8))
    assert frequentist.friedman_test(domains).p_value == pytest.approx(0.000110, abs=5e-7)
    assert frequentist.iman_davenport_test(domains).statistic == pytest.approx(27.0)
    assert asymptotic.details["rank_sums"] == {"A": 15.0, "B": 30.0, "C": 15.0}
    assert "rough" in asymptotic.notes[0]


@pytest.mark.oracle("frequentist.friedman_test", "example: W15")
def test_w15_exact_upper_tails():
    """W15: k = 3, n = 10; the "two-tailed" values of the book are upper tails too: the test has no second one."""
    rng = np.random.default_rng(5)
    known = {6.2: 0.045560, 9.6: 0.007466, 7.8: 0.017927, 12.6: 0.000834}
    found = {}
    while set(found) < set(known):
        ranks = np.array([rng.permutation(3) + 1.0 for _ in range(10)])
        ranks[:6] = np.where(rng.random((6, 1)) < 0.6, [[1.0, 2.0, 3.0]], ranks[:6])
        chi2 = round(friedman_statistic(ranks, True), 9)
        if chi2 in known:
            found[chi2] = friedman_exact_p(ranks, limited=True)
    assert found == pytest.approx(known, abs=5e-7)


@pytest.mark.oracle("frequentist.kendalls_w", "example: W20")
def test_w20_kendalls_w():
    """W20: 0.7525 without tie correction, 0.771795 with, 0.75 from unrounded scores."""
    assert frequentist.kendalls_w(-BOOK_RANKS, tie_corrected=False).value == pytest.approx(0.7525)
    assert frequentist.kendalls_w(-BOOK_RANKS).value == pytest.approx(0.771795, abs=1e-6)
    assert frequentist.kendalls_w(bc.load_domains()).value == pytest.approx(0.75)


@pytest.mark.oracle("frequentist.friedman_test", "example: W30")
def test_w30_friedman_of_the_lecture():
    """W30: tie-corrected 9.133333, p = 0.027570, mean ranks 2.65, 2.25, 3.35, 1.75."""
    table = {
        "NB": [96.43, 73.42, 72.30, 71.70, 71.67, 74.36, 70.63, 83.21, 98.22, 69.62],
        "SVM": [99.44, 81.34, 91.51, 66.16, 71.67, 77.08, 62.21, 80.63, 93.58, 99.90],
        "ADA": [83.63, 46.46, 72.31, 70.28, 71.67, 74.35, 44.91, 82.54, 93.21, 72.54],
        "RF": [99.55, 79.15, 80.97, 69.99, 71.67, 74.88, 79.87, 84.58, 99.39, 93.94],
    }
    result = frequentist.friedman_test(table, method="asymptotic")
    assert (result.statistic, result.p_value) == (pytest.approx(9.133333, abs=1e-6), pytest.approx(0.027570, abs=1e-6))
    assert result.details["mean_ranks"] == pytest.approx({"NB": 2.65, "SVM": 2.25, "ADA": 3.35, "RF": 1.75})


@pytest.mark.oracle("frequentist.friedman_test frequentist.kruskal_wallis_test", "scipy")
def test_friedman_and_kruskal_agree_with_scipy(rng):
    """With ties; 1e-8."""
    for n, k in ((5, 3), (20, 4), (120, 30)):
        x = tied_table(rng, n, k)
        theirs = stats.friedmanchisquare(*x.T)
        ours = frequentist.friedman_test(x, method="asymptotic")
        assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-8)
        theirs = stats.kruskal(*x.T)
        ours = frequentist.kruskal_wallis_test(x)
        assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-8)


@pytest.mark.oracle("frequentist.friedman_test", "brute force")
@pytest.mark.parametrize(("n", "k"), [(2, 3), (4, 3), (6, 3), (3, 4), (2, 5)])
def test_exact_friedman_is_the_enumeration(rng, n, k):
    """All (k!)^(n-1) orders, with and without ties, where no library has an exact p."""
    for digits in (1, 9):
        ranks = stats.rankdata(np.round(rng.normal(0, 0.2, (n, k)), digits), axis=1)
        assert friedman_exact_p(ranks, limited=False) == pytest.approx(enumerated_friedman(ranks), abs=1e-12)


@pytest.mark.oracle("frequentist.friedman_test", "scipy")
def test_exact_friedman_of_two_models_is_the_sign_test():
    """The statistic grows with |wins - losses|; datasets where both have the same rank move neither rank sum."""
    for wins, losses, ties in ((9, 2, 0), (6, 6, 0), (7, 1, 3), (1, 0, 1), (40, 61, 0)):
        ranks = np.array([[1, 2]] * wins + [[2, 1]] * losses + [[1.5, 1.5]] * ties, dtype=float)
        expected = stats.binomtest(wins, wins + losses).pvalue
        assert friedman_exact_p(ranks, limited=True) == pytest.approx(expected, rel=1e-10)


def test_rank_sums_that_do_not_fit_into_a_whole_number_are_refused():
    """Ten orders a dataset are few, but 801^9 states have no number of 64 bits."""
    ranks = np.full((40, 10), 6.0)
    ranks[np.arange(40), np.arange(40) % 10] = 1.0
    assert friedman_exact_p(ranks, limited=True) is None
    with pytest.raises(ValueError, match="more than about a minute"):
        friedman_exact_p(ranks, limited=False)


@pytest.mark.oracle("frequentist.friedman_test", "simulation")
def test_exact_friedman_never_rejects_more_often_than_alpha(rng):
    """Over the permutation distribution itself, k = 4, n = 5: P(p <= alpha) <= alpha."""
    tables = [np.array([rng.permutation(4) + 1.0 for _ in range(5)]) for _ in range(4000)]
    p = np.array([friedman_exact_p(t, limited=True) for t in tables])
    for alpha in (0.01, 0.05, 0.1, 0.3):
        rate = (p <= alpha).mean()
        assert rate <= alpha + 3 * math.sqrt(alpha * (1 - alpha) / len(p))
        assert rate > 0


def test_large_tables_fall_back_and_say_so(rng):
    result = frequentist.friedman_test(rng.normal(size=(30, 8)))
    assert "chi-square" in result.method
    with pytest.raises(ValueError, match="too large"):
        frequentist.friedman_test(rng.normal(size=(60, 12)), method="exact")


@pytest.mark.oracle("frequentist.quade_test", "closed form: Conover 1999, section 5.8")
def test_quade_agrees_with_conovers_formulas(rng):
    """Written out with loops from Conover (1999, section 5.8): S_ij, A, B, T = (n-1) B/(A - B)."""
    x = tied_table(rng, 9, 4)
    n, k = x.shape
    q = stats.rankdata(np.ptp(x, axis=1).round(10))
    s = np.empty((n, k))
    for i in range(n):
        r = stats.rankdata(-x[i])
        for j in range(k):
            s[i, j] = q[i] * (r[j] - (k + 1) / 2)
    a, b = (s**2).sum(), sum(s[:, j].sum() ** 2 for j in range(k)) / n
    ours = frequentist.quade_test(x)
    assert ours.statistic == pytest.approx((n - 1) * b / (a - b), rel=1e-10)
    assert ours.p_value == pytest.approx(stats.f.sf(ours.statistic, k - 1, (n - 1) * (k - 1)), rel=1e-10)


@pytest.mark.oracle("frequentist.friedman_aligned_ranks_test", "closed form: García et al. 2010")
def test_aligned_ranks_agree_with_garcias_formula(rng):
    """Garcia et al. (2010): T from rank totals of algorithms and of data sets; without ties both forms are equal."""
    x = rng.normal(size=(7, 4))
    n, k = x.shape
    ranks = stats.rankdata(-(x - x.mean(axis=1, keepdims=True))).reshape(n, k)
    columns, rows = ranks.sum(axis=0), ranks.sum(axis=1)
    top = (k - 1) * ((columns**2).sum() - (k * n**2 / 4) * (k * n + 1) ** 2)
    bottom = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - (rows**2).sum() / k
    assert frequentist.friedman_aligned_ranks_test(x).statistic == pytest.approx(top / bottom, rel=1e-10)


@pytest.mark.oracle(
    "frequentist.friedman_test frequentist.iman_davenport_test frequentist.quade_test "
    "frequentist.friedman_aligned_ranks_test frequentist.kruskal_wallis_test",
    "simulation",
)
@pytest.mark.parametrize("test", TESTS)
def test_null_p_values_are_about_uniform(test):
    """400 tables without any difference: rejections at 0.1 within 4 standard errors of it."""
    rng = np.random.default_rng(3)
    p = np.array([test(rng.normal(size=(25, 5))).p_value for _ in range(400)])
    assert abs((p <= 0.1).mean() - 0.1) < 4 * math.sqrt(0.09 / 400)


@pytest.mark.parametrize("test", TESTS)
def test_direction_order_and_scale(rng, test):
    """Lower is better = negated scores; permuting datasets or scaling by a power of two changes nothing."""
    x = tied_table(rng, 8, 4)
    result = test(x)
    for other in (test(-x, higher_is_better=False), test(x[::-1]), test(4 * x)):
        assert other.p_value == pytest.approx(result.p_value, rel=1e-12)
        assert other.details["mean_ranks"] == pytest.approx(result.details["mean_ranks"])
    assert min(result.details["mean_ranks"], key=result.details["mean_ranks"].get)
    assert type(result).from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False))) == result


@pytest.mark.oracle("frequentist.friedman_test frequentist.quade_test frequentist.kendalls_w", "closed form")
def test_perfect_agreement_gives_infinite_f_and_the_exact_p_with_a_note():
    x = np.arange(5.0) + np.zeros((6, 1))
    result = frequentist.iman_davenport_test(x)
    assert result.statistic == np.inf
    assert result.p_value == pytest.approx(1 / math.factorial(5) ** 5)
    assert "infinite" in result.notes[0]
    assert frequentist.friedman_test(x).p_value == pytest.approx(1 / math.factorial(5) ** 5)
    assert frequentist.quade_test(x).p_value == pytest.approx(1 / math.factorial(5) ** 5)
    assert frequentist.kendalls_w(x).value == pytest.approx(1.0)
    assert type(result).from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False))) == result


@pytest.mark.parametrize("test", TESTS)
def test_identical_models(test):
    with pytest.warns(bc.DegenerateWarning, match="equal on every dataset"):
        result = test(np.full((6, 3), 0.1) + np.arange(6)[:, None] * (test is not frequentist.kruskal_wallis_test))
    assert (result.statistic, result.p_value) == (0.0, 1.0)


def test_missing_cells_leave_out_datasets_by_name():
    frame = bc.load_domains().to_frame()
    frame = frame[~((frame["model"] == "B") & (frame["dataset"] == frame["dataset"].iloc[0]))]
    scores = bc.Scores.from_frame(frame, metric="accuracy")
    with pytest.warns(bc.MissingWarning, match="left out, because"):
        assert frequentist.friedman_test(scores).n == 9


@pytest.mark.oracle("frequentist.kendalls_w", "scipy")
def test_kendalls_w_interval_by_the_variance_of_a_u_statistic(rng):
    """r is the mean of scipy's Spearman correlations of all pairs of datasets: Hoeffding's variance, Fisher's z."""
    n, x = 9, np.round(np.linspace(0, 2, 5) + rng.normal(size=(9, 5)), 1)
    table = np.array([[stats.spearmanr(a, b).statistic for b in x] for a in x])
    pairs = table[np.triu_indices(n, 1)]
    of_one = (table.sum(axis=1) - 1) / (n - 1)
    variance = (4 * (n - 2) * np.var(of_one, ddof=1) + 2 * np.var(pairs, ddof=1)) / (n * (n - 1))
    r = pairs.mean()
    reach = stats.norm.isf(0.05) * math.sqrt(variance) / (1 - r**2)
    expected = [(1 + (n - 1) * math.tanh(math.atanh(r) + side * reach)) / n for side in (-1, 1)]
    assert frequentist.kendalls_w(x, confidence_level=0.9).interval == pytest.approx(expected)


@pytest.mark.oracle("frequentist.kendalls_w", "simulation")
def test_kendalls_w_interval_covers(rng):
    """Datasets rank five models by a shared order plus noise: the interval of W covers W of very many datasets... at
    this n, i.e. (1 + (n-1) r)/n with r the true mean rank correlation."""
    n, k, effect = 30, 5, np.linspace(0, 1.2, 5)
    big = stats.rankdata(effect + rng.normal(size=(20_000, k)), axis=1)
    correlation = np.mean(np.sum((big[::2] - 3) * (big[1::2] - 3), axis=1) / 10)
    truth = (1 + (n - 1) * correlation) / n
    hits = 0
    for _ in range(300):
        low, high = frequentist.kendalls_w(effect + rng.normal(size=(n, k))).interval
        hits += low <= truth <= high
    assert abs(hits / 300 - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 300)


@pytest.mark.oracle("frequentist.quade_test", "brute force")
def test_quade_at_perfect_agreement_with_ties():
    """All orders of every row by enumeration: the observed agreement is one of 3^4, relative to the first row."""
    assert frequentist.quade_test([[1, 1, 2]] * 5).p_value == pytest.approx(3.0**-4, rel=1e-12)
    rows = [sorted(set(itertools.permutations((1.5, 1.5, 3)))) for _ in range(3)]
    agree = [len(set(orders)) == 1 for orders in itertools.product(*rows)]
    assert frequentist.quade_test([[1, 1, 2]] * 3).p_value == pytest.approx(np.mean(agree), rel=1e-12)
    assert frequentist.quade_test([[1, 2, 3]] * 4).p_value == pytest.approx(6.0**-3, rel=1e-12)
    assert frequentist.quade_test([list(range(200))] * 3).p_value == 0  # 200!^-2


def test_relative_scale_is_refused_where_sizes_count():
    """A relative difference has no meaning for many models at once, but ranks within a dataset do not mind."""
    scores = bc.load_domains()
    relative = scores.transform("relative")
    for test in (frequentist.quade_test, frequentist.friedman_aligned_ranks_test, frequentist.kruskal_wallis_test):
        with pytest.raises(bc.ScoresError, match=r'"relative".*transform\("log"\)'):
            test(relative)
    for test in (frequentist.friedman_test, frequentist.iman_davenport_test, frequentist.nemenyi_test):
        assert test(relative).p_value == test(scores).p_value
    assert frequentist.kendalls_w(relative) == frequentist.kendalls_w(scores)
    control = frequentist.bonferroni_dunn_test(relative, control="A")
    assert control.p_value == frequentist.bonferroni_dunn_test(scores, control="A").p_value


def test_exact_friedman_refuses_what_takes_too_long(rng, monkeypatch):
    """Estimated before the first step: no row may be added, no orders listed."""
    calls = []
    monkeypatch.setattr(friedman_exact, "_add", lambda *args: calls.append(args))
    monkeypatch.setattr(friedman_exact, "permutations", lambda *args: calls.append(args))
    for n, k in ((40, 8), (3, 12), (400, 5), (2, 60)):
        with pytest.raises(ValueError, match=f"{k} models on {n} datasets.*asymptotic"):
            frequentist.friedman_test(rng.normal(size=(n, k)), method="exact")
        assert "chi-square" in frequentist.friedman_test(rng.normal(size=(n, k))).method
    assert not calls


def test_auto_bounds_the_work_of_all_datasets_together(rng, monkeypatch):
    work = []
    add = friedman_exact._add

    def counted(states, weights, orders, powers):
        work.append(len(states) * len(orders))
        return add(states, weights, orders, powers)

    monkeypatch.setattr(friedman_exact, "_add", counted)
    for n, k, decimals in ((80, 3, 9), (35, 4, 9), (40, 4, 0), (30, 6, 0)):
        work.clear()
        friedman_exact_p(average_ranks(np.round(rng.normal(size=(n, k)), decimals)), limited=True)
        assert sum(work) <= friedman_exact.MOST_WORK


def test_estimated_work_is_a_lower_bound(rng, monkeypatch):
    """What is refused by the estimate would really have been too much."""
    add, work = friedman_exact._add, []

    def counted(states, weights, orders, powers):
        work.append(len(states) * len(orders))
        return add(states, weights, orders, powers)

    monkeypatch.setattr(friedman_exact, "_add", counted)
    for n, k in ((30, 3), (12, 4), (6, 5), (4, 6)):
        work.clear()
        ranks = average_ranks(rng.normal(size=(n, k)))
        friedman_exact_p(ranks, limited=False)
        rows = tuple(tuple(range(2, 2 * k + 1, 2)) for _ in range(n))
        assert 0.2 * sum(work) < friedman_exact._least_work(rows) <= sum(work)


def test_kendalls_w_bound_at_perfect_agreement():
    """Rankings either way round with probabilities q and 1 - q: mean correlation (2q - 1)^2, P(n alike) = q^n + (1-q)^n

    Where the truth is below the bound, all n alike must be rarer than the tail.
    """
    for n in (4, 6, 10, 40):
        low, high = frequentist.kendalls_w([[1, 2, 3, 4]] * n).interval
        assert high == 1
        assert 1 / n <= low < 1
        for q in np.linspace(0.5, 1, 501):
            true = (1 + (n - 1) * (2 * q - 1) ** 2) / n
            assert true >= low or q**n + (1 - q) ** n <= 0.025
    assert low > 0.6


def test_kendalls_w_without_spread_of_the_correlations():
    """Four rankings of nine models whose correlations are all 0 (Latin squares): no spread, so any W is possible."""
    rows, columns = np.divmod(np.arange(9), 3)
    ranks = np.array([rows, columns, (rows + columns) % 3, (rows + 2 * columns) % 3])
    correlations = np.corrcoef(ranks)
    assert np.abs(correlations - np.eye(4)).max() < 1e-12
    effect = frequentist.kendalls_w(ranks)
    assert effect.value == pytest.approx(0.25)
    assert effect.interval == (0, 1)


def test_left_out_datasets_are_in_the_notes():
    """Which datasets a result rests on must not be lost with a warning."""
    values = np.random.default_rng(1).normal(0.8, 0.05, (3, 6))
    frame = [
        {"model": m, "dataset": f"d{j}", "score": values[i, j]}
        for i, m in enumerate("abc")
        for j in range(6)
        if (m, j) != ("b", 2)
    ]
    scores = bc.Scores.from_frame(pd.DataFrame(frame), higher_is_better=True)
    for test in (*TESTS, frequentist.nemenyi_test, lambda s: frequentist.bonferroni_dunn_test(s, control="a")):
        with pytest.warns(bc.MissingWarning):
            result = test(scores)
        assert '"d2" left out, because "b" did not run there' in result.notes
        assert result.datasets == ("d0", "d1", "d3", "d4", "d5")


@pytest.mark.parametrize("test", TESTS)
def test_sizes_do_not_matter(test, rng):
    """Powers of two change no digit, up to the largest numbers there are; warnings are errors."""
    x = np.clip(rng.normal(size=(7, 4)), -1.5, 1.5)
    expected = test(x)
    for scale in (2.0**-1000, 2.0**1023):
        result = test(scale * x)
        assert (result.statistic, result.p_value) == (expected.statistic, expected.p_value)


def test_columns_of_one_name_are_refused(rng):
    """1 and "1" would overwrite each other; "a" twice is no pair of columns."""
    for columns, name in (([1, "1", 2, 3], "1"), (["a", "b", "a", "c"], "a")):
        table = pd.DataFrame(rng.normal(size=(5, 4)), columns=columns)
        for test in (*TESTS, frequentist.pairwise_wilcoxon_test):
            with pytest.raises(bc.ScoresError, match=f'"{name}" is there more than once'):
                test(table)


@pytest.mark.oracle("frequentist.iman_davenport_test", "brute force", "simulation")
def test_iman_davenport_on_three_datasets_is_exact_where_it_is_infinite_and_says_that_it_is_rough():
    """All 216 ways to rank 3 models on 3 datasets: F alone would reject in 0.19 of them at 0.05."""
    orders = list(itertools.permutations((1.0, 2.0, 3.0)))
    found = [frequentist.iman_davenport_test(np.array(rows)) for rows in itertools.product(orders, repeat=3)]
    infinite = [r for r in found if np.isinf(r.statistic)]
    assert {round(r.p_value, 12) for r in infinite} == {round(len(infinite) / len(found), 12)} == {round(1 / 36, 12)}
    assert np.mean([r.p_value <= 0.05 for r in found]) == pytest.approx(0.194, abs=0.001)
    assert all("rough" in r.notes[-1] for r in found if np.isfinite(r.statistic))
    exact = [frequentist.friedman_test(np.array(rows)) for rows in itertools.product(orders, repeat=3)]
    assert np.mean([r.p_value <= 0.05 for r in exact]) <= 0.05


def test_compare_has_iman_davenport_only_where_friedman_is_not_exact():
    few, many = (
        bc.compare(bc.load_domains(), rope=1, random_seed=1),
        bc.compare(bc.load_uci(), rope=0.01, bayes="sign_test"),
    )
    assert [t.method.split(",")[0] for t in few.omnibus] == ["Friedman test"]
    assert "exact" in few.omnibus[0].method
    assert "Iman" not in few.methods_text()
    assert [t.method.split(",")[0] for t in many.omnibus] == ["Friedman test", "Iman-Davenport test"]
