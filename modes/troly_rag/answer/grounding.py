"""Ties each claim of an answer to its passage: what no passage says is not said (issue 7, 004 C5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from troly.text.fold import fold, nfc
from troly.text.numbers import find_amounts
from troly.text.wordlist import read_lists

FOLDER = Path(__file__).parent / "lexicons"
# The share of a claim's telling words that its passage must hold.
HELD = 0.6
SHORTEST_WORD = 2
_SENTENCE = re.compile(r"[^\n.!?;]+(?:[.](?=\w)[^\n.!?;]*)*[.!?;]?")
_WORD = re.compile(r"\w+")
_NAMED_WORD = re.compile(r"[^\W_]\w*(?:-\w+)*")
_QUOTED = re.compile(r"[\"“«]([^\"”»]{2,80})[\"”»]")
_LIST = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence or list item and the passage that it rests on, by its place (from 0)."""

    text: str
    passage: int
    held: float


@dataclass(frozen=True, slots=True)
class GroundedAnswer:
    """The claims that stand, in order, and what was left out with why."""

    claims: tuple[Claim, ...]
    dropped: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The claims that stand, as they were written."""
        return "".join(_joined(self.claims)).strip()


def ground(answer: str, passages: Sequence[str]) -> GroundedAnswer:
    """Keep the claims of `answer` that a passage holds: its words, and every figure, name and quoted word in it.

    A claim that joins two passages must be held by both together; it is tied to the one that holds more of it.
    """
    prepared = [_Passage(text) for text in passages]
    claims: list[Claim] = []
    dropped: list[tuple[str, str]] = []
    for sentence in claims_of(answer):
        found, why = _best(sentence, prepared)
        if found is None:
            dropped.append((sentence.strip(), why))
        else:
            claims.append(found)
    return GroundedAnswer(tuple(claims), tuple(dropped))


def claims_of(answer: str) -> Iterator[str]:
    """The sentences and list items of an answer, with the line ends before them."""
    for line in answer.splitlines(keepends=True):
        if _LIST.match(line) or not line.strip():
            if line.strip():
                yield line
            continue
        yield from (found.group() for found in _SENTENCE.finditer(line) if found.group().strip())


def is_listed(claim: str) -> bool:
    """Whether a claim is an item of a list."""
    return bool(_LIST.match(claim.lstrip("\n")))


def telling(text: str) -> list[str]:
    """The folded words of `text` that tell something: no words of one letter, no words that every sentence has."""
    return [
        word
        for word in _WORD.findall(fold(text))
        if len(word) >= SHORTEST_WORD and word not in _words("common")
    ]


@cache
def _words(label: str) -> frozenset[str]:
    """The words of one list of lexicons/common.txt."""
    return frozenset(read_lists(FOLDER / "common.txt")[label])


class _Passage:
    """A passage prepared for looking up words, figures and names, and whether the sentence meant is turned round."""

    def __init__(self, text: str) -> None:
        self.folded = fold(text)
        self.words = frozenset(telling(text))
        self.figures = frozenset(_figures(text))
        self._sentences = [(frozenset(telling(one)), is_negative(one)) for one in claims_of(text)]

    def turns(self, words: Sequence[str]) -> bool | None:
        """Whether the sentence that holds most of `words` is negative; None where no sentence holds half of them."""
        if not self._sentences:
            return None
        held, negative = max(
            (sum(word in own for word in words), negative) for own, negative in self._sentences
        )
        return negative if held * 2 >= len(words) else None


def is_negative(sentence: str) -> bool:
    """Whether a word in it turns the sentence round (không, chưa, not)."""
    return any(word in _words("negation") for word in _WORD.findall(fold(sentence)))


def _best(sentence: str, passages: Sequence[_Passage]) -> tuple[Claim | None, str]:
    words = telling(sentence)
    if not words:
        return (Claim(sentence, 0, 1.0), "") if passages else (None, "empty")
    shares = [sum(word in passage.words for word in words) / len(words) for passage in passages]
    if not shares:
        return None, "no passage"
    place = max(range(len(shares)), key=lambda at: shares[at])
    if shares[place] < HELD:
        return None, "words"
    turned = passages[place].turns(words)
    if turned is not None and turned != is_negative(sentence):
        return None, "negation"
    missing = _missing_details(sentence, passages)
    return (None, missing) if missing else (Claim(sentence, place, round(shares[place], 3)), "")


def _missing_details(sentence: str, passages: Sequence[_Passage]) -> str:
    """The first figure, name or quoted word of `sentence` that no passage holds; "" where all stand somewhere."""
    body = _LIST.sub("", sentence)
    for figure in _figures(body):
        if not any(figure in passage.figures for passage in passages):
            return f"figure {figure}"
    for name in (*_names(body), *_QUOTED.findall(body)):
        if not any(fold(name) in passage.folded for passage in passages):
            return f"name {name}"
    return ""


def _names(body: str) -> Iterator[str]:
    """Runs of words with a capital at their beginning, and single words in capitals; how a sentence begins is none."""
    run: list[str] = []
    for at, word in enumerate([*_WORD.findall(body), ""]):
        if word[:1].isupper() and not (at == 0 and not word[1:2].isupper()):
            run.append(word)
            continue
        if len(run) > 1 or (run and len(run[0]) > 1 and run[0].isupper()):
            yield " ".join(run)
        run = []


def names_of(question: str) -> Iterator[str]:
    """The names and codes that a question speaks of: words with a capital that do not open a sentence, and codes."""
    for sentence in claims_of(nfc(question)):
        # A question in capitals throughout names nothing by them.
        if sentence.isupper() and len(sentence.split()) > 1:
            continue
        run: list[str] = []
        last = -1
        for at, word in enumerate(_NAMED_WORD.finditer(sentence)):
            text = word.group()
            named = text[0].isupper() and (at > 0 or (text.isupper() and len(text) > 1))
            if run and (not named or sentence[last : word.start()] != " "):
                yield " ".join(run)
                run = []
            run += [text] if named else []
            last = word.end()
        if run:
            yield " ".join(run)


def _figures(text: str) -> Iterator[str]:
    for amount in find_amounts(text):
        yield f"{amount.value.normalize():f}"


def _joined(claims: Sequence[Claim]) -> Iterator[str]:
    for at, claim in enumerate(claims):
        gap = "" if at == 0 or claims[at - 1].text.endswith("\n") or claim.text[:1].isspace() else " "
        yield gap + claim.text
