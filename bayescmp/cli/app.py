"""The program itself: exit codes, and errors and warnings as one line on stderr."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import click

from bayescmp.errors import ConvergenceWarning

BAD_INPUT = 2
NOT_CONVERGED = 3
INTERRUPTED = 130
HINTS = {
    "Resampling.kfold": "--resampling kfold:10x10, subsampling:50,6,100, independent or rho:0.1",
    "select(metric=": "--metric NAME",
    "Pick one with metric=": "--metric NAME",
    "select(datasets=": "--dataset NAME",
    "Pick one with dataset=": "--dataset NAME",
    "say which, as pair=": "--pair A B",
    "overwrite=True": "--overwrite",
    "higher_is_better=": "--higher-is-better or --lower-is-better",
}
"""What an error advises in Python, and its counterpart here."""


@dataclass
class Run:
    """One call of the program: whether to be quiet, and what went wrong on the way."""

    quiet: bool = False
    trouble: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)

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
            (self.distrust if issubclass(category, ConvergenceWarning) else self.warn)(str(message))

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning):
                warnings.simplefilter("ignore", category)
            warnings.showwarning = show
            yield


class Program(click.Group):
    """Turns errors into one line on stderr and an exit code; `--debug` shows the traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, and end with the exit code that says how it went."""
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
    if isinstance(error, (ValueError, OSError)):
        message = str(error)
        hint = next((option for python, option in HINTS.items() if python in message), None)
        click.echo(f"Error: {message}" + (f" On the command line: {hint}." if hint else ""), err=True)
        return BAD_INPUT
    click.echo(
        f"Error: unexpected {type(error).__name__}: {error}. Please report it, with the traceback that "
        "bayescmp --debug shows.",
        err=True,
    )
    return 1


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="bayescmp")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """How probable is it that model A is better than model B, by more than you care about?

    Exit codes: 0 fine, 2 bad input, 3 not converged (the reason is on standard error).
    """
