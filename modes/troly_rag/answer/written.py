"""Has a model write the answer over everything that was found; a fact that stands nowhere goes back once (004 C5)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from troly.errors import ModelError
from troly.llm.types import Message
from troly.plugin.context import TurnContext
from troly.text.catalogue import Lang
from troly.text.dates import HCM, format_date
from troly.text.shorten import one_line
from troly_rag.answer.evidence import SourceEvidence
from troly_rag.answer.grounding import GroundedAnswer, ground, refuses
from troly_rag.conflicts.contradictions import ConflictReport, rule_words
from troly_rag.routing.plan import Routing
from troly_rag.strings import prompts, say

_MOST_PASSAGES, _PASSAGE_CHARS = 8, 1200
_MESSAGES, _MESSAGE_CHARS = 6, 400
_REASON_CHARS = 200


@dataclass(frozen=True, slots=True)
class Draft:
    """What a model wrote and the sources hold, the sources it rests on, the share that stood, and a note.

    `text` is "" where no model could be asked or nothing of it can be told; `refuses` says that all it tells is that the
    documents do not say it.
    """

    text: str = ""
    used: tuple[SourceEvidence, ...] = ()
    grounded: float = 1.0
    note: str = ""
    refuses: bool = False


async def write(
    turn: TurnContext,
    routing: Routing,
    material: Sequence[SourceEvidence],
    figures: Sequence[str],
    conflicts: ConflictReport,
) -> Draft:
    """The model's answer to what was typed, out of `material` and the `figures` that tools worked out."""
    lang = turn.language
    if turn.model.reason_unavailable is not None or not (material or figures):
        return Draft()
    shown = material[:_MOST_PASSAGES]
    facts = [_facts(one, lang) for one in shown]
    texts = [*(one.text[:_PASSAGE_CHARS] for one in shown), *figures]
    context = asked_by(turn, lang)
    decided = [rule_words(one, one.winners[0], lang) for one in conflicts.conflicts]
    blocks = [
        f"[{number}] {fact}\n{text}" for number, (fact, text) in enumerate(zip(facts, texts, strict=False), 1)
    ]
    tools = [say("answer.worked_out", lang, text=text) for text in figures]
    rules = [say("answer.decided", lang, rule=rule) for rule in decided]
    messages = prompts().messages(
        "answer",
        lang,
        persona=turn.persona().prompt(turn.services.settings.persona.max_chars),
        **context,
        passages="\n\n".join([*blocks, *tools, *rules]) or "-",
        refined=routing.refined_query or "-",
    )
    try:
        checked = await _checked(turn, messages, texts, [*context.values(), routing.refined_query, *facts])
    except ModelError as error:
        return Draft(note=str(error.key))
    total = len(checked.claims) + len(checked.dropped)
    if not checked.text or (checked.lost_conclusion and len(checked.dropped) >= len(checked.claims)):
        return Draft(note=say("answer.ungrounded", lang))
    places = dict.fromkeys(claim.passage for claim in checked.claims if claim.passage < len(shown))
    note = say("answer.grounded", lang, kept=len(checked.claims), total=total)
    used, nothing = tuple(shown[place] for place in places), not figures and refuses(checked.claims, texts)
    return Draft(checked.text, used, len(checked.claims) / total, note, nothing)


def asked_by(turn: TurnContext, lang: Lang) -> dict[str, str]:
    """Who asks what, when, and after which messages of both sides: what every prompt, written in `lang`, is told."""
    now = turn.now.astimezone(HCM)
    past = [one for one in turn.history if one.sender in ("user", "assistant")][-_MESSAGES:]
    scopes = ", ".join(sorted(turn.profile.permissions)) or "public"
    return {
        "today": f"{format_date(now.date())} ({say('math.weekdays', lang).split('|')[now.weekday()]})",
        "asker": f"{scopes}; {turn.profile.department or '-'}",
        "history": "\n".join(f"{one.sender}: {one_line(one.text, _MESSAGE_CHARS)}" for one in past) or "-",
        "message": turn.text,
    }


async def _checked(
    turn: TurnContext, messages: Sequence[Message], texts: Sequence[str], said: Sequence[str]
) -> GroundedAnswer:
    """The draft held against its sources; one with a fault is written once more where the turn has a call left, and the
    better of the two counts."""
    written = await _written(turn, messages)
    first = ground(written, texts, said)
    if not first.dropped or not turn.model.has_call_left:
        return first
    reasons = "\n".join(f"- {text[:_REASON_CHARS]} ({why})" for text, why in first.dropped)
    again = prompts().messages("answer_again", turn.language, reasons=reasons)
    try:
        second = ground(
            await _written(turn, [*messages, {"role": "assistant", "content": written}, again[-1]]),
            texts,
            said,
        )
    except ModelError:
        return first
    return second if second.claims and len(second.dropped) <= len(first.dropped) else first


async def _written(turn: TurnContext, messages: Sequence[Message]) -> str:
    async with aclosing(turn.model.stream("final_response", messages)) as stream:
        return "".join([piece async for piece in stream])


def _facts(one: SourceEvidence, lang: Lang) -> str:
    """Title, section, department, date, version and whether it is in force: one line above the passage."""
    day = format_date(one.created_at.astimezone(HCM).date()) if one.created_at else "-"
    standing = say("answer.replaced" if one.superseded else "answer.in_force", lang)
    parts = (
        one.title,
        one.section if one.section != one.title else "",
        one.department or one.agent,
        day,
        say("answer.version", lang, version=one.version) if one.version else "",
        one.scope,
        standing,
    )
    return " · ".join(filter(None, parts))
