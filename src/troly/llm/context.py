"""How many tokens a prompt takes, estimated on the safe side, and what must be left out so that it fits."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from troly.errors import ModelError
from troly.llm.types import Message

# Hundredths of a token a character (whole numbers add up exactly), fitted so that over a page no kind of text is
# estimated below what two vocabularies make of it: o200k (gpt-oss) and, as an upper bound for Qwen 2.5, cl100k with
# one token a digit. The larger of the two gives Vietnamese prose 2.4 characters a token, without diacritics 3.0, in
# capitals 1.5, decomposed 1.6, English 4.5, tables of numbers 1.2; the estimate is 1.0 to 1.25 times that, and 1.7
# times for English.
_DIGIT = 130
_LOWER, _UPPER = 42, 55
_MARKED_LOWER, _MARKED_UPPER = 140, 220
_COMBINING = 230
_IDEOGRAPH = 85
_PUNCTUATION = 80
_SPACE = 2
_BEYOND_BMP = 300
# What chat templates add: a preamble once, role markers around each message.
_PREAMBLE = 80
_PER_MESSAGE = 8
_IMAGE = 800


@dataclass(frozen=True, slots=True)
class Fitted:
    """The messages to send, their estimated tokens, and how many older ones were left out."""

    messages: list[Message]
    tokens: int
    dropped: int = 0


def estimate(text: str) -> int:
    """Tokens of a text, rather too many than too few."""
    return -(-sum(_weight(char) for char in text) // 100)


def _weight(char: str) -> int:
    if char.isascii():
        return _ascii_weight(char)
    if unicodedata.combining(char):
        return _COMBINING
    if char.isalpha() and char < "\u2000":
        return _MARKED_UPPER if char.isupper() else _MARKED_LOWER
    if char > "\uffff":
        return _BEYOND_BMP
    return _IDEOGRAPH


def _ascii_weight(char: str) -> int:
    if char.islower():
        return _LOWER
    if char.isspace():
        return _SPACE
    if char.isdigit():
        return _DIGIT
    return _UPPER if char.isalpha() else _PUNCTUATION


def count(messages: Sequence[Message], tools: Sequence[Any] | None = None) -> int:
    """Tokens of a whole prompt with what the chat template adds."""
    return _PREAMBLE + estimate_tools(tools) + sum(_of_message(message) for message in messages)


def estimate_tools(tools: Sequence[Any] | None) -> int:
    """Tokens that the descriptions of tools take in the prompt."""
    return estimate(json.dumps(list(tools), ensure_ascii=False, default=str)) if tools else 0


def _of_message(message: Message) -> int:
    said = estimate(str(message.get("content") or ""))
    called = message.get("tool_calls")
    tools = estimate(json.dumps(called, ensure_ascii=False, default=str)) if called else 0
    return _PER_MESSAGE + said + tools + _IMAGE * len(message.get("images") or ())


def fit(messages: Sequence[Message], limit: int, reserve: int = 0) -> Fitted:
    """The messages that fit in `limit` tokens with `reserve` kept free for the answer.

    The oldest history goes first; system messages, and everything from the last user message on, always stay. Raises
    ModelError `ollama.too_long` when those alone do not fit.
    """
    room = limit - reserve
    last_user = max((i for i, message in enumerate(messages) if message.get("role") == "user"), default=0)
    costs = [_of_message(message) for message in messages]
    must = {i for i, message in enumerate(messages) if message.get("role") == "system" or i >= last_user}
    total = _PREAMBLE + sum(costs[i] for i in must)
    if total > room:
        raise ModelError("ollama.too_long", tokens=total, limit=max(0, room))
    kept = set(must)
    for i in reversed([i for i in range(len(messages)) if i not in must]):
        if total + costs[i] > room:
            break
        kept.add(i)
        total += costs[i]
    return Fitted([messages[i] for i in sorted(kept)], total, len(messages) - len(kept))
