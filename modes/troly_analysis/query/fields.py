"""Finds what a tool call names: a sheet's field, its named metric, or a field cut into days, months or years."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process
from sqlglot import exp

from troly.errors import InputError
from troly.text.fold import fold, nfc
from troly_analysis.query.sql import call, cast, column, literal
from troly_analysis.types import NUMERIC, OPERATIONS, TEMPORAL, Field, Metric, Operation, Sheet

GRAINS = ("day", "week", "month", "quarter", "year", "weekday", "hour")
COUNTS = frozenset({"count", "*", "count(*)"})
_SPACES = re.compile(r"[\s_]+")
_LISTED = 12


@dataclass(frozen=True, slots=True)
class Key:
    """What a result is grouped by: a field, or its days, weeks, months, quarters, years, weekdays or hours."""

    field: Field
    grain: str = ""

    @property
    def label(self) -> str:
        """The name of its column in the result."""
        return f"{self.field.name}:{self.grain}" if self.grain else self.field.name

    @property
    def in_time(self) -> bool:
        """Whether the groups follow each other in time and so are listed in that order."""
        return bool(self.grain) or self.field.kind in TEMPORAL

    def group(self) -> exp.Expr:
        """What the rows are grouped by; what is shown is worked out once a group, not once a row."""
        value = column(self.field.name)
        if self.field.is_clock and self.grain:
            hour = call("split_part", value, literal(":"), literal(1))
            return exp.TryCast(this=hour, to=exp.DataType.build("INT"))
        if self.grain in ("weekday", "hour"):
            return call({"weekday": "isodow", "hour": "hour"}[self.grain], value)
        return call("date_trunc", literal(self.grain), value) if self.grain else value

    def sql(self) -> exp.Expr:
        """The group's value: weeks by their Monday, months as 2024-01, quarters as 2024-Q1, weekdays 1 (Monday) to 7."""
        value = self.group()
        if self.grain in ("day", "week"):
            return cast(value, "DATE")
        if self.grain == "month":
            return call("strftime", value, literal("%Y-%m"))
        if self.grain == "quarter":
            year = call("strftime", value, literal("%Y-Q"))
            return exp.Paren(this=exp.DPipe(this=year, expression=call("quarter", value.copy())))
        return call("year", value) if self.grain == "year" else value


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure worked out over rows; `field` None counts rows, `metric` is the named one it came from."""

    operation: Operation
    field: Field | None
    metric: Metric | None = None

    @property
    def label(self) -> str:
        """The name of its column: the metric's, or `sum(Doanh thu)`, or `count`."""
        if self.metric is not None:
            same = self.operation == self.metric.operation
            return self.metric.name if same else f"{self.operation}({self.metric.name})"
        return f"{self.operation}({self.field.name})" if self.field else self.operation

    @property
    def unit(self) -> str:
        """The unit of its values: `VND`, `%` or ""."""
        return "" if self.operation == "count" or self.field is None else self.field.shown_unit

    def sql(self, where: exp.Expr | None = None) -> exp.Expr:
        """The aggregate, over the rows for which `where` holds."""
        inner = column(self.field.name) if self.field else exp.Star()
        value = call(self.operation, inner)
        return exp.Filter(this=value, expression=exp.Where(this=where)) if where is not None else value


def comparable(name: str) -> str:
    """A name for comparing: folded, spaces and underscores alike."""
    return _SPACES.sub(" ", fold(nfc(name))).strip()


