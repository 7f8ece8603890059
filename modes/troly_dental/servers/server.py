"""An MCP server whose mistakes have standard JSON-RPC codes and whose errors are sentences."""

from __future__ import annotations

import logging
from typing import Any

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    CallToolResult,
    ErrorData,
    JSONRPCError,
    TextContent,
)
from pydantic import ValidationError

from troly.errors import InputError, TrolyError
from troly_dental.mcp_client import ERROR_META

# -- Lines on stdin that are no message, which the SDK leaves without an answer.


def _refusal(error: Exception) -> JSONRPCError:
    problems: list[dict[str, Any]] = getattr(error, "errors", list)()
    parsed = not any(one.get("type") == "json_invalid" for one in problems)
    code, message = (INVALID_REQUEST, "Invalid Request") if parsed else (PARSE_ERROR, "Parse error")
    return JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=code, message=message))


log = logging.getLogger(__name__)


def refusal(sentence: str, meta: dict[str, Any]) -> CallToolResult:
    """A tool error: a sentence for a model or a person, and beside it what a program can tell it by."""
    return CallToolResult(content=[TextContent(type="text", text=sentence)], is_error=True, _meta=meta)


class StrictServer(MCPServer[Any]):
    """Unknown tools and bad arguments are errors -32602, a fault of the program -32603 (003-35, C7).

    What a tool refuses with a sentence of its own (somebody else's conversation, a full disk) is a tool error, so that
    a model can read it.
    """

    def __init__(self, name: str, title: str, instructions: str) -> None:
        super().__init__(name, title=title, instructions=instructions, log_level="ERROR")
        self.parts: dict[str, frozenset[str]] = {}
        """The documents' servers that this one is, each with its tools (003-34)."""

    async def run_stdio_async(self) -> None:
        """Serve stdin and stdout; a line that is no message is answered with -32700 or -32600."""
        lowlevel = self._lowlevel_server
        readable, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        async with stdio_server() as (read, write), anyio.create_task_group() as group:

            async def answer_unreadable() -> None:
                async with readable:
                    async for item in read:
                        if isinstance(item, Exception):
                            await write.send(SessionMessage(_refusal(item)))
                        else:
                            await readable.send(item)

            group.start_soon(answer_unreadable)
            await lowlevel.run(messages, write, lowlevel.create_initialization_options())
            group.cancel_scope.cancel()

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Run a tool; raises MCPError, ToolError."""
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError as error:
            cause = error.__cause__
            if isinstance(cause, InputError):
                raise MCPError(INVALID_PARAMS, f"Invalid params: {cause}") from error
            if isinstance(cause, TrolyError):
                return refusal(str(cause), {ERROR_META: cause.key})
            log.exception("%s: %s failed", self.name, name)
            raise MCPError(INTERNAL_ERROR, "Internal error") from error
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                # Names of fields only: the values are the caller's own.
                wrong = sorted({".".join(map(str, one["loc"])) for one in error.__cause__.errors()})
                raise MCPError(INVALID_PARAMS, f"Invalid params: {', '.join(wrong)}") from error
            if name not in {tool.name for tool in await self.list_tools()}:
                raise MCPError(INVALID_PARAMS, f"Unknown tool: {name[:80]}") from error
            raise
