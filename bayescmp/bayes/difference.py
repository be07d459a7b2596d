"""The posterior of a mean difference: what the t-tests and McNemar's test give."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.bayes.distributions import Distribution, Draws, PointMass, StudentPosterior, StudentT
from bayescmp.bayes.nuts import share_mcse
from bayescmp.bayes.posterior import DEFAULT_MASS, Posterior
from bayescmp.checks import check_count, check_mass, check_numbers, check_threshold, checked_seed
from bayescmp.scores.pair import SCALES
from bayescmp.sentences import difference_text, of_difference
from bayescmp.text import IN_PERCENT, amounts, visible, visible_lines

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DifferencePosterior(Posterior):
    """The posterior of a mean difference A - B (positive favours A).

    Attributes
    ----------
    distribution
        Its distribution: Student t, difference of two Student t, of paired proportions, a point, or draws.

    See Also
    --------
    correlated_ttest, welch_ttest, mcnemar_test, per_instance_ttest

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)
    >>> round(p.with_rope(0.05).p_better, 3), p.swap().a
    (0.756, 'DT')
    """

    distribution: Distribution

    @cached_property
    def three(self) -> tuple[float, float, float]:
        """P(A better), P(equivalent), P(B better); they sum to 1."""
        return self.distribution.regions(self.rope)

    def _remember(
        self, three: Iterable[float], hdi: Callable[[], tuple[float, float] | None] | None = None
    ) -> "DifferencePosterior":
        """Itself, with answers that were found for many pairs at once; `hdi()` is that of 95 %, where it is known."""
        self.__dict__.update(three=tuple(three), _hdi_of_many=hdi)
        return self

    @property
    def numerical_error(self) -> float:
        """The error estimate of a deterministic engine; 0.0 where the numbers are exact, or Monte Carlo."""
        return self.distribution.numerical_error

    @property
    def mcse(self) -> dict[str, float]:
        """The Monte-Carlo standard error of each probability: 0.0 where it is exact."""
        if not isinstance(self.distribution, Draws):
            return dict.fromkeys(self.labels, 0.0)
        x = self.distribution.chains
        above, below = x > self.rope.high, x < self.rope.low
        return {
            label: share_mcse(hits) for label, hits in zip(self.labels, (above, ~above & ~below, below), strict=True)
        }

    @property
    def mean(self) -> float:
        """The posterior mean of the difference."""
        return self.distribution.mean

    def hdi(self, mass: float = DEFAULT_MASS) -> tuple[float, float]:
        """The highest-density interval that holds `mass` of the posterior."""
        known = self.__dict__.get("_hdi_of_many") if check_mass(mass) == DEFAULT_MASS else None
        return (known and known()) or self.distribution.hdi(mass)

    def pdf(self, x: ArrayLike) -> NDArray[np.float64]:
        """The posterior density of the difference at x."""
        return self.distribution.pdf(check_numbers("x", x))

    def cdf(self, x: ArrayLike) -> NDArray[np.float64]:
        """P(difference <= x)."""
        return self.distribution.cdf(check_numbers("x", x))

    def sf(self, x: ArrayLike) -> NDArray[np.float64]:
        """P(difference > x), precise also where it is tiny."""
        return self.distribution.sf(check_numbers("x", x))

    def ppf(self, q: ArrayLike) -> NDArray[np.float64]:
        """The posterior quantile at q, a probability."""
        shares = check_numbers("q", q)
        if ((shares < 0) | (shares > 1)).any():
            raise ValueError(f"`q` must be probabilities from 0 to 1, got {q!r}.")
        return self.distribution.ppf(shares)

    def draws(self, n: int = 1000, random_seed: int = 0) -> NDArray[np.float64]:
        """`n` draws of the difference, the same for the same `random_seed`."""
        return self.distribution.sample(check_count("n", n, 0), np.random.default_rng(checked_seed(random_seed)))

    def swap(self) -> "DifferencePosterior":
        """B over A."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            rope=self.rope.swap(),
            settings=_swapped(self.settings),
            distribution=self.distribution.swap(),
            inference_data=None,
        )

    def prior_sensitivity(self, threshold: float = 0.95) -> "pd.DataFrame":
        """The three probabilities and the decision at `threshold` under other priors of the mean difference.

        The first row is this result, then come the flat prior and Student(4, 0, scale) with scales of 1, 2, 5 and 10
        ropes (of standard errors, where there is no rope), and, where there is one, the tipping point: the largest
        scale at which the decision is no longer that of the flat prior. That is `correlated_ttest`; other tests have
        priors of their own, or raise where there is one only.
        """
        from bayescmp.needs import pandas as pd

        others = [(name, replace(self, distribution=other)) for name, other in self.distribution.other_priors()]
        if others:
            return pd.DataFrame([p._prior_row(name, threshold) for name, p in [("this result", self), *others]])
        if "prior" not in self.settings:
            return super().prior_sensitivity(threshold)
        if not isinstance(self.distribution, StudentT | StudentPosterior):
            what = "was sampled" if isinstance(self.distribution, Draws) else "rests on differences that do not vary"
            raise ValueError(f'The posterior {what}: other priors need engine="exact" and differences that vary.')
        check_threshold(threshold)
        flat = self.distribution if isinstance(self.distribution, StudentT) else self.distribution.likelihood
        half = (self.rope.high - self.rope.low) / 2
        unit, name = (half, "rope") if 0 < half < np.inf else (flat.scale, "standard error")

        def with_prior(scale: float) -> DifferencePosterior:
            prior = flat if np.isinf(scale) else StudentPosterior(flat.location, flat.scale, flat.df, scale)
            return replace(self, distribution=prior)

        rows = [("this result", self), ("flat", with_prior(np.inf))]
        rows += [(f"scale of {k} {name}{'s' * (k > 1)}", with_prior(k * unit)) for k in (1, 2, 5, 10)]
        tipping = _largest_scale(lambda x: with_prior(x).decision(threshold) == rows[1][1].decision(threshold), flat)
        if tipping is not None:
            rows.append((f"tipping point: scale of {tipping:.3g}", with_prior(tipping)))
        return pd.DataFrame([p._prior_row(label, threshold) for label, p in rows])

    def to_arviz(self, draws: int = 4000, random_seed: int = 0) -> Any:
        """ArviZ data: the sampler's own where NUTS ran, else `draws` of `difference` by `random_seed`."""
        from bayescmp import _compat

        if self.inference_data is not None:
            return self.inference_data
        if isinstance(self.distribution, Draws):
            chains = self.distribution.chains
        else:
            chains = self.draws(check_count("draws", draws), random_seed)[None]
        return _compat.to_inference_data({"posterior": {"difference": chains}})

    def sentence(self, threshold: float | None = None, mass: float = DEFAULT_MASS) -> str:
        """The result in a sentence for the report, with the HDI of this `mass`.

        With a `threshold`, probabilities keep the digits that leave them on their side of it.
        """
        checked = None if threshold is None else check_threshold(threshold)
        return visible(of_difference(self, checked, check_mass(mass)), keep="")

    def _gain(self) -> float:
        return self.distribution.gain

    def _summarised(self) -> dict[str, Any]:
        return super()._summarised() | {"mean": self.mean, "hdi": self.hdi()}

    def _every(self) -> str:
        """The line of a posterior without variation."""
        if self.scale in IN_PERCENT:
            (same,) = amounts([self.mean], (self.mean, self.mean), self.scale, self.higher_is_better)
            return f"  every difference is {same}"
        return f"  every {SCALES[self.scale]} is {self.mean + 0.0:.4g}"

    def __repr__(self) -> str:
        design = self.settings.get("design")
        point = isinstance(self.distribution, PointMass)
        lines = [
            *self._trouble(),
            self._heading() + (f", {design}" if design else f" (n={self.n})"),
            f"  {self._probability_line()}      {self._rope_text()}",
            self._every() if point else f"  {difference_text(self)}",
        ]
        return visible_lines(lines + [f"  note: {note}" for note in (*self.notes, *self._of_a_point())])

    def _of_a_point(self) -> list[str]:
        """Where the only value lies against the rope of this result."""
        if not isinstance(self.distribution, PointMass):
            return []
        where = int(self.rope.regions(np.array([self.mean]), self.distribution.rounding)[0])
        if self.rope.is_zero:
            return ["without a rope every difference other than 0 decides"]
        return [f"that one value is {('inside', 'above', 'below')[where]} the rope {self.rope}"]


