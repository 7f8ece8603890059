"""Runs a call of one of the five tools; what is wrong with it comes back as the text of an error (001-44)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from troly.errors import InputError, TrolyError
from troly.text.catalogue import Lang
from troly_analysis.service_run import Deadline
from troly_analysis.tools_specs import TOOLS, Tool, tool_schemas
from troly_analysis.types import QueryAnswer, ToolCall, ToolRecord

if TYPE_CHECKING:
    from troly_analysis.service import DataQueryService

__all__ = ["TOOLS", "call_tool", "tool_schemas"]

_BY_NAME = {tool.name: tool for tool in TOOLS}
# A running statement ends within this time of being interrupted.
_ENDING_SECONDS = 5.0


async def call_tool(
    service: DataQueryService, call: ToolCall, call_id: str, deadline_seconds: float, language: Lang = "en"
) -> ToolRecord:
    """The call with its result or the text of its error, in `language`; never raises for what the call says.

    The query runs in a thread of its own and is interrupted after `deadline_seconds` or when this is cancelled.
    """
    given: object = call.arguments
    arguments = given if isinstance(given, Mapping) else {}
    deadline = Deadline(deadline_seconds)
    try:
        method, whole = _prepared(service, call)
        answer = await _in_thread(method, whole, deadline)
    except TrolyError as error:
        return ToolRecord(call.tool, call_id, arguments, error=error.render(language).line())
    return ToolRecord(call.tool, call_id, arguments, answer.result, run=answer.run)


async def _in_thread(
    method: Callable[..., QueryAnswer], given: Mapping[str, Any], deadline: Deadline
) -> QueryAnswer:
    work = asyncio.ensure_future(asyncio.to_thread(method, **given, deadline=deadline))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        deadline.stop()
        # The connection must be free again before the turn goes on.
        await asyncio.wait([work], timeout=_ENDING_SECONDS)
        if work.done() and not work.cancelled():
            work.exception()
        raise


def _prepared(service: DataQueryService, call: ToolCall) -> tuple[Callable[..., QueryAnswer], dict[str, Any]]:
    methods: dict[str, Callable[..., QueryAnswer]] = {
        "get_data_schema": service.schema,
        "aggregate_data": service.aggregate,
        "get_top_items": service.top_items,
        "compare_periods": service.compare,
        "execute_aggregation": service.execute_pipeline,
    }
    tool = _BY_NAME.get(call.tool)
    if tool is None:
        raise InputError("query.tool", name=str(call.tool)[:60], known=", ".join(_BY_NAME))
    return methods[tool.name], _arguments(tool, call.arguments)


def _arguments(tool: Tool, given: object) -> dict[str, Any]:
    """The arguments with the documents' defaults; raises InputError naming the one that is unknown or missing."""
    if not isinstance(given, Mapping):
        raise InputError("query.arguments", tool=tool.name)
    for name in given:
        if name not in tool.parameters and name not in tool.extras:
            known = ", ".join(tool.parameters)
            raise InputError("query.unknown_argument", tool=tool.name, name=str(name)[:60], known=known)
    whole = {**tool.defaults, **{name: value for name, value in given.items() if value is not None}}
    for name in tool.required:
        if name not in whole and name not in _OPTIONAL_ANYWAY:
            raise InputError("query.missing_argument", tool=tool.name, name=name)
    return whole


# The documents demand them, but nothing is lost without: the sheet has a date field of its own, and a pipeline
# speaks for itself.
_OPTIONAL_ANYWAY = frozenset({"date_field", "description"})
