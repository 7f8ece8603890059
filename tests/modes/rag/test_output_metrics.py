"""The figures of an answer: what the agents, the tools and the cache took, and how good what they found is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from troly.paths import Paths
from troly_rag.answer.evidence import SourceEvidence
from troly_rag.answer.output import Span, Times, metrics
from troly_rag.config import load
from troly_rag.conflicts.contradictions import ConflictReport
from troly_rag.execution.engine import AgentOutput, Execution, QueryAnswer, ToolRun
from troly_rag.tools.interface import ToolResult

NOW = datetime(2026, 11, 22, tzinfo=UTC)
CONFIG = load(Paths.resolve({"TROLY_HOME": "/nowhere/troly"}))


def run(ident: str, ms: float) -> ToolRun:
    agent, _, tool = ident.partition("#")
    return ToolRun(ident, agent, f"{tool.partition(':')[0]}_tool", None, "done", NOW, NOW, ms)


def answered(age: int, text: str = "Có.") -> QueryAnswer:
    source = SourceEvidence("a", NOW - timedelta(days=age), "internal", 0.9)
    return QueryAnswer(1, "q", ToolResult(text, evidence=(source,) if text else ()))


def test_the_documents_figures() -> None:
    """004-36, 004-37, 004-38: hr 354 = 143 + 156 + 55; rag_tool three calls of 132 on average; one of three from the cache."""
    general, first, second, summary = (
        run("general#rag", 97), run("hr#rag:1", 143), run("hr#rag:2", 156), run("hr#summary", 55)
    )  # fmt: skip
    outputs = (
        AgentOutput("general", (answered(10),), (general,)),
        AgentOutput("hr", (answered(89), answered(0, "")), (first, second, summary)),
    )
    execution = Execution(outputs, (general, first, second, summary), cache_hits=1, cache_lookups=3)
    span = Span(NOW, NOW)
    found = metrics(execution, ConflictReport(duration_ms=12.4), Times(span, span, 30.0, 520.0), CONFIG, NOW)
    assert found == {
        "query_processing_time_ms": 520,
        "agent_execution_times": {"general": 97, "hr": 354},
        "tool_usage_stats": {
            "rag_tool": {"calls": 3, "avg_time_ms": 132},
            "summary_tool": {"calls": 1, "avg_time_ms": 55},
        },
        "conflict_resolution_time_ms": 12,
        "cache_hit_ratio": 0.33,
        "content_quality_metrics": {
            "general_agent": {"completeness": "comprehensive", "recency": "within_30_days", "domain_match": "general"},
            "hr_agent": {
                "completeness": "partial_with_context", "recency": "within_90_days", "domain_match": "perfect"
            },
        },
    }  # fmt: skip
