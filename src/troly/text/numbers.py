"""Numbers as Vietnamese and English people write them: reading them, finding them in sentences, showing them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache
from itertools import pairwise
from typing import Literal, NamedTuple

from troly.text.catalogue import Lang
from troly.text.fold import accents, accents_agree, fold, fold_in_place, nfc, span_in_place
from troly.text.wordlist import LEXICONS, read_lists

# The pieces amounts are made of: numerals with separators, words, and the codes and dates that are none of them.


PieceKind = Literal["number", "word", "other"]
Style = Literal["", "vi", "en", "%"]

# Read on folded text. First what has digits but is no amount: times, dates, fractions, telephone numbers, codes.
_CODES = (
    r"[0-9]+(?:[/:][0-9]+)+(?:[.:][0-9]+)*",
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\w*",
    r"[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}",
    r"0[0-9]+(?![.,]?[0-9])",
    r"(?!(?:usd|vnd)[0-9])[^\W\d_]+[-_]?[0-9][\w-]*",
)
_GROUPED = r"[0-9]{1,3}(?P<mark>[.,' ])[0-9]{3}(?:(?P=mark)[0-9]{3})*(?:[.,][0-9]+)?(?![.,]?[0-9])"
_UNGROUPED = r"(?<![0-9][.,])[0-9]+(?:[.,][0-9]+)?(?![.,]?[0-9])"
_VERSION = r"[0-9]+(?:\.[0-9]+){2,}"
_TOKENS = re.compile(
    rf"(?P<code>(?<![0-9])(?:{'|'.join(_CODES)}))|(?P<number>{_GROUPED}|{_UNGROUPED})|(?P<version>{_VERSION})"
    r"|(?P<digits>[0-9]+)|(?P<area>m[23](?!\w))|(?P<word>[^\W\d_]+|[%$₫€])|(?P<other>\S)"
)
_KINDS: dict[str, PieceKind] = {
    "number": "number", "mark": "number", "digits": "number", "word": "word", "area": "word",
}  # fmt: skip
_EXACT = Decimal(10) ** 27  # beyond, the default decimal context cannot hold the last unit
_SPACED = re.compile(r"[0-9]{1,3}(?:[ '][0-9]{3}){2,}|[0-9]{1,3}[ ']000")


class Piece(NamedTuple):
    """A token: folded `text`, the same as `typed` (lower case, NFC), and its place in the string."""

    kind: PieceKind
    text: str
    typed: str
    start: int
    end: int


def pieces(s: str) -> list[Piece]:
    """The tokens of `s`, left to right, with offsets in `s`."""
    folded, offsets = fold_in_place(s)
    found: list[Piece] = []
    for kind, start, end in _spans(folded, 0, len(folded)):
        a, b = span_in_place(offsets, len(s), start, end)
        if found and a < found[-1].end:  # "⑽" is one character
            continue
        raised = kind == "number" and any(map(_is_raised, s[a:b]))
        found.append(Piece("other" if raised else kind, folded[start:end], nfc(s[a:b].lower()), a, b))
    return found


def _is_raised(char: str) -> bool:
    """Whether `char` is a digit above or below the line, a power or a note and no digit of a number: "²"."""
    return char.isdigit() and not char.isdecimal()


def _spans(folded: str, start: int, end: int) -> Iterator[tuple[PieceKind, int, int]]:
    for match in _TOKENS.finditer(folded, start, end):
        text = match.group()
        kind = _KINDS.get(match.lastgroup or "", "other")
        if kind == "number" and match["mark"] in {" ", "'"} and not _SPACED.fullmatch(text):
            # "tháng 1 100 đơn": two numbers side by side, not one written with spaces.
            middle = match.start() + text.index(match["mark"])
            yield kind, match.start(), middle
            yield from _spans(folded, middle, match.end())
        else:
            yield kind, match.start(), match.end()


def numeral(text: str, style: Style = "") -> Decimal:
    """The value of digits with separators, e.g. "1.000.000", "15,5", "1,000.50".

    One separator before exactly three digits groups thousands, unless `style` says otherwise: a comma in "vi" and a
    dot in "en" is the decimal mark, in "%" both are except before "000".
    """
    text = text.replace(" ", "").replace("'", "")
    dots, commas = text.count("."), text.count(",")
    decimal = ""
    if dots and commas:
        decimal = max(".", ",", key=text.rfind)
    elif dots + commas == 1:
        mark = "." if dots else ","
        whole, _, rest = text.partition(mark)
        thousands = len(rest) == 3 and len(whole) <= 3 and whole.strip("0") != ""
        spoken = {"vi": mark == ",", "en": mark == ".", "%": rest != "000"}.get(style, False)
        decimal = mark if spoken or not thousands else ""
    for mark in {".", ","} - {decimal}:
        text = text.replace(mark, "")
    return tidy(Decimal(text.replace(",", ".")))


def tidy(value: Decimal) -> Decimal:
    """`value` without the zeros after its decimal mark, never in powers of ten."""
    whole = value.to_integral_value()
    return whole.quantize(Decimal(1)) if value == whole and abs(value) < _EXACT else value


# Finding amounts in Vietnamese and English sentences: "20tr", "1tr5", "1,5 tỷ", "15,5%", "2 million".


_RANGE = re.compile(r"\s*(?:-|~|den|toi|to)\s*")
_THOUSAND = Decimal(1000)
_LONGEST_UNIT = 4
_NO_COUNT = frozenset({"nam", "lam", "nham", "tu"})
_MOST_COUNTED = 99
# "thirty-two" is one number.
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number found in a text: `text[start:end]` says `value` in `unit` ("%", "VND", "USD", "m2", … or "")."""

    value: Decimal
    start: int
    end: int
    unit: str = ""


