"""Reads one cell of a rental table as its column wants it: amounts, areas, dates, enums, places, plain text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import cache, lru_cache

from troly.config.problems import nearest
from troly.errors import TrolyError
from troly.text.dates import HCM, parse_date, parse_now
from troly.text.fold import fold, folded_words, nfc
from troly.text.numbers import find_amounts, parse_number
from troly.text.sanitize import sanitize
from troly_rental.data.places import Place, PlaceKind, places
from troly_rental.data.schema import Column, tables

LONGEST = 4_000
_HIGHEST = 10**12
# Lists repeat themselves: prices, districts and days are read once.
_REMEMBERED = 20_000
_LONG = ("description", "note")
_COUNTS = ("bedrooms", "max_people", "people", "floors")
_EMPTY = {"", "null", "none", "nan", "n/a", "na", "-", "khong ro"}
_KINDS: Mapping[str, PlaceKind] = {"districts.id": "district", "wards.id": "ward", "cities.id": "city"}


class CellError(TrolyError):
    """A cell that cannot be read; `key` is one of `reason.*` in the mode's strings, `params` fill it."""


def read_cell(column: Column, value: object) -> object:
    """The value to store: None, int, float, str, date or datetime (local). Raises CellError."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        text = ""
    elif isinstance(value, str):
        text = (
            sanitize(nfc(value), keep_newlines=column.name in _LONG).replace("\r\n", "\n").replace("\r", "\n")
        )
        text = text.strip(" \t\n\u00a0\ufeff")
    else:
        text = str(value)
    if not text or (fold(text) in _EMPTY and not column.text):
        if column.null:
            return None
        raise CellError("empty")
    if column.type in ("BIGINT", "INTEGER", "DOUBLE"):
        return _number(column, value, text)
    if column.type == "TIMESTAMP":
        return _moment(value, text)
    if column.type == "DATE":
        return _day(value, text)
    if column.values:
        return _enum(column, text)
    if len(text) > LONGEST:
        raise CellError("long", most=LONGEST)
    return _place(column, text) if column.ref in _KINDS else text


@lru_cache(_REMEMBERED)
def district_of(text: str) -> str | None:
    """The id of the one district that an address or a name tells; None for none, or for several it could be."""
    found = places().find(text)
    sure = [m for m in found if not m.near and len(m.places) == 1]
    for kind in ("district", "ward"):
        for mention in reversed(sure):
            if mention.places[0].kind == kind:
                return mention.places[0].district_id
    return None


def _number(column: Column, value: object, text: str) -> int | float:
    found = (
        Decimal(str(value))
        if _is_number(value)
        else _said(column.unit, text, bare=column.unit == "" and column.name not in _COUNTS)
    )
    whole = column.type != "DOUBLE"
    if found is None or not found.is_finite():
        raise CellError("amount" if column.unit else "number")
    if column.least is not None and found < column.least:
        raise CellError("low", least=column.least)
    if whole and found != int(found):
        raise CellError("amount" if column.unit else "number")
    if abs(found) > _HIGHEST:
        raise CellError("high", most=_HIGHEST)
    return int(found) if whole else float(found)


@lru_cache(_REMEMBERED)
def _said(unit: str, text: str, *, bare: bool) -> Decimal | None:
    """A number; unless it must be `bare`, the one amount in a text ("3,5 triệu/tháng", "25 m2", "2PN")."""
    plain = parse_number(text)
    if not bare or plain is not None:
        amounts = find_amounts(text)
        if any(a.unit not in ("", unit, "pn", "m") for a in amounts):
            return None
        if plain is None:
            return amounts[0].value if len(amounts) == 1 else None
    return plain


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _moment(value: object, text: str) -> datetime:
    if isinstance(value, datetime):
        return value if value.tzinfo is None else value.astimezone(HCM).replace(tzinfo=None)
    found = _written(text)
    if found is None:
        raise CellError("date")
    return found


@lru_cache(_REMEMBERED)
def _written(text: str) -> datetime | None:
    try:
        return parse_now(text).replace(tzinfo=None)
    except ValueError:
        return None


def _day(value: object, text: str) -> date:
    if isinstance(value, date):
        return value.date() if isinstance(value, datetime) else value
    found = parse_date(text)
    if found is None:
        raise CellError("date")
    return found


def _enum(column: Column, text: str) -> str:
    words = _enum_words(
        tuple((label.value, label.vi, label.en, *label.words) for label in column.values.values())
    )
    found = words.get(_key(text))
    if found is None:
        close = nearest(_key(text), list(words))
        raise CellError(
            "enum", options=", ".join(column.values), nearest=words.get(close, "") if close else ""
        )
    return found


@cache
def _enum_words(labels: tuple[tuple[str, ...], ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for value, *others in labels:
        for said in (value, *others):
            found.setdefault(_key(said), value)
    return found


def _key(text: str) -> str:
    return " ".join(folded_words(text.replace("_", " ")))


def _place(column: Column, text: str) -> str:
    """A code as it is; a name that people write becomes the code of the one place it means."""
    kind = _KINDS[column.ref]
    if text in places().by_id:
        return text
    named: tuple[Place, ...] = places().named(text, kind)
    if len(named) > 1:
        raise CellError("place_several", places=", ".join(place.id for place in named))
    return named[0].id if named else text


def type_in(title: str) -> str:
    """The kind of dwelling that a title names (`rooms.room_type`); "" when it names none."""
    said = f" {_key(title)} "
    found = [(key, value) for key, value in _type_words() if f" {key} " in said]
    return max(found, key=lambda pair: len(pair[0]))[1] if found else ""


@cache
def _type_words() -> tuple[tuple[str, str], ...]:
    """The names of two or more words that each kind of dwelling has."""
    labels = tables()["rooms"].columns["room_type"].values.values()
    pairs = ((_key(word), label.value) for label in labels for word in (label.vi, label.en, *label.words))
    return tuple((key, value) for key, value in pairs if " " in key)
