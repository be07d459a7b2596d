"""The items of a test set or benchmark: their names, the clusters they come from, the runs and samples of each answer.

A resample of a dataset with items is an item. The samples of one item are not items, and neither are the runs, which
are other trained models: a score is the mean over both, and the answers themselves are kept beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.checks import is_list
from bayescmp.errors import ScoresError
from bayescmp.values import Value

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Items(Value):
    """The items of one dataset, in the order of its scores.

    Attributes
    ----------
    names : tuple of str
    clusters : array of int, or None
        The number of each item's cluster in `cluster_names`; None where the items are independent.
    cluster_names : tuple of str
    samples : array, models x items x answers, or None
        Every answer, where there are several per item: the samples of run 1, then those of run 2, and so on; NaN where
        there is none. None where each item was answered once.
    runs : int
        How many trained models answered, of the model that has most; the runs of two models are not paired.

    See Also
    --------
    Resampling.items : the design.

    Examples
    --------
    >>> import bayescmp as bc
    >>> arrays = {"a": [1, 0, 1, 1], "b": [1, 1, 0, 1]}
    >>> design = bc.Resampling.items()
    >>> scores = bc.Scores.from_arrays(arrays, metric="accuracy", resampling=design, clusters=["x", "x", "y", "y"])
    >>> scores.items["dataset"]
    Items: 4 items in 2 clusters
    """

    names: tuple[str, ...]
    clusters: NDArray[np.int64] | None = None
    cluster_names: tuple[str, ...] = ()
    samples: Floats | None = None
    runs: int = 1

    def __post_init__(self) -> None:
        n = len(self.names)
        if not 0 < len(set(self.names)) == n:
            raise ScoresError(f"Every item must have its own name, got {n} items with {len(set(self.names))} names.")
        if self.clusters is not None:
            codes = self.clusters
            if codes.shape != (n,) or codes.min() < 0 or codes.max() >= len(self.cluster_names):
                raise ScoresError(f"`clusters` must be the number of a cluster for each of {n} items.")
            codes.flags.writeable = False
        if self.samples is not None:
            if self.samples.ndim != 3 or self.samples.shape[1] != n or self.samples.shape[2] < 2:
                raise ScoresError(f"`samples` must be models x {n} items x samples, got shape {self.samples.shape}.")
            if np.isinf(self.samples).any():
                raise ScoresError("`samples` must be finite, or NaN where there is no sample.")
            self.samples.flags.writeable = False
        answers = 1 if self.samples is None else self.samples.shape[2]
        if self.runs < 1 or answers % self.runs:
            raise ScoresError(f"`samples` must have equally many places for each of {self.runs} runs, got {answers}.")
        if self.by_run is not None and self.runs > 1:
            answered = self.trained > 0
            first = np.arange(self.runs) < self.trained.max(axis=1)[:, None, None]
            if (np.isfinite(self.by_run) != (first & answered[..., None])).any():
                raise ScoresError(
                    "All runs of a model must have answered the same items, with no run left out between."
                )

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def counts(self) -> NDArray[np.int_] | None:
        """The number of answers of each model to each item; None where it is 1."""
        return None if self.samples is None else np.isfinite(self.samples).sum(axis=2)

    @property
    def answers(self) -> Floats | None:
        """The samples as models x items x runs x samples."""
        return None if self.samples is None else self.samples.reshape(*self.samples.shape[:2], self.runs, -1)

    @cached_property
    def by_run(self) -> Floats | None:
        """The mean of each run's samples, models x items x runs, NaN where there is none."""
        if self.answers is None:
            return None
        counts = np.isfinite(self.answers).sum(axis=3)
        return np.nansum(self.answers, axis=3) / np.where(counts, counts, np.nan)

    @cached_property
    def trained(self) -> NDArray[np.int_]:
        """The number of runs of each model that answered each item."""
        return np.ones((1, len(self)), dtype=np.int_) if self.by_run is None else np.isfinite(self.by_run).sum(axis=2)

    def runs_of(self, model: int) -> Floats:
        """The answers of one model, items x runs: the mean over the samples of each run."""
        if self.by_run is None:
            raise ScoresError("Every item was answered once, so that there are no runs.")
        return self.by_run[model][:, : int(self.trained[model].max())]

    @property
    def means(self) -> Floats | None:
        """The mean of each model's runs on each item, NaN where there are none; None where each item has one answer."""
        if self.by_run is None:
            return None
        if self.runs == 1:
            return self.by_run[:, :, 0]
        return np.nansum(self.by_run, axis=2) / np.where(self.trained, self.trained, np.nan)

    @property
    def cluster_sizes(self) -> NDArray[np.int_]:
        """The number of items of every cluster that has any; ones where there are no clusters."""
        if self.clusters is None:
            return np.ones(len(self), dtype=np.int_)
        sizes = np.bincount(self.clusters)
        return sizes[sizes > 0]

    def of_models(self, rows: Sequence[int]) -> "Items":
        """The items with the samples of some models."""
        if self.samples is None:
            return self
        return self._replaced(samples=self.samples[list(rows)])

    def where(self, keep: NDArray[np.bool_]) -> "Items":
        """The items that `keep` marks."""
        if keep.all():
            return self
        return self._replaced(
            names=tuple(np.array(self.names, dtype=object)[keep]),
            clusters=None if self.clusters is None else self.clusters[keep],
            samples=None if self.samples is None else self.samples[:, keep],
        )

    def _replaced(self, **fields: Any) -> "Items":
        given = {
            name: getattr(self, name) for name in ("names", "clusters", "cluster_names", "samples", "runs")
        } | fields
        samples = given["samples"]
        if samples is not None and (given["runs"] > 1 or not np.isfinite(samples[:, :, 1:]).any()):
            given["samples"], given["runs"] = packed(samples.reshape(*samples.shape[:2], given["runs"], -1))
        return Items(**given)

    @property
    def text(self) -> str:
        """What there is besides the items: "5 samples each, in 30 clusters"."""
        parts = []
        if self.runs > 1:
            parts.append(_from_to(self.trained.max(axis=1), "runs"))
        if self.answers is not None and self.answers.shape[3] > 1:
            parts.append(_from_to(np.isfinite(self.answers).sum(axis=3), "samples"))
        if self.clusters is not None:
            parts.append(f"in {self.cluster_sizes.size:,} clusters")
        return ", ".join(parts)

    def __repr__(self) -> str:
        text = self.text
        return f"Items: {len(self):,} items" + (f"{'' if text.startswith('in') else ','} {text}" if text else "")


