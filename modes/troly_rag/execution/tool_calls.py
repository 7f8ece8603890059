"""Calls the tools for the engine; the code picks them by name, never a text (004-05, 004-06)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

from troly_rag.execution.cache import digest
from troly_rag.execution.outputs import ToolResult
from troly_rag.routing.plan import LOG, MATH, RAG, SUMMARY, PlanTask
from troly_rag.routing.questions import spaced
from troly_rag.tools.calculator import run_calculation
from troly_rag.tools.documents import run_search, run_summary
from troly_rag.tools.interface import ToolError, ToolInputs, ToolOutput
from troly_rag.tools.logs import run_log

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly_rag.config import Agent, RagConfig
    from troly_rag.corpus.access import UserContext
    from troly_rag.corpus.search import CorpusSearch, Passage

TOOLS: dict[str, Callable[[ToolInputs], Awaitable[ToolOutput]]] = {
    RAG: run_search,
    SUMMARY: run_summary,
    MATH: run_calculation,
    LOG: run_log,
}


@dataclass(frozen=True, slots=True)
class ToolCaller:
    """Runs tools for one turn and one asker."""

    turn: TurnContext
    user: UserContext
    config: RagConfig
    corpora: CorpusSearch
    before: str = ""

    async def __call__(
        self, agent: Agent, task: PlanTask, query: str, before: tuple[ToolResult, ...]
    ) -> ToolResult:
        """The tool's result; one with `error` where the tool says that it cannot. Raises what the tool raises."""
        text = spaced(query) if task.tool == MATH else query
        inputs = ToolInputs(
            self.turn, agent, text, self.user, self.config, self.corpora, passages_of(before), self.before
        )
        try:
            output = await TOOLS[task.tool](inputs)
        except ToolError as error:
            return ToolResult(error=error.message, error_kind=error.kind)
        return _result(output)


def passages_of(results: Sequence[ToolResult]) -> tuple[Passage, ...]:
    """The passages of several results, each once, best first."""
    found: dict[tuple[str, str], Passage] = {}
    for result in results:
        for passage in result.passages:
            found.setdefault((passage.document, passage.text), passage)
    return tuple(sorted(found.values(), key=lambda passage: -passage.relevance))


def log_state(agent: Agent, task: PlanTask) -> list[tuple[str, int, int]]:
    """Names, times and sizes of the agent's log files, for tasks that read them."""
    if task.tool != LOG:
        return []
    files = [Path(name) for pattern in agent.log_files for name in sorted(glob(pattern))]  # noqa: PTH207 (absolute patterns)
    return [(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files if file.is_file()]


def _result(output: ToolOutput) -> ToolResult:
    whole = digest(
        output.answer,
        [one.as_dict() for one in output.evidence],
        [(passage.document, passage.text) for passage in output.passages],
        output.denied,
        output.covered,
        output.unread,
    )
    return ToolResult(
        output.answer,
        output.evidence,
        output.passages,
        output.context,
        output.denied,
        digest=whole,
        covered=output.covered,
        unread=output.unread,
        material=output.material,
    )
