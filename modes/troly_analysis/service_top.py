"""Top items: the first rows of a sheet by a field, or the first groups by a figure (001-13)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from troly.errors import InputError
from troly_analysis.service_fields import (
    COUNTS,
    Key,
    Measure,
    find_field,
    find_keys,
    find_measure,
    find_metric,
    match,
    plain,
)
from troly_analysis.service_queries import Asked, grouped
from troly_analysis.service_run import MAX_ROWS
from troly_analysis.service_sql import column, named, ordered
from troly_analysis.types import NUMERIC, Field, QueryAnswer, Result, Sheet

# Of a sheet with very many fields a row shows the field it is sorted by and the first ones.
MAX_SHOWN = 40
_ORDERS = {"desc": True, "descending": True, "-1": True, "asc": False, "ascending": False, "1": False}


@dataclass(frozen=True, slots=True)
class Top:
    """What to rank: rows by `field`, or groups by one of `measures` (`by` None ranks by the keys themselves)."""

    field: Field | None
    keys: tuple[Key, ...] = ()
    measures: tuple[Measure, ...] = ()
    by: int | None = None


def check_order(order: object) -> bool:
    """Whether `sort_order` means the greatest first; InputError when it is neither asc nor desc."""
    found = _ORDERS.get(str(order).strip().lower())
    if found is None:
        raise InputError("query.order", value=str(order)[:40])
    return found


def check_limit(limit: object) -> int:
    """`limit` as a number from 1 to 1000; more is cut to 1000 (001-19), less or no whole number is refused."""
    number = int(limit) if isinstance(limit, str) and limit.strip().isdigit() and len(limit) < 12 else limit
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InputError("query.limit", value=str(limit)[:40], limit=MAX_ROWS)
    return min(number, MAX_ROWS)


def plan_top(sheet: Sheet, sort_field: object, group_by: object, aggregate_field: object) -> Top:
    """What the arguments mean for this sheet; raises InputError."""
    keys = find_keys(sheet, group_by)
    if not keys:
        return Top(find_field(sheet, sort_field))
    if not isinstance(sort_field, str):
        raise InputError("query.argument", name="sort_field", value=str(sort_field)[:60])
    first = None if aggregate_field in (None, "") else _summed(sheet, aggregate_field)
    if _is_key(sort_field, keys):
        return Top(None, keys, (first or find_measure(sheet, "count", None),))
    ranked = (
        find_measure(sheet, "count", None) if _is_count(sheet, sort_field) else _summed(sheet, sort_field)
    )
    if first is None or first == ranked or plain(sort_field) == plain(first.label):
        return Top(None, keys, (first or ranked,), 0)
    if ranked.field is None and ranked.metric is None and first.operation == "count":
        return Top(None, keys, (first,), 0)
    return Top(None, keys, (first, ranked), 1)


def _is_count(sheet: Sheet, name: str) -> bool:
    return plain(name) in COUNTS and match(name, [field.name for field in sheet.fields]) is None


def _is_key(name: str, keys: tuple[Key, ...]) -> bool:
    return any(match(name, [key.label, key.field.name]) is not None for key in keys)


def _summed(sheet: Sheet, name: object) -> Measure:
    """The sum of a number, the count of anything else, a metric as it is."""
    if isinstance(name, str) and _is_count(sheet, name):
        return find_measure(sheet, "count", None)
    if find_metric(sheet, name) is not None:
        return find_measure(sheet, "sum", name)
    field = find_field(sheet, name)
    return Measure("sum" if field.kind in NUMERIC else "count", field)


def top(asked: Asked, wanted: Top, descending: bool, limit: int) -> QueryAnswer:
    """The first `limit` rows or groups; the conditions of a named metric hold for all its figures."""
    for measure in wanted.measures:
        if measure.metric is not None:
            asked.filter(measure.metric.where)
    if wanted.field is not None:
        return _rows(asked, wanted.field, descending, limit)
    return grouped(
        asked,
        wanted.measures,
        wanted.keys,
        by_measure=wanted.by,
        descending=descending,
        limit=limit,
        key_descending=descending and wanted.by is None,
    )


def _rows(asked: Asked, by: Field, descending: bool, limit: int) -> QueryAnswer:
    fields = list(asked.sheet.fields)
    if len(fields) > MAX_SHOWN:
        fields = [by, *(field for field in fields if field is not by)][:MAX_SHOWN]
    facts = [exp.Window(this=each.this) for each in asked.facts(grouped=False)]
    shown = [column(field.name) for field in fields]
    extra = [named(each, f"troly {at}") for at, each in enumerate(facts)]
    order = ordered(column(by.name), descending=descending, nulls_first=False)
    rows, run = asked.rows(asked.select([*shown, *extra]).order_by(order).limit(limit), len(facts))
    if not rows:
        return QueryAnswer(Result(kind="empty"), run)
    result = Result(
        kind="rows",
        columns=tuple(field.name for field in fields),
        rows=tuple(rows),
        units=tuple(field.unit or ("%" if field.kind == "percent" else "") for field in fields),
        truncated=run.rows_read > MAX_ROWS == limit,
    )
    return QueryAnswer(result, run)
