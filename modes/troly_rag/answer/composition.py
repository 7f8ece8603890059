"""Writes the answer out of what the agents found: grounded sentences, what is missing, both sides of a tie (004-17, 004-26)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from troly.errors import ModelError
from troly.plugin.context import TurnContext
from troly.plugin.events import Source
from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly.text.language import is_other
from troly_rag.answer.evidence import SourceEvidence, dated
from troly_rag.answer.extraction import extract
from troly_rag.answer.grounding import ground, names_of, telling
from troly_rag.answer.output import AnswerContent, follow_ups
from troly_rag.config import RagConfig
from troly_rag.conflicts.contradictions import ConflictReport, key_of
from troly_rag.execution.outputs import AgentOutput, QueryAnswer
from troly_rag.routing.plan import LOG, MATH, SUMMARY, Routing
from troly_rag.routing.questions import content, is_side, wants_math
from troly_rag.strings import prompts, say

_SENTENCES = 3
_PASSAGE_CHARS = 1500
_MOST_PASSAGES = 8


@dataclass(frozen=True, slots=True)
class ComposedAnswer:
    """The answer with its sources, who wrote it, and a note for the evidence view."""

    content: AnswerContent
    source: Source
    note: str


async def compose(
    turn: TurnContext,
    routing: Routing,
    outputs: Sequence[AgentOutput],
    conflicts: ConflictReport,
    config: RagConfig,
) -> ComposedAnswer:
    """The model's answer as far as the passages hold it, else the passages' own sentences."""
    lang = turn.language
    parts = [_AgentPart(output, conflicts, lang) for output in outputs]
    used = _unique(one for part in parts for one in part.used)
    text, grounded, source, note = "", 1.0, "rules", say("answer.extracted", lang)
    if used and turn.model.reason_unavailable is None:
        text, grounded, note = await _written(turn, routing, parts, used)
        source = "model" if text else "rules"
    if not text:
        text, grounded = (
            "\n".join(filter(None, (_unnamed(routing, used, config, lang), _joined(parts, lang)))),
            1.0,
        )
    if outputs and all(part.failed for part in parts):
        text = say("answer.all_failed", lang)
    closing = [*_closing_lines(outputs, conflicts, used, turn)]
    if source == "rules" and any(is_other(line, lang) for part in parts for line in part.lines):
        closing.insert(0, say("answer.other_language", lang))
    answer = "\n\n".join(part for part in (text.strip(), *closing) if part)
    if not answer:
        answer = say("answer.nothing", lang, query=routing.refined_query.rstrip(" ?."))
    titles = [
        passage.section or passage.title
        for output in outputs
        for q in output.queries
        for passage in q.passages
        if not passage.superseded
    ]
    said = [one.section or one.title for one in used]
    asked = follow_ups(titles, said, routing.refined_query, config, lang)
    return ComposedAnswer(
        AnswerContent(answer, used, asked, grounded), "model" if source == "model" else "rules", note
    )


class _AgentPart:
    """One agent's share of the answer: lines to say, and the sources they rest on."""

    def __init__(self, output: AgentOutput, conflicts: ConflictReport, lang: Lang) -> None:
        self.agent = output.agent
        self.failed = output.status == "failed"
        self.lines: list[str] = []
        self.used: list[SourceEvidence] = []
        shown = [
            one
            for one in output.extras
            if one.tool in (MATH, LOG) and one.answer != say("math.nothing", lang)
        ]
        self.figures = [extra.answer for extra in shown]
        for extra in shown:
            self.lines.append(extra.answer)
            self.used += [one for one in extra.evidence if key_of(one) not in conflicts.losers]
        lost: list[QueryAnswer] = []
        for query in output.queries if not self.failed else ():
            found = not _is_sum(query.query) and self._say(query, conflicts)
            if is_side(query.query, lang):
                lost = [one for one in lost if not found or one.index != query.index - 1]
            elif not found and not _is_sum(query.query):
                lost.append(query)
        self._miss(lost, lang)

    def _say(self, query: QueryAnswer, conflicts: ConflictReport) -> bool:
        """Add what answers `query`; whether anything does."""
        stands = [one for one in query.evidence if key_of(one) not in conflicts.losers]
        stands = [one for one in stands if not one.superseded] or stands
        claims = extract(
            query.query,
            [one.text for one in stands],
            [one.section or one.title for one in stands],
            most=_SENTENCES,
        )
        for claim in claims:
            if fold(claim.text) not in {fold(line) for line in self.lines}:
                self.lines.append(claim.text.strip())
        places = list(dict.fromkeys(claim.passage for claim in claims))
        self.used += [stands[place] for place in places]
        return bool(claims)

    def _miss(self, lost: Sequence[QueryAnswer], lang: Lang) -> None:
        """Say what was not found, unless a figure or another answer tells most of it."""
        if self.figures:
            return
        told = {word for line in self.lines for word in telling(line)}
        for query in lost:
            words = set(telling(query.query))
            if not words or len(words & told) * 2 < len(words):
                self.lines.append(say("answer.nothing", lang, query=query.query.rstrip(" ?.")))


