"""`run_turn`, the only way a message is answered: saves the question, runs the mode's graph, saves the answer."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from troly.conversation.given import Given
from troly.conversation.holdings import data_of
from troly.conversation.language import ACKNOWLEDGED, decide
from troly.conversation.partials import PARTIAL_EVERY, keep_partial, uncancelled
from troly.conversation.question import Question, save_question
from troly.conversation.recorder import Recorder, clean
from troly.conversation.saving import Ending, failure_of, save_ending
from troly.conversation.session import Session
from troly.conversation.trace import Sources, build_trace, parted
from troly.errors import ConfigError, InputError, StoppedError, TrolyError
from troly.plugin.context import TurnContext
from troly.plugin.contract import Mode, Outcome
from troly.plugin.events import (
    Event,
    ModelCalled,
    Say,
    StepFinished,
    StepStarted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    to_json,
)
from troly.recording import TurnRecording, measured, running
from troly.stores.records import dump
from troly.text.catalogue import Lang, tr
from troly.text.fold import nfc

if TYPE_CHECKING:
    from troly.llm.session import ModelSession
    from troly.llm.types import CallRecord

MAX_CHARS = 200_000
STEP_LIMIT = 25
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One message to answer.

    `conversation` None begins a new one. `now` is the turn's clock; `offline` forbids the model; `model` replaces
    the configured chat model for this turn.
    """

    mode: str
    text: str
    conversation: str | None = None
    language: Lang | None = None
    now: datetime | None = None
    offline: bool = False
    model: str | None = None


def run_turn(session: Session, request: TurnRequest) -> Turn:
    """Answer `request` for the session's person; nothing happens until the events are read. Never raises: see `Turn.events`."""
    return Turn(session, request)