class _Spelling(NamedTuple):
    """A word of an entry; `exact` when it counts only with its accents typed."""

    text: str
    folded: str
    exact: bool


class _Word(NamedTuple):
    """An entry of the word list: `role` is x, =, half or unit; `note` a language, "after $" or the unit's name."""

    role: str
    spelling: tuple[_Spelling, ...]
    value: Decimal
    note: str


@dataclass(slots=True)
class _Sum:
    """A number while it is read: closed big scales, an open group below a thousand, a number not yet scaled."""

    total: Decimal = Decimal(0)
    group: Decimal = Decimal(0)
    loose: Decimal | None = None
    scale: Decimal = Decimal(0)
    factor: Decimal = Decimal(1)
    """What the first number was multiplied by: the other end of a range takes it too."""
    terms: int = 1

    def value(self) -> Decimal:
        return tidy(self.total + self.group + (self.loose or 0))

    def multiply(self, scale: Decimal) -> bool:
        """Apply a scale word; False when there is nothing it could belong to."""
        open_part = self.group + (self.loose or 0)
        if self.loose is not None and scale < _THOUSAND:
            self.group += self.loose * scale
        elif open_part and scale >= _THOUSAND:
            self.total, self.group = self.total + open_part * scale, Decimal(0)
        elif self.total and scale > self.scale >= _THOUSAND:
            self.total *= scale
        else:
            return False
        self.scale, self.loose = scale, None
        if self.terms == 1:
            self.factor *= scale
        return True


def find_amounts(s: str) -> list[Amount]:
    """The amounts of `s` from left to right, with offsets in `s`.

    Dates, times, versions, telephone numbers and the digits of codes ("i5-12400", "ABC123") are no amounts. A range
    shares its scale and unit: "3-5 triệu" is 3,000,000 and 5,000,000.
    """
    reader = _Reader(pieces(s))
    found: list[Amount] = []
    factors: list[Decimal] = []
    at = 0
    while at < len(reader.pieces):
        read = reader.amount(at)
        if read is None:
            at += 1
            continue
        amount, factor, at = read
        found.append(amount)
        factors.append(factor)
    for nth, (low, high) in enumerate(pairwise(found.copy())):
        together = not low.unit and factors[nth] == 1 and _RANGE.fullmatch(fold(s[low.end : high.start]))
        if together and low.value * factors[nth + 1] <= high.value:
            found[nth] = replace(low, value=low.value * factors[nth + 1], unit=high.unit)
    return found


