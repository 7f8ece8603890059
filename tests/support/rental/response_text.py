"""Reads a response text back, as a client of the documented form does (002-21)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from troly_rental.answer.response_text import MARK, ResponseText, split_label

_MARK_LINE = re.compile(rf"^[ \t]*{MARK}\b[ \t]*", re.MULTILINE)
_KIND = re.compile(r"(LIST|TABLE|CHART)[ \t]*:[ \t]*")
_DECODER = json.JSONDecoder()


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
