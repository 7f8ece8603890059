"""Reads a message as the guard's word lists would spell it: chat spellings written out, slips of the finger put right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from unicodedata import normalize

from troly.text.fold import WordToken, accents, fold, nfc, tokens
from troly.text.language import detect, is_syllable
from troly.text.wordlist import LEXICONS as HOUSE_LEXICONS
from troly.text.wordlist import read_lists
from troly_dental.guard.signs import flag_lists

LEXICONS = Path(__file__).parent / "lexicons"
# What a message is about shows well before its end; the end of a long one is read as well, for it holds the question.
_HEAD, _TAIL = 3000, 1000
# One letter more or less makes another word of a shorter one.
_SHORTEST_SLIP, _LONGEST_SLIP = 5, 24
_MOST_SLIPS = 80
_DOUBLED = re.compile(r"([^\W\d_])\1")
# In NFD: the five tones; then a bare o after ư, a bare e between i or y and a consonant.
_TONES = re.compile("[\u0300\u0301\u0303\u0309\u0323]")
_MISSPELT = re.compile("u\u031bo(?!\u031b)|uo\u031b[a-z]|[iy]e[cmnpt](?!.*[aeiou])")
_NO_N = re.compile(r"[aeiouy]g$")
# A word is not bent towards what speaks against teeth.
_NO_TARGETS = frozenset({"other", "off", "medical", "rag", "follow", "social"})
# Short words that are worth a look all the same.
_SHORT_TARGETS = frozenset({"tooth", "teeth", "gums"})


def part_read(text: str) -> str:
    """The part of `text` that is looked at: all of it, or its beginning and its end; in NFC."""
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    return nfc(text)


@lru_cache(maxsize=64)
def readings(text: str) -> tuple[str, ...]:
    """`part_read(text)`, and the same with chat spellings and slips put right where that makes a difference."""
    typed = part_read(text)
    mended = _mended(typed)
    return (typed,) if mended == typed else (typed, mended)


def respelt(text: str) -> tuple[str, ...]:
    """`part_read(text)` with the words whose accents no Vietnamese word has ("nưóu", "miẹng") without them, if any."""
    typed = part_read(text)
    pieces, at = [], 0
    for word in tokens(typed):
        if _MISSPELT.search(_TONES.sub("", normalize("NFD", word.text))) or _two_tones(word.text):
            pieces += [typed[at : word.start], word.folded]
            at = word.end
    return (f"{''.join(pieces)}{typed[at:]}",) if pieces else ()


def _two_tones(word: str) -> bool:
    return len(_TONES.findall(normalize("NFD", word))) > 1


def _mended(text: str) -> str:
    words = tokens(text)
    vietnamese = detect(text) == "vi"
    chat = _chat() if vietnamese else {}
    pieces: list[str] = []
    at, looked = 0, 0
    for word in words:
        pieces.append(text[at : word.start])
        meant = chat.get(word.text)
        if meant is None:
            meant = _hurried(word.text, vietnamese=vietnamese)
        if meant is None and looked < _MOST_SLIPS and _strange(word):
            looked += 1
            meant = _nearest(word.folded)
            if meant is not None and not vietnamese and not meant.isascii():
                meant = None
        pieces.append(meant or text[word.start : word.end])
        at = word.end
    pieces.append(text[at:])
    return "".join(pieces)


def _hurried(word: str, *, vietnamese: bool) -> str | None:
    """`word` without its doubled letters ("sốtt") or with the n that chat leaves out ("miệg"), where that is a word."""
    folded = fold(word)
    if folded in _known() or not folded.isalpha() or (is_syllable(folded) and vietnamese):
        return None
    once = _DOUBLED.sub(r"\1", word)
    if once != word and (fold(once) in _known() or (vietnamese and is_syllable(fold(once)))):
        return once
    if vietnamese and _NO_N.search(folded) and is_syllable(folded[:-1] + "ng"):
        return word[:-1] + "ng"
    return None


def _strange(word: WordToken) -> bool:
    """Whether the word may be a slip: neither listed nor a Vietnamese syllable, nor a number."""
    return (
        _SHORTEST_SLIP - 1 <= len(word.folded) <= _LONGEST_SLIP
        and (len(word.folded) >= _SHORTEST_SLIP or not is_syllable(word.folded))
        and word.folded.isalpha()
        and word.folded not in _known()
        and not (is_syllable(word.folded) and accents(word.text))
    )


@cache
def _chat() -> Mapping[str, str]:
    """Chat spellings, as typed, to the words they stand for."""
    found: dict[str, str] = {}
    for path in (HOUSE_LEXICONS / "chat.txt", LEXICONS / "chat.txt"):
        for meant, spellings in read_lists(path).items():
            for spelling in spellings:
                if fold(spelling).isalnum() and fold(spelling) != fold(meant):
                    found[nfc(spelling.lower())] = meant
    return found


@cache
def _targets() -> tuple[str, ...]:
    """The folded words and joined phrases of the lists that a slip may stand for, and what to write for them."""
    return tuple(sorted(_joined()))


@cache
def _joined() -> Mapping[str, str]:
    meant: dict[str, str] = {}
    for lists, left_out in (
        (read_lists(LEXICONS / "topics.txt"), _NO_TARGETS),
        (flag_lists(), frozenset({"filler", "place_exact"})),
    ):
        for label, listed in lists.items():
            for phrase in listed if label not in left_out else ():
                words = [token.text for token in tokens(phrase)]
                whole = fold("".join(words))
                if len(words) <= 2 and whole.isalpha() and len(whole) >= _SHORTEST_SLIP:
                    meant.setdefault(whole, " ".join(words))
    return meant


@cache
def _known() -> frozenset[str]:
    known = {fold(spelling) for spelling in _chat()}
    paths = [*(HOUSE_LEXICONS / f"{name}.txt" for name in ("vietnamese", "english", "neutral"))]
    paths += [LEXICONS / name for name in ("topics.txt", "trades.txt", "known.txt")]
    for lists in (flag_lists(), *map(read_lists, paths)):
        known |= _words(entry for listed in lists.values() for entry in listed)
    examples = (LEXICONS / "examples.txt").read_text("utf-8").splitlines()
    return frozenset(known | _words(examples))


def _words(texts: Iterable[str]) -> set[str]:
    return {token.folded for text in texts for token in tokens(text)}


@lru_cache(maxsize=4096)
def _nearest(word: str) -> str | None:
    """The listed word that `word` is one slip away from, its first letter kept; None without one."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    slips = 1 if len(word) < 9 else 2
    targets = _targets() if len(word) >= _SHORTEST_SLIP else _SHORT_TARGETS
    near = process.extract(word, targets, scorer=OSA.distance, score_cutoff=slips, limit=5)
    same = [(distance, other) for other, distance, _ in near if other[0] == word[0]]
    return _joined().get(min(same)[1], min(same)[1]) if same else None
