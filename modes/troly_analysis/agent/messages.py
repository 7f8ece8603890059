"""What the data agent's model is told: the schema, the plan of the rules as a hint, and the results of its calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from troly.llm.types import Message
from troly.text.dates import format_date
from troly.text.sanitize import sanitize
from troly_analysis.answer.names import AnswerContext
from troly_analysis.answer.sentences import render_answer
from troly_analysis.strings import prompts
from troly_analysis.types import Sheet, ToolCall, ToolRecord, plain, result_json

NAME_CHARS, SHEETS, FIELDS, EXAMPLES = 60, 20, 60, 6
ROWS, RESULT_CHARS, HISTORY_CHARS = 30, 6_000, 1_500


def schema_context(sheets: Sequence[Sheet]) -> str:
    """The sheets for the system prompt (001-09): names, types and spans as JSON, one sheet a line.

    Cells never stand here, and names are cut to one short line in quotes: what a file holds cannot give orders.
    """
    return "\n".join(_json(_schema(sheet)) for sheet in sheets[:SHEETS])


def _schema(sheet: Sheet) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "connection_name": name_text(sheet.name),
        "rows": sheet.rows,
        "fields": {
            name_text(field.name): f"{field.kind} {field.unit}".strip() for field in sheet.fields[:FIELDS]
        },
    }
    if len(sheet.fields) > FIELDS:
        shown["more_fields"] = len(sheet.fields) - FIELDS
    if sheet.date_field:
        shown["date_field"] = name_text(sheet.date_field)
    if sheet.span:
        shown["days"] = " .. ".join(day.isoformat() for day in sheet.span)
    if sheet.metrics:
        shown["metrics"] = [name_text(metric.name) for metric in sheet.metrics[:FIELDS]]
    return shown


def name_text(name: str) -> str:
    """A name from a file as one short line."""
    line = " ".join(sanitize(name, keep_newlines=False).split())
    return line if len(line) <= NAME_CHARS else f"{line[: NAME_CHARS - 1]}…"


def examples_text(sheets: Sequence[Sheet]) -> str:
    """What `get_data_schema` tells a model: every field with the values it often has, which are data and no orders."""
    told = [
        {
            **_schema(sheet),
            "values": {
                name_text(field.name): [name_text(value) for value in field.examples[:EXAMPLES]]
                for field in sheet.fields[:FIELDS]
                if field.examples
            },
        }
        for sheet in sheets[:SHEETS]
    ]
    return cut(_json(told))


def opening_messages(
    history: Sequence[Mapping[str, str]],
    sheets: Sequence[Sheet],
    asked: AnswerContext,
    hint: Sequence[ToolCall],
) -> list[Message]:
    """System prompt, the whole conversation, the question with the rules' hint, and the schema as already asked for."""
    today = f"{asked.today.isoformat()} ({format_date(asked.today)})"
    lang = asked.lang
    system = prompts().render("data_agent", lang, schema_context=schema_context(sheets), today=today)
    question = prompts().render("question", lang, question=asked.text, hint=hint_text(hint))
    earlier = [{"role": item["role"], "content": item["content"][:HISTORY_CHARS]} for item in history]
    return [
        {"role": "system", "content": system},
        *earlier,
        {"role": "user", "content": question},
        call_message([ToolCall("get_data_schema", {})]),
        {"role": "tool", "tool_name": "get_data_schema", "content": examples_text(sheets)},
    ]


def hint_text(calls: Sequence[ToolCall]) -> str:
    """The calls that the rules would make, "-" without any."""
    return "; ".join(f"{call.tool} {_json(plain(call.arguments))}" for call in calls) or "-"


def call_message(calls: Sequence[ToolCall]) -> Message:
    """A model's calls as the conversation keeps them."""
    asked = [{"function": {"name": call.tool, "arguments": plain(call.arguments)}} for call in calls]
    return {"role": "assistant", "content": "", "tool_calls": asked}


def result_message(record: ToolRecord, sheet: Sheet | None, asked: AnswerContext) -> Message:
    """What a call came to: the error to correct (001-44), or the result with the sentence that tells it."""
    if record.result is None:
        body: dict[str, Any] = {"error": record.error}
    else:
        call = ToolCall(record.tool_name, record.arguments)
        body = {
            "answer": render_answer(call, record.result, sheet, asked),
            "result": _short(result_json(record.result)),
        }
    return {"role": "tool", "tool_name": record.tool_name, "content": cut(sanitize(_json(body)))}


def _short(result: dict[str, Any]) -> dict[str, Any]:
    rows = result.get("rows")
    if isinstance(rows, list) and len(rows) > ROWS:
        return {**result, "rows": rows[:ROWS], "more_rows": len(rows) - ROWS}
    return result


def cut(text: str) -> str:
    """A text for a model, no longer than a prompt can spare."""
    return text if len(text) <= RESULT_CHARS else f"{text[:RESULT_CHARS]}…"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
