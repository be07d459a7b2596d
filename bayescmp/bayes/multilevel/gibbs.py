"""The Gibbs sampler of the multilevel model: all chains at once, with as much as possible integrated out.

A sweep draws omega with mu and theta integrated out, mu with theta integrated out, theta; the weights of the Student
likelihoods as mixtures of normals; the degrees of freedom of T and the tau_i^2 (`psi`) with T integrated out, T
(inverse Wishart), and the tau_i^2 again (gamma, since T is a part of a k x k matrix G whose missing row costs O(k) to
draw). Where the variation between datasets is small beside the noise, theta and T hold each other: so T and the tau_i
are also rescaled, as a whole and along differences of pairs of models, with theta integrated out and with it all of mu
or its part along the difference. For one tau, theta is integrated out throughout. Single numbers are drawn by `along`.

Arrays have the chains first, then the datasets, then the contrasts.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayescmp.bayes.multilevel.data import Statistics
from bayescmp.bayes.multilevel.model import LEAST, LEAST_DF, NU_RATE, NU_SHAPE, OMEGA_DF, OWN_SHAPE
from bayescmp.numerics.threads import one_blas_thread

Floats = NDArray[np.float64]
MOVES = 2
"""Steps that rescale a pair's T, per sweep."""
MANY = 16
"""With so many models T and tau_i^2 of some are rescaled in one sweep of four, and else in every one."""
SAME_START = 4
"""So many chains start in the same state: see `r_hat`."""
STEPS = (0.3, 1.0, 3.0)
"""Sizes of logarithmic steps: the right one depends on how much the data know."""
POINTS = 16
"""The number of points on a line from which `along` draws."""
FAR = 12.0
"""Factors beyond exp(FAR) are not tried: their squares leave no digits."""


class Run:
    """Chains that can go on: what they draw depends on the seed, not on how often they stopped."""

    def __init__(self, data: Statistics, *, chains: int, random_seed: int) -> None:
        self.sampler = sampler_of(data, chains, np.random.default_rng(random_seed))
        self.forget()

    def forget(self) -> None:
        """Drop the draws, but go on from where the chains are."""
        self.kept: dict[str, list[Floats]] = {}
        self.moments = Moments(self.sampler.data)

    def extend(self, draws: int, advance: Callable[[], Any] = lambda: None, *, keep: bool = True) -> None:
        """So many draws more."""
        with one_blas_thread():
            for _ in range(draws):
                self.sampler.sweep()
                if keep:
                    for name, x in self.sampler.state().items():
                        self.kept.setdefault(name, []).append(x)
                    self.moments.add(self.sampler.theta)
                advance()

    def found(self) -> dict[str, Floats]:
        """Draws by name, chains x draws x ..., in units of `data.unit`: mu, T or tau, omega, df_between, nu.

        And the means and standard deviations of the datasets' deviations of the models, as `shrunken` and `sds`.
        """
        return {name: np.stack(values, axis=1) for name, values in self.kept.items()} | self.moments.found()


def sampler_of(data: Statistics, chains: int, rng: np.random.Generator) -> "Exchangeable":
    """A sampler in its first state."""
    return (Exchangeable if data.exchangeable or not data.has_between else Free)(data, chains, rng)


class Moments:
    """The running means and squares of the datasets' deviations of the models from the mean of those run there."""

    def __init__(self, data: Statistics) -> None:
        self.basis, self.share = data.basis, (data.run / data.run.sum(axis=1, keepdims=True))
        self.count, self.sum, self.squares = 0, np.zeros(data.run.shape), np.zeros(data.run.shape)

    def add(self, theta: Floats) -> None:
        own = theta @ self.basis.T
        own -= np.einsum("cdk,dk->cd", own, self.share)[..., None]
        self.count += len(own)
        self.sum += own.sum(axis=0)
        self.squares += (own**2).sum(axis=0)

    def found(self) -> dict[str, Floats]:
        mean = self.sum / self.count
        variance = np.maximum(self.squares / self.count - mean**2, 0.0)
        return {"shrunken": mean, "sds": np.sqrt(variance)}


