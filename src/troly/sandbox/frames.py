"""Messages between the app and a worker: a length of four bytes, then that much JSON."""

from __future__ import annotations

import json
import struct
from typing import IO, Any

MAX_FRAME = 16 * 1024 * 1024
_LENGTH = struct.Struct(">I")


def write_frame(stream: IO[bytes], message: dict[str, Any]) -> None:
    """Send `message`; raises OSError when the other side is gone, ValueError when it is larger than MAX_FRAME."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(
        "utf-8", "replace"
    )
    if len(body) > MAX_FRAME:
        raise ValueError(f"message of {len(body)} bytes")
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def read_frame(stream: IO[bytes]) -> dict[str, Any] | None:
    """The next message; None at the end, also in the middle of one, and for anything that is not a message."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > MAX_FRAME:
        return None
    body = stream.read(length)
    if len(body) < length:
        return None
    try:
        message = json.loads(body)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None
