"""What every route works with: the session, the running answers, the uploads, and the answers' common forms."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Concatenate, ParamSpec, TypeVar

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response, StreamingResponse

from troly.conversation.session import Session
from troly.errors import AccessError
from troly.plugin.events import Event, to_json
from troly.plugin.services import Services
from troly.server.access import Access, Caller
from troly.server.metrics import Metrics
from troly.server.problems import language_of
from troly.server.streams import ALIVE, AnyStream, TooSlowError, TurnHub, event_json, sse, to_bytes
from troly.server.uploads import Uploads
from troly.stores.records import Conversation, StoredMessage
from troly.text.catalogue import Lang
from troly.text.sanitize import sanitize_json

P = ParamSpec("P")
T = TypeVar("T")
STREAM_HEADERS = {"X-Accel-Buffering": "no"}


@dataclass(frozen=True, slots=True)
class Site:
    """One server; `of` gives the one that a request belongs to."""

    session: Session
    access: Access
    hub: TurnHub
    uploads: Uploads
    metrics: Metrics

    @staticmethod
    def of(request: HTTPConnection) -> Site:
        found: Site = request.app.state.site
        return found

    async def call(
        self, function: Callable[Concatenate[Services, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `function` with the services on a thread that may block."""
        return await asyncio.to_thread(function, self.session.services, *args, **kwargs)

    async def conversation(self, caller: Caller, conversation: str) -> Conversation:
        """The caller's conversation; raises AccessError `store.not_yours`, also for an assistant the key is not for."""
        found = await asyncio.to_thread(
            self.session.services.conversations.get, caller.profile.login, conversation
        )
        if not caller.may_use(found.mode):
            raise AccessError("store.not_yours")
        return found

    async def stream(self, caller: Caller, turn: str) -> AnyStream:
        """The stream of the caller's turn; raises as `conversation`."""
        found = await self.hub.find(caller.profile.login, turn)
        if not caller.may_use(found.mode):
            raise AccessError("store.not_yours")
        return found


def caller_of(request: HTTPConnection) -> Caller:
    """Who asks, as the guard found out."""
    found: Caller = request.state.caller
    return found


def lang_of(request: Request) -> Lang:
    return language_of(dict(request.scope["headers"]))


def as_json(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(to_bytes(sanitize_json(value)), status, headers, "application/json")


def as_stream(frames: AsyncIterator[bytes], headers: Mapping[str, str] | None = None) -> StreamingResponse:
    return StreamingResponse(frames, 200, {**STREAM_HEADERS, **(headers or {})}, "text/event-stream")


async def native_frames(stream: AnyStream, after: int = 0) -> AsyncGenerator[bytes]:
    """The events of a turn after number `after` as server-sent events, each with its number as `id`.

    A reader that is too slow gets `overflow` as its last event, and can come again with `Last-Event-ID`.
    """
    try:
        async with aclosing(stream.read(after)) as batches:
            async for first, batch in batches:
                yield b"".join(_frame(event, first and first + n) for n, event in enumerate(batch)) or ALIVE
    except TooSlowError as slow:
        yield sse(to_bytes({"event": "overflow", "last": slow.last}), event="overflow")


def _frame(event: Event, number: int) -> bytes:
    return sse(
        event_json(event, lambda one: dict(sanitize_json(to_json(one)))),
        event=type(event).__name__,
        number=number or "",
    )


def fields_of(record: Any, *names: str) -> dict[str, Any]:
    """The fields of a stored record (all, or those named) as JSON values."""
    found = {field.name: getattr(record, field.name) for field in fields(record)}
    return {
        name: found[name].isoformat() if isinstance(found[name], datetime) else found[name]
        for name in names or found
    }


def conversation_of(one: Conversation) -> dict[str, Any]:
    return fields_of(one, "id", "mode", "title", "language", "pinned", "created_at", "updated_at")


def message_of(one: StoredMessage) -> dict[str, Any]:
    named = fields_of(one, "sender", "type", "text", "status", "created_at", "metadata")
    return {"id": one.id, "turn": one.turn_id, **named}
