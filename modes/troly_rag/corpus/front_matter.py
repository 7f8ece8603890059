"""What a document says of itself at its head (title, date, scope, …): read from front matter, each fault with its line."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from troly.config.problems import nearest, shown
from troly.text.dates import parse_date
from troly.text.fold import fold, nfc
from troly.text.sanitize import sanitize
from troly.text.wordlist import read_lists
from troly_rag.config import SCOPES

LEXICON = Path(__file__).parent / "lexicons" / "front_matter.txt"
_BLOCK = re.compile(
    r"\A\ufeff?\s*(?P<mark>---|\+\+\+)[ \t]*\n(?P<body>.*?)^[ \t]*(?:(?P=mark)|\.\.\.)[ \t]*$\n?",
    re.DOTALL | re.MULTILINE,
)
_OPENED = re.compile(r"\A\ufeff?\s*(?:---|\+\+\+)[ \t]*\n")
_PAIR = re.compile(r"\W{0,3}(?P<key>[^\W\d][\w ./\-]{0,40}?)[\"'*`]*\s*(?P<sign>[:：=])[*`]*(?P<value>.*)$")
_ITEM = re.compile(r"\s*-\s+(?P<value>.+)$")
_FOLDED = re.compile(r"[|>][+-]?\s*$")
_LONGEST = 300
# How far a head without its `---` is looked for.
_HEAD_LINES = 8
# The fields by their own names, as they are told to the person.
FIELDS = (
    *("id", "title", "date", "effective", "scope", "department", "only"),
    *("version", "supersedes", "url", "agent"),
)
# What parts the values of a field that has several.
_PARTED = {**dict.fromkeys(("department", "only"), r"[,;+/&]|\s(?:and|và|va)\s"), "supersedes": r";"}
_ACCESS = frozenset({"scope", "department", "only"})
# From this likeness on a name was meant to be one of access.
_MEANT = 0.8


class Fault(NamedTuple):
    """A line (1-based) that is wrong: `code` names the sentence `errors.rag_front.<code>`; a `fatal` one stops the load."""

    line: int
    code: str
    key: str
    found: str = ""
    nearest: str = ""
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class Front:
    """The fields that were given; "" and () where a field is missing. `created_at` is ISO in UTC, `effective` a date."""

    id: str = ""
    title: str = ""
    created_at: str = ""
    effective: str = ""
    scope: str = ""
    departments: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    version: str = ""
    supersedes: tuple[str, ...] = ()
    url: str = ""
    agent: str = ""
    faults: tuple[Fault, ...] = ()


class _Field(NamedTuple):
    line: int
    key: str
    values: tuple[str, ...]
    open: bool = False
    """Whether the indented lines below belong to its value (`title: >`)."""


def split(text: str) -> tuple[str, str]:
    """The front matter's lines and the rest, whose line numbers stay as they were."""
    found = _BLOCK.match(text)
    if found is None:
        return "", text
    return found[0], "\n" * found[0].count("\n") + text[found.end() :]


def read_front(text: str) -> Front:
    """The front matter at the head of `text`; empty where there is none. Never raises."""
    text = nfc(text.replace("\r\n", "\n"))
    found = _BLOCK.match(text)
    if found is None:
        return Front(faults=_unclosed(text))
    first = text[: found.start("body")].count("\n") + 1
    given: list[_Field] = []
    faults: list[Fault] = []
    for number, line in enumerate(found["body"].split("\n"), first):
        _line(number, line, given, faults)
    return from_fields(given, faults)


def _unclosed(text: str) -> tuple[Fault, ...]:
    """A head that was begun and not closed, or that says who may see the document and has no `---` at all."""
    opened = _OPENED.match(text)
    if opened:
        second = text[opened.end() :].split("\n", 1)[0]
        known = (pair := _PAIR.match(second)) and _key(pair["key"])
        return (Fault(1, "open", "---", fatal=True),) if known else ()
    for number, line in enumerate(text.split("\n")[:_HEAD_LINES], 1):
        pair = _PAIR.match(line.strip())
        if pair and _key(pair["key"]) == "scope" and _scope_of(_bare(pair["value"])):
            return (Fault(number, "bare", shown(pair["key"]), fatal=True),)
    return ()


def _line(number: int, line: str, given: list[_Field], faults: list[Fault]) -> None:
    if not line.strip() or line.lstrip().startswith("#"):
        return
    if (item := _ITEM.match(line)) and given:
        last = given[-1]
        given[-1] = last._replace(values=(*last.values, _bare(item["value"])))
        return
    indented = line.startswith((" ", "\t"))
    if indented and given and given[-1].open:
        last = given[-1]
        given[-1] = last._replace(values=(" ".join((*last.values, _bare(line))),))
        return
    pair = _PAIR.match(line)
    if pair is None or (pair["value"][:1] not in ("", " ", "\t") and not _key(pair["key"])):
        # An indented line belongs to a field of another program; anything else was meant to be a field.
        if not indented:
            faults.append(Fault(number, "line", "", shown(line.strip())))
        return
    value = pair["value"].strip()
    folded = bool(_FOLDED.match(value))
    given.append(_Field(number, pair["key"], () if folded else _values(value), folded))


