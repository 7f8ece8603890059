"""Decides what is asked, of which agents, with which tools, and in which order (004-07, 004-08, 004-11 to 004-18)."""

from troly_rag.routing.rules import Reading, read, route, weighed
from troly_rag.routing.types import AgentPart, PlanTask, Routing

__all__ = ["AgentPart", "PlanTask", "Reading", "Routing", "read", "route", "weighed"]
