"""Runs a plan: groups in order, tasks side by side, with timeouts, retries and a cache (004-15, 004-39, 004-40)."""

from troly_rag.execution.types import AgentOutput, Execution, QueryAnswer, ToolAnswer, ToolRun

__all__ = ["AgentOutput", "Execution", "QueryAnswer", "ToolAnswer", "ToolRun"]
