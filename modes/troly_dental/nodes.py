"""The nodes of a turn: language, red flags, guard, memory, search, answer, its form, and what is kept (003-05 to 003-31)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice, Sources, Suggestions
from troly_dental import answer as speaking
from troly_dental import emergency
from troly_dental import guard as gate
from troly_dental import notes as bundled
from troly_dental.emergency import Emergency
from troly_dental.lookup import (
    KEPT,
    MOST_NOTES,
    NOTES,
    Findings,
    PreviousTurn,
    SpokenAnswer,
    option,
    search_notes,
    search_web,
    wants_web,
    with_subject,
)
from troly_dental.memory import connection as memory
from troly_dental.memory.facts import patient_of
from troly_dental.memory.store import MemoryStore
from troly_dental.memory.summary import fitted, joined, rule_summary, summarise
from troly_dental.samples import loaded
from troly_dental.search.pages import as_text, page_evidence, source_list
from troly_dental.search.web_search import SearchOutcome, explain
from troly_dental.settings import DentalSettings
from troly_dental.step_log import FORMATTED, StepLog
from troly_dental.strings import say

if TYPE_CHECKING:
    from troly.config.users import Profile
    from troly.plugin.services import Services

State = Mapping[str, Any]
MOST_BRANCHED = 10_000


async def listen(_state: State, turn: TurnContext, step: Step) -> State:
    """Take the last user message (003-05) and its language, once for all that follows (003-06)."""
    log = StepLog(turn)
    log.flow("1.2", f"Extracted user message: {turn.text}")
    log.flow("1.5", f"Language: {turn.language}")
    step.note(say("step.language", turn.language, lang=turn.language), "rules")
    return {
        "user_message": turn.text,
        "question": turn.text,
        "asked": turn.text,
        "language": turn.language,
    }


async def red_flags(state: State, turn: TurnContext, step: Step) -> State:
    """Danger comes before everything: what to do now is said first, and goes on being said until it is over.

    Where the rules are not sure, or an emergency goes on, a model that answers says so in the first line of its answer.
    """
    question, lang = state["question"], turn.language
    earlier = [message.text for message in turn.history if message.sender == "user"]
    present = Emergency.of(turn.conversation_metadata, turn.now)
    told = await asyncio.to_thread(emergency.reply, question, earlier, present, turn.now, lang)
    if told is None:
        step.note(say("step.no_flag", lang), "rules")
        return {"route": "guardrail"}
    name = told.emergency.name if told.emergency else None
    step.note(say("step.flag", lang, name=name or "-"), "rules")
    before = PreviousTurn.of(turn.conversation_metadata)
    verdict = {"dental": True, "source": "rules", "score": 1.0}
    ahead = {
        "guardrail": verdict,
        "urgent": told,
        "route": "memory",
        "topic": before.topic,
        # A follow-up ("giờ phải làm sao") is looked up with the sign that it is about.
        "query": f"{say(f'guard.sign.{name}', lang)}: {question}" if name and not told.first else question,
    }
    if turn.model.reason_unavailable is None and not told.sure:
        _keep(turn, question, dental=True, topic=before.topic or question)
        return ahead
    turn.conversation_metadata[emergency.KEPT] = told.emergency.kept() if told.emergency else None
    if told.topics:
        after = PreviousTurn(before.question, True, before.topic, told.topics)
        turn.conversation_metadata[KEPT] = after.kept()
    if told.aside or (told.emergency is None and emergency.asks_beside(question)):
        turn.say(f"{told.text}\n\n")
        asked = question if told.aside else bundled.asking(question)
        return {
            "said": told.text,
            "route": "guardrail",
            "asked": asked,
            "red_flag": None if told.aside else name,
        }
    StepLog(turn).flow("1.6", f"Red flag: {name}")
    turn.say(told.text)
    _keep(turn, question, dental=True, topic=before.topic or question)
    return {**ahead, "red_flag": name, "said": told.text}


async def guardrail(state: State, turn: TurnContext, step: Step) -> State:
    """Whether this is about teeth (003-07): rules where they are sure, the small model for the rest; nothing is searched before."""
    before = PreviousTurn.of(turn.conversation_metadata)
    question = state["question"]
    verdict = await gate.guard(
        turn,
        question,
        before.question,
        previous_dental=before.dental,
        names_subject=bundled.names_subject,
        is_answered=lambda text: (
            loaded(turn.services) and bundled.is_answered(text, before.notes if before.dental else ())
        ),
    )
    StepLog(turn).flow("2.1", f"Guardrail result: {'PASSED' if verdict.dental else 'REJECTED'}")
    detail = say(
        "step.guard",
        turn.language,
        result=say("step.passed" if verdict.dental else "step.rejected", turn.language),
        score=f"{verdict.score:.2f}",
        reason=verdict.reason,
    )
    step.note(detail, verdict.source)
    earlier = [message.text for message in turn.history if message.sender == "user"]
    query = await asyncio.to_thread(with_subject, question, before, earlier) if verdict.dental else question
    stands_alone = verdict.dental and query == question
    cited = before.notes if verdict.dental else ()
    _keep(turn, question, dental=verdict.dental, topic=question if stands_alone else before.topic)
    return {
        "guardrail": {"dental": verdict.dental, "source": verdict.source, "score": round(verdict.score, 3)},
        "verdict": verdict,
        "query": query,
        "topic": before.topic if before.dental else "",
        "cited": cited,
        "route": "memory" if verdict.dental else "rejected",
    }


async def rejected(state: State, turn: TurnContext, step: Step) -> State:
    """A friendly refusal that names who can help; nothing goes to memory (003-11)."""
    verdict: gate.Verdict = state["verdict"]
    text = gate.rejection(state["question"], turn.language, turn.others, turn.mode.id, social=verdict.social)
    turn.say(text)
    text = "\n\n".join(part for part in (state.get("said"), text) if part)
    if not verdict.social:
        turn.answered = False
        turn.emit(Suggestions(turn.mode.first_questions[turn.language]))
    StepLog(turn).flow("2.3", "Question rejected - NOT saved to memory")
    step.note(say("step.not_saved", turn.language), "rules")
    return {"formatted_response": text, "message_type": "talk" if verdict.social else "rejected"}


def _keep(turn: TurnContext, question: str, *, dental: bool, topic: str) -> None:
    notes = PreviousTurn.of(turn.conversation_metadata).notes
    turn.conversation_metadata[KEPT] = PreviousTurn(question, dental, topic, notes).kept()


# -- Search, answer, and the answer's form with its sources (003-17 to 003-26).

# Kept with the conversation: why the web gave nothing, as it was said last.
_TOLD = "dental_search_off_told"


async def search(state: State, turn: TurnContext, step: Step) -> State:
    """Search the web as the code decides (003-17), the bundled notes where that gives nothing; say which (C8)."""
    log, query = StepLog(turn), state.get("query") or state["question"]
    if state.get("urgent") and state["said"]:
        # Beside an emergency nothing is read out that could speak against its card.
        step.note(say("step.notes_only", turn.language, notes=0), "rules")
        return {"found": Findings(), "search_results": "", "search_query": ""}
    # What may be an emergency waits for no web page.
    web = await search_web(turn, query) if wants_web(turn) and not state.get("urgent") else None
    pages = web.results if web else ()
    cited = state.get("cited", ())
    subject, notes = await _notes_for(turn, state["asked"], query, state.get("topic", ""))
    if loaded(turn.services):
        said = [message.text for message in turn.history if message.sender == "user"]
        # What is picked by its place is a subject of its own.
        picked = await asyncio.to_thread(option, state["asked"], said)
        cited = () if picked else cited
        asked = query if picked else state["asked"]
        notes = await asyncio.to_thread(bundled.ranked, notes, asked, turn.language, cited)
    # Pages are what a model answers from; without one, or when it fails, the notes do (C8).
    quoted = not pages or turn.model.reason_unavailable is not None
    earlier = tuple(
        note
        for note in bundled.of_topics(cited, turn.language)
        if note.topic not in {one.topic for one in notes}
    )
    facts = speaking.known_facts(state) if turn.model.reason_unavailable is None else ()
    theirs = await asyncio.to_thread(bundled.about, facts, turn.language)
    theirs = tuple(note for note in theirs if note.topic not in {one.topic for one in notes})
    spare, notes = notes, ((*notes[:NOTES], *theirs, *notes[NOTES:], *earlier)[:MOST_NOTES] if quoted else ())
    text = as_text(pages)
    log.flow("6.1", f"Search completed. Results length: {len(text)} characters")
    log.detail("6.1", text)
    found = Findings(
        pages,
        notes,
        web.query if web else "",
        web.engine if web else "",
        subject,
        spare,
        earlier,
    )
    if not state.get("urgent"):
        _notify_search(web, found, turn)
    step.note(_search_detail(web, found, turn), "rules")
    return {"found": found, "search_results": text, "search_query": found.query}


async def _notes_for(
    turn: TurnContext, question: str, query: str, topic: str
) -> tuple[str, tuple[bundled.Note, ...]]:
    """The notes that fit, and what they were searched for: a subject of its own before what was spoken of."""
    alone = [question] if await asyncio.to_thread(bundled.subjects, question) else []
    for wanted in dict.fromkeys([*alone, query, *([f"{topic} {query}"] if topic else [])]):
        if notes := await search_notes(turn, wanted):
            return wanted, notes
    return query, ()


def _search_detail(web: SearchOutcome | None, found: Findings, turn: TurnContext) -> str:
    if web is None:
        return say("step.notes_only", turn.language, notes=len(found.notes))
    return say(
        "step.searched",
        turn.language,
        count=len(found.pages),
        query=found.query,
        engine=found.engine,
        notes=len(found.notes),
    )


def _notify_search(web: SearchOutcome | None, found: Findings, turn: TurnContext) -> None:
    """What was sent, or why nothing came of it and what is used in its place."""
    lang = turn.language
    if web is not None and found.pages:
        key = "notice.cached" if web.cached else "notice.searched"
        lines = [say(key, lang, engine=found.engine, query=found.query)]
        if web.left_out:
            lines.append(say("notice.unsafe", lang, count=web.left_out))
        turn.emit(Notice("info", say("notice.searched_title", lang), " ".join(lines)))
        return
    instead = say("notice.nothing_instead", lang)
    if found.notes:
        day = bundled.shown_date(max(note.date for note in found.notes), lang)
        instead = say("notice.notes_instead", lang, date=day)
    if web is not None:
        title, why = "notice.search_down_title", explain(web, lang)
    else:
        off = turn.services.settings.of(DentalSettings).search == "off"
        title = "notice.search_off_title"
        why = say("notice.search_off" if off else "notice.search_offline", lang)
    if turn.conversation_metadata.get(_TOLD) == why and found.notes:
        return  # said in this conversation; the answer itself marks its notes and their dates
    turn.conversation_metadata[_TOLD] = why
    turn.emit(Notice("warning" if web is not None else "info", say(title, lang), f"{why} {instead}"))


async def answer(state: State, turn: TurnContext, step: Step) -> State:
    """Stream the model's answer (003-24) or quote the sources; in an emergency only what belongs to it."""
    answered = await speaking.speak(state, turn, step)
    return {"answered": answered, "red_flag": answered.red_flag or state["red_flag"]}


