"""The pieces amounts are made of: numerals with separators, words, and the codes and dates that are none of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Literal, NamedTuple

from troly.text.fold import fold_in_place, nfc, span_in_place

Kind = Literal["number", "word", "other"]
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
_PLAIN = r"(?<![0-9][.,])[0-9]+(?:[.,][0-9]+)?(?![.,]?[0-9])"
_VERSION = r"[0-9]+(?:\.[0-9]+){2,}"
_TOKENS = re.compile(
    rf"(?P<code>(?<![0-9])(?:{'|'.join(_CODES)}))|(?P<number>{_GROUPED}|{_PLAIN})|(?P<version>{_VERSION})"
    r"|(?P<digits>[0-9]+)|(?P<area>m[23](?!\w))|(?P<word>[^\W\d_]+|[%$₫€])|(?P<other>\S)"
)
_KINDS: dict[str, Kind] = {
    "number": "number",
    "mark": "number",
    "digits": "number",
    "word": "word",
    "area": "word",
}
_EXACT = Decimal(10) ** 27  # beyond, the default decimal context cannot hold the last unit
_SPACED = re.compile(r"[0-9]{1,3}(?:[ '][0-9]{3}){2,}|[0-9]{1,3}[ ']000")


class Piece(NamedTuple):
    """A token: folded `text`, the same as `typed` (lower case, NFC), and its place in the string."""

    kind: Kind
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
        found.append(Piece(kind, folded[start:end], nfc(s[a:b].lower()), a, b))
    return found


def _spans(folded: str, start: int, end: int) -> Iterator[tuple[Kind, int, int]]:
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
