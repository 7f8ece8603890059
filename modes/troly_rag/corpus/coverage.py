"""How much of a question a text speaks of: its telling words, each found as typed or by another name, and those that are not.

One measure for choosing passages, sentences and agents, and for saying honestly which words nothing was found for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from troly.retrieval.search.glossary import named_elsewise, stem
from troly.text.catalogue import Lang
from troly.text.fold import WordToken, accents_agree, fold, fold_in_place, has_marks, span_in_place, tokens
from troly.text.language import detect
from troly.text.numbers import find_amounts
from troly.text.wordlist import read_lists

# What a number counts, and how amounts are shortened.
_COUNTED = re.compile(
    r"\s?(?:%|(?:ngay|nam|thang|tuan|lan|gio|tieng|phut|dem|be|con|nguoi|vnd|dong"
    r"|days?|years?|months?|weeks?|times?|hours?|minutes?|nights?|people)(?![a-z0-9]))"
)
_UNIT = re.compile(
    r"ngay|nam|thang|tuan|lan|gio|tieng|phut|dem|nguoi|so|days?|years?|months?|weeks?|times?|hours?|\d+"
)
_SPELT = re.compile(
    r"\b(?:mot|hai|ba|bon|sau|bay|tam|chin|muoi|one|two|three|four|five|six|seven|eight|nine|ten)"
    r"(?= (?:ngay|nam|thang|tuan|lan|gio|tieng|dem|days?|years?|months?|weeks?|times?|hours?|nights?)\b)"
)
_SCALED = re.compile(r"\d\s?(?:k|tr|m|trieu|nghin|ngan|ty|cu)\b")
_CLOCK = re.compile(r"\b\d{1,2}[hH](?:\d{2})?\b")
_DATE = re.compile(r"\b\d{1,2}[/-]\d{1,2}(?:[/-]\d{2,4})?\b")
FOLDER = Path(__file__).parent / "lexicons"


class Phrase(NamedTuple):
    """A listed phrase and the line it stands on."""

    line: int
    words: tuple[WordToken, ...]


@dataclass(frozen=True)
class Text:
    """A text prepared for looking words up in it."""

    raw: str

    @cached_property
    def words(self) -> tuple[WordToken, ...]:
        return tuple(tokens(self.raw))

    @cached_property
    def forms(self) -> dict[str, set[str]]:
        """The words as typed, by their stem."""
        found: dict[str, set[str]] = {}
        for word in self.words:
            found.setdefault(stem(word.folded), set()).add(word.text)
        return found

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Stems of neighbours: most Vietnamese words are two syllables."""
        return frozenset((stem(one.folded), stem(two.folded)) for one, two in pairwise(self.words))

    @cached_property
    def language(self) -> Lang:
        return detect(self.raw)

    @cached_property
    def lines(self) -> frozenset[int]:
        """The lines of synonyms.txt of which a name stands in the text."""
        return frozenset(phrase.line for _, phrase in _phrases_in(self.words, synonyms().by_first))


@lru_cache(maxsize=2048)
def text_of(raw: str) -> Text:
    """The text, prepared once: the same passages are looked at for many questions."""
    return Text(raw)


class Coverage(NamedTuple):
    """`share` (0 to 1) of the question's telling words that a text holds, and the ones it does not, as typed.

    `closeness` (0 to 1) is the share of the question's neighbouring words that stand side by side in the text.
    """

    share: float
    unread: tuple[str, ...]
    closeness: float


