"""The Bayesian sign test: two models on many datasets, by counts of better, equivalent and worse. Exact.

theta ~ Dirichlet(counts + prior) (Benavoli et al. 2017); which theta is the largest is a one-dimensional integral.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bayescmp import _compat, catalogue
from bayescmp.bayes.hdi import DEFAULT_MASS, hdi
from bayescmp.bayes.nuts import check_engine
from bayescmp.bayes.posterior import Posterior, Posteriors
from bayescmp.bayes.regions import (
    MOST_PRIOR,
    RegionInference,
    RegionPosterior,
    RegionSummary,
    sample_regions,
    three_of,
)
from bayescmp.checks import check_number, is_one_of
from bayescmp.errors import RopeError, ScoresError
from bayescmp.numerics.dirichlet import p_largest, two_sides
from bayescmp.rope import ROPE, Rope, RopeLike
from bayescmp.scores.inputs import check_units, in_ropes, is_of_one_unit, many_datasets, many_pairs
from bayescmp.scores.pair import Pair
from bayescmp.scores.table import Scores
from bayescmp.sentences import few_datasets

Floats = NDArray[np.float64]
PLACES = {"A": (1, 0, 0), "equivalent": (0, 1, 0), "B": (0, 0, 1), "spread": (1 / 3, 1 / 3, 1 / 3)}
"""Where the prior's datasets may lie: their shares of better, equivalent and worse."""


def sign_test(
    a: Pair | ArrayLike,
    b: ArrayLike | None = None,
    *,
    rope: RopeLike | Mapping[str, RopeLike] = ROPE,
    prior: float = 1.0,
    prior_place: str = "equivalent",
    higher_is_better: bool | None = None,
    mixed_units: bool = False,
    engine: str = "exact",
    random_seed: int | None = None,
    **nuts_options: Any,
) -> RegionPosterior:
    """Posterior of the probabilities that A is better, equivalent or worse on a new dataset.

    Parameters
    ----------
    a : Pair, or array of A's scores, one per dataset
    b : array of B's scores on the same datasets, where `a` is an array
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
        The differences that make no practical difference; 0 for none (ties then count half for each side).
    prior : float
        The strength of the prior: as many datasets as it counts for. 0 is allowed.
    prior_place : "equivalent", "A", "B" or "spread"
        Where the prior's datasets lie; "spread" is a third each.
    higher_is_better : bool
        The direction of the scores, where arrays are given; True if not given.
    mixed_units : bool
        Use one rope other than 0 also where the typical sizes of unbounded scores show that datasets have different
        units.
    engine : "exact" or "nuts"
    random_seed : int, optional
        Seed of NUTS; drawn and recorded if not given.
    **nuts_options
        `draws`, `tune`, `chains`, `cores`, `nuts_sampler`, `target_accept`, `progressbar`.

    Returns
    -------
    RegionPosterior
        `p_better` is the probability that "A better" is the most probable outcome, `expected` the posterior mean.

    See Also
    --------
    signed_rank_test : uses the sizes of the differences as well.

    References
    ----------
    Benavoli, Corani, Demsar, Zaffalon (2017). Time for a change: a tutorial for comparing multiple classifiers through
    Bayesian analysis. JMLR 18.

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.bayes.sign_test(bc.load_uci().pair("rf", "tree"), rope=0.01)
    Posterior: rf vs tree, accuracy (higher is better), sign test, 24 datasets
      the next dataset will show: rf better 0.840   equivalent 0.160   tree better 0.000      rope [-0.01, 0.01]
      most probable outcome: P(rf better) 1.000   P(equivalent) 0.000   P(tree better) 0.000
    """
    pair, region = in_ropes(many_datasets(a, b, test="sign_test", higher_is_better=higher_is_better), rope)
    notes = () if region.is_zero else check_units(pair, "sign_test", mixed_units)
    check_engine(engine, "exact", nuts_options, random_seed)
    inference = SignInference(pair.means, pair.rounding, check_number("prior", prior), prior_place)
    fields: dict[str, Any] = {"inference": inference}
    if engine == "nuts":
        model = _model(inference.counts(region), inference.prior_counts)
        fields = sample_regions(model, lambda draws: draws["theta"], region, random_seed, nuts_options)
    return RegionPosterior(
        **pair.about(),
        rope=region,
        **catalogue.find("sign_test", "bayes").words(),
        engine=engine,
        settings={
            "prior": prior,
            "prior_place": {"A": pair.a, "B": pair.b}.get(prior_place, prior_place),
        },
        notes=(*notes, *few_datasets("sign_test", len(pair.datasets))),
        **fields,
    )


