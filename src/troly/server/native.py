"""The native API, version 1: everything that a face of this program can do, under `/api/v1`."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import UploadFile

from troly.conversation.export import render_conversation
from troly.conversation.greeting import create_conversation
from troly.conversation.jobs import LoadFiles
from troly.conversation.turn import MAX_CHARS, TurnRequest
from troly.conversation.wrong_answers import NOTE_CHARS, mark_wrong, unmark_wrong
from troly.errors import AccessError, InputError
from troly.plugin.events import (
    Event,
    ModelCalled,
    Say,
    StepFinished,
    StepStarted,
    Suggestions,
    Token,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    to_json,
)
from troly.server.access import Caller
from troly.server.answers import answer_markdown
from troly.server.site import (
    Site,
    as_json,
    as_stream,
    caller_of,
    conversation_of,
    fields_of,
    lang_of,
    message_of,
    native_frames,
)
from troly.server.streams import ALIVE, BEAT, TurnStream, sse, to_bytes
from troly.server.uploads import flags
from troly.stores.handovers import Handovers
from troly.stores.records import Conversation, StoredMessage
from troly.text.catalogue import Lang
from troly.text.sanitize import sanitize

router = APIRouter(prefix="/api/v1")
# Messages that a follower is given at most at once.
MESSAGES = 200
Limit = Annotated[int, Query(ge=1, le=500)]
Id = Annotated[str, Field(max_length=100)]


class Body(BaseModel):
    """What a client sends; a field that is not known is an error, not silence."""

    model_config = ConfigDict(extra="forbid")


class Question(Body):
    """One message to answer. Without a conversation a new one begins, with the assistant `mode`."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_CHARS)]
    mode: Id | None = None
    conversation: Id | None = None
    language: Lang | None = None
    offline: bool = False
    stream: bool | None = None


class NewConversation(Body):
    """A conversation to begin."""

    mode: Id | None = None
    language: Lang = "vi"


class ConversationChange(Body):
    """What to change of a conversation."""

    title: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    pinned: bool | None = None


class Feedback(Body):
    """Whether an answer was wrong, and why; `right` takes that back."""

    verdict: Literal["wrong", "right"]
    reason: Id = "other"
    note: Annotated[str, Field(max_length=NOTE_CHARS)] = ""


