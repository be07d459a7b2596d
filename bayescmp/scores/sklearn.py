"""Results of scikit-learn in: `cross_validate` and fitted searches. scikit-learn itself is not imported."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import ResamplingError, ScoresError, name_list
from bayescmp.scores import assemble
from bayescmp.scores.metrics import higher_is_better as direction
from bayescmp.scores.pair import as_vector
from bayescmp.scores.resampling import WAYS_TO_GIVE, Resampling

if TYPE_CHECKING:
    from bayescmp.scores.table import Scores


def from_cross_validate(
    results: Mapping[str, Any],
    *,
    cv: Any = None,
    n_samples: int | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    resampling: Resampling | None = None,
) -> "Scores":
    """Scores from the dicts that scikit-learn's `cross_validate` returns.

    Parameters
    ----------
    results : dict
        {model: result} for one dataset, {model: {dataset: result}} for several. With `return_indices=True` the
        results know their splits: the design is read from them, and models that saw different folds are refused.
    cv : int or splitter, optional
        The `cv` that was used, where the results have no indices.
    n_samples : int, optional
        The number of cases, where `cv` is a `ShuffleSplit` with a relative size.
    metric : str, optional
        The scorer to take where there are several: "roc_auc" for the key "test_roc_auc".
    higher_is_better : bool, optional
        True for scikit-learn's own scorers; needed where a scorer's name says the opposite of its sign.
    resampling : Resampling, optional
        The design, instead of `cv`.

    Examples
    --------
    >>> from bayescmp import Scores
    >>> results = {"rf": {"test_score": [0.9, 0.8]}, "svm": {"test_score": [0.8, 0.8]}}
    >>> Scores.from_cross_validate(results, cv=2).resampling[0]
    Resampling: 2-fold CV (n=2, rho=0.500)
    """
    if not isinstance(results, Mapping) or not results:
        raise ScoresError("`results` must map model names to the dicts of cross_validate, got nothing.")
    labels: dict[str, list[Any]] = {"model": [], "dataset": [], "repeat": [], "fold": []}
    scores: list[float] = []
    designs: dict[str, Resampling] = {}
    splits: dict[str, tuple[str, Any]] = {}
    for model, by_dataset in results.items():
        if any(str(key).startswith("test_") for key in by_dataset):
            by_dataset = {"dataset": by_dataset}
        for dataset, result in by_dataset.items():
            name, values = _pick(result, metric, model)
            metric = metric or name
            indices = result.get("indices")
            if indices is not None:
                first = splits.setdefault(dataset, (model, indices))
                _check_same_folds(dataset, first, (model, indices))
            if dataset not in designs:
                designs[dataset] = resampling or _design(indices, cv, n_samples)
            keys = designs[dataset].keys or tuple((i + 1, 1) for i in range(values.size))
            designs[dataset].check(values.size, f"`{model}`")
            labels["model"] += [model] * values.size
            labels["dataset"] += [dataset] * values.size
            labels["repeat"] += [r for r, _ in keys]
            labels["fold"] += [f for _, f in keys]
            scores += values.tolist()
    return assemble.from_columns(
        labels,
        scores,
        resampling=designs,
        metric=metric,
        higher_is_better=_scorer_direction(metric, higher_is_better, min(scores, default=0)),
    )


def from_cv_results(
    search: Any,
    *,
    metric: str | None = None,
    n_samples: int | None = None,
    higher_is_better: bool | None = None,
    resampling: Resampling | None = None,
) -> "Scores":
    """Scores of the candidates of a fitted `GridSearchCV` or `RandomizedSearchCV`, as models.

    A model's name tells the parameters that differ between the candidates: "C=1, kernel=rbf".
    """
    results = getattr(search, "cv_results_", search if isinstance(search, Mapping) else None)
    if results is None or "params" not in results:
        raise ScoresError(
            f"`search` must be a fitted search with `cv_results_`, got {type(search).__name__}. Call fit first."
        )
    suffixes = [k.removeprefix("split0_test_") for k in results if k.startswith("split0_test_")]
    suffix = metric or (suffixes[0] if len(suffixes) == 1 else None)
    if suffix not in suffixes:
        raise ScoresError(f"The search has the scores {name_list(suffixes)}: pick one with metric=, got {metric!r}.")
    n_splits = sum(k.startswith("split") and k.endswith(f"_test_{suffix}") for k in results)
    table = np.stack([results[f"split{i}_test_{suffix}"] for i in range(n_splits)], axis=1)
    # one call of fit splits once, so that all candidates see the same folds whatever the seed of cv
    cv = getattr(search, "cv", None)
    design = resampling or _design(None, 5 if cv is None and search is not results else cv, n_samples, shared=True)
    name = None if suffix == "score" else suffix
    return assemble.from_arrays(
        dict(zip(_candidate_names(results["params"]), table, strict=True)),
        resampling=design,
        metric=name,
        higher_is_better=_scorer_direction(name, higher_is_better, float(np.nanmin(table))),
    )


def _pick(result: Mapping[str, Any], metric: str | None, model: str) -> tuple[str | None, Any]:
    """The scorer's name (None for "score") and its values."""
    names = [k.removeprefix("test_") for k in result if k.startswith("test_")]
    name = metric if metric in names else names[0] if len(names) == 1 else None
    if name is None:
        raise ScoresError(
            f"`{model}` has the scores {name_list(names) or 'none (no key test_...)'}: pick one with metric=, got "
            f"{metric!r}."
        )
    return None if name == "score" else name, as_vector(model, result[f"test_{name}"])


