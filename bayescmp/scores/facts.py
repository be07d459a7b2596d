"""What scores hold, apart from their values: how many models, datasets and resamples, and by which design.

Tests are chosen by these facts alone: choosing one by a look at the differences would spoil its error rate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.errors import ScoresError, name_list
from bayescmp.scores.items import Items
from bayescmp.scores.pair import Pair
from bayescmp.scores.resampling import Resampling
from bayescmp.scores.table import Scores

WORDS = {
    "2x1": "two models, one dataset",
    "kx1": "many models, one dataset",
    "2xm": "two models, many datasets",
    "kxm": "many models, many datasets",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Facts:
    """Numbers of models, of datasets, of those where all models ran, and of resamples per dataset; and the designs.

    Of runs that cannot be paired, `single` names the models and datasets that have one, and `fewest` is the smallest
    number of a model on a dataset.
    """

    models: int
    datasets: tuple[str, ...]
    complete: int
    counts: NDArray[np.int_]
    resampling: tuple[Resampling | None, ...]
    single: tuple[str, ...] = ()
    fewest: int | None = None
    right_or_wrong: bool = False

    @classmethod
    def of(cls, scores: Scores | Pair) -> "Facts":
        """The facts of scores of at least two models, of which at least one dataset has two."""
        if isinstance(scores, Pair):
            m = len(scores.datasets)
            return cls(
                models=2,
                datasets=scores.datasets,
                complete=m,
                counts=scores.counts,
                resampling=scores.resampling,
                **_runs((scores.a, scores.b), scores.datasets, None if scores.paired else scores.runs),
                right_or_wrong=_right_or_wrong(scores.items, np.stack([scores.scores_a, scores.scores_b])),
            )
        if not isinstance(scores, Scores):
            raise ScoresError(
                f"`scores` must be `Scores` or a `Pair`, which have the design of the scores, got "
                f"{type(scores).__name__}. Make one with read_scores(path), Scores.from_frame or Scores.from_arrays."
            )
        scores.check_one_metric()
        if len(scores.models) < 2:
            raise ScoresError(f"A comparison needs at least 2 models, got {name_list(scores.models)}. Add another one.")
        ran = scores.counts > 0
        used = np.asarray(ran.sum(axis=0) >= 2)
        if not used.any():
            raise ScoresError("There is no dataset on which two models were run. Score them on the same datasets.")
        return cls(
            models=len(scores.models),
            datasets=tuple(d for d, keep in zip(scores.datasets, used.tolist(), strict=True) if keep),
            complete=int(ran.all(axis=0).sum()),
            counts=scores.counts[:, used].max(axis=0),
            resampling=tuple(r for r, keep in zip(scores.resampling, used.tolist(), strict=True) if keep),
            **_runs(scores.models, scores.datasets, None if scores.paired else scores.counts * used),
            right_or_wrong=_right_or_wrong(scores.items, scores.values),
        )

    @property
    def pairs(self) -> int:
        """The number of pairs of models."""
        return self.models * (self.models - 1) // 2

    @property
    def many_datasets(self) -> bool:
        """Whether there is more than one dataset."""
        return len(self.datasets) > 1

    @property
    def paired(self) -> bool:
        """Whether the resamples of one model belong to those of another: not for `Resampling.runs()`."""
        return all(r is None or r.paired for r in self.resampling)

    @property
    def setting(self) -> str:
        """ "2x1", "kx1", "2xm" or "kxm": two or more models, on one dataset or on many."""
        return f"{'2' if self.models == 2 else 'k'}x{'m' if self.many_datasets else '1'}"

    @property
    def design(self) -> str | None:
        """A key of `catalogue.DESIGNS`; None where one score per model on one dataset leaves nothing to test."""
        if not self.many_datasets:
            kind = "folds" if self.paired else "runs"
            if self.of_items:
                kind = "items" if self.right_or_wrong else "graded items"
            return kind if self.counts[0] > 1 else None
        if self.of_items:
            return "datasets x items"
        return "datasets" if self.lacking else "datasets x folds" if self.paired else "datasets x runs"

    @property
    def of_items(self) -> bool:
        """Whether the scores are those of items, on every dataset."""
        return all(design is not None and design.scheme == "items" for design in self.resampling)

    @property
    def lacking(self) -> str:
        """Why only mean scores of many datasets can be used; empty where there are folds of a known design."""
        if (self.counts == 1).all():
            return "one score per dataset"
        if not self.paired:
            some = name_list(self.single, 3)
            return f"a single run of {some} shows no spread, so only mean scores can be used" if some else ""
        unknown = [name for name, r in zip(self.datasets, self.resampling, strict=True) if r is None]
        if unknown:
            return (
                f"the resampling of {name_list(unknown, 3)} is not known, so only mean scores can be used; give the "
                "design for the hierarchical test"
            )
        few = [name for name, n in zip(self.datasets, self.counts, strict=True) if n < 3]
        return f"fewer than 3 folds on {name_list(few, 3)}: too few for the hierarchical test" if few else ""

    @property
    def situations(self) -> tuple[str, ...]:
        """What `recommend` goes by, the most special first."""
        many_models = self.models > 2
        if not self.many_datasets:
            if self.of_items and self.counts[0] > 1:
                if self.right_or_wrong:
                    return ("right or wrong", *(["cases of many models"] if many_models else []))
                one_run = self.resampling[0] is None or self.resampling[0].repeats is None
                return ("graded items", *(["graded items, one run"] if one_run else []))
            if self.counts[0] == 1:
                return (*(["cases of many models"] if many_models else []), "one score")
            if not self.paired:
                return ("runs",)
            return (*self._kinds_of_folds(), "folds", *(["cases of many models"] if many_models else []))
        several = "many models on datasets" if many_models else "two models on datasets"
        complete = ["complete table"] if many_models and self.complete > 1 else []
        folds = ["folds of datasets"] if self.paired and self.counts.min() >= 3 else []
        runs = ["runs of datasets"] if self.design == "datasets x runs" else []
        return (*complete, several, *folds, *runs, "datasets")

    def _kinds_of_folds(self) -> list[str]:
        design = self.resampling[0]
        found = ["independent folds" if design is not None and design.rho == 0 else "overlapping folds"]
        if design is not None and design.scheme == "kfold" and design.folds and design.repeats:
            if (design.folds, design.repeats) == (2, 5):
                return ["5x2 folds", *found]
            if design.repeats > 1 and design.folds > 2:
                found.append("repeated folds")
        return found


def _runs(models: Sequence[str], datasets: Sequence[str], counts: NDArray[np.int_] | None) -> dict[str, Any]:
    """Which models have one run on which datasets, and the smallest number; nothing where scores are paired."""
    if counts is None:
        return {}
    single = tuple(f"{models[m]} on {datasets[d]}" for m, d in np.argwhere(counts == 1).tolist())
    return {"single": single, "fewest": int(counts[counts > 0].min())}


def _right_or_wrong(items: Mapping[str, Items], values: NDArray[np.float64]) -> bool:
    """Whether every score is 0 or 1, of one answer to each of independent items."""
    plain = all(found.samples is None and found.clusters is None for found in items.values())
    return bool(items) and plain and bool(((values == 0) | (values == 1) | np.isnan(values)).all())
