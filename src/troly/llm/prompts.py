"""Prompts kept as Markdown files, in both languages, with `{{name}}` places that are filled and never interpreted."""

from __future__ import annotations

import re
from pathlib import Path

from troly.errors import ConfigError
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
        """The prompt as messages; what stands before the first role line is the system's."""
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
