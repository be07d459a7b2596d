"""`bayescmp test`: one test of two models by its name; `bayescmp check`: what was understood of a file."""

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import bayescmp
from bayescmp.cli.app import Run, as_json, check_free, emit, examples, names_of_tests
from bayescmp.cli.options import (
    ROPE,
    WHAT_A_ROPE_IS,
    TestName,
    complete_model,
    format_option,
    output_option,
    quiet_option,
    reading_options,
    seed_option,
    set_option,
    take_scores,
)

if TYPE_CHECKING:
    from bayescmp import Rope, Scores
    from bayescmp.catalogue import Test


class TestCommand(click.Command):
    """A command whose help ends with the tests of the catalogue."""

    __test__ = False  # not a test case, whatever pytest thinks of its name

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The names of the tests, by school."""
        super().format_epilog(ctx, formatter)
        bayescmp.catalogue.load_installed()
        formatter.write_paragraph()
        for title, school in (("Bayesian tests", "bayes"), ("Frequentist tests", "frequentist")):
            formatter.write_text(f"{title}: {', '.join(names_of_tests(school))}")


@click.command(
    cls=TestCommand,
    short_help="One test on two models of a file.",
    epilog=examples(
        "bayescmp test hierarchical-ttest results.csv rf svm --rope 0.01",
        "bayescmp test wilcoxon-test results.csv rf svm --alternative greater",
        "bayescmp test correlated-ttest results.csv rf svm --rope 0.01 --dataset sonar",
    ),
)
@click.argument("name", type=TestName())
@reading_options
@click.argument("a", shell_complete=complete_model)
@click.argument("b", shell_complete=complete_model)
@click.option("--rope", type=ROPE, help="What makes no practical difference; 0 for none. Bayesian tests and TOST.")
@click.option("--alternative", help="two-sided, greater (A better) or less. Frequentist tests.")
@click.option("--mixed-units", is_flag=True, help="Average also where datasets seem to have different units.")
@seed_option
@set_option
@format_option("text", "json", "csv")
@output_option
@quiet_option
def test(
    name: "Test",
    a: str,
    b: str,
    form: str,
    output: Path | None,
    overwrite: bool,
    rope: "Rope | None",
    alternative: str | None,
    mixed_units: bool,
    seed: int | None,
    settings: tuple[tuple[str, Any], ...],
    **options: Any,
) -> None:
    """Run one test on models A and B of FILE.

    NAME is one of those below: a function's name in Python, with hyphens.
    """
    check_free(output, overwrite)
    if name.family or name.takes == "scores":
        chosen = f" --{name.school} {name.command}" if name.family else ""
        raise click.UsageError(
            f"{name.command} tests all models at once, not two: use bayescmp compare FILE --rope R{chosen}."
        )
    mixed = {"mixed_units": True} if mixed_units else {}
    arguments = _arguments(name, rope, alternative, seed, mixed | dict(settings))
    result = _run(name, take_scores(options), a, b, arguments)
    run = Run.of()
    problems = getattr(result, "problems", ())
    if problems and not run.trouble:
        run.distrust("; ".join(problems))
    if form == "text":
        seeded = "" if result.random_seed is None else f"\n  seed {result.random_seed}"
        emit(repr(result) + seeded, output, overwrite)
        return
    about = {"school": name.school, "test": name.name, "higher_is_better": result.higher_is_better}
    row = about | result.row() | {"seed": result.random_seed, "notes": result.notes}
    if name.school == "bayes":
        row["estimand"] = result.estimand
    if form == "csv":
        emit(bayescmp.reports.csv_text([row]), output, overwrite)
        return
    emit(as_json("test", row | {"sentence": result.sentence()} | run.state), output, overwrite)


def _arguments(
    test: "Test", rope: "Rope | None", alternative: str | None, seed: int | None, settings: dict[str, Any]
) -> dict[str, Any]:
    """What the function is called with; an option that it does not have is refused, not ignored."""
    parameters = inspect.signature(test.call).parameters
    if "rope" in parameters and rope is None:
        raise click.UsageError(f"{test.command} needs --rope: {WHAT_A_ROPE_IS}")
    given: dict[str, Any] = {"rope": rope, "alternative": alternative, "random_seed": seed} | settings
    given = {key: value for key, value in given.items() if value is not None or key in settings}
    if settings.get("engine") == "nuts":
        given.setdefault("progressbar", False)
    known = {key for key, p in parameters.items() if p.kind is p.KEYWORD_ONLY} - {"resampling", "higher_is_better"}
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters.values()) and settings.get("engine") == "nuts"
    if not test.seeded and settings.get("engine") != "nuts":
        known -= {"random_seed"}
    unknown = [key for key in given if key not in known and not open_ended]
    if unknown:
        own = {
            "rope": "--rope",
            "alternative": "--alternative",
            "random_seed": "--seed",
            "mixed_units": "--mixed-units",
        }
        shown = ", ".join(own.get(key, key) for key in unknown)
        takes = sorted(known - {"dataset", *own})
        raise click.UsageError(
            f"{test.command} has no option {shown}." + (f" Known to --set: {', '.join(takes)}." if takes else "")
        )
    return given


def _run(test: "Test", scores: "Scores", a: str, b: str, arguments: dict[str, Any]) -> Any:
    try:
        return test.call(scores.pair(a, b), **arguments)
    except TypeError as error:
        if not arguments:
            raise
        raise ValueError(f"{test.command}: {error}") from None


@click.command(
    short_help="What was understood of a file, and which tests fit it.",
    epilog=examples("bayescmp check results.csv", "bayescmp check results.csv --dataset sonar --json"),
)
@reading_options
@format_option("text", "json")
@output_option
@quiet_option
def check(form: str, output: Path | None, overwrite: bool, **options: Any) -> None:
    """Show what was understood of FILE, what is missing, and which tests fit."""
    check_free(output, overwrite)
    scores = take_scores(options)
    tables = list(scores.split_metrics().values())
    advice = _advice(tables[0])
    if form == "json":
        fields = {"tables": [_facts(table) for table in tables], "recommendation": advice and advice.to_dict()}
        emit(as_json("check", fields), output, overwrite)
        return
    parts = [repr(scores)]
    for table in tables:
        parts += [f"  {what:<9} {text}" for what, text in table.overview().items()]
    parts += _wanting(tables[0])
    if advice is not None:
        parts.append(f"\n{advice!r}")
    emit("\n".join(parts), output, overwrite)


def _advice(scores: "Scores") -> Any:
    """The tests that fit; none for a single model."""
    return bayescmp.frequentist.recommend(scores) if len(scores.models) > 1 else None


def _wanting(scores: "Scores") -> list[str]:
    """What is missing in the file and tests will need."""
    lines = []
    if len(scores.models) < 2:
        lines.append("  missing   a second model: there is nothing to compare")
    unknown = [n for n, r, k in zip(scores.datasets, scores.resampling, scores.keys, strict=True) if not r and k[1:]]
    if unknown:
        lines.append(
            "  missing   the resampling design: use --resampling kfold:10x10, subsampling:50,6,100, independent or runs"
        )
    return lines


def _facts(scores: "Scores") -> dict[str, Any]:
    sizes = scores.sizes.max(axis=0).tolist()
    lacking = [
        {"model": model, "dataset": dataset, "scores": int(count), "of": int(size)}
        for model, row, wanted in zip(scores.models, scores.counts, scores.sizes, strict=True)
        for dataset, count, size in zip(scores.datasets, row, wanted, strict=True)
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
        "overview": scores.overview(),
        "notes": scores.notes,
    }
