"""Serves on stdio, or on a loopback port over streamable HTTP behind a token, with the documents' JSON-RPC beside it."""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR
from starlette.responses import JSONResponse, Response

from troly.errors import InputError
from troly_dental.servers.server import StrictServer

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


# -- The gate: loopback Host, no foreign Origin, the right bearer token.

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


# -- The documents' plain JSON-RPC endpoint: `POST /jsonrpc` with `{server}/{method}` (003-33 to 003-35).

PATH = "/jsonrpc"


def add(server: StrictServer) -> None:
    """Let `server` answer the documents' methods as well: `memory-server/memory/<tool>`, `tool-server/tools/call`."""

    async def answer(request: Request) -> Response:
        return await _answer(server, request)

    server.custom_route(PATH, methods=["POST"])(answer)


async def _answer(server: StrictServer, request: Request) -> Response:
    asked_id: Any = None
    try:
        asked = await _read(request)
        method, params = _checked(asked)
        asked_id = asked.get("id")
        result = await _call(server, method, params)
    except MCPError as error:
        wrong = {"code": error.code, "message": error.message}
        return JSONResponse({"jsonrpc": "2.0", "error": wrong, "id": asked_id})
    if "id" not in asked:
        return Response(status_code=204)
    return JSONResponse({"jsonrpc": "2.0", "result": result, "id": asked_id})


def _checked(asked: dict[str, Any]) -> tuple[str, Any]:
    """Method and parameters of a request; raises MCPError."""
    method = asked.get("method")
    right_id = asked.get("id") is None or isinstance(asked["id"], str | int | float)
    if asked.get("jsonrpc") != "2.0" or not isinstance(method, str) or not right_id:
        raise MCPError(INVALID_REQUEST, "Invalid Request")
    return method, asked.get("params", {})


async def _read(request: Request) -> dict[str, Any]:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST:
            raise MCPError(INVALID_REQUEST, "The request is too large")
    try:
        asked = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise MCPError(PARSE_ERROR, "Parse error") from error
    if not isinstance(asked, dict):
        raise MCPError(INVALID_REQUEST, "Invalid Request")
    return asked


async def _call(server: StrictServer, method: str, params: Any) -> Any:
    if not isinstance(params, dict):
        raise MCPError(INVALID_PARAMS, "Invalid params")
    part, _, asked = method.partition("/")
    tools = server.parts.get(part, frozenset())
    if tools and asked == "tools/call":
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise MCPError(INVALID_PARAMS, "Invalid params")
        if name not in tools:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {name[:80]}")
    elif asked.startswith("memory/") and asked.removeprefix("memory/") in tools:
        name, arguments = asked.removeprefix("memory/"), params
    else:
        raise MCPError(METHOD_NOT_FOUND, "Method not found")
    try:
        result = await server.call_tool(name, arguments)
    except ToolError as error:
        raise MCPError(INTERNAL_ERROR, str(error)) from error
    if result.is_error:
        raise MCPError(INTERNAL_ERROR, " ".join(getattr(part, "text", "") for part in result.content))
    return result.structured_content


HOST = "127.0.0.1"


def on_stdio(server: StrictServer) -> None:
    """Serve the process that started this one until it closes stdin; nothing but the protocol goes to stdout."""
    asyncio.run(server.run_stdio_async())


def on_http(server: StrictServer, port: int, token: str, tell: Callable[[str], None]) -> None:
    """Serve on 127.0.0.1 at `port` (0 takes a free one) until the process is told to end.

    `tell` is given the address once the port is taken. Raises InputError `dental.mcp.port_taken`.
    """
    import uvicorn

    # The protocol is named so that asyncio turns Nagle's delay off: without it every answer waits 40 ms.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        try:
            listening.bind((HOST, port))
            listening.listen()
        except OSError as error:
            raise InputError("dental.mcp.port_taken", port=port, reason=error.strerror or error) from error
        add(server)
        app = Gate(server.streamable_http_app(host=HOST), token)
        config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
        tell(f"http://{HOST}:{listening.getsockname()[1]}/mcp")
        asyncio.run(uvicorn.Server(config).serve(sockets=[listening]))
    finally:
        listening.close()


def on_stderr(line: str) -> None:
    """Say something to the person; stdout belongs to the protocol."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
