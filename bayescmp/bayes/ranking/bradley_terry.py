"""The Bayesian Bradley-Terry model: many models, many datasets, who beats whom (Wainer 2023).

Each dataset is a match between every two models: one wins by more than the rope, or they tie.
"""

from collections.abc import Mapping
from functools import partial
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
from bayescmp.checks import check_switch, is_one_of
from bayescmp.errors import ScoresError
from bayescmp.rope import ROPE, Rope, RopeLike, check_rope_names
from bayescmp.scores.inputs import Table, check_scores, check_units, complete_table, in_ropes
from bayescmp.scores.table import Scores

Floats = NDArray[np.float64]
MOST_PRIOR = 5.0
TIES = {"spread": 0.5, "add": 1.0, "forget": 0.0}
"""What a tie counts for each of the two."""


def bradley_terry(
    scores: Scores,
    *,
    rope: RopeLike | Mapping[str, RopeLike] = ROPE,
    ties: str = "spread",
    win_rope: float = WIN_ROPE,
    prior: float = 0.5,
    mixed_units: bool = False,
    independent_wins: bool = False,
    draws: int = DRAWS,
    random_seed: int | None = None,
    engine: str = "draws",
    **nuts_options: Any,
) -> StrengthPosterior:
    """Posterior of the models' strengths from their wins against each other on many datasets.

    P(a beats b on a dataset) = 1 / (1 + exp(theta_b - theta_a)), theta ~ Normal(0, sigma), log sigma ~
    Normal(0, `prior`). Only the order of the scores counts, so that datasets need no common scale.

    Parameters
    ----------
    scores : Scores
        Datasets on which a model was not run are left out with a warning.
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
        Mean scores of a dataset this close are a tie; with 0 only equal ones are.
    ties : "spread", "add" or "forget"
        A tie is half a win for each, a win for each, or left out.
    win_rope : float
        Half the width of the region of P(win) around one half that makes no difference: 0.05 for 0.45 to 0.55.
    prior : float
        Scale of log sigma; 0.5 is Wainer's.
    mixed_units : bool
        Use one rope other than 0 also where the typical sizes of unbounded scores show that datasets have different
        units.
    independent_wins : bool
        Whether all wins of one dataset count in full, as in the reference. By default each counts 2/k among k models,
        so that a dataset counts as k - 1 comparisons: see the notes.
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
        `pairs_frame()` has for each pair the wins, E[P(win)], P(P(win) > 1/2), and P(P(win) within the win rope).

    See Also
    --------
    plackett_luce : for whole rankings.
    rank_models : by mean ranks or mean scores.

    Notes
    -----
    The k(k - 1)/2 wins of one dataset come from one ranking, which holds no more than k - 1 independent comparisons.
    Counted in full, as in the reference, they make the posterior too narrow: with 24 datasets its 95 % HDI of P(win)
    covers the truth in 0.84, 0.75 and 0.63 of cases with 4, 8 and 16 models. With the weight 2/k it does in 0.95 to
    0.99, so that it is a little too wide with many models. Two models have one win per dataset, and the weight 1.

    References
    ----------
    Wainer (2023). A Bayesian Bradley-Terry model to compare multiple ML algorithms on multiple data sets. JMLR 24.

    Examples
    --------
    >>> import bayescmp as bc
    >>> posterior = bc.bayes.bradley_terry(bc.load_uci(), rope=0.01, random_seed=1)
    >>> max(posterior.p_best, key=posterior.p_best.get)
    'rf'
    """
    check_scores(scores, "bradley_terry")
    check_rope_names(rope, scores.datasets)
    table, region = in_ropes(complete_table(scores, test="bradley_terry", relative=True), rope)
    notes = () if region.is_zero else check_units(table, "bradley_terry", mixed_units)
    check_prior(prior, MOST_PRIOR)
    wins, tied = count_wins(table, region)
    counted = _counted(wins, tied, ties, check_switch("independent_wins", independent_wins))
    fields = infer(
        partial(win_inference, counted, prior),
        partial(_model, counted, prior, table.models),
        win_rope=win_rope,
        engine=engine,
        draws=draws,
        random_seed=random_seed,
        nuts_options=nuts_options,
    )
    return StrengthPosterior(
        **table.about() | table.standing(),
        rope=region,
        method="Bradley-Terry model",
        estimand="the models' log-strengths: P(a beats b on the next dataset) = 1 / (1 + exp(theta_b - theta_a))",
        ability="log-strength",
        settings={
            "ties": ties,
            "prior": prior,
            "independent_wins": bool(independent_wins),
            "wins": wins.tolist(),
            "tied": tied.tolist(),
        },
        notes=notes,
        **fields,
    )


def count_wins(table: Table, rope: Rope) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """On how many datasets the row's model beats the column's by more than the rope, and on how many they tie."""
    k = len(table.models)
    wins, tied = np.zeros((k, k), dtype=int), np.zeros((k, k), dtype=int)
    for i in range(k):
        region = rope.regions(table.oriented[:, [i]] - table.oriented, table.rounding[:, None])
        wins[i], tied[i] = (region == 1).sum(axis=0), (region == 0).sum(axis=0)
    np.fill_diagonal(tied, 0)
    return wins, tied


def _counted(wins: NDArray[np.int_], tied: NDArray[np.int_], ties: str, independent: bool = False) -> Floats:
    """What the wins and ties count for: of k models each dataset counts as k - 1 comparisons, unless independent."""
    if not is_one_of(ties, TIES):
        raise ValueError(f'`ties` must be "spread", "add" or "forget", got {ties!r}.')
    counted = wins + TIES[ties] * tied
    if not counted.any():
        raise ScoresError(
            "All pairs of models tie on all datasets, and ties are left out: there is nothing to learn from. Use "
            'ties="spread", or a smaller rope.'
        )
    return np.asarray(counted if independent else 2 / len(wins) * counted, dtype=float)


def win_inference(wins: Floats, prior: float, draws: int, random_seed: int) -> StrengthInference:
    """The posterior from a table of (possibly half) wins of the row's model over the column's."""
    return StrengthInference(len(wins), np.argwhere(wins > 0), wins[wins > 0], "normal", prior, draws, random_seed)


def pymc_bradley_terry(
    scores: Scores,
    *,
    rope: RopeLike | Mapping[str, RopeLike],
    ties: str = "spread",
    prior: float = 0.5,
    independent_wins: bool = False,
) -> Any:
    """The Bradley-Terry model as a `pm.Model`."""
    table, region = in_ropes(complete_table(scores, test="pymc_model", relative=True, plain=False), rope)
    counted = _counted(*count_wins(table, region), ties, check_switch("independent_wins", independent_wins))
    return _model(counted, check_prior(prior, MOST_PRIOR), table.models)


def _model(wins: Floats, prior: float, models: tuple[str, ...]) -> Any:
    pm = _compat.import_pymc()
    first, second = np.triu_indices(len(wins), 1)
    won, lost = wins[first, second], wins[second, first]
    with pm.Model(coords={"model": list(models)}) as model:
        sigma = pm.LogNormal("sigma", 0, prior)
        theta = pm.Normal("theta", 0, sigma, dims="model")
        gap = theta[first] - theta[second]
        if np.array_equal(wins, wins.astype(int)):
            pm.Binomial("wins", n=(won + lost).astype(int), logit_p=gap, observed=won.astype(int))
        else:  # parts of wins: the same likelihood, which no binomial counts
            pm.Potential("wins", -(won * pm.math.log1pexp(-gap) + lost * pm.math.log1pexp(gap)).sum())
        pm.Deterministic("log_strength", theta - theta.mean(), dims="model")
    return model
