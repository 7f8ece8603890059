"""The planner's own word lists, read once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Generic, Literal, TypeVar

from troly.text.everyday import correction_phrases
from troly.text.fold import WordToken, accents, accents_agree, fold, nfc, tokens
from troly.text.wordlist import LEXICONS as CORE
from troly.text.wordlist import read_lists

# An index of phrases found in a tokenised message: with or without accents, joined, longest first.


T = TypeVar("T")
_GAP = re.compile(r"[\s\-_'’/.&]*")
_SHORTEST_JOINED = 6
_SLIPPED = 0.15


def key_of(phrase: str) -> tuple[str, ...]:
    """The folded words of a phrase, as it is looked up by."""
    return tuple(token.folded for token in tokens(phrase))


@dataclass(frozen=True, slots=True)
class PhraseMatch(Generic[T]):
    """Words `start:end` of a message mean `payload`; `loss` says how far the accents typed are from those listed, `bare`
    that none were typed where some are listed.
    """

    start: int
    end: int
    payload: T
    loss: float = 0.0
    bare: bool = False


class Phrases(Generic[T]):
    """Payloads by phrase. Several payloads may share a phrase; finding gives every one at every place."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, ...], list[tuple[tuple[str, ...], T]]] = defaultdict(list)
        self._words: set[str] = set()
        self._longest = 1

    def add(self, phrase: str, payload: T) -> None:
        """List `payload` under `phrase`; a phrase without a word is left out."""
        words = tuple(token.text for token in tokens(phrase))
        if not words:
            return
        folded = tuple(token.folded for token in tokens(phrase))
        self._entries[folded].append((words, payload))
        self._words.update(folded)
        self._longest = max(self._longest, len(words))
        if len(words) > 1 and sum(map(len, words)) >= _SHORTEST_JOINED:
            self._entries["".join(folded),].append((("".join(words),), payload))
            self._words.add("".join(folded))

    def __contains__(self, phrase: str) -> bool:
        """Whether `phrase` is listed with just these accents."""
        typed = tokens(phrase)
        listed = self._entries.get(tuple(token.folded for token in typed), ())
        return any(words == tuple(token.text for token in typed) for words, _ in listed)

    def written(self, length: int) -> Iterator[str]:
        """The phrases of so many words, as they are written."""
        entries = (entry for key, entry in self._entries.items() if len(key) == length)
        return (" ".join(words) for entry in entries for words, _ in entry[:1])

    def spelled(self, folded: str) -> set[str]:
        """How one folded word of the phrases is written."""
        entries = (words for key, entry in self._entries.items() if folded in key for words, _ in entry)
        return {word for words in entries for word in words if fold(word) == folded}

    def vocabulary(self) -> AbstractSet[str]:
        """Every folded word of the phrases."""
        return self._words

    def listed(self, folded: tuple[str, ...]) -> list[T]:
        """The payloads of exactly these folded words."""
        return [payload for _, payload in self._entries.get(folded, ())]

    def find(
        self, text: str, typed: Sequence[WordToken], *, careful: bool, bare: bool = False
    ) -> Iterator[PhraseMatch[T]]:
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
                        unmarked = not any(map(accents, said)) and any(map(accents, words))
                        yield PhraseMatch(start, end, payload, loss, unmarked)


def _bared(typed: Sequence[str], words: Sequence[str]) -> list[str]:
    """The words as typed, without their accents where the word listed has none."""
    return [said if accents(word) else fold(said) for said, word in zip(typed, words, strict=True)]


def _loss(typed: Sequence[str], words: Sequence[str], *, careful: bool) -> float | None:
    """How far the accents typed are from those listed; None when they say another word ("tháng đó" is no "thằng đó")."""
    wrong = [got for got, want in zip(typed, words, strict=True) if not accents_agree(got, want)]
    if len(words) == 1:
        exact = accents(typed[0]) == accents(words[0])
        joined = exact or not accents(typed[0])
        return 0.0 if joined and (exact or not careful or len(words[0]) >= _SHORTEST_JOINED) else None
    pairs = zip(typed, words, strict=True) if careful else ()
    if any(accents(want) and not accents(got) and got in _things() for got, want in pairs):
        return None  # "vậy con" is no "vậy còn"
    return None if len(wrong) > 1 or not _written().isdisjoint(wrong) else _SLIPPED * len(wrong)


