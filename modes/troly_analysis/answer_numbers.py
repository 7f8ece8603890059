"""Puts the numbers of a ready text into the documents' form: 1.000.000 VND and 15,5% in Vietnamese (001-30, 001-31)."""

from __future__ import annotations

import re

from troly.text.catalogue import Lang
from troly.text.numbers import find_amounts, format_money, format_number, format_percent

_COMMAS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,]|\.\d)")
_DOTS = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![\d.]|,\d)")
_PERCENT = re.compile(r"(?<![\d.,])(\d{1,3})[.,](\d{1,2})\s?%")
_MONEY = re.compile(r"(?i)(?<![\d.,])\d[\d.,]*\s?(?:vnd|vnđ|đồng|₫|đ)(?!\w)")


def house_numbers(text: str, lang: Lang) -> str:
    """`text` with its money, per cents and grouped numbers as this house writes them; nothing else is touched.

    Years, codes and telephone numbers stay: only what carries a unit or groups of three is rewritten.
    """
    text = _MONEY.sub(lambda match: _money(match[0], lang), text)
    text = _PERCENT.sub(lambda match: format_percent(float(f"{match[1]}.{match[2]}"), lang), text)
    other = _COMMAS if lang == "vi" else _DOTS
    return other.sub(lambda match: format_number(int(re.sub(r"[.,]", "", match[0])), lang), text)


def _money(written: str, lang: Lang) -> str:
    found = find_amounts(written)
    whole = len(found) == 1 and found[0].unit == "VND" and found[0].start == 0
    return format_money(found[0].value, lang) if whole else written
