"""Reads the amounts of a rental question: which field each is about, and how it limits it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from troly.text.fold import fold, tokens
from troly.text.lexicon import Hit
from troly.text.numbers import find_amounts
from troly_rental.ask.reading import Filter, Op
from troly_rental.ask.words import in_english, phrases

MILLION, THOUSAND = 1_000_000, 1_000
LEEWAY = Decimal("0.2")
"""How far "khoảng 3 triệu" reaches to both sides."""

_SMALLEST_RENT = 100_000
_MOST_MILLIONS, _MOST_THOUSANDS = 100, 20_000
_MONEY = frozenset({"price", "deposit", "electricity_price", "water_price", "fee"})
_BEFORE = ("<", "<=", ">", ">=", "about", "budget", "exact", "not")
_AFTER = ("after <=", "after >=", "after about")
_FAR = 3
_SCALES = (MILLION, 100_000, THOUSAND)
_RANGE = re.compile(
    r"\s*(?:-|~|–|—|->|den|toi|cho den|cho toi|to|and|va|till|until|den khoang|toi khoang)\s*"
)
_CLAUSE = re.compile(r"[.;?!\n]|,(?!\d)")
_UNIT_GAP = re.compile(r"\s*(?:/\s*)?")
_MONTHLY = re.compile(r"\s*(?:/|mot|1|moi|per|a|each)?\s*(?:thang|month|th|mo)(?!\w)")
_METRES_FROM = 12
_CURRENCY = re.compile(r"\s*(?:vnd|vnđ|đ|dong|đồng)(?!\w)", re.IGNORECASE)
_PLUS = re.compile(r"\s?\+(?!\s*\d)")


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount with its field ("" while unknown, "limit", "other" for what is no condition) and its place."""

    field: str
    op: str
    value: Decimal
    start: int
    end: int
    upper: Decimal | None = None

    def filters(self) -> list[Filter]:
        """The conditions it makes."""
        if self.upper is not None:
            low, high = sorted((self.value, self.upper))
            return [Filter(self.field, ">=", number(low)), Filter(self.field, "<=", number(high))]
        if self.op == "about":
            spread = self.value * LEEWAY
            return [
                Filter(self.field, ">=", number(self.value - spread)),
                Filter(self.field, "<=", number(self.value + spread)),
            ]
        return [Filter(self.field, _OPS[self.op], number(self.value))]


_OPS: dict[str, Op] = {
    "": "=", "exact": "=", "=": "=", "not": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "budget": "<=",
    "after <=": "<=", "after >=": ">=",
}  # fmt: skip


def number(value: Decimal) -> int | float:
    """A plain number for the state."""
    return int(value) if value == value.to_integral_value() else float(value)


def read_quantities(text: str) -> list[Quantity]:
    """The amounts of `text` that are conditions, limits, or neither, left to right, with their words."""
    raw = [_with_unit(text, found) for found in _raw(text)]
    raw = _shared_units(text, raw)
    hits = phrases("amounts", *_BEFORE, *_AFTER).find(text)
    topics = phrases("amounts", *_topics()).find(text)
    found: list[Quantity] = []
    begin, nth = 0, 0
    while nth < len(raw):
        low = raw[nth]
        high = raw[nth + 1] if nth + 1 < len(raw) and _joined(text, low, raw[nth + 1]) else None
        end = high.end if high else low.end
        until = raw[nth + (2 if high else 1)].start if nth + (2 if high else 1) < len(raw) else len(text)
        read = _read(text, low, high, (begin, until), hits, topics)
        found.append(read)
        begin = max(end, read.end)
        nth += 2 if high else 1
    return found


def _raw(text: str) -> list[Quantity]:
    """Numbers with their scale words; "field" is what the unit says so far."""
    spelled = [
        Quantity("", "", amount.value, amount.start, amount.end, None)
        if amount.unit in {"", "VND"}
        else Quantity(f"={amount.unit}", "", amount.value, amount.start, amount.end)
        for amount in find_amounts(text)
    ]
    taken = [(one.start, one.end) for one in spelled]
    for token in tokens(text):
        value = _NUMBER_WORDS.get(token.folded)
        if value is None or any(a <= token.start < b for a, b in taken):
            continue
        one = _with_unit(text, Quantity("", "", Decimal(value), token.start, token.end))
        said = token.text in _ACCENTED_NUMBERS or token.text.isascii()
        if (
            said
            and one.field in {"bedrooms", "people", "price", "limit"}
            and not (value == 1 and one.field == "limit")
        ):
            spelled.append(Quantity("", "", Decimal(value), token.start, token.end))
    return sorted(spelled, key=lambda one: one.start)


