"""The amounts of a question as conditions: what each counts (money, square metres, bedrooms, people, rows) and limits."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from troly.text.fold import fold, tokens
from troly.text.match import PhraseHit
from troly.text.numbers import find_amounts
from troly_rental.question.types import Filter, Op
from troly_rental.question.vocabulary import Vocabulary, lists

_MILLION, _THOUSAND = 1_000_000, 1_000
_SMALLEST_RENT = 100_000
_MOST_MILLIONS = 100
_LEEWAY = Decimal("0.2")
"""How far "khoảng 3 triệu" reaches to both sides."""

_SCALES = (_MILLION, 100_000, _THOUSAND)
_RANGE = re.compile(
    r"\s*(?:-|~|–|—|->|den|toi|cho den|cho toi|to|and|va|till|until|den khoang|toi khoang)\s*"
)
_OPENED = re.compile(r"(?:between|giua|tu|from|trong khoang|khoang)\s*(?:\w+\s+){0,2}$")
_UNIT_GAP = re.compile(r"\s*(?:[/-]\s*)?")
_CURRENCY = re.compile(r"\s*(?:vnd|vnđ|đ|dong|đồng)(?!\w)", re.IGNORECASE)
_PLUS = re.compile(r"\s?\+(?!\s*\d)")
_METRES_FROM = 12
_YEAR = re.compile(r"20[12]\d")
_MOST = 40
"""Numbers that are looked at: no question has more."""
_NO_UNIT_OF_MONEY = frozenset({"unit time", "unit other", "unit limit", "unit people"})
_UNCOUNTED = frozenset({"places", "time", "distance", "floors", "bathrooms", "deposit months"})
_NUMBERS = {
    "một": 1, "hai": 2, "ba": 3, "bốn": 4, "năm": 5, "sáu": 6, "bảy": 7, "tám": 8, "chín": 9, "mười": 10,
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_FOLDED_NUMBERS = {fold(word): value for word, value in _NUMBERS.items()}
_OPS: dict[str, Op] = {
    "": "=", "exact": "=", "not": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "budget": "<=",
    "after <=": "<=", "after >=": ">=",
}  # fmt: skip
_MOST_THOUSANDS = 20_000
_BEFORE = ("<", "<=", ">", ">=", "about", "budget", "exact", "not")
_STRONG = frozenset({"<", "<=", ">", ">=", "not"})
_ASKED = re.compile(r"\s*(?:la\s+)?(?:bao nhieu|nhieu|may|bn|sao|the nao|ra sao|how)(?!\w)")
"""What is asked for is no name of an amount: "căn 6tr5 cọc bao nhiêu"."""
_AFTER = ("after <=", "after >=", "after about")
_WORDS_BETWEEN = 2
_TAKEN = re.compile(r"\s{3}")
"""Where words that are a condition of their own were taken out: what is compared is those, not the amount behind them."""
_NAMED = frozenset({"price", "area", "deposit", "electricity_price", "water_price", "fee", "views"})
_COUNTED = frozenset({"bedrooms", "people", "limit"})
_RATES = frozenset({"electricity_price", "water_price"})
_PER = re.compile(r"\s*(?:[/-]|(?:mot|moi|1|per|an?)(?!\w))")
_CLAUSE = re.compile(r"[.;?!\n]|,(?!\d)")
_MONTHLY = re.compile(
    r"\s*(?:/|mỗi|một|1|moi|mot|per|a|each)?\s*(?:tháng|thang|month|th|mo)(?!\w)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount at `start:end` with its field: "" while unknown, "limit" for a number of rows, "unit" for the one that a
    price is of ("bao nhiêu 1 số"), "other" for what else is no condition. `upper` is the other end of a range.
    """

    field: str
    op: str
    value: Decimal
    start: int
    end: int
    upper: Decimal | None = None
    words: tuple[tuple[int, int], ...] = ()
    """Where its numbers, units, and words of comparison stand."""

    def filters(self) -> list[Filter]:
        """The conditions it makes."""
        low, high = self.value, self.upper
        if high is None and self.op == "about":
            low, high = self.value * (1 - _LEEWAY), self.value * (1 + _LEEWAY)
        if high is None:
            return [Filter(self.field, _OPS[self.op], _plain(low))]
        low, high = sorted((low, high))
        return [Filter(self.field, ">=", _plain(low)), Filter(self.field, "<=", _plain(high))]


