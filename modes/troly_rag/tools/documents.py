"""rag_tool and summary_tool: the sentences of the agent's corpus that fit best, and a summary of what was found."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from troly.errors import ModelError
from troly_rag.answer.evidence import SourceEvidence
from troly_rag.answer.extraction import extract
from troly_rag.answer.grounding import ground
from troly_rag.strings import prompts, say
from troly_rag.tools.interface import ToolInputs, ToolOutput

if TYPE_CHECKING:
    from troly_rag.corpus.search import Passage


PASSAGES = 6
SENTENCES, OLDER = 3, 1


async def run_search(given: ToolInputs) -> ToolOutput:
    """The best passages that the asker may see, and the sentences of them that answer the query."""
    turn = given.turn
    least = given.config.limits.min_relevance_score
    found = await given.corpora.search(
        given.agent.collection, given.query, given.user, PASSAGES, now=turn.now, lang=turn.language, least=least
    )
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


def evidence_of(passage: Passage, agent: str) -> SourceEvidence:
    """A passage as documented evidence (004-20)."""
    return SourceEvidence(
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


# --- summary_tool: by the model under the grounding check, or the best sentences

SUMMARY_SENTENCES = 4
PASSAGE_CHARS = 1500


async def run_summary(given: ToolInputs) -> ToolOutput:
    """A summary in which every claim stands in a passage; "" where no passage was found."""
    passages = given.passages
    if not passages:
        return ToolOutput("")
    texts = [one.text for one in passages]
    written = await _written(given, texts)
    checked = ground(written, texts)
    claims = checked.claims or extract(
        given.query, texts, [one.section or one.title for one in passages], most=SUMMARY_SENTENCES
    )
    used = list(dict.fromkeys(claim.passage for claim in claims))
    return ToolOutput(
        answer=checked.text or " ".join(claim.text for claim in claims),
        context=say("tool.summed", given.turn.language, count=len(used)),
        evidence=tuple(evidence_of(passages[place], given.agent.name) for place in used),
        passages=passages,
    )


async def _written(given: ToolInputs, texts: list[str]) -> str:
    """What the model makes of the passages; "" when no model can be asked or it fails."""
    turn = given.turn
    if turn.model.reason_unavailable is not None:
        return ""
    shown = "\n\n".join(f"[{number}] {text[:PASSAGE_CHARS]}" for number, text in enumerate(texts, 1))
    messages = prompts().messages("summary", turn.language, question=given.query, passages=shown)
    try:
        async with aclosing(turn.model.stream("summary_tool", messages)) as stream:
            return "".join([piece async for piece in stream])
    except ModelError:
        return ""
