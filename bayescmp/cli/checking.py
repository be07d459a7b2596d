"""`bayescmp check`: what was understood of a file, what is missing, and which tests fit."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bayescmp.cli.options import format_option, output_option, quiet_option, reading_options, take_scores
from bayescmp.cli.output import as_json, check_free, emit, visible_lines

if TYPE_CHECKING:
    from bayescmp.scores import Scores


@click.command(short_help="What was understood of a file, and which tests fit it.")
@reading_options
@format_option("text", "json")
@output_option
@quiet_option
def check(form: str, output: Path | None, overwrite: bool, **options: Any) -> None:
    """Say what was understood of FILE, what is missing, and which tests fit."""
    check_free(output, overwrite)
    scores = take_scores(options)
    tables = list(scores.split_metrics().values())
    advice = _advice(tables[0])
    if form == "json":
        fields = {"tables": [_facts(table) for table in tables], "recommendation": advice and advice.to_dict()}
        emit(as_json("check", fields), output, overwrite)
        return
    parts = [repr(scores), *_wanting(tables[0])]
    if advice is not None:
        parts.append(f"\n{advice!r}")
    emit(visible_lines("\n".join(parts)), output, overwrite)


def _advice(scores: "Scores") -> Any:
    """The tests that fit; none for a single model."""
    from bayescmp.frequentist import recommend

    return recommend(scores) if len(scores.models) > 1 else None


def _wanting(scores: "Scores") -> list[str]:
    """What the file does not say and tests will ask for."""
    lines = []
    if len(scores.models) < 2:
        lines.append("  missing   a second model: there is nothing to compare")
    unknown = [n for n, r, k in zip(scores.datasets, scores.resampling, scores.keys, strict=True) if not r and k[1:]]
    if unknown:
        lines.append(
            "  missing   the resampling design: say --resampling kfold:10x10, subsampling:50,6,100 or independent"
        )
    if scores.metric is None:
        lines.append("  missing   the metric's name: taken as a score, higher is better; say --metric accuracy or rmse")
    return lines


def _facts(scores: "Scores") -> dict[str, Any]:
    sizes = [len(keys) for keys in scores.keys]
    lacking = [
        {"model": model, "dataset": dataset, "scores": int(count), "of": size}
        for model, row in zip(scores.models, scores.counts, strict=True)
        for dataset, count, size in zip(scores.datasets, row, sizes, strict=True)
        if count < size
    ]
    return {
        "models": scores.models,
        "metric": scores.metric,
        "higher_is_better": scores.higher_is_better,
        "datasets": [
            {"name": name, "scores": size, "resampling": r.name if r else None, "rho": r.rho if r else None}
            for name, size, r in zip(scores.datasets, sizes, scores.resampling, strict=True)
        ],
        "missing": lacking,
        "notes": scores.notes,
    }
