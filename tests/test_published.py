"""Published results computed again from their inputs, to the printed digit or within a stated deviation."""

import numpy as np
import published
import pytest

from bayescmp import frequentist


def check(numbers):
    wrong = [n for n in numbers if not abs(n.deviation) <= n.allowed]
    assert not wrong, "\n".join(f"{n.quantity}: printed {n.printed}, ours {n.ours!r}" for n in wrong)


@pytest.mark.oracle(
    "bayes.correlated_ttest frequentist.corrected_ttest frequentist.paired_ttest frequentist.pairwise_ttest "
    "bayes.DifferencePosterior.hdi",
    "published: scikit-learn gallery, comparison of models using grid search",
)
def test_scikit_learn_gallery():
    check(published.scikit_learn())


@pytest.mark.oracle(
    "frequentist.wilcoxon_test frequentist.sign_test frequentist.friedman_test frequentist.iman_davenport_test "
    "frequentist.nemenyi_test frequentist.bonferroni_dunn_test",
    "published: Demšar 2006, Tables 2 and 6",
)
def test_demsar():
    check(published.demsar())


@pytest.mark.oracle("frequentist.sign_test", "published: Demšar 2006, section 3.1.4")
def test_demsars_sign_test_is_one_sided():
    """11 of 14 wins are called significant at 0.05 two-tailed, which is true of one tail; both together have 0.057."""
    data = published.DEMSAR_AUC[:, 1], published.DEMSAR_AUC[:, 0]
    assert frequentist.sign_test(*data, ties="split", alternative="greater").p_value == pytest.approx(470 / 2**14)
    assert frequentist.sign_test(*data, ties="split").p_value == pytest.approx(940 / 2**14)


@pytest.mark.oracle("frequentist.wilcoxon_test", "published: Demšar 2006, section 3.1.3")
def test_demsars_critical_value_of_wilcoxon():
    """N = 14: the smaller sum of ranks is significant at 0.05 up to 21."""
    ranks = np.arange(1.0, 15)
    for negative, significant in (([14, 7], True), ([14, 8], False)):
        d = np.where(np.isin(ranks, negative), -ranks, ranks)
        result = frequentist.wilcoxon_test(d, np.zeros(14))
        assert result.statistic == sum(negative)
        assert (result.p_value <= 0.05) == significant


@pytest.mark.oracle("frequentist.adjust_p_values", "published: García and Herrera 2008")
def test_garcia_and_herrera():
    check(published.garcia_herrera())


@pytest.mark.oracle(
    "frequentist.mcnemar_test frequentist.cochran_q_test", "published: mlxtend user guide; Kuncheva 2004, corrected"
)
def test_mlxtend_user_guide():
    check(published.mlxtend())


@pytest.mark.oracle(
    "frequentist.wilcoxon_test frequentist.friedman_test frequentist.kendalls_w",
    "published: Hollander and Wolfe 1973, in R's manual",
)
def test_hollander_and_wolfe():
    check(published.r_manual())


@pytest.mark.oracle("frequentist.anova", "published: NIST StRD, SiRstv")
def test_nist_certified_anova():
    check(published.nist())


@pytest.mark.oracle("frequentist.power_ttest frequentist.Power.n_whole", "published: Cohen 1992, Table 2")
def test_cohens_power_primer():
    check(published.cohen())


@pytest.mark.oracle(
    "frequentist.paired_ttest frequentist.cohens_d bayes.correlated_ttest frequentist.friedman_test",
    "published: Japkowicz and Boukouvalas 2024",
)
def test_japkowicz_and_boukouvalas():
    check(published.book())


@pytest.mark.oracle(
    "frequentist.paired_ttest frequentist.corrected_ttest bayes.correlated_ttest", "example: W09, Part C"
)
def test_labour_by_hand():
    check(published.labour_by_hand())


def test_a_wrong_digit_would_be_seen():
    """Half a unit of the last printed digit is allowed, no more."""
    assert published.Number("x", "0.750", 0.7504).allowed == pytest.approx(0.0005, rel=1e-5)
    assert published.Number("x", "4.487e-8", 0).allowed == pytest.approx(5e-12, rel=1e-5)
    with pytest.raises(AssertionError, match=r"x: printed 0.750, ours 0.7506"):
        check([published.Number("x", "0.750", 0.7506)])
