"""Wires the documents' nodes (000-06): classify, then warranty or clarify as early exits, else retrieve and respond."""

from __future__ import annotations

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from troly.plugin.context import TurnContext, chosen_route, traced
from troly.plugin.contract import Graph
from troly_shopping import nodes

EXITS = ("warranty_stream", "clarify_stream", "handoff_stream")


class ShoppingState(TypedDict, total=False):
    """AgentState (000-63), what a warranty answer carries, and what one node leaves for the next.

    `question` is the message without a request to switch language; `message` its parse; `saved` what else is kept
    with the answer; `route` the
    next node; `offer` what the catalogue has for it.
    """

    conversation_id: str
    user_id: str
    chat_history: list[dict[str, str]]
    metadata: dict[str, str]
    intent: str
    intent_confidence: float
    need_retrieval_hint: bool
    clarify_needed: bool
    clarify_questions: list[str]
    clarify_attempts: int
    preferred_language: str
    retrieved_context: list[dict[str, Any]]
    response: str
    stream: bool
    message_type: str
    warranty_meta: dict[str, Any]
    question: str
    message: Any
    saved: dict[str, Any]
    route: str
    offer: Any


def build() -> Graph:
    """The compiled graph; needs a `TurnContext` as its context."""
    builder = StateGraph(ShoppingState, context_schema=TurnContext)
    for node in (
        nodes.classify,
        nodes.warranty_stream,
        nodes.clarify_stream,
        nodes.handoff_stream,
        nodes.retrieve,
        nodes.respond_stream,
    ):
        builder.add_node(node.__name__, traced(node.__name__, node))
    builder.add_edge(START, "classify")
    builder.add_conditional_edges("classify", chosen_route, [*EXITS, "retrieve"])
    builder.add_edge("retrieve", "respond_stream")
    for last in (*EXITS, "respond_stream"):
        builder.add_edge(last, END)
    return builder.compile()