def _scorer_direction(metric: str | None, given: bool | None, smallest: float) -> bool:
    if given is None and metric is not None and smallest < 0 and not direction(metric, None):
        raise ScoresError(
            f'Lower is better for "{metric}", but scores are negative (down to {smallest:g}), as scikit-learn makes '
            "them where its scorer has greater_is_better=False. Say higher_is_better=True if they were negated."
        )
    return direction(metric, given)


def _check_same_folds(dataset: str, first: tuple[str, Any], other: tuple[str, Any]) -> None:
    for part in ("train", "test"):
        splits, others = first[1][part], other[1][part]
        if len(splits) != len(others) or not all(map(np.array_equal, splits, others)):
            raise ScoresError(
                f'`{first[0]}` and `{other[0]}` must be scored on the same folds of "{dataset}", but their splits '
                "differ. Give cross_validate the same cv with an integer random_state for every model."
            )


def _design(indices: Any, cv: Any, n_samples: int | None, shared: bool = False) -> Resampling:
    """The design from the splits themselves, or from the `cv` that made them."""
    if indices is not None:
        return _design_of_splits(indices["train"], indices["test"])
    if cv is None:
        raise ResamplingError(
            "How the scores were resampled must be known: use cross_validate(..., return_indices=True), or say cv=. "
            + WAYS_TO_GIVE
        )
    if isinstance(cv, int):
        return Resampling.kfold(cv)
    kind = type(cv).__name__
    shuffled = getattr(cv, "shuffle", kind.startswith("Repeated") or "Shuffle" in kind)
    if shuffled and not shared and not isinstance(getattr(cv, "random_state", None), int):
        raise ScoresError(
            f"{cv!r} makes other folds in every call, so that the models were not scored on the same ones. Give it "
            "an integer random_state, or use return_indices=True to show that the folds are the same."
        )
    if kind in ("RepeatedKFold", "RepeatedStratifiedKFold"):
        return Resampling.kfold(cv.cvargs["n_splits"], cv.n_repeats)
    if kind in ("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold"):
        return Resampling.kfold(cv.n_splits)
    if kind in ("ShuffleSplit", "StratifiedShuffleSplit"):
        test, train = cv.test_size, cv.train_size
        if n_samples is None:
            raise ResamplingError(f"The sizes of {kind}'s splits must be known: say n_samples=.")
        if test is None and train is None:
            test = 0.1
        n_test = _cases(test, n_samples, math.ceil)
        n_train = _cases(train, n_samples, math.floor)
        n_test = n_samples - n_train if n_test is None else n_test
        return Resampling.subsampling(n_samples - n_test if n_train is None else n_train, n_test, cv.n_splits)
    raise ResamplingError(f"The correlation between the scores of {kind} is not known. " + WAYS_TO_GIVE)


def _cases(size: float | None, n_samples: int, rounding: Any) -> Any:
    if size is None:
        return None
    return rounding(size * n_samples) if isinstance(size, float) else size


def _design_of_splits(train: Sequence[Any], test: Sequence[Any]) -> Resampling:
    """k-fold where consecutive test sets partition the cases again and again, else random splits."""
    n_train, n_test = [len(t) for t in train], [len(t) for t in test]
    cases = n_train[0] + n_test[0]
    folds = int(np.searchsorted(np.cumsum(n_test), cases)) + 1
    groups = [test[i : i + folds] for i in range(0, len(test), folds)]
    partitioned = all(np.unique(np.concatenate(group)).size == cases for group in groups)
    if folds > 1 and len(test) % folds == 0 and partitioned and np.ptp(np.add(n_train, n_test)) == 0:
        return Resampling.from_sizes(n_train, n_test, folds=folds, repeats=len(test) // folds)
    return Resampling.from_sizes(n_train, n_test)


def _candidate_names(params: Sequence[Mapping[str, Any]]) -> list[str]:
    keys = list(dict.fromkeys(key for candidate in params for key in candidate))
    differing = [k for k in keys if len({repr(c.get(k)) for c in params}) > 1] or keys
    names = [", ".join(f"{k}={c[k]}" for k in differing if k in c) or "default" for c in params]
    return names if len(set(names)) == len(names) else [f"{i + 1}: {n}" for i, n in enumerate(names)]
