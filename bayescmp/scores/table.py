"""`Scores`: the results of models on datasets, one number per resample, and how they look."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from itertools import combinations, compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescmp.checks import check_pair, is_list, is_one_of
from bayescmp.errors import MissingWarning, ScoresError, few_words, name_list, shown, unknown_name, warn
from bayescmp.lazy import LazyMethod
from bayescmp.scores import overview
from bayescmp.scores.items import Items
from bayescmp.scores.metrics import with_direction
from bayescmp.scores.pair import SCALES, Pair, check_one_kind
from bayescmp.scores.resampling import Resampling
from bayescmp.text import one_line, visible_lines
from bayescmp.values import Value

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.scores import arrays, frames, helm, inspect_ai, lm_eval, sklearn

Key = tuple[int, int]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Scores(Value):
    """Results of models on datasets; immutable.

    Make one with `read_scores(path)`, `Scores.from_frame`, `from_arrays`, `from_cross_validate` or `from_cv_results`;
    from the logs of language models with `from_lm_eval`, `from_inspect` or `from_helm`.

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
    items : mapping of dataset to Items
        The names of the items, their clusters and samples, for datasets whose resamples are items. A score is then the
        mean over the samples of an item.
    notes : tuple of str
        What was understood, assumed or noticed when the table was made.

    See Also
    --------
    read_scores : scores from a file.
    compare : what they are for.

    Examples
    --------
    >>> import bayescmp as bc
    >>> arrays = {"rf": [0.9, 0.8, 0.7], "svm": [0.8, 0.8, 0.9]}
    >>> bc.Scores.from_arrays(arrays, metric="accuracy", datasets=3)
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
    items: Mapping[str, Items] = field(default_factory=dict)
    notes: tuple[str, ...] = field(default=(), compare=False)
    other_metrics: tuple["Scores", ...] = ()

    def __post_init__(self) -> None:
        values = self.values
        if values.ndim != 3 or values.shape[:2] != (len(self.models), len(self.datasets)) or not values.size:
            raise ScoresError(
                f"`values` must be {len(self.models)} models x {len(self.datasets)} datasets x resamples, at least one "
                f"of each, got shape {values.shape}."
            )
        _check_names("model", self.models)
        _check_names("dataset", self.datasets)
        self._check_keys()
        check_one_kind(self.resampling)
        self._check_items()
        if not is_one_of(self.scale, SCALES):
            raise ScoresError(f"`scale` must be one of {name_list(SCALES)}, got {self.scale!r}.")
        values.flags.writeable = False

    def _check_keys(self) -> None:
        """Raise if the resamples are not those of the values and of the designs."""
        for name in ("keys", "resampling"):
            if len(getattr(self, name)) != len(self.datasets):
                raise ScoresError(
                    f"`{name}` must have one entry for each of {len(self.datasets)} datasets, got "
                    f"{len(getattr(self, name))}."
                )
        width = self.values.shape[2]
        for dataset, keys, design in zip(self.datasets, self.keys, self.resampling, strict=True):
            if not 0 < len(set(keys)) == len(keys) <= width:
                raise ScoresError(
                    f'`keys` must name every resample of "{dataset}" once, at most {width} of them; got {len(keys)}, '
                    f"{len(set(keys))} different."
                )
            if design is not None:
                design.check(len(keys), f'"{dataset}"')
        beyond = np.arange(width) >= np.array([len(keys) for keys in self.keys])[:, None]
        if np.isinf(self.values).any() or np.isfinite(self.values[:, beyond]).any():
            raise ScoresError("`values` must be finite, or NaN where there is no score and beyond a dataset's keys.")

    def _check_items(self) -> None:
        """Raise if the items are not those of the values and of the designs."""
        for dataset, items in self.items.items():
            d = self.datasets.index(dataset) if dataset in self.datasets else -1
            design = self.resampling[d]
            if d < 0 or len(items) != len(self.keys[d]) or design is None or design.scheme != "items":
                raise ScoresError(
                    f'`items` must be those of a dataset whose design is Resampling.items(), but "{dataset}" is '
                    + ("not in the table." if d < 0 else f"{design!r} with {len(self.keys[d])} scores.")
                )
            means = items.means
            if means is not None and not np.array_equal(means, self.values[:, d, : len(items)], equal_nan=True):
                raise ScoresError(f'The scores of "{dataset}" must be the means of the samples of its items.')

    # ---- ways in

    if TYPE_CHECKING:
        from_frame = classmethod(frames.from_frame)
        from_arrays = classmethod(arrays.from_arrays)
        from_cross_validate = classmethod(sklearn.from_cross_validate)
        from_cv_results = classmethod(sklearn.from_cv_results)
        from_lm_eval = classmethod(lm_eval.from_lm_eval)
        from_inspect = classmethod(inspect_ai.from_inspect)
        from_helm = classmethod(helm.from_helm)
    else:
        from_frame = LazyMethod("bayescmp.scores.frames")
        from_arrays = LazyMethod("bayescmp.scores.arrays")
        from_cross_validate = LazyMethod("bayescmp.scores.sklearn")
        from_cv_results = LazyMethod("bayescmp.scores.sklearn")
        from_lm_eval = LazyMethod("bayescmp.scores.lm_eval")
        from_inspect = LazyMethod("bayescmp.scores.inspect_ai")
        from_helm = LazyMethod("bayescmp.scores.helm")

    # ---- what is there

    @property
    def counts(self) -> NDArray[np.int_]:
        """Number of scores of each model on each dataset: 0 where it was not run."""
        return np.isfinite(self.values).sum(axis=2)

    @cached_property
    def paired(self) -> bool:
        """Whether the resamples of one model belong to those of another: not for `Resampling.runs()`."""
        return all(r is None or r.paired for r in self.resampling)

    @cached_property
    def sizes(self) -> NDArray[np.int_]:
        """The number of scores that each model should have on each dataset: of runs any number, but one at least."""
        if not self.paired:
            return np.maximum(self.counts, 1)
        return np.broadcast_to([len(keys) for keys in self.keys], self.values.shape[:2])

    @cached_property
    def _has_items(self) -> NDArray[np.bool_]:
        return np.array([name in self.items for name in self.datasets])

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
        """Raise if there are several metrics: a test takes one."""
        if self.other_metrics:
            raise ScoresError(
                f"These scores have {len(self.metrics)} metrics: {name_list(map(str, self.metrics))}. Pick one with "
                f'scores.select(metric="{self.metric}"), or get one table each with scores.split_metrics().'
            )

    # ---- pairs

    def pair(self, a: str, b: str) -> Pair:
        """Models `a` and `b` on the datasets where both were run, with the same resamples.

        Of runs that cannot be paired (`Resampling.runs()`) the pair has all that each model has, in no order.
        """
        self.check_one_metric()
        check_pair(str(a), str(b), self.models)
        i, j = self.model_index(a), self.model_index(b)
        here = np.isfinite(self.values[[i, j]])
        shared = here[0] & here[1]
        ran = np.asarray(here.any(axis=2))
        both = np.asarray(shared.any(axis=1) if self.items else ran.all(axis=0))
        if not both.any():
            what = "item" if self.items and (ran[0] & ran[1]).any() else "dataset"
            raise ScoresError(
                f'There is no {what} on which both "{a}" and "{b}" were run. Score them on the same {what}s.'
            )
        sizes = self.sizes[[i, j]]
        incomplete = np.flatnonzero(ran.all(axis=0) & ~self._has_items & (here.sum(axis=2) < sizes).any(axis=0))
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
        scores = self.values[[i, j]][:, both]
        if not self.paired:
            scores = np.take_along_axis(scores, np.argsort(np.isnan(scores), axis=2, kind="stable"), axis=2)
        scores = scores[..., : int(sizes[:, both].max())]
        kept = both.tolist()
        datasets = tuple(compress(self.datasets, kept))
        items = {name: self.items[name].of_models([i, j]) for name in datasets if name in self.items}
        if items:
            scores = self._shared_items(a, b, scores, here[:, both, : scores.shape[2]], both, items)
        if self.scale == "relative":
            scores = scores / np.nanmean(scores, axis=2, keepdims=True).mean(axis=0)
        return Pair(
            a=a,
            b=b,
            datasets=datasets,
            scores_a=scores[0],
            scores_b=scores[1],
            resampling=tuple(compress(self.resampling, kept)),
            metric=self.metric,
            higher_is_better=self.higher_is_better,
            scale=self.scale,
            items=items,
        )

    def _shared_items(
        self,
        a: str,
        b: str,
        scores: NDArray[np.float64],
        here: NDArray[np.bool_],
        both: NDArray[np.bool_],
        items: dict[str, Items],
    ) -> NDArray[np.float64]:
        """The scores of the items that both answered, moved to the front; `items` is cut to them, with a warning."""
        names = [name for name, kept in zip(self.datasets, both, strict=True) if kept]
        left_out = []
        for d, name in enumerate(names):
            if name not in items:
                continue
            n = len(items[name])
            answered = here[:, d, :n]
            keep = answered[0] & answered[1]
            if keep.all():
                continue
            scores[:, d, : keep.sum()] = scores[:, d, :n][:, keep]
            scores[:, d, keep.sum() :] = np.nan
            items[name] = items[name].where(keep)
            only = (answered & ~answered[::-1]).sum(axis=1)
            if only.any():
                all_of_them = only.sum() + keep.sum()
                left_out.append(f'"{name}" {only.sum():,} of {all_of_them:,} ({only[0]:,} of {a}, {only[1]:,} of {b})')
        if left_out:
            more = f"; and {len(left_out) - 5} more datasets" if len(left_out) > 5 else ""
            warn(
                f"{a} vs {b}: items that only one of them answered are left out: {'; '.join(left_out[:5])}{more}.",
                MissingWarning,
            )
        return scores[:, :, : int(np.isfinite(scores[0]).sum(axis=1).max())]

    def pairs(self) -> Iterator[Pair]:
        """All pairs of models, in the order of `models`."""
        return (self.pair(a, b) for a, b in combinations(self.models, 2))

    def _different_folds(self, a: str, b: str, d: int, here: NDArray[np.bool_]) -> ScoresError:
        n_a, n_b = here[:, d].sum(axis=1)
        gaps = []
        for name, scored in ((a, here[0, d]), (b, here[1, d])):
            missing = [key for key, ok in zip(self.keys[d], scored, strict=False) if not ok]
            if missing:
                gaps.append(f"Missing for `{name}`: {_describe_keys(missing)}.")
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
            items={name: table.items[name].of_models(rows) for name in datasets if name in table.items},
        )

    def drop(self, *names: str) -> "Scores":
        """The table without the models or datasets `names`."""
        for name in names:
            if not isinstance(name, str):
                raise ScoresError(
                    f"`names` must be names of models or datasets, one by one, got a {type(name).__name__}. A list is "
                    "given with a star: scores.drop(*names)."
                )
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
            if not isinstance(names[name], str):
                raise ScoresError(f'`names` must map names to names, but "{name}" to {names[name]!r}.')
        models = tuple(names.get(m, m) for m in self.models)
        datasets = tuple(names.get(d, d) for d in self.datasets)
        for kind, renamed in (("model", models), ("dataset", datasets)):
            if len(set(renamed)) < len(renamed):
                raise ScoresError(f"Renaming must leave every {kind} its own name, got {renamed}.")
        items = {names.get(d, d): found for d, found in self.items.items()}
        return replace(self, models=models, datasets=datasets, items=items)

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
        if any(found.samples is not None for found in self.items.values()):
            raise ScoresError(
                "Several answers to an item are averaged, and the mean of the transformed is not the transform of the "
                "mean. Transform the answers before you make the table."
            )
        values = self.values
        if scale == "log":
            values = np.log(values)
        elif scale == "logit":
            values = np.log(values) - np.log1p(-values)
        return replace(self, values=np.array(values), scale=scale)

    # ---- for people

    def summary(self) -> "pd.DataFrame":
        """One row per dataset: its design, and every model's mean score (missing where it was not run)."""
        from bayescmp.needs import pandas as pd

        means = pd.DataFrame(
            np.nansum(self.values, axis=2).T / np.where(self.counts, self.counts, np.nan).T,
            columns=list(self.models),
        )
        means.insert(0, "n", self.sizes.max(axis=0), allow_duplicates=True)
        means.insert(1, "resampling", [r.name if r else "unknown" for r in self.resampling], allow_duplicates=True)
        means.insert(2, "rho", [r.rho if r else np.nan for r in self.resampling], allow_duplicates=True)
        means.index = pd.Index(self.datasets, name="dataset")
        return means

    def overview(self) -> dict[str, str]:
        """What is in the table, in words: metric, design, holes, copies, units and ties."""
        self.check_one_metric()
        return overview.overview(self)

    def to_frame(self) -> "pd.DataFrame":
        """The long table: one row per score."""
        from bayescmp.needs import pandas as pd

        parts = [self._rows(d, name) for d, name in enumerate(self.datasets)]
        frame = pd.concat([pd.DataFrame(part) for part in parts], ignore_index=True)
        if not self.paired:  # so that reading it asks again how the runs belong together
            frame = frame.drop(columns="fold").rename(columns={"repeat": "run"})
        if self.metric is not None:
            frame["metric"] = self.metric
        for size in ("n_train", "n_test"):
            known = np.array([getattr(r, size, None) or np.nan for r in self.resampling])
            if not np.isnan(known).any():
                frame[size] = np.repeat(known, [len(part["score"]) for part in parts])
        by_model = pd.Categorical(frame["model"], categories=list(self.models)).codes
        return frame.iloc[np.argsort(by_model, kind="stable")].reset_index(drop=True)

    def _rows(self, d: int, dataset: str) -> dict[str, Any]:
        """The columns of the long table of one dataset: model by model, one row per score, or per sample of an item."""
        n, items = len(self.keys[d]), self.items.get(dataset)
        values = self.values[:, d, :n, None, None]
        if items is not None and items.answers is not None:
            values = items.answers
        m, i, run, sample = np.nonzero(np.isfinite(values))
        columns = {
            "model": np.array(self.models, dtype=object)[m],
            "dataset": np.full(m.size, dataset, dtype=object),
        }
        if items is None:
            keys = np.array(self.keys[d])[i]
            columns |= {"repeat": keys[:, 0], "fold": keys[:, 1]}
        else:
            columns["item"] = np.array(items.names, dtype=object)[i]
            if any(found.runs > 1 for found in self.items.values()):
                columns["run"] = run + 1
            if any(found.answers is not None and found.answers.shape[3] > 1 for found in self.items.values()):
                columns["sample"] = sample + 1
            if items.clusters is not None:
                columns["cluster"] = np.array(items.cluster_names, dtype=object)[items.clusters[i]]
            elif any(found.clusters is not None for found in self.items.values()):
                columns["cluster"] = columns["item"]  # each a cluster of its own
        return columns | {"score": values[m, i, run, sample]}

    def __repr__(self) -> str:
        lines = [
            self._headline(),
            f"  models    {_some(self.models)}",
            f"  datasets  {_some(self.datasets)}",
        ]
        lines += [f"  missing   {text}" for text in self._missing()]
        if self.other_metrics:
            others = ", ".join(str(m) for m in self.metrics)
            lines.append(f'  metrics   {others}: pick one with select(metric="...") or split_metrics()')
        lines += [f"  note      {note}" for note in self.notes]
        return visible_lines(lines)

    def _repr_html_(self) -> str:
        """The table that a notebook shows: text and model names escaped."""
        notes = "".join(f"<br><small>{escape(t)}</small>" for t in (*self._missing(), *self.notes))
        means = self.summary()
        designs = {(r.name, f"{r.rho:.3g}") if r else None for r in self.resampling}
        if len(designs) == len(set(map(len, self.keys))) == 1:  # the headline says it for all
            means = means.iloc[:, 3:]
        means.index.name = None
        table = means.to_html(escape=True, max_rows=20, float_format="{:.3g}".format, na_rep="not run")
        return f"<p><b>{escape(self._headline())}</b>{notes}</p>{table}"

    def _headline(self) -> str:
        """The shape, the metric with its direction, and the design in one line."""
        return (
            f"Scores: {len(self.models)} model{_s(self.models)} x {len(self.datasets)} dataset{_s(self.datasets)}, "
            f"{with_direction(self.metric, self.higher_is_better, self.scale)}, {self._designs()}"
        )

    def _designs(self) -> str:
        sizes = sorted(set(self.sizes[self.counts > 0].tolist()))
        if sizes == [1]:
            return "one score each"
        if len(self.items) == len(self.datasets):
            texts = sorted({found.text for found in self.items.values()}, reverse=True)
            text = f"{sizes[0]:,} items" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,} items"
            return ", ".join(filter(None, [text, texts[0]])) + (" ..." if len(texts) > 1 else "")
        names = dict.fromkeys(r.name if r else "unknown resampling" for r in self.resampling)
        text = " or ".join(list(names)[:2]) + (" ..." if len(names) > 2 else "")
        return text + f" ({sizes[0]} scores each)" if len(sizes) == 1 else f"{text} ({sizes[0]} to {sizes[-1]} scores)"

    def _missing(self) -> list[str]:
        """What a model lacks, for the three models that lack most."""
        counts, sizes = self.counts, self.sizes
        lacking = counts < sizes
        lines = []
        for m in np.argsort(-lacking.sum(axis=1), kind="stable")[:3]:
            if lacking[m].any():
                names = [
                    self.datasets[d] + (f" ({counts[m, d]} of {sizes[m, d]})" if counts[m, d] else "")
                    for d in np.flatnonzero(lacking[m])
                ]
                lines.append(f"{self.models[m]}: {_some(names)}")
        more = int(lacking.any(axis=1).sum()) - 3
        return lines + ([f"and {more} more models"] if more > 0 else [])


