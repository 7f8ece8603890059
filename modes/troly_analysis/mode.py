"""Declares the analysis assistant; nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import Lazy, Mode, Outcome, Purpose
from troly.text.catalogue import LANGS
from troly_analysis.settings import AnalysisSettings
from troly_analysis.sheets.commands import COMMANDS, INGESTS, MEMORIES, QUERIES, TALK
from troly_analysis.sheets.metrics import MIGRATION
from troly_analysis.sheets.samples import SAMPLES
from troly_analysis.strings import TEXTS, say

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext


# ChatWorkflowState of the documents (001-04), and the result.
STATE_FIELDS = (
    "messages", "user_id", "conversation_id", "user_connections", "intent", "agent_response", "tool_calls",
    "final_response", "error", "result",
)  # fmt: skip


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


MODE = Mode(
    id="analysis",
    texts=TEXTS,
    names=TEXTS.both("mode.name"),
    summaries=TEXTS.both("mode.summary"),
    persona="analysis",
    accent="#6ea8fe",
    order=20,
    about=Purpose(
        {
            "vi": "Số liệu trong bảng của bạn: doanh thu, đơn hàng, so sánh, biểu đồ.",
            "en": "Figures in your own sheets: revenue, orders, comparisons, charts.",
        },
        {
            "vi": ("Tổng doanh thu tháng này là bao nhiêu?", "Top 5 sản phẩm bán chạy nhất?"),
            "en": ("What is the total revenue this month?", "What are the top 5 best selling products?"),
        },
    ),
    icon="∑",
    warm=Lazy("troly_analysis.nodes:warm"),
    first_questions={lang: tuple(say(f"mode.question_{n}", lang) for n in (1, 2, 3)) for lang in LANGS},
    graph=Lazy("troly_analysis.graph:build"),
    start=_start,
    finish=_finish,
    state_fields=STATE_FIELDS,
    data_status=Lazy("troly_analysis.sheets.samples:data_status"),
    settings={"analysis": AnalysisSettings},
    migrations=(MIGRATION,),
    ingests=INGESTS,
    commands=COMMANDS,
    samples=SAMPLES,
    talk=TALK,
    mentions=Lazy("troly_analysis.sheets.overview:mentions"),
    memories=MEMORIES,
    queries=QUERIES,
)
