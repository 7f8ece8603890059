"""The gate before an HTTP server on this machine: loopback Host, no foreign Origin, the right bearer token."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
MCP_PATH = "/mcp"
LARGEST = 4 * 1024 * 1024
_BAD_REQUEST = 400
_UNAUTHORISED, _FORBIDDEN, _MISDIRECTED = 401, 403, 421


class Gate:
    """An ASGI application that lets through only what comes from this machine and knows the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it: 421 for another host, 403 for an origin that is no page of this machine,
        401 without the token.
        """
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if not _is_near(f"//{headers.get(b'host', '')}"):
            await _refuse(send, _MISDIRECTED, "The host is not this machine")
        elif b"origin" in headers and not _is_near(headers[b"origin"]):
            await _refuse(send, _FORBIDDEN, "The origin is not allowed")
        elif not self._knows(headers.get(b"authorization", "")):
            await _refuse(send, _UNAUTHORISED, "The bearer token is missing or wrong")
        elif scope["method"] == "POST" and scope["path"] == MCP_PATH:
            await self._checked(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _checked(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse JSON that is no JSON-RPC message with -32600; all else is the SDK's to judge."""
        parts, size, more = [], 0, True
        while more and size <= LARGEST:
            message = await receive()
            parts.append(message)
            size += len(message.get("body", b""))
            more = message["type"] == "http.request" and message.get("more_body", False)
        if not more and not _is_message(b"".join(part.get("body", b"") for part in parts)):
            await _refuse(send, _BAD_REQUEST, "Invalid Request")
            return
        waiting = iter(parts)

        async def replay() -> Message:
            return next(waiting, None) or await receive()

        await self._app(scope, replay, send)

    def _knows(self, authorization: str) -> bool:
        kind, _, token = authorization.partition(" ")
        given = token.strip().encode("latin-1", "replace")
        return kind.lower() == "bearer" and secrets.compare_digest(given, self._token)


def _is_near(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in {"", "http", "https"} and (parts.hostname or "") in _LOOPBACK
    except ValueError:
        return False


def _is_message(body: bytes) -> bool:
    """Whether `body` has the frame of a JSON-RPC message, or is no JSON at all."""
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        return True
    return (
        isinstance(asked, dict)
        and asked.get("jsonrpc") == "2.0"
        and not {"method", "result", "error"}.isdisjoint(asked)
    )


async def _refuse(send: Send, status: int, message: str) -> None:
    body = json.dumps({"jsonrpc": "2.0", "error": {"code": -32600, "message": message}, "id": None}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == _UNAUTHORISED:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
