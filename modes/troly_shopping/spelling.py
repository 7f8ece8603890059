"""Reads a message as the word lists would spell it: chat spellings written out, slips of the finger put right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from troly.text.fold import WordToken, fold, nfc, tokens
from troly.text.language import detect, is_syllable
from troly.text.wordlist import LEXICONS, read_lists

# A span with a slip in it must be this long: one letter more or less makes another word of a shorter one.
_SHORTEST_WORD, _SHORTEST, _LONGEST = 5, 6, 24
_MOST_WORDS = 4
# Who writes more than this is not looked at for slips: it takes time, and enough words are spelt well.
_MOST_TOKENS = 80


class _Repair(NamedTuple):
    end: int
    phrase: str


class Spelling:
    """Knows the phrases that may be meant and the words that are no slips."""

    def __init__(self, phrases: Iterable[str], known: Iterable[str] = ()) -> None:
        """`phrases` may be meant; the words of `known` and of the phrases are never changed by themselves."""
        self._slips: dict[str, list[str]] = defaultdict(list)
        self._joined: dict[str, str] = {}
        self._known = {token.folded for text in known for token in tokens(text)} | {
            fold(spelling) for spelling in _chat()
        }
        for phrase in phrases:
            folded = [token.folded for token in tokens(phrase)]
            self._known.update(folded)
            joined = "".join(folded)
            shortest = _SHORTEST if len(folded) > 1 else _SHORTEST_WORD
            if joined.isalpha() and shortest <= len(joined) <= _LONGEST and joined not in self._joined:
                self._joined[joined] = " ".join(folded)
                for key in slips(joined):
                    self._slips[key].append(joined)

    def plain(self, text: str) -> str:
        """The words of the message as the lists spell them; codes and unknown words stay."""
        typed = tokens(text)
        vietnamese = detect(text) == "vi"
        chat = _chat() if vietnamese else {}
        mended = len(typed) <= _MOST_TOKENS
        words: list[str] = []
        at = 0
        while at < len(typed):
            repair = self._repair(typed, at, vietnamese) if mended else None
            if repair is not None:
                words.append(repair.phrase)
                at = repair.end
                continue
            words.append(chat.get(typed[at].text, typed[at].text))
            at += 1
        return " ".join(words)

    def _repair(self, typed: list[WordToken], at: int, vietnamese: bool) -> _Repair | None:
        """The longest phrase that the words from `at` on spell with one slip."""
        joined, strange, best = "", False, None
        for end in range(at, min(at + _MOST_WORDS, len(typed))):
            word = typed[end].folded
            joined += word
            if not word.isalpha() or len(joined) > _LONGEST:
                break
            strange = strange or not (word in self._known or (vietnamese and is_syllable(word)))
            if (
                strange
                and len(joined) >= (_SHORTEST if end > at else _SHORTEST_WORD)
                and (meant := self._nearest(joined))
            ):
                best = _Repair(end + 1, self._joined[meant])
        return best

    def _nearest(self, joined: str) -> str | None:
        """The phrase that `joined` is one slip away from; the one with the same letters first."""
        found = {other for key in slips(joined) for other in self._slips.get(key, ())}
        near = [other for other in found if is_one_slip(joined, other)]
        return min(near, key=lambda other: (sorted(other) != sorted(joined), other), default=None)


def is_one_slip(one: str, other: str) -> bool:
    """Whether one letter more, less or changed, or two neighbours swapped, makes `other` of `one`."""
    short, long = sorted((one, other), key=len)
    at = next((n for n, char in enumerate(short) if char != long[n]), len(short))
    if len(long) - len(short) == 1:
        return short[at:] == long[at + 1 :]
    swapped = short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    return len(long) == len(short) > at and (swapped or short[at + 1 :] == long[at + 1 :])


def slips(word: str) -> set[str]:
    """`word` and what is left of it without one letter: words one slip apart share one of these."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


@cache
def _chat() -> Mapping[str, str]:
    """Chat spellings, with their accents, to the folded words they stand for: "hong" is "không", "hỏng" is not."""
    return {
        nfc(spelling.lower()): fold(meant)
        for meant, spellings in read_lists(LEXICONS / "chat.txt").items()
        for spelling in spellings
        if fold(spelling).isalpha() and fold(spelling) != fold(meant)
    }
