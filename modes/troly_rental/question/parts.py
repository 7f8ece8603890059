"""The parts of one message: its records, conditions, places, figures and remarks, before any other message is looked at."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime

from troly.text.catalogue import Lang
from troly.text.dates import find_ranges
from troly.text.fold import fold
from troly.text.match import blank_out, spans_of
from troly_rental.data.places import Places
from troly_rental.question.amounts import Quantity, parse_quantities
from troly_rental.question.dates import parse_contract_end, parse_days, parse_upcoming
from troly_rental.question.output import OutputRequest, number_of_groups, parse_output
from troly_rental.question.places import parse_places
from troly_rental.question.spelling import correct_spelling
from troly_rental.question.traits import parse_status, parse_traits
from troly_rental.question.types import Filter, Measure, Mode, Order, Remark, Span, merge_filters
from troly_rental.question.vocabulary import Vocabulary, lists
from troly_rental.roles import Role
from troly_rental.sql.relations import entities

_OWN_ENTITIES = ("contract", "invoice", "viewing")
_ANY_DAY = date(2024, 6, 15)
_SUPERLATIVES = ("newest", "oldest", "cheapest", "dearest", "largest", "smallest", "most viewed")
_FIGURES = ("count", "avg", "median", "min", "max", "sum", "trend", "chart", "table")
_MOST_ROWS = 200
_ENTITIES = ("room_seeking_post", "post", "viewing", "contract", "invoice", "building", "room")


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """What one message holds by itself, before it is joined with the query before it.

    `text` is the message with its spelling corrected, `unplaced` the same without the names of places; `vocabulary`
    finds words in the message's language. `money` is the figure of the asker's invoices that is meant ("debt",
    "revenue", "electricity", "water", "rent"), "" for none.
    """

    vocabulary: Vocabulary
    text: str
    unplaced: str
    entity: str
    named: bool
    money: str
    filters: tuple[Filter, ...]
    quantities: tuple[Quantity, ...]
    output: OutputRequest
    limit: int | None
    own: bool
    needless: frozenset[str]
    missing: tuple[Remark, ...]
    remarks: tuple[Remark, ...]
    read: tuple[Span, ...] = ()
    """Where places, traits, days and amounts stand that became conditions, with the words that belong to them."""


_COMPARED = re.compile(r"(>=|=>|≥|<=|=<|≤|!=|<>|≠|>|<)(?=\s*\d)")
_SIGN_WORDS = {"<": "under", "<=": "at most", ">": "over", ">=": "at least", "!=": "not equal to"}
_SAME_SIGN = {"=>": ">=", "≥": ">=", "=<": "<=", "≤": "<=", "<>": "!=", "≠": "!="}


def _signs_in_words(text: str) -> str:
    """Comparison signs before a number as the words that mean them."""
    return _COMPARED.sub(lambda found: f" {_SIGN_WORDS[_SAME_SIGN.get(found[1], found[1])]} ", text)


def parse_parts(
    vocabulary: Vocabulary,
    message: str,
    lang: Lang,
    now: datetime,
    places: Places,
    *,
    role: Role = "GUEST",
    about: str = "",
) -> QuestionParts:
    """The parts of `message`, asked by somebody of `role`; `about` are the records of the question before it, which are meant
    where the message names none.
    """
    text = correct_spelling(_signs_in_words(message), lang)
    own = bool(vocabulary.find(text, "asks", "own"))
    named = [hit.label for hit in vocabulary.find(text, "asks", *_ENTITIES, "other") if hit.label != "other"]
    money = _money_records(vocabulary, text, own=own, role=role, about=about)
    entity = _entity(named, money)
    states = [label for label in lists("asks") if label.startswith("status invoice ")]
    if (
        not named
        and not money
        and role != "GUEST"
        and about not in _OWN_ENTITIES
        and vocabulary.find(text, "asks", *states)
    ):
        entity, named = "invoice", ["invoice"]  # what is paid or not is a bill
    if not named and not money and about:
        entity = about
    held = own or vocabulary.find(text, "asks", "sum")
    if entity == "room" and held and role != "GUEST" and vocabulary.find(text, "asks", "figure deposit"):
        entity, named = "contract", ["contract"]  # what was paid, or is held: not the rooms' asking deposit
    ending, rest, end_spans = parse_contract_end(vocabulary, text, entity, now)
    where = parse_places(vocabulary, rest, places)
    groups = spans_of(vocabulary.find(text, "asks", "by furnished", "by amenity", "by type"))
    traits = parse_traits(vocabulary, blank_out(where.rest, groups, "|"))
    figures = bool(vocabulary.find(text, "asks", *_FIGURES))
    days, rest, day_spans = (
        ([], traits.rest, end_spans)
        if ending
        else parse_days(vocabulary, traits.rest, entity, now, figures=figures)
    )
    quantities = parse_quantities(vocabulary, rest)
    unfurnished = spans_of(vocabulary.find(text, "amenities", "furnished none"))
    status, status_spans = parse_status(vocabulary, blank_out(text, unfurnished), entity)
    found = [
        *ending, *days, *parse_upcoming(vocabulary, text, entity, now), *_status(money, status, entity),
        *where.filters, *traits.filters,
        *(f for q in quantities if q.field not in {"", "limit", "other", "fee"} for f in q.filters()),
    ]  # fmt: skip
    known = entities()[entity].fields
    filters = merge_filters([one for one in found if one.field in known])
    unknown = dict.fromkeys(one.field for one in found if one.field not in known)
    output = _output(vocabulary, blank_out(text, traits.spans), list(filters), entity, money)
    if entity in {"room", "post"} and not any(one.field == "type" for one in filters):
        # A rent of "phòng trọ" is not one of flats and houses.
        plain = vocabulary.find(text, "kinds", "room")
        if plain and output.measures and vocabulary.find(text, "asks", "avg", "median", "min", "max"):
            filters = merge_filters([*filters, Filter("type", "=", "room")])
    output = _counted_states(text, output, status)
    if any(one.kind == "count_where" for one in output.measures):
        filters = tuple(one for one in filters if one.field != "status")
    limit = number_of_groups(text) if output.group else None
    limit = limit or _limit(vocabulary, where.rest) or _top(text) or (1 if output.single else None)
    used = {"", "limit", "other", "fee"} - ({"limit"} if limit else set())
    amounts = [
        span
        for q in quantities
        if q.field not in used or (q.field == "limit" and q.value == 1)
        for span in (*q.words, *_openings(text, q.start))
    ]
    return QuestionParts(
        vocabulary=vocabulary,
        text=text,
        unplaced=where.marked,
        entity=entity,
        named=bool(named) or bool(money),
        money=money,
        filters=filters,
        quantities=tuple(quantities),
        output=output,
        limit=limit,
        own=own or bool(money) or bool(vocabulary.find(text, "asks", "occupancy")) or (entity in _OWN_ENTITIES and bool(named)) or entity == "contract",
        needless=traits.needless,
        missing=where.missing,
        remarks=(
            *traits.remarks, *where.remarks, *output.remarks, *_assumptions(quantities),
            *(Remark.of("said.no_field", field=name) for name in unknown),
        ),
        read=(*where.read, *traits.read, *end_spans, *day_spans, *status_spans, *amounts, *_limit_spans(text, limit)),
    )  # fmt: skip


_OPENING = re.compile(r"(?:between|giua|tu|from|trong|in|o muc|muc|len|xuong|den)\s*$")


def _openings(text: str, start: int) -> list[Span]:
    """Words that lead to an amount: "từ 2 đến 4 triệu", "tăng lên 5 triệu"."""
    found = _OPENING.search(fold(text[:start]))
    return [(found.start(), start)] if found else []


def _counted_states(text: str, output: OutputRequest, status: list[Filter]) -> OutputRequest:
    """ "bao nhiêu phòng, bao nhiêu đang cho thuê": all of them, and those of the state."""
    asked = re.findall(r"(?<!\w)(?:bao nhieu|may|how many)(?!\w)", fold(text))
    if len(asked) <= len(status) or not status or [one.kind for one in output.measures] != ["count"]:
        return output
    return replace(
        output, measures=(*output.measures, *(Measure("count_where", str(one.value)) for one in status))
    )


def _top(text: str) -> int | None:
    """The number of "top 3"."""
    found = re.search(r"(?<!\w)top\s+(\d{1,2})(?!\w)", fold(text))
    return int(found[1]) or None if found else None


def _limit_spans(text: str, limit: int | None) -> list[Span]:
    """Where the number of rows stands."""
    return (
        [m.span() for m in re.finditer(rf"(?<![\w.,])(?:top\s+)?{limit}(?![\w.,])", text, re.IGNORECASE)]
        if limit
        else []
    )


def _money_records(vocabulary: Vocabulary, text: str, *, own: bool, role: Role, about: str) -> str:
    """Which figure of the asker's invoices is meant: "debt", "revenue", "electricity", "water", "rent", or ""."""
    if vocabulary.find(text, "asks", "revenue"):
        return "revenue"
    if vocabulary.find(text, "asks", "debt"):
        return "debt"
    found = vocabulary.find(text, "asks", "invoice electricity", "invoice water", "invoice rent")
    periods = [one.span for one in find_ranges(text, _ANY_DAY)]
    by_month = role != "GUEST" and vocabulary.find(text, "asks", "by month")
    if (
        not found
        or not (own or periods or by_month or about == "invoice")
        or vocabulary.find(text, "asks", "avg", "compare", "cheapest", "cheap")
    ):
        return ""
    if not own and vocabulary.find(text, "amounts", "unit electricity_price", "unit water_price"):
        return ""
    amounts = parse_quantities(vocabulary, blank_out(text, periods))
    if any(one.field not in {"limit", "other", ""} for one in amounts):
        return ""
    return found[0].label.removeprefix("invoice ")


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


