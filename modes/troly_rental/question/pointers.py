"""Words that point at what was said or shown: "căn đó", "tháng ấy", "người kia", "that one", "it"."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from troly.text.match import Lexicon, PhraseHit, spans_of
from troly.text.wordlist import LEXICONS, read_lists
from troly_rental.question.types import Span
from troly_rental.question.vocabulary import lists

GROUPS = ("month", "district", "ward", "type", "tenant", "building")
"""What figures are told by, and the first of them pointed at."""
_UNSURE = (" nọ", " nớ", " đây", " đấy", " í")
"""What without its accents is as likely another word: "nợ", "đầy"; so "cô" and "bà", which are "có" and "ba"."""


def pointers(text: str, kind: str) -> list[Span]:
    """Where `text` points at a thing of `kind`."""
    return spans_of(hit for hit in _sure(_lexicon(kind), text) if hit.label == kind)


def people(text: str) -> list[Span]:
    """Where `text` points at a person."""
    return spans_of(_sure(_sections("person"), text))


def of_shown(text: str) -> list[Span]:
    """Where `text` points at several of what was shown: "trong số đó", "trong hai phòng", "of those two"."""
    return spans_of(_sure(_sections("several"), text))


def one_shown(text: str) -> list[tuple[Span, bool]]:
    """Where `text` points at one thing that was shown, and whether that may be a place ("ở đó", "there")."""
    hits = _sure(_sections("several", "one", "one place", "none"), text)
    return [((hit.start, hit.end), hit.label == "one place") for hit in hits if hit.label.startswith("one")]


def sets_against(text: str) -> bool:
    """Whether a figure is set against the one before: "mắc hơn không", no "rẻ hơn 4 triệu"."""
    return any(True for _ in _sure(_sections("higher"), text))


def _sure(lexicon: Lexicon, text: str) -> Iterator[PhraseHit]:
    """The hits that no missing accents make doubtful; what a number follows is a limit: "phòng rẻ hơn 4 triệu"."""
    for hit in lexicon.find(text):
        named = hit.label == "person" and hit.phrase.startswith(("cô ", "bà "))
        doubtful = not hit.exact and (named or hit.phrase.endswith(_UNSURE))
        limit = hit.phrase.endswith((" hơn", "er", " trên")) and text[hit.end :].lstrip()[:1].isdigit()
        if not (doubtful or limit):
            yield hit


@cache
def _sections(*labels: str) -> Lexicon:
    return Lexicon({label: lists("pointers")[label] for label in labels})


@cache
def _lexicon(kind: str) -> Lexicon:
    """The phrases of `kind`: its nouns with the words that point; several of groups are none of it."""
    listed, words = lists("pointers"), read_lists(LEXICONS / "reference.txt")
    behind = (*words["this"], *(listed["first"] if kind in GROUPS else ()))
    before = (*words["this before"], *(() if kind in GROUPS or kind == "amount" else ("the",)))
    phrases = [f"{noun} {that}" for noun in listed[kind] for that in behind]
    many = [f"{some} {one}" for one in phrases for some in listed["many"]] if kind in GROUPS else []
    phrases += [f"{that} {noun}" for noun in listed[f"{kind} en"] for that in before]
    return Lexicon({kind: (*phrases, *listed.get(f"{kind} alone", ())), "": (*many, *listed["none"])})
