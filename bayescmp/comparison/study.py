"""`compare()`: names the setting, runs the tests of both schools that fit it on all pairs, and puts them together."""

import builtins
import inspect
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from bayescmp import errors
from bayescmp.catalogue import Test, find, imported
from bayescmp.checks import check_alpha, check_cost, check_count, check_switch, check_threshold, checked_seed, is_one_of
from bayescmp.comparison.result import Comparison
from bayescmp.comparison.run import (
    Found,
    Job,
    Names,
    check_options,
    count_workers,
    data_seed,
    quiet_pair,
    run_pairs,
    run_together,
)
from bayescmp.comparison.setting import Setting, choose_setting
from bayescmp.errors import MissingWarning, RopeError, name_list, warn
from bayescmp.frequentist.adjust import adjust_p_values
from bayescmp.frequentist.pairwise import PairwiseTests
from bayescmp.frequentist.result import TestResult
from bayescmp.rope import ROPE, Rope, RopeLike, check_rope_names, rope_for
from bayescmp.scores.inputs import check_scores, check_units, complete_table, in_ropes
from bayescmp.scores.table import Scores


def compare(
    scores: Scores,
    *,
    rope: RopeLike | Mapping[str, RopeLike] = ROPE,
    bayes: str | None = None,
    frequentist: str | None = None,
    control: str | None = None,
    against: str | None = None,
    threshold: float = 0.95,
    alpha: float = 0.05,
    adjust: str = "holm",
    switching_cost: float = 0.0,
    mixed_units: bool = False,
    looks: int = 1,
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
        The scores of two or more models, on one dataset with the scores of folds or runs, or on many.
    rope : float, (low, high), Rope, or a mapping from dataset to one of these
        The differences that make no practical difference; 0 for none. With a mapping over many datasets the
        differences of both schools are in units of their dataset's rope.
    bayes : str, optional
        The Bayesian test by the name of its function: "correlated_ttest" (one dataset), "welch_ttest" (one dataset,
        runs that cannot be paired); "hierarchical_ttest", "signed_rank_test" or "sign_test" (many); or one of your
        own. By the setting if not given.
    frequentist : str, optional
        The frequentist test: "corrected_ttest", "paired_ttest" or "welch_ttest" (one); "wilcoxon_test", "sign_test" or
        "nemenyi_test" (many); `catalogue` has them all. By the setting if not given, or the sibling of `bayes`.
    control : str, optional
        Compare this model with each other one, instead of all pairs.
    against : "best", optional
        Compare the model that looks best with each other one. It was selected by the same data: see `explain()`.
    threshold : float
        Posterior probability needed to call a pair decided.
    alpha, adjust
        The level of the p-values, and how they are adjusted for the number of pairs: see `adjust_p_values`.
    switching_cost : float
        What the better model must gain on average to be worth it, in units of the score, for `decisions()`.
    mixed_units : bool
        Average differences also where the typical sizes of unbounded scores (RMSEs, times) differ more than tenfold
        between datasets, which is refused otherwise: see `Scores.transform` for ratios.
    looks : int
        How often these data were looked at while they came in, this look included; kept, and said in `cautions()`.
    random_seed : int, optional
        The seed of tests that draw; drawn and recorded if not given (with a `cache`: made from the data, so that a
        rerun finds it again).
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
        With `pairs`, `table()`, `ranking()`, `pair(a, b)`, `decisions()`, `explain()`, `rope_curve()`,
        `prior_sensitivity()`.

    See Also
    --------
    bayescmp.bayes.rank_models : P(best) of many models.
    bayescmp.frequentist.recommend : which tests fit, without running them.
    bayescmp.reports.report : the comparison as a page.

    Examples
    --------
    >>> import bayescmp as bc
    >>> c = bc.compare(bc.load_labour(), rope=0.01)
    >>> c.table()[["a", "b", "p_better", "p_adjusted"]].round(3)
        a    b  p_better  p_adjusted
    0  DT   LR     0.093       0.528
    1  DT  SVM     0.024       0.229
    2  LR  SVM     0.100       0.528
    """
    check_scores(scores, "compare")
    setting = choose_setting(scores, bayes, frequentist)
    check_threshold(threshold)
    check_alpha(alpha)
    switching_cost = check_cost(switching_cost)
    check_count("looks", looks)
    scores, notes = _whole_cells(scores)
    names, control = _pairs(scores, control, against)
    # raises where it does not fit, before the work
    adjust_p_values(np.ones(len(names)), adjust, all_pairs=control is None)
    rope, unit = _rope(rope, scores, control, len(names), switching_cost)
    options = check_options(setting.bayes_test, {} if bayes_options is None else bayes_options)
    mixed = check_switch("mixed_units", mixed_units) and not isinstance(rope, dict)
    job = Job(setting.bayes_test, rope, options | _if_known(setting.bayes_test.call, mixed), pairs=len(names))
    if job.seeded or random_seed is not None:
        seed = data_seed(scores) if random_seed is None and cache is not None else checked_seed(random_seed)
        job = replace(job, random_seed=seed)
    notes = (
        *notes,
        *unit,
        *(() if isinstance(rope, dict) else check_units(scores, "compare", True)),
        *_missing(scores),
    )
    count_workers(n_jobs)  # raises where it is no number of workers
    posteriors = run_together(scores, names, job) if cache is None else None
    if posteriors is None:
        found = run_pairs(scores, names, job, n_jobs=n_jobs, cache=cache, progress=progress)
        _warn_of(found)
        posteriors = tuple(posterior for posterior, _ in found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingWarning)  # given above, once
        warnings.simplefilter("ignore", errors.DegenerateWarning)
        test = setting.frequentist_test
        tests = frequentist_tests(scores, test, names, control, adjust, rope, mixed)
        corrected = None
        if test.corrected_by is not None and scores.resampling[0] is not None:
            other = find(test.corrected_by, "frequentist")
            corrected = frequentist_tests(scores, other, names, control, adjust, rope, mixed).p_adjusted
        omnibus = _omnibus(scores, setting)
    return Comparison(
        scores=scores,
        rope=rope,
        setting=setting,
        control=control,
        against=against,
        threshold=float(threshold),
        alpha=float(alpha),
        switching_cost=switching_cost,
        mixed_units=mixed,
        looks=int(looks),
        random_seed=job.random_seed,
        bayes_options=options,
        posteriors=posteriors,
        tests=tests,
        corrected_p=corrected,
        omnibus=omnibus,
        notes=notes,
    )


def _pairs(scores: Scores, control: str | None, against: str | None) -> tuple[list[Names], str | None]:
    """All pairs, or the control with each other model."""
    if against is not None and not is_one_of(against, ("best",)):
        raise ValueError(f'`against` must be "best", got {against!r}. For a model by name use control={against!r}.')
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
    check_rope_names(rope, scores.datasets)
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
    counts, sizes = scores.counts, scores.sizes
    folds = np.array([name not in scores.items for name in scores.datasets])
    partial = (counts > 0) & (counts < sizes) & folds
    if len(scores.datasets) == 1 or not partial.any():
        return scores, ()
    cells = [
        f"{scores.models[m]} on {scores.datasets[d]} ({counts[m, d]} of {sizes[m, d]})" for m, d in np.argwhere(partial)
    ]
    note = f"folds are missing, so that these are left out: {', '.join(cells[:5])}"
    note += f" and {len(cells) - 5} more" if len(cells) > 5 else ""
    warn(f"{note}.", MissingWarning)
    return replace(scores, values=np.where(partial[..., None], np.nan, scores.values)), (note,)


def _missing(scores: Scores) -> tuple[str, ...]:
    """Notes on models that did not run on every dataset, or did not answer every item; each is a warning as well."""
    counts, notes = scores.counts, []
    ran = counts > 0
    if not ran.all():
        absent = [m for m, on in zip(scores.models, ran, strict=True) if not on.all()]
        notes.append(f"{name_list(absent)} did not run on every dataset: each pair is compared on the datasets of both")
        warn(f"{notes[-1]}; `n` is their number.", MissingWarning)
    has_items = np.array([name in scores.items for name in scores.datasets])
    partial = np.argwhere(ran & (counts < scores.sizes) & has_items)
    if len(partial):
        sizes = scores.sizes
        cells = [f"{scores.models[m]} {counts[m, d]:,} of {sizes[m, d]:,} on {scores.datasets[d]}" for m, d in partial]
        some = ", ".join(cells[:5]) + (f" and {len(cells) - 5} more" if len(cells) > 5 else "")
        notes.append(
            f"some items were not answered by every model ({some}): each pair is compared on the items that both "
            "answered"
        )
        warn(f"{notes[-1]}.", MissingWarning)
    return tuple(notes)


def _warn_of(found: list[Found]) -> None:
    """Warnings from the pairs, each kind once."""
    kinds: dict[str, list[str]] = {}
    for _, messages in found:
        for kind, message in messages:
            kinds.setdefault(kind, []).append(message)
    for kind, texts in kinds.items():
        more = f" (and the like for {len(set(texts)) - 1} more pairs)" if len(set(texts)) > 1 else ""
        category: Any = getattr(errors, kind, None) or getattr(builtins, kind, UserWarning)
        warn(sorted(texts)[0] + more, category)


# ---- the frequentist side


def frequentist_tests(
    scores: Scores, test: Test, names: list[Names], control: str | None, adjust: str, rope: Any, mixed: bool
) -> PairwiseTests:
    """The test of every pair, with adjusted p-values.

    Where every dataset has its own rope, differences are in units of those, as for the Bayesian tests.
    """
    own_ropes = isinstance(rope, dict)
    if test.batch is not None and (test.family or not own_ropes):
        batch = imported(test.batch)
        given = {"adjust": adjust, "control": control, "mixed_units": mixed, **test.batch_options}
        known = inspect.signature(batch).parameters
        tests: PairwiseTests | None = batch(scores, **{name: x for name, x in given.items() if name in known})
        if tests is not None and len(tests) != len(names):
            return PairwiseTests.of([tests.result(*both) for both in names], scores.models, control)
        if tests is not None:
            return tests
    function = test.call
    options = _if_known(function, mixed) | ({"rope": rope} if "rope" in inspect.signature(function).parameters else {})
    results = []
    for pair in (quiet_pair(scores, both) for both in names):
        result = function(in_ropes(pair, rope)[0] if own_ropes else pair, **options)
        if not isinstance(result, TestResult):
            raise ValueError(f"{test.function} must return a TestResult, got {type(result).__name__}.")
        results.append(result)
    p = adjust_p_values([r.p_value for r in results], adjust, all_pairs=control is None)
    adjusted = [replace(r, p_adjusted=float(q), adjustment=adjust) for r, q in zip(results, p, strict=True)]
    return PairwiseTests.of(adjusted, scores.models, control)


def _if_known(function: Callable[..., Any], mixed_units: bool) -> dict[str, Any]:
    """`mixed_units=True` for a test that has this option."""
    return {"mixed_units": True} if mixed_units and "mixed_units" in inspect.signature(function).parameters else {}


def _omnibus(scores: Scores, setting: Setting) -> tuple[TestResult, ...]:
    """The tests of all models at once, where at least two datasets have them all.

    Iman and Davenport's F improves on chi-square; it is not asked where Friedman's p is exact.
    """
    complete = int(np.sum((scores.counts > 0).all(axis=0)))
    if setting.name != "kxm" or complete < 2:
        return ()
    friedman: TestResult = find("friedman_test").call(scores)
    is_exact = friedman.method.startswith(imported("bayescmp.frequentist.omnibus:EXACT_FRIEDMAN"))
    return (friedman,) if is_exact else (friedman, find("iman_davenport_test").call(scores))
