"""The multilevel model of k models on many datasets as a `pm.Model`, and its prior.

In the orthonormal contrasts of the models: dataset d's folds have mean theta_d, covariance Sigma_d and correlation
rho_d; theta_d ~ N(mu, T); mu ~ N(0, omega^2 I). Sigma_d and T are inverse Wishart around s_d^2 I and tau^2 I, which is
exchangeability of the models, and are integrated out; T is drawn afterwards, given the rest.
"""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp import _compat
from bayescmp.checks import check_number, is_one_of
from bayescmp.values import Value

if TYPE_CHECKING:
    from bayescmp.bayes.multilevel.data import Statistics

Floats = NDArray[np.float64]
PRIORS = ("pooled", "flat", "exchangeable")
LEAST_DF = 2.0
PLUG_IN_DF = 10.0


@dataclass(frozen=True, kw_only=True)
class MultilevelPrior(Value):
    """Priors of the multilevel model, in the units of the scores.

    Attributes
    ----------
    name : str
    effects_scale : float or None
        omega, the standard deviation of the models' effects, is half-Student with 4 df and this scale, which pools
        them; None: effects are flat, and not pooled.
    between_max : float
        tau, the standard deviation between datasets that is common to the models, is uniform from 0 to this.
    covariance : "shrunk" or "exchangeable"
        The models' covariances within and between datasets vary around exchangeability, or are exchangeable: one
        variance for all models and one correlation for all pairs. For two models there is no difference.
    df_shape, df_rate : float
        The variance of a contrast is scaled inverse chi-squared around the exchangeable one, with 2 + Gamma(shape,
        rate) degrees of freedom: few leave the covariances to the data, many make them exchangeable.

    See Also
    --------
    multilevel : takes one, or the name of a preset.

    Examples
    --------
    >>> from bayescmp.bayes import MultilevelPrior
    >>> MultilevelPrior(effects_scale=0.05, between_max=1.0).covariance
    'shrunk'
    """

    name: str = "custom"
    effects_scale: float | None
    between_max: float
    covariance: str = "shrunk"
    df_shape: float = 2.0
    df_rate: float = 0.1

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ValueError(f"`name` must be a text, got {self.name!r}.")
        for name in ("effects_scale", "between_max", "df_shape", "df_rate"):
            value = getattr(self, name)
            if not (name == "effects_scale" and value is None) and not 0 < check_number(name, value) < np.inf:
                raise ValueError(f"`{name}` must be positive and finite, got {value}.")
        if not is_one_of(self.covariance, ("shrunk", "exchangeable")):
            raise ValueError(f'`covariance` must be "shrunk" or "exchangeable", got {self.covariance!r}.')

    @classmethod
    def resolve(cls, prior: "str | MultilevelPrior", typical: float, spread: float) -> "MultilevelPrior":
        """A preset, for contrasts of this typical size and spread between datasets; a prior that is one as it is."""
        if isinstance(prior, MultilevelPrior):
            return prior
        if not is_one_of(prior, PRIORS):
            raise ValueError(f"`prior` must be one of {list(PRIORS)} or a MultilevelPrior, got {prior!r}.")
        return cls(
            name=prior,
            effects_scale=None if prior == "flat" else typical,
            between_max=1000 * spread,
            covariance="exchangeable" if prior == "exchangeable" else "shrunk",
        )


def pymc_multilevel(data: "Statistics") -> Any:
    """The model with its covariances integrated out, in units of `data.unit` but for the named deterministics.

    NUTS moves in `raw_*`, which are mu and theta_d standardised by what they would be with covariances known up to a
    scale: no funnel where tau or omega is small. All numbers are `pm.Data`, so that models of the same shape share
    their compiled code.
    """
    pm = _compat.import_pymc()
    from pytensor import tensor as pt

    prior, m = data.prior, data.m
    centre, axes, shape, noise = data.start
    with pm.Model(coords={"model": list(data.models)}) as model:
        unit, n_datasets = pm.Data("unit", data.unit), pm.Data("n_datasets", float(len(data.datasets)))
        tau, scale = _scales(pm, pt, data)
        variance = (scale**2 * pm.Data("shape", shape) + pm.Data("noise", noise)) / n_datasets
        shrink = 1.0
        if prior.effects_scale is not None:
            spread = pm.Data("effects_scale", prior.effects_scale / data.unit)
            omega = pm.HalfStudentT("omega_scaled", nu=4, sigma=spread, initval=1.0)
            pm.Deterministic("omega", unit * omega)
            shrink = omega**2 / (omega**2 + variance)
        own = pm.Flat("raw_effects", shape=m, initval=np.zeros(m))
        width = pt.sqrt(shrink * variance)
        mu = (pm.Data("axes", axes) * (shrink * pm.Data("centre", centre) + width * own)).sum(axis=1)
        pm.Potential("raw_effects_scale", pt.log(width).sum())
        if prior.effects_scale is not None:
            pm.Potential("effects", -m * pt.log(omega) - (mu**2).sum() / (2 * omega**2))
        rotations, means = pm.Data("rotations", data.rotations), pm.Data("means", data.means)
        theta = _theta(pm, pt, data, rotations, means, mu, scale, unit)
        _between(pm, pt, data, theta - mu, tau, scale)
        if data.has_folds:
            _within(pm, pt, data, (rotations * theta[:, None, :]).sum(axis=2) - means)
        pm.Deterministic("tau", unit * tau)
        pm.Deterministic("effect", unit * (pm.Data("basis", data.basis) * mu).sum(axis=1), dims="model")
    return model