@cache
def _things() -> frozenset[str]:
    """The words for a thing that is counted."""
    return frozenset(read_lists(FOLDER / "words.txt")["thing"])


@cache
def _written() -> frozenset[str]:
    """Every word of the lists as it is written: typed so, it is no slip of another."""
    lists = [*read_lists(FOLDER / "words.txt").values(), *read_lists(FOLDER / "concepts.txt").values()]
    return frozenset(token.text for entries in lists for entry in entries for token in tokens(entry))


FOLDER = Path(__file__).parent / "lexicons"
_NOTED = re.compile(r"[(\[]([^)\]]*)[)\]]")
Nature = Literal["number", "category", "date"]


@dataclass(frozen=True, slots=True)
class Concept:
    """What a column can be about, and the words people use for it, better ones first."""

    name: str
    nature: Nature
    phrases: tuple[str, ...]


@cache
def words() -> Phrases[str]:
    """The words of questions by label (`words.txt`)."""
    found: Phrases[str] = Phrases()
    for label, entries in read_lists(FOLDER / "words.txt").items():
        for entry in entries:
            found.add(entry, label)
    for entry, label in _ranked():
        found.add(entry, label)
    for entry in correction_phrases():
        if entry not in found:
            found.add(entry, "correction")
    everyday = read_lists(CORE / "everyday.txt")
    for entry in (entry for role in _SAYS_NOTHING for entry in everyday[role]):
        if entry not in _HOURS and entry not in found:
            found.add(entry, "filler")
    return found


_SAYS_NOTHING = ("person", "particle", "polite", "request", "link", "degree", "now")
_HOURS = frozenset({"giờ", "bây h"})
"""These roles of everyday words say nothing of a sheet; hours may be asked for."""


def _ranked() -> Iterator[tuple[str, str]]:
    """The phrases of places in a ranking (`ranks.txt`), alone and with every word of an end: "cao thứ nhì"."""
    lists = read_lists(FOLDER / "ranks.txt")
    ends = {name: entries for name, entries in lists.items() if not name.startswith("rank ")}
    for name, places in lists.items():
        for place in places if name.startswith("rank ") else ():
            yield place, name
            for end, entries in ends.items():
                for entry in entries:
                    both = f"{place} {entry}" if entry.isascii() and place.isascii() else f"{entry} {place}"
                    yield both, name
                    yield both, end


@cache
def concepts() -> tuple[Concept, ...]:
    """The concepts of `concepts.txt`."""
    found = []
    for section, entries in read_lists(FOLDER / "concepts.txt").items():
        nature, _, name = section.partition(" ")
        if nature in {"number", "category", "date"} and name:
            found.append(Concept(name, nature, entries))  # type: ignore[arg-type]
    return tuple(found)


@cache
def concept(name: str) -> Concept | None:
    """The concept of this name."""
    return next((each for each in concepts() if each.name == name), None)


@cache
def _short() -> frozenset[str]:
    return frozenset(nfc(entry).lower() for entry in read_lists(FOLDER / "concepts.txt")["short"])


def is_short(word: str) -> bool:
    """Whether a word says too little to tell a column by; with accents it must have these ("hãng" is no "hàng")."""
    return word in _short() or (not accents(word) and word in marks("short"))


@cache
def concept_words() -> frozenset[str]:
    """Every phrase of every concept in small letters, with its accents."""
    return frozenset(nfc(phrase).lower() for each in concepts() for phrase in each.phrases)


@cache
def bare_figures() -> frozenset[str]:
    """The figures of one word that are written with accents, without them: "lai"."""
    listed = (phrase for each in concepts() if each.nature == "number" for phrase in each.phrases)
    return frozenset(fold(phrase) for phrase in listed if " " not in phrase and accents(phrase))


@cache
def kinds() -> dict[str, str]:
    """The folded names of things, in general, and the concept that each is of."""
    named = [each for each in concepts() if each.nature == "category"]
    return {fold(phrase): each.name for each in reversed(named) for phrase in reversed(each.phrases)}


