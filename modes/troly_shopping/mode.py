"""Declares the shopping and warranty assistant; nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import (
    Command,
    CommandRequest,
    CommandResult,
    DataStatus,
    Graph,
    Ingest,
    IngestOutcome,
    IngestRequest,
    Mode,
    Opening,
    Outcome,
    Parameter,
    Samples,
)
from troly.text.catalogue import LANGS, Lang
from troly.text.dates import format_date
from troly.text.numbers import format_number
from troly_shopping.handoffs import MIGRATION
from troly_shopping.mentions import mentions
from troly_shopping.strings import catalogue, say

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly.plugin.services import Services

INGEST_COMMAND = "app ingest warranty FILE"

# AgentState of 000-63 and what a warranty answer carries.
STATE_FIELDS = (
    "conversation_id",
    "user_id",
    "chat_history",
    "metadata",
    "intent",
    "intent_confidence",
    "need_retrieval_hint",
    "clarify_questions",
    "clarify_attempts",
    "preferred_language",
    "retrieved_context",
    "response",
    "stream",
    "message_type",
    "warranty_meta",
)


def _graph() -> Graph:
    from troly_shopping.graph import build

    return build()


def _start(turn: TurnContext) -> dict[str, Any]:
    ids = {"conversation_id": turn.conversation.id, "user_id": turn.profile.login}
    return {
        **ids,
        "chat_history": turn.chat_history(),
        "metadata": ids,
        "intent": "unknown",
        "intent_confidence": 0.0,
        "need_retrieval_hint": False,
        "clarify_questions": [],
        "clarify_attempts": 0,
        "preferred_language": turn.language,
        "retrieved_context": [],
        "response": "",
        "stream": True,
        "message_type": "answer",
        "warranty_meta": {"kind": None, "found": False, "serial": None},
        "question": turn.text,
    }


def _finish(state: Mapping[str, Any]) -> Outcome:
    kind = state["message_type"]
    metadata = {"type": kind, "intent": state["intent"]}
    if state["warranty_meta"]["kind"]:
        metadata["warranty_meta"] = state["warranty_meta"]
    metadata |= state.get("saved", {})
    return Outcome({name: state[name] for name in STATE_FIELDS}, message_type=kind, metadata=metadata)


def _opening(services: Services, lang: Lang) -> Opening:
    return Opening(services.personas.load("shopping", lang).greeting)


def _holdings(services: Services, lang: Lang) -> DataStatus:
    from troly_shopping.products.store import ProductStore
    from troly_shopping.warranty.store import WarrantyStore

    loaded = WarrantyStore(services.datasets).loaded()
    goods = ProductStore(services.datasets).loaded()
    if loaded is None:
        return DataStatus(say("holdings.none", lang), enough=False, command=INGEST_COMMAND)
    day = format_date(loaded.at.date())
    line = say("holdings.loaded", lang, rows=format_number(loaded.rows, lang), date=day)
    parts = [say("holdings.samples", lang, line=line) if loaded.samples else line]
    if goods is not None:
        line = say("holdings.products", lang, rows=format_number(goods.rows, lang))
        parts.append(say("holdings.samples", lang, line=line) if goods.samples else line)
    return DataStatus("; ".join(parts), enough=True, command=INGEST_COMMAND)


def _samples() -> Samples:
    def load(services: Services, lang: Lang) -> tuple[str, ...]:
        from troly_shopping.samples import load_samples as run

        return run(services, lang)

    def remove(services: Services, lang: Lang) -> tuple[str, ...]:
        from troly_shopping.samples import remove_samples as run

        return run(services, lang)

    def loaded(services: Services) -> bool:
        from troly_shopping.samples import samples_loaded as run

        return run(services)

    return Samples(load, remove, loaded)


def _ingest(request: IngestRequest) -> IngestOutcome:
    from troly_shopping.warranty.load import ingest_warranty

    return ingest_warranty(request)


def _ingest_products(request: IngestRequest) -> IngestOutcome:
    from troly_shopping.products.load import ingest_products

    return ingest_products(request)


def _check(request: CommandRequest) -> CommandResult:
    from troly_shopping.warranty.serial_file import check_serial_file

    return check_serial_file(request)


def _handoffs(request: CommandRequest) -> CommandResult:
    from troly_shopping.handoffs import list_handoffs

    return list_handoffs(request)


def _warm() -> None:
    """Learn the examples and read the lists once: a quarter of a second that the first answer does not wait for."""
    from troly_shopping.dialogue import dialogue_phrases
    from troly_shopping.intent import MessagePhrases, score_intents

    score_intents(MessagePhrases("shop có bán laptop không"))
    dialogue_phrases("")


MODE = Mode(
    id="shopping",
    names=catalogue().entry("strings.mode.name"),  # type: ignore[arg-type]
    summaries=catalogue().entry("strings.mode.summary"),  # type: ignore[arg-type]
    persona="shopping",
    accent="#e8a33d",
    icon="₫",
    warm=_warm,
    first_questions={lang: tuple(say(f"mode.question_{n}", lang) for n in (1, 2, 3)) for lang in LANGS},
    graph=_graph,
    start=_start,
    finish=_finish,
    state_fields=STATE_FIELDS,
    opening=_opening,
    holdings=_holdings,
    samples=_samples(),
    ingests=(
        Ingest(
            name="warranty",
            help={lang: say("mode.ingest_help", lang) for lang in LANGS},
            example="app ingest warranty data/warranty.csv --errors loi.csv",
            run=_ingest,
        ),
        Ingest(
            name="products",
            help={lang: say("mode.products_help", lang) for lang in LANGS},
            example="app ingest products data/products.csv --errors loi.csv",
            run=_ingest_products,
        ),
    ),
    migrations=(MIGRATION,),
    commands=(
        Command(
            path=("warranty", "check"),
            help={lang: say("check.help", lang) for lang in LANGS},
            example="app warranty check serials.txt\napp warranty check serials.csv --csv ket-qua.csv",
            run=_check,
            parameters=(
                Parameter("file", {lang: say("check.file", lang) for lang in LANGS}, "FILE", required=True),
            ),
            takes=("csv", "now"),
        ),
        Command(
            path=("handoffs",),
            help={lang: say("handoff.help", lang) for lang in LANGS},
            example="app handoffs\napp handoffs --json",
            run=_handoffs,
            takes=("csv", "user"),
        ),
    ),
    mentions=mentions,
    person={lang: say("mode.person", lang) for lang in LANGS},
)