class StaffAnswer(Body):
    """What a member of staff writes to a customer."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_CHARS)]


# --- assistants


@router.get("/modes")
async def modes(request: Request) -> Response:
    """The assistants that the key is for."""
    site, caller = Site.of(request), caller_of(request)
    found = [mode for mode in site.session.registry if caller.may_use(mode.id)]
    return as_json(
        {
            "modes": [
                {
                    "id": mode.id,
                    "names": mode.names,
                    "summaries": mode.summaries,
                    "first_questions": mode.first_questions,
                    "ingests": [one.name for one in mode.ingests],
                }
                for mode in found
            ]
        }
    )


# --- questions


@router.post("/ask")
async def ask(request: Request, question: Question) -> Response:
    """Ask. The answer comes as server-sent events with `stream` or `Accept: text/event-stream`, else whole.

    The question is saved when the answer begins; the answer is written to its end whether or not anybody reads on.
    """
    site, caller = Site.of(request), caller_of(request)
    settings = site.session.services.settings
    mode = question.mode or site.session.registry.first(settings.mode)
    wanted = TurnRequest(
        mode, sanitize(question.text), question.conversation, question.language, offline=question.offline
    )
    return await _answered(request, await site.hub.ask(caller, wanted), streamed=question.stream)


async def _answered(request: Request, stream: TurnStream, *, streamed: bool | None) -> Response:
    turn = stream.turn
    headers = {"X-Turn": turn.turn_id, "X-Conversation": turn.conversation_id}
    if streamed is None:
        streamed = "text/event-stream" in request.headers.get("accept", "")
    if streamed:
        return as_stream(native_frames(stream), headers)
    events = await stream.whole()
    return as_json(_answer(events, stream.mode, lang_of(request)), 200, headers)


def _answer(events: list[Event], mode: str, lang: Lang) -> dict[str, Any]:
    """A whole answer as one value."""
    begun, end = events[0], events[-1]
    assert isinstance(end, (TurnCompleted, TurnFailed))  # noqa: S101 (a turn ends exactly once)
    ids = {"turn": begun.turn, "conversation": begun.conversation} if isinstance(begun, TurnStarted) else {}
    asked = next((one.questions for one in reversed(events) if isinstance(one, Suggestions)), ())
    skipped = (Token, Say, StepStarted, StepFinished, TurnStarted, ModelCalled, type(end))
    content = [to_json(one) for one in events if not isinstance(one, skipped)]
    if isinstance(end, TurnCompleted):
        rest: dict[str, Any] = {"status": "completed", "source": end.source, "type": end.message_type, "state": end.state,
                                "answered": end.metadata.get("answered", True)}  # fmt: skip
    else:
        ending = {"turn.stopped": "stopped", "turn.interrupted": "interrupted"}.get(end.code, "failed")
        error = {"code": end.code, "title": end.title, "message": end.message, "remedy": end.remedy}
        rest = {"status": ending, "error": error}
    return {
        **ids,
        "mode": mode,
        **rest,
        "text": end.text,
        "markdown": answer_markdown(events, lang),
        "content": content,
        "suggestions": list(asked),
        "calls": end.calls,
        "ms": round(end.ms, 1),
    }


@router.get("/turns/{turn}")
async def read_turn(request: Request, turn: str) -> Response:
    """A turn as one value; one that still runs is waited for."""
    stream = await Site.of(request).stream(caller_of(request), turn)
    return as_json(_answer(await stream.whole(), stream.mode, lang_of(request)))


@router.get("/turns/{turn}/events")
async def read_events(request: Request, turn: str, after: Annotated[int, Query(ge=0)] = 0) -> Response:
    """The events of a turn, from `Last-Event-ID` (or `after`) on; one that runs is followed to its end."""
    stream = await Site.of(request).stream(caller_of(request), turn)
    last = request.headers.get("last-event-id", "")
    number = int(last) if last.isascii() and last[:12].isdigit() and len(last) < 12 else after
    return as_stream(native_frames(stream, number), {"X-Turn": turn})


@router.post("/turns/{turn}/cancel")
async def cancel(request: Request, turn: str) -> Response:
    """Stop an answer; what was said stays."""
    site = Site.of(request)
    await site.stream(caller_of(request), turn)
    return as_json({"stopped": await site.hub.cancel(caller_of(request).profile.login, turn)})


@router.post("/turns/{turn}/retry")
async def retry(request: Request, turn: str, *, stream: bool | None = None) -> Response:
    """Ask the question of a turn again, in its conversation."""
    site, caller = Site.of(request), caller_of(request)
    await site.stream(caller, turn)
    store, login = site.session.services.conversations, caller.profile.login
    old = await asyncio.to_thread(store.turn, login, turn)
    question = await asyncio.to_thread(store.message, login, old.question_message_id)
    asked = TurnRequest(old.mode, question.text, old.conversation_id)
    return await _answered(request, await site.hub.ask(caller, asked), streamed=stream)


@router.get("/turns/{turn}/evidence")
async def evidence(request: Request, turn: str) -> Response:
    """Why the answer is what it is: steps, sources, model calls with prompts, as the screen's evidence view shows it."""
    site, caller = Site.of(request), caller_of(request)
    await site.stream(caller, turn)
    found = await asyncio.to_thread(site.session.services.conversations.recording, caller.profile.login, turn)
    return as_json(
        {"turn": turn, "evidence": {name: value for name, value in found.items() if name != "recording"}}
    )


@router.post("/turns/{turn}/feedback")
async def feedback(request: Request, turn: str, said: Feedback) -> Response:
    """Mark an answer as wrong, so that nothing of it is used again, or take the mark back."""
    site, caller = Site.of(request), caller_of(request)
    await site.stream(caller, turn)
    login = caller.profile.login
    if said.verdict == "right":
        return as_json(
            {"turn": turn, "verdict": "right", "taken_back": await site.call(unmark_wrong, login, turn)}
        )
    marked = await site.call(
        mark_wrong, site.session.registry, login, turn, said.reason, note=sanitize(said.note)
    )
    return as_json({"turn": turn, "verdict": "wrong", "reason": said.reason, "case": marked.case})


async def begin_conversation(
    request: Request, wanted: NewConversation
) -> tuple[Conversation, list[StoredMessage]]:
    """A new conversation of the caller with what the assistant greets with; raises AccessError `server.mode`."""
    site, caller = Site.of(request), caller_of(request)
    mode = wanted.mode or site.session.registry.first(site.session.services.settings.mode)
    caller.require(mode)
    found = site.session.registry.get(mode)
    return await site.call(create_conversation, found, caller.profile, wanted.language)


# --- conversations


@router.post("/conversations", status_code=201)
async def create(request: Request, wanted: NewConversation) -> Response:
    """Begin a conversation; the assistant greets."""
    made, said = await begin_conversation(request, wanted)
    body = {**conversation_of(made), "messages": [message_of(one) for one in said]}
    return as_json(body, 201, {"Location": f"/api/v1/conversations/{made.id}"})


@router.get("/conversations")
async def list_conversations(
    request: Request, mode: str | None = None, limit: Limit = 50, before: str | None = None
) -> Response:
    """The caller's conversations, pinned ones first, then the newest; `before` is the last id of the page before."""
    site, caller = Site.of(request), caller_of(request)
    found = await asyncio.to_thread(
        site.session.services.conversations.list, caller.profile.login, mode=mode, limit=limit, before=before
    )
    return as_json({"conversations": [conversation_of(one) for one in found if caller.may_use(one.mode)]})


