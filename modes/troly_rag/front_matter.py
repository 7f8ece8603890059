"""What a document says of itself at its head (title, date, scope, …): read from front matter, each fault with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from typing import Any, NamedTuple

from troly.config.problems import nearest, shown
from troly.text.days import parse_date
from troly.text.fold import fold, nfc
from troly.text.sanitize import sanitize

_BLOCK = re.compile(r"\A\s*---[ \t]*\n(?P<body>.*?)^(?:---|\.\.\.)[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_OPENED = re.compile(r"\A\s*---[ \t]*\n")
_PAIR = re.compile(r"(?P<key>[^\W\d][\w \-]{0,40}?)\s*:(?:\s+(?P<value>.*))?$")
_ITEM = re.compile(r"\s*-\s+(?P<value>.+)$")
_LONGEST = 300
# Folded; the first name of each line is the field's own.
KEYS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "ma", "ma tai lieu", "doc id", "document id"),
    "title": ("title", "tieu de", "ten", "ten tai lieu"),
    "date": ("date", "created", "created at", "created date", "ngay", "ngay tao", "ngay ban hanh", "issued"),
    "effective": (
        "effective",
        "effective date",
        "effective from",
        "hieu luc",
        "ngay hieu luc",
        "hieu luc tu",
    ),
    "scope": ("scope", "pham vi", "access", "visibility"),
    "department": ("department", "departments", "phong ban", "bo phan"),
    "version": ("version", "phien ban", "ver"),
    "supersedes": ("supersedes", "replaces", "thay the", "thay the cho"),
    "url": ("url", "link", "lien ket", "source url"),
    "agent": ("agent", "domain", "linh vuc"),
}
_BY_NAME = {name: key for key, names in KEYS.items() for name in names}
# Fields that documents carry for other programs; they say nothing of access or age.
_PASSED_OVER = frozenset(
    {
        "tags",
        "tag",
        "author",
        "authors",
        "owner",
        "language",
        "lang",
        "description",
        "summary",
        "keywords",
        "type",
    }
    | {"layout", "category", "categories", "status", "updated", "reviewed", "slug", "nguoi soan", "tac gia"}
)


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
    version: str = ""
    supersedes: tuple[str, ...] = ()
    url: str = ""
    agent: str = ""
    faults: tuple[Fault, ...] = ()


class _Given(NamedTuple):
    line: int
    key: str
    values: tuple[str, ...]


def split(text: str) -> tuple[str, str]:
    """The front matter's lines and the rest, whose line numbers stay as they were."""
    found = _BLOCK.match(text)
    if found is None:
        return "", text
    return found[0], "\n" * found[0].count("\n") + text[found.end() :]


def read_front(text: str) -> Front:
    """The front matter at the head of `text`; empty where there is none. Never raises."""
    found = _BLOCK.match(text)
    if found is None:
        opened = _OPENED.match(text)
        second = text[opened.end() :].split("\n", 1)[0] if opened else ""
        known = (pair := _PAIR.match(second)) and _name(pair["key"]) in _BY_NAME
        return Front(faults=(Fault(1, "open", "---", fatal=True),)) if known else Front()
    first = text[: found.start("body")].count("\n") + 1
    given: list[_Given] = []
    faults: list[Fault] = []
    for number, line in enumerate(found["body"].split("\n"), first):
        _line(number, line, given, faults)
    return from_fields(given, faults)


def _line(number: int, line: str, given: list[_Given], faults: list[Fault]) -> None:
    if not line.strip() or line.lstrip().startswith("#"):
        return
    if (item := _ITEM.match(line)) and given:
        last = given[-1]
        given[-1] = last._replace(values=(*last.values, _bare(item["value"])))
        return
    pair = _PAIR.match(line)
    if pair is None:
        # An indented line belongs to a field of another program; anything else was meant to be a field.
        if not line.startswith((" ", "\t")):
            faults.append(Fault(number, "line", "", shown(line.strip())))
        return
    given.append(_Given(number, pair["key"], _values(pair["value"] or "")))


def from_fields(given: list[_Given], faults: list[Fault] | None = None) -> Front:
    """`given` fields as a Front; unknown keys, repeated keys and values that cannot be read are its faults."""
    found = list(faults or ())
    front, seen = Front(), set[str]()
    for field in given:
        name = _name(field.key)
        key = _BY_NAME.get(name, "")
        if not key:
            if name not in _PASSED_OVER:
                close = nearest(name, list(KEYS))
                found.append(Fault(field.line, "near" if close else "key", shown(field.key), nearest=close))
        elif key in seen:
            found.append(Fault(field.line, "twice", key, fatal=key in {"scope", "department"}))
        elif field.values:
            seen.add(key)
            front, fault = _READERS[key](front, field)
            found += [fault] if fault else []
    return replace(front, faults=tuple(found))


def fields_of_html(text: str) -> Front:
    """The same fields from `<meta name="..." content="...">` of a page's head."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(text[:200_000], "lxml")
    head = soup.head
    given = [
        _Given(tag.sourceline or 1, str(tag.get("name")), _values(str(tag.get("content", ""))))
        for tag in (head.find_all("meta") if head else ())
        if _name(str(tag.get("name", ""))) in _BY_NAME
    ]
    return from_fields(given)


def _name(key: str) -> str:
    return " ".join(re.split(r"[\s_\-]+", fold(key).strip()))


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


def _with(front: Front, key: str, value: Any) -> Front:
    return replace(front, **{key: value})


_Read = Callable[[Front, _Given], tuple[Front, Fault | None]]


def _text(key: str) -> _Read:
    def read(front: Front, field: _Given) -> tuple[Front, Fault | None]:
        return _with(front, key, ", ".join(field.values)), None

    return read


def _many(key: str, parts: str) -> _Read:
    def read(front: Front, field: _Given) -> tuple[Front, Fault | None]:
        values = (part.strip() for value in field.values for part in re.split(parts, value))
        return _with(front, key, tuple(filter(None, values))), None

    return read


def _scope(front: Front, field: _Given) -> tuple[Front, Fault | None]:
    from troly_rag.config_schema import SCOPES

    value = _SCOPES.get(fold(field.values[0]), fold(field.values[0]))
    if value in SCOPES and len(field.values) == 1:
        return replace(front, scope=value), None
    close = nearest(value, list(SCOPES)) or ", ".join(SCOPES)
    return front, Fault(field.line, "scope", field.key, shown(", ".join(field.values)), close, fatal=True)


_SCOPES = {
    "cong khai": "public",
    "noi bo": "internal",
    "rieng": "private",
    "mat": "private",
    "bao mat": "private",
}


def _day(key: str) -> _Read:
    def read(front: Front, field: _Given) -> tuple[Front, Fault | None]:
        found = read_day(field.values[0])
        if found is None:
            return front, Fault(field.line, "date", field.key, shown(field.values[0]))
        return _with(front, key, found if key == "created_at" else found[:10]), None

    return read


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


_READERS: Mapping[str, _Read] = {
    "id": _text("id"),
    "title": _text("title"),
    "date": _day("created_at"),
    "effective": _day("effective"),
    "scope": _scope,
    "department": _many("departments", r"[,;+/]"),
    "version": _text("version"),
    "supersedes": _many("supersedes", r";"),
    "url": _text("url"),
    "agent": _text("agent"),
}
