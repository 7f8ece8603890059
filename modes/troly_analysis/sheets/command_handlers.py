"""What the `app sheets …` commands do."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from troly.errors import InputError
from troly.plugin.contract import CommandRequest, CommandResult, MemoryItem, QueryTable
from troly.plugin.events import Table
from troly.text.catalogue import Lang
from troly.text.dates import HCM, format_date
from troly.text.numbers import format_number
from troly_analysis.agent.tools import COMMAND, read_typed
from troly_analysis.pipeline.allow_list import operators_by_group
from troly_analysis.pipeline.errors import At, PipelineError
from troly_analysis.sheets.overview import doubts, fields_table, kind_text, sheet_record
from troly_analysis.sheets.records import key_of
from troly_analysis.sheets.store import SheetStore
from troly_analysis.strings import say
from troly_analysis.types import Result, Sheet, is_number, plain

MAX_FILE = 1 << 20
_LIST = ("name", "rows", "columns", "span", "imported", "source", "id")


def list_sheets(request: CommandRequest) -> CommandResult:
    """All sheets of the person. Raises StoreError."""
    lang = request.language
    sheets = SheetStore(request.services).sheets(request.profile.login)
    table = Table(
        columns=tuple(say(f"sheets.list_{name}", lang) for name in _LIST),
        rows=tuple(_list_row(sheet, lang) for sheet in sheets),
        numeric=(1, 2),
    )
    count, owner = format_number(len(sheets), lang), request.profile.login
    summary = say("sheets.listed" if sheets else "sheets.no_sheets", lang, count=count, owner=owner)
    return CommandResult(table, records=tuple(map(sheet_record, sheets)), summary=summary)


def _list_row(sheet: Sheet, lang: Lang) -> tuple[str, ...]:
    span = f"{format_date(sheet.span[0])} … {format_date(sheet.span[1])}" if sheet.span else ""
    source = say("sheets.sample_source", lang, source=sheet.source) if sheet.samples else sheet.source
    imported = format_date(sheet.imported_at.astimezone(HCM).date())
    rows, columns = format_number(sheet.rows, lang), str(len(sheet.fields))
    return (sheet.name, rows, columns, span, imported, source, sheet.id)


def show_sheet(request: CommandRequest) -> CommandResult:
    """The columns of one sheet with their figures, its metrics, what was not sure. Raises InputError, StoreError."""
    lang = request.language
    sheet = SheetStore(request.services).sheet(request.profile.login, request.text("sheet"))
    text = "\n".join(metric.text for metric in sheet.metrics)
    parts = ", ".join(filter(None, _list_row(sheet, lang)[3:6]))
    told = [f"{sheet.name}: {parts}", *doubts(sheet, lang)]
    table, records = fields_table(sheet, lang), (sheet_record(sheet),)
    return CommandResult(table, text=text, records=records, summary="\n".join(told))


def remove_sheet(request: CommandRequest) -> CommandResult:
    """Remove one sheet with its metrics. Raises InputError, StoreError."""
    sheet = SheetStore(request.services).remove(request.profile.login, request.text("sheet"))
    return CommandResult(
        records=({"removed": sheet.name, "id": sheet.id},),
        summary=say("sheets.removed", request.language, name=sheet.name, owner=sheet.owner),
    )


def metric(request: CommandRequest) -> CommandResult:
    """Define, remove or list metrics of one sheet. Raises InputError that says where a definition is wrong."""
    store, owner, lang = SheetStore(request.services), request.profile.login, request.language
    name, text, gone = request.text("sheet"), request.text("definition"), request.text("remove")
    if text and gone:
        raise InputError("metric.both")
    if text:
        kept = store.set_metric(owner, name, text)
        summary = say("sheets.metric_kept", lang, name=kept.name)
        return CommandResult(text=kept.text, records=(asdict(kept),), summary=summary)
    if gone:
        removed = store.remove_metric(owner, name, gone)
        summary = say("sheets.metric_removed", lang, name=removed.name)
        return CommandResult(records=({"removed": removed.name},), summary=summary)
    metrics = store.sheet(owner, name).metrics
    return CommandResult(
        text="\n".join(one.text for one in metrics),
        records=tuple(map(asdict, metrics)),
        summary="" if metrics else say("sheets.no_metrics", lang),
    )


# The metrics as what is remembered of a person: `<sheet>/<metric>`.


def remembered(request: CommandRequest) -> tuple[MemoryItem, ...]:
    """The metrics of all sheets. Raises StoreError."""
    sheets = SheetStore(request.services).sheets(request.profile.login)
    held = ((sheet, one) for sheet in sheets for one in sheet.metrics)
    return tuple(MemoryItem(f"{s.id}/{one.name}", one.text, s.name, editable=True) for s, one in held)


def change_metric(request: CommandRequest) -> CommandResult:
    """Let a metric be what `text` defines, or forget it where there is none. Raises InputError, StoreError."""
    store, owner = SheetStore(request.services), request.profile.login
    sheet, _, name = request.text("id").partition("/")
    kept = store.set_metric(owner, sheet, request.text("text")) if request.text("text") else None
    if kept is None or key_of(kept.name) != key_of(name):
        store.remove_metric(owner, sheet, name)
    return CommandResult(text=kept.text if kept else "")


def pipeline(request: CommandRequest) -> CommandResult:
    """Run a pipeline from a JSON file over one sheet (001-15). Raises InputError."""
    return _run_pipeline(request, request.text("sheet"), _stages(Path(request.text("file"))))


def _run_pipeline(request: CommandRequest, sheet: str, stages: Any) -> CommandResult:
    from troly_analysis.query.service import DataQueryService

    service = DataQueryService(SheetStore(request.services), request.profile.login, clock=lambda: request.now)
    answer = service.execute_pipeline(sheet, stages)
    result, lang = answer.result, request.language
    table = Table(
        columns=result.columns,
        rows=tuple(tuple(_cell_text(cell, lang) for cell in row) for row in result.rows),
        numeric=_numeric(result.rows, len(result.columns)),
    )
    told = [say("sheets.pipeline_rows", lang, count=format_number(len(result.rows), lang))]
    if result.truncated:
        told.append(say("sheets.truncated", lang))
    return CommandResult(table, records=_records(result), summary=" ".join(told))


# Pipelines that a person writes: `{"sheet": …, "pipeline": […]}`, run under the guard of every pipeline.


def own_tables(request: CommandRequest) -> tuple[QueryTable, ...]:
    """The sheets of the person. Raises StoreError."""
    sheets = SheetStore(request.services).sheets(request.profile.login)
    lang = request.language
    kinds = ((one.name, {each.name: kind_text(each, lang) for each in one.fields}) for one in sheets)
    return tuple(QueryTable(*each) for each in kinds)


def own_operators() -> tuple[str, ...]:
    """Everything that a pipeline may hold."""
    return tuple(dict.fromkeys(name for names in operators_by_group().values() for name in names))


def own_example(request: CommandRequest) -> str:
    """The rows of the first sheet. Raises StoreError."""
    names = [one.name for one in SheetStore(request.services).sheets(request.profile.login)]
    stages = '[\n    {"$match": {}},\n    {"$limit": 20}\n  ]'
    first = json.dumps(next(iter(names), ""), ensure_ascii=False)
    return f'{{\n  "sheet": {first},\n  "pipeline": {stages}\n}}'


def run_own(request: CommandRequest) -> CommandResult:
    """The rows of a pipeline. Raises InputError with its place, StoreError."""
    text, owner, lang = request.text("query"), request.profile.login, request.language
    try:
        json.loads(text)
        read = read_typed(f"{COMMAND} {text}", SheetStore(request.services).sheets(owner), "", lang)
        if read.call is None:
            raise InputError("sheets.pipeline_text", reason=read.problem)
        return _run_pipeline(request, read.call.arguments["connection_name"], read.call.arguments["pipeline"])
    except json.JSONDecodeError as error:
        raise PipelineError("json", At(), line=error.lineno, column=error.colno, reason=error.msg) from None
    except PipelineError as error:
        error.params |= place_in(text, error.at)
        raise


def place_in(text: str, at: At) -> dict[str, int]:
    """Line and column, from 1, of a place in the text of a pipeline; nothing where it is not found."""
    start = max(0, text.find('"pipeline"'))
    found = [match.start() for match in re.finditer(r'\{\s*"\$', text[start:])] if at.stage else []
    # Stages stand side by side: only those at the depth of the first are counted.
    depth, stages = None, []
    for offset in found:
        here = text[start : start + offset].count("{") - text[start : start + offset].count("}")
        depth = here if depth is None else depth
        stages += [start + offset] if here == depth else []
    if not 0 < at.stage <= len(stages):
        return {}
    place = stages[at.stage - 1]
    names = [name for name in re.split(r"[.\[]", at.path) if name and not name.endswith("]")]
    for name in names:
        further = text.find(f'"{name}"', place)
        place = further if further >= 0 else place
    line = text.count("\n", 0, place) + 1
    return {"line": line, "column": place - (text.rfind("\n", 0, place) + 1) + 1}


def _stages(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_FILE:
            raise InputError("sheets.pipeline_file", path=path, reason=f"> {MAX_FILE >> 20} MB")
        # Read as text: the pipeline's own reader names the line of a mistake and sees a name that is written twice.
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError("sheets.pipeline_file", path=path, reason=reason or type(error).__name__) from error


def _numeric(rows: Sequence[Sequence[Any]], width: int) -> tuple[int, ...]:
    filled = ([row[at] for row in rows if row[at] is not None] for at in range(width))
    return tuple(at for at, cells in enumerate(filled) if cells and all(map(is_number, cells)))


def _cell_text(cell: Any, lang: Lang) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, (int, Decimal)) or (isinstance(cell, float) and math.isfinite(cell)):
        return format_number(cell, lang)
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    if isinstance(cell, date):
        return format_date(cell)
    return cell if isinstance(cell, str) else json.dumps(plain(cell), ensure_ascii=False)


def _records(result: Result) -> tuple[Mapping[str, Any], ...]:
    return tuple(dict(zip(result.columns, map(plain, row), strict=True)) for row in result.rows)


# `app sheets operators`: everything that a pipeline may hold.


def operators(request: CommandRequest) -> CommandResult:
    """The stages, conditions, accumulators and expressions of the allow-lists, by group (001-17)."""
    groups = operators_by_group()
    lang = request.language
    rows = tuple((say(f"query.group_{name}", lang), ", ".join(found)) for name, found in groups.items())
    columns = (say("query.group", lang), say("query.operators", lang))
    records = tuple({"group": name, "operators": list(found)} for name, found in groups.items())
    return CommandResult(Table(columns=columns, rows=rows), records=records)