def sign_tests(
    scores: Scores,
    names: Sequence[tuple[str, str]],
    rope: RopeLike | Mapping[str, RopeLike],
    *,
    prior: float = 1.0,
    prior_place: str = "equivalent",
) -> Posteriors | None:
    """`sign_test` of many pairs at once; None where they have to be tested one by one."""
    pairs = many_pairs(scores, names, rope)
    if pairs is None or len(scores.datasets) < 2 or prior_place in ("A", "B"):
        return None
    if not (pairs.rope.is_zero or is_of_one_unit(scores)):
        return None
    first = sign_test(scores.pair(*names[0]), rope=rope, prior=prior, prior_place=prior_place)
    means, rounding, region = pairs.means, pairs.rounding, first.rope
    inference = first.inference
    assert isinstance(inference, SignInference)
    where = region.regions(means, rounding)
    counts = np.stack([(where == r).sum(axis=1) for r in (1, 0, -1)], axis=-1)
    different, place = np.unique(counts, axis=0, return_inverse=True)
    found = [inference.summary(row.astype(float), region) for row in different]

    def make(i: int) -> Posterior:
        of_pair = replace(inference, differences=means[i], rounding=rounding[i])
        return first._copy(a=names[i][0], b=names[i][1], inference=of_pair).answered([found[place[i]]])

    return Posteriors(names, make)


