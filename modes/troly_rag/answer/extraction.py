"""Picks the sentences of passages that answer a question, for answering without a model: nothing is worded anew."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from troly.text.fold import fold
from troly.text.wordlist import read_lists
from troly_rag.answer.grounding import Claim, claims_of, is_listed, telling
from troly_rag.corpus.coverage import Question, question_of, text_of

LEXICON = Path(__file__).parent / "lexicons" / "answers.txt"
# Fewer telling words are a heading or a remnant, unless it is an item of a list.
_FEWEST, _FEWEST_LISTED = 3, 1
# What the words of the sentence itself count, and those of the headings above it.
_OWN, _ABOVE = 0.7, 0.3
# A sentence with a figure of the unit that is asked for, with any figure; and what a later passage counts less.
_RIGHT_UNIT, _ANY_FIGURE, _LATER = 0.45, 0.15, 0.05
# What a sentence without any figure is worth where one is asked for.
_NO_FIGURE = 0.6
# What a sentence in another language than the question is worth: it is told where nothing else answers.
_OTHER_LANGUAGE = 0.4
# What is told beside the best sentence holds at least this share of what that one holds.
_BESIDE = 0.45
_LONGEST_LIST = 8
_FIGURE = re.compile(r"\d[\d.,]*\d|\d")
_PHONE = re.compile(r"(?<!\d)(?:\d[\d .]{2,14}\d)(?!\d)|\S+@\S+\.\w+")
_NUMBER_WORDS = (
    r"(?:mot|hai|ba|bon|nam|sau|bay|tam|chin|muoi|one|two|three|four|five|six|seven|eight|nine|ten)"
)
_TIMES = ("hour", "minute", "second", "day", "week", "month", "year")


def extract(
    question: str, passages: Sequence[str], headings: Sequence[str] = (), *, most: int = 3
) -> tuple[Claim, ...]:
    """The sentences of `passages` (best first) that answer `question` best, at most `most`, in the order they stand.

    A sentence is judged by what it and the `headings` above it hold of the question's telling words, by whether it has the kind of figure that is asked for, and by its passage's place. A sentence that
    opens a list is told with its items, which do not count.
    """
    found = list(_sentences(passages, headings))
    if not found:
        return ()
    asked, figures = question_of(question), figure_request(question)
    ranked = sorted(
        ((_score(asked, figures, one), one) for one in found), key=lambda pair: (-pair[0], pair[1].place)
    )
    best = ranked[0][0]
    # Where one sentence says all that is asked, only those that do are told.
    whole = [one.place for one in found if _says_all(asked, one)]
    chosen = [
        (score, one)
        for score, one in ranked[:most]
        if score > 0 and score >= _BESIDE * best and (ranked[0][1].place not in whole or one.place in whole)
    ]
    claims = {one.place: Claim(one.text, one.passage, score) for score, one in chosen}
    for score, one in chosen:
        for item in _items(one, found):
            claims.setdefault(item.place, Claim(item.text, item.passage, score))
    return tuple(claims[place] for place in sorted(claims))


@dataclass(frozen=True)
class _Sentence:
    """One sentence or item of a list, where it stands, and the heading above it."""

    text: str
    passage: int
    at: int
    heading: str
    listed: bool

    @property
    def place(self) -> tuple[int, int]:
        return self.passage, self.at


def _sentences(passages: Sequence[str], headings: Sequence[str]) -> Iterator[_Sentence]:
    for number, passage in enumerate(passages):
        heading = headings[number] if number < len(headings) else ""
        for at, text in enumerate(_joined(claims_of(passage))):
            listed = is_listed(text)
            one = _Sentence(text.strip(), number, at, heading, listed)
            few = _FEWEST_LISTED if listed or _FIGURE.search(text) else _FEWEST
            if len(telling(one.text)) >= few and not one.text.startswith("#"):
                yield one


def _joined(claims: Iterator[str]) -> Iterator[str]:
    """The claims with those that a semicolon ends joined to the next: "...; làm mất phải đền" says nothing alone."""
    begun = ""
    for claim in claims:
        begun += claim
        if not claim.rstrip().endswith(";"):
            yield begun
            begun = ""
    if begun:
        yield begun


def _items(opening: _Sentence, found: Sequence[_Sentence]) -> Iterator[_Sentence]:
    """The items of the list that `opening` opens."""
    if not opening.text.endswith(":"):
        return
    after = [one for one in found if one.passage == opening.passage and one.at > opening.at]
    for one in after[:_LONGEST_LIST]:
        if not one.listed:
            return
        yield one


def _says_all(question: Question, one: _Sentence) -> bool:
    return question.coverage(text_of(f"{one.heading}\n{one.text}")).share >= 1


def _score(question: Question, asked: FigureRequest, one: _Sentence) -> float:
    """From 0; what has nothing of the question is 0, whatever figures it holds."""
    own = question.coverage(text_of(one.text)).share
    held = _OWN * own + _ABOVE * question.coverage(text_of(f"{one.heading}\n{one.text}")).share
    if not held:
        return 0.0
    if question.language != text_of(one.text).language:
        held *= _OTHER_LANGUAGE
    bonus = asked.bonus(fold(one.text))
    if asked.figure and not bonus:
        held *= _NO_FIGURE
    return round(max(0.01, held + bonus - _LATER * one.passage), 4)


@dataclass(frozen=True, slots=True)
class FigureRequest:
    """What kind of figure answers: `units` are names of units ("hour"), `figure` any figure, `contact` a number to call."""

    units: frozenset[str] = frozenset()
    figure: bool = False
    contact: bool = False

    def is_met(self, told: str) -> bool:
        """Whether a folded text holds the kind of figure that is asked for, where one is."""
        if not self.figure:
            return True
        return self.bonus(told) >= (_RIGHT_UNIT if self.units else _ANY_FIGURE)

    def bonus(self, sentence: str) -> float:
        """What a folded `sentence` gains by holding the figure that is asked for."""
        if self.contact and _PHONE.search(sentence):
            return _RIGHT_UNIT
        if any(_measured(unit).search(sentence) for unit in self.units):
            return _RIGHT_UNIT
        return _ANY_FIGURE if (self.figure or self.units) and _FIGURE.search(sentence) else 0.0


@cache
def figure_request(question: str) -> FigureRequest:
    """What kind of figure `question` asks for, by the lists of lexicons/answers.txt."""
    text = fold(question)
    units = {unit for unit, words in _units().items() if _asks_in(text, words)}
    if _has(text, "span") and not units:
        units.update(_TIMES)
    if _has(text, "moment"):
        units |= {"hour", "day", "week", "month"}
    figure = bool(units) or _has(text, "amount") or _has(text, "span")
    return FigureRequest(frozenset(units), figure, _has(text, "contact"))


def _asks_in(text: str, words: Sequence[str]) -> bool:
    """Whether the question names a unit after "bao nhiêu", "mấy" or "how many"."""
    names = "|".join(map(re.escape, words))
    return (
        re.search(rf"\b(?:bao nhieu|may|how many|how much|what)\s+(?:\w+\s+)?(?:{names})(?!\w)", text)
        is not None
    )


def _has(text: str, name: str) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", text) for word in _lists()[name])


@cache
def _measured(unit: str) -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, _units()[unit]), key=len, reverse=True))
    return re.compile(rf"(?:\d|\b{_NUMBER_WORDS})[\s-]*(?:{names})(?!\w)|(?:{names})\s+\d")


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    return read_lists(LEXICON)


@cache
def _units() -> dict[str, tuple[str, ...]]:
    return {name.removeprefix("unit_"): words for name, words in _lists().items() if name.startswith("unit_")}
