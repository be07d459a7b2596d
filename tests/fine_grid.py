"""The hierarchical test on a finer grid of another kind: Gauss-Legendre in every direction, nothing of the engine's.

The convolutions are integrated on panels of 8 points and interpolated by quintic splines;
rows of delta_0 are integrated as Legendre series; sigma_0 is split where equivalence stops being the most probable
outcome, and goes by the root of its distance from there, along which the integral is smooth.
"""

import numpy as np
from scipy import interpolate, optimize, special, stats

NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


def log_student(square, df):
    if np.isinf(df):
        return -square / 2 - np.log(2 * np.pi) / 2
    return (
        special.gammaln((df + 1) / 2)
        - special.gammaln(df / 2)
        - np.log(df * np.pi) / 2
        - (df + 1) / 2 * np.log1p(square / df)
    )


def log_convolution(df, nu, log_sigma, distance):
    """log density of T_df + sigma T_nu at each distance (rows: log_sigma)."""
    out = np.empty((log_sigma.size, distance.size))
    for i, sigma in enumerate(np.exp(log_sigma)):
        far = 100 * max(1.0, sigma, distance.max())
        steps = [np.concatenate([[0, 1, 2, 3.5, 6], 6 * 2.0 ** np.arange(1, 2 + np.log2(far / s))]) for s in (1, sigma)]
        own, effect = (np.concatenate([-x[:0:-1], x]) for x in steps)
        edges = np.concatenate([np.tile(own, (distance.size, 1)), distance[:, None] + sigma * effect], axis=1)
        edges.sort(axis=1)
        half = np.diff(edges, axis=1) / 2
        x = ((edges[:, :-1] + half)[..., None] + half[..., None] * NODES).reshape(distance.size, -1)
        logs = log_student(x * x, df) + log_student(((distance[:, None] - x) / sigma) ** 2, nu) - np.log(sigma)
        top = logs.max(axis=1, keepdims=True)
        weights = (half[..., None] * WEIGHTS).reshape(distance.size, -1)
        out[i] = np.log((np.exp(logs - top) * weights).sum(axis=1)) + top[:, 0]
    return out


class Likelihood:
    """The log likelihood of all datasets at one nu, on any grid of log sigma_0 and delta_0."""

    def __init__(self, means, scales, dfs, nu, log_sigma_range, delta_range):
        self.means, self.scales, self.dfs, self.splines = means, scales, dfs, {}
        for df in np.unique(dfs):
            here = dfs == df
            low, high = (log_sigma_range[k] - np.log(scales[here]) for k in (0, 1))
            # far below a dataset's own scale sigma_0 does nothing
            v = np.arange(max(low.min(), -9.0) - 0.8, max(high.max(), -8.0) + 1.0, 0.2)
            reach = max(np.abs(means[here] - d).max() for d in delta_range) / scales[here].min()
            u = np.arange(-0.4, np.arcsinh(reach) + 0.5, 0.08)
            table = log_convolution(df, nu, v, np.sinh(np.abs(u)))
            self.splines[df] = interpolate.RectBivariateSpline(v, u, table, kx=5, ky=5), v[0]

    def __call__(self, log_sigma, delta):
        total = np.zeros((log_sigma.size, delta.size))
        for m, scale, df in zip(self.means, self.scales, self.dfs, strict=True):
            spline, least = self.splines[df]
            u, column = np.unique(np.arcsinh(np.abs(m - delta) / scale), return_inverse=True)
            v, row = np.unique(np.maximum(log_sigma - np.log(scale), least), return_inverse=True)
            total += spline(v, u)[np.ix_(row, column)] - np.log(scale)
        return total


def gauss(low, high, n, panels=1):
    """Nodes and weights of Gauss-Legendre, on some panels of the same width."""
    x, w = np.polynomial.legendre.leggauss(n)
    edges = np.linspace(low, high, panels + 1)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (x + 1)).ravel(), (half * w).ravel()


def border(nu, sigma, half):
    """How far from the rope's centre delta_0 may be before "equivalent" is no longer the most probable outcome."""
    gap = lambda c: 2 * stats.t.cdf((half - c) / sigma, nu) - stats.t.cdf((-half - c) / sigma, nu) - 1  # noqa: E731
    return optimize.brentq(gap, 0.0, half, xtol=1e-15) if gap(0.0) > 0 else 0.0


def prior_range(prior):
    """log(nu - shift), but for 1e-7 of its prior at either end."""
    w = np.linspace(-40, 12, 5201)
    p = np.cumsum(np.exp(prior.log_density(w)))
    return tuple(w[np.searchsorted(p / p[-1], [1e-7, 1 - 1e-8])])


