"""The Ollama client: every call has timeouts, every failure is a ModelError with a remedy."""

from __future__ import annotations

import asyncio
import math
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from troly.errors import ModelError
from troly.llm import models
from troly.llm.failures import model_error, shown_url
from troly.llm.prompts import estimate
from troly.llm.types import ChatChunk, Health, Message, ModelDetails, Need, PullProgress, ResolvedModel
from troly.waiting import Watchdog

if TYPE_CHECKING:
    from troly.config.settings import OllamaSettings
    from troly.llm.wire import Wire

T = TypeVar("T")
EMBED_BATCH = 32
PULL_SILENCE = 600.0
AFTER_DONE = 1.0
PROBE_READ = 3.0
# Tokens below which a text for an embedder is not cut further.
SMALLEST_ROOM = 64


class ModelClient(ABC):
    """What one server and several have in common: which of their models stands for a name."""

    settings: OllamaSettings

    @property
    @abstractmethod
    def url(self) -> str:
        """The address as it may be shown."""

    @abstractmethod
    async def health(self, max_age: float = 5.0) -> Health:
        """Whether a server answers; an answer younger than `max_age` seconds is used again. Never raises."""

    @abstractmethod
    async def details(self, model: str) -> ModelDetails:
        """Capabilities and context length of a model; empty when no server tells."""

    @abstractmethod
    async def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text. Raises ModelError."""

    async def resolve(self, name: str, need: Need = "completion") -> ResolvedModel:
        """The installed model for `name`: itself, `name:latest`, or (if the settings allow) another that does `need`.

        An embedder is never replaced by another one: their vectors do not compare. Raises ModelError
        `ollama.model_missing`, or why no server answers.
        """
        health = await self.health()
        if health.error is not None:
            raise health.error
        exact = models.find(name, health.models)
        if exact is not None:
            return ResolvedModel(exact, name)
        if need != "embedding" and self.settings.fallback_model:
            for info in models.nearest_first(name, health.models):
                able = info.capabilities or (await self.details(info.name)).capabilities
                if models.can(info, need, able):
                    return ResolvedModel(info.name, name, substituted=True)
        raise ModelError("ollama.model_missing", url=self.url, model=name, detail="")

    async def embedder(self, name: str) -> Callable[[Sequence[str]], Awaitable[list[list[float]]]]:
        """What turns texts into vectors of the configured embedder; raises ModelError where it is not installed."""
        return partial(self.embed, (await self.resolve(name, "embedding")).name)


class OllamaClient(ModelClient):
    """Talks to one Ollama server from any event loop; each loop gets its own connections.

    Safe for many calls at once. Cancelling a call closes its connection, which stops the model. `aclose` ends what
    the running loop holds; the client can be used again afterwards, also from another loop.
    """

    def __init__(self, settings: OllamaSettings) -> None:
        self.settings = settings
        self._wires: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Wire] = weakref.WeakKeyDictionary()
        self._health: Health | None = None
        self._health_at = 0.0
        self._details: dict[str, ModelDetails] = {}
        # What a server turned out to have and to lack when it refused a call: windows by model, and (key, model).
        self._windows: dict[str, int] = {}
        self._refused: set[tuple[str, str]] = set()

    @property
    def url(self) -> str:
        return shown_url(self.settings.url)

    @property
    def last_health(self) -> Health | None:
        """What was found when the server was last looked at; None before the first look."""
        return self._health

    async def aclose(self) -> None:
        """Close the connections of the running loop; a second call does nothing."""
        wire = self._wires.pop(asyncio.get_running_loop(), None)
        if wire is not None:
            await wire.close()

    # --- is it there, and with what

    async def health(self, max_age: float = 5.0) -> Health:
        """Whether the server answers; an answer younger than `max_age` seconds is used again. Never raises."""
        asked = time.monotonic()
        if self._health is not None and asked - self._health_at <= max_age:
            return self._health
        try:
            wire = await self._wire()
        except ModelError as error:
            return self._learn(Health(up=False, error=error))
        # Another caller may have looked while this one waited for the connections.
        if self._health is not None and self._health_at >= asked:
            return self._health
        return await wire.probe()

    def known_down(self, max_age: float = 5.0) -> ModelError | None:
        """Why the server was down when last looked at, if that is at most `max_age` seconds ago."""
        health = self._health
        if health is None or health.up or time.monotonic() - self._health_at > max_age:
            return None
        return health.error if isinstance(health.error, ModelError) else None

    async def details(self, model: str) -> ModelDetails:
        """Capabilities and context length of a model, asked once; empty when the server does not tell."""
        known = self._details.get(model)
        if known is not None:
            return known
        try:
            shown = await self._plain(model, lambda wire: wire.ollama.show(model))
        except ModelError:
            return ModelDetails(model)
        self._details[model] = models.details_from(model, shown)
        return self._details[model]

    async def window(self, model: str) -> int:
        """The context window in tokens: the configured one, or the model's own where that is smaller."""
        own, found = (await self.details(model)).context_length, self._windows.get(model)
        return min(limit for limit in (self.settings.context_tokens, own, found) if limit)

    def refused(self, key: str, model: str) -> bool:
        """Whether a call of `model` was refused before with the error `key` (`ollama.refused_schema`)."""
        return (key, model) in self._refused

    async def loaded(self, model: str) -> bool:
        """Whether the server holds `model` in memory; True where it does not say."""
        running = await self.running()
        return running is None or model in running

    def configure(self, settings: OllamaSettings) -> None:
        """Go on with other settings; calls that run end as they began."""
        if settings != self.settings:
            self.settings = settings
            self._wires, self._health = weakref.WeakKeyDictionary(), None

    async def running(self) -> dict[str, datetime | None] | None:
        """The models in the server's memory, each with the moment at which it is let go; None where it does not say."""
        try:
            running = await self._plain("", lambda wire: wire.ollama.ps())
        except ModelError:
            return None
        return {name: one.expires_at for one in running.models for name in (one.name, one.model) if name}

    async def _probe(self) -> Health:
        wire = await self._wire()
        try:
            tags = (await wire.get("/api/tags")).json()
            version = (await wire.get("/api/version")).json()
            health = models.health_from(tags, version)
        except Exception as error:  # noqa: BLE001 (three libraries' errors; unknown ones are raised again)
            found = model_error(error, url=self.settings.url)
            key = "ollama.not_ollama" if found.key == "ollama.junk" else found.key
            params = {**found.params, "seconds": PROBE_READ}
            health = Health(up=False, error=ModelError(key, **params))
        return self._learn(health)

    def _learn(self, health: Health) -> Health:
        self._health, self._health_at = health, time.monotonic()
        return health

    # --- asking

    async def chat(
        self,
        model: str,
        messages: Sequence[Message],
        *,
        format: Mapping[str, Any] | None = None,  # noqa: A002 (Ollama's own name)
        tools: Sequence[Mapping[str, Any]] | None = None,
        options: Mapping[str, Any] | None = None,
        think: bool | str | None = None,
        conversation: str = "",  # noqa: ARG002 (says which of several hosts answers; this is one)
        user: str = "",  # noqa: ARG002 (says who waits first where several hosts are busy)
    ) -> AsyncGenerator[ChatChunk, None]:
        """Stream one answer; the last chunk has `done` and the counts. Close the generator to stop the model.

        `format` is a JSON schema. Raises ModelError; what was said before is already out.
        """
        # A prompt that is too long is to be refused, not cut silently; a server that refuses the field is asked without it.
        fields = {"model": model, "messages": list(messages), "stream": True, "truncate": self._truncate(model),
                  "format": format, "tools": tools, "think": think, "keep_alive": self._keep_alive(),
                  "options": {"num_ctx": self.settings.context_tokens, **(options or {})}}  # fmt: skip
        body = {name: value for name, value in fields.items() if value is not None}
        limit = self.settings.first_token_timeout
        path, parse = "/api/chat", _chunk
        if self.settings.endpoint == "generate" and not tools:
            path, parse, body = "/api/generate", _generated, one_prompt(body)
        while True:
            try:
                async with self._streamed(model, path, body, parse) as following:
                    while (chunk := await following(limit)) is not None:
                        limit = self.settings.read_timeout
                        if chunk.done:
                            # The end of the answer is read too, so that the server sees a complete exchange.
                            with suppress(ModelError):
                                await following(AFTER_DONE)
                        yield chunk
                        if chunk.done:
                            return
            except ModelError as error:
                if error.key != "ollama.refused_truncate" or body.pop("truncate", None) is None:
                    raise
                continue
            break
        raise self._error("ollama.no_done", model)

    async def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, all of one length, in batches. Raises ModelError; no text is cut silently."""
        window = await self.window(model) if texts else 0
        vectors: list[list[float]] = []
        for start in range(0, len(texts), EMBED_BATCH):
            vectors += await self._embed_whole(model, texts[start : start + EMBED_BATCH], window)
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) > 1 or [] in vectors:
            raise self._error("ollama.bad_embedding", model)
        return vectors

    async def _embed_whole(self, model: str, texts: Sequence[str], window: int) -> list[list[float]]:
        """A vector a text; one that is longer than the window is the mean of its parts."""
        room, untold = self._windows.get(model, window), self.refused("ollama.refused_truncate", model)
        while True:
            parts = [split(text, room) for text in texts]
            batch = [part for pieces in parts for part in pieces]
            try:
                answer = await self._plain(
                    model, partial(self._embed, model=model, batch=batch, window=window)
                )
            except ModelError as error:
                if error.key == "ollama.refused_truncate" and not untold:
                    untold = True
                    continue
                if error.key != "ollama.refused_length" or room <= SMALLEST_ROOM:
                    raise
                # The estimate was short, or the window smaller than the server says.
                room = self._windows[model] = max(
                    SMALLEST_ROOM, min(self._windows.get(model, room), room // 2)
                )
                continue
            if len(answer.embeddings) != len(batch):
                return []
            found = iter(answer.embeddings)
            return [mean_vector([next(found) for _ in pieces], pieces) for pieces in parts]

    def _embed(self, wire: Wire, *, model: str, batch: list[str], window: int) -> Awaitable[Any]:
        options = {"num_ctx": window}
        keep = self._keep_alive()
        truncate = self._truncate(model)
        return wire.ollama.embed(
            model=model, input=batch, truncate=truncate, options=options, keep_alive=keep
        )

    async def pull(self, model: str, *, silence: float = PULL_SILENCE) -> AsyncGenerator[PullProgress, None]:
        """Download a model; raises ModelError also when the server is silent for `silence` seconds."""
        layers = models.Layers()
        body = {"model": model, "stream": True}
        async with self._streamed(model, "/api/pull", body, layers.add, begun=True) as following:
            while True:
                try:
                    progress = await following(silence)
                except ModelError as error:
                    raise models.explained(error) from error
                if progress is None:
                    break
                yield progress
        self._health = None
        self._details.pop(model, None)
        if not layers.finished:
            raise self._error("ollama.pull_failed", model)

    # --- the wire

    async def _wire(self) -> Wire:
        loop = asyncio.get_running_loop()
        if loop not in self._wires:
            # httpx and ollama take a third of a second to import; the loop must not stand still meanwhile.
            await asyncio.to_thread(import_module, "troly.llm.wire")
        if loop not in self._wires:
            from troly.llm.wire import Wire

            self._wires[loop] = Wire(self.settings, self._probe, PROBE_READ)
        return self._wires[loop]

    def _keep_alive(self) -> str | float:
        # Ollama reads "-1" as a span without a unit and refuses it; as a number it means for ever.
        try:
            return float(self.settings.keep_alive)
        except ValueError:
            return self.settings.keep_alive

    def _truncate(self, model: str) -> bool | None:
        """What is said of a text that is too long: that it is not to be cut, nothing to a server that refused the field."""
        return None if self.refused("ollama.refused_truncate", model) else False

    async def _plain(self, model: str, ask: Callable[[Wire], Awaitable[T]]) -> T:
        wire = await self._wire()
        return await self._guarded(model, lambda: ask(wire), self.settings.first_token_timeout)

    @asynccontextmanager
    async def _streamed(
        self,
        model: str,
        path: str,
        body: Mapping[str, Any],
        parse: Callable[[dict[str, Any]], T],
        *,
        begun: bool = False,
    ) -> AsyncIterator[Callable[[float], Awaitable[T | None]]]:
        """What waits so many seconds for the next line of an answer and parses it; None at the end. `begun`: silence is a stall."""
        lines, watchdog = (await self._wire()).lines(path, body), Watchdog()

        async def following(limit: float) -> T | None:
            nonlocal begun
            try:
                line = await watchdog.wait(anext(lines, None), limit)
                begun = True
                return None if line is None else parse(line)
            except Exception as error:
                raise self._failure(error, model, limit, begun=begun) from error

        try:
            yield following
        finally:
            watchdog.close()
            await lines.aclose()

    async def _guarded(self, model: str, ask: Callable[[], Awaitable[T]], limit: float) -> T:
        """Wait for one call at most `limit` seconds and turn whatever it raises into a ModelError."""
        try:
            async with asyncio.timeout(limit):
                return await ask()
        except Exception as error:
            raise self._failure(error, model, limit) from error

    def _failure(self, error: Exception, model: str, limit: float, *, begun: bool = False) -> ModelError:
        """The ModelError for what a call raised, with what it says of the server kept; raises what none of three libraries raises."""
        found = model_error(error, url=self.settings.url, model=model, begun=begun)
        if found.key.startswith("ollama.timeout"):
            found = ModelError(found.key, **{**found.params, "seconds": round(limit, 2)})
        if found.key == "ollama.down":
            self._learn(Health(up=False, error=found))
        if found.key.startswith("ollama.refused_"):
            self._refused.add((found.key, model))
        if found.key == "ollama.refused_length" and (opened := found.params.get("limit")):
            self._windows[model] = int(str(opened))
        return found

    def _error(self, key: str, model: str) -> ModelError:
        return ModelError(key, url=self.url, model=model, detail="")


def one_prompt(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a chat as /api/generate takes it (003-24): the system message, and the rest as one prompt."""
    said = [(str(one["role"]), str(one.get("content") or "")) for one in body["messages"]]
    rest = [(role, text) for role, text in said if role != "system"]
    told = [text if len(rest) == 1 else f"{role}: {text}" for role, text in rest]
    system = "\n\n".join(text for role, text in said if role == "system")
    kept = {name: value for name, value in body.items() if name != "messages"}
    return {**kept, "prompt": "\n\n".join(told), **({"system": system} if system else {})}


