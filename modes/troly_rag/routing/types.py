"""The routing structure: which agent is asked what with which tools, and the plan (004-11 to 004-18)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

PENDING = "pending"
ORCHESTRATOR = "orchestrator"
RAG, SUMMARY, MATH, LOG = "rag_tool", "summary_tool", "math_tool", "log_tool"
Complexity = Literal["chitchat", "simple", "complex"]


@dataclass(frozen=True, slots=True)
class AgentPart:
    """What one agent is asked: its queries in order, and its tools in the order they are used."""

    agent: str
    queries: tuple[str, ...]
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanTask:
    """One step of the plan. `id` is its node (`hr#rag:1`), `group` counts from 1; groups run one after another.

    `depends_on` are ids that must have ended before, in whatever group they stand (004 C2).
    """

    id: str
    group: int
    agent: str
    tool: str
    purpose: str
    message: str
    query_index: int | None = None
    depends_on: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "agent": self.agent,
            "tool": self.tool,
            "purpose": self.purpose,
            "message": self.message,
            "status": PENDING,
        }
        return found | ({"depends_on": list(self.depends_on)} if self.depends_on else {})


@dataclass(frozen=True, slots=True)
class Routing:
    """The decision of the router; `response` answers small talk at once (004-18).

    `access` are the scopes the asker may see, `policy` says in plain words how conflicts are settled (004-16),
    `remarks` are what was dropped or mended in a model's plan, ready to be shown.
    """

    original_query: str
    refined_query: str = ""
    parts: tuple[AgentPart, ...] = ()
    tasks: tuple[PlanTask, ...] = ()
    access: tuple[str, ...] = ()
    policy: str = ""
    complexity: Complexity = "simple"
    response: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def is_chitchat(self) -> bool:
        return self.complexity == "chitchat"

    @property
    def groups(self) -> tuple[tuple[PlanTask, ...], ...]:
        """The tasks by group, groups in order."""
        numbers = sorted({task.group for task in self.tasks})
        return tuple(tuple(task for task in self.tasks if task.group == number) for number in numbers)

    def part(self, agent: str) -> AgentPart | None:
        """What `agent` is asked; None for one that is not."""
        return next((part for part in self.parts if part.agent == agent), None)

    def as_dict(self) -> dict[str, Any]:
        """The structure as documented: three fields for small talk, else 004-11 to 004-17."""
        if self.is_chitchat:
            return {"refined_query": "", "is_chitchat": True, "chitchat_response": self.response}
        return {
            "original_query": self.original_query,
            "refined_query": self.refined_query,
            "is_chitchat": False,
            "agents": {
                part.agent: _part(part, self.tasks, alone=len(self.parts) == 1) for part in self.parts
            },
            "permission": {"user_access": list(self.access)},
            "execution_flow": {
                "planning": {
                    "tasks": [
                        {str(group[0].group): [task.as_dict() for task in group]} for group in self.groups
                    ],
                    "aggregate_status": PENDING,
                },
                "conflict_resolution": self.policy,
            },
        }


def _part(part: AgentPart, tasks: tuple[PlanTask, ...], *, alone: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "queries": [{str(number): text} for number, text in enumerate(part.queries, 1)],
        "tools": list(part.tools),
    }
    mine = [task for task in tasks if task.agent == part.agent]
    in_turn = alone and len(mine) > 1 and len({task.group for task in mine}) == len(mine)
    return found | ({"sequential_tools": [task.tool for task in mine]} if in_turn else {})
