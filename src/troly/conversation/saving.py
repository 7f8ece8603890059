"""Writes the end of a turn to the store in one transaction, and says in words why a turn failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from troly.errors import ErrorText, TrolyError
from troly.plugin.events import Say, TurnCompleted, TurnFailed
from troly.plugin.services import Services
from troly.stores.records import NewMessage
from troly.text.catalogue import Lang
from troly.text.sanitize import sanitize


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ends: its status in the store, its terminal event, and the answer's text without short messages."""

    status: Literal["completed", "failed", "stopped"]
    event: TurnCompleted | TurnFailed
    answer: str
    conversation_metadata: Mapping[str, Any] | None = None


def save_ending(
    services: Services,
    owner: str,
    conversation: str,
    turn: str,
    ending: Ending,
    *,
    said: Sequence[Say],
    trace: Mapping[str, Any],
    recording: Mapping[str, Any] | None = None,
    language: Lang,
) -> None:
    """Save messages, state, trace and status of a turn; then the conversation's language and metadata.

    Raises StoreError.
    """
    event = ending.event
    messages = [NewMessage("assistant", say.text, say.message_type, dict(say.metadata)) for say in said]
    if ending.answer:
        messages.append(_answer_of(ending))
    good = event if isinstance(event, TurnCompleted) else None
    services.conversations.finish_turn(
        owner,
        turn,
        status=ending.status,
        messages=messages,
        source=good.source if good else None,
        calls=event.calls,
        ms=event.ms,
        state=dict(good.state) if good else {},
        trace=dict(trace),
        recording=recording,
        error=_error_of(event) if isinstance(event, TurnFailed) else None,
    )
    metadata = dict(ending.conversation_metadata) if ending.conversation_metadata else None
    services.conversations.update(owner, conversation, language=language, metadata=metadata)


def _answer_of(ending: Ending) -> NewMessage:
    event = ending.event
    if isinstance(event, TurnCompleted):
        return NewMessage("assistant", ending.answer, event.message_type, dict(event.metadata))
    return NewMessage("assistant", ending.answer, ending.status, {"code": event.code})


def _error_of(event: TurnFailed) -> dict[str, str]:
    return {"title": event.title, "message": event.message, "remedy": event.remedy, "code": event.code}


def failure_of(error: Exception, mode: str, lang: Lang) -> ErrorText:
    """Title, message and remedy of anything that a turn may raise."""
    if isinstance(error, TrolyError):
        return error.render(lang)
    reason = sanitize(f"{type(error).__name__}: {error}", keep_newlines=False)[:300]
    return TrolyError("turn.failed", mode=mode, reason=reason).render(lang)
