"""The error tree: what a person is told (title, message, remedy) and the exit code a script sees."""

from __future__ import annotations

from dataclasses import dataclass

from troly.text.catalogue import Lang, core_catalogue


@dataclass(frozen=True, slots=True)
class ErrorText:
    """One error in one language: what happened, why, and what to do."""

    title: str
    message: str
    remedy: str

    def line(self) -> str:
        """All of it as one line for stderr."""
        return " ".join(part for part in (f"{self.title}:", self.message, self.remedy) if part)


class TrolyError(Exception):
    """Base of all errors that are shown to a person.

    `key` names the sentences in the catalogue (`errors.<key>.title`, `.message`, `.remedy`); `params` fill them.

    TrolyError (1)
    ├── InputError (3)     a file or a message that cannot be used
    ├── StoreError (4)     the state database, a dataset or the vector store
    ├── ModelError (5)     Ollama or one of its models
    ├── ConfigError (6)    a setting, the users file, a persona
    ├── AccessError (7)    something that belongs to somebody else
    └── StoppedError (130) the person stopped it
    """

    exit_code = 1

    def __init__(self, key: str, /, **params: object) -> None:
        super().__init__(key, params)
        self.key = key
        self.params = params

    def render(self, lang: Lang) -> ErrorText:
        """The error's sentences in `lang`; a sentence that does not exist is empty."""
        return ErrorText(*(self._part(part, lang) for part in ("title", "message", "remedy")))

    def _part(self, part: str, lang: Lang) -> str:
        try:
            return core_catalogue()(f"errors.{self.key}.{part}", lang, **self.params)
        except KeyError:
            return self.key if part == "title" else ""

    def __str__(self) -> str:
        return self.render("en").line()


class InputError(TrolyError):
    """A file or a message that cannot be used as it is."""

    exit_code = 3


class StoreError(TrolyError):
    """The state database, a published dataset or the vector store refused."""

    exit_code = 4


class ModelError(TrolyError):
    """Ollama, or a model that it serves, did not do its part."""

    exit_code = 5


class ConfigError(TrolyError):
    """A setting, the users file or a persona is wrong."""

    exit_code = 6


class AccessError(TrolyError):
    """The thing asked for belongs to somebody else or needs another role."""

    exit_code = 7


class StoppedError(TrolyError):
    """The person stopped it; what was done until then is kept."""

    exit_code = 130
