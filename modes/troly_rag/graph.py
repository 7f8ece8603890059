"""Wires the document's flow: orchestrator, reflection router, permission check, execution, conflicts, answer (004-01)."""

from __future__ import annotations

from itertools import pairwise

from langgraph.graph import END, START, StateGraph

from troly.plugin.context import TurnContext, chosen_route, traced
from troly.plugin.contract import Graph
from troly_rag import nodes
from troly_rag.execution.cache import Cache
from troly_rag.state import RagState

ORDER = ("permission_check", "agent_execution", "conflict_resolution", "final_response")


def build() -> Graph:
    """The compiled graph; needs a `TurnContext` as its context. Its cache lives as long as the graph (004-40)."""
    builder = StateGraph(RagState, context_schema=TurnContext)
    cache = Cache()
    steps = {
        "orchestrator": nodes.orchestrator_of(cache),
        "reflection_router": nodes.reflection_router,
        "permission_check": nodes.permission_check,
        "agent_execution": nodes.agent_execution_of(cache),
        "conflict_resolution": nodes.conflict_resolution,
        "final_response": nodes.final_response,
    }
    for name, node in steps.items():
        builder.add_node(name, traced(name, node))
    builder.add_edge(START, "orchestrator")
    after_orchestrator = ["reflection_router", "permission_check", END]
    builder.add_conditional_edges("orchestrator", chosen_route, after_orchestrator)
    builder.add_conditional_edges("reflection_router", chosen_route, ["permission_check", END])
    for before, after in pairwise(ORDER):
        builder.add_edge(before, after)
    builder.add_edge(ORDER[-1], END)
    return builder.compile()