def fine_grid(inference, ropes, *, n_nu=48, n_sigma=16, n_delta=96):
    """For each rope the winner's probabilities and the expected shares."""
    unit, prior, h = inference.unit, inference.prior, inference.hyper
    means, scales, dfs = inference.means / unit, inference.scales / unit, inference.dfs
    bound_delta, bound_sigma = prior.delta_0_bound / unit, np.log(prior.sigma_0_max / unit)
    s_low, s_high = np.log(h.sigma[[0, -1]] / unit)
    wide = 0.1 * (s_high - s_low)
    s_low, s_high = s_low - wide - 1, min(s_high + wide, bound_sigma)
    centre, width = h.curve.centre / unit, h.curve.width / unit
    stretch = 0.1 * np.ptp(h.t)
    ends = centre + width * np.sinh([h.t[0] - stretch, h.t[-1] + stretch])
    ends = np.clip(ends, -bound_delta, bound_delta)
    t, w_t = gauss(*np.arcsinh((ends - centre) / width), n_delta)
    delta, w_delta = centre + width * np.sinh(t), w_t * width * np.cosh(t)
    if prior.gaussian:
        nus, w_nu, log_prior = np.array([1e10]), np.ones(1), np.zeros(1)
    else:
        w, w_nu = gauss(*prior_range(prior), n_nu)
        nus, log_prior = prior.nu_shift + np.exp(w), prior.log_density(w)
    to_series = np.linalg.inv(np.polynomial.legendre.legvander(2 * (t - t[0]) / np.ptp(t) - 1, n_delta - 1))

    series_at = lambda delta_0: np.polynomial.legendre.legvander(  # noqa: E731
        2 * (np.arcsinh((np.clip(delta_0, *ends) - centre) / width) - t[0]) / np.ptp(t) - 1, n_delta
    )

    def below(f, x):
        """The integral of each row of f (a density of t) up to each of its x."""
        anti = np.polynomial.legendre.legint(to_series @ f.T, axis=0)
        return np.einsum("rkn,nr->rk", series_at(x) - series_at(ends[0]), anti) * np.ptp(t) / 2

    own, w_own = gauss(-14.0, 14.0, 8, 14)
    steps = np.gradient(delta)

    totals = {rope: np.zeros(6) for rope in ropes}
    top = None
    for nu, weight, log_p in zip(nus, w_nu, log_prior, strict=True):
        likelihood = Likelihood(means, scales, dfs, np.inf if nu > 1e9 else nu, (s_low, s_high), ends)
        for rope in ropes:
            low, high = rope.low / unit, rope.high / unit
            middle, half = (low + high) / 2, (high - low) / 2
            critical = np.log(half / special.stdtrit(nu, 2 / 3)) if half else s_low
            pieces = []
            for low_end, high_end, close in (
                (s_low, min(critical, s_high), critical),
                (max(critical, s_low), s_high, s_high),
            ):
                if low_end < high_end:
                    y, w_y = gauss(np.sqrt(close - high_end), np.sqrt(close - low_end), n_sigma, 5)
                    pieces.append((close - y * y, 2 * y * w_y))
            for log_sigma, w_s in pieces:
                log_f = likelihood(log_sigma, delta) + log_sigma[:, None] + log_p
                if top is None:
                    top = log_f.max()
                f = np.exp(log_f - top) * weight * w_s[:, None]
                sigma = np.exp(log_sigma)
                c = np.array([border(nu, s, half) for s in sigma]) if half else np.zeros(sigma.size)
                in_t = f * width * np.cosh(t)
                every = f @ w_delta
                lower, upper = below(in_t, np.stack([middle - c, middle + c], axis=1)).T
                under = []
                for at in (low, high):
                    row = (f * stats.t.cdf((at - delta) / sigma[:, None], nu)) @ w_delta
                    # theta is a step to these points: integrate over the new dataset's deviation instead
                    narrow = sigma < 5 * np.interp(at, delta, steps)
                    if narrow.any():
                        weight_t = stats.t.pdf(np.sinh(own), nu) * np.cosh(own) * w_own
                        parts = below(in_t[narrow], at - sigma[narrow, None] * np.sinh(own))
                        row[narrow] = parts @ weight_t + every[narrow] * (1 - weight_t.sum()) / 2
                    under.append(row)
                shares = every - under[1], under[1] - under[0], under[0]
                totals[rope] += [x.sum() for x in (every - upper, upper - lower, lower, *shares)]
    return {rope: (x[:3] / x[:3].sum(), x[3:] / x[3:].sum()) for rope, x in totals.items()}
