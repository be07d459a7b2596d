"""The Bayesian McNemar test: two models, right or wrong on every item of one test set.

The four cells (both right, only A, only B, both wrong) are multinomial with a Dirichlet prior, and the posterior of the
difference of the accuracies is exact. Where items come in clusters, the cells of a cluster are Dirichlet-multinomial.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescmp import _compat, catalogue
from bayescmp.bayes.difference import DifferencePosterior, ManyIntervals
from bayescmp.bayes.distributions import ClusteredProportions, Distribution, Four, PairedProportions
from bayescmp.bayes.nuts import check_engine
from bayescmp.bayes.posterior import DEFAULT_MASS, Posterior, Posteriors
from bayescmp.bayes.pymc_models import sample_difference
from bayescmp.checks import check_number, is_list, is_number
from bayescmp.errors import ScoresError
from bayescmp.numerics.proportions import shortest_intervals, upper_tail
from bayescmp.numerics.student import rest_to_the_largest
from bayescmp.rope import ROPE, Rope, RopeLike, rope_for, warn_if_other_scale
from bayescmp.scores.inputs import cluster_codes, many_pairs, right_of_models, right_or_wrong
from bayescmp.scores.pair import Pair
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
MOST_PRIOR = 1e12
"""A prior that is worth more items leaves nothing to learn."""
SCOPE = "these trained models on items like these; training them again may give another difference"


def mcnemar_test(
    a: Pair | ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    rope: RopeLike | Mapping[str, RopeLike] = ROPE,
    counts: ArrayLike | None = None,
    prior: float | tuple[float, float, float, float] = 0.5,
    clusters: Sequence[Any] | bool | None = None,
    dataset: str | None = None,
    higher_is_better: bool | None = None,
    engine: str = "exact",
    random_seed: int | None = None,
    **nuts_options: Any,
) -> DifferencePosterior:
    """Posterior of the difference of two models' accuracies, from right and wrong on the same items.

    Parameters
    ----------
    a : Pair, or array of 0 and 1
        Was A right? One entry per item.
    b : array of 0 and 1 for B on the same items, where `a` is an array
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
        The differences that make no practical difference; 0 for none.
    counts : four numbers, optional
        In place of the items: on how many both were right, only A, only B, both wrong.
    prior : float, or four numbers
        The Dirichlet prior of the four cells. With 1/2 each, both accuracies are uniform a priori; with 1 they are
        Beta(2, 2). Four numbers may say how many discordant items are expected.
    clusters : list, bool or None
        The cluster of each item: items of one passage, dialogue or patient are not independent. None takes those of
        the pair, False ignores them.
    dataset : str
        Which test set, where the pair has more than one.
    higher_is_better : bool
        The direction of the scores, where arrays are given; True if not given: 1 is right.
    engine : "exact" or "nuts"
        One-dimensional quadrature with an error below 1e-12, or NUTS on the same model as a check of it.
    random_seed : int, optional
        Seed of NUTS; drawn and recorded if not given.
    **nuts_options
        `draws`, `tune`, `chains`, `cores`, `nuts_sampler`, `target_accept`, `progressbar`.

    Returns
    -------
    DifferencePosterior
        Of p10 - p01, the share of items that only A gets right less that of B, for these trained models. With clusters
        the cells of a cluster are Dirichlet-multinomial around their mean, the correlation of its items is uniform a
        priori, and the mean weighs clusters equally.

    See Also
    --------
    per_instance_ttest : for grades, several samples of an item, or clusters.
    bayescmp.frequentist.mcnemar_test : the frequentist test.

    References
    ----------
    McNemar (1947). Note on the sampling error of the difference between correlated proportions. Psychometrika 12.

    Examples
    --------
    >>> from bayescmp.bayes import mcnemar_test
    >>> mcnemar_test(counts=(80, 12, 5, 3), rope=0.02)
    Posterior: A vs B, accuracy (higher is better), McNemar test, 100 items
      P(A better) 0.888   P(equivalent) 0.098   P(B better) 0.014      rope [-0.02, 0.02]
      mean difference 0.069, 95% HDI [-0.011, 0.150]
    """
    check_engine(engine, "exact", nuts_options, random_seed)
    about, cells, grouped = _table(a, b, counts, clusters, dataset, higher_is_better)
    region = rope_for(rope, about["datasets"][0])
    warn_if_other_scale(region, np.array([0.0, 1.0]))
    alpha, n = checked_prior(prior), int(sum(cells))
    distribution: Distribution = PairedProportions(cells, alpha)
    design = f"{n:,} item{'s' if n > 1 else ''}"
    notes: tuple[str, ...] = ()
    fields: dict[str, Any] = {}
    if grouped is not None:
        distribution = ClusteredProportions(grouped, (alpha[1], alpha[2], alpha[0] + alpha[3]))
        design += f", in {len(grouped):,} clusters (correlation {distribution.icc:.2g})"
        notes = ("the mean weighs clusters equally, not items",)
    if engine == "nuts":
        model = _model(cells, alpha) if grouped is None else _clustered_model(distribution)
        distribution, fields = sample_difference(model, random_seed, nuts_options)
    return DifferencePosterior(
        **about | {"n": n},
        rope=region,
        **catalogue.find("mcnemar_test", "bayes").words(),
        engine=engine,
        settings={
            "counts": dict(zip(("both_right", "only_a", "only_b", "both_wrong"), cells, strict=True)),
            "prior": alpha,
            "design": design,
            "scope": SCOPE,
        },
        notes=notes,
        distribution=distribution,
        **fields,
    )


def mcnemar_tests(
    scores: Scores, names: Sequence[tuple[str, str]], rope: RopeLike | Mapping[str, RopeLike], *, prior: Any = 0.5
) -> Posteriors | None:
    """`mcnemar_test` of many pairs at once; None where they have to be tested one by one."""
    pairs = many_pairs(scores, names, rope)
    right = right_of_models(pairs)
    if pairs is None or right is None:
        return None
    first = mcnemar_test(scores.pair(*names[0]), rope=rope, prior=prior)
    both, only_row = right @ right.T, right @ (1 - right).T
    one, two = pairs.one, pairs.two
    cells = np.stack([both[one, two], only_row[one, two], only_row[two, one]], axis=-1)
    cells = np.append(cells, right.shape[1] - cells.sum(axis=1, keepdims=True), axis=1)
    three, alpha = probabilities(cells, rope=first.rope, prior=prior), checked_prior(prior)
    parameters = cells[:, 1] + alpha[1], cells[:, 2] + alpha[2], cells[:, 0] + cells[:, 3] + alpha[0] + alpha[3]
    intervals = ManyIntervals(lambda: shortest_intervals(*parameters, DEFAULT_MASS))

    def make(i: int) -> Posterior:
        four = _four(cells[i])
        return first._copy(
            a=names[i][0],
            b=names[i][1],
            settings=first.settings | {"counts": dict(zip(first.settings["counts"], four, strict=True))},
            distribution=PairedProportions(four, alpha),
        )._remember(three[i].tolist(), lambda: intervals.of(i))

    return Posteriors(names, make)


def probabilities(counts: ArrayLike, *, rope: RopeLike, prior: float | Four = 0.5) -> Floats:
    """P(A better), P(equivalent), P(B better) of many tables at once.

    `counts` is ... x 4: both right, only A, only B, both wrong; returns ... x 3.
    """
    region, alpha = Rope.of(rope), np.asarray(counts, dtype=float) + checked_prior(prior)
    only_a, only_b, rest = alpha[..., 1], alpha[..., 2], alpha[..., 0] + alpha[..., 3]

    def above(a: Floats, b: Floats, r: float) -> Floats:
        from scipy.special import betainc

        if r == 0:
            return betainc(b, a, 0.5)
        return upper_tail(a, b, rest, r) if r > 0 else 1 - upper_tail(b, a, rest, -r)

    better, worse = above(only_a, only_b, region.high), above(only_b, only_a, -region.low)
    three = rest_to_the_largest(better, np.maximum(1 - better - worse, 0.0), worse)
    return np.stack(three, axis=-1)


def pymc_mcnemar_test(
    pair: Pair | None,
    *,
    counts: ArrayLike | None = None,
    prior: float | Four = 0.5,
    clusters: Sequence[Any] | bool | None = None,
    dataset: str | None = None,
) -> Any:
    """Counts ~ Multinomial(p), p ~ Dirichlet(prior); the difference is p10 - p01. With clusters: of each cluster."""
    _, cells, grouped = _table(pair, None, counts, clusters, dataset, None)
    alpha = checked_prior(prior)
    if grouped is None:
        return _model(cells, alpha)
    return _clustered_model(ClusteredProportions(grouped, (alpha[1], alpha[2], alpha[0] + alpha[3])))


def _model(cells: Four, prior: Four) -> Any:
    pm = _compat.import_pymc()
    if min(prior) <= 0:
        raise ValueError(f"NUTS needs a `prior` above 0 for each of the four cells, got {prior}.")
    with pm.Model() as model:
        p = pm.Dirichlet("p", np.array(prior))
        pm.Multinomial("counts", n=int(sum(cells)), p=p, observed=np.array(cells, dtype=int))
        pm.Deterministic("difference", p[1] - p[2])
    return model


def _clustered_model(distribution: Any) -> Any:
    pm = _compat.import_pymc()
    cells = np.asarray(distribution.cells, dtype=int)
    with pm.Model() as model:
        p, icc = pm.Dirichlet("p", np.array(distribution.prior)), pm.Uniform("icc", 0, 1)
        pm.DirichletMultinomial("counts", n=cells.sum(axis=1), a=p * (1 / icc - 1), observed=cells)
        pm.Deterministic("difference", p[0] - p[1])
    return model


def _table(
    a: Any, b: Any, counts: ArrayLike | None, clusters: Any, dataset: str | None, higher_is_better: bool | None
) -> tuple[dict[str, Any], Four, Floats | None]:
    """What was compared, the four counts, and those of each cluster: only A, only B, the rest."""
    if counts is None:
        if a is None:
            raise ScoresError("Give a pair, two arrays of 0 (wrong) and 1 (right), or `counts`; got none.")
        pair, cells = right_or_wrong(a, b, test="mcnemar_test", dataset=dataset, higher_is_better=higher_is_better)
        codes = cluster_codes(pair, clusters, "mcnemar_test")
        if codes is None:
            return pair.about(), _four(cells), None
        d = pair.differences[0]
        cells_of = [np.bincount(codes, (d == x).astype(float)) for x in (1, -1, 0)]
        grouped = np.asarray(np.stack(cells_of, axis=1), dtype=float)
        return pair.about(), _four(cells), grouped
    if any(x is not None for x in (a, b, clusters, dataset, higher_is_better)):
        raise ScoresError("Give either the items or their `counts`, not both.")
    about = {"a": "A", "b": "B", "n": 1, "metric": "accuracy", "higher_is_better": True, "scale": "score"}
    return about | {"datasets": ("dataset",)}, checked_counts(counts), None


def checked_counts(counts: ArrayLike) -> Four:
    """Four whole numbers, not all 0."""
    try:
        cells = np.asarray(counts, dtype=float)
    except (TypeError, ValueError, OverflowError):
        cells = np.empty(0)
    whole = cells.shape == (4,) and np.isfinite(cells).all() and (cells >= 0).all() and (cells == np.floor(cells)).all()
    if not whole or not 0 < cells.sum() < 2**53:
        raise ScoresError(
            "`counts` must be four whole numbers, not all 0: both right, only A right, only B right, both wrong; got "
            f"{counts!r}."
        )
    return _four(cells)


def checked_prior(prior: Any) -> Four:
    """The prior of the four cells: one number for all, or four."""
    given = (prior,) * 4 if is_number(prior) else tuple(prior) if is_list(prior) else ()
    fits = len(given) == 4 and all(is_number(x) and 0 <= x <= MOST_PRIOR for x in given)
    if not fits or not (given[1] > 0 and given[2] > 0 and given[0] + given[3] > 0):
        raise ValueError(
            f"`prior` must be a number above 0 and at most {MOST_PRIOR:g}, or four: for both right, only A right, only "
            f"B right, both wrong; got {prior!r}."
        )
    return _four(check_number("prior", x) for x in given)


def _four(values: Any) -> Four:
    both_right, only_a, only_b, both_wrong = (float(x) for x in values)
    return both_right, only_a, only_b, both_wrong
