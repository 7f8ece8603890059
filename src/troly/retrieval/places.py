"""Where in a document a passage stands: stored as a code, told in the reader's language."""

from __future__ import annotations

import re
from collections.abc import Iterable

from troly.text.catalogue import Lang, tr

_PLACE = re.compile(r"(page|row|line):(\d+)(?:-(\d+))?$")


def join_places(places: Iterable[str]) -> str:
    """The places of a chunk's blocks as one: `page:3`, or a range `row:12-15`."""
    found = [place for place in places if place]
    first, last = (_PLACE.match(found[0]), _PLACE.match(found[-1])) if found else (None, None)
    if not first or not last or first[1] != last[1]:
        return found[0] if found else ""
    end = last[3] or last[2]
    return f"{first[1]}:{first[2]}" if end == first[2] else f"{first[1]}:{first[2]}-{end}"


def describe_place(place: str, lang: Lang) -> str:
    """`page:3` as "trang 3" or "page 3"; a place of another form is given as it is."""
    found = _PLACE.match(place)
    if not found:
        return place
    span = f"{found[2]}-{found[3]}" if found[3] else found[2]
    return tr(f"errors.knowledge.place.{found[1]}", lang, span=span)
