"""The planner's own word lists, read once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from troly.text.fold import fold, tokens
from troly.text.wordlist import LEXICONS as CORE
from troly.text.wordlist import read_lists
from troly_analysis.planner.phrases import Phrases

FOLDER = Path(__file__).parent / "lexicons"
Nature = Literal["number", "category", "date"]


@dataclass(frozen=True, slots=True)
class Concept:
    """What a column can be about, and the words people use for it, better ones first."""

    name: str
    nature: Nature
    phrases: tuple[str, ...]


@cache
def words() -> Phrases[str]:
    """The words of questions by label (`words.txt`)."""
    found: Phrases[str] = Phrases()
    for label, entries in read_lists(FOLDER / "words.txt").items():
        for entry in entries:
            found.add(entry, label)
    return found


@cache
def concepts() -> tuple[Concept, ...]:
    """The concepts of `concepts.txt`."""
    found = []
    for section, entries in read_lists(FOLDER / "concepts.txt").items():
        nature, _, name = section.partition(" ")
        if nature in {"number", "category", "date"} and name:
            found.append(Concept(name, nature, entries))  # type: ignore[arg-type]
    return tuple(found)


@cache
def concept(name: str) -> Concept | None:
    """The concept of this name."""
    return next((each for each in concepts() if each.name == name), None)


@cache
def marks(section: str) -> frozenset[str]:
    """A plain section of `concepts.txt`, folded."""
    return frozenset(fold(entry) for entry in read_lists(FOLDER / "concepts.txt")[section])


@cache
def instead() -> dict[str, tuple[str, ...]]:
    """For a concept, those whose column may stand in for it."""
    known = {each.name for each in concepts()}
    return {name: entries for name, entries in read_lists(FOLDER / "concepts.txt").items() if name in known}


@cache
def alike_values() -> dict[str, tuple[str, ...]]:
    """For each folded spelling of `values.txt`, all spellings of the same value."""
    found: dict[str, tuple[str, ...]] = {}
    for raw in (FOLDER / "values.txt").read_text(encoding="utf-8").splitlines():
        if raw.strip() and not raw.startswith("#"):
            group = tuple(entry.strip() for entry in raw.split(",") if entry.strip())
            for entry in group:
                key = " ".join(token.folded for token in tokens(entry))
                found[key] = (*found.get(key, ()), *group)
    return found


@cache
def spellings() -> dict[str, str]:
    """Folded short spellings and what they stand for, the planner's own before those of all assistants."""
    found: dict[str, str] = {}
    for path in (FOLDER / "spellings.txt", CORE / "chat.txt"):
        for meant, short in read_lists(path).items():
            for each in short:
                key = fold(each)
                if key.isalpha() and key != fold(meant):
                    found.setdefault(key, meant)
    return found


@cache
def period_words() -> frozenset[str]:
    """The folded words of the core's periods: never to be taken for slips."""
    found: set[str] = set()
    for entries in read_lists(CORE / "periods.txt").values():
        for entry in entries:
            found.update(token.folded for token in tokens(entry))
    return frozenset(found)


@cache
def common() -> frozenset[str]:
    """Folded words that are in the lists whatever the sheet."""
    found = set(words().vocabulary()) | period_words()
    for each in concepts():
        for phrase in each.phrases:
            found.update(token.folded for token in tokens(phrase))
    for entries in (read_lists(CORE / "amounts.txt"), read_lists(CORE / "english.txt")):
        for listed in entries.values():
            for entry in listed:
                found.update(token.folded for token in tokens(entry))
    return frozenset(found)
