"""What OpenAI clients speak: the assistants as models, and chat completions, streamed and whole (003-02, -03, -32).

The conversation follows `chat_id`, the messages themselves, or `user`; system messages and sampling options are taken and
not used, for an assistant has its own voice.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from troly.conversation.turn import HISTORY, MAX_CHARS, TurnRequest
from troly.errors import AccessError, ErrorText, InputError, TrolyError
from troly.plugin.contract import Mode
from troly.plugin.events import Event, ModelCalled, TurnCompleted, TurnFailed
from troly.plugin.services import Services
from troly.server.access import Caller
from troly.server.answers import AnswerWriter
from troly.server.problems import problem
from troly.server.site import Site, as_json, as_stream, caller_of, lang_of
from troly.server.streams import ALIVE, TooSlowError, TurnStream, quoted, sse, to_bytes
from troly.stores.threads import Threads
from troly.text.sanitize import sanitize

router = APIRouter(prefix="/v1")
PREFIX = "troly-"
DONE = b"data: [DONE]\n\n"
# What the documents' client sends with a question (003-02) is at most so long.
Name = Annotated[str, Field(max_length=200)]


class Part(BaseModel):
    """One part of a message's content; only text is used."""

    model_config = ConfigDict(extra="ignore")
    type: str = "text"
    text: str = ""


