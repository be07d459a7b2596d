"""Many benchmarks of items: the hierarchical test with the likelihood of right and wrong in place of a Student t.

With the share s of discordant items uniform between |delta| and 1, the likelihood of a benchmark's difference is
L(delta) = (1 - |delta|)^-1 times the integral of ((s + delta)/2)^n10 ((s - delta)/2)^n01 (1 - s)^(n - n10 - n01). It
has a cusp at 0 and no width of its own where both models are always right, which is information, not a variance of 0.
Benchmarks that are graded or clustered have the Student t of `per_instance_ttest`.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayescmp import _compat
from bayescmp.bayes.hierarchical.convolution import log_student
from bayescmp.bayes.hierarchical.inference import HierarchicalInference
from bayescmp.bayes.hierarchical.prior import HierarchicalPrior
from bayescmp.bayes.hierarchical.quadrature import HyperPosterior
from bayescmp.numerics.clusters import clustered_student
from bayescmp.numerics.student import log_student_factor
from bayescmp.scores.inputs import check_one_run, cluster_codes
from bayescmp.scores.pair import Pair

Floats = NDArray[np.float64]
FALL, STEPS = 45.0, 320
MOST_POINTS = (12, 49, 49)
"""Values of nu, sigma_0 and delta_0 at which the likelihood is computed; splines of its logarithm have the others."""
MOST_DF = 1e10
"""As good as normal."""
CHECKED = 60
"""Points at which the splines are compared with the likelihood."""
DEEP, NOTHING = 400.0, 1e9
"""So far below the highest a log likelihood is cut off; as good as none."""
_X, _W = np.polynomial.legendre.leggauss(4)
_NEAR = np.concatenate([np.arange(0, 2.1, 0.5), [3.0, 4.0, 6.0], 8 * 2.0 ** np.arange(0, 14)])
_OWN = np.concatenate([np.arange(0, 8.1, 1.0), [12.0, 18.0, 27.0]])


def log_likelihood(only_a: float, only_b: float, n: float, delta: Floats) -> Floats:
    """log L(delta) of one benchmark, for differences strictly between -1 and 1.

    By the trapezoidal rule in the logit of x = (s - |delta|)/(1 - |delta|), zoomed in to where the integrand is.
    """
    for_it, against = np.where(delta >= 0, only_a, only_b), np.where(delta >= 0, only_b, only_a)
    d, rest = np.abs(np.asarray(delta, dtype=float)), n - only_a - only_b
    for_it, against, d = for_it[:, None], against[:, None], d[:, None]
    low, high = np.full(d.shape, -FALL - 5), np.full(d.shape, FALL + 5)
    share = np.linspace(0, 1, STEPS + 1)
    for _ in range(6):
        logit = low + (high - low) * share
        log_x, log_left = special.log_expit(logit), special.log_expit(-logit)
        half = (1 - d) / 2 * np.exp(log_x)
        with np.errstate(divide="ignore"):
            logs = special.xlogy(for_it, d + half) + special.xlogy(against, (1 - d) / 2) + against * log_x
            logs += rest * (np.log1p(-d) + log_left) + log_x + log_left
        top = logs.max(axis=1, keepdims=True)
        inside = logs > top - FALL
        first, last = inside.argmax(axis=1)[:, None], STEPS - inside[:, ::-1].argmax(axis=1)[:, None]
        step = (high - low) / STEPS
        before = high - low
        low, high = low + step * np.maximum(first - 1, 0), low + step * np.minimum(last + 1, STEPS)
        if (high - low > 0.7 * before).all():
            break
    return (top + np.log(np.exp(logs - top).sum(axis=1, keepdims=True) * before / STEPS))[:, 0]


@dataclass(frozen=True, eq=False)
class ItemsInference(HierarchicalInference):
    """Counts of discordant items of each benchmark and the prior; where a benchmark has no counts, a Student t.

    `tables` is datasets x 3: only A right, only B right, all items; NaN where the Student t of `means`, `errors` and
    `own_dfs` stands for the benchmark. `widths` are the units of the differences, in scores.
    """

    tables: Floats = None  # type: ignore[assignment]
    errors: Floats = None  # type: ignore[assignment]
    own_dfs: Floats = None  # type: ignore[assignment]
    widths: Floats = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("tables", "errors", "own_dfs", "widths"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))

    @property
    def settings(self) -> dict[str, Any]:
        return {"prior": self.prior, "likelihood": "items"}

    @property
    def dfs(self) -> Floats:
        return self.own_dfs

    @property
    def scales(self) -> Floats:
        """About the width of each benchmark's likelihood."""
        return self.errors

    def datum(self, i: int, delta: Floats) -> Floats:
        """The log likelihood of benchmark i at these differences."""
        if np.isnan(self.tables[i, 0]):
            return log_student((np.asarray(delta, dtype=float) - self.means[i]) / self.errors[i], self.own_dfs[i])
        scores = np.asarray(delta, dtype=float) * self.widths[i]
        result = np.full(scores.shape, -np.inf)
        left, right = self._splines[tuple(self.tables[i].tolist())]
        for spline, side in ((left, (scores > -1) & (scores < 0)), (right, (scores >= 0) & (scores < 1))):
            result[side] = spline(np.arctanh(np.abs(scores[side])))
        return result

    @cached_property
    def _splines(self) -> dict[tuple[float, ...], tuple[Any, Any]]:
        """For each table the splines of log L in atanh |delta|, below and above 0."""
        from scipy.interpolate import CubicSpline

        found: dict[tuple[float, ...], tuple[Any, Any]] = {}
        for table in {tuple(row) for row in self.tables.tolist() if row[0] == row[0]}:
            only_a, only_b, n = table
            centre, width = (only_a - only_b) / n, np.sqrt(only_a + only_b + 1) / n
            sides = []
            for sign in (-1, 1):
                near = np.clip(sign * centre + width * np.linspace(-12, 12, 241), 0, 0.999999)
                y = np.unique(np.concatenate([np.arctanh(near), np.linspace(0, 12, 241)]).round(9))
                sides.append(CubicSpline(y, log_likelihood(only_a, only_b, n, sign * np.tanh(y))))
            found[table] = sides[0], sides[1]
        return found

    def likelihood(self, nus: Floats, log_sigma: Floats, delta: Floats) -> Floats:
        """The sum over benchmarks of the log of L convolved with the Student t, nu x log sigma_0 x delta_0.

        Arguments are in units of `unit`. A grid that lies within the last table is interpolated from it, so that a
        refined grid costs little and agrees with the coarser one.
        """
        if not self._tables or not self._tables[-1].covers(nus, log_sigma, delta):
            self._tables.append(_LogTable.of(self._sum, nus, log_sigma, delta))
        return self._tables[-1](nus, log_sigma, delta)

    @cached_property
    def _tables(self) -> list["_LogTable"]:
        return []

    def table_error(self, h: HyperPosterior) -> float:
        """Half the mean change of the posterior mass, at points drawn from it, by the likelihood without a table.

        This bounds the change of any probability, but for the choice of the points.
        """
        points = np.random.default_rng(0).choice(h.mass.size, CHECKED, p=h.mass.ravel())
        k, i, j = np.unravel_index(points, h.mass.shape)
        nu, sigma, delta = np.minimum(h.nu[k], MOST_DF), h.sigma[i] / self.unit, h.delta[j] / self.unit
        changes = len(self.tables) * log_student_factor(nu)
        for dataset, repeats in self._different:
            changes += repeats * self._convolved(dataset, [nu[:, None]], sigma[:, None], delta)[0]
        changes -= self._tables[-1](h.nu, np.log(h.sigma / self.unit), h.delta / self.unit)[k, i, j]
        ratio = np.exp(changes - changes.max())
        return super().table_error(h) + float(np.abs(ratio / ratio.mean() - 1).mean() / 2)

    @cached_property
    def _different(self) -> list[tuple[int, int]]:
        """The first of each kind of benchmark, and how many there are."""
        known = np.column_stack(
            [np.nan_to_num(self.tables, nan=-1), self.means, self.errors, self.own_dfs, self.widths]
        )
        _, first, repeats = np.unique(known, axis=0, return_index=True, return_counts=True)
        return list(zip(first.tolist(), repeats.tolist(), strict=True))

    def _sum(self, nus: Floats, sigmas: Floats, deltas: Floats) -> Floats:
        total = (
            np.zeros((nus.size, sigmas.size, deltas.size)) + len(self.tables) * log_student_factor(nus)[:, None, None]
        )
        for i, repeats in self._different:
            for s, sigma in enumerate(sigmas):
                total[:, s] += repeats * self._convolved(i, list(nus[:, None, None]), np.array([[sigma]]), deltas)
        return total

    def _convolved(self, i: int, nus: list[Floats], sigmas: Floats, deltas: Floats) -> Floats:
        """log of benchmark i's likelihood convolved with Student t (without its factor), a row for each of the nus.

        `sigmas` and each nu are columns: one number, or one for each of the deltas.
        """
        ends = np.array([-1.0, 1.0]) / self.widths[i] / self.unit
        own = self.means[i] / self.unit + self.errors[i] / self.unit * np.concatenate([-_OWN[:0:-1], _OWN])
        near = _NEAR
        if not np.isnan(self.tables[i, 0]):
            own = np.unique(np.clip([*own, *ends, 0.0], *ends))
            near = near[: np.searchsorted(near * sigmas.min(), np.ptp(ends)) + 1]  # the others are beyond the ends
        around = deltas[:, None] + sigmas * np.concatenate([-near[:0:-1], near])
        edges = np.concatenate([around, np.broadcast_to(own, (deltas.size, own.size))], axis=1)
        if not np.isnan(self.tables[i, 0]):
            np.clip(edges, *ends, out=edges)
        edges.sort(axis=1)
        half = np.diff(edges)[..., None] / 2
        x = (edges[:, :-1, None] + half + half * _X).reshape(deltas.size, -1)
        with np.errstate(divide="ignore"):
            logs = self.datum(i, x * self.unit) + np.log((half * _W).reshape(deltas.size, -1))
        squares = np.square((x - deltas[:, None]) / sigmas)
        result = np.empty((len(nus), deltas.size))
        for row, nu in zip(result, nus, strict=True):
            each = logs - (nu + 1) / 2 * np.log(squares / nu + 1)
            top = np.maximum(each.max(axis=1, keepdims=True), -NOTHING)
            row[:] = np.log(np.exp(each - top).sum(axis=1) + 1e-300) + (top - np.log(sigmas))[:, 0]
        return result

    def swap(self) -> "ItemsInference":
        return replace(self, means=0.0 - self.means, tables=self.tables[:, [1, 0, 2]])


