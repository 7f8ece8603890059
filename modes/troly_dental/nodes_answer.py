"""The middle of a turn: search, answer, and the answer's form with its sources (003-17 to 003-26)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice, Sources
from troly_dental import answer as speaking
from troly_dental import notes as bundled
from troly_dental import sources
from troly_dental.lookup import Web, day_of, look, look_in_notes, wants_web
from troly_dental.search import as_text, explain
from troly_dental.settings import DentalSettings
from troly_dental.steps_log import FORMATTED, StepLog
from troly_dental.strings import say
from troly_dental.working import Answered, Found

State = Mapping[str, Any]
# Kept with the conversation: that it was said why the web is not searched.
_TOLD = "dental_search_off_told"


async def search(state: State, turn: TurnContext, step: Step) -> State:
    """Search the web as the code decides (003-17), the bundled notes where that gives nothing; say which (C8)."""
    log, query = StepLog(turn), state.get("query") or state["question"]
    flagged = bool(state.get("red_flag"))
    web: Web | None = state.get("web")
    if web is None and not flagged and wants_web(turn):
        web = await look(turn, query)
    pages = web.outcome.results if web else ()
    quoted = not pages or turn.model.reason_unavailable is not None
    notes = await look_in_notes(turn, query) if quoted else ()
    text = as_text(pages)
    log.flow("6.1", f"Search completed. Results length: {len(text)} characters")
    log.detail("6.1", text)
    found = Found(pages, notes, web.outcome.query if web else "", web.outcome.engine if web else "")
    if not flagged:
        _tell(web, found, turn)
    step.note(_detail(web, found, turn), "rules")
    return {"found": found, "search_results": text, "search_query": found.query}


def _detail(web: Web | None, found: Found, turn: TurnContext) -> str:
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


def _tell(web: Web | None, found: Found, turn: TurnContext) -> None:
    """What was sent, or why nothing came of it and what is used in its place."""
    lang = turn.language
    if web is not None and found.pages:
        key = "notice.cached" if web.outcome.cached else "notice.searched"
        lines = [say(key, lang, engine=found.engine, query=found.query)]
        if web.outcome.left_out:
            lines.append(say("notice.unsafe", lang, count=web.outcome.left_out))
        turn.emit(Notice("info", say("notice.searched_title", lang), " ".join(lines)))
        return
    instead = say("notice.nothing_instead", lang)
    if found.notes:
        day = day_of(max(note.date for note in found.notes), lang)
        instead = say("notice.notes_instead", lang, date=day)
    if web is not None:
        why = explain(web.outcome, lang)
        turn.emit(Notice("warning", say("notice.search_down_title", lang), f"{why} {instead}"))
        return
    if turn.conversation_metadata.get(_TOLD) and found.notes:
        return  # said once in this conversation; the answer itself marks its notes and their dates
    turn.conversation_metadata[_TOLD] = True
    off = turn.services.settings.of(DentalSettings).search == "off"
    why = say("notice.search_off" if off else "notice.search_offline", lang)
    turn.emit(Notice("info", say("notice.search_off_title", lang), f"{why} {instead}"))


async def answer(state: State, turn: TurnContext, step: Step) -> State:
    """Stream the model's answer (003-24) or quote the sources; a red flag is followed by a fitting note only."""
    if state.get("red_flag"):
        answered = await speaking.after_flag(state, turn, step)
    else:
        answered = await speaking.speak(state, turn, step)
    return {"answered": answered}


async def form(state: State, turn: TurnContext, step: Step) -> State:
    """The whole answer as shown and saved: the text, a short disclaimer, the section of sources (003-26, C6)."""
    answered: Answered = state["answered"]
    lang, log = turn.language, StepLog(turn)
    shown = sources.evidence(answered.pages)
    shown = (*shown, *bundled.evidence(answered.notes, lang, len(shown) + 1))
    listed = (*answered.pages, *bundled.as_pages(answered.notes, lang))
    tail = f"\n\n{say('answer.disclaimer', lang)}{sources.section(listed, lang)}"
    turn.say(tail)
    if shown:
        turn.emit(Sources(shown))
    whole = f"{answered.text}{tail}"
    log.flow("8.2", f"Formatted response. Sources: {len(listed)}")
    log.block(FORMATTED, whole)
    step.note(say("step.format", lang, count=len(listed)), "rules")
    plain = [{"number": one.number, "title": one.title, "host": one.where, "url": one.url} for one in shown]
    return {"formatted_response": whole, "sources": plain}
