"""`bayescmp compare`, `plot` and `demo`: all models of a table, both schools side by side."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import bayescmp
from bayescmp.cli.app import Run, as_json, check_free, emit, examples, has_colors
from bayescmp.cli.options import (
    ROPE,
    Setting,
    TestName,
    complete_model,
    format_option,
    output_option,
    overwrite_option,
    quiet_option,
    reading_options,
    seed_option,
    set_option,
    starting,
    take_scores,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from bayescmp import Comparison, PairResult, Rope, Scores

IN_SHELL = {
    r"every pair: table\(\)": "every pair: --format csv; those of the best models: --top 5",
    r"the ranking of the models: ranking\(\)": "the ranking of the best models: --top 5",
    r"(\.\.\. and \d+ more models?): ranking\(\)": r"\1: --top, or --json for all",
}
"""Lines of a printed comparison that name Python's functions, and what they are here."""
ADJUSTMENTS = "none bonferroni holm hochberg hommel finner bh by shaffer bergmann-hommel".split()
DEMO_MODELS = ["rf", "gbm", "svm", "tree"]


def comparing_options(function: Any) -> Any:
    """What `compare()` takes, for the commands that call it."""
    options = (
        click.option("--rope", type=ROPE, required=True, help="What makes no practical difference; 0 for none."),
        click.option(
            "--control",
            shell_complete=complete_model,
            help="Compare this model with each other one, instead of all pairs.",
        ),
        click.option("--against", type=click.Choice(["best"]), help="Compare the best with each other model."),
        click.option(
            "--model",
            "models",
            multiple=True,
            shell_complete=complete_model,
            help="Only this model; may be repeated.",
        ),
        click.option("--bayes", type=TestName("bayes"), help="The Bayesian test, such as signed-rank-test."),
        click.option("--frequentist", type=TestName("frequentist"), help="The classical test, such as wilcoxon-test."),
        click.option(
            "--adjust",
            type=click.Choice(ADJUSTMENTS),
            default="holm",
            show_default=True,
            help="How p-values are adjusted for many pairs.",
        ),
        click.option("--threshold", default=0.95, show_default=True, help="The probability that decides."),
        click.option("--alpha", default=0.05, show_default=True, help="The level of the p-values."),
        click.option("--mixed-units", is_flag=True, help="Average also where datasets seem to have different units."),
        click.option("--looks", type=int, default=1, help="How often the data were looked at while they came in."),
        seed_option,
        set_option,
        click.option("--n-jobs", type=int, help="Worker processes; -1 for all cores."),
        click.option("--cache", type=click.Path(path_type=Path), help="A folder that keeps finished pairs."),
        quiet_option,
    )
    for option in reversed(options):
        function = option(function)
    return function


def run_comparison(scores: "Scores", options: dict[str, Any]) -> "Comparison":
    """`compare()` with the options of the command line."""
    models, settings = options.pop("models"), dict(options.pop("settings"))
    if models:
        scores = scores.select(models=list(models))
    if settings.get("engine") == "nuts":
        settings.setdefault("progressbar", False)
    for school in ("bayes", "frequentist"):
        options[school] = options[school] and options[school].name
    quiet, seed = Run.of().quiet, options.pop("seed")
    return bayescmp.compare(
        scores, random_seed=seed, bayes_options=settings, progress=False if quiet else None, **options
    )


