"""Proper names that a question may hold: buildings by their whole name, a landlord's tenants by their whole or given name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from troly.text.fold import WordToken, fold, tokens
from troly.text.match import Lexicon, PhraseHit, spans_of
from troly.text.wordlist import LEXICONS, read_lists
from troly_rental.data.places import PlaceMention
from troly_rental.question.types import Filter, Span
from troly_rental.question.vocabulary import lists

_CAPITAL = re.compile(r"[A-ZÀ-Ỹ]")


@dataclass(frozen=True, slots=True)
class NamedThings:
    """The conditions that names make, and where they stand."""

    filters: tuple[Filter, ...] = ()
    spans: tuple[Span, ...] = ()

    @property
    def tenants(self) -> bool:
        """Whether one of them is a tenant."""
        return any(one.field == "tenant" for one in self.filters)


class Names:
    """The names that one person may ask by, as the data spells them."""

    def __init__(
        self, buildings: Sequence[str] = (), tenants: Sequence[str] = (), addresses: Sequence[str] = ()
    ) -> None:
        called = {name: (name, name.split()[-1]) for name in tenants if tokens(name)}
        # "Lan Anh" of "Nhà trọ Lan Anh" counts after a word for a house.
        short = {
            name: [name.removeprefix(kind) for kind in _KINDS if name.startswith(kind)] for name in buildings
        }
        houses = {name: (name, *short[name]) for name in buildings if tokens(name)}
        self._lexicons: Mapping[str, Lexicon] = {
            "building": Lexicon(houses),
            "tenant": Lexicon(called),
            "address": Lexicon({name: (name,) for name in addresses if tokens(name)}),
        }

    def find(self, text: str, places: Sequence[PlaceMention] = ()) -> NamedThings:
        """The names in `text`; accents that were typed must be those of the name. Several of one kind are alternatives.

        What names one of `places` is the place: "Thủ Đức" is no tenant called Đức, "bên Thanh Xuân" no house. What is part of a
        longer name is that name's.
        """
        named = {kind: self._hits(kind, text, places) for kind in self._lexicons}
        whole = [hit for hits in named.values() for hit in hits]
        filters: list[Filter] = []
        spans: list[Span] = []
        for name, found in named.items():
            hits = [hit for hit in found if not any(_lies_within(hit, other) for other in whole)]
            if name == "address" and not filters:
                continue  # an address belongs to a building that is named
            labels = tuple(sorted({hit.label for hit in hits}))
            spans += spans_of(hits)
            if labels:
                filters.append(
                    Filter(name, "in", labels) if len(labels) > 1 else Filter(name, "=", labels[0])
                )
        return NamedThings(tuple(filters), tuple(spans))

    def _hits(self, kind: str, text: str, places: Sequence[PlaceMention]) -> list[PhraseHit]:
        """The names of one kind that are meant as such."""
        return [
            hit
            for hit in self._lexicons[kind].find(text)
            if (
                kind == "building"
                and (hit.phrase == hit.label or _HOUSE.search(fold(text[: hit.start])))
                and not any(one.end == hit.end and one.places[0].kind == "district" for one in places)
            )
            or (kind != "building" and " " in hit.phrase)
            or (
                kind == "tenant"
                and _is_called(text, hit)
                and not any(
                    one.start <= hit.start < one.end and not _is_person(text, hit, one) for one in places
                )
            )
        ]


NO_NAMES = Names()
_KINDS = ("Nhà trọ ", "Tòa nhà ", "Khu trọ ", "Dãy trọ ")
_HOUSE = re.compile(
    r"(?<!\w)(?:nha|nha tro|tro|toa|toa nha|khu|khu tro|day|day tro|ben|building|house)\s+(?:cua\s+)?$"
)


def _lies_within(hit: PhraseHit, other: PhraseHit) -> bool:
    """Whether a name is part of a longer one: Bình of the house "An Bình" is no tenant."""
    return (other.start, other.end) != (
        hit.start,
        hit.end,
    ) and other.start <= hit.start < hit.end <= other.end


def _is_called(text: str, hit: PhraseHit) -> bool:
    """Whether a given name alone is meant as one: with a capital, or after "anh", "của" and the like."""
    capital = bool(_CAPITAL.match(text, hit.start))
    if text[hit.start : hit.end].lower() in _persons() and not (hit.exact and capital):
        return False  # "của anh" is no tenant called Ánh
    before = tokens(text[: hit.start])
    if (
        not capital
        and before
        and before[-1].folded == "cua"
        and fold(text[hit.start : hit.end]) in _folded_persons()
    ):
        return False  # "phong cua minh" is one's own, "chi minh" is a tenant
    alone = not before and not tokens(text[hit.end :])
    return (capital and not alone) or _is_titled(before)


def _is_person(text: str, hit: PhraseHit, place: PlaceMention) -> bool:
    """Whether a ward's name without its accents begins with the name of whom a word for people leads to: "phong cua duc thang
    nay" is Đức's, no room in Đức Thắng.
    """
    ward = place.places[0].kind == "ward" and place.typed.isascii() and place.start == hit.start
    return ward and _is_titled(tokens(text[: hit.start]))


def _is_titled(before: Sequence[WordToken]) -> bool:
    return bool(before) and before[-1].folded in lists("neutral")["titles"]


@cache
def _persons() -> frozenset[str]:
    """Words for who speaks or is spoken to, as written."""
    return frozenset(read_lists(LEXICONS / "everyday.txt")["person"])


@cache
def _folded_persons() -> frozenset[str]:
    """The same without accents."""
    return frozenset(map(fold, _persons()))
