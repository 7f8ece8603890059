"""The interfaces that the documents describe: conversations with a stream (000-61, -62), socket events (001-43)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress
from functools import partial
from typing import Annotated, Any

import socketio
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from troly.conversation.turn import MAX_CHARS, TurnRequest
from troly.errors import InputError, TrolyError
from troly.plugin.events import (
    Event,
    Progress,
    StepFinished,
    StepStarted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from troly.server.access import Caller
from troly.server.answers import AnswerWriter
from troly.server.native import NewConversation, begin_conversation
from troly.server.site import Site, as_json, as_stream, caller_of, message_of
from troly.server.streams import ALIVE, SavedStream, TooSlowError, TurnStream, quoted, sse, to_bytes
from troly.text.sanitize import sanitize, sanitize_json

router = APIRouter()
OPENED = b'data: {"debug":"stream-open"}\n\n'
# A socket that answers no ping for so long (seconds) is left; how large a message of its client may be.
SOCKET_SECONDS, SOCKET_BYTES = 20.0, 512 * 1024
Emit = Callable[[str, dict[str, Any]], Awaitable[None]]


class Message(BaseModel):
    """A customer's message."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_CHARS)]
    offline: bool = False


class StreamRequest(BaseModel):
    """A message to answer now; without a text the answer to the last message is streamed."""

    text: Annotated[str, Field(max_length=MAX_CHARS)] = ""
    offline: bool = False


# --- 000: conversations


@router.post("/conversations", status_code=201)
async def create(request: Request, wanted: NewConversation | None = None) -> Response:
    """Begin a conversation; the assistant greets (000-07)."""
    made, said = await begin_conversation(request, wanted or NewConversation())
    body = {"conversation_id": made.id, "mode": made.mode, "messages": [message_of(one) for one in said]}
    return as_json(body, 201, {"Location": f"/conversations/{made.id}/history"})


@router.post("/conversations/{conversation}/messages", status_code=202)
async def post_message(request: Request, conversation: str, said: Message) -> Response:
    """Save a message; its answer is written in the background."""
    stream = await _ask(request, conversation, said.text, offline=said.offline)
    turn = stream.turn
    body = {"conversation_id": conversation, "turn_id": turn.turn_id, "status": "accepted"}
    return as_json(body, 202, {"Location": f"/conversations/{conversation}/stream"})


@router.post("/conversations/{conversation}/stream")
async def stream_answer(request: Request, conversation: str, said: StreamRequest | None = None) -> Response:
    """Stream an answer: `{"debug":"stream-open"}` first, then the chunks in order, then how it ended.

    What an assistant's document tells of its way stands between, as the document has it (004-45).
    """
    site, caller = Site.of(request), caller_of(request)
    if said is not None and said.text:
        stream = await _ask(request, conversation, said.text, offline=said.offline)
    else:
        await site.conversation(caller, conversation)
        found = site.hub.running_in(caller.profile.login, conversation)
        if found is None:
            raise InputError("server.nothing")
        stream = found
    return as_stream(_chunks(stream, conversation), {"X-Turn": stream.turn.turn_id})


@router.get("/conversations/{conversation}/history")
async def history(request: Request, conversation: str) -> Response:
    """All that was said."""
    site, caller = Site.of(request), caller_of(request)
    await site.conversation(caller, conversation)
    said = await asyncio.to_thread(
        site.session.services.conversations.messages, caller.profile.login, conversation
    )
    return as_json({"conversation_id": conversation, "messages": [message_of(one) for one in said]})


async def _ask(request: Request, conversation: str, text: str, *, offline: bool) -> TurnStream:
    site, caller = Site.of(request), caller_of(request)
    found = await site.conversation(caller, conversation)
    asked = TurnRequest(found.mode, sanitize(text), found.id, offline=offline)
    return await site.hub.ask(caller, asked)


async def _chunks(stream: TurnStream, conversation: str) -> AsyncIterator[bytes]:
    yield OPENED
    writer = AnswerWriter("vi")
    try:
        async with aclosing(stream.read()) as batches:
            async for first, batch in batches:
                if not first:
                    yield ALIVE
                for event in batch if first else ():
                    if piece := writer.take(event):
                        yield b'data: {"chunk":' + quoted(piece) + b"}\n\n"
                    if isinstance(event, Progress) and event.node:
                        yield sse(to_bytes({"node": event.node, "output": event.output}))
                    elif isinstance(event, TurnCompleted):
                        ids = {"conversation_id": conversation, "turn_id": stream.turn.turn_id}
                        yield sse(to_bytes({"done": True, **ids, "type": event.message_type}))
                    elif isinstance(event, TurnFailed):
                        yield sse(to_bytes({"error": {"code": event.code, "message": event.title}}))
    except TooSlowError as slow:
        yield sse(to_bytes({"error": {"code": "server.slow", "last": slow.last}}))


# --- 001: socket events


