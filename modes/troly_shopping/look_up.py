"""The warranty node: looks serials up, offers what may have been meant, asks, repeats, stops, or hands over."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.text.catalogue import Lang
from troly.text.dates import HCM
from troly_shopping.handoffs import FAILED, HANDOFF, MAX_FAILED, hand_over
from troly_shopping.hearing import Heard
from troly_shopping.lookalikes import OFFERED, meant
from troly_shopping.serials import MAX_CANDIDATES
from troly_shopping.strings import say
from troly_shopping.warranty import PROMPT, WarrantyAnswer, ask_for_serial, tell
from troly_shopping.warranty_store import Record, WarrantyStore

State = Mapping[str, Any]

# Counted in the conversation's metadata: serials in a row that could not be read or found.
FAILED_ATTEMPTS = "failed_attempts"
# In a list no more than so many wrong serials are compared with the table.
_MAX_COMPARED = 5


async def answer(heard: Heard, turn: TurnContext, step: Step) -> dict[str, Any]:
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


async def _result(heard: Heard, turn: TurnContext) -> tuple[WarrantyAnswer, tuple[str, ...]]:
    store, lang, serials = WarrantyStore(turn.services.datasets), turn.language, heard.reading.serials
    if heard.move.act == "choose":
        said = WarrantyAnswer(offer(serials, lang), PROMPT, ask_for_serial(lang, attempted=False).meta)
        return said, tuple(serials)
    loaded = await asyncio.to_thread(store.loaded)
    records = await asyncio.to_thread(store.find_all, serials)
    offered = await asyncio.to_thread(_meant, store, records) if loaded else ()
    today = turn.now.astimezone(HCM).date()
    said = tell(records, today, lang, turn.persona().hotline, loaded=loaded is not None)
    more = [offer(offered, lang)] if offered else []
    if heard.reading.cut:
        more.append(say("warranty.cut", lang, count=min(len(serials), MAX_CANDIDATES)))
    return _longer(said, more), offered


async def _prompt(heard: Heard, turn: TurnContext) -> tuple[WarrantyAnswer, tuple[str, ...]]:
    lang = turn.language
    said = ask_for_serial(lang, attempted=heard.reading.attempted or bool(heard.near))
    return _longer(said, [offer(heard.near, lang)] if heard.near else []), heard.near


def _meant(store: WarrantyStore, records: Mapping[str, Record | None]) -> tuple[str, ...]:
    missing = [serial for serial, record in records.items() if record is None][:_MAX_COMPARED]
    near = {one: None for serial in missing for one in meant(serial, store.known) if one not in records}
    return tuple(near)[:OFFERED]


def offer(serials: Sequence[str], lang: Lang) -> str:
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


def _count(heard: Heard, said: WarrantyAnswer, turn: TurnContext) -> int:
    """How many attempts in a row have failed, this one included; asking without an attempt changes nothing."""
    before = int(turn.conversation_metadata.get(FAILED_ATTEMPTS, 0))
    if said.found:
        count = 0
    else:
        tried = said.meta["kind"] == "result" or heard.reading.attempted or bool(heard.near)
        count = before + tried
    turn.conversation_metadata[FAILED_ATTEMPTS] = count
    return count
