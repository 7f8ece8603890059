"""Wires the document's flow: session, orchestrator, then SQL with validation before the answer, or talk (002-01, 002-12)."""

from __future__ import annotations

from typing import Any, TypedDict

# Loaded with the graph, in a thread: the first question must not wait for it on the screen's own loop.
import sqlglot.optimizer.scope  # noqa: F401
from langgraph.graph import END, START, StateGraph

from troly.plugin.context import TurnContext, traced
from troly.plugin.contract import Graph
from troly_rental import agents


class RentalState(TypedDict, total=False):
    """The documented fields (002-10, 002-19, 002-28, 002-33), `filters`, and what one agent leaves for the next."""

    message: str
    requestType: str
    userRole: str
    userId: str | None
    businessContext: str
    readyForSql: bool
    intentModeHint: str | None
    entityHint: str | None
    filtersHint: str | None
    filters: list[dict[str, Any]]
    sql: str
    results: list[dict[str, Any]]
    count: int
    attempts: int
    isValid: bool | None
    reason: str | None
    kind: str
    sessionId: str
    timestamp: str
    payload: dict[str, Any] | None
    response_text: str
    asked: Any
    answered: Any
    verdict: Any
    error: str
    route: str


TALK = ("control", "content")
NODES = (
    "session",
    "orchestrator",
    "sql_generation",
    "result_validator",
    "response_generator",
    *TALK,
    "persist",
)


def build() -> Graph:
    """The compiled graph; needs a `TurnContext` as its context. The result is validated before it is shown (002 C9)."""
    builder = StateGraph(RentalState, context_schema=TurnContext)
    for name in NODES:
        builder.add_node(name, traced(name, getattr(agents, name)))
    builder.add_edge(START, "session")
    builder.add_edge("session", "orchestrator")
    builder.add_conditional_edges("orchestrator", lambda state: state["route"], ["sql_generation", *TALK])
    builder.add_edge("sql_generation", "result_validator")
    builder.add_edge("result_validator", "response_generator")
    builder.add_edge("response_generator", "persist")
    for last in (*TALK, "persist"):
        builder.add_edge(last, END)
    return builder.compile()
