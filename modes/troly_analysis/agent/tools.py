"""The five tools of the data agent as the documents name them, with the schemas a model is given (001-10 to 001-15)."""

from __future__ import annotations

import asyncio
import json
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from troly.errors import InputError, TrolyError
from troly.plugin.context import TurnContext
from troly.plugin.events import StepFinished, StepStarted
from troly.recording import duration
from troly.text.catalogue import Lang
from troly.text.numbers import format_number
from troly_analysis.answer.cards import RERUN
from troly_analysis.query.fields import same_name
from troly_analysis.query.service import DEADLINE_SECONDS, DataQueryService
from troly_analysis.query.sql import Deadline
from troly_analysis.strings import say
from troly_analysis.types import TEMPORAL, QueryAnswer, Sheet, ToolCall, ToolRecord

_FILE: Mapping[str, Any] = tomllib.loads((Path(__file__).parent / "tools.toml").read_text(encoding="utf-8"))
ANSWERS = "answers"
CHARTS: tuple[str, ...] = tuple(_FILE["parameters"][ANSWERS]["enum"][1:])
"""How a result is shown that is the answer: read by the agent, and never part of the query."""


# The documents demand them, but nothing is lost without: the sheet has a date field of its own, and a pipeline
# speaks for itself.
_OPTIONAL_ANYWAY = frozenset({"date_field", "description"})


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its parameters in the documents' order, which of them must be given, and the others' defaults.

    `extras` are what the documents' tools lack: they may be given, and are shown to a model as well.
    """

    name: str
    description: str
    parameters: tuple[str, ...]
    required: tuple[str, ...]
    defaults: Mapping[str, Any]
    extras: tuple[str, ...]

    def schema(self, told: set[str], out: frozenset[str]) -> dict[str, Any]:
        """The tool as Ollama's `tools` takes it; of the parameters `told` by a tool before it the type alone."""
        every = _FILE["parameters"]
        named = (*self.parameters, *self.extras, *((ANSWERS,) if self.required else ()))
        names = [name for name in named if name not in out]
        properties = {name: {"type": every[name]["type"]} if name in told else every[name] for name in names}
        told.update(properties)
        required = [name for name in self.required if name not in _OPTIONAL_ANYWAY]
        parameters = {"type": "object", "properties": properties, "required": required}
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}


def _tool(name: str, given: Mapping[str, Any]) -> Tool:
    left_out = (each for each in given["parameters"] if each not in given["required"])
    return Tool(
        name,
        given["description"],
        tuple(given["parameters"]),
        tuple(given["required"]),
        {**dict.fromkeys(left_out), **given.get("defaults", {})},
        tuple(given.get("extras", ())),
    )


TOOLS: tuple[Tool, ...] = tuple(_tool(name, given) for name, given in _FILE["tools"].items())


def tool_schemas(sheets: Sequence[Sheet]) -> list[dict[str, Any]]:
    """All five tools for Ollama, with the parameters that these sheets need."""
    told: set[str] = set()
    return [tool.schema(told, needless(sheets)) for tool in TOOLS]


def needless(sheets: Sequence[Sheet]) -> frozenset[str]:
    """The parameters that these sheets give no choice for: a date's column where none of them has two."""
    several = any(sum(field.kind in TEMPORAL for field in sheet.fields) > 1 for sheet in sheets)
    return frozenset() if several else frozenset({"date_field"})


# Runs a call of one of the five tools; what is wrong with it comes back as the text of an error (001-44).


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


# Runs a tool call within a turn and tells the turn when it starts and when it ends.


NODE, AGENT = "data_agent_node", "data_agent"


async def run_tool(turn: TurnContext, service: DataQueryService, call: ToolCall, number: int) -> ToolRecord:
    """Run one call; its record holds the result or the error. Cancelling it stops the query."""
    began, record = time.perf_counter(), None
    turn.emit(StepStarted(NODE, AGENT, call.tool))
    try:
        record = await call_tool(service, call, f"call_{number}", DEADLINE_SECONDS, turn.language)
    finally:
        ms = duration(f"analysis.{call.tool}", (time.perf_counter() - began) * 1000)
        failed = record is None or record.error is not None
        detail = _detail(turn, record)
        turn.emit(StepFinished(NODE, ms, None, detail, AGENT, call.tool, failed=failed))
    return record


def sheet_of(call: ToolCall, sheets: tuple[Sheet, ...]) -> Sheet | None:
    """The sheet that a call names, None where it names none of these."""
    return same_name(str(call.arguments.get("connection_name") or ""), sheets)


def _detail(turn: TurnContext, record: ToolRecord | None) -> str:
    if record is None:
        return ""
    if record.result is None:
        return record.error or ""
    rows = format_number(record.run.rows_read if record.run else 0, turn.language)
    return say("step.tool_ok", turn.language, rows=rows, kind=record.result.kind)


# Pipelines that a person types after `/pipeline`: read, given a sheet, and run under the same guard as a model's.


COMMAND = RERUN.strip()


@dataclass(frozen=True, slots=True)
class TypedPipeline:
    """A typed pipeline as a call, or the sentence that says what is wrong with it."""

    call: ToolCall | None = None
    problem: str = ""


def is_typed(text: str) -> bool:
    """Whether a message is a pipeline to be run rather than a question."""
    head = text.lstrip()[: len(COMMAND) + 1].lower()
    return head.startswith(COMMAND) and (len(head) == len(COMMAND) or head[-1].isspace() or head[-1] in "[{")


def read_typed(text: str, sheets: Sequence[Sheet], last: str, lang: Lang) -> TypedPipeline:
    """`/pipeline {"sheet": …, "pipeline": […]}`, or `/pipeline NAME […]`, or `/pipeline […]` on the sheet used last."""
    body = text.strip()[len(COMMAND) :].strip()
    at = min((place for mark in "[{" if (place := body.find(mark)) >= 0), default=len(body))
    name, code = body[:at].strip(), body[at:]
    try:
        value: Any = json.loads(code)
    except json.JSONDecodeError as error:
        lines = code[: error.pos].count("\n") + 1
        where = {"line": lines, "column": error.colno, "detail": error.msg}
        return TypedPipeline(problem=say("pipeline.bad_json", lang, **where))
    except RecursionError:
        return TypedPipeline(problem=say("pipeline.bad_shape", lang))
    if isinstance(value, dict) and "pipeline" in value:
        name = str(value.get("sheet") or value.get("connection_name") or name)
        value = value["pipeline"]
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return TypedPipeline(problem=say("pipeline.bad_shape", lang))
    sheet = _sheet(name, sheets, last)
    if sheet is None and not name:
        names = ", ".join(each.name for each in sheets)
        return TypedPipeline(problem=say("pipeline.which", lang, names=names))
    given = {"connection_name": sheet.name if sheet else name, "pipeline": value, "description": ""}
    return TypedPipeline(ToolCall("execute_aggregation", given))


def _sheet(name: str, sheets: Sequence[Sheet], last: str) -> Sheet | None:
    if name:
        return same_name(name, sheets)
    if len(sheets) == 1:
        return sheets[0]
    return same_name(last, sheets) if last else None
