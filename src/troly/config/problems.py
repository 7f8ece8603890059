"""What is wrong with a settings file, an environment variable or an option, in sentences that name the place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from troly.errors import ConfigError, ErrorText
from troly.text.catalogue import Lang, tr

OriginKind = Literal["default", "file", "env", "option"]
SHOWN = 60


class Origin(NamedTuple):
    """Where a value was said: a file (its path), an environment variable or an option (its name)."""

    kind: OriginKind
    name: str = ""

    def __str__(self) -> str:
        return f"env {self.name}" if self.kind == "env" else self.kind


class ConfigProblem(NamedTuple):
    """One thing that is wrong.

    Attributes:
        code: the sentences `errors.config.<code>`.
        origin: the file, variable or option.
        key: the dotted key as written, "" when the whole file is meant.
        nearest: the valid name that is most like `key`, or "".
        line, column: the place in the file, 1-based; 0 when unknown.
        expects: the catalogue's words for what is taken, filled from `limits`.
        found: what was there instead, shortened.
        example: how a right line looks.
    """

    code: str
    origin: Origin
    key: str = ""
    nearest: str = ""
    line: int = 0
    column: int = 0
    expects: str = ""
    limits: Mapping[str, object] = MappingProxyType({})
    found: str = ""
    example: str = ""

    def render(self, lang: Lang) -> ErrorText:
        expected = tr(f"setting.expects.{self.expects}", lang, **self.limits) if self.expects else ""
        kind = "line" if self.origin.kind == "file" and self.line else self.origin.kind
        place = f"setting.where.{kind}"
        params = {
            "where": tr(place, lang, name=clean(self.origin.name), line=self.line),
            "key": self.key,
            "nearest": self.nearest,
            "column": self.column,
            "expected": expected,
            "found": self.found,
            "example": self.example,
        }
        parts = (
            tr(f"errors.config.{self.code}.{part}", lang, **params) for part in ("title", "message", "remedy")
        )
        return ErrorText(*parts)


class SettingsError(ConfigError):
    """Everything that is wrong with the settings or the users file, told together."""

    def __init__(self, problems: Iterable[ConfigProblem]) -> None:
        self.problems = tuple(problems)
        key = f"config.{self.problems[0].code}" if len(self.problems) == 1 else "config.several"
        super().__init__(key, count=len(self.problems))

    def render(self, lang: Lang) -> ErrorText:
        texts = [problem.render(lang) for problem in self.problems]
        if len(texts) == 1:
            return texts[0]
        listed = " ".join(f"({n}) {text.message} {text.remedy}" for n, text in enumerate(texts, 1))
        return ErrorText(
            tr("errors.config.several.title", lang, count=len(texts)),
            listed,
            tr("errors.config.several.remedy", lang),
        )


def nearest(name: str, valid: Sequence[str]) -> str:
    """The valid name most like `name`, also when only its last part is like one; "" when none is."""
    from difflib import get_close_matches

    folded = {candidate.casefold(): candidate for candidate in valid}
    close = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    if close:
        return folded[close[0]]
    by_tail: dict[str, str] = {}
    for key, candidate in folded.items():
        by_tail.setdefault(key.rpartition(".")[2], candidate)
    close = get_close_matches(name.casefold().rpartition(".")[2], by_tail, n=1, cutoff=0.75)
    return by_tail[close[0]] if close else ""


def shown(value: object) -> str:
    """A value as it may be shown in a sentence: one clean line, shortened."""
    text = clean(value if isinstance(value, str) else _plain(value))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def clean(text: object) -> str:
    """A file's or a variable's name as one line without control characters, in full."""
    from troly.text.sanitize import sanitize

    return sanitize(str(text), keep_newlines=False)


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{…}" if value else "{}"
    return str(value)
