"""Which tests fit: by the numbers of models and datasets and by the design, never by looking at the differences."""

from dataclasses import dataclass

import numpy as np

from bayescmp.checks import is_one_of
from bayescmp.errors import ScoresError, name_list
from bayescmp.scores.table import Scores

ONE_DATASET = {"bayes": ("correlated_t",), "frequentist": ("corrected_t", "paired_t")}
MANY_DATASETS = {"bayes": ("hierarchical", "signed_rank", "sign"), "frequentist": ("wilcoxon", "sign", "nemenyi")}
WORDS = {"2x1": "two models, one dataset", "kx1": "many models, one dataset"} | {
    "2xm": "two models, many datasets",
    "kxm": "many models, many datasets",
}


@dataclass(frozen=True)
class Setting:
    """The setting of a comparison, the tests that were run, and why."""

    name: str
    bayes: str
    frequentist: str
    why: tuple[str, ...]

    @property
    def omnibus(self) -> tuple[str, ...]:
        """The tests of all models at once."""
        return ("friedman", "iman_davenport") if self.name == "kxm" else ()


def choose_setting(scores: Scores, bayes: str | None, frequentist: str | None) -> Setting:
    """The setting, with the tests that fit it, or those that were asked for by name."""
    scores.check_one_metric()
    k, m = len(scores.models), len(scores.datasets)
    if k < 2:
        raise ScoresError(f"A comparison needs at least 2 models, got {k}: {name_list(scores.models)}.")
    name = f"{'2' if k == 2 else 'k'}x{'1' if m == 1 else 'm'}"
    known = ONE_DATASET if m == 1 else MANY_DATASETS
    if m == 1 and scores.counts.max() < 2:
        raise ScoresError(
            f'One score a model on one dataset ("{scores.datasets[0]}") says nothing about its own error. Give the '
            "scores of all folds or seeds, or compare the predictions with frequentist.mcnemar_test."
        )
    for argument, asked in (("bayes", bayes), ("frequentist", frequentist)):
        allowed = tuple(t for t in known[argument] if t != "nemenyi" or k > 2)
        if asked is not None and not is_one_of(asked, allowed):
            raise ValueError(
                f"`{argument}` must be one of {', '.join(allowed)} for {WORDS[name]}, got {asked!r}."
                + (" Pick one dataset with scores.select(datasets=[...]) for the t-tests." if m > 1 else "")
            )
    why = []
    best, reason = ("correlated_t", "fold results of one dataset: their correlation is known from the design")
    if m > 1:
        best, reason = _over_datasets(scores)
    why.append(f"bayes.{best if bayes is None else bayes}: {reason if bayes in (None, best) else 'as asked'}")
    classical = "corrected_t" if m == 1 else "wilcoxon"
    reasons = {
        "corrected_t": "the t-test with the correction of Nadeau and Bengio for overlapping training sets",
        "paired_t": "as asked; it takes the folds for independent",
        "wilcoxon": "signed ranks of the datasets' mean differences",
        "sign": "as asked; counts wins and losses only",
        "nemenyi": "as asked; the verdict on a pair depends on the other models in the table",
    }
    chosen = classical if frequentist is None else frequentist
    why.append(f"frequentist.{chosen}: {reasons[chosen]}")
    return Setting(name, bayes or best, chosen, tuple(why))


def _over_datasets(scores: Scores) -> tuple[str, str]:
    """Hierarchical where every dataset has at least three folds of a known design, else signed-rank."""
    sizes = np.array([len(keys) for keys in scores.keys])
    if (sizes == 1).all():
        return "signed_rank", "one score a dataset"
    unknown = [name for name, r in zip(scores.datasets, scores.resampling, strict=True) if r is None]
    if unknown:
        return "signed_rank", (
            f"the resampling of {name_list(unknown, 3)} is not known, so only mean scores can be used; give the design "
            "for the hierarchical test"
        )
    if (sizes < 3).any():
        few = [name for name, n in zip(scores.datasets, sizes, strict=True) if n < 3]
        return "signed_rank", f"fewer than 3 folds on {name_list(few, 3)}: too few for the hierarchical test"
    return "hierarchical", "fold results on many datasets: uses every fold and shrinks the datasets to each other"