async def form(state: State, turn: TurnContext, step: Step) -> State:
    """The whole answer as shown and saved: the text, a short disclaimer, the section of sources (003-26, C6)."""
    answered: SpokenAnswer = state["answered"]
    lang, log = turn.language, StepLog(turn)
    shown = (*page_evidence(answered.pages), *bundled.evidence(answered.notes, lang, len(answered.pages) + 1))
    shown = tuple(one for one in shown if answered.cited is None or one.number in answered.cited)
    listed = (*answered.pages, *bundled.as_pages(answered.notes, lang))
    kept = turn.conversation_metadata.get(KEPT) or {}
    notes = [note.topic for note in answered.notes] or kept.get("notes", [])
    turn.conversation_metadata[KEPT] = {**kept, "notes": notes}
    # The screen lists the sources by themselves; the documents' section belongs to the answer as it is kept and returned.
    disclaimer = f"\n\n{say('answer.disclaimer', lang)}"
    turn.say(disclaimer)
    if shown:
        turn.emit(Sources(shown))
    whole = f"{answered.text}{disclaimer}{source_list(listed, lang, answered.cited)}"
    log.flow("8.2", f"Formatted response. Sources: {len(shown)}")
    log.block(FORMATTED, whole)
    step.note(say("step.format", lang, count=len(shown)), "rules")
    plain = [{"number": one.number, "title": one.title, "host": one.where, "url": one.url} for one in shown]
    return {"formatted_response": whole, "sources": plain}


