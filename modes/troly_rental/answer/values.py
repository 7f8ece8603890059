"""What the columns of a result are called, and its values as people read them: rents, areas, days, states."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from troly.text.catalogue import Lang
from troly.text.dates import format_date, parse_date
from troly.text.numbers import format_money, format_number
from troly_rental.question.vocabulary import amenity_named
from troly_rental.strings import say

if TYPE_CHECKING:
    from troly_rental.data.schema import Column

MEASURES = ("avg", "median", "min", "max", "sum", "paid", "owed", "monthly")
_MONEY = ("price", "deposit", "rent", "total", "amount", "budget", "_vnd", "electricity", "water", "other")
_AREA = ("area",)
_RENTED = frozenset({"room", "post", "contract", "viewing", "room_seeking_post"})
"""Records whose "price" is what a month costs."""
_SHARES = frozenset({"occupancy", "occupancy_available", "share"})
_TIMED = frozenset({"scheduled_at"})
_USED = {"electricity_kwh": "kWh", "water_m3": "m³"}
_PER = {"electricity_price": "kwh", "water_price": "m3", "price_m2": "m2_month"}


def column_of(column: str, entity: str) -> Column | None:
    """The schema's column behind a column of a result; None for one that was worked out."""
    from troly_rental.data.schema import tables
    from troly_rental.sql.relations import entities

    known = entities().get(entity)
    place = known.fields.get(column, "") if known else ""
    table, _, name = place.partition(".")
    if not name and known:
        table, name = known.table, column
    return tables()[table].columns.get(name) if table in tables() else None


def column_label(column: str, entity: str, lang: Lang) -> str:
    """What a column of a result is called: a short word of our own, else the schema's, else the name as it is."""
    for key in (f"column.{entity}_{column}", f"column.{column}"):
        with suppress(KeyError):
            return say(key, lang)
    with suppress(KeyError):
        return say(f"measure.{column}", lang)
    if column.startswith("count_where_"):
        return cell_text("status", column.removeprefix("count_where_"), entity, lang)
    kind, _, measured = column.partition("_")
    if kind in MEASURES and measured:
        return say(f"measure.{kind}", lang, name=column_label(measured, entity, lang))
    found = column_of(column, entity)
    if found is not None:
        return found.caption(lang)
    named = amenity_named(plain := column.replace("_", " "))  # a model's "pets_allowed"
    return amenity_label(named, lang) if named else plain


def unit_of(column: str, entity: str = "", lang: Lang = "vi") -> str:
    """The unit of a column's figures by its name; "" where there is none. Rents are a month's."""
    measured = measured_of(column)
    if column == "count" or column.startswith("count_"):
        return ""
    if column in _SHARES or measured in _USED:
        return _USED.get(measured, "%")
    if measured in _PER:
        return say(f"unit.{_PER[measured]}", lang)
    if measured in {"monthly_rent", "max_budget"} or (measured == "price" and entity in _RENTED):
        return say("unit.month", lang)
    if any(part in measured for part in _MONEY):
        return "VND"
    return "m²" if measured in _AREA else ""


def measured_of(column: str) -> str:
    """The field behind a figure's column: "price" for "avg_price"."""
    kind, _, measured = column.partition("_")
    return measured if kind in MEASURES and measured else column


def cell_text(column: str, value: Any, entity: str, lang: Lang) -> str:
    """One value as people read it: money, areas, days, yes and no, enums by their labels."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return say("value.yes" if value else "value.no", lang)
    if isinstance(value, (int, float)):
        return _figure(column, value, entity, lang)
    if isinstance(value, (list, tuple)):
        return ", ".join(cell_text(column, one, entity, lang) for one in value)
    return _word(column, str(value), entity, lang)


def _figure(column: str, value: float, entity: str, lang: Lang) -> str:
    if column in _SHARES:
        return f"{format_number(value, lang)}%"
    if column == "price_band":
        low, high = (format_number(one / 1_000_000, lang) for one in (value, value + 1_000_000))
        return say("value.band", lang, low=low, high=high)
    if column == "id" or column.endswith("_id"):
        return str(value)
    unit = unit_of(column, entity, lang)
    if unit.startswith("VND"):
        return format_money(value, lang) + unit.removeprefix("VND")
    return f"{format_number(value, lang)} {unit}".strip()


def _word(column: str, text: str, entity: str, lang: Lang) -> str:
    if is_day(text):
        day = parse_date(text[:10])
        if day is None:
            return text
        hour = text[11:16]
        if column == "month":
            return f"{day.month}/{day.year}"
        return (
            f"{format_date(day)} {hour}"
            if hour and hour != "00:00" and column in _TIMED
            else format_date(day)
        )
    if column in {"amenity", "amenities"}:
        return ", ".join(amenity_label(code, lang) for code in text.split(", "))
    found = column_of(column, entity)
    label = found.values.get(text) if found is not None else None
    return label.caption(lang) if label is not None else text


def amenity_label(code: str, lang: Lang) -> str:
    """What people call an amenity; the code in plain words for one that only the loaded data has."""
    with suppress(KeyError):
        return say(f"amenity.{code}", lang)
    return code.replace("_", " ")


def is_day(value: object) -> bool:
    """Whether a value is a day or a moment in ISO form."""
    return (
        isinstance(value, str)
        and len(value) >= 10
        and value[4:5] == value[7:8] == "-"
        and value[:4].isdigit()
    )
