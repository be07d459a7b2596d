"""Two models scored on the same resamples of the same datasets: what every two-model test takes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.checks import is_one_of
from bayescmp.errors import ScoresError, name_list, unknown_name
from bayescmp.numerics.moments import mean
from bayescmp.scores.metrics import with_direction
from bayescmp.scores.resampling import Resampling, check_design, unknown_design
from bayescmp.text import visible_lines
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
        NaN only beyond the end of a dataset with fewer resamples than the others.
    resampling : tuple
        The design of each dataset, None where unknown.

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
        scored = np.isfinite(one)
        if not scored[:, 0].all() or (scored[:, 1:] > scored[:, :-1]).any() or (scored != np.isfinite(two)).any():
            raise ScoresError("The scores of a pair must be finite; NaN only beyond the end of a dataset, for both.")
        if self.scale not in SCALES:
            raise ScoresError(f"`scale` must be one of {name_list(SCALES)}, got {self.scale!r}.")
        one.flags.writeable = two.flags.writeable = False

    @cached_property
    def differences(self) -> NDArray[np.float64]:
        """A minus B, flipped where lower is better: positive favours A. Datasets x resamples."""
        one, two = (self.scores_a, self.scores_b) if self.higher_is_better else (self.scores_b, self.scores_a)
        with np.errstate(over="ignore"):
            difference = one - two
        if np.isinf(difference).any():
            raise ScoresError("Scores must be small enough for their differences to be finite. Change their unit.")
        difference.flags.writeable = False
        return difference

    @cached_property
    def counts(self) -> NDArray[np.int_]:
        """The number of resamples of each dataset."""
        return np.isfinite(self.scores_a).sum(axis=1)

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """The mean difference of each dataset."""
        return mean(self.differences)

    @cached_property
    def rounding(self) -> NDArray[np.float64]:
        """The absolute rounding error that differences of each dataset's scores may carry."""
        return np.nanmax(
            [np.nanmax(rounding_of(x, self.scale), axis=1) for x in (self.scores_a, self.scores_b)], axis=0
        )

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
        )

    def __iter__(self) -> Iterator["Pair"]:
        return (self.select(dataset) for dataset in self.datasets)

    def known_rho(self, test: str) -> NDArray[np.float64]:
        """The correlation of each dataset's resamples; raises, for `test` by name, if a design is not known."""
        unknown = [name for name, r in zip(self.datasets, self.resampling, strict=True) if r is None]
        if unknown:
            raise unknown_design(test, unknown)
        return np.array([r.rho for r in self.resampling if r is not None])

    def with_resampling(self, resampling: Resampling) -> "Pair":
        """The same scores with the design `resampling` for every dataset."""
        check_design(resampling)
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
        return replace(self, a=self.b, b=self.a, scores_a=self.scores_b, scores_b=self.scores_a)

    def __repr__(self) -> str:
        where = f'"{self.datasets[0]}"' if len(self.datasets) == 1 else f"{len(self.datasets)} datasets"
        resamples = f"{self.counts.min()} to {self.counts.max()}" if np.ptp(self.counts) else f"{self.counts[0]}"
        what = with_direction(self.metric, self.higher_is_better)
        lines = (
            f"Pair: {self.a} vs {self.b}, {what}, {where}, {resamples} scores each",
            f"  mean {self.difference_name} {self.means.mean():.4g} (positive favours {self.a})",
        )
        return visible_lines(lines)


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