def split(text: str, room: int) -> list[str]:
    """`text` in parts that are estimated to fit in `room` tokens, cut between words where there are any."""
    if estimate(text) <= room or len(text) < 2:
        return [text]
    middle = len(text) // 2
    at = text.rfind(" ", 1, middle) + 1 or middle
    return [*split(text[:at], room), *split(text[at:], room)]


def mean_vector(vectors: Sequence[Sequence[float]], parts: Sequence[str]) -> list[float]:
    """One vector for a text from those of its parts, each weighing as much as it is long."""
    if len(vectors) == 1:
        return list(vectors[0])
    whole = sum(map(len, parts))
    weighed = [
        [value * len(part) / whole for value in vector] for vector, part in zip(vectors, parts, strict=True)
    ]
    return [math.fsum(values) for values in zip(*weighed, strict=False)]


def _chunk(line: Mapping[str, Any]) -> ChatChunk:
    """One line of a chat; raises what a dictionary of another shape raises."""
    message = line["message"]
    text, thinking, asked = (
        message.get("content") or "",
        message.get("thinking") or "",
        message.get("tool_calls") or (),
    )
    if not (isinstance(text, str) and isinstance(thinking, str)):
        raise TypeError("no text")
    if not (asked or line.get("done")):
        return ChatChunk(text, thinking)
    return ChatChunk(
        text,
        thinking,
        tuple(_tool_call(one["function"]) for one in asked),
        bool(line.get("done")),
        str(line.get("done_reason") or ""),
        _count(line.get("prompt_eval_count")),
        _count(line.get("eval_count")),
    )


def _generated(line: Mapping[str, Any]) -> ChatChunk:
    """One line of /api/generate."""
    return _chunk({**line, "message": {"content": line["response"], "thinking": line.get("thinking")}})


def _tool_call(function: Mapping[str, Any]) -> dict[str, Any]:
    if not (isinstance(function["name"], str) and isinstance(function["arguments"], dict)):
        raise TypeError("no call")
    return {"name": function["name"], "arguments": function["arguments"]}


def _count(value: object) -> int | None:
    return value if isinstance(value, int) else None
