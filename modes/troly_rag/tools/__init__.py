"""The four tools of the agents (004-05, 004-06): search, summary, arithmetic, logs; the code picks them, never a text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from troly_rag.tools.types import ToolError, ToolInputs, ToolOutput

__all__ = ["TOOLS", "ToolError", "ToolInputs", "ToolOutput", "call"]


async def call(tool: str, given: ToolInputs) -> ToolOutput:
    """Run one tool for one query. Raises ToolError, whose `kind` names what went wrong; StoreError from the stores."""
    run = TOOLS.get(tool)
    if run is None:
        raise ToolError("unknown_tool", tool)
    return await run(given)


async def _rag(given: ToolInputs) -> ToolOutput:
    from troly_rag.tools.search import run

    return await run(given)


async def _summary(given: ToolInputs) -> ToolOutput:
    from troly_rag.tools.summary import run

    return await run(given)


async def _math(given: ToolInputs) -> ToolOutput:
    from troly_rag.tools.reckoning import run

    return await run(given)


async def _log(given: ToolInputs) -> ToolOutput:
    from troly_rag.tools.logs import run

    return await run(given)


TOOLS: Mapping[str, Callable[[ToolInputs], Awaitable[ToolOutput]]] = {
    "rag_tool": _rag,
    "summary_tool": _summary,
    "math_tool": _math,
    "log_tool": _log,
}
