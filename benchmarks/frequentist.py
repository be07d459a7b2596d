"""All pairs of 30 models on 120 datasets beside the loop over scipy, and Friedman + Nemenyi beside scikit-posthocs."""

import warnings

import numpy as np
from _timing import seconds
from scipy import stats

import bayescmp as bc


def scipy_loop(scores: bc.Scores) -> list[float]:
    x = scores.values[:, :, 0]
    return [stats.wilcoxon(x[i] - x[j]).pvalue for i in range(len(x)) for j in range(i + 1, len(x))]


def scipy_axis(scores: bc.Scores) -> np.ndarray:
    x = scores.values[:, :, 0]
    i, j = np.triu_indices(len(x), 1)
    return stats.wilcoxon(x[i] - x[j], axis=1).pvalue


def posthocs(scores: bc.Scores) -> object:
    import scikit_posthocs

    x = scores.values[:, :, 0].T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return stats.friedmanchisquare(*x.T), scikit_posthocs.posthoc_nemenyi_friedman(x)


def row(what: str, ours: float, theirs: float) -> str:
    return f"{what:46}{ours * 1e3:>8.1f}ms{theirs * 1e3:>8.0f}ms{theirs / ours:>7.0f}x"


def main() -> None:
    rng = np.random.default_rng(1)
    scores = bc.Scores.from_arrays({f"m{i}": rng.normal(0.8 + i / 2000, 0.03, 120) for i in range(30)})

    def wilcoxon() -> bc.frequentist.PairwiseTests:
        return bc.frequentist.pairwise_wilcoxon_test(scores, adjust="holm")

    def friedman() -> object:
        return bc.frequentist.friedman_test(scores), bc.frequentist.nemenyi_test(scores)

    apart = np.abs(np.array(wilcoxon().p_value) - scipy_loop(scores)).max()
    print(f"435 pairs x 120 datasets: largest difference of a p-value to scipy {apart:.1g}")
    print(f"{'':46}{'bayescmp':>10}{'peer':>10}{'ratio':>8}")
    ours = seconds(wilcoxon, 15)
    for name, peer in (("loop", scipy_loop), ("axis=1", scipy_axis)):
        theirs = seconds(lambda peer=peer: peer(scores), 3)  # type: ignore[misc]
        print(row(f"Wilcoxon + Holm + effect sizes; scipy, {name}", ours, theirs))
    both, theirs = seconds(friedman, 15), seconds(lambda: posthocs(scores), 3)
    print(row("Friedman + Nemenyi; scikit-posthocs", both, theirs))


if __name__ == "__main__":
    main()
