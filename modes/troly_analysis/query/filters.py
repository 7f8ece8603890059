"""Turns the `filters` of a tool call into conditions on a sheet's fields, each checked against the field's type."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlglot import exp

from troly.errors import InputError
from troly.text.dates import HCM, add_months, parse_date
from troly.text.fold import fold, nfc
from troly.text.numbers import parse_number
from troly_analysis.query.fields import find_field, nearest
from troly_analysis.query.sql import both, call, cast, column, either, folded, literal, table
from troly_analysis.types import NUMERIC, TEMPORAL, Field, Sheet

# Dates as tool calls write them, as spans of time: a day, a month, a year, or one moment.


_MONTH = re.compile(r"(\d{4})-(\d{1,2})")
_YEAR = re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True)
class Moments:
    """A stretch of local time from `start` up to but without `end`."""

    start: datetime
    end: datetime


def read_moments(value: object, name: str) -> Moments:
    """The stretch of time `value` names: "2024-01-31", "31/1/2024", "2024-01", "2024", or a date with a time.

    A time with an offset is brought to Viet Nam's clock; a bare `Z` is taken as that clock, as people mean it.
    Raises InputError `query.date` naming the argument.
    """
    if isinstance(value, datetime):
        return _local_moment(value)
    if isinstance(value, date):
        return _days(value, value + timedelta(days=1))
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    try:
        found = _read(text)
    except (ValueError, OverflowError):
        found = None
    if found is None:
        raise InputError("query.date", name=name, value=str(value)[:60])
    return found


def _read(text: str) -> Moments | None:
    if match := _MONTH.fullmatch(text):
        first = date(int(match[1]), int(match[2]), 1)
        return _days(first, add_months(first, 1))
    if _YEAR.fullmatch(text):
        return _days(date(int(text), 1, 1), date(int(text) + 1, 1, 1))
    if ":" in text:
        return _local_moment(datetime.fromisoformat(text.removesuffix("Z")))
    day = parse_date(text)
    return _days(day, day + timedelta(days=1)) if day else None


def _days(start: date, end: date) -> Moments:
    return Moments(datetime.combine(start, datetime.min.time()), datetime.combine(end, datetime.min.time()))


def _local_moment(value: datetime) -> Moments:
    local = value.astimezone(HCM).replace(tzinfo=None) if value.tzinfo else value
    return Moments(local, local + timedelta(microseconds=1))


def read_period(start: object, end: object, names: tuple[str, str]) -> tuple[Moments | None, Moments | None]:
    """Both ends of a period, each may be missing; InputError when the end lies before the start."""
    first = None if start in (None, "") else read_moments(start, names[0])
    last = None if end in (None, "") else read_moments(end, names[1])
    if first and last and last.end <= first.start:
        raise InputError("query.period", first=str(start), last=str(end))
    return first, last


OPERATORS = ("eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "contains", "between", "exists")
MAX_FILTERS, MAX_VALUES, MAX_TEXT = 40, 1000, 1000
_TRUE, _FALSE = frozenset({"true", "co", "dung", "yes", "1"}), frozenset({"false", "khong", "sai", "no", "0"})


def conditions(sheet: Sheet, filters: object, values: Values) -> list[exp.Expr]:
    """One condition for each operator of each field in `filters`; InputError says which one is wrong and how.

    `values` looks up what texts stand for in the sheet.
    """
    found = []
    for name, wanted in _mapping(filters).items():
        field = find_field(sheet, name)
        for operator, value in _operators(field, wanted):
            found.append(_Condition(field, operator, values).build(value))
    if len(found) > MAX_FILTERS:
        raise InputError("query.filters_many", count=len(found), limit=MAX_FILTERS)
    return found


def period(field: Field, start: object, end: object, names: tuple[str, str]) -> list[exp.Expr]:
    """That the date `field` lies from `start` to `end`, both days included; none where both are missing."""
    first, last = read_period(start, end, names)
    return _between(field, first, last)


def _mapping(filters: object) -> Mapping[str, Any]:
    if filters in (None, ""):
        return {}
    if isinstance(filters, str):
        try:
            filters = json.loads(filters)
        except (ValueError, RecursionError):
            filters = None
    if not isinstance(filters, Mapping):
        raise InputError("query.filters")
    return filters


def _operators(field: Field, wanted: Any) -> list[tuple[str, Any]]:
    if not isinstance(wanted, Mapping):
        return [("in" if isinstance(wanted, list | tuple) else "eq", wanted)]
    if not wanted:
        raise InputError("query.operator", field=field.name, name="{}", known=", ".join(OPERATORS))
    found = []
    for name, value in wanted.items():
        operator = str(name).lstrip("$").lower()
        if operator not in OPERATORS:
            known = ", ".join(OPERATORS)
            raise InputError("query.operator", field=field.name, name=str(name)[:40], known=known)
        found.append((operator, value))
    return found


class _Condition:
    """One operator on one field."""

    def __init__(self, field: Field, operator: str, values: Values) -> None:
        self.field = field
        self.operator = operator
        self.values = values

    def build(self, value: Any) -> exp.Expr:
        here = column(self.field.name)
        if self.operator == "exists":
            blank = exp.Is(this=here, expression=exp.Null())
            return exp.Not(this=blank) if self._truth(value) else blank
        if self.operator in ("in", "nin"):
            return self._listed(value)
        if self.operator == "between":
            return self._range(value)
        if self.operator == "contains":
            return self._contains(value)
        if self.operator in ("eq", "ne"):
            return self._negated(self._equal(value), self.operator == "ne")
        return self._ordered(value)

    def _listed(self, value: Any) -> exp.Expr:
        wanted = list(value) if isinstance(value, list | tuple) else [value]
        if len(wanted) > MAX_VALUES:
            raise InputError("query.values_many", field=self.field.name, count=len(wanted), limit=MAX_VALUES)
        return self._negated(either([self._equal(each) for each in wanted]), self.operator == "nin")

    def _equal(self, value: Any) -> exp.Expr:
        here = column(self.field.name)
        if value is None:
            return exp.Is(this=here, expression=exp.Null())
        if self.field.kind in TEMPORAL:
            span = read_moments(value, self.field.name)
            return both(_between(self.field, span, span))
        if self.field.kind == "list":
            return call("list_contains", here, literal(self._text(value)))
        if self.field.kind == "text":
            meant = self.values.meant(self.field, self._text(value))
            if len(meant) == 1:
                return exp.EQ(this=here, expression=literal(meant[0]))
            return exp.In(this=here, expressions=[literal(each) for each in meant])
        return exp.EQ(this=here, expression=literal(self._value(value)))

    def _ordered(self, value: Any) -> exp.Expr:
        kinds = {"gt": exp.GT, "gte": exp.GTE, "lt": exp.LT, "lte": exp.LTE}
        kind: type[exp.Binary] = kinds[self.operator]
        here = column(self.field.name)
        if self.field.kind in TEMPORAL:
            span = read_moments(value, self.field.name)
            if self.operator == "lte":
                return _before(self.field, span.end)
            at = span.end if self.operator == "gt" else span.start
            kind = exp.GTE if self.operator == "gt" else kind
            return kind(this=here, expression=_moment(self.field, at))
        if self.field.kind in ("boolean", "list"):
            raise InputError("query.unordered", field=self.field.name, operator=self.operator)
        return kind(this=here, expression=literal(self._value(value)))

    def _range(self, value: Any) -> exp.Expr:
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise InputError("query.between", field=self.field.name)
        if self.field.kind in TEMPORAL:
            names = (self.field.name, self.field.name)
            return both(_between(self.field, *read_period(value[0], value[1], names)))
        here = column(self.field.name)
        low, high = (literal(self._value(each)) for each in value)
        return both([exp.GTE(this=here, expression=low), exp.LTE(this=here, expression=high)])

    def _contains(self, value: Any) -> exp.Expr:
        here = column(self.field.name)
        text = fold(nfc(self._text(value)))
        if self.field.kind == "list":
            here = call("array_to_string", here, literal("\n"))
        elif self.field.kind != "text":
            here = cast(here, "VARCHAR")
        return call("contains", folded(here), literal(text))

    def _negated(self, condition: exp.Expr, wanted: bool) -> exp.Expr:
        if not wanted:
            return condition
        # A blank cell is not the value either.
        return exp.Not(this=call("coalesce", condition, exp.false()))

    def _value(self, value: Any) -> Any:
        """A literal of the field's own type."""
        if self.field.kind in NUMERIC:
            number = parse_number(value) if isinstance(value, str) else value
            if isinstance(number, bool) or (not isinstance(number, int | float | Decimal)):
                raise InputError("query.number", field=self.field.name, value=str(value)[:60])
            if not math.isfinite(number):
                raise InputError("query.number", field=self.field.name, value=str(value)[:60])
            return number
        return self._truth(value) if self.field.kind == "boolean" else self._text(value)

    def _text(self, value: Any) -> str:
        if isinstance(value, list | tuple | Mapping) or len(str(value)) > MAX_TEXT or "\0" in str(value):
            raise InputError("query.text", field=self.field.name, value=str(value)[:60], limit=MAX_TEXT)
        return nfc(str(value))

    def _truth(self, value: Any) -> bool:
        word = fold(str(value)).strip()
        if word not in _TRUE | _FALSE:
            raise InputError("query.truth", field=self.field.name, value=str(value)[:60])
        return word in _TRUE


