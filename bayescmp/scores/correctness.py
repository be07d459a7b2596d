"""What the tests on right and wrong are given: 0/1 vectors, predictions with the truth, or a 2 x 2 table."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.checks import is_one_of
from bayescmp.errors import ScoresError
from bayescmp.scores.arrays import model_names
from bayescmp.scores.blocks import distinct
from bayescmp.scores.pair import Pair, as_vector

Right = NDArray[np.bool_]
ORIENTATIONS = ("both right first", "both wrong first")


def paired_counts(
    right_a: Pair | ArrayLike | None,
    right_b: ArrayLike | None,
    truth: ArrayLike | None,
    table: ArrayLike | None,
    orientation: str | None,
) -> tuple[tuple[str, str], tuple[int, int, int, int]]:
    """The models' names, and on how many cases both were right, only A, only B, both wrong."""
    if table is None:
        if orientation is not None:
            raise ValueError("`orientation` tells how to read a `table`, but none was given.")
        if right_a is None:
            raise ScoresError(
                "Give two vectors of 0 (wrong) and 1 (right), `right_a` and `right_b`, predictions with `truth`, or a "
                "`table`."
            )
        names, a, b = paired_correctness(right_a, right_b, truth)
        return names, (int((a & b).sum()), int((a & ~b).sum()), int((b & ~a).sum()), int((~a & ~b).sum()))
    if right_a is not None or right_b is not None or truth is not None:
        raise ScoresError("Give either the vectors or a `table`, not both.")
    if not is_one_of(orientation, ORIENTATIONS):
        raise ValueError(
            '`orientation` must be "both right first" or "both wrong first": what the first cell of `table` counts '
            f"(rows = A, columns = B; textbooks put both wrong there, mlxtend both right). Got {orientation!r}."
        )
    cells = _check_table(table)
    if orientation == "both wrong first":
        cells = cells[::-1, ::-1]
    both_right, only_a, only_b, both_wrong = (int(x) for x in cells.ravel())
    return ("A", "B"), (both_right, only_a, only_b, both_wrong)


def paired_correctness(
    right_a: Pair | ArrayLike, right_b: ArrayLike | None, truth: ArrayLike | None
) -> tuple[tuple[str, str], Right, Right]:
    """The models' names, and where each was right."""
    if isinstance(right_a, Pair):
        if right_b is not None or truth is not None:
            raise ScoresError("A pair has both models: give `right_b` and `truth` only with arrays.")
        pair = right_a.one_dataset(None, "mcnemar_test")
        one, two = (zero_one(name, x[0]) for name, x in ((pair.a, pair.scores_a), (pair.b, pair.scores_b)))
        return (pair.a, pair.b), one == pair.higher_is_better, two == pair.higher_is_better
    if right_b is None:
        raise ScoresError("Give two vectors, `right_a` and `right_b`; got one.")
    first, second = model_names(right_a, right_b)
    vectors: dict[str, Any] = {first: right_a, second: right_b} | ({} if truth is None else {"truth": truth})
    _check_index(vectors)
    read = zero_one if truth is None else _labels
    arrays = {name: read(name, x) for name, x in vectors.items()}
    sizes = {name: x.size for name, x in arrays.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"`{name}` has {n}" for name, n in sizes.items())
        raise ScoresError(f"The vectors must tell of the same test cases in the same order, but {listed}.")
    a, b = arrays[first], arrays[second]
    if truth is None:
        return (first, second), a, b
    labels = arrays["truth"]
    for name, x in ((first, a), (second, b)):
        if (x.dtype.kind in "US") != (labels.dtype.kind in "US"):
            raise ScoresError(
                f"Predictions and `truth` must be labels of one kind, but `{name}` has {x[0]!r} and the truth "
                f"{labels[0]!r}: no prediction could be right. Convert one of them."
            )
    return (first, second), np.asarray(a == labels), np.asarray(b == labels)


def zero_one(name: str, values: ArrayLike) -> Right:
    """Where a model was right, from a vector of 0 and 1 (or False and True), or an error that says where it is not."""
    if np.asarray(values).dtype.kind in "US":
        raise ScoresError(
            f"`{name}` must say 1 (right) or 0 (wrong) for every test case, got text. For predicted labels give the "
            "true ones as well, with `truth`."
        )
    x = as_vector(name, one_where_true(values))
    other = np.flatnonzero((x != 0) & (x != 1))
    if other.size:
        raise ScoresError(
            f"`{name}` must say 1 (right) or 0 (wrong) for every test case, got {x[other[0]]:g} at position "
            f"{other[0]}. For predicted labels give the true ones with `truth`; for scores use corrected_ttest."
        )
    return x == 1


def one_where_true(values: Any) -> Any:
    """Booleans as 0 and 1, alone or as the columns of a table; anything else as it is."""
    if isinstance(values, Mapping):
        return {name: one_where_true(x) for name, x in values.items()}
    array = np.asarray(values)
    if hasattr(values, "columns") and array.dtype.kind == "O":  # columns of several kinds
        return {name: one_where_true(values[name]) for name in distinct(values.columns)}
    if array.dtype.kind == "b" or (
        array.dtype.kind == "O" and all(isinstance(x, (bool, np.bool_)) for x in array.flat)
    ):
        return values.astype(float) if hasattr(values, "astype") else array.astype(float)
    return values


def _labels(name: str, values: ArrayLike) -> NDArray[Any]:
    """A vector of labels, none of them missing."""
    x = np.asarray(values)
    if x.ndim != 1 or not x.size:
        raise ScoresError(f"The labels of `{name}` must be a vector with an entry a test case, got shape {x.shape}.")
    if x.dtype.kind == "O":
        missing = [i for i, label in enumerate(x) if label is None or not bool(np.all(label == label))]
        if not missing and all(isinstance(label, str) for label in x):
            x = x.astype(str)
    else:
        missing = np.flatnonzero(x != x).tolist()
    if missing:
        raise ScoresError(f"`{name}` lacks {len(missing)} of {x.size} labels, first at position {missing[0]}.")
    return x


def _check_table(table: ArrayLike) -> NDArray[np.float64]:
    try:
        cells = np.asarray(table, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ScoresError(f"`table` must hold 2 x 2 counts, got {table!r}.") from None
    if cells.shape != (2, 2):
        raise ScoresError(f"`table` must be 2 x 2 (rows = A, columns = B), got shape {cells.shape}.")
    if not np.isfinite(cells).all() or (cells < 0).any() or (cells != np.floor(cells)).any() or not cells.any():
        raise ScoresError(f"`table` must hold counts, whole numbers from 0 on and not all 0; got {cells.tolist()}.")
    return cells


def _check_index(vectors: dict[str, Any]) -> None:
    indexes = [x.index for x in vectors.values() if hasattr(x, "index") and hasattr(x, "iloc")]
    if any(not index.equals(indexes[0]) for index in indexes[1:]):
        raise ScoresError(
            "Series must have the same index in the same order, because cases are paired by position. Align them "
            "first, or give plain arrays."
        )
