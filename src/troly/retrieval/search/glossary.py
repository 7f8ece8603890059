"""The bilingual glossary: which concepts a question names, and what else they are called in both languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from troly.retrieval.search import lexical
from troly.retrieval.search.ranking import OtherWording, Weights
from troly.retrieval.search.terms import (
    IndexTerms,
    ParsedQuestion,
    accented_token,
    folded_token,
    index_terms,
    read_question,
)
from troly.stores.connections import Connection
from troly.text import fold
from troly.text.language import is_syllable

# English words without their endings, for comparing: "refunds", "refunded" and "refund" are one.


_VOWELS = frozenset("aeiouy")
_SHORTEST = 3


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A folded `word` without plural, -ed and -ing; no word to show, only a key that its forms share."""
    if len(word) <= _SHORTEST or not word.isascii() or not word.isalpha():
        return word
    bare = word
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        bare = word[:-1]
    else:
        for ending in ("ing", "ed"):
            rest = word.removesuffix(ending)
            if rest != word and len(rest) >= _SHORTEST - 1 and _VOWELS & set(rest):
                bare = rest
    return _closed(bare)


def _closed(bare: str) -> str:
    """The end of a word as it is the same for "policy" and "policie", "stop" and "stopp", "close" and "clos"."""
    bare = bare[:-1] if len(bare) > _SHORTEST and bare.endswith("e") else bare
    if len(bare) > _SHORTEST and bare[-1] == bare[-2] and bare[-1] not in _VOWELS:
        bare = bare[:-1]
    return f"{bare[:-1]}i" if len(bare) > _SHORTEST and bare.endswith("y") else bare


def forms(word: str) -> tuple[str, ...]:
    """`word` as texts write it: itself, its plural, past and -ing form, built by rule whether they exist or not."""
    if not word.isascii() or not word.isalpha() or len(word) < _SHORTEST:
        return (word,)
    if word.endswith("y") and word[-2] not in _VOWELS:
        found = (word, f"{word[:-1]}ies", f"{word[:-1]}ied", f"{word}ing")
    elif word.endswith("e"):
        found = (word, f"{word}s", f"{word}d", f"{word[:-1]}ing")
    else:
        plural = f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"
        doubled = word + word[-1] if _doubles(word) else word
        found = (word, plural, f"{doubled}ed", f"{doubled}ing")
    return found


def _doubles(word: str) -> bool:
    """Whether the last letter is written twice before an ending: "plan", "stop", but "order", "repair"."""
    first, middle, last = list(word[-3:])
    short = sum(letter in _VOWELS for letter in word) == 1
    return short and first not in _VOWELS and middle in _VOWELS and last not in {*_VOWELS, "w", "x"}


_FILE = "glossary.txt"


class ConceptPhrase(NamedTuple):
    """One way to say a concept as the index holds it; `accented` tells words apart that fold to the same."""

    folded: tuple[str, ...]
    accented: tuple[str, ...]
    english: bool


@dataclass(frozen=True, slots=True)
class ConceptMatch:
    """Words `start:end` of a question name a concept; `others` are its wordings but the one that was typed."""

    start: int
    end: int
    english: bool
    others: tuple[ConceptPhrase, ...]


class _Phrase(NamedTuple):
    """A phrase of the file as it is looked for in a question: stems of English words, Vietnamese ones with marks.

    A `plain` one of one syllable counts without marks too.
    """

    words: tuple[str, ...]
    keys: tuple[str, ...]
    concept: int
    english: bool
    plain: bool


class _Glossary(NamedTuple):
    wordings: tuple[tuple[ConceptPhrase, ...], ...]
    by_first: Mapping[str, tuple[_Phrase, ...]]


def concepts(words: Sequence[str], *, english: bool | None) -> list[ConceptMatch]:
    """The concepts that `words` (as `fold.words` gives them) name: longest phrases first, then those inside them.

    `english` is the language of the question, None where it cannot be told. Where it is known, a phrase of the other
    one counts only when its spelling leaves no doubt: "pin" asks for a battery in Vietnamese and for a pin in English.
    """
    known = _glossary()
    marked = fold.has_marks(words)
    keys = [(folded_token(word), stem(folded_token(word))) for word in words]
    found: dict[tuple[int, int], list[_Phrase]] = {}
    for at in range(len(words)):
        for key in dict.fromkeys(keys[at]):
            for phrase in known.by_first.get(key, ()):
                end = at + len(phrase.keys)
                if _stands(phrase, words, keys, at) and _fits(
                    phrase, words[at:end], english=english, marked=marked
                ):
                    found.setdefault((at, end), []).append(phrase)
    return [
        _hit(known, span, tuple(key for key, _ in keys[slice(*span)]), found[span])
        for span in _without_overlaps(found)
    ]


