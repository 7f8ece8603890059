"""Reads a message as the word lists would spell it, in place: chat spellings, telex keys, slips of the finger."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from troly.text.catalogue import Lang
from troly.text.fold import WordToken, accents, accents_agree, fold, nfc, tokens
from troly.text.language import detect_score, is_syllable
from troly.text.wordlist import LEXICONS, read_lists
from troly_rental.question.vocabulary import lists

MOST_CHARACTERS = 1_000
_MOST_TOKENS = 120
_SHORTEST_SLIP, _SHORTEST_WORD, _SHORTEST_PHRASE, _LONGEST = 4, 5, 6, 24
_MOST_WORDS = 4
# A short word before a dot is an abbreviation: "Q.1", "tp.HCM".
_DOTTED = re.compile(r"\b(q|p|tp|d|h|kp|dist|quan|phuong)\.\s*(?=\w)", re.IGNORECASE)
_TELEX_TONE = re.compile(r"^([a-z]*[aeiouy]+w?[a-z]*)[fsrxj]([a-z]*)$")
_TELEX_MARK = re.compile(r"(a|e|o|d)\1|([uoa])w")


class _KnownWords(NamedTuple):
    """What the lists know: accented spellings by folded word, words of names, phrases by their letters, slips of them."""

    spelt: Mapping[str, frozenset[str]]
    names: frozenset[str]
    joined: Mapping[str, str]
    slips: Mapping[str, tuple[str, ...]]


def correct_spelling(text: str, lang: Lang = "vi") -> str:
    """`text` in NFC with what is misspelt put right; what is not understood stays as it was typed.

    `lang` is the language of the talk: it decides where the message shows none. Messages longer than 1,000 characters are read up to there.
    """
    text = _DOTTED.sub(r"\1 ", nfc(text[:MOST_CHARACTERS]))
    bare = text.isascii()
    text = _replaced(text, _outside(names_in(text), _chat_repairs(text, lang)), bare=bare)
    return _replaced(text, _outside(names_in(text), _slip_repairs(text)), bare=bare)


def names_in(text: str) -> list[tuple[int, int]]:
    """Where names of places and landmarks stand that are spelt as listed."""
    from troly_rental.data.places import places

    return [
        (one.start, one.end)
        for one in places().find(text)
        if one.typed.strip() and not (one.short and "." not in one.typed)
    ]


def _outside(
    kept: list[tuple[int, int]], repairs: list[tuple[int, int, str]]
) -> Iterable[tuple[int, int, str]]:
    """The repairs that touch none of the spans kept."""
    return [one for one in repairs if not any(a < one[1] and one[0] < b for a, b in kept)]


def is_listed(word: str) -> bool:
    """Whether a folded word stands in one of the word lists or is an everyday one."""
    return word in _known().spelt or word in _everyday()


def _replaced(text: str, repairs: Iterable[tuple[int, int, str]], *, bare: bool) -> str:
    """`text` with the repairs made; a `bare` message stays without accents, or its other words would be taken for
    ones that have none.
    """
    for start, end, meant in reversed(list(repairs)):
        text = text[:start] + (fold(meant) if bare else meant) + text[end:]
    return text


def _chat_repairs(text: str, lang: Lang) -> list[tuple[int, int, str]]:
    """Chat spellings of one to three words; one after a number is a unit ("500 k")."""
    typed, found, at = tokens(text), [], 0
    chat, vietnamese = _chat(), (detect_score(text) or (lang == "vi")) > 0
    while at < len(typed):
        for length in (3, 2, 1):
            span = typed[at : at + length]
            key = " ".join(token.text for token in span)
            meant = chat.get(key) if len(span) == length and vietnamese | (len(key) > 2) else None
            if meant and not (length == 1 and at and typed[at - 1].text[-1].isdigit() and len(key) <= 2):
                if meant != key:
                    found.append((span[0].start, span[-1].end, meant))
                at += length - 1
                break
        at += 1
    return found


def _slip_repairs(text: str) -> list[tuple[int, int, str]]:
    typed = tokens(text)
    if len(typed) > _MOST_TOKENS:
        return []
    found, at = [], 0
    while at < len(typed):
        repair = _phrase_repair(typed, at)
        if repair is None:
            meant = _accents_repair(typed[at])
            repair = (at + 1, meant) if meant else None
        if repair is None:
            at += 1
            continue
        end, meant = repair
        found.append((typed[at].start, typed[end - 1].end, meant))
        at = end
    return found


def _accents_repair(token: WordToken) -> str | None:
    """A word with accents that no list has, whose letters one has: "quân" is read as "quận", "trung bính" too."""
    known = _known().spelt.get(token.folded)
    if not accents(token.text) or not known or token.text in _right() or token.folded in _known().names:
        return None
    if any(accents_agree(token.text, word) for word in known):
        return None
    return next(iter(known)) if len(known) == 1 else token.folded


def _phrase_repair(typed: list[WordToken], at: int) -> tuple[int, str] | None:
    """The longest phrase that the words from `at` on spell with one slip or with telex keys left in."""
    joined, strange, best = "", False, None
    known = _known()
    for end in range(at, min(at + _MOST_WORDS, len(typed))):
        word = typed[end].folded
        joined += word
        if not word.isalpha() or len(word) == 1 or len(joined) > _LONGEST:
            break
        odd = not (word in known.spelt or word in known.names or is_syllable(word) or word in _everyday())
        strange = strange or odd
        if end == at and odd and (plain := _telex(word)) in known.spelt:
            best = (end + 1, plain)
            continue
        if strange and len(joined) >= (_SHORTEST_PHRASE if end > at else _SHORTEST_SLIP):
            meant = _nearest(joined)
            best = (end + 1, known.joined[meant]) if meant else best
    return best


def _telex(word: str) -> str:
    """The fold of a word typed with telex keys that no editor turned into accents: "quaanj" is "quan"."""
    match = _TELEX_TONE.match(word)
    bare = match[1] + match[2] if match else word
    return _TELEX_MARK.sub(lambda m: m[1] or m[2], bare).replace("uow", "uo")


def _nearest(joined: str) -> str | None:
    """The phrase that `joined` is one slip away from; the one with the same letters first."""
    from rapidfuzz.distance import OSA

    known = _known()
    if joined in known.joined:
        return joined
    near = {other for key in _slips(joined) for other in known.slips.get(key, ())}
    near = {other for other in near if OSA.distance(joined, other, score_cutoff=1) <= 1}
    return min(near, key=lambda other: (sorted(other) != sorted(joined), other), default=None)


def _slips(word: str) -> set[str]:
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


@cache
def _known() -> _KnownWords:
    spelt: dict[str, set[str]] = defaultdict(set)
    joined: dict[str, str] = {}
    for phrase in _all_phrases():
        words = tokens(phrase)
        for word in words:
            spelt[word.folded].add(word.text)
        letters = "".join(word.folded for word in words)
        shortest = _SHORTEST_PHRASE if len(words) > 1 else _SHORTEST_WORD
        if letters.isalpha() and shortest <= len(letters) <= _LONGEST:
            joined.setdefault(letters, " ".join(word.text for word in words))
    from troly_rental.data.places import places

    named = [place.name for place in places().by_id.values()]
    for name in named:
        letters = "".join(word.folded for word in tokens(name))
        if letters.isalpha() and _SHORTEST_WORD <= len(letters) <= _LONGEST:
            joined.setdefault(letters, name)
    slips: dict[str, list[str]] = defaultdict(list)
    for letters, phrase in joined.items():
        if " " in phrase and len(letters) < _SHORTEST_PHRASE:
            continue
        for key in _slips(letters):
            slips[key].append(letters)
    return _KnownWords(
        {word: frozenset(texts) for word, texts in spelt.items()},
        frozenset(word.folded for name in named for word in tokens(name)),
        joined,
        {key: tuple(found) for key, found in slips.items()},
    )


def _all_phrases() -> Iterable[str]:
    for name in ("amounts", "asks", "kinds", "amenities", "edits", "talk"):
        for listed in lists(name).values():
            yield from listed
    yield from lists("spellings")


@cache
def _chat() -> Mapping[str, str]:
    """Chat spellings, with their accents, to what they stand for."""
    return {
        nfc(spelling.lower()): meant
        for meant, spellings in lists("spellings").items()
        for spelling in spellings
    }


@cache
def _right() -> frozenset[str]:
    """Accented words that are never a slip of another one."""
    return frozenset(lists("everyday")[""])


@cache
def _everyday() -> frozenset[str]:
    """Everyday words of the shared lists, folded, which are no slips either."""
    found: set[str] = set()
    for name in ("english", "neutral", "periods", "vietnamese", "amounts"):
        for listed in read_lists(LEXICONS / f"{name}.txt").values():
            found.update(fold(word) for entry in listed for word in entry.split())
    return frozenset(found)
