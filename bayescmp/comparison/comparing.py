"""`compare()`: names the setting, runs the tests of both schools that fit it on all pairs, and puts them together."""

import builtins
import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from bayescmp import errors
from bayescmp.checks import check_number, check_threshold, checked_seed, is_one_of
from bayescmp.comparison.classical import classical_tests, omnibus_tests
from bayescmp.comparison.result import Comparison
from bayescmp.comparison.run import Job, Names, check_options, data_seed, run_pairs
from bayescmp.comparison.setting import choose_setting
from bayescmp.errors import MissingWarning, RopeError, name_list, warn
from bayescmp.frequentist import adjust_p_values
from bayescmp.rope import Rope, RopeLike, rope_for
from bayescmp.scores.inputs import complete_table
from bayescmp.scores.table import Scores


def compare(
    scores: Scores,
    *,
    rope: RopeLike | Mapping[str, RopeLike],
    bayes: str | None = None,
    frequentist: str | None = None,
    control: str | None = None,
    against: str | None = None,
    threshold: float = 0.95,
    alpha: float = 0.05,
    adjust: str = "holm",
    switching_cost: float = 0.0,
    random_seed: int | None = None,
    bayes_options: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Compare models by the Bayesian and the frequentist tests that fit what was measured.

    Parameters
    ----------
    scores : Scores
        Of two or more models, on one dataset with fold results or on many.
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
        The differences that make no practical difference; 0 for none. With a mapping over many datasets the
        differences of both schools are in units of their dataset's rope.
    bayes : str, optional
        "correlated_t" (one dataset); "hierarchical", "signed_rank" or "sign" (many). By the setting if not given.
    frequentist : str, optional
        "corrected_t" or "paired_t" (one dataset); "wilcoxon", "sign" or "nemenyi" (many).
    control : str, optional
        Compare this model with each other one, instead of all pairs.
    against : "best", optional
        Compare the model that looks best with each other one. It was selected by the same data: see `explain()`.
    threshold : float
        Of the probability that decides.
    alpha, adjust
        The level of the p-values, and how they are adjusted for the number of pairs: see `adjust_p_values`.
    switching_cost : float
        In units of the score: what the better model must gain on average to be worth it, for `decisions()`.
    random_seed : int, optional
        Of the tests that draw; drawn and recorded if not given (with a `cache`: made from the data, so that a rerun
        finds it again).
    bayes_options : mapping, optional
        Further options of the Bayesian test, such as {"prior": "gaussian"} or {"draws": 10_000}.
    n_jobs : int, optional
        Worker processes (-1: all cores); under `joblib.parallel_config` the backend set there, Dask or Ray as well.
        The results are the same for any number.
    cache : path, optional
        A folder that keeps finished pairs, so that a rerun computes only what is missing.
    progress : bool, optional
        Show a progress bar; by default where standard error is a terminal.

    Returns
    -------
    Comparison
        `table()`, `ranking()`, `pair(a, b)`, `decisions()`, `explain()`, `rope_curve()`, `prior_sensitivity()`.

    See Also
    --------
    bayescmp.bayes.rank_models : P(best) of many models.
    bayescmp.frequentist.recommend : which tests fit, without running them.
    bayescmp.reports.report : the comparison as a page.

    Examples
    --------
    >>> import bayescmp as bc
    >>> c = bc.compare(bc.load_labour(), rope=0.01)
    >>> c.table()[["a", "b", "p_better", "p_value"]].round(3)
        a    b  p_better  p_value
    0  DT   LR     0.093    0.264
    1  DT  SVM     0.024    0.076
    2  LR  SVM     0.100    0.342
    """
    if not isinstance(scores, Scores):
        raise errors.ScoresError(
            f"`scores` must be a Scores, got {type(scores).__name__}. Make one with bc.read_scores(path), "
            "bc.Scores.from_frame(df) or bc.Scores.from_arrays({...})."
        )
    setting = choose_setting(scores, bayes, frequentist)
    _check_numbers(threshold, alpha, switching_cost)
    scores, notes = _whole_cells(scores)
    names, control = _pairs(scores, control, against)
    adjust_p_values(
        np.ones(len(names)), adjust, all_pairs=control is None
    )  # refuses what does not fit, before the work
    rope, unit = _rope(rope, scores, control, len(names), switching_cost)
    options = check_options(setting.bayes, {} if bayes_options is None else bayes_options)
    seed = None
    if setting.bayes == "signed_rank" or options.get("engine") == "nuts" or random_seed is not None:
        seed = data_seed(scores) if random_seed is None and cache is not None else checked_seed(random_seed)
    notes = (*notes, *unit, *_missing(scores))
    job = Job(setting.bayes, rope, options, seed)
    found = run_pairs(scores, names, job, n_jobs=n_jobs, cache=cache, progress=progress)
    rows = [rows[0] for rows in found]
    _warn_of(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingWarning)  # said above, once
        warnings.simplefilter("ignore", errors.DegenerateWarning)
        tests = classical_tests(scores, setting.frequentist, names, control, adjust, rope)
        corrected = None
        if setting.frequentist == "paired_t" and scores.resampling[0] is not None:
            corrected = classical_tests(scores, "corrected_t", names, control, adjust, rope).p_adjusted
        omnibus = omnibus_tests(scores, setting.omnibus)
    return Comparison(
        scores=scores,
        rope=rope,
        setting=setting,
        control=control,
        against=against,
        threshold=float(threshold),
        alpha=float(alpha),
        switching_cost=float(switching_cost),
        random_seed=seed,
        bayes_options=options,
        rows=tuple(rows),
        tests=tests,
        corrected_p=corrected,
        omnibus=omnibus,
        notes=notes,
    )


def _pairs(scores: Scores, control: str | None, against: str | None) -> tuple[list[Names], str | None]:
    """All pairs, or the control with each other model."""
    if against is not None and not is_one_of(against, ("best",)):
        raise ValueError(f'`against` must be "best", got {against!r}. For a model by name say control={against!r}.')
    if against is not None:
        if control is not None:
            raise ValueError('Give `control` or against="best", not both.')
        control = _best(scores)
    if control is None:
        return list(combinations(scores.models, 2)), None
    scores.model_index(control)
    return [(control, model) for model in scores.models if model != control], control


def _best(scores: Scores) -> str:
    """The model with the best mean rank over datasets (on one: with the best mean score)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingWarning)
        table = complete_table(scores, test="compare", least=1, relative=True)
    ranks, means = table.ranks.mean(axis=0), table.oriented.mean(axis=0)
    return scores.models[int(np.lexsort((-means, ranks))[0])]