_DISTANCE = re.compile(r"(?<!\w)(?:cach|xa|ban kinh|trong vong|within|away|far)(?!\w)(?:\s+\w+){0,6}\s*$")
"""What makes metres a distance and no area."""
_TURNED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_REFUSED = re.compile(
    r"(?<!\w)(?:(?:dung|khong|ko|k)\s+(?:co\s+)?(?:dua|lay|cho|gui|hien|chon|muon|thich|xem)|dung|tranh|exclude|excluding|except|without)"
    r"\s+(?:(?:ra|may|nhung|cac|can|phong|cai|nha|loai|gia|ones|rooms|those|any|the|that|are|costing)\s+){0,3}$"
)


def refused_quantity(text: str, one: Quantity) -> Quantity:
    """`one` turned round where it is what is not wanted: "đừng đưa mấy căn trên 22 triệu" is at most 22."""
    at = max((start for start, end in one.words[1:] if end <= one.words[0][0]), default=one.start)
    led = _REFUSED.search(fold(text[:at])) if one.upper is None and one.op in _TURNED else None
    return replace(one, op=_TURNED[one.op], words=(*one.words, (led.start(), at))) if led else one


def _plain(value: Decimal) -> int | float:
    """A plain number for the state."""
    return int(value) if value == value.to_integral_value() else float(value)


def parse_quantities(vocabulary: Vocabulary, text: str) -> list[Quantity]:
    """The amounts of `text` that are conditions, limits, or neither, left to right, with their words."""
    raw = _numbers(vocabulary, text)
    hits = _limits(vocabulary, text, raw)
    topics = vocabulary.find(
        text, "amounts", *(label for label in lists("amounts") if label.startswith("about "))
    )
    topics = [hit for hit in topics if not _is_asked(text, hit)]
    found: list[Quantity] = []
    begin, nth = 0, 0
    while nth < len(raw):
        ranged = nth + 1 < len(raw) and _is_range(text, raw[nth], raw[nth + 1])
        last = nth + ranged
        until = raw[last + 1].start if last + 1 < len(raw) else len(text)
        high = raw[last] if ranged else None
        quantity = _in_context(_AmountContext(text, raw[nth], high, (begin, until), hits, topics))
        if quantity.field in _RATES and quantity.value == 1:  # no kWh costs 1 VND: "điện 1 số bao nhiêu"
            quantity = replace(quantity, field="unit")
        found.append(quantity)
        begin = max(raw[last].end, quantity.end)
        nth = last + 1
    return found


def _limits(vocabulary: Vocabulary, text: str, raw: list[Quantity]) -> list[PhraseHit]:
    """The words of comparison; one that stands right before an amount belongs to it: in "30 sqm and under 8 million" to the
    second.
    """
    hits = vocabulary.find(text, "amounts", *_BEFORE, *_AFTER)
    led = [
        hit
        for hit in vocabulary.find(text, "amounts", *_BEFORE)
        if hit not in hits
        and any(not text[hit.end : one.start].strip() for one in raw if one.start >= hit.end)
    ]
    behind = [hit for hit in hits if not any(hit.end == one.end and hit.label in _AFTER for one in led)]
    return sorted([*behind, *led], key=lambda hit: hit.start)


@dataclass(frozen=True, slots=True)
class _UnitText:
    """A text with the unit words and scale words found in it."""

    text: str
    units: list[PhraseHit]
    scales: list[tuple[int, list[PhraseHit]]]


def _numbers(vocabulary: Vocabulary, text: str) -> list[Quantity]:
    """The first numbers of `text`, left to right, with the field that their units say; ends of a range share theirs."""
    marked = _UnitText(
        text,
        [hit for hit in vocabulary.find(text, "amounts", *_units()) if not _is_asked(text, hit)],
        [(scale, vocabulary.find(text, "amounts", f"x {scale}")) for scale in _SCALES],
    )
    return _shared([_with_unit(vocabulary, marked, one) for one in _plain_numbers(vocabulary, marked)], text)


def _is_range(text: str, low: Quantity, high: Quantity) -> bool:
    """Whether two numbers are the ends of one range: "2-4tr", "từ 2 đến 4", "between 3 and 5"."""
    between = fold(text[low.end : high.start])
    if _RANGE.fullmatch(between) is None:
        return False
    listed = between.strip() in {"and", "va"}
    opened = _OPENED.search(fold(text[max(0, low.start - 24) : low.start])) is not None
    money = low.field in {"", "price"} and high.field in {"", "price"}
    return (not low.field or low.field == high.field or money) and (not listed or opened)


