"""Which language a message is in, and requests to go on in the other one.

The language shows in function words, accents and the shape of Vietnamese syllables.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from troly.text.catalogue import LANGS, Lang
from troly.text.fold import WordToken, accents, accents_agree, fold, tokens
from troly.text.wordlist import LEXICONS, read_lists

_BEYOND_LATIN = 0x250
_WORDS = 3  # fewer words may be names
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
# Letters in a row, on the keyboard or in the alphabet, and consonants that no English word opens with: codes and initials.
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "abcdefghijklmnopqrstuvwxyz")
_UNSPOKEN = re.compile(
    r"(?!s?ch[lr]?|sh[r]?|thr?|wh|wr|[ckgp]n|gh|ph[lr]?|ps|sc[lr]?|sk|sph?[lr]?|st[r]?|s[lmnqw]|[bcfgkp][lr]|[dt][rw]|[bckpt]y)"
    r"[bcdfghjklmnpqrstvwxz]{2}"
)

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


@lru_cache(maxsize=64)  # a turn asks of its text several times
def detect_score(text: str) -> float:
    """How sure the language is: from -1 (English) over 0 (nothing to go by) to 1 (Vietnamese)."""
    found = list(_evidence(text[:_ENOUGH]))
    accented = sum(weight >= _ACCENTED for weight, listed in found if listed is None)
    if accented >= sum(weight < 0 and listed is False for weight, listed in found):
        # Beside as much accented Vietnamese, words that only look foreign are borrowed ("setup pc chơi game").
        found = [(weight, listed) for weight, listed in found if weight > 0 or listed]
    vietnamese = sum(weight for weight, _ in found if weight > 0)
    english = -sum(weight for weight, _ in found if weight < 0)
    score = (vietnamese - english) / (vietnamese + english) if vietnamese + english else 0.0
    # Words that are all Vietnamese syllables as well prove no English ("may in laser", "be can day dien").
    return score if any(weight < -_SHARED for weight, _ in found) else max(0.0, score)


def is_other(text: str, lang: Lang) -> bool:
    """Whether `text` is clearly not in `lang`; False when unsure."""
    score = detect_score(text)
    return score < -_CLEARLY if lang == "vi" else score > _CLEARLY


def is_mixed(text: str) -> bool:
    """Whether `text` has words of both languages, and is clearly in neither."""
    weights = [weight for weight, _ in _evidence(text[:_ENOUGH])]
    return min(weights, default=0) < 0 < max(weights, default=0) and abs(detect_score(text)) <= _CLEARLY


def is_foreign(text: str, lang: Lang, known: Iterable[str] = ()) -> bool:
    """Whether `text` is clearly not in `lang`, or in another script; words and letters of the texts `known` show nothing."""
    given = "\n".join(known)
    letters = {char for char in text if ord(char) >= _BEYOND_LATIN and char.isalpha()} - set(given)
    if any(not unicodedata.name(char, "").startswith("LATIN") for char in letters):
        return True
    names = {token.text for token in tokens(given)}
    own = [token.text for token in tokens(text) if token.text not in names]
    return len(own) >= _WORDS and is_other(" ".join(own), lang)


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
            # What a number follows may be a name: "crosshair 16".
            numbered = at + 1 < len(found) and found[at + 1].folded[:1].isdigit()
            shape = _shape(found[at].folded, lists)
            yield max(shape, 0.0) if numbered else shape, False
            at += 1


def _listed(lists: _Lists, found: list[WordToken], at: int) -> tuple[int, float]:
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


def _accented(text: str, found: list[WordToken], at: int) -> float:
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
    if not set(word) & set("aeiouy") or _UNSPOKEN.match(word) or any(word in row for row in _ROWS):
        return 0.0  # "asdf", "abcdef" and "nvme" are no words of any language
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


# Requests to change the language of a conversation ("can we speak english", "nói tiếng Việt đi").


_BREAK = re.compile(r"[^\w\s'’\-/]|[\n]")
_OPENING = ".!?,;:…-–— \t\r\n"
_FURTHEST = 6
_MOST_NAMES = (
    20  # a text that names languages more often is no request, and each name costs a look at its clause
)
_Phrase = tuple[tuple[str, str, bool], ...]


@dataclass(frozen=True, slots=True)
class SwitchRequest:
    """A request to go on in `target`; `rest` is the message without the request, "" when nothing else was said."""

    target: Lang
    rest: str


class _LanguageRequest(NamedTuple):
    """One request in the message: tokens `start:end` ask for `target`."""

    target: Lang
    start: int
    end: int
    negated: bool


def switch_request(text: str) -> SwitchRequest | None:
    """The request to change the language in `text` (000-12), in either direction (000 C4); None when there is none.

    Naming a language is no request ("do you sell English keyboards"); asking for it is ("tiếng anh được không"), and
    so is saying that one cannot use the other ("I don't understand Vietnamese").
    """
    reader = _Reader(text)
    found = [request for request in islice(reader.requests(), _MOST_NAMES) if request]
    if not found:
        return None
    wanted = next((request for request in found if not request.negated), found[0])
    return SwitchRequest(wanted.target, reader.without(found))


class _Reader:
    """One message as tokens with its clause ends; `at` is always an index of `tokens`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lists = _phrases()
        self.tokens = tokens(text)
        gaps = [text[a.end : b.start] for a, b in pairwise(self.tokens)]
        self._closed = [bool(_BREAK.search(gap)) for gap in gaps] + [True]

    def requests(self) -> Iterator[_LanguageRequest | None]:
        at = 0
        while at < len(self.tokens):
            for lang in LANGS:
                for loose in (False, True):
                    length = self._phrase(f"loose name {lang}" if loose else f"name {lang}", at)
                    if length:
                        yield self._request(lang, at, at + length, loose=loose)
                        at += length - 1
                        break
                else:
                    continue
                break
            at += 1

    def without(self, found: list[_LanguageRequest]) -> str:
        """The message without the requests; "" when only greetings and particles are left."""
        rest, begin = "", 0
        for request in found:
            piece = self._text[begin : self.tokens[request.start].start]
            rest = _join(rest, piece)
            begin = max(begin, self.tokens[request.end - 1].end)
        rest = _join(rest, self._text[begin:]).strip()
        left = _Reader(rest)
        start = left.skip("empty", 0)
        return "" if start >= len(left.tokens) else rest[left.cut_conjunction() :].lstrip(_OPENING)

    def cut_conjunction(self) -> int:
        """Where the text begins when a leading "and", "và", … that joined it to the request is left out."""
        first = self.tokens[0] if self.tokens else None
        joined = (
            first is not None
            and self._phrase("and", 0) == 1
            and first.folded in {"and", "va", "roi", "then", "but", "so"}
        )
        return first.end if first and joined else 0

    def skip(self, name: str, at: int) -> int:
        """The index after all entries of list `name` in a row from `at`, over clause ends."""
        while at < len(self.tokens) and (length := self._phrase(name, at, across=True)):
            at += length
        return at

    def _request(self, lang: Lang, start: int, end: int, *, loose: bool) -> _LanguageRequest | None:
        first, last = self._clause(start, end)
        if self._blocked(first, last):
            return None
        tail = self._tail(end, last)
        verb = self._verb(first, start)
        if verb is None:
            if loose:
                return None
            return self._bare(lang, start, end, tail)
        kind, at = verb
        free = tail >= last or self._phrase("and", tail) > 0
        spoken = kind in {"speak", "answer"} and not self._phrase("noun", end) and not (loose and not free)
        if not (spoken or free):
            return None
        begin = self._glue_start(first, at)
        negated = self._negated(begin, at)
        target: Lang = lang if not negated else ("en" if lang == "vi" else "vi")
        return _LanguageRequest(target, begin, tail, negated)

    def _bare(self, lang: Lang, start: int, end: int, tail: int) -> _LanguageRequest | None:
        """A language without a verb beside it: "English please", "tiếng anh được không", "explain it in English"."""
        first, last = self._clause(start, end)
        if tail < last and not self._phrase("and", tail):
            return None
        before = self.tokens[start - 1].folded if start > first else ""
        if before in {"in", "bang"} and any(self._phrase("answer", nth) for nth in range(first, start - 1)):
            return _LanguageRequest(lang, start - 1, tail, negated=False)
        begin = self._glue_start(first, start)
        alone = self.skip("empty", 0) >= first and self.skip("empty", tail) >= len(self.tokens)
        if begin != first or (begin == start and tail == end and not alone):
            return None
        negated = self._negated(begin, start)
        target: Lang = lang if not negated else ("en" if lang == "vi" else "vi")
        return _LanguageRequest(target, begin, tail, negated)

    def _verb(self, first: int, start: int) -> tuple[str, int] | None:
        """The nearest verb before the language with nothing but link words between, and its list."""
        for at in range(start - 1, max(first, start - _FURTHEST) - 1, -1):
            for kind in ("speak", "answer", "understand", "change"):
                length = self._phrase(kind, at)
                if length and at + length <= start and self._all("link", at + length, start):
                    return kind, at
        return None

    def _blocked(self, at: int, last: int) -> bool:
        while at < last:
            if self._phrase("block", at) and not self._phrase("innocent", at):
                return True
            at += self._phrase("innocent", at) or 1
        return False

    def _negated(self, begin: int, at: int) -> bool:
        if any(self._phrase("not not", nth) for nth in range(begin, at)):
            return False
        return any(self._phrase("not", nth) for nth in range(begin, at))

    def _clause(self, start: int, end: int) -> tuple[int, int]:
        first, last = start, end
        while first > 0 and not self._closed[first - 1]:
            first -= 1
        while last < len(self.tokens) and not self._closed[last - 1]:
            last += 1
        return first, last

    def _tail(self, at: int, last: int) -> int:
        """The index after the polite ending; a comma may stand before it ("English, please")."""
        while at < last and (length := self._phrase("after", at)) and at + length <= last:
            at += length
        if at == last and at < len(self.tokens):
            _, far = self._clause(at, at + 1)
            if self._all("after", at, far) and far - at <= 3:
                return far
        return at

    def _glue_start(self, first: int, at: int) -> int:
        """Where the polite beginning of the request that ends at `at` starts."""
        begin = at
        while begin > first:
            step = next(
                (n for n in (3, 2, 1) if begin - n >= first and self._phrase("before", begin - n) == n), 0
            )
            if not step:
                break
            begin -= step
        return begin

    def _all(self, name: str, at: int, end: int) -> bool:
        while at < end:
            length = self._phrase(name, at, across=True)
            if not length or at + length > end:
                return False
            at += length
        return True

    def _phrase(self, name: str, at: int, *, across: bool = False) -> int:
        """How many tokens the longest entry of list `name` takes at `at`; 0 when there is none."""
        if at >= len(self.tokens):
            return 0
        for phrase in self._lists[name].get(self.tokens[at].folded, ()):
            end = at + len(phrase)
            if end > len(self.tokens) or (not across and any(self._closed[at : end - 1])):
                continue
            if all(_means(token, word) for token, word in zip(self.tokens[at:end], phrase, strict=True)):
                return len(phrase)
        return 0


def _means(token: WordToken, word: tuple[str, str, bool]) -> bool:
    folded, spelling, exact = word
    agrees = token.folded == folded and accents_agree(token.text, spelling)
    return agrees and (not exact or accents(token.text) != "")


def _join(left: str, right: str) -> str:
    """Two parts of a message whose middle was cut out, without the punctuation that led to the cut."""
    left, right = left.rstrip(" \t\r\n,;:-"), right.lstrip(_OPENING)
    return f"{left} {right}" if left and right else left + right


@cache
def _phrases() -> Mapping[str, Mapping[str, tuple[_Phrase, ...]]]:
    """Every list by the first folded word of its entries, longest entries first."""
    lists: dict[str, dict[str, list[_Phrase]]] = {}
    for name, entries in read_lists(LEXICONS / "switch.txt").items():
        by_first = lists.setdefault(name, defaultdict(list))
        for entry in entries:
            exact = entry.endswith("!")
            phrase = tuple((token.folded, token.text, exact) for token in tokens(entry))
            by_first[phrase[0][0]].append(phrase)
    return {
        name: {first: tuple(sorted(phrases, key=len, reverse=True)) for first, phrases in by_first.items()}
        for name, by_first in lists.items()
    }