def shrunken_of(data: Statistics, draws: dict[str, Floats], rng: np.random.Generator) -> dict[str, Floats]:
    """The same from draws of another sampler, in which theta was integrated out: chains x draws x ..."""
    moments = Moments(data)
    with one_blas_thread():
        for c in range(len(draws["mu"])):
            sampler = sampler_of(data, draws["mu"].shape[1], rng)
            for name, x in draws.items():
                setattr(sampler, name, x[c])
            if isinstance(sampler, Free):
                sampler.t_root = np.asarray(np.linalg.cholesky(sampler.t))
                sampler.inverse = sampler.inverted(sampler.t)
            moments.add(sampler.deviations() + sampler.mu[:, None])
    return moments.found()


class Exchangeable:
    """The sampler for T = tau^2 I, and for one dataset, which has no T; and what all samplers share."""

    def __init__(self, data: Statistics, chains: int, rng: np.random.Generator) -> None:
        self.data, self.rng, self.chains = data, rng, chains
        self.k, self.m, self.n = len(data.models), data.m, len(data.datasets)
        self.bound = data.prior.between_max / data.unit
        self.lam, self.kappa = np.ones((2, chains, self.n))
        self.nu = np.full(chains, 10.0)
        self.pooled = data.prior.effects_scale is not None
        self.omega = np.ones(chains)
        information = np.einsum("dai,daj->ij", data.observe, data.observe)
        centre = np.linalg.solve(information, np.einsum("dai,da->i", data.observe, data.means))
        self.mu = np.tile(centre, (chains, 1))
        self.start(np.einsum("dai,da->di", data.observe, data.means - data.observe @ centre))

    def start(self, residuals: Floats) -> None:
        self.tau = np.minimum(np.exp(0.5 * self.starts(self.rng.standard_normal)), self.bound / 2)
        self.noise = np.trace(self.data.scales, axis1=1, axis2=2) - (self.m - self.data.sizes)
        self.noise = self.noise / self.data.sizes

    def starts(self, draw: Callable[[int], Floats]) -> Floats:
        """A number per chain, the same for those that start together."""
        return np.repeat(draw(-(-self.chains // SAME_START)), SAME_START)[: self.chains]

    def state(self) -> dict[str, Floats]:
        """What is kept of a sweep."""
        found = {"mu": self.mu}
        if self.pooled:
            found["omega"] = self.omega
        if self.data.has_between:
            found |= self.covariance() | ({"nu": self.nu} if self.data.prior.tails == "student" else {})
        return {name: x.copy() for name, x in found.items()}

    def covariance(self) -> dict[str, Floats]:
        return {"tau": self.tau}

    def sweep(self) -> None:
        self.between()
        self.effects(*self.information())
        self.theta = self.deviations() + self.mu[:, None]
        self.weights()

    # ---- T = tau^2 I

    def between(self) -> None:
        """tau, with theta integrated out; omega tau stays, and with it the prior of mu."""
        data = self.data
        if not data.has_between:
            self.tau = np.zeros(self.chains)
            return
        squares = ((data.means - self.observed(self.mu[:, None])) ** 2).sum(axis=2)
        size = np.log(self.omega * self.tau)

        def log_density(x: Floats) -> Floats:
            c = self.variance(np.exp(x))
            fit = x - (data.sizes * np.log(c) + squares / c).sum(axis=-1) / 2
            fit = fit + self.log_omega(size - x) if self.pooled else fit
            return np.where(np.exp(x) < self.bound, fit, -np.inf)

        self.tau = np.exp(along(log_density, np.log(self.tau), self.rng))
        self.omega = np.exp(size) / self.tau

    def observed(self, theta: Floats) -> Floats:
        """What is seen of theta, chains x datasets x contrasts."""
        return theta if self.data.complete else _times(self.data.observe, theta)

    def back(self, gaps: Floats) -> Floats:
        """Its transpose."""
        return gaps if self.data.complete else _times(np.swapaxes(self.data.observe, 1, 2), gaps)

    def variance(self, tau: Floats) -> Floats:
        """Of each seen contrast of a dataset's means, given mu."""
        return tau[..., None] ** 2 / self.kappa + self.noise / self.lam

    def root(self) -> Floats:
        """A root of T, or of I for one dataset: what effects are measured in."""
        size = self.tau if self.data.has_between else np.ones(self.chains)
        return size[:, None, None] * np.eye(self.m)

    def information(self) -> tuple[Floats, Floats]:
        """The precision of mu with theta integrated out, and its product with the mean."""
        data = self.data
        if not data.has_between:
            return _precision(data, self.inverse_scales * self.lam[..., None, None])
        weight = 1 / self.variance(self.tau)
        total = (weight[:, :, None] * self.seen_means).sum(axis=1)
        return np.tensordot(weight, self.seen, axes=(1, 0)), total

    @cached_property
    def seen(self) -> Floats:
        return np.swapaxes(self.data.observe, 1, 2) @ self.data.observe

    @cached_property
    def seen_means(self) -> Floats:
        return _times(np.swapaxes(self.data.observe, 1, 2), self.data.means)

    def deviations(self) -> Floats:
        """theta - mu given the rest: a draw from its prior, moved by what the means say beyond it."""
        data, shape = self.data, (self.chains, self.n, self.m)
        if not data.has_between:
            return np.zeros(shape)
        spread = (self.tau[:, None] / np.sqrt(self.kappa))[..., None]
        own = spread * self.rng.standard_normal(shape)
        noise = np.sqrt(self.noise / self.lam)[..., None] * self.rng.standard_normal(shape)
        gain = spread**2 / self.variance(self.tau)[..., None]
        return own + gain * self.back(data.means - self.observed(own + self.mu[:, None]) - noise)

    # ---- what all samplers share

    def effects(self, information: Floats, total: Floats) -> None:
        """omega with mu integrated out, then mu; given the precision of mu from the data, and its product with mu."""
        root = self.root()
        back = np.swapaxes(root, 1, 2)
        values, axes = np.linalg.eigh(back @ information @ root)
        values, axes = np.maximum(values, 0.0), root @ axes
        turned = _times(np.swapaxes(axes, 1, 2), total)
        shrink = np.zeros((self.chains, 1))
        if self.pooled:

            def log_density(x: Floats) -> Floats:
                omega2 = np.exp(2 * x)[..., None]
                fit = (turned**2 * omega2 / (1 + values * omega2) - np.log1p(values * omega2)).sum(axis=-1) / 2
                return fit + self.log_omega(x)

            self.omega = np.exp(along(log_density, np.log(self.omega), self.rng))
            shrink = self.omega[:, None] ** -2
        precision = values + shrink
        drawn = turned / precision + self.rng.standard_normal(turned.shape) / np.sqrt(precision)
        self.mu = _times(axes, drawn)

    def log_omega(self, x: Floats) -> Floats:
        """The log prior density of x = log omega."""
        scale = self.data.prior.effects_scale
        assert scale is not None
        return x - (OMEGA_DF + 1) / 2 * np.log1p(np.exp(2 * x) / (OMEGA_DF * scale**2))

    def weights(self) -> None:
        """The weights that make normals Student: of the likelihoods, and of the datasets where their tails are."""
        data = self.data
        if data.has_folds:
            gaps = data.means - self.observed(self.theta)
            squares = (gaps * _times(self.inverse_scales, gaps)).sum(axis=2)
            self.lam = self.rng.standard_gamma((data.df + data.sizes) / 2, squares.shape) * 2 / (data.df + squares)
        if data.prior.tails == "student" and data.has_between:
            squares = self.standardised_squares()

            def log_density(x: Floats) -> Floats:
                nu = np.exp(x)[..., None]
                each = special.gammaln((nu + self.m) / 2) - special.gammaln(nu / 2) - self.m / 2 * np.log(nu)
                fit = each - (nu + self.m) / 2 * np.log1p(squares / nu)
                return fit.sum(axis=-1) + NU_SHAPE * x - NU_RATE * nu[..., 0]

            self.nu = np.exp(along(log_density, np.log(self.nu), self.rng))
            nu = self.nu[:, None]
            self.kappa = self.rng.standard_gamma((nu + self.m) / 2, squares.shape) * 2 / (nu + squares)

    def standardised_squares(self) -> Floats:
        gaps = self.theta - self.mu[:, None]
        return (gaps**2).sum(axis=2) / self.tau[:, None] ** 2

    @cached_property
    def inverse_scales(self) -> Floats:
        """Of the datasets' means."""
        return np.asarray(np.linalg.inv(self.data.scales))


class Free(Exchangeable):
    """The sampler for a free T."""

    t: Floats
    t_root: Floats
    t_inverse: Floats
    inverse: Floats
    freedom: int
    """Of theta's scatter, mu integrated out."""
    known: bool
    """Whether theta is: it is the means where there is one score of every model on every dataset."""

    def sweep(self) -> None:
        if not self.known:
            super().sweep()
            return
        self.between()
        self.weights()

    def start(self, residuals: Floats) -> None:
        chains, data = self.chains, self.data
        self.theta = np.broadcast_to(residuals, (chains, *residuals.shape)) + self.mu[:, None]
        scatter = residuals.T @ residuals / len(residuals) + 0.1 * np.eye(self.m)
        spread = np.exp(self.starts(self.rng.standard_normal))[:, None, None]
        self.psi = np.einsum("ki,cij,kj->ck", data.basis, spread * scatter, data.basis)
        self.df = LEAST_DF + 5 * self.starts(self.rng.standard_exponential)
        self.freedom = self.n - (not self.pooled)
        self.known = data.complete and not data.has_folds
        self.most = 1e4 * self.bound**2  # steps do not lead beyond
        self.noise_root = np.asarray(np.linalg.cholesky(data.scales)) if data.has_folds else np.zeros_like(data.scales)
        self.pairs = np.array(np.triu_indices(self.k, 1)).T
        i, j = self.pairs.T
        gaps = self.theta[0] @ (data.basis[i] - data.basis[j]).T
        weights = 1 / ((gaps**2).sum(axis=0) + 1e-9 * (gaps**2).sum())  # near-twins first: it is they that hold
        self.pair_chances = np.cumsum(weights / weights.sum())

    def covariance(self) -> dict[str, Floats]:
        return {"t": self.t, "df_between": self.df}

    def between(self) -> None:
        total = self.kappa.sum(axis=1)
        centre = (self.kappa[..., None] * self.theta).sum(axis=1) / total[:, None]
        gaps = np.sqrt(self.kappa)[..., None] * (self.theta - centre[:, None])
        scatter = np.swapaxes(gaps, 1, 2) @ gaps
        if self.pooled:
            weight = self.draw_omega(scatter, centre, total)
            scatter = scatter + weight[:, None, None] * centre[:, :, None] * centre[:, None]
        self.draw_df(scatter)
        self.move_psi(scatter)
        self.draw_t(scatter)
        self.draw_mu(centre, total)
        self.draw_psi()
        if self.known:
            return
        self.inverse = self.inverted(self.t)
        if self.k < MANY or self.rng.random() < 0.25:
            self.rescale_some()
        for _ in range(MOVES if self.data.has_folds else 0):
            self.rescale()

    def draw_omega(self, scatter: Floats, centre: Floats, total: Floats) -> Floats:
        """omega given theta, with mu and T integrated out; returns the weight of the centre's square in T's scatter."""
        whole = scatter + self.df[:, None, None] * self.target(self.psi)
        size = (centre * np.linalg.solve(whole, centre[..., None])[..., 0]).sum(axis=1)
        freedom = self.df + self.m - 1 + self.freedom

        def log_density(x: Floats) -> Floats:
            variance = np.exp(2 * x) + 1 / total
            return self.log_omega(x) - (self.m * np.log(variance) + freedom * np.log1p(size / variance)) / 2

        self.omega = np.exp(along(log_density, np.log(self.omega), self.rng))
        return 1 / (self.omega**2 + 1 / total)

    def draw_mu(self, centre: Floats, total: Floats) -> None:
        """mu given theta and T."""
        precision = (total + (self.omega**-2 if self.pooled else 0.0))[:, None]
        noise = _times(self.t_root, self.rng.standard_normal(centre.shape))
        self.mu = centre * total[:, None] / precision + noise / np.sqrt(precision)

    def target(self, psi: Floats) -> Floats:
        """B' diag(psi) B."""
        basis = self.data.basis
        return (basis.T * psi[:, None]) @ basis

    def draw_df(self, scatter: Floats) -> None:
        """df with T integrated out: first with psi, then with df psi as it is."""
        prior, m, n = self.data.prior, self.m, self.freedom
        root = np.linalg.inv(np.linalg.cholesky(self.target(self.psi)))
        values = np.maximum(np.linalg.eigvalsh(root @ scatter @ np.swapaxes(root, 1, 2)), 0.0)
        steps = np.arange(m)

        def log_prior(x: Floats) -> Floats:
            df = LEAST_DF + np.exp(x)[..., None]
            gammas = special.gammaln((df + steps + n) / 2) - special.gammaln((df + steps) / 2)
            return gammas.sum(axis=-1) + prior.df_shape * x - prior.df_rate * np.exp(x)

        def given_psi(x: Floats) -> Floats:
            df = LEAST_DF + np.exp(x)[..., None]
            fit = (df + m - 1) * np.log(df) - (df + m - 1 + n) * np.log(df + values)
            return fit.sum(axis=-1) / 2 + log_prior(x)

        def given_product(x: Floats) -> Floats:
            df = LEAST_DF + np.exp(x)
            share = self.df / df
            fit = -(df + m - 1) / 2 * np.log1p(values / self.df[:, None]).sum(axis=1)
            fit -= self.k * OWN_SHAPE * np.log(df) + share * self.psi.sum(axis=1) / (2 * self.bound**2)
            return np.where(share * self.psi.min(axis=1) >= LEAST, fit + log_prior(x), -np.inf)

        self.df = LEAST_DF + np.exp(along(given_psi, np.log(self.df - LEAST_DF), self.rng))
        df = LEAST_DF + np.exp(along(given_product, np.log(self.df - LEAST_DF), self.rng))
        self.psi, self.df = self.psi * (self.df / df)[:, None], df

    def move_psi(self, scatter: Floats) -> None:
        """Each tau_i^2, with mu and T integrated out; a change of one adds a matrix of rank 1."""
        basis, df, rng = self.data.basis, self.df, self.rng
        freedom = (df + self.m - 1) / 2
        more = freedom + self.freedom / 2
        inverse = np.linalg.inv(scatter + df[:, None, None] * self.target(self.psi))
        total = (1 / self.psi).sum(axis=1)
        for i in rng.permutation(self.k):
            old = self.psi[:, i]
            image = inverse @ basis[i]
            gain = df * old * (image @ basis[i])
            others = total - 1 / old
            share = np.maximum(others * old, 0.0)  # of the others in the total, times that of this one

            def log_density(x: Floats, old: Floats = old, gain: Floats = gain, share: Floats = share) -> Floats:
                factor = np.exp(x)
                fit = (freedom + OWN_SHAPE) * x + freedom * np.log((share + 1 / factor) / (share + 1))
                fit -= more * np.log1p(gain * (factor - 1)) + old * factor / (2 * self.bound**2)
                return np.where(old * factor >= LEAST, fit, -np.inf)

            factor = np.exp(along(log_density, np.zeros(self.chains), rng))
            new = old * factor
            weight = df * (new - old) / (1 + gain * (factor - 1))
            inverse -= weight[:, None, None] * image[:, :, None] * image[:, None]
            total = others + 1 / new
            self.psi[:, i] = new

    def draw_t(self, scatter: Floats) -> None:
        """T and its inverse, by Bartlett's decomposition: T^-1 = L^-T A A' L^-1, where L L' is the scale matrix."""
        m = self.m
        root = np.linalg.cholesky(scatter + self.df[:, None, None] * self.target(self.psi))
        lower = np.tril(self.rng.standard_normal((self.chains, m, m)), -1)
        freedom = (self.df + m - 1 + self.freedom)[:, None] - np.arange(m)
        lower[:, range(m), range(m)] = np.sqrt(2 * self.rng.standard_gamma(freedom / 2))
        self.t_root = np.asarray(root @ np.swapaxes(np.linalg.inv(lower), 1, 2))
        self.t = self.t_root @ np.swapaxes(self.t_root, 1, 2)
        inverse = np.swapaxes(lower, 1, 2) @ np.linalg.inv(root)
        self.t_inverse = np.swapaxes(inverse, 1, 2) @ inverse

    def draw_psi(self) -> None:
        """The tau_i^2 given G, of which T is a part and the rest is drawn."""
        k, rng, df = self.k, self.rng, self.df[:, None]
        inverse = 1 / self.psi
        share = inverse / inverse.sum(axis=1, keepdims=True)
        precision = rng.standard_gamma((df + k - 1) / 2) * 2 * inverse.sum(axis=1, keepdims=True) / (k * df)
        noise = rng.standard_normal(self.psi.shape) * np.sqrt(inverse / df)
        rest = np.sqrt(k * precision) * share + noise - share * noise.sum(axis=1, keepdims=True)
        diagonal = self.inverse_diagonal() + rest**2
        rate = (df * diagonal + self.bound**-2) / 2
        self.psi = _gamma_above(LEAST, (df + k - 1) / 2 + OWN_SHAPE, rate, rng)

    def rescale_some(self) -> None:
        """The psi of some models by a factor, and T with them: as it was in units of its prior's scale matrix.

        Half of the time omega by the inverse, which leaves the size of mu's prior as it is.
        """
        rng, step = self.rng, a_step(self.rng) * self.rng.standard_normal(self.chains)
        some = rng.permutation(self.k) < rng.integers(1, self.k + 1)
        psi = self.psi * np.exp(2 * step[:, None] * some)
        inside = (psi.min(axis=1) >= LEAST) & (psi.max(axis=1) <= self.most)
        psi = np.where(inside[:, None], psi, self.psi)
        old, new = (np.linalg.cholesky(self.target(x)) for x in (self.psi, psi))
        there, back = new @ np.linalg.inv(old), old @ np.linalg.inv(new)
        root = there @ self.t_root
        t = root @ np.swapaxes(root, 1, 2)
        inverse, omega = self.inverted(t), self.omega
        ratio = 2 * some.sum() * OWN_SHAPE * step - (psi - self.psi).sum(axis=1) / (2 * self.bound**2)
        if self.pooled and rng.random() < 0.5:
            omega = omega / np.exp(step)
            ratio += self.log_omega(np.log(omega)) - self.log_omega(np.log(self.omega))
        fits = []
        for scale, turn, found in ((omega, root, inverse), (self.omega, self.t_root, self.inverse)):
            fits.append(self.log_evidence(scale, turn, found) + np.linalg.slogdet(found)[1].sum(axis=1) / 2)
        yes = (np.log(rng.random(self.chains)) < ratio + fits[0] - fits[1]) & inside
        here = yes[:, None, None]
        self.omega, self.psi = np.where(yes, omega, self.omega), np.where(yes[:, None], psi, self.psi)
        self.t, self.t_root = np.where(here, t, self.t), np.where(here, root, self.t_root)
        self.t_inverse = np.where(here, np.swapaxes(back, 1, 2) @ self.t_inverse @ back, self.t_inverse)
        self.inverse = np.where(here[:, None], inverse, self.inverse)

    def rescale(self) -> None:
        """(T, psi) along the difference x of a pair of models, with theta and the part of mu along it integrated out.

        T becomes A T A with A = I + (c - 1) x x', which adds W M W' with W = (x, T x) to each dataset's covariance.
        Where c is negative, the models also change places. mu = A nu if effects are pooled, so that its prior stays.
        """
        data, rng, m, df = self.data, self.rng, self.m, self.df
        i, j = self.pairs[np.searchsorted(self.pair_chances[:-1], rng.random())]
        x = (data.basis[i] - data.basis[j]) / np.sqrt(2)
        image, back = self.t @ x, self.t_inverse @ x
        size, part = image @ x, self.mu @ x
        rest = self.mu - part[:, None] * (image / size[:, None] if self.pooled else x)
        columns = np.stack(np.broadcast_arrays(x, image), axis=2)[:, None]
        seen = columns if data.complete else data.observe @ columns
        turned = self.inverse @ seen
        g = np.swapaxes(seen, 2, 3) @ turned
        g11, g12, g22 = g[..., 0, 0], g[..., 0, 1], g[..., 1, 1]
        u = ((data.means - self.observed(rest[:, None]))[..., None] * turned).sum(axis=2)
        own, diagonal = data.basis @ x, self.inverse_diagonal()
        swapped = self.psi.copy()
        swapped[:, [i, j]] = self.psi[:, [j, i]]
        others = np.delete(1 / self.psi, [i, j], axis=1).sum(axis=1)
        pair = (1 / self.psi[:, [i, j]]).sum(axis=1)

        def moved_psi(c: Floats) -> Floats:
            psi = np.where(c[..., None] > 0, self.psi, swapped)
            psi[..., [i, j]] *= c[..., None] ** 2
            return psi

        def evidence(c: Floats) -> tuple[Floats, Floats, Floats, tuple[Floats, ...]]:
            """The log density of the means, the precision of mu's part, its product with the mean, and P's parts."""
            b = (c - 1)[..., None] / self.kappa
            e = (c - 1)[..., None] * b * size[:, None]
            # (I + G M)^-1 is ((k22, -k12), (-k21, k11)) / det
            k11, k12, k21, k22 = 1 + e * g11 + b * g12, b * g11, e * g12 + b * g22, 1 + b * g12
            det = k11 * k22 - k12 * k21
            v1, v2 = (k22 * u[..., 0] - k12 * u[..., 1]) / det, (k11 * u[..., 1] - k21 * u[..., 0]) / det
            one, two = ((c - 1)[..., None], 1 / size[:, None]) if self.pooled else (1.0, 0.0)
            y1, y2 = g11 * one + g12 * two, g12 * one + g22 * two
            precision = ((one * (k22 * y1 - k12 * y2) + two * (k11 * y2 - k21 * y1)) / det).sum(axis=-1)
            precision = precision + (1 / (self.omega**2 * size) if self.pooled else 0.0)
            total = (one * v1 + two * v2).sum(axis=-1)
            fit = (u[..., 0] * (e * v1 + b * v2) + u[..., 1] * b * v1 - np.log(np.abs(det))).sum(axis=-1)
            fit += total**2 / precision - np.log(precision)
            return fit / 2, precision, total, (b, e, k12, k22, det)

        def log_density(c: Floats) -> Floats:
            step, psi = np.log(np.abs(c)), moved_psi(c)
            a = (1 / c - 1)[..., None]
            moved = diagonal + 2 * a * own * (back @ data.basis.T) + a**2 * (back @ x)[:, None] * own**2
            log_det = 4 * step + np.log(others + pair / c**2)
            found = (df + m - 1) / 2 * log_det - (df + m - 1 - 4 * OWN_SHAPE) * step
            found -= (df[:, None] * psi * moved + psi / self.bound**2).sum(axis=-1) / 2
            inside = (size * c**2 > LEAST) & (size * c**2 < self.most) & (psi.min(axis=-1) >= LEAST)
            return np.where((inside & (size > LEAST) & (size < self.most)) | (c == 1), found + evidence(c)[0], -np.inf)

        c = np.exp(np.clip(line(self.chains, rng), -FAR, FAR))
        c = drawn_from(np.concatenate([c, -c]), log_density, rng)
        _, precision, total, (b, e, k12, k22, det) = evidence(c)
        p11, p12, p22 = (e - b**2 * g22) / det, b * k22 / det, -b * k12 / det
        part = total / precision + rng.standard_normal(self.chains) / np.sqrt(precision)
        along_x = (c - 1)[:, None] * x + image / size[:, None] if self.pooled else x
        self.mu = rest + part[:, None] * along_x
        one, two = turned[..., 0], turned[..., 1]
        left, right = p11[..., None] * one + p12[..., None] * two, p12[..., None] * one + p22[..., None] * two
        self.inverse = self.inverse - left[..., None] * one[..., None, :] - right[..., None] * two[..., None, :]
        grow, shrink = (np.eye(m) + (y - 1)[:, None, None] * np.outer(x, x) for y in (c, 1 / c))
        self.psi, self.t_root = moved_psi(c), grow @ self.t_root
        self.t, self.t_inverse = grow @ self.t @ grow, shrink @ self.t_inverse @ shrink

    def log_evidence(self, omega: Floats, root: Floats, inverse: Floats) -> Floats:
        """The log density of all means, mu and theta integrated out, but for the determinants of `inverse`."""
        data = self.data
        information, total = _precision(data, inverse)
        if self.pooled:
            back = omega[:, None, None] * np.swapaxes(root, 1, 2)
            information, total = np.eye(self.m) + back @ information @ np.swapaxes(back, 1, 2), _times(back, total)
        half = np.linalg.cholesky(information)
        squares = (data.means * _times(inverse, data.means)).sum(axis=(1, 2))
        fit = (np.linalg.solve(half, total[..., None]) ** 2).sum(axis=(1, 2)) - squares
        return fit / 2 - np.log(np.diagonal(half, axis1=1, axis2=2)).sum(axis=1)

    def inverse_diagonal(self) -> Floats:
        """The diagonal of B T^-1 B'."""
        basis = self.data.basis
        return (basis * (basis @ self.t_inverse)).sum(axis=2)

    def inverted(self, t: Floats) -> Floats:
        """The inverse covariances of the datasets' means given mu."""
        data = self.data
        covariance = t[:, None] / self.kappa[..., None, None]
        if not data.complete:
            covariance = data.observe @ covariance @ np.swapaxes(data.observe, 1, 2)
        return np.asarray(np.linalg.inv(covariance + data.scales / self.lam[..., None, None]))

    def information(self) -> tuple[Floats, Floats]:
        return _precision(self.data, self.inverse)

    def root(self) -> Floats:
        return self.t_root

    def deviations(self) -> Floats:
        data, shape = self.data, (self.chains, self.n, self.m)
        own = self.rng.standard_normal(shape) @ np.swapaxes(self.root(), 1, 2) / np.sqrt(self.kappa)[..., None]
        noise = _times(self.noise_root, self.rng.standard_normal(shape)) / np.sqrt(self.lam)[..., None]
        gaps = data.means - self.observed(own + self.mu[:, None]) - noise
        return own + self.back(_times(self.inverse, gaps)) @ self.t / self.kappa[..., None]

    def standardised_squares(self) -> Floats:
        gaps = self.theta - self.mu[:, None]
        return (gaps * (gaps @ self.t_inverse)).sum(axis=2)


def _times(matrices: Floats, vectors: Floats) -> Floats:
    """Each matrix times its vector."""
    return (matrices @ vectors[..., None])[..., 0]


def _precision(data: Statistics, inverse: Floats) -> tuple[Floats, Floats]:
    """The precision of mu with theta integrated out, and its product with the mean."""
    if not data.complete:
        back = np.swapaxes(data.observe, 1, 2)
        return (back @ inverse @ data.observe).sum(axis=1), _times(back, _times(inverse, data.means)).sum(axis=1)
    return inverse.sum(axis=1), _times(inverse, data.means).sum(axis=1)


def _gamma_above(least: float, shape: Floats, rate: Floats, rng: np.random.Generator) -> Floats:
    """Gamma variates, given that they are at least so large."""
    drawn = rng.standard_gamma(shape, rate.shape) / rate
    low = drawn < least
    if low.any():
        upper = special.gammaincc(shape, least * rate) * rng.random(rate.shape)
        drawn = np.where(low, np.maximum(special.gammainccinv(shape, upper) / rate, least), drawn)
    return drawn


def along(log_density: Callable[[Floats], Floats], x: Floats, rng: np.random.Generator) -> Floats:
    """A draw of each of many numbers x from some points on the line that goes through it.

    The points are equally spaced, at a distance that does not depend on x, and x is any of them with equal probability:
    so each of them would have led to the same points, and a draw by their densities leaves the distribution as it is.
    """
    return drawn_from(x + line(len(x), rng), log_density, rng)


def a_step(rng: np.random.Generator) -> float:
    """One of the sizes."""
    return STEPS[int(len(STEPS) * rng.random())]


def line(n: int, rng: np.random.Generator) -> Floats:
    """Points x n; 0 is at a random place of each column."""
    places = np.arange(POINTS, dtype=float)[:, None] - rng.integers(POINTS, size=n)
    return np.asarray(places * a_step(rng) * (0.5 + rng.random()))


def drawn_from(points: Floats, log_density: Callable[[Floats], Floats], rng: np.random.Generator) -> Floats:
    """One of each column of points, by their densities."""
    place = (log_density(points) + rng.gumbel(size=points.shape)).argmax(axis=0)
    return np.asarray(points[place, np.arange(points.shape[1])])
