"""What the parts of this assistant say to each other: sheets and their fields, tool calls, results."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

Kind = Literal["integer", "number", "money", "percent", "date", "datetime", "text", "boolean", "list"]
NUMERIC: frozenset[Kind] = frozenset({"integer", "number", "money", "percent"})
TEMPORAL: frozenset[Kind] = frozenset({"date", "datetime"})
Operation = Literal["sum", "count", "avg", "min", "max"]
OPERATIONS: tuple[Operation, ...] = ("sum", "count", "avg", "min", "max")


_CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_CONTACT = re.compile(r"\S+@\S+|(?=(?:\D*\d){9,15}\D*$)(?:\+|0|\(0)[\d .()/-]+")


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a sheet; `name` is the header as written and the column's name in DuckDB.

    Money is in `unit` (`VND` where nothing else was written), percent as 15.5 for 15,5%. `least` and `most` are the
    range as text, `examples` the most frequent values of a text column, `merged` other
    spellings that were written in it and the value each is kept as. `doubt` says in a key of the catalogue what
    was not sure when the type was read, "" where nothing was.
    """

    name: str
    kind: Kind
    unit: str = ""
    blanks: int = 0
    distinct: int = 0
    least: str = ""
    most: str = ""
    outliers: int = 0
    examples: tuple[str, ...] = ()
    merged: tuple[tuple[str, str], ...] = ()
    doubt: str = ""

    @property
    def shown_unit(self) -> str:
        """What its figures are in: "%" for per cents."""
        return "%" if self.kind == "percent" else self.unit

    @property
    def is_contact(self) -> bool:
        """Whether the values are telephone numbers or e-mail addresses, which no prompt needs."""
        return bool(self.examples) and all(map(_CONTACT.fullmatch, self.examples))

    @property
    def is_clock(self) -> bool:
        """Whether a column of text holds times of day ("15:30"), which can be cut into hours."""
        return self.kind == "text" and bool(self.examples) and all(map(_CLOCK.fullmatch, self.examples))


@dataclass(frozen=True, slots=True)
class Metric:
    """A named figure of a sheet: `name = operation(field) where conditions` (field "" counts rows).

    `where` is a filter as the tools take it: field name to value, or to `{"op": value}`.
    """

    name: str
    operation: Operation
    field: str
    where: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of one user, which the documents call a connection (001-02); `name` is what its user calls it.

    `table` is its table's name wherever a query of its owner runs. `span` are the first and last day of `date_field`.
    """

    id: str
    owner: str
    name: str
    table: str
    fields: tuple[Field, ...]
    rows: int
    imported_at: datetime
    source: str = ""
    date_field: str = ""
    span: tuple[date, date] | None = None
    metrics: tuple[Metric, ...] = ()
    samples: bool = False

    def field(self, name: str) -> Field | None:
        """The field with exactly this name; None when there is none."""
        return next((found for found in self.fields if found.name == name), None)

    def unit(self, name: str) -> str:
        """The unit of a field, or of a figure that two fields make ("Số lượng × Đơn giá"); "" for none."""
        found = self.field(name)
        if found is not None:
            return found.shown_unit
        for sign in (" × ", " - "):
            left, between, right = name.partition(sign)
            if between and self.field(left) and self.field(right):
                return self.unit(left) or self.unit(right)
        return ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of one of the five tools: its name and arguments as the documents give them (001-10 … 001-15)."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool found.

    `kind` says which of the others are set: `scalar` value; `rows` columns and rows; `compare` the two period values,
    their difference and change in percent (None where the first period is zero or empty, 001 C6); `empty` none.
    With `group_by` a comparison has rows too. `units` are the units of the columns (`VND`, `%`, ""). `truncated` says
    that more than 1000 rows were found (001-19).
    """

    kind: Literal["scalar", "rows", "compare", "empty"]
    value: Any = None
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    period1_value: float | None = None
    period2_value: float | None = None
    difference: float | None = None
    percentage_change: float | None = None
    units: tuple[str, ...] = ()
    unit: str = ""
    truncated: bool = False

    def unit_at(self, at: int) -> str:
        """The unit of a column, "" where none is known."""
        return self.units[at] if at < len(self.units) else ""


@dataclass(frozen=True, slots=True)
class Run:
    """How a result came about: the SQL as run, rows read, and the first and last day the rows cover, where known.

    `matched` are (field, value as written, values used instead) where a filter's text was found only without marks
    and case; `nearest` (field, value as written, values that look like it) where it was not found at all.
    `pipeline` is the checked pipeline as run.
    """

    sql: str
    rows_read: int
    span: tuple[date, date] | None = None
    ms: float = 0.0
    matched: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    nearest: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    pipeline: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """What a query found and how it came about."""

    result: Result
    run: Run


@dataclass(frozen=True, slots=True)
class ToolRecord:
    """One tool call with what came of it (001-23); exactly one of `result` and `error` is set."""

    tool_name: str
    tool_call_id: str
    arguments: Mapping[str, Any]
    result: Result | None = None
    error: str | None = None
    run: Run | None = None


# Results and sheets as JSON values: the workflow state (001-04), the record of a tool call (001-23).


SHOWN_FIELDS = 60


def is_number(cell: Any) -> bool:
    """Whether a cell is a figure; yes and no are none."""
    return isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool)


def plain(value: Any) -> Any:
    """A cell as JSON: whole numbers as int, days as ISO text, what is no finite number as null."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (float, Decimal)):
        if not Decimal(str(value)).is_finite():
            return None
        whole = isinstance(value, Decimal) and value == value.to_integral_value()
        return int(value) if whole else float(value)
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else str(value)


def result_json(result: Result) -> dict[str, Any]:
    """The result as the state carries it: its kind, and only the values that this kind has."""
    if result.kind == "scalar":
        return {"kind": "scalar", "value": plain(result.value)}
    rows = {"columns": list(result.columns), "rows": plain(result.rows)}
    if result.kind == "compare":
        names = ("period1_value", "period2_value", "difference", "percentage_change")
        figures = {name: plain(getattr(result, name)) for name in names}
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