def _from_to(counts: NDArray[np.int_], what: str) -> str:
    """ "5 runs each", "1 to 3 samples each"."""
    least, most = int(counts[counts > 0].min()), int(counts.max())
    return f"{least} {what} each" if least == most else f"{least} to {most} {what} each"


def packed(answers: Floats) -> tuple[Floats | None, int]:
    """`samples` and `runs` of answers, models x items x runs x samples, without places that no answer fills."""
    there = np.asarray(np.isfinite(answers).any(axis=(0, 1)))
    runs, samples = (int(np.flatnonzero(there.any(axis=axis)).max(initial=0)) + 1 for axis in (1, 0))
    if runs == samples == 1:
        return None, 1
    return answers[:, :, :runs, :samples].reshape(*answers.shape[:2], -1), runs


def items_of_arrays(
    n: int,
    names: Sequence[Any] | None,
    clusters: Sequence[Any] | None,
    samples: Floats | None = None,
    runs: int = 1,
) -> Items:
    """The items of arrays: numbered unless named."""
    for what, given in (("items", names), ("clusters", clusters)):
        if given is not None and (not is_list(given) or len(given) != n):
            size = len(given) if is_list(given) else repr(given)
            raise ScoresError(f"`{what}` must have one entry for each of {n} items, got {size}.")
    groups, codes = None, None
    if clusters is not None:
        groups, codes = np.unique([label(x) for x in clusters], return_inverse=True)
    return Items(
        names=tuple(str(i + 1) for i in range(n)) if names is None else tuple(label(x) for x in names),
        clusters=codes,
        cluster_names=() if groups is None else tuple(groups.tolist()),
        samples=samples,
        runs=runs,
    )


def label(value: Any) -> str:
    """The name of an item, sample or cluster as text; 3.0 from a column with gaps is 3."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()
