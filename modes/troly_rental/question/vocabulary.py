"""The word lists of the rental assistant, read once: sections of phrases that a person can extend."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from troly.text.everyday import correction_phrases
from troly.text.fold import fold
from troly.text.language import detect_score, is_syllable
from troly.text.match import Lexicon, PhraseHit
from troly.text.wordlist import LEXICONS as SHARED
from troly.text.wordlist import read_lists

LEXICONS = Path(__file__).parent / "lexicons"
_SHORT = 4
_CAN = re.compile(r"(?<!\w)(?:can|could|may)\s*$")
_POSTS = re.compile(r"(?<!\w)(?:tin|bai|post|posts)(?!\w)")
_NOUN_ENDS = re.compile(
    r"[^\w\s'’-]|\b(?:is|are|was|has|have|do|does|can|to|in|at|near|for|with|from|of|and|or|so|but|on|needs?|wants?|looking|likes?|cần|muốn|muon|tìm|tim|kiếm|kiem|định|tính|can(?=\s+\d))\b",
    re.IGNORECASE,
)
_RECORDS = frozenset({
    "contract", "invoice", "status", "debt", "revenue", "collected", "due", "deadline", "occupancy", "vacancy", "room",
    "post", "room_seeking_post", "building", "viewing", "figure deposit", "figure price", "figure electricity_price",
    "figure water_price", "ending", "upcoming", "address",
})  # fmt: skip
_COUNTING = ("số", "tổng số", "bao nhiêu", "mấy")
_NO_AMENITIES = frozenset({"without", "needless", "gender"})


class Vocabulary:
    """Finds listed phrases in a message, or in parts of it, as words of the message's language.

    Without accents "căn" is "can", "nợ" is "no" and "Mỹ" is "my": a single word counts only in its own language. A
    vocabulary of no message takes the words of both.
    """

    def __init__(self, message: str = "") -> None:
        self._score = detect_score(message) if message else 0.0

    @property
    def english(self) -> bool:
        """Whether the message is in English."""
        return self._score < 0

    def find(self, text: str, name: str, *labels: str) -> list[PhraseHit]:
        """The phrases of a file, or of some of its sections, which then compete among themselves only."""
        return self._in_language(lexicon(name, *labels).find(text))

    def owned(self, text: str) -> list[PhraseHit]:
        """Where records of the asker's own are spoken of; "my office", "con của tôi", "how many can I rent" are none."""
        plain = fold(text)
        return [
            hit
            for hit in self.find(text, "asks", "own", "own thing")
            if not _CAN.search(plain[: hit.start])
            # "mình đang vội" is no "mình đăng", but of a post.
            and (hit.exact or not fold(hit.phrase).endswith(" dang") or _POSTS.search(plain))
            and not (fold(hit.phrase).endswith(" ky") and plain.startswith(" tuc xa", hit.end))
            and not (hit.phrase.startswith("của ") and self._ends_in_others(text[: hit.start]))
            and (hit.label == "own" or self._begins_with_record(text[hit.end :]))
        ]

    def refusals(self, text: str) -> list[PhraseHit]:
        """Words that leave something out; "phan bo" without accents is a distribution."""
        figures = self.find(text, "asks", "table", "by price_band")
        hits = self.find(text, "wheres", "except")
        return [one for one in hits if not any(f.start <= one.start and one.end <= f.end for f in figures)]

    def _ends_in_others(self, before: str) -> bool:
        return any(not before[hit.end :].strip() for hit in self.find(before, "asks", "not records"))

    def _begins_with_record(self, behind: str) -> bool:
        """Whether a record is named before the clause, or what is wished for, begins."""
        end = _NOUN_ENDS.search(behind)
        return bool(self.find(behind[: end.start()] if end else behind, "asks", *_record_labels()))

    def find_any(self, text: str, *names: str) -> list[PhraseHit]:
        """The phrases of several files, which compete: the longest wins."""
        return self._in_language(_joined_lexicon(*names).find(text))

    def _in_language(self, hits: list[PhraseHit]) -> list[PhraseHit]:
        return [hit for hit in hits if not self._is_foreign(hit)] if self._score else hits

    def _is_foreign(self, hit: PhraseHit) -> bool:
        word = fold(hit.phrase)
        if " " in hit.phrase or not word.isalpha():
            return False
        if self.english:
            return not hit.exact and not hit.phrase.isascii() and len(word) <= _SHORT
        return hit.phrase.isascii() and word in _english_words() and is_syllable(word)


_OUT = (
    r"(?:khong|ko|chua|dung)\s+(?:tinh|ke|gom|dem|lay|muon|thich|xem)|(?:loai\s+)?tru(?:\s+ra)?|ngoai(?:\s+tru)?"
    r"|except|exclud(?:e|ing)|besides|not counting|bo(?= (?:phong|can|cai|nha)\s)|(?:bo|loai|gat)(?= (?:may|cac|nhung|het)\s)"
)


def left_out_before(nouns: str) -> re.Pattern[str]:
    """What leaves out the thing that stands behind a folded text, be it a kind, a state or a month; between them words of
    `nouns`, a pattern that is found as group 1.
    """
    return re.compile(rf"(?<!\w)(?:{_OUT})((?:\s+(?:{nouns}))*)\s*$")


@cache
def lists(name: str) -> dict[str, tuple[str, ...]]:
    """The sections of `lexicons/<name>.txt`."""
    found = read_lists(LEXICONS / f"{name}.txt")
    if name == "edits":
        return {**found, "instead": (*found["instead"], *correction_phrases())}
    if name not in {"asks", "amounts"}:
        return found
    kinds = {kind for label, listed in lists("kinds").items() if label != "any" for kind in listed}
    if name == "amounts":
        return {**found, "unit limit": (*found["unit limit"], *sorted(kinds))}
    counts = tuple(f"{led} {kind}" for kind in sorted(kinds) if not kind.isascii() for led in _COUNTING)
    revenue = (*found["revenue"], *found["collected"])
    return {**found, "count": (*found["count"], *counts), "revenue": revenue}


@cache
def _record_labels() -> tuple[str, ...]:
    """The sections of asks.txt that name records people have of their own, or figures of those."""
    return tuple(label for label in lists("asks") if label in _RECORDS or label.partition(" ")[0] in _RECORDS)


@cache
def amenity_named(name: str) -> str:
    """The code of the amenity that a whole name is of, in English or by its code; "" for other names."""
    bare = re.sub(r"^(?:has|have|with|is|allows?) ", "", name)
    if (code := bare.replace(" ", "_")) in amenity_codes():
        return code
    found = Vocabulary(bare).find(bare, "amenities", *amenity_codes())
    return next((one.label for one in found if (one.start, one.end) == (0, len(bare))), "")


@cache
def amenity_codes() -> tuple[str, ...]:
    """The codes of the amenities that questions can name."""
    return tuple(label for label in lists("amenities") if " " not in label and label not in _NO_AMENITIES)


@cache
def lexicon(name: str, *labels: str) -> Lexicon:
    """The phrases of a file, or of some of its sections."""
    sections = lists(name)
    return Lexicon({label: sections[label] for label in labels or tuple(sections)})


@cache
def _joined_lexicon(*names: str) -> Lexicon:
    return Lexicon({label: listed for name in names for label, listed in lists(name).items()})


@cache
def _english_words() -> frozenset[str]:
    shared = read_lists(SHARED / "english.txt")
    return frozenset(fold(entry) for listed in shared.values() for entry in listed)
