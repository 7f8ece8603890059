"""Words that point at what was said or shown: "căn đó", "tháng ấy", "người kia", "that one", "it"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from troly.text.fold import fold
from troly.text.match import Lexicon, PhraseHit, spans_of
from troly.text.wordlist import LEXICONS, read_lists
from troly_rental.question.amounts import number_of
from troly_rental.question.types import Span
from troly_rental.question.vocabulary import lexicon, lists

GROUPS = ("month", "district", "ward", "type", "tenant", "building")
"""What figures are told by, and the first of them pointed at."""
_UNSURE = (" nọ", " nớ", " đây", " đấy", " í")
"""What without its accents is as likely another word: "nợ", "đầy"; so "cô" and "bà", which are "có" and "ba"."""


def pointers(text: str, kind: str) -> list[Span]:
    """Where `text` points at a thing of `kind`."""
    return spans_of(hit for hit in _sure(_pointing(kind), text) if hit.label == kind)


def people(text: str) -> list[Span]:
    """Where `text` points at a person."""
    return spans_of(_sure(lexicon("pointers", "person"), text))


def of_shown(text: str) -> list[Span]:
    """Where `text` points at several of what was shown: "trong số đó", "trong hai phòng", "of those two"."""
    return spans_of(_sure(lexicon("pointers", "several"), text))


def rest_of_shown(text: str, *, two: bool) -> list[Span]:
    """Where `text` points at what was shown and not spoken of ("con còn lại", "the other one"); of `two` "con kia" is that too."""
    labels = ("rest", "none", *(("rest of two",) if two else ()))
    return spans_of(hit for hit in _sure(lexicon("pointers", *labels), text) if hit.label != "none")


def several_pointed(text: str) -> Iterator[tuple[Span, int]]:
    """Where so and so many of those before are pointed at, and how many: "hai người đó", "ba quận này", 0 for no number."""
    for hit in _sure(lexicon("pointers", "counted"), text):
        yield (
            (hit.start, hit.end),
            next((n for word in fold(hit.phrase).split() if (n := number_of(word))), 0),
        )


def one_shown(text: str) -> list[tuple[Span, bool]]:
    """Where `text` points at one thing that was shown, and whether that may be a place ("ở đó", "there")."""
    hits = _sure(lexicon("pointers", "several", "one", "one place", "none"), text)
    return [((hit.start, hit.end), hit.label == "one place") for hit in hits if hit.label.startswith("one")]


def one_of_two(text: str, *, asked: bool) -> str:
    """`text` with the one of two that has more as the end of both: "cái rẻ hơn" as "cái rẻ nhất"; any thing where something of it
    is `asked`.
    """
    hits = _sure(lexicon("pointers", "of two", *(("of two asked",) if asked else ())), text)
    for hit in reversed([*hits]):
        said = text[hit.start : hit.end]
        end = re.sub(r"er(?=\W|$)", "est", said) if said.lower().startswith("the ") else said[:-3] + "nhất"
        text = text[: hit.start] + end + text[hit.end :]
    return text


def sets_against(text: str) -> bool:
    """Whether a figure is set against the one before: "mắc hơn không", no "rẻ hơn 4 triệu"."""
    return any(True for _ in _sure(lexicon("pointers", "higher"), text))


def _sure(phrases: Lexicon, text: str) -> Iterator[PhraseHit]:
    """The hits that no missing accents make doubtful; what a number follows is a limit: "phòng rẻ hơn 4 triệu"."""
    for hit in phrases.find(text):
        named = hit.label == "person" and hit.phrase.startswith(("cô ", "bà "))
        doubtful = not hit.exact and (named or hit.phrase.endswith(_UNSURE))
        limit = hit.phrase.endswith((" hơn", "er", " trên")) and text[hit.end :].lstrip()[:1].isdigit()
        if not (doubtful or limit):
            yield hit


@cache
def _pointing(kind: str) -> Lexicon:
    """The phrases of `kind`: its nouns with the words that point; several of groups are none of it."""
    listed, words = lists("pointers"), read_lists(LEXICONS / "reference.txt")
    behind = (*words["this"], *(listed["first"] if kind in GROUPS else ()))
    before = (*words["this before"], *(() if kind in GROUPS or kind == "amount" else ("the",)))
    phrases = [f"{noun} {that}" for noun in listed[kind] for that in behind]
    many = [f"{some} {one}" for one in phrases for some in listed["many"]] if kind in GROUPS else []
    phrases += [f"{that} {noun}" for noun in listed[f"{kind} en"] for that in before]
    return Lexicon({kind: (*phrases, *listed.get(f"{kind} alone", ())), "": (*many, *listed["none"])})
