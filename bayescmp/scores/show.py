"""How a `Scores` looks: text, HTML, summary, long frame, and plain data for JSON."""

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import MALFORMED, ScoresError
from bayescmp.scores.resampling import Resampling

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.scores.table import Scores


def summary(scores: "Scores") -> "pd.DataFrame":
    """One row a dataset: its design, and every model's mean score."""
    import pandas as pd

    means = pd.DataFrame(
        np.nansum(scores.values, axis=2).T / np.where(scores.counts, scores.counts, np.nan).T,
        columns=list(scores.models),
    )
    means.insert(0, "n", [len(keys) for keys in scores.keys], allow_duplicates=True)
    means.insert(1, "resampling", [r.name if r else "unknown" for r in scores.resampling], allow_duplicates=True)
    means.insert(2, "rho", [r.rho if r else np.nan for r in scores.resampling], allow_duplicates=True)
    means.index = pd.Index(scores.datasets, name="dataset")
    return means


def to_frame(scores: "Scores") -> "pd.DataFrame":
    """The long table: one row a score."""
    import pandas as pd

    m, d, i = np.nonzero(np.isfinite(scores.values))
    keys = [scores.keys[x][y] for x, y in zip(d, i, strict=True)]
    frame = pd.DataFrame(
        {
            "model": np.array(scores.models, dtype=object)[m],
            "dataset": np.array(scores.datasets, dtype=object)[d],
            "repeat": [repeat for repeat, _ in keys],
            "fold": [fold for _, fold in keys],
            "score": scores.values[m, d, i],
        }
    )
    if scores.metric is not None:
        frame["metric"] = scores.metric
    for size in ("n_train", "n_test"):
        known = np.array([getattr(r, size, None) or np.nan for r in scores.resampling])
        if not np.isnan(known).any():
            frame[size] = known[d]
    return frame


def as_text(scores: "Scores") -> str:
    """The repr."""
    lines = [
        headline(scores),
        f"  models    {_some(scores.models)}",
        f"  datasets  {_some(scores.datasets)}",
    ]
    lines += [f"  missing   {text}" for text in _missing(scores)]
    if scores.other_metrics:
        others = ", ".join(str(m) for m in scores.metrics)
        lines.append(f'  metrics   {others}: pick one with select(metric="...") or split_metrics()')
    lines += [f"  note      {note}" for note in scores.notes]
    return "\n".join(lines)


def as_html(scores: "Scores") -> str:
    """The table that a notebook shows: text and model names escaped."""
    notes = "".join(f"<br><small>{escape(t)}</small>" for t in (*_missing(scores), *scores.notes))
    means = summary(scores)
    designs = {(r.name, f"{r.rho:.3g}") if r else None for r in scores.resampling}
    if len(designs) == len(set(map(len, scores.keys))) == 1:  # the headline says it for all
        means = means.iloc[:, 3:]
    means.index.name = None
    table = means.to_html(escape=True, max_rows=20, float_format="{:.3g}".format, na_rep="not run")
    return f"<p><b>{escape(headline(scores))}</b>{notes}</p>{table}"


def headline(scores: "Scores") -> str:
    """The shape, the metric with its direction, and the design in one line."""
    best = "higher" if scores.higher_is_better else "lower"
    scale = "" if scores.scale == "score" else f", {scores.scale} scale"
    return (
        f"Scores: {len(scores.models)} model{_s(scores.models)} x {len(scores.datasets)} dataset{_s(scores.datasets)}, "
        f"{scores.metric or 'score'} ({best} is better){scale}, {_designs(scores)}"
    )


def _designs(scores: "Scores") -> str:
    sizes = sorted({len(keys) for keys in scores.keys})
    if sizes == [1]:
        return "one score each"
    names = dict.fromkeys(r.name if r else "unknown resampling" for r in scores.resampling)
    text = " or ".join(list(names)[:2]) + (" ..." if len(names) > 2 else "")
    return text + f" ({sizes[0]} scores each)" if len(sizes) == 1 else f"{text} ({sizes[0]} to {sizes[-1]} scores)"


def _missing(scores: "Scores") -> list[str]:
    """What a model lacks, for the three models that lack most."""
    sizes = np.array([len(keys) for keys in scores.keys])
    counts = scores.counts
    lacking = counts < sizes
    lines = []
    for m in np.argsort(-lacking.sum(axis=1), kind="stable")[:3]:
        if lacking[m].any():
            names = [
                scores.datasets[d] + (f" ({counts[m, d]} of {sizes[d]})" if counts[m, d] else "")
                for d in np.flatnonzero(lacking[m])
            ]
            lines.append(f"{scores.models[m]}: {_some(names)}")
    more = int(lacking.any(axis=1).sum()) - 3
    return lines + ([f"and {more} more models"] if more > 0 else [])


def _some(names: "tuple[str, ...] | list[str]", most: int = 8) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f", ... ({more} more)" if more > 0 else "")


def _s(items: "tuple[str, ...]") -> str:
    return "" if len(items) == 1 else "s"


def to_dict(scores: "Scores") -> dict[str, Any]:
    """Plain data for JSON; NaN is None."""
    return {
        "models": list(scores.models),
        "datasets": list(scores.datasets),
        "values": np.where(np.isnan(scores.values), np.array(None), scores.values.astype(object)).tolist(),
        "keys": [[list(key) for key in keys] for keys in scores.keys],
        "resampling": [r.to_dict() if r else None for r in scores.resampling],
        "metric": scores.metric,
        "higher_is_better": scores.higher_is_better,
        "scale": scores.scale,
        "notes": list(scores.notes),
        "other_metrics": [to_dict(other) for other in scores.other_metrics],
    }


def from_dict(data: Mapping[str, Any]) -> "Scores":
    """The inverse of `to_dict`."""
    from bayescmp.scores.table import Scores

    try:
        shape = np.shape(data["values"])
        sizes = [len(set(data[name])) for name in ("models", "datasets")]
        if len(shape) != 3 or [*shape[:2]] != sizes or not len(data["keys"]) == len(data["resampling"]) == sizes[1]:
            raise ValueError(f"values of shape {shape} do not fit {sizes[0]} models and {sizes[1]} datasets")
        return Scores(
            models=tuple(data["models"]),
            datasets=tuple(data["datasets"]),
            values=np.array(data["values"], dtype=float),
            keys=tuple(tuple((int(r), int(f)) for r, f in keys) for keys in data["keys"]),
            resampling=tuple(Resampling.from_dict(r) if r else None for r in data["resampling"]),
            metric=data["metric"],
            higher_is_better=data["higher_is_better"],
            scale=data["scale"],
            notes=tuple(data["notes"]),
            other_metrics=tuple(from_dict(other) for other in data["other_metrics"]),
        )
    except (*MALFORMED, ValueError, OverflowError) as error:
        raise ScoresError(f"`data` must come from Scores.to_dict; wrong or missing: {error!r}.") from None
