"""The program itself: exit codes, errors and warnings as one line on stderr, and how answers are printed."""

import json
import math
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

import bayescmp

BAD_INPUT = 2
NOT_CONVERGED = 3
INTERRUPTED = 130
FORMAT = 2
"""The version of the JSON output: it grows when a field changes its meaning or goes away."""
DESIGN = "Use --resampling kfold:10x10, subsampling:50,6,100, independent, runs or rho:0.1."
ADVICE = {
    'metric="rmse"': "Use --metric rmse or another known name, or --lower-is-better or --higher-is-better.",
    "compare(scores.transform(": "Use --scale log --rope 0.01 to compare ratios, here with a rope of 1 %, or --bayes "
    "sign-test --rope 0, which counts wins.",
    "mixed_units=True": "If the unit is the same on every dataset after all, use --mixed-units.",
    "give orient=": "Use --column score=NAME, or --models-in-rows if its rows are models and its columns datasets.",
    'models with model="..."': "Use --column model=NAME, and leave out the others.",
    "Name the columns: model=": "Use --column model=NAME --column score=NAME for a long table.",
    "If the names are right": "If the names are right, put a letter before each.",
    "once: scores.drop": "If they are copies, leave all but one out of the file.",
    "leave it out: scores.drop": "If it is one, leave it out of the file.",
    "or datasets=": "Use --resampling kfold:10 for the folds of one dataset, --datasets 30 (their number) for one "
    "score per dataset, or add a column fold or dataset.",
    "same splits and seeds": "Use --resampling independent if all models had the same splits and seeds, so that run 1 "
    "of one model belongs to run 1 of another; otherwise --resampling runs.",
    "read them with resampling=Resampling.runs()": "If they are independent runs, use --resampling runs.",
    "Resampling.": DESIGN,
    "resampling=": DESIGN,
    "select(metric=": "Use --metric NAME.",
    "Pick one with metric=": "Use --metric NAME.",
    "select(datasets=": "Use --dataset NAME.",
    "Pick one with dataset=": "Use --dataset NAME.",
    'unscored="wrong"': "Use --unscored wrong to count them as wrong (0), or --unscored drop to leave them out.",
    'unscored="drop"': "Use --unscored drop, or score these answers.",
    "Pick one with filter=": "Use --filter NAME.",
    "Pick one with split=": "Use --split NAME.",
    "items=False": "Run lm_eval with --log_samples.",
    'keep="last"': "Several answers of one model to one item need a column sample; if a run was repeated, use --keep "
    "last.",
    "pair=(": "Use --pair A B.",
    "overwrite=True": "Use --overwrite to replace it, or another path.",
    "higher_is_better=": "Use --higher-is-better or --lower-is-better.",
    "control=": "Use --control NAME.",
    "rope=": "Use --rope 0.01, or --rope=-0.01,0.02; 0 for none.",
    "use posterior.draws(n)": "",
    "to_csv(path)": "For a table alone use --format csv -o FILE.",
    'use plot("posterior")': "For a mean difference use bayescmp plot posterior.",
}
"""A piece of what an error advises in Python, and the advice here."""
PHRASES = {
    " (None)": "",
    " or a HierarchicalPrior": "",
    "(min_sd); min_sd_sensitivity() has the answers for half and twice that": "(--set min_sd=NUMBER for another one)",
}
"""Parts of a sentence that only Python has, and what stands for them here."""
OPTIONS = {"random_seed": "seed", "path": "output", "bayes_options": "settings", "format": "input_format"}
"""Arguments in Python that have another name here; the others are the same."""


@dataclass
class Run:
    """One call of the program: whether to be quiet, and what went wrong on the way."""

    quiet: bool = False
    trouble: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)
    context: click.Context | None = None

    @staticmethod
    def of(context: click.Context | None = None) -> "Run":
        """The call that is going on."""
        return (context or click.get_current_context()).ensure_object(Run)

    @property
    def state(self) -> dict[str, Any]:
        """Whether the numbers can be trusted, and what was warned about so far."""
        return {"converged": not self.trouble, "warnings": [*self.trouble, *self.warned]}

    def warn(self, message: str) -> None:
        """Say a warning once, on one line."""
        line = " ".join(message.split())
        if line not in self.warned:
            self.warned.append(line)
            if not self.quiet:
                click.echo(f"Warning: {line}", err=True)

    def distrust(self, message: str) -> None:
        """Keep a reason not to trust the numbers, for the end."""
        line = " ".join(message.split())
        if line not in self.trouble:
            self.trouble.append(line)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Python's warnings as ours; those for programmers stay silent."""

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            heard = self.distrust if issubclass(category, bayescmp.ConvergenceWarning) else self.warn
            heard(in_options(str(message)))

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning):
                warnings.simplefilter("ignore", category)
            warnings.showwarning = show
            yield


