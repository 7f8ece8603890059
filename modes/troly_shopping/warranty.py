"""Words the answer to a warranty question from what the table says, never from a model (000-02)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from troly.plugin.events import Table
from troly.text.catalogue import Lang
from troly.text.dates import format_date
from troly.text.numbers import format_number
from troly_shopping.strings import say
from troly_shopping.warranty_store import Record

PROMPT, INVALID, RESULT = "warranty_prompt", "warranty_prompt_invalid", "warranty_result"
MAX_LINES = 20


@dataclass(frozen=True, slots=True)
class WarrantyAnswer:
    """Text, message type (000-47), `warranty_meta` (000-46), and a table when several serials were asked for."""

    text: str
    message_type: str
    meta: Mapping[str, Any]
    table: Table | None = None
    found: int = field(default=0)


def ask_for_serial(lang: Lang, *, attempted: bool) -> WarrantyAnswer:
    """Ask for a serial (000-41), or for a better one (000-42)."""
    kind, key = (INVALID, "warranty.invalid") if attempted else (PROMPT, "warranty.prompt")
    return WarrantyAnswer(say(key, lang), kind, _meta("prompt", None, found=False))


def tell(
    records: Mapping[str, Record | None], today: date, lang: Lang, hotline: str, *, loaded: bool
) -> WarrantyAnswer:
    """The result for the serials of `records` in their order; at least one. `loaded` is False with no records at all."""
    found = sum(record is not None for record in records.values())
    shown = ", ".join(record.serial if record else serial for serial, record in records.items())
    meta = _meta("result", shown, found=found > 0)
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
    return WarrantyAnswer(text, RESULT, meta, table, found)


def _meta(kind: str, serial: str | None, *, found: bool) -> dict[str, Any]:
    return {"kind": kind, "found": found, "serial": serial}


def _one(record: Record, today: date, lang: Lang) -> str:
    line = say(
        "warranty.found", lang, name=record.product_name, serial=record.serial, date=format_date(record.end)
    )
    return f"{line}. {_in_words(record, today, lang)}"


def _in_words(record: Record, today: date, lang: Lang) -> str:
    days = (record.end - today).days
    if days == 0:
        return say("warranty.last_day", lang)
    key = "covered" if days > 0 else "expired"
    if abs(days) == 1:
        return say(f"warranty.{key}_one", lang)
    return say(f"warranty.{key}", lang, days=format_number(abs(days), lang))


def _several(records: Mapping[str, Record | None], today: date, lang: Lang, hotline: str) -> str:
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


def records_table(records: Mapping[str, Record | None], today: date, lang: Lang) -> Table:
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
