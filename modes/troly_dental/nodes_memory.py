"""Both ends of the memory: what is recalled before an answer, and what is kept once it is shown (003-12 to 003-31)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice
from troly_dental.memory import (
    MAX_MESSAGES,
    MemoryClient,
    fitted,
    joined,
    memory_of_turn,
    rule_summary,
    summarise,
)
from troly_dental.settings import DentalSettings
from troly_dental.steps_log import StepLog
from troly_dental.strings import say
from troly_dental.working import Recalled

State = Mapping[str, Any]


async def recall(_state: State, turn: TurnContext, step: Step) -> State:
    """The conversation's last messages, summary and pinned facts; empty where the memory does not answer (003-39)."""
    log, lang = StepLog(turn), turn.language
    async with memory_of_turn(turn.services, turn.profile) as memory:
        known = await memory.get_or_create(turn.conversation.id)
        log.id("3.1", f"Conversation ID: {known}")
        messages = await memory.get_context(known, MAX_MESSAGES)
        old = await memory.get_old_messages(known)
        summary = await memory.get_summary(known)
        facts = await memory.get_facts(known)
    log.flow("4.1", f"Retrieved {len(messages)} messages from memory")
    found = (
        f"Found existing summary: {summary}"
        if summary
        else "No existing summary (first question in conversation)"
    )
    log.flow("4.1", found)
    log.flow("5.1", f"Context built. Total messages in context: {len(messages) + 1}")
    if memory.problem:
        log.trouble("4.1", f"Memory: {memory.problem}")
        elsewhere = turn.services.settings.of(DentalSettings).mcp_server_url
        remedy = say("notice.memory_remedy", lang, url=elsewhere) if elsewhere else ""
        turn.emit(Notice("warning", say("notice.memory_title", lang), say("notice.memory", lang), remedy))
    recalled = Recalled(tuple(messages), summary, facts)
    step.note(_detail(recalled, len(old.messages), memory, turn), "rules")
    return {
        "conversation_id": known or turn.conversation.id,
        "recalled": recalled,
        "messages": [*messages, {"role": "user", "content": turn.text}],
        "total_count": old.total_count,
        "conversation_summary": summary,
        "summary": summary,
    }


def _detail(recalled: Recalled, old: int, memory: MemoryClient, turn: TurnContext) -> str:
    if memory.problem:
        return say("step.no_memory", turn.language)
    return say(
        "step.memory",
        turn.language,
        recent=len(recalled.messages),
        old=old,
        chars=len(recalled.summary),
        facts=len(recalled.facts),
    )


async def save(state: State, turn: TurnContext, step: Step) -> State:
    """Keep question and answer, then sum up, all after the answer is shown (003-27 to 003-29).

    A turn that is stopped while the model sums up keeps the summary of the rules.
    """
    question, shown = state["user_message"], state["formatted_response"]
    log, lang = StepLog(turn), turn.language
    settings = turn.services.settings.of(DentalSettings)
    known = state["conversation_id"]
    async with memory_of_turn(turn.services, turn.profile) as memory:
        await memory.add_message(known, "user", question)
        await memory.add_message(known, "assistant", shown)
        log.flow("9.1", "Saved user message and assistant response")
        compress = state["total_count"] + 2 >= settings.summarize_threshold
        told: str = state["answered"].gist
        existing: str = state["conversation_summary"]
        try:
            summary, source = await summarise(
                turn.model,
                question,
                told,
                existing=existing,
                tokens=settings.summary_tokens,
                lang=lang,
            )
        except asyncio.CancelledError:
            ruled = fitted(
                joined(existing, rule_summary(question, told, lang)), settings.summary_tokens, lang
            )
            await asyncio.shield(memory.set_summary(known, ruled, compress))
            raise
        await memory.set_summary(known, summary, compress)
    log.flow("9.4", f"Summary updated. New summary length: {len(summary)} characters")
    saved = not memory.problem
    detail = say("step.saved", lang, chars=len(summary)) if saved else say("step.unsaved", lang)
    step.note(detail, "model" if source == "model" else "rules")
    return {"summary": summary if saved else existing}