@dataclass(frozen=True, eq=False)
class SignInference(RegionInference):
    """theta ~ Dirichlet(counts of the differences against a rope + prior)."""

    differences: Floats
    rounding: Floats
    prior: float
    prior_place: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "differences", np.asarray(self.differences, dtype=float))
        object.__setattr__(self, "rounding", np.asarray(self.rounding, dtype=float))
        if not 0 <= self.prior <= MOST_PRIOR:
            raise ValueError(f"`prior` must be a strength from 0 to {MOST_PRIOR:,.0f} datasets, got {self.prior}.")
        if not is_one_of(self.prior_place, PLACES):
            raise ValueError(f"`prior_place` must be one of {', '.join(PLACES)}, got {self.prior_place!r}.")

    def on_border(self, rope: Rope) -> float:
        if rope.is_zero:
            return 0.0
        near = np.minimum(np.abs(self.differences - rope.low), np.abs(self.differences - rope.high)) <= self.rounding
        return float(near.mean())

    @property
    def prior_counts(self) -> Floats:
        """The prior's datasets in the three regions."""
        return self.prior * np.array(PLACES[self.prior_place])

    def counts(self, rope: Rope) -> Floats:
        """How many datasets are better, equivalent, worse."""
        return np.bincount(1 - rope.regions(self.differences, self.rounding), minlength=3).astype(float)

    def alpha(self, rope: Rope, counts: Floats | None = None) -> Floats:
        """The Dirichlet's parameters, also of other counts; with no rope, what is equivalent goes half to each side."""
        alpha = (self.counts(rope) if counts is None else counts) + self.prior_counts
        if rope.is_zero:
            return np.array([alpha[0] + alpha[1] / 2, 0.0, alpha[2] + alpha[1] / 2])
        return alpha

    def summaries(self, ropes: list[Rope]) -> list[RegionSummary]:
        return [self.summary(self.counts(rope), rope) for rope in ropes]

    def summary(self, counts: Floats, rope: Rope) -> RegionSummary:
        """The answer for datasets of which so many are better, equivalent and worse."""
        alpha = self.alpha(rope, counts)
        if rope.is_zero:
            better, worse = two_sides(alpha[0], alpha[2])
            p = (better, 0.0, worse)
        else:
            p = three_of(p_largest(alpha))
        return RegionSummary(rope, p, (0.0, 0.0, 0.0), three_of(alpha / alpha.sum()))

    def thetas(self, n: int, rope: Rope, random_seed: int | None) -> Floats:
        gammas = np.random.default_rng(random_seed or 0).standard_gamma(self.alpha(rope), (n, 3))
        return gammas / gammas.sum(axis=1, keepdims=True)

    @property
    def mean(self) -> None:
        return None

    def mean_distribution(self) -> tuple[Floats, Floats]:
        raise ValueError("The sign test counts datasets and has no mean difference.")

    def hdi(self, mass: float) -> tuple[float, float]:
        raise ValueError(
            "The sign test looks at signs only: it has no HDI of the difference. Use theta_hdi, or signed_rank_test."
        )

    def theta_hdi(self, rope: Rope, mass: float = DEFAULT_MASS) -> list[tuple[float, float]]:
        """The HDI of each theta; each is Beta by itself."""
        alpha = self.alpha(rope)
        return [_beta_hdi(x, alpha.sum() - x, mass) for x in alpha]

    def swap(self) -> "SignInference":
        place = {"A": "B", "B": "A"}.get(self.prior_place, self.prior_place)
        return replace(self, differences=0.0 - self.differences, prior_place=place)

    def other_priors(self) -> Iterator[tuple[str, "SignInference"]]:
        for strength in (0.0, 0.5, 1.0, 2.0, 10.0):
            for place in PLACES if strength else ("equivalent",):
                if (strength, place) != (self.prior, self.prior_place):
                    where = f" on {place}" if strength else ""
                    yield f"strength {strength:g}{where}", replace(self, prior=strength, prior_place=place)


def _beta_hdi(a: float, b: float, mass: float) -> tuple[float, float]:
    if a == 0 or b == 0:
        return (0.0, 0.0) if a == 0 else (1.0, 1.0)

    class Beta:
        @staticmethod
        def ppf(q: ArrayLike) -> Any:
            return special.betaincinv(a, b, q)

    return hdi(Beta, mass)


def pymc_sign_test(pair: Pair, *, rope: RopeLike | None = None, **options: Any) -> Any:
    """The `pm.Model`, with the counts of a pair against a rope."""
    if rope is None:
        raise RopeError(
            'The sign test counts against a rope: give rope=, as in pymc_model("sign_test", pair, rope=0.01).'
        )
    posterior = sign_test(pair, rope=rope, **options)
    inference: Any = posterior.inference
    return _model(inference.counts(posterior.rope), inference.prior_counts)


def _model(counts: Floats, prior: Floats) -> Any:
    """Counts ~ Multinomial(theta), theta ~ Dirichlet(prior); a region without counts and prior has theta 0."""
    pm = _compat.import_pymc()
    alive = np.flatnonzero(counts + prior > 0)
    if alive.size < 2:
        raise ScoresError("All datasets and the prior are in one region, so that there is nothing to sample.")
    with pm.Model() as model:
        some = pm.Dirichlet("some", a=np.ones(alive.size))
        # a Dirichlet prior with zeros is improper, so its density stands here and not in the line above
        pm.Potential("prior", ((prior[alive] - 1) * pm.math.log(some)).sum())
        pm.Multinomial("counts", n=int(counts.sum()), p=some, observed=counts[alive].astype(int))
        pm.Deterministic("theta", pm.math.dot(some, np.eye(3)[alive]))
    return model
