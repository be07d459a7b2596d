"""`bayescmp plan`: what more data would decide, or what a planned study will."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import bayescmp
from bayescmp.cli.app import Run, as_json, check_free, emit, examples
from bayescmp.cli.comparison import comparing_options, run_comparison
from bayescmp.cli.options import (
    Setting,
    complete_file,
    complete_model,
    format_option,
    how_to_read,
    output_option,
    take_scores,
)
from bayescmp.cli.power import Numbers

if TYPE_CHECKING:
    from bayescmp.planning import Design, Plan


@click.command(
    short_help="What more data would decide, or what a planned study will.",
    epilog=examples(
        "bayescmp plan results.csv --rope 0.01 --pair rf svm --more 10,50 --simulations 50",
        "bayescmp plan --rope 0.01 --bayes correlated-ttest --truth mean=0.02 --truth sd=0.02 --resampling kfold:10",
    ),
)
@click.argument("file", required=False, shell_complete=complete_file)
@how_to_read
@comparing_options
@click.option(
    "--pair",
    nargs=2,
    metavar="A B",
    shell_complete=complete_model,
    help="Only these two models; otherwise all undecided pairs.",
)
@click.option("--more", type=Numbers(), help="How many more datasets, folds, items or runs; several with commas.")
@click.option("--truth", type=Setting(), multiple=True, help="Without FILE: what is true, such as mean=0.02.")
@click.option("--n", type=Numbers(), help="Without FILE: the sizes of the study, several with commas.")
@click.option("--simulations", type=int, help="Simulated studies of each size.")
@format_option("text", "json", "csv")
@output_option
def plan(
    file: str | None,
    pair: tuple[str, str] | None,
    more: list[Any] | None,
    truth: tuple[tuple[str, Any], ...],
    n: list[Any] | None,
    simulations: int | None,
    form: str,
    output: Path | None,
    overwrite: bool,
    **options: Any,
) -> None:
    """How probable is it that more data than those of FILE decide its undecided pairs, and in whose favour?

    Without FILE: the decisions of a planned study, with --bayes NAME, --truth KEY=VALUE and --n.
    """
    check_free(output, overwrite)
    answer: dict[str, Any]
    if file is None:
        found: Any = _design(truth, n, simulations, options)
        rows = found.to_frame().to_dict("records")
        about = {"test": found.test, "unit": found.unit, "simulations": found.simulations, "sizes": rows}
        text, answer = repr(found), {"design": about | {"ceiling": found.ceiling, "notes": found.notes}}
    else:
        if truth or n is not None:
            raise click.UsageError("--truth and --n are for a plan without FILE; with FILE use --more.")
        options["file"] = file
        c = run_comparison(take_scores(options), options)
        chosen: dict[str, Any] = {"pairs": [pair] if pair else None, "more": more, "simulations": simulations}
        plans = c.plan(**chosen, n_jobs=options["n_jobs"], progress=False if Run.of().quiet else None)
        rows = [{"a": p.a, "b": p.b, "unit": p.unit} | row for p in plans for row in p.to_frame().to_dict("records")]
        text = "\n\n".join(map(repr, plans)) or "Every pair is decided: there is nothing to plan."
        answer = {"plans": [_about(p) for p in plans]}
    if form == "json":
        emit(as_json("plan", answer | Run.of().state), output, overwrite)
    elif form == "csv":
        emit(bayescmp.reports.csv_text(rows), output, overwrite)
    else:
        emit(text, output, overwrite)


def _about(p: "Plan") -> dict[str, Any]:
    names = ("a", "b", "test", "unit", "at_hand", "decision_now", "loss_now", "simulations", "notes")
    more = p.to_frame().to_dict("records")
    return {name: getattr(p, name) for name in names} | {"more": more, "seed": p.random_seed, "sentence": p.sentence()}


def _design(
    truth: tuple[tuple[str, Any], ...], n: list[Any] | None, simulations: int | None, options: dict[str, Any]
) -> "Design":
    if options["bayes"] is None or not truth:
        raise click.UsageError("Give a FILE, or --bayes NAME, --truth KEY=VALUE and --n for a study that is planned.")
    sizes = n[0] if n is not None and len(n) == 1 else n
    return bayescmp.planning.design(
        options["bayes"].name,
        truth=dict(truth),
        rope=options["rope"],
        threshold=options["threshold"],
        n=sizes,
        resampling=options["resampling"],
        simulations=simulations,
        random_seed=options["seed"],
        **dict(options["settings"]),
    )
