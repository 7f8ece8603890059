"""Puts a question's parts together: from a message to a reading, on its own or as an edit of the one before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime

from troly.text.catalogue import Lang
from troly.text.dates import find_ranges
from troly.text.fold import folded_words
from troly_rental.ask.days import read_days, read_ending, read_upcoming
from troly_rental.ask.figures import Asked, number_of_groups, read_asked
from troly_rental.ask.kinds_of_talk import Signs, is_sql, talk_of
from troly_rental.ask.mending import mend
from troly_rental.ask.quantities import read_quantities
from troly_rental.ask.readiness import checked
from troly_rental.ask.reading import (
    Filter,
    Measure,
    Mode,
    Order,
    Reading,
    Remark,
    Role,
    remark,
    tidy_filters,
)
from troly_rental.ask.relations import entities
from troly_rental.ask.traits import read_status, read_traits
from troly_rental.ask.units import Quantity
from troly_rental.ask.wheres import read_places
from troly_rental.ask.words import phrases, spans, without
from troly_rental.schema_places import Places

_OWN_ENTITIES = ("contract", "invoice", "viewing")
_TELLING = frozenset({"price", "area", "bedrooms", "people", "deposit", "amenity", "furnished", "type"})
"""Conditions that nobody sets in small talk."""
_ANY_DAY = date(2024, 6, 15)
_SUPERLATIVES = ("newest", "oldest", "cheapest", "dearest", "largest", "smallest", "most viewed")
_MOST_ROWS, _SHORT = 200, 5
_ENTITIES = ("room_seeking_post", "post", "viewing", "contract", "invoice", "building", "room")


@dataclass(frozen=True, slots=True)
class Parts:
    """What one message holds by itself, before it is joined with the query before it; `unplaced` is its text without
    the names of places.
    """

    text: str
    unplaced: str
    entity: str
    named: bool
    filters: tuple[Filter, ...]
    quantities: tuple[Quantity, ...]
    asked: Asked
    limit: int | None
    own: bool
    needless: frozenset[str]
    missing: tuple[Remark, ...]
    said: tuple[Remark, ...]


def parts_of(message: str, lang: Lang, now: datetime, places: Places) -> Parts:
    """The parts of `message`."""
    text = mend(message, lang)
    own = bool(phrases("asks", "own").find(text))
    named = [hit.label for hit in phrases("asks", *_ENTITIES, "other").find(text) if hit.label != "other"]
    money = _money_records(text, own=own)
    entity = _entity(named, money)
    ending, rest = read_ending(text, entity, now)
    where = read_places(rest, places)
    groups = spans(phrases("asks", "by furnished", "by amenity", "by type").find(text))
    traits = read_traits(without(where.rest, groups, "|"))
    figures = bool(
        phrases("asks", "count", "avg", "median", "min", "max", "sum", "trend", "chart", "table").find(text)
    )
    days, rest = ([], traits.rest) if ending else read_days(traits.rest, entity, now, figures=figures)
    quantities = read_quantities(rest)
    status, _ = read_status(without(text, spans(phrases("amenities", "furnished none").find(text))), entity)
    filters = [
        *ending, *days, *read_upcoming(text, entity, now), *_status(money, status, entity),
        *where.filters, *traits.filters,
        *(f for q in quantities if q.field not in {"", "limit", "other", "fee"} for f in q.filters()),
    ]  # fmt: skip
    kept, dropped = _supported(filters, entity)
    tidy = tidy_filters(kept)
    asked = _asked(without(text, traits.spans), list(tidy), entity, money)
    return Parts(
        text,
        where.marked,
        entity,
        bool(named) or bool(money),
        tidy,
        tuple(quantities),
        asked,
        (number_of_groups(text) if asked.group else None) or _limit(read_quantities(where.rest), where.rest),
        own or bool(money) or (entity in _OWN_ENTITIES),
        traits.needless,
        where.missing,
        (*traits.said, *where.said, *asked.said, *_assumed(quantities), *dropped),
    )


def _supported(filters: list[Filter], entity: str) -> tuple[list[Filter], list[Remark]]:
    """The filters that `entity` has a column for, and a remark on each other one."""
    known = entities()[entity].fields
    lost = dict.fromkeys(one.field for one in filters if one.field not in known)
    return [one for one in filters if one.field in known], [remark("said.no_field", field=n) for n in lost]


def _money_records(text: str, *, own: bool) -> str:
    """Which figure of the asker's invoices is meant: "debt", "revenue", "electricity", "water", "rent", or ""."""
    if phrases("asks", "revenue").find(text):
        return "revenue"
    if phrases("asks", "debt").find(text):
        return "debt"
    found = phrases("asks", "invoice electricity", "invoice water", "invoice rent").find(text)
    period = phrases("asks", "own").find(text) or find_ranges(text, _ANY_DAY)
    priced = phrases("amounts", "unit electricity_price", "unit water_price").find(text)
    rooms = phrases("asks", "avg", "compare", "cheapest", "cheap").find(text)
    timeless = without(text, [one.span for one in find_ranges(text, _ANY_DAY)])
    amounts = [q for q in read_quantities(timeless) if q.field not in {"limit", "other", ""}]
    if found and period and not (amounts or rooms) and not (priced and not own):
        return found[0].label.removeprefix("invoice ")
    return ""


def _status(money: str, status: list[Filter], entity: str) -> list[Filter]:
    """A debt is what is not paid; "quá hạn chưa đóng" asks for what is overdue, which is not paid anyway."""
    if entity != "invoice":
        return status
    owed = [one for one in status if one.value != "paid"] if money == "debt" else status
    if money == "debt" and not owed:
        return [Filter("status", "=", "unpaid")]
    if {one.value for one in owed} == {"overdue", "unpaid"}:
        return [Filter("status", "=", "overdue")]
    return owed


