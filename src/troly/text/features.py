"""What the classifier sees of a message: words, pairs and stems, with chat spellings and typos put right."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise, product

from troly.text.fold import accents, fold, tokens
from troly.text.wordlist import LEXICONS, read_lists

_DIGITS = re.compile(r"[0-9]+")
_WORD, _NUMBER, _ACCENTED, _PAIR, _STEM = 1.0, 0.3, 0.3, 0.6, 0.8
_STEM_LETTERS = 4
_TYPO, _SAME_STEM, _KEPT = 0.7, 0.6, 0.3
_MOST = 3
_LONGEST = 24  # letters; what is longer is no slip of the finger, and its slips would take its length squared

Known = Mapping[str, float]
"""Words that could be meant, with their shares."""


def parts(text: str, vocabulary: Vocabulary | None = None) -> dict[str, float]:
    """The parts of `text` with their weights; with a vocabulary, unknown words also count as the known ones they
    are typos or forms of. Names: "w:word", "a:accented", "p:left_right", "s:stem"; all numbers and codes are alike.
    """
    words, found = _read(text)
    if vocabulary is None or all(word in vocabulary for word in words):
        _add_words(found, words)
    else:
        _add_meanings(found, [vocabulary.near(word) for word in words])
    return found


def _add_words(found: dict[str, float], words: list[str]) -> None:
    for word in words:
        found[f"w:{word}"] += _NUMBER if word[0] == "#" else _WORD
        if len(word) > _STEM_LETTERS:
            found[f"s:{word[:_STEM_LETTERS]}"] += _STEM
    for left, right in pairwise(words):
        found[f"p:{left}_{right}"] += _PAIR


def _add_meanings(found: dict[str, float], meant: list[Known]) -> None:
    for known in meant:
        for word, share in known.items():
            found[f"w:{word}"] += (_NUMBER if word[0] == "#" else _WORD) * share
            if len(word) > _STEM_LETTERS:
                found[f"s:{word[:_STEM_LETTERS]}"] += _STEM * share
    for first, second in pairwise(meant):
        for (left, one), (right, other) in product(first.items(), second.items()):
            found[f"p:{left}_{right}"] += _PAIR * one * other


def _read(text: str) -> tuple[list[str], dict[str, float]]:
    """The folded words of `text`, chat spellings written out, and its accented words as parts."""
    words: list[str] = []
    found: dict[str, float] = defaultdict(float)
    chat = _chat_spellings()
    for token in tokens(text):
        word = token.folded
        if not word.isalpha():
            word = _DIGITS.sub("#", word) if word[:1].isdigit() else "#code"
        if word in chat:
            words.extend(chat[word])
        else:
            words.append(word)
        if token.text != word and accents(token.text):
            found[f"a:{token.text}"] += _ACCENTED
    return words, found


class Vocabulary:
    """The words of the examples, found again in spite of one slip of the finger or another ending."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._slips: dict[str, list[str]] = defaultdict(list)
        self._stems: dict[str, list[str]] = defaultdict(list)
        for word in sorted(word for word in self._words if word.isalpha()):
            if len(word) >= _STEM_LETTERS:
                for key in _slips(word):
                    self._slips[key].append(word)
            if len(word) > _STEM_LETTERS:
                self._stems[word[:_STEM_LETTERS]].append(word)

    def __contains__(self, word: str) -> bool:
        return word in self._words

    def near(self, word: str) -> Known:
        """`word` itself when it is known or like nothing, else with the known words it may be, shares adding to 1."""
        if word in self._words or not word.isalpha() or not _STEM_LETTERS - 1 <= len(word) <= _LONGEST:
            return {word: 1.0}
        like = {
            other
            for key in _slips(word)
            for other in self._slips.get(key, ())
            if abs(len(other) - len(word)) <= 1
        }
        weight = _TYPO
        if not like and len(word) > _STEM_LETTERS:
            like, weight = set(self._stems.get(word[:_STEM_LETTERS], ())), _SAME_STEM
        if not like:
            return {word: 1.0}
        chosen = sorted(like)[:_MOST]
        return {word: _KEPT, **{other: weight / len(chosen) for other in chosen}}


def _slips(word: str) -> set[str]:
    """`word` and what is left of it without one letter: words one slip apart share one of these."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


@cache
def _chat_spellings() -> Mapping[str, tuple[str, ...]]:
    """Folded chat spellings to the folded words they stand for."""
    return {
        fold(spelling): tuple(fold(meant).split())
        for meant, spellings in read_lists(LEXICONS / "chat.txt").items()
        for spelling in spellings
        if fold(spelling).isalpha() and fold(spelling) != fold(meant)
    }
