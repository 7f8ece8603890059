"""Answers a social remark and leads back to business, or asks what is wanted (000-25 to 000-37)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

from troly.errors import ModelError
from troly.llm.types import Message
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice
from troly.text.everyday import small_talk
from troly_shopping.intent import social_kind
from troly_shopping.products.store import ProductStore
from troly_shopping.reply.claim_check import ClaimCheck, ThoughtCut, amounts_in
from troly_shopping.strings import prompts, say

NOT_SOCIAL = "NONE"
_TRAIL = ".!?…。 \t\n"
_FIRST_WORD = re.compile(r"[*\"'`]*([^\W\d_]+)[^\w]")
_LONGEST_NO = len(NOT_SOCIAL) + 4


async def stream_clarification(turn: TurnContext, state: Mapping[str, Any], step: Step) -> str:
    """Say the answer piece by piece; returns it whole.

    Raises ModelError when the model fails after it has begun to speak; before that the rules answer, with a notice.
    """
    question, [asked] = state["question"], state["clarify_questions"]
    if asked != say("clarify.standard", turn.language):
        # The model that sorted the message wants to know this first (000-25).
        asked = _one_question(asked)
        turn.say(asked)
        step.note(say("step.asked_back", turn.language), "model")
        return asked
    if turn.model.reason_unavailable is None:
        said = await _by_model(turn, question)
        if said:
            step.note(say("step.social", turn.language, kind="-"), "model")
            return said
    return _by_rules(turn, question, step)


def _one_question(text: str) -> str:
    """The first question of `text`, in one line (000-25)."""
    line = " ".join(ThoughtCut().add(text).split())
    return line[: line.index("?") + 1] if "?" in line else line


def warn_of_rules(turn: TurnContext, error: ModelError) -> None:
    """Tell why the rules answer instead of the model, and what helps."""
    text = error.render(turn.language)
    turn.emit(Notice("warning", text.title, text.message, text.remedy))


async def _by_model(turn: TurnContext, question: str) -> str:
    """The model's social reply with the redirect after it (000-30); "" when it finds nothing social or fails."""
    reply = SocialReply()
    check = ClaimCheck(
        amounts_in([turn.persona().hotline]), frozenset(), say("figures.withheld", turn.language),
        facts=[turn.persona().hotline, question],
        makers=await asyncio.to_thread(ProductStore(turn.services.datasets).brands),
    )  # fmt: skip
    try:
        async with aclosing(turn.model.stream("social", _messages(turn, question))) as pieces:
            async for piece in pieces:
                turn.say(reply.add(check.add(piece)))
                if reply.refused:
                    break
    except ModelError as error:
        if reply.said:
            raise
        warn_of_rules(turn, error)
        return ""
    turn.say(reply.add(check.finish()))
    turn.say(reply.finish())
    if not reply.said:
        return ""
    tail = reply.join(say("clarify.redirect", turn.language))
    turn.say(tail)
    return reply.said + tail


def _by_rules(turn: TurnContext, question: str, step: Step) -> str:
    """The documents' examples and their kin (000-33 to 000-37), else the standard question (000-26, 000-27)."""
    kind = social_kind(question)
    if kind:
        text = f"{say(f'social.{kind}', turn.language)}. {say('clarify.redirect', turn.language)}"
        step.note(say("step.social", turn.language, kind=kind), "rules")
        # A remark that asks for nothing more is answered.
        turn.answered = kind != "off" and small_talk(question).rest == ""
    else:
        text = say("clarify.standard", turn.language)
        step.note(say("step.no_social", turn.language), "rules")
    turn.say(text)
    return text


def _messages(turn: TurnContext, question: str) -> list[Message]:
    persona = turn.persona().prompt(turn.services.settings.persona.max_chars)
    said = [
        f"{m.sender}: {' '.join(m.text.split())[:300]}" for m in turn.history[-4:] if m.type != "greeting"
    ]
    return prompts().messages(
        "social", turn.language, persona=persona, history="\n".join(said) or "-", message=question
    )


class SocialReply:
    """What a model says to a social remark, given on as soon as it is clear that it is not `NONE`.

    What may be its last full stop is held back, because the redirect goes after it.
    """

    def __init__(self) -> None:
        self.said = ""
        self.refused = False
        self._held = ""
        self._speaking = False

    def add(self, piece: str) -> str:
        """Take the next piece; returns what can be shown now."""
        self._held += piece
        if not self._speaking:
            self._held = self._held.lstrip()
            word = _FIRST_WORD.match(self._held)
            if word is None and len(self._held) <= _LONGEST_NO:
                return ""
            if word is not None and word.group(1).upper() == NOT_SOCIAL:
                self._held, self.refused = "", True
                return ""
            self._speaking = True
        return self._show(self._held)

    def finish(self) -> str:
        """The stream is over: what was held back and is no refusal."""
        if self._speaking or not self._held:
            return ""
        held = self._held.strip()
        if held.strip("*\"'`.!").upper() == NOT_SOCIAL or not held:
            return ""
        self._speaking = True
        return self._show(held)

    def join(self, redirect: str) -> str:
        """What goes between the reply and `redirect`, and the redirect (000-30).

        After one line exactly one mark; after a longer reply its own end and a paragraph.
        """
        if "\n" in self.said:
            return f"{self._held.rstrip()}\n\n{redirect}"
        mark = next((char for char in "?!" if char in self._held), ".")
        return f"{mark} {redirect}"

    def _show(self, text: str) -> str:
        ready = text.rstrip(_TRAIL)
        self._held = text[len(ready) :]
        self.said += ready
        return ready
