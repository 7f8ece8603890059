"""Answers lines on stdin that are no message with the standard codes, where the SDK leaves them without an answer."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream


class Checked:
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
