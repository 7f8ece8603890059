"""A question in the form in which stored ones are compared: its words, numbers and places in their order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from troly.text.fold import accents, accents_agree, nfc, tokens
from troly.text.match import Lexicon
from troly.text.numbers import find_amounts
from troly_rental.data.places import PlaceMention, places

WORDS = Path(__file__).with_name("words.txt")
FormKind = Literal["word", "mark", "number", "place"]
Reason = Literal["", "numbers", "places", "words", "slots", "mode", "date"]

NEUTRAL, DATE = "neutral", "ngày"


class FormPart(NamedTuple):
    """One part of a question: `key` is what is compared, `text` what was typed (for its accents)."""

    kind: FormKind
    key: str
    text: str


class FormSpan(NamedTuple):
    """A part and where it was found."""

    start: int
    end: int
    part: FormPart


def question_form(question: str) -> tuple[FormPart, ...]:
    """The parts of `question` without those that do not count; the same for NFC, NFD, capitals and missing accents.

    Numbers are compared by value ("3tr" and "3 triệu"), places by what they are ("q1" and "quận nhất"), the words of
    `words.txt` by their section.
    """
    text = nfc(question)
    spans = [
        FormSpan(mention.start, mention.end, FormPart("place", _place(mention), ""))
        for mention in places().find(text)
    ]
    for amount in find_amounts(text):
        unit = "" if amount.unit == "VND" else amount.unit
        _add(
            spans,
            FormSpan(amount.start, amount.end, FormPart("number", f"{amount.value.normalize():f}{unit}", "")),
        )
    for hit in lexicon().find(text):
        kind: FormKind = "word" if hit.label == NEUTRAL else "mark"
        _add(spans, FormSpan(hit.start, hit.end, FormPart(kind, hit.label, "")))
    for token in tokens(text):
        _add(spans, FormSpan(token.start, token.end, FormPart("word", token.folded, token.text)))
    return tuple(span.part for span in sorted(spans) if span.part.key != NEUTRAL or span.part.kind != "word")


def key_of(parts: Sequence[FormPart]) -> str:
    """The parts as one line, for equality and for the similarity of texts."""
    return " ".join(part.key for part in parts)


def similarity(one: str, other: str) -> float:
    """How alike two questions, each as its `key_of`, are without an embedding, 0 to 1.

    The indel ratio of their parts in sorted order (rapidfuzz `token_sort_ratio`): the same for the same two questions
    on every machine, blind to word order, which `differ` looks at.
    """
    from rapidfuzz import fuzz

    return fuzz.token_sort_ratio(one, other) / 100


def difference(one: Sequence[FormPart], other: Sequence[FormPart]) -> Reason:
    """The first thing in which two questions do not agree; "" when they say the same in the same order (002 C3)."""
    if _keys(one, "number") != _keys(other, "number"):
        return "numbers"
    if _keys(one, "place") != _keys(other, "place"):
        return "places"
    same = len(one) == len(other) and all(_same_word(a, b) for a, b in zip(one, other, strict=True))
    return "" if same else "words"


def is_dated(parts: Sequence[FormPart]) -> bool:
    """Whether the question counts from the day on which it is asked."""
    return any(part.kind == "mark" and part.key == DATE for part in parts)


@cache
def lexicon() -> Lexicon:
    """The word list beside this file; it never changes while the program runs."""
    return Lexicon.load(WORDS)


def _add(spans: list[FormSpan], new: FormSpan) -> None:
    if all(new.end <= old.start or new.start >= old.end for old in spans):
        spans.append(new)


def _place(mention: PlaceMention) -> str:
    """What is meant; what was said too where that is not one whole place."""
    ids = "+".join(sorted(place.id for place in mention.places))
    whole = len(mention.places) == 1 and not mention.near
    return ids if whole else f"{ids}:{'-'.join(token.folded for token in tokens(mention.typed))}"


def _keys(parts: Sequence[FormPart], kind: FormKind) -> list[str]:
    return [part.key for part in parts if part.kind == kind]


def _same_word(one: FormPart, other: FormPart) -> bool:
    if (one.kind, one.key) != (other.kind, other.key):
        return False
    same = accents(one.text) == accents(other.text)
    return same or accents_agree(one.text, other.text) or accents_agree(other.text, one.text)
