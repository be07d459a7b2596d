"""Priors of the hierarchical correlated t-test: named presets, made absolute for the data at hand."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayescmp.checks import check_number, is_list, is_one_of
from bayescmp.numerics.moments import mean, moments
from bayescmp.values import Value

Floats = NDArray[np.float64]

PRESETS: dict[str, dict[str, Any]] = {
    "corani2017": {"nu_shift": 1.0, "nu_shape": (0.5, 5.0), "nu_rate": (0.05, 0.15)},
    "baycomp": {"nu_shift": 1.0, "nu_shape": (1.0, 2.0), "nu_rate": (0.01, 0.1)},
    "kruschke": {"nu_shift": 1.0, "nu_shape": (1.0, 1.0), "nu_rate": (1 / 29, 1 / 29)},
    "juarez_steel": {"nu_shift": 0.0, "nu_shape": (2.0, 2.0), "nu_rate": (0.1, 0.1)},
    "gaussian": {"gaussian": True},
}
"""nu = shift + Gamma(shape, rate), shape and rate uniform between two values; or normal random effects."""

_X, _WEIGHT = np.polynomial.legendre.leggauss(24)


@dataclass(frozen=True, kw_only=True)
class HierarchicalPrior(Value):
    """delta_i ~ Student(nu, delta_0, sigma_0) with these priors, in the units of the scores.

    Attributes
    ----------
    name : str
    delta_0_bound : float
        delta_0 is uniform between minus and plus this.
    sigma_0_max, sigma_max : float
        sigma_0, and every dataset's sigma_i, are uniform from 0 to this.
    nu_shift : float
    nu_shape, nu_rate : (low, high)
        nu - shift ~ Gamma(shape, rate), shape and rate uniform between low and high.
    gaussian : bool
        Normal instead of Student random effects: nu is infinite.

    See Also
    --------
    hierarchical_ttest : takes one, or the name of a preset.

    Examples
    --------
    >>> import bayescmp as bc
    >>> prior = bc.bayes.HierarchicalPrior(delta_0_bound=0.2, sigma_0_max=0.1, sigma_max=0.5, gaussian=True)
    >>> p = bc.bayes.hierarchical_ttest(bc.load_uci().pair("rf", "svm"), rope=0.01, prior=prior)
    >>> p.settings["prior"].sigma_0_max
    0.1
    """

    name: str = "custom"
    delta_0_bound: float
    sigma_0_max: float
    sigma_max: float
    nu_shift: float = 1.0
    nu_shape: tuple[float, float] = (0.5, 5.0)
    nu_rate: tuple[float, float] = (0.05, 0.15)
    gaussian: bool = False

    def __post_init__(self) -> None:
        for name in ("nu_shape", "nu_rate"):
            if not is_list(ends := getattr(self, name)) or len(tuple(ends)) != 2:
                raise ValueError(f"`{name}` must be (low, high), got {ends!r}.")
            object.__setattr__(self, name, tuple(check_number(name, x) for x in ends))
        for name in ("delta_0_bound", "sigma_0_max", "sigma_max", "nu_shift"):
            object.__setattr__(self, name, check_number(name, getattr(self, name)))
        for name in ("delta_0_bound", "sigma_0_max", "sigma_max"):
            if not 0 < getattr(self, name) < np.inf:
                raise ValueError(f"`{name}` must be positive and finite, got {getattr(self, name)}.")
        for name in ("nu_shape", "nu_rate"):
            low, high = getattr(self, name)
            if not 0 < low <= high < np.inf:
                raise ValueError(f"`{name}` must be (low, high) with 0 < low <= high, got {(low, high)}.")
        if not self.nu_shift >= 0:
            raise ValueError(f"`nu_shift` must be 0 or more, got {self.nu_shift}.")

    @classmethod
    def resolve(
        cls, prior: "str | HierarchicalPrior", means: Floats, sds: Floats, largest: float
    ) -> "HierarchicalPrior":
        """A preset with its bounds for data of these `means`, `sds` and `largest` score; else `prior` itself."""
        if isinstance(prior, HierarchicalPrior):
            return prior
        if not is_one_of(prior, PRESETS):
            raise ValueError(f"`prior` must be one of {', '.join(PRESETS)} or a HierarchicalPrior, got {prior!r}.")
        between, within = float(moments(means)[1]), float(mean(sds))
        return cls(
            name=prior,
            delta_0_bound=largest,
            sigma_0_max=1000 * (between if between > 1e-12 * largest else within),
            sigma_max=1000 * within,
            **PRESETS[prior],
        )

    def log_nu_range(self) -> tuple[float, float] | None:
        """The values of log(nu - shift) that hold all but 1e-5 of the prior; None for normal random effects."""
        return None if self.gaussian else _log_nu_range(self.nu_shape, self.nu_rate)

    def log_density(self, w: Floats) -> Floats:
        """The log density of w = log(nu - shift), shape and rate integrated out."""
        w = np.asarray(w, dtype=float)
        return np.frombuffer(_log_density(self.nu_shape, self.nu_rate, w.tobytes())).reshape(w.shape)


@lru_cache(maxsize=64)
def _log_nu_range(shape: tuple[float, float], rate: tuple[float, float]) -> tuple[float, float]:
    low, high = -20.0, 12.0
    for _ in range(3):  # the first time for where it is, then closer for where it ends
        w = np.linspace(low, high, 801)
        density = np.exp(np.frombuffer(_log_density(shape, rate, w.tobytes())))
        cumulative = np.cumsum(density) / density.sum()
        first, last = np.searchsorted(cumulative, [1e-5, 1 - 1e-7])
        low, high = float(w[max(first - 1, 0)]), float(w[min(last + 1, 800)])
    return low, high


@lru_cache(maxsize=512)
def _log_density(shape: tuple[float, float], rate: tuple[float, float], points: bytes) -> bytes:
    """The log density of log(nu - shift) at these doubles; the lattice's are asked for again and again."""
    g = np.exp(np.frombuffer(points))[:, None]
    (a_low, a_high), (b_low, b_high) = shape, rate
    a = (a_low + a_high) / 2 + (a_high - a_low) / 2 * _X if a_high > a_low else np.array([a_low])
    weight = _WEIGHT / 2 if a_high > a_low else np.ones(1)
    with np.errstate(divide="ignore", under="ignore"):
        if b_high > b_low:  # the integral over the rate is a difference of incomplete gamma functions
            mass = special.gammainc(a + 1, b_high * g) - special.gammainc(a + 1, b_low * g)
            density = a * mass / (g * (b_high - b_low))
        else:
            density = np.exp(a * np.log(b_low * g) - b_low * g - special.gammaln(a))
        return np.log(density @ weight).tobytes()
