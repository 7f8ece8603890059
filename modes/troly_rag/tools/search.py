"""rag_tool: searches the agent's corpus and answers with the sentences that fit best; nothing below the configured relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly_rag.corpus import search
from troly_rag.evidence import Evidence20
from troly_rag.extracting import extract
from troly_rag.strings import say
from troly_rag.tools.types import ToolInputs, ToolOutput

if TYPE_CHECKING:
    from troly_rag.corpus import Passage

PASSAGES = 6
SENTENCES = 3


async def run(given: ToolInputs) -> ToolOutput:
    """The best passages that the asker may see, and the sentences of them that answer the query."""
    turn = given.turn
    found = await search(turn, given.agent, given.query, given.user, PASSAGES)
    least = given.config.limits.min_relevance_score
    good = tuple(one for one in found.passages if one.relevance >= least)
    claims = extract(
        given.query, [one.text for one in good], [one.section or one.title for one in good], most=SENTENCES
    )
    used = list(dict.fromkeys(claim.passage for claim in claims))
    titles = list(dict.fromkeys(good[place].title for place in used))
    return ToolOutput(
        answer=" ".join(claim.text for claim in claims),
        context=say("tool.looked_in", turn.language, titles="; ".join(titles)) if titles else "",
        evidence=tuple(evidence_of(good[place], given.agent.name) for place in used),
        passages=good,
        denied=found.denied,
    )


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