def _entity(named: list[str], money: str) -> str:
    if money:
        return "invoice"
    for entity in ("room_seeking_post", "viewing", "invoice", "contract"):
        if entity in named:
            return entity
    if "post" in named:
        return "post"
    if "building" in named and "room" not in named:
        return "building"
    return "room"


def _asked(text: str, filters: list[Filter], entity: str, money: str) -> Asked:
    asked = read_asked(text, filters)
    if money in {"electricity", "water", "rent"}:
        group = tuple(g for g in asked.group if g in {"month", "room"})
        return replace(asked, measures=(Measure("sum", money),), group=group, order=(), mode="TABLE", said=())
    if money == "revenue":
        group = tuple(g for g in asked.group if g in {"month", "building", "room"})
        return replace(
            asked,
            measures=(Measure("sum", "total"),),
            group=group,
            mode="CHART" if asked.mode == "CHART" else "TABLE",
            said=(),
        )
    if entity == "invoice" and (owed := _amount_asked(text, asked)):
        return replace(asked, measures=(Measure("sum", "total"),), mode=owed, group=(), order=(), said=())
    if entity == "invoice":
        measures = tuple(Measure(m.kind, "total" if m.field == "price" else m.field) for m in asked.measures)
        return replace(asked, measures=measures)
    if entity == "contract":
        measures = tuple(
            Measure(m.kind, "monthly_rent" if m.field == "price" else m.field) for m in asked.measures
        )
        return replace(asked, measures=measures)
    return asked


def _amount_asked(text: str, asked: Asked) -> Mode | None:
    """ "tôi còn nợ bao nhiêu", "hóa đơn tháng này bao nhiêu": what the invoices come to, as a table."""
    if any(one.kind not in {"avg", "min", "max"} for one in asked.measures) or asked.mode == "CHART":
        return None
    if phrases("asks", "count", "avg", "min", "max", "median").find(text):
        return None
    return "TABLE" if phrases("asks", "amount asked", "price asked").find(text) else None


def _limit(quantities: list[Quantity], text: str) -> int | None:
    """How many rows are wanted; "1 phòng" alone is a way of speaking, "1 phòng rẻ nhất" is a number."""
    best = bool(phrases("asks", *_SUPERLATIVES).find(text))
    for one in quantities:
        if one.field == "limit" and one.upper is None and 1 <= one.value <= _MOST_ROWS:
            if one.value == 1 and not best:
                continue
            return int(one.value)
    return None


def _assumed(quantities: list[Quantity]) -> list[Remark]:
    """What was taken for granted about amounts: how far "khoảng" reaches."""
    return [
        remark("said.about", field=one.field)
        for one in quantities
        if one.op == "about" and one.upper is None and one.field not in {"", "limit", "other"}
    ]


def fresh(message: str, parts: Parts, role: Role) -> Reading:
    """The reading of a message that stands by itself."""
    slots = len({f.field for f in parts.filters}) + bool(parts.limit) + len(parts.missing)
    owned = parts.own and parts.named and _asks_for_own(parts)
    figures = bool(parts.asked.group or (parts.asked.measures and not _price_alone(parts.text)))
    asked = figures or bool(parts.asked.measures or parts.asked.order)
    telling = any(one.field in _TELLING for one in parts.filters)
    firm = slots - any(one.field == "type" for one in parts.filters)
    signs = Signs(slots, firm, telling, parts.named, asked, figures or owned)
    talk = talk_of(parts.text, signs)
    if talk == "REFUSED":
        reason = remark("refused.sql" if is_sql(message) else "refused.data")
        return Reading("GENERAL_CHAT", refused=True, said=(reason,), question=message)
    if talk != "QUERY":
        return Reading(talk, question=message, missing=_unclear(talk))
    entity = parts.entity
    if entity == "post" and parts.own and role == "TENANT":  # what a tenant posts is a search
        entity = "room_seeking_post"
    mode = mode_of(parts.asked)
    measures = parts.asked.measures
    reading = Reading(
        "QUERY",
        mode,
        entity,
        parts.filters,
        parts.asked.order or _natural_order(parts),
        parts.limit,
        parts.asked.group if measures else (),
        measures,
        parts.own,
        missing=parts.missing,
        said=parts.said,
        question=message,
    )
    return checked(reading, role)


def _natural_order(parts: Parts) -> tuple[Order, ...]:
    """What ends soon, and what is still to come, in the order of its days."""
    fields = {one.field for one in parts.filters}
    if parts.asked.measures:
        return ()
    if "end_date" in fields:
        return (Order("end_date"),)
    return (Order("scheduled_at"),) if "scheduled_at" in fields else ()


def _asks_for_own(parts: Parts) -> bool:
    """Whether own records are asked for, not how contracts or invoices work in general."""
    if phrases("talk", "how to").find(parts.text):
        return bool(parts.filters)
    said = phrases("asks", "own", "revenue", "debt").find(parts.text)
    return bool(said or parts.filters or len(folded_words(parts.text)) <= _SHORT)


def _price_alone(text: str) -> bool:
    """ "giá bao nhiêu": a figure of nothing in particular."""
    return not phrases("asks", "count", "avg", "median", "trend", "compare").find(text)


def _unclear(talk: str) -> tuple[Remark, ...]:
    return (remark("missing.what"),) if talk == "CLARIFICATION" else ()


def mode_of(asked: Asked) -> Mode:
    """002-09: things are listed, one's own records too; figures are a table, what is to be seen is a chart."""
    return asked.mode or ("TABLE" if asked.measures else "LIST")
