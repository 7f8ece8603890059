"""Parses a message once for the whole turn: its act, its serials and their records, what it may have meant, its intent."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from troly.plugin.context import TurnContext
from troly.text.catalogue import Lang
from troly.text.fold import nfc, tokens
from troly.text.match import PhraseHit
from troly_shopping.dialogue import (
    DialogueAct,
    DialogueState,
    dialogue_phrases,
    dialogue_state,
    is_correction,
    parse_act,
    parse_of_confirmed,
    without_taken_back,
)
from troly_shopping.intent import IntentDecision, MessagePhrases, RuleIntent, intent_by_rules
from troly_shopping.lookalikes import serials_written_apart
from troly_shopping.products.follow_up import FollowUp, parse_follow_up, shown_in, shown_kinds
from troly_shopping.products.store import ProductStore
from troly_shopping.serials import SerialParse, known_serials, parse_serials, serial_candidates
from troly_shopping.strings import say
from troly_shopping.warranty.store import WarrantyRecord, WarrantyStore

# A message of so few words may be a serial with blanks inside and nothing else.
_FEW_WORDS = 4
_CERTAIN = RuleIntent("warranty", 0.97, "", sure=True)


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """What a message says after the conversation so far.

    `records` has for each of `serials.serials` what the warranty table says of it; `near` are serials of the table
    that it may have meant, to be offered; `follow_up` what it asks of the products shown; `rules` its intent by rules.
    """

    serials: SerialParse
    state: DialogueState
    act: DialogueAct = field(default_factory=DialogueAct)
    records: Mapping[str, WarrantyRecord | None] = field(default_factory=dict)
    near: tuple[str, ...] = ()
    follow_up: FollowUp | None = None
    rules: RuleIntent = _CERTAIN

    @property
    def route(self) -> str:
        """The node that an act leads to; "" where intent decides."""
        if self.act.act == "person":
            return "handoff_stream"
        if self.follow_up is not None:
            return "retrieve"
        return "warranty_stream" if self.act.act or self.near else ""

    def intent_of_route(self, lang: Lang) -> IntentDecision:
        """The intent of a message that has a route."""
        if self.follow_up is not None:
            reason = say("step.follow", lang, count=len(self.follow_up.names))
            return IntentDecision("shopping", 0.97, "rules", reason)
        reason = say("step.move", lang, act=self.act.act or "did you mean")
        if self.act.act in {"person", "cancel"}:
            return IntentDecision("unknown", 0.9, "rules", reason)
        return IntentDecision("warranty", 0.97, "rules", reason)


def parse_message(turn: TurnContext, question: str) -> ParsedMessage:
    """What `question` says after `turn.history`. Reads the warranty table: call it on a thread. Raises StoreError."""
    text, state, datasets = nfc(question), dialogue_state(turn.history), turn.services.datasets
    store, hits = WarrantyStore(datasets), dialogue_phrases(text)
    act = parse_act(text, state, hits)
    if act.act:
        records = store.find_all(act.serials) if act.act != "choose" else {}
        return ParsedMessage(parse_of_confirmed(act.serials), state, act, records)
    candidates = serial_candidates(text)
    found = store.find_all(dict.fromkeys(item.text.upper() for item in candidates))
    if found and all(found.values()):
        # What stands in the table is a serial whatever else the message says: nothing has to be weighed.
        serials = without_taken_back(text, known_serials(text, candidates), hits)
        if serials.serials:
            return _with_records(serials, state, found)
    phrases = MessagePhrases(text)
    modelled = ProductStore(datasets).codes(tuple(found))
    serials = _parse_serials(text, state, hits, found, modelled=modelled, context=phrases.about_warranty)
    follow_up = None
    if not (serials.serials or state.awaiting):
        metadata, messages = turn.conversation_metadata, len(turn.history)
        follow_up = parse_follow_up(text, shown_in(metadata, messages), shown_kinds(metadata, messages))
    rules = intent_by_rules(phrases, serials, awaiting=state.awaiting)
    asked = state.awaiting or serials.attempted or phrases.about_warranty
    near: tuple[str, ...] = ()
    if not (serials.serials or follow_up) and (
        asked or (len(tokens(text)) <= _FEW_WORDS and rules.intent == "unknown")
    ):
        near = serials_written_apart(text[:2_000], store.known)
    return replace(_with_records(serials, state, found), near=near, follow_up=follow_up, rules=rules)


def _with_records(
    serials: SerialParse, state: DialogueState, found: Mapping[str, WarrantyRecord | None]
) -> ParsedMessage:
    return ParsedMessage(serials, state, records={code: found.get(code.upper()) for code in serials.serials})


def _parse_serials(
    text: str,
    state: DialogueState,
    hits: Sequence[PhraseHit],
    found: Mapping[str, WarrantyRecord | None],
    *,
    modelled: Collection[str],
    context: bool,
) -> SerialParse:
    """The serials by their evidence; `found` is what the table has of the candidates, by their upper case."""
    correcting = is_correction(hits) and (state.warranty or state.earlier)

    def parse(*, awaiting: bool) -> SerialParse:
        return parse_serials(
            text,
            known=lambda code: found.get(code.upper()) is not None,
            modelled=lambda code: code.upper() in modelled,
            context=context,
            awaiting=awaiting,
        )

    serials = parse(awaiting=state.awaiting or correcting)
    if state.earlier and not serials.serials:
        # Asked for before a digression: a message that is nothing but a code returns to it.
        again = parse(awaiting=True)
        serials = again if again.bare else serials
    if serials.serials and (correcting or (state.earlier and serials.bare)):
        serials = replace(serials, sure=True)
    return without_taken_back(text, serials, hits)
