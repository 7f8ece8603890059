"""Wires the documents' flow: language, red flags, guard, memory, search, answer, form, then what is kept (003-01)."""

from __future__ import annotations

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from troly.plugin.context import TurnContext, chosen_route, traced
from troly.plugin.contract import Graph
from troly_dental import nodes


class DentalState(TypedDict, total=False):
    """The documented fields (003-32 and the flow's own names), and what one node leaves for the next.

    `question` is the message without a request to switch language, `query` the same with what it follows up; `said` what was
    said at once in an emergency, `urgent` all of it.
    """

    conversation_id: str
    user_message: str
    language: str
    red_flag: str | None
    guardrail: dict[str, Any]
    messages: list[dict[str, str]]
    total_count: int
    conversation_summary: str
    search_query: str
    search_results: str
    sources: list[dict[str, Any]]
    summary: str
    formatted_response: str
    message_type: str
    question: str
    # What of the question is looked up: beside what ends an emergency only that which asks.
    asked: str
    query: str
    topic: str
    cited: Any
    route: str
    said: str
    urgent: Any
    verdict: Any
    recalled: Any
    found: Any
    answered: Any


ENDS = ("rejected", "save")


def build() -> Graph:
    """The compiled graph; needs a `TurnContext` as its context."""
    builder = StateGraph(DentalState, context_schema=TurnContext)
    builder.add_node("listen", traced("listen", nodes.listen))
    builder.add_node("red_flags", traced("red_flags", nodes.red_flags))
    builder.add_node("guardrail", traced("guardrail", nodes.guardrail))
    builder.add_node("rejected", traced("rejected", nodes.rejected))
    builder.add_node("memory", traced("memory", nodes.recall, tool="memory-server"))
    builder.add_node("search", traced("search", nodes.search, tool="duckduckgo_search"))
    builder.add_node("answer", traced("answer", nodes.answer))
    builder.add_node("format", traced("format", nodes.form))
    builder.add_node("save", traced("save", nodes.save, tool="memory-server"))
    builder.add_edge(START, "listen")
    builder.add_edge("listen", "red_flags")
    builder.add_conditional_edges("red_flags", chosen_route, ["memory", "guardrail"])
    builder.add_conditional_edges("guardrail", chosen_route, ["memory", "rejected"])
    for before, after in (
        ("memory", "search"),
        ("search", "answer"),
        ("answer", "format"),
        ("format", "save"),
        *((last, END) for last in ENDS),
    ):
        builder.add_edge(before, after)
    return builder.compile()


def warm() -> None:
    """Learn the signs and the notes that the first answer would wait for; on a thread, when the assistant is shown."""
    from troly.retrieval.search.glossary import concepts
    from troly_dental.guard import danger, judge
    from troly_dental.notes import subjects
    from troly_dental.sentences import word_weight

    danger("răng bị sâu")
    judge("răng bị sâu")
    subjects("răng bị sâu")
    word_weight("răng")
    concepts(["sâu", "răng"], english=False)
