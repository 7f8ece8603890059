"""The answer to a warranty question: the records, serials that may have been meant, a request for one, or a person."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.text.dates import HCM
from troly.text.language import is_other
from troly_shopping.dialogue import DANGER, FOCUS, record_rows
from troly_shopping.handoffs import FAILED, HANDOFF, MAX_FAILED, hand_over
from troly_shopping.lookalikes import OFFERED, similar_serials
from troly_shopping.message import ParsedMessage
from troly_shopping.products.rendering import quoted
from troly_shopping.reply.pages import about, passage_line, search_pages
from troly_shopping.reply.product_answer import follow_up_line, retrieve_context, rules_answer
from troly_shopping.serials import MAX_CANDIDATES
from troly_shopping.strings import say
from troly_shopping.warranty.rendering import (
    WarrantyText,
    about_none,
    ask_for_serial,
    offer_serials,
    render_asked,
    render_records,
)
from troly_shopping.warranty.store import WarrantyStore
from troly_shopping.wordlists import lexicon

# Counted in the conversation's metadata: serials in a row that could not be read or found.
FAILED_ATTEMPTS = "failed_attempts"
# In a list no more than so many wrong serials are compared with the table.
_MAX_COMPARED = 5
_SHOWN = 60
# The digits of an IMEI, which people take for the serial.
_IMEI = 15


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
    if act == "no serial":
        text, offered = say("warranty.no_serial", lang, hotline=turn.persona().hotline), ()
        said = replace(ask_for_serial(lang), text=text)
    elif act == "about" and not serials:
        said, offered = about_none(message.act.asked, lang), ()
    elif act == "choose":
        said, offered = replace(ask_for_serial(lang), text=offer_serials(serials, lang)), serials
    elif serials:
        said, offered = await _result(message, turn)
        said = await _with_concern(message, said, turn, step)
    else:
        said = ask_for_serial(lang, attempted=message.serials.attempted or bool(message.near))
        said, offered = await _with_concern(message, said, turn, step), message.near
        said = _extended(said, [offer_serials(offered, lang)] if offered else [])
    failed = _failed_attempts(message, said, turn)
    turn.conversation_metadata[FAILED_ATTEMPTS] = 0 if failed >= MAX_FAILED else failed
    text, kind = said.text, said.message_type
    if failed >= MAX_FAILED:
        text, kind = f"{text}\n\n{hand_over(turn, FAILED)}", HANDOFF
    if said.table is not None:
        turn.emit(said.table)
    beside = await _beside(message, turn, step)
    text = f"{text}\n\n{beside}" if beside else text
    if kind != HANDOFF and said.meta["kind"] == "result":
        # The persona's follow-up comes after a result, found or not (000-45).
        short = message.act.act == "about" and _in_short(message, turn)
        text += follow_up_line(turn) if short else f"\n\n{turn.persona().follow_up}"
    turn.say(text)
    turn.answered = said.found > 0 and not offered
    _remember(message, said, turn)
    step.note(message.serials.reason(lang) or say("step.no_serial", lang), "rules")
    saved: dict[str, object] = {"offered": list(offered)} if offered else {}
    saved |= {DANGER: True} if message.trouble == DANGER else {}
    return {"response": text, "message_type": kind, "warranty_meta": dict(said.meta), "saved": saved}


async def _with_concern(
    message: ParsedMessage, said: WarrantyText, turn: TurnContext, step: Step
) -> WarrantyText:
    """`said` with concern and the rule of exchange where something is broken; what to do at once comes before all."""
    if not message.trouble:
        return said
    sorry = [say("warranty.sorry", turn.language), *await _exchange_rule(turn, step)]
    parts = [said.text, *sorry] if message.serials.serials else [*sorry, said.text]
    if message.trouble == DANGER:
        parts = [say("warranty.danger", turn.language, hotline=turn.persona().hotline), *parts]
    return replace(said, text="\n\n".join(parts))


async def _exchange_rule(turn: TurnContext, step: Step) -> list[str]:
    """The shop's page on exchanging what is faulty, for somebody whose machine has broken."""
    passages = await search_pages(turn, turn.text, ("exchange",), step)
    found = [item for item in passages if about(item, "exchange") in {0, 1}]
    found.sort(key=lambda item: (is_other(item["text"], turn.language), about(item, "exchange")))
    return [passage_line(item, turn) for item in found[:1]]


async def _beside(message: ParsedMessage, turn: TurnContext, step: Step) -> str:
    """What else the message asks for, answered by rules: each part of it is answered (000-02 keeps the result itself apart)."""
    request = message.request
    if request is None or not message.serials.serials:
        return ""
    if not (request.asks or request.query.unread):
        return say("warranty.not_listed", turn.language) if request.query.shows else ""
    if not request.asks:
        return say("warranty.beside", turn.language, what=quoted(request.query.unread))
    context, offer = await retrieve_context(turn, request, step, needed=True)
    answer = await asyncio.to_thread(rules_answer, turn, request, offer, context)
    return answer.text


def _remember(message: ParsedMessage, said: WarrantyText, turn: TurnContext) -> None:
    """The records told are what a later "con nào còn hạn" means; a question about some of them changes nothing."""
    focus = turn.focus
    if said.meta["kind"] != "result" or (message.act.act == "about" and focus is not None):
        if focus is not None and focus.kind == FOCUS:
            turn.show(focus.kind, focus.question, focus.rows, focus.query)
        return
    turn.show(FOCUS, turn.text[:300], record_rows(message.records)[:_SHOWN], {})


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
    if message.act.act == "about":
        said = replace(said, table=None, text=_in_short(message, turn) or said.text)
    more = [offer_serials(offered, lang)] if offered else []
    if any(len(one) == _IMEI and one.isdecimal() for one in missing):
        more.append(say("warranty.imei", lang, hotline=turn.persona().hotline))
    if message.serials.cut:
        more.append(say("warranty.cut", lang, count=min(len(records), MAX_CANDIDATES)))
    return _extended(said, more), offered


def _in_short(message: ParsedMessage, turn: TurnContext) -> str:
    """What is asked of one warranty that was told before: its last day, or the days; "" where all of it, or what it is, is to
    be told.
    """
    record = next(iter(message.records.values())) if len(message.records) == 1 else None
    asked = set(lexicon("warranty", "when", "days", "covered", "expired").labels_in(turn.text))
    names = lexicon("warranty", "what").find(turn.text)
    if record is None or not asked or names or record.serial not in message.state.mentioned:
        return ""
    return render_asked(record, asked, turn.now.astimezone(HCM).date(), turn.language)


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
