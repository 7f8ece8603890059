"""Small talk and asking back: friendly, brief, with questions from the person's own sheets, and never a made-up figure."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import aclosing

from troly.errors import ModelError
from troly.llm.replies import repeats
from troly.llm.types import Message
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice
from troly.text.catalogue import Lang
from troly.text.everyday import small_talk, thanks_only
from troly.text.language import is_foreign
from troly.text.shorten import shortened
from troly_analysis.agent.messages import name_text, who_and_when
from troly_analysis.answer.figures import Days, Ground, ground, mask_numbering, strangers
from troly_analysis.answer.sentences import house_numbers
from troly_analysis.planner import first_suggestions
from troly_analysis.strings import prompts, say
from troly_analysis.types import Sheet

UNCLEAR = "analysis_unclear"
HISTORY, HISTORY_CHARS, NAMED = 12, 1_500, 5
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_NUMBERED = re.compile(r"[\s*-]*\d{1,3}[.)]\**\s*")  # ends no sentence
# What states nothing of the data: an example question in quotes, how many are asked for, day and night.
_EXAMPLES = re.compile(r"(?i)[“«\"](?:[^”»\"\s]+\s+){2,}[^”»\"]+[”»\"]|\btop \d+|\b24/(?:7|24)\b")


async def chat(
    turn: TurnContext, messages: Sequence[Mapping[str, str]], sheets: tuple[Sheet, ...], step: Step
) -> tuple[str, bool]:
    """What is said to small talk (001-28, 001-29), and whether it was said already, sentence by sentence, by a model."""
    reason = turn.model.reason_unavailable
    if reason is None:
        cut: list[str] = []
        try:
            said = await _by_model(turn, messages, sheets, cut)
        except ModelError as error:
            said, reason = "", error.key
        if said:
            key = "step.talk_cut" if cut else "step.talk_model"
            step.note(say(key, turn.language, figures=", ".join(cut[:NAMED])), "model")
            return said, True
        if reason is None:
            turn.emit(
                Notice("warning", say("fallback.title", turn.language), say("why.language", turn.language))
            )
    step.note(say("step.talk_rules", turn.language, reason=reason or "-"), "rules")
    return await asyncio.to_thread(_by_rules, turn.text, sheets, turn.language), False


async def _by_model(
    turn: TurnContext, messages: Sequence[Mapping[str, str]], sheets: tuple[Sheet, ...], cut: list[str]
) -> str:
    """Say what the model says, a sentence at a time, but those that state a figure which the prompt does not hold: those figures
    are added to `cut`. A sentence in another language or without end ends it unsaid.
    """
    columns = (each.name for sheet in sheets for each in sheet.fields)
    names = [turn.text, *(sheet.name for sheet in sheets), *columns]
    prompt = _prompt(turn, messages, sheets)
    told = [*_examples(sheets, turn.language), *(str(each["content"]) for each in prompt[1:])]
    known = ground("\n".join(told), [], sheets, Days.of([turn.now.date()]))
    said, held = "", ""
    try:
        async with aclosing(turn.model.stream("chat_node", prompt)) as pieces:
            async for piece in pieces:
                held += piece
                *whole, held = _sentences(held)
                for sentence in whole:
                    if is_foreign(sentence, turn.language, names):
                        return said.rstrip()
                    said = _say(turn, said, sentence, known, cut)
    except ModelError:
        if said:
            raise
        return ""
    bad = is_foreign(held, turn.language, names) or repeats(held)
    return (said if bad else _say(turn, said, held, known, cut)).rstrip()


def _say(turn: TurnContext, said: str, sentence: str, known: Ground, cut: list[str]) -> str:
    if found := strangers(_EXAMPLES.sub(" ", mask_numbering(sentence)), known):
        cut += found
        return said
    shown = house_numbers(sentence, turn.language)
    shown = shown if said else shown.lstrip()
    turn.say(shown)
    return said + shown


def _sentences(text: str) -> list[str]:
    """`text` cut behind each sentence, the blanks kept; the last part may still grow."""
    parts, at = [], 0
    for match in _SENTENCE.finditer(text):
        if _NUMBERED.fullmatch(text, at, match.end()):
            continue
        parts.append(text[at : match.end()])
        at = match.end()
    return [*parts, text[at:]]


def _prompt(
    turn: TurnContext, messages: Sequence[Mapping[str, str]], sheets: tuple[Sheet, ...]
) -> list[Message]:
    system = prompts().render(
        "chat_node",
        turn.language,
        persona=turn.persona().prompt(turn.services.settings.persona.max_chars),
        examples="\n".join(f"- “{name_text(each)}”" for each in _examples(sheets, turn.language)),
        **who_and_when(turn),
    )
    said = ((item["role"], shortened(item["content"], HISTORY_CHARS)) for item in messages[-HISTORY:])
    recent: list[Message] = [{"role": role, "content": text} for role, text in said]
    return [{"role": "system", "content": system}, *recent]


def _by_rules(text: str, sheets: tuple[Sheet, ...], lang: Lang) -> str:
    found = small_talk(text).kind or ("thanks" if thanks_only(text) else None)
    kind = found if found in {"ability", "identity", "thanks", "bye", "greeting"} else "other"
    said = [say(f"talk.{kind}", lang)]
    if kind in {"thanks", "bye"}:
        return said[0]
    if sheets and kind in {"ability", "greeting", "other"}:
        names = ", ".join(name_text(sheet.name) for sheet in sheets[:NAMED])
        said.append(say("talk.sheets", lang, names=names))
    said.append(say("talk.ask", lang, examples=bullets(_examples(sheets, lang))))
    return "\n\n".join(said)


def clarify(turn: TurnContext, sheets: tuple[Sheet, ...]) -> str:
    """One question back, with examples that can be sent as they stand; said in another way the second time."""
    examples = _examples(sheets, turn.language)
    before = int(turn.conversation_metadata.get(UNCLEAR, 0) or 0)
    turn.conversation_metadata[UNCLEAR] = before + 1
    if before:
        return say("clarify.again", turn.language, example=examples[0], examples=bullets(examples))
    return say("clarify.standard", turn.language, examples=bullets(examples))


def _examples(sheets: tuple[Sheet, ...], lang: Lang) -> tuple[str, ...]:
    return tuple(each.text for each in first_suggestions(sheets, lang))


def bullets(lines: Sequence[str]) -> str:
    """Lines as a list."""
    return "\n".join(f"- {line}" for line in lines)
