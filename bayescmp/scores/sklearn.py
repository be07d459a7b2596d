"""Results of scikit-learn in: `cross_validate` and fitted searches. scikit-learn itself is not imported."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, pairwise, takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.checks import is_list
from bayescmp.errors import ResamplingError, ScoresError, name_list
from bayescmp.scores.arrays import as_vector, scores_of
from bayescmp.scores.frames import from_columns
from bayescmp.scores.metrics import check_metric
from bayescmp.scores.metrics import higher_is_better as direction
from bayescmp.scores.resampling import WAYS_TO_GIVE, Resampling

if TYPE_CHECKING:
    from bayescmp.scores.table import Scores


def from_cross_validate(
    cls: type["Scores"],
    results: Mapping[str, Any],
    *,
    cv: Any = None,
    n_samples: int | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    resampling: Any = None,
) -> "Scores":
    """Scores from the dicts that scikit-learn's `cross_validate` returns.

    Parameters
    ----------
    results : dict
        {model: result} for one dataset, {model: {dataset: result}} for several. With `return_indices=True` the
        results hold their splits: the design is read from them, and models that saw different folds raise an error.
    cv : int, splitter or Resampling, optional
        The `cv` that was used, where the results have no indices.
    n_samples : int, optional
        The number of cases, where `cv` is a `ShuffleSplit` with a relative size.
    metric : str, optional
        The scorer to take where there are several: "roc_auc" for the key "test_roc_auc"; the name of the scorer where
        the key is "test_score", which does not show it.
    higher_is_better : bool, optional
        True for scikit-learn's own scorers; needed where no name shows it, or a scorer's name contradicts its sign.
    resampling : Resampling, int or splitter, optional
        Another name for `cv`; give one of them.

    See Also
    --------
    Scores.from_cv_results : the candidates of a search.
    read_scores : files.

    Examples
    --------
    >>> from bayescmp import Scores
    >>> results = {"rf": {"test_score": [0.9, 0.8]}, "svm": {"test_score": [0.8, 0.8]}}
    >>> Scores.from_cross_validate(results, cv=2, metric="accuracy").resampling[0]
    Resampling: 2-fold CV (n=2, rho=0.500)
    """
    labels: dict[str, list[Any]] = {"model": [], "dataset": [], "repeat": [], "fold": []}
    scores: list[float] = []
    designs: dict[str, Resampling] = {}
    splits: dict[str, tuple[str, Any]] = {}
    cv = _one_design(cv, resampling)
    key, name = "", None
    for model, dataset, result in _results(results):
        if not key:
            scorers = [str(k).removeprefix("test_") for k in result if str(k).startswith("test_")]
            scorer, name = _scorer(scorers, metric, f"`{model}`")
            key = f"test_{scorer}"
        if key not in result:
            raise ScoresError(f"All models must have the same score, but `{model}` has no {key}.")
        values = as_vector(model, result[key])
        indices = result.get("indices")
        first = splits.setdefault(dataset, (model, indices))
        _check_same_folds(dataset, first, (model, indices))
        if dataset not in designs:
            designs[dataset] = _design(indices, cv, n_samples, values.size)
        designs[dataset].check(values.size, f"`{model}`")
        keys = designs[dataset].keys or tuple((i + 1, 1) for i in range(values.size))
        labels["model"] += [model] * values.size
        labels["dataset"] += [dataset] * values.size
        labels["repeat"] += [r for r, _ in keys]
        labels["fold"] += [f for _, f in keys]
        scores += values.tolist()
    return from_columns(
        cls,
        labels,
        scores,
        resampling=designs,
        metric=name,
        higher_is_better=_scorer_direction(name, higher_is_better, min(scores, default=0)),
    )


def from_cv_results(
    cls: type["Scores"],
    search: Any,
    *,
    cv: Any = None,
    n_samples: int | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    resampling: Any = None,
) -> "Scores":
    """Scores of the candidates of a fitted `GridSearchCV` or `RandomizedSearchCV`, as models.

    A model's name lists the parameters that differ between the candidates: "C=1, kernel=rbf". Text with commas or
    equals signs is quoted.

    Parameters
    ----------
    search : fitted search, or its `cv_results_`, also as a DataFrame
    cv : int, splitter or Resampling, optional
        The `cv` that was used; a fitted search has its own.
    n_samples : int, optional
        The number of cases, where `cv` is a `ShuffleSplit` with a relative size.
    metric : str, optional
        The scorer to take where there are several; the name of the only one where the search does not show it.
    higher_is_better : bool, optional
        True for scikit-learn's own scorers; needed where no name shows it, or a scorer's name contradicts its sign.
    resampling : Resampling, int or splitter, optional
        Another name for `cv`; give one of them.

    See Also
    --------
    Scores.from_cross_validate

    Examples
    --------
    >>> from bayescmp import Resampling, Scores
    >>> found = {"params": [{"C": 1}, {"C": 10}], "split0_test_score": [0.8, 0.9], "split1_test_score": [0.7, 0.9]}
    >>> Scores.from_cv_results(found, metric="accuracy", resampling=Resampling.kfold(2)).models
    ('C=1', 'C=10')
    """
    results = getattr(search, "cv_results_", search)
    if hasattr(results, "columns") and hasattr(results, "to_dict"):
        results = results.to_dict("list")
    if not isinstance(results, Mapping) or "params" not in results:
        raise ScoresError(
            f"`search` must be a fitted search, or its `cv_results_`, got {type(search).__name__}. Call fit first."
        )
    if "n_resources" in results:
        raise ScoresError(
            "Candidates of a halving search are scored on different subsets of the data: they cannot be paired."
        )
    cv = _one_design(cv, resampling)
    if cv is None and results is not search:
        cv = getattr(search, "cv", None)
        cv = 5 if cv is None and hasattr(search, "cv_results_") else cv
    shown = getattr(search, "scoring", None)
    scorers = [str(k).removeprefix("split0_test_") for k in results if str(k).startswith("split0_test_")]
    scorer, name = _scorer(scorers, metric, "The search", shown if isinstance(shown, str) else None)
    names = _candidate_names(results["params"])
    splits = [as_vector(key, results[key]) for key in _split_keys(results, scorer)]
    if {split.size for split in splits} != {len(names)}:
        raise ScoresError(f"The search must have one score per split for each of its {len(names)} candidates.")
    # one call of fit splits once, so that all candidates see the same folds whatever the seed of cv
    design = _design(None, cv, n_samples, len(splits), shared=True)
    table = np.stack(splits, axis=1)
    return scores_of(
        cls,
        dict(zip(names, table, strict=True)),
        resampling=design,
        metric=name,
        higher_is_better=_scorer_direction(name, higher_is_better, float(table.min())),
    )


def _split_keys(results: Mapping[str, Any], scorer: str) -> list[str]:
    """The keys of the scores of every split, in order."""
    keys = (f"split{i}_test_{scorer}" for i in count())
    return list(takewhile(lambda key: key in results, keys))


def _results(results: Any) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(model, dataset, result of cross_validate) of {model: result} or {model: {dataset: result}}."""
    if not isinstance(results, Mapping) or not results:
        what = "nothing" if isinstance(results, Mapping) else type(results).__name__
        raise ScoresError(f"`results` must map model names to the dicts of cross_validate, got {what}.")
    for model, found in results.items():
        one = isinstance(found, Mapping) and any(
            str(k).startswith("test_") and not isinstance(v, Mapping) for k, v in found.items()
        )
        for dataset, result in ({"dataset": found} if one else found).items() if isinstance(found, Mapping) else ():
            if isinstance(result, Mapping):
                yield str(model), str(dataset), result
                continue
            found = result
        if not isinstance(found, Mapping):
            raise ScoresError(
                f"`{model}` must be a dict of cross_validate with a key test_..., got {type(found).__name__}. Arrays "
                "of cross_val_score are for Scores.from_arrays."
            )


