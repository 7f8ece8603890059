"""Finds personal data in a text: masks it for logs, strips it from what goes to a web search."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from troly.text.fold import accents_agree, fold, fold_in_place, span_in_place, tokens
from troly.text.match import Lexicon
from troly.text.wordlist import read_lists
from troly_dental.settings import DentalSettings

if TYPE_CHECKING:
    from troly.plugin.services import Services

# -- What is known by words: names, addresses, days of birth, numbers said in words.

_CLOSE = re.compile(r"[\s:,\-–\"'“”‘’(]{0,4}")
_SHORTENED = frozenset(("dr", "mr", "mrs", "ms", "bs"))
_BLANK = re.compile(r"[ \t\u00a0\-]{1,2}")
_IN_ADDRESS = re.compile(r"[ \t\u00a0,/\-:]{0,3}|\.")
_IN_NUMBER = re.compile(r"[\s,.\-]{1,3}")
_FEW, _MANY_NAMES, _MANY_ADDRESS = 9, 6, 16
_BIRTH = re.compile(
    r"[\s:]{0,3}(?:là|la|ngày|năm|on|is)?\s{0,2}(\d{1,2}\s?[-/. ]\s?\d{1,2}\s?[-/. ]\s?\d{2,4}|(?:19|20)\d\d)"
)


class PersonalData(NamedTuple):
    """A piece of personal data `text[start:end]` of a `kind`; `cue` is where the words that announce it begin."""

    kind: str
    start: int
    end: int
    cue: int


class _NamedText:
    """A message as words, with what is known of each."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.starts = [token.start for token in self.tokens]
        at = {start: n for n, start in enumerate(self.starts)}
        self.no_person = {at.get(hit.start) for hit in _lexicon("no name").find(text) if " " in hit.phrase}
        letters = [c for c in text[:2000] if c.isalpha()]
        self.shouted = sum(c.isupper() for c in letters) > 0.7 * max(1, len(letters))
        self._stops = {
            n: hit.phrase for hit in _lexicon("stop").find(text) if (n := at.get(hit.start)) is not None
        }

    def capital(self, n: int) -> bool:
        return not self.shouted and self.text[self.tokens[n].start].isupper()

    def is_in(self, n: int, section: str) -> bool:
        token = self.tokens[n]
        return any(accents_agree(token.text, word) for word in _by_fold(section).get(token.folded, ()))

    def stops(self, n: int) -> bool:
        if not self.is_in(n, "stop") and n not in self._stops:
            return False
        phrase = self._stops.get(n, "")
        if " " in phrase or not self.is_in(n, "given"):
            return True
        # "nam" and "thi" amid a name are part of it, before anything else they are "năm" and "thì".
        return n + 1 < len(self.tokens) and not (n + 1 in self._stops or self.is_in(n + 1, "given"))

    def gap(self, n: int, allowed: re.Pattern[str]) -> bool:
        """Whether only signs of `allowed` stand between word `n` and the one before."""
        return allowed.fullmatch(self.text, self.tokens[n - 1].end, self.tokens[n].start) is not None


def words_found(text: str) -> list[PersonalData]:
    """Names, addresses, days of birth and numbers in words in `text`, in no order; they may overlap."""
    words = _NamedText(text)
    if not words.tokens:
        return []
    return [
        *_spoken_digits(words),
        *_announced(words),
        *_standing_alone(words),
        *_streets(words),
        *_birthdays(text),
    ]


def identity_cues(text: str) -> list[tuple[int, int]]:
    """Where `text` says "CMND", "hộ chiếu", "account number" and the like."""
    return [(hit.start, hit.end) for hit in _lexicon("identity").find(text)]


def _spoken_digits(words: _NamedText) -> list[PersonalData]:
    """Numbers of nine digits and more that are said in words, at least in part: "không chín một …"."""
    found, run = [], list[int]()
    for n in [*range(len(words.tokens)), -1]:
        joined = n >= 0 and (not run or words.gap(n, _IN_NUMBER)) and _digits(words, n) > 0
        if joined:
            run.append(n)
            continue
        said = sum(not words.tokens[m].text.isdecimal() for m in run)
        if said >= 3 and sum(_digits(words, m) for m in run) >= _FEW:
            start = words.tokens[run[0]].start
            found.append(PersonalData("phone", start, words.tokens[run[-1]].end, start))
        run = [n] if n >= 0 and _digits(words, n) else []
    return found


def _digits(words: _NamedText, n: int) -> int:
    text = words.tokens[n].text
    if text.isdecimal():
        return len(text) if len(text) <= 4 else 0
    return int(words.is_in(n, "digit"))


