"""Declares the dental adviser; nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import Lazy, Mode, Outcome, Purpose, Samples
from troly.text.catalogue import LANGS
from troly_dental.commands import COMMANDS, MEMORIES
from troly_dental.memory.schema import MIGRATION as MEMORY
from troly_dental.search.cache import MIGRATIONS as SEARCHES
from troly_dental.settings import DentalSettings
from troly_dental.strings import TEXTS, say

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext

# Issue 6's fields, and those that the document's flow names (003-05, 003-13 to 003-21, 003-32).
STATE_FIELDS = (
    "conversation_id", "user_message", "language", "red_flag", "guardrail", "messages", "total_count", "conversation_summary",
    "search_query", "search_results", "sources", "summary", "formatted_response",
)  # fmt: skip


def _start(turn: TurnContext) -> dict[str, Any]:
    return {
        "conversation_id": turn.conversation.id,
        "user_message": turn.text,
        "language": turn.language,
        "red_flag": None,
        "guardrail": {"dental": False, "source": "rules", "score": 0.0},
        "messages": [],
        "total_count": 0,
        "conversation_summary": "",
        "search_query": "",
        "search_results": "",
        "sources": [],
        "summary": "",
        "formatted_response": "",
        "message_type": "answer",
        "question": turn.text,
        "said": "",
        "urgent": None,
    }


def _finish(state: Mapping[str, Any]) -> Outcome:
    kind = state["message_type"]
    metadata: dict[str, Any] = {"type": kind, "sources": state["sources"]}
    if state["red_flag"]:
        metadata |= {"red_flag": state["red_flag"], "urgent": True}
    return Outcome({name: state[name] for name in STATE_FIELDS}, message_type=kind, metadata=metadata)


MODE = Mode(
    id="dental",
    texts=TEXTS,
    names=TEXTS.both("mode.name"),
    summaries=TEXTS.both("mode.summary"),
    persona="dental",
    accent="#45c1c1",
    order=40,
    about=Purpose(
        {"vi": "Răng, nướu và chăm sóc răng miệng.", "en": "Teeth, gums and dental care."},
        {
            "vi": ("Chảy máu chân răng có sao không?", "Nhổ răng khôn xong nên ăn gì?"),
            "en": ("Are bleeding gums a problem?", "What should I eat after a wisdom tooth is pulled?"),
        },
    ),
    icon="Ω",
    model_names=("dental-duckduckgo",),
    warm=Lazy("troly_dental.graph:warm"),
    first_questions={lang: tuple(say(f"mode.question_{n}", lang) for n in (1, 2, 3)) for lang in LANGS},
    graph=Lazy("troly_dental.graph:build"),
    start=_start,
    finish=_finish,
    state_fields=STATE_FIELDS,
    data_status=Lazy("troly_dental.samples:data_status"),
    roles=("chat", "small", "guard"),
    settings={"dental": DentalSettings},
    migrations=(*SEARCHES, MEMORY),
    commands=COMMANDS,
    samples=Samples(
        load=Lazy("troly_dental.samples:load"),
        remove=Lazy("troly_dental.samples:remove"),
        loaded=Lazy("troly_dental.samples:loaded"),
    ),
    shareable=Lazy("troly_dental.redaction:shareable"),
    mentions=Lazy("troly_dental.samples:mentions"),
    memories=MEMORIES,
    branched=Lazy("troly_dental.nodes:branched"),
)
