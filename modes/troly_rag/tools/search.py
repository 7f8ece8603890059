"""rag_tool: searches the agent's corpus and answers with the sentences that fit best; nothing below the configured relevance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from troly_rag.corpus import search
from troly_rag.evidence import Evidence20
from troly_rag.extracting import extract
from troly_rag.strings import say
from troly_rag.tools.types import ToolInputs, ToolOutput

if TYPE_CHECKING:
    from troly_rag.corpus import Passage

PASSAGES = 6
SENTENCES, OLDER = 3, 1


async def run(given: ToolInputs) -> ToolOutput:
    """The best passages that the asker may see, and the sentences of them that answer the query."""
    turn = given.turn
    found = await search(turn, given.agent, given.query, given.user, PASSAGES)
    least = given.config.limits.min_relevance_score
    good = tuple(one for one in found.passages if one.relevance >= least)
    # Where what is in force answers, an older version is there to be weighed against it, and takes no room from it.
    current = [one for one in good if not one.superseded]
    mixed = not current or good[0].superseded
    told = _picked(given.query, good if mixed else current, SENTENCES)
    older = () if mixed else _picked(given.query, [one for one in good if one.superseded], OLDER)
    used = list(dict.fromkeys(passage for _, passage in (*told, *older)))
    titles = list(dict.fromkeys(passage.title for passage in used))
    return ToolOutput(
        answer=" ".join(text for text, _ in told),
        context=say("tool.looked_in", turn.language, titles="; ".join(titles)) if titles else "",
        evidence=tuple(evidence_of(passage, given.agent.name) for passage in used),
        passages=good,
        denied=found.denied,
    )


def _picked(query: str, passages: Sequence[Passage], most: int) -> tuple[tuple[str, Passage], ...]:
    """The sentences of `passages` that answer `query`, each with its passage."""
    headings = [one.section or one.title for one in passages]
    claims = extract(query, [one.text for one in passages], headings, most=most)
    return tuple((claim.text, passages[claim.passage]) for claim in claims)


def evidence_of(passage: Passage, agent: str) -> Evidence20:
    """A passage as documented evidence (004-20)."""
    return Evidence20(
        url=passage.url or passage.document,
        created_at=passage.created_at,
        scope=passage.scope,
        relevance_score=passage.relevance,
        title=passage.title,
        text=passage.text,
        section=passage.section,
        agent=agent,
        superseded=passage.superseded,
    )
