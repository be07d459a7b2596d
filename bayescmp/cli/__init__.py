"""The command line: `bayescmp demo`, `compare`, `check`, `test`, `plot`, `power`, `plan`, `gate`. It only calls what is
public.
"""

from bayescmp.cli.app import main
from bayescmp.cli.comparison import compare, demo, plot
from bayescmp.cli.gate import gate
from bayescmp.cli.planning import plan
from bayescmp.cli.power import power
from bayescmp.cli.tests import check, test

for command in (demo, compare, check, test, plot, power, plan, gate):
    main.add_command(command)

__all__ = ["main"]
