"""`bayescmp gate`: may this candidate replace the baseline? A verdict and an exit code for continuous integration."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import bayescmp
from bayescmp.cli.app import Run, as_json, check_free, emit, examples, has_colors
from bayescmp.cli.options import (
    ROPE,
    ParamType,
    TestName,
    complete_file,
    complete_model,
    format_option,
    how_to_read,
    output_option,
    quiet_option,
    seed_option,
    take_scores,
)

if TYPE_CHECKING:
    from bayescmp import Rope, Scores
    from bayescmp.catalogue import Test
    from bayescmp.gates import GateResult, Rule

WORSE, UNDECIDED = 1, 4
"""Exit codes of a candidate that does not pass; 2 and 3 are those of bad input and of numbers not to be trusted."""
RULE = Path("rule.toml")


class Prior(ParamType):
    """A number, or a name."""

    name = "prior"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The prior of a text."""
        try:
            return float(value)
        except ValueError:
            return value


PRIOR = Prior()


@click.command(
    short_help="May this candidate replace the baseline? For CI.",
    epilog=examples(
        "bayescmp gate svm rf --file results.csv --rope 0.01",
        "bayescmp gate svm --file results.csv --rope 0.01 --write-rule",
        "bayescmp gate svm rf --file results.csv --rule rule.toml --format markdown",
    ),
)
@click.argument("baseline", shell_complete=complete_model)
@click.argument("candidate", required=False, shell_complete=complete_model)
@click.option(
    "--file", shell_complete=complete_file, help="A file with both models; BASELINE and CANDIDATE are then their names."
)
@how_to_read
@click.option("--rope", type=ROPE, help="What makes no practical difference; 0 for none.")
@click.option("--threshold", type=float, help="The probability that a verdict needs; 0.95 if not given.")
@click.option("--test", type=TestName("bayes"), help="The Bayesian test, such as signed-rank-test.")
@click.option("--prior", type=PRIOR, help="The prior of that test, a number or a name; its default if not given.")
@click.option("--pass", "passes", multiple=True, help="A verdict that passes; may be repeated. Better and not worse.")
@click.option("--looks", type=int, help="How often a candidate is looked at while its data come in; once.")
@click.option("--rule", type=click.Path(path_type=Path, dir_okay=False), help="A rule that was written down before.")
@click.option("--write-rule", is_flag=True, help=f"Write the rule for BASELINE to --rule ({RULE}), and do no more.")
@seed_option
@format_option("text", "json", "markdown")
@output_option
@quiet_option
def gate(
    baseline: str,
    candidate: str | None,
    file: str | None,
    rope: "Rope | None",
    threshold: float | None,
    test: "Test | None",
    prior: Any,
    passes: tuple[str, ...],
    looks: int | None,
    rule: Path | None,
    write_rule: bool,
    seed: int | None,
    form: str,
    output: Path | None,
    overwrite: bool,
    **reading: Any,
) -> None:
    """May CANDIDATE replace BASELINE? Each is a file with the scores of one model, or a model of --file.

    Better: P(mean difference above the rope) reaches the threshold. Not worse: P(not below the rope) does. Worse:
    P(below the rope) does. Else undecided. Exit codes: 0 it passes, 1 it does not, 4 undecided, 2 bad input, 3 not
    converged.
    """
    check_free(output, overwrite)
    own = {"rope": rope, "threshold": threshold, "test": test and test.name, "prior": prior, "looks": looks}
    own |= {"passes": passes or None}
    given = {name: x for name, x in own.items() if x is not None}
    if write_rule:
        _write(given, baseline, file, reading, rule or RULE, overwrite)
        return
    if candidate is None:
        raise click.UsageError("Missing argument 'CANDIDATE'.")
    if rule is not None and given:
        names = ", ".join(f"--{'pass' if name == 'passes' else name}" for name in given)
        raise click.UsageError(f"The rule in {rule} decides: leave out {names}.")
    ruled = _rule(given) if rule is None else bayescmp.gates.Rule.read(rule)
    scores, old, new = _both(baseline, candidate, file, reading)
    result = bayescmp.gates.gate(scores, old, new, rule=ruled, random_seed=seed)
    text = _as(form, result)
    if form == "text" and has_colors(output):
        word, _, rest = text.partition(":")
        text = f"{click.style(word, fg='green' if result.passed else 'red', bold=True)}:{rest}"
    emit(text, output, overwrite)
    for note in result.notes:
        Run.of().warn(note)
    if not result.passed and not Run.of().trouble:
        click.get_current_context().exit(UNDECIDED if result.verdict == "undecided" else WORSE)


def _rule(given: dict[str, Any]) -> "Rule":
    if "rope" not in given:
        raise click.UsageError("Missing option '--rope', or '--rule' with a file that has one.")
    return bayescmp.gates.Rule(**given)


def _write(
    given: dict[str, Any], baseline: str, file: str | None, reading: dict[str, Any], path: Path, overwrite: bool
) -> None:
    """Write the rule down, without a look at the candidate."""
    check_free(path, overwrite)
    rule = _rule(given)
    scores = take_scores(reading | {"file": baseline if file is None else file})
    model = baseline if file is not None else _only(scores, baseline)
    bayescmp.reports.save_text(path, rule.written_for(scores, model).to_toml(), overwrite=overwrite)
    click.echo(f"Wrote {path}.")


def _both(baseline: str, candidate: str, file: str | None, reading: dict[str, Any]) -> "tuple[Scores, str, str]":
    """The scores of both models, and their names."""
    if file is not None:
        return take_scores(reading | {"file": file}), baseline, candidate
    plain = reading | {"scale": "score"}
    old, new = (_read(plain, path) for path in (baseline, candidate))
    both, *names = bayescmp.gates.side_by_side(old, new)
    return both if reading["scale"] == "score" else both.transform(reading["scale"]), names[0], names[1]


def _read(reading: dict[str, Any], path: str) -> "Scores":
    """The scores of the one model of a file."""
    try:
        scores = take_scores(reading | {"file": path})
    except bayescmp.ScoresError as error:
        raise ValueError(f"{path}: {error}") from None
    _only(scores, path)
    return scores


def _only(scores: "Scores", path: str) -> str:
    if len(scores.models) != 1:
        raise ValueError(
            f"{path} must have the scores of one model, got {', '.join(scores.models)}. For two models of one file use "
            f"bayescmp gate A B --file {path}."
        )
    return scores.models[0]


def _as(form: str, result: "GateResult") -> str:
    if form == "markdown":
        return result.to_markdown()
    if form == "text":
        return result.sentence()
    rule = result.rule
    return as_json(
        "gate",
        {
            "baseline": result.baseline,
            "candidate": result.candidate,
            "verdict": result.verdict,
            "passed": result.passed,
            "p_better": result.p_better,
            "p_not_worse": result.p_not_worse,
            "p_worse": result.p_worse,
            "missing": result.missing or None,
            "rule": {
                "rope": [rule.rope.low, rule.rope.high],
                "threshold": rule.threshold,
                "passes": rule.passes,
                "metric": rule.metric,
                "test": rule.test,
                "prior": rule.prior,
                "looks": rule.looks,
                "baseline": rule.baseline,
                "fingerprint": rule.fingerprint,
                "changed": rule.changed,
            },
            "posterior": result.posterior.row(),
            "sentence": result.sentence(),
            "notes": result.notes,
            **Run.of().state,
        },
    )
