"""Wires the document's flow: session, orchestrator, then SQL with validation before the answer, or talk (002-01, 002-12)."""

from __future__ import annotations

from typing import Any, TypedDict

# Loaded with the graph, in a thread: the first question must not wait for it on the screen's own loop.
import sqlglot.optimizer.scope  # noqa: F401
from langgraph.graph import END, START, StateGraph

from troly.plugin.context import TurnContext, chosen_route, traced
from troly.plugin.contract import Graph
from troly_rental.agents.orchestrator import orchestrator
from troly_rental.agents.persistence import persist
from troly_rental.agents.response import content, control, response_generator
from troly_rental.agents.session import session
from troly_rental.agents.sql_generation import sql_generation
from troly_rental.agents.validator import result_validator


class RentalState(TypedDict, total=False):
    """The documented fields (002-10, 002-19, 002-28, 002-33), `filters`, and what one agent leaves for the next."""

    message: str
    requestType: str
    userRole: str
    userId: str | None
    businessContext: str
    explanation: str
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
    question: Any
    execution: Any
    verdict: Any
    error: str
    again: bool
    returned: bool
    route: str


NODES = {
    "session": session,
    "orchestrator": orchestrator,
    "sql_generation": sql_generation,
    "result_validator": result_validator,
    "response_generator": response_generator,
    "control": control,
    "content": content,
    "persist": persist,
}


def build() -> Graph:
    """The compiled graph; needs a `TurnContext` as its context. The result is validated before it is shown (002 C9), and
    a query that misses something, as found by whoever is to tell its rows, is written anew once.
    """
    builder = StateGraph(RentalState, context_schema=TurnContext)
    for name, node in NODES.items():
        builder.add_node(name, traced(name, node))
    builder.add_edge(START, "session")
    builder.add_edge("session", "orchestrator")
    builder.add_conditional_edges("orchestrator", chosen_route, ["sql_generation", "control", "content"])
    builder.add_edge("sql_generation", "result_validator")
    builder.add_edge("result_validator", "response_generator")
    builder.add_conditional_edges(
        "response_generator",
        _after_response,
        ["sql_generation", "persist"],
    )
    for last in ("control", "content", "persist"):
        builder.add_edge(last, END)
    return builder.compile()


async def _after_response(state: RentalState) -> str:
    return "sql_generation" if state.get("again") else "persist"