# -- What is recalled before an answer, and what is kept once it is shown (003-12 to 003-31).


async def recall(_state: State, turn: TurnContext, step: Step) -> State:
    """The conversation's last messages, summary and pinned facts; empty where the memory does not answer (003-39)."""
    log, lang = StepLog(turn), turn.language
    known = await memory.recall(turn)
    log.id("3.1", f"Conversation ID: {known.conversation_id}")
    log.flow("4.1", f"Retrieved {len(known.messages)} messages from memory")
    found = (
        f"Found existing summary: {known.summary}"
        if known.summary
        else "No existing summary (first question in conversation)"
    )
    log.flow("4.1", found)
    log.flow("5.1", f"Context built. Total messages in context: {len(known.messages) + 1}")
    detail = say(
        "step.memory",
        lang,
        recent=len(known.messages),
        old=known.old,
        chars=len(known.summary),
        facts=len(known.facts),
    )
    if known.problem:
        log.trouble("4.1", f"Memory: {known.problem}")
        elsewhere = turn.services.settings.of(DentalSettings).mcp_server_url
        remedy = say("notice.memory_remedy", lang, url=elsewhere) if elsewhere else ""
        turn.emit(Notice("warning", say("notice.memory_title", lang), say("notice.memory", lang), remedy))
        detail = say("step.no_memory", lang)
    step.note(detail, "rules")
    return {
        "conversation_id": known.conversation_id or turn.conversation.id,
        "recalled": known,
        "messages": [*known.messages, {"role": "user", "content": turn.text}],
        "total_count": known.total_count,
        "conversation_summary": known.summary,
        "summary": known.summary,
    }


