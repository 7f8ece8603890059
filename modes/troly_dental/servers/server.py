"""An MCP server whose mistakes have standard JSON-RPC codes and whose errors are sentences."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

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

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream


# -- Lines on stdin that are no message, which the SDK leaves without an answer.


class MessageStream:
    """A stream of messages without the lines that could not be read: those are answered (-32700, -32600)."""

    def __init__(
        self, read: ReadStream[SessionMessage | Exception], write: WriteStream[SessionMessage]
    ) -> None:
        self._read = read
        self._write = write

    @property
    def last_context(self) -> Any:
        """The sender's context of the last message."""
        return getattr(self._read, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """The next message; raises what the stream below raises at its end."""
        while True:
            item = await self._read.receive()
            if not isinstance(item, Exception):
                return item
            await self._write.send(SessionMessage(_refusal(item)))

    async def aclose(self) -> None:
        """Close the stream below."""
        await self._read.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        import anyio

        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        await self.aclose()
        return None


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
        async with stdio_server() as (read, write):
            await lowlevel.run(MessageStream(read, write), write, lowlevel.create_initialization_options())

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
