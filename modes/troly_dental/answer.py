"""Says the answer: streamed from the model through the output rail, or quoted word for word from what was found."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from troly.errors import ModelError
from troly.llm.types import Message
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice
from troly.text.catalogue import Lang
from troly.text.dates import HCM, format_date
from troly_dental import notes as bundled
from troly_dental.lookup import Findings, MemoryContext, SpokenAnswer
from troly_dental.notes import Note
from troly_dental.output_rail import DIAGNOSIS, DOSE, OutputRail, doses
from troly_dental.step_log import PROMPT, RESPONSE, StepLog
from troly_dental.strings import prompts, say

if TYPE_CHECKING:
    from troly_dental.memory.types import Fact


# -- The prompt: the documents' parts (003-23), with everything from elsewhere kept as data.

RESULT_CHARS, MESSAGE_CHARS = 1_200, 2_000
# What marks the ends of the data must not stand in the data.
_NO_MARKS = str.maketrans("<>", "‹›")


def build(turn: TurnContext, state: Mapping[str, Any]) -> list[Message]:
    """System role, summary and pinned facts; the last messages (C3); question, results and form (003-20 to 003-23)."""
    recalled: MemoryContext = state["recalled"]
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


def results(found: Findings) -> str:
    """Numbered Title, Content and Link of what was found; a note tells its date in place of a link."""
    blocks = [f"Title: {page.title}\nContent: {page.content}\nLink: {page.link}" for page in found.pages]
    blocks += [f"Title: {note.title}\nContent: {note.text}\nDate: {note.date}" for note in found.notes]
    return "\n\n".join(f"[{number}] {_plain(text)[:RESULT_CHARS]}" for number, text in enumerate(blocks, 1))


def whole(messages: list[Message]) -> str:
    """The prompt as one text, for the log."""
    return "\n\n".join(f"{one['role']}: {one['content']}" for one in messages)


def _plain(text: str) -> str:
    return text.translate(_NO_MARKS)


State = Mapping[str, Any]
_QUOTED, _QUOTE_CHARS = 3, 320
# After an emergency's advice only a note that fits this well may follow, and only one.
_FITTING = 0.6


async def speak(state: State, turn: TurnContext, step: Step) -> SpokenAnswer:
    """Say the answer to a dental question: the model's, else the notes and pages themselves (C8)."""
    reason = turn.model.reason_unavailable
    said = ""
    if reason is None:
        said, failed = await _by_model(state, turn, step)
        if failed is None and said.strip():
            found: Findings = state["found"]
            return SpokenAnswer(said, said, found.pages, found.notes)
        reason = failed.key if failed is not None else "ollama.empty"
    return await _by_rules(state, turn, step, reason, said)


async def _by_model(state: State, turn: TurnContext, step: Step) -> tuple[str, ModelError | None]:
    """What the model said and the rail let through, and the error that ended it (003-38)."""
    log, lang = StepLog(turn), turn.language
    messages = build(turn, state)
    recalled: MemoryContext = state["recalled"]
    if recalled.summary:
        log.flow(
            "7.2", f"Using existing summary as context. Summary length: {len(recalled.summary)} characters"
        )
    prompt = whole(messages)
    log.flow("7.4", f"Prompt built. Length: {len(prompt)} characters")
    log.flow("8", "Generating response with LLM provider: ollama")
    log.block(PROMPT, prompt)
    rail = _rail(state, turn)
    raw, said, failed = "", "", None
    try:
        async with aclosing(turn.model.stream("answer", messages)) as pieces:
            async for piece in pieces:
                raw += piece
                said += _show(rail.add(piece), said, turn)
    except ModelError as error:
        log.failure("8", f"LLM error: {error}", error)
        failed = error
    said += _show(rail.finish(), said, turn)
    log.block(RESPONSE, raw)
    found: Findings = state["found"]
    detail = say("step.by_model", lang, count=len(found.pages) + len(found.notes))
    step.note(_withheld(rail, detail, turn), "model")
    if failed is not None:
        told = failed.render(lang)
        remedy = f"{told.remedy} {say('notice.model_fallback', lang)}".strip()
        turn.emit(Notice("error", told.title, told.message, remedy))
    return said.rstrip(), failed


def _show(piece: str, said: str, turn: TurnContext) -> str:
    shown = piece if said else piece.lstrip()
    turn.say(shown)
    return shown


