"""`Scores`: the results of models on datasets, one number a resample."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.checks import is_list, is_one_of
from bayescmp.errors import MissingWarning, ScoresError, name_list, unknown_name, warn
from bayescmp.scores import arrays, assemble, frames, sklearn
from bayescmp.scores.pair import Pair
from bayescmp.scores.resampling import Resampling

if TYPE_CHECKING:
    import pandas as pd

Key = tuple[int, int]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Scores:
    """Results of models on datasets; immutable.

    Make one with `read_scores(path)`, `Scores.from_frame`, `from_arrays`, `from_cross_validate` or `from_cv_results`.

    Attributes
    ----------
    models, datasets : tuple of str
    values : array, models x datasets x resamples
        Read-only. NaN where a model was not run, and beyond a dataset's last resample.
    keys : tuple
        For each dataset the (repeat, fold) of every resample.
    resampling : tuple
        The `Resampling` of each dataset, None where unknown.
    metric : str or None
    higher_is_better : bool
    scale : str
        "score", or the transform that was applied: "log", "logit", "relative".
    notes : tuple of str
        What was understood, assumed or noticed when the table was made.

    See Also
    --------
    read_scores : scores from a file.
    compare : what they are for.

    Examples
    --------
    >>> import bayescmp as bc
    >>> scores = bc.Scores.from_arrays({"rf": [0.9, 0.8, 0.7], "svm": [0.8, 0.8, 0.9]}, metric="accuracy")
    >>> scores
    Scores: 2 models x 3 datasets, accuracy (higher is better), one score each
      models    rf, svm
      datasets  dataset 1, dataset 2, dataset 3
    """

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    values: NDArray[np.float64]
    keys: tuple[tuple[Key, ...], ...]
    resampling: tuple[Resampling | None, ...]
    metric: str | None = None
    higher_is_better: bool = True
    scale: str = "score"
    notes: tuple[str, ...] = ()
    other_metrics: tuple["Scores", ...] = ()

    def __post_init__(self) -> None:
        self.values.flags.writeable = False
        assemble.check_names("model", self.models)
        assemble.check_names("dataset", self.datasets)

    # ---- ways in

    from_frame = staticmethod(frames.from_frame)
    from_arrays = staticmethod(arrays.from_arrays)
    from_cross_validate = staticmethod(sklearn.from_cross_validate)
    from_cv_results = staticmethod(sklearn.from_cv_results)

    # ---- what is there

    @property
    def counts(self) -> NDArray[np.int_]:
        """Number of scores of each model on each dataset: 0 where it was not run."""
        return np.isfinite(self.values).sum(axis=2)

    @property
    def metrics(self) -> tuple[str | None, ...]:
        """The metrics in this table; more than one until `select(metric=...)` or `split_metrics()`."""
        return (self.metric, *(other.metric for other in self.other_metrics))

    def split_metrics(self) -> dict[str | None, "Scores"]:
        """One `Scores` for each metric."""
        return {s.metric: replace(s, other_metrics=()) for s in (self, *self.other_metrics)}

    def model_index(self, model: str) -> int:
        """The position of a model, or an error that names the nearest match."""
        if str(model) not in self.models:
            raise unknown_name("model", model, self.models)
        return self.models.index(str(model))

    def check_one_metric(self) -> None:
        """Refuse a table of several metrics: a test takes one."""
        if self.other_metrics:
            raise ScoresError(
                f"These scores hold {len(self.metrics)} metrics: {name_list(map(str, self.metrics))}. Pick one with "
                f'scores.select(metric="{self.metric}"), or get one table each with scores.split_metrics().'
            )

    # ---- pairs

    def pair(self, a: str, b: str) -> Pair:
        """Models `a` and `b` on the datasets where both were run, with the same resamples."""
        self.check_one_metric()
        i, j = self.model_index(a), self.model_index(b)
        if i == j:
            raise ScoresError(f'A pair must be two models, got "{a}" twice. Known models: {name_list(self.models)}.')
        here = np.isfinite(self.values[[i, j]])
        ran = np.asarray(here.any(axis=2))
        both = ran[0] & ran[1]
        if not both.any():
            raise ScoresError(
                f'There is no dataset on which both "{a}" and "{b}" were run. Score them on the same datasets.'
            )
        sizes = np.array([len(keys) for keys in self.keys])
        incomplete = np.flatnonzero(both & (here.sum(axis=2) < sizes).any(axis=0))
        if incomplete.size:
            raise self._different_folds(a, b, int(incomplete[0]), here)
        if not both.all():
            for name, on in ((a, ran[0]), (b, ran[1])):
                missing = [self.datasets[d] for d in np.flatnonzero(~on)]
                if missing:
                    warn(
                        f'{a} vs {b}: {name_list(missing, 20)} left out, because "{name}" was not run there; '
                        f"{both.sum()} datasets remain.",
                        MissingWarning,
                    )
        width = int(sizes[both].max())
        scores = self.values[[i, j]][:, both, :width]
        if self.scale == "relative":
            scores = scores / np.nanmean(scores, axis=(0, 2), keepdims=True)
        return Pair(
            a=a,
            b=b,
            datasets=tuple(name for name, keep in zip(self.datasets, both, strict=True) if keep),
            scores_a=scores[0],
            scores_b=scores[1],
            resampling=tuple(r for r, keep in zip(self.resampling, both, strict=True) if keep),
            metric=self.metric,
            higher_is_better=self.higher_is_better,
            scale=self.scale,
        )

    def pairs(self) -> Iterator[Pair]:
        """All pairs of models, in the order of `models`."""
        return (self.pair(a, b) for a, b in combinations(self.models, 2))

    def _different_folds(self, a: str, b: str, d: int, here: NDArray[np.bool_]) -> ScoresError:
        n_a, n_b = here[:, d].sum(axis=1)
        gaps = []
        for name, scored in ((a, here[0, d]), (b, here[1, d])):
            missing = [key for key, ok in zip(self.keys[d], scored, strict=False) if not ok]
            if missing:
                gaps.append(f"Missing for `{name}`: {assemble.describe_keys(missing)}.")
        return ScoresError(
            f'`{a}` and `{b}` must be scored on the same folds, but `{a}` has {n_a} scores on "{self.datasets[d]}" '
            f"and `{b}` has {n_b}, of {len(self.keys[d])}. {' '.join(gaps)} Score the missing folds, or drop the "
            f'dataset with scores.drop("{self.datasets[d]}").'
        )

    # ---- other tables

    def select(
        self,
        *,
        models: list[str] | None = None,
        datasets: list[str] | None = None,
        metric: str | None = None,
    ) -> "Scores":
        """The table of some models, some datasets, or one metric."""
        table = self
        if metric is not None:
            tables = self.split_metrics()
            if not isinstance(metric, str) or metric not in tables:
                raise unknown_name("metric", metric, map(str, tables))
            table = tables[metric]
        elif self.other_metrics:
            self.check_one_metric()
        for name, given in (("models", models), ("datasets", datasets)):
            if given is not None and not is_list(given):
                raise ScoresError(f"`{name}` must be a list of names, got {given!r}.")
        models = list(table.models if models is None else models)
        datasets = list(table.datasets if datasets is None else datasets)
        if not models or not datasets:
            raise ScoresError("At least one model and one dataset must be left, got none.")
        for kind, names in (("model", models), ("dataset", datasets)):
            if len(set(map(str, names))) < len(names):
                raise ScoresError(f"Every {kind} can be selected once, got {name_list(names)}.")
        positions = {name: i for i, name in enumerate(table.datasets)}
        for name in datasets:
            if not is_one_of(name, positions):
                raise unknown_name("dataset", name, table.datasets)
        rows, columns = [table.model_index(m) for m in models], [positions[name] for name in datasets]
        width = max(len(table.keys[d]) for d in columns)
        return replace(
            table,
            models=tuple(table.models[i] for i in rows),
            datasets=tuple(datasets),
            values=table.values[rows][:, columns, :width],
            keys=tuple(table.keys[d] for d in columns),
            resampling=tuple(table.resampling[d] for d in columns),
        )

    def drop(self, *names: str) -> "Scores":
        """The table without the models or datasets `names`."""
        for name in names:
            if name not in self.models and name not in self.datasets:
                raise unknown_name("model or dataset", name, self.models + self.datasets)
        models = [m for m in self.models if m not in names]
        datasets = [d for d in self.datasets if d not in names]
        return self.select(models=models, datasets=datasets)

    def rename(self, names: Mapping[str, str]) -> "Scores":
        """The table with models and datasets renamed by `names`, {old: new}."""
        self.check_one_metric()
        if not isinstance(names, Mapping):
            raise ScoresError(f"`names` must map old names to new ones, got {names!r}.")
        for name in names:
            if name not in self.models and name not in self.datasets:
                raise unknown_name("model or dataset", name, self.models + self.datasets)
        models = tuple(names.get(m, m) for m in self.models)
        datasets = tuple(names.get(d, d) for d in self.datasets)
        for kind, renamed in (("model", models), ("dataset", datasets)):
            if len(set(renamed)) < len(renamed):
                raise ScoresError(f"Renaming must leave every {kind} its own name, got {renamed}.")
        return replace(self, models=models, datasets=datasets)

    def transform(self, scale: str) -> "Scores":
        """The same results on another scale of differences.

        "log" compares ratios (of RMSEs, of times), "logit" odds (of accuracies), "relative" differences as shares of
        the pair's mean score on each dataset. Ropes are then on that scale: 0.01 on "log" or "relative" is 1 %.
        """
        self.check_one_metric()
        if not is_one_of(scale, ("log", "logit", "relative")) or self.scale != "score":
            raise ScoresError(
                f'`scale` must be "log", "logit" or "relative" of untransformed scores, got "{scale}" of a table on '
                f'the scale "{self.scale}".'
            )
        low, high = (0, 1) if scale == "logit" else (0, np.inf)
        bad = np.argwhere((self.values <= low) | (self.values >= high))
        if bad.size:
            m, d, _ = bad[0]
            must = "between 0 and 1, ends excluded" if scale == "logit" else "positive"
            raise ScoresError(
                f'For the scale "{scale}" scores must be {must}, but {len(bad)} are not; the first is '
                f'{self.values[tuple(bad[0])]:g} of `{self.models[m]}` on "{self.datasets[d]}". Use another scale, or '
                "leave out that dataset."
            )
        values = self.values
        if scale == "log":
            values = np.log(values)
        elif scale == "logit":
            values = np.log(values) - np.log1p(-values)
        return replace(self, values=np.array(values), scale=scale)

    # ---- for people

    def summary(self) -> "pd.DataFrame":
        """One row a dataset: its design, and every model's mean score (missing where it was not run)."""
        from bayescmp.scores.show import summary

        return summary(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; `Scores.from_dict` reads it back. NaN is None."""
        from bayescmp.scores.show import to_dict

        return to_dict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "Scores":
        """The table whose `to_dict` gave `data`, also after a trip through JSON."""
        from bayescmp.scores.show import from_dict

        return from_dict(data)

    def to_frame(self) -> "pd.DataFrame":
        """The long table: one row a score."""
        from bayescmp.scores.show import to_frame

        return to_frame(self)

    def __repr__(self) -> str:
        from bayescmp.scores.show import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from bayescmp.scores.show import as_html

        return as_html(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        return (
            all(
                getattr(self, name) == getattr(other, name)
                for name in ("models", "datasets", "keys", "resampling", "metric", "scale")
            )
            and self.higher_is_better == other.higher_is_better
            and np.array_equal(self.values, other.values, equal_nan=True)
            and self.other_metrics == other.other_metrics
        )

    __hash__ = None  # type: ignore[assignment]
