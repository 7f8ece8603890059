"""The bilingual glossary: which concepts a question names, and what else they are called in both languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from troly.retrieval.stems import forms, stem
from troly.retrieval.tokens import accented_token, folded_token
from troly.text import fold
from troly.text.language import is_syllable

_FILE = "glossary.txt"


class Wording(NamedTuple):
    """One way to say a concept as the index holds it; `accented` tells words apart that fold to the same."""

    folded: tuple[str, ...]
    accented: tuple[str, ...]
    english: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """Words `start:end` of a question name a concept; `others` are its wordings but the one that was typed."""

    start: int
    end: int
    english: bool
    others: tuple[Wording, ...]


class _Phrase(NamedTuple):
    """A phrase of the file as it is looked for in a question: stems of English words, Vietnamese ones with marks.

    A `plain` one of one syllable counts without marks too.
    """

    words: tuple[str, ...]
    keys: tuple[str, ...]
    concept: int
    english: bool
    plain: bool


class _Glossary(NamedTuple):
    wordings: tuple[tuple[Wording, ...], ...]
    by_first: Mapping[str, tuple[_Phrase, ...]]


def concepts(words: Sequence[str], *, english: bool | None) -> list[Hit]:
    """The concepts that `words` (as `fold.words` gives them) name: longest phrases first, then those inside them.

    `english` is the language of the question, None where it cannot be told. Where it is known, a phrase of the other
    one counts only when its spelling leaves no doubt: "pin" asks for a battery in Vietnamese and for a pin in English.
    """
    known = _glossary()
    marked = fold.has_marks(words)
    keys = [(folded_token(word), stem(folded_token(word))) for word in words]
    found: dict[tuple[int, int], list[_Phrase]] = {}
    for at in range(len(words)):
        for key in dict.fromkeys(keys[at]):
            for phrase in known.by_first.get(key, ()):
                end = at + len(phrase.keys)
                if _stands(phrase, words, keys, at) and _fits(
                    phrase, words[at:end], english=english, marked=marked
                ):
                    found.setdefault((at, end), []).append(phrase)
    return [
        _hit(known, span, tuple(key for key, _ in keys[slice(*span)]), found[span])
        for span in _without_overlaps(found)
    ]


def _without_overlaps(spans: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest of `spans`, and those inside one of them that overlap no other inside it."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if all(end <= first or last <= start or (first <= start and end <= last) for first, last in kept):
            kept.append((start, end))
    return kept


def _hit(known: _Glossary, span: tuple[int, int], typed: tuple[str, ...], phrases: Sequence[_Phrase]) -> Hit:
    others = {
        wording: None
        for phrase in phrases
        for wording in known.wordings[phrase.concept]
        if wording.folded != typed
    }
    return Hit(*span, phrases[0].english, tuple(others))


def _stands(phrase: _Phrase, words: Sequence[str], keys: Sequence[tuple[str, str]], at: int) -> bool:
    """Whether the words of `phrase` follow from `at` on, with the marks that were typed."""
    if at + len(phrase.keys) > len(words):
        return False
    return all(
        keys[place][phrase.english] == key
        and (not fold.accents(words[place]) if phrase.english else fold.accents_agree(words[place], word))
        for place, (key, word) in enumerate(zip(phrase.keys, phrase.words, strict=True), at)
    )


def _fits(phrase: _Phrase, typed: Sequence[str], *, english: bool | None, marked: bool) -> bool:
    """Whether `typed` can be meant as `phrase` in a question of that language, typed with marks or without."""
    if phrase.english:
        return english is not False or not all(is_syllable(folded_token(word)) for word in typed)
    if len(phrase.keys) > 1:
        return True
    if fold.accents(typed[0]) != fold.accents(phrase.words[0]):
        return False
    # One syllable without marks can be a dozen words.
    return fold.has_marks(typed) or phrase.plain or (marked and not english)


def read(text: str) -> list[tuple[list[str], list[str]]]:
    """The concepts of a glossary file: English and Vietnamese phrases; lines without a bar say nothing."""
    lines = [line.partition("|") for line in text.splitlines() if "|" in line and not line.startswith("#")]
    return [(_phrases(english), _phrases(vietnamese)) for english, _, vietnamese in lines]


def _phrases(text: str) -> list[str]:
    return [phrase for part in text.split(",") if fold.words(phrase := part.strip())]


@cache
def _glossary() -> _Glossary:
    text = files("troly.retrieval").joinpath(_FILE).read_text(encoding="utf-8")
    by_first: dict[str, list[_Phrase]] = {}
    wordings = []
    for number, sides in enumerate(read(text)):
        for english, phrases in zip((True, False), sides, strict=True):
            doubled = Counter(map(fold.fold, phrases))
            for phrase in phrases:
                words = tuple(fold.words(phrase))
                keys = tuple(stem(folded_token(word)) if english else folded_token(word) for word in words)
                plain = not is_syllable(fold.fold(phrase)) or doubled[fold.fold(phrase)] > 1
                by_first.setdefault(keys[0], []).append(_Phrase(words, keys, number, english, plain))
        wordings.append(tuple(dict.fromkeys([*_english(sides[0]), *_vietnamese(sides[1])])))
    return _Glossary(tuple(wordings), {key: tuple(phrases) for key, phrases in by_first.items()})


def _english(phrases: Iterable[str]) -> Iterable[Wording]:
    """Each phrase in its forms: the last word as one, many, done and doing."""
    for phrase in phrases:
        *first, last = (folded_token(word) for word in fold.words(phrase))
        for form in forms(last):
            yield Wording((*first, form), (*first, form), english=True)


def _vietnamese(phrases: Iterable[str]) -> Iterable[Wording]:
    for phrase in phrases:
        words = fold.words(phrase)
        yield Wording(tuple(map(folded_token, words)), tuple(map(accented_token, words)), english=False)
