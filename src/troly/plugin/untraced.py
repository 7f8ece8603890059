"""Stands in for LangSmith, which LangGraph imports and which nothing here may use: 20 MB and a second of CPU less.

Nothing may leave the machine, so there is nothing to trace. Only the names that LangGraph and LangChain ask for while
tracing is off are here; whoever asks for more (a mode of a third party) gets the real package, from then on.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

PACKAGE = "langsmith"
_swapping = threading.RLock()


def stand_in() -> None:
    """Put the stand-in where the package would be imported; call it before LangGraph is. Later calls do nothing."""
    with _swapping:
        if PACKAGE not in sys.modules:
            sys.modules.update(_modules())


def real(module: str) -> ModuleType:
    """The module of the real package, imported now if the stand-in still held its place."""
    with _swapping:
        for name in [name for name, one in sys.modules.items() if isinstance(one, _StandIn)]:
            del sys.modules[name]
        return import_module(module)


class _StandIn(ModuleType):
    """A module of the package; a name that is not here is the real one's."""

    def __init__(self, name: str, names: Mapping[str, Any]) -> None:
        super().__init__(name)
        self.__dict__.update(names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(real(self.__name__), name)


class _Folder(list[str]):
    """Where the package's other modules are: looked at only when one of them is imported."""

    def __iter__(self) -> Iterator[str]:
        return iter(real(PACKAGE).__path__)


class _Later(type):
    """A class that is the real one as soon as somebody makes one of it, or asks for something of it."""

    def __call__(cls, *args: Any, **values: Any) -> Any:
        return getattr(real(PACKAGE), cls.__name__)(*args, **values)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(getattr(real(PACKAGE), cls.__name__), name)


class RunTree(metaclass=_Later):
    """What a trace consists of; LangChain asks by this name which pydantic made it."""

    model_dump: Callable[..., Any]


RunTree.model_dump = lambda _self, **_values: {}


class Client(metaclass=_Later):
    """What would post the traces."""


class LangSmithError(Exception):
    """What a client raises."""


def _context(_context: object = None) -> dict[str, Any]:
    names = ("parent", "project_name", "address", "tags", "metadata", "client", "replicas")
    return {**dict.fromkeys(names), "distributed_parent_id": None, "enabled": False}


@contextmanager
def _untraced(**_values: object) -> Iterator[None]:
    yield


def _modules() -> dict[str, ModuleType]:
    off: dict[str, Any] = {"get_tracing_context": _context, "tracing_context": _untraced}
    kinds: dict[str, Any] = {"RunTree": RunTree, "Client": Client}
    parts: dict[str, dict[str, Any]] = {
        "run_helpers": {**off, "_set_tracing_context": lambda _context=None: None},
        "run_trees": {**kinds, "_CLIENT": None},
        "utils": {"tracing_is_enabled": lambda _context=None: False, "LangSmithError": LangSmithError},
        "address": {},
    }
    inner = {name: _StandIn(f"{PACKAGE}.{name}", names) for name, names in parts.items()}
    outer = _StandIn(PACKAGE, {"__path__": _Folder(), **off, **kinds, **inner})
    return {PACKAGE: outer, **{one.__name__: one for one in inner.values()}}
