"""Which language a message is in, from function words, accents and the shape of Vietnamese syllables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from troly.text.catalogue import Lang
from troly.text.fold import Token, accents, fold, tokens
from troly.text.language_switch import SwitchRequest, switch_request
from troly.text.wordlist import LEXICONS, read_lists

__all__ = ["SwitchRequest", "detect", "detect_score", "is_other", "is_syllable", "switch_request"]

_ENOUGH = 4000  # characters; the language of a longer text shows well before its end
_ONSET = r"(?:ngh|ng|nh|ch|gh|gi|kh|ph|qu|th|tr|[bcdghklmnprstvx])?"
_RIME = (
    r"(?:a(?:ch?|i|m|n[gh]?|o|p|t|u|y)?|e(?:ch?|m|n[gh]?|o|p|t|u)?|i(?:a|ch|e[cmptu]|eng?|m|nh?|p|t|u)?"
    r"|o(?:a(?:ch?|i|m|n[gh]?|o|p|t|y)?|c|e[not]?|i|m|ng?|p|t|oc|ong)?"
    r"|u(?:a(?:ng?|o|t|y|u)?|c|e(?:ch|nh?)?|i|m|ng?|o(?:[cimptu]|ng?)?|p|t|u|y(?:a|ch|en|et|nh|t|u|p)?)?"
    r"|y(?:e[mntu]|eng|ch|nh|t|p|u)?)"
)
_SYLLABLE = re.compile(_ONSET + _RIME)
_CONTRACTION = re.compile(r"[a-z]+'(?:s|t|m|re|ve|ll|d)\b")
_KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")

# What one word is worth. Function words outweigh content: people borrow nouns, seldom "what is" or "cho em".
_ACCENTED, _STRONG, _CHAT = 1.5, 1.6, 1.2
_NAME, _GREETING, _SHARED = 0.5, 0.8, 0.4
_CLEARLY = 0.4
_LIKE_ENGLISH, _LIKE_VIETNAMESE, _SLIP = 0.8, 0.5, 0.2


@dataclass(frozen=True, slots=True)
class _Lists:
    """Weights by folded phrase: above 0 for Vietnamese, below for English, 0 for words that show nothing."""

    weights: Mapping[tuple[str, ...], float]
    longest: int


def detect(text: str) -> Lang:
    """The language of a message (000-15); Vietnamese when unsure."""
    return "en" if detect_score(text) < 0 else "vi"


def detect_score(text: str) -> float:
    """How sure the language is: from -1 (English) over 0 (nothing to go by) to 1 (Vietnamese)."""
    found = list(_evidence(text[:_ENOUGH]))
    accented = sum(weight >= _ACCENTED for weight, listed in found if listed is None)
    if accented >= sum(weight < 0 and listed is False for weight, listed in found):
        # Beside as much accented Vietnamese, words that only look foreign are borrowed ("setup pc chơi game").
        found = [(weight, listed) for weight, listed in found if weight > 0 or listed]
    vietnamese = sum(weight for weight, _ in found if weight > 0)
    english = -sum(weight for weight, _ in found if weight < 0)
    return (vietnamese - english) / (vietnamese + english) if vietnamese + english else 0.0


def is_other(text: str, lang: Lang) -> bool:
    """Whether `text` is clearly not in `lang`; False when unsure."""
    score = detect_score(text)
    return score < -_CLEARLY if lang == "vi" else score > _CLEARLY


def is_syllable(word: str) -> bool:
    """Whether the folded `word` is spelt like a Vietnamese syllable."""
    return _SYLLABLE.fullmatch(word) is not None


def _evidence(text: str) -> Iterator[tuple[float, bool | None]]:
    """What each word is worth, and how that is known: by a list (True), by its spelling (False), by its accents (None)."""
    lists = _lists()
    found = tokens(text)
    yield from ((-_STRONG, True) for _ in _CONTRACTION.finditer(fold(text)))
    at = 0
    while at < len(found):
        length, weight = _listed(lists, found, at)
        if accents(found[at].text):
            yield _accented(text, found, at), None
            at += 1
        elif length:
            yield weight * length, True
            at += length
        else:
            yield _shape(found[at].folded, lists), False
            at += 1


def _listed(lists: _Lists, found: list[Token], at: int) -> tuple[int, float]:
    """The longest listed phrase of words without accents at `at`: its length (0 for none) and weight a word."""
    words: list[str] = []
    for token in found[at : at + lists.longest]:
        if accents(token.text):
            break
        words.append(token.folded)
    for length in range(len(words), 0, -1):
        weight = lists.weights.get(tuple(words[:length]))
        if weight is not None:
            return length, weight
    return 0, 0.0


def _accented(text: str, found: list[Token], at: int) -> float:
    token = found[at]
    if not _SYLLABLE.fullmatch(token.folded) and "đ" not in token.text:
        return _NAME / 2  # "café", "résumé"
    # Names of people and places keep their accents in English: "the shop in Đà Nẵng".
    name = at > 0 and text[token.start].isupper() and not text[token.start : token.end].isupper()
    return _NAME if name else _ACCENTED


def _shape(word: str, lists: _Lists) -> float:
    if not word.isascii() or not word.isalpha() or len(word) == 1:
        return 0.0
    if _SYLLABLE.fullmatch(word):
        return _LIKE_VIETNAMESE
    if not set(word) & set("aeiouy") or any(word in row for row in _KEYBOARD):
        return 0.0  # "asdf" is no word of any language
    # "hnah" is no English word but "hanh" with two letters swapped.
    meant = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)]
    weights = [weight for each in meant if (weight := lists.weights.get((each,))) is not None]
    if weights:
        return max(-_LIKE_ENGLISH, min(_LIKE_VIETNAMESE, sum(weights)))
    return -_SLIP if any(map(_SYLLABLE.fullmatch, meant)) else -_LIKE_ENGLISH


@cache
def _lists() -> _Lists:
    weights: dict[tuple[str, ...], float] = {}
    english, vietnamese = read_lists(LEXICONS / "english.txt"), read_lists(LEXICONS / "vietnamese.txt")
    for entries, weight in (
        (vietnamese["strong"], _STRONG),
        (vietnamese["chat"], _CHAT),
        (english["shared"], -_SHARED),
        (english["greeting"], -_GREETING),
        (english["strong"], -_STRONG),
        (read_lists(LEXICONS / "neutral.txt")[""], 0.0),
    ):
        for entry in entries:
            key = tuple(token.folded for token in tokens(entry))
            if weight >= 0 and key in weights:
                continue  # the neutral list never silences a word that another list knows
            weights[key] = weight
    return _Lists(weights, max(map(len, weights)))