async def save(state: State, turn: TurnContext, step: Step) -> State:
    """Keep question and answer, then sum up, all after the answer is shown (003-27 to 003-29).

    The rules sum up where the guard and the answer took the two calls of a turn, and where it is stopped meanwhile.
    """
    question, shown = state["user_message"], state["formatted_response"]
    log, lang = StepLog(turn), turn.language
    settings = turn.services.settings.of(DentalSettings)
    known = state["conversation_id"]
    problem = await memory.save_messages(turn, known, question, shown)
    log.flow("9.1", "Saved user message and assistant response")
    existing: str = state["conversation_summary"]
    # The last messages stand in the prompt themselves: what leaves them is summed up.
    context = [
        *state["recalled"].messages,
        {"role": "user", "content": question},
        {"role": "assistant", "content": shown},
    ]
    leaving = context[: -settings.keep_recent_messages]
    asked = " ".join(one["content"] for one in leaving if one["role"] == "user")
    told = " ".join(one["content"] for one in leaving if one["role"] == "assistant")
    summary, source = existing, "rules"
    if leaving:
        compress = state["total_count"] + 2 >= settings.summarize_threshold
        summary = fitted(joined(existing, rule_summary(asked, told, lang)), settings.summary_tokens)
        try:
            if turn.model.has_call_left:
                summary, source = await summarise(
                    turn.model, asked, told, existing=existing, tokens=settings.summary_tokens, lang=lang
                )
        except asyncio.CancelledError:
            await asyncio.shield(memory.save_summary(turn, known, summary, compress=compress))
            raise
        problem = await memory.save_summary(turn, known, summary, compress=compress) or problem
    log.flow("9.4", f"Summary updated. New summary length: {len(summary)} characters")
    detail = say("step.unsaved", lang) if problem else say("step.saved", lang, chars=len(summary))
    step.note(detail, "model" if source == "model" else "rules")
    return {"summary": existing if problem else summary}


def branched(services: Services, profile: Profile, origin: str, branch: str) -> State:
    """Carry the memory of a conversation over to a branch of it, and what it was about where it leaves: an emergency
    goes on in both. A memory-server elsewhere keeps what it has. Raises StoreError.
    """
    settings = services.settings.of(DentalSettings)
    said = services.conversations.messages(profile.login, branch, limit=MOST_BRANCHED)
    asked = [one.text for one in said if one.sender == "user"]
    if not settings.mcp_server_url:
        MemoryStore.of(services.state, services.clock, profile.login, settings).branch(origin, branch, asked)
    answer = next((one for one in reversed(said) if one.sender == "assistant"), None)
    if answer is None or not asked:
        return {}
    about = PreviousTurn(asked[-1], answer.type != "rejected", asked[-1])
    sign = answer.metadata.get("red_flag")
    present = Emergency(str(sign), answer.created_at, patient_of(asked)) if sign else None
    return {KEPT: about.kept(), emergency.KEPT: present.kept() if present else None}