def _scales(pm: Any, pt: Any, data: "Statistics") -> tuple[Any, Any]:
    """tau, and the overall scale of the theta_d, which is tau itself where T is tau^2 I.

    Otherwise the data determine the scale of the theta_d well, but hardly tau, the centre of T's prior. So the scale is
    a variable of its own, drawn around its value given theta_d (`raw_scale_given_theta`): that changes no posterior.
    """
    bound = data.prior.between_max / data.unit
    if data.exchangeable:
        tau = pm.Uniform("tau_scaled", 0, pm.Data("tau_max", bound), initval=min(1.0, bound / 2))
        return tau, tau
    known = np.sqrt(data.means.size)
    log_scale = pm.Flat("raw_log_scale", initval=known * min(0.0, np.log(bound / 2))) / known
    log_tau = log_scale - 0.3 + pm.Flat("raw_log_ratio", initval=0.0) / np.sqrt(data.m)
    uniform = pt.switch(log_tau < pt.log(pm.Data("tau_max", bound)), log_tau, -np.inf)
    pm.Potential("tau_uniform", uniform)
    return pt.exp(log_tau), pt.exp(log_scale)


def _theta(pm: Any, pt: Any, data: "Statistics", rotations: Any, means: Any, mu: Any, scale: Any, unit: Any) -> Any:
    """theta_d in the common axes, standardised given mu and its scale; where there are no folds, the scores' own."""
    free = np.isfinite(data.precision)
    turned = means
    if free.any():
        at = np.flatnonzero(free)
        precision = pm.Data("precision", data.precision.ravel()[at])
        variance = scale**2 * pm.Data("axis_shape", data.axis_shape.ravel()[at])
        around, seen = (rotations * mu).sum(axis=2).ravel(), means.ravel()
        own = pm.Flat("raw_theta", shape=at.size, initval=np.zeros(at.size))
        if not free.all():
            around, seen = around[at], seen[at]
        shrink = 1 / (1 + precision * variance)
        width = pt.sqrt(variance * shrink)
        pm.Potential("raw_theta_scale", pt.log(width).sum())
        value = seen + shrink * (around - seen) + width * own
        pm.Deterministic("theta_on_axes", unit * value)
        turned = value if free.all() else pt.set_subtensor(means.ravel()[at], value)
        turned = turned.reshape(means.shape)
    return (rotations * turned[:, :, None]).sum(axis=1)


def _between(pm: Any, pt: Any, data: "Statistics", deviations: Any, tau: Any, scale: Any) -> None:
    """theta_d - mu ~ N(0, T), T ~ inverse Wishart around tau^2 I, integrated out."""
    n, m = len(data.datasets), data.m
    if data.exchangeable:
        pm.Potential("between", -n * m * pt.log(tau) - (deviations**2).sum() / (2 * tau**2))
        return
    df = _df(pm, pt, "df_between", data.prior, 1)
    products = (deviations[:, :, None] * deviations[:, None, :]).sum(axis=0)  # elementwise: no BLAS is needed
    scatter = df * tau**2 * np.eye(m) + products
    log_det = pt.linalg.slogdet(scatter)[1]  # cholesky would be the same; its gradient takes a hundred times as long
    pm.Potential(
        "between",
        (df + m - 1) * m / 2 * pt.log(df * tau**2)
        - (df + m - 1 + n) / 2 * log_det
        + _log_gammas(pm, pt, "between", df, [(m, n)]),
    )
    inverse = pm.Data("shape_inverse", np.linalg.inv(data.shape))
    squares = (inverse * products).sum()
    log_ratio = pt.log(squares / (n * m)) / 2 - pt.log(scale)
    pm.Potential("raw_scale_given_theta", -n * m * log_ratio**2)


