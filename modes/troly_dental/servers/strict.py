"""An MCP server whose mistakes have standard JSON-RPC codes and whose errors are sentences."""

from __future__ import annotations

import logging
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent
from pydantic import ValidationError

from troly.errors import InputError, TrolyError
from troly_dental.mcp_calls import ERROR_META
from troly_dental.servers.wire import Checked

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
            await lowlevel.run(Checked(read, write), write, lowlevel.create_initialization_options())

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
