"""Proper names that a question may hold: buildings by their whole name, a landlord's tenants by their whole or given name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from troly.text.fold import WordToken, accents_agree, tokens
from troly_rental.question.types import Filter, Span, merge_filters

_TITLES = frozenset(
    {
        "anh",
        "chi",
        "em",
        "ban",
        "khach",
        "co",
        "chu",
        "bac",
        "ong",
        "ba",
        "cua",
        "ten",
        "mr",
        "ms",
        "mrs",
        "tenant",
        "of",
        "for",
    }
)
"""Words before a given name that is typed without a capital."""
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


@dataclass(frozen=True, slots=True)
class Names:
    """The names that one person may ask by, as the data spells them, by the field that holds them."""

    by_field: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def find(self, text: str) -> NamedThings:
        """The names in `text`; accents that were typed must be those of the name."""
        said = tokens(text)
        filters: list[Filter] = []
        spans: dict[Span, None] = {}
        for name_of, names in self.by_field.items():
            longest = 0
            found: list[tuple[str, Span]] = []
            for name in names:
                for span, size in _places_of(text, said, tokens(name), given=name_of == "tenant"):
                    found = [] if size > longest else found
                    longest = max(longest, size)
                    found += [(name, span)] if size == longest else []
            filters += [Filter(name_of, "in", (name,)) for name, _ in found]
            spans |= dict.fromkeys(span for _, span in found)
        return NamedThings(_joined(filters), tuple(spans))


NO_NAMES = Names()


def _joined(filters: list[Filter]) -> tuple[Filter, ...]:
    """Several names of one field are alternatives."""
    fields = dict.fromkeys(one.field for one in filters)
    values = {
        name: tuple(dict.fromkeys(v for one in filters if one.field == name for v in one.values))
        for name in fields
    }
    return merge_filters(
        [Filter(name, "in" if len(v) > 1 else "=", v if len(v) > 1 else v[0]) for name, v in values.items()]
    )


def _places_of(
    text: str, said: list[WordToken], name: list[WordToken], *, given: bool
) -> list[tuple[Span, int]]:
    """Where a whole name stands, or the given name alone where `given` allows, with the number of its words."""
    if not name:
        return []
    found = []
    for at in range(len(said)):
        if _same(said[at : at + len(name)], name):
            found.append(((said[at].start, said[at + len(name) - 1].end), len(name)))
        elif given and _same(said[at : at + 1], name[-1:]):
            capital = _CAPITAL.match(text, said[at].start) and at > 0
            if (
                capital
                or (at and said[at - 1].folded in _TITLES)
                or (at == 0 and len(said) > 1 and _CAPITAL.match(text))
            ):
                found.append(((said[at].start, said[at].end), 1))
    return found


def _same(said: list[WordToken], name: list[WordToken]) -> bool:
    return len(said) == len(name) and all(
        a.folded == b.folded and (a.text == b.text or accents_agree(a.text, b.text))
        for a, b in zip(said, name, strict=True)
    )
