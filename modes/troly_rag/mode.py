"""Declares the company assistant; nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import DataStatus, Graph, Mode, Opening, Outcome, Samples
from troly.text.catalogue import LANGS, Lang
from troly_rag.commands import COMMANDS, INGESTS, RESOLVE_COMMANDS
from troly_rag.corpus.cards import MIGRATION
from troly_rag.samples import mentions
from troly_rag.state import STATE_FIELDS, empty_state
from troly_rag.strings import say

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly.plugin.services import Services


def _graph() -> Graph:
    from troly_rag.graph import build

    return build()


def _start(_turn: TurnContext) -> dict[str, Any]:
    return empty_state()


def _finish(state: Mapping[str, Any]) -> Outcome:
    work = state.get("work")
    metadata: dict[str, Any] = {}
    if work is not None:
        # The documented stream and the agents' outputs (004-19, 004-45) are kept with the answer.
        metadata = {
            "stream": list(work.execution.stream),
            "agent_outputs": list(work.execution.records),
        }
    chitchat = state["routing"].get("is_chitchat")
    return Outcome(
        {name: state[name] for name in STATE_FIELDS},
        message_type="chitchat" if chitchat else "answer",
        metadata=metadata,
    )


def _opening(services: Services, lang: Lang) -> Opening:
    return Opening(services.personas.load("rag", lang).greeting)


def _holdings(services: Services, lang: Lang) -> DataStatus:
    from troly_rag.samples import holdings

    return holdings(services, lang)


def _load(services: Services, lang: Lang) -> tuple[str, ...]:
    from troly_rag.samples import load

    return load(services, lang)


def _remove(services: Services, lang: Lang) -> tuple[str, ...]:
    from troly_rag.samples import remove

    return remove(services, lang)


def _loaded(services: Services) -> bool:
    from troly_rag.samples import loaded

    return loaded(services)


def _warm() -> None:
    """Learn the examples of small talk, and the words that questions are read by."""
    from troly.retrieval.search.glossary import concepts
    from troly_rag.answer.extraction import figure_request
    from troly_rag.routing.small_talk import check_small_talk
    from troly_rag.tools import documents  # noqa: F401 (what looks into the documents)

    check_small_talk("chính sách nghỉ phép")
    figure_request("chính sách nghỉ phép")
    concepts(["chính", "sách", "nghỉ", "phép"], english=False)


MODE = Mode(
    id="rag",
    names={"vi": "Nội bộ", "en": "Company"},
    summaries={
        "vi": "Hỏi chính sách công ty, câu trả lời có căn cứ.",
        "en": "Company policies, answered with evidence.",
    },
    persona="rag",
    accent="#bb9af7",
    icon="§",
    warm=_warm,
    first_questions={lang: tuple(say(f"first.{place}", lang) for place in (1, 2, 3)) for lang in LANGS},
    graph=_graph,
    start=_start,
    finish=_finish,
    state_fields=STATE_FIELDS,
    opening=_opening,
    holdings=_holdings,
    roles=("chat", "small"),
    migrations=(MIGRATION,),
    ingests=INGESTS,
    commands=(*COMMANDS, *RESOLVE_COMMANDS),
    samples=Samples(_load, _remove, _loaded),
    mentions=mentions,
)
