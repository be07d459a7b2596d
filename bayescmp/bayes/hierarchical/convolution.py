"""The likelihood of the hierarchical test: sums of logs of Student t convolved with Student t, from splines.

In units of a dataset's own scale the convolution is one function of distance and sigma_0 for each nu and df, so it is
tabulated once and interpolated for all datasets and pairs.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bayescmp.numerics.student import log_student_factor

Floats = NDArray[np.float64]
STEP_V, STEP_U = 0.2, 0.08
"""Steps of the tables in log(sigma_0) and asinh(distance), both in units of the dataset's scale."""
BLOCK_V, BLOCK_U = 4, 16
"""Rows and columns of the blocks that tables are made of, so that other pairs find them again."""
MARGIN, MIRROR = 2, 8
"""Rows and columns beyond the data, where the splines have no neighbours; 0 has its mirror image beside it."""


def log_likelihood(means: Floats, scales: Floats, df: float, nus: Floats, log_sigma: Floats, delta: Floats) -> Floats:
    """The sum over datasets of the log convolution, nu x log sigma_0 x delta_0, by tensor B-splines."""
    # below e^-8 of the dataset's scale sigma_0 makes no difference
    v = np.clip(log_sigma - np.log(scales)[:, None], -8.0, 24.0)
    u = np.arcsinh(np.minimum(np.abs(means[:, None] - delta) / scales[:, None], 1e9))
    blocks_v = _blocks(v.min() / STEP_V - MARGIN, v.max() / STEP_V + MARGIN, BLOCK_V)
    blocks_u = _blocks(0, u.max() / STEP_U + MARGIN, BLOCK_U)
    tables = _tables(df, nus, blocks_v, blocks_u)
    first_v, in_v = _basis(v / STEP_V - BLOCK_V * blocks_v[0], BLOCK_V * len(blocks_v))
    first_u, in_u = _basis(u / STEP_U + MIRROR, BLOCK_U * len(blocks_u) + MIRROR)
    # each dataset needs a part of the tables only: its own rows and columns
    rows, columns = in_v.shape[2], in_u.shape[2]
    part = np.empty((nus.size, log_sigma.size, columns))
    result, term = np.zeros((2, nus.size * log_sigma.size, delta.size))
    for i, j, along_v, along_u in zip(first_v, first_u, in_v, in_u, strict=True):
        np.matmul(along_v, tables[:, i : i + rows, j : j + columns], out=part)
        result += np.matmul(part.reshape(-1, columns), along_u.T, out=term)
    return result.reshape(nus.size, log_sigma.size, -1) - np.log(scales).sum()


