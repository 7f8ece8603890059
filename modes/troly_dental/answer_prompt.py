"""Builds the prompt of an answer from the documents' parts (003-23), with everything from elsewhere kept as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from troly.llm.types import Message
from troly.plugin.context import TurnContext
from troly.text.catalogue import Lang
from troly.text.dates import HCM, format_date
from troly_dental.strings import prompts, say
from troly_dental.working import Found, Recalled

if TYPE_CHECKING:
    from troly_dental.memory import Fact

RESULT_CHARS, MESSAGE_CHARS = 1_200, 2_000
# What marks the ends of the data must not stand in the data.
_NO_MARKS = str.maketrans("<>", "‹›")


def build(turn: TurnContext, state: Mapping[str, Any]) -> list[Message]:
    """System role, summary and pinned facts; the last messages (C3); question, results and form (003-20 to 003-23)."""
    recalled: Recalled = state["recalled"]
    system, asked = prompts().messages(
        "answer",
        turn.language,
        persona=turn.persona().prompt(turn.services.settings.persona.max_chars),
        today=format_date(turn.now.astimezone(HCM).date()),
        summary=summary_block(recalled.summary, turn.language),
        facts=facts_block(recalled.facts, turn.language),
        question=state["question"],
        results=results(state["found"]) or say("prompt.no_results", turn.language),
    )
    recent = [
        {"role": one["role"], "content": one["content"][:MESSAGE_CHARS]}
        for one in recalled.messages
        if one["content"].strip()
    ]
    return [system, *recent, asked]


def summary_block(summary: str, lang: Lang) -> str:
    """The block of 003-21 to the letter; "" without a summary."""
    return say("prompt.summary", lang, summary=summary) if summary.strip() else ""


def facts_block(facts: Sequence[Fact], lang: Lang) -> str:
    """The pinned facts as the person said them, one line a clause; "" without any."""
    lines = {fact.text: f'- {say(f"memory.kind_{fact.kind}", lang)}: "{_plain(fact.text)}"' for fact in facts}
    return say("prompt.facts", lang, facts="\n".join(lines.values())) if lines else ""


def results(found: Found) -> str:
    """Numbered Title, Content and Link of what was found; a note tells its date in place of a link."""
    blocks = [f"Title: {page.title}\nContent: {page.content}\nLink: {page.link}" for page in found.pages]
    blocks += [f"Title: {note.title}\nContent: {note.text}\nDate: {note.date}" for note in found.notes]
    return "\n\n".join(f"[{number}] {_plain(text)[:RESULT_CHARS]}" for number, text in enumerate(blocks, 1))


def whole(messages: list[Message]) -> str:
    """The prompt as one text, for the log."""
    return "\n\n".join(f"{one['role']}: {one['content']}" for one in messages)


def _plain(text: str) -> str:
    return text.translate(_NO_MARKS)
