"""The signs of danger in one message: listed words by place, without those denied, supposed, long past or figurative."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

from troly.text.fold import fold, tokens
from troly.text.language import detect
from troly.text.match import Lexicon, PhraseHit
from troly.text.wordlist import read_lists

# -- The words of red_flags.txt: a lexicon for each sign of danger, and for each mark that takes it away.

FILE = Path(__file__).parent / "lexicons" / "red_flags.txt"
MARKS = (
    "no",
    "eased",
    "filler",
    "gone",
    "supposed",
    "in_doubt",
    "past",
    "past_exact",
    "now",
    "break",
    "animal",
    "unreal",
    "mild",
)


@cache
def flag_lists() -> dict[str, tuple[str, ...]]:
    """The entries of red_flags.txt by section, with all spellings of each."""
    lists = read_lists(FILE)
    spelt = {label: [one for phrase in listed for one in _choices(phrase)] for label, listed in lists.items()}
    return {
        label: tuple(dict.fromkeys([*listed, *_without_apostrophes(listed), *_southern(listed)]))
        for label, listed in spelt.items()
    }


def _choices(phrase: str) -> list[str]:
    """The entries that a phrase with slashes stands for."""
    return [
        " ".join(words).replace("_", " ") for words in product(*(word.split("/") for word in phrase.split()))
    ]


def _southern(listed: Iterable[str]) -> list[str]:
    """What the south says for "vào": "đập vô mặt"."""
    return [phrase.replace("vào", "vô") for phrase in listed if " vào" in phrase]


def _without_apostrophes(listed: Iterable[str]) -> list[str]:
    """What hurried people write: "cant" for "can't"."""
    return [phrase.replace("'", "") for phrase in listed if "'" in phrase]


@cache
def marks() -> tuple[Lexicon, ...]:
    """One lexicon a mark: "không còn" is a "no" wherever it stands, whatever longer phrase is listed elsewhere."""
    return tuple(Lexicon({label: flag_lists()[label]}) for label in MARKS)


@cache
def signs() -> tuple[Lexicon, ...]:
    """One lexicon a sign, for the same words may be part of several: "mặt" is a place and a face."""
    return tuple(Lexicon({label: listed}) for label, listed in flag_lists().items() if label not in MARKS)


# Signs that a "no" before them, or an "it is over" after them, takes away.
_DENIED = frozenset(
    [
        "swell",
        "taut",
        "growth",
        "chest_pain",
        "locked",
        "closing",
        "spread",
        "fever",
        "no_breath",
        "no_swallow",
        "no_open",
        "sore_swallow",
        "hard",
        "blood",
        "faint",
        "chest",
        "accident",
        "harm",
        "knocked",
        "jaw_broken",
        "tooth_broken",
        "broken",
    ]
)
# Marks of one syllable count only with their accents: "nho" is rather "nhổ" than "nhỡ". These are seldom other words.
_ACCENTED_ONLY = frozenset(
    {
        "past_exact",
        "left_over",
        "not_fever",
        "figure",
        "elsewhere",
        "eased",
        "supposed",
        "past",
        "gone",
        "struck",
    }
)
# Signs that count in one word only with its accents: "te" is rather "tê" than "té", "be" than "bể".
_SHORT_WORDS = frozenset(
    {
        "open",
        "lump",
        "chest_pain",
        "locked",
        "knocked",
        "pained",
        "closing",
        "accident",
        "broken",
        "hard",
        "swell",
    }
)
_PLAIN_SIGNS = frozenset({"sưng", "gãy", "gẫy", "bị gãy"})
_ACCENTED = frozenset({"left_over", "gone", "eased", "past_exact"})
_PLAINLY_OVER = re.compile(r"\b(?:het|khoi|giam|ngung|xep)\b")
_PLAIN_TOO = frozenset({"nếu", "hết"})
_HIDES = ("figure", "elsewhere")
_STOP = re.compile(r"[.!?;\n:…]|\s-\s")
_LIST = re.compile(r"[,/]")
_OR = re.compile(r"\b(?:hay|hoặc|hoac|or|nor|and|và|va|lẫn)\b", re.IGNORECASE)
_BITES = re.compile(r"\b(?:bitten|bit|bites|attacked|kicked|cắn|can|húc|huc|đá|vồ|cào)\b", re.IGNORECASE)
_ASKED = re.compile(
    r"\s*(?:nặng|nhiều|cao|to|gì)?\s*(?:không|khong|ko|k|hông|hong|hok|hem)\b\s*(?:ạ|a|vậy|vay|bác sĩ|bs|nhỉ|nhi|ta)?\s*(?:[.,!?;]|$)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:^|\s)(?:có|co)\s+(?:thể\s+|the\s+)?(?:hay\s+|dễ\s+|de\s+)?(?:bị\s+|bi\s+)?(?:\S+\s+){0,2}$",
    re.IGNORECASE,
)
# "Do braces cause fever?", but not "do I have to go with a swollen face".
_ASKS_IN_ENGLISH = re.compile(
    r"\s*(?:do|does|can|could|will|would)\s+(?!i\b|you\b|we\b|u\b|somebody\b|someone\b)(?!.*\b(?:my|our|his|her)\b)",
    re.IGNORECASE,
)
_NEAR_GONE = 6
# A swelling that goes down to the neck does not go down.
_GOES_TO = re.compile(r"\s*(?:to|into|towards?|my|the)\b", re.IGNORECASE)
# "…, nay hết rồi": a comma before the news that it is over parts nothing.
_NOW_GONE = re.compile(
    r",\s*(?:thì|giờ|giờ thì|nay|nay thì|hiện|bây giờ|now|but now|it|it's|which)?\s*$", re.IGNORECASE
)
_PARTED = re.compile(r"[.!?;\n:,…]|\b(?:đau|nhức|dau|nhuc|ê|pain|ache)\b", re.IGNORECASE)


class SignPlace(NamedTuple):
    """A listed phrase: words `first` to `last` (both counted) of the message."""

    first: int
    last: int
    start: int
    end: int
    exact: bool


class DangerSigns:
    """The signs that stand in one reading of a message."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._english = detect(text) == "en"
        self._starts = [word.start for word in tokens(text)]
        self._marks = self._places(text, marks())
        self._no, self._eased = self._inside("no"), self._inside("eased")
        self._found = self._places(text, signs())
        other_fevers = [*self._found.pop("not_fever", []), *self._found.pop("left_over", [])]
        self._found["fever"] = [
            p
            for p in self._found["fever"]
            if not any(o.first <= p.last and p.first <= o.last for o in other_fevers)
        ]
        # What "fell out" need not have fallen.
        gone_out = [*self._found["out"], *self._found["knocked"]]
        self._found["accident"] = [
            p
            for p in self._found["accident"]
            if not any(o.first <= p.first and p.last <= o.last for o in gone_out)
        ]
        hidden = [(p.first, p.last) for label in _HIDES for p in self._found.pop(label, [])]
        self._signs_at = {
            p.first
            for label in ("swell", "fever", "blood", "no_breath", "no_swallow")
            for p in self._found[label]
        }
        self._clauses = self._bounds()
        self._filling = self._inside("filler") | {
            at
            for label in ("swell", "fever", "blood", "place", "no_breath", "no_swallow")
            for place in self._found.get(label, ())
            for at in range(place.first, place.last + 1)
        }
        for label, places in self._found.items():
            self._found[label] = [
                p
                for p in places
                if not any(first <= p.first and p.last <= last for first, last in hidden)
                and not self._cancelled(label, p)
            ]

    @property
    def nobody(self) -> bool:
        """Whether no person is ill: an animal that bit nobody, a dream, a film."""
        return bool(self._marks["unreal"]) or bool(self._marks["animal"] and not _BITES.search(self._text))

    @property
    def mild(self) -> bool:
        """Whether a word for little blood, or for asking in general, stands in the message."""
        return bool(self._marks["mild"])

    def has(self, *labels: str) -> bool:
        """Whether a sign of one of the labels stands."""
        return any(self._found[label] for label in labels)

    def cannot(self, other: str, gap: int) -> bool:
        """Whether "cannot" stands before `other` with at most `gap` words between that do not turn it round."""
        turning = self._filling | {at for p in self._found["hard"] for at in range(p.first, p.last + 1)}
        return any(
            0 <= verb.first - no.last - 1 <= gap and not turning & set(range(no.last + 1, verb.first))
            for no in self._found["cannot"]
            for verb in self._near_to(self._found[other], no, gap)
        )

    def near(self, one: str, other: str, gap: int) -> bool:
        """Whether the two stand with at most `gap` words between them."""
        return any(
            0 < second.first - first.last <= gap + 1
            or 0 < first.first - second.last <= gap + 1
            or (first.first <= second.last and second.first <= first.last)
            for first in self._found[one]
            for second in self._near_to(self._found[other], first, gap)
        )

    def _near_to(self, places: list[SignPlace], by: SignPlace, gap: int) -> list[SignPlace]:
        low = bisect_left(places, by.first - gap - 12, key=lambda p: p.first)
        high = bisect_left(places, by.last + gap + 2, key=lambda p: p.first)
        return places[low:high]

    def exact(self, label: str) -> None:
        """Drop places of `label` that were not typed with their accents."""
        self._found[label] = [p for p in self._found[label] if p.exact]

    def _places(self, text: str, lexicons: tuple[Lexicon, ...]) -> dict[str, list[SignPlace]]:
        found: dict[str, list[SignPlace]] = defaultdict(list)
        for lexicon in lexicons:
            for hit in lexicon.find(text):
                if hit.label in _ACCENTED_ONLY and _by_chance(hit):
                    continue
                if hit.label in _SHORT_WORDS and _is_other(hit):
                    continue
                first = bisect_left(self._starts, hit.start)
                last = bisect_left(self._starts, hit.end) - 1
                found[hit.label].append(SignPlace(first, last, hit.start, hit.end, hit.exact))
        return found

    def _inside(self, mark: str) -> set[int]:
        """The words that belong to a mark."""
        return {at for place in self._marks[mark] for at in range(place.first, place.last + 1)}

    def _bounds(self) -> list[int]:
        """The offsets where a new thought begins, sorted."""
        ends = [match.end() for match in _STOP.finditer(self._text)]
        ends += [place.start for place in self._marks["break"]]
        return sorted({0, *ends})

    def _clause_start(self, offset: int) -> int:
        return self._clauses[max(bisect_left(self._clauses, offset + 1) - 1, 0)]

    def _cancelled(self, label: str, place: SignPlace) -> bool:
        start = self._clause_start(place.start)
        if label in _DENIED and (self._denied(place, start) or self._over(place)):
            return True
        return self._only_supposed(place, start) or self._long_ago(place, start)

    def _denied(self, place: SignPlace, start: int) -> bool:
        """Whether a "no" stands before the sign with nothing but filling words and other signs between."""
        at = place.first - 1
        crossed = place.start
        while at >= 0 and self._starts[at] >= start:
            gap = self._text[self._starts[at] : crossed]
            if _LIST.search(gap) and not _OR.search(self._text[self._starts[at] : place.start]):
                return False
            crossed = self._starts[at]
            if at in self._no:
                return True
            if at in self._eased:
                return not self._no & {at - 1, at - 2}
            if at not in self._filling:
                return False
            at -= 1
        return False

    def _over(self, place: SignPlace) -> bool:
        """Whether the message goes on that this sign, and no other one between, is over."""
        for gone in self._marks["gone"]:
            if 0 < gone.first - place.last <= _NEAR_GONE and not _GOES_TO.match(self._text, gone.end):
                between = range(place.last + 1, gone.first)
                said = _NOW_GONE.sub("", self._text[place.end : gone.start])
                parted = _PARTED.search(said) or self._signs_at & set(between)
                return not parted and gone.first - 1 not in self._no
        return False

    def _only_supposed(self, place: SignPlace, start: int) -> bool:
        if any(p.first <= place.first <= p.last + 12 and p.start >= start for p in self._marks["in_doubt"]):
            return False
        if self._is_now(start, place):
            return False
        if any(start <= p.start < place.start for p in self._marks["supposed"]):
            return True
        if self._english and _ASKS_IN_ENGLISH.match(self._text, start):
            return True
        return bool(
            _ASKED.match(self._text, place.end)
            and _ASKS.search(self._text[max(start, place.start - 40) : place.start])
        )

    def _long_ago(self, place: SignPlace, start: int) -> bool:
        return not self._is_now(start, place) and any(
            start <= p.start
            and p.first <= place.last + 8
            and not _STOP.search(self._text, place.end, max(p.start, place.end))
            for p in (*self._marks["past"], *self._marks["past_exact"])
        )

    def _is_now(self, start: int, place: SignPlace) -> bool:
        return any(start <= p.start <= place.start for p in self._marks["now"])


def _is_other(hit: PhraseHit) -> bool:
    return not hit.exact and " " not in hit.phrase and hit.phrase not in _PLAIN_SIGNS


def _by_chance(hit: PhraseHit) -> bool:
    """Whether a mark without its accents may as well be other words: "do roi" is also "đỏ rồi"."""
    if hit.exact:
        return False
    if hit.label in _ACCENTED:
        return not _PLAINLY_OVER.search(fold(hit.phrase))
    return " " not in hit.phrase and hit.phrase not in _PLAIN_TOO
