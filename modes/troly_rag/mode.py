"""Declares the company assistant; nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import DataStatus, Graph, Mode, Opening, Outcome, Samples
from troly.text.catalogue import LANGS, Lang
from troly_rag.config_commands import COMMANDS, INGESTS
from troly_rag.corpus_cards import MIGRATION
from troly_rag.mentions import mentions
from troly_rag.resolve_commands import COMMANDS as RESOLVE_COMMANDS
from troly_rag.state import STATE_FIELDS, empty
from troly_rag.strings import say

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly.plugin.services import Services


def _graph() -> Graph:
    from troly_rag.graph import build

    return build()


def _start(_turn: TurnContext) -> dict[str, Any]:
    return empty()


def _finish(state: Mapping[str, Any]) -> Outcome:
    work = state.get("work")
    metadata: dict[str, Any] = {}
    if work is not None and work.execution is not None:
        # The documented stream and the agents' outputs (004-19, 004-45) are kept with the answer.
        outputs = [output.as_dict() for output in work.execution.outputs]
        metadata = {"stream": list(work.execution.stream), "agent_outputs": outputs}
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
    from troly.retrieval.glossary import concepts
    from troly_rag.extracting import asked
    from troly_rag.routing.talking import listen
    from troly_rag.tools import search  # noqa: F401 (what looks into the documents)

    listen("chính sách nghỉ phép")
    asked("chính sách nghỉ phép")
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