@cache
def nouns() -> dict[str, tuple[str, ...]]:
    """The folded phrases of what columns are about, days left out, each with the concepts that it may name."""
    found: dict[str, tuple[str, ...]] = {}
    for each in concepts():
        for phrase in each.phrases if each.nature != "date" else ():
            found[fold(phrase)] = (*found.get(fold(phrase), ()), each.name)
    return found


def is_noun(said: str) -> bool:
    """Whether words are just such a phrase, as it is written or without accents, and no word of questions: "may" of "mấy", "tháng"."""
    written = nfc(said).lower() in concept_words() or not any(map(accents, said.split()))
    return written and fold(said) in nouns() and not words().listed(key_of(said))


@cache
def things() -> Phrases[str]:
    """The names of concepts that take more than one word: what a sheet may have no column for is still one thing."""
    found: Phrases[str] = Phrases()
    for each in concepts():
        for phrase in each.phrases if each.nature != "date" else ():
            folded = tuple(token.folded for token in tokens(phrase))
            if len(folded) > 1 and folded[0] != "so" and not words().listed(folded):
                found.add(phrase, each.name)
    return found


@cache
def marks(section: str) -> frozenset[str]:
    """A plain section of `concepts.txt`, folded."""
    return frozenset(fold(entry) for entry in read_lists(FOLDER / "concepts.txt")[section])


@cache
def row_words() -> tuple[str, ...]:
    """What any row of a sheet of events may be called."""
    return read_lists(FOLDER / "concepts.txt")["row words"]


@cache
def whole_costs() -> tuple[str, ...]:
    """Words of headers whose column holds all of what was spent."""
    return read_lists(FOLDER / "concepts.txt")["whole costs"]


@cache
def pieces() -> tuple[str, ...]:
    """What goods are counted in: each means the column of quantities."""
    return read_lists(FOLDER / "units.txt")["pieces"]


@cache
def unit_words(header: str) -> tuple[str, ...]:
    """What the figures under a header are counted in, where it says so: "Khối lượng (kg)", "wait_minutes"."""
    said = [token.folded for token in tokens(header.replace("_", " "))]
    noted = {part.split("/")[0].strip() for part in _NOTED.findall(fold(header))}
    if not noted and len(said) > 1 and "/" not in header:
        noted = {said[-1]}
    found: list[str] = []
    for name, entries in read_lists(FOLDER / "units.txt").items():
        if name.startswith("unit ") and noted & {fold(entry) for entry in entries}:
            found += entries
    return tuple(found)


@cache
def measures() -> frozenset[str]:
    """The folded units that anything is measured in: "phut", "kg", "km"."""
    listed = read_lists(FOLDER / "units.txt").items()
    return frozenset(fold(each) for name, entries in listed if name.startswith("unit ") for each in entries)


@cache
def instead() -> dict[str, tuple[str, ...]]:
    """For a concept, those whose column may stand in for it."""
    known = {each.name for each in concepts()}
    return {name: entries for name, entries in read_lists(FOLDER / "concepts.txt").items() if name in known}


@cache
def row_signs() -> tuple[tuple[str, frozenset[str]], ...]:
    """What a row is, and the concepts that its sheet then has columns for (`rows.txt`)."""
    found = []
    for raw in (FOLDER / "rows.txt").read_text(encoding="utf-8").splitlines():
        if raw.strip() and not raw.startswith("#"):
            row, _, signs = raw.partition(":")
            found.append((row.strip(), frozenset(sign.strip() for sign in signs.split(","))))
    return tuple(found)


@cache
def alike_values() -> dict[str, tuple[tuple[str, ...], ...]]:
    """For each folded spelling of `values.txt`, the groups of spellings of one value that it stands in."""
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for raw in (FOLDER / "values.txt").read_text(encoding="utf-8").splitlines():
        if raw.strip() and not raw.startswith("#"):
            group = tuple(entry.strip() for entry in raw.split(",") if entry.strip())
            for key in dict.fromkeys(" ".join(key_of(entry)) for entry in group):
                found[key] = (*found.get(key, ()), group)
    return found


