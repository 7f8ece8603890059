"""What the model is asked for in JSON by the orchestrator and the router."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class OrchestratorReply(BaseModel):
    """Node 1 (004-07)."""

    is_chitchat: bool
    complexity: Literal["simple", "complex"] = "simple"


class TaskReply(BaseModel):
    """One task of the plan; `purpose` falls back to `message` (004 C1)."""

    agent: str = Field(max_length=80)
    tool: str = Field(max_length=80)
    purpose: str = Field(default="", max_length=300)
    message: str = Field(default="", max_length=300)
    id: str = Field(default="", max_length=80)
    depends_on: list[str] = Field(default_factory=list, max_length=40)


class PartReply(BaseModel):
    """What one agent is asked (004-11); a query may come as text or as `{"1": text}`."""

    queries: list[dict[str, str] | str] = Field(default_factory=list, max_length=40)
    tools: list[str] = Field(default_factory=list, max_length=20)


class PlanningReply(BaseModel):
    """One object with all groups, or one object a group: both forms of the documents (004 C1)."""

    tasks: list[dict[str, list[TaskReply]]] = Field(default_factory=list, max_length=40)


class FlowReply(BaseModel):
    """The plan and how conflicts are to be settled."""

    planning: PlanningReply = Field(default_factory=PlanningReply)
    conflict_resolution: str = Field(default="", max_length=300)


class RouterReply(BaseModel):
    """Node 2 (004-11 to 004-16)."""

    refined_query: str = Field(default="", max_length=800)
    agents: dict[str, PartReply] = Field(default_factory=dict)
    execution_flow: FlowReply = Field(default_factory=FlowReply)
