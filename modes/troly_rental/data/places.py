"""Places of the rental market: cities, districts and wards with their other names, and finding them in a message."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal
from unicodedata import normalize

from troly.text.fold import WordToken, accents, accents_agree, fold, folded_words, tokens, words

FILE = Path(__file__).parent / "places.toml"
PlaceKind = Literal["city", "district", "ward"]

_NUMBERS = [
    "nhất|một", "hai", "ba", "tư|bốn", "năm", "sáu", "bảy|bẩy", "tám", "chín", "mười", "mười một", "mười hai",
]  # fmt: skip
_BEFORE: Mapping[PlaceKind, tuple[str, ...]] = {
    "city": (),
    "district": ("quận", "q", "huyện", "h", "district", "dist"),
    "ward": ("phường", "p", "xã", "ward"),
}
_RANK: Mapping[PlaceKind, int] = {"city": 0, "district": 1, "ward": 2}


@dataclass(frozen=True, slots=True)
class Place:
    """One place; `covers` are the ids of the districts that it stands for (Thủ Đức: with Quận 2 and Quận 9).

    `other` is the English name of a city.
    """

    kind: PlaceKind
    id: str
    name: str
    city_id: str
    district_id: str = ""
    unit: str = ""
    part_of: str = ""
    covers: tuple[str, ...] = ()
    other: str = ""


@dataclass(frozen=True, slots=True)
class PlaceMention:
    """A place named in a text at `start:end`; several `places` when the name belongs to more than one.

    `short` marks an abbreviation ("BT", "hn") that counts only where a place is expected, `near` a landmark.
    """

    places: tuple[Place, ...]
    start: int
    end: int
    typed: str
    short: bool = False
    near: bool = False


@dataclass(frozen=True, slots=True)
class _PlaceName:
    words: tuple[str, ...]
    place: Place
    short: bool = False
    near: bool = False


class Places:
    """All places, by id and by what people call them."""

    def __init__(self, places: Iterable[Place], entries: Iterable[_PlaceName]) -> None:
        self.by_id: dict[str, Place] = {place.id: place for place in places}
        self._entries: dict[tuple[str, ...], list[_PlaceName]] = defaultdict(list)
        # The lengths of the names that begin with a word, longest first.
        self._lengths: dict[str, list[int]] = {}
        for entry in entries:
            key = tuple(fold(word) for word in entry.words)
            self._entries[key].append(entry)
            self._lengths.setdefault(key[0], []).append(len(key))
        self._lengths = {word: sorted(set(found), reverse=True) for word, found in self._lengths.items()}

    def with_more(self, more: Iterable[Place]) -> Places:
        """These and the places of `more` that are not among them: those of a database that holds other cities."""
        new = [place for place in more if place.id not in self.by_id]
        if not new:
            return self
        old = [entry for found in self._entries.values() for entry in found]
        return Places([*self.by_id.values(), *new], [*old, *(e for p in new for e in _names(p, {}, ()))])

    def of(self, kind: PlaceKind) -> list[Place]:
        """The places of one kind, in the order of the file."""
        return [place for place in self.by_id.values() if place.kind == kind]

    def named(self, name: str, kind: PlaceKind | None = None, city_id: str = "") -> tuple[Place, ...]:
        """The places that the whole of `name` means (a cell of a list): none, one, or the ones it may mean."""
        found = self.find(name)
        whole = [m for m in found if len(words(m.typed)) == len(words(name)) or len(found) == 1]
        for mention in sorted(whole, key=lambda m: m.start - m.end):
            fitting = tuple(
                place
                for place in mention.places
                if kind in (None, place.kind) and city_id in ("", place.city_id)
            )
            if fitting and not mention.near:
                return fitting
        return ()

    def covered(self, name: str) -> tuple[str, ...]:
        """The districts that a district's name stands for, its own first: Thủ Đức took in Quận 2 and Quận 9."""
        found = next((place for place in self.of("district") if place.name == name), None)
        ids = found.covers if found is not None else ()
        return (name, *(self.by_id[part].name for part in ids if self.by_id[part].name != name))

    def find(self, text: str) -> list[PlaceMention]:
        """The places named in `text`, left to right, the longest name at each point; accents that were typed must be
        those of the name.

        A city named beside a district settles which of two districts of that name is meant.
        """
        typed = tokens(text)
        found: list[PlaceMention] = []
        at = 0
        while at < len(typed):
            mention, length = self._at(typed, at, text)
            if mention is not None and (later := self._within(typed, at, length, text, mention)):
                mention, length = None, later
            if mention is not None:
                found.append(mention)
            at += max(1, length)
        return [_resolved(mention, found) for mention in found]

    def _at(self, typed: Sequence[WordToken], at: int, text: str) -> tuple[PlaceMention | None, int]:
        fits = self._fitting(typed, at)
        if not fits:
            return None, 0
        length = len(fits[0].words)
        plain = [entry for entry in fits if not (entry.short or entry.near)] or fits
        top = min(_RANK[entry.place.kind] for entry in plain)
        places = tuple(dict.fromkeys(e.place for e in plain if _RANK[e.place.kind] == top))
        start, end = typed[at].start, typed[at + length - 1].end
        first = plain[0]
        return PlaceMention(places, start, end, text[start:end], short=first.short, near=first.near), length

    def _within(
        self, typed: Sequence[WordToken], at: int, length: int, text: str, mention: PlaceMention
    ) -> int:
        """How many words before a district stand that begins within a ward named without accents and ends behind it: "ben thanh
        xuan" is Thanh Xuân, not Bến Thành; 0 for none.
        """
        if mention.places[0].kind != "ward" or not mention.typed.isascii():
            return 0
        for size in range(1, length):
            other, _ = self._at(typed, at + size, text)
            if other and other.places[0].kind == "district" and not other.short and other.end > mention.end:
                return size
        return 0

    def _fitting(self, typed: Sequence[WordToken], at: int) -> list[_PlaceName]:
        """The entries of the longest name that stands at `at`."""
        for length in self._lengths.get(typed[at].folded, ()):
            got = typed[at : at + length]
            listed = self._entries.get(tuple(token.folded for token in got), ())
            if fits := [entry for entry in listed if _spells(entry, got)]:
                return fits
        return []


