"""The answer to a warranty question: the records, serials that may have been meant, a request for one, or a person."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.text.dates import HCM
from troly_shopping.handoffs import FAILED, HANDOFF, MAX_FAILED, hand_over
from troly_shopping.lookalikes import OFFERED, similar_serials
from troly_shopping.message import ParsedMessage
from troly_shopping.serials import MAX_CANDIDATES
from troly_shopping.strings import say
from troly_shopping.warranty.rendering import (
    WarrantyText,
    ask_for_serial,
    offer_serials,
    render_records,
)
from troly_shopping.warranty.store import WarrantyStore

# Counted in the conversation's metadata: serials in a row that could not be read or found.
FAILED_ATTEMPTS = "failed_attempts"
# In a list no more than so many wrong serials are compared with the table.
_MAX_COMPARED = 5


async def answer_warranty(message: ParsedMessage, turn: TurnContext, step: Step) -> dict[str, Any]:
    """Say the answer to a warranty question (000-41 to 000-47) and return what changes in the state."""
    lang, serials, act = turn.language, message.serials.serials, message.act.act
    if act == "cancel":
        text = say("warranty.cancelled", lang, redirect=say("clarify.redirect", lang))
        turn.say(text)
        step.note(say("step.move", lang, act="cancel"), "rules")
        turn.conversation_metadata[FAILED_ATTEMPTS] = 0
        return {"response": text, "message_type": "answer", "saved": {"cancelled": True}}
    offered: tuple[str, ...]
    if act == "choose":
        said, offered = replace(ask_for_serial(lang), text=offer_serials(serials, lang)), serials
    elif serials:
        said, offered = await _result(message, turn)
    else:
        said = ask_for_serial(lang, attempted=message.serials.attempted or bool(message.near))
        offered = message.near
        said = _extended(said, [offer_serials(offered, lang)] if offered else [])
    failed = _failed_attempts(message, said, turn)
    turn.conversation_metadata[FAILED_ATTEMPTS] = 0 if failed >= MAX_FAILED else failed
    text, kind = said.text, said.message_type
    if failed >= MAX_FAILED:
        text, kind = f"{text}\n\n{await hand_over(turn, FAILED)}", HANDOFF
    elif said.meta["kind"] == "result":
        # The persona's follow-up comes after a result, found or not (000-45).
        text = f"{text}\n\n{turn.persona().follow_up}"
    if said.table is not None:
        turn.emit(said.table)
    turn.say(text)
    step.note(message.serials.reason(lang) or say("step.no_serial", lang), "rules")
    saved = {"offered": list(offered)} if offered else {}
    return {"response": text, "message_type": kind, "warranty_meta": dict(said.meta), "saved": saved}


async def _result(message: ParsedMessage, turn: TurnContext) -> tuple[WarrantyText, tuple[str, ...]]:
    """What the table says, and the serials it has that a missing one may have meant."""
    lang, records = turn.language, message.records
    missing = [serial for serial, record in records.items() if record is None]
    loaded, offered = True, tuple[str, ...]()
    if missing:
        store = WarrantyStore(turn.services.datasets)
        loaded, offered = await asyncio.to_thread(_similar, store, missing, records)
    today = turn.now.astimezone(HCM).date()
    said = render_records(records, today, lang, turn.persona().hotline, loaded=loaded)
    more = [offer_serials(offered, lang)] if offered else []
    if message.serials.cut:
        more.append(say("warranty.cut", lang, count=min(len(records), MAX_CANDIDATES)))
    return _extended(said, more), offered


def _similar(store: WarrantyStore, missing: list[str], known: Iterable[str]) -> tuple[bool, tuple[str, ...]]:
    """Whether there are records at all, and the serials among them that those `missing` may stand for."""
    if store.loaded() is None:
        return False, ()
    asked = set(known)
    near = {
        serial: None
        for wrong in missing[:_MAX_COMPARED]
        for serial in similar_serials(wrong, store.known)
        if serial not in asked
    }
    return True, tuple(near)[:OFFERED]


def _extended(said: WarrantyText, more: list[str]) -> WarrantyText:
    return replace(said, text="\n\n".join([said.text, *more]))


def _failed_attempts(message: ParsedMessage, said: WarrantyText, turn: TurnContext) -> int:
    """How many attempts in a row have failed, this one included; asking without an attempt changes nothing."""
    if said.found:
        return 0
    tried = said.meta["kind"] == "result" or message.serials.attempted or bool(message.near)
    return int(turn.conversation_metadata.get(FAILED_ATTEMPTS, 0)) + tried
