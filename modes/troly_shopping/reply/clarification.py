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
from troly_shopping.intent import GREETINGS, social_kind, without_boilerplate
from troly_shopping.products.store import ProductStore
from troly_shopping.reply.claim_check import ClaimCheck, without_thoughts
from troly_shopping.strings import prompts, say

NOT_SOCIAL = "NONE"
# A reply that asks for business itself needs no second offer.
_LEADS_BACK = re.compile(r"bảo hành|mua hàng|sản phẩm|hàng hóa|warranty|shopping|buy", re.IGNORECASE)
_TRAIL = ".!?…。 \t\n"


async def stream_clarification(turn: TurnContext, state: Mapping[str, Any], step: Step) -> str:
    """Say the answer; returns it. Where the model fails the rules answer, with a notice."""
    if courtesy := state["message"].courtesy:
        turn.answered = True
        return _say_social(turn, courtesy, step)
    question, [asked] = state["question"], state["clarify_questions"]
    if asked != say("clarify.standard", turn.language):
        # The model that sorted the message wants to know this first (000-25).
        check = await asyncio.to_thread(_claim_check, turn, question)
        asked = _one_question(asked)
        asked = say("clarify.standard", turn.language) if check.refused(asked) else asked
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
    line = " ".join(without_thoughts(text).split())
    return line[: line.index("?") + 1] if "?" in line else line


def warn_of_rules(turn: TurnContext, error: ModelError) -> None:
    """Tell why the rules answer instead of the model, and what helps."""
    text = error.render(turn.language)
    turn.emit(Notice("warning", text.title, text.message, text.remedy))


async def _by_model(turn: TurnContext, question: str) -> str:
    """The model's social reply with the redirect after it (000-30); "" when it finds nothing social, claims something or fails."""
    check = await asyncio.to_thread(_claim_check, turn, question)
    reply = ""
    try:
        async with aclosing(turn.model.stream("social", _messages(turn, question))) as pieces:
            async for piece in pieces:
                reply += piece
    except ModelError as error:
        warn_of_rules(turn, error)
        return ""
    reply = without_thoughts(reply).strip()
    if not reply or reply.strip("*\"'`.!").upper() == NOT_SOCIAL or check.refused(reply):
        return ""
    said = with_redirect(reply, say("clarify.redirect", turn.language))
    turn.say(said)
    turn.answered = True
    return said


def _claim_check(turn: TurnContext, question: str) -> ClaimCheck:
    """A check that knows what the shop has said; the customer's words hold nothing up. Blocking."""
    told = [message.text for message in turn.history if message.sender == "assistant"]
    asked = [message.text for message in turn.history if message.sender == "user"]
    makers = ProductStore(turn.services.datasets).brands()
    return ClaimCheck([turn.persona().hotline], makers, [question, *asked], said=told)


def with_redirect(reply: str, redirect: str) -> str:
    """`reply` and what leads back: after one line exactly one mark, after a longer reply its own end and a paragraph."""
    if "\n" in reply:
        return f"{reply}\n\n{redirect}"
    asked = reply.rstrip().endswith("?") and _LEADS_BACK.search(reply)
    if asked:
        return reply
    bare = reply.rstrip(_TRAIL)
    mark = next((char for char in "?!" if char in reply[len(bare) :]), ".")
    return f"{bare}{mark} {redirect}"


def _by_rules(turn: TurnContext, question: str, step: Step) -> str:
    """The documents' examples and their kin (000-33 to 000-37), else the standard question (000-26, 000-27)."""
    kind = social_kind(question)
    if kind:
        # A remark that asks for nothing more is answered.
        turn.answered = kind != "off" and small_talk(question).rest == ""
        return _say_social(turn, kind, step)
    text = say("clarify.standard", turn.language)
    step.note(say("step.no_social", turn.language), "rules")
    turn.say(text)
    return text


def _say_social(turn: TurnContext, kind: str, step: Step) -> str:
    text = f"{say(f'social.{kind}', turn.language)}. {say('clarify.redirect', turn.language)}"
    step.note(say("step.social", turn.language, kind=kind), "rules")
    turn.say(text)
    return text


def _messages(turn: TurnContext, question: str) -> list[Message]:
    persona = turn.persona().prompt(turn.services.settings.persona.max_chars)
    told = [m for m in turn.history if m.type not in GREETINGS][-4:]
    said = [f"{m.sender}: {without_boilerplate(turn, m.text)[:300]}" for m in told]
    return prompts().messages(
        "social",
        turn.language,
        persona=persona,
        role=turn.profile.known_role,
        history="\n".join(said) or "-",
        message=question,
    )
