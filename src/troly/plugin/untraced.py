"""Imports LangGraph without what it would bring for tracing in the cloud and for its server.

Nothing may leave the machine, so there is nothing to trace. Only the names that LangGraph and LangChain ask for while
tracing is off are here; whoever asks for more (a mode of a third party) gets the real packages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from troly.plugin.stand_ins import Later, held, hold, real


def import_langgraph() -> None:
    """Import it; later calls do nothing."""
    off: dict[str, Any] = {"get_tracing_context": _context, "tracing_context": _untraced}
    kinds: dict[str, Any] = {"RunTree": RunTree, "Client": Client}
    hold(
        {
            "langsmith": {**off, **kinds},
            "langsmith.run_helpers": {**off, "_set_tracing_context": lambda _context=None: None},
            "langsmith.run_trees": {**kinds, "_CLIENT": None},
            "langsmith.utils": {
                "tracing_is_enabled": lambda _context=None: False,
                "LangSmithError": LangSmithError,
            },
            "langsmith.address": {},
        }
    )
    # They take types only, for signatures and checks; each moment is short.
    import_module("pydantic")
    with held({"pydantic.v1": {"BaseModel": BaseModel, "create_model": _create_model}}):
        import_module("langchain_core.utils.pydantic")
    with held({"requests": {"HTTPError": OSError, "Response": object}}):
        import_module("langchain_core.utils.utils")
    import_module("langgraph.config")
    server: dict[str, dict[str, Any]] = {"langgraph_sdk": {}, "langgraph_sdk.auth": {}}
    with held({**server, "langgraph_sdk.auth.types": {"BaseUser": object}}):
        import_module("langgraph.runtime")
    import_module("langgraph.graph")
    # Every first run of a graph imports these.
    for name in ("context", "stdout"):
        import_module(f"langchain_core.tracers.{name}")


class RunTree(metaclass=Later):
    """What a trace consists of; LangChain asks by this name which pydantic made it."""

    __module__ = "langsmith"
    model_dump: Callable[..., Any]


RunTree.model_dump = lambda _self, **_values: {}


class Client(metaclass=Later):
    """What would post the traces."""

    __module__ = "langsmith"


class BaseModel(metaclass=Later):
    """Models of the old pydantic."""

    __module__ = "pydantic.v1"


def _create_model(*args: Any, **values: Any) -> Any:
    return real("pydantic.v1").create_model(*args, **values)


class LangSmithError(Exception):
    """What a client raises."""


def _context(_context: object = None) -> dict[str, Any]:
    names = ("parent", "project_name", "address", "tags", "metadata", "client", "replicas")
    return {**dict.fromkeys(names), "distributed_parent_id": None, "enabled": False}


@contextmanager
def _untraced(**_values: object) -> Iterator[None]:
    yield
