"""Running answers: each is written to its end whether or not somebody reads, and can be read again from any event on."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from troly.conversation.recorder import event_lines
from troly.conversation.turn import Turn, TurnRequest, run_turn
from troly.errors import AccessError, InputError, StoreError, TrolyError
from troly.plugin.events import Event, ModelLoading, Token, TurnCompleted, TurnFailed, from_json
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from troly.conversation.session import Session
    from troly.plugin.sample_loading import SampleLoader
    from troly.server.access import Caller
    from troly.server.metrics import Metrics
    from troly.stores.records import StoredTurn

# Seconds after which a finished answer is read from the store again.
KEPT = 60.0
# Seconds between signs of life in a stream where nothing happens.
BEAT = 15.0
# Seconds after which a conversation is looked at again: other processes write to the same store.
LOOK = 2.0
log = logging.getLogger(__name__)


class BusyError(TrolyError):
    """The server cannot take another question now; a client may try again."""


class TooSlowError(Exception):
    """A reader fell too far behind; `last` is the number of the last event it was given."""

    def __init__(self, last: int) -> None:
        super().__init__(last)
        self.last = last


class TurnStream:
    """The events of one turn from the first on, numbered from 1, for any number of readers; its terminal event ends it.

    ModelLoading is of the moment only: it has no number and is not kept.
    """

    def __init__(self, turn: Turn, owner: str, mode: str, queue: int) -> None:
        self.turn = turn
        self.owner = owner
        self.mode = mode
        self.events: list[Event] = []
        self.ended_at: float | None = None
        self.loading: ModelLoading | None = None
        self._queue = queue
        self._waiting: set[asyncio.Event] = set()

    @property
    def ended(self) -> bool:
        """Whether the terminal event is there."""
        return self.ended_at is not None

    @property
    def readers(self) -> int:
        """How many read it now."""
        return len(self._waiting)

    def put(self, event: Event) -> None:
        """Add one event and wake the readers."""
        if isinstance(event, ModelLoading):
            self.loading = event
        else:
            self.events.append(event)
            if isinstance(event, (TurnCompleted, TurnFailed)):
                self.ended_at = time.monotonic()
        for one in self._waiting:
            one.set()

    def beat(self) -> None:
        """Wake the readers so that they can show a sign of life."""
        for one in self._waiting:
            one.set()

    def _loading_since(self, seen: ModelLoading | None) -> ModelLoading | None:
        """That a model is being loaded, unless it is what the reader has seen."""
        return None if self.loading is seen else self.loading

    def _goes_on(self, at: int, seen: ModelLoading | None) -> bool:
        """Whether there is something for a reader that has had `at` events."""
        return at < len(self.events) or self.ended or self._loading_since(seen) is not None

    async def whole(self) -> list[Event]:
        """All events, once the turn has ended."""
        wake = asyncio.Event()
        self._waiting.add(wake)
        try:
            while not self.ended:
                await wake.wait()
                wake.clear()
        finally:
            self._waiting.discard(wake)
        return list(self.events)

    async def read(self, after: int = 0) -> AsyncGenerator[tuple[int, list[Event]]]:
        """Batches of events after number `after`, each with the number of its first one; an empty batch is a beat.

        A reader is only a place in the list: one that is slow holds nobody and costs nothing. One that has caught up
        once and then falls further behind than the queue gets TooSlowError; it can come again from its last event on.
        """
        wake = asyncio.Event()
        self._waiting.add(wake)
        at, events = min(max(0, after), len(self.events)), self.events
        known = len(events)
        loading: ModelLoading | None = None
        try:
            while True:
                wake.clear()
                if at < len(events):
                    if at >= known and len(events) - at > self._queue:
                        raise TooSlowError(at)
                    batch = events[at : at + self._queue]
                    at += len(batch)
                    yield at - len(batch) + 1, batch
                elif self.ended:
                    return
                elif news := self._loading_since(loading):
                    loading = news
                    yield 0, [news]
                else:
                    await wake.wait()
                    if not self._goes_on(at, loading):
                        yield 0, []
        finally:
            self._waiting.discard(wake)


@dataclass(frozen=True, slots=True)
class SavedStream:
    """A turn that ended, read from the store: the same events under the same numbers."""

    events: tuple[Event, ...]
    mode: str
    owner: str

    async def whole(self) -> list[Event]:
        """All events."""
        return list(self.events)

    async def read(self, after: int = 0) -> AsyncGenerator[tuple[int, list[Event]]]:
        """All events after number `after`, as `TurnStream.read`."""
        if rest := list(self.events[max(0, after) :]):
            yield max(0, after) + 1, rest


@dataclass(frozen=True, slots=True)
class ElsewhereStream:
    """A turn that another process on the same store writes: its events come all at once, when it has ended."""

    again: Callable[[], SavedStream | ElsewhereStream]
    mode: str

    async def whole(self) -> list[Event]:
        """All events, once the turn has ended."""
        return [event async for _, batch in self.read() for event in batch]

    async def read(self, after: int = 0) -> AsyncGenerator[tuple[int, list[Event]]]:
        """All events after number `after`, as `TurnStream.read`; beats until then."""
        found: SavedStream | ElsewhereStream = self
        while isinstance(found, ElsewhereStream):
            yield 0, []
            await asyncio.sleep(LOOK)
            found = await asyncio.to_thread(self.again)
        async for batch in found.read(after):
            yield batch


AnyStream = TurnStream | SavedStream | ElsewhereStream


class TurnHub:
    """All running turns of the server. One conversation answers one question at a time."""

    def __init__(self, session: Session, samples: SampleLoader, metrics: Metrics) -> None:
        self._session = session
        self._samples = samples
        self._metrics = metrics
        self._limits = session.services.settings.server
        self._streams: dict[str, TurnStream] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy: set[str] = set()
        self._ready: dict[str, asyncio.Task[None]] = {}
        self._changed: dict[str, set[asyncio.Event]] = {}
        self._unwritten: set[str] = set()
        self._beating: asyncio.Task[None] | None = None
        self.draining = self.preparing = False

    @property
    def running(self) -> int:
        """How many answers are being written."""
        return len(self._tasks)

    @property
    def readers(self) -> int:
        """How many streams are open."""
        return sum(stream.readers for stream in self._streams.values())

    def begin(self) -> None:
        """Start what goes on beside the answers."""
        self._beating = asyncio.create_task(self._beat())

    async def ask(self, caller: Caller, request: TurnRequest) -> TurnStream:
        """Save the question and begin to answer it; both are done when this returns.

        Raises BusyError (too many, draining, this conversation is being answered), AccessError `server.mode`, and what a
        turn fails with before its question is saved: InputError, AccessError, ConfigError, StoreError.
        """
        profile = caller.profile
        if self.draining:
            raise BusyError("server.draining")
        if len(self._tasks) >= self._limits.turns:
            raise BusyError("server.full", limit=self._limits.turns)
        held = request.conversation
        if held is not None and held in self._busy:
            raise BusyError("server.busy")
        if held is not None:
            self._busy.add(held)
        try:
            session = replace(self._session, profile=profile)
            if held is not None:
                # A wrong id is refused before anything begins; the store looks again when it saves.
                found = await asyncio.to_thread(session.services.conversations.get, profile.login, held)
                request = replace(request, mode=found.mode)
            caller.require(request.mode)
            await self._has_samples(self._session.registry.get(request.mode).id)
            turn = run_turn(session, request)
            stream = TurnStream(turn, profile.login, request.mode, self._limits.queue)
            begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            task = asyncio.create_task(self._answer(stream, begun, held))
        except BaseException:
            self._busy.discard(held or "")
            raise
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # The answer goes on when who asked has left.
        await asyncio.shield(begun)
        first = stream.events[0]
        if isinstance(first, TurnFailed):
            raise _refusal(first)
        return stream

    async def _answer(self, stream: TurnStream, begun: asyncio.Future[None], held: str | None) -> None:
        turn, watch = stream.turn, self._metrics.watch(stream.mode)
        conversation = held
        try:
            async for event in turn.events():
                if not stream.events and not isinstance(event, ModelLoading):
                    if turn.turn_id:
                        self._streams[turn.turn_id] = stream
                    conversation = turn.conversation_id or held
                    self._busy.add(conversation or "")
                if isinstance(event, (TurnCompleted, TurnFailed)):
                    # The conversation is free before its reader knows that the answer is whole.
                    self._busy.discard(conversation or "")
                stream.put(event)
                watch(event)
                if not begun.done() and stream.events:
                    begun.set_result(None)
        finally:
            self._busy.discard(conversation or "")
            if not begun.done():
                begun.set_exception(StoreError("server.lost"))
            if conversation:
                self.changed(conversation)

    async def _has_samples(self, mode: str) -> None:
        """Wait until the samples of `mode` are there; they are loaded by a process of their own, once."""
        if mode not in self._ready:
            self._ready[mode] = asyncio.create_task(self._prepare(mode))
        await asyncio.shield(self._ready[mode])

    async def _prepare(self, mode: str) -> None:
        def work() -> None:
            found = self._session.registry.get(mode)
            if found.samples is not None and mode in self._samples.lacking():
                self._samples.stock(mode, "vi")
            self._session.registry.graph(mode)
            found.warm()

        try:
            await asyncio.to_thread(work)
        except Exception as error:
            log.warning("assistant not prepared", exc_info=error)

    async def prepare(self, modes: Iterable[str]) -> None:
        """Load samples and graphs of `modes`, one after another, before somebody asks."""
        self.preparing = True
        for mode in modes:
            await self._has_samples(mode)
        # What is loaded now stays to the end: a full collection that walks it all would halt every stream for half a second.
        gc.collect()
        gc.freeze()
        self.preparing = False

    async def find(self, owner: str, turn_id: str) -> AnyStream:
        """The stream of the owner's turn, running or ended. Raises AccessError `store.not_yours`."""
        stream = self._streams.get(turn_id)
        if stream is not None:
            if stream.owner != owner:
                raise AccessError("store.not_yours")
            return stream
        return await asyncio.to_thread(self._saved, owner, turn_id)

    def _saved(self, owner: str, turn_id: str) -> SavedStream | ElsewhereStream:
        """A turn that has ended, or that another process writes. Raises AccessError."""
        conversations = self._session.services.conversations
        turn = conversations.turn(owner, turn_id)
        lines = event_lines(conversations.recording(owner, turn_id), turn.state)
        if lines is not None:
            with suppress(ValueError):
                return SavedStream(tuple(from_json(line) for line in lines), turn.mode, owner)
        if turn.status == "running":
            return ElsewhereStream(partial(self._saved, owner, turn_id), turn.mode)
        return SavedStream((self._ending(owner, turn),), turn.mode, owner)

    def _ending(self, owner: str, turn: StoredTurn) -> TurnFailed:
        """The end of a turn that a crash cut off: nothing but its text was kept."""
        messages = self._session.services.conversations.messages(owner, turn.conversation_id)
        said = [one.text for one in messages if one.turn_id == turn.id and one.sender == "assistant"]
        text = TrolyError(f"turn.{turn.status}").render("vi")
        return TurnFailed(text.title, text.message, text.remedy, f"turn.{turn.status}", "\n\n".join(said))

    async def cancel(self, owner: str, turn_id: str) -> bool:
        """Stop the owner's turn; False where it had ended. Raises AccessError, InputError `server.elsewhere`."""
        stream = await self.find(owner, turn_id)
        if isinstance(stream, ElsewhereStream):
            raise InputError("server.elsewhere", turn=turn_id)
        if isinstance(stream, TurnStream) and not stream.ended:
            stream.turn.cancel()
            return True
        return False

    def running_in(self, owner: str, conversation: str) -> TurnStream | None:
        """The newest stream of the owner's conversation that is still in memory."""
        for stream in reversed(self._streams.values()):
            if stream.turn.conversation_id == conversation and stream.owner == owner:
                return stream
        return None

    async def drain(self, seconds: float) -> None:
        """Take no more questions; wait `seconds` for the answers, then end the rest as interrupted."""
        self.draining = True
        deadline = time.monotonic() + seconds
        while self._tasks and time.monotonic() < deadline:
            await asyncio.wait(self._tasks, timeout=max(0.0, deadline - time.monotonic()))
        for stream in self._streams.values():
            if not stream.ended:
                stream.turn.cancel("interrupted")
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """End everything at once."""
        await self.drain(0.0)
        for task in (self._beating, *self._ready.values()):
            if task is not None:
                task.cancel()
        await asyncio.gather(
            *(t for t in (self._beating, *self._ready.values()) if t), return_exceptions=True
        )

    # --- changes of conversations that are no turn of this reader's

    def changed(self, conversation: str) -> None:
        """Wake who looks on at `conversation`: a message was added."""
        for one in self._changed.get(conversation, ()):
            one.set()

    async def changes(self, conversation: str) -> AsyncGenerator[None]:
        """When to look at `conversation`: at once, when something was added here, and every LOOK seconds."""
        wake = asyncio.Event()
        self._changed.setdefault(conversation, set()).add(wake)
        try:
            while True:
                yield
                with suppress(TimeoutError):
                    await asyncio.wait_for(wake.wait(), LOOK)
                wake.clear()
        finally:
            waiting = self._changed[conversation]
            waiting.discard(wake)
            if not waiting:
                del self._changed[conversation]

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            now = time.monotonic()
            for turn_id, stream in list(self._streams.items()):
                if stream.ended_at is None:
                    stream.beat()
                elif now - stream.ended_at > KEPT:
                    del self._streams[turn_id]
            try:
                await asyncio.to_thread(self.recover)
            except StoreError as error:
                log.warning("turns not looked through", exc_info=error)

    def recover(self) -> None:
        """Mark turns as interrupted that nobody writes: of processes that died, and own ones whose end could not be saved.

        An own one counts when it was seen twice: one that has just begun is not in memory yet.
        """
        conversations = self._session.services.conversations
        written = {name for name, stream in list(self._streams.items()) if not stream.ended}
        unwritten = conversations.running_here() - written
        conversations.recover(lost=unwritten & self._unwritten)
        self._unwritten = unwritten


