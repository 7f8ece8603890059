"""One fold for search, rules, palette and matching: Vietnamese compared without case, accents, đ or width."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

# Letters that Unicode does not decompose, and look-alikes that old converters write for đ; typographic signs that
# keyboards do not have.
_EXTRA = {
    "đ": "d", "ð": "d", "ɖ": "d", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "ı": "i",
    **dict.fromkeys("‘’ʼ′`´", "'"), **dict.fromkeys("“”″", '"'), **dict.fromkeys("‐‑‒–—―−", "-"),
}  # fmt: skip
# Written between the letters of a word by web pages and word processors, never typed.
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_FRACTION_SLASH = "\u2044"
_TONES = {"\u0300": "f", "\u0301": "s", "\u0303": "x", "\u0309": "r", "\u0323": "j"}
_WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+")
_DOUBLE = re.compile(r"(.)\1+")
_LONG_RUN = re.compile(r"([^\W\d_])\1{2,}")


class WordToken(NamedTuple):
    """A word as typed (lower case NFC), its fold, and its place `start:end` in the string it was found in."""

    text: str
    folded: str
    start: int
    end: int


def nfc(s: str) -> str:
    """`s` in Unicode normal form C: one code point for each Vietnamese letter."""
    return unicodedata.normalize("NFC", s)


def fold(s: str) -> str:
    """`s` for comparing: lower case, no accents, đ as d, ligatures and full-width forms as plain letters.

    The same for NFC and NFD input; `fold(fold(s)) == fold(s)`.
    """
    return s.translate(_folds())


def fold_in_place(s: str) -> tuple[str, list[int]]:
    """`fold(s)` and, for each of its characters, the offset in `s` itself, whatever its normal form.

    `span_in_place` turns a span of the fold into one of `s`.
    """
    pieces: list[str] = []
    offsets: list[int] = []
    folds = _folds()
    for at, char in enumerate(s):
        piece = folds[ord(char)]
        pieces.append(piece)
        offsets.extend([at] * len(piece))
    return "".join(pieces), offsets


def span_in_place(offsets: Sequence[int], length: int, start: int, end: int) -> tuple[int, int]:
    """The part of a string of `length` that folded characters `start:end` (not empty) came from, marks included."""
    after = offsets[end] if end < len(offsets) else length
    return offsets[start], max(after, offsets[end - 1] + 1)


def words(s: str) -> list[str]:
    """The words of `s`, accented, lower case, NFC; digits count as letters, punctuation and `_` part words."""
    return _WORD.findall(s.lower() if s.isascii() else nfc(nfc(s).lower()))


def folded_words(s: str) -> list[str]:
    """The fold of each of `words(s)`, in the same order and number."""
    return list(_folded_once(s) if len(s) <= _SHORT else _folded_words(s))


def _folded_words(s: str) -> tuple[str, ...]:
    return tuple(fold(word) for word in words(s))


def bigrams(tokens: Sequence[str]) -> list[str]:
    """Neighbours joined by `_`: most Vietnamese words are two syllables, written apart."""
    return [f"{left}_{right}" for left, right in pairwise(tokens)]


def tokens(s: str) -> list[WordToken]:
    """The words of `s` with their places in `s`, letters drawn out for effect ("giááá") written once."""
    return list(_tokens_once(s) if len(s) <= _SHORT else _tokens(s))


def _tokens(s: str) -> tuple[WordToken, ...]:
    # As `WordToken(…)` makes them, which takes three times as long.
    make, kind = tuple.__new__, WordToken
    return tuple([make(kind, (*_word(match[0]), *match.span())) for match in _WORD.finditer(s)])


def distinct_words(texts: Iterable[str]) -> set[tuple[str, str]]:
    """Text and fold of all `tokens` of the texts. Much quicker than token by token: lists say the same few words again and again."""
    return {_word(typed) for typed in set(_WORD.findall("\n".join(texts)))}


def vocabulary(texts: Iterable[str]) -> set[str]:
    """The folds of all `tokens` of the texts."""
    return {folded for _, folded in distinct_words(texts)}


def typed_words(s: str) -> list[str]:
    """The words of `s` as they are typed; `folded_word` gives the fold of each."""
    return _WORD.findall(s)


def folded_word(word: str) -> str:
    """The fold of the token of `word`, which is one of `words` or `typed_words`; quicker than by `tokens`."""
    return _word(word)[1]


@lru_cache(maxsize=32_768)
def _word(typed: str) -> tuple[str, str]:
    """The text and the fold of a word's token. The lists of words have more entries than a cache of texts holds, but few words."""
    text = typed.lower()
    text = text if text.isascii() else nfc(text)
    return text, _LONG_RUN.sub(r"\1", fold(text))


# A turn asks of its text, and of the names in the data, many times.
_SHORT = 1_000
_tokens_once, _folded_once = lru_cache(maxsize=8_192)(_tokens), lru_cache(maxsize=8_192)(_folded_words)


@lru_cache(maxsize=16_384)
def accents(word: str) -> str:
    """The Vietnamese marks of `word` in a form that does not depend on where the tone is put.

    `accents("hoà") == accents("hòa")`, empty for a word without marks: letters with their own mark (ă â đ ê ô ơ ư)
    stay letters, tones follow as f s x r j in reading order.
    """
    if word.isascii():
        return ""
    letters: list[str] = []
    tones: list[str] = []
    for char in unicodedata.normalize("NFD", word.lower()):
        (tones if char in _TONES else letters).append(_TONES.get(char, char))
    shape = _DOUBLE.sub(r"\1", nfc("".join(letters)))
    return "" if shape.isascii() and not tones else f"{shape}|{''.join(tones)}"


def accents_agree(typed: str, wanted: str) -> bool:
    """Whether `typed`, whose fold is that of `wanted`, can mean `wanted`: no marks typed, or the same marks.

    "ban" can mean "bạn", "bán" cannot; "đuoc" can mean "được", its đ agrees and its vowels are bare.
    """
    marks = accents(typed)
    if not marks or marks == accents(wanted):
        return True
    bare = typed.lower().replace("đ", "d").isascii()
    return bare and all(theirs == "đ" for mine, theirs in zip(typed, wanted, strict=False) if mine == "đ")


def has_marks(s: Iterable[str]) -> bool:
    """Whether any of the words carries a Vietnamese mark."""
    return any(accents(word) for word in s)


class _Folds(dict[int, str]):
    """The fold of every code point, worked out when it is first met: a function of one character, so offsets hold."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in _INVISIBLE:
            plain = ""
        else:
            plain = "".join(_EXTRA.get(part, part) for part in _without_marks(char).casefold())
            plain = plain if plain == char else plain.translate(self)
        self[code] = plain
        return plain


@cache
def _folds() -> _Folds:
    return _Folds()


def _without_marks(char: str) -> str:
    parts = unicodedata.normalize("NFKD", char)
    if _FRACTION_SLASH in parts:  # ¼ is not "14"
        return char
    return "".join(
        part for part in parts if not unicodedata.combining(part) and unicodedata.category(part) != "Mn"
    )
