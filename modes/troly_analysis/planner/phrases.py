"""An index of phrases found in a tokenised message: with or without accents, joined, longest first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, TypeVar

from troly.text.fold import WordToken, accents, accents_agree, fold, tokens

T = TypeVar("T")
_GAP = re.compile(r"[\s\-_'’/.&]*")
_SHORTEST_JOINED = 6
_SLIPPED = 0.15


def key_of(phrase: str) -> tuple[str, ...]:
    """The folded words of a phrase, as it is looked up by."""
    return tuple(token.folded for token in tokens(phrase))


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """Words `start:end` of a message mean `payload`; `loss` is 0 where the accents were typed as listed."""

    start: int
    end: int
    payload: T
    loss: float = 0.0


class Phrases(Generic[T]):
    """Payloads by phrase. Several payloads may share a phrase; finding gives every one at every place."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, ...], list[tuple[tuple[str, ...], T]]] = defaultdict(list)
        self._longest = 1

    def add(self, phrase: str, payload: T) -> None:
        """List `payload` under `phrase`; a phrase without a word is left out."""
        words = tuple(token.text for token in tokens(phrase))
        if not words:
            return
        folded = tuple(token.folded for token in tokens(phrase))
        self._entries[folded].append((words, payload))
        self._longest = max(self._longest, len(words))
        if len(words) > 1 and sum(map(len, words)) >= _SHORTEST_JOINED:
            self._entries["".join(folded),].append((("".join(words),), payload))

    def vocabulary(self) -> set[str]:
        """Every folded word of the phrases."""
        return {word for phrase in self._entries for word in phrase}

    def listed(self, folded: tuple[str, ...]) -> list[T]:
        """The payloads of exactly these folded words."""
        return [payload for _, payload in self._entries.get(folded, ())]

    def find(
        self, text: str, typed: Sequence[WordToken], *, careful: bool, bare: bool = False
    ) -> Iterator[Found[T]]:
        """Everything listed that stands in `typed` (the tokens of `text`).

        With `careful`, a single word counts only with the accents listed: for messages typed with accents. With
        `bare`, words listed without accents may be typed with any: for sheets that are written without.
        """
        together = [bool(_GAP.fullmatch(text, a.end, b.start)) for a, b in pairwise(typed)]
        for start in range(len(typed)):
            key: tuple[str, ...] = ()
            for end in range(start + 1, min(start + self._longest, len(typed)) + 1):
                if end - start > 1 and not together[end - 2]:
                    break
                key = (*key, typed[end - 1].folded)
                for words, payload in self._entries.get(key, ()):
                    said = [token.text for token in typed[start:end]]
                    loss = _loss(_bared(said, words) if bare else said, words, careful=careful)
                    if loss is not None:
                        yield Found(start, end, payload, loss)


def _bared(typed: Sequence[str], words: Sequence[str]) -> list[str]:
    """The words as typed, without their accents where the word listed has none."""
    return [said if accents(word) else fold(said) for said, word in zip(typed, words, strict=True)]


def _loss(typed: Sequence[str], words: Sequence[str], *, careful: bool) -> float | None:
    """How far the accents typed are from those listed; None when they say another word."""
    wrong = sum(not accents_agree(got, want) for got, want in zip(typed, words, strict=True))
    if len(words) == 1:
        exact = accents(typed[0]) == accents(words[0])
        joined = exact or not accents(typed[0])
        return 0.0 if joined and (exact or not careful or len(words[0]) >= _SHORTEST_JOINED) else None
    if wrong > 1 or (wrong == 1 and len(words) < 2):
        return None
    return _SLIPPED * wrong