def _between(field: Field, first: Moments | None, last: Moments | None) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    if first:
        found.append(exp.GTE(this=column(field.name), expression=_moment(field, first.start)))
    if last:
        found.append(_before(field, last.end))
    return found


def _before(field: Field, end: datetime) -> exp.Expr:
    return exp.LT(this=column(field.name), expression=_moment(field, end))


def _moment(field: Field, at: datetime) -> exp.Expr:
    midnight = at == datetime.combine(at.date(), datetime.min.time())
    return literal(at.date() if field.kind == "date" and midnight else at)


def near_values(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """Up to three of a field's values that look like `text`; none when nothing does."""
    found = nearest(text, known)
    return found if len(found) <= 3 and fold(text) else ()


# Looks up which values of a text field a written value stands for: exactly it, else the same without marks and case.


# More different values than this are not compared one by one.
MAX_DISTINCT = 50_000
_LIMIT = 20


class Values:
    """The values of one sheet's text fields, looked up when a filter needs them.

    `matched` gathers (field, written value, values used) where they differ, `nearest` (field, written value, values
    that look like it) where nothing was found; both are told with the result.
    """

    def __init__(self, sheet: Sheet, fetch: Callable[[exp.Expr], Sequence[tuple[Any, ...]]]) -> None:
        self._sheet = sheet
        self._fetch = fetch
        self.matched: list[tuple[str, str, tuple[str, ...]]] = []
        self.nearest: list[tuple[str, str, tuple[str, ...]]] = []

    def meant(self, field: Field, text: str) -> tuple[str, ...]:
        """The values to look for; `text` itself when it is there or nothing like it is."""
        if text in field.examples or self._there(field, text):
            return (text,)
        known = self._known(field)
        wanted = fold(text).split()
        same = tuple(value for value in known if fold(nfc(value)).split() == wanted) if wanted else ()
        if same:
            self.matched.append((field.name, text, same[:_LIMIT]))
            return same
        self.nearest.append((field.name, text, near_values(text, known)))
        return (text,)

    def _there(self, field: Field, text: str) -> bool:
        found = exp.select(exp.Literal.number("1")).from_(table(self._sheet.table))
        asked = found.where(exp.EQ(this=column(field.name), expression=literal(text))).limit(1)
        return bool(self._fetch(asked))

    def _known(self, field: Field) -> list[str]:
        asked = exp.select(column(field.name)).distinct().from_(table(self._sheet.table))
        blank = exp.Is(this=column(field.name), expression=exp.Null())
        rows = self._fetch(asked.where(exp.Not(this=blank)).limit(MAX_DISTINCT))
        return sorted(str(row[0]) for row in rows)
