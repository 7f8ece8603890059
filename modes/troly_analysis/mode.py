"""Declares the analysis assistant; nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import Graph, Mode, Opening, Outcome
from troly.text.catalogue import LANGS, Lang
from troly_analysis.sheets.commands import COMMANDS, INGESTS, TALK
from troly_analysis.sheets.metrics import MIGRATION
from troly_analysis.sheets.overview import mentions
from troly_analysis.sheets.samples import SAMPLES, holdings
from troly_analysis.strings import catalogue, say

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly.plugin.services import Services


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


# What the first question would otherwise wait for; the graph is built in a thread before anybody asks.
_WARM = (
    "duckdb",
    "sqlglot",
    "troly_analysis.planner",
    "troly_analysis.nodes",
    "troly_analysis.query.aggregates",
)


def _graph() -> Graph:
    from troly_analysis.graph import build

    for name in _WARM:
        import_module(name)
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


def _warm() -> None:
    """Learn the examples, and load what writes and reads queries."""
    import sqlglot

    from troly_analysis.planner import classify
    from troly_analysis.planner.schema import concept_of
    from troly_analysis.types import Field

    for name in ("troly_analysis.sheets.store", "troly_analysis.agent.tools"):
        import_module(name)
    sqlglot.parse_one("select 1", read="duckdb").sql(dialect="duckdb")
    concept_of(Field("Doanh thu", "number"))
    classify("xin chào", (), ())
    classify("tổng doanh thu tháng này là bao nhiêu?", (), ())


MODE = Mode(
    id="analysis",
    names=catalogue().entry("strings.mode.name"),  # type: ignore[arg-type]
    summaries=catalogue().entry("strings.mode.summary"),  # type: ignore[arg-type]
    persona="analysis",
    accent="#6ea8fe",
    icon="∑",
    warm=_warm,
    first_questions={lang: tuple(say(f"mode.question_{n}", lang) for n in (1, 2, 3)) for lang in LANGS},
    graph=_graph,
    start=_start,
    finish=_finish,
    state_fields=STATE_FIELDS,
    opening=_opening,
    holdings=holdings,
    migrations=(MIGRATION,),
    ingests=INGESTS,
    commands=COMMANDS,
    samples=SAMPLES,
    talk=TALK,
    mentions=mentions,
)