def _blocks(low: float, high: float, size: int) -> range:
    """The blocks of a size that hold the points from low to high."""
    return range(int(low // size), int((high + 1) // size) + 1)


def _basis(position: Floats, size: int) -> tuple[NDArray[np.intp], Floats]:
    """Cubic B-spline weights at positions on the grid 0, 1 ... size - 1, which has one coefficient more at either end.

    For each row the first coefficient that it needs, and the weights from there on, rows x points x coefficients.
    """
    cell, weights = _cubic(position, size)
    width = int(np.ptp(cell, axis=1).max()) + 4
    first = np.minimum(cell.min(axis=1), size + 2 - width)
    dense = np.zeros((*position.shape, width))
    np.put_along_axis(dense, (cell - first[:, None])[..., None] + np.arange(4), weights, axis=-1)
    return first, dense


def _cubic(position: Floats, size: int) -> tuple[NDArray[np.intp], Floats]:
    """The cell of each position, and the weights of its four B-splines."""
    cell = np.clip(np.floor(position).astype(int), 0, size - 2)
    t = position - cell
    square, cube = t * t, t * t * t
    rest = 1 - t
    weights = np.stack([rest * rest * rest, 3 * cube - 6 * square + 4, 3 * (t + square - cube) + 1, cube], axis=-1)
    return cell, weights / 6


def spline_weights(position: Floats, size: int) -> Floats:
    """The weights of the values on the grid 0, 1 ... size - 1 in their natural cubic spline at each position."""
    cell, weights = _cubic(position, size)
    dense = np.zeros((*position.shape, size + 2))
    np.put_along_axis(dense, cell[..., None] + np.arange(4), weights, axis=-1)
    return dense @ _coefficients_of_ones(size)


@cache
def _coefficients_of_ones(size: int) -> Floats:
    return _spline_coefficients(np.eye(size), 0)


def _tables(df: float, nus: Floats, rows: range, columns: range) -> Floats:
    """B-spline coefficients of the log convolution of Student(df) with sigma_0 Student(nu), for each nu; remembered."""
    if len(_TABLES) > MOST_TABLES:
        _TABLES.clear()
    keys = [(df, nu, rows, columns) for nu in nus.tolist()]
    if new := [key for key in keys if key not in _TABLES]:
        values = _values(df, [key[1] for key in new], rows, columns)
        values = np.concatenate([values[..., MIRROR:0:-1], values], axis=2)
        for key, table in zip(new, _spline_coefficients(_spline_coefficients(values, 1), 2), strict=True):
            _TABLES[key] = table
    return np.stack([_TABLES[key] for key in keys])


def _values(df: float, nus: list[float], rows: range, columns: range) -> Floats:
    """The log convolutions, nu x rows x columns, from blocks that are remembered."""
    if len(_BLOCKS) > MOST_BLOCKS:
        _BLOCKS.clear()
    result = np.empty((len(nus), len(rows), BLOCK_V, len(columns), BLOCK_U))
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            keys = [(df, nu, row, column) for nu in nus]
            if new := [key for key in keys if key not in _BLOCKS]:
                v = STEP_V * np.arange(BLOCK_V * row, BLOCK_V * (row + 1), dtype=float)
                u = STEP_U * np.arange(BLOCK_U * column, BLOCK_U * (column + 1), dtype=float)
                _BLOCKS.update(zip(new, _log_convolutions(df, [key[1] for key in new], v, u), strict=True))
            result[:, i, :, j] = [_BLOCKS[key] for key in keys]
    return result.reshape(len(nus), BLOCK_V * len(rows), -1)


MOST_TABLES, MOST_BLOCKS = 2000, 100_000
_TABLES: dict[tuple[float, float, range, range], Floats] = {}
_BLOCKS: dict[tuple[float, float, int, int], Floats] = {}


def _spline_coefficients(values: Floats, axis: int) -> Floats:
    """Coefficients of the cubic spline through equidistant values, with natural ends."""
    from scipy.linalg import solve_banded

    moved = np.moveaxis(values, axis, 0)
    bands = np.zeros((3, len(moved)))
    bands[0, 2:], bands[1], bands[2, :-2] = 1 / 6, 4 / 6, 1 / 6
    bands[1, [0, -1]] = 1.0
    inner = solve_banded((1, 1), bands, moved.reshape(len(moved), -1)).reshape(moved.shape)
    ends = 2 * inner[:1] - inner[1:2], 2 * inner[-1:] - inner[-2:-1]
    return np.moveaxis(np.concatenate([ends[0], inner, ends[1]]), 0, axis)


_X, _W = np.polynomial.legendre.leggauss(6)
_FAR = 27.0
"""The product of the two densities ends here, in widths and distances: beyond, it falls by the third power at least."""


def _log_convolutions(df: float, nus: Sequence[float], v: Floats, u: Floats) -> Floats:
    """log density of T_df + sigma T_nu at distance x, for each nu, log sigma in v (rows) and asinh x in u (columns)."""
    x = np.sinh(u)[:, None]
    return np.stack([_log_convolution(df, nus, sigma, x) for sigma in np.exp(v)], axis=1)


def _log_convolution(df: float, nus: Sequence[float], sigma: float, x: Floats) -> Floats:
    """By Gauss-Legendre panels that are fine around both centres and three times wider at each step further out."""
    end = _FAR * max(float(x.max()), sigma, 1.0)
    edges = np.concatenate([0 * x + _panels(end), x + sigma * _panels(end / sigma)], axis=1)
    edges.sort(axis=1)
    half = np.diff(edges) / 2
    t = ((edges[:, :-1] + half)[..., None] + half[..., None] * _X).reshape(x.size, -1)
    own = log_student(t, df) + np.log((half[..., None] * _W).reshape(x.size, -1) + 1e-300)
    squares = ((x - t) / sigma) ** 2
    result = np.empty((len(nus), x.size))
    for k, nu in enumerate(nus):
        logs = log_student_of_square(squares, nu)
        logs += own
        top = logs.max(axis=1, keepdims=True)
        logs -= top
        result[k] = np.log(np.exp(logs, out=logs).sum(axis=1)) + top[:, 0]
    return result - np.log(sigma)


def _panels(end: float) -> Floats:
    """Edges on both sides of 0: by ones to 6, then three times further each until the end is inside."""
    right = np.concatenate([np.arange(1.0, 7.0), 6 * 3.0 ** np.arange(1, 2 + np.log(max(end / 6, 1.0)) / np.log(3))])
    return np.concatenate([-right[::-1], [0.0], right])


def log_student(x: Floats, df: float) -> Floats:
    """The log density of Student t."""
    return log_student_of_square(x * x, df)


def log_student_of_square(square: Floats, df: float) -> Floats:
    """The same, where x^2 is known."""
    if np.isinf(df):
        return -0.5 * (square + np.log(2 * np.pi))
    logs = square / df
    logs += 1  # log1p takes up to twice as long, and is better by 4e-13 only where nu is 10,000
    np.log(logs, out=logs)
    logs *= -(df + 1) / 2
    logs += log_student_factor(df)
    return logs
