"""The state of a turn: the final output as documented, the routing structure, the work in hand."""

from __future__ import annotations

from typing import Any, TypedDict


class RagState(TypedDict, total=False):
    """The documented fields, and the work in hand."""

    answer: str
    evidence: list[dict[str, Any]]
    reasoning: str
    confidence_score: float
    follow_up_questions: list[str]
    flow_action: list[dict[str, Any]]
    execution_metadata: dict[str, Any]
    performance_metrics: dict[str, Any]
    error: bool
    error_code: str | None
    error_message: str | None
    partial_results: dict[str, Any]
    fallback_answer: str | None
    routing: dict[str, Any]
    query: str
    history_chat: list[dict[str, str]]
    user_context: dict[str, Any]
    work: Any
    route: str


# The final output of 004-26 to 004-37 by the documents' names, the structure of 004-11 to 004-18 under
# `routing`, and the input of 004-02 and 004-03.
STATE_FIELDS = tuple(name for name in RagState.__annotations__ if name not in ("work", "route"))


def empty_state() -> dict[str, Any]:
    """A state in which nothing was found out yet."""
    texts = dict.fromkeys(("answer", "reasoning", "query", "route"), "")
    lists: dict[str, Any] = {
        name: [] for name in ("evidence", "follow_up_questions", "flow_action", "history_chat")
    }
    tables: dict[str, Any] = {
        name: {}
        for name in (
            "execution_metadata",
            "performance_metrics",
            "partial_results",
            "routing",
            "user_context",
        )
    }
    missing = dict.fromkeys(("error_code", "error_message", "fallback_answer", "work"))
    return {**texts, **lists, **tables, **missing, "confidence_score": 0.0, "error": False}
