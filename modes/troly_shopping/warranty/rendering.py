"""Renders what the warranty table says as sentences and tables, never through a model (000-02)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from troly.plugin.events import Table
from troly.text.catalogue import Lang
from troly.text.dates import format_date
from troly.text.numbers import format_number
from troly_shopping.strings import say
from troly_shopping.warranty.store import WarrantyRecord

PROMPT, INVALID, RESULT = "warranty_prompt", "warranty_prompt_invalid", "warranty_result"
MAX_LINES = 20


@dataclass(frozen=True, slots=True)
class WarrantyText:
    """Text, message type (000-47), `warranty_meta` (000-46), and a table when several serials were asked for."""

    text: str
    message_type: str
    meta: Mapping[str, Any]
    table: Table | None = None
    found: int = 0


def ask_for_serial(lang: Lang, *, attempted: bool = False) -> WarrantyText:
    """Ask for a serial (000-41), or for a better one (000-42)."""
    kind, key = (INVALID, "warranty.invalid") if attempted else (PROMPT, "warranty.prompt")
    return WarrantyText(say(key, lang), kind, {"kind": "prompt", "found": False, "serial": None})


def about_none(asked: str, lang: Lang) -> WarrantyText:
    """None of the serials told is what was asked for: covered, or expired."""
    meta = {"kind": "result", "found": True, "serial": None}
    return WarrantyText(say(f"warranty.none_{asked or 'covered'}", lang), RESULT, meta, found=1)


def render_records(
    records: Mapping[str, WarrantyRecord | None], today: date, lang: Lang, hotline: str, *, loaded: bool
) -> WarrantyText:
    """The result for the serials of `records` in their order; at least one. `loaded` is False with no records at all."""
    found = sum(record is not None for record in records.values())
    shown = [record.serial if record else serial for serial, record in records.items()]
    # Of several serials a list, found only where all of them are (000-46).
    meta = {
        "kind": "result",
        "found": found == len(records),
        "serial": shown[0] if len(shown) == 1 else shown,
    }
    if len(records) == 1:
        [(serial, record)] = records.items()
        text = (
            _one(record, today, lang)
            if record
            else say("warranty.not_found", lang, serial=serial, hotline=hotline)
        )
        table = None
    else:
        text, table = _several(records, today, lang, hotline), records_table(records, today, lang)
    if not loaded:
        text = f"{say('warranty.nothing_loaded', lang)} {text}"
    return WarrantyText(text, RESULT, meta, table, found)


def render_asked(record: WarrantyRecord, asked: Collection[str], today: date, lang: Lang) -> str:
    """Of a warranty that was told before what is `asked` alone: "when" its last day, anything else the days."""
    told = [say("warranty.last", lang, date=format_date(record.end))] if "when" in asked else []
    told += [_in_words(record, today, lang)] if {*asked} != {"when"} else []
    return say("warranty.asked", lang, serial=record.serial, told=" ".join(told))


def _one(record: WarrantyRecord, today: date, lang: Lang) -> str:
    line = say(
        "warranty.found", lang, name=record.product_name, serial=record.serial, date=format_date(record.end)
    )
    return f"{line}. {_in_words(record, today, lang)}"


def _in_words(record: WarrantyRecord, today: date, lang: Lang) -> str:
    days = (record.end - today).days
    if days == 0:
        return say("warranty.last_day", lang)
    key = "covered" if days > 0 else "expired"
    if abs(days) == 1:
        return say(f"warranty.{key}_one", lang)
    return say(f"warranty.{key}", lang, days=format_number(abs(days), lang))


def _several(records: Mapping[str, WarrantyRecord | None], today: date, lang: Lang, hotline: str) -> str:
    lines = [
        f"- {_one(record, today, lang)}"
        if record
        else f"- {say('warranty.not_found_line', lang, serial=serial)}"
        for serial, record in list(records.items())[:MAX_LINES]
    ]
    if len(records) > MAX_LINES:
        lines.append(f"- {say('warranty.more', lang, count=len(records) - MAX_LINES)}")
    if not all(records.values()):
        lines.append(f"\n{say('warranty.not_found_some', lang, hotline=hotline)}")
    return "\n".join(lines)


def records_table(records: Mapping[str, WarrantyRecord | None], today: date, lang: Lang) -> Table:
    """One row a serial: serial, product, last day (D/M/YYYY), days left (negative since an expiry), state."""
    names = ("serial", "product", "end", "days", "state")
    columns = tuple(say(f"warranty.column_{name}", lang) for name in names)
    rows = []
    for serial, record in records.items():
        if record is None:
            rows.append((serial, "", "", "", say("warranty.state_missing", lang)))
            continue
        days = (record.end - today).days
        state = say("warranty.state_covered" if days >= 0 else "warranty.state_expired", lang)
        row = (record.serial, record.product_name, format_date(record.end), format_number(days, lang), state)
        rows.append(row)
    return Table(columns, tuple(rows), say("warranty.table", lang, count=len(records)), numeric=(3,))


def offer_serials(serials: Sequence[str], lang: Lang) -> str:
    """ "Did you mean": one serial to say yes to, or several to choose from by number."""
    if len(serials) == 1:
        return say("warranty.offer_one", lang, serial=serials[0])
    listed = ", ".join(f"{number}) {serial}" for number, serial in enumerate(serials, 1))
    return say("warranty.offer_many", lang, serials=listed)
