"""The six nodes: orchestrator, reflection router, permission check, execution, conflicts, answer (004-07 to 004-10, 004-33).

Each takes the state and fills in its part of the `Work` in it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

from troly.errors import StoreError
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice, Progress, Suggestions
from troly.recording import current_time, duration
from troly.retrieval.search.glossary import concepts
from troly.text.everyday import without_pleasantries
from troly.text.language import is_other
from troly_rag.answer.composition import ComposedAnswer, compose
from troly_rag.answer.evidence import SourceEvidence, cards
from troly_rag.answer.output import AnswerContent, Span, Times, final_output
from troly_rag.answer.written import asked_by
from troly_rag.config import RagConfig, load
from troly_rag.conflicts.contradictions import ConflictReport, conflict_card, find_conflicts
from troly_rag.corpus.access import UserContext, user_context
from troly_rag.corpus.coverage import figure_request, question_of
from troly_rag.corpus.search import CorpusSearch
from troly_rag.execution.cache import Cache, TurnCache, cache_scope, digest
from troly_rag.execution.engine import Execution, ExecutionSetup, Reporter, ToolCaller, execute, log_state
from troly_rag.routing.agent_choice import Question, corpus_fits, picker_of
from troly_rag.routing.follow_up import LOGS, SUM, FullQuestion, Pages, pages_shown, show, with_context
from troly_rag.routing.lexicons import spelt_out, tool_words
from troly_rag.routing.plan import LOG, Routing
from troly_rag.routing.questions import adds_up, names_no_act, names_only_day, without_setting
from troly_rag.routing.router import (
    ParsedMessage,
    check_small_talk,
    parse_questions,
    refine,
    route,
    route_with_model,
    with_corpus_fits,
)
from troly_rag.strings import say
from troly_rag.tools.calculator import figures_of
from troly_rag.tools.documents import passages_before, run_search
from troly_rag.tools.interface import ToolInputs
from troly_rag.tools.logs import code_told

State = Mapping[str, Any]
Node = Callable[[State, TurnContext, Step], Awaitable[State]]
LAST = "rag_last_question"
# 0 to 75 % are spread over the steps before the plan (004 C7).
AT_ORCHESTRATOR, AT_ROUTER, AT_PERMISSION = 15.0, 35.0, 60.0
_LONGEST_QUESTION = 600
# So many messages back a question may go on with the figures of, one of a log with what it names.
_BEFORE, _BEFORE_LOGS = 3, 8
# So many messages stand in the output.
_HISTORY = 6


@dataclass(slots=True)
class Work:
    """One question on its way through the nodes, which fill in what stands without a value here."""

    config: RagConfig
    user: UserContext
    routing: Routing
    cache: TurnCache
    began: datetime
    corpora: CorpusSearch
    before: str = ""
    last: str = ""
    permission: Span | None = None
    reporter: Reporter = field(init=False)
    execution: Execution = field(init=False)
    conflicts: ConflictReport = field(init=False)


def orchestrator_of(cache: Cache) -> Node:
    """The first node; what the corpora were found to hold for a question is kept in `cache`."""

    async def orchestrator(_state: State, turn: TurnContext, step: Step) -> State:
        """Small talk is answered at once, a simple question goes straight on, others are reflected on (004-07)."""
        began = current_time("rag.began")
        turn.emit(Progress(say("progress.orchestrator", turn.language), AT_ORCHESTRATOR))
        config = await asyncio.to_thread(load, turn.services.paths)
        user = user_context(turn.profile, config)
        scope = await asyncio.to_thread(cache_scope, turn, user, config)
        limits = config.limits
        turn_cache = TurnCache(cache if limits.enable_caching else None, limits.cache_ttl_seconds, scope)
        corpora = CorpusSearch.of(turn)
        before = str(turn.conversation_metadata.get(LAST, ""))
        has_model = turn.model.reason_unavailable is None
        lang = turn.language
        talk = await asyncio.to_thread(check_small_talk, spelt_out(turn.text, lang))
        if talk.kind is None:
            talk = check_small_talk(without_pleasantries(talk.rest))
        full = FullQuestion("")
        if talk.kind:
            message = ParsedMessage(turn.text, kind=talk.kind)
        else:
            full = await with_context(Pages(turn, corpora, config, user), talk.rest, before)
            message = await asyncio.to_thread(parse_questions, turn.text, full, before, config, lang)
            if not has_model:
                message = await _without_settings(turn, corpora, message, config, user)
            fits = await corpus_fits(turn, corpora, message.questions, config, user)
            message = await asyncio.to_thread(with_corpus_fits, message, fits, config)
        leaned = _said_before(turn) if message.leaned else ""
        message = replace(message, before=leaned)
        draft = await asyncio.to_thread(route, message, config, user.user_access, turn.language, turn.now)
        goes_on = bool(leaned and turn.conversation_metadata.get(SUM))
        if full.reply and not has_model:
            parts = () if full.quoted else draft.parts
            draft = replace(draft, complexity="chitchat", response=full.reply, parts=parts)
        points = bool(full.about) or (full.leaned and full.text == talk.rest.strip())
        points = points or (bool(before) and (names_only_day(talk.rest) or names_no_act(talk.rest)))
        points = points and not full.pointed
        draft = replace(draft, original_query=turn.text, goes_on_with_sum=goes_on, points_back=points)
        work = Work(config, user, draft, turn_cache, began, corpora, leaned, before)
        # What is more than a greeting or thanks may be a matter of work in words that no list holds.
        if draft.is_chitchat and (not has_model or (message.kind != "chat" and not talk.rest)):
            step.note(say("step.weighed", turn.language, kind=draft.complexity, why=""), "rules")
            return _talk(turn, work)
        certain = has_model and await _is_certain(turn, work)
        if has_model and not certain:
            draft = replace(draft, complexity="complex")
        work.routing = replace(draft, certain=certain)
        step.note(say("step.weighed", turn.language, kind=draft.complexity, why=""), "rules")
        return {
            "work": work,
            "route": "reflection_router" if draft.complexity == "complex" else "permission_check",
        }

    return orchestrator


async def reflection_router(state: State, turn: TurnContext, step: Step) -> State:
    """Decides what is asked of whom, with which tools; the model where there is one, small talk too (004-08)."""
    work: Work = state["work"]
    turn.emit(Progress(say("progress.router", turn.language), AT_ROUTER))
    draft, config = work.routing, work.config
    work.routing, source, reason = await work.cache.get_or_make(
        "route",
        [draft.original_query, asked_by(turn, turn.language)],
        lambda: route_with_model(turn, draft, config),
        lambda found: found[1] == "model",
    )
    if source == "model":
        # Its queries are whole: nothing of the questions before is put into them.
        work.before = ""
    if work.routing.is_chitchat or not work.routing.parts:
        step.note(say("step.weighed", turn.language, kind="chitchat", why=reason).strip(" ·"), source)
        return _talk(turn, work)
    if work.routing.remarks:
        turn.emit(Notice("warning", say("remark.title", turn.language), " ".join(work.routing.remarks)))
    agents = ", ".join(f"{part.agent} ({len(part.queries)})" for part in work.routing.parts)
    step.note(say("step.routed", turn.language, agents=agents, why=reason).strip(" ·"), source)
    return {"work": work, "route": "permission_check"}


async def _without_settings(
    turn: TurnContext, corpora: CorpusSearch, message: ParsedMessage, config: RagConfig, user: UserContext
) -> ParsedMessage:
    """The message with its questions alone where no page speaks of how they came about, but one of what is asked."""
    picker, found = picker_of(config), list(message.questions)
    for number, whole in enumerate(message.questions):
        asked = without_setting(whole.text)
        if not asked or figures_of(asked) != figures_of(whole.text):
            continue
        bare = Question(asked, picker.pick(asked))
        of_whole, of_bare = await corpus_fits(turn, corpora, [whole, bare], config, user)
        spoken_of = any(fit.answers or fit.closed for fit in of_whole.values())
        if not spoken_of and any(fit.answers for fit in of_bare.values()):
            found[number] = bare
    refined = refine([one.text for one in found], turn.language)
    changed = tuple(found) != message.questions
    return replace(message, questions=tuple(found), refined=refined) if changed else message


def _said_before(turn: TurnContext) -> str:
    """The last messages of the person, newest first: a question that goes on keeps their figures."""
    said = [one.text for one in turn.history if one.sender == "user"]
    most = _BEFORE_LOGS if turn.focus is not None and turn.focus.kind == LOGS else _BEFORE
    return "\n".join(spelt_out(text, turn.language) for text in said[: -most - 1 : -1])


def _talk(turn: TurnContext, work: Work) -> State:
    """The end of a turn that needs no document (004-18)."""
    routed = current_time("rag.routed")
    work.routing = replace(work.routing, complexity="chitchat")
    response = work.routing.response
    if response == say("chitchat.other", turn.language) or work.routing.parts:
        turn.answered = False
    turn.say(response)
    turn.emit(Progress(say("progress.done", turn.language), 100.0))
    work.execution, work.conflicts = Execution(), ConflictReport()
    found = _output(work, AnswerContent(response), turn, routed)
    return {**found, **_input(turn, work), "routing": work.routing.as_dict(), "route": "__end__"}


async def _is_certain(turn: TurnContext, work: Work) -> bool:
    """Whether no model need be asked: one question that stands on its own, of which one open passage says every word.

    What brings figures of the asker's own, or compares or adds up, is for the model, as is a page in another language.
    """
    weighs = bool(tool_words("compare").find(turn.text)) or adds_up(turn.text)
    if work.routing.complexity != "simple" or weighs or question_of(turn.text).own_figures:
        return False
    (part,) = work.routing.parts
    agent = work.config.agents[part.agent]
    given = ToolInputs(turn, agent, part.queries[0], work.user, work.config, work.corpora)
    try:
        found = await run_search(given)
    except StoreError:
        return False
    return found.covered and not is_other(found.answer, turn.language)


async def permission_check(state: State, turn: TurnContext, step: Step) -> State:
    """Says what the asker may see, before any agent works; every search is held to it (004-33, 004 C4)."""
    work: Work = state["work"]
    began = current_time("rag.routed")
    turn.emit(Progress(say("progress.permission", turn.language), AT_PERMISSION))
    work.user = user_context(turn.profile, work.config)
    work.routing = replace(work.routing, access=work.user.user_access)
    turn.conversation_metadata[LAST] = work.routing.refined_query[:_LONGEST_QUESTION]
    scopes, departments = ", ".join(work.user.scopes), ", ".join(sorted(work.user.accessible_departments))
    step.note(say("step.access", turn.language, scopes=scopes, departments=departments or "-"), "rules")
    work.permission = Span(began, current_time("rag.checked"))
    return {"work": work, "routing": work.routing.as_dict()}


def agent_execution_of(cache: Cache) -> Node:
    """The node that runs the plan; what it finds is kept in `cache`."""

    async def agent_execution(state: State, turn: TurnContext, step: Step) -> State:
        work: Work = state["work"]
        setup = ExecutionSetup(
            work.config.agents,
            work.config.limits,
            ToolCaller(turn, work.user, work.config, work.corpora, work.before, work.routing.computed),
            cache,
            # Tools read the message and what was said before it too.
            (*work.cache.scope, turn.text, work.before, work.routing.computed, code_told(turn)),
            turn.language,
            partial(log_state, turn),
        )
        work.reporter = Reporter(work.routing.tasks, turn.emit, turn.language)
        work.execution = execution = await execute(work.routing, setup, work.reporter)
        done = sum(run.status == "done" for run in execution.runs)
        total, cached = len(execution.runs), execution.cache_hits
        step.note(say("step.executed", turn.language, done=done, total=total, cached=cached), "rules")
        return {"work": work}

    return agent_execution


async def conflict_resolution(state: State, turn: TurnContext, step: Step) -> State:
    """Weighs what contradicts itself, and shows both sides with the rule that decided (004-25)."""
    work: Work = state["work"]
    outputs = work.execution.outputs
    # Only what answers can differ about the question. Each passage once, though several queries found it.
    evidence = {
        digest(one.url, one.section, one.agent, one.text): one
        for output in outputs
        for query in output.queries
        for one in query.found.evidence
        if query.found.covered
    }
    agents = {part.agent for part in work.routing.parts}
    domain = work.config.agents[agents.pop()].domain if len(agents) == 1 else ""
    report = await asyncio.to_thread(find_conflicts, list(evidence.values()), work.config, turn.now, domain)
    work.conflicts = report
    for conflict in report.conflicts:
        turn.emit(conflict_card(conflict, turn.now, turn.language))
    step.note(say("step.settled", turn.language, count=len(report.conflicts), policy=report.policy), "rules")
    return {"work": work}


async def final_response(state: State, turn: TurnContext, step: Step) -> State:
    """Writes the answer, and gives the documented output (004-26 to 004-37)."""
    work: Work = state["work"]
    execution, reporter = work.execution, work.reporter
    reporter.closing("running")
    clock = time.perf_counter()
    results = sorted((run.node_id, run.output_hash, run.error) for run in execution.runs)
    composed = await work.cache.get_or_make(
        "answer",
        [asked_by(turn, turn.language), work.routing.refined_query, results],
        lambda: _composed(turn, work),
        lambda one: one.source == "model" and all(run.status != "failed" for run in execution.runs),
    )
    ms = duration("rag.compose", (time.perf_counter() - clock) * 1000)
    content = composed.content
    turn.answered = composed.answered
    turn.conversation_metadata[SUM] = composed.computed
    # What a log could not be asked leaves nothing to go on with.
    extras = (extra for output in execution.outputs for extra in output.extras)
    read = any(tool == LOG and (one.covered or one.evidence) for tool, one in extras)
    show(turn, work.routing.refined_query, content.evidence, logs_read=read)
    turn.say(content.answer)
    if content.evidence:
        turn.emit(cards(content.evidence, turn.now, turn.language))
    # Where nothing was found, what can be asked here at all.
    if nearest := content.follow_ups or (
        () if content.evidence or composed.answered else turn.mode.first_questions[turn.language]
    ):
        turn.emit(Suggestions(nearest))
    reporter.closing("done", round(ms, 3))
    turn.emit(Progress(say("progress.done", turn.language), 100.0))
    sources = say("step.answered", turn.language, sources=len(content.evidence))
    step.note(f"{sources} · {composed.note}", composed.source)
    routed = work.permission.began if work.permission else work.began
    return {**_output(work, content, turn, routed, ms), **_input(turn, work), "work": work}


async def _composed(turn: TurnContext, work: Work) -> ComposedAnswer:
    """The answer; a model that goes on with a conversation also sees what its last question found."""
    outputs = work.execution.outputs
    earlier: tuple[SourceEvidence, ...] = ()
    agents = {part.agent for part in work.routing.parts} & work.config.agents.keys()
    if turn.model.reason_unavailable is None and work.last and not work.routing.certain:
        seen = [one for output in outputs for query in output.queries for one in query.found.material]
        for name in sorted(agents):
            given = ToolInputs(
                turn, work.config.agents[name], work.last, work.user, work.config, work.corpora
            )
            with suppress(StoreError):
                earlier += await passages_before(given, [*seen, *earlier])
    pages = Pages(turn, work.corpora, work.config, work.user)
    return await compose(
        turn,
        work.routing,
        outputs,
        work.conflicts,
        work.config,
        earlier=earlier,
        last_shown=lambda: pages_shown(pages),
    )


def _input(turn: TurnContext, work: Work) -> dict[str, Any]:
    """What was asked, after which messages, by whom (004-02, 004-03)."""
    past = [one for one in turn.history if one.sender in ("user", "assistant")]
    return {
        "query": turn.text,
        "history_chat": [
            {"role": one.sender, "content": one.text, "timestamp": one.created_at.isoformat()}
            for one in past[-_HISTORY:]
        ],
        "user_context": work.user.as_dict(),
    }


def _output(
    work: Work, content: AnswerContent, turn: TurnContext, routed: datetime, formatter_ms: float | None = None
) -> dict[str, Any]:
    """The documented output of a turn that was routed by `routed`; small talk is formatted from then on."""
    now = current_time("rag.ended")
    spent = Span(routed, now).ms if formatter_ms is None else formatter_ms
    return final_output(
        content,
        routing=work.routing,
        execution=work.execution,
        user=work.user,
        conflicts=work.conflicts,
        times=Times(Span(work.began, routed), work.permission, spent, Span(work.began, now).ms),
        config=work.config,
        now=turn.now,
        lang=turn.language,
    )


def warm() -> None:
    """Learn the examples of small talk, and the words that questions are read by, before the first question comes."""
    check_small_talk("chính sách nghỉ phép")
    figure_request("chính sách nghỉ phép")
    concepts(["chính", "sách", "nghỉ", "phép"], english=False)
