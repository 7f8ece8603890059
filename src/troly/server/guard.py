"""The outermost layer: refuses what no route should see (host, origin, size, key), and writes one log line a request."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import re
import secrets
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException

from troly.errors import TrolyError
from troly.server.access import token_of
from troly.server.problems import language_of, problem, retry_after, status_of, text_of
from troly.waiting import Watchdog

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from troly.config.settings import ServerSettings
    from troly.server.access import Access
    from troly.server.metrics import Metrics

log = logging.getLogger("troly.server")
MOST_HEADERS, HEADER_BYTES = 100, 32 * 1024
# What needs no key: signs of life, the description of the interface, and the page that asks for a key.
PUBLIC = frozenset({"/health", "/ready", "/docs", "/openapi.json", "/", "/screen/key"})
STATIC_PATH = "/static"
UPLOADS = "/api/v1/ingest"
# Its clients in browsers can send no headers: their key comes with their first message.
SOCKET_PATH = "/socket.io"
# How long one piece of an answer may wait for a client that takes nothing (seconds).
SEND_SECONDS = 60.0
_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_SAFE = {"GET", "HEAD", "OPTIONS"}


class RequestError(TrolyError):
    """A request that is refused before any route sees it; `status` is its HTTP status."""

    def __init__(self, status: int, key: str, **params: object) -> None:
        super().__init__(key, **params)
        self.status = status


class Guard:
    """An ASGI application around the server's own."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, access: Access, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._access = access
        self._metrics = metrics
        self._hosts = {"localhost", *_names(settings.hosts), settings.host.lower()}
        self._origins = {origin.rstrip("/") for origin in _names(settings.origins)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or connection; anything else (the lifespan) goes through."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id", b"")
        request_id = given.decode() if _ID.fullmatch(given) else secrets.token_hex(8)
        scope.setdefault("state", {})["request"] = request_id
        exchange = Exchange(scope, send, request_id, self._cors(headers))
        try:
            if await self._admits(scope, headers, exchange):
                await self._app(scope, self._body(scope, headers, receive), exchange.send)
        except TrolyError as error:
            await exchange.refuse(error, headers)
            self._metrics.error(error.key)
        except TimeoutError:
            exchange.note = "client takes nothing"
            raise
        finally:
            exchange.watchdog.close()
            route = getattr(scope.get("route"), "path", "") or "-"
            self._metrics.request(scope.get("method", "WEBSOCKET"), route, exchange.status)
            exchange.log()

    async def _admits(self, scope: Scope, headers: Mapping[bytes, bytes], exchange: Exchange) -> bool:
        """Whether the request may go on; False where it was answered here. Raises RequestError, AccessError."""
        if (
            len(scope["headers"]) > MOST_HEADERS
            or sum(len(n) + len(v) for n, v in scope["headers"]) > HEADER_BYTES
        ):
            raise RequestError(431, "server.headers")
        if not self._is_host(headers.get(b"host", b"").decode("latin-1")):
            raise RequestError(421, "server.host")
        method = scope.get("method", "GET")
        if not self._is_origin(headers, method, scope["type"]):
            raise RequestError(403, "server.origin")
        if method == "OPTIONS" and b"access-control-request-method" in headers:
            await exchange.preflight()
            return False
        if scope["path"] not in PUBLIC and not scope["path"].startswith(f"{STATIC_PATH}/"):
            if (
                scope["type"] == "websocket"
                and scope["path"].startswith(SOCKET_PATH)
                and not token_of(headers)
            ):
                return True
            scope["state"]["caller"] = await self._access.caller(headers)
        return True

    def _is_host(self, host: str) -> bool:
        """Whether the client called us by a name of ours, or by an address, which no name server can turn around."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        if name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _is_origin(self, headers: Mapping[bytes, bytes], method: str, kind: str) -> bool:
        """Whether no web page, or one of ours or of the settings, sent this; reading is safe without CORS."""
        if method in _SAFE and kind == "http":
            return True
        if b"origin" not in headers:
            return headers.get(b"sec-fetch-site", b"none") in (b"none", b"same-origin", b"same-site")
        origin = headers[b"origin"].decode("latin-1").lower().rstrip("/")
        host = headers.get(b"host", b"").decode("latin-1").lower()
        return origin in self._origins or origin in (f"http://{host}", f"https://{host}")

    def _cors(self, headers: Mapping[bytes, bytes]) -> list[tuple[bytes, bytes]]:
        origin = headers.get(b"origin", b"")
        if origin.decode("latin-1").lower().rstrip("/") not in self._origins:
            return []
        return [
            (b"access-control-allow-origin", origin),
            (b"access-control-expose-headers", b"x-request-id, x-turn, x-conversation"),
            (b"vary", b"origin"),
        ]

    def _body(self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive) -> Receive:
        """`receive` that lets through so many bytes, each part within its time. Raises RequestError 413, 415, 408."""
        if scope["type"] == "websocket":
            return self._until_known(scope, receive)
        if scope["method"] in _SAFE:
            return receive
        settings, upload = self._settings, scope["path"].startswith(UPLOADS)
        limit = settings.upload_megabytes * 1024 * 1024 if upload else settings.body_kilobytes * 1024
        length = headers.get(b"content-length", b"")
        if length.isdigit() and int(length[:18]) > limit:
            raise RequestError(413, "server.body", limit=limit)
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        wanted = b"multipart/form-data" if upload else b"application/json"
        if kind != wanted and (kind or length not in (b"", b"0")):
            raise RequestError(415, "server.kind", kind=wanted.decode())
        size, whole = 0, False

        async def bounded() -> Message:
            nonlocal size, whole
            if whole:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), settings.body_seconds)
            except TimeoutError:
                raise HTTPException(408) from None
            size += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if size > limit:
                raise HTTPException(413)
            return message

        return bounded

    def _until_known(self, scope: Scope, receive: Receive) -> Receive:
        """`receive` that ends the connection of who has not said a key in the time of a request's head."""
        deadline = asyncio.get_running_loop().time() + self._settings.head_seconds

        async def bounded() -> Message:
            if "caller" in scope["state"]:
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    return await receive()
            except TimeoutError:
                return {"type": "websocket.disconnect", "code": 1008}

        return bounded