async def _written(
    turn: TurnContext, routing: Routing, parts: Sequence[_AgentPart], used: Sequence[SourceEvidence]
) -> tuple[str, float, str]:
    """What the model writes and the passages hold, the share of its claims that stood, and a note."""
    figures = [text for part in parts for text in part.figures]
    texts = [*(one.text[:_PASSAGE_CHARS] for one in used[:_MOST_PASSAGES]), *figures]
    shown = "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))
    messages = prompts().messages("answer", turn.language, question=routing.refined_query, passages=shown)
    try:
        async with aclosing(turn.model.stream("final_response", messages)) as stream:
            written = "".join([piece async for piece in stream])
    except ModelError as error:
        return "", 1.0, str(error.key)
    checked = ground(written, texts)
    total = len(checked.claims) + len(checked.dropped)
    if not checked.claims:
        return "", 1.0, say("answer.ungrounded", turn.language)
    note = say("answer.grounded", turn.language, kept=len(checked.claims), total=total)
    return checked.text, len(checked.claims) / total, note


def _unnamed(routing: Routing, used: Sequence[SourceEvidence], config: RagConfig, lang: Lang) -> str:
    """Which names and codes of the question stand in none of the sources: what is told may not be about them."""
    if not used:
        return ""
    held = fold(" ".join(f"{one.title} {one.section} {one.text}" for one in used))
    own = {*config.agents, *config.access.names}
    missing = [
        name
        for name in dict.fromkeys(names_of(routing.original_query))
        if len(name) > 1
        and fold(name) not in own
        and fold(name) not in held
    ]
    return say("answer.unnamed", lang, names=", ".join(missing)) if missing else ""


def _joined(parts: Sequence[_AgentPart], lang: Lang) -> str:
    """The lines of all agents; with several, each agent's under its name."""
    speaking = [part for part in parts if part.lines]
    if len(speaking) == 1:
        return "\n".join(speaking[0].lines)
    blocks = (
        say("answer.part", lang, agent=part.agent.upper(), text="\n".join(part.lines)) for part in speaking
    )
    return "\n\n".join(blocks)


def _closing_lines(
    outputs: Sequence[AgentOutput],
    conflicts: ConflictReport,
    used: Sequence[SourceEvidence],
    turn: TurnContext,
) -> Iterator[str]:
    """What belongs under every answer: both sides of a tie, its sources' dates, what failed, what is closed."""
    lang = turn.language
    for conflict in conflicts.conflicts:
        if conflict.tie:
            sides = "\n".join(
                f"- {one.candidate.title or one.candidate.agent}: {one.candidate.text}"
                for one in conflict.winners
            )
            yield say("answer.tie", lang, sides=sides)
    dates = dict.fromkeys(f"{one.title} ({dated(one, turn.now, lang)})" for one in used if one.created_at)
    if dates:
        yield say("answer.sources", lang, sources="; ".join(list(dates)[:4]))
    for output in outputs:
        if output.status == "failed":
            why = next((run.error or run.error_type for run in output.failed), "")
            yield say("answer.missing", lang, agent=output.agent.upper(), why=why.rstrip("."))
        else:
            for run in output.failed:
                if run.status == "failed" and run.tool in (MATH, LOG, SUMMARY):
                    yield say(
                        "answer.tool_failed",
                        lang,
                        tool=run.tool,
                        why=(run.error or run.error_type).rstrip("."),
                    )
    if denied := sum(output.denied for output in outputs):
        yield say("answer.denied", lang, count=denied)


def _is_sum(query: str) -> bool:
    """Whether a query is nothing but a sum: no document is told to answer it."""
    telling_words = content(query)
    words = [token for token in telling_words if token.folded[0].isalpha()]
    return wants_math(query) and len(words) <= 1 and len(words) < len(telling_words)


def _unique(evidence: Iterator[SourceEvidence]) -> tuple[SourceEvidence, ...]:
    found: dict[str, SourceEvidence] = {}
    for one in evidence:
        found.setdefault(key_of(one), one)
    return tuple(found.values())