def _scorer(scorers: Sequence[str], metric: str | None, where: str, shown: str | None = None) -> tuple[str, str | None]:
    """The scorer to take, the one asked for or the only one, and the metric's name.

    scikit-learn calls a single scorer "score": its name is then `metric`, or the one that the search has `shown`.
    """
    check_metric(metric)
    unnamed = list(scorers) == ["score"]
    if unnamed and shown is None:
        return "score", metric
    known = [shown] if unnamed else scorers
    found = metric or (known[0] if len(known) == 1 else None)
    if found is None or found not in known:
        raise ScoresError(
            f"{where} has the scores {name_list(map(str, known)) or 'none'}: pick one with metric=, got {metric!r}."
        )
    return "score" if unnamed else found, found


def _scorer_direction(metric: str | None, given: bool | None, smallest: float) -> bool:
    if given is None and metric is not None and smallest < 0 and not direction(metric, None):
        raise ScoresError(
            f'Lower is better for "{metric}", but scores are negative (down to {smallest:g}), as scikit-learn makes '
            "them where its scorer has greater_is_better=False. Give higher_is_better=True if they were negated."
        )
    return direction(metric, given)


def _check_same_folds(dataset: str, first: tuple[str, Any], other: tuple[str, Any]) -> None:
    if first[1] is None and other[1] is None:
        return
    same = first[1] is not None and other[1] is not None
    for part in ("train", "test") if same else ():
        splits, others = first[1][part], other[1][part]
        same = same and len(splits) == len(others) and all(map(np.array_equal, splits, others))
    if not same:
        raise ScoresError(
            f'`{first[0]}` and `{other[0]}` must be scored on the same folds of "{dataset}", but their splits differ, '
            "or only one result has them. Give cross_validate the same cv with an integer random_state and "
            "return_indices=True for every model."
        )


def _one_design(cv: Any, resampling: Any) -> Any:
    """The design or splitter, by whichever of the two names it was given."""
    if cv is not None and resampling is not None:
        raise ResamplingError("`cv` and `resampling` are two names of one thing: give one of them.")
    return resampling if cv is None else cv


