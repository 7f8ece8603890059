"""Declares the analysis assistant; nothing heavy is imported here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import Graph, Holdings, Mode, Opening, Outcome
from troly.text.catalogue import LANGS, Lang
from troly.text.numbers import format_number
from troly_analysis.export import EXPORT
from troly_analysis.metrics import MIGRATION
from troly_analysis.strings import catalogue, say

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly.plugin.services import Services

SHEET_COMMAND = "app ingest sheet FILE"
NAMED = 3

# ChatWorkflowState of the documents (001-04), and the result.
STATE_FIELDS = (
    "messages",
    "user_id",
    "conversation_id",
    "user_connections",
    "intent",
    "agent_response",
    "tool_calls",
    "final_response",
    "error",
    "result",
)


def _graph() -> Graph:
    from troly_analysis.graph import build

    return build()


def _start(turn: TurnContext) -> dict[str, Any]:
    return {
        "messages": turn.chat_history(),
        "user_id": turn.profile.login,
        "conversation_id": turn.conversation.id,
        "user_connections": [],
        "intent": None,
        "agent_response": None,
        "tool_calls": [],
        "final_response": None,
        "error": None,
        "result": None,
        "spoken": False,
    }


def _finish(state: Mapping[str, Any]) -> Outcome:
    intent, result = state["intent"], state["result"]
    kind = {"chat": "chat", "data_query": "answer"}.get(intent or "", "clarify")
    metadata = {"intent": intent, "tools": [call["tool_name"] for call in state["tool_calls"]]}
    if result is not None:
        metadata["result_kind"] = result["kind"]
    fields = {name: state[name] for name in STATE_FIELDS}
    return Outcome(fields, message_type=kind, metadata=metadata)


def _opening(services: Services, lang: Lang) -> Opening:
    return Opening(services.personas.load("analysis", lang).greeting)


def _holdings(services: Services, lang: Lang) -> Holdings:
    from troly.config import load_profile
    from troly_analysis.sheets_store import SheetStore

    # Only the sheets of the one at the keyboard: the names of others' are theirs.
    owner = load_profile(services.paths, services.settings, env=os.environ).login
    sheets = SheetStore(services).sheets(owner)
    if not sheets:
        return Holdings(say("holdings.none", lang), enough=False, command=SHEET_COMMAND)
    named = []
    for sheet in sheets[:NAMED]:
        key = "holdings.sample" if sheet.samples else "holdings.sheet"
        named.append(say(key, lang, name=sheet.name, rows=format_number(sheet.rows, lang)))
    names = ", ".join(named)
    if len(sheets) > NAMED:
        names = say("holdings.more", lang, names=names, count=len(sheets) - NAMED)
    return Holdings(
        say("holdings.some", lang, count=len(sheets), names=names), enough=True, command=SHEET_COMMAND
    )


MODE = Mode(
    id="analysis",
    names=catalogue().entry("strings.mode.name"),  # type: ignore[arg-type]
    summaries=catalogue().entry("strings.mode.summary"),  # type: ignore[arg-type]
    persona="analysis",
    accent="#7aa2f7",
    first_questions={lang: tuple(say(f"mode.question_{n}", lang) for n in (1, 2, 3)) for lang in LANGS},
    graph=_graph,
    start=_start,
    finish=_finish,
    state_fields=STATE_FIELDS,
    opening=_opening,
    holdings=_holdings,
    migrations=(MIGRATION,),
    commands=(EXPORT,),
)
