"""Words that point at what was said or shown: "căn đó", "tháng ấy", "người kia", "that one", "it"."""

from __future__ import annotations

import re

from troly.text.fold import accents_agree, fold
from troly_rental.question.types import Span

_THAT, _FIRST = "do|ay|y|nay|day|kia|no|ni", "dung dau|dau tien|dau bang"
_NOUNS = {
    "month": ("thang", "month"),
    "district": ("quan|huyen|khu|cho|noi", "district|area"),
    "ward": ("phuong|xa|khu|cho|noi", "ward"),
    "type": ("loai", "kind|type"),
    "tenant": ("nguoi|ong|ba|anh|chi|co|chu|bac|khach|ban|dua", "tenant|person|guy"),
    "building": ("nha|nha tro|toa|toa nha|khu tro|day tro", "building|house"),
    "row": (
        "can|phong|nha|cho|cai|con|noi|room|studio|tin|bai|bai dang|tin dang",
        "one|room|place|house|apartment|studio|flat|post|listing",
    ),
    "one": ("can|cai|con|studio", "(?!)"),
    "paper": ("hoa don|hop dong|lich|cai|tin|bai|khoan", "invoice|bill|contract|post|viewing|lease"),
    "amount": ("gia|muc|muc gia|tam gia", "price|rent|amount"),
}
"""What is pointed at, in either language; "one" is a thing of which no figure of many is asked."""
_ALONE = {
    "district": r"|(?<!\w)o\s+(?:do|ay|day|dau do)(?!\w)|(?<!\w)there(?!\w)(?!\s+(?:is|are|any))",
    "row": r"|(?<!\w)(?:no|it)(?!\w)",
    "tenant": r"|(?<!\w)(?:no|han|he|she|him|her)(?!\w)",
}
GROUPS = ("month", "district", "ward", "type", "tenant", "building")
"""What figures are told by, and the first of them pointed at."""


def _pattern(kind: str) -> re.Pattern[str]:
    nouns, english = _NOUNS[kind]
    behind = f"{_THAT}|{_FIRST}" if kind in GROUPS else _THAT
    led = "may|cac|nhung|so|hai|ba|bon|ca|2|3|4" if kind == "one" or kind in GROUPS else ""
    several = "".join(rf"(?<!\b{one} )" for one in led.split("|") if one)
    that = "that|this|those|these" if kind in GROUPS or kind == "amount" else "that|this|the|those|these"
    return re.compile(
        rf"{several}(?<!\w)(?:{nouns})\s+(?:{behind})(?!\w)|(?<!\w)(?:{that})\s+(?:{english})s?(?!\w){_ALONE.get(kind, '')}"
    )


_PATTERNS = {kind: _pattern(kind) for kind in _NOUNS}


HIGHER = re.compile(
    r"(?<!\w)(?:(?:re|dat|mac|cao|thap|nhieu|it|rong|lon|nho)\s+hon|so voi|chenh(?:\s+lech)?|cheaper|pricier|dearer|higher|lower|(?:more|less)\s+expensive|compared?|difference)(?!\w)(?!\s+\d)"
)
"""What sets a figure against the one before."""
_PERSON = re.compile(
    r"(?<!\w)(?:nguoi|ong|ba|anh|chi|chu|bac|khach|ban|dua|co)\s+(do|ay|kia)(?!\w)"
    r"|(?<!\w)(?:(?:that|this) (?:tenant|person|guy|renter)|he|she|him|her|his)(?!\w)"
)


def people(text: str) -> list[Span]:
    """Where `text` points at a person by the accents that were typed: "có đồ" is no "cô đó"."""
    meant = {"do": "đó", "ay": "ấy", "kia": "kia"}
    return [
        one.span()
        for one in _PERSON.finditer(fold(text))
        if not one[1] or accents_agree(text[slice(*one.span(1))].lower(), meant[one[1]])
        if not text[one.start() :].lower().startswith(("có ", "co ", "ba ", "chỉ "))
    ]


def pointers(text: str, kind: str) -> list[Span]:
    """Where `text` points at a thing of `kind`."""
    return [found.span() for found in _PATTERNS[kind].finditer(fold(text))]
