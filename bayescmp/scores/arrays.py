"""Arrays in: `Scores.from_arrays`, and the pair that a two-model test was given."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.checks import is_list
from bayescmp.errors import ScoresError, name_list
from bayescmp.scores.assemble import finish, warn_of_copies
from bayescmp.scores.metrics import higher_is_better as direction
from bayescmp.scores.pair import Pair, as_vector
from bayescmp.scores.resampling import Resampling, check_design

if TYPE_CHECKING:
    from bayescmp.scores.table import Scores


def from_arrays(
    arrays: Mapping[str, ArrayLike],
    *,
    resampling: Resampling | None = None,
    datasets: Sequence[str] | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
) -> "Scores":
    """Scores from one array a model.

    Parameters
    ----------
    arrays : mapping of str to array
        1-D with a `resampling`: the resamples of one dataset, repeat-major (repeat 1's folds first).
        1-D without: one score a dataset. 2-D: datasets x resamples.
    resampling : Resampling, optional
        The design, the same for all datasets.
    datasets : list of str, optional
        Names of the datasets; "dataset 1", ... if not given.
    metric, higher_is_better
        A known metric name sets the direction; with neither, higher is better.

    See Also
    --------
    Scores.from_frame : the same for frames.
    Resampling : the design of the folds.

    Examples
    --------
    >>> from bayescmp import Resampling, Scores
    >>> Scores.from_arrays({"rf": [0.9, 0.8], "svm": [0.8, 0.8]}, resampling=Resampling.kfold(2)).datasets
    ('dataset',)
    """
    return _from_arrays(arrays, resampling is not None, resampling, datasets, metric, higher_is_better)


def _from_arrays(
    arrays: Mapping[str, ArrayLike],
    folds: bool,
    resampling: Resampling | None,
    datasets: Sequence[str] | None,
    metric: str | None,
    higher_is_better: bool | None,
) -> "Scores":
    """As `from_arrays`; `folds` says whether 1-D arrays are folds of one dataset, or one score a dataset."""
    if not isinstance(arrays, Mapping) or not arrays:
        what = "nothing" if isinstance(arrays, Mapping) else type(arrays).__name__
        raise ScoresError(f"`arrays` must map model names to scores, got {what}.")
    if len({str(m) for m in arrays}) < len(arrays):
        raise ScoresError(f"Every model must have its own name, got {list(arrays)}.")
    check_design(resampling)
    _check_same_index(arrays)
    tables = {str(m): _as_table(str(m), values, folds) for m, values in arrays.items()}
    n_datasets, n = _common_shape(tables)
    names = _dataset_names(datasets, n_datasets, folds)
    if resampling is not None:
        resampling.check(n, f'"{names[0]}"')
    keys = resampling.keys if resampling else None
    return finish(
        models=tuple(tables),
        datasets=names,
        values=np.stack(list(tables.values())),
        keys=(keys or tuple((i + 1, 1) for i in range(n)),) * n_datasets,
        resampling=(resampling,) * n_datasets,
        metric=metric,
        higher_is_better=higher_is_better,
    )


def as_pair(
    a: "Pair | Scores | ArrayLike",
    b: ArrayLike | None = None,
    *,
    arrays_are: str,
    resampling: Resampling | None = None,
    higher_is_better: bool | None = None,
) -> Pair:
    """The pair that a two-model test was given: a `Pair`, a `Scores` of two models, or two arrays.

    `arrays_are` says what the numbers of plain arrays are to this test: "folds" of one dataset, or "datasets".
    """
    from bayescmp.scores.table import Scores

    if isinstance(a, Scores):
        if len(a.models) != 2:
            raise ScoresError(
                f"A two-model test takes a pair, got scores of {len(a.models)} models: {name_list(a.models)}. Pick "
                'two: scores.pair("' + '", "'.join(a.models[:2]) + '").'
            )
        a = a.pair(*a.models)
    if isinstance(a, Pair):
        if b is not None or higher_is_better is not None:
            raise ScoresError(
                "A pair has both models and knows its direction: give `b` and `higher_is_better` only with arrays."
            )
        return a if resampling is None else a.with_resampling(resampling)
    if b is None:
        raise ScoresError(f"Give a pair, or two arrays of scores, `a` and `b`; got one {type(a).__name__}.")
    names = model_names(a, b)
    folds = arrays_are == "folds"
    for name, x in zip(names, (a, b), strict=True):
        if folds and _depth(name, x) > 1:
            raise ScoresError(f"The scores of `{name}` must be one-dimensional, got shape {np.shape(x)}.")
    check_design(resampling)
    arrays = dict(zip(names, (a, b), strict=True))
    _check_same_index(arrays)
    one, two = tables = [_as_table(name, x, folds) for name, x in arrays.items()]
    n_datasets, n = _common_shape(dict(zip(names, tables, strict=True)))
    if resampling is not None:
        resampling.check(n, "each array")
        warn_of_copies("dataset", resampling.keys or (), np.stack([one[0], two[0]]))
    return Pair(
        a=names[0],
        b=names[1],
        datasets=_dataset_names(None, n_datasets, folds),
        scores_a=one,
        scores_b=two,
        resampling=(resampling,) * n_datasets,
        higher_is_better=direction(None, higher_is_better),
    )


def model_names(a: object, b: object) -> list[str]:
    """The names of two pandas Series, where they have different ones, else A and B."""
    names = [getattr(x, "name", None) for x in (a, b)]
    if None in names or str(names[0]) == str(names[1]):
        return ["A", "B"]
    return [str(name) for name in names]


def _common_shape(tables: Mapping[str, NDArray[np.float64]]) -> tuple[int, ...]:
    """Datasets x resamples, the same for all models."""
    shapes = {m: t.shape for m, t in tables.items()}
    if len(set(shapes.values())) > 1:
        sizes = ", ".join(f"`{m}` has {' x '.join(str(n) for n in s if n > 1) or 1} scores" for m, s in shapes.items())
        raise ScoresError(
            f"All models must be scored on the same folds or datasets, in the same order, but {sizes}. Unpaired runs "
            "(nothing to match them by) are for welch_ttest."
        )
    return next(iter(shapes.values()))


def _as_table(name: str, values: ArrayLike, folds: bool) -> NDArray[np.float64]:
    if _depth(name, values) != 2:
        vector = as_vector(name, values)
        return vector[None, :] if folds else vector[:, None]
    rows = [as_vector(f"{name}, dataset {i + 1}", row) for i, row in enumerate(np.asarray(values))]
    if not rows:
        raise ScoresError(f"The scores of `{name}` are empty.")
    return np.stack(rows)


def _depth(name: str, values: ArrayLike) -> int:
    try:
        return np.ndim(values)
    except ValueError:
        raise ScoresError(f"The scores of `{name}` must have the same number of resamples on every dataset.") from None


def _dataset_names(given: Sequence[str] | None, n: int, folds: bool) -> tuple[str, ...]:
    if given is None:
        return ("dataset",) if n == 1 and folds else tuple(f"dataset {i + 1}" for i in range(n))
    if not is_list(given) and not isinstance(given, str):
        raise ScoresError(f"`datasets` must be a list of names, got {given!r}.")
    names = tuple(str(name) for name in ([given] if isinstance(given, str) else given))
    if len(names) != n or len(set(names)) < n:
        raise ScoresError(f"`datasets` must give {n} different names, got {len(names)}: {name_list(names)}.")
    return names


def _check_same_index(arrays: Mapping[str, Any]) -> None:
    """Refuse pandas Series whose indexes differ: they would be paired by position."""
    indexes = [x.index for x in arrays.values() if hasattr(x, "index") and hasattr(x, "iloc")]
    if any(not index.equals(indexes[0]) for index in indexes[1:]):
        raise ScoresError(
            "Series must have the same index in the same order, because scores are paired by position. Align them "
            "first, or give plain arrays."
        )
