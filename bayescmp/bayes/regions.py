"""Results over many datasets: theta = the probabilities of better / equivalent / worse, and which is the largest."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from bayescmp import _compat
from bayescmp.bayes.hdi import DEFAULT_MASS, hdi
from bayescmp.bayes.nuts import share_mcse
from bayescmp.bayes.posterior import Posterior
from bayescmp.bayes.pymc_models import sample
from bayescmp.checks import check_count, check_mass, check_threshold, checked_seed
from bayescmp.rope import Rope, RopeLike, ropes_of
from bayescmp.sentences import difference_text, of_regions
from bayescmp.text import probability, visible, visible_lines
from bayescmp.values import Value

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Three = tuple[float, float, float]
NUMERICAL_ERROR_LIMIT = 1e-2
MOST_PRIOR = 1e6
"""Number of datasets that a prior may count for: the probabilities are exact up to there."""
LARGEST = 1e300
"""Differences beyond leave no room for the sum of two, or for a thousand times their spread."""
LEAST_ON_BORDER, BESIDE_BORDER = 0.01, 0.0025
"""Share on the rope's border from which on a result has a note, and how far beside it the note looks, in widths."""
TIE = 1e-12
"""Thetas closer than that are equal, and share the win."""


@dataclass(frozen=True, eq=False)
class RegionSummary(Value):
    """The answer for one rope; the three numbers are of A better, equivalent, B better."""

    rope: Rope
    probabilities: Three
    mcse: Three
    expected: Three
    numerical_error: float = 0.0

    def __post_init__(self) -> None:
        for name in ("probabilities", "expected"):
            three = getattr(self, name)
            if not (min(three) >= -1e-9 and abs(sum(three) - 1) < 1e-6):
                raise ValueError(f"`{name}` must be three probabilities that sum to 1, got {three}.")

    def swap(self) -> "RegionSummary":
        """B over A."""
        p, errors, shares = (x[::-1] for x in (self.probabilities, self.mcse, self.expected))
        return RegionSummary(self.rope.swap(), p, errors, shares, self.numerical_error)


@dataclass(frozen=True, eq=False)
class Estimate(Value):
    """The difference over datasets: posterior mean, 95 % HDI, and E[max(d, 0)]."""

    mean: float
    low: float
    high: float
    gain: float

    def swap(self) -> "Estimate":
        """B over A."""
        return Estimate(0.0 - self.mean, 0.0 - self.high, 0.0 - self.low, max(0.0, self.gain - self.mean))