def _check_names(kind: str, names: Sequence[str]) -> None:
    """Raise if a reader cannot tell two names apart, such as "rf" and "rf " from two spellings in a table."""
    seen: dict[str, str] = {}
    for name in names:
        looks = one_line(name if name.isascii() else unicodedata.normalize("NFC", name))
        if seen.get(looks) == name:
            raise ScoresError(f'Every {kind} must have its own name, but "{few_words(name)}" is there twice.')
        if looks in seen:
            raise ScoresError(
                f"Every {kind} must have a name that can be told from the others, but {shown(seen[looks])} and "
                f"{shown(name)} differ only in spaces or invisible characters. Give both the same name, or rename one."
            )
        seen[looks] = name


def _describe_keys(keys: Sequence[Key]) -> str:
    """ "repeat 10, folds 1-10" and the like."""
    by_repeat: dict[int, list[int]] = {}
    for repeat, fold in keys:
        by_repeat.setdefault(repeat, []).append(fold)
    parts = []
    for repeat, folds in list(by_repeat.items())[:3]:
        whole = len(folds) > 1 and folds == list(range(folds[0], folds[-1] + 1))
        text = f"{folds[0]}-{folds[-1]}" if whole else ", ".join(map(str, folds[:6]))
        parts.append(f"repeat {repeat}, fold{'s' if len(folds) > 1 else ''} {text}")
    more = len(by_repeat) - len(parts)
    return "; ".join(parts) + (f"; and {more} more repeats" if more > 0 else "")


def _some(names: Sequence[str], most: int = 8) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f", ... ({more} more)" if more > 0 else "")


def _s(items: Sequence[str]) -> str:
    return "" if len(items) == 1 else "s"
