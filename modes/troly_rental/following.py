"""What a person may ask after a rental answer: changes of the query that the rules understand."""

from __future__ import annotations

from troly.text.catalogue import Lang
from troly_rental.ask import Reading
from troly_rental.strings import say
from troly_rental.wording import PLACES

MOST = 3


def suggestions(reading: Reading, lang: Lang) -> tuple[str, ...]:
    """Up to three next questions that fit the query; none after one that is no query."""
    if not reading.ready:
        return ()
    fields = {one.field for one in reading.filters}
    keys = []
    if reading.mode == "LIST" and reading.entity in ("room", "post"):
        keys += ["cheaper" if "price" in fields or reading.order else "cheapest"]
        keys += [] if "amenity" in fields else ["amenity"]
        keys += ["average"] if fields & PLACES else ["district"]
        keys += ["more"]
    elif reading.measures:
        keys += ["chart"] if reading.mode != "CHART" and reading.group else []
        keys += ["list"]
        keys += [] if reading.group else ["by_district"]
    return tuple(say(f"next.{key}", lang) for key in keys[:MOST])