class Question:
    """The telling words of a question, held against texts."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.language = detect(raw)
        typed = tokens(raw)
        self._lines = {
            at: phrase.line
            for place, phrase in _phrases_in(typed, synonyms().by_first)
            for at in range(place, place + len(phrase.words))
        }
        marked = has_marks(token.text for token in typed)
        english = self.language == "en" and not marked
        idle = {
            at
            for lang in ("vi", "en")
            for place, phrase in _phrases_in(typed, _filler(lang))
            for at in range(place, place + len(phrase.words))
            if _is_filler(
                typed[place : place + len(phrase.words)], phrase, lang, marked=marked, english=english
            )
        } - self._lines.keys()
        everywhere = {
            at
            for place, phrase in _phrases_in(typed, _everywhere(), folded=True)
            for at in range(place, place + len(phrase.words))
        }
        spans = _own_figures(raw)
        own = {
            at for at, token in enumerate(typed) if any(start <= token.start < end for start, end in spans)
        }
        telling = [at for at in range(len(typed)) if at not in idle and at not in own]
        self._places = [at for at in telling if at not in everywhere or at in self._lines] or telling
        self._typed, self._marked = typed, marked
        self._elsewise = named_elsewise(raw)

    @property
    def words(self) -> tuple[str, ...]:
        """The telling words as typed."""
        return tuple(self.raw[self._typed[at].start : self._typed[at].end] for at in self._places)

    @property
    def subjects(self) -> int:
        """How many of the telling words are more than units of time and number ("ngày", "lần")."""
        return sum(not _UNIT.fullmatch(self._typed[at].folded) for at in self._places)

    @property
    def is_topic(self) -> bool:
        """Whether it only names things that are known here."""
        return bool(self._places) and all(at in self._lines for at in self._places)

    def named_by(self, title: str) -> float:
        """How much of what a title says stands in the question, 0 to 1."""
        subject = title_subject(title)
        if not subject:
            return 0.0
        typed = f" {' '.join(token.folded for token in self._typed)} "
        if f" {subject} " in typed:
            return 1.0
        return question_of(subject).coverage(text_of(self.raw)).share

    def coverage(self, text: Text) -> Coverage:
        """How much of the question `text` speaks of; 0 for a question that has no telling word."""
        if not self._places:
            return Coverage(0.0, (), 0.0)
        other = self._elsewise(text.raw)
        unread = [at for at in self._places if not self._held(at, text, other)]
        near = [pair for pair in pairwise(self._places) if pair[1] == pair[0] + 1]
        close = sum(
            (stem(self._typed[one].folded), stem(self._typed[two].folded)) in text.pairs
            or self._lines.get(one, -1) in text.lines
            for one, two in near
        )
        return Coverage(
            round(1 - len(unread) / len(self._places), 4),
            tuple(self.raw[self._typed[at].start : self._typed[at].end] for at in unread),
            round(close / len(near), 4) if near else 1.0,
        )

    def _held(self, at: int, text: Text, other: frozenset[str]) -> bool:
        word = self._typed[at]
        if self._lines.get(at, -1) in text.lines or word.folded in other:
            return True
        if at in self._lines and self._lines[at] in (self._lines.get(at - 1), self._lines.get(at + 1)):
            # A name of several words is held as a whole, not by its syllables.
            return False
        held = text.forms.get(stem(word.folded), ())
        return bool(held) and (not self._marked or any(accents_agree(word.text, one) for one in held))


def _own_figures(raw: str) -> list[tuple[int, int]]:
    """Where the asker's own figures stand: numbers of something ("6 lần", "15tr", "three times") and dates, which no
    page need hold."""
    dates = [found.span() for found in _DATE.finditer(raw)]
    clocks = [found.span() for found in _CLOCK.finditer(raw)]
    counted = [
        (amount.start, amount.end)
        for amount in find_amounts(raw)
        if amount.unit
        or _SCALED.search(fold(raw[amount.start : amount.end]))
        or _COUNTED.match(fold(raw[amount.end :]))
    ]
    folded, offsets = fold_in_place(raw)
    spelt = [span_in_place(offsets, len(raw), *found.span()) for found in _SPELT.finditer(folded)]
    return [*dates, *clocks, *counted, *spelt]


@lru_cache(maxsize=256)
def question_of(raw: str) -> Question:
    """The question, read once."""
    return Question(raw)


def expanded(question: str) -> str:
    """The question followed by the other names of what it speaks of, for a search that takes any of its words."""
    lines = dict.fromkeys(phrase.line for _, phrase in _phrases_in(tokens(question), synonyms().by_first))
    return " ".join([question, *(name for line in lines for name in synonyms().names[line])])


@lru_cache(maxsize=2048)
def title_subject(title: str) -> str:
    """The subject of a title, folded: without the kind of document, a year, a version and brackets."""
    lists = read_lists(FOLDER / "titles.txt")
    words = [token.folded for token in tokens(title.partition("(")[0])]
    while words and (words[-1].isdigit() or words[-1] in lists["ending"]):
        words.pop()
    kinds = sorted((kind.split() for kind in lists["kind"]), key=len, reverse=True)
    first = next((kind for kind in kinds if words[: len(kind)] == kind), [])
    return " ".join(words[len(first) :])


@cache
def known_names() -> str:
    """All that synonyms.txt names, in small letters, a name a line."""
    return "\n".join(name.lower() for names in synonyms().names for name in names)


class Synonyms(NamedTuple):
    """The names of each line of synonyms.txt, and its phrases by their first folded word."""

    names: tuple[tuple[str, ...], ...]
    by_first: dict[str, list[Phrase]]


@cache
def synonyms() -> Synonyms:
    """The words of one office that mean the same."""
    lines = [
        tuple(name.strip() for name in line.replace("||", "|").split("|") if name.strip())
        for line in (FOLDER / "synonyms.txt").read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    ]
    return Synonyms(
        tuple(lines), _by_first((number, name) for number, names in enumerate(lines) for name in names)
    )


@cache
def _filler(lang: str) -> dict[str, list[Phrase]]:
    """Words that say nothing of a question's subject; those of English where nothing else of the line is Vietnamese."""
    listed = read_lists(FOLDER / "filler.txt")[lang]
    return _by_first(enumerate(listed))


