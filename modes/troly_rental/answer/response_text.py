"""The response text of 002-21: a message, a line `---END`, then LIST, TABLE and CHART; and its label."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

MARK = "---END"
KINDS = ("LIST", "TABLE", "CHART")

_LABEL = re.compile(r"^\[(GUEST|TENANT|LANDLORD)\][ \t]*")


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


def split_label(text: str) -> tuple[str, str]:
    """The role's label at the beginning of a message and the message without it (002-37)."""
    found = _LABEL.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)
