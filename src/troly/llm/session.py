"""The models of one turn: a budget, one record a call, and deterministic rules whenever a model cannot decide."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from troly import recording
from troly.errors import ModelError
from troly.llm.replies import (
    BadReplyError,
    no_value,
    parse,
    repair_messages,
    repeats,
    reply_tokens,
    sent_schema,
)
from troly.llm.source import ANSWER_TOKENS, LENGTH, LiveCalls, ModelCall, ReplayedCalls, Source
from troly.llm.types import (
    CallKind,
    CallRecord,
    ChatChunk,
    Decision,
    Message,
    ToolReply,
    pack_vector,
    unpack_vector,
)
from troly.waiting import Watchdog

if TYPE_CHECKING:
    from pydantic import BaseModel

    from troly.llm.client import OllamaClient
    from troly.llm.hosts import ModelHosts


# Calls for replies that a turn should do with; the budget allows more.
ENOUGH_CALLS = 2
# What one turn may ask of models: a number of calls and a number of seconds.


class Budget:
    """Counts calls, and the seconds during which at least one call was running (parallel calls count once)."""

    def __init__(
        self, calls: int = 8, seconds: float = 180.0, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.calls_allowed = calls
        self.seconds_allowed = seconds
        self.calls = 0
        self._clock = clock
        self._spent = 0.0
        self._running = 0
        self._since = 0.0

    @property
    def seconds(self) -> float:
        return self._spent + (self._clock() - self._since if self._running else 0.0)

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.seconds_allowed - self.seconds)

    def exhausted(self, *, counted: bool = True) -> bool:
        """Whether nothing is left, for a call that counts or for one that only takes time (an embedding)."""
        return (counted and self.calls >= self.calls_allowed) or self.seconds_left <= 0.0

    def error(self) -> ModelError:
        return ModelError("ollama.budget", calls=self.calls_allowed, seconds=math.ceil(self.seconds_allowed))

    def check(self, *, counted: bool = True) -> None:
        """Raises ModelError `ollama.budget` when nothing is left."""
        if self.exhausted(counted=counted):
            raise self.error()

    @contextmanager
    def call(self, *, counted: bool = True) -> Iterator[None]:
        """Count one call for as long as the block runs; raises ModelError `ollama.budget` when nothing is left."""
        self.check(counted=counted)
        self.calls += counted
        if not self._running:
            self._since = self._clock()
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._spent += self._clock() - self._since


# A call while it runs, until it becomes the record that the trace keeps.


class RunningCall:
    """Collects what is sent, said and measured during one call."""

    def __init__(self, task: str, kind: CallKind, prompt: Sequence[Message]) -> None:
        self._task = task
        self._kind: CallKind = kind
        self._prompt = list(prompt)
        self._began = time.perf_counter()
        self._node = recording.node()
        self._ask: ModelCall | None = None
        self._replayed: CallRecord | None = None
        self._said: list[str] = []
        self._first: float | None = None
        self._tokens: tuple[int | None, int | None] = (None, None)
        self._vectors: list[str] = []
        self._tool_calls: list[dict[str, Any]] = []
        self._error: tuple[str, dict[str, str]] = ("", {})
        self._pieces = 0
        self._host = ""
        self.finish = ""

    @property
    def spoke(self) -> bool:
        return bool(self._said or self._tool_calls)

    @property
    def endless(self) -> bool:
        """Whether more came than was asked for (a server that does not obey, thoughts that became the answer), the same
        over and over, or no value where one was asked for.
        """
        limit = self._ask.options.get("num_predict") if self._ask else None
        if self._ask is None or self._ask.longest is None or limit is None:
            return False
        if self._pieces % BEYOND_LIMIT == 0:
            said = "".join(self._said[-MOST_LOOKED_AT:])
            if repeats(said) or (self._kind == "decide" and len(self._said) > NO_VALUE_BY and no_value(said)):
                return True
        return bool(self._pieces > limit + BEYOND_LIMIT or len(self._said) > self._ask.longest + BEYOND_LIMIT)

    def sent(self, ask: ModelCall) -> None:
        self._ask = ask
        self._replayed = ask.options.get("record")
        self._prompt = list(ask.messages) or self._prompt

    def heard(self, chunk: ChatChunk) -> None:
        if self._first is None and (chunk.text or chunk.thinking or chunk.tool_calls):
            self._first = self._ms()
        if chunk.text:
            self._said.append(chunk.text)
        self._pieces += 1
        self._host = self._host or chunk.host
        self._tool_calls += [dict(call) for call in chunk.tool_calls]
        if chunk.done:
            self._tokens = (chunk.prompt_tokens, chunk.completion_tokens)
            self.finish = chunk.done_reason

    def measured(self, vectors: Sequence[Sequence[float]]) -> None:
        self._vectors = [pack_vector(vector) for vector in vectors]

    def failed(self, error: ModelError) -> None:
        self._error = (error.key, {name: str(value) for name, value in error.params.items()})

    def stopped(self) -> None:
        self._error = ("turn.stopped", {})

    def record(self) -> CallRecord:
        model = self._ask.model if self._ask else None
        again = self._replayed
        options = self._ask.options if self._ask else {}
        return CallRecord(
            task=self._task,
            kind=self._kind,
            model=model.name if model else "",
            wanted=model.wanted if model and model.substituted else "",
            prompt=self._prompt,
            reply="".join(self._said),
            prompt_tokens=self._tokens[0],
            completion_tokens=self._tokens[1],
            dropped=self._ask.dropped if self._ask else 0,
            ms=again.ms if again else self._ms(),
            ttft_ms=again.ttft_ms if again else self._first,
            error=self._error[0],
            error_params=self._error[1],
            vectors=self._vectors,
            tool_calls=self._tool_calls,
            node=self._node,
            window=again.window if again else int(options.get("num_ctx") or 0),
            pieces=[len(piece) for piece in self._said] if self._kind == "stream" else [],
            finish=self.finish,
            estimated=self._ask.tokens if self._ask else 0,
            host=again.host if again else self._host,
        )

    def _ms(self) -> float:
        return round((time.perf_counter() - self._began) * 1000, 2)


M = TypeVar("M", bound="BaseModel")
T = TypeVar("T")
OFFLINE = "offline"
# Pieces more than were asked for, after which a model that does not stop is stopped; so often it is looked for loops.
BEYOND_LIMIT = 32
MOST_LOOKED_AT = 1_000
# A structured reply that has not begun its value after so many pieces is talk.
NO_VALUE_BY = 256
# Seconds without a word after which it is asked whether the model is being loaded.
LOADING_AFTER = 0.7


class ModelSession:
    """Everything one turn asks of models. `calls` are the finished calls, `skipped` pairs of task and reason.

    `client` None or `offline` forbids every request. `on_loading` is told the name of a model that is being loaded, or
    for which so many questions wait before this one.
    `unfinished` are streamed replies by task that were cut off: they are gone on with, as `go_on` asks for. Once the server was found down, or a model silent, the rest of
    the turn does not wait for it again.
    """

    def __init__(
        self,
        client: OllamaClient | ModelHosts | ReplayedCalls | None,
        models: Callable[[str], str],
        budget: Budget | None = None,
        *,
        offline: bool = False,
        recorder: Callable[[CallRecord], None] | None = None,
        on_loading: Callable[[str, int | None], None] | None = None,
        unfinished: Mapping[str, str] | None = None,
        go_on: str = "",
        conversation: str = "",
        user: str = "",
    ) -> None:
        self._unfinished = dict(unfinished or {})
        self._go_on = go_on
        self._source: Source | None = (
            client
            if client is None or isinstance(client, ReplayedCalls)
            else LiveCalls(client, models, conversation, user)
        )
        if offline and not isinstance(client, ReplayedCalls):
            self._source = None
        self._models = models
        self._budget = budget or Budget()
        self._recorder = recorder
        self._on_loading = on_loading
        self._vectors: dict[str, list[float]] = {}
        self._embedding = asyncio.Lock()
        self._down: ModelError | None = None
        self._silent: dict[str, ModelError] = {}
        self.calls: list[CallRecord] = []
        self.skipped: list[tuple[str, str]] = []

    async def look(self) -> None:
        """Whether the server answers is known for the whole turn; it is asked unless that was done a moment ago."""
        if isinstance(self._source, LiveCalls):
            self._down = await self._source.down()

    @property
    def reason_unavailable(self) -> str | None:
        """Why no model can be asked now: `offline`, an error key (`ollama.down`, `ollama.budget`), or None."""
        error = self._obstacle()
        return reason_of(error) if error else None

    @property
    def has_call_left(self) -> bool:
        """Whether one more reply keeps the turn within the calls that it should do with; embedding texts counts for none."""
        return self.calls_left > 0

    @property
    def calls_left(self) -> int:
        """How many more replies keep the turn within the calls that it should do with."""
        return max(0, ENOUGH_CALLS - sum(call.kind != "embed" for call in self.calls))

    async def stream(
        self,
        task: str,
        messages: Sequence[Message],
        role: str = "chat",
        *,
        tokens: int = ANSWER_TOKENS,
        temperature: float | None = None,
    ) -> AsyncGenerator[str, None]:
        """The pieces of one answer of at most about `tokens`. Close the generator (`aclosing`) to stop the model.

        `temperature` 0 to 2 (None: the model's own). A reply that was cut off before is the first piece. Raises ModelError while it runs; the pieces before it stay said.
        """
        begun = self._unfinished.pop(task, "")
        if begun:
            messages = [
                *messages,
                {"role": "assistant", "content": begun},
                {"role": "user", "content": self._go_on},
            ]
            yield begun
        async with aclosing(
            self._chunks(task, "stream", role, messages, tokens=tokens, temperature=temperature)
        ) as chunks:
            async for chunk in chunks:
                if chunk.text:
                    yield chunk.text

    async def decide(
        self,
        task: str,
        schema: type[M],
        messages: Sequence[Message],
        rules: Callable[[], M],
        role: str = "chat",
        *,
        tokens: int | None = None,
    ) -> Decision[M]:
        """A checked value from the model, with one repair; from `rules` when the model cannot give one.

        The reply may take `tokens`, or what its shape needs. Never raises ModelError: `reason` says why the rules decided.
        """
        began = time.perf_counter()
        try:
            value, reason = await self._structured(task, schema, messages, role, tokens), ""
        except ModelError as error:
            value, reason = rules(), reason_of(error)
        ms = recording.duration(f"decide:{task}", (time.perf_counter() - began) * 1000)
        return Decision(value, "rules" if reason else "model", reason, ms)

    async def use_tools(
        self, task: str, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], role: str = "chat"
    ) -> ToolReply:
        """One reply of a model that may call `tools` (Ollama's JSON description): its text, its calls, or both.

        Nothing is run here: the caller checks the names and arguments, runs what it allows, and asks again with the
        results. Raises ModelError, `ollama.junk` where the arguments of a call were no JSON object.
        """
        said: list[str] = []
        calls: list[Mapping[str, Any]] = []
        endless = False
        async with aclosing(self._chunks(task, "tools", role, messages, tools=tools)) as chunks:
            async for chunk in chunks:
                said.append(chunk.text)
                calls += chunk.tool_calls
                endless = chunk.done and chunk.done_reason == LENGTH
        text = "".join(said)
        return ToolReply(text, tuple(calls), endless or repeats(text))

    async def embed(self, texts: Sequence[str], task: str = "embed") -> list[list[float]]:
        """One vector a text from the configured embedder, asked once a turn for the same text; raises ModelError."""
        async with self._embedding:  # parallel branches ask for the same question
            unknown = [text for text in dict.fromkeys(texts) if text not in self._vectors]
            if unknown:
                self._vectors |= dict(zip(unknown, await self._embed(unknown, task), strict=True))
        return [self._vectors[text] for text in texts]

    async def _embed(self, texts: Sequence[str], task: str) -> list[list[float]]:
        prompt = [{"role": "user", "content": text} for text in texts]
        with self._call(task, "embed", "embed", prompt) as (call, source):
            ask = await self._in_time(source.prepare(task, "embed", "embed", prompt, None))
            call.sent(ask)
            vectors = await self._in_time(source.vectors(ask, texts))
            call.measured(vectors)
        # To the precision that is recorded: a replay must find the same neighbours at the same distance.
        return [unpack_vector(pack_vector(vector)) for vector in vectors]

    async def _structured(
        self, task: str, schema: type[M], messages: Sequence[Message], role: str, tokens: int | None
    ) -> M:
        reply, unfinished = await self._whole(task, schema, messages, role, tokens)
        try:
            return parse(reply, schema)
        except BadReplyError as bad:
            if unfinished is not None:
                raise unfinished from bad
            again = repair_messages(messages, reply, bad.problem, schema)
        reply, unfinished = await self._whole(task, schema, again, role, tokens)
        try:
            return parse(reply, schema)
        except BadReplyError as bad:
            raise unfinished or ModelError("ollama.bad_json", task=task, detail=bad.problem) from bad

    async def _whole(
        self, task: str, schema: type[M], messages: Sequence[Message], role: str, tokens: int | None
    ) -> tuple[str, ModelError | None]:
        """All that was said; why it is not the whole reply is given back, for the value may be complete all the same."""
        said: list[str] = []
        limit = reply_tokens(schema) if tokens is None else tokens
        try:
            async with aclosing(
                self._chunks(task, "decide", role, messages, sent_schema(schema), tokens=limit)
            ) as chunks:
                async for chunk in chunks:
                    said.append(chunk.text)
                    if chunk.done and chunk.done_reason == LENGTH:
                        return "".join(said), ModelError("ollama.length", task=task, tokens=limit)
        except ModelError as error:
            if error.key != "ollama.no_done":
                raise
            return "".join(said), error
        return "".join(said), None

    async def _chunks(
        self,
        task: str,
        kind: CallKind,
        role: str,
        messages: Sequence[Message],
        schema: dict[str, Any] | None = None,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        tokens: int = ANSWER_TOKENS,
        temperature: float | None = None,
    ) -> AsyncGenerator[ChatChunk, None]:
        with self._call(task, kind, role, messages) as (call, source):
            refused: ModelError | None = None
            asked: ModelCall | None = None
            while True:
                try:
                    ask = await self._in_time(
                        source.prepare(task, kind, role, messages, schema, tools=tools, tokens=tokens)
                    )
                except ModelError as error:
                    raise refused or error from error
                if refused is not None and ask == asked:
                    raise refused
                asked = ask
                if temperature is not None:
                    ask.options["temperature"] = temperature
                call.sent(ask)
                try:
                    async with aclosing(self._reply(source, ask, call)) as chunks:
                        async for chunk in chunks:
                            yield chunk
                    break
                except ModelError as error:
                    # The server has a smaller window, or lacks what was asked for: that is known now, and asked otherwise.
                    if refused is not None or not error.key.startswith("ollama.refused_"):
                        raise
                    refused = error
            if not call.spoke:
                raise ModelError("ollama.empty", model=ask.model.name)

    async def _reply(
        self, source: Source, ask: ModelCall, call: RunningCall
    ) -> AsyncGenerator[ChatChunk, None]:
        watching = asyncio.create_task(self._tell_loading(source, ask.model.name))
        watchdog = Watchdog()
        try:
            async with aclosing(source.answer(ask)) as chunks:
                while True:
                    try:
                        chunk = await watchdog.wait(anext(chunks, None), self._budget.seconds_left)
                    except TimeoutError as error:
                        raise self._budget.error() from error
                    if chunk is None:
                        return
                    if chunk.ahead is not None:
                        if self._on_loading is not None:
                            self._on_loading(ask.model.name, chunk.ahead)
                        continue
                    watching.cancel()
                    if call.endless:
                        chunk = ChatChunk(done=True, done_reason=LENGTH)
                    call.heard(chunk)
                    yield chunk
                    if chunk.done:
                        return
        finally:
            watchdog.close()
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    async def _tell_loading(self, source: Source, model: str) -> None:
        """Say that a model is being loaded, where it is silent for a moment and the server does not hold it yet."""
        await asyncio.sleep(LOADING_AFTER)
        if self._on_loading is not None and not await source.loaded(model):
            self._on_loading(model, None)

    @contextmanager
    def _call(
        self, task: str, kind: CallKind, role: str, prompt: Sequence[Message]
    ) -> Iterator[tuple[RunningCall, Source]]:
        """Count, time and record one call; raises ModelError without a call when none is possible."""
        obstacle = self._obstacle(role)
        if obstacle is not None or self._source is None:
            obstacle = obstacle or ModelError("ollama.offline")
            self.skipped.append((task, reason_of(obstacle)))
            raise obstacle
        call = RunningCall(task, kind, prompt)
        try:
            with self._budget.call(counted=kind != "embed"):
                yield call, self._source
        except ModelError as error:
            call.failed(error)
            if error.key in ("ollama.down", "ollama.proxy", "ollama.bad_url"):
                self._down = error
            elif error.key == "ollama.timeout_first":
                self._silent[self._models(role)] = error
            raise
        except (asyncio.CancelledError, GeneratorExit):
            call.stopped()
            raise
        finally:
            self.calls.append(call.record())
            if self._recorder is not None:
                self._recorder(self.calls[-1])

    def _obstacle(self, role: str | None = None) -> ModelError | None:
        """Why a call is not possible now, or None: what a server is found to be is noted for a replay."""

        def hindered() -> list[Any]:
            if self._source is None:
                error: ModelError | None = ModelError("ollama.offline")
            elif self._budget.exhausted(counted=role != "embed"):
                error = self._budget.error()
            else:
                silent = self._silent.get(self._models(role)) if role and self._silent else None
                error = self._down or silent or self._source.unavailable()
            return [] if error is None else [error.key, dict(error.params)]

        found: list[Any] = recording.recorded("model.obstacle", hindered)
        return ModelError(found[0], **found[1]) if found else None

    async def _in_time(self, work: Awaitable[T]) -> T:
        """Wait for one step of a call, at most for the seconds the turn has left."""
        try:
            async with asyncio.timeout(self._budget.seconds_left):
                return await work
        except TimeoutError as error:
            raise self._budget.error() from error


def reason_of(error: ModelError) -> str:
    """The short reason that a Decision and the trace keep."""
    return OFFLINE if error.key == "ollama.offline" else error.key
