"""`app sheets export`: the result of an answer as CSV or XLSX, its chart as SVG; no cell can act as a formula."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from troly.errors import InputError
from troly.plugin.contract import CommandRequest, CommandResult
from troly.stores.records import StoredTurn
from troly.text.catalogue import Lang
from troly.text.csv_text import guarded
from troly.text.numbers import format_number
from troly.text.sanitize import sanitize
from troly_analysis.strings import say

MODE_ID = "analysis"
FORMATS = (".csv", ".xlsx", ".svg")
Row = tuple[Any, ...]


def export_result(request: CommandRequest) -> CommandResult:
    """Write the last result of a conversation; raises InputError for a wrong ending, no result, or a file that is there."""
    path = Path(request.text("to")).expanduser()
    form = path.suffix.lower()
    if form not in FORMATS:
        raise InputError("sheets_export.format", file=path.name, known=", ".join(FORMATS))
    turn = _turn(request)
    lang = request.language
    if form == ".svg":
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
    parts = [f"{key}: {item}" for key, item in cell.items()] if isinstance(cell, Mapping) else cell
    return _text(", ".join(map(str, parts)) if isinstance(parts, (list, tuple)) else parts)


def _turn(request: CommandRequest) -> StoredTurn:
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


def _chart(turn: StoredTurn) -> Mapping[str, Any]:
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


# Draws a chart of an answer as an SVG file: bars, a line, or shares, with every exact value beside it.


WIDTH, LEFT, BAR, GAP, TOP = 800, 220, 22, 10, 60
PLOT, HEIGHT = 400, 300
_COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d", "#eeca3b")
_NAME = 28


def svg(chart: Mapping[str, Any], lang: Lang) -> str:
    """The chart event (as JSON) as a whole SVG document; no script, no link, all text escaped."""
    labels = [str(label) for label in chart["labels"]]
    values = [float(value) for value in chart["series"][0]["values"]]
    unit = str(chart.get("unit") or "")
    title = str(chart.get("title") or "")
    draw = _line if chart["kind"] == "line" else _bars
    shares = chart["kind"] == "share"
    body, height = draw(labels, values, [_label(v, unit, values if shares else [], lang) for v in values])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="13">\n<rect width="100%" height="100%" fill="#ffffff"/>\n'
        f'<text x="20" y="32" font-size="18" font-weight="bold">{_safe(title, 90)}</text>\n{body}</svg>\n'
    )


def _bars(labels: Sequence[str], values: Sequence[float], shown: Sequence[str]) -> tuple[str, int]:
    most = max((abs(value) for value in values), default=0.0) or 1.0
    parts = []
    for at, (label, value, text) in enumerate(zip(labels, values, shown, strict=True)):
        y = TOP + at * (BAR + GAP)
        length = abs(value) / most * PLOT
        colour = _COLOURS[3] if value < 0 else _COLOURS[at % 3 if len(values) <= 3 else 0]
        parts.append(f'<text x="{LEFT - 8}" y="{y + 16}" text-anchor="end">{_safe(label, _NAME)}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{colour}"/>')
        parts.append(f'<text x="{LEFT + length + 6:.1f}" y="{y + 16}">{_safe(text, 40)}</text>')
    return "\n".join(parts) + "\n", TOP + len(values) * (BAR + GAP) + 20


def _line(labels: Sequence[str], values: Sequence[float], shown: Sequence[str]) -> tuple[str, int]:
    low, high = min(0.0, *values), max(values)
    step = (WIDTH - 120) / max(1, len(values) - 1)
    scale = HEIGHT / ((high - low) or 1.0)
    points = [(80 + at * step, TOP + (high - value) * scale) for at, value in enumerate(values)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [f'<polyline points="{path}" fill="none" stroke="{_COLOURS[0]}" stroke-width="2"/>']
    every = max(1, len(values) // 12)
    for at, ((x, y), label, text) in enumerate(zip(points, labels, shown, strict=True)):
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_COLOURS[0]}"><title>{_safe(f"{label}: {text}", 80)}</title></circle>'
        )
        if at % every == 0:
            parts.append(
                f'<text x="{x:.1f}" y="{TOP + HEIGHT + 20}" text-anchor="middle" font-size="11">{_safe(label, 12)}</text>'
            )
    for value, text in (
        (high, max(zip(values, shown, strict=True))[1]),
        (min(values), min(zip(values, shown, strict=True))[1]),
    ):
        parts.append(
            f'<text x="74" y="{TOP + (high - value) * scale + 4:.1f}" text-anchor="end" font-size="11">{_safe(text, 20)}</text>'
        )
    return "\n".join(parts) + "\n", TOP + HEIGHT + 40


def _label(value: float, unit: str, whole: Sequence[float], lang: Lang) -> str:
    percent = unit == "%"
    text = f"{format_number(value, lang, 1)}%" if percent else f"{format_number(value, lang)} {unit}".strip()
    total = sum(whole)
    return f"{text} ({format_number(value / total * 100, lang, 1)}%)" if total else text


def _safe(text: str, limit: int) -> str:
    line = sanitize(text, keep_newlines=False)
    kept = line if len(line) <= limit else f"{line[: limit - 1]}…"
    return escape("".join(char for char in kept if char.isprintable()))
