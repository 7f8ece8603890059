"""Declares the shopping and warranty assistant; nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import Command, Ingest, Lazy, Mode, Outcome, Parameter, Purpose, Samples
from troly.text.catalogue import LANGS
from troly_shopping.handoffs import MIGRATIONS
from troly_shopping.settings import GreetingSettings, IntentSettings, ShoppingSettings
from troly_shopping.strings import TEXTS, say

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext

# AgentState of 000-63 and what a warranty answer carries, as it is before the first node.
_BEGINNING: dict[str, Any] = {
    "intent": "unknown", "intent_confidence": 0.0, "need_retrieval_hint": False, "clarify_needed": False, "clarify_questions": [],
    "clarify_attempts": 0, "preferred_language": "vi", "retrieved_context": [], "response": "", "stream": True, "message_type": "answer",
    "warranty_meta": {"kind": None, "found": False, "serial": None},
}  # fmt: skip
STATE_FIELDS = ("conversation_id", "user_id", "chat_history", "metadata", *_BEGINNING)


def _start(turn: TurnContext) -> dict[str, Any]:
    ids = {"conversation_id": turn.conversation.id, "user_id": turn.profile.login}
    said = {"chat_history": turn.chat_history(), "preferred_language": turn.language, "question": turn.text}
    return {**_BEGINNING, **ids, **said, "metadata": ids}


def _finish(state: Mapping[str, Any]) -> Outcome:
    kind = state["message_type"]
    metadata = {"type": kind, "intent": state["intent"]}
    if state["warranty_meta"]["kind"]:
        metadata["warranty_meta"] = state["warranty_meta"]
    metadata |= state.get("saved", {})
    return Outcome({name: state[name] for name in STATE_FIELDS}, message_type=kind, metadata=metadata)


MODE = Mode(
    id="shopping",
    texts=TEXTS,
    names=TEXTS.both("mode.name"),
    summaries=TEXTS.both("mode.summary"),
    persona="shopping",
    accent="#e8a33d",
    order=10,
    about=Purpose(
        {
            "vi": "Bảo hành theo số serial và mua hàng của cửa hàng.",
            "en": "Warranties by serial number, and shopping at the store.",
        },
        {
            "vi": ("Máy ABC123 còn bảo hành không?", "Laptop dưới 20 triệu có loại nào?"),
            "en": ("Is ABC123 still under warranty?", "Which laptops cost less than 20 million?"),
        },
    ),
    icon="₫",
    warm=Lazy("troly_shopping.intent:warm"),
    first_questions={lang: tuple(say(f"mode.question_{n}", lang) for n in (1, 2, 3)) for lang in LANGS},
    graph=Lazy("troly_shopping.graph:build"),
    start=_start,
    finish=_finish,
    state_fields=STATE_FIELDS,
    data_status=Lazy("troly_shopping.samples:data_status"),
    samples=Samples(
        load=Lazy("troly_shopping.samples:load_samples"),
        remove=Lazy("troly_shopping.samples:remove_samples"),
        loaded=Lazy("troly_shopping.samples:samples_loaded"),
    ),
    ingests=(
        Ingest(
            name="warranty",
            help=TEXTS.both("mode.ingest_help"),
            example="app ingest warranty data/warranty.csv --errors loi.csv",
            run=Lazy("troly_shopping.warranty.load:ingest_warranty"),
        ),
        Ingest(
            name="products",
            help=TEXTS.both("mode.products_help"),
            example="app ingest products data/products.csv --errors loi.csv",
            run=Lazy("troly_shopping.products.load:ingest_products"),
        ),
    ),
    settings={"intent": IntentSettings, "greeting": GreetingSettings, "shopping": ShoppingSettings},
    migrations=MIGRATIONS,
    commands=(
        Command(
            path=("warranty", "check"),
            help=TEXTS.both("check.help"),
            example="app warranty check serials.txt\napp warranty check serials.csv --csv ket-qua.csv",
            run=Lazy("troly_shopping.warranty.serial_file:check_serial_file"),
            parameters=(Parameter("file", TEXTS.both("check.file"), "FILE", required=True),),
            takes=("csv", "now"),
        ),
        Command(
            path=("handoffs",),
            help=TEXTS.both("handoff.help"),
            example="app handoffs\napp handoffs --json",
            run=Lazy("troly_shopping.handoffs:list_handoffs"),
            takes=("csv", "user"),
        ),
    ),
    mentions=Lazy("troly_shopping.products.store:mentions"),
    person=TEXTS.both("mode.person"),
)
