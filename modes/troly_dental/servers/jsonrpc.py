"""The documents' plain JSON-RPC endpoint beside MCP: `POST /jsonrpc` with `{server}/{method}` (003-33 to 003-35)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR
from starlette.responses import JSONResponse, Response

if TYPE_CHECKING:
    from starlette.requests import Request

    from troly_dental.servers.strict import StrictServer

PATH = "/jsonrpc"
LARGEST = 4 * 1024 * 1024


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
