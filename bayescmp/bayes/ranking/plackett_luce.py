"""The Plackett-Luce model: many models, many datasets, the whole ranking on each.

A ranking is made from the top: the first is chosen among all models with probabilities in proportion to their worths,
the second among the others, and so on. For two models it is Bradley-Terry.
"""

from functools import partial
from itertools import chain, permutations, product
from math import factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescmp import _compat
from bayescmp.bayes.ranking.strengths import (
    DRAWS,
    WIN_ROPE,
    StrengthInference,
    StrengthPosterior,
    check_prior,
    infer,
)
from bayescmp.numerics.ranks import tie_groups
from bayescmp.rope import Rope
from bayescmp.scores.inputs import Table, complete_table
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
Orders = NDArray[np.int_]
MOST_PRIOR = 100.0
MOST_ORDERS = 24
"""Up to that many orders of a dataset's tied models are all used, as for four that tie; beyond, a balanced choice."""


def plackett_luce(
    scores: Scores,
    *,
    win_rope: float = WIN_ROPE,
    prior: float = 1.0,
    draws: int = DRAWS,
    random_seed: int | None = None,
    engine: str = "draws",
    **nuts_options: Any,
) -> StrengthPosterior:
    """Posterior of the models' worths from their rankings on many datasets.

    P(ranking) = product over places of worth / (sum of the worths of those not yet placed), worths ~
    Dirichlet(`prior`, ..., `prior`). Only the order of the scores counts, so that datasets need no common scale.

    Parameters
    ----------
    scores : Scores
        Datasets on which a model was not run are left out with a warning.
    win_rope : float
        Half the width of the region of P(win) around one half that makes no difference: 0.05 for 0.45 to 0.55.
    prior : float
        Concentration of the Dirichlet prior; 1 is uniform over all worths.
    draws : int
        Number of draws in all, at least 4,000.
    random_seed : int, optional
        Drawn and recorded if not given.
    engine : "draws" or "nuts"
        Independent draws by importance sampling, or PyMC's NUTS as a check of them.
    **nuts_options
        `draws`, `tune`, `chains`, `cores`, `nuts_sampler`, `target_accept`, `progressbar`.

    Returns
    -------
    StrengthPosterior
        `p_best` is the probability of the largest worth, `worth` the expected one: the chance of being first of all
        models on the next dataset.

    See Also
    --------
    bradley_terry : for wins, losses and ties.
    rank_models : by mean ranks or mean scores.

    Notes
    -----
    Equal scores have no order. A dataset with ties enters with every order of the tied models, each with the same
    fraction of the dataset's weight; for two models a tie is half a win for each. More than 24 orders (five models
    that tie) are replaced by a balanced choice of about 24, in which every tied model has every place equally often.

    References
    ----------
    Plackett (1975). The analysis of permutations. Applied Statistics 24. Caron, Doucet (2012). Efficient Bayesian
    inference for generalized Bradley-Terry models. JCGS 21 (the Gamma prior). Guiver, Snelson (2009). ICML.

    Examples
    --------
    >>> import bayescmp as bc
    >>> posterior = bc.bayes.plackett_luce(bc.load_uci(), random_seed=1)
    >>> max(posterior.worth, key=posterior.worth.get)
    'rf'
    """
    table = complete_table(scores, test="plackett_luce", relative=True, plain=False)
    check_prior(prior, MOST_PRIOR)
    orders, weights = rankings(table)
    fields = infer(
        partial(ranking_inference, orders, weights, prior),
        partial(_model, orders, weights, prior, table.models),
        win_rope=win_rope,
        engine=engine,
        draws=draws,
        random_seed=random_seed,
        nuts_options=nuts_options,
    )
    return StrengthPosterior(
        **table.about() | table.standing(),
        rope=Rope(0, 0),
        method="Plackett-Luce model",
        estimand="the models' worths: the chances of being first of all models on the next dataset",
        ability="log worth",
        settings={"prior": prior},
        **fields,
    )


def rankings(table: Table) -> tuple[Orders, Floats]:
    """Orders of the models (best first), and the weight of each: 1 for a dataset without ties, else shared."""
    found: list[tuple[int, ...]] = []
    weights: list[float] = []
    order, first, _ = tie_groups(-table.oriented, table.rounding[:, None])
    for row, starts in zip(order, first, strict=True):
        groups = [row[starts == start].tolist() for start in np.unique(starts)]
        several = _orders(groups)
        found += several
        weights += [1 / len(several)] * len(several)
    unique, inverse = np.unique(np.array(found), axis=0, return_inverse=True)
    return unique, np.asarray(np.bincount(inverse.ravel(), weights), dtype=float)


def _orders(groups: list[list[int]]) -> list[tuple[int, ...]]:
    if prod(factorial(len(group)) for group in groups) <= MOST_ORDERS:
        return [tuple(chain(*parts)) for parts in product(*(permutations(group) for group in groups))]
    # every cyclic shift of some shuffles of each group: each model has each of the group's places equally often
    rng = np.random.default_rng(0)
    largest = max(map(len, groups))
    count = largest * -(-MOST_ORDERS // largest)
    parts = []
    for group in groups:
        shuffles = [rng.permutation(group) for _ in range(-(-count // len(group)))]
        shifted = [np.roll(s, shift).tolist() for s in shuffles for shift in range(len(group))][:count]
        parts.append([shifted[i] for i in rng.permutation(count)])
    return [tuple(chain(*order)) for order in zip(*parts, strict=True)]


def ranking_inference(orders: Orders, weights: Floats, prior: float, draws: int, random_seed: int) -> StrengthInference:
    """The posterior from weighted orders."""
    return StrengthInference(orders.shape[1], orders, weights, "gamma", prior, draws, random_seed)


def pymc_plackett_luce(scores: Scores, *, prior: float = 1.0) -> Any:
    """The Plackett-Luce model as a `pm.Model`."""
    table = complete_table(scores, test="pymc_model", relative=True, plain=False)
    return _model(*rankings(table), check_prior(prior, MOST_PRIOR), table.models)


def _model(orders: Orders, weights: Floats, prior: float, models: tuple[str, ...]) -> Any:
    pm = _compat.import_pymc()
    with pm.Model(coords={"model": list(models)}) as model:
        worth = pm.Dirichlet("worth", a=np.full(len(models), prior), dims="model")
        from_last = worth[orders[:, ::-1]]
        remaining = from_last.cumsum(axis=1)
        pm.Potential("rankings", (weights * (pm.math.log(from_last) - pm.math.log(remaining)).sum(axis=1)).sum())
        log_worth = pm.math.log(worth)
        pm.Deterministic("log_strength", log_worth - log_worth.mean(), dims="model")
    return model
