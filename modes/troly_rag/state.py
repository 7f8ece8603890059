"""The state of a turn: the final output as documented, the routing structure, the work in hand."""

from __future__ import annotations

from typing import Any, TypedDict

# The final output of 004-26 to 004-37 by the documents' names, the structure of 004-11 to 004-18 under
# `routing`, and the input of 004-02 and 004-03.
STATE_FIELDS = (
    "answer", "evidence", "reasoning", "confidence_score", "follow_up_questions", "flow_action",
    "execution_metadata", "performance_metrics", "error", "error_code", "error_message", "partial_results",
    "fallback_answer", "routing", "query", "history_chat", "user_context",
)  # fmt: skip


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


def empty_state() -> dict[str, Any]:
    """A state in which nothing was found out yet."""
    return {
        "answer": "",
        "evidence": [],
        "reasoning": "",
        "confidence_score": 0.0,
        "follow_up_questions": [],
        "flow_action": [],
        "execution_metadata": {},
        "performance_metrics": {},
        "error": False,
        "error_code": None,
        "error_message": None,
        "partial_results": {},
        "fallback_answer": None,
        "routing": {},
        "query": "",
        "history_chat": [],
        "user_context": {},
        "work": None,
        "route": "",
    }
