"""Numbers as Vietnamese and English people write them: reading them, finding them in sentences, showing them."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

from troly.text.amount_tokens import numeral
from troly.text.amounts import Amount, find_amounts
from troly.text.catalogue import Lang
from troly.text.fold import fold

__all__ = ["Amount", "find_amounts", "format_money", "format_number", "format_percent", "parse_number"]

_PLAIN = re.compile(r"[0-9]+(?:[.,][0-9]+)?|[0-9]{1,3}([.,' ])[0-9]{3}(?:\1[0-9]{3})*(?:[.,][0-9]+)?")


def parse_number(s: str) -> Decimal | None:
    """The number that the whole of `s` is, None when it is none.

    "1.000.000", "1,000,000" and "1 000 000" are a million; "15,5" and "15.5" fifteen and a half; "20tr", "500k" and
    "1,5 tỷ" are multiplied out; "15,5%" is 15.5.
    """
    text = fold(s).strip()
    sign = -1 if text.startswith("-") else 1
    bare = text.lstrip("+-").strip() if text[:1] in {"+", "-"} else text
    if _PLAIN.fullmatch(bare):
        return sign * numeral(bare)
    found = find_amounts(s)
    if len(found) == 1 and not (s[: found[0].start] + s[found[0].end :]).strip(" \t\n+"):
        return found[0].value
    return None


def format_number(x: float | Decimal, lang: Lang, decimals: int = 2) -> str:
    """`x` with grouped thousands and at most `decimals` places, half up, without trailing zeros (001-30).

    "1.000.000,5" in Vietnamese, "1,000,000.5" in English. Raises ValueError for an infinite value or no number.
    """
    exact = Decimal(str(x))
    if not exact.is_finite():
        raise ValueError(f"not a finite number: {x}")
    rounded = (
        exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP) if _has_more(exact, decimals) else exact
    )
    shown = f"{rounded:,f}"
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


def _has_more(x: Decimal, decimals: int) -> bool:
    exponent = x.as_tuple().exponent
    return isinstance(exponent, int) and exponent < -decimals