def nearest(name: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """The names that look most like `name`, best first; the first of `known` when none looks like it."""
    names = list(known)
    choices = [comparable(each) for each in names]
    found = process.extract(comparable(name), choices, scorer=fuzz.WRatio, limit=limit, score_cutoff=60)
    return tuple(names[index] for _, _, index in found) or tuple(names[:_LISTED])


def shown_names(names: Sequence[str]) -> str:
    """Names one after the other, as a sentence shows them."""
    return ", ".join(f"`{name}`" for name in names)


def match(name: str, known: Sequence[str]) -> str | None:
    """The one of `known` that `name` means: exactly it, or the only one that is the same without marks and case."""
    if name in known:
        return name
    wanted = nfc(name)
    same = [each for each in known if nfc(each) == wanted]
    if not same:
        wanted = comparable(name)
        same = [each for each in known if comparable(each) == wanted] if wanted else []
    return same[0] if len(same) == 1 else None


def same_name(name: str, sheets: Sequence[Sheet]) -> Sheet | None:
    """The sheet that `name` means: its id, its name with or without marks, or its table."""
    for sheet in sheets:
        if name in (sheet.id, sheet.table):
            return sheet
    found = match(name, [sheet.name for sheet in sheets])
    return next((sheet for sheet in sheets if sheet.name == found), None)


def find_field(sheet: Sheet, name: object) -> Field:
    """The field of `sheet` called `name`, with or without its marks; InputError `query.field` names the nearest."""
    if not isinstance(name, str):
        raise InputError("query.argument", name="field", value=_short(name))
    known = [field.name for field in sheet.fields]
    found = match(name, known)
    field = sheet.field(found) if found is not None else None
    if field is None:
        near = shown_names(nearest(name, known))
        raise InputError("query.field", name=_short(name), sheet=sheet.name, near=near)
    return field


def find_metric(sheet: Sheet, name: object) -> Metric | None:
    """The named metric `name` of the sheet; a field of that very name comes first."""
    if not isinstance(name, str) or sheet.field(name) is not None:
        return None
    found = match(name, [metric.name for metric in sheet.metrics])
    return next((metric for metric in sheet.metrics if metric.name == found), None)


def find_key(sheet: Sheet, name: object) -> Key:
    """A field to group by, or `field:month` and the like for a date (`GRAINS`)."""
    if isinstance(name, str) and match(name, [field.name for field in sheet.fields]) is None:
        head, colon, grain = name.rpartition(":")
        if colon and grain.strip().lower() in GRAINS:
            field = find_field(sheet, head)
            hours = field.is_clock and grain.strip().lower() == "hour"
            if field.kind not in TEMPORAL and not hours:
                raise InputError("query.not_date", field=field.name, near=_of_kind(sheet, TEMPORAL))
            return Key(field, grain.strip().lower())
    return Key(find_field(sheet, name))


def find_keys(sheet: Sheet, group_by: object) -> tuple[Key, ...]:
    """The keys of `group_by`: one name, several with commas, a list of names, or none."""
    if group_by is None or group_by in ("", []):
        return ()
    if isinstance(group_by, str) and match(group_by, [field.name for field in sheet.fields]) is None:
        names: Sequence[object] = [part.strip() for part in group_by.split(",")]
    else:
        names = group_by if isinstance(group_by, list | tuple) else [group_by]
    keys = tuple(dict.fromkeys(find_key(sheet, name) for name in names))
    if len(keys) > 4:
        raise InputError("query.groups", count=len(keys))
    return keys


def check_operation(operation: object) -> Operation:
    """`operation` as one of sum, count, avg, min, max (001-12); InputError `query.operation` otherwise."""
    wanted = operation.strip().lower() if isinstance(operation, str) else ""
    for known in OPERATIONS:
        if wanted == known:
            return known
    raise InputError("query.operation", value=_short(operation), known=", ".join(OPERATIONS))


def find_measure(sheet: Sheet, operation: object, field: object) -> Measure:
    """What to work out: a named metric (its own operation wins over `sum`), or an operation over a field.

    Raises InputError: no such operation or field, no field, or sum and avg of what is no number.
    """
    known = check_operation(operation)
    if isinstance(field, str) and not field.strip():
        field = None
    metric = find_metric(sheet, field)
    if metric is not None:
        # `sum` is what is asked for when nothing is known of the metric; any other operation was meant.
        kept = metric.operation if known in ("sum", metric.operation) else known
        target = find_field(sheet, metric.field) if metric.field else None
        return Measure(kept, target, metric)
    if field is None or (isinstance(field, str) and known == "count" and field in COUNTS):
        if known != "count":
            raise InputError("query.field_missing", operation=known, near=_of_kind(sheet, NUMERIC))
        return Measure("count", None)
    found = find_field(sheet, field)
    if known in ("sum", "avg") and found.kind not in NUMERIC:
        raise InputError("query.not_number", field=found.name, operation=known, near=_of_kind(sheet, NUMERIC))
    return Measure(known, found)


def find_date(sheet: Sheet, name: object) -> Field:
    """The date field called `name`, or the sheet's own without a name; InputError when there is none or it is no date."""
    wanted = name or sheet.date_field
    if not wanted:
        raise InputError("query.no_date", sheet=sheet.name)
    field = find_field(sheet, wanted)
    if field.kind not in TEMPORAL:
        raise InputError("query.not_date", field=field.name, near=_of_kind(sheet, TEMPORAL))
    return field


def _of_kind(sheet: Sheet, kinds: frozenset[str]) -> str:
    return shown_names([field.name for field in sheet.fields if field.kind in kinds][:_LISTED]) or "-"


def _short(value: object) -> str:
    shown = str(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
