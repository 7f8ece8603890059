"""How an answer was computed: the query that ran, what it does step by step, and facts about its run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from troly.plugin.events import Computation
from troly.text.catalogue import Lang
from troly.text.dates import format_date
from troly.text.numbers import format_number
from troly_analysis.answer import periods_of
from troly_analysis.answer_names import (
    Asked,
    day_of,
    figure_name,
    filters_text,
    group_name,
    meant,
    period_of,
    small,
)
from troly_analysis.strings import say
from troly_analysis.types import Sheet, ToolCall, ToolRecord

RERUN = "/pipeline "
SHOWN = 300
_STAGES = {
    "$match": "match", "$group": "group", "$sort": "sort", "$limit": "limit",
    "$project": "project", "$lookup": "lookup", "$unwind": "unwind", "$count": "counted",
}  # fmt: skip


def computations(record: ToolRecord, sheet: Sheet | None, asked: Asked) -> list[Computation]:
    """What is shown of one call: the SQL that ran, for a pipeline the pipeline too, ready to be edited and run again."""
    call = ToolCall(record.tool_name, record.arguments)
    facts = tuple(_facts(record, sheet, asked))
    shown = []
    if call.tool == "execute_aggregation":
        name = sheet.name if sheet else str(call.arguments.get("connection_name") or "")
        code = pipeline_text(name, call.arguments.get("pipeline"))
        explained = tuple(_stages(call, asked.lang))
        shown.append(Computation("json", code, explained, facts, RERUN))
    if record.run is not None and record.run.sql:
        explained = () if shown else tuple(_steps(call, sheet, asked))
        shown.append(Computation("sql", record.run.sql, explained, () if shown else facts))
    return shown


def pipeline_text(sheet: str, pipeline: Any) -> str:
    """A pipeline with its sheet as it is typed after `/pipeline`: one stage a line."""
    stages = pipeline if isinstance(pipeline, list) else []
    lines = ",\n".join(f"    {_json(stage)}" for stage in stages)
    body = f"[\n{lines}\n  ]" if lines else "[]"
    return f'{{\n  "sheet": {_json(sheet)},\n  "pipeline": {body}\n}}'


def _facts(record: ToolRecord, sheet: Sheet | None, asked: Asked) -> list[tuple[str, str]]:
    lang = asked.lang
    facts = [(say("card.tool", lang), record.tool_name)]
    if sheet is not None:
        facts.append((say("card.sheet", lang), sheet.name))
    given = {
        name: value
        for name, value in record.arguments.items()
        if name not in {"pipeline", "connection_name"} and value not in (None, "", {}, [])
    }
    if given:
        facts.append((say("card.arguments", lang), _cut(_json(given))))
    call = ToolCall(record.tool_name, record.arguments)
    days = [text for start, end in periods_of(call) if (text := meant(start, end, asked))]
    if days:
        facts.append((say("card.meant", lang), "; ".join(days)))
    if record.run is not None:
        facts.append((say("card.read", lang), format_number(record.run.rows_read, lang)))
        if record.run.span is not None:
            facts.append((say("card.span", lang), " - ".join(format_date(day) for day in record.run.span)))
        facts.append((say("card.ms", lang), f"{format_number(record.run.ms, lang, 1)} ms"))
    return facts


def _steps(call: ToolCall, sheet: Sheet | None, asked: Asked) -> list[str]:
    """One sentence a step for the simple tools."""
    lang, arguments = asked.lang, call.arguments
    lines = [say("how.sheet", lang, sheet=sheet.name)] if sheet else []
    if what := filters_text(call, sheet, lang).strip(" ()"):
        lines.append(say("how.filter", lang, what=what))
    field = str(arguments.get("date_field") or (sheet.date_field if sheet else ""))
    start, end = period_of(call) if call.tool == "aggregate_data" else (None, None)
    if start or end:
        first, last = (format_date(day) if day else "…" for day in (start, end))
        name = field or say("how.date_default", lang)
        lines.append(say("how.dates", lang, field=name, first=first, last=last))
    if call.tool == "get_top_items":
        return lines + _ranking(arguments, lang)
    group = str(arguments.get("group_by") or "")
    figure = figure_name(call, sheet, lang)
    key = "how.compute_by" if group else "how.compute"
    lines.append(say(key, lang, figure=figure, **({"group": group_name(group, lang)} if group else {})))
    if call.tool == "compare_periods":
        for number in (1, 2):
            days = [day_of(arguments.get(f"period{number}_{end}")) for end in ("from", "to")]
            first, last = (format_date(day) if day else "…" for day in days)
            lines.append(say("how.period", lang, number=number, first=first, last=last))
        lines.append(say("how.percent", lang))
    return lines


def _ranking(arguments: Mapping[str, Any], lang: Lang) -> list[str]:
    lines = []
    by = str(arguments.get("sort_field") or "")
    if group := str(arguments.get("group_by") or ""):
        field = str(arguments.get("aggregate_field") or by)
        lines.append(say("how.group_sum", lang, group=group_name(group, lang), field=small(field)))
    order = "asc" if arguments.get("sort_order") == "asc" else "desc"
    return [*lines, say(f"how.sort_{order}", lang, field=small(by), count=arguments.get("limit") or 10)]


def _stages(call: ToolCall, lang: Lang) -> list[str]:
    pipeline = call.arguments.get("pipeline")
    lines = []
    for stage in pipeline if isinstance(pipeline, list) else []:
        for name, body in stage.items() if isinstance(stage, Mapping) else ():
            key = _STAGES.get(str(name), "other")
            more = {"stage": name} if key == "other" else {}
            lines.append(say(f"how.{key}", lang, what=_cut(_stage_words(str(name), body)), **more))
    return lines


def _stage_words(name: str, body: Any) -> str:
    if name == "$group" and isinstance(body, Mapping):
        made = ", ".join(str(key) for key in body if key != "_id")
        return f"{_json(body.get('_id'))}" + (f" → {made}" if made else "")
    if name == "$lookup" and isinstance(body, Mapping):
        return f"{body.get('from')} ({body.get('localField')} = {body.get('foreignField')})"
    if name == "$project" and isinstance(body, Mapping):
        return ", ".join(str(key) for key, kept in body.items() if kept not in (0, False))
    if name == "$sort" and isinstance(body, Mapping):
        return ", ".join(f"{key} {'↓' if way == -1 else '↑'}" for key, way in body.items())
    return body if isinstance(body, str) else _json(body)


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
