"""All pairs of 30 models on 120 datasets beside SciPy and scikit-posthocs, and single tests beside pingouin."""

import warnings

import compare
import numpy as np
from _timing import Case, Growth, Work
from scipy import stats

import bayescmp as bc


def table(models: int = 30, datasets: int = 120) -> bc.Scores:
    return compare.one_score(models, datasets)


def wilcoxon() -> Work:
    scores = table()
    return lambda: bc.frequentist.pairwise_wilcoxon_test(scores, adjust="holm").p_value


def scipy_loop() -> Work:
    x = table().values[:, :, 0]
    return lambda: [stats.wilcoxon(x[i] - x[j]).pvalue for i in range(len(x)) for j in range(i + 1, len(x))]


def scipy_axis() -> Work:
    x = table().values[:, :, 0]
    i, j = np.triu_indices(len(x), 1)
    return lambda: stats.wilcoxon(x[i] - x[j], axis=1).pvalue


def posthocs_wilcoxon() -> Work:
    import scikit_posthocs

    x = table().values[:, :, 0]
    return lambda: scikit_posthocs.posthoc_wilcoxon(list(x), p_adjust="holm")


def friedman() -> Work:
    scores = table()
    return lambda: (bc.frequentist.friedman_test(scores), bc.frequentist.nemenyi_test(scores))


def posthocs_friedman() -> Work:
    import scikit_posthocs

    x = table().values[:, :, 0].T

    def work() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return stats.friedmanchisquare(*x.T), scikit_posthocs.posthoc_nemenyi_friedman(x)

    return work


def one_wilcoxon() -> Work:
    pair = table(2).pair("m0", "m1")
    return lambda: [bc.frequentist.wilcoxon_test(pair).p_value for _ in range(20)]


def pingouin_wilcoxon() -> Work:
    import pingouin

    a, b = table(2).values[:, :, 0]
    return lambda: [pingouin.wilcoxon(a, b) for _ in range(20)]


def one_t() -> Work:
    a, b = table(2).values[:, :, 0]
    return lambda: [bc.frequentist.paired_ttest(a, b).p_value for _ in range(20)]


def pingouin_t() -> Work:
    import pingouin

    a, b = table(2).values[:, :, 0]
    return lambda: [pingouin.ttest(a, b, paired=True) for _ in range(20)]


def holm() -> Work:
    p = np.random.default_rng(1).uniform(size=435)
    return lambda: [bc.frequentist.adjust_p_values(p, "holm") for _ in range(50)]


def statsmodels_holm() -> Work:
    from statsmodels.stats.multitest import multipletests

    p = np.random.default_rng(1).uniform(size=435)
    return lambda: [multipletests(p, method="holm") for _ in range(50)]


def cases() -> list[Case]:
    return [
        Case(
            "Wilcoxon + Holm + effect sizes, 435 pairs x 120",
            wilcoxon,
            {
                "SciPy, a loop": scipy_loop,
                "SciPy, axis=1": scipy_axis,
                "scikit-posthocs": posthocs_wilcoxon,
            },
        ),
        Case("Friedman + Nemenyi, 30 x 120", friedman, {"scikit-posthocs": posthocs_friedman}),
        Case("Wilcoxon of one pair, 20 calls", one_wilcoxon, {"pingouin": pingouin_wilcoxon}),
        Case("paired t-test of one pair, 20 calls", one_t, {"pingouin": pingouin_t}),
        Case("Holm, 435 p-values, 50 calls", holm, {"statsmodels": statsmodels_holm}),
    ]


def growths() -> list[Growth]:
    def exact(n: int) -> Work:
        pair = table(2, n).pair("m0", "m1")
        return lambda: [bc.frequentist.wilcoxon_test(pair, method="exact").p_value for _ in range(5)]

    def pairs(models: int) -> Work:
        scores = table(models)
        return lambda: bc.frequentist.pairwise_wilcoxon_test(scores).p_value

    return [
        Growth("Wilcoxon, exact", "datasets", (64, 128, 256, 512, 1024), exact),
        Growth("pairwise Wilcoxon, 120 datasets", "models", (20, 40, 80, 160), pairs),
    ]
