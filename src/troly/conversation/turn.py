"""`run_turn`, the only way a message is answered: saves the question, runs the mode's graph, saves the answer."""

from __future__ import annotations

import asyncio
import json
import logging
import textwrap
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from troly.config.users import Profile
from troly.conversation.greeting import create_conversation
from troly.conversation.language import ACKNOWLEDGED, REQUESTED, LanguageDecision, decide
from troly.conversation.recorder import (
    Recorder,
    TraceSources,
    TurnInputs,
    build_trace,
    clean,
    data_versions,
    split_trace,
    unfinished_replies,
)
from troly.conversation.session import Session
from troly.errors import ConfigError, InputError, ModelError, StoppedError, StoreError, TrolyError
from troly.plugin.context import TurnContext, Voice, read_voice
from troly.plugin.contract import Mode, Outcome
from troly.plugin.events import (
    Event,
    Handoff,
    ModelCalled,
    ModelLoading,
    Notice,
    Say,
    StepFinished,
    StepStarted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    to_json,
)
from troly.plugin.services import Services
from troly.recording import TurnRecording, duration, running
from troly.stores.handovers import Handovers
from troly.stores.records import Conversation, NewMessage, StoredMessage, dump
from troly.text.catalogue import LANGS, Lang, tr
from troly.text.fold import nfc
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from troly.llm.session import ModelSession
    from troly.llm.types import CallRecord

