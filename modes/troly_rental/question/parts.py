"""Puts a question's parts together: from a message to a reading, on its own or as an edit of the one before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime

from troly.text.catalogue import Lang
from troly.text.dates import find_ranges
from troly.text.fold import folded_words
from troly_rental.data.places import Places
from troly_rental.question.amounts import Quantity, parse_quantities
from troly_rental.question.dates import parse_contract_end, parse_days, parse_upcoming
from troly_rental.question.intent import IntentSigns, classify_intent, is_sql
from troly_rental.question.output import OutputRequest, number_of_groups, parse_output
from troly_rental.question.parser import check_readiness
from troly_rental.question.places import parse_places
from troly_rental.question.spelling import correct_spelling
from troly_rental.question.traits import parse_status, parse_traits
from troly_rental.question.types import (
    Filter,
    Measure,
    Mode,
    Order,
    ParsedQuestion,
    Remark,
    Role,
    make_remark,
    merge_filters,
)
from troly_rental.question.vocabulary import phrases, spans, without
from troly_rental.sql.relations import entities

_OWN_ENTITIES = ("contract", "invoice", "viewing")
_TELLING = frozenset({"price", "area", "bedrooms", "people", "deposit", "amenity", "furnished", "type"})
"""Conditions that nobody sets in small talk."""
_ANY_DAY = date(2024, 6, 15)
_SUPERLATIVES = ("newest", "oldest", "cheapest", "dearest", "largest", "smallest", "most viewed")
_MOST_ROWS, _SHORT = 200, 5
_ENTITIES = ("room_seeking_post", "post", "viewing", "contract", "invoice", "building", "room")


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """What one message holds by itself, before it is joined with the query before it; `unplaced` is its text without
    the names of places.
    """

    text: str
    unplaced: str
    entity: str
    named: bool
    filters: tuple[Filter, ...]
    quantities: tuple[Quantity, ...]
    asked: OutputRequest
    limit: int | None
    own: bool
    needless: frozenset[str]
    missing: tuple[Remark, ...]
    said: tuple[Remark, ...]


def parse_parts(message: str, lang: Lang, now: datetime, places: Places) -> QuestionParts:
    """The parts of `message`."""
    text = correct_spelling(message, lang)
    own = bool(phrases("asks", "own").find(text))
    named = [hit.label for hit in phrases("asks", *_ENTITIES, "other").find(text) if hit.label != "other"]
    money = _money_records(text, own=own)
    entity = _entity(named, money)
    ending, rest = parse_contract_end(text, entity, now)
    where = parse_places(rest, places)
    groups = spans(phrases("asks", "by furnished", "by amenity", "by type").find(text))
    traits = parse_traits(without(where.rest, groups, "|"))
    figures = bool(
        phrases("asks", "count", "avg", "median", "min", "max", "sum", "trend", "chart", "table").find(text)
    )
    days, rest = ([], traits.rest) if ending else parse_days(traits.rest, entity, now, figures=figures)
    quantities = parse_quantities(rest)
    status, _ = parse_status(without(text, spans(phrases("amenities", "furnished none").find(text))), entity)
    filters = [
        *ending, *days, *parse_upcoming(text, entity, now), *_status(money, status, entity),
        *where.filters, *traits.filters,
        *(f for q in quantities if q.field not in {"", "limit", "other", "fee"} for f in q.filters()),
    ]  # fmt: skip
    kept, dropped = _supported(filters, entity)
    tidy = merge_filters(kept)
    asked = _output(without(text, traits.spans), list(tidy), entity, money)
    return QuestionParts(
        text,
        where.marked,
        entity,
        bool(named) or bool(money),
        tidy,
        tuple(quantities),
        asked,
        (number_of_groups(text) if asked.group else None) or _limit(parse_quantities(where.rest), where.rest),
        own or bool(money) or (entity in _OWN_ENTITIES),
        traits.needless,
        where.missing,
        (*traits.said, *where.said, *asked.said, *_assumed(quantities), *dropped),
    )


def _supported(filters: list[Filter], entity: str) -> tuple[list[Filter], list[Remark]]:
    """The filters that `entity` has a column for, and a remark on each other one."""
    known = entities()[entity].fields
    lost = dict.fromkeys(one.field for one in filters if one.field not in known)
    return [one for one in filters if one.field in known], [
        make_remark("said.no_field", field=n) for n in lost
    ]


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
    amounts = [q for q in parse_quantities(timeless) if q.field not in {"limit", "other", ""}]
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


def _output(text: str, filters: list[Filter], entity: str, money: str) -> OutputRequest:
    asked = parse_output(text, filters)
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


def _amount_asked(text: str, asked: OutputRequest) -> Mode | None:
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
        make_remark("said.about", field=one.field)
        for one in quantities
        if one.op == "about" and one.upper is None and one.field not in {"", "limit", "other"}
    ]


def fresh(message: str, parts: QuestionParts, role: Role) -> ParsedQuestion:
    """The reading of a message that stands by itself."""
    slots = len({f.field for f in parts.filters}) + bool(parts.limit) + len(parts.missing)
    owned = parts.own and parts.named and _asks_for_own(parts)
    figures = bool(parts.asked.group or (parts.asked.measures and not _price_alone(parts.text)))
    asked = figures or bool(parts.asked.measures or parts.asked.order)
    telling = any(one.field in _TELLING for one in parts.filters)
    firm = slots - any(one.field == "type" for one in parts.filters)
    signs = IntentSigns(slots, firm, telling, parts.named, asked, figures or owned)
    talk = classify_intent(parts.text, signs)
    if talk == "REFUSED":
        reason = make_remark("refused.sql" if is_sql(message) else "refused.data")
        return ParsedQuestion("GENERAL_CHAT", refused=True, said=(reason,), question=message)
    if talk != "QUERY":
        return ParsedQuestion(talk, question=message, missing=_unclear(talk))
    entity = parts.entity
    if entity == "post" and parts.own and role == "TENANT":  # what a tenant posts is a search
        entity = "room_seeking_post"
    mode = mode_of(parts.asked)
    measures = parts.asked.measures
    reading = ParsedQuestion(
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
    return check_readiness(reading, role)


def _natural_order(parts: QuestionParts) -> tuple[Order, ...]:
    """What ends soon, and what is still to come, in the order of its days."""
    fields = {one.field for one in parts.filters}
    if parts.asked.measures:
        return ()
    if "end_date" in fields:
        return (Order("end_date"),)
    return (Order("scheduled_at"),) if "scheduled_at" in fields else ()


def _asks_for_own(parts: QuestionParts) -> bool:
    """Whether own records are asked for, not how contracts or invoices work in general."""
    if phrases("talk", "how to").find(parts.text):
        return bool(parts.filters)
    said = phrases("asks", "own", "revenue", "debt").find(parts.text)
    return bool(said or parts.filters or len(folded_words(parts.text)) <= _SHORT)


def _price_alone(text: str) -> bool:
    """ "giá bao nhiêu": a figure of nothing in particular."""
    return not phrases("asks", "count", "avg", "median", "trend", "compare").find(text)


def _unclear(talk: str) -> tuple[Remark, ...]:
    return (make_remark("missing.what"),) if talk == "CLARIFICATION" else ()


def mode_of(asked: OutputRequest) -> Mode:
    """002-09: things are listed, one's own records too; figures are a table, what is to be seen is a chart."""
    return asked.mode or ("TABLE" if asked.measures else "LIST")
