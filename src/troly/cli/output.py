"""What reaches stdout (data) and stderr (people): UTF-8, sanitised, aligned, coloured only where it is wanted."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import IO, Any, Literal

from troly.text.sanitize import sanitize, sanitize_json

Look = Literal["good", "warn", "bad", "quiet"]
_CODES: Mapping[Look, str] = {"good": "32", "warn": "33", "bad": "1;31", "quiet": "2"}


def data(text: str = "", *, end: str = "\n", painted: bool = False) -> None:
    """Write `text` to stdout without control characters; `painted` text carries colours of ours."""
    sys.stdout.write((text if painted else sanitize(text)) + end)


def data_json(value: Any, *, indent: int | None = None) -> None:
    """Write one JSON value to stdout as one line (or indented) and flush it."""
    sys.stdout.write(json.dumps(sanitize_json(value), ensure_ascii=False, indent=indent, default=str) + "\n")
    sys.stdout.flush()


def note(text: str, *, painted: bool = False) -> None:
    """Write one line for people to stderr; `painted` text carries colours of ours and was cleaned before."""
    try:
        sys.stdout.flush()
        sys.stderr.write((text if painted else sanitize(text)) + "\n")
        sys.stderr.flush()
    except BrokenPipeError:  # nobody reads; what is lost is a remark
        pass


def paint(text: str, look: Look, stream: IO[str] | None = None) -> str:
    """`text` sanitised, in colour where `stream` (stdout) is a terminal that may be coloured."""
    text = sanitize(text)
    return f"\x1b[{_CODES[look]}m{text}\x1b[0m" if may_colour(stream or sys.stdout) else text


def may_colour(stream: IO[str]) -> bool:
    """Whether colours are wanted there: a terminal, no NO_COLOR, not a dumb one."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
