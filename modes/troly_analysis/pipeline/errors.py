"""What is wrong with a pipeline, where in it, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from troly.errors import InputError
from troly.text.catalogue import Lang, core_catalogue
from troly_analysis.query.fields import nearest, shown_names

_LISTED = 16
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class At:
    """A place in a pipeline: the number of its stage (from 1, 0 for the whole) and the way to it in the stage."""

    stage: int = 0
    path: str = ""

    def key(self, name: str) -> At:
        """The value of `name` below here: `$match.$or`."""
        shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}..."
        return replace(self, path=f"{self.path}.{shown}" if self.path else shown)

    def item(self, index: int) -> At:
        """The list's item below here: `$match.$or[1]`."""
        return replace(self, path=f"{self.path}[{index}]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the catalogue inside of an error's sentence (`errors.pipeline.word.<name>`)."""

    name: str


class PipelineError(InputError):
    """A pipeline that is refused (001-20); `at` is the place, which every sentence names.

    Values that are a `Word` are shown in the sentence's language.
    """

    def __init__(self, key: str, at: At, /, **params: object) -> None:
        super().__init__(f"pipeline.{key}", stage=at.stage, path=at.path, **params)
        self.at = at

    def _part(self, part: str, lang: Lang) -> str:
        catalogue = core_catalogue()

        def word(name: str, **params: object) -> str:
            return catalogue(f"errors.pipeline.word.{name}", lang, **params)

        given = self.params.items()
        words = {name: word(each.name) if isinstance(each, Word) else each for name, each in given}
        place = "place" if self.at.stage else "everything"
        where = word(place, stage=self.at.stage, path=self.at.path or "{}")
        return catalogue(f"errors.{self.key}.{part}", lang, **words, where=where)


def expect(kind: str, value: object, at: At, holds: object) -> None:
    """Raise PipelineError naming `kind`, a word of the catalogue, for a value of which the condition does not hold."""
    if not holds:
        raise PipelineError("type", at, expected=Word(kind), found=short(value))


def near(name: str, known: Iterable[str]) -> str:
    """The names most like `name`, for a sentence; the first of them all when none is like it."""
    return shown_names(nearest(name, list(known))[:_LISTED]) or "-"


def short(value: object) -> str:
    """A value as a sentence shows it."""
    shown = str(value)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."