def _plain_numbers(vocabulary: Vocabulary, marked: _UnitText) -> list[Quantity]:
    """Numbers with their scale words; one that is glued to letters carries them in its field ("=pn")."""
    found = [
        Quantity("" if one.unit in {"", "VND"} else f"={one.unit}", "", one.value, one.start, one.end)
        for one in find_amounts(marked.text)[:_MOST]
        if not _YEAR.fullmatch(marked.text[one.start : one.end])
    ]
    taken = [(one.start, one.end) for one in found]
    for token in tokens(marked.text):
        value = _FOLDED_NUMBERS.get(token.folded)
        if value is None or any(a <= token.start < b for a, b in taken):
            continue
        one = Quantity("", "", Decimal(value), token.start, token.end)
        field = _with_unit(vocabulary, marked, one).field
        spelt = token.text in _NUMBERS or token.text.isascii()
        if spelt and field in {"bedrooms", "people", "price", "limit"} and (value > 1 or field != "limit"):
            found.append(one)
    return sorted(found, key=lambda one: one.start)[:_MOST]


def _with_unit(vocabulary: Vocabulary, marked: _UnitText, one: Quantity) -> Quantity:
    """`one` with the unit that comes right after it, or was glued to it ("2pn", "25m2", "5m")."""
    if one.field:
        return _glued(vocabulary, marked.text, one, one.field.removeprefix("="))
    text = marked.text
    for scale, hits in marked.scales:
        hit = _right_after(text, one.end, hits)
        if hit and one.value < _THOUSAND and fold(hit.phrase) != "m":
            return replace(one, value=one.value * scale, end=hit.end, field="price")
    hit = _right_after(text, one.end, marked.units)
    if hit is None or (one.value >= _THOUSAND and hit.label in _NO_UNIT_OF_MONEY):
        return one
    name = _unit_name(hit.label)
    name = _rate_or_use(name, one.value, text[one.end : hit.end])
    metres = name == "area" and fold(hit.phrase) in {"met", "metres", "meters"}
    if metres and (one.value < _METRES_FROM or _DISTANCE.search(fold(text[: one.start]))):
        name = "other"
    op = "after >=" if _PLUS.match(text, one.end) else ""
    return replace(one, op=op, field=name, end=one.end if name == "limit" else hit.end)


def _rate_or_use(name: str, value: Decimal, said: str) -> str:
    """A number before a unit of which a price is known is that price ("3.500/kWh"), or how much is used ("100 số điện")."""
    if name not in _RATES or value >= _THOUSAND or _PER.match(fold(said)):
        return name
    return "unit" if value == 1 else "other"


def _glued(vocabulary: Vocabulary, text: str, one: Quantity, unit: str) -> Quantity:
    if unit == "m":
        return _metres(vocabulary, text, one)
    named = vocabulary.find(unit, "amounts", *_units())
    scale = next((n for n in _SCALES if vocabulary.find(unit, "amounts", f"x {n}")), 0)
    if scale and not named:
        return replace(one, value=one.value * scale, field="price")
    name = _unit_name(named[0].label) if named else "other"
    return replace(one, field=_rate_or_use(name, one.value, unit))


def _metres(vocabulary: Vocabulary, text: str, one: Quantity) -> Quantity:
    """ "5m" is five million where a rent is meant, "25m" metres; in English "25m VND" and "25m" are millions."""
    area = vocabulary.find(text[max(0, one.start - 12) : one.start], "amounts", "about area")
    money = _CURRENCY.match(text, one.end) is not None
    if area or (one.value >= _METRES_FROM and not money and not vocabulary.english):
        return replace(one, field="area")
    return replace(one, field="price", value=one.value * _MILLION)


def _right_after(text: str, end: int, hits: list[PhraseHit]) -> PhraseHit | None:
    plus = _PLUS.match(text, end)
    end = plus.end() if plus else end
    fits = [hit for hit in hits if hit.start >= end and _UNIT_GAP.fullmatch(text, end, hit.start)]
    return max(fits, key=lambda hit: hit.end, default=None)


def _unit_name(label: str) -> str:
    name = label.removeprefix("unit ")
    if name in _UNCOUNTED:
        return "other"
    return "limit" if name == "limit after" else name


def number_of(word: str) -> int:
    """The number that a word says, in digits or letters ("3", "ba", "three"), 0 for none."""
    if word.isdigit():
        return int(word)
    return _NUMBERS.get(word.lower(), 0) or (_FOLDED_NUMBERS.get(word.lower(), 0) if word.isascii() else 0)


def _is_asked(text: str, hit: PhraseHit) -> bool:
    """Whether a sum or rate is asked for behind an amount and does not name it."""
    return hit.label.split()[-1] in {"deposit", *_RATES} and bool(_ASKED.match(fold(text[hit.end :])))


