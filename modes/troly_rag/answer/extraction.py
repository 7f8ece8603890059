"""Picks the sentences of passages that answer a question, for answering without a model: nothing is worded anew."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from troly.text.fold import fold
from troly_rag.answer.grounding import Claim, claims_of, is_listed, telling
from troly_rag.corpus.coverage import FigureRequest, Question, figure_request, question_of, text_of

# Fewer telling words are a heading or a remnant, unless it is an item of a list.
_FEWEST, _FEWEST_LISTED = 3, 1
# What the words of the sentence itself count, and those of the headings above it.
_OWN, _ABOVE = 0.7, 0.3
# What a later passage counts less.
_LATER = 0.05
# What a sentence without any figure is worth where one is asked for.
_NO_FIGURE = 0.6
# What a sentence in another language than the question is worth: it is told where nothing else answers.
_OTHER_LANGUAGE = 0.4
# What is told beside the best sentence holds at least this share of what that one holds.
_BESIDE = 0.45
_LONGEST_LIST = 8
_FIGURE = re.compile(r"\d[\d.,]*\d|\d")


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