class Turn:
    """One running turn. `conversation_id` and `turn_id` are set from TurnStarted on."""

    def __init__(self, session: Session, request: TurnRequest) -> None:
        self._services = session.services
        self._registry = session.registry
        self._profile = session.profile
        self._request = request
        self._queue: asyncio.Queue[Event] = asyncio.Queue()
        self._recorder = Recorder(self._queue.put_nowait)
        self._task: asyncio.Task[None] | None = None
        self._stop_asked = False
        self._began = time.perf_counter()
        self._model: ModelSession | None = None
        self._tape = TurnRecording()
        self._tape.barred = self._services.conversations.is_barred
        self._given: Given | None = None
        first = decide(
            request.text[:MAX_CHARS], self._profile, self._services.settings, chosen=request.language
        )
        self._language: Lang = first.language
        self.conversation_id = request.conversation or ""
        self.turn_id = ""

    async def events(self) -> AsyncIterator[Event]:
        """The turn's events, with exactly one TurnCompleted or TurnFailed, the last one.

        Closing the iterator early stops the turn: what was said is saved and marked as stopped.
        """
        self._task = asyncio.create_task(self._run())
        if self._stop_asked:
            self._cancel(self._task)
        try:
            while True:
                event = await self._queue.get()
                yield event
                if isinstance(event, (TurnCompleted, TurnFailed)):
                    break
        finally:
            self.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def cancel(self) -> None:
        """Stop: the model's connection is closed, what was said stays, the turn ends as stopped."""
        if not self._stop_asked and not self._recorder.ended:
            self._stop_asked = True
            if self._task is not None:
                self._cancel(self._task)

    def _cancel(self, task: asyncio.Task[None]) -> None:
        # After the task's first step: one that is cancelled before it began never runs, and would tell no ending.
        task.get_loop().call_soon(task.cancel)

    async def _run(self) -> None:
        with self._services.memory.during_turn(offline=self._request.offline), running(self._tape):
            await self._answered()

    async def _answered(self) -> None:
        ending: Ending
        said = lambda: (self.turn_id, self._recorder.streamed)  # noqa: E731 (a name would say no more)
        keeper = asyncio.create_task(keep_partial(self._services.conversations, said, PARTIAL_EVERY))
        try:
            ending = await self._answer()
        except asyncio.CancelledError:
            ending = self._failed(StoppedError("turn.stopped"), "stopped")
        except Exception as error:
            log.warning("turn failed", exc_info=error)
            ending = self._failed(error, "failed")
        keeper.cancel()
        await asyncio.gather(keeper, return_exceptions=True)
        await self._end(ending)

    async def _answer(self) -> Ending:
        text = nfc(self._request.text).strip()
        if not text:
            raise InputError("turn.empty")
        if len(text) > MAX_CHARS:
            raise InputError("turn.long", size=len(text), limit=MAX_CHARS)
        mode = await asyncio.to_thread(self._registry.get, self._request.mode)
        context = await self._start(mode, text)
        if not context.text:
            # Another language was asked for and nothing else: that is granted, and no assistant is asked.
            self._recorder.take(StepStarted("language"))
            detail = tr("turn.language.step", context.language)
            self._recorder.take(StepFinished("language", 0.0, "rules", detail))
            outcome = mode.finish(mode.start(context))
            return self._completed(replace(outcome, message_type=ACKNOWLEDGED), context)
        state = await self._through_graph(mode, context)
        return self._completed(mode.finish(state), context)

    async def _through_graph(self, mode: Mode, context: TurnContext) -> Mapping[str, Any]:
        graph = await asyncio.to_thread(self._registry.graph, mode.id)
        from langgraph.errors import GraphRecursionError
        from langsmith import tracing_context

        try:
            with tracing_context(enabled=False):
                state = await graph.ainvoke(
                    mode.start(context), {"recursion_limit": STEP_LIMIT}, context=context
                )
        except GraphRecursionError as error:
            raise TrolyError("turn.steps", mode=mode.id, limit=STEP_LIMIT) from error
        return dict(state or {})  # a graph that keeps no state gives None

    async def _start(self, mode: Mode, text: str) -> TurnContext:
        """Save the question (shielded: once asked, it is kept), then build what the nodes need."""
        saving = asyncio.create_task(asyncio.to_thread(self._save_question, mode, text))
        try:
            question = await asyncio.shield(saving)
        except asyncio.CancelledError:
            await asyncio.gather(saving, return_exceptions=True)
            raise
        self._recorder.take(TurnStarted(text, self._language, self.conversation_id, self.turn_id))
        if (said := question.greeting) is not None:
            self._recorder.take(Say(said.text, said.type, said.metadata))
        if (granted := question.language.acknowledgement) is not None:
            self._recorder.take(Say(granted, ACKNOWLEDGED))
        self._model = await self._open_model(mode)
        given = self._given = await asyncio.to_thread(self._inputs, question)
        context = TurnContext(
            services=self._services,
            mode=mode,
            conversation=question.conversation,
            profile=self._profile,
            text=question.language.rest,
            language=self._language,
            now=given.now,
            history=question.history,
            model=self._model,
            emit=self._recorder.take,
            turn_id=self.turn_id,
            conversation_metadata=dict(given.metadata),
        )
        with suppress(ConfigError):
            # A voice that cannot be used is told once and first, whether or not the answer needs it.
            context.persona()
        return context

    def _save_question(self, mode: Mode, text: str) -> Question:
        question = save_question(self._services, mode, self._profile, self._request, text)
        self._language = question.language.language
        self.conversation_id = question.conversation.id
        self.turn_id = self._tape.turn = question.turn_id
        return question

    def _inputs(self, question: Question) -> Given:
        """All that the turn works from beside its text and history, kept for a replay."""
        asked = self._request
        return Given(
            now=asked.now or self._services.clock(),
            language=self._language,
            profile=self._profile,
            offline=asked.offline,
            model=asked.model,
            metadata=dict(question.conversation.metadata),
            begun=question.greeting is not None,
            data=data_of(self._services),
        )

    async def _open_model(self, mode: Mode) -> ModelSession:
        from troly.llm.session import open_session

        return await open_session(
            self._services.llm,
            partial(self._model_name, mode.id),
            self._services.settings.budget,
            offline=self._request.offline,
            recorder=self._called,
        )

    def _model_name(self, mode: str, role: str) -> str:
        override = self._request.model
        if override and role == "chat":
            return override
        return self._services.settings.models.for_mode(mode, role)

    def _called(self, call: CallRecord) -> None:
        names = {name: getattr(call, name) for name in ModelCalled.__dataclass_fields__}
        self._recorder.take(ModelCalled(**names))

    def _completed(self, outcome: Outcome, context: TurnContext) -> Ending:
        self._language = context.language
        if outcome.text is not None:
            shown = [say.text for say in self._recorder.said if say.message_type != "greeting"]
            text = "\n\n".join([*shown, outcome.text])
        else:
            text = self._recorder.text
        event = TurnCompleted(
            text=text,
            state=outcome.state,
            source=outcome.source or self._recorder.source,
            calls=self._calls(),
            ms=self._ms(),
            message_type=outcome.message_type,
            metadata=outcome.metadata,
        )
        answer = outcome.text if outcome.text is not None else self._recorder.streamed
        return Ending("completed", event, answer, conversation_metadata=context.conversation_metadata)

    def _failed(self, error: Exception, status: Literal["failed", "stopped"]) -> Ending:
        text = failure_of(error, self._request.mode, self._language)
        code = getattr(error, "key", "turn.failed")
        event = TurnFailed(
            text.title, text.message, text.remedy, code, self._recorder.text, self._calls(), self._ms()
        )
        return Ending(status, event, self._recorder.streamed)

    def _calls(self) -> int:
        """How many calls reached a model: where no server answered there was none."""
        return sum(1 for call in self._model.calls if call.model) if self._model else 0

    async def _end(self, ending: Ending) -> None:
        """Save the ending, then tell it: an answer that could not be saved is a failure that keeps its text."""
        if self.turn_id:
            saving = asyncio.to_thread(self._save, ending)
            try:
                await uncancelled(saving)
            except Exception as error:
                log.warning("turn not saved", exc_info=error)
                ending = self._failed(error, "failed")
        self._recorder.take(ending.event)

    def _save(self, ending: Ending) -> None:
        model, end = self._model, to_json(clean(ending.event))
        state = json.loads(dump(dict(ending.event.state))) if isinstance(ending.event, TurnCompleted) else {}
        sources = Sources(
            model.calls if model else (), model.skipped if model else (), self._tape, self._given
        )
        trace, recording = parted(build_trace(self._recorder, sources, end, state))
        save_ending(
            self._services,
            self._profile.login,
            self.conversation_id,
            self.turn_id,
            ending,
            said=[say for say in self._recorder.said if say.message_type != "greeting"],
            trace=trace,
            recording=recording,
            language=self._language,
        )

    def _ms(self) -> float:
        return measured("turn", (time.perf_counter() - self._began) * 1000)
