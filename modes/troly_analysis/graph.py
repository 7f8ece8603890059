"""Wires the documents' five nodes: classify, then chat, data agent or clarify, and all three meet in the formatter."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from troly.plugin.context import TurnContext, traced
from troly.plugin.contract import Graph
from troly_analysis import nodes

ROUTES: dict[Hashable, str] = {
    "chat": "chat_node",
    "data_query": "data_agent_node",
    "unclear": "clarify_node",
}


class ChatWorkflowState(TypedDict, total=False):
    """The workflow state of the documents (001-04) with the result, and what one node leaves for the next.

    `question` is the message, or the option it chose; `sheets` are the user's; `understood` is the message as
    the planner understood it, None for a typed pipeline; `answered` what the data agent found; `spoken` that the answer was said while it was made.
    """

    messages: list[dict[str, str]]
    user_id: str
    conversation_id: str
    user_connections: list[dict[str, Any]]
    intent: str | None
    agent_response: str | None
    tool_calls: list[dict[str, Any]]
    final_response: str | None
    error: str | None
    result: dict[str, Any] | None
    question: str
    sheets: Any
    understood: Any
    answered: Any
    spoken: bool


def build() -> Graph:
    """The compiled graph (001-01, 001-03); needs a `TurnContext` as its context."""
    builder = StateGraph(ChatWorkflowState, context_schema=TurnContext)
    builder.add_node("intent_classifier", traced("intent_classifier", nodes.intent_classifier))
    builder.add_node("chat_node", traced("chat_node", nodes.chat_node))
    builder.add_node("data_agent_node", traced("data_agent_node", nodes.data_agent_node, agent="data_agent"))
    builder.add_node("clarify_node", traced("clarify_node", nodes.clarify_node))
    builder.add_node("response_formatter", traced("response_formatter", nodes.response_formatter))
    builder.add_edge(START, "intent_classifier")
    builder.add_conditional_edges("intent_classifier", nodes.route_by_intent, ROUTES)
    for node in ROUTES.values():
        builder.add_edge(node, "response_formatter")
    builder.add_edge("response_formatter", END)
    return builder.compile()
