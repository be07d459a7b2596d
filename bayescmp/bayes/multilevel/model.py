"""The multilevel model of k models on many datasets: its prior, and the model as a `pm.Model`.

In the m = k - 1 orthonormal contrasts of the models, theta_d is dataset d's true contrasts:

    mean of the folds of d | theta_d ~ multivariate Student around theta_d (`data` has why, and which)
    theta_d | mu, T                  ~ N(mu, T), or Student with the scale matrix T
    mu | omega, T                    ~ N(0, omega^2 T), or flat
    T = B' G B, where G ~ inverse Wishart(nu + k - 1, nu diag(tau_1^2, ..., tau_k^2)), so that
    T                                ~ inverse Wishart(nu + k - 2, nu B' diag(tau_1^2, ..., tau_k^2) B)
    tau_i^2                          ~ Gamma(1/8, 1/(2 s^2))

B is the k x m basis of the contrasts. Each model i has a variance tau_i^2 of its own (Huang and Wand, 2013, on the
models instead of the contrasts). The square root of tau_i^2 + tau_j^2 has the density x^-1/2 near 0 (with 1/4 in place
of 1/8 it were half-normal), because models that hardly differ are common among those that people compare: a variant
beside its original. The inverse Wishart has a heavy tail upwards and a thin one downwards: if tau_i and tau_j are
small, models i and j may still differ much from the others, but not from each other. So near-twins are not blurred by
the rest. With many degrees of freedom nu the models vary independently. Nothing depends on the order of the models or
on the choice of B.

omega pools the effects in units of the models' variation between datasets: where all effects are small beside it, they
are pulled together. Were it in units of the scores, one pair of near-twins would make all models look alike.

Two models have one contrast, and "exchangeable" models one standard deviation for all: then T = tau^2 I, tau uniform.
One dataset has no T; there the unit of the effects is the standard deviation of the folds.
"""

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
TAILS = ("normal", "student")
LEAST_DF = 2.0
OMEGA_DF = 4.0
OWN_SHAPE = 0.125
"""Shape of the gamma of a model's own variance: below 1/4, that of a pair's half-normal standard deviation."""
LEAST = 1e-10
"""The tau_i^2 are at least this, in units of the spread between datasets: below, T is singular in double precision."""
NU_SHAPE, NU_RATE = 2.0, 0.1
"""nu of Student variation between datasets ~ Gamma(2, 0.1), as in the preset "juarez_steel" of hierarchical_ttest."""
MOST_FREE = 30
"""With more models a preset has one variance and one correlation for all: the rest would take minutes."""


@dataclass(frozen=True, kw_only=True)
class MultilevelPrior(Value):
    """Priors of the multilevel model; `between_max` and `within_sd` are in the units of the scores.

    Attributes
    ----------
    name : str
    effects_scale : float or None
        omega, the standard deviation of the models' effects in units of their variation between datasets, is
        half-Student with 4 df and this scale, which pools them; None: effects are flat, and not pooled.
    between_max : float
        tau, the standard deviation of exchangeable models between datasets, is uniform from 0 to this. For free
        covariances it is the scale of the models' own variances, Gamma(1/8, 1/(2 between_max^2)).
    covariance : "free" or "exchangeable"
        Each model has a standard deviation of its own and each pair a correlation; or all models have the same, within
        datasets and between. For two models there is no difference.
    df_shape, df_rate : float
        The covariance between datasets is inverse Wishart around independent models with 2 + Gamma(shape, rate) degrees
        of freedom: few leave it to the data.
    tails : "normal" or "student"
        The variation between datasets: normal, or Student with nu ~ Gamma(2, 0.1) degrees of freedom, so that a few odd
        datasets count less.
    within_df, within_sd : float
        What is known of the folds' covariances besides the data: they are inverse Wishart around within_sd^2 I with as
        much weight as so many folds. 0: nothing, but see `multilevel` for few folds.

    See Also
    --------
    multilevel : takes one, or the name of a preset.

    Examples
    --------
    >>> from bayescmp.bayes import MultilevelPrior
    >>> MultilevelPrior(effects_scale=1.0, between_max=0.5).covariance
    'free'
    """

    name: str = "custom"
    effects_scale: float | None
    between_max: float
    covariance: str = "free"
    df_shape: float = 2.0
    df_rate: float = 0.1
    tails: str = "normal"
    within_df: float = 0.0
    within_sd: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ValueError(f"`name` must be a text, got {self.name!r}.")
        optional = ("effects_scale", "within_sd")
        for name in ("effects_scale", "between_max", "df_shape", "df_rate", "within_sd"):
            value = getattr(self, name)
            if not (name in optional and value is None) and not 0 < check_number(name, value) < np.inf:
                raise ValueError(f"`{name}` must be positive and finite, got {value}.")
        if not 0 <= check_number("within_df", self.within_df) < np.inf:
            raise ValueError(f"`within_df` must be 0 or more, got {self.within_df}.")
        if (self.within_df > 0) != (self.within_sd is not None):
            raise ValueError("`within_df` and `within_sd` belong together: give both, or neither.")
        if self.within_df and self.covariance == "exchangeable":
            raise ValueError(
                "`within_df` is for free covariances: exchangeable ones have a uniform sd within datasets."
            )
        for name, choices in (("covariance", ("free", "exchangeable")), ("tails", TAILS)):
            if not is_one_of(getattr(self, name), choices):
                raise ValueError(f'`{name}` must be "{choices[0]}" or "{choices[1]}", got {getattr(self, name)!r}.')

    @classmethod
    def resolve(cls, prior: "str | MultilevelPrior", k: int, spread: float, tails: str = "normal") -> "MultilevelPrior":
        """A preset for k models with this spread between datasets and these tails; a `prior` that is one as it is."""
        if isinstance(prior, MultilevelPrior):
            return prior
        if not is_one_of(tails, TAILS):
            raise ValueError(f'`tails` must be "normal" or "student", got {tails!r}.')
        if not is_one_of(prior, PRIORS):
            raise ValueError(f"`prior` must be one of {list(PRIORS)} or a MultilevelPrior, got {prior!r}.")
        free = prior != "exchangeable" and 2 < k <= MOST_FREE
        return cls(
            name=prior,
            effects_scale=None if prior == "flat" else 1.0,
            between_max=(5 if free else 1000) * spread,  # 1000 as in hierarchical_ttest
            covariance="exchangeable" if prior == "exchangeable" or k > MOST_FREE else "free",
            tails=tails,
        )