def _output(
    vocabulary: Vocabulary, text: str, filters: list[Filter], entity: str, money: str
) -> OutputRequest:
    """What is asked of the records: of invoices and contracts a rent is their own figure, "total" or "monthly_rent"."""
    output = parse_output(vocabulary, text, filters)
    if money in {"electricity", "water", "rent", "revenue"}:
        groups = {"month", "room"} | ({"building"} if money == "revenue" else set())
        group = tuple(name for name in output.group if name in groups)
        if not group and vocabulary.find(text, "asks", "chart", "trend"):
            group = ("month",)
        mode: Mode = "CHART" if output.mode == "CHART" else "TABLE"
        figures = (
            ("total", "rent", "electricity", "water", "other")
            if money == "rent" and not group
            else ("total" if money in {"revenue", "rent"} else money,)
        )  # what is paid for a room in a month is more than its rent
        order = _money_order(vocabulary, text, group)
        return replace(
            output,
            measures=tuple(Measure("sum", name) for name in figures),
            group=group,
            order=order,
            mode=mode,
            remarks=(),
        )
    if entity == "invoice" and _is_amount_asked(vocabulary, text, output):
        total = (Measure("sum", "total"),)
        return replace(output, measures=total, mode="TABLE", group=(), order=(), remarks=())
    if entity == "invoice" and output.mode == "CHART" and not vocabulary.find(text, "asks", "count"):
        return replace(output, measures=(Measure("sum", "total"),), group=("month",), order=(Order("month"),))
    asked = vocabulary.find(text, "asks", "price asked", "amount asked", "sum")
    if entity == "contract" and asked and vocabulary.find(text, "asks", "figure deposit"):
        return replace(
            output, measures=(Measure("sum", "deposit"),), mode="TABLE", group=(), order=(), remarks=()
        )
    rent = {"invoice": "total", "contract": "monthly_rent"}.get(entity, "price")
    measures = (Measure(one.kind, rent if one.field == "price" else one.field) for one in output.measures)
    return replace(output, measures=tuple(measures))


