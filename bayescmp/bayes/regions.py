"""Results over many datasets: theta = the probabilities of better / equivalent / worse, and which is the largest."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bayescmp.bayes.hdi import DEFAULT_MASS
from bayescmp.bayes.nuts import share_mcse
from bayescmp.bayes.posterior import Posterior
from bayescmp.checks import check_count, check_mass, checked_seed
from bayescmp.rope import Rope, RopeLike, ropes_of
from bayescmp.scores.pair import SCALES
from bayescmp.text import number, probability

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
NUMERICAL_ERROR_LIMIT = 1e-2
MOST_PRIOR = 1e9
"""Datasets that a prior may count for; far beyond, squares of the weights are no numbers."""
TIE = 1e-12
"""Thetas closer than that are equal, and share the win."""


class RegionSummary(NamedTuple):
    """What an inference knows for one rope; the three numbers are of A better, equivalent, B better."""

    probabilities: tuple[float, ...]
    mcse: tuple[float, ...]
    expected: tuple[float, ...]
    numerical_error: float = 0.0


class RegionInference(Protocol):
    """The posterior of theta, for any rope."""

    kind: ClassVar[str]

    @property
    def mean(self) -> float | None: ...
    def hdi(self, mass: float) -> tuple[float, float]: ...
    def mean_distribution(self) -> tuple[Floats, Floats]: ...
    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]: ...
    def thetas(self, n: int, rope: Rope, random_seed: int) -> Floats: ...
    def theta_hdi(self, rope: Rope, mass: float) -> list[tuple[float, float]]: ...
    def swap(self) -> "RegionInference": ...
    def other_priors(self) -> "Iterable[tuple[str, RegionInference]]": ...
    def to_dict(self) -> dict[str, Any]: ...


@dataclass(frozen=True, kw_only=True, repr=False)
class RegionPosterior(Posterior):
    """The posterior of theta = (A better, equivalent, B better), the probabilities of what a new dataset will show.

    `p_better` is the probability that "A better" is the *most probable* outcome: that its theta is the largest of the
    three. `expected` is another thing, the posterior mean of theta: the share of new datasets to expect in each region.

    See Also
    --------
    sign_test, signed_rank_test, hierarchical_ttest

    Examples
    --------
    >>> import bayescmp as bc
    >>> p = bc.bayes.sign_test(bc.load_uci().pair("rf", "nb"), rope=0.01)
    >>> {name: round(share, 2) for name, share in p.expected.items()}
    {'rf better': 0.84, 'equivalent': 0.16, 'nb better': 0.0}
    """

    inference: RegionInference
    inference_data: Any = field(default=None, compare=False)
    _memo: dict[Rope, RegionSummary] = field(default_factory=dict, compare=False, init=False)

    kind: ClassVar[str] = "region"
    INFERENCES: ClassVar[dict[str, Any]] = {}

    def _summary(self) -> RegionSummary:
        if self.rope not in self._memo:
            (self._memo[self.rope],) = self.inference.summaries([self.rope])
        return self._memo[self.rope]

    @property
    def _three(self) -> tuple[float, ...]:
        return self._summary().probabilities

    @property
    def mcse(self) -> dict[str, float]:
        """The Monte-Carlo standard error of each probability: 0.0 where it is exact."""
        return dict(zip(self._labels, self._summary().mcse, strict=True))

    @property
    def numerical_error(self) -> float:
        """The error estimate of a deterministic engine; Monte-Carlo engines have `mcse` instead."""
        return self._summary().numerical_error

    @property
    def expected(self) -> dict[str, float]:
        """The posterior mean of theta: the expected shares of better, equivalent and worse."""
        return dict(zip(self._labels, self._summary().expected, strict=True))

    @property
    def mean(self) -> float | None:
        """The posterior mean of the difference over datasets; None where the test knows no such thing."""
        return self.inference.mean

    def hdi(self, mass: float = DEFAULT_MASS) -> tuple[float, float]:
        """The highest-density interval that holds `mass` of the difference over datasets."""
        return self.inference.hdi(check_mass(mass))

    def theta_hdi(self, mass: float = DEFAULT_MASS) -> dict[str, tuple[float, float]]:
        """The highest-density interval of each theta, with this `mass`."""
        return dict(zip(self._labels, self.inference.theta_hdi(self.rope, check_mass(mass)), strict=True))

    def draws(self, n: int = 4000, random_seed: int = 0) -> Floats:
        """`n` draws of theta by `random_seed`, n x 3: points of the simplex."""
        return self.inference.thetas(check_count("n", n, 0), self.rope, checked_seed(random_seed))

    @property
    def simplex(self) -> Floats:
        """4,000 draws of theta for the simplex plot."""
        return self.draws()

    def swap(self) -> "RegionPosterior":
        """B over A."""
        memo = {
            r.swap(): RegionSummary(s.probabilities[::-1], s.mcse[::-1], s.expected[::-1], s.numerical_error)
            for r, s in self._memo.items()
        }
        swapped = replace(
            self,
            a=self.b,
            b=self.a,
            rope=self.rope.swap(),
            inference=self.inference.swap(),
            settings={k: 0.0 - x if k == "prior_at" else x for k, x in self.settings.items()},
            inference_data=None,
        )
        swapped._memo.update(memo)
        return swapped

    def rope_curve(self, ropes: Iterable[RopeLike]) -> "pd.DataFrame":
        """The three probabilities and expected shares on a grid of ropes, from one pass over the same posterior."""
        import pandas as pd

        regions = ropes_of(ropes)
        if new := [rope for rope in regions if rope not in self._memo]:
            self._memo.update(zip(new, self.inference.summaries(new), strict=True))
        rows = [(rope, self._memo[rope]) for rope in regions]
        return pd.DataFrame([{"rope_low": r.low, "rope_high": r.high, **_columns(s)} for r, s in rows])

    def prior_sensitivity(self) -> "pd.DataFrame":
        """The three probabilities and expected shares under other priors; the first row is this result."""
        import pandas as pd

        rows = [{"prior": "this result", **_columns(self._summary())}]
        for label, other in self.inference.other_priors():
            rows.append({"prior": label, **_columns(other.summaries([self.rope])[0])})
        return pd.DataFrame(rows)

    def to_arviz(self, draws: int = 4000, random_seed: int = 0) -> Any:
        """ArviZ data: the sampler's own where NUTS ran, else `draws` of `theta` by `random_seed`."""
        from bayescmp import _compat

        if self.inference_data is not None:
            return self.inference_data
        return _compat.to_inference_data(
            {"posterior": {"theta": self.draws(check_count("draws", draws), random_seed)[None]}}
        )

    def sentence(self) -> str:
        """The result in a sentence for the report."""
        outcomes = (
            f"{self.a} better{self._by_more}",
            "Practical equivalence",
            f"{self.b} better{self._by_more}",
        )
        best = int(np.argmax(self._three))
        shares = self._expected_text()
        return (
            f"{outcomes[best]} is the most probable outcome for {self._new} (P = {self._show(self._three[best])}); "
            f"{shares}."
        )

    @property
    def _by_more(self) -> str:
        return "" if self.rope.is_zero else f" by more than the rope {self.rope}"

    @property
    def _new(self) -> str:
        return str(self.settings.get("new", "a new dataset"))

    def _expected_text(self) -> str:
        names = (f"{self.a} better", "equivalent", f"{self.b} better")
        parts = [f"{probability(x)} {n}" for n, x in zip(names, self.expected.values(), strict=True)]
        if self.rope.is_zero:
            del parts[1]
        return "expected shares " + ", ".join(parts)

    def _row(self) -> dict[str, Any]:
        row = super()._row()
        low, high = (None, None) if self.mean is None else self.hdi()
        shares = zip(("better", "equivalent", "worse"), self.expected.values(), strict=True)
        return (
            {k: row.pop(k) for k in list(row)[:7]}
            | {"estimate": self.mean, "interval_low": low, "interval_high": high}
            | row
            | {f"expected_{name}": share for name, share in shares}
        )

    def to_dict(self) -> dict[str, Any]:
        data = super().to_dict()
        del data["_memo"]
        return data | {"inference": self.inference.to_dict(), "expected": list(self._summary().expected)}

    @classmethod
    def _parse(cls, values: dict[str, Any]) -> dict[str, Any]:
        data = dict(values["inference"])
        return values | {"inference": cls.INFERENCES[data.pop("kind")](**data)}

    def __repr__(self) -> str:
        bad = self.numerical_error > NUMERICAL_ERROR_LIMIT
        trouble = f"NOT CONVERGED: quadrature error about {self.numerical_error:.1g}\n" if bad else ""
        lines = [
            f"{trouble}{self._heading()}, {len(self.datasets)} datasets",
            f"  most probable outcome for {self._new}:",
            f"  {self._probability_line()}",
            f"  {self._expected_text()}",
        ]
        if self.mean is not None:
            low, high = self.hdi()
            width = high - low
            lines.append(
                f"  mean {SCALES[self.scale]} {number(self.mean, width)}, 95% HDI "
                f"[{number(low, width)}, {number(high, width)}]"
            )
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])