@router.get("/conversations/{conversation}")
async def read(
    request: Request, conversation: str, limit: Limit = 200, before: str | None = None
) -> Response:
    """A conversation and its newest messages, oldest first."""
    site, caller = Site.of(request), caller_of(request)
    found = await site.conversation(caller, conversation)
    said = await asyncio.to_thread(
        site.session.services.conversations.messages,
        caller.profile.login,
        conversation,
        limit=limit,
        before=before,
    )
    return as_json({**conversation_of(found), "messages": [message_of(one) for one in said]})


@router.patch("/conversations/{conversation}")
async def change(request: Request, conversation: str, wanted: ConversationChange) -> Response:
    """Rename or pin a conversation."""
    site, caller = Site.of(request), caller_of(request)
    await site.conversation(caller, conversation)
    title = None if wanted.title is None else sanitize(wanted.title, keep_newlines=False).strip()
    if title == "":
        raise InputError("turn.empty")
    changed = await asyncio.to_thread(
        site.session.services.conversations.update,
        caller.profile.login,
        conversation,
        title=title,
        pinned=wanted.pinned,
    )
    return as_json(conversation_of(changed))


@router.delete("/conversations/{conversation}")
async def delete(request: Request, conversation: str) -> Response:
    """Put a conversation away; `restore` brings it back for a while."""
    site, caller = Site.of(request), caller_of(request)
    await site.conversation(caller, conversation)
    await asyncio.to_thread(site.session.services.conversations.delete, caller.profile.login, conversation)
    return Response(status_code=204)


@router.post("/conversations/{conversation}/restore")
async def restore(request: Request, conversation: str) -> Response:
    """Bring a deleted conversation back."""
    site, caller = Site.of(request), caller_of(request)
    found = await asyncio.to_thread(
        site.session.services.conversations.restore, caller.profile.login, conversation
    )
    return as_json(conversation_of(found))


@router.get("/conversations/{conversation}/export")
async def export(request: Request, conversation: str, form: Literal["md", "json", "csv"] = "md") -> Response:
    """The whole conversation as a file."""
    site, caller = Site.of(request), caller_of(request)
    found = await site.conversation(caller, conversation)
    whole = await asyncio.to_thread(
        site.session.services.conversations.export, caller.profile.login, conversation
    )
    text = render_conversation(whole, form, lang_of(request), site.session.zone)
    kind = {"md": "text/markdown", "json": "application/json", "csv": "text/csv"}[form]
    # The name is the id that the store gave, never what a client wrote.
    headers = {"Content-Disposition": f'attachment; filename="{found.id}.{form}"'}
    return Response(text.encode("utf-8-sig" if form == "csv" else "utf-8"), 200, headers, kind)


@router.get("/search")
async def search(request: Request, q: Annotated[str, Query(max_length=1000)], limit: Limit = 20) -> Response:
    """The caller's messages with all words of `q`, with or without accents, best first."""
    site, caller = Site.of(request), caller_of(request)
    hits = await asyncio.to_thread(
        site.session.services.conversations.search, caller.profile.login, sanitize(q), limit
    )
    return as_json({"hits": [asdict(one) for one in hits if caller.may_use(one.mode)]})


@router.get("/conversations/{conversation}/events")
async def follow(request: Request, conversation: str) -> Response:
    """Messages of a conversation as they come, also those of a member of staff; `id` is the message's.

    Begins after `Last-Event-ID`, else with the next message.
    """
    site, caller = Site.of(request), caller_of(request)
    await site.conversation(caller, conversation)
    return as_stream(
        _messages(site, caller.profile.login, conversation, request.headers.get("last-event-id", ""))
    )


async def _messages(site: Site, owner: str, conversation: str, last: str) -> AsyncIterator[bytes]:
    page = partial(site.session.services.conversations.messages, owner, conversation)
    newest = await asyncio.to_thread(page, limit=MESSAGES)
    if all(one.id != last for one in newest):
        last = newest[-1].id if newest else ""
    told = -math.inf
    async with aclosing(site.hub.changes(conversation)) as changes:
        async for _ in changes:
            newest = await asyncio.to_thread(page, limit=1)
            if newest and newest[0].id != last:
                newest = await asyncio.to_thread(page, limit=MESSAGES)
                known = next((at for at, one in enumerate(newest) if one.id == last), -1)
                last, told = newest[-1].id, time.monotonic()
                yield b"".join(
                    sse(to_bytes(message_of(one)), event="message", number=one.id)
                    for one in newest[known + 1 :]
                )
            elif time.monotonic() - told >= BEAT:
                told = time.monotonic()
                yield ALIVE