class ManyIntervals:
    """The 95 % HDIs of many pairs, all found by `find()` at once, as soon as more than a few were asked for."""

    def __init__(self, find: Callable[[], tuple[NDArray[np.float64], NDArray[np.float64]]]) -> None:
        self._find = cache(find)
        self._asked = 0

    def of(self, i: int) -> tuple[float, float] | None:
        """That of pair i; None as long as few were asked for, and where it was not found."""
        self._asked += 1
        if self._asked <= FEW_INTERVALS:
            return None
        low, high = (float(x[i]) for x in self._find())
        return None if np.isnan(low) else (low, high)


FEW_INTERVALS = 30


def _largest_scale(as_flat: Callable[[float], bool], flat: StudentT) -> float | None:
    """The largest scale of the prior for which `as_flat` does not hold; None where it always does."""
    unit = max(flat.scale, abs(flat.location))
    scales = unit * 10.0 ** np.arange(4, -4.01, -0.125)
    for wide, narrow in pairwise(scales.tolist()):
        if not as_flat(narrow):
            for _ in range(30):
                middle = float(np.sqrt(wide * narrow))
                wide, narrow = (middle, narrow) if as_flat(middle) else (wide, middle)
            return float(narrow)
    return None


def _swapped(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of B over A: where right and wrong were counted, "only A" and "only B" change places."""
    if "counts" not in settings:
        return settings
    counts, prior = settings["counts"], settings["prior"]
    return settings | {
        "counts": counts | {"only_a": counts["only_b"], "only_b": counts["only_a"]},
        "prior": (prior[0], prior[2], prior[1], prior[3]),
    }