def _announced(words: _NamedText) -> Iterator[PersonalData]:
    """What follows "tên tôi là", "em là", "chị", "địa chỉ"."""
    readers: dict[str, Callable[..., int]] = {
        "name cue": _after_name_cue,
        "english name cue": _after_name_cue,
        "perhaps name": _after_perhaps,
        "title": _after_title,
        "address cue": lambda words, first, **_: _address(words, first),
    }
    for hit in _cues().find(words.text):
        first = bisect_left(words.starts, hit.end)
        after = hit.end + (hit.phrase in _SHORTENED and words.text.startswith(".", hit.end))
        if first == len(words.tokens) or not _CLOSE.fullmatch(words.text, after, words.tokens[first].start):
            continue
        if (
            words.tokens[first].folded in {"la", "is"}
            and first + 1 < len(words.tokens)
            and words.gap(first + 1, _CLOSE)
        ):
            first += 1
        last = readers[hit.label](
            words, first, english=hit.label.startswith("english") or hit.phrase.isascii()
        )
        if last > first:
            kind = "address" if hit.label == "address cue" else "name"
            yield PersonalData(kind, words.tokens[first].start, words.tokens[last - 1].end, hit.start)


def _after_name_cue(words: _NamedText, first: int, *, english: bool) -> int:
    """The word after the name that begins at `first`; `first` where there is none."""
    named = words.is_in(first, "given") or words.is_in(first, "surname")
    if words.is_in(first, "stop") and not (named or words.capital(first)):
        return first
    if words.tokens[first].folded in {"gi", "what", "not"}:
        return first
    return _to_end_of_name(words, first, english=english)


def _after_perhaps(words: _NamedText, first: int, *, english: bool) -> int:
    if words.is_in(first, "stop") or first in words.no_person:
        return first
    last = _to_end_of_name(words, first, english=english)
    if words.capital(first):
        known = words.is_in(first, "given") or words.is_in(first, "surname")
        return last if known or english else first
    whole = last - first > 1 and words.is_in(first, "surname")
    closed = last == len(words.tokens) or not words.gap(last, _BLANK)
    return last if whole or (closed and words.is_in(first, "given") and not english) else first


def _after_title(words: _NamedText, first: int, *, english: bool) -> int:
    if not words.capital(first) or first in words.no_person or words.is_in(first, "stop"):
        return first
    return _to_end_of_name(words, first, english=english)


def _to_end_of_name(words: _NamedText, first: int, *, english: bool) -> int:
    last, capital = first + 1, words.capital(first)
    while last < min(len(words.tokens), first + _MANY_NAMES) and words.gap(last, _BLANK):
        after_surname = last == first + 1 and words.is_in(first, "surname")
        if capital:
            known = after_surname or words.is_in(last, "given")
            goes_on = words.capital(last) and (known or not words.stops(last))
        elif words.stops(last) or words.tokens[last].text.isdecimal():
            goes_on = False
        else:
            goes_on = after_surname or words.is_in(last, "given") or (english and last == first + 1)
        if not goes_on:
            break
        last += 1
    return last


def _standing_alone(words: _NamedText) -> Iterator[PersonalData]:
    """Full names without any announcement: "Nguyễn Văn An", "tran thi mai"."""
    n = 0
    while n + 1 < len(words.tokens):
        if not words.is_in(n, "surname") or not words.gap(n + 1, _BLANK) or n in words.no_person:
            n += 1
            continue
        if words.capital(n) and words.capital(n + 1) and words.is_in(n + 1, "given"):
            last = _to_end_of_name(words, n, english=False)
        elif (
            words.tokens[n + 1].folded in {"van", "thi"}
            and n + 2 < len(words.tokens)
            and words.is_in(n + 2, "given")
        ):
            last = _to_end_of_name(words, n, english=False)
            last = last if last >= n + 3 else n
        else:
            last = n
        if last > n + 1:
            yield PersonalData(
                "name", words.tokens[n].start, words.tokens[last - 1].end, words.tokens[n].start
            )
        n = max(n + 1, last)


def _address(words: _NamedText, first: int) -> int:
    last, sure = first, False
    while last < min(len(words.tokens), first + _MANY_ADDRESS):
        if last > first and not words.gap(last, _IN_ADDRESS):
            break
        place = words.is_in(last, "place") or words.is_in(last, "street")
        numbered = words.tokens[last].text[0].isdigit()
        after_surname = last > first and words.is_in(last - 1, "surname")
        kept = (
            place
            or numbered
            or words.capital(last)
            or after_surname
            or words.tokens[last].folded in {"so", "nha"}
        )
        if not kept and words.stops(last):
            break
        sure = sure or place or numbered
        last += 1
    return last if sure and last > first else first