class Exchange:
    """One request and what was answered: adds our headers, sends refusals, and tells the log."""

    def __init__(self, scope: Scope, send: Send, request_id: str, cors: list[tuple[bytes, bytes]]) -> None:
        self._scope = scope
        self._send = send
        self._cors = cors
        self._id = request_id
        self._began = time.perf_counter()
        self.status = 0
        self.note = ""
        self.watchdog = Watchdog()
        self._extra = [
            (b"x-request-id", request_id.encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"cache-control", b"no-store"),
            *cors,
        ]

    async def send(self, message: Message) -> None:
        """Send one message of the application; raises TimeoutError for a client that takes nothing."""
        kind = message["type"]
        if kind == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), *self._extra]
        elif kind == "http.response.body" and message.get("more_body"):
            await self.watchdog.wait(self._send(message), SEND_SECONDS)
            return
        elif kind == "websocket.accept":
            self.status = 101
        elif kind == "websocket.close" and not self.status:
            self.status = 403
        await self._send(message)

    async def refuse(self, error: TrolyError, headers: Mapping[bytes, bytes]) -> None:
        """Answer with an error; nothing where the answer had begun."""
        if self.status:
            self.note = error.key
            return
        status = error.status if isinstance(error, RequestError) else status_of(error)
        if self._scope["type"] == "websocket":
            self.status = status
            await self._send({"type": "websocket.close", "code": 1008, "reason": error.key})
            return
        text = text_of(error, language_of(headers))
        body = json.dumps(problem(status, error.key, text, self._id), ensure_ascii=False).encode()
        sent = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        sent += [(name.lower().encode(), value.encode()) for name, value in retry_after(error).items()]
        if status in (408, 413, 431):
            sent.append((b"connection", b"close"))
        await self.send({"type": "http.response.start", "status": status, "headers": sent})
        await self._send({"type": "http.response.body", "body": body})

    async def preflight(self) -> None:
        """Answer a browser that asks whether a page may call us; without CORS headers it may not."""
        sent = [(b"content-length", b"0")]
        if self._cors:
            sent += [
                (b"access-control-allow-methods", b"GET, POST, PATCH, DELETE"),
                (
                    b"access-control-allow-headers",
                    b"authorization, content-type, last-event-id, x-api-key, x-request-id",
                ),
                (b"access-control-max-age", b"600"),
            ]
        await self.send({"type": "http.response.start", "status": 204, "headers": sent})
        await self._send({"type": "http.response.body", "body": b""})

    def log(self) -> None:
        """One line of JSON; nothing of a client stands in it but the path, cut and escaped."""
        if not log.isEnabledFor(logging.INFO):
            return
        line: dict[str, Any] = {
            "request": self._id,
            "method": self._scope.get("method", "WEBSOCKET"),
            "path": self._scope["path"][:200],
            "status": self.status,
            "ms": round((time.perf_counter() - self._began) * 1000, 1),
        }
        caller = self._scope["state"].get("caller")
        line |= {"user": caller.profile.login} if caller else {}
        line |= {"note": self.note} if self.note else {}
        log.info("request", extra={"fields": line})


def _names(setting: str | None) -> list[str]:
    return [part.strip().lower() for part in (setting or "").split(",") if part.strip()]
