"""Results and sheets as JSON values: the workflow state (001-04), the record of a tool call (001-23)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from troly_analysis.types import Result, Sheet, ToolRecord

SHOWN_FIELDS = 60


def plain(value: Any) -> Any:
    """A cell as JSON: whole numbers as int, days as ISO text, what is no finite number as null."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (float, Decimal)):
        return _finite(value)
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else str(value)


def _finite(value: float | Decimal) -> int | float | None:
    if not Decimal(str(value)).is_finite():
        return None
    return int(value) if isinstance(value, Decimal) and value == value.to_integral_value() else float(value)


def result_json(result: Result) -> dict[str, Any]:
    """The result as the state carries it: its kind, and only the values that this kind has."""
    if result.kind == "scalar":
        return {"kind": "scalar", "value": plain(result.value)}
    rows = {"columns": list(result.columns), "rows": plain(result.rows)}
    if result.kind == "compare":
        figures = {
            name: plain(getattr(result, name))
            for name in ("period1_value", "period2_value", "difference", "percentage_change")
        }
        return {"kind": "compare", **figures, **(rows if result.rows else {})}
    if result.kind == "rows":
        return {"kind": "rows", **rows}
    return {"kind": "empty"}


def record_json(record: ToolRecord) -> dict[str, Any]:
    """A tool call as the documents record it; `result` is the text that the tool returned."""
    return {
        "tool_name": record.tool_name,
        "tool_call_id": record.tool_call_id,
        "arguments": plain(record.arguments),
        "result": None if record.result is None else result_text(record.result),
        "error": record.error,
    }


def result_text(result: Result) -> str:
    """A result as one line of JSON, the text that a tool returns."""
    return json.dumps(result_json(result), ensure_ascii=False)


def connections_json(sheets: Sequence[Sheet]) -> list[dict[str, Any]]:
    """A user's sheets with their schemas, as `user_connections` holds them; of very wide sheets the first columns."""
    return [
        {
            "id": sheet.id,
            "name": sheet.name,
            "rows": sheet.rows,
            "fields": [
                {"name": field.name, "type": field.kind, "unit": field.unit}
                for field in sheet.fields[:SHOWN_FIELDS]
            ],
            "field_count": len(sheet.fields),
            "date_field": sheet.date_field,
            "span": [day.isoformat() for day in sheet.span] if sheet.span else None,
            "metrics": [metric.name for metric in sheet.metrics],
        }
        for sheet in sheets
    ]