_ACCENTED_NUMBERS = {
    "một": 1, "hai": 2, "ba": 3, "bốn": 4, "năm": 5, "sáu": 6, "bảy": 7, "tám": 8, "chín": 9, "mười": 10,
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_NUMBER_WORDS = {fold(word): value for word, value in _ACCENTED_NUMBERS.items()}


def _topics() -> tuple[str, ...]:
    return tuple(
        f"about {name}"
        for name in (
            "price",
            "deposit",
            "area",
            "electricity_price",
            "water_price",
            "fee",
            "people",
            "bedrooms",
            "views",
        )
    )


def _with_unit(text: str, one: Quantity) -> Quantity:
    """`one` with the unit that comes right after it, or was glued to it ("2pn", "25m2", "5m")."""
    glued = one.field.removeprefix("=")
    if glued in {"m2", "m"}:
        return _metres(text, one) if glued == "m" else replace(one, field="area")
    if glued in {"USD", "EUR", "%"}:
        return replace(one, field="other")
    if glued:
        one = replace(one, field="")
        named = phrases("amounts", *_units()).find(glued)
        scale = next((n for n in _SCALES if phrases("amounts", f"x {n}").find(glued)), 0)
        if named or not scale:
            return replace(one, field=_unit_name(named[0].label) if named else "other")
        return replace(one, value=one.value * scale, field="price")
    for scale in _SCALES:
        hit = _right_after(text, one.end, phrases("amounts", f"x {scale}").find(text[: one.end + 16]))
        if hit and one.value < THOUSAND and fold(hit.phrase) != "m":
            return replace(one, value=one.value * scale, end=hit.end, field="price")
    units = phrases("amounts", *_units()).find(text)
    hit = _right_after(text, one.end, units)
    if (
        one.value >= THOUSAND
        and hit
        and hit.label in {"unit time", "unit other", "unit limit", "unit people"}
    ):
        return replace(one, field="")
    if hit is None:
        return one
    name = _unit_name(hit.label)
    if name == "area" and fold(hit.phrase) in {"met", "metres", "meters"} and one.value < _METRES_FROM:
        return replace(one, field="other", end=hit.end)
    op = "after >=" if _PLUS.match(text, one.end) else ""
    return replace(one, op=op, field=name, end=one.end if name == "limit" else hit.end)


def _unit_name(label: str) -> str:
    name = label.removeprefix("unit ")
    if name in {"places", "time", "distance", "floors", "bathrooms", "deposit months"}:
        return "other"
    return "limit" if name == "limit after" else name


def _units() -> tuple[str, ...]:
    from troly_rental.ask.words import lists

    return tuple(label for label in lists("amounts") if label.startswith("unit "))


def _metres(text: str, one: Quantity) -> Quantity:
    """ "5m" is five million where a rent is meant, "25m" metres; in English "25m VND" and "25m" are millions."""
    area = phrases("amounts", "about area").find(text[max(0, one.start - 12) : one.start])
    money = _CURRENCY.match(text, one.end) is not None
    if area or (one.value >= _METRES_FROM and not money and not in_english()):
        return replace(one, field="area")
    return replace(one, field="price", value=one.value * MILLION)


def _right_after(text: str, end: int, hits: list[Hit]) -> Hit | None:
    plus = _PLUS.match(text, end)
    end = plus.end() if plus else end
    fits = [hit for hit in hits if hit.start >= end and _UNIT_GAP.fullmatch(text, end, hit.start)]
    return max(fits, key=lambda hit: hit.end, default=None)


def _shared_units(text: str, raw: list[Quantity]) -> list[Quantity]:
    """The first number of a range takes the unit and the scale of the second: "từ 2 đến 4 triệu", "20 - 30m2"."""
    found = list(raw)
    for nth in range(len(found) - 2, -1, -1):
        low, high = found[nth], found[nth + 1]
        if low.field or not _joined(text, low, high):
            continue
        value = low.value
        if high.value >= _SMALLEST_RENT and high.field in {"", "price", "deposit"} and value < THOUSAND:
            scale = MILLION if value * MILLION <= high.value * 10 and value < _MOST_MILLIONS else THOUSAND
            value *= scale
        found[nth] = replace(low, value=value, field=high.field)
    return found


def _joined(text: str, low: Quantity, high: Quantity) -> bool:
    between = fold(text[low.end : high.start])
    if _RANGE.fullmatch(between) is None:
        return False
    listed = between.strip() in {"and", "va"}
    start = fold(text[max(0, low.start - 24) : low.start])
    opened = re.search(r"(?:between|giua|tu|from|trong khoang|khoang)\s*(?:\w+\s+){0,2}$", start) is not None
    same = (
        not low.field
        or low.field == high.field
        or (low.field in {"", "price"} and high.field in {"", "price"})
    )
    return same and (not listed or opened)


def _read(
    text: str,
    low: Quantity,
    high: Quantity | None,
    window: tuple[int, int],
    hits: list[Hit],
    topics: list[Hit],
) -> Quantity:
    """`low` (to `high`) with what the words around say; `window` is where they may stand."""
    end = high.end if high else low.end
    monthly = (
        _MONTHLY.match(fold(text[end : end + 12]))
        if len(fold(text[end : end + 12])) == len(text[end : end + 12])
        else None
    )
    end += monthly.end() if monthly and low.field in {"", "price"} and low.value >= _SMALLEST_RENT else 0
    opened = _clause_start(text, window[0], low.start)
    before = [h for h in hits if opened <= h.start and h.end <= low.start and h.label in _BEFORE]
    before = [h for h in before if _near(text, h.end, low.start)]
    after = [h for h in hits if h.label in _AFTER and h.start >= end and not text[end : h.start].strip()]
    op = low.op or _op(before, after)
    start = min([low.start, *(h.start for h in before)])
    field, topic = _field(text, low, high, (opened, window[1]), topics, bool(op))
    value, upper = low.value, high.value if high else None
    if field == "price" and value < _SMALLEST_RENT and low.field != "price":
        scale = MILLION if (upper or value) < _MOST_MILLIONS else THOUSAND
        value, upper = value * scale, upper * scale if upper is not None else None
    if topic is not None and topic.start >= end and field in {"deposit", "electricity_price", "water_price"}:
        end = max(end, topic.end)
    if op == "about" and field in {"bedrooms", "people", "limit"}:
        op = ""
    if after:
        end = max(end, *(h.end for h in after))
    if field == "people" and op in {"", "budget", "exact"}:
        op = ">="
    return Quantity(field, op, value, start, end, upper)


def _clause_start(text: str, begin: int, at: int) -> int:
    marks = [match.end() for match in _CLAUSE.finditer(text, begin, at)]
    return marks[-1] if marks else begin


def _near(text: str, start: int, end: int) -> bool:
    return len(tokens(text[start:end])) <= _FAR - 1


def _op(before: list[Hit], after: list[Hit]) -> str:
    ends = [hit.label for hit in after if hit.label != "after about"]
    if ends:
        return ends[0]
    said = [hit.label for hit in before]
    strong = [label for label in said if label in {"<", "<=", ">", ">=", "not"}]
    if strong:
        return strong[-1]
    if "about" in said or after:
        return "about"
    return said[-1] if said else ""


def _field(
    text: str,
    low: Quantity,
    high: Quantity | None,
    window: tuple[int, int],
    topics: list[Hit],
    limited: bool,
) -> tuple[str, Hit | None]:
    """The field of an amount, and the word that named it."""
    own = low.field or (high.field if high else "")
    end = high.end if high else low.end
    value = high.value if high else low.value
    if own and own not in {"price", "area"}:
        return own, None
    before = [h for h in topics if window[0] <= h.start and h.end <= low.start]
    behind = [
        h
        for h in topics
        if end <= h.start < window[1]
        and len(text[end : h.start].strip()) <= 4
        and len(tokens(text[end : h.start])) <= 1
    ]
    if own == "area":
        return "area", None
    large = value >= _SMALLEST_RENT
    close = [h for h in before if _near(text, h.end, low.start)]
    for hit in [*reversed(close), *behind[:1], *reversed(before)]:
        name = hit.label.removeprefix("about ")
        if name in {"people", "bedrooms"} or (name == "area" and large):
            continue
        if hit in behind and name in {"price", "area"}:
            continue
        if name == "price" and own != "price" and not large and not (limited or _bare(text, end)):
            return "other", None
        if name in {"price", "area", "deposit", "electricity_price", "water_price", "fee", "views"}:
            return name, hit
    if large or own == "price":
        return "price", None
    if limited and _bare(text, end) and value < _MOST_THOUSANDS and not before:
        return "price", None
    return "other", None


def _bare(text: str, end: int) -> bool:
    """Whether nothing is counted: the number stands alone."""
    rest = text[end:].lstrip()
    return (
        not rest
        or not rest[0].isalpha()
        or fold(rest.split()[0])
        in {"thoi", "o", "tai", "in", "khong", "nhe", "a", "va", "and", "quan", "thang"}
    )
