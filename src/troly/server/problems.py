"""Errors as HTTP: one status for each kind, one JSON form, in the language that the client asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from troly.errors import AccessError, ConfigError, ErrorText, InputError, ModelError, StoreError, TrolyError
from troly.plugin.events import TurnFailed
from troly.server.access import NoKeyError, RateError
from troly.server.streams import BusyError
from troly.text.catalogue import Lang
from troly.text.sanitize import sanitize

_BY_KEY = {
    "store.not_yours": 404,
    "mode.unknown": 404,
    "wrong.reason": 422,
    "wrong.unfinished": 409,
    "server.busy": 409,
    "server.elsewhere": 409,
    "handover.taken": 409,
    "handover.closed": 409,
    "server.nothing": 404,
    "server.model": 404,
    "turn.long": 413,
    "store.busy": 503,
}
_BY_KIND: tuple[tuple[type[TrolyError], int], ...] = (
    (NoKeyError, 401),
    (RateError, 429),
    (BusyError, 503),
    (AccessError, 403),
    (InputError, 422),
    (ModelError, 502),
    (ConfigError, 500),
    (StoreError, 500),
)

_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def status_of(error: TrolyError) -> int:
    """The HTTP status of an error."""
    return _BY_KEY.get(error.key) or next(
        (status for kind, status in _BY_KIND if isinstance(error, kind)), 500
    )


def text_of(error: TrolyError, lang: Lang) -> ErrorText:
    """The sentences of an error; those of a turn that failed are said as it said them."""
    failed = error.params.get("failed")
    if isinstance(failed, TurnFailed):
        return ErrorText(failed.title, failed.message, failed.remedy)
    return error.render(lang)


def problem(status: int, code: str, text: ErrorText, request_id: str) -> dict[str, Any]:
    """The body of an answer that is an error; `type` and `param` are what OpenAI clients look for."""
    said = {"title": text.title, "message": text.message or text.title, "remedy": text.remedy}
    kind = "server_error" if status >= 500 else _TYPES.get(status, "invalid_request_error")
    parts = {name: sanitize(part) for name, part in said.items()}
    return {"error": {"code": code, **parts, "type": kind, "param": None, "request": request_id}}


def language_of(headers: Mapping[bytes, bytes]) -> Lang:
    """The language that `Accept-Language` begins with; English for any other."""
    return "vi" if headers.get(b"accept-language", b"").lower().startswith(b"vi") else "en"


def retry_after(error: TrolyError) -> dict[str, str]:
    """When to come again, for those errors that pass by themselves."""
    if isinstance(error, RateError):
        return {"Retry-After": str(error.params["seconds"])}
    if isinstance(error, NoKeyError):
        return {"WWW-Authenticate": "Bearer"}
    return {"Retry-After": "1"} if isinstance(error, BusyError) else {}
