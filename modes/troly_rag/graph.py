"""Wires the document's flow: orchestrator, reflection router, permission check, execution, conflicts, answer (004-01)."""

from __future__ import annotations

from itertools import pairwise

from langgraph.graph import END, START, StateGraph

from troly.plugin.context import TurnContext, traced
from troly.plugin.contract import Graph
from troly_rag import nodes_answering as answering
from troly_rag import nodes_routing as routing
from troly_rag.execution.cache import Cache
from troly_rag.state import RagState

ORDER = ("permission_check", "agent_execution", "conflict_resolution", "final_response")


def build() -> Graph:
    """The compiled graph; needs a `TurnContext` as its context. Its cache lives as long as the graph (004-40)."""
    builder = StateGraph(RagState, context_schema=TurnContext)
    cache = Cache()
    nodes = {
        "orchestrator": routing.orchestrating(cache),
        "reflection_router": routing.reflection_router,
        "permission_check": routing.permission_check,
        "agent_execution": answering.execution(cache),
        "conflict_resolution": answering.conflict_resolution,
        "final_response": answering.final_response,
    }
    for name, node in nodes.items():
        builder.add_node(name, traced(name, node))
    builder.add_edge(START, "orchestrator")
    after_orchestrator = ["reflection_router", "permission_check", END]
    builder.add_conditional_edges("orchestrator", lambda state: state["route"], after_orchestrator)
    builder.add_edge("reflection_router", "permission_check")
    for before, after in pairwise(ORDER):
        builder.add_edge(before, after)
    builder.add_edge(ORDER[-1], END)
    return builder.compile()