def spellings_of(value: str) -> tuple[str, ...]:
    """All spellings of `values.txt` for a value of a sheet; "Bạc" is not "bắc"."""
    folded = " ".join(key_of(value))
    groups = alike_values().get(folded, ())
    same = ([each for each in group if " ".join(key_of(each)) == folded] for group in groups)
    meant = (
        group for group, own in zip(groups, same, strict=True) if any(accents_agree(value, e) for e in own)
    )
    return tuple(entry for group in meant for entry in group)


# Short for "anh", "em"; with marks they are words ("ế").
_VOWELS = frozenset("aeiouy")


@cache
def spellings() -> dict[str, str]:
    """Folded short spellings and what they stand for, the planner's own before those of all assistants."""
    found: dict[str, str] = {}
    for path in (FOLDER / "spellings.txt", CORE / "chat.txt"):
        for meant, short in read_lists(path).items():
            for each in short:
                key = fold(each)
                asked = set(words().listed((key,))) - {"filler"}
                if key.replace(" ", "").isalpha() and key != fold(meant) and not asked and key not in _VOWELS:
                    found.setdefault(key, meant)
                    found.setdefault(nfc(each).lower(), meant)
    return found


_REWRITE_NAMES = {
    "<months>": "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
    "<span>": "(?:tháng|thang|quý|quy|tuần|tuan|năm|nam) (?:[0-9]{1,2}(?:/20[0-9]{2})?(?![0-9/])|20[0-9]{2}|trước|truoc|này|nay|ngoái|ngoai|rồi|roi)(?: (?:năm|nam) (?:20[0-9]{2}|nay|ngoái|ngoai|trước|truoc))?",
    "<ago>": "(?:năm|nam) (?:ngoái|ngoai|trước|truoc)",
}


@cache
def turn_words(section: str) -> tuple[str, ...]:
    """The entries of a section of `turns.txt`, with their accents and without, the longest first."""
    listed = read_lists(FOLDER / "turns.txt")[section]
    return tuple(sorted({*listed, *map(fold, listed)}, key=len, reverse=True))


@cache
def says(*sections: str) -> re.Pattern[str]:
    """The words of sections of `turns.txt`, in a folded message."""
    return re.compile(rf"\b(?:{'|'.join(each for one in sections for each in turn_words(one))})\b")


@cache
def rewrites() -> tuple[tuple[re.Pattern[str], str], ...]:
    """What is written in another way before a message is read (`rewrites.txt`)."""
    listed = (FOLDER / "rewrites.txt").read_text(encoding="utf-8")
    for name, pattern in _REWRITE_NAMES.items():
        listed = listed.replace(name, pattern)
    entries = (
        line.split(" => ") for line in listed.splitlines() if " => " in line and not line.startswith("#")
    )
    return tuple((re.compile(pattern, re.IGNORECASE), written[:-1]) for pattern, written in entries)


@cache
def header_words() -> dict[tuple[str, ...], str]:
    """For the folded words of a short way of writing in headers what it stands for (`headers.txt`)."""
    found: dict[tuple[str, ...], str] = {}
    for meant, short in read_lists(FOLDER / "headers.txt").items():
        for each in short:
            found[tuple(token.folded for token in tokens(each))] = meant
    return found


@cache
def period_words() -> frozenset[str]:
    """The folded words of the core's periods: never to be taken for slips."""
    found: set[str] = set()
    for entries in read_lists(CORE / "periods.txt").values():
        for entry in entries:
            found.update(token.folded for token in tokens(entry))
    return frozenset(found)


@cache
def common() -> frozenset[str]:
    """Folded words that are in the lists whatever the sheet."""
    found = set(words().vocabulary()) | period_words()
    for each in concepts():
        for phrase in each.phrases:
            found.update(token.folded for token in tokens(phrase))
    for entries in (read_lists(CORE / "amounts.txt"), read_lists(CORE / "english.txt")):
        for listed in entries.values():
            for entry in listed:
                found.update(token.folded for token in tokens(entry))
    return frozenset(found)
