"""rag_tool and summary_tool: the sentences of the agent's corpus that answer, or what comes nearest, and a summary of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from troly.text.fold import fold
from troly_rag.answer.evidence import SourceEvidence
from troly_rag.answer.extraction import extract, figure_request
from troly_rag.corpus.coverage import question_of, text_of
from troly_rag.strings import say
from troly_rag.tools.interface import ToolInputs, ToolOutput

if TYPE_CHECKING:
    from troly_rag.corpus.search import Passage

PASSAGES = 6
SENTENCES, SUMMARY_SENTENCES = 3, 4
# From this relevance on a passage is material for a model, and may be shown as what comes nearest.
NEAR = 0.5
# What stands apart in a page without naming its subject answers only when the words stand together as they were asked.
_CLOSE = 0.3


async def run_search(given: ToolInputs) -> ToolOutput:
    """The best passages that the asker may see, and the sentences of them that answer the query.

    `covered` says whether a passage speaks of all that is asked; else `unread` are the words that it does not hold.
    """
    turn = given.turn
    least = given.config.limits.min_relevance_score
    found = await given.corpora.search(
        given.agent.collection,
        given.query,
        given.user,
        PASSAGES,
        now=turn.now,
        lang=turn.language,
        least=least,
    )
    near = [one for one in found.passages if one.relevance >= NEAR]
    told = _told(near)
    # An older version is there to be weighed against what is in force, and is told where versions are compared.
    older = [one for one in near if one.superseded and one.relevance >= least and one not in told]
    used = [*told, *older[:1]]
    titles = list(dict.fromkeys(passage.title for passage in told))
    claims = _sentences(given.query, told, SENTENCES)
    return ToolOutput(
        answer=" ".join(text for text, _ in claims),
        context=say("tool.looked_in", turn.language, titles="; ".join(titles)) if titles else "",
        evidence=tuple(evidence_of(passage, given.agent.name) for passage in used),
        passages=tuple(near),
        denied=found.denied,
        covered=bool(told) and answers(given.query, told[0], " ".join(text for text, _ in claims)),
        unread=told[0].unread if told else question_of(given.query).words,
        material=tuple(evidence_of(passage, given.agent.name) for passage in near),
    )


def _told(near: Sequence[Passage]) -> list[Passage]:
    """The best passage, and others that hold no less of the question in the same language; of each document its best."""
    if not near:
        return []
    best = near[0]
    language = text_of(best.text).language
    return [
        one
        for one in near
        if (one.document == best.document and one.share >= best.share)
        or (
            one.share >= best.share
            and one.superseded == best.superseded
            and one.closeness >= best.closeness
            and text_of(one.text).language == language
        )
    ][:2]


def answers(query: str, passage: Passage, told: str) -> bool:
    """Whether `passage` speaks of everything that `query` asks, and `told` of it holds the kind of figure asked for."""
    question, asked = question_of(query), figure_request(query)
    if passage.share < 1 or not question.words:
        return False
    named = question.named_by(passage.title) >= 1
    if not named and (len(question.words) < 2 or passage.closeness < _CLOSE):
        return False
    return not (asked.figure or asked.contact) or asked.bonus(fold(told)) > 0


def _sentences(query: str, passages: Sequence[Passage], most: int) -> list[tuple[str, Passage]]:
    """The sentences of `passages` that answer `query`, each with its passage."""
    headings = [f"{one.title} {one.section}" for one in passages]
    claims = extract(query, [one.text for one in passages], headings, most=most)
    return [(claim.text, passages[claim.passage]) for claim in claims]


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
        document=passage.document,
        department=passage.department,
        version=passage.version,
    )


async def run_summary(given: ToolInputs) -> ToolOutput:
    """The best sentences of what the searches found; "" where nothing was found. A model words them in the answer."""
    passages = _told(given.passages)
    claims = _sentences(given.query, passages, SUMMARY_SENTENCES)
    used = list(dict.fromkeys(passage for _, passage in claims))
    return ToolOutput(
        answer=" ".join(text for text, _ in claims),
        context=say("tool.summed", given.turn.language, count=len(used)),
        evidence=tuple(evidence_of(passage, given.agent.name) for passage in used),
        passages=given.passages,
    )