def counting_words(s: str) -> list[Amount]:
    """Whole numbers from 2 to 99 in words, as things are counted: "ba tỉnh", "mười sáu", "thirty-two", left to right.

    "năm" and "tư" alone are left out: they mean something else more often.
    """
    found = []
    plain = s.isascii()
    reader = _Reader(pieces(_HYPHEN.sub(" ", s)))
    at = 0
    while at < len(reader.pieces):
        piece = reader.pieces[at]
        value, after = reader.count(at) if piece.kind == "word" else (None, at)
        single = after == at + 1
        alone = single and (piece.text in _NO_COUNT or not (plain or reader.spelt_out(at)))
        if value is not None and 2 <= value <= _MOST_COUNTED and not alone:
            found.append(Amount(value, piece.start, reader.pieces[after - 1].end))
        at = max(after, at + 1)
    return found


class _Reader:
    """Reads amounts from tokens with the word list; `at` is always an index of `pieces`."""

    def __init__(self, tokens: list[Piece]) -> None:
        self.pieces = tokens
        self._words = _word_list()
        self._free = 0
        """The first token that no earlier amount has taken."""

    def amount(self, at: int) -> tuple[Amount, Decimal, int] | None:
        """The amount that begins at `at`, the factor of its first number, and the index after it; None for none."""
        piece = self.pieces[at]
        currency = self._currency_before(at)
        glued_to_letters = at > 0 and self._glued(at) and self.pieces[at - 1].text.isalnum() and not currency
        first, length = self._number(at, style=self._style(at + 1))
        if first is None or glued_to_letters:
            return None
        total = _Sum(loose=first)
        after = self._scales(total, at + length, dollars=currency == "USD")
        unit, after = self._unit(after)
        if piece.kind == "word" and not (total.scale or unit):
            return None
        if piece.kind == "number" and not (total.scale or unit) and self._glued(after):
            unit, after = self._unknown_unit(after)
            if after == 0:
                return None
        begin = at - 1 if currency else at
        minus = self._minus_before(begin)
        value = -total.value() if minus else total.value()
        start = self.pieces[begin - 1 if minus else begin].start
        self._free = after
        return Amount(value, start, self.pieces[after - 1].end, unit or currency), total.factor, after

    def count(self, at: int) -> tuple[Decimal | None, int]:
        """The whole number in words that begins at `at`, read as far as it goes, and the index after it; None for none."""
        first, length = self._number(at)
        if first is None or (self._glued(at) and self.pieces[at - 1].text.isalnum()):
            return None, at
        total = _Sum(loose=first)
        after = self._scales(total, at + length, dollars=False)
        words = all(piece.kind == "word" for piece in self.pieces[at:after])
        value = total.value()
        return (value, after) if words and value == value.to_integral_value() else (None, after)

    def spelt_out(self, at: int) -> bool:
        """Whether the word at `at` is a number with its accents as they are typed."""
        word, _ = self._entry(at, "=")
        return word is not None and self.pieces[at].typed == word.spelling[0].text

    def _scales(self, total: _Sum, at: int, *, dollars: bool) -> int:
        """Read scale words and what goes on after them ("2 trăm nghìn", "1 tỷ 200 triệu", "1tr5")."""
        while at < len(self.pieces):
            word, length = self._entry(at, "x")
            if word and (dollars or not word.note.startswith("after")) and total.multiply(word.value):
                at += length
                continue
            half, length = self._entry(at, "half")
            if half and total.scale and total.loose is None:
                total.total += total.scale / 2
                return at + length
            if not self._goes_on(total, at):
                break
            at += 1
            if total.terms == 0:
                break
        return at

    def _goes_on(self, total: _Sum, at: int) -> bool:
        """Whether the number at `at` belongs to the same amount; it is then taken into `total`."""
        piece = self.pieces[at]
        number, length = self._number(at)
        if number is None or length > 1:
            return False
        spelled = piece.kind == "word"
        if total.loose is not None:  # mười lăm, twenty five; "10 năm" and "mười năm" are ten years
            tens = self.pieces[at - 1].kind == "word" and total.loose >= 10 and total.loose % 10 == 0
            if not (spelled and number < 10 and tens) or piece.text == "nam":
                return False
            total.loose += number
            return True
        scale, _ = self._entry(at + 1, "x")
        smaller = scale is not None and scale.value < total.scale and not scale.note.startswith("after")
        if smaller or (spelled and total.scale < _THOUSAND and piece.text != "nam"):
            total.loose, total.terms = number, total.terms + 1
            return True
        digits = str(number) if spelled else piece.text
        shorthand = digits.isdecimal() and len(digits) <= 3 and total.scale >= _THOUSAND
        if shorthand and (self._glued(at) or self._closes(at + 1)):
            total.total += Decimal(f"0.{digits}") * total.scale
            total.terms = 0
            return True
        return False

    def _number(self, at: int, style: Style = "") -> tuple[Decimal | None, int]:
        """The numeral or number word at `at`, and how many tokens it takes."""
        piece = self.pieces[at]
        if piece.kind == "number":
            return numeral(piece.text, style), 1
        word, length = self._entry(at, "=")
        return (word.value, length) if word else (None, 0)

    def _style(self, at: int) -> Style:
        """Which decimal mark the word after a numeral speaks for."""
        word, _ = self._entry(at, "x")
        if word:
            return "vi" if word.note == "vi" else "en" if word.note == "en" else ""
        return "%" if self._unit(at)[0] == "%" else ""

    def _unit(self, at: int) -> tuple[str, int]:
        word, length = self._entry(at, "unit")
        return (word.note, at + length) if word else ("", at)

    def _unknown_unit(self, at: int) -> tuple[str, int]:
        """ "2pn", "16GB", "30m2": short letters against a number are its unit; index 0 when they make it a code."""
        piece = self.pieces[at]
        if piece.kind == "other" and not piece.text[0].isalnum():
            return "", at
        code = self._glued(at + 1) and self.pieces[at + 1].text[0].isalnum()
        if piece.kind != "word" or code or len(piece.text) > _LONGEST_UNIT:
            return "", 0
        return piece.text, at + 1

    def _currency_before(self, at: int) -> str:
        if at <= self._free:
            return ""
        word, _ = self._entry(at - 1, "unit", alone=True)
        near = self._glued(at) or self.pieces[at - 1].text.isalpha()
        taken = at > 1 and self.pieces[at - 2].kind == "number"
        return word.note if word and near and not taken and word.note != "%" else ""

    def _minus_before(self, at: int) -> bool:
        if at <= self._free or not (self._glued(at) or self.pieces[at - 1].typed == "âm"):
            return False
        alone = (
            at < 2
            or self.pieces[at - 2].end < self.pieces[at - 1].start
            or self.pieces[at - 2].text in {"(", ":"}
        )
        return alone and self.pieces[at - 1].typed in {"-", "−", "–", "âm"}

    def _entry(self, at: int, role: str, *, alone: bool = False) -> tuple[_Word | None, int]:
        """The longest entry with `role` that begins at `at`, and how many tokens it takes."""
        if not 0 <= at < len(self.pieces):
            return None, 0
        for word in self._words.get(self.pieces[at].text, ()):
            length = len(word.spelling)
            if word.role != role or (alone and length > 1) or at + length > len(self.pieces):
                continue
            if self._spells(word, at, lone_ok=alone or role == "="):
                return word, length
        return None, 0

    def _spells(self, word: _Word, at: int, *, lone_ok: bool) -> bool:
        typed = self.pieces[at : at + len(word.spelling)]
        for want, got in zip(word.spelling, typed, strict=True):
            if want.folded != got.text or not accents_agree(got.typed, want.text):
                return False
            if want.exact and not accents(got.typed):
                return False
        lone_letter = len(typed) == 1 and len(typed[0].text) == 1 and typed[0].text.isalpha()
        return not lone_letter or lone_ok or self._glued(at) or accents(typed[0].typed) != ""

    def _glued(self, at: int) -> bool:
        """Whether token `at` stands against the one before it."""
        return 0 < at < len(self.pieces) and self.pieces[at].start == self.pieces[at - 1].end

    def _closes(self, at: int) -> bool:
        """Whether the sentence pauses at `at`, or the currency follows: "2 triệu 5", "2 triệu 5 thì", "2 triệu 500 đồng"."""
        if at >= len(self.pieces) or self.pieces[at].kind == "other":
            return True
        return self.pieces[at].text in _PAUSES or self._unit(at)[0] not in {"", "%"}


