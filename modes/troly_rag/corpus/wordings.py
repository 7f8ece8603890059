"""Other ways to say a query (words of offices that mean the same, their English names), and titles that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from troly.text.fold import WordToken, accents_agree, tokens
from troly.text.language import detect
from troly.text.wordlist import read_lists

SYNONYMS = Path(__file__).parent / "lexicons" / "synonyms.txt"
FILLER = Path(__file__).parent / "lexicons" / "filler.txt"
_MOST = 7
_LEAST = 0.3


class _Phrase(NamedTuple):
    group: int
    words: tuple[WordToken, ...]


class _Group(NamedTuple):
    vi: tuple[str, ...]
    en: tuple[str, ...]


class _Known(NamedTuple):
    groups: tuple[_Group, ...]
    by_first: dict[str, list[_Phrase]]


class _Hit(NamedTuple):
    start: int
    end: int
    group: int


class QueryVariant(NamedTuple):
    """One way to say a query; `weight` (0.3 to 1) is less where words of it were left out."""

    text: str
    weight: float = 1.0


# One question is searched in several corpora and held against what was found: its wordings are made once.
@lru_cache(maxsize=256)
def variants(query: str) -> tuple[QueryVariant, ...]:
    """`query` without filler words first, then up to `_MOST` other ways to say it, the query as it is among them.

    A phrase of `synonyms.txt` is replaced by others of its line: all phrases at once, then one at a time. For
    documents in the other language the known phrases alone are left, translated.
    """
    known = _known()
    short, hits = _without_filler(query, _hits(query, known))
    found: dict[str, float] = {short: 1.0}
    if hits:
        english = detect(query) == "en"
        told = sum(len(tokens(short[hit.start : hit.end])) for hit in hits) / max(1, len(tokens(short)))
        for number in range(2):
            found.setdefault(_phrases(known, hits, number, english=not english), _LEAST + (1 - _LEAST) * told)
        for text in _exchanged(short, hits, known, english=english):
            found.setdefault(text, 1.0)
    kept = [QueryVariant(text, weight) for text, weight in found.items() if text.strip()][:_MOST]
    return (*kept, QueryVariant(query)) if query not in found or not kept else tuple(kept)


def _phrases(known: _Known, hits: Sequence[_Hit], number: int, *, english: bool) -> str:
    """The known phrases alone, in one language; "" where one of them has no name there."""
    names = [_names(known.groups[hit.group], english=english) for hit in hits]
    return " ".join(name[min(number, len(name) - 1)] for name in names) if all(names) else ""


def _exchanged(query: str, hits: Sequence[_Hit], known: _Known, *, english: bool) -> Iterator[str]:
    lists = [_names(known.groups[hit.group], english=english) for hit in hits]
    for number in range(max(map(len, lists))):
        choice = {at: names[min(number, len(names) - 1)] for at, names in enumerate(lists) if names}
        yield _replaced(query, hits, choice)
    if len(hits) > 1:
        for at, names in enumerate(lists):
            yield from (_replaced(query, hits, {at: name}) for name in names)


def _names(group: _Group, *, english: bool) -> tuple[str, ...]:
    return group.en if english else group.vi


def _without_filler(query: str, hits: Sequence[_Hit]) -> tuple[str, list[_Hit]]:
    """`query` without the words that say nothing, those inside known phrases kept, and the places of `hits` in it."""
    filler = _filler()
    parts: list[str] = []
    moved: list[_Hit] = []
    at = length = 0
    for hit in [*hits, None]:
        before = _kept(query[at : hit.start if hit else len(query)], filler)
        if before:
            parts.append(before)
            length += len(before) + 1
        if hit:
            parts.append(query[hit.start : hit.end])
            moved.append(_Hit(length, length + hit.end - hit.start, hit.group))
            length += hit.end - hit.start + 1
            at = hit.end
    short = " ".join(parts)
    return (short, moved) if short.strip() else (query, list(hits))


def _kept(text: str, filler: dict[str, list[tuple[WordToken, ...]]]) -> str:
    found = tokens(text)
    kept: list[str] = []
    at = 0
    while at < len(found):
        fitting = [words for words in filler.get(found[at].folded, ()) if _fits(found, at, words)]
        if fitting:
            at += max(map(len, fitting))
        else:
            kept.append(text[found[at].start : found[at].end])
            at += 1
    return " ".join(kept)


def _replaced(query: str, hits: Sequence[_Hit], choice: dict[int, str]) -> str:
    parts, at = [], 0
    for number, hit in enumerate(hits):
        parts.append(query[at : hit.start])
        parts.append(choice.get(number, query[hit.start : hit.end]))
        at = hit.end
    return "".join([*parts, query[at:]])


def _hits(query: str, known: _Known) -> list[_Hit]:
    """The longest known phrases of `query`, left to right, none inside another."""
    found = tokens(query)
    hits: list[_Hit] = []
    at = 0
    while at < len(found):
        fitting = [
            phrase for phrase in known.by_first.get(found[at].folded, ()) if _fits(found, at, phrase.words)
        ]
        if not fitting:
            at += 1
            continue
        longest = max(fitting, key=lambda phrase: len(phrase.words))
        last = at + len(longest.words) - 1
        hits.append(_Hit(found[at].start, found[last].end, longest.group))
        at = last + 1
    return hits


def _fits(found: Sequence[WordToken], at: int, words: Sequence[WordToken]) -> bool:
    typed = found[at : at + len(words)]
    return len(typed) == len(words) and all(
        one.folded == word.folded and accents_agree(one.text, word.text)
        for one, word in zip(typed, words, strict=True)
    )


@cache
def _filler() -> dict[str, list[tuple[WordToken, ...]]]:
    by_first: dict[str, list[tuple[WordToken, ...]]] = {}
    for line in FILLER.read_text(encoding="utf-8").splitlines():
        for phrase in () if line.startswith("#") else line.split():
            words = tuple(tokens(phrase.replace("_", " ")))
            by_first.setdefault(words[0].folded, []).append(words)
    return by_first


@cache
def _known() -> _Known:
    groups = tuple(
        _group(line)
        for line in SYNONYMS.read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    )
    by_first: dict[str, list[_Phrase]] = {}
    for number, group in enumerate(groups):
        for text in (*group.vi, *group.en):
            words = tuple(tokens(text))
            by_first.setdefault(words[0].folded, []).append(_Phrase(number, words))
    return _Known(groups, by_first)


def _group(line: str) -> _Group:
    vi, _, en = line.partition("||")
    lists = [tuple(filter(None, (name.strip() for name in part.split("|")))) for part in (vi, en)]
    return _Group(*lists)


# --- Titles: whether a question names a document ("giờ làm việc" in "giờ làm việc bắt đầu lúc mấy giờ")

LEXICON = Path(__file__).parent / "lexicons" / "titles.txt"
# A title of one word may stand in any sentence by chance.
_FEWEST = 2


def title_matcher(texts: Sequence[str]) -> Callable[[str], bool]:
    """A test for titles: whether one of `texts` (a query and its other wordings) holds what a title says.

    The kind of document before its subject ("Quy định", "Policy on") and what stands in brackets do not count.
    """
    spoken = tuple(f" {_folded(text)} " for text in texts)

    @cache
    def named(title: str) -> bool:
        core = core_of(title)
        telling = len(core.split()) >= _FEWEST and core not in _lists()["everywhere"]
        return telling and any(f" {core} " in text for text in spoken)

    return named


def core_of(title: str) -> str:
    """The subject of a title, folded: without the kind of document, a year, a version and brackets."""
    words = _folded(title.partition("(")[0]).split()
    while words and (words[-1].isdigit() or words[-1] in _lists()["ending"]):
        words.pop()
    for kind in _kinds():
        if words[: len(kind)] == kind:
            words = words[len(kind) :]
            break
    return " ".join(words)


def _folded(text: str) -> str:
    return " ".join(token.folded for token in tokens(text))


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    return read_lists(LEXICON)


@cache
def _kinds() -> list[list[str]]:
    """The kinds of document as words, longest first."""
    return sorted((kind.split() for kind in _lists()["kind"]), key=len, reverse=True)