# --- hand-overs


@router.get("/handovers")
async def handovers(request: Request, *, closed: bool = False) -> Response:
    """Conversations that wait for a person: all of them for staff, else the caller's own."""
    site, caller = Site.of(request), caller_of(request)
    store = Handovers(site.session.services.conversations)
    found = await asyncio.to_thread(store.list, caller.profile.login, staff=caller.staff, closed=closed)
    return as_json({"handovers": [fields_of(one) for one in found if caller.may_use(one.mode)]})


@router.get("/handovers/{handover}")
async def handover(request: Request, handover: str) -> Response:
    """One hand-over with the conversation behind it, for who may take it."""
    site, caller = Site.of(request), caller_of(request)
    store = await _desk(site, caller, handover)
    found = await asyncio.to_thread(store.get, handover, caller.profile.login, staff=caller.staff)
    said = await asyncio.to_thread(
        site.session.services.conversations.messages, found.customer, found.conversation
    )
    return as_json({**fields_of(found), "messages": [message_of(one) for one in said]})


@router.post("/handovers/{handover}/take")
async def take(request: Request, handover: str) -> Response:
    """Take a conversation over."""
    site, caller = Site.of(request), caller_of(request)
    store = await _desk(site, caller, handover)
    taken = await asyncio.to_thread(store.take, handover, caller.profile.login, staff=caller.staff)
    return as_json(fields_of(taken))


@router.post("/handovers/{handover}/answer")
async def answer(request: Request, handover: str, said: StaffAnswer) -> Response:
    """Write to the customer, who sees it at once."""
    site, caller = Site.of(request), caller_of(request)
    store, text = await _desk(site, caller, handover), sanitize(said.text)
    message = await asyncio.to_thread(
        store.answer, handover, caller.profile.login, text, staff=caller.staff, name=caller.profile.name
    )
    site.hub.changed(message.conversation_id)
    return as_json(message_of(message), 201)


@router.post("/handovers/{handover}/close")
async def close(request: Request, handover: str) -> Response:
    """The customer needs no person any more."""
    site, caller = Site.of(request), caller_of(request)
    store = await _desk(site, caller, handover)
    closed = await asyncio.to_thread(store.close, handover, caller.profile.login, staff=caller.staff)
    return as_json(fields_of(closed))


async def _desk(site: Site, caller: Caller, handover: str) -> Handovers:
    """The hand-overs, where this one is of an assistant that the key is for; else AccessError `store.not_yours`."""
    store = Handovers(site.session.services.conversations)
    found = await asyncio.to_thread(store.get, handover, caller.profile.login, staff=caller.staff)
    if not caller.may_use(found.mode):
        raise AccessError("store.not_yours")
    return store


# --- uploads


@router.post("/ingest/{mode}/{ingest}", status_code=202)
async def upload(request: Request, mode: str, ingest: str) -> Response:
    """Load the file of the form field `file` with an ingest of an assistant (`knowledge/documents` for documents of all).

    Other fields are the ingest's own values. Needs the permission `ingest`.
    """
    site, caller = Site.of(request), caller_of(request)
    if not caller.may_ingest:
        raise AccessError("server.ingest")
    known = mode == "knowledge" or any(
        one.name == ingest for one in site.session.registry.get(mode).ingests if caller.may_use(mode)
    )
    if not known:
        raise InputError("server.nothing")
    lang = lang_of(request)
    async with request.form(max_files=1, max_fields=20) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise InputError("server.file")
        values = {key: value for key, value in form.items() if isinstance(value, str)}
        # `errors` names a file on this machine, which a client must not.
        values.pop("errors", None)
        job = LoadFiles("" if mode == "knowledge" else mode, ingest, (), lang, flags(values))
        begun = await site.uploads.begin(caller, job, file.filename or "", file.file)
    return as_json(begun.state, 202, {"Location": f"/api/v1/uploads/{begun.id}"})


@router.get("/uploads/{upload}")
async def read_upload(request: Request, upload: str) -> Response:
    """How far an upload is; `Accept: text/event-stream` follows it to its end."""
    found = Site.of(request).uploads.get(caller_of(request).profile.login, upload)
    if "text/event-stream" not in request.headers.get("accept", ""):
        return as_json(found.state)

    async def frames() -> AsyncIterator[bytes]:
        async with aclosing(found.states()) as states:
            async for state in states:
                yield sse(to_bytes(state), event=state["status"])

    return as_stream(frames())


@router.delete("/uploads/{upload}")
async def stop_upload(request: Request, upload: str) -> Response:
    """Stop an upload; the data that was there stays whole."""
    found = Site.of(request).uploads.get(caller_of(request).profile.login, upload)
    found.stop.set()
    return as_json(found.state)
