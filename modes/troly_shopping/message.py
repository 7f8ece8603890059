"""Puts together what a message says to the desk: the move it makes, the serials it holds, those it may have meant."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from troly.plugin.context import TurnContext
from troly.stores.published import Datasets
from troly.text.catalogue import Lang
from troly.text.fold import tokens
from troly_shopping.dialogue import (
    DialogueAct,
    DialogueState,
    dialogue_state,
    is_correction,
    parse_act,
    parse_of_confirmed,
    without_taken_back,
)
from troly_shopping.intent import IntentDecision, intent_by_rules, is_about_warranty
from troly_shopping.lookalikes import serials_written_apart
from troly_shopping.products.follow_up import FollowUp, parse_follow_up, shown_in, shown_kinds
from troly_shopping.products.store import ProductStore
from troly_shopping.serials import SerialParse, candidate_texts, parse_serials
from troly_shopping.strings import say
from troly_shopping.warranty.store import WarrantyStore

# A message of so few words may be a serial with blanks inside and nothing else.
_FEW_WORDS = 4


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """A message as the desk hears it.

    `near` are serials of the table that it may have meant, to be offered; `follow` what it asks of the products shown.
    """

    reading: SerialParse
    spot: DialogueState
    move: DialogueAct = field(default_factory=DialogueAct)
    near: tuple[str, ...] = ()
    follow: FollowUp | None = None

    @property
    def route(self) -> str:
        """The node that a move leads to; "" where intent decides."""
        if self.move.act == "person":
            return "handoff_stream"
        if self.follow is not None:
            return "retrieve"
        return "warranty_stream" if self.move.act or self.near else ""

    def found(self, lang: Lang) -> IntentDecision:
        """The intent of a message that needs no further finding."""
        reason = say("step.move", lang, act=self.move.act or "did you mean")
        if self.move.act in {"person", "cancel"}:
            return IntentDecision("unknown", 0.9, "rules", reason)
        if self.follow is not None:
            return IntentDecision(
                "shopping", 0.97, "rules", say("step.follow", lang, count=len(self.follow.names))
            )
        return IntentDecision("warranty", 0.97, "rules", reason)


def parse_message(turn: TurnContext, question: str) -> ParsedMessage:
    """What `question` says after `turn.history`. Reads the warranty table: call it on a thread. Raises StoreError."""
    spot = dialogue_state(turn.history)
    done = parse_act(question, spot)
    if done.act:
        return ParsedMessage(parse_of_confirmed(done.serials), spot, done)
    store = WarrantyStore(turn.services.datasets)
    reading = _read(turn.services.datasets, store, question, spot)
    follow = None if reading.serials or spot.awaiting else _follow(turn, question)
    near = () if reading.serials or follow else _near(store, question, spot, reading)
    return ParsedMessage(reading, spot, near=near, follow=follow)


def _follow(turn: TurnContext, question: str) -> FollowUp | None:
    metadata, messages = turn.conversation_metadata, len(turn.history)
    return parse_follow_up(question, shown_in(metadata, messages), shown_kinds(metadata, messages))


def _read(datasets: Datasets, store: WarrantyStore, question: str, spot: DialogueState) -> SerialParse:
    candidates = candidate_texts(question)
    known = store.known(candidates)
    modelled = ProductStore(datasets).codes(candidates)
    correcting = is_correction(question) and (spot.warranty or spot.earlier)
    about = is_about_warranty(question)

    def read(*, awaiting: bool) -> SerialParse:
        return parse_serials(
            question,
            known=lambda serial: serial.upper() in known,
            modelled=lambda code: code.upper() in modelled,
            context=about,
            awaiting=awaiting,
        )

    reading = read(awaiting=spot.awaiting or correcting)
    if spot.earlier and not reading.serials:
        # Asked for before a digression: a message that is nothing but a code returns to it.
        again = read(awaiting=True)
        reading = again if again.bare else reading
    if reading.serials and (correcting or (spot.earlier and reading.bare)):
        reading = replace(reading, sure=True)
    return without_taken_back(question, reading)


def _near(store: WarrantyStore, question: str, spot: DialogueState, reading: SerialParse) -> tuple[str, ...]:
    """Serials of the table written with blanks or dots inside, in full width or another script."""
    asked = spot.awaiting or reading.attempted or is_about_warranty(question)
    if not asked and (
        len(tokens(question)) > _FEW_WORDS
        or intent_by_rules(question, reading, awaiting=False).intent != "unknown"
    ):
        return ()
    return serials_written_apart(question[:2_000], store.known)