# Characters of one message.
MAX_CHARS = 200_000
TITLE_CHARS = 60
# Type of the message that a turn ends with where a colleague answers the conversation.
COLLEAGUE = "colleague"
# Messages of a conversation that an assistant is given.
HISTORY = 40
STEP_LIMIT = 25
TOO_LONG = "ollama.refused_length"
# Characters by which the end of a reply is found in the answer.
CUT_TAIL = 40
# Seconds.
PARTIAL_EVERY = 2.0
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One message to answer.

    `conversation` None begins a new one. `now` is the turn's clock; `offline` forbids the model; `model` replaces
    the configured chat model for this turn, `guard_model` the one that judges what may be asked (003-04). `continues` is the id of a turn whose unfinished answer to `text` goes on:
    it runs again with what models had written, and its answer takes the place of the unfinished one.
    """

    mode: str
    text: str
    conversation: str | None = None
    language: Lang | None = None
    now: datetime | None = None
    offline: bool = False
    model: str | None = None
    guard_model: str | None = None
    continues: str = ""


@dataclass(frozen=True, slots=True)
class SavedQuestion:
    """A saved question: `history` is what was said before it; `greeting` is there when it began the conversation.

    `unfinished` are replies to it that were cut off, by task; `voice` the assistant's, where it was read to greet;
    `colleague` who of the staff took the conversation, so that the assistant is silent in it.
    """

    turn_id: str
    conversation: Conversation
    history: tuple[StoredMessage, ...]
    greeting: StoredMessage | None
    language: LanguageDecision
    unfinished: Mapping[str, str] = field(default_factory=dict)
    voice: Voice | None = None
    colleague: str = ""


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """How a turn ends: its status in the store, its terminal event, and the answer's text without short messages."""

    status: Literal["completed", "failed", "stopped", "interrupted"]
    event: TurnCompleted | TurnFailed
    answer: str
    conversation_metadata: Mapping[str, Any] | None = None


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
        self._stop_status: Literal["stopped", "interrupted"] = "stopped"
        self._began = time.perf_counter()
        self._model: ModelSession | None = None
        self._recording = TurnRecording()
        self._recording.excluded = self._services.conversations.is_excluded
        self._given: TurnInputs | None = None
        self._warned: set[str] = set()
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

    def cancel(self, status: Literal["stopped", "interrupted"] = "stopped") -> None:
        """Stop: the model's connection is closed, what was said stays, the turn ends as stopped.

        `interrupted` says that not the person but the end of the program stopped it.
        """
        if not self._stop_asked and not self._recorder.ended:
            self._stop_asked = True
            self._stop_status = status
            if self._task is not None:
                self._cancel(self._task)

    def _cancel(self, task: asyncio.Task[None]) -> None:
        # After the task's first step: one that is cancelled before it began never runs, and would tell no ending.
        task.get_loop().call_soon(task.cancel)

    async def _run(self) -> None:
        keepers: list[asyncio.Task[None]] = []
        with self._services.memory.during_turn(offline=self._request.offline), running(self._recording):
            # Most answers are whole by then, and need no task that keeps parts of them.
            begin = asyncio.get_running_loop().call_later(
                PARTIAL_EVERY, lambda: keepers.append(asyncio.create_task(self._save_partials()))
            )
            try:
                ending = await self._answer()
            except asyncio.CancelledError:
                ending = self._failed(StoppedError(f"turn.{self._stop_status}"), self._stop_status)
            except Exception as error:
                log.warning("turn failed", exc_info=error)
                ending = self._failed(error, "failed")
            begin.cancel()
            for keeper in keepers:
                keeper.cancel()
            await asyncio.gather(*keepers, return_exceptions=True)
            await self._end(ending)
            if self._services.settings.chroma.sync and not self._request.offline:
                try:
                    await self._services.memory.embed_messages()
                except TrolyError as error:
                    log.info("memory waits: %s", error.key)

    async def _save_partials(self) -> None:
        """Keep what was said so far every few seconds: a crash of the program must not lose a long answer."""
        kept = ""
        while True:
            text = self._recorder.streamed
            try:
                if self.turn_id and text != kept:
                    save = self._services.conversations.save_partial
                    await asyncio.to_thread(save, self._profile.login, self.turn_id, text)
                    kept = text
            except StoreError as error:
                # A store that is busy now may take the next one.
                log.warning("partial answer not saved", exc_info=error)
            await asyncio.sleep(PARTIAL_EVERY)

    async def _answer(self) -> TurnEnd:
        text = nfc(self._request.text).strip()
        if not text:
            raise InputError("turn.empty")
        if len(text) > MAX_CHARS:
            raise InputError("turn.long", size=len(text), limit=MAX_CHARS)
        mode = self._registry.get(self._request.mode)
        context = await self._start(mode, text)
        colleague = self._given.colleague if self._given else ""
        if colleague:
            self._recorder.take(Say(tr("turn.colleague.said", context.language, name=colleague), COLLEAGUE))
            return self._without_assistant(mode, context, COLLEAGUE)
        if not context.text:
            # Another language was asked for and nothing else: that is granted.
            return self._without_assistant(mode, context, ACKNOWLEDGED)
        state = await self._through_graph(mode, context)
        return self._completed(mode.finish(state), context)

    def _without_assistant(self, mode: Mode, context: TurnContext, message_type: str) -> TurnEnd:
        """The end of a turn that says what was said so far, and asks no assistant; `message_type` says why."""
        step = "language" if message_type == ACKNOWLEDGED else message_type
        self._recorder.take(StepStarted(step))
        self._recorder.take(StepFinished(step, 0.0, "rules", tr(f"turn.{step}.step", context.language)))
        outcome = mode.finish(mode.start(context))
        return self._completed(replace(outcome, message_type=message_type), context)

    async def _through_graph(self, mode: Mode, context: TurnContext) -> Mapping[str, Any]:
        graph = self._registry.built(mode.id)
        if graph is None:
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
        saving = asyncio.create_task(asyncio.to_thread(self._begin, mode, text))
        try:
            question, given, voice = await asyncio.shield(saving)
        except asyncio.CancelledError:
            await asyncio.gather(saving, return_exceptions=True)
            raise
        self._recorder.take(TurnStarted(text, self._language, self.conversation_id, self.turn_id))
        if (said := question.greeting) is not None:
            self._recorder.take(Say(said.text, said.type, said.metadata))
        if (granted := question.language.acknowledgement) is not None:
            self._recorder.take(Say(granted, ACKNOWLEDGED))
        self._model = await self._open_model(mode, question)
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
            others=self._registry,
            voices={} if voice is None else {self._language: voice},
        )
        if voice is not None:
            # One that cannot be used is told once and first, whether or not the answer needs it.
            context.persona()
        return context

    def _begin(self, mode: Mode, text: str) -> tuple[SavedQuestion, TurnInputs, Voice | None]:
        """All that blocks before the nodes run, on one thread."""
        question = self._save_question(mode, text)
        asked = self._request
        # All that the turn works from beside its text and history, kept for a replay.
        given = self._given = TurnInputs(
            now=asked.now or self._services.clock(),
            language=self._language,
            profile=self._profile,
            offline=asked.offline,
            model=asked.model,
            metadata=dict(question.conversation.metadata),
            begun=question.greeting is not None,
            data=data_versions(self._services),
            unfinished=question.unfinished,
            colleague=question.colleague,
        )
        return question, given, question.voice or voice_of(self._services, mode, self._language)

    def _save_question(self, mode: Mode, text: str) -> SavedQuestion:
        if self._request.continues:
            question, recorded = reopen_question(self._services, self._profile, self._request)
            self._recording.resume(recorded.get("recording") or {})
        else:
            # One transaction: a question is there whole, with the conversation that it begins, or not at all.
            with self._services.state.write(self._profile.login):
                question = save_question(self._services, mode, self._profile, self._request, text)
        self._language = question.language.language
        self.conversation_id = question.conversation.id
        self.turn_id = self._recording.turn = question.turn_id
        return question

    async def _open_model(self, mode: Mode, question: SavedQuestion) -> ModelSession:
        from troly.llm.session import Budget, ModelSession

        budget = self._services.settings.budget
        session = ModelSession(
            self._services.llm,
            partial(self._model_name, mode.id),
            Budget(budget.calls, budget.seconds),
            offline=self._request.offline,
            recorder=self._called,
            on_loading=lambda model, ahead: self._recorder.take(ModelLoading(model, ahead)),
            unfinished=question.unfinished,
            go_on=tr("turn.go_on", self._language),
            conversation=question.conversation.id,
            user=self._profile.login,
        )
        await session.look()
        return session

    def _model_name(self, mode: str, role: str) -> str:
        override = {"chat": self._request.model, "guard": self._request.guard_model}.get(role)
        if override:
            return override
        return self._services.settings.models.for_mode(mode, role)

    def _called(self, call: CallRecord) -> None:
        names = {name: getattr(call, name) for name in ModelCalled.__dataclass_fields__}
        self._recorder.take(ModelCalled(**names))
        if call.wanted:
            self._warn("substituted", model=call.wanted, other=call.model)
        if call.prompt_lost:
            self._warn("prompt_lost", model=call.model, read=call.prompt_tokens, sent=call.estimated)
        if call.error == TOO_LONG:  # the rules may answer, but there is a remedy
            told = ModelError(call.error, **call.error_params).render(self._language)
            self._recorder.take(Notice("warning", told.title, told.message, told.remedy))

    def _warn(self, what: str, **values: object) -> None:
        """Tell something of the model that the person should know, once a turn."""
        if what not in self._warned:
            self._warned.add(what)
            parts = (
                tr(f"turn.{what}.{part}", self._language, **values) for part in ("title", "message", "remedy")
            )
            self._recorder.take(Notice("warning", *parts))

    def _completed(self, outcome: Outcome, context: TurnContext) -> TurnEnd:
        self._language = context.language
        metadata = outcome.metadata
        if context.answered is not None:
            metadata = {**metadata, "answered": context.answered}
        if outcome.text is not None:
            shown = [say.text for say in self._recorder.said if say.message_type != "greeting"]
            text = "\n\n".join([*shown, outcome.text])
        else:
            text = self._recorder.text
        # Whether the answer ends, or goes on with what code adds, where a model had reached its limit.
        calls = self._model.calls if self._model else ()
        replies = (call.reply.strip() for call in calls if call.finish == "length" and call.kind != "decide")
        if any(reply and reply[-CUT_TAIL:] in text for reply in replies):
            metadata = {**metadata, "cut": True}
            self._warn("cut")
        event = TurnCompleted(
            text=text,
            state=outcome.state,
            source=outcome.source or self._recorder.source,
            calls=self._calls(),
            ms=self._ms(),
            message_type=outcome.message_type,
            metadata=metadata,
        )
        answer = outcome.text if outcome.text is not None else self._recorder.streamed
        return TurnEnd("completed", event, answer, conversation_metadata=context.conversation_metadata)

    def _failed(self, error: Exception, status: Literal["failed", "stopped", "interrupted"]) -> TurnEnd:
        if isinstance(error, TrolyError):
            text = error.render(self._language)
        else:
            reason = sanitize(f"{type(error).__name__}: {error}", keep_newlines=False)[:300]
            text = TrolyError("turn.failed", mode=self._request.mode, reason=reason).render(self._language)
        code = getattr(error, "key", "turn.failed")
        event = TurnFailed(
            text.title, text.message, text.remedy, code, self._recorder.text, self._calls(), self._ms()
        )
        return TurnEnd(status, event, self._recorder.streamed)

    def _calls(self) -> int:
        """How many chat calls reached a model: where no server answered there was none."""
        calls = self._model.calls if self._model else ()
        return sum(bool(call.model) and call.kind != "embed" for call in calls)

    async def _end(self, ending: TurnEnd) -> None:
        """Save the ending, then tell it: an answer that could not be saved is a failure that keeps its text."""
        if self.turn_id:
            saving = asyncio.to_thread(self._save, ending)
            try:
                await wait_uncancelled(saving)
            except Exception as error:
                log.warning("turn not saved", exc_info=error)
                ending = self._failed(error, "failed")
        self._recorder.take(ending.event)

    def _save(self, ending: TurnEnd) -> None:
        """Save messages, state, trace and status; then the conversation's language and metadata. Raises StoreError."""
        model, event, conversations = self._model, ending.event, self._services.conversations
        good = event if isinstance(event, TurnCompleted) else None
        state = json.loads(dump(dict(good.state))) if good else {}
        sources = TraceSources(
            model.calls if model else (), model.skipped if model else (), self._recording, self._given
        )
        trace, recording = split_trace(build_trace(self._recorder, sources, to_json(clean(event)), state))
        said = [say for say in self._recorder.said if say.message_type != "greeting"]
        messages = [NewMessage("assistant", say.text, say.message_type, dict(say.metadata)) for say in said]
        error = None
        if isinstance(event, TurnFailed):
            kept = "interrupted" if ending.status == "interrupted" else "complete"
            answer = NewMessage("assistant", ending.answer, ending.status, {"code": event.code}, kept)
            error = {name: getattr(event, name) for name in ("title", "message", "remedy", "code")}
        else:
            answer = NewMessage("assistant", ending.answer, event.message_type, dict(event.metadata))
        if ending.answer:
            messages.append(answer)
        owner, metadata = self._profile.login, ending.conversation_metadata
        with self._services.state.write(owner):
            conversations.finish_turn(
                owner,
                self.turn_id,
                status=ending.status,
                messages=messages,
                source=good.source if good else None,
                calls=event.calls,
                ms=event.ms,
                state=dict(good.state) if good else {},
                trace=trace,
                recording=recording,
                error=error,
            )
            saved = dict(metadata) if metadata else None
            conversations.update(owner, self.conversation_id, language=self._language, metadata=saved)
            for card in self._recorder.content:
                if card["event"] == Handoff.__name__:
                    Handovers(conversations).add(self.conversation_id, card["reason"], card["code"])

    def _ms(self) -> float:
        return duration("turn", (time.perf_counter() - self._began) * 1000)


