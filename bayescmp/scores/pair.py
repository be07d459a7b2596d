"""Two models scored on the same resamples of the same datasets: what every two-model test takes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.errors import ResamplingError, ScoresError, name_list, unknown_name
from bayescmp.numerics.moments import mean
from bayescmp.scores.resampling import WAYS_TO_GIVE, Resampling, check_design

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


NO_SCORES = (str, bytes, bool, np.bool_)
"""What numpy would turn into numbers, though it is more likely a mistake."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair:
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
        for scores in (self.scores_a, self.scores_b):
            scores.flags.writeable = False

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
        return rounding_of(np.nanmax(np.maximum(np.abs(self.scores_a), np.abs(self.scores_b)), axis=1), self.scale)

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

    def one_dataset(self, dataset: str | None, test: str) -> "Pair":
        """The pair on `dataset`, which `test` (its name) may only leave out where there is but one."""
        if dataset is not None:
            return self.select(dataset)
        if len(self.datasets) == 1:
            return self
        raise ScoresError(
            f"`{test}` answers for one dataset, but this pair has {len(self.datasets)}: {name_list(self.datasets)}. "
            f'Pick one with dataset="{self.datasets[0]}", get all with {{d: {test}(pair, dataset=d, ...) for d in '
            "pair.datasets}, or ask about all datasets together with the signed-rank or the hierarchical test."
        )

    def known_rho(self, test: str) -> NDArray[np.float64]:
        """The correlation of each dataset's resamples; `test` (its name) is refused where a design is not known."""
        unknown = [name for name, r in zip(self.datasets, self.resampling, strict=True) if r is None]
        if unknown:
            raise ResamplingError(
                f"`{test}` must know how the scores were resampled, but for {name_list(unknown)} it was not said. "
                + WAYS_TO_GIVE
            )
        return np.array([r.rho for r in self.resampling if r is not None])

    def with_resampling(self, resampling: Resampling) -> "Pair":
        """The same scores with the design `resampling` for every dataset."""
        check_design(resampling)
        for name, n in zip(self.datasets, self.counts, strict=True):
            resampling.check(int(n), f'"{name}"')
        return replace(self, resampling=(resampling,) * len(self.datasets))

    def swap(self) -> "Pair":
        """B against A."""
        return replace(self, a=self.b, b=self.a, scores_a=self.scores_b, scores_b=self.scores_a)

    def __repr__(self) -> str:
        metric = self.metric or "score"
        where = f'"{self.datasets[0]}"' if len(self.datasets) == 1 else f"{len(self.datasets)} datasets"
        best = "higher" if self.higher_is_better else "lower"
        resamples = f"{self.counts.min()} to {self.counts.max()}" if np.ptp(self.counts) else f"{self.counts[0]}"
        return (
            f"Pair: {self.a} vs {self.b}, {metric} ({best} is better), {where}, {resamples} scores each\n"
            f"  mean {self.difference_name} {self.means.mean():.4g} (positive favours {self.a})"
        )


def rounding_of(sizes: NDArray[np.float64], scale: str) -> NDArray[np.float64]:
    """The absolute rounding error of differences of scores of these sizes."""
    # a relative error of the score is an absolute one of its log, and grows near 0 and 1 on the logit scale
    if scale in ("log", "logit"):
        sizes = sizes + (np.exp(sizes) if scale == "logit" else 1.0)
    return ROUNDING * sizes


def as_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """A one-dimensional float array of finite numbers, or an error that says where it is not."""
    if np.ma.isMaskedArray(values) or np.iscomplexobj(values):
        raise ScoresError(f"The scores of `{name}` must be plain real numbers, got {type(values).__name__}.")
    try:
        given = np.asarray(values)
        if given.dtype.kind in "USb" or (given.dtype.kind == "O" and any(isinstance(x, NO_SCORES) for x in given.flat)):
            raise TypeError
        vector = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ScoresError(f"The scores of `{name}` must be numbers, got {_shorten(values)}.") from None
    if vector.ndim != 1:
        raise ScoresError(f"The scores of `{name}` must be one-dimensional, got shape {vector.shape}.")
    if vector.size == 0:
        raise ScoresError(f"The scores of `{name}` are empty: there must be at least 2.")
    check_finite(vector, lambda i: f"`{name}`, position {i}")
    return vector


def check_finite(values: NDArray[np.float64], where) -> None:  # type: ignore[no-untyped-def]
    """Refuse NaN and infinity; `where(i)` names the place of the i-th value."""
    bad = np.flatnonzero(~np.isfinite(values))
    if not bad.size:
        return
    nan = np.flatnonzero(np.isnan(values))
    if nan.size:
        raise ScoresError(
            f"Scores must be numbers, but {nan.size} of {values.size} are NaN, first at {where(nan[0])}. "
            "scikit-learn writes NaN where a fit or a scorer failed (error_score=nan): look for the cause with "
            'error_score="raise", or leave out the model or the dataset that failed.'
        )
    raise ScoresError(
        f"Scores must be finite, but {bad.size} of {values.size} are infinite, first at {where(bad[0])} "
        f"({values[bad[0]]}). Correct them, or leave out the model or the dataset."
    )


def _shorten(values: object) -> str:
    text = repr(values)
    return text if len(text) <= 60 else text[:57] + "..."