@dataclass(frozen=True, eq=False)
class _LogTable:
    """A function of nu, log sigma_0 and delta_0 at some points, with splines between them.

    `places` has delta_0 at the places 0, 1, 2, ... of a grid that is denser in the middle.
    """

    axes: tuple[Floats, Floats, Floats]
    places: Floats
    values: Floats

    @classmethod
    def of(cls, function: Any, nus: Floats, log_sigma: Floats, delta: Floats) -> "_LogTable":
        """The table of a function at no more points than are needed, of the places of a grid."""
        axes = (np.log(np.minimum(nus, MOST_DF)), log_sigma, np.arange(delta.size, dtype=float))
        thin = [
            np.unique(np.linspace(0, x.size - 1, min(x.size, most)).round().astype(int))
            for x, most in zip(axes, MOST_POINTS, strict=True)
        ]
        values = function(np.exp(axes[0][thin[0]]), np.exp(log_sigma[thin[1]]), delta[thin[2]])
        # steeper falls would make the splines ring
        return cls(
            (axes[0][thin[0]], log_sigma[thin[1]], axes[2][thin[2]]), delta, np.maximum(values, values.max() - DEEP)
        )

    def covers(self, nus: Floats, log_sigma: Floats, delta: Floats) -> bool:
        """Whether it has enough points for this grid, which lies within it and is not a small part of it."""
        grids = (np.log(np.minimum(nus, MOST_DF)), log_sigma, delta)
        own = (self.axes[0], self.axes[1], self.places)
        for grid, axis, known, most in zip(grids, own, self.axes, MOST_POINTS, strict=True):
            slack = 1e-9 * (1 + np.abs(axis).max())
            inside = axis[0] - slack <= grid[0] and grid[-1] <= axis[-1] + slack
            if not inside or np.ptp(grid) < np.ptp(axis) / 2 or known.size < min(grid.size, most):
                return False
        return True

    def __call__(self, nus: Floats, log_sigma: Floats, delta: Floats) -> Floats:
        from scipy.interpolate import CubicSpline

        place = CubicSpline(self.places, np.arange(self.places.size))(delta) if self.places.size > 1 else np.zeros(1)
        found = self.values
        for k, grid in enumerate((np.log(np.minimum(nus, MOST_DF)), log_sigma, place)):
            if not np.array_equal(grid, self.axes[k]):
                found = CubicSpline(self.axes[k], found, axis=k)(grid)
        return found


