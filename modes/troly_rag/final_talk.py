"""The final output of small talk: the same documented fields, told by the two steps that were done (004-18, 004-26 to 004-37)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troly.recording import moment
from troly.text.catalogue import Lang
from troly_rag.final import Span
from troly_rag.strings import say

if TYPE_CHECKING:
    from datetime import datetime

    from troly_rag.access import UserContext
    from troly_rag.routing.types import Routing

DECISION = "chitchat"


def talk_output(routing: Routing, user: UserContext, began: datetime, lang: Lang) -> dict[str, Any]:
    """The output for small talk that was read since `began` (aware): no agent was asked, no document searched."""
    router = Span(began, moment("rag.routed"))
    told = {
        "answer": routing.response,
        "evidence": [],
        "reasoning": say("reasoning.talk", lang),
        "confidence_score": 1.0,
        "follow_up_questions": [],
        "routing": routing.as_dict(),
        "error": False,
    }
    ended = moment("rag.ended")
    steps: list[dict[str, Any]] = [
        {
            "node_id": "Router",
            "type": "router",
            "agent": None,
            "tool": None,
            "status": "done",
            **router.as_dict(),
            "metadata": {"decision": DECISION},
        },
        {
            "node_id": "AnswerFormatter",
            "type": "formatter",
            "status": "done",
            "duration_ms": Span(router.ended, ended).ms,
        },
    ]
    return told | {
        "flow_action": [{"order": order, **step} for order, step in enumerate(steps, 1)],
        **_measured(user, Span(began, ended).ms),
    }


def _measured(user: UserContext, total: int) -> dict[str, Any]:
    """What was done, which is nothing but the `total` ms that it took."""
    return {
        "execution_metadata": {
            "total_duration_ms": total,
            "agents_invoked": [],
            "tools_executed": [],
            "total_queries": 0,
            "conflict_resolution_applied": False,
            # Nothing was searched, so nothing was filtered.
            "department_permission_filtering": False,
            "accessible_departments": sorted(user.accessible_departments),
        },
        "performance_metrics": {
            "query_processing_time_ms": total,
            "agent_execution_times": {},
            "tool_usage_stats": {},
            "conflict_resolution_time_ms": 0,
            "cache_hit_ratio": 0.0,
            "content_quality_metrics": {},
        },
    }