def _columns(s: RegionSummary) -> dict[str, float]:
    names = ("better", "equivalent", "worse")
    return {
        **{f"p_{name}": p for name, p in zip(names, s.probabilities, strict=True)},
        "mcse": max(s.mcse),
        **{f"expected_{name}": x for name, x in zip(names, s.expected, strict=True)},
    }


def wins(theta: Floats, axis: int = -1) -> Floats:
    """For each draw which region (along `axis`) is the largest; equal ones share the win."""
    largest = theta >= theta.max(axis=axis, keepdims=True) - TIE
    shared = largest.sum(axis=axis, keepdims=True)
    return largest / shared if shared.max(initial=1) > 1 else largest.astype(float)


def sampled_summary(theta: Floats) -> RegionSummary:
    """From correlated draws of theta, chains x draws x 3."""
    hits = wins(theta)
    errors = [share_mcse(hits[..., k] > 0.5) for k in range(3)]
    shares, expected = (x.mean(axis=(0, 1)).tolist() for x in (hits, theta))
    return RegionSummary(tuple(shares), tuple(errors), tuple(expected))


def independent_mcse(shares: Floats, n: int) -> Floats:
    """The standard error of shares of n independent draws; never 0, also where all or none hit."""
    smoothed = (shares * n + 0.5) / (n + 1)
    return np.sqrt(smoothed * (1 - smoothed) / n)


class ArrayValue:
    """Equality and JSON for frozen dataclasses with arrays in them."""

    kind: ClassVar[str]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(np.array_equal(x, getattr(other, name)) for name, x in self._values().items())

    __hash__ = None  # type: ignore[assignment]

    def _values(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        plain = {
            name: x.tolist() if isinstance(x, np.ndarray) else list(x) if isinstance(x, tuple) else x
            for name, x in self._values().items()
        }
        return {"kind": self.kind, **plain}
