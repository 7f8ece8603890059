"""Finds personal data in a text: masks it for logs, strips it from what goes to a web search."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from troly.text.fold import fold_in_place, span_in_place
from troly_dental.masking_words import Found, identity_cues, words_found
from troly_dental.settings import DentalSettings

if TYPE_CHECKING:
    from troly.plugin.services import Services

__all__ = ["Found", "find", "mask", "strip"]

# What people put between the digits of a number, three signs at most.
_SEP = r"[\s.\-_/·,()]{0,3}"
_MOBILE = rf"[35789](?:{_SEP}\d){{8}}(?!\d)"
_PHONES = (
    re.compile(rf"(?<!\d)(?:\(?(?:\+|00)?{_SEP}84{_SEP}(?:\(?0\)?)?|\(?0\)?){_SEP}{_MOBILE}"),
    re.compile(
        rf"(?<!\d)\(?(?:\(?(?:\+|00)?{_SEP}84{_SEP}(?:\(?0\)?)?{_SEP}[1246]|(?:0|\(0\){_SEP})[1246])(?:{_SEP}\d){{8,9}}(?!\d)"
    ),
    re.compile(rf"(?:\+|(?<!\d)00){_SEP}[1-9](?:{_SEP}\d){{6,14}}(?!\d)"),
    re.compile(r"(?<![\d.,])[35789]\d\d([ .\-])\d{3}\1\d{3}(?!\d)"),
    re.compile(r"(?<![\d.,])[35789]\d\d?([ .\-])\d{2}\1\d{2}\1\d{2}(?:\1\d)?(?!\d)"),
)
# A nought of its own begins a decimal (0,5 - 0,75) more often than a telephone number.
_DECIMAL = re.compile(r"0\s?[.,]\s?\d{1,2}(?!\d)")
_DATE = re.compile(r"\d{1,2}([-/.])\d{1,2}\1(?:19|20)\d\d(?!\1?\d)|(?:19|20)\d\d-\d\d?-\d\d?(?!-?\d)")
_IDS = (
    re.compile(r"(?<![\d.,])\d{9,19}(?!\d)"),
    re.compile(r"(?<![\d.,\-])\d{3,4}(?:[ \-]\d{3,4}){2,4}(?![\d\-])"),
    re.compile(r"(?<![a-z0-9])[a-z]{1,2}[ \-]?\d{7,13}(?![a-z0-9])"),
    re.compile(
        r"(?<![a-z0-9])[a-z]{2}[ \-]?\d[ \-]?\d{2}[ \-]?\d{2}(?:[ \-]?\d{3}){2}[ \-]?\d{2,4}(?![a-z0-9])"
    ),
)
_IDENTITY = re.compile(r"[^\d\n]{0,24}?([a-z]{0,2}\d(?:[ .\-]{0,2}[a-z]?\d){4,18})")
_MONEY_AFTER = re.compile(r"\s?(?:dong|d|vnd|usd|\$|₫|€|trieu|tr|ty)(?![a-z])")
_ROUND = re.compile(r"\d{1,3}(?:[.,]\d{3}){2,}|\d+0{5}")

_WIRE = r"[^\s@<>()\[\],;:\"]"
_ENDINGS = (
    "com|net|org|edu|gov|vn|info|io|me|co|uk|us|au|ca|de|fr|jp|kr|sg|tw|cn|ru|xyz|app|dev|biz|name|asia"
)
_EMAILS = (
    re.compile(rf"(?<!{_WIRE}){_WIRE}+@{_WIRE}+"),
    re.compile(
        r"(?<![\w.+\-])[a-z0-9][\w.+\-]*(?:\s(?:dot|cham)\s[\w.+\-]+){0,3}"
        r"(?:\s*[(\[{<]\s*(?:at|a cong|@)\s*[)\]}>]\s*|\s?@\s?|\s+(?:at|a\s?cong|a moc)\s+)"
        r"[a-z0-9\-]+(?:(?:\.|\s*[(\[{<]\s*(?:dot|cham|\.)\s*[)\]}>]\s*|\s+(?:dot|cham)\s+)[a-z0-9\-]{2,20}){0,3}"
        rf"(?:\.|\s*[(\[{{<]\s*(?:dot|cham|\.)\s*[)\]}}>]\s*|\s+(?:dot|cham)\s+)(?:{_ENDINGS})(?![\w])"
    ),
)
_RANK = {kind: n for n, kind in enumerate(("email", "phone", "id", "birthday", "address", "name"))}
_TIDY = (
    (re.compile(r"\s+([,.;:!?])"), r"\1"),
    (re.compile(r"([,;:])(?:\s*[,;:.!?])+"), r"\1"),
    (re.compile(r"^[\s,.;:!?\-]+|[\s,;:\-]+$"), ""),
    (re.compile(r"[^\S\n]{2,}"), " "),
)


class _Folded(NamedTuple):
    """A text folded, with the way back to the places of the text itself."""

    text: str
    offsets: list[int]
    length: int

    def found(self, kind: str, start: int, end: int) -> Found:
        first, last = span_in_place(self.offsets, self.length, start, end)
        return Found(kind, first, last, first)


def find(text: str) -> tuple[Found, ...]:
    """The personal data of `text`, left to right, never overlapping; places are offsets in `text` itself.

    Kinds: `email`, `phone`, `id`, `birthday`, `address`, `name`. Works on Vietnamese with and without accents, NFC or
    NFD, and on English. Amounts of money, dates, teeth and doses are none.
    """
    if not text:
        return ()
    folded, offsets = fold_in_place(text)
    read = _Folded(folded, offsets, len(text))
    found = [*_emails(read), *_phones(read), *_ids(read)]
    found += [*_known_ids(read, text), *words_found(text)]
    return _without_overlap(found)


def mask(text: str) -> str:
    """`text` with each piece of personal data as `[phone]`, `[email]`, `[id]`, `[name]`, `[address]`, `[birthday]`.

    For logs: `mask(mask(x)) == mask(x)` for what it writes itself.
    """
    parts: list[str] = []
    at = 0
    for found in find(text):
        parts += (text[at : found.start], f"[{found.kind}]")
        at = found.end
    return "".join((*parts, text[at:]))


def strip(text: str) -> str:
    """`text` without personal data and without the words that announce it, for a web search."""
    parts: list[str] = []
    at = 0
    for found in find(text):
        parts += (text[at : max(at, found.cue)], " ")
        at = found.end
    if not parts:
        return text
    bare = "".join((*parts, text[at:]))
    for expression, written in _TIDY:
        bare = expression.sub(written, bare)
    return bare.strip()


def _emails(read: _Folded) -> Iterator[Found]:
    if "@" not in read.text and " " not in read.text:
        return
    for expression in _EMAILS:
        for match in expression.finditer(read.text):
            end = match.start() + len(match.group().rstrip(".!?'`*_"))
            yield read.found("email", match.start(), end)


def _phones(read: _Folded) -> Iterator[Found]:
    for expression in _PHONES:
        at = 0
        while match := expression.search(read.text, at):
            if _DATE.match(read.text, match.start()) or _DECIMAL.match(match.group()):
                at = match.start() + 1
                continue
            money = _ROUND.fullmatch(match.group()) or _MONEY_AFTER.match(read.text, match.end())
            if not money or match.group()[0] in "0+(":
                yield read.found("phone", *match.span())
            at = match.end()


def _ids(read: _Folded) -> Iterator[Found]:
    for expression in _IDS:
        for match in expression.finditer(read.text):
            if _ROUND.fullmatch(match.group()) or _MONEY_AFTER.match(read.text, match.end()):
                continue
            yield read.found("id", *match.span())


def _known_ids(read: _Folded, text: str) -> Iterator[Found]:
    """Numbers of any shape after a word that announces one: "CMND số …"."""
    for _, end in identity_cues(text):
        # Offsets rise with the characters, so the first one past the cue is where to read on.
        at = bisect_left(read.offsets, end)
        if match := _IDENTITY.match(read.text, at):
            yield read.found("id", *match.span(1))


def _without_overlap(found: list[Found]) -> tuple[Found, ...]:
    """Pieces that touch become one, of the kind that was looked for first."""
    merged: list[Found] = []
    for each in sorted(found, key=lambda f: (f.start, -f.end)):
        if merged and each.start < merged[-1].end:
            last = merged[-1]
            kind = min((last, each), key=lambda f: _RANK[f.kind]).kind
            merged[-1] = Found(kind, last.start, max(last.end, each.end), min(last.cue, each.cue))
        else:
            merged.append(each)
    return tuple(merged)


def shareable(services: Services, text: str) -> str:
    """Names, telephones and numbers of papers are masked as in the log (003-42)."""
    if services.settings.of(DentalSettings).log_personal:
        return text
    return mask(text)
