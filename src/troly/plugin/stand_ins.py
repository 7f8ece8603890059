"""Modules that hold the place of a package which is imported for a name or two; more than those names is the real one's.

LangGraph brings packages that nothing here uses: they would cost 25 MB and more than a second of CPU.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

_swapping = threading.RLock()


def hold(modules: Mapping[str, Mapping[str, Any]]) -> bool:
    """Let modules with these names stand where the packages would be imported; False when one is there already.

    A parent stands before what is in it.
    """
    with _swapping:
        if any(name in sys.modules for name in modules):
            return False
        made = {name: _StandIn(name, names) for name, names in modules.items()}
        for name, module in made.items():
            parent, _, short = name.rpartition(".")
            if parent in made:
                setattr(made[parent], short, module)
        sys.modules.update(made)
        return True


@contextmanager
def held(modules: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    """The same for a moment: while another module is imported that takes these names."""
    holding = hold(modules)
    try:
        yield
    finally:
        if holding:
            give_up(next(iter(modules)).partition(".")[0])


def real(module: str) -> ModuleType:
    """The module of the real package, imported now if a stand-in held its place."""
    with _swapping:
        give_up(module.partition(".")[0])
        return import_module(module)


def give_up(package: str) -> None:
    """Take the stand-ins of a package away."""
    with _swapping:
        for name, module in list(sys.modules.items()):
            if isinstance(module, _StandIn) and name.partition(".")[0] == package:
                del sys.modules[name]


class Later(type):
    """A class that is the real one as soon as somebody makes one of it, or asks for something of it.

    `__module__` says where the real one is.
    """

    def __call__(cls, *args: Any, **values: Any) -> Any:
        return getattr(real(cls.__module__), cls.__name__)(*args, **values)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(getattr(real(cls.__module__), cls.__name__), name)

    def __subclasscheck__(cls, other: type) -> bool:
        module = sys.modules.get(cls.__module__)
        there = module is not None and not isinstance(module, _StandIn)
        return issubclass(other, getattr(module, cls.__name__)) if there else other is cls

    def __instancecheck__(cls, one: object) -> bool:
        return cls.__subclasscheck__(type(one))


class _StandIn(ModuleType):
    def __init__(self, name: str, names: Mapping[str, Any]) -> None:
        super().__init__(name)
        self.__path__ = _Folder(name)
        self.__dict__.update(names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(real(self.__name__), name)


class _Folder(list[str]):
    """Where a package's other modules are: looked at only when one of them is imported."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __iter__(self) -> Iterator[str]:
        return iter(getattr(real(self._name), "__path__", ()))