class RegionInference(Value):
    """The posterior of theta, for any rope."""

    @property
    def mean(self) -> float | None:
        """The posterior mean of the difference over datasets; None where there is none."""
        raise NotImplementedError

    def hdi(self, mass: float) -> tuple[float, float]:
        """The highest-density interval of the difference over datasets."""
        raise NotImplementedError

    def mean_distribution(self) -> tuple[Floats, Floats]:
        """The difference over datasets as values and their weights."""
        raise NotImplementedError

    def mean_regions(self, rope: Rope) -> Three:
        """P(the difference over datasets is above the rope), P(inside), P(below)."""
        values, weights = self.mean_distribution()
        region = rope.regions(values)
        above, inside, below = (float(weights[region == r].sum()) for r in (1, 0, -1))
        # without a rope, no difference at all counts half for each side
        return (above + inside / 2, 0.0, below + inside / 2) if rope.is_zero else (above, inside, below)

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        """The answers for some ropes."""
        raise NotImplementedError

    def thetas(self, n: int, rope: Rope, random_seed: int | None) -> Floats:
        """Draws of theta, n x 3: without a seed those that the probabilities come from, where they come from draws."""
        raise NotImplementedError

    def theta_hdi(self, rope: Rope, mass: float) -> list[tuple[float, float]]:
        """The highest-density interval of each theta."""
        raise NotImplementedError

    def on_border(self, rope: Rope) -> float:
        """The share of what is counted that lies exactly on the rope's border."""
        return 0.0

    def swap(self) -> "RegionInference":
        """B over A."""
        raise NotImplementedError

    def other_priors(self) -> "Iterable[tuple[str, RegionInference]]":
        """The same data under other priors, each with a name."""
        return ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RegionPosterior(Posterior):
    """The posterior of theta = (A better, equivalent, B better), the probabilities of what the next dataset will show.

    `p_better` is the probability that "A better" is the *most probable* outcome: that its theta is the largest of the
    three. `expected` is something else, the posterior mean of theta: the share of new datasets expected in each region.

    Attributes
    ----------
    inference
        The posterior of theta for any rope.
    new : str
        The subject of theta: the next dataset, or the average of the next two.

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
    new: str = "the next dataset"

    @property
    def next_heading(self) -> str:
        """The heading of the expected shares in tables."""
        return self.new.removeprefix("the ").replace(" the ", " ")

    # ---- answers that were computed once

    @cached_property
    def _answers(self) -> dict[Rope, RegionSummary]:
        return {}

    @cached_property
    def _estimates(self) -> list[Estimate]:
        """The estimate, once it was asked for."""
        return []

    def answered(self, summaries: Iterable[RegionSummary], estimate: Estimate | None = None) -> Self:
        """The same posterior with `summaries` and an `estimate` that were computed elsewhere, from the same draws."""
        other = replace(self)
        other._answers.update(self._answers)
        other._estimates.extend(self._estimates)
        other._remember(summaries, estimate)
        return other

    def _remember(self, summaries: Iterable[RegionSummary], estimate: Estimate | None = None) -> None:
        """Keep answers that were computed from the draws of this posterior."""
        self._answers.update({s.rope: s for s in summaries})
        self._estimates[:] = [estimate] if estimate else self._estimates

    def has_answer(self, rope: Rope) -> bool:
        """Whether the answers for this rope are there."""
        return rope in self._answers

    @property
    def has_estimate(self) -> bool:
        """Whether the mean difference and its interval are there."""
        return bool(self._estimates)

    def _kept(self) -> dict[str, Value]:
        estimate: dict[str, Value] = {"estimate": self._estimates[0]} if self._estimates else {}
        return {str(rope): summary for rope, summary in self._answers.items()} | estimate

    def _restore(self, kept: Mapping[str, Value]) -> None:
        for answer in kept.values():
            if isinstance(answer, RegionSummary):
                self._answers[answer.rope] = answer
            elif isinstance(answer, Estimate):
                self._estimates.append(answer)
            else:
                raise ValueError(f"An answer must be a RegionSummary or an Estimate, got a {type(answer).__name__}.")

    def _summary(self) -> RegionSummary:
        if self.rope not in self._answers:
            (self._answers[self.rope],) = self.inference.summaries([self.rope])
        return self._answers[self.rope]

    def _estimate(self) -> Estimate:
        if not self._estimates:
            values, weights = self.inference.mean_distribution()
            mean, (low, high) = self.inference.mean, self.inference.hdi(DEFAULT_MASS)
            assert mean is not None
            self._estimates.append(Estimate(mean, low, high, float(np.maximum(values, 0.0) @ weights)))
        return self._estimates[0]

    # ---- theta

    @property
    def three(self) -> Three:
        """P("A better" is the most probable outcome), P(equivalence is), P("B better" is); they sum to 1."""
        return self._summary().probabilities

    @property
    def mcse(self) -> dict[str, float]:
        """The Monte-Carlo standard error of each probability: 0.0 where it is exact."""
        return dict(zip(self.labels, self._summary().mcse, strict=True))

    @property
    def numerical_error(self) -> float:
        """The error estimate of a deterministic engine; Monte-Carlo engines have `mcse` instead."""
        return self._summary().numerical_error

    @property
    def expected(self) -> dict[str, float]:
        """The posterior mean of theta: the expected shares of better, equivalent and worse."""
        return dict(zip(self.labels, self._summary().expected, strict=True))

    @property
    def problems(self) -> tuple[str, ...]:
        """Reasons not to trust the numbers; empty where all is well."""
        bad = self.numerical_error > NUMERICAL_ERROR_LIMIT
        return (*super().problems, *([f"quadrature error about {self.numerical_error:.1g}"] if bad else []))

    def theta_hdi(self, mass: float = DEFAULT_MASS) -> dict[str, tuple[float, float]]:
        """The highest-density interval of each theta, with this `mass`."""
        return dict(zip(self.labels, self.inference.theta_hdi(self.rope, check_mass(mass)), strict=True))

    def draws(self, n: int = 4000, random_seed: int | None = None) -> Floats:
        """`n` draws of theta, n x 3: points of the simplex.

        Without a `random_seed` they are some of those that the probabilities come from, where these come from draws.
        """
        seed = None if random_seed is None else checked_seed(random_seed)
        return self.inference.thetas(check_count("n", n, 0), self.rope, seed)

    @property
    def simplex(self) -> Floats:
        """4,000 draws of theta for the simplex plot."""
        return self.draws()

    # ---- the difference over datasets

    @property
    def mean(self) -> float | None:
        """The posterior mean of the difference over datasets; None where the test has none."""
        return self._estimates[0].mean if self._estimates else self.inference.mean

    def hdi(self, mass: float = DEFAULT_MASS) -> tuple[float, float]:
        """The highest-density interval that holds `mass` of the difference over datasets."""
        if check_mass(mass) == DEFAULT_MASS and self.mean is not None:
            return self._estimate().low, self._estimate().high
        return self.inference.hdi(mass)

    def _gain(self) -> float:
        return self._estimate().gain

    @property
    def mean_three(self) -> Three | None:
        """P(the mean difference over datasets is above the rope), P(inside), P(below); None where there is none."""
        return None if self.mean is None else self.inference.mean_regions(self.rope)

    # ---- other views

    def with_rope(self, rope: RopeLike) -> Self:
        """The same posterior with another rope; nothing is computed anew."""
        return super().with_rope(rope).answered(self._answers.values(), *self._estimates)

    def swap(self) -> Self:
        """B over A."""
        swapped = replace(
            self,
            a=self.b,
            b=self.a,
            rope=self.rope.swap(),
            inference=self.inference.swap(),
            settings={k: 0.0 - x if k == "prior_at" else x for k, x in self.settings.items()},
            inference_data=None,
        )
        answers = [answer.swap() for answer in self._answers.values()]
        return swapped.answered(answers, *(estimate.swap() for estimate in self._estimates))

    def at_ropes(self, ropes: Iterable[RopeLike]) -> list[Self]:
        """The same posterior with each of these ropes, from one pass over its draws."""
        regions = ropes_of(ropes)
        if new := [rope for rope in dict.fromkeys(regions) if rope not in self._answers]:
            self._answers.update(zip(new, self.inference.summaries(new), strict=True))
        return [self.with_rope(rope) for rope in regions]

    def prior_sensitivity(self, threshold: float = 0.95) -> "pd.DataFrame":
        """The numbers, and the decision at `threshold`, under other priors; the first row is this result."""
        from bayescmp.needs import pandas as pd

        others = ((label, replace(self, inference=other)) for label, other in self.inference.other_priors())
        return pd.DataFrame([p._prior_row(label, threshold) for label, p in (("this result", self), *others)])

    def to_arviz(self, draws: int = 4000, random_seed: int | None = None) -> Any:
        """ArviZ data: the sampler's own where NUTS ran, else as many `draws` of `theta`, by `random_seed`."""
        from bayescmp import _compat

        if self.inference_data is not None:
            return self.inference_data
        return _compat.to_inference_data(
            {"posterior": {"theta": self.draws(check_count("draws", draws), random_seed)[None]}}
        )

    # ---- for people

    def sentence(self, threshold: float | None = None) -> str:
        """The result in a sentence for the report; with a `threshold`, probabilities stay on their side of it."""
        return visible(of_regions(self, None if threshold is None else check_threshold(threshold)), keep="")

    @property
    def border_note(self) -> str:
        """What a rope that is a little narrower or wider would say, where rounded scores lie on the border; else empty.

        Differences on the border count half, so that a rope such as 0.01 for scores of two digits has another answer
        than its neighbours have.
        """
        share, low, high = self.inference.on_border(self.rope), self.rope.low, self.rope.high
        if share < LEAST_ON_BORDER:
            return ""
        reach = BESIDE_BORDER * (high - low if np.isfinite(high - low) else abs(low if np.isfinite(low) else high))
        sides = self.at_ropes([(low + reach, high - reach), (low - reach, high + reach)])
        found = (
            " / ".join(f"{label} {probability(x, p.largest_mcse)}" for label, x in p.probabilities.items())
            for p in sides
        )
        beside = "; ".join(f"{p.rope}: {text}" for p, text in zip(sides, found, strict=True))
        return (
            f"{share:.0%} of what is counted lies exactly on the rope's border, as rounded scores may; the "
            f"probabilities with a rope beside it are {beside}"
        )

    def settle(self) -> None:
        """Compute the answers for its rope, once, so that they travel with the result."""
        self._summary()
        if self.mean is not None:
            self._estimate()

    def _shares_line(self) -> str:
        parts = [f"{label} {probability(p)}" for label, p in self.expected.items()]
        if self.rope.is_zero:
            del parts[1]
        return "   ".join(parts)

    def __repr__(self) -> str:
        lines = [
            *self._trouble(),
            f"{self._heading()}, {len(self.datasets)} datasets",
            f"  {self.new} will show: {self._shares_line()}      {self._rope_text()}",
            f"  most probable outcome: {self._probability_line()}",
        ]
        if self.mean is not None:
            lines.append(f"  {difference_text(self)}")
        notes = [*self.notes, *filter(None, [self.border_note])]
        return visible_lines(lines + [f"  note: {note}" for note in notes])


