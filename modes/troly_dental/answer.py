"""Says the answer: streamed from the model through the output rail, or quoted word for word from what was found."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any

from troly.errors import ModelError
from troly.llm.types import Message
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice
from troly.text.catalogue import Lang
from troly.text.dates import HCM, format_date
from troly_dental import notes as bundled
from troly_dental.emergency import EmergencyReply
from troly_dental.lookup import Findings, SpokenAnswer
from troly_dental.memory.connection import MemoryContext
from troly_dental.memory.facts import find_facts
from troly_dental.memory.types import Fact
from troly_dental.output_rail import OutputRail, doses, warns
from troly_dental.safety import conflicts, stated, what_they_mean
from troly_dental.step_log import PROMPT, RESPONSE, StepLog
from troly_dental.strings import prompts, say
from troly_dental.wishes import wishes

# -- The prompt: the documents' parts (003-23), with everything from elsewhere kept as data.

RESULT_CHARS, MESSAGE_CHARS = 1_200, 2_000
# What marks the ends of the data must not stand in the data.
_NO_MARKS = str.maketrans("<>", "‹›")


def build(turn: TurnContext, state: Mapping[str, Any]) -> list[Message]:
    """System role, summary and pinned facts; the last messages (C3); question, results and form (003-20 to 003-23)."""
    recalled: MemoryContext = state["recalled"]
    urgent: EmergencyReply | None = state.get("urgent")
    system, asked = prompts().messages(
        "answer",
        turn.language,
        persona=turn.persona().prompt(turn.services.settings.persona.max_chars),
        today=format_date(turn.now.astimezone(HCM).date()),
        summary=summary_block(recalled.summary, turn.language),
        facts=facts_block(known_facts(state), turn.language),
        emergency=say("prompt.emergency", turn.language, card=urgent.text) if urgent else "",
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
    """The pinned facts, one line each, and what they mean by the table of contraindications; "" without any."""
    lines = {
        f"- {say(f'memory.kind_{fact.kind}', lang)}: {_plain(fact.text if fact.kind == 'pregnancy' else fact.value)}"
        for fact in facts
    }
    means = "\n".join([*sorted(lines), *what_they_mean(facts, lang)])
    return say("prompt.facts", lang, facts=means) if lines else ""


def known_facts(state: Mapping[str, Any]) -> tuple[Fact, ...]:
    """What is pinned, and what this message states."""
    recalled: MemoryContext = state["recalled"]
    return (*recalled.facts, *find_facts(state["question"]))


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
    facts = known_facts(state)
    said = "\n".join([*own, *(fact.text for fact in facts), state["question"]])
    return OutputRail(texts, said, turn.language, facts)


def _withheld(rail: OutputRail, detail: str, turn: TurnContext) -> str:
    """`detail` with what the rail changed; the person is told as well."""
    kinds = [kind for kind, count in rail.withheld.items() if count]
    if not kinds:
        return detail
    what = ", ".join(say(f"notice.withheld_{kind}", turn.language) for kind in kinds)
    turn.emit(
        Notice("warning", say("notice.withheld_title", turn.language), f"{what[:1].upper()}{what[1:]}.")
    )
    StepLog(turn).trouble("8.1", f"Output rail: {rail.withheld}")
    return say("step.withheld", turn.language, detail=detail, what=what)


async def in_emergency(state: State, turn: TurnContext, step: Step) -> SpokenAnswer:
    """After the card: the facts that helpers must hear; to a follow-up the model's answer, which holds to the card."""
    urgent: EmergencyReply = state["urgent"]
    said: str = state["said"]
    lang, more = turn.language, ""
    if not urgent.first and said != urgent.text:
        turn.say("\n\n")
        more, failed = await _by_model(state, turn, step)
        if failed is not None or not more.strip():
            rest = urgent.text.removeprefix(said).strip()
            turn.say(rest)
            more = f"{more}\n\n{rest}".strip()
    else:
        facts = list(
            dict.fromkeys(
                f"{say(f'memory.kind_{fact.kind}', lang)} {fact.value}" for fact in stated(known_facts(state))
            )
        )
        if facts and urgent.emergency is not None:
            more = say("safety.tell", lang, facts=", ".join(facts))
            turn.say(f"\n\n{more}")
        step.note(say("step.flag", lang, name=state["red_flag"] or "-"), "rules")
    text = f"{said}\n\n{more}" if more else said
    return SpokenAnswer(text, said)


async def _by_rules(state: State, turn: TurnContext, step: Step, reason: str, said: str) -> SpokenAnswer:
    """Without a model: what was stated is noted, a wish that no note grants is told so with its reason, then the notes'
    sentences where they are about what was asked, else the pages' first ones, else that there is no source."""
    found: Findings = state["found"]
    lang, question = turn.language, state["question"]
    facts = known_facts(state)
    wished = wishes(question)
    hotline = turn.persona().hotline
    noted = _noted(question, lang)
    against = [] if noted else [one.told(lang) for one in conflicts(question, facts)]
    told = [*noted, *against, *(say(f"answer.{wish}", lang, hotline=_clinic(hotline)) for wish in wished)]
    if set(wished) & {"dose", "prescription", "medicine"} and not noted and not against:
        told += what_they_mean(facts, lang)
    answer = await asyncio.to_thread(bundled.answer, found.spare, question, found.subject or question, lang)
    if told and not (answer.whole if set(wished) - {"diagnosis"} else answer.about):
        # What was told is the answer; a note about something near is none.
        answer = bundled.NoteAnswer()
    quoted = _quoted(found, lang)
    if not answer.whole:
        turn.answered = bool(quoted or (told and not wished)) or (False if not told or wished else None)
    against = [one.told(lang) for one in conflicts(answer.text, facts) if not warns(answer.text)]
    texts = [one for one in (*told, answer.text, *against, quoted) if one]
    text = "\n\n".join(texts) or f"{say('answer.nothing', lang, hotline=hotline)} {say('answer.would', lang)}"
    gap = f"\n\n{say('answer.interrupted', lang)}\n\n" if said else ""
    turn.say(f"{gap}{text}")
    count = len(found.pages) + len(answer.notes)
    step.note(say("step.by_rules", lang, count=count, reason=reason), "mixed" if said else "rules")
    StepLog(turn).flow("8", f"Quoting sources without a model: {reason}")
    return SpokenAnswer(f"{said}{gap}{text}", said or _gist(text), found.pages, answer.notes)


def _clinic(hotline: str) -> str:
    """The clinic's part of the hotline: whoever asks for a price needs no ambulance."""
    return "; ".join(part.strip() for part in hotline.split(";") if "115" not in part) or hotline


def _noted(question: str, lang: Lang) -> list[str]:
    """That what the message states of the person's health is remembered, and what it means."""
    facts = stated(find_facts(question))
    if not facts:
        return []
    named = dict.fromkeys(f"{say(f'memory.kind_{fact.kind}', lang)} {fact.value}" for fact in facts)
    means = what_they_mean(facts, lang)
    lines = [say("safety.noted", lang, facts=", ".join(named))]
    return ["\n".join([*lines, *([say("safety.means", lang), *means] if means else [])])]


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
