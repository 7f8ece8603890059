"""Shows what is known of a sheet: a table of its columns, the doubts, a record for scripts."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from troly.plugin.events import Table
from troly.plugin.mentioning import hint_language, ranked
from troly.text.catalogue import Lang
from troly.text.dates import format_date, parse_date
from troly.text.numbers import format_money, format_number, format_percent
from troly_analysis.sheets.records import info_of
from troly_analysis.strings import say
from troly_analysis.types import NUMERIC, TEMPORAL, Field, Sheet

if TYPE_CHECKING:
    from troly.config.users import Profile
    from troly.plugin.services import Services


_EXAMPLES, _CHARS = 3, 24
_COLUMNS = ("field", "kind", "blanks", "distinct", "range", "outliers", "examples")


def fields_table(sheet: Sheet, lang: Lang) -> Table:
    """One row a field: name, kind, blanks, distinct values, range, outliers (IQR), examples."""
    return Table(
        columns=tuple(say(f"sheets.column_{name}", lang) for name in _COLUMNS),
        rows=tuple(_row(field, lang) for field in sheet.fields),
        title=f"{sheet.name} ({format_number(sheet.rows, lang)})",
        numeric=(2, 3, 5),
    )


def _row(field: Field, lang: Lang) -> tuple[str, ...]:
    return (
        field.name,
        kind_text(field, lang),
        format_number(field.blanks, lang),
        format_number(field.distinct, lang),
        f"{shown(field, field.least, lang)} … {shown(field, field.most, lang)}" if field.least else "",
        format_number(field.outliers, lang) if field.kind in NUMERIC else "",
        ", ".join(example[:_CHARS] for example in field.examples[:_EXAMPLES]),
    )


def kind_text(field: Field, lang: Lang) -> str:
    """The kind of a field in words, with its unit, and a question mark where it was not sure."""
    kind = say(f"sheets.kind_{field.kind}", lang)
    unit = f" ({field.unit})" if field.unit and field.unit != "%" else ""
    return f"{kind}{unit}{' ?' if field.doubt else ''}"


def shown(field: Field, value: str, lang: Lang) -> str:
    """An end of a field's range as people write it."""
    if field.kind in TEMPORAL:
        day = parse_date(value[:10])
        return format_date(day) if day else value
    try:
        number = Decimal(value)
    except InvalidOperation:
        return value
    if not number.is_finite():
        return value
    if field.kind == "money":
        return format_money(number, lang, field.unit) if field.unit else format_number(number, lang)
    return format_percent(number, lang) if field.kind == "percent" else format_number(number, lang)


def doubts(sheet: Sheet, lang: Lang) -> list[str]:
    """One sentence for each field whose type was not sure."""
    return [say(field.doubt, lang, field=field.name) for field in sheet.fields if field.doubt]


def sheet_record(sheet: Sheet) -> Mapping[str, Any]:
    """The sheet for `--json`."""
    record = {"id": sheet.id, **info_of(sheet)}
    record["metrics"] = [metric.text for metric in sheet.metrics]
    return record


# The sheets of the person who asks, as names to put into a message.


def mentions(services: Services, profile: Profile, prefix: str, limit: int) -> list[tuple[str, str]]:
    """The person's own sheets; nobody else's are looked at. Raises StoreError."""
    from troly_analysis.sheets.store import SheetStore

    lang = hint_language(services, profile)
    sheets = SheetStore(services).sheets(profile.login)
    sizes = ((sheet.name, format_number(sheet.rows, lang)) for sheet in sheets)
    names = [(name, say("mentions.sheet", lang, rows=rows)) for name, rows in sizes]
    return ranked(names, prefix, limit)