def _spells(entry: _PlaceName, got: Sequence[WordToken]) -> bool:
    """Whether the words, alike when folded, are `entry` with the accents that were typed."""
    pairs = [(token.text, want) for want, token in zip(entry.words, got, strict=True)]
    if all(accents_agree(mine, want) for mine, want in pairs):
        return True
    named = len(pairs) > 1 and entry.place.kind != "ward" and not entry.near
    return (
        named and any(accents(mine) for mine, _ in pairs) and all(_begun(mine, want) for mine, want in pairs)
    )


def _begun(typed: str, wanted: str) -> bool:
    """Whether the marks typed are some of those of the name: "Thủ Đưc"."""
    if len(typed) != len(wanted):
        return False
    pairs = zip(typed.lower(), wanted.lower(), strict=True)
    return all({*normalize("NFD", mine)} <= {*normalize("NFD", theirs)} for mine, theirs in pairs)


def _resolved(mention: PlaceMention, found: Sequence[PlaceMention]) -> PlaceMention:
    if len(mention.places) < 2:
        return mention
    beside = [p for m in found if m is not mention and len(m.places) == 1 for p in m.places]
    districts = {place.id for place in beside if place.kind == "district"}
    cities = {place.city_id for place in beside}
    kept = tuple(place for place in mention.places if place.district_id in districts)
    kept = kept or tuple(place for place in mention.places if place.city_id in cities)
    if kept:
        return replace(mention, places=kept)
    return mention


@cache
def places() -> Places:
    """The places of `places.toml`."""
    raw = tomllib.loads(FILE.read_text(encoding="utf-8"))
    found = list(_read(raw))
    return Places(
        (place for place, _, _ in found), (e for p, node, old in found for e in _names(p, node, old))
    )


def slug(name: str) -> str:
    """A name as part of an id: "Quận 1" is "quan-1"."""
    return "-".join(folded_words(name))


def _read(raw: Mapping[str, Any]) -> Iterator[tuple[Place, Mapping[str, Any], tuple[str, ...]]]:
    """Every place, its node in the file, and its former names."""
    for city_id, city in raw.items():
        districts = {name: node for name, node in city.items() if isinstance(node, Mapping)}
        ids = {name: f"{city_id}-{slug(name)}" for name in districts}
        yield (
            Place("city", city_id, city["name"], city_id, covers=tuple(ids.values()), other=city["name_en"]),
            city,
            (),
        )
        for name, node in districts.items():
            parts = [ids[other] for other, more in districts.items() if more.get("part_of") == name]
            part_of = ids.get(node.get("part_of", ""), "")
            unit = node.get("kind", "district")
            covers = (ids[name], *parts)
            yield Place("district", ids[name], name, city_id, ids[name], unit, part_of, covers), node, ()
            for line in node.get("wards", ()):
                ward, _, old = line.partition("=")
                ward = ward.strip()
                key = f"{ids[name]}-{slug(ward)}"
                former = tuple(part.strip() for part in old.split(",") if part.strip())
                yield Place("ward", key, ward, city_id, ids[name], "ward", covers=(ids[name],)), {}, former


def _names(place: Place, node: Mapping[str, Any], former: Sequence[str]) -> Iterator[_PlaceName]:
    """Everything that `place` is called."""
    for name in {place.name, node.get("name_en", place.name), *node.get("aliases", ()), *former}:
        number = name.rpartition(" ")[2]
        if number.isdecimal() and len(words(name)) == 2:
            yield from (_entry(name, place) for name in _numbered(place.kind, int(number)))
            continue
        short = place.kind == "city" and len(name) < 3
        alone = place.kind != "ward" or len(words(name)) > 1
        if alone:
            yield _entry(name, place, short=short)
        yield from (_entry(f"{before} {name}", place) for before in _BEFORE[place.kind])
    for name in {*node.get("short", ()), *_initialled(place)}:
        yield _entry(name, place, short=True)
        yield from (_entry(f"{before} {name}", place) for before in _BEFORE[place.kind])
    yield from (_entry(name, place, near=True) for name in node.get("near", ()))


def _initialled(place: Place) -> Iterator[str]:
    """A district of two words with the first as its letter: "T.Bình", "TBình"."""
    first, _, second = place.name.partition(" ")
    if place.kind == "district" and second.isalpha():
        yield from (f"{first[0]}.{second}", f"{first[0]}{second}")


def _numbered(kind: PlaceKind, number: int) -> Iterator[str]:
    """What a numbered district or ward is called: "quận 1", "q1", "Q.01", "quận nhất", "district 1"."""
    names = [str(number), f"{number:02}"]
    if number <= len(_NUMBERS):
        names += _NUMBERS[number - 1].split("|")
    for before in _BEFORE[kind]:
        yield from (f"{before} {one}" for one in names)
    for letter in {"district": ("q", "d"), "ward": ("p",), "city": ()}[kind]:
        yield from (f"{letter}{one}" for one in names[:2])


def _entry(name: str, place: Place, *, short: bool = False, near: bool = False) -> _PlaceName:
    return _PlaceName(tuple(words(name)), place, short, near)
