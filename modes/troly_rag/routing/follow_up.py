"""Questions that go on with what the last answer was about: they are asked of its documents first."""

from __future__ import annotations

import asyncio

from troly.plugin.context import TurnContext
from troly.plugin.focus import FocusRow
from troly.text.fold import fold, has_marks
from troly_rag.answer.evidence import SourceEvidence
from troly_rag.config import RagConfig
from troly_rag.corpus.access import UserContext
from troly_rag.corpus.coverage import question_of
from troly_rag.corpus.search import CorpusSearch, Passage

KIND, LOGS = "documents", "logs"
# A message of so few telling words goes on with the log that was read.
_SHORT = 4
_LEAST = 0.5
_CANDIDATES = 50


async def with_shown_title(
    turn: TurnContext, corpora: CorpusSearch, text: str, config: RagConfig, user: UserContext
) -> str:
    """`text` with the title of the document shown last before it, where that one speaks of it no less than any other."""
    focus = turn.focus
    question = question_of(text)
    if focus is None or not question.words:
        return text
    if focus.kind == LOGS and len(question.words) <= _SHORT:
        return f"log: {text.strip()}"
    if not focus.rows:
        return text
    titles = {row.id: row.title for row in focus.rows}
    found = await asyncio.gather(
        *(
            corpora.search(agent.collection, text, user, _CANDIDATES, now=turn.now, lang=turn.language)
            for agent in config.agents.values()
        )
    )
    passages = [one for result in found for one in result.passages if not one.superseded]
    here = max((one for one in passages if one.document in titles), key=_fit, default=None)
    there = max((_fit(one) for one in passages if one.document not in titles), default=(0.0, 0.0))
    if here is None or here.share < _LEAST or _fit(here) < there or question.named_by(here.title) >= 1:
        return text
    # A message without accents stays one: its words are compared with any accents.
    title = here.title if has_marks(text.split()) else fold(here.title)
    return f"{title}: {text.strip()}"


def _fit(passage: Passage) -> tuple[float, float]:
    return passage.share, passage.closeness


def show(turn: TurnContext, question: str, used: tuple[SourceEvidence, ...]) -> None:
    """Make the documents or the logs of an answer what the next message may go on with."""
    if any(one.source_type == "log" for one in used):
        turn.show(LOGS, question, ())
        return
    rows = {one.document: FocusRow(one.document, one.title) for one in used if one.document}
    turn.show(KIND, question, tuple(rows.values()))
