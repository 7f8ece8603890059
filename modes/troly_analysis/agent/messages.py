"""What the data agent's model is told: the schema, the conversation, exact facts, and the results of its calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from troly.llm.types import Message
from troly.plugin.context import TurnContext
from troly.text.dates import format_date
from troly.text.sanitize import sanitize
from troly_analysis.answer.sentences import AnswerContext, render_answer
from troly_analysis.strings import prompts
from troly_analysis.types import Field, Sheet, ToolCall, ToolRecord, plain, result_json

NAME_CHARS, SHEETS, FIELDS = 60, 20, 60
ALL_VALUES, VALUE_CHARS, SOME_VALUES = 60, 1_500, 4
SHOWN_ROWS, ROWS, RESULT_CHARS, HISTORY_CHARS, TURNS, STEP = 10, 30, 6_000, 1_000, 20, 10


def schema_context(sheets: Sequence[Sheet]) -> str:
    """The sheets for the system prompt (001-09), one a line as JSON: names, types and spans, never a cell.

    Names are cut to one short line in quotes: what a file holds is data and cannot give orders.
    """
    return "\n".join(_json(_schema(sheet)) for sheet in sheets[:SHEETS])


def _schema(sheet: Sheet) -> dict[str, Any]:
    fields = {name_text(field.name): f"{field.kind} {field.unit}".strip() for field in sheet.fields[:FIELDS]}
    shown: dict[str, Any] = {"connection_name": name_text(sheet.name), "rows": sheet.rows, "fields": fields}
    if len(sheet.fields) > FIELDS:
        shown["more_fields"] = len(sheet.fields) - FIELDS
    if sheet.date_field:
        shown["date_field"] = name_text(sheet.date_field)
    if sheet.span:
        shown["days"] = " .. ".join(day.isoformat() for day in sheet.span)
    if sheet.metrics:
        shown["metrics"] = [name_text(metric.name) for metric in sheet.metrics[:FIELDS]]
    return shown


def values_text(sheets: Sequence[Sheet]) -> str:
    """What `get_data_schema` adds to the schema for a model: the values of columns of text, which are data and no orders.

    All values of a short column, a few of a long one, which ends in "…".
    """
    told = {
        name_text(sheet.name): {
            name_text(each.name): _values(each) for each in sheet.fields[:FIELDS] if each.examples
        }
        for sheet in sheets[:SHEETS]
    }
    return cut(_json(told))


def _values(found: Field) -> list[str]:
    if found.is_contact:
        return ["…"]
    short = found.distinct <= min(len(found.examples), ALL_VALUES)
    short = short and sum(map(len, found.examples)) <= VALUE_CHARS
    values = [name_text(value) for value in found.examples[: ALL_VALUES if short else SOME_VALUES]]
    return values if short else [*values, "…"]


def name_text(name: str) -> str:
    """A name from a file as one short line."""
    line = " ".join(sanitize(name, keep_newlines=False).split())
    return line if len(line) <= NAME_CHARS else f"{line[: NAME_CHARS - 1]}…"


def opening_messages(
    turn: TurnContext, sheets: Sequence[Sheet], asked: AnswerContext, facts: Sequence[str]
) -> list[Message]:
    """System prompt, the schema's values as a tool's result, the last turns, and the question with today, what was shown and facts.

    The first part is the same from turn to turn, so that a server keeps it evaluated; what changes stands last, and the
    window of earlier messages moves by ten at a time.
    """
    lang = asked.lang
    system = prompts().render("data_agent", lang, schema_context=schema_context(sheets))
    question = prompts().render(
        "question",
        lang,
        question=asked.text,
        today=f"{asked.today.isoformat()} ({format_date(asked.today)})",
        shown=_last_answer(turn),
        facts="; ".join(facts) or "-",
    )
    past = turn.chat_history()[:-1]
    history = past[max(0, len(past) - TURNS) // STEP * STEP :]
    earlier = [{"role": item["role"], "content": item["content"][:HISTORY_CHARS]} for item in history]
    return [
        {"role": "system", "content": system},
        call_message([ToolCall("get_data_schema", {})]),
        {"role": "tool", "tool_name": "get_data_schema", "content": values_text(sheets)},
        *earlier,
        {"role": "user", "content": question},
    ]


def _last_answer(turn: TurnContext) -> str:
    """What the last answer was asked, its calls, and its rows by their place, while people may still mean it; "-" for none.

    With the question and the calls of the answer before it, as "those two" may mean one of each.
    """
    focus = turn.focus
    if focus is None or not focus.query.get("calls"):
        return "-"
    rows = [
        {"place": place, "name": row.title, **row.values}
        for place, row in enumerate(focus.rows[:SHOWN_ROWS], 1)
    ]
    before = focus.query.get("before")
    shown = {
        **({"before": before} if before else {}),
        "question": focus.question,
        "calls": focus.query["calls"],
        **({"rows": _rounded(rows)} if rows else {}),
    }
    return cut(_json(shown))


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
            "result": _short(_rounded(result_json(record.result))),
        }
    return {"role": "tool", "tool_name": record.tool_name, "content": cut(sanitize(_json(body)))}


def _rounded(value: Any) -> Any:
    """Figures as answers write them: two decimals at most."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else round(value, 2)
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value


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