def _rope(
    rope: RopeLike | Mapping[str, RopeLike], scores: Scores, control: str | None, pairs: int, switching_cost: float
) -> tuple[Rope | dict[str, Any], tuple[str, ...]]:
    """One rope, or one for each of many datasets; and a note where differences are in units of those."""
    if isinstance(rope, Mapping) and len(scores.datasets) > 1:
        if switching_cost:
            raise ValueError(
                "`switching_cost` is in units of the score, but with a rope for each dataset differences are in units "
                "of ropes. Give one rope for all datasets, or no switching cost."
            )
        return {str(name): Rope.of(r) for name, r in rope.items()}, (
            "differences, their ranks, HDIs, losses and mean scores are in units of each dataset's rope",
        )
    region = rope_for(rope, scores.datasets[0])
    if control is None and pairs > 1 and region.low != -region.high:
        raise RopeError(
            f"An asymmetric rope {region} over all pairs needs a `control`: which model of a pair is A is arbitrary "
            "otherwise. Say control=..., or give a symmetric rope."
        )
    return region, ()


def _whole_cells(scores: Scores) -> tuple[Scores, tuple[str, ...]]:
    """Leave out a model on a dataset where it lacks some folds, with a warning that names both."""
    sizes = np.array([len(keys) for keys in scores.keys])
    counts = scores.counts
    partial = (counts > 0) & (counts < sizes)
    if len(scores.datasets) == 1 or not partial.any():
        return scores, ()
    cells = [
        f"{scores.models[m]} on {scores.datasets[d]} ({counts[m, d]} of {sizes[d]})" for m, d in np.argwhere(partial)
    ]
    note = f"folds are missing, so that these are left out: {', '.join(cells[:5])}"
    note += f" and {len(cells) - 5} more" if len(cells) > 5 else ""
    warn(f"{note}.", MissingWarning)
    return replace(scores, values=np.where(partial[..., None], np.nan, scores.values)), (note,)


def _missing(scores: Scores) -> tuple[str, ...]:
    ran = scores.counts > 0
    if ran.all():
        return ()
    absent = [m for m, on in zip(scores.models, ran, strict=True) if not on.all()]
    note = f"{name_list(absent)} did not run on every dataset: each pair is compared on the datasets of both"
    warn(f"{note}; n tells how many.", MissingWarning)
    return (note,)


def _warn_of(rows: list[dict[str, Any]]) -> None:
    """Warnings from the pairs, each kind once."""
    kinds: dict[str, list[str]] = {}
    for row in rows:
        for kind, message in row.pop("warnings"):
            kinds.setdefault(kind, []).append(message)
    for kind, messages in kinds.items():
        more = f" (and the like for {len(set(messages)) - 1} more pairs)" if len(set(messages)) > 1 else ""
        category: Any = getattr(errors, kind, None) or getattr(builtins, kind, UserWarning)
        warn(sorted(messages)[0] + more, category)


def _check_numbers(threshold: float, alpha: float, switching_cost: float) -> None:
    check_threshold(threshold)
    if not 0 < check_number("alpha", alpha) < 1:
        raise ValueError(f"`alpha` must be above 0 and below 1, got {alpha!r}.")
    if not 0 <= check_number("switching_cost", switching_cost) < float("inf"):
        raise ValueError(f"`switching_cost` must be 0 or more, got {switching_cost!r}.")