def pymc_items(inference: ItemsInference) -> Any:
    """delta_i ~ Student(nu, delta_0, sigma_0); the share of discordant items is uniform between |delta_i| and 1."""
    pm = _compat.import_pymc()
    prior, unit, widths = inference.prior, inference.unit, inference.widths
    counted = ~np.isnan(inference.tables[:, 0])
    only_a, only_b, n = inference.tables[counted].T
    limits = np.array([prior.delta_0_bound, prior.sigma_0_max]) / unit
    z = inference.means / unit
    with pm.Model(coords={"dataset": list(inference.names)}) as model:
        start = float(np.clip(z.mean(), -limits[0] / 2, limits[0] / 2)), float(min(z.std() + 0.1, limits[1] / 2))
        centre = pm.Uniform("centre", -limits[0], limits[0], initval=start[0])
        spread = pm.Uniform("spread", 0, limits[1], initval=start[1])
        if prior.gaussian:
            standard = pm.Normal("standard", 0, 1, dims="dataset")
        else:
            (a_low, a_high), (b_low, b_high) = prior.nu_shape, prior.nu_rate
            a = pm.Uniform("nu_shape", a_low, a_high) if a_high > a_low else a_low
            b = pm.Uniform("nu_rate", b_low, b_high) if b_high > b_low else b_low
            nu = pm.Deterministic("nu", prior.nu_shift + pm.Gamma("nu_minus_shift", a, b))
            standard = pm.StudentT("standard", nu, mu=0, sigma=1, dims="dataset")
        # not centred, because a benchmark of few items says little about its own difference
        delta = centre + spread * standard
        if counted.any():
            difference = delta[counted] * unit * widths[counted]
            size = pm.math.minimum(pm.math.abs(difference), 1 - 1e-12)
            share = pm.Uniform("share", 0, 1, shape=int(counted.sum()))
            s = size + (1 - size) * share
            logs = (
                only_a * pm.math.log((s + difference) / 2)
                + only_b * pm.math.log((s - difference) / 2)
                + (n - only_a - only_b) * pm.math.log(1 - s)
            )
            pm.Potential("items", pm.math.switch(pm.math.abs(difference) < 1, logs, -np.inf).sum())
        if not counted.all():
            pm.StudentT(
                "means",
                nu=inference.own_dfs[~counted],
                mu=delta[~counted],
                sigma=inference.errors[~counted] / unit,
                observed=z[~counted],
            )
        pm.Deterministic("delta_0", unit * centre)
        pm.Deterministic("sigma_0", unit * spread)
    return model


