"""Packages that only a part of bayescmp needs: each is imported when it is used, and its absence is a sentence.

`from bayescmp.needs import pandas as pd` is `import pandas as pd` with that sentence.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import arviz as arviz
    import matplotlib as matplotlib
    import pandas as pandas
    import pymc as pymc

NEEDED_FOR = {
    "arviz": 'to_arviz() and engine="nuts"',
    "matplotlib": "figures and HTML reports",
    "pandas": "tables, rankings, reports and gates of two files",
    "pymc": 'pymc_model() and engine="nuts"',
}


def __getattr__(name: str) -> Any:
    if name not in NEEDED_FOR:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:  # the package is there, and something that it imports is not
            raise
    raise ModuleNotFoundError(
        f"{name} is needed for {NEEDED_FOR[name]}, and is not installed. Install it with: pip install {name} "
        "(pip install bayescmp has it, unless --no-deps left it out).",
        name=name,
    )