def _within(pm: Any, pt: Any, data: "Statistics", gaps: Any) -> None:
    """Dataset d's means and fold scatter given theta_d; Sigma_d ~ inverse Wishart around s_d^2 I, integrated out."""
    known, count = data.seen.sum(axis=1), data.counts
    seen, sizes, n = pm.Data("seen", data.seen * 1.0), pm.Data("sizes", known * 1.0), pm.Data("counts", count)
    squares = seen * gaps**2 / pm.Data("widening", data.widening)[:, None]
    total = data.roots.sum(axis=1)
    if data.exchangeable:  # Sigma_d = s_d^2 I, and the uniform s_d integrates out as well
        ratio = squares.sum(axis=1) / pm.Data("squares", total)
        pm.Potential("within", -((sizes * n - 1) / 2 * pt.log1p(ratio)).sum())
        return
    df = _df(pm, pt, "df_within", data.prior, data.means.size)
    own = pm.Flat("raw_sd", shape=count.size, initval=np.zeros(count.size))
    log_sd = pm.Data("log_sd_guess", np.log(total / (known * (count - 1))) / 2) + own / pt.sqrt(sizes)
    target = df * pt.exp(2 * log_sd)
    variances = target[:, None] + pm.Data("roots", data.roots)
    log_det = (seen * pt.log(variances)).sum(axis=1)
    each = (
        (df + sizes - 1) * sizes / 2 * pt.log(target)
        - (df + sizes - 1 + n) / 2 * (log_det + pt.log1p((squares / variances).sum(axis=1)))
        + log_sd  # uniform s_d
    )
    kinds = list(zip(known.tolist(), count.tolist(), strict=True))
    pm.Potential("within", each.sum() + _log_gammas(pm, pt, "within", df, kinds))


def _df(pm: Any, pt: Any, name: str, prior: MultilevelPrior, known_from: int) -> Any:
    """2 + Gamma(shape, rate), by a raw variable that moves as far as so many numbers leave its logarithm open."""
    log_more = np.log(PLUG_IN_DF) + pm.Flat(f"raw_{name}", initval=0.0) / np.sqrt(known_from)
    pm.Potential(f"{name}_prior", prior.df_shape * log_more - prior.df_rate * pt.exp(log_more))
    return pm.Deterministic(name, LEAST_DF + pt.exp(log_more))


def _log_gammas(pm: Any, pt: Any, name: str, df: Any, kinds: list[tuple[int, float]]) -> Any:
    """The log ratio of multivariate gamma functions of (df + m - 1 + n) / 2 and (df + m - 1) / 2, over all (m, n)."""
    steps = Counter((i, n) for m, n in kinds for i in range(m))
    i, n = np.array(list(steps), dtype=float).T
    shift, more = pm.Data(f"{name}_shift", i), pm.Data(f"{name}_more", n)
    times = pm.Data(f"{name}_times", np.array(list(steps.values()), dtype=float))
    return (times * (pt.gammaln((df + shift + more) / 2) - pt.gammaln((df + shift) / 2))).sum()


def thetas(data: "Statistics", draws: dict[str, Floats]) -> Floats:
    """theta_d in the common axes and the units of the scores, ... x datasets x contrasts."""
    turned = np.broadcast_to(data.unit * data.means, (*draws["tau"].shape, *data.means.shape)).copy()
    free = np.isfinite(data.precision)
    if free.any():
        turned[..., free] = draws["theta_on_axes"]
    return np.einsum("dai,...da->...di", data.rotations, turned, optimize=True)


def draw_between(data: "Statistics", draws: dict[str, Floats], theta: Floats, rng: np.random.Generator) -> Floats:
    """T (... x m x m) given theta, mu and tau: inverse Wishart, or tau^2 I."""
    tau, m, n = draws["tau"], data.m, len(data.datasets)
    if data.exchangeable:
        return tau[..., None, None] ** 2 * np.eye(m)
    gaps = theta - (draws["effect"] @ data.basis)[..., None, :]
    df = draws["df_between"]
    scatter = np.swapaxes(gaps, -1, -2) @ gaps + (df * tau**2)[..., None, None] * np.eye(m)
    # Bartlett: T^-1 is Wishart, so T = (L^-T A A' L^-1)^-1 = F F' with F = L A^-T and scatter = L L'
    lower = np.tril(rng.standard_normal((*tau.shape, m, m)), -1)
    freedom = (df + m - 1 + n)[..., None] - np.arange(m)
    lower[..., range(m), range(m)] = np.sqrt(rng.chisquare(freedom))
    factor = np.linalg.cholesky(scatter) @ np.swapaxes(np.linalg.inv(lower), -1, -2)
    return np.asarray(factor @ np.swapaxes(factor, -1, -2))