def _units() -> tuple[str, ...]:
    return tuple(label for label in lists("amounts") if label.startswith("unit "))


def _shared(raw: list[Quantity], text: str) -> list[Quantity]:
    """The first number of a range takes the unit and the scale of the second: "từ 2 đến 4 triệu", "20 - 30m2"."""
    found = list(raw)
    for nth in range(len(found) - 2, -1, -1):
        low, high = found[nth], found[nth + 1]
        if low.field or not _is_range(text, low, high):
            continue
        value = low.value
        if high.value >= _SMALLEST_RENT and high.field in {"", "price", "deposit"} and value < _THOUSAND:
            millions = value * _MILLION <= high.value * 10 and value < _MOST_MILLIONS
            value *= _MILLION if millions else _THOUSAND
        found[nth] = replace(low, value=value, field=high.field)
    return found


@dataclass(frozen=True, slots=True)
class _AmountContext:
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


def _in_context(around: _AmountContext) -> Quantity:
    """The amount with what the words around it say."""
    text, low, high, end = around.text, around.low, around.high, around.end
    monthly = _MONTHLY.match(text, end)
    if monthly and low.field in {"", "price"} and low.value >= _SMALLEST_RENT:
        end = monthly.end()
    before = around.close([hit for hit in around.before(around.hits) if hit.label in _BEFORE])
    before = [hit for hit in before if not _TAKEN.search(text, hit.end, low.start)]
    after = [
        h for h in around.hits if h.label in _AFTER and h.start >= end and not text[end : h.start].strip()
    ]
    op = low.op or _op(before, after)
    field, topic = _field(around, limited=bool(op))
    value, upper = low.value, high.value if high else None
    if field == "price" and value < _SMALLEST_RENT and low.field != "price":
        scale = _MILLION if (upper or value) < _MOST_MILLIONS else _THOUSAND
        value, upper = value * scale, upper * scale if upper is not None else None
    behind = [topic] if topic and topic.start >= end and field not in {"price", "area"} else []
    if op == "about" and field in _COUNTED:
        op = ""
    if field == "people" and op in {"", "budget", "exact"}:
        op = ">="
    start = min([low.start, *(hit.start for hit in before)])
    told = [*before, *after, *behind, *([topic] if topic else [])]
    spans = ((low.start, end), *((hit.start, hit.end) for hit in told))
    return Quantity(
        field, op, value, start, max([end, *(hit.end for hit in (*after, *behind))]), upper, spans
    )


def _op(before: list[PhraseHit], after: list[PhraseHit]) -> str:
    ends = [hit.label for hit in after if hit.label != "after about"]
    marked = [hit.label for hit in before]
    strong = [label for label in marked if label in _STRONG]
    if ends or strong:
        return ends[0] if ends else strong[-1]
    if "about" in marked or after:
        return "about"
    return marked[-1] if marked else ""


def _field(around: _AmountContext, *, limited: bool) -> tuple[str, PhraseHit | None]:
    """The field of an amount, and the word that named it."""
    low, high = around.low, around.high
    own = low.field or (high.field if high else "")
    if own and own != "price":
        return own, None
    value = high.value if high else low.value
    large = value >= _SMALLEST_RENT or own == "price"
    bare = _bare(around.text, around.end)
    before = around.before(around.topics)
    close = around.close(before)
    behind = [hit for hit in around.topics if _is_behind(around, hit)][:1]
    for hit in [*reversed(close), *behind, *reversed(before)]:
        name = hit.label.removeprefix("about ")
        if (
            name not in _NAMED
            or (name in {"area", *_RATES} and large)
            or (hit in behind and name in {"price", "area"})
        ):
            continue
        if name == "price" and not large and not (limited or bare):
            return "other", None
        return name, hit
    if large or (limited and bare and value < _MOST_THOUSANDS and not before):
        return "price", None
    return "other", None


def _is_behind(around: _AmountContext, hit: PhraseHit) -> bool:
    """Whether a topic comes right after the amount: "2 triệu tiền cọc"."""
    if not around.end <= hit.start < around.window[1]:
        return False
    between = around.text[around.end : hit.start]
    return len(between.strip()) <= 4 and len(tokens(between)) <= 1


def _bare(text: str, end: int) -> bool:
    """Whether nothing is counted: the number stands alone."""
    rest = text[end:].split()
    if not rest or not text[end:].lstrip()[0].isalpha():
        return True
    return fold(rest[0]) in {fold(word) for word in lists("amounts")["nothing counted"]}
