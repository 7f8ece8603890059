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
    """One query for one agent: `passages` are what its searches found before, best first, `before` is the question before that
    this one goes on with ("" for none); `must_compute` says that each line of the query is to be worked out."""

    turn: TurnContext
    agent: Agent
    query: str
    user: UserContext
    config: RagConfig
    corpora: CorpusSearch
    passages: tuple[Passage, ...] = ()
    before: str = ""
    must_compute: bool = False


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave: `answer` is "" where nothing was found; `context` says in a few words where it was looked for.

    `evidence` and `passages` are what the answer rests on, `beside` all pages that share a word with the query,
    `denied` counts relevant documents that the asker may not see but know of.
    `covered` says that the answer speaks of everything that was asked; else `unread` are the words that nothing was
    found for. `material` is all that a model is given to answer from. `error` is a sentence where the tool could do
    nothing, `error_kind` a word for programs; `digest` stands for all of it.
    """

    answer: str = ""
    context: str = ""
    evidence: tuple[SourceEvidence, ...] = ()
    passages: tuple[Passage, ...] = ()
    beside: tuple[Passage, ...] = ()
    denied: int = 0
    covered: bool = False
    unread: tuple[str, ...] = ()
    material: tuple[SourceEvidence, ...] = ()
    error: str = ""
    error_kind: str = ""
    digest: str = ""


class ToolError(Exception):
    """A tool could not do its part: `kind` for programs, `message` for people."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