class Program(click.Group):
    """Turns errors into one line on stderr and an exit code; `--debug` shows the traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, and end with the exit code that shows how it went."""
        for stream in (sys.stdout, sys.stderr):  # a name that the terminal cannot show is spelled out
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        run = ctx.obj = Run()
        try:
            with run.listening():
                super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(INTERRUPTED)
        except Exception as error:
            if ctx.params.get("debug"):
                raise
            ctx.exit(_say(error))
        if run.trouble:
            for reason in run.trouble:
                click.echo(f"Not converged: {reason}", err=True)
            ctx.exit(NOT_CONVERGED)


def _say(error: Exception) -> int:
    if isinstance(error, (ValueError, OSError, ImportError)):
        click.echo(f"Error: {in_options(str(error))}", err=True)
        return BAD_INPUT
    click.echo(
        f"Error: unexpected {type(error).__name__}: {error}. Please report it, with the traceback that "
        "bayescmp --debug shows.",
        err=True,
    )
    return 1


def in_options(message: str) -> str:
    """An error's message in the words of the command line: advice as options, arguments by their options' names."""
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", message)
    found = [next((here for python, here in ADVICE.items() if python in s), s) for s in sentences]
    text = " ".join(filter(None, dict.fromkeys(found)))
    for python, here in PHRASES.items():
        text = text.replace(python, here)
    context = click.get_current_context(silent=True)
    known = {} if context is None else _known(context)

    def option(match: re.Match[str]) -> str:
        given = known.get(OPTIONS.get(match[1], match[1]))
        return given or match[0]

    def setting(match: re.Match[str]) -> str:
        given, value = known.get(OPTIONS.get(match[1], match[1])), match[2].strip('"')
        if given is None:
            return match[0]
        return f"no {given}" if value == "None" else f"{given}{'=' if ' ' in given else ' '}{value}"

    text = re.sub(r"`(\w+)`", option, text)
    text = re.sub(r'(?<![-\w"])(\w+)=("\w+"|[\d.]+\d|\d|None)', setting, text)
    return _commands(text)


def _known(context: click.Context) -> dict[str, str]:
    """The names of arguments in Python, and how they are given here: --rope, --set draws, --draw top."""
    known: dict[str, str] = {}
    for inner in _contexts(context):
        for p in inner.command.params:
            known |= {p.name: p.opts[-1]} if p.name and p.opts[-1].startswith("--") else {}
            if p.name in ("settings", "draw"):
                known |= {key: f"{p.opts[-1]} {key}" for key, _ in inner.params.get(p.name) or ()}
    return known


def names_of_tests(school: str | None = None, *, single: bool = True) -> list[str]:
    """The tests of a school, or of both, as they are named here; `single` leaves out those of all pairs together."""
    catalogue = bayescmp.catalogue
    bayesian = {test.name for test in catalogue.entries("bayes")}
    return [
        f"frequentist.{test.command}" if test.school == "frequentist" and test.name in bayesian else test.command
        for test in catalogue.entries(school)
        if not (test.family and single)
    ]


def _commands(text: str) -> str:
    """A text in which tests have the names that they have here: sign-test, not `sign_test`; quoted names stay."""
    here = {name.replace("-", "_"): name for name in names_of_tests(single=False)}

    def command(match: re.Match[str]) -> str:
        school, name = match["school"] or "", match["name"]
        return here.get(f"{school}{name}") or here.get(name) or match[0]

    return re.sub(r'(?<![\w".])`?(?P<school>bayes\.|frequentist\.)?(?P<name>\w+_\w*test)`?(?![\w"(])', command, text)


def _contexts(context: click.Context) -> Iterator[click.Context]:
    """The context of the command that runs, and those around it."""
    inner: click.Context | None = Run.of(context).context or context
    while inner is not None:
        yield inner
        inner = inner.parent


def examples(*lines: str) -> str:
    """The end of a command's help."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


# ---- answers


def has_colors(output: Path | None) -> bool:
    """Whether an answer goes to a terminal that shows colours, and nobody asked for none (https://no-color.org)."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return output is None and wanted and sys.stdout.isatty()


def emit(text: str, output: Path | None, overwrite: bool = False) -> None:
    """Print an answer, or write it to a file: whole or not at all."""
    text = text if text.endswith("\n") else text + "\n"
    if output is None:
        click.echo(text, nl=False, color=True)  # names stay as they are
        return
    bayescmp.reports.save_text(output, text, overwrite=overwrite)


def check_free(path: Path | None, overwrite: bool) -> None:
    """Raise where a file would be replaced without --overwrite, before any work is done."""
    if path is not None:
        bayescmp.reports.check_path(path, overwrite=overwrite)


def as_json(kind: str, fields: Mapping[str, Any]) -> str:
    """One JSON object, ASCII only; infinities are the texts "inf" and "-inf", NaN is null."""
    head = {"format": FORMAT, "kind": kind, "version": bayescmp.__version__}
    return json.dumps(_plain(head | dict(fields)), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(x) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(x) for x in value]
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


# ---- the program


@click.group(
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples("bayescmp demo", "bayescmp check results.csv", "bayescmp compare results.csv --rope 0.01"),
)
@click.version_option(package_name="bayescmp")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """How probable is it that model A is better than model B, by more than you care about?

    Exit codes: 0 fine, 2 bad input, 3 not converged (the reason is on standard error).
    """
