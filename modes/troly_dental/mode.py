"""Declares the dental adviser; nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import DataStatus, Graph, Mode, Opening, Outcome
from troly.text.catalogue import LANGS, Lang
from troly_dental.commands import COMMANDS
from troly_dental.memory.schema import MIGRATION as MEMORY
from troly_dental.mentions import mentions
from troly_dental.samples import SAMPLES
from troly_dental.search.cache import MIGRATIONS as SEARCHES
from troly_dental.strings import catalogue, say

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly.plugin.services import Services

# Issue 6's fields, and those that the document's flow names (003-05, 003-13 to 003-21, 003-32).
STATE_FIELDS = (
    "conversation_id",
    "user_message",
    "language",
    "red_flag",
    "guardrail",
    "messages",
    "total_count",
    "conversation_summary",
    "search_query",
    "search_results",
    "sources",
    "summary",
    "formatted_response",
)


def _graph() -> Graph:
    from troly_dental.graph import build

    return build()


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
    }


def _finish(state: Mapping[str, Any]) -> Outcome:
    kind = state["message_type"]
    metadata: dict[str, Any] = {"type": kind, "sources": state["sources"]}
    if state["red_flag"]:
        metadata["red_flag"] = state["red_flag"]
    return Outcome({name: state[name] for name in STATE_FIELDS}, message_type=kind, metadata=metadata)


def _opening(services: Services, lang: Lang) -> Opening:
    return Opening(services.personas.load("dental", lang).greeting)


def _holdings(services: Services, lang: Lang) -> DataStatus:
    from troly_dental.samples import COLLECTION

    count = len(services.knowledge.list_documents(COLLECTION))
    line = say("holdings.loaded" if count else "holdings.none", lang, count=count)
    settings = services.settings.dental
    if settings.search == "off":
        return DataStatus(say("holdings.no_web", lang, line=line), enough=count > 0)
    engine = "SearXNG" if settings.searxng else "DuckDuckGo"
    return DataStatus(say("holdings.online", lang, line=line, engine=engine), enough=True)


def _shareable(services: Services, text: str) -> str:
    """Names, telephones and numbers of papers are masked as in the log (003-42)."""
    if services.settings.dental.log_personal:
        return text
    from troly_dental.masking import mask

    return mask(text)


def _warm() -> None:
    """Learn the signs, the examples and the notes, and load the library of the memory and the search."""
    from troly.retrieval.search.glossary import concepts
    from troly_dental.guard import judge, red_flag
    from troly_dental.note_sentences import tells
    from troly_dental.note_subjects import subjects

    red_flag("răng bị sâu")
    judge("răng bị sâu")
    subjects("răng bị sâu")
    tells("răng")
    concepts(["sâu", "răng"], english=False)
    for name in ("mcp", "troly_dental.servers.memory", "troly_dental.mcp_inside"):
        import_module(name)


MODE = Mode(
    id="dental",
    names=catalogue().entry("strings.mode.name"),  # type: ignore[arg-type]
    summaries=catalogue().entry("strings.mode.summary"),  # type: ignore[arg-type]
    persona="dental",
    accent="#45c1c1",
    icon="Ω",
    warm=_warm,
    first_questions={lang: tuple(say(f"mode.question_{n}", lang) for n in (1, 2, 3)) for lang in LANGS},
    graph=_graph,
    start=_start,
    finish=_finish,
    state_fields=STATE_FIELDS,
    opening=_opening,
    holdings=_holdings,
    roles=("chat", "small", "guard"),
    migrations=(*SEARCHES, MEMORY),
    commands=COMMANDS,
    samples=SAMPLES,
    shareable=_shareable,
    mentions=mentions,
)
