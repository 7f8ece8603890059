"""`app sheets export`: the result of an answer as CSV or XLSX, its chart as SVG; no cell can act as a formula."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from troly.errors import InputError
from troly.plugin.contract import Command, CommandRequest, CommandResult, Parameter
from troly.stores.records import Turn
from troly.text.catalogue import LANGS, Lang
from troly.text.csv_text import guarded
from troly.text.numbers import format_number
from troly.text.sanitize import sanitize
from troly_analysis.strings import say

MODE_ID = "analysis"
FORMATS = (".csv", ".xlsx", ".svg")
Row = tuple[Any, ...]


def run(request: CommandRequest) -> CommandResult:
    """Write the last result of a conversation; raises InputError for a wrong ending, no result, or a file that is there."""
    path = Path(request.text("to")).expanduser()
    form = path.suffix.lower()
    if form not in FORMATS:
        raise InputError("sheets_export.format", file=path.name, known=", ".join(FORMATS))
    turn = _turn(request)
    lang = request.language
    if form == ".svg":
        from troly_analysis.export_chart import svg

        _write(path, svg(_chart(turn), lang).encode("utf-8"), replace=bool(request.values.get("replace")))
        return CommandResult(summary=say("export.chart_done", lang, file=path))
    columns, rows = table(turn.state["result"], lang)
    raw = csv_bytes(columns, rows) if form == ".csv" else xlsx_bytes(columns, rows)
    _write(path, raw, replace=bool(request.values.get("replace")))
    return CommandResult(
        summary=say("export.done", lang, rows=format_number(len(rows), lang), file=path),
        records=({"file": str(path), "rows": len(rows)},),
    )


def table(result: Mapping[str, Any], lang: Lang) -> tuple[tuple[str, ...], list[Row]]:
    """A result of the workflow state as columns and rows, figures as they are."""
    value, period = say("compare.value", lang), say("compare.period", lang)
    if result["kind"] == "scalar":
        return (value,), [(result["value"],)]
    if result["kind"] == "compare" and "rows" not in result:
        names = ("period1_value", "period2_value", "difference", "percentage_change")
        return (period, value), [(name, result[name]) for name in names]
    return tuple(result["columns"]), [tuple(row) for row in result["rows"]]


def csv_bytes(columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    """CSV with the mark that tells spreadsheets it is UTF-8."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([_text(name) for name in columns])
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return out.getvalue().encode("utf-8-sig")


def xlsx_bytes(columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    """An XLSX workbook: figures as numbers, everything else as text, never a formula or a link."""
    import xlsxwriter  # type: ignore[import-untyped]

    out = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(out, options) as book:
        sheet = book.add_worksheet()
        bold = book.add_format({"bold": True})
        for at, name in enumerate(columns):
            sheet.write_string(0, at, _text(name), bold)
        for number, row in enumerate(rows, 1):
            for at, cell in enumerate(row):
                if isinstance(cell, bool):
                    sheet.write_boolean(number, at, cell)
                elif isinstance(cell, (int, float)):
                    sheet.write_number(number, at, cell)
                elif cell is not None:
                    sheet.write_string(number, at, str(_cell(cell)))
    return out.getvalue()


def _text(cell: Any) -> str:
    return guarded(sanitize(str(cell), keep_newlines=False))


def _cell(cell: Any) -> Any:
    """A figure as it is; whatever else there is as text that no spreadsheet runs."""
    if cell is None or isinstance(cell, (bool, int, float)):
        return cell
    return _text(", ".join(str(item) for item in cell) if isinstance(cell, (list, tuple)) else cell)


def _turn(request: CommandRequest) -> Turn:
    """The last turn with a result; of the latest conversation of this assistant when none was named."""
    store, owner = request.services.conversations, request.profile.login
    chosen = request.text("conversation")
    found = [chosen] if chosen else [each.id for each in store.list(owner, mode=MODE_ID)]
    for conversation in found:
        for turn in reversed(store.turns(owner, conversation)):
            result = turn.state.get("result") if isinstance(turn.state, dict) else None
            if isinstance(result, dict) and result.get("kind") in {"scalar", "rows", "compare"}:
                return turn
    raise InputError("sheets_export.nothing")


def _chart(turn: Turn) -> Mapping[str, Any]:
    content = turn.trace.get("content", []) if isinstance(turn.trace, dict) else []
    charts = [item for item in content if isinstance(item, dict) and item.get("event") == "Chart"]
    if not charts:
        raise InputError("sheets_export.no_chart")
    return charts[-1]


def _write(path: Path, raw: bytes, *, replace: bool) -> None:
    """A new file, or with `replace` one written whole beside the old and put in its place."""
    if path.exists() and not replace:
        raise InputError("sheets_export.exists", file=path)
    fresh = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        fresh.write_bytes(raw)
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise InputError("sheets_export.write", file=path, reason=error.strerror or error) from error


EXPORT = Command(
    path=("sheets", "export"),
    help={lang: say("export.help", lang) for lang in LANGS},
    example="app sheets export --to ket-qua.xlsx\napp sheets export ID --to bieu-do.svg",
    run=run,
    parameters=(
        Parameter("conversation", {lang: say("export.conversation", lang) for lang in LANGS}, "ID"),
        Parameter("--to", {lang: say("export.to", lang) for lang in LANGS}, "FILE", required=True),
        Parameter("--replace", {lang: say("export.replace", lang) for lang in LANGS}),
    ),
    takes=("user",),
)