class ChatSocket:
    """Socket.IO's server (001-43): `chat:message` `{text, conversation_id?, mode?}` is answered with `chat:message:*` events.

    Several messages may be sent; their answers carry their conversation and turn. `chat:message:cancel` with a `turn_id`
    stops one. Only the WebSocket transport is taken; the key is in its headers or, as browsers can send none, `token` in
    Socket.IO's `auth`. A client that does not read is left when
    it answers no ping, or does not take in time what waits for it.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._answers: dict[str, set[asyncio.Task[None]]] = {}
        server = self.server = socketio.AsyncServer(
            async_mode="asgi", transports=["websocket"], cors_allowed_origins=[], max_http_buffer_size=SOCKET_BYTES,
            ping_interval=SOCKET_SECONDS, ping_timeout=SOCKET_SECONDS,
        )  # fmt: skip
        server.on("connect", self._connect)
        server.on("disconnect", self._disconnect)
        server.on("chat:message", self._ask)
        server.on("chat:message:cancel", self._cancel)
        server.on("*", self._unknown)

    async def _connect(self, sid: str, environ: dict[str, Any], auth: object = None) -> None:
        state = environ["asgi.scope"]["state"]
        if "caller" not in state:
            token = str(auth.get("token", "")) if isinstance(auth, dict) else ""
            try:
                state["caller"] = await self._site.access.caller(
                    {b"x-api-key": token.encode("latin-1", "replace")}
                )
            except TrolyError as error:
                raise socketio.exceptions.ConnectionRefusedError(error.key) from error
        self._answers[sid] = set()
        await self.server.save_session(sid, {"caller": state["caller"]})

    async def _disconnect(self, sid: str, _reason: object = None) -> None:
        # The answers go on; only this reader leaves.
        for task in self._answers.pop(sid, ()):
            task.cancel()

    async def _ask(self, sid: str, data: object = None) -> None:
        caller = (await self.server.get_session(sid))["caller"]
        task = asyncio.create_task(_socket_answer(self._site, caller, data, partial(self._emit, sid)))
        self._answers[sid].add(task)
        task.add_done_callback(self._answers[sid].discard)

    async def _cancel(self, sid: str, data: object = None) -> None:
        caller = (await self.server.get_session(sid))["caller"]
        turn = data.get("turn_id") if isinstance(data, dict) else None
        with suppress(TrolyError):
            await self._site.hub.cancel(caller.profile.login, str(turn)[:100])

    async def _unknown(self, _event: str, sid: str, _data: object = None) -> None:
        await self._emit(sid, "chat:message:failed", {"error": "server.event"})

    async def _emit(self, sid: str, event: str, data: dict[str, Any]) -> None:
        socket = self.server.eio.sockets.get(self.server.manager.eio_sid_from_sid(sid, "/"))
        try:
            if (
                socket is not None
                and socket.queue.qsize() > self._site.session.services.settings.server.queue
            ):
                async with asyncio.timeout(SOCKET_SECONDS):
                    await socket.queue.join()
            await self.server.emit(event, data, to=sid)
        except TimeoutError:
            await self.server.disconnect(sid)


async def _socket_answer(site: Site, caller: Caller, data: object, emit: Emit) -> None:
    asked: dict[str, Any] = data if isinstance(data, dict) else {}
    text, conversation, mode = asked.get("text"), asked.get("conversation_id"), asked.get("mode")
    try:
        if (
            not isinstance(text, str)
            or not isinstance(conversation, str | None)
            or not isinstance(mode, str | None)
        ):
            raise InputError("server.event")
        first = site.session.registry.first(site.session.services.settings.mode)
        request = TurnRequest(mode or first, sanitize(text), conversation, offline=bool(asked.get("offline")))
        stream = await site.hub.ask(caller, request)
    except TrolyError as error:
        said = {"error": error.key, "message": error.render("vi").line(), "conversation_id": conversation}
        await emit("chat:message:failed", sanitize_json(said))
        return
    await socket_events(stream, emit)


async def socket_events(stream: TurnStream | SavedStream, emit: Emit) -> None:
    """The events of 001-43 for one turn: started, tokens, tools, and exactly one of completed and failed."""
    writer, ids = AnswerWriter("vi"), dict[str, str]()
    try:
        async with aclosing(stream.read()) as batches:
            async for first, batch in batches:
                for event in batch if first else ():
                    if isinstance(event, TurnStarted):
                        ids = {"conversation_id": event.conversation, "turn_id": event.turn}
                    for name, data in event_messages(event, writer):
                        await emit(f"chat:message:{name}", sanitize_json({**ids, **data}))
    except TooSlowError as slow:
        await emit("chat:message:failed", {**ids, "error": "server.slow", "last": slow.last})


def event_messages(event: Event, writer: AnswerWriter) -> list[tuple[str, dict[str, Any]]]:
    """The documents' messages for one event (001-43): their names without `chat:message:`, with what they carry."""
    found: list[tuple[str, dict[str, Any]]] = []
    if piece := writer.take(event):
        found.append(("token", {"token": piece}))
    match event:
        case TurnStarted():
            found.append(("started", {"text": event.text, "language": event.language}))
        case StepStarted() if event.tool:
            found.append(("tool_start", {"tool_name": event.tool, "agent": event.agent}))
        case StepFinished() if event.tool:
            ended = {"tool_name": event.tool, "agent": event.agent, "ms": event.ms, "failed": event.failed}
            found.append(("tool_end", ended))
        case TurnCompleted():
            found.append(("completed", {"text": event.text, "source": event.source, "state": event.state}))
        case TurnFailed():
            found.append(("failed", {"error": event.code, "message": event.message, "text": event.text}))
        case _:
            pass
    return found