def _design(indices: Any, cv: Any, n_samples: int | None, n_scores: int, shared: bool = False) -> Resampling:
    """The design from the splits themselves, or from the `cv` that made them."""
    if isinstance(cv, Resampling):
        return cv
    if indices is not None:
        return _design_of_splits(indices["train"], indices["test"])
    if cv is None:
        raise ResamplingError(
            "How the scores were resampled must be known: use cross_validate(..., return_indices=True), or give cv=. "
            + WAYS_TO_GIVE
        )
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        return Resampling.kfold(int(cv))
    if not hasattr(cv, "get_n_splits"):
        raise ResamplingError(
            f"`cv` must be a number of folds, a splitter of scikit-learn or a Resampling, got {cv!r}. " + WAYS_TO_GIVE
        )
    kind = type(cv).__name__
    shuffled = getattr(cv, "shuffle", kind.startswith("Repeated") or "Shuffle" in kind)
    if shuffled and not shared and not isinstance(getattr(cv, "random_state", None), (int, np.integer)):
        raise ScoresError(
            f"{cv!r} makes other folds in every call, so that the models were not scored on the same ones. Give it "
            "an integer random_state, or use return_indices=True to show that the folds are the same."
        )
    if kind in ("RepeatedKFold", "RepeatedStratifiedKFold"):
        return Resampling.kfold(cv.cvargs["n_splits"], cv.n_repeats)
    if kind in ("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold"):
        return Resampling.kfold(cv.n_splits)
    if kind == "LeaveOneOut":
        return Resampling.leave_one_out(n_scores)
    if kind == "TimeSeriesSplit" and cv.test_size is cv.max_train_size is None:
        return Resampling.blocked(cv.n_splits + 1, warm_up=1)
    if kind in ("ShuffleSplit", "StratifiedShuffleSplit"):
        if n_samples is None:
            raise ResamplingError(f"The sizes of {kind}'s splits must be known: give n_samples=.")
        test, train = cv.test_size, cv.train_size
        n_test = _cases(0.1 if test is None and train is None else test, n_samples, math.ceil)
        n_train = _cases(train, n_samples, math.floor)
        n_test = n_samples - n_train if n_test is None else n_test
        return Resampling.subsampling(n_samples - n_test if n_train is None else n_train, n_test, cv.n_splits)
    raise ResamplingError(f"The correlation between the scores of {kind} is not known. " + WAYS_TO_GIVE)


def _cases(size: float | None, n_samples: int, rounding: Any) -> Any:
    if size is None:
        return None
    return rounding(size * n_samples) if isinstance(size, float) else size


def _design_of_splits(train: Sequence[Any], test: Sequence[Any]) -> Resampling:
    """k-fold where consecutive test sets partition the cases again and again, else random splits of equal size."""
    n_train, n_test = [len(t) for t in train], [len(t) for t in test]
    cases = np.unique(np.concatenate([*train, *test])).size
    folds = int(np.searchsorted(np.cumsum(n_test), cases)) + 1
    groups = [test[i : i + folds] for i in range(0, len(test), folds)]
    whole = all(sum(sizes) == cases for sizes in zip(n_train, n_test, strict=True))
    if whole and len(test) % folds == 0 and all(np.unique(np.concatenate(g)).size == cases for g in groups):
        return Resampling.from_sizes(n_train, n_test, folds=folds, repeats=len(test) // folds)
    in_time = all(max(a) < min(b) for a, b in zip(train, test, strict=True))
    growing = np.array_equal(np.diff(n_train), n_test[:-1]) and all(max(a) < min(b) for a, b in pairwise(test))
    if in_time and growing and np.ptp(n_test) <= 1:
        blocks = cases // max(n_test)
        if len(test) < blocks:
            return Resampling.blocked(blocks, warm_up=blocks - len(test))
    fixed = len({np.sort(t).tobytes() for t in map(np.asarray, train)}) < len(train)
    if in_time or fixed or np.ptp(n_train) > 1 or np.ptp(n_test) > 1:
        raise ResamplingError(
            "The splits are neither k-fold, nor random splits of equal size, nor equal blocks in time that are trained "
            "on all cases before them, so that the correlation between their scores is not known. " + WAYS_TO_GIVE
        )
    return Resampling.from_sizes(n_train, n_test)


def _candidate_names(params: Any) -> list[str]:
    if not is_list(params) or not all(isinstance(candidate, Mapping) for candidate in params):
        raise ScoresError("The `params` of a search must be one dict of parameters per candidate.")
    keys = list(dict.fromkeys(key for candidate in params for key in candidate))
    differing = [k for k in keys if len({repr(c.get(k)) for c in params}) > 1] or keys
    names = [", ".join(f"{k}={_shown(c[k])}" for k in differing if k in c) or "default" for c in params]
    return names if len(set(names)) == len(names) else [f"{i + 1}: {n}" for i, n in enumerate(names)]


def _shown(value: Any) -> str:
    """The value of a parameter; text that could be read as several of them is quoted."""
    text = str(value)
    closed = not isinstance(value, str) and text.endswith((")", "]", "}"))
    return repr(text) if not closed and (set(text) & set(",='\"") or text != text.strip()) else text
