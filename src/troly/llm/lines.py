"""Keeps one JSON line of the server one line, whatever characters the model wrote into it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from collections.abc import Mapping

# httpx ends a line at these too, JSON does not: NEL (which Go does not escape), U+2028 and U+2029.
_BREAKS: Mapping[bytes, bytes] = {
    b"\xc2\x85": rb"\u0085",
    b"\xe2\x80\xa8": rb"\u2028",
    b"\xe2\x80\xa9": rb"\u2029",
}
_BEGINNINGS = (b"\xe2\x80", b"\xe2", b"\xc2")


class _JsonLines(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        held = b""
        async for data in self._inner:
            whole = held + data
            held = next((part for part in _BEGINNINGS if whole.endswith(part)), b"")
            yield _escaped(whole.removesuffix(held))
        if held:
            yield held

    async def aclose(self) -> None:
        await self._inner.aclose()


def _escaped(data: bytes) -> bytes:
    for found, written in _BREAKS.items():
        data = data.replace(found, written)
    return data


async def keep_lines(response: httpx.Response) -> None:
    """A response hook for httpx; a compressed body is left alone, its bytes are no text."""
    stream = response.stream
    if isinstance(stream, httpx.AsyncByteStream) and "content-encoding" not in response.headers:
        response.stream = _JsonLines(stream)