def _rail(state: State, turn: TurnContext) -> OutputRail:
    found: Findings = state["found"]
    recalled: MemoryContext = state["recalled"]
    texts = [*(f"{page.title}. {page.content}" for page in found.pages), *(note.text for note in found.notes)]
    own = [one["content"] for one in recalled.messages if one["role"] == "user"]
    instead = {kind: say(f"rail.{kind}", turn.language) for kind in (DOSE, DIAGNOSIS)}
    return OutputRail(
        texts, "\n".join([*own, *(fact.text for fact in recalled.facts), state["question"]]), instead
    )


def _withheld(rail: OutputRail, detail: str, turn: TurnContext) -> str:
    """`detail` with what the rail held back; the person is told as well."""
    counts = {"doses": rail.withheld[DOSE], "diagnoses": rail.withheld[DIAGNOSIS]}
    if not any(counts.values()):
        return detail
    message = say("notice.withheld", turn.language, **counts)
    turn.emit(Notice("warning", say("notice.withheld_title", turn.language), message))
    StepLog(turn).trouble("8.1", f"Output rail: {counts}")
    return say("step.withheld", turn.language, detail=detail, **counts)


async def _by_rules(state: State, turn: TurnContext, step: Step, reason: str, said: str) -> SpokenAnswer:
    """The notes' own sentences, else the pages' first ones, else that there is no source; after what was said."""
    found: Findings = state["found"]
    lang = turn.language
    told, notes = await _from_notes(found.notes, state, lang)
    texts = [told, _quoted(found, lang)]
    text = "\n\n".join(one for one in texts if one) or say(
        "answer.nothing", lang, hotline=turn.persona().hotline
    )
    gap = f"\n\n{say('answer.interrupted', lang)}\n\n" if said else ""
    turn.say(f"{gap}{text}")
    count = len(found.pages) + len(notes)
    step.note(say("step.by_rules", lang, count=count, reason=reason), "mixed" if said else "rules")
    StepLog(turn).flow("8", f"Quoting sources without a model: {reason}")
    return SpokenAnswer(
        f"{said}{gap}{text}", said or _gist(text), found.pages, found.notes if said else notes
    )


async def after_flag(state: State, turn: TurnContext, step: Step) -> SpokenAnswer:
    """After the advice for an emergency: one bundled note where one clearly fits, nothing else."""
    found: Findings = state["found"]
    fitting = tuple(note for note in found.notes[:1] if note.score >= _FITTING)
    said: str = state["said"]
    text, notes = await _from_notes(fitting, state, turn.language)
    gist = said
    if text:
        turn.say(f"\n\n{text}")
        said = f"{said}\n\n{text}"
    step.note(say("step.by_rules", turn.language, count=len(notes), reason=state["red_flag"]), "rules")
    return SpokenAnswer(said, gist, (), notes)


async def _from_notes(notes: tuple[Note, ...], state: State, lang: Lang) -> tuple[str, tuple[Note, ...]]:
    """The notes' own sentences about the question, and the notes that were quoted."""
    asked = state.get("query") or state["question"]
    text = await asyncio.to_thread(bundled.answer, notes, asked, lang)
    return text, tuple(note for note in notes if note.title in text)


def _gist(text: str) -> str:
    """The quoted sentences themselves, without titles and sources; all of a text that quotes nothing."""
    lines = [line.removeprefix("- ") for line in text.splitlines() if line.startswith("- ")]
    return "\n".join(lines) or text


def _quoted(found: Findings, lang: Lang) -> str:
    """What the first pages say, by their numbers in the list of sources; "" without pages."""
    quotes = [
        say("answer.page_quote", lang, text=quote, number=number)
        for number, page in enumerate(found.pages, 1)
        if (quote := _quote(page.content))
    ]
    return "\n".join([say("answer.from_pages", lang), *quotes[:_QUOTED]]) if quotes else ""


def _quote(text: str) -> str:
    """The beginning of a page's text without sentences that state a dose: the page alone vouches for nothing."""
    sentences = [one for one in text.replace("! ", ". ").split(". ") if not doses(one)]
    text = ". ".join(sentences).strip()
    return text if len(text) <= _QUOTE_CHARS else f"{text[:_QUOTE_CHARS].rsplit(' ', 1)[0]}…"
