"""Finds what a message wants: by rules alone where they are sure, else by the model with the rules as its fallback."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from troly.plugin.context import TurnContext
from troly.plugin.events import Source
from troly.text.catalogue import Lang
from troly_shopping.rules import Finding, judge
from troly_shopping.scoring import Intent
from troly_shopping.serials import Reading
from troly_shopping.strings import prompts, say

if TYPE_CHECKING:
    from troly_shopping.schemas import Classification

_ANSWERS_SHOWN = 2
_SHOWN_CHARS = 400


@dataclass(frozen=True, slots=True)
class Found:
    """The intent, how sure, who decided and why."""

    intent: Intent
    confidence: float
    source: Source
    reason: str

    def note(self, lang: Lang) -> str:
        """One line for the evidence view."""
        return say(
            "step.intent", lang, intent=self.intent, confidence=f"{self.confidence:.2f}", reason=self.reason
        )


async def find(turn: TurnContext, question: str, reading: Reading, *, awaiting: bool) -> Found:
    """The intent of `question` (000-19 to 000-24)."""
    # The first message of a process reads the word lists; nobody else should wait for that.
    ruled = await asyncio.to_thread(judge, question, reading, awaiting=awaiting)
    if ruled.sure:
        reason = say("step.serial_sure", turn.language, reason=reading.reason(turn.language))
        return Found(ruled.intent, ruled.confidence, "rules", reason)
    from troly_shopping.schemas import Classification

    messages = prompts().messages(
        "classify",
        turn.language,
        hints=_hints(ruled, reading, turn.language, awaiting=awaiting),
        history=_history(turn),
        message=question,
    )
    decision = await turn.model.decide("classify", Classification, messages, lambda: _as_value(ruled))
    value: Classification = decision.value
    reason = value.rationale if decision.source == "model" else f"{ruled.reason} ({decision.reason})"
    return Found(value.intent, value.confidence, decision.source, reason)


def _as_value(ruled: Finding) -> Classification:
    from troly_shopping.schemas import Classification

    return Classification(
        intent=ruled.intent,
        confidence=ruled.confidence,
        need_retrieval=ruled.intent == "shopping",
        clarify_needed=ruled.intent == "unknown",
        rationale=ruled.reason,
    )


def _hints(ruled: Finding, reading: Reading, lang: Lang, *, awaiting: bool) -> str:
    told = [f"{ruled.intent} {ruled.confidence:.2f} ({ruled.reason})"]
    if reading.candidates:
        told.append(reading.reason(lang))
    if awaiting:
        told.append(say("step.awaiting", lang))
    return "; ".join(told)


def _history(turn: TurnContext) -> str:
    """What the desk said last, one line each: enough to understand a follow-up, and nothing a customer wrote."""
    answers = [message.text for message in turn.history if message.sender == "assistant"]
    return (
        "\n".join(f"assistant: {' '.join(text.split())[:_SHOWN_CHARS]}" for text in answers[-_ANSWERS_SHOWN:])
        or "-"
    )
