"""The first three nodes: orchestrator, reflection router, permission check (004-07, 004-08, 004-33)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice, Progress
from troly.recording import moment
from troly_rag.access import user_context
from troly_rag.config import load
from troly_rag.execution.cache import Cache
from troly_rag.execution.calling import depends_on
from troly_rag.final_talk import talk_output
from troly_rag.probing import probe
from troly_rag.routing import Reading, Routing, read, route, weighed
from troly_rag.routing.asking_model import reflect, weigh
from troly_rag.routing.talking import reply
from troly_rag.state import Memory, Work
from troly_rag.strings import say

State = Mapping[str, Any]
Node = Callable[[State, TurnContext, Step], Awaitable[State]]
LAST = "rag_last_question"
# 0 to 75 % are spread over the steps before the plan (004 C7).
AT_ORCHESTRATOR, AT_ROUTER, AT_PERMISSION = 15.0, 35.0, 60.0
_KEPT = 600


def orchestrating(cache: Cache) -> Node:
    """The first node; what the corpora were found to hold for a question is kept in `cache`."""

    async def orchestrator(_state: State, turn: TurnContext, step: Step) -> State:
        return await _orchestrate(cache, turn, step)

    return orchestrator


async def _orchestrate(cache: Cache, turn: TurnContext, step: Step) -> State:
    """Weighs the message: small talk is answered at once, a simple question goes straight on, others are reflected on."""
    began = moment("rag.began")
    turn.emit(Progress(say("progress.orchestrator", turn.language), AT_ORCHESTRATOR))
    config = await asyncio.to_thread(load, turn.services.paths)
    user = user_context(turn.profile, config)
    before = str(turn.conversation_metadata.get(LAST, ""))
    reading = await asyncio.to_thread(read, turn.text, before, config, turn.language)
    if not reading.kind:
        held = await probe(turn, reading.questions, config, user, cache)
        reading = await asyncio.to_thread(weighed, reading, held, config)
    draft = await asyncio.to_thread(_drafted, turn, reading, config, user.user_access)
    scope = await asyncio.to_thread(depends_on, turn, user, config)
    memory = Memory(cache if config.limits.enable_caching else None, config.limits.cache_ttl_seconds, scope)
    draft = await _weighed(turn, reading, draft, step, memory)
    work = Work(config, user, reading, draft, memory=memory, began=began)
    if draft.is_chitchat:
        return _answered(turn, work)
    return {
        "work": work,
        "route": "reflection_router" if draft.complexity == "complex" else "permission_check",
    }


async def reflection_router(state: State, turn: TurnContext, step: Step) -> State:
    """Decides who is asked what, with which tools, in which order; the model where there is one."""
    work: Work = state["work"]
    turn.emit(Progress(say("progress.router", turn.language), AT_ROUTER))
    draft, config = work.routing, work.config
    work.routing, source, reason = await work.memory.of(
        "route", draft, lambda: reflect(turn, draft, config), lambda found: found[1] == "model"
    )
    if work.routing.remarks:
        turn.emit(Notice("warning", say("remark.title", turn.language), " ".join(work.routing.remarks)))
    agents = ", ".join(f"{part.agent} ({len(part.queries)})" for part in work.routing.parts)
    step.note(say("step.routed", turn.language, agents=agents, why=reason).strip(" ·"), source)
    return {"work": work}


async def permission_check(state: State, turn: TurnContext, step: Step) -> State:
    """Says what the asker may see, before any agent works; every search is held to it (004-33, 004 C4)."""
    work: Work = state["work"]
    work.routed = began = moment("rag.routed")
    turn.emit(Progress(say("progress.permission", turn.language), AT_PERMISSION))
    work.user = user_context(turn.profile, work.config)
    work.routing = replace(work.routing, access=work.user.user_access)
    turn.conversation_metadata[LAST] = work.routing.refined_query[:_KEPT]
    scopes, departments = ", ".join(work.user.scopes), ", ".join(sorted(work.user.accessible_departments))
    step.note(say("step.access", turn.language, scopes=scopes, departments=departments or "-"), "rules")
    work.checked = (began, moment("rag.checked"))
    return {"work": work, "routing": work.routing.as_dict()}


def _drafted(turn: TurnContext, reading: Reading, config: Any, access: tuple[str, ...]) -> Routing:
    return route(reading, config, access, turn.language, turn.now)


async def _weighed(
    turn: TurnContext, reading: Reading, draft: Routing, step: Step, memory: Memory
) -> Routing:
    """The rules where they are sure, else the model's view of how hard it is."""
    lang = turn.language
    if reading.sure or turn.model.reason_unavailable is not None:
        why = turn.model.reason_unavailable or ""
        step.note(say("step.weighed", lang, kind=draft.complexity, why=why).strip(" ·"), "rules")
        return draft
    found, source, reason = await memory.of(
        "weigh", draft, lambda: weigh(turn, reading, draft), lambda found: found[1] == "model"
    )
    if found.is_chitchat and not reading.kind and draft.complexity == "simple":
        draft = Routing(reading.original, complexity="chitchat", response=reply("greeting", lang))
    elif found.complexity == "complex" and not (found.is_chitchat or draft.is_chitchat):
        # What the rules see of several parts stays: a model can only add reflection.
        draft = replace(draft, complexity="complex")
    step.note(say("step.weighed", lang, kind=draft.complexity, why=reason).strip(" ·"), source)
    return draft


def _answered(turn: TurnContext, work: Work) -> State:
    """Small talk is answered here (004-18)."""
    turn.say(work.routing.response)
    turn.emit(Progress(say("progress.done", turn.language), 100.0))
    return {**talk_output(work.routing, work.user, work.began, turn.language), "route": "__end__"}
