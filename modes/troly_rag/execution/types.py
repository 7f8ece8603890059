"""What execution hands on: one record a tool run, the outputs of the agents, and what all of it took (004-19, 004-30)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from troly_rag.evidence import Evidence20

RunStatus = Literal["done", "failed", "denied"]
# Each place of the documents has a word of its own for the same thing (004 C7).
TRACE_STATUS: Mapping[RunStatus, str] = {"done": "ok", "failed": "failed", "denied": "denied"}


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One tool that was run for one agent; times are measured (004 C6), hashes are of what went in and came out.

    `node_id` is that of the plan (`hr#rag:1`). `error_type` is "" where it went well, else timeout, killed, dependency_failed,
    tool_error, or the name of the error; `cached` says that nothing was run because the same had been asked.
    """

    node_id: str
    agent: str
    tool: str
    query_index: int | None
    status: RunStatus
    started_at: datetime
    ended_at: datetime
    duration_ms: float
    input_hash: str = ""
    output_hash: str = ""
    depends_on: tuple[str, ...] = ()
    cached: bool = False
    attempts: int = 1
    error_type: str = ""
    error: str = ""

    def trace(self) -> dict[str, Any]:
        """The entry of `tool_trace` (004-19)."""
        return {
            "tool": self.tool,
            "status": TRACE_STATUS[self.status],
            "duration_ms": round(self.duration_ms),
        }


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave: `error` is a sentence where it could do nothing, `digest` stands for all of it.

    `passages` are `troly_rag.corpus.Passage`; `denied` is how many relevant documents the asker may not see.
    """

    answer: str = ""
    evidence: tuple[Evidence20, ...] = ()
    passages: tuple[Any, ...] = ()
    context: str = ""
    denied: int = 0
    error: str = ""
    digest: str = ""
    error_kind: str = ""


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """What an agent found for one of its queries; `index` counts from 1.

    `context` says where it was looked up, `answer` is "" where nothing was found. `passages` are those the answer
    rests on (`troly_rag.corpus.Passage`), `denied` how many the asker may not see.
    """

    index: int
    query: str
    context: str = ""
    answer: str = ""
    evidence: tuple[Evidence20, ...] = ()
    passages: tuple[Any, ...] = ()
    denied: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "query": self.query,
            "context": self.context,
            "answer": self.answer,
            "evidence": [one.as_dict() for one in self.evidence],
        }


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool other than rag said about the findings of an agent: a sum, a summary, lines of a log."""

    tool: str
    answer: str
    evidence: tuple[Evidence20, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentOutput:
    """Everything one agent did (004-19): `status` is failed when none of its queries could be looked up (004-35)."""

    agent: str
    queries: tuple[QueryAnswer, ...]
    runs: tuple[ToolRun, ...]
    extras: tuple[ToolAnswer, ...] = ()
    status: Literal["success", "failed"] = "success"

    @property
    def failed(self) -> tuple[ToolRun, ...]:
        """The runs that did not end well, in order."""
        return tuple(run for run in self.runs if run.status != "done")

    @property
    def denied(self) -> int:
        """How many passages the asker may not see."""
        return sum(query.denied for query in self.queries)

    @property
    def duration_ms(self) -> float:
        """The sum of its tools' times (004-38)."""
        return sum(run.duration_ms for run in self.runs)

    def as_dict(self) -> dict[str, Any]:
        """The documented output of an agent (004-19)."""
        return {
            "agent": self.agent,
            "queries": [query.as_dict() for query in self.queries],
            "tool_trace": [run.trace() for run in self.runs],
        }


@dataclass(frozen=True, slots=True)
class Execution:
    """All agents' outputs by the plan's order, the runs in the order they ended, and the cache's counts."""

    outputs: tuple[AgentOutput, ...] = ()
    runs: tuple[ToolRun, ...] = ()
    cache_hits: int = 0
    cache_lookups: int = 0
    duration_ms: float = 0.0
    stream: tuple[dict[str, Any], ...] = field(default=())

    @property
    def cache_hit_ratio(self) -> float:
        """Hits by look-ups, two decimals (004-36); 0 where nothing was looked up."""
        return round(self.cache_hits / self.cache_lookups, 2) if self.cache_lookups else 0.0
