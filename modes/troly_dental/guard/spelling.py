"""A message as the guard's word lists would spell it: chat spellings written out, slips of the finger put right."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from troly.text.fold import WordToken, accents, bigrams, fold, nfc, tokens
from troly.text.language import is_syllable
from troly.text.spelling import CHAT, Corrector, SpellingRules, chat_spellings, nearest
from troly.text.wordlist import LEXICONS as COMMON_LEXICONS
from troly.text.wordlist import read_lists

LEXICONS = Path(__file__).parent / "lexicons"
# What a message is about shows well before its end; the end of a long one is read as well, for it holds the question.
_HEAD, _TAIL = 3000, 1000
# One letter more or less makes another word of a shorter one.
_SHORTEST_SLIP = 5
# Unless its neighbour tells which.
_SHORTEST_IN_PAIR = 4
_RULES = SpellingRules(
    most_words=1, two_slips_from=9, same_start=True, long_syllables=True, same_language=True, shortest_phrase=_SHORTEST_SLIP,
    most_tokens=1500,
)  # fmt: skip
# Behind a number "k" is a thousand, but none of what is felt: "36,9 k sốt".
_NO_FEELING = re.compile(r"(?<=\d )k(?= (?:sốt|sot|nóng|nong|đau|dau|sưng|sung|nhức|nhuc)\b)", re.IGNORECASE)
_NO_N = re.compile(r"[aeiouy]g$")
_TELEX_HAT = re.compile(r"([aeo])\1(?!\u0302)")
# A word is not bent towards what speaks against teeth.
_NO_TARGETS = frozenset({"other", "off", "medical", "elsewhere", "follow", "social"})
# Short words that are worth a look all the same.
_SHORT_TARGETS = frozenset({"tooth", "teeth", "gums"})


def part_read(text: str) -> str:
    """The part of `text` that is looked at: all of it, or its beginning and its end; in NFC."""
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    return nfc(text)


@lru_cache(maxsize=64)
def spellings_of(text: str) -> tuple[str, ...]:
    """`part_read(text)`, and the same with chat spellings, slips and accents put right where that makes a difference."""
    typed = part_read(text)
    corrected = _without_wrong_accents(_corrector().correct(_NO_FEELING.sub("không", typed)).text)
    return (typed,) if corrected == typed else (typed, corrected)


def is_known(word: str) -> bool:
    """Whether the folded `word` stands in a list of the words that are no slips."""
    return _corrector().is_known(word)


def _without_wrong_accents(text: str) -> str:
    """`text` where a word that makes none that is listed is bare, if it makes a listed pair with its neighbour without its
    accents, or with one letter more, less or changed: "nhiẹt miêng", "nhiệt mệng"."""
    words, (listed, pairs) = tokens(text), _listed_words()
    for one, other in reversed(list(pairwise(words))):
        if other.start - one.end > 1:
            continue
        meant = f"{one.folded}_{other.folded}"
        meant = meant if meant in pairs else _near_pair(one, other)
        for word, bare in zip((other, one), meant.split("_")[::-1] if meant else (), strict=False):
            if word.text not in listed:
                text = text[: word.start] + bare + text[word.end :]
    return text


def _near_pair(one: WordToken, other: WordToken) -> str:
    """The only listed pair of which one word is written as it is, the other, that no list has, with a slip; else ""."""
    typed = (one.folded, other.folded)
    strange = [not _corrector().is_known(word) for word in typed]
    at = strange.index(True) if any(strange) else 0
    if sum(strange) != 1 or len(typed[at]) < _SHORTEST_IN_PAIR:
        return ""
    beside = [both for pair in _listed_words()[1] if (both := pair.split("_"))[1 - at] == typed[1 - at]]
    near = nearest(typed[at], [both[at] for both in beside if both[at][0] == typed[at][0]])
    return "_".join([*typed[:at], *near, *typed[at + 1 :]]) if len(near) == 1 else ""


@cache
def _listed_words() -> tuple[frozenset[str], frozenset[str]]:
    """The words of all lists with their accents, and the pairs of words without them."""
    words = [[word.text for word in tokens(entry)] for entry in _known()]
    pairs = (pair for each in words for pair in bigrams([fold(word) for word in each]))
    return frozenset(word for each in words for word in each), frozenset(pairs)


@cache
def _known() -> tuple[str, ...]:
    """The entries of all lists: their words are no slips."""
    paths = [*(COMMON_LEXICONS / f"{name}.txt" for name in ("vietnamese", "english", "neutral"))]
    paths += [LEXICONS / name for name in ("topics.txt", "trades.txt", "known.txt")]
    # Nor are the words that the notes answer to, nor those of everyday speech: "lỡ sau này" is no "lỗ sâu".
    paths += [LEXICONS.parent.parent / "lexicons" / name for name in ("concepts.txt", "general.txt")]
    lists = map(read_lists, paths)
    return tuple(entry for one in lists for listed in one.values() for entry in listed)


@cache
def _corrector() -> Corrector:
    """Corrects towards the words of the lists that speak for teeth or danger."""
    chat = chat_spellings(CHAT, LEXICONS / "chat.txt")
    # "rag" for "răg", of who types no accents; "xung" for "xưng" is a word of its own.
    bare = {fold(typed): meant for typed, meant in chat.items() if not is_syllable(fold(typed))}
    chat = bare | chat
    return Corrector(_meant(), _known(), chat, _RULES, short_words=_SHORT_TARGETS, repair=_typed_in_haste)


def _meant() -> Iterator[str]:
    """The words and pairs of words that a slip may stand for."""
    for label, listed in read_lists(LEXICONS / "topics.txt").items():
        for phrase in listed if label not in _NO_TARGETS else ():
            words = [token.text for token in tokens(phrase)]
            whole = fold("".join(words))
            if len(words) <= 2 and whole.isalpha() and len(whole) >= _SHORTEST_SLIP:
                yield " ".join(words)


def _typed_in_haste(token: WordToken) -> str | None:
    """The word without its doubled letters ("sốtt") or with the n that chat leaves out ("miệg"), where that is a word."""
    word, folded = token.text, token.folded
    # "Cug" is "cũng", but no "cứg".
    known = _corrector().is_known(folded) and not (accents(word) and _NO_N.search(folded))
    if known or not folded.isalpha() or is_syllable(folded):
        return None
    # "neếu": the letter that carries the accents stays; two of "heét" are one with its hat, as telex has it.
    once = "".join(one for one, after in zip(word, f"{word[1:]} ", strict=True) if fold(one) != fold(after))
    hat = nfc(_TELEX_HAT.sub("\\1\u0302", unicodedata.normalize("NFD", word)))
    if once not in _listed_words()[0] and hat in _listed_words()[0]:
        once = hat
    if once != word and (_corrector().is_known(fold(once)) or is_syllable(fold(once))):
        return once
    if _NO_N.search(folded) and is_syllable(folded[:-1] + "ng"):
        return word[:-1] + "ng"
    return None
