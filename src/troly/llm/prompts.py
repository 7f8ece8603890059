"""Prompts kept as Markdown files, in both languages, with `{{name}}` places that are filled and never interpreted."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from troly.errors import ConfigError, ModelError
from troly.llm.types import Message
from troly.text.catalogue import LANGS, Lang
from troly.text.sanitize import sanitize

_PLACE = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
_ROLE = re.compile(r"^@(system|user|assistant)[ \t]*$", re.MULTILINE)


class PromptFolder:
    """The prompts of one folder: `<name>.vi.md` and `<name>.en.md`, or `<name>.md` for both languages.

    A file may be a whole conversation (instructions, examples, question): lines `@system`, `@user`, `@assistant` begin
    its messages. Raises ConfigError when a file cannot be read, a place is written wrongly, a language is missing, or
    the two languages do not have the same places.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._texts: dict[tuple[str, Lang], str] = {}
        for file in sorted(folder.glob("*.md")):
            self._load(file)
        for name in self.names():
            self._check(name)

    def names(self) -> tuple[str, ...]:
        return tuple(sorted({name for name, _ in self._texts}))

    def places(self, name: str) -> frozenset[str]:
        """The places that must be filled; raises ConfigError for an unknown prompt."""
        return frozenset(_PLACE.findall(self._text(name, "vi")))

    def render(self, name: str, lang: Lang, **values: object) -> str:
        """The whole prompt with its places filled; raises ConfigError for a missing or an unknown value."""
        return self._fill(name, self._text(name, lang), values).strip()

    def messages(self, name: str, lang: Lang, **values: object) -> list[Message]:
        first, *rest = _ROLE.split(self._text(name, lang))
        pairs = [("system", first), *zip(rest[::2], rest[1::2], strict=True)]
        # The roles are found before anything is filled in: a value can never begin a message of its own.
        return [
            {"role": role, "content": self._fill(name, text, values).strip()}
            for role, text in pairs
            if text.strip()
        ]

    def _load(self, file: Path) -> None:
        name, _, lang = file.stem.partition(".")
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError("prompt.unreadable", file=file.name, detail=type(error).__name__) from error
        rest = _PLACE.sub("", text)
        if "{{" in rest or "}}" in rest:
            raise ConfigError("prompt.place", file=file.name)
        for each in LANGS:
            if lang in ("", each):
                self._texts[name, each] = text

    def _check(self, name: str) -> None:
        places = [
            set(_PLACE.findall(self._texts[name, lang])) for lang in LANGS if (name, lang) in self._texts
        ]
        if len(places) < len(LANGS):
            raise ConfigError("prompt.language", name=name)
        if places[0] != places[1]:
            raise ConfigError("prompt.differ", name=name, places=", ".join(sorted(places[0] ^ places[1])))

    def _text(self, name: str, lang: Lang) -> str:
        try:
            return self._texts[name, lang]
        except KeyError:
            raise ConfigError("prompt.unknown", name=name, known=", ".join(self.names())) from None

    def _fill(self, name: str, text: str, values: dict[str, object]) -> str:
        wrong = self.places(name) ^ set(values)
        if wrong:
            raise ConfigError("prompt.values", name=name, places=", ".join(sorted(wrong)))
        return _PLACE.sub(lambda found: sanitize(str(values[found[1]])), text)


# How many tokens a prompt takes, estimated on the safe side, and what must be left out so that it fits.


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
class FittedPrompt:
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
    """Tokens that the descriptions of tools take in the prompt: of their JSON and English three quarters of the estimate."""
    if not tools:
        return 0
    text = json.dumps(list(tools), ensure_ascii=False, default=str)
    plain = "".join(filter(str.isascii, text))
    return estimate(text) - estimate(plain) // 4


def _of_message(message: Message) -> int:
    said = estimate(str(message.get("content") or ""))
    called = message.get("tool_calls")
    tools = estimate(json.dumps(called, ensure_ascii=False, default=str)) if called else 0
    return _PER_MESSAGE + said + tools + _IMAGE * len(message.get("images") or ())


def fit(messages: Sequence[Message], limit: int, reserve: int = 0) -> FittedPrompt:
    """The messages that fit in `limit` tokens with `reserve` kept free for the answer.

    The oldest history goes first; system messages, and everything from the last user message on, always stay. Raises
    ModelError when those alone do not fit: `ollama.too_long` where the message takes the most, else `ollama.small_window`.
    """
    room = limit - reserve
    last_user = max((i for i, message in enumerate(messages) if message.get("role") == "user"), default=0)
    costs = [_of_message(message) for message in messages]
    must = {i for i, message in enumerate(messages) if message.get("role") == "system" or i >= last_user}
    total = _PREAMBLE + sum(costs[i] for i in must)
    if total > room:
        said = sum(costs[last_user : last_user + 1])
        if said > total - said + reserve:
            raise ModelError("ollama.too_long", tokens=total, limit=max(0, room))
        raise ModelError("ollama.small_window", tokens=total + reserve, limit=limit)
    kept = set(must)
    for i in reversed([i for i in range(len(messages)) if i not in must]):
        if total + costs[i] > room:
            break
        kept.add(i)
        total += costs[i]
    return FittedPrompt([messages[i] for i in sorted(kept)], total, len(messages) - len(kept))