def _refusal(failed: TurnFailed) -> TrolyError:
    """The failure of a turn that never began, as the error it was."""
    kinds: dict[str, Callable[..., TrolyError]] = {"store": StoreError, "turn": InputError}
    if failed.code == "store.not_yours":
        return AccessError(failed.code)
    return kinds.get(failed.code.partition(".")[0], TrolyError)(failed.code, failed=failed)


_TOKEN_HEAD = b'{"event":"Token","text":'
_quote: Callable[[str], str] = json.encoder.encode_basestring


def event_json(event: Event, plain: Callable[[Event], dict[str, Any]]) -> bytes:
    """One event as JSON without line ends; pieces of an answer, which are nearly all, take the short way."""
    if isinstance(event, Token):
        return _TOKEN_HEAD + quoted(event.text) + b"}"
    return to_bytes(plain(event))


def quoted(text: str) -> bytes:
    """`text` as a JSON string; it holds no half code points."""
    return _quote(text).encode()


def to_bytes(value: Any) -> bytes:
    """JSON as UTF-8 without line ends."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_text).encode(
        "utf-8", "replace"
    )


def _text(value: Any) -> str:
    return sanitize(str(value))


def sse(data: bytes, *, event: str = "", number: int | str = "") -> bytes:
    """One server-sent event; `data` has no line end."""
    head = f"id: {number}\n" if number else ""
    head += f"event: {event}\n" if event else ""
    return head.encode() + b"data: " + data + b"\n\n"


ALIVE = b": alive\n\n"
