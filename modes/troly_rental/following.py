"""What a person may ask after a rental answer: changes of the query that the rules understand."""

from __future__ import annotations

from troly.text.catalogue import Lang
from troly_rental.ask import Reading
from troly_rental.payload import Found
from troly_rental.strings import say
from troly_rental.wording import PLACES

MOST = 3


def suggestions(reading: Reading, found: Found, lang: Lang) -> tuple[str, ...]:
    """Up to three next questions that fit the query and what it found; none after one that is no query."""
    if not reading.ready or reading.picked or (not found.rows and not reading.measures):
        return ()
    last = any(one.key.startswith("said.already") for one in reading.said)
    fields = {one.field for one in reading.filters}
    keys = []
    if reading.mode == "LIST" and reading.entity in ("room", "post"):
        if not last and len(found.rows) > 1:
            keys += ["cheaper" if "price" in fields or reading.order else "cheapest"]
        keys += [] if "amenity" in fields else ["amenity"]
        keys += ["average"] if fields & PLACES else ["district"]
        keys += ["more"] if reading.skip + len(found.rows) < found.total else []
    elif reading.measures:
        keys += ["chart"] if reading.mode != "CHART" and reading.group else []
        keys += ["list"] if reading.entity in ("room", "post") else []
        keys += [] if reading.group or "district" in fields or reading.entity != "room" else ["by_district"]
    return tuple(say(f"next.{key}", lang) for key in keys[:MOST])
