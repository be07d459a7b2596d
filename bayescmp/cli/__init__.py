"""The command line: `bayescmp demo`, `compare`, `check`, `test`, `plot`, `power`. It only calls what is public."""

from bayescmp.cli import checking, comparing, planning, plotting, testing
from bayescmp.cli.app import main

for command in (
    comparing.demo,
    comparing.compare,
    checking.check,
    testing.test,
    plotting.plot,
    planning.power,
):
    main.add_command(command)

__all__ = ["main"]