def from_fields(given: list[_Field], faults: list[Fault] | None = None) -> Front:
    """`given` fields as a Front; unknown keys, repeated keys and values that cannot be read are its faults."""
    found = list(faults or ())
    front, seen = Front(), set[str]()
    for field in given:
        key = _key(field.key)
        if not key:
            if _name(field.key) not in _words("passed over"):
                found.append(_unknown(field))
        elif key in seen:
            found.append(Fault(field.line, "twice", key, fatal=key in _ACCESS))
        elif field.values:
            seen.add(key)
            front, fault = _read(front, key, field)
            found += [fault] if fault else []
    return replace(front, faults=tuple(found))


def _unknown(field: _Field) -> Fault:
    """A field that nobody knows; where it may have been meant to say who sees the document, that is not guessed."""
    name = _name(field.key)
    access = [known for known, key in _keys().items() if key in _ACCESS]
    if meant := get_close_matches(name, access, n=1, cutoff=_MEANT):
        return Fault(field.line, "closed", shown(field.key), nearest=_keys()[meant[0]], fatal=True)
    close = nearest(name, list(FIELDS))
    return Fault(field.line, "near" if close else "key", shown(field.key), nearest=close)


def fields_of_html(text: str) -> Front:
    """The same fields from `<meta name="..." content="...">` (or `property`) of a page's head."""
    from troly.retrieval.documents.files import soup_of

    soup = soup_of(text[:200_000])
    head = soup.head
    named = [
        (tag, str(tag.get("name") or tag.get("property") or ""))
        for tag in (head.find_all("meta") if head else ())
    ]
    given = [
        _Field(tag.sourceline or 1, name, _values(str(tag.get("content", ""))))
        for tag, name in named
        if _key(name)
    ]
    return from_fields(given)


@cache
def _words(label: str) -> tuple[str, ...]:
    return read_lists(LEXICON)[label]


@cache
def _keys() -> dict[str, str]:
    """The field of each name."""
    return {name: key for key in FIELDS for name in _words(key)}


def _key(text: str) -> str:
    """The field that a name means, "" for none."""
    return _keys().get(_name(text), "")


def _name(key: str) -> str:
    return " ".join(filter(None, re.split(r"[\s_./:\-]+", fold(key))))


def _values(text: str) -> tuple[str, ...]:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return tuple(filter(None, map(_bare, text[1:-1].split(","))))
    bare = _bare(text)
    return (bare,) if bare else ()


def _bare(text: str) -> str:
    """One value: quotes off, a remark after a blank and # dropped, one clean line."""
    text = text.strip()
    if text[:1] in {'"', "'"} and text.find(text[0], 1) > 0:
        text = text[1 : text.find(text[0], 1)]
    else:
        text = re.split(r"\s+#", text, maxsplit=1)[0]
    return " ".join(nfc(sanitize(text, keep_newlines=False)).split())[:_LONGEST]


def _read(front: Front, key: str, field: _Field) -> tuple[Front, Fault | None]:
    """`front` with the field, or what is wrong with it."""
    value: Any
    name = {"date": "created_at", "department": "departments"}.get(key, key)
    if key == "scope":
        value = _scope_of(field.values[0]) if len(field.values) == 1 else ""
        if not value:
            close = nearest(fold(field.values[0]), list(SCOPES)) or ", ".join(SCOPES)
            return front, Fault(field.line, key, field.key, shown(", ".join(field.values)), close, fatal=True)
    elif key in ("date", "effective"):
        found = read_day(field.values[0])
        if found is None:
            return front, Fault(field.line, "date", field.key, shown(field.values[0]))
        value = found if key == "date" else found[:10]
    elif key in _PARTED:
        parts = (part.strip() for value in field.values for part in re.split(_PARTED[key], value))
        value = tuple(filter(None, parts))
    else:
        value = ", ".join(field.values)
    return replace(front, **{name: value}), None


def _scope_of(text: str) -> str:
    """The scope that a value means in any of its spellings, "" for none."""
    name = _name(text)
    return next((scope for scope in SCOPES if name in _words(scope)), "")


def read_day(text: str) -> str | None:
    """A date, with or without a time, as ISO in UTC; a date alone keeps its day. None when it is none."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        day: date | None = parse_date(text)
        if day is None:
            return None
        moment = datetime.combine(day, time(), UTC)
    try:
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        return None
    return moment.isoformat(timespec="seconds")