def wins(theta: Floats, axis: int = -1) -> Floats:
    """For each draw which region (along `axis`) is the largest; equal ones share the win."""
    best = theta.max(axis=axis, keepdims=True)
    largest = theta >= best - TIE
    if np.count_nonzero(largest) == best.size:
        return largest.astype(float)
    return largest / largest.sum(axis=axis, keepdims=True)


def sampled_summary(theta: Floats, rope: Rope) -> RegionSummary:
    """The answer from correlated draws of theta, chains x draws x 3."""
    hits = wins(theta)
    errors = [share_mcse(hits[..., k] > 0.5) for k in range(3)]
    return RegionSummary(rope, three_of(hits.mean(axis=(0, 1))), three_of(errors), three_of(theta.mean(axis=(0, 1))))


def sample_regions(
    model: Any,
    theta: Callable[[dict[str, Any]], Floats],
    rope: Rope,
    random_seed: int | None,
    options: dict[str, Any],
) -> dict[str, Any]:
    """NUTS draws of theta (a function of the draws by name), and the other fields of a result."""
    fields = sample(model, random_seed, options)
    posterior = _compat.group(fields["inference_data"], "posterior")
    draws = theta({name: posterior[name].values for name in posterior.data_vars})
    return fields | {"inference": SampledRegions(draws, (rope.low, rope.high))}