def item_statistics(pair: Pair, widths: Floats, prior: str | HierarchicalPrior) -> ItemsInference | None:
    """The counts or Student t of every benchmark; None where all are plain grades, which need nothing new."""
    tables = np.full((len(pair.datasets), 3), np.nan)
    means, errors, dfs, counts = (np.zeros(len(pair.datasets)) for _ in range(4))
    plain = True
    check_one_run(pair.items.values(), "hierarchical_ttest")
    for i, one in enumerate(pair):
        d, items = one.differences[0], one.items[one.datasets[0]]
        n = counts[i] = d.size
        codes = cluster_codes(one, None, "hierarchical_ttest")
        binary = items.samples is None and all(np.isin(x, (0.0, 1.0)).all() for x in (one.scores_a, one.scores_b))
        if binary and codes is None:
            tables[i] = (d > 0).sum(), (d < 0).sum(), n
            means[i], errors[i], dfs[i] = d.mean(), np.sqrt((d != 0).sum() + 1) / n, np.inf
        else:
            means[i], errors[i], dfs[i] = clustered_student(d, codes, float(one.rounding[0]))
            errors[i] = errors[i] or np.abs(d).max() / n or 1 / n
        plain = plain and not binary and codes is None
    if plain:
        return None
    means, errors = means / widths, errors / widths
    sds, largest = errors * np.sqrt(counts), float(max(1 / widths.min(), np.abs(means).max()))
    return ItemsInference(
        pair.datasets,
        means,
        sds,
        counts,
        np.zeros(counts.size),
        0.0,
        HierarchicalPrior.resolve(prior, means, sds, largest),
        largest,
        tables=tables,
        errors=errors,
        own_dfs=np.where(np.isinf(dfs), 1e10, dfs),
        widths=np.broadcast_to(widths, means.shape),
    )