def pymc_multilevel(data: "Statistics") -> Any:
    """The model with theta integrated out, in units of `data.unit` but for effect.

    T comes from Bartlett's decomposition of the inverse Wishart, and effects are standardised: no funnel.
    """
    pm = _compat.import_pymc()
    from pytensor import tensor as pt

    prior, m, n = data.prior, data.m, len(data.datasets)
    with pm.Model(coords={"model": list(data.models), "dataset": list(data.datasets)}) as model:
        root: Any = np.eye(m)
        covariance: Any = np.zeros((n, m, m))
        if data.has_between:
            bound = prior.between_max / data.unit
            if data.exchangeable:
                tau = pm.Uniform("tau", 0, bound, initval=min(1.0, bound / 2))
                root = tau * np.eye(m)
            else:
                root = _free(pm, pt, data, bound)
            t = pm.Deterministic("T", root @ root.T)
            covariance = pt.tile(t[None], (n, 1, 1))
            if prior.tails == "student":
                nu = pm.Gamma("nu", NU_SHAPE, NU_RATE)
                covariance = covariance / pm.Gamma("kappa", nu / 2, nu / 2, dims="dataset")[:, None, None]
            covariance = data.observe @ covariance @ np.swapaxes(data.observe, 1, 2)
        if prior.effects_scale is None:
            mu = pm.Flat("mu", shape=m, initval=np.zeros(m))
        else:
            omega = pm.HalfStudentT("omega", nu=OMEGA_DF, sigma=prior.effects_scale, initval=1.0)
            mu = pm.Deterministic("mu", omega * (root * pm.Normal("raw_effects", shape=m)).sum(axis=1))
        scales = data.scales
        if data.has_folds:
            scales = scales / pm.Gamma("weight", data.df / 2, data.df / 2, dims="dataset")[:, None, None]
        pm.MvNormal("means", (data.observe * mu).sum(axis=2), cov=covariance + scales, observed=data.means)
        pm.Deterministic("effect", data.unit * (data.basis * mu).sum(axis=1), dims="model")
    return model


def _free(pm: Any, pt: Any, data: "Statistics", scale: float) -> Any:
    """A root of T, which is inverse Wishart around B' diag(tau_i^2) B."""
    m, prior = data.m, data.prior
    own = pm.Truncated("own_variances", pm.Gamma.dist(OWN_SHAPE, 0.5 / scale**2, shape=m + 1), lower=LEAST)
    df = pm.Deterministic("df_between", LEAST_DF + pm.Gamma("raw_df", prior.df_shape, prior.df_rate))
    root = pt.linalg.cholesky(df * (data.basis.T * own) @ data.basis)
    squares = pm.Gamma("bartlett_squares", (df + m - 1 - np.arange(m)) / 2, 0.5, shape=m)
    below = pm.Normal("bartlett_below", shape=m * (m - 1) // 2)
    lower = pt.set_subtensor(pt.diag(pt.sqrt(squares))[np.tril_indices(m, -1)], below)
    return pt.linalg.solve_triangular(lower, root.T, lower=True).T  # T = L A^-T A^-1 L'
