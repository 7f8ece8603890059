"""The response text of 002-21: a message, a line `---END`, then LIST, TABLE and CHART; written and read back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

MARK = "---END"
KINDS = ("LIST", "TABLE", "CHART")
Kind = Literal["LIST", "TABLE", "CHART"]

_MARK_LINE = re.compile(rf"^[ \t]*{MARK}\b[ \t]*", re.MULTILINE)
_LABEL = re.compile(r"^\[(GUEST|TENANT|LANDLORD)\][ \t]*")
_KIND = re.compile(r"(LIST|TABLE|CHART)[ \t]*:[ \t]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class ResponseText:
    """What a response text says: `label` is the role before the message (002-37), the rest None where unused."""

    message: str
    label: str = ""
    list: Any = None
    table: Any = None
    chart: Any = None


def render_response(response: ResponseText) -> str:
    """The text with one kind a line, unused ones `null` (002 C4)."""
    head = f"[{response.label}] {response.message}" if response.label else response.message
    values = zip(KINDS, (response.list, response.table, response.chart), strict=True)
    lines = [f"{kind}: {json.dumps(value, ensure_ascii=False)}" for kind, value in values]
    return "\n".join([head, MARK, *lines])


def parse_response(text: str) -> ResponseText:
    """What `text` says, kinds one a line or all on one line (002 C4); a text without a whole data part is all message.

    The last marker that is followed by nothing but kinds ends the message, so the words of a user may hold one.
    """
    for mark in reversed(list(_MARK_LINE.finditer(text))):
        data = _data(text[mark.end() :])
        if data is not None:
            label, message = split_label(text[: mark.start()].removesuffix("\n"))
            return ResponseText(message, label, data.get("LIST"), data.get("TABLE"), data.get("CHART"))
    label, message = split_label(text)
    return ResponseText(message, label)


def split_label(text: str) -> tuple[str, str]:
    """The role's label at the beginning of a message and the message without it (002-37)."""
    found = _LABEL.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def _data(text: str) -> Mapping[str, Any] | None:
    """The kinds and their values where `text` is nothing else; None for anything else, and for no kind at all."""
    found: dict[str, Any] = {}
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        kind = _KIND.match(text, at)
        if kind is None or kind[1] in found:
            return None
        try:
            found[kind[1]], at = _DECODER.raw_decode(text, kind.end())
        except (ValueError, RecursionError):
            return None
    return found or None
