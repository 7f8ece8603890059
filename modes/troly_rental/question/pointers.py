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


_ROW = r"can(?: ho)?|phong(?: tro)?|nha|cai|con|tin|bai|room|studio"
_ROWS_EN = r"room|place|house|apartment|flat|studio|post|listing"
_ONE_SHOWN = re.compile(
    rf"(?<!\w)(?<!loai )(?<!kieu )(?P<noun>{_ROW}|cho|noi|o)\s+(?P<that>do|ay|kia|nay|no|ni|day)(?!\w)"
    rf"|(?<!\w)(?:{_ROW}|cho)\s+(?P<more>re|mac|dat|rong|lon|to|nho|be)\s+hon(?!\w)(?!\s+\d)"
    rf"|(?<!\w)(?:that|this)\s+(?:one|{_ROWS_EN})(?!\w)|(?<!\w)the\s+(?:\w+er|other|former|latter)\s+(?:one|{_ROWS_EN})(?!\w)"
    r"|(?<!\w)(?P<place>there)(?!\w)(?!\s+(?:is|are|any|s)(?!\w))(?<!is there)(?<!are there)|(?<!\w)(?P<it>it)(?!\w)"
)
_OF_SHOWN = re.compile(
    rf"(?<!\w)trong\s+(?:(?:so|dam)\s+(?:do|ay|nay|kia)|(?:ca\s+)?(?:hai|ba|bon|nam|\d{{1,2}})\s+(?:{_ROW}|cho)"
    rf"|(?:may|cac|nhung)\s+(?:{_ROW}|cho)\s+(?:do|ay|nay|kia|tren|vua))(?!\w)"
    rf"|(?<!\w)(?:may|cac|nhung|hai|ba|bon|\d{{1,2}})\s+(?:{_ROW}|cho)\s+(?:do|ay|nay|kia)(?!\w)"
    rf"|(?<!\w)(?:of|among|between)\s+(?:the\s+)?(?:them|those|these|two|three)(?!\w)|(?<!\w)(?:those|these)\s+(?:(?:two|three|\d{{1,2}})\s+)?(?:ones|(?:{_ROWS_EN})s|two|three)(?!\w)"
)
_TYPED = {
    "can": "căn", "phong": "phòng", "nha": "nhà", "cai": "cái", "con": "con", "tin": "tin", "bai": "bài", "cho": "chỗ", "noi": "nơi", "o": "ở",
    "do": "đó", "ay": "ấy", "kia": "kia", "nay": "này", "no": "nọ", "ni": "ni", "day": "đấy",
}  # fmt: skip


def of_shown(text: str) -> list[Span]:
    """Where `text` points at several of what was shown: "trong số đó", "trong hai phòng", "of those two"."""
    return [found.span() for found in _OF_SHOWN.finditer(fold(text))]


def one_shown(text: str) -> list[tuple[Span, bool]]:
    """Where `text` points at one thing that was shown, and whether that may be a place ("ở đó", "there"). Without accents "đầy",
    "nợ" and "nơi" are as likely as what points.
    """
    several = of_shown(text)
    return [
        (found.span(), bool(found["place"]) or found["noun"] in {"cho", "noi", "o"})
        for found in _ONE_SHOWN.finditer(fold(text))
        if not any(start <= found.start() < end for start, end in several)
        if all(not found[name] or _is_typed(text[slice(*found.span(name))]) for name in ("noun", "that"))
    ]


def _is_typed(typed: str) -> bool:
    """Whether a word of a pointer was typed as such."""
    word = fold(typed).split()[0]
    if word in {"no", "ni", "day"} and typed.isascii():
        return False
    meant = {_TYPED.get(word, word), "đây" if word == "day" else ""}
    return any(one and accents_agree(typed.split(maxsplit=1)[0].lower(), one) for one in meant)
