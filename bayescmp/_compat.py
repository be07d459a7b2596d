"""The only module that depends on the versions of PyMC (5, 6) and ArviZ (0.23, 1.x).

Arrays of draws are chains x draws, with any further axes behind.
"""

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

from numpy.typing import NDArray

Draws = Mapping[str, NDArray[Any]]


@cache
def import_arviz() -> ModuleType:
    """ArviZ, without the notice that 0.23 shows once a day, and also where no cache folder can be made."""
    import tempfile

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="\\s*ArviZ is undergoing", category=FutureWarning)
        try:
            from bayescmp.needs import arviz
        except OSError:
            with tempfile.TemporaryDirectory() as folder:
                before = os.environ.get("XDG_CACHE_HOME")
                os.environ["XDG_CACHE_HOME"] = folder
                try:
                    from bayescmp.needs import arviz
                finally:
                    if before is None:
                        del os.environ["XDG_CACHE_HOME"]
                    else:
                        os.environ["XDG_CACHE_HOME"] = before
    return arviz


@cache
def import_pymc() -> ModuleType:
    """PyMC; it imports ArviZ, so that one comes first."""
    import_arviz()
    with quiet():
        from bayescmp.needs import pymc

    return pymc


@contextmanager
def quiet() -> Iterator[None]:
    """No notice of PyTensor's that it found no BLAS (none of our models needs one), nor of its own moved names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PyTensor could not link to a BLAS")
        warnings.filterwarnings("ignore", message="Importing 'IfElse' from 'pytensor.ifelse'")
        yield


def is_arviz_1() -> bool:
    """True for ArviZ 1.x, whose container is xarray's DataTree."""
    return int(import_arviz().__version__.split(".")[0]) >= 1


def to_inference_data(groups: Mapping[str, Draws]) -> Any:
    """An InferenceData (ArviZ 0.x) or DataTree (1.x) from {group: {name: draws}}."""
    az = import_arviz()
    return az.from_dict(groups) if is_arviz_1() else az.from_dict(**groups)


def group(data: Any, name: str) -> Any:
    """One group as an xarray Dataset."""
    found = data[name]
    return found.to_dataset() if is_arviz_1() else found


def save(data: Any, path: str | os.PathLike[str]) -> None:
    """Write netCDF."""
    data.to_netcdf(str(path))


def load(path: str | os.PathLike[str]) -> Any:
    """Read netCDF, wholly into memory so that the file is free again."""
    data = import_arviz().from_netcdf(str(path))
    return data.load()