@click.command(
    short_help="All models of a file, both schools side by side.",
    epilog=examples(
        "bayescmp compare results.csv --rope 0.01",
        "bayescmp compare results.csv --rope 0.01 --control rf --report report.html",
        "bayescmp compare results.csv --rope 0.01 --top 3 --quiet",
        "bayescmp compare results.csv --rope 0.01 --json -o answer.json",
    ),
)
@reading_options
@comparing_options
@click.option("--top", type=int, help="Print only the pairs and ranks of so many best models; all are compared.")
@click.option("--report", type=click.Path(path_type=Path, dir_okay=False), help="Write a report: .html, .md or .tex.")
@click.option("--plan", is_flag=True, help="In the report: what more data would decide.")
@click.option(
    "--rule", type=click.Path(path_type=Path, dir_okay=False), help="In the report: quote this rule, and what departs."
)
@format_option("table", "json", "csv", "latex", "markdown")
@output_option
def compare(
    form: str,
    output: Path | None,
    overwrite: bool,
    top: int | None,
    report: Path | None,
    plan: bool,
    rule: Path | None,
    **options: Any,
) -> None:
    """Compare all models of FILE: posterior probabilities beside p-values.

    FILE is csv, tsv, parquet, json or jsonl, long or wide, or the folder of the logs of lm_eval, Inspect or HELM; - is
    standard input, bundled:labour and the like are the results that come with the program.
    """
    check_free(output, overwrite)
    if top is not None and top < 1:
        raise click.UsageError(f"--top must be at least 1, got {top}.")
    if top is not None and form in ("latex", "markdown"):
        raise click.UsageError(f"--top is for --format table, json and csv, got --format {form}.")
    if plan and report is None:
        raise click.UsageError("--plan is for --report; without a report use bayescmp plan.")
    if rule is not None and report is None:
        raise click.UsageError("--rule is for --report; without a report use bayescmp gate.")
    if report is not None:
        try:
            bayescmp.reports.check_path(report, overwrite=overwrite, report=True)
        except ValueError as error:
            raise ValueError(str(error).replace("`path`", "`report`")) from None
        if output is not None and output.resolve() == report.resolve():
            raise click.UsageError("-o and --report must be two files, got the same one.")
    c = run_comparison(take_scores(options), options)
    emit(_as(form, c, top, color=has_colors(output)), output, overwrite)
    if report is not None:
        c.report(report, overwrite=overwrite, plan=plan, rule=rule)


def _as(form: str, c: "Comparison", top: int | None, *, color: bool) -> str:
    if form == "json":
        return comparison_json(c, top)
    if form == "csv":
        return bayescmp.reports.csv_text([pair.row() for pair in _pairs(c, top)])
    if form == "table":
        text = c.to_text(top=top, color=color)
        for python, here in IN_SHELL.items():
            text = re.sub(f"^{python}$", here, text, flags=re.M)
        return text
    return c.to_latex() if form == "latex" else c.to_markdown()


def _pairs(c: "Comparison", top: int | None) -> "tuple[PairResult, ...]":
    return c.pairs if top is None else c.pairs_of_top(top)


def comparison_json(c: "Comparison", top: int | None = None) -> str:
    """The whole comparison, or the best models of it; docs/cli.md describes each field."""
    scores = c.scores
    try:
        ranking, groups = c.ranking().to_dict("records")[:top], c.groups().to_dict()
        about_ranking = list(c.ranking_posterior().notes)
    except ValueError as error:
        ranking, groups, about_ranking = None, None, [f"no ranking: {error}"]
    rope = c.rope if isinstance(c.rope, bayescmp.Rope) else None
    return as_json(
        "comparison",
        {
            "data": {
                "models": scores.models,
                "datasets": scores.datasets,
                "metric": scores.metric,
                "higher_is_better": scores.higher_is_better,
                "scale": scores.scale,
            },
            "settings": {
                "setting": c.setting.name,
                "bayes": c.setting.bayes,
                "frequentist": c.setting.frequentist,
                "rope": rope and [rope.low, rope.high],
                "control": c.control,
                "threshold": c.threshold,
                "alpha": c.alpha,
                "adjust": c.tests.adjustment,
                "seed": c.random_seed,
                "why": c.setting.why,
            },
            "answer": c.headline() if len(c.models) == 2 or groups else None,
            "groups": groups,
            "pairs": [pair.row() | {"notes": pair.posterior.notes} for pair in _pairs(c, top)],
            "ranking": ranking,
            "omnibus": [t.row() for t in c.omnibus],
            "notes": [*c.cautions(), *c.notes, *about_ranking],
            **Run.of().state,
        },
    )


