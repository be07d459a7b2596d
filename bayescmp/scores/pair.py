"""Two models scored on the same resamples of the same datasets: what every two-model test takes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp import notebook
from bayescmp.checks import is_one_of
from bayescmp.errors import ResamplingError, ScoresError, name_list, unknown_name
from bayescmp.numerics.moments import mean
from bayescmp.scores.items import Items
from bayescmp.scores.metrics import with_direction
from bayescmp.scores.resampling import Resampling, check_design, not_paired, unknown_design
from bayescmp.text import IN_PERCENT, ratio_percent, visible_lines
from bayescmp.values import Value

SCALES = {
    "score": "difference",
    "log": "log ratio",
    "logit": "log odds ratio",
    "relative": "relative difference",
    "ropes": "difference in ropes",
}
"""Scale of the scores -> what a difference on it is called."""

ROUNDING = 8 * np.finfo(float).eps
"""Relative to the size of the scores: differences closer than that are equal, but for the rounding of the scores."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Pair(Value):
    """Scores of two models, aligned by dataset and resample. Made by `Scores.pair(a, b)`.

    Attributes
    ----------
    a, b : str
        The models' names.
    datasets : tuple of str
        The datasets on which both were scored.
    scores_a, scores_b : array, datasets x resamples
        NaN only beyond the end of a dataset with fewer resamples than the others. Of runs that cannot be paired the
        models may have different numbers.
    resampling : tuple
        The design of each dataset, None where unknown.
    items : mapping of dataset to Items
        The items that both models answered, with the samples of A and of B, where the resamples are items.

    See Also
    --------
    Scores.pair : makes one.

    Examples
    --------
    >>> import bayescmp as bc
    >>> pair = bc.load_uci().pair("rf", "svm")
    >>> len(pair.datasets), pair.swap().a
    (24, 'svm')
    """

    a: str
    b: str
    datasets: tuple[str, ...]
    scores_a: NDArray[np.float64]
    scores_b: NDArray[np.float64]
    resampling: tuple[Resampling | None, ...]
    metric: str | None = None
    higher_is_better: bool = True
    scale: str = "score"
    items: Mapping[str, Items] = field(default_factory=dict)

    def __post_init__(self) -> None:
        one, two, n = self.scores_a, self.scores_b, len(self.datasets)
        if one.ndim != 2 or one.shape != two.shape or len(one) != n or not one.size:
            raise ScoresError(
                f"`scores_a` and `scores_b` must be {n} datasets x resamples, at least one of each, got shapes "
                f"{one.shape} and {two.shape}."
            )
        if len(self.resampling) != n or len(set(self.datasets)) < n or self.a == self.b:
            raise ScoresError(
                f"A pair must be two models with a design for each of its different datasets, got {self.a!r} and "
                f"{self.b!r}, {len(set(self.datasets))} different names of {n} datasets and {len(self.resampling)} "
                "designs."
            )
        check_one_kind(self.resampling)
        if not (np.isfinite(one) & np.isfinite(two)).all():
            ran, same = np.isfinite([one, two]), self.paired
            if not ran[..., 0].all() or (ran[..., 1:] > ran[..., :-1]).any() or (same and (ran[0] != ran[1]).any()):
                raise ScoresError(
                    "The scores of a pair must be finite; NaN only beyond the end of a dataset, for both."
                )
        if self.scale not in SCALES:
            raise ScoresError(f"`scale` must be one of {name_list(SCALES)}, got {self.scale!r}.")
        for name, items in self.items.items():
            n = self.counts[self._positions[name]] if name in self._positions else -1
            if len(items) != n or (items.samples is not None and len(items.samples) != 2):
                raise ScoresError(
                    f'The items of "{name}" must be those of the scores of both models, {n}, got {items}.'
                )
        one.flags.writeable = two.flags.writeable = False

    @cached_property
    def paired(self) -> bool:
        """Whether score i of A belongs to score i of B; independent runs have nothing to pair them by."""
        design = self.resampling[0]  # all are of one kind
        return design is None or design.paired

    @cached_property
    def differences(self) -> NDArray[np.float64]:
        """A minus B, flipped where lower is better: positive favours A. Datasets x resamples.

        Raises where the runs cannot be paired.
        """
        if not self.paired:
            raise not_paired("differences")
        return self._minus(self.scores_a, self.scores_b)

    def _minus(self, one: NDArray[np.float64], two: NDArray[np.float64]) -> NDArray[np.float64]:
        """One minus two, with the sign that favours A where it is positive."""
        with np.errstate(over="ignore"):
            difference = one - two if self.higher_is_better else two - one
        if np.isinf(difference).any():
            raise ScoresError("Scores must be small enough for their differences to be finite. Change their unit.")
        difference.flags.writeable = False
        return difference

    @cached_property
    def runs(self) -> NDArray[np.int_]:
        """The number of scores of each model, A and B, on each dataset: the same for both where they are paired."""
        return np.isfinite([self.scores_a, self.scores_b]).sum(axis=2)

    @cached_property
    def counts(self) -> NDArray[np.int_]:
        """The number of resamples of each dataset; of runs that cannot be paired, those of the model with more."""
        return np.add.reduce(np.isfinite(self.scores_a), axis=1, dtype=int) if self.paired else self.runs.max(axis=0)

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """The mean difference of each dataset; of runs that cannot be paired, the difference of the means."""
        return mean(self.differences) if self.paired else self._minus(mean(self.scores_a), mean(self.scores_b))

    @cached_property
    def rounding(self) -> NDArray[np.float64]:
        """The absolute rounding error that differences of each dataset's scores may carry."""
        both = np.concatenate([self.scores_a, self.scores_b], axis=1)
        return np.fmax.reduce(rounding_of(both, self.scale), axis=1)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.datasets)}

    @property
    def difference_name(self) -> str:
        """What a difference on this pair's scale is called."""
        return SCALES[self.scale]

    def select(self, dataset: str) -> "Pair":
        """The pair on one dataset."""
        i = self._positions.get(dataset, -1) if isinstance(dataset, str) else -1
        if i < 0:
            raise unknown_name("dataset", dataset, self.datasets)
        n = self.counts[i]
        return replace(
            self,
            datasets=(dataset,),
            scores_a=self.scores_a[i : i + 1, :n],
            scores_b=self.scores_b[i : i + 1, :n],
            resampling=(self.resampling[i],),
            items={dataset: self.items[dataset]} if dataset in self.items else {},
        )

    def __iter__(self) -> Iterator["Pair"]:
        return (self.select(dataset) for dataset in self.datasets)

    def known_rho(self, test: str) -> NDArray[np.float64]:
        """The correlation of each dataset's resamples; raises, for `test` by name, if a design is not known.

        Raises as well if the runs cannot be paired.
        """
        if not self.paired:
            raise not_paired(test)
        unknown = [name for name, r in zip(self.datasets, self.resampling, strict=True) if r is None]
        if unknown:
            raise unknown_design(test, unknown)
        return np.array([r.rho for r in self.resampling if r is not None])

    def with_resampling(self, resampling: Resampling) -> "Pair":
        """The same scores with the design `resampling` for every dataset."""
        check_design(resampling)
        if not self.paired and resampling.paired:
            raise not_paired("with_resampling")
        for name, n in zip(self.datasets, self.counts, strict=True):
            resampling.check(int(n), f'"{name}"')
        return replace(self, resampling=(resampling,) * len(self.datasets))

    def about(self, *, models: bool = False) -> dict[str, Any]:
        """The fields of a result that name what was compared, for a posterior.

        Its `n` counts datasets: a test of folds gives its own, `pair.about() | {"n": int(pair.counts[0])}`. With
        `models`, for a test result: it keeps the names in one tuple, as for any number of models, and counts `n` by
        itself.
        """
        names = {"models": (self.a, self.b)} if models else {"a": self.a, "b": self.b, "n": len(self.datasets)}
        return names | {
            "metric": self.metric,
            "higher_is_better": self.higher_is_better,
            "scale": self.scale,
            "datasets": self.datasets,
        }

    def swap(self) -> "Pair":
        """B against A."""
        items = {name: found.of_models([1, 0]) for name, found in self.items.items()}
        return replace(self, a=self.b, b=self.a, scores_a=self.scores_b, scores_b=self.scores_a, items=items)

    def _mean_text(self) -> str:
        mean = float(self.means.mean())
        if self.scale in IN_PERCENT:
            return f"difference {ratio_percent(mean, self.scale, self.higher_is_better):.4g} %"
        return f"{self.difference_name} {mean:.4g}"

    def _repr_html_(self) -> str:
        """What a notebook shows: the mean difference, and on how many datasets (or resamples of one) each is better."""
        first, *rest = repr(self).splitlines()
        several = len(self.datasets) > 1 or not self.paired
        found = self.means if several else self.differences[np.isfinite(self.differences)]
        what = "datasets" if several else "resamples"
        counts = [int((found > 0).sum()), int((found == 0).sum()), int((found < 0).sum())]
        labels = (f"{self.a} better on", "equal on", f"{self.b} better on")
        shares = [n / len(found) for n in counts]
        return notebook.page(
            first, notebook.bar(labels, shares, [f"{n} of {len(found)} {what}" for n in counts]), notes=rest, bold=True
        )

    def __repr__(self) -> str:
        what = "runs" if not self.paired else "items" if len(self.items) == len(self.datasets) else "scores"
        where = f'"{self.datasets[0]}"' if len(self.datasets) == 1 else f"{len(self.datasets)} datasets"
        resamples = f"{self.runs.min()} to {self.runs.max()}" if np.ptp(self.runs) else f"{self.runs[0, 0]}"
        metric = with_direction(self.metric, self.higher_is_better, self.scale)
        lines = (
            f"Pair: {self.a} vs {self.b}, {metric}, {where}, {resamples} {what} each",
            f"  mean {self._mean_text()} (positive favours {self.a})",
        )
        return visible_lines(lines)


def check_one_kind(designs: Iterable[Resampling | None]) -> None:
    """Raise if some datasets have runs that cannot be paired, and others have not."""
    if len({r is None or r.paired for r in designs}) > 1:
        raise ResamplingError(
            "All datasets must have runs that cannot be paired, or none, got both kinds of designs. Compare the two "
            "kinds of datasets one after the other: scores.select(datasets=[...])."
        )


def check_scale(scale: object) -> None:
    """Raise if this is not a scale of differences, as in a file that was edited."""
    if not is_one_of(scale, SCALES):
        raise ValueError(f"`scale` must be one of {', '.join(SCALES)}, got {scale!r}.")


def rounding_of(scores: NDArray[np.float64], scale: str) -> NDArray[np.float64]:
    """The absolute rounding error that a difference may carry from each of these scores."""
    sizes = np.abs(scores)
    # a relative error of p is an absolute one of log p; of log p/(1 - p) it is 1/(1 - p) = 1 + e^x times that
    if scale in ("log", "logit"):
        sizes += 1.0 + (np.exp(scores) if scale == "logit" else 0.0)
    return ROUNDING * sizes
