"""Reads the amounts of a rental question as conditions: which field each is about, and how it limits it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from troly.text.fold import fold, tokens
from troly.text.match import PhraseHit
from troly_rental.ask.units import (
    MILLION,
    MOST_MILLIONS,
    SMALLEST_RENT,
    THOUSAND,
    Quantity,
    find_quantities,
    joined,
)
from troly_rental.ask.words import lists, phrases

_MOST_THOUSANDS = 20_000
_BEFORE = ("<", "<=", ">", ">=", "about", "budget", "exact", "not")
_STRONG = frozenset({"<", "<=", ">", ">=", "not"})
_AFTER = ("after <=", "after >=", "after about")
_WORDS_BETWEEN = 2
_NAMED = frozenset({"price", "area", "deposit", "electricity_price", "water_price", "fee", "views"})
_COUNTED = frozenset({"bedrooms", "people", "limit"})
_CLAUSE = re.compile(r"[.;?!\n]|,(?!\d)")
_MONTHLY = re.compile(
    r"\s*(?:/|mỗi|một|1|moi|mot|per|a|each)?\s*(?:tháng|thang|month|th|mo)(?!\w)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Around:
    """An amount (to `high`) in its text: phrases of limits and topics, and `window`, where they may stand."""

    text: str
    low: Quantity
    high: Quantity | None
    window: tuple[int, int]
    hits: list[PhraseHit]
    topics: list[PhraseHit]

    @property
    def end(self) -> int:
        return self.high.end if self.high else self.low.end

    def before(self, hits: list[PhraseHit]) -> list[PhraseHit]:
        """Those of `hits` in the clause before the amount."""
        marks = [m.end() for m in _CLAUSE.finditer(self.text, self.window[0], self.low.start)]
        opened = marks[-1] if marks else self.window[0]
        return [hit for hit in hits if opened <= hit.start and hit.end <= self.low.start]

    def close(self, hits: list[PhraseHit]) -> list[PhraseHit]:
        """Those of `hits` with at most two words between them and the amount."""
        return [h for h in hits if len(tokens(self.text[h.end : self.low.start])) <= _WORDS_BETWEEN]


def read_quantities(text: str) -> list[Quantity]:
    """The amounts of `text` that are conditions, limits, or neither, left to right, with their words."""
    raw = find_quantities(text)
    hits = phrases("amounts", *_BEFORE, *_AFTER).find(text)
    topics = phrases("amounts", *(label for label in lists("amounts") if label.startswith("about "))).find(
        text
    )
    found: list[Quantity] = []
    begin, nth = 0, 0
    while nth < len(raw):
        ranged = nth + 1 < len(raw) and joined(text, raw[nth], raw[nth + 1])
        last = nth + ranged
        until = raw[last + 1].start if last + 1 < len(raw) else len(text)
        high = raw[last] if ranged else None
        read = _read(_Around(text, raw[nth], high, (begin, until), hits, topics))
        found.append(read)
        begin = max(raw[last].end, read.end)
        nth = last + 1
    return found


def _read(around: _Around) -> Quantity:
    """The amount with what the words around it say."""
    text, low, high, end = around.text, around.low, around.high, around.end
    monthly = _MONTHLY.match(text, end)
    if monthly and low.field in {"", "price"} and low.value >= SMALLEST_RENT:
        end = monthly.end()
    before = around.close([hit for hit in around.before(around.hits) if hit.label in _BEFORE])
    after = [
        h for h in around.hits if h.label in _AFTER and h.start >= end and not text[end : h.start].strip()
    ]
    op = low.op or _op(before, after)
    field, topic = _field(around, limited=bool(op))
    value, upper = low.value, high.value if high else None
    if field == "price" and value < SMALLEST_RENT and low.field != "price":
        scale = MILLION if (upper or value) < MOST_MILLIONS else THOUSAND
        value, upper = value * scale, upper * scale if upper is not None else None
    behind = [topic] if topic and topic.start >= end and field not in {"price", "area"} else []
    if op == "about" and field in _COUNTED:
        op = ""
    if field == "people" and op in {"", "budget", "exact"}:
        op = ">="
    start = min([low.start, *(hit.start for hit in before)])
    return Quantity(field, op, value, start, max([end, *(hit.end for hit in (*after, *behind))]), upper)


def _op(before: list[PhraseHit], after: list[PhraseHit]) -> str:
    ends = [hit.label for hit in after if hit.label != "after about"]
    said = [hit.label for hit in before]
    strong = [label for label in said if label in _STRONG]
    if ends or strong:
        return ends[0] if ends else strong[-1]
    if "about" in said or after:
        return "about"
    return said[-1] if said else ""


def _field(around: _Around, *, limited: bool) -> tuple[str, PhraseHit | None]:
    """The field of an amount, and the word that named it."""
    low, high = around.low, around.high
    own = low.field or (high.field if high else "")
    if own and own != "price":
        return own, None
    value = high.value if high else low.value
    large = value >= SMALLEST_RENT or own == "price"
    bare = _bare(around.text, around.end)
    before = around.before(around.topics)
    close = around.close(before)
    behind = [hit for hit in around.topics if _is_behind(around, hit)][:1]
    for hit in [*reversed(close), *behind, *reversed(before)]:
        name = hit.label.removeprefix("about ")
        if name not in _NAMED or (name == "area" and large) or (hit in behind and name in {"price", "area"}):
            continue
        if name == "price" and not large and not (limited or bare):
            return "other", None
        return name, hit
    if large or (limited and bare and value < _MOST_THOUSANDS and not before):
        return "price", None
    return "other", None


def _is_behind(around: _Around, hit: PhraseHit) -> bool:
    """Whether a topic comes right after the amount: "2 triệu tiền cọc"."""
    if not around.end <= hit.start < around.window[1]:
        return False
    between = around.text[around.end : hit.start]
    return len(between.strip()) <= 4 and len(tokens(between)) <= 1


def _bare(text: str, end: int) -> bool:
    """Whether nothing is counted: the number stands alone."""
    rest = text[end:].split()
    return not rest or not text[end:].lstrip()[0].isalpha() or fold(rest[0]) in _closing()


def _closing() -> frozenset[str]:
    """Words that may follow a number that counts nothing."""
    return frozenset(fold(word) for word in lists("amounts")["nothing counted"])
