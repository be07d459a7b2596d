"""`bayescmp compare` and `bayescmp demo`: all models of a table, both schools side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bayescmp.cli.app import Run
from bayescmp.cli.options import (
    ROPE,
    format_option,
    output_option,
    overwrite_option,
    quiet_option,
    reading_options,
    seed_option,
    set_option,
    take_scores,
)
from bayescmp.cli.output import as_csv, as_json, as_table, check_free, emit, visible, visible_lines

if TYPE_CHECKING:
    from bayescmp.comparison import Comparison
    from bayescmp.rope import Rope
    from bayescmp.scores import Scores

PAIR = (
    *("a", "b", "n", "mean_difference", "hdi_low", "hdi_high", "p_better", "p_equivalent", "p_worse", "mcse"),
    *("expected_better", "expected_equivalent", "expected_worse"),
)
RANKING = (
    *("model", "p_best", "p_best_by_score", "p_among_best", "expected_rank", "rank_low", "rank_high"),
    *("mean_rank", "mean_score", "mcse"),
)
"""Fields that are always there, null where a test has no such number."""

DEMO_MODELS = ["rf", "gbm", "svm", "tree"]


def _test_name(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    return value if value is None else value.replace("-", "_")


def comparing_options(function: Any) -> Any:
    """What `compare()` takes, for the commands that call it."""
    options = (
        click.option("--rope", type=ROPE, required=True, help="What makes no practical difference; 0 for none."),
        click.option("--control", help="Compare this model with each other one, instead of all pairs."),
        click.option("--against", type=click.Choice(["best"]), help="Compare the best with each other model."),
        click.option("--model", "models", multiple=True, help="Only this model; may be repeated."),
        click.option("--bayes", callback=_test_name, help="correlated_t, hierarchical, signed_rank or sign."),
        click.option("--frequentist", callback=_test_name, help="corrected_t, paired_t, wilcoxon, sign or nemenyi."),
        click.option("--adjust", default="holm", show_default=True, help="How p-values are adjusted for many pairs."),
        click.option("--threshold", default=0.95, show_default=True, help="The probability that decides."),
        click.option("--alpha", default=0.05, show_default=True, help="The level of the p-values."),
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
    import bayescmp

    models, settings = options.pop("models"), dict(options.pop("settings"))
    if models:
        scores = scores.select(models=list(models))
    if settings.get("engine") == "nuts":
        settings.setdefault("progressbar", False)
    quiet = click.get_current_context().find_object(Run).quiet  # type: ignore[union-attr]
    try:
        return bayescmp.compare(
            scores,
            random_seed=options.pop("seed"),
            bayes_options=settings,
            progress=False if quiet else None,
            **options,
        )
    except TypeError as error:
        if not settings:
            raise
        raise ValueError(f"--set {', '.join(settings)}: {error}.") from None


@click.command(short_help="All models of a file, both schools side by side.")
@reading_options
@comparing_options
@click.option("--report", type=click.Path(path_type=Path, dir_okay=False), help="Write a report: .html, .md or .tex.")
@format_option("table", "json", "csv", "latex", "markdown")
@output_option
def compare(form: str, output: Path | None, overwrite: bool, report: Path | None, **options: Any) -> None:
    """Compare all models of FILE: posterior probabilities beside p-values.

    FILE is csv, tsv, parquet, json or jsonl, long or wide; - is standard input, bundled:labour and the like are the
    results that come with the program.
    """
    from bayescmp.reports.writing import report_format

    check_free(output, overwrite)
    if report is not None:
        report_format(report, overwrite)
        if output is not None and output.resolve() == report.resolve():
            raise click.UsageError("-o and --report must be two files, got the same one.")
    c = run_comparison(take_scores(options), options)
    emit(_as(form, c), output, overwrite)
    if report is not None:
        c.report(report, overwrite=overwrite)


def _as(form: str, c: "Comparison") -> str:
    if form == "json":
        return comparison_json(c)
    if form == "csv":
        return as_csv([c.table_row(i) for i in range(len(c.pairs))])
    if form == "table":
        return comparison_text(c)
    return c.to_latex() if form == "latex" else c.to_markdown()


# ---- for programs


def comparison_json(c: "Comparison") -> str:
    """The whole comparison; docs/cli.md says what each field is."""
    scores, seed = c.scores, c.random_seed
    rows = [dict.fromkeys(PAIR) | c.table_row(i) for i in range(len(c.pairs))]
    notes = [row["notes"] for row in c.rows]
    ranking, no_ranking = ranking_rows(c)
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
                "rope": _borders(c.rope),
                "control": c.control,
                "threshold": c.threshold,
                "alpha": c.alpha,
                "adjust": c.tests.adjustment,
                "effect_name": c.tests.effect_name,
                "seed": seed,
                "why": c.setting.why,
            },
            "pairs": [row | {"notes": said} for row, said in zip(rows, notes, strict=True)],
            "ranking": ranking,
            "omnibus": [
                {"test": t.method, "statistic": t.statistic, "df": t.df, "p_value": t.p_value} for t in c.omnibus
            ],
            "notes": [*c.cautions(), *c.notes, *no_ranking],
            **_state(),
        },
    )


def ranking_rows(c: "Comparison") -> tuple[list[dict[str, Any]] | None, list[str]]:
    """One row a model, or the reason why there is none: too few datasets with all models."""
    try:
        rows = c.ranking().to_dict("records")
    except ValueError as error:
        return None, [f"no ranking: {error}"]
    return [{name: row.get(name) for name in RANKING} for row in rows], []


def _borders(rope: Any) -> Any:
    return [rope.low, rope.high]


def _state() -> dict[str, Any]:
    """Whether the numbers can be trusted, and what was warned about so far."""
    run = click.get_current_context().find_object(Run)
    assert run is not None
    return {"converged": not run.trouble, "warnings": [*run.trouble, *run.warned]}


# ---- for people


def comparison_text(c: "Comparison") -> str:
    """Heading, one row a pair, where the schools differ, and the ranking of many models."""
    from bayescmp.text import number, probability, short_p_value

    k, m = len(c.models), len(c.scores.datasets)
    heading = (
        f"{k} models, {m} dataset{'s' if m > 1 else ''}, {c.scores.metric or 'score'} "
        f"({'higher' if c.scores.higher_is_better else 'lower'} is better), rope {c.rope}\n"
        f"bayes.{c.setting.bayes} beside frequentist.{c.setting.frequentist}"
        + (f", {c.tests.adjustment}-adjusted" if len(c.pairs) > 1 else "")
        + (f"; all against {c.control}" if c.control else "")
    )
    rows, differ = [], []
    for i in range(len(c.pairs)):
        row = c.table_row(i)
        low, high = row["hdi_low"], row["hdi_high"]
        gap, interval = "", ""
        if low is not None:
            gap, low, high = (number(x, high - low) for x in (row["mean_difference"], low, high))
            interval = f"[{low}, {high}]"
        three = (probability(row[p], row["mcse"], c.threshold) for p in ("p_better", "p_equivalent", "p_worse"))
        p = short_p_value(row["p_adjusted"], c.alpha)
        rows.append([row["a"], row["b"], gap, interval, *three, p, row["decision"]])
        if row["agreement_kind"] != "agree":
            differ.append(f"{row['a']} vs {row['b']}: {row['agreement']}")
    sides = "nnrrrrrrn"
    names = ["A", "B", "A - B", "95% HDI", "P(A better)", "P(equiv.)", "P(B better)", "p", "decision"]
    if not any(row[3] for row in rows):
        names, rows, sides = names[:2] + names[4:], [row[:2] + row[4:] for row in rows], "nnrrrrn"
    parts = [visible_lines(heading), as_table("", names, rows, sides)]
    if differ:
        parts.append("Where the two schools differ:\n" + "\n".join(f"  {visible(line)}" for line in differ))
    ranking, no_ranking = ranking_rows(c) if k > 2 else (None, [])
    if ranking is not None:
        parts.append(_ranking(ranking))
    ends = [t.sentence() for t in c.omnibus[:1]] + [f"Note: {note}" for note in (*c.notes, *no_ranking)]
    if c.random_seed is not None:
        ends.append(f"Seed: {c.random_seed}")
    return "\n\n".join([*parts, *(["\n".join(map(visible, ends))] if ends else [])])


def _ranking(records: list[dict[str, Any]]) -> str:
    from bayescmp.text import number, probability

    means = [r["mean_score"] for r in records]
    rows = []
    for r in records:
        best, among = (probability(r[p], r["mcse"]) for p in ("p_best", "p_among_best"))
        rank, mean = f"{r['expected_rank']:.1f}", number(r["mean_score"], max(means) - min(means))
        rows.append([r["model"], best, among, rank, mean])
    return as_table("", ["model", "P(best)", "P(among best)", "expected rank", "mean score"], rows, "nrrrr")


@click.command(short_help="Bundled results to a table and a report.")
@click.option("--rope", type=ROPE, default="0.01", show_default=True, help="What makes no practical difference.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Where the report goes.")
@overwrite_option
@quiet_option
def demo(rope: "Rope", output: Path | None, overwrite: bool) -> None:
    """Compare four classifiers on 24 bundled datasets: print the table, write a report."""
    import bayescmp

    path = output or Path("report.html")
    if output is not None:
        check_free(output, overwrite)
    c = bayescmp.compare(bayescmp.load_uci().select(models=DEMO_MODELS), rope=rope)
    labour = bayescmp.load_labour().pair("SVM", "DT")
    emit(comparison_text(c), None)
    posterior = bayescmp.bayes.correlated_ttest(labour, rope=rope)
    click.echo("\nTwo models on one dataset in a sentence (Labour data):\n  " + posterior.sentence())
    if path.suffix != ".csv":
        c.report(path, overwrite=True)
    else:
        emit(as_csv([c.table_row(i) for i in range(len(c.pairs))]), path, overwrite=True)
    click.echo(f"\nWrote {path} ({len(c.pairs)} comparisons).")
