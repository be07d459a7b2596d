"""Sampling a PyMC model, and saying whether the draws can be trusted."""

import os
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp import _compat
from bayescmp.checks import check_count, check_draws, is_one_of
from bayescmp.errors import ConvergenceWarning, warn
from bayescmp.numerics.chains import ess, r_hat
from bayescmp.values import Value

R_HAT_LIMIT = 1.01
ESS_LIMIT = 400
BFMI_LIMIT = 0.3


class Diagnosed(Value):
    """How drawing went."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, in words; empty where all is well."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Diagnostics(Diagnosed):
    """How drawing in chains went: the worst value over all variables (Vehtari et al. 2021; Betancourt 2016).

    Attributes
    ----------
    r_hat, ess_bulk, ess_tail
        The worst over all variables.
    chains, draws : int
    divergences, bfmi
        Their number, and the worst; of NUTS only.

    See Also
    --------
    pymc_model : the model that NUTS samples.

    References
    ----------
    Vehtari et al. (2021). Rank-normalization, folding, and localization: an improved R-hat. Bayesian Analysis 16.
    Betancourt (2016). Diagnosing suboptimal cotangent disintegrations in Hamiltonian Monte Carlo. arXiv:1604.00695.

    Examples
    --------
    >>> from bayescmp.bayes import Diagnostics
    >>> bad = Diagnostics(r_hat=1.2, ess_bulk=900, ess_tail=900, divergences=0, bfmi=0.9, chains=4, draws=4000)
    >>> len(bad.problems)
    1
    """

    r_hat: float
    ess_bulk: float
    ess_tail: float
    chains: int
    draws: int
    divergences: int = 0
    bfmi: float | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, in words; empty where all is well."""
        found = []
        if not self.r_hat <= R_HAT_LIMIT:
            found.append(f"r_hat {self.r_hat:.3f} (must be at most {R_HAT_LIMIT})")
        if not min(self.ess_bulk, self.ess_tail) >= ESS_LIMIT:
            smaller = min(self.ess_bulk, self.ess_tail)
            found.append(f"effective sample size {smaller:.0f} (must be at least {ESS_LIMIT})")
        if self.divergences:
            found.append(f"{self.divergences} divergences (must be none)")
        if self.bfmi is not None and not self.bfmi >= BFMI_LIMIT:
            found.append(f"BFMI {self.bfmi:.2f} (must be at least {BFMI_LIMIT})")
        return tuple(found)


def check_engine(engine: str, fast: str, nuts_options: dict[str, Any], random_seed: int | None = None) -> None:
    """Raises if the engine is unknown, or if the fast one is given options of the sampler."""
    if not is_one_of(engine, (fast, "nuts")):
        raise ValueError(f'`engine` must be "{fast}" or "nuts", got {engine!r}.')
    options = [*nuts_options, *(["random_seed"] if random_seed is not None else [])]
    if engine != "nuts" and options:
        names = ", ".join(f"`{name}`" for name in options)
        raise ValueError(f'{names}: only for engine="nuts", got engine="{engine}". Leave it out, or use engine="nuts".')


def sample(
    model: Any,
    *,
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    cores: int | None = None,
    random_seed: int,
    nuts_sampler: str = "pymc",
    target_accept: float = 0.9,
    progressbar: bool = True,
) -> tuple[Any, Diagnostics]:
    """Draw from the posterior of a PyMC model; returns ArviZ data and diagnostics, and warns where they are bad."""
    import logging

    for name, value, least in (("draws", draws, 1), ("tune", tune, 0), ("chains", chains, 1), ("cores", cores or 1, 1)):
        check_count(name, value, least)
    if chains < 2:
        raise ValueError(f"`chains` must be at least 2, because convergence shows between chains; got {chains}.")
    check_draws(draws, chains)
    pm = _compat.import_pymc()

    logger = logging.getLogger("pymc")
    level = logger.level
    logger.setLevel(logging.ERROR)  # our own diagnostics warn of the same once, with a typed warning
    try:
        with _stopped_by_ctrl_c(), model, _compat.quiet(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=UserWarning, module="pymc")
            data = pm.sample(
                draws=draws,
                tune=tune,
                chains=chains,
                cores=cores,
                random_seed=random_seed,
                nuts_sampler=nuts_sampler,
                target_accept=target_accept,
                progressbar=progressbar,
                compute_convergence_checks=False,
            )
    finally:
        logger.setLevel(level)
    diagnostics = diagnose(data)
    warn_of(diagnostics, "Draw more (draws=, tune=), or raise target_accept.")
    return data, diagnostics


def warn_of(diagnostics: Diagnostics, remedy: str) -> None:
    """Warn where the draws are bad."""
    if diagnostics.problems:
        warn(f"The draws cannot be trusted: {'; '.join(diagnostics.problems)}. {remedy}", ConvergenceWarning)


class _Stopped(BaseException):
    """In place of KeyboardInterrupt, which PyMC takes to mean that the draws so far, or the next chain, will do."""


@contextmanager
def _stopped_by_ctrl_c() -> Iterator[None]:
    """Ctrl-C ends in KeyboardInterrupt, and never in a result from a part of the draws."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or usual is not signal.default_int_handler:
        yield
        return
    us, stopped = os.getpid(), False

    def stop(*_: Any) -> None:
        nonlocal stopped
        if os.getpid() != us:  # a chain in a process of its own, which inherited this
            raise KeyboardInterrupt
        stopped = True
        raise _Stopped

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    except BaseException:
        if not stopped:
            raise
    finally:
        signal.signal(signal.SIGINT, usual)
    if stopped:
        raise KeyboardInterrupt


def diagnose(data: Any) -> Diagnostics:
    """The worst diagnostics over all variables of the posterior."""
    posterior, stats = _compat.group(data, "posterior"), _compat.group(data, "sample_stats")
    variables = [posterior[name].values for name in posterior.data_vars]
    energy = stats["energy"].values
    bfmi = float(np.min(np.mean(np.diff(energy) ** 2, axis=1) / np.var(energy, axis=1)))
    return replace(diagnosed(variables), divergences=int(stats["diverging"].values.sum()), bfmi=bfmi)


def diagnosed(variables: list[NDArray[Any]], together: int = 1) -> Diagnostics:
    """The worst over all of these draws, each chains x draws x any further axes; see `r_hat` for `together`."""
    every = np.concatenate([x.reshape(*x.shape[:2], -1) for x in variables], axis=2)
    chains, draws = every.shape[:2]
    bulk, tail = ess(every), ess(every, "tail")
    return Diagnostics(r_hat=r_hat(every, together), ess_bulk=bulk, ess_tail=tail, chains=chains, draws=draws)


def share_mcse(hits: NDArray[np.bool_]) -> float:
    """The Monte-Carlo standard error of a share of draws (chains x draws); never 0, also where all or none hit."""
    n = hits.size if hits.all() or not hits.any() else ess(hits.astype(float), "mean")
    share = (hits.mean() * n + 0.5) / (n + 1)
    return float(np.sqrt(share * (1 - share) / n))
