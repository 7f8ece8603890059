"""Words the answer to a warranty question from what the table says, never from a model (000-02)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Table
from troly.text.catalogue import Lang
from troly.text.dates import HCM, format_date
from troly.text.numbers import format_number
from troly_shopping.handoffs import FAILED, HANDOFF, MAX_FAILED, hand_over
from troly_shopping.lookalikes import OFFERED, similar_serials
from troly_shopping.message import ParsedMessage
from troly_shopping.serials import MAX_CANDIDATES
from troly_shopping.strings import say
from troly_shopping.warranty.store import WarrantyRecord, WarrantyStore

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


def render_records(
    records: Mapping[str, WarrantyRecord | None], today: date, lang: Lang, hotline: str, *, loaded: bool
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


# The warranty node: looks serials up, offers what may have been meant, asks, repeats, stops, or hands over.


State = Mapping[str, Any]

# Counted in the conversation's metadata: serials in a row that could not be read or found.
FAILED_ATTEMPTS = "failed_attempts"
# In a list no more than so many wrong serials are compared with the table.
_MAX_COMPARED = 5


async def answer_warranty(heard: ParsedMessage, turn: TurnContext, step: Step) -> dict[str, Any]:
    """Say the answer to a warranty question (000-41 to 000-47) and return what changes in the state."""
    lang = turn.language
    if heard.move.act == "cancel":
        text = say("warranty.cancelled", lang, redirect=say("clarify.redirect", lang))
        turn.say(text)
        step.note(say("step.move", lang, act="cancel"), "rules")
        turn.conversation_metadata[FAILED_ATTEMPTS] = 0
        return {"response": text, "message_type": "answer", "saved": {"cancelled": True}}
    said, offered = await (_result(heard, turn) if heard.reading.serials else _prompt(heard, turn))
    text, kind = said.text, said.message_type
    if _count(heard, said, turn) >= MAX_FAILED:
        turn.conversation_metadata[FAILED_ATTEMPTS] = 0
        text, kind = f"{text}\n\n{await hand_over(turn, FAILED)}", HANDOFF
    if said.found or kind != HANDOFF:
        text = _with_follow_up(text, said, turn)
    if said.table is not None:
        turn.emit(said.table)
    turn.say(text)
    step.note(heard.reading.reason(lang) or say("step.no_serial", lang), "rules")
    saved = {"offered": list(offered)} if offered else {}
    return {"response": text, "message_type": kind, "warranty_meta": dict(said.meta), "saved": saved}


async def _result(heard: ParsedMessage, turn: TurnContext) -> tuple[WarrantyAnswer, tuple[str, ...]]:
    store, lang, serials = WarrantyStore(turn.services.datasets), turn.language, heard.reading.serials
    if heard.move.act == "choose":
        said = WarrantyAnswer(
            offer_serials(serials, lang), PROMPT, ask_for_serial(lang, attempted=False).meta
        )
        return said, tuple(serials)
    loaded = await asyncio.to_thread(store.loaded)
    records = await asyncio.to_thread(store.find_all, serials)
    offered = await asyncio.to_thread(_meant, store, records) if loaded else ()
    today = turn.now.astimezone(HCM).date()
    said = render_records(records, today, lang, turn.persona().hotline, loaded=loaded is not None)
    more = [offer_serials(offered, lang)] if offered else []
    if heard.reading.cut:
        more.append(say("warranty.cut", lang, count=min(len(serials), MAX_CANDIDATES)))
    return _longer(said, more), offered


async def _prompt(heard: ParsedMessage, turn: TurnContext) -> tuple[WarrantyAnswer, tuple[str, ...]]:
    lang = turn.language
    said = ask_for_serial(lang, attempted=heard.reading.attempted or bool(heard.near))
    return _longer(said, [offer_serials(heard.near, lang)] if heard.near else []), heard.near


def _meant(store: WarrantyStore, records: Mapping[str, WarrantyRecord | None]) -> tuple[str, ...]:
    missing = [serial for serial, record in records.items() if record is None][:_MAX_COMPARED]
    near = {
        one: None for serial in missing for one in similar_serials(serial, store.known) if one not in records
    }
    return tuple(near)[:OFFERED]


def offer_serials(serials: Sequence[str], lang: Lang) -> str:
    """ "Did you mean": one serial to say yes to, or several to choose from by number."""
    if len(serials) == 1:
        return say("warranty.offer_one", lang, serial=serials[0])
    listed = ", ".join(f"{number}) {serial}" for number, serial in enumerate(serials, 1))
    return say("warranty.offer_many", lang, serials=listed)


def _longer(said: WarrantyAnswer, more: Sequence[str]) -> WarrantyAnswer:
    text = "\n\n".join([said.text, *more])
    return WarrantyAnswer(text, said.message_type, said.meta, said.table, said.found)


def _with_follow_up(text: str, said: WarrantyAnswer, turn: TurnContext) -> str:
    """The persona's follow-up comes after a result, found or not (000-45)."""
    return f"{text}\n\n{turn.persona().follow_up}" if said.meta["kind"] == "result" else text


def _count(heard: ParsedMessage, said: WarrantyAnswer, turn: TurnContext) -> int:
    """How many attempts in a row have failed, this one included; asking without an attempt changes nothing."""
    before = int(turn.conversation_metadata.get(FAILED_ATTEMPTS, 0))
    if said.found:
        count = 0
    else:
        tried = said.meta["kind"] == "result" or heard.reading.attempted or bool(heard.near)
        count = before + tried
    turn.conversation_metadata[FAILED_ATTEMPTS] = count
    return count
