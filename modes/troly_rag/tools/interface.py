"""What a tool is given and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly_rag.answer.evidence import SourceEvidence
    from troly_rag.config import Agent, RagConfig
    from troly_rag.corpus.access import UserContext
    from troly_rag.corpus.search import CorpusSearch, Passage


@dataclass(frozen=True, slots=True)
class ToolInputs:
    """One query for one agent: `passages` are what its searches found before, best first."""

    turn: TurnContext
    agent: Agent
    query: str
    user: UserContext
    config: RagConfig
    corpora: CorpusSearch
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """`answer` is "" where nothing was found; `context` says in a few words where it was looked for.

    `denied` counts relevant documents that the asker may not see.
    """

    answer: str
    context: str = ""
    evidence: tuple[SourceEvidence, ...] = ()
    passages: tuple[Passage, ...] = ()
    denied: int = 0


class ToolError(Exception):
    """A tool could not do its part: `kind` for programs, `message` for people."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