@dataclass(frozen=True, eq=False)
class SampledRegions(RegionInference):
    """theta as NUTS drew it, chains x draws x 3, for the rope that the model was made for."""

    chains: Floats
    rope: tuple[float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "chains", np.asarray(self.chains, dtype=float))

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        if any([rope.low, rope.high] != list(self.rope) for rope in ropes):
            raise ValueError(
                f"NUTS drew theta for the rope {list(self.rope)}. For another rope run the test again, or use the fast "
                "engine, which keeps its posterior for any rope."
            )
        return [sampled_summary(self.chains, rope) for rope in ropes]

    def thetas(self, n: int, rope: Rope, random_seed: int | None) -> Floats:
        flat = self.chains.reshape(-1, 3)
        return np.random.default_rng(random_seed or 0).choice(flat, n, replace=n > len(flat))

    def theta_hdi(self, rope: Rope, mass: float) -> list[tuple[float, float]]:
        return [hdi(x, mass) for x in self.chains.reshape(-1, 3).T]

    @property
    def mean(self) -> None:
        return None

    def hdi(self, mass: float) -> tuple[float, float]:
        raise ValueError("NUTS drew theta only: there is no HDI of the difference. Use the fast engine.")

    def swap(self) -> "SampledRegions":
        low, high = self.rope
        return SampledRegions(self.chains[..., ::-1], (0.0 - high, 0.0 - low))


def three_of(x: Any) -> Three:
    """Three numbers as a tuple."""
    better, equivalent, worse = np.asarray(x, dtype=float).tolist()
    return better, equivalent, worse


def independent_mcse(shares: Floats, n: int) -> Floats:
    """The standard error of shares of n independent draws; never 0, also where all or none hit."""
    smoothed = (shares * n + 0.5) / (n + 1)
    return np.sqrt(smoothed * (1 - smoothed) / n)
