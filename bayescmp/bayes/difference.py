"""The posterior of a mean difference: what the correlated and the Welch t-test give."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp.bayes.distributions import Distribution, Draws, PointMass, distribution_from_dict
from bayescmp.bayes.hdi import DEFAULT_MASS
from bayescmp.bayes.nuts import share_mcse
from bayescmp.bayes.posterior import Posterior
from bayescmp.checks import check_count, check_mass, check_numbers, checked_seed
from bayescmp.rope import RopeLike, ropes_of
from bayescmp.scores.pair import SCALES
from bayescmp.text import number

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, repr=False)
class DifferencePosterior(Posterior):
    """The posterior of a mean difference A - B (positive favours A).

    Attributes
    ----------
    distribution
        Its distribution: Student t, difference of two Student t, a point, or draws.

    See Also
    --------
    correlated_ttest, welch_ttest

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)
    >>> round(p.with_rope(0.05).p_better, 3), p.swap().a
    (0.756, 'DT')
    """

    distribution: Distribution
    inference_data: Any = field(default=None, compare=False)

    kind: ClassVar[str] = "difference"

    @cached_property
    def _three(self) -> tuple[float, ...]:
        return self.distribution.regions(self.rope)

    @property
    def mcse(self) -> dict[str, float]:
        """The Monte-Carlo standard error of each probability: 0.0 where it is exact."""
        if not isinstance(self.distribution, Draws):
            return dict.fromkeys(self._labels, 0.0)
        x = self.distribution.chains
        above, below = x > self.rope.high, x < self.rope.low
        return {
            label: share_mcse(hits) for label, hits in zip(self._labels, (above, ~above & ~below, below), strict=True)
        }

    @property
    def mean(self) -> float:
        """The posterior mean of the difference."""
        return self.distribution.mean

    def hdi(self, mass: float = DEFAULT_MASS) -> tuple[float, float]:
        """The highest-density interval that holds `mass` of the posterior."""
        return self.distribution.hdi(check_mass(mass))

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
        """The posterior quantile at q."""
        return self.distribution.ppf(check_numbers("q", q))

    def draws(self, n: int = 1000, random_seed: int = 0) -> NDArray[np.float64]:
        """`n` draws of the difference, the same for the same `random_seed`."""
        return self.distribution.sample(check_count("n", n, 0), np.random.default_rng(checked_seed(random_seed)))

    def rope_curve(self, ropes: Iterable[RopeLike]) -> "pd.DataFrame":
        """The three probabilities on a grid of ropes, all from this posterior."""
        import pandas as pd

        others = [self.with_rope(rope) for rope in ropes_of(ropes)]
        columns = ("rope_low", "rope_high", "p_better", "p_equivalent", "p_worse", "mcse")
        rows = [(p.rope.low, p.rope.high, *p._three, max(p.mcse.values())) for p in others]
        return pd.DataFrame(rows, columns=list(columns))

    def swap(self) -> "DifferencePosterior":
        """B over A."""
        return replace(
            self, a=self.b, b=self.a, rope=self.rope.swap(), distribution=self.distribution.swap(), inference_data=None
        )

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

    def sentence(self, mass: float = DEFAULT_MASS) -> str:
        """The result in a sentence for the report, with the HDI of this `mass`."""
        better, equivalent, worse = map(self._show, self._three)
        low, high = self.hdi(mass)
        interval = (
            f"mean {SCALES[self.scale]} {number(self.mean, high - low)}, {100 * mass:g}% HDI "
            f"[{number(low, high - low)}, {number(high, high - low)}]"
        )
        tied = math.isclose(self.p_better, self.p_worse)
        first, second = (self.a, self.b) if tied or self.p_better > self.p_worse else (self.b, self.a)
        p = better if first == self.a else worse
        if self.rope.is_zero and tied:
            return f"{self.a} and {self.b} are equally likely to be the better one ({interval})."
        if self.rope.is_zero:
            return f"{first} is better than {second} with probability {p} ({interval})."
        if self.p_equivalent >= max(self.p_better, self.p_worse):
            return (
                f"{self.a} and {self.b} are practically equivalent with probability {equivalent} (P({self.a} better) "
                f"= {better}, P({self.b} better) = {worse}, rope {self.rope}; {interval})."
            )
        verdict = (
            f"{first} and {second} are equally likely to be practically better, with probability {p} each"
            if tied
            else f"{first} is practically better than {second} with probability {p}"
        )
        return f"{verdict} (P(equivalent) = {equivalent}, rope {self.rope}; {interval})."

    def _row(self) -> dict[str, Any]:
        low, high = self.hdi()
        row = super()._row()
        estimate = {"estimate": self.mean, "interval_low": low, "interval_high": high}
        return {k: row.pop(k) for k in list(row)[:7]} | estimate | row

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {
            "distribution": self.distribution.to_dict(),
            "mean": self.mean,
            "hdi": list(self.hdi()),
        }

    @classmethod
    def _parse(cls, values: dict[str, Any]) -> dict[str, Any]:
        return values | {"distribution": distribution_from_dict(values["distribution"])}

    def __repr__(self) -> str:
        low, high = self.hdi()
        width = high - low
        design = self.settings.get("design")
        lines = [
            self._heading() + (f", {design}" if design else f" (n={self.n})"),
            self._probability_line(),
            f"  mean {SCALES[self.scale]} {number(self.mean, width)}, 95% HDI "
            f"[{number(low, width)}, {number(high, width)}]",
        ]
        if isinstance(self.distribution, PointMass):
            lines[2] = f"  every {SCALES[self.scale]} is {self.mean + 0.0:.4g}"
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])
