"""How a message is read where it is misspelt: chat spellings, telex keys, slips, over this assistant's word lists."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache

from troly.text.catalogue import Lang
from troly.text.fold import WordToken, accents, accents_agree, distinct_words, fold, nfc, tokens
from troly.text.language import is_syllable
from troly.text.match import spans_of
from troly.text.spelling import CHAT, Change, Corrector, SpellingRules, chat_spellings, without_telex
from troly.text.wordlist import LEXICONS as SHARED
from troly.text.wordlist import read_lists
from troly_rental.data.places import places
from troly_rental.question.types import Span
from troly_rental.question.vocabulary import LEXICONS, Vocabulary, lists

MOST_CHARACTERS = 1_000
_NO_N = re.compile(r"^[b-df-hj-np-tv-xz]*[aeiouy]{1,2}[gh]$")
# A short word before a dot is an abbreviation: "Q.1", "tp.HCM".
_DOTTED = re.compile(r"\b(q|p|tp|d|h|kp|dist|quan|phuong)\.\s*(?=\w)", re.IGNORECASE)
_RULES = SpellingRules(shortest_typed=4, chat_anywhere_from=3)
_LISTS = ("amounts", "asks", "kinds", "amenities", "edits", "talk")


def correct_spelling(text: str, lang: Lang = "vi", protected: Sequence[Span] = ()) -> str:
    """`text` in NFC with what is misspelt put right; what is not understood stays as it was typed.

    `lang` is the language of the talk: it decides where the message shows none. Longer messages are read up to 1,000
    characters. Names of places and landmarks that are spelt as listed are left alone, and what is `protected`.
    """
    text = _with_lost_letters(_DOTTED.sub(r"\1 ", nfc(text[:MOST_CHARACTERS])))
    names = [
        (one.start, one.end)
        for one in places().find(text)
        if one.typed.strip() and not (one.short and "." not in one.typed)
    ]
    # What is typed as listed, accents and all, is no slip of anything: "bình quân".
    listed = [hit for hit in Vocabulary().find_any(text, "asks", "amenities") if " " in hit.phrase]
    bare = [hit for hit in listed if text[hit.start : hit.end].isascii()]
    away = [
        hit
        for hit in Vocabulary().find(text, "wheres", "elsewhere")
        if len(hit.phrase) > _RULES.shortest_typed
    ]
    given = [*names, *spans_of([*(hit for hit in listed if hit.exact), *away]), *protected]
    found = _corrector().correct(text, lang=lang, protected=given)
    kept = (
        one
        for one in found.changes
        # Typed without accents it may be the beginning of more ("can ho mni"), but no word of it means another.
        if not (_is_name(one, text) or any(hit.start <= one.start and one.end <= hit.end for hit in bare))
    )
    return replace(found, changes=tuple(kept)).text


def _is_name(change: Change, text: str) -> bool:
    """Whether a word with a capital lost no more than its accents: it may be of a name that nobody here has ("Mỹ Phước Tân Vạn")."""
    titled = change.start > 0 and change.typed.istitle() and not text.isupper()
    word = fold(change.typed)
    return titled and word in _name_words() and word == fold(change.meant)


def _with_lost_letters(text: str) -> str:
    """`text` with the n that a name of several words lost: "dog da" is Đống Đa and no dog, "ha dog" Hà Đông."""
    for token in reversed(tokens(text)):
        whole = f"{text[: token.end - 1]}n{text[token.end - 1 :]}"
        if _NO_N.search(token.folded) and any(
            one.start <= token.start < one.end and " " in one.typed and not one.near
            for one in places().find(whole)
        ):
            text = whole
    return text


def as_typed(run: str, text: str, typed: str) -> str:
    """`run`, words of the corrected `text`, as they stand in the message that was `typed`; as it is where none of them does."""
    typed = nfc(typed)
    words, read, wrote = ([one.text for one in tokens(each)] for each in (run, text, typed))
    starts = (at for at in range(len(read)) if read[at : at + len(words)] == words)
    start = next(starts, len(read))
    end, found = start + len(words), list[int]()
    for _, low, high, first, last in SequenceMatcher(None, read, wrote, autojunk=False).get_opcodes():
        if words and start < high and low < end:
            even = high - low == last - first  # word by word
            over = range(max(start, low) - low, min(end, high) - low) if even else range(last - first)
            found += (first + at for at in over)
    places = tokens(typed)
    return typed[places[found[0]].start : places[found[-1]].end] if found else run


def is_listed(word: str) -> bool:
    """Whether a folded word stands in one of the word lists or is an everyday one."""
    return word in _spellings() or word in _everyday()


def lost_accents(token: WordToken) -> bool:
    """Whether an everyday word of asking is written without its accents: "kiem", but not "nay", which is one."""
    return token.text in _bare()


def _repair(token: WordToken) -> str | None:
    """A word with telex keys left in; one with accents that no list has, whose letters one has ("quân": "quận")."""
    word = token.folded
    known, names = _spellings(), _name_words()
    strange = accents(token.text) or not is_listed(word)  # with its accents "đốg" is no "dog"
    if _NO_N.search(word) and strange and f"{word[:-1]}n{word[-1]}" in {*known, *names, *_everyday()}:
        return f"{token.text[:-1]}n{token.text[-1]}"  # "rộg", "mìh": no syllable ends so
    if not (word in known or word in names or is_syllable(word) or word in _everyday()):
        plain = without_telex(word)
        return plain if len(word) > 1 and word.isalpha() and plain in known else None
    spellings = known.get(word, frozenset())
    if not spellings or word.isdecimal() or not accents(token.text) or token.text in lists("everyday")[""]:
        return None
    if any(accents_agree(token.text, other) for other in {*spellings, *names.get(word, ())}):
        return None
    return next(iter(spellings)) if len(spellings) == 1 else word


@cache
def _corrector() -> Corrector:
    names = (place.name for place in places().by_id.values())
    chat = chat_spellings(CHAT, LEXICONS / "spellings.txt")
    return Corrector([*_phrases(), *names], _everyday(), chat, _RULES, repair=_repair)


def _phrases() -> list[str]:
    phrases = [phrase for name in _LISTS for listed in lists(name).values() for phrase in listed]
    return [*phrases, *lists("spellings")]


@cache
def _spellings() -> Mapping[str, frozenset[str]]:
    """The spellings with accents of each folded word of the lists."""
    return _by_fold(_phrases())


@cache
def _name_words() -> Mapping[str, frozenset[str]]:
    """The spellings with accents of each folded word of the names of places."""
    return _by_fold(place.name for place in places().by_id.values())


def _by_fold(phrases: Iterable[str]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for text, folded in distinct_words(phrases):
        found[folded].add(text)
    return {word: frozenset(texts) for word, texts in found.items()}


@cache
def _bare() -> frozenset[str]:
    """Everyday words, folded, that nobody writes without accents but in haste."""
    everyday = read_lists(SHARED / "everyday.txt")
    entries = [
        *lists("talk")["find"],
        *(one for role in ("request", "polite", "link", "person") for one in everyday[role]),
    ]
    found = {fold(one) for one in entries if " " not in one and not one.isascii()}
    said = [
        entry
        for name in ("edits", "wheres", "amounts", "amenities")
        for listed in lists(name).values()
        for entry in listed
    ]
    said += [entry for name, listed in lists("asks").items() if name != "showing" for entry in listed]
    return frozenset(found) - {*lists("neutral")["sharp"]} - {fold(one) for one in said}  # "bo" may be "bỏ"


@cache
def _everyday() -> frozenset[str]:
    """Everyday words of the shared lists, folded, which are no slips either."""
    names = ("english", "neutral", "periods", "vietnamese", "amounts")
    listed = (entries for name in names for entries in read_lists(SHARED / f"{name}.txt").values())
    return frozenset(fold(word) for entries in listed for entry in entries for word in entry.split())
