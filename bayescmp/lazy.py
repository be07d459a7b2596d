"""Packages that import their public names when these are first used, so that a small answer loads little."""

import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MethodType, ModuleType
from typing import Any

VALUES = ("scores", "bayes", "frequentist", "planning", "comparison", "gates")
"""The packages and modules that define values."""


class Package(ModuleType):
    """A package whose names live in its modules; a public name stands before a module that is called the same."""

    def __getattr__(self, name: str) -> Any:
        if name not in self.__dict__["homes"]:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        module = import_module(f"{self.__name__}.{self.__dict__['homes'][name]}")
        found = self.__dict__[name] = getattr(module, name)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in self.__dict__["homes"]):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return list(self.__dict__["__all__"])


def import_lazily(package: str, names: Mapping[str, str]) -> None:
    """Make a package that is being imported a lazy one; `names` has for each module the public names, as one text."""
    module = sys.modules[package]
    module.__dict__["homes"] = {name: home for home, text in names.items() for name in text.split()}
    module.__class__ = Package


class Special:
    """`scipy.special`, which takes longer to import than numpy: at the first function that is used."""

    def __getattr__(self, name: str) -> Any:
        from scipy import special

        found = self.__dict__[name] = getattr(special, name)
        return found


special: Any = Special()


class LazyMethod:
    """A class method: the function of its name in a module, which is imported when the method is first used."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> MethodType:
        return MethodType(getattr(import_module(self._module), self._name), owner)


@cache
def load_values() -> None:
    """Import whatever defines a value, so that all of them can be read from JSON."""
    for name in VALUES:
        module = import_module(f"bayescmp.{name}")
        for public in module.__all__:
            getattr(module, public)