@cache
def _everywhere() -> dict[str, list[Phrase]]:
    return _by_first(enumerate(read_lists(FOLDER / "titles.txt")["everywhere"]))


def _by_first(phrases: Iterable[tuple[int, str]]) -> dict[str, list[Phrase]]:
    found: dict[str, list[Phrase]] = {}
    for line, text in phrases:
        words = tuple(tokens(text))
        if words:
            found.setdefault(words[0].folded, []).append(Phrase(line, words))
    return found


def _phrases_in(
    typed: Sequence[WordToken], by_first: dict[str, list[Phrase]], *, folded: bool = False
) -> list[tuple[int, Phrase]]:
    """The longest listed phrases, left to right, none inside another, with the place of their first word.

    `folded` looks at no accents.
    """
    found: list[tuple[int, Phrase]] = []
    at = 0
    while at < len(typed):
        fitting = [
            phrase
            for phrase in by_first.get(typed[at].folded, ())
            if _fits(typed, at, phrase.words, folded=folded)
        ]
        if not fitting:
            at += 1
            continue
        longest = max(fitting, key=lambda phrase: len(phrase.words))
        length = len(longest.words)
        found += [(at, phrase) for phrase in fitting if len(phrase.words) == length]
        at += length
    return found


def _fits(typed: Sequence[WordToken], at: int, words: Sequence[WordToken], *, folded: bool) -> bool:
    span = typed[at : at + len(words)]
    return len(span) == len(words) and all(
        one.folded == word.folded and (folded or accents_agree(one.text, word.text))
        for one, word in zip(span, words, strict=True)
    )


def _is_filler(typed: Sequence[WordToken], phrase: Phrase, lang: str, *, marked: bool, english: bool) -> bool:
    """Whether words typed in such a message are those of a filler phrase of `lang`, and no others that look alike."""
    if lang == "en":
        return english
    if not marked and not english:
        return True
    same = all(accents_agree(listed.text, one.text) for one, listed in zip(typed, phrase.words, strict=True))
    return same and (marked or has_marks(one.text for one in typed))
