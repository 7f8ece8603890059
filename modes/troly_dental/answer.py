"""Says the answer: streamed from the model through the output rail, or quoted word for word from what was found."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from troly.errors import ModelError
from troly.llm.types import Message
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice
from troly.text.catalogue import Lang
from troly.text.dates import HCM, format_date
from troly.text.everyday import without_everyday
from troly_dental import notes as bundled
from troly_dental.emergency import EmergencyReply
from troly_dental.lookup import Findings, SpokenAnswer
from troly_dental.memory.connection import MemoryContext
from troly_dental.memory.facts import person_of
from troly_dental.memory.store import facts_of
from troly_dental.memory.types import Fact
from troly_dental.output_rail import OutputRail, doses, warns
from troly_dental.safety import conflicts, stated, told, what_they_mean, wishes
from troly_dental.step_log import PROMPT, RESPONSE, StepLog
from troly_dental.strings import prompts, say

# -- The prompt: the documents' parts (003-23), with everything from elsewhere kept as data.

RESULT_CHARS, MESSAGE_CHARS = 1_200, 2_000
_OTHER_KINDS = frozenset({"name", "tooth", "date", "number"})
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
        facts=facts_block(known_facts(state), state["question"], turn.language),
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


def facts_block(facts: Sequence[Fact], question: str, lang: Lang) -> str:
    """The pinned facts, one line each, and what they mean by the table of contraindications, also for what `question`
    names; "" without any. Facts without content ("dị ứng", of nothing) are left out.
    """
    health = stated(facts)
    lines = set()
    for fact in facts:
        if fact in health or fact.kind in _OTHER_KINDS:
            value = _plain(fact.text if fact.kind == "pregnancy" or person_of(fact.text) else fact.value)
            line = f"- {say(f'memory.kind_{fact.kind}', lang)}: {value}"
            lines.add(say("safety.earlier", lang, fact=line) if fact.earlier else line)
    against = [f"- {one.told(lang)}" for one in conflicts(question, facts)]
    told_all = "\n".join([*sorted(lines), *what_they_mean(facts, lang), *against])
    return say("prompt.facts", lang, facts=told_all) if lines else ""


def known_facts(state: Mapping[str, Any]) -> tuple[Fact, ...]:
    """What is pinned, and what this message states."""
    recalled: MemoryContext = state["recalled"]
    return (*recalled.facts, *facts_of(state["question"]))


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
    """Say the answer to a dental question: the model's, else the notes and pages themselves (C8).

    What was said at once, that an emergency goes on, stands before it.
    """
    spoken = await _spoken(state, turn, step)
    return replace(spoken, text=f"{state['said']}\n\n{spoken.text}") if state.get("said") else spoken


async def _spoken(state: State, turn: TurnContext, step: Step) -> SpokenAnswer:
    reason = turn.model.reason_unavailable
    said = ""
    if reason is None:
        said, reason = await _by_model(state, turn, step)
        if not reason:
            found: Findings = state["found"]
            return SpokenAnswer(said, said, found.pages, found.notes)
    return await _by_rules(state, turn, step, reason, said)


async def _by_model(state: State, turn: TurnContext, step: Step) -> tuple[str, str]:
    """What the model said and the checks let through, and why it is no whole answer ("" where it is) (003-38).

    A refused sentence goes back once, with what was shown and the reason; a second one ends the answer.
    """
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
    found: Findings = state["found"]
    detail = say("step.by_model", lang, count=len(found.pages) + len(found.notes))
    said, refused = "", None
    for task in ("answer", "answer_again"):
        rail = _rail(state, turn)
        try:
            said += await _streamed(task, messages, rail, said, turn)
        except ModelError as error:
            log.failure("8", f"LLM error: {error}", error)
            said += _show(rail.finish(), said, turn)
            card = error.render(lang)
            remedy = f"{card.remedy} {say('notice.model_fallback', lang)}".strip()
            turn.emit(Notice("error", card.title, card.message, remedy))
            step.note(detail, "model")
            return said.rstrip(), error.key
        refused = rail.refused
        if refused is None:
            break
        log.trouble("8.1", f"Refused ({refused.kind}): {refused.sentence}")
        detail = say("step.refused", lang, detail=detail, reason=refused.reason)
        key = "rail.go_on" if said.strip() else "rail.again"
        again = say(key, lang, sentence=refused.sentence, reason=refused.reason)
        draft = {"role": "assistant", "content": f"{said}{refused.sentence}"}
        messages = [*messages, draft, {"role": "user", "content": again}]
    step.note(detail, "model")
    if refused is not None:
        # What no draft did without is told with its reason; who was sent to a doctor still is.
        more = [refused.reason, *([say("rail.care", lang)] if refused.cares else [])]
        said += _show(f"{'' if said.endswith(chr(10)) or not said else ' '}{' '.join(more)}", said, turn)
    said = said.rstrip()
    return said, "" if said else "ollama.empty"


async def _streamed(
    task: str, messages: list[Message], rail: OutputRail, before: str, turn: TurnContext
) -> str:
    """What was shown of one draft, up to the sentence that `rail` refused. Raises ModelError."""
    raw, said = "", ""
    try:
        async with aclosing(turn.model.stream(task, messages)) as pieces:
            async for piece in pieces:
                raw += piece
                said += _show(rail.add(piece), before + said, turn)
                if rail.refused:
                    break
        return said + _show(rail.finish(), before + said, turn)
    finally:
        StepLog(turn).block(RESPONSE, raw)


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


async def in_emergency(state: State, turn: TurnContext, step: Step) -> SpokenAnswer:
    """After the card: the facts that helpers must hear; to a follow-up the model's answer, which holds to the card."""
    urgent: EmergencyReply = state["urgent"]
    said: str = state["said"]
    lang, more = turn.language, ""
    if not urgent.first and said != urgent.text:
        turn.say("\n\n")
        more, failed = await _by_model(state, turn, step)
        if failed:
            rest = urgent.text.removeprefix(said).strip()
            turn.say(rest)
            more = f"{more}\n\n{rest}".strip()
    else:
        facts = stated(known_facts(state))
        if facts and urgent.emergency is not None:
            more = say("safety.tell", lang, facts=told(facts, lang))
            turn.say(f"\n\n{more}")
        step.note(say("step.flag", lang, name=state["red_flag"] or "-"), "rules")
    text = f"{said}\n\n{more}" if more else said
    return SpokenAnswer(text, more or said)


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
    replies = [*noted, *against, *(say(f"answer.{wish}", lang, hotline=_clinic(hotline)) for wish in wished)]
    if set(wished) & {"dose", "prescription", "medicine"} and not noted and not against:
        replies += what_they_mean(facts, lang)
    about = [fact.value for fact in stated(facts) if fact.kind in {"pregnancy", "disease"}]
    query = " ".join([found.subject or question, *about])
    answer = await asyncio.to_thread(bundled.answer, found.spare, question, query, lang)
    if not answer.whole and found.before and without_everyday(question):
        again = await asyncio.to_thread(bundled.answer, found.before, question, query, lang)
        answer = again if again.whole else answer
    if replies and not (answer.whole if set(wished) - {"diagnosis"} else answer.about):
        # What was said is the answer; a note about something near is none.
        answer = bundled.NoteAnswer()
    if answer.text and bundled.asks_leave(question):
        # Whether something may be done depends on what the person has.
        now = [fact for fact in facts if not fact.earlier and fact.kind not in {"allergy", "age"}]
        replies += [line for line in what_they_mean(now, lang) if line not in "\n".join(replies)]
    quoted = _quoted(found, lang)
    if not answer.whole:
        turn.answered = bool(quoted or (replies and not wished)) or (False if not replies or wished else None)
    against = [one.told(lang) for one in conflicts(answer.text, facts) if not warns(answer.text)]
    texts = [one for one in (*replies, answer.text, *against, quoted) if one]
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
    facts = stated(facts_of(question))
    if not facts:
        return []
    means = what_they_mean(facts, lang)
    lines = [say("safety.noted", lang, facts=told(facts, lang))]
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