@cache
def _word_list() -> Mapping[str, tuple[_Word, ...]]:
    """The word list by its entries' first folded word, longest entries first."""
    found: dict[str, list[_Word]] = defaultdict(list)
    for section, entries in read_lists(LEXICONS / "amounts.txt").items():
        role, _, rest = section.partition(" ")
        number, _, note = rest.partition(" ")
        value = Decimal(number) if role in {"x", "="} else Decimal(0)
        for entry in entries:
            spelling = tuple(
                _Spelling(word.removesuffix("!"), fold(word.removesuffix("!")), word.endswith("!"))
                for word in entry.split()
            )
            found[spelling[0].folded].append(
                _Word(role, spelling, value, note if role in {"x", "="} else rest)
            )
    return {
        first: tuple(sorted(words, key=lambda word: -len(word.spelling))) for first, words in found.items()
    }


# Folded words that no number counts.
_PAUSES = frozenset({"thi", "moi", "mot", "roi"})
_WHOLE_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)?|[0-9]{1,3}([.,' ])[0-9]{3}(?:\1[0-9]{3})*(?:[.,][0-9]+)?")


def parse_number(s: str) -> Decimal | None:
    """The number that the whole of `s` is, None when it is none.

    "1.000.000", "1,000,000" and "1 000 000" are a million; "15,5" and "15.5" fifteen and a half; "20tr", "500k" and
    "1,5 tỷ" are multiplied out; "15,5%" is 15.5.
    """
    text = fold(s).strip()
    sign = -1 if text.startswith("-") else 1
    bare = text.lstrip("+-").strip() if text[:1] in {"+", "-"} else text
    if _WHOLE_NUMBER.fullmatch(bare):
        return sign * numeral(bare)
    found = find_amounts(s)
    if len(found) == 1 and not (s[: found[0].start] + s[found[0].end :]).strip(" \t\n+"):
        return found[0].value
    return None


def rounded(value: Decimal, decimals: int = 0) -> Decimal:
    """A finite `value` with `decimals` places, half up, however many digits it has."""
    digits = Context(prec=max(28, value.adjusted() + decimals + 2))
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, digits)


def format_number(x: float | Decimal, lang: Lang, decimals: int = 2) -> str:
    """`x` with grouped thousands and at most `decimals` places, half up, without trailing zeros (001-30).

    "1.000.000,5" in Vietnamese, "1,000,000.5" in English. Raises ValueError for an infinite value or no number.
    """
    exact = Decimal(str(x))
    if not exact.is_finite():
        raise ValueError(f"not a finite number: {x}")
    exponent = exact.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -decimals:
        exact = rounded(exact, decimals)
    shown = f"{exact:,f}"
    if "." in shown:
        shown = shown.rstrip("0").rstrip(".")
    if shown in {"-0", ""}:
        shown = "0"
    return shown.translate(str.maketrans(",.", ".,")) if lang == "vi" else shown


def format_percent(x: float | Decimal, lang: Lang) -> str:
    """`x` per cent with at most one decimal, half up (001-31): "15,5%" in Vietnamese, "15.5%" in English."""
    return f"{format_number(x, lang, 1)}%"


def format_money(x: float | Decimal, lang: Lang, currency: str = "VND") -> str:
    """An amount of money (001-27): "1.000.000 VND"; the đồng has no decimals, other currencies at most two."""
    return f"{format_number(x, lang, 0 if currency == 'VND' else 2)} {currency}"
