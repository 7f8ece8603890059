"""Calls the tools for the engine, and says what their results depend on beside the task itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from troly.text.dates import HCM
from troly_rag.execution.cache import digest
from troly_rag.execution.types import ToolResult
from troly_rag.routing.tooling import spaced
from troly_rag.routing.topics import content, subject
from troly_rag.routing.types import LOG, MATH, RAG, PlanTask
from troly_rag.tools import ToolError, ToolInputs, call

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly_rag.access import UserContext
    from troly_rag.config import Agent, RagConfig
    from troly_rag.corpus import Passage
    from troly_rag.tools import ToolOutput

_FEWEST = 2


@dataclass(frozen=True, slots=True)
class Caller:
    """Runs tools for one turn and one asker."""

    turn: TurnContext
    user: UserContext
    config: RagConfig

    async def __call__(
        self, agent: Agent, task: PlanTask, query: str, before: tuple[ToolResult, ...]
    ) -> ToolResult:
        """The tool's result; one with `error` where the tool says that it cannot. Raises what the tool raises."""
        text = spaced(query) if task.tool == MATH else query
        given = ToolInputs(self.turn, agent, text, self.user, self.config, passages_of(before))
        try:
            output = await call(task.tool, given)
            if task.tool == RAG and not output.passages:
                output = await self._again(given, output)
        except ToolError as error:
            return ToolResult(error=error.message, error_kind=error.kind)
        return _result(output)

    async def _again(self, given: ToolInputs, output: ToolOutput) -> ToolOutput:
        """One more search with the subject of the query alone, where the whole of it found nothing."""
        topic = subject(given.query, self.turn.language)
        if len(content(topic)) < _FEWEST or topic == given.query:
            return output
        second = await call(RAG, replace(given, query=topic))
        return second if second.passages else output


def passages_of(results: Sequence[ToolResult]) -> tuple[Passage, ...]:
    """The passages of several results, each once, best first."""
    found: dict[tuple[str, str], Passage] = {}
    for result in results:
        for passage in result.passages:
            found.setdefault((passage.document, passage.text), passage)
    return tuple(sorted(found.values(), key=lambda passage: -passage.relevance))


def depends_on(turn: TurnContext, user: UserContext, config: RagConfig) -> tuple[Any, ...]:
    """What a kept result is good for: the asker's rights, the documents and settings as they stand, the day, the model."""
    return (
        user.tenant_id,
        sorted(user.permissions),
        sorted(user.accessible_departments),
        user.department,
        str(config),
        _documents(turn),
        turn.language,
        turn.now.astimezone(HCM).date().isoformat(),
        turn.model.reason_unavailable is None,
    )


def log_state(agent: Agent, task: PlanTask) -> list[tuple[str, int, int]]:
    """Names, times and sizes of the agent's log files, for tasks that read them."""
    if task.tool != LOG:
        return []
    files = [Path(name) for pattern in agent.log_files for name in sorted(glob(pattern))]  # noqa: PTH207 (absolute patterns)
    return [(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files if file.is_file()]


def _documents(turn: TurnContext) -> list[Any]:
    """A figure that changes with every document that is added, changed or taken away."""
    sql = "SELECT count(*), coalesce(max(id), 0), coalesce(sum(id), 0), coalesce(max(ingested_at), '') FROM documents"
    with turn.services.state.read() as connection:
        return list(connection.execute(sql).fetchone())


def _result(output: ToolOutput) -> ToolResult:
    told = digest(
        output.answer,
        [one.as_dict() for one in output.evidence],
        [(passage.document, passage.text) for passage in output.passages],
        output.denied,
    )
    return ToolResult(
        output.answer, output.evidence, output.passages, output.context, output.denied, digest=told
    )