def save_question(
    services: Services, mode: Mode, profile: Profile, request: TurnRequest, text: str
) -> SavedQuestion:
    """Save `text` as the next question of its conversation, which is begun and named first where it is new.

    Raises AccessError for somebody else's conversation, StoreError when it cannot be saved.
    """
    store, owner, greeting, voice = services.conversations, profile.login, None, None
    settings, chosen, colleague = services.settings, request.language, ""
    if request.conversation is None:
        decision = decide(text, profile, settings, chosen=chosen)
        language, title = decision.language, title_of(text)
        voice = voice_of(services, mode, language)
        conversation, said = create_conversation(services, mode, profile, language, title, voice=voice)
        greeting = said[0] if said else None
        history = tuple(said)
    else:
        conversation = store.get(owner, request.conversation)
        history = tuple(store.messages(owner, conversation.id, limit=HISTORY))
        metadata, spoken = conversation.metadata, _spoken(conversation, history)
        decision = decide(text, profile, settings, chosen=chosen, spoken=spoken, metadata=metadata)
        colleague = Handovers(store).colleague(owner, conversation.id)
    turn_id = store.begin_turn(owner, conversation.id, text).id
    if not conversation.title:
        store.update(owner, conversation.id, title=title_of(text))
    if decision.acknowledgement is not None:
        # Kept at once: it is obeyed also when this turn fails.
        metadata = {**conversation.metadata, REQUESTED: decision.language}
        conversation = store.update(owner, conversation.id, metadata=metadata)
    return SavedQuestion(turn_id, conversation, history, greeting, decision, voice=voice, colleague=colleague)


