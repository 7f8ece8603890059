"""Ties each claim of an answer to its passage: what no passage says is not said (issue 7, 004 C5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from troly.retrieval.rewording import named_elsewise
from troly.text.fold import fold
from troly.text.numbers import find_amounts
from troly.text.wordlist import read_lists

FOLDER = Path(__file__).parent / "lexicons"
# The share of a claim's telling words that its passage must hold.
HELD = 0.6
SHORTEST_WORD = 2
_SENTENCE = re.compile(r"[^\n.!?;]+(?:[.](?=\d)[^\n.!?;]*)*[.!?;]?")
_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"[\"“«]([^\"”»]{2,80})[\"”»]")
_LIST = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence or list item and the passage that it rests on, by its place (from 0)."""

    text: str
    passage: int
    held: float


@dataclass(frozen=True, slots=True)
class Grounded:
    """The claims that stand, in order, and what was left out with why."""

    claims: tuple[Claim, ...]
    dropped: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The claims that stand, as they were written."""
        return "".join(_joined(self.claims)).strip()


def ground(answer: str, passages: Sequence[str]) -> Grounded:
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
    return Grounded(tuple(claims), tuple(dropped))


def claims_of(answer: str) -> Iterator[str]:
    """The sentences and list items of an answer, with the line ends before them."""
    for line in answer.splitlines(keepends=True):
        if _LIST.match(line) or not line.strip():
            if line.strip():
                yield line
            continue
        yield from (found.group() for found in _SENTENCE.finditer(line) if found.group().strip())


def extract(question: str, passages: Sequence[str], *, most: int = 3) -> tuple[Claim, ...]:
    """The sentences of the passages that answer `question` best, for answering without a model; passages are best first.

    A sentence is judged by the share of the question's telling words that it holds, also by another name or in the
    other language, and by its passage's place.
    """
    wanted, elsewise = set(telling(question)), named_elsewise(question)
    scored: list[tuple[float, int, int, str]] = []
    for place, passage in enumerate(passages):
        title = passage.split("\n", 1)[0]
        heading = elsewise(title).union(telling(title))
        for at, sentence in enumerate(claims_of(passage)):
            words = set(telling(sentence))
            if len(words) < 3 or sentence.lstrip().startswith("#"):
                continue
            words |= elsewise(sentence)
            share = len(wanted & (words | heading)) / max(1, len(wanted))
            own = len(wanted & words) / max(1, len(wanted))
            scored.append((round(0.6 * own + 0.4 * share, 4) - 0.05 * place, place, at, sentence.strip()))
    best = sorted((one for one in scored if one[0] > 0), key=lambda one: (-one[0], one[1], one[2]))[:most]
    return tuple(
        Claim(text, place, score) for score, place, _, text in sorted(best, key=lambda one: (one[1], one[2]))
    )


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


def _figures(text: str) -> Iterator[str]:
    for amount in find_amounts(text):
        yield f"{amount.value.normalize():f}"


def _joined(claims: Sequence[Claim]) -> Iterator[str]:
    for at, claim in enumerate(claims):
        gap = "" if at == 0 or claims[at - 1].text.endswith("\n") or claim.text[:1].isspace() else " "
        yield gap + claim.text