def _without_overlaps(spans: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest of `spans`, and those inside one of them that overlap no other inside it."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if all(end <= first or last <= start or (first <= start and end <= last) for first, last in kept):
            kept.append((start, end))
    return kept


def _hit(
    known: _Glossary, span: tuple[int, int], typed: tuple[str, ...], phrases: Sequence[_Phrase]
) -> ConceptMatch:
    others = {
        wording: None
        for phrase in phrases
        for wording in known.wordings[phrase.concept]
        if wording.folded != typed
    }
    return ConceptMatch(*span, phrases[0].english, tuple(others))


def _stands(phrase: _Phrase, words: Sequence[str], keys: Sequence[tuple[str, str]], at: int) -> bool:
    """Whether the words of `phrase` follow from `at` on, with the marks that were typed."""
    if at + len(phrase.keys) > len(words):
        return False
    return all(
        keys[place][phrase.english] == key
        and (not fold.accents(words[place]) if phrase.english else fold.accents_agree(words[place], word))
        for place, (key, word) in enumerate(zip(phrase.keys, phrase.words, strict=True), at)
    )


def _fits(phrase: _Phrase, typed: Sequence[str], *, english: bool | None, marked: bool) -> bool:
    """Whether `typed` can be meant as `phrase` in a question of that language, typed with marks or without."""
    if phrase.english:
        return english is not False or not all(is_syllable(folded_token(word)) for word in typed)
    if len(phrase.keys) > 1:
        return True
    if fold.accents(typed[0]) != fold.accents(phrase.words[0]):
        return False
    # One syllable without marks can be a dozen words.
    return fold.has_marks(typed) or phrase.plain or (marked and not english)


def read(text: str) -> list[tuple[list[str], list[str]]]:
    """The concepts of a glossary file: English and Vietnamese phrases; lines without a bar say nothing."""
    lines = [line.partition("|") for line in text.splitlines() if "|" in line and not line.startswith("#")]
    return [(_phrases(english), _phrases(vietnamese)) for english, _, vietnamese in lines]


def _phrases(text: str) -> list[str]:
    return [phrase for part in text.split(",") if fold.words(phrase := part.strip())]


@cache
def _listed() -> list[tuple[list[str], list[str]]]:
    return read(files("troly.retrieval").joinpath(_FILE).read_text(encoding="utf-8"))


@cache
def vietnamese_phrases() -> tuple[str, ...]:
    """The Vietnamese phrases of the glossary."""
    return tuple(phrase for _, phrases in _listed() for phrase in phrases)


@cache
def _glossary() -> _Glossary:
    by_first: dict[str, list[_Phrase]] = {}
    wordings = []
    for number, sides in enumerate(_listed()):
        for english, phrases in zip((True, False), sides, strict=True):
            doubled = Counter(map(fold.fold, phrases))
            for phrase in phrases:
                words = tuple(fold.words(phrase))
                keys = tuple(stem(folded_token(word)) if english else folded_token(word) for word in words)
                plain = not is_syllable(fold.fold(phrase)) or doubled[fold.fold(phrase)] > 1
                by_first.setdefault(keys[0], []).append(_Phrase(words, keys, number, english, plain))
        wordings.append(tuple(dict.fromkeys([*_english(sides[0]), *_vietnamese(sides[1])])))
    return _Glossary(tuple(wordings), {key: tuple(phrases) for key, phrases in by_first.items()})


def _english(phrases: Iterable[str]) -> Iterable[ConceptPhrase]:
    """Each phrase in its forms: the last word as one, many, done and doing."""
    for phrase in phrases:
        *first, last = (folded_token(word) for word in fold.words(phrase))
        for form in forms(last):
            yield ConceptPhrase((*first, form), (*first, form), english=True)


def _vietnamese(phrases: Iterable[str]) -> Iterable[ConceptPhrase]:
    for phrase in phrases:
        words = fold.words(phrase)
        yield ConceptPhrase(tuple(map(folded_token, words)), tuple(map(accented_token, words)), english=False)


# What the concepts of a question are called elsewhere: terms to look for beside its own, and what each tells.


# Nearer to 0 than this, the language of a question is not told.
_UNSURE = 0.2
# How much less a wording must tell than what was typed to be more usual: about seven times as many chunks hold it.
_MORE_USUAL = 2.0


class Meaning(NamedTuple):
    """Words of a question that name a concept, without those that only ask, and the concept's other wordings."""

    words: tuple[str, ...]
    bigrams: tuple[str, ...]
    english: bool
    others: tuple[ConceptPhrase, ...]


class QueryExpansion(NamedTuple):
    """Terms to look for in two columns with what each tells, and the question's weights with its other wordings."""

    accented: Mapping[str, float]
    bigrams: Mapping[str, float]
    weights: Weights


def meanings(asked: ParsedQuestion) -> list[Meaning]:
    """The concepts that a question names."""
    sure = abs(asked.language) > _UNSURE
    found = []
    for hit in concepts(asked.words, english=asked.language < 0 if sure else None):
        span = range(hit.start, hit.end)
        words = tuple(dict.fromkeys(asked.folded[at] for at in span if not asked.idle[at]))
        if words and hit.others:
            pairs = tuple(fold.bigrams(asked.folded[hit.start : hit.end]))
            found.append(Meaning(words, pairs, hit.english, hit.others))
    return found


def named_elsewise(question: str) -> Callable[[str], frozenset[str]]:
    """A look at texts: which folded words of `question` name a concept that a text calls by another wording."""
    others: dict[str, list[OtherWording]] = {}
    for meaning in meanings(read_question(question)):
        for one in meaning.others:
            other = OtherWording(one.folded, one.accented, meaning.words, ())
            others.setdefault(one.folded[0], []).append(other)

    def look(text: str) -> frozenset[str]:
        terms = _indexed(text) if others else IndexTerms([], [], [])
        return frozenset(
            word
            for at, first in enumerate(terms.folded)
            for other in others.get(first, ())
            if other.stands(terms.folded, terms.accented, at)
            for word in other.words
        )

    return look


@lru_cache(maxsize=2048)
def _indexed(text: str) -> IndexTerms:
    """The terms of a text: the same passages are looked at for many questions."""
    return index_terms(text)


def reword(connection: Connection, found: Sequence[Meaning], weights: Weights, total: int) -> QueryExpansion:
    """The other wordings that the index knows, and the rarest term of each that is to be looked for.

    A concept tells as much as its most frequent wording in the other language: where that stands everywhere, a rare
    name for it is no news.
    """
    known, nothing = _known(connection, found, total), lexical.tells(0, total)
    words, others = dict(weights.words), dict[str, list[OtherWording]]()
    accented: dict[str, float] = {}
    bigrams: dict[str, float] = {}
    for meaning in found:
        pairs = tuple(pair for pair in meaning.bigrams if pair in weights.bigrams)
        # What the question's own wording tells: its rarest pair, or its one word.
        told = [weights.bigrams[pair] for pair in pairs] or [
            weights.words[w] for w in meaning.words if w in weights.words
        ]
        own, least = max(told, default=0.0), nothing
        for one in meaning.others:
            terms = _terms(one)
            if not all(term in known for term in terms):
                continue
            rarest = max(terms, key=lambda term: known[term])
            tells, needed = known[rarest], one.english != meaning.english or own >= nothing
            # In its own language a known word gives way to a more usual one only; the reverse finds what nobody meant.
            if not needed and tells > own - _MORE_USUAL:
                continue
            least = min(least, tells) if needed else least
            (bigrams if len(one.folded) > 1 else accented)[rarest] = tells
            other = OtherWording(one.folded, one.accented, meaning.words, pairs)
            others.setdefault(one.folded[0], []).append(other)
        words.update({word: min(words[word], least) for word in meaning.words if word in words})
    return QueryExpansion(accented, bigrams, Weights(words, weights.bigrams, others))


def _known(connection: Connection, found: Sequence[Meaning], total: int) -> dict[str, float]:
    """What each term of the wordings tells; terms that no chunk holds are left out."""
    wordings = [one for meaning in found for one in meaning.others]
    single = sorted({term for one in wordings if len(one.folded) == 1 for term in _terms(one)})
    double = sorted({term for one in wordings if len(one.folded) > 1 for term in _terms(one)})
    weights = {
        **lexical.rarity(connection, single, "accented", total),
        **lexical.rarity(connection, double, "bigrams", total),
    }
    nothing = lexical.tells(0, total)
    return {term: weight for term, weight in weights.items() if weight < nothing}


def _terms(one: ConceptPhrase) -> Sequence[str]:
    """What the index holds of a wording: its pairs, or its one word with its marks."""
    return fold.bigrams(one.folded) if len(one.folded) > 1 else one.accented