def _streets(words: _NamedText) -> Iterator[PersonalData]:
    """A number and a street: "12/5 đường Lê Lợi, phường 3", "45 Main Street"."""
    for n in range(1, len(words.tokens)):
        if not words.is_in(n, "street"):
            continue
        first, begun = n, n
        if words.tokens[n - 1].text[0].isdigit() and words.gap(n, _IN_ADDRESS):
            first = n - 1
            while (
                first and words.tokens[first - 1].text[0].isdigit() and words.gap(first, re.compile(r"[/\-]"))
            ):
                first -= 1
        elif words.tokens[n].text.isascii():
            while first and n - first < 4 and words.capital(first - 1) and words.gap(first, _BLANK):
                first -= 1
            if first == n or not first or not words.tokens[first - 1].text.isdecimal():
                continue
            first, begun = first - 1, -1
        if first == n or (begun == n and (n + 1 >= len(words.tokens) or words.stops(n + 1))):
            continue
        last = max(_address(words, first), n + 1)
        yield PersonalData(
            "address", words.tokens[first].start, words.tokens[last - 1].end, words.tokens[first].start
        )


def _birthdays(text: str) -> Iterator[PersonalData]:
    for hit in _lexicon("birth").find(text):
        if match := _BIRTH.match(text, hit.end):
            yield PersonalData("birthday", *match.span(1), hit.start)


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    return read_lists(Path(__file__).parent / "lexicons" / "masking.txt")


@cache
def _lexicon(section: str) -> Lexicon:
    return Lexicon({section: _lists()[section]})


@cache
def _cues() -> Lexicon:
    wanted = ("name cue", "english name cue", "perhaps name", "title", "address cue")
    return Lexicon({section: _lists()[section] for section in wanted})


@cache
def _by_fold(section: str) -> dict[str, tuple[str, ...]]:
    """The single words of a section by their fold."""
    found: dict[str, list[str]] = {}
    for entry in _lists()[section]:
        if " " not in entry:
            found.setdefault(fold(entry), []).append(entry)
    return {folded: tuple(entries) for folded, entries in found.items()}


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


class _FoldedText(NamedTuple):
    """A text folded, with the way back to the places of the text itself."""

    text: str
    offsets: list[int]
    length: int

    def found(self, kind: str, start: int, end: int) -> PersonalData:
        first, last = span_in_place(self.offsets, self.length, start, end)
        return PersonalData(kind, first, last, first)


def find(text: str) -> tuple[PersonalData, ...]:
    """The personal data of `text`, left to right, never overlapping; places are offsets in `text` itself.

    Kinds: `email`, `phone`, `id`, `birthday`, `address`, `name`. Works on Vietnamese with and without accents, NFC or
    NFD, and on English. Amounts of money, dates, teeth and doses are none.
    """
    if not text:
        return ()
    folded, offsets = fold_in_place(text)
    read = _FoldedText(folded, offsets, len(text))
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


def shareable(services: Services, text: str) -> str:
    """Names, telephones and numbers of papers are masked as in the log (003-42)."""
    return text if services.settings.of(DentalSettings).log_personal else mask(text)


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


def _emails(read: _FoldedText) -> Iterator[PersonalData]:
    if "@" not in read.text and " " not in read.text:
        return
    for expression in _EMAILS:
        for match in expression.finditer(read.text):
            end = match.start() + len(match.group().rstrip(".!?'`*_"))
            yield read.found("email", match.start(), end)


def _phones(read: _FoldedText) -> Iterator[PersonalData]:
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


def _ids(read: _FoldedText) -> Iterator[PersonalData]:
    for expression in _IDS:
        for match in expression.finditer(read.text):
            if _ROUND.fullmatch(match.group()) or _MONEY_AFTER.match(read.text, match.end()):
                continue
            yield read.found("id", *match.span())


def _known_ids(read: _FoldedText, text: str) -> Iterator[PersonalData]:
    """Numbers of any shape after a word that announces one: "CMND số …"."""
    for _, end in identity_cues(text):
        # Offsets rise with the characters, so the first one past the cue is where to read on.
        at = bisect_left(read.offsets, end)
        if match := _IDENTITY.match(read.text, at):
            yield read.found("id", *match.span(1))


def _without_overlap(found: list[PersonalData]) -> tuple[PersonalData, ...]:
    """Pieces that touch become one, of the kind that was looked for first."""
    merged: list[PersonalData] = []
    for each in sorted(found, key=lambda f: (f.start, -f.end)):
        if merged and each.start < merged[-1].end:
            last = merged[-1]
            kind = min((last, each), key=lambda f: _RANK[f.kind]).kind
            merged[-1] = PersonalData(kind, last.start, max(last.end, each.end), min(last.cue, each.cue))
        else:
            merged.append(each)
    return tuple(merged)