class ChatMessage(BaseModel):
    """One message as OpenAI clients send it."""

    model_config = ConfigDict(extra="ignore")
    role: str
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """The text of the content."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    """What a stream carries beside the answer."""

    include_usage: bool = False


class ChatRequest(BaseModel):
    """A request for an answer."""

    model_config = ConfigDict(extra="ignore")
    model: Name
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=2000)]
    stream: bool = False
    stream_options: StreamOptions | None = None
    stop: str | Annotated[list[str], Field(max_length=4)] | None = None
    n: Literal[1] | None = 1
    user: Name | None = None
    chat_id: Name | None = None
    ollama_model: Name | None = None
    ollama_guardrail_model: Name | None = None

    @property
    def stops(self) -> list[str]:
        """The texts before which the answer ends."""
        found = [self.stop] if isinstance(self.stop, str) else self.stop or []
        return [one for one in found if one]


def model_names(mode: Mode) -> tuple[str, ...]:
    """The names of an assistant as a model."""
    return (f"{PREFIX}{mode.id}", *mode.model_names)


@router.get("/models")
async def models(request: Request) -> Response:
    """The assistants that the key is for, as models."""
    return as_json({"object": "list", "data": list(_models(request))})


@router.get("/models/{model}")
async def model(request: Request, model: str) -> Response:
    """One of them."""
    found = next((one for one in _models(request) if one["id"] == model), None)
    if found is None:
        raise _unknown(model)
    return as_json(found)


def _models(request: Request) -> Iterator[dict[str, Any]]:
    caller, lang = caller_of(request), lang_of(request)
    for mode in Site.of(request).session.registry:
        if caller.may_use(mode.id):
            for name in model_names(mode):
                yield {
                    "id": name,
                    "object": "model",
                    "created": 0,
                    "owned_by": "troly",
                    "name": mode.names[lang],
                }


@router.get("/conversations/{conversation}")
async def conversation(request: Request, conversation: str) -> Response:
    """A conversation by its id or its `chat_id` (003-03)."""
    site, caller = Site.of(request), caller_of(request)
    owner, name = caller.profile.login, f"chat:{conversation}"
    threads = Threads(site.session.services.state)
    named = [await asyncio.to_thread(threads.find, owner, mode.id, name) for mode in site.session.registry]
    own = next((one for one in named if one), conversation)
    found = await site.conversation(caller, own)
    said = await asyncio.to_thread(site.session.services.conversations.messages, caller.profile.login, own)
    messages = [{"role": one.sender, "content": one.text} for one in said]
    return as_json(
        {"id": conversation, "conversation_id": found.id, "title": found.title, "messages": messages}
    )


@router.post("/chat/completions")
async def completions(request: Request, wanted: ChatRequest) -> Response:
    """Ask an assistant."""
    site, caller = Site.of(request), caller_of(request)
    mode = next((one for one in site.session.registry if wanted.model in model_names(one)), None)
    if mode is None or not caller.may_use(mode.id):
        raise _unknown(wanted.model)
    thread = _follow(wanted)
    if not thread.question.strip():
        raise InputError("turn.empty")
    found = await site.call(_place, caller, mode.id, thread)
    asked = TurnRequest(
        mode.id, thread.question, found, model=wanted.ollama_model, guard_model=wanted.ollama_guardrail_model
    )
    stream = await site.hub.ask(caller, asked)
    reply = Reply(site, caller, stream, thread, wanted)
    headers = {"X-Turn": stream.turn.turn_id, "X-Conversation": stream.turn.conversation_id}
    if wanted.stream:
        return as_stream(reply.frames(), headers)
    return await reply.whole(headers)


# --- which conversation


@dataclass(frozen=True, slots=True)
class ThreadClaim:
    """What a request says of its conversation: `names` in the order to look them up, `history` what came before."""

    question: str
    history: tuple[tuple[str, str], ...]
    names: tuple[str, ...]


def _follow(wanted: ChatRequest) -> ThreadClaim:
    said = [(one.role, sanitize(one.text)) for one in wanted.messages if one.role in ("user", "assistant")]
    last = next((at for at in reversed(range(len(said))) if said[at][0] == "user"), -1)
    question, history = (said[last][1], tuple(said[:last])) if last >= 0 else ("", ())
    if wanted.chat_id:
        names: tuple[str, ...] = (f"chat:{wanted.chat_id}",)
    elif any(role == "assistant" for role, _ in history):
        names = (_name_of(history, wanted.user),)
    else:
        names = (f"user:{wanted.user}",) if wanted.user else ()
    return ThreadClaim(question[: MAX_CHARS + 1], history, names)


def _name_of(history: Sequence[tuple[str, str]], user: str | None) -> str:
    """A name for what was said so far; spaces and line ends are not told apart, for clients tidy them."""
    plain = [(role, " ".join(text.split())) for role, text in history]
    return "messages:" + hashlib.sha256(json.dumps([user, plain]).encode()).hexdigest()


def _place(services: Services, caller: Caller, mode: str, thread: ThreadClaim) -> str | None:
    """The conversation that the request goes on with; one that begins elsewhere is begun here with its messages."""
    owner, store = caller.profile.login, services.conversations
    for name in thread.names:
        found = Threads(services.state).find(owner, mode, name)
        if found is not None:
            return found
        if name.startswith("chat:"):
            # The id of a conversation is a chat id as well.
            with suppress(AccessError):
                mine = store.get(owner, name.removeprefix("chat:"))
                if mine.mode == mode:
                    return mine.id
    if not thread.history:
        return None
    begun = store.create(owner, mode).id
    for role, text in thread.history[-HISTORY:]:
        if text.strip():
            store.add_message(owner, begun, "user" if role == "user" else "assistant", text[:MAX_CHARS])
    return begun


# --- the answer


class Reply:
    """One answer in OpenAI's forms."""

    def __init__(
        self, site: Site, caller: Caller, stream: TurnStream, thread: ThreadClaim, wanted: ChatRequest
    ) -> None:
        self._site = site
        self._caller = caller
        self._stream = stream
        self._thread = thread
        self._wanted = wanted
        self._writer = AnswerWriter("vi")
        self._cut = StopText(wanted.stops)
        self._created = int(time.time())
        self._id = f"chatcmpl-{stream.turn.turn_id}"
        self._usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        self._written: list[str] = []
        self._end: TurnCompleted | TurnFailed | None = None

    async def frames(self) -> AsyncIterator[bytes]:
        """The answer as server-sent events, `data: [DONE]` last."""
        yield self._chunk({"role": "assistant", "content": ""})
        head, tail = self._chunk({"content": "\0"}).split(b'"\\u0000"')
        try:
            async with aclosing(self._stream.read()) as batches:
                async for first, batch in batches:
                    if not first:
                        yield ALIVE
                        continue
                    pieces = [piece for event in batch if (piece := self._take(event))]
                    if pieces:
                        yield b"".join(head + quoted(piece) + tail for piece in pieces)
        except TooSlowError:
            yield sse(to_bytes(problem(503, "server.slow", TrolyError("server.slow").render("en"), self._id)))
            return
        if isinstance(self._end, TurnFailed):
            yield sse(to_bytes(self._problem(self._end)))
            yield DONE
            return
        if rest := self._write(self._cut.rest()):
            yield head + quoted(rest) + tail
        await self._remember()
        yield self._chunk({}, self._reason())
        if self._wanted.stream_options and self._wanted.stream_options.include_usage:
            yield sse(to_bytes({**self._frame("chat.completion.chunk"), "choices": [], "usage": self._usage}))
        yield DONE

    async def whole(self, headers: dict[str, str]) -> Response:
        """The answer as one value; a turn that failed is an error with its status."""
        for event in await self._stream.whole():
            self._take(event)
        if isinstance(self._end, TurnFailed):
            status = {"turn.stopped": 499, "turn.interrupted": 503}.get(self._end.code, 502)
            return as_json(self._problem(self._end), status, headers)
        self._write(self._cut.rest())
        await self._remember()
        message = {"role": "assistant", "content": "".join(self._written), "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": self._reason(), "logprobs": None}
        return as_json(
            {**self._frame("chat.completion"), "choices": [choice], "usage": self._usage}, 200, headers
        )

    def _take(self, event: Event) -> str:
        """What may be written after `event`."""
        if isinstance(event, ModelCalled):
            self._usage["prompt_tokens"] += event.prompt_tokens or 0
            self._usage["completion_tokens"] += event.completion_tokens or 0
            self._usage["total_tokens"] = self._usage["prompt_tokens"] + self._usage["completion_tokens"]
        elif isinstance(event, (TurnCompleted, TurnFailed)):
            self._end = event
        return self._write(self._cut.take(self._writer.take(event)))

    def _write(self, piece: str) -> str:
        if piece:
            self._written.append(piece)
        return piece

    def _reason(self) -> str:
        cut = isinstance(self._end, TurnCompleted) and self._end.metadata.get("cut")
        return "length" if cut and not self._cut.found else "stop"

    def _problem(self, failed: TurnFailed) -> dict[str, Any]:
        text = ErrorText(failed.title, failed.message, failed.remedy)
        return problem(502, failed.code, text, self._id)

    async def _remember(self) -> None:
        """Let the next request find the conversation by what the client will send then."""
        said = (*self._thread.history, ("user", self._thread.question), ("assistant", "".join(self._written)))
        names = [_name_of(said, self._wanted.user), *self._thread.names]
        kept = [names[0], *(name for name in names[1:] if not name.startswith("messages:"))]
        if self._wanted.user and not self._wanted.chat_id:
            kept.append(f"user:{self._wanted.user}")
        owner, conversation = self._caller.profile.login, self._stream.turn.conversation_id

        def put(services: Services) -> None:
            Threads(services.state).put(owner, self._stream.mode, conversation, dict.fromkeys(kept))

        await self._site.call(put)

    def _frame(self, kind: str) -> dict[str, Any]:
        return {
            "id": self._id,
            "object": kind,
            "created": self._created,
            "model": self._wanted.model,
            "conversation_id": self._stream.turn.conversation_id,
        }

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return sse(json.dumps({**self._frame("chat.completion.chunk"), "choices": [choice]}).encode())


class StopText:
    """Ends a text before the first of `stops`; what might be the beginning of one is held back."""

    def __init__(self, stops: list[str]) -> None:
        self._stops = stops
        self._held = ""
        self.found = False

    def take(self, piece: str) -> str:
        """What of the text may be written when `piece` has come."""
        if not self._stops or not piece:
            return piece
        if self.found:
            return ""
        text = self._held + piece
        at = min((found for stop in self._stops if (found := text.find(stop)) >= 0), default=-1)
        if at >= 0:
            self.found, self._held = True, ""
            return text[:at]
        # How many characters at the end may be the beginning of a stop.
        sizes = range(min(len(text), max(map(len, self._stops)) - 1), 0, -1)
        keep = next((size for size in sizes if any(_begins(stop, text[-size:]) for stop in self._stops)), 0)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def rest(self) -> str:
        """What was held back, at the end."""
        held, self._held = self._held, ""
        return held


def _begins(stop: str, end: str) -> bool:
    return len(end) < len(stop) and stop.startswith(end)


def _unknown(name: str) -> TrolyError:
    return AccessError("server.model", model=sanitize(name, keep_newlines=False)[:60])