def voice_of(services: Services, mode: Mode, language: Lang) -> Voice | None:
    """The voice of `mode`; None where there is not even one that ships."""
    try:
        return read_voice(services.personas, mode, language)
    except ConfigError:
        return None


def reopen_question(
    services: Services, profile: Profile, request: TurnRequest
) -> tuple[SavedQuestion, Mapping[str, Any]]:
    """The question of the turn that `request` continues, which runs again, and what it recorded. Raises AccessError, StoreError."""
    store, owner = services.conversations, profile.login
    recording = store.recording(owner, request.continues)
    turn = store.reopen_turn(owner, request.continues)
    question = store.message(owner, turn.question_message_id)
    conversation = store.get(owner, turn.conversation_id)
    history = tuple(store.messages(owner, conversation.id, limit=HISTORY, before=question.id))
    decision = decide(
        question.text,
        profile,
        services.settings,
        chosen=request.language,
        spoken=_spoken(conversation, history),
        metadata=conversation.metadata,
    )
    decision = replace(decision, acknowledgement=None)
    unfinished = unfinished_replies(recording)
    return SavedQuestion(turn.id, conversation, history, None, decision, unfinished), recording


def title_of(text: str) -> str:
    """The name of a conversation, from its first question: one line of at most TITLE_CHARS characters."""
    line = sanitize(text, keep_newlines=False)
    return textwrap.shorten(line, TITLE_CHARS, placeholder="…") or line[:TITLE_CHARS]


def _spoken(conversation: Conversation, history: tuple[StoredMessage, ...]) -> Lang | None:
    """The language of a conversation that somebody has spoken in; read off the first user message (000-15)."""
    begun = any(message.sender == "user" for message in history)
    return next((lang for lang in LANGS if begun and lang == conversation.language), None)


async def wait_uncancelled(work: Any) -> None:
    """Wait for `work` to its end even if this task is cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.done():
                break
    task.result()
