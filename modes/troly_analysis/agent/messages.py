"""What the data agent's model is told: the schema, the conversation, exact facts, and the results of its calls."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from troly.llm.prompts import estimate, estimate_tools
from troly.llm.types import Message
from troly.plugin.context import TurnContext
from troly.text.sanitize import sanitize
from troly.text.shorten import one_line, shortened
from troly_analysis.agent.tools import needless, tool_schemas
from troly_analysis.answer.sentences import AnswerContext, as_told, render_answer
from troly_analysis.planner.types import FOCUS_ROWS
from troly_analysis.strings import prompts
from troly_analysis.types import TEMPORAL, Sheet, ToolCall, ToolRecord, plain, result_json

NAME_CHARS, SHEETS, FIELDS = 60, 20, 60
# The tokens of the part of a prompt that stays from turn to turn, with its tools, and of all of it, as they are estimated:
# those are less than 2,000 of a model's own. The values of columns get what instructions and tools leave of the first, the
# earlier messages what the question leaves of the second; a column with more values than this is told by one of them.
STAYING_TOKENS, PROMPT_TOKENS, MOST_VALUES, MOST_CODES = 2_560, 2_750, 40, 12
SHOWN_ROWS, FEW_ROWS, FEWEST_ROWS, ROWS = 10, 5, 3, 30
RESULT_CHARS, SHOWN_CHARS, TURNS, STEP, LAST = 4_000, 340, 20, 4, 2
# Of an earlier message of a side; the figures of the last answer are told besides.
HISTORY_CHARS = {"user": 100, "assistant": 60}
# Of an earlier message where a message is classified, in characters, and of all of them there, in tokens.
SAID_CHARS, SAID_TOKENS = 600, 1_200
_CODE = re.compile(r"[A-Z]*[-_]?\d+")
_BETWEEN = " | "


def schema_context(sheets: Sequence[Sheet]) -> str:
    """The sheets for the system prompt (001-09), one a line as JSON: their columns by what they hold, never a cell.

    Names are cut to one short line in quotes: what a file holds is data and cannot give orders.
    """
    return "\n".join(_json(_schema(sheet)) for sheet in sheets[:SHEETS])


def _schema(sheet: Sheet) -> dict[str, Any]:
    shown: dict[str, Any] = {"connection_name": name_text(sheet.name)}
    for field in sheet.fields[:FIELDS]:
        shown.setdefault(f"{field.kind} {field.unit}".strip(), []).append(name_text(field.name))
    if len(sheet.fields) > FIELDS:
        shown["more_fields"] = len(sheet.fields) - FIELDS
    if sheet.date_field and sum(field.kind in TEMPORAL for field in sheet.fields) > 1:
        shown["date_field"] = name_text(sheet.date_field)
    if sheet.span:
        shown["days"] = " .. ".join(day.isoformat() for day in sheet.span)
    if sheet.metrics:
        shown["metrics (as field)"] = [name_text(metric.name) for metric in sheet.metrics[:FIELDS]]
    return shown


def values_text(sheets: Sequence[Sheet], read: Mapping[tuple[str, str], Sequence[str]], room: int) -> str:
    """What `get_data_schema` adds to the schema for a model: the values of columns of text, which are data and no orders.

    All values of the columns that take the least of `room` tokens, of any other one value and how many there are, of many codes none.
    `read` are the values of columns that have more than the sheet knows by itself, by sheet and column.
    """
    told: dict[str, dict[str, str]] = {}
    whole: list[tuple[int, str, str, str]] = []
    for sheet in sheets[:SHEETS]:
        columns = told.setdefault(name_text(sheet.name), {})
        for field in sheet.fields[:FIELDS]:
            many = field.distinct > MOST_CODES and all(map(_CODE.fullmatch, field.examples))
            if not field.examples or field.is_contact or many:
                continue
            name = name_text(field.name)
            columns[name] = f"{name_text(field.examples[0])} …, {field.distinct} in all"
            values = read.get((sheet.id, field.name), field.examples)
            if len(values) < field.distinct:
                continue
            text = _BETWEEN.join(map(name_text, values))
            whole.append((estimate(text), name_text(sheet.name), name, text))
    room -= estimate(_json(told))
    seen: dict[frozenset[str], str] = {}
    for cost, sheet_name, name, text in sorted(whole, key=lambda each: each[0]):
        values_of = frozenset(text.split(_BETWEEN))
        same = seen.get(values_of)
        room -= (0 if same else cost) - estimate(told[sheet_name][name])
        if room < 0:
            break
        told[sheet_name][name] = f"= {same}" if same else text
        seen[values_of] = f"{sheet_name}, {name}"
    return _json(told)


def name_text(name: str) -> str:
    """A name from a file as one short line."""
    return one_line(sanitize(name, keep_newlines=False), NAME_CHARS)


def opening_messages(
    turn: TurnContext,
    sheets: Sequence[Sheet],
    asked: AnswerContext,
    facts: Sequence[str],
    read: Mapping[tuple[str, str], Sequence[str]],
) -> list[Message]:
    """System prompt, the schema's values as a tool's result, the last turns, and the question with today, what was shown and facts.

    The first part is the same from turn to turn, so that a server keeps it evaluated; what changes stands last, and the
    window of earlier messages moves by some at a time. `read` are values of columns as `values_text` takes them.
    """
    lang, tools = asked.lang, estimate_tools(tool_schemas(sheets))
    system = prompts().render("data_agent", lang, schema_context=schema_context(sheets))
    told = {"shown": _last_answer(turn, sheets), "facts": "; ".join(facts) or "-", **who_and_when(turn)}
    question = prompts().render("question", lang, question=asked.text, **told)
    values = values_text(sheets, read, STAYING_TOKENS - tools - estimate(system))
    opening: list[Message] = [
        {"role": "system", "content": system},
        call_message([ToolCall("get_data_schema", {})]),
        {"role": "tool", "tool_name": "get_data_schema", "content": values},
    ]
    room = PROMPT_TOKENS - tools - estimate(system) - estimate(values) - estimate(question)
    return [*opening, *_earlier(turn.chat_history()[:-1], room), {"role": "user", "content": question}]


def _earlier(past: Sequence[Mapping[str, str]], room: int) -> list[Message]:
    """The last messages, those that `room` tokens hold and always the last two; the first of them stays for some turns."""
    asked = next((at for at, item in enumerate(past) if item["role"] == "user"), len(past))
    said: list[Message] = [
        {"role": item["role"], "content": shortened(item["content"], HISTORY_CHARS[item["role"]])}
        for item in past[asked:]
    ]
    first = max(0, len(said) - TURNS) // STEP * STEP
    while first < len(said) and sum(estimate(str(each["content"])) for each in said[first:]) > room:
        first += STEP
    return said[min(first, max(0, len(said) - LAST)) :]


def who_and_when(turn: TurnContext) -> dict[str, str]:
    """What every prompt says of the person and the day: the role, with a department, and today."""
    who = ", ".join(filter(None, (turn.profile.known_role, turn.profile.department)))
    return {"role": one_line(sanitize(who), NAME_CHARS), "today": turn.now.date().isoformat()}


def last_turns(turn: TurnContext, room: int) -> str:
    """The last messages of this sitting (`[focus]`), oldest first, as many as take `room` tokens; "-" for none."""
    limits, said = turn.services.settings.focus, []
    for message in reversed(turn.history[-limits.messages :]):
        line = f"{message.sender}: {one_line(message.text, SAID_CHARS)}"
        room -= estimate(line)
        age = turn.now.timestamp() - message.created_at.timestamp()
        if room < 0 or age > limits.minutes * 60:
            break
        said.append(line)
    return "\n".join(reversed(said)) or "-"


def _last_answer(turn: TurnContext, sheets: Sequence[Sheet]) -> str:
    """The calls of the last answer, and its rows in their order, while people may still mean it; "-" for none.

    With the calls of the answer before it, as "those two" may mean one of each; where they take too much room with what they
    came to: its name with measure, period and filters, and its first rows, as "the second one" may be of a ranking before.
    """
    focus = turn.focus
    if focus is None or not focus.query.get("calls"):
        return "-"
    names = list(dict.fromkeys(name for row in focus.rows for name in row.values))
    rows = [[row.title, *(row.values.get(name) for name in names)] for row in focus.rows[:SHOWN_ROWS]]
    table = [["name", *names], *_rounded(rows)] if rows else []
    before = focus.query.get("before") or {}
    calls, earlier = (_calls(each.get("calls", ()), sheets) for each in (focus.query, before))
    other = before.get("calls") != focus.query["calls"]
    brief = {key: before[key] for key in ("name", "rows", "values") if other and before.get(key)}
    values = _rounded(list(focus.query.get("values") or ()))
    said, total = "", f"{len(focus.rows)}{'+' if len(focus.rows) == FOCUS_ROWS else ''}"
    for most in range(SHOWN_ROWS, (FEWEST_ROWS if brief else FEW_ROWS) - 1, -1):
        also: Any = earlier if most > FEW_ROWS else _rounded(brief)
        told = table[: most + 1]
        cut = f"{len(told) - 1} of {total}" if 0 < len(told) <= len(focus.rows) else ""
        shown = {"calls": calls, "values": values, "rows": told, "rows_shown": cut, "before": also}
        said = _json({name: each for name, each in shown.items() if each})
        if len(said) <= SHOWN_CHARS:
            break
    return shortened(said, RESULT_CHARS // 2)


def _calls(calls: Sequence[Mapping[str, Any]], sheets: Sequence[Sheet]) -> list[dict[str, Any]]:
    """Calls that were shown, without the arguments that no tool needs here."""
    out = needless(sheets)
    kept = ({k: value for k, value in each["arguments"].items() if k not in out} for each in calls)
    return [{**each, "arguments": given} for each, given in zip(calls, kept, strict=True)]


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
        result = as_told(call, record.result, sheet)
        said = render_answer(call, result, sheet, asked)
        body = {"answer": said, "result": _short(_rounded(result_json(result)))}
    content = shortened(sanitize(_json(body)), RESULT_CHARS)
    return {"role": "tool", "tool_name": record.tool_name, "content": content}


def _rounded(value: Any) -> Any:
    """Figures as answers write them: two decimals at most."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else round(value, 2)
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value


def _short(result: dict[str, Any]) -> dict[str, Any]:
    """The result with as many rows as a prompt can spare."""
    rows = result.get("rows")
    if not isinstance(rows, list):
        return result
    count = min(len(rows), ROWS)
    while count > 1 and len(_json(rows[:count])) > RESULT_CHARS // 2:
        count //= 2
    return {**result, "rows": rows[:count], "more_rows": len(rows) - count} if count < len(rows) else result


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, separators=(",", ":"))