def _kinds(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    return starting(incomplete, bayescmp.plots.KINDS)


@click.command(
    short_help="A figure of a comparison.",
    epilog=examples(
        "bayescmp plot matrix results.csv --rope 0.01 -o all_pairs.pdf",
        "bayescmp plot posterior results.csv --rope 0.01 --pair rf svm -o pair.svg",
        "bayescmp plot forest results.csv --rope 0.01 --control rf --draw top=10 -o forest.png",
    ),
)
@click.argument("kind", shell_complete=_kinds)
@reading_options
@comparing_options
@click.option(
    "--pair", nargs=2, metavar="A B", shell_complete=complete_model, help="The two models, for figures of one pair."
)
@click.option("--draw", type=Setting(), multiple=True, help="A further option of the figure, KEY=VALUE.")
@click.option("--dpi", type=int, default=300, show_default=True, help="Resolution of figures in pixels (.png).")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="fig.pdf, .svg ..."
)
@overwrite_option
def plot(
    kind: str,
    pair: tuple[str, str] | None,
    draw: tuple[tuple[str, Any], ...],
    dpi: int,
    output: Path,
    overwrite: bool,
    **options: Any,
) -> None:
    """Draw a figure of the comparison of FILE into a file, in the format of its ending.

    KIND is what Comparison.plot(kind=...) takes, such as matrix, forest or p_best; those of one pair, such as
    posterior, need --pair A B.
    """
    plots = bayescmp.plots
    plots.figure_format(output)
    check_free(output, overwrite)
    if kind not in plots.KINDS:
        raise click.UsageError(f"KIND must be one of {', '.join(plots.KINDS)}, got {kind!r}.")
    if pair and kind not in plots.PAIR_KINDS:
        shows = ", ".join(plots.PAIR_KINDS)
        raise click.UsageError(f"--pair is for figures of one pair ({shows}); {kind} shows all models.")
    scores = take_scores(options)
    if kind in plots.PAIR_KINDS and kind != "simplex" and not pair and len(options["models"] or scores.models) > 2:
        raise click.UsageError(f"{kind} shows one pair: add --pair A B, with two of {', '.join(scores.models)}.")
    comparison: Any = run_comparison(scores, options)
    drawing = dict(draw) | ({"pair": pair} if pair else {})
    try:
        drawn = comparison.plot(kind=kind, **drawing)
    except TypeError as error:
        if not drawing:
            raise
        raise ValueError(f"{kind}: {error}") from None
    while not hasattr(drawn, "savefig") and not hasattr(drawn, "figure"):
        drawn = drawn[0]  # an array of axes, all on one figure
    figure = drawn if hasattr(drawn, "savefig") else drawn.figure
    plots.save_figure(figure, output, dpi=dpi, overwrite=overwrite)


@click.command(
    short_help="Bundled results to a table and a report.",
    epilog=examples("bayescmp demo", "bayescmp demo --rope 0.02 -o four_models.html"),
)
@click.option("--rope", type=ROPE, default="0.01", show_default=True, help="What makes no practical difference.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Where the report goes.")
@overwrite_option
@quiet_option
def demo(rope: "Rope", output: Path | None, overwrite: bool) -> None:
    """Compare four classifiers on 24 bundled datasets: print the table, write a report."""
    path = output or Path("report.html")
    if output is not None:
        check_free(output, overwrite)
    c = bayescmp.compare(bayescmp.load_uci().select(models=DEMO_MODELS), rope=rope)
    emit(c.to_text(color=has_colors(None)), None)
    posterior = bayescmp.bayes.correlated_ttest(bayescmp.load_labour().pair("SVM", "DT"), rope=rope)
    click.echo("\nTwo models on one dataset in a sentence (Labour data):\n  " + posterior.sentence())
    if path.suffix != ".csv":
        c.report(path, overwrite=True)
    else:
        c.to_csv(path, overwrite=True)
    click.echo(f"\nWrote {path} ({len(c.pair_names)} comparisons).")
