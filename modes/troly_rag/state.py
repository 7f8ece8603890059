"""The state of a turn: the final output as documented, the routing structure, and what one node leaves for the next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from troly.recording import moment
from troly_rag.execution.cache import Cache, digest, kept

if TYPE_CHECKING:
    from troly_rag.access import UserContext
    from troly_rag.config import RagConfig
    from troly_rag.execution import Execution
    from troly_rag.routing import Reading, Routing
    from troly_rag.settling import Settled

T = TypeVar("T")
# The final output of 004-26 to 004-37 by the documents' names, and the structure of 004-11 to 004-18 under `routing`.
STATE_FIELDS = (
    "answer", "evidence", "reasoning", "confidence_score", "follow_up_questions", "flow_action",
    "execution_metadata", "performance_metrics", "error", "error_code", "error_message", "partial_results",
    "fallback_answer", "routing",
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
    work: Any
    route: str


@dataclass(frozen=True, slots=True)
class Memory:
    """What a model decided or wrote for the same question of somebody who may see the same (004-40)."""

    cache: Cache | None
    ttl: float
    scope: tuple[Any, ...]

    async def of(
        self, what: str, about: object, work: Callable[[], Awaitable[T]], good: Callable[[T], bool]
    ) -> T:
        """What is kept of `about`, else what `work` gives; only what is `good` is kept."""
        return await kept(self.cache, digest(what, about, self.scope), self.ttl, work, good)


@dataclass(slots=True)
class Work:
    """One question on its way through the nodes; each node fills in its part."""

    config: RagConfig
    user: UserContext
    reading: Reading
    routing: Routing
    memory: Memory
    began: datetime = field(default_factory=lambda: moment("rag.began"))
    routed: datetime | None = None
    checked: tuple[datetime, datetime] | None = None
    execution: Execution | None = None
    settled: Settled | None = None
    reporter: Any = None
    decision: str = ""


def empty() -> dict[str, Any]:
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
        "work": None,
        "route": "",
    }