def _money_order(vocabulary: Vocabulary, text: str, group: tuple[str, ...]) -> tuple[Order, ...]:
    """ "tháng nào cao nhất" asks for the months by their figure; else they run forwards."""
    if not group:
        return ()
    hits = vocabulary.find(text, "asks", "highest end", "lowest end")
    return (Order("figure", hits[0].label == "highest end"),) if hits else (Order(group[0]),)


def _is_amount_asked(vocabulary: Vocabulary, text: str, output: OutputRequest) -> bool:
    """ "tôi còn nợ bao nhiêu", "hóa đơn tháng này bao nhiêu": what the invoices come to."""
    if any(one.kind not in {"avg", "min", "max"} for one in output.measures) or output.mode == "CHART":
        return False
    if vocabulary.find(text, "asks", "count", "avg", "min", "max", "median"):
        return False
    return bool(vocabulary.find(text, "asks", "amount asked", "price asked"))


def _limit(vocabulary: Vocabulary, text: str) -> int | None:
    """How many rows are wanted; "1 phòng" alone is a way of speaking, "1 phòng rẻ nhất" is a number."""
    best = bool(vocabulary.find(text, "asks", *_SUPERLATIVES))
    for one in parse_quantities(vocabulary, text):
        if one.field == "limit" and one.upper is None and 1 <= one.value <= _MOST_ROWS:
            if one.value == 1 and not best:
                continue
            return int(one.value)
    return None


def _assumptions(quantities: list[Quantity]) -> list[Remark]:
    """What was taken for granted about amounts: how far "khoảng" reaches."""
    return [
        Remark.of("said.about", field=one.field)
        for one in quantities
        if one.op == "about" and one.upper is None and one.field not in {"", "limit", "other"}
    ]
