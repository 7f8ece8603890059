"""Understanding rental questions without a model: a reading, its SQL, its words, and conditions read back from SQL."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from troly.text.catalogue import Lang
from troly_rental.ask.reading import Filter, Measure, Mode, Order, Reading, Remark, RequestType, Role, Value

if TYPE_CHECKING:
    from troly_rental.schema_places import Places

__all__ = ["Filter", "Measure", "Mode", "Order", "Reading", "Remark", "RequestType", "Role", "Value", "read"]


def read(
    text: str,
    lang: Lang,
    now: datetime,
    previous: Reading | None = None,
    places: Places | None = None,
    *,
    role: Role = "GUEST",
) -> Reading:
    """What `text` asks (002-07, 002-09, 002-10), alone or as a change of `previous`, the last query of the talk.

    `role` decides whether one's own records can be asked for. Never raises for any text.
    """
    from troly_rental.ask.edits import follow
    from troly_rental.ask.understand import fresh, parts_of

    if places is None:
        from troly_rental.schema_places import places as all_places

        places = all_places()
    parts = parts_of(text, lang, now, places)
    if previous is not None and (edited := follow(text, parts, previous, role)) is not None:
        return edited
    return fresh(text, parts, role)
