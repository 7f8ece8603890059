"""Runs a tool call within a turn and tells the turn when it starts and when it ends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from troly.plugin.context import TurnContext
from troly.plugin.events import (
    Event,
    StepFinished,
    StepStarted,
    Token,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from troly.recording import measured
from troly.text.numbers import format_number
from troly_analysis.service import DEADLINE_SECONDS
from troly_analysis.strings import say
from troly_analysis.types import Sheet, ToolCall, ToolRecord

if TYPE_CHECKING:
    from troly_analysis.service import DataQueryService

NODE, AGENT = "data_agent_node", "data_agent"
_NAMES: dict[type, str] = {
    TurnStarted: "chat:message:started",
    Token: "chat:message:token",
    TurnCompleted: "chat:message:completed",
    TurnFailed: "chat:message:failed",
}
_TOOL: dict[type, str] = {StepStarted: "chat:message:tool_start", StepFinished: "chat:message:tool_end"}


def socket_event(event: Event) -> str | None:
    """The documents' name for an event of a turn (001-43); None for what they do not name.

    A tool's start and end are the StepStarted and StepFinished that carry its name in `tool`.
    """
    if isinstance(event, (StepStarted, StepFinished)):
        return _TOOL[type(event)] if event.tool else None
    return _NAMES.get(type(event))


async def run_tool(turn: TurnContext, service: DataQueryService, call: ToolCall, number: int) -> ToolRecord:
    """Run one call; its record holds the result or the error. Cancelling it stops the query."""
    from troly_analysis.tools import call_tool

    began, record = time.perf_counter(), None
    turn.emit(StepStarted(NODE, AGENT, call.tool))
    try:
        record = await call_tool(service, call, f"call_{number}", DEADLINE_SECONDS, turn.language)
    finally:
        ms = measured(f"analysis.{call.tool}", (time.perf_counter() - began) * 1000)
        failed = record is None or record.error is not None
        detail = _detail(turn, record)
        turn.emit(StepFinished(NODE, ms, None, detail, AGENT, call.tool, failed=failed))
    return record


def sheet_of(call: ToolCall, sheets: tuple[Sheet, ...]) -> Sheet | None:
    """The sheet that a call names, None where it names none of these."""
    from troly_analysis.service_fields import same_name

    return same_name(str(call.arguments.get("connection_name") or ""), sheets)


def _detail(turn: TurnContext, record: ToolRecord | None) -> str:
    if record is None:
        return ""
    if record.result is None:
        return record.error or ""
    rows = record.run.rows_read if record.run else 0
    return say(
        "step.tool_ok", turn.language, rows=format_number(rows, turn.language), kind=record.result.kind
    )
